//! Which workspaces a server answers about, and which of them are open.
//!
//! One is the server's own and stays open. Others are opened when they are asked for and closed again, the one longest
//! unused first, so that a server for twenty repositories holds the memory of a few. Who may be asked for is settled
//! before the disk is touched: a path outside the allowed roots gets the same answer whether it exists or not.

use std::collections::{BTreeSet, HashSet};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use cruxe_index::{IndexError, Project, Workspace};
use cruxe_model::config::Config;
use cruxe_store::{Directory, Home};
use parking_lot::{Mutex, MutexGuard};

use crate::across::{self, Chosen, MOST_ASKED, Projects, Register, Several};
use crate::contract::{ErrorCode, ToolError};
use crate::scope::Scope;
use crate::session::Session;

/// Reads the configuration of the workspace at a folder.
pub type LoadConfig = Box<dyn Fn(&Path) -> Result<Config, String> + Send + Sync>;

/// Which workspaces may be asked for.
pub struct WorkspaceRules {
    /// How many are open at most, the server's own included.
    pub warmset: usize,
    /// Whether a folder below an allowed root is registered and indexed when it is first asked for.
    pub auto: bool,
    /// Where workspaces may be; empty: wherever they are registered.
    pub allowed_roots: Vec<PathBuf>,
    /// How many workspaces one server registers by itself.
    pub max_registered: usize,
    /// Reads the configuration of a workspace.
    pub load_config: LoadConfig,
    /// Where a server was started that is in no project: the client's roots say then what it answers about.
    pub lost: Option<Lost>,
    /// Repositories that are known by name and kept elsewhere; then there are no others.
    pub shelf: Option<Arc<dyn Shelf>>,
}

/// Repositories that are known by name and brought here when they are asked for.
pub trait Shelf: Send + Sync {
    /// The root that a repository of this name has here, by its letters alone: nothing is looked at.
    fn root(&self, name: &str) -> PathBuf;

    /// Opens the repository with this root, and brings it where it is not here. It may take a while.
    fn open(&self, root: &Path) -> Result<Arc<Workspace>, ToolError>;

    /// Every repository: its root and its name.
    fn repositories(&self) -> Vec<(PathBuf, String)>;

    /// What the index of a repository has in brief, without bringing it; `None` where it is not indexed yet.
    fn directory(&self, root: &Path) -> Result<Option<Arc<Directory>>, String>;

    /// A number of what is published of a repository, which another publish changes; nothing is brought.
    fn published(&self, root: &Path) -> Option<i64>;

    /// Calls back after repositories or what is here of them, or who may see them, may have changed. It must be quick.
    fn on_change(&self, tell: Box<dyn Fn() + Send + Sync>);

    /// What the holder of a scope may see now; `None` where it holds no more.
    fn scope_of(&self, holder: &str) -> Option<Scope>;
}

/// A server that was started in a folder which is no project, such as `/` or the user's home.
pub struct Lost {
    /// The folder.
    pub started_in: PathBuf,
    /// Whether the workspace that a client works in is watched.
    pub watch: bool,
}

/// The workspaces of a server.
pub struct Workspaces {
    home: Home,
    own: Arc<Workspace>,
    rules: WorkspaceRules,
    /// The allowed roots as they were given and with links resolved.
    allowed: Vec<PathBuf>,
    open: Mutex<Open>,
    /// What is remembered of registered repositories.
    register: Register,
    /// Somebody asked about several at once.
    wide: AtomicBool,
}

/// Workspaces that stay open once somebody asked about several at once.
const ACROSS: usize = 2 * MOST_ASKED;

#[derive(Default)]
struct Open {
    /// Beside the server's own, the one longest unused first.
    others: Vec<Arc<Workspace>>,
    /// What this server registered.
    registered: HashSet<PathBuf>,
}

impl Workspaces {
    /// The workspaces of a server whose own is `own`.
    pub fn new(home: Home, own: Arc<Workspace>, rules: WorkspaceRules) -> Workspaces {
        let resolved = rules.allowed_roots.iter().filter_map(|root| root.canonicalize().ok());
        let allowed = rules.allowed_roots.iter().map(|root| without_dots(root)).chain(resolved).collect();
        let (open, register, wide) = (Mutex::default(), Register::default(), AtomicBool::new(false));
        Workspaces { home, own, rules, allowed, open, register, wide }
    }

    /// Where the user's own files are.
    pub fn home(&self) -> &Home {
        &self.home
    }

    /// The workspace that the server was started for.
    pub fn own(&self) -> &Arc<Workspace> {
        &self.own
    }

    /// Repositories that are known by name and kept elsewhere.
    pub(crate) fn shelf(&self) -> Option<&dyn Shelf> {
        self.rules.shelf.as_deref()
    }

    /// How many are open at most.
    pub fn capacity(&self) -> usize {
        self.rules.warmset.max(2)
    }

    /// Every workspace that is open, the server's own first, then the one used last.
    pub fn open(&self) -> Vec<Arc<Workspace>> {
        let mut open = vec![Arc::clone(&self.own)];
        open.extend(self.lock().others.iter().rev().cloned());
        open
    }

    /// The workspace of a call: the one it names, else the server's own; with `auto`, a client's first root goes
    /// before the server's own where the client does not work in that.
    pub fn find(&self, asked: Option<&str>, session: &Session) -> Result<Arc<Workspace>, ToolError> {
        let (roots, scope) = (session.roots(), session.scope());
        if let Some(shelf) = &self.rules.shelf {
            let root = asked.map(|name| shelf.root(name)).or_else(|| scope.only());
            return match (root, asked) {
                (Some(root), _) if scope.allows(&root) => shelf.open(&root),
                (_, Some(name)) => Err(not_registered(name)),
                (_, None) => Err(none_of_its_own()),
            };
        }
        let Some(asked) = asked else {
            let chooses = self.rules.auto || self.rules.lost.is_some();
            let offered = roots.as_ref().filter(|roots| chooses && !roots.iter().any(|root| self.is_own(root)));
            let may = |root: &&PathBuf| self.is_allowed(root) && scope.covers(root);
            let first = offered.and_then(|roots| roots.iter().find(may));
            return match (first, &self.rules.lost) {
                (Some(root), lost) => self.at(root, &root.to_string_lossy(), lost.is_some(), &scope),
                (None, Some(lost)) => Err(nowhere(lost)),
                (None, None) if scope.allows(&self.own.project.root) => Ok(Arc::clone(&self.own)),
                (None, None) => Err(none_of_its_own()),
            };
        };
        let path = Path::new(asked);
        if !path.is_absolute() {
            let error = ToolError::invalid_input("workspace: give an absolute path");
            return Err(error.with("parameter", "workspace").with("workspace", asked));
        }
        if !self.is_allowed(&without_dots(path)) {
            return Err(not_allowed(asked, "is below no allowed root"));
        }
        // What may not be seen is not looked at.
        if !scope.covers(&without_dots(path)) {
            return Err(not_registered(asked));
        }
        let path = path.canonicalize().map_err(|_| not_registered(asked))?;
        if !scope.covers(&path) {
            return Err(not_registered(asked));
        }
        if !self.is_allowed(&path) {
            return Err(not_allowed(asked, "is below no allowed root"));
        }
        let offered = |roots: &Vec<PathBuf>| roots.iter().any(|root| path.starts_with(root));
        if !self.is_own(&path) && !roots.as_ref().is_none_or(offered) {
            let error = not_allowed(asked, "is outside the roots that the client offers");
            return Err(error.suggest("Add the folder to the client's roots, or leave `workspace` out."));
        }
        self.at(&path, asked, self.rules.lost.is_some() && roots.as_ref().is_some_and(offered), &scope)
    }

    /// The names of the repositories of a shelf that a client may see, in order; none where there is no shelf.
    pub fn names(&self, session: &Session) -> Vec<String> {
        let scope = session.scope();
        let all = self.rules.shelf.iter().flat_map(|shelf| shelf.repositories());
        let mut names: Vec<String> = all.filter(|(root, _)| scope.allows(root)).map(|(_, name)| name).collect();
        names.sort();
        names
    }

    /// The repositories that somebody asks about several of, as far as they may be seen.
    pub fn chosen(&self, several: &Several, session: &Session) -> Result<Chosen, ToolError> {
        self.wide.store(true, Ordering::Relaxed);
        let (roots, scope) = (session.roots(), session.scope());
        if let Some(shelf) = &self.rules.shelf {
            return Ok(across::chosen_from(&**shelf, several, &scope));
        }
        let offered =
            |root: &Path| roots.as_ref().is_none_or(|roots| roots.iter().any(|offer| root.starts_with(offer)));
        let may = |root: &Path| self.is_allowed(root) && scope.allows(root) && (offered(root) || self.is_own(root));
        let seen = self.register.projects(&self.home).seen(may);
        let mut refused = Vec::new();
        if let Several::Listed(words) = several {
            let mut wanted = BTreeSet::new();
            for word in words {
                match self.listed(word, &seen, &scope) {
                    Ok(at) => drop(wanted.insert(at)),
                    Err(error) => refused.push(error),
                }
            }
            if words.is_empty() {
                let error = ToolError::invalid_input("workspace: the list is empty").with("parameter", "workspace");
                refused.push(error);
            }
            // Named as among all, so that a name means the same in every answer.
            let chosen = self.register.choose(&self.home, &seen, &wanted, &scope, &|root| self.open_at(root, &scope));
            return Ok(Chosen { refused, ..chosen });
        }
        let all = (0..seen.count()).collect();
        Ok(self.register.choose(&self.home, &seen, &all, &scope, &|root| self.open_at(root, &scope)))
    }

    /// Which of the repositories that may be seen a word means: a path in it, or its name.
    fn listed(&self, word: &str, seen: &Projects, scope: &Scope) -> Result<usize, ToolError> {
        let path = Path::new(word);
        if !path.is_absolute() {
            return seen.named(word).ok_or_else(|| {
                let error = ToolError::invalid_input(format!("workspace: no repository is called `{word}`"));
                error.with("parameter", "workspace").with("workspace", word)
            });
        }
        let plain = without_dots(path);
        if !self.is_allowed(&plain) {
            return Err(not_allowed(word, "is below no allowed root"));
        }
        if !scope.covers(&plain) {
            return Err(not_registered(word));
        }
        let found = seen.around(&plain).or_else(|| seen.around(&plain.canonicalize().ok()?));
        found.ok_or_else(|| not_registered(word))
    }

    /// A registered workspace by its root; one that is open is not looked at again.
    pub(crate) fn open_at(&self, root: &Path, scope: &Scope) -> Result<Arc<Workspace>, ToolError> {
        if let Some(shelf) = &self.rules.shelf {
            return if scope.allows(root) { shelf.open(root) } else { Err(not_registered(&root.to_string_lossy())) };
        }
        if root == self.own.project.root && scope.allows(root) {
            return Ok(Arc::clone(&self.own));
        }
        let mut open = self.lock();
        if let Some(at) = open.others.iter().position(|other| other.project.root == root).filter(|_| scope.allows(root))
        {
            let found = open.others.remove(at);
            open.others.push(Arc::clone(&found));
            return Ok(found);
        }
        drop(open);
        self.at(root, &root.to_string_lossy(), false, scope)
    }

    /// The workspace around a folder that may be asked for. One that the client `chose` for a server in no project is what the
    /// server is for: it is registered and watched like a server's own.
    fn at(&self, folder: &Path, asked: &str, chosen: bool, scope: &Scope) -> Result<Arc<Workspace>, ToolError> {
        if folder == self.own.project.root {
            return Ok(Arc::clone(&self.own));
        }
        let project =
            Project::locate(folder, &self.home, Config::default()).map_err(|problem| no_project(asked, problem))?;
        // A repository may have another in it.
        if !scope.allows(&project.root) {
            return Err(not_registered(asked));
        }
        if project.root == self.own.project.root {
            return Ok(Arc::clone(&self.own));
        }
        // A folder may belong to a repository that begins above the allowed root.
        if !self.is_allowed(&project.root) {
            return Err(not_allowed(asked, "belongs to a repository outside the allowed roots"));
        }
        // So may what its `.git` leads to.
        if let Some(repo) = project.repo.as_ref().filter(|_| !self.allowed.is_empty()) {
            let places = repo.places().map_err(|problem| no_project(asked, problem.into()))?;
            if !places.iter().all(|place| self.is_allowed(place)) {
                return Err(not_allowed(asked, "keeps its git directory outside the allowed roots"));
            }
        }
        project.check_readable().map_err(|problem| no_project(asked, problem))?;
        let mut open = self.lock();
        if let Some(at) = open.others.iter().position(|other| other.project.root == project.root) {
            let found = open.others.remove(at);
            open.others.push(Arc::clone(&found));
            return Ok(found);
        }
        self.register(&mut open, &project, asked, chosen, scope)?;
        let closed = self.make_room(&mut open, asked)?;
        let config = (self.rules.load_config)(&project.root).map_err(|problem| {
            let error = ToolError::invalid_input(format!("the configuration of the workspace: {problem}"));
            error.with("workspace", asked).suggest("Correct the file, or ask for another workspace.")
        })?;
        let workspace = Workspace::open(Project { config, ..project });
        if chosen && self.rules.lost.as_ref().is_some_and(|lost| lost.watch) {
            workspace.follow();
        }
        open.others.push(Arc::clone(&workspace));
        drop(open);
        // To close a database takes as long as to open one; nobody else waits for it.
        drop(closed);
        Ok(workspace)
    }

    fn register(
        &self,
        open: &mut Open,
        project: &Project,
        asked: &str,
        chosen: bool,
        scope: &Scope,
    ) -> Result<(), ToolError> {
        if project.is_registered()? {
            return Ok(());
        }
        if !self.rules.auto && !chosen || !scope.may_write() {
            return Err(not_registered(asked));
        }
        if open.registered.len() >= self.rules.max_registered {
            let message = format!("this server has registered {} workspaces already", open.registered.len());
            return Err(
                limit(asked, message).suggest("Run `cruxe init` in that workspace, or ask for a registered one.")
            );
        }
        project.register()?;
        open.registered.insert(project.root.clone());
        Ok(())
    }

    /// Ends workspaces that nobody uses until one more may be opened; they are closed when they are dropped.
    fn make_room(&self, open: &mut Open, asked: &str) -> Result<Vec<Arc<Workspace>>, ToolError> {
        // Not counting the server's own. Handing out happens under the same lock, so a count of one stays one.
        let room = if self.wide.load(Ordering::Relaxed) { self.capacity().max(ACROSS) } else { self.capacity() };
        let mut closed = Vec::new();
        while open.others.len() + 1 >= room {
            let Some(idle) = open.others.iter().position(|other| Arc::strong_count(other) == 1) else {
                let message = format!("{} workspaces are open and all of them are at work", open.others.len() + 1);
                return Err(
                    limit(asked, message).suggest("Ask again in a moment, or raise `server.workspace_warmset`.")
                );
            };
            let idle = open.others.remove(idle);
            idle.close();
            closed.push(idle);
        }
        Ok(closed)
    }

    /// Opens the registered workspaces below the allowed roots that were used last, as many as fit.
    pub fn open_recent(&self) {
        if self.allowed.is_empty() {
            return;
        }
        let records = self.home.projects().into_iter().filter_map(|dir| {
            let root = dir.record().ok().flatten()?.root;
            let used = dir.last_used()?;
            (self.is_allowed(&root) && root.is_dir()).then_some((used, root))
        });
        let mut recent: Vec<_> = records.collect();
        recent.sort();
        let skip = recent.len().saturating_sub(self.capacity() - 1);
        for (_, root) in recent.into_iter().skip(skip) {
            match self.at(&root, &root.to_string_lossy(), false, &Scope::all()) {
                Ok(workspace) => drop(workspace.project.store.open_index()),
                Err(problem) => tracing::debug!(%problem, "a recent workspace was not opened"),
            }
        }
    }

    /// Asks the jobs of every open workspace to give up.
    pub fn close(&self) {
        self.open().iter().for_each(|workspace| workspace.close());
    }

    fn is_own(&self, path: &Path) -> bool {
        path.starts_with(&self.own.project.root)
    }

    fn is_allowed(&self, path: &Path) -> bool {
        self.rules.allowed_roots.is_empty()
            || self.is_own(path)
            || self.allowed.iter().any(|root| path.starts_with(root))
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock()
    }
}

/// The path with `.` and `..` taken out by the letter, without a look at the disk.
fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            component => plain.push(component),
        }
    }
    plain
}

/// Says what a server needs that was started in no project.
fn nowhere(lost: &Lost) -> ToolError {
    let folder = lost.started_in.display();
    let message = format!("the server was started in {folder}, which is no project, and the client offers no folder");
    ToolError::new(ErrorCode::ProjectNotFound, message).with("workspace", &lost.started_in).suggest(
        "Open a folder in the client (its roots choose the project), give `workspace` with the path of a registered project, or \
         start the server with --workspace PATH.",
    )
}

/// Says that there is no workspace without a name for this caller.
fn none_of_its_own() -> ToolError {
    let message = "no `workspace` is given, and the server has none of its own";
    ToolError::new(ErrorCode::ProjectNotFound, message).suggest("Give `workspace`.")
}

pub(crate) fn not_registered(asked: &str) -> ToolError {
    let message = format!("workspace `{asked}` is not registered");
    ToolError::new(ErrorCode::WorkspaceNotRegistered, message).with("workspace", asked)
}

/// Says why a folder that may be asked for is no project.
fn no_project(asked: &str, problem: IndexError) -> ToolError {
    match problem {
        IndexError::Unreadable { .. } => ToolError::from(problem).with("workspace", asked),
        _ => not_registered(asked),
    }
}

fn not_allowed(asked: &str, why: &str) -> ToolError {
    let message = format!("workspace `{asked}` {why}");
    ToolError::new(ErrorCode::WorkspaceNotAllowed, message).with("workspace", asked)
}

fn limit(asked: &str, message: String) -> ToolError {
    ToolError::new(ErrorCode::WorkspaceLimitExceeded, message).with("workspace", asked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_are_taken_out_by_the_letter() {
        for (path, plain) in [("/a/./b/../c", "/a/c"), ("/../../x", "/x"), ("/a/..", "/"), ("/a/b", "/a/b")] {
            assert_eq!(without_dots(Path::new(path)), Path::new(plain));
        }
    }
}
