//! Puts verified programs into the place of the old ones.
//!
//! Everything that can fail because of the disk happens first, in files beside the programs; then each program is
//! replaced by a rename, which happens completely or not at all.

use std::env::consts::EXE_EXTENSION;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::super::error::CueError;
use super::failed;

/// The program of a release that does the work. It may have been installed under another name.
const PROGRAM: &str = "cruxe";
/// What a release has beside it, to run it under other names.
const LAUNCHERS: [&str; 2] = ["codecompass", "cue"];
/// More than any of them has.
const LARGEST_PROGRAM: u64 = 512 << 20;

/// Where the running program is.
pub(super) struct Installation {
    program: PathBuf,
    folder: PathBuf,
}

impl Installation {
    /// The running program's place, which must be writable: better to know before the download than after.
    pub fn of_this_program() -> Result<Installation, CueError> {
        let program = std::env::current_exe()
            .and_then(|path| path.canonicalize())
            .map_err(|problem| failed(format!("cannot tell where this program is: {problem}")))?;
        if let Some(manager) = manager_of(&program) {
            return Err(failed(format!("{} belongs to a package manager; nothing was changed", program.display()))
                .help(format!("Run `{manager}`: it knows which files are its own.")));
        }
        let folder = program.parent().map(Path::to_owned).unwrap_or_default();
        let place = Installation { program, folder };
        place.stage()?;
        Ok(place)
    }

    fn stage(&self) -> Result<NamedTempFile, CueError> {
        tempfile::Builder::new().prefix(".cue-upgrade-").tempfile_in(&self.folder).map_err(|problem| {
            failed(format!("{} cannot be written to: {problem}", self.folder.display()))
                .help("Run `cue upgrade` as a user who may write there, or install the release by hand.")
        })
    }

    /// Replaces the running program, and those beside it that the archive has too; their paths.
    pub fn replace(&self, file: &Path, archive: bool) -> Result<Vec<String>, CueError> {
        let unreadable = |problem: io::Error| failed(format!("the release cannot be unpacked: {problem}"));
        let reader = File::open(file).map_err(unreadable)?;
        let mut staged: Vec<(PathBuf, NamedTempFile)> = Vec::new();
        if archive {
            let decoder = zstd::Decoder::new(reader).map_err(unreadable)?;
            let mut archive = tar::Archive::new(decoder);
            for entry in archive.entries().map_err(unreadable)? {
                let mut entry = entry.map_err(unreadable)?;
                let path = entry.path().map_err(unreadable)?.into_owned();
                if let Some(target) = self.target(&path)
                    && entry.header().entry_type().is_file()
                    && !staged.iter().any(|(known, _)| *known == target)
                {
                    staged.push((target.clone(), self.write(&mut entry, &target)?));
                }
            }
        } else {
            staged.push((self.program.clone(), self.write(&mut io::BufReader::new(reader), &self.program)?));
        }
        let Some((_, new)) = staged.iter().find(|(target, _)| *target == self.program) else {
            return Err(failed(format!("the release has no program `{PROGRAM}`; nothing was changed")));
        };
        // Where a copy under another name runs, the one that launchers look for is brought up to date with it.
        let named = self.program.with_file_name(PROGRAM).with_extension(EXE_EXTENSION);
        if named != self.program && named.is_file() {
            let copy = self.write(&mut new.reopen().map_err(unreadable)?, &named)?;
            staged.push((named, copy));
        }
        // The running program last: if something fails before it, `cue upgrade` is still there to be run again.
        staged.sort_by_key(|(target, _)| *target == self.program);
        let mut replaced = Vec::new();
        for (target, new) in staged {
            self.swap(&target, new)?;
            replaced.push(target.display().to_string());
        }
        Ok(replaced)
    }

    /// The program here that an entry of an archive is a newer version of. Programs are not deeper than in the archive's own
    /// folder; what is, such as completions, may have their names.
    fn target(&self, entry: &Path) -> Option<PathBuf> {
        if entry.components().count() > 2 || entry.extension().unwrap_or_default() != EXE_EXTENSION {
            return None;
        }
        match entry.file_stem()?.to_str()? {
            PROGRAM => Some(self.program.clone()),
            name if LAUNCHERS.contains(&name) => {
                let target = self.folder.join(entry.file_name()?);
                (target != self.program && target.is_file()).then_some(target)
            }
            _ => None,
        }
    }

    fn write(&self, from: &mut dyn Read, target: &Path) -> Result<NamedTempFile, CueError> {
        let mut file = self.stage()?;
        let stored = |problem: io::Error| failed(format!("{}: {problem}", self.folder.display()));
        let copied = io::copy(&mut from.take(LARGEST_PROGRAM + 1), &mut file).map_err(stored)?;
        if copied == 0 || copied > LARGEST_PROGRAM {
            return Err(failed(format!("the new {} has {copied} bytes; nothing was changed", target.display())));
        }
        let permissions = fs::metadata(target).map_err(stored)?.permissions();
        file.as_file().set_permissions(permissions).map_err(stored)?;
        file.as_file().sync_all().map_err(stored)?;
        Ok(file)
    }

    fn swap(&self, target: &Path, new: NamedTempFile) -> Result<(), CueError> {
        let problem = |problem: io::Error| failed(format!("{}: {problem}", target.display()));
        // Windows does not let a running program be overwritten; this knows the way round that.
        if *target == self.program && cfg!(windows) {
            return self_replace::self_replace(new.path()).map_err(problem);
        }
        new.persist(target).map(drop).map_err(|error| problem(error.error))
    }
}

/// What upgrades a program that lies where a package manager keeps its own.
fn manager_of(program: &Path) -> Option<&'static str> {
    let has = |name: &str| program.iter().any(|part| part.eq_ignore_ascii_case(name));
    match () {
        () if has("node_modules") => Some("npm install --global cruxe@latest"),
        () if has("Cellar") => Some("brew upgrade cruxe"),
        () if has("scoop") => Some("scoop update cruxe"),
        () if has("WinGet") => Some("winget upgrade Cruxe.Cruxe"),
        () if has("pipx") => Some("pipx upgrade cruxe"),
        () if has("uv") => Some("uv tool upgrade cruxe"),
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_package_manager_installed_is_its_own() {
        let of = |path: &str| manager_of(Path::new(path));
        assert_eq!(of("/usr/lib/node_modules/@cruxe/linux-x64/bin/cruxe"), Some("npm install --global cruxe@latest"));
        assert_eq!(of("/opt/homebrew/Cellar/cruxe/0.1.0/bin/cruxe"), Some("brew upgrade cruxe"));
        assert_eq!(of("/h/.local/share/pipx/venvs/cruxe/bin/cruxe"), Some("pipx upgrade cruxe"));
        assert_eq!(of("/h/.local/share/uv/tools/cruxe/bin/cruxe"), Some("uv tool upgrade cruxe"));
        assert_eq!([of("/h/.local/bin/cruxe"), of("/h/.cargo/bin/cruxe"), of("/h/uvx/cruxe")], [None, None, None]);
    }

    fn place(folder: &Path) -> Installation {
        named(folder, "cruxe")
    }

    fn named(folder: &Path, program: &str) -> Installation {
        Installation { program: folder.join(program), folder: folder.to_owned() }
    }

    fn archive(path: &Path, entries: &[(&str, &str)]) {
        let mut builder = tar::Builder::new(zstd::Encoder::new(File::create(path).unwrap(), 1).unwrap().auto_finish());
        for (name, text) in entries {
            let mut header = tar::Header::new_gnu();
            header.set_size(text.len() as u64);
            header.set_mode(0o755);
            header.set_cksum();
            builder.append_data(&mut header, name, text.as_bytes()).unwrap();
        }
        builder.finish().unwrap();
    }

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn programs_beside_are_replaced_and_others_neither_made_nor_touched() {
        let (bin, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for name in ["cue", "cruxe", "ls"] {
            fs::write(bin.path().join(name), "old").unwrap();
        }
        let file = other.path().join("x.tar.zst");
        let deeper = ("r/completions/bash/cruxe", "complete -F _cruxe");
        archive(&file, &[deeper, ("r/cue", "new cue"), ("r/cruxe", "new"), ("r/codecompass", "new"), ("r/ls", "new")]);
        let replaced = place(bin.path()).replace(&file, true).unwrap();
        let path = |name: &str| bin.path().join(name).display().to_string();
        assert_eq!(replaced, [path("cue"), path("cruxe")]);
        assert_eq!(fs::read(bin.path().join("cue")).unwrap(), b"new cue");
        assert_eq!(fs::read(bin.path().join("cruxe")).unwrap(), b"new");
        assert_eq!(fs::read(bin.path().join("ls")).unwrap(), b"old");
        assert_eq!(names(bin.path()), ["cruxe", "cue", "ls"]);
    }

    #[test]
    fn a_copy_under_another_name_stays_the_whole_program() {
        let (bin, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let file = other.path().join("x.tar.zst");
        archive(&file, &[("r/cue", "launcher"), ("r/cruxe", "whole")]);
        fs::write(bin.path().join("cue"), "old").unwrap();
        let path = |name: &str| bin.path().join(name).display().to_string();
        assert_eq!(named(bin.path(), "cue").replace(&file, true).unwrap(), [path("cue")]);
        assert_eq!(fs::read(bin.path().join("cue")).unwrap(), b"whole");
        fs::write(bin.path().join("cruxe"), "old").unwrap();
        assert_eq!(named(bin.path(), "cue").replace(&file, true).unwrap(), [path("cruxe"), path("cue")]);
        assert_eq!(fs::read(bin.path().join("cruxe")).unwrap(), b"whole");
        assert_eq!(names(bin.path()), ["cruxe", "cue"]);
    }

    #[test]
    fn an_archive_without_the_program_changes_nothing() {
        let (bin, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::write(bin.path().join("cue"), "old").unwrap();
        fs::write(bin.path().join("cruxe"), "old").unwrap();
        let file = other.path().join("x.tar.zst");
        for entries in [&[("cue", "new")][..], &[], &[("cruxe", "")]] {
            archive(&file, entries);
            assert_eq!(place(bin.path()).replace(&file, true).unwrap_err().number, Some(1004));
        }
        fs::write(&file, "no archive").unwrap();
        assert_eq!(place(bin.path()).replace(&file, true).unwrap_err().number, Some(1004));
        assert_eq!(fs::read(bin.path().join("cue")).unwrap(), b"old");
        assert_eq!(names(bin.path()), ["cruxe", "cue"]);
    }

    #[test]
    fn a_folder_that_cannot_be_written_to_is_named() {
        let bin = tempfile::tempdir().unwrap();
        let error = place(&bin.path().join("none")).stage().unwrap_err();
        assert_eq!(error.number, Some(1004));
        assert!(error.to_string().contains("none cannot be written to"), "{error}");
    }
}
