//! `paths`, `tests` and `kind` of the tools that have them, and the options of the commands.

use serde_json::{Value, json};

use crate::support::{Client, Repo, Sandbox, places};

const SHOP: &[(&str, &str)] = &[
    ("Cargo.toml", "[package]\nname = \"shop\"\nversion = \"0.1.0\"\n"),
    ("src/lib.rs", "pub mod billing;\npub mod cart;\n"),
    (
        "src/cart.rs",
        "\
/// What a customer wants to buy.
pub struct Cart;

/// Sums up the prices of a cart.
pub fn add_prices(prices: &[u64]) -> u64 {
    prices.iter().sum()
}

#[cfg(test)]
mod tests {
    #[test]
    fn prices_of_a_cart_are_summed() {
        assert_eq!(super::add_prices(&[1, 2]), 3);
    }
}
",
    ),
    (
        "src/billing.rs",
        "use crate::cart::add_prices;\n\n/// Bills the prices of a cart.\npub fn bill(prices: &[u64]) -> u64 {\n    add_prices(prices)\n}\n",
    ),
    (
        "tests/cart.rs",
        "use shop::cart::add_prices;\n\n#[test]\nfn cart_prices() {\n    assert_eq!(add_prices(&[]), 0);\n}\n",
    ),
    ("tools/report.py", "def add_prices(prices):\n    return sum(prices)  # prices of a cart\n"),
];

fn shop(sandbox: &Sandbox) -> Repo<'_> {
    let repo = sandbox.repo("shop", SHOP);
    repo.cruxe(&["index"]).ok();
    repo
}

fn uses(client: &mut Client, more: Value) -> (Vec<String>, Value) {
    let mut arguments = json!({"symbol_name": "cart::add_prices"});
    arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let answer = client.ok("find_references", arguments);
    let place = |one: &Value| format!("{}:{}", one["path"].as_str().unwrap(), one["line_start"]);
    assert_eq!(answer["references"].as_array().unwrap().len(), answer["total_references"].as_u64().unwrap() as usize);
    (
        answer["references"].as_array().unwrap().iter().map(place).collect(),
        answer["metadata"].get("filtered_out").cloned().unwrap_or(Value::Null),
    )
}

#[test]
fn references_are_narrowed_by_path_and_by_tests() {
    let sandbox = Sandbox::new();
    let mut client = shop(&sandbox).server();
    let source = ["src/billing.rs:1", "src/billing.rs:5"];
    let tests = ["src/cart.rs:13", "tests/cart.rs:1", "tests/cart.rs:5"];
    let all: Vec<&str> = source.iter().chain(&tests).copied().collect();
    let (found, left_out) = uses(&mut client, json!({}));
    assert_eq!((found, left_out), (all.iter().map(|s| s.to_string()).collect(), Value::Null), "source before tests");
    assert_eq!(uses(&mut client, json!({"tests": "include"})).0, all);
    let (found, left_out) = uses(&mut client, json!({"tests": "exclude"}));
    assert_eq!((found.as_slice(), left_out), (&source.map(str::to_owned)[..], json!(3)));
    let (found, left_out) = uses(&mut client, json!({"tests": "only"}));
    assert_eq!((found.as_slice(), left_out), (&tests.map(str::to_owned)[..], json!(2)));
    assert_eq!(uses(&mut client, json!({"paths": ["src"]})).0, [source[0], source[1], tests[0]]);
    assert_eq!(uses(&mut client, json!({"paths": ["src/**", "!cart.rs"]})).0, source);
    assert_eq!(uses(&mut client, json!({"paths": ["*.py"]})), (Vec::new(), json!(5)));
    let calls = json!({"symbol_name": "cart::add_prices", "kind": "calls", "tests": "exclude", "limit": 1});
    let answer = client.ok("find_references", calls);
    assert_eq!((&answer["total_references"], &answer["metadata"]["filtered_out"]), (&json!(1), &json!(2)));
    assert_eq!(answer["metadata"]["result_completeness"], "complete", "what is filtered out does not count");
}

#[test]
fn callers_that_are_left_out_are_counted_and_not_followed() {
    let sandbox = Sandbox::new();
    let repo = shop(&sandbox);
    let mut client = repo.server();
    let callers = |client: &mut Client, more: Value| {
        let mut arguments = json!({"symbol_name": "cart::add_prices", "direction": "callers", "depth": 2});
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let answer = client.ok("get_call_graph", arguments);
        let names = answer["callers"].as_array().unwrap().iter().map(|one| one["symbol"]["name"].as_str().unwrap());
        (names.map(str::to_owned).collect::<Vec<_>>(), answer["metadata"]["filtered_out"].clone())
    };
    let (all, none) = callers(&mut client, json!({}));
    assert_eq!(
        (all.as_slice(), none),
        (&["bill", "prices_of_a_cart_are_summed", "cart_prices"].map(str::to_owned)[..], Value::Null)
    );
    let (source, left_out) = callers(&mut client, json!({"tests": "exclude"}));
    assert_eq!((source.as_slice(), left_out), (&["bill".to_owned()][..], json!(2)));
    assert_eq!(callers(&mut client, json!({"paths": ["tests"]})).0, ["cart_prices"]);
    assert_eq!(callers(&mut client, json!({"kind": "struct"})).0, [""; 0]);
    let text = repo.cruxe(&["calls", "cart::add_prices", "--callers", "--tests", "exclude"]).ok();
    assert!(text.contains("bill") && !text.contains("cart_prices"), "{text}");
    assert!(text.contains("1 edges, 2 left out by the filter"), "{text}");
}

#[test]
fn a_definition_that_the_filter_hides_is_not_replaced_by_a_similar_one() {
    let sandbox = Sandbox::new();
    let mut client = shop(&sandbox).server();
    let mut locate = |more: Value| {
        let mut arguments = json!({"name": "add_prices"});
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        client.ok("locate_symbol", arguments)
    };
    let all = locate(json!({}));
    assert_eq!(places(&all).len(), 2);
    assert!(all["results"].as_array().unwrap().iter().all(|one| one["qualified_name"].is_string()));
    let brief = locate(json!({"detail_level": "location", "compact": true}));
    assert_eq!(brief["results"][0]["qualified_name"], "cart::add_prices");
    assert!(brief["results"][0].get("signature").is_none(), "{brief}");
    let python = locate(json!({"paths": ["*.py"]}));
    assert_eq!(python["results"][0]["path"], "tools/report.py");
    assert_eq!((&python["total_candidates"], &python["metadata"]["filtered_out"]), (&json!(1), &json!(1)));
    let none = locate(json!({"paths": ["docs"]}));
    assert_eq!((&none["results"], &none["metadata"]["filtered_out"]), (&json!([]), &json!(2)));
    assert!(none["metadata"].get("warnings").is_none(), "{none}");
    assert_eq!(locate(json!({"tests": "only"}))["results"], json!([]));
    assert_eq!(locate(json!({"kind": "struct"}))["total_candidates"], 0);
}

#[test]
fn searches_are_narrowed_by_path_tests_and_kind() {
    let sandbox = Sandbox::new();
    let repo = shop(&sandbox);
    let mut client = repo.server();
    let mut paths = |query: &str, more: Value| {
        let mut arguments = json!({"query": query, "limit": 50});
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let answer = client.ok("search_code", arguments);
        let found = answer["results"].as_array().unwrap().iter();
        let shown = |one: &Value| format!("{} {}", one["path"].as_str().unwrap(), one["name"].as_str().unwrap_or("-"));
        (found.map(shown).collect::<Vec<_>>(), answer["metadata"]["filtered_out"].clone())
    };
    let words = "prices of a cart";
    let (python, left_out) = paths(words, json!({"paths": ["*.py"]}));
    assert_eq!((python.as_slice(), left_out), (&["tools/report.py add_prices".to_owned()][..], json!(4)));
    let (source, _) = paths(words, json!({"tests": "exclude"}));
    assert!(source.contains(&"src/cart.rs add_prices".to_owned()), "{source:?}");
    assert!(!source.iter().any(|one| one.starts_with("tests/") || one.contains("summed")), "{source:?}");
    let (tests, _) = paths(words, json!({"tests": "only"}));
    assert!(tests.contains(&"tests/cart.rs cart_prices".to_owned()), "{tests:?}");
    assert!(!tests.iter().any(|one| one.ends_with(" bill") || one.ends_with(" add_prices")), "{tests:?}");
    let (structs, _) = paths("customer wants to buy", json!({"kind": "struct"}));
    assert_eq!(structs, ["src/cart.rs Cart"]);
    // A name, a phrase and a path go other ways through the search.
    assert_eq!(paths("add_prices", json!({"paths": ["tools"]})).0, ["tools/report.py add_prices"]);
    assert_eq!(paths("\"prices of a cart\"", json!({"paths": ["src"], "kind": "fn", "tests": "exclude"})).0.len(), 2);
    assert_eq!(paths("cart.rs", json!({"tests": "exclude"})).0, ["src/cart.rs cart.rs"]);
    let text = repo.cruxe(&["search", "prices of a cart", "-g", "*.py", "--tests", "exclude"]).ok();
    assert!(text.contains("tools/report.py") && !text.contains("src/"), "{text}");
}

#[test]
fn a_diff_is_narrowed_by_path_tests_and_kind() {
    let sandbox = Sandbox::new();
    let repo = shop(&sandbox);
    repo.git(&["checkout", "-q", "-b", "feat"]);
    repo.write("src/billing.rs", "pub struct Bill;\n\npub fn bill() {}\n");
    repo.write("tests/bill.rs", "#[test]\nfn bills() {}\n");
    repo.write("tools/report.py", "def add_prices(prices):\n    return 0\n");
    repo.commit("bills");
    repo.cruxe(&["index"]).ok();
    let mut client = repo.server();
    let mut changes = |more: Value| {
        let answer = client.ok("diff_context", more);
        let names = |list: &str, field: &str| -> Vec<String> {
            answer[list].as_array().unwrap().iter().map(|one| one[field].as_str().unwrap().to_owned()).collect()
        };
        let count = |name: &str| answer["metadata"][name].as_u64().unwrap_or(0);
        (names("changes", "symbol"), names("file_changes", "path"), count("filtered_out"), count("filtered_out_files"))
    };
    let (all, files, ..) = changes(json!({}));
    assert_eq!(files, ["src/billing.rs", "tools/report.py", "tests/bill.rs"]);
    assert!(all.contains(&"bills".to_owned()) && all.contains(&"Bill".to_owned()), "{all:?}");
    let (symbols, files, out, files_out) = changes(json!({"paths": ["*.py"]}));
    assert_eq!(
        (symbols, files, out, files_out),
        (vec!["add_prices".to_owned()], vec!["tools/report.py".to_owned()], 0, 2)
    );
    let (symbols, files, _, files_out) = changes(json!({"tests": "exclude"}));
    assert!(!symbols.contains(&"bills".to_owned()) && symbols.contains(&"Bill".to_owned()), "{symbols:?}");
    assert_eq!((files.len(), files_out), (2, 1));
    assert_eq!(changes(json!({"tests": "only"})).0, ["bills"]);
    let (symbols, _, out, _) = changes(json!({"kind": "struct"}));
    assert_eq!((symbols.as_slice(), out > 0), (&["Bill".to_owned()][..], true));
}

#[test]
fn a_filter_that_is_none_is_refused_by_name() {
    let sandbox = Sandbox::new();
    let repo = shop(&sandbox);
    let mut client = repo.server();
    for (tool, argument) in [
        ("search_code", "query"),
        ("locate_symbol", "name"),
        ("find_references", "symbol_name"),
        ("get_call_graph", "symbol_name"),
    ] {
        let error = client.error(tool, json!({argument: "add_prices", "paths": ["src", "a["]}));
        assert_eq!((&error["code"], &error["data"]["parameter"]), (&json!("invalid_input"), &json!("paths")), "{tool}");
        assert!(error["message"].as_str().unwrap().starts_with("paths: `a[`: unclosed character class"), "{error}");
        let error = client.error(tool, json!({argument: "add_prices", "tests": "no"}));
        assert_eq!(error["data"]["allowed"], json!(["include", "exclude", "only"]), "{tool}");
        let error = client.error(tool, json!({argument: "add_prices", "paths": "src"}));
        assert_eq!(error["data"]["parameter"], "paths", "{tool}");
    }
    let error = client.error("search_code", json!({"query": "x", "kind": "gizmo"}));
    assert_eq!(error["data"]["parameter"], "kind");
    let refused = repo.cruxe(&["search", "x", "-g", "a["]);
    assert_eq!(refused.code, Some(4));
    assert!(refused.stderr.contains("`a[`"), "{}", refused.stderr);
}
