//! What `cue` and `codecompass` are: small programs that run the `cruxe` beside them under their own name, so that
//! a hundred megabytes of grammars and tables are built, shipped and installed once.
//!
//! Compiled into those two programs only. Nothing of the library is used here: whatever were, would be linked.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// Runs `cruxe` as the program of this name, with the process's arguments.
pub fn main(name: &str) -> ExitCode {
    let cruxe = match beside() {
        Ok(cruxe) => cruxe,
        Err(problem) => return failed(name, &format!("cannot tell where this program is: {problem}")),
    };
    match run(&cruxe, name) {
        Ok(code) => code,
        Err(problem) if problem.kind() == io::ErrorKind::NotFound => failed(
            name,
            &format!(
                "there is no {cruxe:?}, which does the work\n  Install `cruxe` into the same folder; in a checkout, run `cargo build`."
            ),
        ),
        Err(problem) => failed(name, &format!("{cruxe:?} cannot be run: {problem}")),
    }
}

/// The `cruxe` in the folder that this program really is in, wherever the link is that it was started by.
fn beside() -> io::Result<PathBuf> {
    let folder = std::env::current_exe()?.canonicalize()?;
    Ok(folder.with_file_name("cruxe").with_extension(std::env::consts::EXE_EXTENSION))
}

/// Becomes `cruxe`: the same process, so signals, terminal and exit code need no passing on.
#[cfg(unix)]
fn run(cruxe: &Path, name: &str) -> io::Result<ExitCode> {
    use std::os::unix::process::CommandExt;
    Err(Command::new(cruxe).arg0(name).args(std::env::args_os().skip(1)).exec())
}

/// Waits for `cruxe` and ends as it did. The name is an argument: a process cannot choose what its child is called.
#[cfg(not(unix))]
fn run(cruxe: &Path, name: &str) -> io::Result<ExitCode> {
    let status = Command::new(cruxe).arg(format!("--run-as={name}")).args(std::env::args_os().skip(1)).status()?;
    // More than a byte: `ExitCode` would cut it.
    std::process::exit(status.code().unwrap_or(1))
}

/// 127 is what shells answer when there is no program to run.
fn failed(name: &str, message: &str) -> ExitCode {
    eprintln!("{name}: error: {message}");
    ExitCode::from(127)
}
