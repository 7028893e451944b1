//! Writing an archive.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fs;
use std::io::{BufWriter, Write};
use std::path::Path;

use cruxe_model::{ContentHash, RepoPath, VersionId};
use cruxe_store::VersionSet;

use super::{BLOBS, CHECKSUM, FILES, FORMAT, File, HEADER, Header, REFS, Ref, Sum, VERSION, format_name};
use crate::error::IndexError;
use crate::workspace::Workspace;

/// Half the size of level 1 at a speed that git can feed.
const LEVEL: i32 = 6;

/// What was written.
#[derive(Debug)]
pub struct Exported {
    /// Names of the refs.
    pub refs: Vec<String>,
    /// File versions.
    pub files: usize,
    /// Size of the archive.
    pub bytes: u64,
    /// What the reader should know.
    pub warnings: Vec<String>,
}

/// Writes everything that is published into a file. It appears when it is whole.
pub fn export(workspace: &Workspace, path: &Path) -> Result<Exported, IndexError> {
    let project = &workspace.project;
    let snapshot = workspace.snapshot()?;
    let mut states = snapshot.refs()?;
    let rows = snapshot.files_of(&VersionSet::union(states.iter().map(|state| &state.versions)))?;
    let read = |path: &RepoPath, hash: &ContentHash| project.read_content(path, hash);
    let lost: HashSet<VersionId> =
        rows.iter().filter(|row| read(&row.path, &row.hash).is_none()).map(|row| row.id).collect();
    let mut warnings = Vec::new();
    states.retain(|state| {
        let gone = state.versions.iter().filter(|version| lost.contains(version)).count();
        if gone > 0 {
            let name = &state.name;
            warnings.push(format!(
                "`{name}` is left out: {gone} of its files have changed since; sync it and export again"
            ));
        }
        gone == 0
    });
    let needed = VersionSet::union(states.iter().map(|state| &state.versions));
    let of_ids: Vec<(File, VersionId)> = rows
        .iter()
        .filter(|row| needed.contains(row.id))
        .map(|row| (File(row.path.clone(), row.module.clone(), row.hash.to_hex()), row.id))
        .collect();
    // One file version may be stored twice: `--force` extracts everything anew for its ref alone.
    let files: BTreeSet<&File> = of_ids.iter().map(|(file, _)| file).collect();
    let places: HashMap<&File, u32> = files.iter().zip(0..).map(|(file, at)| (*file, at)).collect();
    let position: HashMap<VersionId, u32> = of_ids.iter().map(|(file, id)| (*id, places[file])).collect();
    let mut refs: Vec<Ref> = states
        .iter()
        .map(|state| {
            let mut files: Vec<u32> = state.versions.iter().filter_map(|id| position.get(&id).copied()).collect();
            files.sort_unstable();
            let (name, commit, skipped) = (state.name.clone(), state.commit.clone(), state.skipped.clone());
            Ref { name, commit, checked_out: state.worktree.is_some(), files, skipped }
        })
        .collect();
    refs.sort_by(|a, b| a.name.cmp(&b.name));
    let mut blobs: BTreeMap<ContentHash, (&RepoPath, u64)> = BTreeMap::new();
    for row in rows.iter().filter(|row| needed.contains(row.id)) {
        blobs.entry(row.hash).or_insert((&row.path, row.bytes));
    }
    let header = Header {
        format: FORMAT.to_owned(),
        version: VERSION,
        object_format: format_name(project.object_format()).to_owned(),
        blobs: blobs.len(),
        bytes: blobs.values().map(|(_, bytes)| bytes).sum(),
    };
    let failed = |source: std::io::Error| IndexError::Io { path: path.to_owned(), source };
    let temporary = path.with_extension(format!("tmp{}", std::process::id()));
    let write = || -> std::io::Result<u64> {
        let mut encoder = zstd::Encoder::new(BufWriter::new(fs::File::create_new(&temporary)?), LEVEL)?;
        encoder.include_checksum(true)?;
        let mut archive = Archive { tar: tar::Builder::new(encoder), sum: Sum::default() };
        archive.add(HEADER, &serde_json::to_vec(&header)?)?;
        archive.add(FILES, &serde_json::to_vec(&files)?)?;
        archive.add(REFS, &serde_json::to_vec(&refs)?)?;
        for (hash, (path, _)) in &blobs {
            let changed = || std::io::Error::other(format!("{path} changed while it was read; try again"));
            archive.add(&format!("{BLOBS}{hash}"), &read(path, hash).ok_or_else(changed)?)?;
        }
        let sum = archive.sum.finish();
        archive.add(CHECKSUM, sum.as_bytes())?;
        let file = archive.tar.into_inner()?.finish()?.into_inner().map_err(|error| error.into_error())?;
        file.sync_all()?;
        let bytes = file.metadata()?.len();
        fs::rename(&temporary, path)?;
        Ok(bytes)
    };
    let bytes = write().map_err(|problem| {
        let _ = fs::remove_file(&temporary);
        failed(problem)
    })?;
    Ok(Exported { refs: refs.into_iter().map(|entry| entry.name).collect(), files: files.len(), bytes, warnings })
}

struct Archive<W: Write> {
    tar: tar::Builder<W>,
    sum: Sum,
}

impl<W: Write> Archive<W> {
    /// Adds an entry that says nothing about when and where it was made.
    fn add(&mut self, name: &str, content: &[u8]) -> std::io::Result<()> {
        let mut header = tar::Header::new_ustar();
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        self.sum.add(name, content);
        self.tar.append_data(&mut header, name, content)
    }
}
