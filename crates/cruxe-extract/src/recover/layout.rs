//! Cuts code into declarations and statements by its indentation, where there are no braces or they do not match.
//!
//! Almost all code is indented as it is nested, and stays so while somebody is in the middle of an edit: a line that begins
//! no further right than the declaration before it ends that, whatever is still open.

use std::ops::Range;

use super::items::Item;
use super::lexis::Lexis;

/// Words that go on with what is above them at the same column.
const CONTINUING: &[&[u8]] = &[
    b"else",
    b"elif",
    b"elsif",
    b"elseif",
    b"except",
    b"finally",
    b"rescue",
    b"ensure",
    b"catch",
    b"after",
    b"then",
    b"do",
    b"end",
    b"fi",
    b"done",
    b"esac",
    b"until",
    b"where",
    b"deriving",
    b"of",
];

/// A line of code.
struct Line {
    range: Range<usize>,
    /// Where its code begins.
    code: usize,
    indent: usize,
}

/// The items in a piece of a text, in their order. Linear in the length of the piece.
pub(super) fn items(lexis: &Lexis, text: &[u8], piece: Range<usize>) -> Vec<Item> {
    let text = &text[..piece.end];
    let lines = lines(lexis, text, piece.start);
    let Some(base) = lines.iter().map(|line| line.indent).min() else { return Vec::new() };
    let mut items: Vec<Item> = Vec::new();
    let mut head: Option<&Line> = None; // the last line of the current item at its own column
    let mut in_block = false;
    let mut open = false; // the last line of its head opens a brace
    for (at, line) in lines.iter().enumerate() {
        let code = &text[line.code..line.range.end];
        if lexis.braced && line.indent == 0 {
            let opens = opens(lexis, first_line(code));
            let holds = lines.get(at + 1).is_some_and(|next| next.indent > base || goes_on(&text[next.code..]));
            // `namespace a {` around what is not indented, and its end.
            if opens && !holds || code.starts_with(b"}") && !open {
                head = None;
                continue;
            }
            open = opens;
        }
        let item = items.last_mut().filter(|_| head.is_some());
        match (item, head) {
            (Some(item), Some(_)) if line.indent > base => {
                match item.blocks.last_mut().filter(|_| in_block) {
                    Some(block) => block.end = line.range.end,
                    None => item.blocks.push(line.range.clone()),
                }
                item.range.end = line.range.end;
                in_block = true;
            }
            (Some(item), Some(last)) if goes_on(code) || expects_more(lexis, &text[last.code..last.range.end]) => {
                item.range.end = line.range.end;
                (head, in_block) = (Some(line), false);
            }
            _ => {
                items.push(Item { range: line.range.clone(), blocks: Vec::new(), cut: false });
                (head, in_block) = (Some(line), false);
            }
        }
    }
    for item in &mut items {
        let whole = &text[item.range.clone()];
        item.range.end -= whole.len() - whole.trim_ascii_end().len();
        let end = item.range.end;
        item.blocks.iter_mut().for_each(|block| block.end = block.end.min(end));
        item.blocks.retain(|block| block.start < block.end);
        if lexis.undivided && !first_line(&text[item.range.clone()]).trim_ascii_end().ends_with(b"where") {
            item.blocks.clear();
        }
    }
    items
}

/// Whether a line opens a brace that it does not close.
fn opens(lexis: &Lexis, line: &[u8]) -> bool {
    let (mut open, mut at) = (0usize, 0);
    while at < line.len() {
        match line[at] {
            b'{' => open += 1,
            b'}' => open = open.saturating_sub(1),
            _ => {}
        }
        at = lexis.skip(line, at).max(at + 1);
    }
    open > 0
}

/// The lines that code begins on, each with what follows it that is none: blank lines, comments, the rest of a string.
fn lines(lexis: &Lexis, text: &[u8], start: usize) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let (mut start, mut inside) = (start, 0);
    while start < text.len() {
        let end = memchr::memchr(b'\n', &text[start..]).map_or(text.len(), |at| start + at + 1);
        let blank = text[start..end].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let code = start + blank;
        let directive = lexis.directives && text.get(code) == Some(&b'#');
        let is_code = code < end && start >= inside && !directive && lexis.comment_at(text, code) == code;
        match lines.last_mut() {
            Some(line) if !is_code => line.range.end = end,
            _ if !is_code => {}
            _ => {
                let indent = text[start..code].iter().map(|byte| if *byte == b'\t' { 8 } else { 1 }).sum();
                lines.push(Line { range: start..end, code, indent });
            }
        }
        if start >= inside {
            inside = token_end(lexis, text, code, end);
        }
        start = end;
    }
    lines
}

/// Where the last token ends that begins on a line.
fn token_end(lexis: &Lexis, text: &[u8], mut at: usize, end: usize) -> usize {
    while at < end {
        if lexis.heredocs
            && text[at..end].starts_with(b"<<")
            && let Some(after) = heredoc(text, at, end)
        {
            return after;
        }
        at = lexis.skip(text, at).max(at + 1);
    }
    at
}

/// Where the text ends that `<<WORD` on a line begins.
fn heredoc(text: &[u8], at: usize, end: usize) -> Option<usize> {
    let rest = &text[at + 2..end];
    let marks = rest.iter().take_while(|byte| b"-~'\"`".contains(byte)).count();
    let word = rest[marks..].iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    let word = &rest[marks..marks + word];
    if !word.first().is_some_and(|byte| byte.is_ascii_uppercase() || *byte == b'_') {
        return None;
    }
    let mut start = end;
    while start < text.len() {
        let next = memchr::memchr(b'\n', &text[start..]).map_or(text.len(), |at| start + at + 1);
        if text[start..next].trim_ascii() == word {
            return Some(next);
        }
        start = next;
    }
    None
}

/// Whether a line at the column of an item belongs to it: it closes something, or goes on with it.
fn goes_on(code: &[u8]) -> bool {
    let word = |word: &&[u8]| {
        code.starts_with(word)
            && !code.get(word.len()).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
    };
    code.first().is_some_and(|first| b")]}>.,;:?|{+=".contains(first)) || CONTINUING.iter().any(word)
}

/// Whether the line of a head is not all of it: an annotation stands before what it is about.
fn expects_more(lexis: &Lexis, head: &[u8]) -> bool {
    let head = first_line(head).trim_ascii_end();
    let annotation = [&b"@"[..], b"#[", b"template"].iter().any(|mark| head.starts_with(mark));
    lexis.annotations && annotation || head.last().is_some_and(|last| b",=(\\+&|[".contains(last))
}

fn first_line(code: &[u8]) -> &[u8] {
    &code[..memchr::memchr(b'\n', code).unwrap_or(code.len())]
}
