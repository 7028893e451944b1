//! A notebook as a parser of Python is shown it: the source of its cells, where it stands in the file's JSON.
//!
//! A notebook has a line of JSON for each line of a cell, so the lines are the file's. All of them begin behind the same
//! quote, which is one more step of indentation that every line has.

use super::script::Shown;

/// The text in which only the source of cells of code is left; nothing of a notebook in another language.
pub(super) fn shown(text: &str) -> String {
    let mut out = Shown::new(text);
    if is_python(text) {
        let mut at = 0;
        while let Some(found) = text[at..].find("\"cell_type\"") {
            let start = at + found + "\"cell_type\"".len();
            let end = text[start..].find("\"cell_type\"").map_or(text.len(), |next| start + next);
            if text[start..end].trim_start_matches([':', ' ', '\t', '\r', '\n']).starts_with("\"code\"") {
                cell(text, start, end, &mut out);
            }
            at = end;
        }
    }
    out.finish()
}

/// Whether the code is Python: a notebook says its language once, or not at all.
fn is_python(text: &str) -> bool {
    let Some(at) = text.rfind("\"language_info\"") else { return !text.contains("\"language\": \"R\"") };
    let rest = &text[at..];
    let name = rest.find("\"name\"").map_or("", |at| &rest[at + 6..]);
    name.trim_start_matches([':', ' ', '\t', '\r', '\n']).starts_with("\"python")
}

/// Shows the strings of a cell's `source`.
fn cell(text: &str, start: usize, end: usize, out: &mut Shown) {
    let Some(found) = text[start..end].find("\"source\"") else { return };
    let bytes = text.as_bytes();
    let mut at = start + found + "\"source\"".len();
    // A list of lines, or one string.
    while at < end && !matches!(bytes[at], b'[' | b'"' | b'}') {
        at += 1;
    }
    let is_list = bytes.get(at) == Some(&b'[');
    at += usize::from(is_list);
    loop {
        while at < end && !matches!(bytes[at], b'"' | b']' | b'}') {
            at += 1;
        }
        if at >= end || bytes[at] != b'"' {
            return;
        }
        let close = string_end(bytes, at, end);
        line(text, at + 1..close, out);
        at = close + 1;
        if !is_list {
            return;
        }
    }
}

/// Where the string ends that a quote begins.
fn string_end(bytes: &[u8], quote: usize, end: usize) -> usize {
    let mut at = quote + 1;
    while at < end {
        match bytes[at] {
            b'\\' => at += 1,
            b'"' => return at,
            _ => {}
        }
        at += 1;
    }
    end.max(quote + 1)
}

/// Shows a line of source, or several: an escaped sign as the sign, in the room of both.
fn line(text: &str, range: std::ops::Range<usize>, out: &mut Shown) {
    let bytes = text.as_bytes();
    let code = text.get(range.clone()).unwrap_or_default().trim_start();
    // What speaks to the notebook is no Python.
    if code.starts_with(['%', '!', '?']) {
        return;
    }
    let mut at = range.start;
    while at < range.end {
        let stop = memchr::memchr(b'\\', &bytes[at..range.end]).map_or(range.end, |found| at + found);
        out.keep(at..stop);
        at = stop;
        // Quotes that belong together stay together.
        let mut quotes = 0;
        while bytes.get(at + 2 * quotes) == Some(&b'\\') && bytes.get(at + 2 * quotes + 1) == Some(&b'"') {
            quotes += 1;
        }
        for quote in 0..quotes {
            out.sign(at + quote, b'"');
        }
        if quotes > 0 {
            at += 2 * quotes;
        } else if at < range.end {
            match bytes.get(at + 1) {
                Some(b'n') if at + 2 < range.end => out.sign(at + 1, b'\n'),
                Some(b't') => out.sign(at, b'\t'),
                Some(b'\\') => out.sign(at + 1, b'\\'),
                _ => false,
            };
            at += 2;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::shown;

    const CELLS: &str = r##"{
 "cells": [
  {
   "cell_type": "markdown",
   "source": ["# Not code\n"]
  },
  {
   "cell_type": "code",
   "outputs": [{"text": ["no()\n"]}],
   "source": [
    "%matplotlib inline\n",
    "def load(path):\n",
    "    \"\"\"Reads.\"\"\"\n",
    "    return open(path, \"r\")"
   ]
  },
  {"cell_type": "code", "source": "a = load('x')\nb = a"}
 ],
 "metadata": {"language_info": {"name": "python"}}
}
"##;

    #[test]
    fn the_lines_of_cells_stand_where_they_stand_in_the_file() {
        let shown = shown(CELLS);
        assert_eq!(shown.len(), CELLS.len());
        let lines: Vec<&str> = shown.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        assert_eq!(
            lines,
            ["def load(path):", "\"\"\"   Reads.\"\"\"", "return open(path, \" r\" )", "a = load('x')", "b = a"]
        );
        assert_eq!(shown.find("def load"), CELLS.find("def load"));
    }

    #[test]
    fn another_language_is_not_read_as_python() {
        assert_eq!(shown(&CELLS.replace("\"python\"", "\"julia\"")).trim(), "");
    }
}
