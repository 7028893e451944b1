//! One module per language: which files are of it, its grammar and its rules.

pub mod ecma;
pub mod go;
pub mod python;
pub mod rust;

#[cfg(test)]
mod dump;
#[cfg(test)]
mod fixture_tests;
