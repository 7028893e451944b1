//! A definition as answers show it.

use cruxe_model::facts::SymbolIndex;
use cruxe_model::{StableId, SymbolId, SymbolKind};

use crate::filter::is_test_file;
use crate::resolve::File;

/// A definition: its handles, its names and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolRef {
    /// The handle that other tools take.
    pub symbol_id: String,
    /// The identity that survives moves.
    pub symbol_stable_id: String,
    /// The plain name.
    pub name: String,
    /// The name with its module and parents.
    pub qualified_name: String,
    /// The name within its file: without the module.
    pub local_name: String,
    /// What it is.
    pub kind: SymbolKind,
    /// The file.
    pub path: String,
    /// First line.
    pub line_start: u32,
    /// Last line.
    pub line_end: u32,
    /// It is a test, or exists only for tests.
    pub is_test: bool,
}

impl SymbolRef {
    /// A symbol of a file.
    pub fn new(file: &File, index: SymbolIndex) -> SymbolRef {
        let symbol = file.symbol(index);
        let (line_start, line_end) = file.facts.lines_of(symbol.span);
        let (name, ordinal) = (&symbol.qualified_name, symbol.ordinal);
        SymbolRef {
            symbol_id: SymbolId::new(&file.row.path, symbol.kind, name, ordinal).as_str().to_owned(),
            symbol_stable_id: StableId::new(&file.row.language, symbol.kind, name, ordinal).as_str().to_owned(),
            name: symbol.name.clone(),
            qualified_name: name.clone(),
            local_name: within(&file.facts.module, name).to_owned(),
            kind: symbol.kind,
            path: file.path().to_owned(),
            line_start,
            line_end,
            is_test: symbol.flags.test,
        }
    }

    /// A file as the module that holds what stands outside of every symbol.
    pub fn module(file: &File) -> SymbolRef {
        let stem = file.row.path.stem().to_owned();
        let qualified_name = if file.facts.module.is_empty() { stem.clone() } else { file.facts.module.clone() };
        let kind = SymbolKind::Module;
        SymbolRef {
            symbol_id: SymbolId::new(&file.row.path, kind, &qualified_name, 0).as_str().to_owned(),
            symbol_stable_id: StableId::new(&file.row.language, kind, &qualified_name, 0).as_str().to_owned(),
            local_name: stem.clone(),
            name: stem,
            qualified_name,
            kind,
            path: file.path().to_owned(),
            line_start: 1,
            line_end: file.row.lines.max(1),
            is_test: is_test_file(file.path(), &file.row.language),
        }
    }

    /// The symbol that holds an offset, or the file.
    pub fn around(file: &File, offset: u32) -> SymbolRef {
        match file.nesting.enclosing_symbol(&file.facts, offset) {
            Some(index) => SymbolRef::new(file, index),
            None => SymbolRef::module(file),
        }
    }
}

/// What a qualified name adds to its module.
pub(crate) fn within<'a>(module: &str, qualified: &'a str) -> &'a str {
    const SEPARATORS: [char; 5] = [':', '.', '\\', '/', '#'];
    match qualified.strip_prefix(module) {
        Some(rest) if rest.starts_with(SEPARATORS) => rest.trim_start_matches(SEPARATORS),
        _ => qualified,
    }
}

#[cfg(test)]
mod tests {
    use super::within;

    #[test]
    fn the_name_within_a_file_is_what_follows_its_module() {
        assert_eq!(within("a::b", "a::b::C::d"), "C::d");
        assert_eq!(within("django.db", "django.db.Model.save"), "Model.save");
        assert_eq!(within("", "save"), "save");
        assert_eq!(within("a", "abc.d"), "abc.d");
        assert_eq!(within("a", "a"), "a");
    }
}
