//! What each setting may be, and which of them a repository may say.
//!
//! A configuration comes with a repository that was cloned. It may say how its own code is looked at, and ask for less than the
//! user allows; it may not lift a bound of the machine or of the server.

use std::ops::Range;

use toml::de::{DeTable, DeValue};
use toml::{Table, Value};

use super::{Config, ConfigError, ConfigErrorKind};

/// What a repository may do with a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repository {
    /// Set it.
    Sets,
    /// Set it to less than is in force.
    Lowers,
    /// Set it to `false`.
    TurnsOff,
    /// Nothing.
    Ignored,
}

/// A setting.
#[derive(Debug)]
pub struct Key {
    /// The section.
    pub section: &'static str,
    /// The name in it.
    pub name: &'static str,
    /// What a repository may do with it.
    pub repository: Repository,
    /// The least and the most, for a whole number.
    pub range: Option<(i64, i64)>,
}

const fn key(section: &'static str, name: &'static str, repository: Repository) -> Key {
    Key { section, name, repository, range: None }
}

const fn number(section: &'static str, name: &'static str, repository: Repository, least: i64, most: i64) -> Key {
    Key { section, name, repository, range: Some((least, most)) }
}

const DAY_MS: i64 = 86_400_000;
const MANY: i64 = 1_000_000;

/// Every setting.
pub const KEYS: &[Key] = &[
    key("query", "freshness_policy", Repository::Sets),
    key("query", "ranking_explain_level", Repository::Sets),
    number("index", "max_file_bytes", Repository::Lowers, 1, 1 << 30),
    number("index", "max_parse_ms", Repository::Lowers, 1, DAY_MS),
    number("index", "threads", Repository::Ignored, 0, 1024),
    number("index", "max_files", Repository::Lowers, 1, 100 * MANY),
    key("semantic", "enabled", Repository::TurnsOff),
    key("semantic", "ratio", Repository::Sets),
    key("semantic", "model", Repository::Ignored),
    key("server", "watch", Repository::TurnsOff),
    number("server", "debounce_ms", Repository::Lowers, 0, 60_000),
    number("server", "workspace_warmset", Repository::Ignored, 1, 1000),
    number("server", "max_auto_workspaces", Repository::Ignored, 0, MANY),
    key("server", "answers", Repository::Ignored),
    number("http", "max_body_bytes", Repository::Ignored, 1024, 1 << 30),
    number("http", "max_header_bytes", Repository::Ignored, 1024, 16 << 20),
    number("http", "max_connections", Repository::Ignored, 1, MANY),
    number("http", "max_requests", Repository::Ignored, 1, MANY),
    number("http", "max_sessions", Repository::Ignored, 1, MANY),
    number("http", "header_timeout_ms", Repository::Ignored, 1, DAY_MS),
    number("http", "body_timeout_ms", Repository::Ignored, 1, DAY_MS),
    number("http", "request_timeout_ms", Repository::Ignored, 1, DAY_MS),
    number("http", "session_idle_ms", Repository::Ignored, 1, 30 * DAY_MS),
    key("debug", "enabled", Repository::Sets),
    key("debug", "ranking_reasons", Repository::Sets),
];

/// Fails where a number is out of its range.
pub(super) fn check_ranges(origin: &str, text: &str, table: &Table) -> Result<(), ConfigError> {
    for key in KEYS {
        let (Some((least, most)), Some(value)) = (key.range, key.of(table).and_then(Value::as_integer)) else {
            continue;
        };
        if !(least..=most).contains(&value) {
            let problem = format!("{}.{} is a number from {least} to {most}", key.section, key.name);
            let kind = ConfigErrorKind::OutOfRange { section: key.section, name: key.name, least, most };
            return Err(ConfigError::new(origin, text, place(text, key), kind, problem));
        }
    }
    Ok(())
}

/// Takes out of a repository's configuration what it may not say, given what is in force, and returns a sentence for each.
pub(super) fn confine(origin: &str, table: &mut Table, in_force: &Table) -> Vec<String> {
    let defaults = Table::try_from(Config::default()).unwrap_or_default();
    let mut ignored = Vec::new();
    for key in KEYS {
        let Some(asked) = key.of(table) else { continue };
        let now = key.of(in_force).or_else(|| key.of(&defaults));
        let why = match key.repository {
            _ if now == Some(asked) => continue,
            Repository::Sets => continue,
            Repository::Lowers if asked.as_integer() < now.and_then(Value::as_integer) => continue,
            Repository::TurnsOff if asked.as_bool() == Some(false) => continue,
            Repository::Lowers => "a repository may lower it, not raise it",
            Repository::TurnsOff => "a repository may turn it off, not on",
            Repository::Ignored => "a repository may not set it",
        };
        if let Some(Value::Table(section)) = table.get_mut(key.section) {
            section.remove(key.name);
        }
        ignored.push(format!("{origin}: {}.{} is ignored: {why}", key.section, key.name));
    }
    ignored
}

impl Key {
    fn of<'t>(&self, table: &'t Table) -> Option<&'t Value> {
        table.get(self.section)?.get(self.name)
    }
}

fn place(text: &str, key: &Key) -> Option<Range<usize>> {
    let root = DeTable::parse(text).ok()?;
    let DeValue::Table(section) = root.get_ref().get(key.section)?.get_ref() else { return None };
    Some(section.get(key.name)?.span())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_is_in_the_list() {
        // Two are unset by default, and so are not written.
        let unset = ["query.ranking_explain_level", "semantic.ratio", "debug.ranking_reasons"];
        let mut listed: Vec<String> = KEYS.iter().map(|key| format!("{}.{}", key.section, key.name)).collect();
        listed.retain(|name| !unset.contains(&name.as_str()));
        listed.sort();
        let mut all: Vec<String> = Vec::new();
        for (section, values) in Table::try_from(Config::default()).unwrap() {
            all.extend(values.as_table().unwrap().keys().map(|name| format!("{section}.{name}")));
        }
        all.sort();
        assert_eq!(listed, all);
    }

    #[test]
    fn the_documentation_says_what_a_repository_may_do() {
        let rows: Vec<&str> =
            include_str!("../../../../docs/configuration.md").lines().filter(|line| line.starts_with("| `")).collect();
        for key in KEYS {
            let names = [format!("`{}.{}`", key.section, key.name), format!("`{}`", key.name)];
            let range = key.range.map(|(least, most)| format!("| {least} to {most} |")).unwrap_or_default();
            let may = match key.repository {
                Repository::Sets => "| sets it |",
                Repository::Lowers => "| lowers it |",
                Repository::TurnsOff => "| turns it off |",
                Repository::Ignored => "| is ignored |",
            };
            let is_there = |row: &&str| {
                row.starts_with(&format!("| `{}.", key.section))
                    && names.iter().any(|name| row.contains(name.as_str()))
                    && row.contains(&range)
                    && row.ends_with(may)
            };
            assert!(rows.iter().any(is_there), "{}.{}", key.section, key.name);
        }
    }

    #[test]
    fn every_number_has_a_range_and_the_defaults_are_within() {
        let defaults = Table::try_from(Config::default()).unwrap();
        for key in KEYS {
            let number = key.of(&defaults).and_then(Value::as_integer);
            assert_eq!(number.is_some(), key.range.is_some(), "{}", key.name);
            if let (Some(number), Some((least, most))) = (number, key.range) {
                assert!((least..=most).contains(&number), "{}", key.name);
            }
        }
    }
}
