//! One use of a name, with everything together.

use std::sync::Arc;

use cruxe_model::SymbolKind;
use cruxe_model::facts::{Expr, ExprId, Occurrence, Role};

use super::exact::Said;
use super::file::{File, Lang};
use super::types::Ty;
use super::{Def, Entity, Resolver, Space, Want, modules};

/// How sure it is who is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Certainty {
    /// A compiler's index says so.
    Exact,
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
        match self.said(file, occurrence.start) {
            Said::Defs(defs) => Resolution::Defs(defs, Certainty::Exact),
            Said::Elsewhere => Resolution::Elsewhere,
            Said::Unknown => self.work_out(file, occurrence),
            // Where a compiler could not tell, a guess is worth nothing.
            Said::Silence => match self.work_out(file, occurrence) {
                Resolution::Defs(_, Certainty::Heuristic) => Resolution::Unresolved,
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
            (Role::Link, _) => Resolution::Elsewhere,
            (Role::Import, _) => modules::rules(file).import_use(self, file, occurrence, name),
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
        if file.is_own_type(name) {
            return Resolution::Elsewhere;
        }
        let found = self.lookup(file, name, occurrence.start, space);
        if found.is_empty() && !file.lang.is_deep() {
            return Resolution::Unresolved;
        }
        self.settled(found, file.lang)
    }

    /// Entities as definitions. Where not all that is in sight is known, a name with several definitions is a guess.
    pub(super) fn settled(&self, found: Vec<Entity>, lang: Lang) -> Resolution {
        let defs: Vec<Def> = found
            .into_iter()
            .filter_map(|entity| match entity {
                Entity::Symbol(def) => Some(def),
                _ => None,
            })
            .collect();
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
            import.name.is_some_and(|id| file.facts.name(id) == name)
                && (import.start == occurrence.start || import.alias.is_some() && import.start > occurrence.start)
        };
        let all = 0..file.facts.imports.len() as u32;
        let nearest = all.filter(named).min_by_key(|at| file.import(*at).start)?;
        Some(self.settled(self.import(file, nearest).to_vec(), file.lang))
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
                    Ty::Param(..) if !file.lang.naming.strict_bounds => self.guess(file, occurrence, name),
                    _ => Resolution::Elsewhere,
                }
            }
        }
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
