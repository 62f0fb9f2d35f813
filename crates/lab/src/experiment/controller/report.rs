//! What the experiment came to: a case for each split and number of users, plots, and what the arm of the data disk did.

use super::{Arm, Measured, SPLITS, Size, case_name, split_name};
use crate::experiment::Scale;
use crate::experiment::article::{Article, Comparison, Theirs};
use crate::experiment::case::{Case, Repetition, Samples};
use crate::experiment::outcome::Page;
use crate::plot::{Axis, Chart, Figures, Series, Spread};

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

pub(super) fn repetition(size: Size, measured: &[Measured]) -> Repetition {
    let rate = |read_percent, users| {
        let found = measured.iter().find(|m| (m.read_percent, m.users) == (read_percent, users));
        found.map(|m| m.new_orders_per_minute)
    };
    let most = most_users(size);
    let against_reads = |read_percent| match (rate(read_percent, most), rate(100, most)) {
        (Some(this), Some(reads)) => this / reads,
        _ => f64::NAN,
    };
    let ms_per_page = |read_percent| {
        let found = measured.iter().find(|m| (m.read_percent, m.users) == (read_percent, most));
        found.map_or(f64::NAN, arm_ms_per_page)
    };
    Repetition {
        cases: measured.iter().map(case).collect(),
        charts: vec![throughput(size, rate), latency(measured, most), arm_chart(measured, most)],
        effects: vec![
            ("writes_25_over_reads", against_reads(75)),
            ("writes_75_over_reads", against_reads(25)),
            ("writes_100_over_reads", against_reads(0)),
            ("arm_ms_per_page_through", ms_per_page(100)),
            ("arm_ms_per_page_destaged", ms_per_page(0)),
        ],
    }
}

fn most_users(size: Size) -> u32 {
    size.users.last().copied().unwrap_or(1)
}

/// Time of the arm for a page written: for one that the cache wrote, or without one for one that came through.
fn arm_ms_per_page(m: &Measured) -> f64 {
    let through = m.data.write_bytes / 8192.0;
    let written = if m.arm.destaged_pages > 0.0 { m.arm.destaged_pages } else { through };
    1e3 * m.arm.write_busy_s / written.max(1.0)
}

pub(in crate::experiment) fn page(scale: Scale, samples: &Samples) -> Page {
    let size = Size::at(scale);
    let most = most_users(size);
    let figure = |read_percent, name| samples.spread(&case_name(read_percent, most), name);
    let chart = Theirs::Unreadable("a chart; by eye about 2 ×, in words: all for reads is significantly lower");
    Page {
        title: "The cache of a controller, for reads or for writes",
        article: Some(Article {
            author: "Linchi Shea",
            title: "the third of his articles on how a controller's cache is split, with TPC-C",
            year: "of the years after 2007",
            address: None,
        }),
        comparisons: vec![
            Comparison::unnumbered("new orders, all of the cache for writes : all for reads", chart, "×", samples.effect("writes_100_over_reads")),
            Comparison::unnumbered("three quarters for writes : all for reads", chart, "×", samples.effect("writes_75_over_reads")),
            Comparison::absolute("a read of the data disk, all for reads", "ms", 275.0, figure(100, "data_ms_per_read")),
            Comparison::absolute("a write to it, all for reads", "ms", 320.0, figure(100, "data_ms_per_write")),
            Comparison::absolute("size of a read", "KB", 8.0, figure(100, "data_kb_per_read")),
            Comparison::absolute("size of a write to the data disk", "KB", 8.0, figure(100, "data_kb_per_write")),
            Comparison::absolute("size of a write to the log", "KB", 4.0, figure(100, "log_kb_per_write")),
            Comparison::absolute("a write to the log, all for reads", "ms", 28.0, figure(100, "log_ms_per_write")),
            Comparison::words(
                "longest waits",
                Theirs::Words("page I/O latches"),
                text(samples, &case_name(100, most), "waits"),
            ),
        ],
        differs: "the article has 100 users, 100 warehouses, 9 GB of data, 2 GB of memory and 512 MB of cache for two disks of 72 GB, and \
                  does not say of which split its times are. Here the proportions are the same and everything is smaller, with fewer \
                  users; disks are emulated. SQL Server wrote single pages of 8 KB, ours writes neighbours together and many at a time."
            .into(),
        setup: setup(size),
        findings: findings(samples, most),
        sections: super::model::sections(samples, most),
    }
}

fn text(samples: &Samples, case: &str, figure: &str) -> String {
    samples.values(case, figure).iter().find_map(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}

fn findings(samples: &Samples, users: u32) -> Vec<String> {
    let said = |case: &str, figure| samples.spread(case, figure).map_or_else(String::new, |spread| spread.to_string());
    let arm = |read_percent: u32| {
        let case = case_name(read_percent, users);
        format!(
            "{}: {} % with reads, {} % with writes",
            split_name(read_percent),
            said(&case, "arm_busy_with_reads_percent"),
            said(&case, "arm_busy_with_writes_percent")
        )
    };
    vec![
        format!(
            "With {users} users, three quarters of the cache for writes gives {} times the new orders of all for reads, \
             all for writes {} times.",
            samples.said("writes_75_over_reads"),
            samples.said("writes_100_over_reads")
        ),
        format!("The longest waits with all for reads: {}.", text(samples, &case_name(100, users), "waits")),
        format!("The data disk's arm was busy, by split of the cache (reads/writes): {}.", SPLITS.map(arm).join("; ")),
        format!(
            "A page written costs the arm {} ms without a cache for writes and {} ms from one.",
            samples.said("arm_ms_per_page_through"),
            samples.said("arm_ms_per_page_destaged")
        ),
    ]
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
    ]
}

fn throughput(size: Size, rate: impl Fn(u32, u32) -> Option<f64>) -> Chart {
    let bar = |&users: &u32| Series {
        name: format!("{users} users"),
        values: SPLITS.map(|read_percent| rate(read_percent, users).map(Spread::from)).to_vec(),
    };
    Chart {
        title: "New orders by the split of the cache".into(),
        y: Axis::by_range("new orders per minute"),
        figures: Figures::Bars { x: GROUPS.into(), groups: groups(), bars: size.users.iter().map(bar).collect() },
    }
}

/// What [`groups`] are.
const GROUPS: &str = "split of the cache, % for reads / % for writes";

/// The splits, as the charts name them.
fn groups() -> Vec<String> {
    SPLITS.map(split_name).to_vec()
}

fn arm_chart(measured: &[Measured], users: u32) -> Chart {
    let values = |busy_s: fn(&Arm) -> f64| -> Vec<Option<Spread>> {
        let share = |m: &Measured| Some(Spread::from(100.0 * busy_s(&m.arm) / m.elapsed_s));
        measured.iter().filter(|m| m.users == users).map(share).collect()
    };
    Chart {
        title: format!("The arm of the data disk, {users} users"),
        y: Axis::new("percent of the time"),
        figures: Figures::Bars {
            x: GROUPS.into(),
            groups: groups(),
            bars: vec![
                Series { name: "busy with reads".into(), values: values(|arm| arm.read_busy_s) },
                Series { name: "busy with writes".into(), values: values(|arm| arm.write_busy_s) },
            ],
        },
    }
}

fn latency(measured: &[Measured], users: u32) -> Chart {
    let values = |value: fn(&Measured) -> Option<f64>| -> Vec<Option<Spread>> {
        measured.iter().filter(|m| m.users == users).map(|m| value(m).map(Spread::from)).collect()
    };
    Chart {
        title: format!("Time of one request, {users} users"),
        y: Axis::by_range("milliseconds"),
        figures: Figures::Bars {
            x: GROUPS.into(),
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
        let repetition = repetition(Size::quick(), &all);
        let value = |name| repetition.effects.iter().find(|(known, _)| *known == name).unwrap().1;
        assert_eq!(
            ["writes_25_over_reads", "writes_75_over_reads", "writes_100_over_reads"].map(value),
            [1.5, 2.5, 3.0]
        );
        let page = page(Scale::Quick, &Samples::new(vec![repetition]));
        assert!(
            page.findings[0].contains("2.5 times the new orders of all for reads, all for writes 3 times"),
            "{}",
            page.findings[0]
        );
        assert!(page.findings[1].contains("PAGEIOLATCH_SH 75 %"), "{}", page.findings[1]);
        assert!(page.findings[2].contains("100/0: 75 % with reads, 0 % with writes"), "{}", page.findings[2]);
    }
}
