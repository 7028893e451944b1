//! A small project for the tests of this crate: a folder outside git, a home beside it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cruxe_model::Work;
use cruxe_model::config::Config;
use cruxe_store::Home;

use crate::{JobReport, JobRequest, Project, Workspace};

pub(crate) struct Fixture {
    folder: tempfile::TempDir,
    pub workspace: Arc<Workspace>,
}

impl Fixture {
    /// A project with these files that nobody has indexed.
    pub fn new(files: &[(&str, &str)]) -> Fixture {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("project");
        fs::create_dir_all(&root).unwrap();
        for (path, text) in files {
            write(&root.join(path), text);
        }
        let home = Home::new(folder.path().join("home"));
        let workspace = Workspace::open(Project::locate(&root, &home, Config::default()).unwrap());
        Fixture { folder, workspace }
    }

    /// The same, indexed.
    pub fn indexed(files: &[(&str, &str)]) -> Fixture {
        let fixture = Fixture::new(files);
        fixture.index();
        fixture
    }

    pub fn root(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    pub fn write(&self, path: &str, text: &str) {
        write(&self.root().join(path), text);
    }

    pub fn index(&self) -> JobReport {
        self.workspace.run_job(&JobRequest::default(), Work::default()).unwrap()
    }
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}
