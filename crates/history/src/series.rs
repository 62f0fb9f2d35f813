//! What happened, by intervals of equal length: made of the samples of all resolutions.
//!
//! What always holds: what grew is counted once, whatever resolutions have it, and the growth of a span is the sum of that of its
//! parts, exactly. A total that fell counts as nothing. Where a run of the server ended and when the next began is known; what lies
//! between is down time. Where samples were lost, what grew meanwhile is spread over the time between those that are there.
//!
//! ```text
//!   slots of all resolutions ─ by run and uptime ─▶ points ─▶ pieces between two points ─▶ intervals of the step
//! ```

use crate::collector::LEVEL_PARTS;
use crate::figure::{Figure, Figures};
use crate::ring::{Health, Range, Reader, RingError, Slot, TIERS};

/// Intervals of an answer at most; where a step would give more, it is made longer.
pub const INTERVALS_MAX: u64 = 20_000;
/// Intervals that an automatic step aims at.
const INTERVALS_WANTED: u64 = 360;
/// Automatic steps, seconds.
const STEPS_S: [u64; 9] = [1, 5, 10, 30, 60, 300, 900, 3600, 14_400];
const MICROS: i64 = 1_000_000;

/// An interval.
#[derive(Clone, Debug, PartialEq)]
pub struct Interval {
    /// Its begin, microseconds of UTC since 1970.
    pub begin_us: i64,
    /// Its end.
    pub end_us: i64,
    /// Of it the time of which there are samples.
    pub covered_us: u64,
    /// Of it the time in which no server ran.
    pub down_us: u64,
    /// Starts of a server.
    pub starts: u32,
    /// Ends of a server that were not in order: crashes, and machines that were switched off.
    pub crashes: u32,
    growth: Figures,
    /// Levels times microseconds.
    levels: Vec<u128>,
}

impl Interval {
    /// An interval without anything.
    #[must_use]
    pub fn new(begin_us: i64, end_us: i64) -> Interval {
        Interval {
            begin_us,
            end_us,
            covered_us: 0,
            down_us: 0,
            starts: 0,
            crashes: 0,
            growth: Figures::default(),
            levels: vec![0; Figure::COUNT],
        }
    }

    /// How much a total grew; none where there are no samples.
    #[must_use]
    pub fn total(&self, figure: Figure) -> Option<u64> {
        (self.covered_us > 0).then(|| self.growth.get(figure))
    }

    /// The average of a level; none where there are no samples.
    #[must_use]
    pub fn level(&self, figure: Figure) -> Option<f64> {
        (self.covered_us > 0).then(|| self.levels[figure as usize] as f64 / self.covered_us as f64 / LEVEL_PARTS as f64)
    }

    /// What a total grew in a second, or the average of a level.
    #[must_use]
    pub fn rate(&self, figure: Figure) -> Option<f64> {
        if !figure.is_total() {
            return self.level(figure);
        }
        self.total(figure).map(|total| total as f64 * MICROS as f64 / self.covered_us as f64)
    }

    /// Sets what a total grew, or the average of a level: of an interval that another program has computed.
    pub fn set(&mut self, figure: Figure, value: f64) {
        if figure.is_total() {
            self.growth.set(figure, value.max(0.0) as u64);
        } else {
            self.levels[figure as usize] = (value.max(0.0) * LEVEL_PARTS as f64 * self.covered_us as f64) as u128;
        }
    }

    /// Adds another one, which does not overlap; the sum is from the first begin to the last end.
    pub fn add(&mut self, other: &Interval) {
        self.begin_us = self.begin_us.min(other.begin_us);
        self.end_us = self.end_us.max(other.end_us);
        self.covered_us += other.covered_us;
        self.down_us += other.down_us;
        self.starts += other.starts;
        self.crashes += other.crashes;
        for figure in Figure::ALL {
            self.growth.add(*figure, other.growth.get(*figure));
        }
        self.levels.iter_mut().zip(&other.levels).for_each(|(sum, more)| *sum += more);
    }
}

/// What happened.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// Seconds of an interval; the first and the last may be shorter.
    pub step_s: u64,
    /// Those of which something is known, by time.
    pub intervals: Vec<Interval>,
    /// What was read for it.
    pub health: Health,
}

/// The state of a server at the end of a sample.
#[derive(Clone, Debug)]
struct Point {
    run_us: i64,
    uptime_us: u64,
    tier: usize,
    end_us: i64,
    span_us: u64,
    is_first: bool,
    is_last: bool,
    figures: Figures,
}

impl Point {
    fn of(tier: usize, slot: Slot<'_>) -> Point {
        Point {
            run_us: slot.run_us(),
            uptime_us: slot.uptime_us(),
            tier,
            end_us: slot.end_us(),
            span_us: slot.span_us(),
            is_first: slot.is_first(),
            is_last: slot.is_last(),
            figures: slot.figures(),
        }
    }
}

/// What grew between two points.
struct Piece {
    begin_us: i64,
    end_us: i64,
    growth: Figures,
    levels: Figures,
}

/// The points by run and time, one of each; of several at the same time the finest.
fn points(reader: &mut Reader, range: Range) -> Result<(Vec<Point>, Health), RingError> {
    let mut points = Vec::new();
    let health = reader.each(range, false, |tier, slot| points.push(Point::of(tier, slot)))?;
    points.sort_by_key(|point| (point.run_us, point.uptime_us, point.tier));
    points.dedup_by(|later, kept| {
        let is_same = (later.run_us, later.uptime_us) == (kept.run_us, kept.uptime_us);
        if is_same {
            kept.is_first |= later.is_first;
            kept.is_last |= later.is_last;
        }
        is_same
    });
    Ok((points, health))
}

fn growth(before: Option<&Point>, now: &Point) -> Figures {
    let mut growth = Figures::default();
    for total in Figure::ALL.iter().filter(|figure| figure.is_total()) {
        let before = before.map_or(0, |before| before.figures.get(*total));
        growth.set(*total, now.figures.get(*total).saturating_sub(before));
    }
    growth
}

/// Pieces, and the spans in which no server ran, each with whether the run before had ended in order.
fn pieces(points: &[Point]) -> (Vec<Piece>, Vec<(i64, i64, bool)>) {
    let (mut pieces, mut down) = (Vec::new(), Vec::new());
    let mut before: Option<&Point> = None;
    for point in points {
        let same_run = before.filter(|before| before.run_us == point.run_us);
        if same_run.is_none()
            && let Some(ended) = before
        {
            down.push((ended.end_us, point.run_us.max(ended.end_us), ended.is_last));
        }
        let begin_us = match same_run {
            // Somebody has set the clock back: the time since is that of the clock that nobody sets.
            Some(before) if before.end_us >= point.end_us => {
                let since_us = point.uptime_us.saturating_sub(before.uptime_us);
                Some(point.end_us.saturating_sub(i64::try_from(since_us).unwrap_or(i64::MAX)))
            }
            Some(before) => Some(before.end_us),
            // What was counted before the first sample that is there is not known, but where the run began with it.
            None => point.is_first.then_some(point.run_us.min(point.end_us)),
        };
        if let Some(begin_us) = begin_us.filter(|begin_us| *begin_us < point.end_us) {
            let growth = growth(same_run, point);
            pieces.push(Piece { begin_us, end_us: point.end_us, growth, levels: point.figures });
        }
        before = Some(point);
    }
    (pieces, down)
}

/// The step that is used: what is wanted, or what gives some hundred intervals and is not finer than what is kept of that time.
pub(crate) fn step_s(wanted: Option<u64>, span_us: u64, kept_s: u64) -> u64 {
    let span_s = span_us.div_ceil(MICROS.cast_unsigned());
    let least_s = span_s.div_ceil(INTERVALS_MAX).max(1);
    match wanted.filter(|wanted| *wanted > 0) {
        Some(wanted) => wanted.max(least_s),
        None => {
            let fits = |step: &&u64| **step >= kept_s && span_s / **step <= INTERVALS_WANTED;
            STEPS_S.iter().find(fits).copied().unwrap_or(86_400).max(least_s)
        }
    }
}

/// Equal intervals from a begin to an end; all but the first begin at a multiple of the step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grid {
    from_us: i64,
    to_us: i64,
    step_us: i64,
}

impl Grid {
    pub(crate) fn new(from_us: i64, to_us: i64, step_s: u64) -> Grid {
        Grid { from_us, to_us, step_us: i64::try_from(step_s).unwrap_or(i64::MAX / MICROS).saturating_mul(MICROS) }
    }

    pub(crate) fn count(self) -> usize {
        if self.to_us <= self.from_us { 0 } else { self.place(self.to_us - 1) + 1 }
    }

    /// The interval that a time is in, which lies in the grid.
    pub(crate) fn place(self, at_us: i64) -> usize {
        (at_us.div_euclid(self.step_us) - self.from_us.div_euclid(self.step_us)) as usize
    }

    pub(crate) fn bounds(self, place: usize) -> (i64, i64) {
        let first = self.from_us.div_euclid(self.step_us) + place as i64;
        let begin_us = first.saturating_mul(self.step_us);
        (begin_us.max(self.from_us), begin_us.saturating_add(self.step_us).min(self.to_us))
    }

    /// The intervals that a span touches, each with the part of the span in it.
    fn parts(self, begin_us: i64, end_us: i64) -> impl Iterator<Item = (usize, i64, i64)> {
        let (begin_us, end_us) = (begin_us.max(self.from_us), end_us.min(self.to_us));
        let places = if begin_us < end_us { self.place(begin_us)..self.place(end_us - 1) + 1 } else { 0..0 };
        places.map(move |place| {
            let (from_us, to_us) = self.bounds(place);
            (place, from_us.max(begin_us), to_us.min(end_us))
        })
    }
}

/// The part of an amount that lies before a time, if it grew evenly over a span.
fn part(amount: u64, begin_us: i64, end_us: i64, at_us: i64) -> u64 {
    let (whole, done) = ((end_us - begin_us) as u128, (at_us - begin_us) as u128);
    (u128::from(amount) * done / whole) as u64
}

fn fill(intervals: &mut [Interval], grid: Grid, piece: &Piece) {
    for (place, from_us, to_us) in grid.parts(piece.begin_us, piece.end_us) {
        let interval = &mut intervals[place];
        let covered_us = (to_us - from_us).cast_unsigned();
        interval.covered_us += covered_us;
        for figure in Figure::ALL {
            if figure.is_total() {
                let amount = piece.growth.get(*figure);
                if amount > 0 {
                    let upto = |at_us| part(amount, piece.begin_us, piece.end_us, at_us);
                    interval.growth.add(*figure, upto(to_us) - upto(from_us));
                }
            } else {
                interval.levels[*figure as usize] += u128::from(piece.levels.get(*figure)) * u128::from(covered_us);
            }
        }
    }
}

/// What happened in a range, by intervals of `step_s` seconds; without it, of a length that suits. A range that ends before it
/// begins has none.
///
/// # Errors
/// [`RingError::Io`]
pub fn read(reader: &mut Reader, range: Range, wanted_s: Option<u64>) -> Result<Series, RingError> {
    let (points, health) = points(reader, range)?;
    let (pieces, down) = pieces(&points);
    let begins = pieces.iter().map(|piece| piece.begin_us);
    let ends = pieces.iter().map(|piece| piece.end_us);
    let (Some(first_us), Some(last_us)) = (begins.min(), ends.max()) else {
        return Ok(Series { step_s: step_s(wanted_s, 0, 1), intervals: Vec::new(), health });
    };
    let from_us = range.from_us.map_or(first_us, |from_us| from_us.max(first_us));
    let to_us = range.to_us.map_or(last_us, |to_us| to_us.min(last_us));
    let span_us = to_us.saturating_sub(from_us).max(0).cast_unsigned();
    let step_s = step_s(wanted_s, span_us, kept_s(&points, from_us));
    let grid = Grid::new(from_us, to_us, step_s);
    let bounds = (0..grid.count()).map(|place| grid.bounds(place));
    let mut intervals: Vec<_> = bounds.map(|(begin_us, end_us)| Interval::new(begin_us, end_us)).collect();
    pieces.iter().for_each(|piece| fill(&mut intervals, grid, piece));
    for (begin_us, end_us, in_order) in down {
        for (place, from_us, to_us) in grid.parts(begin_us, end_us) {
            intervals[place].down_us += (to_us - from_us).cast_unsigned();
        }
        if !in_order && (from_us..to_us).contains(&begin_us) {
            intervals[grid.place(begin_us)].crashes += 1;
        }
    }
    let mut runs: Vec<_> = points.iter().map(|point| point.run_us).collect();
    runs.dedup();
    for run_us in runs.into_iter().filter(|run_us| (from_us..to_us).contains(run_us)) {
        intervals[grid.place(run_us)].starts += 1;
    }
    intervals.retain(|interval| interval.covered_us > 0 || interval.down_us > 0 || interval.starts > 0);
    Ok(Series { step_s, intervals, health })
}

/// The finest resolution whose samples reach back to a time: its seconds.
fn kept_s(points: &[Point], from_us: i64) -> u64 {
    let reaches = |tier: &usize| {
        let of = points.iter().filter(|point| point.tier == *tier);
        of.map(|point| point.end_us.saturating_sub(i64::try_from(point.span_us).unwrap_or(i64::MAX)))
            .min()
            .is_some_and(|begin_us| begin_us <= from_us.saturating_add(MICROS))
    };
    let tier = (0..TIERS.len()).find(reaches).unwrap_or(0);
    TIERS[tier].step_s
}

#[cfg(test)]
mod tests;
