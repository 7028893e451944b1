//! A storage that speaks as much S3 as the program needs, and misbehaves on demand.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

/// How it behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mood {
    Fine,
    /// Every request is answered with an error of the server.
    Failing,
    /// Every other request is.
    Shaky,
    /// Every answer takes so long.
    Slow(Duration),
    /// Requests are taken and never answered.
    Hanging,
    /// Half of what was asked for comes, then the connection ends.
    Cutting,
}

struct Shared {
    objects: Mutex<HashMap<String, Vec<u8>>>,
    google: bool,
    /// Why requests were refused that a store like Google's refuses.
    refusals: Mutex<Vec<String>>,
    mood: Mutex<Mood>,
    asked: Mutex<u64>,
}

pub struct Store {
    pub address: String,
    shared: Arc<Shared>,
}

impl Store {
    pub fn start() -> Store {
        Store::made(false)
    }

    /// One that takes and answers requests as Google's does where that differs from Amazon's.
    pub fn like_google() -> Store {
        Store::made(true)
    }

    fn made(google: bool) -> Store {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let shared = Arc::new(Shared {
            objects: Mutex::default(),
            google,
            refusals: Mutex::default(),
            mood: Mutex::new(Mood::Fine),
            asked: Mutex::default(),
        });
        let served = Arc::clone(&shared);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&served);
                std::thread::spawn(move || while answer(&shared, &stream).is_some() {});
            }
        });
        Store { address, shared }
    }

    pub fn set(&self, mood: Mood) {
        *self.shared.mood.lock() = mood;
    }

    /// How many requests came.
    pub fn asked(&self) -> u64 {
        *self.shared.asked.lock()
    }

    /// Why requests were refused.
    pub fn refusals(&self) -> Vec<String> {
        self.shared.refusals.lock().clone()
    }

    /// Loses everything.
    pub fn lose_all(&self) {
        self.shared.objects.lock().clear();
    }

    pub fn objects(&self) -> usize {
        self.shared.objects.lock().len()
    }
}

/// Answers one request; `None` where the connection ends.
fn answer(shared: &Shared, mut stream: &TcpStream) -> Option<()> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
    let mut words = line.split_whitespace().map(str::to_owned);
    let (method, path) = (words.next()?, words.next()?);
    let mut headers = HashMap::new();
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).ok()?;
        let Some((name, value)) = header.trim().split_once(':') else { break };
        headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    let length = headers.get("content-length").map_or(Some(0), |length| length.parse().ok())?;
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let number = {
        let mut asked = shared.asked.lock();
        *asked += 1;
        *asked
    };
    let mood = *shared.mood.lock();
    let failing = (503, b"<Error><Code>SlowDown</Code></Error>".to_vec());
    let (status, body) = match mood {
        Mood::Failing => failing,
        Mood::Shaky if number.is_multiple_of(2) => failing,
        Mood::Hanging => {
            while *shared.mood.lock() == Mood::Hanging {
                std::thread::sleep(Duration::from_millis(20));
            }
            return None;
        }
        _ => match refusal(shared, &method, &path, &headers) {
            Some(why) => {
                shared.refusals.lock().push(format!("{method} {path}: {why}"));
                (403, b"<Error><Code>SignatureDoesNotMatch</Code></Error>".to_vec())
            }
            None => act(shared, &method, path, body),
        },
    };
    if let Mood::Slow(pause) = mood {
        std::thread::sleep(pause);
    }
    let head = format!("HTTP/1.1 {status} x\r\ncontent-length: {}\r\n\r\n", body.len());
    stream.write_all(head.as_bytes()).ok()?;
    if mood == Mood::Cutting && !body.is_empty() {
        let _ = stream.write_all(&body[..body.len() / 2]);
        let _ = stream.shutdown(std::net::Shutdown::Both);
        return None;
    }
    stream.write_all(&body).ok()
}

/// What Google's store would not take. Its front changes `accept-encoding` on the way, so that a signature over it never holds; it knows
/// no bodies in signed pieces, no checksums of Amazon's, and no bucket in the name of a host that was not asked for.
fn refusal(shared: &Shared, method: &str, path: &str, headers: &HashMap<String, String>) -> Option<String> {
    if !shared.google {
        return None;
    }
    let header = |name: &str| headers.get(name).map(String::as_str).unwrap_or_default();
    let authorization = header("authorization");
    let part =
        |name: &str| authorization.split([' ', ',']).find_map(|part| part.strip_prefix(name)).unwrap_or_default();
    let content = header("x-amz-content-sha256");
    let strange = headers.keys().find(|name| {
        let known = ["x-amz-content-sha256", "x-amz-date"].contains(&name.as_str());
        (name.starts_with("x-amz-") || name.starts_with("x-goog-") || name.starts_with("amz-sdk-")) && !known
    });
    let checks = [
        (authorization.starts_with("AWS4-HMAC-SHA256 "), "no signature of version 4"),
        (part("SignedHeaders=") == "host;x-amz-content-sha256;x-amz-date", "other headers are signed"),
        (part("Credential=").ends_with("/auto/s3/aws4_request"), "another region or service"),
        (content.len() == 64 && content.bytes().all(|byte| byte.is_ascii_hexdigit()), "the body is not signed as one"),
        (strange.is_none(), "a header that it does not know"),
        (path.starts_with("/bucket/"), "the bucket does not stand in the path"),
        (method != "PUT" || headers.contains_key("content-length"), "no length"),
        (!headers.contains_key("transfer-encoding"), "a body in pieces"),
    ];
    let why = checks.into_iter().find(|(holds, _)| !holds)?;
    Some(format!("{} ({headers:?})", why.1))
}

fn act(shared: &Shared, method: &str, path: String, body: Vec<u8>) -> (u16, Vec<u8>) {
    let mut objects = shared.objects.lock();
    match method {
        "PUT" => {
            objects.insert(path, body);
            (200, Vec::new())
        }
        "GET" => objects.get(&path).map_or((404, b"<Code>NoSuchKey</Code>".to_vec()), |body| (200, body.clone())),
        "DELETE" => match objects.remove(&path) {
            None if shared.google => (404, b"<Error><Code>NoSuchKey</Code></Error>".to_vec()),
            _ => (204, Vec::new()),
        },
        _ => (405, Vec::new()),
    }
}
