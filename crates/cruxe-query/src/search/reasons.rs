//! What the parts of a score come from, for whoever asks why a result ranks where it does.

use cruxe_model::SymbolKind;

use super::rank::factors::Factors;
use super::rank::paths::PathFit;
use super::rank::{RankedFile, Score};

/// What a score comes from. Figures without a word of their own are parts of the best in this search, 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reasons {
    /// The part of the text.
    pub text: TextReason,
    /// What took its share of the whole score.
    pub factors: Factors,
    /// What a second model added, where one looked.
    pub second_look: Option<SecondLook>,
    /// The other parts; `None` for a place that was found in a file that is not ranked.
    pub parts: Option<PartReasons>,
}

/// How the text fits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TextReason {
    /// It was not compared, or has nothing of the query.
    NotCompared,
    /// It was ranked.
    Ranked {
        /// Its best chunks.
        chunks: f32,
        /// The whole file.
        file: f32,
        /// Nearness in meaning, where it counted.
        meaning: Option<Meaning>,
    },
    /// A line has the text that was asked for.
    Line {
        /// Which.
        line: u32,
        /// How much of the text it has, 0 to 1.
        part: f32,
    },
}

/// Nearness in meaning.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Meaning {
    /// How near it is.
    pub nearness: f32,
    /// What it makes of the part of the text, 0 to 1.
    pub share: f32,
}

/// A second look at a result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SecondLook {
    /// Who looked.
    pub model: &'static str,
    /// What it added to the confidence.
    pub added: f32,
}

/// Where the parts come from that are not the text's; `None` where nothing was found.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PartReasons {
    /// A definition whose name is in the query.
    pub exact_match: Option<NamedReason>,
    /// Names and qualifiers of definitions.
    pub qualified_name: Option<QualifiedReason>,
    /// The path.
    pub path: Option<PathReason>,
    /// How much its definitions are used elsewhere.
    pub definition: Option<f32>,
    /// The kind that a name usually means.
    pub kind: Option<SymbolKind>,
}

/// A definition whose name is in the query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NamedReason {
    /// What it is.
    pub kind: SymbolKind,
    /// How well it fits, 0 to 1.
    pub fit: f32,
}

/// What fits in the names of definitions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum QualifiedReason {
    /// The qualifiers that the query gives, so well, 0 to 1.
    Qualifiers(f32),
    /// Words of the query.
    Words(f32),
}

/// What fits in a path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PathReason {
    /// The query is a path.
    Path(PathFit),
    /// Words of the query.
    Words {
        /// In the file's name.
        stem: f32,
        /// In its folders.
        folders: f32,
    },
}

impl Reasons {
    /// Why a file with this score is where it is, or a place in it.
    pub(super) fn of(file: &RankedFile, score: &Score, factors: Factors) -> Reasons {
        let features = &file.features;
        let meaning = Meaning { nearness: features.semantic, share: score.semantic / score.text };
        let text = if score.text > 0.0 {
            let meaning = (score.semantic > 0.0).then_some(meaning);
            TextReason::Ranked { chunks: features.chunks, file: features.file, meaning }
        } else {
            TextReason::NotCompared
        };
        Reasons { text, factors, second_look: None, parts: Some(PartReasons::of(file, score)) }
    }

    /// Why a line that has the text that was asked for is where it is.
    pub(super) fn of_line(line: u32, part: f32, parts: Option<PartReasons>) -> Reasons {
        Reasons { text: TextReason::Line { line, part }, factors: Factors::NONE, second_look: None, parts }
    }

    /// Why a file is where it is that was found by its path alone.
    pub(super) fn of_path(fit: PathFit) -> Reasons {
        let parts = PartReasons { path: Some(PathReason::Path(fit)), ..PartReasons::default() };
        Reasons { text: TextReason::NotCompared, factors: Factors::NONE, second_look: None, parts: Some(parts) }
    }
}

impl PartReasons {
    pub(super) fn of(file: &RankedFile, score: &Score) -> PartReasons {
        let features = &file.features;
        let named = file.definitions.first();
        let path = PathReason::Words { stem: features.stem, folders: features.folders };
        PartReasons {
            exact_match: named.map(|one| NamedReason { kind: one.kind, fit: one.fit }),
            qualified_name: (score.qualified_name > 0.0).then_some(QualifiedReason::Qualifiers(features.qualifiers)),
            path: (score.path_affinity > 0.0).then_some(path),
            definition: (score.definition > 0.0).then_some(features.popularity),
            kind: named.filter(|_| score.kind_match > 0.0).map(|one| one.kind),
        }
    }
}
