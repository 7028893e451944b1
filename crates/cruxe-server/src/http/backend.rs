//! What the HTTP entry serves: tools, and what speaks MCP with a client.
//!
//! It is generic only in the latter: `examples/conformance.rs` serves the fixtures of MCP's conformance suite, which are no
//! tools of ours, through the same entry.

use std::sync::Arc;

use rmcp::ServerHandler;

use crate::answers::ServerStatus;
use crate::app::{App, RefStatus};
use crate::metrics::{Page, resident_bytes};
use crate::server::{Connection, Server};
use crate::session::Session;

/// Something to serve over HTTP.
pub struct Backend<H = Connection> {
    /// The server whose tools can also be called as methods, without MCP.
    pub server: Arc<Server>,
    /// Begins a client's connection. It lasts for one request, or, once initialized, for a session.
    pub connect: Box<dyn Fn() -> H + Send + Sync>,
    /// What `/health` and `/metrics` tell about beside calls; `None` where no code base is served.
    pub app: Option<Arc<App>>,
}

impl Backend {
    /// The server of this program.
    pub fn new(app: Arc<App>, server: Arc<Server>) -> Backend {
        let served = Arc::clone(&server);
        Backend { server, connect: Box::new(move || served.connect_with(Session::fleeting())), app: Some(app) }
    }
}

impl<H: ServerHandler> Backend<H> {
    /// The status word of the contract. It may block.
    pub(super) fn health(&self) -> &'static str {
        let Some(app) = &self.app else { return "ready" };
        let status = RefStatus::of(app.own(), None);
        status.map_or(ServerStatus::Error, |status| app.status_of(&status)).as_str()
    }

    /// Adds what [`Server::metrics`] does not know. It may block.
    pub(super) fn describe(&self, page: &mut Page) {
        let Some(app) = &self.app else { return };
        let open = app.workspaces().open();
        page.series("cruxe_workspaces_open", "gauge", "Workspaces whose index is open.");
        page.value("", open.len() as f64);
        // By id: a path would tell whoever reads this how the machine is laid out.
        let projects: Vec<_> =
            open.iter().map(|workspace| (workspace.project.id.as_str(), RefStatus::of(workspace, None).ok())).collect();
        page.series("cruxe_index_fresh", "gauge", "1 where the index is what is on disk, by project.");
        for (id, status) in &projects {
            let fresh = status.as_ref().is_some_and(RefStatus::is_fresh);
            page.value(&format!("{{project=\"{id}\"}}"), f64::from(u8::from(fresh)));
        }
        page.series("cruxe_index_symbols", "gauge", "Symbols in the index of what is checked out, by project.");
        for (id, status) in &projects {
            let symbols = status.as_ref().map_or(0, |status| status.symbol_count);
            page.value(&format!("{{project=\"{id}\"}}"), symbols as f64);
        }
        page.series("cruxe_uptime_seconds", "gauge", "Time since the server started.");
        page.value("", app.uptime_seconds() as f64);
        if let Some(bytes) = resident_bytes() {
            page.series("process_resident_memory_bytes", "gauge", "Memory that the process holds.");
            page.value("", bytes as f64);
        }
    }
}
