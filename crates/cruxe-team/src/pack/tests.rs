//! What is cut and put together again is what it was, whatever was published before.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use parking_lot::Mutex;

use super::assemble::{Place, assemble};
use super::cut::{Content, PageTable, Source, cut};
use super::manifest::{BLOB_BYTES, Hash, Manifest, PAGE_BYTES, Part};
use crate::error::TeamError;

/// Numbers that look random, the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.below(256) as u8).collect()
    }
}

#[derive(Default)]
struct Storage(HashMap<Hash, Vec<u8>>);

impl Storage {
    /// Publishes files; the manifest, what their pages are, and how many bytes were new.
    fn publish(
        &mut self,
        files: &[(String, Vec<u8>)],
        before: Option<(&Manifest, &PageTable)>,
        damaged: &HashSet<Hash>,
    ) -> (Manifest, PageTable, usize) {
        let source = |(name, bytes): &(String, Vec<u8>)| Source {
            part: Part::Index,
            name: name.clone(),
            from: Content::Bytes(bytes.clone()),
        };
        let sources: Vec<Source> = files.iter().map(source).collect();
        let mut added = 0;
        let (manifest, pages) = cut(&sources, before, damaged, &mut |hash, plain| {
            assert!(plain.len() <= BLOB_BYTES && Hash::of(&plain) == hash);
            added += plain.len();
            self.0.insert(hash, plain);
            Ok(())
        })
        .unwrap();
        (Manifest::decode(&manifest.encode().unwrap()).unwrap(), pages, added)
    }

    fn get(&self, hash: &Hash) -> Result<Vec<u8>, TeamError> {
        self.0.get(hash).cloned().ok_or_else(|| TeamError::MissingBlob(hash.to_string()))
    }
}

struct Folders<'a> {
    new: &'a Path,
    old: Option<&'a Path>,
}

impl Place for Folders<'_> {
    fn target(&self, _: Part, name: &str) -> Result<PathBuf, TeamError> {
        Ok(self.new.join(name))
    }

    fn before(&self, _: Part, name: &str) -> Option<PathBuf> {
        self.old.map(|folder| folder.join(name)).filter(|path| path.is_file())
    }

    fn may_share(&self, _: Part, name: &str) -> bool {
        name.starts_with("lasting")
    }
}

fn check(folder: &Path, files: &[(String, Vec<u8>)]) {
    for (name, bytes) in files {
        assert_eq!(&fs::read(folder.join(name)).unwrap(), bytes, "{name}");
    }
}

#[test]
fn whatever_changes_what_is_put_together_is_what_was_published_and_blobs_stay_few() {
    let mut random = Random(7);
    let mut storage = Storage::default();
    let mut files: Vec<(String, Vec<u8>)> =
        vec![("facts.db".to_owned(), random.bytes(3 << 20)), ("lasting.1".to_owned(), random.bytes(200_000))];
    let mut state: Option<(Manifest, PageTable)> = None;
    let root = tempfile::tempdir().unwrap();
    let mut folder: Option<PathBuf> = None;
    for step in 0..120 {
        let before = state.as_ref().map(|(manifest, pages)| (manifest, pages));
        let (manifest, pages, added) = storage.publish(&files, before, &HashSet::new());
        let total: usize = files.iter().map(|(_, bytes)| bytes.len()).sum();
        if step > 0 {
            assert!(added < total, "step {step}: {added} of {total}");
        }
        let kept: u64 = manifest.blobs.iter().map(|(_, bytes)| u64::from(*bytes)).sum();
        assert!(manifest.blobs.len() < 60, "step {step}: {} blobs", manifest.blobs.len());
        assert!(kept < 4 * total as u64, "step {step}: {kept} bytes for {total}");
        let new = root.path().join(step.to_string());
        fs::create_dir(&new).unwrap();
        let fetched = Mutex::new(0);
        let local = state.as_ref().map(|(manifest, _)| manifest);
        let place = Folders { new: &new, old: folder.as_deref() };
        assemble(&manifest, local, &place, &|hash| {
            *fetched.lock() += 1;
            storage.get(hash)
        })
        .unwrap();
        check(&new, &files);
        if step > 0 {
            assert!(fetched.into_inner() <= 2, "a push is fetched as what it added");
        }
        if let Some(old) = folder.replace(new) {
            fs::remove_dir_all(old).unwrap();
        }
        state = Some((manifest, pages));
        // A few pages here and there, and now and then a longer or a shorter file, or another.
        for _ in 0..random.below(20) {
            let at = random.below(files[0].1.len() as u64 - 10) as usize;
            files[0].1[at] ^= 1;
        }
        match random.below(5) {
            0 => files[0].1.extend(random.bytes(10_000)),
            1 => {
                let shorter = files[0].1.len() - 5_000;
                files[0].1.truncate(shorter);
            }
            2 => files.push((format!("lasting.{}", step + 2), random.bytes(3 * PAGE_BYTES + 17))),
            3 if files.len() > 2 => drop(files.remove(1)),
            _ => {}
        }
    }
}

#[test]
fn damaged_blobs_are_not_used_again() {
    let mut storage = Storage::default();
    let files = vec![("facts.db".to_owned(), Random(1).bytes(100_000))];
    let (manifest, pages, _) = storage.publish(&files, None, &HashSet::new());
    let damaged: HashSet<Hash> = manifest.blobs.iter().map(|(hash, _)| *hash).collect();
    let mut changed = files.clone();
    changed[0].1[0] ^= 1;
    let (after, ..) = storage.publish(&changed, Some((&manifest, &pages)), &damaged);
    assert!(after.blobs.iter().all(|(hash, _)| !damaged.contains(hash)));
}

#[test]
fn files_that_somebody_touched_are_fetched_whole() {
    let mut storage = Storage::default();
    let mut files = vec![("facts.db".to_owned(), Random(3).bytes(100_000))];
    let (manifest, pages, _) = storage.publish(&files, None, &HashSet::new());
    let root = tempfile::tempdir().unwrap();
    let (one, two) = (root.path().join("1"), root.path().join("2"));
    [&one, &two].into_iter().for_each(|folder| fs::create_dir(folder).unwrap());
    assemble(&manifest, None, &Folders { new: &one, old: None }, &|hash| storage.get(hash)).unwrap();
    let mut touched = files[0].1.clone();
    touched[50_000] ^= 1;
    fs::write(one.join("facts.db"), touched).unwrap();
    files[0].1[0] ^= 1;
    let (next, ..) = storage.publish(&files, Some((&manifest, &pages)), &HashSet::new());
    assemble(&next, Some(&manifest), &Folders { new: &two, old: Some(&one) }, &|hash| storage.get(hash)).unwrap();
    check(&two, &files);
}

#[test]
fn a_manifest_that_contradicts_itself_is_refused() {
    let mut storage = Storage::default();
    let (manifest, ..) = storage.publish(&[("facts.db".to_owned(), vec![1; 10_000])], None, &HashSet::new());
    let refused = |change: fn(&mut Manifest)| {
        let mut bad = manifest.clone();
        change(&mut bad);
        assert!(matches!(Manifest::decode(&bad.encode().unwrap()), Err(TeamError::BadManifest(_))));
    };
    refused(|bad| bad.files[0].bytes += 1);
    refused(|bad| bad.files[0].extents[0].blob = 9);
    refused(|bad| bad.files[0].extents[0].at = 9_999);
    refused(|bad| bad.blobs[0].1 = u32::MAX);
    assert!(Manifest::decode(b"nonsense").is_err());
}
