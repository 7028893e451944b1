//! A symbol as other repositories know it: the package that offers it, and what their imports begin with.

use std::collections::BTreeSet;

use cruxe_extract::packages;
use cruxe_index::{Layers, View};

use crate::error::QueryError;
use crate::external;
use crate::name::{WantedName, segments};
use crate::references::{self, Question, ReferenceList, Subject, resolver};
use crate::symbol::SymbolRef;

/// Where a symbol comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The plain name.
    pub name: String,
    /// The package that offers it, as `cargo:serde`.
    pub package: String,
    /// What a path to it begins with in code that imports it.
    roots: Vec<String>,
}

/// Where a symbol of a ref comes from; `None` where no manifest around it says.
pub fn of(view: &View, symbol: &SymbolRef) -> Result<Option<Origin>, QueryError> {
    let Some(published) = &view.published else { return Ok(None) };
    let files = published.files()?;
    let Some(own) = files.iter().find(|file| file.path.as_str() == symbol.path) else { return Ok(None) };
    let Some(ecosystem) = packages::ecosystem(&own.language) else { return Ok(None) };
    // The nearest manifest around the file that offers something.
    let around = |folder: &str| {
        folder.is_empty() || own.path.as_str().strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
    };
    let mut manifests: Vec<_> =
        files.iter().filter(|file| packages::is_manifest(&file.path) && around(file.path.parent())).collect();
    manifests.sort_by_key(|file| (std::cmp::Reverse(file.path.parent().len()), file.path.clone()));
    for manifest in manifests {
        let Some(bytes) = view.project.read(manifest) else { continue };
        let offers = packages::declared(&manifest.path, &cruxe_extract::as_text(&bytes).0).offers;
        let name = offers.iter().find_map(|package| package.strip_prefix(ecosystem)?.strip_prefix(':'));
        if let Some(name) = name {
            let roots = roots(ecosystem, name, manifest.path.parent(), symbol);
            let (package, name) = (format!("{ecosystem}:{name}"), symbol.name.clone());
            return Ok(Some(Origin { name, package, roots }));
        }
    }
    Ok(None)
}

/// What imports of a symbol begin with, by the habits of its ecosystem.
fn roots(ecosystem: &str, package: &str, folder: &str, symbol: &SymbolRef) -> Vec<String> {
    let first = || segments(&symbol.qualified_name).next().unwrap_or_default().to_owned();
    match ecosystem {
        // Every folder is a package of its own; what is below it is another.
        "go" => {
            let below = symbol.path.strip_prefix(folder).unwrap_or(&symbol.path).trim_start_matches('/');
            let below = below.rsplit_once('/').map_or(String::new(), |(below, _)| format!("/{below}"));
            vec![format!("{package}{below}.")]
        }
        // A distribution may be called otherwise than its modules.
        "python" => vec![first()],
        // Packages are in small letters, types are not.
        "maven" => {
            let is_package = |part: &&str| part.starts_with(|c: char| c.is_lowercase());
            let parts: Vec<&str> = segments(&symbol.qualified_name).take_while(is_package).collect();
            vec![if parts.is_empty() { symbol.qualified_name.clone() } else { parts.join(".") }]
        }
        "cargo" => BTreeSet::from([package.to_owned(), first()]).into_iter().collect(),
        _ => vec![package.to_owned()],
    }
}

/// The uses of a symbol of another repository; `None` where nothing here may be one.
pub fn uses(
    view: &View,
    layers: &Layers,
    question: &Question,
    origin: &Origin,
) -> Result<Option<ReferenceList>, QueryError> {
    let resolver = resolver(view)?;
    let wanted = WantedName { plain: origin.name.clone(), qualifiers: Vec::new() };
    match external::uses_below(&resolver, wanted, &origin.roots, question.edge.into()) {
        Some((external, uses)) => {
            references::listed(view, layers, question, &resolver, Subject::External(external), uses).map(Some)
        }
        None => {
            resolver.check()?;
            Ok(None)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::Wanted;
    use crate::testing::Indexed;

    /// The origin of a name in one repository, and the lines of its uses in another.
    fn ask(home: &[(&str, &str)], other: &[(&str, &str)], name: &str) -> (String, Vec<String>) {
        let (home, other) = (Indexed::new(home), Indexed::new(other));
        let question = Question {
            wanted: Wanted { name: name.to_owned(), ..Wanted::default() },
            limit: 20,
            ..Question::default()
        };
        let view = home.view();
        let Subject::Defined(target) = references::find(&view, &Layers::None, &question).unwrap().subject else {
            panic!("{name} is not defined")
        };
        let origin = of(&view, &target.symbol).unwrap().unwrap();
        let found = uses(&other.view(), &Layers::None, &question, &origin).unwrap();
        let lines = found.into_iter().flat_map(|found| found.references);
        (origin.package, lines.map(|one| format!("{}:{} {}", one.path, one.line, one.context)).collect())
    }

    #[test]
    fn a_crate_is_known_by_its_name_whatever_module_hands_the_symbol_on() {
        let home = [
            ("Cargo.toml", "[package]\nname = \"rate-kit\"\n"),
            ("src/lib.rs", "pub mod window;\npub use window::Limiter;\n"),
            ("src/window.rs", "pub struct Limiter;\n"),
        ];
        let other = [
            ("Cargo.toml", "[package]\nname = \"app\"\n[dependencies]\nrate-kit = \"1\"\n"),
            ("src/main.rs", "use rate_kit::Limiter;\n\nfn main() {\n    let _ = Limiter;\n}\n"),
            ("src/other.rs", "use rate_kit_extra::Limiter;\n\npub fn f(_: Limiter) {}\n"),
        ];
        let (package, lines) = ask(&home, &other, "Limiter");
        assert_eq!(package, "cargo:rate_kit");
        assert_eq!(lines, ["src/main.rs:1 use rate_kit::Limiter;", "src/main.rs:4 let _ = Limiter;"]);
    }

    #[test]
    fn modules_of_python_packages_of_npm_and_folders_of_go_are_told_apart() {
        let home =
            [("setup.py", "setup(name='Py-Kit')\n"), ("kit/__init__.py", ""), ("kit/app.py", "class App:\n    pass\n")];
        let other = [("a.py", "from kit.app import App\n\nApp()\n"), ("b.py", "from kits import App\n\nApp()\n")];
        let (package, lines) = ask(&home, &other, "App");
        assert_eq!((package.as_str(), lines.len()), ("python:py-kit", 2), "{lines:?}");
        let home = [("package.json", "{\"name\": \"kit\"}"), ("index.ts", "export function open() {}\n")];
        let other = [
            ("a.ts", "import { open } from \"kit\";\nopen();\n"),
            ("b.ts", "import { open } from \"kit-x\";\nopen();\n"),
        ];
        let (package, lines) = ask(&home, &other, "open");
        assert_eq!((package.as_str(), lines.len()), ("npm:kit", 2), "{lines:?}");
        let home = [("go.mod", "module example.org/kit\n"), ("sub/s.go", "package sub\n\nfunc Open() {}\n")];
        let other = [
            ("go.mod", "module example.org/app\nrequire example.org/kit v1\n"),
            ("a.go", "package app\n\nimport \"example.org/kit/sub\"\n\nfunc f() { sub.Open() }\n"),
            ("b/b.go", "package b\n\nimport \"example.org/kit\"\n\nfunc f() { kit.Open() }\n"),
        ];
        let (package, lines) = ask(&home, &other, "Open");
        assert_eq!(
            (package.as_str(), lines),
            ("go:example.org/kit", vec!["a.go:5 func f() { sub.Open() }".to_owned()])
        );
    }
}
