//! `find_references` and `get_call_graph` through a client, `cruxe refs` and `cruxe calls` at a terminal.

use serde_json::{Value, json};

use crate::support::{Client, Repo, Sandbox};

const SHOP: &[(&str, &str)] = &[
    ("shop/__init__.py", "from .cart import Cart\n"),
    (
        "shop/cart.py",
        "class Cart:\n    def total(self, tax):\n        return self.sum() + tax\n\n    def sum(self):\n        return 1\n",
    ),
    (
        "shop/views.py",
        "from shop import Cart\n\n\ndef checkout(cart: Cart):\n    return cart.total(2)\n\n\ndef page(thing):\n    checkout(thing)\n    return thing.sum()\n",
    ),
    ("tests/test_cart.py", "from shop.cart import Cart\n\n\ndef test_total():\n    assert Cart().total(1) == 2\n"),
    ("other.py", "def total(x):\n    return x\n\n\ntotal(1)\n"),
];

fn shop(sandbox: &Sandbox) -> Repo<'_> {
    let repo = sandbox.repo("shop", SHOP);
    repo.cruxe(&["index"]).ok();
    repo
}

fn check(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

fn lines(answer: &Value) -> Vec<String> {
    let place = |one: &Value| {
        format!(
            "{}:{} {} {}",
            one["path"].as_str().unwrap(),
            one["line_start"],
            one["edge_type"].as_str().unwrap(),
            one["confidence"].as_str().unwrap()
        )
    };
    answer["references"].as_array().unwrap().iter().map(place).collect()
}

#[test]
fn answers_are_what_agents_read() {
    let sandbox = Sandbox::new();
    let mut client = shop(&sandbox).server();
    let answer = client.ok("find_references", json!({"symbol_name": "Cart.total"}));
    check("tool_find_references", &format!("{answer:#}"));
    let answer = client.ok("get_call_graph", json!({"symbol_name": "Cart.total", "depth": 9}));
    check("tool_get_call_graph", &format!("{answer:#}"));
}

#[test]
fn references_are_filtered_paged_and_counted() {
    let sandbox = Sandbox::new();
    let mut client = shop(&sandbox).server();
    let all = client.ok("find_references", json!({"symbol_name": "Cart"}));
    let expected = [
        "shop/__init__.py:1 imports static",
        "shop/views.py:1 imports static",
        "shop/views.py:4 references static",
        "tests/test_cart.py:1 imports static",
        "tests/test_cart.py:5 calls static",
    ];
    assert_eq!(lines(&all), expected);
    assert_eq!(all["total_references"], 5);
    let calls = client.ok("find_references", json!({"symbol_name": "Cart", "kind": "calls"}));
    assert_eq!(lines(&calls), [expected[4]]);
    let page = client.ok("find_references", json!({"symbol_name": "Cart", "limit": 2, "offset": 1}));
    assert_eq!(lines(&page), expected[1..3]);
    assert_eq!((&page["total_references"], &page["metadata"]["next_offset"]), (&json!(5), &json!(3)));
    assert_eq!(page["metadata"]["result_completeness"], "truncated");
    let last = client.ok("find_references", json!({"symbol_name": "Cart", "offset": 4}));
    assert!(last["metadata"].get("next_offset").is_none());
    assert_eq!(all["references"][2]["context"], "def checkout(cart: Cart):");
    assert_eq!(all["references"][2]["source_layer"], "base");
    assert_eq!(all["references"][0]["from_symbol"]["kind"], "module");
}

#[test]
fn a_name_of_several_definitions_says_which_one_is_meant() {
    let sandbox = Sandbox::new();
    let mut client = shop(&sandbox).server();
    let plain = client.ok("find_references", json!({"symbol_name": "total"}));
    let others = plain["candidates"].as_array().unwrap();
    assert_eq!(others.len(), 1);
    let warning = plain["metadata"]["warnings"][0].as_str().unwrap();
    assert!(warning.starts_with("2 definitions are named `total`"), "{warning}");
    let id = others[0]["symbol_id"].as_str().unwrap();
    let other = client.ok("find_references", json!({"symbol_name": id}));
    assert_eq!(other["symbol"]["symbol_id"], id);
    assert!(other.get("candidates").is_none());
    assert_eq!(client.ok("find_references", json!({"symbol_name": "total", "symbol_id": id})), other);
    let by_path = client.ok("find_references", json!({"symbol_name": "total", "path": "other.py"}));
    assert_eq!(lines(&by_path), ["other.py:5 calls static"]);
}

#[test]
fn a_guess_is_called_one_and_what_stays_open_is_counted() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo(
        "guess",
        &[(
            "a.py",
            "class A:\n    def render_all(self): pass\n    def get(self): pass\n\ndef f(x):\n    x.render_all()\n    x.get()\n",
        )],
    );
    let mut client = repo.server();
    client.ready();
    let guessed = client.ok("find_references", json!({"symbol_name": "A.render_all"}));
    assert_eq!(lines(&guessed), ["a.py:6 calls heuristic"]);
    let open = client.ok("find_references", json!({"symbol_name": "A.get"}));
    assert_eq!((&open["total_references"], &open["metadata"]["unresolved_mentions"]), (&json!(0), &json!(1)));
}

#[test]
fn an_edge_lists_its_calls_where_there_are_several() {
    let sandbox = Sandbox::new();
    let many = (1..=25).map(|at| format!("    log({at})\n")).collect::<String>();
    let text =
        format!("def log(x): pass\ndef once(): log(0)\ndef twice():\n    log(1)\n    log(2)\ndef many():\n{many}");
    let repo = sandbox.repo("calls", &[("a.py", &text)]);
    repo.cruxe(&["index"]).ok();
    let mut client = repo.server();
    let callers = client.ok("get_call_graph", json!({"symbol_name": "log"}))["callers"].clone();
    let [once, twice, many] = [0, 1, 2].map(|at| &callers[at]);
    assert_eq!(once["call_site"], json!({"file": "a.py", "line": 2}));
    assert!(once.get("call_sites").is_none() && once.get("call_count").is_none(), "{once}");
    assert_eq!(twice["call_site"], json!({"file": "a.py", "line": 4}));
    assert_eq!((&twice["call_sites"], &twice["call_count"]), (&json!([4, 5]), &json!(2)));
    let all: Vec<u32> = (7..=31).collect();
    assert_eq!((&many["call_sites"], &many["call_count"]), (&json!(all), &json!(25)), "every line is told");
    let callees = client.ok("get_call_graph", json!({"symbol_name": "twice"}))["callees"].clone();
    assert_eq!((&callees[0]["call_sites"], &callees[0]["call_count"]), (&json!([4, 5]), &json!(2)));
    let text = repo.cruxe(&["calls", "log"]).ok();
    for line in ["\na.py\n", "\n2 once\n", "\n4,5 twice\n", "29,30,31 many\n"] {
        assert!(text.contains(line), "{line} is not in {text}");
    }
}

#[test]
fn a_name_from_outside_has_its_uses_and_one_that_stands_nowhere_has_none() {
    let sandbox = Sandbox::new();
    let files = [
        ("a.py", "from requests import Session\n\n\ndef go() -> Session:\n    return Session()\n"),
        ("b.py", "def sessions(only_local):\n    return only_local\n"),
    ];
    let repo = sandbox.repo("outside", &files);
    repo.cruxe(&["index"]).ok();
    let mut client = repo.server();
    let answer = client.ok("find_references", json!({"symbol_name": "Session"}));
    let symbol = &answer["symbol"];
    assert_eq!(
        (&symbol["name"], &symbol["qualified_name"], &symbol["kind"], &symbol["path"]),
        (&json!("Session"), &json!("requests.Session"), &json!("external"), &json!(""))
    );
    assert_eq!(lines(&answer), ["a.py:1 imports static", "a.py:4 references static", "a.py:5 calls static"]);
    let mentions = &answer["metadata"]["mentions"];
    assert_eq!((&mentions["total"], &mentions["uses"], &mentions["definitions"]), (&json!(3), &json!(3), &json!(0)));
    let warning = answer["metadata"]["warnings"][0].as_str().unwrap();
    assert!(warning.starts_with("nothing here defines `Session`"), "{warning}");
    let graph = client.ok("get_call_graph", json!({"symbol_name": "Session", "depth": 2}));
    assert_eq!(graph["symbol"], answer["symbol"]);
    assert_eq!((&graph["callees"], &graph["total_edges"]), (&json!([]), &json!(1)));
    let caller = &graph["callers"][0];
    assert_eq!(
        (&caller["symbol"]["name"], &caller["call_site"], &caller["confidence"]),
        (&json!("go"), &json!({"file": "a.py", "line": 5}), &json!("static"))
    );
    assert_eq!(graph["metadata"]["warnings"][0], answer["metadata"]["warnings"][0]);
    for (name, said) in [
        ("Sesion", "no symbol is named `Sesion`, and no identifier of this name stands in the ref"),
        ("only_local", "no symbol is named `only_local`; identifiers of this name stand in the ref"),
    ] {
        for tool in ["find_references", "get_call_graph"] {
            let error = client.error(tool, json!({"symbol_name": name}));
            assert_eq!(error["code"], "symbol_not_found");
            assert!(error["message"].as_str().unwrap().starts_with(said), "{error}");
        }
    }
    let text = repo.cruxe(&["calls", "requests.Session"]).ok();
    assert_eq!(text, "external requests.Session\ncallers:\na.py\n5 go\ncallees: none\n");
    let text = repo.cruxe(&["refs", "requests.Session"]).ok();
    assert_eq!(
        text,
        "external requests.Session  3 uses\na.py\n1 from requests import Session\n4 def go() -> Session:\n\
         5 return Session()\n"
    );
}

#[test]
fn edits_and_branches_have_their_own_references() {
    let sandbox = Sandbox::new();
    let repo = shop(&sandbox);
    repo.git(&["checkout", "-q", "-b", "feat"]);
    repo.write("shop/extra.py", "from shop.cart import Cart\nCart().total(3)\n");
    repo.commit("extra");
    repo.cruxe(&["index"]).ok();
    let mut client = repo.server();
    let here = client.ok("find_references", json!({"symbol_name": "Cart.total"}));
    let extra = &here["references"][0];
    assert_eq!((&extra["path"], &extra["source_layer"]), (&json!("shop/extra.py"), &json!("overlay")));
    assert_eq!(here["total_references"], 3);
    let main = client.ok("find_references", json!({"symbol_name": "Cart.total", "ref": "main"}));
    assert_eq!(main["total_references"], 2);
    repo.write("shop/extra.py", "pass\n");
    repo.cruxe(&["sync"]).ok();
    assert_eq!(client.ok("find_references", json!({"symbol_name": "Cart.total"}))["total_references"], 2);
}

#[test]
fn bad_input_says_what_to_do() {
    let sandbox = Sandbox::new();
    let mut client = shop(&sandbox).server();
    let code = |client: &mut Client, tool: &str, arguments: Value| client.error(tool, arguments)["code"].clone();
    for tool in ["find_references", "get_call_graph"] {
        assert_eq!(code(&mut client, tool, json!({})), "invalid_input");
        assert_eq!(code(&mut client, tool, json!({"symbol_name": "Cart", "limit": 0})), "invalid_input");
        assert_eq!(code(&mut client, tool, json!({"symbol_name": "Cart", "line": 0})), "invalid_input");
        assert_eq!(code(&mut client, tool, json!({"symbol_name": "Cart", "ref": "nonesuch"})), "ref_not_indexed");
        let missing = client.error(tool, json!({"symbol_name": "Crat"}));
        assert_eq!(
            (&missing["code"], &missing["data"]["near"][0]["name"]),
            (&json!("symbol_not_found"), &json!("shop.cart.Cart"))
        );
    }
    assert_eq!(
        code(&mut client, "find_references", json!({"symbol_name": "Cart", "kind": "mentions"})),
        "invalid_input"
    );
    assert_eq!(code(&mut client, "get_call_graph", json!({"symbol_name": "Cart", "direction": "up"})), "invalid_input");
    assert_eq!(code(&mut client, "get_call_graph", json!({"symbol_name": "Cart", "depth": 0})), "invalid_input");
}

#[test]
fn people_read_lists_trees_and_graphs() {
    let sandbox = Sandbox::new();
    let repo = shop(&sandbox);
    let mut text = String::new();
    for arguments in [
        &["refs", "Cart.total"][..],
        &["refs", "Cart", "--kind", "imports", "--limit", "1"],
        &["refs", "Crat"],
        &["calls", "Cart.total", "--depth", "3"],
        &["calls", "page", "--callees", "--depth", "2", "--dot"],
    ] {
        let run = repo.cruxe(arguments);
        text.push_str(&format!("$ cruxe {}\n{}\n", arguments.join(" "), run.transcript()));
    }
    check("cli_refs_and_calls", &text);
}
