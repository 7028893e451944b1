//! Changes single values of front matter and leaves every other byte as it is.

use std::collections::HashSet;
use std::fmt;
use std::ops::Range;

use super::{Entry, FrontMatter, Node, YamlProblem, write};

/// A value to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NewValue {
    /// A text, quoted as it must be; several lines become a literal block where that is possible.
    Text(String),
    /// A text that stands without quotes, such as a time.
    Plain(String),
    /// A list of texts.
    List(Vec<String>),
}

/// Why a value was not changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EditProblem {
    /// There is no front matter.
    NoFrontMatter,
    /// The front matter cannot be read.
    Yaml(YamlProblem),
    /// The value cannot be changed without changing something else too.
    NotAlone {
        /// Its key.
        key: String,
    },
}

impl fmt::Display for EditProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EditProblem::NoFrontMatter => f.write_str("there is no front matter"),
            EditProblem::Yaml(problem) => problem.fmt(f),
            EditProblem::NotAlone { key } => write!(f, "`{key}` cannot be changed without changing something else"),
        }
    }
}

/// Returns the text with values set, in the order given; a key that is not there is added at the end.
///
/// The result was read again: what it says of every other key is what the text said.
pub fn edit(text: &str, changes: &[(&str, NewValue)]) -> Result<String, EditProblem> {
    let mut edited = text.to_owned();
    for (key, value) in changes {
        edited = set(&edited, key, value)?;
    }
    Ok(edited)
}

fn set(text: &str, key: &str, value: &NewValue) -> Result<String, EditProblem> {
    let before = FrontMatter::parse(text).map_err(EditProblem::Yaml)?.ok_or(EditProblem::NoFrontMatter)?;
    let found = before.entries.iter().position(|entry| entry.key == key);
    let not_alone = || EditProblem::NotAlone { key: key.to_owned() };
    if let Some(at) = found
        && is_referred_to(&before, at)
    {
        return Err(not_alone());
    }
    let attempts = match found {
        Some(at) => replacements(text, &before, &before.entries[at], value),
        None => insertions(text, &before, key, value),
    };
    let mut results = attempts.into_iter().map(|(at, new)| {
        let mut edited = String::with_capacity(text.len() + new.len());
        edited.push_str(&text[..at.start]);
        edited.push_str(&new);
        edited.push_str(&text[at.end..]);
        edited
    });
    results.find(|edited| is_faithful(&before, text, edited, key, value)).ok_or_else(not_alone)
}

/// Whether another value says `*name` of an anchor that is defined in this one.
fn is_referred_to(front: &FrontMatter, at: usize) -> bool {
    let defined: HashSet<&usize> = front.entries[at].defines.iter().collect();
    let others = front.entries.iter().enumerate().filter(|(other, _)| *other != at);
    others.flat_map(|(_, entry)| &entry.refers).any(|anchor| defined.contains(anchor))
}

/// What may stand where, the prettiest first.
type Attempt = (Range<usize>, String);

fn replacements(text: &str, front: &FrontMatter, entry: &Entry, value: &NewValue) -> Vec<Attempt> {
    let at = entry.value_at.clone();
    let behind_colon = text[entry.key_at.end..front.yaml.end].find(':').map(|colon| entry.key_at.end + colon + 1);
    let mut attempts = Vec::new();
    let mut put = |new: &str| {
        if at.is_empty() {
            attempts.extend(behind_colon.map(|colon| (colon..colon, format!(" {new}"))));
            // Behind an anchor or a tag that stands there alone.
            attempts.push((at.clone(), format!(" {new}")));
        } else {
            attempts.push((at.clone(), new.to_owned()));
            // A list that begins in the first column cannot become something on the same line.
            attempts.extend(behind_colon.map(|colon| (colon..at.end.max(colon), format!(" {new}"))));
        }
    };
    let rest_of_line = text[at.end..].split('\n').next().unwrap_or_default();
    if let NewValue::Text(new) = value
        && rest_of_line.trim().is_empty()
        && let Some(block) = write::literal(new, indent(text, entry), eol(text))
    {
        put(&block);
    }
    match value {
        NewValue::Text(new) => {
            put(&write::like(entry.style, new));
            put(&write::double_quoted(new));
        }
        NewValue::Plain(new) => match entry.style {
            style @ (super::Style::Single | super::Style::Double) => put(&write::like(style, new)),
            _ => put(new),
        },
        NewValue::List(items) => put(&write::list(items)),
    }
    attempts
}

fn insertions(text: &str, front: &FrontMatter, key: &str, value: &NewValue) -> Vec<Attempt> {
    let eol = eol(text);
    let line = match value {
        NewValue::Text(new) => write::quoted_if_needed(new),
        NewValue::Plain(new) => new.clone(),
        NewValue::List(items) => write::list(items),
    };
    if let Some(brace) = front.flow_end {
        return vec![(brace..brace, format!(", {key}: {line}")), (brace..brace, format!("{key}: {line}"))];
    }
    let indent = front.entries.first().map_or("", |entry| indent(text, entry));
    let end = front.yaml.end..front.yaml.end;
    let mut attempts = Vec::new();
    if let NewValue::Text(new) = value {
        attempts.extend(
            write::literal(new, indent, eol).map(|block| (end.clone(), format!("{indent}{key}: {block}{eol}"))),
        );
    }
    attempts.push((end, format!("{indent}{key}: {line}{eol}")));
    attempts
}

/// What stands before a key on its line, if that is blanks.
fn indent<'a>(text: &'a str, entry: &Entry) -> &'a str {
    let start = text[..entry.key_at.start].rfind('\n').map_or(0, |feed| feed + 1);
    Some(&text[start..entry.key_at.start]).filter(|before| before.trim().is_empty()).unwrap_or_default()
}

/// How the first line ends.
fn eol(text: &str) -> &'static str {
    if text.split_inclusive('\n').next().is_some_and(|line| line.ends_with("\r\n")) { "\r\n" } else { "\n" }
}

/// Whether the edited text says the new value, and of everything else what the text said.
fn is_faithful(before: &FrontMatter, text: &str, edited: &str, key: &str, value: &NewValue) -> bool {
    let Ok(Some(after)) = FrontMatter::parse(edited) else { return false };
    if text[before.yaml.end..] != edited[after.yaml.end..] {
        return false;
    }
    let others = |front: &FrontMatter| -> Vec<(String, Node)> {
        let others = front.entries.iter().filter(|entry| entry.key != key);
        others.map(|entry| (entry.key.clone(), entry.value.clone())).collect()
    };
    let wanted = match value {
        NewValue::Text(new) | NewValue::Plain(new) => after.text(key).unwrap_or_default() == new,
        NewValue::List(items) => after.texts(key).is_some_and(|texts| texts == *items),
    };
    wanted && others(before) == others(&after)
}
