//! One search over several repositories: what is counted over all of them, whom to ask, and their answers in one order.
//!
//! A score of one repository says how a file stands among the files of that repository: how rare a word is there, how near the best of
//! its files come. Two things make scores of several comparable. Words are weighed by how rare they are in all of them together
//! ([`Among`], from their directories). And every feature of a file, which is a part of the best in its own repository, is brought to a
//! part of the best in any ([`together`]).

use std::collections::{HashMap, HashSet};

use cruxe_store::{Directory, Figures, WordPlace, tokens};

use super::query::Query;
use super::rank::{Best, Weights, factors, part, score};
use super::{Intent, Notice, SearchAnswer, SearchHit};
use crate::locate;

/// What is counted over several repositories.
#[derive(Debug, Default)]
pub struct Among {
    figures: Figures,
    texts: HashMap<(WordPlace, String), usize>,
}

/// Statistics of texts of one kind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Statistic {
    /// How many there are.
    pub texts: f32,
    /// How many words one has.
    pub average: f32,
}

impl Among {
    /// Counts the words of a query over directories.
    pub fn of<'d>(query: &str, directories: impl Iterator<Item = &'d Directory>) -> Among {
        let query = Query::parse(query);
        let words: Vec<&String> = query.words.iter().chain(&query.compounds).collect();
        let mut among = Among::default();
        for directory in directories {
            let (all, of) = (&mut among.figures, &directory.figures);
            all.files += of.files;
            all.chunks += of.chunks;
            all.body_words += of.body_words;
            all.name_words += of.name_words;
            for word in &words {
                for place in [WordPlace::Body, WordPlace::Name, WordPlace::Path] {
                    let texts = directory.texts_with(place, word);
                    if texts > 0 {
                        *among.texts.entry((place, (*word).clone())).or_default() += texts;
                    }
                }
            }
        }
        among
    }

    /// In how many texts a word stands.
    pub(crate) fn texts_with(&self, place: WordPlace, word: &str) -> usize {
        self.texts.get(&(place, word.to_owned())).copied().unwrap_or(0)
    }

    /// In about how many files a word stands that so many texts have: as if it fell into files by chance.
    pub(crate) fn files_with(&self, place: WordPlace, word: &str) -> usize {
        let (texts, files) = (self.texts_with(place, word) as f64, self.figures.files.max(1) as f64);
        (files * (1.0 - (1.0 - 1.0 / files).powf(texts))).ceil() as usize
    }

    /// Texts, by what they say and by the names of their symbols; then files, the same way.
    pub(crate) fn statistics(&self) -> [Statistic; 4] {
        let Figures { files, chunks, body_words, name_words, .. } = self.figures;
        let of = |texts: u64, words: u64| Statistic {
            texts: texts as f32,
            average: (words as f32 / (texts as f32).max(1.0)).max(1e-6),
        };
        [of(chunks, body_words), of(chunks, name_words), of(files, body_words), of(files, name_words)]
    }

    fn rarity(&self, word: &str) -> f32 {
        let (texts, having) = (self.figures.chunks as f32, self.texts_with(WordPlace::Body, word) as f32);
        (1.0 + (texts - having + 0.5).max(0.0) / (having + 0.5)).ln()
    }
}

/// What a repository with every word of a query and nothing else is worth more for a word in its name, a definition that the query names,
/// words in names of symbols and in paths.
const NAMED: f32 = 1.5;
const DEFINES: f32 = 2.0;
const PERHAPS_DEFINES: f32 = 0.5;
const IN_NAMES: f32 = 0.5;
const IN_PATHS: f32 = 0.5;
/// A word that stands in so many texts of a repository counts in full.
const ENOUGH_TEXTS: f32 = 4.0;

/// The repositories that have to do with a query, the likeliest first; those that have no word of it and define nothing that it names are
/// left out. `repositories` are names with directories.
pub fn likeliest(query: &str, among: &Among, repositories: &[(&str, &Directory)]) -> Vec<usize> {
    let query = Query::parse(query);
    let rarities: Vec<(&String, f32)> = query.words.iter().map(|word| (word, among.rarity(word))).collect();
    let all: f32 = rarities.iter().map(|(_, rarity)| rarity).sum::<f32>().max(f32::MIN_POSITIVE);
    let worth = |(name, directory): &(&str, &Directory)| -> f32 {
        let own = tokens(name);
        let mut worth = 0.0;
        for (word, rarity) in &rarities {
            let texts = directory.texts_with(WordPlace::Body, word) as f32;
            let mut part = (texts / ENOUGH_TEXTS).min(1.0).sqrt();
            part += if directory.texts_with(WordPlace::Name, word) > 0 { IN_NAMES } else { 0.0 };
            part += if directory.texts_with(WordPlace::Path, word) > 0 { IN_PATHS } else { 0.0 };
            part += if own.contains(word) { NAMED } else { 0.0 };
            worth += rarity * part;
        }
        worth /= all;
        for name in &query.names {
            let best = locate::best_of(&name.wanted.plain, directory.definitions(&name.wanted.plain), 1.0)
                .unwrap_or(0.0) as f32;
            worth += best * if name.sure { DEFINES } else { PERHAPS_DEFINES / query.names.len() as f32 };
        }
        worth
    };
    let mut ranked: Vec<(usize, f32)> =
        repositories.iter().map(worth).enumerate().filter(|(_, worth)| *worth > 0.0).collect();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    ranked.into_iter().map(|(at, _)| at).collect()
}

/// Answers of several repositories in one order.
pub struct Together {
    /// The answer of each repository that has some of the best results, with those alone, and its number.
    pub parts: Vec<(usize, SearchAnswer)>,
    /// The best results, best first: which part, and which of its results.
    pub order: Vec<(usize, usize)>,
    /// How many places have something to do with the query.
    pub total: usize,
    /// Whether there are more results than were asked for.
    pub truncated: bool,
    /// What every repository has to say alike.
    pub notices: Vec<Notice>,
}

/// What a word of the query in the name of a repository adds, as a part of the best score.
const REPOSITORY_NAMED: f32 = 0.06;

/// Puts answers to one query together. `names` are those of the repositories, by number; where scores are equal the lower number goes
/// first.
pub fn together(
    query: &str,
    semantic_ratio: Option<f32>,
    names: &[&str],
    answers: Vec<(usize, SearchAnswer)>,
    limit: usize,
) -> Together {
    let words = Query::parse(query).words;
    let best = answers.iter().filter_map(|(_, answer)| answer.best).fold(Best::default(), Best::max);
    let total = answers.iter().map(|(_, answer)| answer.total).sum();
    let mut truncated = answers.iter().any(|(_, answer)| answer.truncated);
    let notices = common(answers.iter().map(|(_, answer)| answer));
    let intent = answers.first().map_or(Intent::NaturalLanguage, |(_, answer)| answer.intent);
    let weights = Weights::of(intent, semantic_ratio);
    let (mut found, mut parts): (Vec<(usize, SearchHit)>, Vec<(usize, SearchAnswer)>) = (Vec::new(), Vec::new());
    for (at, mut answer) in answers {
        let own = names.get(at).map(|name| tokens(name)).unwrap_or_default();
        let named = if words.iter().any(|word| own.contains(word)) { REPOSITORY_NAMED } else { 0.0 };
        for mut hit in std::mem::take(&mut answer.found) {
            if let Some(of_repository) = &answer.best {
                rescale(&mut hit, of_repository, &best, &weights, named);
            }
            found.push((parts.len(), hit));
        }
        parts.push((at, answer));
    }
    sort(&mut found);
    // What a repository has copied from another gives way to the first.
    let mut seen = HashSet::new();
    for (_, hit) in &mut found {
        let symbol = hit.symbol().map(|symbol| (symbol.name.clone(), symbol.content_hash));
        if symbol.is_some_and(|symbol| !seen.insert(symbol)) {
            hit.score = hit.score.times(factors::copy(1.0));
            hit.confidence *= f64::from(factors::copy(1.0));
        }
    }
    sort(&mut found);
    truncated |= found.len() > limit;
    found.truncate(limit);
    let mut order = Vec::with_capacity(found.len());
    for (part, hit) in found {
        order.push((part, parts[part].1.found.len()));
        parts[part].1.found.push(hit);
    }
    Together { parts, order, total, truncated, notices }
}

fn sort(found: &mut [(usize, SearchHit)]) {
    // Within a repository the order stands.
    found.sort_by(|(a, one), (b, other)| other.confidence.total_cmp(&one.confidence).then(a.cmp(b)));
}

/// Brings a score to what it is among all repositories.
fn rescale(hit: &mut SearchHit, own: &Best, best: &Best, weights: &Weights, named: f32) {
    let before = hit.score.total().max(f32::MIN_POSITIVE);
    match &hit.features {
        Some(features) => {
            let kept = before / score(features, weights).total().max(f32::MIN_POSITIVE);
            let mut scored = score(&features.among(own, best), weights);
            scored.path_affinity += named * weights.sum();
            hit.score = scored.times(kept);
        }
        // What is ranked in another way is held back by how little of the words its repository has at best.
        None => {
            let share = if best.chunks > 0.0 { part(own.chunks, best.chunks) } else { 1.0 };
            hit.score = hit.score.times(share);
        }
    }
    hit.confidence = (hit.confidence * f64::from(hit.score.total() / before)).clamp(0.0, 1.0);
}

/// The notices that all answers have, once each.
fn common<'a>(mut answers: impl Iterator<Item = &'a SearchAnswer>) -> Vec<Notice> {
    let Some(first) = answers.next() else { return Vec::new() };
    let mut notices = first.remarks.notices.clone();
    answers.for_each(|answer| notices.retain(|notice| answer.remarks.notices.contains(notice)));
    notices
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::search::{Question, search};
    use crate::testing::Indexed;

    const LIMITER: &str =
        "/// Allows so many requests in a window.\npub fn throttle(requests: u32) -> bool {\n    requests < 10\n}\n";
    const USER: &str = "pub fn handle() {\n    // throttle is somebody else's\n    let requests = 1;\n}\n";

    /// The first results over some repositories, as `repository path`.
    fn ask(repositories: &[(&str, &[(&str, &str)])], query: &str) -> Vec<String> {
        let indexed: Vec<Indexed> = repositories.iter().map(|(_, files)| Indexed::new(files)).collect();
        let views: Vec<_> = indexed.iter().map(Indexed::view).collect();
        let directories: Vec<Directory> =
            views.iter().map(|view| view.project.directory_of_ref(&view.standing.ref_name).unwrap().unwrap()).collect();
        let among = Arc::new(Among::of(query, directories.iter()));
        let names: Vec<&str> = repositories.iter().map(|(name, _)| *name).collect();
        let named: Vec<(&str, &Directory)> = names.iter().copied().zip(&directories).collect();
        let mut chosen = likeliest(query, &among, &named);
        chosen.sort_unstable();
        let answers = chosen.into_iter().map(|at| {
            let question =
                Question { among: Some(Arc::clone(&among)), semantic_ratio: Some(0.0), ..Question::new(query, 10) };
            (at, search(&views[at], &question).unwrap())
        });
        let together = together(query, Some(0.0), &names, answers.collect(), 10);
        let shown = |(part, at): &(usize, usize)| {
            let (repository, answer) = &together.parts[*part];
            format!("{} {}", names[*repository], answer.found[*at].file.path)
        };
        together.order.iter().map(shown).collect()
    }

    #[test]
    fn the_repository_that_defines_a_name_goes_before_those_that_mention_it() {
        let many: Vec<(String, String)> = (0..20).map(|at| (format!("src/f{at}.rs"), USER.to_owned())).collect();
        let many: Vec<(&str, &str)> = many.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        let found = ask(&[("app", &many), ("limits", &[("src/lib.rs", LIMITER)])], "throttle");
        assert_eq!(found[0], "limits src/lib.rs");
        let found =
            ask(&[("app", &many), ("limits", &[("src/lib.rs", LIMITER)])], "allow so many requests in a window");
        assert_eq!(found[0], "limits src/lib.rs");
    }

    #[test]
    fn a_repository_without_a_word_of_the_query_is_not_asked() {
        let other: &[(&str, &str)] = &[("z.py", "def zebra():\n    return 1\n")];
        assert_eq!(ask(&[("zoo", other), ("limits", &[("src/lib.rs", LIMITER)])], "zebra"), ["zoo z.py"]);
        assert_eq!(ask(&[("zoo", other)], "giraffe"), [""; 0]);
    }

    #[test]
    fn a_copy_gives_way_and_equal_scores_keep_the_order_of_repositories() {
        let file: &[(&str, &str)] = &[("src/lib.rs", LIMITER)];
        let found = ask(&[("a", file), ("b", file)], "throttle");
        assert_eq!(found, ["a src/lib.rs", "b src/lib.rs"]);
    }
}
