//! An index as one file that another machine can take in.
//!
//! The archive holds what cannot be computed: which files each ref has, and their contents. Facts follow from the
//! contents, so they are extracted anew on import and nothing that an archive claims about code is believed. For the
//! same reason equal states give equal bytes: ids, times and the layout of the database are not in it.
//!
//! ```text
//! cruxe-state.json   what this is, and how much of it
//! files.json         path, module and content of every file version, in order
//! refs.json          name, commit and files of every ref, in order
//! blobs/<id>         each content once, in the order of their ids
//! checksum           of all the above
//! ```

mod export;
mod import;

use cruxe_model::{ContentHash, RepoPath, SkipReason};
use cruxe_vcs::ObjectFormat;
use serde::{Deserialize, Serialize};

pub use export::{Exported, export};
pub use import::{Imported, import};

const FORMAT: &str = "cruxe-state";
const VERSION: u32 = 1;
const HEADER: &str = "cruxe-state.json";
const FILES: &str = "files.json";
const REFS: &str = "refs.json";
const BLOBS: &str = "blobs/";
const CHECKSUM: &str = "checksum";

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    format: String,
    version: u32,
    object_format: String,
    blobs: usize,
    bytes: u64,
}

/// A file version: path, module, content.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
struct File(RepoPath, String, String);

impl File {
    fn hash(&self) -> Option<ContentHash> {
        ContentHash::from_hex(&self.2)
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Ref {
    name: String,
    commit: Option<String>,
    /// It was indexed as it was checked out, uncommitted edits included.
    checked_out: bool,
    /// Positions in the list of files.
    files: Vec<u32>,
    skipped: Vec<(RepoPath, SkipReason)>,
}

fn format_name(format: ObjectFormat) -> &'static str {
    match format {
        ObjectFormat::Sha1 => "sha1",
        ObjectFormat::Sha256 => "sha256",
    }
}

/// Sums up entries as they pass.
#[derive(Default)]
struct Sum(blake3::Hasher);

impl Sum {
    fn add(&mut self, name: &str, content: &[u8]) {
        for part in [name.as_bytes(), content] {
            self.0.update(&(part.len() as u64).to_le_bytes());
            self.0.update(part);
        }
    }

    fn finish(&self) -> String {
        self.0.finalize().to_hex().to_string()
    }
}
