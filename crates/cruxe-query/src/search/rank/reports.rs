//! Reports: what the parts of a pasted text count for, for files and for the functions in the best of them.
//!
//! A report is long, and most of its words are beside the point. So its title counts again, apart from the rest; names of
//! files and folders count; and what can be nothing else (a frame of a trace, a path, a qualified name, a line of code
//! that stands in a function as it is quoted) counts of its own. A function is ranked by what it says itself, and a little
//! by its file.
//!
//! The weights are those of a log-linear model, fitted to issues and their fixes in public repositories; each was fitted
//! without the repository that it was judged by.

use super::bm25::Saturation;
use super::{Score, factors};
use crate::search::query::Wants;
use crate::search::stats::FileClass;

/// Words that postings are read of, the title's and the sentences' first: the others of a long text are mostly data.
pub(crate) const MAX_READ: usize = 256;
/// Words that count, those that tell most.
pub(crate) const MAX_WORDS: usize = 96;
/// The words of a title that count, whatever they tell.
pub(crate) const MAX_TITLE: usize = 32;
/// Files whose functions are looked at.
pub(crate) const FILES: usize = 24;
/// Files whose text is read, for what the index does not tell: lines that are quoted, members of small containers.
pub(crate) const TEXTS: usize = 6;
/// Functions, whole ones: a long one is as likely to be meant as its words are.
pub(crate) const FUNCTION: Saturation = Saturation::new(1.2, 0.3);
/// What a frame of a trace counts for, by how many of ours are further in.
const FRAMES: f32 = 1.0;
/// How well a name fits that has nothing before it, where only one definition has it.
pub(crate) const ONLY_ONE: f32 = 0.6;
/// So many quoted lines are as good as any number.
const QUOTED: f32 = 3.0;
/// What a container, or lines outside of every function, keep beside functions.
const NO_FUNCTION: f32 = 0.85;

/// What each further place of a file keeps: as many are shown as deserve it, and other files too.
const SAME_FILE: f32 = 0.98;

/// What each feature of a file counts for.
#[derive(Clone, Copy, Debug)]
struct FileWeights {
    title: f32,
    chunks: f32,
    near_title: f32,
    near_prose: f32,
    stem: f32,
    folders: f32,
    path: f32,
    frame: f32,
    named: f32,
}

/// What each feature of a function counts for.
#[derive(Clone, Copy, Debug)]
struct PlaceWeights {
    words: f32,
    near_title: f32,
    near_prose: f32,
    name_title: f32,
    name: f32,
    named: f32,
    quoted: f32,
    frame: f32,
    /// Its file, as a part of what a file may have.
    file: f32,
}

/// Weights of the model are brought to the scale of other scores.
const SCALE: f32 = 0.025;

const FILE: FileWeights = FileWeights {
    title: 2.7,
    chunks: 3.1,
    near_title: 2.5,
    near_prose: 2.6,
    stem: 1.0,
    folders: 1.1,
    path: 1.7,
    frame: 1.0,
    named: 0.9,
};

const PLACE: PlaceWeights = PlaceWeights {
    words: 3.0,
    near_title: 2.2,
    near_prose: 1.6,
    name_title: 1.2,
    name: 1.1,
    named: 1.2,
    quoted: 1.4,
    frame: 1.2,
    file: 0.46,
};

/// How a file stands in each feature, 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct FileFeatures {
    /// Words of the title in the whole file.
    pub title: f32,
    /// Words of the report in its best chunks.
    pub chunks: f32,
    /// Nearness of its best chunks to the title.
    pub near_title: f32,
    /// Nearness of its best chunks to title and sentences.
    pub near_prose: f32,
    /// Words in its name.
    pub stem: f32,
    /// Words in its folders.
    pub folders: f32,
    /// The report names its path.
    pub path: f32,
    /// A trace goes through it.
    pub frame: f32,
    /// It defines what a qualified name stands for.
    pub named: f32,
}

/// How a place in a file stands in each feature, 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct PlaceFeatures {
    /// Words of the report in its text.
    pub words: f32,
    /// Nearness to the title.
    pub near_title: f32,
    /// Nearness to title and sentences.
    pub near_prose: f32,
    /// How much of its name the title says.
    pub name_title: f32,
    /// How much of its name the report says.
    pub name: f32,
    /// A qualified name stands for it.
    pub named: f32,
    /// Lines that the report quotes stand in it.
    pub quoted: f32,
    /// A trace goes through it.
    pub frame: f32,
}

/// Words against meaning in the text of a report: what the weights of each are multiplied with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mix {
    words: f32,
    meaning: f32,
}

impl Mix {
    /// The mix that a share of meaning asks for; what measures best when left out.
    pub fn of(ratio: Option<f32>) -> Mix {
        let words = FILE.title + FILE.chunks;
        let meaning = FILE.near_title + FILE.near_prose;
        match ratio {
            Some(ratio) => {
                Mix { words: (1.0 - ratio) * (words + meaning) / words, meaning: ratio * (words + meaning) / meaning }
            }
            None => Mix { words: 1.0, meaning: 1.0 },
        }
    }

    /// Whether meaning counts at all.
    pub fn has_meaning(self) -> bool {
        self.meaning > 0.0
    }
}

/// The score of a file.
pub(crate) fn of_file(features: &FileFeatures, mix: Mix, class: FileClass) -> Score {
    let semantic = mix.meaning * (FILE.near_title * features.near_title + FILE.near_prose * features.near_prose);
    let score = Score {
        text: mix.words * (FILE.title * features.title + FILE.chunks * features.chunks) + semantic,
        semantic,
        exact_match: FILE.frame * features.frame + FILE.named * features.named,
        path_affinity: FILE.stem * features.stem + FILE.folders * features.folders + FILE.path * features.path,
        ..Score::default()
    };
    score.times(SCALE * PLACE.file * factors::of_class(class, Wants::default()))
}

/// The score of a place in a file with this score.
pub(crate) fn of_place(features: &PlaceFeatures, file: &Score, mix: Mix, class: FileClass, is_function: bool) -> Score {
    let semantic = mix.meaning * (PLACE.near_title * features.near_title + PLACE.near_prose * features.near_prose);
    let own = Score {
        text: mix.words * PLACE.words * features.words + PLACE.quoted * features.quoted + semantic,
        semantic,
        exact_match: PLACE.named * features.named + PLACE.frame * features.frame,
        qualified_name: PLACE.name_title * features.name_title + PLACE.name * features.name,
        ..Score::default()
    };
    let whole = own.times(SCALE * factors::of_class(class, Wants::default())).plus(file);
    whole.times(if is_function { 1.0 } else { NO_FUNCTION })
}

/// What a place that is best in everything would get.
pub(crate) fn best(mix: Mix) -> f32 {
    let all = FileFeatures {
        title: 1.0,
        chunks: 1.0,
        near_title: 1.0,
        near_prose: 1.0,
        stem: 1.0,
        folders: 1.0,
        path: 1.0,
        frame: 1.0,
        named: 1.0,
    };
    let file = of_file(&all, mix, FileClass::Source);
    let all = PlaceFeatures {
        words: 1.0,
        near_title: 1.0,
        near_prose: 1.0,
        name_title: 1.0,
        name: 1.0,
        named: 1.0,
        quoted: 1.0,
        frame: 1.0,
    };
    of_place(&all, &file, mix, FileClass::Source, true).total()
}

/// Returns what a word counts for that the report says so often.
pub(crate) fn repeated(times: u32) -> f32 {
    1.0 + 0.5 * (times.max(1) as f32).ln()
}

/// Returns what a frame counts for with so many of ours further in.
pub(crate) fn frame(further_in: usize) -> f32 {
    1.0 / (FRAMES + further_in as f32)
}

/// Returns what quoted lines count for, each by how many places have it.
pub(crate) fn quoted(lines: f32) -> f32 {
    lines.min(QUOTED) / QUOTED
}

/// Returns what a place keeps after so many of its file: the list should show other files too.
pub(crate) fn further(before: usize) -> f32 {
    SAME_FILE.powi(before.min(1_000) as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE_BEST: FileFeatures = FileFeatures {
        title: 1.0,
        chunks: 1.0,
        near_title: 1.0,
        near_prose: 1.0,
        stem: 1.0,
        folders: 1.0,
        path: 1.0,
        frame: 1.0,
        named: 1.0,
    };
    const PLACE_BEST: PlaceFeatures = PlaceFeatures {
        words: 1.0,
        near_title: 1.0,
        near_prose: 1.0,
        name_title: 1.0,
        name: 1.0,
        named: 1.0,
        quoted: 1.0,
        frame: 1.0,
    };

    #[test]
    fn components_add_up_and_keep_to_the_ranges_of_the_contract() {
        for ratio in [None, Some(0.0), Some(0.5), Some(1.0)] {
            let mix = Mix::of(ratio);
            let file = of_file(&FILE_BEST, mix, FileClass::Source);
            let score = of_place(&PLACE_BEST, &file, mix, FileClass::Source, true);
            assert!((score.total() - best(mix)).abs() < 1e-6, "{ratio:?}");
            assert!(score.exact_match <= 0.2 && score.qualified_name <= 0.1 && score.path_affinity <= 0.1, "{score:?}");
            assert!(score.semantic <= score.text && (ratio == Some(0.0)) == (score.semantic == 0.0), "{score:?}");
        }
    }

    #[test]
    fn tests_and_what_is_no_function_keep_less() {
        let mix = Mix::of(None);
        let file = of_file(&FILE_BEST, mix, FileClass::Source);
        let of = |class, is_function| of_place(&PLACE_BEST, &file, mix, class, is_function).total();
        assert!(of(FileClass::Test, true) < of(FileClass::Source, true));
        assert!((of(FileClass::Source, false) - 0.85 * of(FileClass::Source, true)).abs() < 1e-6);
    }

    #[test]
    fn what_is_said_again_or_further_out_counts_less() {
        assert_eq!([frame(0), frame(1), frame(3)], [1.0, 0.5, 0.25]);
        assert_eq!([quoted(0.0), quoted(1.5), quoted(9.0)], [0.0, 0.5, 1.0]);
        assert_eq!([repeated(0), repeated(1), further(0), further(1)], [1.0, 1.0, 1.0, 0.98]);
        assert!(repeated(2) < 2.0 && further(1_000_000) >= 0.0);
    }
}
