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

/// Whether the code is Python: a notebook says its language, or at least its kernel's, or nothing at all.
fn is_python(text: &str) -> bool {
    let said = entry(text, "\"language_info\"", "name")
        .or_else(|| entry(text, "\"kernelspec\"", "language"))
        .or_else(|| entry(text, "\"kernelspec\"", "name"));
    said.is_none_or(|name| name.starts_with("python"))
}

/// The string that the last object of this name has under a key.
fn entry<'t>(text: &'t str, object: &str, key: &str) -> Option<&'t str> {
    let bytes = text.as_bytes();
    let behind = text.rfind(object)? + object.len();
    let open = behind + text[behind..].find(['{', '"'])?;
    let at = value(text, open + 1, text.len(), key).filter(|_| bytes[open] == b'{')?;
    let quote = (bytes.get(at) == Some(&b'"')).then_some(at)?;
    text.get(quote + 1..string_end(bytes, quote, bytes.len()))
}

/// Where the value of a key begins in the object that `at` is inside of. The keys of objects in it are others' keys: `language_info`
/// has a `codemirror_mode`, and that a name too.
fn value(text: &str, mut at: usize, end: usize, key: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut depth = 0;
    while at < end {
        match bytes[at] {
            b'{' | b'[' => depth += 1,
            b'}' | b']' if depth == 0 => return None,
            b'}' | b']' => depth -= 1,
            b'"' => {
                let close = string_end(bytes, at, end);
                let behind = text.get(close + 1..end)?.trim_start();
                if let Some(value) = behind.strip_prefix(':')
                    && depth == 0
                    && text.get(at + 1..close) == Some(key)
                {
                    return Some(end - value.trim_start().len());
                }
                at = close;
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// Shows the strings of a cell's `source`.
fn cell(text: &str, start: usize, end: usize, out: &mut Shown) {
    let Some(mut at) = value(text, start, end, "source") else { return };
    let bytes = text.as_bytes();
    // A list of lines, or one string.
    let is_list = match bytes.get(at) {
        Some(b'[') => true,
        Some(b'"') => false,
        _ => return,
    };
    at += usize::from(is_list);
    let mut is_first = true;
    loop {
        while at < end && !matches!(bytes[at], b'"' | b']' | b'}') {
            at += 1;
        }
        if at >= end || bytes[at] != b'"' {
            return;
        }
        let close = string_end(bytes, at, end);
        if is_first && is_of_another_language(text.get(at + 1..close).unwrap_or_default()) {
            return;
        }
        is_first = false;
        line(text, at + 1..close, out);
        at = close + 1;
        if !is_list {
            return;
        }
    }
}

/// Whether the first line of a cell says that the rest is for somebody else: `%%bash`.
fn is_of_another_language(line: &str) -> bool {
    const ABOUT_PYTHON: [&str; 10] =
        ["capture", "time", "timeit", "prun", "memit", "mprun", "debug", "px", "python", "python3"];
    let name =
        line.strip_prefix("%%").map(|rest| rest.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default());
    name.is_some_and(|name| !ABOUT_PYTHON.contains(&name))
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
    if code.starts_with(['%', '!', '?']) || code.trim_end_matches("\\n").ends_with('?') && !code.contains('#') {
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
    fn a_notebook_says_its_language_in_several_ways() {
        let with = |metadata: &str| shown(&CELLS.replace(r#"{"language_info": {"name": "python"}}"#, metadata));
        for python in [
            r#"{"language_info": {"codemirror_mode": {"name": "ipython", "version": 3}, "name": "python"}}"#,
            r#"{"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}"#,
            r#"{"kernelspec": {"name": "python3"}, "language_info": {"version": "3"}}"#,
            r#"{}"#,
        ] {
            assert!(with(python).contains("def load"), "{python}");
        }
        for other in [
            r#"{"language_info": {"codemirror_mode": {"name": "ipython"}, "name": "julia"}}"#,
            r#"{"kernelspec": {"display_name": "R", "language": "R", "name": "ir"}}"#,
            r#"{"kernelspec": {"name": "ir"}, "language_info": {}, "python": {"name": "python"}}"#,
        ] {
            assert_eq!(with(other).trim(), "", "{other}");
        }
        // Cut off anywhere, it is still the text of a file.
        (0..CELLS.len()).for_each(|end| assert_eq!(shown(&CELLS[..end]).len(), end));
    }

    #[test]
    fn what_is_for_the_notebook_or_another_language_is_no_code() {
        let cell = |lines: &str| {
            let text = CELLS.replace(r#""a = load('x')\nb = a""#, lines);
            shown(&text).lines().map(str::trim).filter(|line| !line.is_empty()).skip(3).collect::<Vec<_>>().join("|")
        };
        assert_eq!(cell(r#"["%%bash\n", "ls -l\n"]"#), "");
        assert_eq!(cell(r#"["%%writefile x.py\n", "def f(): pass\n"]"#), "");
        assert_eq!(cell(r#"["%%time\n", "b = 1\n"]"#), "b = 1");
        assert_eq!(cell("[\"help?\\n\",\n \"b = 1 # why?\\n\"]"), "b = 1 # why?");
    }
}
