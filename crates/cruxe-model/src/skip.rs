//! Why a file is not indexed.

use serde::{Deserialize, Serialize};

/// Why a file is left out of an index. Stored and shown as its words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "String", into = "&'static str")]
pub enum SkipReason {
    /// It is no text.
    Binary,
    /// It is larger than the limit.
    TooLarge,
    /// The system did not let it be read.
    Unreadable,
    /// It belongs to git or another such program.
    VersionControl,
    /// Somebody else's code.
    Vendored,
    /// Some program's cache.
    Cache,
    /// A program wrote it.
    Generated,
    /// It pins versions of dependencies.
    LockFile,
    /// It was made small and unreadable.
    Minified,
    /// It holds translated texts.
    Translations,
    /// It holds data.
    Data,
    /// It only says which file git LFS keeps elsewhere.
    LfsPointer,
    /// Another repository.
    Submodule,
    /// A reason that this program does not know.
    Unknown,
}

impl SkipReason {
    /// Every reason.
    pub const ALL: [SkipReason; 14] = [
        SkipReason::Binary,
        SkipReason::TooLarge,
        SkipReason::Unreadable,
        SkipReason::VersionControl,
        SkipReason::Vendored,
        SkipReason::Cache,
        SkipReason::Generated,
        SkipReason::LockFile,
        SkipReason::Minified,
        SkipReason::Translations,
        SkipReason::Data,
        SkipReason::LfsPointer,
        SkipReason::Submodule,
        SkipReason::Unknown,
    ];

    /// The reason in words.
    pub fn as_str(self) -> &'static str {
        match self {
            SkipReason::Binary => "binary",
            SkipReason::TooLarge => "too large",
            SkipReason::Unreadable => "unreadable",
            SkipReason::VersionControl => "version control",
            SkipReason::Vendored => "vendored",
            SkipReason::Cache => "cache",
            SkipReason::Generated => "generated",
            SkipReason::LockFile => "lock file",
            SkipReason::Minified => "minified",
            SkipReason::Translations => "translations",
            SkipReason::Data => "data",
            SkipReason::LfsPointer => "git LFS pointer",
            SkipReason::Submodule => "submodule",
            SkipReason::Unknown => "unknown",
        }
    }
}

impl From<String> for SkipReason {
    fn from(words: String) -> SkipReason {
        let known = SkipReason::ALL.into_iter().find(|reason| reason.as_str() == words);
        known.unwrap_or(SkipReason::Unknown)
    }
}

impl From<SkipReason> for &'static str {
    fn from(reason: SkipReason) -> &'static str {
        reason.as_str()
    }
}
