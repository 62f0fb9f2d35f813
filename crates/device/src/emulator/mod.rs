//! Devices that are not there: what a request costs, worked out as it goes.
//!
//! ```text
//!   volume     the device of a configuration: cache, station, counters, one clock; threads wait here
//!     ├── cache      a controller cache in front of any station
//!     └── station    one of
//!           ├── disk      arm, turning platters, commands sorted by the drive
//!           ├── flash     channels, medium and links side by side
//!           ├── measured  a table of what was measured
//!           └── composed  a stripe or a mirror of other volumes
//! ```
//!
//! What always holds: a station is a state machine without threads and without chance. A request is submitted with the
//! time of its arrival; [`station::Station::poll`] carries the state forward to a time and says whether the request
//! is done. A thread that waits for it polls again when it says so, so none has to run while none waits: what happened
//! in between (a cache that wrote to its disk) is worked out at the next call. Time is nanoseconds of the volume's
//! clock, so that devices of a few microseconds are exact. It knows no bytes: those are the files' own.

pub mod cache;
pub mod composed;
pub mod disk;
pub mod flash;
pub mod measured;
pub mod station;
pub mod volume;

/// Nanoseconds of a time in microseconds with a fraction.
pub(crate) fn ns_of_us(us: f64) -> u64 {
    (us * 1e3).round() as u64
}

/// Nanoseconds in which `bytes` pass at `mb_s` (10^6 bytes a second).
pub(crate) fn transfer_ns(bytes: u64, mb_s: f64) -> u64 {
    (bytes as f64 * 1e3 / mb_s).round() as u64
}
