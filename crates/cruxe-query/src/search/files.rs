//! One row of features per file of a ref, for `rank` to weigh.

use std::borrow::Cow;

use cruxe_model::facts::SymbolIndex;
use cruxe_store::{ChunkNumber, FileNumber, NameMatch, TextField, tokens};

use super::lexical::{self, Lexical};
use super::rank::factors::NO_TEST;
use super::rank::names::{self, NamedDefinition};
use super::rank::{self, Best, Features, RankedFile, Score, Weights, chunks, highest, part, popularity};
use super::semantic::{self, LexicalOnly, Semantic};
use super::stats::FileClass;
use super::{Intent, Search};
use crate::error::QueryError;
use crate::name;

/// The files of a ref in the order of their scores.
pub(super) struct Ranked {
    /// The best ones in front, best first, the others in any order; those without any score are left out.
    pub files: Vec<RankedFile>,
    pub lexical: Lexical,
    pub semantic: Option<Semantic>,
    pub lexical_only: Option<LexicalOnly>,
    /// Chunks that have something to do with the query.
    pub candidates: usize,
    /// Files with words of the query that the filter leaves out.
    pub filtered_out: usize,
    /// What features are parts of.
    pub best: Best,
}

impl Search<'_> {
    pub fn rank(&self, weights: &Weights) -> Result<Ranked, QueryError> {
        let by_words = || -> Result<_, QueryError> {
            let lexical =
                lexical::score(&self.corpus, &self.query, &self.stats, &self.postings, self.question.among.as_deref())?;
            Ok((lexical, self.definitions()?))
        };
        let (meaning, by_words) = if weights.semantic > 0.0 {
            semantic::score_while(&self.corpus, [&self.query.text], &self.wanted, by_words)
        } else {
            (Err(LexicalOnly::Asked), by_words())
        };
        let (mut lexical, definitions) = by_words?;
        let filtered_out = self.filtered_out(&lexical);
        self.keep_wanted(&mut lexical);
        let (semantic, lexical_only) = match meaning {
            Ok([semantic]) => (Some(semantic), None),
            Err(why) => (None, Some(why)),
        };
        let mut semantic = semantic;
        if let Some(factors) = self.chunk_factors() {
            let lower = |scores: &mut [f32]| {
                scores.iter_mut().zip(&*factors).for_each(|(score, factor)| *score *= factor);
            };
            lower(&mut lexical.chunks);
            semantic.iter_mut().for_each(|semantic| lower(&mut semantic.chunks));
        }
        let best_chunks = self.best_chunks(&lexical, semantic.as_ref());
        let best = Best {
            chunks: best_chunks.iter().map(|best| best.words).fold(0.0, f32::max),
            file: highest(&lexical.files),
            semantic: best_chunks.iter().map(|best| best.meaning).fold(0.0, f32::max),
            stem: highest(&lexical.stems),
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
                stem: part(lexical.stems[file], best.stem),
                folders: part(lexical.folders[file], best.folders),
                popularity: 0.0,
                definition: definition.map_or(0.0, |definition| definition.fit),
                kind: definition.map_or(0.0, |definition| names::kind_prior(definition.kind)),
                qualifiers: definition.map_or(0.0, |definition| definition.qualifiers),
            };
            let told = in_chunks.candidates > 0 || features.stem > 0.0 || definition.is_some();
            if self.wanted[file] && told {
                let (class, score) = (self.class_of(file), Score::default());
                files.push(RankedFile { file: file as FileNumber, score, features, definitions, class });
            }
        }
        let head = rank::order(&mut files, weights, self.query.wants);
        self.add_popularity(&mut files[..head])?;
        rank::order(&mut files, weights, self.query.wants);
        let candidates = best_chunks.iter().map(|best| best.candidates).sum();
        Ok(Ranked { files, lexical, semantic, lexical_only, candidates, filtered_out, best })
    }

    /// What each chunk keeps for being a test, or for being none where tests are asked for.
    fn chunk_factors(&self) -> Option<Cow<'_, [f32]>> {
        let wants = self.query.wants;
        if wants.tests_first {
            let of_source = |file: &FileNumber| self.stats.classes[*file as usize] == FileClass::Source;
            let mut kept: Vec<f32> =
                self.corpus.file_of().iter().map(|file| if of_source(file) { NO_TEST } else { 1.0 }).collect();
            self.corpus.tests().for_each(|chunk| kept[chunk as usize] = 1.0);
            return Some(Cow::Owned(kept));
        }
        (!wants.tests).then_some(Cow::Borrowed(&self.stats.chunk_factors[..]))
    }

    /// What kind of file it is. Source with tests of its own counts as a test where tests are asked for: what is no test in it has
    /// given way already.
    fn class_of(&self, file: usize) -> FileClass {
        match self.stats.classes[file] {
            FileClass::Source if self.query.wants.tests_first && self.stats.has_tests[file] => FileClass::Test,
            class => class,
        }
    }

    /// How many files have words of the query and are left out by the filter.
    fn filtered_out(&self, lexical: &Lexical) -> usize {
        let files = self.corpus.files().iter().zip(&self.wanted).zip(&lexical.files);
        files.filter(|((file, wanted), score)| !**wanted && **score > 0.0 && self.question.is_in_language(file)).count()
    }

    /// Forgets what other languages say, and files that the filter leaves out.
    fn keep_wanted(&self, lexical: &mut Lexical) {
        if self.question.language.is_none() && !self.question.filter.by_place() {
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

    /// The popularity of the best files: it is costly to find.
    fn add_popularity(&self, head: &mut [RankedFile]) -> Result<(), QueryError> {
        let mut figures = Vec::with_capacity(head.len());
        for file in head.iter() {
            self.view.work.check()?;
            figures.push(self.stats.popularity(file.file, || self.popularity(file.file))?);
        }
        let best = highest(&figures);
        for (file, figure) in head.iter_mut().zip(figures) {
            file.features.popularity = part(figure, best);
        }
        Ok(())
    }

    /// The figure of the most used of a file's definitions.
    fn popularity(&self, file: FileNumber) -> Result<f32, QueryError> {
        let table = self.snapshot.symbol_table(self.file(file).id)?;
        let mut highest: f32 = 0.0;
        let mut looked_at = 0;
        for symbol in table.symbols.iter().filter(|symbol| popularity::is_offer(symbol)) {
            let Some(token) = tokens(&symbol.name).into_iter().next() else { continue };
            let mut saying: Vec<FileNumber> = self
                .postings
                .of(&self.corpus, TextField::Body, &token)?
                .iter()
                .map(|(chunk, _)| self.corpus.file_of()[*chunk as usize])
                .collect();
            saying.sort_unstable();
            saying.dedup();
            let defining = self.snapshot.find_name(&symbol.name, NameMatch::Exact)?;
            let mut defining: Vec<u32> = defining.iter().map(|hit| hit.version).collect();
            defining.sort_unstable();
            defining.dedup();
            highest = highest.max(popularity::of_name(saying.len(), defining.len()));
            looked_at += 1;
            if looked_at == popularity::MAX_OFFERS {
                break;
            }
        }
        Ok(highest)
    }

    /// Per file, the definitions whose names the query has, the likeliest first.
    fn definitions(&self) -> Result<Vec<Vec<NamedDefinition>>, QueryError> {
        let mut found = vec![Vec::new(); self.corpus.files().len()];
        let alone = self.query.intent == Intent::Symbol || self.query.words.len() <= 1;
        for name in &self.query.names {
            let (word, sure) = (names::of_word(name.sure, alone), name.sure);
            self.define(&mut found, &name.wanted, word, sure, &[NameMatch::Exact, NameMatch::CaseInsensitive])?;
            if self.query.intent == Intent::Symbol && found.iter().all(Vec::is_empty) {
                // Nothing is called so: what begins so, or is called nearly so, is the best guess.
                self.define(&mut found, &name.wanted, word, true, &[NameMatch::Prefix, NameMatch::Typo])?;
            }
            for qualifier in &name.wanted.qualifiers {
                let wanted = name::WantedName { plain: qualifier.clone(), qualifiers: Vec::new() };
                self.define(&mut found, &wanted, names::of_qualifier(word), false, &[NameMatch::Exact])?;
            }
        }
        found.iter_mut().for_each(names::order);
        Ok(found)
    }

    fn define(
        &self,
        found: &mut [Vec<NamedDefinition>],
        wanted: &name::WantedName,
        word: f32,
        sure: bool,
        ways: &[NameMatch],
    ) -> Result<(), QueryError> {
        for how in ways {
            self.view.work.check()?;
            let mut hits = self.snapshot.find_name(&wanted.plain, *how)?;
            hits.truncate(names::MAX_DEFINITIONS);
            let compared = !wanted.qualifiers.is_empty() && hits.len() <= names::MAX_QUALIFIED;
            for hit in hits {
                let Some(file) = self.corpus.file_number(hit.version) else { continue };
                let (mut fit, mut qualifiers) = (names::fit(&hit, *how, word), 0.0);
                if compared {
                    let table = self.snapshot.symbol_table(hit.version)?;
                    let symbol = table.symbols.get(hit.position as usize);
                    qualifiers =
                        symbol.map_or(0.0, |symbol| name::qualifier_fit(wanted, &symbol.qualified_name)) as f32;
                    fit = names::qualified(fit, qualifiers);
                }
                let symbol = SymbolIndex(hit.position);
                found[file as usize].push(NamedDefinition { symbol, kind: hit.kind, fit, qualifiers, sure });
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
                return BestChunks { words: chunks::top_sum(words), meaning: 0.0, candidates };
            };
            let meaning = &semantic.chunks[range];
            let is_candidate = |(words, meaning): &(&f32, &f32)| chunks::is_candidate(**words, **meaning);
            let candidates = words.iter().zip(meaning).filter(is_candidate).count();
            BestChunks { words: chunks::top_sum(words), meaning: chunks::top_sum(meaning), candidates }
        };
        (0..self.corpus.files().len() as FileNumber).map(of_file).collect()
    }

    pub fn range(&self, file: FileNumber) -> std::ops::Range<usize> {
        let chunks = self.corpus.chunks_of(file);
        chunks.start as usize..chunks.end as usize
    }

    /// How well each chunk of a file fits, best first: what the text of the file's best chunk counts for.
    pub fn chunks_by_fit(&self, ranked: &Ranked, weights: &Weights, file: FileNumber) -> Vec<(ChunkNumber, f32)> {
        let words = |chunk: ChunkNumber| ranked.lexical.chunks[chunk as usize];
        let meaning =
            |chunk: ChunkNumber| ranked.semantic.as_ref().map_or(0.0, |semantic| semantic.chunks[chunk as usize]);
        let most = self.corpus.chunks_of(file).map(words).fold(f32::MIN_POSITIVE, f32::max);
        let nearest = self.corpus.chunks_of(file).map(meaning).fold(f32::MIN_POSITIVE, f32::max);
        let mut fits: Vec<(ChunkNumber, f32)> = self
            .corpus
            .chunks_of(file)
            .filter(|chunk| chunks::is_candidate(words(*chunk), meaning(*chunk)))
            .map(|chunk| (chunk, chunks::fit(weights, (words(chunk), most), (meaning(chunk), nearest))))
            .collect();
        fits.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        fits
    }
}

/// What the best chunks of a file say, by words and by meaning.
struct BestChunks {
    words: f32,
    meaning: f32,
    /// Chunks that have something to do with the query.
    candidates: usize,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Question;
    use crate::search::query::Query;
    use crate::testing::Indexed;

    const FILES: &[(&str, &str)] = &[
        ("src/limiter.rs", "/// Counts requests.\npub struct RateLimiter {\n    window: u64,\n}\n"),
        ("src/other.rs", "pub fn unrelated() {}\n"),
        ("src/server.rs", "use crate::limiter::RateLimiter;\n\npub struct Server {\n    limiter: RateLimiter,\n}\n"),
        ("tests/limiter.rs", "struct RateLimiter;\n"),
        ("web/limiter.py", "class RateLimiter:\n    pass\n"),
    ];

    /// The ranked files by path.
    fn ranked(question: &Question) -> Vec<(String, RankedFile)> {
        let indexed = Indexed::new(FILES);
        let view = indexed.view();
        let snapshot = view.published.as_ref().unwrap();
        let query = Query::parse(&question.query);
        let weights = Weights::of(query.intent, question.semantic_ratio);
        let search = Search::new(&view, snapshot, question, query).unwrap();
        let ranked = search.rank(&weights).unwrap();
        ranked.files.into_iter().map(|file| (search.file(file.file).path.as_str().to_owned(), file)).collect()
    }

    fn by_words(query: &str) -> Question {
        Question { semantic_ratio: Some(0.0), ..Question::new(query, 10) }
    }

    #[test]
    fn only_files_that_have_to_do_with_the_query_have_features() {
        let files = ranked(&by_words("RateLimiter"));
        let paths: Vec<&str> = files.iter().map(|(path, _)| path.as_str()).collect();
        assert_eq!(paths, ["web/limiter.py", "src/limiter.rs", "tests/limiter.rs", "src/server.rs"]);
        assert!(ranked(&by_words("zebra")).is_empty());
    }

    #[test]
    fn the_features_of_a_file_are_parts_of_the_best_in_the_question() {
        let files = ranked(&by_words("RateLimiter"));
        let best =
            |feature: fn(&Features) -> f32| files.iter().map(|(_, file)| feature(&file.features)).fold(0.0, f32::max);
        assert_eq!([best(|it| it.chunks), best(|it| it.file), best(|it| it.popularity)], [1.0; 3]);
        assert_eq!([best(|it| it.semantic), best(|it| it.folders), best(|it| it.qualifiers)], [0.0; 3]);
        let (_, first) = &files[0];
        assert_eq!((first.features.definition, first.features.kind, first.class), (1.0, 1.0, FileClass::Source));
        let (_, user) = &files[3];
        assert_eq!(
            (user.features.definition, user.definitions.len()),
            (0.0, 0),
            "it uses the name and defines another"
        );
    }

    #[test]
    fn the_kind_of_file_takes_its_share_unless_it_is_asked_for() {
        let score = |query: &str, path: &str| {
            let files = ranked(&by_words(query));
            let (_, file) = files.into_iter().find(|(other, _)| other == path).unwrap();
            (file.class, file.features.definition, file.score.exact_match)
        };
        assert_eq!(score("RateLimiter", "tests/limiter.rs"), (FileClass::Test, 1.0, 0.2 * 0.7));
        assert_eq!(score("`RateLimiter` tests", "tests/limiter.rs"), (FileClass::Test, 1.0, 0.055));
    }

    #[test]
    fn a_language_leaves_the_others_out() {
        let question = Question { language: Some("Python".to_owned()), ..by_words("RateLimiter") };
        let paths: Vec<String> = ranked(&question).into_iter().map(|(path, _)| path).collect();
        assert_eq!(paths, ["web/limiter.py"]);
    }
}
