//! Variables, and what their values make of them.

use cruxe_model::SymbolKind;
use cruxe_model::facts::{Relation, ScopeId, ScopeKind, SymbolIndex};
use tree_sitter::Node;

use super::declare::{DeclSite, short_end};
use super::{Ecma, K, MAX_STEPS};
use crate::walk::{Cx, Walk, span};

/// Calls that hand back the function they are given, dressed up.
const WRAPPERS: &[&str] = &[
    "action",
    "asyncHandler",
    "cache",
    "catchAsync",
    "curry",
    "debounce",
    "forwardRef",
    "memo",
    "memoize",
    "observer",
    "once",
    "partial",
    "throttle",
    "useCallback",
    "useEvent",
    "withErrorHandling",
    "wrap",
];
/// Calls that take a function and hand back something else.
const CONSUMERS: &[&str] = &[
    "afterAll",
    "afterEach",
    "beforeAll",
    "beforeEach",
    "computed",
    "createMemo",
    "createSelector",
    "describe",
    "effect",
    "expect",
    "it",
    "lazy",
    "queueMicrotask",
    "reactive",
    "requestAnimationFrame",
    "setImmediate",
    "setInterval",
    "setTimeout",
    "signal",
    "test",
    "useEffect",
    "useMemo",
    "useReducer",
    "useRef",
    "useState",
    "watch",
    "watchEffect",
];

/// What a named value is.
pub(super) enum Value<'t> {
    /// A function, or a wrapper around one.
    Function(Node<'t>),
    Class(Node<'t>),
    Other,
}

impl Ecma {
    /// `name = value` of a `const`, `let` or `var`.
    pub(super) fn declarator(&self, cx: &mut Cx) -> Walk {
        let node = cx.node();
        let Some(name) = self.child(&node, self.f.name) else { return Walk::Into };
        let value = self.child(&node, self.f.value);
        if value.is_some_and(|value| self.required_import(cx, &name, value)) {
            return Walk::Skip;
        }
        if self.kind(&name) != K::Identifier {
            return Walk::Into; // destructured names are noted one by one where they stand
        }
        let top = self.is_top_level(cx);
        let what = value.map_or(Value::Other, |value| self.value(cx, value, top));
        if matches!(what, Value::Other) && !top && !self.holds_functions(&node) {
            return Walk::Into;
        }
        let place = self.declarator_place(cx);
        let text = cx.text_of(&name);
        let symbol = match what {
            Value::Class(class) => self.class_symbol(cx, &class, text, span(&name), &place),
            Value::Function(function) => {
                let mut decl = self.decl(cx, SymbolKind::Fn, text, span(&name), &place);
                decl.signature_end = Some(self.head_end(&function));
                decl.ty = self.return_type(cx, &function);
                cx.declare(decl)
            }
            Value::Other => {
                let chain = value.map(|value| self.chained(cx, value));
                let value = chain.map(|(end, _)| end);
                if chain.is_some_and(|(_, exported)| exported) {
                    self.offer(cx, &name, "default");
                }
                let mut decl = self.decl(cx, self.variable_kind(cx), text, span(&name), &place);
                decl.signature_end = Some(short_end(&node, value.as_ref()));
                decl.ty = self.declared_type(cx, &node).or_else(|| self.literal_type(cx, value.as_ref()?));
                if decl.ty.is_none() || self.untyped {
                    decl.value = value.and_then(|value| self.value_expr(cx, &value));
                }
                decl.flags.declaration = place.ambient;
                let typed = decl.ty.is_some() && !self.untyped;
                let symbol = cx.declare(decl);
                if let Some(value) = value.filter(|_| !typed) {
                    self.spread(cx, symbol, &value);
                }
                symbol
            }
        };
        cx.open_symbol(symbol);
        Walk::Into
    }

    /// Whether a declarator without a type gives its name to an object literal with functions: a variable of a function that others
    /// may be given, and call the functions of.
    pub(super) fn holds_functions(&self, declarator: &Node) -> bool {
        let name = self.child(declarator, self.f.name).is_some_and(|name| self.kind(&name) == K::Identifier);
        let object = self.child(declarator, self.f.value).filter(|value| self.kind(value) == K::Object);
        let Some(object) = object.filter(|_| name && declarator.child_by_field_name("type").is_none()) else {
            return false;
        };
        let is_function = |node: Node| matches!(self.kind(&node), K::Arrow | K::FunctionExpr);
        let mut cursor = object.walk();
        object.named_children(&mut cursor).any(|member| match self.kind(&member) {
            K::Method => true,
            K::Pair => self.child(&member, self.f.value).is_some_and(|value| is_function(self.peel(value))),
            _ => false,
        })
    }

    /// The value of `a = b = value`, and whether `module.exports` is among what is assigned: what the variable is, the module
    /// is too.
    fn chained<'t>(&self, cx: &Cx, value: Node<'t>) -> (Node<'t>, bool) {
        let (mut end, mut exported) = (value, false);
        for _ in 0..MAX_STEPS {
            let assign = self.peel(end);
            let Some(right) = self.child(&assign, self.f.right).filter(|_| self.kind(&assign) == K::Assign) else {
                break;
            };
            exported |= self.is_module_exports(cx, &assign);
            end = right;
        }
        (end, exported)
    }

    /// An object literal has the members of what is spread into it, as if it extended that.
    fn spread(&self, cx: &mut Cx, symbol: SymbolIndex, value: &Node) {
        let object = self.peel(*value);
        if self.kind(&object) != K::Object {
            return;
        }
        let mut cursor = object.walk();
        let spreads: Vec<Node> =
            object.named_children(&mut cursor).filter(|child| child.kind() == "spread_element").take(16).collect();
        for spread in spreads {
            let source = self.first(&spread).and_then(|inner| self.class_type(cx, &inner, None));
            if let Some(source) = source {
                cx.heritage(symbol, Relation::Extends, source);
            }
        }
    }

    /// A lone declarator takes in its `export const`; one of several speaks for itself.
    pub(super) fn declarator_place(&self, cx: &Cx) -> DeclSite {
        let lone = cx.parent().is_some_and(|list| {
            let mut cursor = list.walk();
            list.named_children(&mut cursor).filter(|child| self.kind(child) == K::Declarator).take(2).count() == 1
        });
        if lone {
            return self.place(cx, 1);
        }
        let outer = self.place(cx, 1);
        let node = cx.node();
        let leading = cx.leading(&node);
        DeclSite { span: span(&node), first: node.start_byte() as u32, leading, ..outer }
    }

    /// `const` or variable, for a name below a declarator's list at any depth.
    pub(super) fn variable_kind(&self, cx: &Cx) -> SymbolKind {
        let list = (1..MAX_STEPS * 4).find(|level| self.outer(cx, *level) == K::Variables);
        let word = list.and_then(|level| cx.ancestor(level)?.node.child(0));
        if word.is_some_and(|word| matches!(word.kind(), "let" | "var")) {
            SymbolKind::Variable
        } else {
            SymbolKind::Const
        }
    }

    /// Whether the declarator around the current node introduces names of the module, not of a function or block.
    pub(super) fn is_top_level(&self, cx: &Cx) -> bool {
        matches!(cx.scope_kind(self.variable_scope(cx)), ScopeKind::File | ScopeKind::Module)
    }

    /// The scope in which the declarator around the current node introduces its names.
    pub(super) fn variable_scope(&self, cx: &Cx) -> ScopeId {
        let list = (1..MAX_STEPS * 4).find(|level| self.outer(cx, *level) == K::Variables);
        let word = list.and_then(|level| cx.ancestor(level)?.node.child(0));
        if word.is_some_and(|word| word.kind() == "var") { cx.function_scope() } else { cx.current_scope() }
    }

    /// What a value makes of the name that it is given to.
    pub(super) fn value<'t>(&self, cx: &Cx, value: Node<'t>, top: bool) -> Value<'t> {
        let mut value = self.peel(value);
        for _ in 0..4 {
            match self.kind(&value) {
                K::Arrow | K::FunctionExpr => return Value::Function(value),
                K::ClassExpr => return Value::Class(value),
                K::Assign => match self.child(&value, self.f.right) {
                    Some(right) => value = self.peel(right),
                    None => break,
                },
                K::Call if self.is_wrapper(cx, &value, top) => {
                    let argument = self.child(&value, self.f.arguments).and_then(|list| self.first(&list));
                    match argument.map(|argument| self.peel(argument)) {
                        Some(inner) if matches!(self.kind(&inner), K::Arrow | K::FunctionExpr | K::Call) => {
                            value = inner;
                        }
                        _ => break,
                    }
                }
                _ => break,
            }
        }
        Value::Other
    }

    /// Whether a call hands back the function that it is given. At the top of a module most calls with a function as
    /// their first argument do; inside functions only the well-known ones are trusted.
    fn is_wrapper(&self, cx: &Cx, call: &Node, top: bool) -> bool {
        let Some(callee) = self.child(call, self.f.function) else { return false };
        match self.kind(&callee) {
            K::Identifier if top => !CONSUMERS.contains(&cx.text_of(&callee)),
            K::Identifier => WRAPPERS.contains(&cx.text_of(&callee)),
            K::Member => {
                let property = self.child(&callee, self.f.property);
                property.is_some_and(|property| WRAPPERS.contains(&cx.text_of(&property)))
            }
            _ => false,
        }
    }
}
