//! Whether anybody waits for an answer. What can wait is done when nobody does: at the start of a server the first question
//! and what makes later ones cheaper would take the processors from each other.

use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

/// It is quiet when nobody has asked for so long.
const PAUSE: Duration = Duration::from_millis(100);
/// What can wait waits at most so long.
const AT_MOST: Duration = Duration::from_secs(2);

/// The questions that are being answered.
#[derive(Default)]
pub(crate) struct Quiet {
    asking: Mutex<usize>,
    news: Condvar,
}

/// A question that is being answered until this is dropped.
pub(crate) struct Asking<'q>(&'q Quiet);

impl Quiet {
    /// Notes a question.
    pub fn asking(&self) -> Asking<'_> {
        *self.asking.lock() += 1;
        self.news.notify_all();
        Asking(self)
    }

    /// Blocks until nobody has asked for a while, or for long enough.
    pub fn wait(&self) {
        let deadline = Instant::now() + AT_MOST;
        let mut asking = self.asking.lock();
        loop {
            let until = if *asking == 0 { deadline.min(Instant::now() + PAUSE) } else { deadline };
            if self.news.wait_until(&mut asking, until).timed_out() {
                return;
            }
        }
    }

    /// Waits for a pause in which nobody waits for an answer, or for long enough, without a thread.
    pub async fn pause(&self) {
        let deadline = Instant::now() + AT_MOST;
        while Instant::now() < deadline {
            tokio::time::sleep(PAUSE).await;
            if *self.asking.lock() == 0 {
                return;
            }
        }
    }
}

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        *self.0.asking.lock() -= 1;
        self.0.news.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_wait_waits_for_a_question_and_a_pause_after_it() {
        let quiet = Quiet::default();
        std::thread::scope(|scope| {
            let question = quiet.asking();
            let waiting = scope.spawn(|| {
                quiet.wait();
                Instant::now()
            });
            drop(quiet.asking());
            let answered = Instant::now();
            drop(question);
            assert!(waiting.join().unwrap() >= answered + PAUSE);
        });
    }

    #[test]
    fn a_question_without_end_is_not_waited_for() {
        let (quiet, began) = (Quiet::default(), Instant::now());
        let _question = quiet.asking();
        quiet.wait();
        assert!(began.elapsed() >= AT_MOST);
    }
}
