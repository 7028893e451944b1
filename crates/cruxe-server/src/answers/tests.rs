//! The text of every answer, word by word, from one small project.

use std::fs;
use std::sync::Arc;

use cruxe_index::{JobRequest, Layers, Project, Standing, View, Workspace};
use cruxe_model::config::{Config, FreshnessPolicy};
use cruxe_model::{ContentHash, SymbolKind, Work};
use cruxe_query::call_graph::{self, Direction};
use cruxe_query::compare::{Summary, SymbolComparison, SymbolStatus, Version};
use cruxe_query::diff::{BranchDiff, Change, ChangeType, FileChange, Rename};
use cruxe_query::past::Record;
use cruxe_query::search::followup::{self, Asked, Previous};
use cruxe_query::search::{self, explain};
use cruxe_query::target::Wanted;
use cruxe_query::{call_path, locate, outline, references};
use cruxe_store::Home;
use insta::assert_snapshot;
use serde_json::json;

use super::*;
use crate::app::{App, Prewarm, RefStatus};
use crate::contract::{Metadata, names};
use crate::scope::Scope;
use crate::tools;
use crate::workspaces::{WorkspaceRules, Workspaces};

const FILES: &[(&str, &str)] = &[
    (
        "shop/cart.py",
        "class Cart:\n    def total(self) -> int:\n        return add_tax(sum(self.prices))\n\n\n\
         def add_tax(price: int) -> int:\n    return price * 119 // 100\n",
    ),
    (
        "shop/invoice.py",
        "from shop.cart import Cart, add_tax\n\n\ndef invoice(cart: Cart) -> int:\n    return add_tax(cart.total())\n",
    ),
    ("other/cart.py", "def add_tax(price):\n    return price\n"),
];

struct Shop {
    workspace: Arc<Workspace>,
    home: Home,
    folder: tempfile::TempDir,
}

impl Shop {
    fn new() -> Shop {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("shop");
        for (path, text) in FILES {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let home = Home::new(folder.path().join("home"));
        let workspace = Workspace::open(Project::locate(&root, &home, Config::default()).unwrap());
        workspace.run_job(&JobRequest::default(), Work::default()).unwrap();
        Shop { workspace, home, folder }
    }

    fn view(&self) -> View<'_> {
        self.workspace.view(None, FreshnessPolicy::BestEffort).unwrap()
    }

    fn app(&self) -> Arc<App> {
        let rules = WorkspaceRules {
            warmset: 1,
            auto: false,
            allowed_roots: Vec::new(),
            max_registered: 0,
            load_config: Box::new(|_| Ok(Config::default())),
            lost: None,
            shelf: None,
        };
        let workspaces = Workspaces::new(self.home.clone(), Arc::clone(&self.workspace), rules);
        App::new(workspaces, Prewarm::Complete)
    }

    /// The text without what differs from run to run.
    fn text(&self, answer: &impl Render) -> String {
        let root = self.folder.path().canonicalize().unwrap();
        answer.text().to_string().replace(root.to_str().unwrap(), "[TMP]")
    }
}

fn wanted(name: &str) -> Wanted {
    Wanted { name: name.to_owned(), path: None, line: None }
}

#[test]
fn a_search_is_places_with_what_stands_there() {
    let shop = Shop::new();
    let view = shop.view();
    let found = search::search(&view, &search::Question::new("Cart.total", 1)).unwrap();
    let answer = SearchAnswer::new("Cart.total", &view, &Layers::None, &found, &Detail::default()).unwrap();
    assert_snapshot!(shop.text(&answer), @r#"
    shop/cart.py:2-3  method Cart.total
        def total(self) -> int
    more with a higher limit
    "#);
    let shown = answer.with_source(&view, &found, Source::of_tokens(1000)).unwrap();
    assert_snapshot!(shop.text(&shown), @r#"
    shop/cart.py:2-3  method Cart.total
    2     def total(self) -> int:
    3         return add_tax(sum(self.prices))
    called by: invoice (shop/invoice.py:5)
    calls: add_tax
    more with a higher limit
    "#);
    let nothing = search::search(&view, &search::Question::new("zzz_nothing", 1)).unwrap();
    let answer = SearchAnswer::new("zzz_nothing", &view, &Layers::None, &nothing, &Detail::default()).unwrap();
    assert_snapshot!(shop.text(&answer), @r#"
    note: `zzz_nothing` does not exist in `live`; anything found is only similar
    nothing found for `zzz_nothing`
    "#);
}

#[test]
fn definitions_are_places_with_signatures() {
    let shop = Shop::new();
    let view = shop.view();
    let mut text = String::new();
    for (name, limit) in [("add_tax", 1), ("Add_Tax", 5), ("nosuch_thing_at_all", 5)] {
        let question = locate::Question::new(name.to_owned(), limit);
        let found = locate::locate(&view, &question).unwrap();
        let answer = LocateAnswer::new(name, &view, &Layers::None, &found, &Detail::default()).unwrap();
        text += &shop.text(&answer);
    }
    assert_snapshot!(text, @r#"
    other/cart.py:1-2  fn add_tax
        def add_tax(price)
    1 more; a higher limit lists them
    note: no symbol is named exactly `Add_Tax`; these are names that differ in case
    other/cart.py:1-2  fn add_tax
        def add_tax(price)
    shop/cart.py:6-7  fn add_tax
        def add_tax(price: int) -> int
    no symbol is named `nosuch_thing_at_all`
    "#);
}

#[test]
fn uses_are_lines_by_file_and_calls_are_a_tree() {
    let shop = Shop::new();
    let view = shop.view();
    let mut text = String::new();
    for name in ["add_tax", "shop.cart.add_tax"] {
        let question = references::Question { wanted: wanted(name), limit: 2, ..Default::default() };
        let found = references::find(&view, &Layers::None, &question).unwrap();
        text += &shop.text(&ReferencesAnswer::new(None, &view, &question, found, Breadth::Brief));
    }
    assert_snapshot!(text, @r#"
    note: 2 definitions are named `add_tax`; this is about other.cart.add_tax in other/cart.py:1. For another, pass path, line or a qualified name
    fn add_tax  other/cart.py:1  0 uses: it is unused
    fn add_tax  3 uses, 2 shown, offset 2 goes on
    shop/cart.py (def 6)
    3 return add_tax(sum(self.prices)) <- Cart.total
    shop/invoice.py
    1 from shop.cart import Cart, add_tax
    "#);
    let direction = Direction::Callers;
    let question = call_graph::Question {
        wanted: wanted("shop.cart.add_tax"),
        direction,
        depth: 2,
        limit: 9,
        filter: Default::default(),
    };
    let [brief, full] = [Breadth::Brief, Breadth::Full].map(|breadth| {
        let found = call_graph::find(&view, &question).unwrap();
        shop.text(&CallGraphAnswer::new(None, &view, direction, found, breadth))
    });
    assert_eq!(brief, full);
    assert_snapshot!(full, @r#"
    fn add_tax  shop/cart.py:6
    callers:
    shop/cart.py
    3 Cart.total
    shop/invoice.py
    5 invoice
    "#);
}

fn path(from: &str, to: &str) -> call_path::Question {
    let (depth, limit) = (call_path::MAX_STEPS, call_path::MAX_PATHS);
    call_path::Question { from: wanted(from), to: wanted(to), depth, limit, filter: Default::default() }
}

#[test]
fn a_path_is_its_calls_one_below_the_other() {
    let shop = Shop::new();
    let view = shop.view();
    let found = call_path::find(&view, &path("invoice", "shop.cart.add_tax")).unwrap();
    assert_snapshot!(shop.text(&CallGraphAnswer::of_paths(&view, found, Breadth::Brief)), @r#"
    fn invoice  shop/invoice.py:4
    to fn add_tax  shop/cart.py:6
      invoice
      → add_tax  shop/invoice.py:5 return add_tax(cart.total())
    1 path
    "#);
    let none = call_path::find(&view, &path("invoice", "other.cart.add_tax")).unwrap();
    assert_snapshot!(shop.text(&CallGraphAnswer::of_paths(&view, none, Breadth::Brief)), @r#"
    note: there is no path: looked 2 steps from `shop.invoice.invoice` and 1 back from `other.cart.add_tax`, at 4 symbols; no unresolved call was met on the way
    fn invoice  shop/invoice.py:4
    to fn add_tax  other/cart.py:1
    "#);
}

#[test]
fn a_search_for_a_path_that_was_cut_says_so() {
    let shop = Shop::new();
    let view = shop.view().with_work(&Work::default().until(std::time::Instant::now()));
    let found = call_path::find(&view, &path("invoice", "shop.cart.add_tax")).unwrap();
    let answer = serde_json::to_value(CallGraphAnswer::of_paths(&view, found, Breadth::Brief)).unwrap();
    assert_eq!((&answer["truncated"], &answer["paths"]), (&json!(true), &json!([])));
    assert_eq!(answer["metadata"]["result_completeness"], "partial");
    let warning = answer["metadata"]["warnings"][0].as_str().unwrap();
    assert!(
        warning.starts_with("the search was cut before its end, so there may be a path: looked 0 steps"),
        "{warning}"
    );
}

#[test]
fn several_answers_follow_each_other() {
    let shop = Shop::new();
    let view = shop.view();
    let mut parts = Vec::new();
    for name in ["Cart", "nobody"] {
        let question = references::Question { wanted: wanted(name), limit: 1, ..Default::default() };
        parts.push(match references::find(&view, &Layers::None, &question) {
            Ok(found) => {
                let answer = ReferencesAnswer::new(None, &view, &question, found, Breadth::Brief);
                Part::Answer(Box::new(answer))
            }
            Err(problem) => Part::Refused(Refused { what: "symbol", name: name.to_owned(), error: problem.into() }),
        });
    }
    let answers = SeveralAnswers::new(parts, vec!["one is odd".to_owned()]).unwrap();
    assert_snapshot!(shop.text(&answers), @r#"
    note: one is odd
    class Cart  shop/cart.py:1  2 uses, 1 shown, offset 1 goes on
    shop/invoice.py
    1 from shop.cart import Cart, add_tax

    symbol `nobody`: no symbol is named `nobody`, and no identifier of this name stands in the ref
    "#);
    assert_eq!(answers.refused().count(), 1);
}

#[test]
fn an_outline_is_a_tree_of_signatures() {
    let shop = Shop::new();
    let view = shop.view();
    let found = outline::outline(&view, "shop/cart.py", &outline::Part::default()).unwrap();
    assert_snapshot!(shop.text(&OutlineAnswer::new(&view, found)), @r#"
    shop/cart.py  python
    1-3  class Cart
    2-3    def total(self) -> int
    6-7  def add_tax(price: int) -> int
    "#);
}

#[test]
fn a_rank_is_a_sum_with_reasons() {
    let shop = Shop::new();
    let view = shop.view();
    let question = search::Question::new("add_tax", 5);
    let (found, answer) = explain::explain(&view, &question, "shop/cart.py", 6).unwrap();
    let text = shop.text(&RankingAnswer::new("add_tax".to_owned(), &Layers::None, &found, &answer));
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("1. shop/cart.py:6-7  fn add_tax  score "), "{text}");
    let figure = |line: &&str| line.trim_start().split(' ').next().unwrap().parse::<f64>().unwrap();
    let sum: f64 = lines[1..7].iter().map(figure).sum();
    assert!((sum - figure(&lines[7])).abs() < 0.003, "{text}");
}

#[test]
fn what_to_ask_next_is_calls_with_reasons() {
    let shop = Shop::new();
    let view = shop.view();
    let previous = Previous {
        asked: Asked::Code,
        text: "tax of an invoice".to_owned(),
        language: None,
        intent: None,
        results: 0,
        top_score: 0.0,
    };
    let mut text = String::new();
    for (results, top_score) in [(0, 0.0), (3, 0.9)] {
        let previous = Previous { results, top_score, ..previous.clone() };
        let found = followup::suggest(&view, &previous, 0.5).unwrap();
        text += &shop.text(&FollowupAnswer::new(&view, &previous, Some("live"), 0.5, found));
    }
    assert_snapshot!(text, @r#"
    locate_symbol {"name":"invoice","kind":"fn","ref":"live"}
        `invoice` is defined here and its name has words of the query. Symbol lookup may yield more precise results.
    locate_symbol {"name":"add_tax","kind":"fn","ref":"live"}
        `add_tax` is defined here and its name has words of the query. Symbol lookup may yield more precise results.
    search_code {"query":"tax invoice","language":"python","ref":"live"}
        Narrowing query to specific terms and language may improve relevance.
    results are above confidence threshold
    "#);
}

#[test]
fn the_state_of_an_index_is_a_line_and_its_jobs() {
    let shop = Shop::new();
    let status = || RefStatus::of(&shop.workspace, None).unwrap();
    let jobs = shop.workspace.recent_jobs(5).unwrap();
    let text = shop.text(&StatusAnswer::new(&shop.workspace, status(), jobs));
    let (state, job) = text.split_once('\n').unwrap();
    assert_eq!(state, "[TMP]/shop live: ready, 3 files, 5 symbols");
    assert!(job.ends_with("Z live: full, published, 3 files changed\n"), "{job}");
    let text = shop.text(&HealthAnswer::new(&shop.app(), &shop.workspace, status(), &Scope::all()));
    let (state, project) = text.split_once('\n').unwrap();
    assert!(state.starts_with("ready, cruxe "), "{state}");
    assert_eq!(project, "[TMP]/shop live: ready, 3 files, 5 symbols\n");
}

#[test]
fn refs_are_listed_with_the_default_branch_first() {
    let entry = |name: &str, status| RefEntry {
        ref_name: name.to_owned(),
        is_default: name == "main",
        last_indexed_commit: None,
        merge_base_commit: (name != "main").then(|| "1234".to_owned()),
        file_count: 2,
        symbol_count: 5,
        total_file_count: 40,
        total_symbol_count: 90,
        status,
        last_accessed_at: String::new(),
    };
    let refs = vec![entry("dev", RefStatusWord::Stale), entry("main", RefStatusWord::Active)];
    let answer = RefsAnswer::new(refs, true, Metadata::new("main"));
    assert_eq!(answer.text().to_string(), "main (default): 40 files\ndev: 2 of 40 files differ, moved since\n");
    let none = RefsAnswer::new(Vec::new(), true, Metadata::new("main"));
    assert_eq!(none.text().to_string(), "note: nothing is indexed yet: call index_repo or run `cruxe index`\n");
}

#[test]
fn a_difference_is_a_line_per_symbol() {
    let record = |signature: &str, path: &str| Record {
        symbol_id: String::new(),
        symbol_stable_id: String::new(),
        kind: SymbolKind::Fn,
        qualified_name: "shop::add_tax".to_owned(),
        signature: signature.to_owned(),
        path: path.to_owned(),
        line_start: 3,
        line_end: 5,
        is_test: false,
    };
    let change = |change_type, before, after, cosmetic: bool| Change {
        symbol: "add_tax".to_owned(),
        change_type,
        before,
        after,
        signature_changed: change_type == ChangeType::Modified && !cosmetic,
        cosmetic,
    };
    let (old, new) = (record("fn add_tax(p: u32)", "a.rs"), record("fn add_tax(p: u64)", "a.rs"));
    let answer = BranchDiff {
        filtered_out: (0, 0),
        base_ref: "main".to_owned(),
        head_ref: "dev".to_owned(),
        merge_base: ContentHash::from_bytes(&[0xab; 20]).unwrap(),
        files: vec![
            FileChange { path: "a.rs".to_owned(), change_type: ChangeType::Modified },
            FileChange { path: "notes.md".to_owned(), change_type: ChangeType::Added },
        ],
        changes: vec![
            change(ChangeType::Modified, Some(old.clone()), Some(new.clone()), false),
            change(ChangeType::Modified, Some(old.clone()), Some(old.clone()), true),
            change(ChangeType::Deleted, Some(old), None, false),
        ],
        renames: vec![Rename {
            from: "shop::tax".to_owned(),
            to: "shop::vat".to_owned(),
            from_path: "a.rs".to_owned(),
            to_path: "b.rs".to_owned(),
            from_symbol_id: String::new(),
            to_symbol_id: String::new(),
            kind: None,
            is_test: false,
        }],
        standing: Standing::fresh("dev"),
    };
    let answer = DiffAnswer::new(answer, 50).unwrap();
    assert_snapshot!(answer.text(), @r#"
    dev since main: 2 files, 3 symbols
    a.rs
    3-5  M fn shop::add_tax
      - fn add_tax(p: u32)
      + fn add_tax(p: u64)
    3-5  M fn shop::add_tax  layout or comments only
    3-5  D fn shop::add_tax
    R shop::tax → shop::vat  b.rs
    A notes.md
    "#);
    assert_snapshot!(answer.first(1).text(), @r#"
    dev since main: 2 files, 3 symbols
    a.rs
    3-5  M fn shop::add_tax
      - fn add_tax(p: u32)
      + fn add_tax(p: u64)
    2 more; a higher limit lists them
    R shop::tax → shop::vat  b.rs
    "#);
}

#[test]
fn a_comparison_is_the_diff_of_one_symbol() {
    let version = Version {
        symbol_id: String::new(),
        signature: "fn add_tax()".to_owned(),
        line_start: 3,
        line_end: 5,
        kind: SymbolKind::Fn,
        language: "rust".to_owned(),
        path: "a.rs".to_owned(),
    };
    let answer = CompareAnswer::new(SymbolComparison {
        symbol: "add_tax".to_owned(),
        path: "a.rs".to_owned(),
        symbol_stable_id: String::new(),
        base: None,
        head: Some(version),
        summary: Summary { status: Some(SymbolStatus::Added), ..Summary::default() },
        diff: "--- /dev/null\n+++ dev:a.rs\n+fn add_tax()\n".to_owned(),
        standing: Standing::fresh("dev"),
    });
    assert_snapshot!(answer.text(), @r#"
    fn add_tax  a.rs:3-5  added
    --- /dev/null
    +++ dev:a.rs
    +fn add_tax()
    "#);
    assert_eq!(answer.first(1).text().lines.len(), 2);
}

#[test]
fn line_ends_in_names_are_shown() {
    let text = Text { notes: vec!["a\nb".to_owned()], lines: vec![Line::new().path("x\r\ny").plain(":1")] };
    assert_eq!(text.to_string(), "a␊b\nx␍␊y:1\n");
}

#[test]
fn the_registry_names_the_tools_that_there_are() {
    let tools = tools::all(&Shop::new().app());
    assert_eq!(tools.iter().map(|tool| tool.spec().name).collect::<Vec<_>>(), names::ALL);
}
