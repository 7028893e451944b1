//! Sources to index.

/// A small service in two languages, with a definition of every sort that answers show.
pub const SERVICE: &[(&str, &str)] = &[
    ("Cargo.toml", "[package]\nname = \"authsvc\"\nversion = \"0.1.0\"\n"),
    ("src/lib.rs", "pub mod auth;\n"),
    ("src/auth/mod.rs", "pub mod error;\npub mod jwt;\n"),
    ("src/auth/error.rs", "/// Why a token is refused.\npub enum TokenError {\n    Expired,\n    Forged,\n}\n"),
    ("src/auth/jwt.rs", JWT),
    ("tests/tokens.rs", "#[test]\nfn validate_token() {\n    assert!(true);\n}\n"),
    ("tools/report.py", REPORT),
];

const JWT: &str = "use crate::auth::error::TokenError;

/// What a token claims.
pub struct Claims {
    pub subject: String,
}

pub struct JwtValidator {
    key: Vec<u8>,
}

impl JwtValidator {
    /// Checks a token.
    pub fn validate_token(&self, token: &str) -> Result<Claims, TokenError> {
        if token.is_empty() {
            return Err(TokenError::Forged);
        }
        Ok(Claims { subject: token.to_owned() })
    }

    fn rotate(&mut self) {
        self.key.clear();
    }
}

pub const MAX_AGE: u64 = 3600;
";

const REPORT: &str = "class Report:
    \"\"\"A report.\"\"\"

    def render(self, width: int = 80) -> str:
        return 'x' * width

    def rotate(self):
        pass


def main():
    Report().render()
";

/// `count` Rust files, each with a struct, three functions of it, a free function and a test.
pub fn shapes(count: usize) -> Vec<(String, String)> {
    (0..count).map(|number| (shape_path(number), shape(number))).collect()
}

/// Where shape `number` is.
pub fn shape_path(number: usize) -> String {
    format!("src/group{}/shape_{number:03}.rs", number % 10)
}

/// The text of shape `number`.
pub fn shape(number: usize) -> String {
    format!(
        "/// Shape {number}.
pub struct Shape{number:03} {{
    pub side: u32,
}}

impl Shape{number:03} {{
    pub fn describe(&self) -> String {{
        format!(\"shape {number} with side {{}}\", self.side)
    }}

    pub fn area(&self) -> u32 {{
        self.side * self.side + {number}
    }}

    pub fn grow(&mut self, by: u32) {{
        self.side += by;
    }}
}}

pub fn make_shape_{number:03}(side: u32) -> Shape{number:03} {{
    Shape{number:03} {{ side }}
}}

#[cfg(test)]
mod tests {{
    #[test]
    fn area_of_shape_{number:03}() {{
        assert_eq!(super::make_shape_{number:03}(2).area(), 4 + {number});
    }}
}}
"
    )
}

/// Borrows what [`shapes`] made.
pub fn borrowed(files: &[(String, String)]) -> Vec<(&str, &str)> {
    files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect()
}
