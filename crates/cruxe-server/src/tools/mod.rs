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
mod input;
mod list_refs;
mod locate_symbol;
mod search_code;
mod several;
mod suggest_followup_queries;
mod switch_ref;
mod sync_repo;

use std::sync::Arc;

use cruxe_model::config::AnswerForm;

use crate::app::App;
use crate::catalog::Catalog;
use crate::server::{Observer, Server};
use crate::tool::Tool;
use crate::toolsets::{Toolset, Toolsets};
use several::MOST_NAMES;

/// What a model reads before it sees any tool: how to choose among those of a toolset.
fn instructions(set: Toolset) -> String {
    use crate::contract::names::*;
    match set {
        Toolset::Code => format!(
            "Exact knowledge of this code base, kept in step with edits and branches. \
             {SEARCH_CODE} for questions in words, error messages and paths; \
             {LOCATE_SYMBOL} for where a name is defined (plain or qualified: `QuerySet.filter`, `TcpListener::bind`); \
             {GET_FILE_OUTLINE} before reading a file; {FIND_REFERENCES} and {GET_CALL_GRAPH} for who uses and calls a \
             symbol; {DIFF_CONTEXT} for what a branch changes. \
             Pass `ref` for another branch, tag or commit after {INDEX_REPO} with that ref; left out, it is what is \
             checked out. Several names at once: `symbols` (or `files`), at most {MOST_NAMES}, answered in their order. "
        ),
        Toolset::Context => {
            format!("{READ_CONTEXT} finds documents and code to read before a task; {READ_DOC} reads one of them. ")
        }
        Toolset::Tasks => format!(
            "Tasks are cards with dependencies: {LIST_TASKS} before starting work, {UPDATE_TASK} when its state changes, \
             {CREATE_TASK} for what is found on the way. "
        ),
    }
}

/// What is true of every tool.
fn common(form: AnswerForm) -> &'static str {
    match form {
        AnswerForm::Json => {
            "Every answer says in `metadata` how fresh and complete it is; `partial` means the first index is still being \
             built: ask again. `workspace` is another repository's path; left out, it is the server's own; to search, locate and find references also a list, or `*` for all. `max_tokens` \
             cuts an answer to so many tokens, `compact` leaves large parts out."
        }
        AnswerForm::Text => {
            "Answers are a path once, then `line code`, `<-` the symbol around it, `?` for a guess; a `note:` says when one \
             is not current or complete. `workspace`, another repository's path, is understood everywhere; to search, locate and find references `*` is all."
        }
    }
}

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

/// The server with the tools, resources and prompts of some toolsets, which answers in a form.
pub fn server(app: &Arc<App>, version: &str, sets: &Toolsets, form: AnswerForm) -> Arc<Server> {
    Arc::new(unobserved(app, version, sets, form))
}

/// The same with somebody who hears of every call.
pub fn observed_server(
    app: &Arc<App>,
    version: &str,
    sets: &Toolsets,
    form: AnswerForm,
    observer: Observer,
) -> Arc<Server> {
    Arc::new(unobserved(app, version, sets, form).with_observer(observer))
}

fn unobserved(app: &Arc<App>, version: &str, sets: &Toolsets, form: AnswerForm) -> Server {
    let tools = all(app);
    let has = |set: &Toolset| tools.iter().any(|tool| tool.spec().toolset == *set);
    let mut text: String = sets.iter().filter(has).map(instructions).collect();
    text.push_str(common(form));
    let catalog = Catalog::new(app, sets.clone());
    Server::new("cruxe", version, &text, tools).with_toolsets(sets).with_form(form).with_catalog(catalog)
}
