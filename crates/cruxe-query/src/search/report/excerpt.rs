//! What of a pasted text is read: without what machines put before its lines, and of a long one what tells most.
//!
//! The log of a build has one failure among hundreds of lines that say that all is well, and its beginning and end say nothing. So
//! of what a program printed the lines around failures are kept, and of a longer text its ends and such lines between them.

use std::borrow::Cow;

use super::super::pattern::pattern;

/// A text is not read beyond this.
pub(in crate::search) const MAX_TEXT: usize = 16 << 10;
/// What a program printed is looked through from so many lines on.
const MANY_LINES: usize = 40;
/// Lines beside one that tells of a failure which are kept.
const BESIDE: usize = 2;
/// Lines around one that tells of a failure in which others make it likelier to be a trace.
const NEAR: usize = 6;

/// A text without colours, what a form says in comments, and what a runner or container puts before every line.
pub(super) fn cleaned(text: &str) -> Cow<'_, str> {
    let mut text = Cow::Borrowed(text);
    for (mark, form) in ["\u{1b}", "<!--", "<"].into_iter().zip(pattern!(
        r"\x1b\[[0-9;?]*[A-Za-z]",
        r"(?s)<!--.*?(?:-->|$)",
        r"</?(?:details|summary|br|kbd|sub|img)\b[^<>]*>",
    )) {
        if text.contains(mark) {
            text = Cow::Owned(form.replace_all(&text, " ").into_owned());
        }
    }
    let forms = pattern!(
        r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\.[0-9]{6,9}Z ?(?:[0-9]{2}[OE][ +])?(?:##\[[a-z]+\])?",
        r"^[A-Za-z0-9_.-]+ +\| ?",
        r"^[A-Z][a-z]{2} [ 0-9][0-9] [0-9:]{8} [^ ]+ [^ ]+\[[0-9]+\]: ",
    );
    let lines = text.lines().filter(|line| !line.trim().is_empty()).count();
    for form in forms {
        if lines > 2 && text.lines().filter(|line| form.is_match(line)).count() * 4 >= lines * 3 {
            let without: Vec<Cow<str>> = text.lines().map(|line| form.replace(line, "")).collect();
            return Cow::Owned(without.join("\n"));
        }
    }
    text
}

/// Puts letters of scripts that write without blanks apart from the names of code among them: `调用render时` has three words.
pub(in crate::search) fn apart(text: &str) -> Cow<'_, str> {
    pattern!(
        r"(?P<a>[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}])(?P<b>[A-Za-z0-9_$])|(?P<c>[A-Za-z0-9_$)])(?P<d>[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}])"
    )[0]
    .replace_all(text, "$a$c $b$d")
}

/// What is read of a text, at most [`MAX_TEXT`] bytes.
pub(super) fn read(text: &str) -> Cow<'_, str> {
    let lines: Vec<&str> = text.lines().collect();
    let printed = lines.len() >= MANY_LINES && is_printed(text);
    if text.len() <= MAX_TEXT && !printed {
        return Cow::Borrowed(text);
    }
    let (head, tail) = if printed { (MAX_TEXT / 16, MAX_TEXT / 16) } else { (MAX_TEXT / 2, MAX_TEXT / 4) };
    let mut kept = vec![false; lines.len()];
    let mut room = MAX_TEXT;
    keep(&lines, &mut kept, &mut room, MAX_TEXT - head, 0..lines.len());
    keep(&lines, &mut kept, &mut room, MAX_TEXT - head - tail, (0..lines.len()).rev());
    for at in by_density(&lines) {
        let around = at.saturating_sub(BESIDE)..(at + BESIDE + 1).min(lines.len());
        keep(&lines, &mut kept, &mut room, 0, around);
    }
    if kept.iter().all(|kept| !kept) {
        // One line that is longer than all.
        let (head, tail) = (text.floor_char_boundary(MAX_TEXT / 2), text.ceil_char_boundary(text.len() - MAX_TEXT / 2));
        return Cow::Owned(format!("{}\n{}", &text[..head], &text[tail..]));
    }
    let shown: Vec<&str> = lines.iter().zip(&kept).filter(|(_, kept)| **kept).map(|(line, _)| *line).collect();
    Cow::Owned(shown.join("\n"))
}

/// Keeps lines in turn, until one would leave less room than `least`.
fn keep(lines: &[&str], kept: &mut [bool], room: &mut usize, least: usize, which: impl Iterator<Item = usize>) {
    for at in which.filter(|at| lines.get(*at).is_some()) {
        if !kept[at] {
            let Some(rest) = room.checked_sub(lines[at].len() + 1).filter(|rest| *rest >= least) else { return };
            (kept[at], *room) = (true, rest);
        }
    }
}

/// The lines that tell of a failure, those first that have more of them around: a trace before a word.
fn by_density(lines: &[&str]) -> Vec<usize> {
    let tells = &pattern!(
        r#"(?i:error|panick?|exception|traceback|assert|fatal|abort|undefined|segmentation)|FAIL|\bFailed\b|^E   |^\s*(?:at \S|from \S+:[0-9]|File "|#[0-9]+ |[0-9]+: \S+::)|\.[A-Za-z]{1,5}[:(][0-9]+"#
    )[0];
    let telling: Vec<usize> = (0..lines.len()).filter(|at| tells.is_match(lines[*at])).collect();
    let around = |at: usize| {
        let from = telling.partition_point(|other| *other + NEAR < at);
        telling.partition_point(|other| *other <= at + NEAR) - from
    };
    let mut by_density = telling.clone();
    by_density.sort_by_key(|at| std::cmp::Reverse(around(*at)));
    by_density
}

/// Whether a text is what a program printed: few of its lines, and not the first, are sentences of somebody.
pub(super) fn is_printed(text: &str) -> bool {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    // What is indented is code, however it reads: a trace shows lines of comments too.
    let is_indented = |line: &str| line.starts_with("    ") || line.starts_with('\t');
    let is_said = |line: &&&str| !is_indented(line) && is_sentence(line) && !is_of_program(line.trim());
    let fenced = lines.iter().any(|line| line.trim_start().starts_with("```"));
    let begins = lines.first().is_some_and(|line| is_said(&line));
    !fenced && !begins && lines.iter().filter(is_said).count() * 20 < lines.len()
}

/// Whether a line is how a program says that it failed.
fn is_of_program(line: &str) -> bool {
    pattern!(
        r"^(?:Exception in thread |Program (?:received|terminated)|Process [0-9]+ stopped|Unhandled |Uncaught |PHP [A-Z]|panic: |thread '|Traceback |\*\* \(|==[0-9]+==|READ of |WRITE of |SUMMARY: |terminate called|note: |caused by|During handling|The above exception|The following exception|created by |called `)",
        r"^(?:E +)?[\w.:\\$]*(?:Error|Exception|Warning|Failure|Fault)\b[^:]*: ",
        r"(?i)^(?:fatal|error|warning|assertion)\b.*:|\.[A-Za-z]{1,5}:[0-9]+",
    )
    .iter()
    .any(|form| form.is_match(line))
}

/// Whether somebody wrote a line: several plain words, and little else.
fn is_sentence(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_plain = |word: &&&str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        !word.is_empty() && word.chars().all(|c| c.is_alphabetic() || c == '\'' || c == '-')
    };
    let has_wide =
        line.chars().any(|c| matches!(c, '\u{3040}'..='\u{30ff}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}'));
    has_wide || words.len() >= 4 && words.iter().filter(is_plain).count() * 5 > words.len() * 4
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_machines_put_before_lines_goes() {
        let ci = "2026-11-17T10:42:01.1234567Z \u{1b}[31mE   ValueError\u{1b}[0m\n2026-11-17T10:42:01.1234567Z ##[error]exit code 1\n2026-11-17T10:42:01.1234567Z   at x";
        assert_eq!(cleaned(ci), " E   ValueError \nexit code 1\n  at x");
        let compose = "web-1  | Traceback:\nweb-1  |   File \"a.py\", line 3\ndb_1   | ready\n";
        assert_eq!(cleaned(compose), "Traceback:\n  File \"a.py\", line 3\nready");
        let journal = "Nov 17 10:42:02 host app[17]: one\nNov  7 10:42:02 host app[17]:   two\nNov 17 10:42:02 host app[17]: three";
        assert_eq!(cleaned(journal), "one\n  two\nthree");
        let table = "It fails\n\nname | value\nmode | 3\nThat is all there is to say.\n";
        assert_eq!(cleaned(table), table, "a table of a text is no prefix");
        assert_eq!(cleaned("a <!-- x\ny --> b <br/> <details open>c < d"), "a   b    c < d");
    }

    #[test]
    fn names_of_code_are_put_apart_from_letters_that_know_no_blanks() {
        assert_eq!(apart("调用render_template()时报错"), "调用 render_template() 时报错");
        assert_eq!(apart("größe_messen und naïve"), "größe_messen und naïve");
    }

    #[test]
    fn of_a_long_log_the_lines_around_failures_are_read() {
        let noise = |from: usize| (from..from + 400).map(|at| format!("ok {at} in 0.{at}s\n")).collect::<String>();
        let trace = "panic: boom\ngoroutine 1 [running]:\nshop.Total(0x1)\n\t/src/cart.go:12 +0x1d\n";
        let text = format!("{}{trace}{}", noise(0), noise(400));
        let read = read(&text);
        assert!(read.len() <= MAX_TEXT && read.contains(trace.trim_end()), "{read}");
        assert!(read.starts_with("ok 0 ") && read.ends_with("ok 799 in 0.799s") && !read.contains("ok 300 "), "{read}");
    }

    #[test]
    fn of_a_long_ticket_both_ends_are_read_and_a_short_one_is_read_whole() {
        let sentence = "This is what somebody wrote about it at length.\n";
        let text =
            format!("It fails\n{}Error: boom at cart.go:12\n{}the end", sentence.repeat(400), sentence.repeat(400));
        let long = read(&text);
        assert!(long.len() <= MAX_TEXT && long.starts_with("It fails\n") && long.ends_with("the end"));
        assert!(long.contains("Error: boom at cart.go:12"));
        assert_eq!(read("It fails\n\nError: boom"), "It fails\n\nError: boom");
        assert!(read(&"é".repeat(20_000)).len() <= MAX_TEXT + 1);
        let words = sentence.repeat(60);
        assert_eq!(read(&words), words, "sentences are not what a program printed");
    }

    #[test]
    fn a_trace_is_what_a_program_printed_and_a_ticket_is_not() {
        let trace = "Traceback (most recent call last):\n  File \"a.py\", line 3, in run\n    Say what it is about and nothing more.\n";
        assert!(is_printed(trace) && !is_printed(&format!("It fails when nobody looks at it\n{trace}")));
        assert!(!is_printed(&format!("Crash\n\nIt fails when nobody looks at it\n{trace}")));
        assert!(!is_printed("```\nTypeError: x is not a function\n```\n"), "somebody marked it as code");
    }

    #[test]
    fn sentences_are_told_from_what_programs_print() {
        for line in ["The total is wrong, isn't it?", "Falsches Ergebnis seit dem letzten Update", "升级之后结果不正确"]
        {
            assert!(is_sentence(line), "{line}");
        }
        for line in [
            "ok 3 in 0.3s",
            "Compiling tokio v1.2",
            "GET /items?page=3 200 in 41ms",
            "test a::b ... ok",
            "",
            "npm notice created a lockfile as package-lock-3.json v3",
            "Cache restored from key: linux-30-50",
        ] {
            assert!(!is_sentence(line), "{line}");
        }
    }
}
