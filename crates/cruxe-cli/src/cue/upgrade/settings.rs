//! Where releases come from and who signs them.

use cruxe_deck::config::{DeckConfig, Upgrade};
use cruxe_server::contract::LIMITED;
use minisign_verify::PublicKey;

use super::super::deck;
use super::super::error::{CueError, Kind};
use crate::context::Context;

/// Compiled in by whoever builds releases of their own; otherwise there is no default.
const BUILT_IN_URL: Option<&str> = option_env!("CUE_RELEASE_URL");
const BUILT_IN_KEY: Option<&str> = option_env!("CUE_RELEASE_KEY");

/// The settings of an upgrade.
pub(super) struct Settings {
    /// The address of the manifest.
    pub url: String,
    key: Option<String>,
}

impl Settings {
    /// Flags, then the environment, then `--config` or the user's own file, then what was compiled in.
    pub fn find(url: Option<&str>, key: Option<&str>, context: &Context) -> Result<Settings, CueError> {
        let file = of_file(context)?;
        let variable = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
        let pick = |flag: Option<&str>, name, file: Option<String>, built_in: Option<&str>| {
            flag.map(str::to_owned).or_else(|| variable(name)).or(file).or_else(|| built_in.map(str::to_owned))
        };
        let url = pick(url, "CUE_RELEASE_URL", file.server, BUILT_IN_URL).ok_or_else(|| {
            CueError::new(Kind::Config, "no release server is configured, so there is nothing to upgrade from")
                .number(1004)
                .help(
                    "Give its address with --from or $CUE_RELEASE_URL, or as `server` in the section [upgrade] of \
                     $CRUXE_HOME/cue.toml.",
                )
        })?;
        Ok(Settings { url: manifest_of(&url), key: pick(key, "CUE_RELEASE_KEY", file.public_key, BUILT_IN_KEY) })
    }

    /// The key that releases must be signed with.
    pub fn key(&self) -> Result<PublicKey, CueError> {
        let Some(text) = &self.key else {
            return Err(CueError::new(Kind::Config, "no public key is configured: a release cannot be verified")
                .number(1004)
                .help(
                    "Give the minisign public key of the releases with --key or $CUE_RELEASE_KEY, or as `public_key` \
                     in the section [upgrade] of $CRUXE_HOME/cue.toml. Unverified programs are not installed.",
                ));
        };
        // The key alone, or the whole text of a `minisign.pub`.
        let text = text.trim();
        PublicKey::from_base64(text).or_else(|_| PublicKey::decode(text)).map_err(|problem| {
            CueError::new(Kind::Config, format!("the public key is not one of minisign: {problem}"))
                .number(1004)
                .help("A key has 56 characters and begins with RW; it is the second line of minisign.pub.")
        })
    }
}

/// A server's address stands for its `manifest.json`.
fn manifest_of(url: &str) -> String {
    let path = url.split(['?', '#']).next().unwrap_or(url);
    if path.ends_with(".json") { url.to_owned() } else { format!("{}/manifest.json", url.trim_end_matches('/')) }
}

/// `--config`, else the user's own file. The workspace's is not asked, see the module.
fn of_file(context: &Context) -> Result<Upgrade, CueError> {
    let path = match &context.options.config {
        Some(path) => {
            deck::must_exist(path)?;
            path.clone()
        }
        None => context.home.root().join("cue.toml"),
    };
    let loaded = DeckConfig::load(&path, LIMITED).map_err(|problem| deck::config_error(&problem))?;
    Ok(loaded.config.upgrade)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_stands_for_its_manifest() {
        assert_eq!(manifest_of("https://a/b/"), "https://a/b/manifest.json");
        assert_eq!(manifest_of("https://a"), "https://a/manifest.json");
        assert_eq!(manifest_of("https://a/latest.json?x"), "https://a/latest.json?x");
    }
}
