//! Configuration: what can be set, and its defaults. Where it is read from is the business of the callers.

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
}

impl Default for ServerConfig {
    fn default() -> ServerConfig {
        ServerConfig { watch: true, debounce_ms: 100, workspace_warmset: 4, max_auto_workspaces: 100 }
    }
}

/// Bounds of the HTTP transport: nothing here opens a door, so a repository's own configuration may set it.
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

/// Why a configuration text was refused.
#[derive(Debug, thiserror::Error)]
#[error("{origin}: {problem}")]
pub struct ConfigError {
    /// The file, or whatever the text came from.
    pub origin: String,
    /// What the parser said, with line and column.
    pub problem: String,
}

impl Config {
    /// Reads the layers in order, the later ones winning key by key. Each comes with a name for error messages.
    pub fn from_layers<'a>(layers: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Config, ConfigError> {
        let mut merged = toml::Table::new();
        for (origin, text) in layers {
            let refused =
                |problem: toml::de::Error| ConfigError { origin: origin.to_owned(), problem: problem.to_string() };
            let table: toml::Table = text.parse().map_err(refused)?;
            // Checked one by one, so that the message names the right file.
            toml::Value::Table(table.clone()).try_into::<Config>().map_err(refused)?;
            merge(&mut merged, table);
        }
        toml::Value::Table(merged).try_into().map_err(|problem: toml::de::Error| ConfigError {
            origin: "configuration".into(),
            problem: problem.to_string(),
        })
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

    fn explain(text: &str) -> ExplainLevel {
        Config::from_layers([("test", text)]).unwrap().ranking_explain_level()
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
        let config = Config::from_layers([
            ("user", "[index]\nthreads = 3\nmax_parse_ms = 7"),
            ("workspace", "[index]\nthreads = 1"),
        ])
        .unwrap();
        assert_eq!((config.index.threads, config.index.max_parse_ms), (1, 7));
    }

    #[test]
    fn semantic_search_is_on_with_the_built_in_model_unless_said_otherwise() {
        let semantic = |text: &str| Config::from_layers([("test", text)]).map(|config| config.semantic);
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
            assert!(error.starts_with("test: ") && error.contains(expected), "{error}");
        }
        for model in EmbeddingModel::ALL {
            assert_eq!(semantic(&format!("[semantic]\nmodel = \"{}\"", model.as_str())).unwrap().model, model);
        }
    }

    #[test]
    fn errors_name_the_file_and_the_place() {
        let error = Config::from_layers([("a.toml", "[query\nx=")]).unwrap_err().to_string();
        assert!(error.starts_with("a.toml: ") && error.contains("line 1"), "{error}");
        let error = Config::from_layers([("b.toml", "[query]\nfreshness = 1")]).unwrap_err().to_string();
        assert!(error.contains("freshness"), "{error}");
    }
}
