//! What the stores that are asked over HTTP share: one client, requests without surprises, answers that are bounded.

use std::io::Read;
use std::time::Duration;

use ring::hmac;
use ureq::http;
use ureq::tls::{RootCerts, TlsConfig};

use crate::error::TeamError;
use crate::pack::BLOB_BYTES;

/// How long a request may take, the blob included. A store that is slower than this is as good as away: another try is made, then
/// whoever waits is told.
const TIMEOUT: Duration = Duration::from_secs(60);
const CONNECT_TIME: Duration = Duration::from_secs(10);

/// A client for one store.
pub(super) struct Web {
    agent: ureq::Agent,
    /// Scheme, host and port, and where the store lies below them.
    pub endpoint: String,
    /// Host and port.
    pub host: String,
}

impl Web {
    /// A client for the store at an address; `name` is the variable that it comes from.
    pub fn at(endpoint: &str, name: &str) -> Result<Web, TeamError> {
        let endpoint = endpoint.trim_end_matches('/').to_owned();
        let Some((scheme @ ("http" | "https"), rest)) = endpoint.split_once("://") else {
            return Err(TeamError::Usage(format!("{name} `{endpoint}`: give https://host")));
        };
        let agent = ureq::Agent::config_builder()
            .https_only(scheme == "https")
            .tls_config(TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build())
            .timeout_global(Some(TIMEOUT))
            .timeout_connect(Some(CONNECT_TIME))
            .max_redirects(0)
            .http_status_as_error(false)
            .max_idle_connections_per_host(16)
            .build();
        let host = rest.split('/').next().unwrap_or_default().to_owned();
        Ok(Web { agent: agent.into(), host, endpoint })
    }

    /// Sends a request; the status of the answer and its body.
    pub fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, String)],
        body: &[u8],
    ) -> Result<(u16, Vec<u8>), TeamError> {
        let mut request = http::Request::builder().method(method).uri(format!("{}{path}", self.endpoint));
        for (name, value) in headers {
            request = request.header(*name, value);
        }
        let outcome = match method {
            "PUT" => request.body(body).map_err(broken).map(|request| self.agent.run(request)),
            _ => request.body(()).map_err(broken).map(|request| self.agent.run(request)),
        };
        let mut response = outcome?.map_err(broken)?;
        let status = response.status().as_u16();
        let mut answer = Vec::new();
        // zstd makes what cannot be compressed a little longer.
        let limit = 2 * BLOB_BYTES as u64;
        response.body_mut().as_reader().take(limit).read_to_end(&mut answer).map_err(broken)?;
        Ok((status, answer))
    }
}

fn broken(problem: impl std::fmt::Display) -> TeamError {
    TeamError::Storage(problem.to_string())
}

/// What is said of an answer that is none of those that were expected.
pub(super) fn refused(method: &str, status: u16, body: &[u8]) -> TeamError {
    TeamError::Storage(format!("{method}: the store answers {status} {}", code(body)).trim_end().to_owned())
}

/// The word by which a store says what is wrong.
pub(super) fn code(body: &[u8]) -> String {
    let body = String::from_utf8_lossy(body);
    let code = body.split_once("<Code>").and_then(|(_, rest)| rest.split_once("</Code>"));
    code.map_or_else(String::new, |(code, _)| code.to_owned())
}

/// HMAC-SHA256 of a text.
pub(super) fn mac(key: &[u8], text: &str) -> Vec<u8> {
    hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), text.as_bytes()).as_ref().to_vec()
}
