//! How often a client may call a tool.
//!
//! A bucket holds as many calls as may come at once and is refilled evenly. Beside it the calls of the last minute are
//! counted, because that is the figure that a client compares with the limit.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use cruxe_deck::config::RateLimit;

/// The time over which calls are counted.
pub const WINDOW: Duration = Duration::from_secs(60);

/// The calls of one tool over one connection.
#[derive(Debug, Default)]
pub struct Bucket {
    /// Calls that may still come at once, as of a moment; a bucket that was never used is full.
    left: Option<(f64, Instant)>,
    admitted: VecDeque<Instant>,
}

/// A call that came too early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refused {
    /// When it would be admitted, in whole seconds from now; never 0.
    pub retry_after_seconds: u64,
    /// How many calls were admitted within the last minute.
    pub current_count: usize,
}

impl Bucket {
    /// Takes a call, or says when to come again.
    pub fn admit(&mut self, limit: RateLimit, now: Instant) -> Result<(), Refused> {
        let (burst, per_second) = (f64::from(limit.burst), f64::from(limit.per_minute) / WINDOW.as_secs_f64());
        let left = match self.left {
            Some((left, at)) => (left + now.saturating_duration_since(at).as_secs_f64() * per_second).min(burst),
            None => burst,
        };
        while self.admitted.front().is_some_and(|at| now.saturating_duration_since(*at) >= WINDOW) {
            self.admitted.pop_front();
        }
        if left < 1.0 {
            self.left = Some((left, now));
            let wait = (1.0 - left) / per_second;
            let retry_after_seconds = (wait.ceil() as u64).max(1);
            return Err(Refused { retry_after_seconds, current_count: self.admitted.len() });
        }
        self.left = Some((left - 1.0, now));
        self.admitted.push_back(now);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: RateLimit = RateLimit { per_minute: 10, burst: 15 };

    #[test]
    fn a_burst_is_admitted_and_then_one_call_every_six_seconds() {
        let (mut bucket, start) = (Bucket::default(), Instant::now());
        for _ in 0..15 {
            assert_eq!(bucket.admit(LIMIT, start), Ok(()));
        }
        assert_eq!(bucket.admit(LIMIT, start), Err(Refused { retry_after_seconds: 6, current_count: 15 }));
        let later = start + Duration::from_millis(2500);
        assert_eq!(bucket.admit(LIMIT, later), Err(Refused { retry_after_seconds: 4, current_count: 15 }));
        let just_before = start + Duration::from_millis(5999);
        assert_eq!(bucket.admit(LIMIT, just_before), Err(Refused { retry_after_seconds: 1, current_count: 15 }));
        assert_eq!(bucket.admit(LIMIT, start + Duration::from_millis(6001)), Ok(()));
        let refused = bucket.admit(LIMIT, start + Duration::from_millis(6001)).unwrap_err();
        assert_eq!((refused.retry_after_seconds, refused.current_count), (6, 16));
    }

    #[test]
    fn waiting_as_long_as_was_said_is_enough() {
        for per_minute in [1, 7, 10, 30, 59] {
            let limit = RateLimit { per_minute, burst: 2 };
            let (mut bucket, mut now) = (Bucket::default(), Instant::now());
            for _ in 0..50 {
                if let Err(refused) = bucket.admit(limit, now) {
                    now += Duration::from_secs(refused.retry_after_seconds);
                    assert_eq!(bucket.admit(limit, now), Ok(()), "{per_minute} a minute");
                }
            }
        }
    }

    #[test]
    fn the_bucket_never_holds_more_than_the_burst_and_old_calls_are_forgotten() {
        let (mut bucket, start) = (Bucket::default(), Instant::now());
        assert_eq!(bucket.admit(LIMIT, start), Ok(()));
        let later = start + Duration::from_secs(3600);
        for _ in 0..15 {
            assert_eq!(bucket.admit(LIMIT, later), Ok(()));
        }
        assert_eq!(bucket.admit(LIMIT, later), Err(Refused { retry_after_seconds: 6, current_count: 15 }));
    }
}
