//! Guesses: who may be meant where nothing is known about the receiver.
//!
//! A guess needs one candidate. Where several types that have nothing to do with each other have a member of the name,
//! or where everyday types of the standard library have one, the use stays unresolved and is counted.

use std::rc::Rc;
use std::sync::Arc;

use cruxe_extract::naming::System;
use cruxe_model::SymbolKind;
use cruxe_model::facts::{Expr, ExprId, Occurrence, Role};
use cruxe_store::SymbolHit;

use super::file::{File, Lang};
use super::occurrence::{Certainty, Reason, Resolution};
use super::types::Ty;
use super::{Def, Resolver, foreign};
use crate::uses::in_test as in_test_code;

/// In more files than this nobody looks for the habits of a code base.
const MAX_CUSTOM_FILES: usize = 200;
/// A name that more members have is nobody's in particular.
const MAX_FAMILY: usize = 48;

/// What a member has to be to be used so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Use {
    Called,
    Written,
    Read,
}

/// A variable's name with the name of a member that is used on it, in a test or elsewhere.
pub(super) type Habit = (String, String, System, Use, bool);

/// The members of a name that a use may mean.
#[derive(Default)]
pub(super) struct Family {
    members: Vec<(Def, Option<Def>)>,
    /// Members that only tests define, where the use is in none of them.
    in_tests: Vec<(Def, Option<Def>)>,
    /// Those that override none of the others, where all of them are one thing.
    root: Option<Vec<Def>>,
    /// Too many to be looked at.
    crowded: bool,
    /// There are some, all of them in tests, where the use is not.
    only_tests: bool,
}

impl Resolver<'_> {
    /// With nothing known about the receiver, a name that only one type in the language has is probably that one's.
    pub(super) fn guess(&self, file: &Arc<File>, occurrence: &Occurrence, name: &str) -> Resolution {
        let used = match occurrence.role {
            Role::Call | Role::Subclass => Use::Called,
            Role::Write => Use::Written,
            _ => Use::Read,
        };
        // Any object may have a key: that one type has a member of its name says little.
        if file.lang.naming.objects && matches!(occurrence.role, Role::Key | Role::Unpack) {
            return Resolution::Unresolved(Reason::Receiver);
        }
        let in_test = in_test_code(file, occurrence.start);
        let family = self.family(name, file.lang, used, in_test);
        if family.crowded {
            return Resolution::Unresolved(Reason::Several);
        }
        if family.members.is_empty() {
            // Not a member of any type of the ref. But what stands before the dot may be a module, or anything.
            let free = family.only_tests || file.lang.naming.open_values && self.has_free(name, file.lang);
            return if free { Resolution::Unresolved(Reason::Receiver) } else { Resolution::Outside };
        }
        let call = self.overloaded(file, occurrence);
        if let Some(found) = self.by_convention(file, occurrence, name, used, &family)
            && call.as_ref().is_none_or(|call| self.can_take(found, call))
        {
            return Resolution::Defs(vec![found], Certainty::Customary);
        }
        let root = match call {
            Some(call) if !family.members.iter().all(|(def, _)| self.can_take(*def, &call)) => {
                let all = family.members.iter().chain(&family.in_tests);
                let taking: Vec<(Def, Option<Def>)> =
                    all.filter(|(def, _)| self.can_take(*def, &call)).copied().collect();
                let is_member = |def: &Def| family.members.iter().any(|(member, _)| member == def);
                self.one_root(&taking).filter(|root| root.iter().all(is_member))
            }
            _ => family.root.clone(),
        };
        match root {
            Some(root) if self.is_filled_here(file, occurrence, &root) => Resolution::Unresolved(Reason::Receiver),
            Some(root) if !foreign::is_common(name, file.lang) => Resolution::Defs(root, Certainty::Heuristic),
            _ => Resolution::Unresolved(Reason::Receiver),
        }
    }

    /// Whether what is read of `self` is set in the same file, by a literal or an assignment, and what is guessed stands in another:
    /// a table that its own file fills needs no other.
    fn is_filled_here(&self, file: &Arc<File>, occurrence: &Occurrence, guessed: &[Def]) -> bool {
        let of_self = |id: ExprId| match file.facts.exprs.get(id.0 as usize) {
            Some(Expr::SelfValue) => true,
            Some(Expr::Name(name)) => file.facts.name(*name) == "self",
            _ => false,
        };
        file.lang.naming.tables
            && occurrence.receiver.is_some_and(of_self)
            && !guessed.iter().any(|def| def.version == file.id())
            && file.uses_of(occurrence.name).any(|other| matches!(other.role, Role::Key | Role::Write))
    }

    /// The members that override none of the others, where all of them are one thing.
    fn one_root(&self, members: &[(Def, Option<Def>)]) -> Option<Vec<Def>> {
        let inherits = |owner: Def| {
            let base = |(_, other): &(Def, Option<Def>)| {
                other.is_some_and(|other| other != owner && self.builds_on(owner, other, 0))
            };
            members.iter().any(base)
        };
        let roots = members.iter().filter(|(_, owner)| !owner.is_some_and(inherits));
        let roots: Vec<Def> = roots.map(|(def, _)| *def).collect();
        (self.distinct(&roots) == 1).then_some(roots)
    }

    fn family(&self, name: &str, lang: Lang, used: Use, in_test: bool) -> Rc<Family> {
        let key = (name.to_owned(), lang.naming.system, used, in_test);
        if let Some(family) = self.families.borrow().get(&key) {
            return Rc::clone(family);
        }
        let family = Rc::new(self.read_family(name, lang, used, in_test));
        self.families.borrow_mut().insert(key, Rc::clone(&family));
        family
    }

    /// Whether more methods have a name than are looked at, as far as that can be told without reading the files that they are in.
    fn is_crowd(&self, name: &str, lang: Lang, in_test: bool) -> bool {
        let fits = |hit: &&SymbolHit| {
            hit.kind == SymbolKind::Method
                && self
                    .tree
                    .brief(hit.version)
                    .is_some_and(|brief| lang.may_mean(brief.lang) && (in_test || !brief.is_test && !hit.test))
        };
        !lang.naming.associated_by_path && self.hits(name).iter().filter(fits).nth(MAX_FAMILY).is_some()
    }

    fn read_family(&self, name: &str, lang: Lang, used: Use, in_test: bool) -> Family {
        if used == Use::Called && self.is_crowd(name, lang, in_test) {
            return Family { crowded: true, ..Family::default() };
        }
        let table = self.member_table(name);
        let (mut members, mut in_tests) = (Vec::new(), Vec::new());
        for (def, owner) in &table.all {
            let fits = self.with(*def, |other, symbol| {
                let data = matches!(symbol.kind, SymbolKind::Field | SymbolKind::Property | SymbolKind::Variant);
                let kind = match used {
                    Use::Called => !data || lang.naming.called_fields || lang.naming.mixins,
                    Use::Written => symbol.kind == SymbolKind::Field,
                    // Where anything may hold a function, a name that is only read says little about one.
                    Use::Read if lang.naming.tables => data,
                    Use::Read => symbol.kind != SymbolKind::Variant || !lang.is_deep(),
                };
                // A path is known, so what is reached by one needs no guess.
                let by_path = lang.naming.associated_by_path && symbol.flags.associated;
                lang.may_mean(other.lang) && kind && !by_path
            });
            if !fits.unwrap_or(false) {
                continue;
            }
            // What only tests define is not what other code was written for.
            if !in_test && self.with(*def, |other, symbol| in_test_code(other, symbol.name_span.start)).unwrap_or(false)
            {
                in_tests.push((*def, *owner));
                continue;
            }
            members.push((*def, *owner));
            if members.len() > MAX_FAMILY {
                return Family { crowded: true, ..Family::default() };
            }
        }
        // Where types are written down, one that is not known is mostly foreign: a name that tests give to types of their own
        // says little about who is meant, although their types are not.
        let mut root = self.one_root(&members);
        if used == Use::Called && !lang.is_deep() && !in_tests.is_empty() {
            let all: Vec<(Def, Option<Def>)> = members.iter().chain(&in_tests).copied().collect();
            root = root.filter(|_| self.one_root(&all).is_some());
        }
        let only_tests = !in_tests.is_empty() && members.is_empty();
        if lang.is_deep() {
            in_tests.clear();
        }
        Family { members, in_tests, root, crowded: false, only_tests }
    }

    /// A code base calls values of one type by one name: where a variable without a type has the name that others
    /// with a type have, and that type has the member, it is meant. So is an object with the member that has the name itself:
    /// `res` of a handler is made from `const res = Object.create(…)`.
    fn by_convention(
        &self,
        file: &Arc<File>,
        occurrence: &Occurrence,
        name: &str,
        used: Use,
        family: &Family,
    ) -> Option<Def> {
        let at = |id: ExprId| file.facts.exprs.get(id.0 as usize);
        let variable = match at(occurrence.receiver?)? {
            Expr::Name(variable) => variable,
            // Where methods are called without parentheses, one may be called like what it gives.
            Expr::Call(callee) if file.lang.naming.mixins => match at(*callee)? {
                Expr::Name(variable) | Expr::Member(_, variable) => variable,
                _ => return None,
            },
            _ => return None,
        };
        let variable = file.facts.name(*variable);
        let in_test = in_test_code(file, occurrence.start);
        let key = (variable.to_owned(), name.to_owned(), file.lang.naming.system, used, in_test);
        if let Some(known) = self.customs.borrow().get(&key) {
            return *known;
        }
        let mut owners = family.members.iter().filter_map(|(def, owner)| Some((*def, (*owner)?)));
        let mut customary = owners.by_ref().filter(|(_, owner)| self.is_customary(variable, *owner, file.lang));
        let first = customary.next().map(|(def, _)| def);
        let found = first.filter(|_| customary.next().is_none());
        self.customs.borrow_mut().insert(key, found);
        found
    }

    /// Whether variables of this name are declared with this type.
    fn is_customary(&self, variable: &str, owner: Def, lang: Lang) -> bool {
        use SymbolKind::{Const, Static, Variable};
        let Some(owner) = self.with(owner, |_, symbol| {
            let object = matches!(symbol.kind, Const | Static | Variable);
            (symbol.name.clone(), object, object && symbol.parent.is_none() && !symbol.flags.local)
        }) else {
            return false;
        };
        let (ty, is_object, is_shared) = owner;
        // Where no variable has a type, it is called like its class.
        if lang.naming.mixins || lang.naming.tables {
            return is_called_like(variable, &ty);
        }
        if is_object {
            return is_shared && ty == variable;
        }
        let declares = |version: &u32| {
            let Some(file) = self.file(*version).filter(|file| lang.may_mean(file.lang)) else { return false };
            let Some(name) = file.name_id(variable) else { return false };
            file.facts.bindings.iter().any(|binding| {
                let Some(written) = binding.ty.and_then(|id| file.facts.types.get(id.0 as usize)) else { return false };
                binding.name == name && file.type_name(written) == Some(&ty)
            })
        };
        self.mentioning(&ty).iter().take(MAX_CUSTOM_FILES).any(declares)
    }

    /// Whether a type builds on another.
    pub(super) fn builds_on(&self, owner: Def, other: Def, depth: u32) -> bool {
        depth < 16
            && self.bases(owner).iter().any(|base| match base {
                Ty::Value(base, _) => *base == other || self.builds_on(*base, other, depth + 1),
                _ => false,
            })
    }
}

/// Whether a variable is called like a class: `order_line` or `@order_line` for `OrderLine`.
fn is_called_like(variable: &str, class: &str) -> bool {
    let letters =
        |text: &str| text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect::<String>();
    class.len() > 2 && letters(variable) == letters(class)
}
