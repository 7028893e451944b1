//! The decks of the workspaces that were asked about, open once for tools, resources and prompts alike.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cruxe_deck::Deck;
use cruxe_deck::documents::Documents;
use parking_lot::Mutex;

/// Decks by the roots of their workspaces.
pub(crate) struct Decks {
    user_config: PathBuf,
    open: Mutex<HashMap<PathBuf, Arc<OpenDeck>>>,
}

/// A deck and what was read of the documents beside it.
pub(crate) struct OpenDeck {
    pub deck: Deck,
    pub documents: Documents,
}

impl Decks {
    /// No decks yet; `user_config` is where the user's own settings for every deck are.
    pub fn new(user_config: PathBuf) -> Decks {
        Decks { user_config, open: Mutex::default() }
    }

    /// The deck of a workspace; nothing is read when it is opened.
    pub fn at(&self, root: &Path) -> Arc<OpenDeck> {
        let mut open = self.open.lock();
        if let Some(known) = open.get(root) {
            return Arc::clone(known);
        }
        let deck = Deck::open(root).with_user_config(self.user_config.clone());
        let deck = Arc::new(OpenDeck { deck, documents: Documents::new(root.to_owned()) });
        open.insert(root.to_owned(), Arc::clone(&deck));
        deck
    }
}
