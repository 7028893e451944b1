//! `.cuedeck/config.toml`: what can be set, its defaults, and what is wrong with a file, with line and column.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// What `cue init` writes: every setting with its default.
pub fn template(limited: &[Limited]) -> String {
    let limits = limited.iter().filter_map(|one| one.limit.map(|limit| (one.name, limit)));
    let lines: String = limits
        .map(|(name, RateLimit { per_minute, burst })| {
            format!("{name} = {{ per_minute = {per_minute}, burst = {burst} }}\n")
        })
        .collect();
    format!(
        r##"# CueDeck. Every setting has the value that it has when it is left out.

[core]
# The most tokens that a scene may have.
token_limit = 32000

[secrets]
# Mask what looks like a common key or token in scenes. Only $CRUXE_HOME/cue.toml can turn that off.
defaults = true
# Your own patterns, as many as you like:
# [[secrets.pattern]]
# name = "internal token"
# regex = "itk_[0-9a-f]{{32}}"

[rate_limits]
# Requests a minute and at once, for each connection of an agent. Here they can be lowered; $CRUXE_HOME/cue.toml
# can also raise them, and `NAME = 0` there turns a limit off.
{lines}"##
    )
}

/// Where a workspace's configuration is, relative to its root.
pub const FILE: &str = ".cuedeck/config.toml";

/// A larger file is no configuration.
pub(crate) const LARGEST_FILE: u64 = 256 << 10;

/// Something that agents do whose number can be limited, and the limit where nobody says otherwise. The server names
/// what it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limited {
    /// Its name in `[rate_limits]`.
    pub name: &'static str,
    /// `None` for no limit.
    pub limit: Option<RateLimit>,
}

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

/// How often something may be asked for over one connection.
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
    /// Keys that nobody knows and keys that a workspace must not set, with their places. They are no errors: a later version
    /// may have them, and what is ignored does no harm.
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
    /// What it is. It may quote the file, so it is for whoever has the file.
    pub message: String,
}

impl ConfigProblem {
    /// Returns the problem in words that quote nothing of the file, for a client.
    pub fn without_content(&self) -> String {
        let kinds = [
            ("unknown", "there is no such setting"),
            ("invalid type", "a value of the wrong type"),
            ("invalid value", "a value out of range"),
            ("not a regular expression", "not a regular expression"),
            ("missing field", "a setting is missing"),
        ];
        let own = ["token_limit is", "burst must", "rate_limits.", "secrets.defaults", "[upgrade]"];
        let known = kinds.iter().find(|(beginning, _)| self.message.starts_with(beginning)).map(|(_, kind)| *kind);
        let kind = match known {
            Some(kind) => kind,
            // In our own words, with nothing of the file but names of settings.
            None if own.iter().any(|beginning| self.message.starts_with(beginning)) => &self.message,
            None => "no valid TOML",
        };
        format!("{}:{}:{}: {kind}", self.path.display(), self.line, self.column)
    }
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

/// A file of settings and whose word it is.
#[derive(Clone, Copy, Debug)]
pub struct Layer<'a> {
    /// The file, for messages.
    pub path: &'a Path,
    /// What it says.
    pub text: &'a str,
    /// Whether it came with the workspace: then it may ask for less than the user allows, never for more.
    pub of_workspace: bool,
}

impl DeckConfig {
    /// What counts where no file says anything.
    pub fn of_defaults(limited: &[Limited]) -> DeckConfig {
        let limits = limited.iter().filter_map(|one| Some((one.name.to_owned(), one.limit?)));
        DeckConfig {
            token_limit: 32_000,
            secrets: Secrets { defaults: true, patterns: Vec::new() },
            rate_limits: limits.collect(),
            upgrade: Upgrade::default(),
        }
    }

    /// Returns the limit of something that is limited; `None` where there is none.
    pub fn rate_limit(&self, name: &str) -> Option<RateLimit> {
        self.rate_limits.get(name).copied()
    }

    /// Reads a file of the user's own; one that is not there says nothing.
    pub fn read_text(path: &Path) -> Result<String, ConfigError> {
        let failed = |source| ConfigError::Io { path: path.to_owned(), source };
        let invalid = |problem: &str| failed(io::Error::new(io::ErrorKind::InvalidInput, problem));
        if path.metadata().is_ok_and(|found| !found.is_file()) {
            return Err(invalid("it is no file; remove it"));
        }
        let mut text = String::new();
        match File::open(path).and_then(|file| file.take(LARGEST_FILE + 1).read_to_string(&mut text)) {
            Ok(length) if length as u64 > LARGEST_FILE => {
                Err(invalid("it is larger than a configuration may be (256 KiB)"))
            }
            Ok(_) => Ok(text),
            Err(problem) if problem.kind() == io::ErrorKind::NotFound => Ok(String::new()),
            Err(problem) => Err(failed(problem)),
        }
    }

    /// Reads a file of the user's own; one that is not there is the default.
    pub fn load(path: &Path, limited: &[Limited]) -> Result<LoadedConfig, ConfigError> {
        DeckConfig::parse(path, &DeckConfig::read_text(path)?, limited).map_err(ConfigError::Problem)
    }

    /// Reads a text of the user's own; `path` is for messages.
    pub fn parse(path: &Path, text: &str, limited: &[Limited]) -> Result<LoadedConfig, ConfigProblem> {
        DeckConfig::from_layers(&[Layer { path, text, of_workspace: false }], limited)
    }

    /// Reads the layers in order, the later ones winning key by key. What a workspace must not say is ignored with a warning.
    pub fn from_layers(layers: &[Layer], limited: &[Limited]) -> Result<LoadedConfig, ConfigProblem> {
        let mut loaded = LoadedConfig { config: DeckConfig::of_defaults(limited), warnings: Vec::new() };
        let mut limits_of_user = BTreeSet::new();
        for layer in layers {
            let raw: Raw = toml::from_str(layer.text).map_err(|error| layer.problem(error.span(), error.message()))?;
            let limits: Vec<String> = raw.rate_limits.keys().cloned().collect();
            loaded.apply(layer, raw, &limits_of_user)?;
            if !layer.of_workspace {
                limits_of_user.extend(limits);
            }
            let unknown = unknown_keys(layer.text, limited).into_iter();
            let warned = unknown.map(|(key, span)| layer.problem(Some(span), &format!("unknown setting `{key}`")));
            loaded.warnings.extend(warned);
        }
        Ok(loaded)
    }
}

impl LoadedConfig {
    fn apply(&mut self, layer: &Layer, raw: Raw, limits_of_user: &BTreeSet<String>) -> Result<(), ConfigProblem> {
        let config = &mut self.config;
        let mut ignored = |span, what: &str, why: &str| {
            let message = format!("{what} is ignored: {why}; it counts in $CRUXE_HOME/cue.toml and with --config");
            self.warnings.push(layer.problem(Some(span), &message));
        };
        if let Some(limit) = raw.core.token_limit {
            let span = limit.span();
            config.token_limit = u32::try_from(limit.into_inner())
                .ok()
                .filter(|limit| *limit > 0)
                .ok_or_else(|| layer.problem(Some(span), "token_limit is a number from 1 to 4294967295"))?;
        }
        match raw.secrets.defaults {
            Some(defaults) if layer.of_workspace && !defaults.get_ref() && config.secrets.defaults => {
                ignored(defaults.span(), "secrets.defaults = false", "a workspace must not unmask secrets");
            }
            Some(defaults) => config.secrets.defaults = defaults.into_inner(),
            None => {}
        }
        for pattern in raw.secrets.pattern {
            let (span, regex) = (pattern.regex.span(), pattern.regex.into_inner());
            // The last line of the crate's report says what is wrong; the lines before draw a picture of the pattern.
            regex::Regex::new(&regex).map_err(|error| {
                let report = error.to_string();
                let reason = report.lines().last().unwrap_or(&report);
                layer.problem(Some(span), &format!("not a regular expression: {reason}"))
            })?;
            let name = pattern.name.unwrap_or_else(|| "secret".to_owned());
            config.secrets.patterns.push(SecretPattern { name, regex });
        }
        for (name, limit) in raw.rate_limits {
            let span = limit.span();
            let asked = limit.into_inner().meant().map_err(|problem| layer.problem(Some(span.clone()), problem))?;
            if layer.of_workspace && limits_of_user.contains(&name) {
                continue;
            }
            let allowed = config.rate_limits.get(&name);
            if layer.of_workspace && allowed.is_some_and(|allowed| asked.is_none_or(|asked| asked.is_looser(allowed))) {
                ignored(span, &format!("rate_limits.{name}"), "a workspace may lower a limit, not raise it");
                continue;
            }
            match asked {
                Some(limit) => drop(config.rate_limits.insert(name, limit)),
                None => drop(config.rate_limits.remove(&name)),
            }
        }
        for setting in
            [&raw.upgrade.server, &raw.upgrade.public_key].into_iter().flatten().filter(|_| layer.of_workspace)
        {
            ignored(setting.span(), "[upgrade]", "a workspace must not say where programs come from");
        }
        if !layer.of_workspace {
            let RawUpgrade { server, public_key } = raw.upgrade;
            config.upgrade.server = server.map(Spanned::into_inner).or(config.upgrade.server.take());
            config.upgrade.public_key = public_key.map(Spanned::into_inner).or(config.upgrade.public_key.take());
        }
        Ok(())
    }
}

impl RateLimit {
    fn is_looser(&self, than: &RateLimit) -> bool {
        self.per_minute > than.per_minute || self.burst > than.burst
    }
}

impl RawLimit {
    /// `None` for no limit.
    fn meant(self) -> Result<Option<RateLimit>, &'static str> {
        let (per_minute, burst) = match self {
            RawLimit::Rate(per_minute) => (per_minute, None),
            RawLimit::Full { per_minute, burst } => (per_minute, burst),
        };
        let per_minute = u32::from(per_minute);
        // As generous as the defaults are: half as many again at once.
        match (per_minute, burst.map_or(per_minute + per_minute / 2, u32::from)) {
            (0, _) => Ok(None),
            (_, 0) => Err("burst must not be 0; per_minute = 0 turns the limit off"),
            (per_minute, burst) => Ok(Some(RateLimit { per_minute, burst })),
        }
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
    defaults: Option<Spanned<bool>>,
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
    server: Option<Spanned<String>>,
    public_key: Option<Spanned<String>>,
}

/// The keys that nothing reads, with their places.
fn unknown_keys(text: &str, limited: &[Limited]) -> Vec<(String, Range<usize>)> {
    let Ok(root) = DeTable::parse(text) else { return Vec::new() };
    let limited: Vec<&str> = limited.iter().map(|one| one.name).collect();
    let mut unknown = Vec::new();
    for (key, value) in root.get_ref() {
        let known: &[&str] = match key.get_ref().as_ref() {
            "core" => &["token_limit"],
            "secrets" => &["defaults", "pattern"],
            "rate_limits" => &limited,
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

impl Layer<'_> {
    fn problem(&self, span: Option<Range<usize>>, message: &str) -> ConfigProblem {
        let span = span.unwrap_or(0..0);
        let before = self.text.get(..span.start).unwrap_or(self.text);
        let line = before.matches('\n').count() as u32 + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() as u32 + 1;
        let message = message.lines().next().unwrap_or_default().to_owned();
        ConfigProblem { path: self.path.to_owned(), line, column, span, message }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITED: &[Limited] = &[
        Limited { name: "reads", limit: Some(RateLimit { per_minute: 30, burst: 50 }) },
        Limited { name: "lists", limit: Some(RateLimit { per_minute: 20, burst: 30 }) },
        Limited { name: "finds", limit: Some(RateLimit { per_minute: 10, burst: 15 }) },
        Limited { name: "makes", limit: None },
    ];

    fn parse(text: &str) -> Result<LoadedConfig, (u32, u32, String)> {
        DeckConfig::parse(Path::new("config.toml"), text, LIMITED)
            .map_err(|problem| (problem.line, problem.column, problem.message))
    }

    #[test]
    fn the_template_says_the_defaults() {
        assert_eq!(
            parse(&template(LIMITED)),
            Ok(LoadedConfig { config: DeckConfig::of_defaults(LIMITED), warnings: Vec::new() })
        );
        assert_eq!(parse("").unwrap().config, DeckConfig::of_defaults(LIMITED));
    }

    #[test]
    fn every_setting_is_read() {
        let text = "[core]\ntoken_limit = 100\n[secrets]\ndefaults = false\n[[secrets.pattern]]\nname = \"own\"\n\
                    regex = \"itk_[0-9]+\"\n[rate_limits]\nreads = 0\nfinds = 20\n\
                    makes = { per_minute = 5, burst = 7 }\n[upgrade]\nserver = \"http://x\"\npublic_key = \"RW\"\n";
        let LoadedConfig { config, warnings } = parse(text).unwrap();
        assert_eq!(warnings, []);
        assert_eq!(config.token_limit, 100);
        let pattern = SecretPattern { name: "own".into(), regex: "itk_[0-9]+".into() };
        assert_eq!(config.secrets, Secrets { defaults: false, patterns: vec![pattern] });
        assert_eq!(config.rate_limit("reads"), None);
        assert_eq!(config.rate_limit("finds"), Some(RateLimit { per_minute: 20, burst: 30 }));
        assert_eq!(config.rate_limit("makes"), Some(RateLimit { per_minute: 5, burst: 7 }));
        assert_eq!(config.rate_limit("lists"), Some(RateLimit { per_minute: 20, burst: 30 }));
        assert_eq!(config.rate_limit("links"), None);
        assert_eq!(config.upgrade.server.as_deref(), Some("http://x"));
        assert_eq!(config.upgrade.public_key.as_deref(), Some("RW"));
    }

    #[test]
    fn unknown_keys_are_warned_about_where_they_stand() {
        let text = "colour = 1\n[core]\ntoken_limits = 5\n[rate_limits]\nread = 1\n[[secrets.pattern]]\nregex = \"x\"\nnam = \"y\"\n";
        let warnings: Vec<(u32, String)> =
            parse(text).unwrap().warnings.into_iter().map(|warning| (warning.line, warning.message)).collect();
        let expected = [
            (1, "unknown setting `colour`"),
            (3, "unknown setting `core.token_limits`"),
            (5, "unknown setting `rate_limits.read`"),
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
        assert_eq!(place("[rate_limits]\nreads = { per_minute = 5, burst = 0 }\n").0, 2);
        assert_eq!(place("[rate_limits]\nreads = -1\n").0, 2);
        let (line, column, message) = parse("[[secrets.pattern]]\nregex = \"(\"\n").unwrap_err();
        assert_eq!((line, column), (2, 9));
        assert!(message.contains("unclosed group"), "{message}");
    }

    #[test]
    fn a_workspace_may_ask_for_less_and_never_for_more() {
        let of = |text: &'static str, of_workspace| Layer { path: Path::new("config.toml"), text, of_workspace };
        let hostile = "[core]\ntoken_limit = 5\n[secrets]\ndefaults = false\n[rate_limits]\nreads = 0\n\
                       lists = { per_minute = 20, burst = 31 }\nfinds = 2\nmakes = 3\n\
                       [upgrade]\nserver = \"http://evil\"\n[[secrets.pattern]]\nregex = \"own\"\n";
        let LoadedConfig { config, warnings } = DeckConfig::from_layers(&[of(hostile, true)], LIMITED).unwrap();
        assert_eq!((config.token_limit, config.secrets.defaults, config.secrets.patterns.len()), (5, true, 1));
        assert_eq!(config.rate_limit("reads"), Some(RateLimit { per_minute: 30, burst: 50 }));
        assert_eq!(config.rate_limit("lists"), Some(RateLimit { per_minute: 20, burst: 30 }));
        assert_eq!(config.rate_limit("finds"), Some(RateLimit { per_minute: 2, burst: 3 }));
        assert_eq!(config.rate_limit("makes"), Some(RateLimit { per_minute: 3, burst: 4 }));
        assert_eq!(config.upgrade, Upgrade::default());
        let mut lines: Vec<(u32, String)> =
            warnings.iter().map(|warning| (warning.line, warning.message[..20].to_owned())).collect();
        lines.sort();
        let expected = [
            (4, "secrets.defaults = f"),
            (6, "rate_limits.reads is"),
            (7, "rate_limits.lists is"),
            (11, "[upgrade] is ignored"),
        ];
        assert_eq!(lines, expected.map(|(line, text)| (line, text.to_owned())));
        // The user's own word is the last, whatever the order of files.
        let user = "[secrets]\ndefaults = false\n[rate_limits]\nreads = 0\nfinds = 90\n";
        for layers in [[of(user, false), of(hostile, true)], [of(hostile, true), of(user, false)]] {
            let LoadedConfig { config, .. } = DeckConfig::from_layers(&layers, LIMITED).unwrap();
            assert_eq!((config.secrets.defaults, config.rate_limit("reads")), (false, None));
            assert_eq!(config.rate_limit("finds"), Some(RateLimit { per_minute: 90, burst: 135 }));
        }
        let text = template(LIMITED);
        let layer = Layer { path: Path::new("config.toml"), text: &text, of_workspace: true };
        let template = DeckConfig::from_layers(&[layer], LIMITED).unwrap();
        assert_eq!(template, LoadedConfig { config: DeckConfig::of_defaults(LIMITED), warnings: Vec::new() });
    }

    #[test]
    fn clients_are_told_of_mistakes_without_what_the_file_says() {
        for (text, told) in [
            ("TOPSECRET", "config.toml:1:10: no valid TOML"),
            ("[core]\ntoken_limit = \"TOPSECRET\"\n", "config.toml:2:15: a value of the wrong type"),
            ("[core]\ntoken_limit = 0\n", "config.toml:2:15: token_limit is a number from 1 to 4294967295"),
            ("[[secrets.pattern]]\nregex = \"(TOPSECRET\"\n", "config.toml:2:9: not a regular expression"),
        ] {
            let problem = DeckConfig::parse(Path::new("config.toml"), text, LIMITED).unwrap_err();
            assert_eq!(problem.without_content(), told, "{problem}");
        }
    }

    #[test]
    fn a_file_that_is_not_there_is_the_default() {
        let folder = tempfile::tempdir().unwrap();
        let loaded = DeckConfig::load(&folder.path().join("config.toml"), LIMITED).unwrap();
        assert_eq!(loaded.config, DeckConfig::of_defaults(LIMITED));
        assert!(matches!(DeckConfig::load(folder.path(), LIMITED), Err(ConfigError::Io { .. })));
    }
}
