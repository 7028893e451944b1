//! Masks secrets before text leaves the workspace.
//!
//! A scene is pasted into somebody else's program, so a key that stands in a card, a document or a piece of code must
//! not be in it. Rules are regular expressions; where one has a group, the group is the secret and what is around it
//! (`password =`) stays readable.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use crate::config::Secrets;

/// What secrets look like: name and expression.
const RULES: &[(&str, &str)] = &[
    (
        "private-key",
        r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?s:.*?)(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|\z)",
    ),
    ("aws-access-key", r"\b(?:AKIA|ASIA|AGPA|AIDA|AROA|ANPA|ABIA|ACCA)[A-Z0-9]{16}\b"),
    ("aws-secret-key", r#"(?i)aws[_.-]?secret[_.-]?(?:access[_.-]?)?key["']?\s*[:=]\s*["']?([A-Za-z0-9/+]{40})"#),
    ("github-token", r"\b(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{22,255})\b"),
    ("gitlab-token", r"\bglpat-[A-Za-z0-9_-]{20,}"),
    ("slack-token", r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}"),
    ("slack-webhook", r"https://hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9/_-]+"),
    ("google-api-key", r"\bAIza[A-Za-z0-9_-]{35}"),
    ("google-oauth", r"\b(?:ya29\.[A-Za-z0-9_-]{20,}|GOCSPX-[A-Za-z0-9_-]{20,})"),
    ("stripe-key", r"\b(?:(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9]{16,})"),
    ("anthropic-key", r"\bsk-ant-[A-Za-z0-9_-]{20,}"),
    ("openai-key", r"\bsk-(?:(?:proj|svcacct|admin)-[A-Za-z0-9_-]{20,}|[A-Za-z0-9]{20,})"),
    ("npm-token", r"\bnpm_[A-Za-z0-9]{36}\b"),
    ("pypi-token", r"\bpypi-[A-Za-z0-9_-]{50,}"),
    ("jwt", r"\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"),
    ("url-password", r"\b[A-Za-z][A-Za-z0-9+.-]*://[^\s:/@'\x22]+:([^\s/@'\x22]+)@"),
    ("bearer-token", r"(?i)\bbearer\s+([A-Za-z0-9._~+/-]{20,}=*)"),
    // A quoted value that is given to something called a password, a secret, a key or a token.
    (
        "password",
        r#"(?i)(?:password|passwd|passphrase|pwd|secret|api[_-]?key|access[_-]?key|private[_-]?key|auth[_-]?token|access[_-]?token|secret[_-]?key|client[_-]?secret)["']?\s*(?::=|=>|[:=])\s*["']([^"'\s]{6,})["']"#,
    ),
    // A line of an environment file.
    (
        "environment",
        r#"(?m)^\s*(?:export\s+)?[A-Z0-9_]*(?:PASSWORD|SECRET|TOKEN|API_?KEY)[A-Z0-9_]*=([^\s"'$<]{6,})\s*$"#,
    ),
];

static BUILT_IN: LazyLock<Vec<(&str, Regex)>> = LazyLock::new(|| {
    // An expression that does not compile is caught by the tests, never met by a user.
    RULES.iter().filter_map(|(name, rule)| Some((*name, Regex::new(rule).ok()?))).collect()
});

/// Finds secrets and hides them.
pub struct Masker {
    own: Vec<(String, Regex)>,
    built_in: &'static [(&'static str, Regex)],
}

impl Default for Masker {
    fn default() -> Masker {
        Masker { own: Vec::new(), built_in: &BUILT_IN }
    }
}

/// A rule of the user's that is no regular expression.
#[derive(Debug, thiserror::Error)]
#[error("the secret pattern `{name}` is no regular expression: {reason}")]
pub struct BadPattern {
    /// The rule's name.
    pub name: String,
    /// What is wrong with it.
    pub reason: String,
}

impl Masker {
    /// Takes the rules of a configuration: the user's own, and the built-in ones unless they are turned off.
    pub fn of(secrets: &Secrets) -> Result<Masker, BadPattern> {
        let own = Masker::new(secrets.patterns.iter().map(|pattern| (pattern.name.as_str(), pattern.regex.as_str())))?;
        Ok(if secrets.defaults { own } else { Masker { built_in: &[], ..own } })
    }

    /// Takes further rules, name and expression.
    pub fn new<'a>(own: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Masker, BadPattern> {
        let compile = |(name, rule): (&str, &str)| match Regex::new(rule) {
            Ok(regex) => Ok((name.to_owned(), regex)),
            Err(problem) => {
                let reason = problem.to_string().lines().last().unwrap_or_default().to_owned();
                Err(BadPattern { name: name.to_owned(), reason })
            }
        };
        Ok(Masker { own: own.into_iter().map(compile).collect::<Result<_, _>>()?, ..Masker::default() })
    }

    /// The text with every secret replaced by `[masked NAME]`, and how many there were.
    pub fn mask<'t>(&self, text: &'t str) -> (Cow<'t, str>, usize) {
        let mut masked = Cow::Borrowed(text);
        let mut count = 0;
        let own = self.own.iter().map(|(name, regex)| (name.as_str(), regex));
        for (name, regex) in own.chain(self.built_in.iter().map(|(name, regex)| (*name, regex))) {
            if let Cow::Owned(next) = regex.replace_all(&masked, |found: &Captures| hide(found, name, &mut count)) {
                masked = Cow::Owned(next);
            }
        }
        (masked, count)
    }
}

fn hide(found: &Captures, name: &str, count: &mut usize) -> String {
    let whole = found.get_match();
    let secret = found.get(1).unwrap_or(whole);
    let text = whole.as_str();
    // What a template or a sentence has in the place of a secret is none.
    if secret.as_str().starts_with(['$', '<', '{', '%']) {
        return text.to_owned();
    }
    *count += 1;
    let (start, end) = (secret.start() - whole.start(), secret.end() - whole.start());
    format!("{}[masked {name}]{}", &text[..start], &text[end..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mask(text: &str) -> String {
        Masker::default().mask(text).0.into_owned()
    }

    #[test]
    fn every_built_in_rule_compiles() {
        assert_eq!(BUILT_IN.len(), RULES.len());
    }

    #[test]
    fn keys_and_tokens_are_masked_under_their_names() {
        // Put together here, so that no scanner takes this file for a leak.
        let join = |parts: &[&str]| parts.concat();
        let letters = "Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9St0Uv1Wx2Yz3";
        for (name, secret) in [
            ("aws-access-key", join(&["AKIA", "IOSFODNN7EXAMPLE"])),
            ("github-token", join(&["ghp_", &letters[..36]])),
            ("github-token", join(&["github_pat_", &letters[..22]])),
            ("gitlab-token", join(&["glpat-", &letters[..20]])),
            ("slack-token", join(&["xoxb-", "1234567890-abcdef"])),
            ("slack-webhook", join(&["https://hooks.slack.com/", "services/T0/B0/xyz"])),
            ("google-api-key", join(&["AIza", &letters[..35]])),
            ("stripe-key", join(&["sk_live_", &letters[..24]])),
            ("anthropic-key", join(&["sk-ant-", "api03-", &letters[..30]])),
            ("openai-key", join(&["sk-proj-", &letters[..30]])),
            ("openai-key", join(&["sk-", &letters[..32]])),
            ("npm-token", join(&["npm_", &letters[..36]])),
            ("jwt", join(&["eyJhbGciOiJI", ".eyJzdWIiOiIx", ".", &letters[..20]])),
        ] {
            assert_eq!(mask(&format!("a {secret}, b")), format!("a [masked {name}], b"), "{secret}");
        }
    }

    #[test]
    fn what_is_around_a_secret_stays() {
        assert_eq!(mask("db_password = \"hunter22\""), "db_password = \"[masked password]\"");
        assert_eq!(mask("'apiKey': 'abcdefgh'"), "'apiKey': '[masked password]'");
        assert_eq!(mask("postgres://u:pass@h/db"), "postgres://u:[masked url-password]@h/db");
        assert_eq!(mask("a\nexport DB_TOKEN=abcdef123\nb"), "a\nexport DB_TOKEN=[masked environment]\nb");
        let header = format!("Authorization: Bearer {}", "x1".repeat(15));
        assert_eq!(mask(&header), "Authorization: Bearer [masked bearer-token]");
        let key = format!("aws_secret_access_key = {}", "aB3/".repeat(10));
        assert_eq!(mask(&key), "aws_secret_access_key = [masked aws-secret-key]");
    }

    #[test]
    fn a_private_key_goes_whole_even_when_its_end_is_missing() {
        let begin = ["-----BEGIN RSA ", "PRIVATE KEY-----\nMIIE\nxyz\n"].concat();
        let end = ["-----END RSA ", "PRIVATE KEY-----"].concat();
        assert_eq!(mask(&format!("a\n{begin}{end}\nb")), "a\n[masked private-key]\nb");
        assert_eq!(mask(&format!("a\n{begin}")), "a\n[masked private-key]");
    }

    #[test]
    fn ordinary_text_is_left_alone() {
        for text in [
            "The password is checked with argon2.",
            "password = \"${DB_PASSWORD}\"",
            "password: \"<your password>\"",
            "let token = next_token(input);",
            "risk-assessment-of-everything-we-have",
            "https://example.org:8080/path@x",
            "fn secret(key: &str) -> bool",
            "TOKEN_LIMIT=100",
            "commit 3f786850e387550fdab836ed7e6dc881de23001b",
        ] {
            assert_eq!(Masker::default().mask(text), (Cow::Borrowed(text), 0), "{text}");
        }
    }

    #[test]
    fn own_rules_come_first_and_bad_ones_are_named() {
        let masker = Masker::new([("ticket", r"TKT-(\d+)")]).unwrap();
        assert_eq!(masker.mask("see TKT-12 and TKT-34").0, "see TKT-[masked ticket] and TKT-[masked ticket]");
        assert_eq!(masker.mask("TKT-12").1, 1);
        let error = Masker::new([("broken", "(")]).err().unwrap().to_string();
        assert!(error.starts_with("the secret pattern `broken` is no regular expression: "), "{error}");
    }
}
