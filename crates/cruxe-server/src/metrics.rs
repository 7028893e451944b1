//! How often tools are called, how that ends and how long it takes, in Prometheus's text format.
//!
//! Written by hand: three kinds of series with a fixed set of labels need no registry.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

/// Upper ends of the latency buckets, in seconds.
const BUCKETS: [f64; 14] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0];

/// The figures of one server.
#[derive(Debug, Default)]
pub struct Metrics {
    tools: Mutex<BTreeMap<&'static str, ToolFigures>>,
    running: AtomicUsize,
    responses: Mutex<BTreeMap<u16, u64>>,
}

#[derive(Debug, Default)]
struct ToolFigures {
    outcomes: BTreeMap<&'static str, u64>,
    /// Calls by the bucket that they fall into; the last one has no upper end.
    buckets: [u64; BUCKETS.len() + 1],
    total: Duration,
}

/// A call that goes on. Dropped before its end it counts as `cancelled`.
pub struct Running<'a> {
    metrics: &'a Metrics,
    tool: &'static str,
    started: Instant,
    outcome: &'static str,
}

impl Metrics {
    /// Notes that a call begins.
    pub fn begin(&self, tool: &'static str) -> Running<'_> {
        self.running.fetch_add(1, Ordering::Relaxed);
        Running { metrics: self, tool, started: Instant::now(), outcome: "cancelled" }
    }

    /// Notes the answer to an HTTP request.
    pub fn responded(&self, status: u16) {
        *self.responses.lock().entry(status).or_default() += 1;
    }

    /// How many calls go on.
    pub fn running(&self) -> usize {
        self.running.load(Ordering::Relaxed)
    }

    fn record(&self, tool: &'static str, outcome: &'static str, took: Duration) {
        let mut tools = self.tools.lock();
        let figures = tools.entry(tool).or_default();
        *figures.outcomes.entry(outcome).or_default() += 1;
        let seconds = took.as_secs_f64();
        figures.buckets[BUCKETS.iter().position(|end| seconds <= *end).unwrap_or(BUCKETS.len())] += 1;
        figures.total += took;
    }

    /// Returns every series.
    pub fn to_text(&self) -> String {
        let mut page = Page::default();
        let tools = self.tools.lock();
        page.series("cruxe_tool_calls_total", "counter", "Calls by tool and outcome: ok, cancelled or an error code.");
        for (tool, figures) in &*tools {
            for (outcome, count) in &figures.outcomes {
                page.value(&format!("{{tool=\"{tool}\",outcome=\"{outcome}\"}}"), *count as f64);
            }
        }
        page.series("cruxe_tool_call_seconds", "histogram", "Time from a call to its end.");
        for (tool, figures) in &*tools {
            let mut so_far = 0;
            for (index, count) in figures.buckets.iter().enumerate() {
                so_far += count;
                let end = BUCKETS.get(index).map_or_else(|| "+Inf".to_owned(), f64::to_string);
                page.part("_bucket", &format!("{{tool=\"{tool}\",le=\"{end}\"}}"), so_far as f64);
            }
            page.part("_sum", &format!("{{tool=\"{tool}\"}}"), figures.total.as_secs_f64());
            page.part("_count", &format!("{{tool=\"{tool}\"}}"), so_far as f64);
        }
        page.series("cruxe_tool_calls_running", "gauge", "Calls that go on now.");
        page.value("", self.running() as f64);
        page.series("cruxe_http_responses_total", "counter", "Answers to HTTP requests by status.");
        for (status, count) in &*self.responses.lock() {
            page.value(&format!("{{status=\"{status}\"}}"), *count as f64);
        }
        page.text
    }
}

impl Running<'_> {
    /// Notes how the call ended: `ok` or an error code.
    pub fn end(mut self, outcome: &'static str) {
        self.outcome = outcome;
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.metrics.running.fetch_sub(1, Ordering::Relaxed);
        self.metrics.record(self.tool, self.outcome, self.started.elapsed());
    }
}

/// A page of series.
#[derive(Default)]
pub struct Page {
    text: String,
    name: &'static str,
}

impl Page {
    /// Begins a series.
    pub fn series(&mut self, name: &'static str, kind: &str, help: &str) {
        self.name = name;
        // Writing to a string cannot fail.
        let _ = writeln!(self.text, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    /// Adds a value of the series; `labels` are in braces or empty.
    pub fn value(&mut self, labels: &str, value: f64) {
        self.part("", labels, value);
    }

    fn part(&mut self, suffix: &str, labels: &str, value: f64) {
        let _ = writeln!(self.text, "{}{suffix}{labels} {value}", self.name);
    }

    /// Returns the page.
    pub fn into_text(self) -> String {
        self.text
    }
}

/// What the process holds in memory, in bytes, where the system tells it.
pub fn resident_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_counted_by_tool_and_outcome_and_fall_into_buckets() {
        let metrics = Metrics::default();
        metrics.record("search_code", "ok", Duration::from_millis(3));
        metrics.record("search_code", "ok", Duration::from_secs(60));
        metrics.record("search_code", "ref_not_indexed", Duration::from_millis(1));
        metrics.responded(200);
        let text = metrics.to_text();
        for line in [
            "cruxe_tool_calls_total{tool=\"search_code\",outcome=\"ok\"} 2",
            "cruxe_tool_calls_total{tool=\"search_code\",outcome=\"ref_not_indexed\"} 1",
            "cruxe_tool_call_seconds_bucket{tool=\"search_code\",le=\"0.001\"} 1",
            "cruxe_tool_call_seconds_bucket{tool=\"search_code\",le=\"0.005\"} 2",
            "cruxe_tool_call_seconds_bucket{tool=\"search_code\",le=\"30\"} 2",
            "cruxe_tool_call_seconds_bucket{tool=\"search_code\",le=\"+Inf\"} 3",
            "cruxe_tool_call_seconds_sum{tool=\"search_code\"} 60.004",
            "cruxe_tool_call_seconds_count{tool=\"search_code\"} 3",
            "cruxe_tool_calls_running 0",
            "cruxe_http_responses_total{status=\"200\"} 1",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} is not in\n{text}");
        }
    }

    #[test]
    fn a_call_that_is_dropped_is_cancelled_and_one_that_ended_is_not() {
        let metrics = Metrics::default();
        let first = metrics.begin("a");
        assert_eq!(metrics.running(), 1);
        drop(first);
        metrics.begin("a").end("ok");
        assert_eq!(metrics.running(), 0);
        assert_eq!(metrics.tools.lock()["a"].outcomes, BTreeMap::from([("cancelled", 1), ("ok", 1)]));
    }

    #[test]
    fn memory_is_told_where_the_system_tells_it() {
        assert_eq!(resident_bytes().is_some_and(|bytes| bytes > 1 << 20), cfg!(target_os = "linux"));
    }
}
