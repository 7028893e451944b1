//! How a running call speaks with the client: progress out, cancellation in.

use std::time::{Duration, Instant};

use cruxe_model::Work;
use parking_lot::Mutex;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// Ten reports a second are enough for a person to watch and cost a client nothing.
const INTERVAL: Duration = Duration::from_millis(100);

/// One report on how far a call is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ProgressReport {
    /// How many steps are done.
    pub done: u64,
    /// How many there are.
    pub total: u64,
}

/// The same work, and the other end at which its reports come out.
///
/// Reports that follow each other faster than ten a second are dropped, the last step excepted. So are those that do not
/// advance: MCP demands that the figure grows.
pub(crate) fn reporting(work: Work) -> (Work, UnboundedReceiver<ProgressReport>) {
    let (reports, receiver) = unbounded_channel();
    let last: Mutex<Option<(Instant, u64)>> = Mutex::default();
    let send = move |done, total| {
        let mut last = last.lock();
        let now = Instant::now();
        if let Some((at, reported)) = *last
            && (done <= reported || (now.duration_since(at) < INTERVAL && done != total))
        {
            return;
        }
        *last = Some((now, done));
        // An error means that the call has been answered already; then nobody waits for its progress.
        let _ = reports.send(ProgressReport { done, total });
    };
    (work.heard_by(send), receiver)
}

/// Cancels work when dropped before [`CancelOnDrop::disarm`]: whoever waits for a call tells it by going away.
pub(crate) struct CancelOnDrop(Option<Work>);

impl CancelOnDrop {
    pub(crate) fn new(work: Work) -> CancelOnDrop {
        CancelOnDrop(Some(work))
    }

    pub(crate) fn disarm(mut self) {
        self.0 = None;
    }
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        if let Some(work) = &self.0 {
            work.cancel();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn received(mut reports: UnboundedReceiver<ProgressReport>) -> Vec<u64> {
        std::iter::from_fn(|| reports.try_recv().ok()).map(|report| report.done).collect()
    }

    #[test]
    fn a_flood_of_reports_is_cut_to_the_first_and_the_last() {
        let (work, reports) = reporting(Work::default());
        // Within the interval even on a slow machine: ten reports take microseconds.
        (1..=10).for_each(|done| work.tell(done, 10));
        assert_eq!(received(reports), [1, 10]);
    }

    #[test]
    fn reports_that_do_not_advance_are_dropped() {
        let (work, reports) = reporting(Work::default());
        for done in [3, 3, 2] {
            work.tell(done, done);
        }
        assert_eq!(received(reports), [3]);
    }

    #[test]
    fn reports_after_the_answer_go_nowhere() {
        let (work, reports) = reporting(Work::default());
        drop(reports);
        work.tell(1, 2);
    }

    #[test]
    fn work_is_cancelled_unless_the_call_was_answered() {
        let (left, answered) = (Work::default(), Work::default());
        drop(CancelOnDrop::new(left.clone()));
        CancelOnDrop::new(answered.clone()).disarm();
        assert!(left.is_cancelled());
        assert!(!answered.is_cancelled());
    }
}
