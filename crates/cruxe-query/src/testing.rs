//! A few source texts with their index, for tests that need no program.

use std::sync::Arc;

use cruxe_index::{JobRequest, Project, View, Workspace};
use cruxe_model::Work;
use cruxe_model::config::{Config, FreshnessPolicy};
use cruxe_store::Home;

/// A folder with its index; both go when it is dropped.
pub(crate) struct Indexed {
    workspace: Arc<Workspace>,
    _folder: tempfile::TempDir,
}

impl Indexed {
    /// Indexes texts at paths.
    pub fn new(files: &[(&str, &str)]) -> Indexed {
        Indexed::with(files, Config::default())
    }

    /// The same with a configuration.
    pub fn with(files: &[(&str, &str)], config: Config) -> Indexed {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("tree");
        for (path, text) in files {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let project = Project::locate(&root, &Home::new(folder.path().join("home")), config).unwrap();
        let workspace = Workspace::open(project);
        workspace.run_job(&JobRequest::default(), Work::default()).unwrap();
        Indexed { workspace, _folder: folder }
    }

    /// What is indexed.
    pub fn view(&self) -> View<'_> {
        self.workspace.view(None, FreshnessPolicy::BestEffort).unwrap()
    }
}
