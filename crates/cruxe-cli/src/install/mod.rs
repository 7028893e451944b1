//! Makes agents use this program: which agents there are and where they keep their settings ([`agents`]), how an entry
//! is put into a file without touching the rest ([`jsonc`], [`toml`]), and how a file is changed safely ([`file`]).
//!
//! Nothing here prints or reads the environment: [`machine::Machine`] says where things are.

pub(crate) mod agents;
pub(crate) mod file;
mod jsonc;
pub(crate) mod machine;
mod toml;

use serde_json::Value;

/// The name of our entry in the settings of every agent.
pub(crate) const NAME: &str = "cruxe";

/// How settings are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// JSON, with comments and trailing commas where the agent allows them.
    Json,
    /// TOML.
    Toml,
}

/// Our entry in the settings of an agent.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entry {
    /// The keys that lead to the object of all servers.
    pub place: &'static [&'static str],
    /// What ours says.
    pub value: Vec<(&'static str, Value)>,
}

/// Puts the entry into a text, or brings it up to date; what the user added to it stays.
pub(crate) fn add(format: Format, text: &str, entry: &Entry) -> Result<String, String> {
    match format {
        Format::Json => jsonc::add(text, entry),
        Format::Toml => toml::add(text, entry),
    }
}

/// Takes the entry out of a text.
pub(crate) fn remove(format: Format, text: &str, entry: &Entry) -> Result<String, String> {
    match format {
        Format::Json => jsonc::remove(text, entry),
        Format::Toml => toml::remove(text, entry),
    }
}
