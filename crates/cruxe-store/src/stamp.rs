//! The state of an index as the files on disk show it. Nothing is opened for it.
//!
//! Who asks a thousand repositories looks at the state of each with every question, so a look at one that did not change is a `stat` of
//! three files: to read which generation is in use would take as long as all the rest of such a question.

use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::error::StoreError;
use crate::layout::ProjectDir;

/// The state of an index: it changes with every publish.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp {
    generation: String,
    database: FileState,
    /// What is not folded into the database yet; an empty one is none.
    log: FileState,
}

/// Length and time of change.
type FileState = Option<(u64, u64)>;

/// A stamp, and by what one sees that it still holds.
#[derive(Clone, Debug)]
pub struct Taken {
    /// The stamp.
    pub stamp: Stamp,
    pointer: PathBuf,
    /// The file that names the generation in use; `None` where it had changed a moment before, so that it may change again without a
    /// trace.
    pointed: Option<Mark>,
    database: PathBuf,
    log: PathBuf,
}

/// A file that is never written in place: another has another of these.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Mark {
    inode: u64,
    state: (u64, u64),
}

/// Clocks of file systems tick.
const TICK: Duration = Duration::from_secs(1);

impl Taken {
    /// The same of another moment at which the index was read.
    pub fn at(self, stamp: Stamp) -> Taken {
        Taken { stamp, ..self }
    }

    /// Whether the index is still in that state.
    pub fn holds(&self) -> bool {
        let pointed = self.pointed.is_some() && mark(&self.pointer).map(|(mark, _)| mark) == self.pointed;
        pointed && log_state(&self.log) == self.stamp.log && state(&self.database) == self.stamp.database
    }
}

impl ProjectDir {
    /// The state of the index; `None` where nothing was ever indexed.
    pub fn stamp(&self) -> Result<Option<Taken>, StoreError> {
        let pointer = self.pointer_path();
        // Looked at before it is read: what takes its place meanwhile has another mark.
        let pointed = mark(&pointer);
        let Some(folder) = self.current()? else { return Ok(None) };
        let settled = |at: &SystemTime| at.elapsed().is_ok_and(|age| age > TICK);
        let pointed = pointed.filter(|(_, at)| settled(at)).map(|(mark, _)| mark);
        let (database, log) = (folder.join(DATABASE), folder.join(LOG));
        Ok(Some(Taken { stamp: stamp_of(&folder), pointer, pointed, database, log }))
    }
}

const DATABASE: &str = "facts.db";
const LOG: &str = "facts.db-wal";

pub(crate) fn stamp_of(folder: &Path) -> Stamp {
    let generation = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Stamp { generation, database: state(&folder.join(DATABASE)), log: log_state(&folder.join(LOG)) }
}

fn state(path: &Path) -> FileState {
    fs::metadata(path).ok().map(|found| state_of(&found).0)
}

fn log_state(path: &Path) -> FileState {
    state(path).filter(|(length, _)| *length > 0)
}

fn state_of(found: &Metadata) -> ((u64, u64), SystemTime) {
    let at = found.modified().unwrap_or(SystemTime::UNIX_EPOCH);
    ((found.len(), at.duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos() as u64), at)
}

fn mark(path: &Path) -> Option<(Mark, SystemTime)> {
    let found = fs::metadata(path).ok()?;
    let (state, at) = state_of(&found);
    Some((Mark { inode: inode(&found), state }, at))
}

#[cfg(unix)]
fn inode(found: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(found)
}

#[cfg(not(unix))]
fn inode(_: &Metadata) -> u64 {
    0
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::Manifest;
    use crate::fixture::{Project, new_version};
    use crate::store::Store;
    use crate::writer::Writer;

    fn fill(writer: &mut Writer, text: &str) {
        let mut manifest = Manifest::default();
        manifest.add(writer.add(new_version("a.rs", text)).unwrap());
        writer.set_ref("main", &manifest, Timestamp::UNIX_EPOCH).unwrap();
    }

    fn publish(store: &Store, text: &str) {
        let mut writer = store.write().unwrap();
        let mut manifest = Manifest::default();
        manifest.add(writer.add(new_version("a.rs", text)).unwrap());
        writer.publish("main", &manifest, Timestamp::UNIX_EPOCH).unwrap();
    }

    /// As if what names the generation had been written a while ago.
    fn age(store: &Store) {
        let file = fs::File::options().write(true).open(store.dir().pointer_path()).unwrap();
        file.set_modified(SystemTime::now() - 10 * TICK).unwrap();
    }

    fn taken(store: &Store) -> Taken {
        store.dir().stamp().unwrap().unwrap()
    }

    #[test]
    fn a_stamp_holds_until_something_is_published_or_built_anew() {
        let project = Project::new();
        let store = project.store();
        assert!(store.dir().stamp().unwrap().is_none());
        publish(&store, "fn one() {}");
        age(&store);
        let first = taken(&store);
        assert!(first.holds());
        drop(project.store().snapshot().unwrap());
        assert!(first.holds(), "to read it changes nothing");
        publish(&store, "fn two() {}");
        assert!(!first.holds());
        let second = taken(&store);
        assert!(second.holds() && second.stamp != first.stamp);
        let mut rebuilding = store.rebuild().unwrap();
        fill(&mut rebuilding, "fn two() {}");
        assert!(second.holds(), "another generation is none before it takes the place of this one");
        rebuilding.replace().unwrap();
        assert!(!second.holds());
        assert_ne!(taken(&store).stamp, second.stamp);
    }

    #[test]
    fn a_generation_that_has_just_come_into_use_is_looked_up_again() {
        let project = Project::new();
        let store = project.store();
        publish(&store, "fn one() {}");
        let at_once = taken(&store);
        assert!(!at_once.holds(), "its file may change once more within a tick of the clock");
        assert_eq!(taken(&store).stamp, at_once.stamp);
    }
}
