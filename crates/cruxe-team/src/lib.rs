//! A team's server: what an index run publishes is cut into blobs and kept in object storage or PostgreSQL; workers fill it,
//! nodes bring it to their disk and answer from it with the code of every other server.
//!
//! The life of a push: a webhook or the clock makes a [`jobs`] row due; a [`worker`] leases it, fetches the remote into a bare
//! mirror, indexes what is new and holds the index still; [`pack`] cuts the pages that changed into blobs; one transaction
//! swaps the repository's pointer ([`publish`]) and tells the nodes; a [`node`] fetches the blobs it lacks, puts the files
//! together beside those in use, checks every one by its hash, and swaps.
//!
//! Invariant: nothing here answers questions about code, and nothing here knows what is in an index's files.

mod audit;
mod blobs;
mod database;
mod error;
mod git;
mod jobs;
mod local;
mod migrations;
pub mod node;
mod notices;
mod pack;
mod publish;
mod remote;
mod repos;
mod sweep;
mod tls;
mod tokens;
mod webhooks;
mod worker;

pub use blobs::{Blobs, Storage};
pub use database::Database;
pub use error::TeamError;
pub use git::{is_allowed_url, without_password};
pub use jobs::ask_for;
pub use migrations::{choose_storage, migrate, storage};
pub use pack::{Assembled, BLOB_BYTES, Hash, Manifest, PAGE_BYTES};
pub use remote::{Remote, RemoteRepo};
pub use repos::{NewRepo, PublishedRef, Repo, RepoStatus};
pub use sweep::{Swept, sweep};
pub use tokens::{Grant, Holder, TokenInfo, TokenSecret};
pub use worker::{Worker, WorkerOptions};

/// Everything about a team's tokens, repositories and grants that the operator's commands do.
pub mod admin {
    pub use crate::repos::{add, find, list, remove, status};
    pub use crate::tokens::{
        add_member, create_group, create_token, grant, list_grants, list_groups, list_tokens, remove_group,
        remove_member, revoke_grant, revoke_token,
    };
}
