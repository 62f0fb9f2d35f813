//! Passwords of logins: where that of sa comes from, and how an attempt is checked.
//!
//! What always holds: a password itself is not kept. A stored one is a hash (`millpond_engine::password`); beside it the process
//! keeps a digest of the last right answer under a random salt of its own, so that the tenth connection of a test run does
//! not pay for ten slow hashes. At most two slow hashes run at a time. A name that does not exist costs what a wrong
//! password costs.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use argon2::{Algorithm, Argon2, Params, Version};
use millpond_catalog::security::{DatabasePrincipal, Place, PrincipalId, ServerPrincipal};
pub use millpond_engine::password::{PasswordError, hash};
use millpond_engine::password::{fits, is_same};
use parking_lot::Mutex;
use tokio::sync::Semaphore;

/// Length of generated passwords; 20 of 57 characters are 116 bits.
const GENERATED_CHARS: usize = 20;
/// Without those that people take for others, and without quotes and separators of connection strings.
const ALPHABET: &[u8] = b"ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789";
const SLOW_HASHES_MAX: usize = 2;
const SALT_BYTES: usize = 16;
const DIGEST_BYTES: usize = 32;

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
        Self::compute(password, &self.salt).is_some_and(|other| is_same(&self.digest, &other))
    }
}

/// Whose password it is: a login's, or that of a user of a contained database.
type Owner = (Option<Place>, PrincipalId);

/// Whose password is asked for, with its hash.
pub struct Secret {
    owner: Owner,
    stored: Option<Arc<str>>,
}

impl Secret {
    /// A login.
    #[must_use]
    pub fn of_login(login: &ServerPrincipal) -> Secret {
        Secret { owner: (None, login.id), stored: login.password_hash.clone() }
    }

    /// A user of a contained database.
    #[must_use]
    pub fn of_user(place: Place, user: &DatabasePrincipal) -> Secret {
        Secret { owner: (Some(place), user.id), stored: user.password_hash.clone() }
    }
}

/// What attempts are checked against.
pub struct Passwords {
    /// That of sa, until ALTER LOGIN gives it another one.
    sa_hash: Option<String>,
    known: Mutex<HashMap<Owner, Known>>,
    slow_hashes: Semaphore,
}

/// An account's last right answer, and the hash that it was right for; none of sa's own, which was in the clear.
struct Known {
    stored: Option<Arc<str>>,
    digest: Digest,
}

/// What a password is compared with where there is no login: a hash that nothing fits.
static NO_LOGIN: LazyLock<String> = LazyLock::new(|| {
    let random = generate().unwrap_or_default();
    hash(&random).unwrap_or_default()
});

impl Passwords {
    /// That of sa is known in the clear: from the environment or the configuration.
    #[must_use]
    pub fn known(password: &str) -> Self {
        let known = Digest::new(password).map(|digest| ((None, PrincipalId::SA), Known { stored: None, digest }));
        Self {
            sa_hash: None,
            known: Mutex::new(known.into_iter().collect()),
            slow_hashes: Semaphore::new(SLOW_HASHES_MAX),
        }
    }

    /// Only the hash of that of sa is known.
    #[must_use]
    pub fn stored(hash: String) -> Self {
        Self { sa_hash: Some(hash), known: Mutex::default(), slow_hashes: Semaphore::new(SLOW_HASHES_MAX) }
    }

    /// Whether this is the account's password; none of a name that has no account.
    pub async fn check(self: &Arc<Self>, account: Option<Secret>, password: &str) -> bool {
        if let Some(Secret { owner, stored }) = &account
            && let Some(known) = self.known.lock().get(owner)
            && known.stored == *stored
            && known.digest.is_of(password)
        {
            return true;
        }
        let Ok(_turn) = self.slow_hashes.acquire().await else {
            return false;
        };
        let (this, password) = (Arc::clone(self), password.to_owned());
        let slow = tokio::task::spawn_blocking(move || this.check_slowly(account, &password));
        slow.await.unwrap_or(false)
    }

    fn check_slowly(&self, account: Option<Secret>, password: &str) -> bool {
        let expected = account.as_ref().and_then(|account| {
            let own = self.sa_hash.as_deref().filter(|_| account.owner == (None, PrincipalId::SA));
            account.stored.as_deref().or(own)
        });
        // Without a hash the same work, and no other answer.
        let is_right = fits(password, expected.unwrap_or(&NO_LOGIN)) && expected.is_some();
        if is_right
            && let Some(Secret { owner, stored }) = account
            && let Some(digest) = Digest::new(password)
        {
            self.known.lock().insert(owner, Known { stored, digest });
        }
        is_right
    }
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

    fn login(id: PrincipalId, hash: Option<&str>) -> ServerPrincipal {
        let server = millpond_catalog::security::ServerSecurity::new();
        let sa = server.principal(PrincipalId::SA).unwrap();
        ServerPrincipal { id, password_hash: hash.map(Arc::from), ..(**sa).clone() }
    }

    #[test]
    fn a_stored_hash_is_asked_once() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let made = hash("right").unwrap();
        assert!(made.starts_with("$argon2id$"));
        let passwords = Arc::new(Passwords::stored(made));
        let sa = login(PrincipalId::SA, None);
        runtime.block_on(async {
            assert!(!passwords.check(Some(Secret::of_login(&sa)), "wrong").await);
            assert!(passwords.known.lock().is_empty());
            assert!(!passwords.check(None, "right").await);
            assert!(passwords.check(Some(Secret::of_login(&sa)), "right").await);
            assert_eq!(passwords.known.lock().len(), 1);
            assert!(passwords.check(Some(Secret::of_login(&sa)), "right").await);
            assert!(!passwords.check(Some(Secret::of_login(&sa)), "wrong").await);
        });
        let passwords = Arc::new(Passwords::known("right"));
        runtime.block_on(async {
            assert!(passwords.check(Some(Secret::of_login(&sa)), "right").await);
            assert!(!passwords.check(Some(Secret::of_login(&sa)), "").await);
            assert!(!passwords.check(None, "right").await);
        });
    }

    #[test]
    fn each_login_has_its_own_and_a_changed_one_is_asked_again() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let passwords = Arc::new(Passwords::known("right"));
        let ann = login(PrincipalId(257), Some(&hash("ann's").unwrap()));
        let changed = login(PrincipalId(257), Some(&hash("new").unwrap()));
        let sa = login(PrincipalId::SA, Some(&hash("altered").unwrap()));
        let without = login(PrincipalId(258), None);
        runtime.block_on(async {
            assert!(passwords.check(Some(Secret::of_login(&ann)), "ann's").await);
            assert!(passwords.check(Some(Secret::of_login(&ann)), "ann's").await);
            assert!(!passwords.check(Some(Secret::of_login(&ann)), "right").await);
            assert!(!passwords.check(Some(Secret::of_login(&changed)), "ann's").await);
            assert!(passwords.check(Some(Secret::of_login(&changed)), "new").await);
            assert!(!passwords.check(Some(Secret::of_login(&sa)), "right").await);
            assert!(passwords.check(Some(Secret::of_login(&sa)), "altered").await);
            assert!(!passwords.check(Some(Secret::of_login(&without)), "").await);
        });
    }
}
