//! What an imported compiler's index says, which goes before anything that is found out here.

use std::collections::HashSet;
use std::sync::Arc;

use cruxe_model::VersionId;
use cruxe_model::facts::Role;
use cruxe_store::CompilerRole;

use super::file::File;
use super::{Def, Resolver};

/// What a compiler's index says about the name at an offset.
pub(super) enum Said {
    /// It means these definitions.
    Defs(Vec<Def>),
    /// It means something outside the project.
    Elsewhere,
    /// The file is covered, and the compiler could not tell, or it means what is no symbol here: a local, a parameter.
    Silence,
    /// The file is not covered, or what was meant is in a file that has changed since.
    Unknown,
}

/// A use of a definition that a compiler's index names.
pub struct ExactUse {
    /// The file.
    pub file: Arc<File>,
    /// The offset.
    pub start: u32,
    /// What it is, by the file's own facts where they know the place.
    pub role: Role,
}

impl Resolver<'_> {
    pub(super) fn said(&self, file: &File, start: u32) -> Said {
        let Some((compiler, facts)) = self.compiler.as_ref().and_then(|all| Some((all, all.facts(file.id())?))) else {
            return Said::Unknown;
        };
        let (mut defs, mut outdated, mut elsewhere) = (Vec::new(), false, false);
        for (symbol, _) in facts.at(start) {
            if !symbol.own {
                elsewhere = true;
                continue;
            }
            let places = compiler.definitions(symbol.key);
            outdated |= places.is_empty();
            defs.extend(places.into_iter().flat_map(|(version, start)| self.defined_at(version, start)));
        }
        defs.sort_unstable();
        defs.dedup();
        match (defs.is_empty(), outdated, elsewhere) {
            (false, ..) => Said::Defs(defs),
            (true, true, _) => Said::Unknown,
            (true, false, true) => Said::Elsewhere,
            (true, false, false) => Said::Silence,
        }
    }

    /// The definitions whose name stands at an offset.
    fn defined_at(&self, version: VersionId, start: u32) -> Vec<Def> {
        let Some(file) = self.file(version) else { return Vec::new() };
        file.named_at(start).map(|symbol| Def { version, symbol }).collect()
    }

    /// The uses that a compiler's index has of some definitions.
    pub fn exact_uses(&self, defs: &HashSet<Def>) -> Vec<ExactUse> {
        let Some(compiler) = &self.compiler else { return Vec::new() };
        let mut keys: Vec<u64> = Vec::new();
        for def in defs {
            let Some((facts, file)) = compiler.facts(def.version).zip(self.file(def.version)) else { continue };
            let named = facts.at(file.symbol(def.symbol).name_span.start);
            keys.extend(named.filter(|(_, role)| *role == CompilerRole::Definition).map(|(symbol, _)| symbol.key));
        }
        keys.sort_unstable();
        keys.dedup();
        let mut uses = Vec::new();
        for key in keys {
            for version in compiler.users(key) {
                let Some((facts, file)) = compiler.facts(version).zip(self.file(version)) else { continue };
                for occurrence in facts.of(key).filter(|occurrence| occurrence.role != CompilerRole::Definition) {
                    let start = occurrence.start;
                    let imported = || occurrence.role == CompilerRole::Import || file.follows_import(start);
                    let role =
                        file.role_at(start).unwrap_or_else(|| if imported() { Role::Import } else { Role::Value });
                    uses.push(ExactUse { file: Arc::clone(&file), start, role });
                }
            }
        }
        uses
    }
}
