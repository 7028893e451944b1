//! A raw client: writes JSON lines, reads JSON lines, and believes nothing.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

use super::{DEADLINE, eventually};

/// A server process and the client's end of its pipes.
pub struct Client {
    child: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    log: Arc<Mutex<String>>,
    next_id: u64,
    /// What came and was no answer.
    pub notifications: Vec<Value>,
}

impl Client {
    /// Starts a server and introduces itself.
    pub fn start(command: Command) -> Client {
        let mut client = Client::start_silent(command);
        let hello = json!({
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "it", "version": "1"},
        });
        let answer = client.request("initialize", hello);
        assert_eq!(answer["result"]["serverInfo"]["name"], "cruxe", "{answer}");
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    }

    /// Starts a server and says nothing.
    pub fn start_silent(mut command: Command) -> Client {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (sender, messages) = channel();
        let output = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || {
            for line in output.lines() {
                // A line that is no JSON is a bug of the server and shows as a value that fits nothing.
                let Ok(line) = line else { return };
                let message = serde_json::from_str(&line)
                    .unwrap_or_else(|_| json!({"not_json": line.chars().take(400).collect::<String>()}));
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let log = Arc::new(Mutex::new(String::new()));
        let (kept, mut errors) = (Arc::clone(&log), child.stderr.take().unwrap());
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count @ 1..) = errors.read(&mut buffer) {
                kept.lock().unwrap().push_str(&String::from_utf8_lossy(&buffer[..count]));
            }
        });
        let input = child.stdin.take();
        Client { child, input, messages, log, next_id: 0, notifications: Vec::new() }
    }

    /// What the server wrote to stderr so far.
    pub fn log(&self) -> String {
        self.log.lock().unwrap().clone()
    }

    pub fn send(&mut self, message: &Value) {
        self.send_line(&message.to_string());
    }

    pub fn send_line(&mut self, line: &str) {
        let input = self.input.as_mut().unwrap();
        input.write_all(format!("{line}\n").as_bytes()).unwrap();
        input.flush().unwrap();
    }

    /// The next message of the server.
    pub fn receive(&mut self) -> Value {
        match self.messages.recv_timeout(DEADLINE) {
            Ok(message) => {
                assert!(message.get("not_json").is_none(), "stdout is for the protocol: {message}");
                message
            }
            Err(RecvTimeoutError::Timeout) => panic!("the server says nothing; its log:\n{}", self.log()),
            Err(RecvTimeoutError::Disconnected) => panic!("the server ended; its log:\n{}", self.log()),
        }
    }

    /// Sends a request and waits for its answer; notifications on the way are kept.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        self.next_id += 1;
        let id = self.next_id;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        loop {
            let message = self.receive();
            if message["id"] == id {
                return message;
            }
            self.notifications.push(message);
        }
    }

    /// Calls a tool and gives back the result, whatever it is, after a look at its form.
    pub fn result(&mut self, params: Value) -> Value {
        let answer = self.request("tools/call", params);
        let result = answer["result"].clone();
        assert!(result.is_object(), "{answer}");
        let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
        assert_eq!(text, result["structuredContent"], "the text says what the structure says");
        result
    }

    /// The answer of a tool, good or bad.
    pub fn answer(&mut self, tool: &str, arguments: Value) -> Result<Value, Value> {
        let result = self.result(json!({"name": tool, "arguments": arguments}));
        let content = result["structuredContent"].clone();
        if result["isError"] == true {
            let error = content["error"].clone();
            assert!(error["message"].as_str().is_some_and(|text| !text.is_empty()), "{error}");
            assert!(error["data"]["suggestion"].as_str().is_some_and(|text| !text.is_empty()), "{error}");
            return Err(error);
        }
        check_metadata(&content["metadata"]);
        Ok(content)
    }

    /// The answer of a tool that must succeed.
    pub fn ok(&mut self, tool: &str, arguments: Value) -> Value {
        match self.answer(tool, arguments.clone()) {
            Ok(answer) => answer,
            Err(error) => panic!("{tool} {arguments}: {error}\nlog: {}", self.log()),
        }
    }

    /// The error of a tool that must fail.
    pub fn error(&mut self, tool: &str, arguments: Value) -> Value {
        match self.answer(tool, arguments.clone()) {
            Ok(answer) => panic!("{tool} {arguments} succeeded: {answer}"),
            Err(error) => error,
        }
    }

    /// `path:line` of every definition of a name.
    pub fn places(&mut self, name: &str) -> Vec<String> {
        places(&self.ok("locate_symbol", json!({"name": name})))
    }

    /// Waits until what is checked out is indexed and nothing is going on; the state then.
    pub fn ready(&mut self) -> Value {
        eventually("the index is ready", DEADLINE, || {
            let status = self.ok("index_status", json!({}));
            (status["index_status"] == "ready" && status["active_job"].is_null()).then_some(status)
        })
    }

    /// Waits until a job has ended; its row.
    pub fn wait_for_job(&mut self, id: &Value) -> Value {
        eventually("the job ends", DEADLINE, || {
            let status = self.ok("index_status", json!({}));
            let jobs = status["recent_jobs"].as_array().unwrap();
            jobs.iter().find(|job| job["job_id"] == *id).cloned()
        })
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Says nothing any more.
    pub fn close_input(&mut self) {
        self.input = None;
    }

    /// Closes the input and waits for the end; the exit code.
    pub fn finish(mut self) -> Option<i32> {
        self.input = None;
        eventually("the server ends", Duration::from_secs(10), || self.child.try_wait().unwrap()).code()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// `path:line` of every result.
pub fn places(answer: &Value) -> Vec<String> {
    let results = answer["results"].as_array().unwrap();
    results.iter().map(|found| format!("{}:{}", found["path"].as_str().unwrap(), found["line_start"])).collect()
}

/// What every answer's metadata has, with nothing but the words of the contract.
fn check_metadata(metadata: &Value) {
    let one_of = |key: &str, words: &[&str]| {
        let word = metadata[key].as_str().unwrap_or_default();
        assert!(words.contains(&word), "metadata.{key} is {word:?}: {metadata}");
    };
    one_of("cruxe_protocol_version", &["1.0"]);
    one_of("codecompass_protocol_version", &["1.0"]);
    one_of("freshness_status", &["fresh", "stale", "syncing"]);
    one_of("indexing_status", &["not_indexed", "indexing", "ready", "failed"]);
    one_of("result_completeness", &["complete", "partial", "truncated"]);
    one_of("schema_status", &["compatible", "not_indexed", "reindex_required", "corrupt_manifest"]);
    assert!(metadata["ref"].is_string(), "{metadata}");
}
