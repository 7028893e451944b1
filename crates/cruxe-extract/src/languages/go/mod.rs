//! Go: packages, receivers, embedded types.

mod expr;
mod module;
mod names;

use cruxe_model::SymbolKind;
use cruxe_model::facts::{
    Access, BindingKind, Expr, Import, Relation, Role, ScopeKind, Span, SymbolFlags, SymbolIndex, TypeId,
};
use tree_sitter::{Language, Node};

use super::common::stem;
use crate::build::Decl;
use crate::language::{Depth, FrontEnd, LANGUAGE, LanguageDef};
use crate::naming::{ALL_RELATIONS, Home, Locals, Members, Merging, NAMING, Naming, Relations, System, Told};
use crate::recover::{BRACES, Lexis};
use crate::registry::{Kinds, field};
use crate::walk::{Cx, Rules, Trivia, Walk, children, span};

/// The Go language.
pub static GO: LanguageDef = LanguageDef {
    id: "go",
    name: "go",
    depth: Depth::Deep,
    extensions: &["go"],
    front_end: FrontEnd::Grammar { grammar: || tree_sitter_go::LANGUAGE.into(), rules },
    module: module::module,
    is_test_path: |path| path.ends_with("_test.go"), // compiled only for tests
    is_test_name: |name| stem(name).ends_with("_test"),
    role_names: &["main"],
    naming: Naming {
        system: System::Go,
        imported: module::package_name,
        locals: Locals::Redeclared,
        members: Members::Qualified,
        free_methods: true,
        home: Home::Folder,
        merging: Merging::Never,
        open_values: false,
        own_type: None,
        open_types: false,
        impls: false,
        new_types: true,
        anything: &["any", "interface{}"],
        embeds: true,
        relations: Relations { decorators: Told::Never, ..ALL_RELATIONS },
        everyday: "Error String Read Write Close Len Less Swap Add Done Wait Lock Unlock RLock RUnlock Set Get Del \
            Name Type Kind Value Field Method Index Key Header Body URL Path Context Next Scan Text Bytes \
            Reset Printf Println Print Fatal Fatalf Errorf Run Helper Skip Log Logf Now Sub After Before \
            Format Unix Do Call Interface IsNil Elem Size Mode Flush Seek Start Stop Status StatusCode \
            ServeHTTP WriteHeader WriteString Unwrap Is As Parse Execute Open Create Find Match Copy Params \
            Host Port Scheme",
        ..NAMING
    },
    ..LANGUAGE
};

/// What the rules call the node kinds that they know.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum K {
    #[default]
    Other,
    Comment,
    Package,
    Import,
    Function,
    Method,
    MethodElem,
    FuncLiteral,
    TypeSpec,
    TypeAlias,
    ConstSpec,
    VarSpec,
    Field,
    TypeElem,
    Param,
    TypeParam,
    ShortVar,
    Range,
    Receive,
    TypeSwitch,
    Block,
    Call,
    Conversion,
    GenericType,
    FunctionType,
    Selector,
    QualifiedType,
    KeyedElement,
    LiteralElement,
    LiteralValue,
    CompositeLiteral,
    Assignment,
    IncDec,
    Index,
    ExpressionList,
    Identifier,
    FieldIdentifier,
    TypeIdentifier,
    PackageIdentifier,
    StructType,
    InterfaceType,
}

const KINDS: &[(&str, K)] = &[
    ("comment", K::Comment),
    ("package_clause", K::Package),
    ("import_spec", K::Import),
    ("function_declaration", K::Function),
    ("method_declaration", K::Method),
    ("method_elem", K::MethodElem),
    ("func_literal", K::FuncLiteral),
    ("type_spec", K::TypeSpec),
    ("type_alias", K::TypeAlias),
    ("const_spec", K::ConstSpec),
    ("var_spec", K::VarSpec),
    ("field_declaration", K::Field),
    ("type_elem", K::TypeElem),
    ("parameter_declaration", K::Param),
    ("variadic_parameter_declaration", K::Param),
    ("type_parameter_declaration", K::TypeParam),
    ("short_var_declaration", K::ShortVar),
    ("range_clause", K::Range),
    ("receive_statement", K::Receive),
    ("type_switch_statement", K::TypeSwitch),
    ("block", K::Block),
    ("expression_case", K::Block),
    ("type_case", K::Block),
    ("default_case", K::Block),
    ("communication_case", K::Block),
    ("if_statement", K::Block),
    ("for_statement", K::Block),
    ("expression_switch_statement", K::Block),
    ("call_expression", K::Call),
    ("type_conversion_expression", K::Conversion),
    ("generic_type", K::GenericType),
    ("function_type", K::FunctionType),
    ("selector_expression", K::Selector),
    ("qualified_type", K::QualifiedType),
    ("keyed_element", K::KeyedElement),
    ("literal_element", K::LiteralElement),
    ("literal_value", K::LiteralValue),
    ("composite_literal", K::CompositeLiteral),
    ("assignment_statement", K::Assignment),
    ("inc_statement", K::IncDec),
    ("dec_statement", K::IncDec),
    ("index_expression", K::Index),
    ("expression_list", K::ExpressionList),
    ("identifier", K::Identifier),
    ("field_identifier", K::FieldIdentifier),
    ("type_identifier", K::TypeIdentifier),
    ("package_identifier", K::PackageIdentifier),
    ("struct_type", K::StructType),
    ("interface_type", K::InterfaceType),
];

struct Go {
    kinds: Kinds<K>,
    name: u16,
    function: u16,
    field: u16,
    key: u16,
    left: u16,
    receiver: u16,
    alias: u16,
    arguments: u16,
    body: u16,
    element: u16,
    operand: u16,
    package: u16,
    path: u16,
    result: u16,
    right: u16,
    ty: u16,
    type_arguments: u16,
    value: u16,
}

fn rules(grammar: &Language) -> Box<dyn Rules> {
    Box::new(Go {
        kinds: Kinds::new(grammar, KINDS),
        name: field(grammar, "name"),
        function: field(grammar, "function"),
        field: field(grammar, "field"),
        key: field(grammar, "key"),
        left: field(grammar, "left"),
        receiver: field(grammar, "receiver"),
        alias: field(grammar, "alias"),
        arguments: field(grammar, "arguments"),
        body: field(grammar, "body"),
        element: field(grammar, "element"),
        operand: field(grammar, "operand"),
        package: field(grammar, "package"),
        path: field(grammar, "path"),
        result: field(grammar, "result"),
        right: field(grammar, "right"),
        ty: field(grammar, "type"),
        type_arguments: field(grammar, "type_arguments"),
        value: field(grammar, "value"),
    })
}

/// How declarations are found without the grammar.
static LEXIS: Lexis = Lexis {
    backticks: true,
    lines: true,
    types: &["struct", "interface", "import", "const", "var", "type"],
    in_type: ("type X struct {", "}"),
    in_function: ("func f() {", "}"),
    ..BRACES
};

impl Rules for Go {
    fn lexis(&self) -> Option<&'static Lexis> {
        Some(&LEXIS)
    }

    fn trivia(&self, kind: u16, text: &str) -> Trivia {
        match self.kinds.get(kind) {
            // Orders to tools document nothing.
            K::Comment if ["//go:", "//line ", "//nolint", "// +build"].iter().any(|word| text.starts_with(word)) => {
                Trivia::Comment
            }
            K::Comment => Trivia::Doc,
            _ => Trivia::No,
        }
    }

    fn enter(&self, cx: &mut Cx) -> Walk {
        match self.kinds.get(cx.kind()) {
            K::Package => self.package(cx),
            K::Import => self.import(cx),
            K::Function => self.function(cx, SymbolKind::Fn),
            K::Method => self.function(cx, SymbolKind::Method),
            K::MethodElem => self.function(cx, SymbolKind::Method),
            K::FuncLiteral => cx.open_scope(ScopeKind::Function),
            K::TypeSpec | K::TypeAlias => self.type_spec(cx),
            K::ConstSpec => self.values(cx, SymbolKind::Const),
            K::VarSpec => self.values(cx, SymbolKind::Variable),
            K::Field => self.field_declaration(cx),
            K::TypeElem => self.embedded_interface(cx),
            K::Param => self.parameter(cx),
            K::TypeParam => self.type_parameter(cx),
            K::ShortVar => self.short_var(cx),
            K::Range => self.range(cx),
            K::Receive => self.receive(cx),
            K::TypeSwitch => self.type_switch(cx),
            K::Block => cx.open_scope(ScopeKind::Block),
            K::Identifier | K::FieldIdentifier | K::TypeIdentifier | K::PackageIdentifier => self.identifier(cx),
            _ => {}
        }
        Walk::Into
    }
}

fn access(name: &str) -> Access {
    if name.chars().next().is_some_and(char::is_uppercase) { Access::Public } else { Access::Private }
}

impl Go {
    /// The package clause gives the last part of the module its name (`auth_test`, `chi` at a module's root).
    fn package(&self, cx: &mut Cx) {
        let Some(name) = cx.node().named_child(0) else { return };
        let name = cx.text_of(&name);
        let module = cx.module().to_owned();
        cx.set_module(match (module.rsplit_once('/'), name) {
            (_, "main") if !module.is_empty() => module,
            (Some((outer, _)), name) => format!("{outer}/{name}"),
            (None, name) => name.to_owned(),
        });
    }

    fn import(&self, cx: &mut Cx) {
        let node = cx.node();
        let Some(path) = node.child_by_field_id(self.path) else { return };
        let quoted = span(&path);
        let inside = Span { start: quoted.start + 1, end: quoted.end.saturating_sub(1) };
        let text = cx.slice(inside);
        let alias_node = node.child_by_field_id(self.name);
        let alias = alias_node.map(|name| cx.text_of(&name));
        let decl = Decl::new(SymbolKind::Use, text, inside, span(&node));
        cx.declare(decl);
        let module = cx.name(text);
        let glob = alias == Some(".");
        let name = alias.filter(|alias| !glob && *alias != "_");
        let alias = name.map(|name| cx.name(name));
        let start = alias_node.map_or(inside.start, |node| node.start_byte() as u32);
        let scope = cx.current_scope();
        cx.import(Import { module, name: None, alias, glob, reexport: false, start, scope });
        let last = text.rsplit('/').next().unwrap_or(text);
        cx.occurrence_at(last, inside.end - last.len() as u32, Role::Import, None);
    }

    fn function(&self, cx: &mut Cx, kind: SymbolKind) {
        let node = cx.node();
        let Some(name) = node.child_by_field_id(self.name) else { return };
        let text = cx.text_of(&name);
        let body = node.child_by_field_id(self.body);
        let receiver = node.child_by_field_id(self.receiver).and_then(|list| self.receiver_type(&list));
        let owner = receiver.map(|ty| cx.text_of(&ty).to_owned());
        let result = node.child_by_field_id(self.result).and_then(|ty| self.result_type(cx, &ty));
        let mut decl = Decl::new(kind, text, span(&name), span(&node)).leading(cx.leading(&node));
        decl.signature_end = Some(body.map_or(node.end_byte(), |body| body.start_byte()) as u32);
        decl.access = access(text);
        decl.ty = result;
        decl.qualifier = owner.as_deref();
        decl.flags = SymbolFlags { test: cx.is_test_file(), declaration: body.is_none(), ..SymbolFlags::default() };
        let symbol = cx.declare(decl);
        if let Some(ty) = receiver.and_then(|ty| self.type_ref(cx, &ty)) {
            cx.heritage(symbol, Relation::SelfType, ty);
        }
        cx.open_symbol(symbol);
        cx.open_scope(ScopeKind::Function);
    }

    /// `T` of `(t *T)`, `(t T[K])`.
    fn receiver_type<'t>(&self, list: &Node<'t>) -> Option<Node<'t>> {
        let mut ty = list.named_child(0)?.child_by_field_id(self.ty)?;
        while !matches!(self.kinds.get(ty.kind_id()), K::TypeIdentifier) {
            ty = ty.child_by_field_id(self.ty).or_else(|| ty.named_child(0))?;
        }
        Some(ty)
    }

    fn type_spec(&self, cx: &mut Cx) {
        let node = cx.node();
        let (Some(name), Some(ty)) = (node.child_by_field_id(self.name), node.child_by_field_id(self.ty)) else {
            return;
        };
        let (kind, end) = match self.kinds.get(ty.kind_id()) {
            K::StructType => (SymbolKind::Struct, ty.start_byte() + "struct".len()),
            K::InterfaceType => (SymbolKind::Interface, ty.start_byte() + "interface".len()),
            _ => (SymbolKind::Type, node.end_byte()),
        };
        let text = cx.text_of(&name);
        let outer = self.declaration(cx, &node);
        let mut decl = Decl::new(kind, text, span(&name), outer).leading(self.leading(cx, &node));
        decl.full_span.start = decl.full_span.start.min(outer.start);
        decl.signature_end = Some(end as u32);
        decl.access = access(text);
        decl.ty = if kind == SymbolKind::Type { self.type_ref(cx, &ty) } else { None };
        decl.flags.test = cx.is_test_file();
        let symbol = cx.declare(decl);
        cx.open_symbol(symbol);
        if kind != SymbolKind::Type {
            cx.open_scope(ScopeKind::Type);
        }
    }

    fn values(&self, cx: &mut Cx, kind: SymbolKind) {
        let node = cx.node();
        let ty = node.child_by_field_id(self.ty).and_then(|ty| self.type_ref(cx, &ty));
        let values = node.child_by_field_id(self.value);
        let local = cx.scope_kind(cx.current_scope()) != ScopeKind::File;
        let outer = self.declaration(cx, &node);
        let leading = self.leading(cx, &node);
        let mut cursor = node.walk();
        for (at, name) in children(&node, self.name, &mut cursor).enumerate() {
            if local {
                let value = values.and_then(|list| self.value_at(cx, &list, at));
                let scope = cx.current_scope();
                cx.bind(&name, scope, BindingKind::Local, ty, value);
                continue;
            }
            let text = cx.text_of(&name);
            if text == "_" {
                continue;
            }
            let value = values.and_then(|list| list.named_child(at as u32));
            let function = value.filter(|value| self.kinds.get(value.kind_id()) == K::FuncLiteral);
            let kind = if function.is_some() { SymbolKind::Fn } else { kind };
            let body = function.and_then(|function| function.child_by_field_id(self.body));
            let mut decl = Decl::new(kind, text, span(&name), outer).leading(leading);
            decl.signature_end = Some(body.map_or(outer.end, |body| body.start_byte() as u32));
            decl.access = access(text);
            decl.flags.test = cx.is_test_file();
            decl.ty = match function.and_then(|function| function.child_by_field_id(self.result)) {
                Some(result) => self.result_type(cx, &result),
                None => ty.or_else(|| self.literal_type(cx, &value?)),
            };
            if decl.ty.is_none() {
                let value = values.and_then(|list| self.value_at(cx, &list, at));
                decl.value = value.filter(|value| *cx.expr_at(*value) != Expr::Unknown);
            }
            cx.declare(decl);
        }
    }

    /// The `type`, `const` or `var` declaration of a spec that stands alone in it, without parentheses: the spec begins
    /// at that keyword.
    fn alone<'t>(&self, cx: &Cx<'_, '_, 't>) -> Option<Node<'t>> {
        let parent = cx.parent().filter(|parent| parent.kind().ends_with("_declaration"))?;
        let grouped = parent.child(1).is_some_and(|second| second.kind() == "(");
        (parent.named_child_count() == 1 && !grouped).then_some(parent)
    }

    fn declaration(&self, cx: &Cx, node: &Node) -> Span {
        self.alone(cx).map_or(span(node), |parent| span(&parent))
    }

    fn leading<'t>(&self, cx: &Cx<'_, '_, 't>, node: &Node<'t>) -> Option<crate::walk::Leading> {
        self.alone(cx).map_or_else(|| cx.leading(node), |parent| cx.leading(&parent))
    }

    /// A named field, or an embedded type, which is a field and a super type at once.
    fn field_declaration(&self, cx: &mut Cx) {
        let node = cx.node();
        let ty_node = node.child_by_field_id(self.ty);
        let ty = ty_node.and_then(|ty| self.type_ref(cx, &ty));
        let mut cursor = node.walk();
        let mut named = false;
        for name in children(&node, self.name, &mut cursor) {
            named = true;
            let symbol = self.field_symbol(cx, &node, &name, ty);
            let nested = ty_node.is_some_and(|ty| self.kinds.get(ty.kind_id()) == K::StructType);
            if let Some(symbol) = symbol.filter(|_| nested) {
                cx.open_symbol(symbol);
            }
        }
        if let (false, Some(ty_node), Some(symbol)) = (named, ty_node, cx.current_symbol()) {
            if let Some(ty) = ty {
                cx.heritage(symbol, Relation::Extends, ty);
            }
            if let Some(name) = self.last_type_name(&ty_node) {
                self.field_symbol(cx, &node, &name, ty);
            }
        }
    }

    fn field_symbol<'t>(
        &self,
        cx: &mut Cx<'_, '_, 't>,
        node: &Node<'t>,
        name: &Node<'t>,
        ty: Option<TypeId>,
    ) -> Option<SymbolIndex> {
        if !matches!(cx.current_kind(), Some(SymbolKind::Struct | SymbolKind::Field)) {
            return None; // a field of an anonymous struct has no name to be found by
        }
        let text = cx.text_of(name);
        let mut decl = Decl::new(SymbolKind::Field, text, span(name), span(node)).leading(cx.leading(node));
        decl.signature_end = Some(node.end_byte() as u32);
        decl.access = access(text);
        decl.ty = ty;
        decl.flags.test = cx.is_test_file();
        Some(cx.declare(decl))
    }

    fn embedded_interface(&self, cx: &mut Cx) {
        let node = cx.node();
        let interface = cx.parent().is_some_and(|parent| self.kinds.get(parent.kind_id()) == K::InterfaceType);
        let single = node.named_child_count() == 1;
        let embedded = node.named_child(0).filter(|_| interface && single).and_then(|ty| self.type_ref(cx, &ty));
        if let (Some(symbol), Some(ty)) = (cx.current_symbol(), embedded) {
            cx.heritage(symbol, Relation::Extends, ty);
        }
    }

    fn parameter(&self, cx: &mut Cx) {
        let node = cx.node();
        if cx.ancestor(2).is_some_and(|frame| self.kinds.get(frame.kind) == K::FunctionType) {
            return; // the names in a function's type mean nothing
        }
        let ty = match node.child_by_field_id(self.ty) {
            ty if node.kind().starts_with("variadic") => self.unnamed(cx, "[]", ty, 0),
            ty => ty.and_then(|ty| self.type_ref(cx, &ty)),
        };
        let scope = cx.current_scope();
        let mut cursor = node.walk();
        for name in children(&node, self.name, &mut cursor) {
            cx.bind(&name, scope, BindingKind::Param, ty, None);
        }
    }

    fn type_parameter(&self, cx: &mut Cx) {
        let node = cx.node();
        let ty = node.child_by_field_id(self.ty).and_then(|ty| ty.named_child(0));
        let ty = ty.and_then(|ty| self.type_ref(cx, &ty));
        let scope = cx.current_scope();
        let mut cursor = node.walk();
        for name in children(&node, self.name, &mut cursor) {
            cx.bind(&name, scope, BindingKind::TypeParam, ty, None);
        }
    }

    fn short_var(&self, cx: &mut Cx) {
        let node = cx.node();
        let (Some(left), right) = (node.child_by_field_id(self.left), node.child_by_field_id(self.right)) else {
            return;
        };
        let scope = cx.current_scope();
        for at in 0..left.named_child_count() as u32 {
            let Some(name) = left.named_child(at) else { continue };
            let value = right.and_then(|list| self.value_at(cx, &list, at as usize));
            cx.bind(&name, scope, BindingKind::Local, None, value);
        }
    }

    fn range(&self, cx: &mut Cx) {
        let node = cx.node();
        let Some(left) = node.child_by_field_id(self.left).filter(|_| defines(&node)) else { return };
        let value = node.child_by_field_id(self.right).map(|right| self.expr(cx, &right, 0));
        let scope = cx.current_scope();
        for at in 0..left.named_child_count() as u32 {
            let Some(name) = left.named_child(at) else { continue };
            let kind = if at == 1 { BindingKind::Element } else { BindingKind::Local };
            cx.bind(&name, scope, kind, None, if at == 1 { value } else { None });
        }
    }

    /// `case v, ok := <-values:`
    fn receive(&self, cx: &mut Cx) {
        let node = cx.node();
        let Some(left) = node.child_by_field_id(self.left).filter(|_| defines(&node)) else { return };
        let channel = node.child_by_field_id(self.right).and_then(|right| right.child_by_field_id(self.operand));
        let value = channel.map(|channel| self.expr(cx, &channel, 0));
        let scope = cx.current_scope();
        let mut cursor = left.walk();
        for (at, name) in left.named_children(&mut cursor).enumerate() {
            let kind = if at == 0 { BindingKind::Element } else { BindingKind::Local };
            cx.bind(&name, scope, kind, None, value.filter(|_| at == 0));
        }
    }

    fn type_switch(&self, cx: &mut Cx) {
        cx.open_scope(ScopeKind::Block);
        let node = cx.node();
        let value = node.child_by_field_id(self.value).map(|value| self.expr(cx, &value, 0));
        let scope = cx.current_scope();
        if let Some(name) = node.child_by_field_id(self.alias).and_then(|list| list.named_child(0)) {
            cx.bind(&name, scope, BindingKind::Local, None, value);
        }
    }
}

/// Whether a clause with a left side introduces names (`:=`) or assigns to them (`=`).
fn defines(clause: &Node) -> bool {
    clause.child(1).is_some_and(|operator| operator.kind() == ":=")
}

#[cfg(test)]
mod tests;
