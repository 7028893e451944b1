//! Groups of tools that a server serves or leaves out: a tool that is not listed costs a model nothing.

use std::fmt;
use std::str::FromStr;

/// What a tool, a resource or a prompt belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Toolset {
    /// Questions about code.
    #[default]
    Code,
    /// Documents and what to read before work.
    Context,
    /// Task cards.
    Tasks,
}

impl Toolset {
    /// Every toolset.
    pub const ALL: [Toolset; 3] = [Toolset::Code, Toolset::Context, Toolset::Tasks];

    /// The word on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Toolset::Code => "code",
            Toolset::Context => "context",
            Toolset::Tasks => "tasks",
        }
    }
}

impl fmt::Display for Toolset {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

impl FromStr for Toolset {
    type Err = String;

    fn from_str(word: &str) -> Result<Toolset, String> {
        let known = Toolset::ALL.into_iter().find(|set| set.as_str() == word.trim());
        known.ok_or_else(|| format!("`{word}` is no toolset; there are: code, context, tasks"))
    }
}

/// The toolsets that a server serves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Toolsets(Vec<Toolset>);

impl Toolsets {
    /// Those that were asked for; all of them when none was.
    pub fn new(mut sets: Vec<Toolset>) -> Toolsets {
        sets.sort();
        sets.dedup();
        if sets.is_empty() { Toolsets::default() } else { Toolsets(sets) }
    }

    /// Whether a toolset is served.
    pub fn contains(&self, set: Toolset) -> bool {
        self.0.contains(&set)
    }

    /// Returns them in order.
    pub fn iter(&self) -> impl Iterator<Item = Toolset> + '_ {
        self.0.iter().copied()
    }
}

impl Default for Toolsets {
    fn default() -> Toolsets {
        Toolsets(Toolset::ALL.to_vec())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn none_asked_for_means_all_and_the_order_does_not_matter() {
        assert_eq!(Toolsets::new(Vec::new()), Toolsets::default());
        let some = Toolsets::new(vec![Toolset::Tasks, Toolset::Code, Toolset::Tasks]);
        assert_eq!(some.iter().collect::<Vec<_>>(), [Toolset::Code, Toolset::Tasks]);
        assert!(!some.contains(Toolset::Context));
    }

    #[test]
    fn a_word_that_is_no_toolset_is_told_which_there_are() {
        assert_eq!("context".parse(), Ok(Toolset::Context));
        assert_eq!("docs".parse::<Toolset>(), Err("`docs` is no toolset; there are: code, context, tasks".to_owned()));
    }
}
