//! What the database tells by itself: states that were published, tokens that changed, jobs that are due.
//!
//! `LISTEN` is quick but not everywhere (poolers, compatible engines), and what is told while nobody listens is lost. So
//! whoever follows also looks for itself every two seconds.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, unbounded};
use tokio_postgres::Client;

use crate::database::Database;

/// A repository has a new state.
pub(crate) const STATES: &str = "cruxe_state";
/// Tokens or grants changed.
pub(crate) const TOKENS: &str = "cruxe_token";
/// A job is due.
pub(crate) const JOBS: &str = "cruxe_job";

/// How often somebody who follows looks for itself.
pub(crate) const LOOK_EVERY: Duration = Duration::from_secs(2);

/// Something that was told.
pub(crate) enum Notice {
    Told {
        channel: String,
        text: String,
    },
    /// The connection ended.
    Lost,
}

/// Follows some channels.
pub(crate) struct Follower {
    database: Arc<Database>,
    channels: &'static [&'static str],
    heard: Option<(Client, Receiver<Notice>)>,
    next_try: Instant,
}

impl Follower {
    pub fn new(database: Arc<Database>, channels: &'static [&'static str]) -> Follower {
        Follower { database, channels, heard: None, next_try: Instant::now() }
    }

    /// Connects anew before it waits again: another connection failed, and this one may be as dead without a word.
    pub fn reconnect(&mut self) {
        self.heard = None;
    }

    /// Waits until something was told, or it is time to look.
    pub fn wait(&mut self, patience: Duration) {
        if self.heard.is_none() && Instant::now() >= self.next_try {
            let (told, heard) = unbounded();
            match self.database.listen(self.channels, told) {
                // What was told before anybody listened is found by a look.
                Ok(client) => {
                    self.heard = Some((client, heard));
                    return;
                }
                Err(_) => self.next_try = Instant::now() + LOOK_EVERY,
            }
        }
        let Some((_, heard)) = &self.heard else { return std::thread::sleep(patience) };
        let mut lost = match heard.recv_timeout(patience) {
            Ok(Notice::Told { channel, text }) => {
                tracing::debug!(channel, text, "the database tells");
                false
            }
            Ok(Notice::Lost) | Err(RecvTimeoutError::Disconnected) => true,
            Err(RecvTimeoutError::Timeout) => false,
        };
        // One look serves all that was told by now.
        lost |= heard.try_iter().any(|notice| matches!(notice, Notice::Lost));
        if lost {
            self.heard = None;
            self.next_try = Instant::now() + Duration::from_millis(200);
        }
    }
}
