//! Rows of definitions on their way into the database.
//!
//! They come in the order of files and are kept in the order of names. Written one by one, each would land on another
//! page; collected and sorted, they are appended.

use std::collections::HashMap;

use cruxe_model::facts::Symbol;
use cruxe_model::{SymbolKind, VersionId};
use rusqlite::{Connection, OptionalExtension, params};

use crate::error::StoreError;
use crate::names;

/// Beyond this many rows or names they are written, which bounds memory on any repository.
const MAX_ROWS: usize = 1_000_000;
const MAX_NAMES: usize = 400_000;

/// Definitions and names that are not in the database yet.
pub(crate) struct SymbolRows {
    rows: Vec<Row>,
    ids: HashMap<String, i64, foldhash::fast::RandomState>,
    new_names: Vec<(String, i64)>,
    next_name: i64,
    /// Names up to this id are in the database and not all of them in `ids`.
    stored_names: i64,
}

/// Sorts as the table does.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Row {
    name: i64,
    version: VersionId,
    position: u32,
    kind: u8,
    flags: u8,
}

impl SymbolRows {
    pub fn new(connection: &Connection) -> Result<SymbolRows, StoreError> {
        // Every name has a definition, and the definitions are in the order of these ids.
        let stored_names = connection.query_row("SELECT coalesce(max(name), 0) FROM symbol", [], |row| row.get(0))?;
        let (rows, ids, new_names) = (Vec::new(), HashMap::default(), Vec::new());
        Ok(SymbolRows { rows, ids, new_names, next_name: stored_names + 1, stored_names })
    }

    /// Takes in the definitions of a file version.
    pub fn add(&mut self, connection: &Connection, version: VersionId, symbols: &[Symbol]) -> Result<(), StoreError> {
        for (position, symbol) in symbols.iter().enumerate().filter(|(_, symbol)| symbol.kind != SymbolKind::Use) {
            let name = self.name_id(connection, &symbol.name)?;
            let (kind, flags) = (symbol.kind.code(), names::flags(symbol));
            self.rows.push(Row { name, version, position: position as u32, kind, flags });
        }
        if self.rows.len() >= MAX_ROWS || self.ids.len() >= MAX_NAMES {
            self.flush(connection)?;
        }
        Ok(())
    }

    fn name_id(&mut self, connection: &Connection, name: &str) -> Result<i64, StoreError> {
        if let Some(id) = self.ids.get(name) {
            return Ok(*id);
        }
        let known = if self.stored_names > 0 {
            let mut find = connection.prepare_cached(names::EXACT)?;
            find.query_row(params![name], |row| row.get(0)).optional()?
        } else {
            None
        };
        let id = known.unwrap_or_else(|| {
            self.new_names.push((name.to_owned(), self.next_name));
            self.next_name += 1;
            self.next_name - 1
        });
        self.ids.insert(name.to_owned(), id);
        Ok(id)
    }

    /// Writes what was collected.
    pub fn flush(&mut self, connection: &Connection) -> Result<(), StoreError> {
        // As the table sorts them: by ASCII letters without their case.
        self.new_names.sort_by_cached_key(|(name, id)| (name.to_ascii_lowercase(), *id));
        let mut insert = connection.prepare_cached("INSERT INTO name (name, id) VALUES (?1, ?2)")?;
        for (name, id) in self.new_names.drain(..) {
            insert.execute(params![name, id])?;
        }
        self.rows.sort_unstable();
        let mut insert = connection.prepare_cached("INSERT INTO symbol VALUES (?1, ?2, ?3, ?4, ?5)")?;
        for row in self.rows.drain(..) {
            insert.execute(params![row.name, row.version, row.position, row.kind, row.flags])?;
        }
        if self.ids.len() >= MAX_NAMES {
            self.ids.clear();
            self.stored_names = self.next_name - 1;
        }
        Ok(())
    }
}
