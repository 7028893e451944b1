//! What every archive and package of a release holds: the programs, their manual pages and completions, the licences.

use std::path::Path;
use std::process::Command;

use crate::archive::{self, Effort, File};
use crate::error::{ReleaseError, Result};
use crate::platform::Platform;

/// The program, then its launchers.
pub const PROGRAMS: [&str; 3] = ["cruxe", "codecompass", "cue"];
/// Shells, and how each wants the file of a program's completions to be called.
const SHELLS: [(&str, &str, &str); 5] =
    [("bash", "", ""), ("elvish", "", ".elv"), ("fish", "", ".fish"), ("powershell", "_", ".ps1"), ("zsh", "_", "")];

/// What is released for one platform.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Payload {
    /// The platform.
    pub platform: Platform,
    /// The files, without a folder around them.
    pub files: Vec<File>,
}

/// The texts that come with the programs.
pub struct Texts {
    /// The licence of the project.
    pub licence: String,
    /// The licences of what is built into the program.
    pub notices: String,
    /// What it is.
    pub readme: String,
}

impl Payload {
    /// Takes the programs of a folder and asks them for their manual pages and completions; so they have to run here.
    pub fn collect(folder: &Path, platform: Platform, version: &str, texts: &Texts) -> Result<Payload> {
        let program = folder.join(platform.file("cruxe"));
        let says = said(&program, &["--version"])?;
        if says.trim() != format!("cruxe {version}") {
            return Err(ReleaseError::input(format!("{} is `{}`, not {version}", program.display(), says.trim())));
        }
        let mut files = Vec::new();
        for name in PROGRAMS {
            let path = folder.join(platform.file(name));
            let bytes = std::fs::read(&path).map_err(ReleaseError::io(&path))?;
            files.push(File::program(platform.file(name), bytes));
        }
        for page in said(&program, &["man"])?.lines() {
            files.push(File::text(format!("man/man1/{page}.1"), said(&program, &["man", page])?));
        }
        for (shell, before, after) in SHELLS {
            for name in PROGRAMS {
                let script = said(&program, &["completions", shell, "--program", name])?;
                files.push(File::text(format!("completions/{shell}/{before}{name}{after}"), script));
            }
        }
        files.push(File::text("LICENSE", texts.licence.clone()));
        files.push(File::text("README.md", texts.readme.clone()));
        files.push(File::text("THIRD-PARTY.txt", texts.notices.clone()));
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(Payload { platform, files })
    }

    /// The name of its archives without their ending, and of the folder in them.
    pub fn name(&self, version: &str) -> String {
        format!("cruxe-{version}-{}", self.platform.name)
    }

    /// The archive that everything else is made from, and that `cue upgrade` fetches.
    pub fn to_archive(&self, version: &str, time: u64, effort: Effort) -> Result<Vec<u8>> {
        archive::zstd(&archive::tar(&self.in_folder(version), time)?, effort)
    }

    /// Reads such an archive.
    pub fn from_archive(bytes: &[u8], platform: Platform, version: &str) -> Result<Payload> {
        let mut payload = Payload { platform, files: archive::untar(&archive::unzstd(bytes)?)? };
        let folder = format!("{}/", payload.name(version));
        for file in &mut payload.files {
            let Some(path) = file.path.strip_prefix(&folder) else {
                return Err(ReleaseError::input(format!("{} is not below {folder}", file.path)));
            };
            file.path = path.to_owned();
        }
        payload.files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(payload)
    }

    /// The files below one folder, so that unpacking makes no mess.
    pub fn in_folder(&self, version: &str) -> Vec<File> {
        let folder = self.name(version);
        self.files.iter().map(|file| file.at(format!("{folder}/{}", file.path))).collect()
    }

    /// The programs.
    pub fn programs(&self) -> impl Iterator<Item = &File> {
        self.files.iter().filter(|file| file.executable)
    }

    /// The text of a file, empty if it is not there.
    pub fn text(&self, path: &str) -> String {
        let file = self.files.iter().find(|file| file.path == path);
        file.map(|file| String::from_utf8_lossy(&file.bytes).into_owned()).unwrap_or_default()
    }

    /// The newest version of the C library's symbols that the programs ask for; none where they bring their own.
    pub fn glibc(&self) -> Option<(u32, u32)> {
        let mark = b"GLIBC_";
        let of = |bytes: &[u8]| {
            let text: String = bytes
                .iter()
                .map_while(|byte| {
                    let c = char::from(*byte);
                    (c.is_ascii_digit() || c == '.').then_some(c)
                })
                .collect();
            let mut numbers = text.split('.').map(str::parse::<u32>);
            Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
        };
        let in_file = |file: &File| {
            let places = file.bytes.windows(mark.len()).enumerate().filter(|(_, window)| window == mark);
            places.filter_map(|(at, _)| of(file.bytes.get(at + mark.len()..at + mark.len() + 8)?)).max()
        };
        self.programs().filter_map(in_file).max()
    }
}

fn said(program: &Path, arguments: &[&str]) -> Result<String> {
    let failed = |what: String| ReleaseError::Program(format!("{} {}: {what}", program.display(), arguments.join(" ")));
    let output = Command::new(program).args(arguments).output().map_err(|problem| failed(problem.to_string()))?;
    if !output.status.success() {
        return Err(failed(String::from_utf8_lossy(&output.stderr).trim().to_owned()));
    }
    String::from_utf8(output.stdout).map_err(|_| failed("its answer is no text".to_owned()))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Programs of a few bytes, for tests of packages.
    pub fn small(platform: &str) -> Payload {
        let platform = Platform::named(platform).unwrap();
        let mut files: Vec<File> = PROGRAMS
            .iter()
            .map(|name| File::program(platform.file(name), format!("{name} with GLIBC_2.17, GLIBC_2.34 and GLIBC_2.9")))
            .collect();
        files.push(File::text("LICENSE", "free"));
        files.push(File::text("README.md", "# Cruxe\n"));
        files.push(File::text("THIRD-PARTY.txt", "others"));
        files.push(File::text("completions/bash/cruxe", "complete"));
        files.push(File::text("man/man1/cruxe.1", ".TH cruxe 1"));
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Payload { platform, files }
    }

    #[test]
    fn an_archive_is_read_as_it_was_written_and_its_bytes_repeat() {
        let payload = small("x86_64-linux");
        let bytes = payload.to_archive("1.2.3", 9, Effort::Trial).unwrap();
        assert_eq!(bytes, payload.to_archive("1.2.3", 9, Effort::Trial).unwrap());
        assert_eq!(Payload::from_archive(&bytes, payload.platform, "1.2.3").unwrap(), payload);
        let other = Payload::from_archive(&bytes, payload.platform, "1.2.4").unwrap_err().to_string();
        assert!(other.contains("is not below cruxe-1.2.4-x86_64-linux/"), "{other}");
    }

    #[test]
    fn the_c_library_is_read_out_of_the_programs() {
        assert_eq!(small("x86_64-linux").glibc(), Some((2, 34)));
    }
}
