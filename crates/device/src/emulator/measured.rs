//! A device that does what was measured of another one: mean times by direction, order, size and depth.
//!
//! ```text
//!   size ▲  4 KB 8 KB … 1 MB      between the points: a straight line over the logarithms of size, depth and time
//!        │   •     •       •      beyond them: smaller requests take as long as the smallest, larger ones run at the
//!        │   •     •       •      rate of the largest; deeper queues at the rate of the deepest
//!        └──────────────────▶ depth
//! ```
//!
//! What always holds: requests are served one at a time in order of arrival, each in the share of its time that the depth
//! at its arrival gives it (time ÷ depth), so a caller that keeps `depth` requests open sees the measured time and rate
//! again. The spread of times is not emulated: every request of a kind takes the mean.

use super::ns_of_us;
use super::station::{Direction, Known, Progress, Request, Station, Ticket};
use crate::profile::{MeasuredPoint, Order};

/// Streams that are distinguished.
const STREAMS_MAX: usize = 8;

/// Times of one direction and order.
#[derive(Debug)]
struct Grid {
    /// Sorted by size, then depth: logarithms of size in bytes, of depth and of time in µs.
    points: Vec<[f64; 3]>,
}

/// The value at `x` of the line through sorted points; constant beyond them.
fn along(points: &[(f64, f64)], x: f64) -> f64 {
    let after = points.partition_point(|(at, _)| *at < x);
    match (after.checked_sub(1).map(|before| points[before]), points.get(after)) {
        (Some((x0, y0)), Some(&(x1, y1))) => y0 + (y1 - y0) * (x - x0) / (x1 - x0),
        (Some((_, y)), None) | (None, Some(&(_, y))) => y,
        (None, None) => 0.0,
    }
}

impl Grid {
    fn new(points: &[MeasuredPoint], direction: Direction, order: Order) -> Option<Grid> {
        let of = |order| {
            let own = points.iter().filter(move |point| point.direction == direction && point.order == order);
            let logarithms =
                own.map(|point| [(point.size_kb * 1024.0).ln(), f64::from(point.depth).ln(), point.latency_us.ln()]);
            let mut points: Vec<[f64; 3]> = logarithms.collect();
            points.sort_by(|a, b| a.partial_cmp(b).expect("logarithms of what was checked"));
            points
        };
        let other = if order == Order::Random { Order::Sequential } else { Order::Random };
        let points = if of(order).is_empty() { of(other) } else { of(order) };
        (!points.is_empty()).then_some(Grid { points })
    }

    /// Mean time of a request, µs.
    fn time_us(&self, bytes: u64, depth: usize) -> f64 {
        let (size, depth) = ((bytes.max(1) as f64).ln(), (depth.max(1) as f64).ln());
        let mut by_size: Vec<(f64, f64)> = Vec::new();
        for group in self.points.chunk_by(|a, b| a[0] == b[0]) {
            let by_depth: Vec<(f64, f64)> = group.iter().map(|point| (point[1], point[2])).collect();
            let deepest = by_depth.last().map_or(0.0, |(at, _)| *at);
            // Deeper than measured: the rate stays, so the time grows with the depth.
            by_size.push((group[0][0], along(&by_depth, depth) + (depth - deepest).max(0.0)));
        }
        let largest = by_size.last().map_or(0.0, |(at, _)| *at);
        (along(&by_size, size) + (size - largest).max(0.0)).exp()
    }
}

/// A measured device.
#[derive(Debug)]
pub struct Measured {
    /// Random reads, sequential reads, random writes, sequential writes.
    grids: [Grid; 4],
    free_at_ns: u64,
    /// Ends of the last streams, the latest first.
    streams: Vec<u64>,
    known: Known,
}

impl Measured {
    /// A device with that table; both directions have points.
    ///
    /// # Panics
    /// When a direction has none: [`crate::profile::DeviceProfile::check`] refuses that.
    #[must_use]
    pub fn new(points: &[MeasuredPoint]) -> Measured {
        let grid = |direction, order| Grid::new(points, direction, order).expect("points of both directions");
        Measured {
            grids: [
                grid(Direction::Read, Order::Random),
                grid(Direction::Read, Order::Sequential),
                grid(Direction::Write, Order::Random),
                grid(Direction::Write, Order::Sequential),
            ],
            free_at_ns: 0,
            streams: Vec::new(),
            known: Known::default(),
        }
    }

    /// Whether the request follows another one. With several open at a time the latest stream may be out of step by as
    /// many requests.
    fn order(&mut self, request: &Request, open: usize) -> Order {
        let slack = request.bytes * open as u64;
        let follows = |(number, end): (usize, &u64)| {
            let slack = if number == 0 { slack } else { 0 };
            end.abs_diff(request.offset_bytes) <= slack
        };
        let found = self.streams.iter().enumerate().position(follows);
        if let Some(number) = found {
            self.streams.remove(number);
        }
        self.streams.insert(0, request.end_bytes());
        self.streams.truncate(STREAMS_MAX);
        if found.is_some() { Order::Sequential } else { Order::Random }
    }
}

impl Station for Measured {
    fn submit(&mut self, at_ns: u64, request: Request, _: u64) -> Ticket {
        let open = self.known.count_after(at_ns);
        let order = self.order(&request, open);
        let number = 2 * usize::from(!request.is_read()) + usize::from(order == Order::Sequential);
        let depth = open + 1;
        let service_ns = ns_of_us(self.grids[number].time_us(request.bytes, depth) / depth as f64);
        self.free_at_ns = self.free_at_ns.max(at_ns) + service_ns;
        self.known.ticket(self.free_at_ns)
    }

    fn poll(&mut self, ticket: Ticket, now_ns: u64) -> Progress {
        self.known.poll(ticket, now_ns)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn point(order: Order, size_kb: f64, depth: u32, latency_us: f64) -> [MeasuredPoint; 2] {
        [Direction::Read, Direction::Write].map(|direction| MeasuredPoint {
            direction,
            order,
            size_kb,
            depth,
            latency_us,
        })
    }

    #[test]
    fn points_are_met_and_lines_lie_between_them() {
        let points: Vec<MeasuredPoint> = [
            point(Order::Random, 8.0, 1, 100.0),
            point(Order::Random, 8.0, 32, 800.0),
            point(Order::Random, 128.0, 1, 400.0),
        ]
        .concat();
        let grid = Grid::new(&points, Direction::Read, Order::Sequential).unwrap();
        let near = |bytes: u64, depth, expected: f64| {
            let time_us = grid.time_us(bytes, depth);
            assert!((time_us / expected - 1.0).abs() < 1e-6, "{bytes} at {depth}: {time_us} against {expected}");
        };
        near(8 << 10, 1, 100.0);
        near(8 << 10, 32, 800.0);
        near(128 << 10, 1, 400.0);
        near(32 << 10, 1, 200.0);
        near(4 << 10, 1, 100.0);
        near(256 << 10, 1, 800.0);
        near(8 << 10, 64, 1_600.0);
    }

    proptest! {
        /// Times are positive and never shrink with the size when the measured ones do not.
        #[test]
        fn times_grow_with_size(
            steps in prop::collection::vec((0.0_f64..4.0, 0.0_f64..500.0), 1..8),
            sizes in prop::collection::vec(1_u64..4_000_000, 2),
            depth in 1_usize..100,
        ) {
            let (mut size_kb, mut latency_us) = (4.0, 20.0);
            let mut points = Vec::new();
            for (factor, more_us) in steps {
                points.extend(point(Order::Random, size_kb, 1, latency_us));
                points.extend(point(Order::Random, size_kb, 32, latency_us * 10.0));
                size_kb *= 1.1 + factor;
                latency_us += more_us;
            }
            let grid = Grid::new(&points, Direction::Write, Order::Random).unwrap();
            let (small, large) = (sizes[0].min(sizes[1]), sizes[0].max(sizes[1]));
            let (of_small, of_large) = (grid.time_us(small, depth), grid.time_us(large, depth));
            prop_assert!(of_small > 0.0);
            prop_assert!(of_large >= of_small * (1.0 - 1e-9));
        }
    }
}
