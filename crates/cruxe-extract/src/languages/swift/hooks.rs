//! What the table of Swift cannot say.

use cruxe_model::SymbolKind::{Class, Const, Enum, Impl, Interface, Method, Struct, Variable, Variant};
use cruxe_model::facts::{Access, BindingKind, Expr, ExprId, Relation, Role, ScopeKind, Span};

use crate::build::Decl;
use crate::languages::broad::{As, Broad, Find, Imported, Shape, Site, Syntax, operators, places};
use crate::walk::{Cx, Walk, span};

pub(super) fn refine<'s, 't>(cx: &mut Cx<'_, 's, 't>, site: &mut Site<'s, 't>, decl: &mut Decl<'s>) -> bool {
    match site.node.kind() {
        "class_declaration" => {
            decl.kind = match site.words.iter().rev().find(|word| word.starts_with(|c: char| c.is_lowercase())) {
                Some(&"struct") => Struct,
                Some(&"enum") => Enum,
                Some(&"extension") => {
                    site.heritage.push((Relation::SelfType, site.name));
                    Impl
                }
                _ => Class,
            };
        }
        "property_declaration" if decl.kind == Variable && site.has("let") => decl.kind = Const,
        _ => {}
    }
    let accessors = Find::Kinds(&["computed_property", "willset_didset_block", "protocol_property_requirements"]);
    if site.node.kind().ends_with("property_declaration") {
        let accessors = accessors.find(&site.node).map(|at| at.start_byte() as u32);
        decl.signature_end = decl.signature_end.into_iter().chain(accessors).min();
    }
    decl.flags.associated |= site.has("class") && decl.kind != Class;
    let container = cx.current_symbol().map(|at| cx.symbol_at(at));
    if decl.access == Access::Unknown {
        let as_container = decl.kind == Variant || site.container == Some(Interface);
        decl.access = container.filter(|_| as_container).map_or(Access::Crate, |container| container.access);
    }
    decl.flags.test |= decl.kind == Method
        && decl.name.starts_with("test")
        && container.is_some_and(|container| container.name.contains("Test"));
    true
}

/// The first of several children in the field `name`.
pub(super) fn first_name<'t>(node: &Syntax<'t>) -> Option<Syntax<'t>> {
    node.child_by_field_name("name")
}

/// The last child in the field `name`, when it is not the only one.
pub(super) fn last_name<'t>(node: &Syntax<'t>) -> Option<Syntax<'t>> {
    let mut cursor = node.walk();
    let names = node.children_by_field_name("name", &mut cursor);
    names.skip(1).filter(|name| name.is_named()).last()
}

pub(super) fn first_word<'t>(node: &Syntax<'t>) -> Option<Syntax<'t>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).find(|child| !child.is_named())
}

/// A class may extend a class, which then comes first; everything else names protocols.
pub(super) fn relation<'t>(cx: &Cx<'_, '_, 't>, level: usize, _: &Syntax<'t>) -> Relation {
    let (Some(specifier), Some(owner)) = (cx.ancestor(level), cx.ancestor(level + 1)) else {
        return Relation::Implements;
    };
    let kind = owner.node.child_by_field_name("declaration_kind").map_or("", |kind| kind.kind());
    let first = Find::Kind("inheritance_specifier").find(&owner.node).is_some_and(|at| at.id() == specifier.node.id());
    if kind == "protocol" || (kind == "class" && first) { Relation::Extends } else { Relation::Implements }
}

/// An accessor is a function; the block around several of them is not.
pub(super) fn accessor(_: &Broad, cx: &mut Cx) -> Option<Walk> {
    let node = cx.node();
    let block = node.kind() == "computed_property" && Find::Kind("statements").find(&node).is_none();
    if !block {
        cx.open_scope(ScopeKind::Function);
    }
    Some(Walk::Into)
}

/// Binds the names of `if let a = x, let b` and `guard var c = y`; those of a guard live on behind it.
pub(super) fn conditions(rules: &Broad, cx: &mut Cx) -> Option<Walk> {
    let node = cx.node();
    if node.kind() != "guard_statement" {
        cx.open_scope(ScopeKind::Block);
    }
    let scope = cx.current_scope();
    let mut cursor = node.walk();
    let mut more = cursor.goto_first_child();
    let mut waiting: Option<Syntax> = None;
    let mut assigned = false;
    while more {
        let child = cursor.node();
        match cursor.field_name() {
            Some("bound_identifier") => {
                if let Some(name) = waiting.replace(child) {
                    cx.bind(&name, scope, BindingKind::Local, None, None);
                }
                assigned = false;
            }
            Some("condition") if child.kind() == "=" => assigned = true,
            Some("condition") if assigned && child.is_named() => {
                if let Some(name) = waiting.take() {
                    let value = rules.expr(cx, &child);
                    let value = cx.expr(Expr::Unwrap(value));
                    cx.bind(&name, scope, BindingKind::Local, None, Some(value));
                }
                assigned = false;
            }
            _ => {}
        }
        more = cursor.goto_next_sibling();
    }
    if let Some(name) = waiting {
        cx.bind(&name, scope, BindingKind::Local, None, None);
    }
    None
}

/// A closure that names no parameters has `$0`.
pub(super) fn lambda(rules: &Broad, cx: &mut Cx) -> Option<Walk> {
    let node = cx.node();
    let numbered = node.child_by_field_name("type").is_none() && cx.text_of(&node).contains("$0");
    let first = if numbered { rules.expected_first(cx) } else { None };
    cx.open_scope(ScopeKind::Function);
    if numbered {
        let scope = cx.current_scope();
        cx.bind_unwritten("$0", node.start_byte() as u32, scope, first);
    }
    Some(Walk::Into)
}

/// The type that the place of `.closed` names: that of what it is compared with, assigned or passed to.
pub(super) fn implied(rules: &Broad, cx: &mut Cx) -> Option<ExprId> {
    let (mut elements, mut found) = (0, None);
    for level in 1..12 {
        let Some((inner, outer)) = cx.ancestor(level - 1).zip(cx.ancestor(level)).map(|(a, b)| (a.node, b.node)) else {
            break;
        };
        let first = outer.named_child(0).is_some_and(|first| first.id() == inner.id());
        match outer.kind() {
            "prefix_expression"
            | "pattern"
            | "switch_pattern"
            | "ternary_expression"
            | "try_expression"
            | "nil_coalescing_expression" => {}
            "call_expression" if first => {}
            "array_literal" => elements += 1,
            "value_argument" => found = rules.expected(cx, level),
            "equality_expression" => {
                let other = if first { "rhs" } else { "lhs" };
                found = outer.child_by_field_name(other).map(|other| rules.expr(cx, &other));
            }
            "assignment" => {
                let target = outer.child_by_field_name("target").and_then(|target| target.named_child(0));
                found = target.map(|target| rules.expr(cx, &target));
            }
            "property_declaration" => {
                let ty = Find::Kind("type_annotation").find(&outer).and_then(|ty| rules.type_ref(cx, &ty));
                found = ty.map(|ty| cx.expr(Expr::Typed(ty)));
            }
            "switch_entry" => {
                let subject = cx.ancestor(level + 1).and_then(|frame| frame.node.child_by_field_name("expr"));
                found = subject.map(|subject| rules.expr(cx, &subject));
            }
            // `if case .sold = outcome`
            "if_statement" | "guard_statement" | "while_statement" => {
                let value = inner.next_named_sibling();
                found = value.map(|value| rules.expr(cx, &value));
            }
            "control_transfer_statement" | "statements" => found = result_around(rules, cx, level),
            _ => break,
        }
        if found.is_some() || matches!(outer.kind(), "value_argument" | "statements" | "property_declaration") {
            break;
        }
    }
    for _ in 0..elements {
        found = found.map(|found| cx.expr(Expr::Index(found)));
    }
    Some(found.unwrap_or_else(|| cx.expr(Expr::Unknown)))
}

/// What the function or property around gives whose last or only statement is at a level.
fn result_around(rules: &Broad, cx: &mut Cx, level: usize) -> Option<ExprId> {
    let list = cx.ancestor(level)?.node;
    let only = list.kind() == "statements" && list.named_child_count() == 1;
    if list.kind() != "control_transfer_statement" && !only {
        return None;
    }
    for at in level + 1..level + 24 {
        let node = cx.ancestor(at)?.node;
        let ty = match node.kind() {
            "lambda_literal" => return None,
            "function_declaration" => last_name(&node),
            "property_declaration" => Find::Kind("type_annotation").find(&node),
            _ => continue,
        };
        let ty = rules.type_ref(cx, &ty?)?;
        return Some(cx.expr(Expr::Typed(ty)));
    }
    None
}

/// A name in a pattern is introduced there, unless it is a case (`.get`) or a type.
pub(super) fn pattern(cx: &Cx, level: usize) -> As {
    let Some(child) = level.checked_sub(1).and_then(|level| cx.ancestor(level)) else { return As::Plain };
    match child.node.kind() {
        "pattern" => As::Inherit,
        "simple_identifier" => {
            let case = cx.text[..child.node.start_byte()].ends_with('.');
            if case { As::Role(Role::Value) } else { As::Inherit }
        }
        _ => As::Plain,
    }
}

/// `a[i]` is a call for the grammar too.
fn subscripts(call: &Syntax) -> bool {
    let suffix = Find::Last.find(call).filter(|suffix| suffix.kind() == "call_suffix");
    let arguments = suffix.and_then(|suffix| suffix.named_child(0)).and_then(|list| list.child(0));
    arguments.is_some_and(|first| first.kind() == "[")
}

pub(super) fn call_shape(call: &Syntax) -> Shape {
    if subscripts(call) { Shape::Index(Find::Nth(0)) } else { Shape::Call(Find::Nth(0)) }
}

pub(super) fn callee(cx: &Cx, level: usize) -> As {
    let index = cx.ancestor(level).is_some_and(|call| subscripts(&call.node));
    if index { places::element(cx, level) } else { As::Role(Role::Call) }
}

/// `import A.B`, `import struct A.B`.
pub(super) fn import(rules: &Broad, cx: &mut Cx) -> Option<Walk> {
    let node = cx.node();
    let path = Find::Kind("identifier").find(&node)?;
    let text = cx.text_of(&path);
    let (module, last) = text.rsplit_once('.').unwrap_or(("", text));
    let mut cursor = node.walk();
    let words = ["class", "struct", "enum", "protocol", "func", "let", "var", "typealias"];
    let one = node.children(&mut cursor).any(|child| words.contains(&child.kind())) && !module.is_empty();
    let end = span(&path).end;
    rules.import(
        cx,
        Imported {
            path: text.into(),
            module: if one { module } else { text }.into(),
            name: one.then_some(last),
            alias: None,
            glob: !one,
            reexport: false,
            at: Span { start: end - last.len() as u32, end },
        },
    );
    Some(Walk::Skip)
}

/// `a + b`.
pub(super) fn operator(rules: &Broad, cx: &mut Cx) -> Option<Walk> {
    operators::infix(rules, cx, ["lhs", "op", "rhs"], operators::itself)
}
