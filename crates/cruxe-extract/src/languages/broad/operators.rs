//! Operators, as calls of the functions that a type may have for them.

use cruxe_model::arguments::Arguments;
use cruxe_model::facts::Expr;

use super::{Broad, Find};
use crate::walk::{Cx, Walk};

/// The functions behind operators, in languages that call them so. Those of `&&`, `||`, `,`, `=`, `!`, `&x` and `->` are hardly
/// ever written, or make themselves.
const FUNCTIONS: &[&str] = &[
    "operator+",
    "operator-",
    "operator*",
    "operator/",
    "operator%",
    "operator^",
    "operator&",
    "operator|",
    "operator~",
    "operator==",
    "operator!=",
    "operator<",
    "operator>",
    "operator<=",
    "operator>=",
    "operator<=>",
    "operator<<",
    "operator>>",
    "operator+=",
    "operator-=",
    "operator*=",
    "operator/=",
    "operator%=",
    "operator^=",
    "operator&=",
    "operator|=",
    "operator<<=",
    "operator>>=",
    "operator++",
    "operator--",
];

/// The function behind an operator, where its name begins with `operator`.
pub fn function(operator: &str) -> Option<&'static str> {
    let is_it = |function: &&&str| function.strip_prefix("operator") == Some(operator);
    FUNCTIONS.iter().find(is_it).copied()
}

/// The function behind an operator that is called like it.
pub fn itself(operator: &str) -> Option<&str> {
    let own = ["&&", "||", "??", "=", "===", "!==", "...", "..<"];
    (!operator.starts_with(|c: char| c.is_alphanumeric()) && !own.contains(&operator)).then_some(operator)
}

/// Notes an operator between two values, which stand in the first and the last of three fields.
pub fn infix(
    rules: &Broad,
    cx: &mut Cx,
    fields: [&'static str; 3],
    name: for<'a> fn(&'a str) -> Option<&'a str>,
) -> Option<Walk> {
    let node = cx.node();
    let [left, operator, right] = fields.map(|field| Find::Field(field).find(&node));
    let (left, operator, right) = (left?, operator?, right?);
    let name = name(cx.text_of(&operator))?;
    let receiver = rules.expr(cx, &left);
    let numbers = [receiver, rules.expr(cx, &right)].map(|one| matches!(cx.expr_at(one), Expr::Literal(_)));
    if numbers != [true, true] {
        let arguments = Arguments::new([rules.operand(cx, &right)].into_iter());
        cx.operator(name, operator.start_byte() as u32, receiver, arguments);
    }
    None
}

#[cfg(test)]
mod tests {
    use cruxe_model::facts::Role;

    use crate::languages::fixture_tests::extract;

    /// The functions or signs that the operators of a text are noted by.
    fn operators(path: &str, text: &str) -> String {
        let facts = extract(path, text);
        let all = facts.occurrences.iter().filter(|one| one.role == Role::Operator);
        all.map(|one| facts.name(one.name)).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn operators_are_noted_by_language() {
        let kotlin = "fun f(a: V, b: V) { a + b; a += b; a[0]; a != b; a >= b; a && b; a ?: b; 1 + 2; a in b }\n";
        assert_eq!(operators("a.kt", kotlin), "+ += [] == <");
        let swift =
            "func f(a: V, b: V) { _ = a + b; _ = a * b; _ = a == b; _ = a < b; _ = a <> b; _ = a && b; _ = 1 + 2 }\n";
        assert_eq!(operators("a.swift", swift), "+ * == < <>");
        let scala = "object A { def f(a: V, b: V) = { a + b; a ~> b; a max b; a :: b; a && b } }\n";
        assert_eq!(operators("A.scala", scala), "+ ~> ::");
        let csharp = "class A { void F(V a, V b) { var x = a + b; x = a == b; x = a && b; x = 1 + 2; x = a ?? b; } }\n";
        assert_eq!(operators("A.cs", csharp), "operator+ operator==");
        let rust =
            "fn f(a: V, b: V) { a + b; a += b; a[0]; a != b; a >= b; a && b; -a; !b; *a; a == 1; 1 + 2; a = b; }\n";
        assert_eq!(operators("a.rs", rust), "+ += [] == < -@ !@");
    }
}
