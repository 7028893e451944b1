//! What a name is: decided by the nodes around it, from the inside out.

use cruxe_model::SymbolKind;
use cruxe_model::facts::{BindingKind, Expr, ExprId, Relation, Role, ScopeKind, Span};

use super::{As, Broad, ChildAt, Compiled, Find, Heritage, MAX_STEPS, MAX_VALUE, Syntax, TypeShape};
use crate::build::Decl;
use crate::walk::{Cx, Frame, span};

/// What the nodes around a name say about it.
struct Verdict<'t> {
    what: Option<As>,
    /// Level of the ancestor that decided.
    level: usize,
    /// The bases, innermost first, when the name is that of a member. Only `a::b::c` of C++ has several: there the
    /// name of the outer member is a member itself.
    bases: Vec<Syntax<'t>>,
    /// The type and the value that the declaration, or a declarator on the way to it, gives.
    ty: Option<Syntax<'t>>,
    value: Option<Syntax<'t>>,
    /// Which part of that value it is, where a pattern takes it apart.
    part: Option<usize>,
    /// The role that a node on the way gives by default.
    default: Option<Role>,
    /// The field of the child that the deciding ancestor sees.
    field: u16,
}

impl Broad {
    /// Notes what the name at the current node is used for, or declares or binds it.
    pub(super) fn identifier(&self, cx: &mut Cx) {
        let node = cx.node();
        let text = cx.text_of(&node);
        let table = self.table;
        if [table.self_words, table.super_words, table.keywords].iter().any(|words| words.contains(&text)) {
            if table.class_words.contains(&text) && matches!(self.verdict(cx).what, Some(As::Role(Role::Call))) {
                cx.occurrence(&node, Role::Call, None);
            }
            return;
        }
        let broken = |parent: Syntax| parent.is_error() || table.recover_in.contains(&parent.kind());
        if !table.recover.is_empty() && cx.parent().is_some_and(broken) && self.recover(cx) {
            return;
        }
        let verdict = self.verdict(cx);
        let plain = verdict.default.or(self.rule(node.kind_id()).name).unwrap_or(Role::Value);
        let role = match verdict.what {
            None if self.type_fields.contains(&verdict.field) => Role::Type,
            None | Some(As::Plain | As::Inherit | As::Ask(_)) => plain,
            Some(As::Role(role)) => role,
            Some(As::Nothing) => return,
            Some(As::Super) => self.super_role(cx, verdict.level),
            Some(As::Param) => return self.parameter(cx, &verdict),
            Some(As::Bind(kind)) => return self.bind(cx, kind, &verdict),
            Some(As::Declare(top, member)) => return self.declare_name(cx, top, member, &verdict),
        };
        let mut receiver = verdict.bases.iter().rev().fold(None, |outer, base| Some(self.inside(cx, outer, base)));
        if receiver.is_none() {
            receiver = self.path_before(cx);
        }
        if receiver.is_none() && cx.text[..node.start_byte()].ends_with('.') {
            receiver = (table.implied)(self, cx);
        }
        if role == Role::Key && receiver.is_none() {
            receiver = (table.key_of)(self, cx, verdict.level);
        }
        cx.occurrence(&node, role, receiver);
        if role.is_call()
            && let Some(arguments) = self.passed(cx, verdict.level)
        {
            cx.call(&node, arguments);
        }
    }

    /// The names before the current one in a path whose parts stand side by side: `shop.model` of `shop.model.Order`.
    fn path_before(&self, cx: &mut Cx) -> Option<ExprId> {
        let node = cx.node();
        let parent = cx.parent()?;
        let rule = self.rule(parent.kind_id());
        let outer = cx.ancestor(2).map_or(TypeShape::Unknown, |frame| self.rule(frame.kind).ty);
        // The parts of a namespace are nobody's members.
        if matches!(outer, TypeShape::Path(_)) && rule.default_role.is_none() {
            return None;
        }
        if rule.member.is_some() || rule.name.is_some() || !matches!(rule.ty, TypeShape::Path(_)) {
            return None;
        }
        let mut cursor = parent.walk();
        let mut before: Vec<Syntax> = Vec::new();
        for child in parent.named_children(&mut cursor).take_while(|child| child.start_byte() < node.start_byte()) {
            let rule = self.rule(child.kind_id());
            match rule.ty {
                _ if rule.name.is_some() => before.push(child),
                TypeShape::Path(_) => before.extend(child.named_children(&mut child.walk())),
                _ => {}
            }
        }
        before.iter().fold(None, |outer, part| Some(self.inside(cx, outer, part)))
    }

    /// Declares `Name` of `class Name` where a syntax error hides the class: its extent is unknown, so its symbol covers
    /// only what stands on its line up to the name.
    fn recover(&self, cx: &mut Cx) -> bool {
        let name = span(&cx.node());
        let before = cx.text[..name.start as usize].trim_end();
        let word = before.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        let Some((_, kind)) = self.table.recover.iter().find(|(known, _)| *known == word) else { return false };
        let line = before.rfind('\n').map_or(0, |at| at + 1);
        let start = line + before[line..].len() - before[line..].trim_start().len();
        let whole = Span { start: start as u32, end: name.end };
        let mut decl = Decl::new(*kind, cx.slice(name), name, whole);
        if let Some((word, access)) = self.visibility(&before[line..].split_whitespace().collect::<Vec<_>>()) {
            (decl.visibility, decl.access) = (word, access);
        }
        decl.signature_end = Some(name.end);
        cx.declare(decl);
        true
    }

    /// Asks the nodes around the current one, from the inside out, what it is.
    fn verdict<'t>(&self, cx: &Cx<'_, '_, 't>) -> Verdict<'t> {
        let mut verdict = Verdict {
            what: None,
            level: 0,
            bases: Vec::new(),
            ty: None,
            value: None,
            part: None,
            default: None,
            field: cx.field(),
        };
        for level in 1..=MAX_STEPS {
            let (Some(child), Some(parent)) = (cx.ancestor(level - 1), cx.ancestor(level)) else { break };
            let rule = &self.rules[usize::from(self.kinds.get(parent.kind))];
            if rule.node.member.is_some() && verdict.bases.is_empty() {
                self.collect_bases(cx, level, &mut verdict.bases);
            }
            let mut what = at_place(rule, parent, child);
            for _ in 0..2 {
                if let Some(As::Ask(ask)) = what {
                    what = Some(ask(cx, level));
                }
            }
            if matches!(what, Some(As::Inherit | As::Bind(_) | As::Param | As::Declare(..))) {
                verdict.ty = verdict.ty.or_else(|| rule.node.of_type.find(&parent.node));
                verdict.value = verdict.value.or_else(|| rule.node.of_value.find(&parent.node));
            }
            if (self.table.is_tuple)(&parent.node, &child.node) {
                let mut cursor = parent.node.walk();
                let mut parts = parent.node.named_children(&mut cursor);
                verdict.part = parts.position(|part| part.id() == child.node.id());
            }
            verdict.default = verdict.default.or(rule.node.default_role);
            (verdict.what, verdict.level, verdict.field) = (what, level, child.field);
            if !matches!(verdict.what, Some(As::Inherit)) {
                break;
            }
        }
        verdict
    }

    /// The bases of the member at a level for the child below it.
    fn collect_bases<'t>(&self, cx: &Cx<'_, '_, 't>, level: usize, bases: &mut Vec<Syntax<'t>>) {
        for level in level..=MAX_STEPS {
            let (Some(child), Some(parent)) = (cx.ancestor(level - 1), cx.ancestor(level)) else { return };
            let Some((base, name)) = self.rule(parent.kind).member else { return };
            let is = |other: Option<Syntax>| other.is_some_and(|other| other.id() == child.node.id());
            if is(name.find(&parent.node)) {
                bases.extend(base.find(&parent.node));
            } else if !is(base.find(&parent.node)) || !bases.is_empty() {
                return;
            }
        }
    }

    fn super_role(&self, cx: &Cx, level: usize) -> Role {
        let Some(heritage) = cx.ancestor(level).and_then(|frame| self.rule(frame.kind).heritage) else {
            return Role::Type;
        };
        let relation = match (heritage, level.checked_sub(1).and_then(|level| cx.ancestor(level))) {
            (Heritage::All(relation), _) => relation,
            (Heritage::By(relation), Some(base)) => relation(cx, level, &base.node),
            (Heritage::By(_), None) => Relation::Extends,
        };
        match relation {
            Relation::Extends => Role::Extends,
            Relation::Implements => Role::Implements,
            Relation::SelfType | Relation::Unnamed => Role::Type,
        }
    }

    fn bind(&self, cx: &mut Cx, kind: BindingKind, verdict: &Verdict) {
        let node = cx.node();
        let (ty, mut value) = self.type_and_value(cx, verdict);
        // A part of an element is taken out already.
        let kind = if kind == BindingKind::Element && verdict.part.is_some() { BindingKind::Local } else { kind };
        if kind == BindingKind::Param && ty.is_none() && value.is_none() {
            value = self.expected_parameter(cx);
        }
        let scope = if self.table.function_locals { cx.function_scope() } else { cx.current_scope() };
        cx.bind(&node, scope, kind, ty, value);
    }

    fn type_and_value(&self, cx: &mut Cx, verdict: &Verdict) -> (Option<cruxe_model::facts::TypeId>, Option<ExprId>) {
        let ty = verdict.ty.and_then(|ty| self.type_ref(cx, &ty));
        let mut value = verdict.value.map(|value| self.expr(cx, &value));
        if let Some((mut whole, at)) = value.zip(verdict.part) {
            if matches!(verdict.what, Some(As::Bind(BindingKind::Element))) {
                whole = cx.expr(Expr::Index(whole));
            }
            value = Some(cx.expr(Expr::Part(whole, at as u32)));
        }
        (ty, value.filter(|value| *cx.expr_at(*value) != Expr::Unknown))
    }

    fn parameter<'t>(&self, cx: &mut Cx<'_, '_, 't>, verdict: &Verdict<'t>) {
        let in_type = cx.scope_kind(cx.current_scope()) == ScopeKind::Type;
        if !(in_type && self.declare_value(cx, SymbolKind::Field, verdict)) {
            self.bind(cx, BindingKind::Param, verdict);
        }
    }

    /// Declares the name at the current node: a local variable, or a symbol of the file or of a type.
    fn declare_name<'t>(&self, cx: &mut Cx<'_, '_, 't>, top: SymbolKind, member: SymbolKind, verdict: &Verdict<'t>) {
        match cx.scope_kind(cx.current_scope()) {
            ScopeKind::Function | ScopeKind::Block => self.bind(cx, BindingKind::Local, verdict),
            ScopeKind::Type => drop(self.declare_value(cx, member, verdict)),
            ScopeKind::File | ScopeKind::Module => drop(self.declare_value(cx, top, verdict)),
        }
    }

    fn declare_value<'t>(&self, cx: &mut Cx<'_, '_, 't>, kind: SymbolKind, verdict: &Verdict<'t>) -> bool {
        let name = cx.node();
        let node = cx.ancestor(verdict.level).map_or(name, |frame| frame.node);
        let mut site = self.site(cx, node, name, None);
        site.declarator = cx.parent().filter(|parent| parent.id() != site.node.id());
        let (start, end) = (site.node.start_byte(), site.node.end_byte());
        let value = verdict.value.map(|value| value.start_byte()).filter(|at| {
            *at > start
                && (end - *at > MAX_VALUE || cx.slice(Span { start: *at as u32, end: end as u32 }).contains('\n'))
        });
        let Some(symbol) = self.declare(cx, site, kind, verdict.ty, value.unwrap_or(end) as u32, false) else {
            return false;
        };
        // Where no type is written, the value tells.
        let (ty, value) = self.type_and_value(cx, verdict);
        if ty.is_none() && value.is_some() {
            cx.amend(symbol, |symbol| symbol.value = value);
        }
        true
    }
}

fn at_place(rule: &Compiled, parent: &Frame, child: &Frame) -> Option<As> {
    let is = |other: Option<Syntax>| other.is_some_and(|other| other.id() == child.node.id());
    // `struct x` without a body is a use of the name.
    let used = || rule.node.def.is_some_and(|def| def.needs_body && def.body.find(&parent.node).is_none());
    let found = rule.roles.iter().find(|(place, _)| match place {
        ChildAt::Field(id) => child.field == *id,
        ChildAt::Name(id) => child.field == *id && !used(),
        ChildAt::Kind(kind) => child.node.kind() == *kind,
        ChildAt::FirstKind(kind) => child.node.kind() == *kind && is(Find::Kind(kind).find(&parent.node)),
        ChildAt::LastKind(kind) => child.node.kind() == *kind && is(Find::LastKind(kind).find(&parent.node)),
        ChildAt::First => is(parent.node.named_child(0)),
        ChildAt::Last => is(Find::Last.find(&parent.node)),
        ChildAt::Any => true,
    });
    let by_def = || {
        let def = rule.node.def.filter(|def| !matches!(def.name, Find::Field(_) | Find::Declarator(_)))?;
        is(def.name.find(&parent.node)).then_some(As::Nothing)
    };
    found.map(|(_, what)| *what).or_else(by_def)
}
