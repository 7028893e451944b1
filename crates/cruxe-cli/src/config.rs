//! Where the configuration comes from: flags, environment, `--config`, the workspace, the user, defaults.

use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use cruxe_embed::EmbedError;
use cruxe_model::config::{Config, EmbeddingModel};
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
    let usual = [Some(home.config()), root.map(|root| root.join(".cruxe/config.toml"))];
    for path in usual.into_iter().flatten() {
        // A pipe would be waited for without end. One that the user named is another matter: `--config <(…)`.
        if path.metadata().is_ok_and(|found| !found.is_file()) {
            return Err(CliError::Config(format!("{} is no file; remove it", path.display())));
        }
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
