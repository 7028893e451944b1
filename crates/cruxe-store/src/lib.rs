//! Where facts live: SQLite for facts, refs and jobs, Tantivy for text, one folder per project.
//!
//! ```text
//! projects/<id>/project.json     what the project is
//!              /lock             held by the one writer; the kernel drops it with the process
//!              /jobs.db          what was indexed when, and how it ended
//!              /CURRENT          the generation in use
//!              /g1/facts.db      file versions, facts, refs
//!              /g1/text/         full-text index
//!              /g1/vectors.1     embeddings
//! ```
//!
//! The life of a file version: [`Writer::add`] writes its facts into an open transaction and its text into Tantivy;
//! [`Writer::publish`] commits the text, then in one SQLite transaction the facts and the manifest of a ref. Until that
//! transaction nobody can see the version; after it everybody does at the next query. What a crash leaves behind is
//! unreachable and is swept by the next writer.
//!
//! Invariant: no tree-sitter, no ranking, no MCP. Only this crate knows SQL.

mod check;
mod compiler;
mod corpus;
#[cfg(test)]
mod damage_tests;
mod directory;
mod error;
#[cfg(test)]
mod fixture;
#[cfg(test)]
mod fuzz_tests;
mod index;
mod jobs;
mod layout;
mod lock;
mod manifest;
mod mentions;
mod meta;
#[cfg(test)]
mod model_tests;
mod names;
mod pack;
mod rows;
mod schema;
mod snapshot;
mod stem;
mod symbol_columns;
mod symbol_rows;
#[cfg(test)]
mod tests;
mod text;
mod tokenizer;
mod validate;
mod vectors;
mod writer;

pub use compiler::{Compiler, CompilerFacts, CompilerOccurrence, CompilerRole, CompilerSymbol};
pub use corpus::{ChunkNumber, Corpus, FileNumber, TextField, Vectors};
pub use error::StoreError;
pub use index::{Index, ref_names, wants_rebuild};
pub use jobs::{Job, JobMode, JobStatus, Jobs};
pub use layout::{Home, ProjectDir, ProjectRecord};
pub use lock::WriterLock;
pub use manifest::{FileStat, LeftOut, Manifest, RefState, StatEntry};
pub use names::{NameMatch, SymbolHit};
pub use pack::{PackedFacts, Packer};
pub use rows::{FileRow, SymbolTable};
pub use schema::SCHEMA_VERSION;
pub use snapshot::Snapshot;
pub use tokenizer::tokens;
pub use vectors::Embedding;
pub use writer::{NewVersion, Published, Writer};
