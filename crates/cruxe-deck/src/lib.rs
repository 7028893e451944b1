//! The CueDeck side: documents, task cards, and what is made of them.
//!
//! Files are the truth. A [`Deck`] is a workspace root; its cards are `.cuedeck/cards/<id>.md`, markdown with YAML
//! [`frontmatter`], read into a [`card::Card`] and never written but as an edit of single values. [`graph`] says what
//! depends on what, [`dates`] filters by time, [`document`] knows headings and
//! sections, [`documents`] reads them, [`refs`] what a card points
//! at, [`context`] finds documents, cards and code by words and by meaning on the index that the code side uses.
//!
//! [`scene`] makes a snapshot of the work in progress, with secrets masked by [`secrets`]; [`doctor`] says what is wrong,
//! [`links`] what a link in a document means.
//!
//! Invariant: no transport, nothing that prints; a file that cannot be read as a card is a [`card::Problem`] and is
//! neither changed nor forgotten.

pub mod card;
pub mod config;
pub mod context;
pub mod dates;
mod deck;
pub mod doctor;
pub mod document;
pub mod documents;
mod error;
pub mod fence;
pub mod frontmatter;
pub mod graph;
pub mod links;
mod lock;
mod other_refs;
pub mod refs;
pub mod scene;
pub mod secrets;
mod store;

pub use card::{Card, CardId, Priority, Problem, Status};
pub use config::{DeckConfig, LoadedConfig};
pub use deck::{Cards, Cleaned, Deck, ListChange, Listed, NewCard, Update, Updated, Written, version};
pub use error::DeckError;
pub use graph::{Blocker, TaskGraph};
pub use lock::DeckLock;
pub use other_refs::OtherRefs;
