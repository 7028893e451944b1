//! A message as it was printed, beside the source that prints it.
//!
//! Source and message differ where something was filled in: `%d`, `{}`, `{name}`, `${…}` and `#{…}` in the one, a value in the
//! other. What stands between the holes of a string has to stand in the message in the same order; what stands in the holes
//! does not count.

use std::collections::{HashMap, HashSet};

use cruxe_store::tokens;

use super::pattern::pattern;
use super::query::is_stop_word;
use super::rank::texts::MIN_RUN;

/// Longer lines are data.
const MAX_LINE: usize = 2_000;
/// A string with fewer words, or fewer letters in them, says nothing.
const MIN_WORDS: usize = 3;
const MIN_LETTERS: usize = 10;
/// What is filled in has at most so many words.
const MAX_VALUE: usize = 16;
/// What stands between two strings that are put together has at most so many letters.
const MAX_BETWEEN: usize = 80;
/// With fewer words that tell something, the others are needed too.
const MIN_TELLING: usize = 4;
/// More tokens tell nothing more.
const MAX_TOKENS: usize = 64;
/// Strings that are put together, at most.
const MAX_STRINGS: usize = 16;
/// Where something was filled in.
const BREAK: &str = "\u{0}";

/// A message as it was printed.
pub(super) struct Printed {
    /// Where each word stands in it, those that were filled in for certain left out.
    places: HashMap<String, Vec<usize>>,
    letters: usize,
    /// All of its words.
    words: Vec<String>,
    /// Its text without what was filled in for certain.
    plain: String,
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
        Printed { places, letters: letters.max(1), words: words(text).collect(), plain }
    }

    /// The tokens to find it by, each once. Words that say nothing in a question tell messages of few words apart.
    pub fn tokens(&self) -> Vec<String> {
        let (mut all, mut seen) = (tokens(&self.plain), HashSet::new());
        all.retain(|token| seen.insert(token.clone()));
        let telling = all.iter().filter(|token| !is_stop_word(token)).count();
        all.retain(|token| telling < MIN_TELLING || !is_stop_word(token));
        all.truncate(MAX_TOKENS);
        all
    }

    /// Whether it may be a message: a question is none, and a few words may stand anywhere.
    pub fn is_likely(&self) -> bool {
        let asks = ["where", "how", "what", "which", "why", "who", "does", "is", "are", "can", "find", "show", "list"];
        let asks = |word: &String| asks.contains(&word.as_str());
        match &self.words[..] {
            [_, second, ..] if second == "not" || second == "t" => self.words.len() > MIN_WORDS,
            [first, ..] => self.words.len() > MIN_WORDS && !asks(first),
            [] => false,
        }
    }

    /// The line of a text that says most of it, and which part that is.
    pub fn line_in(&self, body: &str) -> Option<(usize, f32)> {
        let mut best = self.string_in(body);
        for (number, line) in body.lines().enumerate().filter(|(_, line)| line.len() <= MAX_LINE) {
            let (count, run) = longest_run(self, line);
            let part = (run as f32 / self.letters as f32).min(1.0);
            if count >= MIN_RUN && best.is_none_or(|(line, most)| part > most || part == most && number < line) {
                best = Some((number, part));
            }
        }
        best
    }

    /// The same for lines that have a string which is the message, or where one begins that is put together.
    pub fn string_in(&self, body: &str) -> Option<(usize, f32)> {
        let mut best = None;
        let (single, joined) = strings(body);
        for printed in single.iter().chain(&joined) {
            // What is put together has to say more than each of its strings.
            if let Some(part) =
                self.part_of_template(&printed.text).filter(|part| best.is_none_or(|(_, most)| *part > most))
            {
                best = Some((printed.line, part));
            }
        }
        best
    }

    fn part_of_template(&self, string: &str) -> Option<f32> {
        let holes = &pattern!(
            r"\$\{[^}]*\}|#\{[^}]*\}|\{[^{}]*\}|\\\([^)]*\)|%(?:\(\w+\))?[-+#0-9.*]*(?:ll?|h|z)?[a-zA-Z]|\$[A-Za-z_]\w*"
        )[0];
        let string = holes.replace_all(string, " \u{0} ");
        let string = pattern!(r#"\\[abfnrtv0"'`\\]"#)[0].replace_all(&string, " ");
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

/// A string of a text.
struct Literal {
    /// The line where it begins.
    line: usize,
    /// What stands in it; where a value is put between two strings, a hole.
    text: String,
}

/// The strings of a text, and those that are put together of several: on one line with anything between them, over
/// several with little more than what puts strings together.
fn strings(body: &str) -> (Vec<Literal>, Vec<Literal>) {
    let (mut single, mut joined): (Vec<Literal>, Vec<Literal>) = (Vec::new(), Vec::new());
    let (mut line, mut counted, mut last_end, mut parts) = (0, 0, 0, 0);
    let pattern = &pattern!(r#""((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`|'((?:[^'\\\n]|\\.)*)'"#)[0];
    for groups in pattern.captures_iter(body) {
        let (Some(all), Some(inside)) = (groups.get(0), (1..=3).find_map(|at| groups.get(at))) else { continue };
        line += body[counted..all.start()].matches('\n').count();
        counted = all.start();
        let text = inside.as_str();
        if text.len() > MAX_LINE {
            continue;
        }
        let between = if single.is_empty() || parts == MAX_STRINGS { None } else { join(&body[last_end..all.start()]) };
        match (between, joined.last_mut(), single.last()) {
            (Some(between), Some(whole), _) if parts > 1 => whole.text.extend([between, text]),
            (Some(between), _, Some(before)) => {
                joined.push(Literal { line: before.line, text: [&before.text, between, text].concat() });
                parts = 1;
            }
            _ => parts = 0,
        }
        parts += 1;
        last_end = all.end();
        single.push(Literal { line, text: text.to_owned() });
    }
    // A value may follow the last of them.
    joined.iter_mut().for_each(|whole| whole.text.push_str(" \u{0} "));
    (single, joined)
}

/// What two strings have between them when they are put together; nothing where they are not.
fn join(between: &str) -> Option<&'static str> {
    let operators = ['+', '.', '&', '<', '>', '\\'];
    // Letters before a quote are how a string begins: `f"…"`.
    let core = pattern!(r"\b[A-Za-z$@]{1,2}$")[0].replace(between, "");
    let joined = core.trim().starts_with(operators) || core.trim().ends_with(operators);
    let core = core.trim_matches(|c: char| c.is_whitespace() || operators.contains(&c));
    if core.is_empty() {
        return Some("");
    }
    let short = core.len() <= MAX_BETWEEN && !core.contains([';', '{', '}', '\n']);
    (short && (joined || !between.contains('\n'))).then_some(" \u{0} ")
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
    fn a_string_over_several_lines_is_one_message() {
        let message = Printed::new("cannot join alice with 12 other tickets because the desk is closed");
        for body in [
            "raise Error(\n    'cannot join %s with %d other '\n    'tickets because the desk is closed' % x)",
            "raise Error(\n    f\"cannot join {name} with {n} other \"\n    f\"tickets because the desk is closed\")",
            "throw new E(\n    \"cannot join \" + name + \" with \" +\n    n + \" other tickets because the desk is closed\");",
            "fail(\n    \"cannot join #{name} with #{n} other tickets \" <>\n      \"because the desk is closed\")",
            "die(\n    'cannot join ' . $name . ' with ' . $n .\n    ' other tickets because the desk is closed');",
        ] {
            let (line, part) = message.string_in(body).unwrap();
            assert_eq!((line, part > 0.9), (1, true), "{body}: {part}");
        }
        let apart = "log('cannot join %s with %d other')\nif x {\n    log('tickets because the desk is closed')\n}";
        assert!(message.string_in(apart).is_none_or(|(_, part)| part < 0.7));
    }

    #[test]
    fn escapes_are_no_words_and_what_begins_like_a_question_may_be_none() {
        let message = Printed::new("no such command foo. Valid commands are: a, b.");
        assert_eq!(message.string_in(r#"error("no such command %q.\nValid commands are: %s.")"#), Some((0, 1.0)));
        assert!(
            Printed::new("can not convert to map").is_likely() && !Printed::new("can it convert to a map").is_likely()
        );
    }

    #[test]
    fn what_cannot_be_done_is_no_question() {
        assert!(Printed::new("Can't decode data without a type").is_likely());
        assert!(!Printed::new("can data be decoded without a type").is_likely());
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
