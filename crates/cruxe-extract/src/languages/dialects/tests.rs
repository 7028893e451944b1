//! What the tables say, on a few lines of each language.
