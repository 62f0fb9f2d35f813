//! Files of a volume: each write counts for its file, its session and its reason, and failures say which page.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use millpond_device::fault::Fault;
use millpond_device::{BlockDevice, FaultDevice, RamDevice};
use millpond_storage::ask::{Ask, IoCount, Task};
use millpond_storage::contract::{
    DbId, FileId, IoFailure, PAGE_BYTES, PageBytes, PageId, PageNo, SessionId, WriteReason,
};
use millpond_storage::file::file_header::{FileHeader, FileKind};
use millpond_storage::file::growth::{Growth, Limits};
use millpond_storage::file::tier::Tier;
use millpond_storage::file::volume::Volume;
use millpond_storage::file::{Medium, StorageFile};
use millpond_storage::page_io::{PageIo, PageRun};

fn header(file: u16, tier: Tier) -> FileHeader {
    FileHeader {
        db: DbId(2),
        file: FileId(file),
        file_guid: [0; 16],
        server_guid: [0; 16],
        database_guid: [0; 16],
        size_pages: 64,
        configured_pages: 64,
        limits: Limits { max_pages: None, growth: Growth::Pages(64) },
        kind: FileKind::Data,
        tier,
        name: "f".into(),
    }
}

fn add_file(volume: &Volume, file: u16, tier: Tier) -> (Arc<FaultDevice>, Arc<StorageFile>) {
    let ram = RamDevice::new("t");
    ram.set_len(64 * PAGE_BYTES as u64).unwrap();
    let device = Arc::new(FaultDevice::new(Arc::new(ram)));
    let file = Arc::new(StorageFile::new(header(file, tier), Medium::Ram, device.clone()));
    volume.add(file.clone());
    (device, file)
}

fn id(file: u16, page: u32) -> PageId {
    PageId { db: DbId(2), file: FileId(file), page: PageNo(page) }
}

/// A page without a number, full of `byte`.
fn page_of(byte: u8) -> PageBytes {
    let mut page = [byte; PAGE_BYTES];
    page[0] = 0;
    page
}

#[test]
fn a_gathered_write_is_one_write_of_its_reason_and_session() {
    let volume = Volume::default();
    let (device, file) = add_file(&volume, 1, Tier::FIRST);
    let (_, overflow) = add_file(&volume, 3, Tier::LAST);
    let (task, io) = (Task::new(SessionId(51)), IoCount::default());
    let ask = Ask::new(&task, &io);
    let pages = [1, 2, 3].map(page_of);
    let gathered: Vec<&PageBytes> = pages.iter().collect();
    volume.write_run(&ask, id(1, 10), &gathered, WriteReason::Lazy).unwrap();
    volume.write_run(&ask, id(3, 10), &gathered, WriteReason::Lazy).unwrap();
    let of = |file: &StorageFile, reason: WriteReason| {
        let writes = file.writes();
        (writes.writes[reason as usize].load(Relaxed), writes.bytes[reason as usize].load(Relaxed))
    };
    assert_eq!(of(&file, WriteReason::Lazy), (1, 24576));
    assert_eq!((of(&overflow, WriteReason::Lazy), of(&overflow, WriteReason::Overflow)), ((0, 0), (1, 24576)));
    assert_eq!(task.writes.bytes[WriteReason::Lazy as usize].load(Relaxed), 24576);
    assert_eq!(file.session_writes()[0].0, SessionId(51));
    assert_eq!((device.meter().reading().writes, device.meter().reading().write_bytes), (1, 24576));
    volume.forget_session(SessionId(51));
    assert!(file.session_writes().is_empty());

    let (mut a, mut b) = ([0; PAGE_BYTES], [0; PAGE_BYTES]);
    volume.read_run(&ask, id(1, 11), &mut [&mut a, &mut b]).unwrap();
    assert_eq!((a[1], b[8191]), (2, 3));
}

#[test]
fn failures_say_which_page_and_why() {
    let volume = Volume::default();
    let (device, file) = add_file(&volume, 1, Tier::FIRST);
    let (task, io) = (Task::new(SessionId(51)), IoCount::default());
    let ask = Ask::new(&task, &io);
    let mut page = [0; PAGE_BYTES];
    assert!(matches!(volume.read_run(&ask, id(9, 1), &mut [&mut page]), Err(IoFailure::NoFile { .. })));
    let beyond = volume.read_run(&ask, id(1, 64), &mut [&mut page]);
    assert!(matches!(beyond, Err(IoFailure::NoFile { page }) if page == id(1, 64)));
    device.order(Fault::WriteNoSpace, 0);
    let write = || volume.write_run(&ask, id(1, 5), &[&[0; PAGE_BYTES]], WriteReason::Lazy);
    assert!(matches!(write(), Err(IoFailure::NoSpace { .. })));
    device.order(Fault::WriteError, 0);
    assert!(matches!(write(), Err(IoFailure::System { .. })));
    assert_eq!(file.writes().writes[WriteReason::Lazy as usize].load(Relaxed), 0, "nothing arrived");
    volume.remove(DbId(2), FileId(1)).unwrap();
    assert!(matches!(write(), Err(IoFailure::NoFile { .. })));
}

/// Runs of two files and two sessions in one batch: each has its own end, its own file and its own account.
#[test]
fn a_batch_is_as_many_writes_as_it_has_runs() {
    let volume = Volume::default();
    let (device, one) = add_file(&volume, 1, Tier::FIRST);
    let (_, three) = add_file(&volume, 3, Tier::LAST);
    let (task, io) = (Task::new(SessionId(51)), IoCount::default());
    let ask = Ask::new(&task, &io);
    let pages = [1, 2].map(page_of);
    let both: Vec<&PageBytes> = pages.iter().collect();
    let run = |first, owner| PageRun { first, pages: &both, owner };
    let batch = [
        run(id(1, 10), None),
        run(id(1, 20), Some(SessionId(60))),
        run(id(1, 30), None),
        run(id(9, 10), None),
        run(id(3, 10), Some(SessionId(61))),
        run(id(1, 63), None),
    ];
    device.order(Fault::WriteError, 2);
    let results = volume.write_batch(&ask, &batch, WriteReason::Lazy);
    assert!(matches!(
        &results[..],
        [
            Ok(()),
            Ok(()),
            Err(IoFailure::System { .. }),
            Err(IoFailure::NoFile { .. }),
            Ok(()),
            Err(IoFailure::NoFile { .. })
        ]
    ));
    let sessions = |file: &StorageFile| file.session_writes().into_iter().map(|(id, _)| id).collect::<Vec<_>>();
    assert_eq!((sessions(&one), sessions(&three)), (vec![SessionId(51), SessionId(60)], vec![SessionId(61)]));
    assert_eq!(task.writes.bytes[WriteReason::Lazy as usize].load(Relaxed), 16_384, "of the first run alone");
    assert_eq!(three.writes().writes[WriteReason::Overflow as usize].load(Relaxed), 1);
    let mut page = [0; PAGE_BYTES];
    for (id, byte) in [(id(1, 11), 2), (id(1, 20), 1), (id(1, 30), 0), (id(3, 11), 2)] {
        volume.read_run(&ask, id, &mut [&mut page]).unwrap();
        assert_eq!(page[1], byte, "{id}");
    }
}

#[test]
fn growth_takes_what_the_medium_has() {
    let volume = Volume::default();
    let (device, file) = add_file(&volume, 1, Tier::FIRST);
    device.fill_beyond(100 * PAGE_BYTES as u64);
    assert_eq!(file.grow_to(128).unwrap(), 96, "64 + 64 and 64 + 32: only the second fits");
    assert!(file.grow_to(160).unwrap_err().is_no_space());
    assert_eq!(file.size_pages(), 96);
    device.lift();
    assert_eq!(file.grow_to(160).unwrap(), 160);
}
