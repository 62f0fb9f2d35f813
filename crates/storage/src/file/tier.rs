//! Order of preference of tempdb's files: memory before flash before disk.
//!
//! What always holds: a tier is 1, 2 or 3. A file of a later tier gives space only when no file of an earlier one has any
//! or can grow; inside a tier files fill in proportion. The last tier is what older configurations call overflow.

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A tier; lower ones are filled first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tier(u8);

impl Default for Tier {
    fn default() -> Tier {
        Tier::FIRST
    }
}

impl Tier {
    /// Filled first; files that say nothing are of it.
    pub const FIRST: Tier = Tier(1);
    /// Filled when the first one is full.
    pub const SECOND: Tier = Tier(2);
    /// Filled when all others are full: overflow.
    pub const LAST: Tier = Tier(3);
    /// All, in their order.
    pub const ALL: [Tier; 3] = [Tier::FIRST, Tier::SECOND, Tier::LAST];

    /// The tier of that number, 1 to 3.
    #[must_use]
    pub fn of(number: u8) -> Option<Tier> {
        Tier::ALL.into_iter().find(|tier| tier.0 == number)
    }

    /// Its number, 1 to 3.
    #[must_use]
    pub fn number(self) -> u8 {
        self.0
    }

    /// Its place in [`Tier::ALL`].
    #[must_use]
    pub fn index(self) -> usize {
        usize::from(self.0) - 1
    }

    /// Whether it is used only when all others are full.
    #[must_use]
    pub fn is_last(self) -> bool {
        self == Tier::LAST
    }

    /// Whether files are of it that say nothing.
    #[must_use]
    pub fn is_first(&self) -> bool {
        *self == Tier::FIRST
    }
}

impl std::fmt::Display for Tier {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl Serialize for Tier {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u8(self.0)
    }
}

/// A number, or what `overflow` says: yes or no.
struct NumberOrOverflow;

impl Visitor<'_> for NumberOrOverflow {
    type Value = Tier;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a tier: 1, 2 or 3")
    }

    fn visit_bool<E: Error>(self, is_overflow: bool) -> Result<Tier, E> {
        Ok(if is_overflow { Tier::LAST } else { Tier::FIRST })
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Tier, E> {
        let tier = u8::try_from(number).ok().and_then(Tier::of);
        tier.ok_or_else(|| E::custom(format!("{number} is no tier; write 1, 2 or 3")))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Tier, E> {
        self.visit_i64(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

impl<'de> Deserialize<'de> for Tier {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Tier, D::Error> {
        deserializer.deserialize_any(NumberOrOverflow)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_three() {
        assert_eq!([0, 1, 2, 3, 4].map(Tier::of), [None, Some(Tier(1)), Some(Tier(2)), Some(Tier(3)), None]);
        assert!(Tier::ALL.is_sorted());
        assert_eq!(Tier::ALL.map(Tier::index), [0, 1, 2]);
    }
}
