//! Which symbols have a relation at all. An answer of nothing has to mean that there is nothing.

use cruxe_extract::naming::Told;
use cruxe_model::SymbolKind;

use super::Relation;
use crate::error::QueryError;
use crate::resolve::{Def, Lang, Resolver};
use crate::target::Target;

/// Why a symbol does not have a relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfit {
    /// Its language has nothing like it.
    Never,
    /// The code of its language does not tell.
    Untold,
    /// What it is has no such relation.
    Kind,
    /// It belongs to no type.
    NoMember,
    /// Constructors of its language are not inherited.
    Constructor,
}

/// Refuses a relation that a symbol cannot have.
pub(super) fn check(resolver: &Resolver, target: &Target, relation: Relation) -> Result<(), QueryError> {
    let Some(file) = resolver.file(target.def.version) else { return Ok(()) };
    let refuse = |why| {
        let symbol = file.symbol(target.def.symbol);
        let (name, kind, language) = (symbol.qualified_name.clone(), symbol.kind, file.lang.name);
        Err(QueryError::Unrelated { relation, name, kind, language, why })
    };
    match told(file.lang, relation) {
        Told::Yes => {}
        Told::Never => return refuse(Unfit::Never),
        Told::No => return refuse(Unfit::Untold),
    }
    match unfit(resolver, file.lang, target.def, file.symbol(target.def.symbol).kind, relation) {
        Some(why) => refuse(why),
        None => Ok(()),
    }
}

/// The same for a name that the ref does not define: no language that uses it may have the relation.
pub(super) fn check_outside(resolver: &Resolver, name: &str, relation: Relation) -> Result<(), QueryError> {
    let mut first = None;
    for version in resolver.mentioning(name) {
        let Some(file) = resolver.file(version).filter(|file| !file.lang.is_document()) else { continue };
        let why = match told(file.lang, relation) {
            Told::Yes => return Ok(()),
            Told::Never => Unfit::Never,
            Told::No => Unfit::Untold,
        };
        first.get_or_insert((file.lang.name, why));
    }
    let Some((language, why)) = first else { return Ok(()) };
    let (name, kind) = (name.to_owned(), SymbolKind::Use);
    Err(QueryError::Unrelated { relation, name, kind, language, why })
}

/// Whether a kind of symbol is what a relation is mostly asked of: a field and a method may share a name.
pub(super) fn is_meant(kind: SymbolKind, relation: Relation) -> bool {
    use SymbolKind::*;
    match relation {
        Relation::Subtypes | Relation::Supertypes | Relation::Constructs => {
            matches!(kind, Struct | Enum | Union | Trait | Class | Interface | Type)
        }
        Relation::Overrides | Relation::Overridden => matches!(kind, Fn | Method | Field | Property),
        Relation::Reads | Relation::Writes => matches!(kind, Field | Property | Const | Static | Variable),
        Relation::Decorates => true,
    }
}

fn told(lang: Lang, relation: Relation) -> Told {
    let relations = &lang.naming.relations;
    match relation {
        Relation::Subtypes | Relation::Supertypes | Relation::Overrides | Relation::Overridden => relations.heritage,
        Relation::Decorates => relations.decorators,
        Relation::Constructs => relations.constructions,
        Relation::Reads | Relation::Writes => relations.writes,
    }
}

fn unfit(resolver: &Resolver, lang: Lang, def: Def, kind: SymbolKind, relation: Relation) -> Option<Unfit> {
    use SymbolKind::*;
    let is_member = || resolver.member_owner(def).is_some() || resolver.implemented_at(def).is_some();
    let fits = match relation {
        // A class of JavaScript may be a constant, and a mixin of Ruby is a module.
        Relation::Subtypes | Relation::Supertypes => {
            matches!(kind, Struct | Enum | Union | Trait | Class | Interface | Type | Module | Const | Variable | Macro)
        }
        Relation::Overrides | Relation::Overridden => match kind {
            Fn | Method | Field | Property | Const | Static | Variable | Type if !is_member() => {
                return Some(Unfit::NoMember);
            }
            Method if is_constructor(lang, resolver, def) && !lang.naming.constructors_inherited => {
                return Some(Unfit::Constructor);
            }
            Fn | Method | Field | Property | Const | Static | Variable | Type => true,
            _ => false,
        },
        Relation::Decorates => !matches!(kind, Heading | Impl),
        Relation::Constructs => match kind {
            Struct | Union | Class | Interface | Type | Const | Variable | Method => true,
            Enum => !lang.naming.variants_hold,
            Variant => lang.naming.variants_hold && holds(resolver, def),
            _ => false,
        },
        Relation::Reads | Relation::Writes => {
            matches!(kind, Field | Property | Const | Static | Variable | Variant | Fn | Method)
        }
    };
    (!fits).then_some(Unfit::Kind)
}

fn is_constructor(lang: Lang, resolver: &Resolver, def: Def) -> bool {
    let name = resolver.file(def.version).map(|file| file.symbol(def.symbol).name.clone());
    lang.naming.constructor.is_some_and(|constructor| name.as_deref() == Some(constructor))
}

/// Whether a case of an enumeration holds values: one that does not looks the same where it is made and where it is compared with.
fn holds(resolver: &Resolver, def: Def) -> bool {
    resolver.file(def.version).is_some_and(|file| file.symbol(def.symbol).signature.contains(['(', '{']))
}
