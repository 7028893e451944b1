//! How one symbol reaches another: `from` and `to` of `get_call_graph`, `cruxe calls --from A --to B`.

use serde_json::{Value, json};

use crate::support::{Client, Repo, Sandbox};

const SHOP: &[(&str, &str)] = &[
    (
        "shop/cart.py",
        "from shop.store import Store\n\n\nclass Cart:\n    def pay(self, store: Store):\n        self.check()\n        store.save(self)\n\n    def check(self):\n        pass\n",
    ),
    (
        "shop/store.py",
        "class Store:\n    def save(self, what):\n        raise NotImplementedError\n\n\nclass Disk(Store):\n    def save(self, what):\n        write_out(what)\n\n\ndef write_out(what):\n    pass\n",
    ),
    ("shop/views.py", "from shop.cart import Cart\n\n\ndef checkout(cart: Cart, store):\n    cart.pay(store)\n"),
    (
        "other.py",
        "def check(x):\n    return x\n\n\ndef alone(x):\n    x.run()\n    return x.check()\n\n\nclass Gate:\n    def check(self):\n        pass\n",
    ),
];

fn shop(sandbox: &Sandbox) -> Repo<'_> {
    let repo = sandbox.repo("shop", SHOP);
    repo.cruxe(&["index"]).ok();
    repo
}

/// The chains of an answer: `checkout -> pay :5 -> save :7?`.
fn chains(answer: &Value) -> Vec<String> {
    let step = |step: &Value| {
        let name = step["symbol"]["qualified_name"].as_str().unwrap();
        match step.get("call_site") {
            None => name.to_owned(),
            Some(site) => {
                let guess = if step["confidence"] == "heuristic" { "?" } else { "" };
                format!("{name} {}:{}{guess}", site["file"].as_str().unwrap(), site["line"])
            }
        }
    };
    let chain = |path: &Value| path.as_array().unwrap().iter().map(step).collect::<Vec<_>>().join(" -> ");
    answer["paths"].as_array().unwrap().iter().map(chain).collect()
}

#[test]
fn a_path_has_every_call_on_the_way() {
    let sandbox = Sandbox::new();
    let mut client = shop(&sandbox).server();
    let answer = client.ok("get_call_graph", json!({"from": "checkout", "to": "write_out"}));
    assert_eq!(
        chains(&answer),
        ["shop.views.checkout -> shop.cart.Cart.pay shop/views.py:5 -> shop.store.Disk.save shop/cart.py:7? -> \
          shop.store.write_out shop/store.py:8"]
    );
    let path = &answer["paths"][0];
    assert_eq!(path[0].get("confidence"), None);
    assert_eq!(path[1]["call_site"], json!({"file": "shop/views.py", "line": 5, "context": "cart.pay(store)"}));
    assert_eq!((&path[1]["confidence"], path[1].get("overrides")), (&json!("static"), None));
    assert_eq!((&path[2]["overrides"], &path[2]["depth"]), (&json!("shop.store.Store.save"), &json!(2)));
    // What the contract has is there and fits.
    assert_eq!((&answer["symbol"]["name"], &answer["to"]["name"]), (&json!("checkout"), &json!("write_out")));
    assert_eq!((&answer["callers"], &answer["callees"]), (&json!([]), &json!([])));
    assert_eq!((&answer["total_edges"], &answer["truncated"]), (&json!(3), &json!(false)));
    assert_eq!(answer["metadata"]["result_completeness"], "complete");
    assert_eq!(answer["metadata"]["searched"]["unresolved_calls"], 0);
    assert!(answer["metadata"].get("warnings").is_none() && answer.get("possible_links").is_none(), "{answer}");
}

#[test]
fn the_symbol_stands_for_the_end_that_is_not_given() {
    let sandbox = Sandbox::new();
    let mut client = shop(&sandbox).server();
    let id = client.ok("locate_symbol", json!({"name": "write_out"}))["results"][0]["symbol_id"].clone();
    let expected = client.ok("get_call_graph", json!({"from": "views.checkout", "to": id}));
    assert_eq!(chains(&expected).len(), 1);
    for arguments in [
        json!({"symbol_name": "checkout", "to": "write_out"}),
        json!({"symbol_name": "write_out", "from": "checkout"}),
        json!({"symbol_name": "write_out", "path": "shop/store.py", "from": "checkout"}),
        json!({"symbol_name": "", "from": "checkout", "to": "write_out"}),
        json!({"symbol_name": "checkout", "from": "checkout", "to": "write_out"}),
    ] {
        assert_eq!(client.ok("get_call_graph", arguments.clone()), expected, "{arguments}");
    }
    // A client that fills in every parameter asks for no path.
    let plain = client.ok("get_call_graph", json!({"symbol_name": "checkout", "from": "", "to": " "}));
    assert!(plain.get("paths").is_none(), "{plain}");
}

#[test]
fn a_path_that_is_not_there_says_how_far_it_looked_and_what_may_be_missing() {
    let sandbox = Sandbox::new();
    let mut client = shop(&sandbox).server();
    let none = client.ok("get_call_graph", json!({"from": "write_out", "to": "checkout"}));
    assert_eq!((&none["paths"], &none["total_edges"], &none["truncated"]), (&json!([]), &json!(0), &json!(false)));
    assert_eq!(
        none["metadata"]["warnings"],
        json!([
            "there is no path: looked 1 step from `shop.store.write_out` and 1 back from `shop.views.checkout`, at 2 \
             symbols; no unresolved call was met on the way"
        ])
    );
    let open = client.ok("get_call_graph", json!({"from": "alone", "to": "Cart.check"}));
    assert_eq!(open["metadata"]["searched"]["unresolved_calls"], 1);
    assert_eq!(
        open["possible_links"],
        json!([{
            "from": "other.alone",
            "call_site": {"file": "other.py", "line": 7, "context": "return x.check()"},
            "reason": "the type of what stands before it is not known",
            "to": "shop.cart.Cart.check",
        }])
    );
    let far = client.ok("get_call_graph", json!({"from": "checkout", "to": "write_out", "depth": 2}));
    let warning = far["metadata"]["warnings"][0].as_str().unwrap();
    assert!(warning.starts_with("there is no path of at most 2 calls: looked "), "{warning}");
    let clamped = client.ok("get_call_graph", json!({"from": "checkout", "to": "write_out", "depth": 40}));
    assert_eq!(clamped["metadata"]["warnings"], json!(["depth 40 was clamped to 12"]));
    assert_eq!(chains(&clamped).len(), 1);
}

#[test]
fn an_end_of_several_definitions_says_which_one_is_meant() {
    let sandbox = Sandbox::new();
    let mut client = shop(&sandbox).server();
    let answer = client.ok("get_call_graph", json!({"from": "checkout", "to": "check"}));
    let warning = answer["metadata"]["warnings"][0].as_str().unwrap();
    assert!(warning.starts_with("3 definitions are named `check`; this is about"), "{warning}");
    let candidates = answer["candidates"].as_array().unwrap();
    assert_eq!(candidates.len(), 2);
    let others = candidates.iter().map(|one| one["symbol_id"].clone());
    let mut found = chains(&answer);
    found.extend(others.flat_map(|id| chains(&client.ok("get_call_graph", json!({"from": "checkout", "to": id})))));
    assert_eq!(
        found,
        ["shop.views.checkout -> shop.cart.Cart.pay shop/views.py:5 -> shop.cart.Cart.check shop/cart.py:6"]
    );
}

#[test]
fn ends_that_make_no_path_are_refused() {
    let sandbox = Sandbox::new();
    let mut client = shop(&sandbox).server();
    let refused = |client: &mut Client, arguments: Value| {
        let error = client.error("get_call_graph", arguments);
        let of = |key: &str| error[key].as_str().unwrap_or_default().to_owned();
        (of("code"), of("message"), error["data"]["parameter"].as_str().unwrap_or_default().to_owned())
    };
    for (arguments, parameter, begins) in [
        (json!({"from": "checkout"}), "to", "to: a path has two ends"),
        (json!({"to": "checkout"}), "from", "from: a path has two ends"),
        (
            json!({"from": "checkout", "to": "views.checkout"}),
            "to",
            "`from` and `to` are the same symbol, shop.views.checkout",
        ),
        (json!({"from": "a", "to": "b", "symbol_name": "c"}), "symbol_name", "symbol_name: with both"),
        (json!({"from": "checkout", "to": "check", "path": "other.py"}), "path", "path: with both"),
        (json!({"from": "checkout", "to": "check", "depth": 0}), "depth", "depth: 0 is not in"),
        (json!({"from": ["checkout"], "to": "check"}), "from", "`from` must be a string"),
    ] {
        let (code, message, about) = refused(&mut client, arguments);
        assert_eq!((code.as_str(), about.as_str()), ("invalid_input", parameter), "{message}");
        assert!(message.starts_with(begins), "{message}");
    }
    for arguments in [json!({"from": "chekout", "to": "pay"}), json!({"from": "pay", "to": "chekout"})] {
        let error = client.error("get_call_graph", arguments);
        assert_eq!(
            (&error["code"], &error["data"]["near"][0]["name"]),
            (&json!("symbol_not_found"), &json!("shop.views.checkout"))
        );
    }
}

#[test]
fn people_read_a_path_step_by_step() {
    let sandbox = Sandbox::new();
    let repo = shop(&sandbox);
    let text = repo.cruxe(&["calls", "--from", "checkout", "--to", "write_out"]).ok();
    assert_eq!(
        text,
        "fn checkout  shop/views.py:4\nto fn write_out  shop/store.py:11\n  checkout\n  \
         → Cart.pay  shop/views.py:5 cart.pay(store)\n  → Disk.save  shop/cart.py:7 \
         store.save(self) ? overrides shop.store.Store.save\n  → write_out  shop/store.py:8 \
         write_out(what)\n1 path\n"
    );
    let json = repo.cruxe(&["calls", "--from", "checkout", "--to", "write_out", "--json"]).json();
    assert_eq!(json["paths"][0].as_array().unwrap().len(), 4);
    let none = repo.cruxe(&["calls", "--from", "alone", "--to", "Cart.check"]);
    assert_eq!(none.code, Some(1));
    assert!(none.stdout.contains("perhaps other.alone → shop.cart.Cart.check  other.py:7"), "{}", none.stdout);
    assert!(none.stderr.contains("there is no path: looked "), "{}", none.stderr);
    for arguments in [
        &["calls"][..],
        &["calls", "--from", "checkout"],
        &["calls", "checkout", "--from", "a", "--to", "b"],
        &["calls", "checkout", "--depth", "6"],
        &["calls", "--from", "a", "--to", "b", "--depth", "13"],
    ] {
        assert_eq!(repo.cruxe(arguments).code, Some(4), "{arguments:?}");
    }
    assert_eq!(repo.cruxe(&["calls", "--from", "nobody", "--to", "checkout"]).code, Some(1));
}
