//! What an axis reaches over, and how its places are named.
//!
//! What always holds: a linear axis begins at 0 unless there are values below; a logarithmic one begins and ends between whole
//! powers of ten, and has no place for 0.

use super::Scale;

/// Labels of a linear axis.
const TICKS: usize = 11;
/// From such a factor between the least and the most value on, an axis that may choose counts by factors of ten: below it
/// the smallest bar is still a fiftieth of the picture.
pub(super) const LOGARITHMIC_FROM: f64 = 50.0;

/// An axis' reach, in places on it: the values themselves, or their logarithms.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    pub(super) low: f64,
    pub(super) high: f64,
    is_logarithmic: bool,
}

impl Span {
    /// Over these values; `headroom` is the share of the axis above the highest one.
    pub(super) fn of(values: impl Iterator<Item = f64> + Clone, scale: Scale, headroom: f64) -> Span {
        let finite = values.filter(|value| value.is_finite());
        if is_logarithmic(finite.clone(), scale) {
            let places = finite.filter(|value| *value > 0.0).map(f64::log10);
            let (low, high) = places.fold((f64::MAX, f64::MIN), |(l, h), place| (l.min(place), h.max(place)));
            let (low, high) = if low > high { (0.0, 1.0) } else { (low.floor(), high.max(low.floor() + 1.0)) };
            // A value that is a power of ten stands above the axis: a bar without height would be none.
            let low = if is_short(low, high) { low - 0.5 } else { low };
            Span { low, high: high + (high - low) * headroom, is_logarithmic: true }
        } else {
            let (low, high) =
                finite.fold((0.0, 0.0), |(low, high): (f64, f64), value| (value.min(low), value.max(high)));
            let high = if high <= low { low + 1.0 } else { high };
            Span { low, high: high + (high - low) * headroom, is_logarithmic: false }
        }
    }

    pub(super) fn range(&self) -> std::ops::Range<f64> {
        self.low..self.high
    }

    /// Labels at most: of a logarithmic axis one for each power of ten.
    pub(super) fn ticks(&self) -> usize {
        if self.is_logarithmic { (self.high.floor() - self.low.ceil()) as usize + 1 } else { TICKS }
    }

    /// Where a value stands; `None` where it cannot.
    pub(super) fn place(&self, value: f64) -> Option<f64> {
        match self.is_logarithmic {
            _ if !value.is_finite() => None,
            false => Some(value),
            true => (value > 0.0).then(|| value.log10()),
        }
    }

    /// The value of a place.
    pub(super) fn value(&self, place: f64) -> f64 {
        if self.is_logarithmic { 10_f64.powf(place) } else { place }
    }
}

/// Whether half a decade more below takes little room.
fn is_short(low: f64, high: f64) -> bool {
    high - low <= 3.0
}

fn is_logarithmic(finite: impl Iterator<Item = f64>, scale: Scale) -> bool {
    match scale {
        Scale::Linear => false,
        Scale::Logarithmic => true,
        Scale::ByRange => {
            let (low, high) = finite
                .filter(|value| *value != 0.0)
                .fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(value), high.max(value)));
            low > 0.0 && high / low > LOGARITHMIC_FROM
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(values: &[f64], scale: Scale) -> Span {
        Span::of(values.iter().copied(), scale, 0.0)
    }

    #[test]
    fn an_axis_that_may_choose_goes_by_its_range() {
        let is_logarithmic = |values: &[f64]| span(values, Scale::ByRange).is_logarithmic;
        assert!(!is_logarithmic(&[1.0, 50.0]));
        assert!(is_logarithmic(&[1.0, 51.0]));
        assert!(is_logarithmic(&[0.0, 1.0, 51.0]), "0 has no say");
        assert!(!is_logarithmic(&[-1.0, 51.0]), "what is below 0 has no logarithm");
        assert!(!is_logarithmic(&[]));
    }

    #[test]
    fn every_value_has_a_place_inside() {
        for scale in [Scale::Linear, Scale::Logarithmic] {
            let values = [0.7, 3.0, 1000.0];
            let span = span(&values, scale);
            for value in values {
                let place = span.place(value).unwrap();
                assert!((span.low..=span.high).contains(&place), "{value} of {span:?}");
                assert!((span.value(place) / value - 1.0).abs() < 1e-9);
            }
        }
        assert_eq!(span(&[1.0, 100.0], Scale::Logarithmic).place(0.0), None);
        assert_eq!(span(&[0.7, 1000.0], Scale::Logarithmic).ticks(), 5, "0.1 to 1000");
    }
}
