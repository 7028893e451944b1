//! What an identifier is used for, decided at the identifier from what is around it.

use cruxe_model::facts::{Expr, ExprId, Role, ScopeKind, Span};
use tree_sitter::Node;

use super::{K, Rust};
use crate::walk::Cx;

/// Names of types that are part of the language; in a path (`u8::MAX`) they refer to nothing of a code base.
const PRIMITIVES: &[&str] = &[
    "u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64", "u128", "i128", "isize", "usize", "f32", "f64", "bool",
    "str", "char",
];

/// How far the whole of a path is searched above one of its names.
const MAX_LEVELS: usize = 6;

pub(super) fn is_primitive(text: &str) -> bool {
    PRIMITIVES.contains(&text)
}

/// Types, traits and variants by convention; a leading `_` says nothing.
pub(super) fn is_upper(text: &str) -> bool {
    text.trim_start_matches('_').starts_with(char::is_uppercase)
}

impl Rust {
    pub(super) fn identifier(&self, cx: &mut Cx) {
        let node = cx.node();
        let fields = &self.fields;
        let Some(parent) = cx.parent() else { return };
        let field = cx.field();
        let (role, receiver) = match self.k(&parent) {
            K::Function
            | K::Struct
            | K::Union
            | K::Enum
            | K::Trait
            | K::TypeItem
            | K::AssociatedType
            | K::Const
            | K::Static
            | K::Mod
            | K::MacroDefinition
            | K::Variant
            | K::Field
            | K::TypeParam
            | K::ConstParam
                if field == fields.name =>
            {
                return;
            }
            K::ScopedPath if field == fields.name => {
                let path = parent.child_by_field_id(fields.path).map(|path| self.path_expr(cx, &path, 0));
                (self.role(cx, 1), path)
            }
            K::FieldExpr if field == fields.field => {
                let value = parent.child_by_field_id(fields.value).map(|value| self.expr(cx, &value, 0));
                (self.role(cx, 1), value)
            }
            K::FieldInit if field == fields.field => {
                let literal = cx.ancestor(3).and_then(|frame| frame.node.child_by_field_id(fields.name));
                (Role::Key, self.typed(cx, literal))
            }
            K::ShorthandInit => {
                let literal = cx.ancestor(3).and_then(|frame| frame.node.child_by_field_id(fields.name));
                match self.typed(cx, literal) {
                    // A use of the field as much as of the variable.
                    Some(ty) => (Role::Key, Some(ty)),
                    None => (Role::Value, None),
                }
            }
            K::FieldPattern if field == fields.name => {
                if self.k(&node) == K::ShorthandField {
                    self.bind_identifier(cx); // a name of its own and a use of the field
                }
                let pattern = cx.ancestor(2).and_then(|frame| frame.node.child_by_field_id(fields.ty));
                (Role::Unpack, self.typed(cx, pattern))
            }
            K::TypeBinding if field == fields.name => {
                let generic = cx.ancestor(3).and_then(|frame| frame.node.child_by_field_id(fields.ty));
                (Role::Type, generic.map(|ty| self.path_expr(cx, &ty, 0)))
            }
            _ if self.bind_identifier(cx) => return,
            _ => (self.role(cx, 0), None),
        };
        let text = cx.text_of(&node);
        if text == "_" || (field == fields.path && is_primitive(text)) {
            return;
        }
        cx.occurrence(&node, role, receiver);
    }

    fn typed(&self, cx: &mut Cx, ty: Option<Node>) -> Option<ExprId> {
        let ty = ty.and_then(|ty| self.type_ref(cx, &ty, 0))?;
        Some(cx.expr(Expr::Typed(ty)))
    }

    /// The role of the current identifier, which is the last name of the path or field access `level` levels above.
    fn role(&self, cx: &Cx, level: usize) -> Role {
        let text = cx.text_of(&cx.node());
        let fields = &self.fields;
        for level in level..level + MAX_LEVELS {
            let field = cx.ancestor(level).map_or(0, |frame| frame.field);
            match self.k_at(cx, level + 1) {
                K::Call if field == fields.function => return Role::Call,
                K::MacroCall if field == fields.macro_ => return Role::Call,
                // `f::<T>` and `T<U>` are used as what is before the arguments.
                K::GenericFunction | K::GenericType | K::HigherRanked => continue,
                K::ScopedPath => return if is_upper(text) { Role::Type } else { Role::Value },
                K::Attribute if field == 0 => return Role::Decorator,
                K::Impl if field == fields.trait_ => return Role::Implements,
                K::TraitBounds if self.k_at(cx, level + 2) == K::Trait => return Role::Extends,
                K::StructExpr if field == fields.name => return Role::Make,
                K::Assign if field == fields.left => return self.assigned(cx, level),
                K::Index | K::Transparent if self.is_set_inside(cx, level) => return Role::Write,
                _ => break,
            }
        }
        let type_name = matches!(self.k(&cx.node()), K::TypeIdentifier) || text == "Self";
        if type_name { Role::Type } else { Role::Value }
    }

    /// Whether an element of what is `level` levels above is assigned to, or what it points to: `x[0] = 1`, `*x += 1`.
    fn is_set_inside(&self, cx: &Cx, level: usize) -> bool {
        let holds = |level: &usize| {
            let (Some(inner), Some(outer)) = (cx.ancestor(*level), cx.ancestor(level + 1)) else { return false };
            let first = outer.node.named_child(0).is_some_and(|first| first.id() == inner.node.id());
            match self.kinds.get(outer.kind) {
                K::Index => first,
                K::Transparent => matches!(outer.node.child(0).map(|word| word.kind()), Some("*" | "(")),
                _ => false,
            }
        };
        let top = (level..level + MAX_LEVELS).find(|level| !holds(level)).unwrap_or(level);
        self.k_at(cx, top + 1) == K::Assign && cx.ancestor(top).is_some_and(|frame| frame.field == self.fields.left)
    }

    /// `name = value` among the arguments of a macro is a keyword of the macro, anywhere else a write.
    fn assigned(&self, cx: &Cx, level: usize) -> Role {
        let argument = matches!(self.k_at(cx, level + 2), K::Tuple)
            && self.k_at(cx, level + 3) == K::ExpressionStatement
            && self.k_at(cx, level + 4) == K::SourceFile;
        if argument { Role::Key } else { Role::Write }
    }

    /// The scope of what an `if let`, `while let` or `for` binds: its body, but not the value that is looked at, in
    /// which the same names mean something else (`if let Some(x) = x`).
    pub(super) fn open_body_scope(&self, cx: &mut Cx) {
        let node = cx.node();
        let fields = &self.fields;
        let body = node.child_by_field_id(fields.consequence).or_else(|| node.child_by_field_id(fields.body));
        let condition = node.child_by_field_id(fields.condition);
        let (Some(body), true) = (body, condition.is_none_or(|node| node.kind().starts_with("let"))) else { return };
        let start = match condition {
            // In a chain the next condition sees what the one before has bound.
            Some(chain) if self.k(&chain) != K::LetCondition => chain.start_byte(),
            _ => body.start_byte(),
        };
        cx.open_scope_at(ScopeKind::Block, Span { start: start as u32, end: body.end_byte() as u32 });
    }
}
