//! The names under which the program is known, and how it learns which one it was started by.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;
use std::process::Command;

use clap::{CommandFactory, ValueEnum};

/// Says the name where the file's own does not; for launchers on systems where they cannot choose it, and for ourselves.
const RUN_AS: &str = "--run-as=";

/// The names under which the program is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Program {
    /// The product.
    Cruxe,
    /// Its earlier name.
    Codecompass,
    /// Its docs-and-tasks side.
    Cue,
}

impl Program {
    /// Every name.
    pub const ALL: [Program; 3] = [Program::Cruxe, Program::Codecompass, Program::Cue];

    /// Returns the name that users type.
    pub fn name(self) -> &'static str {
        match self {
            Program::Cruxe => "cruxe",
            Program::Codecompass => "codecompass",
            Program::Cue => "cue",
        }
    }

    /// Returns what can be typed behind the name.
    pub fn command_line(self) -> clap::Command {
        match self {
            Program::Cue => crate::cue::command_line(),
            program => crate::Cruxe::command().name(program.name()).bin_name(program.name()),
        }
    }

    /// Returns a command that runs the file of this process as this program.
    pub fn command(self) -> io::Result<Command> {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg(format!("{RUN_AS}{}", self.name()));
        Ok(command)
    }

    fn named(name: &OsStr) -> Option<Program> {
        let name = name.to_str()?.to_ascii_lowercase();
        let name = name.strip_suffix(".exe").unwrap_or(&name);
        Program::ALL.into_iter().find(|program| program.name() == name)
    }
}

/// Returns which program was started, and its arguments, of which the first is its name.
///
/// The name of the file that was started decides, so links and copies are ways to install it too.
pub(crate) fn started(arguments: &[OsString]) -> (Program, Vec<OsString>) {
    let (file, mut rest) = arguments.split_first().map_or((OsStr::new(""), arguments), |(file, rest)| (&**file, rest));
    let mut program = Path::new(file).file_name().and_then(Program::named).unwrap_or(Program::Cruxe);
    let told = |first: &OsString| Program::named(OsStr::new(first.to_str()?.strip_prefix(RUN_AS)?));
    if let Some((first, others)) = rest.split_first()
        && let Some(named) = told(first)
    {
        (program, rest) = (named, others);
    }
    (program, std::iter::once(program.name().into()).chain(rest.iter().cloned()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The program's name and its arguments.
    fn of(arguments: &[&str]) -> Vec<String> {
        let arguments: Vec<OsString> = arguments.iter().map(OsString::from).collect();
        let (program, arguments) = started(&arguments);
        assert_eq!(arguments[0], program.name());
        arguments.into_iter().map(|argument| argument.into_string().unwrap()).collect()
    }

    #[test]
    fn the_name_of_the_file_says_which_program_it_is() {
        for cue in ["cue", "/usr/bin/cue", "./cue", "cue.exe", "bin/CUE.EXE"] {
            assert_eq!(of(&[cue, "list"]), ["cue", "list"]);
        }
        assert_eq!(of(&["codecompass", "cue"]), ["codecompass", "cue"]);
        for cruxe in ["cruxe", "cruxe.exe", "/opt/cruxe-0.2", "/opt/cue/cruxe", "cue.old", ""] {
            assert_eq!(of(&[cruxe]), ["cruxe"]);
        }
        assert_eq!(of(&[]), ["cruxe"]);
    }

    #[test]
    fn the_first_argument_and_no_other_can_say_it_too() {
        assert_eq!(of(&["cruxe", "--run-as=cue", "list"]), ["cue", "list"]);
        assert_eq!(of(&["cue", "--run-as=cruxe"]), ["cruxe"]);
        assert_eq!(of(&["cruxe", "search", "--run-as=cue"]), ["cruxe", "search", "--run-as=cue"]);
        assert_eq!(of(&["cruxe", "--run-as=vi"]), ["cruxe", "--run-as=vi"]);
    }
}
