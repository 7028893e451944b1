//! The tools of the deck: documents and tasks. Their errors are JSON-RPC errors with numbers, and four of them are
//! limited in how often a connection may call them.

mod create_task;
mod desk;
mod get_task_dependencies;
mod list_tasks;
mod read_context;
mod read_doc;
mod update_task;
mod validate_task_graph;

use std::sync::Arc;

use self::desk::Desks;
use crate::app::App;
use crate::contract::ToolError;
use crate::tool::{Answer, Call, Tool, ToolSpec};

/// Every tool of the deck.
pub(super) fn all(app: &Arc<App>) -> Vec<Arc<dyn Tool>> {
    let desks = Arc::new(Desks::new(Arc::clone(app)));
    vec![
        read_context::tool(Arc::clone(&desks)),
        read_doc::tool(Arc::clone(&desks)),
        list_tasks::tool(Arc::clone(&desks)),
        create_task::tool(Arc::clone(&desks)),
        get_task_dependencies::tool(Arc::clone(&desks)),
        validate_task_graph::tool(Arc::clone(&desks)),
        update_task::tool(desks),
    ]
}

/// A tool whose contract is an array: its text and its bare form are the array alone, in the structured content it is a
/// member beside the metadata. Its spec has the schemas.
struct ArrayTool<F> {
    spec: ToolSpec,
    run: F,
}

impl<F: Fn(&Call) -> Result<Answer, ToolError> + Send + Sync> Tool for ArrayTool<F> {
    fn spec(&self) -> ToolSpec {
        self.spec.clone()
    }

    fn call(&self, call: &Call) -> Result<Answer, ToolError> {
        (self.run)(call)
    }
}

/// What an id must look like; the schemas say the same.
fn card_id(text: &str) -> Result<cruxe_deck::CardId, ToolError> {
    cruxe_deck::CardId::parse(text)
        .ok_or_else(|| ToolError::invalid_input(format!("`{text}` is no id of a task")).with("parameter", "id"))
}
