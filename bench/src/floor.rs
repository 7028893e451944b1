//! What nobody can do without: find the files, read them, parse those that have a grammar. On all cores, keeping
//! nothing.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use cruxe_extract::registry;
use cruxe_index::Project;
use tree_sitter::Parser;

use crate::index_run::cpu_time;
use crate::{BenchError, corpus};

/// What a run took.
pub struct Floor {
    /// By the clock.
    pub wall: Duration,
    /// Of the processors.
    pub cpu: Duration,
}

/// Finds, reads and parses once.
pub fn run(root: &Path, home: &Path) -> Result<Floor, BenchError> {
    let (started, cpu_before) = (Instant::now(), cpu_time("self"));
    let project = corpus::project(root, home)?;
    let listing = project.scan().map_err(BenchError::doing("scan"))?;
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let mut parser = Parser::new();
                while let Some(file) = listing.files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    parse(&project, &mut parser, file);
                }
            });
        }
    });
    let cpu = cpu_time("self").saturating_sub(cpu_before);
    Ok(Floor { wall: started.elapsed(), cpu })
}

fn parse(project: &Project, parser: &mut Parser, file: &cruxe_index::ScanFile) {
    if file.stat.size > project.config.index.max_file_bytes {
        return;
    }
    let Ok(bytes) = fs::read(project.root.join(file.path.as_str())) else { return };
    if cruxe_index::ignore_rules::is_binary(&bytes) {
        return;
    }
    let grammar = registry::detect(&file.path, &bytes).and_then(registry::loaded).map(|loaded| &loaded.grammar);
    if grammar.is_some_and(|grammar| parser.set_language(grammar).is_ok()) {
        std::hint::black_box(parser.parse(&bytes, None));
    }
}
