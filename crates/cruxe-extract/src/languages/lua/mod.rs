//! Lua: functions in tables, `require`, and tables that stand for modules and classes.

mod expr;
mod tables;

use cruxe_model::SymbolKind;
use cruxe_model::facts::{Access, BindingKind, Import, Role, ScopeKind, Span, SymbolFlags};
use tree_sitter::{Language, Node};

use super::common;
use crate::build::Decl;
use crate::language::{FrontEnd, LANGUAGE, LanguageDef};
use crate::naming::{NAMING, Naming, Relations, Told};
use crate::place::by_path;
use crate::recover::{Comments, LAYOUT, Lexis};
use crate::registry::{Kinds, field};
use crate::walk::{Cx, Leading, Rules, Trivia, Walk, span};

/// The Lua language.
pub static LUA: LanguageDef = LanguageDef {
    id: "lua",
    name: "lua",
    extensions: &["lua", "rockspec"],
    file_names: &[".luacheckrc"],
    interpreters: &["lua", "luajit", "lua5.1", "lua5.2", "lua5.3", "lua5.4"],
    front_end: FrontEnd::Grammar { grammar: || tree_sitter_lua::LANGUAGE.into(), rules },
    module: |_, path| by_path(path, &["init"], "."),
    role_names: &["init"],
    naming: Naming {
        runs_unnamed: |name, _| name.starts_with("__"),
        files: required,
        foreign: FOREIGN,
        files_are_values: true,
        tables: true,
        local_types: true,
        // Classes are tables that code fills.
        relations: Relations {
            heritage: Told::No,
            decorators: Told::Never,
            constructions: Told::No,
            writes: Told::Yes,
        },
        ..NAMING
    },
    ..LANGUAGE
};

/// Modules that every Lua has or installs.
const FOREIGN: &[&str] = &[
    "bit",
    "bit32",
    "busted",
    "cjson",
    "coroutine",
    "debug",
    "dkjson",
    "ffi",
    "inspect",
    "io",
    "jit",
    "lfs",
    "lpeg",
    "ltn12",
    "luassert",
    "luv",
    "math",
    "mime",
    "ngx",
    "os",
    "package",
    "posix",
    "re",
    "say",
    "socket",
    "ssl",
    "string",
    "table",
    "utf8",
    "uv",
    "zlib",
];

/// The files that `require("a.b")` may mean.
fn required(module: &str) -> Vec<String> {
    let path = module.replace('.', "/");
    vec![format!("{path}.lua"), format!("{path}/init.lua")]
}

/// What the rules call the node kinds that they know.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum K {
    #[default]
    Other,
    Comment,
    Function,
    FunctionLiteral,
    Variables,
    Assignment,
    VariableList,
    ExpressionList,
    Attribute,
    Call,
    Dot,
    Method,
    Table,
    Field,
    Parameters,
    Block,
    NumericFor,
    GenericFor,
    Jump,
    Return,
    Identifier,
}

const KINDS: &[(&str, K)] = &[
    ("comment", K::Comment),
    ("function_declaration", K::Function),
    ("function_definition", K::FunctionLiteral),
    ("variable_declaration", K::Variables),
    ("assignment_statement", K::Assignment),
    ("variable_list", K::VariableList),
    ("expression_list", K::ExpressionList),
    ("attribute", K::Attribute),
    ("function_call", K::Call),
    ("dot_index_expression", K::Dot),
    ("method_index_expression", K::Method),
    ("table_constructor", K::Table),
    ("field", K::Field),
    ("parameters", K::Parameters),
    ("do_statement", K::Block),
    ("while_statement", K::Block),
    ("repeat_statement", K::Block),
    ("if_statement", K::Block),
    ("for_statement", K::Block),
    ("for_numeric_clause", K::NumericFor),
    ("for_generic_clause", K::GenericFor),
    ("goto_statement", K::Jump),
    ("label_statement", K::Jump),
    ("return_statement", K::Return),
    ("identifier", K::Identifier),
];

/// How many symbols back a second assignment to a global still finds the first.
const LOOK_BACK: usize = 200;

struct Lua {
    kinds: Kinds<K>,
    name: u16,
    value: u16,
    table: u16,
    field: u16,
}

fn rules(grammar: &Language) -> Box<dyn Rules> {
    Box::new(Lua {
        kinds: Kinds::new(grammar, KINDS),
        name: field(grammar, "name"),
        value: field(grammar, "value"),
        table: field(grammar, "table"),
        field: field(grammar, "field"),
    })
}

/// How declarations are found without the grammar.
static LEXIS: Lexis = Lexis {
    comments: Comments::Lua,
    in_type: ("function f()\n", "end"),
    in_function: ("function f()\n", "end"),
    ..LAYOUT
};

impl Rules for Lua {
    fn lexis(&self) -> Option<&'static Lexis> {
        Some(&LEXIS)
    }

    fn trivia(&self, kind: u16, _text: &str) -> Trivia {
        if self.kinds.get(kind) == K::Comment { Trivia::Doc } else { Trivia::No }
    }

    fn enter(&self, cx: &mut Cx) -> Walk {
        match self.kinds.get(cx.kind()) {
            K::Comment => return Walk::Skip,
            K::Function => self.function(cx),
            K::FunctionLiteral => cx.open_scope(ScopeKind::Function),
            K::Variables => self.bare_locals(cx),
            K::Assignment => self.assignment(cx),
            K::Field => self.table_field(cx),
            K::Call => self.call(cx),
            K::Return => self.returned(cx),
            K::Block => cx.open_scope(ScopeKind::Block),
            K::Identifier => self.identifier(cx),
            _ => {}
        }
        Walk::Into
    }
}

/// What an assignment or declaration gives a name to.
struct Target<'t> {
    name: Node<'t>,
    /// The table that it is a field of.
    owner: Option<Node<'t>>,
    value: Option<Node<'t>>,
    constant: bool,
}

impl Lua {
    fn is(&self, node: &Node, kind: K) -> bool {
        self.kinds.get(node.kind_id()) == kind
    }

    fn function(&self, cx: &mut Cx) {
        let node = cx.node();
        let Some(path) = node.child_by_field_id(self.name) else { return };
        let kind = if self.is(&path, K::Method) { SymbolKind::Method } else { SymbolKind::Fn };
        let name = path.child_by_field_id(self.field).or_else(|| path.child_by_field_name("method")).unwrap_or(path);
        let local = cx.text_of(&node).starts_with("local");
        let mut decl = Decl::new(kind, cx.text_of(&name), span(&name), span(&node)).leading(cx.leading(&node));
        decl.signature_end = Some(node.child_by_field_name("parameters").unwrap_or(path).end_byte() as u32);
        (decl.visibility, decl.access) = access(local);
        decl.qualifier = path.child_by_field_id(self.table).map(|table| cx.text_of(&table));
        let owned = decl.qualifier.is_some();
        decl.flags = SymbolFlags { associated: owned && kind == SymbolKind::Fn, ..SymbolFlags::default() };
        let symbol = cx.declare(decl);
        cx.open_symbol(symbol);
        cx.open_scope(ScopeKind::Function);
    }

    /// `local a, b` without values.
    fn bare_locals(&self, cx: &mut Cx) {
        let node = cx.node();
        let Some(list) = node.named_child(0).filter(|list| self.is(list, K::VariableList)) else { return };
        let whole = span(&node);
        let leading = cx.leading(&node);
        for target in self.targets(&list, None) {
            self.introduce(cx, &target, whole, leading);
        }
    }

    fn assignment(&self, cx: &mut Cx) {
        let node = cx.node();
        let Some(list) = node.named_child(0).filter(|list| self.is(list, K::VariableList)) else { return };
        let values = node.named_child(1).filter(|values| self.is(values, K::ExpressionList));
        let local = cx.parent().filter(|parent| self.is(parent, K::Variables));
        let outer = local.unwrap_or(node);
        let leading = cx.leading(&outer);
        let targets = self.targets(&list, values);
        let single = targets.len() == 1;
        for target in &targets {
            let symbol = match local {
                Some(_) => self.introduce(cx, target, span(&outer), leading),
                None => self.assign(cx, target, span(&outer), leading),
            };
            if let (Some(symbol), true) = (symbol, single) {
                cx.open_symbol(symbol);
            }
        }
    }

    fn targets<'t>(&self, list: &Node<'t>, values: Option<Node<'t>>) -> Vec<Target<'t>> {
        let mut cursor = list.walk();
        let mut all: Vec<Target> = Vec::new();
        for name in list.named_children(&mut cursor) {
            match self.kinds.get(name.kind_id()) {
                K::Attribute => all.iter_mut().for_each(|target| target.constant = true),
                K::Dot => {
                    let (owner, field) = (name.child_by_field_id(self.table), name.child_by_field_id(self.field));
                    all.push(Target { name: field.unwrap_or(name), owner, value: None, constant: false });
                }
                _ => all.push(Target { name, owner: None, value: None, constant: false }),
            }
        }
        if let Some(values) = values {
            let mut cursor = values.walk();
            for (target, value) in all.iter_mut().zip(values.named_children(&mut cursor)) {
                target.value = Some(value);
            }
        }
        all
    }

    /// A local name: a symbol at the top of the file, or a function outside of others, else a variable. What is required
    /// is an import already.
    fn introduce(
        &self,
        cx: &mut Cx,
        target: &Target,
        whole: Span,
        leading: Option<Leading>,
    ) -> Option<cruxe_model::facts::SymbolIndex> {
        if target.value.is_some_and(|value| self.required(cx, &value).is_some() || self.taken_out(cx, target, &value)) {
            return None;
        }
        let function = target.value.is_some_and(|value| self.is(&value, K::FunctionLiteral));
        let scope = if function { cx.function_scope() } else { cx.current_scope() };
        if cx.scope_kind(scope) == ScopeKind::File {
            return Some(self.symbol(cx, target, whole, leading, true));
        }
        let value = target.value.map(|value| self.expr(cx, &value, 0));
        let scope = cx.current_scope();
        cx.bind(&target.name, scope, BindingKind::Local, None, value);
        None
    }

    /// A global or a field of a table that is assigned to outside of functions is a symbol, once.
    fn assign(
        &self,
        cx: &mut Cx,
        target: &Target,
        whole: Span,
        leading: Option<Leading>,
    ) -> Option<cruxe_model::facts::SymbolIndex> {
        // `M.f = f` makes nothing: it hands on what is called so here.
        let handed_on = target.owner.is_some() && target.value.is_some_and(|value| self.hands_on(cx, target, &value));
        let named = self.is(&target.name, K::Identifier) && !handed_on;
        if !named || cx.scope_kind(cx.function_scope()) != ScopeKind::File || !self.first(cx, target) {
            return None;
        }
        Some(self.symbol(cx, target, whole, leading, false))
    }

    fn first(&self, cx: &Cx, target: &Target) -> bool {
        let name = cx.text_of(&target.name);
        let before = target.name.start_byte() as u32;
        if cx.current_symbol().is_some() {
            return false;
        }
        let same = |at: &cruxe_model::facts::SymbolIndex| {
            let symbol = cx.symbol_at(*at);
            symbol.kind != SymbolKind::Use && symbol.name == name && symbol.name_span.start < before
        };
        // `local f` above, `f = function` here: this is where it is defined.
        let function = target.value.is_some_and(|value| self.is(&value, K::FunctionLiteral));
        let defines = |at: &cruxe_model::facts::SymbolIndex| !function || cx.symbol_at(*at).kind == SymbolKind::Fn;
        target.owner.is_some() || !cx.siblings().take(LOOK_BACK).any(|at| same(&at) && defines(&at))
    }

    fn symbol(
        &self,
        cx: &mut Cx,
        target: &Target,
        whole: Span,
        leading: Option<Leading>,
        local: bool,
    ) -> cruxe_model::facts::SymbolIndex {
        let function = target.value.filter(|value| self.is(value, K::FunctionLiteral));
        let kind = match (function.is_some(), target.owner.is_some(), target.constant) {
            (true, ..) => SymbolKind::Fn,
            (_, true, _) => SymbolKind::Field,
            (.., true) => SymbolKind::Const,
            _ => SymbolKind::Variable,
        };
        let mut decl = Decl::new(kind, cx.text_of(&target.name), span(&target.name), whole).leading(leading);
        decl.signature_end = Some(self.signature_end(whole, target.value));
        (decl.visibility, decl.access) = access(local);
        decl.qualifier = target.owner.map(|owner| cx.text_of(&owner));
        let symbol = cx.declare(decl);
        if let Some(value) = target.value {
            self.made_from(cx, symbol, &value);
        }
        symbol
    }

    /// Functions are shown with their parameters, tables and long values not at all.
    fn signature_end(&self, whole: Span, value: Option<Node>) -> u32 {
        let parameters = value.and_then(|value| value.child_by_field_name("parameters"));
        match (parameters, value) {
            (Some(parameters), _) => parameters.end_byte() as u32,
            (None, Some(value)) if self.is(&value, K::Table) || whole.end - whole.start > 120 => {
                value.start_byte() as u32
            }
            _ => whole.end,
        }
    }

    /// A named entry of a table that is a symbol itself, or a function in any table outside of functions.
    fn table_field(&self, cx: &mut Cx) {
        let node = cx.node();
        let Some(name) = self.declared_field(cx) else { return };
        let value = node.child_by_field_id(self.value);
        let function = value.is_some_and(|value| self.is(&value, K::FunctionLiteral));
        let kind = if function { SymbolKind::Fn } else { SymbolKind::Field };
        let mut decl = Decl::new(kind, cx.text_of(&name), span(&name), span(&node)).leading(cx.leading(&node));
        decl.signature_end = Some(self.signature_end(span(&node), value));
        decl.access = Access::Public;
        let symbol = cx.declare(decl);
        cx.open_symbol(symbol);
    }

    /// The name of the current table entry, when the table is the value of the innermost symbol.
    fn declared_field<'t>(&self, cx: &Cx<'_, '_, 't>) -> Option<Node<'t>> {
        let (node, table) = (cx.node(), cx.parent()?);
        let name = node.child_by_field_id(self.name).filter(|name| self.is(name, K::Identifier))?;
        let holds = cx.current_symbol().map(|at| cx.symbol_at(at)).is_some_and(|owner| {
            matches!(owner.kind, SymbolKind::Variable | SymbolKind::Const | SymbolKind::Field)
                && owner.span.end == table.end_byte() as u32
        });
        let function = node.child_by_field_id(self.value).is_some_and(|value| self.is(&value, K::FunctionLiteral));
        let outside = cx.scope_kind(cx.function_scope()) == ScopeKind::File;
        (holds || function && outside).then_some(name)
    }

    /// The string of `require "x"`, and the field of `require("x").field`.
    fn required<'t>(&self, cx: &Cx, node: &Node<'t>) -> Option<(Span, Option<Node<'t>>)> {
        if self.is(node, K::Dot) {
            let (path, _) =
                self.required(cx, &node.child_by_field_id(self.table).filter(|call| self.is(call, K::Call))?)?;
            return Some((path, node.child_by_field_id(self.field)));
        }
        let name = node.child_by_field_id(self.name).filter(|_| self.is(node, K::Call))?;
        let argument = node.child_by_field_name("arguments")?.named_child(0)?;
        let requires = cx.text_of(&name) == "require" && argument.kind() == "string";
        requires.then(|| common::plain_string(&argument, "string_content")).flatten().map(|path| (path, None))
    }

    fn call(&self, cx: &mut Cx) {
        let node = cx.node();
        let Some((path, _)) = self.required(cx, &node) else { return self.extended(cx, &node) };
        let text = cx.slice(path);
        let mut decl = Decl::new(SymbolKind::Use, text, path, span(&node));
        decl.signature_end = None;
        cx.declare(decl);
        // `local x = require("m").y`: the value's place in the list tells the name that it gets.
        let field = cx.ancestor(1).filter(|frame| self.kinds.get(frame.kind) == K::Dot).map(|frame| frame.node);
        let level = if field.is_some() { 2 } else { 1 };
        let value = field.unwrap_or(node);
        let alias = self.name_for(cx, level, &value);
        let name = field.and_then(|dot| dot.child_by_field_id(self.field)).map(|name| cx.name_of(&name));
        let start = alias.map_or(path.start, |alias| alias.start_byte() as u32);
        let (module, alias, scope) = (cx.name(text), alias.map(|alias| cx.name_of(&alias)), cx.current_scope());
        cx.import(Import { module, name, alias, glob: false, reexport: false, start, scope });
        let last = text.rsplit(['.', '/']).next().unwrap_or(text);
        cx.occurrence_at(last, path.end - last.len() as u32, Role::Import, None);
    }

    fn name_for<'t>(&self, cx: &Cx<'_, '_, 't>, level: usize, value: &Node<'t>) -> Option<Node<'t>> {
        let list = cx.ancestor(level).filter(|frame| self.kinds.get(frame.kind) == K::ExpressionList)?.node;
        let assignment = cx.ancestor(level + 1).filter(|frame| self.kinds.get(frame.kind) == K::Assignment)?.node;
        let targets = self.targets(&assignment.named_child(0)?, Some(list));
        let target = targets.into_iter().find(|target| target.value.is_some_and(|own| own.id() == value.id()))?;
        target.owner.is_none().then_some(target.name)
    }

    fn identifier(&self, cx: &mut Cx) {
        let node = cx.node();
        let (Some(parent), field) = (cx.parent(), cx.field()) else { return };
        let text = cx.text_of(&node);
        let (role, receiver) = match self.kinds.get(parent.kind_id()) {
            K::Function if field == self.name => return,
            K::Parameters => return self.bind(cx, BindingKind::Param),
            K::NumericFor if field == self.name => return self.bind(cx, BindingKind::Local),
            K::Attribute | K::Jump => return,
            K::VariableList if self.ancestor_is(cx, 2, K::GenericFor) => return self.bind(cx, BindingKind::Local),
            K::VariableList => match self.defines(cx, 1) {
                true => return,
                false => (Role::Write, None),
            },
            K::Field if field == self.name && self.entry_declared(cx) => return,
            // `return { f = f }` hands on what is called so here.
            K::Field if field == self.name && self.is_same(cx, &parent) => (Role::Mention, None),
            K::Field if field == self.name => (Role::Key, None),
            K::Call if field == self.name && text == "require" && self.required(cx, &parent).is_some() => return,
            K::Call if field == self.name => (Role::Call, None),
            K::Dot | K::Method if field != self.table => {
                let Some(role) = self.member_role(cx) else { return };
                let base = parent.child_by_field_id(self.table).map(|table| self.expr(cx, &table, 0));
                (role, base)
            }
            _ => (Role::Value, None),
        };
        if text != "self" {
            cx.occurrence(&node, role, receiver);
        }
    }

    /// Whether the value of a table's entry is called like the entry at the current node.
    fn is_same(&self, cx: &Cx, entry: &Node) -> bool {
        let value = entry.child_by_field_id(self.value).filter(|value| self.is(value, K::Identifier));
        value.is_some_and(|value| cx.text_of(&value) == cx.text_of(&cx.node()))
    }

    fn ancestor_is(&self, cx: &Cx, level: usize, kind: K) -> bool {
        cx.ancestor(level).is_some_and(|frame| self.kinds.get(frame.kind) == kind)
    }

    fn bind(&self, cx: &mut Cx, kind: BindingKind) {
        let (node, scope) = (cx.node(), cx.current_scope());
        cx.bind(&node, scope, kind, None, None);
    }

    /// Whether the list of variables at `level` is a declaration, or a symbol was declared at the current name.
    fn defines(&self, cx: &Cx, level: usize) -> bool {
        let local = self.ancestor_is(cx, level + 1, K::Variables) || self.ancestor_is(cx, level + 2, K::Variables);
        local || self.declared_here(cx)
    }

    fn declared_here(&self, cx: &Cx) -> bool {
        let at = cx.node().start_byte() as u32;
        let here = |index| cx.symbol_at(index).name_span.start == at;
        cx.current_symbol().is_some_and(here) || cx.siblings().take(8).any(here)
    }

    fn entry_declared(&self, cx: &Cx) -> bool {
        let at = cx.node().start_byte() as u32;
        cx.current_symbol().is_some_and(|index| cx.symbol_at(index).name_span.start == at)
    }

    /// The role of `b` in `a.b` and `a:b`; `None` where it is a definition's name.
    fn member_role(&self, cx: &Cx) -> Option<Role> {
        let member = cx.ancestor(1)?;
        Some(match cx.ancestor(2).map(|frame| self.kinds.get(frame.kind)) {
            Some(K::Function) if member.field == self.name => return None,
            Some(K::Call) if member.field == self.name => Role::Call,
            Some(K::VariableList) if self.declared_here(cx) => return None,
            Some(K::VariableList) => Role::Write,
            _ => Role::Value,
        })
    }
}

fn access(local: bool) -> (&'static str, Access) {
    if local { ("local", Access::Private) } else { ("", Access::Public) }
}

#[cfg(test)]
mod tests {
    use cruxe_model::SymbolKind;

    use crate::languages::fixture_tests::extract;

    #[test]
    fn functions_in_tables_are_found_under_the_table() {
        let facts = extract(
            "m.lua",
            "local M = { a = function() end }\nfunction M.b() end\nfunction M:c() end\nM.d = function() end\n",
        );
        let names: Vec<_> = facts.symbols.iter().map(|one| (one.kind.as_str(), one.qualified_name.as_str())).collect();
        let expected = [("variable", "m.M"), ("fn", "m.M.a"), ("fn", "m.M.b"), ("method", "m.M.c"), ("fn", "m.M.d")];
        assert_eq!(names, expected);
    }

    #[test]
    fn functions_outside_of_functions_are_found_whatever_holds_them() {
        let facts = extract(
            "m.lua",
            "local later\ndo\n  local inner = function() end\n  later = function() inner() end\nend\nreturn setmetatable({ x = 1 }, { __call = function() local no = function() end end })\n",
        );
        let names: Vec<_> = facts.symbols.iter().map(|one| (one.kind.as_str(), one.name.as_str())).collect();
        assert_eq!(names, [("variable", "later"), ("fn", "inner"), ("fn", "later"), ("fn", "__call")]);
    }

    #[test]
    fn what_is_required_is_an_import_and_no_variable() {
        let facts = extract(
            "m.lua",
            "local a, b = require 'x.y', require('z').w\nlocal function f() local q = require 'q' end\n",
        );
        assert!(facts.symbols.iter().all(|symbol| matches!(symbol.kind, SymbolKind::Use | SymbolKind::Fn)));
        assert_eq!(facts.imports.len(), 3);
        assert_eq!(facts.name(facts.imports[1].alias.unwrap()), "b");
        assert_eq!(facts.name(facts.imports[1].name.unwrap()), "w");
    }

    #[test]
    fn a_global_is_defined_where_it_is_assigned_first() {
        let facts = extract("m.lua", "x = 1\nx = 2\nlocal function f() x = 3; y = 4 end\n");
        let names: Vec<_> = facts.symbols.iter().map(|symbol| symbol.name.as_str()).collect();
        assert_eq!(names, ["x", "f"]);
        assert_eq!(facts.occurrences.len(), 3);
    }
}
