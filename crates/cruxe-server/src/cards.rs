//! Task cards as resources: the files of the deck, as they lie there.

use crate::contract::names::LIST_TASKS;
use crate::contract::{ErrorCode, ToolError};
use cruxe_deck::{CardId, Deck, DeckError};

/// A card in a list.
pub(crate) struct CardEntry {
    pub id: String,
    /// Of a card that cannot be read, its id.
    pub title: String,
}

/// The cards of a deck by id, with those that cannot be read as cards: their text can be, and repaired.
pub(crate) fn list(deck: &Deck) -> Result<Vec<CardEntry>, ToolError> {
    let cards = deck.cards()?;
    let mut entries: Vec<CardEntry> =
        cards.cards.iter().map(|card| CardEntry { id: card.id.to_string(), title: card.title.clone() }).collect();
    let broken = cards.problems.iter().filter(|problem| problem.fatal);
    let ids = broken.filter_map(|problem| CardId::parse(problem.path.file_name().strip_suffix(".md")?));
    let readable = ids.filter(|id| deck.text(id).is_ok());
    entries.extend(readable.map(|id| CardEntry { id: id.to_string(), title: id.to_string() }));
    entries.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(entries)
}

/// The text of a card; `None` when there is none of that id.
pub(crate) fn read(deck: &Deck, id: &str) -> Result<Option<String>, ToolError> {
    let Some(id) = CardId::parse(id) else { return Ok(None) };
    match deck.text(&id) {
        Ok(text) => Ok(Some(text)),
        Err(DeckError::NoCard { .. }) => Ok(None),
        Err(problem) => Err(problem.into()),
    }
}

/// The error of a card that is not there.
pub(crate) fn missing(deck: &Deck, id: &str) -> ToolError {
    match CardId::parse(id).map(|id| deck.text(&id)) {
        Some(Err(problem)) => problem.into(),
        _ => ToolError::new(ErrorCode::FileNotFound, format!("there is no card `{id}`"))
            .suggest(format!("An id is six of a-z and 0-9; {LIST_TASKS} has the ids.")),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn deck(root: &tempfile::TempDir) -> Deck {
        let deck = Deck::open(root.path());
        fs::create_dir_all(deck.cards_folder()).unwrap();
        for (name, text) in [
            ("abc123.md", "---\ntitle: \"Fix it\"\n---\n# Other\n"),
            ("bad000.md", "---\ntitle: [\n---\n"),
            ("notes.md", "# Notes\n"),
        ] {
            fs::write(deck.cards_folder().join(name), text).unwrap();
        }
        deck
    }

    #[test]
    fn cards_are_listed_with_those_that_cannot_be_read_and_nothing_else() {
        let root = tempfile::tempdir().unwrap();
        let deck = deck(&root);
        let listed: Vec<(String, String)> =
            list(&deck).unwrap().into_iter().map(|card| (card.id, card.title)).collect();
        let expected = [("abc123", "Fix it"), ("bad000", "bad000")];
        assert_eq!(listed, expected.map(|(id, title)| (id.to_owned(), title.to_owned())));
        assert_eq!(read(&deck, "bad000").unwrap().as_deref(), Some("---\ntitle: [\n---\n"));
    }

    #[test]
    fn an_id_cannot_leave_the_folder() {
        let root = tempfile::tempdir().unwrap();
        let deck = deck(&root);
        fs::write(root.path().join("secret.md"), "x").unwrap();
        for bad in ["", "../../secret", "a/b", "notes", "ABC123", "../../x"] {
            assert_eq!(read(&deck, bad).unwrap(), None, "{bad}");
            assert_eq!(missing(&deck, bad).code, ErrorCode::FileNotFound, "{bad}");
        }
        let near = missing(&deck, "abc124");
        assert_eq!((near.code, &near.data["suggestion"]), (ErrorCode::FileNotFound, &"Did you mean 'abc123'?".into()));
    }
}
