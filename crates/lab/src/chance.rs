//! Chance that repeats: xoshiro256++ from a seed and the number of a stream.
//!
//! What always holds: the same seed and stream give the same numbers on every machine; a range is drawn without a
//! noticeable preference (its bias is below 2⁻³², ranges have fewer than 2³² members). Not for secrets.

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub struct Chance {
    state: [u64; 4],
}

/// SplitMix64, which spreads a seed over a state.
fn spread(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut mixed = *seed;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

impl Chance {
    /// The stream of that number; streams of one seed are independent of each other.
    #[must_use]
    pub fn new(seed: u64, stream: u64) -> Self {
        let mut stream = stream;
        let mut seed = seed ^ spread(&mut stream);
        Self { state: std::array::from_fn(|_| spread(&mut seed)) }
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        let [a, b, c, d] = &mut self.state;
        let result = a.wrapping_add(*d).rotate_left(23).wrapping_add(*a);
        let shifted = *b << 17;
        *c ^= *a;
        *d ^= *b;
        *b ^= *c;
        *a ^= *d;
        *c ^= shifted;
        *d = d.rotate_left(45);
        result
    }

    /// A number between the two, both included.
    ///
    /// # Panics
    /// When `low` is greater than `high`.
    pub fn between(&mut self, low: u32, high: u32) -> u32 {
        assert!(low <= high, "an empty range: {low}..={high}");
        let size = u64::from(high - low) + 1;
        let scaled = (u128::from(self.bits()) * u128::from(size)) >> 64;
        low + u32::try_from(scaled).expect("below the size of the range")
    }

    /// True in that many cases of a hundred.
    pub fn percent(&mut self, percent: u32) -> bool {
        self.between(1, 100) <= percent
    }

    /// A number in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Puts the items in an order of equal chance.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let bound = u32::try_from(last).expect("a short list");
            items.swap(last, self.between(0, bound) as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_repeats_and_streams_differ() {
        let draw = |seed, stream| {
            let mut chance = Chance::new(seed, stream);
            (0..8).map(|_| chance.bits()).collect::<Vec<_>>()
        };
        assert_eq!(draw(7, 1), draw(7, 1));
        assert_ne!(draw(7, 1), draw(7, 2));
        assert_ne!(draw(7, 1), draw(8, 1));
    }

    #[test]
    fn both_ends_of_a_range_are_drawn_and_nothing_beyond() {
        let mut chance = Chance::new(1, 0);
        let mut seen = [0; 4];
        for _ in 0..4000 {
            seen[chance.between(5, 8) as usize - 5] += 1;
        }
        assert!(seen.iter().all(|&count| (900..1100).contains(&count)), "{seen:?}");
        assert_eq!(chance.between(9, 9), 9);
        assert!(chance.between(0, u32::MAX) > 0);
    }

    #[test]
    fn percent_is_of_a_hundred() {
        let mut chance = Chance::new(2, 0);
        let hits = (0..10_000).filter(|_| chance.percent(15)).count();
        assert!((1400..1600).contains(&hits), "{hits}");
        assert!(!chance.percent(0));
        assert!(chance.percent(100));
    }

    #[test]
    fn shuffling_keeps_all_items() {
        let mut items: Vec<u32> = (0..100).collect();
        Chance::new(3, 0).shuffle(&mut items);
        assert_ne!(items, (0..100).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..100).collect::<Vec<_>>());
    }
}
