//! What repetitions of one measurement came to: the middle, and how far they lie apart.
//!
//! What always holds: the median lies between the least and the most; values that are not numbers are left out. Nothing is
//! assumed of how values are distributed: of three repetitions there is no more to say than these three numbers.

use crate::number::short;

/// Median, least and most of some values of one unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// The middle one, or the mean of the two in the middle.
    pub median: f64,
    /// The least.
    pub low: f64,
    /// The most.
    pub high: f64,
}

impl From<f64> for Spread {
    fn from(value: f64) -> Spread {
        Spread { median: value, low: value, high: value }
    }
}

impl Spread {
    /// Of these values; `None` when none of them is a finite number.
    #[must_use]
    pub fn of(values: impl IntoIterator<Item = f64>) -> Option<Spread> {
        let mut known: Vec<f64> = values.into_iter().filter(|value| value.is_finite()).collect();
        known.sort_by(f64::total_cmp);
        let (low, high) = (*known.first()?, *known.last()?);
        let half = known.len() / 2;
        let median = if known.len() % 2 == 1 { known[half] } else { f64::midpoint(known[half - 1], known[half]) };
        Some(Spread { median, low, high })
    }

    /// Whether all values were the same, or there was one alone.
    #[must_use]
    pub fn is_point(&self) -> bool {
        self.low == self.high
    }

    /// The same in another unit.
    #[must_use]
    pub fn times(self, factor: f64) -> Spread {
        Spread { median: self.median * factor, low: self.low * factor, high: self.high * factor }
    }
}

/// `2.5 (2.4..2.7)`; the median alone where there is nothing beside it.
impl std::fmt::Display for Spread {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [median, low, high] = [self.median, self.low, self.high].map(short);
        // What is written with the same digits is no spread for a reader.
        if low == median && high == median { f.write_str(&median) } else { write!(f, "{median} ({low}..{high})") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_in_the_middle() {
        let spread = Spread::of([3.0, 1.0, 2.0]).unwrap();
        assert_eq!(spread, Spread { median: 2.0, low: 1.0, high: 3.0 });
        assert_eq!(Spread::of([4.0, 1.0, 3.0, 2.0]).unwrap().median, 2.5);
        assert_eq!(Spread::of([7.0, f64::NAN]), Some(Spread::from(7.0)));
        assert_eq!(Spread::of([f64::INFINITY]), None);
        assert_eq!(Spread::of([]), None);
    }

    #[test]
    fn it_is_said_with_its_ends() {
        assert_eq!(Spread::of([1.0, 2.0, 4.0]).unwrap().to_string(), "2 (1..4)");
        assert_eq!(Spread::from(2.0).to_string(), "2");
        assert_eq!(Spread::of([2.0001, 2.0, 2.0002]).unwrap().to_string(), "2", "the same digits");
        assert_eq!(Spread::of([1.0, 2.0, 4.0]).unwrap().times(1000.0).to_string(), "2000 (1000..4000)");
    }
}
