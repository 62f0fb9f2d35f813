//! The account of one device: requests, bytes and the time that callers stood still for them.
//!
//! What always holds: a request counts once, when it is finished, whatever its size and whether or not it failed; bytes
//! count only when they arrived. Counters are relaxed atomics and only grow.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

use crate::latency::{Latencies, LatencyMeter, add_each};

/// Counters of one device.
#[derive(Debug, Default)]
pub struct Meter {
    reads: AtomicU64,
    read_bytes: AtomicU64,
    read_stall_us: AtomicU64,
    writes: AtomicU64,
    write_bytes: AtomicU64,
    write_stall_us: AtomicU64,
    syncs: AtomicU64,
    sync_stall_us: AtomicU64,
    latencies: [LatencyMeter; 3],
}

/// The counters at one point in time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MeterReading {
    /// Read requests.
    pub reads: u64,
    /// Bytes read.
    pub read_bytes: u64,
    /// Time in reads.
    pub read_stall_us: u64,
    /// Write requests.
    pub writes: u64,
    /// Bytes written.
    pub write_bytes: u64,
    /// Time in writes.
    pub write_stall_us: u64,
    /// Syncs.
    pub syncs: u64,
    /// Time in syncs.
    pub sync_stall_us: u64,
    /// How long reads, writes and syncs took.
    pub latencies: [Latencies; 3],
}

/// Both together.
impl std::ops::Add for MeterReading {
    type Output = MeterReading;

    fn add(self, other: MeterReading) -> MeterReading {
        let mut latencies = self.latencies;
        add_each(&mut latencies, other.latencies);
        MeterReading {
            reads: self.reads + other.reads,
            read_bytes: self.read_bytes + other.read_bytes,
            read_stall_us: self.read_stall_us + other.read_stall_us,
            writes: self.writes + other.writes,
            write_bytes: self.write_bytes + other.write_bytes,
            write_stall_us: self.write_stall_us + other.write_stall_us,
            syncs: self.syncs + other.syncs,
            sync_stall_us: self.sync_stall_us + other.sync_stall_us,
            latencies,
        }
    }
}

pub(crate) fn elapsed_us(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_micros()).unwrap_or(u64::MAX)
}

impl Meter {
    /// Runs and counts a read of `bytes`.
    ///
    /// # Errors
    /// Those of `work`.
    pub fn read<E>(&self, bytes: u64, work: impl FnOnce() -> Result<(), E>) -> Result<(), E> {
        let start = Instant::now();
        let result = work();
        self.count_read(bytes, elapsed_us(start), result.is_ok());
        result
    }

    /// Runs and counts a write of `bytes`.
    ///
    /// # Errors
    /// Those of `work`.
    pub fn write<E>(&self, bytes: u64, work: impl FnOnce() -> Result<(), E>) -> Result<(), E> {
        let start = Instant::now();
        let result = work();
        self.count_write(bytes, elapsed_us(start), result.is_ok());
        result
    }

    /// Runs and counts a sync.
    ///
    /// # Errors
    /// Those of `work`.
    pub fn sync<E>(&self, work: impl FnOnce() -> Result<(), E>) -> Result<(), E> {
        let start = Instant::now();
        let result = work();
        self.count_sync(elapsed_us(start));
        result
    }

    /// Counts a read whose time was taken on another clock than the machine's.
    pub fn count_read(&self, bytes: u64, stall_us: u64, arrived: bool) {
        self.reads.fetch_add(1, Relaxed);
        self.read_stall_us.fetch_add(stall_us, Relaxed);
        self.latencies[0].count(stall_us);
        if arrived {
            self.read_bytes.fetch_add(bytes, Relaxed);
        }
    }

    /// As [`Meter::count_read`], of a write.
    pub fn count_write(&self, bytes: u64, stall_us: u64, arrived: bool) {
        self.writes.fetch_add(1, Relaxed);
        self.write_stall_us.fetch_add(stall_us, Relaxed);
        self.latencies[1].count(stall_us);
        if arrived {
            self.write_bytes.fetch_add(bytes, Relaxed);
        }
    }

    /// As [`Meter::count_read`], of a sync.
    pub fn count_sync(&self, stall_us: u64) {
        self.syncs.fetch_add(1, Relaxed);
        self.sync_stall_us.fetch_add(stall_us, Relaxed);
        self.latencies[2].count(stall_us);
    }

    /// The counters now.
    #[must_use]
    pub fn reading(&self) -> MeterReading {
        MeterReading {
            reads: self.reads.load(Relaxed),
            read_bytes: self.read_bytes.load(Relaxed),
            read_stall_us: self.read_stall_us.load(Relaxed),
            writes: self.writes.load(Relaxed),
            write_bytes: self.write_bytes.load(Relaxed),
            write_stall_us: self.write_stall_us.load(Relaxed),
            syncs: self.syncs.load(Relaxed),
            sync_stall_us: self.sync_stall_us.load(Relaxed),
            latencies: [0, 1, 2].map(|kind| self.latencies[kind].reading()),
        }
    }
}
