//! Operators, as calls of the functions that a class may have for them.
//!
//! Most operators of a program work on numbers and pointers. Those that show it in the file itself are left out here; what is
//! left is decided where types are known.

use cruxe_model::arguments::{Argument, Arguments};
use cruxe_model::facts::Expr;

use crate::languages::broad::operators::function;
use crate::languages::broad::{Broad, Find, Shape, Syntax};
use crate::walk::{Cx, Walk};

/// `a + b`, `a += b`.
pub(super) fn binary(rules: &Broad, cx: &mut Cx) -> Option<Walk> {
    let node = cx.node();
    let [left, operator, right] = ["left", "operator", "right"].map(|field| child(&node, field));
    let (left, operator, right) = (left?, operator?, right?);
    let function = function(cx.text_of(&operator))?;
    let compares = is_comparison(cx.text_of(&operator));
    let basic = [basic(cx, &left), basic(cx, &right)];
    if basic.contains(&Some(Basic::Pointer)) || basic.iter().all(Option::is_some) {
        return None;
    }
    if compares && (is_number(&right) || is_number(&left)) {
        return None;
    }
    let arguments = Arguments::new([rules.operand(cx, &right)].into_iter());
    note(rules, cx, function, &operator, &left, arguments)
}

/// `-a`, `*a`, `++a`, `a++`.
pub(super) fn unary(rules: &Broad, cx: &mut Cx) -> Option<Walk> {
    let node = cx.node();
    let (operator, operand) = (child(&node, "operator")?, child(&node, "argument")?);
    let word = cx.text_of(&operator);
    let function = function(word).filter(|_| word != "&")?;
    if basic(cx, &operand).is_some() {
        return None;
    }
    // The function of `a++` takes a number that nobody passes.
    let behind = operator.start_byte() > operand.start_byte();
    let arguments = Arguments::new([Argument::Int].into_iter().take(usize::from(behind)));
    note(rules, cx, function, &operator, &operand, arguments)
}

/// `a[b]`.
pub(super) fn subscript(rules: &Broad, cx: &mut Cx) -> Option<Walk> {
    let node = cx.node();
    let (base, list) = (child(&node, "argument")?, child(&node, "indices")?);
    let index = list.named_child(0)?;
    if basic(cx, &base).is_some() {
        return None;
    }
    let arguments = Arguments::new([rules.operand(cx, &index)].into_iter());
    note(rules, cx, "operator[]", &list, &base, arguments)
}

/// What an operator gives: a stream is passed on, a comparison is a truth.
pub(super) fn value(node: &Syntax) -> Shape {
    match child(node, "operator").map(|operator| operator.kind()) {
        Some("<<" | ">>") => Shape::Inner(Find::Field("left")),
        Some("==" | "!=" | "<" | ">" | "<=" | ">=" | "&&" | "||" | "and" | "or" | "not_eq") => Shape::Literal("bool"),
        _ => Shape::Unknown,
    }
}

fn note(
    rules: &Broad,
    cx: &mut Cx,
    function: &'static str,
    operator: &Syntax,
    operand: &Syntax,
    arguments: Option<Arguments>,
) -> Option<Walk> {
    let receiver = rules.expr(cx, operand);
    // What `*p` points at is no pointer, whatever `p` is.
    let receiver = match operand.kind() {
        "pointer_expression" => cx.expr(Expr::Unwrap(receiver)),
        _ => receiver,
    };
    if !matches!(cx.expr_at(receiver), Expr::Literal(_)) {
        cx.operator(function, operator.start_byte() as u32, receiver, arguments);
    }
    None
}

fn child<'t>(node: &Syntax<'t>, field: &'static str) -> Option<Syntax<'t>> {
    Find::Field(field).find(node)
}

fn is_comparison(operator: &str) -> bool {
    matches!(operator, "==" | "!=" | "<" | ">" | "<=" | ">=")
}

fn is_number(node: &Syntax) -> bool {
    matches!(
        node.kind(),
        "number_literal" | "char_literal" | "true" | "false" | "null" | "nullptr" | "sizeof_expression"
    )
}

/// What has the operators of the language.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Basic {
    /// A number, a truth, a text of the language.
    Value,
    /// A pointer or an array: with one of them on either side no function is asked.
    Pointer,
}

/// What an operand is by what the file says of it.
fn basic(cx: &Cx, node: &Syntax) -> Option<Basic> {
    match node.kind() {
        "identifier" => bound_to(cx, cx.text_of(node)),
        "string_literal" => Some(Basic::Value),
        "this" | "null" => Some(Basic::Pointer),
        "pointer_expression" => {
            let operator = child(node, "operator")?;
            (operator.kind() == "&").then_some(Basic::Pointer)
        }
        "parenthesized_expression" => basic(cx, &node.named_child(0)?),
        "update_expression" | "unary_expression" => basic(cx, &child(node, "argument")?),
        _ => is_number(node).then_some(Basic::Value),
    }
}

/// What a local is declared as.
fn bound_to(cx: &Cx, name: &str) -> Option<Basic> {
    let binding = cx.bound(name)?;
    let start = binding.start as usize;
    if cx.text[..start].trim_end().ends_with('*') || cx.text[start + name.len()..].trim_start().starts_with('[') {
        return Some(Basic::Pointer);
    }
    let ty = &cx.facts.types[binding.ty?.0 as usize];
    let [word] = ty.path[..] else { return None };
    let word = cx.name_at(word);
    let first = word.split_whitespace().next().unwrap_or_default();
    let sized = word.strip_suffix("_t").is_some_and(|word| word.contains("int") || word.ends_with("size"));
    (sized || BASIC.contains(&first)).then_some(Basic::Value)
}

const BASIC: &[&str] =
    &["int", "bool", "char", "long", "short", "unsigned", "signed", "float", "double", "size_t", "ptrdiff_t"];

#[cfg(test)]
mod tests {
    use crate::languages::fixture_tests::extract;

    /// The functions behind the operators of a text.
    fn operators(text: &str) -> Vec<String> {
        let facts = extract("a.cc", text);
        let all = facts.occurrences.iter().filter(|one| one.role == cruxe_model::facts::Role::Operator);
        all.map(|one| facts.name(one.name).to_owned()).collect()
    }

    #[test]
    fn operators_are_calls_where_a_class_may_be_meant() {
        let text = "int f(V a, V b) { a + b; a += b; -a; *a; ++a; a[b]; a << b << 1; return a == b && !a; }";
        let all = ["+", "+=", "-", "*", "++", "[]", "<<", "<<", "=="].map(|sign| format!("operator{sign}"));
        assert_eq!(operators(text), all);
    }

    #[test]
    fn numbers_and_pointers_have_no_functions() {
        let text = "int f(int a, V *p, size_t n, char c[4], unsigned long m, uint8_t k) {
            a + n; p == p; p[1]; *p; &a; c[0]; ++a; m -= a; this == p; k | m; a = n; 1 + 2; x == 0; nullptr != y;
            for (int i = 0; i < n; i++) p++;
            return a < n;
        }";
        assert_eq!(operators(text), Vec::<String>::new());
        assert_eq!(operators("int f(V *p, V v, int n) { return *p == v || n * v; }"), ["operator==", "operator*"]);
    }
}
