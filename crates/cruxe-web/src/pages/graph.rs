//! Pictures of what is around a symbol, of a folder's parts, of the tasks. Never everything at once: what is shown is bounded, and
//! one step more is asked for by its box.

use std::collections::HashMap;
use std::sync::Arc;

use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use cruxe_query::dependencies::{self, Dependency, FolderMap};
use cruxe_server::contract::ToolError;
use cruxe_server::contract::names::GET_CALL_GRAPH;
use maud::{Markup, PreEscaped, html};
use serde_json::{Value, json};

use super::{count, size};
use crate::address;
use crate::ask::{Asking, list, number, text};
use crate::drawing::{self, HEIGHT, Layers, WIDTH};
use crate::layout::{Look, notes};
use crate::params::Params;
use crate::visit::Visit;

/// Boxes of one picture.
const MOST: usize = 200;
/// Neighbours that one step adds.
const STEP: u64 = 24;
/// Parts of a folder.
const PARTS: usize = 60;
/// What a part of a folder imports from that is drawn.
const TIES: usize = 2;

/// A box.
#[derive(Clone, Debug, Default)]
struct Node {
    label: String,
    below: String,
    kind: String,
    href: String,
    /// Shows one step more.
    more: Option<String>,
    class: &'static str,
}

/// What is drawn.
#[derive(Default)]
struct Picture {
    nodes: Vec<Node>,
    layers: Vec<i32>,
    /// From, to, how thick, and whether it is a guess.
    edges: Vec<(usize, usize, usize, bool)>,
    cut: bool,
}

pub(crate) async fn page(visit: Visit, params: Params) -> Response {
    let asked = params.clone();
    let look = Look::new("Graph", "Graph").script("graph.js").wide();
    visit
        .page(&params, look, move |asking| {
            let (head, picture) = chosen(asking, &asked)?;
            Ok(html! {
                div #graph data-live=(if asked.get("tasks").is_some() { "deck" } else { "index" }) {
                    (head)
                    @if let Some(picture) = picture { (frame(&asked, &picture)) }
                }
            })
        })
        .await
}

/// The picture as a file.
pub(crate) async fn file(visit: Visit, params: Params) -> Response {
    let drawn = visit.work(move |asking| Ok(chosen(asking, &params)?.1.map(|picture| svg(&picture, true)))).await;
    match drawn {
        Ok(Some(picture)) => {
            let headers =
                [(CONTENT_TYPE, "image/svg+xml"), (CONTENT_DISPOSITION, "attachment; filename=\"graph.svg\"")];
            (headers, format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{}", picture.into_string())).into_response()
        }
        Ok(None) => (axum::http::StatusCode::NOT_FOUND, "There is no picture here.\n").into_response(),
        Err(error) => (axum::http::StatusCode::BAD_REQUEST, error.message).into_response(),
    }
}

fn chosen(asking: &Asking, params: &Params) -> Result<(Markup, Option<Picture>), ToolError> {
    if let Some(symbol) = params.get("symbol") {
        return of_symbol(asking, params, symbol);
    }
    if params.get("tasks").is_some() {
        return of_tasks(asking, params);
    }
    of_folder(asking, params, params.get("folder").unwrap_or_default())
}

/// The pictures there are.
fn tabs(asking: &Asking, params: &Params, here: &str) -> Markup {
    let has_tasks = asking.visit.repository().is_none();
    let ref_name = params.get("ref").unwrap_or_default();
    html! { p.row {
        a.button.on[here == "folder"] href=(address::with("/graph", &[("ref", ref_name)])) { "Folders" }
        @if has_tasks { a.button.on[here == "tasks"] href=(address::page("/graph?tasks=1")) { "Tasks" } }
        @if here == "symbol" { span.button.on { "Symbol" } }
    } }
}

/// The neighbourhood of a symbol: who calls it to the left, whom it calls to the right.
fn of_symbol(asking: &Asking, params: &Params, symbol: &str) -> Result<(Markup, Option<Picture>), ToolError> {
    let depth = params.number("depth").unwrap_or(1).clamp(1, 3);
    let direction = params.get("direction").unwrap_or("both");
    let question = |name: &str, direction: &str, depth: u32| {
        asking.tool(
            GET_CALL_GRAPH,
            json!({"symbol_name": name, "ref": params.get("ref"), "direction": direction, "depth": depth, "limit": STEP * u64::from(depth),
                   "tests": params.get("tests"), "paths": params.all("path")}),
        )
    };
    let graph = question(symbol, direction, depth)?;
    let mut drawn = Neighbourhood { params, picture: Picture::default(), known: HashMap::new(), root: symbol };
    let centre = drawn.add(&graph["symbol"], 0, "centre");
    drawn.edges(centre, &graph, "callers", -1);
    drawn.edges(centre, &graph, "callees", 1);
    for opened in params.all("open") {
        let Some(at) = drawn.known.get(opened).copied() else { continue };
        let layer = drawn.picture.layers[at];
        // One step more on the side on which it stands.
        let way = if layer < 0 { "callers" } else { "callees" };
        if let Ok(graph) = question(opened, way, 1) {
            drawn.edges(at, &graph, way, if layer < 0 { -1 } else { 1 });
            drawn.picture.nodes[at].more = None;
        }
    }
    let name = text(&graph["symbol"], "qualified_name");
    let head = html! {
        header.head { h1 { "Around " a href=(address::symbol(text(&graph["symbol"], "symbol_id"), params.get("ref"))) { (name) } } (tabs(asking, params, "symbol")) }
        (notes(&graph["metadata"]))
        p.row {
            label { "Steps " select data-param="depth" { @for one in 1..=3u32 { option value=(one) selected[one == depth] { (one) } } } }
            label { "Show " select data-param="direction" { @for (value, word) in [("", "both"), ("callers", "callers"), ("callees", "callees")] {
                option value=(value) selected[direction == value] { (word) } } } }
            label { "Tests " select data-param="tests" { @for (value, word) in [("", "with"), ("exclude", "without"), ("only", "only")] {
                option value=(value) selected[params.get("tests").unwrap_or_default() == value] { (word) } } } }
        }
    };
    Ok((head, Some(drawn.picture)))
}

/// A neighbourhood that is being drawn.
struct Neighbourhood<'a> {
    params: &'a Params,
    picture: Picture,
    known: HashMap<String, usize>,
    root: &'a str,
}

impl Neighbourhood<'_> {
    fn add(&mut self, symbol: &Value, layer: i32, class: &'static str) -> usize {
        let id = text(symbol, "symbol_id");
        let name = text(symbol, "qualified_name");
        let key = if id.is_empty() { name } else { id };
        if let Some(at) = self.known.get(key) {
            return *at;
        }
        let ref_name = self.params.get("ref").unwrap_or_default();
        let external = text(symbol, "kind") == "external" || id.is_empty();
        let opened = self.params.all("open").join(",");
        let open = if opened.is_empty() { id.to_owned() } else { format!("{opened},{id}") };
        let more = [
            ("symbol", self.root),
            ("ref", ref_name),
            ("depth", self.params.get("depth").unwrap_or_default()),
            ("direction", self.params.get("direction").unwrap_or_default()),
            ("tests", self.params.get("tests").unwrap_or_default()),
            ("open", &open),
        ];
        let is_test = symbol["is_test"].as_bool() == Some(true);
        let line = number(symbol, "line_start");
        self.picture.nodes.push(Node {
            label: last_parts(name),
            below: if external { "from outside".to_owned() } else { format!("{}:{line}", text(symbol, "path")) },
            kind: text(symbol, "kind").to_owned(),
            href: if external { String::new() } else { address::with("/graph", &[("symbol", id), ("ref", ref_name)]) },
            more: (class != "centre" && !external).then(|| address::with("/graph", &more)),
            class: if is_test { "test" } else { class },
        });
        self.picture.layers.push(layer);
        self.known.insert(key.to_owned(), self.picture.nodes.len() - 1);
        self.picture.nodes.len() - 1
    }

    /// Adds callers or callees, each tied to what it is one step away from.
    fn edges(&mut self, centre: usize, graph: &Value, way: &str, side: i32) {
        let base = self.picture.layers[centre];
        for edge in list(graph, way) {
            if self.picture.nodes.len() >= MOST {
                self.picture.cut = true;
                return;
            }
            let steps = number(edge, "depth").max(1) as i32;
            let at = self.add(&edge["symbol"], base + side * steps, "");
            let near = edge["via"].as_str().and_then(|via| self.known.get(via).copied()).unwrap_or(centre);
            let guess = text(edge, "confidence") == "heuristic";
            let thick = number(edge, "call_count").max(1) as usize;
            self.picture.edges.push(if side < 0 { (at, near, thick, guess) } else { (near, at, thick, guess) });
        }
        self.picture.cut |= graph["truncated"].as_bool() == Some(true);
    }
}

/// The last two parts of a qualified name.
fn last_parts(name: &str) -> String {
    let parts: Vec<&str> = name.split(['.', ':', '/', '\\', '#']).filter(|part| !part.is_empty()).collect();
    parts[parts.len().saturating_sub(2)..].join(".")
}

/// The parts of a folder: by size as areas, by what they import from each other as a graph.
fn of_folder(asking: &Asking, params: &Params, folder: &str) -> Result<(Markup, Option<Picture>), ToolError> {
    let ref_name = params.get("ref");
    let view = asking.view(ref_name)?;
    let map = dependencies::of_folder(&view, folder, PARTS)?;
    let to = |path: &str, is_folder: bool| match is_folder {
        true => address::with("/graph", &[("folder", path), ("ref", ref_name.unwrap_or_default())]),
        false => address::file(path, ref_name, None),
    };
    let head = html! {
        header.head {
            h1 { @if folder.is_empty() { "The map" } @else {
                a href=(address::with("/graph", &[("folder", folder.trim_end_matches('/').rsplit_once('/').map_or("", |(above, _)| above)), ("ref", ref_name.unwrap_or_default())])) title="The folder above" { "↑" } " " (folder)
            } }
            (tabs(asking, params, "folder"))
        }
        @if map.late { p.note { "There was no time to look at all imports." } }
        @if map.parts.is_empty() { p.empty { "Nothing is indexed here." } } @else { (areas(&map, &to)) }
    };
    let ties = main_ties(&map);
    let mut picture = Picture { cut: map.left_out > 0 || ties.len() < map.edges.len(), ..Picture::default() };
    let shown: Vec<usize> =
        (0..map.parts.len()).filter(|at| ties.iter().any(|tie| tie.0 == *at || tie.1 == *at)).collect();
    let place: HashMap<usize, usize> = shown.iter().enumerate().map(|(new, old)| (*old, new)).collect();
    for at in &shown {
        let part = &map.parts[*at];
        picture.nodes.push(Node {
            label: if part.is_folder { format!("{}/", part.name) } else { part.name.clone() },
            below: format!("{} files · {}", count(part.files), size(part.bytes)),
            kind: String::new(),
            href: to(&part.path, part.is_folder),
            more: None,
            class: if part.is_test { "test" } else { "" },
        });
    }
    picture.edges =
        ties.iter().filter_map(|tie| Some((*place.get(&tie.0)?, *place.get(&tie.1)?, tie.2, false))).collect();
    let pairs: Vec<(usize, usize)> = picture.edges.iter().map(|edge| (edge.0, edge.1)).collect();
    picture.layers = drawing::rank(picture.nodes.len(), &pairs);
    Ok((head, (!picture.nodes.is_empty()).then_some(picture)))
}

/// The imports that say most: of two parts that import from each other the way that more files go, of each part the few that
/// most of its files need, and nothing that would close a circle. In a code base everything is tied to everything; all of it at
/// once shows nothing.
fn main_ties(map: &FolderMap) -> Vec<(usize, usize, usize)> {
    let back = |edge: &Dependency| map.edges.iter().find(|other| other.from == edge.to && other.to == edge.from);
    let mut ties: Vec<(usize, usize, usize)> = Vec::new();
    for edge in &map.edges {
        let is_lesser = back(edge).is_some_and(|other| (other.files, other.from) > (edge.files, edge.from));
        let own = ties.iter().filter(|tie| tie.0 == edge.from).count();
        if is_lesser || own >= TIES || leads_to(&ties, edge.to, edge.from) {
            continue;
        }
        ties.push((edge.from, edge.to, edge.files));
    }
    ties
}

/// Whether ties lead from one part to another.
fn leads_to(ties: &[(usize, usize, usize)], from: usize, to: usize) -> bool {
    let (mut seen, mut next) = (vec![from], 0);
    while let Some(at) = seen.get(next).copied() {
        if at == to {
            return true;
        }
        next += 1;
        for tie in ties.iter().filter(|tie| tie.0 == at) {
            if !seen.contains(&tie.1) {
                seen.push(tie.1);
            }
        }
    }
    false
}

/// Areas by size.
fn areas(map: &FolderMap, to: &dyn Fn(&str, bool) -> String) -> Markup {
    const WIDE: f64 = 1200.0;
    const TALL: f64 = 300.0;
    let sizes: Vec<f64> = map.parts.iter().map(|part| part.bytes.max(1) as f64).collect();
    let areas = drawing::areas(&sizes, (0.0, 0.0, WIDE, TALL));
    html! {
        svg.areas viewBox=(format!("0 0 {WIDE} {TALL}")) role="group" aria-label="Folders and files by size" {
            @for (part, (x, y, width, height)) in map.parts.iter().zip(areas) {
                a href=(to(&part.path, part.is_folder)) {
                    title { (part.path) ": " (count(part.files)) " files, " (count(part.lines)) " lines, " (size(part.bytes)) }
                    rect.area.test[part.is_test].leaf[!part.is_folder] x=(fixed(x + 1.0)) y=(fixed(y + 1.0)) width=(fixed((width - 2.0).max(0.0))) height=(fixed((height - 2.0).max(0.0))) rx="5" {}
                    @if width > 54.0 && height > 24.0 {
                        text x=(fixed(x + 9.0)) y=(fixed(y + 20.0)) { (fit(&part.name, width - 14.0, 7.4)) }
                        @if height > 44.0 { text.small x=(fixed(x + 9.0)) y=(fixed(y + 37.0)) { (fit(&size(part.bytes), width - 14.0, 6.4)) } }
                    }
                }
            }
        }
    }
}

/// Tasks, each to the right of what it waits for.
fn of_tasks(asking: &Asking, params: &Params) -> Result<(Markup, Option<Picture>), ToolError> {
    let cards = asking.visit.deck().cards()?;
    let all = params.get("tasks") == Some("all");
    let graph = cards.graph();
    let open: Vec<&Arc<cruxe_deck::Card>> = cards.cards.iter().filter(|card| all || !card.is_finished()).collect();
    let known: HashMap<&str, usize> =
        open.iter().take(MOST).enumerate().map(|(at, card)| (card.id.as_str(), at)).collect();
    let mut picture = Picture { cut: open.len() > MOST, ..Picture::default() };
    for card in open.iter().take(MOST) {
        let waits = graph.dependencies(card.id.as_str()).iter().any(|other| !other.is_finished());
        picture.nodes.push(Node {
            label: card.title.clone(),
            below: format!(
                "{} · {}{}",
                card.id.as_str(),
                card.priority.as_str(),
                card.assignee.as_deref().map(|name| format!(" · {name}")).unwrap_or_default()
            ),
            kind: card.status.as_str().to_owned(),
            href: address::with("/board", &[("card", card.id.as_str())]),
            more: None,
            class: if card.is_finished() {
                "test"
            } else if card.status == cruxe_deck::Status::Active {
                "centre"
            } else if waits {
                "waits"
            } else {
                "ready"
            },
        });
        let at = picture.nodes.len() - 1;
        picture.edges.extend(card.depends_on.iter().filter_map(|id| Some((*known.get(id.as_str())?, at, 1, false))));
    }
    let pairs: Vec<(usize, usize)> = picture.edges.iter().map(|edge| (edge.0, edge.1)).collect();
    picture.layers = drawing::rank(picture.nodes.len(), &pairs);
    let head = html! {
        header.head { h1 { "Tasks" } (tabs(asking, params, "tasks")) }
        p.row {
            label { "Show " select data-param="tasks" { option value="1" selected[!all] { "open" } option value="all" selected[all] { "all" } } }
            span.legend { span.dot.active {} "active" span.dot.ready {} "ready" span.dot.waits {} "waits" }
        }
        @if picture.nodes.is_empty() { p.empty { "There are no tasks. " code { "cue card new" } " makes one." } }
    };
    Ok((head, (!picture.nodes.is_empty()).then_some(picture)))
}

/// The picture with what can be done with it.
fn frame(params: &Params, picture: &Picture) -> Markup {
    let named = ["symbol", "folder", "tasks", "ref", "depth", "direction", "tests", "open", "path"];
    let opened = params.all("open").join(",");
    let pairs: Vec<(&str, &str)> = named
        .iter()
        .filter_map(
            |name| if *name == "open" { Some(("open", opened.as_str())) } else { Some((*name, params.get(name)?)) },
        )
        .collect();
    html! {
        div.picture-tools.row {
            label.hidden for="pick" { "Filter" }
            input #pick type="search" placeholder="Filter boxes" autocomplete="off";
            button.button type="button" data-zoom="in" aria-label="Larger" { "+" }
            button.button type="button" data-zoom="out" aria-label="Smaller" { "−" }
            a.button href=(address::with("/graph.svg", &pairs)) download="graph.svg" { "Save as SVG" }
            span.faint { (picture.nodes.len()) " boxes, " (picture.edges.len()) " lines" @if picture.cut { ", cut" } }
        }
        div.picture tabindex="0" role="region" aria-label="Picture" { (svg(picture, false)) }
    }
}

/// What a saved picture needs to look like one.
const STYLE: &str = "<style>text{font:13px system-ui,sans-serif;fill:#1b1f27}.small{font-size:11px;fill:#6b7280}\
    .box{fill:#fff;stroke:#cfd3da}.centre .box{fill:#e8eefd;stroke:#2f5fe0}.test .box{fill:#f3f4f6}.waits .box{stroke-dasharray:4 3}\
    .tie{fill:none;stroke:#9aa3b2}.guess{stroke-dasharray:4 4}.more{display:none}</style>";

fn svg(picture: &Picture, alone: bool) -> Markup {
    let pairs: Vec<(usize, usize)> = picture.edges.iter().map(|edge| (edge.0, edge.1)).collect();
    let Layers { places, width, height } = drawing::place(&picture.layers, &pairs);
    let thickest = picture.edges.iter().map(|edge| edge.2).max().unwrap_or(1).max(1) as f64;
    html! {
        svg.graph xmlns="http://www.w3.org/2000/svg" viewBox=(format!("0 0 {width:.0} {height:.0}")) width=(fixed(width)) height=(fixed(height)) role="group" aria-label="Graph" {
            @if alone { (PreEscaped(STYLE)) }
            @for (from, to, thick, guess) in &picture.edges {
                path.tie.guess[*guess] data-from=(from) data-to=(to) d=(drawing::curve(places[*from], places[*to]))
                    stroke-width=(fixed(1.0 + 3.0 * (*thick as f64 / thickest).sqrt() - 0.5)) {}
            }
            @for (at, (node, (x, y))) in picture.nodes.iter().zip(&places).enumerate() {
                g class={ "node " (node.class) } data-node=(at) data-name=(node.label.to_lowercase()) {
                    @let inside = html! {
                        title { (node.kind) " " (node.label) "\n" (node.below) }
                        rect.box x=(fixed(*x)) y=(fixed(*y)) width=(fixed(WIDTH)) height=(fixed(HEIGHT)) rx="8" {}
                        text x=(fixed(x + 11.0)) y=(fixed(y + 17.0)) { (fit(&node.label, WIDTH - 34.0, 7.2)) }
                        text.small x=(fixed(x + 11.0)) y=(fixed(y + 32.0)) { (tail(&node.below, WIDTH - 34.0, 6.0)) }
                    };
                    @if node.href.is_empty() || alone { (inside) } @else { a href=(node.href) { (inside) } }
                    @if let Some(more) = node.more.as_ref().filter(|_| !alone) {
                        a.more href=(more) aria-label={ "One step more from " (node.label) } {
                            circle cx=(fixed(x + WIDTH - 15.0)) cy=(fixed(y + HEIGHT / 2.0)) r="9" {}
                            path d=(format!("M{:.1} {:.1}h8m-4-4v8", x + WIDTH - 19.0, y + HEIGHT / 2.0)) {}
                        }
                    }
                }
            }
        }
    }
}

fn fixed(number: f64) -> String {
    format!("{number:.1}")
}

/// As much of a text as fits into a width.
fn fit(text: &str, width: f64, letter: f64) -> String {
    let most = (width / letter).max(1.0) as usize;
    if text.chars().count() <= most {
        text.to_owned()
    } else {
        text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
    }
}

/// The end of a text, as much of it as fits.
fn tail(text: &str, width: f64, letter: f64) -> String {
    let most = (width / letter).max(1.0) as usize;
    let length = text.chars().count();
    if length <= most {
        text.to_owned()
    } else {
        std::iter::once('…').chain(text.chars().skip(length - most + 1)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_to_their_boxes() {
        assert_eq!((fit("abcdef", 50.0, 10.0), fit("abc", 50.0, 10.0)), ("abcd…".to_owned(), "abc".to_owned()));
        assert_eq!(tail("a/b/c/d.py", 60.0, 10.0), "…/d.py");
        assert_eq!(last_parts("a.b::C.d"), "C.d");
    }

    #[test]
    fn a_picture_escapes_what_it_shows() {
        let node = Node { label: "<script>".to_owned(), href: "/x".to_owned(), ..Node::default() };
        let picture = Picture { nodes: vec![node], layers: vec![0], ..Picture::default() };
        for alone in [false, true] {
            assert!(!svg(&picture, alone).into_string().contains("<script"));
        }
    }
}
