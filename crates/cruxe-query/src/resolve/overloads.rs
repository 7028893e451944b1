//! Functions of one name that are told apart by what they take: which of them a call can mean.
//!
//! A call goes to those that can take what it passes. What cannot be told rules nothing out, and where nothing is left the call
//! stays with all of them: a use never vanishes because a signature was read wrongly.

use std::sync::Arc;

use cruxe_model::SymbolKind;
use cruxe_model::arguments::{Argument, Arguments};
use cruxe_model::facts::{BindingKind, Occurrence, Role, ScopeKind, Symbol, SymbolIndex};

use super::file::{File, Lang};
use super::types::Ty;
use super::{Def, Entity, Resolver, Space, Want};
use crate::takes::{Takes, first_labels, takes};

/// Further up than this nobody looks for a base class whose function takes what a call passes.
const MAX_HEIGHT: usize = 16;
/// Definitions of a name that are looked at to find the declaration with the defaults of a definition.
const MAX_DECLARED: usize = 64;

/// A call of something that may have several functions of one name.
pub(super) struct Called<'f> {
    file: &'f Arc<File>,
    arguments: Arguments,
    /// Where the name stands that is called.
    start: u32,
}

impl Called<'_> {
    /// How many arguments it passes.
    pub(super) fn count(&self) -> usize {
        self.arguments.count()
    }
}

/// What a value can be taken for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Match {
    Never,
    Maybe,
    Exact,
}

impl Resolver<'_> {
    /// What a use passes, where it is a call and its language tells functions of one name apart by that.
    pub(super) fn overloaded<'f>(&self, file: &'f Arc<File>, occurrence: &Occurrence) -> Option<Called<'f>> {
        if !occurrence.role.is_call() || !file.lang.naming.overloads {
            return None;
        }
        let arguments = file.facts.arguments(occurrence.start)?;
        Some(Called { file, arguments, start: occurrence.start })
    }

    /// Of some functions those that can take what a use passes; all of them where that is not known.
    pub fn taking(&self, file: &Arc<File>, occurrence: &Occurrence, functions: &[Def]) -> Vec<Def> {
        let mut all: Vec<Entity> = functions.iter().copied().map(Entity::Symbol).collect();
        if let Some(call) = self.overloaded(file, occurrence) {
            self.keep_taking(&mut all, &call);
        }
        all.iter().filter_map(function_of).collect()
    }

    /// Of what a plain name means, what can take the call; where nothing can, what is further away under that name.
    pub(super) fn taking_in_sight(
        &self,
        file: &Arc<File>,
        name: &str,
        space: Space,
        mut found: Vec<Entity>,
        call: &Called,
    ) -> Vec<Entity> {
        if self.keep_taking(&mut found, call) {
            return found;
        }
        let functions: Vec<Def> = found.iter().filter_map(function_of).collect();
        if functions.len() != found.len() {
            return found;
        }
        let inherited = self.further_up(name, &functions, call);
        if !inherited.is_empty() {
            return inherited.into_iter().map(Entity::Symbol).collect();
        }
        // Functions of one namespace stand in many files.
        let mut further = self.free_in_sight(file, name, call.start, space, |def| self.can_take(def, call));
        match !further.is_empty() && self.keep_taking(&mut further, call) {
            true => further,
            false => found,
        }
    }

    /// Of the members of a type those that can take the call; where none can, those that it inherits.
    pub(super) fn members_taking(&self, name: &str, found: Vec<Def>, call: &Called) -> Vec<Def> {
        let mut entities: Vec<Entity> = found.iter().copied().map(Entity::Symbol).collect();
        if !self.keep_taking(&mut entities, call) {
            let inherited = self.further_up(name, &found, call);
            return if inherited.is_empty() { found } else { inherited };
        }
        entities.iter().filter_map(function_of).collect()
    }

    /// Keeps what can take the call; all of it, and `false`, where nothing can.
    pub(super) fn keep_taking(&self, found: &mut Vec<Entity>, call: &Called) -> bool {
        let taking: Vec<Match> = found
            .iter()
            .map(|entity| function_of(entity).map_or(Match::Maybe, |def| self.takes_call(def, call)))
            .collect();
        if taking.iter().all(|one| *one == Match::Never) {
            return found.is_empty();
        }
        if found.len() > 1 {
            // Of the functions of one scope, what takes exactly this goes before what takes something like it.
            let named = |entity: &Entity| {
                function_of(entity).and_then(|def| self.with(def, |_, symbol| symbol.qualified_name.clone()))
            };
            let all = found.iter().zip(&taking);
            let exact: Vec<String> =
                all.filter(|(_, one)| **one == Match::Exact).filter_map(|(entity, _)| named(entity)).collect();
            let mut taking = taking.into_iter();
            found.retain(|entity| match taking.next() {
                Some(Match::Maybe) => exact.is_empty() || named(entity).is_none_or(|name| !exact.contains(&name)),
                Some(Match::Exact) => true,
                Some(Match::Never) | None => false,
            });
        }
        true
    }

    /// The nearest inherited functions that can take a call which those of the sub-types cannot.
    fn further_up(&self, name: &str, found: &[Def], call: &Called) -> Vec<Def> {
        let owner = |def: &Def| self.file(def.version).and_then(|file| self.known_owner(&file, *def));
        let mut owners: Vec<Def> = found.iter().filter_map(owner).collect();
        for _ in 0..MAX_HEIGHT {
            owners.sort_unstable();
            owners.dedup();
            let mut above: Vec<Def> = Vec::new();
            for own in &owners {
                for part in std::iter::once(*own).chain(self.same_type(*own)) {
                    let bases = self.bases(part);
                    for base in bases.iter().flat_map(Ty::alternatives) {
                        let (Ty::Value(base, _) | Ty::Item(base)) = base else { continue };
                        above.extend(self.wanted_members(*base, name, Want::Called));
                    }
                }
            }
            let mut taking: Vec<Entity> = above.iter().copied().map(Entity::Symbol).collect();
            if !taking.is_empty() && self.keep_taking(&mut taking, call) {
                return taking.iter().filter_map(function_of).collect();
            }
            owners = above.iter().filter_map(owner).collect();
            if owners.is_empty() {
                break;
            }
        }
        Vec::new()
    }

    /// Whether a function can take what a call passes, as far as that is known.
    pub(super) fn can_take(&self, def: Def, call: &Called) -> bool {
        self.takes_call(def, call) > Match::Never
    }

    fn takes_call(&self, def: Def, call: &Called) -> Match {
        let Some(file) = self.file(def.version).filter(|file| file.lang.naming.overloads) else { return Match::Maybe };
        let symbol = file.symbol(def.symbol);
        if !matches!(symbol.kind, SymbolKind::Fn | SymbolKind::Method) {
            return Match::Maybe;
        }
        let Some(mut takes) = takes(symbol) else { return Match::Maybe };
        let count = call.arguments.count();
        if count < takes.min {
            takes.min = self.declared_least(&file, def.symbol, takes);
        }
        if file.lang.naming.labels {
            match labelled_place(symbol, call) {
                Some(Some(0)) | None => {}
                Some(Some(_)) if takes.fits(count) => return Match::Maybe, // those before it are left out
                Some(_) => return Match::Never,
            }
        }
        match takes.fits(count) {
            true => self.takes_values(&file, def, takes, call),
            false => Match::Never,
        }
    }

    /// How few arguments the declarations of a function allow: the definition of what a header declares does not repeat defaults.
    fn declared_least(&self, file: &Arc<File>, at: SymbolIndex, takes: Takes) -> usize {
        let symbol = file.symbol(at);
        let hits = self.hits(&symbol.name);
        let others = hits.iter().take(MAX_DECLARED).filter_map(|hit| {
            let other = self.file(hit.version)?;
            let twin = other.facts.symbol(SymbolIndex(hit.position))?;
            let declares = twin.flags.declaration && twin.qualified_name == symbol.qualified_name;
            let twin = declares.then(|| crate::takes::takes(twin)).flatten()?;
            (twin.written == takes.written).then_some(twin.min)
        });
        others.min().unwrap_or(takes.min).min(takes.min)
    }

    /// How well the values that a call passes fit the parameters of a function, which are enough.
    fn takes_values(&self, file: &Arc<File>, def: Def, takes: Takes, call: &Called) -> Match {
        let parameters = parameter_bindings(file, def.symbol);
        // What stands before the dot may be the first parameter of an extension.
        if parameters.len() < takes.written || self.extended(file, def).is_some() {
            return Match::Maybe;
        }
        let mut worst = if takes.max.is_some() { Match::Exact } else { Match::Maybe };
        for (place, at) in parameters.iter().take(call.arguments.count().min(takes.fixed)).enumerate() {
            let binding = file.binding(*at);
            let taken = match binding.ty {
                Some(ty) => self.type_of(file, ty, binding.start),
                None => Ty::Unknown,
            };
            // A function behind the parentheses is what the last parameter takes, whatever is left out before it.
            let last = place + 1 == call.arguments.count() && call.arguments.at(place) == Argument::Function;
            let one = match taken {
                Ty::Unknown => Match::Maybe,
                _ if last && call.arguments.count() < takes.written => Match::Maybe,
                taken => self.matches(&self.passed(call, place), &taken, call.file.lang),
            };
            worst = worst.min(one);
            if worst == Match::Never {
                break;
            }
        }
        worst
    }

    /// The type of what a call passes at a place.
    pub(super) fn passed(&self, call: &Called, place: usize) -> Ty {
        let (file, occurrences) = (call.file, &call.file.facts.occurrences);
        let word = match call.arguments.at(place) {
            Argument::Other | Argument::Char => return Ty::Unknown,
            Argument::Own => return super::modules::rules(file).self_value(self, file, call.start),
            Argument::Str => "str",
            Argument::Int => "int",
            Argument::Float => "float",
            Argument::Bool => "bool",
            Argument::Function => "fn",
            Argument::Name | Argument::Made => {
                // The names of the arguments stand behind that of the call, in order; what has more than one ends that.
                let mut names = 0;
                for before in 0..place {
                    match call.arguments.at(before) {
                        Argument::Other | Argument::Made | Argument::Function => return Ty::Unknown,
                        Argument::Name => names += 1,
                        _ => {}
                    }
                }
                let from = occurrences.partition_point(|one| one.start <= call.start);
                let Some(named) = occurrences.get(from + names).filter(|one| one.receiver.is_none()) else {
                    return Ty::Unknown;
                };
                let name = file.facts.name(named.name);
                let made = call.arguments.at(place) == Argument::Made;
                let space = match named.role {
                    Role::Call | Role::Subclass | Role::Make | Role::Type if made => Space::Type,
                    Role::Value if !made => Space::Value,
                    _ => return Ty::Unknown,
                };
                let found = self.deeper(|| self.lookup(file, name, named.start, space));
                return match (&found[..], made) {
                    ([Entity::Symbol(def)], true) => self.named_type(*def, Vec::new()),
                    ([entity], false) => self.entity_type(entity),
                    _ => Ty::Unknown,
                };
            }
        };
        Ty::foreign(word, Vec::new())
    }

    /// Whether a value of one type can be passed where another is taken.
    fn matches(&self, passed: &Ty, taken: &Ty, lang: Lang) -> Match {
        let converts = lang.naming.converts;
        match (passed, taken) {
            (Ty::Value(one, _), Ty::Value(other, _)) if one == other => Match::Exact,
            (Ty::Value(one, _), Ty::Value(other, _)) => {
                let apart = self.is_class(*one) && self.is_class(*other) && self.is_all_known(*one, 0);
                let below = self.builds_on(*one, *other, 0) || self.same_type(*one).contains(other);
                match apart && !below && !converts {
                    // A test that nobody followed may have said that it is the sub-type.
                    true if self.builds_on(*other, *one, 0) => Match::Exact,
                    true => Match::Never,
                    false => Match::Maybe,
                }
            }
            (Ty::Foreign(one, _), Ty::Foreign(other, _)) => match (family(one), family(other)) {
                (Some(one), Some(other)) if one == other => Match::Exact,
                (Some(Family::Function), Some(_)) | (Some(_), Some(Family::Function)) => Match::Never,
                (Some(_), Some(_)) if !lang.naming.literals_convert => Match::Never,
                _ => Match::Maybe,
            },
            (Ty::Foreign(one, _), Ty::Value(other, _)) => {
                let basic = family(one).is_some_and(|family| family != Family::Function);
                if basic && self.is_class(*other) && !converts { Match::Never } else { Match::Maybe }
            }
            (Ty::Value(one, _), Ty::Foreign(other, _)) => {
                let basic = family(other).is_some_and(|family| family != Family::Function);
                if basic && self.is_class(*one) && !converts { Match::Never } else { Match::Maybe }
            }
            _ => Match::Maybe,
        }
    }

    fn is_class(&self, def: Def) -> bool {
        use SymbolKind::{Class, Enum, Interface, Struct, Trait};
        self.kind(def).is_some_and(|kind| matches!(kind, Class | Enum | Interface | Struct | Trait))
    }

    /// Whether it is known of everything that a type builds on what that is.
    fn is_all_known(&self, def: Def, depth: u32) -> bool {
        depth < 16
            && self.bases(def).iter().all(|base| match base {
                Ty::Value(base, _) | Ty::Item(base) => self.is_all_known(*base, depth + 1),
                Ty::Foreign(..) => true,
                _ => false,
            })
    }
}

/// Types of literals that nobody takes for one another.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Family {
    Text,
    Number,
    Truth,
    Function,
}

/// Whether a type is one of a language's own: a number, a text, a truth.
pub(super) fn is_basic(name: &str) -> bool {
    family(name).is_some()
}

fn family(name: &str) -> Option<Family> {
    Some(match name {
        "str" | "String" | "string" => Family::Text,
        "int" | "long" | "short" | "byte" | "float" | "double" | "Int" | "Long" | "Short" | "Byte" | "Float"
        | "Double" | "Integer" | "uint" | "ulong" | "ushort" | "sbyte" | "decimal" | "UInt" | "CGFloat" => {
            Family::Number
        }
        "bool" | "boolean" | "Bool" | "Boolean" => Family::Truth,
        "fn" => Family::Function,
        _ => return None,
    })
}

/// Which parameter of a function the first argument of a call is for by its label, `Some(None)` where the function knows no such
/// label. What stands right behind the parenthesis is a label, a name without one, or something of which nothing is told.
fn labelled_place(symbol: &Symbol, call: &Called) -> Option<Option<usize>> {
    let (facts, start) = (&call.file.facts, call.start);
    let at = facts.occurrences.partition_point(|one| one.start <= start);
    let name = at.checked_sub(1).and_then(|at| facts.occurrences.get(at)).filter(|one| one.start == start)?;
    let first = facts.occurrences.get(at)?;
    let behind = start + facts.name(name.name).len() as u32 + 1;
    if first.start != behind || call.arguments.count() == 0 || call.arguments.at(0) == Argument::Function {
        return None;
    }
    let label = (first.role == Role::Key).then(|| facts.name(first.name));
    Some(first_labels(symbol)?.iter().position(|known| *known == label))
}

fn function_of(entity: &Entity) -> Option<Def> {
    match entity {
        Entity::Symbol(def) => Some(*def),
        _ => None,
    }
}

/// The parameters of a function, in order.
fn parameter_bindings(file: &File, function: SymbolIndex) -> Vec<u32> {
    let Some(scope) = file.scope_of(function, ScopeKind::Function) else { return Vec::new() };
    let all = file.facts.bindings.iter().enumerate();
    let own = all.filter(|(_, binding)| binding.scope == scope && binding.kind == BindingKind::Param);
    own.map(|(at, _)| at as u32).collect()
}
