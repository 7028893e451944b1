//! Which definition a question about a symbol means.

use std::collections::HashSet;

use cruxe_extract::naming::Merging;
use cruxe_index::View;
use cruxe_model::SymbolKind;
use cruxe_model::facts::{Symbol, SymbolIndex};

use crate::error::{MissingSymbol, NearSymbol, QueryError};
use crate::external;
use crate::locate::{self, Definition, Matched};
use crate::name;
use crate::resolve::{Def, Resolver};
use crate::symbol::SymbolRef;
use crate::takes;
use crate::twins;

/// How many other definitions of a name are listed.
const MAX_CANDIDATES: usize = 10;
/// How many definitions of a name are looked at in one file.
const MAX_FOUND: usize = 200;

/// A symbol as somebody names it.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// A plain or qualified name, or a `symbol_id`.
    pub name: String,
    /// Only in this file.
    pub path: Option<String>,
    /// The one whose definition has this line, or starts nearest to it.
    pub line: Option<u32>,
}

/// The definition that is meant.
pub struct Target {
    /// How answers show it.
    pub symbol: SymbolRef,
    /// What counts as it.
    pub(crate) group: Group,
    /// The definition itself.
    pub(crate) def: Def,
    /// Other definitions of the name.
    pub candidates: Vec<SymbolRef>,
    /// The same, in the same order.
    pub(crate) others: Vec<Def>,
    /// How many there are.
    pub other_definitions: usize,
    /// The name that was asked for, where the type in it does not define this but has it from another.
    pub inherited_as: Option<String>,
}

/// The definitions whose uses are those of one symbol.
pub(crate) struct Group {
    /// The one that was chosen.
    pub def: Def,
    /// It, with its overloads and declarations, and those constructors of a class that are called like it.
    pub defs: HashSet<Def>,
    /// The class of a constructor: who calls it calls the constructor.
    pub called: HashSet<Def>,
    /// It is a constructor that is called like its class: what is no call means the class.
    pub only_calls: bool,
    /// All constructors of the class, where one of them was asked for: a call goes to those that can take it.
    pub constructors: Vec<Def>,
    /// The other functions of the name are left out.
    pub narrowed: bool,
}

/// Finds the definition; an error says which names are near.
pub fn find(view: &View, resolver: &Resolver, wanted: &Wanted) -> Result<Target, QueryError> {
    find_among(view, resolver, wanted, |_| true)
}

/// The same for a question that some kinds of symbols fit better than others.
pub(crate) fn find_among(
    view: &View,
    resolver: &Resolver,
    wanted: &Wanted,
    fits: impl Fn(SymbolKind) -> bool,
) -> Result<Target, QueryError> {
    // A name may have thousands of definitions; only what is listed has to be read.
    let limit = if wanted.path.is_some() || wanted.line.is_some() { MAX_FOUND } else { 2 * MAX_CANDIDATES };
    let question = locate::Question::new(wanted.name.clone(), limit);
    let answer = locate::locate_in(view, &question, wanted.path.as_deref())?;
    let unread = answer.total.saturating_sub(answer.found.len());
    let is_it = answer.matched.is_some_and(Matched::is_it);
    let elsewhere = locate::elsewhere(view, &question, &answer)?.found;
    let mut found = answer.found;
    let defines = |found: &Definition| locate::defines(found.symbol().kind);
    if found.iter().any(defines) {
        found.retain(defines);
    }
    if !is_it || found.is_empty() {
        found.extend(elsewhere);
        return Err(no_such_symbol(resolver, wanted, &found));
    }
    if wanted.path.is_some() && name::parse(&wanted.name).qualifiers.is_empty() {
        // Who names a file and no type means what stands in the file by itself, test or not.
        found.sort_by_key(|found| {
            let symbol = found.symbol();
            let outer = symbol.parent.and_then(|at| found.table.symbols.get(at.0 as usize)).map(|outer| outer.kind);
            let member = outer.is_some_and(|kind| kind != SymbolKind::Module) || symbol.kind == SymbolKind::Method;
            (member, matches!(symbol.kind, SymbolKind::Field | SymbolKind::Variant), nesting(found))
        });
    }
    found.sort_by_key(|found| !fits(found.symbol().kind));
    if let Some(line) = wanted.line {
        found.sort_by_key(|found| {
            let (start, end) = found.lines();
            let outside = !(start..=end).contains(&line);
            (outside, start.abs_diff(line), end - start)
        });
    }
    let def_of = |found: &Definition| Def { version: found.file.id, symbol: found.index };
    let def = def_of(&found[0]);
    let mut group = group(resolver, def);
    if wanted.line.is_some_and(|line| (found[0].lines().0..=found[0].lines().1).contains(&line)) {
        narrow(resolver, &mut group);
    }
    let (mut candidates, mut others) = (Vec::new(), Vec::new());
    let mut groups: HashSet<Def> = group.defs.clone();
    let mut other_definitions = unread;
    for found in &found[1..] {
        let other = def_of(found);
        if groups.contains(&other) {
            continue;
        }
        groups.extend(self::group(resolver, other).defs);
        other_definitions += 1;
        if candidates.len() < MAX_CANDIDATES
            && let Some(file) = resolver.file(other.version)
        {
            candidates.push(SymbolRef::new(&file, other.symbol));
            others.push(other);
        }
    }
    resolver.check()?;
    let Some(file) = resolver.file(def.version) else { return Err(no_such_symbol(resolver, wanted, &[])) };
    let symbol = SymbolRef::new(&file, def.symbol);
    let inherited_as = (answer.matched == Some(Matched::Inherited)).then(|| wanted.name.trim().to_owned());
    Ok(Target { symbol, group, def, candidates, others, other_definitions, inherited_as })
}

impl Target {
    /// Means another of the name's definitions after all.
    pub(crate) fn choose(&mut self, resolver: &Resolver, other: Def) {
        if let Some(at) = self.others.iter().position(|def| *def == other) {
            std::mem::swap(&mut self.symbol, &mut self.candidates[at]);
            self.others[at] = std::mem::replace(&mut self.def, other);
            self.group = group(resolver, other);
        }
    }
}

/// How many symbols are around a definition.
fn nesting(found: &Definition) -> usize {
    let mut depth = 0;
    let mut parent = found.symbol().parent;
    while let Some(outer) = parent.and_then(|at| found.table.symbols.get(at.0 as usize)) {
        depth += 1;
        parent = outer.parent;
    }
    depth
}

/// The definitions whose uses are those of a symbol.
pub(crate) fn group(resolver: &Resolver, def: Def) -> Group {
    let mut defs = same(resolver, def);
    let called: HashSet<Def> =
        twins::constructed(resolver, &defs).into_iter().flat_map(|class| same(resolver, class)).collect();
    let name = |def: Def| resolver.file(def.version).map(|file| file.symbol(def.symbol).name.clone());
    let own = name(def);
    let mut constructors: HashSet<Def> = HashSet::new();
    for class in &defs {
        constructors.extend(twins::constructors(resolver, *class));
    }
    for constructor in constructors.into_iter().filter(|constructor| name(*constructor) == own) {
        defs.extend(same(resolver, constructor));
    }
    let only_calls = called.iter().any(|class| name(*class) == own);
    Group { def, defs, called, only_calls, constructors: Vec::new(), narrowed: false }
}

/// Leaves out the other functions of the name that are told apart by what they take: whoever names a line means the one there.
fn narrow(resolver: &Resolver, group: &mut Group) {
    let Some(file) = resolver.file(group.def.version) else { return };
    let own = file.symbol(group.def.symbol);
    let told_apart = file.lang.naming.overloads && matches!(own.kind, SymbolKind::Fn | SymbolKind::Method);
    if !told_apart {
        return;
    }
    let mut constructors: HashSet<Def> =
        group.called.iter().flat_map(|class| twins::constructors(resolver, *class)).collect();
    if !group.called.is_empty() {
        constructors.extend(&group.defs);
    }
    group.constructors = constructors.into_iter().collect();
    group.constructors.sort_unstable();
    group.narrowed = true;
    let same = |other: &Def| {
        let Some(beside) = resolver.file(other.version) else { return true };
        let symbol = beside.symbol(other.symbol);
        // Of one kind and place, a second one is another function.
        let place = |symbol: &Symbol| (symbol.parent, symbol.flags.declaration, symbol.kind);
        let another = other.version == group.def.version && place(symbol) == place(own);
        !another && takes::arity(symbol).zip(takes::arity(own)).is_none_or(|(one, two)| one == two)
    };
    group.defs.retain(|other| *other == group.def || same(other));
}

/// A definition with its overloads, accessors and declarations: what one name in one place stands for.
pub(crate) fn same(resolver: &Resolver, def: Def) -> HashSet<Def> {
    let mut defs = HashSet::from([def]);
    let Some(file) = resolver.file(def.version) else { return defs };
    let (symbol, merging) = (file.symbol(def.symbol), file.lang.naming.merging);
    for (at, other) in file.facts.symbols.iter().enumerate() {
        let alike = other.qualified_name == symbol.qualified_name && other.name == symbol.name;
        let merged = merging == Merging::InFile
            && (is_type(other.kind) != is_type(symbol.kind))
            && other.parent == symbol.parent;
        if alike && merged && !matches!(other.kind, SymbolKind::Use | SymbolKind::Impl) {
            defs.insert(Def { version: def.version, symbol: SymbolIndex(at as u32) });
        }
        if alike && other.kind.is_callable() == symbol.kind.is_callable() && other.kind != SymbolKind::Impl {
            let overload = other.kind == symbol.kind || matches!(other.kind, SymbolKind::Property | SymbolKind::Method);
            if overload && other.kind != SymbolKind::Use {
                defs.insert(Def { version: def.version, symbol: SymbolIndex(at as u32) });
            }
        }
    }
    defs.extend(resolver.augmentations(def));
    if merging == Merging::AcrossFiles {
        defs.extend(twins::elsewhere(resolver, def));
    }
    defs
}

/// Whether a kind names a type. In TypeScript a type and a value of one name are declared, imported and renamed together.
fn is_type(kind: SymbolKind) -> bool {
    matches!(kind, SymbolKind::Interface | SymbolKind::Type)
}

fn no_such_symbol(resolver: &Resolver, wanted: &Wanted, near: &[Definition]) -> QueryError {
    let plain = name::parse(&wanted.name).plain;
    let has_name = near.iter().any(|found| found.symbol().name == plain);
    let near = near.iter().take(5).map(|found| NearSymbol {
        name: found.symbol().qualified_name.clone(),
        kind: found.symbol().kind.as_str(),
        path: found.file.path.as_str().to_owned(),
        line: found.lines().0,
    });
    QueryError::NoSuchSymbol(MissingSymbol {
        name: wanted.name.trim().to_owned(),
        path: wanted.path.clone(),
        // Where something else has the name, what stands in the ref may mean that.
        mentioned: if has_name { None } else { external::is_mentioned(resolver, wanted) },
        nearest: near.collect(),
        unread: None,
    })
}
