//! Taking in an archive, which may be anybody's.
//!
//! Everything goes into a new generation of the index that replaces the one in use at the very end; whatever is wrong
//! before that leaves nothing behind.

use std::collections::HashMap;
use std::fs;
use std::io::{BufReader, Read};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender};
use cruxe_model::{ContentHash, RepoPath, VersionId};
use cruxe_store::{Manifest, NewVersion, Writer};
use cruxe_vcs::hash_blob;
use jiff::Timestamp;
use serde::de::DeserializeOwned;

use super::{BLOBS, CHECKSUM, FILES, FORMAT, File, HEADER, Header, REFS, Ref, Sum, VERSION, format_name};
use crate::error::IndexError;
use crate::job::{Worker, embedding};
use crate::project::{Project, Source};

/// Code compresses to a third or a tenth. What claims to be this many times its size is no code.
const MAX_RATIO: u64 = 200;
/// So much may come out of the smallest archive.
const SMALLEST: u64 = 8 << 20;
/// So long may the files of the smallest archive take to read, all threads together, and a second longer for every so many
/// bytes. Texts that a parser takes very long for are short.
const SMALLEST_TIME: Duration = Duration::from_secs(20);
const BYTES_A_SECOND: u64 = 10 << 10;
const MAX_HEADER: u64 = 64 << 10;
const MAX_LIST: u64 = 256 << 20;
/// Every ref costs time, however little it says.
const MAX_REFS: usize = 10_000;
/// No file system has longer paths, and modules follow from paths: every name in a file begins with its module.
const MAX_PATH: usize = 4096;
const MAX_REF_NAME: usize = 1024;
/// Tar files may be filled up with zeros to some round size.
const MAX_PADDING: u64 = 64 << 10;
/// Contents in flight between the reader, the extracting threads and the writer.
const IN_FLIGHT: usize = 32;

/// What was taken in.
#[derive(Debug)]
pub struct Imported {
    /// Names of the refs.
    pub refs: Vec<String>,
    /// Those that had been indexed as they were checked out: what they mean here is for a sync to find out.
    pub checked_out: Vec<String>,
    /// File versions.
    pub files: usize,
}

/// Replaces the index of a project with what an archive holds. One of another repository is refused unless that is what the
/// caller wants.
pub fn import(project: &Project, path: &Path, of_any: bool) -> Result<Imported, IndexError> {
    import_within(SMALLEST_TIME, project, path, of_any)
}

/// The same with another time for the files of the smallest archive.
fn import_within(smallest: Duration, project: &Project, path: &Path, of_any: bool) -> Result<Imported, IndexError> {
    let file = fs::File::open(path).map_err(|source| IndexError::Io { path: path.to_owned(), source })?;
    let about = file.metadata().map_err(|source| IndexError::Io { path: path.to_owned(), source })?;
    if !about.is_file() {
        return Err(refused("it is no file"));
    }
    let size = about.len();
    let most = size.saturating_mul(MAX_RATIO).saturating_add(SMALLEST);
    let decoder = zstd::Decoder::new(BufReader::new(file)).map_err(|_| refused("it is not a .tar.zst file"))?;
    let mut archive = tar::Archive::new(decoder);
    // Raw: extensions of the format are entries of kinds that are refused, and never anything that is obeyed.
    let entries = archive.entries().map_err(damaged)?.raw(true);
    let mut reader = Entries { entries, sum: Sum::default() };
    let header: Header = reader.json(HEADER, MAX_HEADER)?;
    check(&header, project, most)?;
    let files: Vec<File> = reader.json(FILES, MAX_LIST.min(most))?;
    let refs: Vec<Ref> = reader.json(REFS, MAX_LIST.min(most))?;
    check_lists(&files, &refs)?;
    if !of_any && is_of_another_repository(project, &files, &refs) {
        return Err(IndexError::OtherRepository);
    }
    let wanted = wanted(&header, &files, &refs)?;
    project.register()?;
    let mut writer = project.store.rebuild()?;
    let time = smallest + Duration::from_secs(size / BYTES_A_SECOND);
    let bounds = Bounds { contents: header.bytes, files: most, time };
    let outcome = fill(project, &mut writer, reader, &bounds, &files, &refs, &wanted);
    match outcome.and_then(|()| nothing_more(archive.into_inner())) {
        Ok(()) => writer.replace()?,
        Err(problem) => {
            writer.discard();
            return Err(problem);
        }
    }
    let names =
        |only: bool| refs.iter().filter(move |entry| entry.checked_out || !only).map(|entry| entry.name.clone());
    Ok(Imported { refs: names(false).collect(), checked_out: names(true).collect(), files: files.len() })
}

/// Whether an archive is of another repository: none of its commits is known here, and few files here are in it. An
/// archive says nothing of the repository that it is of but that, so a copy may have moved, be behind or lack history.
fn is_of_another_repository(project: &Project, files: &[File], refs: &[Ref]) -> bool {
    let is_known = |commit: &String| project.repo.as_ref().is_some_and(|repo| repo.resolve(commit).is_ok());
    if refs.iter().filter_map(|entry| entry.commit.as_ref()).any(is_known) {
        return false;
    }
    let here = project.scan().map(|listing| listing.files).unwrap_or_default();
    let mut held: HashMap<&str, Vec<&str>> = HashMap::new();
    files.iter().for_each(|File(path, _, hash)| held.entry(path.as_str()).or_default().push(hash));
    let is_held = |path: &RepoPath| {
        let Some(hashes) = held.get(path.as_str()) else { return false };
        let hash = project.read_current(path).map(|bytes| hash_blob(project.object_format(), &bytes).to_hex());
        hash.is_some_and(|hash| hashes.contains(&hash.as_str()))
    };
    let enough = here.len() / SHARED + 1;
    !here.is_empty() && here.iter().filter(|file| is_held(&file.path)).take(enough).count() < enough
}

/// More than one file in so many is the same in two copies of a repository. Licences and the like are the same in others.
const SHARED: usize = 3;

fn refused(why: impl std::fmt::Display) -> IndexError {
    IndexError::BadArchive(why.to_string())
}

fn damaged(problem: std::io::Error) -> IndexError {
    refused(format!("it is damaged or cut off ({problem})"))
}

/// Reads what is behind the last entry: nothing, and the compressor's own checksum.
fn nothing_more(rest: impl Read) -> Result<(), IndexError> {
    let mut content = Vec::new();
    rest.take(MAX_PADDING + 1).read_to_end(&mut content).map_err(damaged)?;
    match content.len() as u64 <= MAX_PADDING && content.iter().all(|byte| *byte == 0) {
        true => Ok(()),
        false => Err(refused("something follows its end")),
    }
}

/// How many bytes there may be, and how much time they may take.
struct Bounds {
    /// Of contents, each counted once.
    contents: u64,
    /// Of files. Many may have the same content, and each is read and stored by itself.
    files: u64,
    /// How long these may take to read, all threads together.
    time: Duration,
}

fn check(header: &Header, project: &Project, most: u64) -> Result<(), IndexError> {
    if header.format != FORMAT {
        return Err(refused("it is not an archive of `cruxe state export`"));
    }
    if header.version != VERSION {
        let found = header.version;
        return Err(refused(format!("it has format version {found}, this program reads {VERSION}; export it again")));
    }
    let own = format_name(project.object_format());
    if header.object_format != own {
        return Err(refused(format!(
            "it is of a repository with {} objects, this one has {own}",
            header.object_format
        )));
    }
    if header.bytes > most {
        return Err(refused(format!(
            "it claims to hold {} bytes of source, more than the {most} that fit",
            header.bytes
        )));
    }
    Ok(())
}

/// Refuses lists that no export writes, before anything of them is looked at.
fn check_lists(files: &[File], refs: &[Ref]) -> Result<(), IndexError> {
    if refs.len() > MAX_REFS {
        return Err(refused(format!("it has {} refs, more than {MAX_REFS}", refs.len())));
    }
    let is_plain = |text: &str, most: usize| text.len() <= most && !text.contains(char::is_control);
    for File(path, module, _) in files {
        if path.as_str().len() > MAX_PATH || !is_plain(module, MAX_PATH) {
            return Err(refused(format!("a path or module has more than {MAX_PATH} bytes, or odd characters")));
        }
    }
    for entry in refs {
        let is_commit = |commit: &String| commit.len() <= 64 && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
        if entry.name.is_empty() || !is_plain(&entry.name, MAX_REF_NAME) || !entry.commit.iter().all(is_commit) {
            return Err(refused("a ref has no proper name or commit"));
        }
    }
    Ok(())
}

/// The files of each content, in the order in which contents follow; every list must be what an export writes.
fn wanted(header: &Header, files: &[File], refs: &[Ref]) -> Result<Vec<(ContentHash, Vec<usize>)>, IndexError> {
    let mut by_hash: HashMap<ContentHash, Vec<usize>> = HashMap::new();
    for (at, file) in files.iter().enumerate() {
        let hash = file.hash().ok_or_else(|| refused("a content has no proper id"))?;
        by_hash.entry(hash).or_default().push(at);
    }
    let mut wanted: Vec<_> = by_hash.into_iter().collect();
    wanted.sort();
    let sorted = files.is_sorted_by(|a, b| a < b) && refs.is_sorted_by(|a, b| a.name < b.name);
    let in_range = refs.iter().flat_map(|entry| &entry.files).all(|at| (*at as usize) < files.len());
    let unique = refs.iter().all(|entry| {
        entry.files.is_sorted_by(|a, b| a < b)
            && entry.files.windows(2).all(|pair| files[pair[0] as usize].0 != files[pair[1] as usize].0)
    });
    match sorted && in_range && unique && wanted.len() == header.blobs {
        true => Ok(wanted),
        false => Err(refused("its lists contradict each other")),
    }
}

struct Entries<'a, R: Read> {
    entries: tar::Entries<'a, R>,
    sum: Sum,
}

impl<R: Read> Entries<'_, R> {
    /// The next entry, which must be a plain file of this name and of no more than so many bytes.
    fn next(&mut self, name: &str, limit: u64) -> Result<Vec<u8>, IndexError> {
        let entry = self.entries.next().ok_or_else(|| refused(format!("`{name}` is missing")))?;
        let entry = entry.map_err(damaged)?;
        let header = entry.header();
        if !header.entry_type().is_file() || header.path_bytes().as_ref() != name.as_bytes() {
            let found = String::from_utf8_lossy(&header.path_bytes()).into_owned();
            return Err(refused(format!("{found:?} stands where `{name}` should")));
        }
        let size = header.size().map_err(damaged)?;
        if size > limit {
            return Err(refused(format!("`{name}` has {size} bytes, more than {limit}")));
        }
        let mut content = Vec::new();
        entry.take(limit).read_to_end(&mut content).map_err(damaged)?;
        if content.len() as u64 != size {
            return Err(refused("it is cut off"));
        }
        if name != CHECKSUM {
            self.sum.add(name, &content);
        }
        Ok(content)
    }

    fn json<T: DeserializeOwned>(&mut self, name: &str, limit: u64) -> Result<T, IndexError> {
        let content = self.next(name, limit)?;
        serde_json::from_slice(&content).map_err(|problem| refused(format!("`{name}`: {problem}")))
    }

    fn end(mut self) -> Result<(), IndexError> {
        let sum = self.sum.finish();
        if self.next(CHECKSUM, 1024)? != sum.as_bytes() {
            return Err(refused("its checksum is wrong"));
        }
        match self.entries.next() {
            None => Ok(()),
            Some(_) => Err(refused("something follows its end")),
        }
    }
}

/// Reads and writes here, in turns, while all cores extract in between; the channels bound what is in memory.
fn fill<R: Read>(
    project: &Project,
    writer: &mut Writer,
    mut reader: Entries<'_, R>,
    bounds: &Bounds,
    files: &[File],
    refs: &[Ref],
    wanted: &[(ContentHash, Vec<usize>)],
) -> Result<(), IndexError> {
    writer.use_model(embedding(project).as_ref())?;
    let mut ids: Vec<Option<VersionId>> = vec![None; files.len()];
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    let (work_in, work_out) = crossbeam_channel::bounded::<(usize, Vec<u8>)>(IN_FLIGHT);
    let (done_in, done_out) = crossbeam_channel::bounded::<Made>(IN_FLIGHT);
    let (mut spent, lexicon) = (Duration::ZERO, Arc::default());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let (work_out, done_in, lexicon) = (work_out.clone(), done_in.clone(), &lexicon);
            scope.spawn(move || {
                if let Ok(worker) = Worker::new(project, &Source::WorkTree { commit: None }, lexicon) {
                    extract(worker, files, wanted, &work_out, &done_in);
                }
            });
        }
        drop((work_out, done_in));
        // Owned here, so that giving up closes both channels and the threads end.
        let (work_in, done_out) = (work_in, done_out);
        let mut take = |made: Made| -> Result<(), IndexError> {
            let (file, version, time) = made?;
            spent += time;
            if spent > bounds.time {
                let most = bounds.time.as_secs();
                return Err(refused(format!("its files take longer to read than the {most} s that its size allows")));
            }
            ids[file] = Some(writer.add(version)?);
            Ok(())
        };
        let (mut total, mut in_files) = (0, 0_u64);
        for (at, (hash, of)) in wanted.iter().enumerate() {
            let name = format!("{BLOBS}{hash}");
            let bytes = reader.next(&name, project.config.index.max_file_bytes)?;
            total += bytes.len() as u64;
            let costs = of.iter().map(|file| cost(bytes.len(), &files[*file]));
            in_files = costs.fold(in_files, u64::saturating_add);
            if in_files > bounds.files {
                return Err(refused(format!("its files have more than the {} bytes that fit", bounds.files)));
            }
            if total > bounds.contents || hash_blob(project.object_format(), &bytes) != *hash {
                return Err(refused(format!("`{name}` is not what its name says")));
            }
            let mut work = (at, bytes);
            while let Err(full) = work_in.try_send(work) {
                work = full.into_inner();
                take(done_out.recv().map_err(|_| refused("no thread could be started"))?)?;
            }
        }
        reader.end()?;
        drop(work_in);
        done_out.iter().try_for_each(take)
    })?;
    for entry in refs {
        let mut manifest = Manifest::new(entry.commit.clone(), None);
        entry.files.iter().filter_map(|at| ids[*at as usize]).for_each(|version| manifest.add(version));
        entry.skipped.iter().for_each(|(path, why)| manifest.skip(path.clone(), *why));
        writer.set_ref(&entry.name, &manifest, Timestamp::now())?;
    }
    Ok(())
}

/// What a file counts for: its bytes, and more where its module is long, because every name in it begins with that.
fn cost(bytes: usize, File(_, module, _): &File) -> u64 {
    (bytes as u64).saturating_mul(256 + module.len() as u64) / 256
}

/// A file that was read, and how long that took.
type Made = Result<(usize, NewVersion, Duration), IndexError>;

fn extract(
    mut worker: Worker,
    files: &[File],
    wanted: &[(ContentHash, Vec<usize>)],
    work: &Receiver<(usize, Vec<u8>)>,
    done: &Sender<Made>,
) {
    for (at, bytes) in work {
        let (hash, of) = &wanted[at];
        for file in of {
            let File(path, module, _) = &files[*file];
            let start = Instant::now();
            let made = worker.new_version(path, module, *hash, bytes.clone());
            if done.send(made.map(|version| (*file, version, start.elapsed()))).is_err() {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cruxe_model::config::Config;
    use cruxe_store::Home;
    use serde_json::{Value, json};
    use tar::EntryType;

    fn header(changes: Value) -> Vec<u8> {
        let mut header = json!({"format": FORMAT, "version": VERSION, "object_format": "sha1", "blobs": 1, "bytes": 4});
        for (key, value) in changes.as_object().unwrap() {
            header[key] = value.clone();
        }
        header.to_string().into_bytes()
    }

    fn archive(entries: &[(EntryType, &str, &[u8])]) -> Vec<u8> {
        let mut tar = tar::Builder::new(zstd::Encoder::new(Vec::new(), 3).unwrap());
        for (kind, name, content) in entries {
            let mut header = tar::Header::new_ustar();
            header.set_entry_type(*kind);
            header.set_size(content.len() as u64);
            // Set by hand: the library itself refuses to write what is tried here.
            header.as_mut_bytes()[..name.len()].copy_from_slice(name.as_bytes());
            header.set_cksum();
            tar.append(&header, *content).unwrap();
        }
        tar.into_inner().unwrap().finish().unwrap()
    }

    #[test]
    fn links_foreign_paths_other_versions_and_bombs_are_refused() {
        const FILE: EntryType = EntryType::Regular;
        let files = br#"[["a.py","","e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"]]"#.as_slice();
        let escaping = br#"[["../../a.py","","e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"]]"#.as_slice();
        let refs = br#"[{"name":"main","commit":null,"checked_out":true,"files":[0],"skipped":[]}]"#.as_slice();
        let out_of_range = br#"[{"name":"main","commit":null,"checked_out":true,"files":[7],"skipped":[]}]"#.as_slice();
        let (good, blob) = (header(json!({})), "blobs/e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
        let (newer, huge) = (header(json!({"version": 2})), header(json!({"bytes": 1u64 << 40})));
        let start = [(FILE, HEADER, good.as_slice()), (FILE, FILES, files), (FILE, REFS, refs)];
        let with = |more: &[(EntryType, &'static str, &'static [u8])]| archive(&[&start[..], more].concat());
        let zeros: &'static [u8] = vec![0; 32 << 20].leak();
        for (what, bytes) in [
            ("a link", archive(&[(EntryType::Symlink, HEADER, b"")])),
            ("a long name", archive(&[(EntryType::GNULongName, "././@LongLink", zeros)])),
            ("another path", archive(&[(FILE, "../../evil", b"x")])),
            ("another version", archive(&[(FILE, HEADER, &newer)])),
            ("a bomb that says so", archive(&[(FILE, HEADER, &huge)])),
            ("a path that leads out", archive(&[start[0], (FILE, FILES, escaping), start[2]])),
            ("a file that is not there", archive(&[start[0], start[1], (FILE, REFS, out_of_range)])),
            ("a bomb of one content", with(&[(FILE, blob, zeros)])),
            ("another content", with(&[(FILE, blob, b"evil")])),
            ("no checksum", with(&[(FILE, blob, b"")])),
            ("a wrong checksum", with(&[(FILE, blob, b""), (FILE, CHECKSUM, b"0")])),
        ] {
            refusal(what, &bytes);
        }
    }

    /// Why an archive is refused; nothing of it stays behind.
    fn refusal(what: &str, bytes: &[u8]) -> String {
        refusal_within(SMALLEST_TIME, what, bytes)
    }

    fn refusal_within(time: Duration, what: &str, bytes: &[u8]) -> String {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("project");
        fs::create_dir(&root).unwrap();
        let home = Home::new(folder.path().join("home"));
        let project = Project::locate(&root, &home, Config::default()).unwrap();
        let path = folder.path().join("state.tar.zst");
        fs::write(&path, bytes).unwrap();
        let IndexError::BadArchive(why) = import_within(time, &project, &path, false).unwrap_err() else {
            panic!("{what}")
        };
        assert_eq!(project.store.dir().current().unwrap(), None, "{what}");
        let left = fs::read_dir(project.store.dir().root()).into_iter().flatten().flatten();
        let left: Vec<_> =
            left.map(|entry| entry.file_name()).filter(|name| *name != "project.json" && *name != "lock").collect();
        assert_eq!(left, Vec::<std::ffi::OsString>::new(), "{what}: no generation is left behind");
        assert!(!folder.path().join("evil").exists() && !folder.path().join("a.py").exists(), "{what}");
        why
    }

    #[test]
    fn a_small_archive_that_would_cost_minutes_is_refused_with_the_bound() {
        const FILE: EntryType = EntryType::Regular;
        let content: Vec<u8> = b"def name():\n    return 1\n".repeat(20_000);
        let hash = hash_blob(cruxe_vcs::ObjectFormat::Sha1, &content).to_hex();
        let paths = |many: usize| (0..many).map(move |at| format!("a{at:06}.py"));
        let files = |many: usize, module: &str| -> Vec<u8> {
            json!(paths(many).map(|path| json!([path, module, hash])).collect::<Vec<_>>()).to_string().into_bytes()
        };
        let named = |names: &[String], commit: Value| -> Vec<u8> {
            let entry = |name: &String| json!({"name": name, "commit": commit, "checked_out": true, "files": [], "skipped": []});
            json!(names.iter().map(entry).collect::<Vec<_>>()).to_string().into_bytes()
        };
        let header = header(json!({"bytes": content.len()}));
        let blob = format!("{BLOBS}{hash}");
        let with = |files: &[u8], refs: &[u8]| {
            archive(&[(FILE, HEADER, &header), (FILE, FILES, files), (FILE, REFS, refs), (FILE, &blob, &content)])
        };
        let (none, one) = (named(&[], Value::Null), files(1, ""));
        let repeated = with(&files(100, ""), &none);
        assert!(repeated.len() < 8 << 10, "{} bytes", repeated.len());
        let why = refusal("one content many times", &repeated);
        assert!(why.starts_with("its files have more than the 8") && why.ends_with(" bytes that fit"), "{why}");
        let why = refusal("a long module", &with(&files(4, &"m".repeat(MAX_PATH)), &none));
        assert!(why.starts_with("its files have more than the 8"), "{why}");
        let many: Vec<String> = (0..=MAX_REFS).map(|at| format!("r{at:06}")).collect();
        let why = refusal("many refs", &with(&one, &named(&many, Value::Null)));
        assert_eq!(why, "it has 10001 refs, more than 10000");
        for module in ["m".repeat(MAX_PATH + 1), "a\u{1b}b".to_owned()] {
            let why = refusal("an odd module", &with(&files(1, &module), &none));
            assert_eq!(why, "a path or module has more than 4096 bytes, or odd characters");
        }
        for (name, commit) in [("", json!(null)), ("a\nb", json!(null)), ("a", json!("--upload-pack=x"))] {
            let why = refusal("an odd ref", &with(&one, &named(&[name.to_owned()], commit)));
            assert_eq!(why, "a ref has no proper name or commit");
        }
        let mut sum = Sum::default();
        for (name, content) in [(HEADER, &header), (FILES, &one), (REFS, &none), (blob.as_str(), &content)] {
            sum.add(name, content);
        }
        let sum = sum.finish();
        let good = archive(&[
            (FILE, HEADER, &header),
            (FILE, FILES, &one),
            (FILE, REFS, &none),
            (FILE, &blob, &content),
            (FILE, CHECKSUM, sum.as_bytes()),
        ]);
        let why = refusal_within(Duration::ZERO, "texts that take long", &good);
        assert_eq!(why, "its files take longer to read than the 0 s that its size allows");
        let blanks = [vec![b' '; 12 << 20], b"[]".to_vec()].concat();
        let why = refusal("a long list", &with(&blanks, &none));
        assert!(why.starts_with("`files.json` has 12582914 bytes, more than "), "{why}");
    }
}
