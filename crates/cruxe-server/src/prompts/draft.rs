//! A text that keeps to a number of tokens.

use cruxe_deck::fence;

/// A text that grows as long as it may.
pub(super) struct Draft {
    text: String,
    left: usize,
}

/// What the note on what was left out may cost.
const NOTE: usize = 24;

impl Draft {
    pub fn new(tokens: usize) -> Draft {
        Draft { text: String::new(), left: tokens }
    }

    /// Adds a piece if it fits, and tells whether it did.
    pub fn add(&mut self, piece: &str) -> bool {
        let cost = tokens(piece);
        if cost > self.left {
            return false;
        }
        self.left -= cost;
        self.text.push_str(piece);
        true
    }

    /// Adds as many pieces as fit and says how many did not.
    pub fn add_all(&mut self, pieces: impl IntoIterator<Item = String>, rest: impl Fn(usize) -> String) {
        let mut left_out = 0;
        for piece in pieces {
            let fits = left_out == 0 && tokens(&piece) + NOTE <= self.left && self.add(&piece);
            left_out += usize::from(!fits);
        }
        if left_out > 0 {
            self.add(&rest(left_out));
        }
    }

    /// Adds a block of code, cut to at most so many tokens.
    pub fn add_code(&mut self, language: &str, code: &str, most: usize) {
        let most = most.min(self.left.saturating_sub(2 * NOTE));
        let mut block = Draft::new(most);
        block.add_all(code.lines().map(|line| format!("{line}\n")), |count| format!("… {count} more lines\n"));
        if !block.text.is_empty() {
            self.add(&fence::block(language, &block.text));
        }
    }

    /// Tokens that can still be added.
    pub fn left(&self) -> usize {
        self.left
    }

    pub fn finish(self) -> String {
        self.text
    }
}

/// What a text costs, as the tokenizer of current OpenAI models counts; others differ by a few percent.
pub(super) fn tokens(text: &str) -> usize {
    cruxe_tokens::count(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draft_never_costs_more_than_it_may_and_says_what_is_missing() {
        let lines = || (0..400).map(|number| format!("- line number {number}\n"));
        for most in [0, 10, 30, 100, 1000] {
            let mut draft = Draft::new(most);
            draft.add_all(lines(), |count| format!("… and {count} more\n"));
            let text = draft.finish();
            assert!(tokens(&text) <= most, "{most}: {}", tokens(&text));
            let shown = text.lines().filter(|line| line.starts_with("- ")).count();
            assert!(most < 30 || text.ends_with(&format!("… and {} more\n", 400 - shown)), "{text}");
        }
        let mut draft = Draft::new(100_000);
        draft.add_all(lines(), |count| format!("… and {count} more\n"));
        assert!(draft.finish().ends_with("- line number 399\n"));
    }

    #[test]
    fn code_with_a_fence_gets_a_longer_one() {
        let mut draft = Draft::new(200);
        draft.add_code("md", "```\nx\n`````\n", 100);
        assert_eq!(draft.finish(), "``````md\n```\nx\n`````\n``````\n");
    }
}
