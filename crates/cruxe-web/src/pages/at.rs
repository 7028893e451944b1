//! What the name under the pointer means.

use axum::extract::Path;
use axum::response::{IntoResponse, Response};
use cruxe_query::at::{Described, Meaning, Pointed, at};
use cruxe_query::resolve::Certainty;
use cruxe_server::answers::reason_word;
use cruxe_server::contract::ToolError;
use maud::{Markup, html};

use super::{kind, place_link, short_name};
use crate::address;
use crate::ask::failure;
use crate::params::Params;
use crate::visit::Visit;

pub(crate) async fn part(visit: Visit, Path(path): Path<String>, params: Params) -> Response {
    let outcome = visit
        .work(move |asking| -> Result<Markup, ToolError> {
            let ref_name = params.ref_name();
            let view = asking.view(ref_name.as_deref())?;
            let (line, column) = (params.number("line").unwrap_or_default(), params.number("col").unwrap_or_default());
            let found = at(&view, &path, line, column)?;
            Ok(found.map_or_else(|| html! {}, |found| card(&found, ref_name.as_deref())))
        })
        .await;
    outcome.unwrap_or_else(|error| failure(&error)).into_response()
}

fn card(pointed: &Pointed, ref_name: Option<&str>) -> Markup {
    let plain = |words: &str| html! { p { code { (pointed.name) } " " (words) } };
    match &pointed.meaning {
        Meaning::Definition(found) => html! { (described(found, ref_name)) },
        Meaning::Uses(found, certainty) => html! {
            @for one in found { (described(one, ref_name)) }
            @match certainty {
                Certainty::Exact => p.faint { "exact: a compiler's index says so" },
                Certainty::Static => {},
                Certainty::Customary | Certainty::Heuristic => p.sure-guess { "a guess" },
            }
        },
        Meaning::Module => plain("is a module or package"),
        Meaning::Local => plain("is a parameter or local"),
        Meaning::Outside => plain("is not defined in this repository"),
        Meaning::Unresolved(reason) => html! { p { code { (pointed.name) } " unresolved: " (reason_word(*reason)) } },
    }
}

fn described(found: &Described, ref_name: Option<&str>) -> Markup {
    let symbol = &found.symbol;
    let page = address::symbol(&symbol.symbol_id, ref_name);
    html! {
        div.pop-symbol {
            p { (kind(symbol.kind.as_str())) a.name data-definition={
                    (address::file(&symbol.path, ref_name, Some((symbol.line_start.into(), symbol.line_end.into()))))
                } href=(page) { (short_name(&symbol.qualified_name)) } }
            @if !found.signature.is_empty() { pre { (found.signature) } }
            p.faint { (place_link(&symbol.path, symbol.line_start.into(), symbol.line_end.into(), ref_name)) }
            p.row { a.button href=(page) { "Callers and callees" } a.button href={ (page) "#uses" } { "Uses" } }
        }
    }
}
