//! What a report names for certain: files by their paths, functions by frames and qualified names.

use std::collections::{HashMap, HashSet};

use cruxe_model::SymbolKind;
use cruxe_model::facts::{Symbol, SymbolIndex};
use cruxe_store::{FileNumber, NameMatch, SymbolTable};

use super::super::Search;
use super::super::paths::innermost_at;
use super::super::rank::names::{MAX_DEFINITIONS, MAX_QUALIFIED};
use super::super::rank::reports;
use super::super::stats::FileClass;
use super::frames::Frame;
use super::read::Report;
use crate::error::QueryError;
use crate::name::{self, WantedName};

/// The definitions of so few of a name are all looked at.
const FEW: usize = 8;

/// What a report names.
#[derive(Default)]
pub(super) struct Named {
    /// Files whose path it says.
    pub paths: HashMap<FileNumber, f32>,
    /// Files that a trace goes through, and what that counts for.
    pub frames: HashMap<FileNumber, f32>,
    /// Functions that a trace goes through.
    pub functions: HashMap<(FileNumber, SymbolIndex), f32>,
    /// The same, innermost first.
    pub trace: Vec<(FileNumber, SymbolIndex)>,
    /// Definitions that a qualified name stands for, and how well it fits.
    pub definitions: HashMap<(FileNumber, SymbolIndex), f32>,
}

/// Looks up what a report names.
pub(super) fn look_up(search: &Search, report: &Report) -> Result<Named, QueryError> {
    let mut named = Named::default();
    let files = Files::new(search, report);
    for path in &report.paths {
        if let Some(file) = files.at(path) {
            named.paths.insert(file, 1.0);
        }
    }
    let mut further_in = 0;
    for frame in &report.frames {
        let Some(file) = files.of_frame(frame)? else { continue };
        let worth = reports::frame(further_in);
        raise(&mut named.frames, file, worth);
        let table = search.snapshot.symbol_table(search.file(file).id)?;
        for symbol in functions(&table, frame) {
            raise(&mut named.functions, (file, symbol), worth);
            if !named.trace.contains(&(file, symbol)) {
                named.trace.push((file, symbol));
            }
        }
        further_in += 1;
    }
    for wanted in &report.names {
        search.view.work.check()?;
        for (file, symbol, fit) in definitions(search, wanted)? {
            raise(&mut named.definitions, (file, symbol), fit);
        }
    }
    for name in &report.plain_names {
        search.view.work.check()?;
        let hits = search.snapshot.find_name(name, NameMatch::Exact)?;
        let mut all =
            hits.iter().filter(|hit| !hit.local && !hit.test && !hit.declaration && hit.kind != SymbolKind::Use);
        let only = all.next().filter(|_| all.next().is_none());
        if let Some((file, hit)) = only.and_then(|hit| Some((search.corpus.file_number(hit.version)?, hit))) {
            raise(&mut named.definitions, (file, SymbolIndex(hit.position)), reports::ONLY_ONE);
        }
    }
    Ok(named)
}

/// The definitions that a qualified name stands for, and how well each fits. To compare qualifiers a table is read, so of
/// many definitions those are left out whose file has nothing of the name before theirs.
fn definitions(search: &Search, wanted: &WantedName) -> Result<Vec<(FileNumber, SymbolIndex, f32)>, QueryError> {
    let hits = search.snapshot.find_name(&wanted.plain, NameMatch::Exact)?;
    let (Some(before), true) = (wanted.qualifiers.last(), hits.len() <= MAX_DEFINITIONS) else { return Ok(Vec::new()) };
    let mut defining = HashSet::new();
    if hits.len() > FEW {
        let around = search.snapshot.find_name(before, NameMatch::Exact)?;
        defining.extend(around.iter().filter_map(|hit| search.corpus.file_number(hit.version)));
    }
    let is_in_path = |file: FileNumber| {
        let path = search.file(file).path.as_str();
        path.split(['/', '.']).any(|part| part.eq_ignore_ascii_case(before))
    };
    let few = hits.len() <= FEW;
    let mut found = Vec::new();
    for hit in hits {
        let Some(file) = search.corpus.file_number(hit.version) else { continue };
        if hit.local || !(few || defining.contains(&file) || is_in_path(file)) {
            continue;
        }
        let table = search.snapshot.symbol_table(hit.version)?;
        let Some(symbol) = table.symbols.get(hit.position as usize) else { continue };
        let fit = name::qualifier_fit(wanted, &symbol.qualified_name) as f32;
        if fit > 0.0 {
            found.push((file, SymbolIndex(hit.position), fit));
        }
        if found.len() == MAX_QUALIFIED {
            break;
        }
    }
    Ok(found)
}

fn raise<K: std::hash::Hash + Eq>(worths: &mut HashMap<K, f32>, key: K, worth: f32) {
    let known = worths.entry(key).or_default();
    *known = known.max(worth);
}

/// The functions of a file that a frame may be in: by name, or by line where it has none. Of several with the name those of the
/// type that the trace names, and of those the nearest to the line: the trace may come from another version.
fn functions(table: &SymbolTable, frame: &Frame) -> Vec<SymbolIndex> {
    let Some(name) = &frame.function else {
        return frame.line.and_then(|line| innermost_at(table, line)).into_iter().collect();
    };
    let is_called = |(_, symbol): &(usize, &Symbol)| symbol.name == *name && symbol.kind != SymbolKind::Use;
    let mut called: Vec<SymbolIndex> =
        table.symbols.iter().enumerate().filter(is_called).map(|(at, _)| SymbolIndex(at as u32)).collect();
    // A variable may hold a function.
    let is_callable = |at: &SymbolIndex| table.symbols[at.0 as usize].kind.is_callable();
    if called.iter().any(is_callable) {
        called.retain(is_callable);
    }
    let is_owned = |at: &SymbolIndex| {
        let mut before = name::segments(&table.symbols[at.0 as usize].qualified_name).rev().skip(1);
        frame.owner.as_deref().is_some_and(|owner| before.next() == Some(owner))
    };
    if called.iter().any(is_owned) {
        called.retain(is_owned);
    }
    let away = |at: &SymbolIndex| {
        let ((first, last), line) = (table.lines(*at), frame.line.unwrap_or(0));
        first.saturating_sub(line).max(line.saturating_sub(last))
    };
    if let (Some(_), Some(nearest)) = (frame.line, called.iter().map(away).min()) {
        called.retain(|at| away(at) == nearest);
    }
    called
}

/// The files of the ref whose names a report says.
struct Files<'a> {
    search: &'a Search<'a>,
    by_name: HashMap<&'a str, Vec<FileNumber>>,
}

impl<'a> Files<'a> {
    fn new(search: &'a Search<'a>, report: &Report) -> Files<'a> {
        let said = report.paths.iter().chain(report.frames.iter().map(|frame| &frame.path));
        let names: HashSet<&str> = said.filter_map(|path| path.rsplit('/').next()).collect();
        let mut by_name: HashMap<&str, Vec<FileNumber>> = HashMap::new();
        for (number, file) in search.corpus.files().iter().enumerate() {
            let name = file.path.as_str().rsplit('/').next().unwrap_or_default();
            if names.contains(name) && search.wanted[number] {
                by_name.entry(name).or_default().push(number as FileNumber);
            }
        }
        Files { search, by_name }
    }

    /// The file of a frame. One of the JVM is known by its name and package, whatever the folders are.
    fn of_frame(&self, frame: &Frame) -> Result<Option<FileNumber>, QueryError> {
        if let Some(file) = self.at(&frame.path) {
            return Ok(Some(file));
        }
        let (Some(package), Some(name)) = (&frame.package, frame.path.rsplit('/').next()) else { return Ok(None) };
        let inside = format!("{package}.");
        let mut in_package = None;
        for file in self.by_name.get(name).into_iter().flatten().take(FEW) {
            let table = self.search.snapshot.symbol_table(self.search.file(*file).id)?;
            let mut symbols =
                table.symbols.iter().filter(|symbol| symbol.qualified_name.starts_with(&inside)).peekable();
            if symbols.peek().is_none() {
                continue;
            }
            // A file for each platform may have the name.
            if symbols.any(|symbol| frame.function.as_ref() == Some(&symbol.name)) {
                return Ok(Some(*file));
            }
            in_package.get_or_insert(*file);
        }
        Ok(in_package)
    }

    /// The file that a path from elsewhere names. The name alone is enough where nothing else is said and only one file of
    /// source has it; a path of a library that ends in the same name is not ours.
    fn at(&self, path: &str) -> Option<FileNumber> {
        let wanted: Vec<&str> = path.split('/').filter(|part| !part.is_empty() && *part != ".").rev().collect();
        let same_name = self.by_name.get(*wanted.first()?)?;
        let common = |file: &FileNumber| {
            let have = self.search.file(*file).path.as_str().rsplit('/');
            have.zip(&wanted).take_while(|(a, b)| a == *b).count()
        };
        let is_whole = |file: &FileNumber| self.search.file(*file).path.as_str().split('/').count() == common(file);
        if wanted.len() > 1 {
            let best = same_name.iter().max_by_key(|file| (common(file), std::cmp::Reverse(**file)))?;
            return (common(best) > 1 && !is_of_toolchain(path) || is_whole(best)).then_some(*best);
        }
        let mut source =
            same_name.iter().filter(|file| self.search.stats.classes[**file as usize] == FileClass::Source);
        let only = source.next().filter(|_| source.next().is_none())?;
        Some(*only)
    }
}

/// Whether a path is of a language's own library: its folders are called like everybody's.
fn is_of_toolchain(path: &str) -> bool {
    let has = |part: &str| path.contains(part);
    let python = has("/lib/python3") && !has("/site-packages/") && !has("/dist-packages/");
    python || ["/rustc/", "/rustlib/", "/usr/local/go/src/", "/usr/lib/go", "/hostedtoolcache/go/"].into_iter().any(has)
}
