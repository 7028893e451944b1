//! Resources: symbols, files, documents and cards by their addresses.
//!
//! Only what is in the index is served, so no address leads out of the workspace. A server of many repositories lists these: their
//! files are as many as symbols, and to list them it would have to bring every repository.

use std::hash::{DefaultHasher, Hash, Hasher};

use cruxe_deck::CardId;
use cruxe_deck::card::CARDS;
use cruxe_index::View;
use cruxe_model::{RepoPath, Work};
use cruxe_query::{locate, outline};
use cruxe_store::FileRow;
use rmcp::model::{ErrorData, Resource, ResourceContents, ResourceTemplate};
use serde_json::Value;

use crate::cards;
use crate::catalog::{Catalog, refusal};
use crate::contract::{ErrorCode, ToolError};
use crate::pages::{Page, page};
use crate::prompts::portrait;
use crate::session::Session;
use crate::uri::{Kind, ResourceUri};

/// The language of documents.
const MARKDOWN: &str = "markdown";
/// What the portrait of a symbol may cost a reader.
pub(crate) const SYMBOL_TOKENS: usize = 3000;

impl Catalog {
    /// The resources there are, a page at a time: cards, then documents, then files; or repositories. Symbols are too many to
    /// be listed; their template and completions lead to them.
    pub(crate) fn list_resources(
        &self,
        session: &Session,
        cursor: Option<&str>,
        work: &Work,
    ) -> Result<Page<Resource>, ErrorData> {
        let entries = match self.shelf() {
            Some(_) => self.repository_entries(session),
            None => {
                let place = self.place(session, None).map_err(refusal)?;
                let view = place.view(None, work).map_err(refusal)?;
                self.entries(session, &view).map_err(refusal)?
            }
        };
        let page = page("resources/list", entries, Entry::key, cursor)?;
        Ok(Page { entries: page.entries.iter().map(Entry::listed).collect(), next: page.next })
    }

    /// The forms of addresses.
    pub(crate) fn resource_templates(&self, cursor: Option<&str>) -> Result<Page<ResourceTemplate>, ErrorData> {
        let kinds: Vec<Kind> = self.kinds().collect();
        let page = page("resources/templates/list", kinds, |kind| kind_number(*kind).to_string(), cursor)?;
        let template = |kind: Kind| template(kind, self.addresses().template(kind));
        Ok(Page { entries: page.entries.into_iter().map(template).collect(), next: page.next })
    }

    /// The kinds of resources that are served.
    pub(crate) fn kinds(&self) -> impl Iterator<Item = Kind> {
        self.addresses().kinds().iter().copied().filter(|kind| self.serves(kind.toolset()))
    }

    /// What stands at an address.
    pub(crate) fn read_resource(
        &self,
        session: &Session,
        uri: &str,
        work: &Work,
    ) -> Result<ResourceContents, ErrorData> {
        let address = self.address(uri)?;
        let (text, mime) = self.text(session, &address, work).map_err(|error| refusal(error.with("uri", uri)))?;
        Ok(ResourceContents::text(text, uri).with_mime_type(mime))
    }

    /// Reads an address of a kind that is served.
    pub(crate) fn address(&self, uri: &str) -> Result<ResourceUri, ErrorData> {
        let address = ResourceUri::parse(uri, self.addresses());
        let address = address.map_err(|problem| ErrorData::invalid_params(problem, None))?;
        let set = address.kind.toolset();
        if !self.serves(set) {
            let problem =
                format!("`{uri}` belongs to the toolset `{set}`, which this server does not serve (--toolsets).");
            return Err(ErrorData::resource_not_found(problem, None));
        }
        Ok(address)
    }

    /// The text of a resource and its type.
    pub(crate) fn text(
        &self,
        session: &Session,
        address: &ResourceUri,
        work: &Work,
    ) -> Result<(String, String), ToolError> {
        if address.kind == Kind::Card {
            let (deck, id) = (self.deck(session), &address.name);
            let text = cards::read(deck, id)?.ok_or_else(|| cards::missing(deck, id))?;
            return Ok((text, "text/markdown".to_owned()));
        }
        let place = self.place(session, address.repo.as_deref())?;
        let view = place.view(address.ref_name.as_deref(), work)?;
        if address.kind == Kind::Symbol {
            let text = portrait::of_symbol(&view, &address.name, None, SYMBOL_TOKENS)?;
            return Ok((text, "text/markdown".to_owned()));
        }
        if address.kind == Kind::Repo {
            let name = address.repo.as_deref().unwrap_or_default();
            let text = portrait::of_repository(&place.workspace, &view, &session.scope(), name)?;
            return Ok((text, "text/markdown".to_owned()));
        }
        let (_, file) = outline::file(&view, &address.name)?;
        if address.kind == Kind::Doc && file.language != MARKDOWN {
            let other = ResourceUri { kind: Kind::File, ..address.clone() };
            return Err(ToolError::new(ErrorCode::FileNotFound, format!("{} is no document", file.path))
                .suggest(format!("Read {other} instead.")));
        }
        Ok((current(&view, &file)?, mime(&file.language)))
    }

    /// A figure that changes when the list of resources does.
    pub(crate) fn fingerprint(&self, session: &Session) -> Option<u64> {
        if self.shelf().is_some() {
            return Some(figure(&self.repository_entries(session)));
        }
        let place = self.place(session, None).ok()?;
        let view = place.as_published(None).ok()?;
        Some(figure(&self.cards(session).ok()?) ^ self.figure_of_files(&view).ok()?)
    }

    /// The part of the figure that only a publish changes. Every session asks at its start and at every publish, so it is
    /// made once for all of them.
    fn figure_of_files(&self, view: &View) -> Result<u64, ToolError> {
        let Some(published) = &view.published else { return Ok(0) };
        let mut known = self.listed.lock();
        let as_of = (view.standing.ref_name.clone(), published.as_of());
        if let Some((_, figure)) = known.as_ref().filter(|(known, _)| *known == as_of) {
            return Ok(*figure);
        }
        let figure = figure(&self.files(view)?);
        *known = Some((as_of, figure));
        Ok(figure)
    }

    /// Everything that is listed, in order.
    fn entries(&self, session: &Session, view: &View) -> Result<Vec<Entry>, ToolError> {
        let mut entries = self.cards(session)?;
        entries.extend(self.files(view)?);
        Ok(entries)
    }

    /// The repositories of a server that has many.
    fn repository_entries(&self, session: &Session) -> Vec<Entry> {
        let mime = || "text/markdown".to_owned();
        let entry = |name: String| Entry { kind: Kind::Repo, name, title: None, mime: mime(), size: None };
        self.repositories(session).into_iter().map(entry).collect()
    }

    fn cards(&self, session: &Session) -> Result<Vec<Entry>, ToolError> {
        if !self.serves(Kind::Card.toolset()) {
            return Ok(Vec::new());
        }
        let entry = |card: cards::CardEntry| Entry {
            kind: Kind::Card,
            name: card.id,
            title: Some(card.title),
            mime: "text/markdown".to_owned(),
            size: None,
        };
        Ok(cards::list(self.deck(session))?.into_iter().map(entry).collect())
    }

    /// Documents, then files.
    fn files(&self, view: &View) -> Result<Vec<Entry>, ToolError> {
        let Some(published) = &view.published else { return Ok(Vec::new()) };
        let mut entries = Vec::new();
        for file in published.files().map_err(cruxe_index::IndexError::from)? {
            let doc = file.language == MARKDOWN && self.serves(Kind::Doc.toolset());
            let kind = if doc { Kind::Doc } else { Kind::File };
            let is_card = is_card(&file.path) && self.serves(Kind::Card.toolset());
            if self.serves(kind.toolset()) && !is_card {
                let (name, mime) = (file.path.as_str().to_owned(), mime(&file.language));
                entries.push(Entry { kind, name, title: None, mime, size: Some(file.bytes) });
            }
        }
        entries.sort_by(|a, b| (a.kind, &a.name).cmp(&(b.kind, &b.name)));
        Ok(entries)
    }
}

/// A figure that changes with what a list shows.
fn figure(entries: &[Entry]) -> u64 {
    let mut hasher = DefaultHasher::new();
    entries.iter().for_each(|entry| (entry.kind.as_str(), &entry.name, &entry.title).hash(&mut hasher));
    hasher.finish()
}

/// A resource of the list.
struct Entry {
    kind: Kind,
    name: String,
    title: Option<String>,
    mime: String,
    size: Option<u64>,
}

impl Entry {
    fn key(&self) -> String {
        format!("{}{}", kind_number(self.kind), self.name)
    }

    fn listed(&self) -> Resource {
        let uri = match self.kind {
            Kind::Repo => ResourceUri::of_repo(self.name.as_str()),
            kind => ResourceUri::new(kind, self.name.as_str()),
        };
        let mut resource = Resource::new(uri.to_string(), self.name.as_str()).with_mime_type(self.mime.as_str());
        resource.title = self.title.clone();
        resource.size = self.size;
        resource
    }
}

/// Whether a file is listed as a card.
fn is_card(path: &RepoPath) -> bool {
    path.parent() == CARDS && path.file_name().strip_suffix(".md").and_then(CardId::parse).is_some()
}

/// The place of a kind in the order of the list.
fn kind_number(kind: Kind) -> u8 {
    match kind {
        Kind::Card => 0,
        Kind::Doc => 1,
        Kind::File => 2,
        Kind::Symbol => 3,
        Kind::Repo => 4,
    }
}

fn template(kind: Kind, form: String) -> ResourceTemplate {
    let (title, about, mime) = match kind {
        Kind::Symbol => (
            "Symbol",
            "A definition by symbol_id or name: its source, who calls it, what it calls.",
            Some("text/markdown"),
        ),
        Kind::Repo => ("Repository", "A repository by its name: its refs, its files.", Some("text/markdown")),
        Kind::File => ("File", "The text of a file in the index, in any indexed ref.", None),
        Kind::Doc => ("Document", "A Markdown document, in any indexed ref.", Some("text/markdown")),
        Kind::Card => ("Task card", "A task card by its id, front matter included.", Some("text/markdown")),
    };
    let mut template = ResourceTemplate::new(form, kind.as_str()).with_title(title).with_description(about);
    template.mime_type = mime.map(str::to_owned);
    template
}

/// The text of a file as its ref has it now: of what is checked out, an edit that is not indexed yet included.
fn current(view: &View, file: &FileRow) -> Result<String, ToolError> {
    let checked_out = view.project.current_ref().is_ok_and(|name| name == view.standing.ref_name);
    let on_disk = if checked_out { view.project.read_current(&file.path) } else { None };
    match on_disk {
        Some(bytes) => Ok(cruxe_extract::as_text(&bytes).0.into_owned()),
        None => content(view, file),
    }
}

/// The text of a file as it was indexed.
pub(crate) fn content(view: &View, file: &FileRow) -> Result<String, ToolError> {
    let bytes = view
        .project
        .read(file)
        .ok_or_else(|| ToolError::new(ErrorCode::IndexStale, format!("{} is no longer what was indexed", file.path)))?;
    Ok(cruxe_extract::as_text(&bytes).0.into_owned())
}

/// A media type for a language; `text/plain` where there is none worth naming.
fn mime(language: &str) -> String {
    match language {
        "" | "text" => "text/plain".to_owned(),
        MARKDOWN => "text/markdown".to_owned(),
        "json" => "application/json".to_owned(),
        "html" | "css" | "javascript" => format!("text/{language}"),
        language => format!("text/x-{language}"),
    }
}

/// The resource of the first result of an answer, where results are symbols or files of this server's own workspace or, of many, of
/// one repository.
pub(crate) fn link_of_first(structured: &Value, repo: Option<&str>) -> Option<Resource> {
    let first = structured.get("results")?.get(0)?;
    let ref_name = structured.get("metadata")?.get("ref")?.as_str()?;
    let text = |key: &str| first.get(key).and_then(Value::as_str);
    let (kind, handle, name) = match text("symbol_id") {
        Some(id) => (Kind::Symbol, id, text("qualified_name").or(text("name"))?),
        None => (Kind::File, text("path")?, text("path")?),
    };
    let uri = ResourceUri { repo: repo.map(str::to_owned), ..ResourceUri::new(kind, handle).at(ref_name) };
    Some(Resource::new(uri.to_string(), name))
}

/// Where a symbol is defined, by handle or by name.
pub(crate) fn definition(view: &View, name: &str) -> Result<locate::Definition, ToolError> {
    let question = locate::Question::new(name.to_owned(), 1);
    let answer = locate::locate(view, &question)?;
    let found = answer.found.into_iter().next().filter(|_| answer.matched.is_some_and(locate::Matched::is_it));
    found.ok_or_else(|| ToolError::new(ErrorCode::SymbolNotFound, format!("no symbol is named `{name}`")))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_link_of_an_answer_is_its_first_result_in_its_ref() {
        let answer = json!({"metadata": {"ref": "main"}, "results": [
            {"symbol_id": "sym_1", "qualified_name": "a::b", "path": "a.rs"}, {"symbol_id": "sym_2"}]});
        let link = link_of_first(&answer, None).unwrap();
        assert_eq!((link.uri.as_str(), link.name.as_str()), ("cruxe://symbol/sym_1?ref=main", "a::b"));
        let answer = json!({"metadata": {"ref": "main"}, "results": [{"path": "a b.md"}]});
        assert_eq!(link_of_first(&answer, None).unwrap().uri, "cruxe://file/a%20b.md?ref=main");
        let of_many = link_of_first(&answer, Some("org/app")).unwrap();
        assert_eq!(of_many.uri, "cruxe://repo/org/app/-/file/a%20b.md?ref=main");
        assert_eq!(link_of_first(&json!({"metadata": {"ref": "main"}, "results": []}), None), None);
        assert_eq!(link_of_first(&json!({"status": "ready"}), None), None);
    }
}
