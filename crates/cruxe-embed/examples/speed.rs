//! How fast the built-in table is: `cargo run --release -p cruxe-embed --example speed [FILE …]`.
//!
//! Without files it embeds its own crate's sources.

use std::hint::black_box;
use std::time::Instant;

use cruxe_embed::{Table, scan};

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
    let mut rows: Vec<i8> = Vec::with_capacity(CHUNKS * table.dims());
    for chunk in chunks.iter().cycle().take(CHUNKS) {
        if let Some(vector) = table.embed(chunk) {
            rows.extend(vector.values);
        }
    }
    println!("{CHUNKS} chunks: {:.2} s", started.elapsed().as_secs_f64());

    let query = table.embed("where is the configuration file read").map(|vector| vector.values).unwrap_or_default();
    for _ in 0..5 {
        let started = Instant::now();
        black_box(scan(&query, &rows, table.dims(), 50, |_| true));
        println!("scan of {} rows: {:.2} ms", rows.len() / table.dims(), started.elapsed().as_secs_f64() * 1e3);
    }
    Ok(())
}
