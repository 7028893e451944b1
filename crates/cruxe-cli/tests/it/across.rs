//! One question over several repositories.

use serde_json::{Value, json};

use crate::support::{Repo, Sandbox};

/// A library, two programs of which one uses it, and a repository that nobody indexed.
fn repositories(sandbox: &Sandbox) -> [Repo<'_>; 4] {
    let kit = sandbox.repo(
        "kit",
        &[
            ("Cargo.toml", "[package]\nname = \"rate-kit\"\n"),
            ("src/lib.rs", "/// Allows so many requests in a window.\npub struct Limiter;\n\npub fn open() {}\n"),
        ],
    );
    let app = sandbox.repo(
        "app",
        &[
            ("Cargo.toml", "[package]\nname = \"app\"\n[dependencies]\nrate-kit = \"1\"\n"),
            ("src/main.rs", "use rate_kit::Limiter;\n\nfn main() {\n    let _ = Limiter;\n}\n"),
        ],
    );
    let zoo =
        sandbox.repo("zoo", &[("zoo.py", "class Limiter:\n    pass\n\n\ndef feed_zebra():\n    return Limiter()\n")]);
    for repo in [&kit, &app, &zoo] {
        repo.cruxe(&["index"]).ok();
    }
    let new = sandbox.repo("new", &[("n.py", "def unknown():\n    pass\n")]);
    new.cruxe(&["init"]).ok();
    [kit, app, zoo, new]
}

/// `repository path:line` of results.
fn found(answer: &Value) -> Vec<String> {
    let results = answer["results"].as_array().unwrap().iter();
    let show = |one: &Value| {
        let text = |key: &str| one[key].as_str().unwrap().to_owned();
        format!("{} {}:{}", text("repository"), text("path"), one["line_start"])
    };
    results.map(show).collect()
}

#[test]
fn a_name_is_located_in_any_repository_and_what_is_not_indexed_is_told() {
    let sandbox = Sandbox::new();
    let [kit, _, zoo, _] = repositories(&sandbox);
    let mut client = kit.server();
    client.ready();
    let answer = client.ok("locate_symbol", json!({"name": "Limiter", "workspace": "*"}));
    // Others build on the first.
    assert_eq!(found(&answer), ["kit src/lib.rs:2", "zoo zoo.py:1"]);
    let metadata = &answer["metadata"];
    assert_eq!((&metadata["repository_count"], &metadata["not_indexed"]), (&json!(4), &json!(["new"])));
    assert_eq!(metadata["result_completeness"], "partial");
    let places: Vec<&Value> =
        metadata["repositories"].as_array().unwrap().iter().map(|one| &one["workspace"]).collect();
    assert_eq!(places, [&json!(kit.root), &json!(zoo.root)]);
    let listed = client.ok("locate_symbol", json!({"name": "Limiter", "workspace": [zoo.root, "kit"]}));
    assert_eq!((found(&listed), listed["metadata"].get("not_indexed")), (found(&answer), None));
    let none = client.ok("locate_symbol", json!({"name": "giraffe_feeder", "workspace": [zoo.root]}));
    assert_eq!((found(&none), &none["metadata"]["result_completeness"]), (vec![], &json!("complete")));
    let similar = client.ok("locate_symbol", json!({"name": "feed_zebar", "workspace": "*"}));
    assert_eq!(found(&similar), ["zoo zoo.py:5"]);
    let one = client.ok("locate_symbol", json!({"name": "Limiter", "workspace": zoo.root}));
    assert_eq!(one["results"][0].get("repository"), None, "one workspace is answered as ever");
}

#[test]
fn a_search_ranks_repositories_together() {
    let sandbox = Sandbox::new();
    let [kit, app, zoo, _] = repositories(&sandbox);
    let mut client = app.server();
    client.ready();
    let answer =
        client.ok("search_code", json!({"query": "how many requests are allowed in a window", "workspace": "*"}));
    assert_eq!(found(&answer)[0], "kit src/lib.rs:2");
    let answer = client.ok("search_code", json!({"query": "feed_zebra", "workspace": [kit.root, zoo.root]}));
    assert_eq!(found(&answer)[0], "zoo zoo.py:5");
    let again = client.ok("search_code", json!({"query": "feed_zebra", "workspace": [zoo.root, kit.root]}));
    assert_eq!(answer, again, "the order of a list means nothing");
    zoo.write("zoo.py", "def feed_giraffe():\n    pass\n");
    zoo.cruxe(&["sync"]).ok();
    let answer = client.ok("locate_symbol", json!({"name": "feed_giraffe", "workspace": "*"}));
    assert_eq!(found(&answer), ["zoo zoo.py:1"], "a publish counts at once");
    let error = client.error("search_code", json!({"query": "", "pattern": "x", "workspace": "*"}));
    assert_eq!(error["code"], "invalid_input");
    let error = client.error("search_code", json!({"query": "x", "workspace": ["/no/such/place", "nobody"]}));
    assert_eq!(error["code"], "workspace_not_registered");
}

#[test]
fn uses_are_looked_for_where_the_package_is_needed() {
    let sandbox = Sandbox::new();
    let [kit, ..] = repositories(&sandbox);
    let mut client = kit.server();
    client.ready();
    let answer = client.ok("find_references", json!({"symbol_name": "Limiter", "workspace": "*"}));
    let uses: Vec<String> = answer["references"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            format!("{} {}:{}", one["repository"].as_str().unwrap(), one["path"].as_str().unwrap(), one["line_start"])
        })
        .collect();
    assert_eq!(uses, ["app src/main.rs:1", "app src/main.rs:4"]);
    let metadata = &answer["metadata"];
    assert_eq!(metadata["package"], "cargo:rate_kit");
    assert_eq!(metadata["not_looked_into"], json!({"not_dependent": 1, "limit": []}));
    assert_eq!(metadata["not_indexed"], json!(["new"]));
    let text = kit.cruxe(&["refs", "--all", "Limiter"]).ok();
    assert_eq!(
        text,
        "struct Limiter  src/lib.rs:2  2 uses\nkit: 0\napp: 2\nsrc/main.rs\n1 use rate_kit::Limiter;\n4 let _ = Limiter; <- main\n"
    );
    let error = client.error("find_references", json!({"symbol_name": "nobody_defines_it", "workspace": "*"}));
    assert_eq!((&error["code"], &error["data"]["not_indexed"]), (&json!("symbol_not_found"), &json!(["new"])));
}

#[test]
fn the_command_line_asks_every_project() {
    let sandbox = Sandbox::new();
    let [_, app, ..] = repositories(&sandbox);
    let located = app.cruxe(&["locate", "--all", "feed_zebra"]).ok();
    assert!(located.starts_with("zoo zoo.py:5-6  fn feed_zebra\n"), "{located}");
    let searched = app.cruxe(&["search", "--all", "requests in a window"]).ok();
    assert!(searched.starts_with("kit src/lib.rs:2  struct Limiter\n"), "{searched}");
}
