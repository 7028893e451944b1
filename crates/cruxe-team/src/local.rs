//! What a worker or a node has of repositories on its own disk: for each a bare copy and an index, as of one published state.
//!
//! ```text
//! repos/org/name.git     the copy; also the root of its project
//! repos/org/name.state   which state it is, and its manifest
//! repos/org/name.pages   of a worker: what the pages of the files were
//! projects/…             the indexes, as in every home
//! ```

use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cruxe_index::Project;
use cruxe_model::config::Config;
use cruxe_store::{Home, Incoming, size_of};
use serde::{Deserialize, Serialize};

use crate::blobs::Blobs;
use crate::error::TeamError;
use crate::git::{Mirror, is_git_file};
use crate::pack::{Assembled, Hash, Manifest, PageTable, Part, Places, Source, assemble};
use crate::repos::is_name;

/// A folder with repositories of a team.
#[derive(Clone, Debug)]
pub struct Local {
    root: PathBuf,
    /// Held as long as somebody has the folder.
    _lock: Arc<File>,
}

/// What a copy is a copy of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Record {
    pub state: i64,
    pub manifest: Manifest,
}

impl Local {
    /// A folder, which need not exist yet.
    pub fn at(root: impl Into<PathBuf>) -> Result<Local, TeamError> {
        let root = root.into();
        let repos = root.join("repos");
        fs::create_dir_all(&repos).map_err(TeamError::io(&repos))?;
        // Questions name the same folders with links resolved.
        let root = root.canonicalize().map_err(TeamError::io(&root))?;
        let path = root.join("lock");
        let lock = File::create(&path).map_err(TeamError::io(&path))?;
        match lock.try_lock() {
            Ok(()) => Ok(Local { root, _lock: Arc::new(lock) }),
            Err(_) => Err(TeamError::Usage(format!("{}: another node or worker has this folder", root.display()))),
        }
    }

    /// The home of the indexes.
    pub fn home(&self) -> Home {
        Home::new(&self.root)
    }

    /// Where the copy of a repository is.
    pub fn folder(&self, name: &str) -> PathBuf {
        self.beside(name, ".git")
    }

    fn beside(&self, name: &str, end: &str) -> PathBuf {
        self.root.join("repos").join(format!("{name}{end}"))
    }

    /// The copy of a repository, made where there is none.
    pub(crate) fn mirror(&self, name: &str) -> Result<Mirror, TeamError> {
        if !is_name(name) {
            return Err(TeamError::Usage(format!("`{name}` is no name of a repository")));
        }
        Mirror::at(self.folder(name))
    }

    /// The project of a repository whose copy is there.
    pub(crate) fn project(&self, name: &str, config: &Config) -> Result<Project, TeamError> {
        Ok(Project::locate(&self.folder(name), &self.home(), config.clone())?)
    }

    /// Which state is there; `None` where none is, or nobody knows which.
    pub(crate) fn record(&self, name: &str) -> Option<Record> {
        let bytes = fs::read(self.beside(name, ".state")).ok()?;
        postcard::from_bytes(&bytes).ok()
    }

    pub(crate) fn set_record(&self, name: &str, record: &Record) -> Result<(), TeamError> {
        write(&self.beside(name, ".state"), record)
    }

    /// Notes that what is there is no state that was published.
    pub(crate) fn forget_record(&self, name: &str) -> Result<(), TeamError> {
        remove(&self.beside(name, ".state"))?;
        remove(&self.beside(name, ".pages"))
    }

    pub(crate) fn pages(&self, name: &str) -> Option<PageTable> {
        let bytes = fs::read(self.beside(name, ".pages")).ok()?;
        postcard::from_bytes(&bytes).ok()
    }

    pub(crate) fn set_pages(&self, name: &str, pages: &PageTable) -> Result<(), TeamError> {
        write(&self.beside(name, ".pages"), pages)
    }

    /// The names of the repositories that are there.
    pub fn names(&self) -> Vec<String> {
        let mut names = Vec::new();
        let repos = self.root.join("repos");
        let mut pending = vec![repos.clone()];
        while let Some(folder) = pending.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                let path = entry.path();
                let text = path.strip_prefix(&repos).ok().and_then(Path::to_str).unwrap_or_default();
                match text.strip_suffix(".git") {
                    Some(name) => names.push(name.to_owned()),
                    None if path.is_dir() => pending.push(path),
                    None => {}
                }
            }
        }
        names.retain(|name| is_name(name));
        names.sort();
        names
    }

    /// Puts a published state together beside what is there, and makes it what is there.
    pub(crate) fn bring(
        &self,
        name: &str,
        state: i64,
        manifest: &Manifest,
        get: &(dyn Fn(&Hash) -> Result<Vec<u8>, TeamError> + Sync),
    ) -> Result<Assembled, TeamError> {
        let mirror = self.mirror(name)?;
        let project = self.project(name, &Config::default())?;
        project.register()?;
        let store = project.store;
        let before = self.record(name);
        let place = Landing { incoming: store.receive()?, git: mirror.folder.clone() };
        remove_folder(&place.git_incoming())?;
        let assembled = assemble(manifest, before.as_ref().map(|record| &record.manifest), &place, get)?;
        place.accept(manifest)?;
        self.set_record(name, &Record { state, manifest: manifest.clone() })?;
        let _ = remove(&self.beside(name, ".pages"));
        // Packs of the state before stay for those who are reading them.
        let kept = manifest.files.iter().chain(before.iter().flat_map(|record| &record.manifest.files));
        let kept: Vec<&str> = kept.filter(|file| file.part == Part::Git).map(|file| file.name.as_str()).collect();
        mirror.keep_packs(&kept)?;
        Ok(assembled)
    }

    /// Bytes of a repository on disk.
    pub(crate) fn size(&self, name: &str) -> u64 {
        let index = self.project(name, &Config::default()).map_or(0, |project| project.store.dir().size());
        index + size_of(&self.folder(name))
    }

    /// Removes a repository.
    pub(crate) fn remove(&self, name: &str) -> Result<(), TeamError> {
        self.forget_record(name)?;
        if let Ok(project) = self.project(name, &Config::default()) {
            let _ = project.store.dir().remove();
        }
        remove_folder(&self.folder(name))
    }
}

/// The files of an index that is held and of the copy beside it.
pub(crate) fn sources(store: &cruxe_store::Held, mirror: &Mirror) -> Result<Vec<Source>, TeamError> {
    let mut sources: Vec<Source> =
        store.files().iter().map(|file| Source::file(Part::Index, &file.name, &file.path)).collect();
    sources.extend(mirror.sources()?);
    Ok(sources)
}

/// Where the files of a state land.
struct Landing {
    incoming: Incoming,
    git: PathBuf,
}

impl Landing {
    fn git_incoming(&self) -> PathBuf {
        self.git.join("incoming")
    }

    /// Makes what was put together what is there: objects first, then the index that needs them, then what leads to them.
    fn accept(self, manifest: &Manifest) -> Result<(), TeamError> {
        let from = self.git_incoming();
        let names = || manifest.files.iter().filter(|file| file.part == Part::Git).map(|file| file.name.as_str());
        let install = |ends: &[&str]| -> Result<(), TeamError> {
            for name in names().filter(|name| ends.iter().any(|end| name.ends_with(end))) {
                let target = self.git.join(name);
                fs::rename(from.join(name), &target).map_err(TeamError::io(target))?;
            }
            Ok(())
        };
        install(&[".pack", ".rev"])?;
        install(&[".idx"])?;
        install(&["shallow"])?;
        self.incoming.accept()?;
        install(&["packed-refs", "HEAD"])?;
        for name in ["shallow", "packed-refs"] {
            if !names().any(|kept| kept == name) {
                remove(&self.git.join(name))?;
            }
        }
        // Branches that were written one by one would hide the packed ones.
        let loose = self.git.join("refs/heads");
        remove_folder(&loose)?;
        fs::create_dir_all(&loose).map_err(TeamError::io(&loose))?;
        remove_folder(&from)
    }
}

impl Places for Landing {
    fn target(&self, part: Part, name: &str) -> Result<PathBuf, TeamError> {
        match part {
            Part::Index => Ok(self.incoming.path(name)?),
            Part::Git if is_git_file(name) => {
                let path = self.git_incoming().join(name);
                if let Some(folder) = path.parent() {
                    fs::create_dir_all(folder).map_err(TeamError::io(folder))?;
                }
                Ok(path)
            }
            Part::Git => Err(TeamError::BadManifest(format!("`{name}` is no file of a repository"))),
        }
    }

    fn before(&self, part: Part, name: &str) -> Option<PathBuf> {
        match part {
            Part::Index => self.incoming.before(name),
            Part::Git => Some(self.git.join(name)).filter(|path| is_git_file(name) && path.is_file()),
        }
    }

    fn may_share(&self, part: Part, name: &str) -> bool {
        match part {
            Part::Index => Incoming::is_lasting(name),
            Part::Git => name.starts_with("objects/pack/"),
        }
    }
}

fn write(path: &Path, value: &impl Serialize) -> Result<(), TeamError> {
    let bytes = postcard::to_stdvec(value).map_err(|problem| TeamError::BadManifest(problem.to_string()))?;
    let temporary = path.with_extension("tmp");
    fs::write(&temporary, bytes).map_err(TeamError::io(&temporary))?;
    fs::rename(&temporary, path).map_err(TeamError::io(path))
}

fn remove(path: &Path) -> Result<(), TeamError> {
    match fs::remove_file(path) {
        Err(problem) if problem.kind() != ErrorKind::NotFound => Err(TeamError::io(path)(problem)),
        _ => Ok(()),
    }
}

fn remove_folder(path: &Path) -> Result<(), TeamError> {
    match fs::remove_dir_all(path) {
        Err(problem) if problem.kind() != ErrorKind::NotFound => Err(TeamError::io(path)(problem)),
        _ => Ok(()),
    }
}

/// Gets blobs from a storage.
pub(crate) fn getter(blobs: &Blobs) -> impl Fn(&Hash) -> Result<Vec<u8>, TeamError> + Sync + '_ {
    |hash| blobs.get(hash)
}
