//! What is counted over the whole of a ref: the words of its paths, the lengths of its texts, what kind of file each is.

use std::collections::HashMap;

use cruxe_extract::registry;
use cruxe_model::RepoPath;
use cruxe_store::{Cache, Corpus, FileNumber, TextField, tokens};
use parking_lot::Mutex;

use super::rank::factors::TEST_CHUNK;
use super::roots::root;

/// Where the statistics of a corpus are kept.
pub(crate) static STATS: Cache<CorpusStats> = Cache::of("statistics of a corpus");

/// Statistics of a corpus, made once for each.
pub(crate) struct CorpusStats {
    /// Words of file names.
    pub stems: PathWords,
    /// The same by their roots.
    pub stem_roots: PathWords,
    /// Words of folders.
    pub folders: PathWords,
    /// How long bodies and names are, of chunks and of whole files.
    pub chunk_bodies: Lengths,
    pub chunk_names: Lengths,
    pub file_bodies: Lengths,
    pub file_names: Lengths,
    /// What each chunk keeps of its score where tests are not asked for.
    pub chunk_factors: Vec<f32>,
    /// What kind of file each is.
    pub classes: Vec<FileClass>,
    /// Of which files a part, or all, is tests.
    pub has_tests: Vec<bool>,
    /// The path of each in lower case.
    pub lower_paths: Vec<String>,
    /// How much each file's definitions are used, where somebody asked.
    popularity: Mutex<HashMap<FileNumber, f32>>,
}

/// Which files have a word, each file once.
pub(crate) struct PathWords {
    pub files: HashMap<String, Vec<FileNumber>>,
    pub lengths: Lengths,
}

/// How many words each of some texts has.
pub(crate) struct Lengths {
    pub each: Vec<u32>,
    pub average: f32,
}

/// What kind of file a path names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileClass {
    Source,
    Test,
    Example,
    /// Prose and data.
    Document,
    /// Somebody else's, or a program's.
    Foreign,
}

impl CorpusStats {
    pub fn of(corpus: &Corpus) -> CorpusStats {
        let [mut stems, mut stem_roots, mut folders] = std::array::from_fn(|_| WordsOfPaths::default());
        let mut classes = Vec::with_capacity(corpus.files().len());
        for (number, file) in corpus.files().iter().enumerate() {
            let (folder, stem) = parts(&file.path);
            let words = tokens(&stem);
            stem_roots.add(number as FileNumber, words.iter().map(|word| root(word).to_owned()).collect());
            stems.add(number as FileNumber, words);
            folders.add(number as FileNumber, tokens(folder));
            classes.push(class(&file.path, &file.language));
        }
        let chunks = |field| Lengths::new(corpus.lengths(field).to_vec());
        let files = |field| {
            let mut lengths = vec![0; corpus.files().len()];
            for (file, length) in corpus.file_of().iter().zip(corpus.lengths(field)) {
                lengths[*file as usize] += length;
            }
            Lengths::new(lengths)
        };
        let mut chunk_factors = vec![1.0; corpus.chunks()];
        let mut has_tests = vec![false; corpus.files().len()];
        for chunk in corpus.tests() {
            chunk_factors[chunk as usize] = TEST_CHUNK;
            has_tests[corpus.file_of()[chunk as usize] as usize] = true;
        }
        CorpusStats {
            chunk_factors,
            stems: stems.finish(),
            stem_roots: stem_roots.finish(),
            folders: folders.finish(),
            chunk_bodies: chunks(TextField::Body),
            chunk_names: chunks(TextField::Name),
            file_bodies: files(TextField::Body),
            file_names: files(TextField::Name),
            classes,
            has_tests,
            lower_paths: corpus.files().iter().map(|file| file.path.as_str().to_lowercase()).collect(),
            popularity: Mutex::default(),
        }
    }

    /// The figure of a file, worked out at most once.
    pub fn popularity<E>(&self, file: FileNumber, find: impl FnOnce() -> Result<f32, E>) -> Result<f32, E> {
        let known = || self.popularity.lock();
        if let Some(value) = known().get(&file) {
            return Ok(*value);
        }
        let value = find()?;
        known().insert(file, value);
        Ok(value)
    }
}

impl Lengths {
    fn new(each: Vec<u32>) -> Lengths {
        let sum: u64 = each.iter().map(|length| u64::from(*length)).sum();
        Lengths { average: (sum as f32 / (each.len() as f32).max(1.0)).max(1e-6), each }
    }
}

/// Words of paths while they are collected.
#[derive(Default)]
struct WordsOfPaths {
    files: HashMap<String, Vec<FileNumber>>,
    lengths: Vec<u32>,
}

impl WordsOfPaths {
    fn finish(self) -> PathWords {
        PathWords { files: self.files, lengths: Lengths::new(self.lengths) }
    }

    fn add(&mut self, file: FileNumber, mut words: Vec<String>) {
        words.sort();
        words.dedup();
        self.lengths.push(words.len() as u32);
        for word in words {
            self.files.entry(word).or_default().push(file);
        }
    }
}

/// The folders of a path, and the name of its file without endings. A file that is named for its role is known by its
/// folder.
fn parts(path: &RepoPath) -> (&str, String) {
    let folders = path.parent();
    let name = path.as_str().rsplit('/').next().unwrap_or_default();
    let stem = match name.trim_start_matches('.').split_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => name,
    };
    let by_role = registry::is_role_name(&stem.to_ascii_lowercase());
    match folders.rsplit('/').next().filter(|folder| by_role && !folder.is_empty()) {
        Some(folder) => (folders, format!("{folder} {stem}")),
        None => (folders, stem.to_owned()),
    }
}

pub(crate) fn class(path: &RepoPath, language: &str) -> FileClass {
    let name = path.as_str().rsplit('/').next().unwrap_or_default();
    let folder = path.parent().split('/').map(folder_class).find(|class| *class != FileClass::Source);
    match folder {
        Some(class) => class,
        None if registry::is_test_name(name) => FileClass::Test,
        None if registry::named(language).is_document() => FileClass::Document,
        None => FileClass::Source,
    }
}

/// What a folder is for, by names that projects of every language use.
fn folder_class(folder: &str) -> FileClass {
    match folder.to_ascii_lowercase().as_str() {
        "test" | "tests" | "__tests__" | "testing" | "spec" | "specs" | "testdata" | "fixture" | "fixtures"
        | "mock" | "mocks" | "__mocks__" | "e2e" => FileClass::Test,
        "example" | "examples" | "sample" | "samples" | "demo" | "demos" | "bench" | "benches" | "benchmark"
        | "benchmarks" | "_examples" | "playground" => FileClass::Example,
        "docs" | "doc" | "website" => FileClass::Document,
        "vendor" | "third_party" | "thirdparty" | "external" | "generated" | "node_modules" => FileClass::Foreign,
        _ => FileClass::Source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> RepoPath {
        RepoPath::parse(text).unwrap()
    }

    #[test]
    fn a_file_is_known_by_its_name_or_by_its_folder() {
        assert_eq!(parts(&path("src/auth/jwt.rs")), ("src/auth", "jwt".to_owned()));
        assert_eq!(parts(&path("src/auth/mod.rs")), ("src/auth", "auth mod".to_owned()));
        assert_eq!(parts(&path("lib/defaults/index.d.ts")), ("lib/defaults", "defaults index".to_owned()));
        assert_eq!(parts(&path("main.go")), ("", "main".to_owned()));
        assert_eq!(parts(&path(".eslintrc.js")), ("", "eslintrc".to_owned()));
    }

    #[test]
    fn tests_examples_and_documents_are_told_from_source() {
        for (text, language, want) in [
            ("src/auth/jwt.rs", "rust", FileClass::Source),
            ("src/testclient.py", "python", FileClass::Source),
            ("tests/auth.rs", "rust", FileClass::Test),
            ("pkg/a_test.go", "go", FileClass::Test),
            ("web/a.spec.ts", "typescript", FileClass::Test),
            ("src/main/java/AuditIT.java", "java", FileClass::Test),
            ("src/Latest.java", "java", FileClass::Source),
            ("src/Test.java", "java", FileClass::Source),
            ("src/UserTests.cs", "csharp", FileClass::Test),
            ("src/ParserSpec.scala", "scala", FileClass::Test),
            ("app/user_spec.rb", "ruby", FileClass::Test),
            ("app/conftest.py", "python", FileClass::Test),
            ("app/Test_login.py", "python", FileClass::Test),
            ("scripts/test_install.sh", "bash", FileClass::Test),
            ("examples/a.rs", "rust", FileClass::Example),
            ("docs/a.md", "markdown", FileClass::Document),
            ("README.md", "markdown", FileClass::Document),
            ("vendor/a/b.go", "go", FileClass::Foreign),
        ] {
            assert_eq!(class(&path(text), language), want, "{text}");
        }
    }
}
