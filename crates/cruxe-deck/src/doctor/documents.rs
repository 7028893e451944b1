//! The files of a workspace, read once, and the links between them.

use std::collections::HashMap;
use std::ops::Range;

use cruxe_extract::{Extractor, Input, as_text, registry};
use cruxe_files::{Kind, Root};
use cruxe_model::RepoPath;
use cruxe_model::facts::FileFacts;

use super::{Check, Finding, Repair};
use crate::card::{CARDS, Card};
use crate::deck::Deck;
use crate::document::Outline;
use crate::error::DeckError;
use crate::frontmatter::FrontMatter;
use crate::links::{self, Destination, Link};
use crate::refs::Reference;

/// A larger file is not looked into.
const LARGEST_FILE: u64 = 4 << 20;

/// The files of a workspace.
pub(super) struct Library<'a> {
    root: Root,
    files: &'a [RepoPath],
    by_name: HashMap<&'a str, Vec<&'a RepoPath>>,
    read: HashMap<RepoPath, Option<Known>>,
    extractor: Extractor,
}

/// What is known of a file.
struct Known {
    text: String,
    facts: FileFacts,
    is_markdown: bool,
}

impl<'a> Library<'a> {
    pub fn new(deck: &Deck, files: &'a [RepoPath]) -> Result<Library<'a>, DeckError> {
        let mut by_name: HashMap<&str, Vec<&RepoPath>> = HashMap::new();
        for path in files {
            by_name.entry(path.file_name()).or_default().push(path);
        }
        Ok(Library { root: deck.files()?, files, by_name, read: HashMap::new(), extractor: Extractor::default() })
    }

    /// The documents: every markdown file but cards and scenes.
    pub fn documents(&self) -> impl Iterator<Item = &'a RepoPath> + use<'a> {
        let markdown = |path: &&RepoPath| path.extension().is_some_and(|extension| extension == "md");
        let generated = |path: &RepoPath| {
            path.as_str() == ".cuedeck/SCENE.md"
                || path.as_str().starts_with(".cuedeck/.cache/")
                || path.parent() == CARDS
        };
        self.files.iter().filter(markdown).filter(move |path| !generated(path))
    }

    /// The file that a title seems to be about: its name has the most of the title's words; documents before code, short paths before long.
    pub fn likely(&self, title: &str) -> Option<&'a RepoPath> {
        let words = |text: &str| -> Vec<String> {
            let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.chars().count() > 3);
            words.map(str::to_lowercase).collect()
        };
        let title = words(title);
        let shared = |path: &RepoPath| words(path.stem()).iter().filter(|word| title.contains(word)).count();
        let files = self.files.iter().filter(|path| !path.as_str().starts_with(".cuedeck/cards/"));
        let scored = files.map(|path| (shared(path), path)).filter(|(shared, _)| *shared > 0);
        let is_document = |path: &RepoPath| path.extension().is_some_and(|extension| extension == "md");
        let order = |path: &RepoPath| (is_document(path), std::cmp::Reverse((path.as_str().len(), path.clone())));
        scored.max_by_key(|(shared, path)| (*shared, order(path))).map(|(_, path)| path)
    }

    fn known(&mut self, path: &RepoPath) -> Option<&Known> {
        if !self.read.contains_key(path) {
            let known = links::read_inside(&self.root, path, LARGEST_FILE).ok().map(|bytes| {
                let language = registry::detect(path, &bytes);
                let facts = self.extractor.extract(&Input { path, module: "", language, bytes: &bytes });
                let is_markdown = language.is_some_and(|language| language.id == "markdown");
                Known { text: as_text(&bytes).0.into_owned(), facts, is_markdown }
            });
            self.read.insert(path.clone(), known);
        }
        self.read.get(path)?.as_ref()
    }

    pub fn text(&mut self, path: &RepoPath) -> Option<&str> {
        self.known(path).map(|known| known.text.as_str())
    }

    pub fn links(&mut self, path: &RepoPath) -> Vec<Link> {
        self.known(path).map(|known| links::of_facts(&known.facts)).unwrap_or_default()
    }

    pub fn dead_links_of_card(&mut self, card: &Card) -> Vec<Finding> {
        RepoPath::parse(&card.path()).map(|path| self.dead_links(&path)).unwrap_or_default()
    }

    pub fn dead_links(&mut self, path: &RepoPath) -> Vec<Finding> {
        let mut findings = Vec::new();
        for link in self.links(path) {
            let found = match links::resolve(path, &link.written) {
                Destination::Elsewhere => continue,
                Destination::Outside => {
                    let message = format!("`{}` leads out of the workspace", link.written);
                    Finding::new(Check::DeadLink, path.as_str(), message)
                        .help("Others who have the repository do not have that file.")
                }
                Destination::Inside(reference) => match self.why_dead(&reference) {
                    None => continue,
                    Some(Dead::NoFile) => {
                        let message = format!("dead link: {} is not there", reference.path);
                        let found = Finding::new(Check::DeadLink, path.as_str(), message).code(1001);
                        self.with_moved(found, &reference, |moved| {
                            let written = relative(path, moved, reference.fragment.as_deref());
                            Repair { path: path.clone(), span: link.span.clone(), new: written }
                        })
                    }
                    Some(Dead::NoPlace(message, help)) => {
                        let found = Finding::new(Check::DeadLink, path.as_str(), format!("dead link: {message}"));
                        Finding { help, ..found.code(1001) }
                    }
                },
            };
            let text = self.text(path).unwrap_or_default();
            findings.push(found.at(text, link.span));
        }
        findings
    }

    /// Entries of `refs` that lead nowhere.
    pub fn dead_references(&mut self, card: &Card) -> Vec<Finding> {
        let Ok(path) = RepoPath::parse(&card.path()) else { return Vec::new() };
        let mut findings = Vec::new();
        for written in &card.refs {
            let text = self.text(&path).unwrap_or_default().to_owned();
            let span = span_of_reference(&text, written);
            let found = match Reference::parse(written) {
                Err(problem) => Finding::new(Check::DeadReference, path.as_str(), format!("refs: {problem}"))
                    .help("A reference is `path` or `path#heading or symbol`, from the root of the workspace."),
                Ok(reference) => match self.why_dead(&reference) {
                    None => continue,
                    Some(Dead::NoFile) => {
                        let message = format!("refs: {} is not there", reference.path);
                        let found = Finding::new(Check::DeadReference, path.as_str(), message).code(1001);
                        self.with_moved(found, &reference, |moved| {
                            let fragment = reference.fragment.as_deref().map(|it| format!("#{it}")).unwrap_or_default();
                            let span = span.clone().unwrap_or_default();
                            Repair { path: path.clone(), span, new: format!("{moved}{fragment}") }
                        })
                    }
                    Some(Dead::NoPlace(message, help)) => {
                        let found = Finding::new(Check::DeadReference, path.as_str(), format!("refs: {message}"));
                        Finding { help, ..found.code(1001) }
                    }
                },
            };
            findings.push(match span {
                Some(span) => found.at(&text, span),
                // Written with escapes: what it means is known, where it stands is not.
                None => Finding { repair: None, ..found },
            });
        }
        findings
    }

    /// Adds where the file went: to the only place with a file of its name, if there is one.
    fn with_moved(&self, found: Finding, reference: &Reference, repair: impl Fn(&RepoPath) -> Repair) -> Finding {
        let same_name = self.by_name.get(reference.path.file_name()).map_or(&[][..], Vec::as_slice);
        match same_name {
            [moved] => Finding { repair: Some(repair(moved)), ..found }
                .help(format!("{moved} has that name; `cue doctor --fix` corrects the path.")),
            [] => {
                let names = self.files.iter().map(RepoPath::file_name);
                match crate::document::nearest(reference.path.file_name(), names) {
                    Some(at) => found.help(format!("Did you mean '{}'?", self.files[at])),
                    None => found.help("Correct the path, or take the link away."),
                }
            }
            several => {
                let names: Vec<&str> = several.iter().take(3).map(|path| path.as_str()).collect();
                found.help(format!("Several files have that name: {}.", names.join(", ")))
            }
        }
    }

    fn why_dead(&mut self, reference: &Reference) -> Option<Dead> {
        let place = links::resolve_inside(&self.root, &reference.path).ok();
        let found = place.and_then(|place| self.root.meta(place).ok().flatten());
        let Some(meta) = found else { return Some(Dead::NoFile) };
        let fragment = reference.fragment.as_deref().filter(|_| meta.kind == Kind::File)?;
        let known = self.known(&reference.path)?;
        if let Some((_, to)) = links::lines_of_fragment(fragment).filter(|_| !known.is_markdown) {
            let lines = known.text.lines().count() as u32;
            let short = format!("{} has {lines} lines, not {to}", reference.path);
            return (to > lines).then_some(Dead::NoPlace(short, None));
        }
        if known.is_markdown && (fragment == "top" || Outline::of_facts(&known.facts).find(plain(fragment)).is_some()) {
            return None;
        }
        // A page that makes its own anchors, and a file whose places nobody knows, are trusted.
        if has_html_anchor(&known.text, fragment) || (!known.is_markdown && known.facts.symbols.is_empty()) {
            return None;
        }
        let dead = reference.resolve(known.text.as_bytes()).err()?;
        let help = dead.nearest.as_ref().map(|nearest| format!("Did you mean '{nearest}'?"));
        Some(Dead::NoPlace(format!("{} has no {} `{}`", dead.path, dead.what, dead.fragment), help))
    }
}

/// Why a reference leads nowhere.
enum Dead {
    NoFile,
    /// What the file lacks, and what may have been meant.
    NoPlace(String, Option<String>),
}

/// GitHub's own prefix for anchors.
fn plain(fragment: &str) -> &str {
    fragment.strip_prefix("user-content-").unwrap_or(fragment)
}

fn has_html_anchor(text: &str, fragment: &str) -> bool {
    ["id", "name"]
        .iter()
        .any(|key| text.contains(&format!("{key}=\"{fragment}\"")) || text.contains(&format!("{key}='{fragment}'")))
}

/// Where a reference is written in a card's front matter.
fn span_of_reference(text: &str, written: &str) -> Option<Range<usize>> {
    let front = FrontMatter::parse(text).ok().flatten()?;
    let value = front.entry("refs")?.value_at.clone();
    let at = value.start + text.get(value.clone())?.find(written)?;
    Some(at..at + written.len())
}

/// The way from one file to another, as a link has it.
fn relative(from: &RepoPath, to: &RepoPath, fragment: Option<&str>) -> String {
    let folder: Vec<&str> = from.parent().split('/').filter(|part| !part.is_empty()).collect();
    let target: Vec<&str> = to.as_str().split('/').collect();
    let common = folder.iter().zip(&target[..target.len() - 1]).take_while(|(a, b)| a == b).count();
    let up = std::iter::repeat_n("..", folder.len() - common);
    let path: Vec<&str> = up.chain(target[common..].iter().copied()).collect();
    let encoded = path.join("/").replace('%', "%25").replace(' ', "%20").replace('(', "%28").replace(')', "%29");
    match fragment {
        Some(fragment) => format!("{encoded}#{}", fragment.replace(' ', "%20")),
        None => encoded,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_from_one_file_to_another_is_a_link() {
        let way = |from: &str, to: &str| relative(&RepoPath::parse(from).unwrap(), &RepoPath::parse(to).unwrap(), None);
        assert_eq!(way("a.md", "docs/b c.md"), "docs/b%20c.md");
        assert_eq!(way("docs/a.md", "docs/b.md"), "b.md");
        assert_eq!(way(".cuedeck/cards/a.md", "docs/b.md"), "../../docs/b.md");
        assert_eq!(way("docs/x/a.md", "docs/y/b.md"), "../y/b.md");
    }
}
