//! The built program, from outside: as an agent, a person at a terminal, or a dying machine meets it.
//!
//! Every test has a home of its own. Nothing here sleeps for a while and hopes: a test asks again until a condition
//! holds or its deadline has passed.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod support;

mod abuse;
mod across;
mod asking;
mod branches;
mod call_paths;
mod cancel;
mod catalog;
mod changes;
mod crowd;
mod cue;
mod damage;
mod deck;
mod disk;
mod filters;
mod freshness;
mod graph_tools;
mod grep;
mod hostile;
mod http;
mod hunt;
mod install;
mod isolation;
mod jobs;
mod kills;
mod links;
mod locate;
mod messages;
mod model;
mod portable;
mod programs;
mod projects;
mod protocol;
mod refs;
mod relations;
mod reports;
mod scip;
mod search;
mod sessions;
mod several;
mod snapshots;
mod strangers;
mod text_answers;
mod trees;
mod unheard;
mod watching;
mod web;
mod workspaces;
