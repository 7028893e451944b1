//! Where the destination of a link stands in the source. The parser gives destinations unescaped and without a place.

use std::ops::Range;

/// The destination of `[text](destination "title")`; `tail` is what follows the text.
pub(super) fn of_inline(source: &str, tail: Range<usize>) -> Option<Range<usize>> {
    let open = source.get(tail.clone())?.find("](")?;
    destination(source, tail.start + open + 2, tail.end)
}

/// The destination of the definition `[label]: destination` that begins at `start`.
pub(super) fn of_definition(source: &str, start: usize) -> Option<Range<usize>> {
    let bytes = source.as_bytes();
    let mut at = start;
    while at + 1 < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b']' if bytes[at + 1] == b':' => return destination(source, at + 2, source.len()),
            _ => at += 1,
        }
    }
    None
}

/// The destination at or after `from`: in angle brackets, or up to white space or a parenthesis that it did not open.
fn destination(source: &str, from: usize, end: usize) -> Option<Range<usize>> {
    let inside = source.get(from..end)?;
    // In a quote a destination on the next line has the quote's marker before it.
    let start = from + inside.len() - inside.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '>').len();
    let bytes = source.as_bytes().get(..end)?;
    let angle = bytes.get(start) == Some(&b'<');
    let start = if angle { start + 1 } else { start };
    let (mut at, mut depth) = (start, 0u32);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' if bytes.get(at + 1).is_some_and(u8::is_ascii_punctuation) => at += 1,
            b'>' if angle => break,
            _ if angle => {}
            b'(' => depth += 1,
            b')' if depth == 0 => break,
            b')' => depth -= 1,
            byte if byte.is_ascii_whitespace() => break,
            _ => {}
        }
        at += 1;
    }
    let at = at.min(end);
    (start < at).then_some(start..at)
}

/// The first `http://…` or `https://…` that begins in `range`. It may end behind it: the parser cuts text at every
/// character that could be markup.
pub(super) fn bare_address(source: &str, range: Range<usize>) -> Option<Range<usize>> {
    let text = source.get(range.clone())?;
    let mut from = 0;
    loop {
        let at = from + text[from..].find("http")?;
        let start = range.start + at;
        let rest = &source[start..];
        let scheme = ["https://", "http://"].into_iter().find(|scheme| rest.starts_with(scheme));
        let Some(scheme) = scheme else {
            from = at + 4;
            continue;
        };
        let whole = rest.find(|c: char| c.is_whitespace() || "<>|`\"".contains(c)).unwrap_or(rest.len());
        let address = trim(&rest[..whole]);
        if address.len() > scheme.len() {
            return Some(start..start + address.len());
        }
        from = at + scheme.len();
    }
}

/// Without the punctuation of the sentence around it, or a parenthesis that it did not open.
fn trim(address: &str) -> &str {
    let bytes = address.as_bytes();
    let count = |wanted: u8| bytes.iter().filter(|byte| **byte == wanted).count();
    let mut surplus = count(b')').saturating_sub(count(b'('));
    let mut end = bytes.len();
    while let Some(last) = end.checked_sub(1).map(|at| bytes[at]) {
        match last {
            b')' if surplus > 0 => surplus -= 1,
            byte if b"?!.,:;*_~'[]\\".contains(&byte) => {}
            _ => break,
        }
        end -= 1;
    }
    &address[..end]
}
