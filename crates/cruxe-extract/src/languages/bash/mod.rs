//! Shell scripts: functions, variables, and the commands that are called.

use std::borrow::Cow;

use cruxe_model::SymbolKind;
use cruxe_model::facts::{Access, BindingKind, Expr, Role, ScopeKind, Span};
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
    Concatenation,
    Text,
    Heredoc,
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
    ("string", K::Text),
    ("raw_string", K::Text),
    ("concatenation", K::Concatenation),
    ("heredoc_body", K::Heredoc),
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
            K::Text => self.text(cx),
            K::Heredoc => self.heredoc(cx),
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
        // `log::info` is a function of its own, called so by everybody; the parts before the last are its namespace.
        let (space, last) =
            cx.text_of(&name).rsplit_once("::").map_or((None, cx.text_of(&name)), |(space, last)| (Some(space), last));
        let end = name.end_byte() as u32;
        let at = Span { start: end - last.len() as u32, end };
        let mut decl = Decl::new(SymbolKind::Fn, last, at, span(&node)).leading(cx.leading(&node));
        decl.signature_end = Some(body as u32);
        decl.qualifier = space;
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
            ("trap" | "eval", Some(text)) if self.is(&text, K::Text) => self.code(cx, &text),
            ("read", Some(_)) => self.filled(cx, &node, |flag| !READ_VALUES.contains(&flag)),
            ("mapfile" | "readarray", Some(_)) => self.filled(cx, &node, |flag| !MAPFILE_VALUES.contains(&flag)),
            ("printf", Some(_)) => self.filled(cx, &node, |flag| flag == "-v"),
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
        let mut cursor = argument.walk();
        let value = argument.named_children(&mut cursor).find(|part| self.is(part, K::Text));
        if let Some(value) = value {
            self.code(cx, &value);
        }
        let at = Span { start, end: start + name.len() as u32 };
        let mut decl = Decl::new(SymbolKind::Macro, name, at, span(&node)).leading(cx.leading(&node));
        decl.signature_end = Some(node.end_byte() as u32);
        cx.declare(decl);
    }

    /// A text that is run later: `trap 'clean_up "$TMP"' EXIT`. Its commands may be functions; variables of a text that the shell
    /// fills in at once are noted where they stand.
    fn code(&self, cx: &mut Cx, text: &Node) {
        let inside = unquoted(span(text), cx.text_of(text));
        self.scan(cx, inside, text.kind() == "raw_string", true);
    }

    /// A document of which the grammar gives nothing but its text, as it does behind `<<-`: variables and commands in it are uses,
    /// unless its end is quoted.
    fn heredoc(&self, cx: &mut Cx) {
        let node = cx.node();
        let start = cx.parent().and_then(|redirect| redirect.named_child(0)).map_or("", |start| cx.text_of(&start));
        if node.named_child_count() == 0 && !start.contains(['\'', '"', '\\']) {
            self.scan(cx, span(&node), true, false);
        }
    }

    /// Finds the variables of a text, and the commands: in code at the beginning and behind signs, elsewhere in `$(…)`.
    fn scan(&self, cx: &mut Cx, inside: Span, raw: bool, is_code: bool) {
        let code = cx.slice(inside);
        let (mut first, mut dollar, mut at) = (is_code, false, 0);
        while at < code.len() {
            let rest = &code[at..];
            let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            if length == 0 {
                let sign = rest.chars().next().unwrap_or_default();
                let behind = matches!(sign, ';' | '&' | '|' | '(' | '\n' | '`' | '!');
                first = behind && (is_code || dollar && sign == '(') || first && sign.is_whitespace();
                dollar = sign == '$' || dollar && sign == '{';
                at += sign.len_utf8();
                continue;
            }
            let (word, start) = (&rest[..length], inside.start + at as u32);
            let role = if is_code { Role::Path } else { Role::Call };
            let named = !word.starts_with(|c: char| c.is_ascii_digit());
            // `key=value` and paths are no commands.
            let whole = !rest[length..].starts_with(['=', '/', '-', '.']);
            if named && dollar && raw {
                cx.occurrence_at(word, start, Role::Value, None);
            } else if named && !dollar && first && whole && !BUILTINS.contains(&word) {
                cx.occurrence_at(word, start, role, None);
            }
            (first, dollar) = (false, false);
            at += length;
        }
    }

    /// A text that is nothing but a name that nobody would use for anything but code: `handler="on_exit"`.
    fn text(&self, cx: &mut Cx) {
        let inside = unquoted(span(&cx.node()), cx.text_of(&cx.node()));
        let text = cx.slice(inside);
        if is_of_code(text) && self.may_name_function(cx) {
            self.named(cx, text, inside.start, Role::Path);
        }
    }

    /// The variables that a command fills: those of `read`, the one of `printf -v`. What stands before a word decides.
    fn filled(&self, cx: &mut Cx, command: &Node, behind: impl Fn(&str) -> bool) {
        let mut cursor = command.walk();
        let mut after = "";
        for word in command.named_children(&mut cursor).skip(1) {
            let text = cx.text_of(&word);
            let variable = !text.starts_with(|c: char| c.is_ascii_digit()) && is_of_letters(text);
            if variable && self.is(&word, K::Word) && behind(after) {
                cx.occurrence(&word, Role::Write, None);
            }
            after = text;
        }
    }

    /// The name of a command; or a word that may be the name of a function for somebody who runs what is passed: `retry load_all`.
    fn word(&self, cx: &mut Cx) {
        let node = cx.node();
        let text = cx.text_of(&node);
        if self.ancestor_is(cx, 1, K::CommandName) {
            if is_name(text) && !BUILTINS.contains(&text) {
                self.named(cx, text, node.start_byte() as u32, Role::Call);
            }
            return;
        }
        if self.in_loop_head(cx) && is_of_letters(text) {
            return cx.occurrence(&node, Role::Value, None);
        }
        // `[key]=name` of an array ends with a word that begins with the sign.
        let name = if self.ancestor_is(cx, 1, K::Concatenation) { text.trim_start_matches('=') } else { text };
        if is_of_code(name) && self.may_name_function(cx) {
            self.named(cx, name, node.end_byte() as u32 - name.len() as u32, Role::Path);
        }
    }

    /// Notes a name of a function, which may have a namespace before it.
    fn named<'s>(&self, cx: &mut Cx<'_, 's, '_>, text: &'s str, start: u32, role: Role) {
        let Some((space, last)) = text.rsplit_once("::") else { return cx.occurrence_at(text, start, role, None) };
        let space = cx.name(space);
        let receiver = cx.expr(Expr::Name(space));
        cx.occurrence_at(last, start + (text.len() - last.len()) as u32, role, Some(receiver));
    }

    /// Whether the word or text at the current node stands where a name of a function may be passed on.
    fn may_name_function(&self, cx: &Cx) -> bool {
        let around = |level| cx.ancestor(level).map_or(K::Other, |frame| self.kinds.get(frame.kind));
        match around(1) {
            K::Command | K::For | K::Assignment | K::Array => true,
            // `[key]=name` of an array.
            K::Concatenation => around(2) == K::Array && cx.node().next_named_sibling().is_none(),
            _ => false,
        }
    }

    /// Whether the current word stands in the head of `for ((i = 0; i < MAX; i += STEP))`, where the grammar knows no variables.
    fn in_loop_head(&self, cx: &Cx) -> bool {
        let mut kinds = (1..6).map_while(|level| cx.ancestor(level)).map(|frame| frame.node.kind());
        kinds.find(|kind| !kind.ends_with("_expression")) == Some("c_style_for_statement")
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
                if inside && self.is_local(cx, 2) {
                    return self.bind(cx);
                }
                Role::Write
            }
            Some(K::Declaration) if !inside && self.declares(cx, text) => return self.declared(cx),
            Some(K::Declaration) if inside && self.is_local(cx, 1) => return self.bind(cx),
            Some(K::For) if field == self.variable => return self.bind(cx),
            Some(K::Unset) => Role::Write,
            Some(K::Subscript) if self.ancestor_is(cx, 2, K::Assignment) && self.names_assignment(cx) => Role::Write,
            _ => Role::Value,
        };
        cx.occurrence(&node, role, None);
    }

    /// Whether the name at the current node is declared here without a value: `declare -a NAMES`.
    fn declares(&self, cx: &Cx, name: &str) -> bool {
        let word = self.declarator(cx).map_or("", |(_, word)| word);
        matches!(word, "declare" | "typeset") && !self.has_flag(cx, 1, &['f', 'F', 'p']) && !self.known(cx, name)
    }

    fn declared(&self, cx: &mut Cx) {
        let node = cx.node();
        let whole = cx.parent().map_or(span(&node), |declaration| span(&declaration));
        let mut decl = Decl::new(SymbolKind::Variable, cx.text_of(&node), span(&node), whole);
        decl.signature_end = Some(whole.end);
        cx.declare(decl);
    }

    /// Whether what the declaration at a level names belongs to the function around: `export x` and `declare -g x` are about what
    /// everybody sees, `declare -F f` asks for a function.
    fn is_local(&self, cx: &Cx, level: usize) -> bool {
        let declaration = cx.ancestor(level).filter(|frame| self.kinds.get(frame.kind) == K::Declaration);
        let word = declaration.and_then(|frame| frame.node.child(0)).map_or("", |word| cx.text_of(&word));
        matches!(word, "local" | "declare" | "typeset") && !self.has_flag(cx, level, &['f', 'F', 'g'])
    }

    /// Whether the declaration at a level has one of some options.
    fn has_flag(&self, cx: &Cx, level: usize, flags: &[char]) -> bool {
        let Some(declaration) = cx.ancestor(level).map(|frame| frame.node) else { return false };
        let mut cursor = declaration.walk();
        declaration
            .named_children(&mut cursor)
            .filter(|word| self.is(word, K::Word))
            .any(|word| cx.text_of(&word).strip_prefix('-').is_some_and(|word| word.contains(flags)))
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

/// Options of `read` that have a value which is no variable.
const READ_VALUES: &[&str] = &["-p", "-t", "-d", "-n", "-N", "-u", "-i"];

/// The same of `mapfile`.
const MAPFILE_VALUES: &[&str] = &["-d", "-n", "-O", "-s", "-u", "-C", "-c"];

/// Whether a word is one of code. A word of everyday language says nothing: `git log`.
fn is_of_code(text: &str) -> bool {
    let spaced = text.contains("::") && text.split("::").all(is_of_letters);
    text.len() > 1 && (spaced || text.contains('_') && is_of_letters(text))
}

fn is_of_letters(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_')
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
