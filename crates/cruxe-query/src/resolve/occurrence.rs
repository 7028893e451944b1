//! One use of a name, with everything together.

use std::sync::Arc;

use cruxe_model::SymbolKind;
use cruxe_model::facts::{Expr, ExprId, Occurrence, Role};

use super::file::{File, Lang};
use super::types::Ty;
use super::{Def, Entity, Resolver, Space, Want, foreign};

/// In more files than this nobody looks for the habits of a code base.
const MAX_CUSTOM_FILES: usize = 200;

/// How sure it is who is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Certainty {
    /// One definition, by scope, import or type.
    Static,
    /// A guess: several are possible, or only the name speaks for it.
    Heuristic,
}

/// What an occurrence means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resolution {
    /// Definitions of the ref.
    Defs(Vec<Def>, Certainty),
    /// A local, or something outside the ref.
    Elsewhere,
    /// It cannot be told.
    Unresolved,
}

impl Resolution {
    fn of(mut defs: Vec<Def>) -> Resolution {
        defs.sort_unstable();
        defs.dedup();
        if defs.is_empty() { Resolution::Elsewhere } else { Resolution::Defs(defs, Certainty::Static) }
    }
}

impl Resolver<'_> {
    /// What an occurrence means.
    pub fn resolve(&self, file: &Arc<File>, occurrence: &Occurrence) -> Resolution {
        self.depth.set(0);
        self.steps.set(0);
        let name = file.facts.name(occurrence.name);
        match (occurrence.role, occurrence.receiver) {
            (Role::Link, _) => Resolution::Elsewhere,
            (Role::Import, receiver) => self.resolve_import(file, occurrence, name, receiver),
            (Role::Key, None) => Resolution::Elsewhere,
            (_, Some(receiver)) => self.resolve_member(file, occurrence, name, receiver),
            (_, None) => self.resolve_plain(file, occurrence, name),
        }
    }

    fn resolve_plain(&self, file: &Arc<File>, occurrence: &Occurrence, name: &str) -> Resolution {
        let space = match occurrence.role {
            Role::Type | Role::Extends | Role::Implements => Space::Type,
            Role::Call | Role::Value | Role::Write => Space::Value,
            _ => Space::Any,
        };
        if file.lang == Lang::Rust && name == "Self" {
            return Resolution::Elsewhere;
        }
        let found = self.lookup(file, name, occurrence.start, space);
        if found.is_empty() && file.lang == Lang::Broad {
            return Resolution::Unresolved;
        }
        self.settled(found, file.lang)
    }

    /// Entities as definitions. In the broad languages a name with several definitions in sight is a guess.
    fn settled(&self, found: Vec<Entity>, lang: Lang) -> Resolution {
        let defs: Vec<Def> = found
            .into_iter()
            .filter_map(|entity| match entity {
                Entity::Symbol(def) => Some(def),
                _ => None,
            })
            .collect();
        match Resolution::of(defs) {
            Resolution::Defs(defs, _) if lang == Lang::Broad && self.distinct(&defs) > 1 => {
                Resolution::Defs(defs, Certainty::Heuristic)
            }
            resolution => resolution,
        }
    }

    /// How many different things some definitions are: overloads and declarations count once.
    fn distinct(&self, defs: &[Def]) -> usize {
        let mut names: Vec<String> =
            defs.iter().filter_map(|def| self.with(*def, |_, symbol| symbol.qualified_name.clone())).collect();
        names.sort_unstable();
        names.dedup();
        names.len()
    }

    fn resolve_import(
        &self,
        file: &Arc<File>,
        occurrence: &Occurrence,
        name: &str,
        receiver: Option<ExprId>,
    ) -> Resolution {
        match file.lang {
            Lang::Rust => {
                let mut path = receiver.map(|id| path_of(file, id)).unwrap_or_default();
                path.push(name);
                let found = self.rust_path(file, &path, occurrence.start, Space::Any);
                self.settled(found, file.lang)
            }
            Lang::Go => Resolution::Elsewhere,
            _ => {
                let named = |at: &u32| {
                    let import = file.import(*at);
                    import.name.is_some_and(|id| file.facts.name(id) == name)
                        && (import.start == occurrence.start || import.alias.is_some() && import.start > occurrence.start)
                };
                let all = 0..file.facts.imports.len() as u32;
                let nearest = all.filter(named).min_by_key(|at| file.import(*at).start);
                match nearest {
                    Some(at) => self.settled(self.import(file, at).to_vec(), file.lang),
                    // `import Default from './x'` stands under its own name; elsewhere it is a part of a module's path.
                    None if file.lang == Lang::Ecma => {
                        self.settled(self.lookup(file, name, occurrence.start, Space::Any), file.lang)
                    }
                    None => Resolution::Elsewhere,
                }
            }
        }
    }

    fn resolve_member(&self, file: &Arc<File>, occurrence: &Occurrence, name: &str, receiver: ExprId) -> Resolution {
        let base = self.expr_type(file, receiver, occurrence.start);
        let space = match occurrence.role {
            Role::Type | Role::Extends | Role::Implements => Space::Type,
            _ => Space::Any,
        };
        match &base {
            Ty::Module(module) => self.settled(self.offered(module, name, space), file.lang),
            Ty::Item(def) if self.kind(*def) == Some(SymbolKind::Module) => {
                self.settled(self.inside(&Entity::Symbol(*def), name, space), file.lang)
            }
            Ty::Outside => Resolution::Elsewhere,
            Ty::Unknown => self.guess(file, occurrence, name),
            base => {
                let want = match occurrence.role {
                    Role::Call => Want::Called,
                    Role::Value if is_path(file, receiver) => Want::Any,
                    Role::Value | Role::Write | Role::Key => Want::Read,
                    _ => Want::Any,
                };
                let found = self.type_members(base, name, file.lang, want);
                if !found.is_empty() {
                    return Resolution::of(found);
                }
                match base {
                    Ty::ForeignMember(..) | Ty::Bound(..) => self.guess(file, occurrence, name),
                    Ty::Param(..) if file.lang != Lang::Rust => self.guess(file, occurrence, name),
                    _ => Resolution::Elsewhere,
                }
            }
        }
    }

    /// With nothing known about the receiver, a name that only one type in the language has is probably that one's.
    fn guess(&self, file: &Arc<File>, occurrence: &Occurrence, name: &str) -> Resolution {
        let table = self.member_table(name);
        let mut family: Vec<(Def, Option<Def>)> = Vec::new();
        for (def, owner) in &table.all {
            let fits = self.with(*def, |other, symbol| {
                let callable = !matches!(symbol.kind, SymbolKind::Field | SymbolKind::Property | SymbolKind::Variant);
                let called = occurrence.role != Role::Call || callable || other.lang == Lang::Ecma;
                let field = symbol.kind == SymbolKind::Field || occurrence.role != Role::Write;
                let reached = !matches!(other.lang, Lang::Rust) || !symbol.flags.associated;
                other.lang == file.lang && called && field && reached && symbol.kind != SymbolKind::Variant
            });
            if fits.unwrap_or(false) {
                family.push((*def, *owner));
            }
        }
        if family.is_empty() {
            return Resolution::Elsewhere;
        }
        if let Some(found) = self.by_convention(file, occurrence, &family) {
            return Resolution::Defs(vec![found], Certainty::Heuristic);
        }
        if foreign::is_common(name, file.lang) {
            return Resolution::Unresolved;
        }
        // Members that override one another are one family; its root is meant as much as any of them.
        let roots: Vec<Def> = family
            .iter()
            .filter(|(_, owner)| {
                !owner.is_some_and(|owner| {
                    let inherits = |(_, other): &(Def, Option<Def>)| {
                        other.is_some_and(|other| other != owner && self.builds_on(owner, other, 0))
                    };
                    family.iter().any(inherits)
                })
            })
            .map(|(def, _)| *def)
            .collect();
        match self.distinct(&roots) {
            1 => Resolution::Defs(roots, Certainty::Heuristic),
            _ => Resolution::Unresolved,
        }
    }

    /// A code base calls values of one type by one name: where a variable without a type has the name that others
    /// with a type have, and that type has the member, it is meant.
    fn by_convention(&self, file: &Arc<File>, occurrence: &Occurrence, family: &[(Def, Option<Def>)]) -> Option<Def> {
        let receiver = file.facts.exprs.get(occurrence.receiver?.0 as usize)?;
        let Expr::Name(variable) = receiver else { return None };
        let variable = file.facts.name(*variable);
        let mut found = None;
        for (def, owner) in family {
            let Some(owner) = owner else { continue };
            if self.is_customary(variable, *owner, file.lang) && found.replace(*def).is_some() {
                return None;
            }
        }
        found
    }

    /// Whether variables of this name are declared with this type.
    fn is_customary(&self, variable: &str, owner: Def, lang: Lang) -> bool {
        let Some(ty) = self.with(owner, |_, symbol| symbol.name.clone()) else { return false };
        let key = (variable.to_owned(), owner);
        if let Some(known) = self.customs.borrow().get(&key) {
            return *known;
        }
        let declares = |version: &u32| {
            let Some(file) = self.file(*version).filter(|file| file.lang == lang) else { return false };
            file.facts.bindings.iter().any(|binding| {
                let Some(written) = binding.ty.and_then(|id| file.facts.types.get(id.0 as usize)) else { return false };
                file.facts.name(binding.name) == variable
                    && written.path.last().is_some_and(|last| file.facts.name(*last) == ty)
            })
        };
        let known = self.mentioning(&ty).iter().take(MAX_CUSTOM_FILES).any(declares);
        self.customs.borrow_mut().insert(key, known);
        known
    }

    /// Whether a type builds on another.
    fn builds_on(&self, owner: Def, other: Def, depth: u32) -> bool {
        depth < 16
            && self.bases(owner).iter().any(|base| match base {
                Ty::Value(base, _) => *base == other || self.builds_on(*base, other, depth + 1),
                _ => false,
            })
    }
}

/// Whether an expression is a type's path, behind which a function may stand as a value.
fn is_path(file: &File, receiver: ExprId) -> bool {
    let name = match file.facts.exprs.get(receiver.0 as usize) {
        Some(Expr::Name(name) | Expr::Member(_, name)) => file.facts.name(*name),
        _ => return false,
    };
    name.starts_with(char::is_uppercase)
}

/// The names of a path that an expression is.
fn path_of(file: &File, id: ExprId) -> Vec<&str> {
    let mut names = Vec::new();
    let mut at = Some(id);
    while let Some(id) = at {
        at = match file.facts.exprs.get(id.0 as usize) {
            Some(Expr::Member(base, name)) => {
                names.push(file.facts.name(*name));
                Some(*base)
            }
            Some(Expr::Name(name)) => {
                names.push(file.facts.name(*name));
                None
            }
            Some(Expr::Super) => {
                names.push("super");
                None
            }
            Some(Expr::SelfValue) => {
                names.push("self");
                None
            }
            _ => None,
        };
    }
    names.reverse();
    names
}
