//! Turns ranked files into results, best first, each a symbol wherever there is one.

use std::cmp::Ordering;
use std::collections::hash_map::Entry;
use std::collections::{BinaryHeap, HashMap, HashSet};
use std::mem::{Discriminant, discriminant};
use std::sync::Arc;

use cruxe_model::SymbolKind;
use cruxe_model::facts::{Span, SymbolIndex};
use cruxe_store::{FileNumber, FileRow, SymbolTable, tokens};

use super::explain;
use super::files::{Ranked, RankedFile, highest};
use super::rank::{COPY, SAME_FILE, Weights};
use super::{Found, Intent, Search, Target};
use crate::error::QueryError;

/// What lines that belong to no symbol keep: a reader wants something with a name.
const NO_SYMBOL: f32 = 0.8;
/// A cosine that the model gives to texts that say the same.
const CLEARLY_NEAR: f32 = 0.6;
/// What a search that found next to nothing keeps of its scores.
const LEAST_QUALITY: f32 = 0.25;

/// The next result of a file, waiting for its turn.
struct Waiting {
    total: f32,
    /// The place of the file in the list.
    at: usize,
    file: FileNumber,
    /// Which of its results.
    turn: usize,
    /// It repeats an earlier result and has given way once.
    copy: bool,
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Waiting) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Waiting {}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Waiting) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Waiting {
    fn cmp(&self, other: &Waiting) -> Ordering {
        self.total.total_cmp(&other.total).then(other.file.cmp(&self.file)).then(other.turn.cmp(&self.turn))
    }
}

/// A place of a file that fits, and what it has of the fit of the file's best.
struct Place {
    target: Target,
    lines: (u32, u32),
    fit: f32,
    bm25: f32,
    /// The chunk that it was found by; not that of a definition that is meant.
    chunk: Option<u32>,
}

/// A file whose places were looked up.
struct Opened {
    table: Arc<SymbolTable>,
    places: Vec<Place>,
    /// What was shown of it.
    shown: Vec<(Discriminant<Target>, (u32, u32))>,
    /// Its text, once somebody needed it; `None` inside where it is not to be had.
    text: Option<Option<String>>,
}

/// The best `limit` results, and whether there are more.
pub(super) fn select(
    search: &Search,
    ranked: &Ranked,
    weights: &Weights,
    limit: usize,
) -> Result<(Vec<Found>, bool), QueryError> {
    let quality = quality(search, ranked);
    let mut opened: HashMap<FileNumber, Opened> = HashMap::new();
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    let first = |(at, file): (usize, &RankedFile)| Waiting {
        total: file.score.total(),
        at,
        file: file.file,
        turn: 0,
        copy: false,
    };
    let mut waiting: BinaryHeap<Waiting> = ranked.files.iter().enumerate().map(first).collect();
    while let Some(next) = waiting.pop() {
        search.view.work.check()?;
        if search.view.work.is_late() {
            return Ok((found, true));
        }
        let file = &ranked.files[next.at];
        let opened = match opened.entry(file.file) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(slot) => slot.insert(open(search, ranked, weights, file)?),
        };
        opened.choose_member(search, search.file(file.file), next.turn);
        let Opened { table, places, shown, .. } = opened;
        let Some(place) = places.get(next.turn) else { continue };
        if !next.copy && is_copy(&mut seen, table, place.target) {
            waiting.push(Waiting { total: next.total * COPY, copy: true, ..next });
            continue;
        }
        let turn = next.turn + 1;
        if let Some(after) = places.get(turn) {
            let total = file.score.total() * SAME_FILE.powi(turn as i32) * after.fit;
            waiting.push(Waiting { total: total.min(next.total), turn, copy: false, ..next });
        }
        let here = (discriminant(&place.target), place.lines);
        if shown.contains(&here) {
            continue; // the member of a chunk that is there already
        }
        shown.push(here);
        if found.len() == limit {
            return Ok((found, true));
        }
        let score = file.score.times(quality * next.total / file.score.total().max(f32::MIN_POSITIVE));
        found.push(Found {
            file: search.file(file.file).clone(),
            table: Arc::clone(table),
            target: place.target,
            lines: place.lines,
            line: None,
            score,
            confidence: f64::from((score.total() / weights.sum()).clamp(0.0, 1.0)),
            bm25: place.bm25,
            reasons: explain::reasons(search, file, &score),
        });
    }
    Ok((found, false))
}

/// How much the best of this search is worth at all: a search whose words are nowhere has a best result too.
pub(super) fn quality(search: &Search, ranked: &Ranked) -> f32 {
    let head = || ranked.files.iter().take(3);
    let covered = head().map(|file| ranked.lexical.coverage[file.file as usize]).fold(0.0, f32::max);
    let nearest = ranked.semantic.as_ref().map_or(0.0, |semantic| {
        head().map(|file| highest(&semantic.chunks[search.range(file.file)])).fold(0.0, f32::max)
    });
    let named =
        head().flat_map(|file| file.definitions.first()).any(|definition| definition.sure && definition.fit > 0.5);
    let best = if named { 1.0 } else { covered.max((nearest / CLEARLY_NEAR).min(1.0)) };
    LEAST_QUALITY + (1.0 - LEAST_QUALITY) * best
}

/// Whether a symbol with the same name and text was there before.
fn is_copy(seen: &mut HashSet<(String, u64)>, table: &SymbolTable, target: Target) -> bool {
    let Target::Symbol(at) = target else { return false };
    let Some(symbol) = table.symbols.get(at.0 as usize) else { return false };
    !seen.insert((symbol.name.clone(), symbol.content_hash))
}

/// Looks up the places of a file, best first.
fn open(search: &Search, ranked: &Ranked, weights: &Weights, file: &RankedFile) -> Result<Opened, QueryError> {
    let row = search.file(file.file);
    let table = search.snapshot.symbol_table(row.id)?;
    let mut places: Vec<Place> = Vec::new();
    let add = |place: Place, places: &mut Vec<Place>| {
        let sort = |place: &Place| discriminant(&place.target);
        let same = |known: &Place| known.lines == place.lines && sort(known) == sort(&place);
        if !places.iter().any(same) {
            places.push(place);
        }
    };
    let by_fit = search.chunks_by_fit(ranked, weights, file.file);
    let best_chunk = by_fit.iter().map(|(chunk, _)| ranked.lexical.chunks[*chunk as usize]).fold(0.0, f32::max);
    let named = file.definitions.first().map_or(0.0, |definition| definition.fit);
    for definition in &file.definitions {
        let meant = search.query.intent == Intent::Symbol || definition.sure;
        if meant && definition.fit >= 0.5 * named && table.symbols.get(definition.symbol.0 as usize).is_some() {
            let fit = if named > 0.0 { definition.fit / named } else { 1.0 };
            let lines = table.lines(definition.symbol);
            let target = Target::Symbol(definition.symbol);
            add(Place { target, lines, fit, bm25: best_chunk, chunk: None }, &mut places);
        }
    }
    let meant = places.len();
    for (chunk, fit) in by_fit {
        let (_, number) = search.corpus.place(chunk);
        let symbol =
            table.chunks.get(number as usize).and_then(|chunk| chunk.symbol).filter(|at| is_shown(&table, *at));
        let bm25 = ranked.lexical.chunks[chunk as usize];
        let (target, lines, fit) = match symbol {
            Some(at) => (Target::Symbol(at), table.lines(at), fit),
            None => (Target::Snippet(None), table.chunk_lines(number), fit * NO_SYMBOL),
        };
        add(Place { target, lines, fit, bm25, chunk: Some(number) }, &mut places);
    }
    places[meant..].sort_by(|a, b| b.fit.total_cmp(&a.fit)); // definitions that are meant stay in front
    let best = places.first().map_or(1.0, |place| place.fit).max(f32::MIN_POSITIVE);
    places.iter_mut().for_each(|place| place.fit = (place.fit / best).min(1.0));
    if places.is_empty() {
        places.push(Place { target: Target::File, lines: (1, row.lines.max(1)), fit: 1.0, bm25: 0.0, chunk: None });
    }
    Ok(Opened { table, places, shown: Vec::new(), text: None })
}

impl Opened {
    /// Where a place is something small, whose text is one chunk: the one member that the query is about. The whole
    /// stays where no member is clearly more so.
    fn choose_member(&mut self, search: &Search, file: &FileRow, turn: usize) {
        let Some(Place { target: Target::Symbol(whole), chunk: Some(chunk), .. }) = self.places.get(turn) else {
            return;
        };
        let (whole, table) = (*whole, &self.table);
        let Some(span) = table.chunks.get(*chunk as usize).map(|chunk| chunk.span) else { return };
        let symbols = &table.symbols;
        let inside = |at: &SymbolIndex| {
            let symbol = &symbols[at.0 as usize];
            symbol.parent == Some(whole) && matches!(symbol.kind, SymbolKind::Fn | SymbolKind::Method)
        };
        let members: Vec<SymbolIndex> = (whole.0 + 1..symbols.len() as u32)
            .map(SymbolIndex)
            .take_while(|at| symbols[at.0 as usize].full_span.start < span.end)
            .filter(inside)
            .collect();
        if members.is_empty() || !symbols[whole.0 as usize].kind.is_container() {
            return;
        }
        let read = || search.view.project.read(file).map(|bytes| cruxe_extract::as_text(&bytes).0.into_owned());
        let Some(text) = self.text.get_or_insert_with(read) else { return };
        let words = |span: Span| -> usize {
            let body = text.get(span.start as usize..span.end as usize).unwrap_or_default();
            let having: HashSet<String> = tokens(body).into_iter().collect();
            search.query.words.iter().chain(&search.query.compounds).filter(|word| having.contains(*word)).count()
        };
        let count = |at: &SymbolIndex| (words(symbols[at.0 as usize].full_span), *at);
        if let Some((count, at)) = members.iter().map(count).rev().max_by_key(|(count, _)| *count)
            && count > 0
            && count * 10 >= words(span) * 7
        {
            let place = &mut self.places[turn];
            (place.target, place.lines) = (Target::Symbol(at), self.table.lines(at));
        }
    }
}

fn is_shown(table: &SymbolTable, at: SymbolIndex) -> bool {
    table.symbols.get(at.0 as usize).is_some_and(|symbol| symbol.kind != SymbolKind::Use)
}
