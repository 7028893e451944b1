//! What edits cost: `cruxe sync` after some, and the time until a server that watches has seen one.

use std::collections::HashMap;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use cruxe_extract::registry;
use cruxe_model::RepoPath;
use serde_json::json;

use crate::BenchError;
use crate::client::Client;
use crate::corpus::Corpus;
use crate::questions::Chance;
use crate::sample::Sample;

/// Figures of edits, in seconds.
pub struct EditFigures {
    /// `cruxe sync` after so many edited files.
    pub syncs: Vec<(usize, Sample)>,
    /// From the write of a file to the first answer that knows it; `None` where no file could be edited so.
    pub visible: Option<Sample>,
}

/// How a function without a body is written in the languages that most repositories have a file of.
const FUNCTIONS: &[(&str, &str)] = &[
    ("rust", "fn NAME() {}"),
    ("python", "def NAME(): pass"),
    ("go", "func NAME() {}"),
    ("typescript", "function NAME() {}"),
    ("javascript", "function NAME() {}"),
    ("c", "void NAME(void) {}"),
    ("cpp", "void NAME() {}"),
    ("ruby", "def NAME; end"),
    ("lua", "function NAME() end"),
];

/// Longer than this nobody waits.
const PATIENCE: Duration = Duration::from_secs(20);

/// Edits a copy of the corpus.
pub fn measure(cruxe: &Path, corpus: &Corpus, runs: u32) -> Result<EditFigures, BenchError> {
    let copy = corpus.scratch_copy()?;
    let home = tempfile::tempdir().map_err(BenchError::doing("a temporary folder"))?;
    let editable = editable(corpus);
    // A file that changed in the instant of the scan is read again; let that instant pass.
    std::thread::sleep(Duration::from_millis(200));
    sync(cruxe, copy.path(), home.path())?;
    let mut bench = Edits::new(copy.path());
    let mut syncs = Vec::new();
    for count in [0, 1, 100] {
        let mut sample = Sample::default();
        for _ in 0..runs {
            for _ in 0..count {
                bench.edit(&editable)?;
            }
            std::thread::sleep(Duration::from_millis(200));
            sample.add_time(sync(cruxe, copy.path(), home.path())?);
        }
        syncs.push((count, sample));
    }
    let visible = if editable.is_empty() {
        None
    } else {
        let (mut client, _) = Client::start(cruxe, copy.path(), home.path(), true)?;
        // The first answer comes before the watcher is in place.
        client.call("index_status", json!({}))?;
        std::thread::sleep(Duration::from_secs(2));
        let mut sample = Sample::default();
        for _ in 0..runs {
            let name = bench.edit(&editable)?;
            sample.add_time(wait_for(&mut client, &name)?);
            std::thread::sleep(Duration::from_millis(300));
        }
        Some(sample)
    };
    Ok(EditFigures { syncs, visible })
}

/// The files of the commonest language that functions can be added to, and how.
pub fn editable(corpus: &Corpus) -> Vec<(&RepoPath, &'static str)> {
    let mut by_language: HashMap<&str, Vec<(&RepoPath, &'static str)>> = HashMap::new();
    for path in &corpus.files {
        let Some(language) = registry::detect(path, b"") else { continue };
        if let Some((name, function)) = FUNCTIONS.iter().find(|(name, _)| *name == language.name) {
            by_language.entry(name).or_default().push((path, function));
        }
    }
    by_language.into_values().max_by_key(Vec::len).unwrap_or_default()
}

/// Edits files of a copy, by chance that is the same each time.
pub struct Edits<'a> {
    root: &'a Path,
    chance: Chance,
    written: u32,
}

impl<'a> Edits<'a> {
    /// Edits below a folder.
    pub fn new(root: &'a Path) -> Edits<'a> {
        Edits { root, chance: Chance(7), written: 0 }
    }

    /// Appends a function with a new name to so many different files, or to all there are.
    pub fn edit_each(&mut self, editable: &[(&RepoPath, &str)], files: usize) -> Result<(), BenchError> {
        let mut order: Vec<usize> = (0..editable.len()).collect();
        for at in (1..order.len()).rev() {
            order.swap(at, self.chance.below(at + 1));
        }
        order.iter().take(files).try_for_each(|at| self.append(&editable[*at]).map(drop))
    }

    /// Appends a function with a new name to some file and tells the name.
    fn edit(&mut self, editable: &[(&RepoPath, &str)]) -> Result<String, BenchError> {
        if editable.is_empty() {
            return Ok(String::new());
        }
        let place = self.chance.pick(editable);
        self.append(place)
    }

    fn append(&mut self, (path, function): &(&RepoPath, &str)) -> Result<String, BenchError> {
        self.written += 1;
        let name = format!("bench_marker_{}", self.written);
        let file = OpenOptions::new().append(true).open(self.root.join(path.as_str()));
        file.and_then(|mut file| writeln!(file, "\n{}", function.replace("NAME", &name)))
            .map_err(BenchError::doing("edit"))?;
        Ok(name)
    }
}

fn sync(cruxe: &Path, root: &Path, home: &Path) -> Result<Duration, BenchError> {
    let started = Instant::now();
    let status = Command::new(cruxe)
        .args(["sync", "--json", "--workspace"])
        .arg(root)
        .env("CRUXE_HOME", home)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .map_err(BenchError::doing("cruxe sync"))?;
    if status.success() { Ok(started.elapsed()) } else { Err(BenchError::new("cruxe sync", status)) }
}

/// Asks until the name is found as it is written.
fn wait_for(client: &mut Client, name: &str) -> Result<Duration, BenchError> {
    let started = Instant::now();
    while started.elapsed() < PATIENCE {
        let answer = client.call("locate_symbol", json!({"name": name, "limit": 1}))?;
        if answer["results"][0]["name"] == name {
            return Ok(started.elapsed());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Err(BenchError::new(name, "an edit was not seen within 20 s"))
}
