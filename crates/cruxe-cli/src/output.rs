//! What people read: colours on a terminal, plain text elsewhere.

use std::io::{IsTerminal, Write};

use serde::Serialize;

/// Prints a line; a reader that went away (`| head`) is no error.
pub(crate) fn line(text: &str) {
    let _ = writeln!(std::io::stdout().lock(), "{text}");
}

/// Prints JSON, one document.
pub(crate) fn json(value: &impl Serialize) {
    line(&serde_json::to_string_pretty(value).unwrap_or_default());
}

/// Colours, or none.
#[derive(Clone, Copy)]
pub(crate) struct Paint {
    on: bool,
}

impl Paint {
    /// As the terminal, `NO_COLOR` and `CLICOLOR_FORCE` want it.
    pub fn stdout() -> Paint {
        let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        Paint { on: !set("NO_COLOR") && (set("CLICOLOR_FORCE") || std::io::stdout().is_terminal()) }
    }

    /// Whether there are any.
    pub fn is_on(self) -> bool {
        self.on
    }

    fn with(self, code: &str, text: &str) -> String {
        if self.on { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
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
