//! How one symbol changed between two refs or commits.
//!
//! A commit that is not indexed is read straight from git, for this one question: files that the index knows from
//! other refs are taken from there, the others are searched for the name and extracted where they have it.

use std::sync::Arc;
use std::time::Duration;

use cruxe_extract::Extractor;
use cruxe_index::{IndexError, PastReader, Project, Source, Standing, View, Workspace};
use cruxe_model::config::FreshnessPolicy;
use cruxe_model::facts::SymbolIndex;
use cruxe_model::{ContentHash, FreshnessStatus, RepoPath, SymbolKind, Work};
use cruxe_store::{NameMatch, RefSnapshot, Snapshot, VersionSet};
use similar::{ChangeTag, TextDiff};

use crate::error::QueryError;
use crate::locate;
use crate::name::{self, WantedName};
use crate::past::PastFile;

/// What to compare.
#[derive(Clone, Debug)]
pub struct Question {
    /// A plain or qualified name.
    pub name: String,
    /// The file that it is in.
    pub path: Option<String>,
    /// The earlier ref.
    pub base: String,
    /// The later ref.
    pub head: String,
    /// Set when nobody waits for the answer any more.
    pub work: Work,
}

/// How it changed.
pub struct SymbolComparison {
    /// Its plain name.
    pub symbol: String,
    /// Where it is in the head, or was in the base.
    pub path: String,
    /// Its identity.
    pub symbol_stable_id: String,
    /// What it was.
    pub base: Option<Version>,
    /// What it is.
    pub head: Option<Version>,
    /// The difference in figures.
    pub summary: Summary,
    /// The difference line by line, in the form of `diff -u`; empty for an unchanged symbol.
    pub diff: String,
    /// How current the older of the two refs is.
    pub standing: Standing,
}

/// A symbol at one commit.
#[derive(Clone, Debug, PartialEq)]
pub struct Version {
    /// Its handle.
    pub symbol_id: String,
    /// Its declaration.
    pub signature: String,
    /// First line.
    pub line_start: u32,
    /// Last line.
    pub line_end: u32,
    /// What it is.
    pub kind: SymbolKind,
    /// The language of its file.
    pub language: String,
    /// Its file.
    pub path: String,
}

/// A difference in figures; what does not apply is `None`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    /// What became of it, where it is not on both sides and different.
    pub status: Option<SymbolStatus>,
    /// Whether its declaration differs.
    pub signature_changed: Option<bool>,
    /// Whether its body differs.
    pub body_changed: Option<bool>,
    /// Lines that only the head has.
    pub lines_added: Option<usize>,
    /// Lines that only the base has.
    pub lines_removed: Option<usize>,
    /// Whether it stands elsewhere in its file.
    pub line_range_shifted: Option<bool>,
}

/// What became of a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymbolStatus {
    /// Only the head has it.
    Added,
    /// Only the base has it.
    Deleted,
    /// Both have it, and it is the same.
    Unchanged,
}

/// Beyond this a difference is shown that is right but may not be the smallest.
const DIFF_TIME: Duration = Duration::from_millis(500);
/// How many candidates an answer lists where a name is not clear.
const SHOWN: usize = 10;

/// A symbol on one side.
struct Candidate {
    file: PastFile,
    at: usize,
}

/// The files of a ref or commit.
struct Side {
    snapshot: Option<Snapshot>,
    known: VersionSet,
    unknown: Vec<(RepoPath, String, ContentHash)>,
    standing: Standing,
}

/// Compares a symbol between two refs.
pub fn compare(workspace: &Arc<Workspace>, question: &Question) -> Result<SymbolComparison, QueryError> {
    let project = &workspace.project;
    let wanted = name::parse(&question.name);
    let path = question.path.as_deref().map(RepoPath::parse).transpose();
    let path = path.map_err(QueryError::BadPath)?;
    let (base_side, head_side) = (side(workspace, &question.base)?, side(workspace, &question.head)?);
    let base = base_side.find(project, &wanted, &question.work)?;
    let head = head_side.find(project, &wanted, &question.work)?;
    let standing = of_both(head_side.standing, &base_side.standing);
    let (base, head) = choose(question, path.as_ref(), standing.freshness, base, head)?;
    let shown = head.as_ref().or(base.as_ref()).ok_or_else(|| in_neither(question, standing.freshness))?;
    let (symbol, shown_path) = (shown.symbol().name.clone(), shown.file.path.as_str().to_owned());
    let symbol_stable_id = shown.file.stable_id(shown.at).as_str().to_owned();
    let (summary, diff) = difference(project, question, base.as_ref(), head.as_ref());
    let version = |side: &Option<Candidate>| side.as_ref().map(Candidate::version);
    Ok(SymbolComparison {
        symbol,
        path: shown_path,
        symbol_stable_id,
        base: version(&base),
        head: version(&head),
        summary,
        diff,
        standing,
    })
}

/// An answer is as current as the older of its sides.
pub(crate) fn of_both(head: Standing, base: &Standing) -> Standing {
    let freshness = match head.freshness {
        FreshnessStatus::Fresh => base.freshness,
        behind => behind,
    };
    Standing { freshness, ..head }
}

fn in_neither(question: &Question, freshness: FreshnessStatus) -> QueryError {
    QueryError::InNeitherRef {
        name: question.name.clone(),
        path: question.path.clone(),
        base: question.base.clone(),
        head: question.head.clone(),
        freshness,
    }
}

/// The published ref where it is what git says it is, else the commit itself.
fn side(workspace: &Arc<Workspace>, ref_name: &str) -> Result<Side, QueryError> {
    let (name, source) = match workspace.project.resolve(Some(ref_name)) {
        Ok(resolved) => resolved,
        // A branch that git no longer has may still be indexed.
        Err(problem) => {
            return match workspace.view(Some(ref_name), FreshnessPolicy::BestEffort) {
                Ok(View { published: Some(published), standing, .. }) => Ok(Side::of_ref(published, standing)),
                _ => Err(problem.into()),
            };
        }
    };
    let view = workspace.view(Some(ref_name), FreshnessPolicy::BestEffort);
    let commit = match source {
        Source::Commit(commit) => Some(commit),
        Source::WorkTree { commit } => commit,
    };
    match view {
        Ok(View { published: Some(published), standing, .. })
            if standing.is_fresh() || matches!(source, Source::WorkTree { .. }) =>
        {
            Ok(Side::of_ref(published, standing))
        }
        Err(error) if !error.is_of_unindexed_ref() => Err(error.into()),
        _ => of_commit(workspace, &name, commit.ok_or_else(|| IndexError::RefNotIndexed(name.clone()))?),
    }
}

fn of_commit(workspace: &Workspace, name: &str, commit: ContentHash) -> Result<Side, QueryError> {
    let tree = workspace.commit_tree(&commit)?;
    let snapshot = workspace.snapshot().ok();
    let mut stored = std::collections::HashMap::new();
    if let Some(snapshot) = &snapshot {
        for file in snapshot.all_files()? {
            stored.insert((file.path, file.module, file.hash), file.id);
        }
    }
    let mut side =
        Side { snapshot, known: VersionSet::default(), unknown: Vec::new(), standing: Standing::fresh(name) };
    for (path, hash) in tree.listed() {
        let key = (path.clone(), tree.module_of(&workspace.project, path), *hash);
        match stored.get(&key) {
            Some(id) => side.known.insert(*id),
            None => side.unknown.push(key),
        }
    }
    side.unknown.sort();
    Ok(side)
}

impl Side {
    fn of_ref(published: RefSnapshot, standing: Standing) -> Side {
        let known = published.state.versions.clone();
        Side { snapshot: Some(published.into_snapshot()), known, unknown: Vec::new(), standing }
    }

    /// The definitions of a name, those that are most likely meant.
    fn find(&self, project: &Project, wanted: &WantedName, work: &Work) -> Result<Vec<Candidate>, QueryError> {
        work.check()?;
        let mut found = Vec::new();
        if let Some(snapshot) = &self.snapshot {
            for hit in snapshot.find_name_in(&wanted.plain, NameMatch::Exact, &self.known)? {
                let row = snapshot.file(hit.version)?;
                let file = PastFile::indexed(snapshot, &row.path, &row.module, &row.hash)?;
                found.extend(file.map(|file| Candidate { file, at: hit.position as usize }));
            }
        }
        let mut reader = PastReader::new(project);
        for (path, module, hash) in &self.unknown {
            work.check()?;
            let Some(bytes) = reader.text(hash).filter(|bytes| contains(bytes, wanted.plain.as_bytes())) else {
                continue;
            };
            let places = PastFile::extracted(&mut reader, path, module, hash, &bytes).symbols;
            let is_it = |at: &usize| places[*at].name == wanted.plain && places[*at].kind != SymbolKind::Use;
            for at in (0..places.len()).filter(is_it) {
                let file = PastFile::extracted(&mut reader, path, module, hash, &bytes);
                found.push(Candidate { file, at });
            }
        }
        found.retain(|candidate| candidate.file.symbols.get(candidate.at).is_some());
        if !wanted.qualifiers.is_empty() {
            let fit = |candidate: &Candidate| {
                let (file, at) = (&candidate.file, SymbolIndex(candidate.at as u32));
                locate::fit_as_written(wanted, &file.language, &file.symbols, at)
            };
            let best = found.iter().map(fit).fold(0.0, f64::max);
            found.retain(|candidate| best > 0.0 && fit(candidate) >= if best >= 0.9 { 0.85 } else { best });
        }
        // Of several definitions of one name in one place, the first speaks for all.
        found.sort_by(|a, b| (&a.file.path, a.at).cmp(&(&b.file.path, b.at)));
        found.dedup_by(|b, a| a.file.path == b.file.path && a.symbol().qualified_name == b.symbol().qualified_name);
        Ok(found)
    }
}

fn contains(bytes: &[u8], name: &[u8]) -> bool {
    !name.is_empty() && bytes.windows(name.len()).any(|window| window == name)
}

/// One symbol of each side: the same one, as far as identity, path and name tell.
fn choose(
    question: &Question,
    path: Option<&RepoPath>,
    freshness: FreshnessStatus,
    base: Vec<Candidate>,
    head: Vec<Candidate>,
) -> Result<(Option<Candidate>, Option<Candidate>), QueryError> {
    let here = |candidate: &&Candidate| path.is_none_or(|path| candidate.file.path == *path);
    if path.is_some() && !base.iter().chain(&head).any(|candidate| here(&candidate)) {
        return Err(in_neither(question, freshness));
    }
    let best = base.iter().chain(&head).filter(here).map(Candidate::tier).min();
    let mut meant: Vec<String> = base
        .iter()
        .chain(&head)
        .filter(here)
        .filter(|candidate| Some(candidate.tier()) == best)
        .map(|candidate| candidate.file.stable_id(candidate.at).as_str().to_owned())
        .collect();
    meant.sort();
    meant.dedup();
    let is_meant = |candidate: &Candidate| meant.iter().any(|id| id == candidate.file.stable_id(candidate.at).as_str());
    let pick = |side: Vec<Candidate>| {
        let mut picked: Vec<Candidate> = side.into_iter().filter(is_meant).collect();
        // The same identity in several places: the one at the path that was asked for.
        if picked.iter().any(|candidate| path == Some(&candidate.file.path)) {
            picked.retain(|candidate| path == Some(&candidate.file.path));
        }
        picked
    };
    let (mut base, mut head) = (pick(base), pick(head));
    if base.len() > 1 || head.len() > 1 {
        let candidates = base.iter().chain(&head).map(Candidate::place).take(SHOWN).collect();
        return Err(QueryError::AmbiguousSymbol { name: question.name.clone(), candidates, freshness });
    }
    Ok((base.pop(), head.pop()))
}

impl Candidate {
    fn symbol(&self) -> &cruxe_model::facts::Symbol {
        &self.file.symbols[self.at]
    }

    /// How likely it is meant, best first.
    fn tier(&self) -> u8 {
        let (flags, kind) = (self.symbol().flags, self.symbol().kind);
        let aside = matches!(kind, SymbolKind::Impl | SymbolKind::Module | SymbolKind::Heading);
        u8::from(aside) + 2 * u8::from(flags.declaration) + 4 * u8::from(flags.local) + 8 * u8::from(flags.test)
    }

    fn place(&self) -> String {
        format!("{} ({}:{})", self.symbol().qualified_name, self.file.path, self.file.lines[self.at].0)
    }

    fn version(&self) -> Version {
        let (symbol, (line_start, line_end)) = (self.symbol(), self.file.lines[self.at]);
        Version {
            symbol_id: locate::symbol_id(&self.file.path, symbol).as_str().to_owned(),
            signature: symbol.signature.clone(),
            line_start,
            line_end,
            kind: symbol.kind,
            language: self.file.language.clone(),
            path: self.file.path.as_str().to_owned(),
        }
    }

    fn text(&self, project: &Project) -> String {
        self.file.text_of(project, self.at).unwrap_or_default().to_owned()
    }

    /// What stands behind the declaration.
    fn body(&self, project: &Project) -> String {
        let text = self.text(project);
        let code = self.file.code(project, &mut Extractor::default(), self.at, &[], false);
        let start = code.and_then(|code| code.body).unwrap_or(0);
        text.get(start..).unwrap_or_default().to_owned()
    }
}

fn difference(
    project: &Project,
    question: &Question,
    base: Option<&Candidate>,
    head: Option<&Candidate>,
) -> (Summary, String) {
    if let (Some(base), Some(head)) = (base, head)
        && base.symbol().content_hash == head.symbol().content_hash
    {
        return (Summary { status: Some(SymbolStatus::Unchanged), ..Summary::default() }, String::new());
    }
    let text = |side: Option<&Candidate>| {
        let text = side.map(|side| side.text(project)).unwrap_or_default();
        if text.is_empty() || text.ends_with('\n') { text } else { text + "\n" }
    };
    let (old, new) = (text(base), text(head));
    let diff = TextDiff::configure().timeout(DIFF_TIME).diff_lines(&old, &new);
    let count = |tag| diff.iter_all_changes().filter(|change| change.tag() == tag).count();
    let label = |side: Option<&Candidate>, ref_name: &str| match side {
        Some(side) => format!("{ref_name}:{}", side.file.path),
        None => "/dev/null".to_owned(),
    };
    let unified = diff
        .unified_diff()
        .context_radius(3)
        .header(&label(base, &question.base), &label(head, &question.head))
        .to_string();
    let both = base.zip(head);
    let summary = Summary {
        status: match (base, head) {
            (None, _) => Some(SymbolStatus::Added),
            (_, None) => Some(SymbolStatus::Deleted),
            _ => None,
        },
        signature_changed: both.map(|(base, head)| base.symbol().signature != head.symbol().signature),
        body_changed: both.map(|(base, head)| base.body(project) != head.body(project)),
        lines_added: Some(count(ChangeTag::Insert)),
        lines_removed: Some(count(ChangeTag::Delete)),
        line_range_shifted: both.map(|(base, head)| base.file.lines[base.at] != head.file.lines[head.at]),
    };
    (summary, unified)
}
