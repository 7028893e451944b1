//! What carries a decorator, and where something is read or set.

use std::collections::HashSet;
use std::sync::Arc;

use cruxe_model::SymbolKind;
use cruxe_model::facts::SymbolIndex;

use super::{Asked, Found, Relation, Row, roles};
use crate::references::{EdgeType, Subject};
use crate::resolve::{Certainty, Def, File, Heights};
use crate::target::{self, Target};
use crate::uses::{self, Pick, Scope, Use, Uses};

impl Asked<'_> {
    /// What carries a decorator, attribute or annotation.
    pub(super) fn decorates(&self, mut uses: Uses) -> Found {
        let account = std::mem::take(&mut uses.account);
        let row = |one: &Use| {
            let Some(symbol) = decorated(&one.file, one.start) else { return Row::of(one) };
            let start = one.file.symbol(symbol).name_span.start;
            Row { start, from: Some(Def { version: one.file.id(), symbol }), ..Row::of(one) }
        };
        let rows = uses.found.iter().map(row).collect();
        Found { rows, account: Some(account), late: uses.cut, notes: Vec::new() }
    }

    /// Where something is read, or set.
    pub(super) fn accesses(&self, subject: &Subject, mut uses: Uses, relation: Relation) -> Found {
        let account = std::mem::take(&mut uses.account);
        let mut found = Found { account: Some(account), late: uses.cut, ..Found::default() };
        found.rows.extend(uses.found.iter().map(Row::of));
        if let Subject::Defined(target) = subject
            && !self.direct
        {
            self.add_heirs(&mut found, target, relation);
        }
        found
    }

    /// An attribute that assignments define is the same one in a sub-class that assigns it.
    fn add_heirs(&self, found: &mut Found, target: &Target, relation: Relation) {
        let Some(file) = self.resolver.file(target.def.version) else { return };
        let data = |kind| matches!(kind, SymbolKind::Field | SymbolKind::Property);
        if !file.lang.naming.assignments_define || !data(file.symbol(target.def.symbol).kind) {
            return;
        }
        let Some(Some(owner)) = self.resolver.member_owner(target.def) else { return };
        let (owners, mut heights) = (HashSet::from([owner]), Heights::new(self.resolver));
        for (def, below) in self.resolver.members_named(&target.symbol.name) {
            if self.is_over() {
                found.late = true;
                return;
            }
            let Some(below) = below.filter(|_| !target.group.defs.contains(&def)) else { continue };
            let is_data = self.resolver.file(def.version).is_some_and(|file| data(file.symbol(def.symbol).kind));
            if !is_data || heights.below(below, &owners).is_none() {
                continue;
            }
            if relation == Relation::Writes {
                let row = Row::defined(self.resolver, def, EdgeType::References, Certainty::Static);
                found.rows.extend(row.map(|row| Row { from: None, through: Some(below), ..row }));
            }
            let pick = Pick::Roles(roles(relation).unwrap_or_default());
            let uses = uses::uses(self.resolver, &target::group(self.resolver, def), pick, Scope::Uses);
            found.late |= uses.cut;
            found.rows.extend(uses.found.iter().map(|one| Row { through: Some(below), ..Row::of(one) }));
        }
    }
}

/// What a decorator at an offset belongs to: the innermost symbol that it stands before.
pub(super) fn decorated(file: &Arc<File>, offset: u32) -> Option<SymbolIndex> {
    let before = |at: &SymbolIndex| offset < file.symbol(*at).span.start;
    file.nesting.symbols_around(&file.facts, offset).take_while(before).next()
}
