//! A symbol as a reader wants to meet it: where it is, its source, who calls it, what it calls. And a repository of many: its refs,
//! its files.

use cruxe_deck::fence::{inline, one_line};
use cruxe_index::{IndexError, Layers, View, Workspace};
use cruxe_query::call_graph::{self, Direction, Edge};
use cruxe_query::external::External;
use cruxe_query::references::{self, Confidence, Subject};
use cruxe_query::target::Wanted;
use cruxe_query::{MissingSymbol, QueryError};
use cruxe_store::{FileRow, RefState};

use super::draft::Draft;
use crate::answers::which_definition;
use crate::contract::ToolError;
use crate::contract::names::{GET_CALL_GRAPH, LIST_REFS, SYNC_REPO};
use crate::resources::{content, definition};
use crate::scope::Scope;
use crate::uri::{Kind, ResourceUri};

/// Callers, callees and uses that are listed at most.
const LISTED: usize = 15;
/// The part of the tokens that the source may take.
const SOURCE: f64 = 0.6;

/// The portrait of a symbol in Markdown, at most so many tokens long.
pub(crate) fn of_symbol(view: &View, name: &str, path: Option<&str>, tokens: usize) -> Result<String, ToolError> {
    let wanted = Wanted { name: name.to_owned(), path: path.map(str::to_owned), line: None };
    let question = call_graph::Question {
        wanted: wanted.clone(),
        direction: Direction::Both,
        depth: 1,
        limit: LISTED,
        filter: Default::default(),
    };
    let graph = call_graph::find(view, &question)?;
    let target = match graph.subject {
        Subject::Defined(target) => target,
        Subject::External(external) => return Err(not_here(name, external)),
    };
    let symbol = &target.symbol;
    let found = definition(view, &symbol.symbol_id)?;
    let mut draft = Draft::new(tokens);
    draft.add(&format!("# {} {}\n\n", symbol.kind.as_str(), inline(&symbol.qualified_name)));
    draft.add(&format!("{}:{}-{}", one_line(&symbol.path), symbol.line_start, symbol.line_end));
    draft.add(&format!(", ref {}, {}\n\n", inline(&view.standing.ref_name), symbol.symbol_id));
    if !view.standing.is_fresh() {
        draft.add(&match view.project.replica {
            Some(_) => "Something newer was pushed and is on its way here.\n\n".to_owned(),
            None => format!("The index is behind the files; {SYNC_REPO} brings it up to date.\n\n"),
        });
    }
    for warning in which_definition(&target, &symbol.name) {
        draft.add(&format!("Note: {}.\n\n", one_line(&warning)));
    }
    let span = found.symbol().full_span;
    match content(view, &found.file) {
        Ok(text) => {
            let source = text.get(span.start as usize..span.end as usize).unwrap_or_default();
            draft.add_code(&found.file.language, source, (tokens as f64 * SOURCE) as usize);
        }
        Err(error) => drop(draft.add(&format!("(no source: {})\n", one_line(&error.message)))),
    }
    if found.symbol().kind.is_callable() {
        add_edges(&mut draft, "Called by", &graph.callers);
        if graph.callers.is_empty() {
            draft.add(&format!("\nNo call was found; {} calls of the name are unresolved.\n", graph.unresolved));
        }
        add_edges(&mut draft, "Calls", &graph.callees);
    } else {
        add_uses(&mut draft, view, wanted)?;
    }
    Ok(draft.finish())
}

/// What the portrait of a repository may cost a reader.
const REPOSITORY_TOKENS: usize = 3000;

/// The portrait of a repository in Markdown: the refs that may be seen, then the files of one.
pub(crate) fn of_repository(
    workspace: &Workspace,
    view: &View,
    scope: &Scope,
    name: &str,
) -> Result<String, ToolError> {
    let mut draft = Draft::new(REPOSITORY_TOKENS);
    draft.add(&format!("# {}\n\n", inline(name)));
    let below = |kind: Kind, what: &str| ResourceUri::new(kind, what).within(name);
    draft.add(&format!(
        "A file is at {}, a definition at {}; `?ref=REF` for another ref.\n\n## Refs\n",
        below(Kind::File, "PATH"),
        below(Kind::Symbol, "NAME")
    ));
    let Some(published) = &view.published else { return Ok(draft.finish()) };
    let mut states = workspace.snapshot().and_then(|snapshot| snapshot.refs()).map_err(IndexError::from)?;
    states.retain(|state| scope.allows_ref(&view.project.root, &state.name));
    let line = |state: &RefState| {
        let commit: String = state.commit.iter().flat_map(|commit| commit.chars().take(12)).collect();
        format!("- {} at {commit}: {} files, {} symbols\n", inline(&state.name), state.files, state.symbols)
    };
    draft.add_all(states.iter().map(line), |count| format!("- … {count} more: {LIST_REFS}\n"));
    draft.add(&format!("\n## Files of {}\n", inline(&view.standing.ref_name)));
    let mut files = published.files().map_err(IndexError::from)?;
    files.sort_by(|a, b| a.path.as_str().cmp(b.path.as_str()));
    let line = |file: &FileRow| format!("- {}\n", one_line(file.path.as_str()));
    draft.add_all(files.iter().map(line), |count| format!("- … {count} more: completion/complete lists them\n"));
    Ok(draft.finish())
}

/// What is defined elsewhere has no portrait.
fn not_here(name: &str, external: External) -> ToolError {
    let (name, nearest) = (name.trim().to_owned(), external.nearest);
    QueryError::NoSuchSymbol(MissingSymbol { name, path: None, mentioned: Some(true), nearest, unread: None }).into()
}

fn add_edges(draft: &mut Draft, title: &str, edges: &[Edge]) {
    if edges.is_empty() {
        return;
    }
    draft.add(&format!("\n## {title}\n"));
    let line = |edge: &Edge| {
        let (test, guess) = (if edge.symbol.is_test { ", a test" } else { "" }, guess(edge.confidence));
        format!("- {} at {}:{}{test}{guess}\n", inline(&edge.symbol.qualified_name), one_line(&edge.file), edge.line)
    };
    draft.add_all(edges.iter().map(line), |count| format!("- … {count} more: {GET_CALL_GRAPH}\n"));
}

fn add_uses(draft: &mut Draft, view: &View, wanted: Wanted) -> Result<(), ToolError> {
    let question = references::Question { wanted, limit: LISTED, ..Default::default() };
    let answer = references::find(view, &Layers::None, &question)?;
    draft.add(&format!(
        "\n## Used in {} places, {} unresolved\n",
        answer.total,
        answer.mentions.map_or(0, |mentions| mentions.open())
    ));
    let line = |one: &references::Reference| {
        format!("- {}:{} {}{}\n", one_line(&one.path), one.line, inline(one.context.trim()), guess(one.confidence))
    };
    let unlisted = answer.total - answer.references.len();
    draft.add_all(answer.references.iter().map(line), |count| format!("- … {} more\n", count + unlisted));
    Ok(())
}

fn guess(confidence: Confidence) -> &'static str {
    match confidence {
        Confidence::Exact | Confidence::Static => "",
        Confidence::Heuristic => " (a guess)",
    }
}
