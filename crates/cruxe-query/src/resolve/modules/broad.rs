//! The other languages: a name is what the file imports under it, what the same package or namespace defines, or what
//! the only definition of that name in the language is.

use std::sync::Arc;

use cruxe_model::facts::{Heritage, Occurrence, Relation, ScopeId, ScopeKind, SymbolIndex};
use cruxe_model::{SymbolKind, VersionId};
use cruxe_store::SymbolHit;

use super::super::file::{ANY_TABLE, File, is_free_member};
use super::super::occurrence::{Reason, Resolution};
use super::super::scope::in_head;
use super::super::tree::join;
use super::super::types::Ty;
use super::super::{Def, Entity, Resolver, Space, SpaceOf};
use super::{Module, ModuleRules, first_found};
use crate::name::segments;
use crate::twins::is_of_its_file;

/// Names with more definitions than this are told apart by imports or not at all.
const MAX_DEFINITIONS: usize = 64;

/// By imports, packages and names.
pub(super) struct Broad;

impl ModuleRules for Broad {
    fn import(&self, resolver: &Resolver, file: &Arc<File>, at: u32) -> Vec<Entity> {
        resolver.broad_import(file, at)
    }

    /// What a file defines, imports, imports all of. What a table of it holds goes first where a file is a table.
    fn of_file(&self, resolver: &Resolver, file: &Arc<File>, name: &str, space: Space) -> Vec<Entity> {
        let held = || {
            let held = file.children(ANY_TABLE, name);
            held.map(|symbol| Entity::Symbol(Def { version: file.id(), symbol })).collect()
        };
        first_found([&held, &|| self.of_scope(resolver, file, ScopeId(0), name, space), &|| {
            resolver.through_globs(file, ScopeId(0), name, space)
        }])
    }

    /// A type on the way to what is imported: `C` of `import static a.b.C.d`.
    fn import_use(&self, resolver: &Resolver, file: &Arc<File>, occurrence: &Occurrence, name: &str) -> Resolution {
        let named = resolver.named_import(file, occurrence, name);
        let whole = || resolver.whole_import(file, occurrence, name);
        let on_the_way = || resolver.on_the_way(file, occurrence, name);
        named.or_else(whole).or_else(on_the_way).unwrap_or(Resolution::Unresolved(Reason::Path))
    }

    /// What stands behind an import that leads nowhere may be a member of what the ref has near its path.
    fn is_own(&self, resolver: &Resolver, file: &Arc<File>, first: &str, _: bool, name: &str) -> Option<bool> {
        let imports = 0..file.facts.imports.len() as u32;
        let mut paths = imports.filter(|at| file.introduced(*at) == first).map(|at| resolver.import_path(file, at));
        paths.any(|path| resolver.defined_near(file, &path, name)).then_some(true)
    }

    fn beyond(&self, resolver: &Resolver, file: &Arc<File>, name: &str, offset: u32, space: Space) -> Vec<Entity> {
        resolver.broad_beyond(file, name, offset, space)
    }

    fn self_value(&self, resolver: &Resolver, file: &Arc<File>, offset: u32) -> Ty {
        match file.lang.naming.receivers {
            true => resolver.innermost_self(file, offset),
            false => resolver.self_value(file, offset),
        }
    }

    fn in_space(
        &self,
        resolver: &Resolver,
        file: &Arc<File>,
        path: &[&str],
        name: &str,
        offset: u32,
        space: Space,
    ) -> Vec<Entity> {
        resolver.in_space(file, path, name, offset, space)
    }

    fn type_path(&self, resolver: &Resolver, file: &Arc<File>, path: &[&str], offset: u32) -> Vec<Entity> {
        let Some((last, outer)) = path.split_last() else { return Vec::new() };
        if outer.is_empty() {
            return resolver.lookup(file, last, offset, Space::Type);
        }
        let mut at = resolver.lookup(file, outer[0], offset, Space::Any);
        for name in &path[1..] {
            at = at.iter().flat_map(|entity| resolver.inside(entity, name, Space::Type)).collect();
        }
        match at.iter().any(|entity| matches!(entity, Entity::Symbol(_))) {
            true => at,
            false => resolver.in_space(file, outer, last, offset, Space::Type),
        }
    }
}

impl Resolver<'_> {
    /// The symbol by which a file says which module it is.
    fn declared_module(&self, version: VersionId, path: &str) -> Option<Def> {
        let file = self.file(version)?;
        let says = |symbol: &cruxe_model::facts::Symbol| {
            symbol.kind == SymbolKind::Module && symbol.parent.is_none() && symbol.qualified_name == path
        };
        let symbol = SymbolIndex(file.facts.symbols.iter().position(says)? as u32);
        Some(Def { version, symbol })
    }

    /// The definitions whose qualified name ends like the import's path.
    fn broad_import(&self, file: &Arc<File>, at: u32) -> Vec<Entity> {
        let import = file.import(at);
        let module = file.import_module(at);
        let version = self.imported_file(file, module);
        if version.is_none() && file.lang.naming.requires {
            return vec![Entity::Foreign];
        }
        if let Some(version) = version {
            let module = Module::File(version);
            return match import.name {
                Some(name) => self.offered(&module, file.facts.name(name), Space::Any),
                None => {
                    // `package Shop::Cart;` of Perl: the import names it, and the file with all its names.
                    let declared = self.declared_module(version, file.import_module(at)).map(Entity::Symbol);
                    declared.into_iter().chain([Entity::Module(module)]).collect()
                }
            };
        }
        let path = self.import_path(file, at);
        let Some(last) = path.last() else { return Vec::new() };
        let fits = |def: &Def| {
            let agree = |other: &Arc<File>, symbol: &cruxe_model::facts::Symbol| {
                let have: Vec<&str> = segments(&symbol.qualified_name).collect();
                let shared = have.iter().rev().zip(path.iter().rev()).take_while(|(a, b)| a == b).count();
                let enough = shared > 1 || path.len() == 1 || self.in_module(other, &path, shared);
                shared == have.len().min(path.len()) && enough
            };
            self.with(*def, agree).unwrap_or(false)
        };
        // `#include <iterator>` means a file, whatever else is called so.
        let is_file = file.lang.naming.includes && import.name.is_none() && import.alias.is_none() && !import.glob;
        let hits = self.language_hits(file, last).filter(|_| !is_file);
        let found: Vec<Entity> = hits.filter(fits).map(Entity::Symbol).collect();
        match found.is_empty() {
            true if import.glob && self.is_space(file, &path.join(".")) => {
                vec![Entity::Module(Module::Space(path.join(".").into()))]
            }
            true if self.is_own_import(file, at) => vec![Entity::Missing],
            true => vec![Entity::Foreign],
            false => found,
        }
    }

    /// The type that a part of an import's path names; `None` for a package.
    fn on_the_way(&self, file: &Arc<File>, occurrence: &Occurrence, name: &str) -> Option<Resolution> {
        let line = |start| file.facts.line_of(start);
        let here = |at: &u32| line(file.import(*at).start) == line(occurrence.start);
        let at = (0..file.facts.imports.len() as u32).find(here)?;
        let path = self.import_path(file, at);
        let parts = path.iter().position(|part| *part == name)? + 1;
        let is_it = |def: &Def| {
            let named = |_: &Arc<File>, symbol: &cruxe_model::facts::Symbol| {
                symbol.kind.is_container() && segments(&symbol.qualified_name).eq(path[..parts].iter().copied())
            };
            self.with(*def, named).unwrap_or(false)
        };
        let found: Vec<Entity> = self.language_hits(file, name).filter(is_it).map(Entity::Symbol).collect();
        (!found.is_empty()).then(|| self.settled(found, file.lang))
    }

    /// Whether a path leads to a file although qualified names do not show it: the file stands in a folder that the module is
    /// called after, or its namespace is not known (a macro opens it) and the path is not known to lead out.
    fn in_module(&self, other: &File, path: &[&str], shared: usize) -> bool {
        let Some(outer) = path.len().checked_sub(shared + 1).map(|at| path[at]) else { return false };
        let foreign = other.lang.naming.foreign;
        let macros = !other.lang.naming.files_are_values && !foreign.is_empty() && !foreign.contains(&path[0]);
        shared > 0 && (macros || other.path().split('/').rev().skip(1).any(|folder| folder == outer))
    }

    /// The file that an import names, where a language imports files: beside the one that imports, or below one of the
    /// folders around it.
    fn imported_file(&self, file: &File, module: &str) -> Option<VersionId> {
        let names = (file.lang.naming.files)(module);
        if names.is_empty() {
            return None;
        }
        let at = |folder: String| names.iter().find_map(|name| self.tree.path(&join(&folder, name)));
        let near = self.search_folders(file).filter_map(at).find(|version| *version != file.id());
        // What has one name alone may be anybody's.
        let anywhere = !file.lang.naming.requires || module.contains('/');
        near.or_else(|| names.iter().filter(|_| anywhere).find_map(|name| self.tree.ending(name, file.path())))
            .filter(|found| *found != file.id())
    }

    /// The folders in which a file's imports are looked for, the nearest first.
    pub(super) fn search_folders<'f>(&self, file: &'f File) -> impl Iterator<Item = String> + use<'f> {
        let outer = |here: &&'f str| (!here.is_empty()).then(|| here.rsplit_once('/').map_or("", |(outer, _)| outer));
        let folders = std::iter::successors(Some(file.row.path.parent()), outer);
        folders.flat_map(|here| ["", "lua", "src", "lib"].map(|below| join(here, below)))
    }

    /// Definitions of a name in the languages that a file sees.
    fn language_hits(&self, file: &Arc<File>, name: &str) -> impl Iterator<Item = Def> {
        let hits = self.hits(name);
        let crowded = hits.len() > MAX_DEFINITIONS;
        let seen: Vec<&SymbolHit> = hits.iter().filter(|hit| !crowded || !self.is_of_other_unit(file, hit)).collect();
        let few = if seen.len() > MAX_DEFINITIONS { 0 } else { seen.len() };
        let mut found = Vec::new();
        for hit in seen.into_iter().take(few).filter(|hit| !hit.local) {
            let def = Def { version: hit.version, symbol: SymbolIndex(hit.position) };
            if self.lang(hit.version).is_some_and(|other| other.is_kin(file.lang)) {
                found.push(def);
            }
        }
        found.into_iter()
    }

    /// Whether something is a type or macro of a file that is compiled by itself, and so not in sight of another file.
    pub(super) fn is_of_other_unit(&self, file: &File, hit: &SymbolHit) -> bool {
        use SymbolKind::{Class, Enum, Macro, Struct, Type, Union};
        let kept = matches!(hit.kind, Class | Enum | Macro | Struct | Type | Union) && hit.version != file.id();
        kept && self.tree.brief(hit.version).is_some_and(|brief| brief.is_unit)
    }

    /// Inherited members, the package, then the whole language.
    fn broad_beyond(&self, file: &Arc<File>, name: &str, offset: u32, space: Space) -> Vec<Entity> {
        for symbol in file.nesting.symbols_around(&file.facts, offset) {
            // What stands before a method's name is looked up outside of its type.
            let before_name = file.lang.naming.methods_see_members
                && file.symbol(symbol).kind.is_callable()
                && offset <= file.symbol(symbol).name_span.start;
            if before_name || in_head(file, symbol, offset) {
                continue;
            }
            if let Some(owner) = self.members_seen(file, symbol) {
                use SymbolKind::{Field, Fn, Method, Property};
                let mut inherited = self.members_of(owner, name);
                let value = |def: &Def| matches!(self.kind(*def), Some(Field | Fn | Method | Property));
                inherited.retain(|def| space != Space::Type || !value(def));
                if !inherited.is_empty() {
                    return inherited.into_iter().map(Entity::Symbol).collect();
                }
            }
        }
        let injected = self.injected_beside(file, name, offset);
        if !injected.is_empty() {
            return injected;
        }
        self.free_in_sight(file, name, offset, space, |_| true)
    }

    /// What a module's macros define where the function around is defined too: they end up in one module.
    fn injected_beside(&self, file: &Arc<File>, name: &str, offset: u32) -> Vec<Entity> {
        if !file.lang.naming.injects {
            return Vec::new();
        }
        let mut around =
            file.nesting.symbols_around(&file.facts, offset).filter(|at| file.symbol(*at).kind.is_callable());
        let Some(outer) = around.nth(1) else { return Vec::new() };
        let Some(module) = file.symbol(outer).parent else { return Vec::new() };
        self.injected_by(&Entity::Symbol(Def { version: file.id(), symbol: module }), name)
    }

    /// What a plain name may mean that is no member: of the namespaces around, the package, then the whole language.
    pub(in crate::resolve) fn free_in_sight(
        &self,
        file: &Arc<File>,
        name: &str,
        offset: u32,
        space: Space,
        may_be: impl Fn(Def) -> bool,
    ) -> Vec<Entity> {
        let (spaces, opened) = (self.spaces_around(file, offset), self.spaces_opened(file));
        let mut found: Vec<Found> = Vec::new();
        for def in self.language_hits(file, name).filter(|def| may_be(*def)) {
            let Some(other) = self.file(def.version) else { continue };
            let symbol = other.symbol(def.symbol);
            let outer = symbol.parent.map(|at| other.symbol(at).kind);
            let free = matches!(outer, None | Some(SymbolKind::Module | SymbolKind::Heading));
            let named = !matches!(symbol.kind, SymbolKind::Heading | SymbolKind::Impl);
            let outer = outer_of(&symbol.qualified_name, &symbol.name);
            let is_open = opened.iter().any(|space| same_path(space, outer));
            let package = !other.facts.module.is_empty() && other.facts.module == file.facts.module;
            // What an object holds is seen in the package that is called like it, and where everything of it is imported.
            let of_object = symbol.kind == SymbolKind::Method
                && symbol.parent.is_some()
                && (is_open || same_path(&file.facts.module, outer));
            let free = free && named && (of_object || !detached(symbol, &other.facts.module));
            if free || is_free_member(&other.facts, other.lang, symbol) {
                let space = spaces.iter().position(|space| space == outer).filter(|_| !outer.is_empty());
                let near = other.row.path.parent() == file.row.path.parent();
                let hidden = def.version != file.id() && is_of_its_file(symbol) && !is_included(&other);
                found.push(Found { def, kind: symbol.kind, space, package, opened: is_open, near, hidden });
            }
        }
        if found.iter().any(|one| one.kind.fits(space)) {
            found.retain(|one| one.kind.fits(space));
        }
        // What only its own file sees, others do not mean, unless one file is included in the other.
        if found.iter().any(|one| !one.hidden) {
            found.retain(|one| !one.hidden);
        } else if file.lang.naming.includes && !self.is_text(file) {
            found.retain(|one| self.is_text_of_others(one.def.version));
        }
        if let Some(innermost) = found.iter().filter_map(|one| one.space).min() {
            found.retain(|one| one.space == Some(innermost));
        }
        for closer in [|one: &Found| one.package, |one: &Found| one.opened, |one: &Found| one.near] {
            if found.iter().any(closer) {
                found.retain(closer);
            }
        }
        found.into_iter().map(|one| Entity::Symbol(one.def)).collect()
    }

    /// Whether a file is a piece of others, so that what is theirs may be in sight in it.
    fn is_text(&self, file: &File) -> bool {
        is_included(file) || self.is_text_of_others(file.id())
    }

    /// Whether a file is included by the name that it has: `#include "tables.c"`.
    fn is_text_of_others(&self, version: VersionId) -> bool {
        self.file(version).is_some_and(|file| !self.mentioning(file.row.path.file_name()).is_empty())
    }

    /// The type whose members are seen by their plain names inside a symbol: itself, or what an extension is of.
    fn members_seen(&self, file: &Arc<File>, symbol: SymbolIndex) -> Option<Def> {
        let (def, kind) = (Def { version: file.id(), symbol }, file.symbol(symbol).kind);
        let extends = || {
            let of = |heritage: &Heritage| heritage.symbol == symbol && heritage.relation == Relation::SelfType;
            file.facts.heritage.iter().any(of)
        };
        match kind {
            kind if kind.is_container() => Some(def),
            kind if kind.is_callable() && extends() => self.known_owner(file, def),
            SymbolKind::Property | SymbolKind::Const | SymbolKind::Variable if extends() => self.known_owner(file, def),
            _ => None,
        }
    }

    /// `this` where functions have receivers: what the innermost lambda works on of which that is known, what the function
    /// around it extends, a value of the class.
    fn innermost_self(&self, file: &Arc<File>, offset: u32) -> Ty {
        let mut scope = Some(file.scope_at(offset));
        while let Some(at) = scope.filter(|at| file.facts.scopes[at.0 as usize].kind != ScopeKind::Type) {
            let ty = self.received(file, at, offset);
            if ty != Ty::Unknown {
                return ty;
            }
            scope = file.nesting.scope_parent(at);
        }
        for symbol in file.nesting.symbols_around(&file.facts, offset) {
            if file.symbol(symbol).kind.is_container() {
                break;
            }
            if let Some(ty) = self.extended(file, Def { version: file.id(), symbol }) {
                return ty;
            }
        }
        self.self_value(file, offset)
    }

    /// The namespaces of which a file imports everything.
    fn spaces_opened(&self, file: &Arc<File>) -> Vec<String> {
        let globs: Vec<u32> = file.globs().map(|(at, _)| at).collect();
        let spaces = globs.iter().flat_map(|at| self.import(file, *at).to_vec());
        let spaces = spaces.filter_map(|entity| match entity {
            Entity::Module(Module::Space(space)) => Some(space.to_string()),
            _ => None,
        });
        spaces.collect()
    }

    /// Whether the ref has a namespace: whether something that a file names stands in it. Nothing lists namespaces, and a file
    /// that opens one names something of it.
    fn is_space(&self, file: &Arc<File>, space: &str) -> bool {
        if let Some(known) = self.spaces.borrow().get(space) {
            return *known;
        }
        let stands_there = |name: &str| {
            let hits = self.hits(name);
            hits.iter().take(MAX_DEFINITIONS).filter(|hit| !hit.local).any(|hit| {
                let def = Def { version: hit.version, symbol: SymbolIndex(hit.position) };
                let there = |other: &Arc<File>, symbol: &cruxe_model::facts::Symbol| {
                    other.lang.is_kin(file.lang) && is_within(outer_of(&symbol.qualified_name, &symbol.name), space)
                };
                self.with(def, there).unwrap_or(false)
            })
        };
        let found = file.facts.names.iter().filter(|name| name.len() > 2).take(MAX_NAMES).any(stands_there);
        // What one file does not tell, another may.
        if found {
            self.spaces.borrow_mut().insert(space.to_owned(), true);
        }
        found
    }

    /// The namespaces and types around an offset, by their qualified names, the innermost first.
    fn spaces_around(&self, file: &File, offset: u32) -> Vec<String> {
        let around = file.nesting.symbols_around(&file.facts, offset).filter(|at| file.symbol(*at).kind.is_container());
        let mut spaces: Vec<String> = Vec::new();
        for at in around {
            let mut space = file.symbol(at).qualified_name.as_str();
            // `module A::B` opens both.
            while !space.is_empty() && !spaces.iter().any(|other| other == space) {
                spaces.push(space.to_owned());
                let last = segments(space).next_back().map_or(0, str::len);
                let end = space.len().saturating_sub(last.max(1));
                space =
                    space.get(..end).unwrap_or_default().trim_end_matches(|c: char| !c.is_alphanumeric() && c != '_');
            }
        }
        spaces
    }
}

/// Names of a file that are looked at to find out whether a namespace is the ref's.
const MAX_NAMES: usize = 128;

/// The qualified name of what is around a symbol.
fn outer_of<'a>(qualified: &'a str, name: &str) -> &'a str {
    let outer = qualified.strip_suffix(name).unwrap_or_default();
    outer.trim_end_matches(|c: char| !c.is_alphanumeric() && c != '_')
}

/// Whether two paths are the same, however their parts are divided.
fn same_path(one: &str, other: &str) -> bool {
    !one.is_empty() && segments(one).eq(segments(other))
}

/// Whether a path is a namespace or lies in it.
fn is_within(path: &str, space: &str) -> bool {
    let mut path = segments(path);
    !space.is_empty() && segments(space).all(|part| path.next() == Some(part))
}

/// A definition that a plain name may mean.
struct Found {
    def: Def,
    kind: SymbolKind,
    /// Which of the namespaces around the use it stands in.
    space: Option<usize>,
    /// It stands in the same package.
    package: bool,
    /// It stands in a namespace that the file opens.
    opened: bool,
    /// It stands in the same folder.
    near: bool,
    /// It stands in another file, and is seen in that one alone.
    hidden: bool,
}

/// Whether others include a file as text: what is its own there is theirs too.
fn is_included(file: &File) -> bool {
    let extension = file.row.path.extension().unwrap_or_default();
    extension.starts_with('h') || matches!(extension.as_str(), "inc" | "inl" | "ipp" | "tpp" | "def" | "cuh")
}

/// Whether a symbol at the top of a file is a member all the same: `void Foo::bar()` of C++.
fn detached(symbol: &cruxe_model::facts::Symbol, module: &str) -> bool {
    let depth = segments(&symbol.qualified_name).count();
    symbol.kind == SymbolKind::Method || (symbol.parent.is_none() && depth > segments(module).count() + 1)
}
