//! Checksums: what is read is what was written.
//!
//! SQLite looks at the shape of its pages, not at what stands in them: a flipped bit in a blob or a number would come out
//! as another fact. So every row carries a checksum of its values and of whose they are, and every reader compares it. A
//! CRC finds each single damaged byte; it costs a nanosecond for some ten bytes.

use crate::error::StoreError;

/// A checksum in the making.
#[derive(Default)]
pub(crate) struct Check(crc32fast::Hasher);

impl Check {
    /// Takes in some bytes and how many they are, so that neighbours cannot trade letters.
    pub fn bytes(mut self, bytes: &[u8]) -> Check {
        self.0.update(&(bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
        self
    }

    /// Takes in a text that may not be there.
    pub fn optional(self, text: Option<&str>) -> Check {
        self.number(text.is_some().into()).bytes(text.unwrap_or_default().as_bytes())
    }

    /// Takes in a number.
    pub fn number(mut self, number: i64) -> Check {
        self.0.update(&number.to_le_bytes());
        self
    }

    /// The checksum.
    pub fn sum(self) -> u32 {
        self.0.finalize()
    }

    /// Compares it with the one that was stored.
    pub fn expect(self, stored: u32, what: &str) -> Result<(), StoreError> {
        if self.sum() == stored { Ok(()) } else { Err(StoreError::checksum(what)) }
    }
}

/// Puts a checksum behind a blob. The owner, such as the id of a version, is part of it: a blob that turns up in another
/// row is damage too.
pub(crate) fn seal(mut blob: Vec<u8>, owner: i64) -> Vec<u8> {
    let sum = Check::default().number(owner).bytes(&blob).sum();
    blob.extend(sum.to_le_bytes());
    blob
}

/// The blob without its checksum, which is compared.
pub(crate) fn unseal<'a>(sealed: &'a [u8], owner: i64, what: &str) -> Result<&'a [u8], StoreError> {
    let (blob, sum) = sealed.split_last_chunk::<4>().ok_or_else(|| StoreError::checksum(what))?;
    Check::default().number(owner).bytes(blob).expect(u32::from_le_bytes(*sum), what)?;
    Ok(blob)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flipped_bit_and_every_other_owner_is_noticed() {
        let sealed = seal(b"facts of a file".to_vec(), 7);
        assert_eq!(unseal(&sealed, 7, "facts").unwrap(), b"facts of a file");
        assert!(unseal(&sealed, 8, "facts").is_err());
        for bit in 0..sealed.len() * 8 {
            let mut damaged = sealed.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(unseal(&damaged, 7, "facts").is_err(), "bit {bit}");
        }
        for length in 0..sealed.len() {
            assert!(unseal(&sealed[..length], 7, "facts").is_err(), "{length} bytes");
        }
    }
}
