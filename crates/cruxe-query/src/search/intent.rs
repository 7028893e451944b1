//! What kind of question a text is.

use cruxe_extract::registry;
use cruxe_model::RepoPath;

use super::pattern::pattern;

/// What a query asks for, which decides what is looked at first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Intent {
    /// A name: definitions first.
    Symbol,
    /// A path: files first.
    Path,
    /// An error message or a phrase: the text itself first.
    Error,
    /// Words: everything.
    NaturalLanguage,
}

impl Intent {
    /// The word that answers use.
    pub fn as_str(self) -> &'static str {
        match self {
            Intent::Symbol => "symbol",
            Intent::Path => "path",
            Intent::Error => "error",
            Intent::NaturalLanguage => "natural_language",
        }
    }

    /// The intent of a word that answers use.
    pub fn parse(word: &str) -> Option<Intent> {
        let all = [Intent::Symbol, Intent::Path, Intent::Error, Intent::NaturalLanguage];
        all.into_iter().find(|intent| intent.as_str() == word)
    }
}

/// Tells what a query asks for.
pub fn classify(query: &str) -> Intent {
    let query = query.trim();
    if looks_like_error(query) {
        Intent::Error
    } else if !query.contains(char::is_whitespace) && looks_like_path(query) {
        Intent::Path
    } else if is_name(query) {
        Intent::Symbol
    } else {
        Intent::NaturalLanguage
    }
}

/// A word that can only be a name: `camelCase`, `snake_case`, `a::b`, `HTTPServer`.
pub fn is_surely_name(word: &str) -> bool {
    pattern!(r"^[\p{L}_$]", r"[\p{Ll}\p{N}]\p{Lu}|\w_\w|::|\w\.\w|\w#\w|->|^\p{Lu}{2,}\p{Ll}|\(\)$|!$")
        .iter()
        .all(|pattern| pattern.is_match(word))
}

/// One word that a programming language would take for a name, qualified or not.
fn is_name(query: &str) -> bool {
    pattern!(r"^[&*@]?[\p{L}_$][\w$]*(?:(?:::|\.|#|->|\\)[~\w$]+)*[!?]?(?:\(\))?$")[0].is_match(query)
}

fn looks_like_path(word: &str) -> bool {
    let (path, _) = split_line(word);
    if path.contains("::") || path.contains("->") {
        return false;
    }
    path.contains('/') && path.chars().any(char::is_alphanumeric) || has_known_extension(path)
}

/// Whether a path ends like a file that is read, or like one of the texts that are not code.
pub fn has_known_extension(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let Some((stem, extension)) = name.rsplit_once('.') else { return false };
    let known = || {
        RepoPath::parse(path.trim_start_matches("./")).is_ok_and(|path| registry::detect(&path, b"").is_some())
            || TEXT_EXTENSIONS.contains(&extension.to_ascii_lowercase().as_str())
    };
    !stem.is_empty() && !extension.is_empty() && known()
}

const TEXT_EXTENSIONS: &[&str] = &[
    "toml", "json", "yaml", "yml", "xml", "txt", "html", "css", "scss", "sql", "proto", "cfg", "ini", "lock",
    "graphql", "gradle", "cmake", "rst", "csv", "vue", "svelte",
];

/// A path and the line after it: `src/a.rs:12`, `src/a.rs:12:5`, `src/a.rs#L12`.
pub fn split_line(word: &str) -> (&str, Option<u32>) {
    let found = pattern!(r"^(.+?)(?::(\d+)(?::\d+)?|#L(\d+)(?:-L?\d+)?)$")[0].captures(word);
    let parts = found.and_then(|groups| {
        let line = groups.get(2).or(groups.get(3))?.as_str().parse().ok()?;
        Some((groups.get(1)?.as_str(), Some(line)))
    });
    parts.unwrap_or((word, None))
}

fn looks_like_error(query: &str) -> bool {
    pattern!(
        r#""[^"]*\S[^"]*"|“[^”]+”"#,                                      // a phrase
        r"(?:^|\s)'[^']*\s[^']*'",                                        // another
        r"\bpanicked at\b|^Traceback\b|^\s*at \S+\(.*\)|\bstack ?trace\b", // traces
        r#"\bFile "[^"]+", line \d+"#,
        r"^[\w.]*\b[A-Z][a-z]+[A-Z]\w*: \S",                                // `ImproperlyConfigured: …`
        r"\b[A-Z]\w*(?:Error|Exception)\b\s*:|^\w*(?:[Ee]rror|fatal|FATAL)\s*(?:\[\w+\])?:|^panic:",
        r"\berror\[?\s*[A-Z]*\d{3,}|\b(?:TS|E|CS|C|LNK|SQLSTATE)-?\d{4,}\b|\bE[A-Z]{4,}\b|\bERR_\w+|\berrno\b|\b0x[0-9a-fA-F]{4,}\b",
    )
    .iter()
    .any(|pattern| pattern.is_match(query))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_is_of_the_kind_that_its_form_says() {
        use Intent::*;
        for (query, intent) in [
            ("validate_token", Symbol),
            ("JwtValidator", Symbol),
            ("Router", Symbol),
            ("QuerySet.filter", Symbol),
            ("TcpListener::bind()", Symbol),
            ("println!", Symbol),
            ("größe_messen", Symbol),
            ("src/auth/jwt.rs", Path),
            ("jwt.rs:87", Path),
            ("client.ts", Path),
            ("src/handlers/", Path),
            ("Cargo.toml", Path),
            ("\"token expired\"", Error),
            ("error[E0308]: mismatched types", Error),
            ("thread 'main' panicked at 'index out of bounds'", Error),
            ("Traceback (most recent call last)", Error),
            ("TypeError: \"x\" is not a function", Error),
            ("ImproperlyConfigured: SECRET_KEY must not be empty", Error),
            ("connect ECONNREFUSED 127.0.0.1:5432", Error),
            ("where is rate limiting implemented", NaturalLanguage),
            ("why does `JoinHandle::abort` not cancel blocking tasks", NaturalLanguage),
            ("request/response transformers", NaturalLanguage),
            ("a AND (b OR", NaturalLanguage),
            ("\"unbalanced", NaturalLanguage),
            ("*", NaturalLanguage),
            ("don't repeat the user's name", NaturalLanguage),
        ] {
            assert_eq!(classify(query), intent, "{query}");
        }
    }

    #[test]
    fn names_and_lines_are_told_from_words() {
        assert!(is_surely_name("camelCase") && !is_surely_name("camel") && !is_surely_name("1_000"));
        assert_eq!(split_line("src/a.rs:12:5"), ("src/a.rs", Some(12)));
        assert_eq!(split_line("src/a.rs#L7-L9"), ("src/a.rs", Some(7)));
        assert_eq!(split_line("src/a.rs"), ("src/a.rs", None));
    }
}
