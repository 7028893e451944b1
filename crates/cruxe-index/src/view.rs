//! What is published of a ref at one moment, and who hears of the next publish.

use std::sync::Arc;

use cruxe_model::{FreshnessStatus, IndexingStatus, SchemaStatus, Work};
use cruxe_store::{RefState, Snapshot, StoreError};

use crate::error::IndexError;
use crate::project::Project;
use crate::workspace::{Workspace, lock};

/// Called after a publish.
pub(crate) type Listener = Box<dyn Fn() + Send + Sync>;

/// A ref at one moment, with everything that is needed to answer a question about it.
pub struct View<'a> {
    /// The project.
    pub project: &'a Project,
    /// What is published; `None` while nothing is.
    pub published: Option<(Snapshot, Arc<RefState>)>,
    /// How current and complete an answer from it is.
    pub standing: Standing,
    /// The work of whoever asks.
    pub work: Work,
}

/// How current and complete an answer about a ref is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// The ref.
    pub ref_name: String,
    /// Whether it is what is there now.
    pub freshness: FreshnessStatus,
    /// Whether it is indexed.
    pub indexing: IndexingStatus,
    /// Whether the index on disk can be read.
    pub schema: SchemaStatus,
    /// Whether results are missing because the ref is not indexed yet.
    pub partial: bool,
    /// What else there is to know.
    pub notices: Vec<Notice>,
}

/// What the reader of an answer should know about the index that it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// The project's first index is being built.
    FirstIndex,
    /// The ref is being indexed for the first time.
    BeingIndexed,
    /// Nothing is indexed and nobody is at it.
    NothingIndexed,
    /// The last attempt to index the ref failed.
    Failed(String),
    /// So many files are too large or unreadable and not in the index.
    LeftOut(usize),
}

impl Standing {
    /// A ref that is indexed as it is now.
    pub fn fresh(ref_name: &str) -> Standing {
        Standing {
            ref_name: ref_name.to_owned(),
            freshness: FreshnessStatus::Fresh,
            indexing: IndexingStatus::Ready,
            schema: SchemaStatus::Compatible,
            partial: false,
            notices: Vec::new(),
        }
    }

    /// Whether nothing has changed since it was indexed.
    pub fn is_fresh(&self) -> bool {
        self.freshness == FreshnessStatus::Fresh
    }
}

impl<'a> View<'a> {
    pub(crate) fn new(
        project: &'a Project,
        published: Option<(Snapshot, Arc<RefState>)>,
        standing: Standing,
    ) -> View<'a> {
        View { project, published, standing, work: Work::default() }
    }

    /// The same view, for the work of somebody who asks.
    pub fn with_work(self, work: &Work) -> View<'a> {
        View { work: work.clone(), ..self }
    }
}

impl Workspace {
    /// What is published of a ref, without a look at the disk and without starting anything; it counts as stale, because
    /// nobody looked. For whoever compares one publish with the next.
    pub fn as_published(&self, ref_name: Option<&str>) -> Result<View<'_>, IndexError> {
        let name = ref_name.map_or_else(|| self.project.current_ref(), |name| Ok(name.to_owned()))?;
        let standing = Standing { freshness: FreshnessStatus::Stale, ..Standing::fresh(&name) };
        let snapshot = match self.snapshot() {
            Ok(snapshot) => snapshot,
            Err(StoreError::NotIndexed) => return Ok(View::new(&self.project, None, standing)),
            Err(problem) => return Err(problem.into()),
        };
        let state = snapshot.ref_state(&name)?;
        Ok(View::new(&self.project, state.map(|state| (snapshot, state)), standing))
    }

    /// Calls back after every publish that this process makes or, while it follows edits, notices. It must be quick.
    pub fn on_publish(&self, tell: impl Fn() + Send + Sync + 'static) {
        lock(&self.listeners).0.push(Box::new(tell));
    }

    pub(crate) fn tell_listeners(&self) {
        let Ok(snapshot) = self.snapshot() else { return };
        let mut listeners = lock(&self.listeners);
        if std::mem::replace(&mut listeners.1, snapshot.published()) != snapshot.published() {
            listeners.0.iter().for_each(|tell| tell());
        }
    }
}
