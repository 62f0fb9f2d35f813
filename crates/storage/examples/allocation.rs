//! What an extent costs, by number of files and sessions: `cargo run --release -p millpond-storage --example allocation`.
//!
//! A turn is what a table of 100 MB does to the maps: 1600 extents in batches of 8, their PFS bytes, one IAM page, and all
//! of it back.

use std::sync::Arc;
use std::time::Instant;

use millpond_device::SystemClock;
use millpond_storage::ask::{Ask, IoCount, Task};
use millpond_storage::contract::SessionId;
use millpond_storage::instance::{Instance, InstanceConfig};
use millpond_storage::settings::tempdb::{DeviceKind, TempFileConfig, TempdbConfig};
use millpond_storage::space::Owner;
use millpond_storage::wait::WaitType;

const EXTENTS: usize = 1600;
const TURNS: u32 = 50;

type Failure = Box<dyn std::error::Error + Send + Sync>;

fn open(files: usize) -> Result<Arc<Instance>, Failure> {
    let file = |n: usize| TempFileConfig {
        device: DeviceKind::Ram,
        size_pages: 16 * 1024 * 128 / files as u32,
        ..TempFileConfig::new(&format!("f{n}"), n == 0)
    };
    let tempdb = TempdbConfig { files: (0..=files).map(file).collect() };
    let clock = Arc::new(SystemClock::new());
    let config =
        InstanceConfig { max_memory_bytes: Some(256 << 20), tempdb: Some(tempdb), ..InstanceConfig::new(None, clock) };
    Ok(Instance::open(config)?)
}

fn turn(instance: &Instance, ask: &Ask<'_>) -> Result<(), Failure> {
    let (space, pool) = (instance.tempdb_space(), instance.pool());
    let iam = space.allocate_page(ask, pool)?;
    let mut extents = Vec::with_capacity(EXTENTS);
    while extents.len() < EXTENTS {
        let from = extents.len();
        space.allocate_extents(ask, pool, Owner::User, 8, &mut extents)?;
        for extent in &extents[from..] {
            space.set_pfs_extent(ask, pool, *extent, &[0x44; 8])?;
        }
    }
    space.free_extents(ask, pool, Owner::User, &extents)?;
    space.free_page(ask, pool, iam)?;
    Ok(())
}

fn run(instance: &Instance, sessions: u16) -> Result<u128, Failure> {
    let start = Instant::now();
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..sessions)
            .map(|n| {
                scope.spawn(move || {
                    let (task, io) = (Task::new(SessionId(51 + n)), IoCount::default());
                    (0..TURNS).try_for_each(|_| turn(instance, &Ask::new(&task, &io)))
                })
            })
            .collect();
        workers.into_iter().try_for_each(|worker| worker.join().expect("no panic"))
    })?;
    Ok(start.elapsed().as_nanos() / (u128::from(TURNS) * EXTENTS as u128 * u128::from(sessions)))
}

fn main() -> Result<(), Failure> {
    for files in [1, 8] {
        for sessions in [1, 10] {
            let instance = open(files)?;
            run(&instance, sessions)?;
            let extent_ns = run(&instance, sessions)?;
            let waits = |wait_type| instance.waits().report_of(wait_type);
            let (map, lock) = (waits(WaitType::PAGELATCH_UP), waits(WaitType::LATCH_EX));
            println!(
                "{files} files, {sessions:2} sessions: {extent_ns:5} ns per extent; map waits {} ({} µs), locks {} ({} µs)",
                map.waits, map.wait_us, lock.waits, lock.wait_us
            );
        }
    }
    Ok(())
}
