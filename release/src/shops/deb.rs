//! Debian and what comes from it: an archive of `ar` with two of `tar` in it.

use super::{ABOUT, LICENCE, MAKER, Product};
use crate::archive::{self, Effort, File};
use crate::error::Result;
use crate::payload::Payload;

pub(super) fn package(product: &Product<'_>, payload: &Payload) -> Result<File> {
    let version = version(product.version);
    let architecture = payload.platform.linux_arch.map(|(debian, _)| debian).unwrap_or_default();
    let files = installed(payload, product.effort)?;
    let control = control(product, &version, architecture, payload.glibc(), &files);
    let packed = |files: &[File]| archive::gzip(&archive::tar(files, product.time)?, product.effort);
    let members = [
        File::text("debian-binary", "2.0\n"),
        File::text("control.tar.gz", packed(&[File::text("./control", control)])?),
        File::text("data.tar.gz", packed(&files)?),
    ];
    Ok(File::text(format!("cruxe_{version}_{architecture}.deb"), archive::ar(&members, product.time)))
}

/// A version that comes before a release sorts before it.
pub(super) fn version(version: &str) -> String {
    version.replacen('-', "~", 1)
}

fn control(
    product: &Product<'_>,
    version: &str,
    architecture: &str,
    glibc: Option<(u32, u32)>,
    files: &[File],
) -> String {
    let size = files.iter().map(|file| file.bytes.len().div_ceil(1024)).sum::<usize>();
    let depends =
        glibc.map(|(major, minor)| format!("Depends: libc6 (>= {major}.{minor}), libgcc-s1\n")).unwrap_or_default();
    let (owner, name) = product.owner_and_name();
    format!(
        "Package: cruxe\nVersion: {version}\nArchitecture: {architecture}\nMaintainer: {MAKER} <{name}@{owner}.example>\n\
         Installed-Size: {size}\n{depends}Section: devel\nPriority: optional\nHomepage: {}\nDescription: {ABOUT}\n \
         One program with its index: for agents over MCP, for people at the terminal.\n",
        product.repository
    )
}

/// The files where Linux wants them.
pub(super) fn installed(payload: &Payload, effort: Effort) -> Result<Vec<File>> {
    let mut files = Vec::new();
    for file in &payload.files {
        let path = match file.path.split('/').collect::<Vec<_>>()[..] {
            [program] if file.executable => format!("usr/bin/{program}"),
            ["LICENSE"] => "usr/share/doc/cruxe/copyright".to_owned(),
            [text] => format!("usr/share/doc/cruxe/{text}"),
            ["man", section, page] => {
                let path = format!("./usr/share/man/{section}/{page}.gz");
                files.push(File::text(path, archive::gzip(&file.bytes, effort)?));
                continue;
            }
            ["completions", "bash", name] => format!("usr/share/bash-completion/completions/{name}"),
            ["completions", "fish", name] => format!("usr/share/fish/vendor_completions.d/{name}"),
            ["completions", "zsh", name] => format!("usr/share/zsh/vendor-completions/{name}"),
            _ => continue,
        };
        files.push(file.at(format!("./{path}")));
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let licence = format!("Cruxe: {LICENCE}. What is built into it: THIRD-PARTY.txt.\n\n");
    if let Some(copyright) = files.iter_mut().find(|file| file.path.ends_with("/copyright")) {
        copyright.bytes = [licence.as_bytes(), &copyright.bytes].concat();
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::payload::tests::small;

    #[test]
    fn files_are_where_linux_looks_for_them() {
        let files = installed(&small("x86_64-linux"), Effort::Trial).unwrap();
        let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(
            paths,
            [
                "./usr/bin/codecompass",
                "./usr/bin/cruxe",
                "./usr/bin/cue",
                "./usr/share/bash-completion/completions/cruxe",
                "./usr/share/doc/cruxe/README.md",
                "./usr/share/doc/cruxe/THIRD-PARTY.txt",
                "./usr/share/doc/cruxe/copyright",
                "./usr/share/man/man1/cruxe.1.gz",
            ]
        );
        assert_eq!(version("1.0.0-rc.1"), "1.0.0~rc.1");
    }
}
