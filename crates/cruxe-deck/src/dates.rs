//! Filters by time: a day, an age, a comparison, a range.
//!
//! | written | means |
//! | --- | --- |
//! | `2024-01-01` | on that day (UTC) |
//! | `>2024-01-01`, `>=`, `<`, `<=` | after, from, before, until that day |
//! | `>2w` | more than two weeks ago |
//! | `<3d` | less than three days ago |
//! | `2024-01-01..2024-02-01`, `..2024-02-01`, `2w..`, `4w..2w` | from … to …, both included |
//!
//! Ages are hours `h`, days `d`, weeks `w`, months `m` (30 days) and years `y` (365 days).

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan};

/// Moments from one on and before another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DateFilter {
    from: Option<Timestamp>,
    before: Option<Timestamp>,
}

/// A filter that makes no sense.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no date filter; write 2024-01-01, >2w (older), <3d (newer) or 2024-01-01..2024-02-01")]
pub struct BadFilter(String);

impl DateFilter {
    /// Reads a filter as of a moment.
    pub fn parse(text: &str, now: Timestamp) -> Result<DateFilter, BadFilter> {
        read(text.trim(), now).ok_or_else(|| BadFilter(text.chars().take(80).collect()))
    }

    /// Returns whether a moment passes.
    pub fn matches(&self, time: Timestamp) -> bool {
        self.from.is_none_or(|from| time >= from) && self.before.is_none_or(|before| time < before)
    }
}

fn read(text: &str, now: Timestamp) -> Option<DateFilter> {
    if let Some((from, to)) = text.split_once("..") {
        let (from, to) = (from.trim(), to.trim());
        let from = if from.is_empty() { None } else { Some(Point::parse(from)?.start(now)?) };
        let before = if to.is_empty() { None } else { Some(Point::parse(to)?.end(now)?) };
        return (from.is_some() || before.is_some()).then_some(DateFilter { from, before });
    }
    let only = |from, before| Some(DateFilter { from, before });
    for (sign, is_or_equal, is_greater) in
        [(">=", true, true), ("<=", true, false), (">", false, true), ("<", false, false)]
    {
        let Some(rest) = text.strip_prefix(sign) else { continue };
        let point = Point::parse(rest.trim())?;
        return match (&point, is_greater) {
            // An age that is greater is a moment that is earlier.
            (Point::Age(_), true) => only(None, Some(point.start(now)?)),
            (Point::Age(_), false) => only(Some(point.start(now)?), None),
            (Point::Day(_), true) => only(Some(if is_or_equal { point.start(now)? } else { point.end(now)? }), None),
            (Point::Day(_), false) => only(None, Some(if is_or_equal { point.end(now)? } else { point.start(now)? })),
        };
    }
    match Point::parse(text)? {
        day @ Point::Day(_) => only(Some(day.start(now)?), Some(day.end(now)?)),
        // Two weeks ago to the second is nobody's question.
        Point::Age(_) => None,
    }
}

enum Point {
    Day(Date),
    Age(SignedDuration),
}

impl Point {
    fn parse(text: &str) -> Option<Point> {
        if let Ok(day) = text.parse::<Date>()
            && text.len() == 10
        {
            return Some(Point::Day(day));
        }
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let (number, unit) = text.split_at(digits);
        let hours = match unit {
            "h" => 1,
            "d" => 24,
            "w" => 7 * 24,
            "m" => 30 * 24,
            "y" => 365 * 24,
            _ => return None,
        };
        let number: i64 = number.parse().ok()?;
        Some(Point::Age(SignedDuration::from_secs(number.checked_mul(hours)?.checked_mul(3600)?)))
    }

    /// The first moment.
    fn start(&self, now: Timestamp) -> Option<Timestamp> {
        match self {
            Point::Day(day) => midnight(*day),
            Point::Age(age) => now.checked_sub(*age).ok(),
        }
    }

    /// The first moment that is behind it.
    fn end(&self, now: Timestamp) -> Option<Timestamp> {
        match self {
            Point::Day(day) => midnight(day.checked_add(1.day()).ok()?),
            Point::Age(_) => self.start(now),
        }
    }
}

fn midnight(day: Date) -> Option<Timestamp> {
    TimeZone::UTC.to_timestamp(day.to_datetime(jiff::civil::Time::midnight())).ok()
}

/// Reads a moment as people write it into front matter: with a zone, or a date with or without a time, which is UTC.
pub fn parse_time(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    if let Ok(time) = text.parse::<Timestamp>() {
        return Some(time);
    }
    let time: DateTime = text.parse().ok()?;
    TimeZone::UTC.to_timestamp(time).ok()
}

/// Returns a moment to the second, as cards and answers have it: `2026-01-02T10:43:00Z`. It is cut, not rounded: what has
/// happened is never told as still to come.
pub fn seconds(time: Timestamp) -> String {
    let whole = Timestamp::from_second(time.as_second()).unwrap_or(time);
    whole.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        parse_time(text).unwrap()
    }

    fn matches(filter: &str, time: &str) -> bool {
        DateFilter::parse(filter, at("2024-06-15T12:00:00Z")).unwrap().matches(at(time))
    }

    #[test]
    fn a_day_is_that_day_in_utc() {
        assert!(matches("2024-01-01", "2024-01-01T00:00:00Z"));
        assert!(matches("2024-01-01", "2024-01-01T23:59:59Z"));
        assert!(!matches("2024-01-01", "2024-01-02T00:00:00Z"));
        assert!(!matches("2024-01-01", "2023-12-31T23:59:59Z"));
    }

    #[test]
    fn a_greater_age_is_older_and_a_lesser_one_newer() {
        assert!(matches(">2w", "2024-05-01"));
        assert!(!matches(">2w", "2024-06-14"));
        assert!(matches("<3d", "2024-06-14T00:00:00Z"));
        assert!(!matches("<3d", "2024-06-01"));
        assert!(matches("< 36h", "2024-06-14T01:00:00Z"));
        assert!(matches(">=1y", "2023-06-16T11:00:00Z"));
        assert!(!matches(">1m", "2024-06-01"));
    }

    #[test]
    fn dates_compare_by_whole_days() {
        assert!(!matches(">2024-01-01", "2024-01-01T13:00:00Z"));
        assert!(matches(">2024-01-01", "2024-01-02T00:00:00Z"));
        assert!(matches(">=2024-01-01", "2024-01-01T00:00:00Z"));
        assert!(!matches("<2024-01-01", "2024-01-01T00:00:00Z"));
        assert!(matches("<=2024-01-01", "2024-01-01T23:00:00Z"));
    }

    #[test]
    fn ranges_include_both_ends() {
        assert!(matches("2024-01-01..2024-02-01", "2024-01-01T00:00:00Z"));
        assert!(matches("2024-01-01..2024-02-01", "2024-02-01T23:59:59Z"));
        assert!(!matches("2024-01-01..2024-02-01", "2024-02-02T00:00:00Z"));
        assert!(matches("..2024-02-01", "1999-01-01"));
        assert!(matches("2w..", "2024-06-10"));
        assert!(matches("4w..2w", "2024-05-20"));
        assert!(!matches("4w..2w", "2024-06-10"));
    }

    #[test]
    fn anything_else_is_refused_with_examples() {
        for text in [
            "",
            "next blue moon",
            "tomorrowish",
            "2w",
            "2024-13-01",
            "2024-1-1",
            ">",
            "..",
            ">9999999999999999y",
            ">99999y",
            "w",
            ">-2w",
        ] {
            let refused = DateFilter::parse(text, at("2024-06-15")).unwrap_err().to_string();
            assert!(refused.contains("2024-01-01"), "{refused}");
        }
    }

    #[test]
    fn times_are_read_as_people_write_them() {
        for text in ["2024-06-01T09:00:00Z", "2024-06-01 09:00:00", "2024-06-01T11:00:00+02:00"] {
            assert_eq!(at(text), "2024-06-01T09:00:00Z".parse().unwrap());
        }
        assert_eq!(at("2024-06-01"), "2024-06-01T00:00:00Z".parse().unwrap());
        assert_eq!(parse_time("soon"), None);
        assert_eq!(seconds("2024-06-01T09:00:00.75Z".parse().unwrap()), "2024-06-01T09:00:00Z");
    }
}
