//! CPU time of a session: of the thread that runs its request, and of the threads that its parallel plans have.
//!
//! What always holds: a thread of a plan adds all of its time when it ends, and it has ended when the run of the plan is
//! over; so between two points in time of the session's own thread the difference of [`SessionCpu::of_this_thread_us`] is exact.
//! Others see a running request as the system counts threads at that time.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use millpond_catalog::clock;
use parking_lot::Mutex;

/// A request at least this long has its CPU time asked for at its end: a shorter one hardly waits, and its elapsed time
/// is taken for it.
const MEASURED_FROM_US: u64 = 100;

/// CPU time of a session.
#[derive(Debug, Default)]
pub struct SessionCpu {
    /// Threads of plans that have ended.
    workers_us: AtomicU64,
    /// Threads that work for the session now.
    threads: Mutex<Vec<Busy>>,
}

/// A thread, and its CPU time and that of all workers when it began.
#[derive(Clone, Copy, Debug)]
struct Busy {
    thread: i32,
    start_us: u64,
    workers_us: u64,
}

impl SessionCpu {
    /// CPU time of this thread and of all threads of plans that have ended: for differences.
    #[must_use]
    pub fn of_this_thread_us(&self) -> u64 {
        clock::thread_cpu_us() + self.workers_us.load(Relaxed)
    }

    /// The running thread begins to work for the session: for a request, or for a plan.
    pub fn begin(&self) {
        let busy = Busy {
            thread: clock::thread_number(),
            start_us: clock::thread_cpu_us(),
            workers_us: self.workers_us.load(Relaxed),
        };
        self.threads.lock().push(busy);
    }

    /// The request of this thread is over after so long; returns its CPU time.
    pub fn end_request(&self, elapsed_us: u64) -> u64 {
        let Some(busy) = self.remove() else { return 0 };
        let workers_us = self.workers_us.load(Relaxed) - busy.workers_us;
        if elapsed_us < MEASURED_FROM_US && workers_us == 0 {
            return elapsed_us;
        }
        clock::thread_cpu_us().saturating_sub(busy.start_us) + workers_us
    }

    /// This thread of a plan ends.
    pub fn end_worker(&self) {
        if let Some(busy) = self.remove() {
            self.workers_us.fetch_add(clock::thread_cpu_us().saturating_sub(busy.start_us), Relaxed);
        }
    }

    fn remove(&self) -> Option<Busy> {
        let own = clock::thread_number();
        let mut threads = self.threads.lock();
        let place = threads.iter().position(|busy| busy.thread == own)?;
        Some(threads.swap_remove(place))
    }

    /// CPU time of the running request so far, as any session sees it; 0 when there is none.
    #[must_use]
    pub fn running_us(&self) -> u64 {
        let threads = self.threads.lock().clone();
        let ended_us = threads.iter().map(|busy| self.workers_us.load(Relaxed) - busy.workers_us).max();
        let alive = threads
            .iter()
            .map(|busy| clock::cpu_us_of_thread(busy.thread).map_or(0, |now_us| now_us.saturating_sub(busy.start_us)));
        alive.sum::<u64>() + ended_us.unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    /// Works until the thread has used so much.
    fn use_cpu(us: u64) {
        let start_us = clock::thread_cpu_us();
        while clock::thread_cpu_us() - start_us < us {
            std::hint::black_box(start_us);
        }
    }

    #[test]
    fn threads_of_plans_count_for_the_request_that_began_them() {
        let cpu = Arc::new(SessionCpu::default());
        assert_eq!(cpu.running_us(), 0);
        cpu.begin();
        let before_us = cpu.of_this_thread_us();
        let worker = Arc::clone(&cpu);
        let thread = std::thread::spawn(move || {
            worker.begin();
            use_cpu(20_000);
            worker.end_worker();
        });
        thread.join().expect("no panic");
        assert!(cpu.of_this_thread_us() - before_us >= 20_000);
        assert!(cpu.running_us() >= 20_000);
        assert!(cpu.end_request(1_000_000) >= 20_000);
        assert_eq!(cpu.running_us(), 0);
    }

    #[test]
    fn a_running_request_is_seen_by_others_and_a_short_one_costs_its_elapsed_time() {
        let cpu = SessionCpu::default();
        cpu.begin();
        use_cpu(20_000);
        let seen_us = std::thread::scope(|scope| scope.spawn(|| cpu.running_us()).join().expect("no panic"));
        assert!(seen_us > 0 && seen_us <= clock::thread_cpu_us());
        assert_eq!(cpu.end_request(99), 99);
        assert_eq!(cpu.end_request(99), 0, "it is over");
    }
}
