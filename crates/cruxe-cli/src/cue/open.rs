//! `cue open`: find a card or document and open it.

use std::io::IsTerminal;
use std::process::ExitCode;

use clap::Args;
use cruxe_deck::card::CARDS;
use cruxe_deck::{Card, Deck};
use serde_json::json;

use super::error::{CueError, Kind};
use super::{deck, editor, picker};
use crate::context::Context;
use crate::output;

/// Find a card or document by a few letters and open it in $EDITOR
///
/// Without a terminal the matches are listed instead.
///
/// Examples:
///   cue open
///   cue open login
///   EDITOR="code --wait" cue open api.md
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Open {
    /// What to look for
    query: Option<String>,
}

/// A line to choose from.
struct Item {
    line: String,
    path: String,
}

/// A preview shows no more of a file.
const LONGEST_PREVIEW: u64 = 4 << 20;

impl Open {
    pub fn run(self, context: &Context) -> Result<ExitCode, CueError> {
        let deck = deck::find(context)?;
        let items = items(context, &deck)?;
        let query = self.query.unwrap_or_default();
        if context.options.json || !std::io::stdin().is_terminal() || !std::io::stdout().is_terminal() {
            return Ok(list(context, &items, &query));
        }
        let failed = |problem| CueError::new(Kind::Io, format!("the finder cannot be shown: {problem}"));
        let files = deck.files()?;
        let lines: Vec<String> = items.iter().map(|item| item.line.clone()).collect();
        let preview = |at: usize| files.read_to_string(&items[at].path, LONGEST_PREVIEW).unwrap_or_default();
        match picker::choose(&lines, query, preview).map_err(failed)? {
            Some(at) => {
                editor::open(&deck.root().join(&items[at].path))?;
                Ok(ExitCode::SUCCESS)
            }
            None => Ok(ExitCode::from(Kind::Workspace.exit_code())),
        }
    }
}

/// Cards with their titles, those that cannot be read among them, then documents.
fn items(context: &Context, deck: &Deck) -> Result<Vec<Item>, CueError> {
    let cards = deck.cards()?;
    let item = |line, path| Item { line, path };
    let line = |card: &Card| format!("{}  {} [{}]", card.path(), card.title, card.status);
    let mut items: Vec<Item> = cards.cards.iter().map(|card| item(line(card), card.path())).collect();
    let broken = cards.problems.iter().filter(|problem| problem.fatal && problem.path.parent() == CARDS);
    items.extend(broken.map(|problem| {
        item(format!("{}  cannot be read: {}", problem.path, problem.message), problem.path.to_string())
    }));
    items.sort_by(|a, b| a.path.cmp(&b.path));
    let documents = deck::files(context, deck)?.into_iter();
    let documents = documents.filter(|path| path.extension().is_some_and(|extension| extension == "md"));
    items.extend(
        documents
            .filter(|path| path.parent() != CARDS && path.as_str() != ".cuedeck/SCENE.md")
            .map(|path| item(path.to_string(), path.to_string())),
    );
    Ok(items)
}

/// Prints the lines that have all words of the query.
fn list(context: &Context, items: &[Item], query: &str) -> ExitCode {
    let words: Vec<String> = query.split_whitespace().map(str::to_lowercase).collect();
    let fits = |item: &&Item| {
        let line = item.line.to_lowercase();
        words.iter().all(|word| line.contains(word))
    };
    let found: Vec<&str> = items.iter().filter(fits).map(|item| item.line.as_str()).collect();
    if context.options.json {
        output::json(&json!({ "matches": found }));
    } else {
        output::note("there is no terminal to choose on; these match:");
        found.iter().for_each(|line| output::line(&output::one_line(line)));
    }
    if found.is_empty() { ExitCode::from(Kind::Workspace.exit_code()) } else { ExitCode::SUCCESS }
}
