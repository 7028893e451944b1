//! A project: a git repository or a plain folder, and the place of its index.

use std::path::{Path, PathBuf};

use cruxe_files::Root;
use cruxe_model::config::Config;
use cruxe_model::{ContentHash, ProjectId, RepoPath};
use cruxe_store::{FileRow, Home, ProjectRecord, Store, StoreError};
use cruxe_vcs::{Blob, ObjectFormat, Repo, hash_blob};
use jiff::Timestamp;

use crate::error::IndexError;
use crate::scan::{self, Listing};

/// The one ref of a folder outside git.
pub const LIVE: &str = "live";

/// A project.
pub struct Project {
    /// Its id; equal for all work trees of one repository.
    pub id: ProjectId,
    /// The work tree, or the folder.
    pub root: PathBuf,
    /// Its repository; `None` outside git.
    pub repo: Option<Repo>,
    /// Its index and the history of its jobs.
    pub store: Store,
    /// Its configuration.
    pub config: Config,
    /// Where its index is filled by others, as on a node of a team's server: the name that it has there. Then nothing is indexed
    /// here, and a ref means the commit that was published of it, whatever the copy of the repository beside it says by now.
    pub replica: Option<String>,
}

/// What a ref means in this project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// What is on disk; with the commit that is checked out, if any.
    WorkTree {
        /// The commit at HEAD.
        commit: Option<ContentHash>,
    },
    /// What a commit contains.
    Commit(ContentHash),
}

impl Project {
    /// The project that a folder belongs to: its git work tree, else the nearest registered folder around it, else
    /// itself.
    pub fn locate(folder: &Path, home: &Home, config: Config) -> Result<Project, IndexError> {
        let folder = canonical(folder)?;
        let repo = Repo::discover(&folder)?.filter(|repo| repo.work_tree().is_none_or(|tree| !is_too_broad(tree)));
        let (root, key) = match &repo {
            Some(repo) => (repo.work_tree().unwrap_or(repo.git_dir()).to_owned(), repo.common_dir().to_owned()),
            None => {
                let root = registered_around(&folder, home).unwrap_or(folder);
                (root.clone(), root)
            }
        };
        if is_too_broad(&root) {
            return Err(IndexError::TooBroad(root));
        }
        let id = ProjectId::new(&key.to_string_lossy());
        let store = Store::open(home.project(&id));
        Ok(Project { id, root, repo, store, config, replica: None })
    }

    /// A project that is none: for a server that nobody has told yet what it is about. Nothing is below its root.
    pub fn nowhere(home: &Home, config: Config) -> Project {
        let root = home.root().join("nowhere");
        let id = ProjectId::new(&root.to_string_lossy());
        let store = Store::open(home.project(&id));
        Project { id, root, repo: None, store, config, replica: None }
    }

    /// Registers the project where it is not registered yet.
    pub fn register(&self) -> Result<(), IndexError> {
        if self.store.dir().record()?.is_none() {
            self.store.dir().register(&ProjectRecord {
                project_id: self.id.as_str().to_owned(),
                root: self.root.clone(),
                common_dir: self.repo.as_ref().map(|repo| repo.common_dir().to_owned()),
                created_at: Timestamp::now().to_string(),
            })?;
        }
        Ok(())
    }

    /// What clients know it by: its root, or the name of a replica.
    pub fn address(&self) -> PathBuf {
        self.replica.as_ref().map_or_else(|| self.root.clone(), PathBuf::from)
    }

    /// Whether it was ever registered.
    pub fn is_registered(&self) -> Result<bool, IndexError> {
        Ok(self.store.dir().record()?.is_some())
    }

    /// Fails where this process may not look into the folder.
    pub fn check_readable(&self) -> Result<(), IndexError> {
        scan::check_readable(&self.root)
    }

    /// The ref that a question without one is about.
    pub fn current_ref(&self) -> Result<String, IndexError> {
        Ok(match &self.repo {
            Some(repo) => repo.head()?.ref_name,
            None => LIVE.to_owned(),
        })
    }

    /// The name under which a ref is published, and what it means now.
    pub fn resolve(&self, name: Option<&str>) -> Result<(String, Source), IndexError> {
        let Some(repo) = &self.repo else {
            return match name {
                None | Some(LIVE) => Ok((LIVE.to_owned(), Source::WorkTree { commit: None })),
                Some(other) => Err(IndexError::RefNotIndexed(other.to_owned())),
            };
        };
        let head = repo.head()?;
        if self.replica.is_some()
            && let Some(published) = self.published_as(name.unwrap_or(&head.ref_name))?
        {
            return Ok(published);
        }
        let has_files = repo.work_tree().is_some();
        let here = |name: &str| has_files && name == head.ref_name;
        match name {
            None if has_files => Ok((head.ref_name, Source::WorkTree { commit: head.commit })),
            // An unborn branch cannot be resolved, but its work tree can be read.
            Some(name) if here(name) => Ok((head.ref_name, Source::WorkTree { commit: head.commit })),
            name => {
                let resolved = repo.resolve(name.unwrap_or("HEAD"))?;
                let source = match here(&resolved.name) {
                    true => Source::WorkTree { commit: Some(resolved.commit) },
                    false => Source::Commit(resolved.commit),
                };
                Ok((resolved.name, source))
            }
        }
    }

    /// A ref as it was published; `None` for one that never was.
    fn published_as(&self, name: &str) -> Result<Option<(String, Source)>, IndexError> {
        let state = match self.store.snapshot() {
            Err(StoreError::NotIndexed) => None,
            snapshot => snapshot?.ref_state(name)?,
        };
        let commit = state.as_ref().and_then(|state| ContentHash::from_hex(state.commit.as_deref()?));
        Ok(commit.map(|commit| (name.to_owned(), Source::Commit(commit))))
    }

    /// The files of the work tree as they are now.
    pub fn scan(&self) -> Result<Listing, IndexError> {
        let tracked = match &self.repo {
            // An index that cannot be read hides no file that is not ignored.
            Some(repo) => repo.tracked_files().unwrap_or_default(),
            None => Vec::new(),
        };
        let git = self.repo.as_ref().map(Repo::common_dir);
        scan::work_tree(&self.root, git, &tracked, self.config.index.max_files)
    }

    /// How this project names contents.
    pub fn object_format(&self) -> ObjectFormat {
        self.repo.as_ref().map_or(ObjectFormat::Sha1, Repo::object_format)
    }

    /// The text of a file version: from disk where it still has that content, else from git.
    pub fn read(&self, file: &FileRow) -> Option<Vec<u8>> {
        self.read_content(&file.path, &file.hash)
    }

    /// A content that a path has or had: from disk where it still has it, else from git.
    pub fn read_content(&self, path: &RepoPath, hash: &ContentHash) -> Option<Vec<u8>> {
        let on_disk = self.read_current(path).filter(|bytes| hash_blob(self.object_format(), bytes) == *hash);
        on_disk.or_else(|| match self.repo.as_ref()?.read_blob(hash, self.config.index.max_file_bytes) {
            Ok(Blob::Data(bytes)) => Some(bytes),
            _ => None,
        })
    }

    /// What a path holds on disk now; `None` for a link, a large file or none. A bare repository has none: what lies in its folder is
    /// git's own.
    pub fn read_current(&self, path: &RepoPath) -> Option<Vec<u8>> {
        if self.repo.as_ref().is_some_and(|repo| repo.work_tree().is_none()) {
            return None;
        }
        Root::open(&self.root).ok()?.read(path.as_str(), self.config.index.max_file_bytes).ok()
    }
}

fn canonical(folder: &Path) -> Result<PathBuf, IndexError> {
    let path = folder.canonicalize().map_err(|_| IndexError::NoFolder(folder.to_owned()))?;
    if path.is_dir() { Ok(path) } else { Err(IndexError::NoFolder(folder.to_owned())) }
}

fn is_too_broad(root: &Path) -> bool {
    let home = std::env::home_dir().and_then(|home| home.canonicalize().ok());
    root.parent().is_none() || home.as_deref() == Some(root)
}

fn registered_around(folder: &Path, home: &Home) -> Option<PathBuf> {
    folder
        .ancestors()
        .find(|ancestor| {
            let dir = home.project(&ProjectId::new(&ancestor.to_string_lossy()));
            matches!(dir.record(), Ok(Some(record)) if record.root == **ancestor)
        })
        .map(Path::to_owned)
}
