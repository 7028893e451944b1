//! Tables for people: columns as wide as their widest cell, the last one as it is.

/// Lays rows out under their headings.
pub(super) fn lay_out(headings: &[&str], rows: &[Vec<String>]) -> Vec<String> {
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count());
        cells.chain(headings.get(column).map(|heading| heading.len())).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..headings.len()).map(width).collect();
    let line = |cells: &[&str]| {
        let padded: Vec<String> = cells.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}")).collect();
        padded.join("  ").trim_end().to_owned()
    };
    let body = rows.iter().map(|row| line(&row.iter().map(String::as_str).collect::<Vec<_>>()));
    std::iter::once(line(headings)).chain(body).collect()
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
}
