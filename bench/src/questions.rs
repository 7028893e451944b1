//! What a server is asked: names and files of the corpus, chosen by chance that is the same each time.

use std::collections::HashMap;
use std::path::Path;

use cruxe_model::SymbolKind;

use crate::corpus::Corpus;
use crate::{BenchError, corpus};

/// Names to locate and files to outline.
pub struct Questions {
    /// Names of symbols, the commonest among them.
    pub names: Vec<String>,
    /// Paths of files that have symbols.
    pub files: Vec<String>,
}

/// The commonest names, which have the most candidates: `__init__`, `new`, `get`.
const COMMONEST: usize = 20;

/// Chooses questions about the index in `home`.
pub fn choose(corpus: &Corpus, home: &Path, count: usize) -> Result<Questions, BenchError> {
    let store = BenchError::doing::<cruxe_store::StoreError>;
    let project = corpus::project(&corpus.root, home)?;
    let name = project.current_ref().map_err(BenchError::doing("ref"))?;
    let snapshot = project.store.ref_snapshot(&name).map_err(store("index"))?;
    let snapshot = snapshot.ok_or_else(|| BenchError::new(&corpus.name, "not in the index"))?;
    let (mut symbols, mut files, mut counts) = (Vec::new(), Vec::new(), HashMap::new());
    for file in snapshot.files().map_err(store("files"))? {
        if file.symbols > 0 {
            for symbol in snapshot.symbols(file.id).map_err(store("symbols"))?.symbols {
                if symbol.kind != SymbolKind::Use {
                    *counts.entry(symbol.name.clone()).or_insert(0u64) += 1;
                    symbols.push(symbol.name);
                }
            }
            files.push(file.path.as_str().to_owned());
        }
    }
    if symbols.is_empty() {
        return Err(BenchError::new(&corpus.name, "no symbols to ask for"));
    }
    let mut common: Vec<(u64, String)> = counts.into_iter().map(|(name, count)| (count, name)).collect();
    common.sort_by(|a, b| b.cmp(a));
    let mut chance = Chance(2024);
    let mut names: Vec<String> = common.into_iter().take(COMMONEST.min(count)).map(|(_, name)| name).collect();
    names.extend((names.len()..count).map(|_| chance.pick(&symbols).clone()));
    let files = (0..count).map(|_| chance.pick(&files).clone()).collect();
    Ok(Questions { names, files })
}

/// SplitMix64: the same sequence on every machine.
pub struct Chance(pub u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below another, which must not be 0.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// One of some things; they must not be empty.
    pub fn pick<'a, T>(&mut self, things: &'a [T]) -> &'a T {
        &things[self.below(things.len())]
    }
}
