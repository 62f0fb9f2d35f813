//! What the server has kept of the time before (`sys.dm_millpond_history`), as points that charts draw beside those of samples.
//!
//! What always holds: a total becomes a rate over the time that was covered, a level stays as it is; an interval of which nothing is
//! known is no point. A server without such a history has none, which is no error of the page.

use millpond_top::source::{Cell, FromCell, Row, Rows};
use serde_json::{Map, Value};

/// Seconds from 1970 to 2000, from where times are written, so that they fit into 32 bits.
const EPOCH_S: i64 = 946_684_800;
/// Intervals of an answer at most.
const INTERVALS_MAX: i64 = 3000;
const MB: f64 = 1_048_576.0;
const PAGES_PER_MB: f64 = 128.0;

/// What a column becomes.
#[derive(Clone, Copy)]
enum As {
    /// A total by its seconds, divided.
    Rate(f64),
    /// A level, divided.
    Level(f64),
}

/// Names of points, with the columns that they are made of.
const FIGURES: [(&str, &str, As); 24] = [
    ("batches", "batches", As::Rate(1.0)),
    ("transactions", "transactions", As::Rate(1.0)),
    ("read", "file_read_bytes", As::Rate(MB)),
    ("written", "file_write_bytes", As::Rate(MB)),
    ("reads", "file_reads", As::Rate(1.0)),
    ("writes", "file_writes", As::Rate(1.0)),
    ("log", "log_bytes", As::Rate(MB)),
    ("sessions", "sessions", As::Level(1.0)),
    ("running", "requests", As::Level(1.0)),
    ("tempUser", "tempdb_user_pages", As::Level(PAGES_PER_MB)),
    ("tempInternal", "tempdb_internal_pages", As::Level(PAGES_PER_MB)),
    ("tempVersions", "tempdb_version_pages", As::Level(PAGES_PER_MB)),
    ("memory", "memory_resident_bytes", As::Level(MB)),
    // Microseconds of waits in a second are requests that wait.
    ("wait processor", "wait_processor_us", As::Rate(1e6)),
    ("wait locks", "wait_lock_us", As::Rate(1e6)),
    ("wait latches", "wait_latch_us", As::Rate(1e6)),
    ("wait page I/O", "wait_page_io_us", As::Rate(1e6)),
    ("wait other I/O", "wait_other_io_us", As::Rate(1e6)),
    ("wait log", "wait_log_us", As::Rate(1e6)),
    ("wait memory grants", "wait_memory_grant_us", As::Rate(1e6)),
    ("wait workers", "wait_worker_us", As::Rate(1e6)),
    ("wait parallelism", "wait_parallelism_us", As::Rate(1e6)),
    ("wait network", "wait_network_us", As::Rate(1e6)),
    ("wait other", "wait_other_us", As::Rate(1e6)),
];

/// The text that asks for it; nothing where the times are none. Milliseconds since 1970.
pub fn text(from_ms: i64, to_ms: i64, step_s: i64) -> Option<String> {
    let at = |ms: i64| {
        let seconds = ms.div_euclid(1000).checked_sub(EPOCH_S)?;
        i32::try_from(seconds)
            .ok()
            .map(|seconds| format!("dateadd(second, {seconds}, cast('2000-01-01' as datetime2(3)))"))
    };
    let span_s = to_ms.checked_sub(from_ms)? / 1000;
    if span_s <= 0 {
        return None;
    }
    let step_s = step_s.max(span_s / INTERVALS_MAX).clamp(1, 86_400);
    let ms = |column: &str| format!("datediff_big(millisecond, '1970-01-01', {column})");
    Some(format!(
        "declare @from datetime2(3) = {}, @to datetime2(3) = {}; \
         select {} as begin_ms, {} as end_ms, (select cpu_count from sys.dm_os_sys_info) as cpu_count, h.* \
         from sys.dm_millpond_history(@from, @to, {step_s}) as h",
        at(from_ms)?,
        at(to_ms)?,
        ms("h.begin_time_utc"),
        ms("h.end_time_utc"),
    ))
}

fn number(row: &Row<'_>, name: &str) -> Option<f64> {
    match row.cell(name) {
        Cell::Int(number) => Some(*number as f64),
        Cell::Float(number) => Some(*number).filter(|number| number.is_finite()),
        Cell::Null | Cell::Text(_) => None,
    }
}

/// The points of an answer, in its order.
pub fn points(rows: &Rows) -> Vec<Map<String, Value>> {
    rows.iter().filter_map(|row| point(&row)).collect()
}

fn point(row: &Row<'_>) -> Option<Map<String, Value>> {
    let covered_s = number(row, "covered_s").filter(|covered| *covered > 0.0)?;
    let (begin_ms, end_ms) = (i64::from_cell(row.cell("begin_ms")), i64::from_cell(row.cell("end_ms")));
    let mut point = Map::new();
    point.insert("at".into(), end_ms.into());
    point.insert("span".into(), (end_ms - begin_ms).max(1).into());
    for (name, column, how) in FIGURES {
        let value = number(row, column).map(|number| match how {
            As::Rate(by) => number / covered_s / by,
            As::Level(by) => number / by,
        });
        point.insert(name.into(), value.map_or(Value::Null, Value::from));
    }
    let both = |one: &str, other: &str| Some(number(row, one)? + number(row, other)?);
    let cpu = both("cpu_user_ms", "cpu_kernel_ms").zip(number(row, "cpu_count").filter(|count| *count > 0.0));
    let cpu = cpu.map(|(ms, count)| (ms / covered_s / count / 10.0).min(100.0));
    point.insert("cpu".into(), cpu.map_or(Value::Null, Value::from));
    for (name, stall, count) in
        [("readMs", "file_read_stall_us", "file_reads"), ("writeMs", "file_write_stall_us", "file_writes")]
    {
        let each = number(row, stall)
            .zip(number(row, count))
            .map(|(us, count)| if count > 0.0 { us / count / 1e3 } else { 0.0 });
        point.insert(name.into(), each.map_or(Value::Null, Value::from));
    }
    Some(point)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_are_rates_and_levels_stay() {
        let columns = [
            "begin_ms",
            "end_ms",
            "covered_s",
            "cpu_count",
            "batches",
            "cpu_user_ms",
            "cpu_kernel_ms",
            "tempdb_user_pages",
            "wait_lock_us",
            "file_reads",
            "file_read_stall_us",
        ];
        let known = [0, 60_000, 50, 2, 500, 40_000, 10_000, 256, 100_000_000, 4, 6_000].map(Cell::Int).to_vec();
        let unknown = [Cell::Int(60_000), Cell::Int(120_000), Cell::Null].to_vec();
        let rows = Rows { columns: columns.map(str::to_owned).to_vec(), rows: vec![known, unknown] };
        let points = points(&rows);
        assert_eq!(points.len(), 1);
        let point = &points[0];
        for (name, expected) in
            [("batches", 10.0), ("cpu", 50.0), ("tempUser", 2.0), ("wait locks", 2.0), ("readMs", 1.5)]
        {
            assert_eq!(point[name], expected, "{name}");
        }
        assert_eq!(
            (&point["at"], &point["span"], &point["log"]),
            (&Value::from(60_000), &Value::from(60_000), &Value::Null)
        );
    }

    #[test]
    fn times_are_checked() {
        let asked = text(1_000_000_000_000, 1_000_086_400_000, 1).expect("a text");
        assert!(asked.contains("dateadd(second, 53315200, cast('2000-01-01' as datetime2(3)))"), "{asked}");
        assert!(asked.contains("dm_millpond_history(@from, @to, 28)"), "{asked}");
        for (from, to) in [(0, 0), (5_000, 1_000), (i64::MIN, i64::MAX), (0, i64::MAX)] {
            assert_eq!(text(from, to, 60), None, "{from} {to}");
        }
    }
}
