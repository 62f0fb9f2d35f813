//! Signals of commands that are not asynchronous: a runtime of their own, whose thread waits for them.
//!
//! What always holds: they are caught from the return on, not only once something waits for them.

use std::io;

use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Catches the signals; the runtime is where they are waited for.
///
/// # Errors
/// The system gives no runtime, or does not let a signal be caught.
pub fn caught<const N: usize>(kinds: [SignalKind; N]) -> io::Result<(Runtime, [Signal; N])> {
    let runtime = Builder::new_current_thread().enable_io().build()?;
    let signals = {
        let _within = runtime.enter();
        kinds.into_iter().map(signal).collect::<io::Result<Vec<Signal>>>()?
    };
    let signals = signals.try_into().map_err(|_| io::Error::other("a signal is missing"))?;
    Ok((runtime, signals))
}
