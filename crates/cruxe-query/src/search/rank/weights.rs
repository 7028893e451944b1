//! The weighted sum: what each feature of a file is worth, and the order of files by it.

use std::cmp::Ordering;

use cruxe_store::FileNumber;

use super::factors;
use super::names::NamedDefinition;
use crate::search::intent::Intent;
use crate::search::query::Wants;
use crate::search::stats::FileClass;

/// The best files, which are put in order and whose popularity is looked at: it only orders the best ones.
const HEAD: usize = 48;

/// How much each feature may add.
///
/// Those of questions in words are fitted to public questions about 31 repositories (`bench`, `retrieval --fit`) and rounded. With
/// each repository judged by the fit to the others they lose 0.002 of NDCG. They stay within the ranges that an explained rank promises
/// for its components.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weights {
    /// Words in the best chunks of the file.
    pub chunks: f32,
    /// Words in the whole file.
    pub file: f32,
    /// Nearness in meaning of the best chunks.
    pub semantic: f32,
    /// Words in the file's name, by how much of it the query says.
    pub stem: f32,
    /// Words in the names of folders.
    pub folders: f32,
    /// How much the rest of the ref uses what the file defines.
    pub popularity: f32,
    /// A definition whose name is in the query.
    pub definition: f32,
    /// The kind of that definition.
    pub kind: f32,
    /// The qualifiers of that name.
    pub qualifiers: f32,
}

/// Questions in words.
const WORDS: Weights = Weights {
    chunks: 0.05,
    file: 0.075,
    semantic: 0.16,
    stem: 0.075,
    folders: 0.025,
    popularity: 0.01,
    definition: 0.055,
    kind: 0.0,
    qualifiers: 0.0,
};

/// Names. Meaning stays in the background: a name is meant as it is written.
const NAMES: Weights = Weights {
    chunks: 0.1,
    file: 0.05,
    semantic: 0.05,
    popularity: 0.05,
    definition: 0.2,
    kind: 0.02,
    qualifiers: 0.1,
    ..WORDS
};

impl Weights {
    /// The weights of an intent; `ratio` is the part of text relevance that is by meaning.
    pub fn of(intent: Intent, ratio: Option<f32>) -> Weights {
        let weights = if intent == Intent::Symbol { NAMES } else { WORDS };
        let Some(ratio) = ratio else { return weights };
        let text = weights.chunks + weights.file + weights.semantic;
        let by_words = text * (1.0 - ratio) / (weights.chunks + weights.file);
        Weights { chunks: weights.chunks * by_words, file: weights.file * by_words, semantic: text * ratio, ..weights }
    }

    /// What a file that is best in everything would get.
    pub fn sum(&self) -> f32 {
        self.chunks
            + self.file
            + self.semantic
            + self.stem
            + self.folders
            + self.popularity
            + self.definition
            + self.kind
            + self.qualifiers
    }
}

/// How a file stands in each feature of [`Weights`], 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Features {
    pub chunks: f32,
    pub file: f32,
    pub semantic: f32,
    pub stem: f32,
    pub folders: f32,
    pub popularity: f32,
    pub definition: f32,
    pub kind: f32,
    pub qualifiers: f32,
}

impl Features {
    /// The same as parts of what is best in any repository instead of in its own. How much a definition is used is a matter of its own
    /// repository, and how it fits of nobody else.
    pub fn among(&self, own: &Best, all: &Best) -> Features {
        let again = |feature: f32, own: f32, all: f32| if all > 0.0 { feature * own / all } else { feature };
        Features {
            chunks: again(self.chunks, own.chunks, all.chunks),
            file: again(self.file, own.file, all.file),
            semantic: again(self.semantic, own.semantic, all.semantic),
            stem: again(self.stem, own.stem, all.stem),
            folders: again(self.folders, own.folders, all.folders),
            ..*self
        }
    }
}

/// The best of each feature that is brought to a part of the best.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Best {
    pub chunks: f32,
    pub file: f32,
    pub semantic: f32,
    pub stem: f32,
    pub folders: f32,
}

impl Best {
    /// The better of each.
    pub fn max(self, other: Best) -> Best {
        Best {
            chunks: self.chunks.max(other.chunks),
            file: self.file.max(other.file),
            semantic: self.semantic.max(other.semantic),
            stem: self.stem.max(other.stem),
            folders: self.folders.max(other.folders),
        }
    }
}

/// A score and what it is made of: the components add up to the total.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Score {
    /// Relevance of the text, by words and by meaning.
    pub text: f32,
    /// The part of it that is by meaning.
    pub semantic: f32,
    /// A definition whose name is in the query.
    pub exact_match: f32,
    /// Names and qualifiers of definitions.
    pub qualified_name: f32,
    /// Words of the path.
    pub path_affinity: f32,
    /// How much the definitions are used.
    pub definition: f32,
    /// The kind of the definition.
    pub kind_match: f32,
}

impl Score {
    /// The sum of the components.
    pub fn total(&self) -> f32 {
        self.text + self.exact_match + self.qualified_name + self.path_affinity + self.definition + self.kind_match
    }

    /// The score as a part of the best possible one.
    pub fn confidence(&self, weights: &Weights) -> f64 {
        f64::from((self.total() / weights.sum()).clamp(0.0, 1.0))
    }

    /// Every component and that of another score.
    pub(crate) fn plus(self, other: &Score) -> Score {
        Score {
            text: self.text + other.text,
            semantic: self.semantic + other.semantic,
            exact_match: self.exact_match + other.exact_match,
            qualified_name: self.qualified_name + other.qualified_name,
            path_affinity: self.path_affinity + other.path_affinity,
            definition: self.definition + other.definition,
            kind_match: self.kind_match + other.kind_match,
        }
    }

    /// Every component times a factor.
    pub fn times(self, factor: f32) -> Score {
        Score {
            text: self.text * factor,
            semantic: self.semantic * factor,
            exact_match: self.exact_match * factor,
            qualified_name: self.qualified_name * factor,
            path_affinity: self.path_affinity * factor,
            definition: self.definition * factor,
            kind_match: self.kind_match * factor,
        }
    }
}

/// The score of a file.
pub(crate) fn score(features: &Features, weights: &Weights) -> Score {
    let semantic = features.semantic * weights.semantic;
    Score {
        text: features.chunks * weights.chunks + features.file * weights.file + semantic,
        semantic,
        exact_match: features.definition * weights.definition,
        qualified_name: features.qualifiers * weights.qualifiers,
        path_affinity: features.stem * weights.stem + features.folders * weights.folders,
        definition: features.popularity * weights.popularity,
        kind_match: features.kind * weights.kind,
    }
}

/// A file with its features and its score.
#[derive(Clone, Debug)]
pub(crate) struct RankedFile {
    pub file: FileNumber,
    pub score: Score,
    pub features: Features,
    /// The definitions whose name the query has, the likeliest first.
    pub definitions: Vec<NamedDefinition>,
    /// What kind of file it is.
    pub class: FileClass,
}

impl RankedFile {
    /// The order of results. Files are numbered in path order, so equal scores are in path order too.
    fn before(&self, other: &RankedFile) -> Ordering {
        other.score.total().total_cmp(&self.score.total()).then(self.file.cmp(&other.file))
    }
}

/// Weighs files, and returns how many of them now stand in front in their order; the others are in any order.
pub(crate) fn order(files: &mut [RankedFile], weights: &Weights, wants: Wants) -> usize {
    for file in files.iter_mut() {
        file.score = score(&file.features, weights).times(factors::of_class(file.class, wants));
    }
    // Only the head is looked at in its order: the rest waits in a heap, if at all.
    let head = files.len().min(HEAD);
    if head < files.len() {
        files.select_nth_unstable_by(head, RankedFile::before);
    }
    files[..head].sort_unstable_by(RankedFile::before);
    head
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEST: Features = Features {
        chunks: 1.0,
        file: 1.0,
        semantic: 1.0,
        stem: 1.0,
        folders: 1.0,
        popularity: 1.0,
        definition: 1.0,
        kind: 1.0,
        qualifiers: 1.0,
    };

    #[test]
    fn components_add_up_and_keep_to_the_ranges_of_the_contract() {
        for intent in [Intent::Symbol, Intent::NaturalLanguage, Intent::Error, Intent::Path] {
            for ratio in [None, Some(0.0), Some(0.5), Some(1.0)] {
                let weights = Weights::of(intent, ratio);
                let score = score(&BEST, &weights);
                assert!((score.total() - weights.sum()).abs() < 1e-6);
                assert!(score.exact_match <= 0.2 && score.qualified_name <= 0.1001 && score.path_affinity <= 0.1001);
                assert!(score.definition <= 0.15 && score.kind_match <= 0.05);
            }
        }
    }

    #[test]
    fn the_ratio_moves_weight_between_words_and_meaning() {
        let (words, half) =
            (Weights::of(Intent::NaturalLanguage, Some(0.0)), Weights::of(Intent::NaturalLanguage, None));
        assert_eq!(words.semantic, 0.0);
        assert!((words.sum() - half.sum()).abs() < 1e-6);
        assert_eq!(Weights::of(Intent::NaturalLanguage, Some(1.0)).chunks, 0.0);
    }
}
