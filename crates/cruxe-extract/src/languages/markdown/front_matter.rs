//! The block of metadata at the top of a document: `---` around YAML, `+++` around TOML.
//!
//! Only the keys at the top level are noted, with their values as they are written.

use cruxe_model::SymbolKind;
use cruxe_model::facts::Span;

use crate::build::{Builder, Decl};

/// Notes the keys of the front matter and returns where the document itself begins.
pub(super) fn declare(build: &mut Builder) -> usize {
    let text = build.text;
    let base = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut lines = lines(text, base);
    let Some((fence, mark)) = lines.next().and_then(|(_, line)| fence(line)) else { return base };
    let mut entries: Vec<(usize, &str)> = Vec::new();
    let mut ends: Vec<usize> = Vec::new();
    let mut in_table = false;
    for (start, line) in lines {
        let end = ends.last_mut();
        if line.trim_end() == fence || (fence == "---" && line.trim_end() == "...") {
            for ((start, key), end) in entries.into_iter().zip(ends) {
                property(build, start, key, end);
            }
            return start + line.len();
        }
        in_table |= mark == '=' && line.starts_with('[');
        match key(line, mark).filter(|_| !in_table) {
            Some(key) => {
                entries.push((start, key));
                ends.push(start + line.trim_end().len());
            }
            None if in_table || line.trim().is_empty() || line.starts_with('#') => {}
            None => {
                if let Some(end) = end {
                    *end = start + line.trim_end().len();
                }
            }
        }
    }
    base // never closed: a thematic break, not metadata
}

fn property(build: &mut Builder, start: usize, key: &str, end: usize) {
    let name = Span { start: start as u32, end: (start + key.len()) as u32 };
    let mut decl = Decl::new(SymbolKind::Property, key, name, Span { start: start as u32, end: end as u32 });
    decl.signature_end = Some(end as u32);
    build.declare(decl);
}

fn fence(line: &str) -> Option<(&'static str, char)> {
    match line.trim_end() {
        "---" => Some(("---", ':')),
        "+++" => Some(("+++", '=')),
        _ => None,
    }
}

/// The key of a line that begins an entry: `title` of `title: Login`.
fn key(line: &str, mark: char) -> Option<&str> {
    let (key, value) = line.split_once(mark)?;
    let plain = |c: char| c.is_alphanumeric() || "_-./ ".contains(c);
    let fits = key.starts_with(|c: char| c.is_alphanumeric() || c == '_') && key.chars().all(plain);
    let ended = mark == '=' || value.is_empty() || value.starts_with(char::is_whitespace);
    (fits && ended).then(|| key.trim_end())
}

/// Lines with their line feeds and the offsets of their starts.
fn lines(text: &str, from: usize) -> impl Iterator<Item = (usize, &str)> {
    text.get(from..).unwrap_or_default().split_inclusive('\n').scan(from, |at, line| {
        let start = *at;
        *at += line.len();
        Some((start, line))
    })
}
