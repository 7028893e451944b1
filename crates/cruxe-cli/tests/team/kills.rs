//! Workers and nodes that are killed at random while pushes and questions go on.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use parking_lot::{Mutex, RwLock};
use serde_json::json;

use crate::support::{Client, Node, Random, Repo, Team, files, until};

const MARKER: &str = "cruxe_marker.py";
/// How long a client goes from node to node.
const PATIENCE: Duration = Duration::from_secs(30);

/// A definition on the line that tells which push it is of.
fn source(marker: &str, number: u64) -> String {
    format!("{}def {marker}(): pass\n", "\n".repeat(number as usize))
}

#[test]
fn two_workers_on_one_repository_publish_one_after_the_other() {
    let Some(team) = Team::new() else { return };
    let repo = team.repo("org/app", &[("a.py", &source("marker", 0))]);
    let _workers = [team.start_worker("w1"), team.start_worker("w2"), team.start_worker("w3")];
    let token = team.token("alice", &[&["*"]]);
    let node = team.start_node("n1", &[]);
    for number in 1..=10 {
        repo.push(&[("a.py", &source("marker", number))]);
        team.run(&["repo", "sync", "org/app"]);
    }
    until("the last push is answered", Duration::from_secs(60), || {
        node.locate(&token, "org/app", "marker").is_ok_and(|found| found == ["a.py:11"])
    });
    assert_eq!(team.sql("SELECT count(*) FROM state WHERE superseded_at IS NULL"), "1");
    let head = repo.git(&["rev-parse", "HEAD"]);
    assert_eq!(team.run(&["status"])["repos"][0]["refs"][0]["commit"], head.as_str());
}

#[test]
fn a_lease_that_ended_cannot_publish() {
    let Some(team) = Team::new() else { return };
    let repo = team.repo("org/app", &[("a.py", &source("marker", 0))]);
    team.work("w1");
    // A worker whose lease another took meanwhile, as after a long sleep: by the database's clock, whatever its own says.
    team.sql(
        "CREATE FUNCTION late() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            UPDATE job SET lease = nextval('lease'), leased_until = now() + interval '1 hour', worker = 'other'; RETURN NEW; END $$;
         CREATE TRIGGER late AFTER INSERT ON blob EXECUTE FUNCTION late()",
    );
    let before = team.sql("SELECT state FROM published");
    repo.push(&[("a.py", &source("marker", 1))]);
    team.run(&["repo", "sync", "org/app"]);
    team.work("w1");
    assert_eq!(team.sql("SELECT state FROM published"), before, "nothing was published");
    assert_eq!(team.sql("SELECT worker FROM job"), "other", "and the other's lease was left alone");
    team.sql("DROP TRIGGER late ON blob; UPDATE job SET leased_until = now()");
    team.work("w1");
    assert_ne!(team.sql("SELECT state FROM published"), before, "then it works");
}

#[test]
fn files_that_are_not_what_was_noted_of_them_are_fetched_again() {
    let Some(team) = Team::new() else { return };
    let repo = team.repo("org/app", &[("a.py", &source("marker", 0))]);
    team.work("w1");
    let token = team.token("alice", &[&["*"]]);
    let mut node = team.start_node("n1", &[]);
    node.locate(&token, "org/app", "marker").unwrap();
    node.running.kill();
    // As a kill between the two leaves it: a new file, and the note of the state before.
    for program in ["w1", "n1"] {
        let refs =
            files(&team.path(program)).into_iter().find(|path| path.ends_with("org/app.git/packed-refs")).unwrap();
        let text = fs::read_to_string(&refs).unwrap();
        fs::write(&refs, format!("{text}{} refs/heads/other\n", repo.git(&["rev-parse", "HEAD"]))).unwrap();
    }
    repo.push(&[("a.py", &source("marker", 1))]);
    team.run(&["repo", "sync", "org/app"]);
    team.work("w2");
    repo.push(&[("a.py", &source("marker", 2))]);
    team.run(&["repo", "sync", "org/app"]);
    team.work("w1");
    assert_eq!(team.run(&["status"])["repos"][0]["problem"], serde_json::Value::Null);
    let node = team.start_node("n1", &[]);
    until("the last push is answered", Duration::from_secs(30), || {
        node.locate(&token, "org/app", "marker").is_ok_and(|found| found == ["a.py:3"])
    });
}

#[test]
fn whatever_is_killed_no_answer_is_wrong_and_none_is_lost() {
    let Some(team) = Team::new() else { return };
    let subjects: Vec<Subject> = (0..3).map(|number| Subject::new(&team, number, None)).collect();
    team.work("w0");
    Trial { team: &team, subjects: &subjects, nodes: 2, workers: 2, seconds: 20 }.run();
}

/// The same with packages of a registry, for as long as is said: `scripts/check-team long`.
#[test]
fn over_many_real_repositories_whatever_is_killed_no_answer_is_wrong_and_none_is_lost() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let Some(seconds) = number("CRUXE_TEST_KILL_SECONDS") else {
        eprintln!("skipped: no CRUXE_TEST_KILL_SECONDS; scripts/check-team long sets it");
        return;
    };
    let Some(team) = Team::new() else { return };
    let packages = packages(number("CRUXE_TEST_REPOS").unwrap_or(200) as usize);
    let mut subjects: Vec<Subject> =
        packages.iter().enumerate().map(|(number, package)| Subject::new(&team, number, Some(package))).collect();
    let began = Instant::now();
    {
        let _workers = [team.start_worker("w0"), team.start_worker("w1")];
        until("all are indexed", Duration::from_secs(3600), || {
            std::thread::sleep(Duration::from_secs(1));
            team.sql("SELECT count(*) FROM published") == subjects.len().to_string()
        });
    }
    eprintln!("{} repositories indexed after {:?}", subjects.len(), began.elapsed());
    let token = team.token("judge", &[&["*"]]);
    let judge = team.start_node("judge", &[]);
    subjects.iter_mut().for_each(|subject| subject.learn(&judge, &token));
    let known = subjects.iter().filter(|subject| subject.real.is_some()).count();
    eprintln!("{known} of them with a definition of their own to ask about");
    drop(judge);
    Trial { team: &team, subjects: &subjects, nodes: 3, workers: 2, seconds }.run();
}

/// Packages of a registry, from small to middling: the same ones in every run on a machine.
fn packages(count: usize) -> Vec<PathBuf> {
    let sources = std::env::var_os("CRUXE_TEST_SOURCES").map(PathBuf::from).expect("CRUXE_TEST_SOURCES is not set");
    let mut all: Vec<PathBuf> = fs::read_dir(sources).unwrap().flatten().map(|entry| entry.path()).collect();
    all.sort();
    let size = |folder: &PathBuf| files(folder).iter().map(|file| file.metadata().map_or(0, |file| file.len())).sum();
    all.retain(|folder| (20_000..600_000u64).contains(&size(folder)));
    assert!(all.len() >= count, "{} packages of the right size, not {count}", all.len());
    all.truncate(count);
    all
}

/// A repository that is pushed to and asked about.
struct Subject {
    name: String,
    /// What its marker is called, which no other repository has.
    marker: String,
    repo: Repo,
    pushed: AtomicU64,
    /// Something of its own, with all places where it is defined.
    real: Option<(String, Vec<String>)>,
}

impl Subject {
    fn new(team: &Team, number: usize, package: Option<&Path>) -> Subject {
        let (name, marker) = (format!("org/r{number}"), format!("marker_{number}"));
        let folder = team.path("origin").join(&name);
        if let Some(package) = package {
            for file in files(package) {
                let target = folder.join(file.strip_prefix(package).unwrap());
                fs::create_dir_all(target.parent().unwrap()).unwrap();
                fs::copy(&file, target).unwrap();
            }
        }
        let repo = team.repo(&name, &[(MARKER, &source(&marker, 0))]);
        Subject { name, marker, repo, pushed: AtomicU64::new(0), real: None }
    }

    /// Chooses a function or a type of the package and notes what is right of it.
    fn learn(&mut self, judge: &Node, token: &str) {
        let mut names = Vec::new();
        for file in files(&self.repo.folder).iter().filter(|file| file.extension().is_some_and(|end| end == "rs")) {
            let text = fs::read_to_string(file).unwrap_or_default();
            let words =
                text.lines().filter_map(|line| line.strip_prefix("pub fn ").or(line.strip_prefix("pub struct ")));
            let name = |rest: &str| rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().map(str::to_owned);
            names.extend(words.filter_map(name).filter(|name| name.len() > 5));
        }
        names.sort();
        let Some(name) = names.into_iter().next() else { return };
        let places = judge.locate(token, &self.name, &name).unwrap();
        self.real = Some((name, places)).filter(|(_, places)| !places.is_empty());
    }
}

struct Trial<'t> {
    team: &'t Team,
    subjects: &'t [Subject],
    nodes: usize,
    workers: usize,
    seconds: u64,
}

#[derive(Default)]
struct Counted {
    asked: AtomicU64,
    failed: AtomicU64,
    killed: AtomicU64,
    wrong: Mutex<Vec<String>>,
}

impl Trial<'_> {
    fn run(&self) {
        let token = self.team.token("alice", &[&["*"]]);
        let (stop, counted) = (AtomicBool::new(false), Counted::default());
        let mut pushes = 0;
        let mut running: Vec<Node> =
            (0..self.nodes).rev().map(|node| self.team.start_node(&format!("n{node}"), &[])).collect();
        let clients: Vec<RwLock<Client>> = running.iter().rev().map(|node| RwLock::new(node.client.clone())).collect();
        let clients = &clients;
        std::thread::scope(|scope| {
            for node in 0..self.nodes {
                let (token, stop, counted) = (&token, &stop, &counted);
                let running = running.pop().unwrap();
                scope.spawn(move || self.ask(node, clients, token, stop, counted));
                scope.spawn(move || self.kill(node, running, &clients[node], stop, counted));
            }
            for worker in 0..self.workers {
                let (stop, counted) = (&stop, &counted);
                scope.spawn(move || {
                    let mut random = Random(100 + worker as u64);
                    while !stop.load(Ordering::Relaxed) {
                        let mut running = self.team.start_worker(&format!("w{worker}"));
                        std::thread::sleep(Duration::from_millis(500 + random.below(3000)));
                        running.kill();
                        counted.killed.fetch_add(1, Ordering::Relaxed);
                    }
                });
            }
            let deadline = Instant::now() + Duration::from_secs(self.seconds);
            let mut random = Random(1000);
            while Instant::now() < deadline {
                pushes += 1;
                let subject = &self.subjects[random.below(self.subjects.len() as u64) as usize];
                // Before the push: an answer may have it as soon as the remote does.
                let number = subject.pushed.fetch_add(1, Ordering::SeqCst) + 1;
                subject.repo.push(&[(MARKER, &source(&subject.marker, number))]);
                self.team.run(&["repo", "sync", &subject.name]);
                std::thread::sleep(Duration::from_millis(300));
            }
            stop.store(true, Ordering::Relaxed);
        });
        let (asked, failed) = (counted.asked.into_inner(), counted.failed.into_inner());
        let (killed, wrong) = (counted.killed.into_inner(), counted.wrong.into_inner());
        eprintln!(
            "{asked} questions, {failed} times another node was asked, {killed} kills, {pushes} pushes, {} wrong or lost",
            wrong.len()
        );
        assert_eq!(wrong, [] as [String; 0]);
        self.end_with_all_pushes(&token);
    }

    /// Kills a node now and then, whatever it is doing.
    fn kill(&self, node: usize, mut running: Node, client: &RwLock<Client>, stop: &AtomicBool, counted: &Counted) {
        let mut random = Random(500 + node as u64);
        while !stop.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(2000 + random.below(3000)));
            running.running.kill();
            counted.killed.fetch_add(1, Ordering::Relaxed);
            running = self.team.start_node(&format!("n{node}"), &[]);
            *client.write() = running.client.clone();
        }
    }

    /// Asks one node, and where that gives no answer the others, as a client would. What nobody answers within a while is lost.
    fn ask(&self, node: usize, nodes: &[RwLock<Client>], token: &str, stop: &AtomicBool, counted: &Counted) {
        // What each node said of each repository.
        let mut seen = vec![vec![0u64; self.subjects.len()]; nodes.len()];
        let mut random = Random(node as u64 + 1);
        while !stop.load(Ordering::Relaxed) {
            let (at, kind) = (random.below(self.subjects.len() as u64) as usize, random.below(4));
            counted.asked.fetch_add(1, Ordering::Relaxed);
            let deadline = Instant::now() + PATIENCE;
            let wrong = |what: String| counted.wrong.lock().push(format!("{}: {what}", self.subjects[at].name));
            for turn in node.. {
                let asked = turn % nodes.len();
                let (client, seen) = (nodes[asked].read().clone(), &mut seen[asked][at]);
                let outcome = match kind {
                    0 if self.subjects[at].real.is_some() => self.ask_what_stays(&client, token, at),
                    1 => self.ask_all(&client, token, at, seen),
                    _ => self.ask_one(&client, token, at, seen),
                };
                match outcome {
                    Ok(true) => break,
                    Err(what) => {
                        wrong(format!("n{asked}: {what}"));
                        break;
                    }
                    Ok(false) if Instant::now() > deadline => {
                        wrong("no node answers".to_owned());
                        break;
                    }
                    Ok(false) => {
                        counted.failed.fetch_add(1, Ordering::Relaxed);
                        std::thread::sleep(Duration::from_millis(20)); // nobody is there just now
                    }
                }
            }
        }
    }

    /// Whether an answer came; an error where it was wrong.
    fn ask_one(&self, node: &Client, token: &str, at: usize, seen: &mut u64) -> Result<bool, String> {
        let subject = &self.subjects[at];
        let Ok(found) = node.locate(token, &subject.name, &subject.marker) else { return Ok(false) };
        self.judge(at, &found, seen)
    }

    /// The same by a question about all repositories. One that could not be asked is told of.
    fn ask_all(&self, node: &Client, token: &str, at: usize, seen: &mut u64) -> Result<bool, String> {
        let subject = &self.subjects[at];
        let asked = json!({"name": subject.marker, "workspace": "*"});
        let Ok(answer) = node.ask(token, "locate_symbol", asked) else { return Ok(false) };
        let results = answer["results"].as_array().cloned().unwrap_or_default();
        if results.is_empty() && answer.to_string().contains(&format!("{}`", subject.name)) {
            return Ok(false);
        }
        if results.iter().any(|one| one["repository"] != subject.name.as_str()) {
            return Err(format!("of another repository: {answer}"));
        }
        let places: Vec<String> =
            results.iter().map(|one| format!("{}:{}", one["path"].as_str().unwrap(), one["line_start"])).collect();
        self.judge(at, &places, seen).map_err(|wrong| format!("{wrong} {answer}"))
    }

    fn ask_what_stays(&self, node: &Client, token: &str, at: usize) -> Result<bool, String> {
        let subject = &self.subjects[at];
        let Some((name, places)) = &subject.real else { return Ok(true) };
        match node.locate(token, &subject.name, name) {
            Err(_) => Ok(false),
            Ok(found) if found == *places => Ok(true),
            Ok(found) => Err(format!("{name}: {found:?}, not {places:?}")),
        }
    }

    /// Never what was not pushed, and never older than what this node said before.
    fn judge(&self, at: usize, found: &[String], seen: &mut u64) -> Result<bool, String> {
        let newest = self.subjects[at].pushed.load(Ordering::SeqCst);
        let line = match found {
            [one] => one.strip_prefix(MARKER).and_then(|rest| rest.strip_prefix(':')?.parse::<u64>().ok()),
            _ => None,
        };
        match line.map(|line| line - 1) {
            Some(push) if push <= newest && push >= *seen => {
                *seen = push;
                Ok(true)
            }
            other => Err(format!("{other:?} {found:?} after {seen}, of {newest}")),
        }
    }

    /// Every node answers every last push in the end.
    fn end_with_all_pushes(&self, token: &str) {
        let _workers: Vec<_> = (0..self.workers).map(|worker| self.team.start_worker(&format!("w{worker}"))).collect();
        let nodes: Vec<_> = (0..self.nodes).map(|node| self.team.start_node(&format!("n{node}"), &[])).collect();
        let waiting = || self.team.sql("SELECT repo, worker, failures, problem FROM job WHERE asked > done");
        let deadline = Instant::now() + Duration::from_secs(900);
        while !waiting().is_empty() {
            assert!(Instant::now() < deadline, "pushes are lost: {}", waiting());
            std::thread::sleep(Duration::from_millis(200));
        }
        for subject in self.subjects {
            let last = format!("{MARKER}:{}", subject.pushed.load(Ordering::SeqCst) + 1);
            for node in &nodes {
                // A lease of a killed worker ends after half a minute.
                until("the last push is answered", Duration::from_secs(180), || {
                    node.locate(token, &subject.name, &subject.marker).is_ok_and(|found| found == [last.as_str()])
                });
            }
        }
    }
}
