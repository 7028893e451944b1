//! `cue init`.

use std::process::ExitCode;

use clap::Args;
use cruxe_deck::DeckError;
use cruxe_deck::card::CARDS;
use cruxe_deck::config::{FILE, template};
use cruxe_files::{Existing, FileError, Root};
use serde_json::json;

use super::deck;
use super::error::CueError;
use crate::context::Context;
use crate::output;
use cruxe_server::contract::LIMITED;

/// What a deck makes anew whenever it is needed; git need not know it.
const IGNORED: [&str; 2] = [".cuedeck/.cache/", ".cuedeck/SCENE.md"];

const DOCS: &str = ".cuedeck/docs";

/// A larger file is no list of what git ignores.
const LARGEST_IGNORE_FILE: u64 = 16 << 20;

/// Start a deck: .cuedeck with cards, docs and config.toml
///
/// Made at the root of the git repository, else in the current folder. What is there stays;
/// .gitignore gets the lines that it lacks.
///
/// Examples:
///   cue init
///   cue init --workspace ~/src/shop
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Init {
    /// Write config.toml anew, with the defaults
    #[arg(long)]
    force: bool,
}

impl Init {
    pub fn run(self, context: &Context) -> Result<ExitCode, CueError> {
        let deck = deck::open(context, deck::root_for_new(context)?);
        let files = deck.files()?;
        let mut made = Vec::new();
        for folder in [CARDS, DOCS] {
            if !files.is_folder(folder) {
                files.create_folder(folder).map_err(DeckError::from)?;
                made.push(folder);
            }
        }
        let existing = if self.force { Existing::Replace } else { Existing::Keep };
        if files.write(FILE, template(LIMITED).as_bytes(), existing).map_err(DeckError::from)? {
            made.push(FILE);
        }
        if add_lines(&files, ".gitignore", &IGNORED).map_err(DeckError::from)? {
            made.push(".gitignore");
        }
        if context.options.json {
            output::json(&json!({ "workspace": deck.root(), "written": made }));
        } else if made.is_empty() {
            output::line(&format!("the deck in {} is complete already", deck.root().display()));
        } else {
            output::line(&format!("deck in {}: wrote {}", deck.root().display(), made.join(", ")));
            output::line("next: cue card new \"What is to be done\"");
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Adds the lines that an ignore file lacks; everything in it stays. Tells whether there were any.
fn add_lines(files: &Root, path: &str, lines: &[&str]) -> Result<bool, FileError> {
    let bytes = match files.read(path, LARGEST_IGNORE_FILE) {
        Err(problem) if problem.is_absent() => Vec::new(),
        bytes => bytes?,
    };
    let before = String::from_utf8_lossy(&bytes);
    let bare = |line: &str| line.trim().trim_start_matches('/').trim_end_matches('/').to_owned();
    let has = |wanted: &str| before.lines().any(|line| bare(line) == bare(wanted) || bare(line) == ".cuedeck");
    let missing: Vec<&str> = lines.iter().copied().filter(|line| !has(line)).collect();
    if missing.is_empty() {
        return Ok(false);
    }
    let end = if before.contains("\r\n") { "\r\n" } else { "\n" };
    let gap = if before.is_empty() || before.ends_with('\n') { "" } else { end };
    let added: String = missing.iter().map(|line| format!("{line}{end}")).collect();
    files.write(path, &[&bytes, gap.as_bytes(), added.as_bytes()].concat(), Existing::Replace)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn after(before: Option<&str>) -> (bool, String) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(".gitignore");
        if let Some(text) = before {
            fs::write(&path, text).unwrap();
        }
        let files = Root::open(folder.path()).unwrap();
        let changed = add_lines(&files, ".gitignore", &IGNORED).unwrap();
        assert!(!add_lines(&files, ".gitignore", &IGNORED).unwrap(), "a second time nothing is missing");
        (changed, fs::read_to_string(&path).unwrap())
    }

    #[test]
    fn missing_lines_are_added_once_and_the_rest_stays() {
        let both = ".cuedeck/.cache/\n.cuedeck/SCENE.md\n";
        assert_eq!(after(None), (true, both.to_owned()));
        assert_eq!(after(Some("target/\n*.log")), (true, format!("target/\n*.log\n{both}")));
        assert_eq!(after(Some("a\r\n")), (true, format!("a\r\n{}", both.replace('\n', "\r\n"))));
        assert_eq!(after(Some("/.cuedeck/.cache\n")), (true, "/.cuedeck/.cache\n.cuedeck/SCENE.md\n".to_owned()));
        assert_eq!(after(Some(".cuedeck/\n")), (false, ".cuedeck/\n".to_owned()));
    }
}
