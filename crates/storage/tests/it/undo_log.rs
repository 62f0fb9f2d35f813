//! The log of tempdb over media in memory: order, room, full disks, files that go, damage, sessions side by side.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use millpond_device::clock::ManualClock;
use millpond_storage::ask::{Ask, IoCount, Task};
use millpond_storage::contract::{DbId, FileId, IoFailure, PageId, PageNo, SessionId};
use millpond_storage::tempdb::log_medium::{BLOCK_BYTES, LogMedium};
use millpond_storage::tempdb::undo_log::{LogAddress, LogError, UndoLog};
use millpond_storage::wait::WaitStats;
use parking_lot::Mutex;

/// A log file in memory: it grows by `step` up to `limit`, and the disk under it has room for `disk` bytes.
#[derive(Default)]
struct RamMedium {
    number: u16,
    bytes: Mutex<Vec<u8>>,
    size: AtomicU64,
    step: u64,
    limit: u64,
    disk: u64,
    writes: AtomicU64,
    reads: AtomicU64,
}

const BLOCK: u64 = BLOCK_BYTES as u64;
const PAGE: PageId = PageId { db: DbId(2), file: FileId(2), page: PageNo(0) };

fn medium(size: u64, step: u64, limit: u64) -> Arc<RamMedium> {
    Arc::new(RamMedium { size: AtomicU64::new(size), step, limit, disk: u64::MAX, ..RamMedium::default() })
}

impl LogMedium for RamMedium {
    fn id(&self) -> Option<FileId> {
        (self.number != 0).then_some(FileId(self.number))
    }

    fn size_bytes(&self) -> u64 {
        self.size.load(Relaxed)
    }

    fn grow(&self, _: &Ask<'_>) -> Result<u64, IoFailure> {
        let grown = (self.size_bytes() + self.step).min(self.limit).max(self.size_bytes());
        self.size.store(grown, Relaxed);
        Ok(grown)
    }

    fn write_at(&self, _: &Ask<'_>, offset: u64, bytes: &[u8]) -> Result<(), IoFailure> {
        assert!(offset.is_multiple_of(512));
        assert!(bytes.len().is_multiple_of(512));
        assert!(offset + bytes.len() as u64 <= self.size_bytes());
        if offset + bytes.len() as u64 > self.disk {
            return Err(IoFailure::NoSpace { page: PAGE });
        }
        self.writes.fetch_add(1, Relaxed);
        let mut kept = self.bytes.lock();
        let end = offset as usize + bytes.len();
        if kept.len() < end {
            kept.resize(end, 0);
        }
        kept[offset as usize..end].copy_from_slice(bytes);
        Ok(())
    }

    fn read_at(&self, _: &Ask<'_>, offset: u64, bytes: &mut [u8]) -> Result<(), IoFailure> {
        self.reads.fetch_add(1, Relaxed);
        bytes.copy_from_slice(&self.bytes.lock()[offset as usize..offset as usize + bytes.len()]);
        Ok(())
    }
}

fn log(media: &[&Arc<RamMedium>]) -> UndoLog {
    let media = media.iter().map(|&m| m.clone() as Arc<dyn LogMedium>).collect();
    UndoLog::new(media, Arc::new(WaitStats::new(Arc::new(ManualClock::default()))))
}

/// Bytes that say which record they are, and which part of it.
fn record(number: u64, len: usize) -> Vec<u8> {
    let mut bytes = vec![0; len];
    bytes.chunks_mut(61).enumerate().for_each(|(part, bytes)| bytes.fill((number as usize * 31 + part * 7) as u8));
    bytes
}

fn with_ask<R>(work: impl FnOnce(&Ask<'_>) -> R) -> R {
    let (task, object) = (Task::new(SessionId(51)), IoCount::default());
    work(&Ask::new(&task, &object))
}

#[test]
fn little_undo_stays_in_memory_and_comes_back() {
    let file = medium(100 * BLOCK, 0, 0);
    let log = log(&[&file]);
    with_ask(|ask| {
        let addresses: Vec<_> = (0..100).map(|n| log.append(ask, &record(n, n as usize * 37)).expect("room")).collect();
        assert!(addresses.windows(2).all(|pair| pair[0] < pair[1]) && addresses[0] > LogAddress(0));
        let mut out = Vec::new();
        for (n, &address) in addresses.iter().enumerate().rev() {
            log.read(ask, address, &mut out).expect("kept");
            assert_eq!(out, record(n as u64, n * 37));
        }
    });
    assert_eq!(file.writes.load(Relaxed), 0);
}

#[test]
fn much_undo_goes_to_the_files_in_their_order_and_comes_back() {
    let (first, second) = (medium(10 * BLOCK, 5 * BLOCK, 20 * BLOCK), medium(0, 10 * BLOCK, 1000 * BLOCK));
    let log = log(&[&first, &second]);
    with_ask(|ask| {
        // 300 records of 50,000 bytes: 15 MB, of which 4 MB stay in memory.
        let addresses: Vec<_> = (0..300).map(|n| log.append(ask, &record(n, 50_000)).expect("room")).collect();
        let report = log.report();
        assert_eq!(report.files[0], (20 * BLOCK, 20 * BLOCK), "the first file is full");
        assert!(report.files[1].1 > 150 * BLOCK, "the second has the rest: {report:?}");
        assert!(report.memory_bytes <= 4 << 20);
        let mut out = Vec::new();
        for (n, &address) in addresses.iter().enumerate() {
            log.read(ask, address, &mut out).expect("kept");
            assert_eq!(out, record(n as u64, 50_000));
        }
        log.release_until(addresses[299]);
        let report = log.report();
        assert_eq!((report.files[0].1, report.files[1].1), (0, 0));
        assert!(matches!(log.read(ask, addresses[7], &mut out), Err(LogError::NoRecord { .. })));
        log.read(ask, addresses[299], &mut out).expect("kept");
        assert!(log.read(ask, LogAddress(report.appended_bytes), &mut out).is_err());
        assert!(log.read(ask, LogAddress(u64::MAX / 2), &mut out).is_err());
    });
}

#[test]
fn a_full_log_says_so_and_works_again_after_a_release() {
    let file = medium(10 * BLOCK, 0, 0);
    let log = log(&[&file]);
    with_ask(|ask| {
        let mut addresses = Vec::new();
        let full = loop {
            match log.append(ask, &record(addresses.len() as u64, 30_000)) {
                Ok(address) => addresses.push(address),
                Err(error) => break error,
            }
        };
        assert!(matches!(full, LogError::Full { needed_bytes } if needed_bytes >= 70 * BLOCK), "{full}");
        let before = log.report();
        assert!(log.append(ask, &[1]).is_ok() || log.report() == before, "U3");
        log.release_until(addresses[60]);
        let mut out = Vec::new();
        for n in addresses.len() as u64..addresses.len() as u64 + 20 {
            addresses.push(log.append(ask, &record(n, 30_000)).expect("room again"));
        }
        for (n, &address) in addresses.iter().enumerate().skip(60) {
            log.read(ask, address, &mut out).expect("kept");
            assert_eq!(out, record(n as u64, 30_000));
        }
    });
}

#[test]
fn a_full_disk_sends_blocks_to_the_next_file() {
    let first = Arc::new(RamMedium { size: AtomicU64::new(50 * BLOCK), disk: 3 * BLOCK, ..RamMedium::default() });
    let second = medium(0, BLOCK, 500 * BLOCK);
    let log = log(&[&first, &second]);
    with_ask(|ask| {
        let addresses: Vec<_> = (0..150).map(|n| log.append(ask, &record(n, 60_000)).expect("room")).collect();
        let mut out = Vec::new();
        for (n, &address) in addresses.iter().enumerate() {
            log.read(ask, address, &mut out).expect("kept");
            assert_eq!(out, record(n as u64, 60_000));
        }
        assert!(first.writes.load(Relaxed) >= 3 && second.writes.load(Relaxed) > 50);
    });
}

#[test]
fn a_file_is_emptied_into_the_others_and_goes() {
    let (first, second) = (medium(0, 10 * BLOCK, 200 * BLOCK), medium(100 * BLOCK, 0, 0));
    let third =
        Arc::new(RamMedium { number: 3, size: AtomicU64::new(60 * BLOCK), disk: u64::MAX, ..RamMedium::default() });
    let log = log(&[&third, &first]);
    with_ask(|ask| {
        let addresses: Vec<_> = (0..150).map(|n| log.append(ask, &record(n, 60_000)).expect("room")).collect();
        assert_eq!(log.report().files[0].1, 60 * BLOCK);
        log.release_until(addresses[10]);
        let check = |from: usize| {
            let mut out = Vec::new();
            for (n, &address) in addresses.iter().enumerate().skip(from) {
                log.read(ask, address, &mut out).expect("kept");
                assert_eq!(out, record(n as u64, 60_000));
            }
        };
        std::thread::scope(|scope| {
            scope.spawn(|| with_ask(|ask| log.empty_file(ask, FileId(3)).expect("the first has room")));
            (0..3).for_each(|_| check(10));
        });
        log.forget_file(FileId(3));
        let report = log.report();
        assert_eq!((report.files.len(), third.number), (1, 3));
        check(10);
        log.add_medium(second.clone());
        log.empty_file(ask, FileId(3)).expect("it is not known any more");
        check(10);
    });
}

#[test]
fn a_file_that_does_not_fit_into_the_others_stays() {
    let first =
        Arc::new(RamMedium { number: 3, size: AtomicU64::new(60 * BLOCK), disk: u64::MAX, ..RamMedium::default() });
    let second = medium(20 * BLOCK, 0, 0);
    let log = log(&[&first, &second]);
    with_ask(|ask| {
        let addresses: Vec<_> = (0..120).map(|n| log.append(ask, &record(n, 60_000)).expect("room")).collect();
        assert!(matches!(log.empty_file(ask, FileId(3)), Err(LogError::Full { .. })));
        let mut out = Vec::new();
        for (n, &address) in addresses.iter().enumerate() {
            log.read(ask, address, &mut out).expect("kept");
            assert_eq!(out, record(n as u64, 60_000));
        }
        log.release_until(addresses[110]);
        for n in 0..60 {
            log.append(ask, &record(n, 60_000)).expect("it gives room again");
        }
    });
}

#[test]
fn a_record_may_be_larger_than_the_memory_of_the_log() {
    let file = medium(0, 100 * BLOCK, 1000 * BLOCK);
    let log = log(&[&file]);
    with_ask(|ask| {
        let addresses: Vec<_> = (0..3).map(|n| log.append(ask, &record(n, 6_000_000)).expect("room")).collect();
        let mut out = Vec::new();
        for (n, &address) in addresses.iter().enumerate() {
            log.read(ask, address, &mut out).expect("kept");
            assert_eq!(out, record(n as u64, 6_000_000));
        }
    });
}

#[test]
fn damage_in_a_file_is_seen() {
    let file = medium(500 * BLOCK, 0, 0);
    let log = log(&[&file]);
    with_ask(|ask| {
        let addresses: Vec<_> = (0..200).map(|n| log.append(ask, &record(n, 50_000)).expect("room")).collect();
        file.bytes.lock()[1000] ^= 1;
        let mut out = Vec::new();
        assert!(matches!(log.read(ask, addresses[0], &mut out), Err(LogError::Damaged { .. })));
        assert!(out.is_empty());
        log.read(ask, addresses[5], &mut out).expect("unharmed");
    });
}

/// Four sessions append, read back and release after the slowest of them.
#[test]
fn sessions_share_the_log() {
    let file = medium(0, 10 * BLOCK, 400 * BLOCK);
    let log = log(&[&file]);
    let oldest: Vec<AtomicU64> = (0..4).map(|_| AtomicU64::new(0)).collect();
    std::thread::scope(|scope| {
        for session in 0..4u64 {
            let (log, oldest) = (&log, &oldest);
            scope.spawn(move || {
                with_ask(|ask| {
                    for round in 0..30 {
                        let numbers: Vec<u64> = (0..8).map(|n| (session * 30 + round) * 8 + n).collect();
                        let addresses: Vec<_> =
                            numbers.iter().map(|&n| log.append(ask, &record(n, 40_000)).expect("room")).collect();
                        let mut out = Vec::new();
                        for (&number, &address) in numbers.iter().zip(&addresses).rev() {
                            log.read(ask, address, &mut out).expect("kept");
                            assert_eq!(out, record(number, 40_000));
                        }
                        oldest[session as usize].store(log.report().appended_bytes, Relaxed);
                        let needed = oldest.iter().map(|o| o.load(Relaxed)).min().unwrap_or(0);
                        // What this session appends next lies after it; the others say what they still need.
                        log.release_until(LogAddress(needed.min(addresses[0].0)));
                    }
                    oldest[session as usize].store(u64::MAX, Relaxed);
                });
            });
        }
    });
    log.release_until(LogAddress(u64::MAX));
    let report = log.report();
    assert_eq!((report.used_bytes, report.files[0].1), (0, 0), "{report:?}");
}
