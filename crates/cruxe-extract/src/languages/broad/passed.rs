//! What calls pass, for languages that tell functions of one name apart by it.

use cruxe_model::arguments::{Argument, Arguments};
use tree_sitter::Language;

use super::{Broad, Shape, Syntax, TriviaRule};
use crate::walk::Cx;

/// Where the arguments of calls stand.
#[derive(Clone, Copy)]
pub struct Passing {
    /// The nodes that list them.
    pub lists: &'static [&'static str],
    /// The node between a call and its list, where there is one.
    pub suffix: Option<&'static str>,
    /// The node of a lambda behind the parentheses.
    pub lambda: Option<&'static str>,
    /// The node around each argument, where there is one.
    pub argument: Option<&'static str>,
    /// Arguments that stand for any number of them.
    pub spread: &'static [&'static str],
    /// An argument with a name may stand in any place.
    pub free_names: bool,
}

/// A list in parentheses, each argument by itself.
pub const PASSING: Passing =
    Passing { lists: &["argument_list"], suffix: None, lambda: None, argument: None, spread: &[], free_names: false };

/// Parentheses and the like around an argument are looked through so far.
const MAX_WRAPPERS: usize = 4;

/// The same by the numbers that a grammar gives to its nodes: every call is asked.
pub(super) struct Places {
    lists: Vec<u16>,
    suffix: Option<u16>,
    lambda: Option<u16>,
    argument: Option<u16>,
    spread: Vec<u16>,
    free_names: bool,
}

impl Places {
    pub(super) fn new(grammar: &Language, passing: &Passing) -> Places {
        let id = |kind: &str| grammar.id_for_node_kind(kind, true);
        let ids = |kinds: &[&str]| kinds.iter().map(|kind| id(kind)).collect();
        Places {
            lists: ids(passing.lists),
            suffix: passing.suffix.map(id),
            lambda: passing.lambda.map(id),
            argument: passing.argument.map(id),
            spread: ids(passing.spread),
            free_names: passing.free_names,
        }
    }
}

impl Broad {
    /// What the call passes that is the node at a level; `None` where that cannot be told.
    pub(super) fn passed(&self, cx: &Cx, level: usize) -> Option<Arguments> {
        let places = self.places.as_ref()?;
        let frame = cx.ancestor(level)?;
        let call = frame.node;
        let mut found: Vec<Syntax> = Vec::new();
        let last = call.named_child((call.named_child_count() as u32).checked_sub(1)?)?;
        let plain = places.lambda.is_none() && places.suffix.is_none() && places.lists.contains(&last.kind_id());
        let mut told = match plain {
            true => self.listed(&last, &mut found)?,
            false => self.arguments_below(&call, places, &mut found)?,
        };
        // Some grammars read `f(1) { … }` as a call of `f(1)`.
        if let Some(outer) = cx.ancestor(level + 1).filter(|outer| places.lambda.is_some() && outer.kind == frame.kind)
            && outer.node.named_child(0).is_some_and(|first| first.id() == call.id())
        {
            let mut cursor = outer.node.walk();
            found.extend(outer.node.named_children(&mut cursor).filter(|one| Some(one.kind_id()) == places.lambda));
            told = true;
        }
        let is_spread = |one: &Syntax| {
            places.spread.contains(&one.kind_id())
                || one.named_child(0).is_some_and(|inner| places.spread.contains(&inner.kind_id()))
        };
        if !told || !places.spread.is_empty() && found.iter().any(is_spread) {
            return None;
        }
        Arguments::new(found.iter().map(|argument| self.argument(cx, argument, places)))
    }

    /// What stands behind an operator, as the argument of the function behind it.
    pub fn operand(&self, cx: &Cx, node: &Syntax) -> Argument {
        self.places.as_ref().map_or(Argument::Other, |places| self.argument(cx, node, places))
    }

    /// Collects the arguments of a list; `None` where the parser stumbled.
    fn listed<'t>(&self, list: &Syntax<'t>, found: &mut Vec<Syntax<'t>>) -> Option<bool> {
        if list.has_error() {
            return None;
        }
        let is_comment = |one: &Syntax| matches!(self.rule(one.kind_id()).trivia, TriviaRule::Comment(_));
        if list.named_child_count() > 0 {
            let mut inside = list.walk();
            found.extend(list.named_children(&mut inside).filter(|one| !is_comment(one)));
        }
        Some(true)
    }

    /// Collects the arguments below a node; whether there is a place for them, and `None` where the parser stumbled.
    fn arguments_below<'t>(&self, node: &Syntax<'t>, places: &Places, found: &mut Vec<Syntax<'t>>) -> Option<bool> {
        let (mut cursor, mut told) = (node.walk(), false);
        for child in node.named_children(&mut cursor) {
            let kind = child.kind_id();
            if places.lists.contains(&kind) {
                told |= self.listed(&child, found)?;
            } else if Some(kind) == places.suffix {
                told |= self.arguments_below(&child, places, found)?;
            } else if Some(kind) == places.lambda {
                found.push(child);
                told = true;
            }
        }
        Some(told)
    }

    fn argument(&self, cx: &Cx, node: &Syntax, places: &Places) -> Argument {
        let mut at = *node;
        if Some(at.kind_id()) == places.lambda {
            return Argument::Function;
        }
        if Some(at.kind_id()) == places.argument {
            let named = places.free_names && at.child_count() > 1;
            match at.named_child((at.named_child_count() as u32).saturating_sub(1)) {
                Some(value) if !named => at = value,
                _ => return Argument::Other,
            }
        }
        for _ in 0..MAX_WRAPPERS {
            let rule = self.rule(at.kind_id());
            let shape = if let Shape::By(shape) = rule.expr { shape(&at) } else { rule.expr };
            match shape {
                Shape::Inner(find) => match find.find(&at) {
                    Some(inner) if rule.name.is_none() && inner.kind_id() != at.kind_id() => at = inner,
                    _ => return Argument::Other,
                },
                Shape::Literal("str") => return Argument::Str,
                Shape::Literal("int") => return Argument::Int,
                Shape::Literal("float") => return Argument::Float,
                Shape::Literal("bool") => return Argument::Bool,
                Shape::Literal("char") => return Argument::Char,
                Shape::Literal("fn") => return Argument::Function,
                Shape::SelfValue => return Argument::Own,
                Shape::Typed(_) => return Argument::Made,
                Shape::Unknown if rule.name.is_some() && at.named_child_count() == 0 => {
                    let (table, text) = (self.table, cx.text_of(&at));
                    let word = [table.super_words, table.keywords].iter().any(|words| words.contains(&text));
                    return match table.self_words.contains(&text) {
                        true => Argument::Own,
                        false if word => Argument::Other,
                        false => Argument::Name,
                    };
                }
                _ => return Argument::Other,
            }
        }
        Argument::Other
    }
}

#[cfg(test)]
mod tests {
    use cruxe_model::arguments::Argument::{self, Bool, Function, Int, Made, Name, Other, Own, Str};

    use crate::languages::fixture_tests::extract;

    /// What the calls of `f` in a file pass.
    fn passed(path: &str, text: &str) -> Vec<Vec<Argument>> {
        let facts = extract(path, text);
        let calls = facts.occurrences.iter().filter(|one| facts.name(one.name) == "f");
        let arguments = calls.filter_map(|one| facts.arguments(one.start));
        arguments.map(|one| (0..one.count()).map(|at| one.at(at)).collect()).collect()
    }

    #[test]
    fn arguments_are_counted_and_sorted() {
        let java = "class A { void g(int a) { f(); f(1, \"x\", this, new B(), h(), a, x -> x); this.f(/* no */ a); } }";
        let all = vec![Int, Str, Own, Made, Other, Name, Other];
        assert_eq!(passed("A.java", java), [vec![], all, vec![Name]]);
        let cpp = "void g(int a) { f(a, true, 1); f<int>(a); x->f(&a); ns::f(args...); f(std::move(a)); }";
        assert_eq!(passed("a.cc", cpp), [vec![Name, Bool, Int], vec![Name], vec![Name], vec![Other]]);
        let csharp = "class A { void G(int a) { f(a, b: 1, out var c); x?.f(this); } }";
        assert_eq!(passed("A.cs", csharp), [vec![Name, Other, Other], vec![Other]]);
    }

    #[test]
    fn a_function_behind_the_parentheses_is_an_argument() {
        let kotlin = "fun g(a: Int) { f(a) { it }; f { it }; x.f(1, b = 2); f(*all); f(1, { it }) }";
        assert_eq!(
            passed("a.kt", kotlin),
            [vec![Name, Function], vec![Function], vec![Int, Other], vec![Int, Function]]
        );
        let swift = "func g(a: Int) { f(a) { $0 }; f { $0 }; x.f(by: 1) }";
        assert_eq!(passed("a.swift", swift), [vec![Name, Function], vec![Function], vec![Int]]);
        let scala = "object A { def g(a: Int) = { f(a)(b); f(all: _*); x.f(1, b = 2) } }";
        assert_eq!(passed("A.scala", scala), [vec![Name], vec![Int, Other]]);
    }
}
