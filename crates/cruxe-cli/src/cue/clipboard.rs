//! The clipboard, which may not be there and must never make anybody wait.
//!
//! On X11 and Wayland whoever copies has to stay alive until somebody pastes. So the text is handed to a process of
//! its own (`cue hold-clipboard`), which says at once whether it worked and then stays until something else is copied or
//! the display is gone. A clipboard that does not answer is that process's problem: it is ended after [`PATIENCE`].

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{ExitCode, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use super::error::{CueError, Kind};
use crate::program::Program;

/// How long the clipboard has to answer.
const PATIENCE: Duration = Duration::from_secs(2);
/// How often whoever holds the clipboard asks whether there still is one.
#[cfg(all(unix, not(target_os = "macos")))]
const CHECK: Duration = Duration::from_secs(5);
const COPIED: &str = "copied";

/// Copies a text; says why where that is not possible.
pub(super) fn copy(text: &str) -> Result<(), String> {
    if cfg!(all(unix, not(target_os = "macos"))) {
        let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        if !set("DISPLAY") && !set("WAYLAND_DISPLAY") {
            return Err("no display".to_owned());
        }
    }
    let mut command = Program::Cue.command().map_err(|problem| problem.to_string())?;
    command.arg("hold-clipboard").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    // Ctrl-C is for us, not for what was copied.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut holder = command.spawn().map_err(|problem| problem.to_string())?;
    let (Some(mut input), Some(output)) = (holder.stdin.take(), holder.stdout.take()) else {
        return Err("no pipe".to_owned());
    };
    let (sender, answer) = mpsc::channel();
    let text = text.to_owned();
    std::thread::spawn(move || {
        let sent = input.write_all(text.as_bytes());
        drop(input);
        let mut line = String::new();
        let read = sent.and_then(|()| BufReader::new(output).read_line(&mut line));
        let _ = sender.send(read.map(|_| line));
    });
    let outcome = match answer.recv_timeout(PATIENCE) {
        Ok(Ok(line)) if line.trim() == COPIED => return Ok(()),
        Ok(Ok(line)) if line.trim().is_empty() => "it did not answer".to_owned(),
        Ok(Ok(line)) => line.trim().to_owned(),
        Ok(Err(problem)) => problem.to_string(),
        Err(_) => format!("no answer within {} s", PATIENCE.as_secs()),
    };
    let _ = holder.kill();
    let _ = holder.wait();
    Err(outcome)
}

/// `cue hold-clipboard`: offers what comes on stdin until something else is copied.
pub(super) fn hold() -> Result<ExitCode, CueError> {
    let mut text = String::new();
    std::io::stdin()
        .read_to_string(&mut text)
        .map_err(|problem| CueError::new(Kind::Io, format!("stdin: {problem}")))?;
    let failed = |problem: arboard::Error| {
        crate::output::line(&problem.to_string().replace('\n', " "));
        ExitCode::from(Kind::Io.exit_code())
    };
    let mut clipboard = match arboard::Clipboard::new() {
        Ok(clipboard) => clipboard,
        Err(problem) => return Ok(failed(problem)),
    };
    if let Err(problem) = clipboard.set_text(text.as_str()) {
        return Ok(failed(problem));
    }
    crate::output::line(COPIED);
    stay(&mut clipboard, text);
    Ok(ExitCode::SUCCESS)
}

#[cfg(all(unix, not(target_os = "macos")))]
fn stay(clipboard: &mut arboard::Clipboard, text: String) {
    use arboard::SetExtLinux;
    std::thread::spawn(end_with_the_display);
    let _ = clipboard.set().wait().text(text);
}

/// Ends the process when there is no display any more. The wait for another owner of the clipboard would go on forever:
/// a build server whose display ends with the job would be left with a process for every scene.
#[cfg(all(unix, not(target_os = "macos")))]
fn end_with_the_display() {
    use arboard::Error::{ClipboardOccupied, ContentNotAvailable, ConversionFailure};
    loop {
        std::thread::sleep(CHECK);
        let asked = arboard::Clipboard::new().and_then(|mut clipboard| clipboard.get_text());
        match asked {
            Ok(_) | Err(ContentNotAvailable | ClipboardOccupied | ConversionFailure) => {}
            Err(_) => std::process::exit(0),
        }
    }
}

#[cfg(not(all(unix, not(target_os = "macos"))))]
fn stay(_clipboard: &mut arboard::Clipboard, _text: String) {}
