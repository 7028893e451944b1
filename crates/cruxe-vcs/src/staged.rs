//! What git's index tracks.

use cruxe_model::RepoPath;
use gix::index::entry::Mode;

use crate::error::VcsError;
use crate::repo::Repo;

impl Repo {
    /// The regular files that are tracked, in path order. Ignore rules do not apply to them, whatever they match.
    pub fn tracked_files(&self) -> Result<Vec<RepoPath>, VcsError> {
        let index = self.index()?;
        let regular = |mode: Mode| mode == Mode::FILE || mode == Mode::FILE_EXECUTABLE;
        let mut paths: Vec<RepoPath> = index
            .entries
            .iter()
            .filter(|entry| regular(entry.mode))
            .filter_map(|entry| RepoPath::from_walk(std::str::from_utf8(&entry.path).ok()?).ok())
            .collect();
        paths.dedup(); // an unmerged path has an entry per side
        Ok(paths)
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::Fixture;

    #[test]
    fn tracked_files_are_listed_even_if_ignored() {
        let fixture = Fixture::new();
        let write = |path: &str, text: &str| std::fs::write(fixture.root.join(path), text).unwrap();
        std::fs::create_dir(fixture.root.join("src")).unwrap();
        write(".gitignore", "*.log\n");
        write("kept.log", "x");
        write("src/lib.rs", "fn f() {}\n");
        fixture.git(&["add", "-f", "kept.log", "src/lib.rs"]);
        write("other.log", "y");
        let repo = fixture.open();
        let paths: Vec<String> = repo.tracked_files().unwrap().into_iter().map(String::from).collect();
        assert_eq!(paths, ["kept.log", "src/lib.rs"]);
    }
}
