//! PyPI: a wheel with the programs as scripts, so that pip, pipx and uv put them onto the path.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use sha2::{Digest, Sha256};

use super::{ABOUT, LICENCE, MAKER, Product};
use crate::archive::{self, File};
use crate::error::Result;
use crate::payload::Payload;

pub(super) fn package(product: &Product<'_>, payload: &Payload) -> Result<File> {
    let version = pep440(product.version);
    let tag = format!("py3-none-{}", platform_tag(payload));
    let info = format!("cruxe-{version}.dist-info");
    let mut files: Vec<File> =
        payload.programs().map(|file| file.at(format!("cruxe-{version}.data/scripts/{}", file.path))).collect();
    files.push(File::text(format!("{info}/METADATA"), metadata(product, payload, &version)));
    let wheel = format!("Wheel-Version: 1.0\nGenerator: cruxe-release\nRoot-Is-Purelib: false\nTag: {tag}\n");
    files.push(File::text(format!("{info}/WHEEL"), wheel));
    for text in ["LICENSE", "THIRD-PARTY.txt"] {
        files.push(File::text(format!("{info}/licenses/{text}"), payload.text(text)));
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let mut record: String = files.iter().map(line).collect();
    record += &format!("{info}/RECORD,,\n");
    files.push(File::text(format!("{info}/RECORD"), record));
    Ok(File::text(format!("pypi/cruxe-{version}-{tag}.whl"), archive::zip(&files, product.effort)?))
}

fn line(file: &File) -> String {
    format!("{},sha256={},{}\n", file.path, BASE64.encode(Sha256::digest(&file.bytes)), file.bytes.len())
}

fn metadata(product: &Product<'_>, payload: &Payload, version: &str) -> String {
    let (repository, name) = (product.repository, product.mcp_name());
    let readme = payload.text("README.md");
    format!(
        "Metadata-Version: 2.4\nName: cruxe\nVersion: {version}\nSummary: {ABOUT}\nAuthor: {MAKER}\n\
         License-Expression: {LICENCE}\nLicense-File: LICENSE\nLicense-File: THIRD-PARTY.txt\n\
         Project-URL: Homepage, {repository}\nProject-URL: Changelog, {repository}/blob/main/CHANGELOG.md\n\
         Keywords: mcp,code search,references,call graph\nClassifier: Environment :: Console\n\
         Classifier: Programming Language :: Rust\nClassifier: Topic :: Software Development\n\
         Requires-Python: >=3.8\nDescription-Content-Type: text/markdown\n\n{readme}\n<!-- mcp-name: {name} -->\n"
    )
}

/// Which systems the wheel is for. On Linux that is every one whose C library is at least as new as what the programs ask for.
fn platform_tag(payload: &Payload) -> String {
    if let Some(tag) = payload.platform.wheel {
        return tag.to_owned();
    }
    let processor = payload.platform.name.split('-').next().unwrap_or_default();
    let (major, minor) = payload.glibc().unwrap_or((2, 17)).max((2, 17));
    format!("manylinux_{major}_{minor}_{processor}")
}

/// A version as Python writes it: `1.0.0-rc.1` is `1.0.0rc1`.
fn pep440(version: &str) -> String {
    match version.split_once('-') {
        Some((release, before)) => {
            let (word, number) = before.split_once('.').unwrap_or((before, "0"));
            let word = match word {
                "alpha" => "a",
                "beta" => "b",
                other => other,
            };
            format!("{release}{word}{number}")
        }
        None => version.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::payload::tests::small;

    #[test]
    fn versions_and_systems_are_written_as_python_wants_them() {
        assert_eq!(pep440("1.2.3"), "1.2.3");
        assert_eq!(pep440("1.2.3-rc.1"), "1.2.3rc1");
        assert_eq!(pep440("1.2.3-beta.2"), "1.2.3b2");
        assert_eq!(platform_tag(&small("x86_64-linux")), "manylinux_2_34_x86_64");
        assert_eq!(platform_tag(&small("aarch64-linux")), "manylinux_2_34_aarch64");
        assert_eq!(platform_tag(&small("x86_64-windows")), "win_amd64");
    }

    #[test]
    fn the_record_has_every_file_with_its_hash() {
        assert_eq!(line(&File::text("a/b", "abc")), "a/b,sha256=ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0,3\n");
    }
}
