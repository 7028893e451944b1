//! Types below a type and above it.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use cruxe_extract::naming::System;
use cruxe_model::SymbolKind;
use cruxe_model::facts::{Relation as Clause, Role};

use super::access::decorated;
use super::{Asked, Found, Note, Row};
use crate::references::{EdgeType, Subject};
use crate::resolve::{Certainty, Def, Heir};
use crate::target::{self, Target};
use crate::uses::{self, Pick, Scope, Use, Uses};

/// The roles in which types are named that something builds on.
pub(super) const HEIRS: Pick = Pick::Roles(&[Role::Extends, Role::Implements, Role::Subclass, Role::Decorator]);
/// The same where types are embedded, which looks like any other use of them.
const EMBEDDING: Pick = Pick::Roles(&[Role::Type]);

/// The way down from a type.
pub(super) struct Descent<'a, 'r> {
    asked: &'a Asked<'r>,
    pub rows: Vec<Row>,
    /// At which depth types were met.
    seen: HashMap<Def, u32>,
    pub late: bool,
}

impl<'a, 'r> Descent<'a, 'r> {
    /// Starts below some types.
    pub fn new(asked: &'a Asked<'r>, roots: impl IntoIterator<Item = Def>) -> Descent<'a, 'r> {
        let seen = roots.into_iter().map(|root| (root, 0)).collect();
        Descent { asked, rows: Vec::new(), seen, late: false }
    }

    /// Takes in the types that build on another at some of its uses; gives those that were not met before.
    pub fn take(&mut self, uses: Uses, depth: u32) -> Vec<Def> {
        self.late |= uses.cut;
        let mut new = Vec::new();
        for one in &uses.found {
            new.extend(self.heir(one).and_then(|heir| self.take_one(one, heir, depth)));
        }
        new
    }

    /// Takes in who builds on a type at one of its uses; gives what may have types below it and was not met before.
    fn take_one(&mut self, one: &Use, heir: Heir, depth: u32) -> Option<Def> {
        let (from, first) = match heir {
            Heir::Type(def) | Heir::Implementor(def) => (Some(def), self.meet(def, depth)),
            Heir::Impl(def) => (Some(def), false),
            Heir::Unnamed => (None, false),
        };
        let shown = match heir {
            Heir::Type(_) => first,
            // A type implements a generic trait several times.
            Heir::Implementor(def) => self.seen.get(&def) == Some(&depth),
            Heir::Impl(_) | Heir::Unnamed => true,
        };
        if shown {
            self.push(one, from, depth);
        }
        from.filter(|def| first && !(matches!(heir, Heir::Implementor(_)) && self.is_closed(*def)))
    }

    /// Goes on below some types to the end.
    pub fn follow(&mut self, first: Vec<Def>, depth: u32) {
        let (mut front, mut depth) = (first, depth);
        while !front.is_empty() && !self.asked.direct {
            let mut next = Vec::new();
            for def in front {
                if self.asked.is_over() {
                    self.late = true;
                    return;
                }
                let uses = self.users(def);
                next.extend(self.take(uses, depth));
            }
            (front, depth) = (next, depth + 1);
        }
    }

    /// The uses of a type that may build on it.
    pub fn users(&self, def: Def) -> Uses {
        let group = target::group(self.asked.resolver, def);
        let embeds = self.asked.resolver.file(def.version).is_some_and(|file| file.lang.naming.embeds);
        uses::uses(self.asked.resolver, &group, if embeds { EMBEDDING } else { HEIRS }, Scope::Uses)
    }

    fn heir(&self, one: &Use) -> Option<Heir> {
        if !matches!(one.role, Role::Extends | Role::Implements | Role::Subclass | Role::Decorator | Role::Type) {
            return None;
        }
        let occurrence = one.file.occurrence_at(one.start)?;
        match (one.role, self.asked.resolver.heir(&one.file, occurrence)) {
            (Role::Subclass, _) => Some(Heir::Unnamed),
            (Role::Decorator, _) => derived(one),
            (Role::Type, Heir::Unnamed) => None, // a mere use
            (Role::Type, _) if !one.file.lang.naming.embeds => None,
            (_, heir) => Some(heir),
        }
    }

    /// Notes a type with its other parts; `false` when it is known.
    pub fn meet(&mut self, def: Def, depth: u32) -> bool {
        if self.seen.contains_key(&def) {
            return false;
        }
        let parts = target::same(self.asked.resolver, def).into_iter().filter(|part| part.version != def.version);
        self.seen.extend(parts.chain([def]).map(|part| (part, depth)));
        true
    }

    /// How far below a type was met.
    pub fn depth(&self, def: Def) -> Option<u32> {
        self.seen.get(&def).copied()
    }

    /// Whether nothing can build on a type.
    fn is_closed(&self, def: Def) -> bool {
        let closed = |kind| matches!(kind, SymbolKind::Struct | SymbolKind::Enum | SymbolKind::Union);
        let file = self.asked.resolver.file(def.version);
        file.is_some_and(|file| file.lang.naming.system == System::Rust && closed(file.symbol(def.symbol).kind))
    }

    fn push(&mut self, one: &Use, from: Option<Def>, depth: u32) {
        let edge = match one.role {
            Role::Implements | Role::Decorator => EdgeType::Implements,
            Role::Subclass if one.def.is_some_and(|def| self.is_interface(def)) => EdgeType::Implements,
            _ => EdgeType::Extends,
        };
        self.rows.push(Row { edge, from, depth: Some(depth), unnamed: from.is_none(), ..Row::of(one) });
    }

    fn is_interface(&self, def: Def) -> bool {
        let file = self.asked.resolver.file(def.version);
        file.is_some_and(|file| file.symbol(def.symbol).kind == SymbolKind::Interface)
    }
}

impl Asked<'_> {
    /// Types that extend or implement one.
    pub(super) fn subtypes(&self, subject: &Subject, mut uses: Uses) -> Found {
        let account = std::mem::take(&mut uses.account);
        let mut notes = Vec::new();
        let roots: HashSet<Def> = match subject {
            Subject::Defined(target) => target.group.defs.clone(),
            Subject::External(_) => HashSet::new(),
        };
        let mut descent = Descent::new(self, roots);
        let mut front = descent.take(uses, 1);
        if let Subject::Defined(target) = subject {
            let shaped = self.shaped_like(target.def);
            for def in shaped.types {
                if descent.meet(def, 1)
                    && let Some(row) = Row::defined(self.resolver, def, EdgeType::Implements, Certainty::Heuristic)
                {
                    descent.rows.push(Row { depth: Some(1), ..row });
                    front.push(def);
                }
            }
            notes.extend(shaped.note);
        }
        descent.follow(front, 2);
        let Descent { rows, late, .. } = descent;
        if rows.is_empty() && self.is_shape(subject) {
            notes.push(Note::DeclaredOnly);
        }
        Found { rows, account: Some(account), late, notes }
    }

    /// Types that one extends or implements.
    pub(super) fn supertypes(&self, target: &Target) -> Found {
        let (mut found, mut beyond) = (Found::default(), Vec::new());
        let mut seen: HashSet<Def> = target.group.defs.clone();
        let (mut front, mut depth): (Vec<Def>, u32) = (vec![target.def], 1);
        while !front.is_empty() && (depth == 1 || !self.direct) {
            let mut next = Vec::new();
            for def in front {
                if self.is_over() {
                    found.late = true;
                    return found;
                }
                for clause in self.resolver.clauses(def) {
                    let edge = match clause.relation {
                        Clause::Implements => EdgeType::Implements,
                        _ => EdgeType::Extends,
                    };
                    if clause.types.is_empty() {
                        beyond.push(clause.name);
                    }
                    for base in clause.types.into_iter().filter(|base| seen.insert(*base)) {
                        let row = Row::defined(self.resolver, base, edge, Certainty::Static);
                        found.rows.extend(row.map(|row| Row { depth: Some(depth), ..row }));
                        next.push(base);
                    }
                }
                for base in self.shapes_of(def).into_iter().filter(|base| seen.insert(*base)) {
                    let row = Row::defined(self.resolver, base, EdgeType::Implements, Certainty::Heuristic);
                    found.rows.extend(row.map(|row| Row { depth: Some(depth), ..row }));
                }
            }
            (front, depth) = (next, depth + 1);
        }
        found.notes.extend(beyond_note(beyond));
        found
    }

    /// Whether a language has the interface fit what only has its shape, without our looking for that.
    fn is_shape(&self, subject: &Subject) -> bool {
        let Subject::Defined(target) = subject else { return false };
        let file = self.resolver.file(target.def.version);
        file.is_some_and(|file| {
            let shape = matches!(file.symbol(target.def.symbol).kind, SymbolKind::Interface | SymbolKind::Type);
            shape && file.lang.naming.system == System::Ecma
        })
    }
}

/// The type that a trait is derived for: in Rust a decorator that is a trait implements it.
fn derived(one: &Use) -> Option<Heir> {
    let symbol = decorated(&one.file, one.start).filter(|_| one.file.lang.naming.system == System::Rust)?;
    Some(Heir::Implementor(Def { version: one.file.id(), symbol }))
}

/// What to say of super types that the ref does not define.
pub(super) fn beyond_note(mut names: Vec<String>) -> Option<Note> {
    names.sort_unstable();
    names.dedup();
    (!names.is_empty()).then_some(Note::Beyond(names))
}

/// The use that is a construction of a class without a name.
pub(super) fn is_unnamed(asked: &Asked, one: &Use) -> bool {
    let occurrence = one.file.occurrence_at(one.start);
    occurrence.is_some_and(|occurrence| asked.resolver.heir(&Arc::clone(&one.file), occurrence) == Heir::Unnamed)
}
