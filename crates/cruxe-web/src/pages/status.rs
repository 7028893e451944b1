//! How the index is doing.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use cruxe_server::contract::ToolError;
use cruxe_server::contract::names::{HEALTH_CHECK, INDEX_REPO, INDEX_STATUS, SYNC_REPO};
use maud::{Markup, html};
use serde_json::{Value, json};

use super::{count, place_link};
use crate::address;
use crate::ask::{Asking, list, number, text};
use crate::layout::{Look, notes};
use crate::params::Params;
use crate::visit::Visit;

pub(crate) async fn page(visit: Visit, params: Params) -> Response {
    let look = Look::new("Status", "Status");
    let asked = params.clone();
    visit.page(&params, look, move |asking| {
        if asked.part() == Some("doctor") {
            return doctor(asking);
        }
        let state = state(asking, asked.get("ref"))?;
        Ok(match asked.part() {
            Some(_) => state,
            None => html! {
                div #status.status data-live="index job deck" { (state) }
                section #checks.card.space data-load=(address::page("/status?part=doctor")) { h2 { "Checks" } p.faint { "…" } }
            },
        })
    })
    .await
}

/// Brings the index up to date.
pub(crate) async fn sync(visit: Visit) -> Response {
    start(&visit, SYNC_REPO, json!({})).await
}

/// Builds the index anew: one of an earlier version of the program, or a damaged one.
pub(crate) async fn rebuild(visit: Visit) -> Response {
    start(&visit, INDEX_REPO, json!({"force": true})).await
}

async fn start(visit: &Visit, tool: &'static str, arguments: Value) -> Response {
    match visit.work(move |asking| asking.tool(tool, arguments)).await {
        Ok(_) => StatusCode::ACCEPTED.into_response(),
        Err(error) => (StatusCode::CONFLICT, error.message).into_response(),
    }
}

fn state(asking: &Asking, ref_name: Option<&str>) -> Result<Markup, ToolError> {
    let index = asking.tool(INDEX_STATUS, json!({"ref": ref_name}))?;
    let health = asking.tool(HEALTH_CHECK, json!({}))?;
    let freshness = text(&index["metadata"], "freshness_status");
    Ok(html! {
        header.head {
            h1 { "Status" }
            button.button data-post=(address::page("/status/sync")) { "Bring up to date" }
        }
        (notes(&index["metadata"]))
        @if !index["active_job"].is_null() { (progress(&index["active_job"])) }
        div.figures {
            (figure("Server", text(&health, "status"), true))
            (figure("Index", text(&index, "index_status"), true))
            (figure("Freshness", freshness, freshness != "stale"))
            (figure("Files", &count(number(&index, "file_count")), true))
            (figure("Symbols", &count(number(&index, "symbol_count")), true))
            (figure("Syntax errors", &count(number(&index, "syntax_error_count")), number(&index, "syntax_error_count") == 0))
        }
        div.columns {
            section.card {
                h2 { "Index" }
                dl.facts {
                    dt { "Folder" } dd { code { (text(&index, "repo_root")) } }
                    dt { "Ref" } dd { code { (text(&index, "ref")) } }
                    dt { "Indexed" } dd { (text(&index, "last_indexed_at")) }
                    @if !text(&index, "last_indexed_commit").is_empty() { dt { "Commit" } dd { code { (text(&index, "last_indexed_commit")) } } }
                    dt { "Schema" } dd { (text(&index, "schema_status")) }
                    @if number(&index, "compiler_file_count") > 0 { dt { "Compiler's word" } dd { (count(number(&index, "compiler_file_count"))) " files" } }
                    dt { "Up" } dd { (number(&health, "uptime_seconds")) " s" }
                    dt { "Version" } dd { (text(&health, "version")) }
                }
            }
            section.card {
                h2 { "Jobs" }
                @if list(&index, "recent_jobs").is_empty() { p.faint { "None yet" } } @else { (jobs(list(&index, "recent_jobs"))) }
            }
            @if !list(&index, "syntax_errors").is_empty() {
                section.card {
                    h2 { "Files that do not parse" }
                    ul.plain { @for error in list(&index, "syntax_errors") {
                        li { (place_link(text(error, "path"), number(error, "line"), 0, ref_name)) }
                    } }
                }
            }
        }
    })
}

fn figure(name: &str, value: &str, good: bool) -> Markup {
    html! { div.figure { span.faint { (name) } strong.bad[!good || matches!(value, "failed" | "error")] { (value.replace('_', " ")) } } }
}

fn progress(job: &Value) -> Markup {
    let (done, total) = (number(job, "files_done"), number(job, "files_total"));
    html! {
        section.card.job {
            h2 { (text(job, "mode")) " of " code { (text(job, "ref")) } }
            progress max="100" value=(number(job, "progress_percent")) aria-label="Progress" {}
            p.faint { (count(done)) @if total > 0 { " of " (count(total)) } " files" }
        }
    }
}

fn jobs(jobs: &[Value]) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label="Jobs" { table {
            thead { tr { th { "When" } th { "Ref" } th { "What" } th.num { "Changed" } th.num { "Took" } } }
            tbody { @for job in jobs {
                tr {
                    td.nowrap { (text(job, "created_at").replace('T', " ").trim_end_matches('Z')) }
                    td { code { (text(job, "ref")) } }
                    td.bad[text(job, "status") == "failed"] {
                        (text(job, "mode")) ", " (text(job, "status")) @if !text(job, "error").is_empty() { ": " (text(job, "error")) }
                    }
                    td.num { (count(number(job, "changed_files"))) }
                    td.num { (count(number(job, "duration_ms"))) " ms" }
                }
            } }
        } }
    }
}

/// What the checks of the index and of the deck found. They read every byte, so they come after the rest of the page.
fn doctor(asking: &Asking) -> Result<Markup, ToolError> {
    let workspace = asking.visit.workspace();
    let checks = cruxe_server::doctor::checks(workspace)?;
    let deck = asking.visit.deck();
    let files = workspace.project.scan().map(|listing| listing.files).unwrap_or_default();
    let files: Vec<_> = files.into_iter().map(|file| file.path).collect();
    let report = if deck.exists() { cruxe_deck::doctor::examine(&deck, &files).ok() } else { None };
    Ok(html! {
        h2 { "Checks" }
        ul.plain.checks { @for check in &checks {
            li.bad[!check.ok] {
                strong { (if check.ok { "✓ " } else { "✗ " }) (check.name) } " " span.faint { (check.detail) }
                @if let Some(next) = &check.next { p.faint { (next) } }
            }
        } }
        @if let Some(report) = report {
            h2.gap-above { "Deck " span.n { (report.findings.len()) " findings in " (report.cards) " cards and " (report.documents) " documents" } }
            ul.plain.findings { @for finding in report.findings.iter().take(50) { li { (finding_line(finding)) } } }
        }
    })
}

fn finding_line(finding: &cruxe_deck::doctor::Finding) -> Markup {
    html! {
        (place_link(&finding.path, finding.line.unwrap_or_default().into(), 0, None)) " "
        (finding.message)
    }
}
