//! A team's server from outside: pushes, workers, nodes, tokens, and what happens when any of it dies.
//!
//! They need a PostgreSQL (`CRUXE_TEST_POSTGRES`); without one each says so and passes. `scripts/check-team` starts one.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod access;
mod catalog;
mod failures;
mod kills;
mod leftovers;
mod many;
mod pages;
mod permissions;
mod pushes;
mod remote;
mod storage;
mod store;
mod support;
mod tables;
