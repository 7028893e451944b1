//! `search_code`, `explain_ranking` and `suggest_followup_queries` through a client: what must be first, what must not
//! be there.

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{Client, Repo, Sandbox, eventually, places};

/// A small shop: enough files that a wrong ranking shows.
const SHOP: &[(&str, &str)] = &[
    ("Cargo.toml", "[package]\nname = \"shop\"\nversion = \"0.1.0\"\n"),
    ("src/lib.rs", "pub mod billing;\npub mod cart;\npub mod limits;\npub mod retry;\n"),
    (
        "src/limits.rs",
        "\
//! Keeps clients from asking too often.

/// Counts requests per client in a sliding window.
pub struct RateLimiter {
    window: u64,
}

impl RateLimiter {
    /// Refuses a request when the quota of the client is used up.
    pub fn check_quota(&self, client: &str) -> Result<(), String> {
        if client.is_empty() {
            return Err(format!(\"client {} exceeded its quota of {} requests\", client, self.window));
        }
        Ok(())
    }
}
",
    ),
    (
        "src/billing.rs",
        "\
use crate::cart::Cart;

/// An invoice for what is in a cart.
pub struct Invoice {
    total: u64,
}

/// Adds tax to the prices of a cart.
pub fn make_invoice(cart: &Cart) -> Invoice {
    Invoice { total: cart.total() * 119 / 100 }
}

#[cfg(test)]
mod tests {
    #[test]
    fn invoice_has_tax() {
        let rate_limiter = 1;
        assert_eq!(rate_limiter, 1);
    }
}
",
    ),
    (
        "src/cart.rs",
        "\
/// What a customer wants to buy.
pub struct Cart {
    prices: Vec<u64>,
}

impl Cart {
    /// Sums up the prices.
    pub fn total(&self) -> u64 {
        self.prices.iter().sum()
    }

    pub fn parseHTTPResponse(&self) {}
}
",
    ),
    (
        "src/retry.rs",
        "\
/// Tries again with growing pauses when the network fails.
pub fn with_backoff<T>(attempt: impl Fn() -> Option<T>) -> Option<T> {
    (0..MAX_RETRY_COUNT).find_map(|_| attempt())
}

pub const MAX_RETRY_COUNT: u32 = 5;
",
    ),
    (
        "py/mail.py",
        r#""""Sends mail."""


def send_mail(to, subject):
    """Send a message to a customer."""
    if "@" not in to:
        raise ValueError("bad address: %s" % to)
    return größe(to)


def größe(text):
    return len(text)
"#,
    ),
    (
        "tests/limits.rs",
        "#[test]\nfn rate_limiter_check_quota() {\n    let rate = \"rate limiter quota window client requests\";\n    assert!(!rate.is_empty());\n}\n",
    ),
    ("examples/limits.rs", "// rate limiter quota example\nfn main() {\n    println!(\"rate limiter quota\");\n}\n"),
    ("docs/limits.md", "# Rate limits\n\nThe rate limiter checks the quota of a client.\n"),
];

fn shop(sandbox: &Sandbox) -> Client {
    let repo = sandbox.repo("shop", SHOP);
    repo.cruxe(&["index"]).ok();
    repo.server()
}

/// The answer of a fresh server to a plain question.
fn ready_answer(repo: &Repo) -> Value {
    let mut client = repo.server();
    client.ready();
    search(&mut client, "rate limiter")
}

fn search(client: &mut Client, query: &str) -> Value {
    client.ok("search_code", json!({"query": query}))
}

/// `path name` of each result.
fn names(answer: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let results = answer["results"].as_array().unwrap();
    results.iter().map(|result| format!("{} {}", text(&result["path"]), text(&result["name"]))).collect()
}

fn first(client: &mut Client, query: &str) -> String {
    names(&search(client, query)).first().cloned().unwrap_or_default()
}

#[test]
fn the_right_place_is_first_whatever_the_form_of_the_question() {
    let sandbox = Sandbox::new();
    let mut client = shop(&sandbox);
    for (query, want) in [
        ("where is rate limiting implemented", "src/limits.rs RateLimiter"),
        ("refuse a request when the quota is used up", "src/limits.rs check_quota"),
        ("how is tax added to an invoice", "src/billing.rs make_invoice"),
        ("retry with growing pauses", "src/retry.rs with_backoff"),
        ("RateLimiter", "src/limits.rs RateLimiter"),
        ("rate_limiter", "src/limits.rs RateLimiter"),
        ("RateLimiter::check_quota", "src/limits.rs check_quota"),
        ("checkQuota", "src/limits.rs check_quota"),
        ("parse http response", "src/cart.rs parseHTTPResponse"),
        ("MAX_RETRY_COUNT", "src/retry.rs MAX_RETRY_COUNT"),
        ("why does `Cart::total` ignore discounts", "src/cart.rs total"),
        ("invoices", "src/billing.rs Invoice"),
        ("größe", "py/mail.py größe"),
        ("src/cart.rs", "src/cart.rs cart.rs"),
        ("cart.rs:8", "src/cart.rs total"),
        ("py/", "py/mail.py mail.py"),
        ("\"growing pauses\"", "src/retry.rs with_backoff"),
        ("client acme-17 exceeded its quota of 300 requests", "src/limits.rs check_quota"),
        ("ValueError: bad address: nobody", "py/mail.py send_mail"),
        ("  File \"/srv/app/py/mail.py\", line 7, in send_mail", "py/mail.py send_mail"),
    ] {
        assert_eq!(first(&mut client, query), want, "{query}");
    }
}

#[test]
fn tests_and_examples_give_way_unless_they_are_asked_for() {
    let sandbox = Sandbox::new();
    let mut client = shop(&sandbox);
    let paths = |answer: &Value| {
        names(answer).iter().map(|name| name.split(' ').next().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let plain = search(&mut client, "rate limiter quota");
    assert_eq!(paths(&plain)[0], "src/limits.rs");
    // The best score of a file, as a part of the best of all.
    let share = |answer: &Value, path: &str| {
        let results = answer["results"].as_array().unwrap();
        let score = |result: &Value| result["score"].as_f64().unwrap();
        score(results.iter().find(|result| result["path"] == path).unwrap()) / score(&results[0])
    };
    for (query, path) in [
        ("test of the rate limiter quota", "tests/limits.rs"),
        ("example of the rate limiter quota", "examples/limits.rs"),
    ] {
        let (asked, not) = (share(&search(&mut client, query), path), share(&plain, path));
        assert!(asked > 1.2 * not, "{query}: {asked} beside {not}");
    }
    assert_eq!(paths(&search(&mut client, "documentation of rate limits"))[0], "docs/limits.md");
}

#[test]
fn a_phrase_means_its_words_in_their_order() {
    let sandbox = Sandbox::new();
    let mut client = shop(&sandbox);
    let answer = search(&mut client, "\"Sums up the prices\"");
    assert_eq!(names(&answer), ["src/cart.rs total"]);
    assert_eq!(answer["query_intent"], "error");
    assert_eq!(answer["results"][0]["result_type"], "snippet");
    assert_eq!(answer["results"][0]["snippet"], "/// Sums up the prices.");
    assert_eq!(answer["results"][0]["line_start"], 7);
    let answer = search(&mut client, "\"prices the up sums\"");
    assert_eq!(answer["metadata"]["warnings"], json!(["no text has the phrase; ranked by its words"]));
}

#[test]
fn a_phrase_finds_every_line_that_has_it_and_says_when_a_limit_cuts() {
    let sandbox = Sandbox::new();
    // More lines than a search used to look at, several in one function, and none a whole word of the phrase.
    let lines =
        |count: usize| (0..count).map(|at| format!("    x{at} = subtoken expiredAt({at})\n")).collect::<String>();
    let many: Vec<(String, String)> =
        (0..30).map(|at| (format!("m{at:02}.py"), format!("def f{at}():\n{}", lines(3)))).collect();
    let many: Vec<(&str, &str)> = many.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let repo = sandbox.repo("many", &many);
    repo.write("notes.txt", "the token\n   Expired here\nand token: expired there\n");
    repo.commit("notes");
    repo.cruxe(&["index"]).ok();
    let mut client = repo.server();
    let ask = |client: &mut Client, query: &str, limit: usize| {
        client.ok("search_code", json!({"query": query, "limit": limit}))
    };
    let answer = ask(&mut client, "\"token expired\"", 200);
    let mut found = places(&answer);
    found.sort();
    let mut expected: Vec<String> = (0..30)
        .flat_map(|at| (2..5).map(move |line| format!("m{at:02}.py:{line}")))
        .chain(["notes.txt:1".into()])
        .collect();
    expected.sort();
    assert_eq!(found, expected);
    assert_eq!(
        (&answer["metadata"]["result_completeness"], &answer["total_candidates"]),
        (&json!("complete"), &json!(91))
    );
    let cut = ask(&mut client, "\"token expired\"", 90);
    assert_eq!((places(&cut).len(), &cut["metadata"]["result_completeness"]), (90, &json!("truncated")));
    assert_eq!(cut["total_candidates"], 91);
    let punctuated = ask(&mut client, "\"token: exp\"", 10);
    assert_eq!(places(&punctuated), ["notes.txt:3"]);
    assert_eq!(punctuated["metadata"]["result_completeness"], "complete");
    let inner = ask(&mut client, "\"and token: expired th\"", 10);
    assert_eq!(places(&inner), ["notes.txt:3"], "words inside are whole, the last is not");
    let only = client.ok("search_code", json!({"query": "\"token expired\"", "limit": 200, "language": "text"}));
    assert_eq!(places(&only), ["notes.txt:1"]);
    let shown = repo.cruxe(&["search", "\"token expired\"", "--limit", "3"]).ok();
    assert_eq!(shown.matches("subtoken expiredAt").count(), 3, "{shown}");
    assert!(shown.contains("more with a higher limit"), "{shown}");
    // Another ref is another text, also where it is not checked out.
    repo.git(&["checkout", "-q", "-b", "other"]);
    repo.write("notes.txt", "nothing of it\n");
    repo.commit("other");
    repo.git(&["checkout", "-q", "main"]);
    repo.cruxe(&["index", "--ref", "other"]).ok();
    let other = client.ok("search_code", json!({"query": "\"token expired\"", "limit": 200, "ref": "other"}));
    assert_eq!(places(&other).len(), 90);
}

#[test]
fn a_name_that_stands_nowhere_is_said_to_and_one_that_ranks_low_is_not() {
    let sandbox = Sandbox::new();
    let mut client = shop(&sandbox);
    let says = |answer: &Value| {
        let warnings = answer["metadata"]["warnings"].as_array().cloned().unwrap_or_default();
        warnings.iter().filter_map(Value::as_str).find(|text| text.contains("does not exist")).map(str::to_owned)
    };
    let told = |name: &str| Some(format!("`{name}` does not exist in `main`; anything found is only similar"));
    let answer = search(&mut client, "quota_frobnicator");
    assert_eq!(says(&answer), told("quota_frobnicator"));
    assert!(!answer["results"].as_array().unwrap().is_empty(), "what is similar is shown");
    assert_eq!(says(&search(&mut client, "Zebra::check_quota")), told("Zebra"));
    assert_eq!(says(&search(&mut client, "RateLimitor")), told("RateLimitor"));
    // Defined, only used, in another case, only a file's name, a part of names, words: none of these.
    for known in
        ["check_quota", "is_empty", "CHECK_QUOTA", "limits", "quota", "RateLimiter::check_quota", "why zebra limits"]
    {
        assert_eq!(says(&search(&mut client, known)), None, "{known}");
    }
    let run = sandbox.cruxe(&sandbox.path("shop"), &["search", "quota_frobnicator"]);
    assert!(run.stderr.contains("note: `quota_frobnicator` does not exist"), "{}", run.transcript());
}

#[test]
fn a_typing_error_is_mended_and_said() {
    let sandbox = Sandbox::new();
    let mut client = shop(&sandbox);
    let answer = search(&mut client, "how is the invioce made");
    assert_eq!(names(&answer)[0], "src/billing.rs Invoice");
    assert_eq!(answer["metadata"]["warnings"], json!(["nothing has the word `invioc`; searched for `invoic` instead"]));
}

#[test]
fn odd_queries_are_just_text() {
    let sandbox = Sandbox::new();
    let mut client = shop(&sandbox);
    for query in [
        "a AND (b OR",
        "foo:bar^2",
        "\"unbalanced",
        "*",
        "fn()->",
        "\\",
        "日本語",
        "[x TO y]",
        "-",
        "~",
        "::",
        ":",
        "(",
        "how does the",
        "?",
        "🚀",
        "a\u{0}b",
        "\n\t.",
        "'",
        "the of and",
    ] {
        let answer = search(&mut client, query);
        assert!(answer["results"].is_array(), "{query}");
    }
    for times in [550, 55_000] {
        assert_eq!(first(&mut client, &"rate limiter quota ".repeat(times)), "src/limits.rs RateLimiter");
    }
    for query in ["", " \n"] {
        let error = client.error("search_code", json!({"query": query}));
        assert_eq!((&error["code"], &error["message"]), (&json!("invalid_input"), &json!("query: must not be empty")));
    }
}

#[test]
fn limits_hold_at_their_bounds() {
    let sandbox = Sandbox::new();
    let mut client = shop(&sandbox);
    for limit in [1, 3, 1000] {
        let answer = client.ok("search_code", json!({"query": "rate limiter quota client", "limit": limit}));
        let found = answer["results"].as_array().unwrap().len();
        assert!(found <= limit && found > 0);
        assert!(answer["total_candidates"].as_u64().unwrap() as usize >= found);
        let cut = answer["metadata"]["result_completeness"] == "truncated";
        assert_eq!(cut, limit < 1000, "{answer}");
        let scores: Vec<f64> =
            answer["results"].as_array().unwrap().iter().map(|r| r["score"].as_f64().unwrap()).collect();
        assert!(scores.is_sorted_by(|a, b| a >= b) && scores.iter().all(|score| (0.0..=1.0).contains(score)));
    }
    for (key, value) in [("limit", json!(0)), ("limit", json!(1001)), ("semantic_ratio", json!(1.5))] {
        let error = client.error("search_code", json!({"query": "cart", key: value}));
        assert_eq!((&error["code"], &error["data"]["parameter"]), (&json!("invalid_input"), &json!(key)));
    }
}

#[test]
fn a_budget_of_tokens_is_never_exceeded() {
    let sandbox = Sandbox::new();
    let mut client = shop(&sandbox);
    let mut last = 0;
    for most in [400, 700, 1500, 4000] {
        for tool in [("search_code", "query"), ("locate_symbol", "name")] {
            let arguments = json!({tool.1: "rate", "detail_level": "context", "max_tokens": most});
            let answer = client.ok(tool.0, arguments);
            assert!(cruxe_tokens::count(&answer.to_string()) <= most, "{most}");
        }
        let arguments = json!({"query": "rate limiter quota client", "max_tokens": most, "limit": 50});
        let found = client.ok("search_code", arguments)["results"].as_array().unwrap().len();
        assert!(found >= last);
        last = found;
    }
    assert!(last > 3);
    for bad in [0, -1, 10] {
        let error = client.error("search_code", json!({"query": "cart", "max_tokens": bad}));
        assert_eq!(error["code"], "invalid_max_tokens");
    }
}

#[test]
fn a_language_leaves_only_that_language() {
    let sandbox = Sandbox::new();
    let mut client = shop(&sandbox);
    let answer = client.ok("search_code", json!({"query": "send a message to a client", "language": "python"}));
    assert!(!names(&answer).is_empty());
    assert!(names(&answer).iter().all(|name| name.starts_with("py/")), "{:?}", names(&answer));
    let answer = client.ok("search_code", json!({"query": "invoice", "language": "zig"}));
    assert_eq!((names(&answer).len(), &answer["total_candidates"]), (0, &json!(0)));
}

#[test]
fn words_alone_and_meaning_alone_are_both_to_be_had() {
    let sandbox = Sandbox::new();
    let mut client = shop(&sandbox);
    let ask = |client: &mut Client, ratio: f64| {
        client.ok("search_code", json!({"query": "forbid too frequent access", "semantic_ratio": ratio}))
    };
    let by_meaning = ask(&mut client, 1.0);
    assert!(by_meaning["metadata"]["embedding_model"].as_str().unwrap().starts_with("code-static-256-"));
    let by_words = ask(&mut client, 0.0);
    assert_eq!(by_words["metadata"]["embedding_model"], "none");
    let unknown = search(&mut client, "ഉത്സവം");
    assert_eq!(
        unknown["metadata"]["warnings"],
        json!([
            "`ഉത്സവം` does not exist in `main`; anything found is only similar",
            "semantic search has no vector for this query; ranked by words alone"
        ])
    );
}

#[test]
fn nothing_leaks_from_another_ref() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("shop", SHOP);
    repo.git(&["checkout", "-q", "-b", "feature"]);
    repo.write("src/secret.rs", "/// Opens the vault.\npub fn open_vault() {}\n");
    repo.commit("a feature");
    repo.cruxe(&["index"]).ok();
    repo.git(&["checkout", "-q", "main"]);
    repo.cruxe(&["index"]).ok();
    let mut client = repo.server();
    let here = client.ok("search_code", json!({"query": "open the vault"}));
    assert!(names(&here).iter().all(|name| !name.contains("secret")), "{:?}", names(&here));
    let there = client.ok("search_code", json!({"query": "open the vault", "ref": "feature"}));
    assert_eq!(names(&there)[0], "src/secret.rs open_vault");
    let before = client.ok("search_code", json!({"query": "rate limiter quota", "ranking_explain_level": "full"}));
    repo.cruxe(&["index", "--ref", "feature", "--force"]).ok();
    let after = client.ok("search_code", json!({"query": "rate limiter quota", "ranking_explain_level": "full"}));
    assert_eq!(before["results"], after["results"], "another ref must not move a score");
}

#[test]
fn an_edit_is_found_at_once_and_what_is_gone_is_not() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("shop", SHOP);
    let mut client = repo.watching_server();
    client.ready();
    repo.write("src/retry.rs", "/// Gives up at the first failure.\npub fn surrender() {}\n");
    let found = eventually("the edit", Duration::from_secs(20), || {
        let answer = search(&mut client, "give up at the first failure");
        (names(&answer).first()? == "src/retry.rs surrender").then_some(answer)
    });
    assert_eq!(found["metadata"]["freshness_status"], "fresh");
    assert!(names(&search(&mut client, "with_backoff")).iter().all(|name| !name.contains("with_backoff")));
}

#[test]
fn an_explained_rank_is_the_rank() {
    let sandbox = Sandbox::new();
    let mut client = shop(&sandbox);
    for query in ["where is rate limiting implemented", "RateLimiter", "\"growing pauses\"", "src/cart.rs"] {
        let answer = search(&mut client, query);
        for (index, result) in answer["results"].as_array().unwrap().iter().enumerate() {
            let arguments =
                json!({"query": query, "result_path": result["path"], "result_line_start": result["line_start"]});
            let explained = client.ok("explain_ranking", arguments.clone());
            let scoring = explained["scoring"].as_object().unwrap();
            let sum: f64 =
                scoring.iter().filter(|(key, _)| *key != "total").map(|(_, value)| value.as_f64().unwrap()).sum();
            assert!((sum - scoring["total"].as_f64().unwrap()).abs() < 1e-6, "{explained}");
            assert_eq!(explained["result"]["score"], result["score"], "{query}");
            assert_eq!(explained["result"]["rank"], index + 1);
            for _ in 0..4 {
                assert_eq!(client.ok("explain_ranking", arguments.clone())["scoring"], explained["scoring"]);
            }
        }
    }
    let missing = json!({"query": "RateLimiter", "result_path": "src/limits.rs", "result_line_start": 999});
    let error = client.error("explain_ranking", missing);
    assert_eq!(error["code"], "result_not_found");
    assert!(!error["data"]["results_in_file"].as_array().unwrap().is_empty());
}

/// The sum of some fields.
fn sum(value: &Value, keys: &[&str]) -> f64 {
    keys.iter().map(|key| value[*key].as_f64().unwrap()).sum()
}

#[test]
fn the_parts_of_an_explained_score_add_up_to_it() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("shop", SHOP);
    repo.cruxe(&["index"]).ok();
    let mut client = repo.server();
    let boosts = ["exact_match_boost", "qualified_name_boost", "path_affinity", "definition_boost", "kind_match"];
    for query in [
        "where is rate limiting implemented",
        "rate limiter test",
        "RateLimiter",
        "RateLimiter::check_quota",
        "ratelimitr",
        "\"growing pauses\"",
        "ValueError: bad address: x",
        "src/cart.rs",
        "limits",
        "Quota is used up too early\n\n`RateLimiter.check_quota` says:\n\n    client x exceeded its quota\n",
    ] {
        for (level, text) in [("basic", "bm25_score"), ("full", "text_relevance")] {
            let answer = client.ok("search_code", json!({"query": query, "ranking_explain_level": level}));
            for reason in answer["metadata"]["ranking_reasons"].as_array().unwrap() {
                let parts = sum(reason, &boosts) + sum(reason, &[text]);
                assert!((parts - reason["final_score"].as_f64().unwrap()).abs() < 1e-3, "{query} {level}: {reason}");
            }
            let reasons = &answer["metadata"]["ranking_reasons"];
            for (at, result) in answer["results"].as_array().unwrap().iter().enumerate() {
                assert_eq!(reasons[at]["final_score"], result["score"], "{query}");
                let place =
                    json!({"query": query, "result_path": result["path"], "result_line_start": result["line_start"]});
                let explained = client.ok("explain_ranking", place);
                let (scoring, score) = (&explained["scoring"], result["score"].as_f64().unwrap());
                let scale = score / scoring["total"].as_f64().unwrap();
                let name = scoring["exact_match"].as_f64().unwrap() * scale;
                assert!((name - sum(&reasons[at], &boosts[..1])).abs() < 1e-3, "{query}: {explained}");
                let shown = explained["scoring_details"]["total_reason"].as_str().unwrap();
                assert!(shown.ends_with(&format!("score {score:.4}")), "{shown}");
            }
        }
        let shown = repo.cruxe(&["search", query, "--explain"]).ok();
        let lines: Vec<&str> = shown.lines().filter_map(|line| line.trim().strip_prefix("score ")).collect();
        assert!(!lines.is_empty(), "{shown}");
        for line in lines {
            let (score, parts) = line.split(';').next().unwrap().split_once(" = ").unwrap();
            let thousandths = |text: &str| (text.parse::<f64>().unwrap() * 1e3).round() as i64;
            let parts = parts.split(" + ").map(|part| thousandths(part.split(' ').nth(1).unwrap()));
            assert_eq!(parts.sum::<i64>(), thousandths(score), "{query}: {line}");
        }
    }
}

#[test]
fn reasons_come_in_three_levels() {
    let sandbox = Sandbox::new();
    let mut client = shop(&sandbox);
    let ask = |client: &mut Client, level: &str| {
        client.ok("search_code", json!({"query": "rate limiter", "ranking_explain_level": level}))["metadata"]["ranking_reasons"].clone()
    };
    assert_eq!(ask(&mut client, "off"), Value::Null);
    let full = ask(&mut client, "full");
    let keys = [
        "result_index",
        "exact_match_boost",
        "qualified_name_boost",
        "path_affinity",
        "definition_boost",
        "kind_match",
        "bm25_score",
        "text_relevance",
        "final_score",
    ];
    assert_eq!(full[0].as_object().unwrap().keys().collect::<Vec<_>>(), keys);
    for reason in ask(&mut client, "basic").as_array().unwrap() {
        let figures = reason.as_object().unwrap().iter().filter(|(key, _)| *key != "result_index");
        assert!(figures.clone().all(|(_, value)| (0.0..=1.0).contains(&value.as_f64().unwrap())), "{reason}");
    }
}

#[test]
fn suggestions_follow_the_rules_and_find_something() {
    let sandbox = Sandbox::new();
    let mut client = shop(&sandbox);
    let ask = |client: &mut Client, tool: &str, params: Value, results: Value| {
        let previous = json!({"tool": tool, "params": params});
        client.ok("suggest_followup_queries", json!({"previous_query": previous, "previous_results": results}))
    };
    let low = json!({"results": [], "query_intent": "natural_language", "total_candidates": 3, "top_score": 0.25});
    let answer = ask(&mut client, "search_code", json!({"query": "where is the rate limiter quota"}), low);
    assert_eq!(answer["suggestions"][0]["tool"], "locate_symbol");
    assert_eq!(answer["analysis"]["previous_confidence"], "low");
    assert_eq!(answer["analysis"]["extracted_identifiers"][0], "rate_limiter");
    let symbol = json!({"results": [], "query_intent": "symbol", "total_candidates": 0, "top_score": 0.1});
    let answer2 = ask(&mut client, "search_code", json!({"query": "limiterRate"}), symbol);
    assert_eq!(answer2["suggestions"][0]["tool"], "search_code");
    let none = json!({"results": [], "total_candidates": 0});
    let answer3 = ask(&mut client, "locate_symbol", json!({"name": "quota_checker"}), none);
    assert_eq!(
        (&answer3["suggestions"][0]["tool"], &answer3["suggestions"][0]["params"]),
        (&json!("search_code"), &json!({"query": "quota_checker"})),
        "as it was given"
    );
    let some = json!({"results": [{}], "total_candidates": 1, "top_score": 0.1});
    let found = ask(&mut client, "locate_symbol", json!({"name": "quota_checker"}), some);
    assert_ne!(found["suggestions"][0]["params"], json!({"query": "quota_checker"}), "only where nothing was found");
    let no_edges = json!({"callers": [], "callees": [], "total_edges": 0});
    let answer4 = ask(&mut client, "get_call_graph", json!({"symbol_name": "check_quota"}), no_edges);
    assert_eq!(answer4["suggestions"][0]["tool"], "locate_symbol");
    for answer in [&answer, &answer2, &answer3, &answer4] {
        for one in answer["suggestions"].as_array().unwrap() {
            let tool = one["tool"].as_str().unwrap();
            if matches!(tool, "search_code" | "locate_symbol") {
                let found = client.ok(tool, one["params"].clone());
                assert!(!found["results"].as_array().unwrap().is_empty(), "{one}");
            }
        }
    }
    let good = json!({"results": [], "query_intent": "natural_language", "total_candidates": 3, "top_score": 0.8});
    let answer = ask(&mut client, "search_code", json!({"query": "cart"}), good);
    assert_eq!(
        (&answer["suggestions"], &answer["reason"]),
        (&json!([]), &json!("results are above confidence threshold"))
    );
    let bad =
        client.error("suggest_followup_queries", json!({"previous_query": {"tool": "x"}, "previous_results": {}}));
    assert_eq!(bad["code"], "invalid_input");
}

#[test]
fn debug_mode_shows_what_was_joined() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("shop", SHOP);
    assert!(ready_answer(&repo)["debug"].is_null());
    repo.write(".cruxe/config.toml", "[debug]\nenabled = true\n");
    let status = &ready_answer(&repo)["debug"]["join_status"];
    assert!(status["hits"].as_u64().unwrap() > 0 && status["misses"].is_u64(), "{status}");
}

#[test]
fn without_semantic_search_nothing_is_embedded_and_back_again() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("shop", SHOP);
    repo.write(".cruxe/config.toml", "[semantic]\nenabled = false\n");
    let answer = ready_answer(&repo);
    assert_eq!(answer["metadata"]["embedding_model"], "none");
    assert!(!repo.generation().join("vectors.0").exists());
    repo.remove(".cruxe/config.toml");
    let mut client = repo.server();
    client.ready();
    eventually("the embeddings", Duration::from_secs(20), || {
        let model = search(&mut client, "rate limiter")["metadata"]["embedding_model"].clone();
        model.as_str().is_some_and(|model| model.starts_with("code-static-256-")).then_some(())
    });
}

#[test]
fn the_command_prints_places_and_reasons() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("shop", SHOP);
    let found = repo.cruxe(&["search", "retry with growing pauses", "--explain", "--limit", "1"]).ok();
    assert!(found.starts_with("src/retry.rs:2-4  fn with_backoff\n2 pub fn with_backoff"), "{found}");
    assert!(found.contains("    score 0."), "{found}");
    let json = repo.cruxe(&["search", "RateLimiter", "--json"]).json();
    assert_eq!((&json["results"][0]["path"], &json["query_intent"]), (&json!("src/limits.rs"), &json!("symbol")));
    let nothing = repo.cruxe(&["search", "ഉത്സവം", "--lang", "rust"]);
    assert_eq!(nothing.code, Some(1));
    assert!(nothing.stderr.contains("nothing found"), "{}", nothing.stderr);
}
