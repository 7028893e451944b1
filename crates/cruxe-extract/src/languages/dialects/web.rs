//! What pages are made of: HTML with its ids and what it refers to, CSS and its dialects with classes, variables and mixins.

use cruxe_model::SymbolKind::{Fn, Heading, Property, Use, Variable};
use cruxe_model::facts::{Import, Role, ScopeId, Span};

use super::super::layout::PLAIN_RELATIONS;
use crate::build::{Builder, Decl};
use crate::language::{Depth, FrontEnd, LANGUAGE, LanguageDef};
use crate::naming::{NAMING, Naming};

/// CSS, SCSS and Less.
pub static CSS: LanguageDef = LanguageDef {
    id: "css",
    name: "css",
    extensions: &["css", "scss", "less", "pcss"],
    front_end: FrontEnd::Plain(css),
    naming: Naming { relations: PLAIN_RELATIONS, files: |path| sheet_names(path), ..NAMING },
    ..LANGUAGE
};

/// The files that `@use "x"` may mean.
fn sheet_names(path: &str) -> Vec<String> {
    let (folder, name) =
        path.rsplit_once('/').map_or((String::new(), path), |(folder, name)| (format!("{folder}/"), name));
    let ends = ["", ".scss", ".css", ".less"];
    ends.iter().flat_map(|end| [format!("{folder}{name}{end}"), format!("{folder}_{name}{end}")]).collect()
}

/// Pages. Their text names nothing; their ids and references do.
pub static HTML: LanguageDef = LanguageDef {
    id: "html",
    name: "html",
    depth: Depth::Document,
    cut_by_symbols: false,
    extensions: &["html", "htm", "xhtml"],
    front_end: FrontEnd::Plain(html),
    family: Some(&CSS),
    naming: Naming { relations: PLAIN_RELATIONS, ..NAMING },
    ..LANGUAGE
};

/// A sheet larger than this was made by a program.
const MAX_SHEET: usize = 512 << 10;
/// More ids of one page are those of a generated one.
const MAX_IDS: usize = 500;

fn css(build: &mut Builder) {
    let text = build.text;
    let bytes = text.as_bytes();
    let (mut at, mut start, mut depth) = (0, 0, 0usize);
    let mut open: Vec<usize> = Vec::new();
    while at < bytes.len() && text.len() <= MAX_SHEET {
        if at % 4096 == 0 && build.out_of_time() {
            build.expire();
            break;
        }
        match bytes[at] {
            b'/' if bytes[at..].starts_with(b"/*") => {
                at += memchr::memmem::find(&bytes[at..], b"*/").map_or(bytes.len() - at, |end| end + 2);
                start = if text[start..at.min(text.len())].trim_start().starts_with("/*") { at } else { start };
                continue;
            }
            b'/' if bytes[at..].starts_with(b"//") && (at == 0 || bytes[at - 1] != b':') => {
                at += memchr::memchr(b'\n', &bytes[at..]).unwrap_or(bytes.len() - at);
                start = if text[start..at].trim_start().starts_with("//") { at } else { start };
                continue;
            }
            quote @ (b'"' | b'\'') => {
                let end = memchr::memchr2(quote, b'\n', &bytes[at + 1..]);
                at += end.map_or(0, |end| end + 1);
            }
            b'{' if at > 0 && bytes[at - 1] == b'#' => {
                at += memchr::memchr(b'}', &bytes[at..]).unwrap_or(0);
            }
            b'{' => {
                let end = block_end(bytes, at);
                let shown = head(build, start, at, end);
                open.push(shown);
                depth += 1;
                start = at + 1;
            }
            b'}' => {
                declaration(build, start, at);
                for _ in 0..open.pop().unwrap_or(0) {
                    build.close_symbol();
                }
                depth = depth.saturating_sub(1);
                start = at + 1;
            }
            b';' => {
                declaration(build, start, at);
                start = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    if text.len() <= MAX_SHEET && build.out_of_time() {
        build.expire();
    }
    let _ = depth;
    for count in open {
        (0..count).for_each(|_| build.close_symbol());
    }
}

fn block_end(bytes: &[u8], open: usize) -> usize {
    let mut depth = 0usize;
    for (at, byte) in bytes[open..].iter().enumerate().take(1 << 16) {
        match byte {
            b'{' => depth += 1,
            b'}' if depth == 1 => return open + at + 1,
            b'}' => depth -= 1,
            _ => {}
        }
    }
    (open + 1).min(bytes.len())
}

/// Notes what stands before a `{`: a mixin, a function, or the classes and ids of a selector. Returns how many symbols it opened.
fn head(build: &mut Builder, start: usize, open: usize, end: usize) -> usize {
    let text = build.text;
    let piece = text.get(start..open).unwrap_or_default();
    let trimmed = piece.trim_start();
    let from = start + (piece.len() - trimmed.len());
    let span = Span { start: from as u32, end: end as u32 };
    for (word, kind) in [("@mixin ", Fn), ("@function ", Fn)] {
        if let Some(rest) = trimmed.strip_prefix(word) {
            let name = word_at(rest.trim_start());
            if !name.is_empty() {
                declare(build, kind, name, span);
            }
            return 0;
        }
    }
    if trimmed.starts_with('@') {
        includes(build, trimmed);
        variables(build, trimmed);
        return 0;
    }
    let mut seen: Vec<&str> = Vec::new();
    for (at, sign) in trimmed.match_indices(['.', '#']) {
        let name = word_at(&trimmed[at + 1..]);
        let number = name.starts_with(|c: char| c.is_ascii_digit());
        if name.is_empty() || number || trimmed[at + 1..].starts_with('{') {
            continue;
        }
        let _ = sign;
        // The last of a selector is what the rule is about; the others are named.
        let rest = &trimmed[at + 1 + name.len()..];
        let about = !rest.split(',').next().unwrap_or_default().contains(['.', '#']);
        if about && !seen.contains(&name) {
            seen.push(name);
            declare(build, Property, name, span);
        } else {
            let place = place_of(text, name);
            build.occurrence_at(name, place.start, Role::Value, None);
        }
    }
    0
}

/// Notes what a line of a rule sets and names: `--x: …`, `$x: …`, `@x: …`, `@include x`, `var(--x)`.
fn declaration(build: &mut Builder, start: usize, end: usize) {
    let text = build.text;
    let piece = text.get(start..end).unwrap_or_default();
    let trimmed = piece.trim_start();
    let from = start + (piece.len() - trimmed.len());
    if trimmed.is_empty() {
        return;
    }
    if ["@import", "@use", "@forward"].iter().any(|word| trimmed.starts_with(word)) {
        return import(build, trimmed, Span { start: from as u32, end: end as u32 });
    }
    let mut rest = trimmed;
    if trimmed.starts_with("--") || trimmed.starts_with(['$', '@']) {
        let skip = if trimmed.starts_with("--") { 2 } else { 1 };
        let name = word_at(&trimmed[skip..]);
        let behind = trimmed[skip + name.len()..].trim_start();
        if !name.is_empty() && behind.starts_with(':') {
            declare(build, Variable, name, Span { start: from as u32, end: end as u32 });
            rest = behind;
        }
    }
    includes(build, rest);
    variables(build, rest);
}

fn import<'s>(build: &mut Builder<'s>, line: &'s str, span: Span) {
    let mut parts = line.split(['"', '\'']);
    let Some(path) = parts.nth(1).filter(|path| !path.is_empty()) else { return };
    let place = place_of(build.text, path);
    build.declare(Decl::new(Use, path, place, span));
    let module = build.name(path);
    build.import(Import {
        module,
        name: None,
        alias: None,
        glob: true,
        reexport: true,
        start: place.start,
        scope: ScopeId(0),
    });
}

fn includes<'s>(build: &mut Builder<'s>, piece: &'s str) {
    for word in ["@include ", "@extend ."] {
        for (at, _) in piece.match_indices(word) {
            let whole = word_at(&piece[at + word.len()..]);
            let behind = &piece[at + word.len() + whole.len()..];
            let name = behind.strip_prefix('.').map_or(whole, word_at);
            if !name.is_empty() {
                let role = if word.starts_with("@include") { Role::Call } else { Role::Value };
                build.occurrence_at(name, place_of(build.text, name).start, role, None);
            }
        }
    }
}

/// `var(--x)` and `$x`.
fn variables<'s>(build: &mut Builder<'s>, piece: &'s str) {
    for (at, mark) in piece.match_indices("--").chain(piece.match_indices('$')) {
        let name = word_at(&piece[at + mark.len()..]);
        let begins = at == 0 || !piece[..at].ends_with(|c: char| c.is_alphanumeric() || c == '-' || c == '_');
        if begins && name.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            build.occurrence_at(name, place_of(build.text, name).start, Role::Value, None);
        }
    }
}

/// The name at the beginning of a text; `-` may be in it.
fn word_at(text: &str) -> &str {
    let length = text.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '-').unwrap_or(text.len());
    text[..length].trim_end_matches('-')
}

fn place_of(text: &str, piece: &str) -> Span {
    let start = (piece.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
    Span { start: start as u32, end: (start + piece.len()) as u32 }
}

fn declare(build: &mut Builder, kind: cruxe_model::SymbolKind, name: &str, span: Span) {
    let place = place_of(build.text, name);
    let span = Span { start: span.start.min(place.start), end: span.end.max(place.end) };
    let mut decl = Decl::new(kind, name, place, span);
    decl.signature_end = Some(build.line_around(place.start).end.min(span.end));
    build.declare(decl);
}

fn html(build: &mut Builder) {
    let text = build.text;
    let bytes = text.as_bytes();
    let (mut at, mut ids) = (0, 0);
    while let Some(found) = memchr::memchr(b'<', &bytes[at..]) {
        if build.out_of_time() {
            return build.expire();
        }
        let open = at + found;
        if bytes[open..].starts_with(b"<!--") {
            at = memchr::memmem::find(&bytes[open..], b"-->").map_or(bytes.len(), |end| open + end + 3);
            continue;
        }
        let end = memchr::memchr(b'>', &bytes[open..]).map_or(bytes.len(), |end| open + end);
        let tag = &text[open..end];
        let name = word_at(tag.get(1..).unwrap_or_default());
        for (attribute, value) in attributes(tag) {
            match attribute {
                "id" if !value.contains(['{', '<', ' ']) && ids < MAX_IDS => {
                    ids += 1;
                    declare(build, Heading, value, Span { start: open as u32, end: end as u32 });
                }
                "src" | "href"
                    if matches!(name, "script" | "link" | "a" | "img" | "iframe") && !value.starts_with('#') =>
                {
                    build.occurrence_at(value, place_of(text, value).start, Role::Link, None);
                }
                "class" => {
                    for one in value.split_whitespace().filter(|one| word_at(one) == *one) {
                        build.occurrence_at(one, place_of(text, one).start, Role::Value, None);
                    }
                }
                _ => {}
            }
        }
        at = (end + 1).min(bytes.len());
        // What a script or a style holds is no markup.
        if matches!(name, "script" | "style") {
            let close = format!("</{name}");
            at = memchr::memmem::find(&bytes[at..], close.as_bytes()).map_or(bytes.len(), |end| at + end);
        }
    }
    if build.out_of_time() {
        build.expire();
    }
}

/// The attributes of a tag that have a quoted value.
fn attributes(tag: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = tag;
    std::iter::from_fn(move || {
        loop {
            let equal = rest.find('=')?;
            let name = rest[..equal].rsplit(|c: char| c.is_whitespace()).next().unwrap_or_default();
            let behind = &rest[equal + 1..];
            let Some(quote) = behind.chars().next().filter(|c| matches!(c, '"' | '\'')) else {
                rest = behind;
                continue;
            };
            let value = &behind[1..];
            let end = value.find(quote)?;
            rest = &value[end + 1..];
            if end > 0 {
                return Some((name, &value[..end]));
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use crate::languages::fixture_tests::extract;

    #[test]
    fn a_selector_is_about_its_last_name_and_names_the_others() {
        let facts = extract("a.scss", ".card .title, .card:hover { color: $ink; @include wide(2); }\n$ink: red;\n");
        let symbols: Vec<&str> = facts.symbols.iter().map(|symbol| symbol.name.as_str()).collect();
        assert_eq!(symbols, ["title", "card", "ink"]);
        let uses: Vec<&str> = facts.occurrences.iter().map(|one| facts.name(one.name)).collect();
        assert_eq!(uses, ["card", "ink", "wide"]);
    }

    #[test]
    fn ids_and_links_of_a_page_count_and_its_text_does_not() {
        let facts = extract(
            "a.html",
            "<p id=\"top\" class=\"wide {% x %}\">card</p><a href=\"b.html\">x</a><script>id=\"no\"</script><i id='{{ x }}'>",
        );
        assert_eq!(facts.symbols.iter().map(|symbol| symbol.name.as_str()).collect::<Vec<_>>(), ["top"]);
        assert_eq!(
            facts.occurrences.iter().map(|one| facts.name(one.name)).collect::<Vec<_>>(),
            ["wide", "x", "b.html"]
        );
    }
}
