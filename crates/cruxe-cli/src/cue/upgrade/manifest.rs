//! What a release server offers, and the checks that a download has to pass.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::time::Duration;

use minisign_verify::{PublicKey, Signature};
use semver::Version;
use serde::{Deserialize, Deserializer, de};
use sha2::{Digest, Sha256};

use super::super::error::CueError;
use super::{failed, network, platform};

/// A manifest is a page of text.
const LARGEST_MANIFEST: u64 = 1 << 20;
/// More than all programs of a release together have.
const LARGEST_BUILD: u64 = 512 << 20;

/// The newest release.
#[derive(Debug, Deserialize)]
pub(super) struct Manifest {
    #[serde(deserialize_with = "version")]
    pub version: Version,
    builds: BTreeMap<String, Build>,
}

/// The release for one platform.
#[derive(Debug, Deserialize)]
pub(super) struct Build {
    /// A program, or programs in a `.tar.zst`; relative to the manifest.
    url: String,
    sha256: String,
    /// The text of the `.minisig`.
    signature: String,
    /// How long the file is.
    size: Option<u64>,
}

fn version<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Version, D::Error> {
    let text = String::deserialize(deserializer)?;
    Version::parse(&text).map_err(|problem| de::Error::custom(format!("version `{text}`: {problem}")))
}

impl Manifest {
    pub fn fetch(url: &str, timeout: Duration) -> Result<Manifest, CueError> {
        let mut text = Vec::new();
        network::fetch(url, &mut text, LARGEST_MANIFEST, timeout)?;
        let mut manifest: Manifest = serde_json::from_slice(&text).map_err(|problem| {
            failed(format!("{url}: this is no release manifest: {problem}"))
                .help("Check that the address is that of a manifest (docs/cue.md shows one).")
        })?;
        manifest.builds.values_mut().for_each(|build| build.url = network::resolve(url, &build.url));
        Ok(manifest)
    }

    pub fn build(&self, platform: &str) -> Result<&Build, CueError> {
        self.builds.get(platform).ok_or_else(|| {
            let there: Vec<&str> = self.builds.keys().map(String::as_str).collect();
            failed(format!("release {} has no build for {platform}; it has {}", self.version, there.join(", ")))
        })
    }
}

impl Build {
    pub fn is_archive(&self) -> bool {
        self.url.split(['?', '#']).next().unwrap_or_default().ends_with(".tar.zst")
    }

    pub fn download(&self, to: &Path, timeout: Duration) -> Result<(), CueError> {
        let mut file = File::create(to).map_err(|problem| CueError::io(to, &problem))?;
        let limit = self.size.unwrap_or(LARGEST_BUILD).min(LARGEST_BUILD);
        network::fetch(&self.url, &mut file, limit, timeout)?;
        file.sync_all().map_err(|problem| CueError::io(to, &problem))
    }

    /// Checks length, checksum, signature, and that the signature is for this version and platform.
    pub fn verify(&self, file: &Path, key: &PublicKey, version: &Version) -> Result<(), CueError> {
        let refused = |what: String| {
            failed(format!("{}: {what}; nothing was changed", self.url))
                .help("Do not install this file. Tell whoever runs the release server.")
        };
        let signature = Signature::decode(self.signature.trim())
            .map_err(|problem| refused(format!("the signature cannot be read ({problem})")))?;
        let mut verifier = key
            .verify_stream(&signature)
            .map_err(|problem| refused(format!("the signature was not made with the configured key ({problem})")))?;
        let mut reader = File::open(file).map_err(|problem| CueError::io(file, &problem))?;
        let (mut hash, mut length, mut buffer) = (Sha256::new(), 0u64, vec![0; 1 << 16]);
        loop {
            let read = reader.read(&mut buffer).map_err(|problem| CueError::io(file, &problem))?;
            if read == 0 {
                break;
            }
            length += read as u64;
            hash.update(&buffer[..read]);
            verifier.update(&buffer[..read]);
        }
        if let Some(size) = self.size.filter(|size| *size != length) {
            return Err(refused(format!("{length} bytes arrived, the manifest says {size}")));
        }
        let hash: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        if !hash.eq_ignore_ascii_case(self.sha256.trim()) {
            return Err(refused(format!("the checksum is {hash}, the manifest says {}", self.sha256)));
        }
        verifier.finalize().map_err(|problem| refused(format!("the signature does not fit ({problem})")))?;
        let expected = format!("cruxe {version} {}", platform());
        if signature.trusted_comment() != expected {
            let signed = signature.trusted_comment();
            return Err(refused(format!("the signature is for \"{signed}\", not for \"{expected}\"")));
        }
        Ok(())
    }
}
