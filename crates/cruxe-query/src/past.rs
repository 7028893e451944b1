//! A file as one side of a comparison: from the index where it is there, else straight from git.

use std::cell::OnceCell;

use cruxe_extract::code::{Code, Reading};
use cruxe_extract::{Extractor, as_text, registry};
use cruxe_index::{PastReader, Project};
use cruxe_model::facts::{FileFacts, Span, Symbol, SymbolIndex};
use cruxe_model::{ContentHash, RepoPath, StableId, SymbolKind};
use cruxe_store::{Snapshot, StoreError};

use crate::locate;

/// A file with its symbols and, when asked for, its text.
pub struct PastFile {
    /// Where it is.
    pub path: RepoPath,
    /// What it contains.
    pub hash: ContentHash,
    /// Its language.
    pub language: String,
    /// Its symbols, in the order of their positions.
    pub symbols: Vec<Symbol>,
    /// First and last line of each.
    pub lines: Vec<(u32, u32)>,
    text: OnceCell<Option<String>>,
}

impl PastFile {
    /// The file from the index; `None` when this content at this place is not there.
    pub fn indexed(
        snapshot: &Snapshot,
        path: &RepoPath,
        module: &str,
        hash: &ContentHash,
    ) -> Result<Option<PastFile>, StoreError> {
        let Some(file) = snapshot.version(path, module, hash)? else { return Ok(None) };
        let table = snapshot.symbols(file.id)?;
        let lines = (0..table.symbols.len()).map(|at| table.lines(SymbolIndex(at as u32))).collect();
        let text = OnceCell::new();
        Ok(Some(PastFile {
            path: file.path,
            hash: *hash,
            language: file.language,
            symbols: table.symbols,
            lines,
            text,
        }))
    }

    /// The file extracted from its bytes.
    pub fn extracted(
        reader: &mut PastReader,
        path: &RepoPath,
        module: &str,
        hash: &ContentHash,
        bytes: &[u8],
    ) -> PastFile {
        let facts = reader.facts(path, module, bytes);
        let lines = facts.symbols.iter().map(|symbol| facts.lines_of(symbol.span)).collect();
        let FileFacts { language, symbols, .. } = facts;
        let text = OnceCell::from(Some(as_text(bytes).0.into_owned()));
        PastFile { path: path.clone(), hash: *hash, language, symbols, lines, text }
    }

    /// The text; `None` when neither the disk nor git has it any more.
    pub fn text(&self, project: &Project) -> Option<&str> {
        let read = || project.read_content(&self.path, &self.hash).map(|bytes| as_text(&bytes).0.into_owned());
        self.text.get_or_init(read).as_deref()
    }

    /// The text of a symbol with its doc comments and decorators.
    pub fn text_of(&self, project: &Project, at: usize) -> Option<&str> {
        let span = self.symbols.get(at)?.full_span;
        self.text(project)?.get(span.start as usize..span.end as usize)
    }

    /// What a symbol says; doc comments and the given members left out.
    pub fn code(
        &self,
        project: &Project,
        extractor: &mut Extractor,
        at: usize,
        members: &[Span],
        any_name: bool,
    ) -> Option<Code> {
        let symbol = self.symbols.get(at)?;
        let text = self.text_of(project, at)?;
        let start = symbol.full_span.start;
        let inside = |span: &Span| span.start < span.end && start <= span.start && span.end <= symbol.full_span.end;
        let without: Vec<Span> = members
            .iter()
            .chain([&symbol.doc_span])
            .filter(|span| inside(span))
            .map(|span| Span { start: span.start - start, end: span.end - start })
            .collect();
        let reading = Reading {
            without: &without,
            without_separators: !members.is_empty(),
            any_name: any_name.then_some(symbol.name.as_str()),
        };
        let whole = self.text(project)?;
        let language = registry::detect(&self.path, whole.as_bytes());
        Some(extractor.code(language, text, &reading))
    }

    /// The identity of a symbol wherever it stands.
    pub fn stable_id(&self, at: usize) -> StableId {
        let symbol = &self.symbols[at];
        StableId::new(&self.language, symbol.kind, &symbol.qualified_name, symbol.ordinal)
    }

    /// A symbol as answers show it.
    pub fn record(&self, at: usize) -> Record {
        let (symbol, (line_start, line_end)) = (&self.symbols[at], self.lines[at]);
        Record {
            symbol_id: locate::symbol_id(&self.path, symbol).as_str().to_owned(),
            symbol_stable_id: self.stable_id(at).as_str().to_owned(),
            kind: symbol.kind,
            qualified_name: symbol.qualified_name.clone(),
            signature: symbol.signature.clone(),
            path: self.path.as_str().to_owned(),
            line_start,
            line_end,
            is_test: symbol.flags.test,
        }
    }

    /// Whether a symbol is one that comparisons report. Imports are not, nor are locals that hold a value and fields
    /// that a function introduces: they are part of the function.
    pub fn is_reported(&self, at: usize) -> bool {
        let symbol = &self.symbols[at];
        let value = matches!(symbol.kind, SymbolKind::Variable | SymbolKind::Const | SymbolKind::Static);
        if symbol.kind == SymbolKind::Use || (symbol.flags.local && value) {
            return false;
        }
        let holds = |outer: &Symbol| {
            matches!(outer.kind, SymbolKind::Fn | SymbolKind::Method | SymbolKind::Property)
                && outer.full_span.start < symbol.full_span.start
                && symbol.full_span.end <= outer.full_span.end
        };
        let before = &self.symbols[..at];
        symbol.kind != SymbolKind::Field || !before.iter().rev().take(FIELDS_PER_FUNCTION).any(holds)
    }
}

/// How far back the function around a field is looked for.
const FIELDS_PER_FUNCTION: usize = 200;

/// A symbol on one side of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// Its handle.
    pub symbol_id: String,
    /// Its identity wherever it stands.
    pub symbol_stable_id: String,
    /// What it is.
    pub kind: SymbolKind,
    /// Its name with module and parents.
    pub qualified_name: String,
    /// Its declaration.
    pub signature: String,
    /// Where it is.
    pub path: String,
    /// First line.
    pub line_start: u32,
    /// Last line.
    pub line_end: u32,
    /// It is a test, or exists only for tests.
    pub is_test: bool,
}
