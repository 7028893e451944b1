//! Phrases and error messages: the place where the text itself stands.
//!
//! The index knows words, not their order, so the order is checked against the text of the likeliest chunks. A message
//! as it was printed differs from the source that printed it: numbers, paths and names were filled in. What is compared
//! is therefore the longest run of words that a line of source and the message have in common.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use cruxe_extract::as_text;
use cruxe_model::SymbolKind;
use cruxe_model::facts::{Symbol, SymbolIndex};
use cruxe_store::{ChunkNumber, FileNumber, SymbolTable, TextField, tokens};

use super::files::Ranked;
use super::paths::innermost_at;
use super::pattern::pattern;
use super::rank::texts::{self, MAX_CHUNKS, MIN_RUN};
use super::rank::{RankedFile, Score, Weights, highest};
use super::reasons::{PartReasons, Reasons};
use super::select::{quality, select as select_by_rank};
use super::{Notice, Remarks, Search, SearchHit, Target};
use crate::error::QueryError;

/// Longer lines are data.
const MAX_LINE: usize = 2_000;

/// A place whose text was compared.
struct Match {
    file: FileNumber,
    symbol: Option<SymbolIndex>,
    line: u32,
    text: String,
    /// How much of what was asked for stands there, 0 to 1.
    strength: f32,
}

/// The places where the text stands; where there is none, what ranks best.
pub(super) fn select(
    search: &Search,
    ranked: &Ranked,
    weights: &Weights,
    remarks: &mut Remarks,
) -> Result<(Vec<SearchHit>, bool), QueryError> {
    let limit = search.question.limit;
    let phrases = &search.query.phrases;
    let mut matches = named_places(search)?;
    let (chunks, message) = if phrases.is_empty() {
        (likeliest(search, ranked, 0..search.corpus.chunks() as ChunkNumber), Message::printed(&search.query.text))
    } else {
        let mut having: Vec<ChunkNumber> = Vec::new();
        for phrase in phrases {
            having.extend(chunks_with_all(search, phrase)?);
        }
        having.sort_unstable();
        having.dedup();
        (likeliest(search, ranked, having.into_iter()), Message::quoted(phrases))
    };
    let mut tables = Tables { search, known: HashMap::new() };
    for chunk in chunks {
        search.view.work.check()?;
        if search.view.work.is_late() {
            break;
        }
        matches.extend(tables.compare(chunk, &message)?);
    }
    if matches.is_empty() {
        if !search.view.work.is_late() {
            remarks.notices.push(Notice::NoSuchText { quoted: !phrases.is_empty() });
        }
        return select_by_rank(search, ranked, weights, limit);
    }
    let by_rank: HashMap<FileNumber, &RankedFile> = ranked.files.iter().map(|file| (file.file, file)).collect();
    let quality = quality(search, ranked);
    let mut found: Vec<SearchHit> = Vec::new();
    for one in matches {
        let file = by_rank.get(&one.file).copied();
        let of_file = file.map_or_else(Score::default, |file| file.score);
        let score = texts::verified(&of_file, quality, one.strength, weights);
        let parts = file.map(|file| PartReasons::of(file, &score));
        let table = tables.table(one.file)?;
        found.push(SearchHit {
            file: search.file(one.file).clone(),
            target: Target::Snippet(one.symbol),
            lines: (one.line, one.line),
            line: Some((one.line, one.text)),
            score,
            confidence: score.confidence(weights),
            bm25: highest(&ranked.lexical.chunks[search.range(one.file)]),
            reasons: Reasons::of_line(one.line, one.strength, parts),
            table,
        });
    }
    found.sort_by(|a, b| {
        let place = |it: &SearchHit| (it.file.path.clone(), it.lines.0);
        b.score.total().total_cmp(&a.score.total()).then_with(|| place(a).cmp(&place(b)))
    });
    let mut seen = HashSet::new();
    found.retain(|one| seen.insert((one.file.path.clone(), one.lines)));
    let truncated = found.len() > limit;
    Ok((found, truncated))
}

/// Places that the query names by path and line: the frames of a stack trace, the innermost of the project first.
fn named_places(search: &Search) -> Result<Vec<Match>, QueryError> {
    let mut matches = Vec::new();
    let mut tables = Tables { search, known: HashMap::new() };
    for (at, (path, line)) in search.query.places.iter().enumerate() {
        let (Some(file), Some(line)) = (search.file_by_suffix(path), *line) else { continue };
        let table = tables.table(file)?;
        let text = tables.line(file, line).unwrap_or_default();
        let symbol = innermost_at(&table, line);
        let strength = texts::frame_strength(at);
        matches.push(Match { file, symbol, line, text, strength });
    }
    Ok(matches)
}

/// The innermost symbol around an offset, its doc comment included.
fn innermost(table: &SymbolTable, offset: u32) -> Option<SymbolIndex> {
    let around = |(_, symbol): &(usize, &Symbol)| symbol.full_span.contains(offset) && symbol.kind != SymbolKind::Use;
    table.symbols.iter().enumerate().filter(around).map(|(at, _)| SymbolIndex(at as u32)).next_back()
}

/// The chunks to read: those with the highest score.
fn likeliest(search: &Search, ranked: &Ranked, chunks: impl Iterator<Item = ChunkNumber>) -> Vec<ChunkNumber> {
    let score = |chunk: &ChunkNumber| ranked.lexical.chunks[*chunk as usize];
    let wanted = |chunk: &ChunkNumber| search.wanted[search.corpus.file_of()[*chunk as usize] as usize];
    let mut chunks: Vec<ChunkNumber> = chunks.filter(|chunk| score(chunk) > 0.0 && wanted(chunk)).collect();
    let before = |a: &ChunkNumber, b: &ChunkNumber| score(b).total_cmp(&score(a)).then(a.cmp(b));
    if chunks.len() > MAX_CHUNKS {
        chunks.select_nth_unstable_by(MAX_CHUNKS, before);
        chunks.truncate(MAX_CHUNKS);
    }
    chunks.sort_unstable_by(before);
    chunks
}

/// The chunks that have every word of a phrase.
fn chunks_with_all(search: &Search, phrase: &str) -> Result<Vec<ChunkNumber>, QueryError> {
    let words: HashSet<String> = tokens(phrase).into_iter().collect();
    let mut common: Option<Vec<ChunkNumber>> = None;
    for token in words {
        search.view.work.check()?;
        let having = search.postings.of(&search.corpus, TextField::Body, &token)?;
        let mut having: Vec<ChunkNumber> = having.iter().map(|(chunk, _)| *chunk).collect();
        having.sort_unstable();
        let both = match common {
            Some(mut common) => {
                common.retain(|chunk| having.binary_search(chunk).is_ok());
                common
            }
            None => having,
        };
        if both.is_empty() {
            return Ok(Vec::new());
        }
        common = Some(both);
    }
    Ok(common.unwrap_or_default())
}

/// What the text of a chunk is compared with.
enum Message {
    /// All of it must stand there, but for blanks and case.
    Quoted(Vec<String>),
    /// Words of a message, broken where something was filled in.
    Printed(Printed),
}

/// A message as it was printed.
struct Printed {
    /// Where each word stands in it.
    places: HashMap<String, Vec<usize>>,
    letters: usize,
}

impl Message {
    fn quoted(phrases: &[String]) -> Message {
        Message::Quoted(phrases.iter().map(|phrase| squeeze(phrase)).collect())
    }

    fn printed(text: &str) -> Message {
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
        Message::Printed(Printed { places, letters: letters.max(1) })
    }
}

/// Where something was filled in.
const BREAK: &str = "\u{0}";

fn message_words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '\u{0}')
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
}

fn squeeze(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
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

    fn line(&mut self, file: FileNumber, line: u32) -> Option<String> {
        let (_, text) = self.get(file).ok()?;
        text.as_ref()?.lines().nth(line as usize - 1).map(|line| line.trim().to_owned())
    }

    /// The best line of a chunk.
    fn compare(&mut self, chunk: ChunkNumber, message: &Message) -> Result<Option<Match>, QueryError> {
        let (file, number) = self.search.corpus.place(chunk);
        let (table, text) = self.get(file)?;
        let Some(Some(body)) = text.as_ref().map(|text| {
            let span = table.chunks.get(number as usize)?.span;
            text.get(span.start as usize..span.end as usize)
        }) else {
            return Ok(None);
        };
        let first = table.chunk_lines(number).0;
        let best = match message {
            Message::Quoted(phrases) => quoted_line(body, phrases),
            Message::Printed(message) => printed_line(body, message),
        };
        Ok(best.map(|(offset, strength)| {
            let line = first + offset as u32;
            let text = body.lines().nth(offset).unwrap_or_default();
            let at = text.as_ptr() as usize - body.as_ptr() as usize + text.len() - text.trim_start().len();
            let start = table.chunks.get(number as usize).map_or(0, |chunk| chunk.span.start);
            let symbol = innermost(table, start + at as u32);
            Match { file, symbol, line, text: text.trim().to_owned(), strength }
        }))
    }
}

/// The line where the first phrase begins, and how many of the phrases stand in the text.
fn quoted_line(body: &str, phrases: &[String]) -> Option<(usize, f32)> {
    // Where each line begins in the whole without its blanks.
    let (mut starts, mut squeezed) = (Vec::new(), String::with_capacity(body.len()));
    for line in body.lines() {
        let line = squeeze(line);
        if !squeezed.is_empty() && !line.is_empty() {
            squeezed.push(' ');
        }
        starts.push(squeezed.len());
        squeezed.push_str(&line);
    }
    let having: Vec<&String> = phrases.iter().filter(|phrase| squeezed.contains(phrase.as_str())).collect();
    let first = having.first()?;
    let strength = having.len() as f32 / phrases.len() as f32;
    let line_at = |at: usize| starts.partition_point(|start| *start <= at) - 1;
    let within_a_line = |at: &usize| starts.get(line_at(*at) + 1).is_none_or(|next| at + first.len() <= *next);
    let alone = squeezed.match_indices(first.as_str()).map(|(at, _)| at).find(within_a_line);
    // One that runs over several lines: the last of them that it begins in.
    Some((line_at(alone.or_else(|| squeezed.rfind(first.as_str()))?), strength))
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
        let Message::Printed(message) = Message::printed(message) else { unreachable!() };
        printed_line(line, &message).map(|(_, strength)| strength)
    }

    #[test]
    fn what_was_filled_in_does_not_count() {
        let line = r#"bail!("failed to bind {}: address in use", address);"#;
        assert!(strength("failed to bind 127.0.0.1:8080: address in use", line).unwrap() > 0.45);
        assert_eq!(strength("no such table: users", line), None);
        assert_eq!(strength("bind 0x7f3a", line), None, "one word is chance");
    }

    #[test]
    fn phrases_are_found_over_line_breaks_and_whatever_the_case() {
        let body = "let a = \"Too many\n    requests\";\nx";
        assert_eq!(quoted_line(body, &["too many requests".into()]), Some((0, 1.0)));
        assert_eq!(quoted_line(body, &["many requests too".into()]), None);
        assert_eq!(quoted_line(body, &["requests\";".into(), "absent".into()]), Some((1, 0.5)));
    }
}
