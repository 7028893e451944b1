//! Builds the program so that two builds of one commit are equal, wherever the sources and the packages lie.

use std::path::{Path, PathBuf};
use std::process::Command;

use cruxe_release::error::{ReleaseError, Result};
use cruxe_release::payload::PROGRAMS;
use cruxe_release::platform::Platform;
use cruxe_release::shops::Product;

use crate::said;

/// The folder of the workspace.
pub fn root() -> Result<PathBuf> {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .map(Path::to_owned)
        .ok_or_else(|| ReleaseError::Input("the workspace has no folder".to_owned()))
}

/// What Rust calls the platform: the one that was asked for, else this machine's.
pub fn target(asked: Option<&str>) -> Result<String> {
    if let Some(asked) = asked {
        return Ok(asked.to_owned());
    }
    let about = said(Path::new("."), "rustc", &["-vV"])?;
    let host = about.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| ReleaseError::Program("rustc -vV names no host".to_owned()))
}

/// The time that every file of the release has: that of the commit.
pub fn time(root: &Path) -> Result<u64> {
    let told = std::env::var("SOURCE_DATE_EPOCH").ok();
    let text = match told {
        Some(text) => text,
        None => said(root, "git", &["log", "-1", "--format=%ct"])?,
    };
    text.parse().map_err(|_| ReleaseError::Input(format!("`{text}` is no time in seconds")))
}

/// Where the sources are, as `Cargo.toml` says.
pub fn repository(root: &Path) -> Result<String> {
    of_workspace(root, "repository")
}

fn of_workspace(root: &Path, key: &str) -> Result<String> {
    let path = root.join("Cargo.toml");
    let text = std::fs::read_to_string(&path)
        .map_err(|problem| ReleaseError::Io { path: path.display().to_string(), problem })?;
    let section = text.split("[workspace.package]").nth(1).unwrap_or_default();
    let section = section.split("\n[").next().unwrap_or_default();
    let value = section.lines().find_map(|line| line.strip_prefix(key)?.trim().strip_prefix('='));
    let value = value.map(|value| value.trim().trim_matches('"').to_owned());
    value.ok_or_else(|| ReleaseError::Input(format!("[workspace.package] of Cargo.toml has no `{key}`")))
}

/// Builds the programs; the folder that they are in.
pub fn program(root: &Path, platform: Platform, product: &Product<'_>) -> Result<PathBuf> {
    let written = of_workspace(root, "version")?;
    if written != product.version {
        let problem = format!("Cargo.toml says {written}; write {} there first", product.version);
        return Err(ReleaseError::Input(problem));
    }
    let folder = match std::env::var_os("CARGO_TARGET_DIR") {
        Some(folder) => root.join(folder),
        None => root.join("target/release-build"),
    };
    let mut command = Command::new("cargo");
    command.args(["build", "--release", "--locked", "--target", platform.target, "--target-dir"]).arg(&folder);
    for name in PROGRAMS {
        command.args(["--bin", name]);
    }
    command.current_dir(root).env("SOURCE_DATE_EPOCH", product.time.to_string());
    forget_folders(&mut command, root, platform)?;
    // The key that upgrades are checked with, once there is one.
    if let Ok(key) = std::fs::read_to_string(root.join("release/release.pub")) {
        command.env("CUE_RELEASE_KEY", key.lines().last().unwrap_or_default());
        command.env("CUE_RELEASE_URL", format!("{}/releases/latest/download/manifest.json", product.repository));
    }
    let status = command.status().map_err(|problem| ReleaseError::Program(format!("cargo build: {problem}")))?;
    if !status.success() {
        return Err(ReleaseError::Program("cargo build failed".to_owned()));
    }
    Ok(folder.join(platform.target).join("release"))
}

/// Paths of this machine do not get into the program: not by Rust, not by C.
fn forget_folders(command: &mut Command, root: &Path, platform: Platform) -> Result<()> {
    let home = match std::env::var_os("CARGO_HOME").map(PathBuf::from) {
        Some(home) => home,
        None => PathBuf::from(std::env::var_os("HOME").or(std::env::var_os("USERPROFILE")).unwrap_or_default())
            .join(".cargo"),
    };
    let places = [(root.display().to_string(), "/cruxe"), (home.display().to_string(), "/cargo")];
    let flags: Vec<String> = places.iter().map(|(from, to)| format!("--remap-path-prefix={from}={to}")).collect();
    command.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}"));
    if !platform.is_windows() {
        let flags: Vec<String> = places.iter().map(|(from, to)| format!("-ffile-prefix-map={from}={to}")).collect();
        for variable in ["CFLAGS", "CXXFLAGS"] {
            let before = std::env::var(variable).unwrap_or_default();
            command.env(variable, format!("{before} {}", flags.join(" ")).trim());
        }
    }
    Ok(())
}
