//! A log with one damage of those that disks do: a burst of up to four bytes, a sector of zeros, a sector that another one
//! was written over, or the end cut off at a sector.
//!
//! What must hold: recovery ends, with an error or with commits; of a log that was closed in order none is ever missing
//! without an error, of one that a crash left at most the last one, which may never have been acknowledged.

#![no_main]

use std::sync::{Arc, LazyLock};

use libfuzzer_sys::fuzz_target;
use millpond_device::clock::{Clock, SystemClock};
use millpond_device::tape::device_of;
use millpond_device::{BlockDevice, RamDevice};
use millpond_storage::ask::{Ask, IoCount, Task};
use millpond_storage::contract::{
    DbId, FileId, IoFailure, PAGE_BYTES, PageId, PageKind, PageNo, SessionId,
};
use millpond_storage::file::{Medium, StorageFile};
use millpond_storage::file::file_header::{FileHeader, FileKind};
use millpond_storage::file::growth::{Growth, Limits};
use millpond_storage::pool::{Durability, Pool, PoolConfig};
use millpond_storage::page::slotted;
use millpond_storage::file::tier::Tier;
use millpond_storage::file::volume::Volume;
use millpond_storage::wait::WaitStats;
use millpond_storage::wal::recovery::{self, AtDamage, PageHome, RedoOptions};
use millpond_storage::wal::{DatabaseHandle, Log, LogConfig, Logs, Mtr, PageOp};

const DB: DbId = DbId(5);
const GUID: [u8; 16] = *b"guid of the fuzz";
const PAGE: PageId = PageId { db: DB, file: FileId(1), page: PageNo(9) };
const LOG_BYTES: u64 = 600 << 10;
const DATA_BYTES: u64 = 24 * PAGE_BYTES as u64;
const SECTOR: usize = 4096;
const COMMITS: u16 = 6;

/// Where new pages of the data file come from: it has all that the log names.
struct Home;

impl PageHome for Home {
    fn extend_to(&self, _: &Ask<'_>, page: PageId) -> Result<(), IoFailure> {
        if page == PAGE { Ok(()) } else { Err(IoFailure::NoFile { page }) }
    }
}

fn with_ask<R>(work: impl FnOnce(&Ask<'_>) -> R) -> R {
    let (task, object) = (Task::new(SessionId(51)), IoCount::default());
    work(&Ask::new(&task, &object))
}

fn file_on(device: Arc<dyn BlockDevice>, file: u16, kind: FileKind) -> Arc<StorageFile> {
    let header = FileHeader {
        db: DB,
        file: FileId(file),
        file_guid: [0; 16],
        database_guid: GUID,
        server_guid: [0; 16],
        size_pages: 0,
        configured_pages: 0,
        limits: Limits { max_pages: None, growth: Growth::Pages(64) },
        kind,
        tier: Tier::FIRST,
        name: String::new(),
    };
    Arc::new(StorageFile::new(header, Medium::Ram, device))
}

/// A database of one data file and a log.
fn database(log: Arc<RamDevice>, is_new: bool) -> Option<DatabaseHandle> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
    let waits = Arc::new(WaitStats::new(clock.clone()));
    let data = Arc::new(RamDevice::new("data"));
    data.set_len(DATA_BYTES).expect("memory");
    let volume = Arc::new(Volume::default());
    volume.add(file_on(data, 1, FileKind::Data));
    let pool = Pool::new(PoolConfig::new(64 * PAGE_BYTES as u64, clock.clone()), volume, waits.clone());
    pool.attach_file(DB, FileId(1), Durability::Durable);
    let config = LogConfig { db: DB, guid: GUID, clock, waits, keep_until_backup: false };
    let files = vec![file_on(log, 2, FileKind::Log)];
    let log = if is_new { Log::create(config, files) } else { Log::open(config, files) }.ok()?;
    let logs = Arc::new(Logs::default());
    logs.add(DB, log.clone());
    pool.set_log_rule(logs);
    Some(DatabaseHandle { db: DB, pool, log: Some(log) })
}

/// The file of a log with one commit after the other, each acknowledged before the next.
fn image(closes: bool) -> Vec<u8> {
    let file = Arc::new(RamDevice::new("log"));
    file.set_len(LOG_BYTES).expect("memory");
    let handle = database(file.clone(), true).expect("a new log");
    let log = handle.log.as_ref().expect("durable");
    with_ask(|ask| {
        for number in 0..COMMITS {
            let mut mtr = Mtr::begin(&handle, ask, 1000).expect("room");
            let page = match number {
                0 => mtr.create(PAGE, PageKind::Index, 7, 1, 0).expect("memory"),
                _ => mtr.latch(PAGE).expect("memory"),
            };
            mtr.apply(page, PageOp::Insert { slot: number, record: &number.to_le_bytes() }).expect("room");
            let lsn = mtr.commit();
            log.make_durable(ask, lsn).expect("memory");
        }
        if closes {
            log.close(ask).expect("memory");
        }
    });
    let mut bytes = vec![0; LOG_BYTES as usize];
    file.read_at(0, &mut bytes).expect("memory");
    bytes
}

static IMAGES: LazyLock<[Vec<u8>; 2]> = LazyLock::new(|| [image(false), image(true)]);

/// Records of the page after recovery; `None` where that is refused.
fn recovered(image: &[u8]) -> Option<u16> {
    let handle = database(Arc::new(device_of("log", image)), false)?;
    let options = RedoOptions { threads: 1, stop_at_us: None, at_damage: AtDamage::Refuse };
    with_ask(|ask| {
        recovery::redo(ask, &handle, &Home, options).ok()?;
        let page = handle.pool.shared(ask, PAGE).ok();
        Some(page.map_or(0, |page| slotted::slot_count(&page)))
    })
}

/// Does the damage that the input describes; false where it is none.
fn damage(image: &mut Vec<u8>, input: &[u8]) -> bool {
    let [kind, a, b, c, burst @ ..] = input else { return false };
    // The used part of the file is its beginning: 40 sectors have all blocks.
    let at = (usize::from(*a) | usize::from(*b) << 8 | usize::from(*c) << 16) % (40 * SECTOR);
    let sector = at / SECTOR * SECTOR;
    let before = image.clone();
    match kind % 4 {
        0 => burst.iter().take(4).enumerate().for_each(|(n, byte)| image[at + n] ^= byte),
        1 => image[sector..sector + SECTOR].fill(0),
        2 => {
            let from = usize::from(burst.first().copied().unwrap_or(0)) % 40 * SECTOR;
            image.copy_within(from..from + SECTOR, sector);
        }
        _ => image[sector..].fill(0),
    }
    *image != before
}

fuzz_target!(|input: &[u8]| {
    let Some((&which, input)) = input.split_first() else { return };
    let closed = which % 2 == 1;
    let mut image = IMAGES[usize::from(closed)].clone();
    if !damage(&mut image, input) {
        return;
    }
    // A burst over a border of sectors may break two blocks, an end that is cut off all of them: what is left of a log
    // that a crash left is then no proof.
    let is_cut = input[0] % 4 == 3;
    let least = match closed {
        true => COMMITS,
        false if is_cut => 0,
        false => COMMITS - 1,
    };
    if let Some(found) = recovered(&image) {
        assert!(found >= least, "{found} of {COMMITS} commits and no error");
    }
});
