//! Documents, and the scene of the deck.

use axum::extract::Path;
use axum::response::Response;
use cruxe_deck::scene;
use cruxe_deck::secrets::Masker;
use cruxe_index::IndexError;
use cruxe_model::RepoPath;
use cruxe_server::contract::{ErrorCode, ToolError};
use maud::{Markup, html};

use super::file::crumbs;
use super::{count, size};
use crate::address;
use crate::ask::Asking;
use crate::layout::Look;
use crate::markdown;
use crate::params::Params;
use crate::visit::Visit;

/// Documents of the list.
const MOST: usize = 500;

pub(crate) async fn page(visit: Visit, Path(path): Path<String>, params: Params) -> Response {
    let name = path.rsplit('/').next().unwrap_or_default().to_owned();
    visit.page(&params, Look::new("Board", name), move |asking| {
        let text = document(asking, &path)?;
        Ok(html! {
            article #document.document data-live="index deck" {
                header.file-head {
                    h1 { (crumbs(&path, None)) }
                    p.row.faint { (count(text.1 as u64)) " tokens" a.button href=(address::file(&path, None, None)) { "Source" } a.button href=(address::page("/doc/")) { "All documents" } }
                }
                div.prose { (text.0) }
            }
        })
    })
    .await
}

/// The text of a document. Only documents are read: other files may not be meant to be seen, and have a page where they are.
fn document(asking: &Asking, path: &str) -> Result<(Markup, usize), ToolError> {
    let parsed = RepoPath::parse(path).map_err(|problem| ToolError::invalid_input(problem.to_string()))?;
    if !path.ends_with(".md") || parsed.is_in_git_dir() {
        return Err(ToolError::new(ErrorCode::FileNotFound, format!("{path} is no document")));
    }
    let found = asking.visit.deck().documents().read(&parsed, None, &Vec::new)?;
    Ok((markdown::render(&parsed, &found.content), found.tokens))
}

pub(crate) async fn list(visit: Visit, params: Params) -> Response {
    visit.page(&params, Look::new("Board", "Documents"), move |asking| {
        let listing = asking.visit.workspace().project.scan().map_err(|problem: IndexError| ToolError::from(problem))?;
        let mut paths: Vec<String> = listing.files.into_iter().map(|file| String::from(file.path)).filter(|path| path.ends_with(".md")).collect();
        paths.sort_by_key(|path| (!path.starts_with(".cuedeck/"), path.clone()));
        paths.retain(|path| !path.starts_with(".cuedeck/cards/"));
        Ok(html! {
            header.head { h1 { "Documents " span.n { (paths.len()) } } a.button href=(address::page("/board")) { "Board" } }
            @if paths.is_empty() { p.empty { "There are no documents." } }
            ul.plain.docs data-list { @for path in paths.iter().take(MOST) { li { a.open href=(markdown::document(path)) { (path) } } } }
        })
    })
    .await
}

/// What an AI would be given of the work in progress.
pub(crate) async fn scene_page(visit: Visit, params: Params) -> Response {
    visit.page(&params, Look::new("Board", "Scene"), move |asking| {
        let deck = asking.visit.deck();
        let config = deck.config()?.config;
        let masker = Masker::of(&config.secrets).map_err(|problem| ToolError::invalid_input(problem.to_string()))?;
        let limit = config.token_limit as usize;
        let scene = scene::compose(&deck, limit, &masker).map_err(|problem| ToolError::invalid_input(problem.to_string()))?;
        Ok(html! {
            div #scene data-live="deck index" {
                header.head { h1 { "Scene" } p.row { a.button href=(address::page("/board")) { "Board" } } }
                div.figures {
                    div.figure { span.faint { "Tokens" } strong { (count(scene.tokens as u64)) } span.faint { "of " (count(limit as u64)) } }
                    div.figure { span.faint { "Size" } strong { (size(scene.text.len() as u64)) } }
                    div.figure { span.faint { "Secrets masked" } strong { (scene.masked) } }
                    div.figure { span.faint { "Parts that do not fit" } strong { (scene.pruned.len()) } }
                }
                progress max=(limit) value=(scene.tokens) aria-label="Tokens" {}
                @if !scene.pruned.is_empty() { details { summary { "Left out" } ul.plain { @for part in &scene.pruned { li { (part.what) @if part.cut { span.faint { " cut" } } } } } } }
                pre.scene tabindex="0" { (scene.text) }
            }
        })
    })
    .await
}
