//! A name of a type: its own members, then those of what it builds on.

use std::collections::HashSet;
use std::rc::Rc;
use std::sync::Arc;

use cruxe_extract::naming::{Home, Members, Merging};
use cruxe_model::facts::{Relation, SymbolIndex};
use cruxe_model::{SymbolKind, VersionId};
use cruxe_store::SymbolHit;

use super::file::{File, Lang, is_free_member};
use super::types::Ty;
use super::{Def, Entity, FastMap, Resolver, Space, SpaceOf, Want};
use crate::name::segments;

/// Which definitions of a name a table of members has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Place {
    /// Those of the whole ref.
    Anywhere,
    /// Those of a folder, by its number.
    Folder(u32),
    /// Those of a file.
    File(VersionId),
}

/// The members of one name, by the type they belong to.
#[derive(Default)]
pub(super) struct MemberTable {
    owned: FastMap<Def, Vec<Def>>,
    /// Every member of the name, with its owner where that is known.
    pub(super) all: Vec<(Def, Option<Def>)>,
}

/// Super types beyond this depth are not asked.
const MAX_HEIGHT: u32 = 24;

impl Resolver<'_> {
    /// The members of a name in the whole ref. It reads every file that defines the name: where the type is known,
    /// [`Resolver::owned`] reads less.
    pub(super) fn member_table(&self, name: &str) -> Rc<MemberTable> {
        self.table(name, Place::Anywhere)
    }

    /// The members of a name that a type itself has, and others that stand where they may stand.
    pub(super) fn owned(&self, owner: Def, name: &str) -> Rc<MemberTable> {
        self.table(name, self.home(owner))
    }

    /// Where the members of a type stand.
    fn home(&self, owner: Def) -> Place {
        let Some(brief) = self.tree.brief(owner.version) else { return Place::Anywhere };
        match brief.lang.naming.home {
            Home::Anywhere => Place::Anywhere,
            Home::Folder => Place::Folder(brief.folder),
            Home::File => Place::File(owner.version),
        }
    }

    fn table(&self, name: &str, place: Place) -> Rc<MemberTable> {
        use SymbolKind::{Class, Struct, Union};
        let known = |tables: &FastMap<Place, FastMap<String, Rc<MemberTable>>>| tables.get(&place)?.get(name).cloned();
        if let Some(table) = known(&self.tables.borrow()) {
            return table;
        }
        let keep = |table: Rc<MemberTable>| {
            self.tables.borrow_mut().entry(place).or_default().insert(name.to_owned(), table);
        };
        // A type whose resolution needs the same table finds it empty instead of going round.
        keep(Rc::default());
        let is_there = |version: VersionId| match place {
            Place::Anywhere => true,
            Place::Folder(number) => self.tree.brief(version).is_some_and(|brief| brief.folder == number),
            Place::File(own) => version == own,
        };
        let hits = self.hits(name);
        let hits: Vec<&SymbolHit> = hits.iter().filter(|hit| is_there(hit.version)).collect();
        self.read_ahead(&hits.iter().map(|hit| hit.version).collect::<Vec<_>>());
        let mut table = MemberTable::default();
        for hit in hits {
            let def = Def { version: hit.version, symbol: SymbolIndex(hit.position) };
            if matches!(hit.kind, SymbolKind::Impl | SymbolKind::Heading) {
                continue;
            }
            let Some(file) = self.file(hit.version) else { continue };
            let Some(owner) = self.owner(&file, def) else { continue };
            // `static string F(this T x)` is called on values of `T`, and through the class that it stands in.
            let extended = file.symbol(def.symbol).parent.and_then(|_| self.extended(&file, def));
            let called_on = match &extended {
                Some(Ty::Value(of, _)) => Some(*of),
                Some(_) => None,
                None => owner,
            };
            table.all.push((def, called_on));
            // The names of an enumeration are also those of the class that it stands in.
            let around =
                owner.filter(|_| is_free_member(&file.facts, file.lang, file.symbol(def.symbol))).and_then(|at| {
                    let outer = file.symbol(at.symbol).parent.filter(|_| at.version == def.version)?;
                    let is_class = matches!(file.symbol(outer).kind, Class | Struct | Union);
                    is_class.then_some(Def { version: def.version, symbol: outer })
                });
            for owner in [owner, called_on.filter(|_| extended.is_some()), around].into_iter().flatten() {
                table.owned.entry(owner).or_default().push(def);
            }
        }
        let table = Rc::new(table);
        keep(Rc::clone(&table));
        table
    }

    /// Whether a language has types to which code elsewhere adds members.
    pub(super) fn adds_elsewhere(lang: Lang) -> bool {
        lang.naming.home == Home::Anywhere
    }

    /// The type that a definition adds itself to from elsewhere.
    pub(super) fn extended(&self, file: &Arc<File>, def: Def) -> Option<Ty> {
        let own = |own: &&cruxe_model::facts::Heritage| own.symbol == def.symbol && own.relation == Relation::SelfType;
        let own = file.facts.heritage.iter().find(own)?;
        let symbol = file.symbol(def.symbol);
        let ty = self.type_of(file, own.ty, symbol.name_span.start);
        let found = match ty {
            Ty::Value(of, _) => Some(of),
            _ => None,
        };
        match file.lang.naming.methods_see_members {
            true => Some(self.shown_type(file, symbol, found).map_or(ty, Ty::value)),
            false => Some(ty),
        }
    }

    /// The type that the whole name of a member shows, where another or none was found by the last name before it:
    /// `List::Iterator` of `void List::Iterator::next()`, beside an `Iterator`.
    fn shown_type(&self, file: &File, member: &cruxe_model::facts::Symbol, found: Option<Def>) -> Option<Def> {
        let mut outer: Vec<&str> = segments(&member.qualified_name).collect();
        outer.pop();
        let shown = |symbol: &cruxe_model::facts::Symbol| segments(&symbol.qualified_name).eq(outer.iter().copied());
        if outer.len() < 2 || found.is_some_and(|found| self.with(found, |_, symbol| shown(symbol)) == Some(true)) {
            return None;
        }
        let types = |hit: &&cruxe_store::SymbolHit| hit.kind.fits(Space::Type) && hit.kind != SymbolKind::Module;
        let hits = self.hits(outer.last()?);
        let mut all = hits.iter().filter(types).map(|hit| (hit, SymbolIndex(hit.position)));
        all.find_map(|(hit, symbol)| {
            let def = Def { version: hit.version, symbol };
            let is_it = self.with(def, |other, symbol| other.lang.is_kin(file.lang) && shown(symbol));
            (is_it == Some(true)).then_some(def)
        })
    }

    /// The types that a type stands in by its whole name, the innermost first.
    pub(super) fn outer_types(&self, owner: Def) -> Rc<[Def]> {
        if let Some(outer) = self.outers.borrow().get(&owner) {
            return Rc::clone(outer);
        }
        let whole = self.with(owner, |file, symbol| (file.lang, symbol.qualified_name.clone()));
        let mut found = Vec::new();
        if let Some((lang, whole)) = whole {
            let mut outer: Vec<&str> = segments(&whole).collect();
            while outer.len() > 1 {
                outer.pop();
                let types = |hit: &&SymbolHit| hit.kind.fits(Space::Type) && hit.kind != SymbolKind::Module;
                let hits = self.hits(outer.last().copied().unwrap_or_default());
                let is_it = |def: &Def| {
                    let same = |other: &Arc<File>, symbol: &cruxe_model::facts::Symbol| {
                        other.lang.is_kin(lang) && segments(&symbol.qualified_name).eq(outer.iter().copied())
                    };
                    self.with(*def, same).unwrap_or(false)
                };
                let mut all = hits
                    .iter()
                    .filter(types)
                    .map(|hit| Def { version: hit.version, symbol: SymbolIndex(hit.position) });
                match all.find(is_it) {
                    Some(def) => found.push(def),
                    None => break, // a namespace, and nothing but namespaces is around one
                }
            }
        }
        let found: Rc<[Def]> = found.into();
        self.outers.borrow_mut().insert(owner, Rc::clone(&found));
        found
    }

    /// What the ref adds to a type that it does not define, under a name.
    pub(super) fn added_to_foreign(&self, foreign: &str, name: &str, lang: Lang) -> Vec<Def> {
        if !Self::adds_elsewhere(lang) {
            return Vec::new();
        }
        let adds = |def: &Def| {
            let Some(file) = self.file(def.version).filter(|file| lang.may_mean(file.lang)) else { return false };
            let parent = file.symbol(def.symbol).parent.filter(|at| file.symbol(*at).kind == SymbolKind::Impl);
            let around = || self.extended(&file, Def { symbol: parent?, ..*def });
            let ty = self.extended(&file, *def).or_else(around);
            matches!(ty, Some(Ty::Foreign(of, _)) if &*of == foreign || super::foreign::is_type_of(foreign, &of))
        };
        let table = self.member_table(name);
        table.all.iter().filter(|(_, owner)| owner.is_none()).map(|(def, _)| *def).filter(adds).collect()
    }

    /// What the ref adds to every type that a value may be of, under a name: `fun <T : Named> T.label()`, `fun Any.log()`.
    pub(super) fn added_to_all(&self, base: &Ty, name: &str, lang: Lang) -> Vec<Def> {
        let fits = |def: &Def| {
            let Some(file) = self.file(def.version).filter(|file| lang.may_mean(file.lang)) else { return false };
            match self.extended(&file, *def) {
                Some(Ty::Param(version, at)) => match (self.bound_of(version, at), base) {
                    (Ty::Unknown, _) => true,
                    (Ty::Value(bound, _), Ty::Value(own, _)) => *own == bound || self.builds_on(*own, bound, 0),
                    _ => false,
                },
                Some(Ty::Unknown) => self.extends_anything(&file, *def),
                _ => false,
            }
        };
        let table = self.member_table(name);
        table.all.iter().filter(|(_, owner)| owner.is_none()).map(|(def, _)| *def).filter(fits).collect()
    }

    /// Whether a definition adds itself to every type by the name that the language has for that.
    fn extends_anything(&self, file: &File, def: Def) -> bool {
        let mut own = file.facts.heritage.iter();
        let own = own.find(|own| own.symbol == def.symbol && own.relation == Relation::SelfType);
        let ty = own.and_then(|own| file.facts.types.get(own.ty.0 as usize));
        ty.is_some_and(|ty| matches!(ty.path[..], [name] if file.lang.naming.anything.contains(&file.facts.name(name))))
    }

    /// The type that a member belongs to: `None` for what is no member, `Some(None)` for one of an unknown type.
    pub(super) fn owner(&self, file: &Arc<File>, def: Def) -> Option<Option<Def>> {
        use SymbolKind::*;
        let (version, symbol) = (def.version, file.symbol(def.symbol));
        let parent = symbol.parent.filter(|_| !file.lang.naming.methods_see_members || !self.stands_outside(file, def));
        if let Some(parent) = parent {
            return match file.symbol(parent).kind {
                Impl => Some(self.impl_type(file, parent)),
                Class | Struct | Enum | Union | Trait | Interface | Type | Variant | Field | Const | Variable
                | Static => Some(Some(Def { version, symbol: parent })),
                _ if symbol.kind == Method => Some(self.written_owner(file, symbol)),
                Fn if file.makes_type(parent) => Some(Some(Def { version, symbol: parent })),
                // What `function Foo() { this.x = 1 }` makes has an `x`.
                Fn if symbol.kind == Field => Some(Some(Def { version, symbol: parent })),
                // A structure that is called like its module has the fields that stand there.
                Module if symbol.kind == Field && file.lang.naming.injects => {
                    Some(Some(Def { version, symbol: parent }))
                }
                _ => None,
            };
        }
        if let Some(ty) = self.extended(file, def) {
            return Some(match ty {
                Ty::Value(owner, _) => Some(owner),
                _ if symbol.kind == Method => self.written_owner(file, symbol),
                _ => None,
            });
        }
        let depth = segments(&symbol.qualified_name).count();
        let outside = depth > segments(&file.facts.module).count() + 1 && file.lang.naming.shown_owners;
        let held = symbol.kind.is_callable() || file.lang.naming.tables && symbol.kind == Field;
        // `TEST(Suite, Name)` is no member of what its suite is called after.
        if symbol.flags.test && symbol.kind == Fn && file.lang.naming.methods_see_members {
            return None;
        }
        (outside && held || symbol.kind == Method).then(|| self.written_owner(file, symbol))
    }

    /// Whether a member names its type itself: `void Foo::bar()`.
    fn stands_outside(&self, file: &File, def: Def) -> bool {
        let mut heritage = file.facts.heritage.iter();
        heritage.any(|own| own.symbol == def.symbol && own.relation == Relation::SelfType)
    }

    /// The type that a method belongs to, asked for once.
    pub(super) fn known_owner(&self, file: &Arc<File>, def: Def) -> Option<Def> {
        if let Some(owner) = self.owners.borrow().get(&def) {
            return *owner;
        }
        // Whoever needs the answer to find it does without, and nobody keeps what comes of that.
        self.owners.borrow_mut().insert(def, None);
        let owner = self.deeper(|| self.owner(file, def)).flatten();
        self.owners.borrow_mut().insert(def, owner);
        owner
    }

    /// The owner that a qualified name shows: `Foo` of `Foo.prototype.bar = …` and of `void Foo::bar()`.
    fn written_owner(&self, file: &Arc<File>, symbol: &cruxe_model::facts::Symbol) -> Option<Def> {
        let name = segments(&symbol.qualified_name).rev().nth(1)?;
        let found = self.lookup(file, name, symbol.span.start, Space::Any);
        // The module that a whole file is owns nothing in it.
        let whole = Def { version: file.id(), symbol: SymbolIndex(0) };
        found.iter().find_map(|entity| match entity {
            Entity::Symbol(def) if *def != whole || self.kind(whole) != Some(SymbolKind::Module) => Some(*def),
            _ => None,
        })
    }

    /// The members of a name that a type has or inherits; the nearest in its hierarchy.
    pub(super) fn members_of(&self, owner: Def, name: &str) -> Vec<Def> {
        self.wanted_members(owner, name, Want::Any)
    }

    /// The same for one that is called, or read.
    pub(super) fn wanted_members(&self, owner: Def, name: &str, want: Want) -> Vec<Def> {
        let unnamed = self.in_unnamed(owner, name);
        if !unnamed.is_empty() {
            return unnamed;
        }
        let mut found = Vec::new();
        // What a type builds on is worked out only where something may come of it: it may be what is being worked out.
        let may_have = match self.home(owner) {
            Place::Anywhere => !self.member_table(name).all.is_empty(),
            _ => !self.hits(name).is_empty(),
        };
        if may_have {
            found = self.inherited(name, owner, want, &mut HashSet::new(), 0);
        }
        if found.is_empty() { self.spread_members(owner, name) } else { found }
    }

    /// A name in the structure without a name that a field is of: `x` of `struct { int x; } at;`. It is listed with those of the
    /// structure around, and stands inside of the field.
    fn in_unnamed(&self, field: Def, name: &str) -> Vec<Def> {
        if self.kind(field) != Some(SymbolKind::Field) {
            return Vec::new();
        }
        let inside = |file: &Arc<File>, own: &cruxe_model::facts::Symbol| {
            if !file.lang.naming.includes || own.ty.is_some() {
                return Vec::new();
            }
            let is_it = |(at, other): &(usize, &cruxe_model::facts::Symbol)| {
                let within = own.span.start <= other.span.start && other.span.end <= own.span.end;
                *at != field.symbol.0 as usize && other.name == name && other.parent == own.parent && within
            };
            let all = file.facts.symbols.iter().enumerate().filter(is_it);
            all.map(|(at, _)| Def { version: field.version, symbol: SymbolIndex(at as u32) }).collect()
        };
        self.with(field, inside).unwrap_or_default()
    }

    /// What something has from modules that are spread into it or mixed in: `{ ...schemas, ...checks }`, `mixin(app, proto)`.
    fn spread_members(&self, owner: Def, name: &str) -> Vec<Def> {
        use SymbolKind::{Class, Const, Fn, Variable};
        let may_hold = |file: &Arc<File>, symbol: &cruxe_model::facts::Symbol| match symbol.kind {
            Const | Variable => true,
            Fn | Class => file.lang.naming.prototype.is_some(),
            _ => false,
        };
        if !self.with(owner, may_hold).unwrap_or(false) {
            return Vec::new();
        }
        let mut found = Vec::new();
        for base in self.bases(owner).iter() {
            match base {
                Ty::Module(module) => {
                    let offered = self.offered(module, name, Space::Value).into_iter();
                    found.extend(offered.filter_map(|entity| match entity {
                        Entity::Symbol(def) => Some(def),
                        _ => None,
                    }));
                }
                Ty::Value(inner, _) => found.extend(self.deeper(|| self.spread_members(*inner, name))),
                _ => {}
            }
        }
        found
    }

    fn inherited(&self, name: &str, owner: Def, want: Want, seen: &mut HashSet<Def>, height: u32) -> Vec<Def> {
        if !seen.insert(owner) || height > MAX_HEIGHT {
            return Vec::new();
        }
        if let Some(own) = self.owned(owner, name).owned.get(&owner) {
            let set = self.declared_above(name, owner, own, height);
            return if set.is_empty() { self.preferred(own, want) } else { set };
        }
        let same = self.same_type(owner);
        for same in &same {
            if let Some(own) = self.owned(*same, name).owned.get(same) {
                return self.preferred(own, want);
            }
        }
        if let Some(companion) = self.companion(owner)
            && let Some(own) = self.owned(companion, name).owned.get(&companion)
        {
            return self.preferred(own, want);
        }
        for part in std::iter::once(owner).chain(same) {
            for base in self.bases(part).iter().flat_map(Ty::alternatives) {
                let (Ty::Value(base, _) | Ty::Item(base)) = base else { continue };
                let found = self.inherited(name, *base, want, seen, height + 1);
                if !found.is_empty() {
                    return found;
                }
            }
        }
        Vec::new()
    }

    /// What a base class declares that `self.x = …` in a method sets, where the assignment looks like the definition of a field: a
    /// property, whose setter it calls, a field with a type, in Python a method that an object replaces by one of its own.
    fn declared_above(&self, name: &str, owner: Def, own: &[Def], height: u32) -> Vec<Def> {
        let is_declared = |def: &Def| match self.kind(*def) {
            Some(SymbolKind::Property) => true,
            Some(SymbolKind::Method) => {
                self.with(*def, |file, _| file.lang.naming.members == Members::ClassBody) == Some(true)
            }
            Some(SymbolKind::Field) => self.with(*def, |_, symbol| is_annotated(symbol)) == Some(true),
            _ => false,
        };
        let assigned = |def: &Def| {
            let sets = |file: &Arc<File>, symbol: &cruxe_model::facts::Symbol| {
                file.lang.naming.assignments_define && !is_annotated(symbol) && file.is_set_in_method(def.symbol)
            };
            self.with(*def, sets) == Some(true)
        };
        let may_declare = |hit: &SymbolHit| {
            let is_own = own.contains(&Def { version: hit.version, symbol: SymbolIndex(hit.position) });
            matches!(hit.kind, SymbolKind::Property | SymbolKind::Field | SymbolKind::Method) && !is_own
        };
        if !own.iter().all(assigned) || !self.hits(name).iter().any(may_declare) {
            return Vec::new();
        }
        let mut seen = HashSet::from([owner]);
        let bases = self.bases(owner);
        for base in bases.iter().flat_map(Ty::alternatives) {
            let (Ty::Value(base, _) | Ty::Item(base)) = base else { continue };
            let found = self.inherited(name, *base, Want::Any, &mut seen, height + 1);
            if !found.is_empty() {
                return if found.iter().all(is_declared) { found } else { Vec::new() };
            }
        }
        Vec::new()
    }

    /// Where methods of a file set what a base class declares under a name, and what that is: see [`Resolver::declared_above`].
    pub fn set_for_bases(&self, file: &Arc<File>, name: &str) -> Vec<(u32, Vec<Def>)> {
        if !file.lang.naming.assignments_define {
            return Vec::new();
        }
        let all = file.facts.symbols.iter().enumerate();
        let named = all.filter(|(_, symbol)| symbol.kind == SymbolKind::Field && symbol.name == name);
        let mut found = Vec::new();
        for (at, symbol) in named {
            let def = Def { version: file.id(), symbol: SymbolIndex(at as u32) };
            let Some(Some(owner)) = self.member_owner(def) else { continue };
            let meant = self.members_by_name(owner, name);
            if !meant.is_empty() && !meant.contains(&def) {
                found.push((symbol.name_span.start, meant));
            }
        }
        found
    }

    /// The object inside a class whose members are reached by the class's name.
    fn companion(&self, owner: Def) -> Option<Def> {
        let file = self.file(owner.version)?;
        let word = file.lang.naming.companion?;
        let is_it = |symbol: &cruxe_model::facts::Symbol| {
            symbol.parent == Some(owner.symbol) && symbol.signature.contains(word)
        };
        let at = file.facts.symbols.iter().position(is_it)?;
        Some(Def { version: owner.version, symbol: SymbolIndex(at as u32) })
    }

    /// Of several members of one type: all that are one thing (overloads, accessors); a Rust type's own function
    /// before that of a trait.
    fn preferred(&self, own: &[Def], want: Want) -> Vec<Def> {
        let callable = |def: &Def| self.kind(*def).is_some_and(SymbolKind::is_callable);
        let fits = |def: &Def| want == Want::Any || callable(def) == (want == Want::Called);
        let mut own: Vec<Def> =
            if own.iter().any(fits) { own.iter().copied().filter(fits).collect() } else { own.to_vec() };
        if own.iter().any(|def| !self.implements_trait(*def)) {
            own.retain(|def| !self.implements_trait(*def));
        }
        own
    }

    /// Whether a function stands in an `impl Trait for …`.
    pub(super) fn implements_trait(&self, def: Def) -> bool {
        self.with(def, |file, symbol| {
            let parent = symbol.parent.filter(|at| file.symbol(*at).kind == SymbolKind::Impl);
            let mut heritage = file.facts.heritage.iter();
            parent.is_some_and(|at| heritage.any(|own| own.symbol == at && own.relation == Relation::Implements))
        })
        .unwrap_or(false)
    }

    /// Other definitions of the same type: merged interfaces, a class with its header.
    pub(super) fn same_type(&self, owner: Def) -> Vec<Def> {
        let merged = self.with(owner, |file, symbol| {
            let merging = file.lang.naming.merging;
            if merging == Merging::Never {
                return Vec::new();
            }
            let same = |hit: &&SymbolHit| {
                let def = Def { version: hit.version, symbol: SymbolIndex(hit.position) };
                def != owner
                    && matches!(
                        hit.kind,
                        SymbolKind::Interface
                            | SymbolKind::Class
                            | SymbolKind::Struct
                            | SymbolKind::Const
                            | SymbolKind::Type
                    ) | (hit.kind == SymbolKind::Module && file.lang.naming.mixins)
                    && (hit.version == owner.version || merging == Merging::AcrossFiles)
                    && self.with(def, |_, other| other.qualified_name == symbol.qualified_name).unwrap_or(false)
            };
            let hits = self.hits(&symbol.name);
            let same = hits.iter().filter(same);
            same.map(|hit| Def { version: hit.version, symbol: SymbolIndex(hit.position) }).collect()
        });
        let mut merged = merged.unwrap_or_default();
        merged.extend(self.augmentations(owner));
        merged
    }

    /// What a type builds on: super classes, implemented traits and interfaces, embedded structs.
    pub(super) fn bases(&self, owner: Def) -> Rc<[Ty]> {
        if let Some(bases) = self.bases.borrow().get(&owner) {
            return Rc::clone(bases);
        }
        self.bases.borrow_mut().insert(owner, Rc::new([]));
        let bases: Rc<[Ty]> = self.deeper(|| self.read_bases(owner)).into();
        self.bases.borrow_mut().insert(owner, Rc::clone(&bases));
        bases
    }

    fn read_bases(&self, owner: Def) -> Vec<Ty> {
        let Some(file) = self.file(owner.version) else { return Vec::new() };
        let symbol = file.symbol(owner.symbol);
        let mut bases: Vec<Ty> =
            heritage(&file, owner.symbol).map(|ty| self.type_of(&file, ty, symbol.name_span.start)).collect();
        if file.lang.naming.impls {
            bases.extend(self.implemented(owner, &symbol.name));
        }
        if file.lang.naming.variants_hold {
            let outer = symbol.parent.filter(|_| symbol.kind == SymbolKind::Variant);
            bases.extend(outer.map(|symbol| Ty::value(Def { version: owner.version, symbol })));
        }
        if symbol.kind == SymbolKind::Type
            && let Some(ty) = symbol.ty
        {
            bases.push(self.type_of(&file, ty, symbol.name_span.start));
        }
        bases
    }

    /// What is implemented for a type apart from its definition.
    fn implemented(&self, owner: Def, name: &str) -> Vec<Ty> {
        let mut traits = Vec::new();
        for hit in self.hits(name).iter().filter(|hit| hit.kind == SymbolKind::Impl) {
            let Some(file) = self.file(hit.version) else { continue };
            let at = SymbolIndex(hit.position);
            let implemented: Vec<_> = heritage(&file, at).collect();
            if !implemented.is_empty() && self.impl_type(&file, at) == Some(owner) {
                let offset = file.symbol(at).span.start;
                traits.extend(implemented.into_iter().map(|ty| self.type_of(&file, ty, offset)));
            }
        }
        traits
    }

    /// Members of a type that stands in a path: associated functions, variants, nested types.
    pub(super) fn static_members(&self, def: Def, name: &str, want: Want) -> Vec<Def> {
        match self.kind(def) {
            Some(SymbolKind::Type) => match self.named_type(def, Vec::new()) {
                Ty::Value(meant, _) => self.wanted_members(meant, name, want),
                _ => Vec::new(),
            },
            _ => self.wanted_members(def, name, want),
        }
    }
}

/// Whether a field is declared with a type where it is defined: `x: int = 0`.
fn is_annotated(symbol: &cruxe_model::facts::Symbol) -> bool {
    let behind = symbol.signature.split_once(symbol.name.as_str()).map_or("", |(_, behind)| behind);
    behind.trim_start().starts_with(':')
}

/// The types that a symbol extends and implements, in the order of the text.
fn heritage(file: &File, symbol: SymbolIndex) -> impl Iterator<Item = cruxe_model::facts::TypeId> + '_ {
    let builds_on = |relation| matches!(relation, Relation::Extends | Relation::Implements);
    let own = move |own: &&cruxe_model::facts::Heritage| own.symbol == symbol && builds_on(own.relation);
    file.facts.heritage.iter().filter(own).map(|own| own.ty)
}
