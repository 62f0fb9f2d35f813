//! Runs: what was appended comes back in order, from memory or not, and nothing is left of it.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use millpond_access::{AccessError, Ctx, ObjectId, Run, SpaceQuota, SpaceUse};
use millpond_device::SystemClock;
use millpond_storage::ask::Task;
use millpond_storage::contract::{DbId, SessionId, WriteReason};
use millpond_storage::instance::{Instance, InstanceConfig};
use millpond_storage::settings::tempdb::{GrowthConfig, TempFileConfig, TempdbConfig};
use millpond_storage::space::{Owner, SpaceError};

use crate::rig::Session;

/// Memory of the pool: less than what the runs have.
const MEMORY_BYTES: u64 = 4 << 20;

/// An instance with one data file of tempdb that does not grow.
fn instance(file_pages: u32) -> Arc<Instance> {
    let data = TempFileConfig {
        size_pages: file_pages,
        growth: GrowthConfig::Pages(0),
        ..TempFileConfig::new("tempdev", false)
    };
    let config = InstanceConfig {
        max_memory_bytes: Some(MEMORY_BYTES),
        tempdb: Some(TempdbConfig { files: vec![data, TempFileConfig::new("templog", true)] }),
        ..InstanceConfig::new(None, Arc::new(SystemClock::new()))
    };
    Instance::open(config).expect("in memory")
}

fn ctx(instance: &Instance, usage: SpaceUse) -> Ctx {
    Ctx {
        db: DbId::TEMPDB,
        pool: instance.pool().clone(),
        space: instance.tempdb_space().clone(),
        owner: Owner::Internal,
        usage: Arc::new(usage),
    }
}

fn run(ctx: &Ctx) -> Arc<Run> {
    Arc::new(Run::create(ctx, ObjectId(1 << 30), Arc::new(Task::new(SessionId(51)))))
}

/// Bytes that say where they are.
fn bytes(from: u64, count: usize) -> Vec<u8> {
    (from..from + count as u64).map(|at| (at.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56) as u8).collect()
}

/// Appends pieces of growing size until there are `total` bytes.
fn fill(run: &Run, session: &Session, total: u64) {
    let (mut at, mut size) = (0, 1);
    while at < total {
        let count = size.min((total - at) as usize);
        run.append(&session.ask(), &bytes(at, count)).expect("there is room");
        at += count as u64;
        size = size * 3 % 300_007 + 1;
    }
}

fn assert_whole(run: &Arc<Run>, session: &Session, total: u64) {
    let (mut reader, mut at) = (run.reader(), 0);
    while let Some(chunk) = reader.next_chunk(&session.ask()).expect("readable") {
        assert!(chunk == bytes(at, chunk.len()), "wrong bytes after {at}");
        at += chunk.len() as u64;
    }
    assert_eq!((at, run.len_bytes()), (total, total));
}

#[test]
fn runs_larger_than_memory_come_back_as_they_were_and_leave_nothing() {
    let (instance, session) = (instance(4096), Session::new(51));
    let ctx = ctx(&instance, SpaceUse::default());
    let runs = [0, 1, 8095, 8096, 8097, 9 << 20, 12_345_678].map(|total| (run(&ctx), total));
    for (run, total) in &runs {
        fill(run, &session, *total);
    }
    for (run, total) in &runs {
        assert_whole(run, &session, *total);
        assert_whole(run, &session, *total);
    }
    let reads = session.io.physical_reads.load(Relaxed) + session.io.read_ahead_reads.load(Relaxed);
    assert!(reads > 1000, "{reads} pages were read from the file");
    let files = instance.report().files;
    let spilled = |reason: WriteReason| -> u64 {
        {
            let of_reason = files.iter().flat_map(|file| &file.writes).filter(|count| count.reason == reason);
            of_reason.map(|count| count.bytes).sum()
        }
    };
    assert!(spilled(WriteReason::Spill) > 8 << 20, "most pages left memory");
    assert!(spilled(WriteReason::Lazy) < 1 << 17, "for another reason none but the maps");
    assert!(ctx.usage.alloc_pages.load(Relaxed) > 2000);
    drop(runs);
    assert_eq!(ctx.usage.alloc_pages.load(Relaxed), ctx.usage.dealloc_pages.load(Relaxed));
    assert!(instance.tempdb_space().report().iter().all(|file| file.reserved == [0; 3]));
}

/// More readers than reads may wait; each reads on after what it gave, and some are dropped while they do.
#[test]
fn many_readers_at_once_see_the_same_bytes_and_leave_nothing() {
    let (instance, session) = (instance(4096), Session::new(51));
    let ctx = ctx(&instance, SpaceUse::default());
    let run = run(&ctx);
    fill(&run, &session, 12 << 20);
    let mut readers: Vec<_> = (0..200).map(|_| (run.reader(), 0)).collect();
    for round in 0..40 {
        for (reader, at) in &mut readers {
            if let Some(chunk) = reader.next_chunk(&session.ask()).expect("readable") {
                assert!(chunk == bytes(*at, chunk.len()), "wrong bytes after {at}");
                *at += chunk.len() as u64;
            }
        }
        readers.truncate(200 - round * 5);
    }
    assert!(readers.iter().all(|(_, at)| *at == 12 << 20));
    drop((readers, run));
    assert_eq!(ctx.usage.alloc_pages.load(Relaxed), ctx.usage.dealloc_pages.load(Relaxed));
    assert!(instance.tempdb_space().report().iter().all(|file| file.reserved == [0; 3]));
}

#[test]
fn what_is_appended_while_somebody_reads_is_read() {
    let (instance, session) = (instance(1024), Session::new(51));
    let run = run(&ctx(&instance, SpaceUse::default()));
    let mut reader = run.reader();
    assert!(reader.next_chunk(&session.ask()).expect("empty").is_none());
    let (mut written, mut read) = (0, 0);
    for size in [5, 8090, 1, 8096, 100_000, 3] {
        run.append(&session.ask(), &bytes(written, size)).expect("there is room");
        written += size as u64;
        while let Some(chunk) = reader.next_chunk(&session.ask()).expect("readable") {
            assert!(chunk == bytes(read, chunk.len()));
            read += chunk.len() as u64;
        }
        assert_eq!(read, written);
    }
}

#[test]
fn a_run_that_finds_no_room_says_so_and_gives_all_back() {
    let (instance, session) = (instance(256), Session::new(51));
    let ctx_of = |usage| ctx(&instance, usage);
    let full = run(&ctx_of(SpaceUse::default()));
    let refused = (0..100).find_map(|_| full.append(&session.ask(), &[7; 100_000]).err()).expect("2 MB are less");
    assert!(matches!(refused, AccessError::Space(SpaceError::Full { .. })), "{refused}");
    assert!(full.reserved_pages() > 200);
    drop(full);
    let quota = SpaceQuota::new("session");
    quota.set_limit_pages(Some(16));
    let bounded = run(&ctx_of(SpaceUse::under(vec![quota.clone()])));
    let refused = (0..100).find_map(|_| bounded.append(&session.ask(), &[7; 100_000]).err()).expect("128 KB are less");
    assert!(matches!(refused, AccessError::QuotaExceeded { .. }), "{refused}");
    drop(bounded);
    assert_eq!(quota.used_pages(), 0);
    assert!(instance.tempdb_space().report().iter().all(|file| file.reserved == [0; 3]));
}

#[test]
fn a_cancelled_task_neither_writes_nor_reads() {
    let (instance, session) = (instance(1024), Session::new(51));
    let run = run(&ctx(&instance, SpaceUse::default()));
    fill(&run, &session, 50_000);
    session.task.cancel();
    assert!(matches!(run.append(&session.ask(), &[1; 9000]), Err(AccessError::Cancelled)));
    assert!(matches!(run.reader().next_chunk(&session.ask()), Err(AccessError::Cancelled)));
}
