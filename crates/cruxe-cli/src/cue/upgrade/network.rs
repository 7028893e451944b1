//! Downloads of an upgrade: bounded in time and size, encrypted unless they stay on this machine.

use std::io::{ErrorKind, Read, Write};
use std::time::Duration;

use serde_json::json;
use ureq::tls::{RootCerts, TlsConfig};

use super::super::error::{CueError, Kind};

fn error(url: &str, what: impl std::fmt::Display) -> CueError {
    CueError::new(Kind::Io, format!("{url}: {what}"))
        .number(1005)
        .data(json!({ "kind": "NetworkError", "url": url }))
        .help("Check the address and the connection, then run `cue upgrade` again. Nothing was changed.")
}

/// Copies what an address serves, at most `limit` bytes of it; the number of bytes.
pub(super) fn fetch(url: &str, to: &mut dyn Write, limit: u64, timeout: Duration) -> Result<u64, CueError> {
    let encrypted = check_scheme(url)?;
    let agent: ureq::Agent = ureq::Agent::config_builder()
        .https_only(encrypted)
        .tls_config(TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build())
        .timeout_global(Some(timeout))
        .max_redirects(5)
        // A body that is compressed on the way could be any size in the end.
        .accept_encoding("identity")
        .build()
        .into();
    let mut response = agent.get(url).call().map_err(|problem| match problem {
        ureq::Error::StatusCode(status) => error(url, format!("the server answers {status}")),
        ureq::Error::Timeout(_) => error(url, format!("no answer within {} s", timeout.as_secs())),
        ureq::Error::TooManyRedirects => error(url, "redirected again and again"),
        problem => error(url, problem),
    })?;
    let announced = response.body().content_length();
    if announced.is_some_and(|length| length > limit) {
        return Err(too_long(url, limit));
    }
    let copied = copy(url, &mut response.body_mut().as_reader(), to, limit, timeout)?;
    match announced {
        Some(length) if length != copied => Err(error(url, format!("ended after {copied} of {length} bytes"))),
        _ => Ok(copied),
    }
}

fn copy(url: &str, from: &mut dyn Read, to: &mut dyn Write, limit: u64, timeout: Duration) -> Result<u64, CueError> {
    let mut buffer = vec![0; 1 << 16];
    let mut copied = 0;
    loop {
        let read = match from.read(&mut buffer) {
            Ok(0) => return Ok(copied),
            Ok(read) => read,
            Err(problem) if problem.kind() == ErrorKind::Interrupted => continue,
            Err(problem) if problem.kind() == ErrorKind::TimedOut => {
                return Err(error(url, format!("not complete within {} s", timeout.as_secs())));
            }
            Err(problem) => return Err(error(url, problem)),
        };
        copied += read as u64;
        if copied > limit {
            return Err(too_long(url, limit));
        }
        to.write_all(&buffer[..read])
            .map_err(|problem| super::failed(format!("the download cannot be stored: {problem}")))?;
    }
}

fn too_long(url: &str, limit: u64) -> CueError {
    super::failed(format!("{url}: more than the {limit} bytes that were expected; the download was stopped"))
}

/// Whether an address is encrypted; plain http is for servers on this machine only.
fn check_scheme(url: &str) -> Result<bool, CueError> {
    let refused = |message: &str| {
        CueError::new(Kind::Config, format!("{url}: {message}"))
            .number(1004)
            .help("Give an https address; http is for servers on this machine only.")
    };
    match url.split_once("://") {
        Some(("https", _)) => Ok(true),
        Some(("http", rest)) => {
            let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
            let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
            let name = match host.strip_prefix('[') {
                Some(six) => six.split(']').next().unwrap_or_default(),
                None => host.split(':').next().unwrap_or_default(),
            };
            let local = name == "localhost" || name.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback());
            if local { Ok(false) } else { Err(refused("releases are fetched over https")) }
        }
        _ => Err(refused("not an address of a web server")),
    }
}

/// The address that a manifest means: whole, or relative to where the manifest is.
pub(super) fn resolve(manifest: &str, target: &str) -> String {
    if target.contains("://") {
        return target.to_owned();
    }
    let base = manifest.split(['?', '#']).next().unwrap_or(manifest);
    let host_start = base.find("://").map_or(0, |at| at + 3);
    let host_end = base[host_start..].find('/').map_or(base.len(), |at| host_start + at);
    match target.strip_prefix('/') {
        Some(path) => format!("{}/{path}", &base[..host_end]),
        None => {
            let folder = base[host_end..].rfind('/').map_or(host_end, |at| host_end + at);
            format!("{}/{target}", &base[..folder])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_relative_to_the_manifest() {
        let manifest = "https://a.b/rel/manifest.json?x=/y";
        assert_eq!(resolve(manifest, "c.tar.zst"), "https://a.b/rel/c.tar.zst");
        assert_eq!(resolve(manifest, "/c"), "https://a.b/c");
        assert_eq!(resolve(manifest, "https://d/e"), "https://d/e");
        assert_eq!(resolve("https://a.b", "c"), "https://a.b/c");
    }

    #[test]
    fn plain_http_stays_on_this_machine() {
        for local in ["http://127.0.0.1:8/x", "http://localhost/x", "http://[::1]:8/x", "http://u:p@127.0.0.1/"] {
            assert!(!check_scheme(local).unwrap(), "{local}");
        }
        assert!(check_scheme("https://a.b/c").unwrap());
        for bad in
            ["http://a.b/", "http://127.0.0.1.evil.org/", "http://localhost@evil.org/", "ftp://a", "file:///a", "x"]
        {
            assert_eq!(check_scheme(bad).unwrap_err().kind, Kind::Config, "{bad}");
        }
    }

    #[test]
    fn a_download_that_is_too_long_is_stopped() {
        let mut to = Vec::new();
        let second = Duration::from_secs(1);
        assert_eq!(copy("u", &mut std::io::repeat(7).take(10), &mut to, 10, second).unwrap(), 10);
        assert_eq!(to, [7; 10]);
        assert_eq!(copy("u", &mut std::io::repeat(7), &mut to, 10, second).unwrap_err().number, Some(1004));
    }
}
