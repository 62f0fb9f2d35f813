//! What the loads came to: plots, ratios, and the article's figures beside ours.
//!
//! What always holds: a ratio compares cases of one repetition. Knows nothing of how they were measured.

use super::{FILES, Load, MEMORY_MB, Single, Size, WORKERS, load_name};
use crate::experiment::Scale;
use crate::experiment::article::{Article, Comparison, Theirs};
use crate::experiment::case::{Repetition, Samples};
use crate::experiment::outcome::Page;
use crate::plot::{Axis, Chart, Figures, Series, Spread};

pub(super) fn repetition(loads: Vec<Load>, single: Vec<Single>) -> Repetition {
    let load = |files, is_eager| loads.iter().find(|load| (load.files, load.is_eager) == (files, is_eager));
    let of = |files, is_eager| load(files, is_eager).map_or(f64::NAN, |load| load.per_minute);
    let rate =
        |name: &str| single.iter().find(|single| single.name == name).map_or(f64::NAN, |single| single.rows_per_s);
    let effects = vec![
        ("new_over_eager_40_files", of(40, false) / of(40, true)),
        ("new_over_eager_1_file", of(1, false) / of(1, true)),
        ("one_file_over_40_new", of(1, false) / of(40, false)),
        ("written_mb_eager_40_files", load(40, true).map_or(f64::NAN, |load| load.written_mb)),
        ("written_mb_new_40_files", load(40, false).map_or(f64::NAN, |load| load.written_mb)),
        ("parallel_over_serial_select_into", rate("SELECT INTO") / rate("SELECT INTO, serial")),
        ("parallel_over_serial_insert_tablock", rate("INSERT TABLOCK") / rate("INSERT TABLOCK, serial")),
        ("select_into_over_insert", rate("SELECT INTO") / rate("INSERT")),
        ("variable_in_memory_over_tempdb", rate("variable in memory") / rate("variable in tempdb")),
    ];
    let per_minute = |is_eager| FILES.map(|files| Some(Spread::from(of(files, is_eager)))).to_vec();
    let bars = vec![
        Series { name: "eager writes".into(), values: per_minute(true) },
        Series { name: "new".into(), values: per_minute(false) },
    ];
    let loads_chart = Chart {
        title: "SELECT INTO, six sessions".into(),
        y: Axis::by_range("tables per minute"),
        figures: Figures::Bars {
            x: "data files of tempdb".into(),
            groups: FILES.map(|files| files.to_string()).to_vec(),
            bars,
        },
    };
    let ways_chart = Chart {
        title: "Ways to fill a table, one session".into(),
        y: Axis::by_range("rows per second"),
        figures: Figures::Bars {
            x: "statement".into(),
            groups: single.iter().map(|single| single.name.into()).collect(),
            bars: vec![Series {
                name: "rows".into(),
                values: single.iter().map(|single| Some(Spread::from(single.rows_per_s))).collect(),
            }],
        },
    };
    let cases = loads.into_iter().map(|load| load.case).chain(single.into_iter().map(|single| single.case)).collect();
    Repetition { cases, charts: vec![loads_chart, ways_chart], effects }
}

pub(in crate::experiment) fn page(scale: Scale, samples: &Samples) -> Page {
    let eager = |name| samples.spread(&load_name(40, true), name);
    Page {
        title: "SELECT INTO by six sessions",
        article: Some(Article {
            author: "Kendra Little",
            title: "Memory and IO in Tempdb: SQL 2014 and SQL 2012 SP1 CU10 Improvement",
            year: "2014",
            address: None,
        }),
        comparisons: vec![
            Comparison::unnumbered(
                "tables filled, new : eager writes, 40 files",
                Theirs::Unreadable("a picture of transactions a minute; in words a notable improvement"),
                "×",
                samples.effect("new_over_eager_40_files"),
            ),
            Comparison::unnumbered(
                "written with new behaviour, 40 files",
                Theirs::Words("the I/O just about disappears"),
                "MB",
                samples.effect("written_mb_new_40_files"),
            ),
            Comparison::unnumbered(
                "written with eager writes, 40 files",
                Theirs::Unreadable("a picture; a lot, evenly to each file"),
                "MB",
                samples.effect("written_mb_eager_40_files"),
            ),
            Comparison::absolute("time of a write, eager, 40 files", "ms", 7.0, eager("ms_per_write")),
            Comparison::effect(
                "SELECT INTO : INSERT, one session (a reader, Geoff Patterson, 30 million rows, four processors)",
                3.0,
                samples.effect("select_into_over_insert"),
            ),
            Comparison::unnumbered(
                "one file : forty, new behaviour",
                Theirs::Unreadable("forty alone were tried, as contention was wanted"),
                "×",
                samples.effect("one_file_over_40_new"),
            ),
        ],
        differs: "the article compares SQL Server 2012 SP1 with 2014, two virtual machines of four processors and 6,000 MB on real \
                  SSDs, for three minutes with a query that is not in its text; here one server has both behaviours, two \
                  processors, a sixth of the memory and an emulated SSD, and everything else is the same between the two."
            .into(),
        setup: setup(Size::of(scale)),
        findings: findings(samples),
        sections: Vec::new(),
    }
}

fn setup(size: Size) -> Vec<String> {
    vec![
        format!(
            "{WORKERS} sessions select {} rows of about 110 bytes into a temporary table and drop it, for {} seconds after \
             {} seconds of warm-up, each on one processor. The server has {MEMORY_MB} MB; tempdb has 2 GB in 1 or 40 files \
             of equal size, on an emulated SSD.",
            size.rows,
            size.time_ms as f64 / 1000.0,
            size.warm_up_ms as f64 / 1000.0
        ),
        "Eager: bulk loads write their pages at once, and extents are taken forward only, as SQL Server 2012 did. New: \
         pages are written when memory is needed, freed extents are used first."
            .into(),
        format!(
            "Below: one session that fills one table of as many rows, in five ways, and a table variable of {} rows; the \
             middle of {} times.",
            size.variable_rows, size.tries
        ),
    ]
}

fn findings(samples: &Samples) -> Vec<String> {
    vec![
        format!(
            "With 40 files, new behaviour fills {} times as many tables, and writes {} MB where eager writes are {} MB.",
            samples.said("new_over_eager_40_files"),
            samples.said("written_mb_new_40_files"),
            samples.said("written_mb_eager_40_files")
        ),
        format!("New behaviour, one file is {} times as fast as forty.", samples.said("one_file_over_40_new")),
        format!(
            "SELECT INTO on all processors is {} times as fast as on one, INSERT WITH (TABLOCK) {} times.",
            samples.said("parallel_over_serial_select_into"),
            samples.said("parallel_over_serial_insert_tablock")
        ),
        format!(
            "A table variable of a memory-optimised type takes {} times the rows of one in tempdb.",
            samples.said("variable_in_memory_over_tempdb")
        ),
    ]
}
