//! Names that patterns introduce: parameters, locals, loop and catch variables.

use cruxe_model::facts::{BindingKind, Expr, ExprId, Role, TypeId};
use tree_sitter::Node;

use super::declare::DeclSite;
use super::expr::REST;
use super::{Ecma, K, MAX_STEPS};
use crate::walk::{Cx, span};

/// Methods whose callback gets the elements of what they are called on.
const ITERATORS: &[&str] =
    &["every", "filter", "find", "findIndex", "findLast", "findLastIndex", "flatMap", "forEach", "map", "some"];

/// Where a parameter of a callback comes from.
enum Source<'t> {
    /// It is an element of this.
    Elements(Node<'t>),
    /// It is what this promises.
    Promised(Node<'t>),
    /// It is this at first.
    Given(Node<'t>),
}

/// How a pattern takes a value apart on the way to a name, outermost last.
pub(super) enum Step<'t> {
    /// `{ key: … }`
    Key(Node<'t>),
    /// `[…]`, at a place.
    Element(u32),
    /// `{ ...rest }`
    Rest,
}

/// Where the pattern around a name belongs.
pub(super) enum Origin<'t> {
    /// The name stands in no pattern.
    Use,
    /// The pattern is assigned to.
    Written,
    /// The ancestor that introduces the name, and the way to it.
    Introduced { level: usize, steps: Vec<Step<'t>> },
}

impl Ecma {
    /// Climbs through patterns to what they belong to.
    pub(super) fn origin<'t>(&self, cx: &Cx<'_, '_, 't>) -> Origin<'t> {
        let mut steps = Vec::new();
        if !matches!(self.kinds.get(cx.kind()), K::Identifier | K::ShorthandPattern) {
            return Origin::Use;
        }
        for level in 0..MAX_STEPS * 4 {
            let (Some(frame), Some(outer)) = (cx.ancestor(level), cx.ancestor(level + 1)) else { break };
            let (inner, field) = (self.kinds.get(frame.kind), frame.field);
            match self.kinds.get(outer.kind) {
                K::ObjectPattern if inner == K::ShorthandPattern => steps.push(Step::Key(frame.node)),
                K::ObjectPattern if inner == K::RestPattern => steps.push(Step::Rest),
                K::ObjectPattern => {}
                K::ArrayPattern if inner != K::RestPattern => {
                    steps.push(Step::Element(self.place_in(&outer.node, &frame.node)));
                }
                K::ArrayPattern | K::RestPattern => {}
                K::PairPattern if field == self.f.value => match self.child(&outer.node, self.f.key) {
                    Some(key) => steps.push(Step::Key(key)),
                    None => steps.push(Step::Rest),
                },
                K::ObjectAssignPattern if field == self.f.left && inner == K::ShorthandPattern => {
                    steps.push(Step::Key(frame.node));
                }
                K::ObjectAssignPattern | K::AssignPattern if field == self.f.left => {}
                K::Declarator if field == self.f.name => return Origin::Introduced { level: level + 1, steps },
                K::Param if field == self.f.pattern => return Origin::Introduced { level: level + 1, steps },
                K::Params => return Origin::Introduced { level: level + 1, steps },
                K::Arrow | K::Catch if field == self.f.parameter => {
                    return Origin::Introduced { level: level + 1, steps };
                }
                K::ForIn if field == self.f.left => {
                    return match self.child(&outer.node, self.f.kind) {
                        Some(_) => Origin::Introduced { level: level + 1, steps },
                        None => Origin::Written,
                    };
                }
                K::Assign if field == self.f.left => {
                    // The TypeScript grammar takes `using x = …` for an assignment.
                    return match outer.node.child(0) {
                        Some(word) if word.kind() == "using" => Origin::Introduced { level: level + 1, steps },
                        _ => Origin::Written,
                    };
                }
                _ => break,
            }
        }
        Origin::Use
    }

    /// The place of a part of an array pattern, those that are left out included: `b` of `[, b]` is the second.
    fn place_in(&self, pattern: &Node, part: &Node) -> u32 {
        let mut cursor = pattern.walk();
        let before = pattern.children(&mut cursor).take_while(|child| child.id() != part.id());
        before.filter(|child| child.kind() == ",").count() as u32
    }

    /// Notes the name at the current node, which the `level`-th ancestor introduces.
    pub(super) fn introduce(&self, cx: &mut Cx, level: usize, steps: &[Step]) {
        let (node, Some(frame)) = (cx.node(), cx.ancestor(level)) else { return };
        let (root, kind) = (frame.node, self.kinds.get(frame.kind));
        if kind == K::Declarator && self.is_top_level(cx) {
            if !steps.is_empty() {
                let value = self.child(&root, self.f.value).map(|value| self.expr(cx, &value, 0));
                let value = value.map(|whole| {
                    self.read_keys(cx, whole, steps);
                    self.part(cx, whole, steps)
                });
                self.destructured(cx, level, value);
            }
            return; // a plain name was noted with its declarator
        }
        let scope = match kind {
            K::Declarator => self.variable_scope(cx),
            K::ForIn if self.child(&root, self.f.kind).is_some_and(|word| word.kind() == "var") => cx.function_scope(),
            _ => cx.current_scope(),
        };
        let ty = if kind == K::ForIn { None } else { self.declared_type(cx, &root) };
        let (mut binding, mut value) = self.initial(cx, level, &root);
        let of_function = binding == BindingKind::Param && kind != K::Catch;
        let ty = ty.or_else(|| self.doc_parameter(cx, level, !steps.is_empty()).filter(|_| of_function));
        if ty.is_none() && value.is_none() && binding == BindingKind::Param {
            match self.callback_source(cx, level) {
                Some(Source::Promised(promise)) if self.is_imported(cx, &promise, steps) => return,
                Some(Source::Promised(promise)) => {
                    let promise = self.expr(cx, &promise, 0);
                    value = Some(cx.expr(Expr::Unwrap(promise)));
                }
                Some(Source::Elements(list)) => {
                    binding = BindingKind::Element;
                    value = Some(self.expr(cx, &list, 0));
                }
                Some(Source::Given(first)) => value = Some(self.expr(cx, &first, 0)),
                None => {
                    value = self.expected_parameter(cx, level);
                }
            }
        }
        if steps.is_empty() {
            let rest = binding == BindingKind::Param && self.parent(cx) == K::RestPattern;
            let ty = ty.and_then(|ty| if rest { self.word(cx, REST, vec![ty]) } else { Some(ty) });
            return cx.bind(&node, scope, binding, ty, value);
        }
        if let Some(member) = self.member_type(cx, &root, steps) {
            return cx.bind(&node, scope, binding, Some(member), None);
        }
        let mut whole = ty.map(|ty| cx.expr(Expr::Typed(ty))).or(value);
        if binding == BindingKind::Element {
            binding = if kind == K::ForIn { BindingKind::Local } else { BindingKind::Param };
            whole = whole.map(|whole| cx.expr(Expr::Index(whole)));
        }
        let part = whole.map(|whole| {
            self.read_keys(cx, whole, steps);
            self.part(cx, whole, steps)
        });
        cx.bind(&node, scope, binding, None, part);
    }

    /// Taking a value apart reads its members: `{ url }` and `{ url: here }` are uses of `url`.
    fn read_keys(&self, cx: &mut Cx, whole: ExprId, steps: &[Step]) {
        for (at, step) in steps.iter().enumerate() {
            let Step::Key(key) = step else { continue };
            if matches!(self.kind(key), K::ShorthandPattern | K::PropertyIdentifier) {
                let base = self.part(cx, whole, &steps[at + 1..]);
                cx.occurrence(key, Role::Unpack, Some(base));
            }
        }
    }

    /// The kind of a binding and the value that is written at it.
    fn initial(&self, cx: &mut Cx, level: usize, root: &Node) -> (BindingKind, Option<ExprId>) {
        let (binding, value) = match self.kind(root) {
            K::Declarator => (BindingKind::Local, self.child(root, self.f.value)),
            K::Assign => (BindingKind::Local, self.child(root, self.f.right)),
            K::Catch => (BindingKind::Local, None),
            K::ForIn if self.child(root, self.f.operator).is_some_and(|word| word.kind() == "of") => {
                (BindingKind::Element, self.child(root, self.f.right))
            }
            K::ForIn => return (BindingKind::Local, Some(self.literal(cx, "str"))),
            K::Params => {
                let pattern = cx.ancestor(level - 1).map(|frame| frame.node);
                let pattern = pattern.filter(|pattern| self.kind(pattern) == K::AssignPattern);
                (BindingKind::Param, pattern.and_then(|pattern| self.child(&pattern, self.f.right)))
            }
            _ => (BindingKind::Param, self.child(root, self.f.value)),
        };
        (binding, value.map(|value| self.expr(cx, &value, 0)))
    }

    /// Whether the name is the module of `import('x').then((name) => …)`, or one that it offers.
    fn is_imported(&self, cx: &mut Cx, object: &Node, steps: &[Step]) -> bool {
        match steps {
            [] => self.then_import(cx, object, None),
            [Step::Key(key)] => self.then_import(cx, object, Some(key)),
            _ => false,
        }
    }

    /// `A` for the name `a` of `{ a }: { a: A }`.
    fn member_type(&self, cx: &mut Cx, root: &Node, steps: &[Step]) -> Option<TypeId> {
        let [Step::Key(key)] = steps else { return None };
        let name = cx.slice(self.property_name(key));
        let object = self.first(&root.child_by_field_name("type")?).filter(|ty| self.kind(ty) == K::ObjectType)?;
        let mut cursor = object.walk();
        let member = object.named_children(&mut cursor).take(64).find(|member| {
            let own = self.child(member, self.f.name);
            self.kind(member) == K::PropertySignature && own.is_some_and(|own| cx.text_of(&own) == name)
        })?;
        self.declared_type(cx, &member)
    }

    /// The part of a value that a pattern leads to.
    fn part(&self, cx: &mut Cx, whole: ExprId, steps: &[Step]) -> ExprId {
        steps.iter().rev().fold(whole, |base, step| {
            let expr = match step {
                Step::Key(key) if self.kind(key) == K::ComputedName => Expr::Index(base),
                Step::Key(key) => {
                    let name = cx.slice(self.property_name(key));
                    Expr::Member(base, cx.name(name))
                }
                Step::Element(at) => Expr::Part(base, *at),
                Step::Rest => Expr::Unknown,
            };
            cx.expr(expr)
        })
    }

    /// A name of `const { a, b } = …` at the top of a module.
    fn destructured(&self, cx: &mut Cx, level: usize, value: Option<ExprId>) {
        let node = cx.node();
        let outer = self.place(cx, level + 1);
        let place = DeclSite { span: span(&node), first: node.start_byte() as u32, leading: None, ..outer };
        let mut decl = self.decl(cx, self.variable_kind(cx), cx.text_of(&node), span(&node), &place);
        decl.signature_end = Some(place.span.end);
        decl.value = value;
        cx.declare(decl);
    }

    /// Where a parameter of a callback comes from, where its caller tells: `xs` in `xs.map(x => …)`, which
    /// gives its elements, `p` in `p.then(x => …)`. The parameter stands in the `level`-th ancestor.
    fn callback_source<'t>(&self, cx: &Cx<'_, '_, 't>, level: usize) -> Option<Source<'t>> {
        let function = (level..level + 3).find(|level| matches!(self.outer(cx, *level), K::Arrow | K::FunctionExpr))?;
        let list = (level..function).find(|level| self.outer(cx, *level) == K::Params);
        let at = match list {
            Some(list) => self.position(&cx.ancestor(list)?.node, &cx.ancestor(list - 1)?.node)?,
            None => 0,
        };
        let (arguments, call) = (cx.ancestor(function + 1)?, cx.ancestor(function + 2)?);
        if self.kinds.get(arguments.kind) != K::Arguments || self.kinds.get(call.kind) != K::Call {
            return None;
        }
        if self.first(&arguments.node)?.id() != cx.ancestor(function)?.node.id() {
            return None;
        }
        let callee = self.child(&call.node, self.f.function).filter(|callee| self.kind(callee) == K::Member)?;
        let method = cx.text_of(&self.child(&callee, self.f.property)?);
        let object = self.child(&callee, self.f.object)?;
        match (method, at) {
            ("then", 0) => Some(Source::Promised(object)),
            ("sort" | "toSorted", 0 | 1) | ("reduce" | "reduceRight", 1) => Some(Source::Elements(object)),
            ("reduce" | "reduceRight", 0) => arguments.node.named_child(1).map(Source::Given),
            (method, 0) if ITERATORS.contains(&method) => Some(Source::Elements(object)),
            _ => None,
        }
    }
}
