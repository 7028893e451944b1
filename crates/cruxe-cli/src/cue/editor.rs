//! Opens files in the user's editor.

use std::path::Path;
use std::process::Command;

use super::error::{CueError, Kind};

/// Opens a file in `$VISUAL`, `$EDITOR` or `vi`, and waits for the editor to end.
pub(super) fn open(path: &Path) -> Result<(), CueError> {
    let set = |name| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
    let editor = set("VISUAL").or_else(|| set("EDITOR"));
    let editor = editor.unwrap_or_else(|| if cfg!(windows) { "notepad" } else { "vi" }.to_owned());
    let failed = |what: String| {
        CueError::new(Kind::Io, format!("the editor `{editor}` {what}")).help("Set $EDITOR to a program that is there.")
    };
    let status = command(&editor, path).status().map_err(|problem| failed(format!("cannot be started: {problem}")))?;
    if status.success() { Ok(()) } else { Err(failed(format!("ended with {status}"))) }
}

/// `$EDITOR` may have arguments (`code --wait`), which a shell takes apart as git does; the path is never parsed.
#[cfg(unix)]
fn command(editor: &str, path: &Path) -> Command {
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("{editor} \"$@\"")).arg(editor).arg(path);
    command
}

#[cfg(not(unix))]
fn command(editor: &str, path: &Path) -> Command {
    let mut words = editor.split_whitespace();
    let mut command = Command::new(words.next().unwrap_or(editor));
    command.args(words).arg(path);
    command
}
