//! Operators, as calls of the methods that are called like them.

use cruxe_model::facts::Expr;
use tree_sitter::Node;

use super::{K, Ruby};
use crate::walk::Cx;

impl Ruby {
    /// `a + b`, `a += b`; `a != b` asks `a == b`.
    pub(super) fn binary(&self, cx: &mut Cx) {
        let node = cx.node();
        let (Some(left), Some(operator)) = (node.child_by_field_id(self.left), node.child_by_field_id(self.operator))
        else {
            return;
        };
        let word = cx.text_of(&operator);
        let method = match word {
            "&&" | "||" | "and" | "or" | "&&=" | "||=" => return,
            "!=" => "==",
            "!~" => "=~",
            _ if self.is(&node, K::OperatorAssignment) => word.strip_suffix('=').unwrap_or(word),
            word => word,
        };
        self.operator(cx, method, operator.start_byte(), &left);
    }

    /// `-a`, `~a`.
    pub(super) fn unary(&self, cx: &mut Cx) {
        let node = cx.node();
        let operator = node.child_by_field_id(self.operator);
        let method = match operator.map(|operator| cx.text_of(&operator)) {
            Some("-") => "-@",
            Some("+") => "+@",
            Some("~") => "~",
            _ => return,
        };
        if let Some(operand) = node.child_by_field_name("operand") {
            self.operator(cx, method, node.start_byte(), &operand);
        }
    }

    /// `a[b]`, `a[b] = c`.
    pub(super) fn subscript(&self, cx: &mut Cx) {
        let node = cx.node();
        let Some(object) = node.child_by_field_id(self.object) else { return };
        let set = self.ancestor_is(cx, 1, K::Assignment) && cx.field() == self.left;
        if let Some(bracket) = cx.text[object.end_byte()..node.end_byte()].find('[') {
            self.operator(cx, if set { "[]=" } else { "[]" }, object.end_byte() + bracket, &object);
        }
    }

    fn operator<'s>(&self, cx: &mut Cx<'_, 's, '_>, method: &'s str, start: usize, operand: &Node) {
        let receiver = self.expr(cx, operand, 0);
        if !matches!(cx.expr_at(receiver), Expr::Literal(_)) {
            cx.operator(method, start as u32, receiver, None);
        }
    }
}

#[cfg(test)]
mod tests {
    use cruxe_model::facts::Role;

    use crate::languages::fixture_tests::extract;

    #[test]
    fn operators_are_calls_of_methods() {
        let text = "a + b\na != b\na << 1\n-a\na[0]\na[0] = 1\na += b\na && b\na ||= b\n!a\n1 + a\n'x' == a\n";
        let facts = extract("a.rb", text);
        let all = facts.occurrences.iter().filter(|one| one.role == Role::Operator);
        let all: Vec<&str> = all.map(|one| facts.name(one.name)).collect();
        assert_eq!(all, ["+", "==", "<<", "-@", "[]", "[]=", "+"]);
    }
}
