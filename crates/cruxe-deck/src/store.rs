//! Files of a deck: read once as long as they stay what they are, written whole or not at all.

use std::fs::{self, Metadata};
use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, SystemTime};

use crate::error::DeckError;

/// What tells one state of a file from the next without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    modified: Option<SystemTime>,
    size: u64,
    inode: u64,
}

/// A change within this time of another may leave a file's time as it is: clocks of file systems tick.
const TICK: Duration = Duration::from_secs(1);

impl Stamp {
    pub(crate) fn of(metadata: &Metadata) -> Stamp {
        #[cfg(unix)]
        let inode = std::os::unix::fs::MetadataExt::ino(metadata);
        #[cfg(not(unix))]
        let inode = 0;
        Stamp { modified: metadata.modified().ok(), size: metadata.len(), inode }
    }

    /// Whether a file with this stamp, read at that moment, may have changed since and kept the stamp.
    pub(crate) fn is_young(&self, read_at: SystemTime) -> bool {
        self.modified.is_none_or(|modified| modified + TICK >= read_at)
    }
}

/// How a file is written.
pub(crate) enum Mode<'a> {
    /// It must not be there yet; `false` when it is.
    Create,
    /// It replaces a file and has its permissions.
    Replace(&'a Metadata),
}

/// Writes a file in one step: it is made in `scratch`, on the same disk, and put in its place.
pub(crate) fn write(path: &Path, scratch: &Path, text: &str, mode: &Mode) -> Result<bool, DeckError> {
    fs::create_dir_all(scratch).map_err(DeckError::io(scratch))?;
    let mut builder = tempfile::Builder::new();
    builder.prefix(".card-");
    #[cfg(unix)]
    let permissions = {
        use std::os::unix::fs::PermissionsExt;
        fs::Permissions::from_mode(match mode {
            Mode::Create => 0o666, // less what the user's mask takes away
            Mode::Replace(metadata) => metadata.permissions().mode() & 0o7777,
        })
    };
    #[cfg(unix)]
    builder.permissions(permissions);
    let mut file = builder.tempfile_in(scratch).map_err(DeckError::io(scratch))?;
    file.write_all(text.as_bytes()).and_then(|()| file.as_file().sync_data()).map_err(DeckError::io(path))?;
    match mode {
        Mode::Replace(_metadata) => {
            #[cfg(unix)]
            file.as_file().set_permissions(_metadata.permissions()).map_err(DeckError::io(path))?;
            file.persist(path).map_err(|problem| DeckError::Io { path: path.to_owned(), source: problem.error })?;
            Ok(true)
        }
        Mode::Create => match file.persist_noclobber(path) {
            Ok(_) => Ok(true),
            Err(problem) if problem.error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(problem) => Err(DeckError::Io { path: path.to_owned(), source: problem.error }),
        },
    }
}
