//! Attributes: whether they mark tests, and the names in their arguments.

use cruxe_model::facts::{Expr, Role};
use tree_sitter::Node;

use super::Rust;
use super::tokens::{Mode, T, Token};
use crate::walk::Cx;

/// Arguments of well-known attributes that name code in quotes.
const PATHS: &[&str] = &[
    "default",
    "deserialize_with",
    "from",
    "getter",
    "into",
    "parse_with",
    "remote",
    "serialize_with",
    "skip_serializing_if",
    "try_from",
    "with",
];

/// The paths with arguments of the attributes in the text between a definition's first comment and its keyword.
fn attributes(text: &str) -> impl Iterator<Item = &str> {
    // Documentation shows attributes too, so its lines are dropped first.
    let lines = text.lines().map(str::trim_start);
    lines.filter(|line| !line.starts_with("//")).flat_map(|line| line.split("#[").skip(1)).map(str::trim)
}

/// Whether attributes mark a test or something that is compiled only for tests.
pub(super) fn mark_test(text: &str) -> bool {
    text.contains("test") && attributes(text).any(marks_test)
}

fn marks_test(attribute: &str) -> bool {
    let end = attribute.find(|c: char| !c.is_alphanumeric() && !"_:".contains(c)).unwrap_or(attribute.len());
    let (path, arguments) = attribute.split_at(end);
    match path.rsplit("::").next().unwrap_or(path) {
        "test" | "rstest" | "test_case" | "test_log" | "wasm_bindgen_test" | "quickcheck" => true,
        "cfg" => {
            let words: Vec<&str> = arguments.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
            let test = words.iter().position(|word| *word == "test");
            // `cfg(not(test))` is the opposite, `cfg(any(test, …))` is for others too.
            test.is_some_and(|at| !words[..at].iter().any(|word| matches!(*word, "not" | "any" | "feature")))
        }
        _ => false,
    }
}

/// Whether one of the attributes begins with a path.
pub(super) fn mention(text: &str, path: &str) -> bool {
    attributes(text).any(|attribute| attribute.starts_with(path))
}

impl Rust {
    /// The inside of `#[…]` as tokens: in the text of a macro call.
    pub(super) fn attribute_tokens(&self, cx: &mut Cx, tree: &Node, depth: u32) {
        let tokens = self.collect(cx, tree);
        let path = tokens.iter().take_while(|token| matches!(token.t, T::Ident | T::Path(_)) || token.is("::"));
        let length = path.count();
        self.note_path(cx, &tokens[..length], Role::Decorator);
        let name = tokens[..length].last().map_or("", |token| cx.text_of(&token.node));
        if let Some(arguments) = tokens.get(length).filter(|token| matches!(token.t, T::Tree(_))) {
            self.attribute_arguments(cx, name, &arguments.node, depth + 1);
        }
    }

    /// `derive` names traits. Of the others only what stands behind a `=` is code: `#[arg(value_parser = parse)]`; the
    /// rest are words of the attribute's own.
    pub(super) fn attribute_arguments(&self, cx: &mut Cx, name: &str, tree: &Node, depth: u32) {
        if depth > 8 || matches!(name, "cfg" | "doc" | "allow" | "warn" | "deny" | "expect" | "repr" | "feature") {
            return;
        }
        let tokens = self.collect(cx, tree);
        if name == "derive" {
            for path in tokens.split(|token| token.is(",")) {
                self.note_path(cx, path, Role::Decorator);
            }
            return;
        }
        for part in tokens.split(|token| token.is(",")) {
            match part {
                [key, equals, value]
                    if equals.is("=") && value.t == T::Str && PATHS.contains(&cx.text_of(&key.node)) =>
                {
                    self.quoted_path(cx, &value.node);
                }
                [_, equals, value @ ..] if equals.is("=") => self.token_run(cx, value, Mode::Code, depth + 1),
                [key, .., arguments] if matches!((key.t, arguments.t), (T::Ident, T::Tree(b'('))) => {
                    let name = cx.text_of(&part[part.len() - 2].node);
                    self.attribute_arguments(cx, name, &arguments.node, depth + 1);
                }
                _ => {}
            }
        }
    }

    /// `"path::to::function"`.
    fn quoted_path(&self, cx: &mut Cx, string: &Node) {
        let quoted = cx.text_of(string);
        let text = quoted.trim_matches('"');
        let is_name = |part: &str| {
            let mut chars = part.chars();
            chars.next().is_some_and(|c| c == '_' || c.is_alphabetic())
                && chars.all(|c| c == '_' || c.is_alphanumeric())
        };
        if quoted.len() != text.len() + 2 || !text.split("::").all(is_name) {
            return;
        }
        let mut start = string.start_byte() as u32 + 1;
        let mut receiver = None;
        for part in text.split("::") {
            cx.occurrence_at(part, start, Role::Value, receiver);
            let name = cx.name(part);
            receiver = Some(match receiver {
                None => cx.expr(Expr::Name(name)),
                Some(base) => cx.expr(Expr::Member(base, name)),
            });
            start += part.len() as u32 + 2;
        }
    }

    /// A path of tokens whose last name has a role.
    fn note_path(&self, cx: &mut Cx, path: &[Token], role: Role) {
        let names: Vec<&Token> = path.iter().filter(|token| matches!(token.t, T::Ident | T::Path(_))).collect();
        let mut receiver = None;
        for (at, token) in names.iter().enumerate() {
            if token.t == T::Ident {
                let role = if at + 1 == names.len() { role } else { Role::Value };
                cx.occurrence(&token.node, role, receiver);
            }
            receiver = Some(self.extend(cx, receiver, &token.node));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::mark_test;

    #[test]
    fn test_attributes_are_told_from_others() {
        for yes in ["#[test]\n", "#[tokio::test(flavor = \"x\")]\n", "#[cfg(test)]", "#[cfg(all(test, unix))]"] {
            assert!(mark_test(yes), "{yes}");
        }
        for no in ["/// #[test]\n", "#[cfg(not(test))]", "#[cfg(any(test, feature = \"x\"))]", "#[testing::x]", ""] {
            assert!(!mark_test(no), "{no}");
        }
    }
}
