//! How fast the deck is: a workspace of documents and cards is made in a temporary folder, its tools are asked over
//! stdio and the commands of `cue` run as processes of their own. Prints the table of `RESULTS.md`.

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, BufReader, Error, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use clap::Parser;
use serde_json::{Value, json};

/// Measure the deck.
#[derive(Parser)]
struct Args {
    /// The folder with the programs to measure, `cruxe` and `cue`
    #[arg(long, default_value = "target/release")]
    programs: PathBuf,
    /// Documents of the workspace whose tools are asked
    #[arg(long, default_value_t = 5000)]
    documents: usize,
    /// Cards of that workspace
    #[arg(long, default_value_t = 2000)]
    cards: usize,
    /// How often each question is asked and each command is run
    #[arg(long, default_value_t = 60)]
    times: usize,
}

type Outcome<T> = Result<T, Error>;

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("error: {problem}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &Args) -> Outcome<()> {
    let folder = tempfile::tempdir()?;
    // Programs are started in the workspace.
    let programs = args.programs.canonicalize()?;
    let bench = Bench { args, programs, home: folder.path().join("home") };
    lift_limits(&bench.home)?;
    let large = make(&folder.path().join("large"), args.documents, args.cards)?;
    let small = make(&folder.path().join("small"), 500, 200)?;
    bench.run(&large, "cruxe", &["index"])?;
    println!("{} documents and {} cards, {} times each\n", args.documents, args.cards, args.times);
    println!("| call | p50, ms | p95, ms | goal for p95 |\n| --- | ---: | ---: | ---: |");
    bench.tools(&large)?;
    println!("\n| command | best, ms | middle, ms | goal |\n| --- | ---: | ---: | ---: |");
    bench.command(&format!("`cue list`, {} cards", args.cards), &large, &["list"], "50")?;
    bench.command("`cue list`, 200 cards", &small, &["list"], "50")?;
    bench.command("`cue scene -d`, 500 documents and 200 cards", &small, &["scene", "-d"], "100")?;
    bench.command("`cue scene`, the same", &small, &["scene"], "100")
}

struct Bench<'a> {
    args: &'a Args,
    programs: PathBuf,
    home: PathBuf,
}

impl Bench<'_> {
    fn program(&self, name: &str, root: &Path) -> Command {
        let mut command = Command::new(self.programs.join(name));
        // Whether a clipboard answers is not what is measured.
        command.current_dir(root).env("CRUXE_HOME", &self.home).env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
        command
    }

    fn run(&self, root: &Path, name: &str, arguments: &[&str]) -> Outcome<()> {
        let output = self.program(name, root).args(arguments).output()?;
        if output.status.success() {
            return Ok(());
        }
        Err(Error::other(format!("{name} {}: {}", arguments.join(" "), String::from_utf8_lossy(&output.stderr))))
    }

    fn command(&self, what: &str, root: &Path, arguments: &[&str], goal: &str) -> Outcome<()> {
        let mut times = Times::default();
        for _ in 0..self.args.times {
            let started = Instant::now();
            self.run(root, "cue", arguments)?;
            times.0.push(started.elapsed());
        }
        println!("| {what} | {} | {} | {goal} |", times.at(0.0), times.at(0.5));
        Ok(())
    }

    fn tools(&self, root: &Path) -> Outcome<()> {
        let mut client = Client::start(self.program("cruxe", root).args(["serve-mcp"]))?;
        client.wait_until_warm()?;
        let times = self.args.times;
        for mode in ["keyword", "semantic", "hybrid"] {
            let ask = |turn: usize| json!({"query": question(turn), "mode": mode});
            client.measure(&format!("`read_context`, {mode}"), "read_context", times, "15", ask)?;
        }
        let ask = |turn: usize| {
            let filters = json!({"tags": [TAGS[turn % TAGS.len()]], "priority": PRIORITIES[turn % PRIORITIES.len()]});
            json!({"query": question(turn), "filters": filters})
        };
        client.measure("`read_context`, filtered by tag and priority", "read_context", times, "15", ask)?;
        for what in ["first time", "again"] {
            let ask = |turn: usize| json!({"path": document(turn)});
            client.measure(&format!("`read_doc`, {what}"), "read_doc", times.min(self.args.documents), "2", ask)?;
        }
        let ask = |turn: usize| json!({"status": "active", "tags": [TAGS[turn % TAGS.len()]]});
        client.measure("`list_tasks`, filtered", "list_tasks", times, "5", ask)?;
        client.measure(&format!("`list_tasks`, all {}", self.args.cards), "list_tasks", times, "5", |_| json!({}))?;
        let ask = |turn: usize| json!({"id": card_id(turn), "updates": {"notes": format!("turn {turn}")}});
        client.measure("`update_task`", "update_task", times.min(self.args.cards), "10", ask)?;
        let ask = |turn: usize| json!({"title": format!("New task {turn}"), "depends_on": [card_id(turn)]});
        client.measure("`create_task`", "create_task", times.min(self.args.cards), "50", ask)?;
        let listed = "`list_tasks`, all, after each `update_task`";
        let mut times = Times::default();
        for turn in 0..self.args.times.min(self.args.cards) {
            client.ask("update_task", json!({"id": card_id(turn), "updates": {"status": "done"}}))?;
            times.0.push(client.ask("list_tasks", json!({}))?);
        }
        println!("| {listed} | {} | {} | |", times.at(0.5), times.at(0.95));
        Ok(())
    }
}

#[derive(Default)]
struct Times(Vec<Duration>);

impl Times {
    /// The time that a share of all is not above, in milliseconds.
    fn at(&self, share: f64) -> String {
        let mut sorted = self.0.clone();
        sorted.sort();
        let place = ((sorted.len() as f64 * share) as usize).min(sorted.len().saturating_sub(1));
        sorted.get(place).map_or_else(String::new, |time| format!("{:.1}", time.as_secs_f64() * 1e3))
    }
}

/// A server that was started for us. It ends with its input.
struct Client {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    next: u64,
}

impl Client {
    fn start(command: &mut Command) -> Outcome<Client> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let output = BufReader::with_capacity(1 << 20, output.ok_or_else(|| Error::other("no output"))?);
        let mut client = Client { child, input, output, next: 1 };
        let who = json!({"name": "deck-bench", "version": "1"});
        let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": who});
        client.request("initialize", hello)?;
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok(client)
    }

    /// Waits until the server has read ahead what it reads ahead.
    fn wait_until_warm(&mut self) -> Outcome<()> {
        let ask = json!({"name": "health_check", "arguments": {}});
        while self.request("tools/call", ask.clone())?.0["structuredContent"]["status"] != "ready" {
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(())
    }

    /// Asks a question after a few that are not counted, and prints a row of the table.
    fn measure(
        &mut self,
        what: &str,
        tool: &str,
        times: usize,
        goal: &str,
        ask: impl Fn(usize) -> Value,
    ) -> Outcome<()> {
        let mut taken = Times::default();
        // Only what may be asked twice is warmed up: a first read is to stay one.
        if matches!(tool, "read_context" | "list_tasks") {
            self.ask(tool, ask(0))?;
        }
        for turn in 0..times {
            taken.0.push(self.ask(tool, ask(turn))?);
        }
        println!("| {what} | {} | {} | {goal} |", taken.at(0.5), taken.at(0.95));
        Ok(())
    }

    /// Calls a tool; how long it took until the whole answer was here.
    fn ask(&mut self, tool: &str, arguments: Value) -> Outcome<Duration> {
        let (answer, took) = self.request("tools/call", json!({"name": tool, "arguments": arguments}))?;
        if answer["isError"] == true {
            return Err(Error::other(format!("{tool}: {answer}")));
        }
        Ok(took)
    }

    fn request(&mut self, method: &str, params: Value) -> Outcome<(Value, Duration)> {
        self.next += 1;
        let started = Instant::now();
        self.send(&json!({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params}))?;
        loop {
            let mut line = Vec::new();
            if self.output.read_until(b'\n', &mut line)? == 0 {
                return Err(Error::other("the server ended"));
            }
            let took = started.elapsed();
            let mut message: Value = serde_json::from_slice(&line)?;
            if message["id"] != self.next {
                continue; // a notification
            }
            if let Some(error) = message.get("error") {
                return Err(Error::other(format!("{method}: {error}")));
            }
            return Ok((message["result"].take(), took));
        }
    }

    fn send(&mut self, message: &Value) -> Outcome<()> {
        let Some(input) = &mut self.input else { return Ok(()) };
        input.write_all(format!("{message}\n").as_bytes())
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.input = None;
        let _ = self.child.wait();
    }
}

const TAGS: [&str; 6] = ["auth", "backend", "search", "docs", "ui", "storage"];
const PRIORITIES: [&str; 4] = ["low", "medium", "high", "critical"];
const STATUSES: [&str; 5] = ["todo", "todo", "active", "done", "archived"];
const WORDS: [&str; 40] = [
    "token",
    "login",
    "session",
    "cache",
    "index",
    "query",
    "writer",
    "reader",
    "branch",
    "merge",
    "commit",
    "schema",
    "table",
    "vector",
    "search",
    "ranking",
    "result",
    "request",
    "answer",
    "client",
    "server",
    "stream",
    "buffer",
    "thread",
    "lock",
    "file",
    "folder",
    "path",
    "symbol",
    "reference",
    "call",
    "graph",
    "node",
    "edge",
    "parser",
    "grammar",
    "language",
    "heading",
    "section",
    "document",
];

/// Numbers that look random and are the same every time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % below.max(1)
    }

    fn words(&mut self, count: usize) -> String {
        let words: Vec<&str> = (0..count).map(|_| WORDS[self.roll(WORDS.len())]).collect();
        words.join(" ")
    }
}

fn question(turn: usize) -> String {
    Dice(turn as u64 + 7).words(3)
}

fn document(number: usize) -> String {
    format!("docs/part{:02}/page{number:05}.md", number % 50)
}

fn card_id(number: usize) -> String {
    format!("c{number:05}")
}

/// Lets the tools of every deck be called as often as one likes.
fn lift_limits(home: &Path) -> Outcome<()> {
    let limits = ["read_context", "read_doc", "list_tasks", "update_task"].map(|tool| format!("{tool} = 0\n")).concat();
    fs::create_dir_all(home)?;
    Ok(fs::write(home.join("cue.toml"), format!("[rate_limits]\n{limits}"))?)
}

/// Makes a workspace under git with a deck.
fn make(root: &Path, documents: usize, cards: usize) -> Outcome<PathBuf> {
    let mut dice = Dice(1);
    let write = |path: &str, text: &str| {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap_or(root))?;
        fs::write(path, text)
    };
    write("src/lib.rs", "/// Checks a token.\npub fn validate(token: &str) -> bool {\n    !token.is_empty()\n}\n")?;
    for number in 0..documents {
        let mut text = String::new();
        if number % 4 == 0 {
            let (tag, priority) = (TAGS[dice.roll(TAGS.len())], PRIORITIES[dice.roll(PRIORITIES.len())]);
            let _ = write!(text, "---\ntags: [{tag}]\npriority: {priority}\n---\n");
        }
        let _ = writeln!(text, "# {}", dice.words(3));
        for _ in 0..3 + dice.roll(5) {
            let _ = write!(text, "\n## {}\n\n{}.\n", dice.words(2), dice.words(60));
        }
        write(&document(number), &text)?;
    }
    for number in 0..cards {
        let status = STATUSES[dice.roll(STATUSES.len())];
        let (tag, priority) = (TAGS[dice.roll(TAGS.len())], PRIORITIES[dice.roll(PRIORITIES.len())]);
        let depends_on = if number > 0 { card_id(dice.roll(number)) } else { String::new() };
        let (title, body) = (dice.words(5), dice.words(40));
        let refers = document(dice.roll(documents));
        let day = 1 + dice.roll(28);
        let text = format!(
            "---\ntitle: {title}\nstatus: {status}\npriority: {priority}\nassignee: \"@dev{}\"\ntags: [{tag}]\n\
             depends_on: [{depends_on}]\nrefs: [{refers}, src/lib.rs#validate]\ncreated: 2026-01-{day:02}T10:00:00Z\n---\n\n\
             # {title}\n\n{body}.\n",
            dice.roll(9)
        );
        write(&format!(".cuedeck/cards/{}.md", card_id(number)), &text)?;
    }
    for arguments in [
        &["init", "-q"][..],
        &["add", "-A"],
        &["-c", "user.name=bench", "-c", "user.email=bench@example.org", "commit", "-q", "-m", "A deck"],
    ] {
        let status = Command::new("git").current_dir(root).args(arguments).status()?;
        if !status.success() {
            return Err(Error::other(format!("git {} failed", arguments.join(" "))));
        }
    }
    Ok(root.to_owned())
}
