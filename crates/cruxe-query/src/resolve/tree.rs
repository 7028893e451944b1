//! The files of a ref by path, and the manifests that say how packages are called.

use std::collections::HashMap;
use std::sync::Arc;

use cruxe_extract::manifest::{self, Kind, TsConfig};
use cruxe_extract::naming::System;
use cruxe_extract::registry::named;
use cruxe_index::Project;
use cruxe_model::VersionId;
use cruxe_store::{Cache, FileRow, RefSnapshot, StoreError};

use super::FastMap;
use super::file::Lang;
use crate::filter::is_test_file;
use crate::per_ref::PerRef;

/// More manifests than this are not read: a monorepo's packages are found by the nearest ones.
const MAX_MANIFESTS: usize = 5_000;

/// Endings of files that are compiled by themselves.
const UNITS: &[&str] = &["c", "cc", "cpp", "cxx", "c++", "cu", "m", "mm"];

/// The files of one ref as of one publish.
#[derive(Default)]
pub struct Tree {
    paths: HashMap<String, VersionId>,
    folders: HashMap<String, Vec<VersionId>>,
    /// What there is to know of a file without its facts.
    briefs: FastMap<VersionId, Brief>,
    python: HashMap<String, Vec<VersionId>>,
    /// Files that modules are, wherever they are, by their names.
    named: HashMap<String, Vec<(String, VersionId)>>,
    /// Rust crates by name: the root file of each library.
    pub crates: HashMap<String, VersionId>,
    /// What the packages of Rust depend on, by their folder.
    pub needed_crates: HashMap<String, Vec<String>>,
    /// Go modules: import path and folder, the longest path first.
    pub go_modules: Vec<(String, String)>,
    /// npm packages: name, folder and the entry that the manifest names.
    pub npm: HashMap<String, NpmPackage>,
    /// What `tsconfig.json` says, by folder; its base from the root.
    pub tsconfigs: HashMap<String, TsConfig>,
}

/// What there is to know of a file without its facts.
#[derive(Clone, Copy)]
pub struct Brief {
    /// Its language.
    pub lang: Lang,
    /// Which folder it is in: two of one folder have the same number.
    pub folder: u32,
    /// Whether all of it is tests.
    pub is_test: bool,
    /// Whether it is compiled by itself, so that nobody else sees its types.
    pub is_unit: bool,
}

/// A package of an npm workspace.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NpmPackage {
    /// Where it is.
    pub folder: String,
    /// Files that its manifest names as entries, relative to the folder, by subpath (`.` for the package itself).
    pub entries: Vec<(String, String)>,
}

/// The trees of an index.
pub static TREES: Cache<TreeCache> = Cache::of("trees of refs");

/// Trees by ref.
#[derive(Default)]
pub struct TreeCache(PerRef<Tree>);

impl TreeCache {
    /// The tree of a ref.
    pub fn get(&self, project: &Project, of: &RefSnapshot) -> Result<Arc<Tree>, StoreError> {
        self.0.get(of, || Ok(Tree::read(project, of.files()?)))
    }
}

impl Tree {
    fn read(project: &Project, rows: Vec<FileRow>) -> Tree {
        let (mut tree, mut manifests) = (Tree::default(), Vec::new());
        for row in rows {
            let path = row.path.as_str();
            tree.paths.insert(path.to_owned(), row.id);
            let mut folder = row.path.parent();
            let beside = tree.folders.entry(folder.to_owned()).or_default();
            let number = beside.first().and_then(|first| tree.briefs.get(first)).map(|first| first.folder);
            beside.push(row.id);
            let brief = Brief {
                lang: named(&row.language),
                folder: number.unwrap_or(tree.briefs.len() as u32),
                is_test: is_test_file(path, &row.language),
                is_unit: named(&row.language).naming.includes
                    && UNITS.contains(&row.path.extension().unwrap_or_default().as_str()),
            };
            tree.briefs.insert(row.id, brief);
            while let Some(slash) = folder.rfind('/') {
                folder = &folder[..slash];
                if tree.folders.contains_key(folder) {
                    break; // and so are those around it
                }
                tree.folders.insert(folder.to_owned(), Vec::new());
            }
            if named(&row.language).naming.files_anywhere {
                tree.named.entry(row.path.file_name().to_owned()).or_default().push((path.to_owned(), row.id));
            }
            if named(&row.language).naming.system == System::Python {
                tree.python.entry(row.module.clone()).or_default().push(row.id);
            }
            // Of a Python package only that it is there counts, and that the files' modules say.
            if let Some(kind) = Kind::of(&row.path).filter(|kind| *kind != Kind::PythonPackage) {
                manifests.push((row, kind));
            }
        }
        for (row, kind) in manifests.iter().take(MAX_MANIFESTS) {
            let Some(bytes) = project.read(row) else { continue };
            tree.add_manifest(row, *kind, &String::from_utf8_lossy(&bytes));
        }
        tree.go_modules.sort_by_key(|(path, _)| std::cmp::Reverse(path.len()));
        tree
    }

    fn add_manifest(&mut self, row: &FileRow, kind: Kind, text: &str) {
        let folder = row.path.parent();
        match kind {
            Kind::Cargo => {
                let Some(package) = manifest::cargo(text) else { return };
                let roots = [package.root.as_str(), "src/main.rs"];
                let found = roots.iter().find_map(|path| self.path(&join(folder, path)));
                self.crates.extend(found.map(|version| (package.name, version)));
                self.needed_crates.insert(folder.to_owned(), package.needs);
            }
            Kind::Go => self.go_modules.extend(manifest::go_module(text).map(|module| (module, folder.to_owned()))),
            Kind::Npm => {
                let Some(package) = manifest::npm(text) else { return };
                self.npm.insert(package.name, NpmPackage { folder: folder.to_owned(), entries: package.entries });
            }
            Kind::TsConfig => {
                let Some(TsConfig { base, paths }) = manifest::tsconfig(text) else { return };
                let config = TsConfig { base: base.map(|base| join(folder, &base)), paths };
                // A base configuration speaks for its folder unless the plain one does.
                let plain = row.path.file_name() == "tsconfig.json";
                if (plain || !self.tsconfigs.contains_key(folder)) && config != TsConfig::default() {
                    self.tsconfigs.insert(folder.to_owned(), config);
                }
            }
            Kind::PythonPackage => {}
        }
    }

    /// What there is to know of a file without its facts.
    pub fn brief(&self, version: VersionId) -> Option<Brief> {
        self.briefs.get(&version).copied()
    }

    /// The version at a path.
    pub fn path(&self, path: &str) -> Option<VersionId> {
        self.paths.get(path).copied()
    }

    /// The version whose path ends with another path, of several the one that is nearest to a file.
    pub fn ending(&self, end: &str, near: &str) -> Option<VersionId> {
        let name = end.rsplit('/').next().unwrap_or_default();
        let fits = |path: &str| path.strip_suffix(end).is_some_and(|start| start.is_empty() || start.ends_with('/'));
        let shared = |path: &str| path.bytes().zip(near.bytes()).take_while(|(a, b)| a == b).count();
        let all = self.named.get(name).map(Vec::as_slice).unwrap_or_default();
        let nearest =
            all.iter().filter(|(path, _)| fits(path)).max_by_key(|(path, id)| (shared(path), std::cmp::Reverse(*id)));
        nearest.map(|(_, version)| *version)
    }

    /// The versions directly in a folder.
    pub fn folder(&self, folder: &str) -> &[VersionId] {
        self.folders.get(folder).map(Vec::as_slice).unwrap_or_default()
    }

    /// The number of a folder with files in it.
    pub fn folder_number(&self, folder: &str) -> Option<u32> {
        self.brief(*self.folder(folder).first()?).map(|brief| brief.folder)
    }

    /// Whether the ref has files in a folder or below it.
    pub fn has_folder(&self, folder: &str) -> bool {
        self.folders.contains_key(folder)
    }

    /// The Python files that are a module.
    pub fn python(&self, module: &str) -> &[VersionId] {
        self.python.get(module).map(Vec::as_slice).unwrap_or_default()
    }
}

/// A path below a folder with `.` and `..` taken out; what leads above the root stays there.
pub fn join(folder: &str, path: &str) -> String {
    let mut parts: Vec<&str> = if path.starts_with('/') { Vec::new() } else { folder.split('/').collect() };
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.retain(|part| !part.is_empty());
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_joined_without_dots() {
        assert_eq!(join("src/auth", "../util/./x"), "src/util/x");
        assert_eq!(join("", "./x"), "x");
        assert_eq!(join("a", "../../x"), "x");
    }
}
