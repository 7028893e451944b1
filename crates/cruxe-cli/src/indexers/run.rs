//! One run of a program, without a shell, in a process group of its own: it is ended with everything that it started when
//! its time is over, and when the user ends us.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{Child, Command};

use super::Indexer;
use crate::context::CliError;

/// Of what a program says so much is kept, the last of it: that is where it says what went wrong.
const TAIL: usize = 4096;
/// After its end what it started may still hold its output open.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// How a run ended.
#[derive(Debug)]
pub(crate) enum Ended {
    /// By itself and well.
    Done,
    /// It could not be started, or failed: why.
    Failed(String),
    /// Its time was over.
    Late,
    /// The user ended it, and us with it.
    Interrupted,
}

/// Lets an indexer write an index of the project at `root` into `output`.
pub(crate) fn run(
    indexer: &Indexer,
    program: &Path,
    root: &Path,
    output: &Path,
    limit: Duration,
) -> Result<Ended, CliError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|problem| CliError::Environment(format!("no runtime: {problem}")))?;
    let mut command = Command::new(program);
    command.args((indexer.arguments)(root, output)).current_dir(root);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    #[cfg(unix)]
    command.process_group(0);
    Ok(runtime.block_on(watch(command, limit)))
}

async fn watch(mut command: Command, limit: Duration) -> Ended {
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(problem) => return Ended::Failed(format!("it cannot be started: {problem}")),
    };
    let group = child.id();
    let said = tokio::spawn(last_words(child.stdout.take(), child.stderr.take()));
    let ended = tokio::select! {
        status = child.wait() => match status {
            Ok(status) if status.success() => Ended::Done,
            Ok(status) => Ended::Failed(status.to_string()),
            Err(problem) => Ended::Failed(problem.to_string()),
        },
        () = tokio::time::sleep(limit) => Ended::Late,
        () = end_of_us() => Ended::Interrupted,
    };
    end(&mut child, group).await;
    match ended {
        Ended::Failed(why) => {
            let said = tokio::time::timeout(LAST_WORDS, said).await.ok().and_then(Result::ok).unwrap_or_default();
            Ended::Failed(format!("{why}{said}"))
        }
        ended => ended,
    }
}

/// Ends the program and what it started.
async fn end(child: &mut Child, group: Option<u32>) {
    #[cfg(unix)]
    if let Some(group) = group.and_then(|id| rustix::process::Pid::from_raw(id as i32)) {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    #[cfg(not(unix))]
    let _ = group;
    let _ = child.kill().await;
}

/// Waits until the user or the system ends this process.
async fn end_of_us() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let (Ok(mut end), Ok(mut hangup)) = (signal(SignalKind::terminate()), signal(SignalKind::hangup())) {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = end.recv() => {}
                _ = hangup.recv() => {}
            }
            return;
        }
    }
    let _ = tokio::signal::ctrl_c().await;
}

/// What a program said last, for an error: its errors, or what it printed where there are none.
async fn last_words(stdout: Option<impl AsyncRead + Unpin>, stderr: Option<impl AsyncRead + Unpin>) -> String {
    let (printed, errors) = tokio::join!(tail(stdout), tail(stderr));
    let said = if errors.trim().is_empty() { printed } else { errors };
    telling(&said).map_or(String::new(), |line| format!(": {line}"))
}

/// The line that tells what went wrong: the first that says `error`, else the last.
fn telling(said: &str) -> Option<&str> {
    let mut lines = said.lines().map(str::trim).filter(|line| !line.is_empty());
    let is_error = |line: &&str| line.to_lowercase().contains("error:");
    lines.clone().find(is_error).or_else(|| lines.next_back())
}

async fn tail(stream: Option<impl AsyncRead + Unpin>) -> String {
    let Some(mut stream) = stream else { return String::new() };
    let (mut kept, mut buffer) = (Vec::new(), vec![0; TAIL]);
    while let Ok(read @ 1..) = stream.read(&mut buffer).await {
        kept.extend_from_slice(&buffer[..read]);
        let more = kept.len().saturating_sub(TAIL);
        kept.drain(..more);
    }
    String::from_utf8_lossy(&kept).into_owned()
}

#[cfg(test)]
mod tests {
    use super::telling;

    #[test]
    fn the_line_that_says_error_tells_most() {
        let trace = "start\n  error: TypeError: no such thing\n    at f (x.ts:1)\n}\n";
        assert_eq!(telling(trace), Some("error: TypeError: no such thing"));
        assert_eq!(telling("one\n\n two \n"), Some("two"));
        assert_eq!(telling("\n"), None);
    }
}
