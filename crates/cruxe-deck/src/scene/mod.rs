//! A snapshot of the work in progress for somebody who does not know the workspace: an AI.
//!
//! Active cards come first, then what they depend on, the documents and the code that they refer to, and what changed
//! last. Secrets are masked. The text has at most as many tokens as it may have; what had to go is said in it. The
//! same deck gives the same text.

mod changes;
mod collect;
mod fit;
mod part;

use cruxe_model::RepoPath;

use crate::deck::Deck;
use crate::error::DeckError;
use crate::secrets::Masker;

/// A snapshot.
#[derive(Clone, Debug)]
pub struct Scene {
    /// The text, markdown.
    pub text: String,
    /// How many tokens it has (o200k).
    pub tokens: usize,
    /// What did not fit.
    pub pruned: Vec<Pruned>,
    /// How many secrets were masked.
    pub masked: usize,
    /// The files that it was made from, and those that are referred to and not there.
    pub inputs: Vec<RepoPath>,
}

/// A part that did not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pruned {
    /// What it is: `card abc123`, `docs/api.md#Login`.
    pub what: String,
    /// Whether a part of it is there.
    pub cut: bool,
}

/// Why there is no scene.
#[derive(Debug, thiserror::Error)]
pub enum SceneError {
    /// The deck cannot be read.
    #[error(transparent)]
    Deck(#[from] DeckError),
    /// Not even a scene without content fits.
    #[error("a scene needs at least {current_size} tokens, the limit is {limit}")]
    TokenLimit {
        /// What the smallest scene has.
        current_size: usize,
        /// What it may have.
        limit: usize,
    },
}

/// Composes the scene of a deck with at most `limit` tokens.
pub fn compose(deck: &Deck, limit: usize, masker: &Masker) -> Result<Scene, SceneError> {
    let (collected, changes) = rayon::join(|| collect::collect(deck), || changes::part(deck.root()));
    let mut collected = collected?;
    collected.parts.extend(changes);
    let mut masked = 0;
    let mut mask = |text: &mut String| {
        if let (std::borrow::Cow::Owned(hidden), count) = masker.mask(text) {
            *text = hidden;
            masked += count;
        }
    };
    for part in &mut collected.parts {
        mask(&mut part.head);
        mask(&mut part.body);
    }
    let name = deck.root().file_name().map(|name| name.display().to_string()).unwrap_or_default();
    let head = format!("# Scene of {name}\n\n{}\n", collected.summary);
    let fitted = fit::fit(&head, collected.parts, limit)
        .map_err(|current_size| SceneError::TokenLimit { current_size, limit })?;
    let inputs = collected.inputs;
    Ok(Scene { text: fitted.text, tokens: fitted.tokens, pruned: fitted.pruned, masked, inputs })
}
