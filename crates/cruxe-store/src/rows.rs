//! Rows of the database as readers get them: file versions, their symbols, refs.

use cruxe_model::facts::{Chunk, Symbol, SymbolIndex};
use cruxe_model::{ContentHash, RepoPath, VersionId};
use rusqlite::Row;

use crate::check::Check;
use crate::error::StoreError;
use crate::manifest::{RefState, unpack_list, unpack_versions};

/// A row of a file version.
#[derive(Clone, Debug, PartialEq)]
pub struct FileRow {
    /// Its id.
    pub id: VersionId,
    /// Where the file is.
    pub path: RepoPath,
    /// What it contains.
    pub hash: ContentHash,
    /// Its module.
    pub module: String,
    /// Its language.
    pub language: String,
    /// Its size.
    pub bytes: u64,
    /// Its lines.
    pub lines: u32,
    /// How many symbols it defines.
    pub symbols: u32,
    /// What could not be done with it, in words.
    pub problems: Option<String>,
}

impl FileRow {
    /// The checksum of its row.
    pub(crate) fn check(&self) -> Check {
        Check::default()
            .number(self.id.into())
            .bytes(self.path.as_str().as_bytes())
            .bytes(self.hash.as_bytes())
            .bytes(self.module.as_bytes())
            .bytes(self.language.as_bytes())
            .number(self.bytes as i64)
            .number(self.lines.into())
            .number(self.symbols.into())
            .optional(self.problems.as_deref())
    }
}

/// The symbols of one file.
pub struct SymbolTable {
    /// In the order of their positions.
    pub symbols: Vec<Symbol>,
    pub(crate) lines: Vec<(u32, u32)>,
    /// The pieces that full-text search treats as one document.
    pub chunks: Vec<Chunk>,
    pub(crate) chunk_lines: Vec<(u32, u32)>,
}

impl SymbolTable {
    /// First and last line of a chunk.
    pub fn chunk_lines(&self, chunk: u32) -> (u32, u32) {
        self.chunk_lines.get(chunk as usize).copied().unwrap_or((1, 1))
    }

    /// First and last line of a symbol's declaration.
    pub fn lines(&self, index: SymbolIndex) -> (u32, u32) {
        self.lines.get(index.0 as usize).copied().unwrap_or((1, 1))
    }
}

pub(crate) const SELECT_FILE: &str =
    "SELECT id, path, hash, module, language, bytes, lines, symbols, problems, checksum FROM version";

pub(crate) fn read_file(row: &Row) -> Result<FileRow, StoreError> {
    let (path, hash): (String, Vec<u8>) = (row.get(1)?, row.get(2)?);
    let file = FileRow {
        id: row.get(0)?,
        path: RepoPath::from_walk(&path).map_err(|problem| StoreError::corrupt(format!("version: {problem}")))?,
        hash: ContentHash::from_bytes(&hash).ok_or_else(|| StoreError::corrupt("version: malformed hash"))?,
        module: row.get(3)?,
        language: row.get(4)?,
        bytes: row.get(5)?,
        lines: row.get(6)?,
        symbols: row.get(7)?,
        problems: row.get(8)?,
    };
    file.check().expect(row.get(9)?, "the row of a file")?;
    Ok(file)
}

pub(crate) const SELECT_REF: &str = "SELECT name, commit_id, worktree, versions, skipped, files, symbols, bytes, indexed_at, \
                          checksum FROM ref";

pub(crate) fn read_ref(row: &Row) -> Result<RefState, StoreError> {
    let (name, versions, skipped): (String, Vec<u8>, Vec<u8>) = (row.get(0)?, row.get(3)?, row.get(4)?);
    let indexed_at: String = row.get(8)?;
    let state = RefState {
        commit: row.get(1)?,
        worktree: row.get(2)?,
        versions: unpack_versions(&name, &versions)?,
        skipped: unpack_list(&name, &skipped)?,
        files: row.get(5)?,
        symbols: row.get(6)?,
        bytes: row.get(7)?,
        indexed_at: indexed_at.parse().map_err(|_| StoreError::corrupt("manifest: malformed time"))?,
        name,
    };
    state.check().expect(row.get(9)?, "the row of a ref")?;
    Ok(state)
}
