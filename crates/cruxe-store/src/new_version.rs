//! File versions on their way to the writer.

use cruxe_model::facts::FileFacts;
use cruxe_model::{ContentHash, RepoPath};

use crate::error::StoreError;
use crate::pack::{self, PackedFacts};
use crate::words::{FileWords, WordReader};

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
    /// What could not be done, in words.
    pub problems: Option<String>,
}

/// A file version that is ready to be written.
pub struct NewVersion {
    pub(crate) path: RepoPath,
    pub(crate) hash: ContentHash,
    pub(crate) module: String,
    pub(crate) facts: FileFacts,
    pub(crate) packed: PackedFacts,
    pub(crate) bytes: u64,
    pub(crate) words: FileWords,
    /// The embeddings of its chunks, in their order; none at all when no model is in use.
    pub(crate) vectors: Vec<u8>,
    pub(crate) problems: Option<String>,
}

impl NewVersion {
    /// Packs what a file says and reads its words. It costs a part of what parsing does, so it is for the threads that extract:
    /// the one that writes has enough to do.
    pub fn prepare(file: ExtractedFile, words: &mut WordReader) -> Result<NewVersion, StoreError> {
        let packed = pack::facts(&file.facts)?;
        let ExtractedFile { path, hash, module, facts, text, problems } = file;
        let bytes = text.len() as u64;
        let (words, vectors) = words.file(&path, &facts, &text);
        Ok(NewVersion { path, hash, module, facts, packed, bytes, words, vectors, problems })
    }
}
