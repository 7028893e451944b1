//! Addresses of resources: `cruxe://symbol/ID`, `cruxe://file/PATH`, `cruxe://doc/PATH`, `cruxe://card/ID`.
//!
//! A server of many repositories has these below a repository's own, as its pages have: `cruxe://repo/org/app` and
//! `cruxe://repo/org/app/-/file/PATH`. No word of a repository's name begins with `-`, so the name ends where `/-/` stands.
//!
//! `?ref=REF` after any but a card asks for another branch, tag or commit. What is no letter, digit or one of `-._~/` is
//! percent-encoded.

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
    /// A repository of a server that has many, by its name.
    Repo,
    /// A definition, by its handle or name.
    Symbol,
}

/// What the addresses of a server begin with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Addresses {
    /// The kind: everything is of the one workspace that the server has.
    OfOne,
    /// The repository.
    OfMany,
}

impl Addresses {
    /// The kinds that there are.
    pub fn kinds(self) -> &'static [Kind] {
        match self {
            Addresses::OfOne => &[Kind::Symbol, Kind::File, Kind::Doc, Kind::Card],
            // A card lies in a work tree, and a server of many repositories has none.
            Addresses::OfMany => &[Kind::Repo, Kind::Symbol, Kind::File, Kind::Doc],
        }
    }

    /// The form of the addresses of a kind (RFC 6570).
    pub fn template(self, kind: Kind) -> String {
        let rest = match kind {
            Kind::Repo => return format!("{REPO}{{+{WORKSPACE}}}{{?ref}}"),
            Kind::Symbol => "symbol/{symbol}{?ref}",
            Kind::File => "file/{+path}{?ref}",
            Kind::Doc => "doc/{+path}{?ref}",
            Kind::Card => "card/{id}",
        };
        match self {
            Addresses::OfOne => format!("{SCHEME}{rest}"),
            Addresses::OfMany => format!("{REPO}{{+{WORKSPACE}}}{INSIDE}{rest}"),
        }
    }
}

/// The name of a repository in templates and among the arguments of prompts, as the tools call it.
pub(crate) const WORKSPACE: &str = "workspace";

const SCHEME: &str = "cruxe://";
const REPO: &str = "cruxe://repo/";
/// Stands between a repository and what is in it.
const INSIDE: &str = "/-/";

impl Kind {
    /// The word in the address.
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Card => "card",
            Kind::Doc => "doc",
            Kind::File => "file",
            Kind::Repo => "repo",
            Kind::Symbol => "symbol",
        }
    }

    /// The toolset that it is served with.
    pub fn toolset(self) -> Toolset {
        match self {
            Kind::Symbol | Kind::File | Kind::Repo => Toolset::Code,
            Kind::Doc => Toolset::Context,
            Kind::Card => Toolset::Tasks,
        }
    }
}

/// The address of a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceUri {
    /// The repository that it is in; `None` where the server has one workspace.
    pub repo: Option<String>,
    /// What it is.
    pub kind: Kind,
    /// Its path, handle or id; of a repository nothing more.
    pub name: String,
    /// The ref that it is read from; the session's where there is none.
    pub ref_name: Option<String>,
}

impl ResourceUri {
    /// An address in the session's ref.
    pub fn new(kind: Kind, name: impl Into<String>) -> ResourceUri {
        ResourceUri { repo: None, kind, name: name.into(), ref_name: None }
    }

    /// The address of a repository.
    pub fn of_repo(name: impl Into<String>) -> ResourceUri {
        ResourceUri::new(Kind::Repo, "").within(name)
    }

    /// The same in a repository of many.
    pub fn within(self, repo: impl Into<String>) -> ResourceUri {
        ResourceUri { repo: Some(repo.into()), ..self }
    }

    /// The same in a certain ref.
    pub fn at(self, ref_name: impl Into<String>) -> ResourceUri {
        ResourceUri { ref_name: Some(ref_name.into()), ..self }
    }

    /// Reads an address of a server; the error says what is wrong with it.
    pub fn parse(uri: &str, of: Addresses) -> Result<ResourceUri, String> {
        let forms = || of.kinds().iter().map(|kind| of.template(*kind)).collect::<Vec<_>>().join(", ");
        let rest = uri.strip_prefix(SCHEME).ok_or_else(|| format!("`{uri}` is not of the form {}", forms()))?;
        let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
        let known = |word: &str| {
            let kind = of.kinds().iter().find(|kind| kind.as_str() == word);
            kind.copied().ok_or_else(|| format!("`{word}` is no kind of resource; the forms are {}", forms()))
        };
        let (word, rest) = place.split_once('/').unwrap_or((place, ""));
        let (repo, kind, name) = match (of, known(word)?) {
            (Addresses::OfOne, kind) => (None, kind, rest),
            (Addresses::OfMany, Kind::Repo) => match rest.split_once(INSIDE) {
                None => (Some(rest), Kind::Repo, ""),
                Some((repo, inside)) => {
                    let (word, name) = inside.split_once('/').unwrap_or((inside, ""));
                    let kind = known(word)?;
                    if kind == Kind::Repo {
                        return Err(format!("`{uri}`: a repository is in no other; the forms are {}", forms()));
                    }
                    (Some(repo), kind, name)
                }
            },
            (Addresses::OfMany, _) => {
                return Err(format!("`{uri}` names no repository; the forms are {}", forms()));
            }
        };
        let (repo, name) = (repo.map(decode).transpose()?, decode(name)?);
        let named = if kind == Kind::Repo { repo.as_deref().unwrap_or_default() } else { &name };
        if named.trim().is_empty() || repo.as_ref().is_some_and(|repo| repo.trim().is_empty()) {
            return Err(format!("`{uri}` names nothing; the form is {}", of.template(kind)));
        }
        let mut ref_name = None;
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            match pair.split_once('=') {
                Some(("ref", value)) => ref_name = Some(decode(value)?).filter(|name| !name.is_empty()),
                _ => return Err(format!("`{pair}`: `ref` is the only parameter of a resource")),
            }
        }
        Ok(ResourceUri { repo, kind, name, ref_name })
    }
}

impl fmt::Display for ResourceUri {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.repo {
            None => out.write_str(SCHEME)?,
            Some(repo) => write!(out, "{REPO}{}", encode(repo))?,
        }
        if self.kind != Kind::Repo {
            let inside = if self.repo.is_some() { INSIDE } else { "" };
            write!(out, "{inside}{}/{}", self.kind.as_str(), encode(&self.name))?;
        }
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
    use super::Addresses::{OfMany, OfOne};
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
            assert_eq!(ResourceUri::parse(uri, OfOne), Ok(address));
            assert!(ResourceUri::parse(uri, OfMany).is_err(), "{uri} names no repository");
        }
        assert_eq!(ResourceUri::parse("cruxe://symbol/a::b?ref=", OfOne), Ok(ResourceUri::new(Kind::Symbol, "a::b")));
    }

    #[test]
    fn an_address_of_many_names_the_repository_however_many_slashes_it_has() {
        let file = |path: &str| ResourceUri::new(Kind::File, path);
        for (address, uri) in [
            (ResourceUri::of_repo("app"), "cruxe://repo/app"),
            (ResourceUri::of_repo("org/sub/app").at("v1"), "cruxe://repo/org/sub/app?ref=v1"),
            (file("src/a.rs").within("org/app"), "cruxe://repo/org/app/-/file/src/a.rs"),
            (file("a/-/file/b").within("file/doc").at("x/y"), "cruxe://repo/file/doc/-/file/a/-/file/b?ref=x/y"),
            (ResourceUri::new(Kind::Symbol, "a::b").within("o/-a"), "cruxe://repo/o/-a/-/symbol/a%3A%3Ab"),
        ] {
            assert_eq!(address.to_string(), uri);
            assert_eq!(ResourceUri::parse(uri, OfMany), Ok(address));
            assert!(ResourceUri::parse(uri, OfOne).is_err(), "{uri} is of a server of many");
        }
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
            assert!(ResourceUri::parse(uri, OfOne).is_err(), "{uri}");
        }
        for uri in [
            "cruxe://repo",
            "cruxe://repo/",
            "cruxe://repo/%20",
            "cruxe://repo//-/file/a",
            "cruxe://repo/a/-/file/",
            "cruxe://repo/a/-/",
            "cruxe://repo/a/-/card/abc123",
            "cruxe://repo/a/-/repo/b",
            "cruxe://repo/%ff/-/file/a",
            "cruxe://repo/a?rev=main",
        ] {
            let problem = ResourceUri::parse(uri, OfMany).unwrap_err();
            assert!(
                problem.contains("cruxe://repo/") || problem.contains("`ref`") || problem.contains("UTF-8"),
                "{uri}"
            );
        }
    }

    #[test]
    fn every_kind_has_a_form_that_begins_as_its_addresses_do() {
        let forms = |of: Addresses| of.kinds().iter().map(|kind| of.template(*kind)).collect::<Vec<_>>();
        let of_one = [
            "cruxe://symbol/{symbol}{?ref}",
            "cruxe://file/{+path}{?ref}",
            "cruxe://doc/{+path}{?ref}",
            "cruxe://card/{id}",
        ];
        assert_eq!(forms(OfOne), of_one);
        let of_many = [
            "cruxe://repo/{+workspace}{?ref}",
            "cruxe://repo/{+workspace}/-/symbol/{symbol}{?ref}",
            "cruxe://repo/{+workspace}/-/file/{+path}{?ref}",
            "cruxe://repo/{+workspace}/-/doc/{+path}{?ref}",
        ];
        assert_eq!(forms(OfMany), of_many);
    }
}
