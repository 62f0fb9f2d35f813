//! What a device can do, found out by asking it: time of a request and bandwidth by size, direction, order and depth.
//!
//! What always holds: depth is kept by as many threads, each with one request open, or by one thread that asks for many
//! together, as checkpoints and spills do ([`DepthBy`]). Threads take part in the device's clock, so an emulated device on
//! a clock that skips waits is probed in no time, and exactly where one thread asks. Random places are multiples of the
//! size, the same in each run; sequential requests take the next place, whichever thread comes first, so of many threads
//! a few reach the device out of order. A cell ends after its time, or after [`REQUESTS_MAX`] on a device that takes none.

use std::io::{IoSlice, IoSliceMut};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Barrier};

use crate::block::{BlockDevice, DeviceError, Outcome, ReadRequest, WriteRequest};
use crate::chance::Dice;
use crate::clock::Clock;
use crate::profile::{DeviceProfile, Direction, MeasuredPoint, ModelKind, Order};

/// Requests of a cell at most, unless the plan says more or fewer.
pub const REQUESTS_MAX: usize = 1_000_000;
/// Sizes of requests, unless the plan says others: 4 KB to 1 MB.
pub const SIZES_BYTES: [u64; 6] = [4 << 10, 8 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20];
/// Requests open at a time, unless the plan says others.
pub const DEPTHS: [usize; 2] = [1, 32];
/// What direct I/O wants of addresses.
const ALIGNMENT: usize = 4096;
/// Memory of one call's requests, about: many of them, because the last ones have less and less company.
const CALL_BYTES: u64 = 64 << 20;
/// Requests of one call over its depth, from and to.
const CALL_DEPTHS: (u64, u64) = (4, 32);

/// What keeps several requests open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DepthBy {
    /// A thread for each.
    Threads,
    /// One thread that asks for many together: [`BlockDevice::read_many`].
    Calls,
}

/// What is to be found out.
#[derive(Clone, Debug)]
pub struct ProbePlan {
    /// The range of the device that is used, from its beginning.
    pub range_bytes: u64,
    /// Sizes of requests.
    pub sizes_bytes: Vec<u64>,
    /// Requests open at a time.
    pub depths: Vec<usize>,
    /// What keeps them open.
    pub depth_by: DepthBy,
    /// Directions; a device that must not change has reads only.
    pub directions: Vec<Direction>,
    /// Orders of places.
    pub orders: Vec<Order>,
    /// Time of each cell on the device's clock.
    pub cell_us: u64,
    /// Requests of a cell at most: what ends a cell on a device that takes no time.
    pub requests_max: usize,
}

impl ProbePlan {
    /// Everything, over that range.
    #[must_use]
    pub fn new(range_bytes: u64, cell_us: u64) -> ProbePlan {
        ProbePlan {
            range_bytes,
            sizes_bytes: SIZES_BYTES.to_vec(),
            depths: DEPTHS.to_vec(),
            depth_by: DepthBy::Threads,
            directions: vec![Direction::Read, Direction::Write],
            orders: vec![Order::Random, Order::Sequential],
            cell_us,
            requests_max: REQUESTS_MAX,
        }
    }

    /// The cells in the order in which they are measured.
    #[must_use]
    pub fn cells(&self) -> Vec<CellKind> {
        let mut cells = Vec::new();
        for &direction in &self.directions {
            for &order in &self.orders {
                for &depth in &self.depths {
                    let of_size = |&size_bytes| CellKind { direction, order, size_bytes, depth };
                    cells.extend(self.sizes_bytes.iter().map(of_size));
                }
            }
        }
        cells
    }
}

/// One kind of load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellKind {
    /// Which way.
    pub direction: Direction,
    /// In which order.
    pub order: Order,
    /// Size of a request.
    pub size_bytes: u64,
    /// Requests open at a time.
    pub depth: usize,
}

/// What was found under one kind of load.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProbeCell {
    /// The load.
    pub kind: CellKind,
    /// Requests whose time was taken.
    pub requests: u64,
    /// Time from the first of them to the end of the last.
    pub elapsed_us: u64,
    /// Requests that were done in that time, also those that had begun before.
    pub completed: u64,
    /// Mean time of a request.
    pub mean_us: f64,
    /// Half of them took no longer.
    pub median_us: u64,
    /// 99 of 100 took no longer.
    pub p99_us: u64,
}

impl ProbeCell {
    /// 10^6 bytes a second; `None` when the device took no time.
    #[must_use]
    pub fn mb_s(&self) -> Option<f64> {
        let bytes = self.completed * self.kind.size_bytes;
        (self.elapsed_us > 0).then(|| bytes as f64 / self.elapsed_us as f64)
    }

    /// Requests a second; `None` when the device took no time.
    #[must_use]
    pub fn per_second(&self) -> Option<f64> {
        (self.elapsed_us > 0).then(|| self.completed as f64 * 1e6 / self.elapsed_us as f64)
    }
}

/// Memory for a request, aligned as direct I/O wants it.
struct Buffer {
    memory: Vec<u8>,
    at: usize,
    bytes: usize,
}

impl Buffer {
    fn new(bytes: usize) -> Buffer {
        let memory = vec![0x5a; bytes + ALIGNMENT];
        let at = memory.as_ptr().align_offset(ALIGNMENT);
        Buffer { memory, at, bytes }
    }

    fn bytes(&mut self) -> &mut [u8] {
        &mut self.memory[self.at..self.at + self.bytes]
    }
}

/// Where the requests of a cell go.
struct Places {
    kind: CellKind,
    count: u64,
    next: AtomicU64,
}

impl Places {
    fn new(kind: CellKind, plan: &ProbePlan) -> Places {
        Places { kind, count: (plan.range_bytes / kind.size_bytes).max(1), next: AtomicU64::new(0) }
    }

    fn place(&self, dice: &mut Dice) -> u64 {
        let number = match self.kind.order {
            Order::Random => dice.roll(),
            Order::Sequential => self.next.fetch_add(1, Relaxed),
        };
        number % self.count * self.kind.size_bytes
    }
}

/// What the threads of a cell share.
struct Load<'d> {
    device: &'d dyn BlockDevice,
    clock: &'d dyn Clock,
    places: Places,
    begin: Barrier,
    cell_us: u64,
    /// Requests that some thread has begun.
    taken: AtomicUsize,
    warm_up: usize,
    requests_max: usize,
}

impl Load<'_> {
    /// One thread's requests, without the first ones of all threads, which find the device less busy.
    fn run(&self, thread: u64) -> Result<Share, DeviceError> {
        let _takes_part = self.clock.participate();
        let mut buffer = Buffer::new(self.places.kind.size_bytes as usize);
        let mut dice = Dice::new(thread);
        let mut share = Share::default();
        self.begin.wait();
        let end_us = self.clock.now_us() + self.cell_us;
        while self.clock.now_us() < end_us {
            let number = self.taken.fetch_add(1, Relaxed);
            if number >= self.warm_up + self.requests_max {
                break;
            }
            let begun_us = self.clock.now_us();
            let place = self.places.place(&mut dice);
            match self.places.kind.direction {
                Direction::Read => self.device.read_at(place, buffer.bytes())?,
                Direction::Write => self.device.write_at(place, buffer.bytes())?,
            }
            if number < self.warm_up {
                share.earlier_ends_us.push(self.clock.now_us());
            } else {
                share.begun_us.get_or_insert(begun_us);
                share.end_us = self.clock.now_us();
                share.times_us.push(share.end_us - begun_us);
            }
        }
        Ok(share)
    }
}

/// What one thread measured.
#[derive(Debug, Default)]
struct Share {
    begun_us: Option<u64>,
    end_us: u64,
    times_us: Vec<u64>,
    /// Ends of the first requests, whose time is not taken.
    earlier_ends_us: Vec<u64>,
}

/// Measures one cell.
fn measure(
    device: &dyn BlockDevice,
    clock: &dyn Clock,
    kind: CellKind,
    plan: &ProbePlan,
) -> Result<ProbeCell, DeviceError> {
    let shares = match plan.depth_by {
        DepthBy::Calls if kind.depth > 1 => vec![by_calls(device, clock, kind, plan)?],
        _ => by_threads(device, clock, kind, plan)?,
    };
    Ok(cell_of(kind, shares))
}

fn by_threads(
    device: &dyn BlockDevice,
    clock: &dyn Clock,
    kind: CellKind,
    plan: &ProbePlan,
) -> Result<Vec<Share>, DeviceError> {
    let load = Load {
        device,
        clock,
        places: Places::new(kind, plan),
        begin: Barrier::new(kind.depth),
        cell_us: plan.cell_us,
        taken: AtomicUsize::new(0),
        warm_up: 2 * kind.depth,
        requests_max: plan.requests_max,
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..kind.depth as u64)
            .map(|thread| {
                scope.spawn({
                    let load = &load;
                    move || load.run(thread)
                })
            })
            .collect();
        let joined = threads.into_iter().map(|thread| thread.join().expect("a thread that does not panic"));
        joined.collect()
    })
}

/// One thread's requests, many in each call; the first call is not counted.
fn by_calls(
    device: &dyn BlockDevice,
    clock: &dyn Clock,
    kind: CellKind,
    plan: &ProbePlan,
) -> Result<Share, DeviceError> {
    let _takes_part = clock.participate();
    let places = Places::new(kind, plan);
    let mut dice = Dice::new(0);
    let new = |_| Buffer::new(kind.size_bytes as usize);
    let depths = (CALL_BYTES / kind.size_bytes / kind.depth as u64).clamp(CALL_DEPTHS.0, CALL_DEPTHS.1);
    let mut memory: Vec<Buffer> = (0..depths * kind.depth as u64).map(new).collect();
    let mut call = || -> Result<Vec<u64>, DeviceError> {
        let offsets: Vec<u64> = memory.iter().map(|_| places.place(&mut dice)).collect();
        let outcomes = match kind.direction {
            Direction::Read => read_many(device, kind.depth, &offsets, &mut memory),
            Direction::Write => write_many(device, kind.depth, &offsets, &mut memory),
        };
        outcomes.into_iter().map(|outcome| outcome.result.map(|()| outcome.stall_us)).collect()
    };
    call()?;
    let begun_us = clock.now_us();
    let mut share = Share { begun_us: Some(begun_us), end_us: begun_us, ..Share::default() };
    while share.end_us < begun_us + plan.cell_us && share.times_us.len() < plan.requests_max {
        share.times_us.extend(call()?);
        share.end_us = clock.now_us();
    }
    Ok(share)
}

fn read_many(device: &dyn BlockDevice, depth: usize, offsets: &[u64], memory: &mut [Buffer]) -> Vec<Outcome> {
    let mut buffers: Vec<_> = memory.iter_mut().map(|buffer| [IoSliceMut::new(buffer.bytes())]).collect();
    let request = |(buffers, offset_bytes)| ReadRequest { offset_bytes, buffers };
    let mut requests: Vec<_> =
        buffers.iter_mut().map(|buffers| &mut buffers[..]).zip(offsets.iter().copied()).map(request).collect();
    device.read_many(depth, &mut requests)
}

fn write_many(device: &dyn BlockDevice, depth: usize, offsets: &[u64], memory: &mut [Buffer]) -> Vec<Outcome> {
    let buffers: Vec<_> = memory.iter_mut().map(|buffer| [IoSlice::new(buffer.bytes())]).collect();
    let request = |(buffers, offset_bytes)| WriteRequest { offset_bytes, buffers };
    let requests: Vec<_> =
        buffers.iter().map(|buffers| &buffers[..]).zip(offsets.iter().copied()).map(request).collect();
    device.write_many(depth, &requests)
}

fn cell_of(kind: CellKind, shares: Vec<Share>) -> ProbeCell {
    let begun_us = shares.iter().filter_map(|share| share.begun_us).min().unwrap_or(0);
    let end_us = shares.iter().map(|share| share.end_us).max().unwrap_or(0);
    let earlier = shares.iter().flat_map(|share| &share.earlier_ends_us).filter(|end_us| **end_us > begun_us).count();
    let mut times_us: Vec<u64> = shares.into_iter().flat_map(|share| share.times_us).collect();
    times_us.sort_unstable();
    let at = |share: f64| times_us.get((times_us.len() as f64 * share) as usize).or(times_us.last()).copied();
    ProbeCell {
        kind,
        requests: times_us.len() as u64,
        elapsed_us: end_us - begun_us,
        completed: (times_us.len() + earlier) as u64,
        mean_us: times_us.iter().sum::<u64>() as f64 / times_us.len().max(1) as f64,
        median_us: at(0.5).unwrap_or(0),
        p99_us: at(0.99).unwrap_or(0),
    }
}

/// Measures all cells of the plan; `report` gets each when it is done.
///
/// # Errors
/// The device's; the cells before it are lost with it.
pub fn run(
    device: &Arc<dyn BlockDevice>,
    clock: &Arc<dyn Clock>,
    plan: &ProbePlan,
    mut report: impl FnMut(&ProbeCell),
) -> Result<Vec<ProbeCell>, DeviceError> {
    let mut cells = Vec::new();
    for kind in plan.cells() {
        let cell = measure(&**device, &**clock, kind, plan)?;
        report(&cell);
        cells.push(cell);
    }
    Ok(cells)
}

/// A device that does what was measured. Directions that were not measured take what the other one took.
#[must_use]
pub fn profile_of(cells: &[ProbeCell]) -> DeviceProfile {
    let point = |direction: Direction, cell: &ProbeCell| MeasuredPoint {
        direction,
        order: cell.kind.order,
        size_kb: cell.kind.size_bytes as f64 / 1024.0,
        depth: cell.kind.depth as u32,
        // Three digits of a microsecond are more than was measured.
        latency_us: (cell.mean_us.max(0.001) * 1e3).round() / 1e3,
    };
    let mut points = Vec::new();
    for direction in [Direction::Read, Direction::Write] {
        let is_measured = cells.iter().any(|cell| cell.kind.direction == direction);
        let of = |cell: &&ProbeCell| !is_measured || cell.kind.direction == direction;
        points.extend(cells.iter().filter(of).map(|cell| point(direction, cell)));
    }
    DeviceProfile { points, ..DeviceProfile::of(ModelKind::Measured) }
}
