//! Every line that matches a pattern.

use std::collections::BTreeMap;

use cruxe_model::{SkipReason, SourceLayer};
use cruxe_query::grep::{LineList, MatchingLine, Stopped};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::detail::{Breadth, Detail};
use super::text::{Line, Text};
use super::{Render, noting};
use crate::contract::Metadata;

/// So many files that are too large are named.
const NAMED: usize = 3;

/// The answer.
#[derive(Clone, Serialize, JsonSchema)]
pub struct PatternAnswer {
    results: Vec<Hit>,
    query_intent: &'static str,
    /// How many lines match.
    total_candidates: usize,
    /// How many files have one.
    total_files: usize,
    /// The files, where they are asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    files: Option<Vec<FileCount>>,
    suggested_next_actions: Vec<Value>,
    metadata: Metadata,
    #[serde(skip)]
    offset: usize,
    #[serde(skip)]
    not_searched: BTreeMap<&'static str, usize>,
    #[serde(skip)]
    counts: bool,
}

/// A file and how many of its lines match.
#[derive(Clone, Serialize, JsonSchema)]
struct FileCount {
    path: String,
    lines: usize,
}

/// A line. What is not known, or not asked for, is left out.
#[derive(Clone, Serialize, JsonSchema)]
struct Hit {
    result_type: &'static str,
    path: String,
    line_start: u32,
    line_end: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    snippet: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    before: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    after: Vec<String>,
    /// The symbol around it.
    #[serde(skip_serializing_if = "Option::is_none")]
    symbol_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    qualified_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source_layer: Option<SourceLayer>,
    /// How the text shows it.
    #[serde(skip)]
    shown: Shown,
}

#[derive(Clone, Default)]
struct Shown {
    text: String,
    marks: Vec<(usize, usize)>,
    /// The symbol around it, where it does not begin in this very line.
    around: Option<String>,
}

impl PatternAnswer {
    /// The lines that match, from an offset on.
    pub fn new(answer: LineList, offset: usize, detail: &Detail) -> PatternAnswer {
        let mut metadata = Metadata::of(&answer.standing).unread_if(answer.unread).filtered_out(answer.filtered_out);
        if let Some(stopped) = &answer.stopped {
            metadata = metadata.partial(ended(stopped));
        }
        metadata.warnings.extend(too_large(&answer));
        let not_searched = not_searched(&answer);
        if !not_searched.is_empty() {
            metadata = metadata.with("not_searched", json!(not_searched));
        }
        let total = answer.total;
        let whole = PatternAnswer {
            results: answer.lines.into_iter().map(|line| Hit::new(line, detail)).collect(),
            query_intent: "pattern",
            total_candidates: total,
            total_files: answer.files.len(),
            files: None,
            suggested_next_actions: Vec::new(),
            metadata,
            offset,
            not_searched,
            counts: false,
        };
        whole.first(whole.count())
    }

    /// The answer with the files that have matches instead of the lines; `counts` shows how many each has.
    pub fn of_files(answer: LineList, counts: bool) -> PatternAnswer {
        let files =
            answer.files.iter().map(|(path, lines)| FileCount { path: path.as_str().to_owned(), lines: *lines });
        let files = files.collect();
        let all = PatternAnswer::new(LineList { lines: Vec::new(), ..answer }, usize::MAX, &Detail::default());
        PatternAnswer { files: Some(files), counts, ..all }
    }

    /// Adds something that the reader should know.
    pub fn warn(mut self, warning: Option<&str>) -> PatternAnswer {
        self.metadata.warnings.extend(warning.map(str::to_owned));
        self
    }

    /// How many lines it lists.
    pub fn count(&self) -> usize {
        self.results.len()
    }

    /// The answer with the first so many lines.
    pub fn first(&self, count: usize) -> PatternAnswer {
        let mut answer = self.clone();
        answer.results.truncate(count);
        let listed = self.offset.saturating_add(answer.results.len());
        if listed < self.total_candidates {
            answer.metadata = answer.metadata.truncated_if(true).with("next_offset", listed);
        }
        answer
    }
}

/// Where a search ended, and why.
fn ended(stopped: &Stopped) -> String {
    let Stopped { before, looked_at, of, late } = stopped;
    let why = if *late { "the time for an answer was over" } else { "too many lines match" };
    format!("{why}: {looked_at} of {of} files were looked at, up to `{before}`; give a rarer pattern or `paths`")
}

/// Files that are too large, by name: nobody left those out on purpose.
fn too_large(answer: &LineList) -> Option<String> {
    let too_large = answer.left_out.iter().filter(|(_, why)| *why == SkipReason::TooLarge);
    let paths: Vec<String> = too_large.map(|(path, _)| format!("`{path}`")).collect();
    let names = paths.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
    match paths.len() {
        0 => None,
        1..=NAMED => Some(format!("too large to be indexed and not looked at: {names}")),
        count => Some(format!("too large to be indexed and not looked at: {names} and {} more", count - NAMED)),
    }
}

/// How many files are not looked at for each reason.
fn not_searched(answer: &LineList) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    for (_, why) in &answer.left_out {
        *counts.entry(why.as_str()).or_default() += 1;
    }
    counts
}

impl Hit {
    fn new(line: MatchingLine, detail: &Detail) -> Hit {
        let bare = line.before.is_empty() && line.after.is_empty();
        // Lines that stand alone need no indentation.
        let blank = if bare { line.text.len() - line.text.trim_start().len() } else { 0 };
        let text = line.text[blank..].to_owned();
        let marks = line.marks.iter().filter(|mark| mark.1 > blank);
        let marks = marks.map(|(from, to)| (from.saturating_sub(blank), to - blank)).collect();
        let around = line.around.as_ref().filter(|_| !detail.compact);
        let elsewhere = line.around.as_ref().filter(|around| around.line_start != line.line);
        Hit {
            result_type: "snippet",
            path: line.path.into(),
            line_start: line.line,
            line_end: line.line,
            snippet: detail.more().then(|| text.clone()),
            before: line.before,
            after: line.after,
            symbol_id: around.filter(|_| detail.breadth == Breadth::Full).map(|around| around.symbol_id.clone()),
            kind: around.map(|around| around.kind),
            name: around.map(|around| around.name.clone()),
            qualified_name: around.filter(|_| detail.more()).map(|around| around.qualified_name.clone()),
            source_layer: line.layer.filter(|_| detail.breadth == Breadth::Full),
            shown: Shown { text, marks, around: elsewhere.map(|around| around.short_name.clone()) },
        }
    }

    /// The line with what matches set off, and the symbol around it unless that was said for the line before.
    fn line(&self, said: Option<&String>) -> Line {
        let Shown { text, marks, around } = &self.shown;
        let mut line = Line::new().number(self.line_start.to_string()).plain(" ");
        let mut at = 0;
        for (from, to) in marks.iter().copied().filter(|(from, to)| from < to) {
            if let (Some(before), Some(found)) = (text.get(at..from), text.get(from..to)) {
                line = line.plain(before).strong(found);
                at = to;
            }
        }
        line = line.plain(text.get(at..).unwrap_or_default());
        match around.as_ref().filter(|around| Some(*around) != said) {
            Some(around) => line.faint(format!(" <- {around}")),
            None => line,
        }
    }
}

impl PatternAnswer {
    fn list_lines(&self, text: &mut Text) {
        let (mut file, mut said, mut last) = ("", None, 0);
        let in_context = self.results.iter().any(|hit| !hit.before.is_empty() || !hit.after.is_empty());
        let plain = |number: u32, line: &str| Line::new().faint(number.to_string()).plain(format!(" {line}"));
        for (at, hit) in self.results.iter().enumerate() {
            let first = hit.line_start - hit.before.len() as u32;
            if hit.path != file {
                (file, said, last) = (&hit.path, None, 0);
                text.push(Line::new().path(file));
            } else if in_context && first > last + 1 {
                text.push(Line::new().faint("…"));
            }
            for (number, line) in (first..).zip(&hit.before).filter(|(number, _)| *number > last) {
                text.push(plain(number, line));
            }
            text.push(hit.line(said));
            (said, last) = (hit.shown.around.as_ref(), hit.line_start);
            let next =
                self.results.get(at + 1).filter(|next| next.path == hit.path).map_or(u32::MAX, |next| next.line_start);
            for (number, line) in (hit.line_start + 1..).zip(&hit.after).take_while(|(number, _)| *number < next) {
                text.push(plain(number, line));
                last = number;
            }
        }
    }
}

impl Render for PatternAnswer {
    fn text(&self) -> Text {
        let mut text = noting(&self.metadata);
        for file in self.files.iter().flatten() {
            let line = Line::new().path(&file.path);
            text.push(if self.counts { line.plain(":").number(file.lines.to_string()) } else { line });
        }
        if self.files.is_some() {
            return text;
        }
        self.list_lines(&mut text);
        let (shown, total) = (self.results.len(), self.total_candidates);
        let cut = if shown < total { format!(", {shown} shown") } else { String::new() };
        let count = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
        let (lines, files) = (count(total, "line"), count(self.total_files, "file"));
        let left_out: Vec<String> = self.not_searched.iter().map(|(why, count)| format!("{count} {why}")).collect();
        let left_out =
            if left_out.is_empty() { String::new() } else { format!("; not indexed: {}", left_out.join(", ")) };
        text.push(Line::new().faint(format!("{lines} in {files}{cut}{left_out}")));
        text
    }
}
