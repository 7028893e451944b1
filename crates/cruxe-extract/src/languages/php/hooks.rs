//! What the table of PHP cannot say.

use cruxe_model::SymbolKind::{Const, Field, Fn, Method, Variable};
use cruxe_model::facts::{Access, BindingKind, Expr, ExprId, Role, ScopeKind, Span};

use crate::build::Decl;
use crate::languages::broad::narrow::{Says, Test, tests};
use crate::languages::broad::{As, Broad, Find, Imported, Site, Syntax};
use crate::walk::{Cx, Walk, span};

/// Looks only so far back that a script of assignments alone does not get slow.
const LOOK_BACK: usize = 1000;

fn is_assigned_before(cx: &Cx, name: &str) -> bool {
    let same = |symbol: &cruxe_model::facts::Symbol| symbol.kind == Variable && symbol.name == name;
    cx.siblings().take(LOOK_BACK).any(|at| same(cx.symbol_at(at)))
}

pub(super) fn refine<'s, 't>(cx: &mut Cx<'_, 's, 't>, site: &mut Site<'s, 't>, decl: &mut Decl<'s>) -> bool {
    if decl.kind == Variable && is_assigned_before(cx, &decl.name) {
        return false; // a global variable is declared by its first assignment
    }
    if site.node.kind() == "namespace_definition" {
        let (outer, last) = decl.name.rsplit_once('\\').unwrap_or(("", &decl.name));
        site.qualifier = Some(outer.to_owned());
        decl.name_span.start = decl.name_span.end - last.len() as u32;
        decl.name = last.to_owned().into();
    }
    if decl.access == Access::Unknown {
        decl.access = Access::Public;
    }
    decl.flags.associated |= decl.kind == Const && site.member;
    decl.flags.declaration &= matches!(decl.kind, Fn | Method);
    decl.flags.test |= decl.kind == Method && decl.name.starts_with("test") && cx.path_ends_with("Test.php");
    true
}

/// `namespace A\B;` names the module of what follows; with a body it is a symbol.
pub(super) fn namespace(_: &Broad, cx: &mut Cx) -> Option<Walk> {
    let node = cx.node();
    if node.child_by_field_name("body").is_some() {
        return None;
    }
    if let Some(name) = node.child_by_field_name("name") {
        let module = cx.text_of(&name).to_owned();
        cx.set_module(module);
    }
    Some(Walk::Skip)
}

/// Parameters of a constructor with a visibility are fields of the class too.
pub(super) fn promote(rules: &Broad, cx: &mut Cx) -> Option<Walk> {
    let list = cx.node().child_by_field_name("parameters")?;
    let mut cursor = list.walk();
    for parameter in list.named_children(&mut cursor) {
        if parameter.kind() != "property_promotion_parameter" {
            continue;
        }
        let variable = parameter.child_by_field_name("name");
        let variable = variable.and_then(|at| if at.kind() == "by_ref" { at.named_child(0) } else { Some(at) });
        if let Some(name) = variable.and_then(|variable| variable.named_child(0)) {
            rules.declare_inside(cx, Field, parameter, name);
        }
    }
    None
}

/// `define('NAME', …)` makes a constant.
pub(super) fn define(rules: &Broad, cx: &mut Cx) -> Option<Walk> {
    let node = cx.node();
    let function = node.child_by_field_name("function").filter(|function| cx.text_of(function) == "define")?;
    let argument = node.child_by_field_name("arguments")?.named_child(0)?.named_child(0)?;
    let text = Find::Kind("string_content").find(&argument).filter(|_| function.kind() == "name")?;
    rules.declare_inside(cx, Const, node, text);
    None
}

/// `$x = …` introduces `$x`; `$this->x = …` writes.
pub(super) fn assigned(cx: &Cx, level: usize) -> As {
    let left = level.checked_sub(1).and_then(|level| cx.ancestor(level)).map_or("", |frame| frame.node.kind());
    if matches!(left, "variable_name" | "list_literal") {
        As::Declare(Variable, Variable)
    } else {
        As::Role(Role::Write)
    }
}

/// The variables of `foreach (… as $key => $value)`; the body is a child as well.
pub(super) fn iterated(cx: &Cx, level: usize) -> As {
    let child = level.checked_sub(1).and_then(|level| cx.ancestor(level)).map_or("", |frame| frame.node.kind());
    match child {
        "variable_name" | "pair" | "by_ref" | "list_literal" => As::Bind(BindingKind::Element),
        _ => As::Plain,
    }
}

/// What a condition says about variables: `$x instanceof Foo`.
fn says<'t>(node: &Syntax<'t>) -> Says<'t> {
    let part = |field| node.child_by_field_name(field);
    let operator = part("operator").map_or("", |operator| operator.kind());
    match (node.kind(), operator, part("left"), part("right")) {
        ("binary_expression", "instanceof", Some(left), Some(ty)) if left.kind() == "variable_name" => {
            left.named_child(0).map_or(Says::Nothing, |name| Says::Test(Test { name, ty }))
        }
        ("binary_expression", "&&" | "and", Some(left), Some(right)) => Says::All(vec![left, right]),
        ("parenthesized_expression", ..) => Says::All(node.named_child(0).into_iter().collect()),
        _ => Says::Nothing,
    }
}

/// The block of `if ($x instanceof Foo) { … }`.
pub(super) fn tested_block(rules: &Broad, cx: &mut Cx) -> Option<Walk> {
    let (node, outer) = (cx.node(), cx.parent()?);
    let body = outer.child_by_field_name("body").is_some_and(|body| body.id() == node.id());
    let tested = body && cx.in_function() && matches!(outer.kind(), "if_statement" | "else_if_clause");
    let condition = outer.child_by_field_name("condition").filter(|_| tested)?;
    let tests = tests(condition, says);
    if !tests.is_empty() {
        cx.open_scope(ScopeKind::Block);
        rules.narrow(cx, &tests, cx.current_scope());
    }
    None
}

/// The right side of `instanceof` is a type.
pub(super) fn right_operand(cx: &Cx, level: usize) -> As {
    let operator = cx.ancestor(level).and_then(|frame| frame.node.child_by_field_name("operator"));
    let of_type = operator.is_some_and(|operator| operator.kind() == "instanceof");
    if of_type { As::Ask(type_unless_variable) } else { As::Plain }
}

fn type_unless_variable(cx: &Cx, level: usize) -> As {
    let child = level.checked_sub(1).and_then(|level| cx.ancestor(level)).map_or("", |frame| frame.node.kind());
    if child == "variable_name" { As::Plain } else { As::Role(Role::Type) }
}

/// What a named argument is a property of, where its parameter is one: `new Order(state: 1)`, `#[Audited(level: 2)]`.
pub(super) fn key_of(rules: &Broad, cx: &mut Cx, level: usize) -> Option<ExprId> {
    let outer = cx.ancestor(level + 2)?.node;
    let ty = outer.named_child(0).filter(|_| matches!(outer.kind(), "attribute" | "object_creation_expression"))?;
    let ty = rules.type_ref(cx, &ty)?;
    Some(cx.expr(Expr::Typed(ty)))
}

/// `use A\B;`, `use A\{B, C as D};`, `use function A\b;`.
pub(super) fn import(rules: &Broad, cx: &mut Cx) -> Option<Walk> {
    let node = cx.node();
    let group = node.child_by_field_name("body");
    let prefix = Find::Kind("namespace_name").find(&node).filter(|_| group.is_some());
    let prefix = prefix.map_or("", |prefix| cx.text_of(&prefix)).trim_start_matches('\\');
    let list = group.unwrap_or(node);
    let mut cursor = list.walk();
    for clause in list.named_children(&mut cursor) {
        if clause.kind() == "namespace_use_clause" {
            note(rules, cx, prefix, &clause);
        }
    }
    Some(Walk::Skip)
}

fn note(rules: &Broad, cx: &mut Cx, prefix: &str, clause: &Syntax) {
    let alias_node = clause.child_by_field_name("alias");
    let mut cursor = clause.walk();
    let mut paths = clause.named_children(&mut cursor).filter(|at| matches!(at.kind(), "qualified_name" | "name"));
    let Some(path) = paths.find(|at| Some(at.id()) != alias_node.map(|alias| alias.id())) else { return };
    let text = cx.text_of(&path).trim_start_matches('\\');
    let (inner, last) = text.rsplit_once('\\').unwrap_or(("", text));
    let parts = [prefix, inner].into_iter().filter(|part| !part.is_empty());
    let module = parts.collect::<Vec<_>>().join("\\");
    let separator = if module.is_empty() { "" } else { "\\" };
    let end = span(&path).end;
    rules.import(
        cx,
        Imported {
            path: format!("{module}{separator}{last}").into(),
            module: module.into(),
            name: Some(last),
            alias: alias_node.map(|alias| cx.text_of(&alias)),
            glob: false,
            reexport: false,
            at: Span { start: end - last.len() as u32, end },
        },
    );
}
