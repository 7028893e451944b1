//! A folder, indexed, and a question about it.

use std::sync::Arc;

use cruxe_index::{JobRequest, Layers, Project, View, Workspace};
use cruxe_model::Work;
use cruxe_model::config::{Config, FreshnessPolicy};
use cruxe_query::references::{self, Confidence, EdgeType, Question};
use cruxe_query::target::Wanted;
use cruxe_store::Home;

/// A tree of files with its index.
pub struct Tree {
    workspace: Arc<Workspace>,
    _folder: tempfile::TempDir,
}

impl Tree {
    pub fn new(files: &[(&str, &str)]) -> Tree {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("tree");
        for (path, text) in files {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let home = Home::new(folder.path().join("home"));
        let project = Project::locate(&root, &home, Config::default()).unwrap();
        let workspace = Workspace::open(project);
        workspace.run_job(&JobRequest::default(), Work::default()).unwrap();
        Tree { workspace, _folder: folder }
    }

    pub fn view(&self) -> View<'_> {
        self.workspace.view(None, FreshnessPolicy::BestEffort).unwrap()
    }

    /// The uses of a symbol, `path:line`, guesses with a `?`.
    pub fn uses(&self, wanted: Wanted, edge: Option<EdgeType>) -> Vec<String> {
        let question = Question { wanted, edge, limit: 1000, offset: 0, unresolved: 0 };
        let answer =
            references::find(&self.view(), &Layers::None, &question).unwrap_or_else(|problem| panic!("{problem}"));
        let shown = answer.references.iter().map(|reference| {
            let guess = if reference.confidence == Confidence::Heuristic { "?" } else { "" };
            format!("{}:{}{guess}", reference.path, reference.line)
        });
        let mut uses: Vec<String> = shown.collect();
        uses.sort();
        uses.dedup();
        uses
    }
}

/// Checks that exactly the marked lines use a symbol. `symbol` may name the file too: `a.py Foo.bar`.
pub fn check(symbol: &str, files: &[(&str, &str)]) {
    let (path, name) = match symbol.split_once(' ') {
        Some((path, name)) => (Some(path.to_owned()), name),
        None => (None, symbol),
    };
    let wanted = Wanted { name: name.to_owned(), path, line: None };
    assert_eq!(Tree::new(files).uses(wanted, None), marked(files), "uses of {symbol}");
}

fn marked(files: &[(&str, &str)]) -> Vec<String> {
    let mut lines = Vec::new();
    for (path, text) in files {
        for (at, line) in text.lines().enumerate() {
            if line.contains("<-") {
                lines.push(format!("{path}:{}", at + 1));
            } else if line.contains("<?") {
                lines.push(format!("{path}:{}?", at + 1));
            }
        }
    }
    lines.sort();
    lines
}
