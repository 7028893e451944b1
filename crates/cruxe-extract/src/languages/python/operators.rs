//! Operators, and the built-in functions that ask a value: calls of the methods that a class may have for them.

use std::num::NonZeroU16;

use tree_sitter::Node;

use super::expr::literal_word;
use super::{K, Python};
use crate::walk::Cx;

/// An operator, its method, and the one for `a += b`, which goes before it.
const BINARY: &[(&str, &str, &str)] = &[
    ("+", "__add__", "__iadd__"),
    ("-", "__sub__", "__isub__"),
    ("*", "__mul__", "__imul__"),
    ("/", "__truediv__", "__itruediv__"),
    ("//", "__floordiv__", "__ifloordiv__"),
    ("%", "__mod__", "__imod__"),
    ("**", "__pow__", "__ipow__"),
    ("@", "__matmul__", "__imatmul__"),
    ("&", "__and__", "__iand__"),
    ("|", "__or__", "__ior__"),
    ("^", "__xor__", "__ixor__"),
    ("<<", "__lshift__", "__ilshift__"),
    (">>", "__rshift__", "__irshift__"),
];

const COMPARED: &[(&str, &str)] = &[
    ("==", "__eq__"),
    ("!=", "__ne__"),
    ("<", "__lt__"),
    (">", "__gt__"),
    ("<=", "__le__"),
    (">=", "__ge__"),
    ("in", "__contains__"),
    ("not in", "__contains__"),
];

const UNARY: &[(&str, &str)] = &[("-", "__neg__"), ("+", "__pos__"), ("~", "__invert__")];

const ASKED: &[(&str, &str)] = &[
    ("len", "__len__"),
    ("iter", "__iter__"),
    ("next", "__next__"),
    ("str", "__str__"),
    ("repr", "__repr__"),
    ("bool", "__bool__"),
    ("int", "__int__"),
    ("float", "__float__"),
    ("bytes", "__bytes__"),
    ("hash", "__hash__"),
    ("abs", "__abs__"),
    ("reversed", "__reversed__"),
    ("format", "__format__"),
];

fn method(of: &str, methods: &[(&str, &'static str)]) -> Option<&'static str> {
    methods.iter().find(|(operator, _)| *operator == of).map(|(_, method)| *method)
}

impl Python {
    /// `a + b`, `a += b`.
    pub(super) fn binary_operator(&self, cx: &mut Cx) {
        let node = cx.node();
        let (Some(left), Some(operator)) = (node.child_by_field_id(self.left), node.child_by_field_id(self.operator))
        else {
            return;
        };
        let word = cx.text_of(&operator);
        let plain = word.strip_suffix('=').unwrap_or(word);
        let Some((_, method, in_place)) = BINARY.iter().find(|(operator, ..)| *operator == plain) else { return };
        // `int | None` is a type.
        let above = (1..).map(|level| self.kind_at(cx, level)).find(|kind| *kind != K::Binary);
        if word == "|" && above == Some(K::Type) {
            return;
        }
        let start = operator.start_byte() as u32;
        if plain.len() == word.len() {
            self.operator(cx, method, start, &left);
        } else {
            self.operator(cx, in_place, start, &left);
            self.operator(cx, method, start + 1, &left);
        }
    }

    /// `a < b <= c`, `a in b`.
    pub(super) fn comparison(&self, cx: &mut Cx) {
        let node = cx.node();
        let mut cursor = node.walk();
        let operands: Vec<Node> = self.parts(&node, &mut cursor).collect();
        let mut cursor = node.walk();
        let Some(field) = NonZeroU16::new(self.operators) else { return };
        let operators: Vec<Node> = node.children_by_field_id(field, &mut cursor).collect();
        for (operator, pair) in operators.iter().zip(operands.windows(2)) {
            let [left, right] = pair else { continue };
            let Some(method) = method(cx.text_of(operator), COMPARED) else { continue };
            let literal = |one: &Node| literal_word(self.kind(one)).is_some();
            match method {
                "__contains__" => self.operator(cx, method, operator.start_byte() as u32, right),
                _ if literal(left) || literal(right) => {}
                _ => self.operator(cx, method, operator.start_byte() as u32, left),
            }
        }
    }

    /// `-a`.
    pub(super) fn unary_operator(&self, cx: &mut Cx) {
        let node = cx.node();
        let operator = node.child_by_field_id(self.operator);
        let method = operator.and_then(|operator| method(cx.text_of(&operator), UNARY));
        if let (Some(method), Some(operand)) = (method, node.child_by_field_id(self.argument)) {
            self.operator(cx, method, node.start_byte() as u32, &operand);
        }
    }

    /// `a[b]`, `a[b] = c`, `del a[b]`.
    pub(super) fn subscript(&self, cx: &mut Cx) {
        let node = cx.node();
        let (Some(base), Some(index)) = (node.child_by_field_id(self.value), node.child_by_field_id(self.subscript))
        else {
            return;
        };
        let method = match self.kind_at(cx, 1) {
            K::Type => return,
            K::Assignment if cx.field() == self.left => "__setitem__",
            K::Delete => "__delitem__",
            _ => "__getitem__",
        };
        // The bracket: only blanks and comments may stand before the index.
        let bracket = cx.text[base.end_byte()..index.start_byte()].find('[');
        if let Some(bracket) = bracket {
            self.operator(cx, method, (base.end_byte() + bracket) as u32, &base);
        }
    }

    /// `len(a)`.
    pub(super) fn asked(&self, cx: &mut Cx) {
        let node = cx.node();
        let Some(function) = node.child_by_field_id(self.function).filter(|name| self.kind(name) == K::Identifier)
        else {
            return;
        };
        let Some(method) = method(cx.text_of(&function), ASKED) else { return };
        let Some(list) = node.child_by_field_id(self.arguments) else { return };
        let mut cursor = list.walk();
        let mut arguments = self.parts(&list, &mut cursor);
        if let (Some(one), None) = (arguments.next(), arguments.next())
            && !matches!(self.kind(&one), K::KeywordArgument | K::ListSplat | K::Generator)
        {
            self.operator(cx, method, list.start_byte() as u32, &one);
        }
    }

    fn operator(&self, cx: &mut Cx, method: &'static str, start: u32, operand: &Node) {
        if literal_word(self.kind(operand)).is_none() {
            let receiver = self.expr(cx, operand, 0);
            cx.operator(method, start, receiver, None);
        }
    }
}

#[cfg(test)]
mod tests {
    use cruxe_model::facts::Role;

    use crate::languages::fixture_tests::extract;

    /// The methods behind the operators of a text.
    fn operators(text: &str) -> Vec<String> {
        let facts = extract("a.py", text);
        let all = facts.occurrences.iter().filter(|one| one.role == Role::Operator);
        all.map(|one| facts.name(one.name).trim_matches('_').to_owned()).collect()
    }

    #[test]
    fn operators_are_calls_of_methods() {
        assert_eq!(
            operators("a | b\na // b\n-a\na[0]\na[0] = 1\ndel a[0]\n").join(" "),
            "or floordiv neg getitem setitem delitem"
        );
        assert_eq!(operators("a < b <= c\nx in y\nx not in y\n").join(" "), "lt le contains contains");
        assert_eq!(operators("a |= b\n").join(" "), "ior or");
        assert_eq!(operators("len(a)\nstr(b)\nlen(a, b)\nx.len(a)\n").join(" "), "len str");
    }

    #[test]
    fn literals_have_no_methods_of_ours() {
        let text = "'%s' % a\n1 + a\na == 'x'\nNone != a\nlen('x')\na is b\nnot a\nx: List[int] | A | None = a and b\n";
        assert_eq!(operators(text), Vec::<String>::new());
    }
}
