//! Repeatable chance.

/// splitmix64
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    /// The same seed gives the same throws.
    pub fn new(seed: u64) -> Dice {
        Dice(seed.wrapping_mul(0x2545_F491_4F6C_DD1D))
    }

    /// Any number.
    pub fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// 0..limit
    pub fn below(&mut self, limit: u64) -> u64 {
        self.roll() % limit
    }

    /// True in so many of a hundred throws.
    pub fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
}
