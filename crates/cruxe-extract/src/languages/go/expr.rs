//! Go expressions and types, as far as they help to find the type of a receiver.

use cruxe_model::facts::{Expr, ExprId, TypeId};
use tree_sitter::Node;

use super::{Go, K};
use crate::walk::{Cx, children};

/// Longer chains than this are not followed.
const MAX_STEPS: u32 = 12;

impl Go {
    /// The value that the `at`-th name of `a, b := f(), g()` gets; of one call for several names its `at`-th result.
    pub(super) fn value_at(&self, cx: &mut Cx, list: &Node, at: usize) -> Option<ExprId> {
        if let (1, Some(only)) = (list.named_child_count(), list.named_child(0)) {
            let value = self.expr(cx, &only, 0);
            return match cx.expr_at(value) {
                Expr::Call(_) => Some(cx.expr(Expr::Part(value, at as u32))),
                _ => (at == 0).then_some(value),
            };
        }
        let value = list.named_child(at as u32)?;
        Some(self.expr(cx, &value, 0))
    }

    pub(super) fn expr(&self, cx: &mut Cx, node: &Node, steps: u32) -> ExprId {
        if steps > MAX_STEPS {
            return cx.expr(Expr::Unknown);
        }
        let inner = |field: u16| node.child_by_field_id(field);
        let expr = match node.kind() {
            "identifier" | "field_identifier" | "type_identifier" | "package_identifier" => {
                Expr::Name(cx.name_of(node))
            }
            "selector_expression" => match (inner(self.operand), inner(self.field)) {
                (Some(operand), Some(field)) => {
                    let base = self.expr(cx, &operand, steps + 1);
                    Expr::Member(base, cx.name_of(&field))
                }
                _ => Expr::Unknown,
            },
            "call_expression" => match inner(self.function) {
                Some(function) if matches!(cx.text_of(&function), "new" | "make") => {
                    let ty = inner(self.arguments).and_then(|list| list.named_child(0));
                    ty.and_then(|ty| self.type_ref(cx, &ty)).map_or(Expr::Unknown, Expr::Typed)
                }
                Some(function) => {
                    let callee = self.expr(cx, &function, steps + 1);
                    Expr::Call(callee)
                }
                None => Expr::Unknown,
            },
            "index_expression" => match inner(self.operand) {
                Some(operand) => Expr::Index(self.expr(cx, &operand, steps + 1)),
                None => Expr::Unknown,
            },
            "type_conversion_expression" if inner(self.ty).is_some_and(|ty| ty.kind() == "generic_type") => {
                let callee = inner(self.ty).and_then(|ty| ty.child_by_field_id(self.ty));
                match callee.map(|callee| self.expr(cx, &callee, steps + 1)) {
                    Some(callee) => Expr::Call(callee),
                    None => Expr::Unknown,
                }
            }
            "qualified_type" => match (inner(self.package), inner(self.name)) {
                (Some(package), Some(name)) => {
                    let base = self.expr(cx, &package, steps + 1);
                    Expr::Member(base, cx.name_of(&name))
                }
                _ => Expr::Unknown,
            },
            "composite_literal" | "type_assertion_expression" | "type_conversion_expression" => {
                inner(self.ty).and_then(|ty| self.type_ref(cx, &ty)).map_or(Expr::Unknown, Expr::Typed)
            }
            "unary_expression" | "parenthesized_expression" | "expression_list" => match node.named_child(0) {
                Some(operand) => return self.expr(cx, &operand, steps + 1),
                None => Expr::Unknown,
            },
            "interpreted_string_literal" | "raw_string_literal" => literal(cx, "str"),
            "int_literal" => literal(cx, "int"),
            "float_literal" => literal(cx, "float"),
            "true" | "false" => literal(cx, "bool"),
            "func_literal" => literal(cx, "fn"),
            _ => Expr::Unknown,
        };
        cx.expr(expr)
    }

    /// The type of a value that names it: `T{}`, `&T{}`.
    pub(super) fn literal_type(&self, cx: &mut Cx, value: &Node) -> Option<TypeId> {
        let id = self.expr(cx, value, 0);
        match cx.expr_at(id) {
            Expr::Typed(ty) => Some(*ty),
            _ => None,
        }
    }

    /// The result of a function: a tuple for `(T, error)`.
    pub(super) fn result_type(&self, cx: &mut Cx, node: &Node) -> Option<TypeId> {
        if node.kind() != "parameter_list" {
            return self.type_ref(cx, node);
        }
        let mut cursor = node.walk();
        let mut parts = Vec::new();
        for part in node.named_children(&mut cursor) {
            let Some(ty) = part.child_by_field_id(self.ty) else { continue };
            let ty = match self.type_ref(cx, &ty) {
                Some(ty) => ty,
                None => self.unnamed(cx, "_", None, 0)?,
            };
            let names = children(&part, self.name, &mut part.walk()).count().max(1);
            parts.extend(std::iter::repeat_n(ty, names));
        }
        match parts.as_slice() {
            [only] => Some(*only),
            _ => {
                let tuple = cx.name("()");
                Some(cx.ty(vec![tuple], parts))
            }
        }
    }

    pub(super) fn type_ref(&self, cx: &mut Cx, node: &Node) -> Option<TypeId> {
        self.type_at(cx, node, 0)
    }

    fn type_at(&self, cx: &mut Cx, node: &Node, steps: u32) -> Option<TypeId> {
        if steps > MAX_STEPS {
            return None;
        }
        match node.kind() {
            "type_identifier" | "identifier" | "qualified_type" => self.named(cx, node, Vec::new()),
            "pointer_type" | "parenthesized_type" | "type_elem" => self.type_at(cx, &node.named_child(0)?, steps + 1),
            "generic_type" => {
                let arguments = node.child_by_field_id(self.type_arguments)?;
                let mut cursor = arguments.walk();
                let mut args = Vec::new();
                for argument in arguments.named_children(&mut cursor) {
                    args.extend(self.type_at(cx, &argument, steps + 1));
                }
                self.named(cx, &node.child_by_field_id(self.ty)?, args)
            }
            "slice_type" | "array_type" | "implicit_length_array_type" => {
                self.unnamed(cx, "[]", node.child_by_field_id(self.element), steps)
            }
            "map_type" | "channel_type" => self.unnamed(cx, "[]", node.child_by_field_id(self.value), steps),
            "function_type" => self.unnamed(cx, "fn", node.child_by_field_id(self.result), steps),
            _ => None,
        }
    }

    /// `T` or `pkg.T`.
    fn named(&self, cx: &mut Cx, node: &Node, args: Vec<TypeId>) -> Option<TypeId> {
        let path = match node.child_by_field_id(self.package) {
            Some(package) => vec![cx.name_of(&package), cx.name_of(&node.child_by_field_id(self.name)?)],
            None => vec![cx.name_of(node)],
        };
        Some(cx.ty(path, args))
    }

    pub(super) fn unnamed(&self, cx: &mut Cx, word: &'static str, inner: Option<Node>, steps: u32) -> Option<TypeId> {
        let args = inner.and_then(|inner| self.type_at(cx, &inner, steps + 1)).into_iter().collect();
        let name = cx.name(word);
        Some(cx.ty(vec![name], args))
    }

    /// The name of a type without package, pointer and arguments.
    pub(super) fn last_type_name<'t>(&self, node: &Node<'t>) -> Option<Node<'t>> {
        let mut node = *node;
        for _ in 0..=MAX_STEPS {
            match self.kinds.get(node.kind_id()) {
                K::TypeIdentifier => return Some(node),
                K::QualifiedType => return node.child_by_field_id(self.name),
                _ => node = node.child_by_field_id(self.ty).or_else(|| node.named_child(0))?,
            }
        }
        None
    }
}

fn literal(cx: &mut Cx, word: &'static str) -> Expr {
    Expr::Literal(cx.name(word))
}
