//! Which of several definitions of a name is meant: every factor of that rank, each with its reason.
//!
//! The same idea as the ranking of a search, features and one weighted sum, but not its weights: the candidates have one
//! name, so words and meaning tell nothing, and what decides is how the definition stands in the code. The factors are
//! shown as they are, and [`WEIGHTS`] makes the rank of them.

use std::collections::HashMap;

use cruxe_index::View;
use cruxe_model::facts::SymbolIndex;
use cruxe_model::{RepoPath, SymbolKind, VersionId};
use cruxe_store::{FileRow, SymbolHit, SymbolTable};

use super::Matched;
use crate::error::QueryError;
use crate::resolve::{Def, Resolver};

/// Factors of the rank, each 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Score {
    /// How exactly the name matches.
    pub exact_match: f64,
    /// How well the qualifiers match.
    pub qualified_name: f64,
    /// How central the file is: 1 for plain source, less for examples, vendored and deep paths.
    pub path_affinity: f64,
    /// 1 for a definition that everyone can use, less for a private one, a declaration, a local or a test, and a little
    /// less for one that fewer files use than another of the same qualified name.
    pub definition: f64,
    /// How likely the kind is meant.
    pub kind: f64,
    /// How rare the name is: the same for all candidates of one name.
    pub rarity: f64,
}

/// What each factor is worth: exact match, qualifiers, path, definition, kind.
const WEIGHTS: [f64; 5] = [0.45, 0.10, 0.08, 0.22, 0.15];
/// A rarity that counts for a half on a scale from 0 to 1.
const MIDDLING_RARITY: f64 = 4.0;
/// Qualifiers that fit so well are those that were asked for.
const FITS: f64 = 0.9;
/// Beside such ones, what fits nearly as well stays.
const NEARLY_FITS: f64 = 0.85;

impl Score {
    /// The score of a definition that was asked for by its handle.
    pub(super) const CERTAIN: Score =
        Score { exact_match: 1.0, qualified_name: 1.0, path_affinity: 1.0, definition: 1.0, kind: 1.0, rarity: 1.0 };

    /// The rarity on a scale from 0 to 1.
    pub fn relative_rarity(&self) -> f64 {
        self.rarity / (self.rarity + MIDDLING_RARITY)
    }

    /// The rank, 0 to 1: the weighted sum of the factors, rarity aside.
    pub fn total(&self) -> f64 {
        let factors = [self.exact_match, self.qualified_name, self.path_affinity, self.definition, self.kind];
        factors.iter().zip(WEIGHTS).map(|(factor, weight)| factor * weight).sum()
    }
}

/// Every candidate of one tier, before its symbol is read.
pub(super) struct Candidate {
    pub(super) hit: SymbolHit,
    pub(super) file: FileRow,
    /// Read only where the name that is looked for has qualifiers.
    pub(super) qualified_name: String,
    pub(super) fit: f64,
    pub(super) score: Score,
}

/// Keeps the candidates whose qualifiers fit best: `A::new` has nothing to do with `B::A::x::new` once there is an
/// `A::new`.
pub(super) fn keep_best_fits(candidates: &mut Vec<Candidate>) {
    let best = candidates.iter().map(|candidate| candidate.fit).fold(0.0, f64::max);
    let enough = if best >= FITS { NEARLY_FITS } else { best };
    candidates.retain(|candidate| candidate.fit >= enough);
}

/// Overloads stand together, the first one first: what is written above an implementation says how it is called.
pub(super) fn in_order_of_text(candidates: &mut [Candidate]) {
    let mut best: HashMap<(VersionId, SymbolKind, String), f64> = HashMap::new();
    for candidate in candidates.iter() {
        let (hit, name) = (&candidate.hit, candidate.qualified_name.clone());
        let score = best.entry((hit.version, hit.kind, name)).or_insert(0.0);
        *score = score.max(candidate.score.definition);
    }
    for candidate in candidates {
        let key = (candidate.hit.version, candidate.hit.kind, candidate.qualified_name.clone());
        candidate.score.definition = best.get(&key).copied().unwrap_or(candidate.score.definition);
    }
}

/// Whether a member without a body stands where it is defined: what an interface or a trait asks for is defined by it.
pub(super) fn declares_its_own(table: &SymbolTable, at: u32) -> bool {
    let parent = table.symbols.get(at as usize).and_then(|symbol| symbol.parent);
    let kind = parent.and_then(|parent| table.symbols.get(parent.0 as usize)).map(|parent| parent.kind);
    matches!(kind, Some(SymbolKind::Interface | SymbolKind::Trait | SymbolKind::Type))
}

/// Of more namesakes than this none is likelier than the others.
const MAX_NAMESAKES: usize = 6;
/// What a definition that nobody else uses loses against one that is used: less than any other factor costs it.
pub(super) const UNUSED: f64 = 0.1;

/// Puts the namesakes that other files use before those that they do not: a qualified name with several definitions (a
/// class in two generations of an API, a type in two packages) mostly means the one that the code base works with.
pub(super) fn prefer_used(view: &View, candidates: &mut [Candidate]) -> Result<(), QueryError> {
    let place = |candidate: &Candidate| (candidate.hit.version, candidate.qualified_name.clone());
    let (mut places, mut defs) = (Vec::new(), Vec::new());
    for candidate in candidates.iter().filter(|candidate| candidate.hit.kind != SymbolKind::Impl) {
        if !places.contains(&place(candidate)) {
            places.push(place(candidate));
            defs.push(Def { version: candidate.hit.version, symbol: SymbolIndex(candidate.hit.position) });
        }
        if places.len() > MAX_NAMESAKES {
            return Ok(());
        }
    }
    if places.len() < 2 {
        return Ok(());
    }
    let Some(resolver) = Resolver::new(view)? else { return Ok(()) };
    let users = resolver.users(&defs);
    resolver.check()?;
    view.work.check()?;
    let most = users.iter().copied().max().unwrap_or(0);
    for candidate in candidates.iter_mut().filter(|_| most > 0) {
        let at = places.iter().position(|other| *other == place(candidate));
        let users = at.map_or(0, |at| users[at]);
        candidate.score.definition *= 1.0 - UNUSED * (most - users) as f64 / most as f64;
    }
    Ok(())
}

pub(super) fn rarity(files: u64, hits: usize) -> f64 {
    let (files, hits) = (files as f64, hits as f64);
    (1.0 + (files - hits + 0.5).max(0.5) / (hits + 0.5)).ln()
}

pub(super) fn score(hit: &SymbolHit, how: Matched, rarity: f64) -> Score {
    let exact_match = match how {
        Matched::Exact | Matched::Inherited => 1.0,
        Matched::Nearly => 0.8,
        Matched::Prefix => 0.6,
        Matched::Typo => 0.4,
    };
    let definition = match (hit.test, hit.local, hit.declaration) {
        (true, ..) => 0.2,
        (_, true, _) => 0.4,
        (_, _, true) => 0.7,
        _ if !hit.public => 0.85,
        _ => 1.0,
    };
    Score { exact_match, qualified_name: 0.0, path_affinity: 1.0, definition, kind: kind_prior(hit.kind), rarity }
}

/// How likely somebody who asks for a name means this kind of thing.
fn kind_prior(kind: SymbolKind) -> f64 {
    use SymbolKind::*;
    match kind {
        Class | Struct | Trait | Interface | Enum | Union | Type => 1.0,
        Fn | Method | Macro => 0.9,
        Module => 0.6,
        Const | Static => 0.75,
        Variable | Property => 0.6,
        Impl => 0.5,
        Field | Variant => 0.4,
        Heading => 0.3,
        Use => 0.0,
    }
}

/// Source first, then what stands beside it, by names of folders that projects of every language use.
pub(super) fn path_affinity(path: &RepoPath) -> f64 {
    let mut affinity: f64 = 1.0;
    for folder in path.parent().split('/') {
        affinity = affinity.min(match folder.to_ascii_lowercase().as_str() {
            "test" | "tests" | "__tests__" | "testing" | "spec" | "specs" | "testdata" | "fixtures" => 0.3,
            "example" | "examples" | "sample" | "samples" | "demo" | "demos" | "bench" | "benches" | "benchmarks" => {
                0.4
            }
            "vendor" | "third_party" | "external" | "deps" | "generated" | "gen" => 0.5,
            "docs" | "doc" | "scripts" | "tools" | "build" | "ci" => 0.7,
            _ => 1.0,
        });
    }
    let depth = path.as_str().matches('/').count() as f64;
    (affinity - 0.01 * depth.min(10.0)).max(0.0)
}

/// Best first; equal ones by place, so that the order never depends on chance.
pub(super) fn rank(candidates: &mut [Candidate]) {
    let key = |candidate: &Candidate| candidate.score.total();
    candidates.sort_by(|a, b| {
        key(b)
            .total_cmp(&key(a))
            .then_with(|| a.file.path.cmp(&b.file.path))
            .then_with(|| a.hit.position.cmp(&b.hit.position))
    });
}
