//! Experiments: cases that differ in one thing, each measured alike, and a report that says what came of it.
//!
//! ```text
//!   lab run NAME ─▶ three times: for each case a server of its own ─▶ work over TDS ─▶ figures of its views ─▶ Repetition
//!                ─▶ Samples: median and spread of each figure ─▶ the page of the experiment ─▶ table, report
//! ```
//!
//! What always holds: an experiment starts its servers itself, in a directory of its own that is gone after each repetition;
//! what it changes between cases is named in its report; a repetition at quick scale ends within a minute on two processors.

mod allocation;
mod article;
mod case;
mod controller;
mod extension;
pub(crate) mod outcome;
mod peers;
mod placement;
mod ram_drive;
mod select_into;
mod waits;

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use indicatif::ProgressBar;
use millpond_types::{DateTime2, Value};

use crate::failure::{Doing, LabError};
use crate::host::{OwnServer, Running, Starter};
use crate::link::{Link, Target};
use crate::measure::bar;
use crate::report::ReportArgs;
use case::{Repetition, Samples};
use outcome::{Outcome, Page, Run};

/// Repetitions when nothing is said: the fewest that have a middle.
const REPETITIONS: u32 = 3;

/// How an experiment is run.
#[derive(Args, Clone, Debug)]
pub struct ExperimentArgs {
    /// How large
    #[arg(long, value_enum, default_value_t = Scale::Quick)]
    scale: Scale,
    /// How often all of it is done: tables have the median, the least and the most
    #[arg(long, value_name = "COUNT", default_value_t = REPETITIONS, value_parser = clap::value_parser!(u32).range(1..=100))]
    repetitions: u32,
    /// One repetition, for a look at the figures without their spread
    #[arg(long, conflicts_with = "repetitions")]
    quick: bool,
    /// Where the servers' files go while it runs [default: memory, as /dev/shm, or the directory for temporary files]
    #[arg(long, value_name = "DIR")]
    work_dir: Option<PathBuf>,
    #[command(flatten)]
    report: ReportArgs,
}

impl ExperimentArgs {
    fn repetitions(&self) -> u32 {
        if self.quick { 1 } else { self.repetitions }
    }

    /// The command that repeats an experiment.
    fn command(&self, name: &str) -> String {
        let often = match self.repetitions() {
            _ if self.quick => " --quick".to_owned(),
            REPETITIONS => String::new(),
            count => format!(" --repetitions {count}"),
        };
        format!("millpond lab run {name} --scale {}{often}", self.scale.name())
    }
}

/// How large an experiment is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Scale {
    /// So small that its figures mean nothing: whether an experiment works at all.
    #[value(hide = true)]
    Test,
    /// A minute at most.
    Quick,
    /// As large as in the article that it follows, as far as that is known.
    Full,
}

impl Scale {
    fn name(self) -> &'static str {
        match self {
            Scale::Test => "test",
            Scale::Quick => "quick",
            Scale::Full => "full",
        }
    }

    /// One of three.
    fn pick<T>(self, test: T, quick: T, full: T) -> T {
        match self {
            Scale::Test => test,
            Scale::Quick => quick,
            Scale::Full => full,
        }
    }
}

/// An experiment: its name, what it is, what does it once, and what makes a page of all repetitions.
pub(crate) struct Experiment {
    pub(crate) name: &'static str,
    pub(crate) what: &'static str,
    run: fn(&ExperimentContext<'_>) -> Result<Repetition, LabError>,
    page: fn(Scale, &Samples) -> Page,
}

/// Random updates with a buffer pool extension.
pub(crate) const EXTENSION: Experiment = Experiment {
    name: "extension",
    what: "random updates with a buffer pool extension of clean or of all pages, and without one",
    run: extension::run,
    page: extension::page,
};

/// TPC-C behind a controller's cache.
pub(crate) const CONTROLLER: Experiment = Experiment {
    name: "controller",
    what: "TPC-C against the split of a controller's cache between reads and writes",
    run: controller::run,
    page: controller::page,
};

/// Tempdb on a RAM drive.
pub(crate) const RAM_DRIVE: Experiment = Experiment {
    name: "ram-drive",
    what: "tempdb on a disk or on a RAM drive with overflow, old and new behaviour, 1 and 10 connections",
    run: ram_drive::run,
    page: ram_drive::page,
};

/// SELECT INTO by six sessions at once.
pub(crate) const SELECT_INTO: Experiment = Experiment {
    name: "select-into",
    what: "six sessions that fill temporary tables: tempdb files, eager writes, and the ways to fill a table",
    run: select_into::run,
    page: select_into::page,
};

/// Tempdb under the queries of a warehouse.
pub(crate) const TEMPDB_PLACEMENT: Experiment = Experiment {
    name: "tempdb-placement",
    what: "queries of a warehouse with tempdb on a flash card, on an array, striped or in RAM, and a device added",
    run: placement::run,
    page: placement::page,
};

/// Files of tempdb and sessions that allocate in them.
pub(crate) const ALLOCATION: Experiment = Experiment {
    name: "allocation",
    what: "sessions that create and drop small temporary tables: 1 to 64 files of tempdb, 1 to 64 sessions",
    run: allocation::run,
    page: allocation::page,
};

/// The same work on other servers.
pub(crate) const PEERS: Experiment = Experiment {
    name: "peers",
    what: "the loop, SELECT INTO, a sort that spills and TPC-C beside PostgreSQL and DuckDB, where they are installed",
    run: peers::run,
    page: peers::page,
};

/// All of them.
pub(crate) const EXPERIMENTS: [Experiment; 7] =
    [EXTENSION, CONTROLLER, RAM_DRIVE, SELECT_INTO, TEMPDB_PLACEMENT, ALLOCATION, PEERS];

/// Runs one as often as was asked for and prints what it came to; `true`, as nothing can fail without being an error.
pub(crate) fn run(experiment: &Experiment, args: &ExperimentArgs, starter: &dyn Starter) -> Result<bool, LabError> {
    let date = now_text();
    let mut repetitions = Vec::new();
    for number in 1..=args.repetitions() {
        let context = ExperimentContext::new(args, number, starter)?;
        context.bar.set_prefix(format!("{number}/{}", args.repetitions()));
        repetitions.push((experiment.run)(&context)?);
        context.bar.finish_and_clear();
    }
    let samples = Samples::new(repetitions);
    let page = (experiment.page)(args.scale, &samples);
    let run =
        Run { scale: args.scale.name(), command: args.command(experiment.name), date, machine: starter.machine() };
    Outcome { name: experiment.name, run, page, samples }.publish(&args.report)?;
    Ok(true)
}

/// The time, UTC, to the minute.
fn now_text() -> String {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    match DateTime2::from_unix_nanos(i128::try_from(since.as_nanos()).unwrap_or(i128::MAX)) {
        Some(now) => {
            let ((year, month, day), (hour, minute, ..)) = (now.date.civil(), now.time.hms());
            format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}")
        }
        None => "an unknown day".into(),
    }
}

/// What experiments stand on.
struct ExperimentContext<'a> {
    scale: Scale,
    /// Another one in each repetition: what is chosen by chance differs.
    seed: u64,
    starter: &'a dyn Starter,
    /// Where `dir` lies.
    parent: PathBuf,
    dir: tempfile::TempDir,
    /// Cases done; hidden when there is no terminal.
    bar: ProgressBar,
}

impl<'a> ExperimentContext<'a> {
    fn new(args: &ExperimentArgs, number: u32, starter: &'a dyn Starter) -> Result<Self, LabError> {
        let parent = args.work_dir.clone().unwrap_or_else(default_dir);
        let made = std::fs::create_dir_all(&parent).and_then(|()| tempfile::tempdir_in(&parent));
        let dir = made.map_err(|source| LabError::Output { path: parent.display().to_string(), source })?;
        Ok(Self {
            scale: args.scale,
            seed: u64::from(number),
            starter,
            parent,
            dir,
            bar: bar(0, "{prefix} {wide_bar} {pos}/{len} {msg}"),
        })
    }

    /// So many cases are to come.
    fn expect(&self, cases: usize) {
        self.bar.set_length(cases as u64);
    }

    /// Runs one of them.
    fn case<T>(&self, name: &str, work: impl FnOnce() -> Result<T, LabError>) -> Result<T, LabError> {
        self.bar.set_message(name.to_owned());
        let result = work();
        self.bar.inc(1);
        result
    }

    /// Work on a [server](Self::server) that is stopped when it is done. That it could not be stopped is reported
    /// rather than why the work failed.
    fn on_server<T>(
        &self,
        name: &str,
        folders: &[&str],
        memory_mb: u64,
        settings: String,
        work: impl FnOnce(&Target) -> Result<T, LabError>,
    ) -> Result<T, LabError> {
        let server = self.server(name, folders, memory_mb, settings)?;
        let result = work(&server.target());
        server.stop().map_err(LabError::Stop)?;
        result
    }

    /// A server whose databases lie in a directory of that name, in which there are folders, with what its
    /// `millpond.toml` says besides.
    fn server(
        &self,
        name: &str,
        folders: &[&str],
        memory_mb: u64,
        settings: String,
    ) -> Result<Box<dyn Running>, LabError> {
        let data_dir = self.dir.path().join(name);
        for folder in folders {
            let path = data_dir.join(folder);
            let made = std::fs::create_dir_all(&path);
            made.map_err(|source| LabError::Output { path: path.display().to_string(), source })?;
        }
        let wanted =
            OwnServer { data_dir: Some(data_dir), memory_mb: Some(memory_mb), password: None, tls: false, settings };
        self.starter.start(&wanted).map_err(LabError::Start)
    }
}

/// Files of emulated devices are best kept where the machine's own disk does not count.
fn default_dir() -> PathBuf {
    let memory = PathBuf::from("/dev/shm");
    if memory.is_dir() { memory } else { std::env::temp_dir() }
}

/// The rows of a query as numbers; NULL is 0.
fn numbers(link: &mut Link, query: &str) -> Result<Vec<Vec<f64>>, LabError> {
    let answer = link.batch(query).doing(query)?;
    let rows = answer.tables.first().map_or(&[][..], |table| &table.rows[..]);
    rows.iter().map(|row| row.iter().map(|value| number(value, query)).collect()).collect()
}

/// The only row of a query as numbers.
fn row(link: &mut Link, query: &str) -> Result<Vec<f64>, LabError> {
    numbers(link, query)?.pop().ok_or_else(|| LabError::Answer(format!("no row: {query}")))
}

fn number(value: &Value, query: &str) -> Result<f64, LabError> {
    let number = match value {
        Value::Null => Some(0.0),
        value => value.as_i64().map(|whole| whole as f64).or_else(|| value.as_f64()),
    };
    number.ok_or_else(|| LabError::Answer(format!("not a number: {query}")))
}

/// Does a work on so many threads at once, each with its number: what they answer in their order, or the first error.
fn at_once<T: Send>(count: usize, work: impl Fn(usize) -> Result<T, LabError> + Sync) -> Result<Vec<T>, LabError> {
    std::thread::scope(|scope| {
        let work = &work;
        let threads: Vec<_> = (0..count).map(|number| scope.spawn(move || work(number))).collect();
        threads.into_iter().map(|thread| thread.join().expect("a worker's thread does not panic")).collect()
    })
}

/// Runs a batch on so many connections at once; each answers with a number, and this is their sum.
fn sum_of_answers(target: &Target, database: &str, connections: usize, batch: &str) -> Result<f64, LabError> {
    let one = |_| {
        let answer = Link::open(target, database).and_then(|mut link| link.batch(batch)).doing("the loop")?;
        number(answer.scalar().unwrap_or(&Value::Null), "the loop")
    };
    Ok(at_once(connections, one)?.into_iter().sum())
}

/// Sets an option of the server, advanced or not.
fn configure(link: &mut Link, option: &str, value: i64) -> Result<(), LabError> {
    let batch = format!(
        "exec sp_configure 'show advanced options', 1; reconfigure; exec sp_configure '{option}', {value}; reconfigure"
    );
    link.batch(&batch).doing(format!("option '{option}'")).map(drop)
}
