//! Passwords of logins as they are stored, and whether one fits; PWDENCRYPT and PWDCOMPARE.
//!
//! ```text
//!   text ──argon2id──▶ "$argon2id$…"        0x0200… HASHED (SQL Server's) ──▶ "0x0200…"
//! ```
//! What always holds: a password itself is never stored. What SQL Server made (`sys.sql_logins.password_hash` of another server)
//! is taken as it is, so that logins can move here with their passwords; what is made here is always argon2id, but by PWDENCRYPT, whose
//! hashes are SQL Server's. No hash that is given costs more to try than one that is made here.
//!
//! Source of SQL Server's format: version 0x0100 is four bytes of salt and SHA-1 of the text in UTF-16 with the salt after it,
//! 0x0200 the same with SHA-512.

use argon2::password_hash::{PasswordHash, PasswordHasher, PasswordVerifier, Salt, SaltString};
use argon2::{Argon2, Params};
use sha1::Digest;

/// Why there is no hash.
#[derive(Debug, thiserror::Error)]
pub enum PasswordError {
    /// The operating system gives no random bytes.
    #[error("no random numbers: {0}")]
    Random(getrandom::Error),
    /// The hash function refused.
    #[error("password hash: {0}")]
    Hash(argon2::password_hash::Error),
}

const HEX: &str = "0x";
const SALT_BYTES: usize = 4;
const SHA1_BYTES: usize = 20;
const SHA512_BYTES: usize = 64;

/// A hash to store.
///
/// # Errors
/// [`PasswordError`].
pub fn hash(password: &str) -> Result<String, PasswordError> {
    let mut bytes = [0; Salt::RECOMMENDED_LENGTH];
    getrandom::fill(&mut bytes).map_err(PasswordError::Random)?;
    let salt = SaltString::encode_b64(&bytes).map_err(PasswordError::Hash)?;
    let hash = Argon2::default().hash_password(password.as_bytes(), &salt);
    Ok(hash.map_err(PasswordError::Hash)?.to_string())
}

/// What `PASSWORD = 0x… HASHED` stores; none for bytes that are no hash of a password.
#[must_use]
pub fn of_bytes(bytes: &[u8]) -> Option<String> {
    if let Ok(text) = std::str::from_utf8(bytes)
        && PasswordHash::new(text).is_ok_and(|hash| hash.algorithm.as_str() == "argon2id" && is_affordable(&hash))
    {
        return Some(text.to_owned());
    }
    let digest_bytes = bytes.len().checked_sub(2 + SALT_BYTES)?;
    match bytes.first_chunk()? {
        // A second digest, of the text in upper case, was after the first once.
        [1, 0] if [SHA1_BYTES, 2 * SHA1_BYTES].contains(&digest_bytes) => {}
        [2, 0] if digest_bytes == SHA512_BYTES => {}
        _ => return None,
    }
    Some(format!("{HEX}{}", millpond_storage::guid::hex(bytes)))
}

/// Whether it is all there, and asks for no more memory and time than those of this version.
fn is_affordable(hash: &PasswordHash<'_>) -> bool {
    let is_whole = hash.salt.is_some() && hash.hash.is_some();
    is_whole
        && Params::try_from(hash).is_ok_and(|params| {
            params.m_cost() <= Params::DEFAULT_M_COST
                && params.t_cost() <= Params::DEFAULT_T_COST
                && params.p_cost() <= Params::DEFAULT_P_COST
        })
}

/// PWDENCRYPT: a hash of SQL Server's, version 0x0200.
///
/// # Errors
/// [`PasswordError::Random`].
pub fn encrypt(password: &str) -> Result<Vec<u8>, PasswordError> {
    let mut salt = [0; SALT_BYTES];
    getrandom::fill(&mut salt).map_err(PasswordError::Random)?;
    Ok([&[2, 0], &salt[..], &sha2::Sha512::digest(salted(password, &salt))].concat())
}

fn salted(password: &str, salt: &[u8]) -> Vec<u8> {
    password.encode_utf16().flat_map(u16::to_le_bytes).chain(salt.iter().copied()).collect()
}

/// `sys.sql_logins.password_hash`: what `HASHED` takes.
#[must_use]
pub fn to_bytes(stored: &str) -> Vec<u8> {
    match stored.strip_prefix(HEX) {
        Some(hex) => bytes_of_hex(hex),
        None => stored.as_bytes().to_vec(),
    }
}

/// Whether this is the password. It takes some hundredths of a second on purpose.
#[must_use]
pub fn fits(password: &str, stored: &str) -> bool {
    let Some(hex) = stored.strip_prefix(HEX) else {
        return PasswordHash::new(stored)
            .is_ok_and(|hash| Argon2::default().verify_password(password.as_bytes(), &hash).is_ok());
    };
    let bytes = bytes_of_hex(hex);
    let Some((salt, wanted)) = bytes.get(2..).and_then(|rest| rest.split_at_checked(SALT_BYTES)) else { return false };
    let text = salted(password, salt);
    match bytes.first() {
        Some(1) => wanted.get(..SHA1_BYTES).is_some_and(|wanted| is_same(wanted, &sha1::Sha1::digest(&text))),
        Some(2) => is_same(wanted, &sha2::Sha512::digest(&text)),
        _ => false,
    }
}

/// Whether two digests are the same. Without an early end: the time says nothing about the place of the first difference.
#[must_use]
pub fn is_same(one: &[u8], other: &[u8]) -> bool {
    one.len() == other.len() && one.iter().zip(other).fold(0, |all, (a, b)| all | (a ^ b)) == 0
}

fn bytes_of_hex(hex: &str) -> Vec<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16).unwrap_or(0) as u8;
    hex.as_bytes().chunks_exact(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1])).collect()
}

/// What CHECK_POLICY asks of a password, as Windows' rules of complexity do: eight characters or more, of three of four kinds
/// (upper case, lower case, digits, others), and not the name in it.
#[must_use]
pub fn is_complex(password: &str, name: &str) -> bool {
    let kinds = [
        password.chars().any(char::is_uppercase),
        password.chars().any(char::is_lowercase),
        password.chars().any(|character| character.is_ascii_digit()),
        password.chars().any(|character| !character.is_alphanumeric()),
    ];
    let has_name = name.chars().count() > 2 && password.to_lowercase().contains(&name.to_lowercase());
    password.chars().count() >= 8 && kinds.into_iter().filter(|has| *has).count() >= 3 && !has_name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_fits_its_password_alone_and_comes_back_from_its_bytes() {
        let stored = hash("Right-1").unwrap();
        assert!(fits("Right-1", &stored) && !fits("right-1", &stored) && !fits("", &stored));
        assert_eq!(of_bytes(&to_bytes(&stored)), Some(stored));
    }

    #[test]
    fn hashes_of_sql_server_are_taken() {
        // Of the documentation of PWDCOMPARE's successors: salt 01020304, made by the rule at the head of this file.
        let salt = [1u8, 2, 3, 4];
        let text: Vec<u8> = "Pond-26".encode_utf16().flat_map(u16::to_le_bytes).chain(salt).collect();
        let sha512 = [&[2, 0], &salt[..], &sha2::Sha512::digest(&text)].concat();
        let sha1 = [&[1, 0], &salt[..], &sha1::Sha1::digest(&text)].concat();
        for bytes in [sha512, sha1] {
            let stored = of_bytes(&bytes).unwrap();
            assert!(fits("Pond-26", &stored) && !fits("pond-26", &stored));
            assert_eq!(to_bytes(&stored), bytes);
        }
        assert_eq!(of_bytes(&[2, 0, 1, 2, 3, 4, 5]), None);
        assert_eq!(of_bytes(b""), None);
        assert_eq!(of_bytes(b"$argon2id$nonsense"), None);
        let bytes = encrypt("Pond-26").unwrap();
        assert_eq!((bytes.len(), &bytes[..2]), (70, &[2, 0][..]));
        let stored = of_bytes(&bytes).unwrap();
        assert!(fits("Pond-26", &stored) && !fits("pond-26", &stored) && !fits("", &stored));
    }

    #[test]
    fn a_hash_that_costs_more_than_those_made_here_is_none() {
        let stored = hash("Right-1").unwrap();
        for (own, greater) in [("m=19456", "m=19457"), ("t=2", "t=3"), ("p=1", "p=2")] {
            assert!(stored.contains(own), "{stored}");
            assert_eq!(of_bytes(stored.replace(own, greater).as_bytes()), None, "{greater}");
        }
    }

    #[test]
    fn complexity_is_that_of_windows() {
        assert!(is_complex("Pond-2026", "ann"));
        for (password, name) in [("Pond-26", "ann"), ("pondpond", "ann"), ("pond2026", "ann"), ("Annette-26", "ann")] {
            assert!(!is_complex(password, name), "{password}");
        }
    }
}
