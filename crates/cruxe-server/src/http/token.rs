//! The secret that a client shows.

use std::fmt;

use subtle::ConstantTimeEq;
use tokio_rustls::rustls::crypto::ring;

/// A shorter one can be guessed.
const MIN_LENGTH: usize = 16;

/// A bearer token. It is compared in constant time and never shown, not even in debug output.
pub struct Token(String);

/// Thirty-two bytes that nobody can guess, as letters and digits; `None` where the system has none.
pub fn random_secret() -> Option<String> {
    let mut bytes = [0; 32];
    ring::default_provider().secure_random.fill(&mut bytes).ok()?;
    Some(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Why a text is no token.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    /// It can be guessed.
    #[error("the token has fewer than {MIN_LENGTH} characters; make one with `openssl rand -hex 32`")]
    TooShort,
    /// It cannot be sent in a header.
    #[error("the token has characters that a header cannot carry; make one with `openssl rand -hex 32`")]
    NotAscii,
}

impl Token {
    /// Takes a token from a text, for example a file's; space around it does not count.
    pub fn new(text: &str) -> Result<Token, TokenError> {
        let text = text.trim();
        if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(TokenError::NotAscii);
        }
        if text.len() < MIN_LENGTH {
            return Err(TokenError::TooShort);
        }
        Ok(Token(text.to_owned()))
    }

    /// Whether an `Authorization` header shows this token.
    pub(super) fn is_shown_by(&self, header: &[u8]) -> bool {
        let (is_bearer, shown) = split(header);
        is_bearer & self.is(shown)
    }

    /// Whether these bytes are the token.
    pub(super) fn is(&self, shown: &[u8]) -> bool {
        self.0.as_bytes().ct_eq(shown).into()
    }
}

/// Whether a header is of the bearer scheme, and what it shows.
fn split(header: &[u8]) -> (bool, &[u8]) {
    const SCHEME: usize = "Bearer ".len();
    let (scheme, shown) = header.split_at(header.len().min(SCHEME));
    (scheme.eq_ignore_ascii_case(b"Bearer "), shown.trim_ascii())
}

/// The token that an `Authorization` header shows.
pub(super) fn bearer(header: &[u8]) -> Option<&str> {
    let (is_bearer, shown) = split(header);
    std::str::from_utf8(shown).ok().filter(|token| is_bearer && token.len() >= MIN_LENGTH)
}

impl fmt::Debug for Token {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Token(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "0123456789abcdef";

    #[test]
    fn only_the_whole_token_under_the_bearer_scheme_counts() {
        let token = Token::new(&format!("  {SECRET}\n")).unwrap();
        for header in ["Bearer 0123456789abcdef", "bearer  0123456789abcdef", "BEARER 0123456789abcdef "] {
            assert!(token.is_shown_by(header.as_bytes()), "{header}");
        }
        for header in [
            "",
            "Bearer",
            "Bearer ",
            "Bearer 0123456789abcde",
            "Bearer 0123456789abcdeff",
            "Bearer 0123456789abcdeF",
            "Basic 0123456789abcdef",
            "0123456789abcdef",
            "Bearer\u{a0}0123456789abcdef",
        ] {
            assert!(!token.is_shown_by(header.as_bytes()), "{header}");
        }
    }

    #[test]
    fn tokens_that_can_be_guessed_or_not_be_sent_are_refused() {
        assert_eq!(Token::new("").unwrap_err(), TokenError::TooShort);
        assert_eq!(Token::new("0123456789abcde").unwrap_err(), TokenError::TooShort);
        assert_eq!(Token::new("0123456789 abcdef").unwrap_err(), TokenError::NotAscii);
        assert_eq!(Token::new("ünïcödeünïcödeünïcöde").unwrap_err(), TokenError::NotAscii);
    }

    #[test]
    fn secrets_are_long_and_never_the_same() {
        let (one, other) = (random_secret().unwrap(), random_secret().unwrap());
        assert_eq!((one.len(), Token::new(&one).is_ok()), (64, true));
        assert_ne!(one, other);
    }

    #[test]
    fn debug_output_does_not_show_it() {
        assert_eq!(format!("{:?}", Token::new(SECRET).unwrap()), "Token(…)");
    }
}
