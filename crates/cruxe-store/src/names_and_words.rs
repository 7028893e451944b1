//! What an index has, in brief: which names it defines, which words it says, which packages its repository offers and needs.
//!
//! Who asks a thousand repositories at once cannot open each. A directory is a small file beside the index that tells what is certainly
//! not in it: fingerprints of names and words, sorted. A name that it lacks is not in the index; one that it has may be another of the
//! same fingerprint, which costs a look. It also counts, so that how rare a word is can be said for all repositories together.
//!
//! It is made when somebody asks for it and thrown away when the index changes: its file says of which state of the index it is.

use std::collections::HashMap;
use std::path::Path;

use cruxe_model::SymbolKind;
use serde::{Deserialize, Serialize};

use crate::check::{seal, unseal};
use crate::error::StoreError;
use crate::layout::write_atomically;
use crate::names::{self, SymbolHit};
use crate::snapshot::Snapshot;
use crate::stamp::{Stamp, stamp_of};
use crate::store::Store;
use crate::version_set::VersionSet;

/// A package of some ecosystem, as `cargo:serde` or `npm:react`.
pub type PackageName = String;

/// What an index has.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Directory {
    /// Every sort of definition of every name, by fingerprint.
    names: Vec<Named>,
    /// The first letters of names, each once.
    beginnings: Vec<u32>,
    /// Fingerprints of words, and in how many texts each is.
    words: Vec<(u32, u16)>,
    /// How much there is.
    pub figures: Figures,
    /// The packages that the repository offers.
    pub offers: Vec<PackageName>,
    /// The packages that it needs.
    pub needs: Vec<PackageName>,
}

/// How much text an index has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Figures {
    /// Files.
    pub files: u64,
    /// Pieces of text.
    pub chunks: u64,
    /// Words in them.
    pub body_words: u64,
    /// Words in the names of their symbols.
    pub name_words: u64,
    /// Words in paths.
    pub path_words: u64,
}

/// One sort of definition of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Named {
    print: u32,
    kind: u8,
    flags: u8,
    count: u16,
}

/// Definitions of a name that are alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Definitions {
    /// One of them; its version and position mean nothing.
    pub like: SymbolHit,
    /// How many there are.
    pub count: usize,
}

/// Where a word stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WordPlace {
    /// In a text.
    Body,
    /// In the name of a symbol.
    Name,
    /// In a path.
    Path,
}

/// The form of the file; another is made anew.
const FORM: u8 = 1;

/// FNV-1a. Written into files, so it must not change without [`FORM`].
fn hash(seed: u8, bytes: impl Iterator<Item = u8>) -> u32 {
    std::iter::once(seed)
        .chain(bytes)
        .fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

/// The fingerprint of a name, whatever its case.
fn print_of_name(name: &str) -> u32 {
    hash(0, name.bytes().map(|byte| byte.to_ascii_lowercase()))
}

fn print_of_word(place: WordPlace, word: &str) -> u32 {
    let seed = match place {
        WordPlace::Body => 1,
        WordPlace::Name => 2,
        WordPlace::Path => 3,
    };
    hash(seed, word.bytes())
}

/// The first letters of a name as a number; what is shorter is filled up with `rest`.
fn beginning(name: &str, rest: u8) -> u32 {
    let mut letters = [rest; 4];
    letters.iter_mut().zip(name.bytes()).for_each(|(letter, byte)| *letter = byte.to_ascii_lowercase());
    u32::from_be_bytes(letters)
}

impl Directory {
    /// The definitions that a name may have, whatever its case; none where it certainly has none.
    pub fn definitions(&self, name: &str) -> impl Iterator<Item = Definitions> + '_ {
        let print = print_of_name(name);
        let from = self.names.partition_point(|named| named.print < print);
        let same = self.names[from..].iter().take_while(move |named| named.print == print);
        same.filter_map(|named| {
            let like = names::hit_of(SymbolKind::from_code(named.kind)?, named.flags);
            Some(Definitions { like, count: usize::from(named.count) })
        })
    }

    /// Whether it may have a name, whatever its case.
    pub fn may_define(&self, name: &str) -> bool {
        self.definitions(name).next().is_some()
    }

    /// Whether it may have a name that begins so, whatever its case.
    pub fn may_define_beginning(&self, name: &str) -> bool {
        let (low, high) = (beginning(name, 0), beginning(name, u8::MAX));
        let from = self.beginnings.partition_point(|known| *known < low);
        !name.is_empty() && self.beginnings.get(from).is_some_and(|known| *known <= high)
    }

    /// In about how many texts a word stands; none where it certainly stands in none.
    pub fn texts_with(&self, place: WordPlace, word: &str) -> usize {
        let print = print_of_word(place, word);
        let at = self.words.binary_search_by_key(&print, |(known, _)| *known);
        at.map_or(0, |at| usize::from(self.words[at].1))
    }

    /// Bytes in memory, about.
    pub fn size(&self) -> usize {
        let packages = self.offers.iter().chain(&self.needs).map(|name| name.len() + 24).sum::<usize>();
        self.names.len() * 8 + self.beginnings.len() * 4 + self.words.len() * 8 + packages
    }

    fn of(snapshot: &Snapshot, only: Option<&VersionSet>) -> Result<Directory, StoreError> {
        let mut directory = Directory::default();
        let refs = snapshot.refs()?;
        let published = VersionSet::union(refs.iter().map(|state| &state.versions));
        let versions = only.unwrap_or(&published);
        let mut sorts: HashMap<(u32, u8, u8), usize> = HashMap::new();
        names::each(snapshot.connection()?, |name, hits| {
            let hits = hits.iter().filter(|hit| versions.contains(hit.version));
            let mut any = false;
            for hit in hits {
                any = true;
                let (kind, flags) = names::sort_of(hit);
                *sorts.entry((print_of_name(name), kind, flags)).or_default() += 1;
            }
            if any {
                directory.beginnings.push(beginning(name, 0));
            }
        })?;
        let count = |count: usize| u16::try_from(count).unwrap_or(u16::MAX);
        let named = |((print, kind, flags), many)| Named { print, kind, flags, count: count(many) };
        directory.names = sorts.into_iter().map(named).collect();
        directory.names.sort_unstable();
        directory.beginnings.sort_unstable();
        directory.beginnings.dedup();
        let mut words: HashMap<u32, usize> = HashMap::new();
        let mut add = |place, word: &str, texts: usize| *words.entry(print_of_word(place, word)).or_default() += texts;
        let files = snapshot.files_of(versions)?;
        for file in &files {
            let mut of_path = crate::tokens(file.path.as_str());
            of_path.sort();
            of_path.dedup();
            directory.figures.path_words += of_path.len() as u64;
            of_path.iter().for_each(|word| add(WordPlace::Path, word, 1));
        }
        let wanted = |version| versions.contains(version);
        let told = snapshot.text()?.words(only.is_some().then_some(&wanted), &mut add)?;
        directory.figures = Figures { files: files.len() as u64, ..told.with_paths(directory.figures.path_words) };
        directory.words = words.into_iter().map(|(print, texts)| (print, count(texts))).collect();
        directory.words.sort_unstable();
        Ok(directory)
    }
}

impl Figures {
    fn with_paths(self, path_words: u64) -> Figures {
        Figures { path_words, ..self }
    }
}

/// The file of a directory, in the folder of the generation that it is of.
const FILE: &str = "directory";

impl Store {
    /// The directory of everything that is indexed, whatever ref has it, and the state of the index that it is of. It is read where
    /// somebody made it for that state, else made and kept; `packages` is asked then for what the repository offers and needs.
    pub fn directory(
        &self,
        packages: impl FnOnce(&Snapshot) -> (Vec<PackageName>, Vec<PackageName>),
    ) -> Result<(Stamp, Directory), StoreError> {
        let folder = self.dir().current()?.ok_or(StoreError::NotIndexed)?;
        // Taken before anything is read: what is published meanwhile makes it old, not wrong.
        let stamp = stamp_of(&folder);
        if let Some(directory) = read(&folder, &stamp) {
            return Ok((stamp, directory));
        }
        let snapshot = self.snapshot()?;
        // Of an index that was made and never filled nothing is known, which is not the same as that it has nothing.
        if snapshot.refs()?.is_empty() {
            return Err(StoreError::NotIndexed);
        }
        let mut directory = Directory::of(&snapshot, None)?;
        (directory.offers, directory.needs) = packages(&snapshot);
        drop(snapshot);
        // A home that cannot be written has it made each time.
        let _ = write(&folder, &stamp, &directory);
        Ok((stamp, directory))
    }

    /// The directory of some versions alone, which is kept nowhere.
    pub fn directory_of(&self, versions: &VersionSet) -> Result<Directory, StoreError> {
        let snapshot = self.snapshot()?;
        Directory::of(&snapshot, Some(versions))
    }
}

fn read(folder: &Path, stamp: &Stamp) -> Option<Directory> {
    let bytes = std::fs::read(folder.join(FILE)).ok()?;
    let body = unseal(&bytes, FORM.into(), "a directory").ok()?;
    let (of, directory): (Stamp, Directory) = postcard::from_bytes(body).ok()?;
    (of == *stamp).then_some(directory)
}

fn write(folder: &Path, stamp: &Stamp, directory: &Directory) -> Result<(), StoreError> {
    let body = postcard::to_stdvec(&(stamp, directory))
        .map_err(|problem| StoreError::corrupt(format!("directory: {problem}")))?;
    write_atomically(&folder.join(FILE), &seal(body, FORM.into()))
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::Manifest;
    use crate::fixture::{Project, new_version};

    fn publish(store: &Store, ref_name: &str, files: &[(&str, &str)]) {
        let mut writer = store.write().unwrap();
        let mut manifest = Manifest::default();
        for (path, text) in files {
            manifest.add(writer.add(new_version(path, text)).unwrap());
        }
        writer.publish(ref_name, &manifest, Timestamp::UNIX_EPOCH).unwrap();
    }

    fn directory(store: &Store) -> Directory {
        store.directory(|_| (vec!["cargo:own".to_owned()], Vec::new())).unwrap().1
    }

    #[test]
    fn what_is_indexed_is_never_ruled_out_and_what_is_not_mostly_is() {
        let project = Project::new();
        let store = project.store();
        publish(&store, "main", &[("src/limit.rs", "pub fn rate_limit() {}\nstruct Window;\n")]);
        let directory = directory(&store);
        for name in ["rate_limit", "RATE_LIMIT", "Window"] {
            assert!(directory.may_define(name), "{name}");
        }
        assert!(directory.may_define_beginning("rate_") && directory.may_define_beginning("WI"));
        assert!(!directory.may_define("window_of_time") && !directory.may_define_beginning("quo"));
        assert!(!directory.may_define_beginning(""));
        assert_eq!(directory.texts_with(WordPlace::Path, "limit"), 1);
        assert!(directory.texts_with(WordPlace::Body, "window") >= 1);
        assert_eq!(directory.texts_with(WordPlace::Body, "zebra"), 0);
        assert_eq!((directory.figures.files, directory.offers.as_slice()), (1, &["cargo:own".to_owned()][..]));
    }

    #[test]
    fn a_directory_is_read_until_something_is_published() {
        let project = Project::new();
        let store = project.store();
        publish(&store, "main", &[("a.rs", "fn one() {}")]);
        let (stamp, first) = store.directory(|_| Default::default()).unwrap();
        let now = || store.dir().stamp().unwrap().unwrap().stamp;
        assert_eq!(now(), stamp);
        let read = store.directory(|_| panic!("made again")).unwrap();
        assert_eq!(read, (stamp.clone(), first));
        publish(&store, "main", &[("a.rs", "fn two() {}")]);
        assert_ne!(now(), stamp);
        assert!(store.directory(|_| Default::default()).unwrap().1.may_define("two"));
    }

    #[test]
    fn of_one_ref_there_is_nothing_of_others() {
        let project = Project::new();
        let store = project.store();
        publish(&store, "main", &[("a.rs", "fn one() {}")]);
        publish(&store, "secret", &[("b.rs", "fn hidden() {}")]);
        let versions = store.ref_snapshot("main").unwrap().unwrap().state.versions.clone();
        let directory = store.directory_of(&versions).unwrap();
        assert!(directory.may_define("one") && !directory.may_define("hidden"));
        assert_eq!(directory.texts_with(WordPlace::Body, "hidden"), 0);
        assert_eq!((directory.figures.files, directory.texts_with(WordPlace::Body, "one")), (1, 1));
    }

    #[test]
    fn an_index_that_was_never_filled_has_none() {
        let project = Project::new();
        let store = project.store();
        store.create().unwrap();
        assert!(matches!(store.directory(|_| Default::default()), Err(StoreError::NotIndexed)));
    }

    #[test]
    fn a_damaged_file_is_made_anew() {
        let project = Project::new();
        let store = project.store();
        publish(&store, "main", &[("a.rs", "fn one() {}")]);
        directory(&store);
        let file = store.dir().current().unwrap().unwrap().join(FILE);
        let mut bytes = std::fs::read(&file).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        std::fs::write(&file, bytes).unwrap();
        assert!(directory(&store).may_define("one"));
    }
}
