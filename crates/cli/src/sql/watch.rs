//! `-t`: cancels a batch that takes too long.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use super::target::Canceller;

/// A batch's time is running.
pub struct Watch {
    running: Option<(Sender<()>, JoinHandle<bool>)>,
}

impl Watch {
    /// Starts the clock; without a limit nothing is watched.
    pub fn start(limit: Option<Duration>, cancel: Canceller) -> Watch {
        let running = limit.map(|limit| {
            let (stop, stopped) = channel();
            let watcher = std::thread::spawn(move || {
                let is_late = stopped.recv_timeout(limit) == Err(RecvTimeoutError::Timeout);
                if is_late {
                    cancel();
                }
                is_late
            });
            (stop, watcher)
        });
        Watch { running }
    }

    /// The batch has ended; whether it was cancelled.
    pub fn stop(self) -> bool {
        self.running.is_some_and(|(stop, watcher)| {
            let _ = stop.send(());
            watcher.join().unwrap_or(false)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn only_what_is_late_is_cancelled() {
        let (called, calls) = channel();
        let cancel: Canceller = Arc::new(move || called.send(()).expect("the test listens"));
        assert!(!Watch::start(None, Arc::clone(&cancel)).stop());
        assert!(!Watch::start(Some(Duration::from_secs(3600)), Arc::clone(&cancel)).stop());
        assert!(calls.try_recv().is_err());
        let watch = Watch::start(Some(Duration::ZERO), cancel);
        calls.recv().expect("cancelled");
        assert!(watch.stop());
    }
}
