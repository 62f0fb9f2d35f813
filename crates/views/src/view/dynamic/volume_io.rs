//! `sys.dm_millpond_volume_io`: one row per volume, with the figures by the names that people know from their systems'
//! monitors, and `sys.dm_os_volume_stats`. Averages are since the start; NULL where there was nothing to average. A volume
//! is an emulated device, a mount of the system, or memory.

use std::path::Path;

use millpond_builtin::TableFunctionDef;
use millpond_catalog::system_view::ViewDef;
use millpond_engine::context::RunContext;
use millpond_message::error::SqlResult;
use millpond_storage::contract::DbId;
use millpond_storage::file::volume_io::CacheReport;
use millpond_storage::file::volumes::{mount_of, mounts};
use millpond_types::Value;

use crate::view::ViewRows;
use crate::view::columns::{BIGINT, FLOAT, INT, TINYINT, admits, big, col, int, null, nvarchar, text, tiny};

/// `sys.dm_millpond_volume_io`
pub static DM_MILLPOND_VOLUME_IO: ViewDef = ViewDef {
    schema: "sys",
    name: "dm_millpond_volume_io",
    columns: &[
        col("volume_name", nvarchar(260)),
        col("model", nvarchar(60)),
        null("avg_disk_bytes_per_read", FLOAT),
        null("avg_disk_bytes_per_write", FLOAT),
        null("avg_disk_sec_per_read", FLOAT),
        null("avg_disk_sec_per_write", FLOAT),
        col("current_disk_queue_length", BIGINT),
        null("avg_disk_queue_length", FLOAT),
        col("disk_reads", BIGINT),
        col("disk_read_bytes", BIGINT),
        col("disk_read_time_us", BIGINT),
        col("disk_writes", BIGINT),
        col("disk_write_bytes", BIGINT),
        col("disk_write_time_us", BIGINT),
        col("disk_flushes", BIGINT),
        col("disk_flush_time_us", BIGINT),
        col("sample_ms", BIGINT),
        null("disk_read_busy_us", BIGINT),
        null("disk_write_busy_us", BIGINT),
        null("cache_read_hits", BIGINT),
        null("cache_read_misses", BIGINT),
        null("cache_writes_held", BIGINT),
        null("cache_writes_waited", BIGINT),
        null("cache_writes_through", BIGINT),
        null("cache_destaged_bytes", BIGINT),
        null("cache_held_bytes", BIGINT),
    ],
    rows: &ViewRows(|ctx, _| Ok(io_rows(ctx))),
};

fn ratio(sum: u64, count: u64, scale: f64) -> Value {
    if count == 0 { Value::Null } else { Value::Float(sum as f64 / count as f64 / scale) }
}

fn io_rows(ctx: &RunContext) -> Vec<Vec<Value>> {
    const US_PER_S: f64 = 1e6;
    let row = |volume: &millpond_storage::file::volume_io::VolumeIo| {
        let mut row = vec![
            text(&volume.name),
            text(volume.model),
            ratio(volume.read_bytes, volume.reads, 1.0),
            ratio(volume.write_bytes, volume.writes, 1.0),
            ratio(volume.read_us, volume.reads, US_PER_S),
            ratio(volume.write_us, volume.writes, US_PER_S),
            big(volume.queue_length),
            ratio(volume.queue_length_us, volume.elapsed_us, 1.0),
            big(volume.reads),
            big(volume.read_bytes),
            big(volume.read_us),
            big(volume.writes),
            big(volume.write_bytes),
            big(volume.write_us),
            big(volume.syncs),
            big(volume.sync_us),
            big(volume.elapsed_us / 1000),
        ];
        row.extend(inside(volume));
        row
    };
    ctx.engine.instance().volume_io().iter().map(row).collect()
}

/// What happens behind the requests: the arm of an emulated disk, and the cache of its controller.
fn inside(volume: &millpond_storage::file::volume_io::VolumeIo) -> [Value; 9] {
    let arm = |kind: usize| volume.worked_us.map_or(Value::Null, |worked_us| big(worked_us[kind]));
    let cache = |figure: fn(&CacheReport) -> u64| volume.cache.as_ref().map_or(Value::Null, |cache| big(figure(cache)));
    [
        arm(0),
        arm(1),
        cache(|cache| cache.read_hits),
        cache(|cache| cache.read_misses),
        cache(|cache| cache.writes_held),
        cache(|cache| cache.writes_waited),
        cache(|cache| cache.writes_through),
        cache(|cache| cache.destaged_bytes),
        cache(|cache| cache.held_bytes),
    ]
}

/// `sys.dm_os_volume_stats(database_id, file_id)`; files in memory lie on no volume.
pub static DM_OS_VOLUME_STATS: TableFunctionDef = TableFunctionDef {
    schema: "sys",
    name: "dm_os_volume_stats",
    params: &[INT, INT],
    optional: 0,
    columns: &[
        null("database_id", INT),
        null("file_id", INT),
        null("volume_mount_point", nvarchar(512)),
        null("volume_id", nvarchar(512)),
        null("logical_volume_name", nvarchar(512)),
        null("file_system_type", nvarchar(512)),
        col("total_bytes", BIGINT),
        col("available_bytes", BIGINT),
        null("supports_compression", TINYINT),
        null("supports_alternate_streams", TINYINT),
        null("supports_sparse_files", TINYINT),
        null("is_read_only", TINYINT),
        null("is_compressed", TINYINT),
        null("incurs_seek_penalty", TINYINT),
    ],
    rows: |run, args| stats_rows(RunContext::of(run), args),
};

fn stats_rows(ctx: &RunContext, args: &[Value]) -> SqlResult<Vec<Vec<Value>>> {
    // NULL is no number of a database here: the original answers with no row.
    if args.iter().any(Value::is_null) {
        return Ok(Vec::new());
    }
    let instance = ctx.engine.instance();
    let mounts = mounts();
    let databases = instance.databases().into_iter().map(|database| database.id);
    let of = |db: DbId| instance.files(db).into_iter();
    let files = databases.filter(|db| admits(args.first(), db.0)).flat_map(of);
    let files = files.filter(|file| admits(args.get(1), file.file.0) && !file.is_ram);
    let row = |file: millpond_storage::file::report::FileReport| {
        let mount = mount_of(&mounts, Path::new(&file.physical_name))?;
        Some(vec![
            int(file.db.0),
            int(file.file.0),
            text(&mount.path.display().to_string()),
            text(&mount.source),
            text(&mount.source),
            text(&mount.file_system),
            big(mount.total_bytes),
            big(mount.free_bytes),
            tiny(0),
            tiny(0),
            tiny(1),
            tiny(0),
            tiny(0),
            Value::Null,
        ])
    };
    Ok(files.filter_map(row).collect())
}
