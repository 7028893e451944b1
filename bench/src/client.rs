//! A client that speaks MCP with `cruxe serve-mcp` over stdio, one question at a time.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::BenchError;

/// A server that was started for us. It ends with its input.
pub struct Client {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    next: u64,
}

/// Resident memory in kilobytes.
pub struct Memory {
    /// What the process holds itself.
    pub own: u64,
    /// Of files that it maps.
    pub mapped: u64,
}

impl Client {
    /// Starts a server and introduces itself; tells how long that took.
    pub fn start(cruxe: &Path, root: &Path, home: &Path, watch: bool) -> Result<(Client, Duration), BenchError> {
        let started = Instant::now();
        let mut command = Command::new(cruxe);
        command.args(["serve-mcp", "--workspace"]).arg(root).env("CRUXE_HOME", home);
        if !watch {
            command.arg("--no-watch");
        }
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(BenchError::doing("cruxe serve-mcp"))?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let output = output.ok_or_else(|| BenchError::new("cruxe serve-mcp", "no output"))?;
        let mut client = Client { child, input, output: BufReader::new(output), next: 1 };
        let who = json!({"name": "cruxe-bench", "version": env!("CARGO_PKG_VERSION")});
        client
            .request("initialize", json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": who}))?;
        let took = started.elapsed();
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok((client, took))
    }

    /// Calls a tool and waits for its structured answer.
    pub fn call(&mut self, tool: &str, arguments: Value) -> Result<Value, BenchError> {
        let mut answer = self.request("tools/call", json!({"name": tool, "arguments": arguments}))?;
        if answer.get("isError").and_then(Value::as_bool) == Some(true) {
            return Err(BenchError::new(tool, answer));
        }
        Ok(answer["structuredContent"].take())
    }

    /// What the server holds now.
    pub fn memory(&self) -> Result<Memory, BenchError> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()));
        let status = status.map_err(BenchError::doing("memory of the server"))?;
        let figure = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
            line.trim().trim_end_matches("kB").trim().parse().unwrap_or_default()
        };
        Ok(Memory { own: figure("RssAnon:"), mapped: figure("RssFile:") })
    }

    fn request(&mut self, method: &str, params: Value) -> Result<Value, BenchError> {
        let id = self.next;
        self.next += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
        let mut line = String::new();
        loop {
            line.clear();
            let read = self.output.read_line(&mut line).map_err(BenchError::doing(method))?;
            if read == 0 {
                return Err(BenchError::new(method, "the server ended"));
            }
            let mut message: Value = serde_json::from_str(&line).map_err(BenchError::doing(method))?;
            if message["id"] != id {
                continue; // a notification
            }
            if let Some(error) = message.get("error") {
                return Err(BenchError::new(method, error));
            }
            return Ok(message["result"].take());
        }
    }

    fn send(&mut self, message: &Value) -> Result<(), BenchError> {
        let Some(input) = &mut self.input else { return Ok(()) };
        let mut line = message.to_string();
        line.push('\n');
        input.write_all(line.as_bytes()).and_then(|()| input.flush()).map_err(BenchError::doing("request"))
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.input = None;
        // An answer that never comes would be a bug of the server; the bench does not hang on it.
        for _ in 0..200 {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
