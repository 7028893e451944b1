//! Why a result ranks where it does: the search is run again, and one result is taken out.

use cruxe_index::View;

use super::{Question, SearchAnswer, SearchHit, search};
use crate::error::QueryError;

/// Runs the search again and takes out the result at a place.
pub fn explain(
    view: &View,
    question: &Question,
    path: &str,
    line: u32,
) -> Result<(SearchHit, SearchAnswer), QueryError> {
    let answer = search(view, question)?;
    let at = |found: &&SearchHit| found.file.path.as_str() == path && found.lines.0 == line;
    match answer.found.iter().find(at).cloned() {
        Some(found) => Ok((found, answer)),
        None => {
            let in_file = answer.found.iter().filter(|found| found.file.path.as_str() == path).take(5);
            Err(QueryError::NoSuchResult {
                path: path.to_owned(),
                line,
                results: answer.found.len(),
                in_file: in_file.map(|found| found.lines.0).collect(),
            })
        }
    }
}
