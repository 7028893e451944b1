//! A definition as answers show it.

use cruxe_model::{StableId, SymbolKind};
use cruxe_query::external::External;
use cruxe_query::symbol::SymbolRef;
use schemars::JsonSchema;
use serde::Serialize;

use super::detail::Breadth;
use super::text::Line;

/// A definition: its handles, its names and where it is.
#[derive(Clone, Serialize, JsonSchema)]
pub struct SymbolEntry {
    /// The handle that other tools take.
    pub symbol_id: String,
    symbol_stable_id: String,
    name: String,
    /// The name with its module and parents.
    pub qualified_name: String,
    kind: &'static str,
    /// The file.
    pub path: String,
    pub(super) line_start: u32,
    line_end: u32,
    /// It is a test, or exists only for tests.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) is_test: bool,
    /// The name within its file.
    #[serde(skip)]
    pub(super) local_name: String,
}

impl From<SymbolRef> for SymbolEntry {
    fn from(symbol: SymbolRef) -> SymbolEntry {
        SymbolEntry {
            symbol_id: symbol.symbol_id,
            symbol_stable_id: symbol.symbol_stable_id,
            name: symbol.name,
            qualified_name: symbol.qualified_name,
            kind: symbol.kind.as_str(),
            path: symbol.path,
            line_start: symbol.line_start,
            line_end: symbol.line_end,
            is_test: symbol.is_test,
            local_name: symbol.local_name,
        }
    }
}

/// Other definitions of a name; an empty list says nothing and may be left out.
pub(super) fn candidates(symbols: Vec<SymbolRef>, breadth: Breadth) -> Option<Vec<SymbolEntry>> {
    let is_said = breadth == Breadth::Full || !symbols.is_empty();
    is_said.then(|| symbols.into_iter().map(SymbolEntry::from).collect())
}

impl SymbolEntry {
    /// The name without its module and parents.
    pub(super) fn plain_name(&self) -> &str {
        &self.name
    }

    /// A name that the ref does not define: it has no place and no handle.
    pub(super) fn external(external: External) -> SymbolEntry {
        let stable_id = StableId::new("external", SymbolKind::Use, &external.qualified_name, 0);
        SymbolEntry {
            symbol_id: String::new(),
            symbol_stable_id: stable_id.as_str().to_owned(),
            name: external.name,
            local_name: external.qualified_name.clone(),
            qualified_name: external.qualified_name,
            kind: "external",
            path: String::new(),
            line_start: 0,
            line_end: 0,
            is_test: false,
        }
    }

    /// The definition on a line of its own, above what is said of it.
    pub(super) fn headline(&self) -> Line {
        let line = self.name_line();
        match self.path.is_empty() {
            true => line,
            false => line.plain("  ").path(&self.path).plain(":").number(self.line_start.to_string()),
        }
    }

    /// What the definition is, where its place is said below.
    pub(super) fn name_line(&self) -> Line {
        Line::new().plain(format!("{} ", self.kind)).strong(&self.local_name)
    }
}
