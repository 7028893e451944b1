//! Where facts are noted while a file is walked; [`finish`] puts them in order afterwards.

mod finish;
mod scopes;

use std::borrow::Cow;
use std::hash::Hash;
use std::time::{Duration, Instant};

use cruxe_model::SymbolKind;
use cruxe_model::arguments::Arguments;
use cruxe_model::facts::*;

use crate::Input;
use crate::language::TEXT;

// Every occurrence looks a name up: the standard library's hasher alone would be a percent or two of an index run.
type HashMap<K, V> = std::collections::HashMap<K, V, foldhash::fast::RandomState>;
type HashSet<K> = std::collections::HashSet<K, foldhash::fast::RandomState>;

/// More than any file that a person wrote; beyond it a file is a generated table.
const MAX_SYMBOLS: usize = 200_000;
const MAX_OCCURRENCES: usize = 2_000_000;
const MAX_SIGNATURE: usize = 400;
/// Below a symbol with a longer qualified name, names start at the module again.
const MAX_QUALIFIED: usize = 2000;

/// A definition to note, see [`Builder::declare`].
pub struct Decl<'a> {
    /// What it is.
    pub kind: SymbolKind,
    /// Its name.
    pub name: Cow<'a, str>,
    /// Where the name stands.
    pub name_span: Span,
    /// From its first keyword to its end, without attributes and doc comments.
    pub span: Span,
    /// With attributes and doc comments; start and end may equal `span`'s.
    pub full_span: Span,
    /// The doc comment; empty for none.
    pub doc_span: Span,
    /// Where the signature ends (the body begins); `None` leaves the signature empty.
    pub signature_end: Option<u32>,
    /// The source's own word for its visibility; may be empty.
    pub visibility: &'a str,
    /// What that means.
    pub access: Access,
    /// The declared type.
    pub ty: Option<TypeId>,
    /// What gives it a type where none is written.
    pub value: Option<ExprId>,
    /// Yes-or-no facts.
    pub flags: SymbolFlags,
    /// Stands between the parent's qualified name and the name: the type of a Go method.
    pub qualifier: Option<&'a str>,
    /// The symbol it belongs to, where that is not the innermost open one: the class of a `self.x` in a method.
    pub parent: Option<SymbolIndex>,
}

impl<'a> Decl<'a> {
    /// A definition of which only the essentials are known.
    pub fn new(kind: SymbolKind, name: impl Into<Cow<'a, str>>, name_span: Span, span: Span) -> Decl<'a> {
        Decl {
            kind,
            name: name.into(),
            name_span,
            span,
            full_span: span,
            doc_span: Span { start: span.start, end: span.start },
            signature_end: None,
            visibility: "",
            access: Access::Unknown,
            ty: None,
            value: None,
            flags: SymbolFlags::default(),
            qualifier: None,
            parent: None,
        }
    }

    /// Takes in the comments and attributes that [`crate::walk::Cx::leading`] found.
    pub fn leading(mut self, leading: Option<crate::walk::Leading>) -> Decl<'a> {
        if let Some(leading) = leading {
            self.full_span.start = self.full_span.start.min(leading.start);
            if leading.doc.start < leading.doc.end {
                self.doc_span = leading.doc;
            }
        }
        self
    }
}

/// The facts of one file while they are collected.
pub struct Builder<'s> {
    /// The file's text.
    pub text: &'s str,
    path: String,
    pub(crate) facts: FileFacts,
    separator: &'static str,
    cut_by_symbols: bool,
    test_file: bool,
    names: HashMap<Cow<'s, str>, NameId>,
    exprs: HashMap<Expr, ExprId>,
    types: HashMap<TypeRef, TypeId>,
    claimed: HashMap<(Option<SymbolIndex>, &'s str), Option<SymbolIndex>>,
    disowned: HashSet<(ScopeId, &'s str)>,
    symbols: Vec<SymbolIndex>,
    scopes: Vec<ScopeId>,
    exported: HashSet<&'s str>,
    deadline: Instant,
    cut: bool,
    expired: bool,
    /// Parsers for pieces of the file: a file of macros needs thousands, one after another.
    pub(crate) spare_parsers: Vec<tree_sitter::Parser>,
}

impl<'s> Builder<'s> {
    pub(crate) fn new(text: &'s str, input: &Input, max_time: Duration) -> Builder<'s> {
        let mut line_starts = vec![0];
        line_starts.extend(memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at as u32 + 1));
        if line_starts.len() > 1 && line_starts.last() == Some(&(text.len() as u32)) {
            line_starts.pop();
        }
        let whole = Span { start: 0, end: text.len() as u32 };
        let language = input.language.unwrap_or(&TEXT);
        Builder {
            text,
            path: input.path.as_str().to_owned(),
            facts: FileFacts {
                language: language.name.to_owned(),
                module: input.module.to_owned(),
                line_starts,
                scopes: vec![Scope { span: whole, kind: ScopeKind::File }],
                ..FileFacts::default()
            },
            separator: language.separator,
            cut_by_symbols: language.cut_by_symbols,
            test_file: (language.is_test_path)(input.path.as_str()),
            names: HashMap::default(),
            exprs: HashMap::default(),
            types: HashMap::default(),
            claimed: HashMap::default(),
            disowned: HashSet::default(),
            symbols: Vec::new(),
            scopes: vec![ScopeId(0)],
            exported: HashSet::default(),
            deadline: Instant::now() + max_time,
            cut: false,
            expired: false,
            spare_parsers: Vec::new(),
        }
    }

    pub(crate) fn deadline(&self) -> Instant {
        self.deadline
    }

    pub(crate) fn out_of_time(&self) -> bool {
        Instant::now() >= self.deadline
    }

    /// Notes that the time is over: what was found so far is not handed out, because how much that is depends on the
    /// machine. Readers still get the text in pieces.
    pub(crate) fn expire(&mut self) {
        self.expired = true;
    }

    pub(crate) fn has_expired(&self) -> bool {
        self.expired
    }

    /// The text of a span; empty where it does not fit.
    pub fn slice(&self, span: Span) -> &'s str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or_default()
    }

    /// The text of a node.
    pub fn text_of(&self, node: &tree_sitter::Node) -> &'s str {
        self.slice(crate::walk::span(node))
    }

    /// Whether everything in the file exists for tests, by its path.
    pub fn is_test_file(&self) -> bool {
        self.test_file
    }

    /// Whether the file's path ends so.
    pub fn path_ends_with(&self, end: &str) -> bool {
        self.path.ends_with(end)
    }

    /// The file's path, relative to the workspace.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The line around an offset, with its line feed.
    pub fn line_around(&self, offset: u32) -> Span {
        let starts = &self.facts.line_starts;
        let after = starts.partition_point(|start| *start <= offset);
        let start = after.checked_sub(1).and_then(|at| starts.get(at)).copied().unwrap_or_default();
        Span { start, end: starts.get(after).copied().unwrap_or(self.text.len() as u32) }
    }

    /// Replaces the module: for languages whose files declare it themselves. Call it before the first declaration.
    pub fn set_module(&mut self, module: impl Into<String>) {
        self.facts.module = module.into();
    }

    /// What stands between the parts of a qualified name.
    pub fn separator(&self) -> &'static str {
        self.separator
    }

    /// The module that symbols at the top belong to.
    pub fn module(&self) -> &str {
        &self.facts.module
    }

    /// Notes something that could not be done; each kind once.
    pub fn problem(&mut self, problem: Problem) {
        let same = |old: &Problem| std::mem::discriminant(old) == std::mem::discriminant(&problem);
        if !self.facts.problems.iter().any(same) {
            self.facts.problems.push(problem);
        }
    }

    /// The 1-based line of an offset.
    pub(crate) fn line_of(&self, offset: u32) -> u32 {
        self.facts.line_of(offset)
    }

    /// The id of a string of the source.
    pub fn name(&mut self, text: &'s str) -> NameId {
        let next = NameId(self.facts.names.len() as u32);
        let id = *self.names.entry(Cow::Borrowed(text)).or_insert(next);
        if id == next {
            self.facts.names.push(text);
        }
        id
    }

    /// The id of a node's text.
    pub fn name_of(&mut self, node: &tree_sitter::Node) -> NameId {
        let text = self.text_of(node);
        self.name(text)
    }

    /// The id of a string that does not stand in the source as it is.
    pub fn owned_name(&mut self, text: String) -> NameId {
        if let Some(id) = self.names.get(text.as_str()) {
            return *id;
        }
        let id = NameId(self.facts.names.len() as u32);
        self.facts.names.push(&text);
        self.names.insert(Cow::Owned(text), id);
        id
    }

    /// The text behind the id of a name.
    pub fn name_at(&self, id: NameId) -> &str {
        self.facts.name(id)
    }

    /// The id of an expression; equal expressions have equal ids.
    pub fn expr(&mut self, expr: Expr) -> ExprId {
        intern(&mut self.exprs, &mut self.facts.exprs, expr, ExprId)
    }

    /// The expression behind an id.
    pub fn expr_at(&self, id: ExprId) -> &Expr {
        &self.facts.exprs[id.0 as usize]
    }

    /// The id of a type; equal types have equal ids.
    pub fn ty(&mut self, path: Vec<NameId>, args: Vec<TypeId>) -> TypeId {
        intern(&mut self.types, &mut self.facts.types, TypeRef { path, args }, TypeId)
    }

    /// The path and the arguments of a type.
    pub fn type_at(&self, id: TypeId) -> (Vec<NameId>, Vec<TypeId>) {
        let ty = &self.facts.types[id.0 as usize];
        (ty.path.clone(), ty.args.clone())
    }

    /// Notes a definition below the innermost open symbol. A symbol whose children are visited next is made their
    /// parent with [`crate::walk::Cx::open_symbol`].
    pub fn declare(&mut self, decl: Decl) -> SymbolIndex {
        let index = SymbolIndex(self.facts.symbols.len() as u32);
        if self.facts.symbols.len() >= MAX_SYMBOLS {
            self.cut = true;
            return SymbolIndex(index.0 - 1);
        }
        let parent = decl.parent.or(self.symbols.last().copied());
        let qualified_name = match decl.kind {
            SymbolKind::Use => decl.name.clone().into_owned(), // an import names something of another module
            _ => self.qualify(parent, decl.qualifier, &decl.name),
        };
        let local = decl.flags.local || self.is_in_function(parent);
        let signature = match decl.signature_end {
            Some(end) => signature(self.text.get(decl.span.start as usize..end as usize).unwrap_or_default()),
            None => String::new(),
        };
        self.facts.symbols.push(Symbol {
            name: decl.name.into_owned(),
            kind: decl.kind,
            parent,
            qualified_name,
            signature,
            visibility: decl.visibility.to_owned(),
            access: decl.access,
            span: decl.span,
            full_span: decl.full_span,
            name_span: decl.name_span,
            doc_span: decl.doc_span,
            ordinal: 0,
            ty: decl.ty,
            value: decl.value,
            content_hash: 0,
            flags: SymbolFlags { local, ..decl.flags },
        });
        index
    }

    /// Changes a symbol that was declared before: a docstring or a type that its children reveal.
    pub fn amend(&mut self, index: SymbolIndex, change: impl FnOnce(&mut Symbol)) {
        if let Some(symbol) = self.facts.symbols.get_mut(index.0 as usize) {
            change(symbol);
        }
    }

    fn is_in_function(&self, mut parent: Option<SymbolIndex>) -> bool {
        while let Some(symbol) = parent.map(|at| self.symbol_at(at)) {
            if matches!(symbol.kind, SymbolKind::Fn | SymbolKind::Method | SymbolKind::Property) {
                return true;
            }
            parent = symbol.parent;
        }
        false
    }

    /// Notes that `symbol` is what a name means inside `parent`, unless another came first: for languages in which the
    /// first assignment of a name is its definition.
    pub fn claim(&mut self, parent: Option<SymbolIndex>, name: &'s str, symbol: SymbolIndex) {
        self.claimed.entry((parent, name)).or_insert(None).get_or_insert(symbol);
    }

    /// The symbol that claimed a name inside `parent`.
    pub fn claimed(&self, parent: Option<SymbolIndex>, name: &'s str) -> Option<SymbolIndex> {
        self.claimed.get(&(parent, name)).copied().flatten()
    }

    /// Notes that a symbol further down will claim a name inside `parent`.
    pub fn reserve(&mut self, parent: SymbolIndex, name: &'s str) {
        self.claimed.entry((Some(parent), name)).or_insert(None);
    }

    /// Whether a name inside `parent` is claimed or reserved.
    pub fn is_taken(&self, parent: SymbolIndex, name: &'s str) -> bool {
        self.claimed.contains_key(&(Some(parent), name))
    }

    /// Notes that assignments in a scope do not introduce this name: `global x`, `nonlocal x`.
    pub fn disown(&mut self, scope: ScopeId, name: &'s str) {
        self.disowned.insert((scope, name));
    }

    /// Whether a scope said that a name belongs to one further out.
    pub fn disowns(&self, scope: ScopeId, name: &'s str) -> bool {
        self.disowned.contains(&(scope, name))
    }

    /// The symbol at an index.
    pub fn symbol_at(&self, index: SymbolIndex) -> &Symbol {
        &self.facts.symbols[index.0 as usize]
    }

    /// The symbol that was declared last.
    pub fn last_symbol(&self) -> Option<SymbolIndex> {
        self.facts.symbols.len().checked_sub(1).map(|at| SymbolIndex(at as u32))
    }

    /// The innermost open symbol.
    pub fn current_symbol(&self) -> Option<SymbolIndex> {
        self.symbols.last().copied()
    }

    /// The kind of the innermost open symbol.
    pub fn current_kind(&self) -> Option<SymbolKind> {
        self.current_symbol().map(|index| self.symbol_at(index).kind)
    }

    /// The symbols that were declared last below the innermost open symbol, the newest first.
    pub fn siblings(&self) -> impl Iterator<Item = SymbolIndex> + '_ {
        let parent = self.current_symbol();
        let first = parent.map_or(0, |at| at.0 + 1);
        let last = self.facts.symbols.len() as u32;
        (first..last).rev().map(SymbolIndex).filter(move |at| self.symbol_at(*at).parent == parent)
    }

    /// Whether an open scope introduced the name lately. Looks only so far back that it never gets slow; for languages
    /// in which a bare name is a call unless it is a local variable.
    pub fn is_bound(&self, text: &str) -> bool {
        self.bound(text).is_some()
    }

    /// The last introduction of a name by an open scope, as far back as [`Builder::is_bound`] looks.
    pub fn bound(&self, text: &str) -> Option<Binding> {
        let name = self.names.get(text)?;
        let mut recent = self.facts.bindings.iter().rev().take(256);
        recent.find(|binding| binding.name == *name && self.scopes.contains(&binding.scope)).cloned()
    }

    /// The last introduction of a name by one scope, as far back as [`Builder::is_bound`] looks.
    pub fn bound_in_scope(&self, text: &str, scope: ScopeId) -> Option<Binding> {
        let name = self.names.get(text)?;
        let mut recent = self.facts.bindings.iter().rev().take(256);
        recent.find(|binding| binding.name == *name && binding.scope == scope).cloned()
    }

    /// Where the name stands that was introduced last.
    pub fn last_bound(&self) -> Option<u32> {
        self.facts.bindings.last().map(|binding| binding.start)
    }

    fn qualify(&self, parent: Option<SymbolIndex>, qualifier: Option<&str>, name: &str) -> String {
        let outer = parent.map_or(self.facts.module.as_str(), |at| &self.facts.symbols[at.0 as usize].qualified_name);
        // The names of nested symbols grow with their depth, so all names together with its square.
        let outer = if outer.len() > MAX_QUALIFIED { self.facts.module.as_str() } else { outer };
        let parts = [outer, qualifier.unwrap_or_default(), name];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(self.separator)
    }

    /// Notes that a scope introduces a name.
    pub fn bind(
        &mut self,
        name: &tree_sitter::Node,
        scope: ScopeId,
        kind: BindingKind,
        ty: Option<TypeId>,
        value: Option<ExprId>,
    ) {
        let text = self.text_of(name);
        if text.is_empty() || text == "_" {
            return;
        }
        let name_id = self.name(text);
        self.facts.bindings.push(Binding { name: name_id, start: name.start_byte() as u32, scope, kind, ty, value });
    }

    /// Notes that more is known about a name from here on, or in a scope inside its own.
    pub fn rebind(&mut self, binding: Binding) {
        self.facts.bindings.push(binding);
    }

    /// Notes that a scope introduces a name, for front ends without a tree.
    pub fn bind_at(&mut self, text: &'s str, start: u32, scope: ScopeId, kind: BindingKind) {
        let name = self.name(text);
        self.facts.bindings.push(Binding { name, start, scope, kind, ty: None, value: None });
    }

    /// Notes that a scope introduces a name that no node is: `it` of a lambda without parameters.
    pub fn bind_unwritten(&mut self, text: &'s str, start: u32, scope: ScopeId, value: Option<ExprId>) {
        let name = self.name(text);
        self.facts.bindings.push(Binding { name, start, scope, kind: BindingKind::Param, ty: None, value });
    }

    /// How many names of a kind a scope has introduced so far.
    pub fn bound_in(&self, scope: ScopeId, kind: BindingKind) -> usize {
        let last = self.facts.bindings.iter().rev().take(64);
        last.filter(|binding| binding.scope == scope && binding.kind == kind).count()
    }

    /// Notes an import into the innermost scope.
    pub fn import(&mut self, import: Import) {
        self.facts.imports.push(import);
    }

    /// The module that an import of this file gives a name to.
    pub fn imported_as(&self, name: &str) -> Option<NameId> {
        let whole = self.facts.imports.iter().filter(|import| import.name.is_none() && !import.glob);
        let mut named = whole.filter(|import| import.alias.is_some_and(|alias| self.name_at(alias) == name));
        named.next().map(|import| import.module)
    }

    /// Notes that the file offers one of its own names elsewhere than at its definition (`export { a }`).
    pub fn exported(&mut self, name: &'s str) {
        self.exported.insert(name);
    }

    /// Notes the use of a name that stands at a node.
    pub fn occurrence(&mut self, name: &tree_sitter::Node, role: Role, receiver: Option<ExprId>) {
        let text = self.text_of(name);
        self.occurrence_at(text, name.start_byte() as u32, role, receiver);
    }

    /// Notes the use of a name.
    pub fn occurrence_at(&mut self, text: &'s str, start: u32, role: Role, receiver: Option<ExprId>) {
        if text.is_empty() {
            return;
        }
        if self.facts.occurrences.len() >= MAX_OCCURRENCES {
            self.cut = true;
            return;
        }
        let name = self.name(text);
        self.facts.occurrences.push(Occurrence { name, start, role, receiver });
    }

    /// Notes what the call of a name passes.
    pub fn call(&mut self, name: &tree_sitter::Node, arguments: Arguments) {
        self.facts.calls.push(Call { start: name.start_byte() as u32, arguments });
    }

    /// Notes an operator that a function of the given name may stand behind, and what it works on.
    pub fn operator(&mut self, function: &'s str, start: u32, receiver: ExprId, arguments: Option<Arguments>) {
        self.occurrence_at(function, start, Role::Operator, Some(receiver));
        self.facts.calls.extend(arguments.map(|arguments| Call { start, arguments }));
    }

    /// Notes that a type builds on another.
    pub fn heritage(&mut self, symbol: SymbolIndex, relation: Relation, ty: TypeId) {
        self.facts.heritage.push(Heritage { symbol, relation, ty });
    }

    pub(crate) fn push_symbol(&mut self, symbol: SymbolIndex) {
        self.symbols.push(symbol);
    }

    pub(crate) fn push_scope(&mut self, kind: ScopeKind, span: Span) {
        self.scopes.push(ScopeId(self.facts.scopes.len() as u32));
        self.facts.scopes.push(Scope { span, kind });
    }

    pub(crate) fn close(&mut self, symbols: u32, scopes: u32) {
        self.symbols.truncate(self.symbols.len().saturating_sub(symbols as usize));
        self.scopes.truncate(self.scopes.len().saturating_sub(scopes as usize).max(1));
    }

    /// Opens a symbol without a tree, for front ends that keep their own stack; [`Builder::close_symbol`] ends it.
    pub fn open_plain(&mut self, symbol: SymbolIndex) {
        self.symbols.push(symbol);
    }

    /// Closes what [`Builder::open_plain`] opened last.
    pub fn close_symbol(&mut self) {
        self.symbols.pop();
    }
}

fn intern<T: Clone + Eq + Hash, Id: Copy>(
    ids: &mut HashMap<T, Id>,
    values: &mut Vec<T>,
    value: T,
    id: impl Fn(u32) -> Id,
) -> Id {
    if let Some(known) = ids.get(&value) {
        return *known;
    }
    let new = id(values.len() as u32);
    values.push(value.clone());
    ids.insert(value, new);
    new
}

/// A declaration on one line: white space collapsed, the opening of a body and trailing punctuation dropped.
pub fn signature(text: &str) -> String {
    let mut line = String::with_capacity(text.len().min(MAX_SIGNATURE + 8));
    for word in text.split_whitespace() {
        if line.len() > MAX_SIGNATURE {
            break;
        }
        let glued = line.ends_with(['(', '[']) || (word.starts_with([')', ']']) && !line.ends_with(','));
        if word.starts_with([')', ']']) && line.ends_with(',') {
            line.pop();
        } else if !line.is_empty() && !glued {
            line.push(' ');
        }
        line.push_str(word);
    }
    let end = line.trim_end_matches([' ', '{', ':', '=', ';', ',']).len();
    line.truncate(end);
    if line.len() > MAX_SIGNATURE {
        let cut = (0..=MAX_SIGNATURE).rev().find(|at| line.is_char_boundary(*at)).unwrap_or(0);
        line.truncate(cut);
        line.push('…');
    }
    line
}

#[cfg(test)]
mod tests {
    use super::signature;

    #[test]
    fn signatures_fit_on_one_line() {
        assert_eq!(signature("pub fn new(config: AuthConfig) -> Self {"), "pub fn new(config: AuthConfig) -> Self");
        assert_eq!(signature("fn f(\n    a: u8,\n    b: u8,\n) -> u8\n"), "fn f(a: u8, b: u8) -> u8");
        assert_eq!(signature("def f(self):"), "def f(self)");
        assert_eq!(signature("pub struct AuthHandler;"), "pub struct AuthHandler");
        assert!(signature(&"größe ".repeat(200)).ends_with('…'));
    }
}
