//! Operators, noted by their signs: the methods of `std::ops` and `std::cmp` are called like many others.

use cruxe_model::facts::Expr;
use tree_sitter::Node;

use super::{K, Rust};
use crate::walk::Cx;

/// The method behind each sign. What compares asks one of two methods.
pub(super) const METHODS: &[(&str, &str)] = &[
    ("+", "add"),
    ("-", "sub"),
    ("*", "mul"),
    ("/", "div"),
    ("%", "rem"),
    ("&", "bitand"),
    ("|", "bitor"),
    ("^", "bitxor"),
    ("<<", "shl"),
    (">>", "shr"),
    ("+=", "add_assign"),
    ("-=", "sub_assign"),
    ("*=", "mul_assign"),
    ("/=", "div_assign"),
    ("%=", "rem_assign"),
    ("&=", "bitand_assign"),
    ("|=", "bitor_assign"),
    ("^=", "bitxor_assign"),
    ("<<=", "shl_assign"),
    (">>=", "shr_assign"),
    ("==", "eq"),
    ("<", "partial_cmp"),
    ("-@", "neg"),
    ("!@", "not"),
    ("[]", "index"),
];

impl Rust {
    /// `a + b`, `a += b`, `a == b`.
    pub(super) fn binary(&self, cx: &mut Cx) {
        let node = cx.node();
        let fields = [self.fields.left, self.fields.operator, self.fields.right];
        let [left, operator, right] = fields.map(|field| node.child_by_field_id(field));
        let (Some(left), Some(operator), Some(right)) = (left, operator, right) else { return };
        let sign = match cx.text_of(&operator) {
            "&&" | "||" | "=" => return,
            "!=" => "==",
            ">" | "<=" | ">=" => "<",
            sign => sign,
        };
        let compares = matches!(sign, "==" | "<");
        let right_is_literal = {
            let right = self.expr(cx, &right, 0);
            matches!(cx.expr_at(right), Expr::Literal(_))
        };
        if !(compares && right_is_literal) {
            self.operator(cx, sign, operator.start_byte(), &left);
        }
    }

    /// `-a`, `!a`.
    pub(super) fn unary(&self, cx: &mut Cx) {
        let node = cx.node();
        let sign = match node.child(0).map(|sign| sign.kind()) {
            Some("-") => "-@",
            Some("!") => "!@",
            _ => return,
        };
        if let Some(operand) = node.named_child(0) {
            self.operator(cx, sign, node.start_byte(), &operand);
        }
    }

    /// `a[b]`.
    pub(super) fn subscript(&self, cx: &mut Cx) {
        let node = cx.node();
        let Some(base) = node.named_child(0) else { return };
        if let Some(bracket) = cx.text[base.end_byte()..node.end_byte()].find('[') {
            self.operator(cx, "[]", base.end_byte() + bracket, &base);
        }
    }

    fn operator<'s>(&self, cx: &mut Cx<'_, 's, '_>, sign: &'s str, start: usize, operand: &Node) {
        let receiver = self.expr(cx, operand, 0);
        if !matches!(cx.expr_at(receiver), Expr::Literal(_)) && self.k(operand) != K::Closure {
            cx.operator(sign, start as u32, receiver, None);
        }
    }
}
