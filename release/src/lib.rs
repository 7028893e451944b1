//! Makes a release: from programs an archive per platform, and from those archives everything else.
//!
//! [`payload`] is what every archive and package holds, [`archive`] packs it so that the bytes repeat, [`sign`] and
//! [`index`] make what `cue upgrade` checks, [`shops`] has a file per shop. Nothing here talks to the network.

pub mod archive;
pub mod error;
pub mod index;
pub mod notices;
pub mod payload;
pub mod platform;
pub mod shops;
pub mod sign;

use std::fs;
use std::path::Path;

use crate::archive::File;
use crate::error::{ReleaseError, Result};
use crate::payload::Payload;
use crate::platform::Platform;
use crate::shops::{Made, Product};
use crate::sign::Key;

/// Makes everything from the archives of some platforms. Without a key nothing is signed, and there is no index.
pub fn make(product: &Product<'_>, key: Option<&Key>, archives: &[(Platform, Vec<u8>)]) -> Result<Vec<File>> {
    let mut payloads = Vec::new();
    for (platform, bytes) in archives {
        payloads.push(Payload::from_archive(bytes, *platform, product.version)?);
    }
    let mut files = Vec::new();
    for (payload, (_, bytes)) in payloads.iter().zip(archives) {
        let name = format!("{}.tar.zst", payload.name(product.version));
        if let Some(key) = key {
            let comment = index::comment(product.version, payload.platform);
            files.push(File::text(format!("{name}.minisig"), key.sign(bytes, &comment)));
        }
        files.push(File::text(name, bytes.clone()));
        files.push(unpackable(product, payload)?);
    }
    if let Some(key) = key {
        files.push(index::manifest(product.version, key, archives));
    }
    files.extend(shops::packages(product, &payloads)?);
    let recipes = shops::recipes(product, &payloads, &sums(&files))?;
    files.extend(recipes);
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let list: String = sums(&files).iter().map(|made| format!("{}  {}\n", made.sha256, made.name)).collect();
    if let Some(key) = key {
        let comment = format!("cruxe {} SHA256SUMS", product.version);
        files.push(File::text("SHA256SUMS.minisig", key.sign(list.as_bytes(), &comment)));
    }
    files.push(File::text("SHA256SUMS", list));
    Ok(files)
}

/// The archive in the form that every system can unpack.
fn unpackable(product: &Product<'_>, payload: &Payload) -> Result<File> {
    let files = payload.in_folder(product.version);
    let bytes = match payload.platform.is_windows() {
        true => archive::zip(&files, product.effort)?,
        false => archive::gzip(&archive::tar(&files, product.time)?, product.effort)?,
    };
    Ok(File::text(shops::archive_name(payload, product.version), bytes))
}

fn sums(files: &[File]) -> Vec<Made> {
    files.iter().map(|file| Made { name: file.path.clone(), sha256: sign::sha256(&file.bytes) }).collect()
}

/// Writes files below a folder.
pub fn write(folder: &Path, files: &[File]) -> Result<()> {
    for file in files {
        let path = folder.join(&file.path);
        let parent = path.parent().unwrap_or(folder);
        fs::create_dir_all(parent).map_err(ReleaseError::io(parent))?;
        fs::write(&path, &file.bytes).map_err(ReleaseError::io(&path))?;
        if file.executable {
            make_executable(&path)?;
        }
    }
    Ok(())
}

#[cfg(unix)]
fn make_executable(path: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).map_err(ReleaseError::io(path))
}

#[cfg(not(unix))]
fn make_executable(_path: &Path) -> Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive::Effort;
    use crate::payload::tests::small;

    const PRODUCT: Product<'_> =
        Product { version: "1.2.3", time: 1_700_000_000, repository: "https://github.com/a/b", effort: Effort::Trial };

    fn all() -> Vec<(Platform, Vec<u8>)> {
        let packed = |platform: &Platform| {
            let payload = small(platform.name);
            (*platform, payload.to_archive(PRODUCT.version, PRODUCT.time, PRODUCT.effort).unwrap())
        };
        Platform::ALL.iter().map(packed).collect()
    }

    #[test]
    fn the_same_archives_give_the_same_bytes() {
        let key = Key::generate().unwrap();
        assert_eq!(make(&PRODUCT, Some(&key), &all()).unwrap(), make(&PRODUCT, Some(&key), &all()).unwrap());
    }

    #[test]
    fn every_shop_gets_what_it_sells() {
        let key = Key::generate().unwrap();
        let files = make(&PRODUCT, Some(&key), &all()).unwrap();
        let names: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
        for name in [
            "SHA256SUMS",
            "SHA256SUMS.minisig",
            "manifest.json",
            "server.json",
            "install.sh",
            "install.ps1",
            "Containerfile",
            "cruxe-1.2.3-x86_64-linux.tar.zst",
            "cruxe-1.2.3-x86_64-linux.tar.zst.minisig",
            "cruxe-1.2.3-x86_64-linux.tar.gz",
            "cruxe-1.2.3-x86_64-windows.zip",
            "cruxe-1.2.3-aarch64-macos.mcpb",
            "cruxe_1.2.3_amd64.deb",
            "cruxe-1.2.3-1.aarch64.rpm",
            "homebrew/cruxe.rb",
            "npm/cruxe-1.2.3.tgz",
            "npm/cruxe-linux-x64-musl-1.2.3.tgz",
            "npm/cruxe-win32-x64-1.2.3.tgz",
            "pypi/cruxe-1.2.3-py3-none-manylinux_2_34_x86_64.whl",
            "pypi/cruxe-1.2.3-py3-none-macosx_11_0_arm64.whl",
            "scoop/cruxe.json",
            "winget/Cruxe.Cruxe.installer.yaml",
        ] {
            assert!(names.contains(&name), "{name} is missing: {names:?}");
        }
        let text = |name: &str| {
            let file = files.iter().find(|file| file.path == name).unwrap();
            String::from_utf8(file.bytes.clone()).unwrap()
        };
        let sum = |name: &str| sums(&files).into_iter().find(|made| made.name == name).unwrap().sha256;
        let windows = sum("cruxe-1.2.3-x86_64-windows.zip");
        assert!(text("winget/Cruxe.Cruxe.installer.yaml").contains(&windows.to_uppercase()));
        assert!(text("scoop/cruxe.json").contains(&windows) && text("install.ps1").contains(&windows));
        let linux = sum("cruxe-1.2.3-x86_64-linux.tar.gz");
        assert!(text("install.sh").contains(&format!("x86_64-linux) echo {linux} ;;")));
        assert!(text("homebrew/cruxe.rb").contains(&format!("sha256 \"{linux}\"")));
        assert!(text("SHA256SUMS").contains(&format!("{linux}  cruxe-1.2.3-x86_64-linux.tar.gz\n")));
        for file in &files {
            let text = String::from_utf8_lossy(&file.bytes);
            assert!(!text.contains("@VERSION@") && !text.contains("@SUMS@"), "{}", file.path);
        }
    }

    #[test]
    fn without_a_key_nothing_is_signed_and_nothing_can_be_upgraded_to() {
        let files = make(&PRODUCT, None, &all()).unwrap();
        assert!(!files.iter().any(|file| file.path.ends_with(".minisig") || file.path == "manifest.json"));
    }
}
