//! Go expressions and types, as far as they help to find the type of a receiver.

use cruxe_model::facts::{Expr, ExprId, TypeId};
use tree_sitter::Node;

use super::{Go, K};
use crate::walk::Cx;

/// Longer chains than this are not followed.
const MAX_STEPS: u32 = 12;

impl Go {
    /// The value that the `at`-th name of `a, b := f(), g()` gets. With one call for several names only the first is
    /// known to get the call's first result.
    pub(super) fn value_at(&self, cx: &mut Cx, list: &Node, at: usize) -> Option<ExprId> {
        let value = list.named_child(at as u32)?;
        Some(self.expr(cx, &value, 0))
    }

    pub(super) fn expr(&self, cx: &mut Cx, node: &Node, steps: u32) -> ExprId {
        if steps > MAX_STEPS {
            return cx.expr(Expr::Unknown);
        }
        let inner = |field: &str| node.child_by_field_name(field);
        let expr = match node.kind() {
            "identifier" | "field_identifier" | "type_identifier" | "package_identifier" => {
                Expr::Name(cx.name_of(node))
            }
            "selector_expression" => match (inner("operand"), inner("field")) {
                (Some(operand), Some(field)) => {
                    let base = self.expr(cx, &operand, steps + 1);
                    Expr::Member(base, cx.name_of(&field))
                }
                _ => Expr::Unknown,
            },
            "call_expression" => match inner("function") {
                Some(function) if matches!(cx.text_of(&function), "new" | "make") => {
                    let ty = inner("arguments").and_then(|list| list.named_child(0));
                    ty.and_then(|ty| self.type_ref(cx, &ty)).map_or(Expr::Unknown, Expr::Typed)
                }
                Some(function) => {
                    let callee = self.expr(cx, &function, steps + 1);
                    Expr::Call(callee)
                }
                None => Expr::Unknown,
            },
            "index_expression" => match inner("operand") {
                Some(operand) => Expr::Index(self.expr(cx, &operand, steps + 1)),
                None => Expr::Unknown,
            },
            "composite_literal" | "type_assertion_expression" | "type_conversion_expression" => {
                inner("type").and_then(|ty| self.type_ref(cx, &ty)).map_or(Expr::Unknown, Expr::Typed)
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

    /// The first result of `(T, error)`, or the result itself.
    pub(super) fn result_type(&self, cx: &mut Cx, node: &Node) -> Option<TypeId> {
        if node.kind() != "parameter_list" {
            return self.type_ref(cx, node);
        }
        let first = node.named_child(0)?.child_by_field_name("type")?;
        self.type_ref(cx, &first)
    }

    pub(super) fn type_ref(&self, cx: &mut Cx, node: &Node) -> Option<TypeId> {
        match node.kind() {
            "type_identifier" | "identifier" => {
                let name = cx.name_of(node);
                Some(cx.ty(vec![name], Vec::new()))
            }
            "qualified_type" => {
                let (package, name) = (node.child_by_field_name("package")?, node.child_by_field_name("name")?);
                let path = vec![cx.name_of(&package), cx.name_of(&name)];
                Some(cx.ty(path, Vec::new()))
            }
            "pointer_type" | "parenthesized_type" | "type_elem" => self.type_ref(cx, &node.named_child(0)?),
            "generic_type" => self.type_ref(cx, &node.child_by_field_name("type")?),
            "slice_type" | "array_type" | "implicit_length_array_type" => {
                self.unnamed(cx, "[]", node.child_by_field_name("element"))
            }
            "map_type" | "channel_type" => self.unnamed(cx, "[]", node.child_by_field_name("value")),
            "function_type" => self.unnamed(cx, "fn", node.child_by_field_name("result")),
            _ => None,
        }
    }

    fn unnamed(&self, cx: &mut Cx, word: &'static str, inner: Option<Node>) -> Option<TypeId> {
        let args = inner.and_then(|inner| self.type_ref(cx, &inner)).into_iter().collect();
        let name = cx.owned_name(word.to_owned());
        Some(cx.ty(vec![name], args))
    }

    /// The name of a type without package, pointer and arguments.
    pub(super) fn last_type_name<'t>(&self, node: &Node<'t>) -> Option<Node<'t>> {
        match self.kinds.get(node.kind_id()) {
            K::TypeIdentifier => Some(*node),
            K::QualifiedType => node.child_by_field_name("name"),
            _ => self.last_type_name(&node.child_by_field_name("type").or_else(|| node.named_child(0))?),
        }
    }
}

fn literal(cx: &mut Cx, word: &'static str) -> Expr {
    Expr::Literal(cx.owned_name(word.to_owned()))
}
