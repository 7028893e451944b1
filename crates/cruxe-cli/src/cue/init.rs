//! `cue init`.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::process::ExitCode;

use clap::Args;
use cruxe_deck::Deck;
use cruxe_deck::config::TEMPLATE;
use serde_json::json;

use super::deck;
use super::error::CueError;
use crate::context::Context;
use crate::output;

/// What a deck makes anew whenever it is needed; git need not know it.
const IGNORED: [&str; 2] = [".cuedeck/.cache/", ".cuedeck/SCENE.md"];

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
        let deck = Deck::open(deck::root_for_new(context)?);
        let mut made = Vec::new();
        for folder in [deck.cards_folder(), deck.docs_folder()] {
            if !folder.is_dir() {
                fs::create_dir_all(&folder).map_err(|problem| CueError::io(&folder, &problem))?;
                made.push(relative(&deck, &folder));
            }
        }
        let config = deck.config_path();
        if self.force || !config.exists() {
            fs::write(&config, TEMPLATE).map_err(|problem| CueError::io(&config, &problem))?;
            made.push(relative(&deck, &config));
        }
        let ignore = deck.root().join(".gitignore");
        if add_lines(&ignore, &IGNORED).map_err(|problem| CueError::io(&ignore, &problem))? {
            made.push(".gitignore".to_owned());
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

fn relative(deck: &Deck, path: &Path) -> String {
    path.strip_prefix(deck.root()).unwrap_or(path).display().to_string()
}

/// Adds the lines that an ignore file lacks; everything in it stays. Tells whether there were any.
fn add_lines(path: &Path, lines: &[&str]) -> std::io::Result<bool> {
    let before = match fs::read(path) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(problem) if problem.kind() == ErrorKind::NotFound => String::new(),
        Err(problem) => return Err(problem),
    };
    let bare = |line: &str| line.trim().trim_start_matches('/').trim_end_matches('/').to_owned();
    let has = |wanted: &str| before.lines().any(|line| bare(line) == bare(wanted) || bare(line) == ".cuedeck");
    let missing: Vec<&str> = lines.iter().copied().filter(|line| !has(line)).collect();
    if missing.is_empty() {
        return Ok(false);
    }
    let end = if before.contains("\r\n") { "\r\n" } else { "\n" };
    let gap = if before.is_empty() || before.ends_with('\n') { "" } else { end };
    let added: String = missing.iter().map(|line| format!("{line}{end}")).collect();
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    file.write_all(format!("{gap}{added}").as_bytes())?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(before: Option<&str>) -> (bool, String) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(".gitignore");
        if let Some(text) = before {
            fs::write(&path, text).unwrap();
        }
        let changed = add_lines(&path, &IGNORED).unwrap();
        assert!(!add_lines(&path, &IGNORED).unwrap(), "a second time nothing is missing");
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
