//! What a name in a Haskell file is: a definition's, a pattern's variable, or a use.

use cruxe_model::SymbolKind;
use cruxe_model::facts::{BindingKind, Expr, Role};
use tree_sitter::Node;

use super::{Haskell, K};
use crate::build::Decl;
use crate::walk::{Cx, span};

/// Patterns and types nested deeper than this are taken for expressions.
const MAX_STEPS: usize = 16;

/// Operators of the base library that no repository defines.
const PLAIN: &[&str] = &[
    "+", "-", "*", "/", "^", "^^", "**", "$", "$!", ".", "++", "==", "/=", "<", ">", "<=", ">=", "&&", "||", ">>=",
    ">>", "=<<", "<$>", "<$", "$>", "<*>", "*>", "<*", "<|>", "<>", "!!", ":", "!", "~", "&", ">=>", "<=<", "<&>", "@",
    "%",
];

/// What surrounds a name.
enum NameContext {
    /// A pattern: it introduces the name.
    Pattern(BindingKind),
    /// A pattern at the top of the file: it defines the name.
    TopPattern,
    /// A type.
    Type,
    /// An expression.
    Expression,
}

impl Haskell {
    pub(super) fn name(&self, cx: &mut Cx) {
        let node = cx.node();
        let kind = self.kinds.get(node.kind_id());
        if self.defines(cx, &node) {
            return;
        }
        let parent = self.ancestor_kind(cx, 1);
        // What the whole of `M.x`, `(+)` or `` `f` `` is, counts for the name inside.
        let level = if matches!(parent, K::Qualified | K::PrefixId | K::InfixId) { 1 } else { 0 };
        let receiver = cx.ancestor(1).filter(|_| parent == K::Qualified);
        let receiver = receiver.and_then(|frame| frame.node.child_by_field_id(self.module));
        let receiver = receiver.map(|module| cx.text_of(&module).trim_end_matches('.'));
        let receiver = receiver.map(|module| {
            let name = cx.name(module);
            cx.expr(Expr::Name(name))
        });
        let outer = self.ancestor_kind(cx, level + 1);
        let role = match outer {
            K::ImportName | K::Children if self.in_import(cx) => Role::Import,
            K::FieldName => return self.field_use(cx),
            K::Instance | K::DerivingInstance if self.field_at(cx, level) == self.name => Role::Implements,
            K::Deriving => Role::Implements,
            _ if self.ancestor_kind(cx, level + 2) == K::Deriving => Role::Implements,
            _ if kind == K::Name => Role::Type,
            _ => match (self.place(cx, level), kind) {
                (NameContext::Pattern(binding), K::Variable) if receiver.is_none() && level == 0 => {
                    let scope = cx.current_scope();
                    return cx.bind(&node, scope, binding, None, None);
                }
                (NameContext::TopPattern, K::Variable) if level == 0 => return self.top_pattern(cx),
                (NameContext::Type, K::Variable) => return, // a type variable
                (NameContext::Pattern(_) | NameContext::TopPattern, _) => Role::Value,
                (NameContext::Type, _) => Role::Type,
                (NameContext::Expression, _) if self.called(cx, level) || parent == K::InfixId => Role::Call,
                (NameContext::Expression, _) => Role::Value,
            },
        };
        if kind == K::Operator && PLAIN.contains(&cx.text_of(&node)) {
            return;
        }
        cx.occurrence(&node, role, receiver);
    }

    fn field_at(&self, cx: &Cx, level: usize) -> u16 {
        cx.ancestor(level).map_or(0, |frame| frame.field)
    }

    fn in_import(&self, cx: &Cx) -> bool {
        (1..=6).any(|level| self.ancestor_kind(cx, level) == K::Import)
    }

    /// Whether the name is the one that a declaration around it declares.
    fn defines(&self, cx: &Cx, node: &Node) -> bool {
        let same = |name: Option<Node>| name.is_some_and(|name| name.id() == node.id());
        for level in 1..=3 {
            let Some(frame) = cx.ancestor(level) else { return false };
            let inner = self.field_at(cx, level - 1);
            match self.kinds.get(frame.kind) {
                K::Function | K::Bind | K::Signature => return same(self.declared_name(&frame.node)),
                K::Data | K::Newtype | K::TypeAlias | K::Class => return inner == self.name,
                K::Constructor | K::GadtConstructor => {
                    return inner == self.name || self.field_at(cx, 0) == self.operator;
                }
                K::PrefixId | K::InfixId | K::Infix => {}
                _ if frame.node.kind() == "binding_list" => return true,
                _ if self.ancestor_kind(cx, level + 1) == K::Constructor => {
                    return inner == self.name || (inner == self.operator && frame.node.kind() == "infix");
                }
                K::Apply | K::Equation => return self.synonym(cx, node),
                _ => return false,
            }
        }
        false
    }

    /// The name of `pattern Name a b = …` is where its symbol says.
    fn synonym(&self, cx: &Cx, node: &Node) -> bool {
        cx.current_symbol().is_some_and(|at| {
            let symbol = cx.symbol_at(at);
            symbol.kind == SymbolKind::Variant && symbol.name_span.start == node.start_byte() as u32
        })
    }

    /// `title` of `Book { title = "x" }`; the declaration of a field is a symbol already.
    fn field_use(&self, cx: &mut Cx) {
        let node = cx.node();
        if self.ancestor_kind(cx, 2) == K::FieldUse {
            cx.occurrence(&node, Role::Key, None);
        } else if self.ancestor_kind(cx, 2) != K::Field {
            cx.occurrence(&node, Role::Value, None);
        }
    }

    /// Looks outwards until something tells patterns, types and expressions apart.
    fn place(&self, cx: &Cx, level: usize) -> NameContext {
        for at in level + 1..level + MAX_STEPS {
            let Some(frame) = cx.ancestor(at) else { break };
            let inner = self.field_at(cx, at - 1);
            let kind = self.kinds.get(frame.kind);
            match kind {
                K::Patterns => return NameContext::Pattern(BindingKind::Param),
                K::Infix if self.ancestor_kind(cx, at + 1) == K::Function && frame.field == 0 => {
                    return NameContext::Pattern(BindingKind::Param);
                }
                K::Bind if inner == self.pattern => {
                    let top = self.ancestor_kind(cx, at + 1) == K::Declarations;
                    return if top { NameContext::TopPattern } else { NameContext::Pattern(BindingKind::Local) };
                }
                K::Block | K::Lambda if inner == self.pattern => return NameContext::Pattern(BindingKind::Local),
                K::Signature if inner != self.ty => {}
                K::TypeContext | K::Signature | K::Field | K::Constructor | K::GadtConstructor | K::TypeAlias => {
                    return NameContext::Type;
                }
                K::Data | K::Newtype | K::Class | K::Instance | K::DerivingInstance => return NameContext::Type,
                K::Expression | K::Block | K::Lambda | K::Bind | K::FieldUse | K::LocalBinds => break,
                _ if inner == self.pattern && frame.node.kind() == "generator" => {
                    return NameContext::Pattern(BindingKind::Local);
                }
                _ => {}
            }
        }
        NameContext::Expression
    }

    fn top_pattern(&self, cx: &mut Cx) {
        let node = cx.node();
        let text = cx.text_of(&node);
        let mut decl = Decl::new(SymbolKind::Const, text, span(&node), span(&node));
        decl.access = self.access(cx, text);
        cx.declare(decl);
    }

    /// Whether the node at `level` is applied to something: `f x`, `f $ x`.
    fn called(&self, cx: &Cx, level: usize) -> bool {
        let Some(outer) = cx.ancestor(level + 1) else { return false };
        let field = self.field_at(cx, level);
        match self.kinds.get(outer.kind) {
            K::Apply => field == self.function,
            K::Infix if field == self.left_operand => {
                let operator = outer.node.child_by_field_id(self.operator);
                operator.is_some_and(|operator| matches!(cx.text_of(&operator), "$" | "$!"))
            }
            K::Infix => field == self.operator,
            _ => false,
        }
    }
}
