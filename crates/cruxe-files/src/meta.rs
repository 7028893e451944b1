//! What a `stat` says.

use std::fmt;
use std::fs::{FileType, Metadata};
use std::time::SystemTime;

/// What a name in a folder stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link; on Windows anything that leads elsewhere.
    Link,
    /// A named pipe.
    Pipe,
    /// A socket.
    Socket,
    /// A device.
    Device,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::File => "a file",
            Kind::Folder => "a folder",
            Kind::Link => "a link",
            Kind::Pipe => "a pipe",
            Kind::Socket => "a socket",
            Kind::Device => "a device",
        })
    }
}

/// What tells one state of a file from the next without reading it, and what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meta {
    /// What it is.
    pub kind: Kind,
    /// Size in bytes.
    pub size: u64,
    /// When its content was last changed, where the system knows.
    pub modified: Option<SystemTime>,
    /// When anything about it was last changed, in nanoseconds; 0 where the system does not say.
    pub changed_ns: i64,
    /// The number of its disk; 0 where there is none.
    pub device: u64,
    /// Its number on that disk; 0 where there is none.
    pub inode: u64,
    /// How many names it has.
    pub names: u64,
    /// Its permissions, as Unix has them.
    pub mode: u32,
}

impl Meta {
    /// Takes what `std` says about an opened file.
    pub fn of(metadata: &Metadata) -> Meta {
        #[cfg(unix)]
        let (changed_ns, device, inode, names, mode) = {
            use std::os::unix::fs::MetadataExt;
            (
                metadata.ctime().saturating_mul(1_000_000_000).saturating_add(metadata.ctime_nsec()),
                metadata.dev(),
                metadata.ino(),
                metadata.nlink(),
                metadata.mode() & 0o7777,
            )
        };
        #[cfg(not(unix))]
        let (changed_ns, device, inode, names, mode) =
            (0, 0, 0, 1, if metadata.permissions().readonly() { 0o444 } else { 0o666 });
        let kind = kind(metadata.file_type());
        Meta { kind, size: metadata.len(), modified: metadata.modified().ok(), changed_ns, device, inode, names, mode }
    }

    /// Returns whether nobody may write it.
    pub fn is_read_only(&self) -> bool {
        self.mode & 0o222 == 0
    }
}

fn kind(found: FileType) -> Kind {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if found.is_fifo() {
            return Kind::Pipe;
        }
        if found.is_socket() {
            return Kind::Socket;
        }
    }
    match found {
        found if found.is_file() => Kind::File,
        found if found.is_dir() => Kind::Folder,
        found if found.is_symlink() => Kind::Link,
        _ => Kind::Device,
    }
}
