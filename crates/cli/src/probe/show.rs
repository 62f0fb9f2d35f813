//! Results of a probe as text: a table for people, one JSON object per line for programs.
//!
//! What always holds: both show the same cells; a bandwidth that is not known, because the device took no time, is a
//! dash here and null there.

use std::fmt::Write as _;

use millpond_device::probe::{CellKind, ProbeCell};
use millpond_device::profile::{Direction, Order};
use serde_json::json;

/// "random read" and the like.
pub fn name(direction: Direction, order: Order) -> &'static str {
    match (order, direction) {
        (Order::Random, Direction::Read) => "random read",
        (Order::Random, Direction::Write) => "random write",
        (Order::Sequential, Direction::Read) => "sequential read",
        (Order::Sequential, Direction::Write) => "sequential write",
    }
}

/// A cell in words.
pub fn kind(kind: &CellKind) -> String {
    let CellKind { direction, order, size_bytes, depth } = *kind;
    format!("{} {} KB, depth {depth}", name(direction, order), size_bytes >> 10)
}

fn number(value: Option<f64>) -> String {
    match value {
        None => "-".into(),
        Some(value) if value < 10.0 => format!("{value:.2}"),
        Some(value) if value < 1_000.0 => format!("{value:.1}"),
        Some(value) => format!("{value:.0}"),
    }
}

/// A table.
pub fn table(target: &str, cells: &[ProbeCell]) -> String {
    let mut text = format!("{target}\n");
    let mut before = None;
    for cell in cells {
        let CellKind { direction, order, size_bytes, depth } = cell.kind;
        if before != Some((direction, order, depth)) {
            before = Some((direction, order, depth));
            let _ = writeln!(text, "\n{}, depth {depth}", name(direction, order));
            text.push_str("   size       MB/s        IOPS     mean us   median us      99 % us   requests\n");
        }
        let _ = writeln!(
            text,
            "{:>4} KB {:>10} {:>11} {:>11} {:>11} {:>12} {:>10}",
            size_bytes >> 10,
            number(cell.mb_s()),
            number(cell.per_second()),
            number(Some(cell.mean_us)),
            cell.median_us,
            cell.p99_us,
            cell.requests,
        );
    }
    text
}

/// One object per line and cell.
pub fn json(target: &str, cells: &[ProbeCell]) -> String {
    let line = |cell: &ProbeCell| {
        let object = json!({
            "case": kind(&cell.kind),
            "target": target,
            "direction": cell.kind.direction,
            "order": cell.kind.order,
            "size_bytes": cell.kind.size_bytes,
            "depth": cell.kind.depth,
            "requests": cell.requests,
            "seconds": cell.elapsed_us as f64 / 1e6,
            "mb_s": cell.mb_s(),
            "iops": cell.per_second(),
            "mean_us": cell.mean_us,
            "median_us": cell.median_us,
            "p99_us": cell.p99_us,
        });
        format!("{object}\n")
    };
    cells.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(elapsed_us: u64) -> ProbeCell {
        let kind = CellKind { direction: Direction::Read, order: Order::Random, size_bytes: 8192, depth: 1 };
        ProbeCell { kind, requests: 130, completed: 130, elapsed_us, mean_us: 7692.3, median_us: 7_700, p99_us: 13_000 }
    }

    #[test]
    fn a_cell_is_a_line() {
        let table = table("disk", &[cell(1_000_000)]);
        let last: Vec<&str> = table.lines().last().unwrap_or("").split_whitespace().collect();
        assert_eq!(last, ["8", "KB", "1.06", "130.0", "7692", "7700", "13000", "130"]);
        let object: serde_json::Value = serde_json::from_str(&json("disk", &[cell(1_000_000)])).unwrap();
        assert_eq!((object["order"].as_str(), object["iops"].as_f64()), (Some("random"), Some(130.0)));
        assert_eq!(object["case"], "random read 8 KB, depth 1");
    }

    #[test]
    fn no_time_is_no_bandwidth() {
        assert!(table("ram", &[cell(0)]).contains(" - "));
        assert!(json("ram", &[cell(0)]).contains("\"mb_s\":null"));
    }
}
