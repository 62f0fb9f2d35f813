//! What the runs came to: the table, its plots, and sentences with the article's figures beside ours.
//!
//! What always holds: which query is bound by what is taken from the run of one user on the tenfold warehouse with
//! tempdb on the card. Knows nothing of how runs were measured.

use serde_json::Value;

use super::added::{Added, Span};
use super::meter::{Bound, Io, QueryTime};
use super::warehouse::QUERIES;
use super::{Place, Run, SHARE, Size, case_name, said_users};
use crate::experiment::ExperimentContext;
use crate::experiment::outcome::{Case, Outcome};
use crate::plot::{Axis, Chart, Figures, Series};

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

pub(super) fn outcome(context: &ExperimentContext<'_>, size: Size, runs: &[Run], added: &Added) -> Outcome {
    let all = Runs { runs, size };
    let moved_mb = added.samples.iter().map(|sample| sample.added.mb()).sum::<f64>();
    let mut cases: Vec<Case> = runs.iter().map(case).collect();
    cases.push(added_case("before a second card", added.users, &added.before()));
    cases.push(added_case("after it was added", added.users, &added.after()).with("added_file_mb", moved_mb));
    Outcome {
        name: "tempdb-placement",
        title: "Tempdb on flash or on an array",
        setup: setup(size),
        command: context.command("tempdb-placement"),
        cases,
        charts: vec![seconds_chart(&all), bandwidth_chart(&all), added_chart(added)],
        findings: findings(&all, added),
    }
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
    let bound: Vec<&str> = (0..QUERIES.len()).filter(is_bound).map(|index| QUERIES[index].name).collect();
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
        values: all.size.places.iter().map(|place| seconds(index, *place)).collect(),
    };
    Chart {
        title: format!("Seconds of each query, tenfold warehouse, {}", said_users(users)),
        y: Axis::new("seconds"),
        figures: Figures::Bars {
            groups: all.size.places.iter().map(|place| place.name()).collect(),
            bars: (0..QUERIES.len()).map(bar).collect(),
        },
    }
}

fn bandwidth_chart(all: &Runs<'_>) -> Chart {
    let point = |place: Place, users: usize| {
        let run = all.of(place, true, users)?;
        Some((users as f64, run.measured.io.mb() / run.measured.seconds))
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
        values: added.samples.iter().map(|sample| (sample.at_s, mb(sample) / sample.seconds)).collect(),
    };
    Chart {
        title: format!("A second card, added after {:.0} seconds", added.at_s),
        y: Axis::new("MB/s read and written"),
        figures: Figures::Lines {
            x: Axis::new("seconds"),
            lines: vec![
                line("first card", |sample| sample.first.mb()),
                line("second card", |sample| sample.added.mb()),
                line("together", |sample| sample.first.mb() + sample.added.mb()),
            ],
        },
    }
}

fn findings(all: &Runs<'_>, added: &Added) -> Vec<String> {
    let mut out = bounds(all);
    out.extend(effect(all));
    out.extend(requests(all));
    let (before, after) = (added.before(), added.after());
    out.push(format!(
        "A second card, added while {} worked: from {:.0} to {:.0} MB/s, {:.0} % of them on the new card; the statement \
         took {:.2} seconds.",
        said_users(added.users),
        before.mb_s(),
        after.mb_s(),
        100.0 * after.added_share(),
        added.statement_s
    ));
    out
}

fn bounds(all: &Runs<'_>) -> Vec<String> {
    let Some(alone) = all.of(CARD, true, 1) else { return Vec::new() };
    let said = |bound: Bound| {
        let one = |&index: &usize| {
            let time: QueryTime = alone.measured.queries[index];
            format!("{} ({:.0} %)", QUERIES[index].name, 100.0 * time.tempdb_share())
        };
        let all: Vec<String> = all.bound(bound).iter().map(one).collect();
        if all.is_empty() { "none".into() } else { all.join(", ") }
    };
    vec![format!(
        "One user, tempdb on the card, with the share of each query's time that it waits for tempdb: bound by the processor \
         are {}; by tempdb's bandwidth {}.",
        said(Bound::Processor),
        said(Bound::Bandwidth)
    )]
}

/// What the article's move from the card to the array does here.
fn effect(all: &Runs<'_>) -> Vec<String> {
    let users = all.most_users();
    let ratio = |bound, place| {
        let queries = all.bound(bound);
        Some(all.seconds(place, users, &queries)? / all.seconds(CARD, users, &queries)?)
    };
    let moved = |place: Place| {
        all.of(place, true, users)?;
        let said = |(bound, name)| {
            ratio(bound, place).map(|ratio| format!("queries bound by {name} take {ratio:.2} of their time"))
        };
        let parts = [(Bound::Bandwidth, "bandwidth"), (Bound::Processor, "the processor")].into_iter().filter_map(said);
        let parts = parts.collect::<Vec<_>>().join(", ");
        Some(format!("From the card to {}, {}: {parts}.", place.said(), said_users(users)))
    };
    let article = "The article, from the card to the array: the former were faster, the latter no different.";
    let mut out: Vec<String> = all.size.places.iter().skip(1).filter_map(|place| moved(*place)).collect();
    out.push(article.into());
    let mb_s = |place| all.of(place, true, users).map(|run| run.measured.io.mb() / run.measured.seconds);
    if let (Some(card), Some(array)) = (mb_s(CARD), mb_s(ARRAY)) {
        out.push(format!(
            "Tempdb moves {card:.0} MB/s on the card and {array:.0} on the array with four links, {:.1} times as many (the \
             article: {ARTICLE_CARD_GB_S} and {ARTICLE_ARRAY_GB_S} GB/s, {:.1} times).",
            array / card,
            ARTICLE_ARRAY_GB_S / ARTICLE_CARD_GB_S
        ));
    }
    out
}

fn requests(all: &Runs<'_>) -> Option<String> {
    let io = all.of(CARD, true, all.most_users())?.measured.io;
    let said = |io: Io| Some(format!("{:.0} KB in {:.1} ms", io.size_kb()?, io.latency_ms()?));
    Some(format!(
        "On the card, {}: a read of tempdb is {}, a write {} (the article: 64 KB, above 200 ms).",
        said_users(all.most_users()),
        said(io.reads)?,
        said(io.writes)?
    ))
}
