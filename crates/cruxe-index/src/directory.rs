//! The directory of a project: what its index has in brief, with the packages that its manifests tell of.

use std::collections::BTreeSet;
use std::path::Path;

use cruxe_extract::packages;
use cruxe_model::config::Config;
use cruxe_store::{Directory, Home, PackageName, ProjectDir, Snapshot, Stamp, Store, StoreError, VersionSet};

use crate::project::Project;

/// Manifests of one project that are read; a repository with more of them is many.
const MAX_MANIFESTS: usize = 2_000;

/// What the index of a registered project has in brief, and the state of the index that this is of. The repository itself is only
/// looked at where that is not known yet.
pub fn directory(dir: &ProjectDir, root: &Path, home: &Home) -> Result<(Stamp, Directory), StoreError> {
    Store::open(dir.clone()).directory(|snapshot| {
        let refs = snapshot.refs().unwrap_or_default();
        let versions = VersionSet::union(refs.iter().map(|state| &state.versions));
        match Project::locate(root, home, Config::default()) {
            Ok(project) => project.packages(snapshot, &versions),
            Err(_) => Default::default(),
        }
    })
}

impl Project {
    /// The same of one published ref; `None` where it is not published.
    pub fn directory_of_ref(&self, name: &str) -> Result<Option<Directory>, StoreError> {
        let Some(published) = self.store.ref_snapshot(name)? else { return Ok(None) };
        let versions = published.state.versions.clone();
        let mut directory = self.store.directory_of(&versions)?;
        (directory.offers, directory.needs) = self.packages(&published, &versions);
        Ok(Some(directory))
    }

    /// The packages that the manifests among some versions offer and need. What cannot be read declares nothing.
    fn packages(&self, snapshot: &Snapshot, versions: &VersionSet) -> (Vec<PackageName>, Vec<PackageName>) {
        let (mut offers, mut needs) = (BTreeSet::new(), BTreeSet::new());
        let files = snapshot.files_of(versions).unwrap_or_default();
        let manifests = files.iter().filter(|file| packages::is_manifest(&file.path)).take(MAX_MANIFESTS);
        for file in manifests {
            let Some(bytes) = self.read(file) else { continue };
            let declared = packages::declared(&file.path, &cruxe_extract::as_text(&bytes).0);
            offers.extend(declared.offers);
            needs.extend(declared.needs);
        }
        (offers.into_iter().collect(), needs.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Fixture;

    #[test]
    fn a_directory_has_the_packages_of_all_manifests() {
        let fixture = Fixture::indexed(&[
            ("Cargo.toml", "[package]\nname = \"a-b\"\n[dependencies]\nserde = \"1\"\n"),
            ("web/package.json", "{\"name\": \"w\", \"dependencies\": {\"react\": \"1\"}}"),
            ("src/lib.rs", "pub fn total() {}\n"),
        ]);
        let project = &fixture.workspace.project;
        let dir = project.store.dir();
        let (_, found) = directory(dir, &project.root, &dir.home()).unwrap();
        assert_eq!(found.offers, ["cargo:a_b", "npm:w"]);
        assert_eq!(found.needs, ["cargo:serde", "npm:react"]);
        assert!(found.may_define("total"));
        let of_ref = project.directory_of_ref("live").unwrap().unwrap();
        assert_eq!((of_ref.offers, of_ref.needs), (found.offers, found.needs));
        assert!(project.directory_of_ref("other").unwrap().is_none());
    }
}
