//! Addresses of resources: `cruxe://symbol/ID`, `cruxe://file/PATH`, `cruxe://doc/PATH`, `cruxe://card/ID`.
//!
//! `?ref=REF` after any of the first three asks for another branch, tag or commit. What is no letter, digit or one of
//! `-._~/` is percent-encoded.

use std::borrow::Cow;
use std::fmt;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use crate::toolsets::Toolset;

/// What a resource is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A task card, by its id.
    Card,
    /// A document, by its path.
    Doc,
    /// A file, by its path.
    File,
    /// A definition, by its handle or name.
    Symbol,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Kind; 4] = [Kind::Symbol, Kind::File, Kind::Doc, Kind::Card];

    /// The word in the address.
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Card => "card",
            Kind::Doc => "doc",
            Kind::File => "file",
            Kind::Symbol => "symbol",
        }
    }

    /// The toolset that it is served with.
    pub fn toolset(self) -> Toolset {
        match self {
            Kind::Symbol | Kind::File => Toolset::Code,
            Kind::Doc => Toolset::Context,
            Kind::Card => Toolset::Tasks,
        }
    }

    /// The form of its addresses (RFC 6570).
    pub fn template(self) -> &'static str {
        match self {
            Kind::Symbol => "cruxe://symbol/{symbol}{?ref}",
            Kind::File => "cruxe://file/{+path}{?ref}",
            Kind::Doc => "cruxe://doc/{+path}{?ref}",
            Kind::Card => "cruxe://card/{id}",
        }
    }
}

/// The address of a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceUri {
    /// What it is.
    pub kind: Kind,
    /// Its path, handle or id.
    pub name: String,
    /// The ref that it is read from; the session's where there is none.
    pub ref_name: Option<String>,
}

impl ResourceUri {
    /// An address in the session's ref.
    pub fn new(kind: Kind, name: impl Into<String>) -> ResourceUri {
        ResourceUri { kind, name: name.into(), ref_name: None }
    }

    /// The same in a certain ref.
    pub fn at(self, ref_name: impl Into<String>) -> ResourceUri {
        ResourceUri { ref_name: Some(ref_name.into()), ..self }
    }

    /// Reads an address; the error says what is wrong with it.
    pub fn parse(uri: &str) -> Result<ResourceUri, String> {
        let forms = || Kind::ALL.map(Kind::template).join(", ");
        let rest = uri.strip_prefix("cruxe://").ok_or_else(|| format!("`{uri}` is not of the form {}", forms()))?;
        let (word, rest) = rest.split_once('/').unwrap_or((rest, ""));
        let kind = Kind::ALL.into_iter().find(|kind| kind.as_str() == word);
        let kind = kind.ok_or_else(|| format!("`{word}` is no kind of resource; the forms are {}", forms()))?;
        let (name, query) = rest.split_once('?').unwrap_or((rest, ""));
        let name = decode(name)?;
        if name.trim().is_empty() {
            return Err(format!("`{uri}` names nothing; the form is {}", kind.template()));
        }
        let mut ref_name = None;
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            match pair.split_once('=') {
                Some(("ref", value)) => ref_name = Some(decode(value)?).filter(|name| !name.is_empty()),
                _ => return Err(format!("`{pair}`: `ref` is the only parameter of a resource")),
            }
        }
        Ok(ResourceUri { kind, name, ref_name })
    }
}

impl fmt::Display for ResourceUri {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "cruxe://{}/{}", self.kind.as_str(), encode(&self.name))?;
        match &self.ref_name {
            Some(name) => write!(out, "?ref={}", encode(name)),
            None => Ok(()),
        }
    }
}

/// What stands for itself in an address.
const PLAIN: AsciiSet = NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/');

fn encode(text: &str) -> String {
    utf8_percent_encode(text, &PLAIN).to_string()
}

fn decode(text: &str) -> Result<String, String> {
    // The library takes a sign that introduces nothing for itself.
    let introduces = |rest: &str| rest.as_bytes().get(..2).is_some_and(|code| code.iter().all(u8::is_ascii_hexdigit));
    let decoded = percent_decode_str(text).decode_utf8().ok().filter(|decoded| !decoded.contains('\0'));
    let decoded = decoded.filter(|_| text.split('%').skip(1).all(introduces));
    decoded.map(Cow::into_owned).ok_or_else(|| format!("`{text}` is not percent-encoded UTF-8"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_survives_the_way_there_and_back() {
        for (address, uri) in [
            (ResourceUri::new(Kind::File, "src/a b/ü?#%.rs"), "cruxe://file/src/a%20b/%C3%BC%3F%23%25.rs"),
            (ResourceUri::new(Kind::Doc, "docs/guide.md").at("feat/auth"), "cruxe://doc/docs/guide.md?ref=feat/auth"),
            (ResourceUri::new(Kind::Symbol, "TcpListener::bind"), "cruxe://symbol/TcpListener%3A%3Abind"),
            (ResourceUri::new(Kind::Card, "abc123"), "cruxe://card/abc123"),
        ] {
            assert_eq!(address.to_string(), uri);
            assert_eq!(ResourceUri::parse(uri), Ok(address));
        }
        assert_eq!(ResourceUri::parse("cruxe://symbol/a::b?ref="), Ok(ResourceUri::new(Kind::Symbol, "a::b")));
    }

    #[test]
    fn an_address_that_makes_no_sense_is_told_why() {
        for uri in [
            "",
            "file:///etc/passwd",
            "cruxe://",
            "cruxe://file",
            "cruxe://file/",
            "cruxe://file/%20",
            "cruxe://thing/x",
            "cruxe://file/a%2",
            "cruxe://file/a%zz",
            "cruxe://file/%ff",
            "cruxe://file/%00",
            "cruxe://file/%ü1",
            "cruxe://file/a?rev=main",
        ] {
            assert!(ResourceUri::parse(uri).is_err(), "{uri}");
        }
    }
}
