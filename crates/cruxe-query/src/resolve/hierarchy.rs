//! The hierarchy of types, for questions about it: who builds on a type, what it builds on, and whose a member is.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use cruxe_model::SymbolKind;
use cruxe_model::facts::{Heritage, Occurrence, Relation, SymbolIndex};

use super::file::File;
use super::types::Ty;
use super::{Def, Resolver};

/// Who builds on a type at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heir {
    /// A type, at its own definition.
    Type(Def),
    /// A type, by an `impl` or extension.
    Implementor(Def),
    /// An `impl` for something that the ref does not define.
    Impl(Def),
    /// A class without a name, or something of which nothing is known.
    Unnamed,
}

/// A super type where it is written.
pub struct Clause {
    /// The file.
    pub file: Arc<File>,
    /// Where its name stands.
    pub start: u32,
    /// As it is written, without its arguments.
    pub name: String,
    /// Whether it is extended or implemented.
    pub relation: Relation,
    /// The types that it means; empty where the ref does not define it, or it is not known.
    pub types: Vec<Def>,
}

impl Resolver<'_> {
    /// Who builds on the type whose name stands at an offset.
    pub fn heir(&self, file: &Arc<File>, occurrence: &Occurrence) -> Heir {
        let names = |symbol: SymbolIndex| {
            let named = |own: &&Heritage| last_name(file, own) == file.facts.name(occurrence.name);
            heritage(file, symbol).any(|own| named(&own))
        };
        // An embedded type of Go is a field as well.
        let embedded = |at: &SymbolIndex| {
            let symbol = file.symbol(*at);
            symbol.kind == SymbolKind::Field && symbol.name_span.start == occurrence.start
        };
        let mut around = file.nesting.symbols_around(&file.facts, occurrence.start).skip_while(embedded);
        let Some(symbol) = around.next().filter(|symbol| names(*symbol)) else { return Heir::Unnamed };
        let def = Def { version: file.id(), symbol };
        match file.symbol(symbol).kind {
            SymbolKind::Impl => self.impl_type(file, symbol).map_or(Heir::Impl(def), Heir::Implementor),
            _ => Heir::Type(def),
        }
    }

    /// What a type builds on, where it is written: at its definition, at the other parts of it, and at what implements
    /// something for it.
    pub fn clauses(&self, def: Def) -> Vec<Clause> {
        let mut places: Vec<Def> = vec![def];
        places.extend(self.same_type(def));
        let Some(file) = self.file(def.version) else { return Vec::new() };
        if file.lang.naming.impls {
            for hit in self.hits(&file.symbol(def.symbol).name).iter().filter(|hit| hit.kind == SymbolKind::Impl) {
                let at = Def { version: hit.version, symbol: SymbolIndex(hit.position) };
                let Some(other) = self.file(hit.version) else { continue };
                if heritage(&other, at.symbol).next().is_some() && self.impl_type(&other, at.symbol) == Some(def) {
                    places.push(at);
                }
            }
        }
        places.into_iter().flat_map(|place| self.clauses_at(place)).collect()
    }

    /// What is written at one definition.
    pub fn clauses_at(&self, def: Def) -> Vec<Clause> {
        let Some(file) = self.file(def.version) else { return Vec::new() };
        let symbol = file.symbol(def.symbol);
        let mut clauses = Vec::new();
        for own in heritage(&file, def.symbol) {
            let types = self.defined(&self.afresh(|| self.type_of(&file, own.ty, symbol.name_span.start)));
            let path = file.facts.types.get(own.ty.0 as usize).map_or(&[][..], |ty| &ty.path);
            let words: Vec<&str> = path.iter().map(|name| file.facts.name(*name)).collect();
            let last = words.last().copied().unwrap_or_default();
            let (start, name) = (clause_start(&file, def.symbol, last), words.join(file.lang.separator));
            clauses.push(Clause { file: Arc::clone(&file), start, name, relation: own.relation, types });
        }
        clauses
    }

    /// The members of a name in the whole ref, each with its type where that is known.
    pub fn members_named(&self, name: &str) -> Vec<(Def, Option<Def>)> {
        self.afresh(|| self.member_table(name).all.clone())
    }

    /// The type that a member belongs to: `None` for what is no member, `Some(None)` for one of an unknown type.
    pub fn member_owner(&self, def: Def) -> Option<Option<Def>> {
        let file = self.file(def.version)?;
        self.afresh(|| self.owner(&file, def))
    }

    /// The members of a name that a type has or inherits; the nearest in its hierarchy.
    pub fn members_by_name(&self, owner: Def, name: &str) -> Vec<Def> {
        self.afresh(|| self.members_of(owner, name))
    }

    /// The types that a method takes its place from by where it stands: the trait of its `impl`, the super type of the unnamed
    /// class around it. `None` where it stands in a type, or in an `impl` of nothing.
    pub fn implemented_at(&self, def: Def) -> Option<Vec<Def>> {
        let file = self.file(def.version)?;
        let symbol = file.symbol(def.symbol);
        let read = |own: &Heritage| self.defined(&self.afresh(|| self.type_of(&file, own.ty, symbol.span.start)));
        let unnamed = |own: &&Heritage| own.symbol == def.symbol && own.relation == Relation::Unnamed;
        if let Some(own) = file.facts.heritage.iter().find(unnamed) {
            return Some(read(own));
        }
        let outer = symbol.parent.filter(|at| file.symbol(*at).kind == SymbolKind::Impl)?;
        let mut own = heritage(&file, outer).peekable();
        own.peek()?;
        Some(own.flat_map(read).collect())
    }

    /// The type whose body an offset is in.
    pub fn type_around(&self, file: &Arc<File>, offset: u32) -> Option<Def> {
        self.afresh(|| self.own_type(file, offset))
    }

    /// The files that say something of a type apart from its definition: `impl`s and extensions.
    pub fn files_of_type(&self, def: Def) -> Vec<Arc<File>> {
        let Some(file) = self.file(def.version) else { return Vec::new() };
        let hits = self.hits(&file.symbol(def.symbol).name);
        let mut versions: Vec<_> =
            hits.iter().filter(|hit| hit.kind == SymbolKind::Impl).map(|hit| hit.version).collect();
        versions.push(def.version);
        versions.sort_unstable();
        versions.dedup();
        versions.into_iter().filter_map(|version| self.file(version)).collect()
    }

    /// The files beside the one that defines something, and that one.
    pub fn files_beside(&self, def: Def) -> Vec<Arc<File>> {
        let Some(file) = self.file(def.version) else { return Vec::new() };
        let versions = self.tree.folder(file.row.path.parent());
        versions.iter().filter_map(|version| self.file(*version)).collect()
    }

    /// The types of the ref that a type builds on, one step far.
    fn supers(&self, def: Def) -> Vec<Def> {
        let mut found = Vec::new();
        for part in [def].into_iter().chain(self.same_type(def)) {
            for base in self.afresh(|| self.bases(part)).iter() {
                found.extend(self.defined(base));
            }
        }
        found
    }

    /// The types of the ref that a type may be.
    fn defined(&self, ty: &Ty) -> Vec<Def> {
        let types = ty.alternatives().iter();
        types.filter_map(|ty| if let Ty::Value(def, _) | Ty::Item(def) = ty { Some(*def) } else { None }).collect()
    }

    /// Does one piece of work with all its steps before it.
    fn afresh<T>(&self, work: impl FnOnce() -> T) -> T {
        self.depth.set(0);
        self.steps.set(0);
        work()
    }
}

/// How far types are above others, found out once for each.
pub struct Heights<'a> {
    resolver: &'a Resolver<'a>,
    supers: HashMap<Def, Vec<Def>>,
}

/// More types than this above one are a sign that something is wrong.
const MAX_ABOVE: usize = 4_000;

impl<'a> Heights<'a> {
    /// Nothing is known yet.
    pub fn new(resolver: &'a Resolver<'a>) -> Heights<'a> {
        Heights { resolver, supers: HashMap::new() }
    }

    /// What is above a type, nearest first, with how many steps away it is.
    pub fn above(&mut self, def: Def) -> Vec<(Def, u32)> {
        let mut found: Vec<(Def, u32)> = Vec::new();
        let (mut seen, mut front) = (HashSet::from([def]), VecDeque::from([(def, 0)]));
        while let Some((at, height)) = front.pop_front() {
            if found.len() > MAX_ABOVE {
                break;
            }
            let supers = self.supers.entry(at).or_insert_with(|| self.resolver.supers(at));
            for base in supers.iter().copied().filter(|base| seen.insert(*base)) {
                found.push((base, height + 1));
                front.push_back((base, height + 1));
            }
        }
        found
    }

    /// How many steps a type is below the nearest of some others; `None` where it is below none.
    pub fn below(&mut self, def: Def, others: &HashSet<Def>) -> Option<u32> {
        self.above(def).into_iter().find(|(at, _)| others.contains(at)).map(|(_, height)| height)
    }
}

/// What a symbol extends and implements, in the order of the text.
fn heritage(file: &File, symbol: SymbolIndex) -> impl Iterator<Item = &Heritage> + '_ {
    let builds_on = |relation| matches!(relation, Relation::Extends | Relation::Implements);
    file.facts.heritage.iter().filter(move |own| own.symbol == symbol && builds_on(own.relation))
}

fn last_name<'f>(file: &'f File, own: &Heritage) -> &'f str {
    let path = file.facts.types.get(own.ty.0 as usize).map(|ty| &ty.path);
    path.and_then(|path| path.last()).map_or("", |name| file.facts.name(*name))
}

/// Where the name of a super type stands in a definition.
fn clause_start(file: &File, symbol: SymbolIndex, name: &str) -> u32 {
    let span = file.symbol(symbol).span;
    let from = file.facts.occurrences.partition_point(|occurrence| occurrence.start < span.start);
    let inside = file.facts.occurrences[from..].iter().take_while(|occurrence| occurrence.start < span.end);
    let mut named = inside.filter(|occurrence| file.facts.name(occurrence.name) == name);
    let first = named.clone().find(|occurrence| occurrence.role.is_heritage()).or_else(|| named.next());
    first.map_or(file.symbol(symbol).name_span.start, |occurrence| occurrence.start)
}
