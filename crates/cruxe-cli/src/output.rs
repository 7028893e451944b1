//! What people read: colours on a terminal, plain text elsewhere.
//!
//! Everything that is printed for people goes through here, on stdout and on stderr: nothing else in this crate writes
//! to either (a test below looks). Names, paths, cards and code come from repositories of strangers, and a terminal
//! obeys what it is sent. So characters that a terminal would act on are shown instead, all but our own colours.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::hash::{BuildHasher, RandomState};
use std::io::{IsTerminal, Write};
use std::sync::LazyLock;

use cruxe_server::answers::{Line, Render, Style, Text};
use serde::Serialize;

/// Prints a line; a reader that went away (`| head`) is no error.
pub(crate) fn line(text: &str) {
    let _ = writeln!(std::io::stdout().lock(), "{}", shown(text));
}

/// Prints a text that has its own line ends.
pub(crate) fn text(text: &str) {
    let _ = std::io::stdout().lock().write_all(shown(text).as_bytes());
}

/// Says something beside the answer, on stderr.
pub(crate) fn note(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{}", shown(text));
}

/// Says something on stderr that has its own line ends, or goes on in the same line.
pub(crate) fn notes(text: &str) {
    let mut out = std::io::stderr().lock();
    let _ = out.write_all(shown(text).as_bytes());
    let _ = out.flush();
}

/// Prints JSON, one document. What JSON lets stand as it is and a terminal obeys is escaped too.
pub(crate) fn json(value: &impl Serialize) {
    let mut text = String::new();
    for c in serde_json::to_string_pretty(value).unwrap_or_default().chars() {
        match c != '\n' && is_obeyed(c) {
            true => drop(write!(text, "\\u{:04x}", u32::from(c))),
            false => text.push(c),
        }
    }
    line(&text);
}

/// Prints an answer: for programs, or for people with what they should know beside it.
pub(crate) fn answer(answer: &impl Render, as_json: bool) {
    if as_json {
        return json(answer);
    }
    rendered(&answer.text());
}

/// Prints an answer for people, with what they should know beside it.
pub(crate) fn rendered(text: &Text) {
    let paint = Paint::stdout();
    text.notes.iter().for_each(|text| note(text));
    // In one piece: a list may have a hundred thousand lines.
    let lines: String = text.lines.iter().flat_map(|one| [paint.line(one), "\n".to_owned()]).collect();
    self::text(&lines);
}

/// What was wrong with the way a command was called, where a program called it.
pub(crate) fn usage_for_programs(problem: &clap::Error) -> Option<String> {
    let asked = problem.use_stderr() && std::env::args_os().any(|argument| argument == "--json");
    let text = asked.then(|| problem.render().to_string())?;
    Some(text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned())
}

/// Says how a command is called, or what was wrong with the way it was.
pub(crate) fn usage(problem: &clap::Error) {
    // The arguments may have been copied from anywhere.
    let plain = problem.render().to_string();
    match plain.chars().any(|c| c != '\n' && is_obeyed(c)) {
        true => notes(&plain),
        false => drop(problem.print()),
    }
}

/// Where log lines go.
pub(crate) struct Log;

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        notes(&String::from_utf8_lossy(bytes));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Whether a terminal acts on the character instead of showing it, or shows what follows elsewhere.
fn is_obeyed(c: char) -> bool {
    let turns_text = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}');
    (c.is_control() && c != '\t') || turns_text
}

/// What our own colours begin with until they are printed. No text of a stranger can know it.
static COLOUR: LazyLock<String> = LazyLock::new(|| format!("\x1b{:x}", RandomState::new().hash_one("colour")));

/// The text with everything that a terminal would obey in a form that it shows; line ends and our colours stay.
pub(crate) fn shown(text: &str) -> Cow<'_, str> {
    if !text.chars().any(|c| c != '\n' && is_obeyed(c)) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix(COLOUR.as_str()) {
            out.push('\x1b');
            rest = after;
            continue;
        }
        rest = &rest[c.len_utf8()..];
        match c {
            '\n' => out.push(c),
            '\r' if rest.starts_with('\n') => {}
            c => show(c, &mut out),
        }
    }
    Cow::Owned(out)
}

/// The text in one line: its line ends are shown too. For names and titles, which could pretend to be lines of ours.
pub(crate) fn one_line(text: &str) -> Cow<'_, str> {
    match text.contains(['\n', '\r']) {
        true => Cow::Owned(text.replace('\r', "␍").replace('\n', "␊")),
        false => Cow::Borrowed(text),
    }
}

fn show(c: char, out: &mut String) {
    match u32::from(c) {
        _ if !is_obeyed(c) => out.push(c),
        code @ 0..=0x1f => out.extend(char::from_u32(0x2400 + code)),
        0x7f => out.push('␡'),
        code => drop(write!(out, "\\u{{{code:x}}}")),
    }
}

/// Colours, or none.
#[derive(Clone, Copy)]
pub(crate) struct Paint {
    on: bool,
}

impl Paint {
    #[cfg(test)]
    pub const OFF: Paint = Paint { on: false };

    /// As the terminal, `NO_COLOR` and `CLICOLOR_FORCE` want it.
    pub fn stdout() -> Paint {
        Paint::on(std::io::stdout().is_terminal())
    }

    /// The same for what goes to stderr.
    pub fn stderr() -> Paint {
        Paint::on(std::io::stderr().is_terminal())
    }

    fn on(terminal: bool) -> Paint {
        let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        Paint { on: !set("NO_COLOR") && (set("CLICOLOR_FORCE") || terminal) }
    }

    /// Gives a text a colour by the number that terminals know it by.
    pub fn with(self, code: &str, text: &str) -> String {
        let text = one_line(text);
        let colour = COLOUR.as_str();
        if self.on { format!("{colour}[{code}m{text}{colour}[0m") } else { text.into_owned() }
    }

    /// A line of an answer.
    fn line(self, line: &Line) -> String {
        let painted = line.0.iter().map(|span| match span.style {
            Style::Plain => one_line(&span.text).into_owned(),
            Style::Path => self.path(&span.text),
            Style::Number => self.number(&span.text),
            Style::Strong => self.strong(&span.text),
            Style::Faint => self.faint(&span.text),
        });
        painted.collect()
    }

    pub fn path(self, text: &str) -> String {
        self.with("35", text)
    }

    pub fn number(self, text: &str) -> String {
        self.with("32", text)
    }

    pub fn strong(self, text: &str) -> String {
        self.with("1", text)
    }

    pub fn faint(self, text: &str) -> String {
        self.with("2", text)
    }

    pub fn good(self, text: &str) -> String {
        self.with("32", text)
    }

    pub fn bad(self, text: &str) -> String {
        self.with("31", text)
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::*;

    #[test]
    fn what_a_terminal_obeys_is_shown_and_the_rest_stays() {
        let cases = [
            ("plain\ttext\nünïcode 🙂", "plain\ttext\nünïcode 🙂"),
            ("\x1b]0;title\x07", "␛]0;title␇"),
            ("a\rb\r\nc", "a␍b\nc"),
            ("\0\x08\x7f", "␀␈␡"),
            ("\u{9b}31m \u{85}", "\\u{9b}31m \\u{85}"),
            ("\u{202e}txt.exe\u{2066}", "\\u{202e}txt.exe\\u{2066}"),
            ("\x1b[31m", "␛[31m"),
        ];
        for (text, expected) in cases {
            assert_eq!(shown(text), expected);
        }
    }

    #[test]
    fn only_our_own_colours_are_sent() {
        let paint = Paint { on: true };
        assert_eq!(shown(&paint.path("\x1b[31mred\nline")), "\x1b[35m␛[31mred␊line\x1b[0m");
        assert_eq!(shown(&Paint::OFF.path("\x1b[31mred")), "␛[31mred");
    }

    #[test]
    fn nothing_else_writes_to_stdout_or_stderr() {
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let mut pending = vec![sources.clone()];
        let mut found = Vec::new();
        while let Some(path) = pending.pop() {
            if path.is_dir() {
                pending.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
                continue;
            }
            let name = path.strip_prefix(&sources).map(PathBuf::from).unwrap();
            let text = std::fs::read_to_string(&path).unwrap();
            let lines = text.lines().filter(|line| {
                let prints = ["println!", "print!(", "stdout()", "stderr()", "io::stderr", "io::stdout"];
                let asks = ["is_terminal()", "Paint::std", "use_stderr()"];
                prints.iter().any(|word| line.contains(word)) && !asks.iter().any(|word| line.contains(word))
            });
            found.extend(lines.map(|line| format!("{}: {}", name.display(), line.trim())));
        }
        // The protocol of an MCP server is not for people, progress bars and the finder draw themselves with what they
        // are given, and the launchers have nothing of this library.
        let allowed = ["output.rs", "commands/serve_mcp.rs", "progress.rs", "cue/picker.rs", "launcher.rs"];
        found.retain(|line| !allowed.iter().any(|name| line.starts_with(name)));
        assert_eq!(found, [] as [&str; 0]);
    }
}
