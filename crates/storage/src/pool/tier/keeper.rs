//! The extension's thread: it writes the directory, destages when too much is dirty, and clears up after a failure.
//!
//! What always holds: it keeps the pool alive only while it works, and ends with the extension that it was started for.

use std::sync::{Arc, Weak};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::ask::{Ask, as_server};
use crate::extension::device::Extension;
use crate::pool::Pool;
use crate::pool::eviction::Sweeper;
use crate::pool::tier::{destage, rebuild};

/// How often the directory is written: what a killed server forgets at most.
const TICK: Duration = Duration::from_secs(1);
/// Looks after a failure before the rest is left to tasks that ask for it, with [`PAUSE`] in between.
const PASSES_MAX: usize = 100;
const PAUSE: Duration = Duration::from_millis(10);

/// Starts the thread.
pub(crate) fn start(pool: &Arc<Pool>, extension: &Arc<Extension>) -> Option<JoinHandle<()>> {
    let (pool, extension) = (Arc::downgrade(pool), Arc::downgrade(extension));
    std::thread::Builder::new().name("extension".to_owned()).spawn(move || run(&pool, &extension)).ok()
}

fn run(pool: &Weak<Pool>, extension: &Weak<Extension>) {
    loop {
        let Some(wakeup) = pool.upgrade().map(|pool| pool.tier().wakeup.clone()) else { return };
        wakeup.wait(TICK);
        let (Some(pool), Some(extension)) = (pool.upgrade(), extension.upgrade()) else { return };
        if !pool.tier().get().is_some_and(|current| Arc::ptr_eq(&current, &extension)) {
            return;
        }
        let goes_on = as_server(|ask| keep_extension(&pool.sweeper, ask, &extension));
        if !goes_on {
            return;
        }
    }
}

/// One turn of the keeper; false when the extension is gone.
fn keep_extension(sweeper: &Sweeper, ask: &Ask<'_>, extension: &Arc<Extension>) -> bool {
    if extension.is_usable() {
        let (dirty, most) = (extension.slots.dirty() as usize, extension.dirty_max() as usize);
        if dirty >= most {
            // Down to seven eighths, so that the batches are large.
            let (_, _failure) = destage::oldest(sweeper, ask, dirty - most + most / 8);
        }
        extension.write_directory(false);
    }
    extension.is_usable() || !clear_failed(sweeper, ask, extension)
}

/// A failed extension goes: its directory counts no more, clean copies are forgotten, dirty ones done again.
/// False while something is left.
pub(crate) fn clear_failed(sweeper: &Sweeper, ask: &Ask<'_>, extension: &Arc<Extension>) -> bool {
    let buffers = sweeper.buffers();
    assert!(!extension.is_usable(), "what an extension has is given up, and it works");
    // Where even this cannot be said now, checkpoints wait until it can (E1).
    let is_reported = extension.distrust().is_ok();
    extension.slots.close();
    *buffers.tier.last_failure.lock() = Some(extension.report());
    for _ in 0..PASSES_MAX {
        buffers.clear_slots(extension);
        let left = rebuild::all(sweeper, ask, extension);
        if extension.slots.is_empty() && is_reported {
            let mut report = extension.report();
            (report.used, report.dirty) = (0, 0);
            *buffers.tier.last_failure.lock() = Some(report);
            assert!(extension.report().dirty == 0, "E4: an extension goes, and has pages that no file has");
            buffers.tier.set(None);
            return true;
        }
        if left > 0 && left as u32 == extension.slots.used() {
            return false;
        }
        std::thread::sleep(PAUSE);
    }
    false
}
