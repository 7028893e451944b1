//! Which servers run: each leaves a note with its version, and a lock that the kernel drops with the process.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::error::StoreError;
use crate::layout::{Home, write_atomically};
use crate::lock::WriterLock;

/// What a server says about itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunningServer {
    /// Its process.
    pub pid: u32,
    /// Its version.
    pub version: String,
    /// The workspace that it was started for; empty for one that was started in none.
    pub workspace: PathBuf,
    /// When it was started.
    pub started_at: String,
}

/// Held while a server runs; takes its note back.
#[derive(Debug)]
pub struct ServerNote {
    path: PathBuf,
    _lock: WriterLock,
}

impl Drop for ServerNote {
    fn drop(&mut self) {
        remove(&self.path);
    }
}

impl Home {
    /// Notes that this process serves a workspace.
    pub fn note_server(&self, version: &str, workspace: &Path) -> Result<ServerNote, StoreError> {
        let pid = std::process::id();
        let path = self.servers_folder().join(format!("{pid}.json"));
        let server = RunningServer {
            pid,
            version: version.to_owned(),
            workspace: workspace.to_owned(),
            started_at: jiff::Timestamp::now().to_string(),
        };
        write_atomically(&path, &serde_json::to_vec(&server).unwrap_or_default())?;
        let lock = WriterLock::acquire(&lock_of(&path))?;
        Ok(ServerNote { path, _lock: lock })
    }

    /// The servers that run now. What a killed one left behind is removed.
    pub fn servers(&self) -> Vec<RunningServer> {
        let entries = fs::read_dir(self.servers_folder()).into_iter().flatten().flatten();
        let notes = entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|end| end == "json"));
        let mut servers: Vec<RunningServer> = notes
            .filter_map(|path| match WriterLock::is_held(&lock_of(&path)) {
                Ok(true) => serde_json::from_reader(File::open(&path).ok()?).ok(),
                _ => {
                    remove(&path);
                    None
                }
            })
            .collect();
        servers.sort_by_key(|server| server.pid);
        servers
    }

    fn servers_folder(&self) -> PathBuf {
        self.root().join("servers")
    }
}

fn lock_of(note: &Path) -> PathBuf {
    note.with_extension("lock")
}

fn remove(note: &Path) {
    // Somebody else may have been first, and where nothing can be written nothing was.
    let _ = fs::remove_file(note);
    let _ = fs::remove_file(lock_of(note));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_listed_while_it_runs_and_a_killed_one_is_swept() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::new(folder.path());
        assert_eq!(home.servers(), []);
        let note = home.note_server("1.2.3", Path::new("/repo")).unwrap();
        let servers = home.servers();
        assert_eq!((servers[0].pid, servers[0].version.as_str()), (std::process::id(), "1.2.3"));
        drop(note);
        assert_eq!(home.servers(), []);
        let left = folder.path().join("servers/4711.json");
        fs::write(&left, serde_json::to_vec(&servers[0]).unwrap()).unwrap();
        assert_eq!(home.servers(), []);
        assert!(!left.exists(), "nobody holds its lock");
    }
}
