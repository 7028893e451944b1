//! What an answer over several repositories says of them: once, and only what a reader needs.

use std::path::Path;

use cruxe_index::Standing;
use cruxe_model::{FreshnessStatus, IndexingStatus, ResultCompleteness};
use cruxe_query::search::{self, Notice};
use serde_json::{Value, json};

use super::text::Line;
use crate::across::Chosen;
use crate::contract::{ErrorCode, Metadata, ToolError, notice_of_search};

/// So many repositories are named in a sentence.
const NAMED: usize = 5;

/// What became of the repositories that a question is about.
#[derive(Default)]
pub struct OfRepositories {
    /// How many were asked.
    pub looked_into: usize,
    /// How many may have something and were not asked.
    pub not_looked_into: usize,
    /// What else to say.
    pub warnings: Vec<String>,
    entries: Vec<(String, Value)>,
    total: usize,
    not_indexed: Vec<String>,
    unread: Vec<(String, String)>,
    worst: Option<Metadata>,
    late: bool,
}

/// What is counted over all repositories, beside what is said of them.
pub struct Told {
    /// How many results there are.
    pub total: usize,
    /// How many a filter left out.
    pub filtered_out: usize,
    /// What is said of them.
    pub of: OfRepositories,
}

/// Repositories that may use a symbol.
#[derive(Default)]
pub struct Dependents {
    /// The package that offers it.
    pub of: Option<String>,
    /// How many do not depend on it.
    pub not_dependent: usize,
    /// Those that do and were not looked into.
    pub over_limit: Vec<String>,
}

/// Names in a sentence: the first few, and how many more.
fn list(names: &[String]) -> String {
    let shown = names.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
    match names.len() {
        0..=NAMED => shown,
        count => format!("{shown} and {} more", count - NAMED),
    }
}

impl OfRepositories {
    /// Notes how a repository that was asked stands.
    pub fn stand(&mut self, name: &str, root: &Path, standing: &Standing) {
        let metadata = Metadata::of(standing);
        let mut entry = json!({"repository": name, "workspace": root, "ref": standing.ref_name});
        if metadata.freshness_status != FreshnessStatus::Fresh {
            entry["freshness_status"] = json!(metadata.freshness_status);
        }
        if metadata.indexing_status != IndexingStatus::Ready {
            entry["indexing_status"] = json!(metadata.indexing_status);
        }
        if metadata.result_completeness != ResultCompleteness::Complete {
            entry["result_completeness"] = json!(metadata.result_completeness);
        }
        self.warnings.extend(metadata.warnings.iter().map(|warning| format!("{name}: {warning}")));
        self.entries.retain(|(known, _)| known != name);
        self.entries.push((name.to_owned(), entry));
        self.worst = Metadata::of_all(self.worst.iter().chain([&metadata]));
        let other = self.worst.as_mut().filter(|worst| worst.ref_name != metadata.ref_name);
        other.into_iter().for_each(|worst| worst.ref_name = crate::across::ALL.to_owned());
    }

    /// Notes what a search of a repository could not look at.
    pub fn remark(&mut self, name: &str, answer: &search::SearchAnswer) {
        self.late |= answer.remarks.late;
        if answer.remarks.unread > 0 {
            let files = answer.remarks.unread;
            self.warnings.push(format!("{name}: {files} files changed since they were indexed and were not looked at"));
            self.late = true;
        }
    }

    /// Notes what all of them say alike.
    pub fn say(&mut self, notices: &[Notice]) {
        let said = notices.iter().map(|notice| notice_of_search(notice, "any of the repositories"));
        self.warnings.extend(said);
    }

    /// Notes that a repository could not be asked.
    pub fn fail(&mut self, name: &str, error: &ToolError) {
        self.unread.push((name.to_owned(), format!("{}: {}", error.code.as_str(), error.message)));
    }

    /// Notes which repositories the question is about.
    pub fn chosen(&mut self, chosen: &Chosen) {
        self.total = chosen.count();
        self.not_indexed = chosen.not_indexed.clone();
        self.unread.extend(chosen.broken.iter().cloned());
        self.unread.sort();
        self.warnings.extend(chosen.refused.iter().map(|error| error.message.clone()));
    }

    /// Notes that other repositories define a name too.
    pub fn also_defined(&mut self, name: &str, home: &str, others: &[&str], more: usize) {
        if !others.is_empty() || more > 0 {
            let named: Vec<String> = others.iter().map(|name| (*name).to_owned()).collect();
            let may = if more > 0 { format!("; {more} more may define it") } else { String::new() };
            let also = if named.is_empty() { String::new() } else { format!("; {} define it too", list(&named)) };
            self.warnings.push(format!(
                "this is about `{name}` of {home}{also}{may}. For another, give its repository as `workspace`"
            ));
        }
    }

    /// The error of a name that none of them defines.
    pub fn no_such_symbol(&self, name: &str, chosen: &Chosen) -> ToolError {
        let count = chosen.ready.len();
        let message = format!("none of {count} indexed repositories defines `{name}`");
        let error = ToolError::new(ErrorCode::SymbolNotFound, message).with("not_indexed", &chosen.not_indexed);
        match chosen.not_indexed.is_empty() {
            true => error,
            false => {
                error.suggest(format!("Not indexed yet: {}. Index them, or check the name.", list(&chosen.not_indexed)))
            }
        }
    }

    /// What the reader is told of all of them.
    pub(super) fn metadata(self, shown: &[&str]) -> Metadata {
        let mut metadata = self.worst.unwrap_or_else(|| Metadata::new(crate::across::ALL));
        metadata.warnings = self.warnings;
        if !self.not_indexed.is_empty() {
            metadata = metadata.partial(format!("not indexed yet: {}", list(&self.not_indexed)));
        }
        for (name, why) in self.unread.iter().take(NAMED) {
            metadata = metadata.partial(format!("{name} was not looked into: {why}"));
        }
        if self.not_looked_into > 0 {
            let (asked, all) = (self.looked_into, self.total);
            metadata
                .warnings
                .push(format!("looked into {asked} of {all} repositories, the likeliest by names and words"));
            metadata = metadata.truncated_if(true);
        }
        metadata = metadata.late_if(self.late);
        // Of those that were asked and have nothing to show only what one would not expect.
        let is_said = |name: &String, entry: &Value| {
            shown.contains(&name.as_str()) || entry.as_object().is_some_and(|entry| entry.len() > 3)
        };
        let mut entries: Vec<(String, Value)> =
            self.entries.into_iter().filter(|(name, entry)| is_said(name, entry)).collect();
        entries.sort_by(|a, b| a.0.cmp(&b.0));
        let entries: Vec<Value> = entries.into_iter().map(|(_, entry)| entry).collect();
        metadata = metadata
            .with("repositories", entries)
            .with("repository_count", self.total)
            .with("looked_into", self.looked_into);
        match self.not_indexed.is_empty() {
            true => metadata,
            false => metadata.with("not_indexed", self.not_indexed),
        }
    }

    /// How many repositories the question is about.
    pub(super) fn total(&self) -> usize {
        self.total
    }
}

impl Dependents {
    /// Says which repositories were not looked into, and why.
    pub(super) fn note(self, mut metadata: Metadata) -> Metadata {
        let Dependents { of, not_dependent, over_limit } = self;
        let left = json!({"not_dependent": not_dependent, "limit": over_limit});
        metadata = metadata.with("not_looked_into", left);
        match of {
            Some(package) => metadata = metadata.with("package", package),
            None if not_dependent > 0 => metadata.warnings.push(
                "no manifest says which package offers it, so other repositories were not looked into".to_owned(),
            ),
            None => {}
        }
        match over_limit.is_empty() {
            true => metadata,
            false => metadata.partial(format!("depend on it and were not looked into: {}", list(&over_limit))),
        }
    }
}

/// How a place says its repository: before it where the next is of another, else in a heading once.
pub(super) enum Said {
    /// Before the place.
    Before(String),
    /// In a line of its own.
    Heading(String),
    /// Above already, or nowhere.
    Not,
}

/// How each of a list of places says its repository, whichever is shorter: a name before one, a heading before several.
pub(super) fn said<'a>(repositories: impl Iterator<Item = Option<&'a str>>) -> Vec<Said> {
    let all: Vec<Option<&str>> = repositories.collect();
    let same = |a: Option<usize>, b: usize| a.and_then(|a| all.get(a)).is_some_and(|other| *other == all[b]);
    (0..all.len())
        .map(|at| match all[at] {
            None => Said::Not,
            Some(_) if same(at.checked_sub(1), at) => Said::Not,
            Some(name) if same(Some(at + 1), at) => Said::Heading(name.to_owned()),
            Some(name) => Said::Before(name.to_owned()),
        })
        .collect()
}

impl Said {
    /// The line of a place, with its repository before it where it stands there.
    pub(super) fn before(&self, line: Line) -> Line {
        match self {
            Said::Before(name) => Line::new().strong(name.as_str()).plain(" ").join(line),
            Said::Heading(_) | Said::Not => line,
        }
    }

    /// The heading above a place.
    pub(super) fn heading(&self) -> Option<Line> {
        match self {
            Said::Heading(name) => Some(Line::new().strong(name.as_str()).plain(":")),
            Said::Before(_) | Said::Not => None,
        }
    }
}
