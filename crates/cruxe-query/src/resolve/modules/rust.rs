//! Rust: the tree of modules that `mod` spans over files, paths, and crates of the workspace.

use std::sync::Arc;

use cruxe_extract::naming::System;
use cruxe_model::SymbolKind;
use cruxe_model::facts::{Expr, ExprId, Occurrence, Relation, ScopeId, SymbolIndex};

use super::super::file::File;
use super::super::occurrence::Resolution;
use super::super::types::Ty;
use super::super::{Def, Entity, Resolver, Space, Want};
use super::{Module, ModuleRules, first_found};

/// Types that paths begin with and nothing brings into sight.
const PRIMITIVES: &[&str] = &[
    "bool", "char", "str", "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize",
    "f32", "f64",
];

/// By the tree that `mod` spans, and by crates.
pub(super) struct Rust;

impl ModuleRules for Rust {
    fn import(&self, resolver: &Resolver, file: &Arc<File>, at: u32) -> Vec<Entity> {
        resolver.rust_import(file, at)
    }

    fn import_use(&self, resolver: &Resolver, file: &Arc<File>, occurrence: &Occurrence, name: &str) -> Resolution {
        let mut path = occurrence.receiver.map(|id| path_of(file, id)).unwrap_or_default();
        path.push(name);
        let space = if self.leads_on(file, occurrence) { Space::Type } else { Space::Any };
        resolver.settled(resolver.rust_use(file, &path, occurrence.start, space), file.lang)
    }

    fn leads_on(&self, file: &File, occurrence: &Occurrence) -> bool {
        let after = file.facts.occurrences.partition_point(|other| other.start <= occurrence.start);
        let Some(next) = file.facts.occurrences.get(after) else { return false };
        let end = occurrence.start + file.facts.name(occurrence.name).len() as u32;
        let receiver = next.receiver.and_then(|receiver| file.facts.exprs.get(receiver.0 as usize));
        let is_base = matches!(receiver, Some(Expr::Name(name) | Expr::Member(_, name)) if *name == occurrence.name);
        // `a::b` and `a::{b`, not `a.b`.
        is_base && (end + 2..=end + 3).contains(&next.start)
    }

    fn is_own(&self, resolver: &Resolver, file: &Arc<File>, first: &str, seen: bool, _: &str) -> Option<bool> {
        if seen { None } else { resolver.is_own_crate(file, first) }
    }

    fn of_scope(&self, resolver: &Resolver, file: &Arc<File>, scope: ScopeId, name: &str, space: Space) -> Vec<Entity> {
        resolver.rust_module(file, scope, name, space)
    }

    fn beyond(&self, resolver: &Resolver, file: &Arc<File>, name: &str, _: u32, space: Space) -> Vec<Entity> {
        resolver.rust_beyond(file, name, space)
    }

    fn root(&self, resolver: &Resolver, file: &Arc<File>, word: &str, offset: u32) -> Option<Entity> {
        resolver.rust_root(file, word, offset)
    }

    fn type_path(&self, resolver: &Resolver, file: &Arc<File>, path: &[&str], offset: u32) -> Vec<Entity> {
        if let [first, rest @ ..] = path
            && !rest.is_empty()
            && file.is_own_type(first)
        {
            let Some(owner) = resolver.own_type(file, offset) else { return Vec::new() };
            let mut at = vec![Entity::Symbol(owner)];
            for name in rest {
                at = at.iter().flat_map(|entity| resolver.inside(entity, name, Space::Type)).collect();
            }
            return at;
        }
        resolver.rust_path(file, path, offset, Space::Type)
    }

    fn self_value(&self, resolver: &Resolver, file: &Arc<File>, offset: u32) -> Ty {
        resolver.rust_self(file, offset)
    }

    fn super_value(&self, resolver: &Resolver, file: &Arc<File>, offset: u32) -> Ty {
        match resolver.rust_root(file, "super", offset) {
            Some(Entity::Module(module)) => Ty::Module(module),
            _ => Ty::Unknown,
        }
    }
}

impl Resolver<'_> {
    fn rust_import(&self, file: &Arc<File>, at: u32) -> Vec<Entity> {
        let import = file.import(at);
        let module = file.facts.name(import.module);
        let name = import.name.map(|name| file.facts.name(name));
        let path: Vec<&str> = module.split("::").filter(|part| !part.is_empty()).chain(name).collect();
        let space = if import.glob { Space::Type } else { Space::Any };
        self.rust_use(file, &path, import.start, space)
    }

    /// What a path means in a `use`, where a name that is not in sight is that of a crate.
    fn rust_use(&self, file: &Arc<File>, path: &[&str], offset: u32, space: Space) -> Vec<Entity> {
        let found = self.rust_path(file, path, offset, space);
        match path {
            [only] if found.is_empty() => self.rust_crate(file, only).into_iter().collect(),
            _ => found,
        }
    }

    /// What a path means. Its first name is looked up where it stands, the others in what comes before them.
    fn rust_path(&self, file: &Arc<File>, path: &[&str], offset: u32, space: Space) -> Vec<Entity> {
        let Some((first, rest)) = path.split_first() else { return Vec::new() };
        let last = rest.is_empty();
        let mut at = match self.rust_root(file, first, offset) {
            Some(root) => vec![root],
            None => self.lookup(file, first, offset, if last { space } else { Space::Type }),
        };
        if at.is_empty() && !last {
            at.extend(self.rust_crate(file, first));
        }
        let begun = !at.is_empty();
        for (step, name) in rest.iter().enumerate() {
            if *name == "super" {
                at = at.iter().filter_map(|entity| self.rust_parent(entity)).collect();
                continue;
            }
            let space = if step + 1 == rest.len() { space } else { Space::Type };
            at = at.iter().flat_map(|entity| self.inside(entity, name, space)).collect();
        }
        if begun && at.is_empty() { vec![Entity::Missing] } else { at }
    }

    /// The first name of a path where nothing in sight is called so: a crate that is not here, or a module that should be.
    fn rust_crate(&self, file: &File, name: &str) -> Option<Entity> {
        match self.is_own_crate(file, name) {
            Some(true) => Some(Entity::Missing),
            Some(false) => Some(Entity::Foreign),
            None => (!self.has_free(name, file.lang)).then_some(Entity::Foreign),
        }
    }

    /// Whether the first name of a path is a module of the ref although nothing in sight is called so. It is not where the
    /// nearest manifest depends on such a crate; a type may come with the prelude, so of those nothing is said.
    fn is_own_crate(&self, file: &File, name: &str) -> Option<bool> {
        if matches!(name, "std" | "core" | "alloc" | "proc_macro" | "test") {
            return Some(false);
        }
        let mut folder = file.row.path.parent();
        let needed = loop {
            match self.tree.needed_crates.get(folder) {
                Some(needed) => break needed,
                None if folder.is_empty() => return None,
                None => folder = folder.rsplit_once('/').map_or("", |(outer, _)| outer),
            }
        };
        if needed.iter().any(|needed| needed == name) {
            return Some(false);
        }
        let is_module = name.starts_with(|c: char| c.is_lowercase() || c == '_') && !PRIMITIVES.contains(&name);
        is_module.then_some(true)
    }

    /// `self` of Rust: the type of the `impl` with its arguments, or the trait.
    fn rust_self(&self, file: &Arc<File>, offset: u32) -> Ty {
        for at in file.nesting.symbols_around(&file.facts, offset) {
            match file.symbol(at).kind {
                SymbolKind::Impl => {
                    let mut heritage = file.facts.heritage.iter();
                    let own = heritage.find(|own| own.symbol == at && own.relation == Relation::SelfType);
                    return own.map_or(Ty::Unknown, |own| self.type_of(file, own.ty, file.symbol(at).name_span.start));
                }
                SymbolKind::Trait => return Ty::value(Def { version: file.id(), symbol: at }),
                _ => {}
            }
        }
        Ty::Unknown
    }

    /// `crate`, `self` and `super` at an offset.
    fn rust_root(&self, file: &Arc<File>, word: &str, offset: u32) -> Option<Entity> {
        let here = || {
            let around = file.nesting.symbols_around(&file.facts, offset);
            let module = around.into_iter().find(|at| file.symbol(*at).kind == SymbolKind::Module);
            module.map_or(Module::File(file.id()), |symbol| Module::Inline(Def { version: file.id(), symbol }))
        };
        match word {
            "self" => Some(Entity::Module(here())),
            "super" => self.rust_parent(&Entity::Module(here())),
            "crate" | "$crate" => Some(Entity::Module(Module::File(self.crate_root(file).id()))),
            _ => None,
        }
    }

    fn crate_root(&self, file: &Arc<File>) -> Arc<File> {
        let mut root = Arc::clone(file);
        for _ in 0..64 {
            match self.declaring(&root).and_then(|def| self.file(def.version)) {
                Some(outer) => root = outer,
                None => break,
            }
        }
        root
    }

    /// The module around a module.
    fn rust_parent(&self, entity: &Entity) -> Option<Entity> {
        let def = match entity {
            Entity::Module(Module::File(version)) => self.declaring(&self.file(*version)?)?,
            Entity::Module(Module::Inline(def)) | Entity::Symbol(def) => *def,
            _ => return None,
        };
        let file = self.file(def.version)?;
        let mut parent = file.symbol(def.symbol).parent;
        while let Some(at) = parent.filter(|at| file.symbol(*at).kind != SymbolKind::Module) {
            parent = file.symbol(at).parent;
        }
        Some(Entity::Module(match parent {
            Some(symbol) => Module::Inline(Def { version: def.version, symbol }),
            None => Module::File(def.version),
        }))
    }

    /// The `mod name;` that a file is the body of.
    fn declaring(&self, file: &Arc<File>) -> Option<Def> {
        let path = file.row.path.as_str();
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let stem = name.strip_suffix(".rs")?;
        let (folder, stem) = match stem {
            "mod" => folder.rsplit_once('/').unwrap_or(("", folder)),
            stem => (folder, stem),
        };
        let at = |name: &str| if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
        let around = [at("mod.rs"), at("lib.rs"), at("main.rs"), format!("{folder}.rs")];
        for path in around.iter().filter(|other| other.as_str() != path) {
            let Some(outer) = self.tree.path(path).and_then(|version| self.file(version)) else { continue };
            if let Some(symbol) = declared_module(&outer, stem) {
                return Some(Def { version: outer.id(), symbol });
            }
        }
        // The root of a test, example or binary crate declares modules beside itself under any file name.
        let mut siblings = self.tree.folder(folder).iter().filter_map(|version| self.file(*version));
        siblings.find_map(|outer| {
            let other = outer.path() != path && outer.lang.naming.system == System::Rust;
            let symbol = declared_module(&outer, stem).filter(|_| other)?;
            Some(Def { version: outer.id(), symbol })
        })
    }

    /// The file that `mod name;` is in.
    fn module_file(&self, def: Def) -> Option<Arc<File>> {
        let file = self.file(def.version)?;
        let symbol = file.symbol(def.symbol);
        let mut names = vec![symbol.name.as_str()];
        let mut parent = symbol.parent;
        while let Some(at) = parent {
            names.push(file.symbol(at).name.as_str());
            parent = file.symbol(at).parent;
        }
        names.reverse();
        let inner = names.join("/");
        let path = file.row.path.as_str();
        let folder = file.row.path.parent();
        let own = path.strip_suffix(".rs").unwrap_or(path);
        for folder in [own, folder] {
            let start = if folder.is_empty() { inner.clone() } else { format!("{folder}/{inner}") };
            for end in [".rs", "/mod.rs"] {
                if let Some(version) = self.tree.path(&format!("{start}{end}")).filter(|id| *id != file.id()) {
                    return self.file(version);
                }
            }
        }
        None
    }

    /// A name of a module: its items, what it imports, what it imports all of.
    fn rust_module(&self, file: &Arc<File>, scope: ScopeId, name: &str, space: Space) -> Vec<Entity> {
        first_found([
            &|| self.scope_members(file, scope, name, space),
            &|| self.through_globs(file, scope, name, space),
            &Vec::new,
        ])
    }

    /// A name of a module, enum, trait or type in a path.
    pub(super) fn inside_symbol(&self, def: Def, name: &str, space: Space) -> Vec<Entity> {
        match self.with(def, |_, symbol| (symbol.kind, symbol.flags.declaration)) {
            Some((SymbolKind::Module, true)) => match self.module_file(def) {
                Some(file) => self.offered(&Module::File(file.id()), name, space),
                None => Vec::new(),
            },
            Some((SymbolKind::Module, false)) => self.offered(&Module::Inline(def), name, space),
            Some(_) => self.static_members(def, name, Want::Any).into_iter().map(Entity::Symbol).collect(),
            None => Vec::new(),
        }
    }

    /// Crates of the workspace; everything else that nothing in sight has is the standard library's or a dependency's.
    fn rust_beyond(&self, file: &Arc<File>, name: &str, space: Space) -> Vec<Entity> {
        if let Some(version) = self.tree.crates.get(name) {
            return vec![Entity::Module(Module::File(*version))];
        }
        if space == Space::Type {
            return Vec::new();
        }
        // Macros are in sight by the order of text and, when exported, everywhere in the crate.
        let macros = self.hits(name);
        let macros = macros.iter().filter(|hit| hit.kind == SymbolKind::Macro);
        let defs = macros.map(|hit| Def { version: hit.version, symbol: SymbolIndex(hit.position) });
        let (near, far): (Vec<Def>, Vec<Def>) =
            defs.partition(|def| self.file(def.version).is_some_and(|other| same_package(&other, file)));
        let found = if near.is_empty() { far } else { near };
        found.into_iter().map(Entity::Symbol).collect()
    }
}

fn same_package(one: &File, other: &File) -> bool {
    let package = |file: &File| {
        let path = file.path();
        path.find("/src/").map_or_else(|| path.split('/').next().unwrap_or_default().to_owned(), |at| path[..at].into())
    };
    package(one) == package(other)
}

fn declared_module(file: &File, name: &str) -> Option<SymbolIndex> {
    let at = file
        .facts
        .symbols
        .iter()
        .position(|symbol| symbol.kind == SymbolKind::Module && symbol.flags.declaration && symbol.name == name)?;
    Some(SymbolIndex(at as u32))
}

/// The names of a path that an expression is.
fn path_of(file: &File, id: ExprId) -> Vec<&str> {
    let mut names = Vec::new();
    let mut at = Some(id);
    while let Some(id) = at {
        at = match file.facts.exprs.get(id.0 as usize) {
            Some(Expr::Member(base, name)) => {
                names.push(file.facts.name(*name));
                Some(*base)
            }
            Some(Expr::Name(name)) => {
                names.push(file.facts.name(*name));
                None
            }
            Some(Expr::Super) => {
                names.push("super");
                None
            }
            Some(Expr::SelfValue) => {
                names.push("self");
                None
            }
            _ => None,
        };
    }
    names.reverse();
    names
}
