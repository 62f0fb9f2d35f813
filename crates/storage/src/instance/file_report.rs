//! What there is to say about a file: the columns of `sys.master_files`, `sys.dm_io_virtual_file_stats` and our own view
//! of writes by reason and session.

use std::path::Path;
use std::sync::atomic::Ordering::Relaxed;

use millpond_device::MeterReading;

use crate::ask::WriteCount;
use crate::contract::{DbId, FileId, SessionId, WriteReason};
use crate::file::StorageFile;
use crate::file::file_header::FileKind;
use crate::file::growth::Growth;
use crate::file::tier::Tier;
use crate::instance::Instance;
use crate::settings::databases::StoredFile;
use crate::settings::tempdb::TempFileSpec;
use crate::tempdb::create::resolve;

/// Writes of one reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReasonCount {
    /// Why.
    pub reason: WriteReason,
    /// I/Os.
    pub writes: u64,
    /// Bytes.
    pub bytes: u64,
}

/// A file at one point in time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileReport {
    /// Database.
    pub db: DbId,
    /// Number.
    pub file: FileId,
    /// Identity; new each time that the file is made.
    pub guid: [u8; 16],
    /// Rows or log.
    pub kind: FileKind,
    /// Logical name.
    pub name: String,
    /// Where it is: a path, or `ram:` and its name.
    pub physical_name: String,
    /// Where it will be after a restart: what `sys.master_files` shows.
    pub next_physical_name: String,
    /// Whether it is of a database snapshot, and has what its source has changed since.
    pub is_sparse: bool,
    /// Whether it lies in memory.
    pub is_ram: bool,
    /// When it gives space.
    pub tier: Tier,
    /// Size.
    pub size_pages: u32,
    /// Size after a restart, where it is made anew.
    pub configured_pages: u32,
    /// MAXSIZE; `None`: until the disk is full.
    pub max_pages: Option<u32>,
    /// FILEGROWTH.
    pub growth: Growth,
    /// Bytes that it really occupies.
    pub size_on_disk_bytes: u64,
    /// Requests, bytes and stalls.
    pub io: MeterReading,
    /// Requests that failed for good.
    pub failures: u64,
    /// Requests that run now.
    pub requests_now: u64,
    /// Writes by reason; reasons without a write are left out.
    pub writes: Vec<ReasonCount>,
}

/// The reasons of which there were writes.
#[must_use]
pub fn reasons_of(count: &WriteCount) -> Vec<ReasonCount> {
    let one = |reason: &WriteReason| ReasonCount {
        reason: *reason,
        writes: count.writes[*reason as usize].load(Relaxed),
        bytes: count.bytes[*reason as usize].load(Relaxed),
    };
    WriteReason::ALL.iter().map(one).filter(|count| count.writes > 0).collect()
}

/// Writes of a file by session and reason, in order of the session; none of a file that is not open.
#[must_use]
pub fn session_writes(instance: &Instance, db: DbId, file: FileId) -> Vec<(SessionId, Vec<ReasonCount>)> {
    let file = instance.databases.services.volume.file(db, file);
    let all = file.map_or_else(Vec::new, |file| file.session_writes());
    all.into_iter().map(|(session, count)| (session, reasons_of(&count))).collect()
}

impl FileReport {
    /// What the list knows of a file that is not open.
    #[must_use]
    pub fn of_closed(db: DbId, stored: &StoredFile, path: &Path) -> FileReport {
        let physical_name = path.display().to_string();
        FileReport {
            db,
            file: stored.id(),
            guid: [0; 16],
            kind: if stored.log { FileKind::Log } else { FileKind::Data },
            name: stored.name.clone(),
            next_physical_name: physical_name.clone(),
            physical_name,
            is_sparse: false,
            is_ram: false,
            tier: Tier::FIRST,
            size_pages: 0,
            configured_pages: 0,
            max_pages: None,
            growth: Growth::Pages(0),
            size_on_disk_bytes: 0,
            io: MeterReading::default(),
            failures: 0,
            requests_now: 0,
            writes: Vec::new(),
        }
    }

    /// What there is to say about `file`; `next` is what it will be after a restart.
    #[must_use]
    pub fn of(file: &StorageFile, next: Option<&TempFileSpec>, dir: Option<&Path>) -> FileReport {
        let physical_name =
            file.path().map_or_else(|| file.device().name().to_string(), |path| path.display().to_string());
        let next_physical_name = match next.map(|spec| (&spec.path, &spec.name)) {
            None => physical_name.clone(),
            Some((Some(path), _)) => resolve(dir, path).display().to_string(),
            Some((None, name)) => format!("ram:{name}"),
        };
        let limits = file.limits();
        FileReport {
            db: file.db(),
            file: file.id(),
            guid: file.guid(),
            kind: file.kind(),
            name: file.name(),
            physical_name,
            next_physical_name,
            is_sparse: false,
            is_ram: file.is_ram(),
            tier: file.tier(),
            size_pages: file.size_pages(),
            configured_pages: file.configured_pages(),
            max_pages: limits.max_pages,
            growth: limits.growth,
            size_on_disk_bytes: file.device().occupied_bytes(),
            io: file.device().reading(),
            failures: file.failures(),
            requests_now: file.device().requests_now() as u64,
            writes: reasons_of(file.writes()),
        }
    }
}
