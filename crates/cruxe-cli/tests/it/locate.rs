//! `locate_symbol` through a client.

use serde_json::{Value, json};

use crate::support::{Client, Sandbox, places, sources};

fn keys(value: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

/// The service, indexed, with a server.
fn service(sandbox: &Sandbox) -> Client {
    let repo = sandbox.repo("service", sources::SERVICE);
    repo.cruxe(&["index"]).ok();
    repo.server()
}

fn first(client: &mut Client, arguments: Value) -> Value {
    client.ok("locate_symbol", arguments)["results"][0].clone()
}

#[test]
fn each_detail_level_has_exactly_its_fields() {
    let sandbox = Sandbox::new();
    let mut client = service(&sandbox);
    let location = [
        "kind",
        "line_end",
        "line_start",
        "name",
        "path",
        "qualified_name",
        "score",
        "source_layer",
        "symbol_id",
        "symbol_stable_id",
    ];
    let found = first(&mut client, json!({"name": "JwtValidator::validate_token", "detail_level": "location"}));
    assert_eq!(keys(&found), location);

    let signature = [&location[..], &["language", "signature", "visibility"]].concat();
    let mut expected = signature.clone();
    expected.sort_unstable();
    let found = first(&mut client, json!({"name": "JwtValidator::validate_token"}));
    assert_eq!(keys(&found), expected);
    assert_eq!(found, first(&mut client, json!({"name": "JwtValidator::validate_token", "detail_level": "signature"})));

    let mut expected = [&signature[..], &["body_preview", "parent", "related_symbols"]].concat();
    expected.sort_unstable();
    let found = first(&mut client, json!({"name": "JwtValidator::validate_token", "detail_level": "context"}));
    assert_eq!(keys(&found), expected);
    let body = "pub fn validate_token(&self, token: &str) -> Result<Claims, TokenError> {
        if token.is_empty() {
            return Err(TokenError::Forged);
        }
        Ok(Claims { subject: token.to_owned() })
    }";
    assert_eq!(found["body_preview"], body);
    assert_eq!(found["parent"], json!({"kind": "impl", "name": "JwtValidator", "path": "src/auth/jwt.rs", "line": 12}));
    assert_eq!(
        found["related_symbols"],
        json!([
            {"kind": "struct", "name": "Claims", "path": "src/auth/jwt.rs", "line": 4},
            {"kind": "enum", "name": "TokenError", "path": "src/auth/error.rs", "line": 2},
        ])
    );
}

#[test]
fn what_is_not_known_is_left_out_and_never_null() {
    let sandbox = Sandbox::new();
    let mut client = service(&sandbox);
    let found = first(&mut client, json!({"name": "MAX_AGE", "detail_level": "context"}));
    for absent in ["parent", "related_symbols"] {
        assert!(found.get(absent).is_none(), "{absent}: {found}");
    }
    assert_eq!(found["body_preview"], "pub const MAX_AGE: u64 = 3600;");
    let found = first(&mut client, json!({"name": "Report.render", "detail_level": "context"}));
    assert_eq!(found["parent"]["name"], "Report");
    assert!(found.as_object().unwrap().values().all(|value| !value.is_null()), "{found}");
}

#[test]
fn compact_takes_large_blocks_away_and_leaves_handles() {
    let sandbox = Sandbox::new();
    let mut client = service(&sandbox);
    for level in ["location", "signature", "context"] {
        let arguments = json!({"name": "JwtValidator::validate_token", "detail_level": level, "compact": true});
        let found = first(&mut client, arguments);
        for absent in ["body_preview", "related_symbols"] {
            assert!(found.get(absent).is_none(), "{level} {absent}: {found}");
        }
        for kept in ["symbol_id", "symbol_stable_id", "path", "line_start", "line_end", "kind", "name", "score"] {
            assert!(found.get(kept).is_some(), "{level} {kept}: {found}");
        }
    }
}

#[test]
fn names_match_exactly_then_without_case_then_as_prefix_then_with_a_typo() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo(
        "names",
        &[
            ("a.py", "def load_config():\n    pass\n"),
            ("b.py", "def Load_Config():\n    pass\n"),
            ("c.py", "def load_config_file():\n    pass\n"),
            ("d.py", "def loud_config():\n    pass\n"),
        ],
    );
    let mut client = repo.server();
    client.ready();
    for (name, expected, warning) in [
        ("load_config", "a.py:1", None),
        ("LOAD_CONFIG_FILE", "c.py:1", Some("names that differ in case")),
        ("load_config_f", "c.py:1", Some("names that begin with it")),
        ("loud_confg", "d.py:1", Some("the most similar names")),
    ] {
        let answer = client.ok("locate_symbol", json!({"name": name}));
        assert_eq!(places(&answer), [expected], "{name}");
        let expected = warning.map(|how| json!([format!("no symbol is named exactly `{name}`; these are {how}")]));
        assert_eq!(answer["metadata"].get("warnings"), expected.as_ref(), "{name}");
    }
    let answer = client.ok("locate_symbol", json!({"name": "LOAD_config"}));
    assert_eq!(places(&answer), ["a.py:1", "b.py:1"]);
    let answer = client.ok("locate_symbol", json!({"name": "nothing_like_it_at_all"}));
    assert_eq!((answer["total_candidates"].as_u64(), places(&answer)), (Some(0), vec![]));
}

#[test]
fn a_name_that_only_another_ref_has_does_not_hide_a_similar_one() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("names", &[("a.py", "def load_configs():\n    pass\n")]);
    repo.git(&["branch", "old"]);
    repo.write("a.py", "def load_confixyz():\n    pass\n");
    repo.commit("renamed");
    repo.cruxe(&["index", "--ref", "old"]).ok();
    let mut client = repo.server();
    client.ready();
    // One letter from the name on `old`, two from the one that is checked out.
    assert_eq!(client.places("load_confixs"), ["a.py:1"]);
}

#[test]
fn qualified_names_find_the_one_that_is_meant() {
    let sandbox = Sandbox::new();
    let files = sources::shapes(12);
    let repo = sandbox.repo("shapes", &sources::borrowed(&files));
    let mut client = repo.server();
    client.ready();
    let none = client.ok("locate_symbol", json!({"name": "Shape03::describe"}));
    assert_eq!(places(&none), Vec::<String>::new());
    let told = none["metadata"]["warnings"][0].as_str().unwrap();
    assert!(
        told.starts_with("no symbol is named `Shape03::describe`; `describe` is defined as group0::shape_000"),
        "{told}"
    );
    assert!(told.ends_with(" and 9 more"), "{told}");
    assert_eq!(client.places("Shape003::describe"), ["src/group3/shape_003.rs:7"]);
    assert_eq!(client.places("Shape003.describe"), ["src/group3/shape_003.rs:7"]);
    assert_eq!(client.places("Shape011::describe()"), ["src/group1/shape_011.rs:7"]);
    let all = client.ok("locate_symbol", json!({"name": "describe", "limit": 5}));
    assert_eq!(all["total_candidates"], 12);
    assert_eq!(all["results"].as_array().unwrap().len(), 5);
    assert_eq!(all["metadata"]["result_completeness"], "truncated");
}

#[test]
fn of_two_types_of_one_name_the_one_that_is_worked_with_comes_first() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo(
        "two",
        &[
            ("src/api/v1/types.ts", "export class Schema {\n  parse() {}\n}\n"),
            ("src/api/v2/types.ts", "export interface Schema {\n  parse(): void\n}\n"),
            ("src/a.ts", "import { Schema } from './api/v2/types'\nexport function a(s: Schema) {}\n"),
            ("src/b.ts", "import type { Schema } from './api/v2/types'\nexport let b: Schema\n"),
            // What tests use says nothing, nor does the same name of something else.
            ("src/a.test.ts", "import { Schema } from './api/v1/types'\nnew Schema()\n"),
            ("src/b.test.ts", "import { Schema } from './api/v1/types'\nnew Schema()\n"),
            ("src/c.test.ts", "import { Schema } from './api/v1/types'\nnew Schema()\n"),
            ("src/d.ts", "import { Schema } from 'elsewhere'\nexport const d = Schema\n"),
        ],
    );
    repo.cruxe(&["index"]).ok();
    let mut client = repo.server();
    let answer = client.ok("locate_symbol", json!({"name": "Schema.parse", "ranking_explain_level": "full"}));
    let paths: Vec<_> = answer["results"].as_array().unwrap().iter().map(|result| &result["path"]).collect();
    assert_eq!(paths, [&json!("src/api/v2/types.ts"), &json!("src/api/v1/types.ts")]);
    let reasons = answer["metadata"]["ranking_reasons"].as_array().unwrap();
    let boosts: Vec<_> = reasons.iter().map(|reason| reason["definition_boost"].as_f64().unwrap()).collect();
    assert_eq!(boosts, [1.0, 0.9], "the one that nobody uses loses a tenth");
}

#[test]
fn definitions_come_before_tests_of_the_same_name() {
    let sandbox = Sandbox::new();
    let mut client = service(&sandbox);
    assert_eq!(client.places("validate_token"), ["src/auth/jwt.rs:14", "tests/tokens.rs:2"]);
}

#[test]
fn kind_and_language_filter_and_unknown_kinds_are_refused_by_name() {
    let sandbox = Sandbox::new();
    let mut client = service(&sandbox);
    let mut ask = |arguments| places(&client.ok("locate_symbol", arguments));
    let both = ["tools/report.py:7", "src/auth/jwt.rs:21"];
    let mut found = ask(json!({"name": "rotate"}));
    found.sort();
    assert_eq!(found, ["src/auth/jwt.rs:21", "tools/report.py:7"]);
    assert_eq!(ask(json!({"name": "rotate", "language": "python"})), both[..1]);
    assert_eq!(ask(json!({"name": "rotate", "language": "Rust"})), both[1..]);
    assert_eq!(ask(json!({"name": "rotate", "kind": "fn"})).len(), 2);
    assert_eq!(ask(json!({"name": "rotate", "kind": "method"})).len(), 2);
    assert_eq!(ask(json!({"name": "Claims", "kind": "struct"})), ["src/auth/jwt.rs:4"]);
    assert_eq!(ask(json!({"name": "Claims", "kind": "enum"})), Vec::<String>::new());
    let error = client.error("locate_symbol", json!({"name": "x", "kind": "gizmo"}));
    assert_eq!((&error["code"], &error["data"]["parameter"]), (&json!("invalid_input"), &json!("kind")));
}

#[test]
fn wrong_arguments_are_named() {
    let sandbox = Sandbox::new();
    let mut client = service(&sandbox);
    for (arguments, parameter) in [
        (json!({}), "name"),
        (json!({"name": ""}), "name"),
        (json!({"name": "  "}), "name"),
        (json!({"name": null}), "name"),
        (json!({"name": 5}), "name"),
        (json!({"name": "x", "limit": 0}), "limit"),
        (json!({"name": "x", "limit": -3}), "limit"),
        (json!({"name": "x", "limit": "ten"}), "limit"),
        (json!({"name": "x", "limit": 1e18}), "limit"),
        (json!({"name": "x", "detail_level": "everything"}), "detail_level"),
        (json!({"name": "x", "compact": "yes"}), "compact"),
        (json!({"name": "x", "freshness_policy": "eventually"}), "freshness_policy"),
        (json!({"name": "x", "ranking_explain_level": "some"}), "ranking_explain_level"),
        (json!({"name": "x", "workspace": "relative/path"}), "workspace"),
    ] {
        let error = client.error("locate_symbol", arguments.clone());
        assert_eq!(error["code"], "invalid_input", "{arguments}");
        let named = error["data"]["parameter"] == parameter || error["message"].as_str().unwrap().contains(parameter);
        assert!(named, "{arguments}: {error}");
    }
}

#[test]
fn handles_lead_back_to_their_symbol() {
    let sandbox = Sandbox::new();
    let mut client = service(&sandbox);
    let found = first(&mut client, json!({"name": "Claims"}));
    let again = first(&mut client, json!({"name": found["symbol_id"]}));
    assert_eq!(again["symbol_stable_id"], found["symbol_stable_id"]);
    assert_eq!(again["path"], "src/auth/jwt.rs");
}

#[test]
fn ranking_is_explained_as_far_as_asked() {
    let sandbox = Sandbox::new();
    let mut client = service(&sandbox);
    let mut reasons = |level: Value| {
        let answer = client.ok("locate_symbol", json!({"name": "rotate", "ranking_explain_level": level}));
        (answer["metadata"].get("ranking_reasons").cloned(), answer["results"].clone())
    };
    assert_eq!(reasons(json!("off")).0, None);
    assert_eq!(reasons(Value::Null).0, None);
    let all = [
        "bm25_score",
        "definition_boost",
        "exact_match_boost",
        "final_score",
        "kind_match",
        "path_affinity",
        "qualified_name_boost",
        "result_index",
    ];
    for level in ["basic", "full"] {
        let (reasons, results) = reasons(json!(level));
        let (reasons, results) = (reasons.unwrap(), results.as_array().unwrap().clone());
        assert_eq!(reasons.as_array().unwrap().len(), results.len());
        for (index, reason) in reasons.as_array().unwrap().iter().enumerate() {
            assert_eq!(keys(reason), all, "{level}");
            assert_eq!(reason["result_index"], index);
            assert_eq!(reason["final_score"], results[index]["score"]);
            let normalised = all[..7].iter().all(|key| (0.0..=1.0).contains(&reason[*key].as_f64().unwrap()));
            assert!(normalised || level == "full", "{reason}");
        }
    }
}

#[test]
fn configuration_sets_the_defaults_of_questions() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("service", sources::SERVICE);
    repo.cruxe(&["index"]).ok();
    let explained = |config: &str, arguments: Value| {
        repo.write(".cruxe/config.toml", config);
        let mut client = repo.server();
        let answer = client.ok("locate_symbol", arguments);
        answer["metadata"].get("ranking_reasons").map(|reasons| reasons[0]["bm25_score"].as_f64().unwrap() > 1.0)
    };
    let ask = || json!({"name": "Claims"});
    let (full, basic) = (Some(true), Some(false));
    assert_eq!(explained("", ask()), None);
    assert_eq!(explained("[query]\nranking_explain_level = \"full\"\n", ask()), full);
    assert_eq!(explained("[query]\nranking_explain_level = \"basic\"\n", ask()), basic);
    assert_eq!(explained("[debug]\nranking_reasons = true\n", ask()), full);
    assert_eq!(explained("[debug]\nranking_reasons = false\n", ask()), None);
    let both = "[debug]\nranking_reasons = true\n[query]\nranking_explain_level = \"off\"\n";
    assert_eq!(explained(both, ask()), None);
    let off = json!({"name": "Claims", "ranking_explain_level": "off"});
    assert_eq!(explained("[debug]\nranking_reasons = true\n", off), None);
}

#[test]
fn what_is_written_in_parts_side_by_side_is_one_entry_of_an_outline() {
    let sandbox = Sandbox::new();
    let text = "class A:\n    @property\n    def size(self): return 1\n\n    @size.setter\n    def size(self, n): pass\n\n    \
                def other(self): pass\n\n    def size(self): pass\n\n\nclass B:\n    def size(self): pass\n";
    let twins = "#[cfg(unix)]\nfn f() -> u8 { 1 }\n#[cfg(windows)]\nfn f() -> u8 { 2 }\nstruct S;\nimpl S { fn a() {} }\nimpl S { fn b() {} }\n";
    let repo = sandbox.repo("parts", &[("a.py", text), ("b.rs", twins)]);
    repo.cruxe(&["index"]).ok();
    let mut client = repo.server();
    let mut entries = |path: &str| -> Vec<String> {
        let answer = client.ok("get_file_outline", json!({"path": path}));
        let show = |one: &Value| {
            let (name, lines) = (one["name"].as_str().unwrap(), (&one["line_start"], &one["line_end"]));
            format!("{name} {}-{} {}", lines.0, lines.1, one["signature"].as_str().unwrap_or_default())
        };
        let all = answer["symbols"].as_array().unwrap().iter().flat_map(|one| {
            let children = one["children"].as_array().into_iter().flatten().map(show);
            std::iter::once(show(one)).chain(children).collect::<Vec<_>>()
        });
        all.collect()
    };
    assert_eq!(
        entries("a.py"),
        [
            "A 1-10 class A",
            "size 3-6 def size(self)\ndef size(self, n)",
            "other 8-8 def other(self)",
            "size 10-10 def size(self)",
            "B 13-14 class B",
            "size 14-14 def size(self)",
        ]
    );
    assert_eq!(
        entries("b.rs"),
        [
            "f 2-4 fn f() -> u8\nfn f() -> u8",
            "S 5-5 struct S",
            "S 6-6 impl S",
            "a 6-6 fn a()",
            "S 7-7 impl S",
            "b 7-7 fn b()",
        ]
    );
}

#[test]
fn of_a_prototype_and_its_function_the_function_is_shown() {
    let sandbox = Sandbox::new();
    let files = [
        ("include/pool.h", "int pool_take(int size);\nint pool_only_declared(int size);\n"),
        (
            "src/pool.c",
            "static int pool_help(void);\nint pool_take(int size) { return pool_help(); }\nstatic int pool_help(void) { return 1; }\n",
        ),
        ("src/other.c", "int pool_take(int size);\nstatic int pool_help(void) { return pool_take(2); }\n"),
    ];
    let repo = sandbox.repo("pool", &files);
    repo.cruxe(&["index"]).ok();
    let mut client = repo.server();
    let mut places = |tool: &str, arguments: Value| -> Vec<String> {
        let answer = client.ok(tool, arguments);
        let results = answer["results"].as_array().unwrap().clone();
        if tool == "locate_symbol" {
            assert_eq!(answer["total_candidates"], results.len());
        }
        results.iter().map(|one| format!("{}:{}", one["path"].as_str().unwrap(), one["line_start"])).collect()
    };
    assert_eq!(places("locate_symbol", json!({"name": "pool_take"})), ["src/pool.c:2"]);
    assert_eq!(places("locate_symbol", json!({"name": "pool_only_declared"})), ["include/pool.h:2"]);
    let helpers = ["src/other.c:2", "src/pool.c:3"];
    assert_eq!(places("locate_symbol", json!({"name": "pool_help"})), helpers, "`static` ones are different functions");
    let found = places("search_code", json!({"query": "pool_take"}));
    assert!(found[0] == "src/pool.c:2", "{found:?}");
    assert!(
        !found.contains(&"include/pool.h:1".to_owned()) && !found.contains(&"src/other.c:1".to_owned()),
        "{found:?}"
    );
}

#[test]
fn what_is_gone_is_not_taken_for_a_namesake_and_what_is_inherited_is_said_to_be() {
    let sandbox = Sandbox::new();
    let app =
        "class Base:\n    def route(self): pass\n\nclass Flask(Base):\n    def make(self): pass\n\nFlask().route()\n";
    let repo = sandbox.repo("site", &[("flask/app.py", app), ("flask/helpers.py", "def make(): pass\n\nmake()\n")]);
    let mut client = repo.server();
    client.ready();
    let asked = json!({"symbol_name": "Flask.make"});
    assert_eq!(client.ok("find_references", asked.clone())["symbol"]["line_start"], 5);
    repo.write("flask/app.py", app.replace("make", "made"));
    let job = client.ok("sync_repo", json!({}));
    client.wait_for_job(&job["job_id"]);
    let refused = client.error("find_references", asked);
    assert_eq!(refused["code"], "symbol_not_found", "{refused}");
    assert_eq!(refused["data"]["near"][0]["name"], "flask.helpers.make", "{refused}");
    let near = client.ok("locate_symbol", json!({"name": "Flask.make"}));
    let said =
        "no symbol is named exactly `Flask.make`; these are names that differ in case, or in what they belong to";
    assert_eq!((places(&near), &near["metadata"]["warnings"]), (vec!["flask/helpers.py:1".to_owned()], &json!([said])));
    let uses = client.ok("find_references", json!({"symbol_name": "Flask.route"}));
    assert_eq!((&uses["symbol"]["line_start"], &uses["total_references"]), (&json!(2), &json!(1)));
    let said = "nothing is defined as `Flask.route`: it stands for flask.app.Base.route, which the type inherits or is extended with";
    assert_eq!(uses["metadata"]["warnings"], json!([said]));
    assert_eq!(client.ok("locate_symbol", json!({"name": "Flask.route"}))["metadata"]["warnings"], json!([said]));
}
