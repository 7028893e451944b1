//! A team in a temporary folder: a database of its own, repositories, workers, nodes.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use parking_lot::{Mutex, RwLock, RwLockReadGuard, RwLockWriteGuard};
use serde_json::{Value, json};

const PROGRAM: &str = env!("CARGO_BIN_EXE_cruxe");

/// The database that tests may use; without one they say so and pass.
pub fn postgres() -> Option<String> {
    let address = std::env::var("CRUXE_TEST_POSTGRES").ok();
    if address.is_none() {
        eprintln!("skipped: no CRUXE_TEST_POSTGRES; scripts/check-team starts one");
    }
    address
}

/// What says another time than the system.
const CLOCK: &str = r"
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t clock, struct timespec *now) {
    int outcome = syscall(SYS_clock_gettime, clock, now);
    if (outcome == 0 && clock == CLOCK_REALTIME) now->tv_sec += OFF;
    return outcome;
}
";

pub struct Team {
    pub folder: tempfile::TempDir,
    server: String,
    database: String,
    /// Where blobs are kept over HTTP, if not where the environment says.
    store: Option<String>,
    /// In which region they are, if not in that of the environment.
    region: Option<String>,
    /// Where programs reach the database, if not where it is.
    port: Option<u16>,
    /// What programs load that have another clock.
    clock: Mutex<Option<PathBuf>>,
    _turn: Turn,
}

/// Tests share PostgreSQL; the one that restarts it has it alone.
static TURNS: RwLock<()> = RwLock::new(());

#[allow(dead_code)] // they are held
enum Turn {
    Shared(RwLockReadGuard<'static, ()>),
    Alone(RwLockWriteGuard<'static, ()>),
}

impl Team {
    /// A team that keeps blobs in a folder; `None` without a database.
    pub fn new() -> Option<Team> {
        Team::without_tables().map(Team::with_tables)
    }

    /// The same while no other test runs.
    pub fn alone() -> Option<Team> {
        Team::made(|| Turn::Alone(TURNS.write())).map(Team::with_tables)
    }

    pub fn without_tables() -> Option<Team> {
        Team::made(|| Turn::Shared(TURNS.read()))
    }

    /// The same with a storage of its own.
    pub fn with_store(mut self, address: &str) -> Team {
        self.store = Some(address.to_owned());
        self
    }

    /// The same in another region of the storage.
    pub fn in_region(mut self, region: &str) -> Team {
        self.region = Some(region.to_owned());
        self
    }

    fn with_tables(self) -> Team {
        let storage = format!("file://{}", self.blobs().display());
        self.run(&["init", "--storage", &storage]);
        self
    }

    fn made(turn: fn() -> Turn) -> Option<Team> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let server = postgres()?;
        let database = format!("t{}_{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let team = Team {
            folder: tempfile::tempdir().unwrap(),
            server,
            database,
            store: None,
            region: None,
            port: None,
            clock: Mutex::default(),
            _turn: turn(),
        };
        team.sql_in("postgres", &format!("CREATE DATABASE {}", team.database));
        Some(team)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn blobs(&self) -> PathBuf {
        self.path("blobs")
    }

    fn address(&self, database: &str) -> String {
        self.server.rsplit_once('/').map(|(server, _)| format!("{server}/{database}")).unwrap()
    }

    fn sql_in(&self, database: &str, sql: &str) -> String {
        let output =
            Command::new("psql").args(["-X", "-A", "-t", "-q", &self.address(database), "-c", sql]).output().unwrap();
        assert!(output.status.success(), "{sql}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    /// What a statement says.
    pub fn sql(&self, sql: &str) -> String {
        self.sql_in(&self.database, sql)
    }

    /// Where the team's own database is.
    pub fn database_address(&self) -> String {
        self.address(&self.database)
    }

    /// Has programs that are started from now on reach the database through something else on this machine.
    pub fn set_database_port(&mut self, port: u16) {
        self.port = Some(port);
    }

    /// Host and port of the database.
    pub fn database_at(&self) -> String {
        let (_, rest) = self.server.rsplit_once('@').unwrap();
        rest.split('/').next().unwrap().to_owned()
    }

    /// `cruxe team …`, not yet run.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(PROGRAM);
        if let Some(clock) = &*self.clock.lock() {
            command.env("LD_PRELOAD", clock);
        }
        let address = self.address(&self.database);
        let address = match self.port {
            Some(port) => address.replace(&self.database_at(), &format!("127.0.0.1:{port}")),
            None => address,
        };
        command.arg("team").args(arguments).env("CRUXE_TEAM_DATABASE", address);
        command.env("CRUXE_HOME", self.path("home")).env_remove("CRUXE_TOKEN").current_dir(self.folder.path());
        if let Some(store) = &self.store {
            command
                .env("AWS_ENDPOINT_URL", store)
                .env("AWS_ACCESS_KEY_ID", "key")
                .env("AWS_SECRET_ACCESS_KEY", "secret");
        }
        command.envs(self.region.iter().map(|region| ("AWS_REGION", region)));
        command
    }

    /// Runs `cruxe team … --json` and reads what it prints.
    pub fn run(&self, arguments: &[&str]) -> Value {
        let output = self.command(arguments).arg("--json").output().unwrap();
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{arguments:?}: {out} {err}");
        serde_json::from_str(&out).unwrap_or_else(|_| panic!("{arguments:?}: {out}"))
    }

    /// A repository with one commit, known to the team.
    pub fn repo(&self, name: &str, files: &[(&str, &str)]) -> Repo {
        let repo = Repo { folder: self.path("origin").join(name) };
        fs::create_dir_all(&repo.folder).unwrap();
        repo.git(&["init", "--quiet", "--initial-branch=main"]);
        repo.push(files);
        self.run(&["repo", "add", name, repo.folder.to_str().unwrap(), "--ref", "*", "--poll", "0"]);
        repo
    }

    /// Has the clock of programs that are started from now on be off by so many seconds; `false` where that cannot be done here. How long
    /// something takes is measured by another clock, which nobody can set.
    pub fn set_clock(&self, seconds: i64) -> bool {
        let (source, library) = (self.path("clock.c"), self.path(&format!("clock{seconds}.so")));
        fs::write(&source, CLOCK).unwrap();
        let mut compile = Command::new("cc");
        compile.args(["-shared", "-fPIC", &format!("-DOFF={seconds}"), "-o"]).arg(&library).arg(&source);
        let made = cfg!(target_os = "linux") && compile.output().is_ok_and(|output| output.status.success());
        *self.clock.lock() = made.then_some(library);
        made
    }

    /// Has all that is due indexed.
    pub fn work(&self, worker: &str) -> u64 {
        let folder = self.path(worker);
        self.run(&["work", "--once", "--name", worker, "--folder", folder.to_str().unwrap()])["jobs"].as_u64().unwrap()
    }

    pub fn start_worker(&self, worker: &str) -> Running {
        let folder = self.path(worker);
        let mut command = self.command(&["work", "--name", worker, "--folder", folder.to_str().unwrap()]);
        Running(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
    }

    pub fn token(&self, name: &str, grants: &[&[&str]]) -> String {
        let token = self.run(&["token", "create", name])["token"].as_str().unwrap().to_owned();
        for grant in grants {
            let mut arguments = vec!["grant", "add", "--token", name];
            arguments.extend(*grant);
            self.run(&arguments);
        }
        token
    }

    pub fn start_node(&self, name: &str, more: &[&str]) -> Node {
        let folder = self.path(name);
        let mut arguments = vec!["serve", "--port", "0", "--name", name, "--folder", folder.to_str().unwrap()];
        arguments.extend(more);
        let mut child = self.command(&arguments).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let mut said = Vec::new();
        let address = loop {
            let Some(line) = lines.next() else { panic!("the node does not start: {said:?}") };
            let line = line.unwrap();
            if let Some(address) = line.strip_prefix("listening on ") {
                break address.strip_suffix("/mcp").unwrap().to_owned();
            }
            said.push(line);
        };
        std::thread::spawn(move || lines.for_each(drop));
        Node { client: Client { address }, running: Running(child) }
    }
}

impl Drop for Team {
    fn drop(&mut self) {
        let _ = Command::new("psql")
            .args([
                "-X",
                "-q",
                &self.address("postgres"),
                "-c",
                &format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.database),
            ])
            .output();
    }
}

/// A process that ends with its test.
pub struct Running(Child);

impl Running {
    /// Ends it as nothing else does.
    pub fn kill(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.kill();
    }
}

pub struct Node {
    pub client: Client,
    pub running: Running,
}

impl std::ops::Deref for Node {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.client
    }
}

/// Somebody who asks a node, which may be gone.
#[derive(Clone)]
pub struct Client {
    pub address: String,
}

impl Client {
    /// Calls a tool; the answer, or the error.
    pub fn ask(&self, token: &str, tool: &str, arguments: Value) -> Result<Value, Value> {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": tool, "params": arguments}).to_string();
        let agent: ureq::Agent = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(Duration::from_secs(30)))
            .build()
            .into();
        let sent = agent
            .post(format!("{}/mcp", self.address))
            .header("authorization", format!("Bearer {token}"))
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream")
            .send(&body);
        let mut response = sent.map_err(|problem| json!({"unreachable": problem.to_string()}))?;
        let status = response.status().as_u16();
        let text =
            response.body_mut().read_to_string().map_err(|problem| json!({"unreachable": problem.to_string()}))?;
        if status != 200 {
            return Err(json!({"status": status, "text": text}));
        }
        let answer: Value = serde_json::from_str(&text).unwrap();
        match answer.get("error") {
            Some(error) => Err(error.clone()),
            None => Ok(answer["result"].clone()),
        }
    }

    /// Sends a request of the protocol's revision without sessions; the result, or the error.
    pub fn request(&self, token: &str, method: &str, params: Value) -> Result<Value, Value> {
        let mut response = self.post(token, method, params, Some(Duration::from_secs(30)));
        let text = response.body_mut().read_to_string().unwrap();
        let answer: Value = serde_json::from_str(&text).unwrap_or_else(|_| panic!("{method}: {text}"));
        match answer.get("error") {
            Some(error) => Err(error.clone()),
            None => Ok(answer["result"].clone()),
        }
    }

    /// Listens to what changes; each notification as its method and what it is about.
    pub fn listen(&self, token: &str, uris: &[&str]) -> Receiver<(String, String)> {
        let wanted = json!({"resourcesListChanged": true, "resourceSubscriptions": uris});
        let response = self.post(token, "subscriptions/listen", json!({"notifications": wanted}), None);
        let lines = BufReader::new(response.into_body().into_reader()).lines();
        let (tell, heard) = channel();
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                let data = line.strip_prefix("data:").and_then(|data| serde_json::from_str::<Value>(data.trim()).ok());
                let Some(message) = data else { continue };
                let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
                if tell.send((text(&message["method"]), text(&message["params"]["uri"]))).is_err() {
                    return;
                }
            }
        });
        let first = heard.recv_timeout(Duration::from_secs(30)).unwrap();
        assert_eq!(first.0, "notifications/subscriptions/acknowledged");
        heard
    }

    /// Begins a session as earlier revisions of the protocol have it.
    pub fn begin_session(&self, token: &str) -> String {
        let client = json!({"name": "it", "version": "1"});
        let params = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client});
        let begin = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params});
        let response = self.post_in_session(token, None, &begin);
        let session = response.headers()["mcp-session-id"].to_str().unwrap().to_owned();
        let begun = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        assert_eq!(self.post_in_session(token, Some(&session), &begun).status(), 202);
        session
    }

    /// What is answered to who listens in a session and to who sends something in it: the status, and the text where it is refused.
    pub fn in_session(&self, token: &str, session: &str) -> Vec<(u16, String)> {
        let note = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        let answers = [self.get_in_session(token, session), self.post_in_session(token, Some(session), &note)];
        let told = |answer: ureq::http::Response<ureq::Body>| {
            let status = answer.status().as_u16();
            (status, if status < 400 { String::new() } else { answer.into_body().read_to_string().unwrap() })
        };
        answers.into_iter().map(told).collect()
    }

    fn post_in_session(&self, token: &str, session: Option<&str>, body: &Value) -> ureq::http::Response<ureq::Body> {
        let mut request = ureq::post(format!("{}/mcp", self.address))
            .header("authorization", format!("Bearer {token}"))
            .header("accept", "application/json, text/event-stream")
            .header("content-type", "application/json");
        if let Some(session) = session {
            request = request.header("mcp-session-id", session);
        }
        request.config().http_status_as_error(false).build().send(body.to_string()).unwrap()
    }

    fn get_in_session(&self, token: &str, session: &str) -> ureq::http::Response<ureq::Body> {
        let request = ureq::get(format!("{}/mcp", self.address))
            .header("authorization", format!("Bearer {token}"))
            .header("accept", "text/event-stream")
            .header("mcp-session-id", session);
        request.config().http_status_as_error(false).build().call().unwrap()
    }

    /// The stream of a session; it ends when the sender is gone.
    pub fn listen_in_session(&self, token: &str) -> Receiver<()> {
        let response = self.get_in_session(token, &self.begin_session(token));
        let (tell, heard) = channel();
        std::thread::spawn(move || {
            let _tell = tell;
            BufReader::new(response.into_body().into_reader()).lines().map_while(Result::ok).for_each(drop);
        });
        heard
    }

    fn post(
        &self,
        token: &str,
        method: &str,
        mut params: Value,
        patience: Option<Duration>,
    ) -> ureq::http::Response<ureq::Body> {
        let own = |key: &str| format!("io.modelcontextprotocol/{key}");
        let client = json!({"name": "it", "version": "1"});
        params["_meta"] =
            json!({own("protocolVersion"): "2026-07-28", own("clientInfo"): client, own("clientCapabilities"): {}});
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let agent: ureq::Agent =
            ureq::Agent::config_builder().http_status_as_error(false).timeout_global(patience).build().into();
        let mut request = agent
            .post(format!("{}/mcp", self.address))
            .header("authorization", format!("Bearer {token}"))
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream")
            .header("mcp-protocol-version", "2026-07-28")
            .header("mcp-method", method);
        if let Some(name) = params.get("uri").or(params.get("name")).and_then(Value::as_str) {
            request = request.header("mcp-name", name);
        }
        request.send(body.to_string()).unwrap()
    }

    /// A page with some headers: its status, what it sets a browser, and its text.
    pub fn page(&self, path: &str, headers: &[(&str, &str)]) -> (u16, String) {
        let agent: ureq::Agent =
            ureq::Agent::config_builder().http_status_as_error(false).max_redirects(0).build().into();
        let mut request = agent.get(format!("{}{path}", self.address));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let mut response = request.call().unwrap();
        (response.status().as_u16(), response.body_mut().read_to_string().unwrap())
    }

    /// Where a name is defined, as `path:line`.
    pub fn locate(&self, token: &str, repo: &str, name: &str) -> Result<Vec<String>, Value> {
        let answer = self.ask(token, "locate_symbol", json!({"name": name, "workspace": repo}))?;
        let place = |one: &Value| format!("{}:{}", one["path"].as_str().unwrap_or_default(), one["line_start"]);
        Ok(answer["results"].as_array().unwrap_or(&Vec::new()).iter().map(place).collect())
    }
}

pub struct Repo {
    pub folder: PathBuf,
}

impl Repo {
    pub fn git(&self, arguments: &[&str]) -> String {
        let mut command = Command::new("git");
        command.args([
            "-c",
            "user.name=t",
            "-c",
            "user.email=t@example.org",
            "-c",
            "commit.gpgsign=false",
            "-c",
            "gc.auto=0",
        ]);
        command.arg("-C").arg(&self.folder).args(arguments);
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
        let output = command.output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    /// Writes files and commits them.
    pub fn push(&self, files: &[(&str, &str)]) -> String {
        for (path, text) in files {
            let path = self.folder.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message", "push"]);
        self.git(&["rev-parse", "HEAD"])
    }
}

/// Asks again until something holds.
pub fn until(what: &str, patience: Duration, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + patience;
    while !holds() {
        assert!(Instant::now() < deadline, "not within {patience:?}: {what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Every file below a folder.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut pending = vec![folder.to_owned()];
    while let Some(folder) = pending.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            match entry.path() {
                path if path.is_dir() => pending.push(path),
                path => found.push(path),
            }
        }
    }
    found.sort();
    found
}

/// Numbers that look random, the same in every run.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}
