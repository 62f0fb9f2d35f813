//! Process 1's duty: children of others that were left to it are waited for, or they stay in the table of processes.
//!
//! What always holds: begins when the process has no children of its own any more, whose end it would take from those who
//! wait for it.

use rustix::process::{WaitOptions, wait};
use tokio::signal::unix::{SignalKind, signal};

/// Begins, where this is process 1.
pub fn begin() {
    if std::process::id() != 1 {
        return;
    }
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_io().build() else { return };
    std::thread::spawn(move || {
        runtime.block_on(async {
            let Ok(mut ended) = signal(SignalKind::child()) else { return };
            loop {
                while let Ok(Some(_)) = wait(WaitOptions::NOHANG) {}
                if ended.recv().await.is_none() {
                    return;
                }
            }
        });
    });
}
