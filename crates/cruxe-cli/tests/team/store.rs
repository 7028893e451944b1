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
    mood: Mutex<Mood>,
    asked: Mutex<u64>,
}

pub struct Store {
    pub address: String,
    shared: Arc<Shared>,
}

impl Store {
    pub fn start() -> Store {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let shared =
            Arc::new(Shared { objects: Mutex::default(), mood: Mutex::new(Mood::Fine), asked: Mutex::default() });
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
    let mut length = 0;
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).ok()?;
        match header.trim().split_once(':') {
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => length = value.trim().parse().ok()?,
            Some(_) => {}
            None => break,
        }
    }
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
        _ => act(shared, &method, path, body),
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

fn act(shared: &Shared, method: &str, path: String, body: Vec<u8>) -> (u16, Vec<u8>) {
    let mut objects = shared.objects.lock();
    match method {
        "PUT" => {
            objects.insert(path, body);
            (200, Vec::new())
        }
        "GET" => objects.get(&path).map_or((404, b"<Code>NoSuchKey</Code>".to_vec()), |body| (200, body.clone())),
        "DELETE" => {
            objects.remove(&path);
            (204, Vec::new())
        }
        _ => (405, Vec::new()),
    }
}
