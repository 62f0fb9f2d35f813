//! Random bytes of the operating system: salts, generated passwords, identifiers. And chance that can be repeated, for
//! tests and measurements.
//!
//! What always holds: bytes are fit for secrets, or the call fails; there is no weaker fallback. [`Dice`] are not fit for
//! secrets: the seed gives every roll.

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

/// Repeatable chance (splitmix64).
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    /// The same seed gives the same rolls.
    #[must_use]
    pub fn new(seed: u64) -> Dice {
        Dice(seed)
    }

    /// A number of 64 bits.
    pub fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number from 0 to below `limit`, which is not 0.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.roll() % limit
    }

    /// True in so many of a hundred rolls.
    pub fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// A number from 0 to below 1.
    pub fn share(&mut self) -> f64 {
        (self.roll() >> 11) as f64 / (1_u64 << 53) as f64
    }
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
