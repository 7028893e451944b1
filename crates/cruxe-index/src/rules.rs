//! The ignore files of a project: `.gitignore`, git's `info/exclude`, and `.cruxeignore`, which counts before the others.
//!
//! A repository is not trusted: what stands in an ignore file's place is read only if it is a plain file of the
//! repository, and only so far. A link is no ignore file, as with git.

use std::sync::Arc;

use cruxe_files::{FileError, Root};
use cruxe_model::RepoPath;
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

/// Git's own.
pub(crate) const GIT_IGNORE_FILE: &str = ".gitignore";
/// Read beside git's, with the same syntax.
pub(crate) const IGNORE_FILE: &str = ".cruxeignore";
/// Git's rules that are not part of the repository, below its folder.
pub(crate) const EXCLUDE_FILE: &str = "info/exclude";
/// More of an ignore file is not read. Real ones have a few kilobytes.
const MAX_BYTES: u64 = 1 << 20;

/// The rules that hold in a folder: its own and those of the folders around it.
#[derive(Default)]
pub(crate) struct Rules {
    above: Option<Arc<Rules>>,
    /// Where they stand; empty for the root.
    folder: String,
    /// In the order in which kinds of rules count: `.cruxeignore`, `.gitignore`, `info/exclude`.
    by_kind: [Option<Gitignore>; 3],
}

impl Rules {
    /// The rules of a folder inside of one that has `above`.
    pub fn new(above: Option<Arc<Rules>>, folder: &str, own: &str, git: &str, exclude: &str) -> Arc<Rules> {
        let some = |text: &str| (!text.is_empty()).then(|| patterns(text));
        let by_kind = [some(own), some(git), some(exclude)];
        match above {
            Some(above) if by_kind.iter().all(Option::is_none) => above,
            above => Arc::new(Rules { above, folder: folder.to_owned(), by_kind }),
        }
    }

    /// Whether they hide something that lies directly in the folder or below it.
    pub fn ignore(&self, path: &str, is_folder: bool) -> bool {
        (0..self.by_kind.len()).find_map(|kind| self.verdict(kind, path, is_folder)).unwrap_or(false)
    }

    /// What one kind of rules says: the innermost that says anything.
    fn verdict(&self, kind: usize, path: &str, is_folder: bool) -> Option<bool> {
        let mut at = Some(self);
        while let Some(rules) = at {
            if let (Some(patterns), Some(path)) = (&rules.by_kind[kind], inside(&rules.folder, path)) {
                match patterns.matched(path, is_folder) {
                    Match::None => {}
                    found => return Some(found.is_ignore()),
                }
            }
            at = rules.above.as_deref();
        }
        None
    }
}

/// The rest of a path behind a folder.
fn inside<'p>(folder: &str, path: &'p str) -> Option<&'p str> {
    if folder.is_empty() { Some(path) } else { path.strip_prefix(folder)?.strip_prefix('/') }
}

fn patterns(text: &str) -> Gitignore {
    let mut builder = GitignoreBuilder::new("");
    for line in text.trim_start_matches('\u{feff}').lines() {
        // A line that is no pattern matches nothing; git does the same.
        let _ = builder.add_line(None, line);
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

/// The text of an ignore file; none where there is no such file, and what is wrong where something else is.
pub(crate) fn read(folder: &Root, name: &str) -> Result<String, FileError> {
    match folder.read(name, MAX_BYTES) {
        Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        Err(problem) if problem.is_absent() => Ok(String::new()),
        Err(problem) => Err(problem),
    }
}

/// A `.cruxeignore` of the project.
#[derive(Clone)]
pub(crate) struct OwnRules {
    /// Where it stands; empty for the root.
    folder: String,
    rules: Gitignore,
    /// Patterns that take back in what the built-in rules leave out.
    kept: Vec<String>,
}

impl OwnRules {
    pub fn none() -> OwnRules {
        OwnRules { folder: String::new(), rules: Gitignore::empty(), kept: Vec::new() }
    }

    pub fn from_text(folder: &str, text: &str) -> OwnRules {
        let kept = text.lines().filter_map(|line| line.trim().strip_prefix('!')).map(str::to_owned).collect();
        OwnRules { folder: folder.to_owned(), rules: patterns(text), kept }
    }

    pub fn keeps(&self, path: &str) -> bool {
        self.rules.matched_path_or_any_parents(path, false).is_whitelist()
    }

    /// Whether it hides a path of the project, which may lie outside its folder.
    pub fn ignores_below(&self, path: &RepoPath) -> bool {
        let inside = inside(&self.folder, path.as_str());
        inside.is_some_and(|path| self.rules.matched_path_or_any_parents(path, false).is_ignore())
    }

    /// Whether a pattern could take something below a folder of this name back in.
    pub fn may_keep(&self, folder: &str) -> bool {
        self.kept.iter().any(|pattern| pattern.split('/').any(|part| part == folder))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inner_rules_count_before_outer_ones_and_our_own_before_git_s() {
        let root = Rules::new(None, "", "", "*.log\nbuild/\n/only_here.rs\n", "private.rs\n");
        let inner = Rules::new(Some(Arc::clone(&root)), "src", "*.gen.rs\n!kept.gen.rs\n", "!wanted.log\n", "");
        for (rules, path, is_folder, expected) in [
            (&root, "a.log", false, true),
            (&root, "build", true, true),
            (&root, "build", false, false),
            (&root, "only_here.rs", false, true),
            (&root, "private.rs", false, true),
            (&inner, "src/only_here.rs", false, false),
            (&inner, "src/private.rs", false, true),
            (&inner, "src/a.log", false, true),
            (&inner, "src/wanted.log", false, false),
            (&inner, "src/a.gen.rs", false, true),
            (&inner, "src/kept.gen.rs", false, false),
            (&inner, "src/plain.rs", false, false),
        ] {
            assert_eq!(rules.ignore(path, is_folder), expected, "{path}");
        }
    }

    #[test]
    fn a_folder_without_rules_has_those_around_it() {
        let root = Rules::new(None, "", "", "*.log\n", "");
        assert!(Arc::ptr_eq(&root, &Rules::new(Some(Arc::clone(&root)), "src", "", "", "")));
    }
}
