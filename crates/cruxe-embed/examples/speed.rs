//! How fast the built-in table is: `cargo run --release -p cruxe-embed --example speed [FILE …]`.
//!
//! Without files it embeds its own crate's sources.

use std::hint::black_box;
use std::time::Instant;

use cruxe_embed::{Probe, Table, push_row};

const CHUNKS: usize = 100_000;
const LINES: usize = 20;

fn main() -> std::io::Result<()> {
    let started = Instant::now();
    let table = Table::builtin();
    println!("load of {}: {:.2} ms", table.version(), started.elapsed().as_secs_f64() * 1e3);

    let mut files: Vec<String> = std::env::args().skip(1).collect();
    if files.is_empty() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src");
        files = std::fs::read_dir(folder)?
            .map(|entry| Ok(entry?.path().display().to_string()))
            .collect::<Result<_, std::io::Error>>()?;
    }
    let mut chunks = Vec::new();
    for file in files {
        let Ok(text) = std::fs::read_to_string(&file) else { continue };
        let lines: Vec<&str> = text.lines().collect();
        chunks.extend(lines.chunks(LINES).map(|lines| lines.join("\n")));
    }
    let bytes: usize = chunks.iter().map(String::len).sum();
    println!("{} chunks of {} bytes on average", chunks.len(), bytes / chunks.len().max(1));

    let started = Instant::now();
    let mut rows = Vec::new();
    for chunk in chunks.iter().cycle().take(CHUNKS) {
        push_row(table.embed(chunk).as_ref(), table.dims(), &mut rows);
    }
    println!("{CHUNKS} chunks: {:.2} s", started.elapsed().as_secs_f64());

    let Some(query) = table.embed("where is the configuration file read") else { return Ok(()) };
    let (probe, mut cosines) = (Probe::new(&query), vec![0.0; CHUNKS]);
    for _ in 0..5 {
        let started = Instant::now();
        probe.cosines(&rows, &mut cosines);
        black_box(&cosines);
        println!("scan of {CHUNKS} rows: {:.2} ms", started.elapsed().as_secs_f64() * 1e3);
    }
    Ok(())
}
