//! Matrix products over slices.

/// A matrix in a slice: where it begins and how far rows and columns are apart.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    pub values: &'a [f32],
    pub rows: usize,
    pub columns: usize,
    pub row_step: usize,
    pub column_step: usize,
}

impl<'a> View<'a> {
    /// Rows that are `row_step` apart.
    pub fn of(values: &'a [f32], rows: usize, columns: usize, row_step: usize) -> View<'a> {
        View { values, rows, columns, row_step, column_step: 1 }
    }

    /// The same matrix, its rows as columns.
    pub fn transposed(self) -> View<'a> {
        View { rows: self.columns, columns: self.rows, row_step: self.column_step, column_step: self.row_step, ..self }
    }
}

/// One more than the place of the last element.
fn reach(rows: usize, columns: usize, row_step: usize, column_step: usize) -> usize {
    if rows == 0 || columns == 0 { 0 } else { (rows - 1) * row_step + (columns - 1) * column_step + 1 }
}

/// `out = factor · a · b + keep · out`, the rows of `out` being `out_step` apart.
pub(super) fn multiply(factor: f32, a: View, b: View, keep: f32, out: &mut [f32], out_step: usize) {
    assert_eq!(a.columns, b.rows, "matrices that do not fit");
    for view in [a, b] {
        assert!(view.values.len() >= reach(view.rows, view.columns, view.row_step, view.column_step));
    }
    assert!(out.len() >= reach(a.rows, b.columns, out_step, 1) && (out_step >= b.columns || a.rows <= 1));
    // Measured: three quarters of an embedding's time are spent in here, and the crate that does it well takes pointers.
    // SAFETY: every element that the sizes and steps name lies in its slice, and no two of `out` are the same: asserted
    // above. `out` is borrowed alone.
    #[allow(unsafe_code)]
    unsafe {
        matrixmultiply::sgemm(
            a.rows,
            a.columns,
            b.columns,
            factor,
            a.values.as_ptr(),
            a.row_step as isize,
            a.column_step as isize,
            b.values.as_ptr(),
            b.row_step as isize,
            b.column_step as isize,
            keep,
            out.as_mut_ptr(),
            out_step as isize,
            1,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_product_with_steps_and_a_transposed_side_is_right() {
        let a = [1.0, 2.0, 9.0, 3.0, 4.0, 9.0]; // [[1, 2], [3, 4]] in rows of three
        let b = [5.0, 6.0, 7.0, 8.0, 1.0, 2.0]; // [[5, 6], [7, 8], [1, 2]]
        let mut out = [1.0; 6];
        multiply(2.0, View::of(&a, 2, 2, 3), View::of(&b, 3, 2, 2).transposed(), 1.0, &mut out, 3);
        assert_eq!(out, [35.0, 47.0, 11.0, 79.0, 107.0, 23.0]);
    }
}
