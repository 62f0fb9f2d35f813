//! Experiments: cases that differ in one thing, each measured alike, and a report that says what came of it.
//!
//! ```text
//!   lab run NAME ─▶ for each case: a server of its own ─▶ work over TDS ─▶ figures of its views ─▶ Outcome ─▶ table, report
//! ```
//!
//! What always holds: an experiment starts its servers itself, in a directory of its own that is gone afterwards; what it
//! changes between cases is named in its report; quick scale ends within a minute on two processors.

mod controller;
mod extension;
mod outcome;
mod placement;
mod ram_drive;
mod select_into;
mod waits;

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use indicatif::ProgressBar;
use millpond_types::Value;

use crate::failure::{Doing, LabError};
use crate::host::{OwnServer, Running, Starter};
use crate::link::{Link, Target};
use crate::measure::bar;
use crate::report::ReportArgs;
use outcome::Outcome;

/// How an experiment is run.
#[derive(Args, Clone, Debug)]
pub struct ExperimentArgs {
    /// How large
    #[arg(long, value_enum, default_value_t = Scale::Quick)]
    scale: Scale,
    /// Where the servers' files go while it runs [default: memory, as /dev/shm, or the directory for temporary files]
    #[arg(long, value_name = "DIR")]
    work_dir: Option<PathBuf>,
    #[command(flatten)]
    report: ReportArgs,
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

/// An experiment: its name, what it is, and what runs it.
pub(crate) struct Experiment {
    pub(crate) name: &'static str,
    pub(crate) what: &'static str,
    run: fn(&ExperimentContext<'_>) -> Result<Outcome, LabError>,
}

/// Random updates with a buffer pool extension.
pub(crate) const EXTENSION: Experiment = Experiment {
    name: "extension",
    what: "random updates with a buffer pool extension of clean or of all pages, and without one",
    run: extension::run,
};

/// TPC-C behind a controller's cache.
pub(crate) const CONTROLLER: Experiment = Experiment {
    name: "controller",
    what: "TPC-C against the split of a controller's cache between reads and writes",
    run: controller::run,
};

/// Tempdb on a RAM drive.
pub(crate) const RAM_DRIVE: Experiment = Experiment {
    name: "ram-drive",
    what: "tempdb on a disk or on a RAM drive with overflow, old and new behaviour, 1 and 10 connections",
    run: ram_drive::run,
};

/// SELECT INTO by six sessions at once.
pub(crate) const SELECT_INTO: Experiment = Experiment {
    name: "select-into",
    what: "six sessions that fill temporary tables: tempdb files, eager writes, and the ways to fill a table",
    run: select_into::run,
};

/// Tempdb under the queries of a warehouse.
pub(crate) const TEMPDB_PLACEMENT: Experiment = Experiment {
    name: "tempdb-placement",
    what: "queries of a warehouse with tempdb on a flash card, on an array, striped or in RAM, and a device added",
    run: placement::run,
};

/// All of them.
pub(crate) const EXPERIMENTS: [Experiment; 5] = [EXTENSION, CONTROLLER, RAM_DRIVE, SELECT_INTO, TEMPDB_PLACEMENT];

/// Runs one and prints what it came to; `true`, as nothing can fail without being an error.
pub(crate) fn run(experiment: &Experiment, args: &ExperimentArgs, starter: &dyn Starter) -> Result<bool, LabError> {
    let context = ExperimentContext::new(args, starter)?;
    let outcome = (experiment.run)(&context)?;
    context.bar.finish_and_clear();
    outcome.publish(&args.report)?;
    Ok(true)
}

/// What experiments stand on.
struct ExperimentContext<'a> {
    scale: Scale,
    starter: &'a dyn Starter,
    dir: tempfile::TempDir,
    /// Cases done; hidden when there is no terminal.
    bar: ProgressBar,
}

impl<'a> ExperimentContext<'a> {
    fn new(args: &ExperimentArgs, starter: &'a dyn Starter) -> Result<Self, LabError> {
        let parent = args.work_dir.clone().unwrap_or_else(default_dir);
        let made = std::fs::create_dir_all(&parent).and_then(|()| tempfile::tempdir_in(&parent));
        let dir = made.map_err(|source| LabError::Output { path: parent.display().to_string(), source })?;
        Ok(Self { scale: args.scale, starter, dir, bar: bar(0, "{wide_bar} {pos}/{len} {msg}") })
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

    /// The command that repeats the experiment.
    fn command(&self, name: &str) -> String {
        format!("millpond lab run {name} --scale {}", self.scale.name())
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
