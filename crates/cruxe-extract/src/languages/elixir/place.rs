//! Whether a name of an Elixir file stands in a pattern.

use cruxe_model::facts::BindingKind;

use super::{Elixir, FUNCTIONS, K, TESTS};
use crate::walk::Cx;

/// Patterns nested deeper than this are taken for expressions.
const MAX_STEPS: usize = 16;

/// Looks outwards until something tells patterns from expressions.
pub(super) fn binding(rules: &Elixir, cx: &Cx) -> Option<BindingKind> {
    for level in 1..MAX_STEPS {
        let frame = cx.ancestor(level)?;
        let inner = cx.ancestor(level - 1).map_or(0, |frame| frame.field);
        match rules.kinds.get(frame.kind) {
            K::Binary => match (rules.operator(cx, &frame.node), inner == rules.left) {
                ("=" | "<-", true) => return Some(BindingKind::Local),
                ("=" | "<>" | "|" | "++", _) => {} // in a head both sides are patterns
                ("when" | "\\\\" | "::", true) => {}
                _ => return defines_operator(rules, cx, level).then_some(BindingKind::Param),
            },
            K::Clause => return (inner == rules.left).then_some(BindingKind::Local),
            K::Call => return head(rules, cx, level).then_some(BindingKind::Param),
            K::Unary | K::Dot | K::Access | K::DoBlock | K::Body | K::Function | K::Interpolation => return None,
            _ => {}
        }
    }
    None
}

/// Whether the operator at `level` is the head of `def a <~> b`.
fn defines_operator(rules: &Elixir, cx: &Cx, level: usize) -> bool {
    rules.ancestor_kind(cx, level + 1) == K::Arguments
        && rules.word_around(cx, level + 2).is_some_and(|word| FUNCTIONS.contains(&word))
}

/// Whether the call at `level` is `f(…)` of `def f(…)`, or a test with its context.
fn head(rules: &Elixir, cx: &Cx, level: usize) -> bool {
    if rules.word_around(cx, level).is_some_and(|word| TESTS.contains(&word)) {
        return true;
    }
    // In `def f(x) when g(x)` only what stands before `when` is the head.
    let guarded = rules.ancestor_kind(cx, level + 1) == K::Binary;
    if guarded && cx.ancestor(level).is_some_and(|frame| frame.field != rules.left) {
        return false;
    }
    let list = level + if guarded { 2 } else { 1 };
    rules.ancestor_kind(cx, list) == K::Arguments
        && rules.word_around(cx, list + 1).is_some_and(|word| FUNCTIONS.contains(&word))
}
