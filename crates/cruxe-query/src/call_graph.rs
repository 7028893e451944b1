//! Who calls a symbol and whom it calls, several steps far.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use cruxe_index::View;
use cruxe_model::SymbolKind;

use crate::by_text::{self, ByText};
use crate::calls::{self, Symbols};
use crate::error::QueryError;
use crate::external::{self, External};
use crate::filter::Filter;
use crate::mentions::{Account, Mentions};
use crate::references::{self, Confidence, EdgeType, Subject};
use crate::resolve::{Def, File, Resolution, Resolver};
use crate::symbol::SymbolRef;
use crate::target::{self, Wanted};
use crate::twins;
use crate::unread::{self, Effort, Unread};
use crate::uses::{self, Pick, Scope, Uses};

/// Deeper graphs are clamped to this.
pub const MAX_DEPTH: u32 = 5;

/// A graph with more symbols than this is cut: nobody reads it, and the common names lead everywhere.
const MAX_SYMBOLS: usize = 400;
/// A graph that takes longer is cut.
const MAX_TIME: Duration = Duration::from_millis(350);

/// Which way to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Who calls it.
    Callers,
    /// Whom it calls.
    Callees,
    /// Both.
    Both,
}

/// What to find.
#[derive(Clone, Debug)]
pub struct Question {
    /// The symbol.
    pub wanted: Wanted,
    /// Which way.
    pub direction: Direction,
    /// How many steps, 1 to [`MAX_DEPTH`].
    pub depth: u32,
    /// Only such symbols; what it leaves out is not followed either.
    pub filter: Filter,
    /// At most so many edges each way.
    pub limit: usize,
}

/// A call.
pub struct Edge {
    /// Who calls, or is called.
    pub symbol: SymbolRef,
    /// The file of the first call.
    pub file: String,
    /// Its line.
    pub line: u32,
    /// The lines of all calls in that file, ascending.
    pub lines: Vec<u32>,
    /// The same of other files: a symbol may have parts in several.
    pub elsewhere: Vec<(String, Vec<u32>)>,
    /// How many calls there are: a line may have several.
    pub calls: usize,
    /// How sure it is.
    pub confidence: Confidence,
    /// How many steps away.
    pub depth: u32,
    /// The symbol at the other end, one step nearer.
    pub via: String,
}

impl Edge {
    /// Adds another call between the same two.
    fn add(&mut self, call: &Call) {
        self.calls += 1;
        let (path, line) = (call.site.path(), call.site.facts.line_of(call.start));
        let lines = match self.elsewhere.iter().position(|(file, _)| file == path) {
            Some(at) => &mut self.elsewhere[at].1,
            None if path == self.file => &mut self.lines,
            None => return self.elsewhere.push((path.to_owned(), vec![line])),
        };
        if let Err(place) = lines.binary_search(&line) {
            lines.insert(place, line);
        }
    }
}

/// The calls around a symbol.
pub struct CallGraph {
    /// The symbol.
    pub subject: Subject,
    /// Who calls it, those outside of tests first; empty when not asked for.
    pub callers: Vec<Edge>,
    /// Whom it calls, in the same order; empty when not asked for, and of something from outside.
    pub callees: Vec<Edge>,
    /// How many edges there are within the depth.
    pub total_edges: usize,
    /// How many symbols next to those listed the filter leaves out.
    pub filtered_out: usize,
    /// Whether the limit left some out.
    pub truncated: bool,
    /// Whether the graph was too large to be followed to its end.
    pub cut: bool,
    /// Calls inside it, or of its name, that cannot be told to mean it or something else.
    pub unresolved: usize,
    /// What becomes of every identifier of its name.
    pub mentions: Mentions,
    /// Where the first of them stands that is in code that could not be parsed.
    pub first_unparsed: Option<(String, u32)>,
    /// The name in texts that are not indexed.
    pub unread: Option<Unread>,
    /// Where a text may mean it, if nobody calls it.
    pub by_text: Option<ByText>,
    /// Nothing names it, and it may run all the same: an operator, or what the language calls itself.
    pub runs_unnamed: bool,
}

/// Finds the calls around a symbol.
pub fn find(view: &View, question: &Question) -> Result<CallGraph, QueryError> {
    let resolver = references::resolver(view)?;
    let (subject, outside) = subject(view, &resolver, &question.wanted)?;
    let mut walk = Walk {
        resolver: &resolver,
        filter: &question.filter,
        deadline: Instant::now() + MAX_TIME,
        cut: false,
        unresolved: 0,
        account: None,
        symbols: Symbols::default(),
        shown: HashMap::new(),
        outside,
        filtered_out: 0,
    };
    let depth = question.depth.clamp(1, MAX_DEPTH);
    let root = match &subject {
        Subject::Defined(target) => Some(target.def),
        Subject::External(_) => None,
    };
    let mut callers = Vec::new();
    if question.direction != Direction::Callees {
        callers = walk.edges(root, depth, &mut |walk, def, level| walk.callers(def, level));
    }
    let mut callees = Vec::new();
    if question.direction != Direction::Callers && root.is_some() {
        callees = walk.edges(root, depth, &mut |walk, def, _| walk.callees(def));
    }
    // The account is about the name, whichever way is asked for.
    let account = match (walk.account, &subject) {
        (Some(account), _) => account,
        (None, Subject::Defined(target)) => {
            uses::uses(&resolver, &target.group, Pick::Edge(EdgeType::Calls), Scope::All).account
        }
        (None, Subject::External(_)) => walk.outside.account,
    };
    let (cut, unresolved, filtered_out) = (walk.cut, walk.unresolved, walk.filtered_out);
    resolver.check()?;
    view.work.check()?;
    // What matters most stands first, before the limit cuts: what is not a test, then what is sure.
    callers.sort_by_key(|edge| (edge.depth, edge.symbol.is_test, edge.confidence));
    callees.sort_by_key(|edge| (edge.depth, edge.symbol.is_test));
    let total_edges = callers.len() + callees.len();
    let truncated = cut || callers.len() > question.limit || callees.len() > question.limit;
    callers.truncate(question.limit);
    callees.truncate(question.limit);
    let (mentions, first_unparsed) = (account.mentions, account.first_unparsed(&resolver));
    let is_none =
        question.direction != Direction::Callees && callers.is_empty() && filtered_out == 0 && unresolved == 0;
    let unread = unread::unread(view, subject.name(), Effort::for_answer(is_none))?;
    let by_text = if is_none && mentions.uses == 0 { by_text::by_text(view, subject.name())? } else { None };
    Ok(CallGraph {
        runs_unnamed: is_none && mentions.uses == 0 && references::runs_unnamed(&resolver, &subject),
        subject,
        callers,
        callees,
        total_edges,
        filtered_out,
        truncated,
        cut,
        unresolved,
        mentions,
        first_unparsed,
        unread,
        by_text,
    })
}

/// What the question is about: a definition, or a name from outside with its calls.
fn subject(view: &View, resolver: &Resolver, wanted: &Wanted) -> Result<(Subject, Uses), QueryError> {
    let missing = match target::find(view, resolver, wanted) {
        Ok(target) => return Ok((Subject::Defined(Box::new(target)), Uses::default())),
        Err(QueryError::NoSuchSymbol(missing)) => missing,
        Err(problem) => return Err(problem),
    };
    let found = external::uses(resolver, wanted, Pick::Edge(EdgeType::Calls));
    resolver.check()?;
    view.work.check()?;
    match found {
        Some((external, uses)) => Ok((Subject::External(External { nearest: missing.nearest, ..external }), uses)),
        None => Err(unread::missing(view, missing)),
    }
}

/// A call from, or to, a symbol.
struct Call {
    /// The other end; `None` for code outside of every symbol.
    def: Option<Def>,
    site: Arc<File>,
    start: u32,
    confidence: Confidence,
}

struct Walk<'a> {
    resolver: &'a Resolver<'a>,
    filter: &'a Filter,
    deadline: Instant,
    cut: bool,
    unresolved: usize,
    account: Option<Account>,
    symbols: Symbols,
    /// What definitions that are called are shown as.
    shown: HashMap<Def, Def>,
    /// The calls of a name from outside, where the question is about one.
    outside: Uses,
    filtered_out: usize,
}

/// The calls one step further than a symbol, or than the name from outside.
type Step<'s, 'a> = &'s mut dyn FnMut(&mut Walk<'a>, Option<Def>, u32) -> Vec<Call>;

impl<'a> Walk<'a> {
    /// Goes outwards step by step; every symbol is shown once, at its smallest distance.
    fn edges(&mut self, root: Option<Def>, depth: u32, step: Step<'_, 'a>) -> Vec<Edge> {
        let mut edges = Vec::new();
        let own = root.map(|root| self.symbols.one(self.resolver, root));
        // The root itself may be met once: that is a recursion.
        let mut seen: HashSet<(Option<Def>, u32)> = HashSet::new();
        let mut front = vec![root];
        for level in 1..=depth {
            let mut next = Vec::new();
            for def in front {
                let late = level > 1 && Instant::now() >= self.deadline || self.resolver.is_late();
                if late || seen.len() > MAX_SYMBOLS || self.resolver.is_cancelled() {
                    self.cut = true;
                    return edges;
                }
                let mut known: HashMap<(Option<Def>, u32), usize> = HashMap::new();
                for call in step(self, def, level) {
                    // Code outside of symbols is told apart by its file.
                    let key = (call.def, if call.def.is_none() { call.site.id() } else { 0 });
                    if let Some(edge) = known.get(&key).and_then(|at| edges.get_mut(*at)) {
                        edge.add(&call);
                        continue;
                    }
                    if !seen.insert(key) {
                        continue;
                    }
                    if !self.is_wanted(&call) {
                        self.filtered_out += 1;
                        continue;
                    }
                    if call.def.is_some() && call.def != own {
                        next.push(call.def);
                    }
                    if let Some(edge) = self.edge(&call, def, level) {
                        known.insert(key, edges.len());
                        edges.push(edge);
                    }
                }
            }
            front = next;
        }
        edges
    }

    /// Whether the symbol at the other end passes the filter.
    fn is_wanted(&self, call: &Call) -> bool {
        if self.filter.is_open() {
            return true;
        }
        let Some(def) = call.def else {
            let (path, language) = (call.site.path(), &call.site.row.language);
            return self.filter.has_kind(SymbolKind::Module) && self.filter.has_place(path, language, false);
        };
        let file = self.resolver.file(def.version);
        file.is_some_and(|file| self.filter.has_symbol(&file.row, Some(file.symbol(def.symbol))))
    }

    fn edge(&self, call: &Call, via: Option<Def>, depth: u32) -> Option<Edge> {
        let symbol = match call.def {
            Some(def) => SymbolRef::new(&*self.resolver.file(def.version)?, def.symbol),
            None => SymbolRef::module(&call.site),
        };
        let via = match via {
            Some(via) => SymbolRef::new(&*self.resolver.file(via.version)?, via.symbol).symbol_id,
            None => String::new(), // what is outside has no handle
        };
        let (file, line) = (call.site.path().to_owned(), call.site.facts.line_of(call.start));
        let (lines, elsewhere) = (vec![line], Vec::new());
        Some(Edge { symbol, file, line, lines, elsewhere, calls: 1, confidence: call.confidence, depth, via })
    }

    fn callers(&mut self, def: Option<Def>, level: u32) -> Vec<Call> {
        // The first step is the answer to most questions; only the time for any answer cuts it.
        let scope = if level > 1 { Scope::Until(self.deadline) } else { Scope::All };
        let mut uses = match def {
            Some(def) => {
                let group = target::group(self.resolver, def);
                uses::uses(self.resolver, &group, Pick::Edge(EdgeType::Calls), scope)
            }
            None => std::mem::take(&mut self.outside),
        };
        if level == 1 {
            self.unresolved += uses.account.mentions.open();
            self.account = Some(std::mem::take(&mut uses.account));
        }
        self.cut |= uses.cut;
        uses::sort(&mut uses.found);
        uses.found.sort_by_key(|one| one.in_test());
        let call = |one: uses::Use| Call {
            def: uses::holder(&one).map(|def| self.symbols.one(self.resolver, def)),
            start: one.start,
            confidence: one.certainty.into(),
            site: one.file,
        };
        uses.found.into_iter().map(call).collect()
    }

    fn callees(&mut self, def: Option<Def>) -> Vec<Call> {
        let bodies = def.map(|def| twins::bodies(self.resolver, def)).unwrap_or_default();
        let mut calls = Vec::new();
        for body in bodies {
            calls::calls_in(self.resolver, body, |file, occurrence, resolution| match resolution {
                Resolution::Defs(found, certainty) => {
                    for def in self.representatives(&found) {
                        let (site, start) = (Arc::clone(file), occurrence.start);
                        calls.push(Call { def: Some(def), site, start, confidence: certainty.into() });
                    }
                }
                Resolution::Unresolved(_) => self.unresolved += 1,
                Resolution::Module | Resolution::Local | Resolution::Outside => {}
            });
        }
        calls
    }

    /// Of the definitions that a call may mean one for each symbol: of overloads and declarations the one with a body.
    fn representatives(&mut self, found: &[Def]) -> Vec<Def> {
        let mut chosen: Vec<(String, Def)> = Vec::new();
        for def in found {
            let shown = *self.shown.entry(*def).or_insert_with(|| calls::with_body(self.resolver, *def));
            let shown = self.symbols.one(self.resolver, shown);
            let Some(file) = self.resolver.file(shown.version) else { continue };
            let key = format!("{}\n{}", file.path(), file.symbol(shown.symbol).qualified_name);
            if !chosen.iter().any(|(other, _)| *other == key) {
                chosen.push((key, shown));
            }
        }
        chosen.into_iter().map(|(_, def)| def).collect()
    }
}
