//! Definitions on their way into the database.
//!
//! They come in the order of files and are kept in the order of names. Written one by one, each would land on another
//! page; collected and sorted, they are appended.

use std::collections::HashMap;

use cruxe_model::facts::Symbol;
use cruxe_model::{SymbolKind, VersionId};
use rusqlite::{Connection, params};

use crate::error::StoreError;
use crate::meta::{self, NAME_COUNT, NAME_ROWS};
use crate::names::{self, StoredDefinition};

/// Beyond this many places or names they are written, which bounds memory on any repository.
const MAX_PLACES: usize = 1_000_000;
const MAX_NAMES: usize = 400_000;

/// Definitions that are not in the database yet.
pub(crate) struct SymbolRows {
    names: HashMap<String, Vec<StoredDefinition>, foldhash::fast::RandomState>,
    places: usize,
}

impl SymbolRows {
    pub fn new() -> SymbolRows {
        SymbolRows { names: HashMap::default(), places: 0 }
    }

    /// Takes in the definitions of a file version, whose id is higher than those before.
    pub fn add(&mut self, connection: &Connection, version: VersionId, symbols: &[Symbol]) -> Result<(), StoreError> {
        for (position, symbol) in symbols.iter().enumerate().filter(|(_, symbol)| symbol.kind != SymbolKind::Use) {
            let place = StoredDefinition::new(version, position as u32, symbol);
            self.places += 1;
            match self.names.get_mut(&symbol.name) {
                Some(places) => places.push(place),
                None => drop(self.names.insert(symbol.name.clone(), vec![place])),
            }
        }
        if self.places >= MAX_PLACES || self.names.len() >= MAX_NAMES {
            self.flush(connection)?;
        }
        Ok(())
    }

    /// Writes what was collected.
    pub fn flush(&mut self, connection: &Connection) -> Result<(), StoreError> {
        if self.names.is_empty() {
            return Ok(());
        }
        let mut rows: Vec<(String, Vec<StoredDefinition>)> = self.names.drain().collect();
        self.places = 0;
        rows.sort_unstable_by(|(one, _), (other, _)| names::in_order(one, other).then_with(|| one.cmp(other)));
        let mut number = meta::number(connection, NAME_ROWS)?;
        let mut insert = connection.prepare_cached("INSERT INTO name VALUES (?1, ?2, ?3)")?;
        for (name, places) in rows {
            number += 1;
            insert.execute(params![name, number, names::pack(&name, number, places)?])?;
        }
        let new = number - meta::number(connection, NAME_ROWS)?;
        meta::set(connection, NAME_COUNT, meta::number(connection, NAME_COUNT)? + new)?;
        meta::set(connection, NAME_ROWS, number)
    }
}
