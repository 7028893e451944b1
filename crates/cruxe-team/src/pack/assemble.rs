//! From blobs to files: what the files before have is copied, the rest fetched, everything compared.

use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;

use super::manifest::{Extent, Hash, Manifest, PackedFile, Part};
use crate::error::TeamError;

/// Blobs that are fetched at once.
const AT_ONCE: usize = 8;

/// What putting files together took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Assembled {
    /// Blobs that were fetched.
    pub blobs: u64,
    /// Their plain bytes.
    pub bytes: u64,
}

/// Where files come from and go to.
pub(crate) trait Place: Sync {
    /// Where a file is to be written.
    fn target(&self, part: Part, name: &str) -> Result<PathBuf, TeamError>;
    /// Where the file of that name is that was put together before.
    fn before(&self, part: Part, name: &str) -> Option<PathBuf>;
    /// Whether the file before can be shared, because nobody changes it.
    fn may_share(&self, part: Part, name: &str) -> bool;
}

/// The plain bytes of a blob, compared with its name.
pub(crate) type Get<'a> = dyn Fn(&Hash) -> Result<Vec<u8>, TeamError> + Sync + 'a;

/// Puts the files of a manifest together. `local` is the manifest of what is there already.
pub(crate) fn assemble(
    manifest: &Manifest,
    local: Option<&Manifest>,
    place: &dyn Place,
    get: &Get,
) -> Result<Assembled, TeamError> {
    match attempt(manifest, local, place, get) {
        // Somebody touched the files that are there. What the storage has is right.
        Err(TeamError::Mismatch(_)) if local.is_some() => attempt(manifest, None, place, get),
        outcome => outcome,
    }
}

fn attempt(
    manifest: &Manifest,
    local: Option<&Manifest>,
    place: &dyn Place,
    get: &Get,
) -> Result<Assembled, TeamError> {
    let known = local.map(|local| Known::of(local, place)).unwrap_or_default();
    let mut wanted: BTreeMap<u32, Vec<Piece>> = BTreeMap::new();
    let mut made: Vec<(&PackedFile, PathBuf)> = Vec::new();
    for file in &manifest.files {
        let target = place.target(file.part, &file.name)?;
        if known.share(file, &target, place) {
            continue;
        }
        let mut output = create(&target, file.bytes)?;
        let mut offset = 0;
        for extent in &file.extents {
            let (hash, _) = manifest.blobs[extent.blob as usize];
            let bytes = known.read(&hash, extent);
            match bytes {
                Some(bytes) => write_at(&mut output, &target, offset, &bytes)?,
                None => {
                    wanted.entry(extent.blob).or_default().push(Piece { file: made.len(), offset, extent: *extent })
                }
            }
            offset += u64::from(extent.bytes);
        }
        made.push((file, target));
    }
    let assembled = fetch(manifest, wanted, &made, get)?;
    compare(&made)?;
    Ok(assembled)
}

/// Bytes of a blob and where they go.
struct Piece {
    file: usize,
    offset: u64,
    extent: Extent,
}

/// What there is already.
#[derive(Default)]
struct Known<'a> {
    files: HashMap<(Part, &'a str), &'a PackedFile>,
    /// By blob: bytes from, bytes to, and in which file they are where.
    pieces: HashMap<Hash, Vec<(u32, u32, usize, u64)>>,
    paths: Vec<PathBuf>,
}

impl<'a> Known<'a> {
    fn of(manifest: &'a Manifest, place: &dyn Place) -> Known<'a> {
        let mut known = Known { files: manifest.by_name(), ..Known::default() };
        for file in &manifest.files {
            let Some(path) = place.before(file.part, &file.name) else { continue };
            if fs::metadata(&path).is_ok_and(|found| found.len() != file.bytes) {
                continue;
            }
            let number = known.paths.len();
            known.paths.push(path);
            let mut offset = 0;
            for extent in &file.extents {
                let (hash, _) = manifest.blobs[extent.blob as usize];
                let piece = (extent.at, extent.at + extent.bytes, number, offset);
                known.pieces.entry(hash).or_default().push(piece);
                offset += u64::from(extent.bytes);
            }
        }
        known
    }

    /// Makes a file the same as the one before, where it is that; `false` where it is not.
    fn share(&self, file: &PackedFile, target: &Path, place: &dyn Place) -> bool {
        let same = |old: &&&PackedFile| old.hash == file.hash && old.bytes == file.bytes;
        let known = self.files.get(&(file.part, file.name.as_str())).filter(same).is_some();
        let before = place.before(file.part, &file.name).filter(|_| known);
        let Some(before) = before.filter(|path| fs::metadata(path).is_ok_and(|found| found.len() == file.bytes)) else {
            return false;
        };
        if before == target {
            return true;
        }
        place.may_share(file.part, &file.name) && fs::hard_link(&before, target).is_ok()
    }

    /// Bytes of a blob that a file has; `None` where none has all of them.
    fn read(&self, blob: &Hash, extent: &Extent) -> Option<Vec<u8>> {
        let pieces = self.pieces.get(blob)?;
        let end = extent.at + extent.bytes;
        let (from, _, number, offset) = pieces.iter().find(|(from, to, ..)| *from <= extent.at && *to >= end)?;
        let mut file = File::open(&self.paths[*number]).ok()?;
        file.seek(SeekFrom::Start(offset + u64::from(extent.at - from))).ok()?;
        let mut bytes = vec![0; extent.bytes as usize];
        file.read_exact(&mut bytes).ok()?;
        Some(bytes)
    }
}

fn fetch(
    manifest: &Manifest,
    wanted: BTreeMap<u32, Vec<Piece>>,
    made: &[(&PackedFile, PathBuf)],
    get: &Get,
) -> Result<Assembled, TeamError> {
    let (blobs, bytes) = (AtomicU64::new(0), AtomicU64::new(0));
    let queue = Mutex::new(wanted.into_iter());
    let failure = Mutex::new(None);
    let work = || {
        while failure.lock().is_none() {
            let Some((blob, pieces)) = queue.lock().next() else { return };
            let (hash, length) = manifest.blobs[blob as usize];
            let outcome = get(&hash).and_then(|plain| {
                if plain.len() != length as usize {
                    return Err(TeamError::DamagedBlob(hash.to_string()));
                }
                write_pieces(&plain, &pieces, made)
            });
            blobs.fetch_add(1, Ordering::Relaxed);
            bytes.fetch_add(u64::from(length), Ordering::Relaxed);
            if let Err(problem) = outcome {
                failure.lock().get_or_insert(problem);
            }
        }
    };
    let threads = queue.lock().len().min(AT_ONCE);
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    match failure.into_inner() {
        Some(problem) => Err(problem),
        None => Ok(Assembled { blobs: blobs.into_inner(), bytes: bytes.into_inner() }),
    }
}

fn write_pieces(plain: &[u8], pieces: &[Piece], made: &[(&PackedFile, PathBuf)]) -> Result<(), TeamError> {
    let mut open: Option<(usize, File)> = None;
    for piece in pieces {
        let path = &made[piece.file].1;
        if open.as_ref().is_none_or(|(number, _)| *number != piece.file) {
            let file = OpenOptions::new().write(true).open(path).map_err(TeamError::io(path))?;
            open = Some((piece.file, file));
        }
        let Some((_, file)) = &mut open else { continue };
        let from = piece.extent.at as usize;
        write_at(file, path, piece.offset, &plain[from..from + piece.extent.bytes as usize])?;
    }
    Ok(())
}

/// Compares every file that was made with what was published.
fn compare(made: &[(&PackedFile, PathBuf)]) -> Result<(), TeamError> {
    for (file, path) in made {
        let mut hasher = blake3::Hasher::new();
        hasher.update_reader(File::open(path).map_err(TeamError::io(path))?).map_err(TeamError::io(path))?;
        if Hash(*hasher.finalize().as_bytes()) != file.hash {
            return Err(TeamError::Mismatch(file.name.clone()));
        }
    }
    Ok(())
}

fn create(path: &Path, bytes: u64) -> Result<File, TeamError> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(TeamError::io(folder))?;
    }
    let _ = fs::remove_file(path); // it may be shared with another index
    let file = File::create(path).map_err(TeamError::io(path))?;
    file.set_len(bytes).map_err(TeamError::io(path))?;
    Ok(file)
}

fn write_at(file: &mut File, path: &Path, offset: u64, bytes: &[u8]) -> Result<(), TeamError> {
    file.seek(SeekFrom::Start(offset)).and_then(|_| file.write_all(bytes)).map_err(TeamError::io(path))
}
