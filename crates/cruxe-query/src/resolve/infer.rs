//! The type of an expression, from what is written: declarations, values, results.

use std::rc::Rc;
use std::sync::Arc;

use cruxe_extract::naming::{Locals, Members, System};
use cruxe_model::SymbolKind;
use cruxe_model::facts::{BindingKind, Expr, ExprId, Relation, SymbolIndex, TESTED};

use super::file::{File, Lang};
use super::foreign;
use super::modules;
use super::modules::spaces::path_of;
use super::parts::{bind_params, holds_something, variants_of};
use super::types::{Ty, has_members};
use super::{Def, Entity, Resolver, Space, Want};

impl Resolver<'_> {
    /// The type of an expression that stands at an offset.
    pub(super) fn expr_type(&self, file: &Arc<File>, id: ExprId, offset: u32) -> Ty {
        self.deeper(|| self.read_expr(file, id, offset, id))
    }

    pub(super) fn read_expr(&self, file: &Arc<File>, id: ExprId, offset: u32, whole: ExprId) -> Ty {
        let Some(expr) = file.facts.exprs.get(id.0 as usize) else { return Ty::Unknown };
        let inner = |id: ExprId| self.deeper(|| self.read_expr(file, id, offset, whole));
        match expr {
            Expr::Name(name) => self.read(self.name_type(file, file.facts.name(*name), offset, whole), file.lang),
            Expr::SelfValue => modules::rules(file).self_value(self, file, offset),
            Expr::Super => modules::rules(file).super_value(self, file, offset),
            Expr::Member(base, name) => {
                if let Some(tested) = self.tested_path(file, id, offset) {
                    return tested;
                }
                let name = file.facts.name(*name);
                let base_type = self.before_member(file, *base, offset, whole);
                let ty = self.member_type(&base_type, name, file.lang, Want::Read);
                match ty {
                    // `x[KEY]` is an element where no member is called so.
                    Ty::Unknown | Ty::ForeignMember(..) if name.starts_with('[') => self.element(&base_type),
                    Ty::Unknown | Ty::Outside | Ty::Missing => {
                        self.named_by_path(file, *base, name, offset).unwrap_or(ty)
                    }
                    ty => self.read(ty, file.lang),
                }
            }
            Expr::Call(callee) => {
                let callee = match file.facts.exprs.get(callee.0 as usize) {
                    Some(Expr::Name(name)) => {
                        let name = file.facts.name(*name);
                        match self.name_type(file, name, offset, whole) {
                            // Nothing in sight is called so: `set(xs)` is a set.
                            Ty::Outside if file.lang.naming.builtin_types.contains(&name) => {
                                return Ty::foreign(name, Vec::new());
                            }
                            // What is imported and not there gives nothing that a name alone could tell.
                            Ty::Missing if file.lang.naming.system == System::Python => return Ty::Missing,
                            ty => ty,
                        }
                    }
                    Some(Expr::Member(base, name)) => {
                        let base_type = self.before_member(file, *base, offset, whole);
                        let name = file.facts.name(*name);
                        if let Ty::Item(def) = &base_type
                            && file.lang.naming.makers.contains(&name)
                            && self.kind(*def) == Some(SymbolKind::Class)
                        {
                            return Ty::value(*def);
                        }
                        match self.member_type(&base_type, name, file.lang, Want::Called) {
                            ty @ (Ty::Unknown | Ty::Outside | Ty::Missing) => {
                                self.named_by_path(file, *base, name, offset).unwrap_or(ty)
                            }
                            ty => ty,
                        }
                    }
                    _ => inner(*callee),
                };
                self.result(&callee, file.lang)
            }
            Expr::Argument(callee, at) => self.argument_type(file, *callee, *at, offset, whole),
            Expr::Part(call, TESTED) => match inner(*call) {
                Ty::Foreign(name, said) if matches!(&*name, "is" | "TypeGuard" | "TypeIs") => {
                    said.first().cloned().unwrap_or_default()
                }
                _ => Ty::Unknown,
            },
            Expr::Part(base, at) if file.lang.naming.system == System::Ecma => {
                // Who iterates over a map is given its entries.
                let entry = match file.facts.exprs.get(base.0 as usize) {
                    Some(Expr::Index(of)) => foreign::entry(&inner(*of), *at as usize),
                    _ => None,
                };
                entry.unwrap_or_else(|| self.item_at(&inner(*base), *at as usize))
            }
            Expr::Part(base, at) => self.part(&inner(*base), *at as usize),
            Expr::Either(one, other) => Ty::union([inner(*one), inner(*other)]),
            Expr::Typed(ty) => self.type_of(file, *ty, offset),
            Expr::Index(base) => self.indexed_element(&inner(*base), file.lang),
            Expr::Unwrap(base) => self.unwrapped(inner(*base), file.lang),
            Expr::Literal(word) => match file.facts.name(*word) {
                "null" | "none" => Ty::Unknown,
                "list" => Ty::foreign("[]", Vec::new()),
                word => Ty::foreign(word, Vec::new()),
            },
            Expr::Unknown => Ty::Unknown,
        }
    }

    /// The type of what stands before a member's name. In C++ that is no function: `level::debug` in a class with a method
    /// `level` means a type or namespace around it.
    pub(super) fn before_member(&self, file: &Arc<File>, base: ExprId, offset: u32, whole: ExprId) -> Ty {
        let ty = self.deeper(|| self.read_expr(file, base, offset, whole));
        let is_function =
            |def: Def| self.kind(def).is_some_and(|kind| matches!(kind, SymbolKind::Fn | SymbolKind::Method));
        match (&ty, file.facts.exprs.get(base.0 as usize)) {
            (Ty::Item(def), Some(Expr::Name(name))) if file.lang.naming.methods_see_members && is_function(*def) => {
                let found = self.lookup(file, file.facts.name(*name), offset, Space::Type);
                let types = |one: &&Entity| !matches!(one, Entity::Symbol(def) if is_function(*def));
                match Ty::union(found.iter().filter(types).map(|one| self.entity_type(one))) {
                    Ty::Unknown => ty,
                    space => space,
                }
            }
            _ => ty,
        }
    }

    /// What is read where something is named without a call. Where a method needs no parentheses, that is its result; of a
    /// foreign value it may be a property.
    fn read(&self, ty: Ty, lang: Lang) -> Ty {
        match &ty {
            Ty::Bound(def, _) | Ty::Item(def) if lang.naming.bare_calls => match self.kind(*def) {
                Some(SymbolKind::Fn | SymbolKind::Method) => self.result(&ty, lang),
                _ => ty,
            },
            Ty::ForeignMember(base, name) if lang.naming.system == System::Python => {
                foreign::held(base, name).unwrap_or(ty)
            }
            Ty::ForeignMember(base, name) if !lang.is_deep() && matches!(**base, Ty::Foreign(..)) => {
                match foreign::called(base, name, lang) {
                    Ty::Unknown => ty,
                    known => known,
                }
            }
            _ => ty,
        }
    }

    /// What a path of namespaces leads to, where there is one.
    fn named_by_path(&self, file: &Arc<File>, base: ExprId, name: &str, offset: u32) -> Option<Ty> {
        let path = path_of(file, base)?;
        let found = modules::rules(file).in_space(self, file, &path, name, offset, Space::Any);
        (!found.is_empty()).then(|| Ty::union(found.iter().map(|entity| self.entity_type(entity))))
    }

    pub(super) fn name_type(&self, file: &Arc<File>, name: &str, offset: u32, whole: ExprId) -> Ty {
        if let Some(Entity::Module(module)) = modules::rules(file).root(self, file, name, offset) {
            return Ty::Module(module);
        }
        if file.is_own_type(name) {
            return self.own_type(file, offset).map_or(Ty::Unknown, Ty::Item);
        }
        let found = self.lookup_inside(file, name, offset, Space::Value, Some(whole));
        if found.is_empty() {
            let mut around = file.nesting.symbols_around(&file.facts, offset);
            let own = around.find(|at| file.symbol(*at).kind == SymbolKind::Enum).filter(|_| !file.lang.is_deep());
            if let Some(symbol) = own {
                return variants_of(Def { version: file.id(), symbol }, name);
            }
            let capital = name.starts_with(char::is_uppercase) && name.contains(char::is_lowercase);
            if file.lang.naming.capital_types && capital && self.hits(name).is_empty() {
                return Ty::Outside;
            }
            if !file.lang.is_deep() && self.is_only_extended(name, file.lang) {
                return Ty::foreign(name, Vec::new());
            }
            // A name that nothing in the ref has: `String::new()`, `Object.keys`, `len`.
            return if file.lang.is_deep() { Ty::Outside } else { Ty::Unknown };
        }
        Ty::union(found.iter().map(|entity| self.inherited_type(file, entity, offset)))
    }

    /// The type of what a name means at an offset: a member that the type around it inherits is one of that type.
    fn inherited_type(&self, file: &Arc<File>, entity: &Entity, offset: u32) -> Ty {
        if let Entity::Symbol(def) = entity
            && !file.lang.is_deep()
            && let Some(own) = self.own_type(file, offset)
            && let Some(owner) = self.file(def.version).and_then(|other| self.known_owner(&other, *def))
            && owner != own
            && self.builds_on(own, owner, 0)
        {
            return self.bound(*def, &self.self_value(file, offset));
        }
        self.entity_type(entity)
    }

    /// The type of what a name means.
    pub(super) fn entity_type(&self, entity: &Entity) -> Ty {
        match entity {
            Entity::Local(version, at) => self.binding_type(*version, *at),
            Entity::Module(module) => Ty::Module(module.clone()),
            Entity::Foreign => Ty::Outside,
            Entity::Missing => Ty::Missing,
            Entity::Symbol(def) => self.item_type(*def),
        }
    }

    /// A definition as an expression.
    fn item_type(&self, def: Def) -> Ty {
        use SymbolKind::*;
        match self.kind(def) {
            Some(Const | Static | Variable | Field | Property) => self.symbol_type(def),
            Some(Variant) => self.variant_type(def),
            Some(_) => Ty::Item(def),
            None => Ty::Unknown,
        }
    }

    fn variant_type(&self, def: Def) -> Ty {
        let owner = self.with(def, |_, symbol| symbol.parent).flatten();
        owner.map_or(Ty::Unknown, |symbol| Ty::value(Def { version: def.version, symbol }))
    }

    fn binding_type(&self, version: u32, at: u32) -> Ty {
        if let Some(ty) = self.bindings.borrow().get(&(version, at)) {
            return ty.clone();
        }
        self.bindings.borrow_mut().insert((version, at), Ty::Unknown);
        let ty = self.deeper(|| self.read_binding(version, at));
        self.bindings.borrow_mut().insert((version, at), ty.clone());
        ty
    }

    fn read_binding(&self, version: u32, at: u32) -> Ty {
        let Some(file) = self.file(version) else { return Ty::Unknown };
        let binding = file.binding(at);
        if binding.kind == BindingKind::TypeParam {
            return Ty::Param(version, at);
        }
        let declared = binding.ty.map_or(Ty::Unknown, |ty| self.type_of(&file, ty, binding.start));
        match declared {
            Ty::Unknown => {}
            Ty::Foreign(name, list) if &*name == "..." => return list.first().cloned().unwrap_or_default(),
            declared => return declared,
        }
        let Some(value) = binding.value else {
            return match binding.kind {
                BindingKind::Param => self.provided_type(&file, file.facts.name(binding.name), binding.start),
                _ => Ty::Unknown,
            };
        };
        // The value of `x = x.next()` is about the `x` before, where there is one.
        let ordered = matches!(file.lang.naming.locals, Locals::Redeclared | Locals::Everywhere);
        let offset = if ordered { binding.start.saturating_sub(1) } else { binding.start };
        let ty = self.expr_type(&file, value, offset);
        // A function that says nothing about what it was given changes nothing.
        if ty == Ty::Unknown && matches!(file.facts.exprs.get(value.0 as usize), Some(Expr::Part(_, TESTED))) {
            return self.name_type(&file, file.facts.name(binding.name), binding.start, value);
        }
        match binding.kind {
            BindingKind::Element if file.lang.naming.arrow.is_some() => {
                foreign::pairs(&ty).unwrap_or_else(|| self.element(&ty))
            }
            BindingKind::Element => self.element(&ty),
            _ => ty,
        }
    }

    /// The type of what a variable, field or function declares or is given.
    pub(super) fn symbol_type(&self, def: Def) -> Ty {
        if let Some(ty) = self.symbols.borrow().get(&def) {
            return ty.clone();
        }
        self.symbols.borrow_mut().insert(def, Ty::Unknown);
        let ty = self.deeper(|| {
            let Some(file) = self.file(def.version) else { return Ty::Unknown };
            let symbol = file.symbol(def.symbol);
            let declared = symbol.ty.map(|ty| self.type_of(&file, ty, symbol.name_span.start));
            let declared = declared.filter(|ty| symbol.value.is_none() || *ty != Ty::Unknown);
            let data = matches!(symbol.kind, SymbolKind::Const | SymbolKind::Variable | SymbolKind::Field);
            match (declared, symbol.value) {
                (Some(ty), _) if data && has_members(&file, def.symbol) => ty.written_out_by(def),
                (Some(ty), _) => ty,
                // What a function makes has the members that it writes out.
                (None, Some(value)) if file.makes_object(def.symbol, value) => Ty::value(def),
                // A table is what it is made from, with what is added to it.
                (None, Some(value)) if data && file.lang.naming.tables => {
                    let own = Some(Ty::value(def)).filter(|_| holds_something(&file, def.symbol));
                    Ty::union([self.expr_type(&file, value, symbol.name_span.start)].into_iter().chain(own))
                }
                (None, Some(value)) => {
                    let callable = matches!(symbol.kind, SymbolKind::Fn | SymbolKind::Method | SymbolKind::Property);
                    let offset = match callable {
                        true => symbol.span.end.saturating_sub(1),
                        // The value of `Parser = Parser` in a class is what is called so around it.
                        false if file.lang.naming.members == Members::ClassBody => symbol.name_span.end,
                        false => symbol.name_span.start,
                    };
                    self.expr_type(&file, value, offset)
                }
                // An object literal is what its members are.
                (None, None) if data => Ty::value(def),
                (None, None) => Ty::Unknown,
            }
        });
        self.symbols.borrow_mut().insert(def, ty.clone());
        ty
    }

    /// `self` or `this` at an offset: a value of the type around it, or the type itself in a class method.
    pub(super) fn self_value(&self, file: &Arc<File>, offset: u32) -> Ty {
        let Some(def) = self.own_type(file, offset) else { return self.object_around(file, offset) };
        let method = file.nesting.symbols_around(&file.facts, offset).find(|at| {
            let symbol = file.symbol(*at);
            symbol.parent.is_some_and(|parent| Def { version: file.id(), symbol: parent } == def)
                && matches!(symbol.kind, SymbolKind::Fn | SymbolKind::Method | SymbolKind::Property)
        });
        if method.is_some_and(|at| file.symbol(at).flags.associated) {
            return Ty::Item(def);
        }
        let params = self.type_params(file, def.symbol);
        Ty::Value(def, params.into())
    }

    /// The object literal whose method an offset is in; the owner of a function that is assigned to a prototype.
    fn object_around(&self, file: &Arc<File>, offset: u32) -> Ty {
        for at in file.nesting.symbols_around(&file.facts, offset) {
            let symbol = file.symbol(at);
            let version = file.id();
            if symbol.kind == SymbolKind::Fn && makes_values(file, at) {
                return Ty::value(Def { version, symbol: at });
            }
            let in_table = file.lang.naming.tables && symbol.kind == SymbolKind::Fn;
            if symbol.kind != SymbolKind::Method && !in_table {
                continue;
            }
            let def = Def { version, symbol: at };
            let table = self.owned(def, &symbol.name);
            if let Some((_, Some(owner))) = table.all.iter().find(|(other, _)| *other == def) {
                return Ty::value(*owner);
            }
        }
        Ty::Unknown
    }

    /// What the type around an offset builds on.
    pub(super) fn super_value(&self, file: &Arc<File>, offset: u32) -> Ty {
        let Some(def) = self.own_type(file, offset) else { return Ty::Unknown };
        let parts = [def].into_iter().chain(self.same_type(def));
        Ty::union(parts.flat_map(|part| self.bases(part).to_vec()))
    }

    /// The type of a member of something.
    pub(super) fn member_type(&self, base: &Ty, name: &str, lang: Lang, want: Want) -> Ty {
        match base {
            Ty::Module(module) => {
                let found = self.offered(module, name, Space::Value);
                if found.is_empty() && lang.naming.tables {
                    Ty::Unknown // a function may have filled it in
                } else if found.is_empty() {
                    Ty::Missing
                } else {
                    Ty::union(found.iter().map(|found| self.entity_type(found)))
                }
            }
            Ty::Item(def) if self.kind(*def) == Some(SymbolKind::Module) => {
                let found = self.inside(&Entity::Symbol(*def), name, Space::Value);
                if found.is_empty() && lang.is_deep() {
                    return Ty::Missing;
                }
                Ty::union(found.iter().map(|found| self.entity_type(found)))
            }
            Ty::Item(def) if lang.naming.prototype == Some(name) => Ty::value(*def),
            Ty::Value(def, _) | Ty::SelfType(def) if lang.naming.class_of == Some(name) => Ty::Item(*def),
            Ty::Outside | Ty::Missing => base.clone(),
            Ty::Shape(members) => {
                members.iter().find(|(own, _)| &**own == name).map_or(Ty::Unknown, |(_, ty)| ty.clone())
            }
            Ty::Union(types) => Ty::union(types.iter().map(|ty| self.member_type(ty, name, lang, want))),
            base => {
                if let Some(half) = foreign::half(base, name).filter(|_| lang.naming.arrow.is_some()) {
                    return half;
                }
                let found = self.type_members(base, name, lang, want);
                if found.is_empty() {
                    return match base {
                        Ty::Item(def) if self.kind(*def) == Some(SymbolKind::Enum) => variants_of(*def, name),
                        Ty::Unknown | Ty::Item(_) => Ty::Unknown,
                        _ => Ty::ForeignMember(Rc::new(base.clone()), Rc::from(name)),
                    };
                }
                Ty::union(found.iter().map(|def| self.bound(*def, base)))
            }
        }
    }

    /// A member as it is on a receiver of a type.
    fn bound(&self, def: Def, base: &Ty) -> Ty {
        use SymbolKind::*;
        match self.kind(def) {
            Some(Fn | Method) => Ty::Bound(def, Rc::new(base.clone())),
            Some(Field | Property | Const | Static | Variable) => {
                let ty = self.symbol_type(def);
                self.on_receiver(&ty, def, base)
            }
            Some(Variant) => self.variant_type(def),
            Some(_) => Ty::Item(def),
            None => Ty::Unknown,
        }
    }

    /// The members of a name that a value of a type has.
    pub(super) fn type_members(&self, base: &Ty, name: &str, lang: Lang, want: Want) -> Vec<Def> {
        match base {
            Ty::Value(def, _) => {
                let found = self.wanted_members(*def, name, want);
                match found.is_empty() {
                    true if lang.naming.dereferences => self.through_deref(*def, name, lang, want),
                    true if lang.naming.receivers => self.added_to_all(base, name, lang),
                    true if lang.naming.arrow.is_some() => self.behind_arrow(*def, base, name, lang, want),
                    _ => found,
                }
            }
            Ty::SelfType(def) => self.wanted_members(*def, name, want),
            Ty::Item(def) => match self.kind(*def) {
                Some(SymbolKind::Fn | SymbolKind::Method) => self.members_of(*def, name),
                Some(SymbolKind::Module) => Vec::new(),
                _ => self.static_members(*def, name, want),
            },
            Ty::Param(version, at) => self.bound_members(*version, *at, name, lang, want),
            Ty::Indexed(..) => match self.promised(base, lang) {
                Ty::Unknown | Ty::Indexed(..) => Vec::new(),
                promised => self.deeper(|| self.type_members(&promised, name, lang, want)),
            },
            Ty::Union(types) => {
                let mut found: Vec<Def> = types.iter().flat_map(|ty| self.type_members(ty, name, lang, want)).collect();
                found.sort_unstable();
                found.dedup();
                found
            }
            foreign => match foreign::pointee(foreign, name, lang) {
                Some(inner) => self.deeper(|| self.type_members(&inner, name, lang, want)),
                None => match foreign {
                    Ty::Foreign(of, _) => self.deeper(|| match self.added_to_foreign(of, name, lang) {
                        none if none.is_empty() && lang.naming.receivers => self.added_to_all(foreign, name, lang),
                        found => found,
                    }),
                    _ => Vec::new(),
                },
            },
        }
    }

    /// The members that the bound of a type parameter promises.
    fn bound_members(&self, version: u32, at: u32, name: &str, lang: Lang, want: Want) -> Vec<Def> {
        match self.bound_of(version, at) {
            Ty::Unknown | Ty::Param(..) => Vec::new(),
            bound => self.deeper(|| self.type_members(&bound, name, lang, want)),
        }
    }

    /// The bound of a type parameter, written at it or in a `where` behind it.
    pub(super) fn bound_of(&self, version: u32, at: u32) -> Ty {
        let Some(file) = self.file(version) else { return Ty::Unknown };
        let binding = file.binding(at);
        let same = |other: &&cruxe_model::facts::Binding| {
            other.name == binding.name && other.scope == binding.scope && other.ty.is_some()
        };
        let bound = match binding.ty {
            Some(_) => Some(binding),
            None => file.facts.bindings.iter().find(same),
        };
        match bound.and_then(|bound| Some((bound.ty?, bound.start))) {
            Some((ty, start)) => self.type_of(&file, ty, start),
            None => Ty::Unknown,
        }
    }

    /// A member of what `T* operator->()` of a type leads to.
    fn behind_arrow(&self, def: Def, base: &Ty, name: &str, lang: Lang, want: Want) -> Vec<Def> {
        let arrow = lang.naming.arrow.filter(|arrow| *arrow != name);
        let found = arrow.map(|arrow| self.members_of(def, arrow)).unwrap_or_default();
        let Some(arrow) = found.first() else { return Vec::new() };
        match self.result(&Ty::Bound(*arrow, Rc::new(base.clone())), lang) {
            Ty::Value(to, _) if to == def => Vec::new(),
            inner => self.deeper(|| self.type_members(&inner, name, lang, want)),
        }
    }

    /// A member of what `impl Deref for T { type Target = U; }` leads to.
    fn through_deref(&self, def: Def, name: &str, lang: Lang, want: Want) -> Vec<Def> {
        if name == "Target" {
            return Vec::new();
        }
        let targets = self.members_of(def, "Target");
        let of_deref = |target: &Def| {
            self.with(*target, |file, symbol| {
                let parent = symbol.parent?;
                let mut own = file.facts.heritage.iter();
                let found = own.find(|own| own.symbol == parent && own.relation == Relation::Implements)?;
                let path = &file.facts.types[found.ty.0 as usize].path;
                path.last().map(|last| file.facts.name(*last) == "Deref")
            })
            .flatten()
            .unwrap_or(false)
        };
        let Some(target) = targets.into_iter().find(of_deref) else { return Vec::new() };
        let inner = self.symbol_type(target);
        self.deeper(|| self.type_members(&inner, name, lang, want))
    }

    /// A member's type as it is on a receiver: type parameters and `Self` become what the receiver says.
    pub(super) fn on_receiver(&self, ty: &Ty, member: Def, base: &Ty) -> Ty {
        let (mut params, mut args) = (Vec::new(), Vec::new());
        if let Some(file) = self.file(member.version) {
            let owner = file.symbol(member.symbol).parent;
            let given: &[Ty] = match base {
                Ty::Value(_, given) => given,
                _ => &[],
            };
            match owner.map(|at| (at, file.symbol(at).kind)) {
                // The arguments of `impl<A> Type<A>` say which parameter of the impl is which of the type.
                Some((at, SymbolKind::Impl)) => {
                    let mut heritage = file.facts.heritage.iter();
                    let own = heritage.find(|own| own.symbol == at && own.relation == Relation::SelfType);
                    let written = own.and_then(|own| file.facts.types.get(own.ty.0 as usize));
                    let offset = file.symbol(at).name_span.start;
                    for (arg, given) in written.map_or(&[][..], |ty| &ty.args).iter().zip(given) {
                        params.push(self.type_of(&file, *arg, offset));
                        args.push(given.clone());
                    }
                }
                Some((at, _)) => {
                    let owner = Def { version: member.version, symbol: at };
                    params = self.type_params(&file, at);
                    args = match base {
                        Ty::Value(def, given) if *def != owner => self.base_args(*def, given, owner),
                        _ => None,
                    }
                    .unwrap_or_else(|| given.to_vec());
                    args.resize(params.len(), Ty::Unknown);
                    params.push(Ty::SelfType(owner));
                    args.push(match base {
                        Ty::Item(def) => Ty::value(*def),
                        base => base.clone(),
                    });
                }
                None => {
                    let of = self.extended(&file, member).unwrap_or_default();
                    bind_params(&of, base, &mut params, &mut args);
                }
            }
        }
        self.replace(ty, &params, &args, 0)
    }

    /// The arguments that a type gives to one it builds on: `Row` for `T` of `List<T>` in `class Rows extends List<Row>`.
    fn base_args(&self, def: Def, given: &[Ty], owner: Def) -> Option<Vec<Ty>> {
        self.deeper(|| {
            let params = self.with(def, |file, _| self.type_params(file, def.symbol))?;
            for base in self.bases(def).iter().flat_map(Ty::alternatives) {
                let Ty::Value(next, args) = base else { continue };
                let args: Vec<Ty> = args.iter().map(|arg| self.replace(arg, &params, given, 0)).collect();
                let found = if *next == owner { Some(args) } else { self.base_args(*next, &args, owner) };
                if found.is_some() {
                    return found;
                }
            }
            None
        })
    }

    /// What calling something gives.
    pub(super) fn result(&self, callee: &Ty, lang: Lang) -> Ty {
        use SymbolKind::*;
        match callee {
            Ty::Item(def) => match self.kind(*def) {
                Some(Fn | Method | Macro) => self.symbol_type(*def),
                Some(Class | Struct | Enum | Union | Interface | Trait) => Ty::value(*def),
                Some(Type) => self.named_type(*def, Vec::new()),
                _ => Ty::Unknown,
            },
            Ty::Bound(def, base) => {
                let result = self.symbol_type(*def);
                self.on_receiver(&result, *def, base)
            }
            Ty::ForeignMember(base, name) => match &**base {
                Ty::Foreign(..) => foreign::called(base, name, lang),
                base => foreign::derived(base, name, lang),
            },
            // The constructor of a variant gives the enum.
            Ty::Value(..) if lang.naming.variants_hold => callee.clone(),
            Ty::Value(def, _) => {
                let call = lang.naming.call.map(|name| self.members_of(*def, name));
                Ty::union(call.into_iter().flatten().map(|def| self.symbol_type(def)))
            }
            Ty::Foreign(name, args) if matches!(&**name, "fn" | ".fn") => args.first().cloned().unwrap_or_default(),
            // `byName("x")` is an element where values are called.
            Ty::Foreign(..) if lang.naming.call.is_some() && !lang.is_deep() => foreign::inner(callee),
            Ty::Union(types) => Ty::union(types.iter().map(|ty| self.result(ty, lang))),
            _ => Ty::Unknown,
        }
    }

    /// An element of a value that is indexed. A type of Python says what that gives apart from what a loop goes through.
    fn indexed_element(&self, ty: &Ty, lang: Lang) -> Ty {
        if let Ty::Value(def, _) = ty
            && lang.naming.system == System::Python
            && let Some(member) = self.members_of(*def, "__getitem__").first()
        {
            match self.result(&Ty::Bound(*member, Rc::new(ty.clone())), lang) {
                Ty::Unknown => {}
                known => return known,
            }
        }
        self.element(ty)
    }

    /// An element of a value that is indexed or iterated.
    pub(super) fn element(&self, ty: &Ty) -> Ty {
        match ty {
            Ty::Foreign(..) | Ty::Union(_) => foreign::inner(ty),
            Ty::Value(def, args) => self.own_element(*def, args),
            _ => Ty::Unknown,
        }
    }

    /// An element of a value at a place, where a tuple tells them apart.
    fn item_at(&self, ty: &Ty, at: usize) -> Ty {
        match ty {
            Ty::Foreign(name, args) if &**name == "[]" && args.len() > 1 => args.get(at).cloned().unwrap_or_default(),
            Ty::Union(types) => Ty::union(types.iter().map(|ty| self.item_at(ty, at))),
            ty => self.element(ty),
        }
    }

    /// What iterating over a type of the ref gives, where the type says so.
    fn own_element(&self, def: Def, args: &Rc<[Ty]>) -> Ty {
        let base = Ty::Value(def, Rc::clone(args));
        let Some(lang) = self.file(def.version).map(|file| file.lang) else { return Ty::Unknown };
        for name in lang.naming.elements {
            let found = self.members_of(def, name);
            let Some(member) = found.first() else { continue };
            let ty = match self.kind(*member) {
                Some(SymbolKind::Type) => self.symbol_type(*member),
                _ => self.result(&Ty::Bound(*member, Rc::new(base.clone())), lang),
            };
            return match ty {
                Ty::Foreign(..) => foreign::inner(&ty),
                ty => ty,
            };
        }
        // `type Keys []Key` of Go, a subclass of `list[T]` of Python.
        let alias = self.with(def, |file, symbol| symbol.ty.map(|ty| self.type_of(file, ty, symbol.name_span.start)));
        match alias.flatten() {
            Some(ty @ Ty::Foreign(..)) => foreign::inner(&ty),
            _ if lang.naming.indexes_itself && self.bases(def).is_empty() => base,
            _ => Ty::union(self.bases(def).iter().map(foreign::inner)),
        }
    }

    /// The value inside: what `?`, `await`, `*` and `with` give.
    pub(super) fn unwrapped(&self, ty: Ty, lang: Lang) -> Ty {
        match &ty {
            Ty::Foreign(name, _) => match &**name {
                "[]" | "list" | "dict" | "str" | "Vec" | "String" | "int" | "bytes" => ty,
                _ => foreign::inner(&ty),
            },
            Ty::Union(types) => Ty::union(types.iter().map(|ty| self.unwrapped(ty.clone(), lang))),
            Ty::Value(def, _) => {
                let enter = lang.naming.enter.iter().find_map(|name| {
                    let found = self.members_of(*def, name);
                    found.first().copied()
                });
                match enter.map(|enter| self.result(&Ty::Bound(enter, Rc::new(ty.clone())), lang)) {
                    Some(Ty::Unknown) | None => ty,
                    Some(entered) => entered,
                }
            }
            _ => ty,
        }
    }
}

/// Whether a function makes values with fields: `function Foo() { this.x = 1 }`.
fn makes_values(file: &File, function: SymbolIndex) -> bool {
    file.facts.symbols.iter().any(|symbol| symbol.parent == Some(function) && symbol.kind == SymbolKind::Field)
}
