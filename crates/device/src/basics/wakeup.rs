//! One thread sleeps until it is woken. A call while the thread is awake is kept. It knows nothing of the thread's work.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

/// Wakes a thread that works from time to time.
#[derive(Debug, Default)]
pub struct Wakeup {
    is_called: Mutex<bool>,
    condvar: Condvar,
    is_unattended: AtomicBool,
}

impl Wakeup {
    /// There is work.
    pub fn wake(&self) {
        *self.is_called.lock() = true;
        self.condvar.notify_all();
    }

    /// Whether a thread comes when it is called.
    #[must_use]
    pub fn is_attended(&self) -> bool {
        !self.is_unattended.load(Relaxed)
    }

    /// No thread comes from now on, or one does again.
    pub fn set_unattended(&self, on: bool) {
        self.is_unattended.store(on, Relaxed);
    }

    /// Sleeps until it is called, or for `most`.
    pub fn wait(&self, most: Duration) {
        let mut is_called = self.is_called.lock();
        if !*is_called {
            self.condvar.wait_for(&mut is_called, most);
        }
        *is_called = false;
    }
}
