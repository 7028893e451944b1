//! Vectors of small integers, and the scan over many of them.

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

/// A unit vector's components times this are the values of a row. Sixteen values are enough for the text to be found: 256
/// components have a deviation of 1/16 each, and a third of that is the best width of a step for them.
const ROW_STEPS: f32 = 48.0;
/// What stands for 0 in a row.
const ROW_ZERO: f32 = 8.0;

/// Returns the bytes of a row.
pub fn row_bytes(dims: usize) -> usize {
    dims.div_ceil(2)
}

/// Appends a vector as a row of four bits a value, which is how many vectors are kept; no vector is as far from
/// everything as can be. A byte holds a value of the first half and one of the second.
pub fn push_row(vector: Option<&Vector>, dims: usize, rows: &mut Vec<u8>) {
    let half = row_bytes(dims);
    let Some(vector) = vector else {
        let zero = ROW_ZERO as u8;
        return rows.extend(std::iter::repeat_n(zero | zero << 4, half));
    };
    let value = |value: &i8| {
        let scaled = f32::from(*value) * vector.scale * ROW_STEPS;
        (scaled.clamp(-ROW_ZERO, ROW_ZERO - 1.0) + ROW_ZERO + 0.5) as u8
    };
    let (first, second) = vector.values.split_at(half.min(vector.values.len()));
    let start = rows.len();
    rows.extend(first.iter().map(|first| value(first) | (ROW_ZERO as u8) << 4));
    rows.resize(start + half, ROW_ZERO as u8 | (ROW_ZERO as u8) << 4);
    for (row, second) in rows[start..].iter_mut().zip(second) {
        *row = *row & 15 | value(second) << 4;
    }
}

/// A query, laid out for the comparison with many rows.
pub struct Probe {
    first: Vec<i8>,
    second: Vec<i8>,
    /// The product with a row of zeros.
    zero: i32,
    scale: f32,
}

impl Probe {
    /// Prepares a query.
    pub fn new(query: &Vector) -> Probe {
        let half = row_bytes(query.values.len());
        let (first, second) = query.values.split_at(half);
        let mut second = second.to_vec();
        second.resize(half, 0);
        let sum: i32 = query.values.iter().map(|value| i32::from(*value)).sum();
        Probe { first: first.to_vec(), second, zero: sum * ROW_ZERO as i32, scale: query.scale / ROW_STEPS }
    }

    /// Returns the bytes of a row that it can be compared with.
    pub fn row_bytes(&self) -> usize {
        self.first.len()
    }

    /// Puts down the cosine with each of the rows, which lie one behind the other; as many as `out` has room for. Rounding
    /// may lead it a little beyond 1.
    pub fn cosines(&self, rows: &[u8], out: &mut [f32]) {
        simd::products(&self.first, &self.second, rows, out, |product| (product - self.zero) as f32 * self.scale);
    }
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

    fn wave(seed: f32, dims: usize) -> Vector {
        let values: Vec<f32> = (0..dims).map(|at| (at as f32 * seed).sin() + (at as f32 * seed * 0.3).cos()).collect();
        Vector::from_floats(&values).unwrap()
    }

    #[test]
    fn the_cosine_with_a_row_is_nearly_the_cosine() {
        for dims in [2, 7, 64, 256, 384, 1000] {
            let query = wave(0.7, dims);
            let others: Vec<Vector> = (1..40).map(|seed| wave(seed as f32 * 0.11, dims)).collect();
            let mut rows = Vec::new();
            for other in &others {
                push_row(Some(other), dims, &mut rows);
            }
            push_row(None, dims, &mut rows);
            let probe = Probe::new(&query);
            assert_eq!((rows.len(), probe.row_bytes()), (40 * row_bytes(dims), row_bytes(dims)));
            let mut cosines = vec![-9.0; 41];
            probe.cosines(&rows, &mut cosines);
            assert_eq!(cosines[39..], [0.0, -9.0], "no vector, and a row that is not there");
            // Steps are made for hundreds of values: where there are few, each is large and cut off.
            for (other, cosine) in others.iter().zip(&cosines).filter(|_| dims >= 256) {
                assert!((query.cosine(other) - cosine).abs() < 0.02, "{dims}: {} {cosine}", query.cosine(other));
            }
        }
    }

    #[test]
    fn a_row_holds_two_values_in_a_byte_and_keeps_the_extremes() {
        let vector = Vector { values: vec![127, -127, 0, 1, 3], scale: 1.0 / 127.0 };
        let mut rows = vec![7];
        push_row(Some(&vector), 5, &mut rows);
        assert_eq!(rows, [7, 0x8f, 0x90, 0x88], "15 0 8 | 8 9 and nothing");
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
