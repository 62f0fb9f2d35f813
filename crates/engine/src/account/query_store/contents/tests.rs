//! A store without a server: what is captured, what is let go, and that it comes back as it was written.

use super::*;
use crate::account::query_store::measures::METRICS;

const SETTINGS: ContextSettings =
    ContextSettings { set_options: 4345, language: 0, date_format: 1, date_first: 7, schema: 1 };
/// A time that is the begin of an hour.
const HOUR_US: i64 = 1_700_000_000_000_000 / US_OF_HOUR * US_OF_HOUR;

fn of(text: &str) -> Sought<'_> {
    Sought { text, encrypted: false, settings: SETTINGS, object: 0 }
}

fn run_at(ended_us: i64, cpu_us: u64) -> Execution {
    let mut values = [0; METRICS];
    values[Metric::Cpu as usize] = cpu_us;
    values[Metric::Rows as usize] = 3;
    Execution { kind: ExecutionKind::Regular, ended_us, values, waits: vec![(3, cpu_us)] }
}

fn plan(hash: u64) -> ShownPlan {
    ShownPlan { hash, xml: Some(Arc::from("<p/>")), dop: 1, level: 160 }
}

fn new(mode: CaptureMode) -> Contents {
    Contents::new(true, StoreOptions { mode, ..StoreOptions::default() })
}

fn keep(contents: &mut Contents, text: &str, hash: u64, execution: &Execution) -> Option<i64> {
    contents
        .wants(&of(text), execution)
        .then(|| contents.keep(&of(text), plan(hash), Compiled::default(), execution))?
}

/// What `bytes` is to be, and what names what.
fn check(contents: &Contents) {
    let texts: u64 = contents.texts.values().map(|text| text_bytes(&text.text)).sum();
    let plans: u64 = contents.plans.values().map(|plan| plan_bytes(&plan.shown)).sum();
    let runs: u64 = contents.runs.values().map(|runs| RUNS_BYTES + runs.waits.len() as u64 * WAIT_BYTES).sum();
    let others = contents.queries.len() + contents.settings.len() + contents.intervals.len();
    assert_eq!(contents.bytes, texts + plans + runs + others as u64 * ENTRY_BYTES);
    for query in contents.queries.values() {
        assert!(contents.texts.contains_key(&query.text) && contents.settings.contains_key(&query.settings));
        assert!(query.plans.iter().all(|plan| contents.plans[plan].query == query.id));
    }
    assert!(
        contents.runs.keys().all(|key| contents.plans.contains_key(&key.0) && contents.intervals.contains_key(&key.1))
    );
    assert_eq!(contents.texts.values().map(|text| text.uses as usize).sum::<usize>(), contents.queries.len());
}

/// What a database has of a store after some writes.
#[derive(Default)]
struct Written(BTreeMap<SlotNo, String>);

impl Written {
    fn write(&mut self, unwritten: &Unwritten) {
        unwritten.gone.iter().for_each(|slot| {
            self.0.remove(slot);
        });
        self.0.extend(unwritten.records.iter().cloned());
    }

    fn read(&self) -> Contents {
        Contents::read(true, &self.0.clone().into_iter().collect::<Vec<_>>())
    }
}

fn shown(contents: &Contents) -> String {
    let Contents { texts, settings, queries, plans, intervals, runs, bytes, next, .. } = contents;
    let texts: Vec<_> = texts.values().map(|text| (text.id, &text.text, text.uses)).collect();
    let settings: Vec<_> = settings.values().map(|stored| (stored.id, stored.settings)).collect();
    let queries: Vec<_> =
        queries.values().map(|query| (query.id, &query.plans, query.cpu_us, query.last_execution_us)).collect();
    let plans: Vec<_> =
        plans.values().map(|plan| (plan.id, plan.forced, plan.compiles, plan.last_execution_us)).collect();
    let intervals: Vec<_> = intervals.values().map(|known| (known.id, known.start_us, known.end_us)).collect();
    let runs: Vec<_> = runs.iter().map(|(key, runs)| (key, runs.count, runs.tallies, &runs.waits)).collect();
    format!("{texts:?}\n{settings:?}\n{queries:?}\n{plans:?}\n{intervals:?}\n{runs:?}\n{bytes} {next:?}")
}

#[test]
fn every_query_is_kept_or_those_that_ran_often_or_long() {
    let mut all = new(CaptureMode::All);
    assert_eq!(keep(&mut all, "select 1", 1, &run_at(HOUR_US, 10)), Some(1));
    assert_eq!(keep(&mut all, "select 1", 2, &run_at(HOUR_US, 10)), Some(2));
    assert_eq!(keep(&mut all, "select 1", 1, &run_at(HOUR_US, 10)), Some(1));
    assert!(all.add(1, &run_at(HOUR_US, 10)) && !all.add(9, &run_at(HOUR_US, 10)));
    assert_eq!((all.queries.len(), all.plans.len(), all.runs.len()), (1, 2, 2));
    let runs = &all.runs[&(1, 1, ExecutionKind::Regular)];
    assert_eq!((runs.count, runs.tallies[Metric::Rows as usize].total), (3, 9));
    let mut auto = new(CaptureMode::Auto);
    for run in 1..=40 {
        assert_eq!(keep(&mut auto, "select 2", 1, &run_at(HOUR_US, 10)).is_some(), run >= 30);
    }
    assert_eq!(keep(&mut auto, "select 3", 1, &run_at(HOUR_US, 99_999)), None);
    assert!(keep(&mut auto, "select 3", 1, &run_at(HOUR_US, 1)).is_some(), "100 ms in all");
    assert_eq!(keep(&mut auto, "select 4", 1, &run_at(HOUR_US, 99_999)), None);
    assert_eq!(keep(&mut auto, "select 4", 1, &run_at(HOUR_US + 25 * US_OF_HOUR, 99_999)), None, "a day later");
    let mut none = new(CaptureMode::None);
    assert_eq!(keep(&mut none, "select 5", 1, &run_at(HOUR_US, 1_000_000)), None);
    auto.options.mode = CaptureMode::None;
    assert!(keep(&mut auto, "select 3", 1, &run_at(HOUR_US, 1)).is_some(), "it is known");
    [&all, &auto, &none].into_iter().for_each(check);
}

#[test]
fn intervals_do_not_overlap_whatever_their_length() {
    let mut contents = new(CaptureMode::All);
    for (minute, length) in [(5, 60), (59, 60), (60, 60), (125, 5), (126, 1440), (131, 5), (1000, 1440), (70, 1)] {
        contents.options.interval_min = length;
        keep(&mut contents, "select 1", 1, &run_at(HOUR_US + minute * 60 * US_OF_S, 1));
    }
    let mut times: Vec<_> = contents.intervals.values().map(|known| (known.start_us, known.end_us)).collect();
    times.sort_unstable();
    assert!(times.iter().all(|(start, end)| start < end) && times.windows(2).all(|two| two[0].1 <= two[1].0));
    assert_eq!(contents.runs.values().map(|runs| runs.count).sum::<u64>(), 8);
    check(&contents);
}

#[test]
fn a_query_has_no_more_plans_than_it_may() {
    let mut contents = new(CaptureMode::All);
    contents.options.max_plans = 2;
    let kept: Vec<_> = (1..=4).map(|hash| keep(&mut contents, "select 1", hash, &run_at(HOUR_US, 1))).collect();
    assert_eq!(kept, [Some(1), Some(2), None, None]);
    check(&contents);
}

#[test]
fn what_is_old_goes_and_what_is_forced_stays() {
    let mut contents = new(CaptureMode::All);
    for text in ["select 1", "select 2"] {
        keep(&mut contents, text, 1, &run_at(HOUR_US, 1));
    }
    contents.force(2, 2, true);
    let later = HOUR_US + 31 * US_OF_DAY;
    keep(&mut contents, "select 3", 1, &run_at(later, 1));
    contents.clean_stale(later);
    assert_eq!(contents.queries.keys().copied().collect::<Vec<_>>(), [2, 3]);
    assert_eq!((contents.intervals.len(), contents.runs.len()), (1, 1));
    check(&contents);
    contents.options.stale_days = 0;
    contents.clean_stale(later + 1000 * US_OF_DAY);
    assert_eq!(contents.queries.len(), 2);
}

#[test]
fn a_full_store_lets_go_what_costs_least_or_takes_no_more() {
    let text = |number: usize| format!("select {number} -- {}", "x".repeat(10_000));
    for cleans in [true, false] {
        let mut contents = new(CaptureMode::All);
        (contents.options.max_mb, contents.options.cleans_by_size) = (1, cleans);
        for number in 0..200 {
            keep(&mut contents, &text(number), 1, &run_at(HOUR_US, number as u64));
            check(&contents);
        }
        if cleans {
            assert_eq!(contents.actual(false), (StoreState::ReadWrite, 0));
            assert!(
                contents.by_text[0].contains_key(text(199).as_str())
                    && !contents.by_text[0].contains_key(text(0).as_str())
            );
        } else {
            assert_eq!(contents.actual(false), (StoreState::ReadOnly, 65_536));
            assert!(!contents.add(1, &run_at(HOUR_US, 1)), "it is full");
            contents.options.max_mb = 2;
            assert!(contents.add(1, &run_at(HOUR_US, 1)));
        }
        contents.clear();
        check(&contents);
        assert!(contents.queries.is_empty() && contents.bytes == 0 && contents.captures());
    }
}

#[test]
fn a_text_that_is_large_beside_the_whole_is_not_kept() {
    let mut contents = new(CaptureMode::All);
    contents.options.max_mb = 1;
    keep(&mut contents, "select 1", 1, &run_at(HOUR_US, 1));
    assert_eq!(keep(&mut contents, &"x".repeat(1 << 20), 1, &run_at(HOUR_US, 1)), None);
    assert_eq!(contents.queries.len(), 1);
    check(&contents);
}

#[test]
fn what_is_written_is_read_and_what_fails_is_written_again() {
    let (mut contents, mut written) = (new(CaptureMode::All), Written::default());
    let mut chance = 7u64;
    for round in 0..400i64 {
        chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let pick = (chance >> 33) as i64;
        let now = HOUR_US + round * 10 * 60 * US_OF_S;
        match pick % 9 {
            0 => drop(contents.remove_plan(pick % 7 + 1).then_some(())),
            1 => drop(contents.remove_query(pick % 5 + 1).then_some(())),
            2 => contents.force(pick % 5 + 1, pick % 7 + 1, pick % 2 == 0),
            3 if pick % 5 == 0 => contents.clear(),
            4 => contents.clean_stale(now + 25 * US_OF_DAY),
            5 => {
                let unwritten = contents.take_unwritten();
                written.write(&unwritten);
                assert_eq!(shown(&written.read()), shown(&contents));
                check(&written.read());
            }
            6 => {
                // A part of it is written.
                let mut unwritten = contents.take_unwritten();
                let whole = Unwritten { records: unwritten.records.clone(), gone: unwritten.gone.clone() };
                unwritten.records.truncate(pick as usize % 3);
                written.write(&unwritten);
                keep(&mut contents, "select 9", 1, &run_at(now, 5));
                contents.remove_query(pick % 5 + 1);
                contents.not_written(&whole);
                check(&written.read());
            }
            _ => drop(keep(&mut contents, &format!("select {}", pick % 6), (pick % 4) as u64, &run_at(now, 5))),
        }
        check(&contents);
    }
    written.write(&contents.take_unwritten());
    assert_eq!(shown(&written.read()), shown(&contents));
    assert!(!contents.is_dirty());
}

#[test]
fn damage_is_an_error_state_and_no_panic() {
    let mut contents = new(CaptureMode::All);
    keep(&mut contents, "select 1", 1, &run_at(HOUR_US, 1));
    let mut written = Written::default();
    written.write(&contents.take_unwritten());
    for slot in written.0.keys().copied().collect::<Vec<_>>() {
        let mut damaged = Written(written.0.clone());
        damaged.0.insert(slot, "?".to_owned());
        let read = damaged.read();
        check(&read);
        assert_eq!(read.actual(false).0, StoreState::Error);
    }
}
