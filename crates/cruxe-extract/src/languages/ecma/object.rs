//! Functions that object literals and assignments name: `{ get() {} }`, `Foo.prototype.bar = …`, `exports.x = …`.

use cruxe_model::SymbolKind;
use cruxe_model::facts::{Access, Span};
use tree_sitter::Node;

use super::declare::DeclSite;
use super::variables::Value;
use super::{Ecma, K, MAX_STEPS};
use crate::walk::{Cx, span};

/// What an object literal is the value of.
pub(super) struct Owner {
    /// The names between the enclosing symbol and the members of the object; empty when there is none.
    pub(super) path: String,
    /// The object is what the module exports: its members are the module's.
    pub(super) exports: bool,
}

/// What an assignment assigns to.
#[derive(Clone, Copy)]
pub(super) enum Target<'t> {
    /// `module.exports`
    Module,
    /// `exports.x`, `module.exports.x`
    Export(Node<'t>),
    /// `Foo.x`, `Foo.prototype.x`
    Member { owner: Span, name: Node<'t>, prototype: bool },
}

impl Ecma {
    /// The owner of the object literal at the `level`-th ancestor; `None` for one that no name leads to, and inside
    /// functions for one whose type is written: that type declares the members, the literal only fills them in.
    pub(super) fn object_owner(&self, cx: &Cx, level: usize) -> Option<Owner> {
        let mut path = Vec::new();
        let mut exports = false;
        let mut level = level;
        for step in 0.. {
            if step > MAX_STEPS {
                return None;
            }
            let (frame, outer) = (cx.ancestor(level)?, cx.ancestor(level + 1)?);
            match self.kinds.get(outer.kind) {
                K::Pair if frame.field == self.f.value => {
                    let key = self.child(&outer.node, self.f.key)?;
                    path.push(cx.slice(self.property_name(&key)));
                    level += 2;
                    continue;
                }
                K::Cast | K::TypeAssertion if cx.in_function() => return None,
                K::Paren | K::Cast | K::TypeAssertion | K::NonNull => {
                    level += 1;
                    continue;
                }
                // The options of a call that makes what the module is about: `createSlice({ … })`.
                K::Arguments if !cx.in_function() => {
                    level += 2;
                    continue;
                }
                K::Declarator => {
                    if cx.in_function() {
                        if outer.node.child_by_field_name("type").is_some() {
                            return None;
                        }
                        let name = self.child(&outer.node, self.f.name)?;
                        let unnamed = self.kind(&name) != K::Identifier || self.holds_functions(&outer.node);
                        path.extend((!unnamed).then(|| cx.text_of(&name)));
                    }
                }
                K::Assign => match self.target(cx, &outer.node)? {
                    Target::Module => exports = path.is_empty(),
                    Target::Export(_) => {}
                    Target::Member { owner, name, .. } => {
                        if cx.text_of(&name) != "prototype" {
                            path.push(cx.text_of(&name));
                        }
                        path.push(cx.slice(owner));
                    }
                },
                K::Return | K::Arrow if self.has_return_type(cx, level + 1) => return None,
                K::Field | K::Export | K::Return | K::Arrow => {}
                _ => return None,
            }
            break;
        }
        path.reverse();
        Some(Owner { path: path.join("."), exports })
    }

    /// Whether the function around the `level`-th ancestor says what it returns.
    fn has_return_type(&self, cx: &Cx, level: usize) -> bool {
        let functions = [K::Arrow, K::Function, K::FunctionExpr, K::Method];
        let function = (level..level + MAX_STEPS * 4).find(|level| functions.contains(&self.outer(cx, *level)));
        let function = function.and_then(|level| cx.ancestor(level));
        function.is_some_and(|frame| self.child(&frame.node, self.f.return_type).is_some())
    }

    /// Whether the class expression at the current node takes its name from what it is assigned to.
    pub(super) fn names_its_value(&self, cx: &Cx) -> bool {
        for level in 1..MAX_STEPS {
            match self.outer(cx, level) {
                K::Paren | K::Cast | K::TypeAssertion | K::NonNull => {}
                K::Declarator | K::Export => return true,
                K::Assign => {
                    return cx.ancestor(level).is_some_and(|frame| self.assigned(cx, &frame.node).is_some());
                }
                _ => return false,
            }
        }
        false
    }

    /// Whether the class or function at the current node has its own name around it too: `const run = function run() {}`,
    /// `module.exports = class Run {}`. Inside of it that is the same.
    pub(super) fn is_known_by(&self, cx: &Cx, own: &str) -> bool {
        for level in 1..MAX_STEPS {
            let Some(frame) = cx.ancestor(level) else { return false };
            match self.kinds.get(frame.kind) {
                K::Paren => {}
                K::Declarator => return self.child(&frame.node, self.f.name).is_some_and(|at| cx.text_of(&at) == own),
                K::Assign => match self.target(cx, &frame.node) {
                    Some(Target::Module) => return true,
                    Some(Target::Export(name)) => return cx.text_of(&name) == own,
                    _ => return false,
                },
                _ => return false,
            }
        }
        false
    }

    /// Whether the function expression at the current node is known by the name that it is assigned to.
    pub(super) fn is_held(&self, cx: &Cx) -> bool {
        let id = cx.node().id();
        let is_it = |value: Option<Node>, top: bool| match value.map(|value| self.value(cx, value, top)) {
            Some(Value::Function(function)) => function.id() == id,
            _ => false,
        };
        for level in 1..MAX_STEPS {
            let Some(frame) = cx.ancestor(level) else { return false };
            match self.kinds.get(frame.kind) {
                K::Paren | K::Cast | K::TypeAssertion | K::NonNull | K::Arguments | K::Call => {}
                K::Declarator => {
                    let named = self.child(&frame.node, self.f.name).is_some_and(|at| self.kind(&at) == K::Identifier);
                    return named && is_it(self.child(&frame.node, self.f.value), self.is_top_level(cx));
                }
                K::Field => return is_it(self.child(&frame.node, self.f.value), false),
                K::Pair => {
                    let (function, owner) = self.named_pair(cx, level);
                    return owner.is_some() && function.is_some_and(|function| function.id() == id);
                }
                K::Assign => {
                    let top = matches!(self.target(cx, &frame.node), Some(Target::Module | Target::Export(_)));
                    return self.assigned(cx, &frame.node).is_some()
                        && is_it(self.child(&frame.node, self.f.right), top);
                }
                K::Export => return is_it(self.child(&frame.node, self.f.value), true),
                _ => return false,
            }
        }
        false
    }

    /// A property of an object literal whose value is a function.
    pub(super) fn pair(&self, cx: &mut Cx) {
        let node = cx.node();
        let (Some(key), Some(value)) = (self.child(&node, self.f.key), self.child(&node, self.f.value)) else { return };
        if self.kind(&value) == K::Identifier && self.in_exports(cx, 1) {
            let alias = cx.slice(self.property_name(&key));
            return self.offer(cx, &value, alias);
        }
        if self.in_exports(cx, 1) && self.hand_on_required(cx, &value, cx.slice(self.property_name(&key))) {
            return;
        }
        let (Some(function), Some(owner)) = self.named_pair(cx, 0) else { return };
        let at = self.property_name(&key);
        let place = self.place(cx, 0);
        let kind = if owner.exports { SymbolKind::Fn } else { SymbolKind::Method };
        let mut decl = self.decl(cx, kind, cx.slice(at), at, &place);
        decl.access = Access::Public;
        decl.signature_end = Some(self.head_end(&function));
        decl.ty = self.return_type(cx, &function);
        decl.qualifier = (!owner.path.is_empty()).then_some(owner.path.as_str());
        let symbol = cx.declare(decl);
        cx.open_symbol(symbol);
    }

    /// The function and the owner of the pair at the `level`-th ancestor, where it has both.
    pub(super) fn named_pair<'t>(&self, cx: &Cx<'_, '_, 't>, level: usize) -> (Option<Node<'t>>, Option<Owner>) {
        let value = cx.ancestor(level).and_then(|frame| self.child(&frame.node, self.f.value));
        match value.map(|value| self.value(cx, value, false)) {
            Some(Value::Function(function)) => (Some(function), self.object_owner(cx, level + 1)),
            _ => (None, None),
        }
    }

    /// Whether the object literal at the `level`-th ancestor is assigned to `module.exports`.
    pub(super) fn in_exports(&self, cx: &Cx, level: usize) -> bool {
        let assign = cx.ancestor(level + 1).filter(|frame| self.kinds.get(frame.kind) == K::Assign);
        assign.is_some_and(|frame| self.is_module_exports(cx, &frame.node))
    }

    /// Whether an assignment is one to `module.exports`.
    pub(super) fn is_module_exports(&self, cx: &Cx, assign: &Node) -> bool {
        matches!(self.target(cx, assign), Some(Target::Module))
    }

    /// What an assignment assigns to, where that is a member of something that has a name.
    pub(super) fn target<'t>(&self, cx: &Cx, assign: &Node<'t>) -> Option<Target<'t>> {
        let left = self.child(assign, self.f.left)?;
        if self.kind(&left) != K::Member {
            return None;
        }
        let (object, name) = (self.child(&left, self.f.object)?, self.child(&left, self.f.property)?);
        match (cx.text_of(&object), cx.text_of(&name)) {
            ("module", "exports") => return Some(Target::Module),
            ("exports" | "module.exports", _) => return Some(Target::Export(name)),
            _ => {}
        }
        let prototype = self.kind(&object) == K::Member
            && self.child(&object, self.f.property).is_some_and(|inner| cx.text_of(&inner) == "prototype");
        let owner = if prototype { self.child(&object, self.f.object)? } else { object };
        matches!(self.kind(&owner), K::Identifier | K::Member)
            .then(|| Target::Member { owner: span(&owner), name, prototype })
            .filter(|_| is_dotted_name(cx.text_of(&owner)))
    }

    /// What an assignment defines; `None` when it only writes.
    pub(super) fn assigned<'t>(&self, cx: &Cx<'_, '_, 't>, assign: &Node<'t>) -> Option<Target<'t>> {
        let target = self.target(cx, assign)?;
        let value = self.peel(self.child(assign, self.f.right)?);
        match target {
            // `exports.a = exports.b = void 0` announces names that are assigned further down.
            Target::Module if matches!(self.kind(&value), K::Object | K::Identifier) => None,
            Target::Export(_) if value.kind() == "unary_expression" || self.kind(&value) == K::Null => None,
            Target::Export(_) if self.required_value(cx, &value).is_some() => None,
            Target::Module | Target::Export(_) => Some(target),
            Target::Member { owner, prototype, .. } => {
                let capital = cx.slice(owner).chars().next().is_some_and(char::is_uppercase);
                let named = prototype || capital || !cx.in_function();
                (named && !matches!(self.value(cx, value, false), Value::Other)).then_some(target)
            }
        }
    }

    pub(super) fn assignment(&self, cx: &mut Cx) {
        let node = cx.node();
        let Some(right) = self.child(&node, self.f.right) else { return };
        let value = self.peel(right);
        self.assigned_prototype(cx, &node, &value);
        if self.kind(&value) == K::Identifier {
            match self.target(cx, &node) {
                Some(Target::Module) => return self.offer(cx, &value, "default"),
                Some(Target::Export(name)) => return self.offer(cx, &value, cx.text_of(&name)),
                _ => {}
            }
        }
        if let Some(Target::Export(name)) = self.target(cx, &node)
            && self.hand_on_required(cx, &value, cx.text_of(&name))
        {
            return;
        }
        let Some(target) = self.assigned(cx, &node) else { return };
        let level = usize::from(self.parent(cx) == K::Statement);
        let mut place = self.place(cx, level);
        place.span = span(&node);
        match target {
            Target::Module => {
                let own = match self.value(cx, right, true) {
                    Value::Function(inner) | Value::Class(inner) => self.child(&inner, self.f.name),
                    Value::Other if self.kind(&value) == K::Call => {
                        // `module.exports = require('./x')` hands on another module.
                        let callee = self.child(&value, self.f.function);
                        if callee.is_some_and(|callee| cx.text_of(&callee) == "require") {
                            return;
                        }
                        None
                    }
                    Value::Other => None,
                };
                let word = self.child(&node, self.f.left).and_then(|left| self.child(&left, self.f.property));
                let at = word.map_or(place.span, |word| span(&word));
                if let Some(own) = own {
                    // Inside of a class or function its own name is a local one.
                    self.offer_from(cx, cx.text_of(&own), "default", place.span.start);
                }
                let (name, at) = own.map_or(("default", at), |own| (cx.text_of(&own), span(&own)));
                self.public_value(cx, name, at, place, right);
            }
            Target::Export(name) => self.public_value(cx, cx.text_of(&name), span(&name), place, right),
            Target::Member { owner, name, prototype } => {
                let text = cx.text_of(&name);
                let (kind, function) = match self.value(cx, right, false) {
                    Value::Function(function) => (SymbolKind::Method, function),
                    Value::Class(class) => (SymbolKind::Class, class),
                    Value::Other => return,
                };
                let mut decl = self.decl(cx, kind, text, span(&name), &place);
                decl.access = Access::Public;
                decl.signature_end = Some(self.head_end(&function));
                decl.ty = self.return_type(cx, &function);
                decl.qualifier = Some(cx.slice(owner));
                decl.flags.associated = !prototype;
                let symbol = cx.declare(decl);
                if kind == SymbolKind::Class {
                    self.class_heritage(cx, &function, symbol);
                }
                cx.open_symbol(symbol);
            }
        }
    }

    fn public_value(&self, cx: &mut Cx, name: &str, at: Span, place: DeclSite, value: Node) {
        self.named_value(cx, name, at, &place, value);
        if let Some(symbol) = cx.current_symbol() {
            cx.amend(symbol, |symbol| symbol.access = Access::Public);
        }
    }
}

/// `Foo`, `Foo.Bar`: an owner that a qualified name can show.
pub(super) fn is_dotted_name(text: &str) -> bool {
    text.len() <= 80 && text.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '$' | '.'))
}
