//! The tokens and their ranks, as the build script laid them out.

use crate::hash;

static TEXT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/text"));
static STARTS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/starts"));
static TABLE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/slots"));
include!(concat!(env!("OUT_DIR"), "/sizes.rs"));

/// Returns the rank of a token, the lowest of those that are merged first; `None` for bytes that are no token.
pub(crate) fn rank(bytes: &[u8]) -> Option<u32> {
    if bytes.len() > LONGEST {
        return None;
    }
    let mut at = hash::place(bytes, SLOTS);
    loop {
        // Zero marks a slot that is free.
        let id = number(TABLE, at).checked_sub(1)?;
        let token = number(STARTS, id as usize) as usize..number(STARTS, id as usize + 1) as usize;
        if TEXT.get(token) == Some(bytes) {
            return Some(id);
        }
        at = (at + 1) & (SLOTS - 1);
    }
}

fn number(numbers: &[u8], at: usize) -> u32 {
    let bytes = numbers.get(at * 4..at * 4 + 4).and_then(|bytes| bytes.try_into().ok());
    bytes.map_or(0, u32::from_le_bytes)
}
