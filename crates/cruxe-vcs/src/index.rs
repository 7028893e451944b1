//! Git's index, read by our own code.
//!
//! Not by gix: it follows the cached trees and untracked folders of an index by recursion, so that a crafted file of a
//! megabyte ends the process, and it believes offsets that are written in the file. Here what follows the entries is
//! skipped, but for the id of the tree that the index was made from and for the file that a split index goes on in.

use std::collections::HashSet;
use std::sync::Arc;

use cruxe_model::ContentHash;
use gix::index::entry::{Mode, Stat};
use parking_lot::Mutex;
use sha1::Digest;

use crate::error::VcsError;
use crate::guard::{self, is_absent};
use crate::object::content_hash;
use crate::refs::Stamp;
use crate::repo::Repo;

/// The most that an index may hold: some two million files.
const LARGEST: u64 = 256 << 20;

/// The most that its paths may have together. In one form of the file a path says only how it differs from the last.
const MOST_PATHS: usize = 256 << 20;

/// The longest path that is taken for one.
const MAX_PATH: usize = 4096;

/// What is tracked, in path order.
#[derive(Default)]
pub(crate) struct Index {
    pub entries: Vec<Entry>,
    /// The tree that the index was made from, unless something was staged since.
    pub tree: Option<ContentHash>,
}

/// A path that is tracked.
#[derive(Clone)]
pub(crate) struct Entry {
    pub path: Vec<u8>,
    pub mode: Mode,
    pub hash: ContentHash,
    pub stat: Stat,
    /// Whether it is one side of a conflict.
    pub conflicted: bool,
}

/// The index as it was read last.
pub(crate) type Cache = Mutex<Option<(Stamp, Arc<Index>)>>;

impl Repo {
    /// Git's index as it is now; empty where there is none. Read again only when the file changed.
    pub(crate) fn index(&self) -> Result<Arc<Index>, VcsError> {
        let path = self.git_dir().join("index");
        let stamp = match guard::open(&path, LARGEST).and_then(|file| file.metadata()) {
            Ok(metadata) => Stamp::of(&metadata),
            Err(error) if is_absent(&error) => return Ok(Arc::default()),
            Err(error) => return Err(VcsError::read(&path, &error)),
        };
        let mut cached = self.index_cache().lock();
        if let Some((_, index)) = cached.as_ref().filter(|(known, _)| *known == stamp) {
            return Ok(Arc::clone(index));
        }
        // The stamp is from before the read: should the file be replaced meanwhile, the next look sees another one.
        let index = Arc::new(self.read_index()?);
        *cached = Some((stamp, Arc::clone(&index)));
        Ok(index)
    }

    fn read_index(&self) -> Result<Index, VcsError> {
        let path = self.git_dir().join("index");
        let damaged =
            |path: &std::path::Path, reason: &str| VcsError::Read { path: path.to_owned(), reason: reason.to_owned() };
        let (index, link) =
            parse(&guard::read(&path, LARGEST)?, self.refs().format).map_err(|why| damaged(&path, why))?;
        let Some(link) = link else { return Ok(index) };
        let path = self.git_dir().join(format!("sharedindex.{}", link.shared));
        let (shared, again) =
            parse(&guard::read(&path, LARGEST)?, self.refs().format).map_err(|why| damaged(&path, why))?;
        match again {
            None => Ok(link.join(shared, index)),
            Some(_) => Err(damaged(&path, "it goes on in another file")),
        }
    }
}

/// What a split index says of the file that it goes on in.
struct Link {
    shared: ContentHash,
    deleted: HashSet<usize>,
    replaced: Vec<usize>,
}

impl Link {
    /// The entries of both, the newer ones of the split index.
    fn join(self, shared: Index, split: Index) -> Index {
        let mut entries: Vec<Option<Entry>> = shared.entries.into_iter().map(Some).collect();
        let mut newer = split.entries.into_iter();
        for at in self.replaced {
            let (Some(Some(old)), Some(new)) = (entries.get_mut(at), newer.next()) else { break };
            *old = Entry { path: std::mem::take(&mut old.path), ..new };
        }
        self.deleted.iter().for_each(|at| entries.get_mut(*at).map_or((), |entry| *entry = None));
        let mut entries: Vec<Entry> = entries.into_iter().flatten().chain(newer).collect();
        entries.sort_by(|a, b| a.path.cmp(&b.path));
        Index { entries, tree: split.tree }
    }
}

/// Takes bytes from the front; every step says whether they were there.
struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn u16(&mut self) -> Option<u16> {
        Some(u16::from_be_bytes(self.take(2)?.try_into().ok()?))
    }

    fn u32(&mut self) -> Option<u32> {
        Some(u32::from_be_bytes(self.take(4)?.try_into().ok()?))
    }

    fn u64(&mut self) -> Option<u64> {
        Some(u64::from_be_bytes(self.take(8)?.try_into().ok()?))
    }

    /// What stands before a byte, which is taken too.
    fn until(&mut self, end: u8) -> Option<&'a [u8]> {
        let at = self.0.iter().position(|byte| *byte == end)?;
        let taken = self.take(at)?;
        self.take(1)?;
        Some(taken)
    }

    /// A number in the form that git has for offsets in packs.
    fn number(&mut self) -> Option<usize> {
        let mut byte = self.take(1)?[0];
        let mut value = usize::from(byte & 127);
        while byte & 128 != 0 {
            byte = self.take(1)?[0];
            value = value.checked_add(1)?.checked_mul(128)?.checked_add(usize::from(byte & 127))?;
        }
        Some(value)
    }
}

fn parse(file: &[u8], format: gix::hash::Kind) -> Result<(Index, Option<Link>), &'static str> {
    const CUT: &str = "the index is damaged";
    let width = format.len_in_bytes();
    let (content, check) = file.split_at_checked(file.len().wrapping_sub(width)).ok_or(CUT)?;
    let sum = match format {
        gix::hash::Kind::Sha256 => sha2::Sha256::digest(content).to_vec(),
        _ => sha1::Sha1::digest(content).to_vec(),
    };
    // Git may be told to write nulls instead.
    if check != sum && check.iter().any(|byte| *byte != 0) {
        return Err("the index is damaged: its checksum does not fit");
    }
    let mut bytes = Bytes(content);
    let (entries, rest) = entries(&mut bytes, width).ok_or(CUT)?;
    let mut index = Index { entries, tree: None };
    let (tree, link) = extensions(rest, width)?;
    index.tree = tree;
    Ok((index, link))
}

fn entries<'a>(bytes: &mut Bytes<'a>, width: usize) -> Option<(Vec<Entry>, Bytes<'a>)> {
    (bytes.take(4)? == b"DIRC").then_some(())?;
    let (version, count) = (bytes.u32()?, bytes.u32()? as usize);
    (2..=4).contains(&version).then_some(())?;
    // No entry is shorter, so a count that cannot be does not ask for memory.
    let mut entries: Vec<Entry> = Vec::with_capacity(count.min(bytes.0.len() / (42 + width)));
    let mut all_paths = 0;
    for _ in 0..count {
        let start = bytes.0.len();
        let mut numbers = [0; 10];
        for number in &mut numbers {
            *number = bytes.u32()?;
        }
        let [ctime, ctime_ns, mtime, mtime_ns, dev, ino, mode, uid, gid, size] = numbers;
        let hash = content_hash(bytes.take(width)?);
        let flags = bytes.u16()?;
        if flags & 0x4000 != 0 {
            (version > 2).then(|| bytes.u16())??;
        }
        let path = if version == 4 {
            let before = entries.last().map_or(&[][..], |entry| entry.path.as_slice());
            let kept = before.len().checked_sub(bytes.number()?)?;
            [&before[..kept], bytes.until(0)?].concat()
        } else {
            let path = bytes.until(0)?.to_vec();
            let padded = (start - bytes.0.len() - 1) / 8 * 8 + 8;
            bytes.take(padded - (start - bytes.0.len()))?;
            path
        };
        all_paths += path.len();
        (path.len() <= MAX_PATH && all_paths <= MOST_PATHS).then_some(())?;
        let time = |secs, nsecs| gix::index::entry::stat::Time { secs, nsecs };
        let (ctime, mtime) = (time(ctime, ctime_ns), time(mtime, mtime_ns));
        let stat = Stat { mtime, ctime, dev, ino, uid, gid, size };
        let mode = Mode::from_bits_truncate(mode);
        entries.push(Entry { path, mode, hash, stat, conflicted: flags & 0x3000 != 0 });
    }
    Some((entries, Bytes(bytes.0)))
}

fn extensions(mut bytes: Bytes, width: usize) -> Result<(Option<ContentHash>, Option<Link>), &'static str> {
    let (mut tree, mut link) = (None, None);
    while !bytes.0.is_empty() {
        let mut next = || {
            let name = bytes.take(4)?;
            let size = bytes.u32()? as usize;
            Some((name, bytes.take(size)?))
        };
        let (name, data) = next().ok_or("the index is damaged")?;
        match name {
            b"TREE" => tree = root_tree(data, width),
            b"link" => link = Some(split(data, width).ok_or("the index is damaged")?),
            // Folders in the place of what is in them.
            b"sdir" => {}
            // A small letter says that the rest cannot be understood without it.
            [b'a'..=b'z', ..] => return Err("the index uses something that is not known here"),
            _ => {}
        }
    }
    Ok((tree, link.flatten()))
}

/// The id of the whole tree; `None` where something was staged since.
fn root_tree(data: &[u8], width: usize) -> Option<ContentHash> {
    let mut bytes = Bytes(data);
    bytes.until(0)?;
    let count = bytes.until(b' ')?;
    bytes.until(b'\n')?;
    if count.starts_with(b"-") { None } else { Some(content_hash(bytes.take(width)?)) }
}

/// The file that the index goes on in; an inner `None` where it does not.
fn split(data: &[u8], width: usize) -> Option<Option<Link>> {
    let mut bytes = Bytes(data);
    let shared = bytes.take(width)?;
    if shared.iter().all(|byte| *byte == 0) {
        return Some(None);
    }
    let (deleted, replaced) = match bytes.0.is_empty() {
        true => (Vec::new(), Vec::new()),
        false => (bits(&mut bytes)?, bits(&mut bytes)?),
    };
    Some(Some(Link { shared: content_hash(shared), deleted: deleted.into_iter().collect(), replaced }))
}

/// The places of the set bits of a bitmap that is compressed by runs of words.
fn bits(bytes: &mut Bytes) -> Option<Vec<usize>> {
    let size = bytes.u32()? as usize;
    let words = bytes.u32()? as usize;
    let mut words = Bytes(bytes.take(words.checked_mul(8)?)?);
    bytes.u32()?;
    let mut found = Vec::new();
    let mut at = 0usize;
    while !words.0.is_empty() && at < size {
        let word = words.u64()?;
        let run = ((word >> 1) & 0xffff_ffff) as usize * 64;
        let literals = word >> 33;
        if word & 1 == 1 {
            // An index has no more entries than this, whatever the bitmap says.
            found.extend(at..at.checked_add(run)?.min(size).min(LARGEST as usize / 62));
        }
        at = at.checked_add(run)?;
        for _ in 0..literals {
            let literal = words.u64()?;
            found.extend((0..64).filter(|bit| literal >> bit & 1 == 1).map(|bit| at + bit).filter(|at| *at < size));
            at = at.checked_add(64)?;
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::testing::Fixture;

    /// What git says that its index has, and what we read.
    fn both(fixture: &Fixture) -> (Vec<String>, Vec<String>) {
        let theirs = fixture.git(&["-c", "core.quotePath=false", "ls-files", "--stage"]);
        let theirs = theirs.lines().map(|line| line.replacen(" 0\t", " ", 1)).collect();
        let line = |entry: &Entry| {
            format!("{:06o} {} {}", entry.mode.bits(), entry.hash, String::from_utf8_lossy(&entry.path))
        };
        (theirs, fixture.open().index().unwrap().entries.iter().map(line).collect())
    }

    fn fixture() -> Fixture {
        let fixture = Fixture::new();
        for number in 0..300 {
            fixture.write(&format!("folder{}/ünï-{number}.txt", number % 7), &number.to_string());
        }
        fixture.git(&["add", "--all"]);
        let target = fixture.git(&["hash-object", "-w", "folder0/ünï-0.txt"]);
        fixture.git(&["update-index", "--add", "--cacheinfo", &format!("120000,{target},link")]);
        fixture.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{target},vendor/lib")]);
        fixture.git(&["commit", "--quiet", "--message", "one"]);
        fixture
    }

    #[test]
    fn every_form_of_an_index_is_read_as_git_reads_it() {
        let fixture = fixture();
        for version in ["2", "3", "4"] {
            fixture.git(&["update-index", "--index-version", version]);
            let (theirs, ours) = both(&fixture);
            assert_eq!(ours, theirs, "version {version}");
            assert_eq!(ours.len(), 302);
        }
        assert_eq!(fixture.open().index().unwrap().tree, Some(fixture.id("HEAD^{tree}")));
        // A mark that only later versions have.
        fixture.write("later", "x");
        fixture.git(&["add", "--intent-to-add", "later"]);
        let (theirs, ours) = both(&fixture);
        assert_eq!(ours, theirs);
        assert_eq!(fixture.open().index().unwrap().tree, None, "something was staged since");
    }

    #[test]
    fn a_split_index_is_read_with_the_file_that_it_goes_on_in() {
        let fixture = fixture();
        fixture.git(&["update-index", "--split-index"]);
        fixture.write("folder1/ünï-1.txt", "changed");
        fixture.write("added", "x");
        fixture.git(&["rm", "--quiet", "folder2/ünï-2.txt", "folder3/ünï-3.txt"]);
        fixture.git(&["add", "--all", "--", ":!vendor", ":!link"]);
        let shared = fs::read_dir(fixture.root.join(".git")).unwrap().flatten();
        assert!(shared.into_iter().any(|entry| entry.file_name().to_string_lossy().starts_with("sharedindex.")));
        let (theirs, ours) = both(&fixture);
        assert_eq!(ours, theirs);
    }

    #[test]
    fn a_change_of_the_index_is_seen_and_damage_is_an_error() {
        let fixture = fixture();
        let repo = fixture.open();
        let before = repo.index().unwrap().entries.len();
        fixture.write("new", "x");
        fixture.git(&["add", "new"]);
        assert_eq!(repo.index().unwrap().entries.len(), before + 1);
        let path = fixture.root.join(".git/index");
        let mut bytes = fs::read(&path).unwrap();
        bytes[100] ^= 1;
        fs::write(&path, bytes).unwrap();
        assert!(matches!(repo.index(), Err(VcsError::Read { .. })));
        fs::remove_file(&path).unwrap();
        assert_eq!(repo.index().unwrap().entries.len(), 0);
    }

    /// A file of these bytes with a checksum that fits.
    fn with_sum(bytes: &[u8]) -> Vec<u8> {
        [bytes, &sha1::Sha1::digest(bytes)].concat()
    }

    #[test]
    fn trees_in_trees_without_end_cost_nothing() {
        let deep = b"\0-1 1\n".repeat(1_000_000);
        let head = [&b"DIRC"[..], &2u32.to_be_bytes(), &0u32.to_be_bytes()].concat();
        let extension = |name: &[u8]| [name, &(deep.len() as u32).to_be_bytes(), &deep].concat();
        let file = with_sum(&[head, extension(b"TREE"), extension(b"UNTR")].concat());
        let Ok((index, link)) = parse(&file, gix::hash::Kind::Sha1) else { panic!("it is an index") };
        assert_eq!((index.entries.len(), index.tree, link.is_none()), (0, None, true));
    }

    #[test]
    fn paths_that_only_say_how_they_differ_do_not_unfold_without_end() {
        let mut bytes = [&b"DIRC"[..], &4u32.to_be_bytes(), &70_000u32.to_be_bytes()].concat();
        for number in 0..70_000 {
            bytes.extend([0; 62]);
            // The first has four thousand letters, each other all but one of those before it.
            bytes.push(u8::from(number > 0));
            bytes.extend(if number == 0 { vec![b'x'; 4000] } else { vec![b'x'] });
            bytes.push(0);
        }
        assert!(parse(&with_sum(&bytes), gix::hash::Kind::Sha1).is_err());
    }
}
