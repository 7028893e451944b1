//! What is published of a ref at one moment, and who hears of the next publish.

use std::sync::Arc;

use cruxe_model::{CancelFlag, FreshnessStatus, Metadata, ToolError};
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
    /// The metadata that the answer starts from.
    pub metadata: Metadata,
    /// Set when nobody waits for the answer any more.
    pub cancel: CancelFlag,
}

impl<'a> View<'a> {
    pub(crate) fn new(
        project: &'a Project,
        published: Option<(Snapshot, Arc<RefState>)>,
        metadata: Metadata,
    ) -> View<'a> {
        View { project, published, metadata, cancel: CancelFlag::default() }
    }

    /// The same view for a question that can be cancelled.
    pub fn cancelled_by(self, cancel: &CancelFlag) -> View<'a> {
        View { cancel: cancel.clone(), ..self }
    }
}

impl Workspace {
    /// What is published of a ref, without a look at the disk and without starting anything; it counts as stale, because
    /// nobody looked. For whoever compares one publish with the next.
    pub fn as_published(&self, ref_name: Option<&str>) -> Result<View<'_>, ToolError> {
        let name = ref_name.map_or_else(|| self.project.current_ref(), |name| Ok(name.to_owned()))?;
        let mut metadata = Metadata::new(&name);
        metadata.freshness_status = FreshnessStatus::Stale;
        let snapshot = match self.snapshot() {
            Ok(snapshot) => snapshot,
            Err(StoreError::NotIndexed) => return Ok(View::new(&self.project, None, metadata)),
            Err(problem) => return Err(IndexError::from(problem).into()),
        };
        let state = snapshot.ref_state(&name).map_err(IndexError::from)?;
        Ok(View::new(&self.project, state.map(|state| (snapshot, state)), metadata))
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
