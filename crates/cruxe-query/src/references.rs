//! `find_references`: every use of a symbol, with how sure it is.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use cruxe_index::View;
use cruxe_model::facts::{Occurrence, Role, SymbolIndex};
use cruxe_model::{ErrorCode, ToolError};
use cruxe_store::FileRow;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::QueryError;
use crate::layer::{Layers, SourceLayer};
use crate::resolve::{Certainty, Def, File, Resolution, Resolver};
use crate::symbol::SymbolRef;
use crate::target::{self, Target, Wanted};

/// What a use is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
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
}

impl EdgeType {
    fn of(role: Role) -> EdgeType {
        match role {
            Role::Import => EdgeType::Imports,
            Role::Call => EdgeType::Calls,
            Role::Implements => EdgeType::Implements,
            Role::Extends => EdgeType::Extends,
            _ => EdgeType::References,
        }
    }
}

/// How sure an edge is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Confidence {
    /// One definition, by scope, import or type.
    Static,
    /// A guess.
    Heuristic,
}

impl From<Certainty> for Confidence {
    fn from(certainty: Certainty) -> Confidence {
        match certainty {
            Certainty::Static => Confidence::Static,
            Certainty::Heuristic => Confidence::Heuristic,
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
    /// At most so many.
    pub limit: usize,
    /// Leave out the first so many.
    pub offset: usize,
}

/// The uses of a symbol.
pub struct Answer {
    /// The symbol.
    pub target: Target,
    /// Its uses, the sure ones first.
    pub references: Vec<Reference>,
    /// How many there are.
    pub total: usize,
    /// How many uses of the name cannot be told to mean it or something else.
    pub unresolved: usize,
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
    /// The symbol that it stands in.
    pub from: SymbolRef,
}

/// A use, before it is made readable.
pub(crate) struct Use {
    pub file: Arc<File>,
    pub start: u32,
    pub role: Role,
    pub certainty: Certainty,
}

/// All uses of a group of definitions.
#[derive(Default)]
pub(crate) struct Uses {
    pub found: Vec<Use>,
    pub unresolved: usize,
}

/// The resolver of a view, or the error of a project without an index.
pub(crate) fn resolver<'a>(view: &'a View) -> Result<Resolver<'a>, QueryError> {
    let nothing = || {
        ToolError::new(ErrorCode::NoEdgesAvailable, "nothing is indexed yet, so there are no references to look at")
            .suggest("Call index_repo, wait until index_status says `ready`, then ask again.")
    };
    Ok(Resolver::new(view)?.ok_or_else(nothing)?)
}

/// Finds the uses of a symbol.
pub fn find(view: &View, question: &Question) -> Result<Answer, QueryError> {
    let resolver = resolver(view)?;
    let target = target::find(view, &resolver, &question.wanted)?;
    let mut uses = uses(&resolver, &target.defs, &|role| question.edge.is_none_or(|edge| EdgeType::of(role) == edge));
    resolver.check()?;
    uses.found.sort_by(|a, b| {
        (a.certainty, a.file.path(), a.start).cmp(&(b.certainty, b.file.path(), b.start))
    });
    let mut seen = HashSet::new();
    uses.found.retain(|one| {
        let line = one.file.facts.line_of(one.start);
        seen.insert((one.file.id(), line, EdgeType::of(one.role)))
    });
    let total = uses.found.len();
    let mut lines = Lines { view, texts: HashMap::new() };
    let layers = Layers::of(view)?;
    let page = uses.found.iter().skip(question.offset).take(question.limit);
    let references = page.map(|one| reference(one, &mut lines, layers.as_ref())).collect();
    Ok(Answer { target, references, total, unresolved: uses.unresolved })
}

/// Resolves every occurrence that may mean one of some definitions.
pub(crate) fn uses(resolver: &Resolver, defs: &HashSet<Def>, wanted: &dyn Fn(Role) -> bool) -> Uses {
    let mut uses = Uses::default();
    let Some(file) = defs.iter().next().and_then(|def| resolver.file(def.version)) else { return uses };
    let mut names: Vec<&str> = defs.iter().filter_map(|def| name_of(&file, *def)).collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        let mut versions = resolver.mentioning(name);
        if offered_as_default(&file, name) {
            versions.extend(resolver.mentioning("default"));
            versions.sort_unstable();
            versions.dedup();
        }
        for version in versions {
            let Some(other) = resolver.file(version) else { continue };
            if other.lang == file.lang {
                in_file(resolver, &other, name, defs, wanted, &mut uses);
            }
        }
    }
    uses
}

fn name_of(file: &File, def: Def) -> Option<&str> {
    (def.version == file.id()).then(|| file.symbol(def.symbol).name.as_str())
}

/// Whether others import the name as the default of its module.
fn offered_as_default(file: &File, name: &str) -> bool {
    let mut offers = file.exported("default").map(|at| file.import(at));
    name == "default" || offers.any(|import| import.name.is_some_and(|own| file.facts.name(own) == name))
}

fn in_file(
    resolver: &Resolver,
    file: &Arc<File>,
    name: &str,
    defs: &HashSet<Def>,
    wanted: &dyn Fn(Role) -> bool,
    uses: &mut Uses,
) {
    let id = |text: &str| file.facts.names.iter().position(|other| other == text);
    // Other names that the file gives to what is looked for.
    let mut ids: Vec<usize> = id(name).into_iter().collect();
    for at in 0..file.facts.imports.len() as u32 {
        let import = file.import(at);
        let from = import.name.map(|from| file.facts.name(from));
        if let (Some(alias), true) = (import.alias, from == Some(name) || from == Some("default"))
            && resolver.imports_any(file, at, defs)
            && !ids.contains(&(alias.0 as usize))
        {
            ids.push(alias.0 as usize);
        }
    }
    if ids.is_empty() {
        return;
    }
    for occurrence in &file.facts.occurrences {
        if !ids.contains(&(occurrence.name.0 as usize)) || !wanted(occurrence.role) {
            continue;
        }
        note(resolver, file, occurrence, defs, uses);
    }
}

fn note(resolver: &Resolver, file: &Arc<File>, occurrence: &Occurrence, defs: &HashSet<Def>, uses: &mut Uses) {
    match resolver.resolve(file, occurrence) {
        Resolution::Defs(found, certainty) if found.iter().any(|def| defs.contains(def)) => {
            uses.found.push(Use { file: Arc::clone(file), start: occurrence.start, role: occurrence.role, certainty });
        }
        Resolution::Unresolved => uses.unresolved += 1,
        _ => {}
    }
}

fn reference(one: &Use, lines: &mut Lines, layers: Option<&Layers>) -> Reference {
    let line = one.file.facts.line_of(one.start);
    Reference {
        path: one.file.path().to_owned(),
        line,
        edge: EdgeType::of(one.role),
        confidence: one.certainty.into(),
        layer: layers.map(|layers| layers.of_file(&one.file.row)),
        context: lines.line(&one.file.row, line),
        from: SymbolRef::around(&one.file, one.start),
    }
}

/// Longer lines are cut: they are data or minified.
const MAX_LINE: usize = 240;

/// Lines of files, each file read once.
struct Lines<'a> {
    view: &'a View<'a>,
    texts: HashMap<u32, Option<String>>,
}

impl Lines<'_> {
    fn line(&mut self, row: &FileRow, line: u32) -> String {
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

/// The symbol that holds a use.
pub(crate) fn holder(one: &Use) -> Option<Def> {
    let symbol: SymbolIndex = one.file.nesting.enclosing_symbol(&one.file.facts, one.start)?;
    Some(Def { version: one.file.id(), symbol })
}
