//! Who is let in, and what every answer tells a browser.
//!
//! Any web page can make a browser send requests to this machine. Such requests give themselves away by `Host`, `Origin` and
//! `Sec-Fetch-Site`; what changes something needs the token of a page besides, which only our own page can read.

use std::sync::Arc;

use axum::body::to_bytes;
use axum::extract::{Request, State};
use axum::http::header::{
    CACHE_CONTROL, COOKIE, HOST, HeaderMap, HeaderName, HeaderValue, LOCATION, ORIGIN, SET_COOKIE,
};
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use cruxe_server::Scope;
use subtle::ConstantTimeEq;

use crate::layout;
use crate::params::Params;
use crate::site::Site;
use crate::visit::Visit;

/// Carries the token of a page.
pub(crate) const PAGE_TOKEN: &str = "x-cruxe-page";
const SESSION: &str = "cruxe_page";
/// What a form for a token may have.
const LONGEST_FORM: usize = 8 << 10;

/// Scripts and styles come from here alone, nothing may frame a page, and one named policy alone makes markup of text.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
                      form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; \
                      trusted-types cruxe";

/// Lets a request in or refuses it.
pub(crate) async fn admit(State(site): State<Arc<Site>>, mut request: Request, next: Next) -> Response {
    let response = match check(&site, &request) {
        Ok(scope) => {
            if let Some(scope) = scope {
                request.extensions_mut().insert(Visit::new(&site, scope));
            }
            next.run(request).await
        }
        Err(refused) => *refused,
    };
    protect(response)
}

/// What whoever asks may see; `None` for what is open to everybody.
fn check(site: &Site, request: &Request) -> Result<Option<Scope>, Box<Response>> {
    let (method, headers, path) = (request.method(), request.headers(), request.uri().path());
    let access = &site.options.access;
    let denied = |status: StatusCode, problem: &str| Box::new((status, format!("{problem}\n")).into_response());
    access.check_source(request.uri(), headers).map_err(|found| denied(found.status, found.problem))?;
    if !is_own_page(method, headers) {
        return Err(denied(StatusCode::FORBIDDEN, "Another site's page may not ask here."));
    }
    let open = path.starts_with("/assets/") || path == "/login";
    let scope = access.check_token(headers).ok().or_else(|| scope_of_browser(site, headers));
    if !open && scope.is_none() {
        return Err(Box::new((StatusCode::UNAUTHORIZED, layout::login(path, false)).into_response()));
    }
    let reads = *method == Method::GET || *method == Method::HEAD;
    if !reads && path != "/login" && !shows(headers.get(PAGE_TOKEN), &site.page_token) {
        return Err(denied(StatusCode::FORBIDDEN, "The page is of another run of the server: reload it."));
    }
    Ok(scope)
}

/// Whether a request is of our own page, of a program, or of somebody who follows a link.
fn is_own_page(method: &Method, headers: &HeaderMap) -> bool {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let reads = *method == Method::GET || *method == Method::HEAD;
    let site = match text("sec-fetch-site") {
        None | Some("same-origin" | "none") => true,
        Some(_) => reads && text("sec-fetch-mode") == Some("navigate"),
    };
    let same = match headers.get(ORIGIN) {
        None => true,
        Some(origin) => {
            let host = headers.get(HOST).map_or(&b""[..], HeaderValue::as_bytes);
            let origin = origin.as_bytes();
            let rest = origin.strip_prefix(b"http://").or_else(|| origin.strip_prefix(b"https://"));
            rest.is_some_and(|rest| !host.is_empty() && rest.eq_ignore_ascii_case(host))
        }
    };
    site && same
}

fn shows(shown: Option<&HeaderValue>, secret: &str) -> bool {
    shown.is_some_and(|shown| shown.as_bytes().ct_eq(secret.as_bytes()).into())
}

/// What the user of a browser may see who has shown a token before.
fn scope_of_browser(site: &Site, headers: &HeaderMap) -> Option<Scope> {
    let cookies = headers.get_all(COOKIE).iter().filter_map(|line| line.to_str().ok());
    let mut values = cookies.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    let (_, shown) = values.find(|(name, _)| *name == SESSION)?;
    if shown.as_bytes().ct_eq(site.login.as_bytes()).into() {
        return Some(Scope::all());
    }
    // Of one caller among many: looked up for every request, so that it ends when the token does.
    site.options.access.scope_of(shown).filter(|scope| !scope.is_all())
}

/// Takes the server's token from a form and remembers the browser.
pub(crate) async fn log_in(State(site): State<Arc<Site>>, request: Request) -> Response {
    let Ok(bytes) = to_bytes(request.into_body(), LONGEST_FORM).await else {
        return StatusCode::PAYLOAD_TOO_LARGE.into_response();
    };
    let form = Params::parse(&String::from_utf8_lossy(&bytes));
    // Only a place on this server.
    let next = form.get("next").filter(|next| next.starts_with('/') && !next.starts_with("//") && !next.contains('\\'));
    let next = next.unwrap_or("/");
    let token = form.get("token").unwrap_or_default().trim();
    let Some(scope) = site.options.access.scope_of(token) else {
        return (StatusCode::UNAUTHORIZED, layout::login(next, true)).into_response();
    };
    // A team has several nodes, and any of them may get the next request: they share the tokens and nothing else.
    let shown = if scope.is_all() { site.login.as_str() } else { token };
    let secure = if site.options.tls { "; Secure" } else { "" };
    let cookie = format!("{SESSION}={shown}; Path=/; HttpOnly; SameSite=Strict{secure}");
    (StatusCode::SEE_OTHER, [(SET_COOKIE, cookie), (LOCATION, next.to_owned())]).into_response()
}

fn protect(mut response: Response) -> Response {
    let headers = response.headers_mut();
    for (name, value) in [
        ("content-security-policy", POLICY),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
        ("x-frame-options", "DENY"),
    ] {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("private, no-cache"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own(method: Method, list: &[(&'static str, &'static str)]) -> bool {
        let headers = list.iter().map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)));
        is_own_page(&method, &headers.collect())
    }

    #[test]
    fn a_request_of_another_site_is_told_from_our_own_and_from_a_link_that_is_followed() {
        let host = ("host", "127.0.0.1:9200");
        assert!(own(Method::GET, &[host]));
        assert!(own(Method::POST, &[host, ("origin", "http://127.0.0.1:9200"), ("sec-fetch-site", "same-origin")]));
        assert!(own(Method::GET, &[host, ("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "navigate")]));
        assert!(!own(Method::GET, &[host, ("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "no-cors")]));
        assert!(!own(Method::POST, &[host, ("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "navigate")]));
        // Another port of this machine is another site, whatever the MCP server thinks of it.
        for origin in ["http://127.0.0.1:3000", "http://localhost:9200", "null", "http://127.0.0.1:9200.evil.org"] {
            let value = ("origin", origin);
            assert!(!own(Method::GET, &[host, value]), "{origin}");
        }
    }
}
