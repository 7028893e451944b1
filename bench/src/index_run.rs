//! `cruxe index` on an empty home, against the floor and against ctags.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::corpus::Corpus;
use crate::sample::Sample;
use crate::{BenchError, floor};

/// Figures of index runs.
#[derive(Default)]
pub struct IndexFigures {
    /// Files in the index.
    pub files: u64,
    /// Their bytes.
    pub source_bytes: u64,
    /// Symbols in the index.
    pub symbols: u64,
    /// Bytes of the index on disk.
    pub index_bytes: u64,
    /// Seconds by the clock.
    pub wall: Sample,
    /// Seconds of the processors.
    pub cpu: Sample,
    /// The highest resident memory, in bytes.
    pub peak: Sample,
    /// The floor by the clock.
    pub floor_wall: Sample,
    /// The floor on the processors.
    pub floor_cpu: Sample,
    /// Each run's time divided by that of the floor right before it.
    pub ratio: Sample,
    /// The same on the processors.
    pub cpu_ratio: Sample,
    /// The ratio by the clock without embeddings.
    pub plain_ratio: Sample,
    /// The same on the processors.
    pub plain_cpu_ratio: Sample,
    /// Bytes of the index without embeddings.
    pub plain_bytes: u64,
    /// universal-ctags on the same files; `None` where it is not installed.
    pub ctags: Option<Sample>,
}

/// Once this much time has gone into one corpus, two runs of each have to do.
const PATIENCE: Duration = Duration::from_secs(240);

/// Indexes several times, the floor and ctags in between. The last index stays in `home`.
pub fn measure(cruxe: &Path, corpus: &Corpus, home: &Path, runs: u32) -> Result<IndexFigures, BenchError> {
    let started = Instant::now();
    let mut figures = IndexFigures { ctags: has_universal_ctags().then(Sample::default), ..IndexFigures::default() };
    // What is read for the first time comes from the disk; that is not what is measured.
    floor::run(&corpus.root, home)?;
    for run in 0..runs {
        if run >= 2 && started.elapsed() > PATIENCE {
            break;
        }
        let plain = index(cruxe, &corpus.root, home, false)?;
        figures.plain_bytes = bytes_below(&home.join("projects"));
        let floor = floor::run(&corpus.root, home)?;
        let index = index(cruxe, &corpus.root, home, true)?;
        if let Some(ctags) = &mut figures.ctags {
            ctags.add_time(run_ctags(corpus)?);
        }
        figures.wall.add_time(index.wall);
        figures.cpu.add_time(index.cpu);
        figures.peak.add(index.peak_bytes as f64);
        figures.floor_wall.add_time(floor.wall);
        figures.floor_cpu.add_time(floor.cpu);
        figures.ratio.add(index.wall.as_secs_f64() / floor.wall.as_secs_f64());
        figures.cpu_ratio.add(index.cpu.as_secs_f64() / floor.cpu.as_secs_f64());
        figures.plain_ratio.add(plain.wall.as_secs_f64() / floor.wall.as_secs_f64());
        figures.plain_cpu_ratio.add(plain.cpu.as_secs_f64() / floor.cpu.as_secs_f64());
        let number = |key: &str| index.report.get(key).and_then(Value::as_u64).unwrap_or_default();
        figures.files = number("file_count");
        figures.source_bytes = number("source_bytes");
        figures.symbols = number("symbol_count");
        figures.index_bytes = bytes_below(&home.join("projects"));
        eprintln!("  index {:.2?}, without embeddings {:.2?}, floor {:.2?}", index.wall, plain.wall, floor.wall);
    }
    Ok(figures)
}

fn absent(problem: std::io::Error) -> std::io::Result<()> {
    if problem.kind() == std::io::ErrorKind::NotFound { Ok(()) } else { Err(problem) }
}

/// What one index run took.
struct IndexRun {
    wall: Duration,
    cpu: Duration,
    peak_bytes: u64,
    report: Value,
}

/// Indexes from nothing.
fn index(cruxe: &Path, root: &Path, home: &Path, semantic: bool) -> Result<IndexRun, BenchError> {
    fs::remove_dir_all(home.join("projects")).or_else(absent).map_err(BenchError::doing("old index"))?;
    let config = home.join("bench.toml");
    let text = format!("[semantic]\nenabled = {semantic}\n");
    fs::write(&config, text).map_err(BenchError::doing(config.display()))?;
    let started = Instant::now();
    let child = Command::new(cruxe)
        .args(["index", "--json", "--workspace"])
        .arg(root)
        .arg("--config")
        .arg(&config)
        .env("CRUXE_HOME", home)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(BenchError::doing("cruxe index"))?;
    let watched = watch(child.id());
    let output = child.wait_with_output().map_err(BenchError::doing("cruxe index"))?;
    let wall = started.elapsed();
    let (peak_bytes, cpu) = watched.join().unwrap_or_default();
    if !output.status.success() {
        return Err(BenchError::new("cruxe index", output.status));
    }
    let report = serde_json::from_slice(&output.stdout).map_err(BenchError::doing("the report of cruxe index"))?;
    Ok(IndexRun { wall, cpu, peak_bytes, report })
}

/// Looks at a process until it is gone. Both figures only grow, so the last look is the one that counts.
fn watch(pid: u32) -> std::thread::JoinHandle<(u64, Duration)> {
    std::thread::spawn(move || {
        let (mut peak, mut cpu) = (0, Duration::ZERO);
        let status = format!("/proc/{pid}/status");
        while let Some(kilobytes) = crate::machine::field(&status, "VmHWM") {
            peak = kilobytes.trim_end_matches(" kB").parse::<u64>().unwrap_or_default() << 10;
            cpu = cpu_time(&pid.to_string()).max(cpu);
            std::thread::sleep(Duration::from_millis(4));
        }
        (peak, cpu)
    })
}

/// The processor time that a process has used, all threads, in the system and out of it. 0 where `/proc` is not.
pub fn cpu_time(process: &str) -> Duration {
    // Linux counts in hundredths of a second here, whatever the kernel was built with.
    const TICKS_PER_SECOND: f64 = 100.0;
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // The name in parentheses may contain anything; behind it, user and system time are the 12th and 13th field.
    let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields);
    let ticks: f64 = fields.split_whitespace().skip(11).take(2).filter_map(|field| field.parse::<f64>().ok()).sum();
    Duration::from_secs_f64(ticks / TICKS_PER_SECOND)
}

/// How many bytes the files below a folder have.
pub fn bytes_below(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| match entry.metadata() {
            Ok(metadata) if metadata.is_dir() => bytes_below(&entry.path()),
            Ok(metadata) => metadata.len(),
            Err(_) => 0,
        })
        .sum()
}

fn has_universal_ctags() -> bool {
    let output = Command::new("ctags").arg("--version").output();
    output.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains("Universal Ctags"))
}

/// Tags the same files: what `ctags -R` does, without what the index leaves out.
fn run_ctags(corpus: &Corpus) -> Result<Duration, BenchError> {
    let mut list = tempfile::NamedTempFile::new().map_err(BenchError::doing("list of files"))?;
    for file in &corpus.files {
        writeln!(list, "{}", file.as_str()).map_err(BenchError::doing("list of files"))?;
    }
    let tags = tempfile::NamedTempFile::new().map_err(BenchError::doing("tags file"))?;
    let started = Instant::now();
    let mut child: Child = Command::new("ctags")
        .args(["--fields=+nKs", "--quiet=yes", "-f"])
        .arg(tags.path())
        .arg("-L")
        .arg(list.path())
        .current_dir(&corpus.root)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(BenchError::doing("ctags"))?;
    // A file that ctags does not like makes it say so in its exit code; the time is good all the same.
    child.wait().map_err(BenchError::doing("ctags"))?;
    Ok(started.elapsed())
}
