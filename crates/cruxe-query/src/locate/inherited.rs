//! A name that a type does not define and yet has: `Flask.route`, which `Flask` has from `Scaffold`.

use std::collections::HashSet;

use cruxe_index::View;
use cruxe_model::facts::SymbolIndex;
use cruxe_store::{NameMatch, RefSnapshot, SymbolHit};

use super::{fit_as_written, is_type};
use crate::error::QueryError;
use crate::name::WantedName;
use crate::resolve::{Def, Resolver};

/// Of more types of one name than this it is not asked what they inherit.
const MAX_TYPES: usize = 20;

/// The members of the wanted name that the type before it inherits, the nearest in its hierarchy.
pub(super) fn members(view: &View, published: &RefSnapshot, wanted: &WantedName) -> Result<Vec<SymbolHit>, QueryError> {
    let Some((own, outer)) = wanted.qualifiers.split_last() else { return Ok(Vec::new()) };
    let hits = published.find_name(&wanted.plain, NameMatch::Exact)?;
    if hits.is_empty() {
        return Ok(hits);
    }
    let owner = WantedName { plain: own.clone(), qualifiers: outer.to_vec() };
    let mut types = Vec::new();
    for hit in published.find_name(own, NameMatch::Exact)?.into_iter().filter(|hit| is_type(hit.kind)) {
        let table = published.symbol_table(hit.version)?;
        let (at, language) = (SymbolIndex(hit.position), published.file(hit.version)?.language);
        if outer.is_empty() || fit_as_written(&owner, &language, &table.symbols, at) > 0.0 {
            types.push(Def { version: hit.version, symbol: at });
        }
    }
    if types.is_empty() || types.len() > MAX_TYPES {
        return Ok(Vec::new());
    }
    let Some(resolver) = Resolver::new(view)? else { return Ok(Vec::new()) };
    let members: HashSet<Def> =
        types.into_iter().flat_map(|owner| resolver.members_by_name(owner, &wanted.plain)).collect();
    resolver.check()?;
    view.work.check()?;
    let is_member =
        |hit: &SymbolHit| members.contains(&Def { version: hit.version, symbol: SymbolIndex(hit.position) });
    Ok(hits.into_iter().filter(is_member).collect())
}
