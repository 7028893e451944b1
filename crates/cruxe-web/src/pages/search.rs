//! Search as you type.

use std::collections::BTreeMap;

use axum::response::Response;
use cruxe_index::View;
use cruxe_query::code::{Aim, Room, excerpt};
use cruxe_query::outline;
use cruxe_query::search::telling_words;
use cruxe_server::contract::ToolError;
use cruxe_server::contract::names::SEARCH_CODE;
use maud::{Markup, html};
use serde_json::{Value, json};

use super::{count, kind, short_name};
use crate::address;
use crate::ask::{Asking, list, number, text};
use crate::code::{Excerpt, marked};
use crate::layout::{Look, notes};
use crate::params::Params;
use crate::visit::Visit;

/// Results of one search.
const LIMIT: u64 = 12;
const MORE: u64 = 100;
/// Lines that are shown of a result.
const LINES: usize = 6;
const FIRST_LINES: usize = 12;

/// The components of a score, with what a reader calls them.
const PARTS: [(&str, &str); 6] = [
    ("bm25_score", "text and meaning"),
    ("exact_match_boost", "name"),
    ("qualified_name_boost", "qualified name"),
    ("definition_boost", "used by others"),
    ("path_affinity", "path"),
    ("kind_match", "kind"),
];

pub(crate) async fn home(visit: Visit, params: Params) -> Response {
    page(visit, params).await
}

pub(crate) async fn page(visit: Visit, params: Params) -> Response {
    let title = params.get("q").map_or_else(|| "Search".to_owned(), |query| format!("{query} · Search"));
    let look = Look::new("Search", title).script("search.js");
    let asked = params.clone();
    visit
        .page(&params, look, move |asking| {
            let results = results(asking, &asked)?;
            Ok(match asked.part() {
                Some(_) => results,
                None => html! {
                    h1.hidden { "Search" }
                    div #results.results data-live="index" { (results) }
                },
            })
        })
        .await
}

/// Filters that the address has.
const FILTERS: [&str; 4] = ["lang", "path", "kind", "tests"];

fn results(asking: &Asking, params: &Params) -> Result<Markup, ToolError> {
    let Some(query) = params.get("q") else { return welcome(asking, params) };
    let limit = if params.get("more").is_some() { MORE } else { LIMIT };
    let ref_name = params.ref_name();
    let answer = asking.tool(
        SEARCH_CODE,
        json!({
            "query": query, "ref": ref_name, "language": params.get("lang"), "paths": params.all("path"),
            "kind": params.get("kind"), "tests": params.get("tests"), "limit": limit,
            "ranking_explain_level": "basic",
        }),
    )?;
    let view = asking.view(ref_name.as_deref())?;
    let found = list(&answer, "results");
    let words = telling_words(query);
    let reasons = list(&answer["metadata"], "ranking_reasons");
    let total = number(&answer, "total_candidates");
    Ok(html! {
        aside.facets aria-label="Filters" { (facets(params, found)) }
        section.hits aria-label="Results" {
            p.tally role="status" {
                @if found.is_empty() { "Nothing found" } @else {
                    (count(found.len() as u64)) @if total > found.len() as u64 { " of " (count(total)) }
                    @if found.len() == 1 { " result" } @else { " results" }
                }
                span.faint { " · " (text(&answer, "query_intent").replace('_', " ")) }
            }
            (notes(&answer["metadata"]))
            ol.list data-list {
                @for (at, hit) in found.iter().enumerate() {
                    li { (result(&view, hit, reasons.get(at), &words, at, ref_name.as_deref())) }
                }
            }
            @if total > found.len() as u64 && limit < MORE && !found.is_empty() {
                p.more { a.button href=(again(params, "more", "1")) { "More results" } }
            }
        }
    })
}

/// A result: its name, its place, the lines that matter, and why it stands there.
fn result(
    view: &View,
    hit: &Value,
    reason: Option<&Value>,
    words: &[String],
    at: usize,
    ref_name: Option<&str>,
) -> Markup {
    let (path, first, last) = (text(hit, "path"), number(hit, "line_start"), number(hit, "line_end"));
    let id = text(hit, "symbol_id");
    let is_symbol = text(hit, "result_type") == "symbol";
    let place = address::file(path, ref_name, Some((first, last)).filter(|_| text(hit, "result_type") != "file"));
    let to = if is_symbol { address::symbol(id, ref_name) } else { place.clone() };
    let name = Some(text(hit, "qualified_name")).filter(|name| !name.is_empty()).unwrap_or(text(hit, "name"));
    let lines = shown(view, hit, (first, last), words, if at == 0 { FIRST_LINES } else { LINES });
    html! {
        article.result {
            h2 {
                a.open href=(to) {
                    @if !text(hit, "kind").is_empty() { (kind(text(hit, "kind"))) }
                    @if name.is_empty() { span.name { (path) } } @else { span.name { (short_name(name)) } }
                }
                (bars(hit, reason))
            }
            a.place href=(place) { (marked(path, words)) @if first > 0 { ":" (first) } }
            @if !lines.is_empty() {
                a.code href=(place) tabindex="-1" aria-hidden="true" {
                    @let mut before = 0;
                    @for (number, line) in &lines {
                        @if before > 0 && before + 1 < *number { span.gap { "⋯" } }
                        span.ln data-n=(number) { (line) "\n" }
                        ({ before = *number; "" })
                    }
                }
            }
        }
    }
}

/// The lines of a result that matter most, with their numbers.
fn shown(view: &View, hit: &Value, (first, last): (u64, u64), words: &[String], most: usize) -> Vec<(u32, Markup)> {
    let file = outline::file(view, text(hit, "path")).ok().map(|(_, file)| file);
    let source = file.as_ref().and_then(|file| cruxe_query::code::text(view, file));
    let (Some(file), Some(source)) = (file, source.filter(|_| last >= first)) else { return Vec::new() };
    let (aim, room) = (Aim { words, line: None, landmarks: &[] }, Room { bytes: 2_000, lines: most });
    let place = (first as u32, last as u32);
    let colours = Excerpt::new(&source, &file.language, place);
    let lines = excerpt(&source, place, &aim, room).lines.into_iter();
    lines.map(|(number, line)| (number, colours.line(number, words).unwrap_or_else(|| marked(&line, words)))).collect()
}

/// Why a result stands where it does, as bars.
fn bars(hit: &Value, reason: Option<&Value>) -> Markup {
    let score = hit["score"].as_f64().unwrap_or_default();
    let parts: Vec<(usize, &str, f64)> = PARTS
        .iter()
        .enumerate()
        .filter_map(|(at, (key, word))| Some((at, *word, reason?[*key].as_f64()?)))
        .filter(|(.., value)| *value > 0.0005)
        .collect();
    let mut x = 0.0;
    html! {
        details.why {
            summary aria-label=(format!("Score {score:.2}, why")) {
                svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true" {
                    rect.track x="0" y="0" width="100" height="6" {}
                    @for (at, _, value) in &parts {
                        rect class={ "part" (at) } x=(format!("{x:.1}")) y="0" width=(format!("{:.1}", value * 100.0)) height="6" {}
                        ({ x += value * 100.0; "" })
                    }
                }
            }
            dl.reasons {
                dt { "score" } dd { (format!("{score:.3}")) }
                @for (at, word, value) in &parts {
                    dt { svg viewBox="0 0 8 8" aria-hidden="true" { rect class={ "part" (at) } width="8" height="8" rx="2" {} } (word) }
                    dd { (format!("{value:.3}")) }
                }
            }
        }
    }
}

/// The same search with one filter set to something else; empty to take it away.
fn again(params: &Params, filter: &str, value: &str) -> String {
    let kept = ["q", "ref"].into_iter().chain(FILTERS).filter(|name| *name != filter);
    let mut pairs: Vec<(&str, &str)> = kept.filter_map(|name| Some((name, params.get(name)?))).collect();
    pairs.push((filter, value));
    address::with("/search", &pairs)
}

/// What the results can be narrowed down by.
fn facets(params: &Params, found: &[Value]) -> Markup {
    let mut groups: [(&str, &str, BTreeMap<String, usize>); 3] =
        [("Language", "lang", BTreeMap::new()), ("Folder", "path", BTreeMap::new()), ("Kind", "kind", BTreeMap::new())];
    for hit in found {
        let folder = text(hit, "path").split('/').rev().skip(1).collect::<Vec<_>>();
        let folder = folder.into_iter().rev().take(2).collect::<Vec<_>>().join("/");
        for (group, value) in
            groups.iter_mut().zip([text(hit, "language").to_owned(), folder, text(hit, "kind").to_owned()])
        {
            if !value.is_empty() && value != "file" {
                *group.2.entry(value).or_default() += 1;
            }
        }
    }
    html! {
        @for (title, name, values) in &groups {
            @let chosen = params.get(name);
            @let mut values: Vec<(&String, &usize)> = values.iter().collect();
            ({ values.sort_by_key(|(_, number)| std::cmp::Reverse(**number)); "" })
            @if chosen.is_some() || values.len() > 1 {
                section {
                    h2 { (title) }
                    ul.plain {
                        @if let Some(chosen) = chosen {
                            li { a.facet.on href=(again(params, name, "")) { (chosen) span.n { "✕" } } }
                        } @else {
                            @for (value, number) in values.into_iter().take(8) {
                                li { a.facet href=(again(params, name, value)) { span { (value) } span.n { (number) } } }
                            }
                        }
                    }
                }
            }
        }
        section {
            h2 { "Tests" }
            ul.plain.row {
                @for (word, value) in [("with", ""), ("without", "exclude"), ("only", "only")] {
                    @let on = params.get("tests").unwrap_or_default() == value;
                    li { a.facet.on[on] href=(again(params, "tests", value)) aria-current=[on.then_some("true")] { (word) } }
                }
            }
        }
    }
}

/// What stands there before anything is asked.
fn welcome(asking: &Asking, params: &Params) -> Result<Markup, ToolError> {
    let view = asking.view(params.get("ref"))?;
    let state = view.published.as_ref().map(|published| (published.state.files, published.state.symbols));
    let examples = ["where are retries handled", "\"permission denied\"", "parse_config", "src/main"];
    Ok(html! {
        section.welcome {
            h2 { "What are you looking for?" }
            p { "Words, a name, a path, an error message, or a "
                em { "“quoted phrase”" } ". Results come as you type." }
            @if let Some((files, symbols)) = state {
                p.faint { (count(files)) " files and " (count(symbols)) " symbols of " code { (view.standing.ref_name) } }
            } @else {
                p.note { "The index is being built. " a href=(address::page("/status")) { "How far it is" } }
            }
            ul.examples { @for example in examples {
                li { a.button href=(address::with("/search", &[("q", example), ("ref", params.get("ref").unwrap_or_default())])) { (example) } }
            } }
        }
    })
}
