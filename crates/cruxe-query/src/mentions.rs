//! What becomes of every identifier of a name: nothing that carries the name of a symbol is left out of an answer about it in silence.
//!
//! An identifier of the ref is one of: a definition of the name, a use of the symbol that is asked about, a use of another
//! symbol, a local, something from outside, unresolved, or in a part of a file that could not be parsed. What there is to count
//! comes from extraction, which notes every identifier of a file as some fact ([`cruxe_model::facts::Loose`] where no rule
//! knows better); resolution only sorts it. So the parts add up to the total.

use std::collections::HashMap;
use std::sync::Arc;

use cruxe_model::facts::{Role, Symbol};
use cruxe_model::{SymbolKind, VersionId};

use crate::name::segments;
use crate::resolve::{File, Reason, Resolution, Resolver};
use crate::symbol::SymbolRef;

/// How many identifiers of a name there are, and what they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mentions {
    /// Definitions of the name, whatever they define.
    pub definitions: usize,
    /// Uses of the symbol.
    pub uses: usize,
    /// Uses of other symbols, modules among them.
    pub others: usize,
    /// Parameters, locals, names that an import gives, and their uses.
    pub locals: usize,
    /// Something that the ref does not define.
    pub outside: usize,
    /// It cannot be told.
    pub unresolved: usize,
    /// In a part of a file that could not be parsed.
    pub unparsed: usize,
}

impl Mentions {
    /// All of them.
    pub fn total(&self) -> usize {
        let Mentions { definitions, uses, others, locals, outside, unresolved, unparsed } = self;
        definitions + uses + others + locals + outside + unresolved + unparsed
    }

    /// Those that may mean the symbol without anybody knowing.
    pub fn open(&self) -> usize {
        self.unresolved + self.unparsed
    }
}

/// An identifier of which it cannot be told whether it means the symbol.
pub struct UnresolvedMention {
    /// The file.
    pub path: String,
    /// The line.
    pub line: u32,
    /// Why.
    pub reason: Reason,
    /// The line's text.
    pub context: String,
    /// The symbol that it stands in.
    pub from: SymbolRef,
}

/// What an identifier is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    Definition,
    Use,
    Other,
    Local,
    Outside,
    Unresolved(Reason),
}

impl From<Resolution> for Meaning {
    fn from(resolution: Resolution) -> Meaning {
        match resolution {
            Resolution::Defs(..) | Resolution::Module => Meaning::Other,
            Resolution::Local => Meaning::Local,
            Resolution::Outside => Meaning::Outside,
            Resolution::Unresolved(reason) => Meaning::Unresolved(reason),
        }
    }
}

/// An identifier that stays open.
#[derive(Clone, Copy)]
pub(crate) struct Open {
    pub version: VersionId,
    pub start: u32,
    pub reason: Reason,
}

/// The account of a name while it is made.
#[derive(Default)]
pub(crate) struct Account {
    pub mentions: Mentions,
    pub open: Vec<Open>,
}

impl Account {
    /// Where the first mention stands that is in code that could not be parsed.
    pub fn first_unparsed(&self, resolver: &Resolver) -> Option<(String, u32)> {
        let unparsed = self.open.iter().filter(|one| one.reason == Reason::Unparsed);
        let places = unparsed.filter_map(|one| Some((resolver.file(one.version)?, one.start)));
        let (file, start) = places.min_by(|(a, at), (b, bt)| (a.path(), at).cmp(&(b.path(), bt)))?;
        Some((file.path().to_owned(), file.facts.line_of(start)))
    }

    /// Counts what a file has of a name. `found` is what its occurrences mean; a file of a language that cannot mean the symbol
    /// (`own` is false) is looked at here.
    pub fn add(&mut self, resolver: &Resolver, file: &Arc<File>, name: &str, found: &HashMap<u32, Meaning>, own: bool) {
        let mut all: HashMap<u32, Meaning> = HashMap::new();
        let defines = |symbol: &&Symbol| symbol.name == name && symbol.kind != SymbolKind::Use && stands(symbol);
        for symbol in file.facts.symbols.iter().filter(defines).filter(|symbol| symbol.kind != SymbolKind::Impl) {
            all.insert(symbol.name_span.start, Meaning::Definition);
        }
        if let Some(id) = file.name_id(name) {
            for occurrence in file.uses_of(id) {
                // What `+` does in another language is no question.
                if !own && occurrence.role == Role::Operator {
                    continue;
                }
                let meaning = found.get(&occurrence.start).copied().unwrap_or_else(|| {
                    let resolution = resolver.resolve(file, occurrence);
                    match Meaning::from(resolution) {
                        // What is outside for one language may be here in another.
                        Meaning::Outside | Meaning::Unresolved(_) if !own => Meaning::Unresolved(Reason::Language),
                        meaning => meaning,
                    }
                });
                let meaning = match meaning {
                    Meaning::Use | Meaning::Definition => meaning,
                    _ if file.facts.is_unparsed(occurrence.start) => Meaning::Unresolved(Reason::Unparsed),
                    _ => meaning,
                };
                all.entry(occurrence.start).or_insert(meaning);
            }
            for binding in file.facts.bindings.iter().filter(|binding| binding.name == id) {
                all.entry(binding.start).or_insert(Meaning::Local);
            }
            for import in file.facts.imports.iter().filter(|import| import.alias.is_some_and(|alias| alias == id)) {
                all.entry(import.start).or_insert(Meaning::Local);
            }
            let named_at = |start| file.facts.symbols.iter().any(|symbol| symbol.name_span.start == start);
            let named_around = |start| {
                let around = file.nesting.enclosing_symbol(&file.facts, start).map(|at| file.symbol(at));
                around.is_some_and(|symbol| symbol.name == name && symbol.kind.is_callable())
            };
            let in_path = |start| names_a_module(file, name, start);
            for loose in file.facts.loose.iter().filter(|loose| loose.name == id) {
                let meaning = match loose.unparsed {
                    true => Meaning::Unresolved(Reason::Unparsed),
                    // The setter `x=` of `x`, and its variable `@x`; the clauses of a function, each with its name.
                    false if named_at(loose.start) || named_around(loose.start) => Meaning::Definition,
                    false if file.role_at(loose.start).is_some() || in_path(loose.start) => Meaning::Other,
                    false => Meaning::Unresolved(Reason::Syntax),
                };
                all.entry(loose.start).or_insert(meaning);
            }
        }
        for symbol in file.facts.symbols.iter().filter(defines) {
            all.entry(symbol.name_span.start).or_insert(Meaning::Definition);
        }
        let mut all: Vec<(u32, Meaning)> = all.into_iter().collect();
        all.sort_unstable_by_key(|(start, _)| *start);
        for (start, meaning) in all {
            self.note(file, start, meaning);
        }
    }

    /// Counts a use as unresolved after all; nothing happens where no account is given.
    pub fn take_back(&mut self, file: &File, start: u32) {
        if self.mentions.uses > 0 {
            self.mentions.uses -= 1;
            self.note(file, start, Meaning::Unresolved(Reason::Receiver));
        }
    }

    fn note(&mut self, file: &File, start: u32, meaning: Meaning) {
        let mentions = &mut self.mentions;
        let count = match meaning {
            Meaning::Definition => &mut mentions.definitions,
            Meaning::Use => &mut mentions.uses,
            Meaning::Other => &mut mentions.others,
            Meaning::Local => &mut mentions.locals,
            Meaning::Outside => &mut mentions.outside,
            Meaning::Unresolved(Reason::Unparsed) => &mut mentions.unparsed,
            Meaning::Unresolved(_) => &mut mentions.unresolved,
        };
        *count += 1;
        if let Meaning::Unresolved(reason) = meaning {
            self.open.push(Open { version: file.id(), start, reason });
        }
    }
}

/// Whether a name at an offset is part of the path of a module and of nothing else: `Data` of `import Data.Map`, where modules
/// are files, and of `module Data.Shop where` at the top of one.
fn names_a_module(file: &File, name: &str, start: u32) -> bool {
    let has = |path: &str| segments(path).any(|part| part == name);
    let line = file.facts.line_of(start);
    let mut imports = file.facts.imports.iter().filter(|import| file.facts.line_of(import.start) == line);
    let imported = imports.any(|import| {
        let module = file.facts.name(import.module);
        has(module) && !(file.lang.naming.files)(module).is_empty()
    });
    let first = file.facts.symbols.first().map_or(u32::MAX, |symbol| symbol.span.start);
    imported || start < first && has(&file.facts.module)
}

/// Whether a definition's name stands in the text: a module may be named by its file alone.
fn stands(symbol: &Symbol) -> bool {
    symbol.name_span.end.saturating_sub(symbol.name_span.start) as usize == symbol.name.len()
}
