//! What takes its share of a whole score, whatever the score is made of.

use super::Score;
use crate::search::query::Wants;
use crate::search::stats::FileClass;

/// What a test inside a file of source keeps of its score, as test files do.
pub(crate) const TEST_CHUNK: f32 = 0.7;
/// What is no test keeps where tests are asked for.
pub(crate) const NO_TEST: f32 = 0.6;
/// What the next result of a file keeps: a list of ten places in one file helps less than ten files.
const SAME_FILE: f32 = 0.55;
/// What a copy of an earlier result keeps.
const COPY: f32 = 0.5;
/// The first files that a search is judged by.
pub(crate) const JUDGED_BY: usize = 3;
/// A cosine that the model gives to texts that say the same.
const CLEARLY_NEAR: f32 = 0.6;
/// What a search that found next to nothing keeps of its scores.
const LEAST_QUALITY: f32 = 0.25;
/// A definition that fits better than this, of a name that can be nothing else, is what was asked for.
const CLEARLY_MEANT: f32 = 0.5;

/// The factors that a result's score has in it, for whoever asks why.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Factors {
    /// For the kind of file.
    pub class: f32,
    /// For the place in its file: how well it fits, whether others came first, whether it is a copy.
    pub place: f32,
    /// For how much of what was asked for is there at all.
    pub quality: f32,
}

impl Factors {
    /// Nothing takes a share.
    pub(crate) const NONE: Factors = Factors { class: 1.0, place: 1.0, quality: 1.0 };
}

/// The score of a place with this total, in a file with this score.
pub(crate) fn of_place(file: &Score, total: f32, quality: f32) -> Score {
    file.times(quality * total / file.total().max(f32::MIN_POSITIVE))
}

/// What a file of a kind keeps of its score: secondary files give way, unless they are what is asked for.
pub(crate) fn of_class(class: FileClass, wants: Wants) -> f32 {
    match class {
        FileClass::Source if wants.tests_first => NO_TEST,
        FileClass::Source => 1.0,
        FileClass::Test if wants.tests => 1.0,
        FileClass::Example if wants.examples => 1.0,
        FileClass::Document if wants.documents => 1.0,
        FileClass::Test | FileClass::Example => 0.7,
        FileClass::Foreign => 0.5,
        FileClass::Document => 0.3,
    }
}

/// The total of a further place of a file, by how well it fits and how many of the file came before; never above the last.
pub(crate) fn next_place(file: f32, fit: f32, turn: usize, last: f32) -> f32 {
    (file * SAME_FILE.powi(turn as i32) * fit).min(last)
}

/// The total of what repeats an earlier result.
pub(crate) fn copy(total: f32) -> f32 {
    total * COPY
}

/// How much the best of a search is worth at all: a search whose words are nowhere has a best result too. `covered` is
/// the part of the query's words that the best files have, `nearest` their highest cosine, and `named` whether one of
/// them defines what the query names.
pub(crate) fn quality(covered: f32, nearest: f32, named: bool) -> f32 {
    let best = if named { 1.0 } else { covered.max((nearest / CLEARLY_NEAR).min(1.0)) };
    LEAST_QUALITY + (1.0 - LEAST_QUALITY) * best
}

/// Whether a definition is what was asked for, beyond doubt.
pub(crate) fn is_clearly_meant(sure: bool, fit: f32) -> bool {
    sure && fit > CLEARLY_MEANT
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secondary_files_give_way_unless_they_are_asked_for() {
        let all = Wants { tests: true, tests_first: false, examples: true, documents: true };
        for (class, factor, asked) in [
            (FileClass::Source, 1.0, 1.0),
            (FileClass::Test, 0.7, 1.0),
            (FileClass::Example, 0.7, 1.0),
            (FileClass::Document, 0.3, 1.0),
            (FileClass::Foreign, 0.5, 0.5),
        ] {
            assert_eq!((of_class(class, Wants::default()), of_class(class, all)), (factor, asked), "{class:?}");
        }
        let tests = Wants { tests_first: true, ..all };
        assert_eq!((of_class(FileClass::Test, tests), of_class(FileClass::Source, tests)), (1.0, 0.6));
    }

    #[test]
    fn a_search_is_worth_what_it_found() {
        assert_eq!(quality(0.0, 0.0, false), 0.25);
        assert_eq!(quality(1.0, 0.0, false), 1.0);
        assert_eq!(quality(0.0, 0.3, false), 0.625);
        assert_eq!(quality(0.0, 0.9, false), 1.0, "nearer than near is near");
        assert_eq!(quality(0.0, 0.0, true), 1.0);
    }

    #[test]
    fn further_places_and_copies_give_way() {
        assert_eq!(next_place(1.0, 0.8, 1, 1.0), 0.55 * 0.8);
        assert_eq!(next_place(1.0, 1.0, 1, 0.3), 0.3, "never above the place before");
        assert_eq!(copy(0.6), 0.3);
    }
}
