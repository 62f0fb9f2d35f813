//! `sys.dm_io_virtual_file_stats` and `fn_virtualfilestats`: requests, bytes and stalls per file since the start.
//! Every request counts once, whatever its size. `sample_ms` and `TimeStamp` count from the server's start.

use millpond_builtin::TableFunctionDef;
use millpond_engine::context::RunContext;
use millpond_message::error::SqlResult;
use millpond_storage::instance::file_report::FileReport;
use millpond_types::Value;

use crate::columns::{VarBinary, admits, big, bytes, small};
use crate::row::{Rows, row, table_function};

row! {
    /// A row of `sys.dm_io_virtual_file_stats`.
    struct DmIoVirtualFileStats {
        database_id: i16,
        file_id: i16,
        sample_ms: i64,
        num_of_reads: i64,
        num_of_bytes_read: i64,
        io_stall_read_ms: i64,
        num_of_writes: i64,
        num_of_bytes_written: i64,
        io_stall_write_ms: i64,
        io_stall: i64,
        size_on_disk_bytes: i64,
        file_handle: Option<VarBinary<8>>,
        io_stall_queued_read_ms: i64,
        io_stall_queued_write_ms: i64,
    }
}

/// `sys.dm_io_virtual_file_stats(database_id, file_id)`
pub static DM_IO_VIRTUAL_FILE_STATS: TableFunctionDef =
    table_function!("sys", "dm_io_virtual_file_stats", [i32, i32], optional 0, DmIoVirtualFileStats, stats_rows);

fn stats_rows(ctx: &RunContext, args: &[Value]) -> SqlResult<Rows<DmIoVirtualFileStats>> {
    Ok(files(ctx, args).iter().map(|file| stats_row(ctx, file)).collect())
}

row! {
    /// A row of `fn_virtualfilestats`.
    struct FnVirtualfilestats {
        DbId: i16,
        FileId: i16,
        TimeStamp: i64,
        NumberReads: i64,
        BytesRead: i64,
        IoStallReadMS: i64,
        NumberWrites: i64,
        BytesWritten: i64,
        IoStallWriteMS: i64,
        IoStallMS: i64,
        FileHandle: Option<i64>,
        BytesOnDisk: i64,
    }
}

/// `fn_virtualfilestats(database_id, file_id)`, also written `::fn_virtualfilestats`
pub static FN_VIRTUALFILESTATS: TableFunctionDef =
    table_function!("", "fn_virtualfilestats", [i32, i32], optional 0, FnVirtualfilestats, old_rows);

/// The files that a database's and a file's number admit; all without arguments.
pub(crate) fn files(ctx: &RunContext, args: &[Value]) -> Vec<FileReport> {
    let instance = ctx.engine.instance();
    instance
        .database_reports()
        .into_iter()
        .filter(|database| admits(args.first(), database.id.0))
        .flat_map(|database| instance.files(database.id))
        .filter(|file| admits(args.get(1), file.file.0))
        .collect()
}

fn stats_row(ctx: &RunContext, file: &FileReport) -> DmIoVirtualFileStats {
    let io = &file.io;
    DmIoVirtualFileStats {
        database_id: small(file.db.0),
        file_id: small(file.file.0),
        sample_ms: big(ctx.engine.instance().clock().now_us() / 1000),
        num_of_reads: big(io.reads),
        num_of_bytes_read: big(io.read_bytes),
        io_stall_read_ms: big(io.read_stall_us / 1000),
        num_of_writes: big(io.writes),
        num_of_bytes_written: big(io.write_bytes),
        io_stall_write_ms: big(io.write_stall_us / 1000),
        io_stall: big((io.read_stall_us + io.write_stall_us) / 1000),
        size_on_disk_bytes: big(file.size_on_disk_bytes),
        file_handle: Some(bytes(&handle(file).to_be_bytes())),
        io_stall_queued_read_ms: 0,
        io_stall_queued_write_ms: 0,
    }
}

/// The same under the older names.
fn old_row(ctx: &RunContext, file: &FileReport) -> FnVirtualfilestats {
    let row = stats_row(ctx, file);
    FnVirtualfilestats {
        DbId: row.database_id,
        FileId: row.file_id,
        TimeStamp: row.sample_ms,
        NumberReads: row.num_of_reads,
        BytesRead: row.num_of_bytes_read,
        IoStallReadMS: row.io_stall_read_ms,
        NumberWrites: row.num_of_writes,
        BytesWritten: row.num_of_bytes_written,
        IoStallWriteMS: row.io_stall_write_ms,
        IoStallMS: row.io_stall,
        FileHandle: Some(big(handle(file))),
        BytesOnDisk: row.size_on_disk_bytes,
    }
}

fn old_rows(ctx: &RunContext, args: &[Value]) -> SqlResult<Rows<FnVirtualfilestats>> {
    Ok(files(ctx, args).iter().map(|file| old_row(ctx, file)).collect())
}

/// There are no Windows handles: database and file number stand for one.
fn handle(file: &FileReport) -> u64 {
    u64::from(file.db.0) << 16 | u64::from(file.file.0)
}
