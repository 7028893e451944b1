//! A symbol: who calls it on the left, its source in the middle, whom it calls on the right; below it every use, what builds on
//! it, who writes about it, and how it is on other refs.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::Path;
use axum::response::Response;
use cruxe_server::contract::ToolError;
use cruxe_server::contract::names::{
    COMPARE_SYMBOL_BETWEEN_COMMITS, FIND_REFERENCES, GET_CALL_GRAPH, LOCATE_SYMBOL, SEARCH_CODE,
};
use maud::{Markup, html};
use serde_json::{Value, json};

use super::{count, kind, place_link, place_of, short_name, symbol_link};
use crate::address;
use crate::ask::{Asking, list, number, text};
use crate::layout::{Look, notes};
use crate::params::Params;
use crate::visit::Visit;

/// Callers and callees that are listed at once.
const EDGES: u64 = 40;
/// Uses that are listed at once.
const USES: u64 = 200;
/// Lines of source that are shown before one asks for the file.
const LINES: usize = 160;
const PEEK: usize = 30;
/// Lines of documents that are listed.
const MENTIONS: u64 = 12;
/// Refs that a symbol is looked up in.
const REFS: usize = 12;

pub(crate) async fn page(visit: Visit, Path(name): Path<String>, params: Params) -> Response {
    let title = params.get("name").unwrap_or(&name).to_owned();
    let look = Look::new("", title).script("file.js").wide();
    let asked = params.clone();
    visit
        .page(&params, look, move |asking| {
            let wanted = Wanted { name: &name, params: &asked };
            match asked.part() {
                Some("callers") => edges(asking, &wanted, "callers"),
                Some("callees") => edges(asking, &wanted, "callees"),
                Some("uses") => uses(asking, &wanted),
                Some("relations") => relations(asking, &wanted),
                Some("mentions") => mentions(asking, &wanted),
                Some("history") => history(asking, &wanted),
                Some("peek") => peek(asking, &wanted),
                _ => body(asking, &wanted),
            }
        })
        .await
}

/// The symbol that an address names.
struct Wanted<'a> {
    name: &'a str,
    params: &'a Params,
}

impl Wanted<'_> {
    fn ref_name(&self) -> Option<&str> {
        self.params.get("ref")
    }

    /// The arguments that name it.
    fn arguments(&self, more: Value) -> Value {
        let mut all = json!({
            "symbol_name": self.name, "ref": self.ref_name(), "path": self.params.get("path"),
            "line": self.params.number("line"),
        });
        if let (Value::Object(all), Value::Object(more)) = (&mut all, more) {
            all.extend(more);
        }
        all
    }

    /// The address of a part of the page.
    fn part(&self, symbol: &Value, part: &str) -> String {
        let base = format!("/symbol/{}", address::part(text(symbol, "symbol_id")));
        address::with(&base, &[("ref", self.ref_name().unwrap_or_default()), ("part", part)])
    }
}

fn body(asking: &Asking, wanted: &Wanted) -> Result<Markup, ToolError> {
    let graph = asking.tool(GET_CALL_GRAPH, wanted.arguments(json!({"limit": EDGES})))?;
    let symbol = &graph["symbol"];
    let located = if text(symbol, "kind") == "external" {
        Value::Null
    } else {
        asking.tool(LOCATE_SYMBOL, json!({"name": text(symbol, "symbol_id"), "ref": wanted.ref_name(), "limit": 1}))?
    };
    let found = &located["results"][0];
    let ref_name = wanted.ref_name();
    let (id, name) = (text(symbol, "symbol_id"), text(symbol, "qualified_name"));
    let others = list(&graph, "candidates");
    Ok(html! {
        header.symbol-head {
            h1 { (kind(text(symbol, "kind"))) (short_name(name)) }
            p.row.faint {
                (place_of(symbol, ref_name))
                @if !text(found, "visibility").is_empty() { span.tag { (text(found, "visibility")) } }
                @if !text(found, "source_layer").is_empty() { span.tag { (text(found, "source_layer")) } }
                a.button href=(address::with("/graph", &[("symbol", id), ("ref", ref_name.unwrap_or_default())])) { "Graph" }
                a.button href=(address::with("/search", &[("q", text(symbol, "name")), ("ref", ref_name.unwrap_or_default())])) { "Search" }
            }
            (notes(&graph["metadata"]))
            @if !others.is_empty() {
                details.others {
                    summary { (others.len()) " other definitions of this name" }
                    ul.plain { @for other in others { li { (symbol_link(other, ref_name)) " " (place_of(other, ref_name)) } } }
                }
            }
        }
        div #trio.trio data-live="index" {
            section.side aria-label="Callers" {
                h2 { "Callers " span.n { (list(&graph, "callers").len()) } }
                (edge_list(wanted, &graph, "callers"))
            }
            section.middle aria-label="Source" { (source(asking, symbol, ref_name, LINES)?) }
            section.side aria-label="Callees" {
                h2 { "Callees " span.n { (list(&graph, "callees").len()) } }
                (edge_list(wanted, &graph, "callees"))
            }
        }
        div.below {
            section #uses.card data-load=(wanted.part(symbol, "uses")) data-live="index" { h2 { "Uses" } p.faint { "…" } }
            section #relations.card data-load=(wanted.part(symbol, "relations")) { h2 { "Relations" } p.faint { "…" } }
            section #mentions.card data-load=(wanted.part(symbol, "mentions")) data-live="index deck" { h2 { "Documents and cards" } p.faint { "…" } }
            section #history.card data-load=(wanted.part(symbol, "history")) { h2 { "On other refs" } p.faint { "…" } }
        }
    })
}

/// The source of a symbol, or of as much of it as fits.
fn source(asking: &Asking, symbol: &Value, ref_name: Option<&str>, most: usize) -> Result<Markup, ToolError> {
    let path = text(symbol, "path");
    if path.is_empty() {
        return Ok(html! { p.empty { "It is not defined in this repository." } });
    }
    let view = asking.view(ref_name)?;
    let (_, source) = asking.visit.site.colours.of(&view, path)?;
    let (first, last) = (number(symbol, "line_start") as usize, number(symbol, "line_end") as usize);
    let shown = last.min(first + most - 1);
    Ok(html! {
        div.file data-path=(path) data-ref=[ref_name] {
            div.code tabindex="0" role="region" aria-label={ "Source of " (text(symbol, "name")) } { (source.rows(first, shown, None)) }
        }
        @if shown < last {
            p.more { a.button href=(address::file(path, ref_name, Some((first as u64, last as u64)))) { (last - shown) " more lines" } }
        }
    })
}

fn peek(asking: &Asking, wanted: &Wanted) -> Result<Markup, ToolError> {
    let found = asking.tool(LOCATE_SYMBOL, json!({"name": wanted.name, "ref": wanted.ref_name(), "limit": 1}))?;
    source(asking, &found["results"][0], wanted.ref_name(), PEEK)
}

fn edges(asking: &Asking, wanted: &Wanted, direction: &str) -> Result<Markup, ToolError> {
    let arguments = wanted.arguments(json!({"direction": direction, "limit": EDGES}));
    let graph = asking.tool(GET_CALL_GRAPH, arguments)?;
    Ok(edge_list(wanted, &graph, direction))
}

/// Callers or callees, each of which opens in its place.
fn edge_list(wanted: &Wanted, graph: &Value, direction: &str) -> Markup {
    let edges = list(graph, direction);
    let ref_name = wanted.ref_name();
    html! {
        @if edges.is_empty() { p.faint { "None found" } }
        ul.edges {
            @for edge in edges {
                @let symbol = &edge["symbol"];
                @let site = &edge["call_site"];
                li.test[symbol["is_test"].as_bool() == Some(true)] {
                    div.edge {
                        @if !text(symbol, "symbol_id").is_empty() && text(symbol, "kind") != "external" {
                            button.twist type="button" aria-expanded="false" data-open=(wanted.part(symbol, direction))
                                aria-label={ "More " (direction) " of " (text(symbol, "name")) } {}
                        }
                        span.edge-name { (symbol_link(symbol, ref_name)) (sure(text(edge, "confidence"))) }
                    }
                    p.site {
                        (call_site(site, text(&graph["symbol"], "path"), ref_name))
                        @if number(edge, "call_count") > 1 { span.n { "×" (number(edge, "call_count")) } }
                        @if text(symbol, "kind") != "external" && !text(symbol, "symbol_id").is_empty() {
                            button.quiet.peek type="button" aria-expanded="false" data-open=(wanted.part(symbol, "peek")) { "source" }
                        }
                    }
                    div.opened hidden {}
                }
            }
        }
    }
}

/// Where a call stands: of the symbol's own file the line alone, of others the end of the path.
fn call_site(site: &Value, own: &str, ref_name: Option<&str>) -> Markup {
    let (path, line) = (text(site, "file"), number(site, "line"));
    let end = path.rmatch_indices('/').nth(1).map_or(path, |(at, _)| &path[at + 1..]);
    html! {
        a.place href=(address::file(path, ref_name, Some((line, line)))) title={ (path) ":" (line) } {
            @if path == own { "line " (line) } @else { (end) ":" (line) }
        }
    }
}

/// How sure it is, where it is not simply so.
fn sure(confidence: &str) -> Markup {
    html! { @match confidence {
        "heuristic" => span.sure-guess title="the type of the receiver is not known" { "guess" },
        "exact" => span.sure-exact title="a compiler's index says so" { "exact" },
        _ => {},
    } }
}

/// Every use by file, and what may be one.
fn uses(asking: &Asking, wanted: &Wanted) -> Result<Markup, ToolError> {
    let answer = asking.tool(FIND_REFERENCES, wanted.arguments(json!({"limit": USES, "include_unresolved": true})))?;
    let (found, open) = (list(&answer, "references"), list(&answer, "unresolved"));
    let total = number(&answer, "total_references");
    let mut files: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
    found.iter().for_each(|one| files.entry(text(one, "path")).or_default().push(one));
    let ref_name = wanted.ref_name();
    let unresolved = number(&answer["metadata"], "unresolved_mentions");
    Ok(html! {
        h2 { "Uses " span.n { (count(total)) } @if unresolved > 0 { " " span.sure-guess { (count(unresolved)) " unresolved" } } }
        (notes(&answer["metadata"]))
        @if found.is_empty() && unresolved == 0 && text(&answer["metadata"], "result_completeness") == "complete" { p.faint { "It is unused." } }
        @for (path, uses) in files {
            details.uses open[total <= 60] {
                summary { (path) " " span.n { (uses.len()) } }
                ul.plain.lines { @for one in uses {
                    li {
                        a.line-link href=(address::file(path, ref_name, Some((number(one, "line_start"), 0)))) {
                            span.ln-no { (number(one, "line_start")) } code { (text(one, "context")) }
                        }
                        span.faint { (text(one, "edge_type")) " in " (text(&one["from_symbol"], "name")) }
                        (sure(text(one, "confidence")))
                    }
                } }
            }
        }
        @if total > found.len() as u64 { p.faint { (count(total - found.len() as u64)) " more" } }
        @if !open.is_empty() {
            details.uses {
                summary { "Unresolved: may mean it " span.n { (open.len()) } }
                ul.plain.lines { @for one in open {
                    li {
                        a.line-link href=(address::file(text(one, "path"), ref_name, Some((number(one, "line"), 0)))) {
                            span.ln-no { (text(one, "path")) ":" (number(one, "line")) } code { (text(one, "context")) }
                        }
                        span.faint { (text(one, "reason")) }
                    }
                } }
            }
        }
    })
}

/// Relations with what a reader calls them.
const RELATIONS: [(&str, &str); 6] = [
    ("subtypes", "Sub-types"),
    ("supertypes", "Super types"),
    ("overrides", "Overridden by"),
    ("overridden", "Overrides"),
    ("constructs", "Made in"),
    ("decorates", "Decorates"),
];

fn relations(asking: &Asking, wanted: &Wanted) -> Result<Markup, ToolError> {
    let ref_name = wanted.ref_name();
    // A relation that does not fit what the symbol is, or that its language does not have, is refused.
    let found = RELATIONS.iter().filter_map(|(kind, title)| {
        let answer = asking.tool(FIND_REFERENCES, wanted.arguments(json!({"kind": kind, "limit": 60}))).ok()?;
        (number(&answer, "total_references") > 0).then_some((*title, answer))
    });
    let found: Vec<(&str, Value)> = found.collect();
    Ok(html! {
        h2 { "Relations" }
        @if found.is_empty() { p.faint { "None" } }
        @for (title, answer) in &found {
            details.uses open[number(answer, "total_references") <= 12] {
                summary { (title) " " span.n { (count(number(answer, "total_references"))) } }
                ul.plain { @for one in list(answer, "references") {
                    li {
                        (symbol_link(&one["from_symbol"], ref_name)) " "
                        (place_link(text(one, "path"), number(one, "line_start"), 0, ref_name))
                        @if number(one, "depth") > 1 { span.n { (number(one, "depth")) " steps" } }
                        (sure(text(one, "confidence")))
                    }
                } }
            }
        }
    })
}

/// Documents and cards that have the name in their text.
fn mentions(asking: &Asking, wanted: &Wanted) -> Result<Markup, ToolError> {
    let found = asking.tool(LOCATE_SYMBOL, json!({"name": wanted.name, "ref": wanted.ref_name(), "limit": 1}))?;
    let name = text(&found["results"][0], "name").to_owned();
    let lines = asking.tool(
        SEARCH_CODE,
        json!({"query": "", "pattern": format!("\\b{name}\\b"), "ref": wanted.ref_name(),
               "paths": ["*.md", "*.rst", "*.txt", "*.adoc"], "limit": MENTIONS}),
    );
    // A name may be no word: an operator, say.
    let lines = lines.unwrap_or_default();
    let cards = asking.visit.deck().cards().unwrap_or_default();
    let of_card = |card: &&Arc<cruxe_deck::Card>| {
        card.title.contains(&name) || card.refs.iter().any(|one| one.ends_with(&format!("#{name}")))
    };
    let cards: Vec<&Arc<cruxe_deck::Card>> = cards.cards.iter().filter(of_card).collect();
    Ok(html! {
        h2 { "Documents and cards " span.n { (number(&lines, "total_candidates") as usize + cards.len()) } }
        @if list(&lines, "results").is_empty() && cards.is_empty() { p.faint { "None" } }
        ul.plain.lines {
            @for card in cards {
                li { a href=(address::with("/board", &[("card", card.id.as_str())])) { (card.title) } span.faint { (card.status.as_str()) } }
            }
            @for line in list(&lines, "results") {
                li.full {
                    a.mention href=(address::file(text(line, "path"), wanted.ref_name(), Some((number(line, "line_start"), 0)))) {
                        span.place { (text(line, "path")) ":" (number(line, "line_start")) } code { (text(line, "snippet").trim()) }
                    }
                }
            }
        }
    })
}

/// How the symbol is on the other refs.
fn history(asking: &Asking, wanted: &Wanted) -> Result<Markup, ToolError> {
    let found = asking.tool(LOCATE_SYMBOL, json!({"name": wanted.name, "ref": wanted.ref_name(), "limit": 1}))?;
    let symbol = &found["results"][0];
    let refs = asking.visit.refs();
    let own = wanted.ref_name().unwrap_or(&refs.current).to_owned();
    let others: Vec<&String> = refs.names.iter().filter(|name| **name != own).take(REFS).collect();
    let rows = others.iter().map(|other| {
        let answer = asking.tool(
            COMPARE_SYMBOL_BETWEEN_COMMITS,
            json!({"symbol_name": text(symbol, "qualified_name"), "path": text(symbol, "path"), "base_ref": own, "head_ref": other}),
        );
        (*other, answer)
    });
    let rows: Vec<(&String, Result<Value, ToolError>)> = rows.collect();
    Ok(html! {
        h2 { "On other refs" }
        @if rows.is_empty() { p.faint { "No other ref is indexed." } }
        @for (name, answer) in rows {
            @match answer {
                Err(error) => p { code { (name) } " " span.faint { (error.message) } },
                Ok(answer) => {
                    @let summary = &answer["diff_summary"];
                    @if text(summary, "status") == "unchanged" { p { code { (name) } " " span.faint { "the same" } } }
                    @else {
                        details.uses {
                            summary { code { (name) } " "
                                @if !text(summary, "status").is_empty() { (text(summary, "status")) } @else {
                                    span.good { "+" (number(summary, "lines_added")) } " " span.bad { "−" (number(summary, "lines_removed")) }
                                    @if summary["signature_changed"].as_bool() == Some(true) { " " span.tag { "signature" } }
                                }
                            }
                            (diff(text(&answer, "diff")))
                        }
                    }
                }
            }
        }
    })
}

/// A unified diff.
pub(crate) fn diff(text: &str) -> Markup {
    html! {
        pre.diff tabindex="0" { @for line in text.lines() {
            @let class = match line.as_bytes().first() { Some(b'+') => "added", Some(b'-') => "gone", Some(b'@') => "at", _ => "same" };
            span class=(class) { (line) "\n" }
        } }
    }
}
