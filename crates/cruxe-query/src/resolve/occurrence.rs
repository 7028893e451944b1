//! One use of a name, with everything together.

use std::sync::Arc;

use cruxe_model::SymbolKind;
use cruxe_model::facts::{Expr, ExprId, Occurrence, Role, SymbolIndex};

use cruxe_store::SymbolHit;

use super::exact::Said;
use super::file::{File, Lang};
use super::keys::is_data;
use super::modules::spaces::path_of;
use super::types::Ty;
use super::{Def, Entity, Resolver, Space, Want, modules};
use crate::name::segments;

/// How sure it is who is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Certainty {
    /// A compiler's index says so.
    Exact,
    /// One definition, by scope, import or type.
    Static,
    /// A guess by two names: the member's, and the variable's, which the code base gives to values of that type.
    Customary,
    /// A guess: several are possible, or only the name speaks for it.
    Heuristic,
}

impl Certainty {
    /// Whether it is a guess.
    pub fn is_guess(self) -> bool {
        matches!(self, Certainty::Customary | Certainty::Heuristic)
    }
}

/// What an occurrence means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resolution {
    /// Definitions of the ref.
    Defs(Vec<Def>, Certainty),
    /// A module or package of the ref.
    Module,
    /// A parameter, local or type parameter.
    Local,
    /// Something that the ref does not define.
    Outside,
    /// It cannot be told.
    Unresolved(Reason),
}

/// Why it cannot be told what an identifier means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// Nothing is known about what stands before the dot.
    Receiver,
    /// Several definitions are possible.
    Several,
    /// Nothing that the file imports or sees is called so.
    NotInSight,
    /// What stands before the dot is known, and has nothing that is called so.
    NoSuchMember,
    /// A key or named argument of something that is not known.
    Key,
    /// A part of the path of a module.
    Path,
    /// Its path leads into the ref, which has nothing there: a module was renamed, or is made by a build.
    Missing,
    /// A compiler's index covers the file and says nothing about it.
    Compiler,
    /// The file's language has no way to mean a definition of this one.
    Language,
    /// No rule knows the syntax that it stands in.
    Syntax,
    /// It stands where the text could not be parsed.
    Unparsed,
}

/// Definitions of a name that are looked at to find out whether all of them are extensions.
const MAX_EXTENSIONS: usize = 64;

impl Resolution {
    fn of(mut defs: Vec<Def>) -> Resolution {
        defs.sort_unstable();
        defs.dedup();
        Resolution::Defs(defs, Certainty::Static)
    }
}

impl Resolver<'_> {
    /// What an occurrence means.
    pub fn resolve(&self, file: &Arc<File>, occurrence: &Occurrence) -> Resolution {
        // A compiler does not know who fills a parameter.
        if occurrence.role == Role::Provided {
            return self.work_out(file, occurrence);
        }
        match self.said(file, occurrence.start) {
            Said::Defs(defs) => Resolution::Defs(defs, Certainty::Exact),
            Said::Elsewhere => Resolution::Outside,
            Said::Unknown => self.work_out(file, occurrence),
            // Where a compiler could not tell, a guess is worth nothing.
            Said::Silence => match self.work_out(file, occurrence) {
                Resolution::Defs(_, certainty) if certainty.is_guess() => Resolution::Unresolved(Reason::Compiler),
                resolution => resolution,
            },
        }
    }

    /// What an occurrence means by scope, import, type or habit.
    fn work_out(&self, file: &Arc<File>, occurrence: &Occurrence) -> Resolution {
        self.depth.set(0);
        self.steps.set(0);
        let name = file.facts.name(occurrence.name);
        match (occurrence.role, occurrence.receiver) {
            (Role::Link, _) => Resolution::Outside,
            (Role::Path, receiver) => self.resolve_path(file, receiver, name),
            (Role::Provided, _) => self.resolve_provided(file, occurrence, name),
            (Role::Import, _) => modules::rules(file).import_use(self, file, occurrence, name),
            (Role::Key, None) if file.lang.naming.free_members.contains(&SymbolKind::Field) => {
                // The fields of records are names of the file; what is local is no field.
                self.settled(self.lookup(file, name, 0, Space::Value), file.lang)
            }
            (Role::Key | Role::Unpack, None) => Resolution::Unresolved(Reason::Key),
            (Role::Key, Some(of)) if is_data(file, of) => self.resolve_data_key(file, name),
            (Role::Key, Some(callee)) if file.lang.naming.named_arguments => {
                self.resolve_argument(file, occurrence, name, callee)
            }
            (Role::Operator, Some(receiver)) => self.resolve_operator(file, occurrence, name, receiver),
            (Role::Key, Some(of)) if is_case(file, of) => self.resolve_case(file, occurrence, name, of),
            (_, Some(receiver)) => self.resolve_member(file, occurrence, name, receiver),
            (_, None) => self.resolve_plain(file, occurrence, name),
        }
    }

    /// A path in a string that leads somewhere may well be meant so.
    fn resolve_path(&self, file: &Arc<File>, receiver: Option<ExprId>, name: &str) -> Resolution {
        let path = receiver.and_then(|receiver| path_of(file, receiver)).unwrap_or_default();
        let mut found = modules::rules(file).absolute(self, file, &path, name);
        // A word of a shell may be a function's name for whoever runs what is passed to it.
        if receiver.is_none() && !file.lang.is_deep() {
            let function = |one: &Entity| matches!(one, Entity::Symbol(def) if self.kind(*def) == Some(SymbolKind::Fn));
            found = self.lookup(file, name, 0, Space::Value);
            found.retain(function);
        }
        match self.settled(found, file.lang) {
            Resolution::Defs(defs, _) => Resolution::Defs(defs, Certainty::Heuristic),
            Resolution::Module => Resolution::Module,
            _ => Resolution::Outside,
        }
    }

    /// `case OPEN:` names a constant of what the `switch` is about, or one that is in sight.
    fn resolve_case(&self, file: &Arc<File>, occurrence: &Occurrence, name: &str, of: ExprId) -> Resolution {
        let Some(Expr::Unwrap(value)) = file.facts.exprs.get(of.0 as usize) else { return Resolution::Outside };
        let ty = self.expr_type(file, *value, occurrence.start);
        let mut found = self.type_members(&ty, name, file.lang, Want::Read);
        found.retain(|def| self.kind(*def) == Some(SymbolKind::Variant));
        if !found.is_empty() {
            return Resolution::of(found);
        }
        match self.resolve_plain(file, occurrence, name) {
            Resolution::Unresolved(_) if ty == Ty::Unknown => {
                let hits = self.hits(name);
                let of_lang = |hit: &&SymbolHit| self.lang(hit.version).is_some_and(|other| file.lang.may_mean(other));
                let all: Vec<&SymbolHit> = hits.iter().filter(of_lang).collect();
                match all[..] {
                    [one] if one.kind == SymbolKind::Variant => {
                        let def = Def { version: one.version, symbol: SymbolIndex(one.position) };
                        Resolution::Defs(vec![def], Certainty::Heuristic)
                    }
                    _ => Resolution::Unresolved(Reason::Receiver),
                }
            }
            resolution => resolution,
        }
    }

    fn resolve_plain(&self, file: &Arc<File>, occurrence: &Occurrence, name: &str) -> Resolution {
        let space = match occurrence.role {
            role if role.is_type() || modules::rules(file).leads_on(file, occurrence) => Space::Type,
            Role::Call | Role::Subclass | Role::Value | Role::Write => Space::Value,
            _ => Space::Any,
        };
        if file.is_own_type(name) {
            return Resolution::Outside;
        }
        // The name in `TEST(Suite, Name)` looks like a type, and is the test's own.
        if file.lang.naming.methods_see_members
            && occurrence.role == Role::Type
            && let Some(symbol) = file.nesting.enclosing_symbol(&file.facts, occurrence.start)
            && file.symbol(symbol).name_span.start == occurrence.start
        {
            return Resolution::of(vec![Def { version: file.id(), symbol }]);
        }
        let mut found = Vec::new();
        let ending = file.lang.naming.attribute_ending;
        if occurrence.role == Role::Decorator && !ending.is_empty() && !name.ends_with(ending) {
            found = self.lookup(file, &format!("{name}{ending}"), occurrence.start, space);
        }
        if found.is_empty() {
            found = self.lookup(file, name, occurrence.start, space);
        }
        if occurrence.role.is_call() && file.lang.naming.methods_apart && matches!(found[..], [Entity::Local(..)]) {
            found = self.methods_around(file, name, occurrence.start);
        }
        if occurrence.role.is_call() && file.lang.naming.includes {
            found.retain(|one| !matches!(one, Entity::Symbol(def) if self.is_named_by_macro(*def)));
        }
        if found.is_empty() && occurrence.role.is_call() && self.may_be_a_members(file, occurrence.start) {
            return match self.guess(file, occurrence, name) {
                guess @ Resolution::Defs(..) => guess,
                _ => self.not_in_sight(file, name),
            };
        }
        if found.is_empty() {
            let own = file.lang.naming.own_class.contains(&name);
            return if own { Resolution::Outside } else { self.not_in_sight(file, name) };
        }
        if let Some(meant) = self.type_before_dot(file, occurrence, name, &found) {
            return Resolution::of(vec![meant]);
        }
        let role = occurrence.role;
        if !file.lang.is_deep() && (role.is_call() || role == Role::Value) {
            self.told_by_call(&mut found, role.is_call());
        }
        if let Some(call) = self.overloaded(file, occurrence) {
            found = self.taking_in_sight(file, name, space, found, &call);
        }
        self.settled(found, file.lang)
    }

    /// Whether a macro makes a function of a name that it is given, which then has another: `TEST_IMPL(read) { … }`.
    fn is_named_by_macro(&self, def: Def) -> bool {
        let by_macro = |_: &Arc<File>, symbol: &cruxe_model::facts::Symbol| {
            let head = symbol.signature.strip_suffix(')').and_then(|head| head.strip_suffix(symbol.name.as_str()));
            symbol.kind == SymbolKind::Fn
                && symbol.flags.test
                && head.is_some_and(|head| head.trim_end().ends_with('('))
        };
        self.with(def, by_macro).unwrap_or(false)
    }

    /// The methods of a name that the types around an offset have, the innermost that has any; those that are imported where
    /// none has.
    fn methods_around(&self, file: &Arc<File>, name: &str, offset: u32) -> Vec<Entity> {
        for symbol in file.nesting.symbols_around(&file.facts, offset) {
            if !file.symbol(symbol).kind.is_container() {
                continue;
            }
            let mut own = self.wanted_members(Def { version: file.id(), symbol }, name, Want::Called);
            own.retain(|def| self.kind(*def).is_some_and(SymbolKind::is_callable));
            if !own.is_empty() {
                return own.into_iter().map(Entity::Symbol).collect();
            }
        }
        self.lookup(file, name, 0, Space::Value)
    }

    /// Whether a plain name may be that of a member of something unknown: of the class that a module is mixed into, of what a
    /// lambda works on.
    fn may_be_a_members(&self, file: &Arc<File>, offset: u32) -> bool {
        let mut scope = Some(file.scope_at(offset)).filter(|_| file.lang.naming.receivers);
        while let Some(at) = scope {
            if file.declared(at, "this").next().is_some() && self.received(file, at, offset) == Ty::Unknown {
                return true;
            }
            scope = file.nesting.scope_parent(at);
        }
        file.lang.naming.mixins
    }

    /// A property that is called like its type: before a member that only the type has, the type is meant, as in `State.Open` of
    /// a class with `State State { get; }`.
    fn type_before_dot(&self, file: &Arc<File>, occurrence: &Occurrence, name: &str, found: &[Entity]) -> Option<Def> {
        let [Entity::Symbol(property)] = found else { return None };
        let data = matches!(self.kind(*property), Some(SymbolKind::Property | SymbolKind::Field));
        if file.lang.is_deep() || !data {
            return None;
        }
        let after = file.facts.occurrences.partition_point(|other| other.start <= occurrence.start);
        let next = file.facts.occurrences.get(after)?;
        let receiver = file.facts.exprs.get(next.receiver?.0 as usize)?;
        if !matches!(receiver, Expr::Name(id) if file.facts.name(*id) == name)
            || next.start != occurrence.start + name.len() as u32 + 1
        {
            return None;
        }
        let Ty::Value(ty, _) = self.symbol_type(*property) else { return None };
        let same = self.with(ty, |_, symbol| symbol.name == name).unwrap_or(false);
        let members = self.members_of(ty, file.facts.name(next.name));
        let of_type = |def: &Def| {
            self.with(*def, |_, symbol| symbol.flags.associated || symbol.kind == SymbolKind::Variant).unwrap_or(false)
        };
        (same && !members.is_empty() && members.iter().all(of_type)).then_some(ty)
    }

    /// Where a function and a variable share a name, a call means the one and a read the other.
    fn told_by_call(&self, found: &mut Vec<Entity>, called: bool) {
        let callable = |entity: &Entity| match entity {
            Entity::Symbol(def) => self.kind(*def).map(|kind| kind.is_callable()),
            _ => None,
        };
        let data = |entity: &Entity| match entity {
            Entity::Symbol(def) => {
                use SymbolKind::{Const, Field, Property, Static, Variable};
                self.kind(*def).is_some_and(|kind| matches!(kind, Const | Field | Property | Static | Variable))
            }
            _ => false,
        };
        if found.iter().any(|one| callable(one) == Some(true)) && found.iter().any(data) {
            found.retain(|one| if called { callable(one) == Some(true) } else { data(one) });
        }
    }

    /// A plain name that nothing in sight has. Where all that is in sight is known, and nothing in the ref that a plain name
    /// could mean is called so, it comes from outside.
    fn not_in_sight(&self, file: &Arc<File>, name: &str) -> Resolution {
        let outside = match file.lang.is_deep() {
            true => !self.has_free(name, file.lang),
            false => self.is_only_extended(name, file.lang),
        };
        match outside {
            true => Resolution::Outside,
            false => Resolution::Unresolved(Reason::NotInSight),
        }
    }

    /// Whether the ref adds to a type that others define, and defines nothing else of its name: `extension JSONEncoder`.
    pub(super) fn is_only_extended(&self, name: &str, lang: Lang) -> bool {
        let hits = self.hits(name);
        let kin = |hit: &SymbolHit| self.lang(hit.version).is_some_and(|other| other.is_kin(lang));
        let mut own =
            hits.iter().take(MAX_EXTENSIONS).filter(|hit| hit.kind != SymbolKind::Heading && kin(hit)).peekable();
        own.peek().is_some() && own.all(|hit| hit.kind == SymbolKind::Impl)
    }

    /// Whether the ref has a definition of a name that is no member of a type.
    pub(super) fn has_free(&self, name: &str, lang: Lang) -> bool {
        // A method is always one of some type's.
        let may_be_free = |kind| !matches!(kind, SymbolKind::Impl | SymbolKind::Heading | SymbolKind::Method);
        self.hits(name).iter().filter(|hit| may_be_free(hit.kind)).any(|hit| {
            let def = Def { version: hit.version, symbol: SymbolIndex(hit.position) };
            if !self.lang(hit.version).is_some_and(|other| lang.may_mean(other)) {
                return false;
            }
            self.file(hit.version).is_some_and(|file| self.owner(&file, def).is_none())
        })
    }

    /// Entities as definitions. Where not all that is in sight is known, a name with several definitions is a guess.
    pub(super) fn settled(&self, found: Vec<Entity>, lang: Lang) -> Resolution {
        let defs: Vec<Def> = found
            .iter()
            .filter_map(|entity| match entity {
                Entity::Symbol(def) => Some(*def),
                _ => None,
            })
            .collect();
        if defs.is_empty() {
            return match found.first() {
                Some(Entity::Local(..)) => Resolution::Local,
                Some(Entity::Module(_)) => Resolution::Module,
                Some(_) if found.contains(&Entity::Missing) => Resolution::Unresolved(Reason::Missing),
                Some(_) => Resolution::Outside,
                None => Resolution::Unresolved(Reason::NotInSight),
            };
        }
        match Resolution::of(defs) {
            Resolution::Defs(defs, _) if !lang.is_deep() && self.distinct(&defs) > 1 => {
                Resolution::Defs(defs, Certainty::Heuristic)
            }
            resolution => resolution,
        }
    }

    /// How many different things some definitions are: overloads and declarations count once.
    pub(super) fn distinct(&self, defs: &[Def]) -> usize {
        let mut names: Vec<String> =
            defs.iter().filter_map(|def| self.with(*def, |_, symbol| symbol.qualified_name.clone())).collect();
        names.sort_unstable();
        names.dedup();
        names.len()
    }

    /// What the import means that names something so at an occurrence; `None` for a part of a module's path.
    pub(super) fn named_import(&self, file: &Arc<File>, occurrence: &Occurrence, name: &str) -> Option<Resolution> {
        let named = |at: &u32| {
            let import = file.import(*at);
            let line = |start| file.facts.line_of(start);
            let default = import.start == occurrence.start && import.alias == Some(occurrence.name);
            default && import.name.is_some_and(|id| file.facts.name(id) == "default")
                || import.name.is_some_and(|id| file.facts.name(id) == name)
                    && (import.start == occurrence.start
                    || import.alias.is_some() && import.start > occurrence.start
                    // `const p = @import("x.zig").parse` has the alias first.
                    || file.lang.naming.files_are_values && line(import.start) == line(occurrence.start))
        };
        let all = 0..file.facts.imports.len() as u32;
        let nearest = all.filter(named).min_by_key(|at| file.import(*at).start)?;
        Some(self.settled(self.import(file, nearest).to_vec(), file.lang))
    }

    /// What an import means that stands in the middle of an expression: `require('x').run()`.
    fn import_at(&self, file: &Arc<File>, offset: u32, name: &str) -> Option<Resolution> {
        let here = |at: &u32| {
            let import = file.import(*at);
            import.start == offset && import.name.is_some_and(|id| file.facts.name(id) == name)
        };
        let at = (0..file.facts.imports.len() as u32).find(here)?;
        Some(self.settled(self.import(file, at).to_vec(), file.lang))
    }

    /// What an import means whose path ends with a name at an occurrence: a module, as a whole.
    pub(super) fn whole_import(&self, file: &Arc<File>, occurrence: &Occurrence, name: &str) -> Option<Resolution> {
        let ends =
            |at: &u32| file.import(*at).name.is_none() && segments(file.import_module(*at)).next_back() == Some(name);
        let line = |start| file.facts.line_of(start);
        let here = |at: &u32| line(file.import(*at).start) == line(occurrence.start);
        let at = (0..file.facts.imports.len() as u32).find(|at| ends(at) && here(at))?;
        Some(self.settled(self.import(file, at).to_vec(), file.lang))
    }

    fn resolve_member(&self, file: &Arc<File>, occurrence: &Occurrence, name: &str, receiver: ExprId) -> Resolution {
        let base = self.before_member(file, receiver, occurrence.start, receiver);
        let leads_on = modules::rules(file).leads_on(file, occurrence);
        let space = if occurrence.role.is_type() || leads_on { Space::Type } else { Space::Any };
        if base == Ty::Unknown
            && file.lang.naming.files_are_values
            && let Some(found) = self.named_import(file, occurrence, name)
        {
            return found;
        }
        if base == Ty::Unknown
            && let Some(found) = self.import_at(file, occurrence.start, name)
        {
            return found;
        }
        if file.lang.naming.receivers && occurrence.role.is_call() && self.is_local_method(file, name, occurrence.start)
        {
            return Resolution::Local;
        }
        let call = self.overloaded(file, occurrence);
        if let Some(mut found) = self.by_path(file, receiver, &base, name, occurrence.start, space) {
            if let Some(call) = &call {
                self.keep_taking(&mut found, call);
            }
            // The key of `%Order{total: 1}` is a field, whatever else the module calls so.
            let is_field =
                |one: &Entity| matches!(one, Entity::Symbol(def) if self.kind(*def) == Some(SymbolKind::Field));
            if occurrence.role == Role::Key && found.iter().any(is_field) {
                found.retain(is_field);
            }
            return self.settled(found, file.lang);
        }
        let offered: Vec<Entity> = match &base {
            Ty::Union(types) => types.iter().flat_map(|ty| self.offered_by(ty, name, space)).collect(),
            _ => Vec::new(),
        };
        if !offered.is_empty() {
            return self.settled(offered, file.lang);
        }
        match &base {
            Ty::Module(module) => match self.offered(module, name, space) {
                // A module that is imported by a call is promised, and a promise has these.
                none if none.is_empty() && file.lang.naming.promised.contains(&name) => Resolution::Outside,
                found => self.settled(found, file.lang),
            },
            Ty::Item(def) if self.kind(*def) == Some(SymbolKind::Module) => {
                self.settled(self.inside(&Entity::Symbol(*def), name, space), file.lang)
            }
            Ty::Outside => self.of_outside(file, receiver, name, occurrence.start),
            Ty::Missing => Resolution::Unresolved(Reason::Missing),
            Ty::Unknown => self.guess(file, occurrence, name),
            base => {
                let want = match occurrence.role {
                    Role::Call | Role::Subclass => Want::Called,
                    Role::Value if is_path(file, receiver) => Want::Any,
                    Role::Value | Role::Write | Role::Key | Role::Unpack => Want::Read,
                    _ => Want::Any,
                };
                let mut found = self.type_members(base, name, file.lang, want);
                if let Some(call) = &call {
                    found = self.members_taking(name, found, call);
                }
                if !found.is_empty() {
                    return Resolution::of(found);
                }
                if file.lang.naming.spaces_by_macro
                    && let Some(mut found) = self.behind_hidden_space(file, receiver, name, occurrence.start, space)
                {
                    if let Some(call) = &call {
                        self.keep_taking(&mut found, call);
                    }
                    return self.settled(found, file.lang);
                }
                match base {
                    Ty::ForeignMember(..) | Ty::Bound(..) | Ty::Indexed(..) => self.guess(file, occurrence, name),
                    // Anybody may fill a table.
                    Ty::Value(..) | Ty::Union(_) if file.lang.naming.tables => self.guess(file, occurrence, name),
                    Ty::Param(..) if !file.lang.naming.strict_bounds => self.guess(file, occurrence, name),
                    base => self.without_member(base, file.lang, name),
                }
            }
        }
    }

    /// Whether a name is that of a local function with a receiver: `block` of `fun f(block: T.() -> Unit) = value.block()`.
    fn is_local_method(&self, file: &Arc<File>, name: &str, offset: u32) -> bool {
        let found = self.lookup(file, name, offset, Space::Value);
        let [local @ Entity::Local(..)] = &found[..] else { return false };
        matches!(self.entity_type(local), Ty::Foreign(kind, _) if &*kind == ".fn")
    }

    /// A name of a module that stands in the place of a value.
    fn offered_by(&self, ty: &Ty, name: &str, space: Space) -> Vec<Entity> {
        match ty {
            Ty::Module(module) => self.offered(module, name, space),
            Ty::Item(def) if self.kind(*def) == Some(SymbolKind::Module) => {
                self.inside(&Entity::Symbol(*def), name, space)
            }
            _ => Vec::new(),
        }
    }

    /// A member of something that no definition in sight is called like.
    fn of_outside(&self, file: &Arc<File>, receiver: ExprId, name: &str, offset: u32) -> Resolution {
        let mut root = receiver;
        while let Some(Expr::Member(base, _) | Expr::Call(base)) = file.facts.exprs.get(root.0 as usize) {
            root = *base;
        }
        let Some(Expr::Name(first)) = file.facts.exprs.get(root.0 as usize) else { return Resolution::Outside };
        let first = file.facts.name(*first);
        let seen = !self.lookup(file, first, offset, Space::Any).is_empty();
        match modules::rules(file).is_own(self, file, first, seen, name) {
            Some(true) => Resolution::Unresolved(Reason::Missing),
            None if !seen && self.has_free(first, file.lang) => Resolution::Unresolved(Reason::NotInSight),
            _ => Resolution::Outside,
        }
    }

    /// A member that a known type does not have: one of a foreign type that it builds on, or one that is added elsewhere.
    fn without_member(&self, base: &Ty, lang: Lang, name: &str) -> Resolution {
        if let Ty::Value(def, _) = base
            && lang.naming.member_hooks.iter().any(|hook| !self.members_of(*def, hook).is_empty())
        {
            return self.behind_hook(lang, name);
        }
        let added = match base {
            Ty::Foreign(of, _) => self.is_added_to_others(name, lang) || self.is_below(of, name, lang),
            Ty::Value(def, _) | Ty::Item(def) | Ty::SelfType(def) => match self.ground(*def, 0) {
                Ground::Own => lang.naming.open_values && self.is_member(name, lang),
                Ground::Foreign => false,
                Ground::Unknown => self.is_member(name, lang),
            },
            Ty::Missing => true,
            Ty::Union(types) => types.iter().any(|ty| self.without_member(ty, lang, name) != Resolution::Outside),
            _ => false,
        };
        if added { Resolution::Unresolved(Reason::NoSuchMember) } else { Resolution::Outside }
    }

    /// A member that code of the type works out when it is asked for: the settings of a project are the constants of a module.
    fn behind_hook(&self, lang: Lang, name: &str) -> Resolution {
        use SymbolKind::{Const, Static, Variable};
        let hits = self.hits(name);
        let of_lang = |def: &Def| self.lang(def.version).is_some_and(|other| lang.may_mean(other));
        let all = hits
            .iter()
            .filter(|hit| !hit.local && hit.kind != SymbolKind::Heading)
            .map(|hit| (hit.kind, Def { version: hit.version, symbol: SymbolIndex(hit.position) }));
        let all: Vec<(SymbolKind, Def)> = all.filter(|(_, def)| of_lang(def)).collect();
        let data = all.iter().filter(|(kind, _)| matches!(kind, Const | Static | Variable)).map(|(_, def)| *def);
        let free = |def: &Def| self.with(*def, |_, symbol| symbol.parent.is_none()).unwrap_or(false);
        let data: Vec<Def> = data.filter(free).collect();
        match (all.len(), self.distinct(&data)) {
            (0, _) => Resolution::Outside,
            (_, 1) => Resolution::Defs(data, Certainty::Heuristic),
            (_, 0) => Resolution::Unresolved(Reason::Receiver),
            _ => Resolution::Unresolved(Reason::Several),
        }
    }

    /// Whether a member of the name may be one of a type that the ref does not define: an extension, a trait's method.
    fn is_added_to_others(&self, name: &str, lang: Lang) -> bool {
        Self::adds_elsewhere(lang)
            && self.member_table(name).all.iter().any(|(def, owner)| {
                let kin = || self.lang(def.version).is_some_and(|other| lang.may_mean(other));
                let adds = match owner {
                    None => true,
                    Some(owner) => lang.naming.impls && self.kind(*owner) == Some(SymbolKind::Trait),
                };
                adds && kin()
            })
    }

    /// Whether a type that builds on a foreign one has a member: a value of that one may well be of this one.
    fn is_below(&self, foreign: &str, name: &str, lang: Lang) -> bool {
        let below = |owner: Def| self.builds_on_foreign(owner, foreign, 0);
        lang.naming.open_types && self.member_table(name).all.iter().any(|(_, owner)| owner.is_some_and(below))
    }

    fn builds_on_foreign(&self, owner: Def, foreign: &str, depth: u32) -> bool {
        let is_it = |base: &Ty| match base {
            Ty::Foreign(name, _) => &**name == foreign,
            Ty::Value(base, _) => depth < 16 && self.builds_on_foreign(*base, foreign, depth + 1),
            _ => false,
        };
        self.bases(owner).iter().any(is_it)
    }

    fn is_member(&self, name: &str, lang: Lang) -> bool {
        let kin = |version| self.lang(version).is_some_and(|other| lang.may_mean(other));
        // A method is always one of some type's.
        self.hits(name).iter().any(|hit| hit.kind == SymbolKind::Method && kin(hit.version))
            || self.member_table(name).all.iter().any(|(def, _)| kin(def.version))
    }

    /// What a type builds on.
    fn ground(&self, owner: Def, depth: u32) -> Ground {
        let of_base = |base: &Ty| match base {
            Ty::Value(base, _) | Ty::Item(base) if depth < 16 => self.ground(*base, depth + 1),
            Ty::Value(..) | Ty::Item(_) => Ground::Own,
            Ty::Unknown | Ty::Missing => Ground::Unknown,
            _ => Ground::Foreign,
        };
        self.bases(owner).iter().map(of_base).max().unwrap_or(Ground::Own)
    }
}

/// What a type builds on, directly or not.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Ground {
    /// Nothing but types of the ref.
    Own,
    /// One that the ref does not define.
    Foreign,
    /// One of which nothing is known.
    Unknown,
}

/// Whether a key is one of a `switch`: see the language's `key_of`.
fn is_case(file: &File, of: ExprId) -> bool {
    file.lang.naming.methods_apart && matches!(file.facts.exprs.get(of.0 as usize), Some(Expr::Unwrap(_)))
}

/// Whether an expression is a type's path, behind which a function may stand as a value.
fn is_path(file: &File, receiver: ExprId) -> bool {
    let name = match file.facts.exprs.get(receiver.0 as usize) {
        Some(Expr::Name(name) | Expr::Member(_, name)) => file.facts.name(*name),
        _ => return false,
    };
    name.starts_with(char::is_uppercase)
}
