//! A package or a recipe for every shop, each made from the payload that the archives hold.

mod deb;
mod extension;
mod homebrew;
mod npm;
mod registry;
mod rpm;
mod scripts;
mod wheel;
mod windows;

use crate::archive::{Effort, File};
use crate::error::Result;
use crate::payload::Payload;

/// What all shops want to know.
pub struct Product<'a> {
    /// The version, as Cargo writes it.
    pub version: &'a str,
    /// When it was made, in seconds since 1970.
    pub time: u64,
    /// Where its sources are.
    pub repository: &'a str,
    /// How hard to compress.
    pub effort: Effort,
}

/// What it is, in less than the hundred letters that the registry of MCP allows.
pub const ABOUT: &str = "Exact knowledge of a code base for coding agents: search, references, call graphs, diffs.";
/// The licence.
pub const LICENCE: &str = "Apache-2.0";
/// Whom packages name as their maker.
pub const MAKER: &str = "The Cruxe authors";

impl Product<'_> {
    /// Where a file of the release is fetched from.
    pub fn download(&self, file: &str) -> String {
        format!("{}/releases/download/v{}/{file}", self.repository, self.version)
    }

    /// The owner and the name of the repository.
    fn owner_and_name(&self) -> (&str, &str) {
        let mut parts = self.repository.trim_end_matches('/').rsplit('/');
        let name = parts.next().unwrap_or_default();
        (parts.next().unwrap_or_default(), name)
    }

    /// The name in the registry of MCP servers, which packages have to repeat to show that they are ours.
    pub fn mcp_name(&self) -> String {
        let (owner, name) = self.owner_and_name();
        format!("io.github.{owner}/{name}")
    }
}

/// A file of the release whose checksum a recipe needs.
pub struct Made {
    /// Its name in the release.
    pub name: String,
    /// Its SHA-256.
    pub sha256: String,
}

/// Packages that hold the programs.
pub fn packages(product: &Product<'_>, payloads: &[Payload]) -> Result<Vec<File>> {
    let mut files = npm::packages(product, payloads)?;
    for payload in payloads {
        files.push(wheel::package(product, payload)?);
        files.push(extension::package(product, payload)?);
        if payload.platform.linux_arch.is_some() {
            files.push(deb::package(product, payload)?);
            files.push(rpm::package(product, payload)?);
        }
    }
    Ok(files)
}

/// Recipes that name files of the release by their checksums.
pub fn recipes(product: &Product<'_>, payloads: &[Payload], made: &[Made]) -> Result<Vec<File>> {
    let mut files = vec![registry::server(product, made)];
    files.extend(homebrew::formula(product, payloads, made));
    files.extend(windows::manifests(product, payloads, made));
    files.extend(scripts::installers(product, payloads, made));
    files.extend(scripts::container(product, payloads));
    Ok(files)
}

/// The checksum of a file of the release.
fn sum<'m>(made: &'m [Made], name: &str) -> Option<&'m str> {
    made.iter().find(|made| made.name == name).map(|made| made.sha256.as_str())
}

/// The archive that people and package managers unpack.
pub fn archive_name(payload: &Payload, version: &str) -> String {
    let ending = if payload.platform.is_windows() { "zip" } else { "tar.gz" };
    format!("{}.{ending}", payload.name(version))
}
