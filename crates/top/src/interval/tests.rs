//! Tests of intervals: every expected number was computed by hand.

use super::*;
use crate::sample::{Counter, FileWrites, System};

fn system(ms_ticks: i64, cpu_ms: i64) -> Option<System> {
    let started = "2026-01-01 00:00:00.000".to_owned();
    Some(System { ms_ticks, cpu_count: 4, process_user_time_ms: cpu_ms, started, ..System::default() })
}

fn at(ms_ticks: i64, cpu_ms: i64) -> Sample {
    Sample { system: system(ms_ticks, cpu_ms), ..Sample::default() }
}

fn file(reads: i64, bytes: i64, ms: i64) -> FileIo {
    let (num_of_reads, num_of_bytes_read, io_stall_read_ms) = (reads, bytes, ms);
    FileIo { database_id: 5, file_id: 1, num_of_reads, num_of_bytes_read, io_stall_read_ms, ..FileIo::default() }
}

fn wait(wait_type: &str, count: i64, ms: i64, signal_ms: i64) -> Wait {
    let wait_type = wait_type.to_owned();
    Wait { wait_type, waiting_tasks_count: count, wait_time_ms: ms, signal_wait_time_ms: signal_ms }
}

fn between(earlier: &Sample, later: Sample) -> Interval {
    Interval::of(Some(earlier), Arc::new(later))
}

#[test]
fn rates_shares_and_averages() {
    let mut earlier = at(10_000, 1_000);
    let mut later = at(12_000, 5_000);
    let counter = |value| Counter {
        object: "SQL Statistics".into(),
        counter: "Batch Requests/sec".into(),
        instance: String::new(),
        value,
    };
    (earlier.counters, later.counters) = (vec![counter(100)], vec![counter(600)]);
    (earlier.files, later.files) = (vec![file(10, 81_920, 30)], vec![file(30, 409_600, 130)]);
    let interval = between(&earlier, later);
    assert_eq!(interval.seconds, 2.0);
    // 4,000 ms of CPU in 2 s of 4 processors.
    assert_eq!(interval.cpu_share, Some(0.5));
    assert_eq!(interval.batches_per_s, 250.0);
    let traffic = interval.files[0].traffic;
    assert_eq!((traffic.reads_per_s, traffic.read_bytes_per_s), (10.0, 163_840.0));
    assert_eq!((traffic.ms_per_read, traffic.bytes_per_read()), (5.0, 16_384.0));
    assert_eq!((traffic.writes_per_s, traffic.ms_per_write, traffic.bytes_per_write()), (0.0, 0.0, 0.0));
    assert_eq!(interval.traffic, traffic);
}

#[test]
fn a_restart_and_a_clock_that_went_back_give_no_rates() {
    let with = |mut sample: Sample, reads| {
        sample.files = vec![file(reads, reads * 8192, reads)];
        sample.waits = vec![wait("WRITELOG", reads, reads, 0)];
        sample
    };
    let earlier = with(at(10_000, 9_000), 500);
    let mut restarted = with(at(12_000, 10), 700);
    restarted.system.as_mut().expect("there").started = "2026-01-02 00:00:00.000".into();
    let restarted = between(&earlier, restarted);
    assert!(restarted.is_restart);
    let back = between(&earlier, with(at(9_000, 9_500), 700));
    let same = between(&earlier, with(at(10_000, 9_500), 700));
    let alone = Interval::of(None, Arc::new(with(at(10_000, 9_000), 500)));
    for interval in [&restarted, &back, &same, &alone] {
        assert_eq!((interval.seconds, interval.cpu_share), (0.0, None));
        assert_eq!((interval.traffic, interval.waits.len()), (Traffic::default(), 0));
        assert_eq!(
            crate::verdict::verdict(interval).sentence,
            "nothing is known yet: the first interval has not ended"
        );
    }
    // Counters that were cleared while the server ran on.
    let cleared = between(&earlier, with(at(12_000, 10), 20));
    assert_eq!((cleared.cpu_share, cleared.traffic.reads_per_s, cleared.waits.len()), (Some(0.0), 10.0, 0));
}

#[test]
fn without_rights_the_clock_of_this_machine_counts() {
    let earlier = Sample { taken_ms: 1_000, ..Sample::default() };
    let interval = between(&earlier, Sample { taken_ms: 4_000, ..Sample::default() });
    assert_eq!((interval.seconds, interval.cpu_share), (3.0, None));
}

#[test]
fn what_was_refused_before_is_not_all_of_this_interval() {
    let mut later = at(12_000, 0);
    later.files = vec![file(1_000_000, 8_192_000_000, 9_000_000)];
    later.waits = vec![wait("PAGEIOLATCH_SH", 1_000_000, 9_000_000, 0)];
    let interval = between(&at(10_000, 0), later);
    assert_eq!((interval.traffic.reads_per_s, interval.waits.len()), (0.0, 0));
}

#[test]
fn signal_time_is_the_processors_and_idle_types_are_left_out() {
    let mut earlier = at(0, 0);
    let mut later = at(2_000, 0);
    earlier.waits = vec![wait("WRITELOG", 10, 100, 0), wait("LAZYWRITER_SLEEP", 1, 1, 0)];
    later.waits = vec![
        wait("LAZYWRITER_SLEEP", 3, 2_001, 0),
        wait("LCK_M_X", 1, 3_000, 0),
        wait("WRITELOG", 30, 1_100, 200),
        wait("PAGEIOLATCH_SH", 0, 0, 0),
    ];
    let interval = between(&earlier, later);
    let types: Vec<&str> = interval.waits.iter().map(|it| it.wait_type.as_str()).collect();
    assert_eq!(types, ["LCK_M_X", "WRITELOG"]);
    let log = &interval.waits[1];
    assert_eq!((log.waits_per_s, log.wait_ms_per_s, log.ms_per_wait), (10.0, 500.0, 50.0));
    assert_eq!(log.signal_share, 0.2);
    let of = |category| interval.category(category).map(|it| it.wait_ms_per_s);
    assert_eq!(of(Category::Lock), Some(1_500.0));
    assert_eq!(of(Category::Log), Some(400.0));
    assert_eq!(of(Category::Processor), Some(100.0));
    assert_eq!(interval.category(Category::Lock).map(|it| it.share), Some(0.75));
    assert_eq!(of(Category::Idle), None);
}

#[test]
fn page_latches_are_tempdbs_as_far_as_those_that_wait_now_say_so() {
    let mut earlier = at(0, 0);
    let mut later = at(1_000, 0);
    earlier.waits = vec![wait("LATCH_EX", 1, 1, 0)];
    later.waits = vec![wait("PAGELATCH_UP", 10, 800, 0), wait("LATCH_EX", 2, 101, 0)];
    let waiting = |session_id, resource: &str| Session {
        session_id,
        wait_type: Some("PAGELATCH_UP".into()),
        wait_resource: Some(resource.into()),
        ..Session::default()
    };
    later.sessions = vec![waiting(51, "2:1:1"), waiting(52, "2:1:3"), waiting(53, "2:3:1"), waiting(54, "5:1:90")];
    let interval = between(&earlier, later);
    let of = |category| interval.category(category).map(|it| (it.wait_ms_per_s, it.waiting_now));
    // Three of four wait in tempdb.
    assert_eq!(of(Category::TempdbAllocation), Some((600.0, 3)));
    assert_eq!(of(Category::Latch), Some((300.0, 1)));
}

#[test]
fn of_a_request_that_goes_on_it_alone_is_counted() {
    let session = |start: &str, session_cpu_ms, request_cpu_ms| Session {
        session_id: 51,
        request_start: Some(start.into()),
        session_cpu_ms,
        request_cpu_ms: Some(request_cpu_ms),
        ..Session::default()
    };
    let cpu = |before: Session, after: Session| {
        let mut earlier = at(0, 0);
        let mut later = at(1_000, 0);
        (earlier.sessions, later.sessions) = (vec![before], vec![after]);
        between(&earlier, later).sessions[0].cpu_ms_per_s
    };
    // SQL Server's session does not know yet what its request has used; Millpond's does.
    assert_eq!(cpu(session("a", 100, 10), session("a", 100, 510)), 500.0);
    assert_eq!(cpu(session("a", 110, 10), session("a", 610, 510)), 500.0);
    assert_eq!(cpu(session("a", 100, 10), session("b", 300, 5)), 200.0);
    assert_eq!(cpu(session("a", 500, 10), session("b", 300, 5)), 0.0, "another session of the number");
}

#[test]
fn writes_of_sessions_are_together_and_the_most_is_named() {
    let write = |session_id, writes, bytes_written| FileWrites {
        database_id: 2,
        file_id: 1,
        file_name: "tempdev".into(),
        session_id,
        reason: "spill".into(),
        writes,
        bytes_written,
    };
    let mut earlier = at(0, 0);
    let mut later = at(2_000, 0);
    earlier.file_writes = vec![write(51, 10, 1_000)];
    later.file_writes = vec![write(51, 12, 3_000), write(52, 6, 9_000)];
    let interval = between(&earlier, later);
    let all = &interval.writes;
    assert_eq!((all.len(), all[0].session_id, all[0].total_bytes), (1, 52, 12_000));
    assert_eq!((all[0].writes_per_s, all[0].write_bytes_per_s), (4.0, 5_500.0));
}

#[test]
fn volumes_are_sums_of_their_files_where_nobody_measures_them() {
    let volume = |file_id| crate::sample::FileVolume {
        database_id: 5,
        file_id,
        volume: "D:\\".into(),
        total_bytes: 100,
        available_bytes: 40,
    };
    let second = |reads, ms| FileIo { file_id: 2, ..file(reads, 0, ms) };
    let mut earlier = at(0, 0);
    let mut later = at(1_000, 0);
    (earlier.files, later.files) = (vec![file(0, 0, 0), second(0, 0)], vec![file(10, 0, 10), second(30, 150)]);
    later.file_volumes = vec![volume(1), volume(2)];
    let interval = between(&earlier, later);
    let all = &interval.volumes;
    assert_eq!((all.len(), all[0].traffic.reads_per_s, all[0].available_bytes), (1, 40.0, Some(40)));
    // (10 · 1 ms + 30 · 5 ms) / 40
    assert_eq!(all[0].traffic.ms_per_read, 4.0);
}

#[test]
fn extremes_stay_finite() {
    let mut earlier = at(i64::MIN, i64::MIN);
    let mut later = at(i64::MAX, i64::MAX);
    earlier.files = vec![file(i64::MIN, i64::MIN, i64::MIN)];
    later.files = vec![file(i64::MAX, i64::MAX, i64::MAX)];
    later.waits = vec![wait("X", i64::MAX, i64::MIN, i64::MAX)];
    let interval = between(&earlier, later);
    assert!(interval.traffic.read_bytes_per_s.is_finite());
    assert!(interval.cpu_share.is_some_and(|share| (0.0..=1.0).contains(&share)));
}
