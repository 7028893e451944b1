//! `cruxe man`.

use std::process::ExitCode;

use clap::Args;
use clap_mangen::Man as Page;

use crate::context::CliError;
use crate::output;
use crate::program::Program;

/// Print a manual page, or the names of all
///
/// Example: cruxe man cruxe-search | man -l -
#[derive(Args)]
pub(crate) struct Man {
    /// The page, such as cruxe, cue or cruxe-search [default: list them]
    page: Option<String>,
}

impl Man {
    pub fn run(self) -> Result<ExitCode, CliError> {
        let pages: Vec<(String, clap::Command)> = Program::ALL.into_iter().flat_map(pages).collect();
        let Some(wanted) = self.page else {
            pages.iter().for_each(|(name, _)| output::line(name));
            return Ok(ExitCode::SUCCESS);
        };
        let Some((_, command)) = pages.into_iter().find(|(name, _)| *name == wanted) else {
            return Err(CliError::Usage(format!("there is no page `{wanted}`; `cruxe man` lists them")));
        };
        let mut page = Vec::new();
        Page::new(command)
            .render(&mut page)
            .map_err(|problem| CliError::Environment(format!("the page cannot be made: {problem}")))?;
        output::text(&String::from_utf8_lossy(&page));
        Ok(ExitCode::SUCCESS)
    }
}

/// A page for the program and one for each command and what it has below it, named as `git` names its own.
fn pages(program: Program) -> Vec<(String, clap::Command)> {
    let mut root = program.command_line();
    root.build();
    let mut pages = Vec::new();
    let mut pending = vec![(program.name().to_owned(), root)];
    while let Some((name, command)) = pending.pop() {
        let shown = command.get_subcommands().filter(|inner| !inner.is_hide_set() && inner.get_name() != "help");
        pending.extend(shown.map(|inner| (format!("{name}-{}", inner.get_name()), inner.clone())));
        pages.push((name, command));
    }
    pages.sort_by(|(a, _), (b, _)| a.cmp(b));
    pages
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_a_page_and_hidden_ones_have_none() {
        let names: Vec<String> = pages(Program::Cue).into_iter().map(|(name, _)| name).collect();
        assert!(names.contains(&"cue".to_owned()) && names.contains(&"cue-card-new".to_owned()), "{names:?}");
        assert!(!names.iter().any(|name| name.contains("hold-clipboard") || name.ends_with("help")), "{names:?}");
        let names: Vec<String> = pages(Program::Codecompass).into_iter().map(|(name, _)| name).collect();
        assert!(names.contains(&"codecompass-serve-mcp".to_owned()), "{names:?}");
    }
}
