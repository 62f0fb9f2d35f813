//! Values of a session by key: `sp_set_session_context` sets them, SESSION_CONTEXT reads them.
//!
//! - Keys and values together take at most 1 MB.
//! - A key that was set read-only keeps its value until the session ends or is reset.

use std::collections::HashMap;

use millpond_types::Value;
use millpond_types::text::utf16_len;

/// Most bytes of all keys and values.
const BYTES_MAX: usize = 1 << 20;
/// Longest key, in UTF-16 units: 256 bytes.
const KEY_UNITS_MAX: usize = 128;

/// The values of one session.
#[derive(Debug, Default)]
pub struct SessionValues(HashMap<String, Kept>);

#[derive(Debug)]
struct Kept {
    value: Value,
    read_only: bool,
}

/// Why a value was not set.
#[derive(Debug, PartialEq, Eq)]
pub enum NotSet {
    /// The key is read-only.
    ReadOnly,
    /// No room is left.
    TooLarge,
    /// The key is empty or too long.
    KeyLength,
}

impl SessionValues {
    /// The value of a key, NULL for none. Keys are compared without regard to case, as names are.
    #[must_use]
    pub fn get(&self, key: &str) -> Value {
        self.0.get(&key.to_lowercase()).map_or(Value::Null, |kept| kept.value.clone())
    }

    /// Sets a value; NULL frees its room.
    ///
    /// # Errors
    /// [`NotSet`]
    pub fn set(&mut self, key: &str, value: Value, read_only: bool) -> Result<(), NotSet> {
        if !(1..=KEY_UNITS_MAX).contains(&utf16_len(key)) {
            return Err(NotSet::KeyLength);
        }
        let key = key.to_lowercase();
        if self.0.get(&key).is_some_and(|kept| kept.read_only) {
            return Err(NotSet::ReadOnly);
        }
        let others = self.0.iter().filter(|(other, _)| **other != key);
        let bytes: usize = others.map(|(other, kept)| bytes_of(other, &kept.value)).sum();
        if bytes + bytes_of(&key, &value) > BYTES_MAX {
            return Err(NotSet::TooLarge);
        }
        self.0.insert(key, Kept { value, read_only });
        Ok(())
    }
}

fn bytes_of(key: &str, value: &Value) -> usize {
    let value = match value {
        Value::Variant(variant) => variant.total_bytes(),
        _ => 0,
    };
    2 * utf16_len(key) + value
}
