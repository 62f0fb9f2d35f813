//! What the runs came to: the table, its plots, and the article's figures beside ours.
//!
//! What always holds: which query is bound by what is taken from the run of one user on the tenfold warehouse with
//! tempdb on the card. Knows nothing of how runs were measured.

use serde_json::Value;

use super::added::{Added, Span};
use super::meter::{Bound, Io};
use super::warehouse::QUERIES;
use super::{Place, Run, SHARE, Size, case_name, said_users};
use crate::experiment::Scale;
use crate::experiment::article::{Article, Comparison, Theirs};
use crate::experiment::case::{Case, Repetition, Samples};
use crate::experiment::outcome::Page;
use crate::plot::{Axis, Chart, Figures, Series, Spread};

/// What the article saw of tempdb on the card and on the array: GB/s read.
const ARTICLE_CARD_GB_S: f64 = 1.9;
const ARTICLE_ARRAY_GB_S: f64 = 4.5;
/// The place that others are compared with, and the one that the article went to.
const CARD: Place = Place::Card;
const ARRAY: Place = Place::Array { links: 4 };

/// The runs, and what is asked of them.
struct Runs<'a> {
    runs: &'a [Run],
    size: Size,
}

impl Runs<'_> {
    fn of(&self, place: Place, is_tenfold: bool, users: usize) -> Option<&Run> {
        let is_it = |run: &&Run| (run.place, run.warehouse.is_tenfold(), run.users) == (place, is_tenfold, users);
        self.runs.iter().find(is_it)
    }

    fn most_users(&self) -> usize {
        self.size.users.iter().copied().max().unwrap_or(1)
    }

    /// Queries of the tenfold warehouse that are bound so, by their place.
    fn bound(&self, bound: Bound) -> Vec<usize> {
        let Some(alone) = self.of(CARD, true, 1) else { return Vec::new() };
        (0..QUERIES.len()).filter(|&index| alone.measured.queries[index].bound() == bound).collect()
    }

    /// Seconds of queries of the tenfold warehouse together, if there are any.
    fn seconds(&self, place: Place, users: usize, queries: &[usize]) -> Option<f64> {
        let run = self.of(place, true, users)?;
        (!queries.is_empty()).then(|| queries.iter().map(|&index| run.measured.queries[index].seconds).sum())
    }
}

pub(super) fn repetition(size: Size, runs: &[Run], added: &Added) -> Repetition {
    let all = Runs { runs, size };
    let moved_mb = added.samples.iter().map(|sample| sample.added.mb()).sum::<f64>();
    let mut cases: Vec<Case> = runs.iter().map(case).collect();
    cases.push(added_case(BEFORE, added.users, &added.before()));
    let after = added_case(AFTER, added.users, &added.after()).with("added_file_mb", moved_mb);
    cases.push(after.with("statement_seconds", added.statement_s));
    let charts = vec![seconds_chart(&all), bandwidth_chart(&all), added_chart(added)];
    Repetition { cases, charts, effects: effects(&all, added) }
}

/// The last two cases.
const BEFORE: &str = "before a second card";
const AFTER: &str = "after it was added";

/// Ratios within one repetition.
fn effects(all: &Runs<'_>, added: &Added) -> Vec<(&'static str, f64)> {
    let users = all.most_users();
    let mb_s = |place| all.of(place, true, users).map_or(f64::NAN, |run| run.measured.io.mb() / run.measured.seconds);
    let time = |bound, place| {
        let queries = all.bound(bound);
        let ratio = || Some(all.seconds(place, users, &queries)? / all.seconds(CARD, users, &queries)?);
        ratio().unwrap_or(f64::NAN)
    };
    vec![
        ("array_over_card_mb_s", mb_s(ARRAY) / mb_s(CARD)),
        ("bandwidth_bound_time_array", time(Bound::Bandwidth, ARRAY)),
        ("processor_bound_time_array", time(Bound::Processor, ARRAY)),
        ("bandwidth_bound_time_striped", time(Bound::Bandwidth, Place::Striped)),
        ("processor_bound_time_striped", time(Bound::Processor, Place::Striped)),
        ("bandwidth_bound_time_ram", time(Bound::Bandwidth, Place::Ram)),
        ("processor_bound_time_ram", time(Bound::Processor, Place::Ram)),
        ("second_card_mb_s", added.after().mb_s() / added.before().mb_s()),
    ]
}

pub(in crate::experiment) fn page(scale: Scale, samples: &Samples) -> Page {
    let size = Size::at(scale);
    let users = size.users.iter().copied().max().unwrap_or(1);
    let card = |name| samples.spread(&case_name(CARD, size.warehouses()[1], users), name);
    let effect = |name| samples.effect(name);
    Page {
        title: "Tempdb on flash or on an array",
        article: Some(Article { author: "Kucera", title: "TempDB on PCIe flash or not?", year: "2016", address: None }),
        comparisons: vec![
            Comparison::effect(
                "MB/s of tempdb, array : card",
                ARTICLE_ARRAY_GB_S / ARTICLE_CARD_GB_S,
                effect("array_over_card_mb_s"),
            ),
            Comparison::unnumbered(
                "time of queries bound by tempdb, array : card",
                Theirs::Words("an improvement"),
                "×",
                effect("bandwidth_bound_time_array"),
            ),
            Comparison::unnumbered(
                "time of queries bound by the processor, array : card",
                Theirs::Words("neither improvement nor degradation"),
                "×",
                effect("processor_bound_time_array"),
            ),
            Comparison::absolute(
                "MB/s read of tempdb on the card",
                "MB/s",
                1000.0 * ARTICLE_CARD_GB_S,
                card("read_mb_s"),
            ),
            Comparison::absolute("size of a read of tempdb", "KB", 64.0, card("kb_per_read")),
            Comparison::unnumbered(
                "time of a write to tempdb on the card",
                Theirs::Words("responses above 200 ms"),
                "ms",
                card("ms_per_write"),
            ),
            Comparison::unnumbered(
                "MB/s after : before a device was added while users worked",
                Theirs::Words("possible with the array, not tried"),
                "×",
                effect("second_card_mb_s"),
            ),
        ],
        differs: format!(
            "the article has 44 processors, tables of 1.1 and 11 TB, real devices and queries that are not in its text; here there \
             are two processors, emulated devices with its bandwidths by {SHARE:.0}, and tables that are small but for the memory. \
             Its table of the card's figures is a picture."
        ),
        setup: setup(size),
        findings: findings(samples, size, users),
        sections: super::model::sections(scale, samples),
    }
}

fn findings(samples: &Samples, size: Size, users: usize) -> Vec<String> {
    let text = |case: &str| {
        let values = samples.values(case, "bound_by_tempdb");
        values.iter().find_map(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
    };
    let said = |name| samples.said(name);
    let moved = |place: &str, bandwidth, processor| {
        format!(
            "From the card to {place}, {}: queries bound by tempdb take {} of their time, queries bound by the processor {}.",
            said_users(users),
            said(bandwidth),
            said(processor)
        )
    };
    let last = |case: &str, name| samples.spread(case, name).map_or_else(String::new, |spread| spread.to_string());
    vec![
        format!(
            "One user, the tenfold warehouse, tempdb on the card: bound by tempdb, with the share of their time that they wait for \
             it, are {}.",
            match text(&case_name(CARD, size.warehouses()[1], 1)) {
                none if none.is_empty() => "none".to_owned(),
                names => names,
            }
        ),
        moved("the array behind 4 links", "bandwidth_bound_time_array", "processor_bound_time_array"),
        moved("two striped cards", "bandwidth_bound_time_striped", "processor_bound_time_striped"),
        moved("RAM", "bandwidth_bound_time_ram", "processor_bound_time_ram"),
        format!(
            "Tempdb moves {} times as many MB/s on the array with four links as on the card (the article: {:.1} times).",
            said("array_over_card_mb_s"),
            ARTICLE_ARRAY_GB_S / ARTICLE_CARD_GB_S
        ),
        format!(
            "A second card, added while {} worked: {} times the MB/s, {} % of them on the new card; the statement took {} seconds.",
            said_users(users),
            said("second_card_mb_s"),
            last(AFTER, "added_file_percent"),
            last(AFTER, "statement_seconds")
        ),
    ]
}

fn setup(size: Size) -> Vec<String> {
    let Size { rows, memory_mb, .. } = size;
    vec![
        format!(
            "A warehouse of {rows} sales of about 110 bytes, customers and products, and one of ten times as many; memory \
             is {memory_mb} MB. Each user runs five queries, beginning with another one than the user before: groups \
             (GROUP BY with nearly as many groups as rows), order (a sort of all rows), join (the sales with themselves), \
             which spill rows to tempdb when they do not fit, and regions (a join of the three tables, few groups) and \
             notes (texts), which compute. Each query has one thread."
        ),
        format!(
            "Tempdb alone lies on an emulated device, in real time. The card: 86 MB/s for reads, 73 for writes; each link of \
             the array 73, and 291 behind them. These are the article's bandwidths by {SHARE:.0}, as two processors are to \
             its 44. Columns of reads and writes are of tempdb's data files; a query is bound by tempdb if it waits for \
             its files longer than it computes."
        ),
        "The last two rows: all users repeat the queries that use tempdb, on the card and the tenfold warehouse, and in the \
         middle ALTER DATABASE tempdb ADD FILE adds a file on a second card."
            .into(),
    ]
}

fn case(run: &Run) -> Case {
    let Run { place, warehouse, users, measured } = run;
    let seconds = measured.seconds;
    let case = Case::new(case_name(*place, *warehouse, *users)).with("users", *users).with("seconds", seconds);
    let case =
        QUERIES.iter().zip(&measured.queries).fold(case, |case, (query, time)| case.with(query.figure, time.seconds));
    let is_bound = |&index: &usize| measured.queries[index].bound() == Bound::Bandwidth;
    let said =
        |index: usize| format!("{} ({:.0} %)", QUERIES[index].name, 100.0 * measured.queries[index].tempdb_share());
    let bound: Vec<String> = (0..QUERIES.len()).filter(is_bound).map(said).collect();
    let case = case.with("bound_by_tempdb", bound.join(", "));
    let case =
        case.with("spilled_mb", measured.queries.iter().map(|query| query.spilled_mb).sum::<f64>() * *users as f64);
    let case = with_io(case, seconds, measured.io.reads, measured.io.writes);
    case.with("spill_percent_of_writes", percent(measured.spill_share))
        .with("busy_processors", measured.processors(*users))
}

fn percent(share: Option<f64>) -> Value {
    share.map_or(Value::Null, |share| (100.0 * share).into())
}

fn with_io(case: Case, seconds: f64, reads: Io, writes: Io) -> Case {
    case.with("read_mb", reads.mb())
        .with("read_mb_s", reads.mb() / seconds)
        .with("kb_per_read", reads.size_kb())
        .with("ms_per_read", reads.latency_ms())
        .with("written_mb", writes.mb())
        .with("written_mb_s", writes.mb() / seconds)
        .with("kb_per_write", writes.size_kb())
        .with("ms_per_write", writes.latency_ms())
}

fn added_case(name: &str, users: usize, span: &Span) -> Case {
    let io = span.first.plus(span.added);
    let case = Case::new(name).with("users", users).with("seconds", span.seconds);
    with_io(case, span.seconds, io.reads, io.writes).with("added_file_percent", 100.0 * span.added_share())
}

fn seconds_chart(all: &Runs<'_>) -> Chart {
    let users = all.most_users();
    let seconds =
        |index: usize, place: Place| all.of(place, true, users).map(|run| run.measured.queries[index].seconds);
    let bar = |index: usize| Series {
        name: QUERIES[index].name.into(),
        values: all.size.places.iter().map(|place| seconds(index, *place).map(Spread::from)).collect(),
    };
    Chart {
        title: format!("Seconds of each query, tenfold warehouse, {}", said_users(users)),
        y: Axis::by_range("seconds"),
        figures: Figures::Bars {
            x: "where tempdb lies".into(),
            groups: all.size.places.iter().map(|place| place.name()).collect(),
            bars: (0..QUERIES.len()).map(bar).collect(),
        },
    }
}

fn bandwidth_chart(all: &Runs<'_>) -> Chart {
    let point = |place: Place, users: usize| {
        let run = all.of(place, true, users)?;
        Some((users as f64, Spread::from(run.measured.io.mb() / run.measured.seconds)))
    };
    let line = |place: &Place| Series {
        name: place.name(),
        values: all.size.users.iter().filter_map(|users| point(*place, *users)).collect(),
    };
    Chart {
        title: "Bandwidth of tempdb, tenfold warehouse".into(),
        y: Axis::new("MB/s read and written"),
        figures: Figures::Lines { x: Axis::new("users"), lines: all.size.places.iter().map(line).collect() },
    }
}

fn added_chart(added: &Added) -> Chart {
    let line = |name: &str, mb: fn(&super::added::Sample) -> f64| Series {
        name: name.into(),
        values: added.samples.iter().map(|sample| (sample.at_s, Spread::from(mb(sample) / sample.seconds))).collect(),
    };
    Chart {
        title: "A second card, added in the middle".into(),
        y: Axis::new("MB/s read and written"),
        figures: Figures::Lines {
            x: Axis::new("seconds since the begin"),
            lines: vec![
                line("first card", |sample| sample.first.mb()),
                line("second card", |sample| sample.added.mb()),
                line("together", |sample| sample.first.mb() + sample.added.mb()),
            ],
        },
    }
}
