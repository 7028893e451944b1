//! What an identifier is used for, decided where it stands.

use cruxe_model::SymbolKind;
use cruxe_model::facts::{Expr, Role};

use super::{K, MAX_STEPS, Python};
use crate::walk::Cx;

/// What the place of a name makes of it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NameUse {
    /// Something introduces it here: the left side of an assignment, a parameter.
    Target,
    /// It is used.
    Use(Role),
}

impl Python {
    pub(super) fn identifier(&self, cx: &mut Cx) {
        let (node, field) = (cx.node(), cx.field());
        let role = match self.kind_at(cx, 1) {
            K::Function | K::Class | K::Named | K::DefaultParameter | K::TypedDefaultParameter
                if field == self.name =>
            {
                return;
            }
            K::Parameters | K::LambdaParameters | K::TypedParameter | K::AsPatternTarget => return,
            K::Except if field == self.alias => return,
            // The `as` of a `case` has no field for its name.
            K::AsPattern if cx.parent().is_some_and(|parent| parent.child_by_field_id(self.alias).is_none()) => return,
            K::KeywordArgument if field == self.name => {
                let call = cx.ancestor(3).filter(|frame| self.kinds.get(frame.kind) == K::Call).map(|frame| frame.node);
                let callee = call.and_then(|call| call.child_by_field_id(self.function));
                let callee = callee.map(|callee| self.expr(cx, &callee, 0));
                return cx.occurrence(&node, Role::Key, callee);
            }
            K::KeywordPattern => Role::Unpack,
            K::Global => Role::Mention,
            K::SplatPattern => return self.capture(cx),
            K::DottedName => return self.pattern_name(cx),
            K::Attribute if field == self.attribute => return self.member(cx),
            K::Attribute => Role::Value,
            K::MemberType => return self.member_type(cx),
            K::Type | K::SplatType | K::GenericType if self.introduces_type(cx) => return,
            _ => match self.place(cx, 0) {
                NameUse::Target => return,
                NameUse::Use(role) => role,
            },
        };
        // A class that is called by its own word makes a value: `cls()`.
        let made = role == Role::Call && cx.text_of(&node) == "cls";
        if made || matches!(role, Role::Key | Role::Unpack) || !self.is_self(cx, cx.text_of(&node)) {
            let receiver = self.is_of_class_body(cx).then(|| cx.expr(Expr::SelfValue));
            cx.occurrence(&node, role, receiver);
        }
    }

    /// Whether the current identifier is a name of the class around the method in whose head it stands: `SECONDS` of
    /// `def wait(self, unit=SECONDS)`. The head of a method is read where the class is, its body is not.
    fn is_of_class_body(&self, cx: &Cx) -> bool {
        let Some(method) = cx.current_symbol() else { return false };
        let symbol = cx.symbol_at(method);
        let class = symbol.parent.filter(|class| cx.symbol_at(*class).kind == SymbolKind::Class);
        let Some(class) = class.filter(|_| symbol.kind.is_callable()) else { return false };
        let own = cx.claimed(Some(class), cx.text_of(&cx.node()));
        let before = |own| cx.symbol_at(own).name_span.start < symbol.name_span.start;
        if !own.is_some_and(|own| own != method && before(own)) {
            return false;
        }
        for level in 1.. {
            let Some(frame) = cx.ancestor(level) else { return false };
            match self.kinds.get(frame.kind) {
                K::Parameters => return true,
                K::Function => return cx.ancestor(level - 1).is_some_and(|inner| inner.field == self.return_type),
                K::Block | K::Lambda | K::Class => return false,
                _ => {}
            }
        }
        false
    }

    /// The name after a dot.
    fn member(&self, cx: &mut Cx) {
        let node = cx.node();
        let role = match self.place(cx, 1) {
            NameUse::Use(role) => role,
            NameUse::Target => {
                let text = cx.text_of(&node);
                let first = self.enclosing_class(cx).and_then(|class| cx.claimed(Some(class), text));
                if first.is_some_and(|first| cx.symbol_at(first).name_span.start == node.start_byte() as u32) {
                    return;
                }
                Role::Write
            }
        };
        let object = cx.parent().and_then(|parent| parent.child_by_field_id(self.object));
        let receiver = object.map(|object| self.expr(cx, &object, 0));
        cx.occurrence(&node, role, receiver);
    }

    /// `B` of `A[int].B` in an annotation.
    fn member_type(&self, cx: &mut Cx) {
        let node = cx.node();
        let base = cx.parent().and_then(|parent| self.first(&parent));
        let receiver = base.map(|base| self.expr(cx, &base, 0));
        cx.occurrence(&node, Role::Type, receiver);
    }

    /// A name in a `case`: a class, a constant with dots, or a capture.
    fn pattern_name(&self, cx: &mut Cx) {
        let (node, Some(dotted)) = (cx.node(), cx.parent()) else { return };
        let class = self.kind_at(cx, 2) == K::ClassPattern;
        let key = self.kind_at(cx, 2) == K::DictPattern && cx.ancestor(1).is_some_and(|frame| frame.field == self.key);
        if dotted.named_child_count() == 1 && !class && !key {
            return self.capture(cx);
        }
        let mut receiver = None;
        let mut cursor = dotted.walk();
        for part in dotted.named_children(&mut cursor).take_while(|part| part.start_byte() < node.start_byte()) {
            let name = cx.name_of(&part);
            receiver = Some(cx.expr(receiver.map_or(Expr::Name(name), |base| Expr::Member(base, name))));
        }
        let role = if class && node.end_byte() == dotted.end_byte() { Role::Type } else { Role::Value };
        cx.occurrence(&node, role, receiver);
    }

    /// Whether the current identifier is the name of a type alias or of a type parameter.
    fn introduces_type(&self, cx: &Cx) -> bool {
        let start = cx.node().start_byte();
        let mut level = 1;
        while let Some(frame) = cx.ancestor(level) {
            match self.kinds.get(frame.kind) {
                K::TypeAlias => return cx.ancestor(level - 1).is_some_and(|frame| frame.field == self.left),
                K::TypeParameter => return self.declares_type_parameters(cx, level),
                K::Type | K::ConstrainedType | K::GenericType if frame.node.start_byte() == start => level += 1,
                K::Type | K::SplatType => level += 1,
                _ => return false,
            }
        }
        false
    }

    /// Whether a type is expected at the current node.
    pub(super) fn is_type(&self, cx: &Cx) -> bool {
        self.place(cx, 0) == NameUse::Use(Role::Type)
    }

    /// What the place of the `level`-th ancestor, a name with or without dots, makes of it.
    fn place(&self, cx: &Cx, level: usize) -> NameUse {
        let (mut indexed, mut argument) = (false, false); // `it[…]`, `…[it]`
        let mut direct = true;
        let used = |role: Role| NameUse::Use(role);
        for at in level..level + MAX_STEPS as usize {
            let Some(frame) = cx.ancestor(at) else { break };
            // `(f)()`; and in `g(*f())` the grammar calls `*f`.
            direct &= at == level || matches!(self.kinds.get(frame.kind), K::ListSplat | K::Parenthesized);
            match self.kind_at(cx, at + 1) {
                K::Call if direct && frame.field == self.function => {
                    let decorator = self.kind_at(cx, at + 2) == K::Decorator;
                    return used(if decorator { Role::Decorator } else { Role::Call });
                }
                K::Decorator if direct => return used(Role::Decorator),
                K::ArgumentList if self.kind_at(cx, at + 2) == K::Class && self.kind_at(cx, at) != K::ListSplat => {
                    return used(if argument { Role::Type } else { Role::Extends });
                }
                K::Subscript if frame.field == self.value => indexed = true,
                K::Subscript if self.is_data(cx, at) => return used(Role::Value),
                K::Subscript => argument = true,
                K::Type if self.kind_at(cx, at + 2) == K::TypeParameter && self.is_data(cx, at + 1) => {
                    return used(Role::Value);
                }
                K::Type if self.kind_at(cx, at + 2) == K::TypeAlias && !self.is_alias_statement(cx, at + 2) => {
                    let left = cx.ancestor(at + 1).is_some_and(|frame| frame.field == self.left);
                    return used(if left && direct { Role::Write } else { Role::Value });
                }
                K::Type | K::GenericType | K::UnionType | K::ConstrainedType | K::SplatType => {
                    return used(Role::Type);
                }
                K::Except if frame.field == self.value => return used(Role::Type),
                K::AsPattern if self.kind_at(cx, at + 2) == K::Except => return used(Role::Type),
                K::Assignment if frame.field == self.right => {
                    let annotation = cx.ancestor(at + 1).and_then(|frame| frame.node.child_by_field_id(self.ty));
                    let alias = annotation.is_some_and(|ty| self.is_type_alias(cx, &ty));
                    return used(if alias { Role::Type } else { Role::Value });
                }
                _ if argument && !self.passes(cx, at + 1) => return used(Role::Value),
                K::Augmented if frame.field == self.left => return used(Role::Write),
                K::Delete => return used(Role::Write),
                K::Assignment | K::For | K::ForIn if frame.field == self.left => {
                    return if indexed { used(Role::Write) } else { NameUse::Target };
                }
                K::DefaultParameter if frame.field == self.name => return NameUse::Target,
                K::AsPatternTarget | K::Parameters | K::LambdaParameters | K::TypedParameter => {
                    return if indexed { used(Role::Write) } else { NameUse::Target };
                }
                _ if self.passes(cx, at + 1) => {}
                _ => break,
            }
        }
        used(Role::Value)
    }

    /// Whether the [`K::TypeAlias`] that is the `level`-th ancestor is one: the grammar takes `type(x).y = z` for it too.
    pub(super) fn is_alias_statement(&self, cx: &Cx, level: usize) -> bool {
        let left = cx.ancestor(level).and_then(|frame| frame.node.child_by_field_id(self.left));
        let name = left.and_then(|left| self.first(&left));
        name.is_some_and(|name| matches!(self.kind(&name), K::Identifier | K::GenericType))
    }

    /// Whether the `level`-th ancestor only groups: its place is the place of what is inside.
    fn passes(&self, cx: &Cx, level: usize) -> bool {
        matches!(
            self.kind_at(cx, level),
            K::Parenthesized
                | K::Tuple
                | K::List
                | K::ExpressionList
                | K::Binary
                | K::PatternList
                | K::TuplePattern
                | K::ListPattern
                | K::ListSplat
                | K::ListSplatPattern
                | K::DictSplatPattern
        )
    }

    /// Whether the `level`-th ancestor stands in the brackets of `Literal[…]`, or behind the type of `Annotated[…]`.
    fn is_data(&self, cx: &Cx, level: usize) -> bool {
        let (Some(frame), Some(list)) = (cx.ancestor(level), cx.ancestor(level + 1)) else { return false };
        let (base, first) = match self.kinds.get(list.kind) {
            K::Subscript => (list.node.child_by_field_id(self.value), list.node.child_by_field_id(self.subscript)),
            K::TypeParameter => {
                (cx.ancestor(level + 2).and_then(|generic| self.first(&generic.node)), self.first(&list.node))
            }
            _ => return false,
        };
        let word = base.map_or("", |base| cx.text_of(&base)).rsplit('.').next().unwrap_or_default();
        match word {
            "Literal" => true,
            "Annotated" => first.is_some_and(|first| first.id() != frame.node.id()),
            _ => false,
        }
    }
}
