//! Prints the log of a database that no server has open: `wal::print` on the files named.
//!
//! `cargo run -p millpond-storage --example print_log FILE.ldf [FURTHER.ldf …]`

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use millpond_device::clock::{Clock, SystemClock};
use millpond_device::{FileDevice, OpenMode};
use millpond_storage::file::file_header::{FileHeader, FileKind};
use millpond_storage::file::{Medium, StorageFile};
use millpond_storage::wait::WaitStats;
use millpond_storage::wal::LogConfig;
use millpond_storage::wal::print::print_log;

type Failure = Box<dyn std::error::Error>;

fn open(path: &Path) -> Result<(FileHeader, Arc<StorageFile>), Failure> {
    let device = Arc::new(FileDevice::open_buffered(path, OpenMode::ReadOnly)?);
    let header = FileHeader::read_from(&*device)?;
    if header.kind != FileKind::Log {
        return Err("it is a data file; DBCC PAGE prints its pages".into());
    }
    Ok((header.clone(), Arc::new(StorageFile::new(header, Medium::File(path.to_owned()), device))))
}

fn print(paths: &[String]) -> Result<(), Failure> {
    let mut opened = Vec::new();
    for path in paths {
        opened.push(open(Path::new(path)).map_err(|error| format!("{path}: {error}"))?);
    }
    let Some((first, _)) = opened.first() else { return Err("which log? print_log FILE.ldf [FURTHER.ldf …]".into()) };
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
    let waits = Arc::new(WaitStats::new(clock.clone()));
    let config = LogConfig { db: first.db, guid: first.database_guid, clock, waits, keep_until_backup: false };
    let mut text = String::new();
    let printed = print_log(config, opened.into_iter().map(|(_, file)| file).collect(), &mut text);
    // What could be read is worth seeing even where the rest cannot be.
    print!("{text}");
    printed?;
    Ok(())
}

fn main() -> ExitCode {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    match print(&paths) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("print_log: {error}");
            ExitCode::FAILURE
        }
    }
}
