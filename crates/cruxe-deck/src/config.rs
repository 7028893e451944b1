//! `.cuedeck/config.toml`: what can be set, its defaults, and what is wrong with a file, with line and column.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// What `cue init` writes: every setting with its default.
pub const TEMPLATE: &str = r##"# CueDeck. Every setting has the value that it has when it is left out.

[core]
# The most tokens that a scene may have.
token_limit = 32000

[secrets]
# Mask what looks like a common key or token in scenes.
defaults = true
# Your own patterns, as many as you like:
# [[secrets.pattern]]
# name = "internal token"
# regex = "itk_[0-9a-f]{32}"

[rate_limits]
# Requests a minute and at once, for each connection of an agent; `read_doc = 0` turns a limit off.
read_context = { per_minute = 10, burst = 15 }
read_doc = { per_minute = 30, burst = 50 }
list_tasks = { per_minute = 20, burst = 30 }
update_task = { per_minute = 10, burst = 15 }
"##;

/// The tools whose number of calls can be limited.
pub const TOOLS: &[&str] = &[
    "read_context",
    "read_doc",
    "list_tasks",
    "create_task",
    "get_task_dependencies",
    "validate_task_graph",
    "update_task",
];

/// The configuration of a deck.
#[derive(Clone, Debug, PartialEq)]
pub struct DeckConfig {
    /// The most tokens that a scene may have.
    pub token_limit: u32,
    /// What is masked in scenes.
    pub secrets: Secrets,
    rate_limits: BTreeMap<String, RateLimit>,
    /// Where releases come from.
    pub upgrade: Upgrade,
}

/// What is masked in scenes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Secrets {
    /// Whether the built-in patterns count.
    pub defaults: bool,
    /// The user's own.
    pub patterns: Vec<SecretPattern>,
}

/// A pattern of something that must not leave the machine. Its regular expression is known to compile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecretPattern {
    /// What it finds, for the reader of a masked scene.
    pub name: String,
    /// The regular expression.
    pub regex: String,
}

/// How often a tool may be called over one connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimit {
    /// Calls a minute, in the long run. Not 0.
    pub per_minute: u32,
    /// Calls at once. Not 0.
    pub burst: u32,
}

/// Where releases come from. Only a file of the user's own is asked, never a workspace's: see `cue upgrade`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Upgrade {
    /// The address of the release server.
    pub server: Option<String>,
    /// The minisign key that releases are signed with.
    pub public_key: Option<String>,
}

/// A configuration with what its reader should know.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadedConfig {
    /// The configuration.
    pub config: DeckConfig,
    /// Keys that nobody knows, with their places. They are no errors: a later version may have them.
    pub warnings: Vec<ConfigProblem>,
}

/// Something about a configuration file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigProblem {
    /// The file.
    pub path: PathBuf,
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
    /// Where it is, in bytes of the text.
    pub span: Range<usize>,
    /// What it is.
    pub message: String,
}

impl fmt::Display for ConfigProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}: {}", self.path.display(), self.line, self.column, self.message)
    }
}

/// Why there is no configuration.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file says something that makes no sense.
    #[error("{0}")]
    Problem(ConfigProblem),
}

impl Default for DeckConfig {
    fn default() -> DeckConfig {
        let limit = |tool: &str, per_minute, burst| (tool.to_owned(), RateLimit { per_minute, burst });
        DeckConfig {
            token_limit: 32_000,
            secrets: Secrets { defaults: true, patterns: Vec::new() },
            rate_limits: BTreeMap::from([
                limit("read_context", 10, 15),
                limit("read_doc", 30, 50),
                limit("list_tasks", 20, 30),
                limit("update_task", 10, 15),
            ]),
            upgrade: Upgrade::default(),
        }
    }
}

impl DeckConfig {
    /// Returns the limit of a tool; `None` where there is none.
    pub fn rate_limit(&self, tool: &str) -> Option<RateLimit> {
        self.rate_limits.get(tool).copied()
    }

    /// Reads a file; one that is not there is the default.
    pub fn load(path: &Path) -> Result<LoadedConfig, ConfigError> {
        if path.metadata().is_ok_and(|found| !found.is_file()) {
            let source = io::Error::new(io::ErrorKind::InvalidInput, "it is no file; remove it");
            return Err(ConfigError::Io { path: path.to_owned(), source });
        }
        match std::fs::read_to_string(path) {
            Ok(text) => DeckConfig::parse(path, &text).map_err(ConfigError::Problem),
            Err(problem) if problem.kind() == io::ErrorKind::NotFound => {
                DeckConfig::parse(path, "").map_err(ConfigError::Problem)
            }
            Err(source) => Err(ConfigError::Io { path: path.to_owned(), source }),
        }
    }

    /// Reads a text; `path` is for messages.
    pub fn parse(path: &Path, text: &str) -> Result<LoadedConfig, ConfigProblem> {
        let problem = |span: Option<Range<usize>>, message: &str| problem(path, text, span, message);
        let raw: Raw = toml::from_str(text).map_err(|error| problem(error.span(), error.message()))?;
        let mut config = DeckConfig::default();
        if let Some(limit) = raw.core.token_limit {
            let span = limit.span();
            config.token_limit = u32::try_from(limit.into_inner())
                .ok()
                .filter(|limit| *limit > 0)
                .ok_or_else(|| problem(Some(span), "token_limit is a number from 1 to 4294967295"))?;
        }
        config.secrets.defaults = raw.secrets.defaults.unwrap_or(true);
        for pattern in raw.secrets.pattern {
            let (span, regex) = (pattern.regex.span(), pattern.regex.into_inner());
            // The last line of the crate's report says what is wrong; the lines before draw a picture of the pattern.
            regex::Regex::new(&regex).map_err(|error| {
                let report = error.to_string();
                problem(Some(span), &format!("not a regular expression: {}", report.lines().last().unwrap_or(&report)))
            })?;
            let name = pattern.name.unwrap_or_else(|| "secret".to_owned());
            config.secrets.patterns.push(SecretPattern { name, regex });
        }
        for (tool, limit) in raw.rate_limits {
            let span = limit.span();
            let limit = match limit.into_inner() {
                // As generous as the defaults are: half as many again at once.
                RawLimit::Rate(per_minute) => (per_minute, None),
                RawLimit::Full { per_minute, burst } => (per_minute, burst),
            };
            let per_minute = u32::from(limit.0);
            match (per_minute, limit.1.map_or(per_minute + per_minute / 2, u32::from)) {
                (0, _) => drop(config.rate_limits.remove(&tool)),
                (_, 0) => return Err(problem(Some(span), "burst must not be 0; per_minute = 0 turns the limit off")),
                (per_minute, burst) => drop(config.rate_limits.insert(tool, RateLimit { per_minute, burst })),
            }
        }
        config.upgrade = Upgrade { server: raw.upgrade.server, public_key: raw.upgrade.public_key };
        let unknown = unknown_keys(text).into_iter();
        let warnings = unknown.map(|(key, span)| problem(Some(span), &format!("unknown setting `{key}`"))).collect();
        Ok(LoadedConfig { config, warnings })
    }
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Raw {
    core: RawCore,
    secrets: RawSecrets,
    rate_limits: BTreeMap<String, Spanned<RawLimit>>,
    upgrade: RawUpgrade,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct RawCore {
    token_limit: Option<Spanned<i64>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct RawSecrets {
    defaults: Option<bool>,
    pattern: Vec<RawPattern>,
}

#[derive(Deserialize)]
struct RawPattern {
    name: Option<String>,
    regex: Spanned<String>,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "a number of requests a minute, or { per_minute = …, burst = … }")]
enum RawLimit {
    Rate(u16),
    Full { per_minute: u16, burst: Option<u16> },
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct RawUpgrade {
    server: Option<String>,
    public_key: Option<String>,
}

/// The keys that nothing reads, with their places.
fn unknown_keys(text: &str) -> Vec<(String, Range<usize>)> {
    let Ok(root) = DeTable::parse(text) else { return Vec::new() };
    let mut unknown = Vec::new();
    for (key, value) in root.get_ref() {
        let known: &[&str] = match key.get_ref().as_ref() {
            "core" => &["token_limit"],
            "secrets" => &["defaults", "pattern"],
            "rate_limits" => TOOLS,
            "upgrade" => &["server", "public_key"],
            other => {
                unknown.push((other.to_owned(), key.span()));
                continue;
            }
        };
        let DeValue::Table(table) = value.get_ref() else { continue };
        let outer = key.get_ref().as_ref();
        keys_beside(table, outer, known, &mut unknown);
        if let Some(DeValue::Array(patterns)) = table.get("pattern").map(Spanned::get_ref) {
            for pattern in patterns.iter() {
                if let DeValue::Table(pattern) = pattern.get_ref() {
                    keys_beside(pattern, "secrets.pattern", &["name", "regex"], &mut unknown);
                }
            }
        }
    }
    unknown.sort_by_key(|(_, span)| span.start);
    unknown
}

fn keys_beside(table: &DeTable, outer: &str, known: &[&str], unknown: &mut Vec<(String, Range<usize>)>) {
    for key in table.keys().filter(|key| !known.contains(&key.get_ref().as_ref())) {
        unknown.push((format!("{outer}.{}", key.get_ref()), key.span()));
    }
}

fn problem(path: &Path, text: &str, span: Option<Range<usize>>, message: &str) -> ConfigProblem {
    let span = span.unwrap_or(0..0);
    let before = text.get(..span.start).unwrap_or(text);
    let line = before.matches('\n').count() as u32 + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() as u32 + 1;
    let message = message.lines().next().unwrap_or_default().to_owned();
    ConfigProblem { path: path.to_owned(), line, column, span, message }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<LoadedConfig, (u32, u32, String)> {
        DeckConfig::parse(Path::new("config.toml"), text)
            .map_err(|problem| (problem.line, problem.column, problem.message))
    }

    #[test]
    fn the_template_says_the_defaults() {
        assert_eq!(parse(TEMPLATE), Ok(LoadedConfig { config: DeckConfig::default(), warnings: Vec::new() }));
        assert_eq!(parse("").unwrap().config, DeckConfig::default());
    }

    #[test]
    fn every_setting_is_read() {
        let text = "[core]\ntoken_limit = 100\n[secrets]\ndefaults = false\n[[secrets.pattern]]\nname = \"own\"\n\
                    regex = \"itk_[0-9]+\"\n[rate_limits]\nread_doc = 0\nread_context = 20\n\
                    create_task = { per_minute = 5, burst = 7 }\n[upgrade]\nserver = \"http://x\"\npublic_key = \"RW\"\n";
        let LoadedConfig { config, warnings } = parse(text).unwrap();
        assert_eq!(warnings, []);
        assert_eq!(config.token_limit, 100);
        let pattern = SecretPattern { name: "own".into(), regex: "itk_[0-9]+".into() };
        assert_eq!(config.secrets, Secrets { defaults: false, patterns: vec![pattern] });
        assert_eq!(config.rate_limit("read_doc"), None);
        assert_eq!(config.rate_limit("read_context"), Some(RateLimit { per_minute: 20, burst: 30 }));
        assert_eq!(config.rate_limit("create_task"), Some(RateLimit { per_minute: 5, burst: 7 }));
        assert_eq!(config.rate_limit("list_tasks"), Some(RateLimit { per_minute: 20, burst: 30 }));
        assert_eq!(config.rate_limit("validate_task_graph"), None);
        assert_eq!(config.upgrade.server.as_deref(), Some("http://x"));
        assert_eq!(config.upgrade.public_key.as_deref(), Some("RW"));
    }

    #[test]
    fn unknown_keys_are_warned_about_where_they_stand() {
        let text = "colour = 1\n[core]\ntoken_limits = 5\n[rate_limits]\nread_dog = 1\n[[secrets.pattern]]\nregex = \"x\"\nnam = \"y\"\n";
        let warnings: Vec<(u32, String)> =
            parse(text).unwrap().warnings.into_iter().map(|warning| (warning.line, warning.message)).collect();
        let expected = [
            (1, "unknown setting `colour`"),
            (3, "unknown setting `core.token_limits`"),
            (5, "unknown setting `rate_limits.read_dog`"),
            (8, "unknown setting `secrets.pattern.nam`"),
        ];
        assert_eq!(warnings, expected.map(|(line, text)| (line, text.to_owned())));
    }

    #[test]
    fn mistakes_have_a_line_and_a_column() {
        let place = |text: &str| parse(text).map_err(|(line, column, _)| (line, column)).unwrap_err();
        assert_eq!(place("[core\nbroken"), (1, 6));
        assert_eq!(place("[core]\ntoken_limit = \"many\"\n"), (2, 15));
        assert_eq!(place("[core]\ntoken_limit = 0\n"), (2, 15));
        assert_eq!(place("[core]\ntoken_limit = -3\n"), (2, 15));
        assert_eq!(place("[rate_limits]\nread_doc = { per_minute = 5, burst = 0 }\n").0, 2);
        assert_eq!(place("[rate_limits]\nread_doc = -1\n").0, 2);
        let (line, column, message) = parse("[[secrets.pattern]]\nregex = \"(\"\n").unwrap_err();
        assert_eq!((line, column), (2, 9));
        assert!(message.contains("unclosed group"), "{message}");
    }

    #[test]
    fn a_file_that_is_not_there_is_the_default() {
        let folder = tempfile::tempdir().unwrap();
        let loaded = DeckConfig::load(&folder.path().join("config.toml")).unwrap();
        assert_eq!(loaded.config, DeckConfig::default());
        assert!(matches!(DeckConfig::load(folder.path()), Err(ConfigError::Io { .. })));
    }
}
