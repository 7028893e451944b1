//! A home, repositories and processes for one test.

mod client;
mod http;
mod sandbox;
pub mod sources;

use std::time::{Duration, Instant};

pub use client::{Client, places};
pub use http::{HttpServer, HttpSession, Reply, initialize, read_reply, sessionless};
pub use sandbox::{Repo, Run, Sandbox, run};

/// Long enough for a loaded machine; a test that needs it has failed.
pub const DEADLINE: Duration = Duration::from_secs(60);

/// Asks until there is an answer. Says what it was waiting for when there is none in time.
pub fn eventually<T>(what: &str, deadline: Duration, mut ask: impl FnMut() -> Option<T>) -> T {
    let started = Instant::now();
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(started.elapsed() < deadline, "{what}: not within {deadline:?}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Numbers that look random and are the same in every run (xorshift).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}
