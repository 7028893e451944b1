//! The licences of everything that is built into the program, as its packages bring them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::error::{ReleaseError, Result};

/// How files with licences begin.
const NAMES: [&str; 6] = ["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE"];
/// A package may bring the sources of another with it, a folder or two deep.
const DEPTH: usize = 3;
/// A longer file is no licence.
const LONGEST: u64 = 256 << 10;

/// The notices for one platform. `root` is the folder of the workspace.
pub fn collect(root: &Path, target: &str) -> Result<String> {
    let failed = |what: String| ReleaseError::Program(format!("cargo metadata: {what}"));
    let output = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["metadata", "--format-version", "1", "--locked", "--filter-platform", target])
        .current_dir(root)
        .output()
        .map_err(|problem| failed(problem.to_string()))?;
    if !output.status.success() {
        return Err(failed(String::from_utf8_lossy(&output.stderr).trim().to_owned()));
    }
    let metadata: Value = serde_json::from_slice(&output.stdout).map_err(|problem| failed(problem.to_string()))?;
    Ok(write(&packages(&metadata)))
}

/// A package of somebody else.
struct Package {
    name: String,
    licence: String,
    texts: Vec<String>,
}

/// The packages that the program is built from: what it depends on, and what our own build scripts make tables of.
fn packages(metadata: &Value) -> Vec<Package> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let known: BTreeMap<String, Value> =
        list(&metadata["packages"]).into_iter().map(|package| (text(&package["id"]), package)).collect();
    let nodes: BTreeMap<String, Value> =
        list(&metadata["resolve"]["nodes"]).into_iter().map(|node| (text(&node["id"]), node)).collect();
    let own: BTreeSet<String> = list(&metadata["workspace_members"]).iter().map(text).collect();
    let is_program = |id: &&String| known.get(*id).is_some_and(|package| package["name"] == "cruxe-cli");
    let mut pending: Vec<String> = own.iter().filter(is_program).cloned().collect();
    let mut seen: BTreeSet<String> = pending.iter().cloned().collect();
    while let Some(id) = pending.pop() {
        for dependency in list(&nodes.get(&id).map(|node| node["deps"].clone()).unwrap_or_default()) {
            let counts = |kind: &Value| kind["kind"].is_null() || (kind["kind"] == "build" && own.contains(&id));
            let inner = text(&dependency["pkg"]);
            if list(&dependency["dep_kinds"]).iter().any(counts) && seen.insert(inner.clone()) {
                pending.push(inner);
            }
        }
    }
    let others = seen.iter().filter(|id| !own.contains(*id)).filter_map(|id| known.get(id));
    let mut packages: Vec<Package> = others
        .map(|package| Package {
            name: format!("{} {}", text(&package["name"]), text(&package["version"])),
            licence: package["license"].as_str().unwrap_or("see its text").to_owned(),
            texts: texts(Path::new(package["manifest_path"].as_str().unwrap_or_default())),
        })
        .collect();
    packages.sort_by(|a, b| a.name.cmp(&b.name));
    packages
}

/// The texts of all licences beside a manifest and below it.
fn texts(manifest: &Path) -> Vec<String> {
    let mut files: Vec<PathBuf> = Vec::new();
    let mut pending = vec![(manifest.parent().unwrap_or(Path::new("")).to_owned(), 0)];
    while let Some((folder, depth)) = pending.pop() {
        for path in fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
            let name = path.file_name().unwrap_or_default().to_string_lossy().to_uppercase();
            if path.is_dir() && depth < DEPTH {
                pending.push((path, depth + 1));
            } else if NAMES.iter().any(|known| name.starts_with(known))
                && path.metadata().is_ok_and(|found| found.is_file() && found.len() <= LONGEST)
                && !name.ends_with(".RS")
            {
                files.push(path);
            }
        }
    }
    files.sort();
    let read = |path: PathBuf| fs::read(path).ok().map(|bytes| String::from_utf8_lossy(&bytes).replace('\r', ""));
    files.into_iter().filter_map(read).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty()).collect()
}

/// Every package, then every text once with those that it is for.
fn write(packages: &[Package]) -> String {
    let mut out = "Cruxe is built from the packages below. Their licences follow, each once.\n\n".to_owned();
    let mut texts: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for Package { name, licence, texts: own } in packages {
        let _ = writeln!(out, "{name}: {licence}");
        own.iter().for_each(|text| texts.entry(text).or_default().push(name));
    }
    let mut texts: Vec<(Vec<&str>, &str)> = texts.into_iter().map(|(text, names)| (names, text)).collect();
    texts.sort();
    for (mut names, text) in texts {
        names.dedup();
        let _ = write!(out, "\n{}\n{}\n\n{text}\n", "=".repeat(80), names.join(", "));
    }
    out
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_linked_is_named_and_what_only_tests_need_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let manifest = |name: &str| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.join("vendored/c")).unwrap();
            fs::write(path.join("LICENSE-MIT"), "MIT: do as you like\r\n").unwrap();
            fs::write(path.join("vendored/c/COPYING"), format!("of {name}")).unwrap();
            fs::write(path.join("license.rs"), "fn main() {}").unwrap();
            path.join("Cargo.toml")
        };
        let package = |name: &str| json!({"id": name, "name": name, "version": "1.0.0", "license": "MIT", "manifest_path": manifest(name)});
        let needs = |name: &str, kind: Value| json!({"pkg": name, "dep_kinds": [{"kind": kind}]});
        let metadata = json!({
            "packages": (["cruxe-cli", "serde", "zip", "insta", "cc"].map(package)),
            "workspace_members": ["cruxe-cli"],
            "resolve": {"nodes": [
                {"id": "cruxe-cli", "deps": [needs("serde", json!(null)), needs("insta", json!("dev")), needs("zip", json!("build"))]},
                {"id": "serde", "deps": [needs("cc", json!("build"))]},
            ]},
        });
        let text = write(&packages(&metadata));
        assert!(text.contains("\nserde 1.0.0: MIT\nzip 1.0.0: MIT\n"), "{text}");
        assert_eq!(text.matches("MIT: do as you like\n").count(), 1, "{text}");
        assert!(text.contains("\nserde 1.0.0, zip 1.0.0\n\nMIT: do as you like\n"), "{text}");
        assert!(
            text.contains("of serde") && !text.contains("insta") && !text.contains("cc 1") && !text.contains("fn main")
        );
    }
}
