//! Phrases and error messages: the place where the text itself stands.
//!
//! A phrase is text: every line that has it is found, whatever its first and last letters are part of. The index knows
//! whole words, so it tells for certain which files cannot have a phrase only by the words inside of it; the others are
//! read. See [`quoted`](super::quoted).
//!
//! A message as it was printed differs from the source that printed it: numbers, paths and names were filled in. It is
//! compared with the lines of the likeliest chunks, see [`message`](super::message).

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use cruxe_model::SymbolKind;
use cruxe_model::facts::{Symbol, SymbolIndex};
use cruxe_store::{ChunkNumber, FileNumber, SymbolTable, TextField};

use super::files::Ranked;
use super::message::Printed;
use super::paths::innermost_at;
use super::quoted;
use super::rank::bm25::{Bm25, CHUNK};
use super::rank::factors;
use super::rank::texts::{self, MAX_CHUNKS};
use super::rank::{RankedFile, Score, Weights, highest};
use super::reasons::{PartReasons, Reasons};
use super::select::{quality, select as select_by_rank};
use super::stats::FileClass;
use super::{Notice, Remarks, Search, SearchHit, Target};
use crate::code;
use crate::error::QueryError;
use crate::resolve::FastMap;

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
        for chunk in likeliest(search, &ranked.lexical.chunks, &message, (0.0, MAX_CHUNKS))? {
            search.view.work.check()?;
            if search.view.work.is_late() {
                break;
            }
            matches.extend(tables.compare(chunk, |body| message.line_in(body))?);
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
    let places = Places::new(search, ranked, weights);
    let mut scored: Vec<(Match, Score)> = Vec::with_capacity(matches.len());
    for one in matches {
        let score = places.score(&one, &mut tables)?;
        scored.push((one, score));
    }
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
        found.push(places.hit(&one, score, &mut tables)?);
    }
    Ok(Selected { found, truncated: total > limit, total: (!phrases.is_empty()).then_some(total) })
}

/// The results with the lines in front whose strings are the query itself: a message that was pasted without quotes.
pub(super) fn with_message(
    search: &Search,
    ranked: &Ranked,
    weights: &Weights,
    found: Vec<SearchHit>,
) -> Result<Vec<SearchHit>, QueryError> {
    let message = Printed::new(&search.query.text);
    if !message.is_likely() {
        return Ok(found);
    }
    let mut tables = Tables { search, known: HashMap::new() };
    let places = Places::new(search, ranked, weights);
    let mut lines: Vec<(Match, Score)> = Vec::new();
    for chunk in likeliest(search, &ranked.lexical.chunks, &message, (texts::COVERED, texts::FEW_CHUNKS))? {
        search.view.work.check()?;
        let told = tables.compare(chunk, |body| message.string_in(body))?.filter(|one| one.strength >= texts::PASTED);
        if let Some(one) = told
            && !lines.iter().any(|(known, _)| (known.file, known.line) == (one.file, one.line))
            && tables.passes(&one)?
        {
            let score = places.score(&one, &mut tables)?;
            lines.push((one, score));
        }
    }
    lines.sort_by(|(_, a), (_, b)| b.total().total_cmp(&a.total()));
    // Nothing that is only about the words stands above the text itself.
    let mut least = found.first().map_or(0.0, |first| first.score.total());
    let mut hits = Vec::new();
    for (one, score) in lines.into_iter().rev() {
        let score = texts::at_least(&score, least);
        least = score.total();
        hits.push(places.hit(&one, score, &mut tables)?);
    }
    hits.reverse();
    hits.extend(found);
    Ok(hits)
}

/// The lines whose strings are messages that somebody pasted among others, those of the first message first. They get a part
/// of the best possible score, and at least the one that the best of the others has.
pub(super) fn printed(
    search: &Search,
    messages: &[String],
    by_words: &[f32],
    (best, least): (f32, f32),
) -> Result<Vec<SearchHit>, QueryError> {
    let mut tables = Tables { search, known: HashMap::new() };
    let mut lines: Vec<(Match, f32)> = Vec::new();
    for message in messages.iter().map(|text| Printed::new(text)).filter(Printed::is_likely) {
        let from = lines.len();
        for chunk in likeliest(search, by_words, &message, (texts::COVERED, texts::FEW_CHUNKS))? {
            search.view.work.check()?;
            let told =
                tables.compare(chunk, |body| message.string_in(body))?.filter(|one| one.strength >= texts::PASTED);
            if let Some(one) = told
                && !lines.iter().any(|(known, _)| (known.file, known.line) == (one.file, one.line))
                && tables.passes(&one)?
            {
                let class = search.stats.classes[one.file as usize];
                let class = if tables.in_test(&one)? { FileClass::Test } else { class };
                let worth = one.strength * factors::of_class(class, search.query.wants);
                lines.push((one, worth));
            }
        }
        lines[from..].sort_by(|(_, a), (_, b)| b.total_cmp(a));
    }
    let (mut hits, mut least) = (Vec::new(), least);
    for (one, worth) in lines.into_iter().rev() {
        let score = texts::at_least(&Score { text: best * texts::VERIFIED * worth, ..Score::default() }, least);
        least = score.total();
        let (symbol, text) = tables.line(one.file, one.line)?;
        hits.push(SearchHit {
            file: search.file(one.file).clone(),
            target: Target::Snippet(symbol),
            lines: (one.line, one.line),
            line: Some((one.line, text)),
            score,
            confidence: f64::from((score.total() / best).clamp(0.0, 1.0)),
            bm25: highest(&by_words[search.range(one.file)]),
            reasons: Reasons::of_line(one.line, one.strength, None),
            features: None,
            table: tables.table(one.file)?,
        });
    }
    hits.reverse();
    Ok(hits)
}

/// What the places of a search are scored by.
struct Places<'a> {
    search: &'a Search<'a>,
    ranked: &'a Ranked,
    weights: &'a Weights,
    by_rank: FastMap<FileNumber, &'a RankedFile>,
    quality: f32,
}

impl<'a> Places<'a> {
    fn new(search: &'a Search, ranked: &'a Ranked, weights: &'a Weights) -> Places<'a> {
        let by_rank = ranked.files.iter().map(|file| (file.file, file)).collect();
        Places { search, ranked, weights, by_rank, quality: quality(search, ranked) }
    }

    /// The score of a line; one of a test has less than the same in source.
    fn score(&self, one: &Match, tables: &mut Tables) -> Result<Score, QueryError> {
        let of_file = self.by_rank.get(&one.file).map_or_else(Score::default, |file| file.score);
        let class = self.search.stats.classes[one.file as usize];
        let has_tests = self.search.stats.has_tests[one.file as usize];
        let in_test = class == FileClass::Source && has_tests && tables.in_test(one)?;
        let class = if in_test { FileClass::Test } else { class };
        let kept = factors::of_class(class, self.search.query.wants).max(factors::TEST_CHUNK);
        Ok(texts::verified(&of_file, self.quality, one.strength * kept, self.weights))
    }

    fn hit(&self, one: &Match, score: Score, tables: &mut Tables) -> Result<SearchHit, QueryError> {
        let parts = self.by_rank.get(&one.file).map(|file| PartReasons::of(file, &score));
        let (symbol, text) = tables.line(one.file, one.line)?;
        Ok(SearchHit {
            file: self.search.file(one.file).clone(),
            target: Target::Snippet(symbol),
            lines: (one.line, one.line),
            line: Some((one.line, text)),
            score,
            confidence: score.confidence(self.weights),
            bm25: highest(&self.ranked.lexical.chunks[self.search.range(one.file)]),
            reasons: Reasons::of_line(one.line, one.strength, parts),
            features: None,
            table: tables.table(one.file)?,
        })
    }
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

/// The chunks to read for a message: those that have most of its words, however long they are and whatever else they say.
fn likeliest(
    search: &Search,
    by_words: &[f32],
    message: &Printed,
    (least, most): (f32, usize),
) -> Result<Vec<ChunkNumber>, QueryError> {
    let rarity = Bm25 { saturation: CHUNK, lengths: &search.stats.chunk_bodies, among: None };
    let mut covered = vec![0.0f32; search.corpus.chunks()];
    let mut all = 0.0;
    for word in message.tokens() {
        let having = search.postings.of(&search.corpus, TextField::Body, &word)?;
        if !having.is_empty() {
            let rarity = rarity.rarity(having.len());
            all += rarity;
            having.iter().for_each(|(chunk, _)| covered[*chunk as usize] += rarity);
        }
    }
    let wanted = |chunk: &ChunkNumber| search.wanted[search.corpus.file_of()[*chunk as usize] as usize];
    let enough = |chunk: &ChunkNumber| covered[*chunk as usize] > least * all;
    let mut chunks: Vec<ChunkNumber> =
        (0..search.corpus.chunks() as ChunkNumber).filter(|chunk| enough(chunk) && wanted(chunk)).collect();
    let before = |a: &ChunkNumber, b: &ChunkNumber| {
        let key = |chunk: &ChunkNumber| (covered[*chunk as usize], by_words[*chunk as usize]);
        key(b).0.total_cmp(&key(a).0).then(key(b).1.total_cmp(&key(a).1)).then(a.cmp(b))
    };
    if chunks.len() > most {
        chunks.select_nth_unstable_by(most, before);
        chunks.truncate(most);
    }
    chunks.sort_unstable_by(before);
    Ok(chunks)
}

/// Texts and symbols of files, each read once.
struct Tables<'a> {
    search: &'a Search<'a>,
    known: HashMap<FileNumber, (Arc<SymbolTable>, Option<Arc<str>>)>,
}

impl Tables<'_> {
    fn get(&mut self, file: FileNumber) -> Result<&(Arc<SymbolTable>, Option<Arc<str>>), QueryError> {
        if !self.known.contains_key(&file) {
            let row = self.search.file(file);
            let table = self.search.snapshot.symbol_table(row.id)?;
            let text = code::text(self.search.view, row);
            self.known.insert(file, (table, text));
        }
        Ok(&self.known[&file])
    }

    fn table(&mut self, file: FileNumber) -> Result<Arc<SymbolTable>, QueryError> {
        self.get(file).map(|(table, _)| Arc::clone(table))
    }

    /// Whether a line is in a test.
    fn in_test(&mut self, one: &Match) -> Result<bool, QueryError> {
        let (symbol, _) = self.line(one.file, one.line)?;
        let (table, _) = self.get(one.file)?;
        Ok(symbol.and_then(|at| table.symbols.get(at.0 as usize)).is_some_and(|symbol| symbol.flags.test))
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
    fn compare(
        &mut self,
        chunk: ChunkNumber,
        best: impl Fn(&str) -> Option<(usize, f32)>,
    ) -> Result<Option<Match>, QueryError> {
        let (file, number) = self.search.corpus.place(chunk);
        let (table, text) = self.get(file)?;
        let Some(Some(body)) = text.as_ref().map(|text| {
            let span = table.chunks.get(number as usize)?.span;
            text.get(span.start as usize..span.end as usize)
        }) else {
            return Ok(None);
        };
        let first = table.chunk_lines(number).0;
        Ok(best(body).map(|(offset, strength)| Match { file, line: first + offset as u32, strength }))
    }
}
