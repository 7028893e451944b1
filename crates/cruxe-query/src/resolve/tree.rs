//! The files of a ref by path, and the manifests that say how packages are called.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use cruxe_index::Project;
use cruxe_model::VersionId;
use cruxe_store::{Cache, FileRow, RefSnapshot, StoreError};

/// More manifests than this are not read: a monorepo's packages are found by the nearest ones.
const MAX_MANIFESTS: usize = 5_000;

/// The files of one ref as of one publish.
#[derive(Default)]
pub struct Tree {
    paths: HashMap<String, VersionId>,
    folders: HashMap<String, Vec<VersionId>>,
    python: HashMap<String, Vec<VersionId>>,
    manifests: Vec<FileRow>,
    /// Rust crates by name: the root file of each library.
    pub crates: HashMap<String, VersionId>,
    /// Go modules: import path and folder, the longest path first.
    pub go_modules: Vec<(String, String)>,
    /// npm packages: name, folder and the entry that the manifest names.
    pub npm: HashMap<String, NpmPackage>,
    /// `tsconfig.json` by folder.
    pub tsconfigs: HashMap<String, TsConfig>,
}

/// A package of an npm workspace.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NpmPackage {
    /// Where it is.
    pub folder: String,
    /// Files that its manifest names as entries, relative to the folder, by subpath (`.` for the package itself).
    pub entries: Vec<(String, String)>,
}

/// What a `tsconfig.json` says about paths.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TsConfig {
    /// The folder that plain paths start from.
    pub base: Option<String>,
    /// Patterns with their replacements, relative to `base` or to the file's folder.
    pub paths: Vec<(String, Vec<String>)>,
}

/// The trees of an index.
pub static TREES: Cache<TreeCache> = Cache::of("trees of refs");

/// Trees by ref, as of the publish in which they were read.
#[derive(Default)]
pub struct TreeCache {
    trees: Mutex<HashMap<String, (i64, Arc<Tree>)>>,
}

impl TreeCache {
    /// The tree of a ref.
    pub fn get(&self, project: &Project, of: &RefSnapshot) -> Result<Arc<Tree>, StoreError> {
        let held = || self.trees.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((published, tree)) = held().get(&of.state.name)
            && *published == of.as_of()
        {
            return Ok(Arc::clone(tree));
        }
        let tree = Arc::new(Tree::read(project, of.files()?));
        held().insert(of.state.name.clone(), (of.as_of(), Arc::clone(&tree)));
        Ok(tree)
    }
}

impl Tree {
    fn read(project: &Project, rows: Vec<FileRow>) -> Tree {
        let mut tree = Tree::default();
        for row in rows {
            let path = row.path.as_str();
            tree.paths.insert(path.to_owned(), row.id);
            let mut folder = row.path.parent();
            tree.folders.entry(folder.to_owned()).or_default().push(row.id);
            while let Some(slash) = folder.rfind('/') {
                folder = &folder[..slash];
                if tree.folders.contains_key(folder) {
                    break; // and so are those around it
                }
                tree.folders.insert(folder.to_owned(), Vec::new());
            }
            if row.language == "python" {
                tree.python.entry(row.module.clone()).or_default().push(row.id);
            }
            let name = row.path.file_name();
            let config = name.starts_with("tsconfig") && name.ends_with(".json");
            if config || matches!(name, "Cargo.toml" | "go.mod" | "package.json" | "jsconfig.json") {
                tree.manifests.push(row);
            }
        }
        let manifests = std::mem::take(&mut tree.manifests);
        for row in manifests.iter().take(MAX_MANIFESTS) {
            let Some(bytes) = project.read(row) else { continue };
            let text = String::from_utf8_lossy(&bytes);
            let folder = row.path.parent().to_owned();
            match row.path.file_name() {
                "Cargo.toml" => tree.add_crate(&folder, &text),
                "go.mod" => {
                    let module = text.lines().find_map(|line| line.trim().strip_prefix("module "));
                    let module = module.map(|path| path.trim().trim_matches('"').to_owned());
                    tree.go_modules.extend(module.map(|module| (module, folder)));
                }
                "package.json" => tree.add_npm(folder, &text),
                _ => tree.add_tsconfig(folder, row.path.file_name(), &text),
            }
        }
        tree.go_modules.sort_by_key(|(path, _)| std::cmp::Reverse(path.len()));
        tree
    }

    fn add_crate(&mut self, folder: &str, text: &str) {
        let Ok(manifest) = text.parse::<toml::Table>() else { return };
        let value = |table: &str, key: &str| Some(manifest.get(table)?.get(key)?.as_str()?.to_owned());
        let Some(package) = value("package", "name") else { return };
        let name = value("lib", "name").unwrap_or(package).replace('-', "_");
        let root = value("lib", "path").unwrap_or_else(|| "src/lib.rs".to_owned());
        let found = [root.as_str(), "src/main.rs"].iter().find_map(|path| self.path(&join(folder, path)));
        self.crates.extend(found.map(|version| (name, version)));
    }

    fn add_npm(&mut self, folder: String, text: &str) {
        let Ok(manifest) = serde_json::from_str::<serde_json::Value>(text) else { return };
        let Some(name) = manifest.get("name").and_then(|name| name.as_str()) else { return };
        let mut entries = Vec::new();
        for key in ["source", "types", "typings", "module", "main"] {
            entries.extend(manifest.get(key).and_then(|path| path.as_str()).map(|path| (".".into(), path.to_owned())));
        }
        if let Some(exports) = manifest.get("exports") {
            collect_exports(".", exports, &mut entries, 0);
        }
        self.npm.insert(name.to_owned(), NpmPackage { folder, entries });
    }

    fn add_tsconfig(&mut self, folder: String, name: &str, text: &str) {
        let Ok(config) = serde_json::from_str::<serde_json::Value>(&without_comments(text)) else { return };
        let Some(options) = config.get("compilerOptions") else { return };
        let base = options.get("baseUrl").and_then(|base| base.as_str()).map(|base| join(&folder, base));
        let paths = options.get("paths").and_then(|paths| paths.as_object()).map(|paths| {
            let list = |value: &serde_json::Value| {
                let items = value.as_array().map(Vec::as_slice).unwrap_or_default();
                items.iter().filter_map(|item| item.as_str().map(str::to_owned)).collect()
            };
            paths.iter().map(|(pattern, value)| (pattern.clone(), list(value))).collect()
        });
        let config = TsConfig { base, paths: paths.unwrap_or_default() };
        // A base configuration speaks for its folder unless the plain one does.
        let plain = name == "tsconfig.json";
        if (plain || !self.tsconfigs.contains_key(&folder)) && config != TsConfig::default() {
            self.tsconfigs.insert(folder, config);
        }
    }

    /// The version at a path.
    pub fn path(&self, path: &str) -> Option<VersionId> {
        self.paths.get(path).copied()
    }

    /// The versions directly in a folder.
    pub fn folder(&self, folder: &str) -> &[VersionId] {
        self.folders.get(folder).map(Vec::as_slice).unwrap_or_default()
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

/// The files that `exports` names for each subpath, whatever the condition.
fn collect_exports(subpath: &str, value: &serde_json::Value, entries: &mut Vec<(String, String)>, depth: u32) {
    match value {
        serde_json::Value::String(path) => entries.push((subpath.to_owned(), path.clone())),
        serde_json::Value::Object(map) if depth < 8 => {
            for (key, value) in map {
                let subpath = if key.starts_with('.') { key } else { subpath };
                collect_exports(subpath, value, entries, depth + 1);
            }
        }
        _ => {}
    }
}

/// JSON with comments and trailing commas, which tsconfig files have, as JSON.
fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    let mut quoted = false;
    while let Some(c) = chars.next() {
        match c {
            '\\' if quoted => {
                out.push(c);
                out.extend(chars.next());
            }
            '"' => {
                quoted = !quoted;
                out.push(c);
            }
            '/' if !quoted && chars.peek() == Some(&'/') => while chars.next_if(|c| *c != '\n').is_some() {},
            '/' if !quoted && chars.peek() == Some(&'*') => {
                let mut last = ' ';
                for c in chars.by_ref().skip(1) {
                    if last == '*' && c == '/' {
                        break;
                    }
                    last = c;
                }
            }
            '}' | ']' if !quoted => {
                let kept = out.trim_end().len();
                if out[..kept].ends_with(',') {
                    out.truncate(kept - 1);
                }
                out.push(c);
            }
            _ => out.push(c),
        }
    }
    out
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

    #[test]
    fn comments_and_trailing_commas_are_not_json() {
        let text = "{ // c\n \"a\": \"//no\", /* x */ \"b\": [1, 2,], }";
        assert_eq!(without_comments(text).split_whitespace().collect::<String>(), "{\"a\":\"//no\",\"b\":[1,2]}");
    }

    #[test]
    fn exports_are_read_whatever_their_condition() {
        let value = serde_json::json!({".": {"import": {"types": "./a.d.ts", "default": "./a.js"}}, "./v4": "./v4.js"});
        let mut entries = Vec::new();
        collect_exports(".", &value, &mut entries, 0);
        let want = [(".", "./a.d.ts"), (".", "./a.js"), ("./v4", "./v4.js")];
        assert_eq!(entries, want.map(|(a, b)| (a.to_owned(), b.to_owned())));
    }
}
