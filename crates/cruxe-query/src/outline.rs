//! The definitions of a file as a tree.

use cruxe_index::View;
use cruxe_model::facts::{Symbol, SymbolIndex};
use cruxe_model::{RepoPath, SymbolKind};
use cruxe_store::{FileRow, RefSnapshot, RefState, SymbolTable};

use crate::error::{LeftOutFile, MissingSymbol, NearSymbol, QueryError};
use crate::locate;

/// How much of the tree is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// What stands at the top.
    Top,
    /// Everything.
    All,
}

/// Which part of the tree is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// How deep.
    pub depth: Depth,
    /// Only symbols of this name and what they contain, fields and enum cases too.
    pub symbol: Option<String>,
    /// Imports too.
    pub imports: bool,
    /// Tests inside of source too.
    pub tests: bool,
}

impl Default for Part {
    fn default() -> Part {
        Part { depth: Depth::All, symbol: None, imports: true, tests: true }
    }
}

/// The outline of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Outline {
    /// The file.
    pub path: RepoPath,
    /// Its language.
    pub language: String,
    /// Its definitions.
    pub symbols: Vec<OutlineSymbol>,
    /// How many entries the tree has.
    pub count: usize,
    /// How many imports and tests are left out.
    pub left_out: usize,
    /// What could not be done with the file.
    pub problems: Option<String>,
}

/// A definition and what it contains.
#[derive(Clone, Debug, PartialEq)]
pub struct OutlineSymbol {
    /// What it is.
    pub kind: SymbolKind,
    /// Its name.
    pub name: String,
    /// First line.
    pub line_start: u32,
    /// Last line.
    pub line_end: u32,
    /// The source's own word for its visibility.
    pub visibility: String,
    /// Its declaration.
    pub signature: String,
    /// What it contains.
    pub children: Vec<OutlineSymbol>,
}

/// The outline of a file. Fields and enum cases are left out unless one symbol is asked for: the declaration shows them, and
/// a list of thirty fields would cost a reader more than it tells. Overloads, accessors and twins for other platforms that stand side by side are
/// one entry.
pub fn outline(view: &View, path: &str, part: &Part) -> Result<Outline, QueryError> {
    let (snapshot, file) = file(view, path)?;
    let table = snapshot.symbols(file.id)?;
    let (wanted, left_out) = wanted(&table, part);
    let (symbols, count) = tree(&table, &wanted);
    if let (Some(name), true) = (&part.symbol, symbols.is_empty()) {
        return Err(no_such_symbol(&table, &file, name));
    }
    Ok(Outline { path: file.path, language: file.language, symbols, count, left_out, problems: file.problems })
}

/// Which symbols of a file are in its outline, and how many imports and tests are not.
fn wanted(table: &SymbolTable, part: &Part) -> (Vec<bool>, usize) {
    let named = |symbol: &Symbol| match &part.symbol {
        Some(name) => symbol.name == *name || locate::local_name(table, symbol) == name,
        None => true,
    };
    let (mut inside, mut hidden) = (vec![false; table.symbols.len()], vec![false; table.symbols.len()]);
    let (mut wanted, mut left_out) = (Vec::with_capacity(table.symbols.len()), 0);
    for (at, symbol) in table.symbols.iter().enumerate() {
        let parent = symbol.parent.map(|parent| parent.0 as usize).filter(|parent| *parent < at);
        inside[at] = named(symbol) || parent.is_some_and(|parent| inside[parent]);
        let import = symbol.kind == SymbolKind::Use && !part.imports;
        let out = import || symbol.flags.test && !part.tests;
        hidden[at] = part.symbol.is_none() && (out || parent.is_some_and(|parent| hidden[parent]));
        left_out += usize::from(hidden[at]);
        let member = matches!(symbol.kind, SymbolKind::Field | SymbolKind::Variant) && part.symbol.is_none();
        let level = part.depth == Depth::All || symbol.parent.is_none();
        wanted.push(inside[at] && !hidden[at] && !member && level);
    }
    (wanted, left_out)
}

fn no_such_symbol(table: &SymbolTable, file: &FileRow, name: &str) -> QueryError {
    // What is called similarly, else what there is.
    let lower = name.to_lowercase();
    let mut near: Vec<(usize, &Symbol)> = table.symbols.iter().enumerate().collect();
    near.retain(|(_, symbol)| symbol.kind != SymbolKind::Use && symbol.kind != SymbolKind::Impl);
    near.sort_by_key(|(_, symbol)| !symbol.name.to_lowercase().contains(&lower));
    let nearest = near.into_iter().take(5).map(|(at, symbol)| NearSymbol {
        name: symbol.qualified_name.clone(),
        kind: symbol.kind.as_str(),
        path: file.path.as_str().to_owned(),
        line: table.lines(SymbolIndex(at as u32)).0,
    });
    QueryError::NoSuchSymbol(MissingSymbol {
        name: name.to_owned(),
        path: Some(file.path.as_str().to_owned()),
        mentioned: None,
        nearest: nearest.collect(),
        unread: None,
    })
}

/// The file at a path; an error says why it is not there, or which one may be meant.
pub fn file<'v>(view: &'v View<'_>, path: &str) -> Result<(&'v RefSnapshot, FileRow), QueryError> {
    let wanted = RepoPath::parse(path).map_err(QueryError::BadPath)?;
    let Some(published) = &view.published else {
        return Err(QueryError::NotPublished { path: wanted, standing: Box::new(view.standing.clone()) });
    };
    match published.file_at(&wanted)? {
        Some(file) => Ok((published, file)),
        None if is_coming(view, &published.state, &wanted) => Err(QueryError::FileNotYetIndexed(wanted)),
        None => Err(no_such_file(published, wanted)?),
    }
}

/// Whether a file was made after what is published, so that the next sync takes it in. An ignored file is on disk too and
/// never comes; only a walk tells the two apart, and it is worth it before saying that a file does not exist.
fn is_coming(view: &View, state: &RefState, wanted: &RepoPath) -> bool {
    let root = &view.project.root;
    !view.standing.is_fresh()
        && state.worktree.as_deref() == Some(&*root.to_string_lossy())
        && root.join(wanted.as_str()).is_file()
        && view.project.scan().is_ok_and(|listing| listing.files.iter().any(|file| file.path == *wanted))
        && !state.skipped.iter().any(|(path, _)| path == wanted)
}

/// Says why a file is not there, or which one may be meant.
fn no_such_file(published: &RefSnapshot, wanted: RepoPath) -> Result<QueryError, QueryError> {
    let leaves_out = |path: &RepoPath| {
        let rest = wanted.as_str().strip_prefix(path.as_str());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let left_out = published.state.skipped.iter().find(|(path, _)| leaves_out(path));
    if let Some((path, reason)) = left_out {
        let left_out = Some(LeftOutFile { path: path.clone(), reason: *reason });
        return Ok(QueryError::NoSuchFile { path: wanted, left_out, nearest: Vec::new() });
    }
    let files = published.files()?;
    let same_name = files.into_iter().map(|file| file.path).filter(|path| path.file_name() == wanted.file_name());
    let nearest = same_name.take(5).collect();
    Ok(QueryError::NoSuchFile { path: wanted, left_out: None, nearest })
}

/// Readers of JSON give up at some nesting (serde at 128 levels, of which an entry takes two), so what is deeper is
/// listed at this one.
const MAX_DEPTH: usize = 32;

fn tree(table: &SymbolTable, wanted: &[bool]) -> (Vec<OutlineSymbol>, usize) {
    let mut roots: Vec<OutlineSymbol> = Vec::new();
    // Where the children of each symbol go, and how deep that is.
    let mut holders: Vec<Option<(SymbolIndex, usize)>> = vec![None; table.symbols.len()];
    // Symbols stand in order and a parent before its children, so a stack of open ancestors is enough; it also keeps
    // a hostile nesting from becoming recursion.
    let mut open: Vec<(SymbolIndex, OutlineSymbol)> = Vec::new();
    let mut count = 0;
    for (at, symbol) in table.symbols.iter().enumerate() {
        if !wanted[at] {
            continue;
        }
        let index = SymbolIndex(at as u32);
        let holder = shown_parent(table, wanted, symbol).and_then(|parent| holders[parent.0 as usize]);
        holders[at] = match holder {
            Some((_, level)) if level == MAX_DEPTH => holder,
            holder => Some((index, holder.map_or(1, |(_, level)| level + 1))),
        };
        let parent = holder.map(|(index, _)| index);
        let mut twin = None;
        while open.last().is_some_and(|(index, _)| Some(*index) != parent) {
            twin = open.last().map(|(index, _)| *index);
            close(&mut open, &mut roots);
        }
        if let Some(first) = twin.filter(|twin| one_thing(table, *twin, symbol))
            && let Some((_, level)) = holders[at]
            && let Some(entry) = siblings(&mut open, &mut roots).pop()
        {
            holders[at] = Some((first, level));
            open.push((first, with_more(entry, symbol, table.lines(index))));
            continue;
        }
        let (line_start, line_end) = table.lines(index);
        count += 1;
        open.push((
            index,
            OutlineSymbol {
                kind: symbol.kind,
                name: symbol.name.clone(),
                line_start,
                line_end,
                visibility: symbol.visibility.clone(),
                signature: symbol.signature.clone(),
                children: Vec::new(),
            },
        ));
    }
    while !open.is_empty() {
        close(&mut open, &mut roots);
    }
    (roots, count)
}

/// Whether a symbol goes on with what the one before it began: an overload, a setter, a function for another platform.
fn one_thing(table: &SymbolTable, first: SymbolIndex, next: &Symbol) -> bool {
    let written_in_parts = next.kind.is_callable() || next.kind == SymbolKind::Property;
    let same = |first: &Symbol| first.kind == next.kind && first.qualified_name == next.qualified_name;
    written_in_parts && table.symbols.get(first.0 as usize).is_some_and(same)
}

/// An entry that covers another part too: its lines go on, and each declaration is a line of the signature.
fn with_more(mut entry: OutlineSymbol, next: &Symbol, lines: (u32, u32)) -> OutlineSymbol {
    entry.line_end = entry.line_end.max(lines.1);
    if !next.signature.is_empty() {
        entry.signature.push('\n');
        entry.signature.push_str(&next.signature);
    }
    entry
}

fn siblings<'a>(
    open: &'a mut [(SymbolIndex, OutlineSymbol)],
    roots: &'a mut Vec<OutlineSymbol>,
) -> &'a mut Vec<OutlineSymbol> {
    open.last_mut().map_or(roots, |(_, parent)| &mut parent.children)
}

/// The nearest ancestor that is in the outline.
fn shown_parent(table: &SymbolTable, wanted: &[bool], symbol: &Symbol) -> Option<SymbolIndex> {
    let mut parent = symbol.parent;
    while let Some(at) = parent {
        let outer = table.symbols.get(at.0 as usize)?;
        if wanted[at.0 as usize] {
            return Some(at);
        }
        parent = outer.parent;
    }
    None
}

fn close(open: &mut Vec<(SymbolIndex, OutlineSymbol)>, roots: &mut Vec<OutlineSymbol>) {
    if let Some((_, done)) = open.pop() {
        siblings(open, roots).push(done);
    }
}
