//! Facts and projects for tests. What a line of code says is made up from its words: the store keeps facts and does not ask
//! whether they are true, so it needs no parser to be tested.

use std::sync::{Arc, LazyLock};

use cruxe_model::facts::*;
use cruxe_model::{ContentHash, RepoPath, SymbolKind};

use crate::{ExtractedFile, Home, Lexicon, NewVersion, ProjectDir, Store, WordReader};

/// A project in a home of its own.
pub(crate) struct Project {
    _home: tempfile::TempDir,
    pub dir: ProjectDir,
}

impl Project {
    pub fn new() -> Project {
        let home = tempfile::tempdir().unwrap();
        let dir = Home::new(home.path()).project(&cruxe_model::ProjectId::new("test"));
        std::fs::create_dir_all(dir.root()).unwrap();
        Project { _home: home, dir }
    }

    pub fn store(&self) -> Store {
        Store::open(self.dir.clone())
    }
}

/// A version of a file with facts about its text.
pub(crate) fn new_version(path: &str, text: &str) -> NewVersion {
    let mut hash = [0; 20];
    hash.iter_mut().zip(text.bytes().rev()).for_each(|(to, from)| *to = from);
    let file = ExtractedFile {
        path: RepoPath::parse(path).unwrap(),
        hash: ContentHash::from(hash),
        module: "m".to_owned(),
        facts: facts(text),
        text: text.to_owned(),
        problems: None,
    };
    static LEXICON: LazyLock<Arc<Lexicon>> = LazyLock::new(Arc::default);
    NewVersion::prepare(file, &mut WordReader::new(&LEXICON, None)).unwrap()
}

/// A word behind one of these is a definition.
const DEFINES: [(&str, SymbolKind); 3] =
    [("fn", SymbolKind::Fn), ("struct", SymbolKind::Struct), ("def", SymbolKind::Fn)];

/// Facts of every kind: words behind `fn`, `struct` and `def` are definitions, each with a scope, a binding and the chunk that
/// goes to the next one; those behind `use` are imported; all others are used, with a receiver behind a dot.
pub(crate) fn facts(text: &str) -> FileFacts {
    let line_starts = [0].into_iter().chain(text.match_indices('\n').map(|(at, _)| at as u32 + 1));
    let mut facts = FileFacts {
        language: "rust".to_owned(),
        module: "m".to_owned(),
        scopes: vec![Scope { span: span(0, text.len()), kind: ScopeKind::File }],
        line_starts: line_starts.filter(|start| *start < text.len() as u32).collect(),
        ..FileFacts::default()
    };
    let mut before = "";
    for (start, word) in words(text) {
        let kind = DEFINES.iter().find(|(keyword, _)| *keyword == before).map(|(_, kind)| *kind);
        let name = name_id(&mut facts, word);
        let start = start as u32;
        match kind {
            Some(kind) => define(&mut facts, text, kind, word, start, name),
            None if before == "use" => facts.imports.push(Import {
                module: name,
                name: Some(name),
                alias: None,
                glob: false,
                reexport: false,
                start,
                scope: ScopeId(0),
            }),
            None => {
                let behind_dot = text[..start as usize].ends_with('.') && !facts.exprs.is_empty();
                let receiver = behind_dot.then(|| ExprId(facts.exprs.len() as u32 - 1));
                let called = text[start as usize + word.len()..].starts_with('(');
                let role = if called { Role::Call } else { Role::Value };
                facts.occurrences.push(Occurrence { name, start, role, receiver });
                facts.exprs.push(receiver.map_or(Expr::Name(name), |base| Expr::Member(base, name)));
            }
        }
        before = word;
    }
    facts.chunks = chunks(text, &facts.symbols);
    facts
}

fn define(facts: &mut FileFacts, text: &str, kind: SymbolKind, word: &str, start: u32, name: NameId) {
    let line = text[..start as usize].rfind('\n').map_or(0, |at| at + 1);
    let end = text[start as usize..].find('\n').map_or(text.len(), |at| start as usize + at);
    let ty = TypeId(facts.types.len() as u32);
    let scope = ScopeId(facts.scopes.len() as u32);
    facts.types.push(TypeRef { path: vec![name], args: Vec::new() });
    facts.scopes.push(Scope { span: span(line, end), kind: ScopeKind::Function });
    facts.bindings.push(Binding { name, start, scope, kind: BindingKind::Local, ty: Some(ty), value: None });
    let public = text[line..].starts_with("pub ");
    facts.symbols.push(Symbol {
        name: word.to_owned(),
        kind,
        parent: None,
        qualified_name: format!("m::{word}"),
        signature: text[line..end].to_owned(),
        visibility: if public { "pub".to_owned() } else { String::new() },
        access: if public { Access::Public } else { Access::Private },
        span: span(line, end),
        full_span: span(line, end),
        name_span: span(start as usize, start as usize + word.len()),
        doc_span: Span::default(),
        ordinal: 0,
        ty: Some(ty),
        value: None,
        content_hash: u64::from(crc32fast::hash(&text.as_bytes()[line..end])),
        flags: SymbolFlags::default(),
    });
}

/// The whole text, cut where a definition begins; nothing where there is nothing but blanks.
fn chunks(text: &str, symbols: &[Symbol]) -> Vec<Chunk> {
    if text.trim().is_empty() {
        return Vec::new();
    }
    let cut = |symbol: &Symbol| symbol.span.start as usize;
    let mut chunks = Vec::new();
    let first = symbols.first().map_or(text.len(), cut);
    if first > 0 {
        chunks.push(Chunk { span: span(0, first), symbol: None });
    }
    for (at, symbol) in symbols.iter().enumerate() {
        let end = symbols.get(at + 1).map_or(text.len(), cut);
        if cut(symbol) < end {
            chunks.push(Chunk { span: span(cut(symbol), end), symbol: Some(SymbolIndex(at as u32)) });
        }
    }
    chunks
}

fn name_id(facts: &mut FileFacts, word: &str) -> NameId {
    let known = facts.names.iter().position(|name| name == word);
    NameId(known.unwrap_or_else(|| {
        facts.names.push(word);
        facts.names.len() - 1
    }) as u32)
}

/// Letters, digits and underscores in a row, with their offsets.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let starts = text.char_indices().filter(move |(at, letter)| is_part(*letter) && !text[..*at].ends_with(is_part));
    starts.map(move |(at, _)| {
        let rest = &text[at..];
        (at, &rest[..rest.find(|letter| !is_part(letter)).unwrap_or(rest.len())])
    })
}

fn span(start: usize, end: usize) -> Span {
    Span { start: start as u32, end: end as u32 }
}
