//! One module per language: which files are of it, its grammar and its rules.

pub mod bash;
pub mod broad;
pub mod c;
pub mod cpp;
pub mod csharp;
pub mod ecma;
pub mod elixir;
pub mod go;
pub mod haskell;
pub mod java;
pub mod kotlin;
pub mod lua;
pub mod markdown;
pub mod php;
pub mod python;
pub mod ruby;
pub mod rust;
pub mod scala;
pub mod swift;
pub mod zig;

mod common;

#[cfg(test)]
mod dump;
#[cfg(test)]
mod fixture_tests;
