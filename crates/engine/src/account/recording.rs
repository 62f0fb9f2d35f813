//! How the history of an engine's activity is recorded, as `sys.dm_millpond_history_state` shows it.
//!
//! What always holds: who records writes it, others read. It does not know who that is.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use parking_lot::Mutex;

/// The state of the recording.
#[derive(Debug, Default)]
pub struct Recording {
    /// Somebody records.
    pub is_on: AtomicBool,
    /// Why nothing is recorded at present.
    reason: Mutex<Option<String>>,
    /// Samples of a second that were taken since the start.
    samples: AtomicU64,
    /// Processor time of that.
    cpu_us: AtomicU64,
}

/// The same at one point in time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordingReport {
    /// Samples are written.
    pub is_recording: bool,
    /// Why not, where they were to be.
    pub reason: Option<String>,
    /// Samples of a second that were taken since the start.
    pub samples: u64,
    /// Processor time of that, microseconds.
    pub cpu_us: u64,
}

impl Recording {
    /// A sample was taken and written, or not, in so much processor time.
    pub fn sampled(&self, cpu_us: u64) {
        self.samples.fetch_add(1, Relaxed);
        self.cpu_us.fetch_add(cpu_us, Relaxed);
    }

    /// Nothing is recorded from here on, for that reason; without one it goes on.
    pub fn stopped(&self, reason: Option<String>) {
        *self.reason.lock() = reason;
    }

    /// How it is now.
    #[must_use]
    pub fn report(&self) -> RecordingReport {
        let reason = self.reason.lock().clone();
        RecordingReport {
            is_recording: self.is_on.load(Relaxed) && reason.is_none(),
            reason,
            samples: self.samples.load(Relaxed),
            cpu_us: self.cpu_us.load(Relaxed),
        }
    }
}
