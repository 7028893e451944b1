//! The one function that decides what is first.
//!
//! Every file gets a number for each feature, brought to 0..1 by the best file of the question. A weight for each, a
//! factor for the kind of file, and the sum is the score. What a result says about its rank, and what
//! `explain_ranking` answers, is this sum and nothing else.

use super::intent::Intent;
use super::places::FileClass;
use super::query::Wants;

/// How much each feature may add.
///
/// Found by search over public questions about 31 repositories and rounded: taking any one of them 0.6 or 1.5 times cost
/// less than 0.01 of NDCG then. They stay within the ranges that `explain_ranking` promises.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weights {
    /// Words in the best chunks of the file.
    pub chunks: f32,
    /// Words in the whole file.
    pub file: f32,
    /// Nearness in meaning of the best chunks.
    pub semantic: f32,
    /// Words in the names of definitions.
    pub names: f32,
    /// Words in the file's name.
    pub stem: f32,
    /// The same, by how much of the file's name the query says.
    pub whole_stem: f32,
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
    chunks: 0.1,
    file: 0.05,
    semantic: 0.125,
    names: 0.025,
    stem: 0.0375,
    whole_stem: 0.0375,
    folders: 0.025,
    popularity: 0.025,
    definition: 0.025,
    kind: 0.0,
    qualifiers: 0.0,
};

/// Names. Meaning stays in the background: a name is meant as it is written.
const NAMES: Weights =
    Weights { semantic: 0.05, popularity: 0.05, definition: 0.2, kind: 0.02, qualifiers: 0.1, names: 0.0, ..WORDS };

/// The part of text relevance that is by meaning when nothing else is asked for.
pub const SEMANTIC_RATIO: f32 = WORDS.semantic / (WORDS.chunks + WORDS.file + WORDS.semantic);

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
            + self.names
            + self.stem
            + self.whole_stem
            + self.folders
            + self.popularity
            + self.definition
            + self.kind
            + self.qualifiers
    }
}

/// How a file stands in each feature, 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[allow(missing_docs, reason = "the fields are those of Weights")]
pub struct Features {
    pub chunks: f32,
    pub file: f32,
    pub semantic: f32,
    pub names: f32,
    pub stem: f32,
    pub whole_stem: f32,
    pub folders: f32,
    pub popularity: f32,
    pub definition: f32,
    pub kind: f32,
    pub qualifiers: f32,
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
pub fn score(features: &Features, weights: &Weights) -> Score {
    let semantic = features.semantic * weights.semantic;
    Score {
        text: features.chunks * weights.chunks + features.file * weights.file + semantic,
        semantic,
        exact_match: features.definition * weights.definition,
        qualified_name: features.names * weights.names + features.qualifiers * weights.qualifiers,
        path_affinity: features.stem * weights.stem
            + features.whole_stem * weights.whole_stem
            + features.folders * weights.folders,
        definition: features.popularity * weights.popularity,
        kind_match: features.kind * weights.kind,
    }
}

/// What a file of a kind keeps of its score: secondary files give way, unless they are what is asked for.
pub(super) fn class_factor(class: FileClass, wants: Wants) -> f32 {
    match class {
        FileClass::Source => 1.0,
        FileClass::Test => {
            if wants.tests {
                1.0
            } else {
                0.7
            }
        }
        FileClass::Example => {
            if wants.examples {
                1.0
            } else {
                0.7
            }
        }
        FileClass::Document => {
            if wants.documents {
                1.0
            } else {
                0.3
            }
        }
        FileClass::Foreign => 0.5,
    }
}

/// What the next result of a file keeps: a list of ten places in one file helps less than ten files.
pub(super) const SAME_FILE: f32 = 0.55;
/// What a copy of an earlier result keeps.
pub(super) const COPY: f32 = 0.5;

/// How likely somebody who says a name means a definition of this kind.
pub(super) fn kind_prior(kind: cruxe_model::SymbolKind) -> f32 {
    use cruxe_model::SymbolKind::*;
    match kind {
        Class | Struct | Trait | Interface | Enum | Union | Type => 1.0,
        Fn | Macro => 0.9,
        Method | Module => 0.8,
        Impl => 0.7,
        Const | Static => 0.6,
        Property => 0.5,
        Variable => 0.4,
        Field | Variant | Heading => 0.2,
        Use => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEST: Features = Features {
        chunks: 1.0,
        file: 1.0,
        semantic: 1.0,
        names: 1.0,
        stem: 1.0,
        whole_stem: 1.0,
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
