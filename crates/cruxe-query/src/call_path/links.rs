//! The calls between symbols, one step from any of them, each looked up once.
//!
//! Beside what a call names it may run what overrides that, and a type that is called runs its constructor.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cruxe_extract::naming::Members;
use cruxe_model::SymbolKind;
use cruxe_model::facts::Role;

use crate::calls::{self, Symbols};
use crate::filter::Filter;
use crate::references::{Confidence, EdgeType};
use crate::resolve::{Def, File, Reason, Resolution, Resolver};
use crate::uses::{self, Pick, Scope, Use, Uses};
use crate::{target, twins};

/// Unresolved calls of one name that are remembered.
const MAX_OPEN: usize = 8;

/// A call from one symbol to another.
#[derive(Clone)]
pub(super) struct Link {
    /// Who calls.
    pub caller: Def,
    /// The definition of it that holds the call.
    pub holder: Def,
    /// What is called; `None` for what is outside of the ref.
    pub callee: Option<Def>,
    pub site: Arc<File>,
    pub start: u32,
    pub confidence: Confidence,
    /// The member that the call names, where the callee overrides it.
    pub base: Option<Def>,
}

impl Link {
    pub fn is_guess(&self) -> bool {
        self.confidence == Confidence::Heuristic
    }
}

/// A place in the code of a definition, or outside of all.
pub(super) struct UseSite {
    pub holder: Option<Def>,
    pub site: Arc<File>,
    pub start: u32,
}

/// A call of which it cannot be told what it calls.
pub(super) struct OpenCall {
    pub caller: Def,
    pub place: UseSite,
    pub reason: Reason,
}

/// The calls that were looked up so far.
pub(super) struct Links<'a> {
    resolver: &'a Resolver<'a>,
    filter: &'a Filter,
    /// When everything has to end, and when what goes on at the moment.
    last: Instant,
    deadline: Instant,
    symbols: Symbols,
    /// The calls of a name from outside, where the chain ends at one.
    outside: Uses,
    /// Whether guesses may lead from the program into the stand-ins of its tests: not where both ends are of the program.
    into_tests: bool,
    callees: HashMap<Def, Rc<[Link]>>,
    callers: HashMap<Option<Def>, Rc<[Link]>>,
    with_body: HashMap<Def, Def>,
    overriding: HashMap<Def, Rc<[Def]>>,
    open: HashMap<String, Vec<OpenCall>>,
    filtered: HashSet<Def>,
    /// How many calls were met of which it cannot be told what they call.
    pub unresolved: usize,
}

impl<'a> Links<'a> {
    pub fn new(resolver: &'a Resolver<'a>, filter: &'a Filter, deadline: Instant, outside: Uses) -> Links<'a> {
        Links {
            resolver,
            filter,
            last: deadline,
            deadline,
            symbols: Symbols::default(),
            outside,
            into_tests: false,
            callees: HashMap::new(),
            callers: HashMap::new(),
            with_body: HashMap::new(),
            overriding: HashMap::new(),
            open: HashMap::new(),
            filtered: HashSet::new(),
            unresolved: 0,
        }
    }

    /// Says where the chains begin and end.
    pub fn between(&mut self, starts: &[Def], ends: &[Option<Def>]) {
        let mut all = starts.iter().copied().chain(ends.iter().copied().flatten());
        self.into_tests = all.any(|def| calls::is_test(self.resolver, def));
    }

    /// The definition that stands for a symbol.
    pub fn one(&mut self, def: Def) -> Def {
        self.symbols.one(self.resolver, def)
    }

    /// Gives the search so much more time.
    pub fn until(&mut self, more: Duration) {
        self.deadline = self.last.min(Instant::now() + more);
    }

    /// Whether the time is over.
    pub fn is_late(&self) -> bool {
        Instant::now() >= self.deadline || self.resolver.is_late() || self.resolver.is_cancelled()
    }

    /// The unresolved calls of a name.
    pub fn open(&self, name: &str) -> &[OpenCall] {
        self.open.get(name).map(Vec::as_slice).unwrap_or_default()
    }

    /// How many symbols the filter kept out.
    pub fn filtered_out(&self) -> usize {
        self.filtered.len()
    }

    /// Whether a chain may lead through a symbol.
    pub fn passes(&mut self, def: Def) -> bool {
        if self.filter.is_open() {
            return true;
        }
        let file = self.resolver.file(def.version);
        let passes = file.is_some_and(|file| self.filter.has_symbol(&file.row, Some(file.symbol(def.symbol))));
        if !passes {
            self.filtered.insert(def);
        }
        passes
    }

    /// The calls in a symbol's code.
    pub fn calls_of(&mut self, caller: Def) -> Rc<[Link]> {
        if let Some(known) = self.callees.get(&caller) {
            return Rc::clone(known);
        }
        let mut found = Best::default();
        if self.runs_when_called(caller) {
            for holder in twins::bodies(self.resolver, caller) {
                self.add_body(caller, holder, &mut found);
            }
        }
        let found: Rc<[Link]> = found.into_links().into();
        self.callees.insert(caller, Rc::clone(&found));
        found
    }

    fn add_body(&mut self, caller: Def, holder: Def, found: &mut Best) {
        let resolver = self.resolver;
        let no_tests = !self.into_tests && !calls::is_test(resolver, caller);
        calls::calls_in(resolver, holder, |file, occurrence, resolution| {
            let (site, start) = (Arc::clone(file), occurrence.start);
            let (defs, confidence) = match resolution {
                Resolution::Defs(defs, certainty) => (defs, Confidence::from(certainty)),
                Resolution::Unresolved(reason) => {
                    self.unresolved += 1;
                    let open = self.open.entry(file.facts.name(occurrence.name).to_owned()).or_default();
                    if open.len() < MAX_OPEN {
                        open.push(OpenCall { caller, place: UseSite { holder: Some(holder), site, start }, reason });
                    }
                    return;
                }
                Resolution::Module | Resolution::Local | Resolution::Outside => return,
            };
            for def in defs {
                for (callee, base) in self.may_run(def) {
                    let confidence = if base.is_some() { Confidence::Heuristic } else { confidence };
                    if confidence == Confidence::Heuristic && no_tests && calls::is_test(resolver, callee) {
                        continue;
                    }
                    let site = Arc::clone(&site);
                    found.add(Link { caller, holder, callee: Some(callee), site, start, confidence, base });
                }
            }
        });
    }

    /// What runs when a definition is called: it, its constructor where it is a type, and what overrides it, each of those
    /// with the member that the call names.
    fn may_run(&mut self, def: Def) -> Vec<(Def, Option<Def>)> {
        let resolver = self.resolver;
        let meant = *self.with_body.entry(def).or_insert_with(|| calls::with_body(resolver, def));
        let mut all = vec![(self.one(meant), None)];
        let mut constructors = twins::constructors(resolver, meant);
        if constructors.is_empty() && is_type(resolver, meant) {
            constructors = resolver.inherited_constructors(meant);
        }
        all.extend(constructors.into_iter().map(|def| (self.one(def), None)));
        let overriding = self.overriding.entry(def).or_insert_with(|| resolver.overriding(def).into());
        let overriding = Rc::clone(overriding);
        all.extend(overriding.iter().map(|other| (self.one(*other), Some(def))));
        all
    }

    /// Whether calling something runs the code that it holds: the body of a Python class runs where it is defined.
    fn runs_when_called(&self, def: Def) -> bool {
        let by_line = |file: Arc<File>| file.lang.naming.members == Members::ClassBody;
        !is_type(self.resolver, def) || !self.resolver.file(def.version).is_some_and(by_line)
    }

    /// The calls that lead to a symbol, or to the name from outside, and whether all of them were looked up.
    pub fn calls_to(&mut self, callee: Option<Def>) -> (Rc<[Link]>, bool) {
        if let Some(known) = self.callers.get(&callee) {
            return (Rc::clone(known), true);
        }
        let (mut found, mut whole) = (Best::default(), true);
        let Some(def) = callee else {
            let uses = std::mem::take(&mut self.outside);
            whole &= !uses.cut;
            self.add_uses(uses, callee, None, &mut found);
            return self.keep(callee, found, whole);
        };
        let group = target::group(self.resolver, def);
        let bases: Vec<Def> = self.resolver.overridden(def);
        let groups = bases.into_iter().map(|base| (target::group(self.resolver, base), Some(base)));
        for (group, base) in std::iter::once((group, None)).chain(groups) {
            let uses = uses::uses(self.resolver, &group, Pick::Edge(EdgeType::Calls), Scope::Until(self.deadline));
            whole &= !uses.cut;
            self.add_uses(uses, callee, base, &mut found);
        }
        self.keep(callee, found, whole)
    }

    /// Where a function is a value that others may call, those outside of tests first, and of them those in functions.
    pub fn handed_on(&self, def: Def) -> Vec<UseSite> {
        let group = target::group(self.resolver, def);
        let mut uses = uses::uses(self.resolver, &group, Pick::All, Scope::Until(self.deadline)).found;
        uses.retain(|one| one.role == Role::Value && !one.certainty.is_guess());
        uses::sort(&mut uses);
        uses.sort_by_key(|one| one.in_test());
        let place = |one: Use| UseSite { holder: uses::holder(&one), start: one.start, site: one.file };
        let mut places: Vec<UseSite> = uses.into_iter().map(place).collect();
        // What the body of a class says of its members is no handing on.
        places.retain(|place| place.holder.is_none_or(|holder| self.runs_when_called(holder)));
        places.sort_by_key(|place| place.holder.is_none());
        places
    }

    fn keep(&mut self, callee: Option<Def>, found: Best, whole: bool) -> (Rc<[Link]>, bool) {
        let found: Rc<[Link]> = found.into_links().into();
        if whole {
            self.callers.insert(callee, Rc::clone(&found));
        }
        (found, whole)
    }

    fn add_uses(&mut self, uses: Uses, callee: Option<Def>, base: Option<Def>, found: &mut Best) {
        let no_tests = !self.into_tests && callee.is_some_and(|callee| calls::is_test(self.resolver, callee));
        for one in uses.found {
            let Some(holder) = uses::holder(&one) else { continue };
            let caller = self.one(holder);
            let confidence = if base.is_some() { Confidence::Heuristic } else { one.certainty.into() };
            let strays = confidence == Confidence::Heuristic && no_tests && !one.in_test();
            if !strays && self.runs_when_called(holder) {
                found.add(Link { caller, holder, callee, site: one.file, start: one.start, confidence, base });
            }
        }
    }
}

fn is_type(resolver: &Resolver, def: Def) -> bool {
    use SymbolKind::{Class, Enum, Interface, Struct, Trait, Union};
    let kind = resolver.file(def.version).map(|file| file.symbol(def.symbol).kind);
    matches!(kind, Some(Class | Enum | Interface | Struct | Trait | Union))
}

/// Of several calls between two symbols the surest, and of those the first.
#[derive(Default)]
struct Best {
    links: Vec<Link>,
    at: HashMap<(Def, Option<Def>), usize>,
}

impl Best {
    fn add(&mut self, link: Link) {
        let pair = (link.caller, link.callee);
        match self.at.get(&pair).map(|at| &mut self.links[*at]) {
            Some(known) if link.confidence < known.confidence => *known = link,
            Some(_) => {}
            None => {
                self.at.insert(pair, self.links.len());
                self.links.push(link);
            }
        }
    }

    /// The sure ones first.
    fn into_links(mut self) -> Vec<Link> {
        self.links.sort_by_key(|link| (link.is_guess(), link.base.is_some()));
        self.links
    }
}
