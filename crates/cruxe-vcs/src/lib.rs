//! Git, read only: which repository a path belongs to, what its refs point at, what a commit contains.
//!
//! Everything starts at [`Repo::discover`]. The answers are plain values in the words of `cruxe-model`: a commit, a
//! tree's file and a blob are all named by [`ContentHash`](cruxe_model::ContentHash), a path by
//! [`RepoPath`](cruxe_model::RepoPath).
//!
//! Deliberately absent: any write but that of a work tree of our own (`work_tree`), any process (no hook, filter, pager
//! or `git` program is ever run), any trust in the repository's own configuration beyond what is needed to read it, and
//! any idea of symbols.

mod belongs;
mod blob;
mod branch;
mod checkout;
mod error;
mod guard;
mod index;
mod merge_base;
mod object;
mod recent;
mod refs;
mod repo;
mod resolve;
#[cfg(test)]
mod robust_tests;
mod staged;
#[cfg(test)]
mod testing;
mod tree;
mod work_tree;

pub use blob::{Blob, BlobReader, hash_blob};
pub use branch::Head;
pub use error::VcsError;
pub use recent::{Change, ChangeKind, CommitLine};
pub use repo::{ObjectFormat, Repo};
pub use resolve::{RefKind, Resolved};
pub use tree::{TreeFile, TreeListing};
