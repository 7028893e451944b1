//! The tools, a file each.

mod budget;
mod compare_symbol_between_commits;
mod deck;
mod diff_context;
mod explain_ranking;
mod find_references;
mod get_call_graph;
mod get_file_outline;
mod health_check;
mod index_repo;
mod index_status;
mod list_refs;
mod locate_symbol;
mod search_code;
mod shape;
mod suggest_followup_queries;
mod switch_ref;
mod sync_repo;

use std::sync::Arc;

use crate::app::App;
use crate::server::Server;
use crate::tool::Tool;

/// What a model reads before it sees any tool.
const INSTRUCTIONS: &str = "Exact knowledge of this code base, kept in step with edits and branches. \
    Use search_code for questions in words, error messages and paths, \
    locate_symbol to find where a name is defined (plain or qualified: `QuerySet.filter`, `TcpListener::bind`), \
    get_file_outline to see what a file contains before reading it, find_references and \
    get_call_graph to see who uses and who calls a symbol. Every answer says in `metadata` how fresh \
    and complete it is; `partial` means the first index is still being built: ask again. \
    Pass `ref` for another branch, tag or commit after index_repo with that ref. \
    Documents and tasks: read_context finds them, read_doc reads a section, list_tasks, create_task and update_task \
    keep the cards in .cuedeck.";

/// Every tool.
pub fn all(app: &Arc<App>) -> Vec<Arc<dyn Tool>> {
    let code = [
        search_code::tool(Arc::clone(app)),
        explain_ranking::tool(Arc::clone(app)),
        suggest_followup_queries::tool(Arc::clone(app)),
        locate_symbol::tool(Arc::clone(app)),
        get_file_outline::tool(Arc::clone(app)),
        find_references::tool(Arc::clone(app)),
        get_call_graph::tool(Arc::clone(app)),
        diff_context::tool(Arc::clone(app)),
        compare_symbol_between_commits::tool(Arc::clone(app)),
        list_refs::tool(Arc::clone(app)),
        switch_ref::tool(Arc::clone(app)),
        index_repo::tool(Arc::clone(app)),
        sync_repo::tool(Arc::clone(app)),
        index_status::tool(Arc::clone(app)),
        health_check::tool(Arc::clone(app)),
    ];
    code.into_iter().chain(deck::all(app)).collect()
}

/// The server with every tool.
pub fn server(app: &Arc<App>, version: &str) -> Arc<Server> {
    Arc::new(Server::new("cruxe", version, INSTRUCTIONS, all(app)))
}
