//! Sets of file versions.

use std::ops::BitOr;

use cruxe_model::VersionId;
use roaring::RoaringBitmap;

/// Some file versions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VersionSet(pub(crate) RoaringBitmap);

impl VersionSet {
    /// Adds a version.
    pub fn insert(&mut self, version: VersionId) {
        self.0.insert(version);
    }

    /// Whether it has a version.
    pub fn contains(&self, version: VersionId) -> bool {
        self.0.contains(version)
    }

    /// How many there are.
    pub fn len(&self) -> u64 {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The versions by id.
    pub fn iter(&self) -> impl Iterator<Item = VersionId> + '_ {
        self.0.iter()
    }

    /// The versions of any of some sets.
    pub fn union<'a>(sets: impl IntoIterator<Item = &'a VersionSet>) -> VersionSet {
        VersionSet(sets.into_iter().fold(RoaringBitmap::new(), |all, set| all.bitor(&set.0)))
    }
}

impl FromIterator<VersionId> for VersionSet {
    fn from_iter<I: IntoIterator<Item = VersionId>>(versions: I) -> VersionSet {
        VersionSet(versions.into_iter().collect())
    }
}
