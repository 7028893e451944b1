//! `serve-mcp --answers text`: what a model reads, and what it costs.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::support::{Client, DEADLINE, Repo, Sandbox, eventually};

const FILES: &[(&str, &str)] = &[
    (
        "shop/cart.py",
        "class Cart:\n    def total(self) -> int:\n        return add_tax(sum(self.prices))\n\n\ndef add_tax(price: int) -> int:\n    \
         return price * 119 // 100\n",
    ),
    (
        "shop/invoice.py",
        "from shop.cart import Cart, add_tax\n\n\ndef invoice(cart: Cart) -> str:\n    return f\"{add_tax(1)} {cart.total()}\"\n",
    ),
    ("tests/test_cart.py", "from shop.cart import add_tax\n\n\ndef test_tax():\n    assert add_tax(100) == 119\n"),
    ("docs/tax.md", "# Tax\n\n`add_tax` rounds down.\n"),
];

fn shop(sandbox: &Sandbox) -> Repo<'_> {
    let repo = sandbox.repo("shop", FILES);
    repo.cruxe(&["index"]).ok();
    repo
}

/// The text of an answer, which is all there is of it.
fn said(client: &mut Client, tool: &str, arguments: Value) -> String {
    let answer = client.request("tools/call", json!({"name": tool, "arguments": arguments}))["result"].clone();
    assert_eq!(answer.get("structuredContent"), None, "{answer}");
    let content = answer["content"].as_array().unwrap();
    assert_eq!(content.len(), 1, "{answer}");
    let text = content[0]["text"].as_str().unwrap();
    if answer["isError"] == true { format!("isError\n{text}") } else { text.to_owned() }
}

#[test]
fn answers_are_plain_text() {
    let sandbox = Sandbox::new();
    let repo = shop(&sandbox);
    let mut client = repo.server_with(&["--no-watch", "--answers", "text"]);
    let mut transcript = String::new();
    for (tool, arguments) in [
        ("search_code", json!({"query": "where is tax added", "limit": 2})),
        ("search_code", json!({"query": "\"add_tax(\""})),
        ("search_code", json!({"pattern": "def \\w+", "paths": ["shop"]})),
        ("locate_symbol", json!({"name": "add_tax"})),
        ("locate_symbol", json!({"name": "ad_tax"})),
        ("get_file_outline", json!({"path": "shop/invoice.py"})),
        ("get_file_outline", json!({"path": "shop/cart.py", "symbol": "Cart"})),
        ("find_references", json!({"symbol_name": "shop.cart.add_tax"})),
        ("find_references", json!({"symbol_name": "invoice"})),
        ("find_references", json!({"symbol_name": "nosuch"})),
        ("get_call_graph", json!({"symbol_name": "add_tax"})),
        ("diff_context", json!({})),
        ("list_refs", json!({})),
        ("read_doc", json!({"path": "docs/tax.md"})),
        ("read_doc", json!({"path": "docs/nosuch.md"})),
        ("find_references", json!({"symbol_nam": "x", "symbol_name": "invoice"})),
        ("search_code", json!({"query": "  "})),
    ] {
        transcript += &format!("## {tool} {arguments}\n{}\n", said(&mut client, tool, arguments.clone()));
    }
    assert_snapshot!(transcript);
}

#[test]
fn the_list_of_tools_costs_little_and_has_no_output_schemas() {
    let sandbox = Sandbox::new();
    let repo = shop(&sandbox);
    let mut client = repo.server_with(&["--no-watch", "--answers", "text"]);
    let tools = client.request("tools/list", json!({}))["result"]["tools"].clone();
    let tools = tools.as_array().unwrap();
    assert!(tools.iter().all(|tool| tool.get("outputSchema").is_none()), "{tools:?}");
    assert_eq!(tools.len(), 17);
    let tokens: usize = tools.iter().map(|tool| cruxe_tokens::count(&tool.to_string())).sum();
    assert!(tokens <= 2500, "the list costs {tokens} tokens");
}

#[test]
fn the_tools_for_tasks_come_and_go_with_the_deck() {
    let sandbox = Sandbox::new();
    let repo = shop(&sandbox);
    let mut client = repo.server_with(&["--answers", "text"]);
    let listed = |client: &mut Client| {
        let tools = client.request("tools/list", json!({}))["result"]["tools"].clone();
        tools.as_array().unwrap().iter().any(|tool| tool["name"] == "list_tasks")
    };
    assert!(!listed(&mut client));
    said(&mut client, "create_task", json!({"title": "Round taxes"})); // what is not listed works all the same
    // The client is told, and the list has them.
    eventually("the list of tools has changed", DEADLINE, || {
        said(&mut client, "index_status", json!({}));
        let told = |message: &Value| message["method"] == "notifications/tools/list_changed";
        client.notifications.iter().any(told).then_some(())
    });
    assert!(listed(&mut client));
    assert!(said(&mut client, "list_tasks", json!({})).contains("  todo  medium  Round taxes"));
}

#[test]
fn json_is_the_default_and_the_configuration_can_say_otherwise() {
    let sandbox = Sandbox::new();
    let repo = shop(&sandbox);
    let mut client = repo.server_with(&["--no-watch"]);
    assert_eq!(client.ok("locate_symbol", json!({"name": "invoice"}))["results"][0]["line_start"], 4);
    std::fs::write(sandbox.cruxe_home().join("config.toml"), "[server]\nanswers = \"text\"\n").unwrap();
    let mut client = repo.server_with(&["--no-watch"]);
    assert!(
        said(&mut client, "locate_symbol", json!({"name": "invoice"}))
            .starts_with("shop/invoice.py:4-5  fn invoice\n4 def")
    );
    let mut client = repo.server_with(&["--no-watch", "--answers", "json"]);
    assert_eq!(client.ok("locate_symbol", json!({"name": "invoice"}))["results"][0]["line_start"], 4);
    // Outside of MCP the contract's form stays.
    let mut client = repo.server_with(&["--no-watch", "--answers", "text"]);
    let bare = client.request("locate_symbol", json!({"name": "invoice"}));
    assert_eq!(bare["result"]["results"][0]["name"], "invoice");
}

#[test]
fn the_commands_print_the_same_text() {
    let sandbox = Sandbox::new();
    let repo = shop(&sandbox);
    let mut client = repo.server_with(&["--no-watch", "--answers", "text"]);
    for (command, tool, arguments) in [
        (vec!["locate", "add_tax"], "locate_symbol", json!({"name": "add_tax"})),
        (vec!["outline", "shop/cart.py"], "get_file_outline", json!({"path": "shop/cart.py"})),
        (vec!["refs", "add_tax"], "find_references", json!({"symbol_name": "add_tax"})),
        (vec!["calls", "add_tax"], "get_call_graph", json!({"symbol_name": "add_tax"})),
        (vec!["diff"], "diff_context", json!({})),
        (vec!["list-refs"], "list_refs", json!({})),
        (vec!["context", "tax", "rounds"], "read_context", json!({"query": "tax rounds"})),
    ] {
        let printed = repo.cruxe(&command).ok();
        assert_eq!(printed, said(&mut client, tool, arguments), "{command:?}");
    }
    let json = repo.cruxe(&["locate", "add_tax", "--json"]).json();
    assert_eq!(json["results"][0]["qualified_name"], "shop.cart.add_tax");
    let nothing = repo.cruxe(&["locate", "nosuch_name_at_all"]);
    assert_eq!((nothing.code, nothing.stdout.as_str()), (Some(1), ""));
    let unknown = repo.cruxe(&["outline", "shop/nosuch.py"]);
    assert_ne!(unknown.code, Some(0));
}
