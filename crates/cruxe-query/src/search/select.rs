//! Turns ranked files into results, best first, each a symbol wherever there is one.

use std::cmp::Ordering;
use std::collections::hash_map::Entry;
use std::collections::{BinaryHeap, HashMap, HashSet};
use std::sync::Arc;

use cruxe_extract::registry::named;
use cruxe_model::SymbolKind;
use cruxe_model::facts::{Span, Symbol, SymbolIndex};
use cruxe_store::{FileNumber, FileRow, SymbolTable, tokens};

use super::files::Ranked;
use super::rank::factors::{self, Factors};
use super::rank::{RankedFile, Weights, chunks, highest, names};
use super::reasons::Reasons;
use super::{Intent, ResultType, Search, SearchHit, Target};
use crate::code;
use crate::error::QueryError;
use crate::filter::Filter;
use crate::twins;

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
struct Candidate {
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
    places: Vec<Candidate>,
    /// What was shown of it.
    shown: Vec<(ResultType, (u32, u32))>,
    /// Its text, once somebody needed it; `None` inside where it is not to be had.
    text: Option<Option<Arc<str>>>,
}

/// The best `limit` results, and whether there are more.
pub(super) fn select(
    search: &Search,
    ranked: &Ranked,
    weights: &Weights,
    limit: usize,
) -> Result<(Vec<SearchHit>, bool), QueryError> {
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
            waiting.push(Waiting { total: factors::copy(next.total), copy: true, ..next });
            continue;
        }
        let turn = next.turn + 1;
        if let Some(after) = places.get(turn) {
            let total = factors::next_place(file.score.total(), after.fit, turn, next.total);
            waiting.push(Waiting { total, turn, copy: false, ..next });
        }
        let here = (place.target.result_type(), place.lines);
        if shown.contains(&here) {
            continue; // the member of a chunk that is there already
        }
        shown.push(here);
        let symbol = place.target.symbol().and_then(|at| table.symbols.get(at.0 as usize));
        if let (Target::Symbol(_), Some(symbol)) = (place.target, symbol) {
            let row = search.file(file.file);
            if found.iter().any(|other| declares((row, symbol), other)) {
                continue;
            }
            found.retain(|other| !is_declared_by(other, (row, symbol)));
        }
        if found.len() == limit {
            return Ok((found, true));
        }
        let score = factors::of_place(&file.score, next.total, quality);
        let place_factor = next.total / file.score.total().max(f32::MIN_POSITIVE);
        let class = factors::of_class(file.class, search.query.wants);
        found.push(SearchHit {
            file: search.file(file.file).clone(),
            table: Arc::clone(table),
            target: place.target,
            lines: place.lines,
            line: None,
            score,
            confidence: score.confidence(weights),
            bm25: place.bm25,
            reasons: Reasons::of(file, &score, Factors { class, place: place_factor, quality }),
            features: Some(file.features),
        });
    }
    Ok((found, false))
}

/// How much the best of this search is worth at all, by its first files.
pub(super) fn quality(search: &Search, ranked: &Ranked) -> f32 {
    let head = || ranked.files.iter().take(factors::JUDGED_BY);
    let covered = head().map(|file| ranked.lexical.coverage[file.file as usize]).fold(0.0, f32::max);
    let nearest = ranked.semantic.as_ref().map_or(0.0, |semantic| {
        head().map(|file| highest(&semantic.chunks[search.range(file.file)])).fold(0.0, f32::max)
    });
    let mut named = head().flat_map(|file| file.definitions.first());
    factors::quality(covered, nearest, named.any(|one| factors::is_clearly_meant(one.sure, one.fit)))
}

/// Whether a symbol with the same name and text was there before.
fn is_copy(seen: &mut HashSet<(String, u64)>, table: &SymbolTable, target: Target) -> bool {
    let Target::Symbol(at) = target else { return false };
    let Some(symbol) = table.symbols.get(at.0 as usize) else { return false };
    !seen.insert((symbol.name.clone(), symbol.content_hash))
}

/// Whether a symbol only declares what a result defines.
pub(super) fn declares((row, symbol): (&FileRow, &Symbol), definition: &SearchHit) -> bool {
    let Some(other) = definition.symbol().filter(|_| definition.target.result_type() == ResultType::Symbol) else {
        return false;
    };
    let (lang, kin) = (named(&row.language), named(&definition.file.language));
    twins::declares((lang, symbol), (kin, other), row.id == definition.file.id)
}

/// Whether a result only declares what a symbol defines.
pub(super) fn is_declared_by(declaration: &SearchHit, (row, symbol): (&FileRow, &Symbol)) -> bool {
    let Some(other) = declaration.symbol().filter(|_| declaration.target.result_type() == ResultType::Symbol) else {
        return false;
    };
    let (lang, kin) = (named(&declaration.file.language), named(&row.language));
    twins::declares((lang, other), (kin, symbol), row.id == declaration.file.id)
}

/// Looks up the places of a file, best first.
fn open(search: &Search, ranked: &Ranked, weights: &Weights, file: &RankedFile) -> Result<Opened, QueryError> {
    let row = search.file(file.file);
    let table = search.snapshot.symbol_table(row.id)?;
    let mut places: Vec<Candidate> = Vec::new();
    let add = |place: Candidate, places: &mut Vec<Candidate>| {
        let sort = place.target.result_type();
        let same = |known: &Candidate| known.lines == place.lines && known.target.result_type() == sort;
        if !places.iter().any(same) {
            places.push(place);
        }
    };
    let by_fit = search.chunks_by_fit(ranked, weights, file.file);
    let best_chunk = by_fit.iter().map(|(chunk, _)| ranked.lexical.chunks[*chunk as usize]).fold(0.0, f32::max);
    let named = file.definitions.first().map_or(0.0, |definition| definition.fit);
    for definition in &file.definitions {
        let meant = search.query.intent == Intent::Symbol || definition.sure;
        if meant
            && !search.query.wants.tests_first
            && names::is_also_meant(definition.fit, named)
            && table.symbols.get(definition.symbol.0 as usize).is_some()
        {
            let fit = if named > 0.0 { definition.fit / named } else { 1.0 };
            let lines = table.lines(definition.symbol);
            let target = Target::Symbol(definition.symbol);
            add(Candidate { target, lines, fit, bm25: best_chunk, chunk: None }, &mut places);
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
            None => (Target::Snippet(None), table.chunk_lines(number), fit * chunks::NO_SYMBOL),
        };
        add(Candidate { target, lines, fit, bm25, chunk: Some(number) }, &mut places);
    }
    places[meant..].sort_by(|a, b| b.fit.total_cmp(&a.fit)); // definitions that are meant stay in front
    let best = places.first().map_or(1.0, |place| place.fit).max(f32::MIN_POSITIVE);
    places.iter_mut().for_each(|place| place.fit = (place.fit / best).min(1.0));
    if places.is_empty() {
        places.push(Candidate { target: Target::File, lines: (1, row.lines.max(1)), fit: 1.0, bm25: 0.0, chunk: None });
    }
    if search.question.filter.by_symbol() {
        places = narrowed(&search.question.filter, row, &table, places);
    }
    Ok(Opened { table, places, shown: Vec::new(), text: None })
}

/// The places that a filter lets through. Where a symbol is of another kind than is asked for, it is the nearest one around it
/// that is of such a kind, else those in it.
fn narrowed(filter: &Filter, row: &FileRow, table: &SymbolTable, places: Vec<Candidate>) -> Vec<Candidate> {
    let mut kept: Vec<Candidate> = Vec::new();
    let passes = |at: SymbolIndex| filter.has_symbol(row, table.symbols.get(at.0 as usize));
    for place in places {
        let Some(at) = place.target.symbol() else {
            if filter.has_symbol(row, None) {
                kept.push(place);
            }
            continue;
        };
        let meant: Vec<SymbolIndex> = match filter.around(&table.symbols, Some(at)) {
            Some(around) => vec![around],
            None => (at.0 + 1..table.symbols.len() as u32)
                .map(SymbolIndex)
                .take_while(|inside| {
                    table.symbols[inside.0 as usize].full_span.start < table.symbols[at.0 as usize].full_span.end
                })
                .collect(),
        };
        for at in meant.into_iter().filter(|at| passes(*at)) {
            let target = Target::Symbol(at);
            if !kept.iter().any(|known| known.target == target) {
                kept.push(Candidate { target, lines: table.lines(at), ..place });
            }
        }
    }
    kept
}

impl Opened {
    /// Where a place is something small, whose text is one chunk: the one member that the query is about. The whole
    /// stays where no member is clearly more so.
    fn choose_member(&mut self, search: &Search, file: &FileRow, turn: usize) {
        let Some(Candidate { target: Target::Symbol(whole), chunk: Some(chunk), .. }) = self.places.get(turn) else {
            return;
        };
        let (whole, table) = (*whole, &self.table);
        let Some(span) = table.chunks.get(*chunk as usize).map(|chunk| chunk.span) else { return };
        let symbols = &table.symbols;
        let inside = |at: &SymbolIndex| {
            let symbol = &symbols[at.0 as usize];
            let wanted = search.question.filter.has_kind(symbol.kind);
            wanted && symbol.parent == Some(whole) && matches!(symbol.kind, SymbolKind::Fn | SymbolKind::Method)
        };
        let members: Vec<SymbolIndex> = (whole.0 + 1..symbols.len() as u32)
            .map(SymbolIndex)
            .take_while(|at| symbols[at.0 as usize].full_span.start < span.end)
            .filter(inside)
            .collect();
        if members.is_empty() || !symbols[whole.0 as usize].kind.is_container() {
            return;
        }
        let read = || code::text(search.view, file);
        let Some(text) = self.text.get_or_insert_with(read) else { return };
        let words = |span: Span| -> usize {
            let body = text.get(span.start as usize..span.end as usize).unwrap_or_default();
            let having: HashSet<String> = tokens(body).into_iter().collect();
            search.query.words.iter().chain(&search.query.compounds).filter(|word| having.contains(*word)).count()
        };
        let count = |at: &SymbolIndex| (words(symbols[at.0 as usize].full_span), *at);
        if let Some((count, at)) = members.iter().map(count).rev().max_by_key(|(count, _)| *count)
            && chunks::stands_for_all(count, words(span))
        {
            let place = &mut self.places[turn];
            (place.target, place.lines) = (Target::Symbol(at), self.table.lines(at));
        }
    }
}

fn is_shown(table: &SymbolTable, at: SymbolIndex) -> bool {
    table.symbols.get(at.0 as usize).is_some_and(|symbol| symbol.kind != SymbolKind::Use)
}

#[cfg(test)]
mod tests {
    use crate::search::{Question, ResultType, search};
    use crate::testing::Indexed;

    const QUEUE: &str = "\
/// Keeps jobs in the order of their arrival.
pub struct JobQueue {
    jobs: Vec<u32>,
}

/// Takes the oldest job of the queue.
pub fn take_job(queue: &mut JobQueue) -> Option<u32> {
    queue.jobs.pop()
}
";

    /// `path:first-last sort` of each result, and whether there are more.
    fn results(files: &[(&str, &str)], query: &str, limit: usize) -> (Vec<String>, bool) {
        let indexed = Indexed::new(files);
        let question = Question { semantic_ratio: Some(0.0), ..Question::new(query, limit) };
        let answer = search(&indexed.view(), &question).unwrap();
        let show = |found: &super::SearchHit| {
            let (first, last) = found.lines;
            format!("{}:{first}-{last} {:?}", found.file.path, found.target.result_type())
        };
        (answer.found.iter().map(show).collect(), answer.truncated)
    }

    #[test]
    fn a_name_leads_to_its_definition_and_a_word_to_the_symbol_around_it() {
        let files = [("queue.rs", QUEUE)];
        assert_eq!(results(&files, "JobQueue", 1), (vec!["queue.rs:2-4 Symbol".to_owned()], true));
        assert_eq!(results(&files, "where is the oldest taken", 1).0, ["queue.rs:7-9 Symbol"]);
        assert_eq!(results(&files, "zebra", 5), (Vec::new(), false));
    }

    #[test]
    fn lines_outside_of_symbols_are_snippets() {
        let files = [("notes.txt", "Deploys happen on thursdays.\n"), ("queue.rs", QUEUE)];
        assert_eq!(results(&files, "deploys on thursdays", 5).0, ["notes.txt:1-1 Snippet"]);
    }

    #[test]
    fn a_copy_has_half_the_score_of_the_first() {
        let indexed = Indexed::new(&[("a/queue.rs", QUEUE), ("b/queue.rs", QUEUE)]);
        let question = Question { semantic_ratio: Some(0.0), ..Question::new("take_job", 10) };
        let found = search(&indexed.view(), &question).unwrap().found;
        let shown: Vec<(&str, u32)> = found.iter().map(|one| (one.file.path.as_str(), one.lines.0)).collect();
        assert_eq!(shown[..2], [("a/queue.rs", 7), ("b/queue.rs", 7)]);
        assert_eq!(found[1].score.total(), found[0].score.total() * 0.5);
    }

    #[test]
    fn what_a_result_says_of_its_score_adds_up_to_it() {
        let files = [("queue.rs", QUEUE), ("tests/queue.rs", QUEUE), ("docs/queue.md", "# The job queue\n")];
        let indexed = Indexed::new(&files);
        let view = indexed.view();
        for query in ["JobQueue", "oldest job of the queue", "\"oldest job\"", "queue.rs", "tests of the queue"] {
            for found in search(&view, &Question::new(query, 10)).unwrap().found {
                let parts = f64::from(found.confidence_parts().total());
                assert!((parts - found.confidence).abs() < 1e-5, "{query}: {parts} is not {}", found.confidence);
                assert!(found.target.result_type() != ResultType::File || query == "queue.rs");
            }
        }
    }
}
