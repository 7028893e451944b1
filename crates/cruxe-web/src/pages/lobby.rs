//! The repositories of a team: all that a caller may see, and a search over them.

use axum::Router;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::http::Uri;
use axum::response::{IntoResponse, Redirect, Response};
use cruxe_server::contract::ToolError;
use cruxe_server::contract::names::SEARCH_CODE;
use maud::{Markup, html};
use percent_encoding::percent_decode_str;
use serde_json::{Value, json};
use tower::ServiceExt;

use super::{count, place_link, symbol_link};
use crate::address;
use crate::ask::{Asking, failure, list, number, text};
use crate::layout::{self, Look, notes};
use crate::live::Figures;
use crate::params::Params;
use crate::visit::Visit;

/// Results of a search over all repositories.
const LIMIT: u64 = 30;

/// The repositories, or what a search finds in them.
pub(crate) async fn page(visit: Visit, params: Params) -> Response {
    let title = params.get("q").map_or_else(|| "Repositories".to_owned(), |query| format!("{query} · Search"));
    let asked = params.clone();
    visit
        .page(&params, Look::new("", title), move |asking| match asked.get("q") {
            Some(query) => results(asking, query),
            None => Ok(repositories(asking)),
        })
        .await
}

fn repositories(asking: &Asking) -> Markup {
    let names = asking.visit.site.app.workspaces().names(&asking.visit.session());
    html! {
        header.head { h1 { "Repositories " span.n { (names.len()) } } }
        @if names.is_empty() { p.empty { "The token may see none yet." } }
        ul.plain data-list { @for name in &names {
            li { a.open href={ (address::repository(name)) "/" } { (name) } }
        } }
    }
}

fn results(asking: &Asking, query: &str) -> Result<Markup, ToolError> {
    let answer = asking.tool(SEARCH_CODE, json!({"query": query, "workspace": "*", "limit": LIMIT}))?;
    let found = list(&answer, "results");
    Ok(html! {
        section.hits aria-label="Results" {
            p.tally role="status" { @if found.is_empty() { "Nothing found" } @else { (count(found.len() as u64)) " results" } }
            (notes(&answer["metadata"]))
            ol.list data-list { @for hit in found { li { (result(hit)) } } }
        }
    })
}

fn result(hit: &Value) -> Markup {
    let repository = text(hit, "repository");
    address::below(&address::repository(repository), || {
        html! {
            article.result {
                h2 { a.open href=(address::page("/")) { (repository) } " "
                    @if text(hit, "name").is_empty() { (text(hit, "path")) } @else { (symbol_link(hit, None)) }
                }
                (place_link(text(hit, "path"), number(hit, "line_start"), number(hit, "line_end"), None))
                @if !text(hit, "snippet").is_empty() { pre { (text(hit, "snippet")) } }
            }
        }
    })
}

/// The page of a repository: what stands behind `/repo`, as `/NAME/-/…`.
pub(crate) async fn repository(visit: Visit, State(pages): State<Router>, mut request: Request) -> Response {
    let (path, query) = (request.uri().path().to_owned(), request.uri().query().unwrap_or_default().to_owned());
    let Some((name, rest)) = path.trim_start_matches('/').split_once("/-/") else {
        let to = match path.trim_matches('/') {
            "" => "/".to_owned(),
            name => format!("/repo/{name}/-/"),
        };
        return Redirect::to(&to).into_response();
    };
    let (name, params) = (percent_decode_str(name).decode_utf8_lossy().into_owned(), Params::parse(&query));
    let ref_name = params.ref_name();
    let inside = visit.work(move |asking| asking.visit.enter(&name, ref_name)).await;
    let inside = match inside {
        Ok(inside) => inside,
        Err(error) => {
            let page = layout::page(&visit, &params, &Look::new("", "Not found"), &Figures::default(), failure(&error));
            return (StatusCode::NOT_FOUND, page).into_response();
        }
    };
    let Ok(uri) = format!("/{rest}?{query}").parse::<Uri>() else { return StatusCode::BAD_REQUEST.into_response() };
    *request.uri_mut() = uri;
    request.extensions_mut().insert(inside);
    match pages.oneshot(request).await {
        Ok(response) => response,
        Err(impossible) => match impossible {},
    }
}
