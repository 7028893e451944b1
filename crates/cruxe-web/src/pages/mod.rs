//! The pages, a file each.

pub(crate) mod at;
pub(crate) mod board;
pub(crate) mod branches;
pub(crate) mod card;
pub(crate) mod doc;
pub(crate) mod file;
pub(crate) mod folder;
pub(crate) mod graph;
pub(crate) mod lobby;
pub(crate) mod search;
pub(crate) mod status;
pub(crate) mod symbol;

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use maud::{Markup, html};
use serde_json::Value;

use crate::address;
use crate::ask::{number, text};
use crate::layout::{self, Look};
use crate::params::Params;
use crate::visit::Visit;

/// The answer to an address that is none.
pub(crate) async fn nothing(visit: Visit, params: Params) -> Response {
    let body = html! { div.empty { p.empty-title { "There is no such page." } p { a href=(address::page("/")) { "Search" } } } };
    let page = layout::page(&visit, &params, &Look::new("", "Not found"), &visit.figures(), body);
    (StatusCode::NOT_FOUND, page).into_response()
}

/// The kind of a symbol, as a small word before its name.
pub(crate) fn kind(word: &str) -> Markup {
    html! { span.kind data-kind=(word) { (word) } }
}

/// A symbol of an answer with its page.
pub(crate) fn symbol_link(symbol: &Value, ref_name: Option<&str>) -> Markup {
    let (id, name) = (text(symbol, "symbol_id"), text(symbol, "qualified_name"));
    let name = if name.is_empty() { text(symbol, "name") } else { name };
    html! {
        (kind(text(symbol, "kind")))
        @if id.is_empty() { span.name { (name) } } @else { a.name href=(address::symbol(id, ref_name)) { (short_name(name)) } }
    }
}

/// A place with its page.
pub(crate) fn place_link(path: &str, first: u64, last: u64, ref_name: Option<&str>) -> Markup {
    let lines = if first == 0 { None } else { Some((first, last.max(first))) };
    html! { a.place href=(address::file(path, ref_name, lines)) { (path) @if first > 0 { ":" (first) } } }
}

/// The place of a symbol of an answer.
pub(crate) fn place_of(symbol: &Value, ref_name: Option<&str>) -> Markup {
    place_link(text(symbol, "path"), number(symbol, "line_start"), number(symbol, "line_end"), ref_name)
}

/// A qualified name with its last two parts set off from what they are in.
pub(crate) fn short_name(name: &str) -> Markup {
    let cut = name.char_indices().rev().filter(|(_, c)| matches!(c, '.' | ':' | '/' | '\\' | '#'));
    // Two separators from the end; `::` is one.
    let mut seen = 0;
    let mut at = 0;
    let mut last = usize::MAX;
    for (place, _) in cut {
        if place + 1 != last {
            seen += 1;
        }
        last = place;
        if seen == 2 {
            at = place + 1;
            break;
        }
    }
    let (around, own) = name.split_at(at);
    html! { @if !around.is_empty() { span.around { (around) } wbr; } (own) }
}

/// A size in bytes for people.
pub(crate) fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}

/// A number with its thousands set apart.
pub(crate) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_sizes_and_numbers_read_well() {
        assert_eq!(short_name("a.b.C.d").into_string(), "<span class=\"around\">a.b.</span><wbr>C.d");
        assert_eq!(short_name("a::b::c").into_string(), "<span class=\"around\">a::</span><wbr>b::c");
        assert_eq!(short_name("go").into_string(), "go");
        assert_eq!((size(12), size(1_500), size(2_500_000)), ("12 B".into(), "1.5 kB".into(), "2.5 MB".into()));
        assert_eq!((count(7), count(1234), count(1_234_567)), ("7".into(), "1,234".into(), "1,234,567".into()));
    }
}
