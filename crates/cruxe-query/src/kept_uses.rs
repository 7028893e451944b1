//! Uses that were found, kept for the next question about the same symbol: the next page of a list, its callers, a step of a graph.
//!
//! What a symbol's uses are follows from what is published alone, so they are the same until something else is. Kept are places,
//! not files: a file that nobody asks for any more can be let go.

use cruxe_model::VersionId;
use cruxe_model::facts::Role;
use cruxe_store::Cache;
use parking_lot::Mutex;

use crate::mentions::{Account, Mentions, Open};
use crate::resolve::{Certainty, Def, FastMap, Resolver};
use crate::uses::{Pick, Use, Uses};

/// How many bytes the uses of all symbols may take.
const ROOM: usize = 8 << 20;

/// The uses of symbols, of the last publish that was asked about.
pub(crate) static KEPT_USES: Cache<KeptUses> = Cache::of("uses that were found");

/// Uses by what was looked for.
#[derive(Default)]
pub(crate) struct KeptUses {
    held: Mutex<Held>,
}

#[derive(Default)]
struct Held {
    /// The publish that they are of.
    as_of: i64,
    uses: FastMap<Wanted, Kept>,
    bytes: usize,
}

/// What was looked for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Wanted {
    pub ref_name: String,
    pub def: Def,
    /// Without the other functions of its name.
    pub narrowed: bool,
    pub pick: Pick,
    /// With an account of every identifier of the name.
    pub account: bool,
}

/// What was found.
#[derive(Clone)]
struct Kept {
    found: Vec<KeptUse>,
    mentions: Mentions,
    open: Vec<Open>,
}

#[derive(Clone, Copy)]
struct KeptUse {
    version: VersionId,
    start: u32,
    role: Role,
    certainty: Certainty,
    def: Option<Def>,
}

impl KeptUses {
    /// What is known of a publish; `None` where it was not looked for, or the index refuses a file of it.
    pub fn get(&self, resolver: &Resolver, as_of: i64, wanted: &Wanted) -> Option<Uses> {
        let kept = {
            let held = self.held.lock();
            held.uses.get(wanted).filter(|_| held.as_of == as_of)?.clone()
        };
        resolver.read_ahead(&kept.found.iter().map(|one| one.version).collect::<Vec<_>>());
        let found = kept.found.iter().map(|one| {
            let KeptUse { version, start, role, certainty, def } = *one;
            Some(Use { file: resolver.file(version)?, start, role, certainty, def })
        });
        let account = Account { mentions: kept.mentions, open: kept.open };
        Some(Uses { found: found.collect::<Option<_>>()?, account, cut: false })
    }

    /// Keeps what was found, unless it is not all of it.
    pub fn keep(&self, as_of: i64, wanted: Wanted, uses: &Uses) {
        let bytes = size_of::<Wanted>()
            + size_of::<Kept>()
            + wanted.ref_name.len()
            + uses.found.len() * size_of::<KeptUse>()
            + uses.account.open.len() * size_of::<Open>();
        let mut held = self.held.lock();
        if uses.cut || bytes > ROOM / 4 || held.as_of > as_of {
            return;
        }
        // Questions about something and what is near it come in a row: who is asked about much later is looked for again.
        if held.as_of < as_of || held.bytes + bytes > ROOM {
            *held = Held { as_of, ..Held::default() };
        }
        let found = uses.found.iter().map(|one| KeptUse {
            version: one.file.id(),
            start: one.start,
            role: one.role,
            certainty: one.certainty,
            def: one.def,
        });
        let kept = Kept { found: found.collect(), mentions: uses.account.mentions, open: uses.account.open.clone() };
        if held.uses.insert(wanted, kept).is_none() {
            held.bytes += bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(symbol: u32) -> Wanted {
        let def = Def { version: 1, symbol: cruxe_model::facts::SymbolIndex(symbol) };
        Wanted { ref_name: "main".to_owned(), def, narrowed: false, pick: Pick::All, account: true }
    }

    fn uses(open: usize) -> Uses {
        let one = Open { version: 1, start: 0, reason: crate::resolve::Reason::Receiver };
        Uses { account: Account { open: vec![one; open], ..Account::default() }, ..Uses::default() }
    }

    fn known(kept: &KeptUses) -> Vec<u32> {
        let mut known: Vec<u32> = kept.held.lock().uses.keys().map(|wanted| wanted.def.symbol.0).collect();
        known.sort_unstable();
        known
    }

    #[test]
    fn what_is_cut_is_not_kept_and_another_publish_ends_all_of_it() {
        let kept = KeptUses::default();
        kept.keep(1, wanted(1), &uses(1));
        kept.keep(1, wanted(3), &Uses { cut: true, ..uses(1) });
        assert_eq!(known(&kept), [1]);
        kept.keep(2, wanted(4), &uses(1));
        assert_eq!(known(&kept), [4]);
        kept.keep(1, wanted(5), &uses(1));
        assert_eq!(known(&kept), [4], "who still answers from the publish before keeps nothing");
    }

    #[test]
    fn the_room_is_kept_within() {
        let kept = KeptUses::default();
        let large = ROOM / 5 / size_of::<Open>();
        for symbol in 0..5 {
            kept.keep(1, wanted(symbol), &uses(large));
        }
        assert_eq!(known(&kept), [4], "the fifth did not fit beside the others");
        assert!(kept.held.lock().bytes <= ROOM);
        kept.keep(1, wanted(9), &uses(large * 2));
        assert_eq!(known(&kept), [4], "one that takes most of it is not kept");
    }
}
