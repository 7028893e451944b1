//! Every place of a ref that means one of some definitions, before anybody makes a list of it.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Instant;

use cruxe_model::facts::{NameId, Occurrence, Role, ScopeKind, SymbolIndex};
use cruxe_model::{SymbolKind, VersionId};

use crate::filter::is_test_file;
use crate::kept_uses::Wanted;
use crate::mentions::{Account, Meaning};
use crate::references::EdgeType;
use crate::resolve::{Certainty, Def, ExactUse, File, Lang, Resolution, Resolver};
use crate::target::Group;

/// A use, before it is made readable.
pub(crate) struct Use {
    pub file: Arc<File>,
    pub start: u32,
    pub role: Role,
    pub certainty: Certainty,
    /// Which of the definitions that were looked for it means.
    pub def: Option<Def>,
}

impl Use {
    pub fn edge(&self) -> EdgeType {
        EdgeType::of(self.role, self.file.lang)
    }

    /// Whether it stands in a test.
    pub(crate) fn in_test(&self) -> bool {
        in_test(&self.file, self.start)
    }
}

/// Whether an offset of a file is in a test.
pub(crate) fn in_test(file: &File, offset: u32) -> bool {
    let around = file.nesting.enclosing_symbol(&file.facts, offset);
    around.is_some_and(|at| file.symbol(at).flags.test) || is_test_file(file.path(), &file.row.language)
}

/// Puts uses in the order of lists: sure ones first, then those outside of tests, then by place.
pub(crate) fn sort(uses: &mut [Use]) {
    uses.sort_by_cached_key(|one| (one.certainty, one.in_test(), one.file.path().to_owned(), one.start));
}

/// All uses of a group of definitions.
#[derive(Default)]
pub(crate) struct Uses {
    pub found: Vec<Use>,
    /// What becomes of every identifier of the first name; empty where only a part was looked at.
    pub account: Account,
    /// The deadline came before the end, or nobody waits for it any more.
    pub cut: bool,
}

/// Files that are read at once before they are looked at.
const READ_AHEAD: usize = 256;

/// Names under which re-exports hand a definition on, at most.
const MAX_NAMES: usize = 16;

/// Which uses are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Pick {
    /// All.
    All,
    /// Those of one edge type.
    Edge(EdgeType),
    /// Those in one of some roles.
    Roles(&'static [Role]),
}

impl Pick {
    pub fn takes(self, role: Role, lang: Lang) -> bool {
        match self {
            Pick::All => true,
            Pick::Edge(edge) => EdgeType::of(role, lang) == edge,
            Pick::Roles(roles) => roles.contains(&role),
        }
    }
}

impl From<Option<EdgeType>> for Pick {
    fn from(edge: Option<EdgeType>) -> Pick {
        edge.map_or(Pick::All, Pick::Edge)
    }
}

/// How far a search for uses goes.
#[derive(Clone, Copy)]
pub(crate) enum Scope {
    /// To the end, with an account of every identifier of the name.
    All,
    /// To the end, without one.
    Uses,
    /// Until a point in time, without one.
    Until(Instant),
}

/// The uses of some definitions, as they are known or by looking for them.
pub(crate) fn uses(resolver: &Resolver, group: &Group, pick: Pick, scope: Scope) -> Uses {
    // What a compiler's index says may change without a publish.
    if resolver.has_compiler() {
        return look_for(resolver, group, pick, scope);
    }
    let kept = resolver.kept_uses();
    let account = matches!(scope, Scope::All);
    let narrowed = group.narrowed;
    let wanted = Wanted { ref_name: resolver.ref_name().to_owned(), def: group.def, narrowed, pick, account };
    if let Some(known) = kept.get(resolver, resolver.as_of(), &wanted) {
        return known;
    }
    let uses = look_for(resolver, group, pick, scope);
    kept.keep(resolver.as_of(), wanted, &uses);
    uses
}

/// Resolves every occurrence that is looked for and may mean one of some definitions.
fn look_for(resolver: &Resolver, group: &Group, pick: Pick, scope: Scope) -> Uses {
    let (seen, names) = (HashSet::new(), Vec::new());
    let deadline = match scope {
        Scope::All | Scope::Uses => None,
        Scope::Until(deadline) => Some(deadline),
    };
    let account = matches!(scope, Scope::All);
    let fields = resolver.has_fields(&group.defs);
    let mut search =
        Search { resolver, group, pick, names, seen, account, fields, whole: false, uses: Uses::default() };
    resolver.exact_uses(&group.defs).into_iter().for_each(|one| search.note_exact(one));
    let constructions = resolver.exact_uses(&group.called).into_iter();
    constructions.filter(|one| one.role.is_call()).for_each(|one| search.note_exact(one));
    let Some(file) = resolver.file(group.def.version) else { return Uses { cut: true, ..search.uses } };
    // The account is about the name that was asked for, which is the first; of a constructor about its class too.
    search.add_name(&file.symbol(group.def.symbol).name);
    for def in group.defs.iter().chain(&group.called) {
        if let Some(file) = resolver.file(def.version) {
            let name = &file.symbol(def.symbol).name;
            search.add_name(name);
            // An attribute is used without the ending of its class.
            search.add_name(name.strip_suffix(file.lang.naming.attribute_ending).unwrap_or(name));
        }
    }
    // An operator is noted by its sign where its function is called like many others.
    for sign in group.defs.iter().flat_map(|def| resolver.signs_of(*def)) {
        search.add_name(sign);
    }
    let own = search.names.len();
    for name in group.defs.iter().flat_map(|def| resolver.fixture_names(*def)) {
        search.add_name(&name);
    }
    let (mut at, mut looked_at) = (0, 0);
    while let Some(name) = search.names.get(at).cloned() {
        let mut versions = resolver.mentioning(&name);
        let counted = search.account && at < own;
        if counted {
            versions.extend(resolver.defining(&name));
            versions.sort_unstable();
            versions.dedup();
        }
        if offered_as_default(&file, &name) {
            versions.extend(resolver.mentioning("default"));
            versions.extend(resolver.requiring(&file, &group.defs));
            search.whole = true;
            versions.sort_unstable();
            versions.dedup();
        }
        let total = looked_at + versions.len() as u64;
        for (number, version) in versions.iter().copied().enumerate() {
            if number % READ_AHEAD == 0 {
                resolver.read_ahead(&versions[number..versions.len().min(number + READ_AHEAD)]);
            }
            let late = deadline.is_some_and(|deadline| Instant::now() >= deadline) || resolver.is_late();
            if late || resolver.is_cancelled() {
                return Uses { cut: true, ..search.uses };
            }
            // Steps further out are many, each over before anybody wonders.
            if search.account {
                resolver.tell(looked_at, total);
            }
            looked_at += 1;
            let Some(other) = resolver.file(version) else { continue };
            let found = match other.lang.may_mean(file.lang) {
                true => search.in_file(&other, &name, counted),
                false => HashMap::new(),
            };
            if counted && !other.lang.is_document() {
                let own = other.lang.may_mean(file.lang);
                search.uses.account.add(resolver, &other, &name, &found, own);
            }
        }
        at += 1;
    }
    search.uses.without_flood(search.names.first().map_or("", String::as_str));
    search.uses
}

/// Guesses that an answer may have whatever else it has.
const FEW_GUESSES: usize = 10;

impl Uses {
    /// Takes guesses by an everyday word back where they outweigh what is known: most calls of `walk` on something unknown
    /// are another library's. They count as unresolved.
    fn without_flood(&mut self, name: &str) {
        let guessed = |one: &Use| one.certainty == Certainty::Heuristic;
        let guesses = self.found.iter().filter(|one| guessed(one)).count();
        let known = self.found.iter().filter(|one| !one.certainty.is_guess()).count();
        if is_telling(name) || guesses <= FEW_GUESSES.max(2 * known) {
            return;
        }
        for one in self.found.extract_if(.., |one| guessed(one)) {
            self.account.take_back(&one.file, one.start);
        }
    }
}

/// Whether a name is made of several words.
pub(crate) fn is_telling(name: &str) -> bool {
    let inner = name.trim_matches('_');
    inner.contains('_') || inner.chars().skip(1).any(char::is_uppercase) && inner.chars().any(char::is_lowercase)
}

/// Whether others import the name as the default of its module.
fn offered_as_default(file: &File, name: &str) -> bool {
    let mut offers = file.exported("default").map(|at| file.import(at));
    name == "default" || offers.any(|import| import.name.is_some_and(|own| file.facts.name(own) == name))
}

/// A search for the uses of some definitions.
struct Search<'a> {
    resolver: &'a Resolver<'a>,
    group: &'a Group,
    pick: Pick,
    /// The names that they have somewhere.
    names: Vec<String>,
    /// The places that a compiler's index has named already.
    seen: HashSet<(VersionId, u32)>,
    /// Whether an account is given.
    account: bool,
    /// Whether a field is among them.
    fields: bool,
    /// Whether a module is one of them as a whole.
    whole: bool,
    uses: Uses,
}

impl Search<'_> {
    fn add_name(&mut self, name: &str) {
        if !name.is_empty() && self.names.len() < MAX_NAMES && !self.names.iter().any(|other| other == name) {
            self.names.push(name.to_owned());
        }
    }

    /// Notes the uses in a file, and gives what every occurrence of the name means where that is asked for.
    fn in_file(&mut self, file: &Arc<File>, name: &str, all: bool) -> HashMap<u32, Meaning> {
        let id = file.name_id(name);
        let default = file.name_id("default");
        // Other names that the file gives to what is looked for.
        let mut ids: Vec<NameId> = id.into_iter().collect();
        for at in 0..file.facts.imports.len() as u32 {
            let import = file.import(at);
            let from = import.name.filter(|from| Some(*from) == id || Some(*from) == default);
            let whole = self.whole && Resolver::takes_whole(file, import);
            let Some(alias) = import.alias.filter(|_| from.is_some() || whole) else { continue };
            let leads_to = |defs| self.resolver.imports_any(file, at, defs);
            if !leads_to(&self.group.defs) && !leads_to(&self.group.called) {
                continue;
            }
            if import.reexport && file.facts.name(alias) != "default" {
                self.add_name(file.facts.name(alias)); // others know it by that name
            } else if !ids.contains(&alias) && !self.names.iter().any(|n| n == file.facts.name(alias)) {
                ids.push(alias);
            }
        }
        let mut meanings = HashMap::new();
        for occurrence in ids.iter().flat_map(|id| file.uses_of(*id)) {
            let wanted = self.pick.takes(occurrence.role, file.lang);
            let counted = all && id == Some(occurrence.name);
            if wanted || counted {
                let meaning = self.note(file, occurrence, wanted);
                // Of two uses at one place (`{ depth }`) the one that is meant counts.
                let known = meanings.entry(occurrence.start).or_insert(meaning);
                if meaning == Meaning::Use {
                    *known = meaning;
                }
            }
        }
        // `self.x = …` of a sub-class sets what its base class declares, and looks like a definition.
        if self.pick.takes(Role::Write, file.lang) {
            for (start, found) in self.resolver.set_for_bases(file, name) {
                if let Some(def) = self.used(&found, Role::Write)
                    && self.seen.insert((file.id(), start))
                {
                    let (file, certainty, def) = (Arc::clone(file), Certainty::Static, Some(def));
                    self.uses.found.push(Use { file, start, role: Role::Write, certainty, def });
                }
            }
        }
        meanings
    }

    fn note_exact(&mut self, ExactUse { file, start, role }: ExactUse) {
        let wanted = self.pick.takes(role, file.lang);
        if self.seen.insert((file.id(), start)) && wanted {
            self.uses.found.push(Use { file, start, role, certainty: Certainty::Exact, def: None });
        }
    }

    /// Which of some definitions makes what means them a use. A constructor is used where its class is called.
    fn used(&self, found: &[Def], role: Role) -> Option<Def> {
        let Group { defs, called, only_calls, .. } = self.group;
        let first = |group: &HashSet<Def>| found.iter().find(|def| group.contains(def)).copied();
        let is_call = role.is_call();
        let own = first(defs).filter(|_| is_call || !only_calls);
        own.or_else(|| first(called).filter(|_| is_call))
    }

    /// Whether a call of a class may mean the constructor that is asked for, where one of several is.
    fn is_constructed(&self, file: &Arc<File>, occurrence: &Occurrence) -> bool {
        let Group { defs, constructors, .. } = self.group;
        constructors.len() < 2
            || !occurrence.role.is_call()
            || self.resolver.taking(file, occurrence, constructors).iter().any(|def| defs.contains(def))
    }

    fn note(&mut self, file: &Arc<File>, occurrence: &Occurrence, wanted: bool) -> Meaning {
        if self.seen.contains(&(file.id(), occurrence.start)) {
            return Meaning::Use;
        }
        let (start, role) = (occurrence.start, occurrence.role);
        let resolution = self.resolver.resolve(file, occurrence);
        let Resolution::Defs(found, certainty) = &resolution else {
            // What is a key of data may be a field that has its name, and is no function.
            let open = matches!(resolution, Resolution::Unresolved(_));
            let is_key = open && !self.fields && self.resolver.is_data_key(file, occurrence);
            return if is_key { Meaning::Other } else { resolution.into() };
        };
        let Some(def) = self.used(found, role).filter(|_| self.is_constructed(file, occurrence)) else {
            return resolution.into();
        };
        if wanted {
            let (file, certainty, def) = (Arc::clone(file), *certainty, Some(def));
            self.uses.found.push(Use { file, start, role, certainty, def });
        }
        Meaning::Use
    }
}

/// The symbol whose code a use is: what decorates a function or wraps it is not inside it, and what a variable is set to
/// is worked out by the code around it, functions in there aside.
pub(crate) fn holder(one: &Use) -> Option<Def> {
    use SymbolKind::{Const, Static, Variable};
    let (file, offset) = (&one.file, one.start);
    let is_data = |at: SymbolIndex| matches!(file.symbol(at).kind, Const | Static | Variable);
    let runs = |at: &SymbolIndex| runs(file, *at, offset) && (!is_data(*at) || in_body(file, *at, offset));
    let enclosing = file.nesting.enclosing_symbol(&file.facts, offset)?;
    let symbol = match runs(&enclosing) {
        true => enclosing,
        false => file.nesting.symbols_around(&file.facts, offset).skip_while(|at| *at != enclosing).find(runs)?,
    };
    Some(Def { version: file.id(), symbol })
}

/// Whether code at an offset runs when a symbol does.
pub(crate) fn runs(file: &File, at: SymbolIndex, offset: u32) -> bool {
    let symbol = file.symbol(at);
    let in_body = || !file.lang.naming.function_values || !symbol.kind.is_callable() || in_body(file, at, offset);
    symbol.span.contains(offset) && in_body()
}

/// Whether an offset is inside a function that belongs to a symbol: `x` of `const x = memo(() => …)` is made by code
/// around it.
fn in_body(file: &File, symbol: SymbolIndex, offset: u32) -> bool {
    let start = file.symbol(symbol).span.start;
    let mut scope = Some(file.scope_at(offset));
    while let Some(at) = scope {
        let found = &file.facts.scopes[at.0 as usize];
        if found.span.start < start {
            return false;
        }
        if found.kind == ScopeKind::Function {
            return true;
        }
        scope = file.nesting.scope_parent(at);
    }
    false
}

#[cfg(test)]
mod tests {
    use crate::call_graph::{self, Direction};
    use crate::filter::Filter;
    use crate::resolve::FILES;
    use crate::target::Wanted;
    use crate::testing::Indexed;

    #[test]
    fn a_member_of_a_known_type_is_looked_for_where_its_type_stands() {
        let package = |name: &str| {
            format!(
                "package {name}
type Box struct {{ Inner Inner }}
type Inner struct{{}}
func (i Inner) Name() string {{ return \"\" }}
"
            )
        };
        let app = "package app
import \"example.com/app/box\"
func Use(b box.Box) string { return b.Inner.Name() }
";
        let others = (0..40).map(|number| (format!("p{number}/x.go"), package(&format!("p{number}"))));
        let own = [
            ("go.mod", "module example.com/app\n".to_owned()),
            ("app/app.go", app.to_owned()),
            ("box/box.go", package("box")),
        ];
        let files: Vec<(String, String)> =
            own.map(|(path, text)| (path.to_owned(), text)).into_iter().chain(others).collect();
        let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        let indexed = Indexed::new(&files);
        let view = indexed.view();
        let wanted = Wanted { name: "Use".to_owned(), ..Wanted::default() };
        let (direction, filter) = (Direction::Callees, Filter::default());
        let graph =
            call_graph::find(&view, &call_graph::Question { wanted, direction, depth: 1, filter, limit: 10 }).unwrap();
        let callees: Vec<(&str, &str)> =
            graph.callees.iter().map(|edge| (edge.symbol.local_name.as_str(), edge.symbol.path.as_str())).collect();
        assert_eq!(callees, [("Inner.Name", "box/box.go")]);
        let read = view.published.as_ref().unwrap().kept(&FILES).count();
        assert_eq!(read, 2, "the 40 other files that define the same names are not read");
    }
}
