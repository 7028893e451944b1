//! A team's repositories in a browser.

use std::time::Duration;

use crate::support::{Node, Team, until};

const SOON: Duration = Duration::from_secs(10);

/// What the browser of somebody who typed a token in shows from then on.
fn log_in(node: &Node, token: &str) -> Option<String> {
    let agent: ureq::Agent = ureq::Agent::config_builder().http_status_as_error(false).max_redirects(0).build().into();
    let sent = agent.post(format!("{}/login", node.address)).send(format!("token={token}&next=/")).unwrap();
    let cookie = sent.headers().get("set-cookie")?.to_str().unwrap().to_owned();
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
    cookie.split(';').next().map(str::to_owned)
}

#[test]
fn a_browser_sees_what_its_token_may_see_for_as_long_as_the_token_holds() {
    let Some(team) = Team::new() else { return };
    // Its folder on a node has a file of this name that is git's own.
    let files = [("a.py", "def shown(): pass\n"), ("packed-refs", "what was committed\n")];
    let repo = team.repo("org/app", &files);
    repo.git(&["checkout", "--quiet", "-b", "undisclosed"]);
    repo.push(&[("b.py", "def launch_code(): pass\n")]);
    repo.git(&["checkout", "--quiet", "main"]);
    team.repo("org/closed", &[("c.py", "def vault(): pass\n")]);
    team.work("w1");
    let token = team.token("alice", &[&["org/app", "--ref", "main"]]);
    let node = team.start_node("n1", &[]);
    let page = |path: &str, cookie: &str| node.page(path, &[("cookie", cookie)]);
    assert_eq!(page("/", "").0, 401);
    assert!(page("/", "").1.contains("This server asks for its token."));
    assert_eq!(log_in(&node, "cruxe_0000"), None);
    let cookie = log_in(&node, &token).unwrap();
    let (status, home) = page("/", &cookie);
    assert_eq!(status, 200);
    assert!(home.contains("href=\"/repo/org/app/-/\"") && !home.contains("closed"), "{home}");
    let (status, file) = page("/repo/org/app/-/file/a.py", &cookie);
    assert!(status == 200 && file.contains("shown") && !file.contains("undisclosed"), "{status} {file}");
    assert!(file.contains("href=\"/repo/org/app/-/branches\"") && !file.contains("/board"), "{file}");
    assert!(!file.contains(team.folder.path().to_str().unwrap()), "no folder of the node is told");
    let (status, file) = page("/repo/org/app/-/file/packed-refs", &cookie);
    assert!(status == 200 && file.contains("was") && !file.contains("refs/heads"), "{status} {file}");
    let (_, found) = page("/?q=shown", &cookie);
    assert!(found.contains("/repo/org/app/-/file/a.py#L1"), "{found}");
    for closed in ["/repo/org/closed/-/", "/repo/org/none/-/", "/repo/org/app/-/file/b.py?ref=undisclosed"] {
        let (status, text) = page(closed, &cookie);
        assert!(status == 404 && !text.contains("launch_code") && !text.contains("vault"), "{closed} {status} {text}");
    }
    for unserved in ["/repo/org/app/-/board", "/repo/org/app/-/status", "/repo/org/app/-/doc/"] {
        assert_eq!(page(unserved, &cookie).0, 404, "{unserved}");
    }
    for (short, status) in [("/repo", 303), ("/repo/org/app", 303), ("/repo/org/none", 303)] {
        assert_eq!(page(short, &cookie).0, status, "{short} leads to the whole address, of whatever");
    }
    let noted = || team.sql("SELECT count(*) FROM call WHERE tool = 'page' AND repo = 'org/app' AND token IS NOT NULL");
    until("what was looked at is noted", SOON, || noted() != "0");
    team.run(&["token", "revoke", "alice"]);
    until("the browser is turned away", SOON, || page("/repo/org/app/-/file/a.py", &cookie).0 == 401);
}
