//! Elixir: everything is a call, also what declares modules and functions.

mod declare;
mod expr;
mod place;

use cruxe_model::SymbolKind;
use cruxe_model::facts::{BindingKind, DATA, Expr, ExprId, Role, ScopeKind, TypeId};
use tree_sitter::{Language, Node};

use crate::language::{FrontEnd, LANGUAGE, LanguageDef};
use crate::naming::{NAMING, Naming, Relations, Told};
use crate::recover::{LAYOUT, Lexis};
use crate::registry::{Kinds, field};
use crate::walk::{Cx, Rules, Trivia, Walk};

/// The Elixir language.
pub static ELIXIR: LanguageDef = LanguageDef {
    id: "elixir",
    name: "elixir",
    extensions: &["ex", "exs"],
    interpreters: &["elixir", "iex"],
    front_end: FrontEnd::Grammar { grammar: || tree_sitter_elixir::LANGUAGE.into(), rules },
    naming: Naming {
        // A literal of a structure looks the same where it makes one and where it is compared with.
        relations: Relations {
            heritage: Told::Yes,
            decorators: Told::Never,
            constructions: Told::No,
            writes: Told::Never,
        },
        injects: true,
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
    Call,
    Arguments,
    Binary,
    Unary,
    Dot,
    DoBlock,
    Body,
    Function,
    Clause,
    Struct,
    Pair,
    Access,
    Interpolation,
    Identifier,
    Alias,
    Keyword,
    Atom,
}

const KINDS: &[(&str, K)] = &[
    ("comment", K::Comment),
    ("call", K::Call),
    ("arguments", K::Arguments),
    ("binary_operator", K::Binary),
    ("unary_operator", K::Unary),
    ("dot", K::Dot),
    ("do_block", K::DoBlock),
    ("body", K::Body),
    ("anonymous_function", K::Function),
    ("stab_clause", K::Clause),
    ("struct", K::Struct),
    ("pair", K::Pair),
    ("access_call", K::Access),
    ("interpolation", K::Interpolation),
    ("identifier", K::Identifier),
    ("alias", K::Alias),
    ("keyword", K::Keyword),
    ("atom", K::Atom),
];

/// Calls that define a function or macro.
const FUNCTIONS: &[&str] =
    &["def", "defp", "defmacro", "defmacrop", "defguard", "defguardp", "defdelegate", "defn", "defnp"];

/// Calls that bring in another module.
const IMPORTS: &[&str] = &["use", "import", "alias", "require"];

/// Calls that hold a test.
const TESTS: &[&str] = &["test", "property"];

/// Calls that are keywords in other languages: no uses of anything in the repository.
const WORDS: &[&str] = &[
    "defmodule",
    "defprotocol",
    "defimpl",
    "defstruct",
    "defexception",
    "defoverridable",
    "if",
    "unless",
    "case",
    "cond",
    "for",
    "with",
    "quote",
    "unquote",
    "unquote_splicing",
    "raise",
    "reraise",
    "throw",
    "receive",
    "try",
    "super",
    "self",
    "test",
    "describe",
    "setup",
    "setup_all",
    "property",
];

/// Words of the compiler. Other names with underscores on both sides are those of functions that users do not call.
const SPECIAL: &[&str] = &["_", "__MODULE__", "__ENV__", "__DIR__", "__CALLER__", "__STACKTRACE__"];

/// Calls whose atoms are functions of the module: `plug :authenticate`, `setup [:create_user]`.
const RUNS: &[&str] = &["plug", "setup", "setup_all"];

/// Modules whose functions take a key, after what has it or behind a pipe.
const KEYED: &[&str] = &["Access", "Application", "Keyword", "Map", "Process"];

/// Types of the language itself.
const TYPES: &[&str] = &[
    "any",
    "arity",
    "as_boolean",
    "atom",
    "binary",
    "bitstring",
    "boolean",
    "byte",
    "char",
    "charlist",
    "float",
    "fun",
    "function",
    "integer",
    "iodata",
    "iolist",
    "keyword",
    "list",
    "map",
    "mfa",
    "module",
    "neg_integer",
    "no_return",
    "node",
    "non_neg_integer",
    "none",
    "nonempty_list",
    "number",
    "pid",
    "port",
    "pos_integer",
    "reference",
    "string",
    "struct",
    "term",
    "timeout",
    "tuple",
    "var",
];

struct Elixir {
    kinds: Kinds<K>,
    target: u16,
    operator: u16,
    operand: u16,
    left: u16,
    right: u16,
}

fn rules(grammar: &Language) -> Box<dyn Rules> {
    Box::new(Elixir {
        kinds: Kinds::new(grammar, KINDS),
        target: field(grammar, "target"),
        operator: field(grammar, "operator"),
        operand: field(grammar, "operand"),
        left: field(grammar, "left"),
        right: field(grammar, "right"),
    })
}

/// How declarations are found without the grammar.
static LEXIS: Lexis = Lexis {
    triple: true,
    types: &["defmodule", "defimpl", "defprotocol"],
    in_type: ("defmodule X do\n", "end"),
    in_function: ("def f do\n", "end"),
    ..LAYOUT
};

impl Rules for Elixir {
    fn lexis(&self) -> Option<&'static Lexis> {
        Some(&LEXIS)
    }

    fn trivia(&self, kind: u16, text: &str) -> Trivia {
        match self.kinds.get(kind) {
            K::Comment => Trivia::Comment,
            K::Unary => match text.strip_prefix('@').and_then(|text| text.split([' ', '(', '\n']).next()) {
                Some("doc" | "typedoc") => Trivia::Doc,
                Some("spec" | "impl" | "deprecated" | "since" | "tag" | "describetag" | "dialyzer" | "decorate") => {
                    Trivia::Attribute
                }
                _ => Trivia::No,
            },
            _ => Trivia::No,
        }
    }

    fn enter(&self, cx: &mut Cx) -> Walk {
        match self.kinds.get(cx.kind()) {
            K::Call => self.call(cx),
            K::Unary => self.attribute(cx),
            K::Function => cx.open_scope(ScopeKind::Function),
            K::Clause => cx.open_scope(ScopeKind::Block),
            K::Identifier => self.identifier(cx),
            K::Alias => self.alias(cx),
            K::Keyword => self.key(cx),
            K::Atom => self.atom(cx),
            _ => {}
        }
        Walk::Into
    }
}

impl Elixir {
    fn is(&self, node: &Node, kind: K) -> bool {
        self.kinds.get(node.kind_id()) == kind
    }

    fn ancestor_kind(&self, cx: &Cx, level: usize) -> K {
        cx.ancestor(level).map_or(K::Other, |frame| self.kinds.get(frame.kind))
    }

    /// The word of `word arguments`, where a plain name is called.
    fn word<'s>(&self, cx: &Cx<'_, 's, '_>, call: &Node) -> Option<&'s str> {
        let target = call.child_by_field_id(self.target)?;
        self.is(&target, K::Identifier).then(|| cx.text_of(&target))
    }

    /// The word of the call around the arguments at `level`.
    fn word_around<'s>(&self, cx: &Cx<'_, 's, '_>, level: usize) -> Option<&'s str> {
        let call = cx.ancestor(level).filter(|frame| self.kinds.get(frame.kind) == K::Call)?;
        self.word(cx, &call.node)
    }

    fn arguments<'t>(&self, call: &Node<'t>) -> Option<Node<'t>> {
        let mut cursor = call.walk();
        call.named_children(&mut cursor).find(|child| self.is(child, K::Arguments))
    }

    fn do_block<'t>(&self, call: &Node<'t>) -> Option<Node<'t>> {
        let mut cursor = call.walk();
        call.named_children(&mut cursor).find(|child| self.is(child, K::DoBlock))
    }

    fn operator<'s>(&self, cx: &Cx<'_, 's, '_>, node: &Node) -> &'s str {
        node.child_by_field_id(self.operator).map_or("", |operator| cx.text_of(&operator))
    }

    fn identifier(&self, cx: &mut Cx) {
        let node = cx.node();
        let text = cx.text_of(&node);
        if SPECIAL.contains(&text) || self.declares(cx, &node) {
            return;
        }
        let (Some(parent), field) = (cx.parent(), cx.field()) else { return };
        let (role, receiver) = match self.kinds.get(parent.kind_id()) {
            K::Call if field == self.target => {
                let known = WORDS.contains(&text) || FUNCTIONS.contains(&text) || IMPORTS.contains(&text);
                if known || self.ancestor_kind(cx, 2) == K::Unary && self.is_attribute(cx, 2) {
                    return;
                }
                (Role::Call, None)
            }
            K::Unary if self.is_attribute(cx, 1) => (Role::Value, None),
            K::Dot if field == self.right => {
                let left = parent.child_by_field_id(self.left).map(|left| self.expr(cx, &left, 0));
                // Without parentheses `a.b` reads a field of `a`, unless `a` is a module.
                let called = cx.ancestor(2).filter(|frame| self.kinds.get(frame.kind) == K::Call);
                let module = parent.child_by_field_id(self.left).is_some_and(|left| self.is(&left, K::Alias));
                let called = called.is_some_and(|call| module || self.arguments(&call.node).is_some());
                (if called { Role::Call } else { Role::Value }, left)
            }
            _ => match self.place(cx) {
                Some(kind) => {
                    let (scope, ty) = (cx.current_scope(), self.struct_beside(cx));
                    return cx.bind(&node, scope, kind, ty, None);
                }
                None if self.captured(cx) || cx.is_bound(text) => (Role::Value, None),
                None => (Role::Call, None),
            },
        };
        match self.in_type(cx) {
            true if receiver.is_none() && TYPES.contains(&text) => {}
            true => cx.occurrence(&node, Role::Type, receiver),
            false => cx.occurrence(&node, role, receiver),
        }
    }

    /// Whether the current name stands in a `@type`, `@spec` or `@callback`.
    fn in_type(&self, cx: &Cx) -> bool {
        (1..16).map_while(|level| cx.ancestor(level)).any(|frame| {
            let attribute = self.kinds.get(frame.kind) == K::Unary;
            let word = attribute.then(|| frame.node.child_by_field_id(self.operand)).flatten();
            let word = word.filter(|call| self.is(call, K::Call)).and_then(|call| self.word(cx, &call));
            word.is_some_and(|word| matches!(word, "type" | "typep" | "opaque" | "spec" | "callback" | "macrocallback"))
        })
    }

    /// `f` of `&f/1`.
    fn captured(&self, cx: &Cx) -> bool {
        let Some(parent) = cx.parent() else { return false };
        self.is(&parent, K::Binary) && self.operator(cx, &parent) == "/" && self.ancestor_kind(cx, 2) == K::Unary
    }

    fn is_attribute(&self, cx: &Cx, level: usize) -> bool {
        cx.ancestor(level).is_some_and(|frame| self.operator(cx, &frame.node) == "@")
    }

    /// The last part of `A.B.C` is the use, the parts before it its receiver.
    fn alias(&self, cx: &mut Cx) {
        let node = cx.node();
        if self.declares(cx, &node) {
            return;
        }
        let (parent, outer) = (self.ancestor_kind(cx, 1), self.ancestor_kind(cx, 2));
        let word = match (parent, outer) {
            (K::Arguments, K::Call) => self.word_around(cx, 2),
            (K::Other, K::Dot) => self.word_around(cx, 4), // alias A.{B, C}
            (K::Dot, _) => self.word_around(cx, 3).filter(|word| IMPORTS.contains(word)),
            (K::Pair, _) => self.word_around(cx, 4).filter(|word| matches!(*word, "alias" | "defimpl")),
            _ => None,
        };
        let attribute = (1..=4).any(|level| {
            let frame = cx.ancestor(level).filter(|frame| self.kinds.get(frame.kind) == K::Unary);
            frame.is_some_and(|frame| cx.text_of(&frame.node).starts_with("@behaviour"))
        });
        let role = match (parent, word) {
            (K::Pair, Some("alias")) => return, // the new name
            (K::Pair, Some(_)) => Role::Type,
            (K::Struct, _) => Role::Type,
            (_, Some("defimpl")) => Role::Implements,
            (_, Some(word)) if IMPORTS.contains(&word) => Role::Import,
            _ if attribute => Role::Implements,
            _ if self.in_type(cx) => Role::Type,
            _ => Role::Value,
        };
        let text = cx.text_of(&node);
        let (prefix, last) = text.rsplit_once('.').map_or((None, text), |(prefix, last)| (Some(prefix), last));
        let receiver = prefix.map(|prefix| self.path_expr(cx, prefix));
        cx.occurrence_at(last, node.end_byte() as u32 - last.len() as u32, role, receiver);
    }

    /// `key:` of a struct is one of its fields; of a call's options, a list or a map it is data, which names nothing by itself.
    fn key(&self, cx: &mut Cx) {
        let node = cx.node();
        let name = cx.text_of(&node).trim_end().trim_end_matches(':');
        let plain = name.chars().all(|c| c.is_alphanumeric() || "_?!".contains(c));
        let first = cx.ancestor(4).and_then(|frame| frame.node.named_child(0));
        let of_struct = first.filter(|first| self.is(first, K::Struct)).and_then(|of| of.named_child(0));
        if plain && let Some(module) = self.imported_from(cx) {
            let receiver = self.path_expr(cx, module);
            return cx.occurrence_at(name, node.start_byte() as u32, Role::Value, Some(receiver));
        }
        if plain && self.names_function(cx) {
            return cx.occurrence_at(name, node.start_byte() as u32, Role::Value, None);
        }
        let block = matches!(name, "do" | "else" | "rescue" | "catch" | "after");
        if !plain || block || self.in_declaration(cx) {
            return;
        }
        let receiver = match of_struct.map(|of| (self.is(&of, K::Alias), of)) {
            Some((true, module)) => self.path_expr(cx, cx.text_of(&module)),
            Some((false, own)) if cx.text_of(&own) == "__MODULE__" => self.expr(cx, &own, 0),
            _ => self.data(cx),
        };
        cx.occurrence_at(name, node.start_byte() as u32, Role::Key, Some(receiver));
    }

    /// What the keys of lists and maps are keys of.
    fn data(&self, cx: &mut Cx) -> ExprId {
        let data = cx.name(DATA);
        cx.expr(Expr::Literal(data))
    }

    /// Whether the key at the current node names a function of the module with how much it takes: `defoverridable total: 1`,
    /// `@optional_callbacks total: 1`, `@compile {:inline, total: 1}`.
    fn names_function(&self, cx: &Cx) -> bool {
        let value = cx.parent().and_then(|pair| pair.child_by_field_name("value"));
        let counted = value.is_some_and(|value| value.kind() == "integer");
        let mut words = (4..=8).filter_map(|level| self.word_around(cx, level));
        counted && words.any(|word| matches!(word, "defoverridable" | "optional_callbacks" | "compile" | "dialyzer"))
    }

    /// The module of `import Module, only: [name: 1]`, for the key at the current node.
    fn imported_from<'s>(&self, cx: &Cx<'_, 's, '_>) -> Option<&'s str> {
        let list = cx.ancestor(3).filter(|frame| frame.node.kind() == "list")?;
        let option = cx.ancestor(4).and_then(|frame| frame.node.child_by_field_name("key"))?;
        let named = list.node.kind() == "list" && matches!(cx.text_of(&option).trim_end(), "only:" | "except:");
        let call = cx.ancestor(7).filter(|frame| named && self.kinds.get(frame.kind) == K::Call)?.node;
        let module = self.arguments(&call).and_then(|list| list.named_child(0)).filter(|at| self.is(at, K::Alias))?;
        (self.word(cx, &call) == Some("import")).then(|| cx.text_of(&module))
    }

    /// `:name`: a function of the module before it (`apply(Shop, :total, [])`, `{Shop, :total, []}`), or anything of its name.
    fn atom(&self, cx: &mut Cx) {
        let node = cx.node();
        let Some(name) = cx.text_of(&node).strip_prefix(':') else { return };
        // `defstruct [:name]` defines it.
        let field = (2..=3).any(|level| self.word_around(cx, level) == Some("defstruct"));
        if field || !name.chars().all(|c| c.is_alphanumeric() || "_?!".contains(c)) {
            return;
        }
        let start = node.start_byte() as u32 + 1;
        if self.is_key(cx) {
            let data = self.data(cx);
            return cx.occurrence_at(name, start, Role::Key, Some(data));
        }
        let module = node.prev_named_sibling().filter(|before| self.is(before, K::Alias));
        let receiver = module.map(|module| self.path_expr(cx, cx.text_of(&module)));
        let own = node.prev_named_sibling().is_some_and(|before| cx.text_of(&before) == "__MODULE__");
        let role = if receiver.is_some() || own || self.is_run(cx) { Role::Value } else { Role::Key };
        cx.occurrence_at(name, start, role, receiver);
    }

    /// Whether the atom at the current node is a key of data: `opts[:name]`, `Keyword.get(opts, :name)`.
    fn is_key(&self, cx: &Cx) -> bool {
        let (node, Some(parent)) = (cx.node(), cx.parent()) else { return false };
        match self.kinds.get(parent.kind_id()) {
            K::Access => cx.field() != self.target,
            K::Arguments => {
                let call = cx.ancestor(2).and_then(|frame| frame.node.child_by_field_id(self.target));
                let module =
                    call.filter(|target| self.is(target, K::Dot)).and_then(|dot| dot.child_by_field_id(self.left));
                let second = [parent.named_child(0), parent.named_child(1)].contains(&Some(node));
                second && module.is_some_and(|module| KEYED.contains(&cx.text_of(&module)))
            }
            _ => false,
        }
    }

    /// Whether the atom at the current node is a function that the call around it runs.
    fn is_run(&self, cx: &Cx) -> bool {
        let first = |level: usize| {
            let (inner, list) = (cx.ancestor(level - 1), cx.ancestor(level));
            list.and_then(|list| list.node.named_child(0)) == inner.map(|inner| inner.node)
        };
        let level = if cx.parent().is_some_and(|list| list.kind() == "list") { 2 } else { 1 };
        let word = self.word_around(cx, level + 1).filter(|_| self.ancestor_kind(cx, level) == K::Arguments);
        word.is_some_and(|word| RUNS.contains(&word) && first(level))
    }

    /// The structure that the name at the current node is bound to by the `=` around it: `%Order{} = order`.
    fn struct_beside(&self, cx: &mut Cx) -> Option<TypeId> {
        let (node, parent) = (cx.node(), cx.parent()?);
        if !self.is(&parent, K::Binary) || self.operator(cx, &parent) != "=" {
            return None;
        }
        let sides = [parent.child_by_field_id(self.left)?, parent.child_by_field_id(self.right)?];
        let other = sides.into_iter().find(|side| *side != node).filter(|side| side.kind() == "map")?;
        let expr = self.expr(cx, &other, 0);
        match cx.expr_at(expr) {
            Expr::Typed(ty) => Some(*ty),
            _ => None,
        }
    }

    /// Options of `alias`, `import` and the like are the language's own words; those of `defstruct` are fields.
    fn in_declaration(&self, cx: &Cx) -> bool {
        let words = (4..=5).filter_map(|level| self.word_around(cx, level));
        let mut words = words.chain(self.word_around(cx, 6));
        words.any(|word| {
            IMPORTS.contains(&word) || matches!(word, "defstruct" | "defexception" | "defimpl" | "defdelegate")
        })
    }

    /// Whether a symbol was declared at the node.
    fn declares(&self, cx: &Cx, node: &Node) -> bool {
        let at = node.start_byte() as u32;
        let end = node.end_byte() as u32;
        let here = |index| {
            let symbol = cx.symbol_at(index);
            symbol.kind != SymbolKind::Use
                && symbol.kind != SymbolKind::Impl
                && (at..end).contains(&symbol.name_span.start)
        };
        cx.current_symbol().is_some_and(here) || cx.siblings().take(1).any(here) || self.is_head(cx)
    }

    /// Whether the current name is the head of a clause of a function, or of its `@spec`.
    fn is_head(&self, cx: &Cx) -> bool {
        // def f, def f(x), def f(x) when y; @spec f(x) :: y
        let called = self.ancestor_kind(cx, 1) == K::Call && cx.field() == self.target;
        let mut level = if called { 2 } else { 1 };
        for _ in 0..2 {
            let Some(frame) = cx.ancestor(level).filter(|frame| self.kinds.get(frame.kind) == K::Binary) else { break };
            let operator = self.operator(cx, &frame.node);
            let inner = cx.ancestor(level - 1).map_or(0, |frame| frame.field);
            if !matches!(operator, "when" | "::") || inner != self.left {
                return false;
            }
            level += 1;
        }
        let first = cx.ancestor(level - 1).map(|frame| frame.node);
        let list = cx.ancestor(level).filter(|frame| self.kinds.get(frame.kind) == K::Arguments);
        let leads =
            list.is_some_and(|list| list.node.named_child(0).map(|node| node.id()) == first.map(|node| node.id()));
        leads
            && self.word_around(cx, level + 1).is_some_and(|word| {
                FUNCTIONS.contains(&word) || (matches!(word, "spec" | "callback") && self.is_attribute(cx, level + 2))
            })
    }

    /// How a pattern around the current name introduces it; `None` in an expression.
    fn place(&self, cx: &Cx) -> Option<BindingKind> {
        place::binding(self, cx)
    }
}

#[cfg(test)]
mod tests {
    use cruxe_model::facts::Role;

    use crate::languages::fixture_tests::extract;

    fn symbols(text: &str) -> Vec<(String, (u32, u32))> {
        let facts = extract("a.ex", text);
        facts.symbols.iter().map(|symbol| (symbol.qualified_name.clone(), facts.lines_of(symbol.span))).collect()
    }

    #[test]
    fn clauses_of_one_function_are_one_symbol_and_other_arities_are_not() {
        let text = "defmodule A do\n  def f(1), do: 1\n  def f(x), do: x\n  def f(x, y), do: g(x, y)\n  defp g(_, _), do: 0\nend\n";
        let expected = [("A", (1, 6)), ("A.f", (2, 3)), ("A.f", (4, 4)), ("A.g", (5, 5))];
        assert_eq!(symbols(text), expected.map(|(name, lines)| (name.to_owned(), lines)));
    }

    #[test]
    fn heads_and_patterns_are_definitions_and_the_rest_are_uses() {
        let facts = extract(
            "a.ex",
            "defmodule A do\n  def f(%{k: v} = m, d \\\\ dflt()) when is_map(m) do\n    {:ok, r} = g(v, d)\n    r\n  end\nend\n",
        );
        let bound: Vec<_> = facts.bindings.iter().map(|binding| facts.name(binding.name)).collect();
        assert_eq!(bound, ["v", "m", "d", "r"]);
        let used: Vec<_> = facts.occurrences.iter().map(|one| facts.name(one.name)).collect();
        assert_eq!(used, ["k", "dflt", "is_map", "m", "ok", "g", "v", "d", "r"]);
    }

    #[test]
    fn an_atom_is_a_mention_of_its_name_and_of_the_module_before_it() {
        let facts = extract(
            "a.ex",
            "defmodule A do\n  defstruct [:total]\n  def f(x) do\n    apply(Shop, :total, [])\n    {Shop, :total, [x]}\n    Map.get(x, :total)\n  end\nend\n",
        );
        let total = facts.occurrences.iter().filter(|one| facts.name(one.name) == "total");
        let roles: Vec<_> = total.map(|one| (one.role, one.receiver.is_some())).collect();
        assert_eq!(roles, [(Role::Value, true), (Role::Value, true), (Role::Key, true)]);
    }

    #[test]
    fn an_alias_makes_its_last_part_a_name() {
        let facts = extract("a.ex", "alias A.B.C\nalias A.{D, E.F}\nalias G, as: H\n");
        let imports: Vec<_> = facts
            .imports
            .iter()
            .map(|one| (facts.name(one.module), one.name.map(|id| facts.name(id)), one.alias.map(|id| facts.name(id))))
            .collect();
        let expected =
            [("A.B", Some("C"), None), ("A", Some("D"), None), ("A.E", Some("F"), None), ("G", None, Some("H"))];
        assert_eq!(imports, expected);
    }
}
