//! Which definition an occurrence means, from per-file facts, within one ref.
//!
//! Nothing is stored: a question reads the files that use a name and resolves those uses. [`Resolver`] holds what one
//! question has found out so far; [`file`] and [`tree`] keep what outlives it. The steps, each a file:
//!
//! * [`exact`]: what an imported compiler's index says, before all others
//! * [`scope`]: a plain name, from the innermost scope outwards
//! * [`modules`]: what an import or a path means; the rules of each module system are below it
//! * [`types`] and [`infer`]: the type of a receiver, from declarations, values and declared results
//! * [`tested`]: what a test in the code says about a path
//! * [`parts`]: what a parameter takes, what a tuple holds
//! * [`foreign`]: what the methods of types outside the ref give, as far as chains need it
//! * [`members`]: a name of a type, through its hierarchy
//! * [`keys`]: keys of plain data
//! * [`fixtures`]: what pytest fills a parameter with
//! * [`hierarchy`]: who builds on a type and what it builds on, for questions about that
//! * [`guess`]: where nothing is known about the receiver
//! * [`occurrence`]: all of it together
//! * [`overloads`]: which of the functions of one name can take what a call passes
//! * [`overrides`]: what a call may run instead of what it names
//! * [`users`]: how much of the ref uses a definition
//!
//! Everything is bounded: recursion by a depth, chains by steps, and a cycle ends where it began.

mod exact;
mod file;
mod fixtures;
mod foreign;
mod guess;
mod hierarchy;
mod infer;
mod keys;
mod members;
mod modules;
mod occurrence;
mod operators;
mod overloads;
mod overrides;
mod parts;
mod required;
mod scope;
mod tested;
mod tree;
mod types;
mod users;

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use cruxe_extract::naming::System;
use cruxe_index::View;
use cruxe_model::facts::{Symbol, SymbolIndex};
use cruxe_model::{SymbolKind, VersionId, Work};
use cruxe_store::{Compiler, NameMatch, RefSnapshot, StoreError, SymbolHit};

pub use exact::ExactUse;
pub use file::{File, Lang};
pub use hierarchy::{Clause, Heights, Heir};
pub use occurrence::{Certainty, Reason, Resolution};

use crate::kept_uses::{KEPT_USES, KeptUses};
pub(crate) use file::FILES;
use file::FileCache;
use members::{MemberTable, Place};
use modules::Module;
use tree::{TREES, Tree};
use types::Ty;

/// Types and modules that lead to each other further than this are not followed.
const MAX_DEPTH: u32 = 48;

/// So many files are held by a question whether or not others have a use for them.
const MAX_OPEN: usize = 2_000;

/// Steps after which one occurrence is given up: types that lead to ever more types (unions of generics that are unions)
/// must not keep an answer waiting.
const MAX_STEPS: u32 = 4_000;

/// A definition of the ref.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Def {
    /// The file version.
    pub version: VersionId,
    /// Which of its symbols.
    pub symbol: SymbolIndex,
}

/// What a file imports from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Imported {
    /// A file of the ref.
    File(VersionId),
    /// A folder of the ref: a package.
    Folder(String),
}

/// What a name means.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Entity {
    /// A definition.
    Symbol(Def),
    /// A parameter, local or type parameter.
    Local(VersionId, u32),
    /// A module or package.
    Module(Module),
    /// Something that the ref does not define.
    Foreign,
    /// Something that its path says is of the ref, where nothing is found: its module was renamed, or is made by a build.
    Missing,
}

/// Whether a name stands where a type or where a value is expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Space {
    Type,
    Value,
    Any,
}

/// Whether a member is called or read: in Rust and Go a field and a method may share a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Want {
    Called,
    Read,
    Any,
}

/// A table that is asked at every step; nobody else chooses what is in it.
pub(crate) type FastMap<K, V> = HashMap<K, V, foldhash::fast::RandomState>;

/// What was found out once.
type Memo<K, V> = RefCell<FastMap<K, V>>;

/// Resolves the uses of names in one ref, for one question.
pub struct Resolver<'a> {
    snapshot: &'a RefSnapshot,
    files: Arc<FileCache>,
    tree: Arc<Tree>,
    /// What compilers' indexes say about the ref.
    compiler: Option<Compiler>,
    open: Memo<VersionId, Arc<File>>,
    hits: Memo<String, Rc<[SymbolHit]>>,
    tables: Memo<Place, FastMap<String, Rc<MemberTable>>>,
    bases: Memo<Def, Rc<[Ty]>>,
    owners: Memo<Def, Option<Def>>,
    outers: Memo<Def, Rc<[Def]>>,
    imports: Memo<(VersionId, u32), Rc<[Entity]>>,
    bindings: Memo<(VersionId, u32), Ty>,
    symbols: Memo<Def, Ty>,
    spaces: Memo<String, bool>,
    families: Memo<(String, System, guess::Use, bool), Rc<guess::Family>>,
    customs: Memo<guess::Habit, Option<Def>>,
    looking: RefCell<HashSet<(Module, String, Space)>>,
    circle: RefCell<modules::Circle>,
    depth: Cell<u32>,
    steps: Cell<u32>,
    problem: RefCell<Option<StoreError>>,
    work: &'a Work,
}

impl<'a> Resolver<'a> {
    /// A resolver for what is published of a ref; `None` while nothing is.
    pub fn new(view: &'a View) -> Result<Option<Resolver<'a>>, StoreError> {
        let Some(snapshot) = &view.published else { return Ok(None) };
        let (tree, files) = (snapshot.kept(&TREES).get(view.project, snapshot)?, snapshot.kept(&FILES));
        files.begin(view.is_work_tree(), snapshot.state.files);
        Ok(Some(Resolver {
            snapshot,
            files,
            tree,
            compiler: snapshot.compiler()?,
            open: RefCell::default(),
            hits: RefCell::default(),
            tables: RefCell::default(),
            bases: RefCell::default(),
            owners: RefCell::default(),
            outers: RefCell::default(),
            imports: RefCell::default(),
            bindings: RefCell::default(),
            symbols: RefCell::default(),
            spaces: RefCell::default(),
            families: RefCell::default(),
            customs: RefCell::default(),
            looking: RefCell::default(),
            circle: RefCell::default(),
            depth: Cell::new(0),
            steps: Cell::new(0),
            problem: RefCell::default(),
            work: &view.work,
        }))
    }

    /// The name of the ref.
    pub fn ref_name(&self) -> &str {
        &self.snapshot.state.name
    }

    /// The publish that is asked about.
    pub fn as_of(&self) -> i64 {
        self.snapshot.as_of()
    }

    /// Uses that were found before.
    pub(crate) fn kept_uses(&self) -> Arc<KeptUses> {
        self.snapshot.kept(&KEPT_USES)
    }

    /// Whether a compiler's index says something about the ref.
    pub fn has_compiler(&self) -> bool {
        self.compiler.is_some()
    }

    /// Tells whoever waits how many files of how many were looked into.
    pub fn tell(&self, done: u64, total: u64) {
        self.work.tell(done, total);
    }

    /// Whether nobody waits for what is resolved any more.
    pub fn is_cancelled(&self) -> bool {
        self.work.is_cancelled()
    }

    /// Whether the time for an answer is over.
    pub fn is_late(&self) -> bool {
        self.work.is_late()
    }

    /// The index's refusal, if it refused something on the way. Ask it before an answer is given out.
    pub fn check(&self) -> Result<(), StoreError> {
        self.problem.borrow_mut().take().map_or(Ok(()), Err)
    }

    /// A file version; `None` when the index refuses, which [`Resolver::check`] then tells.
    pub fn file(&self, version: VersionId) -> Option<Arc<File>> {
        if let Some(file) = self.open.borrow().get(&version) {
            return Some(Arc::clone(file));
        }
        let file = self.kept(self.files.get(self.snapshot, version))?;
        self.open.borrow_mut().insert(version, Arc::clone(&file));
        Some(file)
    }

    /// Reads files that are about to be asked for, on all cores where there are many; those before them are let go where they are
    /// too many to be kept.
    pub fn read_ahead(&self, versions: &[VersionId]) {
        let mut open = self.open.borrow_mut();
        if open.len() > MAX_OPEN {
            open.clear();
        }
        let missing: Vec<VersionId> = versions.iter().copied().filter(|version| !open.contains_key(version)).collect();
        self.files.read_ahead(self.snapshot, &missing);
    }

    /// The language of a file, which need not be read for it.
    fn lang(&self, version: VersionId) -> Option<Lang> {
        self.tree.brief(version).map(|brief| brief.lang)
    }

    /// The versions whose facts use a name.
    pub fn mentioning(&self, name: &str) -> Vec<VersionId> {
        self.kept(self.snapshot.mentioning(name)).unwrap_or_default()
    }

    /// The versions that define a name.
    pub fn defining(&self, name: &str) -> Vec<VersionId> {
        self.hits(name).iter().map(|hit| hit.version).collect()
    }

    /// Whether an import leads to one of some definitions.
    pub fn imports_any(&self, file: &Arc<File>, at: u32, defs: &HashSet<Def>) -> bool {
        self.import(file, at).iter().any(|entity| matches!(entity, Entity::Symbol(def) if defs.contains(def)))
    }

    /// The files and folders of the ref that a file imports from.
    pub fn imported(&self, file: &Arc<File>) -> Vec<Imported> {
        let mut found = Vec::new();
        for at in 0..file.facts.imports.len() as u32 {
            self.depth.set(0);
            self.steps.set(0);
            found.extend(self.import(file, at).iter().filter_map(|entity| match entity {
                Entity::Symbol(def) | Entity::Module(Module::Inline(def)) => Some(Imported::File(def.version)),
                Entity::Module(Module::File(version)) => Some(Imported::File(*version)),
                Entity::Module(Module::Folder(folder, _)) => Some(Imported::Folder(folder.to_string())),
                Entity::Module(Module::Space(_)) => None,
                Entity::Local(..) | Entity::Foreign | Entity::Missing => None,
            }));
        }
        found
    }

    fn kept<T>(&self, outcome: Result<T, StoreError>) -> Option<T> {
        outcome.map_err(|problem| *self.problem.borrow_mut() = Some(problem)).ok()
    }

    /// The definitions of a name.
    fn hits(&self, name: &str) -> Rc<[SymbolHit]> {
        if let Some(hits) = self.hits.borrow().get(name) {
            return Rc::clone(hits);
        }
        let found = self.kept(self.snapshot.find_name(name, NameMatch::Exact));
        let hits: Rc<[SymbolHit]> = found.unwrap_or_default().into();
        self.hits.borrow_mut().insert(name.to_owned(), Rc::clone(&hits));
        hits
    }

    /// Reads a symbol.
    fn with<T>(&self, def: Def, read: impl FnOnce(&Arc<File>, &Symbol) -> T) -> Option<T> {
        let file = self.file(def.version)?;
        let symbol = file.facts.symbol(def.symbol)?;
        Some(read(&file, symbol))
    }

    fn kind(&self, def: Def) -> Option<SymbolKind> {
        self.with(def, |_, symbol| symbol.kind)
    }

    /// Goes one step deeper; gives the default where it is too deep.
    fn deeper<T: Default>(&self, step: impl FnOnce() -> T) -> T {
        let (depth, steps) = (self.depth.get(), self.steps.get());
        if depth >= MAX_DEPTH || steps >= MAX_STEPS {
            return T::default();
        }
        self.depth.set(depth + 1);
        self.steps.set(steps + 1);
        let outcome = step();
        self.depth.set(depth);
        outcome
    }
}

impl SpaceOf for SymbolKind {
    fn fits(self, space: Space) -> bool {
        use SymbolKind::*;
        match space {
            Space::Any => true,
            Space::Type => matches!(self, Struct | Enum | Union | Trait | Class | Interface | Type | Module),
            Space::Value => !matches!(self, Trait | Interface | Type | Impl | Use | Heading),
        }
    }
}

/// Which spaces a kind of symbol lives in.
trait SpaceOf {
    fn fits(self, space: Space) -> bool;
}
