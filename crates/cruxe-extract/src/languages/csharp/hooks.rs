//! What the table of C# cannot say.

use std::borrow::Cow;

use cruxe_model::SymbolKind::{Class, Const, Enum, Field, Interface, Module, Property, Struct, Variant};
use cruxe_model::facts::{Access, BindingKind, Expr, ExprId, Relation, Role, Span};

use crate::build::Decl;
use crate::languages::broad::{As, Broad, Find, Imported, Site, Syntax, operators, places};
use crate::walk::{Cx, Walk, span};

pub(super) fn refine<'s, 't>(cx: &mut Cx<'_, 's, 't>, site: &mut Site<'s, 't>, decl: &mut Decl<'s>) -> bool {
    match site.node.kind() {
        "namespace_declaration" => {
            let (outer, last) = decl.name.rsplit_once('.').unwrap_or(("", &decl.name));
            site.qualifier = Some(outer.to_owned());
            decl.name_span.start = decl.name_span.end - last.len() as u32;
            decl.name = Cow::Owned(last.to_owned());
        }
        "record_declaration" if site.has("struct") => decl.kind = Struct,
        "destructor_declaration" => decl.name = Cow::Owned(format!("~{}", decl.name)),
        "operator_declaration" | "conversion_operator_declaration" => {
            let space = if decl.name.starts_with(char::is_alphabetic) { " " } else { "" };
            decl.name = Cow::Owned(format!("operator{space}{}", decl.name));
        }
        "parameter" => {
            let record = cx.current_symbol().is_some_and(|at| cx.symbol_at(at).signature.contains("record "));
            if !record {
                return false; // a parameter of a primary constructor
            }
            (decl.kind, decl.access) = (Property, Access::Public);
        }
        "method_declaration" => extended_type(cx, site),
        _ => {}
    }
    if decl.kind == Field && (site.has("const") || (site.has("static") && site.has("readonly"))) {
        decl.kind = Const;
    }
    decl.flags.associated |= site.has("const");
    if site.has("protected") && site.has("internal") {
        (decl.visibility, decl.access) = ("protected internal", Access::Protected);
    } else if site.has("protected") && site.has("private") {
        (decl.visibility, decl.access) = ("private protected", Access::Protected);
    } else if decl.access == Access::Unknown {
        decl.access = match site.container {
            _ if matches!(decl.kind, Variant | Module) => Access::Public,
            Some(Interface | Enum) => Access::Public,
            Some(Class | Struct) => Access::Private,
            _ => Access::Crate,
        };
    }
    true
}

/// An extension method belongs to the type of its first parameter.
fn extended_type(cx: &Cx, site: &mut Site) {
    let first = site.node.child_by_field_name("parameters").and_then(|list| list.named_child(0));
    let Some(first) = first.filter(|first| site.has("static") && first.kind() == "parameter") else { return };
    let mut cursor = first.walk();
    let extends = first.children(&mut cursor).any(|child| cx.text_of(&child) == "this");
    if let Some(ty) = first.child_by_field_name("type").filter(|_| extends) {
        site.heritage.push((Relation::SelfType, ty));
    }
}

/// A class has at most one super class, the first, and by custom the names of interfaces begin with `I`.
pub(super) fn relation<'t>(cx: &Cx<'_, '_, 't>, level: usize, base: &Syntax<'t>) -> Relation {
    let text = cx.text_of(base);
    let name = text.split(['<', '(']).next().unwrap_or(text).rsplit('.').next().unwrap_or(text).as_bytes();
    let interface = name.first() == Some(&b'I') && name.get(1).is_some_and(u8::is_ascii_uppercase);
    let around = cx.ancestor(level + 1).map_or("", |frame| frame.node.kind());
    let first = cx.ancestor(level).and_then(|frame| frame.node.named_child(0)).is_some_and(|at| at.id() == base.id());
    match around {
        "interface_declaration" | "enum_declaration" => Relation::Extends,
        "struct_declaration" => Relation::Implements,
        _ if first && !interface => Relation::Extends,
        _ => Relation::Implements,
    }
}

pub(super) fn this_word<'t>(node: &Syntax<'t>) -> Option<Syntax<'t>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).find(|child| child.kind() == "this")
}

pub(super) fn property_body<'t>(node: &Syntax<'t>) -> Option<Syntax<'t>> {
    let arrow = || node.child_by_field_name("value").filter(|value| value.kind() == "arrow_expression_clause");
    node.child_by_field_name("accessors").or_else(arrow)
}

pub(super) fn declarator_value<'t>(node: &Syntax<'t>) -> Option<Syntax<'t>> {
    let name = node.child_by_field_name("name")?;
    Find::Last.find(node).filter(|last| last.id() != name.id())
}

/// `Id = id` sets a property inside the braces of `new Order { Id = id }`.
pub(super) fn assigned(cx: &Cx, level: usize) -> As {
    let initialiser = cx.ancestor(level + 1).is_some_and(|frame| frame.node.kind() == "initializer_expression");
    As::Role(if initialiser { Role::Key } else { Role::Write })
}

/// The outer parts of a namespace's own name are no uses.
pub(super) fn qualifier(cx: &Cx, level: usize) -> As {
    let around =
        (level + 1..level + 12).map_while(|level| cx.ancestor(level)).find(|at| at.node.kind() != "qualified_name");
    if around.is_some_and(|at| at.node.kind() == "namespace_declaration") { As::Nothing } else { As::Plain }
}

/// `where T : Entity` gives the type parameter its bound.
pub(super) fn constrained(rules: &Broad, cx: &mut Cx) -> Option<Walk> {
    let node = cx.node();
    let (name, constraint) = (node.named_child(0)?, Find::Kind("type_parameter_constraint").find(&node)?);
    let bound = constraint.child_by_field_name("type").or_else(|| constraint.named_child(0));
    if let Some(bound) = bound.and_then(|bound| rules.type_ref(cx, &bound)) {
        let scope = cx.current_scope();
        cx.bind(&name, scope, BindingKind::TypeParam, Some(bound), None);
    }
    None
}

/// `f(out x)` and `f(ref x)` may set what they pass.
pub(super) fn passed(cx: &Cx, level: usize) -> As {
    let word = cx.ancestor(level).and_then(|frame| frame.node.child(0));
    if word.is_some_and(|word| matches!(word.kind(), "out" | "ref")) { As::Role(Role::Write) } else { As::Plain }
}

/// What a key is a property of: `new Order { Id = id }`, `order with { Id = id }`, `is Order { Id: 1 }`, `[Audited(Level = 1)]`.
pub(super) fn key_of(rules: &Broad, cx: &mut Cx, level: usize) -> Option<ExprId> {
    let node = cx.ancestor(level)?.node;
    match node.kind() {
        "subpattern" => {
            let ty = cx.ancestor(level + 2)?.node.child_by_field_name("type")?;
            let ty = rules.type_ref(cx, &ty)?;
            return Some(cx.expr(Expr::Typed(ty)));
        }
        "attribute_argument" => {
            let name = cx.ancestor(level + 2)?.node.child_by_field_name("name")?;
            let text = cx.text_of(&name);
            let name = cx.owned_name(format!("{}Attribute", text.strip_suffix("Attribute").unwrap_or(text)));
            let ty = cx.ty(vec![name], Vec::new());
            return Some(cx.expr(Expr::Typed(ty)));
        }
        _ => {}
    }
    let creation = match node.kind() {
        "with_initializer" => cx.ancestor(level + 1)?.node,
        "assignment_expression" => cx.ancestor(level + 2)?.node,
        _ => return None,
    };
    match creation.kind() {
        "with_expression" => {
            let value = creation.named_child(0)?;
            Some(rules.expr(cx, &value))
        }
        "object_creation_expression" => Some(rules.expr(cx, &creation)),
        _ => None,
    }
}

/// A declaration is visible behind its statement; a loop's variable is not.
pub(super) fn no_scope_for_declarations(_: &Broad, cx: &mut Cx) -> Option<Walk> {
    (cx.node().kind() == "local_declaration_statement").then_some(Walk::Into)
}

pub(super) fn file_namespace(_: &Broad, cx: &mut Cx) -> Option<Walk> {
    if let Some(name) = cx.node().child_by_field_name("name") {
        let module = cx.text_of(&name).to_owned();
        cx.set_module(module);
    }
    Some(Walk::Skip)
}

/// `using A.B;`, `using static A.B;`, `using X = A.B;`.
pub(super) fn using(rules: &Broad, cx: &mut Cx) -> Option<Walk> {
    let node = cx.node();
    let alias_node = node.child_by_field_name("name");
    let path = Find::Last.find(&node).filter(|path| Some(path.id()) != alias_node.map(|alias| alias.id()))?;
    let alias = alias_node.map(|alias| cx.text_of(&alias));
    let text = cx.text_of(&path);
    let plain = text.split('<').next().unwrap_or(text);
    let (module, last) = plain.rsplit_once('.').unwrap_or(("", plain));
    let start = span(&path).start + (plain.len() - last.len()) as u32;
    rules.import(
        cx,
        Imported {
            path: text.into(),
            module: if alias.is_some() { module } else { plain }.into(),
            name: alias.is_some().then_some(last),
            alias,
            glob: alias.is_none(),
            reexport: false,
            at: Span { start, end: start + last.len() as u32 },
        },
    );
    Some(Walk::Skip)
}

/// `a` of `a[0]`; a function where the file has a call, see [`super::newer`].
pub(super) fn element(cx: &Cx, level: usize) -> As {
    let subscript = cx.ancestor(level).and_then(|frame| frame.node.child_by_field_name("subscript"));
    match subscript.and_then(|list| cx.text.as_bytes().get(list.start_byte())) {
        Some(b'(') => As::Role(Role::Call),
        _ => places::element(cx, level),
    }
}

/// `a + b`.
pub(super) fn operator(rules: &Broad, cx: &mut Cx) -> Option<Walk> {
    operators::infix(rules, cx, ["left", "operator", "right"], operators::function)
}
