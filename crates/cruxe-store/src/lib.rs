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
//!              /g1/directory     names and words in brief
//! ```
//!
//! [`Store`] is the way in: locks, paths and the form of bytes are its own affair. [`Store::snapshot`] and [`RefSnapshot`] read,
//! [`Store::write`] gives the one [`Writer`], [`Store::jobs`] is the history.
//!
//! The life of a file version: [`NewVersion::prepare`] packs it on the thread that extracted it; [`Writer::add`] writes its
//! facts into an open transaction and its text into Tantivy; [`Writer::publish`] commits the text, then in one SQLite
//! transaction the facts and the manifest of a ref. Until that transaction nobody can see the version; after it everybody
//! does at the next query. What a crash leaves behind is unreachable and is swept by the next writer.
//!
//! Invariant: no tree-sitter, no ranking, no MCP. Only this crate knows SQL.

mod cache;
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
mod job_history;
mod jobs;
mod layout;
mod lock;
mod manifest;
mod mentions;
mod meta;
#[cfg(test)]
mod model_tests;
mod names;
mod names_and_words;
mod new_version;
mod pack;
mod ref_snapshot;
mod replica;
mod rows;
mod schema;
mod segment;
mod servers;
mod skip;
mod snapshot;
mod stamp;
mod stem;
mod store;
mod symbol_columns;
mod symbol_rows;
#[cfg(test)]
mod tests;
mod text;
mod tokenizer;
mod validate;
mod vectors;
mod version_set;
mod words;
mod writer;

pub use cache::Cache;
pub use compiler::{Compiler, CompilerFacts, CompilerOccurrence, CompilerRole, CompilerSymbol};
pub use corpus::{ChunkNumber, Comparison, Corpus, FileNumber, TextField, Vectors};
pub use error::StoreError;
pub use job_history::{JobHistory, RunningJob};
pub use jobs::{Job, JobMode, JobStatus};
pub use layout::{Home, ProjectDir, ProjectRecord, size_of};
pub use manifest::{FileStat, Manifest, RefState, StatEntry};
pub use names::{NameMatch, SymbolHit};
pub use names_and_words::{Definitions, Directory, Figures, PackageName, WordPlace};
pub use new_version::{ExtractedFile, NewVersion};
pub use ref_snapshot::RefSnapshot;
pub use replica::{Held, HeldFile, Incoming};
pub use rows::{FileRow, SymbolTable};
pub use schema::SCHEMA_VERSION;
pub use servers::{RunningServer, ServerNote};
pub use snapshot::{Again, Snapshot};
pub use stamp::{Stamp, Taken};
pub use store::{Forgotten, Store};
pub use tokenizer::tokens;
pub use vectors::Embedding;
pub use version_set::VersionSet;
pub use words::{Lexicon, WordReader};
pub use writer::{Published, Writer};
