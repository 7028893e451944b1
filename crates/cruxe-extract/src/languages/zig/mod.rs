//! Zig: types are constants, files are structures.

mod expected;
mod expr;

use cruxe_model::SymbolKind;
use cruxe_model::facts::{Access, BindingKind, Expr, Import, Role, ScopeKind, Span, SymbolFlags};
use tree_sitter::{Language, Node};

use super::common;
use crate::build::Decl;
use crate::language::{FrontEnd, LANGUAGE, LanguageDef};
use crate::naming::{ALL_RELATIONS, NAMING, Naming, Relations, Told};
use crate::place::by_path;
use crate::recover::{BRACES, Lexis};
use crate::registry::{Kinds, field};
use crate::walk::{Cx, Rules, Trivia, Walk, span};

/// The Zig language.
pub static ZIG: LanguageDef = LanguageDef {
    id: "zig",
    name: "zig",
    extensions: &["zig"],
    front_end: FrontEnd::Grammar { grammar: || tree_sitter_zig::LANGUAGE.into(), rules },
    module: |_, path| by_path(path, &["root", "main"], "."),
    naming: Naming {
        files: imported,
        foreign: &["std", "builtin", "root"],
        files_are_values: true,
        explicit_self: true,
        everyday: EVERYDAY,
        meta: Some("type"),
        local_types: true,
        relations: Relations { heritage: Told::Never, decorators: Told::Never, ..ALL_RELATIONS },
        ..NAMING
    },
    ..LANGUAGE
};

/// What lists, maps, readers, writers and allocators of the standard library have.
const EVERYDAY: &str = "add alloc allocator append appendSlice buffer bytes capacity clear clone close contains count create \
    deinit destroy dupe eql find first flush format free get getOrPut hash init insert items iterator keys last len lock \
    name next open pop print ptr put read readAll remove reset resize run seek set size slice start stop swap toOwnedSlice \
    type unlock value values wait write writeAll";

/// The file that `@import("a.zig")` means; any other name is a package's.
fn imported(module: &str) -> Vec<String> {
    if module.ends_with(".zig") { vec![module.to_owned()] } else { Vec::new() }
}

/// What the rules call the node kinds that they know.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum K {
    #[default]
    Other,
    Comment,
    Variable,
    Function,
    Test,
    Container,
    ErrorSet,
    Field,
    Parameter,
    Payload,
    Block,
    Using,
    Builtin,
    Call,
    Member,
    Assignment,
    Initializer,
    StructInitializer,
    FieldInitializer,
    TypeWrapper,
    Label,
    Identifier,
}

const KINDS: &[(&str, K)] = &[
    ("comment", K::Comment),
    ("variable_declaration", K::Variable),
    ("function_declaration", K::Function),
    ("test_declaration", K::Test),
    ("struct_declaration", K::Container),
    ("enum_declaration", K::Container),
    ("union_declaration", K::Container),
    ("opaque_declaration", K::Container),
    ("error_set_declaration", K::ErrorSet),
    ("container_field", K::Field),
    ("parameter", K::Parameter),
    ("payload", K::Payload),
    ("block", K::Block),
    ("if_statement", K::Block),
    ("if_expression", K::Block),
    ("for_statement", K::Block),
    ("for_expression", K::Block),
    ("while_statement", K::Block),
    ("while_expression", K::Block),
    ("switch_case", K::Block),
    ("catch_expression", K::Block),
    ("using_namespace_declaration", K::Using),
    ("builtin_function", K::Builtin),
    ("call_expression", K::Call),
    ("field_expression", K::Member),
    ("assignment_expression", K::Assignment),
    ("initializer_list", K::Initializer),
    ("struct_initializer", K::StructInitializer),
    ("field_initializer", K::FieldInitializer),
    ("pointer_type", K::TypeWrapper),
    ("slice_type", K::TypeWrapper),
    ("array_type", K::TypeWrapper),
    ("nullable_type", K::TypeWrapper),
    ("error_union_type", K::TypeWrapper),
    ("block_label", K::Label),
    ("break_label", K::Label),
    ("identifier", K::Identifier),
];

struct Zig {
    kinds: Kinds<K>,
    name: u16,
    ty: u16,
    function: u16,
    object: u16,
    member: u16,
    left: u16,
}

fn rules(grammar: &Language) -> Box<dyn Rules> {
    Box::new(Zig {
        kinds: Kinds::new(grammar, KINDS),
        name: field(grammar, "name"),
        ty: field(grammar, "type"),
        function: field(grammar, "function"),
        object: field(grammar, "object"),
        member: field(grammar, "member"),
        left: field(grammar, "left"),
    })
}

/// How declarations are found without the grammar.
static LEXIS: Lexis = Lexis {
    types: &["struct", "enum", "union", "opaque"],
    in_type: ("const X = struct {", "};"),
    in_function: ("fn f() void {", "}"),
    ..BRACES
};

impl Rules for Zig {
    fn lexis(&self) -> Option<&'static Lexis> {
        Some(&LEXIS)
    }

    fn trivia(&self, kind: u16, text: &str) -> Trivia {
        match self.kinds.get(kind) {
            K::Comment if text.starts_with("///") && !text.starts_with("////") => Trivia::Doc,
            K::Comment => Trivia::Comment,
            _ => Trivia::No,
        }
    }

    fn enter(&self, cx: &mut Cx) -> Walk {
        match self.kinds.get(cx.kind()) {
            K::Variable => self.variable(cx),
            K::Function => self.function(cx),
            K::Test => self.test(cx),
            K::Container => cx.open_scope(ScopeKind::Type),
            K::Field => self.container_field(cx),
            K::Parameter => self.parameter(cx),
            K::Block => cx.open_scope(ScopeKind::Block),
            K::Builtin => self.builtin(cx),
            K::Identifier => self.identifier(cx),
            _ => {}
        }
        Walk::Into
    }
}

/// A declared name with its type.
struct Header<'t> {
    name: Node<'t>,
    ty: Option<Node<'t>>,
}

/// `pub const a: T = value`, and `const a, b = value`.
#[derive(Default)]
struct Declared<'t> {
    headers: Vec<Header<'t>>,
    constant: bool,
    value: Option<Node<'t>>,
}

impl Zig {
    fn is(&self, node: &Node, kind: K) -> bool {
        self.kinds.get(node.kind_id()) == kind
    }

    fn declared<'t>(&self, node: &Node<'t>) -> Declared<'t> {
        let mut declared = Declared::default();
        let mut cursor = node.walk();
        let (mut next_is_name, mut after) = (false, false);
        let mut more = cursor.goto_first_child();
        while more {
            let child = cursor.node();
            match child.kind() {
                "const" | "var" => {
                    next_is_name = true;
                    declared.constant = child.kind() == "const";
                }
                "=" => after = true,
                _ if !child.is_named() => {}
                _ if after => declared.value = Some(child),
                "identifier" if next_is_name => {
                    next_is_name = false;
                    declared.headers.push(Header { name: child, ty: None });
                }
                _ if cursor.field_id().is_some_and(|id| id.get() == self.ty) => {
                    if let Some(header) = declared.headers.last_mut() {
                        header.ty = Some(child);
                    }
                }
                _ => {}
            }
            more = cursor.goto_next_sibling();
        }
        declared
    }

    /// Whether the current node stands in a file or type, not in a function.
    fn at_container_level(&self, cx: &Cx) -> bool {
        matches!(cx.scope_kind(cx.current_scope()), ScopeKind::File | ScopeKind::Type)
    }

    fn variable(&self, cx: &mut Cx) {
        let node = cx.node();
        let declared = self.declared(&node);
        if !self.at_container_level(cx) {
            let value = declared.value.map(|value| self.expr(cx, &value, 0));
            for header in &declared.headers {
                let ty = header.ty.and_then(|ty| self.type_ref(cx, &ty, 0));
                let scope = cx.current_scope();
                cx.bind(&header.name, scope, BindingKind::Local, ty, value);
            }
            if let (Some(value), [header]) = (declared.value, declared.headers.as_slice())
                && matches!(self.kinds.get(value.kind_id()), K::Container)
            {
                self.constant(cx, header, &declared);
            }
            return;
        }
        if declared.value.is_some_and(|value| self.imported(cx, &value).is_some()) {
            return; // the import declares it
        }
        if self.names_import(cx, &declared) {
            return;
        }
        for header in &declared.headers {
            self.constant(cx, header, &declared);
        }
    }

    /// `const Order = order.Order;` behind `const order = @import("order.zig");` imports `Order`; tells whether it is that.
    fn names_import(&self, cx: &mut Cx, declared: &Declared) -> bool {
        let ([header], Some(value)) = (declared.headers.as_slice(), declared.value) else { return false };
        let object = value.child_by_field_id(self.object).filter(|_| self.is(&value, K::Member));
        let Some((object, member)) = object.zip(value.child_by_field_id(self.member)) else { return false };
        let same = cx.text_of(&member) == cx.text_of(&header.name);
        let Some(module) = cx.imported_as(cx.text_of(&object)).filter(|_| same) else { return false };
        let public = cx.text_of(&cx.node()).starts_with("pub");
        let (name, alias, scope) = (Some(cx.name_of(&member)), Some(cx.name_of(&header.name)), cx.current_scope());
        let start = header.name.start_byte() as u32;
        cx.import(Import { module, name, alias, glob: false, reexport: public, start, scope });
        true
    }

    fn constant(&self, cx: &mut Cx, header: &Header, declared: &Declared) {
        let node = cx.node();
        let text = cx.text_of(&header.name);
        let kind = self.kind_of(cx, text, declared);
        let mut decl = Decl::new(kind, text, span(&header.name), span(&node)).leading(cx.leading(&node));
        let container =
            declared.value.filter(|value| matches!(self.kinds.get(value.kind_id()), K::Container | K::ErrorSet));
        let long = node.end_byte() - node.start_byte() > 160;
        decl.signature_end = Some(match (container, declared.value) {
            (Some(container), _) => brace(&container),
            (None, Some(value)) if long => value.start_byte() as u32,
            _ => node.end_byte() as u32,
        });
        (decl.visibility, decl.access) = visibility(cx.text_of(&node));
        decl.ty = match header.ty {
            Some(ty) => self.type_ref(cx, &ty, 0),
            None if kind == SymbolKind::Type => declared.value.and_then(|value| self.type_ref(cx, &value, 0)),
            None => None,
        };
        let symbol = cx.declare(decl);
        if let Some(value) =
            declared.value.filter(|_| kind != SymbolKind::Type && header.ty.is_none() && container.is_none())
        {
            let value = self.expr(cx, &value, 0);
            if !matches!(cx.expr_at(value), Expr::Unknown) {
                cx.amend(symbol, |symbol| symbol.value = Some(value));
            }
        }
        cx.open_symbol(symbol);
        if let Some(errors) = container.filter(|value| self.is(value, K::ErrorSet)) {
            self.errors(cx, &errors);
        }
    }

    fn kind_of(&self, cx: &Cx, name: &str, declared: &Declared) -> SymbolKind {
        let Some(value) = declared.value else { return SymbolKind::Variable };
        let upper = name.starts_with(char::is_uppercase);
        match value.kind() {
            "struct_declaration" | "opaque_declaration" => SymbolKind::Struct,
            "enum_declaration" | "error_set_declaration" => SymbolKind::Enum,
            "union_declaration" => SymbolKind::Union,
            "builtin_function" if cx.text_of(&value).starts_with("@This") => SymbolKind::Type,
            "identifier" | "field_expression" | "call_expression" if upper && declared.constant => SymbolKind::Type,
            _ if declared.constant => SymbolKind::Const,
            _ => SymbolKind::Variable,
        }
    }

    fn errors(&self, cx: &mut Cx, set: &Node) {
        let mut cursor = set.walk();
        for name in set.named_children(&mut cursor).filter(|name| self.is(name, K::Identifier)) {
            let mut decl = Decl::new(SymbolKind::Variant, cx.text_of(&name), span(&name), span(&name));
            decl.access = Access::Public;
            cx.declare(decl);
        }
    }

    fn function(&self, cx: &mut Cx) {
        let node = cx.node();
        let Some(name) = node.child_by_field_id(self.name) else { return };
        let body = node.child_by_field_name("body");
        let ty = node.child_by_field_id(self.ty).and_then(|ty| self.type_ref(cx, &ty, 0));
        let mut decl =
            Decl::new(SymbolKind::Fn, cx.text_of(&name), span(&name), span(&node)).leading(cx.leading(&node));
        decl.signature_end = Some(body.map_or(node.end_byte(), |body| body.start_byte()) as u32);
        (decl.visibility, decl.access) = visibility(cx.text_of(&node));
        decl.ty = ty;
        let member = matches!(cx.current_kind(), Some(SymbolKind::Struct | SymbolKind::Enum | SymbolKind::Union));
        let receiver = self.takes_self(cx, &node);
        decl.flags =
            SymbolFlags { declaration: body.is_none(), associated: member && !receiver, ..SymbolFlags::default() };
        let symbol = cx.declare(decl);
        cx.open_symbol(symbol);
        cx.open_scope(ScopeKind::Function);
    }

    /// Whether the first parameter is a value of the type that the function stands in.
    fn takes_self(&self, cx: &Cx, node: &Node) -> bool {
        let mut cursor = node.walk();
        let list = node.named_children(&mut cursor).find(|child| child.kind() == "parameters");
        let Some(first) = list.and_then(|list| list.named_child(0)) else { return false };
        let text = |field| first.child_by_field_id(field).map_or("", |node: Node| cx.text_of(&node));
        let ty = text(self.ty).trim_start_matches(['*', '?']).trim_start_matches("const ");
        let owner = cx.current_symbol().map_or("", |at| cx.symbol_at(at).name.as_str());
        text(self.name) == "self" || matches!(ty, "Self" | "@This()") || (!owner.is_empty() && ty == owner)
    }

    fn test(&self, cx: &mut Cx) {
        let node = cx.node();
        let Some(name) = node.named_child(0).filter(|name| !self.is(name, K::Block)) else {
            return cx.open_scope(ScopeKind::Function);
        };
        let at = common::plain_string(&name, "string_content").unwrap_or(span(&name));
        let mut decl = Decl::new(SymbolKind::Fn, cx.slice(at), at, span(&node)).leading(cx.leading(&node));
        decl.signature_end = Some(name.end_byte() as u32);
        decl.flags = SymbolFlags { test: true, ..SymbolFlags::default() };
        let symbol = cx.declare(decl);
        cx.open_symbol(symbol);
        cx.open_scope(ScopeKind::Function);
    }

    fn container_field(&self, cx: &mut Cx) {
        let node = cx.node();
        let Some(name) = node.child_by_field_id(self.name).filter(|name| self.is(name, K::Identifier)) else { return };
        let variant = cx.parent().is_some_and(|parent| parent.kind() == "enum_declaration");
        let kind = if variant { SymbolKind::Variant } else { SymbolKind::Field };
        let mut decl = Decl::new(kind, cx.text_of(&name), span(&name), span(&node)).leading(cx.leading(&node));
        decl.signature_end = Some(node.end_byte() as u32);
        decl.access = Access::Public;
        decl.ty = node.child_by_field_id(self.ty).and_then(|ty| self.type_ref(cx, &ty, 0));
        let symbol = cx.declare(decl);
        cx.open_symbol(symbol); // a field can be of a type that has no name
    }

    fn parameter(&self, cx: &mut Cx) {
        let node = cx.node();
        let Some(name) = node.child_by_field_id(self.name) else { return };
        let ty = node.child_by_field_id(self.ty);
        let generic = ty.is_some_and(|ty| cx.text_of(&ty) == "type");
        let kind = if generic { BindingKind::TypeParam } else { BindingKind::Param };
        let ty = ty.filter(|_| !generic).and_then(|ty| self.type_ref(cx, &ty, 0));
        let scope = cx.current_scope();
        cx.bind(&name, scope, kind, ty, None);
    }

    /// The string of `@import("x")`, and the names behind it in `@import("x").a.b`.
    fn imported<'t>(&self, cx: &Cx, node: &Node<'t>) -> Option<(Span, Option<Node<'t>>)> {
        let (mut node, mut last) = (*node, None);
        for _ in 0..8 {
            match self.kinds.get(node.kind_id()) {
                K::Member => {
                    last = last.or(node.child_by_field_id(self.member));
                    node = node.child_by_field_id(self.object)?;
                }
                K::Builtin => {
                    let word = node.named_child(0)?;
                    let string = node.named_child(1)?.named_child(0)?;
                    let path = common::plain_string(&string, "string_content")?;
                    return (cx.text_of(&word) == "@import").then_some((path, last));
                }
                _ => return None,
            }
        }
        None
    }

    fn builtin(&self, cx: &mut Cx) {
        let node = cx.node();
        let Some((path, _)) = self.imported(cx, &node) else { return };
        // Up through `.a.b` to the declaration that the import is the value of.
        let mut level = 1;
        while level < 8 && cx.ancestor(level).is_some_and(|frame| self.kinds.get(frame.kind) == K::Member) {
            level += 1;
        }
        let value = cx.ancestor(level - 1).map_or(node, |frame| frame.node);
        let outer = cx.ancestor(level).map(|frame| frame.node);
        let declaration = outer.filter(|outer| self.is(outer, K::Variable));
        let declared = declaration.map(|node| self.declared(&node)).unwrap_or_default();
        let alias = declared.headers.first().map(|header| header.name);
        let name = self.imported(cx, &value).and_then(|(_, last)| last).map(|name| cx.name_of(&name));
        let text = cx.slice(path);
        let glob = outer.is_some_and(|outer| self.is(&outer, K::Using));
        let whole = declaration.filter(|_| self.at_container_level(cx)).unwrap_or(node);
        let public = cx.text_of(&whole).starts_with("pub");
        let mut decl = Decl::new(SymbolKind::Use, text, path, span(&whole));
        (decl.visibility, decl.access) = visibility(cx.text_of(&whole));
        cx.declare(decl);
        let start = alias.map_or(path.start, |alias| alias.start_byte() as u32);
        let (module, alias, scope) = (cx.name(text), alias.map(|alias| cx.name_of(&alias)), cx.current_scope());
        cx.import(Import { module, name, alias, glob, reexport: public, start, scope });
        let last = text.rsplit('/').next().unwrap_or(text);
        cx.occurrence_at(last, path.end - last.len() as u32, Role::Import, None);
    }

    fn identifier(&self, cx: &mut Cx) {
        let node = cx.node();
        let (Some(parent), field) = (cx.parent(), cx.field()) else { return };
        let (role, receiver) = match self.kinds.get(parent.kind_id()) {
            K::Function | K::Parameter | K::Field if field == self.name => return,
            K::ErrorSet if self.is_declared(cx) => return,
            K::Label => return,
            K::Test => (Role::Value, None),
            K::Payload => {
                let (value, scope) = (self.unpacked(cx), cx.current_scope());
                return cx.bind(&node, scope, BindingKind::Local, None, value);
            }
            K::Variable => match self.place(&parent, &node) {
                Part::Name => return,
                Part::Target if cx.text_of(&node) == "_" => return,
                Part::Target => (Role::Write, None),
                Part::Type => (Role::Type, None),
                Part::Value => (Role::Value, None),
            },
            K::Assignment if field == self.left => (Role::Write, None),
            K::Call if field == self.function => (Role::Call, None),
            K::Member if field == self.member => {
                let object = parent.child_by_field_id(self.object).map(|object| self.expr(cx, &object, 0));
                (self.member_role(cx, &parent), object.or_else(|| self.expected(cx, 1)))
            }
            K::FieldInitializer if parent.named_child(0).is_some_and(|name| name.id() == node.id()) => {
                (Role::Key, self.expected(cx, 0))
            }
            K::StructInitializer => (Role::Make, None),
            K::TypeWrapper => (Role::Type, None),
            _ if field == self.ty => (Role::Type, None),
            _ => (Role::Value, None),
        };
        if !matches!(cx.text_of(&node), "_" | "self") {
            cx.occurrence(&node, role, receiver);
        }
    }

    /// The names of an error set that has a name are symbols.
    fn is_declared(&self, cx: &Cx) -> bool {
        cx.current_kind() == Some(SymbolKind::Enum)
    }

    fn member_role(&self, cx: &Cx, member: &Node) -> Role {
        let Some(outer) = cx.ancestor(2) else { return Role::Value };
        let place = cx.ancestor(1).map_or(0, |frame| frame.field);
        match self.kinds.get(outer.kind) {
            K::Call if place == self.function => Role::Call,
            K::Assignment if place == self.left => {
                let literal = cx.ancestor(3).is_some_and(|frame| self.kinds.get(frame.kind) == K::Initializer);
                if literal && member.child_by_field_id(self.object).is_none() { Role::Key } else { Role::Write }
            }
            K::Variable => match self.place(&outer.node, member) {
                Part::Target => Role::Write,
                Part::Type => Role::Type,
                _ => Role::Value,
            },
            K::StructInitializer => Role::Make,
            K::TypeWrapper => Role::Type,
            _ if place == self.ty => Role::Type,
            _ => Role::Value,
        }
    }

    /// What a child of a declaration or assignment is.
    fn place(&self, declaration: &Node, child: &Node) -> Part {
        let mut cursor = declaration.walk();
        let (mut name_next, mut found) = (false, None);
        let mut more = cursor.goto_first_child();
        while more {
            let node = cursor.node();
            match (found, node.kind()) {
                (Some(place), kind) if !node.is_named() => return if kind == ";" { Part::Value } else { place },
                (None, "const" | "var") => name_next = true,
                _ if node.id() == child.id() => {
                    let ty = cursor.field_id().is_some_and(|id| id.get() == self.ty);
                    match (ty, name_next) {
                        (true, _) => return Part::Type,
                        (false, true) => return Part::Name,
                        (false, false) => found = Some(Part::Target),
                    }
                }
                _ if node.is_named() => name_next = false,
                _ => {}
            }
            more = cursor.goto_next_sibling();
        }
        Part::Value
    }
}

#[derive(Clone, Copy)]
enum Part {
    Name,
    Type,
    Target,
    Value,
}

/// `pub`, `export` or nothing.
fn visibility(text: &str) -> (&'static str, Access) {
    match text.split_whitespace().next() {
        Some("pub") => ("pub", Access::Public),
        Some("export") => ("export", Access::Public),
        _ => ("", Access::Private),
    }
}

/// Where the members of a container begin.
fn brace(container: &Node) -> u32 {
    let mut cursor = container.walk();
    let brace = container.children(&mut cursor).find(|child| child.kind() == "{");
    brace.unwrap_or(*container).start_byte() as u32
}

#[cfg(test)]
mod tests {
    use cruxe_model::facts::Role;

    use crate::languages::fixture_tests::extract;

    #[test]
    fn types_are_what_their_constants_hold() {
        let facts = extract(
            "a.zig",
            "const A = struct { x: u8, fn f(self: A) void {} };\npub const B = enum { b };\nconst C = A;\nconst d = 1;\n",
        );
        let names: Vec<_> = facts.symbols.iter().map(|one| (one.kind.as_str(), one.qualified_name.as_str())).collect();
        let expected = [
            ("struct", "a.A"),
            ("field", "a.A.x"),
            ("fn", "a.A.f"),
            ("enum", "a.B"),
            ("variant", "a.B.b"),
            ("type", "a.C"),
            ("const", "a.d"),
        ];
        assert_eq!(names, expected);
    }

    #[test]
    fn an_assignment_is_no_declaration() {
        let facts = extract("a.zig", "fn f() void {\n    const x = 1;\n    y = x;\n    a.b += x;\n}\n");
        assert_eq!(facts.bindings.len(), 1);
        let used: Vec<_> = facts.occurrences.iter().map(|one| (facts.name(one.name), one.role)).collect();
        let expected =
            [("y", Role::Write), ("x", Role::Value), ("a", Role::Value), ("b", Role::Write), ("x", Role::Value)];
        assert_eq!(used, expected);
    }
}
