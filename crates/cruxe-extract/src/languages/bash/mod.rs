//! Shell scripts: functions, variables, and the commands that are called.

use std::borrow::Cow;

use cruxe_model::SymbolKind;
use cruxe_model::facts::{Access, BindingKind, Role, ScopeKind, Span};
use tree_sitter::{Language, Node};

use super::common::{self, Imported};
use crate::build::Decl;
use crate::language::{FrontEnd, LANGUAGE, LanguageDef};
use crate::naming::{NAMING, Naming, Relations, Told};
use crate::recover::{LAYOUT, Lexis};
use crate::registry::{Kinds, field};
use crate::walk::{Cx, Rules, Trivia, Walk, span};

/// Shell scripts of the Bourne family.
pub static BASH: LanguageDef = LanguageDef {
    id: "bash",
    name: "bash",
    extensions: &["sh", "bash", "zsh", "ksh", "bats", "ebuild", "eclass"],
    file_names: &[
        ".bashrc",
        ".bash_profile",
        ".bash_aliases",
        ".bash_logout",
        ".profile",
        ".zshrc",
        ".zprofile",
        ".zshenv",
        ".zlogin",
        ".kshrc",
        ".envrc",
        "PKGBUILD",
        "APKBUILD",
    ],
    interpreters: &["sh", "bash", "zsh", "ksh", "dash", "ash", "mksh"],
    separator: "::",
    front_end: FrontEnd::Grammar { grammar: || tree_sitter_bash::LANGUAGE.into(), rules },
    naming: Naming {
        relations: Relations {
            heritage: Told::Never,
            decorators: Told::Never,
            constructions: Told::Never,
            writes: Told::Yes,
        },
        ..NAMING
    },
    ..LANGUAGE
};

/// What the rules call the node kinds that they know.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum K {
    #[default]
    Other,
    Comment,
    Function,
    Assignment,
    Declaration,
    Unset,
    Subscript,
    Command,
    CommandName,
    For,
    Word,
    Variable,
    Array,
}

const KINDS: &[(&str, K)] = &[
    ("comment", K::Comment),
    ("function_definition", K::Function),
    ("variable_assignment", K::Assignment),
    ("declaration_command", K::Declaration),
    ("unset_command", K::Unset),
    ("subscript", K::Subscript),
    ("command", K::Command),
    ("command_name", K::CommandName),
    ("for_statement", K::For),
    ("c_style_for_statement", K::For),
    ("word", K::Word),
    ("variable_name", K::Variable),
    ("array", K::Array),
];

/// Commands that are as good as keywords: nobody looks for their uses.
const BUILTINS: &[&str] = &[
    ".", ":", "alias", "[", "[[", "break", "builtin", "cd", "command", "continue", "echo", "eval", "exec", "exit",
    "false", "getopts", "printf", "pwd", "read", "return", "set", "shift", "shopt", "source", "test", "trap", "true",
    "type", "ulimit", "umask", "wait",
];

/// How many symbols back a second assignment to a variable still finds the first.
const LOOK_BACK: usize = 300;

struct Bash {
    kinds: Kinds<K>,
    name: u16,
    variable: u16,
}

fn rules(grammar: &Language) -> Box<dyn Rules> {
    let kinds = Kinds::new(grammar, KINDS);
    Box::new(Bash { kinds, name: field(grammar, "name"), variable: field(grammar, "variable") })
}

/// How declarations are found without the grammar.
static LEXIS: Lexis =
    Lexis { heredocs: true, long_strings: true, in_type: ("f() {\n", "}"), in_function: ("f() {\n", "}"), ..LAYOUT };

impl Rules for Bash {
    fn lexis(&self) -> Option<&'static Lexis> {
        Some(&LEXIS)
    }

    fn trivia(&self, kind: u16, text: &str) -> Trivia {
        match self.kinds.get(kind) {
            K::Comment if text.starts_with("#!") => Trivia::Comment,
            K::Comment => Trivia::Doc,
            _ => Trivia::No,
        }
    }

    /// The grammar's scanner asks C's `isdigit` about any character after `{`, which reads beyond a table for most of
    /// Unicode and crashes for some of it (`echo {🦀}`). Letters do the same as far as the syntax is concerned.
    fn prepare<'s>(&self, text: &'s str) -> Cow<'s, str> {
        if text.is_ascii() {
            return Cow::Borrowed(text);
        }
        Cow::Owned(text.bytes().map(|byte| if byte.is_ascii() { char::from(byte) } else { 'x' }).collect())
    }

    fn enter(&self, cx: &mut Cx) -> Walk {
        match self.kinds.get(cx.kind()) {
            K::Function => self.function(cx),
            K::Assignment => self.assignment(cx),
            K::Command => self.command(cx),
            K::Word => self.word(cx),
            K::Variable => self.variable(cx),
            _ => {}
        }
        Walk::Into
    }
}

impl Bash {
    fn is(&self, node: &Node, kind: K) -> bool {
        self.kinds.get(node.kind_id()) == kind
    }

    fn ancestor_is(&self, cx: &Cx, level: usize, kind: K) -> bool {
        cx.ancestor(level).is_some_and(|frame| self.kinds.get(frame.kind) == kind)
    }

    fn function(&self, cx: &mut Cx) {
        let node = cx.node();
        let Some(name) = node.child_by_field_id(self.name) else { return };
        let body = node.child_by_field_name("body").map_or(node.end_byte(), |body| body.start_byte());
        let mut decl =
            Decl::new(SymbolKind::Fn, cx.text_of(&name), span(&name), span(&node)).leading(cx.leading(&node));
        decl.signature_end = Some(body as u32);
        let symbol = cx.declare(decl);
        cx.open_symbol(symbol);
        cx.open_scope(ScopeKind::Function);
    }

    /// `local`, `export`, `readonly`, `declare -r` of the declaration around the current node.
    fn declarator<'s, 't>(&self, cx: &Cx<'_, 's, 't>) -> Option<(Node<'t>, &'s str)> {
        let declaration = cx.ancestor(1).filter(|frame| self.kinds.get(frame.kind) == K::Declaration)?.node;
        let word = declaration.child(0)?;
        Some((declaration, cx.text_of(&word)))
    }

    /// Outside of functions the first assignment is the definition; inside only what is declared local is new.
    fn assignment(&self, cx: &mut Cx) {
        let node = cx.node();
        let Some(name) = node.child_by_field_id(self.name).filter(|name| self.is(name, K::Variable)) else { return };
        let declarator = self.declarator(cx);
        let inside = cx.scope_kind(cx.current_scope()) == ScopeKind::Function;
        if inside {
            return;
        }
        let text = cx.text_of(&name);
        // `VERSION=2 make` sets a variable for one command.
        if self.ancestor_is(cx, 1, K::Command) || self.known(cx, text) {
            return;
        }
        let (outer, word) = declarator.map_or((node, ""), |(outer, word)| (outer, word));
        let head = cx.slice(Span { start: outer.start_byte() as u32, end: node.start_byte() as u32 });
        let constant =
            word == "readonly" || head.split_whitespace().any(|flag| flag.starts_with('-') && flag.contains('r'));
        let kind = if constant { SymbolKind::Const } else { SymbolKind::Variable };
        let alone = outer.named_child_count() <= 2;
        let whole = if alone { span(&outer) } else { span(&node) };
        let mut decl = Decl::new(kind, text, span(&name), whole).leading(cx.leading(&outer));
        decl.full_span.start = decl.full_span.start.min(whole.start);
        let long = whole.end - whole.start > 200;
        let value = node.child_by_field_name("value").map_or(whole.end, |value| value.start_byte() as u32);
        decl.signature_end = Some(if long { value } else { whole.end });
        if word == "export" {
            (decl.visibility, decl.access) = ("export", Access::Public);
        }
        cx.declare(decl);
    }

    fn known(&self, cx: &Cx, name: &str) -> bool {
        let same = |at| {
            let symbol = cx.symbol_at(at);
            matches!(symbol.kind, SymbolKind::Variable | SymbolKind::Const) && symbol.name == name
        };
        cx.siblings().take(LOOK_BACK).any(same)
    }

    fn command(&self, cx: &mut Cx) {
        let node = cx.node();
        let Some(name) = node.child_by_field_id(self.name) else { return };
        let argument = node.child_by_field_name("argument");
        match (cx.text_of(&name), argument) {
            ("source" | ".", Some(path)) => {
                let inside = unquoted(span(&path), cx.text_of(&path));
                let whole = span(&node);
                common::import(cx, &Imported { whole, path: inside, alias: None, glob: true, separators: &['/'] });
            }
            ("trap", Some(handler)) if self.is(&handler, K::Word) && is_name(cx.text_of(&handler)) => {
                cx.occurrence(&handler, Role::Value, None);
            }
            // `command -v name` asks whether there is one.
            ("command" | "type" | "hash", Some(first)) => {
                let last = node.named_child((node.named_child_count() as u32).saturating_sub(1)).unwrap_or(first);
                let asks = cx.text_of(&name) != "command" || matches!(cx.text_of(&first), "-v" | "-V");
                if asks && self.is(&last, K::Word) && is_name(cx.text_of(&last)) {
                    cx.occurrence(&last, Role::Value, None);
                }
            }
            ("alias", Some(text)) => self.alias(cx, &text),
            _ => {}
        }
    }

    fn alias(&self, cx: &mut Cx, argument: &Node) {
        let node = cx.node();
        let text = cx.text_of(argument);
        let Some((name, _)) = text.split_once('=').filter(|(name, _)| is_name(name)) else { return };
        let start = argument.start_byte() as u32;
        let at = Span { start, end: start + name.len() as u32 };
        let mut decl = Decl::new(SymbolKind::Macro, name, at, span(&node)).leading(cx.leading(&node));
        decl.signature_end = Some(node.end_byte() as u32);
        cx.declare(decl);
    }

    /// The name of a command; or a word that may be the name of a function for somebody who runs what is passed: `retry load_all`.
    fn word(&self, cx: &mut Cx) {
        let node = cx.node();
        let text = cx.text_of(&node);
        if self.ancestor_is(cx, 1, K::CommandName) {
            if is_name(text) && !BUILTINS.contains(&text) {
                cx.occurrence(&node, Role::Call, None);
            }
            return;
        }
        // A word of everyday language says nothing: `git log`.
        let of_code = text.contains('_') && text.chars().all(|c| c.is_alphanumeric() || c == '_');
        let around = cx.ancestor(1).map_or(K::Other, |frame| self.kinds.get(frame.kind));
        if of_code && matches!(around, K::Command | K::For | K::Assignment | K::Array) {
            cx.occurrence(&node, Role::Path, None);
        }
    }

    fn variable(&self, cx: &mut Cx) {
        let node = cx.node();
        let text = cx.text_of(&node);
        if text.starts_with(|c: char| c.is_ascii_digit()) {
            return; // `$1` is a parameter without a name
        }
        let inside = cx.scope_kind(cx.current_scope()) == ScopeKind::Function;
        let field = cx.field();
        let role = match cx.ancestor(1).map(|frame| self.kinds.get(frame.kind)) {
            Some(K::Assignment) if field == self.name => {
                if self.declared_here(cx) {
                    return;
                }
                let declared = cx.ancestor(2).filter(|frame| self.kinds.get(frame.kind) == K::Declaration).is_some();
                if inside && declared {
                    return self.bind(cx);
                }
                Role::Write
            }
            Some(K::Declaration) if inside => return self.bind(cx),
            Some(K::For) if field == self.variable => return self.bind(cx),
            Some(K::Unset) => Role::Write,
            Some(K::Subscript) if self.ancestor_is(cx, 2, K::Assignment) && self.names_assignment(cx) => Role::Write,
            _ => Role::Value,
        };
        cx.occurrence(&node, role, None);
    }

    fn names_assignment(&self, cx: &Cx) -> bool {
        cx.ancestor(1).is_some_and(|frame| frame.field == self.name) && cx.field() == self.name
    }

    fn bind(&self, cx: &mut Cx) {
        let (node, scope) = (cx.node(), cx.current_scope());
        cx.bind(&node, scope, BindingKind::Local, None, None);
    }

    fn declared_here(&self, cx: &Cx) -> bool {
        let at = cx.node().start_byte() as u32;
        cx.siblings().take(1).any(|index| cx.symbol_at(index).name_span.start == at)
    }
}

/// Whether a word can be the name of a function: no path, no expansion.
fn is_name(text: &str) -> bool {
    let fits = |c: char| c.is_alphanumeric() || "_-.:+@".contains(c);
    text.starts_with(|c: char| c.is_alphabetic() || c == '_') && text.chars().all(fits)
}

/// The inside of a quoted word.
fn unquoted(span: Span, text: &str) -> Span {
    let quoted = text.len() >= 2 && text.starts_with(['"', '\'']) && text.ends_with(['"', '\'']);
    if quoted { Span { start: span.start + 1, end: span.end - 1 } } else { span }
}

#[cfg(test)]
mod tests {
    use cruxe_model::facts::Role;

    use crate::languages::fixture_tests::extract;

    #[test]
    fn a_script_is_known_by_its_first_line_and_quoted_text_is_no_code() {
        let facts = extract("bin/run", "#!/usr/bin/env -S bash -e\nf() { g 'h $i' \"$j\"; }\ncat <<'X'\n$k\nX\n");
        assert_eq!(facts.language, "bash");
        let used: Vec<_> = facts.occurrences.iter().map(|one| (facts.name(one.name), one.role)).collect();
        assert_eq!(used, [("g", Role::Call), ("j", Role::Value), ("cat", Role::Call)]);
    }

    #[test]
    fn characters_that_the_scanner_cannot_stand_do_no_harm() {
        let facts = extract("a.sh", "größe() { echo {🦀} \"${größe}\"; }\n");
        assert_eq!(facts.symbols[0].name, "größe");
    }

    #[test]
    fn variables_are_symbols_outside_of_functions_and_locals_inside() {
        let facts = extract("a.sh", "A=1\nA=2\nf() { local b=1; C=2; }\nX=1 make\n");
        let names: Vec<_> = facts.symbols.iter().map(|symbol| symbol.name.as_str()).collect();
        assert_eq!(names, ["A", "f"]);
        assert_eq!(facts.bindings.len(), 1);
    }
}
