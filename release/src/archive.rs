//! Archives whose bytes depend on nothing but what is in them: sorted, one time, no owners.

use std::collections::BTreeSet;
use std::io::{Cursor, Read, Write};

use flate2::{Compression, GzBuilder};
use zip::write::SimpleFileOptions;

use crate::error::{ReleaseError, Result};

/// A file of an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Its path, with `/`.
    pub path: String,
    /// What it says.
    pub bytes: Vec<u8>,
    /// Whether it can be run.
    pub executable: bool,
}

impl File {
    /// A file that is read.
    pub fn text(path: impl Into<String>, text: impl Into<Vec<u8>>) -> File {
        File { path: path.into(), bytes: text.into(), executable: false }
    }

    /// A file that is run.
    pub fn program(path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> File {
        File { path: path.into(), bytes: bytes.into(), executable: true }
    }

    /// The same file in another place.
    pub fn at(&self, path: impl Into<String>) -> File {
        File { path: path.into(), ..self.clone() }
    }

    fn mode(&self) -> u32 {
        if self.executable { 0o755 } else { 0o644 }
    }
}

/// How hard to compress: a release takes its time, a trial does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// As small as it gets.
    Release,
    /// As fast as it gets.
    Trial,
}

fn broken(problem: impl std::fmt::Display) -> ReleaseError {
    ReleaseError::input(format!("the archive cannot be made: {problem}"))
}

fn sorted(files: &[File]) -> Vec<&File> {
    let mut files: Vec<&File> = files.iter().collect();
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}

/// Every folder above a path, the outermost first.
fn folders(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(at, _)| &path[..at]).filter(|folder| !folder.is_empty() && *folder != ".")
}

/// A tar archive with all its folders.
pub fn tar(files: &[File], time: u64) -> Result<Vec<u8>> {
    let mut builder = tar::Builder::new(Vec::new());
    let mut made = BTreeSet::new();
    let mut append = |path: &str, kind, mode, bytes: &[u8]| {
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(kind);
        header.set_mode(mode);
        header.set_mtime(time);
        header.set_uid(0);
        header.set_gid(0);
        header.set_size(bytes.len() as u64);
        builder.append_data(&mut header, path, bytes).map_err(broken)
    };
    for file in sorted(files) {
        for folder in folders(&file.path) {
            if made.insert(folder.to_owned()) {
                append(&format!("{folder}/"), tar::EntryType::Directory, 0o755, &[])?;
            }
        }
        append(&file.path, tar::EntryType::Regular, file.mode(), &file.bytes)?;
    }
    builder.into_inner().map_err(broken)
}

/// The files of a tar archive.
pub fn untar(bytes: &[u8]) -> Result<Vec<File>> {
    let unreadable = |problem: std::io::Error| ReleaseError::input(format!("the archive cannot be read: {problem}"));
    let mut files = Vec::new();
    for entry in tar::Archive::new(bytes).entries().map_err(unreadable)? {
        let mut entry = entry.map_err(unreadable)?;
        if !entry.header().entry_type().is_file() {
            continue;
        }
        let path = entry.path().map_err(unreadable)?.to_string_lossy().into_owned();
        let executable = entry.header().mode().map_err(unreadable)? & 0o100 != 0;
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).map_err(unreadable)?;
        files.push(File { path, bytes, executable });
    }
    Ok(files)
}

/// Compressed by gzip, without a name or a time.
pub fn gzip(bytes: &[u8], effort: Effort) -> Result<Vec<u8>> {
    let level = if effort == Effort::Release { Compression::best() } else { Compression::fast() };
    let mut encoder = GzBuilder::new().mtime(0).write(Vec::new(), level);
    encoder.write_all(bytes).and_then(|()| encoder.finish()).map_err(broken)
}

/// Compressed by zstd.
pub fn zstd(bytes: &[u8], effort: Effort) -> Result<Vec<u8>> {
    zstd::bulk::compress(bytes, if effort == Effort::Release { 19 } else { 1 }).map_err(broken)
}

/// What [`zstd`] made smaller.
pub fn unzstd(bytes: &[u8]) -> Result<Vec<u8>> {
    zstd::decode_all(bytes).map_err(|problem| ReleaseError::input(format!("the archive cannot be read: {problem}")))
}

/// A zip archive. Its entries are as old as the format allows: it keeps local times, which differ from machine to machine.
pub fn zip(files: &[File], effort: Effort) -> Result<Vec<u8>> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let level = if effort == Effort::Release { 9 } else { 1 };
    let options = SimpleFileOptions::default()
        .compression_method(zip::CompressionMethod::Deflated)
        .compression_level(Some(level))
        .last_modified_time(zip::DateTime::default());
    for file in sorted(files) {
        writer.start_file(file.path.as_str(), options.unix_permissions(file.mode())).map_err(broken)?;
        writer.write_all(&file.bytes).map_err(broken)?;
    }
    Ok(writer.finish().map_err(broken)?.into_inner())
}

/// An archive of `ar`, which a Debian package is.
pub fn ar(files: &[File], time: u64) -> Vec<u8> {
    let mut bytes = b"!<arch>\n".to_vec();
    for file in files {
        let (name, size) = (&file.path, file.bytes.len());
        bytes.extend(format!("{name:<16}{time:<12}{:<6}{:<6}{:<8}{size:<10}`\n", 0, 0, "100644").into_bytes());
        bytes.extend(&file.bytes);
        if size % 2 == 1 {
            bytes.push(b'\n');
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files() -> Vec<File> {
        vec![File::text("b/c/text", "hello"), File::program("a", "#!/bin/sh\n")]
    }

    #[test]
    fn an_archive_is_the_same_whatever_the_order_of_its_files() {
        let mut turned = files();
        turned.reverse();
        assert_eq!(tar(&files(), 7).unwrap(), tar(&turned, 7).unwrap());
        assert_eq!(zip(&files(), Effort::Trial).unwrap(), zip(&turned, Effort::Trial).unwrap());
        assert_ne!(tar(&files(), 7).unwrap(), tar(&files(), 8).unwrap());
    }

    #[test]
    fn what_goes_in_comes_out_with_its_folders() {
        let packed = zstd(&tar(&files(), 7).unwrap(), Effort::Trial).unwrap();
        let mut out = untar(&unzstd(&packed).unwrap()).unwrap();
        out.reverse();
        assert_eq!(out, files());
        let bytes = tar(&files(), 7).unwrap();
        let names: Vec<String> = tar::Archive::new(&bytes[..])
            .entries()
            .unwrap()
            .map(|entry| entry.unwrap().path().unwrap().display().to_string())
            .collect();
        assert_eq!(names, ["a", "b/", "b/c/", "b/c/text"]);
    }

    #[test]
    fn members_of_ar_begin_at_even_places() {
        let bytes = ar(&[File::text("a", "odd"), File::text("b", "x")], 5);
        assert_eq!(&bytes[..8], b"!<arch>\n");
        assert_eq!(&bytes[8..68], b"a               5           0     0     100644  3         `\n");
        assert_eq!(&bytes[68..73], b"odd\nb");
    }
}
