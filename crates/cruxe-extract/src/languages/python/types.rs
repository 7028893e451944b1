//! Types as annotations, bases and values write them.

use cruxe_model::facts::{NameId, TypeId};
use tree_sitter::Node;

use super::expr::{is_bytes, literal_word};
use super::{K, MAX_STEPS, Python};
use crate::walk::Cx;

/// A type with more arguments or alternatives is cut.
const MAX_ARGUMENTS: usize = 32;

/// What modules of types are called where they are imported.
const TYPING: &[&str] = &["typing", "typing_extensions", "t", "te", "tp", "tx"];
/// Words of theirs that mean the same without the module before them.
const WORDS: &[&str] = &["Any", "Optional", "Self", "Type", "Union"];

impl Python {
    pub(super) fn type_ref(&self, cx: &mut Cx, node: &Node, steps: u32) -> Option<TypeId> {
        if steps > MAX_STEPS {
            return None;
        }
        match self.kind(node) {
            K::Type | K::Parenthesized | K::ConstrainedType | K::SplatType => {
                self.type_ref(cx, &self.first(node)?, steps + 1)
            }
            K::Identifier | K::Attribute | K::MemberType | K::DottedName => {
                let path = self.type_path(cx, node, steps)?;
                Some(cx.ty(path, Vec::new()))
            }
            K::None => Some(self.word_type(cx, "None", Vec::new())),
            K::Ellipsis => Some(self.word_type(cx, "...", Vec::new())),
            K::String => self.quoted_type(cx, node),
            K::Subscript | K::GenericType => {
                let mut cursor = node.walk();
                let mut parts = self.parts(node, &mut cursor);
                let path = self.type_path(cx, &parts.next()?, steps)?;
                let args: Vec<Node> = match self.kind(node) {
                    K::Subscript => parts.take(MAX_ARGUMENTS).collect(),
                    _ => {
                        let list = parts.next()?;
                        self.parts(&list, &mut list.walk()).take(MAX_ARGUMENTS).collect()
                    }
                };
                let args = args.iter().filter_map(|arg| self.type_ref(cx, arg, steps + 1)).collect();
                Some(self.unqualified(cx, path, args))
            }
            K::List => self.display_type(cx, node, "[]", steps),
            K::Tuple | K::ExpressionList => self.display_type(cx, node, "()", steps),
            K::Binary | K::UnionType => self.union(cx, node, steps),
            _ => None,
        }
    }

    /// `X` of `ClassVar[X]` and `Annotated[X, …]`: such words qualify a type, they are none. What `Literal` holds are
    /// values.
    pub(super) fn unqualified(&self, cx: &mut Cx, path: Vec<NameId>, args: Vec<TypeId>) -> TypeId {
        let word = path.last().map_or("", |last| cx.name_at(*last));
        match (word, args.first()) {
            ("Literal", _) => cx.ty(path, Vec::new()),
            ("ClassVar" | "Final" | "Annotated" | "Required" | "NotRequired" | "ReadOnly" | "InitVar", Some(inner)) => {
                *inner
            }
            _ => cx.ty(path, args),
        }
    }

    fn type_path(&self, cx: &mut Cx, node: &Node, steps: u32) -> Option<Vec<NameId>> {
        if steps > MAX_STEPS {
            return None;
        }
        match self.kind(node) {
            K::Identifier => Some(vec![cx.name_of(node)]),
            K::Type => self.type_path(cx, &self.first(node)?, steps + 1),
            K::Attribute | K::MemberType => {
                let count = node.named_child_count().checked_sub(1)?;
                let mut path = self.type_path(cx, &self.first(node)?, steps + 1)?;
                path.push(cx.name_of(&node.named_child(count as u32)?));
                Some(without_typing(cx, path))
            }
            K::DottedName => {
                let mut cursor = node.walk();
                let path = node.named_children(&mut cursor).map(|part| cx.name_of(&part)).collect();
                Some(without_typing(cx, path))
            }
            _ => None,
        }
    }

    fn display_type(&self, cx: &mut Cx, node: &Node, word: &'static str, steps: u32) -> Option<TypeId> {
        let parts: Vec<Node> = self.parts(node, &mut node.walk()).take(MAX_ARGUMENTS).collect();
        let args = parts.iter().filter_map(|part| self.type_ref(cx, part, steps + 1)).collect();
        Some(self.word_type(cx, word, args))
    }

    /// `A | B | C`, which the grammar nests to the left.
    fn union(&self, cx: &mut Cx, node: &Node, steps: u32) -> Option<TypeId> {
        let mut alternatives = Vec::new();
        let mut at = *node;
        while alternatives.len() < MAX_ARGUMENTS {
            let (left, right) = (self.first(&at)?, at.named_child(at.named_child_count().checked_sub(1)? as u32)?);
            alternatives.push(right);
            let inner = if self.kind(&left) == K::Type { self.first(&left)? } else { left };
            if !matches!(self.kind(&inner), K::Binary | K::UnionType) {
                alternatives.push(inner);
                break;
            }
            at = inner;
        }
        let args = alternatives.iter().rev().filter_map(|part| self.type_ref(cx, part, steps + 1)).collect();
        Some(self.word_type(cx, "Union", args))
    }

    /// The type of what `except` catches.
    pub(super) fn exception_type(&self, cx: &mut Cx, node: &Node) -> Option<TypeId> {
        if self.kind(node) != K::Tuple {
            return self.type_ref(cx, node, 0);
        }
        let parts: Vec<Node> = self.parts(node, &mut node.walk()).take(MAX_ARGUMENTS).collect();
        let args = parts.iter().filter_map(|part| self.type_ref(cx, part, 1)).collect();
        Some(self.word_type(cx, "Union", args))
    }

    /// The type that a value shows without looking anything up: a literal, a call of something with the name of a
    /// class, a parameter with an annotation.
    pub(super) fn inferred(&self, cx: &mut Cx, value: &Node, steps: u32) -> Option<TypeId> {
        if steps > MAX_STEPS {
            return None;
        }
        match self.kind(value) {
            K::Call => {
                let function = value.child_by_field_id(self.function)?;
                let text = cx.text_of(&function);
                if matches!(text, "cast" | "typing.cast" | "t.cast") {
                    return self.type_ref(cx, self.positional(value).first()?, steps + 1);
                }
                let name = text.rsplit('.').next()?.trim_start_matches('_');
                // A value of a type variable has at least what its bound has.
                if name == "TypeVar" {
                    return self.type_ref(cx, &self.keyword(cx, value, "bound")?, steps + 1);
                }
                // `self.Inner()` is of a class that has to be looked up.
                let of_self = text.starts_with("self.") || text.starts_with("cls.");
                let class = name.starts_with(char::is_uppercase) && !of_self;
                if class { self.type_ref(cx, &function, steps + 1) } else { None }
            }
            K::Parenthesized => self.inferred(cx, &self.first(value)?, steps + 1),
            K::Boolean | K::Conditional => {
                let first = self.first(value)?;
                let last = value.named_child(value.named_child_count().checked_sub(1)? as u32)?;
                self.inferred(cx, &first, steps + 1).or_else(|| self.inferred(cx, &last, steps + 1))
            }
            K::Identifier => self.parameter_type(cx, value),
            K::None | K::Generator | K::Lambda => None,
            K::String if is_bytes(cx.text_of(value)) => Some(self.word_type(cx, "bytes", Vec::new())),
            kind => literal_word(kind).map(|word| self.word_type(cx, word, Vec::new())),
        }
    }

    /// The annotation of a parameter of the function around the current node.
    fn parameter_type(&self, cx: &mut Cx, name: &Node) -> Option<TypeId> {
        let around = (1..).map_while(|level| cx.ancestor(level));
        let function = around.into_iter().find(|frame| self.kinds.get(frame.kind) == K::Function)?.node;
        let list = function.child_by_field_id(self.parameters)?;
        let text = cx.text_of(name);
        let found = self.parts(&list, &mut list.walk()).take(64).find(|parameter| match self.kind(parameter) {
            K::TypedParameter => self.first(parameter).is_some_and(|first| cx.text_of(&first) == text),
            K::TypedDefaultParameter => {
                parameter.child_by_field_id(self.name).is_some_and(|found| cx.text_of(&found) == text)
            }
            _ => false,
        })?;
        self.type_ref(cx, &found.child_by_field_id(self.ty)?, 0)
    }

    pub(super) fn word_type(&self, cx: &mut Cx, word: &'static str, args: Vec<TypeId>) -> TypeId {
        let name = cx.name(word);
        cx.ty(vec![name], args)
    }
}

/// `Self` of `typing_extensions.Self`.
pub(super) fn without_typing(cx: &Cx, path: Vec<NameId>) -> Vec<NameId> {
    match path[..] {
        [module, word] if TYPING.contains(&cx.name_at(module)) && WORDS.contains(&cx.name_at(word)) => vec![word],
        _ => path,
    }
}
