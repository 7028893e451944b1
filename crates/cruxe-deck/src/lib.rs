//! The CueDeck side: documents, task cards, and scenes made of them.
