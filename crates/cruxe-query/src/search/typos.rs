//! Words that the ref does not have, for the most similar ones that it has.

use cruxe_store::TextField;

use super::{Intent, Notice, Remarks, Search};
use crate::error::QueryError;

/// A shorter word is too similar to too many.
const MIN_LETTERS: usize = 5;
/// So many words are mended: each is compared with every word of the ref, and a text with more is in another language.
const MAX_MENDED: usize = 8;

impl Search<'_> {
    /// Replaces words that no text has, and says so.
    pub fn mend_typos(&mut self, remarks: &mut Remarks) -> Result<(), QueryError> {
        if matches!(self.query.intent, Intent::Error | Intent::Path) {
            return Ok(());
        }
        let mut tried = 0;
        for at in 0..self.query.words.len() {
            let word = &self.query.words[at];
            let is_word = word.len() >= MIN_LETTERS && word.bytes().all(|byte| byte.is_ascii_lowercase());
            if !is_word || self.is_known(word)? {
                continue;
            }
            tried += 1;
            if tried > MAX_MENDED {
                return Ok(());
            }
            self.view.work.check()?;
            if let Some(similar) = self.corpus.similar_token(TextField::Body, word)? {
                remarks.notices.push(Notice::Mended { word: word.clone(), similar: similar.clone() });
                self.query.words[at] = similar;
            }
        }
        Ok(())
    }

    fn is_known(&self, token: &str) -> Result<bool, QueryError> {
        let known = |field| self.postings.of(&self.corpus, field, token).map(|postings| !postings.is_empty());
        Ok(known(TextField::Body)? || known(TextField::Name)? || self.stats.stems.files.contains_key(token))
    }
}
