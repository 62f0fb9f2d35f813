//! Ctrl-C cancels the batch that runs. Outside of a batch, or a second time, it ends the process as usual.

use std::sync::atomic::{AtomicU8, Ordering::SeqCst};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::signal::unix::SignalKind;

use super::target::Canceller;
use crate::signals;

/// No batch runs.
const IDLE: u8 = 0;
/// A batch runs.
const RUNNING: u8 = 1;
/// A batch runs and was asked to stop.
const CANCELLED: u8 = 2;
/// Exit code of a process that SIGINT ended.
const EXIT_CODE: i32 = 130;

/// Whether a batch runs, for the listener in the background.
pub struct Interrupts {
    state: Arc<AtomicU8>,
    cancel: Arc<Mutex<Canceller>>,
}

impl Interrupts {
    /// Installs no signal handler: the process has its own.
    pub fn none(cancel: Canceller) -> Interrupts {
        Interrupts { state: Arc::new(AtomicU8::new(IDLE)), cancel: Arc::new(Mutex::new(cancel)) }
    }

    /// Begins to listen. Where signals cannot be had, Ctrl-C ends the process.
    pub fn listen(cancel: Canceller) -> Interrupts {
        let interrupts = Interrupts::none(cancel);
        let (seen, cancel) = (Arc::clone(&interrupts.state), Arc::clone(&interrupts.cancel));
        // Before the reader of lines begins, which puts back the handler that it finds.
        if let Ok((runtime, [mut signal])) = signals::caught([SignalKind::interrupt()]) {
            std::thread::spawn(move || {
                runtime.block_on(async {
                    while signal.recv().await.is_some() {
                        let cancel = Arc::clone(&cancel.lock().unwrap_or_else(PoisonError::into_inner));
                        interrupt(&seen, &cancel);
                    }
                });
            });
        }
        interrupts
    }

    /// There is another connection.
    pub fn cancel_by(&self, cancel: Canceller) {
        *self.cancel.lock().unwrap_or_else(PoisonError::into_inner) = cancel;
    }

    /// A batch begins.
    pub fn begin(&self) {
        self.state.store(RUNNING, SeqCst);
    }

    /// The batch has ended; whether Ctrl-C was pressed.
    pub fn end(&self) -> bool {
        self.state.swap(IDLE, SeqCst) == CANCELLED
    }
}

fn interrupt(state: &AtomicU8, cancel: &Canceller) {
    if state.compare_exchange(RUNNING, CANCELLED, SeqCst, SeqCst).is_ok() {
        cancel();
    } else {
        std::process::exit(EXIT_CODE);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU32;

    use super::*;

    #[test]
    fn the_first_one_cancels() {
        let count = Arc::new(AtomicU32::new(0));
        let counted = Arc::clone(&count);
        let cancel: Canceller = Arc::new(move || {
            counted.fetch_add(1, SeqCst);
        });
        let interrupts = Interrupts::none(Arc::clone(&cancel));
        interrupts.begin();
        assert!(!interrupts.end());
        interrupts.begin();
        interrupt(&interrupts.state, &cancel);
        assert!(interrupts.end());
        assert!(!interrupts.end());
        assert_eq!(count.load(SeqCst), 1);
    }
}
