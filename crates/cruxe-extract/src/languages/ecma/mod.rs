//! TypeScript, TSX and JavaScript: one set of rules over three grammars whose node kinds mostly agree.
//!
//! [`kinds`] names the nodes. `declare` holds what all declarations share; `classes`, `types` and `variables` note
//! theirs, `object` the functions that object literals and assignments name, `imports` what comes from and goes to
//! other modules, `names` and `bindings` what each identifier is (a use with its role, or introduced). `expr` reads
//! receivers and written types, `expected` what the place of a value says about it, `jsdoc` what comments of JavaScript say, `narrow` what a condition says, and `mend` helps the grammars over what they do not know.

mod bindings;
mod classes;
mod declare;
mod expected;
mod expr;
mod imports;
mod jsdoc;
mod kinds;
mod mend;
mod module;
mod names;
mod narrow;
mod object;
mod prototypes;
#[cfg(test)]
mod tests;
mod types;
mod variables;

use cruxe_model::facts::{BindingKind, ScopeKind, Span};
use tree_sitter::{Language, Node};

use self::kinds::{Fields, K, KINDS};
use super::common::has_any;
use crate::language::{Depth, FrontEnd, LANGUAGE, LanguageDef, TEXT};
use crate::naming::{Locals, Members, Merging, NAMING, Naming, System};
use crate::recover::{BRACES, Lexis, Quotes};
use crate::registry::Kinds;
use crate::walk::{Cx, Rules, Trivia, Walk, span};

/// What JavaScript and TypeScript have in common.
pub(super) const ECMA: LanguageDef = LanguageDef {
    depth: Depth::Deep,
    module: module::module,
    is_test_path,
    is_test_name: |name| has_any(&name.to_ascii_lowercase(), &[".test.", ".spec."]),
    role_names: &["index"],
    naming: Naming {
        runs_unnamed: |name, _| name.starts_with('[') || matches!(name, "toJSON" | "toString" | "valueOf"),
        system: System::Ecma,
        imported: |_| "",
        exports_apart: true,
        locals: Locals::Everywhere,
        local_types: true,
        members: Members::Qualified,
        objects: true,
        free_methods: true,
        merging: Merging::InFile,
        own_type: Some("this"),
        impls: false,
        called_fields: true,
        function_values: true,
        decorators_run: true,
        constructors_inherited: true,
        assignments_define: true,
        unions: &["|", "&"],
        anything: &["any", "unknown", "object", "Object"],
        transparent: &["Partial", "Required", "Readonly", "Pick", "Omit", "NonNullable", "NoInfer"],
        promised: &["then", "catch", "finally"],
        prototype: Some("prototype"),
        constructor: Some("constructor"),
        everyday: "push pop shift unshift slice splice map filter reduce forEach find some every includes indexOf \
            join concat sort keys values entries get set has add delete clear size length toString valueOf \
            then catch finally split trim replace match test exec startsWith endsWith charAt substring \
            toLowerCase toUpperCase call apply bind name message stack cause log error warn info json text \
            blob body headers status url method ok append value next return throw done type target key data \
            id parse stringify on emit once off addEventListener removeEventListener dispatchEvent close \
            write read end pipe send open state props children style params query path code stop start \
            source flags index input groups getTime getReader pathname search hash host hostname port \
            protocol origin href constructor prototype format",
        ..NAMING
    },
    ..LANGUAGE
};

/// JavaScript, with JSX.
pub static JAVASCRIPT: LanguageDef = LanguageDef {
    id: "javascript",
    name: "javascript",
    extensions: &["js", "mjs", "cjs", "jsx"],
    interpreters: &["node", "deno", "bun"],
    front_end: FrontEnd::Grammar { grammar: || tree_sitter_javascript::LANGUAGE.into(), rules },
    ..ECMA
};

/// TypeScript without JSX, where `<T>x` is a cast.
pub static TYPESCRIPT: LanguageDef = LanguageDef {
    id: "typescript",
    name: "typescript",
    extensions: &["ts", "mts", "cts"],
    // Qt keeps its translations in files that are called the same.
    otherwise: |_, head| {
        let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
        let markup: [&[u8]; 3] = [b"<?xml", b"<!DOCTYPE", b"<TS version"];
        markup.iter().any(|start| head.starts_with(start)).then_some(&TEXT)
    },
    interpreters: &["ts-node", "tsx"],
    front_end: FrontEnd::Grammar { grammar: || tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(), rules },
    family: Some(&JAVASCRIPT),
    ..ECMA
};

/// TypeScript with JSX.
pub static TSX: LanguageDef = LanguageDef {
    id: "tsx",
    name: "typescript",
    extensions: &["tsx"],
    front_end: FrontEnd::Grammar { grammar: || tree_sitter_typescript::LANGUAGE_TSX.into(), rules },
    family: Some(&JAVASCRIPT),
    ..ECMA
};

/// Longer chains of nodes than this are not followed.
const MAX_STEPS: usize = 12;

struct Ecma {
    kinds: Kinds<K>,
    f: Fields,
    /// Fields of classes need no declaration.
    untyped: bool,
}

pub(super) fn rules(grammar: &Language) -> Box<dyn Rules> {
    let f = Fields::new(grammar);
    Box::new(Ecma { kinds: Kinds::new(grammar, KINDS), untyped: f.return_type == 0, f })
}

/// How declarations are found without the grammar.
static LEXIS: Lexis = Lexis {
    quotes: Quotes::Text,
    backticks: true,
    lines: true,
    types: &["class", "interface", "namespace", "module"],
    in_type: ("class X {", "}"),
    in_function: ("function f() {", "}"),
    ..BRACES
};

impl Rules for Ecma {
    fn lexis(&self) -> Option<&'static Lexis> {
        Some(&LEXIS)
    }

    fn trivia(&self, kind: u16, text: &str) -> Trivia {
        match self.kinds.get(kind) {
            K::Comment if is_directive(text) => Trivia::Comment,
            K::Comment => Trivia::Doc,
            K::Decorator => Trivia::Attribute,
            _ => Trivia::No,
        }
    }

    fn mend(&self, text: &str) -> Option<String> {
        mend::mend(text)
    }

    /// Flow's types, which JavaScript files may have, are close to TypeScript's.
    fn dialect(&self, _: &str) -> Option<&'static LanguageDef> {
        self.untyped.then_some(&TSX)
    }

    fn enter(&self, cx: &mut Cx) -> Walk {
        if self.may_be_narrowed(cx) {
            self.narrow(cx);
        }
        match self.kinds.get(cx.kind()) {
            K::Comment if self.untyped => {
                self.doc_comment(cx);
                return Walk::Skip;
            }
            K::Comment | K::ImportAttribute => return Walk::Skip,
            K::Import => return self.import(cx),
            K::ImportAlias => return self.import_alias(cx),
            K::Export => return self.export(cx),
            K::Ambient => self.ambient(cx),
            K::Function | K::FunctionSignature => self.function(cx),
            K::FunctionExpr => self.function_expression(cx),
            K::Return => self.returned(cx, self.first(&cx.node()), 1),
            K::Arrow => {
                let body = self.child(&cx.node(), self.f.body).filter(|body| self.kind(body) != K::Block);
                cx.open_scope(ScopeKind::Function);
                self.returned(cx, body, 0);
            }
            K::CallSignature | K::FunctionType | K::StaticBlock => cx.open_scope(ScopeKind::Function),
            K::Class => self.class(cx),
            K::ClassExpr => self.class_expression(cx),
            K::Method | K::MethodSignature => self.method(cx),
            K::Field => self.class_field(cx),
            K::PropertySignature => self.property_signature(cx),
            K::Interface => self.interface(cx),
            K::TypeAlias => self.type_alias(cx),
            K::Enum => self.enumeration(cx),
            K::EnumAssignment => self.variant(cx),
            K::Module => self.module(cx),
            K::NestedIdentifier if self.parent(cx) == K::Module && cx.field() == self.f.name => return Walk::Skip,
            K::Declarator => return self.declarator(cx),
            K::TypeParam | K::MappedClause => self.type_parameter(cx),
            K::ConditionalType => self.conditional_type(cx),
            K::Assign => {
                self.forget(cx, &cx.node());
                self.assignment(cx);
            }
            K::Pair => self.pair(cx),
            // `function (this: T, x) { … }` says what its `this` is.
            K::This if self.parent(cx) == K::Param && cx.field() == self.f.pattern => {
                let (node, scope) = (cx.node(), cx.current_scope());
                let ty = cx.parent().and_then(|param| self.declared_type(cx, &param));
                cx.bind(&node, scope, BindingKind::Local, ty, None);
            }
            K::Call => {
                self.inline_import(cx);
                self.given_members(cx);
            }
            K::Block if !self.shares_scope(cx) && !self.narrow(cx) => cx.open_scope(ScopeKind::Block),
            K::Loop | K::ForIn | K::Catch | K::SwitchBody | K::IndexSignature => cx.open_scope(ScopeKind::Block),
            K::Str | K::Number | K::ComputedName if self.parent(cx) == K::EnumBody => self.variant(cx),
            K::PropertyIdentifier if self.parent(cx) == K::EnumBody => self.variant(cx),
            K::Identifier | K::PropertyIdentifier | K::TypeIdentifier | K::Shorthand | K::ShorthandPattern => {
                self.name(cx);
            }
            _ => {}
        }
        Walk::Into
    }
}

impl Ecma {
    fn kind(&self, node: &Node) -> K {
        self.kinds.get(node.kind_id())
    }

    fn parent(&self, cx: &Cx) -> K {
        self.kinds.get(cx.parent_kind())
    }

    /// The kind of the `level`-th ancestor.
    fn outer(&self, cx: &Cx, level: usize) -> K {
        cx.ancestor(level).map_or(K::Other, |frame| self.kinds.get(frame.kind))
    }

    fn child<'t>(&self, node: &Node<'t>, field: u16) -> Option<Node<'t>> {
        node.child_by_field_id(field)
    }

    /// A block that is the body of something that has opened a scope already.
    fn shares_scope(&self, cx: &Cx) -> bool {
        matches!(
            self.parent(cx),
            K::Function
                | K::FunctionExpr
                | K::Arrow
                | K::Method
                | K::StaticBlock
                | K::Module
                | K::Ambient
                | K::Loop
                | K::ForIn
                | K::Catch
        )
    }

    /// The first named child that is no comment.
    fn first<'t>(&self, node: &Node<'t>) -> Option<Node<'t>> {
        let mut cursor = node.walk();
        node.named_children(&mut cursor).find(|child| self.kind(child) != K::Comment)
    }

    /// The value inside parentheses, casts and `!`.
    fn peel<'t>(&self, node: Node<'t>) -> Node<'t> {
        let mut node = node;
        for _ in 0..MAX_STEPS {
            let inner = match self.kind(&node) {
                K::Paren | K::Cast | K::NonNull | K::Instantiation => self.first(&node),
                K::TypeAssertion => node.named_child(1),
                _ => None,
            };
            match inner {
                Some(inner) => node = inner,
                None => break,
            }
        }
        node
    }

    /// The name that a property has: the inside of a string, otherwise the text.
    fn property_name(&self, node: &Node) -> Span {
        let span = span(node);
        match self.kind(node) {
            K::Str if span.end - span.start >= 2 => Span { start: span.start + 1, end: span.end - 1 },
            _ => span,
        }
    }
}

/// Comments that speak to tools, not to readers.
fn is_directive(comment: &str) -> bool {
    const WORDS: &[&str] = &[
        "@ts-",
        "eslint",
        "prettier-",
        "biome-",
        "tslint:",
        "jshint",
        "istanbul",
        "c8 ",
        "v8 ",
        "#region",
        "#endregion",
        "webpack",
        "deno-",
        "/ <",
        "global ",
        "#__",
        "@__",
        "@jsx",
    ];
    let text = comment.trim_start_matches("/*").trim_start_matches("//").trim_start();
    comment.starts_with("///") || WORDS.iter().any(|word| text.starts_with(word))
}

/// Whether everything in a file exists for tests, by the habits of Jest, Vitest and Mocha.
fn is_test_path(path: &str) -> bool {
    let (folders, file) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    stem.ends_with(".test")
        || stem.ends_with(".spec")
        || folders.split('/').any(|folder| matches!(folder, "__tests__" | "test" | "tests"))
}
