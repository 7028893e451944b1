//! How one symbol reaches another: the shortest chains of calls between the two.

mod links;
mod search;

use std::collections::HashSet;
use std::time::{Duration, Instant};

use cruxe_index::View;
use cruxe_model::SymbolKind;
use cruxe_model::facts::SymbolIndex;

use crate::calls;
use crate::error::QueryError;
use crate::external::{self, External};
use crate::filter::Filter;
use crate::references::{self, Confidence, EdgeType, Lines, Subject};
use crate::resolve::{Def, Reason, Resolver};
use crate::symbol::SymbolRef;
use crate::target::{self, Target, Wanted};
use crate::unread;
use crate::uses::{Pick, Uses};

use links::{Link, Links, OpenCall, UseSite};
use search::{Chain, Outcome, Search};

/// Longer chains are not looked for.
pub const MAX_STEPS: u32 = 12;
/// So many chains of one length are told at most.
pub const MAX_PATHS: usize = 3;

/// A search that takes longer is cut.
const MAX_TIME: Duration = Duration::from_secs(8);
/// How long a search goes on once it is decided: for other chains of the same length, for one without a guess, or for the calls that may
/// be the missing link.
const AFTERWARDS: Duration = Duration::from_millis(400);
/// What may be the missing link, at most, and of how many symbols it is looked up where they are handed on.
const MAX_GAPS: usize = 5;
const MAX_HANDED_ON: usize = 8;

/// What to find.
#[derive(Clone, Debug)]
pub struct Question {
    /// Where the chain begins.
    pub from: Wanted,
    /// Where it ends.
    pub to: Wanted,
    /// At most so many calls, 1 to [`MAX_STEPS`].
    pub depth: u32,
    /// Only through such symbols; the ends may be others.
    pub filter: Filter,
    /// At most so many chains.
    pub limit: usize,
}

/// The chains between two symbols.
pub struct CallPaths {
    /// Where they begin.
    pub from: Target,
    /// Where they end.
    pub to: Subject,
    /// The shortest chains, those with fewer guesses first; then the shortest one without a guess, where they all have some.
    pub paths: Vec<Vec<Step>>,
    /// How the search ended.
    pub end: End,
    /// How many steps were gone over calls from the first symbol, and over calls that lead to the second.
    pub looked: (u32, u32),
    /// How many symbols were met.
    pub symbols: usize,
    /// How many calls were met on the way from the first symbol of which it cannot be told what they call.
    pub unresolved: usize,
    /// The definitions that are most likely meant have no chain, and others of the names were tried too.
    pub tried_others: bool,
    /// What may be the missing link, the nearest first; nothing where there is a chain.
    pub gaps: Vec<Gap>,
    /// How many symbols the filter kept out.
    pub filtered_out: usize,
}

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// There is a chain.
    Found,
    /// Everything that one end leads to was looked at, and the other is not there.
    None,
    /// There is no chain of so few calls.
    TooFar,
    /// The time or the number of symbols ended it.
    Cut,
}

/// A symbol on the way.
pub struct Step {
    /// The symbol; `None` for the name from outside that a chain ends at.
    pub symbol: Option<SymbolRef>,
    /// The call that leads to it from the one before; the first has none.
    pub call: Option<CallSite>,
}

/// A call.
pub struct CallSite {
    /// The file.
    pub file: String,
    /// The line.
    pub line: u32,
    /// The line's text.
    pub context: String,
    /// How sure it is.
    pub confidence: Confidence,
    /// The member that the call names, where the step's symbol overrides it.
    pub overrides: Option<String>,
}

/// What may be the missing link: an unresolved call that has the name of a symbol which leads to the end, or a place where such a
/// symbol is handed on as a value, to be called from elsewhere.
pub struct Gap {
    /// Who calls, or hands it on.
    pub from: SymbolRef,
    /// The file.
    pub file: String,
    /// The line.
    pub line: u32,
    /// The line's text.
    pub context: String,
    /// Why it cannot be told what is called; `None` for a value that is handed on.
    pub reason: Option<Reason>,
    /// What may be called.
    pub to: SymbolRef,
}

/// Finds the shortest chains of calls from one symbol to another.
pub fn find(view: &View, question: &Question) -> Result<CallPaths, QueryError> {
    let resolver = references::resolver(view)?;
    let mut from = target::find(view, &resolver, &question.from)?;
    let (mut to, outside) = end(view, &resolver, &question.to)?;
    if let Subject::Defined(to) = &to
        && from.group.defs.contains(&to.def)
    {
        return Err(QueryError::SameSymbol { name: to.symbol.qualified_name.clone() });
    }
    let mut links = Links::new(&resolver, &question.filter, Instant::now() + MAX_TIME, outside);
    let mut ends = Ends::of(&resolver, &mut links, &from, &to);
    let (mut search, mut outcome, mut chains) = between(&mut links, &ends, question);
    let mut unresolved = links.unresolved;
    let tried_others = chains.is_empty() && has_others(&from, &to);
    if tried_others && choose(&resolver, &mut links, question, &mut from, &mut to) {
        ends = Ends::of(&resolver, &mut links, &from, &to);
        (search, outcome, chains) = between(&mut links, &ends, question);
        unresolved = links.unresolved;
    }
    if chains.first().is_some_and(|chain| chain.guesses() > 0) {
        links.until(AFTERWARDS);
        let limit = question.limit.clamp(1, MAX_PATHS);
        let mut sure = Search::new(&ends.starts, &ends.ends, depth(question), true);
        sure.run(&mut links);
        if let Some(chain) = sure.chains(1).pop() {
            chains.truncate(limit.saturating_sub(1).max(1));
            chains.push(chain);
        }
    }
    let mut lines = Lines::of(view);
    let gaps = if chains.is_empty() { gaps(&resolver, &mut links, &search, &mut lines) } else { Vec::new() };
    resolver.check()?;
    view.work.check()?;
    let paths = chains.iter().map(|chain| steps(&resolver, chain, &mut lines)).collect();
    Ok(CallPaths {
        from,
        to,
        paths,
        end: match outcome {
            Outcome::Met => End::Found,
            Outcome::Over => End::None,
            Outcome::TooFar => End::TooFar,
            Outcome::Cut => End::Cut,
        },
        looked: search.looked(),
        symbols: search.symbols(),
        unresolved,
        tried_others,
        gaps,
        filtered_out: links.filtered_out(),
    })
}

fn depth(question: &Question) -> u32 {
    question.depth.clamp(1, MAX_STEPS)
}

fn between(links: &mut Links, ends: &Ends, question: &Question) -> (Search, Outcome, Vec<Chain>) {
    links.until(MAX_TIME);
    links.between(&ends.starts, &ends.ends);
    let mut search = Search::new(&ends.starts, &ends.ends, depth(question), false);
    let outcome = search.run(links);
    let chains = search.chains(question.limit.clamp(1, MAX_PATHS));
    (search, outcome, chains)
}

/// What the chain ends at: a definition, or a name from outside with its calls.
fn end(view: &View, resolver: &Resolver, wanted: &Wanted) -> Result<(Subject, Uses), QueryError> {
    match target::find(view, resolver, wanted) {
        Ok(target) => Ok((Subject::Defined(Box::new(target)), Uses::default())),
        Err(QueryError::NoSuchSymbol(missing)) => match external::uses(resolver, wanted, Pick::Edge(EdgeType::Calls)) {
            Some((external, uses)) => Ok((Subject::External(External { nearest: missing.nearest, ..external }), uses)),
            None => Err(unread::missing(view, missing)),
        },
        Err(problem) => Err(problem),
    }
}

/// Whether one of the names has other definitions.
fn has_others(from: &Target, to: &Subject) -> bool {
    !from.others.is_empty() || matches!(to, Subject::Defined(to) if !to.others.is_empty())
}

/// Means other definitions of the names where those have a chain: of those that have one, the ones that rank first. False where
/// none has.
fn choose(resolver: &Resolver, links: &mut Links, question: &Question, from: &mut Target, to: &mut Subject) -> bool {
    let all = |target: &Target| std::iter::once(target.def).chain(target.others.iter().copied()).collect::<Vec<Def>>();
    let starts = all(from);
    let ends = match to {
        Subject::Defined(to) => Some(all(to)),
        Subject::External(_) => None,
    };
    let mut leads = |starts: &[Def], ends: Option<&[Def]>| {
        let ends = Ends::among(resolver, links, starts, ends);
        !between(links, &ends, question).2.is_empty()
    };
    if !leads(&starts, ends.as_deref()) {
        return false;
    }
    let Some(start) = starts.into_iter().find(|start| leads(&[*start], ends.as_deref())) else { return false };
    let end = ends.and_then(|ends| ends.into_iter().find(|end| leads(&[start], Some(&[*end]))));
    from.choose(resolver, start);
    if let (Some(end), Subject::Defined(to)) = (end, to) {
        to.choose(resolver, end);
    }
    true
}

/// The symbols at which a chain may begin and end. `None` is what is outside of the ref.
struct Ends {
    starts: Vec<Def>,
    ends: Vec<Option<Def>>,
}

impl Ends {
    fn of(resolver: &Resolver, links: &mut Links, from: &Target, to: &Subject) -> Ends {
        let end = match to {
            Subject::Defined(to) => Some([to.def]),
            Subject::External(_) => None,
        };
        Ends::among(resolver, links, &[from.def], end.as_ref().map(<[Def; 1]>::as_slice))
    }

    /// Those of some definitions: a type is reached where one of its functions is.
    fn among(resolver: &Resolver, links: &mut Links, from: &[Def], to: Option<&[Def]>) -> Ends {
        let mut nodes = |defs: &[Def]| -> Vec<Def> {
            let mut seen = HashSet::new();
            let parts = |def: &Def| {
                let own = [*def, calls::with_body(resolver, *def)];
                own.into_iter().chain(members(resolver, *def)).collect::<Vec<_>>()
            };
            let nodes = defs.iter().flat_map(parts).map(|def| links.one(def));
            nodes.filter(|node| seen.insert(*node)).collect()
        };
        let mut starts = nodes(from);
        let Some(to) = to else { return Ends { starts, ends: vec![None] } };
        let mut ends = nodes(to);
        // Who asks how a class reaches one of its methods means the others, and the other way round.
        let (first, last) = (starts.first().copied(), ends.first().copied());
        starts.retain(|def| Some(*def) != last);
        ends.retain(|def| Some(*def) == last || Some(*def) != first && !starts.contains(def));
        Ends { starts, ends: ends.into_iter().map(Some).collect() }
    }
}

/// The functions of a type, as far as its own file has them: it is reached where one of them is.
fn members(resolver: &Resolver, def: Def) -> Vec<Def> {
    use SymbolKind::{Class, Enum, Interface, Struct, Trait, Union};
    let Some(file) = resolver.file(def.version) else { return Vec::new() };
    let owner = file.symbol(def.symbol);
    if !matches!(owner.kind, Class | Enum | Interface | Struct | Trait | Union) {
        return Vec::new();
    }
    let before = format!("{}{}", owner.qualified_name, file.lang.separator);
    let all = file.facts.symbols.iter().enumerate();
    let own = all.filter(|(_, symbol)| {
        let name = symbol.qualified_name.strip_prefix(&before);
        symbol.kind.is_callable() && name == Some(symbol.name.as_str())
    });
    own.map(|(at, _)| Def { version: def.version, symbol: SymbolIndex(at as u32) }).collect()
}

/// A chain as it is shown: each symbol with the call that leads to it.
fn steps(resolver: &Resolver, chain: &Chain, lines: &mut Lines) -> Vec<Step> {
    let shown = |def: Def| Some(SymbolRef::new(&*resolver.file(def.version)?, def.symbol));
    let mut steps = Vec::new();
    let mut call = None;
    for link in &chain.links {
        // Of several definitions that are one symbol the one that holds the next call.
        steps.push(Step { symbol: shown(link.holder), call: call.take() });
        call = Some(site(resolver, link, lines));
    }
    // What is outside has no definition to show.
    let last = chain.links.last().and_then(|link| link.callee).and_then(shown);
    steps.push(Step { symbol: last, call });
    steps
}

fn site(resolver: &Resolver, link: &Link, lines: &mut Lines) -> CallSite {
    let line = link.site.facts.line_of(link.start);
    let name = |def: Def| Some(resolver.file(def.version)?.symbol(def.symbol).qualified_name.clone());
    CallSite {
        file: link.site.path().to_owned(),
        line,
        context: lines.line(&link.site.row, line),
        confidence: link.confidence,
        overrides: link.base.and_then(name),
    }
}

/// What may be the missing link: unresolved calls first, then values that are handed on.
fn gaps(resolver: &Resolver, links: &mut Links, search: &Search, lines: &mut Lines) -> Vec<Gap> {
    let shown = |def: Def| Some(SymbolRef::new(&*resolver.file(def.version)?, def.symbol));
    let mut gap = |place: &UseSite, to: Def, reason: Option<Reason>| {
        let line = place.site.facts.line_of(place.start);
        let (file, context) = (place.site.path().to_owned(), lines.line(&place.site.row, line));
        let from = place.holder.map_or_else(|| Some(SymbolRef::module(&place.site)), shown)?;
        Some(Gap { from, file, line, context, reason, to: shown(to)? })
    };
    let mut gaps: Vec<Gap> = Vec::new();
    for (open, to) in unresolved(resolver, links, search).into_iter().take(MAX_GAPS) {
        gaps.extend(gap(&open.place, to, Some(open.reason)));
    }
    let mut leading: Vec<(u32, Def)> = search.leading().map(|(def, distance)| (distance, def)).collect();
    leading.sort_unstable();
    links.until(AFTERWARDS);
    for (_, to) in leading.into_iter().take(MAX_HANDED_ON) {
        let room = MAX_GAPS.saturating_sub(gaps.len());
        let places = if room > 0 { links.handed_on(to) } else { Vec::new() };
        gaps.extend(places.iter().take(room).filter_map(|place| gap(place, to, None)));
    }
    gaps
}

/// The unresolved calls that have the name of something that leads to the end, the nearest to both ends first.
fn unresolved<'l>(resolver: &Resolver, links: &'l Links, search: &Search) -> Vec<(&'l OpenCall, Def)> {
    let mut found: Vec<(u32, &OpenCall, Def)> = Vec::new();
    for (node, distance) in search.leading() {
        let Some(file) = resolver.file(node.version) else { continue };
        for open in links.open(&file.symbol(node.symbol).name) {
            let Some(before) = search.reached(open.caller) else { continue };
            // What cannot be told may be a member of anything, but not of another language.
            if open.place.site.lang.may_mean(file.lang) {
                found.push((before + distance, open, node));
            }
        }
    }
    found.sort_by_key(|(distance, open, node)| (*distance, open.place.site.path().to_owned(), open.place.start, *node));
    let mut seen = HashSet::new();
    found.retain(|(_, open, _)| seen.insert((open.place.site.id(), open.place.start)));
    found.into_iter().map(|(_, open, node)| (open, node)).collect()
}
