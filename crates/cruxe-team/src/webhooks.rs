//! Pushes that hosts tell of: GitHub and Gitea sign the message, GitLab shows a secret.

use ring::hmac;
use serde_json::Value;

/// What a request says of itself.
pub(crate) struct Hook<'a> {
    /// GitHub's and Gitea's signature of the body, in hexadecimal digits.
    pub signature: Option<&'a str>,
    /// GitLab's secret.
    pub token: Option<&'a str>,
    pub body: &'a [u8],
}

impl Hook<'_> {
    /// Whether who sent it knows a secret. Both comparisons take the same time whatever is wrong.
    pub fn is_signed_with(&self, secret: &str) -> bool {
        if secret.is_empty() {
            return false;
        }
        let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
        if let Some(signature) = self.signature {
            let digits = signature.strip_prefix("sha256=").unwrap_or(signature);
            return from_hex(digits).is_some_and(|bytes| hmac::verify(&key, self.body, &bytes).is_ok());
        }
        // Of two texts with the same signature one is the other.
        self.token.is_some_and(|token| {
            hmac::verify(&key, token.as_bytes(), hmac::sign(&key, secret.as_bytes()).as_ref()).is_ok()
        })
    }

    /// Whether a branch or a tag was pushed: the message may be about something else, or about nothing that can be read.
    pub fn is_push(&self) -> bool {
        let value: Option<Value> = serde_json::from_slice(self.body).ok();
        let name = value.as_ref().and_then(|value| value.get("ref")?.as_str()).unwrap_or_default();
        name.starts_with("refs/heads/") || name.starts_with("refs/tags/")
    }
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    let bytes = text.as_bytes();
    if !bytes.len().is_multiple_of(2) || bytes.len() > 128 {
        return None;
    }
    let digit = |byte: u8| (byte as char).to_digit(16);
    bytes.chunks(2).map(|pair| Some((digit(pair[0])? * 16 + digit(pair[1])?) as u8)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hook<'a>(signature: Option<&'a str>, token: Option<&'a str>, body: &'a [u8]) -> Hook<'a> {
        Hook { signature, token, body }
    }

    /// The example of GitHub's documentation.
    #[test]
    fn a_signature_is_of_the_secret_and_the_body() {
        let signature = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
        let (secret, body) = ("It's a Secret to Everybody", b"Hello, World!");
        assert!(hook(Some(signature), None, body).is_signed_with(secret));
        assert!(hook(Some(&signature["sha256=".len()..]), None, body).is_signed_with(secret), "as Gitea sends it");
        assert!(!hook(Some(signature), None, b"Hello, World?").is_signed_with(secret));
        assert!(!hook(Some(signature), None, body).is_signed_with("another"));
        assert!(!hook(Some("sha256=zz"), None, body).is_signed_with(secret));
        assert!(!hook(None, None, body).is_signed_with(secret));
        assert!(!hook(Some(signature), None, body).is_signed_with(""));
    }

    #[test]
    fn a_secret_that_is_shown_has_to_be_the_whole_one() {
        assert!(hook(None, Some("0123456789"), b"").is_signed_with("0123456789"));
        for wrong in ["", "012345678", "01234567890"] {
            assert!(!hook(None, Some(wrong), b"").is_signed_with("0123456789"), "{wrong}");
        }
    }

    #[test]
    fn a_push_of_a_branch_or_a_tag_is_told_from_other_messages() {
        for (body, want) in [
            (r#"{"ref": "refs/heads/a/b"}"#, true),
            (r#"{"ref": "refs/tags/v1"}"#, true),
            (r#"{"ref": "refs/pull/1/head"}"#, false),
            (r#"{"zen": "Keep it logically awesome."}"#, false),
            ("nonsense", false),
        ] {
            assert_eq!(hook(None, None, body.as_bytes()).is_push(), want, "{body}");
        }
    }
}
