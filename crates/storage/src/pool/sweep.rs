//! The lazy writer: one thread that keeps a reserve of free frames, so that tasks that need one seldom make it.
//!
//! ```text
//!   asleep ──free frames below the reserve──▶ sweeping ──twice the reserve free──▶ asleep
//!                                                │ nothing can go: pauses and tries again while it is asked to
//! ```
//!
//! What always holds: it sleeps unless memory is used up, so an idle server has an idle lazy writer, and pages of
//! temporary tables are written for no other reason than memory. It keeps the pool alive only while it sweeps.

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Weak};
use std::thread::JoinHandle;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

use crate::ask::as_server;
use crate::pool::Pool;
use crate::wait::{WaitGuard, WaitType};

/// Sleep between looks when it is not called, as the original does.
const NAP: Duration = Duration::from_secs(1);
/// Sleep when nothing could go, doubled each time up to 128 times; calls do not shorten it, because callers make
/// room themselves.
const DROWSE: Duration = Duration::from_millis(2);
const DROWSE_DOUBLINGS_MAX: u32 = 7;
/// The wakeup of the lazy writer.
#[derive(Debug, Default)]
pub(crate) struct WriterWakeup {
    called: AtomicBool,
    stopping: Mutex<bool>,
    condvar: Condvar,
}

/// The lazy writer as the pool sees it.
#[derive(Debug, Default)]
pub(crate) struct LazyWriter {
    pub(crate) wakeup: Arc<WriterWakeup>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl LazyWriter {
    /// Starts the thread. Without it, if the system has none, tasks that need room make it.
    pub(crate) fn start(&self, pool: &Arc<Pool>) {
        let (wakeup, pool) = (self.wakeup.clone(), Arc::downgrade(pool));
        let name = "lazy writer".to_owned();
        *self.thread.lock() = std::thread::Builder::new().name(name).spawn(move || run(&wakeup, &pool)).ok();
    }

    /// Ends the thread and waits for it, unless it is the one that asks.
    pub(crate) fn stop(&self) {
        *self.wakeup.stopping.lock() = true;
        self.wakeup.condvar.notify_one();
        if let Some(thread) = self.thread.lock().take()
            && thread.thread().id() != std::thread::current().id()
        {
            let _ = thread.join();
        }
    }
}

fn run(wakeup: &WriterWakeup, pool: &Weak<Pool>) {
    let mut failures = 0;
    loop {
        let Some(strong) = pool.upgrade() else { return };
        failures = if strong.sweeper.fill_reserve() { 0 } else { failures + 1 };
        let waits = strong.buffers().waits.clone();
        drop(strong);
        let goes_on = as_server(|ask| {
            let _wait = WaitGuard::begin(&waits, ask, WaitType::LAZYWRITER_SLEEP, None);
            wakeup.sleep(failures)
        });
        if !goes_on {
            return;
        }
    }
}

impl WriterWakeup {
    /// Wakes the thread.
    pub(crate) fn call(&self) {
        if !self.called.swap(true, Relaxed) {
            // Under the lock, so that the call cannot fall between the look at it and the sleep.
            let _stopping = self.stopping.lock();
            self.condvar.notify_one();
        }
    }

    /// Sleeps until it is called or the nap is over; after failures some time, called or not. False when it is time to
    /// stop.
    fn sleep(&self, failures: u32) -> bool {
        let mut stopping = self.stopping.lock();
        if failures > 0 {
            let pause = DROWSE * (1 << failures.min(DROWSE_DOUBLINGS_MAX));
            self.condvar.wait_while_for(&mut stopping, |stopping| !*stopping, pause);
        } else {
            let called = &self.called;
            self.condvar.wait_while_for(&mut stopping, |stopping| !*stopping && !called.load(Relaxed), NAP);
        }
        self.called.store(false, Relaxed);
        !*stopping
    }
}
