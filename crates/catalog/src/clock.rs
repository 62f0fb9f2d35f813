//! CPU time of threads and of the process, for SET STATISTICS TIME and the session views; microseconds since 1970 as values.

use std::cell::Cell;

use millpond_types::temporal::DateTime2;
use rustix::time::{ClockId, clock_gettime};

thread_local! {
    /// The system's number of this thread, asked for once.
    static NUMBER: Cell<i32> = const { Cell::new(0) };
}

/// Microseconds since 1970 as datetime2(7); what lies after the year 9999 is its last point in time.
#[must_use]
pub fn datetime2_of_unix_us(us: i64) -> DateTime2 {
    DateTime2::from_unix_nanos(i128::from(us) * 1000).unwrap_or(DateTime2::MAX)
}

/// CPU time of this thread in microseconds.
#[must_use]
pub fn thread_cpu_us() -> u64 {
    thread_cpu_ns() / 1000
}

/// The same in nanoseconds.
#[must_use]
pub fn thread_cpu_ns() -> u64 {
    cpu_ns(ClockId::ThreadCPUTime)
}

/// CPU time of the process in microseconds.
#[must_use]
pub fn process_cpu_us() -> u64 {
    cpu_ns(ClockId::ProcessCPUTime) / 1000
}

/// This thread, as [`cpu_us_of_thread`] knows it.
#[must_use]
pub fn thread_number() -> i32 {
    NUMBER.with(|number| {
        if number.get() == 0 {
            number.set(rustix::thread::gettid().as_raw_nonzero().get());
        }
        number.get()
    })
}

/// CPU time of any thread of the process in microseconds; `None` when it has ended, or the system does not say.
#[must_use]
pub fn cpu_us_of_thread(number: i32) -> Option<u64> {
    // The first number: nanoseconds on a processor.
    let text = std::fs::read_to_string(format!("/proc/self/task/{number}/schedstat")).ok()?;
    text.split_ascii_whitespace().next()?.parse().ok().map(|ns: u64| ns / 1000)
}

fn cpu_ns(clock: ClockId) -> u64 {
    let time = clock_gettime(clock);
    u64::try_from(time.tv_sec).unwrap_or(0) * 1_000_000_000 + u64::try_from(time.tv_nsec).unwrap_or(0)
}
