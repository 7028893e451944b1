//! The index that `cue upgrade` reads: the newest version, and for each platform its archive, checksum and signature.

use serde_json::{Map, Value, json};

use crate::archive::File;
use crate::platform::Platform;
use crate::sign::{Key, sha256};

/// What a signature is for. It is signed too, so that an old archive cannot be passed off as a new one.
pub fn comment(version: &str, platform: Platform) -> String {
    format!("cruxe {version} {}", platform.name)
}

/// `manifest.json`.
pub fn manifest(version: &str, key: &Key, archives: &[(Platform, Vec<u8>)]) -> File {
    let build = |(platform, bytes): &(Platform, Vec<u8>)| {
        let entry = json!({
            "url": format!("cruxe-{version}-{}.tar.zst", platform.name),
            "sha256": sha256(bytes),
            "size": bytes.len(),
            "signature": key.sign(bytes, &comment(version, *platform)),
        });
        (platform.name.to_owned(), entry)
    };
    let builds: Map<String, Value> = archives.iter().map(build).collect();
    File::text("manifest.json", format!("{:#}\n", json!({"version": version, "builds": builds})))
}
