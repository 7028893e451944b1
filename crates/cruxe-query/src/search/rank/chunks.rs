//! What the chunks of a file count for: for the file, and against each other.

use super::Weights;

/// Chunks of a file that count, and how much each: what is said in several places counts more than what is said once.
const TOP_CHUNKS: [f32; 3] = [1.0, 0.5, 0.25];
/// A chunk without any word of the query must be this near in meaning to be a candidate.
const NEAR: f32 = 0.3;
/// What lines that belong to no symbol keep: a reader wants something with a name.
pub(crate) const NO_SYMBOL: f32 = 0.8;
/// A member stands for a small container when it has so many tenths of the query's words that the container has.
const MEMBER_TENTHS: usize = 7;

/// Returns the weighted sum of the highest scores.
pub(crate) fn top_sum(scores: &[f32]) -> f32 {
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

/// Whether a chunk has anything to do with the query.
pub(crate) fn is_candidate(words: f32, meaning: f32) -> bool {
    words > 0.0 || meaning >= NEAR
}

/// Returns how well a chunk fits among those of its file, 0 to 1; each figure comes with the file's highest.
pub(crate) fn fit(weights: &Weights, (words, most): (f32, f32), (meaning, nearest): (f32, f32)) -> f32 {
    let by_words = weights.chunks + weights.file;
    let whole = (by_words + weights.semantic).max(f32::MIN_POSITIVE);
    (by_words * words / most + weights.semantic * meaning / nearest) / whole
}

/// Whether a member with so many of the query's words is what a small container is about.
pub(crate) fn stands_for_all(words: usize, of_container: usize) -> bool {
    words > 0 && words * 10 >= of_container * MEMBER_TENTHS
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Intent;

    #[test]
    fn the_best_three_chunks_count_and_no_more() {
        assert_eq!(top_sum(&[]), 0.0);
        assert_eq!(top_sum(&[2.0]), 2.0);
        assert_eq!(top_sum(&[1.0, 4.0, 2.0]), 5.25);
        assert_eq!(top_sum(&[1.0, 4.0, 2.0, 1.0, 0.5]), 5.25);
    }

    #[test]
    fn a_chunk_without_words_must_be_near() {
        assert!(is_candidate(0.1, 0.0) && is_candidate(0.0, 0.3));
        assert!(!is_candidate(0.0, 0.29));
    }

    #[test]
    fn words_and_meaning_share_the_fit_by_their_weights() {
        let weights = Weights::of(Intent::NaturalLanguage, Some(0.25));
        assert_eq!(fit(&weights, (3.0, 3.0), (0.5, 0.5)), 1.0);
        assert!((fit(&weights, (3.0, 3.0), (0.0, 0.5)) - 0.75).abs() < 1e-6);
        assert!((fit(&weights, (0.0, 3.0), (0.5, 0.5)) - 0.25).abs() < 1e-6);
    }

    #[test]
    fn a_member_with_seven_of_ten_words_stands_for_its_container() {
        assert!(stands_for_all(7, 10) && !stands_for_all(6, 10) && !stands_for_all(0, 0));
    }
}
