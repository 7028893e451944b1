//! Names the built-in table by its content. At run time that would cost every process some milliseconds.

use std::path::Path;

fn main() -> std::io::Result<()> {
    // Where the script runs, not where it was compiled: two checkouts may share a target folder.
    let table = Path::new("table/code-static-256.cqse");
    println!("cargo:rerun-if-changed={}", table.display());
    println!("cargo:rustc-env=CRUXE_TABLE_HASH={}", blake3::hash(&std::fs::read(table)?).to_hex());
    Ok(())
}
