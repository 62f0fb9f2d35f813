//! What the peers came to: a case for each peer and work, with conditions.
//!
//! What always holds: a ratio is of the same work in one repetition; a peer that was not there has a case that says why.

use super::{CONNECTIONS, DUCKDB, MILLPOND, Measured, POSTGRES, Peers, Size};
use crate::experiment::Scale;
use crate::experiment::article::{Comparison, ROGERSON, Theirs};
use crate::experiment::case::{Case, Repetition, Samples};
use crate::experiment::outcome::Page;
use crate::plot::{Axis, Chart, Figures, Series, Spread};

/// The work in the order of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Work {
    Loop(usize),
    Copy,
    Sort,
    TpcC,
}

const ALL: [Work; 5] = [Work::Loop(0), Work::Loop(1), Work::Copy, Work::Sort, Work::TpcC];

impl Work {
    fn name(self) -> String {
        match self {
            Work::Loop(0) => "loop, 1 connection".into(),
            Work::Loop(index) => format!("loop, {} connections", CONNECTIONS[index]),
            Work::Copy => "SELECT INTO".into(),
            Work::Sort => "sort that spills".into(),
            Work::TpcC => "TPC-C".into(),
        }
    }

    /// What is done in a second, more being better; `None` where a peer does not do it.
    fn rate(self, size: Size, measured: &Measured) -> Option<f64> {
        let loop_rows =
            |connections: usize| f64::from(size.loop_rows) * f64::from(size.loop_tables) * connections as f64;
        match self {
            Work::Loop(index) => measured.loop_s[index].map(|seconds| loop_rows(CONNECTIONS[index]) / seconds),
            Work::Copy => measured.copy_s.map(|seconds| f64::from(size.rows) / seconds),
            Work::Sort => measured.sort_s.map(|seconds| f64::from(size.rows) / seconds),
            Work::TpcC => measured.new_orders_per_minute.map(|count| count / 60.0),
        }
    }

    fn figure(self) -> &'static str {
        if self == Work::TpcC { "new_orders_per_second" } else { "rows_per_second" }
    }

    /// Names of our ratio to each of the two peers.
    fn effects(self) -> [&'static str; 2] {
        match self {
            Work::Loop(0) => ["loop_1_over_postgres", "loop_1_over_duckdb"],
            Work::Loop(_) => ["loop_10_over_postgres", "loop_10_over_duckdb"],
            Work::Copy => ["select_into_over_postgres", "select_into_over_duckdb"],
            Work::Sort => ["sort_over_postgres", "sort_over_duckdb"],
            Work::TpcC => ["tpcc_over_postgres", "tpcc_over_duckdb"],
        }
    }
}

fn case_name(peer: &str, work: Work) -> String {
    format!("{peer}, {}", work.name())
}

pub(super) fn repetition(size: Size, peers: &Peers) -> Repetition {
    let mut cases = Vec::new();
    for (name, measured) in peers {
        match measured {
            Ok(measured) => cases.extend(ALL.into_iter().filter_map(|work| case(size, name, work, measured))),
            Err(why) => cases.push(Case::new(*name).with("left_out", why.as_str())),
        }
    }
    let rate = |number: usize, work: Work| work.rate(size, peers[number].1.as_ref().ok()?);
    let mut effects = Vec::new();
    for work in ALL {
        for (number, name) in (1..).zip(work.effects()) {
            let ratio = || Some(rate(0, work)? / rate(number, work)?);
            effects.extend(ratio().map(|ratio| (name, ratio)));
        }
    }
    // So that there is always one, and a reader of the record knows how many took part.
    effects.push(("peers", peers.iter().skip(1).filter(|(_, measured)| measured.is_ok()).count() as f64));
    let bar = |(number, (name, _)): (usize, &(&str, _))| Series {
        name: (*name).to_owned(),
        values: ALL.map(|work| rate(number, work).map(Spread::from)).to_vec(),
    };
    let chart = Chart {
        title: "The same work on each".into(),
        y: Axis::by_range("rows, of TPC-C new orders, per second"),
        figures: Figures::Bars {
            x: "work".into(),
            groups: ALL.map(Work::name).to_vec(),
            bars: peers.iter().enumerate().map(bar).collect(),
        },
    };
    Repetition { cases, charts: vec![chart], effects }
}

fn case(size: Size, name: &str, work: Work, measured: &Measured) -> Option<Case> {
    let rate = work.rate(size, measured)?;
    let case = Case::new(case_name(name, work)).with("version", measured.version.as_str()).with(work.figure(), rate);
    let spilled = measured.spilled_mb.filter(|_| work == Work::Sort);
    Some(match spilled {
        Some(mb) => case.with("spilled_mb", mb),
        None => case,
    })
}

pub(in crate::experiment) fn page(scale: Scale, samples: &Samples) -> Page {
    let size = Size::of(scale);
    let compare = |work: Work, index: usize| {
        let peer = [POSTGRES, DUCKDB][index];
        Comparison::unnumbered(
            format!("{}, {MILLPOND} : {peer}", work.name()),
            Theirs::Words("no other server"),
            "×",
            samples.effect(work.effects()[index]),
        )
    };
    let pairs = ALL.into_iter().flat_map(|work| [(work, 0), (work, 1)]);
    let known = pairs.filter(|(work, index)| samples.effect(work.effects()[*index]).is_some());
    Page {
        title: "The same work beside PostgreSQL and DuckDB",
        article: Some(ROGERSON),
        comparisons: std::iter::once(Comparison::absolute(
            "rows a second of the loop, ten connections, tempdb in RAM",
            "rows/s",
            1_587_359.0 / 300.0,
            samples.spread(&case_name(MILLPOND, Work::Loop(1)), "rows_per_second"),
        ))
        .chain(known.map(|(work, index)| compare(work, index)))
        .collect(),
        differs: "the loop alone is the article's, here as fixed work on one machine with other servers; the article has no other \
                  server beside its own. More than 1 means that Millpond does more in the same time."
            .into(),
        setup: setup(size),
        findings: findings(samples),
        sections: Vec::new(),
    }
}

fn setup(size: Size) -> Vec<String> {
    let Size { memory_mb, rows, loop_rows, loop_tables, warehouses, divided, users, time_ms, .. } = size;
    vec![
        format!(
            "Each peer has {memory_mb} MB and its files in the same directory; they run one after another, each work twice, of which \
             the second time counts. The loop fills {loop_tables} temporary tables with {loop_rows} rows of 8,000 bytes, one INSERT a \
             row. SELECT INTO copies a table of {rows} rows of about 70 bytes to a temporary one. The sort numbers all of its rows \
             in the order of their text; all peers must find the same. TPC-C has {warehouses} warehouses, each divided by {divided}, \
             {users} terminals without thinking, {} seconds, by prepared calls of stored procedures.",
            time_ms as f64 / 1000.0
        ),
        format!(
            "PostgreSQL: half of the memory is shared_buffers, half work_mem, which one sort has to itself, with one worker beside the \
             leader; temp_buffers are 16 MB a session, in which a table of the loop fits, and come on top: with ten connections they \
             are 160 MB; fsync, full_page_writes and synchronous_commit are on, \
             the last but for the loop, because tempdb promises nothing after a crash either. The loop is one block of plpgsql, \
             one commit a table. DuckDB: memory_limit is {memory_mb} MB, two threads; it has neither procedures nor a server, so that \
             the loop is one statement a row from Python in one process, with a transaction for each table, from one connection, and \
             TPC-C is left out. Millpond is asked over TDS, PostgreSQL over its own protocol, both on loopback."
        ),
        "The work directory is memory unless --work-dir says otherwise: commits then wait for nothing that a disk would make \
         them wait for, on either side. For durable commits that cost what they cost, name a directory on a disk."
            .into(),
    ]
}

fn findings(samples: &Samples) -> Vec<String> {
    let mut out = Vec::new();
    for (index, peer) in [POSTGRES, DUCKDB].into_iter().enumerate() {
        let left_out = samples.values(peer, "left_out").iter().find_map(|value| value.as_str().map(str::to_owned));
        if let Some(why) = left_out {
            out.push(format!("{peer} is left out: {why}."));
            continue;
        }
        let said = |work: Work| {
            let ratio = samples.effect(work.effects()[index])?;
            Some(format!("{} {ratio}", work.name()))
        };
        let all: Vec<String> = ALL.into_iter().filter_map(said).collect();
        out.push(format!("{MILLPOND} : {peer}, work done in the same time: {}.", all.join("; ")));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(seconds: f64) -> Measured {
        Measured {
            version: "1".into(),
            loop_s: [Some(seconds), Some(seconds)],
            copy_s: Some(seconds),
            sort_s: Some(seconds),
            spilled_mb: Some(3.0),
            answer: vec![1.0],
            new_orders_per_minute: Some(600.0 / seconds),
        }
    }

    #[test]
    fn a_peer_that_is_missing_is_said_to_be() {
        let peers =
            [(MILLPOND, Ok(measured(1.0))), (POSTGRES, Ok(measured(2.0))), (DUCKDB, Err("it is not there".into()))];
        let samples = Samples::new(vec![repetition(Size::of(Scale::Test), &peers)]);
        assert_eq!(samples.cases().len(), 5 + 5 + 1);
        for work in ALL {
            assert_eq!(samples.effect(work.effects()[0]), Some(Spread::from(2.0)), "{}", work.name());
            assert_eq!(samples.effect(work.effects()[1]), None);
        }
        let page = page(Scale::Test, &samples);
        assert!(page.findings[0].contains("TPC-C 2"), "{}", page.findings[0]);
        assert_eq!(page.findings[1], "DuckDB is left out: it is not there.");
        assert_eq!(page.comparisons.len(), 1 + 5);
        let sort = samples.spread(&case_name(MILLPOND, Work::Sort), "spilled_mb");
        assert_eq!(
            (sort, samples.spread(&case_name(MILLPOND, Work::Copy), "spilled_mb")),
            (Some(Spread::from(3.0)), None)
        );
    }
}
