//! Text → vector.
//!
//! [`Table`] is the built-in model: a row per word piece, added up. [`minilm`] is a transformer that can be installed,
//! [`models`] installs it.
//!
//! Invariant: nothing here knows what is embedded or where vectors are kept, and nothing here goes to the network.

mod error;
pub mod minilm;
pub mod models;
mod simd;
mod table;
mod vector;
mod vocabulary;
mod words;

pub use error::EmbedError;
pub use table::{Embedder, Table, Text};
pub use vector::{Probe, Vector, dot, push_row, row_bytes};
