//! File versions on their way to the writer.

use cruxe_embed::{Vector, push_row, row_bytes};
use cruxe_model::facts::FileFacts;
use cruxe_model::{ContentHash, RepoPath};

use crate::error::StoreError;
use crate::pack::{self, PackedFacts};

/// A file that was read and extracted.
pub struct ExtractedFile {
    /// Where it is.
    pub path: RepoPath,
    /// What it contains.
    pub hash: ContentHash,
    /// The module that its place gives it.
    pub module: String,
    /// What it says.
    pub facts: FileFacts,
    /// Its text, as long as the file is.
    pub text: String,
    /// The embeddings of its chunks.
    pub vectors: ChunkVectors,
    /// What could not be done, in words.
    pub problems: Option<String>,
}

/// The embeddings of a file's chunks, in the order of the chunks; none at all when no model is in use.
#[derive(Default)]
pub struct ChunkVectors {
    dims: usize,
    pub(crate) rows: Vec<u8>,
}

impl ChunkVectors {
    /// Room for the vectors of so many chunks.
    pub fn new(dims: usize, chunks: usize) -> ChunkVectors {
        ChunkVectors { dims, rows: Vec::with_capacity(chunks * row_bytes(dims)) }
    }

    /// Adds the vector of the next chunk; a chunk may have none.
    pub fn push(&mut self, vector: Option<&Vector>) {
        push_row(vector, self.dims, &mut self.rows);
    }
}

/// A file version that is ready to be written.
pub struct NewVersion {
    pub(crate) path: RepoPath,
    pub(crate) hash: ContentHash,
    pub(crate) module: String,
    pub(crate) facts: FileFacts,
    pub(crate) packed: PackedFacts,
    pub(crate) text: String,
    pub(crate) vectors: Vec<u8>,
    pub(crate) problems: Option<String>,
}

impl NewVersion {
    /// Packs what a file says. It costs a part of what parsing does, so it is for the threads that extract: the one that
    /// writes has enough to do.
    pub fn prepare(file: ExtractedFile) -> Result<NewVersion, StoreError> {
        let packed = pack::facts(&file.facts)?;
        let ExtractedFile { path, hash, module, facts, text, vectors, problems } = file;
        Ok(NewVersion { path, hash, module, facts, packed, text, vectors: vectors.rows, problems })
    }
}
