//! Words that the ref does not have, for the most similar ones that it has.

use cruxe_store::{TextField, tokens};

use super::{Intent, Notice, Remarks, Search};
use crate::error::QueryError;
use crate::unparsed;
use crate::unread::{self, Effort};

/// A shorter word is too similar to too many.
const MIN_LETTERS: usize = 5;
/// So many words are mended: each is compared with every word of the ref, and a text with more is in another language.
const MAX_MENDED: usize = 8;
/// The index has no longer words.
const MAX_NAME: usize = 100;

impl Search<'_> {
    /// Says of a name that is asked for, or of a part of a qualified one, that it stands nowhere in the ref.
    pub fn note_unknown_name(&self, remarks: &mut Remarks) -> Result<(), QueryError> {
        let (Intent::Symbol, Some(name)) = (self.query.intent, self.query.names.first()) else { return Ok(()) };
        for part in name.wanted.qualifiers.iter().chain([&name.wanted.plain]) {
            if part.len() <= MAX_NAME && !self.stands_somewhere(part)? {
                remarks.notices.push(Notice::NoSuchName(part.clone()));
                let unread = unread::unread(self.view, part, Effort::Thorough)?;
                remarks.notices.extend(unread.map(Notice::Unread));
                return Ok(());
            }
        }
        Ok(())
    }

    /// Says of a name that is asked for that it stands in code that could not be parsed.
    pub fn note_hidden_name(&self, remarks: &mut Remarks) -> Result<(), QueryError> {
        let (Intent::Symbol, Some(name)) = (self.query.intent, self.query.names.first()) else { return Ok(()) };
        remarks.notices.extend(unparsed::hidden(self.view, &name.wanted.plain)?.map(Notice::Unparsed));
        Ok(())
    }

    /// Whether every word of a name is one of some text or path. `foo$bar` are two to the index.
    fn stands_somewhere(&self, name: &str) -> Result<bool, QueryError> {
        for word in name.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty()) {
            // The whole is the first; by its stem where this spelling is of one piece, and else as it stands.
            let Some(token) = tokens(word).into_iter().next() else { continue };
            if !self.is_known(&token)? && !self.is_known(&word.to_lowercase())? {
                return Ok(false);
            }
        }
        Ok(true)
    }

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
