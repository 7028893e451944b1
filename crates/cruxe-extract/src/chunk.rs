//! Cuts a file into pieces for full-text search.
//!
//! A piece is a definition where there is one: a function, a small type with its members. Long bodies are split with
//! some lines of overlap, large containers into head and members, and what lies between definitions becomes pieces of
//! its own, so that every line that is not blank is in at least one piece.

use cruxe_model::SymbolKind;
use cruxe_model::facts::{Chunk, FileFacts, Span, SymbolIndex};

/// A longer piece is split.
const MAX_LINES: u32 = 60;
/// Lines that two pieces of a split body share.
const OVERLAP: u32 = 8;
/// A container up to this size stays in one piece.
const SMALL: u32 = 24;
/// Constants, aliases and the like up to this size are not worth a piece of their own.
const TINY: u32 = 3;
/// Containers nested deeper than people do are not taken apart: it would cost stack.
const MAX_DEPTH: u32 = 32;
/// A piece of a file with very long lines is cut at this size too.
const MAX_BYTES: u32 = 16 << 10;

/// The pieces of a file, in the order of their starts; of plain text where symbols do not cut it.
pub fn chunks(facts: &FileFacts, text: &[u8], by_symbols: bool) -> Vec<Chunk> {
    if text.is_empty() {
        return Vec::new();
    }
    let children = if by_symbols { children(facts) } else { vec![Vec::new(); facts.symbols.len() + 1] };
    let mut cutter = Cutter { facts, text, children, chunks: Vec::new() };
    cutter.cut(None, 1, facts.line_starts.len() as u32, 0);
    cutter.chunks
}

struct Cutter<'a> {
    facts: &'a FileFacts,
    text: &'a [u8],
    children: Vec<Vec<u32>>,
    chunks: Vec<Chunk>,
}

/// Children of every symbol; the last list is that of the file.
fn children(facts: &FileFacts) -> Vec<Vec<u32>> {
    let mut lists = vec![Vec::new(); facts.symbols.len() + 1];
    for (at, symbol) in facts.symbols.iter().enumerate() {
        let parent = symbol.parent.map_or(facts.symbols.len(), |parent| parent.0 as usize);
        lists[parent].push(at as u32);
    }
    lists
}

impl Cutter<'_> {
    /// Cuts the lines `first..=last` that belong to `owner`.
    fn cut(&mut self, owner: Option<SymbolIndex>, first: u32, last: u32, depth: u32) {
        let list = std::mem::take(&mut self.children[owner.map_or(self.facts.symbols.len(), |at| at.0 as usize)]);
        let mut next = first;
        for at in list {
            let symbol = &self.facts.symbols[at as usize];
            let (start, end) = self.facts.lines_of(symbol.full_span);
            let (start, end) = (start.max(next), end.min(last));
            let lines = (end + 1).saturating_sub(start);
            if lines == 0 || !own_piece(symbol.kind, lines) {
                continue;
            }
            self.split(owner, next, start.saturating_sub(1), 0);
            let container = symbol.kind.is_container() && lines > SMALL && depth < MAX_DEPTH;
            if container {
                self.cut(Some(SymbolIndex(at)), start, end, depth + 1);
            } else {
                self.split(Some(SymbolIndex(at)), start, end, OVERLAP);
            }
            next = end + 1;
        }
        self.split(owner, next, last, 0);
    }

    /// Pieces of at most [`MAX_LINES`] lines.
    fn split(&mut self, owner: Option<SymbolIndex>, first: u32, last: u32, overlap: u32) {
        let mut start = first;
        while start <= last {
            let mut end = last.min(start + MAX_LINES - 1);
            while end > start && self.span(start, end).end - self.span(start, end).start > MAX_BYTES {
                end = start + (end - start) / 2;
            }
            self.push(owner, self.span(start, end));
            if end == last {
                return;
            }
            // Pieces of few long lines share few of them, or they would repeat the text many times over.
            start = end + 1 - overlap.min((end + 1 - start) / 4);
        }
    }

    fn span(&self, first: u32, last: u32) -> Span {
        let starts = &self.facts.line_starts;
        let start = starts.get(first as usize - 1).copied().unwrap_or_default();
        let end = starts.get(last as usize).copied().unwrap_or(self.text.len() as u32);
        Span { start, end: end.max(start) }
    }

    fn push(&mut self, symbol: Option<SymbolIndex>, span: Span) {
        if span.of(self.text).iter().any(|byte| !byte.is_ascii_whitespace() && !b"{}()[];,".contains(byte)) {
            self.chunks.push(Chunk { span, symbol });
        }
    }
}

fn own_piece(kind: SymbolKind, lines: u32) -> bool {
    use SymbolKind::*;
    match kind {
        Use | Field | Variant => false,
        Const | Static | Variable | Type | Property | Macro => lines > TINY,
        _ => true,
    }
}
