//! The signal that the server stops: SHUTDOWN asks for it, the thread that ends the process waits for it.

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use parking_lot::{Condvar, Mutex};

/// Whether the server is to stop. Once requested it stays so.
#[derive(Debug, Default)]
pub struct StopSignal {
    is_requested: AtomicBool,
    stopped: Mutex<bool>,
    wakeup: Condvar,
}

impl StopSignal {
    /// The server is to stop: threads in [`StopSignal::wait`] go on.
    pub fn request(&self) {
        self.is_requested.store(true, Relaxed);
        *self.stopped.lock() = true;
        self.wakeup.notify_all();
    }

    /// Whether a stop was requested.
    #[must_use]
    pub fn is_requested(&self) -> bool {
        self.is_requested.load(Relaxed)
    }

    /// Waits until a stop is requested.
    pub fn wait(&self) {
        let mut stopped = self.stopped.lock();
        while !*stopped {
            self.wakeup.wait(&mut stopped);
        }
    }
}
