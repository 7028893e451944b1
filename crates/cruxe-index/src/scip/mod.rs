//! Taking in a compiler's index (SCIP, <https://github.com/sourcegraph/scip>), which may be anybody's.
//!
//! The file is read twice, document by document, so that memory does not grow with it: [`ScipFile::open`] reads all of it
//! and refuses what is damaged before anything is touched, [`ScipFile::import`] reads it again and stores what belongs to
//! the ref. SCIP has no hash of the text it is about, so a document belongs to the content that its file has now; if
//! it carries the text, the text must be that content, and the names that it defines must stand where it says. A file
//! that is edited later becomes another version, about which nothing was taken in.

mod document;
mod symbol;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::time::Duration;

use cruxe_model::{RepoPath, VersionId};
use cruxe_store::{CompilerFacts, FileRow};
use protobuf::CodedInputStream;
use scip::types::{Document, Metadata};

use crate::error::IndexError;
use crate::workspace::Workspace;

/// Larger files are refused. Linux' own is below two.
const MAX_BYTES: u64 = 8 << 30;
/// How long another writer is waited for: a server that follows edits is done in a moment.
const PATIENCE: Duration = Duration::from_secs(30);
/// Documents of one path beyond this number are left out: each means to read the file again.
const MAX_PARTS: usize = 100;
/// No file system has longer paths.
const MAX_PATH: usize = 4096;
/// Of the folder that an index was made in so many are tried as the one that paths start from, the innermost first.
const MAX_FOLDERS: usize = 32;
/// A message is read into memory whole, and a short one may become fifty times as long there.
const MAX_MESSAGE: u32 = 64 << 20;
/// How many documents are named that were left out.
const NAMED: usize = 3;

/// A compiler's index that was read to its end once.
pub struct ScipFile {
    path: PathBuf,
    /// The program that wrote it, with its version.
    pub tool: String,
    /// The folder that its paths start from, where it was made.
    root: String,
    paths: Vec<String>,
    /// Every symbol that some document defines.
    defined: HashSet<u64>,
}

/// What was taken in.
#[derive(Debug, Default)]
pub struct ScipReport {
    /// The program that wrote the index.
    pub tool: String,
    /// The ref.
    pub ref_name: String,
    /// Documents of the index.
    pub documents: usize,
    /// Those that were taken in.
    pub taken: usize,
    /// Files of the ref that are covered now, those of earlier imports included.
    pub covered: u64,
    /// Files of the ref.
    pub files: u64,
    /// Why documents were left out, with their paths.
    pub left_out: BTreeMap<&'static str, Vec<String>>,
}

impl ScipReport {
    /// What the reader should know about documents that were left out.
    pub fn warnings(&self) -> Vec<String> {
        let line = |(why, paths): (&&'static str, &Vec<String>)| {
            let named = paths.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
            let more = if paths.len() > NAMED { ", …" } else { "" };
            format!("{} documents left out, {why}: {named}{more}", paths.len())
        };
        self.left_out.iter().map(line).collect()
    }
}

const NO_FILE: &str = "no file of the ref";
const OUTSIDE: &str = "outside of the project";
const TOO_MANY: &str = "more than 100 for one file";
const OTHER_TEXT: &str = "made from another text than the file has now";

impl ScipFile {
    /// Reads an index to its end; an error when it is none, or damaged.
    pub fn open(path: &Path) -> Result<ScipFile, IndexError> {
        let metadata = std::fs::metadata(path).map_err(|source| IndexError::Io { path: path.to_owned(), source })?;
        match metadata.len() {
            _ if !metadata.is_file() => return Err(refused("it is no file")),
            0 => return Err(refused("it is empty")),
            size if size > MAX_BYTES => return Err(refused(format!("it has {size} bytes, more than {MAX_BYTES}"))),
            _ => {}
        }
        let (mut paths, mut defined) = (Vec::new(), HashSet::new());
        let about = read(path, &mut |document| {
            for occurrence in document.occurrences.iter().filter(|occurrence| document::defines(occurrence)) {
                defined.extend(symbol::global_key(&occurrence.symbol));
            }
            paths.push(document.relative_path);
            Ok(())
        })?;
        let Some(about) = about else { return Err(refused("it does not say what it is an index of")) };
        if paths.is_empty() {
            return Err(refused("it has no documents"));
        }
        let tool = format!("{} {}", about.tool_info.name, about.tool_info.version).trim().to_owned();
        let root = document::local_path(&about.project_root);
        Ok(ScipFile { path: path.to_owned(), tool, root, paths, defined })
    }

    /// Stores what the index says about the files of a ref that is indexed.
    pub fn import(&self, workspace: &Workspace, ref_name: Option<&str>) -> Result<ScipReport, IndexError> {
        let project = &workspace.project;
        let (name, _) = project.resolve(ref_name)?;
        let published = project.store.ref_snapshot(&name)?.ok_or_else(|| IndexError::RefNotIndexed(name.clone()))?;
        let files: HashMap<RepoPath, FileRow> =
            published.files()?.into_iter().map(|row| (row.path.clone(), row)).collect();
        let prefix = self.prefix(&project.root.to_string_lossy(), &files);
        let mut report = ScipReport {
            tool: self.tool.clone(),
            ref_name: name,
            documents: self.paths.len(),
            files: published.state.files,
            ..ScipReport::default()
        };
        let mut writer = project.store.write_within(PATIENCE)?;
        let mut seen = HashSet::new();
        let repeated: HashSet<&String> = self.paths.iter().filter(|path| !seen.insert(*path)).collect();
        // What documents of one path say belongs together: how many there were, and their facts.
        let mut parts: HashMap<VersionId, (usize, Vec<_>)> = HashMap::new();
        let outcome = read(&self.path, &mut |document| {
            let path = placed(&prefix, &document.relative_path);
            let why = match path.as_ref().map(|path| files.get(path)) {
                None => OUTSIDE,
                Some(None) => NO_FILE,
                Some(Some(row)) if parts.get(&row.id).is_some_and(|(count, _)| *count >= MAX_PARTS) => TOO_MANY,
                Some(Some(row)) => {
                    let facts = project.read(row).and_then(|bytes| document::facts(self, &bytes, row, &document));
                    let is_part = repeated.contains(&document.relative_path);
                    if is_part {
                        parts.entry(row.id).or_default().0 += 1;
                    }
                    match facts {
                        Some(mut facts) => {
                            report.taken += 1;
                            match parts.get_mut(&row.id) {
                                Some((_, all)) => all.append(&mut facts),
                                None => writer.set_compiler_facts(row.id, &CompilerFacts::new(facts))?,
                            }
                            return Ok(());
                        }
                        None => OTHER_TEXT,
                    }
                }
            };
            report.left_out.entry(why).or_default().push(document.relative_path);
            Ok(())
        });
        let joined = outcome.and_then(|_| {
            let facts = parts.drain().filter(|(_, (_, facts))| !facts.is_empty());
            for (version, (_, facts)) in facts {
                writer.set_compiler_facts(version, &CompilerFacts::new(facts))?;
            }
            self.some_fit(&report)
        });
        if let Err(problem) = joined {
            writer.abandon();
            return Err(problem);
        }
        // Before the end: the writer would wait for every reader, this one too, to fold its log into the database.
        drop(published);
        writer.publish_compiler_facts()?;
        report.covered = project.store.ref_snapshot(&report.ref_name)?.map_or(Ok(0), |now| now.compiler_coverage())?;
        Ok(report)
    }

    /// An index of which nothing fits is of another project.
    fn some_fit(&self, report: &ScipReport) -> Result<(), IndexError> {
        if report.taken > 0 {
            return Ok(());
        }
        let reasons = report.warnings().join("; ");
        let made = if self.root.is_empty() { String::new() } else { format!(", made in {}", self.root) };
        Err(refused(format!(
            "nothing of it fits `{}` ({reasons}{made}); make it anew from this project",
            report.ref_name
        )))
    }

    /// The folder of the project that the paths start from: where the index was made if that is here, else the one of the
    /// folders around it under which most paths are files.
    fn prefix(&self, root: &str, files: &HashMap<RepoPath, FileRow>) -> String {
        if let Some(below) = self.root.strip_prefix(root).filter(|below| below.is_empty() || below.starts_with('/')) {
            return below.trim_matches('/').to_owned();
        }
        let fits = |prefix: &str| {
            let is_file = |path: &&String| placed(prefix, path).is_some_and(|path| files.contains_key(&path));
            self.paths.iter().filter(is_file).count()
        };
        let mut best = (fits(""), "");
        let folders = self.root.trim_matches('/');
        if folders.len() > MAX_PATH {
            return String::new();
        }
        let mut starts: Vec<usize> = folders.rmatch_indices('/').map(|(at, _)| at + 1).take(MAX_FOLDERS).collect();
        starts.reverse();
        for prefix in starts.into_iter().chain([0]).map(|start| &folders[start..]).filter(|prefix| !prefix.is_empty()) {
            let count = fits(prefix);
            if count > best.0 {
                best = (count, prefix);
            }
        }
        best.1.to_owned()
    }
}

/// The path of a document in the project; `None` for one that leads out of it.
fn placed(prefix: &str, path: &str) -> Option<RepoPath> {
    if path.len() > MAX_PATH {
        return None;
    }
    let own = RepoPath::parse(path).ok()?;
    if prefix.is_empty() { Some(own) } else { RepoPath::parse(&format!("{prefix}/{own}")).ok() }
}

fn refused(why: impl std::fmt::Display) -> IndexError {
    IndexError::BadScip(why.to_string())
}

/// Reads an index document by document and returns what it says about itself.
fn read(path: &Path, take: &mut dyn FnMut(Document) -> Result<(), IndexError>) -> Result<Option<Metadata>, IndexError> {
    let file = File::open(path).map_err(|source| IndexError::Io { path: path.to_owned(), source })?;
    let mut buffered = BufReader::with_capacity(1 << 16, file);
    let mut stream = CodedInputStream::from_buf_read(&mut buffered);
    let mut header = None;
    // The fields of `scip.Index`, each a message: 1 metadata, 2 documents, 3 symbols of other projects.
    while let Some(tag) = stream.read_raw_tag_or_eof().map_err(damaged)? {
        match (tag >> 3, tag & 7) {
            (1, 2) => header = Some(message::<Metadata>(&mut stream)?),
            (2, 2) if header.is_some() => take(message::<Document>(&mut stream)?)?,
            (3.., 2) if header.is_some() => {
                let length = stream.read_raw_varint32().map_err(damaged)?;
                stream.skip_raw_bytes(length).map_err(damaged)?;
            }
            _ => return Err(refused("it is no SCIP index")),
        }
    }
    Ok(header)
}

fn damaged(problem: protobuf::Error) -> IndexError {
    refused(format!("it is no SCIP index, or is damaged or cut off ({problem})"))
}

/// Reads a message of bounded length.
fn message<M: protobuf::Message>(stream: &mut CodedInputStream) -> Result<M, IndexError> {
    let length = stream.read_raw_varint32().map_err(damaged)?;
    if length > MAX_MESSAGE {
        return Err(refused(format!("a part of it has {length} bytes, more than {MAX_MESSAGE}")));
    }
    let end = stream.pos() + u64::from(length);
    let outer = stream.push_limit(u64::from(length)).map_err(damaged)?;
    let mut message = M::new();
    message.merge_from(stream).map_err(damaged)?;
    stream.pop_limit(outer);
    if stream.pos() == end { Ok(message) } else { Err(refused("it is damaged or cut off")) }
}
