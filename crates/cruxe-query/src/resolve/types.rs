//! Types as far as they help to find a member: what a written type means, and what its parameters stand for.

use std::rc::Rc;
use std::sync::Arc;

use cruxe_extract::naming::System;
use cruxe_model::facts::{BindingKind, MAYBE, Relation, ScopeKind, SymbolIndex, TypeId};
use cruxe_model::{SymbolKind, VersionId};
use cruxe_store::SymbolHit;

use super::file::{File, Lang};
use super::modules::{self, Module};
use super::{Def, Entity, Resolver, Space, SpaceOf, Want};

/// Of a union with more alternatives the first ones count.
const MAX_ALTERNATIVES: usize = 64;

/// What is known about a value.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) enum Ty {
    /// Nothing.
    #[default]
    Unknown,
    /// A value of a type of the ref, with the type's arguments.
    Value(Def, Rc<[Ty]>),
    /// A value of a type that the ref does not define.
    Foreign(Rc<str>, Rc<[Ty]>),
    /// A member of a type that is not known yet: `T['key']`.
    Indexed(Rc<Ty>, Rc<str>),
    /// A value of a type without a name that is written out: its members.
    Shape(Rc<[(Rc<str>, Ty)]>),
    /// A definition itself: a class, a function, a module's member.
    Item(Def),
    /// A function of a value: what it is called on decides what it returns.
    Bound(Def, Rc<Ty>),
    /// The same of a foreign value.
    ForeignMember(Rc<Ty>, Rc<str>),
    /// A module.
    Module(Module),
    /// Something outside that is no value: a class, a function, a module.
    Outside,
    /// Something of the ref, or a value of it, where nothing is found.
    Missing,
    /// A type parameter.
    Param(VersionId, u32),
    /// The type that a trait or base class does not know yet.
    SelfType(Def),
    /// One of several.
    Union(Rc<[Ty]>),
}

impl Ty {
    pub(super) fn value(def: Def) -> Ty {
        Ty::Value(def, Rc::new([]))
    }

    pub(super) fn foreign(name: &str, args: Vec<Ty>) -> Ty {
        Ty::Foreign(Rc::from(name), args.into())
    }

    /// One type for several; what is not known says nothing.
    pub(super) fn union(types: impl IntoIterator<Item = Ty>) -> Ty {
        let mut known: Vec<Ty> = Vec::new();
        for ty in types {
            match ty {
                Ty::Unknown => {}
                Ty::Union(inner) => known.extend(inner.iter().cloned()),
                ty => known.push(ty),
            }
        }
        let mut distinct: Vec<Ty> = Vec::new();
        for ty in known {
            if distinct.len() < MAX_ALTERNATIVES && !distinct.contains(&ty) {
                distinct.push(ty);
            }
        }
        match distinct.len() {
            0 => Ty::Unknown,
            1 => distinct.remove(0),
            _ => Ty::Union(distinct.into()),
        }
    }

    /// The type with its unnamed object types replaced: the members that a declaration writes out belong to it.
    pub(super) fn written_out_by(self, def: Def) -> Ty {
        match self {
            Ty::Shape(_) => Ty::value(def),
            Ty::Foreign(name, args) => {
                Ty::Foreign(name, args.iter().map(|arg| arg.clone().written_out_by(def)).collect())
            }
            Ty::Union(types) => Ty::union(types.iter().map(|ty| ty.clone().written_out_by(def))),
            ty => ty,
        }
    }

    /// The types that a value may be of: those of a union, or the one.
    pub(super) fn alternatives(&self) -> &[Ty] {
        match self {
            Ty::Union(types) => types,
            ty => std::slice::from_ref(ty),
        }
    }
}

/// Names that mean no value at all: a union with one of them is the rest of it.
const NOTHING: &[&str] = &["None", "undefined", "null", "void", "never", "NoneType"];

impl Resolver<'_> {
    /// What a written type means at an offset of its file.
    pub(super) fn type_of(&self, file: &Arc<File>, id: TypeId, offset: u32) -> Ty {
        self.deeper(|| self.read_type(file, id, offset))
    }

    fn read_type(&self, file: &Arc<File>, id: TypeId, offset: u32) -> Ty {
        let Some(ty) = file.facts.types.get(id.0 as usize) else { return Ty::Unknown };
        let args = || -> Vec<Ty> { ty.args.iter().map(|arg| self.type_of(file, *arg, offset)).collect() };
        let path: Vec<&str> = ty.path.iter().map(|name| file.facts.name(*name)).collect();
        let Some(last) = path.last() else { return Ty::Unknown };
        if path.len() == 1 {
            let naming = &file.lang.naming;
            if naming.unions.contains(last) {
                let nothing = |ty: &Ty| matches!(ty, Ty::Foreign(name, _) if NOTHING.contains(&&**name));
                return Ty::union(args().into_iter().filter(|ty| !nothing(ty)));
            }
            if naming.own_type == Some(*last) || naming.own_class.contains(last) {
                return self.self_type(file, offset);
            }
            if matches!(*last, "[]" | "()" | "fn" | ".fn" | "&" | "|" | "...") {
                return Ty::foreign(last, args());
            }
            if naming.meta_types.contains(last) {
                let class = |ty: &Ty| match ty {
                    Ty::Value(def, _) => Ty::Item(*def),
                    _ => Ty::Unknown,
                };
                return Ty::union(args().first().into_iter().flat_map(Ty::alternatives).map(class));
            }
        }
        if let ([name, "."], [base]) = (&path[..], &ty.args[..]) {
            return self.indexed(&self.type_of(file, *base, offset), name, file.lang);
        }
        if *last == "{}" {
            return Ty::Shape(path.iter().map(|name| Rc::from(*name)).zip(args()).collect());
        }
        // What a comment says that is not in sight is no type: nobody checks comments.
        let (maybe, path) = match path.split_last() {
            Some((&MAYBE, path)) => (true, path),
            _ => (false, &path[..]),
        };
        let Some(last) = path.last() else { return Ty::Unknown };
        let found = modules::rules(file).type_path(self, file, path, offset);
        // A header for each platform defines the type once more.
        if file.lang.naming.includes && found.len() > 1 {
            let bodies = self.bodies(&found);
            if bodies.len() > 1 {
                return Ty::union(bodies.into_iter().map(|def| self.named_type(def, args())));
            }
        }
        match found.first() {
            Some(Entity::Missing) | None if maybe => Ty::Unknown,
            Some(Entity::Symbol(def)) => self.named_type(*def, args()),
            Some(Entity::Local(version, at)) => match file.binding(*at).kind {
                BindingKind::TypeParam => Ty::Param(*version, *at),
                // `class Sub(base):` behind `base: type[Base]`
                _ if file.lang.naming.system == System::Python => match self.entity_type(&Entity::Local(*version, *at))
                {
                    Ty::Item(def) => Ty::value(def),
                    _ => Ty::Unknown,
                },
                _ => Ty::Unknown,
            },
            // `typeof ns`
            Some(Entity::Module(module)) => Ty::Module(module.clone()),
            Some(Entity::Missing) => Ty::Missing,
            None if self.lacks_a_glob(file) => Ty::Missing,
            // What is in sight is not all known, and the ref has such a type somewhere.
            None if !file.lang.is_deep() && self.has_type(last, file.lang) => Ty::Unknown,
            Some(Entity::Foreign) | None if path.len() == 1 && file.lang.naming.anything.contains(last) => Ty::Unknown,
            Some(Entity::Foreign) | None => match args().first() {
                Some(inner) if *last == "ReturnType" && file.lang.naming.system == System::Ecma => {
                    self.result(inner, file.lang)
                }
                Some(inner) if *last == "Awaited" && file.lang.naming.system == System::Ecma => {
                    self.unwrapped(inner.clone(), file.lang)
                }
                Some(inner) if file.lang.naming.transparent.contains(last) => inner.clone(),
                _ => Ty::foreign(last, args()),
            },
        }
    }

    /// The structures among the definitions of one type; none where they are several types.
    fn bodies(&self, found: &[Entity]) -> Vec<Def> {
        use SymbolKind::{Class, Struct, Type, Union};
        let mut name: Option<String> = None;
        let mut bodies = Vec::new();
        for one in found {
            let Entity::Symbol(def) = one else { return Vec::new() };
            let same = self.with(*def, |_, symbol| {
                if matches!(symbol.kind, Class | Struct | Union) && !symbol.flags.declaration {
                    bodies.push(*def);
                }
                let own = &symbol.qualified_name;
                matches!(symbol.kind, Class | Struct | Union | Type) && name.get_or_insert_with(|| own.clone()) == own
            });
            if same != Some(true) {
                return Vec::new();
            }
        }
        bodies
    }

    /// Whether the ref has a type of a name.
    fn has_type(&self, name: &str, lang: Lang) -> bool {
        let is_type = |hit: &&SymbolHit| hit.kind.fits(Space::Type) && hit.kind != SymbolKind::Module;
        let kin = |hit: &SymbolHit| self.lang(hit.version).is_some_and(|other| other.is_kin(lang));
        self.hits(name).iter().filter(is_type).any(kin)
    }

    /// A value of the type that a definition names.
    pub(super) fn named_type(&self, def: Def, args: Vec<Ty>) -> Ty {
        let Some(file) = self.file(def.version) else { return Ty::Unknown };
        let symbol = file.symbol(def.symbol);
        let args = self.completed(&file, def.symbol, args);
        match symbol.kind {
            SymbolKind::Type if symbol.ty.is_none() && symbol.signature.contains("@This()") => {
                match symbol.parent.filter(|at| !file.symbol(*at).kind.is_callable() || file.makes_type(*at)) {
                    Some(symbol) => Ty::value(Def { symbol, ..def }),
                    None => Ty::Module(Module::File(def.version)),
                }
            }
            SymbolKind::Fn if file.makes_type(def.symbol) => Ty::Value(def, args.into()),
            SymbolKind::Type => match symbol.ty {
                Some(ty) if !has_members(&file, def.symbol) => {
                    let meant = self.type_of(&file, ty, symbol.name_span.start);
                    let params = self.type_params(&file, def.symbol);
                    let new_types = file.lang.naming.new_types;
                    match meant {
                        // A name for something of another shape is a type of its own: `type Key []string` in Go.
                        Ty::Foreign(..) | Ty::Unknown if new_types => Ty::Value(def, args.into()),
                        Ty::Unknown => Ty::Value(def, args.into()),
                        // What can only be called or made is known by its signatures: `type Maker<T> = { new (x: T): X }`.
                        Ty::Shape(members) if members.is_empty() => Ty::Value(def, args.into()),
                        meant if new_types && symbol.signature.contains('=') => meant,
                        _ if new_types => Ty::Value(def, args.into()),
                        meant => self.replace(&meant, &params, &args, 0),
                    }
                }
                _ => Ty::Value(def, args.into()),
            },
            SymbolKind::Const | SymbolKind::Variable | SymbolKind::Static | SymbolKind::Field => self.symbol_type(def),
            SymbolKind::Fn | SymbolKind::Method => Ty::Item(def),
            _ => Ty::Value(def, args.into()),
        }
    }

    /// The type parameters that a symbol introduces, in order.
    pub(super) fn type_params(&self, file: &File, symbol: SymbolIndex) -> Vec<Ty> {
        let span = file.symbol(symbol).span;
        let from = file.facts.bindings.partition_point(|binding| binding.start < span.start);
        let (first, second) = match file.symbol(symbol).kind.is_callable() {
            true => (ScopeKind::Function, ScopeKind::Type),
            false => (ScopeKind::Type, ScopeKind::Function),
        };
        let own = file.scope_of(symbol, first).or_else(|| file.scope_of(symbol, second));
        // `template <class T>` stands around what it is for, in a scope of its own.
        let around =
            own.filter(|_| file.lang.naming.methods_see_members).and_then(|own| file.nesting.scope_parent(own));
        let template = around.filter(|at| file.facts.scopes[at.0 as usize].span.start >= span.start);
        let inside = file.facts.bindings[from..].iter().enumerate().take_while(|(_, b)| b.start < span.end);
        inside
            .filter(|(_, binding)| {
                let scope = Some(binding.scope);
                binding.kind == BindingKind::TypeParam && (scope == own || template.is_some() && scope == template)
            })
            .map(|(at, _)| Ty::Param(file.id(), (from + at) as u32))
            .collect()
    }

    /// What a type has under a name; what is not known yet is asked once it is.
    fn indexed(&self, base: &Ty, name: &str, lang: Lang) -> Ty {
        match base {
            Ty::Param(..) | Ty::SelfType(_) | Ty::Indexed(..) => Ty::Indexed(Rc::new(base.clone()), Rc::from(name)),
            base => self.member_type(base, name, lang, Want::Read),
        }
    }

    /// What is promised of a type that is not known yet.
    pub(super) fn promised(&self, ty: &Ty, lang: Lang) -> Ty {
        self.deeper(|| match ty {
            Ty::Param(version, at) => self.bound_of(*version, *at),
            Ty::SelfType(def) => Ty::value(*def),
            Ty::Indexed(base, name) => self.member_type(&self.promised(base, lang), name, lang, Want::Read),
            _ => Ty::Unknown,
        })
    }

    /// The language of the file that a type which is not known yet stands in.
    fn lang_of(&self, ty: &Ty) -> Option<Lang> {
        match ty {
            Ty::Param(version, _) => self.file(*version).map(|file| file.lang),
            Ty::SelfType(def) => self.file(def.version).map(|file| file.lang),
            Ty::Indexed(base, _) => self.lang_of(base),
            _ => None,
        }
    }

    /// The arguments of a type with what its parameters are where nothing is given: `D` of `<T, D = T['def']>`.
    fn completed(&self, file: &Arc<File>, symbol: SymbolIndex, mut args: Vec<Ty>) -> Vec<Ty> {
        if args.is_empty() {
            return args;
        }
        let params = self.type_params(file, symbol);
        while let Some(Ty::Param(_, at)) = params.get(args.len()) {
            let binding = file.binding(*at);
            let Some(default) = binding.value else { break };
            let default = self.expr_type(file, default, binding.start);
            args.push(self.replace(&default, &params, &args, 0));
        }
        args
    }

    /// A type with its parameters replaced.
    pub(super) fn replace(&self, ty: &Ty, params: &[Ty], args: &[Ty], depth: u32) -> Ty {
        if params.is_empty() || depth > 8 {
            return ty.clone();
        }
        let list = |types: &Rc<[Ty]>| -> Rc<[Ty]> {
            types.iter().map(|ty| self.replace(ty, params, args, depth + 1)).collect()
        };
        match ty {
            Ty::Param(..) | Ty::SelfType(_) => match params.iter().position(|param| param == ty) {
                Some(at) => args.get(at).filter(|arg| **arg != Ty::Unknown).unwrap_or(ty).clone(),
                None => ty.clone(),
            },
            Ty::Value(def, inner) => Ty::Value(*def, list(inner)),
            Ty::Foreign(name, inner) => Ty::Foreign(Rc::clone(name), list(inner)),
            Ty::Indexed(base, name) => match self.replace(base, params, args, depth + 1) {
                same if same == **base => ty.clone(),
                known => match self.lang_of(base) {
                    Some(lang) => self.deeper(|| self.indexed(&known, name, lang)),
                    None => Ty::Unknown,
                },
            },
            Ty::Shape(members) => {
                let replaced =
                    |(name, ty): &(Rc<str>, Ty)| (Rc::clone(name), self.replace(ty, params, args, depth + 1));
                Ty::Shape(members.iter().map(replaced).collect())
            }
            Ty::Union(inner) => Ty::union(list(inner).iter().cloned()),
            ty => ty.clone(),
        }
    }

    /// The type whose body an offset is in: a class, the type of an `impl`, the type of a Go receiver.
    pub(super) fn own_type(&self, file: &Arc<File>, offset: u32) -> Option<Def> {
        let version = file.id();
        for symbol in file.nesting.symbols_around(&file.facts, offset) {
            use SymbolKind::*;
            match file.symbol(symbol).kind {
                Class | Trait | Interface | Struct | Enum | Union => return Some(Def { version, symbol }),
                Impl => return self.impl_type(file, symbol),
                // `fn List(comptime T: type) type { return struct { … }; }`
                Fn if file.makes_type(symbol) => return Some(Def { version, symbol }),
                _ => {}
            }
        }
        None
    }

    /// The type that an `impl` or extension is for.
    pub(super) fn impl_type(&self, file: &Arc<File>, symbol: SymbolIndex) -> Option<Def> {
        let heritage = file.facts.heritage.iter();
        let own = heritage.clone().find(|own| own.symbol == symbol && own.relation == Relation::SelfType)?;
        match self.type_of(file, own.ty, file.symbol(symbol).span.start) {
            Ty::Value(def, _) => Some(def),
            _ => None,
        }
    }

    /// `Self` at an offset: a value of the type around it, which in a trait or base class is not known yet.
    pub(super) fn self_type(&self, file: &Arc<File>, offset: u32) -> Ty {
        match self.own_type(file, offset) {
            Some(def) if self.kind(def) == Some(SymbolKind::Trait) => Ty::SelfType(def),
            Some(def) if file.lang.naming.open_types => Ty::SelfType(def),
            Some(def) => Ty::value(def),
            None => Ty::Unknown,
        }
    }
}

/// Whether a symbol has members of its own: `type Flags = { verbose(): boolean }`, `options: { depth: number }[]`.
pub(super) fn has_members(file: &File, symbol: SymbolIndex) -> bool {
    let next = file.facts.symbols.get(symbol.0 as usize + 1);
    next.is_some_and(|next| next.parent == Some(symbol))
}
