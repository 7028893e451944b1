//! The parameters of an address.

use std::convert::Infallible;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use percent_encoding::percent_decode_str;

/// Names with values, in the order in which they stand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Params(Vec<(String, String)>);

impl Params {
    /// Reads `a=b&c=d`, of an address or a form.
    pub fn parse(text: &str) -> Params {
        let decoded = |part: &str| percent_decode_str(&part.replace('+', " ")).decode_utf8_lossy().into_owned();
        let pairs = text.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decoded(name), decoded(value))
        });
        Params(pairs.collect())
    }

    /// The first value of a name that says something.
    pub fn get(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|(own, value)| own == name && !value.trim().is_empty());
        found.map(|(_, value)| value.as_str())
    }

    /// Every value of a name, also where they stand behind each other with commas between them.
    pub fn all(&self, name: &str) -> Vec<&str> {
        let values = self.0.iter().filter(|(own, _)| own == name);
        values.flat_map(|(_, value)| value.split(',')).map(str::trim).filter(|value| !value.is_empty()).collect()
    }

    /// A number.
    pub fn number(&self, name: &str) -> Option<u32> {
        self.get(name)?.trim().parse().ok()
    }

    /// The ref that is asked about; `None` for what is checked out.
    pub fn ref_name(&self) -> Option<String> {
        self.get("ref").map(str::to_owned)
    }

    /// The part of the page that a script asks for.
    pub fn part(&self) -> Option<&str> {
        self.get("part")
    }
}

impl<S: Sync> FromRequestParts<S> for Params {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Params, Infallible> {
        Ok(Params::parse(parts.uri.query().unwrap_or_default()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_decoded_and_empty_ones_say_nothing() {
        let params = Params::parse("q=a%2Bb+c&ref=&kind=fn&open=x,y&open=z&n=7&bad=%ff");
        assert_eq!(params.get("q"), Some("a+b c"));
        assert_eq!((params.ref_name(), params.get("none")), (None, None));
        assert_eq!(params.all("open"), ["x", "y", "z"]);
        assert_eq!((params.number("n"), params.number("q")), (Some(7), None));
        assert_eq!(params.get("bad"), Some("\u{fffd}"));
    }
}
