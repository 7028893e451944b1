//! Every registered language extracts its fixture exactly: `fixtures/<id>/…` against a reviewed snapshot.

use std::path::Path;

use cruxe_model::RepoPath;
use cruxe_model::facts::FileFacts;

use super::dump::dump;
use crate::languages::LANGUAGES;
use crate::place::Places;
use crate::registry;
use crate::{Extractor, Input};

/// Extracts a snippet at a path, as the only file of its repository.
pub fn extract(path: &str, text: &str) -> FileFacts {
    let path = RepoPath::parse(path).unwrap();
    let language = registry::detect(&path, text.as_bytes());
    let module = Places::default().module_of(&path, language);
    Extractor::default().extract(&Input { path: &path, module: &module, language, bytes: text.as_bytes() })
}

/// The module that the files around it give a file.
pub fn module_at(markers: &[(&str, &str)]) -> impl Fn(&str) -> String {
    let mut places = Places::default();
    for (path, content) in markers {
        places.add(&RepoPath::parse(path).unwrap(), content.as_bytes());
    }
    move |path| {
        let path = RepoPath::parse(path).unwrap();
        places.module_of(&path, registry::detect(&path, b""))
    }
}

#[test]
fn every_language_extracts_its_fixture_exactly() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    for def in LANGUAGES {
        let mut files: Vec<_> = std::fs::read_dir(root.join(def.id))
            .unwrap_or_else(|problem| panic!("no fixture for {}: {problem}", def.id))
            .map(|entry| entry.unwrap().path())
            .collect();
        files.sort();
        assert!(!files.is_empty(), "no fixture for {}", def.id);
        for file in files {
            let name = file.file_name().unwrap().to_str().unwrap().to_owned();
            let facts = extract(&format!("src/{name}"), &std::fs::read_to_string(&file).unwrap());
            assert_eq!(facts.language, def.name, "{name}");
            insta::assert_snapshot!(format!("{}__{name}", def.id), dump(&facts));
        }
    }
}
