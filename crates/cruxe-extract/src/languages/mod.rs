//! One module per language: everything that is known about it. Adding one means adding its folder, and its two lines here.

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

use crate::language::LanguageDef;

/// Every language that is understood.
pub static LANGUAGES: &[&LanguageDef] = &[
    &bash::BASH,
    &c::C,
    &cpp::CPP,
    &csharp::CSHARP,
    &ecma::JAVASCRIPT,
    &ecma::TYPESCRIPT,
    &ecma::TSX,
    &elixir::ELIXIR,
    &go::GO,
    &haskell::HASKELL,
    &java::JAVA,
    &kotlin::KOTLIN,
    &lua::LUA,
    &markdown::MARKDOWN,
    &php::PHP,
    &python::PYTHON,
    &ruby::RUBY,
    &rust::RUST,
    &scala::SCALA,
    &swift::SWIFT,
    &zig::ZIG,
];

#[cfg(test)]
mod dump;
#[cfg(test)]
pub(crate) mod fixture_tests;
