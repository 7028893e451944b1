//! Plain names: from the innermost scope outwards, then whatever the language looks at beyond the file.

use std::sync::Arc;

use cruxe_extract::naming::{Locals, Members, System};
use cruxe_model::SymbolKind;
use cruxe_model::facts::{BindingKind, Expr, ExprId, ScopeId, ScopeKind, SymbolIndex};

use super::file::{Decl, File};
use super::modules::Module;
use super::types::Ty;
use super::{Def, Entity, Resolver, Space, SpaceOf, modules};

impl Resolver<'_> {
    /// What a plain name means at an offset; empty when nothing in sight has it.
    pub(super) fn lookup(&self, file: &Arc<File>, name: &str, offset: u32, space: Space) -> Vec<Entity> {
        self.lookup_inside(file, name, offset, space, None)
    }

    /// The same for a name inside an expression: what `let x = x.next()` introduces is not seen in its own value.
    pub(super) fn lookup_inside(
        &self,
        file: &Arc<File>,
        name: &str,
        offset: u32,
        space: Space,
        inside: Option<ExprId>,
    ) -> Vec<Entity> {
        let mut scope = file.scope_at(offset);
        let mut in_function = false;
        // The members of the innermost value that a lambda around works on; only locals go before them.
        let mut received: Vec<Entity> = Vec::new();
        let class_bodies = file.lang.naming.members == Members::ClassBody;
        loop {
            let kind = file.facts.scopes[scope.0 as usize].kind;
            let hidden = kind == ScopeKind::Type && in_function && class_bodies;
            if !hidden {
                let found = self.in_scope(file, scope, name, offset, space, inside);
                if !found.is_empty() && (received.is_empty() || self.is_local(&found)) {
                    return found;
                }
                if !received.is_empty() && !matches!(kind, ScopeKind::Function | ScopeKind::Block) {
                    return received;
                }
                let found = self.through_globs(file, scope, name, space);
                if !found.is_empty() {
                    return found;
                }
                if file.lang.naming.receivers && kind == ScopeKind::Function && received.is_empty() {
                    received = self.members_of_receiver(file, scope, name, offset, space);
                }
                if file.lang.naming.methods_see_members {
                    let found = self.members_in_sight(file, scope, name, offset, space);
                    if !found.is_empty() {
                        return found;
                    }
                }
            }
            in_function |= kind == ScopeKind::Function;
            if kind == ScopeKind::Module && file.lang.naming.closed_modules {
                break; // what is around an inline module is not in sight inside it
            }
            match file.nesting.scope_parent(scope) {
                Some(outer) => scope = outer,
                None => break,
            }
        }
        if !received.is_empty() {
            return received;
        }
        modules::rules(file).beyond(self, file, name, offset, space)
    }

    /// Whether a name is one of the function around it.
    fn is_local(&self, found: &[Entity]) -> bool {
        found.iter().all(|entity| match entity {
            Entity::Local(..) => true,
            Entity::Symbol(def) => self.with(*def, |_, symbol| symbol.flags.local).unwrap_or(false),
            _ => false,
        })
    }

    /// The members of the value that a lambda works on: `x.apply { … }`.
    fn members_of_receiver(
        &self,
        file: &Arc<File>,
        scope: ScopeId,
        name: &str,
        offset: u32,
        space: Space,
    ) -> Vec<Entity> {
        if space == Space::Type || name == "this" {
            return Vec::new();
        }
        let ty = self.received(file, scope, offset);
        self.type_members(&ty, name, file.lang, super::Want::Any).into_iter().map(Entity::Symbol).collect()
    }

    /// The type of the value that the lambda which opens a scope works on.
    pub(super) fn received(&self, file: &Arc<File>, scope: ScopeId, offset: u32) -> Ty {
        let receiver = file.declared(scope, "this").find_map(|decl| match decl {
            Decl::Binding(at) if file.binding(at).start < offset => Some(at),
            _ => None,
        });
        receiver.map_or(Ty::Unknown, |at| self.entity_type(&Entity::Local(file.id(), at)))
    }

    /// The members of the type that a scope is of, or that its method belongs to, inherited ones included. What stands before a
    /// method's name is looked up outside of its type.
    fn members_in_sight(&self, file: &Arc<File>, scope: ScopeId, name: &str, offset: u32, space: Space) -> Vec<Entity> {
        let (ScopeKind::Function | ScopeKind::Type) = file.facts.scopes[scope.0 as usize].kind else {
            return Vec::new();
        };
        let start = file.facts.scopes[scope.0 as usize].span.start;
        let Some(symbol) = file.nesting.enclosing_symbol(&file.facts, start) else { return Vec::new() };
        let def = Def { version: file.id(), symbol };
        let owner = match file.symbol(symbol).kind {
            kind if kind.is_container() => Some(def),
            kind if kind.is_callable() && offset > file.symbol(symbol).name_span.end => self.known_owner(file, def),
            _ => None,
        };
        let fits = |def: &Def| space != Space::Type || !self.kind(*def).is_some_and(SymbolKind::is_callable);
        let of = |owner: Def| self.members_of(owner, name).into_iter().filter(fits).collect::<Vec<Def>>();
        let mut found = owner.map(of).unwrap_or_default();
        // A class that is defined outside of the one around it sees the names of that one all the same.
        if let Some(owner) = owner.filter(|_| found.is_empty()) {
            found =
                self.outer_types(owner).iter().map(|outer| of(*outer)).find(|all| !all.is_empty()).unwrap_or_default();
        }
        found.into_iter().map(|def| Entity::Symbol(self.constructed(def).unwrap_or(def))).collect()
    }

    /// The type that a constructor makes values of: inside the type, the name of both means the type.
    fn constructed(&self, def: Def) -> Option<Def> {
        let file = self.file(def.version)?;
        let owner = self.known_owner(&file, def)?;
        let is_same = self.with(owner, |_, owner| owner.name == file.symbol(def.symbol).name).unwrap_or(false);
        is_same.then_some(owner)
    }

    /// What a scope itself calls so.
    pub(super) fn in_scope(
        &self,
        file: &Arc<File>,
        scope: ScopeId,
        name: &str,
        offset: u32,
        space: Space,
        inside: Option<ExprId>,
    ) -> Vec<Entity> {
        let (mut found, mut kinds) = (Vec::new(), Vec::new());
        let mut local: Option<u32> = None;
        let class_bodies = file.lang.naming.members == Members::ClassBody;
        let in_class = class_bodies && file.facts.scopes[scope.0 as usize].kind == ScopeKind::Type;
        let head = self.type_in_head(file, scope, offset);
        for decl in file.declared(scope, name) {
            match decl {
                Decl::Symbol(symbol) if head.is_some() && file.symbol(symbol).parent == head => {}
                // The body of a class runs line by line: a method does not hide what decorates it.
                Decl::Symbol(symbol) if in_class && file.symbol(symbol).name_span.start > offset => {}
                // The value of `Error = Error` is what is called so around the class.
                Decl::Symbol(symbol) if in_class && is_in_own_assignment(file, symbol, offset) => {}
                // An extension has the name of what it extends, and is not it.
                Decl::Symbol(symbol) if file.symbol(symbol).kind == SymbolKind::Impl => {}
                // Where a type is expected, a name is that of the class, not of its constructor, nor of a property.
                Decl::Symbol(symbol) if space == Space::Type && is_value_member(file, symbol) => {}
                // Inside a class its name means the class, not the constructor that is called alike.
                Decl::Symbol(symbol) if is_constructor(file, symbol) => {}
                Decl::Symbol(symbol) => {
                    kinds.push(file.symbol(symbol).kind);
                    found.push(Entity::Symbol(Def { version: file.id(), symbol }));
                }
                Decl::Import(at) => {
                    let entities = self.import(file, at);
                    // A module that is required as a whole is what it exports: a class, a function.
                    let whole = entities.first().map(|entity| self.kind_of(entity));
                    for entity in entities.iter() {
                        let is_module = matches!(entity, Entity::Module(_));
                        kinds.push(whole.filter(|_| is_module).unwrap_or_else(|| self.kind_of(entity)));
                        found.push(entity.clone());
                    }
                }
                // Nothing but a type can be meant, and the local is declared with one: `list *list`.
                Decl::Binding(at) if space == Space::Type && !may_be_type(file, at) => {}
                // What a constructor takes, methods do not see.
                Decl::Binding(at) if is_of_constructor(file, scope, at) && in_method(file, offset) => {}
                Decl::Binding(at) => local = self.nearer(file, local, at, offset, inside),
            }
        }
        if found.is_empty() {
            return local.map(|at| Entity::Local(file.id(), at)).into_iter().collect();
        }
        if space != Space::Any && kinds.iter().any(|kind| kind.fits(space)) {
            let mut kinds = kinds.iter();
            found.retain(|_| kinds.next().is_some_and(|kind| kind.fits(space)));
        }
        found.dedup();
        found
    }

    /// The type that a scope is of, where an offset is in its head: what it builds on is not looked up among its own members.
    fn type_in_head(&self, file: &File, scope: ScopeId, offset: u32) -> Option<SymbolIndex> {
        let scope = &file.facts.scopes[scope.0 as usize];
        if scope.kind != ScopeKind::Type || !file.lang.naming.heads_outside {
            return None;
        }
        let symbol = file.nesting.enclosing_symbol(&file.facts, scope.span.start)?;
        in_head(file, symbol, offset).then_some(symbol)
    }

    /// Of two bindings of one name the one that is seen: the last before the offset, else the first.
    fn nearer(&self, file: &File, old: Option<u32>, new: u32, offset: u32, inside: Option<ExprId>) -> Option<u32> {
        let binding = file.binding(new);
        // The variables of an instance are those of all its methods.
        let ordered = file.lang.naming.locals != Locals::Everywhere
            && !file.facts.name(binding.name).starts_with('@')
            && !matches!(binding.kind, BindingKind::Param | BindingKind::TypeParam);
        if ordered && (binding.start > offset || self.in_own_value(file, new, offset, inside)) {
            return old;
        }
        // `x = x.next()` is about the `x` before, where there is one.
        let before = old.is_some() && binding.kind == BindingKind::Local && binding.start <= offset;
        if before && self.in_own_value(file, new, offset, inside) {
            return old;
        }
        match old.map(|old| file.binding(old).start) {
            // `where T: Bound` says more about a type parameter, and is none of its own.
            Some(start) if binding.kind == BindingKind::TypeParam && start < binding.start => old,
            Some(start) if start > binding.start && start <= offset => old,
            Some(start) if binding.start > offset && start < binding.start => old,
            _ => Some(new),
        }
    }

    /// Whether an offset is in the value that a binding is initialised with: `x` of `let x = x.next()` is not its own.
    /// The text of values is not kept, but the first use of the name behind the binding has to be the one in its value.
    fn in_own_value(&self, file: &File, at: u32, offset: u32, inside: Option<ExprId>) -> bool {
        let binding = file.binding(at);
        let Some(value) = binding.value else { return false };
        let named = inside.or_else(|| {
            let name = Expr::Name(binding.name);
            file.facts.exprs.iter().position(|expr| *expr == name).map(|at| ExprId(at as u32))
        });
        if !named.is_some_and(|part| contains(file, value, part, 0)) {
            return false;
        }
        let from = file.facts.occurrences.partition_point(|occurrence| occurrence.start <= binding.start);
        let mut later = file.facts.occurrences[from..].iter().filter(|other| other.name == binding.name);
        let second = later.nth(1).map_or(u32::MAX, |other| other.start);
        offset < second
    }

    /// The kind of a symbol that an import leads to; modules count as such.
    fn kind_of(&self, entity: &Entity) -> SymbolKind {
        match entity {
            Entity::Symbol(def) => self.kind(*def).unwrap_or(SymbolKind::Variable),
            Entity::Module(_) => SymbolKind::Module,
            // What is not here may be anything.
            Entity::Local(..) | Entity::Foreign | Entity::Missing => SymbolKind::Class,
        }
    }

    /// `use module::*` and the like in a scope.
    pub(super) fn through_globs(&self, file: &Arc<File>, scope: ScopeId, name: &str, space: Space) -> Vec<Entity> {
        if file.lang.naming.exports_apart || file.lang.naming.requires {
            return Vec::new(); // `export *` brings nothing into the module itself
        }
        let mut globs: Vec<u32> = file.globs().filter(|(_, import)| import.scope == scope).map(|(at, _)| at).collect();
        // A module of Python runs line by line: the last one that brings a name stays.
        if file.lang.naming.system == System::Python {
            globs.reverse();
            globs.sort_by_cached_key(|at| self.import(file, *at).iter().any(|module| self.withholds(module, name)));
        }
        for at in globs {
            let found = self.through_glob(file, at, name, space);
            if !found.is_empty() {
                return found;
            }
        }
        Vec::new()
    }

    /// Whether a module of Python has a list of what `import *` brings, written out in one piece, in which a name is not.
    fn withholds(&self, module: &Entity, name: &str) -> bool {
        let Entity::Module(Module::File(version)) = module else { return false };
        let Some(file) = self.file(*version) else { return false };
        let list = file.declared(ScopeId(0), "__all__").find_map(|decl| match decl {
            Decl::Symbol(symbol) => Some(file.symbol(symbol)),
            _ => None,
        });
        let Some(list) = list else { return false };
        let is_display = list
            .ty
            .and_then(|ty| file.facts.types.get(ty.0 as usize))
            .is_some_and(|ty| matches!(ty.path[..], [word] if matches!(file.facts.name(word), "list" | "tuple")));
        let is_used = |name: &str| file.name_id(name).into_iter().flat_map(|id| file.uses_of(id));
        is_display && is_used("__all__").next().is_none() && !is_used(name).any(|entry| list.span.contains(entry.start))
    }
}

/// Whether an offset is between the name of a type and its first member, where what it builds on is named.
pub(super) fn in_head(file: &File, symbol: SymbolIndex, offset: u32) -> bool {
    use SymbolKind::{Class, Enum, Interface, Struct};
    let own = file.symbol(symbol);
    let first = file.facts.symbols.get(symbol.0 as usize + 1).filter(|next| next.parent == Some(symbol));
    file.lang.naming.heads_outside
        && matches!(own.kind, Class | Enum | Interface | Struct)
        && own.name_span.start <= offset
        && first.is_some_and(|first| offset < first.full_span.start)
}

/// Whether a method is called like its class.
fn is_constructor(file: &File, symbol: SymbolIndex) -> bool {
    let method = file.symbol(symbol);
    let outer = method.parent.filter(|_| method.kind == SymbolKind::Method && !file.lang.is_deep());
    outer.is_some_and(|outer| file.symbol(outer).name == method.name)
}

/// Whether a binding is a parameter of a class's own constructor.
fn is_of_constructor(file: &File, scope: ScopeId, at: u32) -> bool {
    file.lang.naming.receivers
        && file.binding(at).kind == BindingKind::Param
        && file.facts.scopes[scope.0 as usize].kind == ScopeKind::Type
}

fn in_method(file: &File, offset: u32) -> bool {
    let around = file.nesting.enclosing_symbol(&file.facts, offset);
    around.is_some_and(|at| file.symbol(at).kind.is_callable())
}

/// Whether a member can only be a value: where all that is in sight is known, a field may hold a type.
fn is_value_member(file: &File, symbol: SymbolIndex) -> bool {
    use SymbolKind::{Const, Field, Fn, Method, Property, Variable};
    match file.symbol(symbol).kind {
        Method => true,
        Field | Property => !file.lang.is_deep(),
        // `struct stat` beside a function `stat`.
        Fn | Variable | Const => file.lang.naming.includes,
        _ => false,
    }
}

/// Whether an offset is in what a field is set to where it is defined.
fn is_in_own_assignment(file: &File, symbol: SymbolIndex, offset: u32) -> bool {
    let symbol = file.symbol(symbol);
    symbol.kind == SymbolKind::Field && symbol.span.contains(offset) && offset >= symbol.name_span.end
}

/// Whether a local may be meant where a type is expected.
fn may_be_type(file: &File, at: u32) -> bool {
    file.lang.naming.local_types || file.binding(at).kind == BindingKind::TypeParam
}

/// Whether an expression is, or has inside, another.
fn contains(file: &File, whole: ExprId, part: ExprId, depth: u32) -> bool {
    if whole == part {
        return true;
    }
    let inner = match file.facts.exprs.get(whole.0 as usize) {
        Some(Expr::Member(base, _)) => *base,
        Some(Expr::Call(base) | Expr::Index(base) | Expr::Unwrap(base)) => *base,
        Some(Expr::Argument(base, _) | Expr::Part(base, _)) => *base,
        Some(Expr::Either(one, other)) => {
            return depth < 32 && (contains(file, *one, part, depth + 1) || contains(file, *other, part, depth + 1));
        }
        _ => return false,
    };
    depth < 32 && contains(file, inner, part, depth + 1)
}
