//! The source that is measured.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, io};

use cruxe_index::Project;
use cruxe_model::RepoPath;
use cruxe_model::config::Config;
use cruxe_store::Home;
use tempfile::TempDir;

use crate::BenchError;

/// A folder with source and the files of it that an index run takes in.
pub struct Corpus {
    /// The folder's own name.
    pub name: String,
    /// Where it is.
    pub root: PathBuf,
    /// Its files.
    pub files: Vec<RepoPath>,
    git: bool,
}

impl Corpus {
    /// Looks a folder through.
    pub fn open(folder: &Path) -> Result<Corpus, BenchError> {
        let root = folder.canonicalize().map_err(BenchError::doing(folder.display()))?;
        let home = tempfile::tempdir().map_err(BenchError::doing("a temporary folder"))?;
        let project = project(&root, home.path())?;
        let listing = project.scan().map_err(BenchError::doing("scan"))?;
        let name = root.file_name().map_or("corpus".to_owned(), |name| name.to_string_lossy().into_owned());
        let git = project.repo.is_some();
        Ok(Corpus { name, root, files: listing.files.into_iter().map(|file| file.path).collect(), git })
    }

    /// A copy that can be edited: the files that are indexed, as a repository where the corpus is one.
    pub fn scratch_copy(&self) -> Result<TempDir, BenchError> {
        let copy = tempfile::Builder::new().prefix("cruxe-bench").tempdir();
        let copy = copy.map_err(BenchError::doing("a temporary folder"))?;
        self.copy_to(copy.path()).map_err(BenchError::doing("copy of the corpus"))?;
        if self.git {
            let who = ["-c", "user.name=bench", "-c", "user.email=bench@localhost"];
            for arguments in [&["init", "--quiet"][..], &["add", "--all"], &["commit", "--quiet", "--message=bench"]] {
                let mut git = Command::new("git");
                let done = git.args(who).args(arguments).current_dir(copy.path()).output();
                let done = done.map_err(BenchError::doing("git"))?;
                if !done.status.success() {
                    return Err(BenchError::new("git", String::from_utf8_lossy(&done.stderr)));
                }
            }
        }
        Ok(copy)
    }

    fn copy_to(&self, target: &Path) -> io::Result<()> {
        for file in &self.files {
            let to = target.join(file.as_str());
            fs::create_dir_all(to.parent().unwrap_or(target))?;
            fs::copy(self.root.join(file.as_str()), to)?;
        }
        Ok(())
    }
}

/// The folder as a project whose index is below `home`.
pub fn project(root: &Path, home: &Path) -> Result<Project, BenchError> {
    Project::locate(root, &Home::new(home), Config::default()).map_err(BenchError::doing("project"))
}
