//! How much of a ref uses a definition.

use std::collections::HashSet;

use cruxe_model::VersionId;
use cruxe_model::facts::{Occurrence, Role};

use super::occurrence::Resolution;
use super::{Def, Resolver};
use crate::search::stats::{FileClass, class};

/// A name that more files have is everybody's (`Meta`, `Command`), and reading them all would keep the answer waiting.
const MAX_FILES: usize = 16;
/// The same for files of any kind: to tell which of them are source takes a moment too.
const MAX_MENTIONS: usize = 64;
/// Uses of the name that are looked at in one file: the first ones import it or stand for the rest.
const MAX_USES: usize = 2;

impl Resolver<'_> {
    /// How many other files of source use each of some definitions, or the type that it belongs to where it is a member:
    /// who asks for a member means that of the type that is worked with. Tests and examples tell how well something is
    /// tested, not how much it is used.
    pub fn users(&self, defs: &[Def]) -> Vec<usize> {
        let owners: Vec<(Def, String, String)> = defs.iter().map(|def| self.user_side(*def)).collect();
        let mut users = vec![0; defs.len()];
        let names: HashSet<&str> = owners.iter().map(|(_, name, _)| name.as_str()).collect();
        for name in names {
            let mut versions = self.mentioning(name);
            if versions.len() <= MAX_MENTIONS {
                versions.retain(|version| self.is_source(*version));
            }
            if versions.len() > MAX_FILES {
                continue;
            }
            for version in versions {
                if self.is_cancelled() || self.is_late() {
                    return users;
                }
                let used = self.used_in(version, name);
                for ((owner, _, qualified), users) in owners.iter().zip(&mut users) {
                    let here = |def: &Def| def.version == owner.version && self.is_called(*def, qualified);
                    *users += usize::from(owner.version != version && used.iter().any(here));
                }
            }
        }
        users
    }

    /// The definition whose uses count for another: its owner, or it itself; with its names.
    fn user_side(&self, def: Def) -> (Def, String, String) {
        let owner = self.file(def.version).and_then(|file| self.owner(&file, def)).flatten().unwrap_or(def);
        let names = self.with(owner, |_, symbol| (symbol.name.clone(), symbol.qualified_name.clone()));
        let (name, qualified) = names.unwrap_or_default();
        (owner, name, qualified)
    }

    fn is_source(&self, version: VersionId) -> bool {
        let row = self.kept(self.snapshot.file(version));
        row.is_some_and(|row| class(&row.path, &row.language) == FileClass::Source)
    }

    /// What a file means by a name.
    fn used_in(&self, version: VersionId, name: &str) -> Vec<Def> {
        let Some(file) = self.file(version) else { return Vec::new() };
        let Some(id) = file.name_id(name) else { return Vec::new() };
        // What stands behind a value is a member of its type, which takes long to find out.
        let named = |occurrence: &&Occurrence| {
            occurrence.role == Role::Import || occurrence.role.is_type() || occurrence.receiver.is_none()
        };
        let uses = file.uses_of(id).filter(named);
        let mut found = Vec::new();
        for occurrence in uses.take(MAX_USES) {
            if let Resolution::Defs(defs, _) = self.resolve(&file, occurrence) {
                found.extend(defs);
            }
        }
        found
    }

    fn is_called(&self, def: Def, qualified: &str) -> bool {
        self.with(def, |_, symbol| symbol.qualified_name == qualified).unwrap_or(false)
    }
}
