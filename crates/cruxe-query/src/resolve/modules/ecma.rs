//! TypeScript and JavaScript: relative paths, `tsconfig` paths, packages of a workspace, barrels.

use std::sync::Arc;

use cruxe_extract::naming::System;
use cruxe_extract::registry::named;
use cruxe_model::facts::{Occurrence, ScopeId, ScopeKind, Symbol, SymbolIndex};
use cruxe_model::{SymbolKind, VersionId};

use super::super::file::{Decl, File};
use super::super::occurrence::Resolution;
use super::super::tree::{NpmPackage, join};
use super::super::types::Ty;
use super::super::{Def, Entity, Resolver, Space};
use super::{Module, ModuleRules, first_found, type_in_sight};

/// What may be left out at the end of a path, in the order in which it is tried.
const ENDS: &[&str] = &[
    "",
    ".ts",
    ".tsx",
    ".d.ts",
    ".mts",
    ".cts",
    ".js",
    ".jsx",
    ".mjs",
    ".cjs",
    ".vue",
    ".svelte",
    ".astro",
    "/index.ts",
    "/index.tsx",
    "/index.mts",
    "/index.js",
    "/index.jsx",
    "/index.mjs",
    "/index.d.ts",
    "/index.vue",
    "/index.svelte",
];

/// Endings of what a compiler makes, with those of what it reads.
const COMPILED: &[(&str, &[&str])] = &[
    (".js", &[".ts", ".tsx", ".jsx", ".d.ts"]),
    (".mjs", &[".mts", ".ts"]),
    (".cjs", &[".cts", ".ts"]),
    (".jsx", &[".tsx"]),
    (".d.ts", &[".ts", ".tsx"]),
    (".d.mts", &[".mts", ".ts"]),
    (".d.cts", &[".cts", ".ts"]),
];

/// Endings of what may be imported and defines nothing.
const NO_CODE: &[&str] = &[
    "css", "scss", "sass", "less", "styl", "pcss", "json", "json5", "yaml", "yml", "toml", "csv", "txt", "md", "html",
    "svg", "png", "jpg", "jpeg", "gif", "webp", "avif", "ico", "woff", "woff2", "ttf", "eot", "mp3", "mp4", "webm",
    "wasm", "node", "graphql", "gql", "glsl", "proto", "sql", "pdf",
];

/// By the paths of files.
pub(super) struct Ecma;

impl ModuleRules for Ecma {
    fn import(&self, resolver: &Resolver, file: &Arc<File>, at: u32) -> Vec<Entity> {
        resolver.ecma_import(file, at)
    }

    /// `import Default from './x'` stands under its own name.
    fn import_use(&self, resolver: &Resolver, file: &Arc<File>, occurrence: &Occurrence, name: &str) -> Resolution {
        let named = resolver.named_import(file, occurrence, name);
        named.unwrap_or_else(|| resolver.settled(resolver.lookup(file, name, occurrence.start, Space::Any), file.lang))
    }

    /// The namespace `JSX` is in sight of every file that has elements: a compiler's setting says where it is.
    fn type_path(&self, resolver: &Resolver, file: &Arc<File>, path: &[&str], offset: u32) -> Vec<Entity> {
        let found = type_in_sight(resolver, file, path, offset);
        match path {
            ["JSX", name] if found.is_empty() => resolver.jsx_types(name),
            ["exports", name] if found.is_empty() => resolver.offered(&Module::File(file.id()), name, Space::Type),
            _ => found,
        }
    }

    /// A function may say what its `this` is, and the place of an object literal says it for the literal's methods.
    fn self_value(&self, resolver: &Resolver, file: &Arc<File>, offset: u32) -> Ty {
        match resolver.this_in_sight(file, offset) {
            Ty::Unknown => resolver.self_value(file, offset),
            this => this,
        }
    }

    /// `exports.a` is what the file itself offers.
    fn root(&self, resolver: &Resolver, file: &Arc<File>, word: &str, offset: u32) -> Option<Entity> {
        let own = word == "exports" && resolver.lookup(file, word, offset, Space::Value).is_empty();
        own.then(|| Entity::Module(Module::File(file.id())))
    }

    fn of_file(&self, resolver: &Resolver, file: &Arc<File>, name: &str, space: Space) -> Vec<Entity> {
        resolver.ecma_module(file, name, space)
    }
}

impl Resolver<'_> {
    fn ecma_import(&self, file: &Arc<File>, at: u32) -> Vec<Entity> {
        let import = file.import(at);
        let path = file.import_module(at);
        let name = import.name.map(|name| file.facts.name(name));
        if path.is_empty() {
            // `export { a }`, `export default a`: a name of the file itself.
            return name.map_or(Vec::new(), |name| self.lookup(file, name, import.start, Space::Any));
        }
        let Some(version) = self.ecma_path(file, path) else { return self.ecma_namespace(file, at, path, name) };
        let module = Module::File(version);
        match name {
            Some("default") if !import.glob => match self.offered(&module, "default", Space::Any) {
                // What a module of CommonJS exports, it is as a whole.
                none if none.is_empty() && self.is_common_js(version) => vec![Entity::Module(module)],
                found => found,
            },
            Some(name) if !import.glob => self.offered(&module, name, Space::Any),
            // `const Reply = require('./reply')` is what the module exports as a whole, and the module with all its names.
            _ if !import.glob && file.name_id("require").is_some() => {
                let whole = self.offered(&module, "default", Space::Any).into_iter();
                let whole = whole.filter(|entity| matches!(entity, Entity::Symbol(_)));
                whole.chain([Entity::Module(module.clone())]).collect()
            }
            _ => vec![Entity::Module(module)],
        }
    }

    /// Whether a module says what it exports by assignments.
    fn is_common_js(&self, version: VersionId) -> bool {
        self.file(version).is_some_and(|file| file.name_id("exports").is_some())
    }

    /// The type of the `this` that the functions around an offset introduce; a class has its own.
    fn this_in_sight(&self, file: &Arc<File>, offset: u32) -> Ty {
        if file.name_id("this").is_none() {
            return Ty::Unknown;
        }
        let mut scope = Some(file.scope_at(offset));
        while let Some(at) = scope.filter(|at| file.facts.scopes[at.0 as usize].kind != ScopeKind::Type) {
            let found = file.declared(at, "this").find_map(|decl| match decl {
                Decl::Binding(at) => Some(Entity::Local(file.id(), at)),
                _ => None,
            });
            if let Some(this) = found {
                return self.entity_type(&this);
            }
            scope = file.nesting.scope_parent(at);
        }
        Ty::Unknown
    }

    /// `import A = B.C` of a namespace; anything else is not here.
    fn ecma_namespace(&self, file: &Arc<File>, at: u32, path: &str, name: Option<&str>) -> Vec<Entity> {
        let plain = path.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '.'));
        let first = path.split('.').next().unwrap_or_default();
        let mut found = if plain && !path.starts_with('.') {
            self.lookup(file, first, file.import(at).start, Space::Any)
        } else {
            Vec::new()
        };
        for part in path.split('.').skip(1).chain(name) {
            found = found.iter().flat_map(|entity| self.inside(entity, part, Space::Any)).collect();
        }
        if !found.is_empty() {
            return found;
        }
        vec![if self.is_own_ecma(file, path) { Entity::Missing } else { Entity::Foreign }]
    }

    /// Whether a path that leads to no file begins in the ref: it is relative, an alias, or has the name of a package of the
    /// workspace. What a bundler makes of a picture is no code, wherever it is.
    fn is_own_ecma(&self, file: &File, path: &str) -> bool {
        let plain = path.split(['?', '!']).next().unwrap_or_default();
        let ending = plain.rsplit('/').next().and_then(|name| name.rsplit_once('.')).map_or("", |(_, ending)| ending);
        if NO_CODE.contains(&ending) {
            return false;
        }
        let first = plain.split('/').next().unwrap_or_default();
        path.starts_with(['.', '/', '#'])
            || matches!(first, "@" | "~")
            || self.npm_package(path).is_some()
            || self.is_aliased(file.row.path.parent(), path, first)
    }

    /// Whether a tsconfig around a folder has a pattern for a path, or plain paths that begin like it.
    fn is_aliased(&self, folder: &str, path: &str, first: &str) -> bool {
        let mut folders = Some(folder);
        while let Some(at) = folders {
            if let Some(config) = self.tree.tsconfigs.get(at) {
                let installed = |targets: &[String]| targets.iter().all(|target| target.contains("node_modules/"));
                let fits = |(pattern, targets): &(String, Vec<String>)| {
                    !pattern.starts_with('*') && matched(pattern, path).is_some() && !installed(targets)
                };
                let below = |base: &String| first != path && self.tree.has_folder(&join(base, first));
                if config.paths.iter().any(fits) || config.base.as_ref().is_some_and(below) {
                    return true;
                }
            }
            folders = (!at.is_empty()).then(|| at.rsplit_once('/').map_or("", |(outer, _)| outer));
        }
        false
    }

    /// The file that a module path means.
    fn ecma_path(&self, file: &File, path: &str) -> Option<VersionId> {
        let folder = file.row.path.parent();
        if path.starts_with('.') {
            let meant = join(folder, path);
            let package = || self.tree.npm.values().find(|package| package.folder == meant.trim_end_matches('/'));
            return self.ecma_file(&meant).or_else(|| self.ecma_entry(package()?, ""));
        }
        self.ecma_alias(folder, path).or_else(|| self.ecma_package(path))
    }

    fn ecma_file(&self, path: &str) -> Option<VersionId> {
        let code = |version: &VersionId| {
            self.snapshot.file(*version).is_ok_and(|row| named(&row.language).naming.system == System::Ecma)
        };
        let path = path.trim_end_matches('/');
        for end in ENDS {
            // The folder may be that of the repository, which has no name: `require('..')`.
            if let Some(found) = self.tree.path(format!("{path}{end}").trim_start_matches('/')).filter(code) {
                return Some(found);
            }
        }
        for (compiled, sources) in COMPILED {
            let Some(stem) = path.strip_suffix(compiled) else { continue };
            let found = sources.iter().find_map(|end| self.tree.path(&format!("{stem}{end}")));
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// `paths` and `baseUrl` of the nearest tsconfig that has them.
    fn ecma_alias(&self, folder: &str, path: &str) -> Option<VersionId> {
        let mut at = folder;
        loop {
            if let Some(config) = self.tree.tsconfigs.get(at) {
                let base = config.base.as_deref().unwrap_or(at);
                for (pattern, targets) in &config.paths {
                    let Some(rest) = matched(pattern, path) else { continue };
                    let found =
                        targets.iter().find_map(|target| self.ecma_file(&join(base, &target.replacen('*', rest, 1))));
                    if found.is_some() {
                        return found;
                    }
                }
                if let Some(found) = config.base.as_ref().and_then(|base| self.ecma_file(&join(base, path))) {
                    return Some(found);
                }
            }
            if at.is_empty() {
                return None;
            }
            at = at.rsplit_once('/').map_or("", |(outer, _)| outer);
        }
    }

    /// The package of the workspace that a path begins with, and the rest of the path.
    fn npm_package<'p>(&self, path: &'p str) -> Option<(&NpmPackage, &'p str)> {
        let parts = if path.starts_with('@') { 2 } else { 1 };
        let end = path.match_indices('/').nth(parts - 1).map_or(path.len(), |(at, _)| at);
        Some((self.tree.npm.get(&path[..end])?, path[end..].trim_start_matches('/')))
    }

    /// A package of the workspace, or a file of it.
    fn ecma_package(&self, path: &str) -> Option<VersionId> {
        let (package, rest) = self.npm_package(path)?;
        self.ecma_entry(package, rest)
    }

    fn ecma_entry(&self, package: &NpmPackage, rest: &str) -> Option<VersionId> {
        let subpath = if rest.is_empty() { ".".to_owned() } else { format!("./{rest}") };
        let entries = package.entries.iter().filter(|(entry, _)| *entry == subpath).map(|(_, path)| path.as_str());
        for entry in entries {
            let direct = join(&package.folder, entry);
            // What a build puts into `dist` is made from what is in `src`.
            let source = entry
                .trim_start_matches("./")
                .split_once('/')
                .map(|(_, rest)| join(&package.folder, &format!("src/{rest}")));
            if let Some(found) = [Some(direct), source].into_iter().flatten().find_map(|path| self.ecma_file(&path)) {
                return Some(found);
            }
        }
        let plain = [format!("{}/{rest}", package.folder), format!("{}/src/{rest}", package.folder)];
        plain.iter().find_map(|path| self.ecma_file(path.trim_matches('/')))
    }

    /// The types of a name in namespaces that are called `JSX`.
    fn jsx_types(&self, name: &str) -> Vec<Entity> {
        let hits = self.hits(name);
        let defs = hits.iter().map(|hit| Def { version: hit.version, symbol: SymbolIndex(hit.position) });
        let in_jsx = |def: &Def| {
            let outer = |file: &Arc<File>, symbol: &Symbol| {
                let outer = symbol.parent.map(|at| file.symbol(at));
                outer.is_some_and(|outer| outer.kind == SymbolKind::Module && outer.name == "JSX")
            };
            self.with(*def, outer).unwrap_or(false)
        };
        defs.filter(in_jsx).map(Entity::Symbol).collect()
    }

    /// What an interface in `declare module './x' { … }` adds to: the ones of its name that the module offers.
    fn augmented(&self, def: Def) -> Vec<Def> {
        let Some(file) = self.file(def.version) else { return Vec::new() };
        let symbol = file.symbol(def.symbol);
        let around = symbol.parent.map(|at| file.symbol(at)).filter(|_| symbol.kind == SymbolKind::Interface);
        let module = around.filter(|outer| outer.kind == SymbolKind::Module && outer.flags.declaration);
        let Some(version) = module.and_then(|module| self.ecma_path(&file, &module.name)) else { return Vec::new() };
        let offered = self.offered(&Module::File(version), &symbol.name, Space::Type).into_iter();
        let offered = offered.filter_map(|entity| match entity {
            Entity::Symbol(other) if other != def => Some(other),
            _ => None,
        });
        offered.collect()
    }

    /// The other definitions of an interface to which other modules add.
    pub fn augmentations(&self, def: Def) -> Vec<Def> {
        let is_interface = |file: &Arc<File>, symbol: &Symbol| {
            symbol.kind == SymbolKind::Interface && file.lang.naming.system == System::Ecma
        };
        let name = self.with(def, |file, symbol| is_interface(file, symbol).then(|| symbol.name.clone())).flatten();
        let Some(name) = name else { return Vec::new() };
        let own = self.augmented(def);
        let roots = if own.is_empty() { vec![def] } else { own };
        let mut found: Vec<Def> = roots.iter().copied().filter(|root| *root != def).collect();
        for hit in self.hits(&name).iter().filter(|hit| hit.kind == SymbolKind::Interface) {
            let other = Def { version: hit.version, symbol: SymbolIndex(hit.position) };
            if other != def && self.augmented(other).iter().any(|root| roots.contains(root)) {
                found.push(other);
            }
        }
        found
    }

    /// A name that a module offers: under the name of a definition, by a list of exports, through a barrel.
    fn ecma_module(&self, file: &Arc<File>, name: &str, space: Space) -> Vec<Entity> {
        let offers = || file.exported(name).flat_map(|at| self.import(file, at).to_vec()).collect();
        let barrels = || {
            let barrels = file.globs().filter(|(_, import)| import.reexport && name != "default");
            barrels.flat_map(|(at, _)| self.through_glob(file, at, name, space)).collect()
        };
        // What a module imports is its own affair: others have it only where it is exported.
        let defines = || file.declared(ScopeId(0), name).any(|decl| matches!(decl, Decl::Symbol(_)));
        let own = || if defines() { self.scope_members(file, ScopeId(0), name, space) } else { Vec::new() };
        let mut found = first_found([&offers, &own, &barrels]);
        found.dedup();
        found
    }
}

/// What the `*` of a pattern stands for in a path.
fn matched<'p>(pattern: &str, path: &'p str) -> Option<&'p str> {
    match pattern.split_once('*') {
        None => (pattern == path).then_some(""),
        Some((start, end)) => path.strip_prefix(start)?.strip_suffix(end),
    }
}

#[cfg(test)]
mod tests {
    use super::matched;

    #[test]
    fn patterns_with_one_star_match() {
        assert_eq!(matched("@/*", "@/auth/token"), Some("auth/token"));
        assert_eq!(matched("config", "config"), Some(""));
        assert_eq!(matched("@/*", "auth"), None);
        assert_eq!(matched("~*/x", "~a/x"), Some("a"));
    }
}
