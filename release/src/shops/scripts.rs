//! Scripts that install without a package manager, and a container.

use super::{Made, Product, archive_name, sum};
use crate::archive::File;
use crate::payload::Payload;

const SHELL: &str = include_str!("../../templates/install.sh");
const POWERSHELL: &str = include_str!("../../templates/install.ps1");
const CONTAINER: &str = include_str!("../../templates/Containerfile");

/// The scripts. They carry the checksums of the archives: whoever trusts the script needs to trust nothing else.
pub(super) fn installers(product: &Product<'_>, payloads: &[Payload], made: &[Made]) -> Vec<File> {
    let table = |windows: bool| -> String {
        let of = |payload: &Payload| {
            let sum = sum(made, &archive_name(payload, product.version))?;
            Some((payload.platform.name, sum))
        };
        let ours = payloads.iter().filter(|payload| payload.platform.is_windows() == windows).filter_map(of);
        match windows {
            false => ours.map(|(name, sum)| format!("    {name}) echo {sum} ;;\n")).collect(),
            true => ours.map(|(name, sum)| format!("    \"{name}\" = \"{sum}\"\n")).collect(),
        }
    };
    let filled = |template: &str, windows: bool| {
        template
            .replace("@VERSION@", product.version)
            .replace("@DOWNLOADS@", product.download("").trim_end_matches('/'))
            .replace("@SUMS@\n", &table(windows))
    };
    vec![File::program("install.sh", filled(SHELL, false)), File::text("install.ps1", filled(POWERSHELL, true))]
}

/// A container file beside the archives that it is built from.
pub(super) fn container(product: &Product<'_>, payloads: &[Payload]) -> Option<File> {
    let payload = payloads.iter().find(|payload| payload.platform.name == "x86_64-linux")?;
    let text = CONTAINER
        .replace("@ARCHIVE@", &archive_name(payload, product.version))
        .replace("@FOLDER@", &payload.name(product.version))
        .replace("@REPOSITORY@", product.repository)
        .replace("@MCP_NAME@", &product.mcp_name());
    Some(File::text("Containerfile", text))
}
