//! A bell: one thread sleeps until it rings. A ring while the thread is awake is kept.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

/// Wakes the checkpointer.
#[derive(Debug, Default)]
pub struct Bell {
    rung: Mutex<bool>,
    heard: Condvar,
    is_deaf: AtomicBool,
}

impl Bell {
    /// A log is nearly full.
    pub fn ring(&self) {
        *self.rung.lock() = true;
        self.heard.notify_all();
    }

    /// Whether a thread comes when it rings.
    #[must_use]
    pub fn is_heard(&self) -> bool {
        !self.is_deaf.load(Relaxed)
    }

    /// No thread comes from now on, or one does again.
    pub fn set_deaf(&self, on: bool) {
        self.is_deaf.store(on, Relaxed);
    }

    /// Sleeps until the bell rings, or for `most`.
    pub fn wait(&self, most: Duration) {
        let mut rung = self.rung.lock();
        if !*rung {
            self.heard.wait_for(&mut rung, most);
        }
        *rung = false;
    }
}
