//! A worker: takes jobs, fetches, indexes, publishes. Any number of them run side by side, and any may die at any time.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use cruxe_index::{JobRequest, Workspace};
use cruxe_model::Work;
use cruxe_model::config::Config;
use cruxe_store::SCHEMA_VERSION;

use crate::blobs::Blobs;
use crate::database::Database;
use crate::error::TeamError;
use crate::git::{Head, Mirror};
use crate::jobs::{self, LEASE, Lease};
use crate::local::{self, Local, Record, getter};
use crate::node::pack_directory;
use crate::notices::{Follower, JOBS, LOOK_EVERY};
use crate::pack::{PageTable, pages_of};
use crate::publish::{self, Current, Outcome, What};
use crate::repos::{self, PublishedRef, Repo};
use crate::{migrations, sweep};

/// How often a worker sweeps.
const SWEEP_EVERY: Duration = Duration::from_secs(600);

/// What a worker needs.
pub struct WorkerOptions {
    /// Its name, for `cruxe team status`.
    pub name: String,
    /// Where it keeps mirrors and indexes.
    pub folder: PathBuf,
    /// How long blobs and states stay that nobody needs any more.
    pub grace: Duration,
    /// How repositories are indexed.
    pub config: Config,
}

/// A worker.
pub struct Worker {
    database: Arc<Database>,
    blobs: Arc<Blobs>,
    local: Local,
    options: WorkerOptions,
}

/// What became of a job.
#[derive(Debug, PartialEq, Eq)]
enum Done {
    /// The remote has what is published.
    Nothing,
    /// A new state.
    Published(Box<Outcome>),
}

impl Worker {
    /// A worker that does nothing yet.
    pub fn new(database: Arc<Database>, blobs: Arc<Blobs>, options: WorkerOptions) -> Result<Worker, TeamError> {
        migrations::check(&database)?;
        let local = Local::at(&options.folder)?;
        Ok(Worker { database, blobs, local, options })
    }

    /// Works until it is told to stop.
    pub fn run(&self, stop: &AtomicBool) {
        let mut follower = Follower::new(Arc::clone(&self.database), &[JOBS]);
        let mut swept = Instant::now();
        while !stop.load(Ordering::Relaxed) {
            let looked = self.look();
            match looked {
                Ok(true) => continue,
                Ok(false) => {}
                Err(problem) => {
                    tracing::warn!("{problem}");
                    follower.reconnect();
                    std::thread::sleep(Duration::from_millis(500));
                }
            }
            if swept.elapsed() > SWEEP_EVERY {
                swept = Instant::now();
                if let Err(problem) = sweep::sweep(&self.database, &self.blobs, self.options.grace.as_secs()) {
                    tracing::warn!("the sweep failed: {problem}");
                }
            }
            follower.wait(LOOK_EVERY);
        }
    }

    /// Does all that is due, and says how many jobs that were.
    pub fn run_once(&self) -> Result<usize, TeamError> {
        let mut done = 0;
        while self.look()? {
            done += 1;
        }
        Ok(done)
    }

    /// Takes one job; `false` where none is due.
    fn look(&self) -> Result<bool, TeamError> {
        jobs::announce(&self.database, &self.options.name, "worker", SCHEMA_VERSION, None)?;
        jobs::ask_all_due(&self.database, SCHEMA_VERSION)?;
        let Some(lease) = jobs::take(&self.database, &self.options.name, SCHEMA_VERSION)? else { return Ok(false) };
        let work = Work::default();
        let outcome = self.keeping(&lease, &work, || self.work(&lease, &work));
        match outcome {
            Ok(Done::Nothing) => lease.nothing_new(&self.database)?,
            Ok(Done::Published(outcome)) => {
                tracing::info!(state = outcome.state, added = outcome.added_bytes, "published");
            }
            Err(TeamError::Fenced) => tracing::warn!(repo = lease.repo, "{}", TeamError::Fenced),
            Err(problem) => {
                tracing::warn!(repo = lease.repo, "{problem}");
                lease.failed(&self.database, &problem)?;
            }
        }
        Ok(true)
    }

    /// Prolongs a lease while something is done, and ends that where the lease is lost.
    fn keeping<T>(&self, lease: &Lease, work: &Work, run: impl FnOnce() -> T) -> T {
        let (end, ended) = crossbeam_channel::bounded::<()>(0);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let mut last = Instant::now();
                while let Err(crossbeam_channel::RecvTimeoutError::Timeout) = ended.recv_timeout(LEASE / 6) {
                    match lease.prolong(&self.database) {
                        Ok(()) => last = Instant::now(),
                        // The database may be back in a moment; by then the lease may have ended, which publishing sees.
                        Err(TeamError::Unreachable(_)) if last.elapsed() < LEASE => {}
                        Err(_) => return work.cancel(),
                    }
                }
            });
            let outcome = run();
            drop(end);
            outcome
        })
    }

    fn work(&self, lease: &Lease, work: &Work) -> Result<Done, TeamError> {
        let Some(repo) = repos::by_id(&self.database, lease.repo)? else { return Err(TeamError::Fenced) };
        let mirror = self.local.mirror(&repo.name)?;
        mirror.remove_leftovers()?;
        let heads = mirror.heads(&repo.url, &repo.refs)?;
        let chosen = heads.chosen(&repo.refs);
        if chosen.is_empty() {
            return Err(TeamError::Git(format!("nothing matches {}", repo.refs.join(", "))));
        }
        let current = publish::current(&self.database, repo.id)?;
        let current = match current {
            Some(current) if is_as_published(&current, &chosen) && !self.has_damage(&current)? => {
                return Ok(Done::Nothing);
            }
            other => other,
        };
        let base = self.catch_up(&repo, current)?;
        // From here on the files are those of no published state, until they are published.
        self.local.forget_record(&repo.name)?;
        mirror.fetch(&repo.url, &heads, &chosen, repo.depth)?;
        let workspace = Workspace::open(self.local.project(&repo.name, &self.options.config)?);
        index(&workspace, &chosen, work)?;
        let refs = published_refs(&workspace, heads.default.as_deref())?;
        let what = What { refs, directory: directory_of(&workspace)? };
        self.publish(lease, &repo, &workspace, &mirror, base, &what)
    }

    fn has_damage(&self, current: &Current) -> Result<bool, TeamError> {
        Ok(!publish::damaged(&self.database, &current.manifest)?.is_empty())
    }

    /// Makes what is here the published state, so that what is published next differs from it as little as the push did; that
    /// state, with what its pages are. A state that cannot be had any more is made anew from nothing.
    fn catch_up(&self, repo: &Repo, current: Option<Current>) -> Result<Option<(Current, PageTable)>, TeamError> {
        let Some(current) = current else {
            self.start_over(repo)?;
            return Ok(None);
        };
        let here = self.local.record(&repo.name).filter(|record| record.state == current.state);
        if let (Some(_), Some(pages)) = (&here, self.local.pages(&repo.name)) {
            return Ok(Some((current, pages)));
        }
        if here.is_none() {
            let brought = self.local.bring(&repo.name, current.state, &current.manifest, &getter(&self.blobs));
            if let Err(problem @ (TeamError::MissingBlob(_) | TeamError::DamagedBlob(_) | TeamError::Mismatch(_))) =
                brought
            {
                tracing::warn!("{}: {problem}; it is indexed from nothing", repo.name);
                self.start_over(repo)?;
                return Ok(None);
            }
            brought?;
        }
        let project = self.local.project(&repo.name, &self.options.config)?;
        let held = project.store.hold()?;
        let pages = pages_of(&local::sources(&held, &self.local.mirror(&repo.name)?)?)?;
        Ok(Some((current, pages)))
    }

    fn start_over(&self, repo: &Repo) -> Result<(), TeamError> {
        self.local.remove(&repo.name)?;
        self.local.mirror(&repo.name).map(drop)
    }

    fn publish(
        &self,
        lease: &Lease,
        repo: &Repo,
        workspace: &Workspace,
        mirror: &Mirror,
        base: Option<(Current, PageTable)>,
        what: &What,
    ) -> Result<Done, TeamError> {
        let held = workspace.project.store.hold()?;
        let sources = local::sources(&held, mirror)?;
        let before = base.as_ref().map(|(current, pages)| (&current.manifest, pages));
        let (database, blobs) = (&self.database, &self.blobs);
        let (outcome, pages) = publish::publish(database, blobs, lease, &self.options.name, &sources, before, what)?;
        self.local.set_pages(&repo.name, &pages)?;
        let record = Record { state: outcome.state, manifest: outcome.manifest.clone() };
        self.local.set_record(&repo.name, &record)?;
        Ok(Done::Published(Box::new(outcome)))
    }
}

fn is_as_published(current: &Current, chosen: &[Head]) -> bool {
    let published: HashSet<(&str, &str)> =
        current.refs.iter().map(|published| (published.name.as_str(), published.commit.as_str())).collect();
    let wanted: HashSet<(&str, &str)> = chosen.iter().map(|head| (head.name.as_str(), head.commit.as_str())).collect();
    published == wanted
}

/// Indexes branches and tags and forgets all others.
fn index(workspace: &Arc<Workspace>, chosen: &[Head], work: &Work) -> Result<(), TeamError> {
    workspace.project.register()?;
    for head in chosen {
        let request = JobRequest { ref_name: Some(head.name.clone()), force: false };
        workspace.run_job(&request, work.clone())?;
    }
    let wanted = |name: &str| chosen.iter().any(|kept| kept.name == name);
    workspace.project.store.forget_refs(|state| !wanted(&state.name), false)?;
    Ok(())
}

/// What the index has in brief, packed.
fn directory_of(workspace: &Workspace) -> Result<Vec<u8>, TeamError> {
    let dir = workspace.project.store.dir();
    let (_, directory) = cruxe_index::directory(dir, &workspace.project.root, &dir.home())?;
    pack_directory(&directory)
}

fn published_refs(workspace: &Workspace, default: Option<&str>) -> Result<Vec<PublishedRef>, TeamError> {
    let refs = workspace.snapshot()?.refs()?;
    let one = |state: cruxe_store::RefState| PublishedRef {
        commit: state.commit.unwrap_or_default(),
        files: state.files,
        symbols: state.symbols,
        bytes: state.bytes,
        is_default: default == Some(state.name.as_str()),
        name: state.name,
    };
    Ok(refs.into_iter().map(one).collect())
}
