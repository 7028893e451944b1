//! Vectors of small integers, and the scan over many of them.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::simd;

/// An embedding. All vectors of a model have nearly the same length, so their integer dot product ranks like the cosine;
/// with the scales it is the cosine: `dot(a, b) as f32 * a.scale * b.scale`.
#[derive(Clone, Debug, PartialEq)]
pub struct Vector {
    /// The direction.
    pub values: Vec<i8>,
    /// What makes the length 1.
    pub scale: f32,
}

/// A unit vector's components times this are the integers. It is the same for all vectors, so that their lengths are, and
/// as large as it can be: beyond 127 / STEPS a component is cut off, which befalls about one chunk in two hundred.
const STEPS: f64 = 320.0;

impl Vector {
    /// Rounds a direction of any length; none if it has no direction.
    pub fn from_floats(direction: &[f32]) -> Option<Vector> {
        // One after the other: a sum in lanes would depend on their number.
        let squares: f64 = direction.iter().map(|&value| f64::from(value) * f64::from(value)).sum();
        if !squares.is_normal() {
            return None;
        }
        let factor = (STEPS / squares.sqrt()) as f32;
        let values: Vec<i8> = direction
            .iter()
            .map(|&value| {
                let scaled = (value * factor).clamp(-127.0, 127.0);
                (scaled + 0.5_f32.copysign(scaled)) as i8
            })
            .collect();
        let length = f64::from(dot(&values, &values)).sqrt();
        (length > 0.0).then(|| Vector { values, scale: (1.0 / length) as f32 })
    }

    /// Returns the cosine of the angle between two vectors.
    pub fn cosine(&self, other: &Vector) -> f32 {
        dot(&self.values, &other.values) as f32 * self.scale * other.scale
    }
}

/// Returns the dot product; of the common part if the lengths differ.
pub fn dot(a: &[i8], b: &[i8]) -> i32 {
    simd::dot(a, b)
}

/// Puts down the dot product of a vector with each of the rows, which lie one behind the other; as many as `out` has room
/// for.
pub fn dots(vector: &[i8], rows: &[i8], out: &mut [i32]) {
    simd::dots(vector, rows, out);
}

/// A row that a scan found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hit {
    /// The row.
    pub row: usize,
    /// Its dot product with the query.
    pub score: i32,
}

/// Returns the `limit` rows nearest to the query among those that `keep` wants, the best first and of equals the first.
/// `rows` are vectors of `dims` values one behind the other.
pub fn scan(query: &[i8], rows: &[i8], dims: usize, limit: usize, mut keep: impl FnMut(usize) -> bool) -> Vec<Hit> {
    if dims == 0 || limit == 0 {
        return Vec::new();
    }
    // The worst of the best lies on top: the lowest score, of equals the last row.
    let mut best: BinaryHeap<(Reverse<i32>, usize)> = BinaryHeap::new();
    for (row, values) in rows.chunks_exact(dims).enumerate() {
        if !keep(row) {
            continue;
        }
        let score = dot(query, values);
        if best.len() < limit {
            best.push((Reverse(score), row));
        } else if let Some(mut worst) = best.peek_mut()
            && score > worst.0.0
        {
            *worst = (Reverse(score), row);
        }
    }
    best.into_sorted_vec().into_iter().map(|(Reverse(score), row)| Hit { row, score }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dot_product_of_extremes_does_not_overflow() {
        let lowest = vec![-128; 4096];
        assert_eq!(dot(&lowest, &lowest), 4096 * 128 * 128);
        assert_eq!(dot(&[1, -2, 3], &[4, 5, -6]), 4 - 10 - 18);
        assert_eq!(dot(&[], &[]), 0);
    }

    #[test]
    fn a_scan_returns_the_best_rows_in_order_and_of_equals_the_first() {
        let rows = [1, 0, 3, 0, 2, 0, 3, 0, -1, 0, 2, 0];
        let hits = |limit, keep: fn(usize) -> bool| -> Vec<(usize, i32)> {
            scan(&[1, 1], &rows, 2, limit, keep).into_iter().map(|hit| (hit.row, hit.score)).collect()
        };
        assert_eq!(hits(3, |_| true), [(1, 3), (3, 3), (2, 2)]);
        assert_eq!(hits(2, |row| row != 1), [(3, 3), (2, 2)]);
        assert_eq!(hits(9, |_| true), [(1, 3), (3, 3), (2, 2), (5, 2), (0, 1), (4, -1)]);
        assert_eq!(hits(0, |_| true), []);
        assert_eq!(hits(5, |_| false), []);
    }

    #[test]
    fn rounding_keeps_the_direction() {
        let wave: Vec<f32> = (0..256).map(|at| (at as f32).sin()).collect();
        let vector = Vector::from_floats(&wave).unwrap();
        assert!((vector.cosine(&vector) - 1.0).abs() < 1e-6);
        let larger: Vec<f32> = wave.iter().map(|value| value * 1000.0).collect();
        assert_eq!(Vector::from_floats(&larger).unwrap(), vector);
        assert_eq!(Vector::from_floats(&[0.0; 8]), None);
        assert_eq!(Vector::from_floats(&[f32::NAN; 8]), None);
        assert_eq!(Vector::from_floats(&[f32::INFINITY, 1.0]), None);
    }
}
