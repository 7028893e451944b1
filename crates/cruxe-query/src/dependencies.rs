//! What the parts of a folder are, how large they are, and which of them imports from which.

use std::collections::{BTreeMap, HashMap};

use cruxe_index::View;
use cruxe_model::VersionId;

use crate::error::QueryError;
use crate::filter::is_test_file;
use crate::resolve::{Imported, Resolver};

/// A folder with its parts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FolderMap {
    /// Its folders and files, the largest first.
    pub parts: Vec<FolderPart>,
    /// How many parts are not listed.
    pub left_out: usize,
    /// Imports from one part by another, the most first.
    pub edges: Vec<Dependency>,
    /// Not everything was looked at, because the time was over.
    pub late: bool,
}

/// A folder or file right below the folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FolderPart {
    /// Where it is.
    pub path: String,
    /// Its last name.
    pub name: String,
    /// Whether it is a folder.
    pub is_folder: bool,
    /// Files in it.
    pub files: u64,
    /// Symbols in it.
    pub symbols: u64,
    /// Lines in it.
    pub lines: u64,
    /// Bytes in it.
    pub bytes: u64,
    /// Everything in it is tests.
    pub is_test: bool,
}

/// That a part imports from another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dependency {
    /// Who imports, by its place in the list of parts.
    pub from: usize,
    /// From whom.
    pub to: usize,
    /// How many files do.
    pub files: usize,
}

/// The parts of a folder, at most so many, and what they import from each other.
pub fn of_folder(view: &View, folder: &str, most: usize) -> Result<FolderMap, QueryError> {
    let Some(published) = &view.published else { return Ok(FolderMap::default()) };
    let folder = folder.trim_matches('/');
    let below = if folder.is_empty() { String::new() } else { format!("{folder}/") };
    let mut parts: BTreeMap<String, FolderPart> = BTreeMap::new();
    let mut files: Vec<(VersionId, String)> = Vec::new();
    for file in published.files()? {
        let Some(rest) = file.path.as_str().strip_prefix(&below) else { continue };
        let (name, is_folder) = rest.split_once('/').map_or((rest, false), |(name, _)| (name, true));
        let test = is_test_file(file.path.as_str(), &file.language);
        let part = parts.entry(name.to_owned()).or_insert_with(|| FolderPart {
            path: format!("{below}{name}"),
            name: name.to_owned(),
            is_folder,
            files: 0,
            symbols: 0,
            lines: 0,
            bytes: 0,
            is_test: true,
        });
        part.files += 1;
        part.symbols += u64::from(file.symbols);
        part.lines += u64::from(file.lines);
        part.bytes += file.bytes;
        part.is_test &= test;
        files.push((file.id, name.to_owned()));
    }
    let mut map = FolderMap { parts: parts.into_values().collect(), ..FolderMap::default() };
    map.parts.sort_by(|a, b| b.bytes.cmp(&a.bytes).then_with(|| a.name.cmp(&b.name)));
    map.left_out = map.parts.len().saturating_sub(most);
    map.parts.truncate(most);
    if let Some(resolver) = Resolver::new(view)? {
        add_edges(&mut map, &resolver, &below, &files);
        resolver.check()?;
    }
    Ok(map)
}

fn add_edges(map: &mut FolderMap, resolver: &Resolver, below: &str, files: &[(VersionId, String)]) {
    let places: HashMap<&str, usize> =
        map.parts.iter().enumerate().map(|(at, part)| (part.name.as_str(), at)).collect();
    let part_of: HashMap<VersionId, usize> =
        files.iter().filter_map(|(id, name)| Some((*id, *places.get(name.as_str())?))).collect();
    let mut counts: HashMap<(usize, usize), usize> = HashMap::new();
    for (id, _) in files {
        if resolver.is_late() || resolver.is_cancelled() {
            map.late = true;
            break;
        }
        let (Some(from), Some(file)) = (part_of.get(id), resolver.file(*id)) else { continue };
        let imported = resolver.imported(&file).into_iter().filter_map(|to| match to {
            Imported::File(version) => part_of.get(&version).copied(),
            Imported::Folder(folder) => {
                let rest = format!("{folder}/");
                places.get(rest.strip_prefix(below)?.split('/').next()?).copied()
            }
        });
        let mut others: Vec<usize> = imported.filter(|to| to != from).collect();
        others.sort_unstable();
        others.dedup();
        others.into_iter().for_each(|to| *counts.entry((*from, to)).or_default() += 1);
    }
    map.edges = counts.into_iter().map(|((from, to), files)| Dependency { from, to, files }).collect();
    map.edges.sort_by_key(|edge| (std::cmp::Reverse(edge.files), edge.from, edge.to));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Indexed;

    #[test]
    fn parts_have_their_sizes_and_who_imports_from_whom() {
        let files = [
            ("app/__init__.py", ""),
            ("app/db/__init__.py", ""),
            ("app/db/query.py", "def run(): pass\n"),
            ("app/web/__init__.py", ""),
            ("app/web/view.py", "from app.db.query import run\nimport app.db\nfrom app.main import go\nimport os\n"),
            ("app/main.py", "def go(): pass\n"),
            ("other.py", "from app.main import go\n"),
        ];
        let indexed = Indexed::new(&files);
        let map = of_folder(&indexed.view(), "app/", 10).unwrap();
        let names: Vec<(&str, u64, bool)> =
            map.parts.iter().map(|part| (part.name.as_str(), part.files, part.is_folder)).collect();
        assert_eq!(names, [("web", 2, true), ("db", 2, true), ("main.py", 1, false), ("__init__.py", 1, false)]);
        let edges: Vec<(&str, &str, usize)> = map
            .edges
            .iter()
            .map(|edge| (map.parts[edge.from].name.as_str(), map.parts[edge.to].name.as_str(), edge.files))
            .collect();
        assert!(edges.contains(&("web", "db", 1)) && edges.contains(&("web", "main.py", 1)), "{edges:?}");
        assert!(!edges.iter().any(|(from, ..)| *from == "db"), "{edges:?}");
        let cut = of_folder(&indexed.view(), "app", 1).unwrap();
        assert_eq!((cut.parts.len(), cut.left_out, cut.edges.len()), (1, 3, 0));
        let root = of_folder(&indexed.view(), "", 10).unwrap();
        assert_eq!(root.parts.iter().map(|part| part.name.as_str()).collect::<Vec<_>>(), ["app", "other.py"]);
        assert_eq!(root.edges, [Dependency { from: 1, to: 0, files: 1 }]);
    }
}
