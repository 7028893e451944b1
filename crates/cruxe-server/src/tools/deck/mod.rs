//! The tools of the deck: documents and tasks. Their errors are JSON-RPC errors with numbers, and four of them are
//! limited in how often a connection may call them.

mod call;
mod create_task;
mod get_task_dependencies;
mod list_tasks;
mod read_context;
mod read_doc;
mod update_task;
mod validate_task_graph;

use std::sync::Arc;

use crate::app::App;
use crate::contract::ToolError;
use crate::tool::{Call, Tool, ToolAnswer, ToolSpec};

/// Every tool of the deck.
pub(super) fn all(app: &Arc<App>) -> Vec<Arc<dyn Tool>> {
    vec![
        read_context::tool(Arc::clone(app)),
        read_doc::tool(Arc::clone(app)),
        list_tasks::tool(Arc::clone(app)),
        create_task::tool(Arc::clone(app)),
        get_task_dependencies::tool(Arc::clone(app)),
        validate_task_graph::tool(Arc::clone(app)),
        update_task::tool(Arc::clone(app)),
    ]
}

/// A tool whose contract is an array: its text and its bare form are the array alone, in the structured content it is a
/// member beside the metadata. Its spec has the schemas.
struct ArrayTool<F> {
    spec: ToolSpec,
    run: F,
}

impl<F: Fn(&Call) -> Result<ToolAnswer, ToolError> + Send + Sync> Tool for ArrayTool<F> {
    fn spec(&self) -> ToolSpec {
        self.spec.clone()
    }

    fn call(&self, call: &Call) -> Result<ToolAnswer, ToolError> {
        (self.run)(call)
    }
}

/// What an id must look like; the schemas say the same.
fn card_id(text: &str) -> Result<cruxe_deck::CardId, ToolError> {
    cruxe_deck::CardId::parse(text)
        .ok_or_else(|| ToolError::invalid_input(format!("`{text}` is no id of a task")).with("parameter", "id"))
}
