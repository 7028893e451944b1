//! Writes the vocabulary as a table that can be searched where it lies in the program.
//!
//! Crates that count tokens read the vocabulary into maps and automata at the start of every process. This table is 4 MB and
//! is searched where it lies.

use std::path::PathBuf;
use std::{env, fs, io};

use regex_syntax::hir::{Class, HirKind};

#[path = "src/hash.rs"]
mod hash;

fn main() -> io::Result<()> {
    println!("cargo:rerun-if-changed=src/hash.rs");
    println!("cargo:rerun-if-changed=build.rs");
    let vocabulary = tiktoken_rs::o200k_base().map_err(io::Error::other)?;
    // Behind the first gap there are only markers, which no text has.
    let tokens: Vec<Vec<u8>> = (0..).map_while(|id| vocabulary.decode_bytes(&[id]).ok()).collect();
    let slots = (tokens.len() * 2).next_power_of_two();
    let mut table = vec![0_u32; slots];
    let (mut text, mut starts) = (Vec::new(), Vec::new());
    for (id, token) in tokens.iter().enumerate() {
        starts.extend((text.len() as u32).to_le_bytes());
        text.extend_from_slice(token);
        let mut at = hash::place(token, slots);
        while table[at] != 0 {
            at = (at + 1) % slots;
        }
        table[at] = id as u32 + 1;
    }
    starts.extend((text.len() as u32).to_le_bytes());
    let longest = tokens.iter().map(|token| token.len()).max().unwrap_or_default();
    let folder = PathBuf::from(env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("no OUT_DIR"))?);
    fs::write(folder.join("text"), text)?;
    fs::write(folder.join("starts"), starts)?;
    fs::write(folder.join("slots"), table.iter().flat_map(|id| id.to_le_bytes()).collect::<Vec<u8>>())?;
    fs::write(folder.join("sizes.rs"), format!("const SLOTS: usize = {slots};\nconst LONGEST: usize = {longest};\n"))?;
    fs::write(folder.join("classes.rs"), classes()?)
}

/// The classes of characters that the pattern tells apart, by the tables of the engine for which it was written.
fn classes() -> io::Result<String> {
    let mut ranges: Vec<(char, char, &str)> = Vec::new();
    for (name, pattern) in [
        ("Upper", r"[\p{Lu}\p{Lt}]"),
        ("Lower", r"\p{Ll}"),
        ("Letter", r"[\p{Lm}\p{Lo}]"),
        ("Mark", r"\p{M}"),
        ("Number", r"\p{N}"),
        ("Blank", r"\s"),
    ] {
        let parsed = regex_syntax::parse(pattern).map_err(io::Error::other)?;
        let HirKind::Class(Class::Unicode(class)) = parsed.kind() else {
            return Err(io::Error::other(format!("{pattern} is no class")));
        };
        ranges.extend(class.iter().map(|range| (range.start(), range.end(), name)));
    }
    ranges.sort_unstable();
    let rows: String =
        ranges.iter().map(|(first, last, name)| format!("({:?}, {:?}, Class::{name}),\n", *first, *last)).collect();
    Ok(format!("static CLASSES: [(char, char, Class); {}] = [\n{rows}];\n", ranges.len()))
}
