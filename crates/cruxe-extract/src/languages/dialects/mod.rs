//! The tables of the languages that are read by their layout, see [`super::layout`].

mod apps;
mod builds;
mod functional;
mod schemas;
mod scripts;
mod settings;
#[cfg(test)]
mod tests;
mod web;

pub use apps::{DART, GROOVY, OBJECTIVE_C, POWERSHELL, SOLIDITY};
pub use builds::{CMAKE, DOCKERFILE, MAKE};
pub use functional::{CLOJURE, ERLANG, FSHARP, NIX, OCAML};
pub use schemas::{GRAPHQL, HCL, PROTOBUF, SQL};
pub use scripts::{JULIA, PERL, R};
pub use settings::{JSON, TOML, YAML};
pub use web::{CSS, HTML};
