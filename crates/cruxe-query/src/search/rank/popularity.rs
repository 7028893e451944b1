//! How much the rest of a ref uses what a file defines.

use cruxe_model::SymbolKind;
use cruxe_model::facts::Symbol;

/// Definitions of a file that are looked at.
pub(crate) const MAX_OFFERS: usize = 16;
/// Shorter names stand for too many things.
const MIN_NAME: usize = 4;

/// Whether a symbol is something that a file offers to others.
pub(crate) fn is_offer(symbol: &Symbol) -> bool {
    use SymbolKind::*;
    let is_type = matches!(symbol.kind, Class | Struct | Trait | Interface | Enum | Union | Type);
    let is_free = symbol.parent.is_none() && matches!(symbol.kind, Fn | Method | Macro | Const | Module);
    (is_type || is_free) && !symbol.flags.local && !symbol.flags.test && symbol.name.len() >= MIN_NAME
}

/// Returns the figure of a name that so many files say and so many define, on a scale of doublings: a name that several
/// files define is shared among them.
pub(crate) fn of_name(saying: usize, defining: usize) -> f32 {
    let others = saying.saturating_sub(1) as f32;
    (1.0 + others / defining.max(1) as f32).log2()
}

#[cfg(test)]
mod tests {
    use super::of_name;

    #[test]
    fn each_doubling_of_the_users_counts_one() {
        assert_eq!([of_name(0, 0), of_name(1, 1), of_name(2, 1), of_name(4, 1)], [0.0, 0.0, 1.0, 2.0]);
        assert_eq!(of_name(7, 2), 2.0, "two files share the name");
    }
}
