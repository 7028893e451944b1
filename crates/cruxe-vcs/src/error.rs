//! What can go wrong when reading a repository.

use std::path::{Path, PathBuf};

use cruxe_model::ContentHash;

/// Why a question about a repository has no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum VcsError {
    /// A file or folder could not be read.
    #[error("cannot read `{}`: {reason}; check that it exists and that you may read it", path.display())]
    Read {
        /// What was read.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// There is a repository, but it cannot be opened.
    #[error("cannot open the git repository of `{}`: {reason}; `git status` there may say more", path.display())]
    Open {
        /// The path whose repository was looked for.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A `.git` file of a linked work tree or a submodule leads nowhere.
    #[error(
        "`{}` does not lead to a git directory; run `git worktree repair` in the main work tree, or delete the file \
         if the folder no longer belongs to a repository", path.display()
    )]
    DanglingGitFile {
        /// The `.git` file.
        path: PathBuf,
    },
    /// A git directory and a work tree that do not both say that they belong together.
    #[error(
        "the git repository of `{}` is not used: {reason}; if that is meant, run `git worktree repair`, or give the \
         folder that the repository belongs to", path.display()
    )]
    Foreign {
        /// The path whose repository was looked for.
        path: PathBuf,
        /// What does not fit.
        reason: String,
    },
    /// The repository stores its refs in a way that cannot be read.
    #[error(
        "`{}` stores its refs as reftable, which is not supported; run `git refs migrate --ref-format=files` there",
        git_dir.display()
    )]
    Reftable {
        /// The git directory.
        git_dir: PathBuf,
    },
    /// A ref exists but its content makes no sense.
    #[error("the ref `{name}` in `{}` is damaged: {reason}; `git fsck` may say more", git_dir.display())]
    DamagedRef {
        /// The full name of the ref.
        name: String,
        /// The git directory it is in.
        git_dir: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A text names nothing in this repository.
    #[error("`{spec}` is no branch, tag or commit of this repository; check its spelling, or fetch it first")]
    UnknownRef {
        /// The text, shortened and with control characters escaped.
        spec: String,
    },
    /// A short commit id fits more than one commit.
    #[error("`{spec}` is the beginning of {count} commit ids; give more digits")]
    AmbiguousCommit {
        /// The short id.
        spec: String,
        /// How many commits it fits.
        count: usize,
    },
    /// An object is not there.
    #[error(
        "object {hash} is not in this repository; if the clone is shallow or partial, fetch the rest with \
         `git fetch --unshallow` or `git fetch --refetch`, else run `git fsck`"
    )]
    MissingObject {
        /// The object's id.
        hash: ContentHash,
    },
    /// An object is there but is not of the kind that was asked for.
    #[error("object {hash} is a {found}, not a {wanted}; give the id of a {wanted}")]
    WrongKind {
        /// The object's id.
        hash: ContentHash,
        /// What it is.
        found: &'static str,
        /// What it should be.
        wanted: &'static str,
    },
    /// An object is there but cannot be decoded.
    #[error("object {hash} cannot be read: {reason}; run `git fsck` to see what else is damaged")]
    DamagedObject {
        /// The object's id.
        hash: ContentHash,
        /// What is wrong with it.
        reason: String,
    },
    /// A commit unfolds to more files than any real project has.
    #[error("commit {hash} contains more than {limit} files; index a part of it instead")]
    TooManyFiles {
        /// The commit's id.
        hash: ContentHash,
        /// How many files are listed at most.
        limit: usize,
    },
    /// A commit cannot be written as files.
    #[error("the files of commit {hash} cannot be written: {reason}")]
    Checkout {
        /// The commit's id.
        hash: ContentHash,
        /// What is wrong with it.
        reason: String,
    },
    /// A file or folder could not be written.
    #[error("cannot write `{}`: {reason}", path.display())]
    Write {
        /// What was written.
        path: PathBuf,
        /// What is in the way.
        reason: String,
    },
    /// Somebody changed a work tree that is to be changed or removed.
    #[error("`{}` is not as it was committed; commit it elsewhere, or remove the work tree by hand", path.display())]
    Edited {
        /// The file.
        path: PathBuf,
    },
}

impl VcsError {
    pub(crate) fn read(path: &Path, error: &std::io::Error) -> VcsError {
        VcsError::Read { path: path.to_owned(), reason: error.to_string() }
    }

    pub(crate) fn write(path: &Path, error: &std::io::Error) -> VcsError {
        VcsError::Write { path: path.to_owned(), reason: error.to_string() }
    }

    /// Shortens and escapes the text, so that a hostile one cannot fill a log or drive a terminal.
    pub(crate) fn unknown_ref(spec: &str) -> VcsError {
        const SHOWN: usize = 100;
        let mut shown: String = spec.chars().take(SHOWN).flat_map(char::escape_debug).collect();
        if spec.chars().nth(SHOWN).is_some() {
            shown.push('…');
        }
        VcsError::UnknownRef { spec: shown }
    }
}

/// The messages of an error and its causes, on one line, without what they quote.
///
/// A file of a git directory can be a link to any file of this machine, and an error goes to whoever asked.
pub(crate) fn reason(error: &gix::Error) -> String {
    let mut messages: Vec<String> = Vec::new();
    for cause in error.iter_errors() {
        let message = cause.to_string();
        let quote = [", input=", "\"", "'", "`"].iter().filter_map(|mark| message.find(mark)).min();
        let message = message[..quote.unwrap_or(message.len())].trim_end_matches([' ', ':', ',', '(']).to_owned();
        if !message.is_empty() && messages.last() != Some(&message) {
            messages.push(message);
        }
    }
    messages.join(": ")
}
