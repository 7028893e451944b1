//! Modules: what an import means, what a module offers, and what is in sight beyond a file. A file per language.

mod broad;
mod ecma;
mod go;
mod python;
mod rust;

use std::rc::Rc;
use std::sync::Arc;

use cruxe_model::VersionId;

use super::file::{File, Lang};
use super::{Def, Entity, Resolver, Space};

/// A module or package.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Module {
    /// A file.
    File(VersionId),
    /// A module inside a file.
    Inline(Def),
    /// A folder: a Go package, a Python package without `__init__`.
    Folder(Rc<str>, Lang),
}

impl Resolver<'_> {
    /// What an import leads to; empty when it leads nowhere that can be told.
    pub(super) fn import(&self, file: &Arc<File>, at: u32) -> Rc<[Entity]> {
        let key = (file.id(), at);
        if let Some(found) = self.imports.borrow().get(&key) {
            return Rc::clone(found);
        }
        // An import that leads to itself leads nowhere.
        self.imports.borrow_mut().insert(key, Rc::new([]));
        let found: Rc<[Entity]> = self.deeper(|| self.read_import(file, at)).into();
        self.imports.borrow_mut().insert(key, Rc::clone(&found));
        found
    }

    fn read_import(&self, file: &Arc<File>, at: u32) -> Vec<Entity> {
        match file.lang {
            Lang::Rust => self.rust_import(file, at),
            Lang::Python => self.python_import(file, at),
            Lang::Ecma => self.ecma_import(file, at),
            Lang::Go => self.go_import(file, at),
            Lang::Broad => self.broad_import(file, at),
        }
    }

    /// A name through an import of everything.
    pub(super) fn through_glob(&self, file: &Arc<File>, at: u32, name: &str, space: Space) -> Vec<Entity> {
        let modules = self.import(file, at);
        let mut found = Vec::new();
        for module in modules.iter() {
            found.extend(self.inside(module, name, space));
        }
        found.retain(|entity| *entity != Entity::Foreign);
        found
    }

    /// A name of a module, or of a type in the place of one.
    pub(super) fn inside(&self, entity: &Entity, name: &str, space: Space) -> Vec<Entity> {
        match entity {
            Entity::Module(module) => self.offered(module, name, space),
            Entity::Symbol(def) => self.inside_symbol(*def, name, space),
            Entity::Local(..) => Vec::new(),
            Entity::Foreign => vec![Entity::Foreign],
        }
    }

    /// A name that a module offers. Modules may import from each other in a circle.
    pub(super) fn offered(&self, module: &Module, name: &str, space: Space) -> Vec<Entity> {
        let key = (module.clone(), name.to_owned());
        if !self.looking.borrow_mut().insert(key.clone()) {
            return Vec::new();
        }
        let found = self.deeper(|| match module {
            Module::Folder(folder, Lang::Go) => self.go_package(folder, name, space),
            Module::Folder(folder, _) => self.python_folder(folder, name),
            Module::Inline(def) => self.inline_module(*def, name, space),
            Module::File(version) => match self.file(*version) {
                None => Vec::new(),
                Some(file) => match file.lang {
                    Lang::Rust => self.rust_module(&file, cruxe_model::facts::ScopeId(0), name, space),
                    Lang::Python => self.python_module(&file, name, space),
                    Lang::Ecma => self.ecma_module(&file, name, space),
                    Lang::Go | Lang::Broad => self.scope_members(&file, cruxe_model::facts::ScopeId(0), name, space),
                },
            },
        });
        self.looking.borrow_mut().remove(&key);
        found
    }

    fn inline_module(&self, def: Def, name: &str, space: Space) -> Vec<Entity> {
        let Some(file) = self.file(def.version) else { return Vec::new() };
        let scope = file.scope_of(def.symbol, cruxe_model::facts::ScopeKind::Module);
        match (scope, file.lang) {
            (Some(scope), Lang::Rust) => self.rust_module(&file, scope, name, space),
            (Some(scope), _) => self.scope_members(&file, scope, name, space),
            (None, _) => self.children(&file, def, name),
        }
    }

    fn children(&self, file: &File, def: Def, name: &str) -> Vec<Entity> {
        let version = def.version;
        file.children(def.symbol, name).map(|symbol| Entity::Symbol(Def { version, symbol })).collect()
    }

    /// Definitions and imports of a scope, seen from outside: a name there, whatever its position.
    fn scope_members(
        &self,
        file: &Arc<File>,
        scope: cruxe_model::facts::ScopeId,
        name: &str,
        space: Space,
    ) -> Vec<Entity> {
        let mut found = self.in_scope(file, scope, name, u32::MAX, space, None);
        found.retain(|entity| !matches!(entity, Entity::Local(..)));
        found
    }

    /// What a language looks at beyond the file.
    pub(super) fn beyond(&self, file: &Arc<File>, name: &str, offset: u32, space: Space) -> Vec<Entity> {
        match file.lang {
            Lang::Rust => self.rust_beyond(file, name, space),
            Lang::Go => self.go_package(file.row.path.parent(), name, space),
            Lang::Broad => self.broad_beyond(file, name, offset, space),
            Lang::Python | Lang::Ecma => Vec::new(),
        }
    }
}
