//! The generator of RAND: L'Ecuyer's pair of linear congruences with SQL Server's start and scale, so that
//! `RAND(100)` and what follows it give the digits that the documentation shows.
//!
//! One generator belongs to one session. It is no source of secrets; NEWID asks the operating system.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

const FIRST_MODULUS: u64 = 2_147_483_563;
const SECOND_MODULUS: u64 = 2_147_483_399;
const FIRST_FACTOR: u64 = 40_014;
const SECOND_FACTOR: u64 = 40_692;
/// Where the second sequence begins after every `RAND(seed)`.
const SECOND_START: u64 = 67_890;
/// Stands for seed 0, from which the first sequence would never move.
const SEED_FOR_ZERO: u64 = 12_345;
/// 1 / `FIRST_MODULUS` with as many digits as SQL Server uses; more digits would give other numbers.
const SCALE: f64 = 4.656_613e-10;

/// State of RAND in a session: the two sequences, 32 bits each.
#[derive(Debug)]
pub struct Random(AtomicU64);

impl Random {
    /// A generator that starts somewhere, as each session does.
    #[must_use]
    pub fn new(entropy: u64) -> Random {
        let first = entropy % (FIRST_MODULUS - 1) + 1;
        let second = (entropy >> 32) % (SECOND_MODULUS - 1) + 1;
        Random(AtomicU64::new(pack(first, second)))
    }

    /// RAND(): the next number, 0 < x < 1.
    pub fn next(&self) -> f64 {
        let (first, second) = unpack(self.0.load(Relaxed));
        let first = first * FIRST_FACTOR % FIRST_MODULUS;
        let second = second * SECOND_FACTOR % SECOND_MODULUS;
        // Only the session's own statements come here, one at a time; threads of one plan may repeat a number.
        self.0.store(pack(first, second), Relaxed);
        let drawn = if first > second { first - second } else { first + (FIRST_MODULUS - 1) - second };
        f64::from(u32::try_from(drawn).expect("below the first modulus, 2^31")) * SCALE
    }

    /// RAND(seed): starts anew and gives the first number.
    pub fn restart(&self, seed: i32) -> f64 {
        let seed = u64::from(seed.unsigned_abs()) % FIRST_MODULUS;
        let first = if seed == 0 { SEED_FOR_ZERO } else { seed };
        self.0.store(pack(first, SECOND_START), Relaxed);
        self.next()
    }
}

fn pack(first: u64, second: u64) -> u64 {
    first << 32 | second
}

fn unpack(state: u64) -> (u64, u64) {
    (state >> 32, state & 0xFFFF_FFFF)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-14
    }

    #[test]
    fn seeds_give_the_documented_numbers() {
        let random = Random::new(7);
        assert!(near(random.restart(100), 0.715_436_657_367_485));
        assert!(near(random.next(), 0.284_633_807_679_82));
        assert!(near(random.next(), 0.013_103_908_285_036_4));
        assert!(near(random.restart(1), 0.713_591_993_212_924));
        assert!(near(random.restart(0), 0.943_597_390_424_144));
    }

    #[test]
    fn numbers_lie_between_zero_and_one() {
        for entropy in [0, 1, u64::MAX, 1 << 32] {
            let random = Random::new(entropy);
            for _ in 0..1000 {
                let drawn = random.next();
                assert!(drawn > 0.0, "{drawn}");
                assert!(drawn < 1.0, "{drawn}");
            }
        }
        for seed in [i32::MIN, i32::MAX, -1] {
            let drawn = Random::new(0).restart(seed);
            assert!(drawn > 0.0 && drawn < 1.0, "{seed} gives {drawn}");
        }
    }
}
