//! Scoop and winget.

use serde_json::json;

use super::{ABOUT, LICENCE, MAKER, Made, Product, archive_name, sum};
use crate::archive::File;
use crate::payload::{PROGRAMS, Payload};

const PACKAGE: &str = "Cruxe.Cruxe";
const SCHEMA: &str = "1.10.0";

/// The manifests of both, where there is an archive for Windows.
pub(super) fn manifests(product: &Product<'_>, payloads: &[Payload], made: &[Made]) -> Vec<File> {
    let Some(payload) = payloads.iter().find(|payload| payload.platform.name == "x86_64-windows") else {
        return Vec::new();
    };
    let Some(sum) = sum(made, &archive_name(payload, product.version)) else { return Vec::new() };
    let mut files = vec![scoop(product, payload, sum)];
    files.extend(winget(product, payload, sum));
    files
}

fn scoop(product: &Product<'_>, payload: &Payload, sum: &str) -> File {
    let url = product.download(&archive_name(payload, product.version));
    let folder = payload.name(product.version);
    let later = |text: &str| text.replace(product.version, "$version");
    let manifest = json!({
        "version": product.version,
        "description": ABOUT,
        "homepage": product.repository,
        "license": LICENCE,
        "architecture": {"64bit": {"url": url, "hash": sum, "extract_dir": folder}},
        "bin": PROGRAMS.map(|name| payload.platform.file(name)),
        "checkver": {"github": product.repository},
        "autoupdate": {"architecture": {"64bit": {"url": later(&url), "extract_dir": later(&folder)}}},
    });
    File::text("scoop/cruxe.json", format!("{manifest:#}\n"))
}

fn winget(product: &Product<'_>, payload: &Payload, sum: &str) -> [File; 3] {
    let (version, url) = (product.version, product.download(&archive_name(payload, product.version)));
    let folder = payload.name(version);
    let head = format!("PackageIdentifier: {PACKAGE}\nPackageVersion: {version}\n");
    let foot = |kind: &str| format!("ManifestType: {kind}\nManifestVersion: {SCHEMA}\n");
    let schema = |kind: &str| {
        format!("# yaml-language-server: $schema=https://aka.ms/winget-manifest.{kind}.{SCHEMA}.schema.json\n")
    };
    let programs: String = PROGRAMS
        .iter()
        .map(|name| format!("  - RelativeFilePath: {folder}\\{name}.exe\n    PortableCommandAlias: {name}\n"))
        .collect();
    let file = |name: &str, text: String| File::text(format!("winget/{PACKAGE}{name}.yaml"), text);
    [
        file("", format!("{}{head}DefaultLocale: en-US\n{}", schema("version"), foot("version"))),
        file(
            ".installer",
            format!(
                "{}{head}InstallerType: zip\nNestedInstallerType: portable\nNestedInstallerFiles:\n{programs}\
                 Installers:\n  - Architecture: x64\n    InstallerUrl: {url}\n    InstallerSha256: {}\n{}",
                schema("installer"),
                sum.to_uppercase(),
                foot("installer")
            ),
        ),
        file(
            ".locale.en-US",
            format!(
                "{}{head}PackageLocale: en-US\nPublisher: {MAKER}\nPackageName: Cruxe\nPackageUrl: {}\n\
                 License: {LICENCE}\nShortDescription: {}\nMoniker: cruxe\n{}",
                schema("defaultLocale"),
                product.repository,
                json!(ABOUT),
                foot("defaultLocale")
            ),
        ),
    ]
}
