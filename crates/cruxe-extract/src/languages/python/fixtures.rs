//! What pytest fills in by name: the parameters of tests and fixtures, and the strings that name a fixture.
//!
//! Who is meant is found out where questions are answered: fixtures stand in other files too.

use cruxe_model::SymbolKind;
use cruxe_model::facts::{Expr, Role, Span};
use tree_sitter::Node;

use super::quoted::{contents, is_name};
use super::{K, Python};
use crate::walk::{Cx, Frame};

/// Names that a decorator gives to parameters, at most.
const MAX_NAMES: usize = 64;

impl Python {
    /// Notes the parameters that pytest fills by their names; the current node is the list of them.
    pub(super) fn provided(&self, cx: &mut Cx) {
        let Some(first) = self.first_provided(cx) else { return };
        let given = self.given_by_decorators(cx);
        let node = cx.node();
        for parameter in self.parts(&node, &mut node.walk()).skip(first) {
            let name = match self.kind(&parameter) {
                K::TypedParameter => self.first(&parameter),
                _ => Some(parameter),
            };
            // One with a default keeps it.
            let Some(name) = name.filter(|name| self.kind(name) == K::Identifier) else { continue };
            if !given.contains(&cx.text_of(&name)) {
                cx.occurrence(&name, Role::Provided, None);
            }
        }
    }

    /// The place of the first parameter that pytest fills by its name; `None` where pytest does not call the function.
    fn first_provided(&self, cx: &Cx) -> Option<usize> {
        let function = cx.ancestor(1).filter(|frame| self.kinds.get(frame.kind) == K::Function)?;
        let symbol = cx.symbol_at(cx.current_symbol()?);
        let owner = symbol.parent.map(|parent| cx.symbol_at(parent));
        let in_class = owner.is_some_and(|owner| owner.kind == SymbolKind::Class);
        if owner.is_some() && !in_class {
            return None; // a function inside another
        }
        let collected = cx.is_test_file()
            && cx.text_of(&function.node.child_by_field_id(self.name)?).starts_with("test")
            && owner.is_none_or(|owner| owner.name.starts_with("Test"));
        let decorators = self.decorators_at(cx, 2);
        let words = || decorators.iter().map(|one| self.decorator_name(cx, one));
        if !collected && !words().any(is_fixture) {
            return None;
        }
        // `@mock.patch("x.y")` puts what it made before all others.
        let patched = decorators.iter().filter(|one| self.is_patch(cx, one)).count();
        let own = usize::from(in_class && !words().any(|word| word == "staticmethod"));
        Some(own + patched)
    }

    /// Whether a decorator is `@patch(…)`, `@mock.patch.object(…)` or the like.
    fn is_patch(&self, cx: &Cx, decorator: &Node) -> bool {
        let call = self.first(decorator).filter(|call| self.kind(call) == K::Call);
        let callee =
            call.and_then(|call| call.child_by_field_id(self.function)).map_or("", |callee| cx.text_of(&callee));
        callee.split('.').any(|part| part == "patch")
    }

    /// The names that decorators of the function and of the classes around it give values to: those of
    /// `@pytest.mark.parametrize("name", …)` and of named arguments.
    fn given_by_decorators<'s>(&self, cx: &Cx<'_, 's, '_>) -> Vec<&'s str> {
        let mut given = Vec::new();
        let holds = |frame: &Frame| matches!(self.kinds.get(frame.kind), K::Function | K::Class);
        let levels: Vec<usize> = (1..)
            .map_while(|level| cx.ancestor(level).map(|frame| (level, holds(frame))))
            .filter(|(_, holds)| *holds)
            .map(|(level, _)| level)
            .collect();
        for level in levels {
            for decorator in self.decorators_at(cx, level + 1) {
                let Some(call) = self.first(&decorator).filter(|call| self.kind(call) == K::Call) else { continue };
                match self.decorator_name(cx, &decorator) {
                    "parametrize" => self.parametrized(cx, &call, &mut given),
                    name if is_fixture(name) => {}
                    _ => self.named_in(cx, &call, &mut given),
                }
            }
        }
        given
    }

    /// The names of `parametrize("a, b", …)` whose values go to the test itself. Those that are `indirect` go to a fixture.
    fn parametrized<'s>(&self, cx: &Cx<'_, 's, '_>, call: &Node, given: &mut Vec<&'s str>) {
        let names = self.positional(call).first().copied().or_else(|| self.keyword(cx, call, "argnames"));
        let indirect = self.keyword(cx, call, "indirect");
        let all_indirect = indirect.is_some_and(|value| self.kind(&value) == K::True);
        let mut through = Vec::new();
        if let Some(list) = indirect {
            self.words(cx, &list, &mut through);
        }
        let mut direct = Vec::new();
        if let Some(names) = names.filter(|_| !all_indirect) {
            self.words(cx, &names, &mut direct);
        }
        given.extend(direct.into_iter().filter(|name| !through.contains(name)));
    }

    /// The names in a string with commas, or in the strings of a list.
    fn words<'s>(&self, cx: &Cx<'_, 's, '_>, node: &Node, words: &mut Vec<&'s str>) {
        let mut read = |string: &Node| {
            let text = contents(cx, string).map_or("", |inside| cx.slice(inside));
            words.extend(text.split(',').map(str::trim).filter(|word| is_name(word)).take(MAX_NAMES));
        };
        match self.kind(node) {
            K::String => read(node),
            K::List | K::Tuple => {
                let strings: Vec<_> = self.parts(node, &mut node.walk()).take(MAX_NAMES).collect();
                strings.iter().filter(|part| self.kind(part) == K::String).for_each(read);
            }
            _ => {}
        }
    }

    fn named_in<'s>(&self, cx: &Cx<'_, 's, '_>, call: &Node, given: &mut Vec<&'s str>) {
        let Some(list) = call.child_by_field_id(self.arguments) else { return };
        let mut cursor = list.walk();
        let named = self.parts(&list, &mut cursor).filter(|argument| self.kind(argument) == K::KeywordArgument);
        let keys = named.into_iter().take(MAX_NAMES).filter_map(|argument| argument.child_by_field_id(self.name));
        given.extend(keys.map(|key| cx.text_of(&key)));
    }

    /// The decorators of what the `level`-th ancestor wraps, where it is a decorated definition.
    fn decorators_at<'t>(&self, cx: &Cx<'_, '_, 't>, level: usize) -> Vec<Node<'t>> {
        let wrapper = cx.ancestor(level).filter(|frame| self.kinds.get(frame.kind) == K::Decorated);
        let Some(wrapper) = wrapper.map(|frame| frame.node) else { return Vec::new() };
        wrapper.named_children(&mut wrapper.walk()).filter(|child| self.kind(child) == K::Decorator).collect()
    }

    /// Whether the function that is the `level`-th ancestor hands out what it yields: a fixture, a context manager.
    pub(super) fn hands_out(&self, cx: &Cx, level: usize) -> bool {
        self.decorators_at(cx, level + 1).iter().any(|decorator| match self.decorator_name(cx, decorator) {
            "contextmanager" | "asynccontextmanager" => true,
            name => is_fixture(name),
        })
    }

    /// A string that names a fixture, the current node: of `usefixtures("x")` and `getfixturevalue("x")`, and of
    /// `@pytest.fixture(name="x")`, which is another name for the function below it.
    pub(super) fn fixture_name(&self, cx: &mut Cx, inside: Span) -> bool {
        let text = cx.slice(inside);
        let named = self.kind_at(cx, 1) == K::KeywordArgument;
        let level = if named { 3 } else { 2 };
        let Some(call) = cx.ancestor(level).filter(|frame| self.kinds.get(frame.kind) == K::Call) else { return false };
        let callee = call.node.child_by_field_id(self.function).map_or("", |callee| cx.text_of(&callee));
        let word = callee.rsplit('.').next().unwrap_or_default();
        if !is_name(text) {
            return false;
        }
        if !named {
            let names = self.kind_at(cx, 1) == K::ArgumentList && matches!(word, "usefixtures" | "getfixturevalue");
            if names {
                cx.occurrence_at(text, inside.start, Role::Provided, None);
            }
            return names;
        }
        let key = cx.parent().and_then(|argument| argument.child_by_field_id(self.name));
        let decorates = self.kind_at(cx, 4) == K::Decorator && is_fixture(word);
        let function = cx.ancestor(5).filter(|_| decorates && key.is_some_and(|key| cx.text_of(&key) == "name"));
        let definition = function.and_then(|frame| frame.node.child_by_field_name("definition"));
        let Some(name) = definition.and_then(|definition| definition.child_by_field_id(self.name)) else {
            return false;
        };
        let function = cx.name_of(&name);
        let function = cx.expr(Expr::Name(function));
        cx.occurrence_at(text, inside.start, Role::Provided, Some(function));
        true
    }
}

/// Whether what is decorated so is a fixture.
fn is_fixture(decorator: &str) -> bool {
    matches!(decorator, "fixture" | "yield_fixture")
}
