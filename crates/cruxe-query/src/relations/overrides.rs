//! Members of types that take the place of members of the types above them.

use std::collections::{HashMap, HashSet};

use cruxe_extract::naming::System;
use cruxe_model::SymbolKind;

use super::heirs::{Descent, HEIRS, beyond_note};
use super::{Asked, Found, Row};
use crate::external::{self, External};
use crate::name;
use crate::references::EdgeType;
use crate::resolve::{Certainty, Def, Heights};
use crate::takes::arity;
use crate::target::{Target, Wanted};

impl Asked<'_> {
    /// Members of sub-types that take the place of one, or implement it.
    pub(super) fn overrides(&self, target: &Target) -> Found {
        let mut found = Found::default();
        let own = &target.group.defs;
        let owners: HashSet<Def> = own.iter().filter_map(|def| self.resolver.member_owner(*def).flatten()).collect();
        let shaped: HashSet<Def> = owners.iter().flat_map(|owner| self.shaped_like(*owner).types).collect();
        let mut heights = Heights::new(self.resolver);
        for (def, owner) in self.resolver.members_named(&target.symbol.name) {
            if self.is_over() {
                found.late = true;
                break;
            }
            if own.contains(&def) || !own.iter().any(|base| self.can_override(def, *base)) {
                continue;
            }
            let (depth, certainty) = match (self.depth_below(&mut heights, def, owner, &owners), owner) {
                (Some(depth), _) => (depth, Certainty::Static),
                (None, Some(owner)) if shaped.contains(&owner) => (1, Certainty::Heuristic),
                (None, _) => continue,
            };
            if depth == 1 || !self.direct {
                let row = Row::defined(self.resolver, def, EdgeType::Overrides, certainty);
                found.rows.extend(row.map(|row| Row { depth: Some(depth), ..row }));
            }
        }
        self.keep_bodies(&mut found.rows);
        found
    }

    /// The same for a member of a type that the ref does not define: what has its name in the types below that.
    pub(super) fn overrides_outside(&self, wanted: &Wanted) -> Option<(External, Found)> {
        let name = name::parse(&wanted.name);
        let outer = Wanted { name: name.qualifiers.join("."), ..wanted.clone() };
        let (external, uses) = external::uses(self.resolver, &outer, HEIRS)?;
        let mut descent = Descent::new(self, []);
        let first = descent.take(uses, 1);
        descent.follow(first, 2);
        let mut found = Found { late: descent.late, ..Found::default() };
        for (def, owner) in self.resolver.members_named(&name.plain) {
            let Some(depth) = owner.and_then(|owner| descent.depth(owner)) else { continue };
            let row = Row::defined(self.resolver, def, EdgeType::Overrides, Certainty::Static);
            found.rows.extend(row.map(|row| Row { depth: Some(depth), ..row }));
        }
        self.keep_bodies(&mut found.rows);
        let qualified_name = format!("{}.{}", external.qualified_name, name.plain);
        let external = External { name: name.plain, qualified_name, ..external };
        (!found.rows.is_empty()).then_some((external, found))
    }

    /// Members of super types whose place one takes, or that it implements.
    pub(super) fn overridden(&self, target: &Target) -> Found {
        let (mut found, mut beyond) = (Found::default(), Vec::new());
        let mut owned: HashMap<Def, Vec<Def>> = HashMap::new();
        for (def, owner) in self.resolver.members_named(&target.symbol.name) {
            if let Some(owner) = owner {
                owned.entry(owner).or_default().push(def);
            }
        }
        let mut heights = Heights::new(self.resolver);
        let mut seen: HashSet<Def> = target.group.defs.clone();
        for def in &target.group.defs {
            if self.is_over() {
                found.late = true;
                break;
            }
            for (base, depth) in self.above(&mut heights, *def, &mut beyond) {
                if depth > 1 && self.direct {
                    continue;
                }
                for member in owned.get(&base).into_iter().flatten().filter(|at| self.can_override(*def, **at)) {
                    if seen.insert(*member) {
                        let row = Row::defined(self.resolver, *member, EdgeType::Overrides, Certainty::Static);
                        found.rows.extend(row.map(|row| Row { depth: Some(depth), ..row }));
                    }
                }
            }
            let owner = self.resolver.member_owner(*def).flatten();
            let shapes: HashSet<Def> = owner.into_iter().flat_map(|owner| self.shapes_of(owner)).collect();
            for member in shapes.iter().filter_map(|shape| owned.get(shape)).flatten() {
                if self.can_override(*def, *member) && seen.insert(*member) {
                    let row = Row::defined(self.resolver, *member, EdgeType::Overrides, Certainty::Heuristic);
                    found.rows.extend(row.map(|row| Row { depth: Some(1), ..row }));
                }
            }
        }
        self.keep_bodies(&mut found.rows);
        found.notes.extend(beyond_note(beyond));
        found
    }

    /// How many steps the type of a member is below some types.
    fn depth_below(&self, heights: &mut Heights, def: Def, owner: Option<Def>, owners: &HashSet<Def>) -> Option<u32> {
        if let Some(traits) = self.resolver.implemented_at(def) {
            if traits.iter().any(|base| owners.contains(base)) {
                return Some(1);
            }
            let nearest = traits.iter().filter_map(|base| heights.below(*base, owners)).min();
            if nearest.is_some() || self.only_by_impl(def) {
                return nearest.filter(|_| !self.only_by_impl(def)).map(|depth| depth + 1);
            }
        }
        if self.only_by_impl(def) && !self.is_in_trait(def) {
            return None;
        }
        heights.below(owner?, owners)
    }

    /// The types above the one that a member belongs to; names what the ref does not define.
    fn above(&self, heights: &mut Heights, def: Def, beyond: &mut Vec<String>) -> Vec<(Def, u32)> {
        let owner = self.resolver.member_owner(def).flatten();
        let mut found: Vec<(Def, u32)> = Vec::new();
        match self.resolver.implemented_at(def) {
            Some(traits) => {
                for base in traits {
                    found.push((base, 1));
                    if !self.only_by_impl(def) {
                        found.extend(heights.above(base).into_iter().map(|(at, depth)| (at, depth + 1)));
                    }
                }
                if found.is_empty() {
                    beyond.extend(self.impl_name(def));
                }
            }
            None if self.only_by_impl(def) && !self.is_in_trait(def) => {}
            None => {
                let Some(owner) = owner else { return found };
                found = heights.above(owner);
                for at in [owner].into_iter().chain(found.iter().map(|(at, _)| *at)) {
                    let clauses = self.resolver.clauses(at).into_iter();
                    beyond.extend(clauses.filter(|clause| clause.types.is_empty()).map(|clause| clause.name));
                }
            }
        }
        found
    }

    /// What the `impl` around a member is of, as it is written.
    fn impl_name(&self, def: Def) -> Option<String> {
        let file = self.resolver.file(def.version)?;
        let outer = file.symbol(def.symbol).parent?;
        let clauses = self.resolver.clauses_at(Def { version: def.version, symbol: outer });
        clauses.into_iter().next().map(|clause| clause.name)
    }

    /// Whether members implement something only where their `impl` says so.
    fn only_by_impl(&self, def: Def) -> bool {
        self.resolver.file(def.version).is_some_and(|file| file.lang.naming.system == System::Rust)
    }

    fn is_in_trait(&self, def: Def) -> bool {
        let file = self.resolver.file(def.version);
        file.is_some_and(|file| {
            file.symbol(def.symbol).parent.is_some_and(|at| file.symbol(at).kind == SymbolKind::Trait)
        })
    }

    /// Whether one member can take the place of another of its name: a function that of a function, and where functions of one
    /// name are told apart by what they take, only one that takes as much.
    fn can_override(&self, def: Def, base: Def) -> bool {
        let (Some(file), Some(other)) = (self.resolver.file(def.version), self.resolver.file(base.version)) else {
            return false;
        };
        let (one, two) = (file.symbol(def.symbol), other.symbol(base.symbol));
        if !file.lang.may_mean(other.lang) || one.kind == SymbolKind::Impl {
            return false;
        }
        // A field may take the place of an accessor, and where it may hold a function, of anything.
        let naming = &file.lang.naming;
        let any = naming.called_fields || naming.system == System::Python;
        let alike = any || one.kind.is_callable() == two.kind.is_callable();
        let counted = file.lang.naming.overloads && one.kind.is_callable();
        alike && (!counted || arity(one).zip(arity(two)).is_none_or(|(one, two)| one == two))
    }

    /// Of a declaration and its definition keeps the one with a body.
    fn keep_bodies(&self, rows: &mut Vec<Row>) {
        let mut bodies: HashSet<String> = HashSet::new();
        let symbol = |row: &Row| {
            let at = row.from.filter(|def| def.version == row.file.id())?;
            Some(row.file.symbol(at.symbol).clone())
        };
        for one in rows.iter().filter_map(symbol).filter(|one| !one.flags.declaration) {
            bodies.insert(one.qualified_name);
        }
        rows.retain(|row| {
            let spreads = row.file.lang.naming.merging == cruxe_extract::naming::Merging::AcrossFiles;
            let declared = symbol(row).filter(|one| spreads && one.flags.declaration);
            declared.is_none_or(|one| !bodies.contains(&one.qualified_name))
        });
    }
}
