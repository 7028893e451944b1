//! Where the configuration comes from: flags, environment, `--config`, the workspace, the user, defaults.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use cruxe_model::config::Config;
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

/// Reads every layer. A file that the user named must exist; the others may not.
pub(crate) fn load(home: &Home, root: Option<&Path>, named: Option<&Path>) -> Result<Config, CliError> {
    let mut layers: Vec<(String, String)> = Vec::new();
    let usual = [Some(home.root().join("config.toml")), root.map(|root| root.join(".cruxe/config.toml"))];
    for path in usual.into_iter().flatten() {
        match std::fs::read_to_string(&path) {
            Ok(text) => layers.push((path.display().to_string(), text)),
            // A home below something that is no folder has no configuration; whoever writes there says what is wrong.
            Err(problem) if matches!(problem.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {}
            Err(problem) => return Err(CliError::Config(format!("{}: {problem}", path.display()))),
        }
    }
    if let Some(path) = named {
        let text = std::fs::read_to_string(path)
            .map_err(|problem| CliError::Config(format!("{}: {problem}", path.display())))?;
        layers.push((path.display().to_string(), text));
    }
    layers.extend(environment(std::env::vars()));
    Ok(Config::from_layers(layers.iter().map(|(origin, text)| (origin.as_str(), text.as_str())))?)
}

const SECTIONS: &[&str] = &["query", "index", "server", "debug"];

/// `CRUXE_INDEX_MAX_FILES=9` as `[index] max_files = 9`, a layer each.
fn environment(variables: impl Iterator<Item = (String, String)>) -> Vec<(String, String)> {
    let mut layers: Vec<(String, String)> = variables
        .filter_map(|(name, value)| {
            let rest = name.strip_prefix("CRUXE_")?.to_ascii_lowercase();
            let (section, key) = rest.split_once('_')?;
            if !SECTIONS.contains(&section) {
                return None;
            }
            let plain = value.parse::<i64>().is_ok() || value == "true" || value == "false";
            let value = if plain { value } else { toml::Value::String(value).to_string() };
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
        let variables =
            [("CRUXE_INDEX_MAX_FILES", "9"), ("CRUXE_QUERY_FRESHNESS_POLICY", "strict"), ("CRUXE_HOME", "/x")];
        let layers = environment(variables.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())));
        let texts: Vec<&str> = layers.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(texts, ["[index]\nmax_files = 9\n", "[query]\nfreshness_policy = \"strict\"\n"]);
    }
}
