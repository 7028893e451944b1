//! What is published of a ref at one moment, and who hears of the next publish.

use std::sync::Arc;

use cruxe_embed::Table;
use cruxe_model::config::FreshnessPolicy;
use cruxe_model::{FreshnessStatus, IndexingStatus, RepoPath, SchemaStatus, SkipReason, Work};
use cruxe_store::{JobMode, RefSnapshot, Snapshot, StoreError};

use crate::comparison::Change;
use crate::error::IndexError;
use crate::job::{JobRequest, syntax_error_line};
use crate::project::{Project, Source};
use crate::workspace::Workspace;

/// Called after a publish.
pub(crate) type Listener = Box<dyn Fn() + Send + Sync>;

/// A ref at one moment, with everything that is needed to answer a question about it.
pub struct View<'a> {
    /// The project.
    pub project: &'a Project,
    /// What is published; `None` while nothing is.
    pub published: Option<RefSnapshot>,
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
    /// So many files cannot be read and are not in the index.
    Unreadable(usize),
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
    pub(crate) fn new(project: &'a Project, published: Option<RefSnapshot>, standing: Standing) -> View<'a> {
        View { project, published, standing, work: Work::default() }
    }

    /// The files with a syntax error, each with its line, in path order.
    pub fn syntax_errors(&self) -> Result<Vec<(RepoPath, u32)>, StoreError> {
        let Some(published) = &self.published else { return Ok(Vec::new()) };
        let line = |problems: &Option<String>| problems.as_deref().and_then(syntax_error_line);
        let files = published.files_with_problems()?.into_iter();
        Ok(files.filter_map(|file| line(&file.problems).map(|line| (file.path, line))).collect())
    }

    /// The same view, for the work of somebody who asks.
    pub fn with_work(self, work: &Work) -> View<'a> {
        View { work: work.clone(), ..self }
    }
}

impl Workspace {
    /// The ref that a question is about, as it is published, with its freshness handled as the policy says.
    pub fn view(
        self: &Arc<Workspace>,
        ref_name: Option<&str>,
        policy: FreshnessPolicy,
    ) -> Result<View<'_>, IndexError> {
        let outcome = self.look(ref_name, policy);
        match &outcome {
            // No event told of it, or not yet.
            Ok(view) if !view.standing.is_fresh() => self.freshness.wake(),
            Ok(_) => {}
            // What is damaged in part is rebuilt by a sync, also where it is the part that every question needs. So is what an
            // earlier version of the program wrote.
            Err(problem) => {
                let outdated = matches!(problem, IndexError::Store(problem) if problem.is_outdated());
                let rebuilt = outdated || self.project.store.wants_rebuild();
                if rebuilt && policy != FreshnessPolicy::BestEffort {
                    self.sync_in_background();
                }
            }
        }
        outcome
    }

    /// The same without a word to the thread that follows edits.
    pub(crate) fn look(
        self: &Arc<Workspace>,
        ref_name: Option<&str>,
        policy: FreshnessPolicy,
    ) -> Result<View<'_>, IndexError> {
        let (name, source) = self.meaning(ref_name)?;
        let mut standing = Standing::fresh(&name);
        let snapshot = match self.snapshot() {
            Ok(snapshot) => Some(snapshot),
            Err(StoreError::NotIndexed) => {
                standing.schema = SchemaStatus::NotIndexed;
                None
            }
            Err(problem) => return Err(problem.into()),
        };
        let published = match snapshot {
            Some(snapshot) => snapshot.into_ref(&name)?,
            None => None,
        };
        let Some(published) = published else {
            return self.unpublished(name, source, policy, standing);
        };
        if ref_name.is_some() {
            self.touch(&name);
        }
        let change = match &source {
            Some(source) => self.freshness.change(&self.project, source, &published)?,
            None => Some(Change::OtherSource), // the ref is gone from git; what was indexed is all there is
        };
        let active = self.active_job()?.filter(|job| job.ref_name == name);
        if active.as_ref().is_some_and(|job| job.mode == JobMode::Full) {
            standing.indexing = IndexingStatus::Indexing;
        }
        let current = change.is_none();
        if let Some(change) = change {
            self.handle_stale(&name, change, active.is_some(), source.is_some(), policy, &mut standing)?;
        }
        if self.is_behind() {
            if policy == FreshnessPolicy::Strict {
                return Err(IndexError::Stale { ref_name: name, change: Change::OtherSource, head: None });
            }
            standing.freshness = FreshnessStatus::Syncing;
        }
        let here = matches!(source, Some(Source::WorkTree { .. }));
        let incomplete = || Ok::<_, IndexError>(published.wants_rebuild() || self.lacks_embeddings(&published)?);
        if here && current && policy != FreshnessPolicy::BestEffort && incomplete()? {
            self.sync_in_background();
        }
        let lost = published.state.skipped.iter().filter(|(_, why)| *why == SkipReason::Unreadable).count();
        if lost > 0 {
            standing.notices.push(Notice::Unreadable(lost));
        }
        Ok(View::new(&self.project, Some(published), standing))
    }

    /// Whether the embeddings are of another model than the one that questions are embedded with.
    fn lacks_embeddings(&self, snapshot: &Snapshot) -> Result<bool, IndexError> {
        let have = snapshot.embedding()?.map(|embedding| embedding.model);
        Ok(self.project.config.semantic.enabled && have.as_deref() != Some(Table::builtin().version()))
    }

    /// The name of a ref and what it means; no meaning for an indexed ref that git no longer has.
    fn meaning(&self, ref_name: Option<&str>) -> Result<(String, Option<Source>), IndexError> {
        match self.project.resolve(ref_name) {
            Ok((name, source)) => Ok((name, Some(source))),
            Err(problem) => {
                let known = ref_name.filter(|name| {
                    let state = self.snapshot().and_then(|snapshot| snapshot.ref_state(name));
                    state.is_ok_and(|state| state.is_some())
                });
                // That the folder cannot be read says more than which of its files could not.
                let problem = || self.project.check_readable().err().unwrap_or(problem);
                known.map(|name| (name.to_owned(), None)).ok_or_else(problem)
            }
        }
    }

    fn unpublished(
        self: &Arc<Workspace>,
        name: String,
        source: Option<Source>,
        policy: FreshnessPolicy,
        mut standing: Standing,
    ) -> Result<View<'_>, IndexError> {
        let active = self.active_job()?;
        let here = matches!(source, Some(Source::WorkTree { .. }));
        let failed = self.jobs.failure_of(&name);
        standing.partial = true;
        standing.freshness = FreshnessStatus::Stale;
        if active.as_ref().is_some_and(|job| job.ref_name == name) {
            standing.freshness = FreshnessStatus::Syncing;
            standing.indexing = IndexingStatus::Indexing;
            standing.notices.push(Notice::FirstIndex);
        } else if let Some(why) = failed {
            standing.indexing = IndexingStatus::Failed;
            standing.notices.push(Notice::Failed(why));
        } else if !here {
            return Err(IndexError::RefNotIndexed(name));
        } else if policy != FreshnessPolicy::BestEffort && self.project.is_registered()? && self.sync_in_background() {
            standing.freshness = FreshnessStatus::Syncing;
            standing.indexing = IndexingStatus::Indexing;
            standing.notices.push(Notice::BeingIndexed);
        } else {
            standing.indexing = IndexingStatus::NotIndexed;
            standing.notices.push(Notice::NothingIndexed);
        }
        Ok(View::new(&self.project, None, standing))
    }

    fn handle_stale(
        self: &Arc<Workspace>,
        name: &str,
        change: Change,
        syncing: bool,
        exists: bool,
        policy: FreshnessPolicy,
        standing: &mut Standing,
    ) -> Result<(), IndexError> {
        if policy == FreshnessPolicy::Strict {
            let head = self.project.repo.as_ref().and_then(|repo| repo.head().ok()).and_then(|head| head.commit);
            let head = head.map(|head| head.to_hex());
            return Err(IndexError::Stale { ref_name: name.to_owned(), change, head });
        }
        standing.freshness = if syncing { FreshnessStatus::Syncing } else { FreshnessStatus::Stale };
        if policy == FreshnessPolicy::Balanced && !syncing && exists {
            let here = self.project.current_ref().is_ok_and(|current| current == name);
            if here {
                self.sync_in_background();
            } else {
                let request = JobRequest { ref_name: Some(name.to_owned()), force: false };
                let _ = self.start_job(&request, Work::default());
            }
        }
        Ok(())
    }

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
        Ok(View::new(&self.project, snapshot.into_ref(&name)?, standing))
    }

    /// Calls back after every publish that this process makes or, while it follows edits, notices. It must be quick.
    pub fn on_publish(&self, tell: impl Fn() + Send + Sync + 'static) {
        self.listeners.lock().0.push(Box::new(tell));
    }

    pub(crate) fn tell_listeners(&self) {
        let Ok(snapshot) = self.snapshot() else { return };
        let mut listeners = self.listeners.lock();
        if std::mem::replace(&mut listeners.1, snapshot.as_of()) != snapshot.as_of() {
            listeners.0.iter().for_each(|tell| tell());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::testing::Fixture;

    #[test]
    fn an_indexed_ref_is_fresh_and_has_nothing_to_say() {
        let fixture = Fixture::indexed(&[("a.py", "def a(): pass\n")]);
        let view = fixture.workspace.view(None, FreshnessPolicy::Strict).unwrap();
        assert_eq!(view.standing, Standing::fresh("live"));
        assert!(view.published.is_some());
    }

    #[test]
    fn what_nobody_indexed_is_partial_and_best_effort_starts_nothing() {
        let fixture = Fixture::new(&[("a.py", "def a(): pass\n")]);
        let view = fixture.workspace.view(None, FreshnessPolicy::BestEffort).unwrap();
        assert!(view.published.is_none() && view.standing.partial);
        assert_eq!(
            (view.standing.indexing, view.standing.schema),
            (IndexingStatus::NotIndexed, SchemaStatus::NotIndexed)
        );
        assert_eq!(view.standing.notices, [Notice::NothingIndexed]);
        assert!(fixture.workspace.active_job().unwrap().is_none());
    }

    #[test]
    fn after_an_edit_strict_refuses_and_names_it_and_best_effort_says_stale() {
        let fixture = Fixture::indexed(&[("a.py", "def a(): pass\n")]);
        fixture.write("b.py", "def b(): pass\n");
        match fixture.workspace.view(None, FreshnessPolicy::Strict) {
            Err(IndexError::Stale { ref_name, change: Change::File(path), head: None }) => {
                assert_eq!((ref_name.as_str(), path.as_str()), ("live", "b.py"));
            }
            other => panic!("{:?}", other.err()),
        }
        let view = fixture.workspace.view(None, FreshnessPolicy::BestEffort).unwrap();
        assert_eq!(view.standing.freshness, FreshnessStatus::Stale);
    }

    #[test]
    fn a_failed_first_index_is_told_with_its_reason_until_one_succeeds() {
        let fixture = Fixture::new(&[("a.py", "def a(): pass\n")]);
        fixture.workspace.jobs.note_end("live", &Err(IndexError::TooManyFiles(1)));
        let view = fixture.workspace.view(None, FreshnessPolicy::BestEffort).unwrap();
        assert_eq!(view.standing.indexing, IndexingStatus::Failed);
        assert!(matches!(&view.standing.notices[..], [Notice::Failed(why)] if why.starts_with("more than 1 files")));
        drop(view);
        fixture.index();
        assert!(fixture.workspace.view(None, FreshnessPolicy::BestEffort).unwrap().standing.is_fresh());
    }

    #[test]
    fn a_file_that_is_too_large_is_known_and_not_told_with_every_answer() {
        let fixture = Fixture::indexed(&[("a.py", "def a(): pass\n")]);
        fixture.write("large.py", &"# line\n".repeat(2_000_000));
        fixture.index();
        let view = fixture.workspace.view(None, FreshnessPolicy::Strict).unwrap();
        assert_eq!(view.standing.notices, []);
        let skipped = &view.published.as_ref().unwrap().state.skipped;
        assert_eq!(
            skipped.iter().map(|(path, why)| (path.as_str(), *why)).collect::<Vec<_>>(),
            [("large.py", SkipReason::TooLarge)]
        );
    }

    #[test]
    fn a_listener_hears_of_every_publish_once() {
        let fixture = Fixture::indexed(&[("a.py", "def a(): pass\n")]);
        let heard = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&heard);
        fixture.workspace.on_publish(move || {
            counter.fetch_add(1, Ordering::Relaxed);
        });
        fixture.write("b.py", "def b(): pass\n");
        fixture.index();
        fixture.workspace.tell_listeners();
        assert_eq!(heard.load(Ordering::Relaxed), 1);
    }
}
