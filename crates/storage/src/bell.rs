//! A bell: one thread sleeps until somebody rings. A ring that nobody hears is kept.

use std::time::Duration;

use parking_lot::{Condvar, Mutex};

/// Wakes the checkpointer.
#[derive(Debug, Default)]
pub struct Bell {
    rung: Mutex<bool>,
    heard: Condvar,
}

impl Bell {
    /// A log is nearly full.
    pub fn ring(&self) {
        *self.rung.lock() = true;
        self.heard.notify_all();
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
