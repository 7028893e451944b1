//! Documents, cards and code side by side: what a file says, by words and by meaning in the share that is asked for.
//!
//! The weights differ from those of code: nobody who looks for a document means a definition, and its kind of file is no
//! reason to hold it back.

use super::part;

/// What a file's words count for: its text, its headings or definitions, its name, its folders.
const WEIGHTS: [f32; 4] = [1.0, 0.8, 1.0, 0.2];
/// What a file keeps that has none of the words in its text.
const UNCOVERED: f32 = 0.4;
/// A file without any word of the query must be this near in meaning, where words count too.
const NEAR: f32 = 0.3;
/// The same where only meaning counts.
const NEAR_ALONE: f32 = 0.15;

/// Returns what a file's words count for: the scores of its text, names, own name and folders, each with the best of the
/// question, and which part of the query's words the text has.
pub(crate) fn words(scores: [f32; 4], best: [f32; 4], coverage: f32) -> f32 {
    let sum: f32 =
        scores.iter().zip(best).zip(WEIGHTS).map(|((score, best), weight)| weight * part(*score, best)).sum();
    sum * (UNCOVERED + (1.0 - UNCOVERED) * coverage)
}

/// Whether a file has anything to do with the query.
pub(crate) fn is_candidate(words: f32, meaning: f32, share: f32) -> bool {
    let by_words = share < 1.0 && words > 0.0;
    let by_meaning = share > 0.0 && meaning >= if share < 1.0 { NEAR } else { NEAR_ALONE };
    by_words || by_meaning
}

/// Returns words and meaning, each 0 to 1, in the share of meaning that is asked for.
pub(crate) fn mix(words: f32, meaning: f32, share: f32) -> f32 {
    (1.0 - share) * words + share * meaning
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_count_by_where_they_stand_and_less_outside_the_text() {
        assert_eq!(words([2.0, 0.0, 0.0, 0.0], [2.0; 4], 1.0), 1.0);
        assert_eq!(words([0.0, 0.0, 2.0, 0.0], [2.0; 4], 0.0), 0.4);
        assert_eq!(words([1.0, 1.0, 1.0, 1.0], [0.0; 4], 1.0), 0.0, "nothing has a word");
    }

    #[test]
    fn meaning_alone_asks_for_less_nearness_than_meaning_beside_words() {
        assert!(is_candidate(0.1, 0.0, 0.0) && !is_candidate(0.0, 1.0, 0.0), "words alone");
        assert!(is_candidate(0.0, 0.3, 0.5) && !is_candidate(0.0, 0.29, 0.5), "both");
        assert!(is_candidate(0.0, 0.15, 1.0) && !is_candidate(1.0, 0.14, 1.0), "meaning alone");
        assert_eq!(mix(1.0, 0.5, 0.5), 0.75);
    }
}
