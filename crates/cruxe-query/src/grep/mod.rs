//! Every line of a ref that matches a pattern, with the symbol around it.
//!
//! [`pattern`] compiles what was asked for with ripgrep's matcher, [`scan`] reads the texts. Every text is read in which the
//! full-text index does not rule a match out, so what is found is all there is, or the answer says where it stopped.
//! Lines are only counted at first; the few that are shown are read once more.

mod pattern;
mod scan;

use std::collections::HashSet;

use cruxe_extract::as_text;
use cruxe_index::{Layers, Standing, View};
use cruxe_model::{RepoPath, SkipReason, SourceLayer};
use cruxe_store::{FileRow, RefSnapshot, SymbolTable, TextField};
use grep_matcher::Matcher;

use crate::error::QueryError;
use crate::filter::{Filter, is_test_file};
use crate::locate;
use crate::search::{as_indexed, innermost};

pub(crate) use pattern::words_of;
pub use pattern::{BadPattern, Pattern};
use scan::{MatchStart, Scan};

/// Matching lines beyond this are not counted.
pub const MAX_LINES: usize = 1_000_000;
/// Longer lines are cut around what matches: they are data or minified.
const MAX_LETTERS: usize = 240;
/// What stands before a match in a line that is cut.
const LETTERS_BEFORE: usize = 80;

/// What to look for.
#[derive(Clone, Debug)]
pub struct Question {
    /// The pattern.
    pub pattern: Pattern,
    /// Only this language.
    pub language: Option<String>,
    /// Only such places.
    pub filter: Filter,
    /// At most so many lines.
    pub limit: usize,
    /// Leave out the first so many.
    pub offset: usize,
    /// So many lines before and after each.
    pub context: usize,
}

/// The lines that match.
pub struct LineList {
    /// Those that were asked for: files of source before tests, then by place.
    pub lines: Vec<MatchingLine>,
    /// Every file that has some, in the same order, and how many.
    pub files: Vec<(RepoPath, usize)>,
    /// How many lines match.
    pub total: usize,
    /// Files that the filter leaves out, whatever is in them.
    pub filtered_out: usize,
    /// Files that were not looked at because they changed since they were indexed.
    pub unread: usize,
    /// Files of text that are not looked at because the index leaves them out, and why.
    pub left_out: Vec<(RepoPath, SkipReason)>,
    /// Where it ended before everything was looked at.
    pub stopped: Option<Stopped>,
    /// How current and complete it is.
    pub standing: Standing,
}

/// Where a search ended early.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stopped {
    /// The first file that was not looked at.
    pub before: RepoPath,
    /// How many files were.
    pub looked_at: usize,
    /// How many there are to look at.
    pub of: usize,
    /// Whether the time was over; else too many lines match.
    pub late: bool,
}

/// A line that matches.
pub struct MatchingLine {
    /// The file.
    pub path: RepoPath,
    /// Its number.
    pub line: u32,
    /// What stands there, without what follows the last letter; cut when it is long.
    pub text: String,
    /// Where in the text the pattern matches, in bytes.
    pub marks: Vec<(usize, usize)>,
    /// The lines before it, the first of them first.
    pub before: Vec<String>,
    /// The lines after it.
    pub after: Vec<String>,
    /// The symbol around it.
    pub around: Option<Around>,
    /// Whether the file is as the default branch has it; `None` outside git.
    pub layer: Option<SourceLayer>,
}

/// The symbol around a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Around {
    /// Its handle.
    pub symbol_id: String,
    /// What it is.
    pub kind: &'static str,
    /// Its plain name.
    pub name: String,
    /// Its name with module and parents.
    pub qualified_name: String,
    /// The same without the module of the file.
    pub short_name: String,
    /// First line.
    pub line_start: u32,
}

/// Finds the lines that match; `layers` are those of the view.
pub fn find(view: &View, layers: &Layers, question: &Question) -> Result<LineList, QueryError> {
    let standing = view.standing.clone();
    let (filtered_out, unread, left_out) = (0, 0, Vec::new());
    let mut answer = LineList {
        lines: Vec::new(),
        files: Vec::new(),
        total: 0,
        filtered_out,
        unread,
        left_out,
        stopped: None,
        standing,
    };
    let Some(published) = &view.published else { return Ok(answer) };
    let mut rows = candidates(published, &question.pattern, question.language.as_deref())?;
    let all = rows.len();
    rows.retain(|row| question.filter.has_file(row));
    answer.filtered_out = all - rows.len();
    rows.sort_by_cached_key(|row| (is_test_file(row.path.as_str(), &row.language), row.path.clone()));
    view.work.check()?;
    let scan = Scan::new(view, &rows, question.pattern.matcher());
    let mut read = scan.all();
    view.work.check()?;
    answer.unread = read.unread;
    answer.stopped = read.next.map(|next| Stopped {
        before: rows[next].path.clone(),
        looked_at: next,
        of: rows.len(),
        late: read.total < MAX_LINES,
    });
    if question.filter.by_symbol() {
        for (at, places) in &mut read.found {
            view.work.check()?;
            let table = published.symbol_table(rows[*at].id)?;
            places.retain(|place| passes(&question.filter, &rows[*at], &table, place));
        }
        read.found.retain(|(_, places)| !places.is_empty());
    }
    answer.total = read.found.iter().map(|(_, places)| places.len()).sum();
    answer.files = read.found.iter().map(|(at, places)| (rows[*at].path.clone(), places.len())).collect();
    let skipped = published.state.skipped.iter();
    let skipped = skipped.filter(|(path, why)| is_text(*why) && question.filter.has_path(path.as_str()));
    answer.left_out = skipped.cloned().collect();
    let (mut passed, end) = (0, question.offset.saturating_add(question.limit));
    for (at, places) in &read.found {
        let here = passed..passed + places.len();
        passed = here.end;
        if here.end <= question.offset || here.start >= end {
            continue;
        }
        view.work.check()?;
        let first = question.offset.saturating_sub(here.start);
        let last = (end - here.start).min(places.len());
        let shown = Shown { view, published, layers, question, row: &rows[*at] };
        answer.lines.extend(shown.lines(&places[first..last])?);
    }
    Ok(answer)
}

/// Whether what is left out for a reason may be text that somebody looks for.
fn is_text(why: SkipReason) -> bool {
    !matches!(why, SkipReason::Binary | SkipReason::VersionControl | SkipReason::Cache)
}

/// The files in which the index does not rule a match out.
fn candidates(published: &RefSnapshot, pattern: &Pattern, language: Option<&str>) -> Result<Vec<FileRow>, QueryError> {
    let mut rows = files_with(published, pattern.words())?;
    rows.retain(|row| language.is_none_or(|language| row.language.eq_ignore_ascii_case(language)));
    Ok(rows)
}

/// The files that have all of some words, as the index knows them: all files where there are none.
pub(crate) fn files_with(published: &RefSnapshot, words: &[String]) -> Result<Vec<FileRow>, QueryError> {
    if words.is_empty() {
        return Ok(published.files()?);
    }
    let corpus = published.corpus()?;
    let mut kept: Option<HashSet<u32>> = None;
    for word in words {
        let mut having = HashSet::new();
        for token in as_indexed(word) {
            let postings = corpus.postings(TextField::Body, &token)?;
            having.extend(postings.into_iter().map(|(chunk, _)| corpus.file_of()[chunk as usize]));
        }
        kept = Some(match kept {
            None => having,
            Some(kept) => kept.intersection(&having).copied().collect(),
        });
    }
    let kept = kept.unwrap_or_default();
    let rows = corpus.files().iter().enumerate().filter(|(at, _)| kept.contains(&(*at as u32)));
    Ok(rows.map(|(_, row)| row.clone()).collect())
}

fn passes(filter: &Filter, row: &FileRow, table: &SymbolTable, place: &MatchStart) -> bool {
    let symbol = innermost(table, place.at);
    let symbol = filter.around(&table.symbols, symbol).or(symbol);
    filter.has_symbol(row, symbol.and_then(|at| table.symbols.get(at.0 as usize)))
}

/// A file of which lines are shown.
struct Shown<'a> {
    view: &'a View<'a>,
    published: &'a RefSnapshot,
    layers: &'a Layers,
    question: &'a Question,
    row: &'a FileRow,
}

impl Shown<'_> {
    fn lines(&self, places: &[MatchStart]) -> Result<Vec<MatchingLine>, QueryError> {
        let Some(bytes) = self.view.project.read(self.row) else { return Ok(Vec::new()) };
        let (text, _) = as_text(&bytes); // of the same length
        let table = self.published.symbol_table(self.row.id)?;
        let layer = self.layers.of(&self.row.path, &self.row.hash);
        let mut shown = Vec::with_capacity(places.len());
        for place in places {
            let at = (place.at as usize).min(bytes.len());
            let start = bytes[..at].iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
            let end = bytes[at..].iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |length| at + length);
            let (line, marks) = cut(text.get(start..end).unwrap_or_default(), self.marks(&bytes[start..end]));
            shown.push(MatchingLine {
                path: self.row.path.clone(),
                line: place.line,
                text: line,
                marks,
                before: self.before(&text, start),
                after: self.after(&text, end),
                around: self.around(&table, place),
                layer,
            });
        }
        Ok(shown)
    }

    fn marks(&self, line: &[u8]) -> Vec<(usize, usize)> {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let mut marks = Vec::new();
        let _ = self.question.pattern.matcher().find_iter(line, |found| {
            if !found.is_empty() {
                marks.push((found.start(), found.end()));
            }
            true
        });
        marks
    }

    fn before(&self, text: &str, start: usize) -> Vec<String> {
        let Some(text) = text.get(..start) else { return Vec::new() };
        let mut lines: Vec<String> = text.lines().rev().take(self.question.context).map(plain).collect();
        lines.reverse();
        lines
    }

    fn after(&self, text: &str, end: usize) -> Vec<String> {
        let rest = text.get(end..).and_then(|rest| rest.strip_prefix('\n')).unwrap_or_default();
        rest.lines().take(self.question.context).map(plain).collect()
    }

    fn around(&self, table: &SymbolTable, place: &MatchStart) -> Option<Around> {
        let at = innermost(table, place.at)?;
        let symbol = table.symbols.get(at.0 as usize)?;
        let name = &symbol.qualified_name;
        let inner = name.strip_prefix(self.row.module.as_str()).filter(|_| !self.row.module.is_empty());
        let inner =
            inner.map(|inner| inner.trim_start_matches([':', '.', '/', '\\', '#'])).filter(|name| !name.is_empty());
        Some(Around {
            symbol_id: locate::symbol_id(&self.row.path, symbol).as_str().to_owned(),
            kind: symbol.kind.as_str(),
            name: symbol.name.clone(),
            qualified_name: name.clone(),
            short_name: inner.unwrap_or(name).to_owned(),
            line_start: table.lines(at).0,
        })
    }
}

fn plain(line: &str) -> String {
    cut(line, Vec::new()).0
}

/// A line that is not too long, around its first mark, and where the marks are in it.
fn cut(line: &str, marks: Vec<(usize, usize)>) -> (String, Vec<(usize, usize)>) {
    let line = line.trim_end();
    let fits = |text: &str| text.chars().nth(MAX_LETTERS).is_none();
    let first = marks.first().map_or(0, |mark| mark.0.min(line.len()));
    let start = match fits(line) {
        true => 0,
        false => {
            let before = (0..=first).rev().find(|at| line.is_char_boundary(*at)).unwrap_or(0);
            line[..before].char_indices().rev().nth(LETTERS_BEFORE).map_or(0, |(at, _)| at)
        }
    };
    let end = line[start..].char_indices().nth(MAX_LETTERS).map_or(line.len(), |(at, _)| start + at);
    let (opening, closing) = (if start > 0 { "…" } else { "" }, if end < line.len() { "…" } else { "" });
    let shift = |at: usize| at.clamp(start, end) - start + opening.len();
    let is_edge = |at: usize| line.is_char_boundary(at.clamp(start, end));
    let shifted = marks.into_iter().filter(|mark| mark.0 < end && is_edge(mark.0) && is_edge(mark.1));
    let shifted = shifted.map(|(from, to)| (shift(from), shift(to))).filter(|(from, to)| from < to).collect();
    (format!("{opening}{}{closing}", &line[start..end]), shifted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filter::Tests;
    use crate::testing::Indexed;

    const FILES: &[(&str, &str)] = &[
        ("a.py", "import os\r\n\r\ndef größe(x):\r\n    return os.path.join(x, 'Größe')\r\n"),
        (
            "src/lib.rs",
            "pub fn parse_all() {\n    parse(1);\n}\n\n#[cfg(test)]\nmod tests {\n    fn t() {\n        parse(2);\n    }\n}\n",
        ),
        ("tests/it.rs", "fn all() {\n    parse(3); // parse\n}\n"),
    ];

    fn ask(pattern: Pattern, filter: Filter, limit: usize, offset: usize) -> (Vec<String>, usize) {
        let indexed = Indexed::new(FILES);
        let question = Question { pattern, language: None, filter, limit, offset, context: 0 };
        let answer = find(&indexed.view(), &Layers::None, &question).unwrap();
        let shown = |one: &MatchingLine| {
            let around = one.around.as_ref().map_or("-", |around| around.short_name.as_str());
            format!("{}:{} {} [{around}]", one.path, one.line, one.text.trim())
        };
        (answer.lines.iter().map(shown).collect(), answer.total)
    }

    fn regex(text: &str) -> Pattern {
        Pattern::new(text, false, true).unwrap()
    }

    #[test]
    fn every_matching_line_is_found_once_with_the_symbol_around_it() {
        let (lines, total) = ask(regex(r"parse\("), Filter::default(), 10, 0);
        let expected = [
            "src/lib.rs:2 parse(1); [parse_all]",
            "src/lib.rs:8 parse(2); [tests::t]",
            "tests/it.rs:2 parse(3); // parse [all]",
        ];
        assert_eq!((lines.as_slice(), total), (&expected.map(str::to_owned)[..], 3));
        assert_eq!(ask(regex("parse"), Filter::default(), 10, 0).1, 4);
        assert_eq!(ask(regex("zebra"), Filter::default(), 10, 0), (Vec::new(), 0));
        let (page, total) = ask(regex(r"parse\("), Filter::default(), 1, 1);
        assert_eq!((page.as_slice(), total), (&[expected[1].to_owned()][..], 3));
        assert_eq!(ask(regex("parse"), Filter::default(), 10, 99), (Vec::new(), 4));
    }

    #[test]
    fn a_filter_looks_at_the_symbol_around_a_line() {
        let tests = |tests| Filter::new(&[], tests, Vec::new()).unwrap();
        let source = ask(regex(r"parse\("), tests(Tests::Exclude), 10, 0);
        assert_eq!(source, (vec!["src/lib.rs:2 parse(1); [parse_all]".to_owned()], 1));
        assert_eq!(ask(regex(r"parse\("), tests(Tests::Only), 10, 0).1, 2);
    }

    #[test]
    fn a_literal_is_text_and_case_and_line_ends_do_not_matter() {
        let literal = |text: &str, case| Pattern::new(text, true, case).unwrap();
        assert_eq!(ask(literal("os.path.join(x", true), Filter::default(), 9, 0).1, 1);
        assert_eq!(ask(literal("os_path", true), Filter::default(), 9, 0).1, 0);
        assert_eq!(ask(literal("GRÖSSE", false), Filter::default(), 9, 0).1, 0);
        assert_eq!(ask(literal("GRÖßE", false), Filter::default(), 9, 0).1, 2);
        assert_eq!(ask(regex(r"'Größe'\)$"), Filter::default(), 9, 0).1, 1, "a line may end with a carriage return");
        assert_eq!(ask(regex(r"^$"), Filter::default(), 9, 0).1, 2);
    }

    #[test]
    fn what_the_index_rules_out_never_matches() {
        let indexed = Indexed::new(FILES);
        let view = indexed.view();
        let mut seen = 0;
        for text in [
            r"\bparse\b",
            r"\(x, 'Größe'\)",
            r"pub fn \w+\(\)",
            r"mod\s+tests\s",
            r"return os\.path\.",
            "(?:a|parse)\\(",
            "t()",
        ] {
            for (literal, case) in [(false, true), (false, false), (true, true), (true, false)] {
                let pattern = Pattern::new(text, literal, case).unwrap();
                let unaided = Question {
                    pattern: pattern.clone().without_words(),
                    language: None,
                    filter: Filter::default(),
                    limit: 99,
                    offset: 0,
                    context: 0,
                };
                let aided = Question { pattern, ..unaided.clone() };
                let count = |question| find(&view, &Layers::None, question).unwrap().total;
                assert_eq!(count(&aided), count(&unaided), "{text} {literal} {case}");
                seen += count(&aided);
            }
        }
        assert!(seen > 10, "{seen}");
    }

    #[test]
    fn long_lines_are_cut_around_what_matches() {
        let line = format!("{}needle{}", "ä".repeat(500), "b".repeat(500));
        let (text, marks) = cut(&line, vec![(1000, 1006)]);
        assert!(text.starts_with('…') && text.ends_with('…') && text.chars().count() == MAX_LETTERS + 2, "{text}");
        assert_eq!(&text[marks[0].0..marks[0].1], "needle");
        assert_eq!(cut("  short \r", vec![(2, 7)]), ("  short".to_owned(), vec![(2, 7)]));
        assert_eq!(cut("a  ", vec![(1, 3)]), ("a".to_owned(), Vec::new()));
    }
}
