//! Fixtures of pytest: which function fills a parameter, by its name and by where the test stands.
//!
//! As pytest looks: in the classes around, in the module with what it imports, in the `conftest.py` of the file's folder and of
//! each above, in the modules that those name in `pytest_plugins`. What is in none of them may come from a plugin.

use std::sync::Arc;

use cruxe_model::facts::{Occurrence, Role, SymbolIndex};
use cruxe_model::{SymbolKind, VersionId};

use super::file::File;
use super::modules::Module;
use super::modules::spaces::path_of;
use super::occurrence::{Certainty, Reason, Resolution};
use super::types::Ty;
use super::{Def, Entity, Resolver, Space, modules};

/// The file whose fixtures all tests of a folder see.
const CONFTEST: &str = "conftest.py";
/// The variable that names modules with fixtures.
const PLUGINS: &str = "pytest_plugins";
/// What a function with `yield` is declared to give; what it yields is the first argument.
const YIELDED: &[&str] = &["Iterator", "Generator", "AsyncIterator", "AsyncGenerator", "Iterable", "AsyncIterable"];

/// Which function fills a name.
enum Filler {
    /// One that pytest finds.
    Known(Def),
    /// The only one that a plugin of the ref has.
    Likely(Def),
    /// Several plugins of the ref have one.
    Several,
    /// None of the ref.
    None,
}

impl Resolver<'_> {
    /// What a name means that pytest fills, or a string that gives a fixture its name.
    pub(super) fn resolve_provided(&self, file: &Arc<File>, occurrence: &Occurrence, name: &str) -> Resolution {
        if occurrence.receiver.is_some() {
            let named = named_by(file, occurrence.start).map(|symbol| Def { version: file.id(), symbol });
            return named.map_or(Resolution::Outside, |def| Resolution::Defs(vec![def], Certainty::Static));
        }
        match self.filler(file, name, occurrence.start) {
            Filler::Known(def) => Resolution::Defs(vec![def], Certainty::Static),
            Filler::Likely(def) => Resolution::Defs(vec![def], Certainty::Heuristic),
            Filler::Several => Resolution::Unresolved(Reason::Several),
            Filler::None if is_parameter(file, occurrence.start) => Resolution::Local,
            Filler::None => Resolution::Outside,
        }
    }

    /// The type of a parameter that pytest fills.
    pub(super) fn provided_type(&self, file: &Arc<File>, name: &str, offset: u32) -> Ty {
        if file.role_at(offset) != Some(Role::Provided) {
            return Ty::Unknown;
        }
        let (Filler::Known(def) | Filler::Likely(def)) = self.filler(file, name, offset) else { return Ty::Unknown };
        match self.symbol_type(def) {
            Ty::Foreign(word, args) if YIELDED.contains(&&*word) => args.first().cloned().unwrap_or_default(),
            ty => ty,
        }
    }

    /// Other names that a fixture has: `x` of `@pytest.fixture(name="x")`.
    pub fn fixture_names(&self, def: Def) -> Vec<String> {
        let Some(file) = self.file(def.version) else { return Vec::new() };
        given_name(&file, def.symbol).map(|name| name.to_owned()).into_iter().collect()
    }

    fn filler(&self, file: &Arc<File>, name: &str, offset: u32) -> Filler {
        // A fixture that asks for its own name means the one that it stands in for.
        let asks = file.nesting.enclosing_symbol(&file.facts, offset);
        let asks = asks.map(|symbol| Def { version: file.id(), symbol });
        let other = |def: &Def| Some(*def) != asks;
        for class in file.nesting.symbols_around(&file.facts, offset) {
            if file.symbol(class).kind != SymbolKind::Class {
                continue;
            }
            let own = self.members_of(Def { version: file.id(), symbol: class }, name);
            let own = own.into_iter().rfind(|def| other(def) && self.is_fixture(*def, name));
            if let Some(def) = own.or_else(|| self.renamed(file, name, Some(class)).filter(other)) {
                return Filler::Known(def);
            }
        }
        let mut plugins = Vec::new();
        let mut at = Some(Arc::clone(file));
        let mut folder = Some(file.row.path.parent());
        loop {
            if let Some(module) = at {
                if let Some(def) = self.module_fixture(&module, name, &other) {
                    return Filler::Known(def);
                }
                plugins.extend(self.plugins_of(&module));
            }
            let Some(here) = folder else { break };
            let path = if here.is_empty() { CONFTEST.to_owned() } else { format!("{here}/{CONFTEST}") };
            at = self.tree.path(&path).filter(|version| *version != file.id()).and_then(|version| self.file(version));
            folder = (!here.is_empty()).then(|| here.rsplit_once('/').map_or("", |(outer, _)| outer));
        }
        let of_plugins = plugins.into_iter().filter_map(|version| self.file(version));
        let mut found = of_plugins.filter_map(|module| self.module_fixture(&module, name, &other));
        found.next().map_or_else(|| self.of_a_plugin(name, &other), Filler::Known)
    }

    /// A fixture that a module has: its own, or one that it imports.
    fn module_fixture(&self, module: &Arc<File>, name: &str, fits: &impl Fn(&Def) -> bool) -> Option<Def> {
        let offered = self.offered(&Module::File(module.id()), name, Space::Value);
        let mut symbols = offered.into_iter().filter_map(|entity| match entity {
            Entity::Symbol(def) => Some(def),
            _ => None,
        });
        let own = symbols.rfind(|def| fits(def) && self.is_fixture(*def, name));
        own.or_else(|| self.renamed(module, name, None).filter(fits)).or_else(|| {
            let globs = module.globs().flat_map(|(at, _)| self.import(module, at).to_vec());
            let files = globs.filter_map(|entity| match entity {
                Entity::Module(Module::File(version)) => self.file(version),
                _ => None,
            });
            files.into_iter().find_map(|other| self.renamed(&other, name, None).filter(fits))
        })
    }

    /// The fixture that is given a name other than that of its function, in a class or directly in a module.
    fn renamed(&self, file: &Arc<File>, name: &str, class: Option<SymbolIndex>) -> Option<Def> {
        let names = |occurrence: &&Occurrence| occurrence.role == Role::Provided && occurrence.receiver.is_some();
        let given = file.uses_of(file.name_id(name)?).filter(names);
        let symbols = given.filter_map(|occurrence| named_by(file, occurrence.start));
        let symbol = symbols.filter(|symbol| file.symbol(*symbol).parent == class).last()?;
        Some(Def { version: file.id(), symbol })
    }

    /// The modules of the ref that `pytest_plugins = ["app.fixtures"]` names.
    fn plugins_of(&self, module: &Arc<File>) -> Vec<VersionId> {
        let Some(variable) = module.facts.symbols.iter().find(|symbol| symbol.name == PLUGINS) else {
            return Vec::new();
        };
        let from = module.facts.occurrences.partition_point(|occurrence| occurrence.start < variable.span.start);
        let inside = module.facts.occurrences[from..].iter().take_while(|one| one.start < variable.span.end);
        let mut found = Vec::new();
        for occurrence in inside.filter(|occurrence| occurrence.role == Role::Path) {
            let path = occurrence.receiver.and_then(|receiver| path_of(module, receiver)).unwrap_or_default();
            let name = module.facts.name(occurrence.name);
            let named = modules::rules(module).absolute(self, module, &path, name);
            found.extend(named.into_iter().filter_map(|entity| match entity {
                Entity::Module(Module::File(version)) => Some(version),
                _ => None,
            }));
        }
        found
    }

    /// The fixture of a name in a module that is neither a test nor a `conftest`: plugins are registered by the settings of a
    /// project, which are not read.
    fn of_a_plugin(&self, name: &str, fits: &impl Fn(&Def) -> bool) -> Filler {
        let mut found = Vec::new();
        for hit in self.hits(name).iter().filter(|hit| hit.kind == SymbolKind::Fn && !hit.local) {
            let def = Def { version: hit.version, symbol: SymbolIndex(hit.position) };
            let Some(file) = self.file(hit.version) else { continue };
            let stem = file.row.path.stem();
            let shared = stem != "conftest" && !stem.starts_with("test_") && !stem.ends_with("_test");
            if shared && file.symbol(def.symbol).parent.is_none() && fits(&def) && self.is_fixture(def, name) {
                found.push(def);
            }
        }
        match found[..] {
            [] => Filler::None,
            [only] => Filler::Likely(only),
            _ => Filler::Several,
        }
    }

    /// Whether a function is a fixture that tests know by a name.
    fn is_fixture(&self, def: Def, name: &str) -> bool {
        let Some(file) = self.file(def.version) else { return false };
        let decorates = |occurrence: &Occurrence| {
            occurrence.role == Role::Decorator
                && matches!(file.facts.name(occurrence.name), "fixture" | "yield_fixture")
        };
        above(&file, def.symbol).any(decorates) && given_name(&file, def.symbol).is_none_or(|given| given == name)
    }
}

/// Whether a name is bound at an offset.
fn is_parameter(file: &File, offset: u32) -> bool {
    let at = file.facts.bindings.partition_point(|binding| binding.start < offset);
    file.facts.bindings.get(at).is_some_and(|binding| binding.start == offset)
}

/// The uses that stand in the decorators of a definition.
fn above(file: &File, symbol: SymbolIndex) -> impl Iterator<Item = &Occurrence> {
    let symbol = file.symbol(symbol);
    let from = file.facts.occurrences.partition_point(|occurrence| occurrence.start < symbol.full_span.start);
    file.facts.occurrences[from..].iter().take_while(|occurrence| occurrence.start < symbol.span.start)
}

/// The name that a fixture is given in its decorator.
fn given_name(file: &File, symbol: SymbolIndex) -> Option<&str> {
    let given = above(file, symbol).find(|one| one.role == Role::Provided && one.receiver.is_some());
    given.map(|occurrence| file.facts.name(occurrence.name))
}

/// The function in whose decorators an offset is.
fn named_by(file: &File, offset: u32) -> Option<SymbolIndex> {
    let innermost = file.nesting.symbols_around(&file.facts, offset).next()?;
    file.symbol(innermost).kind.is_callable().then_some(innermost)
}
