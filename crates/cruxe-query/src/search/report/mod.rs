//! What somebody pasted: a bug report with code and a trace, a ticket, a log.
//!
//! [`excerpt`] says what of it is read, [`read`] takes it apart, [`words`] weighs what it says over the whole ref, [`places`] looks up what it names for certain.
//! Files are ranked by all of it; then every function of the best files is, by its own words, name and meaning
//! ([`units`]), and as many of a file are shown as deserve it: who pastes a report looks for code to change.

pub(super) mod excerpt;
mod frames;
mod log;
mod places;
mod read;
#[cfg(test)]
mod tests;
mod units;
mod words;

use std::collections::HashSet;
use std::sync::Arc;

use cruxe_model::SymbolKind;
use cruxe_model::facts::SymbolIndex;
use cruxe_store::FileNumber;

use super::phrase;
use super::rank::factors::{self, Factors};
use super::rank::reports::{self, FILES, FileFeatures, Mix};
use super::rank::{Best, Score, chunks, highest, part, texts};
use super::reasons::{Meaning, NamedReason, PartReasons, PathReason, QualifiedReason, Reasons, TextReason};
use super::select::{declares, is_declared_by};
use super::semantic::{self, LexicalOnly, Semantic};
use super::stats::FileClass;
use super::{Remarks, Search, SearchAnswer, SearchHit, Target};
use crate::error::QueryError;
use places::Named;
pub(super) use read::{Report, is_report};
use units::{Asked, Opened, Unit};
use words::Weighed;

/// A file with its score.
struct RankedFile {
    file: FileNumber,
    features: FileFeatures,
    score: Score,
}

/// A place with its score.
struct RankedUnit {
    unit: Unit,
    score: Score,
    /// What it keeps of its score after others of its file, or of its kind.
    place: f32,
}

impl Search<'_> {
    /// The places that a report is about.
    pub fn by_report(&self, report: &Report, mut remarks: Remarks) -> Result<SearchAnswer, QueryError> {
        let mix = Mix::of(self.question.semantic_ratio);
        let by_words =
            || -> Result<_, QueryError> { Ok((words::weigh(self, report)?, places::look_up(self, report)?)) };
        let texts = [report.title.as_str(), report.prose.as_str()];
        let (meaning, by_words) = if mix.has_meaning() {
            semantic::score_while(&self.corpus, texts, &self.wanted, by_words)
        } else {
            (Err(LexicalOnly::Asked), by_words())
        };
        let (mut weighed, named) = by_words?;
        let (mut near, lexical_only) = match meaning {
            Ok(near) => (Some(near), None),
            Err(why) => (None, Some(why)),
        };
        semantic::note(&mut remarks, lexical_only);
        for near in near.iter_mut().flatten() {
            near.chunks.iter_mut().zip(&self.stats.chunk_factors).for_each(|(near, factor)| *near *= factor);
        }
        remarks.filtered_out = self.keep_wanted_of_report(&mut weighed);
        let (ranked, total) = self.rank_files(&weighed, near.as_ref(), &named, mix);
        self.view.work.check()?;
        let files: Vec<FileNumber> = ranked.iter().map(|file| file.file).collect();
        let asked = Asked { search: self, report, weighed: &weighed, near: near.as_ref(), named: &named };
        let (opened, units) = units::find(&asked, &files)?;
        let mut best = self.rank_units(units, &ranked, &opened, mix);
        if report.only_trace {
            put_first(&mut best, &ranked, &named.trace);
        }
        // A trace leads to where it was printed by itself.
        let messages = if named.frames.is_empty() { &report.messages[..] } else { &[] };
        let least = best.first().map_or(0.0, |first| first.score.total());
        let mut found = phrase::printed(self, messages, &weighed.chunks, (reports::best(mix), least))?;
        let mut truncated = false;
        for unit in best {
            let hit = self.report_hit(unit, &ranked, &opened, mix);
            if let (Target::Symbol(_), Some(symbol)) = (hit.target, hit.symbol()) {
                if found.iter().any(|other| declares((&hit.file, symbol), other)) {
                    continue;
                }
                found.retain(|other| !is_declared_by(other, (&hit.file, symbol)));
            }
            if found.len() >= self.question.limit {
                truncated = true;
                break;
            }
            found.push(hit);
        }
        found.truncate(self.question.limit);
        remarks.late = self.view.work.is_late();
        let (intent, standing) = (self.query.intent, self.view.standing.clone());
        let total = total.max(found.len());
        let best = Some(Best { chunks: highest(&weighed.chunks), ..Best::default() });
        Ok(SearchAnswer { intent, found, total, truncated, standing, remarks, best })
    }

    /// Forgets files that are not asked for; returns how many of them have words of the report.
    fn keep_wanted_of_report(&self, weighed: &mut Weighed) -> usize {
        let mut having = HashSet::new();
        for (chunk, file) in self.corpus.file_of().iter().enumerate() {
            if !self.wanted[*file as usize] && std::mem::take(&mut weighed.chunks[chunk]) > 0.0 {
                having.insert(*file);
            }
        }
        for scores in [&mut weighed.titles, &mut weighed.stems, &mut weighed.folders] {
            scores.iter_mut().zip(&self.wanted).filter(|(_, wanted)| !**wanted).for_each(|(score, _)| *score = 0.0);
        }
        having.into_iter().filter(|file| self.question.is_in_language(self.file(*file))).count()
    }

    /// The best files, best first, and how many chunks have to do with the report.
    fn rank_files(
        &self,
        weighed: &Weighed,
        near: Option<&[Semantic; 2]>,
        named: &Named,
        mix: Mix,
    ) -> (Vec<RankedFile>, usize) {
        let count = self.corpus.files().len() as FileNumber;
        let top = |scores: &[f32]| -> Vec<f32> {
            (0..count).map(|file| chunks::top_sum(&scores[self.range(file)])).collect()
        };
        let by_words = top(&weighed.chunks);
        let [by_title, by_prose] =
            [0, 1].map(|which| near.map_or_else(|| vec![0.0; count as usize], |near| top(&near[which].chunks)));
        let best = [&by_words, &weighed.titles, &by_title, &by_prose, &weighed.stems, &weighed.folders]
            .map(|scores| highest(scores));
        let mut defined = vec![0.0f32; count as usize];
        for ((file, _), fit) in &named.definitions {
            defined[*file as usize] = defined[*file as usize].max(*fit);
        }
        let mut files = Vec::new();
        for file in (0..count).filter(|file| self.wanted[*file as usize]) {
            let at = file as usize;
            let features = FileFeatures {
                chunks: part(by_words[at], best[0]),
                title: part(weighed.titles[at], best[1]),
                near_title: part(by_title[at], best[2]),
                near_prose: part(by_prose[at], best[3]),
                stem: part(weighed.stems[at], best[4]),
                folders: part(weighed.folders[at], best[5]),
                path: named.paths.get(&file).copied().unwrap_or(0.0),
                frame: named.frames.get(&file).copied().unwrap_or(0.0),
                named: defined[at],
            };
            let named = features.path > 0.0 || features.frame > 0.0 || features.named > 0.0;
            let told = by_words[at] > 0.0 || features.near_prose > 0.0 || named;
            if told {
                let score = reports::of_file(&features, mix, self.stats.classes[at]);
                files.push(RankedFile { file, features, score });
            }
        }
        let before =
            |a: &RankedFile, b: &RankedFile| b.score.total().total_cmp(&a.score.total()).then(a.file.cmp(&b.file));
        if files.len() > FILES {
            files.select_nth_unstable_by(FILES, before);
            // What the report names for certain is looked into, whatever its words say.
            let mut named = files.split_off(FILES);
            named.retain(|file| file.features.frame > 0.0 || file.features.named > 0.0);
            named.sort_unstable_by(before);
            files.extend(named.into_iter().take(FILES));
        }
        files.sort_unstable_by(before);
        let meaning = |chunk: usize| near.map_or(0.0, |near| near[1].chunks[chunk]);
        let total =
            (0..self.corpus.chunks()).filter(|at| chunks::is_candidate(weighed.chunks[*at], meaning(*at))).count();
        (files, total)
    }

    /// The places that the filter lets through, best first, copies of earlier ones later.
    fn rank_units(&self, units: Vec<Unit>, files: &[RankedFile], opened: &[Opened], mix: Mix) -> Vec<RankedUnit> {
        let filter = &self.question.filter;
        let mut ranked: Vec<RankedUnit> = Vec::new();
        for unit in units {
            let (file, table) = (&files[unit.file], &opened[unit.file].table);
            let row = self.file(file.file);
            let symbol = unit.target.symbol().and_then(|at| table.symbols.get(at.0 as usize));
            if filter.by_symbol() && !filter.has_symbol(row, symbol) {
                continue;
            }
            let class = self.stats.classes[file.file as usize];
            let class = if unit.is_test && class == FileClass::Source { FileClass::Test } else { class };
            let score = reports::of_place(&unit.features, &file.score, mix, class, unit.is_function);
            if score.total() > 0.0 {
                ranked.push(RankedUnit { unit, score, place: 1.0 });
            }
        }
        let sort = |ranked: &mut Vec<RankedUnit>| {
            ranked.sort_by(|a, b| {
                let place = |it: &RankedUnit| (it.unit.file, it.unit.lines);
                b.score.total().total_cmp(&a.score.total()).then_with(|| place(a).cmp(&place(b)))
            });
        };
        sort(&mut ranked);
        let (mut seen, mut shown) = (HashSet::new(), vec![0; files.len()]);
        for one in &mut ranked {
            let before = shown[one.unit.file];
            shown[one.unit.file] += 1;
            let symbol = match one.unit.target {
                Target::Symbol(at) => opened[one.unit.file].table.symbols.get(at.0 as usize),
                _ => None,
            };
            let is_copy = symbol.is_some_and(|symbol| !seen.insert((symbol.name.as_str(), symbol.content_hash)));
            one.place = reports::further(before) * if is_copy { factors::copy(1.0) } else { 1.0 };
            one.score = one.score.times(one.place);
        }
        sort(&mut ranked);
        ranked
    }

    fn report_hit(&self, ranked: RankedUnit, files: &[RankedFile], opened: &[Opened], mix: Mix) -> SearchHit {
        let RankedUnit { unit, score, place } = ranked;
        let (file, table) = (&files[unit.file], &opened[unit.file].table);
        let kind = unit.target.symbol().and_then(|at| table.symbols.get(at.0 as usize)).map(|symbol| symbol.kind);
        let class = factors::of_class(self.stats.classes[file.file as usize], Default::default());
        SearchHit {
            file: self.file(file.file).clone(),
            table: Arc::clone(table),
            target: unit.target,
            lines: unit.lines,
            line: None,
            score,
            confidence: f64::from((score.total() / reports::best(mix)).clamp(0.0, 1.0)),
            bm25: unit.bm25,
            reasons: reasons(&unit, file, &score, kind, Factors { class, place, quality: 1.0 }),
            features: None,
        }
    }
}

/// Puts the functions that a trace goes through in front, innermost first: where nobody says anything about it, it is about them.
fn put_first(ranked: &mut [RankedUnit], files: &[RankedFile], trace: &[(FileNumber, SymbolIndex)]) {
    let at = |one: &RankedUnit| {
        let key = one.unit.target.symbol().map(|symbol| (files[one.unit.file].file, symbol));
        key.and_then(|key| trace.iter().position(|other| *other == key)).unwrap_or(trace.len())
    };
    let rest = ranked.iter().filter(|one| at(one) == trace.len()).map(|one| one.score.total()).fold(0.0, f32::max);
    ranked.sort_by_key(at);
    let mut least = rest;
    for one in ranked.iter_mut().rev().filter(|one| at(one) < trace.len()) {
        one.score = texts::at_least(&one.score, least);
        least = one.score.total();
    }
}

/// What the score of a place comes from.
fn reasons(unit: &Unit, file: &RankedFile, score: &Score, kind: Option<SymbolKind>, factors: Factors) -> Reasons {
    let meaning =
        Meaning { nearness: unit.features.near_prose, share: score.semantic / score.text.max(f32::MIN_POSITIVE) };
    let text = TextReason::Ranked {
        chunks: unit.features.words,
        file: file.features.title,
        meaning: (score.semantic > 0.0).then_some(meaning),
    };
    let fit = unit.features.named.max(unit.features.frame);
    let path = PathReason::Words { stem: file.features.stem, folders: file.features.folders };
    let parts = PartReasons {
        exact_match: kind.filter(|_| fit > 0.0).map(|kind| NamedReason { kind, fit }),
        qualified_name: (score.qualified_name > 0.0).then_some(QualifiedReason::Words(unit.features.name)),
        path: (score.path_affinity > 0.0).then_some(path),
        ..PartReasons::default()
    };
    Reasons { text, factors, second_look: None, parts: Some(parts) }
}
