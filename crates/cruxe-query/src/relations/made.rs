//! Where values of a type are made, also through sub-types that have its constructor.

use std::sync::Arc;

use cruxe_extract::naming::System;
use cruxe_model::SymbolKind;
use cruxe_model::facts::{Role, Symbol};

use super::heirs::{Descent, is_unnamed};
use super::{Asked, Found, Relation, Row, roles};
use crate::references::{EdgeType, Subject};
use crate::resolve::{Certainty, Def, File};
use crate::target;
use crate::twins;
use crate::uses::{self, Pick, Scope, Use, Uses};

/// The uses of a type that make a value of it, and those that build on it.
const EITHER: Pick =
    Pick::Roles(&[Role::Call, Role::Subclass, Role::Make, Role::Value, Role::Extends, Role::Implements]);

impl Asked<'_> {
    /// Where values of a type are made.
    pub(super) fn constructs(&self, subject: &Subject, mut uses: Uses) -> Found {
        let account = std::mem::take(&mut uses.account);
        let mut found = Found { account: Some(account), late: uses.cut, ..Found::default() };
        // A sub-class that calls the constructor by its name makes no value.
        let by_name = |one: &Use| {
            let name = one.file.occurrence_at(one.start).map(|at| one.file.facts.name(at.name));
            name.is_some() && name == one.file.lang.naming.constructor
        };
        found.rows.extend(uses.found.iter().filter(|one| self.makes(one) && !by_name(one)).map(Row::of));
        let mut descent = Descent::new(self, []);
        let first = match subject {
            Subject::Defined(target) => {
                // Who asks for a constructor asks for its class.
                let class = target.group.called.iter().min().copied().unwrap_or(target.def);
                self.add_own(&mut found, class, None);
                descent = Descent::new(self, target.group.defs.iter().copied().chain([class]));
                if self.has_heirs(class) { descent.users(class) } else { Uses::default() }
            }
            Subject::External(_) if self.direct => Uses::default(),
            Subject::External(external) => self.users_outside(&external.qualified_name),
        };
        let mut front = descent.take(first, 1);
        while !front.is_empty() {
            let mut next = Vec::new();
            for def in front.into_iter().filter(|def| !self.has_constructor(*def)) {
                if self.is_over() {
                    found.late = true;
                    return found;
                }
                let uses = uses::uses(self.resolver, &target::group(self.resolver, def), EITHER, Scope::Uses);
                found.late |= uses.cut;
                let made = uses.found.iter().filter(|one| self.makes(one));
                found.rows.extend(made.map(|one| Row { through: Some(def), ..Row::of(one) }));
                self.add_own(&mut found, def, Some(def));
                next.extend(descent.take(uses, 2));
            }
            front = next;
        }
        found.late |= descent.late;
        found
    }

    /// Whether the constructor of a type may be that of types below it.
    fn has_heirs(&self, def: Def) -> bool {
        let file = self.resolver.file(def.version);
        let inherits = |file: Arc<File>| {
            let system = matches!(file.lang.naming.system, System::Rust | System::Go);
            let kind =
                matches!(file.symbol(def.symbol).kind, SymbolKind::Class | SymbolKind::Struct | SymbolKind::Const);
            !system && kind
        };
        !self.direct && file.is_some_and(inherits)
    }

    /// Types of the ref that build on one from outside.
    fn users_outside(&self, name: &str) -> Uses {
        let wanted = target::Wanted { name: name.to_owned(), ..target::Wanted::default() };
        let pick = Pick::Roles(roles(Relation::Subtypes).unwrap_or_default());
        crate::external::uses(self.resolver, &wanted, pick).map(|(_, uses)| uses).unwrap_or_default()
    }

    /// Where a type makes values of itself by a word that stands for it: `Self { … }`, `new static()`.
    fn add_own(&self, found: &mut Found, def: Def, through: Option<Def>) {
        for file in self.resolver.files_of_type(def) {
            let words = file.lang.naming.own_class;
            let own = file.facts.occurrences.iter().filter(|one| one.role.is_call() || one.role == Role::Make);
            for one in own.filter(|one| words.contains(&file.facts.name(one.name))) {
                if self.resolver.type_around(&file, one.start) == Some(def) {
                    found.rows.push(Row {
                        file: Arc::clone(&file),
                        start: one.start,
                        edge: EdgeType::of(one.role, file.lang),
                        certainty: Certainty::Static,
                        from: None,
                        depth: None,
                        through,
                        unnamed: false,
                    });
                }
            }
        }
    }

    /// Whether a use of a type makes a value of it.
    fn makes(&self, one: &Use) -> bool {
        match one.role {
            Role::Call | Role::Subclass | Role::Make => true,
            Role::Extends => is_unnamed(self, one),
            Role::Value => self.is_unit(one) || is_made_by_word(&one.file, one.start),
            _ => false,
        }
    }

    /// Whether it is the name of a structure of Rust where a value is expected: `Unit`, `map(Pair)`.
    fn is_unit(&self, one: &Use) -> bool {
        let structure = |def: Def| {
            let file = self.resolver.file(def.version);
            file.is_some_and(|file| file.symbol(def.symbol).kind == SymbolKind::Struct)
        };
        one.file.lang.naming.system == System::Rust && one.def.is_some_and(structure)
    }

    /// Whether a type has a constructor of its own.
    fn has_constructor(&self, def: Def) -> bool {
        let Some(file) = self.resolver.file(def.version) else { return true };
        let parts = target::same(self.resolver, def);
        let declared = |part: &Def| !twins::constructors(self.resolver, *part).is_empty();
        parts.iter().any(declared) || takes_parameters(&file, file.symbol(def.symbol))
    }
}

/// Whether a method of the type that is named at an offset makes a value of it: `T.new`.
fn is_made_by_word(file: &File, start: u32) -> bool {
    let all = &file.facts.occurrences;
    let at = all.partition_point(|one| one.start < start);
    let (Some(one), Some(next)) = (all.get(at), all.get(at + 1)) else { return false };
    let dot = start + file.facts.name(one.name).len() as u32;
    next.role == Role::Call
        && next.receiver.is_some()
        && next.start == dot + 1
        && file.lang.naming.makers.contains(&file.facts.name(next.name))
}

/// Whether a class has parameters of its own where it is declared: `class D(x: Int) : C(x)`.
fn takes_parameters(file: &File, symbol: &Symbol) -> bool {
    file.lang.naming.system == System::Broad && crate::takes::arity(symbol).is_some_and(|count| count > 0)
}
