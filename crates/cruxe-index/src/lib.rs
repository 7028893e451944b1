//! From a work tree or a git ref to published facts: scanning, jobs, freshness, watching.
//!
//! The life of a file: [`scan`] finds it (or [`cruxe_vcs`] lists it in a commit), [`job`] reads, hashes and extracts
//! what is new on all cores and hands it to the store's one writer, and the publish at the end of the job makes it
//! visible. [`freshness`] tells whether what is published is still what is on disk; [`watch`] makes that cheap.
//!
//! Invariant: nothing here answers questions about code.

mod comparison;
mod directory;
mod error;
mod freshness;
pub mod history;
pub mod ignore_rules;
pub mod job;
mod left_out;
mod project;
mod prune;
mod refs;
mod rules;
mod running;
mod scan;
mod scip;
mod seen;
pub mod state;
#[cfg(test)]
mod testing;
mod view;
mod walk;
pub mod watch;
mod workspace;
mod worktree;

pub use self::scip::{ScipFile, ScipReport};
pub use comparison::Change;
pub use directory::directory;
pub use error::IndexError;
pub use history::{CommitTree, PastReader};
pub use job::{JobReport, JobRequest};
pub use left_out::{LeftOut, TextMark};
pub use project::{Project, Source};
pub use prune::Pruned;
pub use refs::Layers;
pub use scan::{Listing, ScanFile};
pub use view::{Notice, Standing, View};
pub use workspace::Workspace;
