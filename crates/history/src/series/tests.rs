//! From samples to intervals.

use proptest::prelude::*;
use tempfile::TempDir;

use super::*;
use crate::collector::Collector;
use crate::parts;
use crate::ring::{FILE_NAME, Writer};
use crate::sample::{STATEMENT_COUNTERS, StatementUse};

/// A whole hour.
const BEGIN_US: i64 = 1_700_000_000_000_000 / 3_600_000_000 * 3_600_000_000;

struct Server {
    dir: TempDir,
}

fn at(second: u64) -> i64 {
    BEGIN_US + (second * 1_000_000).cast_signed()
}

impl Server {
    fn new() -> Server {
        Server { dir: TempDir::new().expect("a folder") }
    }

    /// A run that makes 10 batches a second, has 2 sessions, and ends in order or not.
    fn run(&self, seconds: std::ops::Range<u64>, in_order: bool, is_kept: impl Fn(u64) -> bool) {
        let mut writer = Writer::open(&self.dir.path().join(FILE_NAME)).expect("it opens");
        let mut collector = Collector::new(at(seconds.start));
        for second in seconds.start + 1..=seconds.end {
            let uptime_s = second - seconds.start;
            let mut figures = Figures::default();
            figures.set(Figure::batches, uptime_s * 10);
            figures.set(Figure::sessions, 2);
            let mut tick = collector.tick(at(second), uptime_s * 1_000_000, figures);
            let mut counters = [0; STATEMENT_COUNTERS.len()];
            (counters[0], counters[1]) = (uptime_s, uptime_s * 1000);
            tick.statement((1, 0), counters, || crate::collector::StatementIs {
                text: "select 1".into(),
                query_hash: 1,
                database: "pond".into(),
                object_id: 0,
            });
            for due in tick.end(in_order && second == seconds.end) {
                if is_kept(second) {
                    writer.put(due.tier, &due.sample, due.texts.iter().map(AsRef::as_ref)).expect("there is space");
                }
            }
        }
    }

    fn reader(&self) -> Reader {
        Reader::open(&self.dir.path().join(FILE_NAME)).expect("it opens").expect("it is there")
    }

    fn read(&self, from_s: Option<u64>, to_s: Option<u64>, step_s: Option<u64>) -> Series {
        let range = Range { from_us: from_s.map(at), to_us: to_s.map(at) };
        read(&mut self.reader(), range, step_s).expect("it reads")
    }
}

fn batches(series: &Series) -> Vec<Option<u64>> {
    series.intervals.iter().map(|interval| interval.total(Figure::batches)).collect()
}

#[test]
fn growth_by_intervals() {
    let server = Server::new();
    server.run(0..60, false, |_| true);
    let series = server.read(None, None, Some(20));
    assert_eq!(batches(&series), [Some(200), Some(200), Some(200)]);
    let first = &series.intervals[0];
    assert_eq!((first.begin_us, first.end_us, first.covered_us, first.starts), (at(0), at(20), 20_000_000, 1));
    assert_eq!((first.level(Figure::sessions), first.rate(Figure::batches)), (Some(2.0), Some(10.0)));
    assert_eq!(batches(&server.read(Some(10), Some(35), Some(20))), [Some(100), Some(150)]);
    assert_eq!(batches(&server.read(Some(10), Some(10), None)), [], "no time");
    assert_eq!(batches(&server.read(Some(30), Some(10), None)), [], "it ends before it begins");
    assert_eq!(batches(&server.read(Some(1000), None, None)), [], "nothing is there yet");
    assert_eq!(server.read(None, None, None).step_s, 1);
    assert_eq!(server.read(None, None, None).intervals.len(), 60);
}

#[test]
fn hours_after_the_seconds_are_gone_the_sums_are_the_same() {
    let server = Server::new();
    server.run(0..15_000, true, |_| true);
    let series = server.read(None, None, Some(300));
    assert_eq!(series.intervals.len(), 50);
    assert!(batches(&series).iter().all(|count| *count == Some(3000)), "{:?}", batches(&series));
    let series = server.read(None, None, None);
    assert_eq!(series.step_s, 60, "what is kept of the first hours");
    let (statements, _) =
        parts::read::<StatementUse>(&mut server.reader(), Range::default(), Some(300)).expect("reads");
    assert_eq!(statements.iter().map(|of| of.part.counters[0]).sum::<u64>(), 15_000);
    assert_eq!(statements.len(), 50);
    let range = Range { from_us: Some(at(14_950)), to_us: None };
    let (statements, _) = parts::read::<StatementUse>(&mut server.reader(), range, Some(1)).expect("it reads");
    assert_eq!(statements.len(), 50);
    assert_eq!(statements[0].begin_us, at(14_950));
}

#[test]
fn a_server_that_was_down() {
    let server = Server::new();
    server.run(0..100, true, |_| true);
    server.run(150..200, false, |_| true);
    server.run(210..260, false, |_| true);
    let series = server.read(None, None, Some(50));
    assert_eq!(batches(&series), [Some(500), Some(500), None, Some(500), Some(400), Some(100)]);
    let of = |figure: fn(&Interval) -> u64| series.intervals.iter().map(figure).collect::<Vec<_>>();
    assert_eq!(of(|interval| interval.down_us / 1_000_000), [0, 0, 50, 0, 10, 0]);
    assert_eq!(of(|interval| interval.starts.into()), [1, 0, 0, 1, 1, 0]);
    assert_eq!(of(|interval| interval.crashes.into()), [0, 0, 0, 0, 1, 0]);
    assert_eq!(series.intervals[2].level(Figure::sessions), None);
}

#[test]
fn lost_samples_take_nothing_with_them() {
    let server = Server::new();
    server.run(0..100, true, |second| !(30..55).contains(&second));
    let series = server.read(None, None, Some(10));
    assert_eq!(batches(&series).iter().flatten().sum::<u64>(), 1000);
    assert!(batches(&series).iter().all(|count| *count == Some(100)), "{:?}", batches(&series));
}

#[test]
fn a_clock_that_is_set_back_loses_nothing() {
    let dir = TempDir::new().expect("a folder");
    let mut writer = Writer::open(&dir.path().join(FILE_NAME)).expect("it opens");
    let mut collector = Collector::new(at(0));
    for (uptime_s, second) in [(1, 1), (2, 2), (3, 3), (4, 2), (5, 3), (6, 4)] {
        let mut figures = Figures::default();
        figures.set(Figure::batches, uptime_s * 10);
        for due in collector.tick(at(second), uptime_s * 1_000_000, figures).end(false) {
            writer.put(due.tier, &due.sample, []).expect("there is space");
        }
    }
    let mut reader = Reader::open(&dir.path().join(FILE_NAME)).expect("it opens").expect("it is there");
    let series = read(&mut reader, Range::default(), Some(1)).expect("it reads");
    assert_eq!(batches(&series), [Some(10), Some(20), Some(20), Some(10)]);
}

#[test]
fn a_step_of_a_second_over_years_is_made_longer() {
    assert_eq!(step_s(Some(1), 8 * 86_400_000_000, 1), 35);
    assert_eq!(step_s(None, 8 * 86_400_000_000, 300), 3600);
    assert_eq!(step_s(None, 86_400_000_000, 60), 300);
    assert_eq!(step_s(Some(0), 60_000_000, 1), 1);
    assert_eq!(step_s(None, 100 * 365 * 86_400_000_000, 1), 157_680);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn the_growth_of_a_span_is_that_of_its_parts(
        step_s in 1..40u64,
        from_s in 0..150u64,
        to_s in 0..200u64,
        lost in prop::collection::vec(any::<bool>(), 200),
        end_s in 20..120u64,
    ) {
        let server = Server::new();
        server.run(0..end_s, lost[0], |second| second == 1 || second == end_s || !lost[second as usize]);
        server.run(end_s + 5..180, true, |_| true);
        let sum = |series: &Series| batches(series).iter().flatten().sum::<u64>();
        let whole = server.read(Some(from_s), Some(to_s), Some(100_000));
        let parts = server.read(Some(from_s), Some(to_s), Some(step_s));
        prop_assert_eq!(sum(&whole), sum(&parts));
        for pair in parts.intervals.windows(2) {
            prop_assert!(pair[0].end_us <= pair[1].begin_us);
        }
        for interval in &parts.intervals {
            let length_us = (interval.end_us - interval.begin_us).cast_unsigned();
            prop_assert!(interval.covered_us + interval.down_us <= length_us, "{:?}", interval);
        }
        let all = server.read(None, None, Some(step_s));
        prop_assert_eq!(sum(&all), (end_s + 180 - end_s - 5) * 10);
    }
}
