//! The repositories that a question over several may be about, each with its name and its directory.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, SystemTime};

use cruxe_index::Workspace;
use cruxe_store::{Directory, Home, ProjectDir, Stamp, StoreError, Taken};
use parking_lot::Mutex;

use crate::across::Several;
use crate::contract::ToolError;
use crate::scope::Scope;
use crate::workspaces::{Shelf, not_registered};

/// A repository that can be asked.
pub struct Repository {
    /// What answers call it: the end of its path that no other has which the caller may see.
    pub name: String,
    /// Its root, as it is registered.
    pub root: PathBuf,
    /// What clients know it by: the same, or its name where it is kept elsewhere.
    pub address: PathBuf,
    /// What its index has.
    pub directory: Arc<Directory>,
}

/// The repositories that a question is about, by name.
#[derive(Default)]
pub struct Chosen {
    /// Those that can be asked.
    pub ready: Vec<Repository>,
    /// Those that are registered and have no index yet.
    pub not_indexed: Vec<String>,
    /// Those whose index cannot be read, with the reason.
    pub broken: Vec<(String, String)>,
    /// What was named and is none.
    pub refused: Vec<ToolError>,
}

impl Chosen {
    /// How many repositories the question is about.
    pub fn count(&self) -> usize {
        self.ready.len() + self.not_indexed.len() + self.broken.len()
    }
}

/// What is remembered of repositories between questions.
#[derive(Default)]
pub(crate) struct Register {
    listed: Mutex<Listed>,
    directories: Mutex<Directories>,
}

#[derive(Default)]
struct Listed {
    /// When the home last changed, where that tells of later changes.
    as_of: Option<SystemTime>,
    projects: Arc<Projects>,
}

/// Registered projects by root, each with what answers call it.
#[derive(Default)]
pub(crate) struct Projects {
    all: Vec<(PathBuf, ProjectDir)>,
    names: Vec<String>,
}

impl Projects {
    fn of(all: Vec<(PathBuf, ProjectDir)>) -> Projects {
        let names = names(all.iter().map(|(root, _)| root.as_path()).collect());
        Projects { all, names }
    }

    /// Those of them that may be seen, named as if there were no others.
    pub fn seen(self: Arc<Projects>, may: impl Fn(&Path) -> bool) -> Arc<Projects> {
        if self.all.iter().all(|(root, _)| may(root)) {
            return self;
        }
        Arc::new(Projects::of(self.all.iter().filter(|(root, _)| may(root)).cloned().collect()))
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.all.len()
    }

    /// The one of a name.
    pub fn named(&self, word: &str) -> Option<usize> {
        self.names.iter().position(|name| name == word)
    }

    /// The innermost one around a path.
    pub fn around(&self, path: &Path) -> Option<usize> {
        let holding = self.all.iter().enumerate().filter(|(_, (root, _))| path.starts_with(root));
        holding.max_by_key(|(_, (root, _))| root.as_os_str().len()).map(|(at, _)| at)
    }
}

#[derive(Default)]
struct Directories {
    /// By root, and by ref where only one may be seen.
    known: HashMap<(PathBuf, Option<String>), Arc<Known>>,
    bytes: usize,
}

/// A directory, and the state of the index that it is of.
struct Known {
    taken: Taken,
    directory: Arc<Directory>,
}

/// Clocks of file systems tick: what changed a moment ago may change again without a trace.
const TICK: Duration = Duration::from_secs(1);
/// Directories that are kept in memory; more are read again when they are needed.
const MAX_BYTES: usize = 512 << 20;
/// Threads that look at the state of indexes, and that ask.
const THREADS: usize = 4;

enum Found {
    Ready(Arc<Directory>),
    NotIndexed,
    Broken(String),
}

impl Register {
    /// The registered projects of a home.
    pub fn projects(&self, home: &Home) -> Arc<Projects> {
        let now = home.changed_at();
        let mut listed = self.listed.lock();
        if now.is_some() && listed.as_of == now {
            return Arc::clone(&listed.projects);
        }
        let mut complete = true;
        let mut projects: BTreeMap<PathBuf, ProjectDir> = BTreeMap::new();
        for dir in home.projects() {
            match dir.record() {
                Ok(Some(record)) => drop(projects.insert(record.root, dir)),
                _ => complete = false, // somebody is just registering it
            }
        }
        listed.projects = Arc::new(Projects::of(projects.into_iter().collect()));
        let settled = |at: &SystemTime| at.elapsed().is_ok_and(|age| age > TICK);
        listed.as_of = now.filter(|at| complete && settled(at));
        Arc::clone(&listed.projects)
    }

    /// Which of some projects can be asked. Those whose index did not change cost a look at its files.
    pub fn choose(
        &self,
        home: &Home,
        projects: &Projects,
        wanted: &BTreeSet<usize>,
        scope: &Scope,
        open: &(dyn Fn(&Path) -> Result<Arc<Workspace>, ToolError> + Sync),
    ) -> Chosen {
        let wanted: Vec<usize> = wanted.iter().copied().collect();
        let found = in_parallel(wanted.len(), |at| {
            let (root, dir) = &projects.all[wanted[at]];
            match scope.allows_all_refs(root) {
                true => self.directory(home, root, dir),
                // What other refs say must not even be counted.
                false => self.directory_of_ref(root, dir, scope, open),
            }
        });
        let mut chosen = Chosen::default();
        for (at, found) in wanted.into_iter().zip(found) {
            let (name, root) = (projects.names[at].clone(), &projects.all[at].0);
            match found {
                Found::Ready(directory) => {
                    chosen.ready.push(Repository { name, root: root.clone(), address: root.clone(), directory })
                }
                Found::NotIndexed => chosen.not_indexed.push(name),
                Found::Broken(why) => chosen.broken.push((name, why)),
            }
        }
        chosen.ready.sort_by(|a, b| a.name.cmp(&b.name));
        chosen.not_indexed.sort();
        chosen.broken.sort();
        chosen
    }

    fn directory(&self, home: &Home, root: &Path, dir: &ProjectDir) -> Found {
        self.kept(root, None, dir, || cruxe_index::directory(dir, root, home))
    }

    fn directory_of_ref(
        &self,
        root: &Path,
        dir: &ProjectDir,
        scope: &Scope,
        open: &dyn Fn(&Path) -> Result<Arc<Workspace>, ToolError>,
    ) -> Found {
        let Ok(workspace) = open(root) else { return Found::NotIndexed };
        let Ok(asked) = scope.ref_of(&workspace, None) else { return Found::NotIndexed };
        let Ok(name) = asked.map_or_else(|| workspace.project.current_ref(), Ok) else { return Found::NotIndexed };
        self.kept(root, Some(name.clone()), dir, || {
            let stamp = dir.stamp()?.ok_or(StoreError::NotIndexed)?.stamp;
            let directory = workspace.project.directory_of_ref(&name)?.ok_or(StoreError::NotIndexed)?;
            Ok((stamp, directory))
        })
    }

    fn kept(
        &self,
        root: &Path,
        ref_name: Option<String>,
        dir: &ProjectDir,
        read: impl FnOnce() -> Result<(Stamp, Directory), StoreError>,
    ) -> Found {
        let key = (root.to_owned(), ref_name);
        let known = self.directories.lock().known.get(&key).map(Arc::clone);
        if let Some(known) = known.as_ref().filter(|known| known.taken.holds()) {
            return Found::Ready(Arc::clone(&known.directory));
        }
        let now = match dir.stamp() {
            Ok(Some(taken)) => taken,
            Ok(None) => return Found::NotIndexed,
            Err(problem) => return Found::Broken(problem.to_string()),
        };
        if let Some(known) = known.filter(|known| known.taken.stamp == now.stamp) {
            let directory = Arc::clone(&known.directory);
            let known = Known { taken: now, directory: Arc::clone(&directory) };
            self.directories.lock().known.insert(key, Arc::new(known));
            return Found::Ready(directory);
        }
        match read() {
            Ok((stamp, directory)) => {
                let directory = Arc::new(directory);
                let mut kept = self.directories.lock();
                if kept.bytes + directory.size() > MAX_BYTES {
                    *kept = Directories::default();
                }
                kept.bytes += directory.size();
                let known = Known { taken: now.at(stamp), directory: Arc::clone(&directory) };
                if let Some(before) = kept.known.insert(key, Arc::new(known)) {
                    kept.bytes = kept.bytes.saturating_sub(before.directory.size());
                }
                Found::Ready(directory)
            }
            Err(StoreError::NotIndexed) => Found::NotIndexed,
            Err(problem) => Found::Broken(problem.to_string()),
        }
    }
}

/// The repositories of a shelf that somebody asks about, as far as they may be seen. Nothing is brought for it but where only some
/// refs may be seen: what others say must not even be counted.
pub(crate) fn chosen_from(shelf: &dyn Shelf, several: &Several, scope: &Scope) -> Chosen {
    let mut seen = shelf.repositories();
    seen.retain(|(root, _)| scope.allows(root));
    let mut chosen = Chosen::default();
    if let Several::Listed(words) = several {
        let unknown = words.iter().filter(|word| !seen.iter().any(|(_, name)| name == *word));
        chosen.refused.extend(unknown.map(|word| not_registered(word)));
        seen.retain(|(_, name)| words.contains(name));
    }
    let found = in_parallel(seen.len(), |at| {
        let root = &seen[at].0;
        let directory = match scope.allows_all_refs(root) {
            true => shelf.directory(root),
            false => directory_of_allowed(shelf, root, scope),
        };
        match directory {
            Ok(Some(directory)) => Found::Ready(directory),
            Ok(None) => Found::NotIndexed,
            Err(why) => Found::Broken(why),
        }
    });
    for ((root, name), found) in seen.into_iter().zip(found) {
        match found {
            Found::Ready(directory) => {
                chosen.ready.push(Repository { address: PathBuf::from(&name), name, root, directory })
            }
            Found::NotIndexed => chosen.not_indexed.push(name),
            Found::Broken(why) => chosen.broken.push((name, why)),
        }
    }
    chosen.ready.sort_by(|a, b| a.name.cmp(&b.name));
    chosen.not_indexed.sort();
    chosen.broken.sort();
    chosen
}

/// The directory of the one ref that a caller's question without a ref is about.
fn directory_of_allowed(shelf: &dyn Shelf, root: &Path, scope: &Scope) -> Result<Option<Arc<Directory>>, String> {
    let Ok(workspace) = shelf.open(root) else { return Ok(None) };
    let Ok(asked) = scope.ref_of(&workspace, None) else { return Ok(None) };
    let Ok(name) = asked.map_or_else(|| workspace.project.current_ref(), Ok) else { return Ok(None) };
    let directory = workspace.project.directory_of_ref(&name).map_err(|problem| problem.to_string())?;
    Ok(directory.map(Arc::new))
}

/// The ends of paths, each as short as tells it from the others.
fn names(roots: Vec<&Path>) -> Vec<String> {
    let parts: Vec<Vec<String>> = roots
        .iter()
        .map(|root| root.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect())
        .collect();
    let mut taken = vec![1; roots.len()];
    loop {
        let names: Vec<String> = parts
            .iter()
            .zip(&taken)
            .map(|(parts, taken)| parts[parts.len().saturating_sub(*taken)..].join("/"))
            .collect();
        let mut counts: HashMap<&String, usize> = HashMap::new();
        names.iter().for_each(|name| *counts.entry(name).or_default() += 1);
        let mut longer = false;
        for (at, name) in names.iter().enumerate() {
            if counts[name] > 1 && taken[at] < parts[at].len() {
                taken[at] += 1;
                longer = true;
            }
        }
        if !longer {
            return names;
        }
    }
}

/// How many threads are worth while. What the system says about it is read from files of its own, so it is asked once.
fn threads() -> usize {
    static KNOWN: OnceLock<usize> = OnceLock::new();
    *KNOWN.get_or_init(|| std::thread::available_parallelism().map_or(2, usize::from).min(THREADS))
}

/// Does something for each of so many, on a few threads; the outcomes are in order.
pub(crate) fn in_parallel<T: Send>(count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let threads = threads().min(count);
    if threads <= 1 {
        return (0..count).map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let mut outcomes: Vec<(usize, T)> = Vec::with_capacity(count);
    std::thread::scope(|scope| {
        let run = || {
            let mut own = Vec::new();
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                if at >= count {
                    return own;
                }
                own.push((at, work(at)));
            }
        };
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(run)).collect();
        outcomes.extend(run());
        for other in others {
            match other.join() {
                Ok(own) => outcomes.extend(own),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
    });
    outcomes.sort_by_key(|(at, _)| *at);
    outcomes.into_iter().map(|(_, outcome)| outcome).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_as_short_as_tells_repositories_apart() {
        let name = |roots: &[&str]| names(roots.iter().map(Path::new).collect());
        assert_eq!(name(&["/srv/a/lib", "/srv/app"]), ["lib", "app"]);
        assert_eq!(name(&["/srv/a/lib", "/srv/b/lib", "/srv/app"]), ["a/lib", "b/lib", "app"]);
        assert_eq!(name(&["/x/a/lib", "/y/a/lib"]), ["x/a/lib", "y/a/lib"]);
        assert_eq!(name(&[]), [""; 0]);
    }

    #[test]
    fn outcomes_of_threads_are_in_order() {
        assert_eq!(in_parallel(100, |at| at * 2), (0..100).map(|at| at * 2).collect::<Vec<_>>());
        assert_eq!(in_parallel(0, |at| at), [] as [usize; 0]);
    }
}
