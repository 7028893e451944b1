//! Values of structures that are written out: which type a key in braces belongs to, and which declarations make a value.

use cruxe_model::facts::{Expr, ExprId, Role};

use crate::languages::broad::{As, Broad, Find, Syntax};
use crate::walk::Cx;

/// Braces inside braces deeper than this are not followed.
const MAX_LEVELS: usize = 16;

/// What `.name` in braces is a field of: the type of the variable or literal, or a field of that.
pub(super) fn key_of(rules: &Broad, cx: &mut Cx, level: usize) -> Option<ExprId> {
    let mut keys: Vec<Syntax> = Vec::new();
    let mut from = cx.ancestor(level)?.node;
    for level in level + 1..level + MAX_LEVELS {
        let frame = cx.ancestor(level)?.node;
        match frame.kind() {
            "initializer_pair" => {
                let designator = frame.child_by_field_name("designator").filter(|at| at.id() != from.id());
                keys.extend(designator.filter(|at| at.kind() == "field_designator"));
            }
            "initializer_list" => {}
            "compound_literal_expression" => return typed(rules, cx, &frame, &keys),
            "init_declarator" => {
                let declaration = cx.ancestor(level + 1)?.node;
                return typed(rules, cx, &declaration, &keys);
            }
            _ => return None,
        }
        from = frame;
    }
    None
}

fn typed(rules: &Broad, cx: &mut Cx, holder: &Syntax, keys: &[Syntax]) -> Option<ExprId> {
    let ty = Find::Field("type").find(holder).and_then(|ty| rules.type_ref(cx, &ty))?;
    let mut value = cx.expr(Expr::Typed(ty));
    for key in keys.iter().rev() {
        let name = cx.name_of(&key.named_child(0)?);
        value = cx.expr(Expr::Member(value, name));
    }
    Some(value)
}

/// `struct x` without a body names the type of what is around it.
pub(super) fn tag(cx: &Cx, level: usize) -> As {
    let body = cx.ancestor(level).and_then(|frame| frame.node.child_by_field_name("body"));
    if body.is_some() { As::Nothing } else { As::Inherit }
}

/// A declaration makes a value of its type unless it only names one that is made elsewhere: `T x;`, `T x(1);`, `T x{1};`, but
/// neither `T *x;` nor `T x = f();`.
pub(super) fn declared(cx: &Cx, level: usize) -> As {
    let Some(frame) = cx.ancestor(level) else { return As::Plain };
    let mut cursor = frame.node.walk();
    let external = frame.node.children(&mut cursor).any(|child| cx.text_of(&child) == "extern");
    let mut cursor = frame.node.walk();
    let made = frame.node.children_by_field_name("declarator", &mut cursor).any(|declarator| makes(&declarator));
    if made && !external { As::Role(Role::Make) } else { As::Plain }
}

fn makes(declarator: &Syntax) -> bool {
    match declarator.kind() {
        "identifier" => true,
        "array_declarator" => declarator.child_by_field_name("declarator").is_some_and(|inner| makes(&inner)),
        "init_declarator" => {
            let value = declarator.child_by_field_name("value").map_or("", |value| value.kind());
            let inner = declarator.child_by_field_name("declarator");
            matches!(value, "argument_list" | "initializer_list") && inner.is_some_and(|inner| makes(&inner))
        }
        _ => false,
    }
}
