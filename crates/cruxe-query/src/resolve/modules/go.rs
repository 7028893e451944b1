//! Go: a folder is a package; `go.mod` says under which path it is imported.

use std::rc::Rc;
use std::sync::Arc;

use cruxe_extract::naming::System;
use cruxe_model::SymbolKind;
use cruxe_model::facts::{Occurrence, SymbolIndex};

use super::super::file::File;
use super::super::occurrence::Resolution;
use super::super::{Def, Entity, Resolver, Space, SpaceOf};
use super::{Module, ModuleRules};

/// By folders.
pub(super) struct Go;

impl ModuleRules for Go {
    fn import(&self, resolver: &Resolver, file: &Arc<File>, at: u32) -> Vec<Entity> {
        resolver.go_import(file, at)
    }

    fn import_use(&self, _: &Resolver, _: &Arc<File>, _: &Occurrence, _: &str) -> Resolution {
        Resolution::Module
    }

    fn of_folder(&self, resolver: &Resolver, folder: &str, name: &str, space: Space) -> Vec<Entity> {
        resolver.go_package(folder, name, space)
    }

    fn beyond(&self, resolver: &Resolver, file: &Arc<File>, name: &str, _: u32, space: Space) -> Vec<Entity> {
        resolver.go_package(file.row.path.parent(), name, space)
    }
}

impl Resolver<'_> {
    fn go_import(&self, file: &Arc<File>, at: u32) -> Vec<Entity> {
        let path = file.import_module(at);
        let mut own = false;
        for (module, folder) in &self.tree.go_modules {
            let Some(rest) = path.strip_prefix(module.as_str()) else { continue };
            if !rest.is_empty() && !rest.starts_with('/') {
                continue;
            }
            let rest = rest.trim_start_matches('/');
            let folder = [folder.as_str(), rest].iter().filter(|part| !part.is_empty()).copied().collect::<Vec<_>>();
            let folder = folder.join("/");
            if !self.tree.folder(&folder).is_empty() {
                return vec![Entity::Module(Module::Folder(Rc::from(folder), System::Go))];
            }
            own = true;
        }
        vec![if own { Entity::Missing } else { Entity::Foreign }]
    }

    /// A name of the package in a folder.
    fn go_package(&self, folder: &str, name: &str, space: Space) -> Vec<Entity> {
        let mut found: Vec<(Def, SymbolKind)> = Vec::new();
        let Some(number) = self.tree.folder_number(folder) else { return Vec::new() };
        // Hundreds of packages have a `New`: what is elsewhere is not read.
        let is_here = |version| {
            let brief = self.tree.brief(version);
            brief.is_some_and(|brief| brief.folder == number && brief.lang.naming.system == System::Go)
        };
        for hit in self.hits(name).iter() {
            if hit.local || matches!(hit.kind, SymbolKind::Method | SymbolKind::Field) || !is_here(hit.version) {
                continue;
            }
            let def = Def { version: hit.version, symbol: SymbolIndex(hit.position) };
            if self.with(def, |_, symbol| symbol.parent.is_none()).unwrap_or(false) {
                found.push((def, hit.kind));
            }
        }
        if found.iter().any(|(_, kind)| kind.fits(space)) {
            found.retain(|(_, kind)| kind.fits(space));
        }
        found.into_iter().map(|(def, _)| Entity::Symbol(def)).collect()
    }
}
