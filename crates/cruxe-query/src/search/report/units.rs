//! The functions of the files that a report is about, and what speaks for each.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use cruxe_model::SymbolKind;
use cruxe_model::facts::{Span, Symbol, SymbolIndex};
use cruxe_store::{ChunkNumber, FileNumber, SymbolTable};

use super::super::rank::reports::{self, PlaceFeatures, TEXTS};
use super::super::rank::{highest, part};
use super::super::semantic::Semantic;
use super::super::{Search, Target};
use super::places::Named;
use super::read::Report;
use super::words::{self, NO_PLACE, NameFit, Weighed};
use crate::code;
use crate::error::QueryError;

/// A place in a file that may be meant.
pub(super) struct Unit {
    /// Which of the files.
    pub file: usize,
    pub target: Target,
    pub lines: (u32, u32),
    pub features: PlaceFeatures,
    /// The raw figure of its words.
    pub bm25: f32,
    /// It is a function.
    pub is_function: bool,
    /// A test, in whatever file.
    pub is_test: bool,
}

/// A file whose places are looked at.
pub(super) struct Opened {
    pub file: FileNumber,
    pub table: Arc<SymbolTable>,
    text: OnceCell<Option<Arc<str>>>,
}

/// Places while they are weighed.
#[derive(Default)]
struct Places {
    units: Vec<Unit>,
    /// How long each is, in averages.
    lengths: Vec<f32>,
    /// Nearness to the title and to the sentences.
    near: Vec<[f32; 2]>,
    /// What the words weigh in it, where that is known from its text.
    by_text: Vec<Option<f32>>,
    /// Where its text stands.
    spans: Vec<Option<Span>>,
}

/// What there is to compare places with.
pub(super) struct Asked<'a> {
    pub search: &'a Search<'a>,
    pub report: &'a Report,
    pub weighed: &'a Weighed,
    pub near: Option<&'a [Semantic; 2]>,
    pub named: &'a Named,
}

/// The places of the given files, the likeliest file first, with their features.
pub(super) fn find(asked: &Asked, files: &[FileNumber]) -> Result<(Vec<Opened>, Vec<Unit>), QueryError> {
    let search = asked.search;
    let mut opened = Vec::with_capacity(files.len());
    for file in files {
        search.view.work.check()?;
        let table = search.snapshot.symbol_table(search.file(*file).id)?;
        opened.push(Opened { file: *file, table, text: OnceCell::new() });
    }
    let mut places = Places::default();
    let mut place_of = vec![NO_PLACE; search.corpus.chunks()];
    for (at, file) in opened.iter().enumerate() {
        search.view.work.check()?;
        places.add_file(asked, at, file, &mut place_of);
    }
    if asked.report.only_trace {
        places.add_traced(asked.named, &opened);
    }
    let by_words = words::weigh_places(&asked.weighed.words, &place_of, &places.lengths);
    places.finish(asked, &opened, by_words);
    Ok((opened, places.units))
}

impl Opened {
    /// Its text. Reading is what takes longest here, so it is done for few files and only where something asks for it.
    fn text(&self, search: &Search) -> Option<&str> {
        let read = || code::text(search.view, search.file(self.file));
        self.text.get_or_init(read).as_deref()
    }
}

impl Places {
    fn add_file(&mut self, asked: &Asked, at: usize, file: &Opened, place_of: &mut [u32]) {
        let search = asked.search;
        let mut known: HashMap<SymbolIndex, u32> = HashMap::new();
        for chunk in search.corpus.chunks_of(file.file) {
            let (_, number) = search.corpus.place(chunk);
            let Some(piece) = file.table.chunks.get(number as usize) else { continue };
            let symbol = piece.symbol.filter(|symbol| is_shown(&file.table, *symbol));
            let place = match symbol {
                Some(symbol) => *known.entry(symbol).or_insert_with(|| self.add_symbol(at, file, symbol)),
                None => self.add(Unit::lines(at, file.table.chunk_lines(number))),
            };
            place_of[chunk as usize] = place;
            let place = place as usize;
            self.lengths[place] += length(search, chunk);
            self.come_nearer(place, asked.near, chunk);
            let span = self.spans[place].get_or_insert(piece.span);
            *span = Span { start: span.start.min(piece.span.start), end: span.end.max(piece.span.end) };
            if let Some(symbol) = symbol.filter(|_| at < TEXTS && asked.weighed.chunks[chunk as usize] > 0.0) {
                self.add_members(asked, at, file, (symbol, piece.span, chunk));
            }
        }
    }

    /// Functions that a trace goes through and that have no text of their own: they stand in others.
    fn add_traced(&mut self, named: &Named, opened: &[Opened]) {
        for (file, symbol) in &named.trace {
            let Some(at) = opened.iter().position(|open| open.file == *file) else { continue };
            let is_there = |unit: &Unit| unit.file == at && unit.target == Target::Symbol(*symbol);
            if !self.units.iter().any(is_there) {
                self.add_symbol(at, &opened[at], *symbol);
            }
        }
    }

    /// The members of a container that is so small that its text is one chunk.
    fn add_members(&mut self, asked: &Asked, at: usize, file: &Opened, whole: (SymbolIndex, Span, ChunkNumber)) {
        let (symbols, (whole, span, chunk)) = (&file.table.symbols, whole);
        let inside = |member: &SymbolIndex| {
            let member = &symbols[member.0 as usize];
            member.parent == Some(whole) && is_function(member)
        };
        let members: Vec<SymbolIndex> = (whole.0 + 1..symbols.len() as u32)
            .map(SymbolIndex)
            .take_while(|member| symbols[member.0 as usize].full_span.start < span.end)
            .filter(inside)
            .collect();
        if members.is_empty() || !symbols[whole.0 as usize].kind.is_container() {
            return;
        }
        let Some(text) = file.text(asked.search) else { return };
        for member in members {
            let inside = symbols[member.0 as usize].full_span;
            let Some(body) = text.get(inside.start as usize..inside.end as usize) else { continue };
            let place = self.add_symbol(at, file, member) as usize;
            let share = body.len() as f32 / (span.end - span.start).max(1) as f32;
            let long = share * length(asked.search, chunk);
            self.by_text[place] = Some(asked.weighed.in_text(body, long));
            self.spans[place] = Some(inside);
            self.come_nearer(place, asked.near, chunk);
        }
    }

    fn add_symbol(&mut self, at: usize, file: &Opened, symbol: SymbolIndex) -> u32 {
        let one = &file.table.symbols[symbol.0 as usize];
        let mut unit = Unit::lines(at, file.table.lines(symbol));
        unit.target = Target::Symbol(symbol);
        unit.is_function = is_function(one);
        unit.is_test = one.flags.test;
        self.add(unit)
    }

    fn add(&mut self, unit: Unit) -> u32 {
        self.units.push(unit);
        self.lengths.push(0.0);
        self.near.push([0.0; 2]);
        self.by_text.push(None);
        self.spans.push(None);
        self.units.len() as u32 - 1
    }

    fn come_nearer(&mut self, place: usize, near: Option<&[Semantic; 2]>, chunk: ChunkNumber) {
        for (known, semantic) in self.near[place].iter_mut().zip(near.into_iter().flatten()) {
            *known = known.max(semantic.chunks[chunk as usize]);
        }
    }

    /// Works out the features.
    fn finish(&mut self, asked: &Asked, opened: &[Opened], by_words: Vec<f32>) {
        let names = NameFit::new(&asked.weighed.words);
        let fits: Vec<(f32, f32)> =
            self.units.iter().map(|unit| names.of(&unit.name(&opened[unit.file].table))).collect();
        let scores: Vec<f32> = by_words.iter().zip(&self.by_text).map(|(words, text)| text.unwrap_or(*words)).collect();
        let most = highest(&scores);
        let nearest = |which: usize| asked.near.map_or(0.0, |near| highest(&near[which].chunks));
        let (near_title, near_prose) = (nearest(0), nearest(1));
        let most_title = fits.iter().map(|fit| fit.0).fold(0.0, f32::max);
        let most_name = fits.iter().map(|fit| fit.1).fold(0.0, f32::max);
        let quoted = self.quoted(asked, opened);
        for (place, unit) in self.units.iter_mut().enumerate() {
            let key = unit.target.symbol().map(|symbol| (opened[unit.file].file, symbol));
            let of = |worths: &HashMap<(FileNumber, SymbolIndex), f32>| {
                key.and_then(|key| worths.get(&key)).copied().unwrap_or(0.0)
            };
            unit.bm25 = scores[place];
            unit.features = PlaceFeatures {
                words: part(scores[place], most),
                near_title: part(self.near[place][0], near_title),
                near_prose: part(self.near[place][1], near_prose),
                name_title: part(fits[place].0, most_title),
                name: part(fits[place].1, most_name),
                named: of(&asked.named.definitions),
                quoted: quoted[place],
                frame: of(&asked.named.functions),
            };
        }
    }

    /// What lines that the report quotes count for in each place: a line of many places says less about each.
    fn quoted(&self, asked: &Asked, opened: &[Opened]) -> Vec<f32> {
        let mut counts = vec![0.0; self.units.len()];
        let wanted: HashSet<&str> = asked.report.quoted.iter().map(String::as_str).collect();
        if wanted.is_empty() {
            return counts;
        }
        let mut having: HashMap<&str, Vec<usize>> = HashMap::new();
        for (place, unit) in self.units.iter().enumerate().filter(|(_, unit)| unit.is_function && unit.file < TEXTS) {
            let (Some(span), Some(text)) = (self.spans[place], opened[unit.file].text(asked.search)) else { continue };
            let body = text.get(span.start as usize..span.end as usize).unwrap_or_default();
            let lines: HashSet<&str> = body.lines().map(str::trim).filter(|line| wanted.contains(line)).collect();
            lines.into_iter().for_each(|line| having.entry(line).or_default().push(place));
        }
        for places in having.values() {
            places.iter().for_each(|place| counts[*place] += 1.0 / places.len() as f32);
        }
        counts.into_iter().map(reports::quoted).collect()
    }
}

impl Unit {
    fn lines(file: usize, lines: (u32, u32)) -> Unit {
        let features = PlaceFeatures::default();
        Unit { file, target: Target::Snippet(None), lines, features, bm25: 0.0, is_function: false, is_test: false }
    }

    /// Its name and that of what is around it.
    fn name(&self, table: &SymbolTable) -> String {
        let Some(symbol) = self.target.symbol().and_then(|at| table.symbols.get(at.0 as usize)) else {
            return String::new();
        };
        match symbol.parent.and_then(|at| table.symbols.get(at.0 as usize)) {
            Some(parent) => format!("{} {}", parent.name, symbol.name),
            None => symbol.name.clone(),
        }
    }
}

fn length(search: &Search, chunk: ChunkNumber) -> f32 {
    let lengths = &search.stats.chunk_bodies;
    lengths.each[chunk as usize] as f32 / lengths.average
}

fn is_function(symbol: &Symbol) -> bool {
    matches!(symbol.kind, SymbolKind::Fn | SymbolKind::Method | SymbolKind::Property | SymbolKind::Macro)
}

fn is_shown(table: &SymbolTable, at: SymbolIndex) -> bool {
    table.symbols.get(at.0 as usize).is_some_and(|symbol| symbol.kind != SymbolKind::Use)
}
