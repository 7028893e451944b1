//! Manifests: what `Cargo.toml`, `go.mod`, `package.json` and `tsconfig.json` say about packages, for all who ask.
//!
//! [`package_name`] is asked about every manifest at every sync, so it looks for the name alone, and it finds one in a
//! file that is just being edited. The other functions parse the whole and give nothing where that fails.

use cruxe_model::RepoPath;
use jsonc_parser::ParseOptions;
use serde_json::Value;

/// What kind of manifest a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `Cargo.toml`.
    Cargo,
    /// `go.mod`.
    Go,
    /// `package.json`.
    Npm,
    /// `__init__.py`: that it is there says everything.
    PythonPackage,
    /// `tsconfig.json`, `tsconfig.base.json`, `jsconfig.json`: says how paths are meant, and names no package.
    TsConfig,
}

impl Kind {
    /// Returns the kind of a file by its name; `None` for what is no manifest.
    pub fn of(path: &RepoPath) -> Option<Kind> {
        match path.file_name() {
            "Cargo.toml" => Some(Kind::Cargo),
            "go.mod" => Some(Kind::Go),
            "package.json" => Some(Kind::Npm),
            "__init__.py" | "__init__.pyi" => Some(Kind::PythonPackage),
            "jsconfig.json" => Some(Kind::TsConfig),
            name if name.starts_with("tsconfig") && name.ends_with(".json") => Some(Kind::TsConfig),
            _ => None,
        }
    }
}

/// Returns the name that the package of a manifest has in code; that of its folder where the manifest has none. `None`
/// when there is no package.
pub fn package_name(kind: Kind, folder: &str, text: &str) -> Option<String> {
    let folder = || folder.rsplit('/').next().unwrap_or_default().to_owned();
    match kind {
        Kind::Cargo => {
            let name = quoted_after(text, "[package]", "name");
            // A workspace may have no package of its own.
            let name = name.or_else(|| text.contains("[package]").then(folder))?;
            Some(name.replace('-', "_"))
        }
        Kind::Go => Some(match go_module(text) {
            Some(path) => path.rsplit('/').next().unwrap_or_default().to_owned(),
            None => folder(),
        }),
        Kind::Npm => Some(json_name(text).unwrap_or_else(folder)),
        Kind::PythonPackage | Kind::TsConfig => None,
    }
}

/// A crate of a `Cargo.toml`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Crate {
    /// What other crates call it.
    pub name: String,
    /// The root file of its library, relative to its folder.
    pub root: String,
    /// The crates that it depends on, for whatever it is built for.
    pub needs: Vec<String>,
}

/// Reads a `Cargo.toml`.
pub fn cargo(text: &str) -> Option<Crate> {
    let manifest: toml::Table = text.parse().ok()?;
    let value = |table: &str, key: &str| Some(manifest.get(table)?.get(key)?.as_str()?.to_owned());
    let package = value("package", "name")?;
    let name = value("lib", "name").unwrap_or(package).replace('-', "_");
    let root = value("lib", "path").unwrap_or_else(|| "src/lib.rs".to_owned());
    let platforms = manifest.get("target").and_then(toml::Value::as_table);
    let platforms = platforms.into_iter().flat_map(|all| all.values()).filter_map(toml::Value::as_table);
    let needs = std::iter::once(&manifest).chain(platforms).flat_map(dependencies).collect();
    Some(Crate { name, root, needs })
}

/// The names of the crates that a table of a `Cargo.toml` depends on, as code has them.
fn dependencies(table: &toml::Table) -> impl Iterator<Item = String> {
    let lists = ["dependencies", "dev-dependencies", "build-dependencies"];
    let lists = lists.into_iter().filter_map(|list| table.get(list)?.as_table());
    lists.flat_map(|list| list.keys().map(|name| name.replace('-', "_")))
}

/// Reads the path under which a `go.mod` lets its packages be imported.
pub fn go_module(text: &str) -> Option<String> {
    let path = text.lines().find_map(|line| line.trim().strip_prefix("module "))?;
    Some(path.trim().trim_matches('"').to_owned())
}

/// A package of a `package.json`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NpmPackage {
    /// Its name.
    pub name: String,
    /// Files that are named as entries, relative to its folder, by subpath (`.` for the package itself).
    pub entries: Vec<(String, String)>,
}

/// Reads a `package.json`.
pub fn npm(text: &str) -> Option<NpmPackage> {
    let manifest: Value = serde_json::from_str(text).ok()?;
    let name = manifest.get("name")?.as_str()?.to_owned();
    let mut entries = Vec::new();
    for key in ["source", "types", "typings", "module", "main"] {
        entries.extend(manifest.get(key).and_then(Value::as_str).map(|path| (".".to_owned(), path.to_owned())));
    }
    if let Some(exports) = manifest.get("exports") {
        collect_exports(".", exports, &mut entries, 0);
    }
    Some(NpmPackage { name, entries })
}

/// What a `tsconfig.json` says about paths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TsConfig {
    /// The folder that plain paths start from.
    pub base: Option<String>,
    /// Patterns with their replacements, relative to `base` or to the file's folder.
    pub paths: Vec<(String, Vec<String>)>,
}

/// Reads a `tsconfig.json`.
pub fn tsconfig(text: &str) -> Option<TsConfig> {
    // With comments and trailing commas, as these files have them.
    let config: Value = jsonc_parser::parse_to_serde_value(text, &ParseOptions::default()).ok()?;
    let options = config.get("compilerOptions")?;
    let base = options.get("baseUrl").and_then(Value::as_str).map(str::to_owned);
    let list = |value: &Value| {
        let items = value.as_array().map(Vec::as_slice).unwrap_or_default();
        items.iter().filter_map(|item| item.as_str().map(str::to_owned)).collect()
    };
    let paths = options.get("paths").and_then(Value::as_object);
    let paths = paths.map(|paths| paths.iter().map(|(pattern, value)| (pattern.clone(), list(value))).collect());
    Some(TsConfig { base, paths: paths.unwrap_or_default() })
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

/// The files that `exports` names for each subpath, whatever the condition.
fn collect_exports(subpath: &str, value: &Value, entries: &mut Vec<(String, String)>, depth: u32) {
    match value {
        Value::String(path) => entries.push((subpath.to_owned(), path.clone())),
        Value::Object(map) if depth < 8 => {
            for (key, value) in map {
                let subpath = if key.starts_with('.') { key } else { subpath };
                collect_exports(subpath, value, entries, depth + 1);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crate_is_called_by_its_library() {
        let of = |text| cargo(text).map(|package| (package.name, package.root));
        let plain = "[package]\nname = 'tokio-util'\n";
        assert_eq!(of(plain), Some(("tokio_util".into(), "src/lib.rs".into())));
        let named = "[package]\nname = \"a\"\n[lib]\nname = \"b\"\npath = \"b.rs\"\n";
        assert_eq!(of(named), Some(("b".into(), "b.rs".into())));
        let needs =
            "[package]\nname = \"a\"\n[dependencies]\nb-c = \"1\"\n[target.'cfg(unix)'.dev-dependencies]\nd = \"1\"\n";
        assert_eq!(cargo(needs).map(|package| package.needs), Some(vec!["b_c".into(), "d".into()]));
        assert_eq!(of("[workspace]\n"), None);
        assert_eq!(of("[package\nname = \"a\"\n"), None);
    }

    #[test]
    fn a_tsconfig_may_have_comments_and_trailing_commas() {
        let text = "{ // c\n \"compilerOptions\": { \"baseUrl\": \"//no\", /* x */ \"paths\": { \"@/*\": [\"src/*\",], }, }, }";
        let paths = vec![("@/*".to_owned(), vec!["src/*".to_owned()])];
        assert_eq!(tsconfig(text), Some(TsConfig { base: Some("//no".to_owned()), paths }));
        assert_eq!(tsconfig(&"[".repeat(100_000)), None);
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
