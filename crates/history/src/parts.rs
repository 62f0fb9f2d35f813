//! What did most, by intervals of equal length: statements, waits, files, of samples of the resolution that suits the step.
//!
//! What always holds: no time is counted twice: a sample counts where none of a resolution that suits better covers its middle. A
//! sample counts whole in the interval that it ends in. What had no room in a sample is not there: sums are of what did most.

use std::collections::BTreeMap;
use std::hash::Hash;

use crate::ring::{Health, Range, Reader, RingError, Slot, TIERS};
use crate::sample::{FileUse, StatementUse, TextId, WaitUse};
use crate::series::{Grid, step_s};

/// What a sample has several of.
pub trait Part: Copy {
    /// What it is of.
    type Key: Copy + Eq + Hash + Ord;

    /// Those of a sample.
    fn of(slot: Slot<'_>) -> Vec<Self>;

    /// What it is of.
    fn key(&self) -> Self::Key;

    /// Adds what the same did later.
    fn add(&mut self, later: &Self);
}

fn sum<const N: usize>(sums: &mut [u64; N], more: &[u64; N]) {
    sums.iter_mut().zip(more).for_each(|(sum, more)| *sum = sum.saturating_add(*more));
}

impl Part for StatementUse {
    type Key = (u64, TextId, i32);

    fn of(slot: Slot<'_>) -> Vec<Self> {
        slot.statements().collect()
    }

    fn key(&self) -> Self::Key {
        (self.query_hash, self.database, self.object_id)
    }

    fn add(&mut self, later: &Self) {
        self.text = later.text;
        sum(&mut self.counters, &later.counters);
    }
}

impl Part for WaitUse {
    type Key = TextId;

    fn of(slot: Slot<'_>) -> Vec<Self> {
        slot.waits().collect()
    }

    fn key(&self) -> TextId {
        self.wait_type
    }

    fn add(&mut self, later: &Self) {
        sum(&mut self.counters, &later.counters);
    }
}

impl Part for FileUse {
    type Key = (TextId, TextId, TextId);

    fn of(slot: Slot<'_>) -> Vec<Self> {
        slot.files().collect()
    }

    fn key(&self) -> Self::Key {
        (self.database, self.name, self.path)
    }

    fn add(&mut self, later: &Self) {
        self.size_bytes = later.size_bytes;
        sum(&mut self.counters, &later.counters);
    }
}

/// What one did in an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartOf<P> {
    /// Begin of the interval, microseconds of UTC since 1970.
    pub begin_us: i64,
    /// Its end.
    pub end_us: i64,
    /// What.
    pub part: P,
}

struct Taken<P> {
    tier: usize,
    begin_us: i64,
    end_us: i64,
    parts: Vec<P>,
}

/// Spans that do not touch, by their begin.
#[derive(Default)]
struct Covered(Vec<(i64, i64)>);

impl Covered {
    fn has(&self, at_us: i64) -> bool {
        let after = self.0.partition_point(|(begin_us, _)| *begin_us <= at_us);
        after > 0 && at_us < self.0[after - 1].1
    }

    fn add(&mut self, mut spans: Vec<(i64, i64)>) {
        spans.append(&mut self.0);
        spans.sort_unstable();
        for (begin_us, end_us) in spans {
            match self.0.last_mut() {
                Some(last) if begin_us <= last.1 => last.1 = last.1.max(end_us),
                _ => self.0.push((begin_us, end_us)),
            }
        }
    }
}

/// What did most in a range, by intervals of `wanted_s` seconds; without it, of a length that suits: by time, and by what it is of.
///
/// # Errors
/// [`RingError::Io`]
pub fn read<P: Part>(
    reader: &mut Reader,
    range: Range,
    wanted_s: Option<u64>,
) -> Result<(Vec<PartOf<P>>, Health), RingError> {
    let mut taken: Vec<Taken<P>> = Vec::new();
    let health = reader.each(range, true, |tier, slot| {
        let is_late = range.from_us.is_none_or(|from_us| slot.end_us() > from_us);
        if is_late && range.to_us.is_none_or(|to_us| slot.end_us() <= to_us) {
            taken.push(Taken { tier, begin_us: slot.begin_us(), end_us: slot.end_us(), parts: P::of(slot) });
        }
    })?;
    let (Some(first_us), Some(last_us)) =
        (taken.iter().map(|sample| sample.begin_us).min(), taken.iter().map(|sample| sample.end_us).max())
    else {
        return Ok((Vec::new(), health));
    };
    let from_us = range.from_us.map_or(first_us, |from_us| from_us.max(first_us));
    let step_s = step_s(wanted_s, last_us.saturating_sub(from_us).max(0).cast_unsigned(), 1);
    let grid = Grid::new(from_us, last_us, step_s);
    let best = TIERS.iter().rposition(|tier| tier.step_s <= step_s).unwrap_or(0);
    let mut covered = Covered::default();
    let mut sums: BTreeMap<(usize, P::Key), P> = BTreeMap::new();
    for tier in (0..=best).rev().chain(best + 1..TIERS.len()) {
        let is_counted = |sample: &&Taken<P>| {
            sample.tier == tier && !covered.has(sample.begin_us.midpoint(sample.end_us)) && sample.end_us > from_us
        };
        let mut counted: Vec<_> = taken.iter().filter(is_counted).collect();
        counted.sort_by_key(|sample| sample.end_us);
        for sample in &counted {
            let place = grid.place(sample.end_us - 1);
            for part in &sample.parts {
                sums.entry((place, part.key())).and_modify(|sum| sum.add(part)).or_insert(*part);
            }
        }
        let spans = counted.iter().map(|sample| (sample.begin_us, sample.end_us)).collect();
        covered.add(spans);
    }
    let of = |((place, _), part)| {
        let (begin_us, end_us) = grid.bounds(place);
        PartOf { begin_us, end_us, part }
    };
    Ok((sums.into_iter().map(of).collect(), health))
}
