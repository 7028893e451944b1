//! Checksums, and signatures as minisign makes them.

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use ring::rand::{SecureRandom, SystemRandom};
use ring::signature::{Ed25519KeyPair, KeyPair};
use sha2::{Digest, Sha256};

use crate::error::{ReleaseError, Result};

/// Two bytes each for the kind of signature, of password and of checksum; salt and costs of the password; then our part.
const SECRET_LENGTH: usize = 6 + 32 + 16 + OWN_LENGTH + 32;
/// Eight bytes that name the key, the seed and the public key.
const OWN_LENGTH: usize = 8 + 32 + 32;

/// The SHA-256 of some bytes, in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The key that releases are signed with.
pub struct Key {
    pair: Ed25519KeyPair,
    id: [u8; 8],
    seed: [u8; 32],
}

impl Key {
    /// A new key.
    pub fn generate() -> Result<Key> {
        let random = SystemRandom::new();
        let (mut id, mut seed) = ([0; 8], [0; 32]);
        random
            .fill(&mut id)
            .and_then(|()| random.fill(&mut seed))
            .map_err(|_| ReleaseError::input("the system gives no random numbers"))?;
        Key::of(id, seed)
    }

    fn of(id: [u8; 8], seed: [u8; 32]) -> Result<Key> {
        let pair = Ed25519KeyPair::from_seed_unchecked(&seed)
            .map_err(|problem| ReleaseError::input(format!("the secret key cannot be used: {problem}")))?;
        Ok(Key { pair, id, seed })
    }

    /// Reads the text of a secret key without a password, as `minisign -G -W` writes it.
    pub fn read(text: &str) -> Result<Key> {
        let broken = || ReleaseError::input("this is no secret key of minisign");
        let line = text.lines().map(str::trim).rfind(|line| !line.is_empty()).ok_or_else(broken)?;
        let bytes = BASE64.decode(line).ok().filter(|bytes| bytes.len() == SECRET_LENGTH).ok_or_else(broken)?;
        if !bytes.starts_with(b"Ed") {
            return Err(broken());
        }
        if bytes[2..4] != [0, 0] {
            return Err(ReleaseError::input("the secret key has a password; make one without by `minisign -G -W`"));
        }
        let own = &bytes[54..54 + OWN_LENGTH];
        if checksum(own) != bytes[54 + OWN_LENGTH..] {
            return Err(ReleaseError::input("the secret key is damaged: its checksum does not fit"));
        }
        let mut key = ([0; 8], [0; 32]);
        key.0.copy_from_slice(&own[..8]);
        key.1.copy_from_slice(&own[8..40]);
        Key::of(key.0, key.1)
    }

    /// The text of the secret key, without a password.
    pub fn secret(&self) -> String {
        let own = [&self.id[..], &self.seed, self.pair.public_key().as_ref()].concat();
        let bytes = [&b"Ed\0\0B2"[..], &[0; 48], &own, &checksum(&own)].concat();
        format!("untrusted comment: minisign secret key of cruxe's releases\n{}\n", BASE64.encode(bytes))
    }

    /// The public key, in one word.
    pub fn public(&self) -> String {
        BASE64.encode([b"Ed", &self.id[..], self.pair.public_key().as_ref()].concat())
    }

    /// The text of a `.minisig`: signed are the data's hash, and then that signature with the comment.
    pub fn sign(&self, data: &[u8], comment: &str) -> String {
        let signature = self.pair.sign(blake2b_simd::blake2b(data).as_bytes());
        let both = self.pair.sign(&[signature.as_ref(), comment.as_bytes()].concat());
        let signature = BASE64.encode([b"ED", &self.id[..], signature.as_ref()].concat());
        format!(
            "untrusted comment: signature of cruxe's releases\n{signature}\ntrusted comment: {comment}\n{}\n",
            BASE64.encode(both)
        )
    }
}

fn checksum(own: &[u8]) -> Vec<u8> {
    let parameters = blake2b_simd::Params::new().hash_length(32).to_state().update(b"Ed").update(own).finalize();
    parameters.as_bytes().to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_was_written_is_read_again_and_signs_the_same() {
        let key = Key::generate().unwrap();
        let again = Key::read(&key.secret()).unwrap();
        assert_eq!(again.public(), key.public());
        assert_eq!(again.sign(b"data", "cruxe 1.0.0 x"), key.sign(b"data", "cruxe 1.0.0 x"));
        assert_eq!(key.public().len(), 56);
    }

    #[test]
    fn what_is_no_key_and_what_has_a_password_is_refused() {
        let secret = Key::generate().unwrap().secret();
        let bytes = BASE64.decode(secret.lines().last().unwrap()).unwrap();
        let with = |at: usize, value: u8| {
            let mut bytes = bytes.clone();
            bytes[at] ^= value;
            Key::read(&BASE64.encode(bytes)).err().unwrap().to_string()
        };
        assert!(with(2, b'S').contains("has a password"));
        assert!(with(70, 1).contains("damaged"));
        assert!(with(0, 1).contains("no secret key"));
        assert!(Key::read("").is_err() && Key::read("RWxyz").is_err());
    }

    #[test]
    fn a_checksum_is_the_one_that_everybody_computes() {
        assert_eq!(sha256(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
