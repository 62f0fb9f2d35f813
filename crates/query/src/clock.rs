//! CPU time of the running thread and of the process, for SET STATISTICS TIME and the session views.

use rustix::time::{ClockId, clock_gettime};

/// CPU time of this thread in microseconds.
#[must_use]
pub fn thread_cpu_us() -> u64 {
    cpu_us(ClockId::ThreadCPUTime)
}

/// CPU time of the process in microseconds.
#[must_use]
pub fn process_cpu_us() -> u64 {
    cpu_us(ClockId::ProcessCPUTime)
}

fn cpu_us(clock: ClockId) -> u64 {
    let time = clock_gettime(clock);
    u64::try_from(time.tv_sec).unwrap_or(0) * 1_000_000 + u64::try_from(time.tv_nsec).unwrap_or(0) / 1000
}
