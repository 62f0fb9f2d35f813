//! Tests of metrics: what a strict reader makes of them.

use millpond_top::sample::{Clerk, Counter, Database, FileWrites, System, TempdbFile, VolumeIo, VolumeLatency, Wait};

use super::*;

fn counter(object: &str, counter: &str, instance: &str, value: i64) -> Counter {
    Counter { object: object.into(), counter: counter.into(), instance: instance.into(), value }
}

/// A server that knows all there is, with names that want to break out.
pub fn totals() -> Totals {
    let evil = "a\"b\\c\nd<script>\u{202e}".to_owned();
    let database = |database_id, name: &str| Database {
        database_id,
        name: name.into(),
        state_desc: "ONLINE".into(),
        ..Database::default()
    };
    let mut counters = vec![
        counter("SQL Statistics", "Batch Requests/sec", "", 7),
        counter("SQL Statistics", "SQL Compilations/sec", "", 3),
        counter("Locks", "Number of Deadlocks/sec", "_Total", 1),
        counter("Memory Manager", "Memory Grants Pending", "", 0),
        counter("Memory Manager", "Memory Grants Outstanding", "", 2),
        counter("Memory Manager", "Granted Workspace Memory (KB)", "", 4),
        counter("Buffer Manager", "Page life expectancy", "", 300),
        counter("Buffer Manager", "Page reads/sec", "", 11),
        counter("Buffer Manager", "Page writes/sec", "", 12),
    ];
    for (name, requests, ms) in [
        ("Batches >=000000ms & <000001ms", 4, 1),
        ("Batches >=000001ms & <000002ms", 2, 3),
        ("Batches >=100000ms", 1, 150_000),
    ] {
        counters.push(counter("Batch Resp Statistics", name, "Elapsed Time:Requests", requests));
        counters.push(counter("Batch Resp Statistics", name, "Elapsed Time:Total(ms)", ms));
    }
    for name in ["master", evil.as_str()] {
        for of in [
            "Transactions/sec",
            "Log File(s) Size (KB)",
            "Log File(s) Used Size (KB)",
            "Log Bytes Flushed/sec",
            "Log Flushes/sec",
        ] {
            counters.push(counter("Databases", of, name, 5));
        }
    }
    let file = |database_id, database_name: &str, type_desc: &str| FileIo {
        database_id,
        file_id: 1,
        database_name: database_name.into(),
        file_name: "f".into(),
        type_desc: type_desc.into(),
        num_of_reads: 10,
        num_of_bytes_read: 81_920,
        io_stall_read_ms: 1_500,
        ..FileIo::default()
    };
    let wait = |wait_type: &str| Wait {
        wait_type: wait_type.into(),
        waiting_tasks_count: 4,
        wait_time_ms: 2_500,
        signal_wait_time_ms: 500,
    };
    Totals {
        sample: Sample {
            system: Some(System {
                uptime_s: 60,
                cpu_count: 2,
                process_user_time_ms: 1_500,
                committed_kb: 1,
                ..System::default()
            }),
            counters,
            waits: vec![wait("WRITELOG"), wait("LAZYWRITER_SLEEP")],
            session_count: 9,
            files: vec![file(1, "master", "ROWS"), file(5, &evil, "ROWS")],
            tempdb_files: vec![TempdbFile { user_objects_pages: 3, free_pages: 5, ..TempdbFile::default() }; 2],
            memory: vec![Clerk { clerk: "MEMORYCLERK_SQLBUFFERPOOL".into(), pages_kb: 2 }],
            databases: vec![database(1, "master"), database(5, &evil)],
            file_writes: vec![FileWrites {
                database_id: 5,
                file_name: "f".into(),
                reason: "spill".into(),
                writes: 2,
                bytes_written: 9,
                ..FileWrites::default()
            }],
            volumes: vec![VolumeIo {
                volume: "/".into(),
                model: "file".into(),
                disk_read_time_us: 2_500_000,
                ..VolumeIo::default()
            }],
            ..Sample::default()
        },
        requests: 3,
        blocked: 1,
        latencies: ["read", "write", "flush"]
            .into_iter()
            .flat_map(|operation| [(Some(50), 2), (Some(100), 1), (None, 4)].map(|range| (operation, range)))
            .map(|(operation, (up_to_us, requests))| VolumeLatency {
                volume: "/".into(),
                model: "file".into(),
                operation: operation.into(),
                up_to_us,
                requests,
            })
            .collect(),
    }
}

#[test]
fn a_strict_reader_takes_all_of_it() {
    let read = strict::read(&text(&totals(), "0.1.0", 2)).expect("by the specification");
    let names: Vec<&str> = read.keys().map(String::as_str).collect();
    let mut expected: Vec<&str> = FAMILIES.iter().map(|family| family.name).collect();
    expected.sort_unstable();
    assert_eq!(names, expected, "each family has samples");
    for family in FAMILIES {
        let found = &read[family.name];
        assert!(!found.help.is_empty() && family.name.starts_with("millpond_"));
        if family.kind == Kind::Histogram {
            continue;
        }
        for (labels, _) in &found.samples {
            let mut expected = family.labels.to_vec();
            expected.sort_unstable();
            assert_eq!(labels.keys().map(String::as_str).collect::<Vec<&str>>(), expected, "{}", family.name);
        }
    }
    let value = |name: &str| read[name].samples[0].1;
    assert_eq!((value("millpond_file_read_seconds_total"), value("millpond_volume_read_seconds_total")), (1.5, 2.5));
    assert_eq!((value("millpond_memory_granted_bytes"), value("millpond_sessions")), (4096.0, 9.0));
    let waits: Vec<&str> =
        read["millpond_waits_total"].samples.iter().map(|(labels, _)| labels["wait_type"].as_str()).collect();
    assert_eq!(waits, ["WRITELOG"]);
    let part = |part: &str, end: Option<&str>| {
        let samples = &read["millpond_batch_seconds"].samples;
        let is_it =
            |(labels, _): &&strict::Sample| labels["(part)"] == part && labels.get("le").map(String::as_str) == end;
        samples.iter().find(is_it).map(|sample| sample.1)
    };
    assert_eq!([part("_bucket", Some("0.001")), part("_bucket", Some("0.002"))], [Some(4.0), Some(6.0)]);
    assert_eq!([part("_bucket", Some("+Inf")), part("_sum", None)], [Some(7.0), Some(150.004)]);
    let volume = |part: &str, end: Option<&str>| {
        let samples = &read["millpond_volume_read_latency_seconds"].samples;
        let is_it = |(labels, _): &&strict::Sample| {
            (labels["(part)"].as_str(), labels["volume"].as_str(), labels.get("le").map(String::as_str))
                == (part, "/", end)
        };
        samples.iter().find(is_it).map(|sample| sample.1)
    };
    assert_eq!([volume("_bucket", Some("0.00005")), volume("_bucket", Some("0.0001"))], [Some(2.0), Some(3.0)]);
    assert_eq!([volume("_bucket", Some("+Inf")), volume("_sum", None)], [Some(7.0), Some(2.5)]);
    let tempdb: f64 = read["millpond_tempdb_bytes"].samples.iter().map(|it| it.1).sum();
    assert_eq!(tempdb, 16.0 * 8192.0);
    let databases: Vec<&str> =
        read["millpond_transactions_total"].samples.iter().map(|(labels, _)| labels["database"].as_str()).collect();
    assert_eq!(databases, ["a\"b\\c\nd<script>\u{202e}", "master"]);
}

#[test]
fn units_and_names_are_by_the_conventions() {
    for Family { name, kind, .. } in FAMILIES {
        assert_eq!(name.ends_with("_total"), *kind == Kind::Counter, "{name}");
        for unit in ["_ms", "_us", "_kb", "_mb", "_pages", "_percent", "_count"] {
            assert!(!name.trim_end_matches("_total").ends_with(unit), "{name} has no base unit");
        }
    }
}

#[test]
fn what_is_not_known_is_left_out_and_many_databases_are_few() {
    let read = strict::read(&text(&Totals::default(), "0.1.0", 0)).expect("by the specification");
    assert!(!read.contains_key("millpond_batches_total") && read["millpond_sessions"].samples[0].1 == 0.0);
    let mut totals = totals();
    for database_id in 10..10 + i64::try_from(DATABASES_MAX).expect("few") {
        let name = format!("db{database_id}");
        totals.sample.counters.push(counter("Databases", "Transactions/sec", &name, 1));
        totals.sample.databases.push(Database { database_id, name, ..Database::default() });
    }
    let read = strict::read(&text(&totals, "0.1.0", 0)).expect("by the specification");
    let samples = &read["millpond_transactions_total"].samples;
    let others = samples.iter().find(|(labels, _)| labels["database"] == OTHERS).expect("the rest is one");
    assert_eq!((samples.len(), others.1), (DATABASES_MAX + 1, 2.0));
}

#[test]
fn the_reader_is_strict() {
    for text in [
        "a 1",
        "a 1\n",
        "# HELP a b\na 1\n",
        "# HELP a b\n# TYPE a gauge\na x\n",
        "# HELP a b\n# TYPE a gauge\na{b=\"c} 1\n",
        "# HELP a b\n# TYPE a gauge\na{b=\"\\x\"} 1\n",
        "# HELP a b\n# TYPE a gauge\na 1\na 2\n",
        "# HELP a b\n# TYPE a counter\na 1\n",
        "# HELP a b\n# TYPE a gauge\n# HELP a b\n",
        "# HELP a b\n# TYPE a gage\n",
        "# HELP a b\n# TYPE a gauge\nb 1\n",
        "# HELP a b\n# TYPE a histogram\na 1\n",
        "# HELP a b\n# TYPE a histogram\na_bucket{le=\"1\"} 1\na_sum 1\na_count 1\n",
        "# HELP a b\n# TYPE a histogram\na_bucket{le=\"1\"} 2\na_bucket{le=\"+Inf\"} 1\na_sum 1\na_count 1\n",
        "# HELP a b\n# TYPE a histogram\na_bucket{le=\"+Inf\"} 1\na_count 1\n",
    ] {
        assert!(strict::read(text).is_err(), "{text}");
    }
}
