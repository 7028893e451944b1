//! The files of a commit, written into a folder by our own code.
//!
//! The git program would run what the repository's configuration names: filters, hooks, a monitor, a transport for
//! objects that are missing. Here a file gets the bytes of its blob, and nothing is run or fetched.
//!
//! The commit may be a stranger's. Everything is checked and measured before the first byte is written. Files are
//! created, never opened, and links are made last, so that no write goes through a link.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use cruxe_model::ContentHash;
use gix::bstr::ByteSlice;
use gix::index::entry::{Flags, Mode, Stat};
use gix::objs::Kind;
use gix::objs::tree::EntryKind;
use gix::validate::path::component;

use crate::blob::hash_blob;
use crate::error::{VcsError, reason};
use crate::object::{find, header, object_id, wrong_kind};
use crate::repo::Repo;
use crate::tree::{MAX_FILES, Walk};

/// Several times the largest repositories that people check out whole. A few crafted objects unfold to any number of
/// files and bytes.
pub(crate) const LIMITS: Limits = Limits { files: MAX_FILES, bytes: 32 << 30 };

/// The longest target that a link can have.
const MAX_LINK: u64 = 4096;

/// What a checkout may cost.
#[derive(Clone, Copy)]
pub(crate) struct Limits {
    pub files: usize,
    pub bytes: u64,
}

/// What stands at a path.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Item {
    pub mode: Mode,
    pub hash: ContentHash,
    size: u64,
}

/// What a commit contains, by path, in the order of git's index.
pub(crate) type Plan = BTreeMap<Vec<u8>, Item>;

/// How the disk shows what was written, by path.
pub(crate) type Stats = BTreeMap<Vec<u8>, Stat>;

/// Says what a checkout of the commit would write, or why there cannot be one.
pub(crate) fn plan(repo: &gix::Repository, commit: &ContentHash, limits: Limits) -> Result<Plan, VcsError> {
    let refused = |reason: String| VcsError::Checkout { hash: *commit, reason };
    let mut plan = Plan::new();
    let mut sizes: HashMap<ContentHash, u64> = HashMap::new();
    let mut bytes = 0u64;
    let mut walk = Walk::new(repo, commit, limits.files)?;
    while let Some(entry) = walk.next()? {
        let mode = match entry.kind {
            EntryKind::Blob | EntryKind::Tree => Mode::FILE,
            EntryKind::BlobExecutable => Mode::FILE_EXECUTABLE,
            EntryKind::Link => Mode::SYMLINK,
            EntryKind::Commit => Mode::COMMIT,
        };
        let shown = || entry.path.as_bstr().to_str_lossy().into_owned();
        check_path(&entry.path, mode).map_err(|why| refused(format!("it has a file `{}`: {why}", shown())))?;
        let size = match sizes.get(&entry.hash) {
            _ if mode == Mode::COMMIT => 0,
            Some(size) => *size,
            None => {
                let (kind, size) = header(repo, &entry.hash)?;
                if kind != Kind::Blob {
                    return Err(wrong_kind(&entry.hash, kind, Kind::Blob));
                }
                sizes.insert(entry.hash, size);
                size
            }
        };
        bytes = bytes.saturating_add(size);
        if bytes > limits.bytes {
            return Err(refused(format!("its files have more than {} bytes", limits.bytes)));
        }
        if mode == Mode::SYMLINK && size > MAX_LINK {
            return Err(refused(format!("the link `{}` is too long", shown())));
        }
        let name = shown();
        if plan.insert(entry.path, Item { mode, hash: entry.hash, size }).is_some() {
            return Err(refused(format!("it has `{name}` twice")));
        }
    }
    if let Some(path) = walk.bad_paths.first() {
        return Err(refused(format!("it has a file `{path}`, which no folder can hold")));
    }
    for path in plan.keys() {
        if let Some(folder) = folders(path).find(|folder| plan.contains_key(*folder)) {
            return Err(refused(format!("`{}` is both a file and a folder", folder.as_bstr().to_str_lossy())));
        }
    }
    Ok(plan)
}

/// Git's own rules: nothing that is, or that some file system takes for, `.git`, and no way out.
fn check_path(path: &[u8], mode: Mode) -> Result<(), component::Error> {
    let options = component::Options { protect_windows: cfg!(windows), protect_hfs: true, protect_ntfs: true };
    let link = (mode == Mode::SYMLINK).then_some(component::Mode::Symlink);
    path.split(|byte| *byte == b'/').try_for_each(|name| component(name.as_bstr(), link, options).map(drop))
}

/// The folders around a path, outermost first.
fn folders(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| &path[..at])
}

/// Writes items that are not there, and says how the disk shows each: files first, links last.
pub(crate) fn write<'a>(
    repo: &gix::Repository,
    root: &Path,
    items: impl Iterator<Item = (&'a Vec<u8>, &'a Item)>,
) -> Result<Stats, VcsError> {
    let (links, files): (Vec<_>, Vec<_>) = items.partition(|(_, item)| item.mode == Mode::SYMLINK);
    let mut stats = Stats::new();
    let mut known = HashSet::new();
    for (path, item) in files.into_iter().chain(links) {
        let place = place_of(root, path)?;
        let failed = |error: io::Error| VcsError::write(&place, &error);
        make_folders(root, path, &mut known)?;
        if item.mode == Mode::COMMIT {
            // Where another repository belongs git leaves an empty folder.
            fs::create_dir(&place).map_err(failed)?;
            stats.insert(path.clone(), Stat::default());
            continue;
        }
        let data = find(repo, &item.hash, Kind::Blob)?.detach().data;
        if data.len() as u64 != item.size {
            let reason = format!("it says that it has {} bytes and has {}", item.size, data.len());
            return Err(VcsError::DamagedObject { hash: item.hash, reason });
        }
        let metadata = match item.mode == Mode::SYMLINK {
            true => link(&data, &place).and_then(|()| gix::index::fs::Metadata::from_path_no_follow(&place)),
            false => create(&data, &place, item.mode),
        };
        let stat = Stat::from_fs(&metadata.map_err(failed)?);
        stats.insert(path.clone(), stat.map_err(|error| failed(io::Error::other(error)))?);
    }
    Ok(stats)
}

/// Makes the folders around a path. What stands in the way stays, also a link to a folder.
fn make_folders(root: &Path, path: &[u8], known: &mut HashSet<Vec<u8>>) -> Result<(), VcsError> {
    for folder in folders(path) {
        if known.contains(folder) {
            continue;
        }
        let place = place_of(root, folder)?;
        match fs::create_dir(&place) {
            Err(_) if is_folder(&place) => {}
            made => made.map_err(|error| VcsError::write(&place, &error))?,
        }
        known.insert(folder.to_vec());
    }
    Ok(())
}

fn create(data: &[u8], place: &Path, mode: Mode) -> io::Result<gix::index::fs::Metadata> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, if mode == Mode::FILE_EXECUTABLE { 0o777 } else { 0o666 });
    #[cfg(not(unix))]
    let _ = mode;
    let mut file = options.open(place)?;
    file.write_all(data)?;
    gix::index::fs::Metadata::from_file(&file)
}

#[cfg(unix)]
fn link(target: &[u8], place: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target.to_path().map_err(io::Error::other)?, place)
}

/// As git does where links need rights that few users have.
#[cfg(not(unix))]
fn link(target: &[u8], place: &Path) -> io::Result<()> {
    create(target, place, Mode::FILE).map(drop)
}

/// Removes files and links, and the folders that are empty then.
pub(crate) fn remove<'a>(root: &Path, paths: impl Iterator<Item = &'a Vec<u8>>) -> Result<(), VcsError> {
    for path in paths {
        let place = place_of(root, path)?;
        let gone = if is_folder(&place) { fs::remove_dir(&place) } else { fs::remove_file(&place) };
        match gone {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(VcsError::write(&place, &error)),
            _ => {}
        }
        let outwards = folders(path).collect::<Vec<_>>().into_iter().rev();
        for folder in outwards {
            if fs::remove_dir(place_of(root, folder)?).is_err() {
                break;
            }
        }
    }
    Ok(())
}

/// Writes git's index of what was written over a file of ours.
pub(crate) fn write_index(repo: &gix::Repository, plan: &Plan, stats: &Stats, to: &Path) -> Result<(), VcsError> {
    let mut state = gix::index::State::new(repo.object_hash());
    for (path, item) in plan {
        let stat = stats.get(path).copied().unwrap_or_default();
        state.dangerously_push_entry(stat, object_id(repo, &item.hash)?, Flags::empty(), item.mode, path.as_bstr());
    }
    let file = File::create(to).map_err(|error| VcsError::write(to, &error))?;
    let mut out = BufWriter::new(file);
    gix::index::File::from_state(state, to)
        .write_to(&mut out, gix::index::write::Options::default())
        .map_err(|error| VcsError::Write { path: to.to_owned(), reason: reason(&error) })?;
    out.flush().map_err(|error| VcsError::write(to, &error))
}

impl Repo {
    /// What git's index says of each path of the plan; the first path that is not as the plan has it, there or on disk.
    pub(crate) fn compare(&self, root: &Path, plan: &Plan) -> Result<Result<Stats, String>, VcsError> {
        let index = self.index()?;
        let differs = |path: &[u8]| Ok(Err(path.to_str_lossy().into_owned()));
        let mut stats = Stats::new();
        for entry in &index.entries {
            let path = entry.path.clone();
            let staged = |item: &&Item| item.mode == entry.mode && item.hash == entry.hash && !entry.conflicted;
            let Some(item) = plan.get(&path).filter(staged) else { return differs(&path) };
            if !self.is_unchanged(root, &path, item, &entry.stat)? {
                return differs(&path);
            }
            stats.insert(path, entry.stat);
        }
        match plan.keys().find(|path| !stats.contains_key(*path)) {
            Some(path) => differs(path),
            None => Ok(Ok(stats)),
        }
    }

    pub(crate) fn is_unchanged(&self, root: &Path, path: &[u8], item: &Item, stat: &Stat) -> Result<bool, VcsError> {
        // Behind a link to a folder stands another file, however alike.
        for folder in folders(path) {
            if !is_folder(&place_of(root, folder)?) {
                return Ok(false);
            }
        }
        let place = place_of(root, path)?;
        let Ok(metadata) = fs::symlink_metadata(&place) else { return Ok(item.mode == Mode::COMMIT) };
        Ok(match item.mode {
            Mode::COMMIT => metadata.is_dir() && fs::read_dir(&place).is_ok_and(|mut entries| entries.next().is_none()),
            Mode::SYMLINK if cfg!(unix) => fs::read_link(&place).is_ok_and(|target| {
                let target = target.as_os_str().as_encoded_bytes();
                hash_blob(self.object_format(), target) == item.hash
            }),
            _ if !metadata.is_file() => false,
            _ if crate::recent::is_same(&metadata, stat) => true,
            _ if metadata.len() != item.size => false,
            _ => fs::read(&place).is_ok_and(|data| hash_blob(self.object_format(), &data) == item.hash),
        })
    }
}

pub(crate) fn is_folder(place: &Path) -> bool {
    fs::symlink_metadata(place).is_ok_and(|found| found.is_dir())
}

pub(crate) fn place_of(root: &Path, path: &[u8]) -> Result<std::path::PathBuf, VcsError> {
    match path.to_path() {
        Ok(path) => Ok(root.join(path)),
        Err(_) => Err(VcsError::Write { path: root.to_owned(), reason: "a name is not UTF-8".to_owned() }),
    }
}
