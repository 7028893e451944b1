//! Which uses are edges, construct by construct: small trees in which every line that must be found is marked.
//!
//! A line with `<-` is a use of the symbol that is asked for, a line with `<?` one that is only guessed. Every other
//! line must not be in the answer: each tree holds near misses.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod broad;
mod call_paths;
mod constructors;
mod cpp;
mod ecma;
mod external;
mod fixtures;
mod go;
mod graph;
mod java;
mod javascript;
mod jsdoc;
mod mentions;
mod one_symbol;
mod operators;
mod overloads;
mod paths;
mod python;
mod python_alternatives;
mod qualified;
mod relations;
mod renamed;
mod rust;
mod support;
#[path = "../../src/testing.rs"]
mod testing;
mod truth;
