//! Maps whose keys are numbers that the server gives itself: databases, sessions, objects, places in a text.
//!
//! No client chooses such keys so that they fall together, and a lookup of the standard hasher costs 120
//! instructions where this one costs five. Names and texts come from outside: their maps keep the standard hasher.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A map by the server's own numbers.
pub type NumberMap<K, V> = HashMap<K, V, BuildHasherDefault<NumberHasher>>;

/// Mixes each number into one word by a multiplication.
#[derive(Clone, Copy, Debug, Default)]
pub struct NumberHasher(u64);

impl Hasher for NumberHasher {
    #[inline]
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    #[inline]
    fn write_u16(&mut self, number: u16) {
        self.write_u64(u64::from(number));
    }

    #[inline]
    fn write_u32(&mut self, number: u32) {
        self.write_u64(u64::from(number));
    }

    #[inline]
    fn write_i32(&mut self, number: i32) {
        self.write_u64(u64::from(number.cast_unsigned()));
    }

    #[inline]
    fn write_u64(&mut self, number: u64) {
        // The map takes its place from the low bits and a tag from the highest seven: both depend on the whole number.
        self.0 = (self.0 ^ number).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(26);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::hash::BuildHasher;

    #[test]
    fn numbers_in_a_row_have_other_places_and_tags() {
        let build = BuildHasherDefault::<NumberHasher>::default();
        let mut hashes = std::collections::HashSet::new();
        for db in 0..300u16 {
            for file in 0..300u16 {
                assert!(hashes.insert(build.hash_one((db, file))));
            }
        }
        for bits in [|hash: u64| hash & 0x3ff, |hash: u64| hash >> 57] {
            let used: std::collections::HashSet<u64> = (0..1024u32).map(|n| bits(build.hash_one(n))).collect();
            assert!(used.len() >= 100, "{} places or tags", used.len());
        }
    }
}
