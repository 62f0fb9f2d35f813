//! Random bytes of the operating system: salts, generated passwords, identifiers.
//!
//! What always holds: bytes are fit for secrets, or the call fails; there is no weaker fallback.

/// The system has no random bytes to give.
#[derive(Debug, thiserror::Error)]
#[error("the system gave no random bytes: {0}")]
pub struct NoChance(String);

/// Fills `bytes`.
///
/// # Errors
/// [`NoChance`] when the system's source fails.
pub fn fill(bytes: &mut [u8]) -> Result<(), NoChance> {
    getrandom::fill(bytes).map_err(|e| NoChance(e.to_string()))
}

/// A random identifier (version 4), in the byte order of its text form.
///
/// # Errors
/// [`NoChance`].
pub fn guid() -> Result<[u8; 16], NoChance> {
    let mut bytes = [0; 16];
    fill(&mut bytes)?;
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    #[test]
    fn identifiers_differ_and_say_that_they_are_random() {
        let (a, b) = (super::guid().unwrap(), super::guid().unwrap());
        assert_ne!(a, b);
        assert_eq!((a[6] >> 4, a[8] >> 6), (4, 2));
    }
}
