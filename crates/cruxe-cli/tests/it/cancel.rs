//! Work that nobody waits for any more stops.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use cruxe_index::{IndexError, JobRequest, Layers, Project, Workspace};
use cruxe_model::config::{Config, FreshnessPolicy};
use cruxe_model::{IndexingStatus, ResultCompleteness, Work};
use cruxe_query::target::Wanted;
use cruxe_query::{call_graph, compare, complete, diff, locate, references, search};
use cruxe_store::Home;
use serde_json::json;

use crate::support::{Repo, Sandbox, sources};
use cruxe_server::contract::{Metadata, ToolError};

fn workspace(sandbox: &Sandbox, repo: &Repo) -> Arc<Workspace> {
    let home = Home::new(sandbox.cruxe_home().to_owned());
    Workspace::open(Project::locate(&repo.root, &home, Config::default()).unwrap())
}

/// Work that is given up after some files, and how many were counted.
fn given_up_after(files: u64) -> (Work, Arc<AtomicU64>) {
    let (work, seen) = (Work::default(), Arc::new(AtomicU64::new(0)));
    let (giving_up, counter) = (work.clone(), Arc::clone(&seen));
    let count = move |_, _| {
        if counter.fetch_add(1, Ordering::Relaxed) + 1 >= files {
            giving_up.cancel();
        }
    };
    (work.heard_by(count), seen)
}

#[test]
fn a_cancelled_job_stops_at_the_next_file_and_is_no_failure_of_the_ref() {
    let sandbox = Sandbox::new();
    let files = sources::shapes(60);
    let repo = sandbox.repo("shapes", &sources::borrowed(&files));
    let workspace = workspace(&sandbox, &repo);
    let (work, seen) = given_up_after(5);
    let outcome = workspace.run_job(&JobRequest::default(), work);
    assert!(matches!(outcome, Err(IndexError::Cancelled)), "{outcome:?}");
    assert_eq!(seen.load(Ordering::Relaxed), 5);
    let jobs = workspace.recent_jobs(1).unwrap();
    assert_eq!((jobs[0].status.as_str(), jobs[0].error.as_deref()), ("failed", Some("cancelled")));
    let view = workspace.view(None, FreshnessPolicy::BestEffort).unwrap();
    assert!(view.published.is_none());
    assert_ne!(view.standing.indexing, IndexingStatus::Failed);
    drop(view);
    // The question has started the index again.
    let mut client = repo.server();
    assert_eq!(client.ready()["file_count"], 60);
}

#[test]
fn every_long_question_stops_when_it_is_cancelled() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("service", sources::SERVICE);
    repo.git(&["switch", "-q", "-c", "feat"]);
    repo.write("src/more.rs", "pub fn more() { crate::auth::jwt::check(); }\n");
    repo.commit("more");
    repo.cruxe(&["index", "--ref", "main"]).ok();
    repo.cruxe(&["index"]).ok();
    let workspace = workspace(&sandbox, &repo);
    let ask = |work: &Work| -> Vec<(&'static str, Result<(), ToolError>)> {
        let view = workspace.view(None, FreshnessPolicy::BestEffort).unwrap().with_work(work);
        let wanted = || Wanted { name: "JwtValidator.validate_token".to_owned(), path: None, line: None };
        let by_name = locate::Question::new("Claims", 5);
        let graph = call_graph::Question {
            wanted: wanted(),
            direction: call_graph::Direction::Both,
            depth: 2,
            limit: 5,
            filter: Default::default(),
        };
        let uses = references::Question { wanted: wanted(), limit: 5, ..Default::default() };
        let since = diff::Question { work: work.clone(), ..diff::Question::default() };
        let one = compare::Question {
            name: "more".to_owned(),
            path: None,
            base: "main".to_owned(),
            head: "feat".to_owned(),
            work: work.clone(),
        };
        let words = search::Question::new("token validation", 5);
        vec![
            ("locate", locate::locate(&view, &by_name).map(drop).map_err(ToolError::from)),
            ("search", search::search(&view, &words).map(drop).map_err(ToolError::from)),
            ("call graph", call_graph::find(&view, &graph).map(drop).map_err(ToolError::from)),
            ("references", references::find(&view, &Layers::None, &uses).map(drop).map_err(ToolError::from)),
            ("completion", complete::symbols(&view, "Cl", 5).map(drop).map_err(ToolError::from)),
            ("diff", diff::diff(&workspace, &since).map(drop).map_err(ToolError::from)),
            ("compare", compare::compare(&workspace, &one).map(drop).map_err(ToolError::from)),
        ]
    };
    let work = Work::default();
    for (question, outcome) in ask(&work) {
        assert_eq!(outcome, Ok(()), "{question}");
    }
    work.cancel();
    for (question, outcome) in ask(&work) {
        assert_eq!(outcome.map_err(|error| error.message), Err("cancelled".to_owned()), "{question}");
    }
}

#[test]
fn a_cancelled_request_is_not_answered_and_the_next_one_is() {
    let sandbox = Sandbox::new();
    let files = sources::shapes(120);
    let repo = sandbox.repo("shapes", &sources::borrowed(&files));
    let mut client = repo.server();
    client.ready();
    let call = json!({"name": "index_repo", "arguments": {"force": true}, "_meta": {"progressToken": "p"}});
    client.send(&json!({"jsonrpc": "2.0", "id": "long", "method": "tools/call", "params": call}));
    while client.receive()["method"] != "notifications/progress" {}
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "long"}}));
    // Whether the job was done before the word came is chance; that the server works afterwards is not.
    assert_eq!(client.ready()["file_count"], 120);
    assert_eq!(client.ok("index_repo", json!({}))["status"], "running");
}

#[test]
fn a_question_whose_time_is_over_answers_with_what_it_has_and_says_so() {
    let sandbox = Sandbox::new();
    let uses = "pub fn go() {\n    crate::shared();\n}\n";
    let repo = sandbox.repo("uses", &[("src/lib.rs", "mod a;\npub fn shared() {}\n"), ("src/a.rs", uses)]);
    repo.cruxe(&["index"]).ok();
    let workspace = workspace(&sandbox, &repo);
    let ask = |work: Work| {
        let view = workspace.view(None, FreshnessPolicy::BestEffort).unwrap().with_work(&work);
        let wanted = || Wanted { name: "shared".to_owned(), path: None, line: None };
        let uses = references::Question { wanted: wanted(), limit: 5, ..Default::default() };
        let uses = references::find(&view, &Layers::None, &uses).unwrap();
        let graph = call_graph::Question {
            wanted: wanted(),
            direction: call_graph::Direction::Callers,
            depth: 1,
            limit: 5,
            filter: Default::default(),
        };
        let graph = call_graph::find(&view, &graph).unwrap();
        let found = |query: &str| {
            let answer = search::search(&view, &search::Question::new(query, 5)).unwrap();
            {
                let metadata = Metadata::of_search(&answer);
                (metadata.result_completeness == ResultCompleteness::Partial, metadata.warnings)
            }
        };
        (uses.late, graph.cut, found("where is shared used"), found("\"pub fn shared\""))
    };
    let late = ask(Work::default().until(Instant::now()));
    let warning = "the time for an answer was over before everything was looked at";
    assert!(late.0 && late.1 && late.2.0 && late.3.0, "{late:?}");
    assert!(late.2.1.iter().chain(&late.3.1).filter(|said| *said == warning).count() == 2, "{late:?}");
    let in_time = ask(Work::default().until(Instant::now() + Duration::from_secs(600)));
    assert!(!in_time.0 && !in_time.1 && !in_time.2.0 && !in_time.3.0, "{in_time:?}");
}

#[test]
fn a_question_that_is_cancelled_on_the_way_looks_into_no_further_file() {
    let sandbox = Sandbox::new();
    let text = |calls: &str| format!("pub fn go() {{\n{calls}}}\n");
    let mut files = vec![("src/lib.rs".to_owned(), "pub fn shared() {}\n".to_owned())];
    files.extend((0..50).map(|at| (format!("src/use_{at}.rs"), text("    crate::shared();\n"))));
    let repo = sandbox.repo("uses", &sources::borrowed(&files));
    repo.git(&["switch", "-q", "-c", "feat"]);
    for at in 0..50 {
        repo.write(&format!("src/use_{at}.rs"), text("    crate::shared();\n    crate::shared();\n"));
    }
    repo.commit("twice");
    repo.cruxe(&["index", "--ref", "main"]).ok();
    repo.cruxe(&["index"]).ok();
    let workspace = workspace(&sandbox, &repo);
    for stop_at in [1, 20] {
        // A flag that is set as soon as so many steps are told.
        let flag = || {
            let (work, heard) = (Work::default(), Arc::new(AtomicU64::new(0)));
            let (stop, count) = (work.clone(), Arc::clone(&heard));
            let listener = move |_, _| {
                if count.fetch_add(1, Ordering::Relaxed) + 1 >= stop_at {
                    stop.cancel();
                }
            };
            (work.heard_by(listener), heard)
        };
        let wanted = || Wanted { name: "shared".to_owned(), path: None, line: None };
        let (work, heard) = flag();
        let view = workspace.view(None, FreshnessPolicy::BestEffort).unwrap().with_work(&work);
        let uses = references::Question { wanted: wanted(), limit: 5, ..Default::default() };
        let outcome = references::find(&view, &Layers::None, &uses).map(drop).map_err(ToolError::from);
        assert_eq!(outcome.map_err(|error| error.message), Err("cancelled".to_owned()));
        assert_eq!(heard.load(Ordering::Relaxed), stop_at, "references");
        let (work, heard) = flag();
        let view = workspace.view(None, FreshnessPolicy::BestEffort).unwrap().with_work(&work);
        let graph = call_graph::Question {
            wanted: wanted(),
            direction: call_graph::Direction::Callers,
            depth: 1,
            limit: 5,
            filter: Default::default(),
        };
        let outcome = call_graph::find(&view, &graph).map(drop).map_err(ToolError::from);
        assert_eq!(outcome.map_err(|error| error.message), Err("cancelled".to_owned()));
        assert_eq!(heard.load(Ordering::Relaxed), stop_at, "call graph");
        let (work, heard) = flag();
        let since = diff::Question { work, ..diff::Question::default() };
        let outcome = diff::diff(&workspace, &since).map(drop).map_err(ToolError::from);
        assert_eq!(outcome.map_err(|error| error.message), Err("cancelled".to_owned()));
        assert_eq!(heard.load(Ordering::Relaxed), stop_at, "diff");
    }
}
