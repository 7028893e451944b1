//! Who takes a module as a whole, and calls it as they like: `const make = require('./app')`.

use std::collections::HashSet;
use std::sync::Arc;

use cruxe_extract::naming::System;
use cruxe_model::VersionId;
use cruxe_model::facts::{Import, module_tail};

use super::file::File;
use super::{Def, Resolver};

/// Modules that only hand another one on, one after the other.
const MAX_LINKS: usize = 8;

impl Resolver<'_> {
    /// The versions that may require what a file exports as a whole, also through modules that hand it on.
    pub fn requiring(&self, file: &Arc<File>, defs: &HashSet<Def>) -> Vec<VersionId> {
        if file.lang.naming.system != System::Ecma {
            return Vec::new();
        }
        let mut versions = HashSet::new();
        let mut links = vec![Arc::clone(file)];
        let mut at = 0;
        while let Some(link) = links.get(at).cloned() {
            at += 1;
            for version in tails(link.path()).into_iter().flat_map(|tail| self.mentioning(&tail)) {
                if !versions.insert(version) {
                    continue;
                }
                let Some(other) = self.file(version).filter(|_| links.len() < MAX_LINKS) else { continue };
                let hands_on = |at: &u32| self.imports_any(&other, *at, defs);
                if other.id() != file.id() && other.exported("default").any(|at| hands_on(&at)) {
                    links.push(other);
                }
            }
        }
        versions.into_iter().collect()
    }

    /// Whether an import takes a module as a whole under a name.
    pub fn takes_whole(file: &File, import: &Import) -> bool {
        file.lang.naming.system == System::Ecma && import.name.is_none() && !import.glob && import.alias.is_some()
    }
}

/// The last names that paths to a file may have: its own, and for the index or entry of a folder that of the folder, which may be
/// left open.
fn tails(path: &str) -> Vec<String> {
    let own = module_tail(path);
    let mut tails = vec![own.to_owned()];
    let mut folders = path.rsplit('/').skip(1);
    if own == "index" {
        tails.extend([folders.next().unwrap_or_default(), ".", ".."].map(str::to_owned));
        tails.retain(|tail| !tail.is_empty());
    }
    tails
}

#[cfg(test)]
mod tests {
    use super::tails;

    #[test]
    fn a_file_is_required_by_its_name_and_an_index_by_its_folder() {
        assert_eq!(tails("lib/reply.js"), ["reply"]);
        assert_eq!(tails("lib/router/index.js"), ["index", "router", ".", ".."]);
        assert_eq!(tails("index.ts"), ["index", ".", ".."]);
        assert_eq!(tails("a/b.service.ts"), ["b.service"]);
    }
}
