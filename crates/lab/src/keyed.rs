//! One table by key: reads or updates of single rows from many connections, or a load in bulk. The table is that of
//! pgbench's accounts, so that pgbench can be the peer.
//!
//! What always holds: statements are prepared once per connection; every update is a transaction of its own, durable
//! before it is answered; the table is made where it is not there or has another number of rows.

use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use millpond_tds::rpc::RpcParameter;
use millpond_types::Value;

use crate::chance::Chance;
use crate::failure::{Doing, LabError};
use crate::host::{Host, ServerArgs, Starter};
use crate::insert::Insert;
use crate::link::{Answer, Link, LinkError, Target};
use crate::measure::{Failures, Tally, Window, bar, drive};
use crate::parameter::int;
use crate::report::{Report, ReportArgs};

const TABLE: &str = "create table dbo.keyed (id int not null, branch int not null, balance int not null, \
    filler char(84) not null, constraint pk_keyed primary key clustered (id))";
const SELECT: &str = "select balance from dbo.keyed where id = @id";
const UPDATE: &str = "update dbo.keyed set balance = balance + @delta where id = @id";
/// An update that loses so often has failed.
const TRIES_MAX: u32 = 100;
/// Failures in a row after which a connection gives up.
const FAILURES_IN_A_ROW_MAX: u32 = 20;

/// Rows by key.
#[derive(Args, Debug)]
pub struct KeyedArgs {
    #[command(flatten)]
    server: ServerArgs,
    #[command(flatten)]
    report: ReportArgs,
    /// What to do
    #[arg(long, value_enum, default_value_t = Operation::Select)]
    op: Operation,
    /// Database, made where it is not there
    #[arg(long, value_name = "NAME", default_value = "keyed")]
    database: String,
    /// Rows of the table
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000_000))]
    rows: u32,
    /// Connections
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    users: u32,
    /// Measured seconds; a load takes as long as it takes
    #[arg(long, value_name = "S", default_value_t = 10)]
    seconds: u64,
    /// Seconds before anything is measured
    #[arg(long, value_name = "S", default_value_t = 2)]
    rampup: u64,
    /// Seed of the keys
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

/// What is done with the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Operation {
    /// Reads one row by its key.
    Select,
    /// Changes one row by its key.
    Update,
    /// Loads the table anew, with INSERT statements of many rows.
    Insert,
}

impl Operation {
    fn name(self) -> &'static str {
        match self {
            Self::Select => "select",
            Self::Update => "update",
            Self::Insert => "insert",
        }
    }
}

/// Runs the workload; `false` when something failed.
pub(crate) fn run(args: &KeyedArgs, starter: &dyn Starter) -> Result<bool, LabError> {
    let host = Host::open(&args.server, starter)?;
    let result = run_on(&host, args);
    let closed = host.close();
    result.and_then(|is_good| closed.map(|()| is_good))
}

fn run_on(host: &Host, args: &KeyedArgs) -> Result<bool, LabError> {
    let target = host.target();
    make_database(target, &args.database)?;
    let (tally, failures, measured) = match args.op {
        Operation::Insert => {
            let (tally, took) = load(target, args)?;
            (tally, Failures::default(), took)
        }
        Operation::Select | Operation::Update => {
            load_if_missing(target, args)?;
            by_key(target, args)?
        }
    };
    let per_second = match args.op {
        Operation::Insert => f64::from(args.rows) / measured.as_secs_f64(),
        Operation::Select | Operation::Update => tally.done as f64 / measured.as_secs_f64(),
    };
    let mut report = Report { facts: Vec::new(), measured, kinds: vec![(args.op.name(), tally)], failures };
    report.fact("workload", "keyed");
    report.fact("server", host.name());
    report.fact("rows", args.rows);
    report.fact("users", args.users);
    report.fact("seconds", measured.as_secs_f64());
    report.fact(if args.op == Operation::Insert { "rows/s" } else { "calls/s" }, per_second.round());
    report.publish(&args.report)?;
    Ok(report.is_clean())
}

fn make_database(target: &Target, name: &str) -> Result<(), LabError> {
    let mut link = Link::open(target, "").doing("login")?;
    let make = format!("if db_id(N'{}') is null create database [{name}]", name.replace('\'', "''"));
    link.batch(&make).doing(&make)?;
    Ok(())
}

fn load_if_missing(target: &Target, args: &KeyedArgs) -> Result<(), LabError> {
    let mut link = Link::open(target, &args.database).doing("login")?;
    let exists = link.batch("select object_id(N'dbo.keyed')").doing("whether the table exists")?;
    if exists.scalar().is_some_and(|id| !id.is_null()) {
        let count = link.batch("select count(*) from dbo.keyed").doing("the number of rows")?;
        if count.scalar().and_then(Value::as_i64) == Some(args.rows.into()) {
            return Ok(());
        }
    }
    load(target, args).map(drop)
}

/// Makes the table anew; a tally of the batches, and how long all of it took.
fn load(target: &Target, args: &KeyedArgs) -> Result<(Tally, Duration), LabError> {
    let mut link = Link::open(target, &args.database).doing("login")?;
    link.batch("drop table if exists dbo.keyed").doing("drop of the table")?;
    link.batch(TABLE).doing("the table")?;
    let bar =
        bar(args.rows.into(), "{msg:>10} {wide_bar} {human_pos}/{human_len} rows, {per_sec}").with_message("load");
    let started = Instant::now();
    let share = args.rows.div_ceil(args.users);
    let fill = |user: u32| -> Result<Tally, LabError> {
        let mut link = Link::open(target, &args.database).doing("login")?;
        let (mut insert, mut tally) = (Insert::into("keyed"), Tally::new());
        let first = user * share;
        let last = (first + share).min(args.rows);
        for id in first + 1..=last {
            insert.row().int(id).int(1).int(0).text("");
            if insert.is_full() || id == last {
                let (text, rows) = insert.take().expect("there is a row");
                let sent = Instant::now();
                link.transaction(&text).doing("rows of the load")?;
                tally.count(sent.elapsed());
                bar.inc(rows.into());
            }
        }
        Ok(tally)
    };
    let tallies: Vec<Result<Tally, LabError>> = std::thread::scope(|scope| {
        let fill = &fill;
        let threads: Vec<_> = (0..args.users).map(|user| scope.spawn(move || fill(user))).collect();
        threads.into_iter().map(|thread| thread.join().expect("a loader does not panic")).collect()
    });
    bar.finish_and_clear();
    let took = started.elapsed();
    let mut sum = Tally::new();
    for tally in tallies {
        sum.add(&tally?);
    }
    Ok((sum, took))
}

fn by_key(target: &Target, args: &KeyedArgs) -> Result<(Tally, Failures, Duration), LabError> {
    let mut workers = Vec::new();
    for user in 0..args.users {
        let link = Link::open(target, &args.database).doing("login")?;
        let chance = Chance::new(args.seed, user.into());
        let mut caller = Caller { link, op: args.op, handle: None, chance, rows: args.rows };
        workers.push(move |window: &Window| caller.run(window));
    }
    let (found, measured) =
        drive(workers, |window| window.pass(Duration::from_secs(args.rampup), Duration::from_secs(args.seconds)));
    let (mut tally, mut failures) = (Tally::new(), Failures::default());
    for (other, more) in &found {
        tally.add(other);
        failures.add(more);
    }
    Ok((tally, failures, measured))
}

struct Caller {
    link: Link,
    op: Operation,
    handle: Option<i32>,
    chance: Chance,
    rows: u32,
}

impl Caller {
    fn run(&mut self, window: &Window) -> (Tally, Failures) {
        let (mut tally, mut failures) = (Tally::new(), Failures::default());
        let mut failures_in_a_row = 0;
        while !window.is_over() && failures_in_a_row < FAILURES_IN_A_ROW_MAX {
            let started = Instant::now();
            let (result, retries) = self.try_until_done();
            match result {
                Ok(_) => {
                    failures_in_a_row = 0;
                    if window.is_measured() {
                        tally.count(started.elapsed());
                        tally.retries += u64::from(retries);
                    }
                }
                Err(error) => {
                    failures_in_a_row += 1;
                    tally.failed += 1;
                    failures.note(&error);
                }
            }
        }
        (tally, failures)
    }

    fn try_until_done(&mut self) -> (Result<Answer, LinkError>, u32) {
        let id = int("@id", self.chance.between(1, self.rows));
        let values = match self.op {
            Operation::Update => vec![id, int("@delta", self.chance.between(0, 5000))],
            Operation::Select | Operation::Insert => vec![id],
        };
        let mut retries = 0;
        loop {
            match self.call(values.clone()) {
                Err(error) if error.is_retryable() && retries < TRIES_MAX => retries += 1,
                other => return (other, retries),
            }
        }
    }

    fn call(&mut self, values: Vec<RpcParameter>) -> Result<Answer, LinkError> {
        if let Some(handle) = self.handle {
            return self.link.execute(handle, values);
        }
        let (declarations, statement) = match self.op {
            Operation::Update => ("@id int,@delta int", UPDATE),
            Operation::Select | Operation::Insert => ("@id int", SELECT),
        };
        let (handle, answer) = self.link.prepare_and_execute(declarations, statement, values)?;
        self.handle = Some(handle);
        Ok(answer)
    }
}
