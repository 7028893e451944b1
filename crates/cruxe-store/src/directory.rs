//! The folder of the full-text index, as Tantivy sees it: files in checked blocks, read and not mapped.
//!
//! Tantivy's own folder maps its files and compares a checksum only when it is asked to read a file as a whole. A mapped
//! file that somebody cuts kills the process that reads it, and a flipped bit comes out as another answer. Here a file ends
//! with the checksums of its blocks, and a block is compared whenever it is read.
//!
//! ```text
//! content · checksum of each block · length of the content · checksum of the two
//! ```
//!
//! Tantivy's own folder also waits for the disk after each file, and a commit of one edited file writes thirteen. Nothing leads to
//! any of them before `meta.json` names them, so here they wait together, right before it.

use std::collections::HashMap;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use tantivy::HasLen;
use tantivy::directory::error::{DeleteError, LockError, OpenDirectoryError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    AntiCallToken, Directory, DirectoryLock, FileHandle, Lock, META_LOCK, MmapDirectory, OwnedBytes, TerminatingWrite,
    WatchCallback, WatchHandle, WritePtr,
};

use crate::check::{seal, unseal};

/// What is read at once: postings of a word are mostly shorter, dictionaries are many of them.
const BLOCK: usize = 16 << 10;
/// Length of the content and checksum.
const ENDING: usize = 12;
/// Smaller files are read when they are opened, so that an index of many small segments does not hold as many open files.
const SMALL: usize = 4 * BLOCK;
/// What is at least so long is read once for all who want the same part: term dictionaries, above all.
const SHARED: usize = 4 * BLOCK;

/// Tantivy's list of the files that it made. It is written before each of them, and all that depends on it is that files nobody
/// needs are removed.
const MADE: &str = ".managed.json";

/// A folder of checked files.
#[derive(Clone)]
pub(crate) struct CheckedDirectory {
    /// Does what has nothing to do with reading and writing of files.
    inner: MmapDirectory,
    root: PathBuf,
    /// Files that somebody has open. They never change, so they are shared.
    open: Arc<Mutex<HashMap<PathBuf, Weak<CheckedFile>>>>,
    unsynced: Arc<Unsynced>,
    /// Whether what is in it is to outlive a loss of power.
    lasts: Arc<AtomicBool>,
}

impl CheckedDirectory {
    pub fn open(root: &Path) -> Result<CheckedDirectory, OpenDirectoryError> {
        let inner = MmapDirectory::open(root)?;
        let (open, unsynced, lasts) = (Arc::default(), Arc::default(), Arc::new(AtomicBool::new(true)));
        Ok(CheckedDirectory { inner, root: root.to_owned(), open, unsynced, lasts })
    }

    /// Whether it waits for the disk from now on: not while there is nothing in it yet that anybody could miss.
    pub fn set_lasting(&self, lasts: bool) {
        self.lasts.store(lasts, Ordering::Relaxed);
    }

    /// Waits for the disk to have what was written, and a file of somebody else's with it.
    pub fn wait_for(&self, other: &Path) -> io::Result<()> {
        self.unsynced.add(other.to_owned(), File::options().write(true).open(other)?)?;
        self.sync_directory()
    }

    /// Replaces a file as a whole without waiting for the disk.
    fn replace(&self, path: &Path, content: &[u8]) -> io::Result<()> {
        let new = self.root.join(".new"); // there is one writer
        let mut file = File::create(&new)?;
        file.write_all(content)?;
        let path = self.root.join(path);
        fs::rename(&new, &path)?;
        self.unsynced.add(path, file)
    }

    /// The list of files that were made, by what is there: after a loss of power it may be no list any more.
    fn made_anew(&self) -> io::Result<Vec<u8>> {
        let names = fs::read_dir(&self.root)?.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        let names: Vec<String> = names.filter(|name| !name.starts_with('.')).collect();
        Ok(serde_json::to_vec(&names)?)
    }
}

/// So many files are open at most because nobody waited for the disk yet.
const MOST_UNSYNCED: usize = 32;

/// Files that were written and may not be on the disk yet.
#[derive(Default)]
struct Unsynced(Mutex<HashMap<PathBuf, File>>);

impl Unsynced {
    /// What a file replaced does not matter any more.
    fn add(&self, path: PathBuf, file: File) -> io::Result<()> {
        let mut files = self.0.lock();
        files.insert(path, file);
        let many = files.len() >= MOST_UNSYNCED;
        drop(files);
        if many { self.sync() } else { Ok(()) }
    }

    /// Waits for the disk, for all of them at once: it is mostly the disk's own journal that is waited for, and that is written
    /// once for all.
    fn sync(&self) -> io::Result<()> {
        let files = std::mem::take(&mut *self.0.lock());
        let mut files = files.values();
        let Some(first) = files.next() else { return Ok(()) };
        std::thread::scope(|scope| {
            let others: Vec<_> = files.map(|file| scope.spawn(|| file.sync_data())).collect();
            let first = first.sync_data();
            let panicked = |_| Err(io::Error::other("a thread that waits for the disk panicked"));
            let outcomes = others.into_iter().map(|other| other.join().unwrap_or_else(panicked));
            outcomes.fold(first, Result::and)
        })
    }
}

impl fmt::Debug for CheckedDirectory {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        write!(formatter, "CheckedDirectory({})", self.root.display())
    }
}

/// The owner of a small file that is written as a whole.
const WHOLE: i64 = 0;

impl Directory for CheckedDirectory {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        let mut open = self.open.lock();
        if let Some(file) = open.get(path).and_then(Weak::upgrade) {
            return Ok(file);
        }
        let file = CheckedFile::open(&self.root.join(path)).map_err(|problem| match problem.kind() {
            io::ErrorKind::NotFound => OpenReadError::FileDoesNotExist(path.to_owned()),
            _ => OpenReadError::wrap_io_error(problem, path.to_owned()),
        })?;
        let file = Arc::new(file);
        open.retain(|_, file| file.strong_count() > 0);
        open.insert(path.to_owned(), Arc::downgrade(&file));
        Ok(file)
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        let whole = self.root.join(path);
        let file = File::options().write(true).create_new(true).open(&whole);
        let file = file.map_err(|problem| match problem.kind() {
            ErrorKind::AlreadyExists => OpenWriteError::FileAlreadyExists(path.to_owned()),
            _ => OpenWriteError::wrap_io_error(problem, path.to_owned()),
        })?;
        let (inner, unsynced) = (Some(BufWriter::new(file)), Arc::clone(&self.unsynced));
        let writer =
            CheckedWriter { path: whole, inner, unsynced, sums: Vec::new(), block: Block::default(), length: 0 };
        Ok(WritePtr::new(Box::new(writer)))
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        let sealed = self.inner.atomic_read(path)?;
        let content = match unseal(&sealed, WHOLE, "a list") {
            Ok(content) => Ok(content.to_vec()),
            Err(_) if path == Path::new(MADE) => self.made_anew(),
            Err(_) => Err(damaged("a list of the full-text index")),
        };
        content.map_err(|problem| OpenReadError::wrap_io_error(problem, path.to_owned()))
    }

    fn atomic_write(&self, path: &Path, content: &[u8]) -> io::Result<()> {
        let sealed = seal(content.to_vec(), WHOLE);
        if path == Path::new(MADE) || !self.lasts.load(Ordering::Relaxed) {
            return self.replace(path, &sealed);
        }
        self.unsynced.sync()?;
        self.inner.atomic_write(path, &sealed)
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        self.inner.delete(path)
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.inner.exists(path)
    }

    fn sync_directory(&self) -> io::Result<()> {
        if !self.lasts.load(Ordering::Relaxed) {
            return Ok(());
        }
        self.unsynced.sync()?;
        self.inner.sync_directory()
    }

    fn acquire_lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        match self.inner.acquire_lock(lock) {
            // Readers take a lock so that nobody removes what they are about to open. Where they cannot, nobody can.
            Err(LockError::IoError(problem))
                if lock.filepath == META_LOCK.filepath
                    && matches!(problem.kind(), ErrorKind::ReadOnlyFilesystem | ErrorKind::PermissionDenied) =>
            {
                Ok(DirectoryLock::from(Box::new(())))
            }
            other => other,
        }
    }

    fn watch(&self, callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        self.inner.watch(callback)
    }
}

fn damaged(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("checksum of {what}"))
}

/// The block that is being written.
#[derive(Default)]
struct Block {
    hasher: crc32fast::Hasher,
    length: usize,
}

/// Writes content and then its checksums.
struct CheckedWriter {
    path: PathBuf,
    /// Gone once it is ended.
    inner: Option<BufWriter<File>>,
    unsynced: Arc<Unsynced>,
    sums: Vec<u8>,
    block: Block,
    length: u64,
}

impl CheckedWriter {
    fn file(&mut self) -> io::Result<&mut BufWriter<File>> {
        self.inner.as_mut().ok_or_else(|| io::Error::other("the file was ended before"))
    }

    fn end_block(&mut self) {
        let Block { hasher, length } = std::mem::take(&mut self.block);
        if length > 0 {
            self.sums.extend(hasher.finalize().to_le_bytes());
        }
    }
}

impl Write for CheckedWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = BLOCK - self.block.length;
        let written = self.file()?.write(&bytes[..bytes.len().min(room)])?;
        self.block.hasher.update(&bytes[..written]);
        self.block.length += written;
        self.length += written as u64;
        if self.block.length == BLOCK {
            self.end_block();
        }
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file()?.flush()
    }
}

impl TerminatingWrite for CheckedWriter {
    fn terminate_ref(&mut self, _: AntiCallToken) -> io::Result<()> {
        self.end_block();
        let mut ending = std::mem::take(&mut self.sums);
        ending.extend(self.length.to_le_bytes());
        ending.extend(crc32fast::hash(&ending).to_le_bytes());
        self.file()?.write_all(&ending)?;
        let Some(file) = self.inner.take() else { return Ok(()) };
        let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
        self.unsynced.add(std::mem::take(&mut self.path), file)
    }
}

/// A file whose blocks are compared when they are read.
struct CheckedFile {
    path: PathBuf,
    content: Content,
    length: usize,
    /// Checksums of the blocks.
    sums: Vec<u32>,
    /// Long parts that somebody still holds, by where they begin and end.
    parts: Mutex<HashMap<Part, Weak<[u8]>>>,
}

/// Where a part of a file begins and ends.
type Part = (usize, usize);

enum Content {
    Read(OwnedBytes),
    Open(File),
}

impl fmt::Debug for CheckedFile {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        write!(formatter, "CheckedFile({}, {} bytes)", self.path.display(), self.length)
    }
}

impl HasLen for CheckedFile {
    fn len(&self) -> usize {
        self.length
    }
}

impl CheckedFile {
    fn open(path: &Path) -> io::Result<CheckedFile> {
        let file = File::open(path)?;
        let total = file.metadata()?.len() as usize;
        let damage = || damaged(&path.file_name().unwrap_or_default().to_string_lossy());
        let mut ending = [0; ENDING];
        read_at(&file, total.checked_sub(ENDING).ok_or_else(damage)?, &mut ending)?;
        let length = u64::from_le_bytes([0, 1, 2, 3, 4, 5, 6, 7].map(|at| ending[at])) as usize;
        let sums_length = length.div_ceil(BLOCK).saturating_mul(4);
        if length.saturating_add(sums_length).saturating_add(ENDING) != total {
            return Err(damage());
        }
        let mut sums = vec![0; sums_length];
        read_at(&file, length, &mut sums)?;
        let mut hasher = crc32fast::Hasher::new();
        hasher.update(&sums);
        hasher.update(&ending[..8]);
        if hasher.finalize().to_le_bytes() != ending[8..] {
            return Err(damage());
        }
        let sums = sums.as_chunks::<4>().0.iter().map(|sum| u32::from_le_bytes(*sum)).collect();
        let content = Content::Open(file);
        let mut file = CheckedFile { path: path.to_owned(), content, length, sums, parts: Mutex::default() };
        if length <= SMALL {
            file.content = Content::Read(OwnedBytes::new(file.read(0..length)?));
        }
        Ok(file)
    }

    /// Reads the blocks around a part and compares their checksums.
    fn read(&self, range: Range<usize>) -> io::Result<Vec<u8>> {
        let Content::Open(file) = &self.content else { return Err(io::ErrorKind::Unsupported.into()) };
        if range.is_empty() {
            return Ok(Vec::new());
        }
        let (first, last) = (range.start / BLOCK, (range.end - 1) / BLOCK);
        let start = first * BLOCK;
        let mut bytes = vec![0; ((last + 1) * BLOCK).min(self.length) - start];
        read_at(file, start, &mut bytes)?;
        for (block, sum) in bytes.chunks(BLOCK).zip(&self.sums[first..=last]) {
            if crc32fast::hash(block) != *sum {
                return Err(damaged(&self.path.file_name().unwrap_or_default().to_string_lossy()));
            }
        }
        bytes.truncate(range.end - start);
        bytes.drain(..range.start - start);
        Ok(bytes)
    }
}

impl FileHandle for CheckedFile {
    fn read_bytes(&self, range: Range<usize>) -> io::Result<OwnedBytes> {
        if range.start > range.end || range.end > self.length {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "a part that reaches past the end of its file"));
        }
        if let Content::Read(bytes) = &self.content {
            return Ok(bytes.slice(range));
        }
        if range.len() < SHARED {
            return Ok(OwnedBytes::new(self.read(range)?));
        }
        let key = (range.start, range.end);
        let mut parts = self.parts.lock();
        if let Some(part) = parts.get(&key).and_then(Weak::upgrade) {
            return Ok(OwnedBytes::new(part));
        }
        let part: Arc<[u8]> = self.read(range)?.into();
        parts.retain(|_, part| part.strong_count() > 0);
        parts.insert(key, Arc::downgrade(&part));
        Ok(OwnedBytes::new(part))
    }
}

#[cfg(unix)]
fn read_at(file: &File, at: usize, bytes: &mut [u8]) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, at as u64)
}

#[cfg(windows)]
fn read_at(file: &File, at: usize, bytes: &mut [u8]) -> io::Result<()> {
    let mut done = 0;
    while done < bytes.len() {
        match std::os::windows::fs::FileExt::seek_read(file, &mut bytes[done..], (at + done) as u64)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            read => done += read,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(directory: &CheckedDirectory, name: &str, content: &[u8]) {
        let mut file = directory.open_write(Path::new(name)).unwrap();
        file.write_all(content).unwrap();
        file.terminate().unwrap();
    }

    fn read(directory: &CheckedDirectory, name: &str, range: Range<usize>) -> io::Result<Vec<u8>> {
        let file =
            directory.get_file_handle(Path::new(name)).map_err(|problem| io::Error::other(problem.to_string()))?;
        Ok(file.read_bytes(range)?.as_slice().to_vec())
    }

    #[test]
    fn what_was_written_is_read_whatever_the_part() {
        let folder = tempfile::tempdir().unwrap();
        let directory = CheckedDirectory::open(folder.path()).unwrap();
        for length in [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, SMALL, SMALL + 1, 9 * BLOCK + 77] {
            let content: Vec<u8> = (0..length).map(|at| (at % 251) as u8).collect();
            let name = length.to_string();
            write(&directory, &name, &content);
            assert_eq!(directory.open_read(Path::new(&name)).unwrap().len(), length);
            let ends = [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 5 * BLOCK + 3, length];
            for (start, end) in ends.iter().flat_map(|start| ends.iter().map(move |end| (*start, *end))) {
                match content.get(start..end) {
                    Some(part) => assert_eq!(read(&directory, &name, start..end).unwrap(), part),
                    None => assert!(read(&directory, &name, start..end).is_err()),
                }
            }
        }
    }

    #[test]
    fn every_damaged_byte_and_every_missing_end_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let directory = CheckedDirectory::open(folder.path()).unwrap();
        for length in [100, SMALL + 100] {
            let name = length.to_string();
            write(&directory, &name, &vec![7; length]);
            let path = folder.path().join(&name);
            let sound = std::fs::read(&path).unwrap();
            let step = if length < 1000 { 1 } else { 997 };
            for at in (0..sound.len()).step_by(step).chain(length..sound.len()) {
                let mut damaged = sound.clone();
                damaged[at] ^= 0x10;
                std::fs::write(&path, &damaged).unwrap();
                assert!(read(&directory, &name, 0..length).is_err(), "byte {at} of {length}");
                std::fs::write(&path, &sound[..at]).unwrap();
                assert!(read(&directory, &name, 0..length).is_err(), "{at} of {length} bytes");
            }
            std::fs::write(&path, &sound).unwrap();
            assert_eq!(read(&directory, &name, 0..length).unwrap(), vec![7; length]);
        }
        directory.atomic_write(Path::new("list"), b"{}").unwrap();
        assert_eq!(directory.atomic_read(Path::new("list")).unwrap(), b"{}");
        std::fs::write(folder.path().join("list"), b"{} and what not").unwrap();
        assert!(directory.atomic_read(Path::new("list")).is_err());
    }

    #[test]
    fn a_file_that_is_cut_while_it_is_open_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let directory = CheckedDirectory::open(folder.path()).unwrap();
        write(&directory, "long", &vec![7; 20 * BLOCK]);
        let file = directory.get_file_handle(Path::new("long")).unwrap();
        File::options().write(true).open(folder.path().join("long")).unwrap().set_len(5).unwrap();
        assert_eq!(file.read_bytes(0..BLOCK).map(drop).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
    }

    #[test]
    fn files_are_on_the_disk_before_the_list_that_names_them() {
        let folder = tempfile::tempdir().unwrap();
        let directory = CheckedDirectory::open(folder.path()).unwrap();
        let waiting = || directory.unsynced.0.lock().len();
        write(&directory, "one", b"1");
        (0..3).for_each(|_| directory.atomic_write(Path::new(MADE), b"[]").unwrap());
        assert_eq!(waiting(), 2);
        directory.atomic_write(Path::new("meta.json"), b"{}").unwrap();
        assert_eq!(waiting(), 0);
        write(&directory, "two", b"2");
        directory.sync_directory().unwrap();
        assert_eq!(waiting(), 0);
        (0..3 * MOST_UNSYNCED).for_each(|at| write(&directory, &format!("many-{at}"), b"x"));
        assert!(waiting() < MOST_UNSYNCED);
        assert!(
            directory
                .open_write(Path::new("two"))
                .is_err_and(|problem| matches!(problem, OpenWriteError::FileAlreadyExists(_)))
        );
    }

    #[test]
    fn an_index_without_texts_waits_for_nothing_until_it_lasts() {
        let folder = tempfile::tempdir().unwrap();
        let directory = CheckedDirectory::open(folder.path()).unwrap();
        directory.set_lasting(false);
        directory.atomic_write(Path::new("meta.json"), b"{}").unwrap();
        directory.sync_directory().unwrap();
        assert_eq!(directory.unsynced.0.lock().len(), 1);
        assert_eq!(directory.atomic_read(Path::new("meta.json")).unwrap(), b"{}");
        directory.set_lasting(true);
        directory.sync_directory().unwrap();
        assert_eq!(directory.unsynced.0.lock().len(), 0);
    }

    #[test]
    fn a_lost_list_of_files_is_made_anew_and_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let directory = CheckedDirectory::open(folder.path()).unwrap();
        write(&directory, "a.term", b"1");
        for name in [MADE, "meta.json"] {
            directory.atomic_write(Path::new(name), b"[]").unwrap();
            // What a loss of power can leave of a file that was replaced.
            std::fs::write(folder.path().join(name), b"").unwrap();
        }
        let made: Vec<String> = serde_json::from_slice(&directory.atomic_read(Path::new(MADE)).unwrap()).unwrap();
        assert_eq!(
            made.iter().collect::<std::collections::BTreeSet<_>>().into_iter().collect::<Vec<_>>(),
            ["a.term", "meta.json"]
        );
        assert!(directory.atomic_read(Path::new("meta.json")).is_err());
    }
}
