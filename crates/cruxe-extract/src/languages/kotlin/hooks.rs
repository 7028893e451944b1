//! What the table of Kotlin cannot say.

use std::borrow::Cow;

use cruxe_model::SymbolKind::{Const, Enum, Fn, Interface, Method, Variable};
use cruxe_model::facts::{Access, Binding, BindingKind, Expr, ExprId, RECEIVER, Relation, Role, ScopeKind, Span};

use crate::build::Decl;
use crate::languages::broad::narrow::{Says, Test, tests};
use crate::languages::broad::{As, Broad, Find, Imported, Shape, Site, Syntax, operators};
use crate::walk::{Cx, Walk, span};

pub(super) const TYPES: &[&str] =
    &["user_type", "nullable_type", "function_type", "non_nullable_type", "parenthesized_type"];

pub(super) fn refine<'s, 't>(_: &mut Cx<'_, 's, 't>, site: &mut Site<'s, 't>, decl: &mut Decl<'s>) -> bool {
    match site.node.kind() {
        "class_declaration" if site.has("interface") => decl.kind = Interface,
        "class_declaration" if site.has("enum") => decl.kind = Enum,
        "companion_object" if decl.name == "companion" => decl.name = Cow::Borrowed("Companion"),
        // Only `val` and `var` make a parameter of the primary constructor a member.
        "class_parameter" if !site.has("val") && !site.has("var") => return false,
        "function_declaration" | "property_declaration" => {
            if site.has("const") || (decl.kind == Variable && site.has("val")) {
                decl.kind = Const;
            }
            if let Some(receiver) = receiver(&site.node, site.name.start_byte()) {
                site.heritage.push((Relation::SelfType, receiver));
            }
            let accessor = Find::Kinds(&["getter", "setter"]).find(&site.node).map(|at| at.start_byte() as u32);
            decl.signature_end = decl.signature_end.into_iter().chain(accessor).min();
        }
        _ => {}
    }
    if decl.kind == Fn && site.member {
        decl.kind = Method;
    }
    if decl.name.starts_with('`') {
        decl.name = Cow::Owned(decl.name.trim_matches('`').to_owned());
    }
    if decl.access == Access::Unknown {
        decl.access = Access::Public;
    }
    true
}

/// Works around two faults of the grammar's scanner, see [`end_of_annotations`] and [`join_constructors`].
pub(super) fn prepare(text: &str) -> Cow<'_, str> {
    let joined = join_constructors(text);
    match end_of_annotations(&joined) {
        Some(at) => Cow::Owned(format!("{}{}", &joined[..at], " ".repeat(joined.len() - at))),
        None => joined,
    }
}

/// A primary constructor on a line of its own is not recognised when modifiers stand between its annotation and the
/// word `constructor`, and everything behind it is lost. Joined with the line before it is.
fn join_constructors(text: &str) -> Cow<'_, str> {
    let mut joints: Vec<usize> = Vec::new();
    for (at, _) in text.match_indices(" constructor(") {
        let Some(end) = text[..at].rfind('\n') else { continue };
        let before = &text[text[..end].rfind('\n').map_or(0, |at| at + 1)..end];
        if text[end..at].trim_start().starts_with('@') && before.contains("class ") && !before.contains('{') {
            joints.push(end);
        }
    }
    if joints.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut bytes = text.as_bytes().to_vec();
    joints.iter().for_each(|at| bytes[*at] = b' ');
    String::from_utf8(bytes).map_or(Cow::Borrowed(text), Cow::Owned)
}

/// Where an annotation begins that the end of the file cuts short: the scanner looks for the white space behind an
/// annotation and never stops when there is none.
fn end_of_annotations(text: &str) -> Option<usize> {
    let line = text.rfind('\n').map_or(0, |at| at + 1);
    let endless = |at: &usize| {
        let mut inside = false;
        text[*at..].chars().all(|c| {
            let more = if inside { true } else { !c.is_whitespace() };
            inside = (inside || c == '(') && c != ')';
            more
        })
    };
    let word_start = |at: &usize| *at == line || text[..*at].ends_with(char::is_whitespace);
    let mut annotations = text[line..].match_indices('@').map(|(at, _)| line + at);
    annotations.find(|at| word_start(at) && endless(at))
}

/// The type before the name of an extension.
fn receiver<'t>(node: &Syntax<'t>, name: usize) -> Option<Syntax<'t>> {
    let mut cursor = node.walk();
    let before = node.named_children(&mut cursor).take_while(|child| child.start_byte() < name);
    before.filter(|child| TYPES.contains(&child.kind())).last()
}

/// The type behind the parameters.
pub(super) fn result<'t>(node: &Syntax<'t>) -> Option<Syntax<'t>> {
    let parameters = Find::Kind("function_value_parameters").find(node)?.end_byte();
    let mut cursor = node.walk();
    let mut after = node.named_children(&mut cursor).filter(|child| child.start_byte() >= parameters);
    after.find(|child| TYPES.contains(&child.kind()))
}

/// The value of a property, or what its getter gives.
pub(super) fn value<'t>(node: &Syntax<'t>) -> Option<Syntax<'t>> {
    let mut cursor = node.walk();
    let mut after =
        node.named_children(&mut cursor).skip_while(|child| !child.kind().ends_with("variable_declaration"));
    after.next()?;
    let written = after.find(|child| {
        !matches!(child.kind(), "getter" | "setter" | "type_constraints" | "line_comment" | "block_comment")
    });
    written.or_else(|| expression_body(&Find::Kind("getter").find(node)?))
}

/// What a function gives whose body is one expression: `fun f() = x`.
pub(super) fn expression_body<'t>(node: &Syntax<'t>) -> Option<Syntax<'t>> {
    let body = Find::Kind("function_body").find(node)?;
    body.named_child(0).filter(|value| value.kind() != "block")
}

/// What a lazy property is: `by lazy { x }`.
pub(super) fn lazy_value<'t>(node: &Syntax<'t>) -> Option<Syntax<'t>> {
    let call = node.named_child(0).filter(|call| call.kind() == "call_expression")?;
    let plain =
        call.named_child(0).is_some_and(|callee| callee.kind() == "identifier" && callee.byte_range().len() == 4);
    let lambda = Find::Last.find(&call).filter(|_| plain)?;
    let literal = if lambda.kind() == "annotated_lambda" { Find::Last.find(&lambda)? } else { lambda };
    Find::Last.find(&literal).filter(|_| literal.kind() == "lambda_literal")
}

/// `a ?: b` is what `a` is.
pub(super) fn either(node: &Syntax) -> Shape {
    let operator = node.child_by_field_name("operator").map_or("", |operator| operator.kind());
    if operator == "?:" { Shape::Inner(Find::Field("left")) } else { Shape::Unknown }
}

/// The function behind each sign, see [`operator`].
pub(super) const METHODS: &[(&str, &str)] = &[
    ("+", "plus"),
    ("-", "minus"),
    ("*", "times"),
    ("/", "div"),
    ("%", "rem"),
    ("+=", "plusAssign"),
    ("-=", "minusAssign"),
    ("*=", "timesAssign"),
    ("/=", "divAssign"),
    ("%=", "remAssign"),
    ("==", "equals"),
    ("<", "compareTo"),
    ("[]", "get"),
];

/// `a + b`: noted by its sign, because the functions are called like many others.
pub(super) fn operator(rules: &Broad, cx: &mut Cx) -> Option<Walk> {
    operators::infix(rules, cx, ["left", "operator", "right"], |sign| match sign {
        "!=" => Some("=="),
        ">" | "<=" | ">=" => Some("<"),
        "?:" => None,
        sign => operators::itself(sign),
    })
}

/// `a[b]`.
pub(super) fn subscript(rules: &Broad, cx: &mut Cx) -> Option<Walk> {
    let node = cx.node();
    let base = node.named_child(0)?;
    let bracket = cx.text[base.end_byte()..node.end_byte()].find('[')?;
    let receiver = rules.expr(cx, &base);
    cx.operator("[]", (base.end_byte() + bracket) as u32, receiver, None);
    None
}

/// `this`, `this@Outer`, `this@run`: a value of the class, what the lambda that is passed to the function works on, or what the
/// function extends that is called so.
pub(super) fn own_value(rules: &Broad, cx: &mut Cx, node: &Syntax) -> Expr {
    let Some(label) = node.named_child(0) else { return Expr::SelfValue };
    let text = cx.text_of(&label);
    if text.starts_with(char::is_uppercase) {
        return rules.type_ref(cx, &label).map_or(Expr::Unknown, Expr::Typed);
    }
    for level in 1.. {
        let Some(frame) = cx.ancestor(level) else { break };
        let node = frame.node;
        match node.kind() {
            "lambda_literal"
                if passed_to(cx, level).is_some_and(|(callee, _)| cx.text_of(&name_of(&callee)) == text) =>
            {
                return worked_on_at(rules, cx, level).map_or(Expr::Unknown, |value| cx.expr_at(value).clone());
            }
            "function_declaration" => {
                let name = node.child_by_field_name("name").filter(|name| cx.text_of(name) == text);
                if let Some(of) = name.and_then(|name| receiver(&node, name.start_byte())) {
                    return rules.type_ref(cx, &of).map_or(Expr::Unknown, Expr::Typed);
                }
            }
            _ => {}
        }
    }
    Expr::Unknown
}

/// The label of `this@Outer` names the class.
pub(super) fn label(cx: &Cx, _: usize) -> As {
    if cx.text_of(&cx.node()).starts_with(char::is_uppercase) { As::Role(Role::Mention) } else { As::Nothing }
}

/// The type before the dot of `T.() -> Unit`.
pub(super) fn worked_on<'t>(node: &Syntax<'t>) -> Option<Syntax<'t>> {
    let taken = Find::Kind("function_type_parameters").find(node)?.start_byte();
    Find::Kinds(TYPES).find(node).filter(|receiver| receiver.end_byte() <= taken)
}

pub(super) fn companion_name<'t>(node: &Syntax<'t>) -> Option<Syntax<'t>> {
    node.child_by_field_name("name").or_else(|| word(node, "companion"))
}

pub(super) fn constructor_word<'t>(node: &Syntax<'t>) -> Option<Syntax<'t>> {
    word(node, "constructor")
}

fn word<'t>(node: &Syntax<'t>, kind: &str) -> Option<Syntax<'t>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).find(|child| child.kind() == kind)
}

/// A super class is called (`Base()`), an interface is not.
pub(super) fn relation<'t>(cx: &Cx<'_, '_, 't>, level: usize, base: &Syntax<'t>) -> Relation {
    let interface = cx.ancestor(level + 1).is_some_and(|class| word(&class.node, "interface").is_some());
    let called = Find::Kind("constructor_invocation").find(base).is_some();
    if interface || called { Relation::Extends } else { Relation::Implements }
}

/// What stands before `::`.
pub(super) fn referred<'t>(node: &Syntax<'t>) -> Option<Syntax<'t>> {
    node.named_child(0).filter(|_| node.named_child_count() > 1)
}

/// What a condition says about names: `x is Foo`, `x is Foo && x.bar`.
fn says<'t>(node: &Syntax<'t>) -> Says<'t> {
    let (left, right) = (node.child_by_field_name("left"), node.child_by_field_name("right"));
    match (node.kind(), left, right) {
        ("is_expression", Some(name), Some(ty)) if name.kind() == "identifier" && word(node, "is").is_some() => {
            Says::Test(Test { name, ty })
        }
        ("binary_expression", Some(left), Some(right)) if word(node, "&&").is_some() => Says::All(vec![left, right]),
        ("parenthesized_expression", ..) => Says::All(node.named_child(0).into_iter().collect()),
        _ => Says::Nothing,
    }
}

/// The block of `if (x is Foo) { … }`.
pub(super) fn tested_block(rules: &Broad, cx: &mut Cx) -> Option<Walk> {
    let (node, outer) = (cx.node(), cx.parent()?);
    let condition = outer.child_by_field_name("condition").filter(|_| outer.kind() == "if_expression")?;
    if condition.next_named_sibling() != Some(node) {
        return None;
    }
    cx.open_scope(ScopeKind::Block);
    rules.narrow(cx, &tests(condition, says), cx.current_scope());
    Some(Walk::Into)
}

/// `is Foo -> …` in `when (x) { … }`.
pub(super) fn tested_entry(rules: &Broad, cx: &mut Cx) -> Option<Walk> {
    let (node, outer) = (cx.node(), cx.parent()?);
    let subject = Find::Kind("when_subject").find(&outer)?;
    let name = match Find::Kind("variable_declaration").find(&subject) {
        Some(declared) => declared.named_child(0)?,
        None => subject.named_child(0)?,
    };
    let mut cursor = node.walk();
    let conditions: Vec<Syntax> = node.children_by_field_name("condition", &mut cursor).collect();
    let [test] = conditions[..] else { return None };
    let ty = Find::Last.find(&test).filter(|_| test.kind() == "type_test" && word(&test, "is").is_some())?;
    cx.open_scope(ScopeKind::Block);
    if name.kind() == "identifier" {
        rules.narrow(cx, &[Test { name, ty }], cx.current_scope());
    }
    Some(Walk::Into)
}

/// Behind `if (x !is Foo) return` it is one.
pub(super) fn left_otherwise(rules: &Broad, cx: &mut Cx) -> Option<Walk> {
    let node = cx.node();
    let condition = node.child_by_field_name("condition").filter(|at| at.kind() == "is_expression")?;
    let (name, ty) = (condition.child_by_field_name("left")?, condition.child_by_field_name("right")?);
    let negated = word(&condition, "is").is_none() && name.kind() == "identifier";
    let branch = condition.next_named_sibling().filter(|_| negated && node.named_child_count() == 2)?;
    let last = if branch.kind() == "block" { Find::Last.find(&branch)? } else { branch };
    let text = cx.text_of(&last);
    if ["return", "throw", "continue", "break"].iter().any(|word| text.starts_with(word)) {
        rules.narrow(cx, &[Test { name, ty }], cx.current_scope());
    }
    None
}

/// `to` of `a to b` is called.
pub(super) fn infix(cx: &Cx, level: usize) -> As {
    let (node, child) = (cx.ancestor(level), level.checked_sub(1).and_then(|level| cx.ancestor(level)));
    let operator = node.and_then(|frame| frame.node.named_child(1));
    let called = operator.is_some_and(|operator| child.is_some_and(|child| child.node.id() == operator.id()));
    if called { As::Role(Role::Call) } else { As::Plain }
}

/// Functions of the standard library inside whose lambda the receiver's members are seen by their plain names.
const RECEIVERS: &[&str] = &["apply", "run", "with"];

/// A lambda without parameters has `it`; it may work on a value of its own.
pub(super) fn lambda(rules: &Broad, cx: &mut Cx) -> Option<Walk> {
    let node = cx.node();
    let parameters = Find::Kind("lambda_parameters").find(&node).is_some() || node.kind() == "anonymous_function";
    let uses_it = !parameters && has_word(cx.text_of(&node), "it");
    let first = if uses_it { rules.expected_first(cx) } else { None };
    let receiver = worked_on_at(rules, cx, 0);
    cx.open_scope(ScopeKind::Function);
    let (start, scope) = (node.start_byte() as u32, cx.current_scope());
    if uses_it {
        cx.bind_unwritten("it", start, scope, first);
    }
    if receiver.is_some() {
        let name = cx.name("this");
        cx.rebind(Binding { name, start, scope, kind: BindingKind::Local, ty: None, value: receiver });
    }
    Some(Walk::Into)
}

fn has_word(text: &str, word: &str) -> bool {
    let inside = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word)
        .any(|(at, _)| !text[..at].ends_with(inside) && !text[at + word.len()..].starts_with(inside))
}

/// What the lambda at a level works on: `x` of `x.apply { … }` and of `with(x) { … }`, else what the function says that it is
/// passed to.
fn worked_on_at(rules: &Broad, cx: &mut Cx, level: usize) -> Option<ExprId> {
    if let Some((callee, arguments)) = passed_to(cx, level)
        && RECEIVERS.contains(&cx.text_of(&name_of(&callee)))
    {
        let base = match callee.kind() {
            "navigation_expression" => callee.named_child(0),
            _ => arguments.and_then(|list| list.named_child(0)?.named_child(0)),
        };
        return base.map(|base| rules.expr(cx, &base));
    }
    let expected = rules.expected(cx, level)?;
    Some(cx.expr(Expr::Argument(expected, RECEIVER)))
}

/// The callee that the lambda at a level stands behind, with its other arguments.
fn passed_to<'t>(cx: &Cx<'_, '_, 't>, level: usize) -> Option<(Syntax<'t>, Option<Syntax<'t>>)> {
    let outer = (level + 1..=level + 2).filter_map(|level| cx.ancestor(level));
    let call = outer.map(|frame| frame.node).find(|node| node.kind() == "call_expression")?;
    let callee = call.named_child(0)?;
    // `f(x) { … }` is a call of the call `f(x)` for some versions of the grammar.
    let (callee, call) =
        if callee.kind() == "call_expression" { (callee.named_child(0)?, callee) } else { (callee, call) };
    let called = matches!(callee.kind(), "navigation_expression" | "identifier");
    called.then(|| (callee, Find::Kind("value_arguments").find(&call)))
}

/// The name of what is called.
fn name_of<'t>(callee: &Syntax<'t>) -> Syntax<'t> {
    Find::Last.find(callee).unwrap_or(*callee)
}

/// What a named argument is a property of: `Line(price = 1)`, `line.copy(price = 1)`.
pub(super) fn key_of(rules: &Broad, cx: &mut Cx, level: usize) -> Option<ExprId> {
    let call = cx.ancestor(level + 2)?.node;
    let callee = call.named_child(0).filter(|_| matches!(call.kind(), "call_expression" | "constructor_invocation"))?;
    match callee.kind() {
        "navigation_expression" if Find::Last.find(&callee).is_some_and(|name| cx.text_of(&name) == "copy") => {
            let base = callee.named_child(0)?;
            Some(rules.expr(cx, &base))
        }
        "identifier" if cx.text_of(&callee) == "copy" => Some(cx.expr(Expr::SelfValue)),
        "user_type" => {
            let ty = rules.type_ref(cx, &callee)?;
            Some(cx.expr(Expr::Typed(ty)))
        }
        _ if cx.text_of(&callee).rsplit('.').next().is_some_and(|name| name.starts_with(char::is_uppercase)) => {
            let made = rules.expr(cx, &callee);
            Some(cx.expr(Expr::Call(made)))
        }
        _ => None,
    }
}

/// `name` of `f(name = 1)`.
pub(super) fn argument(cx: &Cx, level: usize) -> As {
    let named = cx.ancestor(level).is_some_and(|frame| frame.node.named_child_count() > 1);
    if named { As::Role(Role::Key) } else { As::Plain }
}

pub(super) fn package(_: &Broad, cx: &mut Cx) -> Option<Walk> {
    if let Some(path) = cx.node().named_child(0) {
        let module: String = cx.text_of(&path).split_whitespace().collect();
        cx.set_module(module);
    }
    Some(Walk::Skip)
}

/// `import a.b.c`, `import a.b.c as d`, `import a.b.*`.
pub(super) fn import(rules: &Broad, cx: &mut Cx) -> Option<Walk> {
    let node = cx.node();
    let path = Find::Kind("qualified_identifier").find(&node).or_else(|| node.named_child(0))?;
    let text = cx.text_of(&path);
    let glob = word(&node, "*").is_some();
    let alias = node.named_child(1).map(|alias| cx.text_of(&alias));
    let (module, last) = text.rsplit_once('.').unwrap_or(("", text));
    let end = span(&path).end;
    outer_classes(cx, span(&path).start, if glob { text } else { module });
    rules.import(
        cx,
        Imported {
            path: if glob { format!("{text}.*").into() } else { text.into() },
            module: if glob { text } else { module }.into(),
            name: (!glob).then_some(last),
            alias,
            glob,
            reexport: false,
            at: Span { start: end - last.len() as u32, end },
        },
    );
    Some(Walk::Skip)
}

/// The classes on the way to what is imported are used: `Url` of `import net.Url.Companion.parse`.
fn outer_classes(cx: &mut Cx, start: u32, path: &str) {
    let (mut receiver, mut at) = (None, start);
    for part in path.split('.') {
        let here = cx.slice(Span { start: at, end: at + part.len() as u32 });
        if here != part {
            return; // a path with blanks in it
        }
        if part.starts_with(char::is_uppercase) && part != "Companion" {
            cx.occurrence_at(here, at, Role::Type, receiver);
        }
        let name = cx.name(here);
        receiver = Some(cx.expr(receiver.map_or(Expr::Name(name), |base| Expr::Member(base, name))));
        at += part.len() as u32 + 1;
    }
}

/// The grammar gives `$name` in a string as plain text: a piece `$` and a piece that begins with the name.
pub(super) fn string(_: &Broad, cx: &mut Cx) -> Option<Walk> {
    let node = cx.node();
    let mut cursor = node.walk();
    let mut dollar = false;
    for piece in node.named_children(&mut cursor).filter(|piece| piece.kind() == "string_content") {
        let text = cx.text_of(&piece);
        if dollar && text.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(text.len());
            if &text[..end] != "this" {
                cx.occurrence_at(&text[..end], piece.start_byte() as u32, Role::Value, None);
            }
        }
        dollar = text == "$";
    }
    None
}
