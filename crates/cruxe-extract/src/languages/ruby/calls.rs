//! Calls that declare something: `require`, `include`, `attr_reader`, `private`, `define_method`, `it`.

use cruxe_model::SymbolKind;
use cruxe_model::facts::{Access, Expr, ExprId, Relation, Role, ScopeKind, Span, SymbolFlags, SymbolIndex};
use tree_sitter::Node;

use super::{K, Ruby};
use crate::build::Decl;
use crate::languages::common::{self, Imported};
use crate::walk::{Cx, span};

/// Calls whose arguments become super types.
pub(super) const MIXINS: &[&str] = &["include", "extend", "prepend"];

/// Calls that the language itself would spell as keywords: no uses of anything in the repository.
const DECLARING: &[&str] = &[
    "require",
    "require_relative",
    "load",
    "autoload",
    "include",
    "extend",
    "prepend",
    "attr_reader",
    "attr_writer",
    "attr_accessor",
    "attr",
    "private",
    "protected",
    "public",
    "private_class_method",
    "public_class_method",
    "private_constant",
    "module_function",
    "alias_method",
    "define_method",
    "undef_method",
    "remove_method",
    "raise",
    "block_given?",
    "lambda",
    "proc",
    "loop",
];

/// Calls whose symbols name methods, wherever they stand.
const REFLECTING: &[&str] = &["method", "send", "public_send", "__send__", "respond_to?", "instance_method", "try"];

/// What a `:symbol` is for.
enum Symbolic {
    /// It is the name of a definition.
    Defines,
    /// It names a method of a receiver.
    Names(Option<ExprId>),
}

/// Calls that hold one test.
const TESTS: &[&str] = &["it", "specify", "scenario", "test", "should"];

/// `private :a, :b` changes at most this many of the symbols before it.
const LOOK_BACK: usize = 400;

pub(super) fn access(word: &str) -> Option<Access> {
    Some(match word {
        "private" | "private_class_method" => Access::Private,
        "protected" => Access::Protected,
        "public" | "module_function" | "public_class_method" => Access::Public,
        _ => return None,
    })
}

/// The mark of a section of a class body, see [`section`].
pub(super) fn mark(word: &str) -> u8 {
    match access(word) {
        Some(Access::Private) => 1,
        Some(Access::Protected) => 2,
        _ => 0,
    }
}

pub(super) fn section(mark: u8) -> (&'static str, Access) {
    match mark {
        1 => ("private", Access::Private),
        2 => ("protected", Access::Protected),
        _ => ("", Access::Public),
    }
}

impl Ruby {
    pub(super) fn call(&self, cx: &mut Cx) {
        let node = cx.node();
        let Some(word) = node.child_by_field_id(self.method) else { return };
        if node.child_by_field_id(self.receiver).is_some() {
            return;
        }
        let arguments = node.child_by_field_name("arguments");
        let block = node.child_by_field_name("block");
        let in_class = matches!(cx.current_kind(), Some(SymbolKind::Class | SymbolKind::Module));
        match (cx.text_of(&word), arguments) {
            ("require" | "require_relative" | "load", Some(arguments)) => {
                self.import(cx, arguments.named_child(0));
            }
            ("autoload", Some(arguments)) => self.import(cx, arguments.named_child(1)),
            ("include" | "extend" | "prepend", Some(arguments)) => self.mixin(cx, &arguments),
            ("attr_reader" | "attr_writer" | "attr_accessor" | "attr", Some(arguments)) => {
                self.properties(cx, &node, &arguments);
            }
            ("delegate", Some(arguments)) if in_class => self.delegated(cx, &arguments, 0),
            ("def_delegators" | "def_instance_delegators", Some(arguments)) if in_class => {
                self.delegated(cx, &arguments, 1);
            }
            ("alias_method", Some(arguments)) => self.named_method(cx, &arguments, false),
            ("define_method" | "define_singleton_method", Some(arguments)) => self.named_method(cx, &arguments, true),
            (word, Some(arguments)) if TESTS.contains(&word) && block.is_some() => self.test(cx, &arguments, block),
            (word, Some(arguments)) => {
                if let Some(access) = access(word) {
                    self.change_access(cx, word, access, &arguments);
                }
            }
            (_, None) => {}
        }
    }

    fn import(&self, cx: &mut Cx, path: Option<Node>) {
        let whole = span(&cx.node());
        if let Some(path) = path.and_then(|path| common::plain_string(&path, "string_content")) {
            common::import(cx, &Imported { whole, path, alias: None, glob: true, separators: &['/'] });
        }
    }

    fn mixin(&self, cx: &mut Cx, arguments: &Node) {
        let Some(symbol) = cx.current_symbol() else { return };
        if !matches!(cx.current_kind(), Some(SymbolKind::Class | SymbolKind::Module)) {
            return;
        }
        let mut cursor = arguments.walk();
        for argument in arguments.named_children(&mut cursor) {
            if matches!(self.kinds.get(argument.kind_id()), K::Constant | K::Scope) {
                let ty = common::path_type(cx, &argument, "::");
                cx.heritage(symbol, Relation::Implements, ty);
            }
        }
    }

    /// The name in a `:symbol` or `"string"`.
    fn literal_name<'s>(&self, cx: &Cx<'_, 's, '_>, node: &Node) -> Option<(&'s str, Span)> {
        let inside = match node.kind() {
            "simple_symbol" => Span { start: node.start_byte() as u32 + 1, end: node.end_byte() as u32 },
            "string" => common::plain_string(node, "string_content")?,
            _ => return None,
        };
        Some((cx.slice(inside), inside)).filter(|(text, _)| !text.is_empty())
    }

    fn properties(&self, cx: &mut Cx, node: &Node, arguments: &Node) {
        let mut cursor = arguments.walk();
        let names: Vec<Node> = arguments.named_children(&mut cursor).collect();
        let leading = self.leading_of_current(cx);
        let (visibility, access) = section(cx.mark(1));
        let short = names.len() == 1;
        for name in names {
            let Some((text, at)) = self.literal_name(cx, &name) else { continue };
            let whole = if short { span(node) } else { span(&name) };
            let mut decl = Decl::new(SymbolKind::Property, text, at, whole);
            decl.signature_end = Some(whole.end);
            if short {
                decl = decl.leading(leading);
            }
            (decl.visibility, decl.access) = (visibility, access);
            let variable = cx.owned_name(format!("@{text}"));
            decl.value = Some(cx.expr(Expr::Name(variable)));
            cx.declare(decl);
        }
    }

    /// `delegate :name, to: :owner` and `def_delegators :@owner, :name` make methods that hand on.
    fn delegated(&self, cx: &mut Cx, arguments: &Node, skip: usize) {
        let mut cursor = arguments.walk();
        let names: Vec<Node> = arguments.named_children(&mut cursor).skip(skip).collect();
        let (visibility, access) = section(cx.mark(1));
        for name in names {
            let Some((text, at)) = self.literal_name(cx, &name).filter(|_| self.is(&name, K::Symbol)) else { continue };
            let mut decl = Decl::new(SymbolKind::Method, text, at, span(&name));
            decl.signature_end = Some(at.end);
            (decl.visibility, decl.access) = (visibility, access);
            cx.declare(decl);
        }
    }

    fn leading_of_current(&self, cx: &Cx) -> Option<crate::walk::Leading> {
        let node = cx.node();
        self.leading(cx, &node)
    }

    fn named_method(&self, cx: &mut Cx, arguments: &Node, open: bool) {
        let node = cx.node();
        let name = arguments.named_child(0).and_then(|name| self.literal_name(cx, &name));
        let Some((text, at)) = name else { return };
        let mut decl = Decl::new(SymbolKind::Method, text, at, span(&node)).leading(self.leading_of_current(cx));
        decl.signature_end = Some(arguments.end_byte() as u32);
        (decl.visibility, decl.access) = section(cx.mark(1));
        let symbol = cx.declare(decl);
        if open {
            cx.open_symbol(symbol);
            cx.open_scope(ScopeKind::Function);
        }
    }

    /// `it "says what it does" do`: a function with the sentence as its name.
    fn test(&self, cx: &mut Cx, arguments: &Node, block: Option<Node>) {
        let node = cx.node();
        let name = arguments.named_child(0).filter(|name| name.kind() == "string");
        let Some((text, at)) = name.and_then(|name| self.literal_name(cx, &name)) else { return };
        let mut decl = Decl::new(SymbolKind::Fn, text, at, span(&node)).leading(self.leading_of_current(cx));
        decl.signature_end = block.map(|block| block.start_byte() as u32);
        decl.flags = SymbolFlags { test: true, ..SymbolFlags::default() };
        let symbol = cx.declare(decl);
        cx.open_symbol(symbol);
        cx.open_scope(ScopeKind::Function);
    }

    /// `private :late` speaks of methods that stand before it.
    fn change_access(&self, cx: &mut Cx, word: &str, access: Access, arguments: &Node) {
        let mut cursor = arguments.walk();
        let names: Vec<&str> = arguments
            .named_children(&mut cursor)
            .filter_map(|name| self.literal_name(cx, &name).map(|(text, _)| text))
            .collect();
        if names.is_empty() {
            return;
        }
        let named = |at: &SymbolIndex| {
            let symbol = cx.symbol_at(*at);
            let kinds = [SymbolKind::Method, SymbolKind::Fn, SymbolKind::Property];
            kinds.contains(&symbol.kind) && names.contains(&symbol.name.as_str())
        };
        let found: Vec<SymbolIndex> = cx.siblings().take(LOOK_BACK).filter(named).collect();
        for at in found {
            cx.amend(at, |symbol| {
                symbol.access = access;
                symbol.visibility = word.to_owned();
                symbol.flags.associated |= word == "module_function";
            });
        }
    }

    /// The arguments of `Struct.new(…)`, `Class.new(…)`, `Data.define(…)`, which make a type; `None` for other values.
    pub(super) fn made_type<'t>(&self, cx: &Cx, value: &Node<'t>) -> Option<Option<Node<'t>>> {
        let (receiver, method) = (value.child_by_field_id(self.receiver)?, value.child_by_field_id(self.method)?);
        let makes = matches!(
            (cx.text_of(&receiver), cx.text_of(&method)),
            ("Struct" | "Class" | "Module", "new") | ("Data", "define")
        );
        makes.then(|| value.child_by_field_name("arguments"))
    }

    pub(super) fn members_of_made_type(&self, cx: &mut Cx, symbol: SymbolIndex, arguments: Option<Node>) {
        let Some(arguments) = arguments else { return };
        let mut cursor = arguments.walk();
        for argument in arguments.named_children(&mut cursor) {
            match self.kinds.get(argument.kind_id()) {
                K::Symbol => {
                    let Some((text, at)) = self.literal_name(cx, &argument) else { continue };
                    let mut decl = Decl::new(SymbolKind::Property, text, at, span(&argument));
                    decl.signature_end = Some(at.end);
                    decl.access = Access::Public;
                    cx.declare(decl);
                }
                K::Constant | K::Scope => {
                    let ty = common::path_type(cx, &argument, "::");
                    cx.heritage(symbol, Relation::Extends, ty);
                }
                _ => {}
            }
        }
    }

    /// The name of a called method.
    pub(super) fn called(&self, cx: &mut Cx, call: &Node) {
        let node = cx.node();
        let base = call.child_by_field_id(self.receiver);
        if base.is_none() && DECLARING.contains(&cx.text_of(&node)) {
            return;
        }
        let receiver = base.map(|base| self.expr(cx, &base, 0));
        let list = cx.ancestor(2).map(|frame| self.kinds.get(frame.kind));
        let left = cx.ancestor(1).is_some_and(|frame| frame.field == self.left);
        let written = match list {
            Some(K::Assignment | K::OperatorAssignment) => left,
            Some(K::AssignmentList) => true,
            _ => false,
        };
        cx.occurrence(&node, if written { Role::Write } else { Role::Call }, receiver);
    }

    /// A `:symbol`: one that names a method (`&:to_s`, `send(:run)`, `before_action :check` in the body of a class), or one
    /// that may stand for anything of its name.
    pub(super) fn symbol(&self, cx: &mut Cx) {
        let node = cx.node();
        let Some(name) = cx.text_of(&node).strip_prefix(':').filter(|name| !name.starts_with('"')) else { return };
        let start = node.start_byte() as u32 + 1;
        match self.symbol_use(cx) {
            Some(Symbolic::Defines) => {}
            Some(Symbolic::Names(receiver)) => cx.occurrence_at(name, start, Role::Value, receiver),
            None => cx.occurrence_at(name, start, Role::Key, None),
        }
    }

    /// `%i[a b]`
    pub(super) fn bare_symbol(&self, cx: &mut Cx) {
        let node = cx.node();
        let name = cx.text_of(&node);
        cx.occurrence_at(name, node.start_byte() as u32, Role::Key, None);
    }

    /// What a `:symbol` is for; `None` where nothing says so.
    fn symbol_use(&self, cx: &mut Cx) -> Option<Symbolic> {
        let node = cx.node();
        let at = match cx.ancestor(1).map(|frame| self.kinds.get(frame.kind))? {
            // `products.map(&:rename)` is about what the products are.
            K::BlockArgument => {
                let call = cx.ancestor(3).filter(|frame| self.kinds.get(frame.kind) == K::Call).map(|frame| frame.node);
                let base = call.and_then(|call| call.child_by_field_id(self.receiver));
                let base = base.map_or(Expr::Unknown, |base| Expr::Index(self.expr(cx, &base, 0)));
                return Some(Symbolic::Names(Some(cx.expr(base))));
            }
            K::Alias => return Some(Symbolic::Defines),
            K::Pair if cx.field() == self.value => 3,
            K::Arguments => 2,
            _ => return None,
        };
        let call = cx.ancestor(at).filter(|frame| self.kinds.get(frame.kind) == K::Call)?.node;
        let receiver = call.child_by_field_id(self.receiver);
        let word = cx.text_of(&call.child_by_field_id(self.method)?);
        let in_class = receiver.is_none() && matches!(cx.current_kind(), Some(SymbolKind::Class | SymbolKind::Module));
        let first =
            cx.ancestor(1).is_some_and(|list| list.node.named_child(0).is_some_and(|first| first.id() == node.id()));
        let delegates = match word {
            "delegate" => in_class && at == 2,
            "def_delegators" | "def_instance_delegators" => in_class && !first,
            _ => false,
        };
        if word == "autoload" && first {
            return Some(Symbolic::Names(None));
        }
        if delegates || DECLARING.contains(&word) && (word != "alias_method" || first) {
            return Some(Symbolic::Defines);
        }
        (in_class || REFLECTING.contains(&word))
            .then(|| Symbolic::Names(receiver.map(|receiver| self.expr(cx, &receiver, 0))))
    }

    /// `key:` of a call's keyword argument or of a pattern.
    pub(super) fn key(&self, cx: &mut Cx) {
        let node = cx.node();
        let outer = cx.ancestor(2).map(|frame| self.kinds.get(frame.kind));
        if cx.parent().is_some_and(|parent| self.is(&parent, K::Pattern)) {
            cx.occurrence(&node, Role::Unpack, None);
        } else if outer == Some(K::Arguments) || cx.parent().is_some_and(|parent| self.is(&parent, K::Pair)) {
            cx.occurrence(&node, Role::Key, None);
        }
    }
}
