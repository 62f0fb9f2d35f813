//! What the experiment came to: a case for each split and number of users, plots, and what the arm of the data disk did.

use super::{Arm, Measured, SPLITS, Size, case_name, split_name};
use crate::experiment::ExperimentContext;
use crate::experiment::outcome::{Case, Outcome};
use crate::plot::{Axis, Chart, Figures, Series};

/// Waits that are shown.
const WAITS: usize = 3;

/// `numerator / denominator`, nothing where nothing was counted.
fn per(numerator: f64, denominator: f64) -> Option<f64> {
    (denominator > 0.0).then(|| numerator / denominator)
}

fn case(m: &Measured) -> Case {
    let all: f64 = m.waits.iter().map(|wait| wait.ms).sum();
    let top: Vec<String> =
        m.waits.iter().take(WAITS).map(|wait| format!("{} {:.0} %", wait.name, 100.0 * wait.ms / all)).collect();
    Case::new(case_name(m.read_percent, m.users))
        .with("read_percent", m.read_percent)
        .with("users", m.users)
        .with("seconds", m.elapsed_s)
        .with("new_orders_per_minute", m.new_orders_per_minute.round())
        .with("data_reads_per_transaction", per(m.data.reads, m.transactions))
        .with("data_writes_per_transaction", per(m.data.write_bytes / 8192.0, m.transactions))
        .with("data_reads", m.data.reads)
        .with("data_ms_per_read", per(m.data.read_ms, m.data.reads))
        .with("data_kb_per_read", per(m.data.read_bytes / 1024.0, m.data.reads))
        .with("data_writes", m.data.writes)
        .with("data_ms_per_write", per(m.data.write_ms, m.data.writes))
        .with("data_kb_per_write", per(m.data.write_bytes / 1024.0, m.data.writes))
        .with("log_writes", m.log.writes)
        .with("log_ms_per_write", per(m.log.write_ms, m.log.writes))
        .with("log_kb_per_write", per(m.log.write_bytes / 1024.0, m.log.writes))
        .with("arm_busy_with_reads_percent", 100.0 * m.arm.read_busy_s / m.elapsed_s)
        .with("arm_busy_with_writes_percent", 100.0 * m.arm.write_busy_s / m.elapsed_s)
        .with("cache_read_hits_percent", per(100.0 * m.arm.cache_hits, m.arm.cache_hits + m.arm.cache_misses))
        .with("cache_writes_that_waited", m.arm.writes_waited)
        .with("cache_pages_destaged", m.arm.destaged_pages)
        .with("waits", top.join(", "))
}

pub(super) fn outcome(context: &ExperimentContext<'_>, size: Size, measured: &[Measured]) -> Outcome {
    let rate = |read_percent, users| {
        let found = measured.iter().find(|m| (m.read_percent, m.users) == (read_percent, users));
        found.map(|m| m.new_orders_per_minute)
    };
    let most = *size.users.last().expect("there are users");
    let against_reads = |read_percent| match (rate(read_percent, most), rate(100, most)) {
        (Some(this), Some(reads)) => this / reads,
        _ => f64::NAN,
    };
    let findings = vec![
        format!(
            "With {most} users, three quarters of the cache for writes gives {:.2} times the new orders of all for reads, \
             all for writes {:.2} times.",
            against_reads(25),
            against_reads(0)
        ),
        format!("The longest waits with all for reads: {}.", longest(measured, 100, most)),
        arm_finding(measured, most),
    ];
    Outcome {
        name: "controller",
        title: "The cache of a controller, for reads or for writes",
        setup: setup(size),
        command: context.command("controller"),
        cases: measured.iter().map(case).collect(),
        charts: vec![throughput(size, rate), latency(measured, most), arm_chart(measured, most)],
        findings,
    }
}

/// What the data disk's arm did, and what a write cost it.
fn arm_finding(measured: &[Measured], users: u32) -> String {
    let sentence = |m: &Measured| {
        let share = |busy_s: f64| 100.0 * busy_s / m.elapsed_s;
        let through = m.data.write_bytes / 8192.0;
        let written = if m.arm.destaged_pages > 0.0 { m.arm.destaged_pages } else { through };
        format!(
            "{}: {:.0} % with reads, {:.0} % with writes, {:.2} ms a page written",
            split_name(m.read_percent),
            share(m.arm.read_busy_s),
            share(m.arm.write_busy_s),
            1e3 * m.arm.write_busy_s / written.max(1.0)
        )
    };
    let all: Vec<String> = measured.iter().filter(|m| m.users == users).map(sentence).collect();
    format!("The data disk's arm was busy, by split of the cache (reads/writes): {}.", all.join("; "))
}

fn longest(measured: &[Measured], read_percent: u32, users: u32) -> String {
    let found = measured.iter().find(|m| (m.read_percent, m.users) == (read_percent, users));
    let names = found.map(|m| m.waits.iter().take(WAITS).map(|wait| wait.name.as_str()).collect::<Vec<_>>());
    names.unwrap_or_default().join(", ")
}

fn setup(size: Size) -> Vec<String> {
    let Size { warehouses, scale, memory_mb, cache_mb, capacity_mb, warm_s, seconds, .. } = size;
    vec![
        format!(
            "TPC-C's five transactions in its mix, without keying and thinking, on {warehouses} warehouses of {} items and \
             {} customers a district (the standard has 100,000 and 3,000). Memory is {memory_mb} MB, a fifth of the data. \
             Data and log lie on an emulated SAS disk of 10,000 revolutions a minute and {capacity_mb} MB each, eight times \
             the data, behind a controller's cache with a battery, of {cache_mb} MB for each disk, a seventeenth of the \
             data: the proportions of the article, whose two disks shared one controller.",
            scale.items, scale.customers
        ),
        format!(
            "The database is loaded once; each split begins with the same files on a server of its own. {warm_s} seconds \
             pass before anything counts, so that memory and cache are full, then {seconds} seconds count, with one \
             checkpoint by hand in their middle; automatic ones are off. Seconds are those of the server's clock, which \
             passes over the time that a disk would take."
        ),
        "The article has a chart without numbers: its two splits with much room for writes are much faster than the one \
         without. With 100 users reads of its data disk take 275 ms, writes to it 320 ms, writes to the log 28 ms."
            .into(),
    ]
}

fn throughput(size: Size, rate: impl Fn(u32, u32) -> Option<f64>) -> Chart {
    let bar = |&users: &u32| Series {
        name: format!("{users} users"),
        values: SPLITS.map(|read_percent| rate(read_percent, users)).to_vec(),
    };
    Chart {
        title: "New orders by the split of the cache".into(),
        y: Axis::new("new orders per minute"),
        figures: Figures::Bars { groups: groups(), bars: size.users.iter().map(bar).collect() },
    }
}

/// The splits, as the charts name them.
fn groups() -> Vec<String> {
    SPLITS.map(|read_percent| format!("reads/writes {}", split_name(read_percent))).to_vec()
}

fn arm_chart(measured: &[Measured], users: u32) -> Chart {
    let values = |busy_s: fn(&Arm) -> f64| -> Vec<Option<f64>> {
        measured.iter().filter(|m| m.users == users).map(|m| Some(100.0 * busy_s(&m.arm) / m.elapsed_s)).collect()
    };
    Chart {
        title: format!("The arm of the data disk, {users} users"),
        y: Axis::new("percent of the time"),
        figures: Figures::Bars {
            groups: groups(),
            bars: vec![
                Series { name: "busy with reads".into(), values: values(|arm| arm.read_busy_s) },
                Series { name: "busy with writes".into(), values: values(|arm| arm.write_busy_s) },
            ],
        },
    }
}

fn latency(measured: &[Measured], users: u32) -> Chart {
    let values = |value: fn(&Measured) -> Option<f64>| -> Vec<Option<f64>> {
        measured.iter().filter(|m| m.users == users).map(value).collect()
    };
    Chart {
        title: format!("Time of one request, {users} users"),
        y: Axis::new("milliseconds"),
        figures: Figures::Bars {
            groups: groups(),
            bars: vec![
                Series { name: "data: read".into(), values: values(|m| per(m.data.read_ms, m.data.reads)) },
                Series { name: "data: write".into(), values: values(|m| per(m.data.write_ms, m.data.writes)) },
                Series { name: "log: write".into(), values: values(|m| per(m.log.write_ms, m.log.writes)) },
            ],
        },
    }
}

#[cfg(test)]
mod tests {
    use super::super::Disk;
    use super::*;
    use crate::experiment::waits::Wait;

    fn measured(read_percent: u32, new_orders_per_minute: f64) -> Measured {
        let waits = [("PAGEIOLATCH_SH", 75.0), ("WRITELOG", 25.0)];
        let waits = waits.map(|(name, ms)| Wait { name: name.to_owned(), ms, signal_ms: 0.0 }).to_vec();
        let data = Disk { reads: 10.0, read_bytes: 81_920.0, read_ms: 50.0, ..Disk::default() };
        Measured {
            read_percent,
            users: 20,
            elapsed_s: 60.0,
            new_orders_per_minute,
            transactions: 5.0,
            data,
            log: Disk::default(),
            arm: Arm { read_busy_s: 45.0, cache_hits: 1.0, cache_misses: 3.0, ..Arm::default() },
            waits,
        }
    }

    #[test]
    fn a_case_has_means_and_no_zero_where_nothing_was_counted() {
        let case = case(&measured(25, 100.0));
        let json = format!("{case:?}");
        assert!(json.contains(r#"("data_ms_per_read", Number(5.0))"#), "{json}");
        assert!(json.contains(r#"("data_kb_per_read", Number(8.0))"#), "{json}");
        assert!(json.contains(r#"("data_ms_per_write", Null)"#), "{json}");
        assert!(json.contains(r#"("arm_busy_with_reads_percent", Number(75.0))"#), "{json}");
        assert!(json.contains(r#"("cache_read_hits_percent", Number(25.0))"#), "{json}");
        assert!(json.contains("PAGEIOLATCH_SH 75 %, WRITELOG 25 %"), "{json}");
    }

    #[test]
    fn every_split_is_compared_with_all_for_reads() {
        let all = [measured(100, 100.0), measured(75, 150.0), measured(25, 250.0), measured(0, 300.0)];
        let most = |percent| all.iter().find(|m| m.read_percent == percent).map(|m| m.new_orders_per_minute);
        assert_eq!(SPLITS.map(most), [Some(100.0), Some(150.0), Some(250.0), Some(300.0)]);
        assert_eq!(longest(&all, 100, 20), "PAGEIOLATCH_SH, WRITELOG");
        assert_eq!(longest(&all, 100, 7), "");
    }
}
