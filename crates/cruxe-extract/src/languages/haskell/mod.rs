//! Haskell: a function is its type signature and all its equations.

mod names;
mod types;

use cruxe_model::SymbolKind;
use cruxe_model::facts::{Access, Import, Role, ScopeKind, Span, SymbolFlags, SymbolIndex};
use tree_sitter::{Language, Node};

use crate::build::Decl;
use crate::language::{FrontEnd, LANGUAGE, LanguageDef};
use crate::naming::{Locals, NAMING, Naming, Relations, Told};
use crate::recover::{Comments, LAYOUT, Lexis, Quotes};
use crate::registry::{Kinds, field};
use crate::walk::{Cx, Rules, Trivia, Walk, span};

/// The Haskell language.
pub static HASKELL: LanguageDef = LanguageDef {
    id: "haskell",
    name: "haskell",
    extensions: &["hs", "hs-boot", "hsc"],
    interpreters: &["runhaskell", "runghc", "stack"],
    front_end: FrontEnd::Grammar { grammar: || tree_sitter_haskell::LANGUAGE.into(), rules },
    naming: Naming {
        files: |module| [".hs", ".hsc"].map(|end| module.replace('.', "/") + end).into(),
        files_anywhere: true,
        // A module is named by its whole path or by its alias.
        imported: |_| "",
        // What `where` binds is seen before it.
        locals: Locals::Everywhere,
        free_members: &[SymbolKind::Variant, SymbolKind::Field, SymbolKind::Method],
        relations: Relations {
            heritage: Told::Yes,
            decorators: Told::Never,
            constructions: Told::No,
            writes: Told::Never,
        },
        ..NAMING
    },
    ..LANGUAGE
};

/// What the rules call the node kinds that they know.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum K {
    #[default]
    Other,
    Root,
    Comment,
    Haddock,
    Pragma,
    Header,
    Import,
    ImportName,
    Children,
    Declarations,
    Members,
    LocalBinds,
    Data,
    Newtype,
    TypeAlias,
    Class,
    Instance,
    DerivingInstance,
    Deriving,
    Constructor,
    GadtConstructor,
    Field,
    FieldName,
    FieldUse,
    Signature,
    Function,
    Bind,
    Foreign,
    PatternSynonym,
    Equation,
    Patterns,
    TypeContext,
    Expression,
    Lambda,
    Block,
    Apply,
    Infix,
    InfixId,
    PrefixId,
    Qualified,
    Variable,
    Name,
    ConstructorName,
    Operator,
}

const KINDS: &[(&str, K)] = &[
    ("haskell", K::Root),
    ("comment", K::Comment),
    ("haddock", K::Haddock),
    ("pragma", K::Pragma),
    ("header", K::Header),
    ("import", K::Import),
    ("import_name", K::ImportName),
    ("children", K::Children),
    ("declarations", K::Declarations),
    ("class_declarations", K::Members),
    ("instance_declarations", K::Members),
    ("local_binds", K::LocalBinds),
    ("data_type", K::Data),
    ("newtype", K::Newtype),
    ("type_synonym", K::TypeAlias),
    ("type_family", K::TypeAlias),
    ("data_family", K::TypeAlias),
    ("class", K::Class),
    ("instance", K::Instance),
    ("deriving_instance", K::DerivingInstance),
    ("deriving", K::Deriving),
    ("data_constructor", K::Constructor),
    ("newtype_constructor", K::Constructor),
    ("gadt_constructor", K::GadtConstructor),
    ("field", K::Field),
    ("field_name", K::FieldName),
    ("field_update", K::FieldUse),
    ("field_pattern", K::FieldUse),
    ("signature", K::Signature),
    ("function", K::Function),
    ("bind", K::Bind),
    ("foreign_import", K::Foreign),
    ("pattern_synonym", K::PatternSynonym),
    ("equation", K::Equation),
    ("patterns", K::Patterns),
    ("type_params", K::TypeContext),
    ("type_patterns", K::TypeContext),
    ("context", K::TypeContext),
    ("type_instance", K::TypeContext),
    ("type_application", K::TypeContext),
    ("match", K::Expression),
    ("exp", K::Expression),
    ("guards", K::Expression),
    ("lambda", K::Lambda),
    ("do", K::Block),
    ("let_in", K::Block),
    ("alternative", K::Block),
    ("list_comprehension", K::Block),
    ("apply", K::Apply),
    ("infix", K::Infix),
    ("infix_id", K::InfixId),
    ("prefix_id", K::PrefixId),
    ("qualified", K::Qualified),
    ("variable", K::Variable),
    ("name", K::Name),
    ("constructor", K::ConstructorName),
    ("operator", K::Operator),
    ("constructor_operator", K::Operator),
];

struct Haskell {
    kinds: Kinds<K>,
    name: u16,
    ty: u16,
    function: u16,
    pattern: u16,
    patterns: u16,
    operator: u16,
    left_operand: u16,
    module: u16,
}

fn rules(grammar: &Language) -> Box<dyn Rules> {
    Box::new(Haskell {
        kinds: Kinds::new(grammar, KINDS),
        name: field(grammar, "name"),
        ty: field(grammar, "type"),
        function: field(grammar, "function"),
        pattern: field(grammar, "pattern"),
        patterns: field(grammar, "patterns"),
        operator: field(grammar, "operator"),
        left_operand: field(grammar, "left_operand"),
        module: field(grammar, "module"),
    })
}

/// How declarations are found without the grammar.
static LEXIS: Lexis = Lexis {
    comments: Comments::Haskell,
    quotes: Quotes::Character,
    undivided: true,
    in_type: ("instance X Y where\n", ""),
    in_function: ("", ""),
    ..LAYOUT
};

impl Rules for Haskell {
    fn lexis(&self) -> Option<&'static Lexis> {
        Some(&LEXIS)
    }

    fn trivia(&self, kind: u16, text: &str) -> Trivia {
        match self.kinds.get(kind) {
            K::Haddock if text.starts_with("-- ^") || text.starts_with("{-^") => Trivia::No, // of what stands before
            K::Haddock => Trivia::Doc,
            K::Comment => Trivia::Comment,
            K::Pragma => Trivia::Attribute,
            _ => Trivia::No,
        }
    }

    fn enter(&self, cx: &mut Cx) -> Walk {
        match self.kinds.get(cx.kind()) {
            K::Pragma | K::Comment | K::Haddock => return Walk::Skip,
            K::Header => self.header(cx),
            K::Import => self.import(cx),
            K::Data | K::Newtype | K::TypeAlias | K::Class => self.type_declaration(cx),
            K::Instance | K::DerivingInstance => self.instance(cx),
            K::Constructor | K::GadtConstructor => self.constructor(cx),
            K::Field => self.field_declaration(cx),
            K::Deriving => self.deriving(cx),
            K::Signature => self.signature(cx),
            // A type like `a -> b` is a `function` too; it has no place among declarations.
            K::Function | K::Bind => self.equation(cx),
            K::PatternSynonym => self.pattern_synonym(cx),
            K::Lambda => cx.open_scope(ScopeKind::Function),
            K::Block => cx.open_scope(ScopeKind::Block),
            K::Variable | K::Name | K::ConstructorName | K::Operator => self.name(cx),
            _ => {}
        }
        Walk::Into
    }
}

/// Where a declaration stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Top,
    Member,
    Local,
}

impl Haskell {
    fn is(&self, node: &Node, kind: K) -> bool {
        self.kinds.get(node.kind_id()) == kind
    }

    fn ancestor_kind(&self, cx: &Cx, level: usize) -> K {
        cx.ancestor(level).map_or(K::Other, |frame| self.kinds.get(frame.kind))
    }

    fn level(&self, cx: &Cx) -> Option<Level> {
        Some(match self.ancestor_kind(cx, 1) {
            K::Declarations | K::Foreign => Level::Top,
            K::Members => Level::Member,
            K::LocalBinds => Level::Local,
            _ => return None,
        })
    }

    fn header(&self, cx: &mut Cx) {
        if let Some(module) = cx.node().child_by_field_id(self.module) {
            let module: String = cx.text_of(&module).split_whitespace().collect();
            cx.set_module(module);
        }
    }

    fn import(&self, cx: &mut Cx) {
        let node = cx.node();
        let Some(path) = node.child_by_field_id(self.module) else { return };
        let text = cx.text_of(&path);
        let decl = Decl::new(SymbolKind::Use, text, span(&path), span(&node));
        cx.declare(decl);
        let mut cursor = node.walk();
        let words: Vec<&str> =
            node.children(&mut cursor).filter(|word| !word.is_named()).map(|word| word.kind()).collect();
        let (qualified, hiding) = (words.contains(&"qualified"), words.contains(&"hiding"));
        let alias = node.child_by_field_name("alias");
        let (module, scope) = (cx.name(text), cx.current_scope());
        let alias_name = alias.map(|alias| cx.name_of(&alias));
        let names = node.child_by_field_name("names").filter(|_| !hiding);
        let start = alias.unwrap_or(path).start_byte() as u32;
        let glob = names.is_none() && !qualified;
        // `import M as N` brings all names, and `N` before any of them.
        if glob && alias_name.is_some() {
            cx.import(Import { module, name: None, alias: None, glob, reexport: false, start, scope });
        }
        let whole = glob && alias_name.is_none();
        cx.import(Import { module, name: None, alias: alias_name, glob: whole, reexport: false, start, scope });
        let last = text.rsplit('.').next().unwrap_or(text);
        cx.occurrence_at(last, path.end_byte() as u32 - last.len() as u32, Role::Import, None);
        let Some(names) = names else { return };
        let mut cursor = names.walk();
        for item in names.named_children(&mut cursor).filter(|item| self.is(item, K::ImportName)) {
            let Some(name) = item.named_child(0) else { continue };
            let name = if self.is(&name, K::PrefixId) { name.named_child(0).unwrap_or(name) } else { name };
            let start = name.start_byte() as u32;
            let name = Some(cx.name_of(&name));
            cx.import(Import { module, name, alias: None, glob: false, reexport: false, start, scope });
            let mut inside = item.walk();
            let Some(children) = item.named_children(&mut inside).find(|child| self.is(child, K::Children)) else {
                continue;
            };
            for part in children.named_children(&mut children.walk()) {
                let part = if self.is(&part, K::PrefixId) { part.named_child(0).unwrap_or(part) } else { part };
                let part = part.named_child(0).unwrap_or(part);
                if matches!(self.kinds.get(part.kind_id()), K::Variable | K::ConstructorName | K::Name) {
                    let (start, name) = (part.start_byte() as u32, Some(cx.name_of(&part)));
                    cx.import(Import { module, name, alias: None, glob: false, reexport: false, start, scope });
                }
            }
        }
    }

    /// Whether the module exports a name; everything when it has no list.
    fn access(&self, cx: &Cx, name: &str) -> Access {
        if let Some(outer) = cx.current_symbol() {
            return cx.symbol_at(outer).access;
        }
        let mut above = (1..32).map_while(|level| cx.ancestor(level));
        let Some(root) = above.find(|frame| self.kinds.get(frame.kind) == K::Root) else { return Access::Public };
        let root = root.node;
        let mut cursor = root.walk();
        let header = root.named_children(&mut cursor).take(50).find(|child| self.is(child, K::Header));
        let Some(exports) = header.and_then(|header| header.child_by_field_name("exports")) else {
            return Access::Public;
        };
        if exported(cx.text_of(&exports), name) { Access::Public } else { Access::Private }
    }

    /// Takes in the comments before a declaration. Those before the first one belong to the imports in the tree.
    fn with_leading<'a, 't>(&self, cx: &Cx<'_, '_, 't>, node: &Node<'t>, mut decl: Decl<'a>) -> Decl<'a> {
        let parent = cx.parent().filter(|parent| parent.start_byte() == node.start_byte());
        if let Some(leading) = cx.leading(node).or_else(|| cx.leading(&parent?)) {
            return decl.leading(Some(leading));
        }
        let root = parent.filter(|parent| self.is(parent, K::Declarations)).and(cx.ancestor(2));
        let Some(imports) = root.and_then(|root| root.node.child_by_field_name("imports")) else { return decl };
        let mut row = node.start_position().row;
        for back in 1..=8 {
            let at = imports.named_child_count().checked_sub(back);
            let Some(comment) = at.and_then(|at| imports.named_child(at as u32)) else { break };
            let kind = self.kinds.get(comment.kind_id());
            if !matches!(kind, K::Haddock | K::Comment) || comment.end_position().row + 1 < row {
                break;
            }
            row = comment.start_position().row;
            decl.full_span.start = comment.start_byte() as u32;
            if kind == K::Haddock {
                decl.doc_span = span(&comment);
            }
        }
        decl
    }

    /// `f`, `(|+|)`, or the operator of `a |+| b`.
    fn declared_name<'t>(&self, node: &Node<'t>) -> Option<Node<'t>> {
        let inner = |node: Node<'t>| match self.kinds.get(node.kind_id()) {
            K::PrefixId | K::InfixId => node.named_child(0),
            _ => Some(node),
        };
        if let Some(name) = node.child_by_field_id(self.name) {
            return inner(name);
        }
        let infix = node.named_child(0).filter(|first| self.is(first, K::Infix))?;
        inner(infix.child_by_field_id(self.operator)?)
    }

    fn signature(&self, cx: &mut Cx) {
        let Some(level) = self.level(cx) else { return };
        let node = cx.node();
        let ty = node.child_by_field_id(self.ty);
        let function = ty.is_some_and(|ty| self.is_function_type(&ty));
        if level == Level::Local && !function {
            return; // a local value is a variable, with or without a type
        }
        // `a, b :: T` at the top says something about definitions that follow; in a class it is all there is.
        let names = node.child_by_field_name("names").filter(|_| level == Level::Member);
        let Some(names) = names else {
            if let Some(name) = self.declared_name(&node) {
                self.declare_signature(cx, &node, &name, level, function);
            }
            return;
        };
        let mut cursor = names.walk();
        for name in names.named_children(&mut cursor) {
            let name = if self.is(&name, K::PrefixId) { name.named_child(0).unwrap_or(name) } else { name };
            self.declare_signature(cx, &node, &name, level, true);
        }
    }

    fn declare_signature(&self, cx: &mut Cx, node: &Node, name: &Node, level: Level, function: bool) {
        let ty = node.child_by_field_id(self.ty);
        let outer = cx.parent().filter(|parent| self.is(parent, K::Foreign)).unwrap_or(*node);
        let action = ty.is_some_and(|ty| cx.text_of(&ty).starts_with("IO"));
        let kind = match level {
            Level::Member => SymbolKind::Method,
            _ if function || action => SymbolKind::Fn,
            _ => SymbolKind::Const,
        };
        let text = cx.text_of(name);
        let current = cx.node();
        let mut decl = self.with_leading(cx, &current, Decl::new(kind, text, span(name), span(&outer)));
        decl.full_span.start = decl.full_span.start.min(outer.start_byte() as u32);
        decl.signature_end = Some(outer.end_byte() as u32);
        decl.access = self.access(cx, text);
        decl.ty = ty.and_then(|ty| self.result_type(cx, &ty));
        decl.flags = SymbolFlags { declaration: true, ..SymbolFlags::default() };
        cx.declare(decl);
    }

    /// The symbol that the current equation belongs to: declared by its signature or by an equation before it.
    fn symbol_before(&self, cx: &Cx, name: &str) -> Option<SymbolIndex> {
        let last = cx.siblings().next()?;
        let symbol = cx.symbol_at(last);
        let kind = matches!(symbol.kind, SymbolKind::Fn | SymbolKind::Method | SymbolKind::Const);
        (kind && symbol.name == name).then_some(last)
    }

    fn equation(&self, cx: &mut Cx) {
        let Some(level) = self.level(cx) else { return };
        let node = cx.node();
        let Some(name) = self.declared_name(&node) else { return cx.open_scope(ScopeKind::Block) };
        let text = cx.text_of(&name);
        let bound = self.is(&node, K::Bind);
        let end = node.end_byte() as u32;
        let expression = node.child_by_field_name("match").and_then(|body| body.child_by_field_name("expression"));
        let shape = expression.map_or("", |expression| expression.kind());
        let symbol = match self.symbol_before(cx, text) {
            Some(symbol) => {
                cx.amend(symbol, |symbol| {
                    (symbol.span.end, symbol.full_span.end) = (end, end);
                    symbol.flags.declaration = false;
                    if symbol.kind == SymbolKind::Const && matches!(shape, "do" | "lambda" | "lambda_case") {
                        symbol.kind = SymbolKind::Fn;
                    }
                });
                symbol
            }
            None if bound && level == Level::Local => {
                let scope = cx.current_scope();
                return cx.bind(&name, scope, cruxe_model::facts::BindingKind::Local, None, None);
            }
            None => {
                let kind = match (level, bound && shape == "literal") {
                    (Level::Member, _) => SymbolKind::Method,
                    (_, true) => SymbolKind::Const,
                    _ => SymbolKind::Fn,
                };
                let mut decl = self.with_leading(cx, &node, Decl::new(kind, text, span(&name), span(&node)));
                decl.signature_end = Some(self.head_end(&node));
                decl.access = self.access(cx, text);
                cx.declare(decl)
            }
        };
        cx.open_symbol(symbol);
        cx.open_scope(ScopeKind::Function);
    }

    /// Where the head of an equation ends: before `=` or the first guard.
    fn head_end(&self, node: &Node) -> u32 {
        let body = node.child_by_field_name("match");
        let short = node.end_byte() - node.start_byte() < 100 && node.start_position().row == node.end_position().row;
        match body {
            Some(body) if !short => body.start_byte() as u32,
            _ => node.end_byte() as u32,
        }
    }

    fn pattern_synonym(&self, cx: &mut Cx) {
        let node = cx.node();
        let mut name = node.named_child(0).and_then(|equation| equation.child_by_field_name("synonym"));
        for _ in 0..12 {
            match name {
                Some(inner) if self.is(&inner, K::Apply) => name = inner.child_by_field_id(self.function),
                _ => break,
            }
        }
        let Some(name) = name.filter(|name| self.is(name, K::ConstructorName)) else { return };
        let text = cx.text_of(&name);
        let mut decl = self.with_leading(cx, &node, Decl::new(SymbolKind::Variant, text, span(&name), span(&node)));
        decl.signature_end = Some(node.end_byte() as u32);
        decl.access = self.access(cx, text);
        let symbol = cx.declare(decl);
        cx.open_symbol(symbol);
        cx.open_scope(ScopeKind::Function);
    }
}

/// Whether a list of exports names something, as a whole word.
fn exported(exports: &str, name: &str) -> bool {
    let inside = |c: char| c.is_alphanumeric() || c == '_' || c == '\'';
    exports.match_indices(name).any(|(at, _)| {
        let before = exports[..at].chars().next_back();
        let after = exports[at + name.len()..].chars().next();
        !before.is_some_and(inside) && !after.is_some_and(inside)
    })
}

/// The span between two nodes.
fn between(first: &Node, last: &Node) -> Span {
    Span { start: first.start_byte() as u32, end: last.end_byte() as u32 }
}

#[cfg(test)]
mod tests {
    use cruxe_model::facts::Access;

    use crate::languages::fixture_tests::extract;

    #[test]
    fn a_signature_and_all_equations_are_one_symbol() {
        let facts = extract(
            "A.hs",
            "module A where\n\n-- | Doc.\nf :: Int -> Int\n{-# INLINE f #-}\nf 0 = 1\nf n = n * f (n - 1)\n\ng = f\n",
        );
        let names: Vec<_> =
            facts.symbols.iter().map(|one| (one.qualified_name.as_str(), facts.lines_of(one.full_span))).collect();
        assert_eq!(names, [("A.f", (3, 7)), ("A.g", (9, 9))]);
        assert_eq!(facts.symbols[0].signature, "f :: Int -> Int");
        assert!(!facts.symbols[0].flags.declaration);
    }

    #[test]
    fn only_what_is_exported_is_public() {
        let facts = extract("A.hs", "module A (f, T (..)) where\nf = 1\nff = 2\ndata T = X | Y\n");
        let public: Vec<_> =
            facts.symbols.iter().filter(|one| one.access == Access::Public).map(|one| one.name.as_str()).collect();
        assert_eq!(public, ["f", "T", "X", "Y"]);
    }

    #[test]
    fn names_in_patterns_are_introduced_and_type_variables_are_no_uses() {
        let facts = extract("A.hs", "f :: Maybe a -> [b] -> a\nf (Just x) (y : ys) = case y of\n  z -> g x ys z\n");
        let bound: Vec<_> = facts.bindings.iter().map(|binding| facts.name(binding.name)).collect();
        assert_eq!(bound, ["x", "y", "ys", "z"]);
        let used: Vec<_> = facts.occurrences.iter().map(|one| facts.name(one.name)).collect();
        assert_eq!(used, ["Maybe", "Just", "y", "g", "x", "ys", "z"]);
    }
}
