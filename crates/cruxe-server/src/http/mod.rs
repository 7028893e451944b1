//! Serves many clients over HTTP: MCP at `/mcp`, `/health` for load balancers, `/metrics` for Prometheus.
//!
//! rmcp speaks Streamable HTTP, in the newest revision (without sessions) and in the earlier ones (with). Around it:
//! [`access`] lets requests in or not, [`endpoints`] bounds and reads them and answers bare JSON-RPC calls, [`in_flight`] keeps
//! the ids of a session apart, [`held`] ends streams with their token, [`owners`] keeps sessions to theirs, [`listen`] owns connections, their time-outs and the end of serving, [`tls`] and [`token`]
//! read what they are named after.
//!
//! Deliberately absent: anything that knows about code bases; a [`Backend`] does.

mod access;
mod backend;
mod endpoints;
mod held;
mod in_flight;
mod listen;
mod owners;
mod tls;
mod token;

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use tokio::net::TcpListener;

pub use access::{AccessPolicy, BadOrigin, Denied, FindScope};
pub use backend::Backend;
pub use listen::{serve_http, serve_pages};
pub use tls::{TlsError, read_tls};
pub use token::{Token, TokenError, random_secret};

use cruxe_model::config::HttpConfig;

/// How a server is reached.
pub struct HttpOptions {
    /// Who is let in.
    pub access: Arc<AccessPolicy>,
    /// Keys and certificates; `None`: plain HTTP.
    pub tls: Option<Arc<tokio_rustls::rustls::ServerConfig>>,
    /// Bounds of size, time and number.
    pub limits: HttpConfig,
    /// Pages for people beside what programs ask for. They decide for themselves whom they let in.
    pub pages: Option<Router>,
}

/// How long calls in flight may go on when the server is asked to end.
const DRAIN: Duration = Duration::from_secs(10);

/// Why a server does not start.
#[derive(Debug, thiserror::Error)]
pub enum HttpError {
    /// Others could ask without a token.
    #[error("{0} is reachable from other machines, and there is no token")]
    TokenRequired(IpAddr),
    /// The port cannot be had.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// Address and port.
        address: String,
        /// What the system said.
        source: std::io::Error,
    },
}

/// Takes a port. Off loopback a token is required.
pub async fn listen(address: IpAddr, port: u16, access: &AccessPolicy) -> Result<TcpListener, HttpError> {
    if !address.is_loopback() && !access.needs_token() {
        return Err(HttpError::TokenRequired(address));
    }
    let listener = TcpListener::bind((address, port)).await;
    listener.map_err(|source| HttpError::Listen { address: format!("{address}:{port}"), source })
}
