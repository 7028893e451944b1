//! One module per language: everything that is known about it. Adding one means adding its folder, and its two lines here.

pub mod bash;
pub mod broad;
pub mod c;
pub mod cpp;
pub mod csharp;
pub mod dialects;
pub mod ecma;
pub mod elixir;
pub mod embedded;
pub mod go;
pub mod haskell;
pub mod java;
pub mod kotlin;
pub mod layout;
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
    &embedded::ASTRO,
    &embedded::SVELTE,
    &embedded::VUE,
    &go::GO,
    &haskell::HASKELL,
    &java::JAVA,
    &kotlin::KOTLIN,
    &lua::LUA,
    &markdown::MARKDOWN,
    &php::PHP,
    &python::PYTHON,
    &embedded::NOTEBOOK, // behind Python, whose name it has
    &ruby::RUBY,
    &rust::RUST,
    &scala::SCALA,
    &swift::SWIFT,
    &zig::ZIG,
    &dialects::CLOJURE,
    &dialects::CMAKE,
    &dialects::CSS,
    &dialects::DART,
    &dialects::DOCKERFILE,
    &dialects::ERLANG,
    &dialects::FSHARP,
    &dialects::GRAPHQL,
    &dialects::GROOVY,
    &dialects::HCL,
    &dialects::HTML,
    &dialects::JSON,
    &dialects::JULIA,
    &dialects::MAKE,
    &dialects::NIX,
    &dialects::OBJECTIVE_C,
    &dialects::OCAML,
    &dialects::PERL,
    &dialects::POWERSHELL,
    &dialects::PROTOBUF,
    &dialects::R,
    &dialects::SOLIDITY,
    &dialects::SQL,
    &dialects::TOML,
    &dialects::YAML,
];

#[cfg(test)]
mod dump;
#[cfg(test)]
pub(crate) mod fixture_tests;
