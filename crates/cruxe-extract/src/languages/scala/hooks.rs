//! What the table of Scala cannot say.

use std::borrow::Cow;

use cruxe_model::SymbolKind::{Class, Const, Enum, Field, Fn, Method, Module, Variable, Variant};
use cruxe_model::facts::{Access, BindingKind, Expr, ExprId, Relation, Role, Span};

use crate::build::Decl;
use crate::languages::broad::{As, Broad, Find, Imported, Site, Syntax, operators};
use crate::walk::{Cx, Walk, span};

pub(super) fn refine<'s, 't>(cx: &mut Cx<'_, 's, 't>, site: &mut Site<'s, 't>, decl: &mut Decl<'s>) -> bool {
    match site.node.kind() {
        "package_clause" => {
            let (outer, last) = decl.name.rsplit_once('.').unwrap_or(("", &decl.name));
            site.qualifier = Some(outer.to_owned());
            decl.name_span.start = decl.name_span.end - last.len() as u32;
            decl.name = Cow::Owned(last.to_owned());
        }
        // Without `val`, `var` or `case` it is only a parameter of the constructor.
        "class_parameter" if !(site.has("val") || site.has("var") || of_case(cx)) => return false,
        "given_definition" => {
            if let Some(ty) = site.node.child_by_field_name("return_type") {
                site.heritage.push((Relation::Implements, ty));
            }
        }
        "extension_definition" => {
            site.heritage.push((Relation::SelfType, site.name));
            decl.signature_end = extension_head(&site.node).map(|head| head.end_byte() as u32);
        }
        "function_declaration" => decl.flags.declaration = true,
        "function_definition" if site.member => {
            site.heritage.extend(enriched(cx).map(|ty| (Relation::SelfType, ty)));
        }
        _ => {}
    }
    if decl.kind == Field && site.container == Some(Module) {
        decl.kind = if site.node.kind().starts_with("var") { Variable } else { Const };
    }
    if decl.kind == Fn && site.member {
        decl.kind = Method;
    }
    if decl.access == Access::Unknown {
        decl.access = Access::Public;
    } else if decl.visibility.contains('[') && !decl.visibility.contains("[this]") {
        decl.access = Access::Crate; // `private[package]`
    }
    decl.flags.declaration &= matches!(decl.kind, Fn | Method);
    true
}

/// Whether the innermost definition is a case class or a case of an enumeration.
fn of_case(cx: &Cx) -> bool {
    cx.current_symbol().map(|at| cx.symbol_at(at)).is_some_and(|symbol| match symbol.kind {
        Variant => true,
        Class => symbol.signature.contains("case class "),
        Enum => false,
        _ => false,
    })
}

fn extension_head<'t>(node: &Syntax<'t>) -> Option<Syntax<'t>> {
    let mut cursor = node.walk();
    node.children_by_field_name("parameters", &mut cursor).last()
}

/// The type of the first parameter of an extension.
pub(super) fn extended_type<'t>(node: &Syntax<'t>) -> Option<Syntax<'t>> {
    let mut cursor = node.walk();
    let parameters = node.children_by_field_name("parameters", &mut cursor);
    let first = parameters.filter_map(|list| Find::Kind("parameter").find(&list)).next()?;
    let ty = first.child_by_field_name("type")?;
    Some(if ty.kind() == "generic_type" { ty.child_by_field_name("type").unwrap_or(ty) } else { ty })
}

/// A given without a name is called after its type.
pub(super) fn given_name<'t>(node: &Syntax<'t>) -> Option<Syntax<'t>> {
    node.child_by_field_name("name").or_else(|| node.child_by_field_name("return_type"))
}

/// The first super type may be a class, the others are traits; a trait extends all of its.
pub(super) fn relation<'t>(cx: &Cx<'_, '_, 't>, level: usize, base: &Syntax<'t>) -> Relation {
    let of_trait = cx.ancestor(level + 1).is_some_and(|owner| owner.node.kind() == "trait_definition");
    let first = cx.ancestor(level).and_then(|clause| clause.node.named_child(0)).is_some_and(|at| at.id() == base.id());
    if of_trait || first { Relation::Extends } else { Relation::Implements }
}

/// A lower-case name in a pattern is introduced, an upper-case one is compared with.
pub(super) fn pattern(cx: &Cx, _: usize) -> As {
    let text = cx.text_of(&cx.node());
    let introduced = text.starts_with(|c: char| c.is_lowercase() || c == '_');
    if introduced { As::Bind(BindingKind::Local) } else { As::Role(Role::Value) }
}

/// `f(name = 1)` passes an argument by name.
pub(super) fn assigned(cx: &Cx, level: usize) -> As {
    let argument = cx.ancestor(level + 1).is_some_and(|frame| frame.node.kind() == "arguments");
    As::Role(if argument { Role::Key } else { Role::Write })
}

/// The type arguments of what is called.
pub(super) fn type_arguments<'t>(call: &Syntax<'t>) -> Option<Syntax<'t>> {
    let callee = call.child_by_field_name("function").filter(|callee| callee.kind() == "generic_function")?;
    callee.child_by_field_name("type_arguments")
}

/// `x.asInstanceOf[T]` is a `T`, anything else with types what it is without them.
pub(super) fn cast(rules: &Broad, cx: &mut Cx, node: &Syntax) -> Expr {
    let Some(function) = node.child_by_field_name("function") else { return Expr::Unknown };
    let name = function.child_by_field_name("field").map_or("", |name| cx.text_of(&name));
    let given = node.child_by_field_name("type_arguments").and_then(|list| list.named_child(0));
    match given.filter(|_| name == "asInstanceOf").and_then(|ty| rules.type_ref(cx, &ty)) {
        Some(ty) => Expr::Typed(ty),
        None => {
            let function = rules.expr(cx, &function);
            cx.expr_at(function).clone()
        }
    }
}

/// The upper bound of the only type parameter of a list.
pub(super) fn bound<'t>(list: &Syntax<'t>) -> Option<Syntax<'t>> {
    let mut cursor = list.walk();
    let mut names = list.children_by_field_name("name", &mut cursor);
    names.next().filter(|_| names.next().is_none())?;
    Find::Kind("upper_bound").find(list)?.named_child(0)
}

/// The class that a captured pattern compares with: `Cash` of `c @ Cash(_)`.
pub(super) fn captured<'t>(pattern: &Syntax<'t>) -> Option<Syntax<'t>> {
    pattern.child_by_field_name("pattern")?.child_by_field_name("type")
}

/// The type that an implicit class around the current definition adds to.
fn enriched<'t>(cx: &Cx<'_, '_, 't>) -> Option<Syntax<'t>> {
    let class = (1..=3).filter_map(|level| cx.ancestor(level)).find(|frame| frame.node.kind() == "class_definition")?;
    let words = Find::Kind("modifiers").find(&class.node)?;
    let parameters =
        class.node.child_by_field_name("class_parameters").filter(|_| cx.text_of(&words).contains("implicit"))?;
    Find::Kind("class_parameter").find(&parameters)?.child_by_field_name("type")
}

/// What a named argument is a field of: `Line(price = 1)`, `line.copy(price = 1)`.
pub(super) fn key_of(rules: &Broad, cx: &mut Cx, level: usize) -> Option<ExprId> {
    let call = cx.ancestor(level + 2)?.node;
    if call.kind() == "annotation" || call.kind() == "instance_expression" {
        let ty = call.child_by_field_name("name").or_else(|| call.named_child(0))?;
        let ty = rules.type_ref(cx, &ty)?;
        return Some(cx.expr(Expr::Typed(ty)));
    }
    let callee = call.child_by_field_name("function").filter(|_| call.kind() == "call_expression")?;
    match callee.kind() {
        "field_expression" if callee.child_by_field_name("field").is_some_and(|name| cx.text_of(&name) == "copy") => {
            let base = callee.child_by_field_name("value")?;
            Some(rules.expr(cx, &base))
        }
        "identifier" if cx.text_of(&callee) == "copy" => Some(cx.expr(Expr::SelfValue)),
        "identifier" if cx.text_of(&callee).starts_with(char::is_uppercase) => {
            let ty = rules.type_ref(cx, &callee)?;
            Some(cx.expr(Expr::Typed(ty)))
        }
        _ => None,
    }
}

/// `x += 1` sets `x`, `x <= 1` does not.
pub(super) fn left_operand(cx: &Cx, level: usize) -> As {
    let operator = cx.ancestor(level).and_then(|frame| frame.node.child_by_field_name("operator"));
    let text = operator.map_or("", |operator| cx.text_of(&operator));
    let sets = text.len() > 1 && text.ends_with('=') && !text.starts_with(['=', '!', '<', '>']);
    if sets { As::Role(Role::Write) } else { As::Plain }
}

/// `package a.b` at the top adds to the module of the file; with a body it is a symbol.
pub(super) fn package(_: &Broad, cx: &mut Cx) -> Option<Walk> {
    let node = cx.node();
    if node.child_by_field_name("body").is_some() {
        return None;
    }
    if let Some(name) = node.child_by_field_name("name") {
        let name: String = cx.text_of(&name).split_whitespace().collect();
        let module = cx.module().to_owned();
        cx.set_module(if module.is_empty() { name } else { format!("{module}.{name}") });
    }
    Some(Walk::Skip)
}

/// `import a.b.c`, `import a.b.{c, d => e, _}`, `import a.b.*`, `import a.b.c as d`.
pub(super) fn import(rules: &Broad, cx: &mut Cx) -> Option<Walk> {
    let node = cx.node();
    let reexport = node.kind() == "export_declaration";
    let mut cursor = node.walk();
    let mut path: Vec<Syntax> = Vec::new();
    let mut more = cursor.goto_first_child();
    let mut noted = false;
    while more {
        let child = cursor.node();
        match child.kind() {
            _ if cursor.field_name() == Some("path") && child.is_named() => path.push(child),
            "," => {
                // `import a.b, c.d` is two imports.
                if !std::mem::take(&mut noted) {
                    whole(rules, cx, &path, reexport);
                }
                path.clear();
            }
            "namespace_selectors" => {
                // Whatever stands before the braces is a use, if it is no package.
                if let Some((last, outer)) = path.split_last()
                    && cx.text_of(last).starts_with(char::is_uppercase)
                {
                    let mut receiver = None;
                    for part in outer {
                        let name = cx.name_of(part);
                        let expr = receiver.map_or(Expr::Name(name), |base| Expr::Member(base, name));
                        receiver = Some(cx.expr(expr));
                    }
                    cx.occurrence(last, Role::Value, receiver);
                }
                let mut inside = child.walk();
                for selector in child.named_children(&mut inside) {
                    select(rules, cx, &path, &selector, reexport);
                }
                noted = true;
            }
            "namespace_wildcard" | "as_renamed_identifier" | "arrow_renamed_identifier" => {
                select(rules, cx, &path, &child, reexport);
                noted = true;
            }
            _ => {}
        }
        more = cursor.goto_next_sibling();
    }
    if !noted {
        whole(rules, cx, &path, reexport);
    }
    Some(Walk::Skip)
}

fn text_of(cx: &Cx, path: &[Syntax]) -> String {
    path.iter().map(|part| cx.text_of(part)).collect::<Vec<_>>().join(".")
}

fn whole(rules: &Broad, cx: &mut Cx, path: &[Syntax], reexport: bool) {
    if let Some((last, module)) = path.split_last() {
        note(rules, cx, module, last, None, reexport);
    }
}

fn select(rules: &Broad, cx: &mut Cx, path: &[Syntax], selector: &Syntax, reexport: bool) {
    match selector.kind() {
        "namespace_wildcard" | "wildcard" => {
            let Some(last) = path.last() else { return };
            let module = text_of(cx, path);
            rules.import(
                cx,
                Imported {
                    path: format!("{module}.*").into(),
                    module: module.into(),
                    name: None,
                    alias: None,
                    glob: true,
                    reexport,
                    at: span(last),
                },
            );
        }
        "as_renamed_identifier" | "arrow_renamed_identifier" => {
            if let Some(name) = selector.child_by_field_name("name") {
                note(rules, cx, path, &name, selector.child_by_field_name("alias"), reexport);
            }
        }
        "identifier" | "operator_identifier" => note(rules, cx, path, selector, None, reexport),
        _ => {}
    }
}

fn note(rules: &Broad, cx: &mut Cx, module: &[Syntax], name: &Syntax, alias: Option<Syntax>, reexport: bool) {
    let module = text_of(cx, module);
    let text = cx.text_of(name);
    let separator = if module.is_empty() { "" } else { "." };
    let at: Span = span(name);
    rules.import(
        cx,
        Imported {
            path: format!("{module}{separator}{text}").into(),
            module: module.into(),
            name: Some(text),
            alias: alias.map(|alias| cx.text_of(&alias)),
            glob: false,
            reexport,
            at,
        },
    );
}

/// `a + b`; what an operator that ends with a colon works on stands behind it.
pub(super) fn operator(rules: &Broad, cx: &mut Cx) -> Option<Walk> {
    let operator = cx.node().child_by_field_name("operator")?;
    let from_right = cx.text_of(&operator).ends_with(':');
    let fields = if from_right { ["right", "operator", "left"] } else { ["left", "operator", "right"] };
    match operator.kind() {
        "operator_identifier" => operators::infix(rules, cx, fields, operators::itself),
        _ => None,
    }
}
