//! Members that take the place of others: what a call may run instead of the one that it names.

use cruxe_model::SymbolKind;

use super::{Def, Resolver};

/// A name with more members is a protocol of its own (`fmt`, `clone`): which of them a call runs, nobody can tell.
const MAX_MEMBERS: usize = 400;

impl Resolver<'_> {
    /// The members of sub-types that take the place of a member: a call of it may run one of them.
    pub fn overriding(&self, def: Def) -> Vec<Def> {
        self.relatives(def, |owner, other| self.builds_on(other, owner, 0))
    }

    /// The members of super types whose place a member takes: a call of one of them may run it.
    pub fn overridden(&self, def: Def) -> Vec<Def> {
        self.relatives(def, |owner, other| self.builds_on(owner, other, 0))
    }

    /// What runs when a type is called that has no constructor in its own body.
    pub fn inherited_constructors(&self, class: Def) -> Vec<Def> {
        self.rested();
        let name = self.with(class, |file, _| file.lang.naming.constructor).flatten();
        let Some(name) = name else { return Vec::new() };
        let is_callable = |def: &Def| self.kind(*def).is_some_and(SymbolKind::is_callable);
        self.members_of(class, name).into_iter().filter(is_callable).collect()
    }

    /// The members of the same name whose owner has some relation to a member's owner.
    fn relatives(&self, def: Def, related: impl Fn(Def, Def) -> bool) -> Vec<Def> {
        let Some(file) = self.file(def.version) else { return Vec::new() };
        let symbol = file.symbol(def.symbol);
        self.rested();
        let naming = &file.lang.naming;
        let is_constructor = naming.constructor == Some(symbol.name.as_str());
        let hits = self.hits(&symbol.name);
        if !symbol.kind.is_callable() || is_constructor || !(2..=MAX_MEMBERS).contains(&hits.len()) {
            return Vec::new();
        }
        let Some(Some(owner)) = self.owner(&file, def) else { return Vec::new() };
        let table = self.member_table(&symbol.name);
        let members = table.all.iter().filter_map(|(member, other)| Some((*member, (*other)?)));
        let members = members.filter(|(member, other)| {
            *other != owner
                && self.kind(*member).is_some_and(SymbolKind::is_callable)
                && related(owner, *other)
                && self.takes_place((def, owner), (*member, *other))
        });
        members.map(|(member, _)| member).collect()
    }

    /// Begins a question of its own: the steps of the occurrence before it do not count.
    fn rested(&self) {
        self.depth.set(0);
        self.steps.set(0);
    }

    /// Where traits are implemented apart from types, only what stands in such an `impl` takes a trait's place.
    fn takes_place(&self, one: (Def, Def), other: (Def, Def)) -> bool {
        let is_trait = |owner: Def| self.kind(owner) == Some(SymbolKind::Trait);
        let strict = self.with(one.0, |file, _| file.lang.naming.strict_bounds).unwrap_or(false);
        let stands = |member: Def, owner: Def| is_trait(owner) || self.implements_trait(member);
        !strict || stands(one.0, one.1) && stands(other.0, other.1)
    }
}
