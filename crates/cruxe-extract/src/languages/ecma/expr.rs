//! Expressions and types, as far as they help to find the type of a receiver.

use cruxe_model::facts::{Expr, ExprId, NameId, TypeId};
use tree_sitter::Node;

use super::{Ecma, K, MAX_STEPS};
use crate::walk::Cx;

/// The word for what a rest parameter takes: its one argument is the type of the list.
pub(super) const REST: &str = "...";

impl Ecma {
    pub(super) fn literal(&self, cx: &mut Cx, word: &'static str) -> ExprId {
        let word = cx.name(word);
        cx.expr(Expr::Literal(word))
    }

    pub(super) fn expr(&self, cx: &mut Cx, node: &Node, steps: usize) -> ExprId {
        if steps > MAX_STEPS {
            return cx.expr(Expr::Unknown);
        }
        let f = &self.f;
        let expr = match self.kind(node) {
            K::Identifier | K::Shorthand | K::TypeIdentifier => Expr::Name(cx.name_of(node)),
            K::This => Expr::SelfValue,
            K::Super => Expr::Super,
            // What `exports` is called from outside.
            K::Member if cx.text_of(node) == "module.exports" => Expr::Name(cx.name("exports")),
            K::Member | K::NestedIdentifier => match (self.child(node, f.object), self.child(node, f.property)) {
                (Some(object), Some(property)) => {
                    let base = self.expr(cx, &object, steps + 1);
                    Expr::Member(base, cx.name_of(&property))
                }
                _ => Expr::Unknown,
            },
            K::Call => match self.child(node, f.function) {
                Some(function) if function.kind() == "import" || cx.text_of(&function) == "require" => {
                    match self.imported_module(cx, node) {
                        Some(word) => Expr::Name(cx.owned_name(word)),
                        None => Expr::Unknown,
                    }
                }
                // The TypeScript grammars bind `await f<T>()` as `(await f)<T>()`.
                Some(function) if self.kind(&function) == K::Await => {
                    let callee = self.alternative(cx, self.first(&function), steps);
                    let call = cx.expr(Expr::Call(callee));
                    Expr::Unwrap(call)
                }
                Some(function) => Expr::Call(self.expr(cx, &function, steps + 1)),
                None => Expr::Unknown,
            },
            K::New => {
                let class = self.child(node, f.constructor);
                let args = self.child(node, f.type_arguments);
                class.and_then(|class| self.class_type(cx, &class, args)).map_or(Expr::Unknown, Expr::Typed)
            }
            K::Subscript => match (self.child(node, f.object), self.symbol_key(cx, node)) {
                (Some(object), Some(key)) => {
                    let (base, key) = (self.expr(cx, &object, steps + 1), cx.owned_name(key));
                    Expr::Member(base, key)
                }
                (Some(object), None) => Expr::Index(self.expr(cx, &object, steps + 1)),
                (None, _) => Expr::Unknown,
            },
            K::Await => match self.first(node) {
                Some(inner) => Expr::Unwrap(self.expr(cx, &inner, steps + 1)),
                None => Expr::Unknown,
            },
            K::Cast => match (node.named_child(0), node.named_child(1)) {
                (_, Some(ty)) => self.type_ref(cx, &ty, 0).map_or(Expr::Unknown, Expr::Typed),
                (Some(inner), None) => return self.expr(cx, &inner, steps + 1), // `x as const`
                _ => Expr::Unknown,
            },
            K::TypeAssertion => {
                let ty = node.named_child(0).and_then(|list| list.named_child(0));
                ty.and_then(|ty| self.type_ref(cx, &ty, 0)).map_or(Expr::Unknown, Expr::Typed)
            }
            K::Paren | K::NonNull | K::Instantiation => match (self.doc_cast(cx, node), self.first(node)) {
                (Some(ty), _) => Expr::Typed(ty),
                (None, Some(inner)) => return self.expr(cx, &inner, steps + 1),
                (None, None) => Expr::Unknown,
            },
            // The alternatives of one value mostly are of one type: that which says it, else the first.
            K::Ternary => {
                let made = self.child(node, f.alternative).filter(|other| self.kind(other) == K::New);
                return self.alternative(cx, made.or_else(|| self.child(node, f.consequence)), steps);
            }
            K::Binary if self.is_fallback(node) => return self.alternative(cx, self.child(node, f.left), steps),
            K::Assign => return self.alternative(cx, self.child(node, f.right), steps),
            K::Str | K::Template => return self.literal(cx, "str"),
            K::Number if cx.text_of(node).contains('.') => return self.literal(cx, "float"),
            K::Number => return self.literal(cx, "int"),
            K::Bool => return self.literal(cx, "bool"),
            K::Null => return self.literal(cx, "null"),
            K::Regex => return self.literal(cx, "regex"),
            // `[...xs]` has the elements of `xs`.
            K::List => match self.first(node).filter(|first| first.kind() == "spread_element") {
                Some(spread) => return self.alternative(cx, self.first(&spread), steps),
                None => return self.literal(cx, "list"),
            },
            K::Object => return self.literal(cx, "dict"),
            K::Arrow | K::FunctionExpr => return self.literal(cx, "fn"),
            K::JsxOpening | K::JsxElement => return self.literal(cx, "jsx"),
            _ => Expr::Unknown,
        };
        cx.expr(expr)
    }

    /// The name of the member that `x[kName]` reads, as a class writes it: `[kName]`. A variable of a function is an index.
    pub(super) fn symbol_key(&self, cx: &Cx, subscript: &Node) -> Option<String> {
        let key = subscript.child_by_field_name("index").filter(|key| self.kind(key) == K::Identifier)?;
        let name = cx.text_of(&key);
        (!cx.is_bound(name)).then(|| format!("[{name}]"))
    }

    fn alternative(&self, cx: &mut Cx, node: Option<Node>, steps: usize) -> ExprId {
        match node {
            Some(node) => self.expr(cx, &node, steps + 1),
            None => cx.expr(Expr::Unknown),
        }
    }

    /// The type of a value that names it: `new T()`, `x as T`.
    pub(super) fn literal_type(&self, cx: &mut Cx, value: &Node) -> Option<TypeId> {
        let id = self.expr(cx, value, 0);
        match cx.expr_at(id) {
            Expr::Typed(ty) => Some(*ty),
            _ => None,
        }
    }

    /// The class that an expression names: `T`, `ns.T`.
    pub(super) fn class_type(&self, cx: &mut Cx, class: &Node, args: Option<Node>) -> Option<TypeId> {
        let mut path = Vec::new();
        let mut class = self.peel(*class);
        for _ in 0..MAX_STEPS {
            match self.kind(&class) {
                K::Identifier => {
                    path.push(cx.name_of(&class));
                    path.reverse();
                    let args = args.map_or(Vec::new(), |args| self.type_list(cx, &args, 0));
                    return Some(cx.ty(path, args));
                }
                K::Member => {
                    path.push(cx.name_of(&self.child(&class, self.f.property)?));
                    class = self.child(&class, self.f.object)?;
                }
                K::This if path.is_empty() => return self.word(cx, "this", Vec::new()),
                _ => return None,
            }
        }
        None
    }

    fn type_list(&self, cx: &mut Cx, list: &Node, steps: usize) -> Vec<TypeId> {
        let mut cursor = list.walk();
        let types: Vec<Node> = list.named_children(&mut cursor).take(64).collect();
        types.iter().filter_map(|ty| self.type_ref(cx, ty, steps + 1)).collect()
    }

    /// A type as written; `None` for one that names nothing.
    pub(super) fn type_ref(&self, cx: &mut Cx, node: &Node, steps: usize) -> Option<TypeId> {
        if steps > MAX_STEPS {
            return None;
        }
        match self.kind(node) {
            K::TypeIdentifier | K::Identifier => {
                let name = cx.name_of(node);
                Some(cx.ty(vec![name], Vec::new()))
            }
            K::PredefinedType => self.word(cx, cx.text_of(node), Vec::new()),
            K::NestedType | K::NestedIdentifier | K::Member => {
                let path = self.type_path(cx, node)?;
                Some(cx.ty(path, Vec::new()))
            }
            K::GenericType => {
                let path = self.type_path(cx, &self.child(node, self.f.name)?)?;
                let args = self.child(node, self.f.type_arguments);
                let args = args.map_or(Vec::new(), |args| self.type_list(cx, &args, steps));
                Some(cx.ty(path, args))
            }
            K::InnerType => self.type_ref(cx, &self.first(node)?, steps + 1),
            K::TypeQuery | K::Instantiation => self.type_ref(cx, &self.first(node)?, steps + 1),
            K::ArrayType | K::TupleType => {
                let args = self.type_list(cx, node, steps);
                self.word(cx, "[]", args)
            }
            K::UnionType => {
                let args = self.alternatives(cx, node, steps);
                self.word(cx, "|", args)
            }
            K::IntersectionType => {
                let args = self.alternatives(cx, node, steps);
                self.word(cx, "&", args)
            }
            K::FunctionType => self.function_type(cx, node, steps),
            K::LookupType => {
                // `T['key']`: the key before a dot, the type as its argument.
                let key = node.named_child(1).filter(|key| self.kind(key) == K::LiteralType)?;
                let key = self.first(&key).filter(|key| self.kind(key) == K::Str)?;
                let base = self.type_ref(cx, &node.named_child(0)?, steps + 1)?;
                let name = cx.slice(self.property_name(&key));
                let path = vec![cx.name(name), cx.name(".")];
                Some(cx.ty(path, vec![base]))
            }
            K::ObjectType => match self.mapped_type(cx, node, steps) {
                None => self.object_type(cx, node, steps),
                mapped => mapped,
            },
            K::LiteralType => {
                let word = match self.kind(&node.named_child(0)?) {
                    K::Str => "string",
                    K::Bool => "boolean",
                    K::Null => cx.text_of(node),
                    _ => "number",
                };
                self.word(cx, word, Vec::new())
            }
            K::TemplateType => self.word(cx, "string", Vec::new()),
            K::TypePredicate => self.word(cx, "boolean", Vec::new()),
            K::ThisType => self.word(cx, "this", Vec::new()),
            K::Param => self.type_ref(cx, &node.child_by_field_name("type")?, steps + 1), // of a tuple
            _ => None,
        }
    }

    /// The type of a function, or of a method of an object type: its result, then its parameters.
    fn function_type(&self, cx: &mut Cx, node: &Node, steps: usize) -> Option<TypeId> {
        let result = self.child(node, self.f.return_type).or_else(|| node.child_by_field_name("type"));
        let result = result.and_then(|result| self.type_ref(cx, &result, steps + 1));
        let mut args = vec![result.or_else(|| self.word(cx, "void", Vec::new()))?];
        if let Some(list) = self.child(node, self.f.parameters) {
            let mut cursor = list.walk();
            // What a function is called on is not passed to it: `(this: T, x: X) => void` takes an `X`.
            let is_passed = |child: &Node| {
                let this = self.child(child, self.f.pattern).is_some_and(|name| self.kind(&name) == K::This);
                self.kind(child) != K::Comment && !this
            };
            for param in list.named_children(&mut cursor).filter(is_passed).take(16) {
                let written = param.child_by_field_name("type");
                // The parameters of the type itself are seen nowhere else: what they have to be says more.
                let bound = written.and_then(|ty| self.bound_here(cx, node, &ty));
                let ty = bound.or(written).and_then(|ty| self.type_ref(cx, &ty, steps + 1));
                let ty = ty.or_else(|| self.word(cx, "any", Vec::new()))?;
                let rest = self.child(&param, self.f.pattern).is_some_and(|name| self.kind(&name) == K::RestPattern);
                args.push(if rest { self.word(cx, REST, vec![ty])? } else { ty });
            }
        }
        self.word(cx, "fn", args)
    }

    /// `U` for the `T` of `<T extends U>(x: T) => …`.
    fn bound_here<'t>(&self, cx: &Cx, function: &Node<'t>, ty: &Node) -> Option<Node<'t>> {
        let name = self.first(ty).filter(|name| self.kind(name) == K::TypeIdentifier)?;
        let list = function.child_by_field_name("type_parameters")?;
        let mut cursor = list.walk();
        let mut params = list.named_children(&mut cursor);
        let own =
            |param: &Node| self.child(param, self.f.name).is_some_and(|own| cx.text_of(&own) == cx.text_of(&name));
        self.child(&params.find(own)?, self.f.constraint)
    }

    /// An object type that is written out: the names of its members before the `{}`, their types as its arguments.
    fn object_type(&self, cx: &mut Cx, node: &Node, steps: usize) -> Option<TypeId> {
        let (mut path, mut args) = (Vec::new(), Vec::new());
        let mut cursor = node.walk();
        let members: Vec<Node> = node.named_children(&mut cursor).take(32).collect();
        for member in members {
            let Some(name) = self.child(&member, self.f.name) else { continue };
            let ty = match self.kind(&member) {
                K::PropertySignature => {
                    member.child_by_field_name("type").and_then(|ty| self.type_ref(cx, &ty, steps + 1))
                }
                K::MethodSignature => self.function_type(cx, &member, steps + 1),
                _ => None,
            };
            if let Some(ty) = ty {
                let name = cx.slice(self.property_name(&name));
                path.push(cx.name(name));
                args.push(ty);
            }
        }
        path.push(cx.owned_name("{}".to_owned()));
        Some(cx.ty(path, args))
    }

    /// `{ [K in keyof T]: … }` has the members of `T`; any other object type has its own.
    fn mapped_type(&self, cx: &mut Cx, node: &Node, steps: usize) -> Option<TypeId> {
        let signature = self.first(node).filter(|inner| self.kind(inner) == K::IndexSignature)?;
        let mut cursor = signature.walk();
        let clause = signature.named_children(&mut cursor).find(|child| self.kind(child) == K::MappedClause)?;
        let keys = clause.child_by_field_name("type").filter(|keys| keys.kind() == "index_type_query")?;
        self.type_ref(cx, &self.first(&keys)?, steps + 1)
    }

    pub(super) fn word<'s>(&self, cx: &mut Cx<'_, 's, '_>, word: &'s str, args: Vec<TypeId>) -> Option<TypeId> {
        let name = cx.name(word);
        Some(cx.ty(vec![name], args))
    }

    /// The alternatives of `a | b | c`, which the grammar nests to the left.
    fn alternatives(&self, cx: &mut Cx, node: &Node, steps: usize) -> Vec<TypeId> {
        let kind = self.kind(node);
        let mut found = Vec::new();
        let mut node = *node;
        // A union may have hundreds of members, one level each; beyond this many the type helps nobody.
        for _ in 0..64 {
            let mut cursor = node.walk();
            let members: Vec<Node> =
                node.named_children(&mut cursor).filter(|child| self.kind(child) != K::Comment).collect();
            let (nested, rest) = match members.split_first() {
                Some((first, rest)) if self.kind(first) == kind => (Some(*first), rest),
                _ => (None, members.as_slice()),
            };
            for member in rest.iter().rev() {
                found.extend(self.type_ref(cx, member, steps + 1));
            }
            match nested {
                Some(first) => node = first,
                None => break,
            }
        }
        found.reverse();
        found
    }

    /// `["ns", "T"]` of `ns.T`.
    fn type_path(&self, cx: &mut Cx, node: &Node) -> Option<Vec<NameId>> {
        let mut path = Vec::new();
        let mut node = *node;
        for _ in 0..MAX_STEPS {
            let (outer, name) = match self.kind(&node) {
                K::NestedType => (self.child(&node, self.f.module)?, self.child(&node, self.f.name)?),
                K::NestedIdentifier | K::Member => {
                    (self.child(&node, self.f.object)?, self.child(&node, self.f.property)?)
                }
                K::TypeIdentifier | K::Identifier => {
                    path.push(cx.name_of(&node));
                    path.reverse();
                    return Some(path);
                }
                _ => return None,
            };
            path.push(cx.name_of(&name));
            node = outer;
        }
        None
    }
}
