//! The thread that looks for slow requests. It has nothing to do with I/O itself, so that a device that stands still does
//! not keep it from telling so.

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use parking_lot::Mutex;

use crate::file::volume::Volume;
use millpond_device::wakeup::Wakeup;

/// How often running requests are looked at.
const TICK: Duration = Duration::from_secs(1);

/// The thread that looks for slow requests; it ends with this value.
#[derive(Debug)]
pub struct Watcher {
    stop: Arc<(Wakeup, Mutex<bool>)>,
    thread: Option<JoinHandle<()>>,
}

impl Watcher {
    /// Begins to look at the files of `volume`. Without a thread, if the system has none, no one looks at them.
    #[must_use]
    pub fn start(volume: Arc<Volume>) -> Watcher {
        let stop = Arc::new((Wakeup::default(), Mutex::new(false)));
        let own = stop.clone();
        let run = move || {
            loop {
                own.0.wait(TICK);
                if *own.1.lock() {
                    return;
                }
                volume.look_for_slow();
            }
        };
        Watcher { stop, thread: std::thread::Builder::new().name("io watch".into()).spawn(run).ok() }
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        *self.stop.1.lock() = true;
        self.stop.0.wake();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
