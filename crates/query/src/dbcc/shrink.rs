//! DBCC SHRINKFILE and SHRINKDATABASE: files do not become smaller here, and the commands say so.

use crate::error::SqlResult;
use crate::message;
use crate::system_call::{DbccDef, SystemCall};

/// `DBCC SHRINKFILE (file [, size])`
pub static SHRINKFILE: DbccDef = DbccDef { name: "SHRINKFILE", run: |call| refuse(call, "DBCC SHRINKFILE") };

/// `DBCC SHRINKDATABASE (database [, percent])`
pub static SHRINKDATABASE: DbccDef =
    DbccDef { name: "SHRINKDATABASE", run: |call| refuse(call, "DBCC SHRINKDATABASE") };

fn refuse(_: &mut SystemCall<'_>, command: &str) -> SqlResult<()> {
    Err(message::missing(command))
}
