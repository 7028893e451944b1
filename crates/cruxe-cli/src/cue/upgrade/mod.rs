//! `cue upgrade`: the one command that fetches and replaces programs, and only when it is called.
//!
//! What is installed was signed by the key that the user (or whoever built the program) chose. The signature's trusted
//! comment names version and platform, so that a server cannot pass off an old release as a new one. Settings come
//! from flags, the environment and the user's own configuration, never from a workspace: a repository must not be able
//! to say where programs come from.

mod install;
mod manifest;
mod network;
mod settings;

use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use semver::Version;
use serde_json::json;

use self::manifest::Manifest;
use self::settings::Settings;
use super::error::{CueError, Kind};
use crate::context::Context;
use crate::output;

/// Replace this program by the newest release
///
/// Asks the release server for its manifest, downloads the build for this platform, verifies
/// checksum and signature, and replaces the program in one step. Programs of the same release that
/// stand beside it (cruxe, codecompass, cue) are replaced with it. Older and equal versions are
/// never installed. Nothing here happens unless it is called. `cruxe upgrade` is the same command.
///
/// Server and key: --from and --key, else $CUE_RELEASE_URL and $CUE_RELEASE_KEY, else `server` and
/// `public_key` in the section [upgrade] of --config or of $CRUXE_HOME/cue.toml. A workspace's own
/// configuration is not asked: a repository must not say where programs come from.
///
/// Examples:
///   cue upgrade --check
///   cue upgrade
///   cue upgrade --from https://releases.example.org/cruxe/manifest.json --key RWQf6LRCGA9i53ml…
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Upgrade {
    /// The address of the release server or of its manifest
    #[arg(long, value_name = "URL")]
    from: Option<String>,
    /// The minisign public key that releases are signed with
    #[arg(long, value_name = "KEY")]
    key: Option<String>,
    /// Only tell whether there is a newer release
    #[arg(long)]
    check: bool,
    /// Seconds that each download may take
    #[arg(long, value_name = "N", default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout: u64,
}

/// An upgrade that failed for another reason than the network.
fn failed(message: impl Into<String>) -> CueError {
    CueError::new(Kind::Io, message).number(1004).data(json!({ "kind": "UpgradeFailed" }))
}

/// The name of this platform in a manifest. A program that needs no C library of the system is replaced by its like.
fn platform() -> String {
    let library = if cfg!(target_env = "musl") { "-musl" } else { "" };
    format!("{}-{}{library}", std::env::consts::ARCH, std::env::consts::OS)
}

impl Upgrade {
    pub fn run(self, context: &Context) -> Result<ExitCode, CueError> {
        let settings = Settings::find(self.from.as_deref(), self.key.as_deref(), context)?;
        let timeout = Duration::from_secs(self.timeout);
        let current = Version::parse(env!("CARGO_PKG_VERSION")).map_err(|problem| failed(problem.to_string()))?;
        let manifest = Manifest::fetch(&settings.url, timeout)?;
        if manifest.version < current {
            return Err(failed(format!(
                "the release server offers {}, which is older than this {current}; nothing was changed",
                manifest.version
            ))
            .help("Programs are never replaced by older ones. Check the address, or download that release by hand."));
        }
        let newer = manifest.version > current;
        if !newer || self.check {
            report(context, &current, &manifest.version, &[]);
            return Ok(ExitCode::SUCCESS);
        }
        let build = manifest.build(&platform())?;
        let key = settings.key()?;
        let place = install::Installation::of_this_program()?;
        let download = tempfile::tempdir().map_err(|problem| CueError::io(&std::env::temp_dir(), &problem))?;
        let file = download.path().join("release");
        build.download(&file, timeout)?;
        build.verify(&file, &key, &manifest.version)?;
        let replaced = place.replace(&file, build.is_archive())?;
        report(context, &current, &manifest.version, &replaced);
        Ok(ExitCode::SUCCESS)
    }
}

fn report(context: &Context, current: &Version, offered: &Version, replaced: &[String]) {
    if context.options.json {
        return output::json(&json!({
            "current_version": current.to_string(),
            "latest_version": offered.to_string(),
            "newer": offered > current,
            "replaced": replaced,
        }));
    }
    match (offered > current, replaced) {
        (false, _) => output::line(&format!("{current} is the newest release")),
        (true, []) => output::line(&format!("{offered} is available, this is {current}; `cue upgrade` installs it")),
        (true, replaced) => {
            output::line(&format!("upgraded from {current} to {offered}"));
            replaced.iter().for_each(|path| output::line(&format!("  {path}")));
        }
    }
}
