//! Records what the engine does, a sample a second, in the history of its data directory.
//!
//! What always holds: the thread ends before the engine is closed, after a last sample; whatever happens to the file, the server
//! goes on, and its log has one line. It does not know what a sample is made of.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::thread::JoinHandle;
use std::time::Duration;

use millpond_catalog::clock::thread_cpu_us;
use millpond_engine::activity;
use millpond_engine::engine::Engine;
use millpond_history::collector::Collector;
use millpond_history::recorder::{Event, Recorder as Ring};
use millpond_message::INFORMATION_MAX;
use parking_lot::{Condvar, Mutex};

const EACH_US: i64 = 1_000_000;
/// A sample so soon after a whole second is one of it.
const LATE_MAX_US: i64 = 50_000;
/// The severity of what an administrator should see.
const WARNING: u8 = 16;

#[derive(Default)]
struct Stop {
    is_asked: Mutex<bool>,
    asked: Condvar,
}

/// The thread; it ends with this.
pub struct Recorder {
    stop: Arc<Stop>,
    thread: Option<JoinHandle<()>>,
}

impl Recorder {
    /// Records from now on; nothing where no thread can be had, which the log says.
    pub fn start(engine: &Arc<Engine>, dir: &Path) -> Recorder {
        let stop = Arc::new(Stop::default());
        let (engine, ring, ended) = (Arc::clone(engine), Ring::new(dir), Arc::clone(&stop));
        let run = {
            let engine = Arc::clone(&engine);
            move || record(&engine, ring, &ended)
        };
        let thread = std::thread::Builder::new().name("history".into()).spawn(run);
        if let Err(error) = &thread {
            engine.log_text(WARNING, format!("The history is not recorded: no thread for it ({error})."));
        }
        Recorder { stop, thread: thread.ok() }
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        *self.stop.is_asked.lock() = true;
        self.stop.asked.notify_all();
        if let Some(thread) = self.thread.take() {
            // A panic of it was reported as any other.
            let _ = thread.join();
        }
    }
}

fn record(engine: &Engine, mut ring: Ring, stop: &Stop) {
    engine.recording.is_on.store(true, Relaxed);
    let run_us = engine.now_us().0;
    let begun_us = engine.clock_us();
    let mut collector = Collector::new(run_us);
    loop {
        let is_last = wait(engine, stop);
        let before_us = thread_cpu_us();
        // A clock that was set back before the run began would be a time of another run.
        let now = (on_the_second(engine.now_us().0).max(run_us), engine.clock_us().saturating_sub(begun_us));
        let due = activity::tick(engine, &mut collector, now, is_last);
        for event in ring.record(&due) {
            say(engine, event);
        }
        engine.recording.sampled(thread_cpu_us() - before_us);
        if is_last {
            engine.recording.is_on.store(false, Relaxed);
            return;
        }
    }
}

/// The whole second, where the thread woke a moment after it: so that intervals of seconds have a sample each.
fn on_the_second(utc_us: i64) -> i64 {
    let late_us = utc_us.rem_euclid(EACH_US);
    if late_us < LATE_MAX_US { utc_us - late_us } else { utc_us }
}

/// Waits for the next whole second, or until the server ends: then true.
fn wait(engine: &Engine, stop: &Stop) -> bool {
    let left_us = EACH_US - engine.now_us().0.rem_euclid(EACH_US);
    let mut is_asked = stop.is_asked.lock();
    if !*is_asked {
        stop.asked.wait_for(&mut is_asked, Duration::from_micros(left_us.unsigned_abs()));
    }
    *is_asked
}

fn say(engine: &Engine, event: Event) {
    match event {
        Event::Stopped(reason) => {
            engine.log_text(WARNING, format!("The history is not recorded for the time being: {reason}."));
            engine.recording.stopped(Some(reason));
        }
        Event::Resumed => {
            engine.recording.stopped(None);
            engine.log_text(INFORMATION_MAX, "The history is recorded again.".into());
        }
        Event::SetAside(path) => {
            let path = path.display();
            engine.log_text(WARNING, format!("The history was damaged; it is kept as '{path}', and a new one begins."));
        }
    }
}
