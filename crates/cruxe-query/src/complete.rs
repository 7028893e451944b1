//! What somebody who has typed the beginning of something may mean.

use std::collections::BTreeSet;

use cruxe_index::View;
use cruxe_model::SymbolKind;
use cruxe_store::{NameMatch, SymbolHit};

use crate::error::QueryError;
use crate::name;

/// Completions, the likeliest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completions {
    /// The best ones.
    pub values: Vec<String>,
    /// How many there are, as far as was looked.
    pub total: usize,
}

impl Completions {
    /// The first so many of all.
    pub fn of(mut values: Vec<String>, limit: usize) -> Completions {
        let total = values.len();
        values.truncate(limit);
        Completions { values, total }
    }
}

/// Definitions that are looked at: a beginning of one letter has thousands.
const MAX_LOOKED_AT: usize = 600;

/// Qualified names of symbols whose plain name begins so; what stands before the last separator must fit as well.
pub fn symbols(view: &View, beginning: &str, limit: usize) -> Result<Completions, QueryError> {
    let Some(published) = &view.published else { return Ok(Completions::default()) };
    let wanted = name::parse(beginning);
    if wanted.plain.is_empty() {
        return Ok(Completions::default());
    }
    let mut hits = published.find_name(&wanted.plain, NameMatch::Exact)?;
    hits.extend(published.find_name(&wanted.plain, NameMatch::Prefix)?);
    hits.retain(|hit| !hit.local && !matches!(hit.kind, SymbolKind::Use | SymbolKind::Impl | SymbolKind::Heading));
    hits.sort_by_key(|hit: &SymbolHit| (hit.test, !hit.public));
    let mut names: BTreeSet<(bool, usize, String)> = BTreeSet::new();
    for hit in hits.iter().take(MAX_LOOKED_AT) {
        view.work.check()?;
        let table = published.symbol_table(hit.version)?;
        let Some(symbol) = table.symbols.get(hit.position as usize) else { continue };
        let fits = wanted.qualifiers.is_empty() || name::qualifier_fit(&wanted, &symbol.qualified_name) > 0.0;
        if fits {
            names.insert((hit.test, symbol.name.len(), symbol.qualified_name.clone()));
        }
    }
    Ok(Completions::of(names.into_iter().map(|(_, _, name)| name).collect(), limit))
}

/// Paths of files that begin so; where there is none, those that have it somewhere, whatever the case.
pub fn paths(view: &View, beginning: &str, limit: usize) -> Result<Completions, QueryError> {
    let Some(published) = &view.published else { return Ok(Completions::default()) };
    let paths = published.files()?.into_iter().map(|file| file.path.as_str().to_owned()).collect();
    Ok(Completions::of(matching(paths, beginning), limit))
}

/// Those of some words that begin so, else those that contain it whatever the case; in alphabetical order.
pub fn matching(mut words: Vec<String>, beginning: &str) -> Vec<String> {
    words.sort();
    words.dedup();
    if words.iter().any(|word| word.starts_with(beginning)) {
        words.retain(|word| word.starts_with(beginning));
    } else {
        let wanted = beginning.to_lowercase();
        words.retain(|word| word.to_lowercase().contains(&wanted));
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_beginning_counts_before_a_part_and_case_matters_last() {
        let words = || ["src/b.rs", "src/a.rs", "docs/Src.md", "a.rs", "a.rs"].map(str::to_owned).to_vec();
        assert_eq!(matching(words(), "src/"), ["src/a.rs", "src/b.rs"]);
        assert_eq!(matching(words(), "SRC"), ["docs/Src.md", "src/a.rs", "src/b.rs"]);
        assert_eq!(matching(words(), ""), ["a.rs", "docs/Src.md", "src/a.rs", "src/b.rs"]);
        assert_eq!(matching(words(), "nope"), Vec::<String>::new());
    }
}
