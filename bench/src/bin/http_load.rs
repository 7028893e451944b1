//! Many clients at once over HTTP: errors, latency, and whether memory grows.
//!
//! Each client has a connection and a session of its own and asks without a pause. The server is started on the
//! repository given, with a home of its own.

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
}

type Outcome<T> = Result<T, Error>;

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(problem) => {
            eprintln!("error: {problem}");
            ExitCode::FAILURE
        }
    }
}

/// Returns the number of errors.
fn run(args: &Args) -> Outcome<usize> {
    let home = tempfile::tempdir()?;
    index(args, home.path())?;
    let server = Server::start(&args.cruxe, &args.repo, home.path())?;
    let end = Instant::now() + Duration::from_secs(args.seconds);
    let port = server.port;
    let clients: Vec<_> = (0..args.clients)
        .map(|number| std::thread::Builder::new().stack_size(256 << 10).spawn(move || client(port, number, end)))
        .collect::<Result<_, _>>()?;
    let mut memory = Vec::new();
    while Instant::now() < end {
        memory.push(server.resident_megabytes()?);
        std::thread::sleep(Duration::from_secs(1));
    }
    let (mut times, mut errors, mut first) = (Vec::new(), 0, None);
    for client in clients {
        let (took, failed) = client.join().map_err(|_| Error::other("a client panicked"))?;
        times.extend(took);
        errors += failed.len();
        first = first.or(failed.into_iter().next());
    }
    times.sort();
    let at = |share: f64| times.get((times.len() as f64 * share) as usize).copied().unwrap_or_default();
    println!("{} clients, {} s: {} answers, {errors} errors", args.clients, args.seconds, times.len());
    if let Some(problem) = first {
        println!("first error: {problem}");
    }
    println!("{:.0} answers a second", times.len() as f64 / args.seconds as f64);
    println!("latency p50 {:?}, p95 {:?}, p99 {:?}", at(0.5), at(0.95), at(0.99));
    let quarter = |share: usize| memory.get(memory.len() * share / 4).copied().unwrap_or_default();
    let last = memory.last().copied().unwrap_or_default();
    println!(
        "memory after 1/4, 1/2, 3/4 and all of the time: {}, {}, {}, {last} MB",
        quarter(1),
        quarter(2),
        quarter(3)
    );
    Ok(errors)
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
    fn start(cruxe: &Path, repo: &Path, home: &Path) -> Outcome<Server> {
        let mut child = Command::new(cruxe)
            .args(["serve-mcp", "--transport", "http", "--port", "0", "--workspace"])
            .arg(repo)
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

    fn resident_megabytes(&self) -> Outcome<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
        Ok(line.trim().trim_end_matches("kB").trim().parse::<u64>().unwrap_or_default() / 1024)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Asks until the end; how long each answer took, and what went wrong.
fn client(port: u16, number: usize, end: Instant) -> (Vec<Duration>, Vec<String>) {
    let (mut times, mut errors) = (Vec::new(), Vec::new());
    let mut client = match Client::start(port) {
        Ok(client) => client,
        Err(problem) => return (times, vec![problem.to_string()]),
    };
    let names = ["main", "new", "run", "open", "Config", "parse", "find", "index"];
    for turn in number.. {
        if Instant::now() >= end {
            break;
        }
        let name = names[turn % names.len()];
        let (tool, arguments) = match turn % 5 {
            0 => ("search_code", json!({"query": format!("how does {name} work"), "limit": 5})),
            1 => ("health_check", json!({})),
            _ => ("locate_symbol", json!({"name": name, "limit": 5})),
        };
        let started = Instant::now();
        match client.call(tool, arguments) {
            Ok(()) => times.push(started.elapsed()),
            Err(problem) => {
                errors.push(format!("{tool}: {problem}"));
                break;
            }
        }
    }
    (times, errors)
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
