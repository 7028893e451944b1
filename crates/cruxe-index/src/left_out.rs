//! The texts of a ref that are not indexed: generated, vendored, minified or large. Who says that a name stands nowhere has to
//! have looked there too.

use std::collections::{HashMap, HashSet};
use std::time::SystemTime;

use cruxe_files::Root;
use cruxe_model::{ContentHash, RepoPath, SkipReason};
use cruxe_vcs::{Blob, BlobReader};

use crate::ignore_rules;
use crate::seen::{Mark, mark_of};
use crate::view::View;

/// More of one file is not read.
const MAX_FILE: u64 = 32 << 20;

/// Whether code may stand in a file that is left out for such a reason.
fn may_be_code(why: SkipReason) -> bool {
    matches!(why, SkipReason::Vendored | SkipReason::Generated | SkipReason::Minified | SkipReason::TooLarge)
}

/// The texts of a ref that are not indexed.
pub struct LeftOut<'v> {
    files: Vec<&'v (RepoPath, SkipReason)>,
    source: Source,
}

/// Which text it is, told without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextMark(Inner);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Inner {
    OnDisk(Mark),
    Stored(ContentHash),
}

/// Where they are read.
enum Source {
    WorkTree(Root),
    Commit(Box<BlobReader>, HashMap<RepoPath, ContentHash>),
    Nowhere,
}

impl View<'_> {
    /// How many texts of the ref may have code and are not indexed.
    pub fn count_left_out(&self) -> usize {
        let skipped = self.published.as_ref().map_or(&[][..], |published| &published.state.skipped);
        skipped.iter().filter(|(_, why)| may_be_code(*why)).count()
    }

    /// Whether the ref is what stands in the work tree.
    pub fn is_work_tree(&self) -> bool {
        let from = self.published.as_ref().and_then(|published| published.state.worktree.as_deref());
        from.is_some_and(|from| from == self.project.root.to_string_lossy())
    }

    /// Those texts.
    pub fn left_out(&self) -> LeftOut<'_> {
        let skipped = self.published.as_ref().map_or(&[][..], |published| &published.state.skipped);
        let files: Vec<_> = skipped.iter().filter(|(_, why)| may_be_code(*why)).collect();
        let source = if files.is_empty() { Source::Nowhere } else { self.source(&files) };
        LeftOut { files, source }
    }

    fn source(&self, files: &[&(RepoPath, SkipReason)]) -> Source {
        let Some(published) = &self.published else { return Source::Nowhere };
        if self.is_work_tree() {
            return Root::open(&self.project.root).map_or(Source::Nowhere, Source::WorkTree);
        }
        let commit = published.state.commit.as_deref().and_then(ContentHash::from_hex);
        let (Some(repo), Some(commit)) = (&self.project.repo, commit) else { return Source::Nowhere };
        let Ok(tree) = repo.tree_files(&commit) else { return Source::Nowhere };
        let wanted: HashSet<&RepoPath> = files.iter().map(|(path, _)| path).collect();
        let tree = tree.files.into_iter().filter(|file| wanted.contains(&file.path));
        Source::Commit(Box::new(repo.reader()), tree.map(|file| (file.path, file.hash)).collect())
    }
}

impl LeftOut<'_> {
    /// The files, with why they are left out.
    pub fn files(&self) -> impl Iterator<Item = (&RepoPath, SkipReason)> {
        self.files.iter().map(|(path, why)| (path, *why))
    }

    /// Which text one is; `None` where that cannot be told: it is not there, or it changed so shortly before that the next change
    /// might not show.
    pub fn mark(&self, path: &RepoPath) -> Option<TextMark> {
        match &self.source {
            Source::WorkTree(root) => {
                let began = SystemTime::now();
                let mark = mark_of(&root.path().join(path.as_str())).filter(|mark| mark.is_settled(began));
                mark.map(|mark| TextMark(Inner::OnDisk(mark)))
            }
            Source::Commit(_, files) => files.get(path).map(|hash| TextMark(Inner::Stored(*hash))),
            Source::Nowhere => None,
        }
    }

    /// The text of one; `None` for what cannot be read or is no text after all.
    pub fn read(&self, path: &RepoPath) -> Option<Vec<u8>> {
        let bytes = match &self.source {
            Source::WorkTree(root) => root.read(path.as_str(), MAX_FILE).ok()?,
            Source::Commit(reader, files) => match reader.read(files.get(path)?, MAX_FILE).ok()? {
                Blob::Data(bytes) => bytes,
                _ => return None,
            },
            Source::Nowhere => return None,
        };
        (!ignore_rules::is_binary(&bytes)).then_some(bytes)
    }
}
