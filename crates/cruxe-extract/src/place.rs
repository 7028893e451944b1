//! The module that a file's place gives it: crate, package and module names from the files around it.
//!
//! The package at the repository root adds no prefix (`auth::jwt::validate_token`), packages below it add their name
//! (`tokio_util::codec::Framed`), so that equal paths in two packages stay apart.

use std::collections::HashMap;

use cruxe_model::RepoPath;

/// What is known about the packages of one ref.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// Folder of a `Cargo.toml`, `go.mod` or `package.json` with the package's name.
    packages: HashMap<(Ecosystem, String), String>,
    /// Folders with an `__init__.py`.
    python: std::collections::HashSet<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Ecosystem {
    Cargo,
    Go,
    Npm,
}

impl Places {
    /// Whether a file says something about packages, so that [`Places::add`] wants to see it.
    pub fn is_marker(path: &RepoPath) -> bool {
        matches!(path.file_name(), "Cargo.toml" | "go.mod" | "package.json" | "__init__.py" | "__init__.pyi")
    }

    /// Takes in a marker file. The content of an `__init__.py` does not matter.
    pub fn add(&mut self, path: &RepoPath, content: &[u8]) {
        let folder = path.parent().to_owned();
        let text = String::from_utf8_lossy(content);
        let fallback = || folder.rsplit('/').next().unwrap_or_default().to_owned();
        let (ecosystem, name) = match path.file_name() {
            "Cargo.toml" => match quoted_after(&text, "[package]", "name") {
                Some(name) => (Ecosystem::Cargo, name.replace('-', "_")),
                None if text.contains("[package]") => (Ecosystem::Cargo, fallback().replace('-', "_")),
                None => return, // a workspace without a package of its own
            },
            "go.mod" => {
                let module = text.lines().find_map(|line| line.trim().strip_prefix("module "));
                let last = module.and_then(|path| path.trim().rsplit('/').next()).map(str::to_owned);
                (Ecosystem::Go, last.unwrap_or_else(fallback))
            }
            "package.json" => (Ecosystem::Npm, json_name(&text).unwrap_or_else(fallback)),
            _ => {
                self.python.insert(folder);
                return;
            }
        };
        self.packages.insert((ecosystem, folder), name);
    }

    /// The module of a file, in the form of its language; empty when it has none of its own.
    pub fn module_of(&self, path: &RepoPath, language: &str) -> String {
        match language {
            "rust" => self.rust(path),
            "python" => self.python(path),
            "go" => self.go(path),
            "typescript" | "javascript" => self.npm(path),
            "lua" => script_module(path, &["init"], "."),
            "zig" => script_module(path, &["root", "main"], "."),
            _ => String::new(),
        }
    }

    /// The nearest package around a folder: its folder and its prefix (empty at the repository root).
    fn package(&self, ecosystem: Ecosystem, path: &RepoPath) -> Option<(&str, &str)> {
        let mut folder = path.parent();
        loop {
            if let Some(((_, root), name)) = self.packages.get_key_value(&(ecosystem, folder.to_owned())) {
                return Some((root, if root.is_empty() { "" } else { name }));
            }
            if folder.is_empty() {
                return None;
            }
            folder = folder.rfind('/').map_or("", |slash| &folder[..slash]);
        }
    }

    fn rust(&self, path: &RepoPath) -> String {
        let (root, prefix) = self.package(Ecosystem::Cargo, path).unwrap_or(("", ""));
        let inside = strip_folder(path.as_str(), root);
        let inside = inside.strip_suffix(".rs").unwrap_or(inside);
        let mut parts: Vec<&str> = inside.split('/').filter(|part| !part.is_empty()).collect();
        // Without a manifest (`crates/core/main.rs` of a custom layout) the folders speak for themselves.
        if let Some(at) = parts.iter().position(|part| *part == "src") {
            parts.remove(at);
        }
        if matches!(parts.last(), Some(&("mod" | "lib" | "main"))) {
            parts.pop();
        }
        join(prefix, &parts, "::")
    }

    fn python(&self, path: &RepoPath) -> String {
        let mut parts: Vec<&str> = path.as_str().split('/').collect();
        let stem = path.stem();
        parts.pop();
        // The topmost folder of the unbroken chain of packages that ends at this file.
        let mut first = parts.len();
        while first > 0 && self.python.contains(&parts[..first].join("/")) {
            first -= 1;
        }
        let in_package = first < parts.len();
        if in_package {
            parts.drain(..first);
        } else if parts.first() == Some(&"src") {
            parts.remove(0);
        }
        if stem != "__init__" {
            parts.push(stem);
        }
        parts.join(".")
    }

    fn go(&self, path: &RepoPath) -> String {
        let (root, prefix) = self.package(Ecosystem::Go, path).unwrap_or(("", ""));
        let inside = strip_folder(path.parent(), root);
        join(prefix, &inside.split('/').filter(|part| !part.is_empty()).collect::<Vec<_>>(), "/")
    }

    fn npm(&self, path: &RepoPath) -> String {
        let (root, prefix) = self.package(Ecosystem::Npm, path).unwrap_or(("", ""));
        let inside = strip_folder(path.as_str(), root);
        let mut parts: Vec<&str> = inside.split('/').filter(|part| !part.is_empty()).collect();
        parts.pop();
        if parts.first() == Some(&"src") {
            parts.remove(0);
        }
        let stem = path.stem();
        let stem = stem.strip_suffix(".d").unwrap_or(stem);
        if stem != "index" || (parts.is_empty() && prefix.is_empty()) {
            parts.push(stem);
        }
        join(prefix, &parts, "/")
    }
}

fn script_module(path: &RepoPath, roots: &[&str], separator: &str) -> String {
    let mut parts: Vec<&str> = path.parent().split('/').filter(|part| !part.is_empty()).collect();
    if parts.first() == Some(&"src") {
        parts.remove(0);
    }
    if !roots.contains(&path.stem()) {
        parts.push(path.stem());
    }
    parts.join(separator)
}

fn strip_folder<'a>(path: &'a str, folder: &str) -> &'a str {
    path.strip_prefix(folder).map_or(path, |rest| rest.trim_start_matches('/'))
}

fn join(prefix: &str, parts: &[&str], separator: &str) -> String {
    let prefix = (!prefix.is_empty()).then_some(prefix);
    prefix.into_iter().chain(parts.iter().copied()).collect::<Vec<_>>().join(separator)
}

/// The value of `key = "…"` in the section that starts with `section`.
fn quoted_after(text: &str, section: &str, key: &str) -> Option<String> {
    let body = &text[text.find(section)? + section.len()..];
    body.lines().take_while(|line| !line.trim_start().starts_with('[')).find_map(|line| {
        let (left, right) = line.split_once('=')?;
        let value = right.trim().strip_prefix('"')?;
        (left.trim() == key).then(|| value.split('"').next().unwrap_or_default().to_owned())
    })
}

/// The first `"name": "…"` of a package.json. A full JSON parser would refuse files with comments, which npm's
/// neighbours write; the name is all that is wanted.
fn json_name(text: &str) -> Option<String> {
    let after = &text[text.find("\"name\"")? + 6..];
    let value = after.trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?;
    value.split('"').next().filter(|name| !name.is_empty()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(markers: &[(&str, &str)]) -> Places {
        let mut places = Places::default();
        for (path, content) in markers {
            places.add(&RepoPath::parse(path).unwrap(), content.as_bytes());
        }
        places
    }

    fn module(places: &Places, path: &str, language: &str) -> String {
        places.module_of(&RepoPath::parse(path).unwrap(), language)
    }

    #[test]
    fn a_crate_at_the_root_adds_no_prefix_and_others_do() {
        let places = places(&[
            ("Cargo.toml", "[package]\nname = \"authsvc\"\n[dependencies]"),
            ("crates/tokio-util/Cargo.toml", "[package]\nedition = \"2021\"\nname = \"tokio-util\"\n"),
        ]);
        assert_eq!(module(&places, "src/auth/jwt.rs", "rust"), "auth::jwt");
        assert_eq!(module(&places, "src/lib.rs", "rust"), "");
        assert_eq!(module(&places, "src/auth/mod.rs", "rust"), "auth");
        assert_eq!(module(&places, "tests/auth_test.rs", "rust"), "tests::auth_test");
        assert_eq!(module(&places, "crates/tokio-util/src/codec/mod.rs", "rust"), "tokio_util::codec");
        assert_eq!(module(&places, "crates/tokio-util/src/lib.rs", "rust"), "tokio_util");
    }

    #[test]
    fn a_workspace_manifest_without_a_package_is_no_crate() {
        let places = places(&[("Cargo.toml", "[workspace]\nmembers = []\n")]);
        assert_eq!(module(&places, "tools/src/x.rs", "rust"), "tools::x");
    }

    #[test]
    fn python_packages_begin_where_the_chain_of_init_files_does() {
        let places = places(&[("src/flask/__init__.py", ""), ("src/flask/json/__init__.py", "")]);
        assert_eq!(module(&places, "src/flask/json/tag.py", "python"), "flask.json.tag");
        assert_eq!(module(&places, "src/flask/__init__.py", "python"), "flask");
        assert_eq!(module(&places, "tests/test_app.py", "python"), "tests.test_app");
        assert_eq!(module(&places, "setup.py", "python"), "setup");
    }

    #[test]
    fn go_modules_use_the_folder_below_go_mod() {
        let places =
            places(&[("go.mod", "module github.com/go-chi/chi/v5\n"), ("tools/go.mod", "// x\nmodule a.b/lint\n")]);
        assert_eq!(module(&places, "middleware/logger.go", "go"), "middleware");
        assert_eq!(module(&places, "mux.go", "go"), "");
        assert_eq!(module(&places, "tools/cmd/x.go", "go"), "lint/cmd");
    }

    #[test]
    fn npm_packages_below_the_root_add_their_name() {
        let places = places(&[
            ("package.json", "{\"name\": \"root\"}"),
            ("packages/zod/package.json", "{ \"name\" : \"zod\" }"),
        ]);
        assert_eq!(module(&places, "src/auth/token.ts", "typescript"), "auth/token");
        assert_eq!(module(&places, "packages/zod/src/index.ts", "typescript"), "zod");
        assert_eq!(module(&places, "packages/zod/src/v4/core.d.ts", "typescript"), "zod/v4/core");
        assert_eq!(module(&places, "index.js", "javascript"), "index");
    }
}
