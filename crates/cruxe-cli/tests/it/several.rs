//! One call about several names: `symbols` and `files`, `cruxe refs A B`.

use serde_json::{Value, json};

use crate::support::{Client, Repo, Sandbox};

const SHOP: &[(&str, &str)] = &[
    (
        "shop/cart.py",
        "class Cart:\n    def total(self):\n        return add(1, 2)\n\n\ndef add(a, b):\n    return a + b\n",
    ),
    ("shop/views.py", "from shop.cart import Cart, add\n\n\ndef page():\n    add(3, 4)\n    return Cart().total()\n"),
];

fn shop(sandbox: &Sandbox) -> Repo<'_> {
    let repo = sandbox.repo("shop", SHOP);
    repo.cruxe(&["index"]).ok();
    repo
}

/// The answers to a question about each name alone.
fn alone(client: &mut Client, tool: &str, one: &str, names: &[&str], more: &Value) -> Vec<Value> {
    let ask = |name: &&str| {
        let mut arguments = more.clone();
        arguments[one] = json!(name);
        client.ok(tool, arguments)
    };
    names.iter().map(ask).collect()
}

#[test]
fn every_name_has_the_answer_that_it_has_alone() {
    let sandbox = Sandbox::new();
    let mut client = shop(&sandbox).server();
    for (tool, one, many, names, more) in [
        ("locate_symbol", "name", "symbols", ["add", "Cart.total"], json!({"detail_level": "location"})),
        ("find_references", "symbol_name", "symbols", ["add", "Cart.total"], json!({"kind": "calls"})),
        ("get_call_graph", "symbol_name", "symbols", ["add", "Cart.total"], json!({"direction": "callers"})),
        (
            "compare_symbol_between_commits",
            "symbol_name",
            "symbols",
            ["add", "Cart.total"],
            json!({"base_ref": "HEAD", "head_ref": "main"}),
        ),
        ("get_file_outline", "path", "files", ["shop/views.py", "shop/cart.py"], json!({"depth": "top"})),
    ] {
        let expected = alone(&mut client, tool, one, &names, &more);
        let mut arguments = more.clone();
        arguments[many] = json!(names);
        let answer = client.ok(tool, arguments.clone());
        assert_eq!(answer["answers"], json!(expected), "{tool}");
        assert_eq!(answer["metadata"]["result_completeness"], "complete", "{tool}");
        assert_eq!(answer["metadata"]["freshness_status"], "fresh", "{tool}");
        assert_eq!(answer.as_object().unwrap().len(), 2, "{tool}");
        // Clients that hold models to the schema have them send the required one too.
        arguments[one] = json!("");
        assert_eq!(client.ok(tool, arguments.clone()), answer, "{tool}");
        arguments[one] = json!(names[0]);
        assert_eq!(client.ok(tool, arguments.clone()), answer, "{tool}");
        arguments[many] = json!([names[1]]);
        assert_eq!(client.ok(tool, arguments.clone()), answer, "{tool}: the single one goes first");
    }
}

#[test]
fn a_name_that_is_not_found_leaves_the_others_their_answers() {
    let sandbox = Sandbox::new();
    let mut client = shop(&sandbox).server();
    let answer = client.ok("find_references", json!({"symbols": ["add", "ad_d", "page"]}));
    let answers = answer["answers"].as_array().unwrap();
    assert_eq!(
        (answers.len(), &answers[0]["symbol"]["name"], &answers[2]["symbol"]["name"]),
        (3, &json!("add"), &json!("page"))
    );
    let refused = &answers[1];
    let alone = client.error("find_references", json!({"symbol_name": "ad_d"}));
    assert_eq!((&refused["symbol"], &refused["error"]), (&json!("ad_d"), &alone));
    assert_eq!(refused.as_object().unwrap().len(), 2);
    let outlines = client.ok("get_file_outline", json!({"files": ["no.py", "shop/cart.py"]}));
    assert_eq!(
        (&outlines["answers"][0]["file"], &outlines["answers"][0]["error"]["code"]),
        (&json!("no.py"), &json!("file_not_found"))
    );
    assert_eq!(outlines["answers"][1]["file_path"], "shop/cart.py");
    // Where nothing is found, that is an error as it is for one name, and tells of all.
    let error = client.error("get_call_graph", json!({"symbols": ["nobody", "nothing"]}));
    assert_eq!(error["code"], "symbol_not_found");
    assert!(error["message"].as_str().unwrap().contains("`nobody`"), "{error}");
    assert_eq!(error["data"]["answers"][1]["symbol"], "nothing");
}

#[test]
fn the_whole_is_as_incomplete_as_its_least_complete_part() {
    let sandbox = Sandbox::new();
    let mut client = shop(&sandbox).server();
    let whole = client.ok("find_references", json!({"symbols": ["page", "add"], "limit": 1}));
    let states: Vec<&Value> =
        whole["answers"].as_array().unwrap().iter().map(|one| &one["metadata"]["result_completeness"]).collect();
    assert_eq!(states, ["complete", "truncated"]);
    assert_eq!(whole["metadata"]["result_completeness"], "truncated");
    assert_eq!(whole["metadata"]["ref"], "main");
}

#[test]
fn lists_that_cannot_be_answered_are_refused() {
    let sandbox = Sandbox::new();
    let mut client = shop(&sandbox).server();
    let many: Vec<String> = (0..21).map(|at| format!("s{at}")).collect();
    for (arguments, parameter, message) in [
        (json!({"symbols": []}), "symbols", "symbols: give 1 to 20 names, not 0"),
        (json!({"symbols": many}), "symbols", "symbols: give 1 to 20 names, not 21"),
        (json!({"symbols": ["add", ""]}), "symbols", "symbols[1]: must not be empty"),
        (json!({"symbols": "add"}), "symbols", "`symbols` must be an array, not a string."),
        (json!({"symbols": ["add", 1]}), "symbols[1]", "`symbols[1]` must be a string, not an integer."),
        (json!({"symbols": ["add", "page"], "limit": 0}), "limit", "limit: 0 is not in 1..=1000"),
        (json!({}), "symbol_name", "The parameter `symbol_name` is required."),
    ] {
        let error = client.error("find_references", arguments);
        assert_eq!((&error["code"], &error["data"]["parameter"]), (&json!("invalid_input"), &json!(parameter)));
        assert_eq!(error["message"], message);
    }
    assert_eq!(client.error("find_references", json!({"symbols": ["add"], "ref": "none"}))["code"], "ref_not_indexed");
    let twice = client.ok("find_references", json!({"symbols": ["add", "page", "add", "add"]}));
    assert_eq!(twice["answers"].as_array().unwrap().len(), 2);
    assert_eq!(twice["metadata"]["warnings"], json!(["`add` was given more than once and is answered once"]));
}

#[test]
fn a_budget_of_tokens_is_that_of_the_whole() {
    let sandbox = Sandbox::new();
    let mut client = shop(&sandbox).server();
    let arguments =
        |most: u64| json!({"symbols": ["add", "Cart", "page"], "detail_level": "context", "max_tokens": most});
    let whole = client.ok("locate_symbol", arguments(5000));
    let size = |answer: &Value| cruxe_tokens::count(&answer.to_string());
    let mut cut = 0;
    for most in (400..size(&whole) as u64 + 200).step_by(25) {
        match client.answer("locate_symbol", arguments(most)) {
            Ok(answer) => {
                assert!(size(&answer) as u64 <= most, "{} of {most}", size(&answer));
                cut += usize::from(answer["metadata"]["result_completeness"] == "truncated");
            }
            Err(error) => assert_eq!(error["code"], "invalid_max_tokens"),
        }
    }
    assert!(cut > 0, "nothing was cut");
    let error = client.error("locate_symbol", arguments(60));
    assert_eq!(error["message"], "max_tokens: 60 is less than 3 answers without results need");
    assert!(error["data"]["minimum"].as_u64().unwrap() > 60);
}

#[test]
fn paths_from_one_symbol_to_several_are_one_call() {
    let sandbox = Sandbox::new();
    let mut client = shop(&sandbox).server();
    let answer = client.ok("get_call_graph", json!({"from": "page", "symbols": ["add", "Cart.total", "page"]}));
    let answers = answer["answers"].as_array().unwrap();
    let lengths: Vec<usize> = answers[..2].iter().map(|one| one["paths"][0].as_array().unwrap().len()).collect();
    assert_eq!(lengths, [2, 2]);
    assert_eq!((&answers[2]["symbol"], &answers[2]["error"]["code"]), (&json!("page"), &json!("invalid_input")));
}

#[test]
fn commands_take_several_names() {
    let sandbox = Sandbox::new();
    let repo = shop(&sandbox);
    let run = repo.cruxe(&["calls", "add", "page", "--callers", "add"]);
    assert_eq!(run.code, Some(0));
    assert_eq!(
        run.stdout,
        "fn add  shop/cart.py:6\ncallers:\nshop/cart.py\n3 Cart.total\nshop/views.py\n5 page\n\nfn page  \
         shop/views.py:4\ncallers: none\n"
    );
    let run = repo.cruxe(&["refs", "Cart.total", "nobody"]);
    assert_eq!(run.code, Some(1));
    assert!(run.stdout.starts_with("method Cart.total  shop/cart.py:2  "), "{}", run.stdout);
    assert!(
        run.stdout.ends_with(
            "\n\nsymbol `nobody`: no symbol is named `nobody`, and no identifier of this name stands in the ref\n"
        ),
        "{}",
        run.stdout
    );
    let json = repo.cruxe(&["refs", "Cart.total", "add", "--json"]).json();
    assert_eq!(json["answers"][1]["symbol"]["name"], "add");
    assert_eq!(json["answers"][0], repo.cruxe(&["refs", "Cart.total", "--json"]).json());
    let none = repo.cruxe(&["refs", "nobody", "nothing"]);
    assert_eq!((none.code, none.stdout.as_str()), (Some(1), ""));
    assert!(none.stderr.contains("`nobody`") && none.stderr.contains("`nothing`"), "{}", none.stderr);
    assert_eq!(repo.cruxe(&["refs", "add", "page", "--line", "3"]).code, Some(4));
    let dot = repo.cruxe(&["calls", "add", "page", "--dot"]).ok();
    assert_eq!((dot.matches("digraph").count(), dot.matches("shop.views.page").count() > 1), (1, true), "{dot}");
}
