//! Python: absolute and relative imports, packages, what `__init__` hands on.

use std::rc::Rc;
use std::sync::Arc;

use cruxe_extract::naming::System;
use cruxe_extract::registry::named;
use cruxe_model::facts::{BindingKind, ScopeId};

use super::super::file::{Decl, File};
use super::super::types::Ty;
use super::super::{Entity, Resolver, Space};
use super::{Module, ModuleRules, first_found};

/// By packages.
pub(super) struct Python;

impl ModuleRules for Python {
    fn import(&self, resolver: &Resolver, file: &Arc<File>, at: u32) -> Vec<Entity> {
        resolver.python_import(file, at)
    }

    fn of_file(&self, resolver: &Resolver, file: &Arc<File>, name: &str, space: Space) -> Vec<Entity> {
        resolver.python_module(file, name, space)
    }

    fn of_folder(&self, resolver: &Resolver, folder: &str, name: &str, _: Space) -> Vec<Entity> {
        resolver.python_folder(folder, name)
    }

    /// A method may say what it is called on: `self: Linter` in a class that is only ever mixed into one.
    fn self_value(&self, resolver: &Resolver, file: &Arc<File>, offset: u32) -> Ty {
        match resolver.declared_self(file, offset) {
            Some(said @ Ty::Value(..)) => said,
            _ => resolver.self_value(file, offset),
        }
    }

    fn absolute(&self, resolver: &Resolver, file: &Arc<File>, path: &[&str], name: &str) -> Vec<Entity> {
        let modules = (1..=path.len()).rev();
        let found =
            modules.filter_map(|end| Some((end, resolver.python_absolute(file, &path[..end].join("."))?))).next();
        let package = |module: &Module| match module {
            Module::File(version) => resolver.file(*version).is_some_and(|file| file.row.path.stem() == "__init__"),
            _ => false,
        };
        let Some((end, module)) = found.filter(|(end, module)| *end > 1 || package(module)) else { return Vec::new() };
        let mut at = vec![Entity::Module(module)];
        for part in path[end..].iter().chain([&name]) {
            at = at.iter().flat_map(|entity| resolver.inside(entity, part, Space::Any)).collect();
        }
        at
    }
}

impl Resolver<'_> {
    /// The type that the innermost method around an offset declares for what it is called on.
    fn declared_self(&self, file: &Arc<File>, offset: u32) -> Option<Ty> {
        let mut scope = Some(file.scope_at(offset));
        while let Some(at) = scope {
            let own = file.declared(at, "self").find_map(|decl| match decl {
                Decl::Binding(at) if file.binding(at).kind == BindingKind::Param => Some(file.binding(at)),
                _ => None,
            });
            if let Some(own) = own {
                return own.ty.map(|ty| self.type_of(file, ty, own.start));
            }
            scope = file.nesting.scope_parent(at);
        }
        None
    }

    fn python_import(&self, file: &Arc<File>, at: u32) -> Vec<Entity> {
        let import = file.import(at);
        let module = file.import_module(at);
        let (Some(name), false) = (import.name, import.glob) else {
            // `import a.b` binds `a`, `import a.b as c` the whole, `from a.b import *` opens the whole.
            let whole = import.glob || import.alias.is_some();
            let path = if whole { module } else { module.split('.').next().unwrap_or_default() };
            return match self.python_path(file, path) {
                Some(module) => vec![Entity::Module(module)],
                None => self.no_python(file, path),
            };
        };
        match self.python_path(file, module) {
            None => self.no_python(file, module),
            // A package that imports from itself means a module of its own: its name is the one that is being imported.
            Some(Module::File(version)) if version == file.id() && file.row.path.stem() == "__init__" => {
                let found = self.python_folder(file.row.path.parent(), file.facts.name(name));
                if found.is_empty() {
                    self.offered(&Module::File(version), file.facts.name(name), Space::Any)
                } else {
                    found
                }
            }
            Some(module) => self.offered(&module, file.facts.name(name), Space::Any),
        }
    }

    /// What a path is that leads to no module: one that our own package does not have (any more) is not somebody else's.
    fn no_python(&self, file: &Arc<File>, path: &str) -> Vec<Entity> {
        let first = path.split('.').next().unwrap_or_default();
        let own = first.is_empty() || self.python_absolute(file, first).is_some();
        vec![if own { Entity::Missing } else { Entity::Foreign }]
    }

    /// The module of an absolute or relative path.
    fn python_path(&self, file: &Arc<File>, path: &str) -> Option<Module> {
        let dots = path.len() - path.trim_start_matches('.').len();
        let rest = &path[dots..];
        if dots == 0 {
            return self.python_absolute(file, rest);
        }
        let mut folder = file.row.path.parent();
        for _ in 1..dots {
            folder = folder.rsplit_once('/').map_or("", |(outer, _)| outer);
        }
        let path = [folder, &rest.replace('.', "/")].join("/");
        self.python_at(path.trim_matches('/'))
    }

    fn python_absolute(&self, file: &Arc<File>, path: &str) -> Option<Module> {
        match self.tree.python(path) {
            [] => {}
            [only] => return Some(Module::File(*only)),
            several => {
                // Two packages of one name: the one that shares more of the path with the importing file.
                let near = several.iter().max_by_key(|version| {
                    let other = self.file(**version);
                    let shared = |other: &Arc<File>| {
                        other.path().bytes().zip(file.path().bytes()).take_while(|(a, b)| a == b).count()
                    };
                    (other.as_ref().map_or(0, shared), std::cmp::Reverse(**version))
                });
                return near.map(|version| Module::File(*version));
            }
        }
        // A script imports what lies beside it; so do tests with their folder on the path.
        let relative = path.replace('.', "/");
        let mut folder = file.row.path.parent();
        loop {
            let beside = if folder.is_empty() { relative.clone() } else { format!("{folder}/{relative}") };
            if let Some(module) = self.python_at(&beside) {
                return Some(module);
            }
            if folder.is_empty() {
                break;
            }
            folder = folder.rsplit_once('/').map_or("", |(outer, _)| outer);
        }
        self.python_at(&format!("src/{relative}"))
    }

    /// The module at a path without its ending.
    fn python_at(&self, path: &str) -> Option<Module> {
        let ends = [".py", "/__init__.py", ".pyi", "/__init__.pyi"];
        let found = ends.iter().find_map(|end| self.tree.path(format!("{path}{end}").trim_start_matches('/')));
        found.map(Module::File).or_else(|| {
            let python = |folder: &str| !folder.is_empty() && self.tree.has_folder(folder) && self.holds_python(folder);
            python(path).then(|| Module::Folder(Rc::from(path), System::Python))
        })
    }

    fn holds_python(&self, folder: &str) -> bool {
        let is_python = |language: &str| named(language).naming.system == System::Python;
        let holds = |version: &u32| self.snapshot.file(*version).is_ok_and(|row| is_python(&row.language));
        self.tree.folder(folder).iter().any(holds)
    }

    /// A name of a module: what it defines, imports, imports all of; for a package, its modules too.
    fn python_module(&self, file: &Arc<File>, name: &str, space: Space) -> Vec<Entity> {
        first_found([
            &|| self.scope_members(file, ScopeId(0), name, space),
            &|| self.through_globs(file, ScopeId(0), name, space),
            &|| match file.row.path.stem() {
                "__init__" => self.python_folder(file.row.path.parent(), name),
                _ => Vec::new(),
            },
        ])
    }

    fn python_folder(&self, folder: &str, name: &str) -> Vec<Entity> {
        let module = self.python_at(&format!("{folder}/{name}"));
        module.map(Entity::Module).into_iter().collect()
    }
}
