//! Parameters of functions and parts of tuples: what a place expects, what a pattern takes out.

use std::rc::Rc;
use std::sync::Arc;

use cruxe_model::SymbolKind;
use cruxe_model::facts::{
    BindingKind, Expr, ExprId, Occurrence, RECEIVER, ScopeId, ScopeKind, SymbolIndex, TypeId, TypeRef,
};

use super::file::{Decl, File};
use super::occurrence::{Certainty, Reason, Resolution};
use super::types::Ty;
use super::{Def, Resolver, Want, foreign};

/// The place of the last parameter, whatever its number.
const LAST: u32 = u32::MAX;

impl Resolver<'_> {
    /// What the parameter at a place of a function takes.
    pub(super) fn parameter(&self, callee: &Ty, at: usize) -> Ty {
        use SymbolKind::*;
        self.deeper(|| match callee {
            Ty::Item(def) => match self.kind(*def) {
                Some(Fn | Method) => self.declared_parameter(*def, at),
                Some(Class) => {
                    let name = self.file(def.version).and_then(|file| file.lang.naming.constructor);
                    let constructors = name.map(|name| self.members_of(*def, name)).unwrap_or_default();
                    constructors.first().map_or(Ty::Unknown, |constructor| self.declared_parameter(*constructor, at))
                }
                _ => Ty::Unknown,
            },
            Ty::Bound(def, base) => {
                let ty = self.declared_parameter(*def, at + self.given_before(*def, base));
                self.on_receiver(&ty, *def, base)
            }
            // The type of a function has its result first, then its receiver.
            Ty::Foreign(name, args) if &**name == "fn" => taken(args.get(1..).unwrap_or_default(), at),
            Ty::Foreign(name, args) if &**name == ".fn" => match at == RECEIVER as usize {
                true => args.get(1).cloned().unwrap_or_default(),
                false => taken(args.get(2..).unwrap_or_default(), at),
            },
            Ty::Foreign(name, args) => foreign::function_parameter(name, args, at).unwrap_or_default(),
            Ty::ForeignMember(base, name) => match self.element(base) {
                // What holds one value or none was taken for the value.
                Ty::Unknown if matches!(**base, Ty::Value(..)) => foreign::passed(base, (**base).clone(), name),
                element => foreign::passed(base, element, name),
            },
            Ty::Value(def, args) => self.signature_parameter(*def, args, at),
            Ty::Union(types) => Ty::union(types.iter().map(|ty| self.parameter(ty, at))),
            _ => Ty::Unknown,
        })
    }

    /// What a callee takes at a place.
    pub(super) fn argument_type(&self, file: &Arc<File>, callee: ExprId, at: u32, offset: u32, whole: ExprId) -> Ty {
        let inner = |id: ExprId| self.deeper(|| self.read_expr(file, id, offset, whole));
        let callee = match file.facts.exprs.get(callee.0 as usize) {
            Some(Expr::Name(name)) => self.name_type(file, file.facts.name(*name), offset, whole),
            Some(Expr::Member(base, name)) => {
                self.member_type(&inner(*base), file.facts.name(*name), file.lang, Want::Any)
            }
            Some(Expr::Argument(function, _)) if !file.lang.is_deep() => match inner(callee) {
                ty if is_function(&ty) => ty,
                // Behind the parentheses stands what the last parameter takes, whatever is left out before it.
                ty => match self.deeper(|| self.argument_type(file, *function, LAST, offset, whole)) {
                    last if is_function(&last) => last,
                    _ => ty,
                },
            },
            _ => inner(callee),
        };
        let ty = self.parameter(&callee, at as usize);
        self.as_declared(file, offset, &callee, ty)
    }

    /// How many parameters what stands before the dot takes the place of.
    fn given_before(&self, def: Def, base: &Ty) -> usize {
        let is_value = !matches!(base, Ty::Item(_));
        let explicit = |file: &Arc<File>, symbol: &cruxe_model::facts::Symbol| {
            file.lang.naming.explicit_self && !symbol.flags.associated
        };
        usize::from(is_value && self.with(def, explicit).unwrap_or(false))
    }

    /// What the name of an argument means: a parameter, or the field of a class whose constructor is made from its fields.
    pub(super) fn resolve_argument(&self, file: &Arc<File>, at: &Occurrence, name: &str, callee: ExprId) -> Resolution {
        let (def, constructor) = match self.expr_type(file, callee, at.start) {
            Ty::Item(def) if self.kind(def) == Some(SymbolKind::Class) => {
                let word = file.lang.naming.constructor.unwrap_or_default();
                (def, self.members_of(def, word).first().copied())
            }
            Ty::Item(def) | Ty::Bound(def, _) => (def, Some(def)),
            _ => return Resolution::Unresolved(Reason::Key),
        };
        match constructor {
            Some(function) if self.has_parameter(function, name) => Resolution::Local,
            Some(_) => Resolution::Unresolved(Reason::Key),
            None => {
                let mut fields = self.members_of(def, name);
                fields.retain(|field| self.kind(*field) == Some(SymbolKind::Field));
                match fields.is_empty() {
                    true => Resolution::Unresolved(Reason::Key),
                    false => Resolution::Defs(fields, Certainty::Static),
                }
            }
        }
    }

    fn has_parameter(&self, def: Def, name: &str) -> bool {
        let Some(file) = self.file(def.version) else { return false };
        let Some(scope) = file.scope_of(def.symbol, ScopeKind::Function) else { return false };
        let is_parameter = |decl| matches!(decl, Decl::Binding(at) if file.binding(at).kind == BindingKind::Param);
        file.declared(scope, name).any(is_parameter)
    }

    fn declared_parameter(&self, def: Def, at: usize) -> Ty {
        let Some(file) = self.file(def.version) else { return Ty::Unknown };
        let Some(scope) = file.scope_of(def.symbol, ScopeKind::Function) else { return Ty::Unknown };
        self.scope_parameter(&file, scope, at)
    }

    /// The parameter at a place of the function that opens a scope.
    fn scope_parameter(&self, file: &Arc<File>, scope: ScopeId, at: usize) -> Ty {
        let mut whole: Vec<(Option<ExprId>, u32)> = Vec::new();
        for (index, binding) in file.facts.bindings.iter().enumerate() {
            if binding.scope != scope || binding.kind != BindingKind::Param {
                continue;
            }
            // The names of one destructured parameter have one value in common.
            let root =
                if binding.ty.is_none() { binding.value.and_then(|value| typed_root(file, value)) } else { None };
            if root.is_some() && whole.last().is_some_and(|(last, _)| *last == root) {
                continue;
            }
            whole.push((root, index as u32));
        }
        let at = if at == LAST as usize { whole.len().saturating_sub(1) } else { at };
        let Some((root, index)) = whole.get(at).or(whole.last()) else { return Ty::Unknown };
        let binding = file.binding(*index);
        // Beyond the last parameter stands what that one takes, if it takes the rest.
        let beyond = (at + 1).saturating_sub(whole.len());
        let rest = binding.ty.and_then(|ty| rest_part(file, ty, beyond));
        match (root, rest, binding.ty) {
            (_, Some(part), _) => self.type_of(file, part, binding.start),
            _ if beyond > 0 => Ty::Unknown,
            (Some(root), ..) => self.expr_type(file, *root, binding.start),
            (None, _, Some(ty)) => self.type_of(file, ty, binding.start),
            (None, _, None) => Ty::Unknown,
        }
    }

    /// The parameter of a type that can be called: an interface with signatures, a class's values elsewhere.
    fn signature_parameter(&self, def: Def, args: &Rc<[Ty]>, at: usize) -> Ty {
        let Some(file) = self.file(def.version) else { return Ty::Unknown };
        let symbol = file.symbol(def.symbol);
        if !matches!(symbol.kind, SymbolKind::Interface | SymbolKind::Type) {
            return Ty::Unknown;
        }
        let Some(own) = file.scope_of(def.symbol, ScopeKind::Type) else { return Ty::Unknown };
        let mut found = Vec::new();
        for (index, scope) in file.facts.scopes.iter().enumerate().skip(own.0 as usize + 1) {
            if scope.span.start >= symbol.span.end || found.len() > 32 {
                break;
            }
            let id = ScopeId(index as u32);
            let direct = scope.kind == ScopeKind::Function && file.nesting.scope_parent(id) == Some(own);
            // A method's scope belongs to the method.
            let inside = file.nesting.enclosing_symbol(&file.facts, scope.span.start);
            if direct && inside == Some(def.symbol) {
                found.push(self.scope_parameter(&file, id, at));
            }
        }
        let params = self.type_params(&file, def.symbol);
        self.replace(&Ty::union(found), &params, args, 0)
    }

    /// A type that a call of a generic function expects somewhere, with the function's type parameters as the variable says
    /// that the call makes: `Row` for the `T` of `make<T>(init: (row: T) => void): Maker<T>` in `const m: Maker<Row> = …`.
    pub(super) fn as_declared(&self, file: &Arc<File>, offset: u32, callee: &Ty, ty: Ty) -> Ty {
        if !mentions_param(&ty) {
            return ty;
        }
        let variable = file.nesting.symbols_around(&file.facts, offset).next().map(|at| file.symbol(at));
        let data = |kind| matches!(kind, SymbolKind::Const | SymbolKind::Variable | SymbolKind::Field);
        let Some((symbol, written)) = variable.and_then(|symbol| Some((symbol, symbol.ty?))) else { return ty };
        if !data(symbol.kind) {
            return ty;
        }
        let Ty::Value(made, given) = self.type_of(file, written, symbol.name_span.start) else { return ty };
        for callee in callee.alternatives() {
            let (Ty::Item(def) | Ty::Bound(def, _)) = callee else { continue };
            let Ty::Value(result, args) = self.symbol_type(*def) else { continue };
            if result == made {
                return self.replace(&ty, &args, &given, 0);
            }
        }
        ty
    }

    /// A part of a tuple, or of what a variant or structure without named fields holds.
    pub(super) fn part(&self, ty: &Ty, at: usize) -> Ty {
        match ty {
            Ty::Foreign(name, args) => match &**name {
                "()" | "tuple" | "Tuple" => args.get(at).cloned().unwrap_or_default(),
                "[]" | "list" | "List" | "Vec" => args.get(at).or(args.first()).cloned().unwrap_or_default(),
                _ if at == 0 => ty.clone(),
                _ => Ty::Unknown,
            },
            Ty::Value(def, args) => {
                let held = self.with(*def, |file, symbol| {
                    let tuple = symbol.ty.map(|ty| self.type_of(file, ty, symbol.name_span.start));
                    (tuple, self.type_params(file, def.symbol))
                });
                match held {
                    Some((Some(tuple @ Ty::Foreign(..)), params)) if is_tuple(&tuple) => {
                        let part = self.part(&tuple, at);
                        self.replace(&part, &params, args, 0)
                    }
                    _ if at == 0 => ty.clone(),
                    _ => Ty::Unknown,
                }
            }
            Ty::Union(types) => Ty::union(types.iter().map(|ty| self.part(ty, at))),
            _ if at == 0 => ty.clone(),
            _ => Ty::Unknown,
        }
    }
}

/// Whether a type is that of a function.
fn is_function(ty: &Ty) -> bool {
    let function =
        |name: &str, args| matches!(name, "fn" | ".fn") || foreign::function_parameter(name, args, 0).is_some();
    ty.alternatives().iter().any(|ty| matches!(ty, Ty::Foreign(name, args) if function(name, args)))
}

/// What a function takes at a place, by the types of its parameters: the last one may take the rest, as a list or a tuple.
fn taken(params: &[Ty], at: usize) -> Ty {
    let is_rest = |ty: &Ty| matches!(ty, Ty::Foreign(name, _) if &**name == "...");
    let last = params.len().saturating_sub(1);
    match params.get(at).or(params.last().filter(|last| is_rest(last))) {
        Some(Ty::Foreign(name, list)) if &**name == "..." => match list.first() {
            Some(Ty::Foreign(_, parts)) => parts.get(at - last.min(at)).or(parts.first()).cloned().unwrap_or_default(),
            _ => Ty::Unknown,
        },
        Some(ty) => ty.clone(),
        None => Ty::Unknown,
    }
}

/// What a rest parameter of a written type takes at one of its places; a list takes the same at each, a tuple its parts. Only
/// that part is ever looked at: overloads with tuples of ten handlers are many types.
fn rest_part(file: &File, ty: TypeId, at: usize) -> Option<TypeId> {
    let written = |id: TypeId| file.facts.types.get(id.0 as usize);
    let is = |ty: &TypeRef, word: &str| matches!(ty.path[..], [name] if file.facts.name(name) == word);
    let list = written(ty).filter(|ty| is(ty, "..."))?.args.first().copied()?;
    let parts = &written(list).filter(|ty| is(ty, "[]"))?.args;
    parts.get(at).or(parts.first()).copied()
}

fn is_tuple(ty: &Ty) -> bool {
    matches!(ty, Ty::Foreign(name, _) if &**name == "()")
}

/// The typed value that a chain of members and elements starts from.
fn typed_root(file: &File, value: ExprId) -> Option<ExprId> {
    let mut at = value;
    for _ in 0..8 {
        match file.facts.exprs.get(at.0 as usize)? {
            Expr::Member(base, _) | Expr::Index(base) | Expr::Part(base, _) => at = *base,
            Expr::Typed(_) => return Some(at),
            _ => return None,
        }
    }
    None
}

/// Whether a type parameter is a part of a type.
fn mentions_param(ty: &Ty) -> bool {
    match ty {
        Ty::Param(..) => true,
        Ty::Indexed(base, _) => mentions_param(base),
        Ty::Value(_, parts) | Ty::Foreign(_, parts) | Ty::Union(parts) => parts.iter().any(mentions_param),
        Ty::Shape(members) => members.iter().any(|(_, ty)| mentions_param(ty)),
        _ => false,
    }
}

/// What every enum of Java, Kotlin and Swift has: the list of its variants.
pub(super) fn variants_of(def: Def, name: &str) -> Ty {
    let list = || Ty::foreign("[]", vec![Ty::value(def)]);
    match name {
        "values" => Ty::foreign("fn", vec![list()]),
        "entries" | "allCases" => list(),
        _ => Ty::Unknown,
    }
}

/// Whether a table has fields or functions that are written down.
pub(super) fn holds_something(file: &File, table: SymbolIndex) -> bool {
    let whole = &file.symbol(table).qualified_name;
    let inside = |name: &str| name.strip_prefix(whole.as_str()).is_some_and(|rest| rest.starts_with('.'));
    file.facts.symbols.iter().any(|symbol| inside(&symbol.qualified_name))
}

/// What the type parameters of an extension are on a receiver: `T` of `fun <T> T.also()`, of `fun <T> List<T>.last()`.
pub(super) fn bind_params(of: &Ty, base: &Ty, params: &mut Vec<Ty>, args: &mut Vec<Ty>) {
    match (of, base) {
        (Ty::Param(..), base) => {
            params.push(of.clone());
            args.push(base.clone());
        }
        (Ty::Value(one, of), Ty::Value(other, given)) if one == other => {
            of.iter().zip(given.iter()).for_each(|(of, given)| bind_params(of, given, params, args));
        }
        (Ty::Foreign(_, of), Ty::Foreign(_, given)) if of.len() == given.len() => {
            of.iter().zip(given.iter()).for_each(|(of, given)| bind_params(of, given, params, args));
        }
        _ => {}
    }
}
