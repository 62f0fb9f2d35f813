//! The server, its options, its waits, its pool.

use super::Asker;
use crate::facts::{Curve, CurvePoint, Extension, Facts, Pool, TEMPDB, Wait};
use crate::source::Question;

const SYSTEM: &[&str] =
    &["ms_ticks", "sqlserver_start_time_ms_ticks", "cpu_count", "physical_memory_kb", "committed_target_kb"];
const CURVE: &[&str] = &["kind", "size_kb", "read_page_count", "extension_hit_count", "would_have_hit_count"];

pub(super) fn collect(asker: &mut Asker<'_>, facts: &mut Facts) -> Result<(), String> {
    let server = &mut facts.server;
    asker.mapped(&Question::of("dm_os_sys_info", SYSTEM), |row| {
        server.uptime_s = (row.int("ms_ticks") - row.int("sqlserver_start_time_ms_ticks")).max(0) as f64 / 1e3;
        server.cpu_count = row.int("cpu_count");
        server.physical_memory_kb = row.int("physical_memory_kb");
        server.memory_target_kb = row.int("committed_target_kb");
    })?;
    let mut mode = None;
    asker.mapped(&Question::of("configurations", &["name", "value_in_use"]), |row| {
        let value = row.int("value_in_use");
        match row.text("name").as_str() {
            "max server memory (MB)" => server.max_server_memory_mb = value,
            "tempdb forward-only extent search" => server.is_forward_only_search = value != 0,
            "tempdb eager writes" => server.is_eager_writes = value != 0,
            "buffer pool extension mode" => mode = Some(value),
            _ => {}
        }
    })?;
    let sessions =
        asker.mapped(&Question::of("dm_exec_sessions", &["is_user_process"]), |row| row.int("is_user_process"))?;
    facts.server.sessions = sessions.iter().sum();
    let waits = Question::of("dm_os_wait_stats", &["wait_type", "waiting_tasks_count", "wait_time_ms"]);
    facts.waits = asker.mapped(&waits, |row| Wait {
        wait_type: row.text("wait_type"),
        waits: row.int("waiting_tasks_count"),
        wait_ms: row.int("wait_time_ms"),
    })?;
    facts.waits.retain(|wait| wait.waits > 0);
    let waiting = Question::of("dm_os_waiting_tasks", &["wait_type", "resource_description"]);
    let waiting = asker.mapped(&waiting, |row| {
        row.text("wait_type").starts_with("PAGELATCH_") && is_allocation_page(&row.text("resource_description"))
    })?;
    facts.allocation_waiters = waiting.into_iter().filter(|is_waiter| *is_waiter).count() as i64;
    pool(asker, &mut facts.pool)?;
    facts.curve = curve(asker)?;
    facts.server.is_millpond = facts.curve.is_some();
    facts.extension = extension(asker, mode)?;
    if let (Some(extension), Some(curve)) = (&mut facts.extension, &facts.curve) {
        extension.hits = curve.extension_hits;
    }
    Ok(())
}

/// Whether `2:1:3` is a page of tempdb's maps of space. After the first of each kind a PFS page comes each 8,088 pages, a GAM page each
/// 511,232 and an SGAM page behind it (SQL Server's architecture of pages and extents).
pub(super) fn is_allocation_page(resource: &str) -> bool {
    let mut parts = resource.split([':', ' ']).map(|part| part.parse::<i64>());
    let (Some(Ok(database)), Some(Ok(_)), Some(Ok(page))) = (parts.next(), parts.next(), parts.next()) else {
        return false;
    };
    database == TEMPDB
        && page > 0
        && (matches!(page, 1..=3) || page % 8_088 == 0 || matches!(page % 511_232, 0 | 1) && page > 3)
}

fn pool(asker: &mut Asker<'_>, pool: &mut Pool) -> Result<(), String> {
    let counters = Question::of("dm_os_performance_counters", &["object_name", "counter_name", "cntr_value"]);
    asker.mapped(&counters, |row| {
        // The name begins with that of the instance.
        if !row.text("object_name").trim_end().ends_with("Buffer Manager") {
            return;
        }
        let value = row.int("cntr_value");
        match row.text("counter_name").trim_end() {
            "Page lookups/sec" => pool.lookups = value,
            "Page reads/sec" => pool.page_reads = value,
            "Page life expectancy" => pool.page_life_s = value,
            _ => {}
        }
    })?;
    Ok(())
}

fn curve(asker: &mut Asker<'_>) -> Result<Option<Curve>, String> {
    let mut curve = Curve::default();
    let rows = asker.mapped(&Question::of("dm_millpond_cache_curve", CURVE), |row| {
        (curve.reads, curve.extension_hits) = (row.int("read_page_count"), row.int("extension_hit_count"));
        let point = CurvePoint { size_kb: row.int("size_kb"), hits: row.int("would_have_hit_count") };
        match row.text("kind").as_str() {
            "MEMORY" => curve.memory.push(point),
            _ => curve.extension.push(point),
        }
    })?;
    let counted =
        asker.mapped(&Question::of("dm_millpond_cache_curve", &["counted_s"]), |row| row.float("counted_s"))?;
    curve.counted_s = counted.first().copied().unwrap_or_default();
    Ok((!rows.is_empty()).then_some(curve))
}

fn extension(asker: &mut Asker<'_>, mode: Option<i64>) -> Result<Option<Extension>, String> {
    let columns = &["path", "state", "current_size_in_kb"];
    // State 5 is enabled (sys.dm_os_buffer_pool_extension_configuration).
    let rows = asker.mapped(&Question::of("dm_os_buffer_pool_extension_configuration", columns), |row| {
        (row.int("state") == 5).then(|| Extension {
            path: row.text("path"),
            size_kb: row.int("current_size_in_kb"),
            // SQL Server's has clean pages alone.
            is_clean_only: mode.is_none_or(|mode| mode == 0),
            hits: 0,
        })
    })?;
    Ok(rows.into_iter().flatten().next())
}
