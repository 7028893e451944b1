//! What became of every identifier of a name, in the words of answers.

use cruxe_query::mentions::{Mentions, UnresolvedMention};
use cruxe_query::resolve::Reason;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use crate::contract::Metadata;

/// How many unresolved mentions an answer lists at most.
pub const MOST_UNRESOLVED: usize = 200;

/// A mention of which it cannot be told whether it means the symbol.
#[derive(Serialize, JsonSchema)]
pub(super) struct OpenMention {
    pub path: String,
    pub line: u32,
    /// Why it cannot be told.
    pub reason: &'static str,
    pub context: String,
    /// Qualified name of the symbol around it.
    #[serde(rename = "in")]
    pub holder: String,
}

impl From<UnresolvedMention> for OpenMention {
    fn from(one: UnresolvedMention) -> OpenMention {
        OpenMention {
            path: one.path,
            line: one.line,
            reason: reason(one.reason),
            context: one.context,
            holder: one.from.qualified_name,
        }
    }
}

/// The account of a name as metadata, and what follows from it for the answer.
pub(super) fn noted(metadata: Metadata, name: &str, mentions: &Mentions, first: Option<(String, u32)>) -> Metadata {
    let metadata = metadata.with("unresolved_mentions", mentions.open()).with("mentions", account(mentions));
    let Some((path, line)) = first else { return metadata };
    let more = match mentions.unparsed {
        0 | 1 => String::new(),
        count => format!(" and {} more", count - 1),
    };
    metadata.partial(format!("`{name}` also stands in code that could not be parsed: {path}:{line}{more}"))
}

fn account(mentions: &Mentions) -> Value {
    json!({
        "total": mentions.total(),
        "definitions": mentions.definitions,
        "uses": mentions.uses,
        "others": mentions.others,
        "locals": mentions.locals,
        "outside": mentions.outside,
        "unresolved": mentions.unresolved,
        "unparsed": mentions.unparsed,
    })
}

/// Why it cannot be told what an identifier means.
pub fn reason(reason: Reason) -> &'static str {
    match reason {
        Reason::Receiver => "the type of what stands before it is not known",
        Reason::Several => "several definitions are possible",
        Reason::NotInSight => "the file neither defines nor imports it",
        Reason::NoSuchMember => "the type of what stands before it has no such member",
        Reason::Key => "it is a key, a symbol or an atom of something that is not known",
        Reason::Path => "it is part of a module's path",
        Reason::Missing => {
            "its path leads into this repository, which has nothing there (renamed, generated or not indexed)"
        }
        Reason::Compiler => "the compiler's index does not say what it means",
        Reason::Language => "it stands in another language",
        Reason::Syntax => "nothing is known about this syntax",
        Reason::Unparsed => "it stands in code that could not be parsed",
    }
}
