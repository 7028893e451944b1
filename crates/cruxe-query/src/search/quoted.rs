//! Every line of a ref that has a phrase, as text: whatever its case, with any blanks between its words, line ends too.
//!
//! Texts are read, because nothing smaller tells for certain: the first and the last word of a phrase may be parts of
//! longer ones, which the full-text index does not know. Words inside of a phrase are whole, so files that lack one of
//! them are left alone.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use cruxe_index::Project;
use cruxe_model::Work;
use cruxe_store::{FileNumber, FileRow, TextField, tokens};
use regex::bytes::Regex;

use super::files::Ranked;
use super::phrase::Match;
use super::{Remarks, Search};
use crate::error::QueryError;

/// Threads that read, at most: others ask too.
const MAX_THREADS: usize = 4;
/// So few files are read without threads.
const FEW_FILES: usize = 16;
/// The index has no longer words.
const MAX_WORD: usize = 100;

/// The lines where any of the phrases begins. The likeliest files are read first, in case that the time is over before all are.
pub(super) fn lines(
    search: &Search,
    ranked: &Ranked,
    phrases: &[String],
    remarks: &mut Remarks,
) -> Result<Vec<Match>, QueryError> {
    let mut files = candidates(search, phrases)?;
    files.sort_by(|a, b| {
        let score = |file: &FileNumber| ranked.lexical.files[*file as usize];
        score(b).total_cmp(&score(a)).then(a.cmp(b))
    });
    let rows: Vec<&FileRow> = files.iter().map(|file| search.file(*file)).collect();
    let patterns: Vec<Regex> = phrases.iter().map(|phrase| pattern(phrase)).collect();
    let read =
        Reading { project: search.view.project, work: &search.view.work, files: &rows, patterns: &patterns }.all();
    search.view.work.check()?;
    remarks.unread += read.unread;
    let found = read.found.into_iter().map(|(at, line, having)| {
        let strength = having.count_ones() as f32 / phrases.len() as f32;
        Match { file: files[at], line, strength }
    });
    Ok(found.collect())
}

/// The files that may have one of the phrases.
fn candidates(search: &Search, phrases: &[String]) -> Result<Vec<FileNumber>, QueryError> {
    let count = search.corpus.files().len();
    let mut any = vec![false; count];
    for phrase in phrases {
        let mut all = vec![true; count];
        for word in inner_words(phrase) {
            search.view.work.check()?;
            let mut having = vec![false; count];
            for token in as_indexed(word) {
                for (chunk, _) in &*search.postings.of(&search.corpus, TextField::Body, &token)? {
                    having[search.corpus.file_of()[*chunk as usize] as usize] = true;
                }
            }
            all.iter_mut().zip(having).for_each(|(all, having)| *all &= having);
        }
        any.iter_mut().zip(all).for_each(|(any, all)| *any |= all);
    }
    let likely = |file: &FileNumber| any[*file as usize] && search.wanted[*file as usize];
    Ok((0..count as FileNumber).filter(likely).collect())
}

/// Words of a phrase that are whole words of any text that has it. Of other letters than ASCII's it is not certain how a
/// text has them.
pub(crate) fn inner_words(phrase: &str) -> impl Iterator<Item = &str> {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let whole = move |word: &&str| {
        let start = word.as_ptr() as usize - phrase.as_ptr() as usize;
        let ends = |at: Option<usize>| at.and_then(|at| phrase.as_bytes().get(at)).is_some_and(u8::is_ascii);
        word.is_ascii() && word.len() <= MAX_WORD && ends(start.checked_sub(1)) && ends(Some(start + word.len()))
    };
    let words = phrase.split(move |c: char| c.is_ascii() && !is_letter(c as u8));
    words.filter(|word| word.bytes().any(|byte| byte.is_ascii_alphanumeric())).filter(whole)
}

/// What the index has of a word, however its letters are cased where it stands: `parseURLs` as a whole, `parseurls` by its stem.
pub(crate) fn as_indexed(word: &str) -> Vec<String> {
    let whole = word.to_ascii_lowercase();
    let mut forms: Vec<String> = tokens(&whole).into_iter().take(1).collect();
    if !forms.contains(&whole) {
        forms.push(whole);
    }
    forms
}

/// A phrase as a text may have it.
#[expect(clippy::expect_used, reason = "it is made of escaped words of at most a few hundred bytes")]
fn pattern(phrase: &str) -> Regex {
    let word = |word: &str| match word.is_ascii() {
        true => format!("(?i-u:{})", regex::escape(word)),
        false => format!("(?i:{})", regex::escape(word)),
    };
    let words: Vec<String> = phrase.split_whitespace().map(word).collect();
    Regex::new(&words.join(r"\s+")).expect("a phrase is a pattern")
}

/// Texts to look through.
struct Reading<'a> {
    project: &'a Project,
    work: &'a Work,
    files: &'a [&'a FileRow],
    patterns: &'a [Regex],
}

/// What was found in them.
#[derive(Default)]
struct Read {
    /// The position of a file, a line of it, and which of the patterns begin there.
    found: Vec<(usize, u32, u32)>,
    /// Files whose text is no longer what was indexed.
    unread: usize,
}

impl Reading<'_> {
    /// Looks through all of them, or as many as there is time for.
    fn all(&self) -> Read {
        let next = AtomicUsize::new(0);
        let threads = std::thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS);
        if threads == 1 || self.files.len() <= FEW_FILES {
            return self.some(&next);
        }
        let mut whole = Read::default();
        std::thread::scope(|scope| {
            let readers: Vec<_> = (0..threads).map(|_| scope.spawn(|| self.some(&next))).collect();
            for part in readers.into_iter().filter_map(|reader| reader.join().ok()) {
                whole.found.extend(part.found);
                whole.unread += part.unread;
            }
        });
        whole
    }

    /// Looks through one after the other that nobody has taken.
    fn some(&self, next: &AtomicUsize) -> Read {
        let mut read = Read::default();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(file) = self.files.get(at) else { return read };
            if self.work.is_cancelled() || self.work.is_late() {
                return read;
            }
            match self.project.read(file) {
                Some(text) => {
                    let lines = lines_with(&text, self.patterns);
                    read.found.extend(lines.into_iter().map(|(line, having)| (at, line, having)));
                }
                None => read.unread += 1,
            }
        }
    }
}

/// The lines in which patterns begin, counted from one, and which patterns: a bit each.
fn lines_with(text: &[u8], patterns: &[Regex]) -> BTreeMap<u32, u32> {
    let mut lines = BTreeMap::new();
    for (number, pattern) in patterns.iter().enumerate() {
        let (mut line, mut counted) = (1, 0);
        for found in pattern.find_iter(text) {
            line += text[counted..found.start()].iter().filter(|byte| **byte == b'\n').count() as u32;
            counted = found.start();
            *lines.entry(line).or_default() |= 1 << number;
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, phrases: &[&str]) -> Vec<(u32, u32)> {
        let patterns: Vec<Regex> = phrases.iter().map(|phrase| pattern(phrase)).collect();
        lines_with(text.as_bytes(), &patterns).into_iter().collect()
    }

    #[test]
    fn phrases_are_found_over_line_breaks_and_whatever_the_case() {
        let text = "let a = \"Too many\n    requests\";\nx";
        assert_eq!(found(text, &["too many requests"]), [(1, 1)]);
        assert_eq!(found(text, &["many requests too"]), []);
        assert_eq!(found(text, &["requests\";", "absent"]), [(2, 1)]);
        assert_eq!(found(text, &["too", "MANY"]), [(1, 3)], "one line has both");
    }

    #[test]
    fn a_phrase_is_text_and_every_line_of_it_counts_once() {
        let text = "a.b(c)\naxb(c)\nxa.b(c)y a.b(c)\nGRÖSSE\n";
        assert_eq!(found(text, &["a.b("]), [(1, 1), (3, 1)], "no pattern of ours, and parts of words");
        assert_eq!(found(text, &["größe"]), []);
        assert_eq!(found(text, &["grösse"]), [(4, 1)]);
    }

    #[test]
    fn only_words_inside_of_a_phrase_are_whole() {
        let inner = |phrase: &'static str| inner_words(phrase).collect::<Vec<_>>();
        assert_eq!(inner("token has expired"), ["has"]);
        assert_eq!(inner("token expired"), [""; 0]);
        assert_eq!(inner("(token, expired)"), ["token", "expired"]);
        assert_eq!(inner("a größe b c d"), ["b", "c"]);
        assert_eq!(as_indexed("Responses"), ["respons", "responses"]);
        assert_eq!(as_indexed("max_age"), ["max_age"]);
    }
}
