//! Many clients at once over HTTP: errors, latency, and whether memory grows.
//!
//! Each client has a connection and a session of its own and asks without a pause. With `--sessions`, clients instead
//! come and go: each begins a session, asks once, and every second one leaves without ending it. The server is started on
//! the repository given, with a home of its own.
//!
//! Memory is what the process has for itself (`RssAnon`); pages of files that it maps (`RssFile`) are the system's to take
//! back and shown apart. The rule: over the last quarter of the time it has at most 3 % more than over the first, in the
//! median.

use std::io::{BufRead, BufReader, Error, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use clap::Parser;
use serde_json::{Value, json};

/// Load a server over HTTP.
#[derive(Parser)]
struct Args {
    /// The program to measure
    #[arg(long, default_value = "target/release/cruxe")]
    cruxe: PathBuf,
    /// The repository that is asked about
    #[arg(long, default_value = ".")]
    repo: PathBuf,
    /// How many clients at once
    #[arg(long, default_value_t = 200)]
    clients: usize,
    /// For how long
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// Begin this many sessions, one after the other for each client, instead of asking for a time
    #[arg(long)]
    sessions: Option<usize>,
}

type Outcome<T> = Result<T, Error>;

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(problem) => {
            eprintln!("error: {problem}");
            ExitCode::FAILURE
        }
    }
}

/// Returns whether there was no error and memory kept to the rule.
fn run(args: &Args) -> Outcome<bool> {
    let home = tempfile::tempdir()?;
    index(args, home.path())?;
    let server = Server::start(args, home.path())?;
    let began = Instant::now();
    let task = match args.sessions {
        Some(sessions) => Task::ComeAndGo(sessions.div_ceil(args.clients)),
        None => Task::AskUntil(began + Duration::from_secs(args.seconds)),
    };
    let port = server.port;
    let clients: Vec<_> = (0..args.clients)
        .map(|number| std::thread::Builder::new().stack_size(256 << 10).spawn(move || client(port, number, &task)))
        .collect::<Result<_, _>>()?;
    let mut memory = Vec::new();
    while clients.iter().any(|client| !client.is_finished()) {
        memory.push(server.memory()?);
        std::thread::sleep(Duration::from_millis(500));
    }
    let took = began.elapsed();
    let (mut times, mut errors, mut first) = (Vec::new(), 0, None);
    for client in clients {
        let (took, failed) = client.join().map_err(|_| Error::other("a client panicked"))?;
        times.extend(took);
        errors += failed.len();
        first = first.or(failed.into_iter().next());
    }
    times.sort();
    let at = |share: f64| times.get((times.len() as f64 * share) as usize).copied().unwrap_or_default();
    println!("{} clients, {:.0} s: {} answers, {errors} errors", args.clients, took.as_secs_f64(), times.len());
    if let Some(problem) = first {
        println!("first error: {problem}");
    }
    println!("{:.0} answers a second", times.len() as f64 / took.as_secs_f64());
    println!("latency p50 {:?}, p95 {:?}, p99 {:?}", at(0.5), at(0.95), at(0.99));
    let kept = report_memory(&memory);
    if args.sessions.is_some() {
        server.wait_for_no_session()?;
        let after = server.memory()?;
        println!("when the last session has expired: {} MB of its own", after.own >> 10);
    }
    Ok(errors == 0 && kept)
}

/// Prints the medians of the quarters; whether they keep to the rule.
fn report_memory(memory: &[Memory]) -> bool {
    let quarters: Vec<&[Memory]> = memory.chunks(memory.len().div_ceil(4).max(1)).collect();
    let medians = |figure: fn(&Memory) -> u64| -> Vec<u64> {
        let median = |quarter: &&[Memory]| {
            let mut figures: Vec<u64> = quarter.iter().map(figure).collect();
            figures.sort_unstable();
            figures[figures.len() / 2]
        };
        quarters.iter().map(median).collect()
    };
    let megabytes = |figures: &[u64]| figures.iter().map(|size| format!("{:.1}", *size as f64 / 1024.0)).collect();
    let (own, mapped) = (medians(|memory| memory.own), medians(|memory| memory.mapped));
    let lists: [Vec<String>; 2] = [megabytes(&own), megabytes(&mapped)];
    println!("memory of its own by quarters of the time: {} MB", lists[0].join(", "));
    println!("pages of files by quarters of the time: {} MB", lists[1].join(", "));
    let (first, last) = (own.first().copied().unwrap_or_default(), own.last().copied().unwrap_or_default());
    let kept = last * 100 <= first * 103;
    println!("growth of its own: {:.1} % (at most 3)", (last as f64 / first.max(1) as f64 - 1.0) * 100.0);
    kept
}

/// What a client does.
#[derive(Clone, Copy)]
enum Task {
    /// Asks in one session until then.
    AskUntil(Instant),
    /// Begins so many sessions with a question each.
    ComeAndGo(usize),
}

/// Resident memory in kilobytes.
struct Memory {
    own: u64,
    mapped: u64,
}

fn index(args: &Args, home: &Path) -> Outcome<()> {
    let mut command = Command::new(&args.cruxe);
    command.args(["index", "--workspace"]).arg(&args.repo).env("CRUXE_HOME", home);
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status()?;
    if status.success() { Ok(()) } else { Err(Error::other("cruxe index failed")) }
}

struct Server {
    child: Child,
    port: u16,
    /// Kept open: a server whose log nobody reads would be a broken one.
    _log: BufReader<ChildStderr>,
}

impl Server {
    fn start(args: &Args, home: &Path) -> Outcome<Server> {
        let mut command = Command::new(&args.cruxe);
        if args.sessions.is_some() {
            // Sessions that nobody ends are to be seen to end.
            command.env("CRUXE_HTTP_SESSION_IDLE_MS", "2000").env("CRUXE_HTTP_MAX_SESSIONS", "100000");
        }
        let mut child = command
            .args(["serve-mcp", "--transport", "http", "--port", "0", "--workspace"])
            .arg(&args.repo)
            .env("CRUXE_HOME", home)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()?;
        let mut log = BufReader::new(child.stderr.take().ok_or_else(|| Error::other("no log"))?);
        let mut line = String::new();
        while !line.starts_with("listening on ") {
            line.clear();
            if log.read_line(&mut line)? == 0 {
                return Err(Error::other("the server does not listen"));
            }
        }
        let port = line.trim().strip_suffix("/mcp").and_then(|url| url.rsplit_once(':')?.1.parse().ok());
        Ok(Server { child, port: port.ok_or_else(|| Error::other("no port"))?, _log: log })
    }

    fn memory(&self) -> Outcome<Memory> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let figure = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
            line.trim().trim_end_matches("kB").trim().parse::<u64>().unwrap_or_default()
        };
        Ok(Memory { own: figure("RssAnon:"), mapped: figure("RssFile:") })
    }

    fn wait_for_no_session(&self) -> Outcome<()> {
        let deadline = Instant::now() + Duration::from_secs(60);
        while Instant::now() < deadline {
            let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
            stream.write_all(b"GET /metrics HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")?;
            let mut page = String::new();
            stream.read_to_string(&mut page)?;
            if page.contains("\ncruxe_sessions_open 0\n") {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(500));
        }
        Err(Error::other("sessions that nobody uses do not expire"))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Does its task; how long each answer took, and what went wrong.
fn client(port: u16, number: usize, task: &Task) -> (Vec<Duration>, Vec<String>) {
    let mut times = Vec::new();
    let outcome = match task {
        Task::AskUntil(end) => ask_until(port, number, *end, &mut times),
        Task::ComeAndGo(count) => come_and_go(port, *count, &mut times),
    };
    (times, outcome.err().map(|problem| problem.to_string()).into_iter().collect())
}

fn ask_until(port: u16, number: usize, end: Instant, times: &mut Vec<Duration>) -> Outcome<()> {
    let mut client = Client::start(port)?;
    for turn in number.. {
        if Instant::now() >= end {
            break;
        }
        times.push(client.ask(turn)?);
    }
    Ok(())
}

fn come_and_go(port: u16, count: usize, times: &mut Vec<Duration>) -> Outcome<()> {
    for turn in 0..count {
        let mut client = Client::start(port)?;
        times.push(client.ask(turn)?);
        if turn % 2 == 0 {
            client.end()?;
        }
    }
    Ok(())
}

/// A connection that is kept, and a session.
struct Client {
    stream: BufReader<TcpStream>,
    port: u16,
    session: String,
    next: u64,
}

impl Client {
    fn start(port: u16) -> Outcome<Client> {
        let stream = TcpStream::connect(("127.0.0.1", port))?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(Duration::from_secs(60)))?;
        let mut client = Client { stream: BufReader::new(stream), port, session: String::new(), next: 1 };
        let who = json!({"name": "http-load", "version": "1"});
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": who});
        client.post(&json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}))?;
        client.post(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok(client)
    }

    /// Asks one of the usual questions; how long the answer took.
    fn ask(&mut self, turn: usize) -> Outcome<Duration> {
        let names = ["main", "new", "run", "open", "Config", "parse", "find", "index"];
        let name = names[turn % names.len()];
        let (tool, arguments) = match turn % 5 {
            0 => ("search_code", json!({"query": format!("how does {name} work"), "limit": 5})),
            1 => ("health_check", json!({})),
            _ => ("locate_symbol", json!({"name": name, "limit": 5})),
        };
        let started = Instant::now();
        self.call(tool, arguments).map_err(|problem| Error::other(format!("{tool}: {problem}")))?;
        Ok(started.elapsed())
    }

    /// Ends the session.
    fn end(&mut self) -> Outcome<()> {
        let head = format!(
            "DELETE /mcp HTTP/1.1\r\nhost: 127.0.0.1:{}\r\nmcp-session-id: {}\r\n\r\n",
            self.port, self.session
        );
        self.stream.get_mut().write_all(head.as_bytes())?;
        self.read().map(drop)
    }

    fn call(&mut self, tool: &str, arguments: Value) -> Outcome<()> {
        self.next += 1;
        let params = json!({"name": tool, "arguments": arguments});
        let message = json!({"jsonrpc": "2.0", "id": self.next, "method": "tools/call", "params": params});
        let body = self.post(&message)?;
        let expected = format!("\"id\":{}", self.next);
        if body.contains(&expected) && body.contains("\"isError\":false") {
            return Ok(());
        }
        Err(Error::other(body.chars().take(300).collect::<String>()))
    }

    fn post(&mut self, message: &Value) -> Outcome<String> {
        let body = message.to_string();
        let session = match self.session.as_str() {
            "" => String::new(),
            id => format!("mcp-session-id: {id}\r\n"),
        };
        let head = format!(
            "POST /mcp HTTP/1.1\r\nhost: 127.0.0.1:{}\r\ncontent-type: application/json\r\n\
             accept: application/json, text/event-stream\r\n{session}content-length: {}\r\n\r\n",
            self.port,
            body.len()
        );
        self.stream.get_mut().write_all((head + &body).as_bytes())?;
        self.read()
    }

    fn read(&mut self) -> Outcome<String> {
        let status = self.line()?;
        if !status.contains(" 200 ") && !status.contains(" 202 ") {
            return Err(Error::other(status));
        }
        let (mut length, mut chunked) = (0, false);
        loop {
            let line = self.line()?.to_ascii_lowercase();
            match line.split_once(": ") {
                Some(("content-length", value)) => length = value.parse().map_err(Error::other)?,
                Some(("transfer-encoding", "chunked")) => chunked = true,
                Some(("mcp-session-id", id)) => self.session = id.to_owned(),
                None if line.is_empty() => break,
                _ => {}
            }
        }
        let mut body = Vec::new();
        if !chunked {
            body.resize(length, 0);
            self.stream.read_exact(&mut body)?;
        }
        while chunked {
            let size = usize::from_str_radix(&self.line()?, 16).map_err(Error::other)?;
            let so_far = body.len();
            body.resize(so_far + size, 0);
            self.stream.read_exact(&mut body[so_far..])?;
            self.line()?;
            chunked = size > 0;
        }
        String::from_utf8(body).map_err(Error::other)
    }

    fn line(&mut self) -> Outcome<String> {
        let mut line = String::new();
        if self.stream.read_line(&mut line)? == 0 {
            return Err(Error::other("the connection ended"));
        }
        Ok(line.trim_end().to_owned())
    }
}
