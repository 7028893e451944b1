//! What is served: the server of this program, or the one of a test.

use std::sync::Arc;

use rmcp::ServerHandler;

use crate::answers::ServerStatus;
use crate::app::{App, RefStatus};
use crate::metrics::{Page, resident_bytes};
use crate::server::{Connection, Server};
use crate::session::Session;

/// Something to serve over HTTP.
pub trait Site: Send + Sync + 'static {
    /// What speaks MCP with one client.
    type Handler: ServerHandler;

    /// Begins a client's connection. It lasts for one request, or, once initialized, for a session.
    fn connect(&self) -> Self::Handler;

    /// The server whose tools can be called as methods, without MCP.
    fn server(&self) -> &Arc<Server>;

    /// The status word of the contract. It may block.
    fn health(&self) -> &'static str;

    /// Adds what [`Server::metrics`] does not know. It may block.
    fn describe(&self, page: &mut Page);
}

/// The server of this program.
pub struct CruxeSite {
    /// What the tools share.
    pub app: Arc<App>,
    /// The tools.
    pub server: Arc<Server>,
}

impl Site for CruxeSite {
    type Handler = Connection;

    fn connect(&self) -> Connection {
        self.server.connect_with(Session::fleeting())
    }

    fn server(&self) -> &Arc<Server> {
        &self.server
    }

    fn health(&self) -> &'static str {
        let status = RefStatus::of(self.app.own(), None);
        status.map_or(ServerStatus::Error, |status| self.app.status_of(&status)).as_str()
    }

    fn describe(&self, page: &mut Page) {
        let open = self.app.workspaces().open();
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
        page.value("", self.app.uptime_seconds() as f64);
        if let Some(bytes) = resident_bytes() {
            page.series("process_resident_memory_bytes", "gauge", "Memory that the process holds.");
            page.value("", bytes as f64);
        }
    }
}
