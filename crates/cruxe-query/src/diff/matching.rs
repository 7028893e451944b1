//! Which symbol of one side is which of the other, and what of the difference is worth telling.

use std::collections::{HashMap, HashSet};

use cruxe_extract::Extractor;
use cruxe_index::Project;
use cruxe_model::facts::Span;
use cruxe_model::{Cancelled, SymbolKind, Work};

use super::{Change, ChangeType, Pair, Part, Rename};
use crate::past::PastFile;

/// Shorter bodies are alike by chance (`fn a() {}`) and count as renamed only where the name stayed.
const MIN_TOKENS: usize = 8;
/// More candidates than this are not looked at: each is parsed.
const MAX_CANDIDATES: usize = 2000;

/// A symbol: the number of its file and of itself.
type At = (usize, usize);

struct Matcher<'a> {
    project: &'a Project,
    pairs: &'a [Pair],
    extractor: Extractor,
}

/// What differs between the two sides of some files.
pub(super) fn compare(
    project: &Project,
    pairs: &[Pair],
    include_cosmetic: bool,
    work: &Work,
) -> Result<(Vec<Change>, Vec<Rename>), Cancelled> {
    let mut matcher = Matcher { project, pairs, extractor: Extractor::default() };
    let (matched, deleted, added) = matcher.pair_up();
    let same = |(old, new): &&(At, At)| matcher.hash(Side::Base, *old) == matcher.hash(Side::Head, *new);
    let moved: Vec<(At, At)> = matched.iter().filter(same).filter(|(old, new)| old.0 != new.0).copied().collect();
    let differing: Vec<(At, At)> = matched.iter().filter(|pair| !same(pair)).copied().collect();
    let touched_base = matcher.around(Side::Base, differing.iter().map(|pair| pair.0).chain(deleted.iter().copied()));
    let touched_head = matcher.around(Side::Head, differing.iter().map(|pair| pair.1).chain(added.iter().copied()));

    let mut renames: Vec<Rename> = moved.iter().map(|(old, new)| matcher.rename(*old, *new)).collect();
    renames.extend(matcher.renames(&deleted, &added, work)?.into_iter().map(|(old, new)| matcher.rename(old, new)));
    renames.sort_by(|a, b| (&a.to_path, &a.to, &a.from).cmp(&(&b.to_path, &b.to, &b.from)));

    let mut changes = Vec::new();
    let count = differing.len();
    for (at, (old, new)) in differing.into_iter().enumerate() {
        work.check()?;
        Part::Comparison.tell(work, at, count, pairs.len());
        let inner = touched_base.contains(&old) || touched_head.contains(&new);
        let cosmetic = matcher.is_same_code(old, new);
        // What differs is inside of members, which are told of themselves.
        if cosmetic && (inner || !include_cosmetic) {
            continue;
        }
        changes.push(matcher.change(Some(old), Some(new), cosmetic));
    }
    changes.extend(deleted.iter().map(|old| matcher.change(Some(*old), None, false)));
    changes.extend(added.iter().map(|new| matcher.change(None, Some(*new), false)));
    changes.sort_by(|a, b| place(a).cmp(&place(b)));
    Ok((changes, renames))
}

fn place(change: &Change) -> (&str, u32, ChangeType, &str) {
    let record = change.after.as_ref().or(change.before.as_ref());
    let (path, line) = record.map_or(("", 0), |record| (record.path.as_str(), record.line_start));
    (path, line, change.change_type, &change.symbol)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Base,
    Head,
}

impl<'a> Matcher<'a> {
    fn file(&self, side: Side, number: usize) -> Option<&'a PastFile> {
        match side {
            Side::Base => self.pairs[number].base.as_ref(),
            Side::Head => self.pairs[number].head.as_ref(),
        }
    }

    fn hash(&self, side: Side, at: At) -> Option<u64> {
        self.file(side, at.0).map(|file| file.symbols[at.1].content_hash)
    }

    fn name(&self, side: Side, at: At) -> Option<&'a str> {
        self.file(side, at.0).map(|file| file.symbols[at.1].name.as_str())
    }

    /// Every symbol of a side that is reported.
    fn symbols(&self, side: Side) -> Vec<At> {
        let of_file = |number: usize| {
            let file = self.file(side, number);
            let symbols = 0..file.map_or(0, |file| file.symbols.len());
            symbols.filter(move |at| file.is_some_and(|file| file.is_reported(*at))).map(move |at| (number, at))
        };
        (0..self.pairs.len()).flat_map(of_file).collect()
    }

    /// Pairs symbols of the same identity: those of one file first, then those that have only each other.
    fn pair_up(&self) -> (Vec<(At, At)>, Vec<At>, Vec<At>) {
        let identity = |side, at: At| self.file(side, at.0).map(|file| file.stable_id(at.1).as_str().to_owned());
        let base: Vec<(String, At)> =
            self.symbols(Side::Base).into_iter().filter_map(|at| Some((identity(Side::Base, at)?, at))).collect();
        let head: Vec<(String, At)> =
            self.symbols(Side::Head).into_iter().filter_map(|at| Some((identity(Side::Head, at)?, at))).collect();
        let by_file: HashMap<(&str, usize), At> = head.iter().map(|(id, at)| ((id.as_str(), at.0), *at)).collect();
        let (mut matched, mut used) = (Vec::new(), HashSet::new());
        let mut old_left: HashMap<&str, Vec<At>> = HashMap::new();
        let mut new_left: HashMap<&str, Vec<At>> = HashMap::new();
        for (id, at) in &base {
            match by_file.get(&(id.as_str(), at.0)) {
                Some(new) => {
                    matched.push((*at, *new));
                    used.insert(*new);
                }
                None => old_left.entry(id).or_default().push(*at),
            }
        }
        for (id, at) in head.iter().filter(|(_, at)| !used.contains(at)) {
            new_left.entry(id).or_default().push(*at);
        }
        let (mut deleted, mut added) = (Vec::new(), Vec::new());
        for (id, old) in old_left {
            match (old.as_slice(), new_left.get(id).map(Vec::as_slice)) {
                ([old], Some([new])) => {
                    matched.push((*old, *new));
                    new_left.remove(id);
                }
                _ => deleted.extend(old),
            }
        }
        added.extend(new_left.into_values().flatten());
        matched.sort_unstable();
        deleted.sort_unstable();
        added.sort_unstable();
        (matched, deleted, added)
    }

    /// Every symbol around one of these.
    fn around(&self, side: Side, symbols: impl Iterator<Item = At>) -> HashSet<At> {
        let mut around = HashSet::new();
        for (number, at) in symbols {
            let Some(file) = self.file(side, number) else { continue };
            let mut parent = file.symbols[at].parent;
            // A parent stands before its children, so this ends.
            while let Some(outer) = parent.filter(|outer| around.insert((number, outer.0 as usize))) {
                parent = file.symbols.get(outer.0 as usize).and_then(|symbol| symbol.parent);
            }
        }
        around
    }

    /// The members of a symbol that are reported themselves.
    fn members(&self, side: Side, at: At) -> Vec<Span> {
        let Some(file) = self.file(side, at.0) else { return Vec::new() };
        let outer = file.symbols[at.1].full_span;
        let later = file.symbols.iter().enumerate().skip(at.1 + 1);
        later
            .take_while(|(_, symbol)| symbol.full_span.start < outer.end)
            .filter(|(inner, symbol)| symbol.full_span.end <= outer.end && file.is_reported(*inner))
            .map(|(_, symbol)| symbol.full_span)
            .collect()
    }

    /// Whether two symbols say the same apart from their members, layout and comments.
    fn is_same_code(&mut self, old: At, new: At) -> bool {
        let (before, after) = (self.members(Side::Base, old), self.members(Side::Head, new));
        let any = !before.is_empty() || !after.is_empty();
        let nothing = [Span::default()];
        // Without members on one side only, separators must be left out there as well.
        let spans = |members: &Vec<Span>| if any && members.is_empty() { nothing.to_vec() } else { members.clone() };
        let (before, after) = (spans(&before), spans(&after));
        let (Some(base), Some(head)) = (self.file(Side::Base, old.0), self.file(Side::Head, new.0)) else {
            return false;
        };
        let one = base.code(self.project, &mut self.extractor, old.1, &before, false);
        let two = head.code(self.project, &mut self.extractor, new.1, &after, false);
        matches!((one, two), (Some(one), Some(two)) if one.fingerprint == two.fingerprint)
    }

    /// Pairs what went away with what says the same under another name or in another place.
    fn renames(&mut self, deleted: &[At], added: &[At], work: &Work) -> Result<Vec<(At, At)>, Cancelled> {
        let kinds = |matcher: &Matcher, side, symbols: &[At]| -> HashSet<SymbolKind> {
            symbols.iter().filter_map(|at| Some(matcher.file(side, at.0)?.symbols[at.1].kind)).collect()
        };
        let shared: HashSet<SymbolKind> =
            kinds(self, Side::Base, deleted).intersection(&kinds(self, Side::Head, added)).copied().collect();
        let mut by_code: HashMap<(SymbolKind, [u8; 16]), Vec<At>> = HashMap::new();
        for at in added.iter().take(MAX_CANDIDATES) {
            work.check()?;
            if let Some((key, _)) = self.anonymous(Side::Head, *at, &shared) {
                by_code.entry(key).or_default().push(*at);
            }
        }
        let mut renames = Vec::new();
        for old in deleted.iter().take(MAX_CANDIDATES) {
            work.check()?;
            let Some((key, tokens)) = self.anonymous(Side::Base, *old, &shared) else { continue };
            let Some(candidates) = by_code.get_mut(&key) else { continue };
            let name = self.name(Side::Base, *old);
            let same_name = |new: &At| name == self.name(Side::Head, *new);
            let found = candidates.iter().position(same_name).or_else(|| {
                (tokens >= MIN_TOKENS && !candidates.is_empty())
                    .then(|| candidates.iter().position(|new| new.0 == old.0).unwrap_or(0))
            });
            renames.extend(found.map(|at| (*old, candidates.remove(at))));
        }
        Ok(renames)
    }

    /// What a symbol says under whatever name; `None` for kinds that say nothing without their name.
    fn anonymous(
        &mut self,
        side: Side,
        at: At,
        kinds: &HashSet<SymbolKind>,
    ) -> Option<((SymbolKind, [u8; 16]), usize)> {
        let file = self.file(side, at.0)?;
        let kind = file.symbols[at.1].kind;
        if !kinds.contains(&kind) || matches!(kind, SymbolKind::Field | SymbolKind::Variant | SymbolKind::Heading) {
            return None;
        }
        let code = file.code(self.project, &mut self.extractor, at.1, &[], true)?;
        Some(((kind, code.fingerprint), code.tokens))
    }

    fn rename(&self, old: At, new: At) -> Rename {
        let record = |side, at: At| self.file(side, at.0).map(|file| file.record(at.1));
        let (from, to) = (record(Side::Base, old), record(Side::Head, new));
        let part = |record: &Option<crate::past::Record>, take: fn(&crate::past::Record) -> &String| {
            record.as_ref().map(take).cloned().unwrap_or_default()
        };
        Rename {
            from: part(&from, |record| &record.qualified_name),
            to: part(&to, |record| &record.qualified_name),
            from_path: part(&from, |record| &record.path),
            to_path: part(&to, |record| &record.path),
            from_symbol_id: part(&from, |record| &record.symbol_id),
            to_symbol_id: part(&to, |record| &record.symbol_id),
            kind: to.as_ref().or(from.as_ref()).map(|record| record.kind),
            is_test: to.as_ref().or(from.as_ref()).is_some_and(|record| record.is_test),
        }
    }

    fn change(&self, old: Option<At>, new: Option<At>, cosmetic: bool) -> Change {
        let of = |side, at: Option<At>| at.and_then(|at| Some((self.file(side, at.0)?, at.1)));
        let (before, after) = (of(Side::Base, old), of(Side::Head, new));
        let name = after.or(before).map(|(file, at)| file.symbols[at].name.clone()).unwrap_or_default();
        let change_type = match (&before, &after) {
            (None, _) => ChangeType::Added,
            (_, None) => ChangeType::Deleted,
            _ => ChangeType::Modified,
        };
        let (before, after) = (before.map(|(file, at)| file.record(at)), after.map(|(file, at)| file.record(at)));
        let signature_changed =
            matches!((&before, &after), (Some(before), Some(after)) if before.signature != after.signature);
        Change { symbol: name, change_type, before, after, signature_changed, cosmetic }
    }
}
