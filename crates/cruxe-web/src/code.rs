//! Source in colours, a range of lines at a time.

use std::ops::Range;
use std::sync::Arc;

use cruxe_extract::highlight::{Class, Highlighted, Pieces};
use cruxe_extract::{Extractor, Input, as_text, registry};
use cruxe_index::View;
use cruxe_model::RepoPath;
use cruxe_query::outline;
use cruxe_server::contract::{ErrorCode, ToolError};
use cruxe_store::FileRow;
use maud::{Markup, html};
use parking_lot::Mutex;

/// Files whose colours are kept: whoever scrolls through a file asks for it many times.
const KEPT: usize = 12;
/// Longer lines are cut: a browser lays out a whole line at once.
const LONGEST_LINE: usize = 4_000;

/// A file's text with its colours.
pub(crate) struct Source {
    pub text: String,
    colours: Highlighted,
    /// Whether it is what the index has.
    pub is_indexed: bool,
}

/// The colours of files that were asked for last.
#[derive(Default)]
pub(crate) struct Colours(Mutex<Vec<(String, blake3::Hash, Arc<Source>)>>);

impl Colours {
    /// The source of a file of a ref: of what is checked out as it is on disk now, else as it was committed.
    pub fn of(&self, view: &View, path: &str) -> Result<(FileRow, Arc<Source>), ToolError> {
        let (_, file) = outline::file(view, path)?;
        let checked_out = view.project.current_ref().is_ok_and(|name| name == view.standing.ref_name);
        let on_disk = if checked_out { view.project.read_current(&file.path) } else { None };
        let indexed = view.project.read(&file);
        let is_indexed = on_disk.is_none() || on_disk == indexed;
        let bytes = on_disk.or(indexed).ok_or_else(|| {
            ToolError::new(ErrorCode::IndexStale, format!("{} is no longer what was indexed", file.path))
        })?;
        let digest = blake3::hash(&bytes);
        let mut kept = self.0.lock();
        if let Some(at) = kept.iter().position(|(own, hash, _)| own == path && *hash == digest) {
            let entry = kept.remove(at);
            let source = Arc::clone(&entry.2);
            kept.push(entry);
            return Ok((file, source));
        }
        drop(kept);
        let source = Arc::new(Source::new(&file.path, &file.module, &bytes, is_indexed));
        let mut kept = self.0.lock();
        kept.push((path.to_owned(), digest, Arc::clone(&source)));
        if kept.len() > KEPT {
            kept.remove(0);
        }
        Ok((file, source))
    }
}

impl Source {
    fn new(path: &RepoPath, module: &str, bytes: &[u8], is_indexed: bool) -> Source {
        let language = registry::detect(path, bytes);
        let input = Input { path, module, language, bytes };
        let colours = Extractor::default().highlight(&input);
        Source { text: as_text(bytes).0.into_owned(), colours, is_indexed }
    }

    /// How many lines there are.
    pub fn count(&self) -> usize {
        self.colours.facts.line_starts.len().max(1)
    }

    /// What stands on a line, from 1, without its end.
    fn line(&self, number: usize) -> Option<Range<usize>> {
        let starts = &self.colours.facts.line_starts;
        let start = *starts.get(number.checked_sub(1)?)? as usize;
        let end = starts.get(number).map_or(self.text.len(), |next| *next as usize);
        let text = self.text.get(start..end)?;
        Some(start..start + text.trim_end_matches(['\n', '\r']).len())
    }

    /// The rows of some lines, both ends included.
    pub fn rows(&self, first: usize, last: usize, hit: Option<(usize, usize)>) -> Markup {
        let last = last.min(self.count());
        html! {
            @for number in first.max(1)..=last {
                @let hit = hit.is_some_and(|(from, to)| (from..=to).contains(&number));
                div.l.hit[hit] id={ "L" (number) } data-n=(number) { code { (self.row(number)) } }
            }
        }
    }

    /// A line in pieces.
    pub fn row(&self, number: usize) -> Markup {
        let Some(line) = self.line(number) else { return html! {} };
        let end = self.text.floor_char_boundary(line.end.min(line.start + LONGEST_LINE));
        let pieces = self.pieces(line.start..end);
        html! {
            @for (range, class, is_name) in pieces {
                @let text = &self.text[range.clone()];
                @match (word(class), is_name) {
                    ("", false) => (text),
                    (class, true) => span class=(class) data-c=(range.start - line.start) { (text) },
                    (class, false) => span class=(class) { (text) },
                }
            }
            @if end < line.end { span.c { " … " (line.end - end) " more" } }
        }
    }

    /// The pieces of a range of bytes: colours, cut where names begin and end.
    fn pieces(&self, within: Range<usize>) -> Vec<(Range<usize>, Class, bool)> {
        let (spans, names) = (&self.colours.pieces, &self.colours.names);
        let mut span = spans.partition_point(|(span, _)| span.end as usize <= within.start);
        let mut name = names.partition_point(|start| (*start as usize) < within.start);
        let mut found = Vec::new();
        let mut at = within.start;
        while at < within.end {
            while spans.get(span).is_some_and(|(span, _)| span.end as usize <= at) {
                span += 1;
            }
            while names.get(name).is_some_and(|start| (*start as usize) < at) {
                name += 1;
            }
            let (class, class_end) = match spans.get(span) {
                Some((span, class)) if span.start as usize <= at => (*class, span.end as usize),
                Some((span, _)) => (Class::Plain, span.start as usize),
                None => (Class::Plain, within.end),
            };
            let is_name = names.get(name).is_some_and(|start| *start as usize == at);
            let mut end = class_end.min(within.end);
            if is_name {
                end = end.min(at + word_length(&self.text[at..within.end]).max(1));
            } else if let Some(next) = names.get(name) {
                end = end.min(*next as usize);
            }
            let end = self.text.ceil_char_boundary(end.max(at + 1)).min(within.end);
            found.push((at..end, class, is_name));
            at = end;
        }
        found
    }
}

/// The length of the identifier at the beginning of a text.
fn word_length(text: &str) -> usize {
    text.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(text.len())
}

/// The class of a style sheet.
fn word(class: Class) -> &'static str {
    match class {
        Class::Plain => "",
        Class::Comment => "c",
        Class::String => "s",
        Class::Literal => "v",
        Class::Keyword => "k",
        Class::Type => "t",
        Class::Call => "f",
        Class::Definition => "d",
        Class::Decorator => "a",
        Class::Heading => "h",
    }
}

/// Lines of a place with words set off, in the colours that the place has by itself.
pub(crate) struct Excerpt {
    text: String,
    pieces: Pieces,
    /// The number of the first line.
    first: u32,
}

/// Lines of a place that are coloured.
const EXCERPT: usize = 300;

impl Excerpt {
    /// The place from one line to another, without what its first line is indented by.
    pub fn new(file: &str, language: &str, (first, last): (u32, u32)) -> Excerpt {
        let count = (last.saturating_sub(first) as usize + 1).min(EXCERPT);
        let lines: Vec<&str> = file.lines().skip(first.max(1) as usize - 1).take(count).collect();
        let blank = |line: &&str| line.len() - line.trim_start().len();
        let indent = lines.first().map_or(0, blank);
        let cut: Vec<&str> = lines.iter().map(|line| &line[indent.min(blank(line))..]).collect();
        let text = cut.join("\n");
        let pieces = Extractor::default().highlight_piece(registry::named(language), &text);
        Excerpt { text, pieces, first }
    }

    /// A line; `None` where it is not of the place, or too far down.
    pub fn line(&self, number: u32, words: &[String]) -> Option<Markup> {
        let at = number.checked_sub(self.first)? as usize;
        let line = self.text.split('\n').nth(at)?;
        let start = self.text.split('\n').take(at).map(|line| line.len() + 1).sum::<usize>();
        let line = &line[..line.floor_char_boundary(LONGEST_SHOWN)];
        let mut classes = vec![Class::Plain; line.len()];
        for (span, class) in &self.pieces {
            let (from, to) = ((span.start as usize).max(start), (span.end as usize).min(start + line.len()));
            if from < to {
                classes[from - start..to - start].fill(*class);
            }
        }
        Some(runs(line, &classes, words))
    }
}

/// Longer lines of an excerpt are cut.
const LONGEST_SHOWN: usize = 200;

/// A line with words set off, whatever their case.
pub(crate) fn marked(line: &str, words: &[String]) -> Markup {
    runs(line, &vec![Class::Plain; line.len()], words)
}

fn runs(line: &str, classes: &[Class], words: &[String]) -> Markup {
    let lower = line.to_lowercase();
    let mut marks = vec![false; line.len()];
    // Where letters change their length with their case, offsets would not fit.
    if lower.len() == line.len() {
        for word in words {
            for (at, _) in lower.match_indices(word.as_str()) {
                marks[at..at + word.len()].fill(true);
            }
        }
    }
    let looks: Vec<(Class, bool)> = classes.iter().copied().zip(marks).collect();
    let mut parts = Vec::new();
    let mut start = 0;
    for run in looks.chunk_by(|one, next| one == next) {
        let end = start + run.len();
        if let Some(part) = line.get(start..end) {
            parts.push((word(run[0].0), run[0].1, part));
        }
        start = end;
    }
    html! {
        @for (class, is_marked, part) in parts {
            @match (class, is_marked) {
                ("", false) => (part),
                ("", true) => mark { (part) },
                (class, false) => span class=(class) { (part) },
                (class, true) => mark class=(class) { (part) },
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> Source {
        Source::new(&RepoPath::parse("a.py").unwrap(), "", text.as_bytes(), true)
    }

    #[test]
    fn a_line_is_coloured_and_its_names_can_be_asked_about() {
        let source = source("def go():\n    return run(\"<b>\")\n");
        assert_eq!(source.count(), 2);
        let row = source.row(1).into_string();
        assert_eq!(row, "<span class=\"k\">def</span> <span class=\"d\" data-c=\"4\">go</span>():");
        let row = source.row(2).into_string();
        assert!(row.contains("<span class=\"f\" data-c=\"11\">run</span>("), "{row}");
        assert!(row.contains("<span class=\"s\">&quot;&lt;b&gt;&quot;</span>"), "{row}");
    }

    #[test]
    fn a_line_beyond_the_end_and_an_endless_line_are_no_trouble() {
        let source = source(&format!("x = \"{}\"\n", "é".repeat(5_000)));
        assert!(source.row(1).into_string().contains(" more"));
        assert_eq!(source.row(0).into_string() + &source.row(9).into_string(), "");
    }

    #[test]
    fn an_excerpt_has_the_colours_of_its_place() {
        let file = "x = 1\nclass A:\n    def go(self):\n        return \"get\"\n";
        let place = Excerpt::new(file, "python", (3, 4));
        let shown = |number| place.line(number, &["get".to_owned()]).map(Markup::into_string);
        assert_eq!(shown(3).unwrap(), "<span class=\"k\">def</span> go(self):");
        assert!(shown(4).unwrap().contains("<mark class=\"s\">get</mark>"), "{:?}", shown(4));
        assert_eq!((shown(2), shown(5)), (None, None));
    }

    #[test]
    fn matching_words_are_set_off_and_the_rest_is_escaped() {
        let words = ["get".to_owned()];
        assert_eq!(marked("a <Get> b", &words).into_string(), "a &lt;<mark>Get</mark>&gt; b");
        assert_eq!(marked("İstanbul get", &words).into_string(), "İstanbul get");
    }
}
