//! Texts, read by several threads and searched line by line.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};

use cruxe_index::{Project, View};
use cruxe_model::Work;
use cruxe_store::FileRow;
use grep_matcher::{LineTerminator, Matcher};
use grep_regex::RegexMatcher;
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkMatch};

use super::MAX_LINES;

/// Threads that read, at most: others ask too.
const MAX_THREADS: usize = 4;
/// So few files are read without threads.
const FEW_FILES: usize = 16;

/// A line that matches: its number, and where in the file its first match begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MatchStart {
    pub line: u32,
    pub at: u32,
}

/// Texts to look through.
pub(super) struct Scan<'a> {
    project: &'a Project,
    work: &'a Work,
    files: &'a [FileRow],
    matcher: &'a RegexMatcher,
    /// The first file that nobody has taken.
    next: AtomicUsize,
    total: AtomicUsize,
}

/// What was found in them.
#[derive(Default)]
pub(super) struct Read {
    /// The files that have some, by their position.
    pub found: Vec<(usize, Vec<MatchStart>)>,
    /// Files whose text is no longer what was indexed.
    pub unread: usize,
    /// How many lines match.
    pub total: usize,
    /// The first file that was not looked at.
    pub next: Option<usize>,
}

impl<'a> Scan<'a> {
    pub fn new(view: &'a View, files: &'a [FileRow], matcher: &'a RegexMatcher) -> Scan<'a> {
        let (next, total) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Scan { project: view.project, work: &view.work, files, matcher, next, total }
    }

    /// Looks through all of them, or as many as there is time for.
    pub fn all(&self) -> Read {
        let threads = std::thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS);
        let mut whole = Read::default();
        if threads == 1 || self.files.len() <= FEW_FILES {
            whole = self.some();
        } else {
            std::thread::scope(|scope| {
                let readers: Vec<_> = (0..threads).map(|_| scope.spawn(|| self.some())).collect();
                for part in readers.into_iter().filter_map(|reader| reader.join().ok()) {
                    whole.found.extend(part.found);
                    whole.unread += part.unread;
                }
            });
        }
        whole.found.sort_unstable_by_key(|(at, _)| *at);
        whole.total = self.total.load(Ordering::Relaxed);
        whole.next = Some(self.next.load(Ordering::Relaxed)).filter(|next| *next < self.files.len());
        whole
    }

    /// Looks through one after the other that nobody has taken. Who stops takes none, so that all before the next were looked at.
    fn some(&self) -> Read {
        let mut read = Read::default();
        let mut searcher = SearcherBuilder::new()
            .line_terminator(LineTerminator::crlf())
            .line_number(true)
            .bom_sniffing(false)
            .binary_detection(BinaryDetection::none()) // what is indexed is text
            .build();
        loop {
            let full = self.total.load(Ordering::Relaxed) >= MAX_LINES;
            if full || self.work.is_cancelled() || self.work.is_late() {
                return read;
            }
            let at = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(file) = self.files.get(at) else { return read };
            let Some(text) = self.project.read(file) else {
                read.unread += 1;
                continue;
            };
            let mut lines = Lines { matcher: self.matcher, places: Vec::new() };
            if searcher.search_slice(self.matcher, &text, &mut lines).is_err() {
                read.unread += 1;
            }
            if !lines.places.is_empty() {
                self.total.fetch_add(lines.places.len(), Ordering::Relaxed);
                read.found.push((at, lines.places));
            }
        }
    }
}

/// Notes the lines of a text.
struct Lines<'a> {
    matcher: &'a RegexMatcher,
    places: Vec<MatchStart>,
}

impl Sink for Lines<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, line: &SinkMatch<'_>) -> Result<bool, io::Error> {
        let first = self.matcher.find(line.bytes()).ok().flatten().map_or(0, |found| found.start());
        let number = line.line_number().unwrap_or(1);
        self.places.push(MatchStart { line: number as u32, at: (line.absolute_byte_offset() as usize + first) as u32 });
        Ok(true)
    }
}
