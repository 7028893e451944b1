// Shared with the build script, which fills the table that the library reads.

/// The place where a token is looked for first, in a table whose length is a power of two.
pub(crate) fn place(token: &[u8], slots: usize) -> usize {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64 ^ token.len() as u64;
    for byte in token {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    (hash ^ (hash >> 32)) as usize & (slots - 1)
}
