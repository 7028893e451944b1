//! Tables for people: columns as wide as their widest cell, the last one as it is.

use crate::output;

/// A cell that is wider moves the rest of its own row only.
const WIDEST: usize = 60;

/// Lays rows out under their headings, a line each.
pub(super) fn lay_out(headings: &[&str], rows: &[Vec<String>]) -> Vec<String> {
    let headings: Vec<String> = headings.iter().map(|heading| (*heading).to_owned()).collect();
    let rows: Vec<Vec<String>> = std::iter::once(&headings)
        .chain(rows)
        // As they are shown, so that they are measured right.
        .map(|row| row.iter().map(|cell| output::shown(&output::one_line(cell)).into_owned()).collect())
        .collect();
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count());
        cells.filter(|width| *width <= WIDEST).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..headings.len()).map(width).collect();
    // Not `{cell:width$}`, which panics where a width does not fit in sixteen bits.
    let padded =
        |(cell, width): (&String, &usize)| cell.clone() + &" ".repeat(width.saturating_sub(cell.chars().count()));
    let line = |row: &Vec<String>| row.iter().zip(&widths).map(padded).collect::<Vec<_>>().join("  ");
    rows.iter().map(|row| line(row).trim_end().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_whatever_the_letters() {
        let row = |cells: [&str; 3]| cells.map(str::to_owned).to_vec();
        let lines = lay_out(&["ID", "WHO", "TITLE"], &[row(["abc123", "Größe", "x"]), row(["d", "", "long title"])]);
        assert_eq!(lines, ["ID      WHO    TITLE", "abc123  Größe  x", "d              long title"]);
    }
    #[test]
    fn a_very_long_cell_moves_its_own_row_only() {
        let long = "x".repeat(70_000);
        let row = |cells: [&str; 2]| cells.map(str::to_owned).to_vec();
        let lines = lay_out(&["WHO", "TITLE"], &[row([&long, &long]), row(["dana", "a\nb"])]);
        assert_eq!(lines[0], "WHO   TITLE");
        assert_eq!(lines[1], format!("{long}  {long}"));
        assert_eq!(lines[2], "dana  a␊b");
    }
}
