//! The signal that the server stops: SHUTDOWN asks for it, the thread that ends the process waits for it.

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use parking_lot::{Condvar, Mutex};

/// Whether the server is to stop. Once requested it stays so.
#[derive(Debug, Default)]
pub struct StopSignal {
    is_requested: AtomicBool,
    waiting: Mutex<()>,
    wakeup: Condvar,
}

impl StopSignal {
    /// The server is to stop: threads in [`StopSignal::wait`] go on.
    pub fn request(&self) {
        // No thread is between its look at the signal and its sleep.
        let _waiting = self.waiting.lock();
        self.is_requested.store(true, Relaxed);
        self.wakeup.notify_all();
    }

    /// Whether a stop was requested.
    #[must_use]
    pub fn is_requested(&self) -> bool {
        self.is_requested.load(Relaxed)
    }

    /// Waits until a stop is requested.
    pub fn wait(&self) {
        let mut waiting = self.waiting.lock();
        while !self.is_requested() {
            self.wakeup.wait(&mut waiting);
        }
    }
}
