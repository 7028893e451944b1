//! Packages: which of them a manifest declares, and which it depends on.
//!
//! A package is written `ecosystem:name`, with the name as others depend on it, in one spelling: `cargo:tokio_util`, `npm:@scope/name`,
//! `go:github.com/gorilla/mux`, `python:ruamel-yaml`, `maven:com.google.code.gson:gson`. What is read here is what people write by hand;
//! scripts that make up their dependencies are not run.

use std::collections::BTreeSet;

use cruxe_model::RepoPath;
use serde_json::Value;

use crate::manifest;

/// What a manifest says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Declared {
    /// The package that it is the manifest of.
    pub offers: BTreeSet<String>,
    /// The packages that it depends on, for whatever.
    pub needs: BTreeSet<String>,
}

/// Whether a file may declare packages, by its name.
pub fn is_manifest(path: &RepoPath) -> bool {
    reader(path).is_some()
}

/// Reads a manifest; nothing of one that cannot be read.
pub fn declared(path: &RepoPath, text: &str) -> Declared {
    let mut declared = Declared::default();
    if let Some(read) = reader(path) {
        read(path, text, &mut declared);
    }
    declared
}

/// The ecosystem of a language's packages; `None` where we know none.
pub fn ecosystem(language: &str) -> Option<&'static str> {
    Some(match language {
        "rust" => "cargo",
        "javascript" | "typescript" | "tsx" | "jsx" | "vue" | "svelte" => "npm",
        "go" => "go",
        "python" => "python",
        "java" | "kotlin" | "scala" | "groovy" => "maven",
        _ => return None,
    })
}

type Read = fn(&RepoPath, &str, &mut Declared);

fn reader(path: &RepoPath) -> Option<Read> {
    Some(match path.file_name() {
        "Cargo.toml" => cargo,
        "package.json" => npm,
        "go.mod" => go,
        "pyproject.toml" => pyproject,
        "setup.cfg" => setup_cfg,
        "setup.py" => setup_py,
        "pom.xml" => maven,
        "build.gradle" | "build.gradle.kts" | "settings.gradle" | "settings.gradle.kts" => gradle,
        name if name.starts_with("requirements") && name.ends_with(".txt") => requirements,
        _ => return None,
    })
}

fn cargo(_: &RepoPath, text: &str, declared: &mut Declared) {
    let Ok(manifest) = text.parse::<toml::Table>() else { return };
    declared.offers.extend(manifest::cargo(text).map(|package| format!("cargo:{}", package.name)));
    let platforms = manifest.get("target").and_then(toml::Value::as_table);
    let platforms = platforms.into_iter().flat_map(|all| all.values()).filter_map(toml::Value::as_table);
    let shared = manifest.get("workspace").and_then(toml::Value::as_table);
    for table in std::iter::once(&manifest).chain(platforms).chain(shared) {
        for list in ["dependencies", "dev-dependencies", "build-dependencies"] {
            let list = table.get(list).and_then(toml::Value::as_table).into_iter().flatten();
            // `alias = { package = "name" }`.
            let named = list.map(|(key, value)| value.get("package").and_then(toml::Value::as_str).unwrap_or(key));
            declared.needs.extend(named.map(|name| format!("cargo:{}", name.replace('-', "_"))));
        }
    }
}

fn npm(_: &RepoPath, text: &str, declared: &mut Declared) {
    let Ok(manifest) = serde_json::from_str::<Value>(text) else { return };
    declared.offers.extend(manifest.get("name").and_then(Value::as_str).map(|name| format!("npm:{name}")));
    for list in ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"] {
        let list = manifest.get(list).and_then(Value::as_object).into_iter().flatten();
        declared.needs.extend(list.map(|(name, _)| format!("npm:{name}")));
    }
}

fn go(_: &RepoPath, text: &str, declared: &mut Declared) {
    declared.offers.extend(manifest::go_module(text).map(|module| format!("go:{module}")));
    let mut in_list = false;
    for line in text.lines().map(str::trim) {
        let entry = match line.strip_prefix("require") {
            Some(rest) if rest.trim() == "(" => {
                in_list = true;
                continue;
            }
            Some(rest) if rest.starts_with([' ', '\t']) => rest.trim(),
            _ if line == ")" => {
                in_list = false;
                continue;
            }
            _ if in_list => line,
            _ => continue,
        };
        let module = entry.split_whitespace().next().filter(|module| !module.starts_with("//"));
        declared.needs.extend(module.map(|module| format!("go:{}", module.trim_matches('"'))));
    }
}

fn pyproject(_: &RepoPath, text: &str, declared: &mut Declared) {
    let Ok(manifest) = text.parse::<toml::Table>() else { return };
    let at = |keys: &[&str]| {
        let root = toml::Value::Table(manifest.clone());
        keys.iter().try_fold(root, |value, key| value.get(key).cloned())
    };
    for keys in [&["project", "name"][..], &["tool", "poetry", "name"]] {
        declared.offers.extend(at(keys).and_then(|name| python(name.as_str()?)));
    }
    let mut lists: Vec<toml::Value> = at(&["project", "dependencies"]).into_iter().collect();
    for keys in [&["project", "optional-dependencies"][..], &["dependency-groups"]] {
        lists.extend(at(keys).and_then(|table| table.as_table().cloned()).into_iter().flatten().map(|(_, list)| list));
    }
    for list in lists.iter().filter_map(toml::Value::as_array) {
        declared.needs.extend(list.iter().filter_map(|entry| python(entry.as_str()?)));
    }
    let mut tables: Vec<toml::Value> = at(&["tool", "poetry", "dependencies"]).into_iter().collect();
    tables.extend(at(&["tool", "poetry", "dev-dependencies"]));
    let groups = at(&["tool", "poetry", "group"]).and_then(|groups| groups.as_table().cloned());
    tables.extend(groups.into_iter().flatten().filter_map(|(_, group)| group.get("dependencies").cloned()));
    for table in tables.iter().filter_map(toml::Value::as_table) {
        declared.needs.extend(table.keys().filter(|name| *name != "python").filter_map(|name| python(name)));
    }
}

fn setup_cfg(_: &RepoPath, text: &str, declared: &mut Declared) {
    let mut key = String::new();
    for line in text.lines() {
        let is_more = line.starts_with([' ', '\t']);
        let value = match line.split_once('=').filter(|_| !is_more) {
            Some((name, value)) => {
                key = name.trim().to_owned();
                value.trim()
            }
            None if is_more => line.trim(),
            None => {
                key = line.trim().to_owned();
                continue;
            }
        };
        match key.as_str() {
            "name" if !is_more => declared.offers.extend(python(value)),
            "install_requires" | "setup_requires" | "tests_require" => declared.needs.extend(python(value)),
            _ => {}
        }
    }
}

/// The plain texts of a `setup.py`; it is not run.
fn setup_py(_: &RepoPath, text: &str, declared: &mut Declared) {
    let after = |key: &str| {
        let at = text.match_indices(key).find(|(at, _)| text[at + key.len()..].trim_start().starts_with('='))?.0;
        Some(text[at + key.len()..].trim_start().strip_prefix('=')?.trim_start())
    };
    let quoted = |text: &str| -> Vec<String> {
        let mut found = Vec::new();
        let mut rest = text;
        while let Some(at) = rest.find(['"', '\'']) {
            let mark = rest[at..].chars().next().unwrap_or('"');
            let Some(end) = rest[at + 1..].find(mark) else { break };
            found.push(rest[at + 1..at + 1 + end].to_owned());
            rest = &rest[at + end + 2..];
        }
        found
    };
    if let Some(name) = after("name").filter(|rest| rest.starts_with(['"', '\''])) {
        declared.offers.extend(quoted(name).first().and_then(|name| python(name)));
    }
    for key in ["install_requires", "tests_require", "setup_requires"] {
        let list = after(key).filter(|rest| rest.starts_with('[')).and_then(|rest| rest.split(']').next());
        declared.needs.extend(list.into_iter().flat_map(quoted).filter_map(|entry| python(&entry)));
    }
}

fn requirements(_: &RepoPath, text: &str, declared: &mut Declared) {
    let entries = text.lines().map(str::trim).filter(|line| !line.starts_with(['#', '-']));
    declared.needs.extend(entries.filter_map(python));
}

/// The name at the beginning of a requirement, in the spelling that all spellings of it have.
fn python(requirement: &str) -> Option<String> {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let name = requirement.trim().split(|c| !is_letter(c)).next().filter(|name| !name.is_empty())?;
    let name = name.to_ascii_lowercase().replace(['_', '.'], "-");
    Some(format!("python:{name}"))
}

fn maven(_: &RepoPath, text: &str, declared: &mut Declared) {
    // Of nested parts only dependencies and the parent count; what they have is not the project's own.
    let mut own = text.to_owned();
    for part in ["dependencies", "build", "profiles", "dependencyManagement", "reporting"] {
        own = without(&own, part);
    }
    let parent = inside(&own, "parent").map(str::to_owned);
    let own = without(&own, "parent");
    let group = tag(&own, "groupId").or_else(|| tag(parent.as_deref()?, "groupId"));
    if let (Some(group), Some(artifact)) = (group, tag(&own, "artifactId")) {
        declared.offers.insert(format!("maven:{group}:{artifact}"));
    }
    let mut rest = text;
    while let Some(dependency) = inside(rest, "dependency") {
        if let (Some(group), Some(artifact)) = (tag(dependency, "groupId"), tag(dependency, "artifactId")) {
            declared.needs.insert(format!("maven:{group}:{artifact}"));
        }
        let end = dependency.as_ptr() as usize - rest.as_ptr() as usize + dependency.len();
        rest = &rest[end..];
    }
}

/// What stands in the first element of a name.
fn inside<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let (open, close) = (format!("<{name}>"), format!("</{name}>"));
    let start = text.find(&open)? + open.len();
    let end = start + text[start..].find(&close)?;
    Some(&text[start..end])
}

fn tag(text: &str, name: &str) -> Option<String> {
    inside(text, name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty() && !value.contains("${"))
}

/// The text without the elements of a name.
fn without(text: &str, name: &str) -> String {
    let close = format!("</{name}>");
    let mut left = String::new();
    let mut rest = text;
    while let Some(part) = inside(rest, name) {
        let start = part.as_ptr() as usize - rest.as_ptr() as usize;
        left.push_str(&rest[..start]);
        rest = &rest[start + part.len() + close.len()..];
    }
    left.push_str(rest);
    left
}

fn gradle(path: &RepoPath, text: &str, declared: &mut Declared) {
    let quoted = |line: &str| -> Option<String> {
        let at = line.find(['"', '\''])?;
        let mark = line[at..].chars().next()?;
        let end = line[at + 1..].find(mark)?;
        Some(line[at + 1..at + 1 + end].to_owned())
    };
    let mut group = None;
    for line in text.lines().map(str::trim).filter(|line| !line.starts_with("//")) {
        if line.starts_with("group") && !line.starts_with("groupId") {
            group = group.or_else(|| quoted(line));
        }
        let Some(named) = quoted(line) else { continue };
        let mut parts = named.split(':');
        // `implementation "group:name:version"`, whatever the word before it is.
        if let (Some(group), Some(name)) = (parts.next(), parts.next())
            && [group, name].iter().all(|part| is_coordinate(part))
        {
            declared.needs.insert(format!("maven:{group}:{name}"));
        }
    }
    let folder = path.parent().rsplit('/').next().unwrap_or_default();
    if let Some(group) = group.filter(|group| is_coordinate(group) && !folder.is_empty()) {
        declared.offers.insert(format!("maven:{group}:{folder}"));
    }
}

fn is_coordinate(part: &str) -> bool {
    !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(path: &str, text: &str) -> (Vec<String>, Vec<String>) {
        let declared = declared(&RepoPath::parse(path).unwrap(), text);
        (declared.offers.into_iter().collect(), declared.needs.into_iter().collect())
    }

    fn list(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn a_crate_needs_what_it_is_built_with_under_its_real_name() {
        let text = "[package]\nname = \"my-app\"\n[dependencies]\ntokio-util = \"1\"\nold = { package = \"serde\", version = \"1\" }\n\
                    [workspace.dependencies]\nanyhow = \"1\"\n";
        let needs = list(&["cargo:anyhow", "cargo:serde", "cargo:tokio_util"]);
        assert_eq!(read("Cargo.toml", text), (list(&["cargo:my_app"]), needs));
        assert_eq!(read("Cargo.toml", "[package"), (list(&[]), list(&[])));
    }

    #[test]
    fn npm_and_go_name_packages_as_imports_do() {
        let text = r#"{"name": "@a/b", "dependencies": {"react": "1"}, "devDependencies": {"@t/x": "1"}}"#;
        assert_eq!(read("web/package.json", text), (list(&["npm:@a/b"]), list(&["npm:@t/x", "npm:react"])));
        let text = "module example.org/app\n\nrequire example.org/one v1\n\nrequire (\n\texample.org/two v2 // indirect\n\t// no\n)\n\
                    replace example.org/x => ../x\n";
        let needs = list(&["go:example.org/one", "go:example.org/two"]);
        assert_eq!(read("go.mod", text), (list(&["go:example.org/app"]), needs));
    }

    #[test]
    fn python_has_many_places_and_one_spelling() {
        let text = "[project]\nname = \"My_App\"\ndependencies = [\"Flask>=2\", \"ruamel.yaml ; python_version > '3'\"]\n\
                    [project.optional-dependencies]\ndev = [\"pytest[x]\"]\n";
        let needs = list(&["python:flask", "python:pytest", "python:ruamel-yaml"]);
        assert_eq!(read("pyproject.toml", text), (list(&["python:my-app"]), needs));
        let text = "[tool.poetry]\nname = \"p\"\n[tool.poetry.dependencies]\npython = \"^3\"\nrequests = \"*\"\n";
        assert_eq!(read("pyproject.toml", text), (list(&["python:p"]), list(&["python:requests"])));
        let text = "[metadata]\nname = cfg\n[options]\ninstall_requires =\n    attrs>=1\n    click\nzip_safe = no\n";
        assert_eq!(read("setup.cfg", text), (list(&["python:cfg"]), list(&["python:attrs", "python:click"])));
        let text = "setup(\n  name='old',\n  install_requires=['six', \"Jinja2>=2\"],\n)\n";
        assert_eq!(read("setup.py", text), (list(&["python:old"]), list(&["python:jinja2", "python:six"])));
        assert_eq!(read("requirements-dev.txt", "# c\n-r x.txt\nblack==1\n").1, list(&["python:black"]));
    }

    #[test]
    fn maven_and_gradle_share_their_packages() {
        let text = "<project><parent><groupId>org.a</groupId><artifactId>all</artifactId></parent><artifactId>core</artifactId>\
                    <dependencies><dependency><groupId>com.b</groupId><artifactId>util</artifactId></dependency></dependencies></project>";
        assert_eq!(read("core/pom.xml", text), (list(&["maven:org.a:core"]), list(&["maven:com.b:util"])));
        let text = "group = 'org.g'\ndependencies {\n  implementation \"com.b:util:1.0\"\n  // api 'x:y:1'\n  api project(':core')\n}\n";
        assert_eq!(read("lib/build.gradle", text), (list(&["maven:org.g:lib"]), list(&["maven:com.b:util"])));
    }

    #[test]
    fn what_declares_nothing_is_no_manifest() {
        assert!(!is_manifest(&RepoPath::parse("src/package.rs").unwrap()));
        assert_eq!(read("notes.txt", "flask"), (list(&[]), list(&[])));
        for text in ["\u{0}", "<dependency>", "\"", "name=", "[", "{", "require ("] {
            for path in ["pom.xml", "setup.py", "setup.cfg", "go.mod", "build.gradle", "package.json", "pyproject.toml"]
            {
                read(path, text);
            }
        }
    }
}
