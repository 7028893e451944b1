//! Which places a question at the terminal is about: the same options for every command that has them.

use clap::{Args, ValueEnum};
use cruxe_query::filter::{Filter, Tests};
use cruxe_server::ask;

use crate::context::CliError;

/// Options that narrow a question down.
#[derive(Args)]
pub(super) struct Places {
    /// Only files that match, `!GLOB` for all others; can be given several times
    #[arg(short, long, value_name = "GLOB")]
    glob: Vec<String>,
    /// Whether tests are listed
    #[arg(long, value_enum, default_value_t = TestsWord::Include)]
    tests: TestsWord,
}

#[derive(Clone, Copy, ValueEnum)]
enum TestsWord {
    Include,
    Exclude,
    Only,
}

impl Places {
    /// The globs as they were given.
    pub fn globs(&self) -> &[String] {
        &self.glob
    }

    /// The word that says which tests are listed.
    pub fn tests(&self) -> &'static str {
        match self.tests {
            TestsWord::Include => "include",
            TestsWord::Exclude => "exclude",
            TestsWord::Only => "only",
        }
    }

    /// The filter that they make, with a kind of symbol where one is asked for.
    pub fn filter(&self, kind: Option<&str>) -> Result<Filter, CliError> {
        self.filter_with(&[], kind)
    }

    /// The same with more globs.
    pub fn filter_with(&self, more: &[String], kind: Option<&str>) -> Result<Filter, CliError> {
        let tests = match self.tests {
            TestsWord::Include => Tests::Include,
            TestsWord::Exclude => Tests::Exclude,
            TestsWord::Only => Tests::Only,
        };
        let globs: Vec<String> = self.glob.iter().chain(more).cloned().collect();
        ask::filter(&globs, tests, kind).map_err(|error| CliError::Usage(error.message))
    }
}
