//! Rust expressions and types, as far as they help to find the type of a receiver.

use cruxe_model::facts::{Expr, ExprId, NameId, TypeId};
use tree_sitter::Node;

use super::{K, Rust};
use crate::walk::Cx;

/// Longer chains and deeper types than this are not followed.
const MAX_STEPS: u32 = 24;

impl Rust {
    pub(super) fn expr(&self, cx: &mut Cx, node: &Node, steps: u32) -> ExprId {
        if steps > MAX_STEPS {
            return cx.expr(Expr::Unknown);
        }
        let fields = &self.fields;
        let of = |field: u16| node.child_by_field_id(field);
        let same = match self.k(node) {
            K::GenericFunction => of(fields.function),
            K::Transparent => last_named(node),
            K::BlockExpr => last_named(node),
            K::Block => last_named(node).filter(|last| self.is_value(last)),
            K::If => of(fields.consequence),
            K::Match => self.first_arm(node),
            _ => None,
        };
        if let Some(inner) = same {
            return self.expr(cx, &inner, steps + 1);
        }
        let typed = |ty: Option<TypeId>| ty.map_or(Expr::Unknown, Expr::Typed);
        let expr = match self.k(node) {
            K::SelfValue => Expr::SelfValue,
            K::Identifier | K::TypeIdentifier | K::FieldIdentifier | K::PrimitiveType => Expr::Name(cx.name_of(node)),
            K::ScopedPath | K::GenericType | K::BracketedType | K::Super | K::Crate => {
                return self.path_expr(cx, node, steps);
            }
            K::FieldExpr => match (of(fields.value), of(fields.field)) {
                (Some(value), Some(field)) => {
                    let base = self.expr(cx, &value, steps + 1);
                    Expr::Member(base, cx.name_of(&field))
                }
                _ => Expr::Unknown,
            },
            K::Call => match of(fields.function) {
                Some(function) => Expr::Call(self.expr(cx, &function, steps + 1)),
                None => Expr::Unknown,
            },
            K::Await | K::Try => match node.named_child(0) {
                Some(inner) => Expr::Unwrap(self.expr(cx, &inner, steps + 1)),
                None => Expr::Unknown,
            },
            K::Index => match node.named_child(0) {
                Some(base) => Expr::Index(self.expr(cx, &base, steps + 1)),
                None => Expr::Unknown,
            },
            K::StructExpr => typed(of(fields.name).and_then(|ty| self.type_ref(cx, &ty, steps + 1))),
            K::TypeCast => typed(of(fields.ty).and_then(|ty| self.type_ref(cx, &ty, steps + 1))),
            K::MacroCall => self.macro_value(cx, node),
            K::Str => literal(cx, "str"),
            K::Int => literal(cx, "int"),
            K::Float => literal(cx, "float"),
            K::Char => literal(cx, "char"),
            K::Bool => literal(cx, "bool"),
            K::Array => literal(cx, "list"),
            K::Closure => literal(cx, "fn"),
            _ => Expr::Unknown,
        };
        cx.expr(expr)
    }

    /// Whether the last child of a block is the block's value.
    fn is_value(&self, last: &Node) -> bool {
        use K::*;
        !matches!(
            self.k(last),
            ExpressionStatement | EmptyStatement | Let | LineComment | BlockComment | AttributeItem | Lifetime
        )
    }

    fn first_arm<'t>(&self, node: &Node<'t>) -> Option<Node<'t>> {
        let block = node.child_by_field_id(self.fields.body)?;
        let mut cursor = block.walk();
        let arm = block.named_children(&mut cursor).find(|child| self.k(child) == K::MatchArm)?;
        arm.child_by_field_id(self.fields.value)
    }

    /// What the macros that everyone knows give.
    fn macro_value(&self, cx: &mut Cx, node: &Node) -> Expr {
        let name = node.child_by_field_id(self.fields.macro_).map_or("", |name| cx.text_of(&name));
        let ty = match name {
            "format" => "String",
            "vec" => "Vec",
            "matches" | "cfg" => return literal(cx, "bool"),
            "concat" | "stringify" | "include_str" | "env" | "file" => return literal(cx, "str"),
            _ => return Expr::Unknown,
        };
        let name = cx.owned_name(ty.to_owned());
        Expr::Typed(cx.ty(vec![name], Vec::new()))
    }

    /// A path, or a type in the place of one, as names: `a::B` is the member `B` of `a`, arguments are left out.
    pub(super) fn path_expr(&self, cx: &mut Cx, node: &Node, steps: u32) -> ExprId {
        let names = self.path_nodes(node, steps);
        let mut path = None;
        for name in names.iter().rev() {
            path = Some(self.extend(cx, path, name));
        }
        match path {
            Some(path) => path,
            None => {
                let ty = self.type_ref(cx, node, steps).map_or(Expr::Unknown, Expr::Typed);
                cx.expr(ty)
            }
        }
    }

    /// A path with one more name.
    pub(super) fn extend(&self, cx: &mut Cx, path: Option<ExprId>, name: &Node) -> ExprId {
        let is_super = self.k(name) == K::Super;
        let name = cx.name_of(name);
        cx.expr(match path {
            Some(path) => Expr::Member(path, name),
            None if is_super => Expr::Super,
            None => Expr::Name(name),
        })
    }

    /// The names of a path, last first; empty for a type that has none.
    fn path_nodes<'t>(&self, node: &Node<'t>, steps: u32) -> Vec<Node<'t>> {
        let fields = &self.fields;
        let mut names = Vec::new();
        let mut rest = Some(*node);
        for _ in steps..=MAX_STEPS {
            let Some(node) = rest else { return names };
            rest = match self.k(&node) {
                K::ScopedPath => {
                    names.extend(node.child_by_field_id(fields.name));
                    node.child_by_field_id(fields.path)
                }
                K::GenericType => node.child_by_field_id(fields.ty).or_else(|| node.named_child(0)),
                K::QualifiedType | K::PointerType => node.child_by_field_id(fields.ty),
                K::TraitType => node.child_by_field_id(fields.trait_),
                K::BracketedType | K::BoundedType => node.named_child(0),
                K::Identifier | K::TypeIdentifier | K::PrimitiveType | K::SelfValue | K::Super | K::Crate => {
                    names.push(node);
                    None
                }
                _ => return Vec::new(),
            };
        }
        names
    }

    pub(super) fn type_ref(&self, cx: &mut Cx, node: &Node, steps: u32) -> Option<TypeId> {
        if steps > MAX_STEPS {
            return None;
        }
        let fields = &self.fields;
        let of = |field: u16| node.child_by_field_id(field);
        match self.k(node) {
            K::Identifier
            | K::TypeIdentifier
            | K::PrimitiveType
            | K::ScopedPath
            | K::GenericType
            | K::BracketedType => {
                let path: Vec<NameId> =
                    self.path_nodes(node, steps).iter().rev().map(|name| cx.name_of(name)).collect();
                let args = of(fields.type_arguments).map(|args| self.type_list(cx, &args, steps)).unwrap_or_default();
                (!path.is_empty()).then(|| cx.ty(path, args))
            }
            K::PointerType | K::HigherRanked | K::QualifiedType => self.type_ref(cx, &of(fields.ty)?, steps + 1),
            K::TraitType => self.type_ref(cx, &of(fields.trait_)?, steps + 1),
            K::BoundedType => {
                let mut cursor = node.walk();
                let first = node.named_children(&mut cursor).find(|child| self.k(child) != K::Lifetime)?;
                self.type_ref(cx, &first, steps + 1)
            }
            K::FunctionType => {
                let result = of(fields.return_type).and_then(|ty| self.type_ref(cx, &ty, steps + 1));
                let path = match of(fields.trait_) {
                    Some(name) => self.path_nodes(&name, steps).iter().rev().map(|name| cx.name_of(name)).collect(),
                    None => vec![cx.owned_name("fn".to_owned())],
                };
                Some(cx.ty(path, result.into_iter().collect()))
            }
            K::ArrayType => {
                let element = of(fields.element).and_then(|ty| self.type_ref(cx, &ty, steps + 1));
                let name = cx.owned_name("[]".to_owned());
                Some(cx.ty(vec![name], element.into_iter().collect()))
            }
            K::TupleType | K::UnitType => {
                let args = self.type_list(cx, node, steps);
                let name = cx.owned_name("()".to_owned());
                Some(cx.ty(vec![name], args))
            }
            _ => None,
        }
    }

    /// Type arguments or the parts of a tuple. `T` of `Iterator<Item = T>` counts like an argument.
    fn type_list(&self, cx: &mut Cx, list: &Node, steps: u32) -> Vec<TypeId> {
        let mut cursor = list.walk();
        let mut types = Vec::new();
        for part in list.named_children(&mut cursor) {
            let part =
                if self.k(&part) == K::TypeBinding { part.child_by_field_id(self.fields.ty) } else { Some(part) };
            types.extend(part.and_then(|part| self.type_ref(cx, &part, steps + 1)));
        }
        types
    }

    /// The node that names a type: `AuthHandler` of `path::AuthHandler<T>`, `T` of `&mut T`; the whole for a type
    /// without a name.
    pub(super) fn type_name<'t>(&self, node: &Node<'t>) -> Node<'t> {
        self.path_nodes(node, 0).first().copied().unwrap_or(*node)
    }
}

fn last_named<'t>(node: &Node<'t>) -> Option<Node<'t>> {
    node.named_child(node.named_child_count().checked_sub(1)? as u32)
}

pub(super) fn literal(cx: &mut Cx, word: &'static str) -> Expr {
    Expr::Literal(cx.owned_name(word.to_owned()))
}
