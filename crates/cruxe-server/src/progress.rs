//! How a running call speaks with the client: progress out, cancellation in.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use cruxe_model::CancelFlag;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// Ten notes a second are enough for a person to watch and cost a client nothing.
const INTERVAL: Duration = Duration::from_millis(100);

/// One report on how far a call is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// How many steps are done.
    pub done: u64,
    /// How many there are, where that is known.
    pub total: Option<u64>,
    /// What is being done, for people.
    pub message: String,
}

/// Where a call reports how far it is. Cheap to clone; works from any thread.
#[derive(Clone, Debug, Default)]
pub struct Progress(Option<Arc<Sink>>);

#[derive(Debug)]
struct Sink {
    notes: UnboundedSender<Note>,
    last: Mutex<Option<(Instant, u64)>>,
}

impl Progress {
    /// Progress that nobody asked for: reports go nowhere.
    pub fn silent() -> Progress {
        Progress(None)
    }

    /// Whether anybody listens.
    pub fn is_wanted(&self) -> bool {
        self.0.is_some()
    }

    /// Progress whose reports come out of the other end.
    pub fn channel() -> (Progress, UnboundedReceiver<Note>) {
        let (notes, receiver) = unbounded_channel();
        (Progress(Some(Arc::new(Sink { notes, last: Mutex::new(None) }))), receiver)
    }

    /// The same flag, through which questions that look into files tell how many they are through with.
    pub(crate) fn heard_through(&self, cancel: CancelFlag) -> CancelFlag {
        let progress = self.clone();
        match self.is_wanted() {
            true => cancel.heard_by(move |done, total| progress.report(done, Some(total), "files")),
            false => cancel,
        }
    }

    /// Reports that `done` of `total` steps are done.
    ///
    /// Reports that follow each other faster than ten a second are dropped, the last step excepted. So are those that
    /// do not advance: MCP demands that the figure grows.
    pub fn report(&self, done: u64, total: Option<u64>, message: &str) {
        let Some(sink) = &self.0 else { return };
        let mut last = sink.last.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        if let Some((at, reported)) = *last {
            let complete = total == Some(done);
            if done <= reported || (now.duration_since(at) < INTERVAL && !complete) {
                return;
            }
        }
        *last = Some((now, done));
        // An error means that the call has been answered already; then nobody waits for its progress.
        let _ = sink.notes.send(Note { done, total, message: message.to_owned() });
    }
}

/// Sets the flag when dropped before [`SetOnDrop::disarm`]: whoever waits for a call tells it by going away.
pub(crate) struct SetOnDrop(Option<CancelFlag>);

impl SetOnDrop {
    pub(crate) fn new(flag: CancelFlag) -> SetOnDrop {
        SetOnDrop(Some(flag))
    }

    pub(crate) fn disarm(mut self) {
        self.0 = None;
    }
}

impl Drop for SetOnDrop {
    fn drop(&mut self) {
        if let Some(flag) = &self.0 {
            flag.set();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn received(mut notes: UnboundedReceiver<Note>) -> Vec<u64> {
        std::iter::from_fn(|| notes.try_recv().ok()).map(|note| note.done).collect()
    }

    #[test]
    fn a_flood_of_reports_is_cut_to_the_first_and_the_last() {
        let (progress, notes) = Progress::channel();
        // Within the interval even on a slow machine: ten reports take microseconds.
        (1..=10).for_each(|done| progress.report(done, Some(10), "files"));
        assert_eq!(received(notes), [1, 10]);
    }

    #[test]
    fn reports_that_do_not_advance_are_dropped() {
        let (progress, notes) = Progress::channel();
        progress.report(3, Some(3), "files");
        progress.report(3, Some(3), "files");
        progress.report(2, Some(2), "files");
        assert_eq!(received(notes), [3]);
    }

    #[test]
    fn reports_after_the_answer_go_nowhere() {
        let (progress, notes) = Progress::channel();
        drop(notes);
        progress.report(1, None, "late");
        Progress::silent().report(1, None, "nobody");
    }

    #[test]
    fn the_flag_is_set_unless_the_call_was_answered() {
        let (left, answered) = (CancelFlag::default(), CancelFlag::default());
        drop(SetOnDrop::new(left.clone()));
        SetOnDrop::new(answered.clone()).disarm();
        assert!(left.is_set());
        assert!(!answered.is_set());
    }
}
