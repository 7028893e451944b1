//! Definitions in several places that are one symbol: a header's prototype and the function, `expect` and `actual`,
//! the parts of a `partial` class; and a class with its constructors.
//!
//! What stands in one file is not told apart here: overloads and accessors are for [`crate::target`].

use std::collections::HashSet;

use cruxe_extract::naming::{Merging, System};
use cruxe_model::SymbolKind;
use cruxe_model::facts::{Access, Symbol, SymbolIndex};

use crate::resolve::{Def, Lang, Resolver};

/// Whether two definitions of different files are one symbol.
pub(crate) fn are_one(one: (Lang, &Symbol), other: (Lang, &Symbol)) -> bool {
    let ((lang, a), (kin, b)) = (one, other);
    if a.name != b.name || a.qualified_name != b.qualified_name || !lang.is_kin(kin) {
        return false;
    }
    if !spreads(lang) || !spreads(kin) || is_of_its_file(a) || is_of_its_file(b) {
        return false;
    }
    if !fit(a.kind, b.kind) {
        return false;
    }
    let parts = if is_type(a.kind) { is_part(lang, a) && is_part(kin, b) } else { is_part(lang, a) || is_part(kin, b) };
    a.flags.declaration || b.flags.declaration || parts
}

/// Whether two definitions of one file are one symbol: overloads, accessors, a declaration and its definition, parts of a type.
/// Functions of one name in different `impl` blocks are different ones.
pub(crate) fn are_one_here(lang: Lang, a: &Symbol, b: &Symbol) -> bool {
    if a.name != b.name
        || a.qualified_name != b.qualified_name
        || a.flags.local
        || b.flags.local
        || !fit(a.kind, b.kind)
    {
        return false;
    }
    let runs = |kind: SymbolKind| kind.is_callable() || kind == SymbolKind::Property;
    match runs(a.kind) && runs(b.kind) {
        true => a.parent == b.parent || a.flags.declaration || b.flags.declaration,
        false => {
            let declared = a.flags.declaration != b.flags.declaration;
            is_type(a.kind) && is_type(b.kind) && (declared || is_part(lang, a) && is_part(lang, b))
        }
    }
}

/// Whether one definition only declares what the other, of the same file or another, defines.
pub(crate) fn declares(declaration: (Lang, &Symbol), definition: (Lang, &Symbol), same_file: bool) -> bool {
    let ((lang, a), (kin, b)) = (declaration, definition);
    if !a.flags.declaration || b.flags.declaration || (b.flags.test && !a.flags.test) {
        return false;
    }
    if !same_file {
        return are_one((lang, a), (kin, b));
    }
    // Of the members of one type, one without a body is abstract and another an overload.
    let apart = a.parent.is_none() || a.parent != b.parent;
    apart && spreads(lang) && a.qualified_name == b.qualified_name && fit(a.kind, b.kind)
}

/// Whether a definition of one kind can be declared by one of another.
fn fit(a: SymbolKind, b: SymbolKind) -> bool {
    a.is_callable() == b.is_callable() && (a == SymbolKind::Macro) == (b == SymbolKind::Macro)
}

/// The definitions in other files that are one symbol with this one.
pub(crate) fn elsewhere(resolver: &Resolver, def: Def) -> Vec<Def> {
    let Some(file) = resolver.file(def.version).filter(|file| spreads(file.lang)) else { return Vec::new() };
    let symbol = file.symbol(def.symbol);
    let mut versions = resolver.defining(&symbol.name);
    versions.sort_unstable();
    versions.dedup();
    let mut found = Vec::new();
    for version in versions.into_iter().filter(|version| *version != def.version) {
        let Some(other) = resolver.file(version) else { continue };
        for (at, twin) in other.facts.symbols.iter().enumerate() {
            if are_one((file.lang, symbol), (other.lang, twin)) {
                found.push(Def { version, symbol: SymbolIndex(at as u32) });
            }
        }
    }
    found
}

/// The other definitions in its file that are one symbol with this one.
fn beside(resolver: &Resolver, def: Def) -> Vec<Def> {
    let Some(file) = resolver.file(def.version) else { return Vec::new() };
    let symbol = file.symbol(def.symbol);
    let all = file.facts.symbols.iter().enumerate();
    let others = all.filter(|(at, other)| *at as u32 != def.symbol.0 && are_one_here(file.lang, symbol, other));
    others.map(|(at, _)| Def { version: def.version, symbol: SymbolIndex(at as u32) }).collect()
}

/// The definitions whose code is a symbol's: the function where it is only declared, all overloads and parts where it has
/// several.
pub(crate) fn bodies(resolver: &Resolver, def: Def) -> Vec<Def> {
    let has_body =
        |def: &Def| resolver.file(def.version).is_some_and(|file| !file.symbol(def.symbol).flags.declaration);
    let mut all = vec![def];
    all.extend(beside(resolver, def));
    all.extend(elsewhere(resolver, def));
    if all.iter().any(has_body) {
        all.retain(has_body);
    } else {
        all.truncate(1);
    }
    all
}

/// The constructors of a type that stand in its body.
pub(crate) fn constructors(resolver: &Resolver, class: Def) -> Vec<Def> {
    let Some(file) = resolver.file(class.version) else { return Vec::new() };
    let symbol = file.symbol(class.symbol);
    if !is_type(symbol.kind) {
        return Vec::new();
    }
    let Some(name) = constructor_name(file.lang, &symbol.name) else { return Vec::new() };
    let children = file.children(class.symbol, name).filter(|at| file.symbol(*at).kind.is_callable());
    children.map(|symbol| Def { version: class.version, symbol }).collect()
}

/// The types that some definitions of one symbol are the constructor of.
pub(crate) fn constructed(resolver: &Resolver, defs: &HashSet<Def>) -> Vec<Def> {
    let mut found = Vec::new();
    for def in defs {
        let Some(file) = resolver.file(def.version) else { continue };
        let symbol = file.symbol(def.symbol);
        let Some(at) = symbol.parent.filter(|at| is_type(file.symbol(*at).kind)) else { continue };
        let constructor = constructor_name(file.lang, &file.symbol(at).name);
        if symbol.kind.is_callable() && constructor == Some(symbol.name.as_str()) {
            found.push(Def { version: def.version, symbol: at });
        }
    }
    found
}

/// What the constructor of a class is called: a word of the language, or like the class.
fn constructor_name(lang: Lang, class: &str) -> Option<&str> {
    lang.naming.constructor.or((lang.naming.system == System::Broad).then_some(class))
}

fn spreads(lang: Lang) -> bool {
    lang.naming.merging == Merging::AcrossFiles
}

/// Whether nobody outside of its file means it: a `static` function of C, a macro of a source file.
pub(crate) fn is_of_its_file(symbol: &Symbol) -> bool {
    use SymbolKind::{Const, Fn, Macro, Static, Variable};
    let alone = matches!(symbol.kind, Fn | Variable | Const | Static | Macro);
    symbol.flags.local || symbol.access == Access::Private && alone
}

/// Whether a word before the name says that the definition is one part of several.
fn is_part(lang: Lang, symbol: &Symbol) -> bool {
    let before = symbol.signature.split(symbol.name.as_str()).next().unwrap_or_default();
    before.split_whitespace().any(|word| lang.naming.parts.contains(&word))
}

fn is_type(kind: SymbolKind) -> bool {
    use SymbolKind::{Class, Enum, Interface, Struct, Trait, Type, Union};
    matches!(kind, Class | Enum | Interface | Struct | Trait | Type | Union)
}
