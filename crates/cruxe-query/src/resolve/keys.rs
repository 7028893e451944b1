//! Keys of plain data: of keyword lists and maps, which name nothing by themselves.

use std::collections::HashSet;
use std::sync::Arc;

use cruxe_model::SymbolKind;
use cruxe_model::facts::{DATA, Expr, ExprId, Occurrence, Role};

use super::file::File;
use super::occurrence::{Reason, Resolution};
use super::{Def, Resolver};

impl Resolver<'_> {
    /// A key of plain data names nothing by itself: no function, no module. It may be the field of what the data becomes.
    pub(super) fn resolve_data_key(&self, file: &Arc<File>, name: &str) -> Resolution {
        let hits = self.hits(name);
        let mut fields = hits.iter().filter(|hit| matches!(hit.kind, SymbolKind::Field | SymbolKind::Property));
        match fields.any(|hit| self.file(hit.version).is_some_and(|other| other.lang.is_kin(file.lang))) {
            true => Resolution::Unresolved(Reason::Key),
            false => Resolution::Outside,
        }
    }

    /// Whether an occurrence is a key of plain data, so that it can mean a field and nothing else.
    pub fn is_data_key(&self, file: &File, occurrence: &Occurrence) -> bool {
        occurrence.role == Role::Key && occurrence.receiver.is_some_and(|of| is_data(file, of))
    }

    /// Whether fields are among some definitions.
    pub fn has_fields(&self, defs: &HashSet<Def>) -> bool {
        defs.iter().any(|def| matches!(self.kind(*def), Some(SymbolKind::Field | SymbolKind::Property)))
    }
}

/// Whether an expression is plain data: a keyword list, a map.
pub(super) fn is_data(file: &File, receiver: ExprId) -> bool {
    matches!(file.facts.exprs.get(receiver.0 as usize), Some(Expr::Literal(word)) if file.facts.name(*word) == DATA)
}
