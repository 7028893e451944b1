//! A message as it was printed, beside the source that prints it.
//!
//! Source and message differ where something was filled in: `%d`, `{}`, `{name}`, `${…}` and `#{…}` in the one, a value in the
//! other. What stands between the holes of a string has to stand in the message in the same order; what stands in the holes
//! does not count.

use std::collections::HashMap;

use super::pattern::pattern;
use super::rank::texts::MIN_RUN;

/// Longer lines are data.
const MAX_LINE: usize = 2_000;
/// A string with fewer words, or fewer letters in them, says nothing.
const MIN_WORDS: usize = 3;
const MIN_LETTERS: usize = 10;
/// What is filled in has at most so many words.
const MAX_VALUE: usize = 16;
/// Where something was filled in.
const BREAK: &str = "\u{0}";

/// A message as it was printed.
pub(super) struct Printed {
    /// Where each word stands in it, those that were filled in for certain left out.
    places: HashMap<String, Vec<usize>>,
    letters: usize,
    /// All of its words.
    words: Vec<String>,
}

impl Printed {
    pub fn new(text: &str) -> Printed {
        let plain = pattern!(
            r#"File "[^"]+", line \d+.*|^\s*at .*$"#,
            r"[\w./\\~-]*/[\w./\\:-]+|\b0x[0-9a-fA-F]+\b|\b[0-9a-fA-F]{8,}\b|\b\d[\d.:,_-]*\b",
        )
        .iter()
        .fold(text.to_owned(), |text, pattern| pattern.replace_all(&text, " \u{0} ").into_owned());
        let (mut places, mut count, mut letters) = (HashMap::<String, Vec<usize>>::new(), 0, 0);
        for word in words(&plain) {
            if word != BREAK {
                letters += word.len();
                places.entry(word).or_default().push(count);
            }
            count += 1;
        }
        Printed { places, letters: letters.max(1), words: words(text).collect() }
    }

    /// Whether it may be a message: a question is none, and a few words may stand anywhere.
    pub fn is_likely(&self) -> bool {
        let asks =
            ["where", "how", "what", "which", "why", "who", "when", "does", "is", "are", "can", "find", "show", "list"];
        self.words.len() > MIN_WORDS && self.words.first().is_some_and(|word| !asks.contains(&word.as_str()))
    }

    /// The line of a text that says most of it, and which part that is.
    pub fn line_in(&self, body: &str) -> Option<(usize, f32)> {
        let part = |line: &str| {
            let (count, run) = longest_run(self, line);
            let run = (count >= MIN_RUN).then_some((run as f32 / self.letters as f32).min(1.0));
            run.into_iter().chain(self.part_in_strings(line)).max_by(f32::total_cmp)
        };
        best(body, part)
    }

    /// The same for lines that have a string which is the message.
    pub fn string_in(&self, body: &str) -> Option<(usize, f32)> {
        best(body, |line| self.part_in_strings(line))
    }

    /// Which part of the message the strings of a line are, values aside.
    fn part_in_strings(&self, line: &str) -> Option<f32> {
        let strings = pattern!(r#""((?:[^"\\]|\\.)*)"|`((?:[^`\\]|\\.)*)`|'((?:[^'\\]|\\.)*)'"#)[0].captures_iter(line);
        let inside =
            |groups: regex::Captures| (1..=3).find_map(|at| groups.get(at)).map(|found| found.as_str().to_owned());
        let strings: Vec<String> = strings.filter_map(inside).collect();
        // Strings that are put together with values between them.
        let whole = (strings.len() > 1).then(|| strings.join(" \u{0} ") + " \u{0} ");
        let parts = strings.iter().chain(&whole).filter_map(|string| self.part_of_template(string));
        parts.max_by(f32::total_cmp)
    }

    fn part_of_template(&self, string: &str) -> Option<f32> {
        let holes = &pattern!(
            r"\$\{[^}]*\}|#\{[^}]*\}|\{[^{}]*\}|\\\([^)]*\)|%(?:\(\w+\))?[-+#0-9.*]*(?:ll?|h|z)?[a-zA-Z]|\$[A-Za-z_]\w*"
        )[0];
        let string = holes.replace_all(string, " \u{0} ");
        let all: Vec<String> = words(&string).collect();
        let pieces: Vec<&[String]> = all.split(|word| word == BREAK).filter(|piece| !piece.is_empty()).collect();
        let letters = |words: &[String]| words.iter().map(String::len).sum::<usize>();
        let said: usize = pieces.iter().map(|piece| letters(piece)).sum();
        if pieces.iter().map(|piece| piece.len()).sum::<usize>() < MIN_WORDS || said < MIN_LETTERS {
            return None;
        }
        let (mut from, mut first) = (0, None);
        for piece in &pieces {
            let reach = if first.is_some() { MAX_VALUE } else { usize::MAX };
            let found = self.words[from..]
                .windows(piece.len())
                .take(reach.saturating_add(1))
                .position(|here| here == *piece)?;
            first.get_or_insert(from + found);
            from += found + piece.len();
        }
        let is_hole = |word: Option<&String>| word.is_some_and(|word| word == BREAK);
        let before = if is_hole(all.first()) { 0 } else { telling(&self.words[..first.unwrap_or(0)]) };
        let after = if is_hole(all.last()) { 0 } else { telling(&self.words[from..]) };
        Some(said as f32 / (said + before + after) as f32)
    }
}

/// The letters of words around a message; times and levels, which logs put before it, aside.
fn telling(words: &[String]) -> usize {
    let levels = ["trace", "debug", "info", "notice", "warn", "warning", "error", "critical", "fatal"];
    let is_telling =
        |word: &&String| !levels.contains(&word.as_str()) && !word.starts_with(|c: char| c.is_ascii_digit());
    words.iter().filter(is_telling).map(String::len).sum()
}

/// The first line of which the largest part is told, with that part.
fn best(body: &str, part: impl Fn(&str) -> Option<f32>) -> Option<(usize, f32)> {
    let mut best: Option<(usize, f32)> = None;
    for (number, line) in body.lines().enumerate().filter(|(_, line)| line.len() <= MAX_LINE) {
        if let Some(part) = part(line).filter(|part| best.is_none_or(|(_, most)| *part > most)) {
            best = Some((number, part));
        }
    }
    best
}

fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '\u{0}')
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
}

/// The longest run of words that both have: how many words, and their letters.
fn longest_run(message: &Printed, line: &str) -> (usize, usize) {
    // What ends at each place of the message, after the word before and after this one.
    let (mut before, mut now) = (HashMap::new(), HashMap::new());
    let mut best = (0, 0);
    for word in words(line) {
        for place in message.places.get(&word).into_iter().flatten() {
            let (count, letters) = place.checked_sub(1).and_then(|last| before.get(&last)).copied().unwrap_or((0, 0));
            let run = (count + 1, letters + word.len());
            now.insert(*place, run);
            if run.1 > best.1 {
                best = run;
            }
        }
        (before, now) = (now, before);
        now.clear();
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strength(message: &str, line: &str) -> Option<f32> {
        Printed::new(message).line_in(line).map(|(_, strength)| strength)
    }

    #[test]
    fn what_was_filled_in_does_not_count() {
        let line = r#"bail!("failed to bind {}: address in use", address);"#;
        assert_eq!(strength("failed to bind 127.0.0.1:8080: address in use", line), Some(1.0));
        assert_eq!(strength("no such table: users", line), None);
        assert_eq!(strength("bind 0x7f3a", line), None, "one word is chance");
        assert!(strength("failed to bind the other thing to it", line).is_some_and(|part| part < 0.5));
    }

    #[test]
    fn holes_of_every_language_are_skipped() {
        let message = "user alice smith has 3 open tickets in queue billing";
        for line in [
            r#"log.Printf("user %s has %d open tickets in queue %q", u, n, q)"#,
            r#"raise E("user %(name)s has %(count)d open tickets in queue %(queue)s" % x)"#,
            r#"f"user {user.name!r} has {n:>3} open tickets in queue {q}""#,
            "throw new Error(`user ${user.name} has ${n} open tickets in queue ${q}`)",
            r##"raise "user #{name} has #{n} open tickets in queue #{q}""##,
            r#"fatalError("user \(name) has \(n) open tickets in queue \(q)")"#,
            r#"echo "user $name has $n open tickets in queue $queue""#,
            r#"throw new Error("user " + name + " has " + n + " open tickets in queue " + q);"#,
        ] {
            assert_eq!(Printed::new(message).string_in(line), Some((0, 1.0)), "{line}");
        }
        let logged = format!("2026-11-17 10:00:01 ERROR app.desk {message}");
        let line = r#"log.Printf("user %s has %d open tickets in queue %q", u, n, q)"#;
        assert!(strength(&logged, line).unwrap() > 0.75);
    }

    #[test]
    fn words_in_another_order_or_only_some_of_them_are_no_message() {
        let message = Printed::new("queue billing has open tickets of user alice");
        assert_eq!(message.string_in(r#"log("user %s has %d open tickets in queue %q")"#), None);
        assert_eq!(message.string_in(r#"log("{} {}")"#), None);
        assert_eq!(
            message.string_in("// queue billing has open tickets of user alice"),
            None,
            "a comment prints nothing"
        );
        assert!(!Printed::new("where is the queue of open tickets").is_likely());
        assert!(!Printed::new("open tickets").is_likely() && message.is_likely());
    }
}
