//! Modules: what an import means, what a module offers, and what is in sight beyond a file. A file per module system;
//! [`rules`] is the one place where one of them is chosen.

mod broad;
mod ecma;
mod go;
mod own;
mod python;
mod rust;
pub(super) mod spaces;

use std::collections::HashSet;
use std::rc::Rc;
use std::sync::Arc;

use cruxe_extract::naming::System;
use cruxe_model::VersionId;
use cruxe_model::facts::{Occurrence, ScopeId, ScopeKind, SymbolIndex};

use super::file::File;
use super::occurrence::{Reason, Resolution};
use super::types::Ty;
use super::{Def, Entity, Resolver, Space};

/// A module or package.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Module {
    /// A file.
    File(VersionId),
    /// A module inside a file.
    Inline(Def),
    /// A folder: a Go package, a Python package without `__init__`.
    Folder(Rc<str>, System),
    /// A namespace or package that no file is, by its name: what stands in it is found by qualified names.
    Space(Rc<str>),
}

/// What a module system decides. What is written out here is what most do.
pub(super) trait ModuleRules: Sync {
    /// What an import leads to; empty when it leads nowhere that can be told.
    fn import(&self, resolver: &Resolver, file: &Arc<File>, at: u32) -> Vec<Entity>;

    /// Whether a name is the ref's that stands behind a path of which nothing in the ref is the beginning, although something
    /// in sight may be called so; `None` where that cannot be told.
    fn is_own(&self, _: &Resolver, _: &Arc<File>, _first: &str, _seen: bool, _name: &str) -> Option<bool> {
        None
    }

    /// What a name means that stands in an import.
    fn import_use(&self, resolver: &Resolver, file: &Arc<File>, occurrence: &Occurrence, name: &str) -> Resolution {
        let named = resolver.named_import(file, occurrence, name);
        named.or_else(|| resolver.whole_import(file, occurrence, name)).unwrap_or(Resolution::Unresolved(Reason::Path))
    }

    /// A name that a file offers.
    fn of_file(&self, resolver: &Resolver, file: &Arc<File>, name: &str, space: Space) -> Vec<Entity> {
        self.of_scope(resolver, file, ScopeId(0), name, space)
    }

    /// A name that a module inside a file offers.
    fn of_scope(&self, resolver: &Resolver, file: &Arc<File>, scope: ScopeId, name: &str, space: Space) -> Vec<Entity> {
        resolver.scope_members(file, scope, name, space)
    }

    /// A name that a folder offers.
    fn of_folder(&self, _: &Resolver, _folder: &str, _name: &str, _: Space) -> Vec<Entity> {
        Vec::new()
    }

    /// What is in sight beyond a file.
    fn beyond(&self, _: &Resolver, _: &Arc<File>, _name: &str, _offset: u32, _: Space) -> Vec<Entity> {
        Vec::new()
    }

    /// The module that a word of the language means at an offset, where it has such words.
    fn root(&self, _: &Resolver, _: &Arc<File>, _word: &str, _offset: u32) -> Option<Entity> {
        None
    }

    /// Whether a name leads on to another behind it, so that it is a module or a type and nothing else.
    fn leads_on(&self, _: &File, _: &Occurrence) -> bool {
        false
    }

    /// What the path of a type means.
    fn type_path(&self, resolver: &Resolver, file: &Arc<File>, path: &[&str], offset: u32) -> Vec<Entity> {
        type_in_sight(resolver, file, path, offset)
    }

    /// What a name means behind a path of which nothing in sight is the beginning, or of which that has no such name.
    fn in_space(
        &self,
        _: &Resolver,
        _: &Arc<File>,
        _path: &[&str],
        _name: &str,
        _offset: u32,
        _: Space,
    ) -> Vec<Entity> {
        Vec::new()
    }

    /// What a name means behind a path that begins with a package, wherever it is written.
    fn absolute(&self, _: &Resolver, _: &Arc<File>, _path: &[&str], _name: &str) -> Vec<Entity> {
        Vec::new()
    }

    /// The value whose method an offset is in.
    fn self_value(&self, resolver: &Resolver, file: &Arc<File>, offset: u32) -> Ty {
        resolver.self_value(file, offset)
    }

    /// What `super` means at an offset.
    fn super_value(&self, resolver: &Resolver, file: &Arc<File>, offset: u32) -> Ty {
        resolver.super_value(file, offset)
    }
}

/// The first list that has something; what is missing in one may be in the next.
fn first_found(lists: [&dyn Fn() -> Vec<Entity>; 3]) -> Vec<Entity> {
    let mut missing = Vec::new();
    for list in lists {
        let found = list();
        if is_known(&found) {
            return found;
        }
        missing.extend(found);
    }
    missing.truncate(1);
    missing
}

/// The rules that the language of a file follows.
pub(super) fn rules(file: &File) -> &'static dyn ModuleRules {
    of_system(file.lang.naming.system)
}

fn of_system(system: System) -> &'static dyn ModuleRules {
    match system {
        System::Broad => &broad::Broad,
        System::Ecma => &ecma::Ecma,
        System::Go => &go::Go,
        System::Python => &python::Python,
        System::Rust => &rust::Rust,
    }
}

/// Imports that are being followed. Where modules import from each other in a circle, an import that comes to nothing because of
/// another that is not known yet may lead somewhere all the same: it is asked again by whoever comes from outside the circle.
#[derive(Default)]
pub(super) struct Circle {
    /// Whether something was cut off since the innermost import was entered.
    met: bool,
    /// How many imports are being followed.
    depth: u32,
    /// Those, and what came to nothing on the way.
    unsettled: HashSet<ImportId>,
}

type ImportId = (VersionId, u32);

impl Circle {
    /// Begins to follow an import; what was met before it.
    fn enter(&mut self, import: ImportId) -> bool {
        self.depth += 1;
        self.unsettled.insert(import);
        std::mem::take(&mut self.met)
    }

    /// Ends it. Gives what has to be forgotten once the outermost has ended.
    fn leave(&mut self, import: ImportId, outer: bool, found: bool) -> Vec<ImportId> {
        self.depth -= 1;
        if found || !self.met {
            self.unsettled.remove(&import);
        }
        self.met |= outer;
        if self.depth > 0 {
            return Vec::new();
        }
        self.met = false;
        self.unsettled.drain().collect()
    }
}

/// Whether a search came to something, and not to what should be there and is not.
fn is_known(found: &[Entity]) -> bool {
    found.iter().any(|entity| *entity != Entity::Missing)
}

/// What the path of a type means that begins with a name in sight.
fn type_in_sight(resolver: &Resolver, file: &Arc<File>, path: &[&str], offset: u32) -> Vec<Entity> {
    let Some((first, rest)) = path.split_first() else { return Vec::new() };
    let space = if rest.is_empty() { Space::Type } else { Space::Any };
    let mut at = resolver.lookup(file, first, offset, space);
    let begun = !at.is_empty();
    for name in rest {
        at = at.iter().flat_map(|entity| resolver.inside(entity, name, Space::Type)).collect();
    }
    if begun && at.is_empty() { vec![Entity::Missing] } else { at }
}

impl Resolver<'_> {
    /// What an import leads to.
    pub(super) fn import(&self, file: &Arc<File>, at: u32) -> Rc<[Entity]> {
        let key = (file.id(), at);
        if let Some(found) = self.imports.borrow().get(&key) {
            if self.circle.borrow().unsettled.contains(&key) {
                self.circle.borrow_mut().met = true;
            }
            return Rc::clone(found);
        }
        // An import that leads to itself leads nowhere.
        self.imports.borrow_mut().insert(key, Rc::new([]));
        let outer = self.circle.borrow_mut().enter(key);
        let mut found = self.deeper(|| rules(file).import(self, file, at));
        let forgotten = self.circle.borrow_mut().leave(key, outer, is_known(&found));
        // It gives its name to something, and hides what else is called so.
        if found.is_empty() {
            found.push(Entity::Missing);
        }
        let found: Rc<[Entity]> = found.into();
        self.imports.borrow_mut().insert(key, Rc::clone(&found));
        for key in forgotten {
            self.imports.borrow_mut().remove(&key);
        }
        found
    }

    /// A name through an import of everything.
    pub(super) fn through_glob(&self, file: &Arc<File>, at: u32, name: &str, space: Space) -> Vec<Entity> {
        let modules = self.import(file, at);
        let mut found = Vec::new();
        for module in modules.iter() {
            found.extend(self.inside(module, name, space));
            if found.is_empty() && file.lang.naming.injects && file.import(at).reexport {
                found.extend(self.injected_by(module, name));
            }
        }
        found.retain(|entity| !matches!(entity, Entity::Foreign | Entity::Missing));
        found
    }

    /// Whether a file imports everything of a module that the ref should have and does not.
    pub(super) fn lacks_a_glob(&self, file: &Arc<File>) -> bool {
        !file.lang.naming.exports_apart && file.globs().any(|(at, _)| self.import(file, at).contains(&Entity::Missing))
    }

    /// A name of a module, or of a type in the place of one.
    pub(super) fn inside(&self, entity: &Entity, name: &str, space: Space) -> Vec<Entity> {
        match entity {
            Entity::Module(module) => self.offered(module, name, space),
            Entity::Symbol(def) => self.inside_symbol(*def, name, space),
            Entity::Local(..) => Vec::new(),
            Entity::Foreign | Entity::Missing => vec![entity.clone()],
        }
    }

    /// A name that a module offers. Modules may import from each other in a circle; that the module `job` is looked for on the
    /// way to the function `job` of `use self::job::job` is none.
    pub(super) fn offered(&self, module: &Module, name: &str, space: Space) -> Vec<Entity> {
        let key = (module.clone(), name.to_owned(), space);
        if !self.looking.borrow_mut().insert(key.clone()) {
            self.circle.borrow_mut().met = true;
            return Vec::new();
        }
        let found = self.deeper(|| match module {
            Module::Folder(folder, system) => of_system(*system).of_folder(self, folder, name, space),
            Module::Inline(def) => self.inline_module(*def, name, space),
            Module::Space(_) => Vec::new(),
            Module::File(version) => match self.file(*version) {
                Some(file) => rules(&file).of_file(self, &file, name, space),
                None => Vec::new(),
            },
        });
        self.looking.borrow_mut().remove(&key);
        found
    }

    fn inline_module(&self, def: Def, name: &str, space: Space) -> Vec<Entity> {
        let Some(file) = self.file(def.version) else { return Vec::new() };
        match file.scope_of(def.symbol, ScopeKind::Module) {
            Some(scope) => match rules(&file).of_scope(self, &file, scope, name, space) {
                none if none.is_empty() && file.lang.naming.injects => self.injected(&file, scope, name),
                found => found,
            },
            None => self.children(&file, def, name),
        }
    }

    /// What the modules that a module uses define in it.
    fn injected(&self, file: &Arc<File>, scope: ScopeId, name: &str) -> Vec<Entity> {
        let used = file.globs().filter(|(_, import)| import.scope == scope && import.reexport);
        let modules = used.flat_map(|(at, _)| self.import(file, at).to_vec());
        modules.flat_map(|module| self.injected_by(&module, name)).collect()
    }

    /// The functions inside of a module's functions: what its macros define in the modules that use it.
    pub(super) fn injected_by(&self, module: &Entity, name: &str) -> Vec<Entity> {
        let (Entity::Symbol(module) | Entity::Module(Module::Inline(module))) = module else { return Vec::new() };
        let Some(file) = self.file(module.version) else { return Vec::new() };
        let is_of_function = |symbol: &cruxe_model::facts::Symbol| {
            let outer = symbol.parent.map(|at| file.symbol(at)).filter(|outer| outer.kind.is_callable());
            symbol.name == name
                && symbol.kind.is_callable()
                && outer.and_then(|outer| outer.parent) == Some(module.symbol)
        };
        let all = file.facts.symbols.iter().enumerate().filter(|(_, symbol)| is_of_function(symbol));
        let def = |at: usize| Def { version: module.version, symbol: SymbolIndex(at as u32) };
        all.map(|(at, _)| Entity::Symbol(def(at))).collect()
    }

    fn children(&self, file: &File, def: Def, name: &str) -> Vec<Entity> {
        let version = def.version;
        file.children(def.symbol, name).map(|symbol| Entity::Symbol(Def { version, symbol })).collect()
    }

    /// Definitions and imports of a scope, seen from outside: a name there, whatever its position.
    fn scope_members(&self, file: &Arc<File>, scope: ScopeId, name: &str, space: Space) -> Vec<Entity> {
        let mut found = self.in_scope(file, scope, name, u32::MAX, space, None);
        found.retain(|entity| !matches!(entity, Entity::Local(..)));
        found
    }
}
