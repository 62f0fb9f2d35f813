//! The password of sa: where it comes from, and how an attempt is checked.
//!
//! What always holds: the password itself is not kept. A stored one is an argon2id hash; beside it the process keeps a
//! digest of the last right answer under a random salt of its own, so that the tenth connection of a test run does not
//! pay for ten slow hashes. At most two slow hashes run at a time. A name that does not exist costs what a wrong
//! password costs.

use argon2::password_hash::{PasswordHash, PasswordHasher, PasswordVerifier, Salt, SaltString};
use argon2::{Algorithm, Argon2, Params, Version};
use parking_lot::Mutex;
use tokio::sync::Semaphore;

/// Length of generated passwords; 20 of 57 characters are 116 bits.
const GENERATED_CHARS: usize = 20;
/// Without those that people take for others, and without quotes and separators of connection strings.
const ALPHABET: &[u8] = b"ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789";
const SLOW_HASHES_MAX: usize = 2;
const SALT_BYTES: usize = 16;
const DIGEST_BYTES: usize = 32;

/// Why there is no password.
#[derive(Debug, thiserror::Error)]
pub enum PasswordError {
    /// The operating system gives no random bytes.
    #[error("no random numbers: {0}")]
    Random(getrandom::Error),
    /// The hash function refused.
    #[error("password hash: {0}")]
    Hash(argon2::password_hash::Error),
}

/// A digest for this process only: fast, never stored.
struct Digest {
    salt: [u8; SALT_BYTES],
    digest: [u8; DIGEST_BYTES],
}

impl Digest {
    fn new(password: &str) -> Option<Self> {
        let mut salt = [0; SALT_BYTES];
        getrandom::fill(&mut salt).ok()?;
        let digest = Self::compute(password, &salt)?;
        Some(Self { salt, digest })
    }

    fn compute(password: &str, salt: &[u8]) -> Option<[u8; DIGEST_BYTES]> {
        let params = Params::new(Params::MIN_M_COST, 1, 1, Some(DIGEST_BYTES)).ok()?;
        let mut digest = [0; DIGEST_BYTES];
        Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
            .hash_password_into(password.as_bytes(), salt, &mut digest)
            .ok()?;
        Some(digest)
    }

    fn is_of(&self, password: &str) -> bool {
        let Some(other) = Self::compute(password, &self.salt) else {
            return false;
        };
        // No early end: the time says nothing about the place of the first difference.
        let difference = self.digest.iter().zip(other).map(|(a, b)| a ^ b);
        difference.fold(0, |all, one| all | one) == 0
    }
}

/// What an attempt is checked against.
pub struct Passwords {
    stored_hash: Option<String>,
    known: Mutex<Option<Digest>>,
    slow_hashes: Semaphore,
}

impl Passwords {
    /// The password is known in the clear: from the environment or the configuration.
    #[must_use]
    pub fn known(password: &str) -> Self {
        Self {
            stored_hash: None,
            known: Mutex::new(Digest::new(password)),
            slow_hashes: Semaphore::new(SLOW_HASHES_MAX),
        }
    }

    /// Only its hash is known.
    #[must_use]
    pub fn stored(hash: String) -> Self {
        Self { stored_hash: Some(hash), known: Mutex::new(None), slow_hashes: Semaphore::new(SLOW_HASHES_MAX) }
    }

    /// Whether this is the login's password.
    pub async fn check(self: &std::sync::Arc<Self>, user: &str, password: &str) -> bool {
        let is_sa = user.eq_ignore_ascii_case("sa");
        let fits = self.known.lock().as_ref().map(|known| known.is_of(password));
        if fits == Some(true) {
            return is_sa;
        }
        let Ok(_turn) = self.slow_hashes.acquire().await else {
            return false;
        };
        let (this, password) = (std::sync::Arc::clone(self), password.to_owned());
        let slow = tokio::task::spawn_blocking(move || this.check_slowly(&password));
        slow.await.unwrap_or(false) && is_sa
    }

    fn check_slowly(&self, password: &str) -> bool {
        let Some(hash) = &self.stored_hash else {
            return false;
        };
        let Ok(hash) = PasswordHash::new(hash) else {
            return false;
        };
        let fits = Argon2::default().verify_password(password.as_bytes(), &hash);
        if fits.is_ok() {
            *self.known.lock() = Digest::new(password);
        }
        fits.is_ok()
    }
}

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

/// A new password.
///
/// # Errors
/// [`PasswordError::Random`].
pub fn generate() -> Result<String, PasswordError> {
    let mut password = String::with_capacity(GENERATED_CHARS);
    // Bytes above the last multiple of the alphabet's length would favour its beginning.
    let fair = 256 / ALPHABET.len() * ALPHABET.len();
    while password.len() < GENERATED_CHARS {
        let mut byte = [0];
        getrandom::fill(&mut byte).map_err(PasswordError::Random)?;
        if usize::from(byte[0]) < fair {
            password.push(char::from(ALPHABET[usize::from(byte[0]) % ALPHABET.len()]));
        }
    }
    Ok(password)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_passwords_differ() {
        let (one, other) = (generate().unwrap(), generate().unwrap());
        assert_eq!(one.len(), GENERATED_CHARS);
        assert_ne!(one, other);
        assert!(one.bytes().all(|byte| ALPHABET.contains(&byte)));
    }

    #[test]
    fn a_stored_hash_is_asked_once() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let hash = hash("right").unwrap();
        assert!(hash.starts_with("$argon2id$"));
        let passwords = std::sync::Arc::new(Passwords::stored(hash));
        runtime.block_on(async {
            assert!(!passwords.check("sa", "wrong").await);
            assert!(passwords.known.lock().is_none());
            assert!(!passwords.check("nobody", "right").await);
            assert!(passwords.check("SA", "right").await);
            assert!(passwords.known.lock().is_some());
            assert!(passwords.check("sa", "right").await);
            assert!(!passwords.check("sa", "wrong").await);
        });
        let passwords = std::sync::Arc::new(Passwords::known("right"));
        runtime.block_on(async {
            assert!(passwords.check("sa", "right").await);
            assert!(!passwords.check("sa", "").await);
            assert!(!passwords.check("sb", "right").await);
        });
    }
}
