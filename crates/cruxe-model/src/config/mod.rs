//! Configuration: what can be set, and its defaults. Where it is read from is the business of the callers.

pub mod keys;

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// The whole configuration.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Defaults of queries.
    pub query: QueryConfig,
    /// What is indexed and how.
    pub index: IndexConfig,
    /// Search by meaning.
    pub semantic: SemanticConfig,
    /// The server.
    pub server: ServerConfig,
    /// Bounds of the HTTP transport.
    pub http: HttpConfig,
    /// Debugging, and settings of earlier versions that are still understood.
    pub debug: DebugConfig,
    /// What a repository's own configuration said and may not say, a sentence each.
    #[serde(skip)]
    pub ignored: Vec<String>,
}

/// Defaults of queries.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct QueryConfig {
    /// What happens when the index is stale.
    pub freshness_policy: FreshnessPolicy,
    /// How much of the ranking is explained. Unset: see [`Config::ranking_explain_level`].
    pub ranking_explain_level: Option<ExplainLevel>,
}

/// What is indexed and how.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct IndexConfig {
    /// Files larger than this are listed but not parsed.
    pub max_file_bytes: u64,
    /// Parsing one file stops after this time.
    pub max_parse_ms: u64,
    /// How many threads parse; 0 means one for each core.
    pub threads: usize,
    /// The walk stops, and the job fails, beyond this number of files.
    pub max_files: usize,
}

impl Default for IndexConfig {
    fn default() -> IndexConfig {
        IndexConfig { max_file_bytes: 4 << 20, max_parse_ms: 10_000, threads: 0, max_files: 1_000_000 }
    }
}

/// Search by meaning.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SemanticConfig {
    /// Embed what is indexed and use it in search.
    pub enabled: bool,
    /// The share of meaning in the score, 0 to 1. Unset: what is measured to be best for the kind of question.
    #[serde(deserialize_with = "ratio")]
    pub ratio: Option<f32>,
    /// The model.
    pub model: EmbeddingModel,
}

impl Default for SemanticConfig {
    fn default() -> SemanticConfig {
        SemanticConfig { enabled: true, ratio: None, model: EmbeddingModel::default() }
    }
}

fn ratio<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<f32>, D::Error> {
    match Option::<f32>::deserialize(deserializer)? {
        Some(ratio) if !(0.0..=1.0).contains(&ratio) => {
            Err(serde::de::Error::custom(format!("invalid value: {ratio}, expected a number from 0 to 1")))
        }
        ratio => Ok(ratio),
    }
}

/// What makes vectors of text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum EmbeddingModel {
    /// The table that is part of the program.
    #[default]
    #[serde(rename = "builtin")]
    Builtin,
    /// The transformer, which must be installed.
    #[serde(rename = "all-MiniLM-L6-v2")]
    MiniLm,
}

impl EmbeddingModel {
    /// Every model, the default first.
    pub const ALL: [EmbeddingModel; 2] = [EmbeddingModel::Builtin, EmbeddingModel::MiniLm];

    /// Returns the name as it is written in configurations and commands.
    pub fn as_str(self) -> &'static str {
        match self {
            EmbeddingModel::Builtin => "builtin",
            EmbeddingModel::MiniLm => "all-MiniLM-L6-v2",
        }
    }
}

/// What a tool's answer is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerForm {
    /// The contract's JSON, for programs.
    #[default]
    Json,
    /// Text, for a model that pays for what it reads.
    Text,
}

/// The server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ServerConfig {
    /// Follow edits as they happen.
    pub watch: bool,
    /// How long edits may pile up before they are indexed.
    pub debounce_ms: u64,
    /// How many workspaces are open at once, the server's own included; at least 2.
    pub workspace_warmset: usize,
    /// How many workspaces a server registers by itself with `--auto-workspace`.
    pub max_auto_workspaces: usize,
    /// What tools answer with.
    pub answers: AnswerForm,
}

impl Default for ServerConfig {
    fn default() -> ServerConfig {
        let answers = AnswerForm::default();
        ServerConfig { watch: true, debounce_ms: 100, workspace_warmset: 4, max_auto_workspaces: 100, answers }
    }
}

/// Bounds of the HTTP transport. A repository's own configuration does not count here.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HttpConfig {
    /// The longest message.
    pub max_body_bytes: usize,
    /// All headers of a request together.
    pub max_header_bytes: usize,
    /// Connections at once; more wait.
    pub max_connections: usize,
    /// Requests at once; more are refused with 503.
    pub max_requests: usize,
    /// MCP sessions at once; more are refused with 503.
    pub max_sessions: usize,
    /// How long a client may take for the headers of a request, and for a TLS handshake.
    pub header_timeout_ms: u64,
    /// How long a client may take for a message.
    pub body_timeout_ms: u64,
    /// How long an answer may take to begin.
    pub request_timeout_ms: u64,
    /// How long a session lives without a request.
    pub session_idle_ms: u64,
}

impl Default for HttpConfig {
    fn default() -> HttpConfig {
        HttpConfig {
            max_body_bytes: 4 << 20,
            max_header_bytes: 64 << 10,
            max_connections: 1024,
            max_requests: 256,
            max_sessions: 1000,
            header_timeout_ms: 10_000,
            body_timeout_ms: 30_000,
            request_timeout_ms: 300_000,
            session_idle_ms: 1_800_000,
        }
    }
}

/// Debugging, and settings of earlier versions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DebugConfig {
    /// Answers say more about how they came about.
    pub enabled: bool,
    /// `true` meant what `query.ranking_explain_level = "full"` means now.
    pub ranking_reasons: Option<bool>,
}

/// What happens when a query meets a stale index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum FreshnessPolicy {
    /// Refuse to answer.
    Strict,
    /// Answer, say that it is stale, and sync in the background.
    #[default]
    Balanced,
    /// Answer and say that it is stale.
    BestEffort,
}

/// How much of the ranking an answer explains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ExplainLevel {
    /// Nothing.
    #[default]
    Off,
    /// Factors normalised to 0..1.
    Basic,
    /// The complete breakdown.
    Full,
}

/// A text of settings and whose word it is.
#[derive(Clone, Copy, Debug)]
pub struct Layer<'a> {
    /// The file, or whatever the text came from, for messages.
    pub origin: &'a str,
    /// What it says.
    pub text: &'a str,
    /// Whether it came with a repository: see [`keys`].
    pub of_repository: bool,
}

/// Why a configuration text was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{origin}:{line}:{column}: {problem}")]
pub struct ConfigError {
    /// The file, or whatever the text came from.
    pub origin: String,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// What kind of mistake it is.
    pub kind: ConfigErrorKind,
    /// What the parser said. It may quote the text, so it is for whoever has the file.
    pub problem: String,
}

/// A kind of mistake.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConfigErrorKind {
    /// It cannot be read at all.
    NotToml,
    /// There is no such section or setting.
    UnknownKey,
    /// A text for a number, say.
    WrongValue,
    /// A number that is too small or too large.
    OutOfRange {
        /// The section.
        section: &'static str,
        /// The name in it.
        name: &'static str,
        /// The least it may be.
        least: i64,
        /// The most it may be.
        most: i64,
    },
}

impl ConfigError {
    fn new(
        origin: &str,
        text: &str,
        span: Option<Range<usize>>,
        kind: ConfigErrorKind,
        problem: String,
    ) -> ConfigError {
        let before = text.get(..span.map_or(0, |span| span.start)).unwrap_or(text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        ConfigError { origin: origin.to_owned(), line, column, kind, problem }
    }

    /// Returns the error in words that quote nothing of the text, for a client.
    pub fn without_content(&self) -> String {
        let kind = match self.kind {
            ConfigErrorKind::NotToml => "no valid TOML".to_owned(),
            ConfigErrorKind::UnknownKey => "there is no such setting".to_owned(),
            ConfigErrorKind::WrongValue => "not a value of this setting".to_owned(),
            ConfigErrorKind::OutOfRange { .. } => self.problem.clone(),
        };
        format!("{}:{}:{}: {kind}", self.origin, self.line, self.column)
    }
}

impl Config {
    /// Reads the layers in order, the later ones winning key by key. What a repository may not say is ignored and noted.
    pub fn from_layers<'a>(layers: impl IntoIterator<Item = Layer<'a>>) -> Result<Config, ConfigError> {
        let mut merged = toml::Table::new();
        let mut ignored = Vec::new();
        for Layer { origin, text, of_repository } in layers {
            let refused = |problem: toml::de::Error, kind| {
                let message = problem.message().lines().next().unwrap_or_default().to_owned();
                ConfigError::new(origin, text, problem.span(), kind, message)
            };
            let mut table: toml::Table = text.parse().map_err(|problem| refused(problem, ConfigErrorKind::NotToml))?;
            // Checked one by one, so that the message names the right file.
            toml::from_str::<Config>(text).map_err(|problem| {
                let unknown = problem.message().starts_with("unknown field");
                refused(problem, if unknown { ConfigErrorKind::UnknownKey } else { ConfigErrorKind::WrongValue })
            })?;
            if of_repository {
                ignored.extend(keys::confine(origin, &mut table, &merged));
            }
            keys::check_ranges(origin, text, &table)?;
            merge(&mut merged, table);
        }
        let whole: Result<Config, toml::de::Error> = toml::Value::Table(merged).try_into();
        let config = whole.map_err(|problem| {
            let message = problem.message().to_owned();
            ConfigError::new("configuration", "", None, ConfigErrorKind::WrongValue, message)
        })?;
        Ok(Config { ignored, ..config })
    }

    /// The level in force: the new key, else what the old one maps to, else off.
    pub fn ranking_explain_level(&self) -> ExplainLevel {
        match (self.query.ranking_explain_level, self.debug.ranking_reasons) {
            (Some(level), _) => level,
            (None, Some(true)) => ExplainLevel::Full,
            (None, _) => ExplainLevel::Off,
        }
    }
}

fn merge(into: &mut toml::Table, from: toml::Table) {
    for (key, value) in from {
        match (into.get_mut(&key), value) {
            (Some(toml::Value::Table(old)), toml::Value::Table(new)) => merge(old, new),
            (_, value) => {
                into.insert(key, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(origin: &'static str, text: &str) -> Result<Config, ConfigError> {
        Config::from_layers([Layer { origin, text, of_repository: false }])
    }

    fn explain(text: &str) -> ExplainLevel {
        of("test", text).unwrap().ranking_explain_level()
    }

    #[test]
    fn the_legacy_key_maps_to_full_and_the_new_one_wins() {
        assert_eq!(explain(""), ExplainLevel::Off);
        assert_eq!(explain("[debug]\nranking_reasons = true"), ExplainLevel::Full);
        assert_eq!(explain("[debug]\nranking_reasons = false"), ExplainLevel::Off);
        assert_eq!(
            explain("[debug]\nranking_reasons = true\n[query]\nranking_explain_level = \"off\""),
            ExplainLevel::Off
        );
    }

    #[test]
    fn later_layers_win_key_by_key() {
        let layer = |origin, text| Layer { origin, text, of_repository: false };
        let config = Config::from_layers([
            layer("user", "[index]\nthreads = 3\nmax_parse_ms = 7"),
            layer("named", "[index]\nthreads = 1"),
        ])
        .unwrap();
        assert_eq!((config.index.threads, config.index.max_parse_ms), (1, 7));
    }

    #[test]
    fn semantic_search_is_on_with_the_built_in_model_unless_said_otherwise() {
        let semantic = |text: &str| of("test", text).map(|config| config.semantic);
        assert_eq!(
            semantic("").unwrap(),
            SemanticConfig { enabled: true, ratio: None, model: EmbeddingModel::Builtin }
        );
        assert_eq!(
            semantic("[semantic]\nenabled = false\nratio = 0.25\nmodel = \"all-MiniLM-L6-v2\"").unwrap(),
            SemanticConfig { enabled: false, ratio: Some(0.25), model: EmbeddingModel::MiniLm }
        );
        for (text, bound) in [("0", 0.0), ("1", 1.0), ("1.0", 1.0)] {
            assert_eq!(semantic(&format!("[semantic]\nratio = {text}")).unwrap().ratio, Some(bound));
        }
        for (line, expected) in [
            ("ratio = 1.01", "invalid value: 1.01, expected a number from 0 to 1"),
            ("ratio = -0.1", "expected a number from 0 to 1"),
            ("ratio = nan", "expected a number from 0 to 1"),
            ("ratio = \"half\"", "invalid type: string"),
            ("model = \"minilm\"", "expected `builtin` or `all-MiniLM-L6-v2`"),
            ("enabled = 1", "invalid type: integer"),
            ("rato = 1", "unknown field `rato`"),
        ] {
            let error = semantic(&format!("[semantic]\n{line}")).unwrap_err().to_string();
            assert!(error.starts_with("test:2:") && error.contains(expected), "{error}");
        }
        for model in EmbeddingModel::ALL {
            assert_eq!(semantic(&format!("[semantic]\nmodel = \"{}\"", model.as_str())).unwrap().model, model);
        }
    }

    #[test]
    fn errors_name_the_file_and_the_place() {
        for (text, full, told) in [
            ("[query\nx=", "a.toml:1:7: ", "a.toml:1:7: no valid TOML"),
            ("[query]\nSECRET = 1", "a.toml:2:1: unknown field `SECRET`", "a.toml:2:1: there is no such setting"),
            ("[SECRET]\nx = 1", "a.toml:1:2: unknown field `SECRET`", "a.toml:1:2: there is no such setting"),
            (
                "[query]\nfreshness_policy = \"SECRET\"",
                "a.toml:2:20: unknown variant `SECRET`",
                "a.toml:2:20: not a value of this setting",
            ),
            ("[index]\nthreads = \"SECRET\"", "a.toml:2:11: invalid type", "a.toml:2:11: not a value of this setting"),
        ] {
            let error = of("a.toml", text).unwrap_err();
            assert!(error.to_string().starts_with(full), "{error}");
            assert_eq!(error.without_content(), told);
        }
    }

    #[test]
    fn absurd_numbers_are_refused_whoever_says_them() {
        for (text, told) in [
            ("[http]\nmax_requests = 0", "a.toml:2:16: http.max_requests is a number from 1 to 1000000"),
            (
                "[http]\nmax_requests = 9223372036854775807",
                "a.toml:2:16: http.max_requests is a number from 1 to 1000000",
            ),
            (
                "http.max_connections = 2305843009213693952",
                "a.toml:1:24: http.max_connections is a number from 1 to 1000000",
            ),
            ("[index]\nmax_files = 0", "a.toml:2:13: index.max_files is a number from 1 to 100000000"),
            ("[index]\nthreads = 100000", "a.toml:2:11: index.threads is a number from 0 to 1024"),
        ] {
            let error = of("a.toml", text).unwrap_err();
            assert_eq!((error.to_string().as_str(), error.without_content().as_str()), (told, told));
            // A repository that may lower a bound may not lower it to nothing; what it may not set at all stops nobody.
            let of_repository = Config::from_layers([Layer { origin: "a.toml", text, of_repository: true }]);
            match text.contains("max_files") {
                true => assert_eq!(of_repository.unwrap_err().to_string(), told),
                false => assert_eq!(of_repository.unwrap().ignored.len(), 1),
            }
        }
        assert!(of("a.toml", "[index]\nthreads = -1").is_err());
        assert!(of("a.toml", "[http]\nmax_requests = 1").is_ok());
    }

    #[test]
    fn a_repository_may_ask_for_less_and_never_for_more() {
        let user =
            Layer { origin: "user", text: "[index]\nmax_files = 10\n[server]\nwatch = false", of_repository: false };
        let text = "[query]\nfreshness_policy = \"strict\"\n[index]\nmax_files = 11\nmax_parse_ms = 5\nthreads = 2\n\
                    [server]\nwatch = true\ndebounce_ms = 100\n[semantic]\nenabled = false\n[http]\nmax_body_bytes = 99999999\n";
        let repository = Layer { origin: "repository", text, of_repository: true };
        let config = Config::from_layers([user, repository]).unwrap();
        let expected = Config {
            query: QueryConfig { freshness_policy: FreshnessPolicy::Strict, ..QueryConfig::default() },
            index: IndexConfig { max_files: 10, max_parse_ms: 5, ..IndexConfig::default() },
            semantic: SemanticConfig { enabled: false, ..SemanticConfig::default() },
            server: ServerConfig { watch: false, ..ServerConfig::default() },
            ignored: [
                "index.threads is ignored: a repository may not set it",
                "index.max_files is ignored: a repository may lower it, not raise it",
                "server.watch is ignored: a repository may turn it off, not on",
                "http.max_body_bytes is ignored: a repository may not set it",
            ]
            .map(|text| format!("repository: {text}"))
            .to_vec(),
            ..Config::default()
        };
        assert_eq!(config, expected);
        // What the user says afterwards, with --config or in the environment, counts as ever.
        let named = Layer { origin: "named", text: "[http]\nmax_body_bytes = 2048", of_repository: false };
        assert_eq!(Config::from_layers([repository, named]).unwrap().http.max_body_bytes, 2048);
    }
}
