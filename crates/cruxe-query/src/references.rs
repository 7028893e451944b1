//! Every use of a symbol, with how sure it is.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Instant;

use cruxe_index::{Layers, View};
use cruxe_model::facts::{NameId, Occurrence, Role, ScopeKind, SymbolIndex};
use cruxe_model::{SourceLayer, SymbolKind, VersionId};
use cruxe_store::FileRow;

use crate::by_text::{self, ByText};
use crate::error::QueryError;
use crate::external::{self, External};
use crate::filter::{Filter, is_test_file};
use crate::mentions::{Account, Meaning, Mentions, Open, UnresolvedMention};
use crate::relations::{self, Note, Relation};
use crate::resolve::{Certainty, Def, ExactUse, File, Lang, Resolution, Resolver};
use crate::symbol::SymbolRef;
use crate::target::{self, Group, Target, Wanted};
use crate::unread::{self, Effort, Unread};

/// What a use is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EdgeType {
    /// Named in an import or re-export.
    Imports,
    /// Called.
    Calls,
    /// Implemented as a trait or interface.
    Implements,
    /// Extended as a super class or trait.
    Extends,
    /// Anything else: a type, a value, a write, a decorator.
    References,
    /// Defined anew in a sub-type. Only [`Relation::Overrides`] and [`Relation::Overridden`] find it.
    Overrides,
}

impl EdgeType {
    pub(crate) fn of(role: Role, lang: Lang) -> EdgeType {
        match role {
            Role::Import => EdgeType::Imports,
            Role::Call | Role::Subclass => EdgeType::Calls,
            Role::Decorator if lang.naming.decorators_run => EdgeType::Calls,
            Role::Implements => EdgeType::Implements,
            Role::Extends => EdgeType::Extends,
            _ => EdgeType::References,
        }
    }
}

/// How sure an edge is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Confidence {
    /// An imported compiler's index says so.
    Exact,
    /// One definition, by scope, import or type.
    Static,
    /// A guess.
    Heuristic,
}

impl From<Certainty> for Confidence {
    fn from(certainty: Certainty) -> Confidence {
        match certainty {
            Certainty::Exact => Confidence::Exact,
            Certainty::Static => Confidence::Static,
            Certainty::Customary | Certainty::Heuristic => Confidence::Heuristic,
        }
    }
}

/// What to find.
#[derive(Clone, Debug, Default)]
pub struct Question {
    /// The symbol.
    pub wanted: Wanted,
    /// Only such uses.
    pub edge: Option<EdgeType>,
    /// What is related to it, instead of its uses.
    pub relation: Option<Relation>,
    /// Of a relation that leads from one to the next, only the first step.
    pub direct: bool,
    /// Only uses in such places.
    pub filter: Filter,
    /// At most so many.
    pub limit: usize,
    /// Leave out the first so many.
    pub offset: usize,
    /// List what could not be told too, at most so many.
    pub unresolved: usize,
}

/// What a list of uses is about.
pub enum Subject {
    /// A definition of the ref.
    Defined(Box<Target>),
    /// A name that the ref does not define.
    External(External),
}

impl Subject {
    /// The name that its uses carry.
    pub(crate) fn name(&self) -> &str {
        match self {
            Subject::Defined(target) => &target.symbol.name,
            Subject::External(external) => &external.name,
        }
    }
}

/// The uses of a symbol.
pub struct ReferenceList {
    /// The symbol.
    pub subject: Subject,
    /// Its uses, the sure ones first, and of equally sure ones those outside of tests.
    pub references: Vec<Reference>,
    /// How many there are.
    pub total: usize,
    /// How many more there are that the filter leaves out.
    pub filtered_out: usize,
    /// What becomes of every identifier of the name; `None` where definitions were asked for.
    pub mentions: Option<Mentions>,
    /// Those of which it cannot be told whether they mean the symbol, as many as were asked for.
    pub unresolved: Vec<UnresolvedMention>,
    /// How many of them may be of the relation that is asked for; `None` where none is.
    pub unresolved_of_kind: Option<usize>,
    /// Where the first of them stands that is in code that could not be parsed.
    pub first_unparsed: Option<(String, u32)>,
    /// The name in texts that are not indexed.
    pub unread: Option<Unread>,
    /// Where a text may mean it, if nothing else does.
    pub by_text: Option<ByText>,
    /// The time for an answer was over before every file was looked at.
    pub late: bool,
    /// What to know about how it was found.
    pub notes: Vec<Note>,
}

/// A use.
pub struct Reference {
    /// The file.
    pub path: String,
    /// The line.
    pub line: u32,
    /// What it is.
    pub edge: EdgeType,
    /// How sure it is.
    pub confidence: Confidence,
    /// Whether the file is as the default branch has it; `None` outside git.
    pub layer: Option<SourceLayer>,
    /// The line's text; empty when it is no longer to be had.
    pub context: String,
    /// The symbol that it stands in, or the one that is related.
    pub from: SymbolRef,
    /// Whether it stands in a test.
    pub in_test: bool,
    /// How many steps away what is related is.
    pub depth: Option<u32>,
    /// Qualified name of the sub-type through which it is related.
    pub through: Option<String>,
    /// What is related is a class without a name.
    pub unnamed: bool,
}

/// A use, before it is made readable.
pub(crate) struct Use {
    pub file: Arc<File>,
    pub start: u32,
    pub role: Role,
    pub certainty: Certainty,
    /// Which of the definitions that were looked for it means.
    pub def: Option<Def>,
}

impl Use {
    pub fn edge(&self) -> EdgeType {
        EdgeType::of(self.role, self.file.lang)
    }

    /// Whether it stands in a test.
    pub(crate) fn in_test(&self) -> bool {
        in_test(&self.file, self.start)
    }
}

/// Whether an offset of a file is in a test.
pub(crate) fn in_test(file: &File, offset: u32) -> bool {
    let around = file.nesting.enclosing_symbol(&file.facts, offset);
    around.is_some_and(|at| file.symbol(at).flags.test) || is_test_file(file.path(), &file.row.language)
}

/// Puts uses in the order of lists: sure ones first, then those outside of tests, then by place.
pub(crate) fn sort(uses: &mut [Use]) {
    uses.sort_by_cached_key(|one| (one.certainty, one.in_test(), one.file.path().to_owned(), one.start));
}

/// All uses of a group of definitions.
#[derive(Default)]
pub(crate) struct Uses {
    pub found: Vec<Use>,
    /// What becomes of every identifier of the first name; empty where only a part was looked at.
    pub account: Account,
    /// The deadline came before the end, or nobody waits for it any more.
    pub cut: bool,
}

/// The resolver of a view, or the error of a project without an index.
pub(crate) fn resolver<'a>(view: &'a View) -> Result<Resolver<'a>, QueryError> {
    Resolver::new(view)?.ok_or(QueryError::NothingIndexed)
}

/// Finds the uses of a symbol; `layers` are those of the view.
pub fn find(view: &View, layers: &Layers, question: &Question) -> Result<ReferenceList, QueryError> {
    if let Some(relation) = question.relation {
        return relations::find(view, layers, question, relation);
    }
    let resolver = resolver(view)?;
    let (subject, uses) = look_up(view, &resolver, &question.wanted, question.edge.into(), |_| true)?;
    listed(view, layers, question, &resolver, subject, uses)
}

/// The uses that were found as a list.
pub(crate) fn listed(
    view: &View,
    layers: &Layers,
    question: &Question,
    resolver: &Resolver,
    subject: Subject,
    mut uses: Uses,
) -> Result<ReferenceList, QueryError> {
    resolver.check()?;
    view.work.check()?;
    sort(&mut uses.found);
    let mut seen = HashSet::new();
    uses.found.retain(|one| {
        let line = one.file.facts.line_of(one.start);
        seen.insert((one.file.id(), line, one.edge()))
    });
    let all = uses.found.len();
    uses.found.retain(|one| passes(question, &one.file, one.start));
    let total = uses.found.len();
    let mut lines = Lines::of(view);
    let page = uses.found.iter().skip(question.offset).take(question.limit);
    let references = page.map(|one| reference(one, &mut lines, layers)).collect();
    let account = uses.account;
    let unresolved = unresolved(question, &account, &mut lines);
    let first_unparsed = account.first_unparsed();
    let (mentions, late, notes) = (Some(account.mentions), uses.cut, Vec::new());
    let filtered_out = all - total;
    let is_none = all == 0 && account.mentions.open() == 0;
    let unread = unread::unread(view, subject.name(), Effort::for_answer(is_none))?;
    let by_text = if is_none { by_text::by_text(view, subject.name())? } else { None };
    Ok(ReferenceList {
        subject,
        references,
        total,
        filtered_out,
        mentions,
        unresolved,
        unresolved_of_kind: None,
        first_unparsed,
        unread,
        by_text,
        late,
        notes,
    })
}

/// The symbol that is wanted and its uses; a name that the ref does not define has uses too.
pub(crate) fn look_up(
    view: &View,
    resolver: &Resolver,
    wanted: &Wanted,
    pick: Pick,
    fits: impl Fn(SymbolKind) -> bool,
) -> Result<(Subject, Uses), QueryError> {
    match target::find_among(view, resolver, wanted, fits) {
        Ok(target) => {
            let uses = uses(resolver, &target.group, pick, Scope::All);
            Ok((Subject::Defined(Box::new(target)), uses))
        }
        Err(QueryError::NoSuchSymbol(missing)) => {
            let Some((external, uses)) = external::uses(resolver, wanted, pick) else {
                resolver.check()?;
                return Err(unread::missing(view, missing));
            };
            Ok((Subject::External(External { nearest: missing.nearest, ..external }), uses))
        }
        Err(problem) => Err(problem),
    }
}

/// Whether a place is in the part of the ref that is asked about.
pub(crate) fn passes(question: &Question, file: &File, offset: u32) -> bool {
    question.filter.has_place(file.path(), &file.row.language, in_test(file, offset))
}

/// What could not be told, as much as is asked for.
pub(crate) fn unresolved(question: &Question, account: &Account, lines: &mut Lines) -> Vec<UnresolvedMention> {
    let open = account.open.iter().filter(|one| passes(question, &one.file, one.start));
    open.take(question.unresolved).map(|one| unresolved_mention(one, lines)).collect()
}

fn unresolved_mention(one: &Open, lines: &mut Lines) -> UnresolvedMention {
    let line = one.file.facts.line_of(one.start);
    UnresolvedMention {
        path: one.file.path().to_owned(),
        line,
        reason: one.reason,
        context: lines.line(&one.file.row, line),
        from: SymbolRef::around(&one.file, one.start),
    }
}

/// Names under which re-exports hand a definition on, at most.
const MAX_NAMES: usize = 16;

/// Which uses are looked for.
#[derive(Clone, Copy)]
pub(crate) enum Pick {
    /// All.
    All,
    /// Those of one edge type.
    Edge(EdgeType),
    /// Those in one of some roles.
    Roles(&'static [Role]),
}

impl Pick {
    pub fn takes(self, role: Role, lang: Lang) -> bool {
        match self {
            Pick::All => true,
            Pick::Edge(edge) => EdgeType::of(role, lang) == edge,
            Pick::Roles(roles) => roles.contains(&role),
        }
    }
}

impl From<Option<EdgeType>> for Pick {
    fn from(edge: Option<EdgeType>) -> Pick {
        edge.map_or(Pick::All, Pick::Edge)
    }
}

/// How far a search for uses goes.
#[derive(Clone, Copy)]
pub(crate) enum Scope {
    /// To the end, with an account of every identifier of the name.
    All,
    /// To the end, without one.
    Uses,
    /// Until a point in time, without one.
    Until(Instant),
}

/// Resolves every occurrence that is looked for and may mean one of some definitions.
pub(crate) fn uses(resolver: &Resolver, group: &Group, pick: Pick, scope: Scope) -> Uses {
    let (seen, names) = (HashSet::new(), Vec::new());
    let deadline = match scope {
        Scope::All | Scope::Uses => None,
        Scope::Until(deadline) => Some(deadline),
    };
    let account = matches!(scope, Scope::All);
    let mut search = Search { resolver, group, pick, names, seen, account, whole: false, uses: Uses::default() };
    resolver.exact_uses(&group.defs).into_iter().for_each(|one| search.note_exact(one));
    let constructions = resolver.exact_uses(&group.called).into_iter();
    constructions.filter(|one| one.role.is_call()).for_each(|one| search.note_exact(one));
    let Some(file) = resolver.file(group.def.version) else { return search.uses };
    // The account is about the name that was asked for, which is the first; of a constructor about its class too.
    search.add_name(&file.symbol(group.def.symbol).name);
    for def in group.defs.iter().chain(&group.called) {
        if let Some(file) = resolver.file(def.version) {
            let name = &file.symbol(def.symbol).name;
            search.add_name(name);
            // An attribute is used without the ending of its class.
            search.add_name(name.strip_suffix(file.lang.naming.attribute_ending).unwrap_or(name));
        }
    }
    let own = search.names.len();
    for name in group.defs.iter().flat_map(|def| resolver.fixture_names(*def)) {
        search.add_name(&name);
    }
    let (mut at, mut looked_at) = (0, 0);
    while let Some(name) = search.names.get(at).cloned() {
        let mut versions = resolver.mentioning(&name);
        let counted = search.account && at < own;
        if counted {
            versions.extend(resolver.defining(&name));
            versions.sort_unstable();
            versions.dedup();
        }
        if offered_as_default(&file, &name) {
            versions.extend(resolver.mentioning("default"));
            versions.extend(resolver.requiring(&file, &group.defs));
            search.whole = true;
            versions.sort_unstable();
            versions.dedup();
        }
        let total = looked_at + versions.len() as u64;
        for version in versions {
            let late = deadline.is_some_and(|deadline| Instant::now() >= deadline) || resolver.is_late();
            if late || resolver.is_cancelled() {
                return Uses { cut: true, ..search.uses };
            }
            // Steps further out are many, each over before anybody wonders.
            if search.account {
                resolver.tell(looked_at, total);
            }
            looked_at += 1;
            let Some(other) = resolver.file(version) else { continue };
            let found = match other.lang.may_mean(file.lang) {
                true => search.in_file(&other, &name, counted),
                false => HashMap::new(),
            };
            if counted && !other.lang.is_document() {
                let own = other.lang.may_mean(file.lang);
                search.uses.account.add(resolver, &other, &name, &found, own);
            }
        }
        at += 1;
    }
    search.uses.without_flood(search.names.first().map_or("", String::as_str));
    search.uses
}

/// Guesses that an answer may have whatever else it has.
const FEW_GUESSES: usize = 10;

impl Uses {
    /// Takes guesses by an everyday word back where they outweigh what is known: most calls of `walk` on something unknown
    /// are another library's. They count as unresolved.
    fn without_flood(&mut self, name: &str) {
        let guessed = |one: &Use| one.certainty == Certainty::Heuristic;
        let guesses = self.found.iter().filter(|one| guessed(one)).count();
        let known = self.found.iter().filter(|one| !one.certainty.is_guess()).count();
        if is_telling(name) || guesses <= FEW_GUESSES.max(2 * known) {
            return;
        }
        for one in self.found.extract_if(.., |one| guessed(one)) {
            self.account.take_back(one.file, one.start);
        }
    }
}

/// Whether a name is made of several words.
pub(crate) fn is_telling(name: &str) -> bool {
    let inner = name.trim_matches('_');
    inner.contains('_') || inner.chars().skip(1).any(char::is_uppercase) && inner.chars().any(char::is_lowercase)
}

/// Whether others import the name as the default of its module.
fn offered_as_default(file: &File, name: &str) -> bool {
    let mut offers = file.exported("default").map(|at| file.import(at));
    name == "default" || offers.any(|import| import.name.is_some_and(|own| file.facts.name(own) == name))
}

/// A search for the uses of some definitions.
struct Search<'a> {
    resolver: &'a Resolver<'a>,
    group: &'a Group,
    pick: Pick,
    /// The names that they have somewhere.
    names: Vec<String>,
    /// The places that a compiler's index has named already.
    seen: HashSet<(VersionId, u32)>,
    /// Whether an account is given.
    account: bool,
    /// Whether a module is one of them as a whole.
    whole: bool,
    uses: Uses,
}

impl Search<'_> {
    fn add_name(&mut self, name: &str) {
        if !name.is_empty() && self.names.len() < MAX_NAMES && !self.names.iter().any(|other| other == name) {
            self.names.push(name.to_owned());
        }
    }

    /// Notes the uses in a file, and gives what every occurrence of the name means where that is asked for.
    fn in_file(&mut self, file: &Arc<File>, name: &str, all: bool) -> HashMap<u32, Meaning> {
        let id = file.name_id(name);
        let default = file.name_id("default");
        // Other names that the file gives to what is looked for.
        let mut ids: Vec<NameId> = id.into_iter().collect();
        for at in 0..file.facts.imports.len() as u32 {
            let import = file.import(at);
            let from = import.name.filter(|from| Some(*from) == id || Some(*from) == default);
            let whole = self.whole && Resolver::takes_whole(file, import);
            let Some(alias) = import.alias.filter(|_| from.is_some() || whole) else { continue };
            let leads_to = |defs| self.resolver.imports_any(file, at, defs);
            if !leads_to(&self.group.defs) && !leads_to(&self.group.called) {
                continue;
            }
            if import.reexport && file.facts.name(alias) != "default" {
                self.add_name(file.facts.name(alias)); // others know it by that name
            } else if !ids.contains(&alias) && !self.names.iter().any(|n| n == file.facts.name(alias)) {
                ids.push(alias);
            }
        }
        let mut meanings = HashMap::new();
        for occurrence in ids.iter().flat_map(|id| file.uses_of(*id)) {
            let wanted = self.pick.takes(occurrence.role, file.lang);
            let counted = all && id == Some(occurrence.name);
            if wanted || counted {
                let meaning = self.note(file, occurrence, wanted);
                // Of two uses at one place (`{ depth }`) the one that is meant counts.
                let known = meanings.entry(occurrence.start).or_insert(meaning);
                if meaning == Meaning::Use {
                    *known = meaning;
                }
            }
        }
        meanings
    }

    fn note_exact(&mut self, ExactUse { file, start, role }: ExactUse) {
        let wanted = self.pick.takes(role, file.lang);
        if self.seen.insert((file.id(), start)) && wanted {
            self.uses.found.push(Use { file, start, role, certainty: Certainty::Exact, def: None });
        }
    }

    /// Which of some definitions makes what means them a use. A constructor is used where its class is called.
    fn used(&self, found: &[Def], role: Role) -> Option<Def> {
        let Group { defs, called, only_calls, .. } = self.group;
        let first = |group: &HashSet<Def>| found.iter().find(|def| group.contains(def)).copied();
        let is_call = role.is_call();
        let own = first(defs).filter(|_| is_call || !only_calls);
        own.or_else(|| first(called).filter(|_| is_call))
    }

    fn note(&mut self, file: &Arc<File>, occurrence: &Occurrence, wanted: bool) -> Meaning {
        if self.seen.contains(&(file.id(), occurrence.start)) {
            return Meaning::Use;
        }
        let (start, role) = (occurrence.start, occurrence.role);
        let resolution = self.resolver.resolve(file, occurrence);
        let Resolution::Defs(found, certainty) = &resolution else { return resolution.into() };
        let Some(def) = self.used(found, role) else { return resolution.into() };
        if wanted {
            let (file, certainty, def) = (Arc::clone(file), *certainty, Some(def));
            self.uses.found.push(Use { file, start, role, certainty, def });
        }
        Meaning::Use
    }
}

fn reference(one: &Use, lines: &mut Lines, layers: &Layers) -> Reference {
    let line = one.file.facts.line_of(one.start);
    Reference {
        path: one.file.path().to_owned(),
        line,
        edge: one.edge(),
        confidence: one.certainty.into(),
        layer: layers.of(&one.file.row.path, &one.file.row.hash),
        context: lines.line(&one.file.row, line),
        from: SymbolRef::around(&one.file, one.start),
        in_test: one.in_test(),
        depth: None,
        through: None,
        unnamed: false,
    }
}

/// Longer lines are cut: they are data or minified.
const MAX_LINE: usize = 240;

/// Lines of files, each file read once.
pub(crate) struct Lines<'a> {
    view: &'a View<'a>,
    texts: HashMap<u32, Option<String>>,
}

impl<'a> Lines<'a> {
    pub(crate) fn of(view: &'a View<'a>) -> Lines<'a> {
        Lines { view, texts: HashMap::new() }
    }

    pub(crate) fn line(&mut self, row: &FileRow, line: u32) -> String {
        let view = self.view;
        let text = self.texts.entry(row.id).or_insert_with(|| {
            let bytes = view.project.read(row)?;
            Some(cruxe_extract::as_text(&bytes).0.into_owned())
        });
        let line = text.as_deref().and_then(|text| text.lines().nth(line as usize - 1)).unwrap_or_default().trim();
        match line.char_indices().nth(MAX_LINE) {
            Some((cut, _)) => format!("{}…", &line[..cut]),
            None => line.to_owned(),
        }
    }
}

/// The symbol whose code a use is: what decorates a function or wraps it is not inside it, and what a variable is set to
/// is worked out by the code around it, functions in there aside.
pub(crate) fn holder(one: &Use) -> Option<Def> {
    use SymbolKind::{Const, Static, Variable};
    let (file, offset) = (&one.file, one.start);
    let is_data = |at: SymbolIndex| matches!(file.symbol(at).kind, Const | Static | Variable);
    let runs = |at: &SymbolIndex| runs(file, *at, offset) && (!is_data(*at) || in_body(file, *at, offset));
    let enclosing = file.nesting.enclosing_symbol(&file.facts, offset)?;
    let symbol = match runs(&enclosing) {
        true => enclosing,
        false => file.nesting.symbols_around(&file.facts, offset).skip_while(|at| *at != enclosing).find(runs)?,
    };
    Some(Def { version: file.id(), symbol })
}

/// Whether code at an offset runs when a symbol does.
pub(crate) fn runs(file: &File, at: SymbolIndex, offset: u32) -> bool {
    let symbol = file.symbol(at);
    let in_body = || !file.lang.naming.function_values || !symbol.kind.is_callable() || in_body(file, at, offset);
    symbol.span.contains(offset) && in_body()
}

/// Whether an offset is inside a function that belongs to a symbol: `x` of `const x = memo(() => …)` is made by code
/// around it.
fn in_body(file: &File, symbol: SymbolIndex, offset: u32) -> bool {
    let start = file.symbol(symbol).span.start;
    let mut scope = Some(file.scope_at(offset));
    while let Some(at) = scope {
        let found = &file.facts.scopes[at.0 as usize];
        if found.span.start < start {
            return false;
        }
        if found.kind == ScopeKind::Function {
            return true;
        }
        scope = file.nesting.scope_parent(at);
    }
    false
}
