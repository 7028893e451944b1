//! Fedora, Red Hat, SUSE. The format in short: a lead that nobody reads any more, a header with checksums, a header with
//! everything that is known about the package, and its files in a `cpio` archive. A library for it would bring thirty packages.

use super::deb;
use super::{ABOUT, LICENCE, Product};
use crate::archive::{self, File};
use crate::error::{ReleaseError, Result};
use crate::payload::Payload;
use crate::sign::sha256;

/// `rpmlib(…) <=`: what the program that installs it must know.
const RPMLIB: u32 = 1 << 24 | 8 | 2;
/// An equal version.
const EQUAL: u32 = 8;
const SHA256: u32 = 8;

pub(super) fn package(product: &Product<'_>, payload: &Payload) -> Result<File> {
    let version = deb::version(product.version);
    let architecture = payload.platform.linux_arch.map(|(_, red_hat)| red_hat).unwrap_or_default();
    let files = moved(deb::installed(payload, product.effort)?);
    let plain = cpio(&files, product.time)?;
    let packed = archive::gzip(&plain, product.effort)?;
    let mut header = Header::new(63);
    describe(&mut header, product, &version, architecture)?;
    list(&mut header, &files, product.time)?;
    relate(&mut header, &version, payload.glibc());
    header.texts(5092, &[sha256(&packed)]);
    header.numbers(5093, &[SHA256]);
    let header = header.finish();
    let mut sums = Header::new(62);
    sums.text(273, &sha256(&header));
    sums.numbers(1000, &[size(header.len() + packed.len())?]);
    sums.numbers(1007, &[size(plain.len())?]);
    let mut sums = sums.finish();
    sums.resize(sums.len().next_multiple_of(8), 0);
    let bytes = [lead(&format!("cruxe-{version}-1")), sums, header, packed].concat();
    Ok(File::text(format!("cruxe-{version}-1.{architecture}.rpm"), bytes))
}

/// Red Hat keeps zsh's completions elsewhere.
fn moved(mut files: Vec<File>) -> Vec<File> {
    for file in &mut files {
        file.path = file.path.replace("/zsh/vendor-completions/", "/zsh/site-functions/");
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}

fn size(length: usize) -> Result<u32> {
    u32::try_from(length).map_err(|_| ReleaseError::input("the package is larger than its format allows"))
}

fn lead(name: &str) -> Vec<u8> {
    let mut lead = vec![0xed, 0xab, 0xee, 0xdb, 3, 0, 0, 0, 0, 1];
    lead.extend(name.bytes().take(65));
    lead.resize(76, 0);
    lead.extend([0, 1, 0, 5]);
    lead.resize(96, 0);
    lead
}

fn describe(header: &mut Header, product: &Product<'_>, version: &str, architecture: &str) -> Result<()> {
    header.texts(100, &["C".to_owned()]);
    header.text(1000, "cruxe");
    header.text(1001, version);
    header.text(1002, "1");
    header.translated(1004, ABOUT);
    header.translated(1005, ABOUT);
    header.numbers(1006, &[u32::try_from(product.time).map_err(|_| ReleaseError::input("a time after 2106"))?]);
    header.text(1007, "localhost");
    header.text(1014, LICENCE);
    header.translated(1016, "Development/Tools");
    header.text(1020, product.repository);
    header.text(1021, "linux");
    header.text(1022, architecture);
    header.text(1044, &format!("cruxe-{version}-1.src.rpm"));
    header.text(1124, "cpio");
    header.text(1125, "gzip");
    header.text(1126, "9");
    Ok(())
}

/// What is known about each file.
fn list(header: &mut Header, files: &[File], time: u64) -> Result<()> {
    let each = |of: &dyn Fn(&File) -> u32| files.iter().map(of).collect::<Vec<u32>>();
    let same = |text: &str| vec![text.to_owned(); files.len()];
    let sizes = files.iter().map(|file| size(file.bytes.len())).collect::<Result<Vec<u32>>>()?;
    let split: Vec<(&str, &str)> = files
        .iter()
        .map(|file| file.path.trim_start_matches('.'))
        .map(|path| path.rfind('/').map_or(("", path), |at| path.split_at(at + 1)))
        .collect();
    let mut folders: Vec<&str> = split.iter().map(|(folder, _)| *folder).collect();
    folders.dedup();
    let place = |folder: &str| folders.iter().position(|known| *known == folder).unwrap_or_default() as u32;
    let time = u32::try_from(time).unwrap_or_default();
    header.numbers(1009, &[sizes.iter().fold(0, |sum: u32, size| sum.saturating_add(*size))]);
    header.numbers(1028, &sizes);
    header.shorts(
        1030,
        &files.iter().map(|file| if file.executable { 0o100_755 } else { 0o100_644 }).collect::<Vec<u16>>(),
    );
    header.shorts(1033, &vec![0; files.len()]);
    header.numbers(1034, &each(&|_| time));
    header.texts(1035, &files.iter().map(|file| sha256(&file.bytes)).collect::<Vec<_>>());
    header.texts(1036, &same(""));
    // Documentation may be left out by whoever installs it.
    header.numbers(
        1037,
        &each(&|file| if file.path.contains("/share/doc/") || file.path.contains("/share/man/") { 2 } else { 0 }),
    );
    header.texts(1039, &same("root"));
    header.texts(1040, &same("root"));
    header.numbers(1045, &each(&|_| u32::MAX));
    header.numbers(1095, &each(&|_| 1));
    header.numbers(1096, &(1..=files.len() as u32).collect::<Vec<u32>>());
    header.texts(1097, &same(""));
    header.numbers(1116, &split.iter().map(|(folder, _)| place(folder)).collect::<Vec<u32>>());
    header.texts(1117, &split.iter().map(|(_, name)| (*name).to_owned()).collect::<Vec<_>>());
    header.texts(1118, &folders.iter().map(|folder| (*folder).to_owned()).collect::<Vec<_>>());
    header.numbers(5011, &[SHA256]);
    Ok(())
}

/// What it needs and what it is.
fn relate(header: &mut Header, version: &str, glibc: Option<(u32, u32)>) {
    let mut needs = vec![
        ("rpmlib(CompressedFileNames)".to_owned(), RPMLIB, "3.0.4-1"),
        ("rpmlib(FileDigests)".to_owned(), RPMLIB, "4.6.0-1"),
        ("rpmlib(PayloadFilesHavePrefix)".to_owned(), RPMLIB, "4.0-1"),
    ];
    needs.extend(glibc.map(|(major, minor)| (format!("libc.so.6(GLIBC_{major}.{minor})(64bit)"), 0, "")));
    header.texts(1049, &needs.iter().map(|(name, ..)| name.clone()).collect::<Vec<_>>());
    header.numbers(1048, &needs.iter().map(|(_, flags, _)| *flags).collect::<Vec<_>>());
    header.texts(1050, &needs.iter().map(|(.., version)| (*version).to_owned()).collect::<Vec<_>>());
    header.texts(1047, &["cruxe".to_owned()]);
    header.numbers(1112, &[EQUAL]);
    header.texts(1113, &[format!("{version}-1")]);
}

fn cpio(files: &[File], time: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let trailer = File::text("TRAILER!!!", "");
    for (at, file) in files.iter().chain([&trailer]).enumerate() {
        let last = at == files.len();
        let mode = if file.executable { 0o100_755 } else { 0o100_644 };
        let (inode, mode, time) = if last { (0, 0, 0) } else { (at + 1, mode, time) };
        let (length, name) = (size(file.bytes.len())?, file.path.len() + 1);
        bytes.extend(
            format!(
                "070701{inode:08x}{mode:08x}{:08x}{:08x}{:08x}{time:08x}{length:08x}{:032x}{name:08x}{:08x}",
                0, 0, 1, 0, 0
            )
            .into_bytes(),
        );
        bytes.extend(file.path.as_bytes());
        bytes.push(0);
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        bytes.extend(&file.bytes);
        bytes.resize(bytes.len().next_multiple_of(4), 0);
    }
    Ok(bytes)
}

/// Tags and their values, as both headers have them.
struct Header {
    region: u32,
    /// Tag, type, how many, and the bytes.
    entries: Vec<(u32, u32, usize, Vec<u8>)>,
}

impl Header {
    /// A header whose tags belong to a region: what checksums are made of.
    fn new(region: u32) -> Header {
        Header { region, entries: Vec::new() }
    }

    fn text(&mut self, tag: u32, text: &str) {
        self.entries.push((tag, 6, 1, [text.as_bytes(), &[0]].concat()));
    }

    fn translated(&mut self, tag: u32, text: &str) {
        self.entries.push((tag, 9, 1, [text.as_bytes(), &[0]].concat()));
    }

    fn texts(&mut self, tag: u32, texts: &[String]) {
        let bytes = texts.iter().flat_map(|text| text.bytes().chain([0])).collect();
        self.entries.push((tag, 8, texts.len(), bytes));
    }

    fn numbers(&mut self, tag: u32, numbers: &[u32]) {
        let bytes = numbers.iter().flat_map(|number| number.to_be_bytes()).collect();
        self.entries.push((tag, 4, numbers.len(), bytes));
    }

    fn shorts(&mut self, tag: u32, numbers: &[u16]) {
        let bytes = numbers.iter().flat_map(|number| number.to_be_bytes()).collect();
        self.entries.push((tag, 3, numbers.len(), bytes));
    }

    fn finish(mut self) -> Vec<u8> {
        self.entries.sort_by_key(|(tag, ..)| *tag);
        let count = self.entries.len() as u32 + 1;
        let entry = |tag: u32, kind: u32, at: u32, number: u32| [tag, kind, at, number].map(u32::to_be_bytes).concat();
        let (mut index, mut store) = (Vec::new(), Vec::new());
        for (tag, kind, number, bytes) in &self.entries {
            let align = match kind {
                3 => 2,
                4 => 4,
                _ => 1,
            };
            store.resize(usize::next_multiple_of(store.len(), align), 0);
            index.extend(entry(*tag, *kind, store.len() as u32, *number as u32));
            store.extend(bytes);
        }
        // The region is said twice: an entry at the beginning leads to one at the end, which says how far back it reaches.
        let region = entry(self.region, 7, store.len() as u32, 16);
        store.extend(entry(self.region, 7, (count * 16).wrapping_neg(), 16));
        let head = [&[0x8e, 0xad, 0xe8, 1, 0, 0, 0, 0][..], &count.to_be_bytes(), &(store.len() as u32).to_be_bytes()]
            .concat();
        [head, region, index, store].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_aligned_and_tags_sorted() {
        let mut header = Header::new(63);
        header.numbers(1006, &[7]);
        header.text(1000, "abc");
        let bytes = header.finish();
        let number = |at: usize| u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        assert_eq!((number(8), number(12)), (3, 8 + 16), "three entries; a text, a number and the region's end");
        assert_eq!([16, 32, 48].map(number), [63, 1000, 1006]);
        assert_eq!(number(48 + 8), 4);
        assert_eq!(&bytes[64..72], b"abc\0\0\0\0\x07");
    }

    #[test]
    fn entries_of_the_archive_begin_at_multiples_of_four() {
        let bytes = cpio(&[File::text("./a", "hello")], 1).unwrap();
        assert_eq!(&bytes[..6], b"070701");
        assert_eq!(&bytes[110..114], b"./a\0");
        let second = bytes.windows(6).rposition(|window| window == b"070701").unwrap();
        assert_eq!((second % 4, bytes.len() % 4), (0, 0));
    }
}
