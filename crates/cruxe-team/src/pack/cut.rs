//! From files to blobs: what did not change is said by reference, the rest is collected.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::Read;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::manifest::{BLOB_BYTES, Extent, Hash, Manifest, PAGE_BYTES, PackedFile, Part};
use crate::error::TeamError;

/// Of a blob of which less than a quarter is still needed, that part is written anew.
const LEAST_USED: u64 = 4;
/// So many blobs beyond those that the bytes need: then the small ones are made one.
const MOST_SMALL: usize = 48;
/// What a small blob is.
const SMALL: u32 = 1 << 20;

/// A file to publish.
pub(crate) struct Source {
    pub part: Part,
    pub name: String,
    pub from: Content,
}

/// Where its bytes are.
pub(crate) enum Content {
    File(PathBuf),
    #[cfg(test)]
    Bytes(Vec<u8>),
}

type PageHash = [u8; 16];

/// What the pages of published files were, by file. It is kept beside the files, so that a push need not read blobs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PageTable(HashMap<(Part, String), Vec<PageHash>>);

/// Takes blobs as they are full.
pub(crate) type Put<'a> = dyn FnMut(Hash, Vec<u8>) -> Result<(), TeamError> + 'a;

/// Cuts files into a manifest and blobs. Pages that are those of the publish `before` are taken from its blobs, unless those are
/// to be avoided.
pub(crate) fn cut(
    sources: &[Source],
    before: Option<(&Manifest, &PageTable)>,
    damaged: &HashSet<Hash>,
    put: &mut Put,
) -> Result<(Manifest, PageTable), TeamError> {
    let avoided = before.map(|(manifest, _)| avoided(manifest, damaged)).unwrap_or_default();
    let mut cutter =
        Cutter { manifest: Manifest::default(), kept: HashMap::new(), pending: Vec::new(), own: None, put };
    let mut table = PageTable::default();
    for source in sources {
        let key = (source.part, source.name.clone());
        let old = before.and_then(|(manifest, pages)| {
            Some(Old { manifest, file: manifest.file(source.part, &source.name)?, pages: pages.0.get(&key)? })
        });
        let pages = cutter.add(source, old, &avoided)?;
        table.0.insert(key, pages);
    }
    cutter.flush()?;
    Ok((cutter.manifest, table))
}

/// Reads what the pages of files are.
pub(crate) fn pages_of(sources: &[Source]) -> Result<PageTable, TeamError> {
    let mut table = PageTable::default();
    for source in sources {
        let mut pages = Vec::new();
        read_pages(source, |page| {
            pages.push(page_hash(page));
            Ok(())
        })?;
        table.0.insert((source.part, source.name.clone()), pages);
    }
    Ok(table)
}

/// The blobs that are better written anew: damaged ones, those of which little is needed, and small ones where there are many.
fn avoided(manifest: &Manifest, damaged: &HashSet<Hash>) -> HashSet<u32> {
    let mut used = vec![0u64; manifest.blobs.len()];
    for extent in manifest.files.iter().flat_map(|file| &file.extents) {
        used[extent.blob as usize] += u64::from(extent.bytes);
    }
    let crowded = manifest.blobs.len() > MOST_SMALL + manifest.bytes() as usize / BLOB_BYTES;
    let goes = |(at, (hash, bytes)): (usize, &(Hash, u32))| {
        let goes = damaged.contains(hash) || used[at] * LEAST_USED < u64::from(*bytes) || crowded && *bytes < SMALL;
        goes.then_some(at as u32)
    };
    manifest.blobs.iter().enumerate().filter_map(goes).collect()
}

/// A file as it was published before.
struct Old<'a> {
    manifest: &'a Manifest,
    file: &'a PackedFile,
    pages: &'a [PageHash],
}

struct Cutter<'a, 'p> {
    manifest: Manifest,
    /// Blobs of the publish before, by hash: where they stand in this manifest.
    kept: HashMap<Hash, u32>,
    pending: Vec<u8>,
    /// Where the blob that is being collected stands.
    own: Option<u32>,
    put: &'a mut Put<'p>,
}

impl Cutter<'_, '_> {
    fn add(&mut self, source: &Source, old: Option<Old>, avoided: &HashSet<u32>) -> Result<Vec<PageHash>, TeamError> {
        let mut file = PackedFile {
            part: source.part,
            name: source.name.clone(),
            bytes: 0,
            hash: Hash([0; 32]),
            extents: Vec::new(),
        };
        let mut whole = blake3::Hasher::new();
        let mut pages = Vec::new();
        let mut cursor = old.as_ref().map(|old| Cursor { extents: &old.file.extents, done: 0 });
        read_pages(source, |page| {
            whole.update(page);
            let hash = page_hash(page);
            let same = old.as_ref().is_some_and(|old| old.pages.get(pages.len()) == Some(&hash));
            let was = cursor.as_mut().and_then(|cursor| cursor.take(page.len()));
            pages.push(hash);
            file.bytes += page.len() as u64;
            match (was.filter(|was| same && !avoided.contains(&was.blob)), &old) {
                (Some(was), Some(old)) => self.keep(old.manifest, was, &mut file.extents),
                _ => self.append(page, &mut file.extents)?,
            }
            Ok(())
        })?;
        file.hash = Hash(*whole.finalize().as_bytes());
        self.manifest.files.push(file);
        Ok(pages)
    }

    fn keep(&mut self, before: &Manifest, was: Extent, extents: &mut Vec<Extent>) {
        let (hash, bytes) = before.blobs[was.blob as usize];
        let blobs = &mut self.manifest.blobs;
        let blob = *self.kept.entry(hash).or_insert_with(|| {
            blobs.push((hash, bytes));
            blobs.len() as u32 - 1
        });
        join(extents, Extent { blob, ..was });
    }

    fn append(&mut self, page: &[u8], extents: &mut Vec<Extent>) -> Result<(), TeamError> {
        if self.pending.len() + page.len() > BLOB_BYTES {
            self.flush()?;
        }
        let blob = *self.own.get_or_insert_with(|| {
            self.manifest.blobs.push((Hash([0; 32]), 0));
            self.manifest.blobs.len() as u32 - 1
        });
        join(extents, Extent { blob, at: self.pending.len() as u32, bytes: page.len() as u32 });
        self.pending.extend_from_slice(page);
        Ok(())
    }

    fn flush(&mut self) -> Result<(), TeamError> {
        let Some(own) = self.own.take() else { return Ok(()) };
        let plain = std::mem::take(&mut self.pending);
        let hash = Hash::of(&plain);
        self.manifest.blobs[own as usize] = (hash, plain.len() as u32);
        (self.put)(hash, plain)
    }
}

/// Walks over the extents of a file, page by page.
struct Cursor<'a> {
    extents: &'a [Extent],
    /// Bytes of the first one that were walked over.
    done: u32,
}

impl Cursor<'_> {
    /// The next bytes; `None` where they are not within one extent.
    fn take(&mut self, bytes: usize) -> Option<Extent> {
        let mut left = bytes as u32;
        let mut whole = None;
        while left > 0 {
            let extent = self.extents.first()?;
            let step = left.min(extent.bytes - self.done);
            if step == bytes as u32 {
                whole = Some(Extent { blob: extent.blob, at: extent.at + self.done, bytes: step });
            }
            left -= step;
            self.done += step;
            if self.done == extent.bytes {
                self.extents = &self.extents[1..];
                self.done = 0;
            }
        }
        whole
    }
}

fn join(extents: &mut Vec<Extent>, next: Extent) {
    match extents.last_mut() {
        Some(last) if last.blob == next.blob && last.at + last.bytes == next.at => last.bytes += next.bytes,
        _ => extents.push(next),
    }
}

fn page_hash(page: &[u8]) -> PageHash {
    let mut short = PageHash::default();
    short.copy_from_slice(&blake3::hash(page).as_bytes()[..16]);
    short
}

fn read_pages(source: &Source, mut each: impl FnMut(&[u8]) -> Result<(), TeamError>) -> Result<(), TeamError> {
    match &source.from {
        #[cfg(test)]
        Content::Bytes(bytes) => bytes.chunks(PAGE_BYTES).try_for_each(each),
        Content::File(path) => {
            let mut file = File::open(path).map_err(TeamError::io(path))?;
            let mut buffer = vec![0; 64 * PAGE_BYTES];
            loop {
                let filled = fill(&mut file, &mut buffer).map_err(TeamError::io(path))?;
                buffer[..filled].chunks(PAGE_BYTES).try_for_each(&mut each)?;
                if filled < buffer.len() {
                    return Ok(());
                }
            }
        }
    }
}

fn fill(from: &mut impl Read, buffer: &mut [u8]) -> std::io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match from.read(&mut buffer[filled..])? {
            0 => break,
            read => filled += read,
        }
    }
    Ok(filled)
}
