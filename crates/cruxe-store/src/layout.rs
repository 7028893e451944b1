//! Where the files of a project are.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use cruxe_model::ProjectId;
use serde::{Deserialize, Serialize};

use crate::error::StoreError;
use crate::lock::WriterLock;

/// The folder of everything that Cruxe keeps for a user.
#[derive(Clone, Debug)]
pub struct Home {
    root: PathBuf,
}

impl Home {
    /// A home at a folder, which need not exist yet.
    pub fn new(root: impl Into<PathBuf>) -> Home {
        Home { root: root.into() }
    }

    /// The folder itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The folder of the installed models.
    pub fn models(&self) -> PathBuf {
        self.root.join("models")
    }

    /// The user's configuration.
    pub fn config(&self) -> PathBuf {
        self.root.join("config.toml")
    }

    /// The folder of a project.
    pub fn project(&self, id: &ProjectId) -> ProjectDir {
        ProjectDir { root: self.root.join("projects").join(id.as_str()) }
    }

    /// Fails where nothing can be written.
    pub fn check_writable(&self) -> Result<(), StoreError> {
        let probe = self.root.join("projects").join(format!("probe-{}", std::process::id()));
        write_atomically(&probe, b"")?;
        fs::remove_file(&probe).map_err(StoreError::io(&probe))
    }

    /// When a project was last added or taken away.
    pub fn changed_at(&self) -> Option<SystemTime> {
        fs::metadata(self.root.join("projects")).and_then(|folder| folder.modified()).ok()
    }

    /// The folders of every project that was ever seen.
    pub fn projects(&self) -> Vec<ProjectDir> {
        let entries = fs::read_dir(self.root.join("projects")).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).filter(|path| path.is_dir()).map(|root| ProjectDir { root }).collect()
    }
}

/// What is known about a project before anything is indexed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProjectRecord {
    /// Its id.
    pub project_id: String,
    /// The work tree or folder that was registered first.
    pub root: PathBuf,
    /// Git's common directory; `None` outside git.
    pub common_dir: Option<PathBuf>,
    /// When it was registered.
    pub created_at: String,
}

/// The folder of one project.
#[derive(Clone, Debug)]
pub struct ProjectDir {
    root: PathBuf,
}

impl ProjectDir {
    /// The folder itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The home that it is in.
    pub fn home(&self) -> Home {
        Home { root: self.root.parent().and_then(Path::parent).unwrap_or(&self.root).to_owned() }
    }

    /// The writer's lock.
    pub(crate) fn lock_path(&self) -> PathBuf {
        self.root.join("lock")
    }

    /// The file that names the generation in use.
    pub(crate) fn pointer_path(&self) -> PathBuf {
        self.root.join("CURRENT")
    }

    /// The history of jobs.
    pub(crate) fn jobs_path(&self) -> PathBuf {
        self.root.join("jobs.db")
    }

    /// When the project was last indexed or asked about; `None` for one that never was.
    pub fn last_used(&self) -> Option<SystemTime> {
        fs::metadata(self.jobs_path()).and_then(|file| file.modified()).ok()
    }

    /// Bytes on disk, the work trees that were made for it included.
    pub fn size(&self) -> u64 {
        [self.root.clone(), self.worktrees()].iter().map(|folder| size_of(folder)).sum()
    }

    /// Removes everything that is kept for the project; [`StoreError::Busy`] while somebody indexes it.
    pub fn remove(&self) -> Result<(), StoreError> {
        let lock = WriterLock::acquire(&self.lock_path())?;
        let worktrees = self.worktrees();
        if worktrees.exists() {
            fs::remove_dir_all(&worktrees).map_err(StoreError::io(&worktrees))?;
        }
        // The record goes first: what a crash leaves of the rest is no project any more.
        let record = self.root.join("project.json");
        if record.exists() {
            fs::remove_file(&record).map_err(StoreError::io(&record))?;
        }
        // Where open files cannot be removed, a lock that is held could not.
        drop(lock);
        fs::remove_dir_all(&self.root).map_err(StoreError::io(&self.root))
    }

    /// The folder of the work trees that were made for this project's refs: `worktrees/<project>` beside `projects`.
    pub fn worktrees(&self) -> PathBuf {
        let home = self.root.parent().and_then(Path::parent).unwrap_or(&self.root);
        home.join("worktrees").join(self.root.file_name().unwrap_or_default())
    }

    /// What was registered; `None` for a project never seen.
    pub fn record(&self) -> Result<Option<ProjectRecord>, StoreError> {
        let path = self.root.join("project.json");
        match fs::read(&path) {
            // A record that cannot be read is as good as none: registering again writes a new one.
            Ok(bytes) => Ok(serde_json::from_slice(&bytes).ok()),
            Err(problem) if matches!(problem.kind(), ErrorKind::NotFound | ErrorKind::IsADirectory) => Ok(None),
            Err(problem) => Err(StoreError::io(path)(problem)),
        }
    }

    /// Registers the project.
    pub fn register(&self, record: &ProjectRecord) -> Result<(), StoreError> {
        let text = serde_json::to_vec_pretty(record).unwrap_or_default();
        write_atomically(&self.root.join("project.json"), &text)
    }

    /// The folder of the generation in use; `None` when nothing was ever indexed.
    pub fn current(&self) -> Result<Option<PathBuf>, StoreError> {
        let path = self.pointer_path();
        match fs::read_to_string(&path) {
            Ok(name) if is_generation(name.trim()) => Ok(Some(self.root.join(name.trim()))),
            Ok(_) => Err(StoreError::corrupt("CURRENT names no generation")),
            Err(problem) if problem.kind() == ErrorKind::NotFound => Ok(None),
            Err(problem) if matches!(problem.kind(), ErrorKind::InvalidData | ErrorKind::IsADirectory) => {
                Err(StoreError::corrupt("CURRENT is no text"))
            }
            Err(problem) => Err(StoreError::io(path)(problem)),
        }
    }

    /// A folder for a generation that nobody uses yet.
    pub(crate) fn new_generation(&self) -> Result<PathBuf, StoreError> {
        // By the clock, so that a name never comes back, not even after somebody removed what was there: a reader that has an
        // older one open knows it by its name.
        let now = jiff::Timestamp::now().as_millisecond().max(0) as u64;
        let mut number = self.generations()?.into_iter().max().map_or(now, |last| now.max(last + 1));
        fs::create_dir_all(&self.root).map_err(StoreError::io(&self.root))?;
        loop {
            let path = self.root.join(format!("g{number}"));
            match fs::create_dir(&path) {
                Ok(()) => return Ok(path),
                Err(problem) if problem.kind() == ErrorKind::AlreadyExists => number += 1,
                Err(problem) => return Err(StoreError::io(&path)(problem)),
            }
        }
    }

    /// Makes a generation the one in use.
    pub(crate) fn switch_to(&self, generation: &Path) -> Result<(), StoreError> {
        let name = generation.file_name().unwrap_or_default();
        write_atomically(&self.pointer_path(), name.as_encoded_bytes())
    }

    /// Removes every generation but the one in use. Readers that have one open keep it until they look again.
    pub(crate) fn remove_others(&self, keep: &Path) -> Result<(), StoreError> {
        self.remove_all_but(&[keep.to_owned()])
    }

    /// Removes every generation but some.
    pub(crate) fn remove_all_but(&self, keep: &[PathBuf]) -> Result<(), StoreError> {
        for number in self.generations()? {
            let path = self.root.join(format!("g{number}"));
            if !keep.contains(&path) {
                // On systems that refuse to remove open files the next writer tries again.
                if fs::remove_dir_all(&path).is_err() {
                    let _ = fs::remove_file(&path);
                }
            }
        }
        Ok(())
    }

    fn generations(&self) -> Result<Vec<u64>, StoreError> {
        let entries = match fs::read_dir(&self.root) {
            Ok(entries) => entries,
            Err(problem) if problem.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(problem) => return Err(StoreError::io(&self.root)(problem)),
        };
        let number = |name: &str| name.strip_prefix('g').and_then(|rest| rest.parse().ok()).filter(|n| *n < u64::MAX);
        Ok(entries.flatten().filter_map(|entry| number(entry.file_name().to_str()?)).collect())
    }
}

/// Bytes of a folder with all that is in it; links are not followed, and what cannot be read counts as nothing.
pub fn size_of(folder: &Path) -> u64 {
    let mut sum = 0;
    let mut pending = vec![folder.to_owned()];
    while let Some(folder) = pending.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            match entry.metadata() {
                Ok(found) if found.is_dir() => pending.push(entry.path()),
                Ok(found) => sum += found.len(),
                Err(_) => {}
            }
        }
    }
    sum
}

/// The number in the name of a generation's folder. What is published counts up from it, so that two generations never have a
/// publish of the same number.
pub(crate) fn generation_number(folder: &Path) -> i64 {
    let name = folder.file_name().and_then(|name| name.to_str());
    name.and_then(|name| name.strip_prefix('g')).and_then(|number| number.parse().ok()).unwrap_or(0)
}

fn is_generation(name: &str) -> bool {
    name.strip_prefix('g').is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Writes a file so that a reader sees the old or the new content, never a part.
pub(crate) fn write_atomically(path: &Path, content: &[u8]) -> Result<(), StoreError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(StoreError::io(folder))?;
    // Two threads may write the same file at the same moment: each has a name of its own to write to.
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let temporary = path.with_extension(format!("tmp{}-{number}", std::process::id()));
    let written = fs::File::create(&temporary)
        .and_then(|mut file| file.write_all(content).and_then(|()| file.sync_all()))
        .and_then(|()| match fs::rename(&temporary, path) {
            // Nobody makes a folder there for a reason.
            Err(problem) if problem.kind() == ErrorKind::IsADirectory => {
                fs::remove_dir_all(path).and_then(|()| fs::rename(&temporary, path))
            }
            other => other,
        });
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written.map_err(StoreError::io(path))
}
