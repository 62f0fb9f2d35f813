//! From counters to samples.

use super::*;
use crate::sample::LOGICAL_READS;

const RUN_US: i64 = 1_699_999_200_000_000;

fn at(second: u64) -> (i64, u64) {
    (RUN_US + (second * 1_000_000).cast_signed(), second * 1_000_000)
}

fn is(number: u64) -> StatementIs {
    StatementIs { text: format!("select {number}").into(), query_hash: number, database: "pond".into(), object_id: 0 }
}

/// Counters of a statement: executions, processor time, pages.
fn used(executions: u64, cpu_us: u64, logical_reads: u64) -> [u64; 8] {
    let mut counters = [0; 8];
    (counters[0], counters[CPU_US], counters[LOGICAL_READS]) = (executions, cpu_us, logical_reads);
    counters
}

fn tick(collector: &mut Collector, second: u64, statements: &[(u64, [u64; 8])]) -> Vec<Due> {
    let (utc_us, uptime_us) = at(second);
    let mut figures = Figures::default();
    figures.set(Figure::batches, second * 5);
    figures.set(Figure::requests, second % 2);
    let mut tick = collector.tick(utc_us, uptime_us, figures);
    for (number, counters) in statements {
        tick.statement((*number, 0), *counters, || is(*number));
    }
    tick.end(false)
}

#[test]
fn coarser_samples_come_at_their_times_and_have_what_the_finer_ones_had() {
    let mut collector = Collector::new(RUN_US);
    let mut by_tier: [Vec<Sample>; TIERS.len()] = Default::default();
    for second in 1..=600 {
        for due in tick(&mut collector, second, &[(1, used(second, second * 100, 7))]) {
            by_tier[due.tier].push(due.sample);
        }
    }
    let counts: Vec<_> = by_tier.iter().map(Vec::len).collect();
    assert_eq!(counts, [600, 60, 10, 2]);
    for (tier, samples) in by_tier.iter().enumerate() {
        let executions: u64 = samples.iter().map(|sample| sample.statements[0].counters[0]).sum();
        assert_eq!(executions, 600, "resolution {tier}");
        let spans: u64 = samples.iter().map(|sample| sample.span_us).sum();
        assert_eq!(spans, 600_000_000);
        let first: Vec<_> = samples.iter().map(|sample| sample.is_first).collect();
        assert!(first[0] && !first[1..].contains(&true));
    }
    let minute = &by_tier[2][1];
    assert_eq!(minute.figures.get(Figure::batches), 600, "a total, at its end");
    assert_eq!(minute.figures.get(Figure::requests), 500, "half of the time one");
    assert_eq!(minute.statements[0].counters, used(60, 6000, 0));
}

#[test]
fn statements_are_those_with_most_time_and_those_that_read_most() {
    let mut collector = Collector::new(RUN_US);
    let all: Vec<_> = (0..50).map(|number| (number, used(1, 1000 - number, number))).collect();
    let due = tick(&mut collector, 1, &all);
    let hashes: Vec<_> = due[0].sample.statements.iter().map(|used| used.query_hash).collect();
    let expected: Vec<u64> = (0..10).chain((40..50).rev()).collect();
    assert_eq!(hashes, expected);
    assert!(due[0].texts.iter().any(|text| &**text == "select 49"));
    assert_eq!(tick(&mut collector, 2, &all)[0].sample.statements, [], "nothing ran");
}

#[test]
fn a_statement_that_was_forgotten_is_counted_anew() {
    let mut collector = Collector::new(RUN_US);
    tick(&mut collector, 1, &[(1, used(100, 100, 0))]);
    let due = tick(&mut collector, 2, &[(1, used(3, 30, 0))]);
    assert_eq!(due[0].sample.statements[0].counters, used(3, 30, 0));
    // The same shape at two places is one.
    let mut tick = collector.tick(at(3).0, at(3).1, Figures::default());
    tick.statement((1, 0), used(4, 40, 0), || is(9));
    tick.statement((2, 8), used(1, 5, 0), || is(9));
    let due = tick.end(false);
    assert_eq!(due[0].sample.statements[0].counters, used(2, 15, 0));
    assert_eq!(due[0].sample.statements.len(), 1);
}

#[test]
fn places_that_are_gone_take_no_memory() {
    let mut collector = Collector::new(RUN_US);
    for second in 1..=200 {
        let others: Vec<_> = (0..10).map(|number| (second * 10 + number, used(1, 1, 1))).collect();
        tick(&mut collector, second, &others);
        assert!(collector.statements.len() <= 94, "{}", collector.statements.len());
    }
}

#[test]
fn waits_that_were_cleared_and_files_that_were_replaced() {
    let mut collector = Collector::new(RUN_US);
    let file = |name: &str| FileIs { database: "pond".into(), name: name.into(), path: "/pond".into() };
    let mut tick = collector.tick(at(1).0, at(1).1, Figures::default());
    tick.wait("WRITELOG", [5, 500, 50]);
    tick.wait("SLEEP_TASK", [5, 500, 50]);
    tick.file(1, 8192, [1, 8192, 10, 2, 16_384, 20], || file("old"));
    let due = tick.end(false);
    let sample = &due[0].sample;
    assert_eq!(
        sample.waits,
        [WaitUse { wait_type: TextId::of("WRITELOG"), counters: [5, 500, 50] }],
        "none of the idle"
    );
    assert_eq!((sample.files[0].size_bytes, sample.files[0].counters), (8192, [1, 8192, 10, 2, 16_384, 20]));
    let mut tick = collector.tick(at(2).0, at(2).1, Figures::default());
    tick.wait("WRITELOG", [1, 10, 1]);
    tick.file(1, 4096, [0, 0, 0, 1, 4096, 5], || file("new"));
    let due = tick.end(false);
    assert_eq!(due[0].sample.waits, [], "less than before is nothing");
    assert_eq!(due[0].sample.files[0].counters, [0, 0, 0, 1, 4096, 5]);
    let mut tick = collector.tick(at(3).0, at(3).1, Figures::default());
    tick.wait("WRITELOG", [2, 30, 1]);
    assert_eq!(tick.end(false)[0].sample.waits[0].counters, [1, 20, 0]);
}

#[test]
fn the_last_sample_is_one_of_each_resolution() {
    let mut collector = Collector::new(RUN_US);
    tick(&mut collector, 1, &[(1, used(1, 1, 1))]);
    let (utc_us, uptime_us) = at(2);
    let due = collector.tick(utc_us, uptime_us, Figures::default()).end(true);
    let tiers: Vec<_> = due.iter().map(|due| (due.tier, due.sample.is_last, due.sample.statements.len())).collect();
    assert_eq!(tiers, [(0, true, 0), (1, true, 1), (2, true, 1), (3, true, 1)]);
}

#[test]
fn very_many_statements_of_five_minutes_are_bounded() {
    let mut collector = Collector::new(RUN_US);
    for second in 1..=250 {
        let some: Vec<_> = (0..50).map(|number| (second * 50 + number, used(1, number + 1, 1))).collect();
        tick(&mut collector, second, &some);
    }
    let held = collector.tiers[3].statements.len() + collector.tiers[2].statements.len();
    assert!(held <= 2 * COUNTED_MAX, "{held}");
}
