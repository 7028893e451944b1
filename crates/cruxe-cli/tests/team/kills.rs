//! Workers and nodes that are killed at random while pushes and questions go on.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::support::{Team, until};

/// How long things are killed; the nightly run takes five minutes.
fn seconds() -> u64 {
    std::env::var("CRUXE_TEST_KILL_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(20)
}

fn source(number: u64) -> String {
    format!("{}def marker(): pass\n", "\n".repeat(number as usize))
}

#[test]
fn two_workers_on_one_repository_publish_one_after_the_other() {
    let Some(team) = Team::new() else { return };
    let repo = team.repo("org/app", &[("a.py", &source(0))]);
    let _workers = [team.start_worker("w1"), team.start_worker("w2"), team.start_worker("w3")];
    let token = team.token("alice", &[&["*"]]);
    let node = team.start_node("n1", &[]);
    for number in 1..=10 {
        repo.push(&[("a.py", &source(number))]);
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
    let repo = team.repo("org/app", &[("a.py", &source(0))]);
    team.work("w1");
    // A worker whose lease another took meanwhile, as after a long sleep: by the database's clock, whatever its own says.
    team.sql(
        "CREATE FUNCTION late() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            UPDATE job SET lease = nextval('lease'), leased_until = now() + interval '1 hour', worker = 'other'; RETURN NEW; END $$;
         CREATE TRIGGER late AFTER INSERT ON blob EXECUTE FUNCTION late()",
    );
    let before = team.sql("SELECT state FROM published");
    repo.push(&[("a.py", &source(1))]);
    team.run(&["repo", "sync", "org/app"]);
    team.work("w1");
    assert_eq!(team.sql("SELECT state FROM published"), before, "nothing was published");
    assert_eq!(team.sql("SELECT worker FROM job"), "other", "and the other's lease was left alone");
    team.sql("DROP TRIGGER late ON blob; UPDATE job SET leased_until = now()");
    team.work("w1");
    assert_ne!(team.sql("SELECT state FROM published"), before, "then it works");
}

#[test]
fn whatever_is_killed_no_answer_is_wrong_and_none_is_lost() {
    let Some(team) = Team::new() else { return };
    let repos: Vec<_> = (0..3).map(|number| team.repo(&format!("org/r{number}"), &[("a.py", &source(0))])).collect();
    team.work("w0");
    let token = team.token("alice", &[&["*"]]);
    let pushed: Vec<AtomicU64> = repos.iter().map(|_| AtomicU64::new(0)).collect();
    let (stop, asked, failed) = (AtomicBool::new(false), AtomicU64::new(0), AtomicU64::new(0));
    let (killed, wrong) = (AtomicU64::new(0), parking_lot::Mutex::new(Vec::<String>::new()));
    std::thread::scope(|scope| {
        for node in 0..2 {
            let (team, token, pushed, stop, asked, failed, killed, wrong) =
                (&team, &token, &pushed, &stop, &asked, &failed, &killed, &wrong);
            scope.spawn(move || {
                let mut running = team.start_node(&format!("n{node}"), &[]);
                let mut last_kill = Instant::now();
                let mut seen = vec![0u64; pushed.len()];
                let mut random = Random(node as u64 + 1);
                while !stop.load(Ordering::Relaxed) {
                    let number = random.below(pushed.len() as u64) as usize;
                    let answer = running.locate(token, &format!("org/r{number}"), "marker");
                    let newest = pushed[number].load(Ordering::SeqCst);
                    asked.fetch_add(1, Ordering::Relaxed);
                    match answer {
                        Err(_) => drop(failed.fetch_add(1, Ordering::Relaxed)),
                        Ok(found) => {
                            let line = match found.as_slice() {
                                [one] => one.strip_prefix("a.py:").and_then(|line| line.parse::<u64>().ok()),
                                _ => None,
                            };
                            match line.map(|line| line - 1) {
                                // Never what was not pushed, and never older than what this node said before.
                                Some(push) if push <= newest && push >= seen[number] => seen[number] = push,
                                other => {
                                    wrong.lock().push(format!("r{number}: {other:?} {found:?} after {}", seen[number]))
                                }
                            }
                        }
                    }
                    if last_kill.elapsed() > Duration::from_millis(2000 + random.below(3000)) {
                        running.running.kill();
                        killed.fetch_add(1, Ordering::Relaxed);
                        running = team.start_node(&format!("n{node}"), &[]);
                        last_kill = Instant::now();
                    }
                }
            });
        }
        for worker in 0..2 {
            let (team, stop, killed) = (&team, &stop, &killed);
            scope.spawn(move || {
                let mut random = Random(100 + worker as u64);
                while !stop.load(Ordering::Relaxed) {
                    let mut running = team.start_worker(&format!("w{worker}"));
                    std::thread::sleep(Duration::from_millis(500 + random.below(3000)));
                    running.kill();
                    killed.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        let deadline = Instant::now() + Duration::from_secs(seconds());
        let mut number = 0;
        while Instant::now() < deadline {
            number += 1;
            let at = number as usize % repos.len();
            // Before the push: an answer may have it as soon as the remote does.
            pushed[at].store(number, Ordering::SeqCst);
            repos[at].push(&[("a.py", &source(number))]);
            team.run(&["repo", "sync", &format!("org/r{at}")]);
            std::thread::sleep(Duration::from_millis(300));
        }
        stop.store(true, Ordering::Relaxed);
    });
    assert_eq!(*wrong.lock(), [] as [String; 0]);
    let _worker = team.start_worker("w9");
    let nodes = [team.start_node("n0", &[]), team.start_node("n8", &[])];
    for (at, newest) in pushed.iter().enumerate() {
        let newest = newest.load(Ordering::SeqCst);
        for node in &nodes {
            // A lease of a killed worker ends after half a minute.
            until("the last push is answered", Duration::from_secs(90), || {
                node.locate(&token, &format!("org/r{at}"), "marker")
                    .is_ok_and(|found| found == [format!("a.py:{}", newest + 1)])
            });
        }
    }
    let (asked, failed) = (asked.into_inner(), failed.into_inner());
    eprintln!("{asked} questions, {failed} without an answer, {} kills", killed.into_inner());
}

/// Numbers that look random, the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}
