//! Names the built-in table by its content. At run time that would cost every process some milliseconds.

use std::path::Path;

fn main() -> std::io::Result<()> {
    let table = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../model/code-static-256.cqse");
    println!("cargo:rerun-if-changed={}", table.display());
    println!("cargo:rustc-env=CRUXE_TABLE_HASH={}", blake3::hash(&std::fs::read(table)?).to_hex());
    Ok(())
}
