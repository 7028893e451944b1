//! A small fixed sample of every kind of question, asked about this repository: what a change of the ranking breaks is
//! noticed here. The bounds leave room: the repository grows. Whether a change is good is measured with other people's repositories, see `bench`.

use std::path::Path;
use std::sync::Arc;

use cruxe_index::{JobRequest, Project, Workspace};
use cruxe_model::Work;
use cruxe_model::config::{Config, FreshnessPolicy};
use cruxe_store::Home;

use super::{Question, SearchHit, search};
use crate::filter::{Filter, Tests};

/// A question and what its answer should name: a file, or a line `path name` of a symbol in it.
type Asked = (&'static str, &'static str);

const SHORT: &[Asked] = &[
    ("where is the lock of an index taken", "crates/cruxe-store/src/lock.rs"),
    ("how are merge bases found", "crates/cruxe-vcs/src/merge_base.rs"),
    ("how does a query wait for events of the watcher", "crates/cruxe-index/src/watch.rs"),
    ("which files are skipped because they are generated", "crates/cruxe-index/src/ignore_rules.rs"),
    ("pack facts by column and compress them", "crates/cruxe-store/src/pack.rs"),
    ("fingerprints of the names that a file uses", "crates/cruxe-store/src/mentions.rs"),
    ("split identifiers into words for full text search", "crates/cruxe-store/src/tokenizer.rs"),
    ("checksums of blocks of the full text index", "crates/cruxe-store/src/directory.rs"),
    ("how are python modules resolved", "crates/cruxe-query/src/resolve/modules/python.rs"),
    ("guess the type of a receiver by its name", "crates/cruxe-query/src/resolve/guess.rs"),
    ("shortest chain of calls between two functions", "crates/cruxe-query/src/call_path/search.rs"),
    ("host and origin are checked before the body is read", "crates/cruxe-server/src/http/access.rs"),
    ("share slots fairly between clients", "crates/cruxe-server/src/admission.rs"),
    ("edit front matter without touching other bytes", "crates/cruxe-deck/src/frontmatter/edit.rs"),
    ("signature of a release is verified", "crates/cruxe-cli/src/cue/upgrade/manifest.rs"),
    ("copy text to the clipboard", "crates/cruxe-cli/src/cue/clipboard.rs"),
    ("BM25 saturation", "crates/cruxe-query/src/search/rank/bm25.rs"),
    ("Writer::publish", "crates/cruxe-store/src/writer.rs"),
    ("Admission", "crates/cruxe-server/src/admission.rs"),
    ("qualifier_fit", "crates/cruxe-query/src/name.rs"),
];

const REPORTS: &[Asked] = &[
    (
        "[Bug]: an untouched work tree counts as changed after `touch`\n\nThe content is the same, only the time of the file \
         differs, yet every question says stale.\n\n```\n$ touch src/a.py\n$ cruxe search foo\n```\nA file whose stat differs \
         should be compared by its content.",
        "crates/cruxe-index/src/comparison.rs has_same_content",
    ),
    (
        "Stack overflow?\n\nthread 'main' panicked at crates/cruxe-store/src/names.rs:40:9:\nindex out of bounds\nstack \
         backtrace:\n   0: std::panicking::begin_panic\n   1: cruxe_store::corpus::Corpus::postings\n             at \
         ./crates/cruxe-store/src/corpus.rs:215:9\n",
        "crates/cruxe-store/src/corpus.rs postings",
    ),
    (
        "Frames of Kotlin traces are not read\n\nWith a trace of the JVM the package is joined with the file, but a frame \
         whose module has a `$` in it is lost. I think `Frames::read` drops it.\n\n    at \
         com.shop.Cart$add$1.invokeSuspend(Cart.kt:12)\n",
        "crates/cruxe-query/src/search/report/frames.rs read",
    ),
    (
        "Renaming a heading breaks links of other documents\n\n### Steps\n\n1. rename `## Setup` to `## Install`\n2. `cue \
         doctor`\n\n### Expected\n\nThe doctor tells that a link to a section leads nowhere.\n\n### Actual\n\nNothing is \
         reported about links between documents.\n",
        "crates/cruxe-deck/src/doctor/documents.rs",
    ),
    (
        "Prune overlays removes a branch that is checked out in a linked work tree\n\nI have two work trees. After `cruxe \
         prune-overlays` the index of the other branch was gone. The refs that are checked out in any work tree should be \
         kept.\n",
        "crates/cruxe-index/src/prune.rs",
    ),
    (
        "Cancelled requests keep their slot\n\nA client cancels a call of `find_references`; the thread goes on to work, and \
         the slot is free at once, so that more threads run than there are slots.\n\n`Admission::admit` hands out the \
         permit.\n",
        "crates/cruxe-server/src/admission.rs admit",
    ),
];

const MESSAGES: &[Asked] = &[
    ("the finder cannot be shown: no terminal", "crates/cruxe-cli/src/cue/open.rs"),
    (
        "https://example.com/m.json: this is no release manifest: expected value at line 1",
        "crates/cruxe-cli/src/cue/upgrade/manifest.rs",
    ),
    ("ERROR 812 bytes arrived, the manifest says 900", "crates/cruxe-cli/src/cue/upgrade/manifest.rs"),
    ("files cannot be watched here: too many open files", "crates/cruxe-cli/src/cue/watch.rs"),
    ("no agent was found here; name one: cruxe install claude | codex", "crates/cruxe-cli/src/commands/install.rs"),
    (
        "orphan card: login-form is active, refers to nothing, and nothing depends on it",
        "crates/cruxe-deck/src/doctor/mod.rs",
    ),
    ("this server has registered 100 workspaces already", "crates/cruxe-server/src/workspaces.rs"),
    ("docs/setup.md changes while it is read", "crates/cruxe-deck/src/error.rs"),
    (
        "2026-11-17 10:42:01 INFO starting\n2026-11-17 10:42:02 WARN cannot watch /srv/app: no space left on device; falling \
         back to scans\n2026-11-17 10:42:02 INFO ready\n",
        "crates/cruxe-index/src/watch.rs",
    ),
];

/// This repository with its index.
fn repository(home: &Path) -> Arc<Workspace> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    let project = Project::locate(&root, &Home::new(home.to_owned()), Config::default()).unwrap();
    let workspace = Workspace::open(project);
    workspace.run_job(&JobRequest::default(), Work::default()).unwrap();
    workspace
}

/// The rank of the right place for each question, from 1; files count once.
fn ranks(workspace: &Arc<Workspace>, asked: &[Asked]) -> Vec<Option<usize>> {
    let view = workspace.view(None, FreshnessPolicy::BestEffort).unwrap();
    let filter = Filter::new(&["!sample_tests.rs".to_owned()], Tests::Include, Vec::new()).unwrap();
    let rank = |(query, right): &Asked| {
        let found = search(&view, &Question { filter: filter.clone(), ..Question::new(*query, 10) }).unwrap().found;
        let (path, name) = right.split_once(' ').map_or((*right, None), |(path, name)| (path, Some(name)));
        let is_right = |hit: &SearchHit| {
            hit.file.path.as_str() == path
                && name.is_none_or(|name| hit.symbol().is_some_and(|symbol| symbol.name == name))
        };
        found.iter().position(is_right).map(|at| at + 1)
    };
    asked.iter().map(rank).collect()
}

/// How many are right within the first `k`.
fn within(ranks: &[Option<usize>], k: usize) -> usize {
    ranks.iter().filter(|rank| rank.is_some_and(|rank| rank <= k)).count()
}

#[test]
fn questions_about_this_repository_are_answered_as_well_as_they_were() {
    let home = tempfile::tempdir().unwrap();
    let workspace = repository(home.path());
    let (short, reports, messages) =
        (ranks(&workspace, SHORT), ranks(&workspace, REPORTS), ranks(&workspace, MESSAGES));
    assert!(within(&short, 1) >= 13 && within(&short, 3) >= 18, "short questions: {short:?}");
    assert!(within(&reports, 2) >= 4 && within(&reports, 10) >= 5, "reports: {reports:?}");
    let (first, second) = (within(&messages, 1), within(&messages, 2));
    assert!(first + 1 >= MESSAGES.len() && second == MESSAGES.len(), "messages: {messages:?}");
}
