//! Names that the ref uses and does not define: what dependencies and the standard library offer.
//!
//! There is no definition to resolve to, so a use is told by the import that its file has for it.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use cruxe_model::facts::{Expr, ExprId, Import, NameId, Occurrence, Role};
use cruxe_model::{SymbolId, SymbolKind};

use crate::error::NearSymbol;
use crate::mentions::Meaning;
use crate::name::{self, WantedName};
use crate::resolve::{Certainty, File, Reason, Resolution, Resolver};
use crate::target::Wanted;
use crate::uses::{Pick, Use, Uses};

/// A name from outside of the ref.
pub struct External {
    /// The plain name.
    pub name: String,
    /// The path that all imports agree on, else the plain name.
    pub qualified_name: String,
    /// Definitions of the ref whose names are near.
    pub nearest: Vec<NearSymbol>,
}

/// The uses of a name that the ref does not define; `None` where nothing of that name comes from outside.
pub(crate) fn uses(resolver: &Resolver, wanted: &Wanted, pick: Pick) -> Option<(External, Uses)> {
    uses_below(resolver, plain_name(wanted)?, &[], pick)
}

/// The same for a name that imports find below one of some roots: a crate, a package, a module path. Without roots below any.
pub(crate) fn uses_below(
    resolver: &Resolver,
    wanted_name: WantedName,
    roots: &[String],
    pick: Pick,
) -> Option<(External, Uses)> {
    let (wanted, uses) = (&wanted_name, Uses::default());
    let (imports, paths) = (BTreeSet::new(), BTreeSet::new());
    let mut search = Search { resolver, wanted, roots, pick, imports, paths, uses };
    let mut versions = resolver.mentioning(&wanted_name.plain);
    versions.extend(resolver.defining(&wanted_name.plain));
    versions.sort_unstable();
    versions.dedup();
    let total = versions.len() as u64;
    for (at, version) in versions.into_iter().enumerate() {
        if resolver.is_late() || resolver.is_cancelled() {
            search.uses.cut = true;
            break;
        }
        resolver.tell(at as u64, total);
        if let Some(file) = resolver.file(version).filter(|file| !file.lang.is_document()) {
            let found = search.in_file(&file);
            search.uses.account.add(resolver, &file, &wanted_name.plain, &found, true);
        }
    }
    let mentions = &search.uses.account.mentions;
    // Who names a type asks for a member of it, which what is unresolved may or may not be.
    let open = if wanted_name.qualifiers.is_empty() { mentions.open() } else { 0 };
    if mentions.uses + open == 0 {
        return None;
    }
    let Search { imports, paths, uses, .. } = search;
    let mut paths = if imports.is_empty() { paths } else { imports }.into_iter();
    let qualified_name = match (paths.next(), paths.next()) {
        (Some(path), None) => path,
        _ => wanted_name.plain.clone(),
    };
    Some((External { name: wanted_name.plain, qualified_name, nearest: Vec::new() }, uses))
}

/// Whether an identifier of a name stands anywhere; `None` where a file or a handle was named instead.
pub(crate) fn is_mentioned(resolver: &Resolver, wanted: &Wanted) -> Option<bool> {
    let name = plain_name(wanted)?.plain;
    let stands = |file: Arc<File>| {
        let Some(id) = file.name_id(&name) else { return false };
        file.facts.occurrences.iter().any(|one| one.name == id && one.role != Role::Operator)
            || file.facts.bindings.iter().any(|one| one.name == id)
            || file.facts.loose.iter().any(|one| one.name == id)
    };
    let code = |version| resolver.file(version).filter(|file| !file.lang.is_document());
    Some(resolver.mentioning(&name).into_iter().filter_map(code).any(stands))
}

fn plain_name(wanted: &Wanted) -> Option<WantedName> {
    let by_place = wanted.path.is_some() || wanted.line.is_some() || SymbolId::parse(wanted.name.trim()).is_some();
    let name = name::parse(&wanted.name);
    (!by_place && !name.plain.is_empty()).then_some(name)
}

struct Search<'a> {
    resolver: &'a Resolver<'a>,
    wanted: &'a WantedName,
    /// Where a path must begin; anywhere where there are none.
    roots: &'a [String],
    pick: Pick,
    /// The paths under which files import it.
    imports: BTreeSet<String>,
    /// Those that stand before it elsewhere.
    paths: BTreeSet<String>,
    uses: Uses,
}

impl Search<'_> {
    /// Notes the uses in a file, and gives what every identifier of the name means.
    fn in_file(&mut self, file: &Arc<File>) -> HashMap<u32, Meaning> {
        let mut meanings = HashMap::new();
        let Some(id) = file.name_id(&self.wanted.plain) else { return meanings };
        let aliased =
            file.facts.imports.iter().filter(|import| import.name == Some(id) && self.fits_import(file, import));
        let aliases: Vec<NameId> = aliased.filter_map(|import| import.alias).collect();
        for occurrence in &file.facts.occurrences {
            if occurrence.name == id {
                meanings.insert(occurrence.start, self.note(file, occurrence));
            } else if aliases.contains(&occurrence.name)
                && self.resolver.resolve(file, occurrence) == Resolution::Outside
            {
                self.push(file, occurrence, Certainty::Static);
            }
        }
        meanings
    }

    fn note(&mut self, file: &Arc<File>, occurrence: &Occurrence) -> Meaning {
        // Nobody says that `1 << 2` uses what a library has for `<<`.
        if occurrence.role == Role::Operator {
            return Meaning::Outside;
        }
        let resolution = self.resolver.resolve(file, occurrence);
        let written = Written::of(file, occurrence);
        // What a file imports is in its sight; where nothing in the ref is what it imports, that is outside.
        let is_imported = written.as_ref().is_some_and(|written| written.imported);
        let outside = resolution == Resolution::Outside
            || is_imported && matches!(resolution, Resolution::Unresolved(Reason::NotInSight | Reason::Missing));
        if !outside || occurrence.role == Role::Link {
            return resolution.into();
        }
        let certainty = match written.map(|written| written.path) {
            Some(path) if !is_relative(&path) => {
                if !self.fits(&path) {
                    return Meaning::Outside;
                }
                let paths = match occurrence.role == Role::Import || occurrence.receiver.is_none() {
                    true => &mut self.imports,
                    false => &mut self.paths,
                };
                paths.insert(path);
                Certainty::Static
            }
            // Some file of the ref hands it on.
            Some(_) if self.wanted.qualifiers.is_empty() && self.roots.is_empty() => Certainty::Static,
            None if self.wanted.qualifiers.is_empty() && self.roots.is_empty() => Certainty::Heuristic,
            _ => return Meaning::Unresolved(Reason::Receiver),
        };
        self.push(file, occurrence, certainty);
        Meaning::Use
    }

    fn push(&mut self, file: &Arc<File>, occurrence: &Occurrence, certainty: Certainty) {
        if self.pick.takes(occurrence.role, file.lang) {
            let (start, role) = (occurrence.start, occurrence.role);
            self.uses.found.push(Use { file: Arc::clone(file), start, role, certainty, def: None });
        }
    }

    fn fits(&self, path: &str) -> bool {
        if !self.roots.is_empty() {
            return self.roots.iter().any(|root| is_below(path, root));
        }
        self.wanted.qualifiers.is_empty() || name::qualifier_fit(self.wanted, path) > 0.0
    }

    fn fits_import(&self, file: &File, import: &Import) -> bool {
        let path = import_path(file, import);
        !is_relative(&path) && self.fits(&path)
    }
}

/// Whether a path is a root or leads on from it.
fn is_below(path: &str, root: &str) -> bool {
    let rest = path.strip_prefix(root);
    root.ends_with('.') && rest.is_some()
        || rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '-')))
}

/// The path that an identifier has by its file's imports and by what is written before it.
struct Written {
    path: String,
    /// An import says so.
    imported: bool,
}

impl Written {
    fn of(file: &File, occurrence: &Occurrence) -> Option<Written> {
        let name = file.facts.name(occurrence.name);
        if let Some(receiver) = occurrence.receiver {
            let before = Written::before(file, receiver, 0)?;
            return Some(Written {
                imported: before.imported || occurrence.role == Role::Import,
                ..before.then(file, name)
            });
        }
        let path = match occurrence.role {
            Role::Import => {
                let named = |import: &&Import| import.name == Some(occurrence.name) && import.start >= occurrence.start;
                let nearest = file.facts.imports.iter().filter(named).min_by_key(|import| import.start);
                nearest.map(|import| import_path(file, import))
            }
            _ => imported(file, name),
        };
        path.map(|path| Written { path, imported: true })
    }

    /// What stands before a name, as far as it is a path: `ignore::WalkBuilder` of `WalkBuilder::new`.
    fn before(file: &File, expr: ExprId, depth: u32) -> Option<Written> {
        match file.facts.exprs.get(expr.0 as usize)? {
            Expr::Name(id) => {
                let name = file.facts.name(*id);
                if let Some(path) = imported(file, name) {
                    return Some(Written { path, imported: true });
                }
                let is_value = file.facts.bindings.iter().any(|binding| binding.name == *id)
                    || file.facts.symbols.iter().any(|symbol| symbol.name == name && symbol.kind != SymbolKind::Use);
                (!is_value).then(|| Written { path: name.to_owned(), imported: false })
            }
            Expr::Member(base, id) if depth < 8 => {
                Some(Written::before(file, *base, depth + 1)?.then(file, file.facts.name(*id)))
            }
            _ => None,
        }
    }

    fn then(self, file: &File, name: &str) -> Written {
        Written { path: format!("{}{}{name}", self.path, file.lang.separator), ..self }
    }
}

/// The path of what a file imports under a name.
fn imported(file: &File, name: &str) -> Option<String> {
    let gives = |import: &&Import| match (import.alias, import.name) {
        (Some(alias), _) => file.facts.name(alias) == name,
        (None, Some(own)) => file.facts.name(own) == name,
        (None, None) => (file.lang.naming.imported)(file.facts.name(import.module)) == name,
    };
    let mut imports = file.facts.imports.iter().filter(|import| !import.glob);
    imports.find(gives).map(|import| import_path(file, import))
}

fn import_path(file: &File, import: &Import) -> String {
    let module = file.facts.name(import.module);
    match import.name.map(|name| file.facts.name(name)) {
        Some(name) if module.is_empty() => name.to_owned(),
        Some(name) => format!("{module}{}{name}", file.lang.separator),
        None => module.to_owned(),
    }
}

/// Whether a path begins inside the ref.
fn is_relative(path: &str) -> bool {
    path.starts_with('.') || matches!(name::segments(path).next(), Some("crate" | "self" | "super"))
}
