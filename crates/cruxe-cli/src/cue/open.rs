//! `cue open`: find a card or document and open it.

use std::borrow::Cow;
use std::io::IsTerminal;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use cruxe_deck::card::CARDS;
use cruxe_deck::{Card, Deck};
use cruxe_files::Root;
use serde_json::json;
use skim::prelude::{ItemPreview, PreviewContext, SkimOptionsBuilder};
use skim::{Skim, SkimItem};

use super::error::{CueError, Kind};
use super::{deck, editor};
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
    files: Arc<Root>,
    path: String,
}

/// A preview shows no more of a file.
const LONGEST_PREVIEW: u64 = 4 << 20;

impl SkimItem for Item {
    fn text(&self) -> Cow<'_, str> {
        output::shown(&self.line)
    }

    fn preview(&self, _context: PreviewContext) -> ItemPreview {
        let text = self.files.read_to_string(&self.path, LONGEST_PREVIEW).unwrap_or_default();
        ItemPreview::Text(output::shown(&text).into_owned())
    }

    fn output(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.path)
    }
}

impl Open {
    pub fn run(self, context: &Context) -> Result<ExitCode, CueError> {
        let deck = deck::find(context)?;
        let items = items(context, &deck)?;
        let query = self.query.unwrap_or_default();
        if context.options.json || !std::io::stdin().is_terminal() || !std::io::stdout().is_terminal() {
            return Ok(list(context, &items, &query));
        }
        let failed = |problem: String| CueError::new(Kind::Io, format!("the finder cannot be shown: {problem}"));
        let options = SkimOptionsBuilder::default()
            .query(query)
            .prompt("open> ".to_owned())
            .preview(String::new())
            .build()
            .map_err(|problem| failed(problem.to_string()))?;
        let chosen = Skim::run_items(options, items).map_err(|problem| failed(problem.to_string()))?;
        match chosen.selected_items.first() {
            Some(item) if !chosen.is_abort => {
                editor::open(&deck.root().join(item.output().as_ref()))?;
                Ok(ExitCode::SUCCESS)
            }
            _ => Ok(ExitCode::from(Kind::Workspace.exit_code())),
        }
    }
}

/// Cards with their titles, then documents.
fn items(context: &Context, deck: &Deck) -> Result<Vec<Item>, CueError> {
    let cards = deck.cards()?;
    let files = Arc::new(deck.files()?);
    let item = |line, path| Item { line, files: Arc::clone(&files), path };
    let line = |card: &Card| format!("{}  {} [{}]", card.path(), card.title, card.status);
    let mut items: Vec<Item> = cards.cards.iter().map(|card| item(line(card), card.path())).collect();
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
