//! `sys.dm_millpond_volume_io`: one row per volume, with the figures by the names that people know from their systems'
//! monitors, `sys.dm_millpond_volume_latency`, and `sys.dm_os_volume_stats`. Averages are since the start; NULL where there was nothing to average. A volume
//! is an emulated device, a mount of the system, or memory.

use std::path::Path;

use millpond_builtin::TableFunctionDef;
use millpond_catalog::Within;
use millpond_catalog::system_view::ViewDef;
use millpond_device::latency::ENDS_US;
use millpond_engine::context::RunContext;
use millpond_message::error::SqlResult;
use millpond_storage::contract::DbId;
use millpond_storage::instance::volume_io::{self, CacheReport, VolumeIo};
use millpond_storage::instance::volumes::{mount_of, mounts, volumes};
use millpond_types::Value;

use crate::columns::{NVarChar, admits, big, int, text};
use crate::row::{Rows, ViewRows, row, table_function, view};

row! {
    /// A row of `sys.dm_os_enumerate_fixed_drives`.
    struct DmOsEnumerateFixedDrives {
        fixed_drive_path: NVarChar<512>,
        drive_type: i32,
        drive_type_desc: NVarChar<512>,
        free_space_in_bytes: i64,
    }
}

/// `sys.dm_os_enumerate_fixed_drives`: the volumes that hold the server's files.
pub static DM_OS_ENUMERATE_FIXED_DRIVES: ViewDef = view("sys", "dm_os_enumerate_fixed_drives", &ViewRows(fixed_drives));

fn fixed_drives(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<DmOsEnumerateFixedDrives>> {
    // A system that does not tell its mounts has none to show.
    let volumes = volumes(ctx.engine.instance()).unwrap_or_default();
    let rows = volumes.into_iter().map(|volume| DmOsEnumerateFixedDrives {
        fixed_drive_path: text(&volume.path.to_string_lossy()),
        drive_type: 3,
        drive_type_desc: text("DRIVE_FIXED"),
        free_space_in_bytes: big(volume.free_bytes),
    });
    Ok(rows.collect())
}

row! {
    /// A row of `sys.dm_millpond_volume_io`.
    struct DmMillpondVolumeIo {
        volume_name: NVarChar<260>,
        model: NVarChar<60>,
        avg_disk_bytes_per_read: Option<f64>,
        avg_disk_bytes_per_write: Option<f64>,
        avg_disk_sec_per_read: Option<f64>,
        avg_disk_sec_per_write: Option<f64>,
        current_disk_queue_length: i64,
        avg_disk_queue_length: Option<f64>,
        disk_reads: i64,
        disk_read_bytes: i64,
        disk_read_time_us: i64,
        disk_writes: i64,
        disk_write_bytes: i64,
        disk_write_time_us: i64,
        disk_flushes: i64,
        disk_flush_time_us: i64,
        sample_ms: i64,
        disk_read_busy_us: Option<i64>,
        disk_write_busy_us: Option<i64>,
        cache_read_hits: Option<i64>,
        cache_read_misses: Option<i64>,
        cache_writes_held: Option<i64>,
        cache_writes_waited: Option<i64>,
        cache_writes_through: Option<i64>,
        cache_destaged_bytes: Option<i64>,
        cache_held_bytes: Option<i64>,
    }
}

/// `sys.dm_millpond_volume_io`
pub static DM_MILLPOND_VOLUME_IO: ViewDef = view("sys", "dm_millpond_volume_io", &ViewRows(|ctx, _| Ok(io_rows(ctx))));

row! {
    /// A row of `sys.dm_millpond_volume_latency`.
    struct DmMillpondVolumeLatency {
        volume_name: NVarChar<260>,
        model: NVarChar<60>,
        operation: NVarChar<60>,
        above_us: i64,
        up_to_us: Option<i64>,
        requests: i64,
    }
}

/// `sys.dm_millpond_volume_latency`: how many reads, writes and flushes of a volume took how long, a row for each range; NULL where a
/// range has no end.
pub static DM_MILLPOND_VOLUME_LATENCY: ViewDef =
    view("sys", "dm_millpond_volume_latency", &ViewRows(|ctx, _| Ok(latency_rows(ctx))));

fn latency_rows(ctx: &RunContext) -> Rows<DmMillpondVolumeLatency> {
    let mut rows = Rows::new();
    for volume in volume_io::volume_io(ctx.engine.instance()) {
        for (operation, counted) in ["read", "write", "flush"].into_iter().zip(volume.latencies) {
            rows.extend(counted.0.into_iter().enumerate().map(|(range, requests)| DmMillpondVolumeLatency {
                volume_name: text(&volume.name),
                model: text(volume.model),
                operation: text(operation),
                above_us: range.checked_sub(1).map_or(0, |before| big(ENDS_US[before])),
                up_to_us: ENDS_US.get(range).map(|end_us| big(*end_us)),
                requests: big(requests),
            }));
        }
    }
    rows
}

fn ratio(sum: u64, count: u64, scale: f64) -> Option<f64> {
    (count != 0).then(|| sum as f64 / count as f64 / scale)
}

fn io_rows(ctx: &RunContext) -> Rows<DmMillpondVolumeIo> {
    volume_io::volume_io(ctx.engine.instance()).iter().map(io_row).collect()
}

fn io_row(volume: &VolumeIo) -> DmMillpondVolumeIo {
    const US_PER_S: f64 = 1e6;
    // What happens behind the requests: the arm of an emulated disk, and the cache of its controller.
    let arm = |kind: usize| volume.worked_us.map(|worked_us| big(worked_us[kind]));
    let cache = |figure: fn(&CacheReport) -> u64| volume.cache.as_ref().map(|cache| big(figure(cache)));
    DmMillpondVolumeIo {
        volume_name: text(&volume.name),
        model: text(volume.model),
        avg_disk_bytes_per_read: ratio(volume.read_bytes, volume.reads, 1.0),
        avg_disk_bytes_per_write: ratio(volume.write_bytes, volume.writes, 1.0),
        avg_disk_sec_per_read: ratio(volume.read_us, volume.reads, US_PER_S),
        avg_disk_sec_per_write: ratio(volume.write_us, volume.writes, US_PER_S),
        current_disk_queue_length: big(volume.queue_length),
        avg_disk_queue_length: ratio(volume.queue_length_us, volume.elapsed_us, 1.0),
        disk_reads: big(volume.reads),
        disk_read_bytes: big(volume.read_bytes),
        disk_read_time_us: big(volume.read_us),
        disk_writes: big(volume.writes),
        disk_write_bytes: big(volume.write_bytes),
        disk_write_time_us: big(volume.write_us),
        disk_flushes: big(volume.syncs),
        disk_flush_time_us: big(volume.sync_us),
        sample_ms: big(volume.elapsed_us / 1000),
        disk_read_busy_us: arm(0),
        disk_write_busy_us: arm(1),
        cache_read_hits: cache(|cache| cache.read_hits),
        cache_read_misses: cache(|cache| cache.read_misses),
        cache_writes_held: cache(|cache| cache.writes_held),
        cache_writes_waited: cache(|cache| cache.writes_waited),
        cache_writes_through: cache(|cache| cache.writes_through),
        cache_destaged_bytes: cache(|cache| cache.destaged_bytes),
        cache_held_bytes: cache(|cache| cache.held_bytes),
    }
}

row! {
    /// A row of `sys.dm_os_volume_stats`.
    struct DmOsVolumeStats {
        database_id: Option<i32>,
        file_id: Option<i32>,
        volume_mount_point: Option<NVarChar<512>>,
        volume_id: Option<NVarChar<512>>,
        logical_volume_name: Option<NVarChar<512>>,
        file_system_type: Option<NVarChar<512>>,
        total_bytes: i64,
        available_bytes: i64,
        supports_compression: Option<u8>,
        supports_alternate_streams: Option<u8>,
        supports_sparse_files: Option<u8>,
        is_read_only: Option<u8>,
        is_compressed: Option<u8>,
        incurs_seek_penalty: Option<u8>,
    }
}

/// `sys.dm_os_volume_stats(database_id, file_id)`; files in memory lie on no volume.
pub static DM_OS_VOLUME_STATS: TableFunctionDef =
    table_function!("sys", "dm_os_volume_stats", [i32, i32], optional 0, DmOsVolumeStats, stats_rows);

fn stats_rows(ctx: &RunContext, args: &[Value]) -> SqlResult<Rows<DmOsVolumeStats>> {
    // NULL is no number of a database here: the original answers with no row.
    if args.iter().any(Value::is_null) {
        return Ok(Rows::new());
    }
    let instance = ctx.engine.instance();
    let mounts = mounts();
    let databases = instance.database_reports().into_iter().map(|database| database.id);
    let of = |db: DbId| instance.files(db).into_iter();
    let files = databases.filter(|db| admits(args.first(), db.0)).flat_map(of);
    let files = files.filter(|file| admits(args.get(1), file.file.0) && !file.is_ram);
    let row = |file: millpond_storage::instance::file_report::FileReport| {
        let mount = mount_of(&mounts, Path::new(&file.physical_name))?;
        Some(DmOsVolumeStats {
            database_id: Some(int(file.db.0)),
            file_id: Some(int(file.file.0)),
            volume_mount_point: Some(text(&mount.path.display().to_string())),
            volume_id: Some(text(&mount.source)),
            logical_volume_name: Some(text(&mount.source)),
            file_system_type: Some(text(&mount.file_system)),
            total_bytes: big(mount.total_bytes),
            available_bytes: big(mount.free_bytes),
            supports_compression: Some(0),
            supports_alternate_streams: Some(0),
            supports_sparse_files: Some(1),
            is_read_only: Some(0),
            is_compressed: Some(0),
            incurs_seek_penalty: None,
        })
    };
    Ok(files.filter_map(row).collect())
}
