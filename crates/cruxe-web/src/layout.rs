//! What stands around every page.

use maud::{DOCTYPE, Markup, html};

use crate::live::Figures;
use crate::params::Params;
use crate::visit::{Place, Visit};
use crate::{address, assets};

/// Which page it is.
#[derive(Clone, Debug, Default)]
pub(crate) struct Look {
    /// What the tab is called.
    pub title: String,
    /// The entry of the navigation.
    pub place: &'static str,
    /// The page's own script.
    pub script: Option<&'static str>,
    /// The page uses the whole width.
    pub wide: bool,
}

impl Look {
    pub fn new(place: &'static str, title: impl Into<String>) -> Look {
        Look { title: title.into(), place, script: None, wide: false }
    }

    pub fn script(self, name: &'static str) -> Look {
        Look { script: Some(name), ..self }
    }

    pub fn wide(self) -> Look {
        Look { wide: true, ..self }
    }
}

const PLACES: [(&str, &str); 6] = [
    ("Search", "/search"),
    ("Files", "/file/"),
    ("Branches", "/branches"),
    ("Graph", "/graph"),
    ("Board", "/board"),
    ("Status", "/status"),
];
/// The first so many of them show code; the others a deck and a machine.
const OF_CODE: usize = 4;

/// A whole page.
pub(crate) fn page(visit: &Visit, params: &Params, look: &Look, made_from: &Figures, body: Markup) -> Markup {
    let (site, name, refs) = (&visit.site, visit.name(), visit.refs());
    let (places, home, search) = match visit.place {
        Place::Own => (&PLACES[..], "/", "/search"),
        Place::Repository(_) => (&PLACES[..OF_CODE], "/", "/search"),
        Place::Lobby => (&PLACES[..0], "/", "/"),
    };
    let ref_name = params.get("ref").unwrap_or_default();
    html! {
        (DOCTYPE)
        html lang="en" data-below=(visit.below()) {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="cruxe-page" content=(site.page_token);
                meta name="cruxe-made-from" content=(made_from.to_json());
                title { (look.title) " · " (name) }
                link rel="icon" href=(assets::address("icon.svg")) type="image/svg+xml";
                link rel="stylesheet" href=(assets::address("app.css"));
                script type="module" src=(assets::address("app.js")) {}
                @if let Some(script) = look.script { script type="module" src=(assets::address(script)) {} }
            }
            body {
                a.skip href="#main" { "Skip to the content" }
                header.top {
                    @if visit.repository().is_some() { a.button href="/" title="All repositories" { "↑" } }
                    a.brand href=(address::page(home)) title=(visit.workspace().project.address().display()) {
                        svg.logo viewBox="0 0 24 24" aria-hidden="true" {
                            path d="M4 12 12 4l8 8-8 8z" fill="none" stroke="currentColor" stroke-width="2.4" stroke-linejoin="round" {}
                            circle cx="12" cy="12" r="2.6" fill="currentColor" {}
                        }
                        span { (name) }
                    }
                    form.find action=(address::page(search)) role="search" {
                        label.hidden for="q" { "Search the code" }
                        input #q name="q" type="search" autocomplete="off" autocapitalize="off" spellcheck="false"
                            placeholder="Search code, symbols, paths, messages" value=[params.get("q")];
                        @if !ref_name.is_empty() { input type="hidden" name="ref" value=(ref_name); }
                        kbd aria-hidden="true" { "/" }
                    }
                    nav.places aria-label="Pages" {
                        @for (word, to) in places {
                            @let to = address::with(to, &[("ref", if *word == "Board" { "" } else { ref_name })]);
                            a href=(to) aria-current=[(*word == look.place).then_some("page")] { (word) }
                        }
                    }
                    @if refs.names.len() > 1 {
                        label.hidden for="ref" { "Branch" }
                        select #ref data-ref {
                            @for name in &refs.names {
                                @let chosen = if ref_name.is_empty() { *name == refs.current } else { name == ref_name };
                                option value=(if *name == refs.current { "" } else { name }) selected[chosen] { (name) }
                            }
                        }
                    }
                    button.help-open type="button" aria-label="Keyboard shortcuts" title="Keyboard shortcuts (?)" { "?" }
                    span #live.live role="status" title="Live" { span.hidden { "Live" } }
                }
                main #main.wide[look.wide] tabindex="-1" { (body) }
                div #notice.notice role="status" aria-live="polite" hidden {}
                div #pop.pop role="dialog" aria-label="What it means" hidden {}
                (help())
            }
        }
    }
}

/// What keys do.
fn help() -> Markup {
    let keys = [
        ("/", "search"),
        ("↑ ↓  or  j k", "next and previous result"),
        ("Enter", "open it"),
        ("o", "outline of the file, results of the search: jump into the list"),
        ("g s · g f · g b · g g · g k · g i", "search, files, branches, graph, board, status"),
        ("y", "copy the address of what is shown"),
        ("Esc", "close, leave the field"),
        ("?", "this help"),
    ];
    html! {
        dialog #help aria-labelledby="help-title" {
            form method="dialog" {
                h2 #help-title { "Keyboard" }
                dl.keys { @for (key, means) in keys { dt { kbd { (key) } } dd { (means) } } }
                p.right { button.quiet { "Close" } }
            }
        }
    }
}

/// Asks for the server's token.
pub(crate) fn login(next: &str, is_wrong: bool) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { "Cruxe" }
                link rel="stylesheet" href=(assets::address("app.css"));
            }
            body {
                main #main.login {
                    h1 { "Cruxe" }
                    form method="post" action="/login" {
                        input type="hidden" name="next" value=(next);
                        label for="token" { "This server asks for its token." }
                        input #token name="token" type="password" autocomplete="current-password" required autofocus;
                        @if is_wrong { p.bad role="alert" { "That is not the token." } }
                        button { "Open" }
                    }
                }
            }
        }
    }
}

/// What an answer's metadata wants a reader to know: that it is not current or not all, and warnings.
pub(crate) fn notes(metadata: &serde_json::Value) -> Markup {
    let word = |name: &str| metadata[name].as_str().unwrap_or_default();
    let warnings: Vec<&str> =
        metadata["warnings"].as_array().into_iter().flatten().filter_map(|warning| warning.as_str()).collect();
    html! {
        @if word("result_completeness") == "partial" && word("indexing_status") != "ready" {
            p.note { "The index is being built. " a href=(address::page("/status")) { "How far it is" } }
        }
        @for warning in warnings { p.note { (warning) } }
    }
}
