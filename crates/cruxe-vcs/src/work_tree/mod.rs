//! Linked work trees of our own: made, moved to another commit and removed without the git program.
//!
//! They are git's own kind: a folder whose `.git` file names a folder below `worktrees` of the git directory, which
//! holds the `HEAD` and the index of that work tree alone. `git worktree list` and `git worktree remove` know them.

use std::borrow::Cow;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use cruxe_model::ContentHash;
use gix::index::entry::Stat;
use parking_lot::Mutex;

use crate::checkout::{self, Item, LIMITS, Plan, Stats, is_folder, place_of};
use crate::error::VcsError;
use crate::guard;
use crate::repo::Repo;

/// Held while a work tree is made.
static MAKING: Mutex<()> = Mutex::new(());

/// What a process that was killed had begun is removed after this time; nobody writes files for so long.
const LEFT_OVER: Duration = Duration::from_secs(24 * 60 * 60);

/// The most that the note on a move may hold.
const MAX_NOTE: u64 = 100;

/// How many work trees of one name there may be.
const MAX_ALIKE: usize = 1000;

impl Repo {
    /// Makes a linked work tree in `folder`, where nothing stands yet: the files of a commit, and on no branch.
    pub fn add_work_tree(&self, folder: &Path, commit: &ContentHash) -> Result<(), VcsError> {
        // Two clients of a server may ask for the same ref at once.
        let _one_at_a_time = MAKING.lock();
        if fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some()) {
            return Err(VcsError::Write { path: folder.to_owned(), reason: "something stands there".to_owned() });
        }
        let plan = checkout::plan(&self.local(), commit, LIMITS)?;
        let (Some(parent), Some(name)) = (folder.parent(), folder.file_name().and_then(|name| name.to_str())) else {
            return Err(VcsError::Write { path: folder.to_owned(), reason: "it has no name".to_owned() });
        };
        // Written aside and renamed: a folder that stands at its place is whole.
        let begun = format!(".{name}.");
        let aside = parent.join(format!("{begun}{}", std::process::id()));
        let _ = fs::remove_dir_all(&aside);
        remove_left_overs(parent, &begun);
        let made = make_folder(&aside).and_then(|()| {
            let stats = checkout::write(&self.local(), &aside, plan.iter())?;
            self.forget(folder)?;
            let record = self.new_record(name)?;
            let registered = self.register(&record, folder, commit, |index| {
                checkout::write_index(&self.local(), &plan, &stats, index)?;
                write(&aside.join(".git"), &line("gitdir: ", &record))?;
                fs::rename(&aside, folder).map_err(|error| VcsError::write(folder, &error))
            });
            registered.inspect_err(|_| drop(fs::remove_dir_all(&record)))
        });
        made.inspect_err(|_| drop(fs::remove_dir_all(&aside)))
    }

    /// Brings this linked work tree to another commit; refuses where somebody edited its files. A move that a dying
    /// process left half done is done anew.
    pub fn move_work_tree(&self, commit: &ContentHash) -> Result<(), VcsError> {
        let (root, record) = self.linked()?;
        let mut journal = Journal::open(&record)?;
        let (before, mut stats) = match journal.target {
            Some(target) => (self.half_moved(&target)?, Stats::new()),
            None => self.as_committed()?,
        };
        let after = checkout::plan(&self.local(), commit, LIMITS)?;
        let anew = journal.target.is_some();
        let goes = |path: &[u8]| anew || before.get(path) != after.get(path);
        let expected = |found: &Path| {
            let path = found.strip_prefix(root).map(in_git);
            path.is_ok_and(|path| before.contains_key(&*path) && goes(&path))
        };
        for path in after.keys().filter(|path| !before.contains_key(*path)) {
            let place = place_of(root, path)?;
            let around = place.ancestors().skip(1).take_while(|folder| *folder != root).map(Path::to_owned);
            let mut around = around.filter(|folder| !is_folder(folder) && fs::symlink_metadata(folder).is_ok());
            let in_the_way = around.find(|found| !expected(found)).or_else(|| first_file(&place, &expected));
            in_the_way.map_or(Ok(()), |path| Err(VcsError::Edited { path }))?;
        }
        let locks = ["index", "HEAD"].map(|name| (record.join(format!("{name}.lock")), record.join(name)));
        if anew {
            locks.iter().for_each(|(lock, _)| drop(fs::remove_file(lock)));
        }
        let [(index, _), (head, _)] = &locks;
        write(index, b"")?;
        let moved = write(head, format!("{commit}\n").as_bytes()).and_then(|()| {
            journal.note(Some(commit))?;
            checkout::remove(root, before.keys().filter(|path| goes(path)))?;
            stats.extend(checkout::write(&self.local(), root, after.iter().filter(|(path, _)| goes(path)))?);
            checkout::write_index(&self.local(), &after, &stats, index)?;
            for (from, to) in &locks {
                fs::rename(from, to).map_err(|error| VcsError::write(from, &error))?;
            }
            journal.note(None)
        });
        moved.inspect_err(|_| locks.iter().for_each(|(lock, _)| drop(fs::remove_file(lock))))
    }

    /// What a move to `target` that was interrupted may have left here; fails where something else stands.
    fn half_moved(&self, target: &ContentHash) -> Result<Plan, VcsError> {
        let (root, _) = self.linked()?;
        let mut plans = vec![checkout::plan(&self.local(), target, LIMITS)?];
        if let Some(commit) = self.head()?.commit {
            plans.push(checkout::plan(&self.local(), &commit, LIMITS)?);
        }
        for path in plans.iter().flat_map(Plan::keys) {
            let place = place_of(root, path)?;
            let is_ours = |item: &Item| self.is_unchanged(root, path, item, &Stat::default());
            let found = fs::symlink_metadata(&place).is_ok();
            let ours = plans.iter().filter_map(|plan| plan.get(path)).map(is_ours).collect::<Result<Vec<_>, _>>()?;
            if found && !ours.contains(&true) {
                return Err(VcsError::Edited { path: place });
            }
        }
        Ok(plans.into_iter().flatten().collect())
    }

    /// Removes this linked work tree; refuses where somebody edited its files, or put others there that are not
    /// `ignored` (asked for a path in the work tree, and whether it is a folder).
    pub fn remove_work_tree(&self, ignored: impl Fn(&Path, bool) -> bool) -> Result<(), VcsError> {
        let (root, record) = self.linked()?;
        let (tracked, _) = self.as_committed()?;
        let is_ours = |found: &Path| {
            let Some(path) = found.strip_prefix(root).ok().filter(|path| *path != Path::new("")) else { return false };
            path == Path::new(".git") || tracked.contains_key(&*in_git(path)) || ignored(path, is_folder(found))
        };
        if let Some(path) = first_file(root, &is_ours) {
            return Err(VcsError::Edited { path });
        }
        for folder in [root, &record] {
            fs::remove_dir_all(folder).map_err(|error| VcsError::write(folder, &error))?;
        }
        Ok(())
    }

    /// What is checked out here, with how the index remembers it; fails where the disk has something else.
    fn as_committed(&self) -> Result<(Plan, Stats), VcsError> {
        let (root, record) = self.linked()?;
        let unborn = || VcsError::Write { path: record.clone(), reason: "it has no commit".to_owned() };
        let commit = self.head()?.commit.ok_or_else(unborn)?;
        let plan = checkout::plan(&self.local(), &commit, LIMITS)?;
        match self.compare(root, &plan)? {
            Ok(stats) => Ok((plan, stats)),
            Err(path) => Err(VcsError::Edited { path: root.join(path) }),
        }
    }

    /// The folder of this work tree and the one that git keeps of it.
    fn linked(&self) -> Result<(&Path, PathBuf), VcsError> {
        let record = self.git_dir().to_owned();
        match self.work_tree() {
            Some(root) if record.parent() == Some(&self.common_dir().join("worktrees")) => Ok((root, record)),
            _ => Err(VcsError::Write { path: record, reason: "it is not that of a linked work tree".to_owned() }),
        }
    }

    /// Removes what git keeps of a work tree that stood in `folder` and was deleted by hand.
    fn forget(&self, folder: &Path) -> Result<(), VcsError> {
        if fs::symlink_metadata(folder).is_ok() {
            return Ok(());
        }
        guard::check_work_trees(self.common_dir())?;
        let worktrees = self.common_dir().join("worktrees");
        for entry in fs::read_dir(&worktrees).into_iter().flatten().flatten().filter(|_| is_folder(&worktrees)) {
            let says = fs::read_to_string(entry.path().join("gitdir")).unwrap_or_default();
            if is_folder(&entry.path()) && Path::new(says.trim_end()) == folder.join(".git") {
                fs::remove_dir_all(entry.path()).map_err(|error| VcsError::write(&entry.path(), &error))?;
            }
        }
        Ok(())
    }

    /// Makes the folder below `worktrees` for a work tree of this name.
    fn new_record(&self, name: &str) -> Result<PathBuf, VcsError> {
        let worktrees = self.common_dir().join("worktrees");
        if !is_folder(&worktrees) {
            make_folder(&worktrees)?;
        }
        let plain: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        let names = std::iter::once(plain.clone()).chain((1..MAX_ALIKE).map(|number| format!("{plain}{number}")));
        for name in names {
            let record = worktrees.join(name);
            match fs::create_dir(&record) {
                Ok(()) => return Ok(record),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(VcsError::write(&record, &error)),
            }
        }
        Err(VcsError::Write { path: worktrees, reason: format!("there are {MAX_ALIKE} work trees named `{plain}`") })
    }

    /// Writes what git keeps of a work tree; `finish` writes its index and puts the folder in its place.
    fn register(
        &self,
        record: &Path,
        folder: &Path,
        commit: &ContentHash,
        finish: impl FnOnce(&Path) -> Result<(), VcsError>,
    ) -> Result<(), VcsError> {
        // Keeps `git worktree prune` away until the folder is there.
        let locked = record.join("locked");
        write(&locked, b"initializing\n")?;
        write(&record.join("HEAD"), format!("{commit}\n").as_bytes())?;
        write(&record.join("commondir"), b"../..\n")?;
        write(&record.join("gitdir"), &line("", &folder.join(".git")))?;
        finish(&record.join("index"))?;
        fs::remove_file(&locked).map_err(|error| VcsError::write(&locked, &error))
    }
}

/// Where a work tree is being moved to, for whoever comes after a process that died. The lock dies with its holder.
struct Journal {
    file: File,
    path: PathBuf,
    /// Where a move that was never finished led.
    target: Option<ContentHash>,
}

impl Journal {
    fn open(record: &Path) -> Result<Journal, VcsError> {
        let path = record.join("moving");
        let failed = |error: io::Error| VcsError::write(&path, &error);
        guard::check(&path, MAX_NOTE)?;
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path).map_err(failed)?;
        file.try_lock().map_err(|error| failed(error.into()))?;
        let mut text = String::new();
        Read::by_ref(&mut file).take(MAX_NOTE).read_to_string(&mut text).map_err(failed)?;
        Ok(Journal { target: ContentHash::from_hex(text.trim()), file, path })
    }

    fn note(&mut self, target: Option<&ContentHash>) -> Result<(), VcsError> {
        let text = target.map(ContentHash::to_hex).unwrap_or_default();
        let noted =
            self.file.set_len(0).and_then(|()| self.file.rewind()).and_then(|()| self.file.write_all(text.as_bytes()));
        noted.map_err(|error| VcsError::write(&self.path, &error))
    }
}

/// The first thing at or below a place that may not be there. Folders may, and nothing is looked for in one that is
/// expected itself.
fn first_file(place: &Path, expected: &dyn Fn(&Path) -> bool) -> Option<PathBuf> {
    let mut pending = vec![place.to_owned()];
    while let Some(path) = pending.pop() {
        if is_folder(&path) && !expected(&path) {
            pending.extend(fs::read_dir(&path).into_iter().flatten().flatten().map(|entry| entry.path()));
        } else if fs::symlink_metadata(&path).is_ok() && !expected(&path) {
            return Some(path);
        }
    }
    None
}

/// Removes what processes began long ago and never finished.
fn remove_left_overs(parent: &Path, begun: &str) {
    let is_old = |path: &Path| {
        let changed = fs::symlink_metadata(path).and_then(|metadata| metadata.modified()).ok();
        changed.and_then(|time| time.elapsed().ok()).is_some_and(|age| age > LEFT_OVER)
    };
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(begun) && is_old(&entry.path()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

fn make_folder(path: &Path) -> Result<(), VcsError> {
    fs::create_dir(path).map_err(|error| VcsError::write(path, &error))
}

/// A path as git writes it.
fn in_git(path: &Path) -> Cow<'_, [u8]> {
    let bytes = path.as_os_str().as_encoded_bytes();
    match cfg!(windows) {
        true => bytes.iter().map(|byte| if *byte == b'\\' { b'/' } else { *byte }).collect(),
        false => Cow::Borrowed(bytes),
    }
}

fn line(before: &str, path: &Path) -> Vec<u8> {
    [before.as_bytes(), path.as_os_str().as_encoded_bytes(), b"\n"].concat()
}

/// Writes a file where nothing stands, so that no link is followed.
fn write(path: &Path, bytes: &[u8]) -> Result<(), VcsError> {
    let made = fs::File::create_new(path).and_then(|mut file| file.write_all(bytes));
    made.map_err(|error| VcsError::write(path, &error))
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
