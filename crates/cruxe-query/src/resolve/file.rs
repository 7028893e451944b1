//! A file version with what makes its facts quick to ask: names by scope, members by owner.

use std::hash::BuildHasher;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use cruxe_extract::language::LanguageDef;
use cruxe_extract::naming::{Members, System};
use cruxe_extract::registry::named;
use cruxe_model::facts::{
    Binding, Expr, ExprId, FileFacts, Import, MAYBE, NameId, Occurrence, Role, ScopeId, ScopeKind, Symbol, SymbolIndex,
    TypeRef,
};
use cruxe_model::nesting::Nesting;
use cruxe_model::{SymbolKind, VersionId};
use cruxe_store::{Cache, FileRow, Snapshot, StoreError};
use parking_lot::Mutex;

use super::FastMap;
use crate::name::segments;

/// A language and its rules.
pub type Lang = &'static LanguageDef;

/// What a name in a scope is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decl {
    /// A local, by its place in [`FileFacts::bindings`].
    Binding(u32),
    /// A definition.
    Symbol(SymbolIndex),
    /// An import, by its place in [`FileFacts::imports`].
    Import(u32),
}

/// A file version, ready to be asked.
pub struct File {
    /// Its row.
    pub row: FileRow,
    /// What it says.
    pub facts: FileFacts,
    /// Its language.
    pub lang: Lang,
    /// What is around a position.
    pub nesting: Nesting,
    decls: Vec<(u64, Decl)>,
    members: Vec<(u64, SymbolIndex)>,
    exports: Vec<(u64, u32)>,
    globs: Vec<u32>,
    by_name: OnceLock<ByName>,
    /// Whether something was found out about a path: `isinstance(a.b, Foo)`.
    pub tests_paths: bool,
    bytes: usize,
}

/// Where each name of a file is used; made when it is first asked for.
struct ByName {
    /// The names in the order of their letters.
    sorted: Vec<NameId>,
    /// Where the places of each name begin, by its id, and where the last ones end.
    starts: Vec<u32>,
    /// The uses of one name after those of another, each in the order of the text.
    places: Vec<u32>,
}

impl ByName {
    fn of(facts: &FileFacts) -> ByName {
        let mut sorted: Vec<NameId> = (0..facts.names.len() as u32).map(NameId).collect();
        sorted.sort_unstable_by_key(|id| facts.name(*id));
        let mut starts = vec![0u32; facts.names.len() + 1];
        for occurrence in &facts.occurrences {
            starts[occurrence.name.0 as usize + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let (mut next, mut places) = (starts.clone(), vec![0; facts.occurrences.len()]);
        for (at, occurrence) in facts.occurrences.iter().enumerate() {
            let place = &mut next[occurrence.name.0 as usize];
            places[*place as usize] = at as u32;
            *place += 1;
        }
        ByName { sorted, starts, places }
    }
}

fn key(place: u32, name: &str) -> u64 {
    foldhash::fast::FixedState::default().hash_one((place, name))
}

fn range<T: Copy>(list: &[(u64, T)], key: u64) -> impl Iterator<Item = T> + '_ {
    let from = list.partition_point(|(other, _)| *other < key);
    list[from..].iter().take_while(move |(other, _)| *other == key).map(|(_, value)| *value)
}

impl File {
    /// Reads a file version's facts.
    pub fn new(row: FileRow, facts: FileFacts) -> File {
        let (lang, nesting) = (named(&row.language), Nesting::of(&facts));
        let (mut decls, mut members, mut exports, mut globs) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (at, binding) in facts.bindings.iter().enumerate() {
            decls.push((key(binding.scope.0, facts.name(binding.name)), Decl::Binding(at as u32)));
        }
        for (at, symbol) in facts.symbols.iter().enumerate().filter(|(_, symbol)| symbol.kind != SymbolKind::Use) {
            let index = SymbolIndex(at as u32);
            if let Some(parent) = symbol.parent {
                members.push((key(parent.0, &symbol.name), index));
            }
            if lang.naming.tables && is_held(&facts, symbol) {
                members.push((key(ANY_TABLE.0, &symbol.name), index));
            }
            if let Some(scope) = home(&facts, &nesting, lang, symbol) {
                decls.push((key(scope.0, &symbol.name), Decl::Symbol(index)));
            }
        }
        for (at, import) in facts.imports.iter().enumerate() {
            let at = at as u32;
            if import.glob {
                globs.push(at);
            } else if lang.naming.exports_apart && import.reexport {
                exports.push((key(0, import_name(&facts, lang, import)), at));
            } else {
                decls.push((key(import.scope.0, import_name(&facts, lang, import)), Decl::Import(at)));
            }
        }
        decls.sort_by_key(|(key, _)| *key);
        members.sort_by_key(|(key, _)| *key);
        exports.sort_by_key(|(key, _)| *key);
        let bytes = 300 * facts.symbols.len()
            + 24 * facts.occurrences.len()
            + 48 * facts.bindings.len()
            + 8 * facts.calls.len()
            + 16 * (facts.exprs.len() + facts.scopes.len() + facts.loose.len())
            + 4 * facts.names.len()
            + facts.names.bytes()
            + 80 * facts.types.len()
            + 4 * facts.line_starts.len()
            + 1024;
        let by_name = OnceLock::new();
        let may_test = lang.naming.assignments_define || lang.naming.system == System::Ecma;
        let tests_paths = may_test && facts.bindings.iter().any(|binding| facts.name(binding.name).contains('.'));
        File { row, facts, lang, nesting, decls, members, exports, globs, by_name, tests_paths, bytes }
    }

    /// The name of a type, without what stands before it.
    pub fn type_name(&self, ty: &TypeRef) -> Option<&str> {
        ty.path.iter().rev().map(|name| self.facts.name(*name)).find(|name| *name != MAYBE)
    }

    /// Its id.
    pub fn id(&self) -> VersionId {
        self.row.id
    }

    /// Its path.
    pub fn path(&self) -> &str {
        self.row.path.as_str()
    }

    /// The symbol at an index.
    pub fn symbol(&self, index: SymbolIndex) -> &Symbol {
        &self.facts.symbols[index.0 as usize]
    }

    /// Whether a name is the word for the type around it, wherever it stands.
    pub fn is_own_type(&self, name: &str) -> bool {
        self.lang.naming.own_type_everywhere && self.lang.naming.own_type == Some(name)
    }

    /// What a scope calls so; hash collisions are sorted out here.
    pub fn declared<'a>(&'a self, scope: ScopeId, name: &'a str) -> impl Iterator<Item = Decl> + 'a {
        range(&self.decls, key(scope.0, name)).filter(move |decl| match decl {
            Decl::Binding(at) => self.facts.name(self.binding(*at).name) == name,
            Decl::Symbol(at) => self.symbol(*at).name == name,
            Decl::Import(at) => import_name(&self.facts, self.lang, self.import(*at)) == name,
        })
    }

    /// The definitions whose name stands at an offset.
    pub fn named_at(&self, start: u32) -> impl Iterator<Item = SymbolIndex> + '_ {
        let here = move |symbol: &Symbol| symbol.name_span.start == start && symbol.kind != SymbolKind::Use;
        let all = self.facts.symbols.iter().enumerate();
        all.filter(move |(_, symbol)| here(symbol)).map(|(at, _)| SymbolIndex(at as u32))
    }

    fn by_name(&self) -> &ByName {
        self.by_name.get_or_init(|| ByName::of(&self.facts))
    }

    /// The id of a name; `None` where the file does not have it.
    pub fn name_id(&self, name: &str) -> Option<NameId> {
        let sorted = &self.by_name().sorted;
        let at = sorted.binary_search_by(|id| self.facts.name(*id).cmp(name)).ok()?;
        Some(sorted[at])
    }

    /// The uses of a name, in the order of the text.
    pub fn uses_of(&self, name: NameId) -> impl Iterator<Item = &Occurrence> {
        let ByName { starts, places, .. } = self.by_name();
        let range = starts[name.0 as usize] as usize..starts[name.0 as usize + 1] as usize;
        places[range].iter().map(|at| &self.facts.occurrences[*at as usize])
    }

    /// The use at an offset.
    pub fn occurrence_at(&self, start: u32) -> Option<&Occurrence> {
        let at = self.facts.occurrences.partition_point(|occurrence| occurrence.start < start);
        self.facts.occurrences.get(at).filter(|occurrence| occurrence.start == start)
    }

    /// Whether a function, by the value that it returns, makes an object whose members are written out in it.
    pub fn makes_object(&self, symbol: SymbolIndex, value: ExprId) -> bool {
        self.lang.naming.objects
            && self.symbol(symbol).kind.is_callable()
            && matches!(self.facts.exprs.get(value.0 as usize), Some(Expr::Literal(word)) if self.facts.name(*word) == "dict")
    }

    /// Whether a function makes a type of others: `fn List(comptime T: type) type`.
    pub fn makes_type(&self, symbol: SymbolIndex) -> bool {
        let symbol = self.symbol(symbol);
        let ty = symbol.ty.and_then(|ty| self.facts.types.get(ty.0 as usize));
        let named = ty.and_then(|ty| ty.path.last()).map(|name| self.facts.name(*name));
        named.is_some() && named == self.lang.naming.meta && symbol.kind.is_callable()
    }

    /// What the use at an offset is.
    pub fn role_at(&self, start: u32) -> Option<Role> {
        self.occurrence_at(start).map(|occurrence| occurrence.role)
    }

    /// Whether the use before an offset is an import on the same line, so that what stands there is its alias.
    pub fn follows_import(&self, start: u32) -> bool {
        let after = self.facts.occurrences.partition_point(|occurrence| occurrence.start < start);
        let before = after.checked_sub(1).and_then(|at| self.facts.occurrences.get(at));
        let line = self.facts.line_of(start);
        before.is_some_and(|other| other.role == Role::Import && self.facts.line_of(other.start) == line)
    }

    /// Whether a field is defined by an assignment in a method: `self.x = …`.
    pub fn is_set_in_method(&self, index: SymbolIndex) -> bool {
        let symbol = self.symbol(index);
        symbol.kind == SymbolKind::Field && !in_class_body(&self.facts, &self.nesting, symbol)
    }

    /// The symbols of this name directly below another.
    pub fn children<'a>(&'a self, parent: SymbolIndex, name: &'a str) -> impl Iterator<Item = SymbolIndex> + 'a {
        range(&self.members, key(parent.0, name)).filter(move |at| self.symbol(*at).name == name)
    }

    /// What the file offers under a name that it does not define so (TypeScript, JavaScript).
    pub fn exported<'a>(&'a self, name: &'a str) -> impl Iterator<Item = u32> + 'a {
        let named = move |at: &u32| import_name(&self.facts, self.lang, self.import(*at)) == name;
        range(&self.exports, key(0, name)).filter(named)
    }

    /// Imports of everything in a module.
    pub fn globs(&self) -> impl Iterator<Item = (u32, &Import)> {
        self.globs.iter().map(|at| (*at, self.import(*at)))
    }

    /// The import at an index.
    pub fn import(&self, at: u32) -> &Import {
        &self.facts.imports[at as usize]
    }

    /// The name that the import at an index introduces; empty for none.
    pub fn introduced(&self, at: u32) -> &str {
        import_name(&self.facts, self.lang, self.import(at))
    }

    /// The binding at an index.
    pub fn binding(&self, at: u32) -> &Binding {
        &self.facts.bindings[at as usize]
    }

    /// The innermost scope around an offset.
    pub fn scope_at(&self, offset: u32) -> ScopeId {
        self.nesting.scope_at(&self.facts, offset)
    }

    /// The scope that a symbol opens, of the given kind.
    pub fn scope_of(&self, index: SymbolIndex, kind: ScopeKind) -> Option<ScopeId> {
        let span = self.symbol(index).span;
        let from = self.facts.scopes.partition_point(|scope| scope.span.start < span.start);
        let inside = self.facts.scopes[from..].iter().take_while(|scope| scope.span.start < span.end);
        let at = inside.take(8).position(|scope| scope.kind == kind && scope.span.end <= span.end)?;
        Some(ScopeId((from + at) as u32))
    }

    /// The names of an import's path: `auth` and `jwt` of `auth::jwt`.
    pub fn import_module(&self, at: u32) -> &str {
        self.facts.name(self.import(at).module)
    }
}

/// The scope in which a symbol is seen by its plain name; `None` for members that only their type leads to.
fn home(facts: &FileFacts, nesting: &Nesting, lang: Lang, symbol: &Symbol) -> Option<ScopeId> {
    use SymbolKind::*;
    let parent = symbol.parent.map(|at| facts.symbols[at.0 as usize].kind);
    let member = match parent {
        _ if lang.naming.tables && is_held(facts, symbol) => true,
        _ if lang.naming.methods_see_members && is_test_of_suite(facts, symbol) => true,
        None | Some(Module) if matches!(symbol.kind, Method | Field) && lang.naming.methods_see_members => true,
        None | Some(Module | Fn | Method) if symbol.kind == Method && lang.naming.free_methods => true,
        None => false,
        Some(Module | Fn | Method | Property | Heading) => false,
        Some(Const | Variable | Static) => lang.naming.objects,
        Some(_) => match lang.naming.members {
            Members::Plain => false,
            Members::Qualified => true,
            Members::ClassBody => symbol.kind == Field && !in_class_body(facts, nesting, symbol),
        },
    };
    if member {
        return None;
    }
    let outer = symbol.parent.map(|at| &facts.symbols[at.0 as usize]).filter(|_| is_free_member(facts, lang, symbol));
    let (start, end) = (outer.unwrap_or(symbol).full_span.start, outer.unwrap_or(symbol).full_span.end);
    let mut scope = nesting.scope_at(facts, start);
    loop {
        let span = facts.scopes[scope.0 as usize].span;
        // The scopes that the symbol itself opens are inside it; that of a macro takes in the end of its line.
        let own = span.start >= start && span.end <= end + 1;
        match nesting.scope_parent(scope) {
            Some(outer) if own => scope = outer,
            _ => return Some(scope),
        }
    }
}

/// The parent of what any table at the top of a file holds, for [`File::children`].
pub const ANY_TABLE: SymbolIndex = SymbolIndex(u32::MAX);

/// Whether a table at the top of a file holds a symbol: by its literal, or because the symbol names it (`function M.f()`).
fn is_held(facts: &FileFacts, symbol: &Symbol) -> bool {
    match symbol.parent.map(|at| &facts.symbols[at.0 as usize]) {
        None => segments(&symbol.qualified_name).count() > segments(&facts.module).count() + 1,
        Some(table) => {
            table.parent.is_none() && matches!(table.kind, SymbolKind::Variable | SymbolKind::Const | SymbolKind::Field)
        }
    }
}

/// Whether a macro names a test after its suite and itself: `TEST(Suite, Name)` makes nothing that is called `Name`.
fn is_test_of_suite(facts: &FileFacts, symbol: &Symbol) -> bool {
    let outer = symbol.parent.map_or(facts.module.as_str(), |at| &facts.symbols[at.0 as usize].qualified_name);
    let depth = |name: &str| segments(name).count();
    symbol.flags.test && symbol.kind == SymbolKind::Fn && depth(&symbol.qualified_name) > depth(outer) + 1
}

/// Whether a member is a name of what is around its type.
pub fn is_free_member(facts: &FileFacts, lang: Lang, symbol: &Symbol) -> bool {
    let outer = symbol.parent.map(|at| &facts.symbols[at.0 as usize]);
    // `enum class` keeps its names to itself.
    let keeps = |outer: &Symbol| {
        let head = &outer.signature;
        lang.naming.includes && (head.starts_with("enum class") || head.starts_with("enum struct"))
    };
    lang.naming.free_members.contains(&symbol.kind)
        && outer.is_some_and(|outer| outer.kind != SymbolKind::Impl && !keeps(outer))
}

/// Whether a field is assigned in the body of the class itself, not as `self.x` in a method.
fn in_class_body(facts: &FileFacts, nesting: &Nesting, symbol: &Symbol) -> bool {
    let scope = nesting.scope_at(facts, symbol.name_span.start);
    facts.scopes[scope.0 as usize].kind == ScopeKind::Type
}

/// The name that an import introduces; empty for none.
fn import_name<'f>(facts: &'f FileFacts, lang: Lang, import: &Import) -> &'f str {
    if let Some(alias) = import.alias {
        return facts.name(alias);
    }
    if let Some(name) = import.name {
        return facts.name(name);
    }
    (lang.naming.imported)(facts.name(import.module))
}

/// How much the files in memory may hold together by their own count, about what they take. All of a code base of 4,000 files
/// fits: a common name leads to most of them, and to unpack those again takes longer than everything else about it.
const ROOM: usize = 96 << 20;
/// The same for every file of a larger one, as far as that goes.
const ROOM_PER_FILE: usize = 12 << 10;
const MUCH_ROOM: usize = 160 << 20;
/// The same where commit after commit is asked about: each brings versions of its own, which fill whatever is allowed.
const LITTLE_ROOM: usize = 24 << 20;
/// How many files are worth a thread.
const PER_THREAD: usize = 12;
/// So many questions in a row about commits mean that more will follow.
const MANY_COMMITS: u32 = 8;

/// The files of an index that were read.
pub static FILES: Cache<FileCache> = Cache::of("files that were read to resolve names");

/// Files that were read, kept between questions: a version never changes.
#[derive(Default)]
pub struct FileCache {
    held: Mutex<Held>,
}

#[derive(Default)]
struct Held {
    files: FastMap<VersionId, (Arc<File>, u64)>,
    bytes: usize,
    clock: u64,
    /// Questions about commits since the last one about a work tree.
    commits: u32,
    /// How many files the ref has that was asked about last.
    of: usize,
}

impl FileCache {
    /// Notes what a question is about before it asks for files.
    pub fn begin(&self, is_work_tree: bool, files: u64) {
        let mut held = self.held.lock();
        held.of = usize::try_from(files).unwrap_or(usize::MAX);
        held.commits = if is_work_tree { 0 } else { held.commits.saturating_add(1) };
        held.keep_within_room();
    }

    /// A file version, from memory or from the index.
    pub fn get(&self, snapshot: &Snapshot, version: VersionId) -> Result<Arc<File>, StoreError> {
        let held = || self.held.lock();
        {
            let mut held = held();
            held.clock += 1;
            let clock = held.clock;
            if let Some((file, used)) = held.files.get_mut(&version) {
                *used = clock;
                return Ok(Arc::clone(file));
            }
        }
        let file = Arc::new(File::new(snapshot.file(version)?, snapshot.facts(version)?));
        let mut held = held();
        held.bytes += file.bytes;
        let clock = held.clock;
        held.files.insert(version, (Arc::clone(&file), clock));
        held.keep_within_room();
        Ok(file)
    }

    /// How many files are in memory.
    #[cfg(test)]
    pub(crate) fn count(&self) -> usize {
        self.held.lock().files.len()
    }

    /// Reads files that are about to be asked for. Unpacking is most of what a question about a common name costs where a code base
    /// is too large to be kept, and it can be done on all cores.
    pub fn read_ahead(&self, snapshot: &Snapshot, versions: &[VersionId]) {
        let missing: Vec<VersionId> = {
            let held = self.held.lock();
            versions.iter().copied().filter(|version| !held.files.contains_key(version)).collect()
        };
        let threads = std::thread::available_parallelism().map_or(1, usize::from).min(missing.len() / PER_THREAD);
        if threads < 2 {
            return;
        }
        let (again, next) = (snapshot.again(), AtomicUsize::new(0));
        let read = || {
            // Where something was published meanwhile, whoever asks reads on its own.
            let Ok(Some(snapshot)) = again.open() else { return };
            while let Some(version) = missing.get(next.fetch_add(1, Ordering::Relaxed)) {
                if self.get(&snapshot, *version).is_err() {
                    return; // who asks for it is told why
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(read);
            }
        });
    }
}

impl Held {
    /// Drops those that were used longest ago where there are too many, and makes room for a quarter of all then: dropping one
    /// by one would sort the clocks again and again.
    fn keep_within_room(&mut self) {
        let room = match self.commits > MANY_COMMITS {
            true => LITTLE_ROOM,
            false => self.of.saturating_mul(ROOM_PER_FILE).clamp(ROOM, MUCH_ROOM),
        };
        if self.bytes <= room {
            return;
        }
        let mut ages: Vec<(u64, VersionId)> = self.files.iter().map(|(id, (_, used))| (*used, *id)).collect();
        ages.sort_unstable();
        for (_, id) in ages {
            if self.bytes <= room / 4 * 3 {
                break;
            }
            if let Some((file, _)) = self.files.remove(&id) {
                self.bytes = self.bytes.saturating_sub(file.bytes);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use cruxe_model::{ContentHash, RepoPath};

    use super::*;

    /// Puts files of a megabyte each into memory, and gives the oldest that is still there and how many are.
    fn after(commits: u32, files: u32) -> (Option<VersionId>, usize) {
        after_of(0, commits, files)
    }

    /// The same of a ref with so many files.
    fn after_of(of: usize, commits: u32, files: u32) -> (Option<VersionId>, usize) {
        let mut held = Held { commits, of, ..Held::default() };
        for id in 0..files {
            let row = FileRow {
                id,
                path: RepoPath::parse("a.py").unwrap(),
                hash: ContentHash::from_hex(&"0".repeat(40)).unwrap(),
                module: String::new(),
                language: "python".to_owned(),
                bytes: 0,
                lines: 0,
                symbols: 0,
                problems: None,
            };
            let file = File { bytes: 1 << 20, ..File::new(row, FileFacts::default()) };
            held.files.insert(id, (Arc::new(file), u64::from(id)));
            held.bytes += 1 << 20;
            held.keep_within_room();
        }
        assert_eq!(held.bytes, held.files.len() << 20);
        (held.files.keys().min().copied(), held.files.len())
    }

    #[test]
    fn a_code_base_stays_in_memory_and_many_commits_do_not() {
        assert_eq!(after(0, 96), (Some(0), 96));
        assert_eq!(after(MANY_COMMITS, 97), (Some(25), 72), "three quarters of the room are left, the latest files");
        assert_eq!(after(MANY_COMMITS + 1, 24), (Some(0), 24));
        assert_eq!(after(MANY_COMMITS + 1, 25), (Some(7), 18));
        assert_eq!(after_of(12 << 10, 0, 144), (Some(0), 144), "12 kB for each of 12,288 files");
        assert_eq!(after_of(12 << 10, 0, 145), (Some(37), 108));
        assert_eq!(after_of(usize::MAX, 0, 160), (Some(0), 160));
        assert_eq!(after_of(usize::MAX, 0, 161), (Some(41), 120), "and no more, however many there are");
    }
}
