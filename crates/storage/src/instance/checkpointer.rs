//! Checkpoints: asked for, automatic, and the last one of a shutdown.
//!
//! ```text
//!   every tick, or when a log is nearly full ──▶ each open database ──▶ more to redo than its target allows? ──▶ checkpoint
//! ```
//!
//! What always holds: one checkpoint of a database at a time. Automatic ones keep the log that recovery would read below
//! what the target of the database stands for, so that a restart does not take longer; where the log is not kept for
//! backups, they also run when it fills. While they are suspended (`automatic checkpoints` 0, trace flag 3505) only
//! a user, a backup or the shutdown takes one, also when a log fills: a session that needs its space gets 9002.
//!
//! The thread looks at what the process and the machine do, too: each minute is a record of `millpond_device::health`.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::thread::JoinHandle;
use std::time::Duration;

use millpond_device::health::Reading;

use crate::ask::{Ask, IoCount, Task};
use crate::contract::{SessionId, WriteReason};
use crate::database::checkpoint::run_checkpoint;
use crate::database::databases::Registry;
use crate::database::{Database, DatabaseState};
use crate::services::StorageServices;
use crate::settings::Settings;
use crate::settings::options::OptionId;
use crate::wal::ReuseWait;

/// How often the logs are looked at.
const TICK: Duration = Duration::from_millis(500);
/// Log that is done again in a second of recovery target, with pages that have to be read first.
const REDO_BYTES_PER_S: u64 = 4 << 20;
/// `recovery interval` when the server decides.
const INTERVAL_DEFAULT_S: u64 = 60;
/// A log as full as this is cut, if a checkpoint can do it.
const FULL_PERCENT: u64 = 70;

#[derive(Debug)]
struct Shared {
    services: StorageServices,
    registry: Arc<Registry>,
    settings: Arc<Settings>,
    is_stopping: AtomicBool,
    is_suspended: AtomicBool,
}

/// The thread that takes automatic checkpoints; it ends with this value.
#[derive(Debug)]
pub struct Checkpointer {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl Checkpointer {
    /// Begins to watch the databases.
    ///
    /// # Panics
    /// When the system gives no thread.
    #[must_use]
    pub fn start(services: StorageServices, registry: Arc<Registry>, settings: Arc<Settings>) -> Checkpointer {
        let shared = Arc::new(Shared {
            services,
            registry,
            settings,
            is_stopping: AtomicBool::new(false),
            is_suspended: AtomicBool::new(false),
        });
        let own = shared.clone();
        let thread = std::thread::Builder::new().name("checkpointer".into()).spawn(move || run(&own));
        Checkpointer { shared, thread: Some(thread.expect("the system has threads at a start")) }
    }

    /// No automatic checkpoints from now on, or again.
    pub fn suspend(&self, on: bool) {
        self.shared.is_suspended.store(on, Relaxed);
        self.shared.services.wakeup.wake();
    }
}

impl Drop for Checkpointer {
    fn drop(&mut self) {
        self.shared.is_stopping.store(true, Relaxed);
        self.shared.services.wakeup.wake();
        if let Some(thread) = self.thread.take() {
            // A panic in there was reported already.
            let _ = thread.join();
        }
    }
}

fn run(shared: &Shared) {
    let (task, io) = (Task::new(SessionId(0)), IoCount::default());
    let ask = Ask::new(&task, &io);
    loop {
        shared.services.health.look(shared.services.clock.now_us(), Reading::now);
        shared.services.wakeup.wait(TICK);
        if shared.is_stopping.load(Relaxed) {
            return;
        }
        let is_off = shared.is_suspended.load(Relaxed) || !shared.settings.is_on(OptionId::AutomaticCheckpoints);
        shared.services.wakeup.set_unattended(is_off);
        if is_off {
            continue;
        }
        let databases: Vec<_> = shared.registry.read().values().cloned().collect();
        for database in databases.iter().filter(|database| is_due(database, &shared.settings)) {
            // A database that cannot write says so to sessions that commit; here it is tried again at the next tick.
            let _ = run_checkpoint(&ask, &shared.services, database, WriteReason::Checkpoint);
        }
    }
}

/// Whether an automatic checkpoint should be taken.
fn is_due(database: &Database, settings: &Settings) -> bool {
    let (Ok(Some(log)), DatabaseState::Online | DatabaseState::Recovering) = (database.log(), database.state()) else {
        return false;
    };
    let report = log.report();
    let is_full = report.used_bytes * 100 >= report.capacity_bytes * FULL_PERCENT;
    let redo_max_bytes = redo_max_bytes(database.options().target_recovery_s, settings);
    report.recovery_bytes > redo_max_bytes || is_full && report.reuse_wait == ReuseWait::Checkpoint
}

/// Log that recovery may have to read: TARGET_RECOVERY_TIME, or `recovery interval` where that is 0.
fn redo_max_bytes(target_recovery_s: u32, settings: &Settings) -> u64 {
    let target_s = match u64::from(target_recovery_s) {
        0 => interval_s(settings),
        target_s => target_s,
    };
    target_s * REDO_BYTES_PER_S
}

/// `recovery interval`
fn interval_s(settings: &Settings) -> u64 {
    match u64::try_from(settings.running(OptionId::RecoveryIntervalMin)).unwrap_or(0) {
        0 => INTERVAL_DEFAULT_S,
        minutes => minutes * 60,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Stored;

    #[test]
    fn the_databases_target_goes_before_the_servers_interval() {
        let settings = Settings::new(None, Stored::new([1; 16], 0));
        let megabytes = |target_s| redo_max_bytes(target_s, &settings) >> 20;
        assert_eq!([megabytes(60), megabytes(1), megabytes(0)], [240, 4, 240]);
        settings.set_option("show advanced options", 1).unwrap();
        settings.reconfigure(false).unwrap();
        settings.set_option("recovery interval (min)", 5).unwrap();
        settings.reconfigure(false).unwrap();
        assert_eq!([megabytes(1), megabytes(0)], [4, 1200]);
    }
}
