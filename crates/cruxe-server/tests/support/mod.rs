//! Tools that do nothing useful, and a client that knows only lines of JSON.
#![allow(dead_code, reason = "each test binary uses a part of it")]

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Duration;

use cruxe_server::answers::{Line, Render, Text};
use cruxe_server::contract::{ErrorCode, ToolError};
use cruxe_server::{Call, JsonAnswer, Server, StdioError, Tool, ToolAnswer, ToolSpec, serve_stdio_within, typed};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, duplex};
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// Longer than anything takes on a busy machine; reaching it is a failure.
const PATIENCE: Duration = Duration::from_secs(30);

/// A door that calls wait at, and the count of those that do.
#[derive(Default)]
pub struct Gate {
    state: Mutex<(usize, bool)>,
    news: Condvar,
}

impl Gate {
    /// Waits until the gate is open.
    fn pass(&self) {
        let mut state = self.state.lock().unwrap();
        state.0 += 1;
        self.news.notify_all();
        while !state.1 {
            state = self.news.wait(state).unwrap();
        }
    }

    pub fn open(&self) {
        self.state.lock().unwrap().1 = true;
        self.news.notify_all();
    }

    /// Waits until `count` calls have come to the gate.
    pub async fn reached_by(self: &Arc<Self>, count: usize) {
        let gate = Arc::clone(self);
        let waiting = tokio::task::spawn_blocking(move || {
            let state = gate.state.lock().unwrap();
            let (_state, wait) = gate.news.wait_timeout_while(state, PATIENCE, |state| state.0 < count).unwrap();
            assert!(!wait.timed_out(), "fewer than {count} calls at the gate");
        });
        waiting.await.unwrap();
    }
}

#[derive(Deserialize, JsonSchema)]
struct EchoInput {
    /// What to say.
    text: String,
    /// How loud.
    loudness: Option<Loudness>,
    #[serde(default)]
    times: u32,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Loudness {
    /// For libraries.
    Low,
    /// For concerts.
    High,
}

#[derive(Serialize, JsonSchema)]
struct EchoOutput {
    /// What was said.
    text: String,
    times: u32,
    workspace: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
struct Nothing {}

#[derive(Serialize, JsonSchema)]
struct Done {
    done: bool,
}

impl Render for Done {
    fn text(&self) -> Text {
        Text { notes: Vec::new(), lines: vec![Line::new().plain("done")] }
    }
}

impl Render for EchoOutput {
    fn text(&self) -> Text {
        Text { notes: Vec::new(), lines: vec![Line::new().plain(&self.text)] }
    }
}

/// A tool whose contract is an array.
struct Numbers;

impl Tool for Numbers {
    fn spec(&self) -> ToolSpec {
        ToolSpec::new("numbers", "Numbers", "Lists numbers.")
    }

    fn call(&self, _call: &Call) -> Result<ToolAnswer, ToolError> {
        JsonAnswer::array("numbers", &[1, 2, 3], &json!({"ref": "main"})).map(ToolAnswer::Json)
    }
}

/// Makes the server; `gate` is what the tools `wait` and `work` wait at.
pub fn server(gate: &Arc<Gate>) -> Arc<Server> {
    let tools = vec![
        typed(ToolSpec::new("echo", "Echo", "Says it again."), |input: EchoInput, call| {
            let workspace = call.workspace().map(str::to_owned);
            Ok(EchoOutput { text: input.text, times: input.times, workspace })
        }),
        Arc::new(Numbers),
        typed(ToolSpec::new("break", "Break", "Panics."), |_: Nothing, _| -> Result<Done, _> {
            panic!("broken: {}", 7)
        }),
        typed(ToolSpec::new("stale", "Stale", "Refuses."), |_: Nothing, _| -> Result<Done, _> {
            Err(ToolError::new(ErrorCode::IndexStale, "Index is stale.").with("last_indexed_commit", "abc"))
        }),
        waiting_tool(gate),
        cancellable_tool(gate),
        typed(ToolSpec::new("count", "Count", "Reports progress.").writes(), |_: Nothing, call| {
            for done in 1..=50 {
                call.work.tell(done, 50);
            }
            Ok(Done { done: true })
        }),
    ];
    Arc::new(Server::new("dummy", "1.2.3", "Use echo.", tools))
}

fn waiting_tool(gate: &Arc<Gate>) -> Arc<dyn Tool> {
    let gate = Arc::clone(gate);
    typed(ToolSpec::new("wait", "Wait", "Waits for the gate.").writes(), move |input: EchoInput, _| {
        gate.pass();
        Ok(EchoOutput { text: input.text, times: input.times, workspace: None })
    })
}

/// Comes to the gate once when it begins and once when it has been cancelled.
fn cancellable_tool(gate: &Arc<Gate>) -> Arc<dyn Tool> {
    let gate = Arc::clone(gate);
    typed(ToolSpec::new("work", "Work", "Works until it is cancelled."), move |_: Nothing, call| {
        let tick = || gate.state.lock().unwrap().0 += 1;
        tick();
        gate.news.notify_all();
        while !call.work.is_cancelled() {
            thread::park_timeout(Duration::from_millis(1));
        }
        tick();
        gate.news.notify_all();
        Ok(Done { done: true })
    })
}

/// A client of raw lines.
pub struct Client {
    pub to_server: Option<DuplexStream>,
    from_server: Option<BufReader<DuplexStream>>,
    pub served: JoinHandle<Result<(), StdioError>>,
    early: VecDeque<Value>,
}

impl Client {
    pub fn connect(server: Arc<Server>) -> Client {
        Client::connect_with(server, PATIENCE)
    }

    /// A client that has shaken hands with a server that waits for nothing once its input has ended.
    pub async fn hasty(server: Arc<Server>) -> Client {
        let mut client = Client::connect_with(server, Duration::from_millis(1));
        client.shake_hands().await;
        client
    }

    fn connect_with(server: Arc<Server>, grace: Duration) -> Client {
        let (to_server, input) = duplex(64 << 10);
        let (output, from_server) = duplex(64 << 10);
        Client {
            to_server: Some(to_server),
            from_server: Some(BufReader::new(from_server)),
            served: tokio::spawn(serve_stdio_within(grace, server, input, output)),
            early: VecDeque::new(),
        }
    }

    /// A client that has shaken hands.
    pub async fn initialized(server: Arc<Server>) -> Client {
        let mut client = Client::connect(server);
        client.shake_hands().await;
        client
    }

    async fn shake_hands(&mut self) {
        self.initialize("2025-06-18").await;
        self.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
    }

    pub async fn initialize(&mut self, version: &str) -> Value {
        let info = json!({"name": "test", "version": "1"});
        let params = json!({"protocolVersion": version, "capabilities": {}, "clientInfo": info});
        self.ask("init", "initialize", params).await["result"].clone()
    }

    pub async fn send(&mut self, line: impl AsRef<[u8]>) {
        let stream = self.to_server.as_mut().expect("input is open");
        stream.write_all(line.as_ref()).await.unwrap();
        stream.write_all(b"\n").await.unwrap();
    }

    pub async fn request(&mut self, id: impl Into<Value>, method: &str, params: Value) {
        let id = id.into();
        self.send(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()).await;
    }

    /// Takes the next message, whatever it is.
    pub async fn next(&mut self) -> Value {
        match self.early.pop_front() {
            Some(message) => message,
            None => self.read().await,
        }
    }

    async fn read(&mut self) -> Value {
        let mut line = String::new();
        let stream = self.from_server.as_mut().expect("output is open");
        let read = timeout(PATIENCE, stream.read_line(&mut line)).await.expect("no message").unwrap();
        assert!(read > 0, "the server has closed its output");
        serde_json::from_str(&line).expect("a line of JSON")
    }

    /// Takes the answer to a request; other messages are kept.
    pub async fn answer(&mut self, id: impl Into<Value>) -> Value {
        let id = id.into();
        if let Some(found) = self.early.iter().position(|message| message["id"] == id) {
            return self.early.remove(found).unwrap();
        }
        loop {
            let message = self.read().await;
            if message["id"] == id {
                return message;
            }
            self.early.push_back(message);
        }
    }

    pub async fn ask(&mut self, id: impl Into<Value>, method: &str, params: Value) -> Value {
        let id = id.into();
        self.request(id.clone(), method, params).await;
        self.answer(id).await
    }

    pub async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.ask("call", "tools/call", json!({"name": tool, "arguments": arguments})).await
    }

    /// Asserts that the server still answers and has sent nothing else meanwhile.
    pub async fn assert_quiet_and_alive(&mut self) {
        self.request("alive", "ping", json!({})).await;
        assert_eq!(self.next().await, json!({"jsonrpc": "2.0", "id": "alive", "result": {}}));
    }

    /// Closes the server's input.
    pub fn close_input(&mut self) {
        self.to_server = None;
    }

    /// Stops reading the server's output.
    pub fn close_output(&mut self) {
        self.from_server = None;
    }

    /// Waits until serving has ended.
    pub async fn ended(self) -> Result<(), StdioError> {
        timeout(PATIENCE, self.served).await.expect("serving goes on").unwrap()
    }
}
