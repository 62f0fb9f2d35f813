//! The threads of one run of a parallel plan.
//!
//! P1: a run has threads of its own, so that one that waits for a lock keeps no other session's plan from going on, and
//! none of them is left when the run is over. P2: they have a lower priority than sessions' threads: a short statement
//! beside a parallel plan does not wait for a turn of each of its workers. P3: their CPU time is their session's.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use millpond_engine::session_shared::SessionShared;
use millpond_message::error::SqlResult;
use tokio::runtime::{Builder, EnterGuard, Runtime};

use crate::run::cell::RunCell;
use crate::run::failure;

/// By how much nicer workers are than the thread that began the run: a short statement has nine times the weight of a
/// worker, and the system lets it run as soon as it wakes (`benches/beside_spills.py`).
const NICE: i32 = 10;

/// Threads that run what a plan's exchanges begin.
pub(crate) struct Workers<'a> {
    /// None once they have ended.
    runtime: Option<Runtime>,
    cell: &'a RunCell,
    degree: u32,
    session: Arc<SessionShared>,
}

impl Workers<'_> {
    /// As many threads as `degree` says, called after their session.
    pub(crate) fn start<'c>(degree: usize, session: &Arc<SessionShared>, cell: &'c RunCell) -> SqlResult<Workers<'c>> {
        let (starting, stopping) = (Arc::clone(session), Arc::clone(session));
        let runtime = Builder::new_multi_thread()
            .worker_threads(degree)
            // An expression is evaluated as deep as its tree is high.
            .thread_stack_size(millpond_tsql::STACK_BYTES)
            .thread_name(format!("plan of {}", session.id.0))
            .on_thread_start(move || {
                lower_priority();
                starting.cpu.begin();
            })
            .on_thread_stop(move || stopping.cpu.end_worker())
            .build()
            .map_err(|error| failure::internal(&format!("no threads for a parallel plan: {error}")))?;
        let degree = u32::try_from(degree).unwrap_or(u32::MAX);
        session.workers.fetch_add(degree, Relaxed);
        Ok(Workers { runtime: Some(runtime), cell, degree, session: Arc::clone(session) })
    }

    /// While the guard lives, what this thread begins is begun on the workers.
    pub(crate) fn enter(&self) -> Option<EnterGuard<'_>> {
        self.runtime.as_ref().map(Runtime::enter)
    }
}

impl Drop for Workers<'_> {
    fn drop(&mut self) {
        // Scans and joins stop at their next page or batch; then their threads end, which is waited for.
        self.cell.stop();
        drop(self.runtime.take());
        self.session.workers.fetch_sub(self.degree, Relaxed);
    }
}

/// A worker that cannot be made nicer works all the same.
fn lower_priority() {
    let own = rustix::thread::gettid();
    let present = rustix::process::getpriority_process(Some(own)).unwrap_or(0);
    let _ = rustix::process::setpriority_process(Some(own), present + NICE);
}
