//! Results whose text was looked at: a phrase or message that stands there, and what a second model says.

use super::{Score, Weights};

/// Chunks whose text is compared with a phrase or message.
pub(crate) const MAX_CHUNKS: usize = 48;
/// The part of a message that a string has to be for the string to be what was pasted.
pub(crate) const PASTED: f32 = 0.7;
/// Chunks that are compared with a query that may be a message.
pub(crate) const FEW_CHUNKS: usize = 16;
/// The part of a message that such a chunk must have, by the weight of its words.
pub(crate) const COVERED: f32 = 0.3;
/// A run of fewer words is chance.
pub(crate) const MIN_RUN: usize = 2;
/// What the text itself weighs against the rank of its file.
pub(crate) const VERIFIED: f32 = 0.7;
/// What each further frame of a trace loses: the innermost of the project is first.
const FRAME: f32 = 0.02;
/// Frames beyond this lose no more.
const MAX_FRAMES: usize = 20;

/// Results that the second model looks at.
pub(crate) const LOOKED_AT: usize = 20;
/// What the second model may add, as a part of the best possible score.
const SECOND_LOOK: f32 = 0.15;

/// Returns how much of what was asked for a place has that the query names as its frame of this number.
pub(crate) fn frame_strength(frame: usize) -> f32 {
    1.0 - FRAME * frame.min(MAX_FRAMES) as f32
}

/// Returns the score of a line that has so much of what was asked for, in a file with this score.
pub(crate) fn verified(file: &Score, quality: f32, strength: f32, weights: &Weights) -> Score {
    let mut score = file.times(quality * (1.0 - VERIFIED));
    score.text += weights.sum() * VERIFIED * strength;
    score
}

/// Returns the score of what was verified, raised to one that it must not be below.
pub(crate) fn at_least(score: &Score, least: f32) -> Score {
    let mut raised = *score;
    raised.text += (least - score.total()).max(0.0);
    raised
}

/// Returns a score after the second look, and what the look added.
pub(crate) fn second_look(score: &Score, near: f32, nearest: f32, weights: &Weights) -> (Score, f32) {
    let added = weights.sum() * SECOND_LOOK * near / nearest;
    let mut score = score.times(1.0 - SECOND_LOOK);
    score.text += added;
    score.semantic += added;
    (score, added)
}

/// Returns the score of a result that got no second look: it stays behind the last that did.
pub(crate) fn not_looked_at(score: &Score, last: f32) -> Score {
    score.times((last / score.total().max(f32::MIN_POSITIVE)).min(1.0 - SECOND_LOOK))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Intent;

    const FILE: Score = Score {
        text: 0.2,
        semantic: 0.1,
        exact_match: 0.02,
        qualified_name: 0.0,
        path_affinity: 0.0,
        definition: 0.0,
        kind_match: 0.0,
    };

    #[test]
    fn a_line_that_has_the_text_stands_above_any_file_without_it() {
        let weights = Weights::of(Intent::Error, None);
        let nothing_else = verified(&Score::default(), 1.0, 1.0, &weights);
        assert!((nothing_else.total() - 0.7 * weights.sum()).abs() < 1e-6);
        assert!(verified(&FILE, 1.0, 0.0, &weights).total() < nothing_else.total());
        assert_eq!([frame_strength(0), frame_strength(20), frame_strength(90)], [1.0, 0.6, 0.6]);
    }

    #[test]
    fn the_second_look_moves_its_share_and_no_more() {
        let weights = Weights::of(Intent::NaturalLanguage, None);
        let (seen, added) = second_look(&FILE, 0.5, 0.5, &weights);
        assert!((added - 0.15 * weights.sum()).abs() < 1e-6);
        assert!((seen.total() - (0.85 * FILE.total() + added)).abs() < 1e-6);
        assert!(not_looked_at(&FILE, 0.1).total() <= 0.1 + 1e-6);
        assert!((not_looked_at(&FILE, 1.0).total() - 0.85 * FILE.total()).abs() < 1e-6);
    }
}
