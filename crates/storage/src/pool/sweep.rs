//! The lazy writer: one thread that keeps a reserve of free frames, so that those who need one seldom make it.
//!
//! ```text
//!   asleep ──free frames below the reserve──▶ sweeping ──twice the reserve free──▶ asleep
//!                                                │ nothing can go: sleeps a moment and tries again while it is asked to
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
use crate::contract::SessionId;
use crate::pool::Pool;
use crate::pool::free::ShardNo;
use crate::wait::{WaitGuard, WaitType};

/// Sleep between looks when nobody calls, as the original does.
const NAP: Duration = Duration::from_secs(1);
/// Sleep when nothing could go, doubled each time up to 128 times; calls do not shorten it, because those who call make
/// room themselves.
const DROWSE: Duration = Duration::from_millis(2);
const DROWSE_DOUBLINGS_MAX: u32 = 7;
/// Frames freed between two looks at the lists, so that waiters get theirs early: four writes of the largest size, which a
/// device takes together.
const BATCH: usize = 128;

/// The bell of the lazy writer.
#[derive(Debug, Default)]
struct Bell {
    called: AtomicBool,
    stopping: Mutex<bool>,
    rope: Condvar,
}

/// The lazy writer as the pool sees it.
#[derive(Debug, Default)]
pub(crate) struct LazyWriter {
    bell: Arc<Bell>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl LazyWriter {
    /// Starts the thread. Without it, if the system has none, whoever needs room makes it.
    pub(crate) fn start(&self, pool: &Arc<Pool>) {
        let (bell, pool) = (self.bell.clone(), Arc::downgrade(pool));
        let name = "lazy writer".to_owned();
        *self.thread.lock() = std::thread::Builder::new().name(name).spawn(move || run(&bell, &pool)).ok();
    }

    /// Frames that should be free at least: a hundredth of the pool, within bounds.
    pub(crate) fn reserve_min(&self, target: u32) -> usize {
        (target as usize / 128).clamp(2, 512)
    }

    /// Frames that are freed to: twice that.
    pub(crate) fn reserve_max(&self, target: u32) -> usize {
        self.reserve_min(target) * 2
    }

    /// Wakes the thread.
    fn call(&self) {
        if !self.bell.called.swap(true, Relaxed) {
            // Under the lock, so that the call cannot fall between the look at it and the sleep.
            let _stopping = self.bell.stopping.lock();
            self.bell.rope.notify_one();
        }
    }

    /// Ends the thread and waits for it, unless it is the one that asks.
    pub(crate) fn stop(&self) {
        *self.bell.stopping.lock() = true;
        self.bell.rope.notify_one();
        if let Some(thread) = self.thread.lock().take()
            && thread.thread().id() != std::thread::current().id()
        {
            let _ = thread.join();
        }
    }
}

fn run(bell: &Bell, pool: &Weak<Pool>) {
    let mut failures = 0;
    loop {
        let Some(strong) = pool.upgrade() else { return };
        failures = if strong.fill_reserve() { 0 } else { failures + 1 };
        let waits = strong.waits.clone();
        drop(strong);
        let goes_on = as_server(|ask| {
            let _wait = WaitGuard::begin(&waits, ask, WaitType::LAZYWRITER_SLEEP, None);
            bell.sleep(failures)
        });
        if !goes_on {
            return;
        }
    }
}

impl Bell {
    /// Sleeps until it is called or the nap is over; after failures a moment, whoever calls. False when it is time to
    /// stop.
    fn sleep(&self, failures: u32) -> bool {
        let mut stopping = self.stopping.lock();
        if failures > 0 {
            let moment = DROWSE * (1 << failures.min(DROWSE_DOUBLINGS_MAX));
            self.rope.wait_while_for(&mut stopping, |stopping| !*stopping, moment);
        } else {
            let called = &self.called;
            self.rope.wait_while_for(&mut stopping, |stopping| !*stopping && !called.load(Relaxed), NAP);
        }
        self.called.store(false, Relaxed);
        !*stopping
    }
}

impl Pool {
    /// Wakes the lazy writer if memory is used up and the reserve touched.
    #[inline]
    pub(crate) fn call_lazy_writer(&self) {
        if self.is_short() {
            self.lazy_writer.call();
        }
    }

    fn is_short(&self) -> bool {
        self.chunks.is_grown() && self.free.count() < self.lazy_writer.reserve_min(self.chunks.target())
    }

    /// Frees frames until there are twice the reserve; false when not even the reserve could be had.
    fn fill_reserve(&self) -> bool {
        if !self.is_short() {
            return true;
        }
        let wanted = self.lazy_writer.reserve_max(self.chunks.target());
        as_server(|ask| {
            while self.free.count() < wanted {
                let freed = self.make_room(ask, BATCH.min(wanted));
                if freed.is_empty() {
                    break;
                }
                self.free.give(ShardNo::of(SessionId(0)), &freed);
            }
        });
        !self.is_short()
    }
}
