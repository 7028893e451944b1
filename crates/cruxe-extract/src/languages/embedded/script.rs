//! A component as a parser of TypeScript is shown it: scripts as they are, the expressions of the template as statements of
//! their own behind or before them, everything else blank.

use super::template::{Markup, template};

/// The text in which only code is left.
pub(super) fn shown(text: &str, markup: Markup) -> String {
    let mut out = Shown::new(text);
    let mut at = 0;
    if markup == Markup::Astro {
        at = front_matter(text, &mut out);
    }
    // What stands outside of scripts and styles is the template, in pieces.
    while at < text.len() {
        let Some(block) = next_block(text, at) else { break };
        template(text, at..block.open, markup, &mut out);
        if block.is_script {
            out.keep(block.content..block.end);
        }
        at = block.after;
    }
    if at < text.len() {
        template(text, at..text.len(), markup, &mut out);
    }
    out.finish()
}

/// The code between the `---` lines at the top of an Astro file.
fn front_matter(text: &str, out: &mut Shown) -> usize {
    let start = text.len() - text.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n']).len();
    if !text[start..].starts_with("---") {
        return 0;
    }
    let from = start + 3;
    let end = text[from..].find("\n---").map(|at| from + at);
    out.keep(from..end.unwrap_or(text.len()));
    end.map_or(text.len(), |end| end + 4)
}

/// A `<script>` or `<style>`.
struct Block {
    open: usize,
    content: usize,
    end: usize,
    after: usize,
    is_script: bool,
}

fn next_block(text: &str, from: usize) -> Option<Block> {
    let bytes = text.as_bytes();
    let mut at = from;
    loop {
        let open = at + memchr::memchr(b'<', bytes.get(at..)?)?;
        if bytes[open..].starts_with(b"<!--") {
            at = memchr::memmem::find(&bytes[open..], b"-->").map_or(text.len(), |end| open + end + 3);
            continue;
        }
        for (name, close) in [("script", "</script"), ("style", "</style")] {
            let tag = bytes.get(open + 1..open + 1 + name.len()).unwrap_or_default();
            let ends =
                bytes.get(open + 1 + name.len()).is_none_or(|byte| !byte.is_ascii_alphanumeric() && *byte != b'-');
            if tag.eq_ignore_ascii_case(name.as_bytes()) && ends {
                let content = tag_end(bytes, open);
                let end = find_ignoring_case(&bytes[content..], close.as_bytes()).map_or(text.len(), |at| content + at);
                let after = if end < text.len() { tag_end(bytes, end) } else { end };
                let head = text.get(open..content).unwrap_or_default();
                let is_script = name == "script" && is_code(head);
                return Some(Block { open, content, end, after, is_script });
            }
        }
        at = open + 1;
    }
}

/// Whether the tag of a script says that code is in it: not JSON, not a template.
fn is_code(tag: &str) -> bool {
    let Some(kind) = tag.find("type=").and_then(|at| tag[at + 5..].split(['"', '\'']).nth(1)) else { return true };
    kind.is_empty() || kind == "module" || kind.contains("script") || kind.contains("babel")
}

/// The offset behind the `>` of a tag; quotes may hold one too.
pub(super) fn tag_end(bytes: &[u8], open: usize) -> usize {
    let (mut at, mut quote) = (open, None);
    while let Some(byte) = bytes.get(at) {
        match (quote, byte) {
            (Some(mark), byte) if mark == *byte => quote = None,
            (None, b'"' | b'\'') => quote = Some(*byte),
            (None, b'>') => return at + 1,
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

fn find_ignoring_case(bytes: &[u8], word: &[u8]) -> Option<usize> {
    memchr::memchr_iter(b'<', bytes)
        .find(|at| bytes.get(*at..at + word.len()).is_some_and(|there| there.eq_ignore_ascii_case(word)))
}

/// A text of the same length that begins blank.
pub(super) struct Shown<'t> {
    text: &'t [u8],
    out: Vec<u8>,
}

impl<'t> Shown<'t> {
    pub(super) fn new(text: &'t str) -> Shown<'t> {
        let blank = |byte: u8| if matches!(byte, b'\n' | b'\r') { byte } else { b' ' };
        Shown { text: text.as_bytes(), out: text.bytes().map(blank).collect() }
    }

    /// Shows a piece as it is.
    pub(super) fn keep(&mut self, range: std::ops::Range<usize>) {
        if let (Some(place), Some(piece)) = (self.out.get_mut(range.clone()), self.text.get(range)) {
            place.copy_from_slice(piece);
        }
    }

    /// Puts a sign where something blank is; tells whether it could.
    pub(super) fn sign(&mut self, at: usize, sign: u8) -> bool {
        match self.out.get_mut(at) {
            // The rest of a longer letter must not stay without its beginning.
            Some(place) if *place == b' ' && self.text.get(at).is_some_and(u8::is_ascii) => {
                *place = sign;
                true
            }
            _ => false,
        }
    }

    pub(super) fn is_blank(&self, at: usize) -> bool {
        self.out.get(at) == Some(&b' ') && self.text.get(at).is_some_and(u8::is_ascii)
    }

    pub(super) fn finish(self) -> String {
        // Pieces are kept whole, so no letter was cut; if one was, nothing is shown.
        String::from_utf8(self.out).unwrap_or_else(|cut| " ".repeat(cut.as_bytes().len()))
    }
}
