//! all-MiniLM-L6-v2: a small transformer, slower than the table and better at sentences.
//!
//! `tokenizer` makes token numbers of text, `weights` reads the file, `bert` is the network, `gemm` its inner loop.

mod bert;
mod gemm;
mod tokenizer;
mod weights;

use std::path::Path;

use rayon::prelude::*;

use crate::error::EmbedError;
use bert::Bert;
use tokenizer::Tokenizer;
use weights::Weights;

/// The name under which the model is installed.
pub const NAME: &str = "all-MiniLM-L6-v2";
/// The number of values of a vector.
pub const DIMS: usize = 384;
/// The file with the weights.
pub const WEIGHTS: &str = "model.safetensors";
/// The file with the words.
pub const VOCABULARY: &str = "vocab.txt";

/// The weights do not say into how many heads they are cut.
const HEADS: usize = 12;

/// The model, loaded.
pub struct MiniLm {
    tokenizer: Tokenizer,
    bert: Bert,
}

impl MiniLm {
    /// Reads the model from the folder in which it is installed.
    pub fn open(folder: &Path) -> Result<MiniLm, EmbedError> {
        let read = |name: &str| {
            let path = folder.join(name);
            std::fs::read(&path).map_err(|source| EmbedError::Io { path, source })
        };
        let words = String::from_utf8(read(VOCABULARY)?)
            .map_err(|_| EmbedError::Model(format!("{VOCABULARY} is not UTF-8")))?;
        let tokenizer = Tokenizer::new(&words)?;
        let bert = Bert::new(&Weights::parse(&read(WEIGHTS)?)?, HEADS)?;
        if bert.dims() != DIMS || bert.words() < tokenizer.words() {
            return Err(EmbedError::Model(format!(
                "{WEIGHTS} has {} dimensions and {} words where {DIMS} and {} are needed",
                bert.dims(),
                bert.words(),
                tokenizer.words()
            )));
        }
        Ok(MiniLm { tokenizer, bert })
    }

    /// Returns the unit vector of a text; of what goes beyond 256 tokens nothing is seen.
    pub fn embed(&self, text: &str) -> Vec<f32> {
        self.bert.embed(&self.tokenizer.encode(text))
    }

    /// Returns the unit vectors of many texts, computed on all cores.
    pub fn embed_batch(&self, texts: &[&str]) -> Vec<Vec<f32>> {
        // One by one: texts of unequal length stay short, and cores that are done early take the next.
        texts.par_iter().with_max_len(1).map(|text| self.embed(text)).collect()
    }
}

#[cfg(test)]
mod tests;
