//! What the name at a place means: for whoever points at it.

use cruxe_index::View;

use crate::error::QueryError;
use crate::outline;
use crate::resolve::{Certainty, Def, Reason, Resolution, Resolver};
use crate::symbol::SymbolRef;

/// Definitions that are listed at most.
const MAX_DEFINITIONS: usize = 8;

/// A name at a place.
#[derive(Clone, Debug, PartialEq)]
pub struct Pointed {
    /// The name as written.
    pub name: String,
    /// What it means.
    pub meaning: Meaning,
}

/// What a name means.
#[derive(Clone, Debug, PartialEq)]
pub enum Meaning {
    /// It is defined here.
    Definition(Described),
    /// Definitions of the ref, and how sure that is.
    Uses(Vec<Described>, Certainty),
    /// A module or package of the ref.
    Module,
    /// A parameter, local or type parameter.
    Local,
    /// Something that the ref does not define.
    Outside,
    /// It cannot be told.
    Unresolved(Reason),
}

/// A definition with what a reader wants to see of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Described {
    /// The definition.
    pub symbol: SymbolRef,
    /// Its declaration without the body.
    pub signature: String,
}

/// What the name that begins at a line (from 1) and a column (in bytes, from 0) means; `None` where no name begins.
pub fn at(view: &View, path: &str, line: u32, column: u32) -> Result<Option<Pointed>, QueryError> {
    let (_, row) = outline::file(view, path)?;
    let Some(resolver) = Resolver::new(view)? else { return Ok(None) };
    let Some(file) = resolver.file(row.id) else { return Ok(None) };
    let Some(start) = line.checked_sub(1).and_then(|at| file.facts.line_starts.get(at as usize)) else {
        return Ok(None);
    };
    let start = start.saturating_add(column);
    let describe = |def: &Def| {
        let file = resolver.file(def.version)?;
        let signature = file.symbol(def.symbol).signature.clone();
        Some(Described { symbol: SymbolRef::new(&file, def.symbol), signature })
    };
    let occurrence = file.occurrence_at(start).cloned();
    let defined = file.named_at(start).next();
    let pointed = match (defined, occurrence) {
        (Some(symbol), _) => describe(&Def { version: row.id, symbol })
            .map(|found| Pointed { name: found.symbol.name.clone(), meaning: Meaning::Definition(found) }),
        (None, Some(occurrence)) => {
            let meaning = match resolver.resolve(&file, &occurrence) {
                Resolution::Defs(defs, certainty) => {
                    Meaning::Uses(defs.iter().take(MAX_DEFINITIONS).filter_map(describe).collect(), certainty)
                }
                Resolution::Module => Meaning::Module,
                Resolution::Local => Meaning::Local,
                Resolution::Outside => Meaning::Outside,
                Resolution::Unresolved(reason) => Meaning::Unresolved(reason),
            };
            Some(Pointed { name: file.facts.name(occurrence.name).to_owned(), meaning })
        }
        (None, None) => None,
    };
    resolver.check()?;
    Ok(pointed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Indexed;

    #[test]
    fn a_name_is_a_definition_a_use_of_one_a_local_or_from_outside() {
        let files = [
            ("shop/__init__.py", ""),
            ("shop/cart.py", "def add_tax(x):\n    return x\n"),
            (
                "shop/bill.py",
                "from shop.cart import add_tax\nimport os\ndef bill(y):\n    os.getcwd()\n    return add_tax(y)\n",
            ),
        ];
        let indexed = Indexed::new(&files);
        let view = indexed.view();
        let meaning = |path: &str, line, column| at(&view, path, line, column).unwrap().map(|found| found.meaning);
        match meaning("shop/bill.py", 5, 11) {
            Some(Meaning::Uses(found, Certainty::Static)) => {
                assert_eq!(found.len(), 1);
                assert_eq!((found[0].symbol.path.as_str(), found[0].symbol.line_start), ("shop/cart.py", 1));
                assert_eq!(found[0].signature, "def add_tax(x)");
            }
            other => panic!("{other:?}"),
        }
        assert!(matches!(meaning("shop/cart.py", 1, 4), Some(Meaning::Definition(_))));
        assert_eq!(meaning("shop/bill.py", 5, 19), Some(Meaning::Local));
        assert_eq!(meaning("shop/bill.py", 4, 7), Some(Meaning::Outside));
        for (line, column) in [(5, 12), (0, 0), (99, 0), (1, 9_999)] {
            assert_eq!(meaning("shop/bill.py", line, column), None, "{line}:{column}");
        }
        assert!(at(&view, "no.py", 1, 0).is_err());
    }
}
