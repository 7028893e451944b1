//! What is related to a symbol: sub-types, overrides, what carries a decorator, constructions, reads and writes.
//!
//! Nothing of it is stored. A relation is found by the uses of the symbol in the roles that make it ([`heirs`], [`made`],
//! [`access`]), by the members of its name in the types above and below ([`overrides`]), or, where types fit by their shape alone,
//! by the names of their methods ([`shape`]). [`fit`] says which symbols of which languages have a relation at all.

mod access;
mod fit;
mod heirs;
mod made;
mod overrides;
mod shape;

use std::collections::HashSet;
use std::sync::Arc;

use cruxe_extract::naming::System;
use cruxe_index::{Layers, View};
use cruxe_model::facts::Role;

pub use self::fit::Unfit;
use crate::error::QueryError;
use crate::mentions::Account;
use crate::references::{self, EdgeType, Lines, Question, Reference, ReferenceList, Subject};
use crate::resolve::{Certainty, Def, File, Lang, Resolver};
use crate::symbol::SymbolRef;
use crate::target::{self, Wanted};
use crate::unread::{self, Effort};
use crate::uses::{self, Pick, Use};

/// How symbols are related.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// Types that extend or implement it.
    Subtypes,
    /// Types that it extends or implements.
    Supertypes,
    /// Members of sub-types that take its place, or implement it.
    Overrides,
    /// Members of super types whose place it takes, or that it implements.
    Overridden,
    /// What carries it as a decorator, attribute or annotation.
    Decorates,
    /// Where values of it are made.
    Constructs,
    /// Where it is read and not set.
    Reads,
    /// Where it is set.
    Writes,
}

/// What to know about how relations were found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// Super types that the ref does not define: what is above them, and what they declare, is not known.
    Beyond(Vec<String>),
    /// An interface without methods, which every type fits.
    FitsAll,
    /// What only has the shape of an interface, without naming it, is not looked for.
    DeclaredOnly,
}

/// What was found of a relation.
#[derive(Default)]
struct Found {
    rows: Vec<Row>,
    /// What becomes of every identifier of the name, where uses were looked at.
    account: Option<Account>,
    late: bool,
    notes: Vec<Note>,
}

/// Something related, before it is made readable.
struct Row {
    file: Arc<File>,
    start: u32,
    edge: EdgeType,
    certainty: Certainty,
    /// The symbol that is related; `None` for the one around the place.
    from: Option<Def>,
    depth: Option<u32>,
    through: Option<Def>,
    unnamed: bool,
}

impl Row {
    /// A use as it stands.
    fn of(one: &Use) -> Row {
        Row {
            file: Arc::clone(&one.file),
            start: one.start,
            edge: one.edge(),
            certainty: one.certainty,
            from: None,
            depth: None,
            through: None,
            unnamed: false,
        }
    }

    /// A definition as the thing that is related.
    fn defined(resolver: &Resolver, def: Def, edge: EdgeType, certainty: Certainty) -> Option<Row> {
        let file = resolver.file(def.version)?;
        let start = file.symbol(def.symbol).name_span.start;
        let (from, depth) = (Some(def), None);
        Some(Row { file, start, edge, certainty, from, depth, through: None, unnamed: false })
    }

    fn in_test(&self) -> bool {
        uses::in_test(&self.file, self.start)
    }
}

/// Finds what is related to a symbol.
pub(crate) fn find(
    view: &View,
    layers: &Layers,
    question: &Question,
    relation: Relation,
) -> Result<ReferenceList, QueryError> {
    let resolver = references::resolver(view)?;
    let asked = Asked { resolver: &resolver, direct: question.direct };
    let (subject, mut found) = match roles(relation) {
        Some(roles) => {
            let fits = |kind| fit::is_meant(kind, relation);
            let (subject, uses) = references::look_up(view, &resolver, &question.wanted, Pick::Roles(roles), fits)?;
            match &subject {
                Subject::Defined(target) => fit::check(&resolver, target, relation)?,
                Subject::External(external) => fit::check_outside(&resolver, &external.name, relation)?,
            }
            let found = match relation {
                Relation::Subtypes => asked.subtypes(&subject, uses),
                Relation::Constructs => asked.constructs(&subject, uses),
                Relation::Decorates => asked.decorates(uses),
                _ => asked.accesses(&subject, uses, relation),
            };
            (subject, found)
        }
        None => asked.definitions(view, &question.wanted, relation)?,
    };
    resolver.check()?;
    view.work.check()?;
    sort(&mut found.rows);
    let mut seen = HashSet::new();
    let line = |row: &Row| (row.file.id(), row.file.facts.line_of(row.start));
    found.rows.retain(|row| seen.insert((line(row), row.from, row.through)));
    let all = found.rows.len();
    found.rows.retain(|row| references::passes(question, &row.file, row.start));
    let total = found.rows.len();
    let mut lines = Lines::of(view);
    let page = found.rows.iter().skip(question.offset).take(question.limit);
    let references = page.map(|row| asked.reference(row, &mut lines, layers)).collect();
    let mut account = found.account;
    let mentions = account.as_ref().map(|account| account.mentions);
    let first_unparsed = account.as_ref().and_then(|account| account.first_unparsed(&resolver));
    if let Some(account) = &mut account {
        let fits = |file: &File, start| file.role_at(start).is_none_or(|role| makes(relation, role, file.lang));
        account.open.retain(|one| resolver.file(one.version).is_some_and(|file| fits(&file, one.start)));
    }
    let unresolved = account.as_ref().map(|account| references::unresolved(question, &resolver, account, &mut lines));
    let is_none = all == 0 && mentions.is_none_or(|mentions| mentions.open() == 0);
    let unread = unread::unread(view, subject.name(), Effort::for_answer(is_none))?;
    Ok(ReferenceList {
        subject,
        references,
        total,
        filtered_out: all - total,
        mentions,
        unresolved: unresolved.unwrap_or_default(),
        unresolved_of_kind: account.map(|account| account.open.len()),
        first_unparsed,
        unread,
        runs_unnamed: false,
        by_text: None, // a text says nothing of how it is related
        late: found.late || resolver.is_late(),
        notes: found.notes,
    })
}

/// The roles of the uses that make a relation; `None` for one between definitions.
fn roles(relation: Relation) -> Option<&'static [Role]> {
    use Role::{Call, Decorator, Extends, Implements, Key, Make, Subclass, Type, Unpack, Value, Write};
    match relation {
        Relation::Subtypes => Some(&[Extends, Implements, Subclass, Type, Decorator]),
        Relation::Constructs => Some(&[Call, Subclass, Make, Value, Extends]),
        Relation::Decorates => Some(&[Decorator]),
        Relation::Reads => Some(&[Value, Call, Unpack, Type, Decorator]),
        Relation::Writes => Some(&[Write, Key]),
        Relation::Supertypes | Relation::Overrides | Relation::Overridden => None,
    }
}

/// Whether a use in a role may make a relation in a language.
fn makes(relation: Relation, role: Role, lang: Lang) -> bool {
    let rust = lang.naming.system == System::Rust;
    let could = match (relation, role) {
        (Relation::Subtypes, Role::Type) => lang.naming.embeds,
        (Relation::Subtypes, Role::Decorator) => rust,
        (Relation::Constructs, Role::Value) => rust || !lang.naming.makers.is_empty(),
        (Relation::Constructs, Role::Extends) => false,
        _ => true,
    };
    could && roles(relation).is_some_and(|roles| roles.contains(&role))
}

/// What is outside of tests first, then what is near, then what is sure.
fn sort(rows: &mut [Row]) {
    rows.sort_by_cached_key(|row| (row.in_test(), row.depth, row.certainty, row.file.path().to_owned(), row.start));
}

/// A question about a relation while it is answered.
struct Asked<'a> {
    resolver: &'a Resolver<'a>,
    /// Only the first step.
    direct: bool,
}

impl Asked<'_> {
    /// What is related to a definition by being one.
    fn definitions(&self, view: &View, wanted: &Wanted, relation: Relation) -> Result<(Subject, Found), QueryError> {
        let fits = |kind| fit::is_meant(kind, relation);
        let target = match target::find_among(view, self.resolver, wanted, fits) {
            Ok(target) => target,
            Err(QueryError::NoSuchSymbol(missing)) => {
                let outside = (relation == Relation::Overrides).then(|| self.overrides_outside(wanted)).flatten();
                self.resolver.check()?;
                let (external, found) = outside.ok_or_else(|| unread::missing(view, missing))?;
                return Ok((Subject::External(external), found));
            }
            Err(problem) => return Err(problem),
        };
        fit::check(self.resolver, &target, relation)?;
        let found = match relation {
            Relation::Supertypes => self.supertypes(&target),
            Relation::Overrides => self.overrides(&target),
            _ => self.overridden(&target),
        };
        Ok((Subject::Defined(Box::new(target)), found))
    }

    /// Whether nobody waits any longer.
    fn is_over(&self) -> bool {
        self.resolver.is_late() || self.resolver.is_cancelled()
    }

    fn reference(&self, row: &Row, lines: &mut Lines, layers: &Layers) -> Reference {
        let line = row.file.facts.line_of(row.start);
        let symbol = |def: Def| Some(SymbolRef::new(&*self.resolver.file(def.version)?, def.symbol));
        let from = row.from.and_then(symbol);
        Reference {
            path: row.file.path().to_owned(),
            line,
            edge: row.edge,
            confidence: row.certainty.into(),
            layer: layers.of(&row.file.row.path, &row.file.row.hash),
            context: lines.line(&row.file.row, line),
            from: from.unwrap_or_else(|| SymbolRef::around(&row.file, row.start)),
            depth: row.depth,
            through: row.through.and_then(symbol).map(|through| through.qualified_name),
            unnamed: row.unnamed,
            in_test: uses::in_test(&row.file, row.start),
        }
    }
}
