use std::cell::Cell;

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::*;

/// A model of two small files, so that a right one can be made here.
static SMALL: Installable = Installable {
    name: "small",
    dims: 2,
    files: &[
        ModelFile {
            name: "model.safetensors",
            bytes: 3,
            sha256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        },
        ModelFile {
            name: "vocab.txt",
            bytes: 0,
            sha256: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        },
    ],
    package: "small",
};

const RIGHT: &[(&str, &[u8])] = &[("model.safetensors", b"abc"), ("vocab.txt", b"")];

struct Sandbox {
    folder: TempDir,
    models: Models,
}

impl Sandbox {
    fn new() -> Sandbox {
        let folder = tempfile::tempdir().unwrap();
        Sandbox { models: Models::new(folder.path().join("models")), folder }
    }

    fn folder(&self, files: &[(&str, &[u8])]) -> PathBuf {
        let folder = self.folder.path().join("given");
        fs::create_dir_all(&folder).unwrap();
        for (name, contents) in files {
            fs::write(folder.join(name), contents).unwrap();
        }
        folder
    }

    fn wheel(&self, files: &[(&str, &[u8])]) -> PathBuf {
        let path = self.folder.path().join("given.whl");
        let mut writer = ZipWriter::new(File::create(&path).unwrap());
        for (name, contents) in files {
            writer.start_file(*name, SimpleFileOptions::default()).unwrap();
            writer.write_all(contents).unwrap();
        }
        writer.finish().unwrap();
        path
    }

    fn install(&self, source: Source) -> Result<PathBuf, EmbedError> {
        self.models.install(&SMALL, source, &|_| {})
    }

    /// Everything in the models' folder.
    fn left(&self) -> Vec<String> {
        let Ok(entries) = fs::read_dir(&self.models.root) else { return Vec::new() };
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    fn refusal(&self, source: Source, expected: &str) {
        let text = self.install(source).unwrap_err().to_string();
        assert!(text.contains(expected), "{text}");
        assert_eq!(self.left(), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn a_model_comes_from_a_folder_and_goes_away_again() {
    let place = Sandbox::new();
    assert!(!place.models.is_installed(&SMALL));
    let installed = place.install(Source::Folder(&place.folder(RIGHT))).unwrap();
    assert_eq!(installed, place.models.folder(&SMALL));
    assert_eq!(fs::read(installed.join("model.safetensors")).unwrap(), b"abc");
    assert!(place.models.is_installed(&SMALL));
    assert_eq!(place.left(), ["small"]);
    assert!(place.models.remove(&SMALL).unwrap());
    assert!(!place.models.is_installed(&SMALL));
    assert_eq!(place.left(), Vec::<String>::new());
    assert!(!place.models.remove(&SMALL).unwrap());
}

#[test]
fn a_model_comes_from_a_wheel_and_only_its_files_do() {
    let place = Sandbox::new();
    let wheel = place.wheel(&[
        ("package/__init__.py", b"import os"),
        ("../../escaped.txt", b"no"),
        ("other/model.safetensors", b"another length"),
        ("package/model/model.safetensors", b"abc"),
        ("package/model/vocab.txt", b""),
    ]);
    let installed = place.install(Source::Wheel(&wheel)).unwrap();
    let mut names: Vec<_> = fs::read_dir(installed).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["model.safetensors", "vocab.txt"]);
    assert_eq!(place.left(), ["small"]);
    assert!(!place.folder.path().join("escaped.txt").exists());
}

#[test]
fn installing_again_replaces_what_was_there_and_a_failure_keeps_it() {
    let place = Sandbox::new();
    let folder = place.folder(RIGHT);
    let installed = place.install(Source::Folder(&folder)).unwrap();
    fs::write(installed.join("vocab.txt"), "damaged").unwrap();
    assert!(!place.models.is_installed(&SMALL));
    place.install(Source::Folder(&folder)).unwrap();
    assert!(place.models.is_installed(&SMALL));
    fs::write(folder.join("model.safetensors"), "abd").unwrap();
    place.install(Source::Folder(&folder)).unwrap_err();
    assert!(place.models.is_installed(&SMALL));
    assert_eq!(place.left(), ["small"]);
}

#[test]
fn wrong_contents_are_refused_and_leave_nothing() {
    let place = Sandbox::new();
    for (contents, expected) in [
        (&b"abd"[..], "SHA-256 a52d159f262b2c6ddb724a61840befc36eb30c88877a4030b65cbe86298449c9 instead of ba7816bf"),
        (b"ab", "2 bytes instead of 3"),
        (b"abcd", "more than the 3 bytes it should have"),
        (&[0; 1 << 20], "more than the 3 bytes it should have"),
    ] {
        let files: &[(&str, &[u8])] = &[("model.safetensors", contents), ("vocab.txt", b"")];
        place.refusal(Source::Folder(&place.folder(files)), expected);
        place.refusal(Source::Wheel(&place.wheel(files)), expected);
    }
    let reversed: &[(&str, &[u8])] = &[("model.safetensors", b"abc"), ("vocab.txt", b"x")];
    place.refusal(Source::Folder(&place.folder(reversed)), "vocab.txt");
}

#[test]
fn missing_files_are_named() {
    let place = Sandbox::new();
    let folder = place.folder(&RIGHT[..1]);
    place.refusal(Source::Folder(&folder), "given: there is no `vocab.txt` in it");
    place.refusal(Source::Wheel(&place.wheel(&RIGHT[1..])), "given.whl: there is no `model.safetensors` in it");
    place.refusal(Source::Folder(Path::new("/nonesuch")), "/nonesuch: there is no `model.safetensors` in it");
    place.refusal(Source::Wheel(Path::new("/nonesuch.whl")), "/nonesuch.whl");
}

#[test]
fn damaged_wheels_are_refused() {
    let place = Sandbox::new();
    let whole = fs::read(place.wheel(&[("model.safetensors", b"abc"), ("vocab.txt", b"")])).unwrap();
    let path = place.folder.path().join("cut.whl");
    for length in [0, 1, 30, whole.len() / 2, whole.len() - 1] {
        fs::write(&path, &whole[..length]).unwrap();
        place.refusal(Source::Wheel(&path), "cut.whl: this is no whole wheel");
    }
    fs::write(&path, "just a text").unwrap();
    place.refusal(Source::Wheel(&path), "cut.whl: this is no whole wheel");
    for at in 0..whole.len() {
        let mut damaged = whole.clone();
        damaged[at] ^= 0xff;
        fs::write(&path, damaged).unwrap();
        let taken = place.install(Source::Wheel(&path)).is_ok();
        assert_eq!(place.models.is_installed(&SMALL), taken, "{at}");
        if taken {
            assert_eq!(fs::read(place.models.folder(&SMALL).join("model.safetensors")).unwrap(), b"abc");
            place.models.remove(&SMALL).unwrap();
        }
    }
}

#[test]
fn progress_is_told_in_bytes() {
    let place = Sandbox::new();
    let last = Cell::new(0);
    place.models.install(&SMALL, Source::Folder(&place.folder(RIGHT)), &|done| last.set(done)).unwrap();
    assert_eq!((last.get(), SMALL.bytes()), (3, 3));
}
