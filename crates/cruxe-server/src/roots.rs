//! Asks a client for the folders that it works in.
//!
//! Roots are gone from the newest revision of the protocol, but clients of the earlier ones offer them, and what they
//! offer bounds what they want a server to look at.
#![expect(deprecated, reason = "rmcp marks roots so; clients that speak the earlier revisions still have them")]

use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::ClientCapabilities;
use rmcp::service::Peer;

use crate::server::Connection;

/// How long the client may take. Calls do not wait that long: see [`Session::roots_settled`](crate::Session).
const PATIENCE: Duration = Duration::from_secs(30);

impl Connection {
    /// Makes calls wait for the roots of a client that has some.
    pub(crate) fn expect_roots(&self, capabilities: &ClientCapabilities) {
        if capabilities.roots.is_some() {
            self.session.expect_roots();
        }
    }

    /// Asks a client that has roots for them.
    pub(crate) async fn ask_for_roots(&self, peer: &Peer<RoleServer>) {
        if peer.peer_info().is_none_or(|info| info.capabilities.roots.is_none()) {
            return;
        }
        let ask = async {
            match tokio::time::timeout(PATIENCE, peer.list_roots()).await {
                Ok(Ok(told)) => {
                    let uris: Vec<String> = told.roots.into_iter().map(|root| root.uri).collect();
                    self.session.set_roots(Some(&uris));
                }
                problem => {
                    tracing::debug!(?problem, "the client does not tell its roots");
                    self.session.set_roots(None);
                }
            }
        };
        self.session.in_turn_for_roots(ask).await;
    }
}
