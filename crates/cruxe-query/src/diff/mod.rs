//! What a branch changes, symbol by symbol.
//!
//! The two sides are the merge base and the head, as in a pull request: what the base branch did in the meantime is
//! not the branch's change. Files are compared by content, so only those that differ are looked into.

mod matching;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use cruxe_extract::registry;
use cruxe_files::Root;
use cruxe_index::{CommitTree, IndexError, PastReader, Standing, View, Workspace};
use cruxe_model::config::FreshnessPolicy;
use cruxe_model::{ContentHash, RepoPath, SymbolKind, Work};
use cruxe_store::{RefSnapshot, RefState};
use cruxe_vcs::hash_blob;

use crate::compare;
use crate::error::QueryError;
use crate::filter::{Filter, is_test_file};
use crate::past::{PastFile, Record};

/// What to compare.
#[derive(Clone, Debug, Default)]
pub struct Question {
    /// The base; the default branch if left out.
    pub base: Option<String>,
    /// The head; what is checked out if left out.
    pub head: Option<String>,
    /// Only files below this path.
    pub path_filter: Option<String>,
    /// Only such symbols, and files that may have some.
    pub filter: Filter,
    /// Whether changes of layout and comments alone count.
    pub include_cosmetic: bool,
    /// What to do when the head's index is stale.
    pub policy: FreshnessPolicy,
    /// Set when nobody waits for the answer any more.
    pub work: Work,
}

/// What differs.
pub struct BranchDiff {
    /// The base as the index knows it.
    pub base_ref: String,
    /// The head as the index knows it.
    pub head_ref: String,
    /// Where the two histories meet.
    pub merge_base: ContentHash,
    /// The files that differ, in path order.
    pub files: Vec<FileChange>,
    /// The symbols that differ, in the order of their places.
    pub changes: Vec<Change>,
    /// Symbols that were renamed or moved.
    pub renames: Vec<Rename>,
    /// How many changed files the filter leaves out, and how many changed symbols of the other files.
    pub filtered_out: (usize, usize),
    /// How current the older of the two refs is.
    pub standing: Standing,
}

/// How something changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChangeType {
    /// The head has it, the merge base has not.
    Added,
    /// Both have it and it differs.
    Modified,
    /// The merge base has it, the head has not.
    Deleted,
}

/// A file that differs.
#[derive(Clone, Debug, PartialEq)]
pub struct FileChange {
    /// Where it is.
    pub path: String,
    /// How it changed.
    pub change_type: ChangeType,
}

/// A symbol that differs.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// Its plain name.
    pub symbol: String,
    /// How it changed.
    pub change_type: ChangeType,
    /// What it was.
    pub before: Option<Record>,
    /// What it is.
    pub after: Option<Record>,
    /// Whether the declaration changed, of a modified symbol.
    pub signature_changed: bool,
    /// Whether layout and comments are all that changed.
    pub cosmetic: bool,
}

/// A symbol under another name or in another place.
#[derive(Clone, Debug, PartialEq)]
pub struct Rename {
    /// Its qualified name before.
    pub from: String,
    /// Its qualified name now.
    pub to: String,
    /// Its path before.
    pub from_path: String,
    /// Its path now.
    pub to_path: String,
    /// Its handle before.
    pub from_symbol_id: String,
    /// Its handle now.
    pub to_symbol_id: String,
    /// What it is.
    pub kind: Option<SymbolKind>,
    /// It is a test, or exists only for tests.
    pub is_test: bool,
}

/// The parts of the work. Each counts as much as there are files, because nobody knows beforehand which takes longest.
#[derive(Clone, Copy)]
enum Part {
    /// Both sides of every file are looked up.
    Lookup,
    /// What the index does not have is extracted.
    Extraction,
    /// Symbols that differ are compared.
    Comparison,
}

impl Part {
    /// Tells that `done` of `of` steps of this part are done.
    fn tell(self, work: &Work, done: usize, of: usize, files: usize) {
        let parts = [Part::Lookup, Part::Extraction, Part::Comparison].len();
        let through = self as usize * files + done * files / of.max(1);
        work.tell(through as u64, (parts * files) as u64);
    }
}

/// A file with its two sides; a side is `None` where the file is not, or has no text to look into.
struct Pair {
    base: Option<PastFile>,
    head: Option<PastFile>,
}

/// Compares the merge base of two refs with the second of them.
pub fn diff(workspace: &Arc<Workspace>, question: &Question) -> Result<BranchDiff, QueryError> {
    let project = &workspace.project;
    if project.repo.is_none() {
        return Err(QueryError::NotInGit);
    }
    let base_name = question.base.clone().or_else(|| workspace.default_branch());
    let base = workspace.view(base_name.as_deref(), question.policy)?;
    let head = workspace.view(question.head.as_deref(), question.policy)?;
    let (base_ref, head_ref) = (base.standing.ref_name.clone(), head.standing.ref_name.clone());
    let (published_base, published_head) = (published(&base)?, published(&head)?);
    let merge_base = merge_base(workspace, &published_base.state, &published_head.state)?;
    let tree = workspace.commit_tree(&merge_base)?;
    let mut changed = changed_files(workspace, &tree, published_head, question.path_filter.as_deref())?;
    let filter = &question.filter;
    let all_files = changed.len();
    changed.retain(|path, _| has_file(filter, path));
    let files_out = all_files - changed.len();
    let files = changed.iter().map(|(path, sides)| FileChange {
        path: path.as_str().to_owned(),
        change_type: match sides {
            (None, _) => ChangeType::Added,
            (_, None) => ChangeType::Deleted,
            _ => ChangeType::Modified,
        },
    });
    let mut files: Vec<FileChange> = files.collect();
    // Source comes before its tests, and a limit cuts the tests first.
    files.sort_by_key(|file| is_test(&file.path, false));
    let pairs = load(workspace, &tree, published_head, changed, &question.work)?;
    let (mut changes, mut renames) = matching::compare(project, &pairs, question.include_cosmetic, &question.work)?;
    let all_changes = changes.len();
    changes.retain(|change| {
        let record = change.after.as_ref().or(change.before.as_ref());
        record.is_none_or(|it| filter.has_kind(it.kind) && has_place(filter, &it.path, it.is_test))
    });
    renames.retain(|one| {
        let kind = one.kind.is_none_or(|kind| filter.has_kind(kind));
        kind && [&one.from_path, &one.to_path].iter().any(|path| has_place(filter, path, one.is_test))
    });
    changes.sort_by_key(|change| {
        let record = change.after.as_ref().or(change.before.as_ref());
        record.is_some_and(|it| is_test(&it.path, it.is_test))
    });
    let filtered_out = (files_out, all_changes - changes.len());
    let standing = compare::of_both(head.standing.clone(), &base.standing);
    Ok(BranchDiff { base_ref, head_ref, merge_base, files, changes, renames, filtered_out, standing })
}

/// Whether a symbol of a file is a test, or its file one of tests.
fn is_test(path: &str, in_test: bool) -> bool {
    in_test || is_test_file(path, language(path))
}

/// The language of a file, told from its path.
fn language(path: &str) -> &'static str {
    let known = RepoPath::parse(path).ok().and_then(|path| registry::detect(&path, b""));
    known.map_or("", |language| language.name)
}

/// Whether a place passes a filter; the language of its file is told from its path.
fn has_place(filter: &Filter, path: &str, in_test: bool) -> bool {
    filter.has_place(path, language(path), in_test)
}

/// Whether a file may have symbols that pass a filter: one of source may hold tests too.
fn has_file(filter: &Filter, path: &RepoPath) -> bool {
    has_place(filter, path.as_str(), false) || has_place(filter, path.as_str(), true)
}

fn published<'v>(view: &'v View<'_>) -> Result<&'v RefSnapshot, QueryError> {
    match &view.published {
        Some(published) => Ok(published),
        None => Err(IndexError::RefNotIndexed(view.standing.ref_name.clone()).into()),
    }
}

fn merge_base(workspace: &Workspace, base: &RefState, head: &RefState) -> Result<ContentHash, QueryError> {
    let failed = |reason: String| QueryError::NoMergeBase { base: base.name.clone(), head: head.name.clone(), reason };
    let commit = |state: &RefState| {
        let commit = state.commit.as_deref().and_then(ContentHash::from_hex);
        commit.ok_or_else(|| failed(format!("`{}` has no commit", state.name)))
    };
    match workspace.merge_base(&commit(base)?, &commit(head)?) {
        Ok(Some(merge_base)) => Ok(merge_base),
        Ok(None) => Err(failed("their histories are unrelated".to_owned())),
        Err(problem) => Err(failed(problem.to_string())),
    }
}

type Sides = (Option<ContentHash>, Option<ContentHash>);

/// The files whose content differs between a commit and a published ref.
fn changed_files(
    workspace: &Workspace,
    tree: &CommitTree,
    head: &RefSnapshot,
    filter: Option<&str>,
) -> Result<BTreeMap<RepoPath, Sides>, QueryError> {
    let filter = filter.map(|filter| filter.trim_start_matches("./").trim_start_matches('/')).unwrap_or_default();
    let mut now: HashMap<RepoPath, Option<ContentHash>> =
        head.files()?.into_iter().map(|file| (file.path, Some(file.hash))).collect();
    // Files that are there and not indexed for their content: binary ones, large ones.
    match (&head.state.worktree, head.state.commit.as_deref().and_then(ContentHash::from_hex)) {
        (None, Some(commit)) => {
            let tree = workspace.commit_tree(&commit)?;
            for (path, hash) in tree.listed() {
                now.entry(path.clone()).or_insert(Some(*hash));
            }
        }
        _ => {
            let unindexed = head.stats()?.into_iter().filter(|entry| entry.version.is_err());
            for entry in unindexed {
                let hash = content_on_disk(workspace, &entry.path);
                now.entry(entry.path).or_insert(hash);
            }
        }
    }
    let mut changed = BTreeMap::new();
    for (path, hash) in tree.listed().iter().filter(|(path, _)| path.as_str().starts_with(filter)) {
        match now.remove(path) {
            Some(Some(new)) if new == *hash => {}
            Some(None) => {} // it is there and cannot be read, so nothing can be said
            new => drop(changed.insert(path.clone(), (Some(*hash), new.flatten()))),
        }
    }
    let added = now.into_iter().filter(|(path, _)| path.as_str().starts_with(filter));
    // A file that the merge base's own rules left out is not new.
    changed.extend(
        added.filter(|(path, new)| tree.files.get(path) != new.as_ref()).map(|(path, new)| (path, (None, new))),
    );
    Ok(changed)
}

/// Of a larger file it is not said whether it changed.
const LARGEST_COMPARED: u64 = 256 << 20;

fn content_on_disk(workspace: &Workspace, path: &RepoPath) -> Option<ContentHash> {
    // A file that is too large to be indexed can be compared all the same, up to what a machine has memory for.
    let files = Root::open(&workspace.project.root).ok()?;
    let bytes = files.read(path.as_str(), LARGEST_COMPARED).ok()?;
    Some(hash_blob(workspace.project.object_format(), &bytes))
}

/// Reads both sides of every file. What the index does not have is extracted, on all cores where there is much of it.
fn load(
    workspace: &Workspace,
    tree: &CommitTree,
    head: &RefSnapshot,
    changed: BTreeMap<RepoPath, Sides>,
    work: &Work,
) -> Result<Vec<Pair>, QueryError> {
    let project = &workspace.project;
    let all = changed.len();
    let (mut pairs, mut missing) = (Vec::with_capacity(all), Vec::new());
    for (path, (old, new)) in changed {
        work.check()?;
        Part::Lookup.tell(work, pairs.len(), all, all);
        let new = match new {
            Some(_) => match head.file_at(&path)? {
                Some(file) => PastFile::indexed(head, &path, &file.module, &file.hash)?,
                None => None,
            },
            None => None,
        };
        let mut base = None;
        if let Some(hash) = old {
            let module = tree.module_of(project, &path);
            base = PastFile::indexed(head, &path, &module, &hash)?;
            if base.is_none() {
                missing.push((pairs.len(), path, module, hash));
            }
        }
        pairs.push(Pair { base, head: new });
    }
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(missing.len().div_ceil(8)).max(1);
    let count = AtomicUsize::new(0);
    let extracted = std::thread::scope(|scope| {
        let (missing, count) = (&missing, &count);
        let work = |first: usize| {
            let mut reader = PastReader::new(project);
            let mut files = Vec::new();
            for (at, path, module, hash) in missing.iter().skip(first).step_by(threads) {
                if work.is_cancelled() {
                    break;
                }
                Part::Extraction.tell(work, count.fetch_add(1, Ordering::Relaxed), missing.len(), all);
                if let Some(bytes) = reader.text(hash) {
                    files.push((*at, PastFile::extracted(&mut reader, path, module, hash, &bytes)));
                }
            }
            files
        };
        let workers: Vec<_> = (0..threads).map(|first| scope.spawn(move || work(first))).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap_or_default()).collect::<Vec<_>>()
    });
    work.check()?;
    for (at, file) in extracted {
        pairs[at].base = Some(file);
    }
    Ok(pairs)
}
