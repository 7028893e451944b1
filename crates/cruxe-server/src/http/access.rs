//! Who is let in: the `Host` asked for, the `Origin` of a web page, the token.
//!
//! A web page can make a browser send requests to a server on the same machine, and with DNS rebinding it can even read
//! the answers. Such requests give themselves away by a foreign `Host` or `Origin`.

use std::net::IpAddr;

use axum::http::header::{AUTHORIZATION, HOST, HeaderMap, HeaderName, HeaderValue, ORIGIN};
use axum::http::uri::{Authority, Uri};
use axum::http::{Method, StatusCode};

use super::token::{Token, bearer};
use crate::scope::Scope;

/// Finds what whoever shows a token may see; `None` for a token that nobody has.
pub type FindScope = Box<dyn Fn(&str) -> Option<Scope> + Send + Sync>;

/// The rules by which a request is let in, checked before anything else looks at it.
pub struct AccessPolicy {
    token: Option<Token>,
    /// Tokens of many callers, each with what it may see.
    scopes: Option<FindScope>,
    /// Hosts that may be asked for; `None`: any, which is only so where a token is required.
    hosts: Option<Vec<String>>,
    /// Web pages that may ask, beside those of this machine's own servers.
    origins: Vec<Origin>,
    /// Whether web pages of this machine's own servers may ask.
    local_pages: bool,
}

/// Scheme, host and port of a web page.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Origin {
    scheme: String,
    host: String,
    port: Option<u16>,
}

/// What `--allowed-origin` cannot be.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no origin: give scheme and host, for example https://app.example.org")]
pub struct BadOrigin(String);

/// Why a request is not let in.
#[derive(Debug, PartialEq, Eq)]
pub struct Denied {
    /// The status of the answer.
    pub status: StatusCode,
    /// What is wrong, for the reader.
    pub problem: &'static str,
}

const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "::1"];

impl AccessPolicy {
    /// The rules of a server that listens on `bind`.
    ///
    /// Loopback names and the address itself may be asked for, and `hosts`. A server on all addresses of a machine does
    /// not know its names; without `hosts` it takes any, because it demands a token.
    pub fn new(
        bind: IpAddr,
        token: Option<Token>,
        hosts: &[String],
        origins: &[String],
    ) -> Result<AccessPolicy, BadOrigin> {
        let names = LOOPBACK.iter().map(|name| (*name).to_owned()).chain([bind.to_string()]);
        let known: Vec<String> = names.chain(hosts.iter().map(|host| host.to_ascii_lowercase())).collect();
        let any = bind.is_unspecified() && hosts.is_empty();
        let parse = |text: &String| Origin::parse(text).ok_or_else(|| BadOrigin(text.clone()));
        let origins = origins.iter().map(parse).collect::<Result<_, _>>()?;
        let (hosts, local_pages) = ((!any).then_some(known), bind.is_loopback());
        Ok(AccessPolicy { token, scopes: None, hosts, origins, local_pages })
    }

    /// The same for a server with many callers: each request needs a token, and sees what `find` says. It is asked for every
    /// request, so that what it no longer knows ends with the next one.
    pub fn with_scopes(self, find: FindScope) -> AccessPolicy {
        AccessPolicy { scopes: Some(find), ..self }
    }

    /// Whether a token is required.
    pub fn needs_token(&self) -> bool {
        self.token.is_some() || self.scopes.is_some()
    }

    /// Checks host and origin.
    pub fn check_source(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Denied> {
        let host = asked_host(uri, headers)?;
        if self.hosts.as_ref().is_some_and(|hosts| !hosts.contains(&host)) {
            return Err(Denied {
                status: StatusCode::FORBIDDEN,
                problem: "This host is not served here; see --allowed-host.",
            });
        }
        if headers.contains_key(ORIGIN) && self.page(headers).is_none() {
            return Err(Denied {
                status: StatusCode::FORBIDDEN,
                problem: "This origin is not allowed; see --allowed-origin.",
            });
        }
        Ok(())
    }

    /// Checks the token, and says what who shows it may see.
    pub fn check_token(&self, headers: &HeaderMap) -> Result<Scope, Denied> {
        if !self.needs_token() {
            return Ok(Scope::all());
        }
        let denied = Denied {
            status: StatusCode::UNAUTHORIZED,
            problem: "A token is required: send `Authorization: Bearer TOKEN`.",
        };
        let mut shown = headers.get_all(AUTHORIZATION).iter();
        let (Some(header), None) = (shown.next(), shown.next()) else { return Err(denied) };
        if self.token.as_ref().is_some_and(|token| token.is_shown_by(header.as_bytes())) {
            return Ok(Scope::all());
        }
        let find = |find: &FindScope| find(bearer(header.as_bytes())?);
        self.scopes.as_ref().and_then(find).ok_or(denied)
    }

    /// What a person may see who types a token in; `None` where it is none.
    pub fn scope_of(&self, text: &str) -> Option<Scope> {
        if self.token.as_ref().is_some_and(|token| token.is(text.trim().as_bytes())) {
            return Some(Scope::all());
        }
        self.scopes.as_ref().and_then(|find| find(text.trim()))
    }

    /// The origin of the web page that asks, where it may.
    fn page<'a>(&self, headers: &'a HeaderMap) -> Option<&'a HeaderValue> {
        let mut given = headers.get_all(ORIGIN).iter();
        let (header, None) = (given.next()?, given.next()) else { return None };
        let origin = Origin::parse(header.to_str().ok()?)?;
        let local = self.local_pages && LOOPBACK.contains(&origin.host.as_str());
        (local || self.origins.contains(&origin)).then_some(header)
    }

    /// What a browser must be told so that a web page that may ask sees the answer.
    pub(super) fn cors_headers(&self, headers: &HeaderMap) -> Vec<(HeaderName, HeaderValue)> {
        let Some(origin) = self.page(headers) else { return Vec::new() };
        let fixed = [
            ("access-control-allow-methods", "GET, POST, DELETE"),
            (
                "access-control-allow-headers",
                "accept, authorization, content-type, last-event-id, mcp-method, mcp-name, mcp-protocol-version, mcp-session-id",
            ),
            ("access-control-expose-headers", "mcp-session-id"),
            ("vary", "origin"),
        ];
        let fixed = fixed.map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)));
        let mut told = vec![(HeaderName::from_static("access-control-allow-origin"), origin.clone())];
        told.extend(fixed);
        told
    }

    /// Whether a browser asks if a page may ask.
    pub(super) fn is_preflight(method: &Method, headers: &HeaderMap) -> bool {
        method == Method::OPTIONS && headers.contains_key("access-control-request-method")
    }
}

impl Origin {
    fn parse(text: &str) -> Option<Origin> {
        let uri: Uri = text.trim().parse().ok()?;
        let scheme = uri.scheme_str()?.to_ascii_lowercase();
        let default = match scheme.as_str() {
            "http" => Some(80),
            "https" => Some(443),
            _ => None,
        };
        let authority = uri.authority()?;
        Some(Origin { scheme, host: plain_host(authority), port: authority.port_u16().or(default) })
    }
}

/// The host that is asked for. HTTP/2 has it in the URI; in HTTP/1 there must be exactly one header.
fn asked_host(uri: &Uri, headers: &HeaderMap) -> Result<String, Denied> {
    let denied = Denied { status: StatusCode::BAD_REQUEST, problem: "A request names one host." };
    let mut named = headers.get_all(HOST).iter();
    let authority = match (named.next(), named.next(), uri.authority()) {
        (Some(host), None, _) => Authority::try_from(host.as_bytes()).ok(),
        (None, None, Some(authority)) => Some(authority.clone()),
        _ => None,
    };
    authority.map(|authority| plain_host(&authority)).ok_or(denied)
}

/// A host in small letters, an IPv6 address without its brackets.
fn plain_host(authority: &Authority) -> String {
    let host = authority.host();
    let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    host.to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCAL: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);
    const ALL: IpAddr = IpAddr::V4(std::net::Ipv4Addr::UNSPECIFIED);

    fn policy(bind: IpAddr, hosts: &[&str], origins: &[&str]) -> AccessPolicy {
        let texts = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let token = Token::new("0123456789abcdef").unwrap();
        AccessPolicy::new(bind, Some(token), &texts(hosts), &texts(origins)).unwrap()
    }

    fn headers(list: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in list {
            headers.append(*name, value.parse().unwrap());
        }
        headers
    }

    fn status(policy: &AccessPolicy, list: &[(&'static str, &str)]) -> u16 {
        let outcome = policy.check_source(&Uri::from_static("/mcp"), &headers(list));
        outcome.map_or_else(|denied| denied.status.as_u16(), |()| 200)
    }

    #[test]
    fn a_loopback_server_serves_its_own_names_only() {
        let policy = policy(LOCAL, &["Dev.Example.org"], &[]);
        for host in ["localhost", "LOCALHOST:9100", "127.0.0.1:1", "[::1]:9100", "dev.example.org:443"] {
            assert_eq!(status(&policy, &[("host", host)]), 200, "{host}");
        }
        for host in [
            "evil.example.org",
            "localhost.evil.org",
            "127.0.0.1.nip.io",
            "localhost@evil.org",
            "0.0.0.0",
            "localhost.",
        ] {
            assert_eq!(status(&policy, &[("host", host)]), 403, "{host}");
        }
        assert_eq!(status(&policy, &[]), 400);
        assert_eq!(status(&policy, &[("host", "localhost"), ("host", "localhost")]), 400);
        assert_eq!(status(&policy, &[("host", "local host")]), 400);
    }

    #[test]
    fn a_server_on_all_addresses_takes_any_host_unless_told_its_names() {
        assert_eq!(status(&policy(ALL, &[], &[]), &[("host", "what.ever")]), 200);
        assert_eq!(status(&policy(ALL, &["cruxe.lan"], &[]), &[("host", "cruxe.lan")]), 200);
        assert_eq!(status(&policy(ALL, &["cruxe.lan"], &[]), &[("host", "what.ever")]), 403);
    }

    #[test]
    fn pages_of_this_machine_and_allowed_ones_may_ask_and_no_others() {
        let local = policy(LOCAL, &[], &["https://app.example.org"]);
        for origin in ["http://localhost:6274", "http://127.0.0.1", "https://[::1]:8", "https://app.example.org:443"] {
            assert_eq!(status(&local, &[("host", "localhost"), ("origin", origin)]), 200, "{origin}");
        }
        for origin in
            ["https://evil.org", "http://app.example.org", "https://app.example.org:444", "null", "", "localhost"]
        {
            assert_eq!(status(&local, &[("host", "localhost"), ("origin", origin)]), 403, "{origin}");
        }
        let open = policy(ALL, &[], &[]);
        assert_eq!(status(&open, &[("host", "x"), ("origin", "http://localhost")]), 403);
        let refused = AccessPolicy::new(LOCAL, None, &[], &["app".to_owned()]).err();
        assert_eq!(refused, Some(BadOrigin("app".to_owned())));
    }

    #[test]
    fn a_request_shows_one_token() {
        let policy = policy(LOCAL, &[], &[]);
        let good = ("authorization", "Bearer 0123456789abcdef");
        assert_eq!(policy.check_token(&headers(&[good])), Ok(Scope::all()));
        for list in [&[][..], &[good, good], &[("authorization", "Bearer nonsense")]] {
            assert_eq!(policy.check_token(&headers(list)).unwrap_err().status, StatusCode::UNAUTHORIZED);
        }
    }

    #[test]
    fn of_many_callers_each_sees_what_its_token_may() {
        let find = |token: &str| (token == "fedcba9876543210").then(|| Scope::of("t1"));
        let policy = AccessPolicy::new(LOCAL, None, &[], &[]).unwrap().with_scopes(Box::new(find));
        assert!(policy.needs_token());
        let shown = |token: &str| policy.check_token(&headers(&[("authorization", &format!("Bearer {token}"))]));
        assert_eq!(shown("fedcba9876543210"), Ok(Scope::of("t1")));
        for token in ["0123456789abcdef", "", "fedcba987654321"] {
            assert_eq!(shown(token).unwrap_err().status, StatusCode::UNAUTHORIZED);
        }
    }

    #[test]
    fn only_a_page_that_may_ask_is_told_that_it_may_read() {
        let policy = policy(LOCAL, &[], &["https://app.example.org"]);
        let told = policy.cors_headers(&headers(&[("origin", "https://app.example.org")]));
        assert_eq!(told[0].1, "https://app.example.org");
        assert!(policy.cors_headers(&headers(&[("origin", "https://evil.org")])).is_empty());
        assert!(policy.cors_headers(&headers(&[])).is_empty());
    }
}
