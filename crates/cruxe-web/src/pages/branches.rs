//! Refs: what each changes, the difference of any two symbol by symbol, and what both touch.

use std::collections::BTreeMap;

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use cruxe_server::contract::ToolError;
use cruxe_server::contract::names::{COMPARE_SYMBOL_BETWEEN_COMMITS, DIFF_CONTEXT, INDEX_REPO, LIST_REFS};
use maud::{Markup, html};
use serde_json::{Value, json};

use super::symbol::diff;
use super::{count, kind, place_link, short_name};
use crate::address;
use crate::ask::{Asking, failure, list, number, text};
use crate::layout::{Look, notes};
use crate::params::Params;
use crate::visit::Visit;

/// Changed symbols of one comparison.
const CHANGES: u64 = 300;
/// Those that tell what a ref is about.
const FEW: u64 = 8;

pub(crate) async fn page(visit: Visit, params: Params) -> Response {
    let asked = params.clone();
    visit
        .page(&params, Look::new("Branches", "Branches"), move |asking| match asked.part() {
            Some("few") => few(asking, &asked),
            Some("diff") => symbol_diff(asking, &asked),
            _ => body(asking, &asked),
        })
        .await
}

/// Indexes another ref.
pub(crate) async fn index(visit: Visit, axum::Json(body): axum::Json<Value>) -> Response {
    let wanted = text(&body, "ref").to_owned();
    match visit.work(move |asking| asking.tool(INDEX_REPO, json!({"ref": wanted}))).await {
        Ok(_) => StatusCode::ACCEPTED.into_response(),
        Err(error) => (StatusCode::BAD_REQUEST, error.message).into_response(),
    }
}

fn body(asking: &Asking, params: &Params) -> Result<Markup, ToolError> {
    let answer = asking.tool(LIST_REFS, json!({}))?;
    let refs = list(&answer, "refs");
    let default = refs.iter().find(|one| one["is_default"].as_bool() == Some(true)).map(|one| text(one, "ref"));
    let base = params.get("base").or(default).unwrap_or_default();
    let head = params.get("head");
    Ok(html! {
        header.head {
            h1 { "Branches" }
            @if asking.visit.scope.may_write() {
                form.row data-index {
                    label.hidden for="other-ref" { "Index another branch, tag or commit" }
                    input #other-ref name="ref" placeholder="Another branch, tag or commit" required;
                    button.button { "Index it" }
                }
            }
        }
        @if answer["vcs_mode"].as_bool() != Some(true) { p.note { "There is no version control here." } }
        div.scroll tabindex="0" role="region" aria-label="Refs" #refs data-live="index" {
            table.refs {
                thead { tr { th { "Ref" } th { "State" } th.num { "Own files" } th.num { "Symbols" } th { "What it changes" } } }
                tbody { @for one in refs {
                    @let name = text(one, "ref");
                    @let is_default = Some(name) == default;
                    tr {
                        td { a.name href=(address::with("/search", &[("ref", name)])) { (name) } @if is_default { " " span.tag { "default" } } }
                        td { span.bad[text(one, "status") == "stale" || text(one, "status") == "deleted"] { (text(one, "status")) } }
                        td.num { (count(number(one, "file_count"))) }
                        td.num { (count(number(one, "symbol_count"))) }
                        td {
                            @if is_default { span.faint { "what others are compared with" } } @else {
                                div data-load=(address::with("/branches", &[("part", "few"), ("base", default.unwrap_or_default()), ("head", name)])) { span.faint { "…" } }
                            }
                        }
                    }
                } }
            }
        }
        section.compare {
            form.row action=(address::page("/branches")) {
                label { "From " (choice("base", refs, base)) }
                label { " to " (choice("head", refs, head.unwrap_or_default())) }
                button.button.primary { "Compare" }
            }
            @if let Some(head) = head { (comparison(asking, base, head, default)) }
        }
    })
}

fn choice(name: &str, refs: &[Value], chosen: &str) -> Markup {
    html! { select name=(name) { @for one in refs {
        option selected[text(one, "ref") == chosen] { (text(one, "ref")) }
    } } }
}

/// What a ref is about, in a few lines.
fn few(asking: &Asking, params: &Params) -> Result<Markup, ToolError> {
    let (base, head) = (params.get("base"), params.get("head"));
    let answer = asking
        .tool(DIFF_CONTEXT, json!({"base_ref": base, "head_ref": head, "limit": FEW, "include_cosmetic": false}))?;
    let total = number(&answer, "total_changes");
    let to = address::with("/branches", &[("base", base.unwrap_or_default()), ("head", head.unwrap_or_default())]);
    Ok(html! {
        @for one in list(&answer, "changes") { span class={ "chip " (text(one, "change_type")) } title=(text(one, "path")) { (text(one, "symbol")) } " " }
        a href=(to) { (count(total)) @if total == 1 { " symbol" } @else { " symbols" } " in " (count(number(&answer, "affected_files"))) " files" }
    })
}

fn comparison(asking: &Asking, base: &str, head: &str, default: Option<&str>) -> Markup {
    let answer = asking.tool(DIFF_CONTEXT, json!({"base_ref": base, "head_ref": head, "limit": CHANGES}));
    let answer = match answer {
        Ok(answer) => answer,
        Err(error) => return failure(&error),
    };
    let merge_base = text(&answer, "merge_base_commit");
    let mut files: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
    list(&answer, "changes").iter().for_each(|one| files.entry(text(one, "path")).or_default().push(one));
    let total = number(&answer, "total_changes");
    html! {
        h2.gap-above { (count(total)) " changed symbols in " (count(number(&answer, "affected_files"))) " files, "
            code { (head) } " since it left " code { (base) } }
        (notes(&answer["metadata"]))
        @if total > CHANGES { p.note { "The first " (CHANGES) " are shown." } }
        @for (path, changes) in files {
            section.card.altered {
                h3 { (place_link(path, 0, 0, Some(head))) }
                ul.edges { @for one in changes { li { (change(one, merge_base, head)) } } }
            }
        }
        @let others: Vec<&Value> = list(&answer, "file_changes").iter().filter(|file| !list(&answer, "changes").iter().any(|one| one["path"] == file["path"])).collect();
        @if !others.is_empty() {
            section.card.altered { h3 { "Other files" } ul.plain { @for file in others {
                li { span class={ "chip " (text(file, "change_type")) } { (text(file, "change_type")) } " " (place_link(text(file, "path"), 0, 0, Some(head))) }
            } } }
        }
        @if let Some(default) = default.filter(|default| *default != base && *default != head) { (both(asking, default, base, head)) }
    }
}

fn change(one: &Value, merge_base: &str, head: &str) -> Markup {
    let after = if one["after"].is_null() { &one["before"] } else { &one["after"] };
    let signature = text(&one["after"], "signature");
    let name = text(after, "qualified_name");
    let part = address::with(
        "/branches",
        &[("part", "diff"), ("symbol", name), ("path", text(one, "path")), ("base", merge_base), ("head", head)],
    );
    html! {
        div.edge {
            button.twist type="button" aria-expanded="false" data-open=(part) aria-label={ "Difference of " (text(one, "symbol")) } {}
            span.edge-name {
                span class={ "chip " (text(one, "change_type")) } { (text(one, "change_type")) } " " (kind(text(after, "kind")))
                @if one["after"].is_null() { span.name { (short_name(name)) } }
                @else { a.name href=(address::symbol(text(after, "symbol_id"), Some(head))) { (short_name(name)) } }
                @if one["signature_changed"].as_bool() == Some(true) { " " span.tag { "signature" } }
                @if one["cosmetic"].as_bool() == Some(true) { " " span.tag { "layout only" } }
            }
        }
        @if one["signature_changed"].as_bool() == Some(true) {
            p.site { code.gone { (text(&one["before"], "signature")) } code.added { (signature) } }
        }
        div.opened hidden {}
    }
}

fn symbol_diff(asking: &Asking, params: &Params) -> Result<Markup, ToolError> {
    let answer = asking.tool(
        COMPARE_SYMBOL_BETWEEN_COMMITS,
        json!({"symbol_name": params.get("symbol"), "path": params.get("path"), "base_ref": params.get("base"), "head_ref": params.get("head")}),
    )?;
    let (text, status) = (text(&answer, "diff"), text(&answer["diff_summary"], "status"));
    Ok(html! { @if text.is_empty() { p.faint { (status) } } @else { (diff(text)) } })
}

/// What two refs both changed since each of them left the default branch.
fn both(asking: &Asking, default: &str, one: &str, other: &str) -> Markup {
    let changes = |head: &str| -> Result<BTreeMap<String, Value>, ToolError> {
        let answer = asking.tool(
            DIFF_CONTEXT,
            json!({"base_ref": default, "head_ref": head, "limit": 2000, "include_cosmetic": false}),
        )?;
        let side =
            |change: &Value| if change["after"].is_null() { change["before"].clone() } else { change["after"].clone() };
        let changes = list(&answer, "changes").iter();
        Ok(changes.map(|change| (text(&side(change), "symbol_stable_id").to_owned(), side(change))).collect())
    };
    let shared = changes(one).and_then(|first| {
        let second = changes(other)?;
        Ok(first.into_iter().filter(|(id, _)| second.contains_key(id)).map(|(_, side)| side).collect::<Vec<_>>())
    });
    match shared {
        Err(error) => failure(&error),
        Ok(shared) => html! {
            section.card.altered #both {
                h2 { "Both touch " span.n { (shared.len()) } }
                p.faint { "Symbols that " code { (one) } " and " code { (other) } " both changed since they left " code { (default) } "." }
                @if shared.is_empty() { p { "None." } }
                ul.plain { @for side in &shared {
                    li { (kind(text(side, "kind"))) a.name href=(address::symbol(text(side, "symbol_id"), Some(other))) { (short_name(text(side, "qualified_name"))) }
                        " " (place_link(text(side, "path"), number(side, "line_start"), number(side, "line_end"), Some(other))) }
                } }
            }
        },
    }
}
