//! Ranks the files of a ref.

use std::cmp::Ordering;

use cruxe_model::SymbolKind;
use cruxe_model::facts::SymbolIndex;
use cruxe_store::{ChunkNumber, FileNumber, NameMatch, TextField, tokens};

use super::lexical::{self, Lexical};
use super::places::FileClass;
use super::rank::{self, Features, Score, Weights, class_factor, kind_prior};
use super::semantic::{self, LexicalOnly, Semantic};
use super::{Intent, Search};
use crate::error::QueryError;
use crate::name;

/// The best files, which are in order and whose popularity is looked at: it only puts the best ones in order.
const HEAD: usize = 48;
/// Definitions of one name beyond this number are not looked at one by one.
const MAX_DEFINITIONS: usize = 2_000;
/// Chunks of a file that count, and how much each: what is said in several places counts more than what is said once.
const TOP_CHUNKS: [f32; 3] = [1.0, 0.5, 0.25];
/// A chunk without any word of the query must be this near in meaning to be a candidate.
pub(super) const NEAR: f32 = 0.3;

/// The files of a ref in the order of their scores.
pub(super) struct Ranked {
    /// The best ones in front, best first, the others in any order; those without any score are left out.
    pub files: Vec<RankedFile>,
    pub lexical: Lexical,
    pub semantic: Option<Semantic>,
    pub lexical_only: Option<LexicalOnly>,
    /// Chunks that have something to do with the query.
    pub candidates: usize,
}

#[derive(Clone, Debug)]
pub(super) struct RankedFile {
    pub file: FileNumber,
    pub score: Score,
    pub features: Features,
    /// The best definitions whose name the query has.
    pub definitions: Vec<Definition>,
    /// What the kind of file took away.
    pub class: FileClass,
}

impl RankedFile {
    /// The order of results. Files are numbered in path order, so equal scores are in path order too.
    pub fn before(&self, other: &RankedFile) -> Ordering {
        other.score.total().total_cmp(&self.score.total()).then(self.file.cmp(&other.file))
    }
}

/// A definition whose name is in the query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Definition {
    pub symbol: SymbolIndex,
    pub kind: SymbolKind,
    /// How surely it is meant, 0 to 1.
    pub fit: f32,
    /// How well the qualifiers fit, 0 to 1.
    pub qualifiers: f32,
    /// The name can be nothing but a name.
    pub sure: bool,
}

impl Search<'_> {
    pub fn rank(&self, weights: &Weights) -> Result<Ranked, QueryError> {
        let by_words = || -> Result<_, QueryError> {
            let lexical = lexical::score(&self.corpus, &self.query, &self.places, &self.postings)?;
            Ok((lexical, self.definitions()?))
        };
        let (meaning, by_words) = if weights.semantic > 0.0 {
            semantic::score_while(&self.corpus, &self.query.text, &self.wanted, by_words)
        } else {
            (Err(LexicalOnly::Asked), by_words())
        };
        let (mut lexical, definitions) = by_words?;
        self.keep_wanted(&mut lexical);
        let (semantic, lexical_only) = match meaning {
            Ok(semantic) => (Some(semantic), None),
            Err(why) => (None, Some(why)),
        };
        let mut semantic = semantic;
        if !self.query.wants.tests {
            let lower = |scores: &mut [f32]| {
                scores.iter_mut().zip(&self.places.chunk_factors).for_each(|(score, factor)| *score *= factor);
            };
            lower(&mut lexical.chunks);
            semantic.iter_mut().for_each(|semantic| lower(&mut semantic.chunks));
        }
        let best_chunks = self.best_chunks(&lexical, semantic.as_ref());
        let whole_stems: Vec<f32> =
            lexical.stems.iter().zip(&lexical.stem_share).map(|(score, share)| score * share).collect();
        let best = Best {
            chunks: best_chunks.iter().map(|best| best.words).fold(0.0, f32::max),
            file: highest(&lexical.files),
            semantic: best_chunks.iter().map(|best| best.meaning).fold(0.0, f32::max),
            names: highest(&lexical.names),
            stem: highest(&lexical.stems),
            whole_stem: highest(&whole_stems),
            folders: highest(&lexical.folders),
        };
        let mut files: Vec<RankedFile> = Vec::new();
        for (file, definitions) in definitions.into_iter().enumerate() {
            let definition = definitions.first();
            let in_chunks = &best_chunks[file];
            let features = Features {
                chunks: part(in_chunks.words, best.chunks),
                file: part(lexical.files[file], best.file),
                semantic: part(in_chunks.meaning, best.semantic),
                names: part(lexical.names[file], best.names),
                stem: part(lexical.stems[file], best.stem),
                whole_stem: part(whole_stems[file], best.whole_stem),
                folders: part(lexical.folders[file], best.folders),
                popularity: 0.0,
                definition: definition.map_or(0.0, |definition| definition.fit),
                kind: definition.map_or(0.0, |definition| kind_prior(definition.kind)),
                qualifiers: definition.map_or(0.0, |definition| definition.qualifiers),
            };
            let told = in_chunks.candidates > 0 || features.stem > 0.0 || definition.is_some();
            if self.wanted[file] && told {
                let (class, score) = (self.places.classes[file], Score::default());
                files.push(RankedFile { file: file as FileNumber, score, features, definitions, class });
            }
        }
        self.weigh(&mut files, weights);
        self.add_popularity(&mut files, weights)?;
        let candidates = best_chunks.iter().map(|best| best.candidates).sum();
        Ok(Ranked { files, lexical, semantic, lexical_only, candidates })
    }

    /// Forgets what other languages say.
    fn keep_wanted(&self, lexical: &mut Lexical) {
        if self.question.language.is_none() {
            return;
        }
        for (chunk, file) in self.corpus.file_of().iter().enumerate() {
            if !self.wanted[*file as usize] {
                lexical.chunks[chunk] = 0.0;
            }
        }
        let Lexical { files, names, stems, folders, .. } = lexical;
        for scores in [files, names, stems, folders] {
            scores.iter_mut().zip(&self.wanted).filter(|(_, wanted)| !**wanted).for_each(|(score, _)| *score = 0.0);
        }
    }

    fn weigh(&self, files: &mut [RankedFile], weights: &Weights) {
        for file in files.iter_mut() {
            let factor = class_factor(file.class, self.query.wants);
            file.score = rank::score(&file.features, weights).times(factor);
        }
        // Only the head is looked at in its order: the rest waits in a heap, if at all.
        let head = files.len().min(HEAD);
        if head < files.len() {
            files.select_nth_unstable_by(head, RankedFile::before);
        }
        files[..head].sort_unstable_by(RankedFile::before);
    }

    /// The popularity of the best files, and their order with it.
    fn add_popularity(&self, files: &mut [RankedFile], weights: &Weights) -> Result<(), QueryError> {
        let many = files.len().min(HEAD);
        let head = &mut files[..many];
        let mut figures = Vec::with_capacity(many);
        for file in head.iter() {
            self.view.work.check()?;
            figures.push(self.places.popularity(file.file, || self.popularity(file.file))?);
        }
        let best = highest(&figures);
        for (file, figure) in head.iter_mut().zip(figures) {
            file.features.popularity = part(figure, best);
        }
        self.weigh(files, weights);
        Ok(())
    }

    /// How many files of the ref say the name of the most used definition of a file, on a scale of doublings; a name
    /// that several files define is shared among them.
    fn popularity(&self, file: FileNumber) -> Result<f32, QueryError> {
        let table = self.snapshot.symbol_table(self.file(file).id)?;
        let mut highest: f32 = 0.0;
        let mut looked_at = 0;
        for symbol in &table.symbols {
            use SymbolKind::*;
            let is_type = matches!(symbol.kind, Class | Struct | Trait | Interface | Enum | Union | Type);
            let is_offer =
                is_type || symbol.parent.is_none() && matches!(symbol.kind, Fn | Method | Macro | Const | Module);
            if !is_offer || symbol.flags.local || symbol.flags.test || symbol.name.len() < 4 {
                continue;
            }
            let Some(token) = tokens(&symbol.name).into_iter().next() else { continue };
            let mut using: Vec<FileNumber> = self
                .postings
                .of(&self.corpus, TextField::Body, &token)?
                .iter()
                .map(|(chunk, _)| self.corpus.file_of()[*chunk as usize])
                .collect();
            using.sort_unstable();
            using.dedup();
            let defining = self.snapshot.find_name(&symbol.name, NameMatch::Exact, &self.state.versions)?;
            let mut defining: Vec<u32> = defining.iter().map(|hit| hit.version).collect();
            defining.sort_unstable();
            defining.dedup();
            let others = using.len().saturating_sub(1) as f32;
            highest = highest.max((1.0 + others / defining.len().max(1) as f32).log2());
            looked_at += 1;
            if looked_at == 16 {
                break;
            }
        }
        Ok(highest)
    }

    /// Per file, the definitions whose names the query has, the likeliest first.
    fn definitions(&self) -> Result<Vec<Vec<Definition>>, QueryError> {
        let mut found = vec![Vec::new(); self.corpus.files().len()];
        let alone = self.query.intent == Intent::Symbol || self.query.words.len() <= 1;
        for name in &self.query.names {
            let unsure = if name.sure || alone { 1.0 } else { 0.4 };
            self.define(
                &mut found,
                &name.wanted,
                unsure,
                name.sure,
                &[(NameMatch::Exact, 1.0), (NameMatch::CaseInsensitive, 0.6)],
            )?;
            if self.query.intent == Intent::Symbol && found.iter().all(Vec::is_empty) {
                // Nothing is called so: what begins so, or is called nearly so, is the best guess.
                self.define(
                    &mut found,
                    &name.wanted,
                    unsure,
                    true,
                    &[(NameMatch::Prefix, 0.5), (NameMatch::Typo, 0.4)],
                )?;
            }
            for qualifier in &name.wanted.qualifiers {
                let wanted = name::WantedName { plain: qualifier.clone(), qualifiers: Vec::new() };
                self.define(&mut found, &wanted, 0.3 * unsure, false, &[(NameMatch::Exact, 1.0)])?;
            }
        }
        for definitions in &mut found {
            definitions.sort_by(|a: &Definition, b| {
                let key = |it: &Definition| it.fit + it.qualifiers;
                key(b).total_cmp(&key(a)).then(a.symbol.cmp(&b.symbol))
            });
            definitions.dedup_by_key(|definition| definition.symbol);
        }
        Ok(found)
    }

    fn define(
        &self,
        found: &mut [Vec<Definition>],
        wanted: &name::WantedName,
        factor: f32,
        sure: bool,
        ways: &[(NameMatch, f32)],
    ) -> Result<(), QueryError> {
        for (how, fit) in ways {
            self.view.work.check()?;
            let mut hits = self.snapshot.find_name(&wanted.plain, *how, &self.state.versions)?;
            hits.truncate(MAX_DEFINITIONS);
            let few = hits.len() <= 64;
            for hit in hits {
                let Some(file) = self.corpus.file_number(hit.version) else { continue };
                let mut fit = *fit * kind_prior(hit.kind) * factor;
                fit *= if hit.test || hit.local { 0.3 } else { 1.0 };
                fit *= if hit.declaration { 0.8 } else { 1.0 };
                let mut qualifiers = 0.0;
                if !wanted.qualifiers.is_empty() && few {
                    let table = self.snapshot.symbol_table(hit.version)?;
                    let symbol = table.symbols.get(hit.position as usize);
                    qualifiers =
                        symbol.map_or(0.0, |symbol| name::qualifier_fit(wanted, &symbol.qualified_name)) as f32;
                    fit *= if qualifiers > 0.0 { 1.0 } else { 0.5 };
                }
                let symbol = SymbolIndex(hit.position);
                found[file as usize].push(Definition { symbol, kind: hit.kind, fit, qualifiers, sure });
            }
        }
        Ok(())
    }

    /// Per file, what its best chunks say.
    fn best_chunks(&self, lexical: &Lexical, semantic: Option<&Semantic>) -> Vec<BestChunks> {
        let of_file = |file| {
            let range = self.range(file);
            let words = &lexical.chunks[range.clone()];
            let Some(semantic) = semantic else {
                let candidates = words.iter().filter(|score| **score > 0.0).count();
                return BestChunks { words: top_sum(words), meaning: 0.0, candidates };
            };
            let meaning = &semantic.chunks[range];
            let is_candidate = |(word, meaning): &(&f32, &f32)| **word > 0.0 || **meaning >= NEAR;
            let candidates = words.iter().zip(meaning).filter(is_candidate).count();
            BestChunks { words: top_sum(words), meaning: top_sum(meaning), candidates }
        };
        (0..self.corpus.files().len() as FileNumber).map(of_file).collect()
    }

    pub fn range(&self, file: FileNumber) -> std::ops::Range<usize> {
        let chunks = self.corpus.chunks_of(file);
        chunks.start as usize..chunks.end as usize
    }

    /// How well each chunk of a file fits, best first: what the text of the file's best chunk counts for.
    pub fn chunks_by_fit(&self, ranked: &Ranked, weights: &Weights, file: FileNumber) -> Vec<(ChunkNumber, f32)> {
        let words = highest(&ranked.lexical.chunks[self.range(file)]).max(f32::MIN_POSITIVE);
        let meaning = |chunk: usize| ranked.semantic.as_ref().map_or(0.0, |semantic| semantic.chunks[chunk]);
        let nearest = self.range(file).map(meaning).fold(f32::MIN_POSITIVE, f32::max);
        let by_words = weights.chunks + weights.file;
        let whole = (by_words + weights.semantic).max(f32::MIN_POSITIVE);
        let mut chunks: Vec<(ChunkNumber, f32)> = self
            .corpus
            .chunks_of(file)
            .filter(|chunk| ranked.lexical.chunks[*chunk as usize] > 0.0 || meaning(*chunk as usize) >= NEAR)
            .map(|chunk| {
                let by_words = by_words * ranked.lexical.chunks[chunk as usize] / words;
                let by_meaning = weights.semantic * meaning(chunk as usize) / nearest;
                (chunk, (by_words + by_meaning) / whole)
            })
            .collect();
        chunks.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        chunks
    }
}

/// What the best chunks of a file say, by words and by meaning.
struct BestChunks {
    words: f32,
    meaning: f32,
    /// Chunks that have something to do with the query.
    candidates: usize,
}

/// The weighted sum of the highest scores.
fn top_sum(scores: &[f32]) -> f32 {
    let [mut first, mut second, mut third] = [0.0f32; TOP_CHUNKS.len()];
    for &score in scores {
        if score > third {
            (first, second, third) = if score > first {
                (score, first, second)
            } else if score > second {
                (first, score, second)
            } else {
                (first, second, score)
            };
        }
    }
    first * TOP_CHUNKS[0] + second * TOP_CHUNKS[1] + third * TOP_CHUNKS[2]
}

/// The best of each feature.
struct Best {
    chunks: f32,
    file: f32,
    semantic: f32,
    names: f32,
    stem: f32,
    whole_stem: f32,
    folders: f32,
}

pub(super) fn highest(scores: &[f32]) -> f32 {
    scores.iter().copied().fold(0.0, f32::max)
}

fn part(score: f32, best: f32) -> f32 {
    if best > 0.0 { score / best } else { 0.0 }
}
