//! Paths as queries: `src/auth/jwt.rs`, `jwt.rs:87`, `handlers/`.

use cruxe_model::facts::SymbolIndex;
use cruxe_store::FileNumber;
use memchr::memmem::Finder;

use super::intent::split_line;
use super::rank::paths::{self, PathFit};
use super::rank::{Score, factors};
use super::reasons::Reasons;
use super::{Remarks, Search, SearchAnswer, SearchHit, Target};
use crate::error::QueryError;

impl Search<'_> {
    /// The files whose path fits the query.
    pub fn by_path(&self, remarks: Remarks) -> Result<SearchAnswer, QueryError> {
        let (path, line) = split_line(self.query.text.trim());
        let wanted = path.trim_start_matches("./").trim_start_matches('/').to_lowercase();
        let wanted = WantedPath::new(&wanted);
        let fit = |file: FileNumber| {
            let path = wanted.fit(&self.stats.lower_paths[file as usize])?;
            let class = factors::of_class(self.stats.classes[file as usize], self.query.wants);
            let folders = self.file(file).path.as_str().matches('/').count();
            Some((file, paths::fit(path, class, folders), path))
        };
        let mut fitting: Vec<(FileNumber, f32, PathFit)> = (0..self.corpus.files().len() as FileNumber)
            .filter(|file| self.wanted[*file as usize])
            .filter_map(fit)
            .collect();
        fitting.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let mut total = fitting.len();
        let mut found = Vec::new();
        for (file, fit, path) in fitting {
            if found.len() == self.question.limit {
                break;
            }
            let row = self.file(file);
            let table = self.snapshot.symbol_table(row.id)?;
            let symbol = line.and_then(|line| innermost_at(&table, line));
            if !self.question.filter.has_symbol(row, symbol.and_then(|at| table.symbols.get(at.0 as usize))) {
                total -= 1;
                continue;
            }
            let (target, lines) = match symbol {
                Some(at) => (Target::Symbol(at), table.lines(at)),
                None => (Target::File, (1, row.lines.max(1))),
            };
            let score = Score { path_affinity: paths::BEST * fit, ..Score::default() };
            let row = row.clone();
            let confidence = f64::from(fit.clamp(0.0, 1.0));
            found.push(SearchHit {
                file: row,
                table,
                target,
                lines,
                line: None,
                score,
                confidence,
                bm25: 0.0,
                reasons: Reasons::of_path(path),
                features: None,
            });
        }
        let (intent, truncated) = (self.query.intent, total > found.len());
        Ok(SearchAnswer { intent, found, total, truncated, standing: self.view.standing.clone(), remarks, best: None })
    }

    /// The file that a path from elsewhere names: the one that has most of its end.
    pub fn file_by_suffix(&self, path: &str) -> Option<FileNumber> {
        let wanted: Vec<&str> = path.split('/').filter(|part| !part.is_empty() && *part != ".").rev().collect();
        let name = wanted.first()?;
        let common = |file: FileNumber| {
            let have = self.file(file).path.as_str().rsplit('/');
            have.zip(&wanted).take_while(|(a, b)| a == *b).count()
        };
        (0..self.corpus.files().len() as FileNumber)
            .filter(|file| self.wanted[*file as usize] && self.file(*file).path.as_str().ends_with(name))
            .map(|file| (common(file), file))
            .filter(|(common, _)| *common > 0)
            .max_by(|a, b| a.0.cmp(&b.0).then(b.1.cmp(&a.1)))
            .map(|(_, file)| file)
    }
}

/// The innermost symbol around a line.
pub(super) fn innermost_at(table: &cruxe_store::SymbolTable, line: u32) -> Option<SymbolIndex> {
    let around = |at: &SymbolIndex| {
        let (first, last) = table.lines(*at);
        (first..=last).contains(&line) && table.symbols[at.0 as usize].kind != cruxe_model::SymbolKind::Use
    };
    (0..table.symbols.len() as u32).map(SymbolIndex).rfind(around)
}

/// A path that is asked for, in lower case.
struct WantedPath<'q> {
    whole: &'q str,
    /// Without the slash at its end.
    folder: &'q str,
    folder_finder: Finder<'q>,
    /// Its parts.
    parts: Vec<Finder<'q>>,
}

impl<'q> WantedPath<'q> {
    fn new(whole: &'q str) -> WantedPath<'q> {
        let folder = whole.trim_end_matches('/');
        let parts = whole.split('/').filter(|part| !part.is_empty()).map(Finder::new).collect();
        WantedPath { whole, folder, folder_finder: Finder::new(folder), parts }
    }

    /// In what way a path fits.
    fn fit(&self, path: &str) -> Option<PathFit> {
        if self.whole.is_empty() {
            return None;
        }
        if self.folder_finder.find(path.as_bytes()).is_some() {
            return Some(self.fit_as_a_whole(path));
        }
        let mut rest = path.as_bytes();
        let in_order = self.parts.iter().all(|part| match part.find(rest) {
            Some(at) => {
                rest = &rest[at + part.needle().len()..];
                true
            }
            None => false,
        });
        (in_order && self.parts.len() > 1).then_some(PathFit::PartsInOrder)
    }

    /// The same for a path that has the query in it somewhere.
    fn fit_as_a_whole(&self, path: &str) -> PathFit {
        let WantedPath { whole, folder, .. } = *self;
        if path == whole {
            return PathFit::Same;
        }
        if !whole.ends_with('/') && path.strip_suffix(whole).is_some_and(|before| before.ends_with('/')) {
            return PathFit::End;
        }
        let below = |rest: &str| rest.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
        if below(path) {
            return PathFit::BelowFolder;
        }
        if path.match_indices('/').any(|(at, _)| below(&path[at + 1..])) {
            return PathFit::BelowFolderOfThatName;
        }
        PathFit::Inside
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_fits_as_a_whole_at_its_end_or_as_a_folder() {
        use PathFit::*;
        let fits = |path, wanted| WantedPath::new(wanted).fit(path);
        assert_eq!(fits("src/auth/jwt.rs", "src/auth/jwt.rs"), Some(Same));
        assert_eq!(fits("src/auth/jwt.rs", "auth/jwt.rs"), Some(End));
        assert_eq!(fits("src/auth/jwt.rs", "wt.rs"), Some(Inside));
        assert_eq!(fits("src/handlers/login.rs", "src/handlers/"), Some(BelowFolder));
        assert_eq!(fits("src/handlers/login.rs", "handlers/"), Some(BelowFolderOfThatName));
        assert_eq!(fits("src/auth/jwt.rs", "src/jwt.rs"), Some(PartsInOrder));
        assert_eq!(fits("src/auth/jwt.rs", "jwt.py"), None);
        assert_eq!(fits("src/auth/jwt.rs", "jwt.rs/"), Some(Inside));
        assert_eq!(fits("src/auth/jwt.rs", "jwt.rs/auth"), None);
        assert_eq!(fits("src/auth/jwt.rs", ""), None);
    }
}
