//! Where the configuration comes from: flags, environment, `--config`, the workspace, the user, defaults.

use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use cruxe_embed::EmbedError;
use cruxe_files::{FileError, Root};
use cruxe_model::config::{Config, ConfigError, EmbeddingModel, Layer};
use cruxe_store::Home;

use crate::context::CliError;

/// `$CRUXE_HOME`, else `~/.cruxe`.
pub(crate) fn home() -> Result<PathBuf, CliError> {
    match std::env::var_os("CRUXE_HOME").filter(|value| !value.is_empty()) {
        Some(home) => Ok(PathBuf::from(home)),
        None => std::env::home_dir()
            .filter(|home| !home.as_os_str().is_empty())
            .map(|home| home.join(".cruxe"))
            .ok_or_else(|| CliError::Environment("neither CRUXE_HOME nor HOME is set".to_owned())),
    }
}

/// A repository's own settings, relative to its root.
const OF_REPOSITORY: &str = ".cruxe/config.toml";

/// A larger file is no configuration.
const LARGEST_FILE: u64 = 256 << 10;

/// Reads every layer. A file that the user named must exist; the others may not.
pub(crate) fn load(home: &Home, root: Option<&Path>, named: Option<&Path>) -> Result<Config, CliError> {
    let config = layers(home, root, named).map_err(CliError::Config).and_then(|layers| Ok(merged(&layers)?))?;
    config.ignored.iter().for_each(|ignored| tracing::warn!("{ignored}"));
    Ok(config)
}

/// The same for a workspace that a client asks for. The error quotes nothing of a file, because the client may not have it.
pub(crate) fn load_for_client(home: &Home, root: &Path, named: Option<&Path>) -> Result<Config, String> {
    let config = merged(&layers(home, Some(root), named)?).map_err(|problem| problem.without_content())?;
    config.ignored.iter().for_each(|ignored| tracing::warn!("{ignored}"));
    Ok(config)
}

/// A text of settings.
struct Text {
    origin: String,
    text: String,
    of_repository: bool,
}

fn merged(texts: &[Text]) -> Result<Config, ConfigError> {
    let layers =
        texts.iter().map(|Text { origin, text, of_repository }| Layer { origin, text, of_repository: *of_repository });
    Config::from_layers(layers)
}

fn layers(home: &Home, root: Option<&Path>, named: Option<&Path>) -> Result<Vec<Text>, String> {
    let own = |origin: String, text| Text { origin, text, of_repository: false };
    let mut layers: Vec<Text> = Vec::new();
    layers.extend(of_user(&home.config())?.map(|text| own(home.config().display().to_string(), text)));
    if let Some(root) = root {
        let origin = root.join(OF_REPOSITORY).display().to_string();
        layers.extend(of_repository(root)?.map(|text| Text { origin, text, of_repository: true }));
    }
    if let Some(path) = named {
        let text = std::fs::read_to_string(path).map_err(|problem| format!("{}: {problem}", path.display()))?;
        layers.push(own(path.display().to_string(), text));
    }
    layers.extend(environment(std::env::vars()).into_iter().map(|(origin, text)| own(origin, text)));
    Ok(layers)
}

fn of_user(path: &Path) -> Result<Option<String>, String> {
    // A pipe would be waited for without end. One that the user named is another matter: `--config <(…)`.
    if path.metadata().is_ok_and(|found| !found.is_file()) {
        return Err(format!("{} is no file; remove it", path.display()));
    }
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        // A home below something that is no folder has no configuration; whoever writes there says what is wrong.
        Err(problem) if matches!(problem.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        Err(problem) => Err(format!("{}: {problem}", path.display())),
    }
}

fn of_repository(root: &Path) -> Result<Option<String>, String> {
    let read = Root::open(root).and_then(|files| files.read_to_string(OF_REPOSITORY, LARGEST_FILE));
    match read {
        Ok(text) => Ok(Some(text)),
        Err(problem) if matches!(problem.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        Err(FileError::NotAFile { .. }) => Err(format!("{} is no file; remove it", root.join(OF_REPOSITORY).display())),
        Err(FileError::Io { source, .. }) => Err(format!("{}: {source}", root.join(OF_REPOSITORY).display())),
        Err(problem) => Err(format!("{}: {problem}", root.display())),
    }
}

/// Writes `[semantic] model` into the user's configuration and leaves the rest of it as it is.
pub(crate) fn set_model(home: &Home, model: EmbeddingModel) -> Result<(), CliError> {
    // A link is followed, not replaced.
    let path = std::fs::canonicalize(home.config()).unwrap_or_else(|_| home.config());
    let refused = |problem: String| CliError::Config(format!("{}: {problem}", path.display()));
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(problem) if problem.kind() == ErrorKind::NotFound => String::new(),
        Err(problem) => return Err(refused(problem.to_string())),
    };
    let mut document: toml_edit::DocumentMut =
        text.parse().map_err(|problem: toml_edit::TomlError| refused(problem.to_string()))?;
    let section = document.entry("semantic").or_insert_with(toml_edit::table);
    let Some(section) = section.as_table_like_mut() else {
        return Err(refused("`semantic` is no section".to_owned()));
    };
    match section.get_mut("model").and_then(toml_edit::Item::as_value_mut) {
        // The comment behind the value stays.
        Some(old) => {
            let decor = old.decor().clone();
            *old = model.as_str().into();
            *old.decor_mut() = decor;
        }
        None => drop(section.insert("model", toml_edit::value(model.as_str()))),
    }
    let failed = |problem: std::io::Error| CliError::Model(EmbedError::Io { path: path.clone(), source: problem });
    let folder = path.parent().unwrap_or(home.root());
    std::fs::create_dir_all(folder).map_err(failed)?;
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
    file.write_all(document.to_string().as_bytes()).map_err(failed)?;
    if let Ok(old) = std::fs::metadata(&path) {
        file.as_file().set_permissions(old.permissions()).map_err(failed)?;
    }
    file.as_file().sync_all().map_err(failed)?;
    file.persist(&path).map_err(|problem| failed(problem.error))?;
    Ok(())
}

const SECTIONS: &[&str] = &["query", "index", "semantic", "server", "http", "debug"];

/// `CRUXE_INDEX_MAX_FILES=9` as `[index] max_files = 9`, a layer each.
fn environment(variables: impl Iterator<Item = (String, String)>) -> Vec<(String, String)> {
    let mut layers: Vec<(String, String)> = variables
        .filter_map(|(name, value)| {
            let rest = name.strip_prefix("CRUXE_")?.to_ascii_lowercase();
            let (section, key) = rest.split_once('_')?;
            if !SECTIONS.contains(&section) {
                return None;
            }
            let value = match (value.parse::<i64>(), value.parse::<f64>(), value.as_str()) {
                (Ok(_), _, _) | (_, _, "true" | "false") => value,
                (_, Ok(number), _) if number.is_finite() => toml::Value::Float(number).to_string(),
                _ => toml::Value::String(value).to_string(),
            };
            Some((name.clone(), format!("[{section}]\n{key} = {value}\n")))
        })
        .collect();
    layers.sort();
    layers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn environment_variables_name_section_and_key() {
        let variables = [
            ("CRUXE_INDEX_MAX_FILES", "9"),
            ("CRUXE_QUERY_FRESHNESS_POLICY", "strict"),
            ("CRUXE_HOME", "/x"),
            ("CRUXE_SEMANTIC_RATIO", ".5"),
            ("CRUXE_SEMANTIC_ENABLED", "false"),
            ("CRUXE_SEMANTIC_MODEL", "inf"),
        ];
        let layers = environment(variables.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())));
        let texts: Vec<&str> = layers.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(
            texts,
            [
                "[index]\nmax_files = 9\n",
                "[query]\nfreshness_policy = \"strict\"\n",
                "[semantic]\nenabled = false\n",
                "[semantic]\nmodel = \"inf\"\n",
                "[semantic]\nratio = 0.5\n",
            ]
        );
    }

    #[test]
    fn setting_the_model_leaves_the_rest_of_the_configuration_alone() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::new(folder.path().join("home"));
        let text = || std::fs::read_to_string(home.config()).unwrap();
        set_model(&home, EmbeddingModel::MiniLm).unwrap();
        assert_eq!(text(), "[semantic]\nmodel = \"all-MiniLM-L6-v2\"\n");
        let before = "# mine\n[index]\nthreads = 1 # few\n\n[semantic]\nratio = 0.5\nmodel = \"builtin\" # fast\n";
        std::fs::write(home.config(), before).unwrap();
        set_model(&home, EmbeddingModel::MiniLm).unwrap();
        assert_eq!(text(), before.replace("builtin", "all-MiniLM-L6-v2"));
        set_model(&home, EmbeddingModel::Builtin).unwrap();
        assert_eq!(text(), before);
        for broken in ["[semantic", "semantic = 1"] {
            std::fs::write(home.config(), broken).unwrap();
            assert!(set_model(&home, EmbeddingModel::Builtin).unwrap_err().to_string().contains("config.toml"));
            assert_eq!(text(), broken);
        }
        assert_eq!(std::fs::read_dir(home.root()).unwrap().count(), 1);
    }
}
