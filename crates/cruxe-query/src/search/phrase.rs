//! Phrases and error messages: the place where the text itself stands.
//!
//! A phrase is text: every line that has it is found, whatever its first and last letters are part of. The index knows
//! whole words, so it tells for certain which files cannot have a phrase only by the words inside of it; the others are
//! read. See [`quoted`](super::quoted).
//!
//! A message as it was printed differs from the source that printed it: numbers, paths and names were filled in. What is
//! compared is therefore the longest run of words that a line of source and the message have in common, in the likeliest
//! chunks.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use cruxe_extract::as_text;
use cruxe_model::SymbolKind;
use cruxe_model::facts::{Symbol, SymbolIndex};
use cruxe_store::{ChunkNumber, FileNumber, SymbolTable};

use super::files::Ranked;
use super::paths::innermost_at;
use super::pattern::pattern;
use super::quoted;
use super::rank::texts::{self, MAX_CHUNKS, MIN_RUN};
use super::rank::{RankedFile, Score, Weights, highest};
use super::reasons::{PartReasons, Reasons};
use super::select::{quality, select as select_by_rank};
use super::{Notice, Remarks, Search, SearchHit, Target};
use crate::error::QueryError;

/// Longer lines are data.
const MAX_LINE: usize = 2_000;

/// A place whose text was compared.
pub(super) struct Match {
    pub file: FileNumber,
    pub line: u32,
    /// How much of what was asked for stands there, 0 to 1.
    pub strength: f32,
}

/// What a query's text was found in.
pub(super) struct Selected {
    pub found: Vec<SearchHit>,
    pub truncated: bool,
    /// How many places have a phrase; `None` where that is not known.
    pub total: Option<usize>,
}

/// The places where the text stands; where there is none, what ranks best.
pub(super) fn select(
    search: &Search,
    ranked: &Ranked,
    weights: &Weights,
    remarks: &mut Remarks,
) -> Result<Selected, QueryError> {
    let limit = search.question.limit;
    let phrases = &search.query.phrases;
    let mut tables = Tables { search, known: HashMap::new() };
    let mut matches = named_places(search);
    if phrases.is_empty() {
        let message = Printed::new(&search.query.text);
        for chunk in likeliest(search, ranked) {
            search.view.work.check()?;
            if search.view.work.is_late() {
                break;
            }
            matches.extend(tables.compare(chunk, &message)?);
        }
    } else {
        matches.extend(quoted::lines(search, ranked, phrases, remarks)?);
    }
    if search.question.filter.by_symbol() {
        let mut kept = Vec::new();
        for one in matches {
            search.view.work.check()?;
            if tables.passes(&one)? {
                kept.push(one);
            }
        }
        matches = kept;
    }
    if matches.is_empty() {
        if !search.view.work.is_late() {
            remarks.notices.push(Notice::NoSuchText { quoted: !phrases.is_empty() });
        }
        let (found, truncated) = select_by_rank(search, ranked, weights, limit)?;
        return Ok(Selected { found, truncated, total: None });
    }
    let by_rank: HashMap<FileNumber, &RankedFile> = ranked.files.iter().map(|file| (file.file, file)).collect();
    let quality = quality(search, ranked);
    let score = |one: &Match| {
        let of_file = by_rank.get(&one.file).map_or_else(Score::default, |file| file.score);
        texts::verified(&of_file, quality, one.strength, weights)
    };
    let with_score = |one: Match| {
        let score = score(&one);
        (one, score)
    };
    let mut scored: Vec<(Match, Score)> = matches.into_iter().map(with_score).collect();
    scored.sort_by(|(a, of_a), (b, of_b)| {
        let place = |it: &Match| (&search.file(it.file).path, it.line);
        of_b.total().total_cmp(&of_a.total()).then_with(|| place(a).cmp(&place(b)))
    });
    let mut seen = HashSet::new();
    scored.retain(|(one, _)| seen.insert((one.file, one.line)));
    let total = scored.len();
    scored.truncate(limit);
    let mut found: Vec<SearchHit> = Vec::new();
    for (one, score) in scored {
        let parts = by_rank.get(&one.file).map(|file| PartReasons::of(file, &score));
        let (symbol, text) = tables.line(one.file, one.line)?;
        found.push(SearchHit {
            file: search.file(one.file).clone(),
            target: Target::Snippet(symbol),
            lines: (one.line, one.line),
            line: Some((one.line, text)),
            score,
            confidence: score.confidence(weights),
            bm25: highest(&ranked.lexical.chunks[search.range(one.file)]),
            reasons: Reasons::of_line(one.line, one.strength, parts),
            table: tables.table(one.file)?,
        });
    }
    Ok(Selected { found, truncated: total > limit, total: (!phrases.is_empty()).then_some(total) })
}

/// Places that the query names by path and line: the frames of a stack trace, the innermost of the project first.
fn named_places(search: &Search) -> Vec<Match> {
    let places = search.query.places.iter().enumerate();
    let named = places.filter_map(|(at, (path, line))| {
        let (file, line) = (search.file_by_suffix(path)?, (*line)?);
        Some(Match { file, line, strength: texts::frame_strength(at) })
    });
    named.collect()
}

/// The innermost symbol around an offset, its doc comment included.
pub(crate) fn innermost(table: &SymbolTable, offset: u32) -> Option<SymbolIndex> {
    let around = |(_, symbol): &(usize, &Symbol)| symbol.full_span.contains(offset) && symbol.kind != SymbolKind::Use;
    table.symbols.iter().enumerate().filter(around).map(|(at, _)| SymbolIndex(at as u32)).next_back()
}

/// The chunks to read for a message: those with the highest score.
fn likeliest(search: &Search, ranked: &Ranked) -> Vec<ChunkNumber> {
    let score = |chunk: &ChunkNumber| ranked.lexical.chunks[*chunk as usize];
    let wanted = |chunk: &ChunkNumber| search.wanted[search.corpus.file_of()[*chunk as usize] as usize];
    let all = 0..search.corpus.chunks() as ChunkNumber;
    let mut chunks: Vec<ChunkNumber> = all.filter(|chunk| score(chunk) > 0.0 && wanted(chunk)).collect();
    let before = |a: &ChunkNumber, b: &ChunkNumber| score(b).total_cmp(&score(a)).then(a.cmp(b));
    if chunks.len() > MAX_CHUNKS {
        chunks.select_nth_unstable_by(MAX_CHUNKS, before);
        chunks.truncate(MAX_CHUNKS);
    }
    chunks.sort_unstable_by(before);
    chunks
}

/// A message as it was printed.
struct Printed {
    /// Where each word stands in it.
    places: HashMap<String, Vec<usize>>,
    letters: usize,
}

impl Printed {
    fn new(text: &str) -> Printed {
        let plain = pattern!(
            r#"File "[^"]+", line \d+.*|^\s*at .*$"#,
            r"[\w./\\~-]*/[\w./\\:-]+|\b0x[0-9a-fA-F]+\b|\b[0-9a-fA-F]{8,}\b|\b\d[\d.:,_-]*\b",
        )
        .iter()
        .fold(text.to_owned(), |text, pattern| pattern.replace_all(&text, " \u{0} ").into_owned());
        let (mut places, mut words, mut letters) = (HashMap::<String, Vec<usize>>::new(), 0, 0);
        for word in message_words(&plain) {
            if word != BREAK {
                letters += word.len();
                places.entry(word).or_default().push(words);
            }
            words += 1;
        }
        Printed { places, letters: letters.max(1) }
    }
}

/// Where something was filled in.
const BREAK: &str = "\u{0}";

fn message_words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '\u{0}')
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
}

/// Texts and symbols of files, each read once.
struct Tables<'a> {
    search: &'a Search<'a>,
    known: HashMap<FileNumber, (Arc<SymbolTable>, Option<String>)>,
}

impl Tables<'_> {
    fn get(&mut self, file: FileNumber) -> Result<&(Arc<SymbolTable>, Option<String>), QueryError> {
        if !self.known.contains_key(&file) {
            let row = self.search.file(file);
            let table = self.search.snapshot.symbol_table(row.id)?;
            let text = self.search.view.project.read(row).map(|bytes| as_text(&bytes).0.into_owned());
            self.known.insert(file, (table, text));
        }
        Ok(&self.known[&file])
    }

    fn table(&mut self, file: FileNumber) -> Result<Arc<SymbolTable>, QueryError> {
        self.get(file).map(|(table, _)| Arc::clone(table))
    }

    /// Whether the filter lets the line through, or a symbol around it.
    fn passes(&mut self, one: &Match) -> Result<bool, QueryError> {
        let (filter, row) = (&self.search.question.filter, self.search.file(one.file));
        let (symbol, _) = self.line(one.file, one.line)?;
        let (table, _) = self.get(one.file)?;
        let around = filter.around(&table.symbols, symbol);
        let symbol = around.or(symbol).and_then(|at| table.symbols.get(at.0 as usize));
        Ok(filter.has_symbol(row, symbol))
    }

    /// What stands in a line, and the symbol around it.
    fn line(&mut self, file: FileNumber, line: u32) -> Result<(Option<SymbolIndex>, String), QueryError> {
        let (table, text) = self.get(file)?;
        let whole = text.as_deref().unwrap_or_default();
        let Some(text) = whole.lines().nth(line.saturating_sub(1) as usize) else {
            return Ok((innermost_at(table, line), String::new()));
        };
        let at = text.as_ptr() as usize - whole.as_ptr() as usize + text.len() - text.trim_start().len();
        Ok((innermost(table, at as u32), text.trim().to_owned()))
    }

    /// The best line of a chunk.
    fn compare(&mut self, chunk: ChunkNumber, message: &Printed) -> Result<Option<Match>, QueryError> {
        let (file, number) = self.search.corpus.place(chunk);
        let (table, text) = self.get(file)?;
        let Some(Some(body)) = text.as_ref().map(|text| {
            let span = table.chunks.get(number as usize)?.span;
            text.get(span.start as usize..span.end as usize)
        }) else {
            return Ok(None);
        };
        let first = table.chunk_lines(number).0;
        let best = printed_line(body, message);
        Ok(best.map(|(offset, strength)| Match { file, line: first + offset as u32, strength }))
    }
}

/// The line that has the longest run of a message's words, and which part of the message that is.
fn printed_line(body: &str, message: &Printed) -> Option<(usize, f32)> {
    let mut best: Option<(usize, usize)> = None;
    for (number, line) in body.lines().enumerate().filter(|(_, line)| line.len() <= MAX_LINE) {
        let (count, run) = longest_run(message, line);
        if count >= MIN_RUN && best.is_none_or(|(_, most)| run > most) {
            best = Some((number, run));
        }
    }
    best.map(|(number, run)| (number, (run as f32 / message.letters as f32).min(1.0)))
}

/// The longest run of words that both have: how many words, and their letters.
fn longest_run(message: &Printed, line: &str) -> (usize, usize) {
    // What ends at each place of the message, after the word before and after this one.
    let (mut before, mut now) = (HashMap::new(), HashMap::new());
    let mut best = (0, 0);
    for word in message_words(line) {
        for place in message.places.get(&word).into_iter().flatten() {
            let (count, letters) = place.checked_sub(1).and_then(|last| before.get(&last)).copied().unwrap_or((0, 0));
            let run = (count + 1, letters + word.len());
            now.insert(*place, run);
            if run.1 > best.1 {
                best = run;
            }
        }
        (before, now) = (now, before);
        now.clear();
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strength(message: &str, line: &str) -> Option<f32> {
        printed_line(line, &Printed::new(message)).map(|(_, strength)| strength)
    }

    #[test]
    fn what_was_filled_in_does_not_count() {
        let line = r#"bail!("failed to bind {}: address in use", address);"#;
        assert!(strength("failed to bind 127.0.0.1:8080: address in use", line).unwrap() > 0.45);
        assert_eq!(strength("no such table: users", line), None);
        assert_eq!(strength("bind 0x7f3a", line), None, "one word is chance");
    }
}
