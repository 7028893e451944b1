//! Where a name is defined.

mod inherited;
mod rank;

use std::sync::Arc;

use cruxe_extract::naming::Merging;
use cruxe_extract::registry::named;
use cruxe_index::View;
use cruxe_model::facts::{Access, Symbol, SymbolIndex};
use cruxe_model::{RepoPath, StableId, SymbolId, SymbolKind};
use cruxe_store::{FileRow, NameMatch, RefSnapshot, SymbolHit, SymbolTable};

use crate::code;
use crate::error::QueryError;
use crate::filter::Filter;
use crate::name::{self, WantedName};
use crate::twins;
use crate::unparsed::{self, Hidden};
use crate::unread::{self, Effort, Unread};

use rank::Candidate;
pub use rank::Score;

/// What to look for.
#[derive(Clone, Debug)]
pub struct Question {
    /// A plain or qualified name, or a `symbol_id`.
    pub name: String,
    /// Only this language.
    pub language: Option<String>,
    /// Only such definitions; a `symbol_id` needs none.
    pub filter: Filter,
    /// At most so many.
    pub limit: usize,
}

impl Question {
    /// A name and nothing else.
    pub fn new(name: impl Into<String>, limit: usize) -> Question {
        Question { name: name.into(), language: None, filter: Filter::default(), limit }
    }
}

/// Where the name is defined.
pub struct Definitions {
    /// The best ones, best first.
    pub found: Vec<Definition>,
    /// How many there are.
    pub total: usize,
    /// How many more have the name that the filter leaves out by their place.
    pub filtered_out: usize,
    /// How the name was matched; `None` when it was not.
    pub matched: Option<Matched>,
}

/// How definitions are those of a name; the order is that of preference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Matched {
    /// Just as it is written.
    Exact,
    /// The type that stands before the name has it from a type above it.
    Inherited,
    /// But for the case of letters, or for a type between the name and what stands before it.
    Nearly,
    /// Names that begin so.
    Prefix,
    /// But for a typing error or two.
    Typo,
}

impl Matched {
    /// Whether it is what was asked for: whoever asks for another name is told so before anything else.
    pub fn is_it(self) -> bool {
        matches!(self, Matched::Exact | Matched::Inherited)
    }
}

impl Definitions {
    const NONE: Definitions = Definitions { found: Vec::new(), total: 0, filtered_out: 0, matched: None };
}

/// A definition.
#[derive(Clone)]
pub struct Definition {
    /// The file.
    pub file: FileRow,
    /// The symbols of the file.
    pub table: Arc<SymbolTable>,
    /// Which of them.
    pub index: SymbolIndex,
    /// Why it ranks where it does.
    pub score: Score,
}

/// Finds definitions: exact names, else what is inherited, else names but for their case, else beginnings, else names with a typing
/// error.
pub fn locate(view: &View, question: &Question) -> Result<Definitions, QueryError> {
    locate_in(view, question, None)
}

/// The same for definitions in one file, where a path is given.
pub fn locate_in(view: &View, question: &Question, path: Option<&str>) -> Result<Definitions, QueryError> {
    let Some(published) = &view.published else {
        return Ok(Definitions::NONE);
    };
    if let Some(id) = SymbolId::parse(question.name.trim()) {
        return by_id(published, &id);
    }
    for (wanted, ways) in readings(&question.name) {
        for how in ways.iter().copied() {
            let (candidates, filtered_out) = candidates(view, published, question, path, &wanted, how)?;
            // Names that are only similar are no answer where the filter alone hides the name itself.
            if !candidates.is_empty() || filtered_out > 0 {
                return definitions(published, question, candidates, filtered_out, how);
            }
        }
    }
    Ok(Definitions::NONE)
}

fn definitions(
    published: &RefSnapshot,
    question: &Question,
    mut candidates: Vec<Candidate>,
    filtered_out: usize,
    how: Matched,
) -> Result<Definitions, QueryError> {
    rank::rank(&mut candidates);
    leave_out_declarations(published, &mut candidates, question.limit)?;
    let total = candidates.len();
    candidates.truncate(question.limit);
    let found = candidates
        .into_iter()
        .map(|candidate| {
            let table = published.symbol_table(candidate.file.id)?;
            let index = SymbolIndex(candidate.hit.position);
            Ok(Definition { file: candidate.file, table, index, score: candidate.score })
        })
        .collect::<Result<_, QueryError>>()?;
    Ok(Definitions { found, total, filtered_out, matched: Some(how) })
}

/// Of a qualified name for which nothing was found the definitions of its last part, wherever they are.
pub fn elsewhere(view: &View, question: &Question, found: &Definitions) -> Result<Definitions, QueryError> {
    let WantedName { plain, qualifiers } = name::parse(&question.name);
    let is_asked = found.found.is_empty() && found.filtered_out == 0 && !qualifiers.is_empty();
    let Some(published) = view.published.as_ref().filter(|_| is_asked) else { return Ok(Definitions::NONE) };
    let wanted = WantedName { plain, qualifiers: Vec::new() };
    let (mut candidates, filtered_out) = candidates(view, published, question, None, &wanted, Matched::Exact)?;
    let defines = |one: &Candidate| defines(one.hit.kind);
    if candidates.iter().any(defines) {
        candidates.retain(defines);
    }
    definitions(published, question, candidates, filtered_out, Matched::Exact)
}

/// Whether a symbol of a kind defines its name: an `impl` or a heading is not what a name means while anything else has it.
pub(crate) fn defines(kind: SymbolKind) -> bool {
    !matches!(kind, SymbolKind::Impl | SymbolKind::Heading | SymbolKind::Use)
}

/// Where the name stands in code that could not be parsed; a handle stands for what was found.
pub fn hidden(view: &View, question: &Question) -> Result<Option<Hidden>, QueryError> {
    if SymbolId::parse(question.name.trim()).is_some() {
        return Ok(None);
    }
    Ok(unparsed::hidden(view, &name::parse(&question.name).plain)?)
}

/// The name in texts that are not indexed, where nothing that is indexed defines it.
pub fn unread(view: &View, question: &Question, found: &Definitions) -> Result<Option<Unread>, QueryError> {
    let is_found = found.matched.is_some_and(Matched::is_it) || found.filtered_out > 0;
    if is_found || SymbolId::parse(question.name.trim()).is_some() {
        return Ok(None);
    }
    unread::unread(view, &name::parse(&question.name).plain, Effort::Thorough)
}

/// The highest rank that a definition of one of some sorts can have for a question, whatever its place; `None` of none. `needed` is what
/// its repository keeps, see [`needed`].
pub fn best_of(question: &str, sorts: impl Iterator<Item = cruxe_store::Definitions>, needed: f64) -> Option<f64> {
    let qualified_name = if name::parse(question).qualifiers.is_empty() { 0.0 } else { 1.0 };
    let best = |one: cruxe_store::Definitions| {
        let score = rank::score(&one.like, Matched::Exact, 0.0);
        Score { qualified_name, definition: score.definition * needed, ..score }.total()
    };
    sorts.map(best).reduce(f64::max)
}

/// What the definitions of a repository keep that so many others need, where the most needed one has `most`: of several repositories with a
/// name the one is mostly meant that others build on.
pub fn needed(users: usize, most: usize) -> f64 {
    if most == 0 {
        return 1.0;
    }
    let part = (1.0 + users as f64).ln() / (1.0 + most as f64).ln();
    1.0 - rank::UNUSED * (1.0 - part)
}

/// Ranks whose difference is no more than this differ in how deep a path is, and in nothing else.
pub const NEARLY: f64 = 0.009;

/// The ways to compare a name, the strictest first.
const WAYS: &[Matched] = &[Matched::Exact, Matched::Inherited, Matched::Nearly, Matched::Prefix, Matched::Typo];
/// Those of a name that may be read in another way too.
const STRICT: &[Matched] = &[Matched::Exact, Matched::Inherited, Matched::Nearly];

/// The ways to read what was asked: as it stands (headings contain dots and blanks), then taken apart.
fn readings(text: &str) -> Vec<(WantedName, &'static [Matched])> {
    let whole = WantedName { plain: text.trim().to_owned(), qualifiers: Vec::new() };
    let parsed = name::parse(text);
    let mut readings = Vec::new();
    if text.trim_end().ends_with('!') {
        // `save!` of Ruby and Elixir is a name; `vec!` of Rust is a way to call `vec`.
        let marked = WantedName { plain: format!("{}!", parsed.plain), qualifiers: parsed.qualifiers.clone() };
        readings.push((marked, STRICT));
    } else if whole.plain.contains(char::is_whitespace) && whole != parsed {
        readings.push((whole, WAYS));
    } else if !parsed.qualifiers.is_empty() && whole.plain.contains('.') {
        // A dot is a part of a name in R (`print.cart`), Make (`cart.o`) and CSS frameworks, where none has the parts.
        readings.push((parsed, WAYS));
        readings.push((whole, STRICT));
        return readings;
    }
    readings.push((parsed, WAYS));
    readings
}

/// The symbol that a handle names.
pub fn by_id(published: &RefSnapshot, id: &SymbolId) -> Result<Definitions, QueryError> {
    for file in published.files_by_path_key(id.path_key())? {
        let table = published.symbols(file.id)?;
        let at = table.symbols.iter().position(|symbol| symbol_id(&file.path, symbol) == *id);
        if let Some(at) = at {
            let found =
                vec![Definition { file, table: Arc::new(table), index: SymbolIndex(at as u32), score: Score::CERTAIN }];
            return Ok(Definitions { found, total: 1, filtered_out: 0, matched: Some(Matched::Exact) });
        }
    }
    Ok(Definitions::NONE)
}

/// The handle of a symbol.
pub fn symbol_id(path: &RepoPath, symbol: &Symbol) -> SymbolId {
    SymbolId::new(path, symbol.kind, &symbol.qualified_name, symbol.ordinal)
}

impl Definition {
    /// The symbol.
    pub fn symbol(&self) -> &Symbol {
        &self.table.symbols[self.index.0 as usize]
    }

    /// First and last line.
    pub fn lines(&self) -> (u32, u32) {
        self.table.lines(self.index)
    }

    /// Its handle.
    pub fn symbol_id(&self) -> SymbolId {
        symbol_id(&self.file.path, self.symbol())
    }

    /// Its identity wherever it stands.
    pub fn stable_id(&self) -> StableId {
        let symbol = self.symbol();
        StableId::new(&self.file.language, symbol.kind, &symbol.qualified_name, symbol.ordinal)
    }
}

fn candidates(
    view: &View,
    published: &RefSnapshot,
    question: &Question,
    path: Option<&str>,
    wanted: &WantedName,
    how: Matched,
) -> Result<(Vec<Candidate>, usize), QueryError> {
    let hits = hits(view, published, wanted, how)?;
    let rarity = rank::rarity(published.state.files, hits.len());
    let is_qualified = !wanted.qualifiers.is_empty();
    let mut candidates = Vec::new();
    for (at, hit) in hits.into_iter().enumerate() {
        if at % 64 == 0 {
            view.work.check()?;
        }
        if !question.filter.has_kind(hit.kind) {
            continue;
        }
        let file = published.file(hit.version)?;
        if path.is_some_and(|path| file.path.as_str() != path) {
            continue;
        }
        if question.language.as_ref().is_some_and(|language| !file.language.eq_ignore_ascii_case(language)) {
            continue;
        }
        let mut candidate =
            Candidate { hit, file, qualified_name: String::new(), fit: 0.0, score: rank::score(&hit, how, rarity) };
        candidate.score.path_affinity = rank::path_affinity(&candidate.file.path);
        if is_qualified {
            let table = published.symbol_table(hit.version)?;
            let index = SymbolIndex(hit.position);
            candidate.fit = match how {
                Matched::Exact => fit_as_written(wanted, &candidate.file.language, &table.symbols, index),
                // What a type has through another needs no name in common with it.
                Matched::Inherited => 1.0,
                _ => table.symbols.get(hit.position as usize).map_or(0.0, |symbol| qualifier_fit(wanted, symbol)),
            };
            if candidate.fit == 0.0 {
                continue;
            }
            candidate.score.qualified_name = candidate.fit;
            let symbol = table.symbols.get(hit.position as usize);
            candidate.qualified_name = symbol.map_or(String::new(), |symbol| symbol.qualified_name.clone());
            if hit.declaration && rank::declares_its_own(&table, hit.position) {
                let defined = SymbolHit { declaration: false, ..hit };
                candidate.score.definition = rank::score(&defined, how, rarity).definition;
            }
        }
        candidates.push(candidate);
    }
    if is_qualified {
        rank::keep_best_fits(&mut candidates);
        rank::in_order_of_text(&mut candidates);
        if how.is_it() {
            rank::prefer_used(view, &mut candidates)?;
        }
    }
    let all = candidates.len();
    candidates.retain(|one| question.filter.has_place(one.file.path.as_str(), &one.file.language, one.hit.test));
    let filtered_out = all - candidates.len();
    Ok((candidates, filtered_out))
}

/// The definitions whose plain name may be the wanted one in this way.
fn hits(view: &View, published: &RefSnapshot, wanted: &WantedName, how: Matched) -> Result<Vec<SymbolHit>, QueryError> {
    let name = &wanted.plain;
    Ok(match how {
        Matched::Exact => published.find_name(name, NameMatch::Exact)?,
        Matched::Inherited => inherited::members(view, published, wanted)?,
        Matched::Nearly => {
            let mut hits = published.find_name(name, NameMatch::CaseInsensitive)?;
            if !wanted.qualifiers.is_empty() {
                hits.extend(published.find_name(name, NameMatch::Exact)?);
            }
            hits
        }
        Matched::Prefix => published.find_name(name, NameMatch::Prefix)?,
        Matched::Typo => published.find_name(name, NameMatch::Typo)?,
    })
}

fn qualifier_fit(wanted: &WantedName, symbol: &Symbol) -> f64 {
    name::qualifier_fit(wanted, &symbol.qualified_name)
}

/// How well a symbol's qualified name is the one that was written: 0 also for a member of a type that is left out, as
/// `apps.get_model` would be for `apps.AppConfig.get_model`.
pub(crate) fn fit_as_written(wanted: &WantedName, language: &str, symbols: &[Symbol], at: SymbolIndex) -> f64 {
    let Some(symbol) = symbols.get(at.0 as usize) else { return 0.0 };
    let outer = symbol.parent.and_then(|at| symbols.get(at.0 as usize));
    let is_member = outer.is_some_and(|outer| is_type(outer.kind) || outer.kind == SymbolKind::Impl);
    // A constructor is named like its own type.
    if is_member && !named(language).naming.free_members.contains(&symbol.kind) {
        let owner = name::segments(&symbol.qualified_name).rev().nth(1);
        let is_named = |owner| wanted.qualifiers.last().is_some_and(|last| last == owner) || owner == wanted.plain;
        if owner.is_some_and(|owner| !is_named(owner) && !UNNAMED_OWNERS.contains(&owner)) {
            return 0.0;
        }
    }
    name::qualifier_fit_as_written(wanted, &symbol.qualified_name)
}

/// Types whose members are those of the type around them: Kotlin's companion objects.
const UNNAMED_OWNERS: [&str; 1] = ["Companion"];

/// How many declarations and definitions of a name are compared.
const MAX_COMPARED: usize = 200;

/// Leaves out what only declares a definition that is shown: of a prototype and its function the function is wanted.
fn leave_out_declarations(
    published: &RefSnapshot,
    candidates: &mut Vec<Candidate>,
    limit: usize,
) -> Result<(), QueryError> {
    let spreads = |candidate: &Candidate| named(&candidate.file.language).naming.merging == Merging::AcrossFiles;
    let mut definitions = Vec::new();
    for candidate in candidates.iter().take(limit.min(MAX_COMPARED)) {
        if !candidate.hit.declaration && spreads(candidate) {
            let table = published.symbol_table(candidate.hit.version)?;
            definitions.push((candidate.hit, named(&candidate.file.language), table));
        }
    }
    if definitions.is_empty() {
        return Ok(());
    }
    let (mut kept, mut compared) = (Vec::with_capacity(candidates.len()), 0);
    for candidate in candidates.drain(..) {
        let hit = candidate.hit;
        let mut declares = false;
        if hit.declaration && spreads(&candidate) && compared < MAX_COMPARED {
            compared += 1;
            let table = published.symbol_table(hit.version)?;
            let lang = named(&candidate.file.language);
            declares = definitions.iter().any(|(other, kin, others)| {
                let symbol = table.symbols.get(hit.position as usize);
                let definition = others.symbols.get(other.position as usize);
                let same_file = hit.version == other.version;
                symbol.zip(definition).is_some_and(|(a, b)| twins::declares((lang, a), (kin, b), same_file))
            });
        }
        if !declares {
            kept.push(candidate);
        }
    }
    *candidates = kept;
    Ok(())
}

/// The symbol around another, imports and fields aside.
pub fn parent(found: &Definition) -> Option<(&Symbol, u32)> {
    let at = found.symbol().parent?;
    let symbol = found.table.symbols.get(at.0 as usize)?;
    Some((symbol, found.table.lines(at).0))
}

/// A type that a declaration mentions and that is defined in the ref.
pub struct Related {
    /// What it is.
    pub kind: SymbolKind,
    /// Its name.
    pub name: String,
    /// Where it is.
    pub path: RepoPath,
    /// Its line.
    pub line: u32,
}

/// Types that the declaration of a symbol mentions, as far as one definition each is clearly meant.
pub fn related(view: &View, found: &Definition, limit: usize) -> Result<Vec<Related>, QueryError> {
    let Some(published) = &view.published else { return Ok(Vec::new()) };
    let facts = published.facts(found.file.id)?;
    let symbol = found.symbol();
    let mut names: Vec<&str> = Vec::new();
    for occurrence in &facts.occurrences {
        let text = facts.name(occurrence.name);
        let mentioned =
            symbol.span.contains(occurrence.start) && occurrence.role.is_type() && symbol.signature.contains(text);
        if mentioned && !names.contains(&text) && text != symbol.name {
            names.push(text);
        }
    }
    let mut related = Vec::new();
    for name in names {
        let mut hits = published.find_name(name, NameMatch::Exact)?;
        hits.retain(|hit| is_type(hit.kind) && !hit.test && !hit.local);
        let same_file: Vec<SymbolHit> = hits.iter().copied().filter(|hit| hit.version == found.file.id).collect();
        let meant = if same_file.is_empty() { hits } else { same_file };
        if let [hit] = meant.as_slice() {
            let (file, table) = (published.file(hit.version)?, published.symbol_table(hit.version)?);
            let line = table.lines(SymbolIndex(hit.position)).0;
            related.push(Related { kind: hit.kind, name: name.to_owned(), path: file.path, line });
        }
        if related.len() == limit {
            break;
        }
    }
    Ok(related)
}

fn is_type(kind: SymbolKind) -> bool {
    use SymbolKind::*;
    matches!(kind, Struct | Enum | Union | Trait | Class | Interface | Type)
}

/// How long the text of a result may be.
const PREVIEW_LINES: usize = 30;
const PREVIEW_BYTES: usize = 1600;

/// The text of a symbol, cut when it is long; `None` when the file is no longer to be had.
pub fn preview(view: &View, found: &Definition) -> Option<String> {
    let text = code::text(view, &found.file)?;
    let span = found.symbol().span;
    let body = text.get(span.start as usize..span.end as usize)?;
    let mut preview = String::new();
    for (count, line) in body.lines().enumerate() {
        if count == PREVIEW_LINES || preview.len() + line.len() > PREVIEW_BYTES {
            preview.push_str("... truncated ...");
            return Some(preview);
        }
        preview.push_str(line);
        preview.push('\n');
    }
    Some(preview.trim_end().to_owned())
}

/// The word for a symbol's visibility in results; `None` when nothing is known.
pub fn visibility(symbol: &Symbol) -> Option<&'static str> {
    match symbol.access {
        Access::Unknown => None,
        access => access.as_str(),
    }
}

/// The name of a symbol within its file: with what it is nested in, without the module.
pub fn local_name<'a>(table: &SymbolTable, symbol: &'a Symbol) -> &'a str {
    let mut outer = symbol;
    while let Some(parent) = outer.parent.and_then(|at| table.symbols.get(at.0 as usize)) {
        outer = parent;
    }
    let module = outer.qualified_name.strip_suffix(outer.name.as_str()).unwrap_or_default();
    symbol.qualified_name.strip_prefix(module).filter(|name| !name.is_empty()).unwrap_or(&symbol.qualified_name)
}

#[cfg(test)]
mod tests {
    use super::readings;

    #[test]
    fn a_dot_parts_a_name_before_it_belongs_to_one() {
        let read = |text| readings(text).into_iter().map(|(wanted, _)| wanted.plain).collect::<Vec<_>>();
        assert_eq!(read("print.cart"), ["cart", "print.cart"]);
        assert_eq!(read("Cart::print"), ["print"]);
        assert_eq!(read("cart"), ["cart"]);
    }
}
