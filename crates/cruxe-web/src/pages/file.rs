//! A file: its source in colours, its outline beside it, two refs side by side.

use std::sync::Arc;

use axum::extract::Path;
use axum::response::Response;
use cruxe_index::View;
use cruxe_server::contract::ToolError;
use cruxe_server::contract::names::GET_FILE_OUTLINE;
use cruxe_store::FileRow;
use maud::{Markup, html};
use serde_json::{Value, json};
use similar::{ChangeTag, TextDiff};

use super::{count, folder, size};
use crate::address;
use crate::ask::{Asking, list, number, text};
use crate::code::Source;
use crate::layout::Look;
use crate::params::Params;
use crate::visit::Visit;

/// Files with more lines come in pieces of this many, as the reader scrolls.
pub(crate) const PIECE: usize = 200;
const WHOLE: usize = 2_500;
/// Lines between changes that are shown where two refs are compared.
const AROUND: usize = 5;

pub(crate) async fn page(visit: Visit, Path(path): Path<String>, params: Params) -> Response {
    let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_owned();
    let look = Look::new("Files", name).script("file.js").wide();
    let asked = params.clone();
    visit
        .page(&params, look, move |asking| {
            let ref_name = asked.ref_name();
            let view = asking.view(ref_name.as_deref())?;
            if folder::is_folder(&view, &path)? {
                return folder::listing(&view, &path, ref_name.as_deref());
            }
            let (file, source) = asking.visit.site.colours.of(&view, &path)?;
            match asked.part() {
                Some("lines") => {
                    let first = asked.number("from").unwrap_or(1) as usize;
                    let last = (asked.number("to").unwrap_or(1) as usize).min(first + 4 * PIECE);
                    Ok(source.rows(first, last, None))
                }
                _ => body(asking, &asked, &view, &file, &source),
            }
        })
        .await
}

fn body(
    asking: &Asking,
    params: &Params,
    view: &View,
    file: &FileRow,
    source: &Arc<Source>,
) -> Result<Markup, ToolError> {
    let path = file.path.as_str();
    let ref_name = params.ref_name();
    let outline = asking.tool(GET_FILE_OUTLINE, json!({"path": path, "ref": ref_name}))?;
    let lines = source.count();
    let other = params.get("with").filter(|other| Some(*other) != ref_name.as_deref());
    Ok(html! {
        div.file data-path=(path) data-ref=[ref_name.as_deref()] {
            aside.outline aria-label="Outline" {
                h2 { "Outline" }
                @if list(&outline, "symbols").is_empty() { p.faint { "No definitions" } }
                (tree(list(&outline, "symbols"), 0))
            }
            section.source {
                header.file-head {
                    h1 { (crumbs(path, ref_name.as_deref())) }
                    p.faint #facts data-live="index" {
                        (facts(view, file, source))
                    }
                    (side(asking, params, path))
                }
                @if let Some(other) = other {
                    (beside(asking, path, source, other, &view.standing.ref_name)?)
                } @else if lines > WHOLE {
                    div #code.code.virtual data-lines=(lines) data-piece=(PIECE) tabindex="0" role="region"
                        aria-label={ "Source of " (path) } { div.piece data-from="1" { (source.rows(1, PIECE, None)) } }
                } @else {
                    div #code.code tabindex="0" role="region" aria-label={ "Source of " (path) } data-live="index" {
                        (source.rows(1, lines, None))
                    }
                }
            }
        }
    })
}

/// What is known of the file beside its text.
fn facts(view: &View, file: &FileRow, source: &Source) -> Markup {
    let fresh = source.is_indexed && view.standing.is_fresh();
    html! {
        span.tag { (file.language) } " "
        (count(u64::from(file.lines))) " lines · " (size(file.bytes)) " · " (count(u64::from(file.symbols))) " symbols · "
        @if fresh { span.good { "fresh" } } @else if source.is_indexed { "as indexed" } @else { span.bad { "edited since it was indexed" } }
        @if let Some(problems) = &file.problems { " · " span.bad { (problems) } }
    }
}

/// The folders above a file, each with its page.
pub(crate) fn crumbs(path: &str, ref_name: Option<&str>) -> Markup {
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    html! {
        @for (at, part) in parts.iter().enumerate() {
            @if at + 1 == parts.len() { span { (part) } } @else {
                a href=(address::file(&parts[..=at].join("/"), ref_name, None)) { (part) }
                span.slash { "/" } wbr;
            }
        }
    }
}

/// Chooses another ref to stand beside this one.
fn side(asking: &Asking, params: &Params, path: &str) -> Markup {
    let refs = asking.visit.refs();
    let shown = params.get("ref").unwrap_or(&refs.current);
    let others: Vec<&String> = refs.names.iter().filter(|name| *name != shown).collect();
    html! {
        p.row {
            @if !others.is_empty() {
                label { "Beside "
                    select data-param="with" {
                        option value="" { "nothing" }
                        @for name in others { option value=(name) selected[params.get("with") == Some(name)] { (name) } }
                    }
                }
            }
            a.button href=(address::with("/graph", &[("folder", path), ("ref", params.get("ref").unwrap_or_default())])) { "Graph" }
        }
    }
}

/// Two refs side by side: what changed with some lines around it.
fn beside(asking: &Asking, path: &str, right: &Arc<Source>, other: &str, own: &str) -> Result<Markup, ToolError> {
    let view = asking.view(Some(other))?;
    let left = match asking.visit.site.colours.of(&view, path) {
        Ok((_, left)) => left,
        Err(error) => return Ok(crate::ask::failure(&error)),
    };
    let diff = TextDiff::from_lines(left.text.as_str(), right.text.as_str());
    let groups = diff.grouped_ops(AROUND);
    Ok(html! {
        div.beside role="region" aria-label="Comparison" tabindex="0" {
            div.beside-head { span { (other) } span { (own) } }
            @if groups.is_empty() { p.empty { "No difference" } }
            @for group in &groups {
                div.hunk {
                    @for (old, new, tag) in rows(&diff, group) {
                        div class={ "pair " (tag) } {
                            div.l data-n=[old] { code { @if let Some(old) = old { (left.row(old)) } } }
                            div.l data-n=[new] { code { @if let Some(new) = new { (right.row(new)) } } }
                        }
                    }
                }
            }
        }
    })
}

/// The rows of a group: old and new line, side by side where both changed.
fn rows(
    diff: &TextDiff<'_, '_, '_, str>,
    group: &[similar::DiffOp],
) -> Vec<(Option<usize>, Option<usize>, &'static str)> {
    let mut rows = Vec::new();
    for op in group {
        let (mut old, mut new) = (Vec::new(), Vec::new());
        for change in diff.iter_changes(op) {
            match change.tag() {
                ChangeTag::Equal => {
                    rows.push((change.old_index().map(|at| at + 1), change.new_index().map(|at| at + 1), "same"));
                }
                ChangeTag::Delete => old.extend(change.old_index()),
                ChangeTag::Insert => new.extend(change.new_index()),
            }
        }
        for at in 0..old.len().max(new.len()) {
            let (old, new) = (old.get(at).map(|at| at + 1), new.get(at).map(|at| at + 1));
            let tag = match (old, new) {
                (Some(_), Some(_)) => "changed",
                (Some(_), None) => "gone",
                _ => "added",
            };
            rows.push((old, new, tag));
        }
    }
    rows
}

/// Deeper entries stand at this depth.
const DEEPEST: usize = 12;

fn tree(symbols: &[Value], depth: usize) -> Markup {
    html! {
        @if !symbols.is_empty() && depth < DEEPEST {
            ul.plain.tree {
                @for symbol in symbols {
                    @let (first, last) = (number(symbol, "line_start"), number(symbol, "line_end"));
                    @if text(symbol, "kind") != "use" {
                        li {
                            a href={ "#L" (first) @if last > first { "-L" (last) } } data-line=(first) title=(text(symbol, "signature")) {
                                (super::kind(text(symbol, "kind"))) (text(symbol, "name"))
                            }
                            (tree(list(symbol, "children"), depth + 1))
                        }
                    }
                }
            }
        }
    }
}
