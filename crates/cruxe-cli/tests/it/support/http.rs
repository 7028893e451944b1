//! A raw HTTP client: writes bytes, reads bytes, and knows just enough of MCP's transport.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::{DEADLINE, eventually};

/// A server process that listens.
pub struct HttpServer {
    child: Child,
    pub port: u16,
    log: Arc<Mutex<String>>,
}

/// What came back.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl HttpServer {
    /// Starts a server on a port of its choice.
    pub fn start(mut command: Command) -> HttpServer {
        command.args(["--port", "0"]);
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let log = Arc::new(Mutex::new(String::new()));
        let (kept, errors) = (Arc::clone(&log), BufReader::new(child.stderr.take().unwrap()));
        let (sender, ports) = channel();
        std::thread::spawn(move || {
            for line in errors.lines().map_while(Result::ok) {
                // `listening on http://127.0.0.1:9100/mcp`, or the address of pages.
                let host = line.split_once("://").and_then(|(_, url)| url.split('/').next()?.rsplit_once(':'));
                if let Some(port) = host.and_then(|(_, port)| port.parse().ok()) {
                    let _ = sender.send(port);
                }
                kept.lock().unwrap().push_str(&(line + "\n"));
            }
        });
        match ports.recv_timeout(DEADLINE) {
            Ok(port) => HttpServer { child, port, log },
            Err(_) => panic!("the server does not listen; its log:\n{}", log.lock().unwrap()),
        }
    }

    pub fn log(&self) -> String {
        self.log.lock().unwrap().clone()
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(DEADLINE)).unwrap();
        stream
    }

    /// Sends bytes and reads all that comes back; `None` when the connection just ends.
    pub fn raw(&self, bytes: &[u8]) -> Option<Reply> {
        let mut stream = self.connect();
        // A server that has refused already does not read the rest.
        let _ = stream.write_all(bytes);
        read_reply(stream)
    }

    /// Sends a request with these headers beside the usual ones. A `host` replaces the usual one.
    pub fn request(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Reply {
        let mut head = format!("{method} {path} HTTP/1.1\r\nconnection: close\r\ncontent-length: {}\r\n", body.len());
        if !headers.iter().any(|(name, _)| *name == "host") {
            head.push_str(&format!("host: 127.0.0.1:{}\r\n", self.port));
        }
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        let whole = format!("{head}\r\n{body}");
        self.raw(whole.as_bytes()).unwrap_or_else(|| panic!("no answer; log:\n{}", self.log()))
    }

    pub fn get(&self, path: &str) -> Reply {
        self.request("GET", path, &[], "")
    }

    /// Posts a message as a client that knows nothing of MCP.
    pub fn post(&self, message: &str) -> Reply {
        self.request("POST", "/mcp", &[("content-type", "application/json")], message)
    }

    /// Waits until the server says it is ready.
    pub fn ready(&self) {
        eventually("the server is ready", DEADLINE, || {
            let reply = self.get("/health");
            (reply.json()["status"] == "ready").then_some(())
        });
    }

    /// Asks the process to end.
    pub fn terminate(&self) {
        let killed = Command::new("kill").args(["-TERM", &self.pid().to_string()]).status().unwrap();
        assert!(killed.success());
    }

    /// Waits for the end; the exit code.
    pub fn ended(mut self) -> Option<i32> {
        eventually("the server ends", DEADLINE, || self.child.try_wait().unwrap()).code()
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Reply {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
    }

    /// The body as JSON: the whole of it, or the last message of a stream.
    pub fn json(&self) -> Value {
        let last = self.messages().pop();
        last.unwrap_or_else(|| panic!("no JSON: {self:?}"))
    }

    /// Every message, whether the answer is a stream or not.
    pub fn messages(&self) -> Vec<Value> {
        if self.header("content-type").is_some_and(|kind| kind.starts_with("text/event-stream")) {
            let data = self.body.lines().filter_map(|line| line.strip_prefix("data:"));
            return data.filter_map(|text| serde_json::from_str(text.trim()).ok()).collect();
        }
        serde_json::from_str(&self.body).into_iter().collect()
    }
}

/// Reads an answer until the connection ends.
pub fn read_reply(mut stream: TcpStream) -> Option<Reply> {
    let mut bytes = Vec::new();
    // A connection that is reset after the answer has still answered.
    let _ = stream.read_to_end(&mut bytes);
    let split = bytes.windows(4).position(|four| four == b"\r\n\r\n")?;
    let head = String::from_utf8_lossy(&bytes[..split]).into_owned();
    let mut lines = head.lines();
    let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let chunked = headers.iter().any(|(name, value)| name == "transfer-encoding" && value == "chunked");
    let body = if chunked { dechunked(&bytes[split + 4..]) } else { bytes[split + 4..].to_vec() };
    Some(Reply { status, headers, body: String::from_utf8_lossy(&body).into_owned() })
}

fn dechunked(mut bytes: &[u8]) -> Vec<u8> {
    let mut whole = Vec::new();
    while let Some(end) = bytes.windows(2).position(|two| two == b"\r\n") {
        let size = std::str::from_utf8(&bytes[..end]).ok().and_then(|hex| usize::from_str_radix(hex.trim(), 16).ok());
        let Some(size @ 1..) = size else { break };
        let chunk = &bytes[end + 2..];
        whole.extend_from_slice(&chunk[..size.min(chunk.len())]);
        bytes = chunk.get(size + 2..).unwrap_or_default();
    }
    whole
}

/// One MCP session.
pub struct HttpSession<'a> {
    server: &'a HttpServer,
    pub id: String,
    version: String,
    next: u64,
}

impl<'a> HttpSession<'a> {
    pub fn start(server: &'a HttpServer, version: &str) -> HttpSession<'a> {
        let reply = initialize(server, version);
        assert_eq!(reply.status, 200, "{reply:?}");
        assert_eq!(reply.json()["result"]["protocolVersion"], version);
        let id = reply.header("mcp-session-id").unwrap().to_owned();
        let session = HttpSession { server, id, version: version.to_owned(), next: 0 };
        let noted = session.post(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        assert_eq!(noted.status, 202, "{noted:?}");
        session
    }

    pub fn post(&self, message: &Value) -> Reply {
        let headers = [
            ("content-type", "application/json"),
            ("accept", "application/json, text/event-stream"),
            ("mcp-session-id", self.id.as_str()),
            ("mcp-protocol-version", self.version.as_str()),
        ];
        self.server.request("POST", "/mcp", &headers, &message.to_string())
    }

    pub fn request(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let reply = self.post(&json!({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params}));
        assert_eq!(reply.status, 200, "{reply:?}");
        let answer = reply.json();
        assert_eq!(answer["id"], self.next, "{answer}");
        answer
    }

    /// The structured answer of a tool, good or bad.
    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.request("tools/call", json!({"name": tool, "arguments": arguments}))["result"]["structuredContent"].clone()
    }
}

/// Introduces a client.
pub fn initialize(server: &HttpServer, version: &str) -> Reply {
    let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "it", "version": "1"}}});
    let headers = [("content-type", "application/json"), ("accept", "application/json, text/event-stream")];
    server.request("POST", "/mcp", &headers, &hello.to_string())
}

/// Sends a request of the revision that has no sessions.
pub fn sessionless(server: &HttpServer, method: &str, name: Option<&str>, mut params: Value) -> Reply {
    const VERSION: &str = "2026-07-28";
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": VERSION,
        "io.modelcontextprotocol/clientInfo": {"name": "it", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    let mut headers = vec![
        ("content-type", "application/json"),
        ("accept", "application/json, text/event-stream"),
        ("mcp-protocol-version", VERSION),
        ("mcp-method", method),
    ];
    headers.extend(name.map(|name| ("mcp-name", name)));
    server.request("POST", "/mcp", &headers, &message.to_string())
}
