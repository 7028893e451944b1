//! Ruby: modules, classes, methods, and the calls that declare things.

mod calls;
mod expr;
mod operators;

use cruxe_model::SymbolKind;
use cruxe_model::facts::{Access, BindingKind, Expr, Relation, Role, ScopeKind, SymbolFlags};
use tree_sitter::{Language, Node};

use super::common;
use crate::build::Decl;
use crate::language::{FrontEnd, LANGUAGE, LanguageDef};
use crate::naming::{ALL_RELATIONS, NAMING, Naming, Relations, Told};
use crate::recover::{LAYOUT, Lexis};
use crate::registry::{Kinds, field};
use crate::walk::{Cx, Leading, Rules, Trivia, Walk, span};

/// The Ruby language.
pub static RUBY: LanguageDef = LanguageDef {
    id: "ruby",
    name: "ruby",
    extensions: &["rb", "rake", "gemspec", "ru", "podspec", "thor", "jbuilder", "rabl"],
    file_names: &[
        "Rakefile",
        "Gemfile",
        "Guardfile",
        "Podfile",
        "Fastfile",
        "Appfile",
        "Capfile",
        "Vagrantfile",
        "Berksfile",
        "Thorfile",
        "Brewfile",
        "Dangerfile",
        "Steepfile",
        ".irbrc",
        ".pryrc",
        "Appraisals",
    ],
    interpreters: &["ruby", "rake", "jruby", "irb"],
    is_test_name: |name| common::stem(name).ends_with("_spec"),
    separator: "::",
    front_end: FrontEnd::Grammar { grammar: || tree_sitter_ruby::LANGUAGE.into(), rules },
    naming: Naming {
        runs_unnamed: |name, _| {
            let hooks = ["coerce", "inherited", "included", "method_missing", "prepended", "to_proc", "to_s", "to_str"];
            hooks.contains(&name) || !name.starts_with(|c: char| c.is_alphanumeric() || c == '_')
        },
        lists_operators: true,
        constructor: Some("initialize"),
        local_types: true,
        constructors_inherited: true,
        assignments_define: true,
        makers: &["new"],
        files: |path| vec![format!("{path}.rb")],
        requires: true,
        mixins: true,
        companion: Some("module ClassMethods"),
        everyday: EVERYDAY,
        relations: Relations { decorators: Told::Never, ..ALL_RELATIONS },
        ..NAMING
    },
    ..LANGUAGE
};

/// What strings, lists, maps, numbers, files and every object have.
const EVERYDAY: &str = "add all all? any? append assign at bytes call capitalize chars chomp class clear clone close collect \
    compact concat count cycle dig delete detect downcase drop dup each each_key each_pair each_value each_with_index \
    each_with_object empty? eql? equal? extend fetch file filter filter_map find find_all find_by find_index first flat_map \
    flatten flush format freeze frozen? get group_by gsub has_key? hash id include include? index inject inspect insert \
    instance_of? instance_variable_get is_a? join key key? keys kind_of? last length lines lstrip map match match? max \
    max_by member? merge merge! message method methods min min_by name new next nil? none? object_id one? open pack \
    partition path pop pos prepend present? blank? push put puts raise read reduce reject replace respond_to? result \
    reverse rewind rindex rstrip run sample scan select send set shift shuffle size slice sort sort_by split squeeze \
    start start_with? end_with? status stop store string strip strip! sub sub! gsub! sum synchronize tap take \
    tally then times to_a to_h to_i to_f to_json to_proc to_s to_str to_sym transform_values trim type uniq unpack \
    unshift upcase update value value? values values_at warn where write yield zip";

/// What the rules call the node kinds that they know.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum K {
    #[default]
    Other,
    Comment,
    Body,
    Module,
    Class,
    SingletonClass,
    Method,
    SingletonMethod,
    Setter,
    Superclass,
    Scope,
    Assignment,
    OperatorAssignment,
    AssignmentList,
    Call,
    Arguments,
    Block,
    Lambda,
    Parameters,
    Parameter,
    Rescue,
    Exceptions,
    ExceptionVariable,
    For,
    Pattern,
    AsPattern,
    Alias,
    Pair,
    BlockArgument,
    Identifier,
    Constant,
    Variable,
    Symbol,
    BareSymbol,
    KeySymbol,
    Binary,
    Unary,
    Element,
}

const KINDS: &[(&str, K)] = &[
    ("comment", K::Comment),
    ("body_statement", K::Body),
    ("module", K::Module),
    ("class", K::Class),
    ("singleton_class", K::SingletonClass),
    ("method", K::Method),
    ("singleton_method", K::SingletonMethod),
    ("setter", K::Setter),
    ("superclass", K::Superclass),
    ("scope_resolution", K::Scope),
    ("assignment", K::Assignment),
    ("operator_assignment", K::OperatorAssignment),
    ("left_assignment_list", K::AssignmentList),
    ("destructured_left_assignment", K::AssignmentList),
    ("rest_assignment", K::AssignmentList),
    ("call", K::Call),
    ("argument_list", K::Arguments),
    ("block", K::Block),
    ("do_block", K::Block),
    ("lambda", K::Lambda),
    ("method_parameters", K::Parameters),
    ("block_parameters", K::Parameters),
    ("lambda_parameters", K::Parameters),
    ("destructured_parameter", K::Parameters),
    ("optional_parameter", K::Parameter),
    ("keyword_parameter", K::Parameter),
    ("splat_parameter", K::Parameter),
    ("hash_splat_parameter", K::Parameter),
    ("block_parameter", K::Parameter),
    ("rescue", K::Rescue),
    ("exceptions", K::Exceptions),
    ("exception_variable", K::ExceptionVariable),
    ("for", K::For),
    ("array_pattern", K::Pattern),
    ("find_pattern", K::Pattern),
    ("keyword_pattern", K::Pattern),
    ("in_clause", K::Pattern),
    ("as_pattern", K::AsPattern),
    ("alias", K::Alias),
    ("pair", K::Pair),
    ("block_argument", K::BlockArgument),
    ("identifier", K::Identifier),
    ("constant", K::Constant),
    ("instance_variable", K::Variable),
    ("class_variable", K::Variable),
    ("global_variable", K::Variable),
    ("simple_symbol", K::Symbol),
    ("bare_symbol", K::BareSymbol),
    ("hash_key_symbol", K::KeySymbol),
    ("binary", K::Binary),
    ("unary", K::Unary),
    ("element_reference", K::Element),
];

struct Ruby {
    kinds: Kinds<K>,
    body: u16,
    name: u16,
    method: u16,
    receiver: u16,
    left: u16,
    scope: u16,
    pattern: u16,
    value: u16,
    operator: u16,
    object: u16,
}

fn rules(grammar: &Language) -> Box<dyn Rules> {
    Box::new(Ruby {
        kinds: Kinds::new(grammar, KINDS),
        body: grammar.id_for_node_kind("body_statement", true),
        name: field(grammar, "name"),
        method: field(grammar, "method"),
        receiver: field(grammar, "receiver"),
        left: field(grammar, "left"),
        scope: field(grammar, "scope"),
        pattern: field(grammar, "pattern"),
        value: field(grammar, "value"),
        operator: field(grammar, "operator"),
        object: field(grammar, "object"),
    })
}

/// How declarations are found without the grammar.
static LEXIS: Lexis =
    Lexis { heredocs: true, in_type: ("class X\n", "end"), in_function: ("def f\n", "end"), ..LAYOUT };

impl Rules for Ruby {
    fn lexis(&self) -> Option<&'static Lexis> {
        Some(&LEXIS)
    }

    fn trivia(&self, kind: u16, _text: &str) -> Trivia {
        if self.kinds.get(kind) == K::Comment { Trivia::Doc } else { Trivia::No }
    }

    fn enter(&self, cx: &mut Cx) -> Walk {
        match self.kinds.get(cx.kind()) {
            K::Module => self.type_declaration(cx, SymbolKind::Module, ScopeKind::Module),
            K::Class => self.type_declaration(cx, SymbolKind::Class, ScopeKind::Type),
            K::SingletonClass => cx.open_scope(ScopeKind::Type),
            K::Method | K::SingletonMethod => self.method(cx),
            K::Assignment => self.assignment(cx),
            K::OperatorAssignment => {
                self.assignment(cx);
                self.binary(cx);
            }
            K::Binary => self.binary(cx),
            K::Unary => self.unary(cx),
            K::Element => self.subscript(cx),
            K::Call => self.call(cx),
            K::Alias => self.alias(cx),
            K::Block => cx.open_scope(ScopeKind::Block),
            K::Lambda => cx.open_scope(ScopeKind::Function),
            K::Identifier | K::Constant | K::Variable => self.name(cx),
            K::Symbol => self.symbol(cx),
            K::BareSymbol => self.bare_symbol(cx),
            K::KeySymbol if cx.field() != self.value => self.key(cx),
            _ => {}
        }
        Walk::Into
    }
}

impl Ruby {
    fn is(&self, node: &Node, kind: K) -> bool {
        self.kinds.get(node.kind_id()) == kind
    }

    fn ancestor_is(&self, cx: &Cx, level: usize, kind: K) -> bool {
        cx.ancestor(level).is_some_and(|frame| self.kinds.get(frame.kind) == kind)
    }

    fn leading<'t>(&self, cx: &Cx<'_, '_, 't>, node: &Node<'t>) -> Option<Leading> {
        common::leading(cx, node, self.body)
    }

    /// `class Shop::Store < Base`: the last part is the name, the parts before it a qualifier.
    fn type_declaration(&self, cx: &mut Cx, kind: SymbolKind, scope: ScopeKind) {
        let node = cx.node();
        let Some(path) = node.child_by_field_id(self.name) else { return };
        let name = if self.is(&path, K::Scope) { path.child_by_field_id(self.name).unwrap_or(path) } else { path };
        let qualifier = path.child_by_field_id(self.scope).map(|scope| cx.text_of(&scope));
        let superclass = node.child_by_field_name("superclass");
        let mut decl = Decl::new(kind, cx.text_of(&name), span(&name), span(&node)).leading(self.leading(cx, &node));
        decl.signature_end = Some(superclass.unwrap_or(path).end_byte() as u32);
        decl.access = Access::Public;
        decl.qualifier = qualifier;
        let symbol = cx.declare(decl);
        if let Some(base) = superclass.and_then(|superclass| superclass.named_child(0))
            && matches!(self.kinds.get(base.kind_id()), K::Constant | K::Scope)
        {
            let ty = common::path_type(cx, &base, "::");
            cx.heritage(symbol, Relation::Extends, ty);
        }
        cx.open_symbol(symbol);
        cx.open_scope(scope);
    }

    fn method(&self, cx: &mut Cx) {
        let node = cx.node();
        let Some(name) = node.child_by_field_id(self.name) else { return };
        let object = node.child_by_field_name("object");
        let text = cx.text_of(&name);
        let member = matches!(cx.current_kind(), Some(SymbolKind::Class | SymbolKind::Module | SymbolKind::Method));
        let kind = if member || object.is_some() { SymbolKind::Method } else { SymbolKind::Fn };
        // `private def f` is one declaration, which begins with its first word.
        let word = self.modifier(cx);
        let whole = word.map_or(node, |(call, _)| call);
        let mut decl = Decl::new(kind, text, span(&name), span(&whole)).leading(self.leading(cx, &whole));
        let end = node.child_by_field_name("parameters").unwrap_or(name).end_byte();
        decl.signature_end = Some(end as u32);
        let (visibility, access) = match word {
            Some((_, word)) => calls::access(word).map_or(calls::section(0), |access| (word, access)),
            None if object.is_some() => ("", Access::Public),
            None => calls::section(cx.mark(1)),
        };
        (decl.visibility, decl.access) = (visibility, access);
        decl.qualifier = object.filter(|object| object.kind() != "self").map(|object| cx.text_of(&object));
        let in_singleton = self.ancestor_is(cx, 2, K::SingletonClass);
        decl.flags = SymbolFlags {
            associated: object.is_some() || in_singleton,
            test: text.starts_with("test_") && cx.path().contains("test"),
            ..SymbolFlags::default()
        };
        let symbol = cx.declare(decl);
        cx.open_symbol(symbol);
        cx.open_scope(ScopeKind::Function);
        // A method gives what its last statement is.
        let body = node.child_by_field_name("body");
        let last = body.and_then(|body| body.named_child((body.named_child_count() as u32).checked_sub(1)?));
        let telling = ["call", "constant", "scope_resolution", "self"];
        if let Some(last) = last.filter(|last| telling.contains(&last.kind())) {
            let value = self.expr(cx, &last, 0);
            cx.amend(symbol, |symbol| symbol.value = Some(value));
        }
    }

    /// The call of `private`, `memoize` or the like that has the current method as its argument.
    fn modifier<'s, 't>(&self, cx: &Cx<'_, 's, 't>) -> Option<(Node<'t>, &'s str)> {
        let (list, call) = (cx.ancestor(1)?, cx.ancestor(2)?);
        if self.kinds.get(list.kind) != K::Arguments || self.kinds.get(call.kind) != K::Call {
            return None;
        }
        let word = call.node.child_by_field_id(self.method)?;
        let plain = call.node.child_by_field_id(self.receiver).is_none() && list.node.named_child_count() == 1;
        plain.then(|| (call.node, cx.text_of(&word)))
    }

    /// Constants, class variables and globals are symbols, other names are local variables.
    fn assignment(&self, cx: &mut Cx) {
        let node = cx.node();
        let Some(left) = node.child_by_field_id(self.left) else { return };
        let right = node.child_by_field_name("right");
        if self.is(&node, K::OperatorAssignment) && left.kind() != "instance_variable" {
            return;
        }
        let inside = matches!(cx.current_kind(), Some(SymbolKind::Fn | SymbolKind::Method));
        let kind = match (self.kinds.get(left.kind_id()), left.kind()) {
            (K::Identifier, _) => {
                let value = right.map(|right| self.expr(cx, &right, 0));
                let scope = cx.current_scope();
                return cx.bind(&left, scope, BindingKind::Local, None, value);
            }
            (_, "instance_variable") => return self.instance_variable(cx, &left, right),
            (K::Constant, _) if !inside => SymbolKind::Const,
            (_, "class_variable") if !inside => SymbolKind::Field,
            (_, "global_variable") if !inside => SymbolKind::Variable,
            _ => return,
        };
        let made = right.filter(|_| kind == SymbolKind::Const).and_then(|right| self.made_type(cx, &right));
        let text = cx.text_of(&left);
        let kind = if made.is_some() { SymbolKind::Class } else { kind };
        let mut decl = Decl::new(kind, text, span(&left), span(&node)).leading(self.leading(cx, &node));
        let block = right.and_then(|right| right.child_by_field_name("block"));
        let long = node.end_byte() - node.start_byte() > 200;
        let end = match (block, right) {
            (Some(block), _) => block.start_byte(),
            (None, Some(right)) if long => right.start_byte(),
            _ => node.end_byte(),
        };
        decl.signature_end = Some(end as u32);
        decl.access = Access::Public;
        if made.is_none() {
            decl.value = right.map(|right| self.expr(cx, &right, 0));
        }
        let symbol = cx.declare(decl);
        if let Some(arguments) = made {
            cx.open_symbol(symbol);
            cx.open_scope(ScopeKind::Type);
            self.members_of_made_type(cx, symbol, arguments);
        }
    }

    /// `@x = T.new`: all methods of the class see what the variable is. The first assignment that tells counts.
    fn instance_variable(&self, cx: &mut Cx, left: &Node, right: Option<Node>) {
        let scope = cx.type_scope();
        let known = cx.bound(cx.text_of(left)).is_some_and(|binding| binding.scope == scope);
        let Some(value) = right.filter(|_| !known && cx.in_function()).map(|right| self.expr(cx, &right, 0)) else {
            return;
        };
        if !matches!(cx.expr_at(value), Expr::Unknown) {
            cx.bind(left, scope, BindingKind::Local, None, Some(value));
        }
    }

    fn alias(&self, cx: &mut Cx) {
        let node = cx.node();
        if let Some(name) = node.child_by_field_id(self.name).filter(|name| self.is(name, K::Identifier)) {
            let mut decl = Decl::new(SymbolKind::Method, cx.text_of(&name), span(&name), span(&node));
            decl.signature_end = Some(node.end_byte() as u32);
            decl.access = calls::section(cx.mark(1)).1;
            let decl = decl.leading(self.leading(cx, &node));
            cx.declare(decl);
        }
    }

    fn name(&self, cx: &mut Cx) {
        let node = cx.node();
        let (Some(parent), field) = (cx.parent(), cx.field()) else { return };
        let kind = self.kinds.get(node.kind_id());
        let (role, receiver) = match self.kinds.get(parent.kind_id()) {
            K::Method | K::SingletonMethod | K::Setter | K::Alias | K::Module | K::Class if field == self.name => {
                return;
            }
            K::Parameters => return self.bind(cx, BindingKind::Param),
            K::Parameter if field == self.name => return self.bind(cx, BindingKind::Param),
            K::ExceptionVariable if kind == K::Identifier => return self.exception(cx),
            K::AssignmentList if kind == K::Identifier => {
                return self.bind(cx, BindingKind::Local);
            }
            K::For if field == self.pattern => return self.element(cx, &parent),
            K::AsPattern if field == self.name => return self.bind(cx, BindingKind::Local),
            K::Pattern if kind == K::Identifier && field != self.method => return self.bind(cx, BindingKind::Local),
            K::Assignment if field == self.left => match self.declared(cx, kind, &node) {
                true => return,
                false => (Role::Write, None),
            },
            K::OperatorAssignment if field == self.left => (Role::Write, None),
            K::AssignmentList => (Role::Write, None),
            K::Alias => (Role::Value, None),
            K::Superclass => (Role::Extends, None),
            K::Exceptions => (Role::Type, None),
            K::Call if field == self.method => return self.called(cx, &parent),
            K::Scope if field == self.name => match self.scope_role(cx) {
                Some(role) => {
                    let base = parent.child_by_field_id(self.scope).map(|scope| self.expr(cx, &scope, 0));
                    (role, base)
                }
                None => return,
            },
            K::Arguments if kind == K::Constant && self.mixes_in(cx) => (Role::Implements, None),
            K::Body if calls::access(cx.text_of(&node)).is_some() => {
                cx.set_mark(1, calls::mark(cx.text_of(&node)));
                return;
            }
            _ if kind == K::Identifier && !cx.is_bound(cx.text_of(&node)) => (Role::Call, None),
            _ => (Role::Value, None),
        };
        cx.occurrence(&node, role, receiver);
    }

    /// `rescue Failure => failure`
    fn exception(&self, cx: &mut Cx) {
        let rescue = cx.ancestor(2).map(|frame| frame.node).filter(|node| self.is(node, K::Rescue));
        let list = rescue.and_then(|rescue| rescue.child_by_field_name("exceptions"));
        let class = list.filter(|list| list.named_child_count() == 1).and_then(|list| list.named_child(0));
        let class = class.filter(|class| matches!(self.kinds.get(class.kind_id()), K::Constant | K::Scope));
        let value = class.map(|class| {
            let ty = common::path_type(cx, &class, "::");
            cx.expr(Expr::Typed(ty))
        });
        let (node, scope) = (cx.node(), cx.current_scope());
        cx.bind(&node, scope, BindingKind::Local, None, value);
    }

    fn bind(&self, cx: &mut Cx, kind: BindingKind) {
        let (node, scope) = (cx.node(), cx.current_scope());
        cx.bind(&node, scope, kind, None, None);
    }

    fn element(&self, cx: &mut Cx, parent: &Node) {
        let value = parent.child_by_field_id(self.value).and_then(|value| value.named_child(0));
        let value = value.map(|value| self.expr(cx, &value, 0));
        let (node, scope) = (cx.node(), cx.current_scope());
        cx.bind(&node, scope, BindingKind::Element, None, value);
    }

    /// Whether [`Ruby::assignment`] made a symbol or a binding of the left side.
    fn declared(&self, cx: &Cx, kind: K, node: &Node) -> bool {
        let inside = cx.current_symbol().is_some_and(|at| {
            let symbol = cx.symbol_at(at);
            matches!(symbol.kind, SymbolKind::Fn | SymbolKind::Method)
        });
        match kind {
            K::Identifier => true,
            K::Constant => !inside,
            _ => !inside && node.kind() != "instance_variable",
        }
    }

    /// The role of the last part of `A::B`, from what stands around the path; `None` where it is a definition's name.
    fn scope_role(&self, cx: &Cx) -> Option<Role> {
        let path = cx.ancestor(1)?;
        Some(match cx.ancestor(2).map(|frame| self.kinds.get(frame.kind)) {
            Some(K::Module | K::Class) if path.field == self.name => return None,
            Some(K::Superclass) => Role::Extends,
            Some(K::Exceptions) => Role::Type,
            Some(K::Assignment) if path.field == self.left => Role::Write,
            Some(K::Arguments) if self.mixed_in_at(cx, 3) => Role::Implements,
            _ => Role::Value,
        })
    }

    fn mixes_in(&self, cx: &Cx) -> bool {
        self.mixed_in_at(cx, 2)
    }

    fn mixed_in_at(&self, cx: &Cx, level: usize) -> bool {
        let call = cx.ancestor(level).filter(|frame| self.kinds.get(frame.kind) == K::Call);
        let word = call.and_then(|call| call.node.child_by_field_id(self.method));
        word.is_some_and(|word| calls::MIXINS.contains(&cx.text_of(&word)))
    }
}

#[cfg(test)]
mod tests {
    use cruxe_model::SymbolKind;
    use cruxe_model::facts::{Access, FileFacts, Role};

    use crate::languages::fixture_tests::extract;

    fn uses(facts: &FileFacts, name: &str) -> Vec<Role> {
        facts.occurrences.iter().filter(|one| facts.name(one.name) == name).map(|one| one.role).collect()
    }

    #[test]
    fn sections_and_calls_change_the_access_of_methods() {
        let text = "class A\n  def a; end\n  private\n  def b; end\n  public\n  def c; end\n  private :c\n  private def d; end\nend\n";
        let facts = extract("a.rb", text);
        let access: Vec<_> = facts.symbols.iter().skip(1).map(|symbol| (symbol.name.as_str(), symbol.access)).collect();
        let expected = [("a", Access::Public), ("b", Access::Private), ("c", Access::Private), ("d", Access::Private)];
        assert_eq!(access, expected);
    }

    #[test]
    fn a_bare_name_is_a_call_unless_it_is_a_local_variable() {
        let facts = extract("a.rb", "def f(x)\n  y = x\n  y + z\nend\n");
        assert_eq!(uses(&facts, "y"), [Role::Value]);
        assert_eq!(uses(&facts, "z"), [Role::Call]);
    }

    #[test]
    fn strings_comments_and_keywords_are_no_uses() {
        let facts = extract("a.rb", "# foo\nputs 'foo', \"bar #{baz}\"\n__END__\nqux\n");
        let names: Vec<_> = facts.occurrences.iter().map(|one| facts.name(one.name)).collect();
        assert_eq!(names, ["puts", "baz"]);
    }

    #[test]
    fn every_symbol_is_a_mention_of_its_name() {
        let facts = extract(
            "a.rb",
            "class A\n  before_action :check\n  attr_reader :title\n  def run(x)\n    x.send(:check)\n    { check: 1, :check => 2 }\n    handlers = [:check, *%i[check other]]\n  end\nend\n",
        );
        assert_eq!(uses(&facts, "check"), [Role::Value, Role::Value, Role::Key, Role::Key, Role::Key, Role::Key]);
        assert_eq!(uses(&facts, "title"), []);
    }

    #[test]
    fn the_first_comment_of_a_body_belongs_to_the_first_method() {
        let facts = extract("a.rb", "class A\n  # Says hello.\n  def hello; end\nend\n");
        let method = facts.symbols.iter().find(|symbol| symbol.kind == SymbolKind::Method).unwrap();
        assert_eq!(facts.lines_of(method.full_span), (2, 3));
        assert_eq!(facts.lines_of(method.doc_span), (2, 2));
    }

    #[test]
    fn a_qualified_class_has_the_qualifier_in_its_name() {
        let facts = extract("a.rb", "module A\n  class B::C < D::E\n  end\nend\n");
        assert_eq!(facts.symbols[1].qualified_name, "A::B::C");
        assert_eq!(facts.symbols[1].name, "C");
        assert_eq!(uses(&facts, "E"), [Role::Extends]);
        assert_eq!(uses(&facts, "C"), []);
    }
}
