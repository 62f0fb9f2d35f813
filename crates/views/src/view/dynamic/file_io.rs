//! `sys.dm_io_virtual_file_stats` and `fn_virtualfilestats`: requests, bytes and stalls per file since the start.
//! Every request counts once, whatever its size. `sample_ms` and `TimeStamp` count from the server's start.

use millpond_builtin::TableFunctionDef;
use millpond_engine::context::RunContext;
use millpond_message::error::SqlResult;
use millpond_storage::file::report::FileReport;
use millpond_types::Value;

use crate::view::columns::{BIGINT, INT, SMALLINT, admits, big, bytes, col, null, small, varbinary};

/// `sys.dm_io_virtual_file_stats(database_id, file_id)`
pub static DM_IO_VIRTUAL_FILE_STATS: TableFunctionDef = TableFunctionDef {
    schema: "sys",
    name: "dm_io_virtual_file_stats",
    params: &[INT, INT],
    optional: 0,
    columns: &[
        col("database_id", SMALLINT),
        col("file_id", SMALLINT),
        col("sample_ms", BIGINT),
        col("num_of_reads", BIGINT),
        col("num_of_bytes_read", BIGINT),
        col("io_stall_read_ms", BIGINT),
        col("num_of_writes", BIGINT),
        col("num_of_bytes_written", BIGINT),
        col("io_stall_write_ms", BIGINT),
        col("io_stall", BIGINT),
        col("size_on_disk_bytes", BIGINT),
        null("file_handle", varbinary(8)),
        col("io_stall_queued_read_ms", BIGINT),
        col("io_stall_queued_write_ms", BIGINT),
    ],
    rows: |run, args| {
        let ctx = RunContext::of(run);
        Ok(files(ctx, args).iter().map(|file| stats_row(ctx, file)).collect())
    },
};

/// `fn_virtualfilestats(database_id, file_id)`, also written `::fn_virtualfilestats`
pub static FN_VIRTUALFILESTATS: TableFunctionDef = TableFunctionDef {
    schema: "",
    name: "fn_virtualfilestats",
    params: &[INT, INT],
    optional: 0,
    columns: &[
        col("DbId", SMALLINT),
        col("FileId", SMALLINT),
        col("TimeStamp", BIGINT),
        col("NumberReads", BIGINT),
        col("BytesRead", BIGINT),
        col("IoStallReadMS", BIGINT),
        col("NumberWrites", BIGINT),
        col("BytesWritten", BIGINT),
        col("IoStallWriteMS", BIGINT),
        col("IoStallMS", BIGINT),
        null("FileHandle", BIGINT),
        col("BytesOnDisk", BIGINT),
    ],
    rows: |run, args| old_rows(RunContext::of(run), args),
};

fn files(ctx: &RunContext, args: &[Value]) -> Vec<FileReport> {
    let instance = ctx.engine.instance();
    instance
        .databases()
        .into_iter()
        .filter(|database| admits(args.first(), database.id.0))
        .flat_map(|database| instance.files(database.id))
        .filter(|file| admits(args.get(1), file.file.0))
        .collect()
}

/// What both forms tell of a file, from its time stamp to the sum of its stalls, in milliseconds.
fn figures(ctx: &RunContext, file: &FileReport) -> [Value; 8] {
    let io = &file.io;
    [
        big(ctx.engine.instance().clock().now_us() / 1000),
        big(io.reads),
        big(io.read_bytes),
        big(io.read_stall_us / 1000),
        big(io.writes),
        big(io.write_bytes),
        big(io.write_stall_us / 1000),
        big((io.read_stall_us + io.write_stall_us) / 1000),
    ]
}

fn stats_row(ctx: &RunContext, file: &FileReport) -> Vec<Value> {
    let mut row = vec![small(file.db.0), small(file.file.0)];
    row.extend(figures(ctx, file));
    row.extend([big(file.size_on_disk_bytes), bytes(&handle(file).to_be_bytes()), Value::BigInt(0), Value::BigInt(0)]);
    row
}

fn old_rows(ctx: &RunContext, args: &[Value]) -> SqlResult<Vec<Vec<Value>>> {
    let rows = files(ctx, args).into_iter().map(|file| {
        let mut row = vec![small(file.db.0), small(file.file.0)];
        row.extend(figures(ctx, &file));
        row.extend([big(handle(&file)), big(file.size_on_disk_bytes)]);
        row
    });
    Ok(rows.collect())
}

/// There are no Windows handles: database and file number stand for one.
fn handle(file: &FileReport) -> u64 {
    u64::from(file.db.0) << 16 | u64::from(file.file.0)
}
