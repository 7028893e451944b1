//! Every use of a symbol, with how sure it is.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use cruxe_index::{Layers, View};
use cruxe_model::facts::Role;
use cruxe_model::{SourceLayer, SymbolKind};
use cruxe_store::FileRow;

use crate::by_text::{self, ByText};
use crate::code;
use crate::error::QueryError;
use crate::external::{self, External};
use crate::filter::Filter;
use crate::mentions::{Account, Mentions, Open, UnresolvedMention};
use crate::relations::{self, Note, Relation};
use crate::resolve::{Certainty, File, Lang, Resolver};
use crate::symbol::SymbolRef;
use crate::target::{self, Target, Wanted};
use crate::unread::{self, Effort, Unread};
use crate::uses::{Pick, Scope, Use, Uses, in_test, sort, uses};

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
            Role::Call | Role::Subclass | Role::Operator => EdgeType::Calls,
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
    /// Nothing names it, and it may run all the same: an operator, or what the language calls itself.
    pub runs_unnamed: bool,
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
    let unresolved = unresolved(question, resolver, &account, &mut lines);
    let first_unparsed = account.first_unparsed(resolver);
    let (mentions, late, notes) = (Some(account.mentions), uses.cut, Vec::new());
    let filtered_out = all - total;
    let is_none = all == 0 && account.mentions.open() == 0;
    let unread = unread::unread(view, subject.name(), Effort::for_answer(is_none))?;
    let by_text = if is_none { by_text::by_text(view, subject.name())? } else { None };
    Ok(ReferenceList {
        runs_unnamed: is_none && runs_unnamed(resolver, &subject),
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

/// Whether a function runs where nobody names it.
pub(crate) fn runs_unnamed(resolver: &Resolver, subject: &Subject) -> bool {
    let Subject::Defined(target) = subject else { return false };
    let of_kind = matches!(target.symbol.kind, SymbolKind::Fn | SymbolKind::Method);
    of_kind
        && resolver.file(target.def.version).is_some_and(|file| {
            let symbol = file.symbol(target.def.symbol);
            (file.lang.naming.runs_unnamed)(&symbol.name, &symbol.signature)
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

/// What could not be told, as much as is asked for: outside of tests first, then by place. The order in which files were
/// indexed, which is that of the account, is another on every machine.
pub(crate) fn unresolved(
    question: &Question,
    resolver: &Resolver,
    account: &Account,
    lines: &mut Lines,
) -> Vec<UnresolvedMention> {
    if question.unresolved == 0 {
        return Vec::new();
    }
    let open = account.open.iter().filter_map(|one| Some((one, resolver.file(one.version)?)));
    let mut open: Vec<_> = open.filter(|(one, file)| passes(question, file, one.start)).collect();
    open.sort_by_cached_key(|(one, file)| (in_test(file, one.start), file.path().to_owned(), one.start));
    open.iter().take(question.unresolved).map(|(one, file)| unresolved_mention(one, file, lines)).collect()
}

fn unresolved_mention(one: &Open, file: &Arc<File>, lines: &mut Lines) -> UnresolvedMention {
    let line = file.facts.line_of(one.start);
    UnresolvedMention {
        path: file.path().to_owned(),
        line,
        reason: one.reason,
        context: lines.line(&file.row, line),
        from: SymbolRef::around(file, one.start),
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
    texts: HashMap<u32, Option<Arc<str>>>,
}

impl<'a> Lines<'a> {
    pub(crate) fn of(view: &'a View<'a>) -> Lines<'a> {
        Lines { view, texts: HashMap::new() }
    }

    pub(crate) fn line(&mut self, row: &FileRow, line: u32) -> String {
        let view = self.view;
        let text = self.texts.entry(row.id).or_insert_with(|| code::text(view, row));
        let line = text.as_deref().and_then(|text| text.lines().nth(line as usize - 1)).unwrap_or_default().trim();
        match line.char_indices().nth(MAX_LINE) {
            Some((cut, _)) => format!("{}…", &line[..cut]),
            None => line.to_owned(),
        }
    }
}
