//! TPC-C after the standard's revision 5.11: load, terminals, report, check.
//!
//! What always holds: the database is made only where there is none, or where that was asked for; a run with failures or
//! a broken condition ends with a failure. What is not done as the standard has it: terminals do not think unless asked
//! to, so the figures are no TPC-C results.

mod check;
mod load;
mod over_tds;
mod rows;
mod scale;
mod target;
mod terminal;
mod transaction;
mod words;

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use clap::Args;
use millpond_types::Value;

use self::load::Load;
use self::over_tds::CallMode;
pub(crate) use self::over_tds::{TdsSession, TdsTarget};
pub(crate) use self::scale::Scale;
pub use self::target::{Scripts, Session, TargetDatabase};
pub(crate) use self::terminal::Count;
use self::terminal::{Caller, Deferred, Terminal};
use self::transaction::Asker;
pub use self::transaction::Kind;
use self::words::Skew;
use crate::chance::Chance;
use crate::failure::{Doing, LabError};
use crate::host::{Host, ServerArgs, Starter};
use crate::measure::{Window, drive};
use crate::report::{Report, ReportArgs};

/// Connections that load.
const LOADERS: usize = 4;
/// Terminals that one worker delivers for, when deliveries are deferred.
const TERMINALS_PER_DELIVERER: usize = 10;
/// The stream of chance that draws the constants of a run; terminals have those after it.
const STREAM_OF_RUN: u64 = 1 << 32;

/// TPC-C.
#[derive(Args, Debug)]
pub struct TpccArgs {
    #[command(flatten)]
    server: ServerArgs,
    #[command(flatten)]
    plan: Plan,
    /// How procedures are called
    #[arg(long, value_enum, default_value_t = CallMode::Rpc)]
    call: CallMode,
}

/// What is loaded, run and checked, whatever the server.
#[derive(Args, Debug)]
pub struct Plan {
    #[command(flatten)]
    report: ReportArgs,
    /// Database
    #[arg(long, value_name = "NAME", default_value = "tpcc")]
    database: String,
    /// Warehouses to load
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=999_999))]
    warehouses: u32,
    /// Terminals
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    users: u32,
    /// Measured seconds; 0 loads and checks only
    #[arg(long, value_name = "S", default_value_t = 60)]
    seconds: u64,
    /// Seconds before anything is measured
    #[arg(long, value_name = "S", default_value_t = 10)]
    rampup: u64,
    /// Drop the database if it is there, and load it; the default is to load it when it is not there
    #[arg(long, conflicts_with = "no_load")]
    load: bool,
    /// Never load
    #[arg(long)]
    no_load: bool,
    /// Connections that load
    #[arg(long, value_name = "N", default_value_t = LOADERS)]
    loaders: usize,
    /// Check the consistency conditions of clause 3.3.2 at the end
    #[arg(long)]
    check: bool,
    /// Those conditions only; another loader's database need not hold 10 to 12
    #[arg(long, value_name = "N,…", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=12))]
    conditions: Vec<u32>,
    /// Key and think as the standard has it, deliveries deferred; one terminal then makes some 1.2 new orders a minute
    #[arg(long)]
    think: bool,
    /// Seed of all chance
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Rows of a warehouse: the standard's, but in experiments.
    #[arg(skip = Scale::STANDARD)]
    scale: Scale,
}

impl Plan {
    /// Of an experiment, which says itself what is measured, on a database that is there.
    pub(crate) fn of(users: u32, scale: Scale) -> Plan {
        Plan {
            report: ReportArgs::default(),
            database: String::new(),
            warehouses: 1,
            users,
            seconds: 0,
            rampup: 0,
            load: false,
            no_load: true,
            loaders: LOADERS,
            check: false,
            conditions: Vec::new(),
            think: false,
            seed: 1,
            scale,
        }
    }

    /// The name of the database.
    #[must_use]
    pub fn database(&self) -> &str {
        &self.database
    }
}

/// Runs the workload; `false` when something failed or a condition is broken.
pub(crate) fn run(args: &TpccArgs, starter: &dyn Starter) -> Result<bool, LabError> {
    let host = Host::open(&args.server, starter)?;
    let target = TdsTarget { target: host.target(), database: &args.plan.database, mode: args.call };
    let result = run_on(&target, &host.name(), &args.plan);
    // A server of our own writes everything down, also after a failure.
    let closed = host.close();
    result.and_then(|is_good| closed.map(|()| is_good))
}

/// Loads, measures, prints and checks; `false` when something failed or a condition is broken. `name` is the server's,
/// for the report.
///
/// # Errors
/// What kept it from being run to its end.
pub fn run_on(target: &impl TargetDatabase, name: &str, plan: &Plan) -> Result<bool, LabError> {
    load_if_wanted(target, plan)?;
    let mut is_good = true;
    if plan.seconds > 0 {
        let report = measure(target, name, plan)?;
        report.publish(&plan.report)?;
        is_good &= report.is_clean();
    }
    if plan.check {
        let numbers = if plan.conditions.is_empty() { Vec::from_iter(1..=12) } else { plan.conditions.clone() };
        is_good &= check::check(&mut target.open().doing("login")?, &numbers)?;
    }
    Ok(is_good)
}

fn load_if_wanted(target: &impl TargetDatabase, plan: &Plan) -> Result<(), LabError> {
    if plan.no_load {
        return Ok(());
    }
    if target.exists().doing("whether the database exists")? {
        if !plan.load {
            return Ok(());
        }
        target.drop_database().doing("drop database")?;
    }
    let (warehouses, scale, seed) = (plan.warehouses, plan.scale, plan.seed);
    Load { target, warehouses, scale, connections: plan.loaders, seed }.run()
}

/// Makes the database, which is not there, and fills it.
pub(crate) fn load(target: &impl TargetDatabase, warehouses: u32, scale: Scale) -> Result<(), LabError> {
    Load { target, warehouses, scale, connections: LOADERS, seed: 1 }.run()
}

/// Runs the terminals of a plan for as long as it says; what they came to.
fn measure(target: &impl TargetDatabase, name: &str, plan: &Plan) -> Result<Report, LabError> {
    let warehouses = count_warehouses(target)?;
    let (ramp_up, seconds) = (Duration::from_secs(plan.rampup), Duration::from_secs(plan.seconds));
    let (count, measured) = conduct(target, plan, |window| window.pass(ramp_up, seconds))?;
    Ok(report(name, plan, warehouses, &count, measured))
}

/// Runs the terminals of a plan for as long as `conductor` does, which says when what ends counts; what they came to.
pub(crate) fn conduct<R>(
    target: &impl TargetDatabase,
    plan: &Plan,
    conductor: impl FnOnce(&Window) -> R,
) -> Result<(Count, R), LabError> {
    let warehouses = count_warehouses(target)?;
    let (sender, receiver) = channel();
    let mut workers: Vec<Worker> = Vec::new();
    if plan.think {
        for worker in deliverers(target, plan, receiver)? {
            workers.push(worker);
        }
    }
    for terminal in terminals(target, plan, warehouses, &sender)? {
        workers.push(Box::new(move |window| terminal.run(window)));
    }
    // The deliverers end when the last terminal has.
    drop(sender);
    let (counts, result) = drive(workers, conductor);
    let mut count = Count::new();
    counts.iter().for_each(|other| count.add(other));
    Ok((count, result))
}

fn count_warehouses(target: &impl TargetDatabase) -> Result<u32, LabError> {
    let mut session = target.open().doing("login")?;
    let answer = session.batch("select count(*) from dbo.warehouse").doing("the number of warehouses")?;
    let count = answer.scalar().and_then(Value::as_i64).and_then(|count| u32::try_from(count).ok());
    count.filter(|count| *count > 0).ok_or_else(|| LabError::Answer("there are no warehouses".into()))
}

fn terminals<P: TargetDatabase>(
    target: &P,
    plan: &Plan,
    warehouses: u32,
    queue: &Sender<Deferred>,
) -> Result<Vec<Terminal<P::Session>>, LabError> {
    let skew = Skew::of_run(&mut Chance::new(plan.seed, STREAM_OF_RUN), plan.scale);
    (0..plan.users)
        .map(|index| {
            Ok(Terminal {
                caller: Caller { session: target.open().doing("login of a terminal")? },
                asker: Asker {
                    chance: Chance::new(plan.seed, STREAM_OF_RUN + 1 + u64::from(index)),
                    skew,
                    scale: plan.scale,
                    warehouses,
                    district: index / warehouses % scale::DISTRICTS + 1,
                },
                homes: homes(index, plan.users, warehouses),
                thinks: plan.think,
                deliveries: plan.think.then(|| queue.clone()),
            })
        })
        .collect()
}

/// Warehouses are assigned to the terminals in turn, so that all are used however many terminals there are.
fn homes(terminal: u32, terminals: u32, warehouses: u32) -> Vec<u32> {
    if terminals >= warehouses {
        return vec![terminal % warehouses + 1];
    }
    (terminal + 1..=warehouses).step_by(terminals as usize).collect()
}

type Worker = Box<dyn FnOnce(&Window) -> Count + Send>;

/// Workers that deliver what terminals have queued, until the last terminal has gone.
fn deliverers(target: &impl TargetDatabase, plan: &Plan, queue: Receiver<Deferred>) -> Result<Vec<Worker>, LabError> {
    let queue = Arc::new(Mutex::new(queue));
    (0..(plan.users as usize).div_ceil(TERMINALS_PER_DELIVERER))
        .map(|_| {
            let session = target.open().doing("login of a deliverer")?;
            let (mut caller, queue) = (Caller { session }, Arc::clone(&queue));
            let worker: Worker = Box::new(move |window| {
                let mut count = Count::new();
                let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
                while let Ok(Deferred { queued, parameters }) = next() {
                    caller.count(Kind::Delivery, &parameters, queued, window, &mut count);
                }
                count
            });
            Ok(worker)
        })
        .collect()
}

fn report(name: &str, plan: &Plan, warehouses: u32, count: &Count, measured: Duration) -> Report {
    let kinds = Kind::ALL.into_iter().zip(&count.tallies).map(|(kind, tally)| (kind.name(), tally.clone()));
    let mut report = Report { facts: Vec::new(), measured, kinds: kinds.collect(), failures: count.failures.clone() };
    let orders = &count.tallies[Kind::NewOrder as usize];
    let all = count.tallies.iter().map(|tally| tally.done).sum();
    let (tpm_c, nopm, tpm) = (
        report.per_minute(orders.done).round(),
        report.per_minute(orders.done - orders.rolled_back).round(),
        report.per_minute(all).round(),
    );
    report.fact("workload", "tpcc");
    report.fact("server", name);
    report.fact("warehouses", warehouses);
    report.fact("users", plan.users);
    report.fact("seconds", plan.seconds);
    report.fact("seed", plan.seed);
    // With those that rolled back as they were meant to, as the standard counts; without them, as HammerDB does.
    report.fact("tpmC", tpm_c);
    report.fact("new orders/min", nopm);
    report.fact("transactions/min", tpm);
    report.fact("districts skipped", count.skipped_districts);
    report
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_warehouses_are_somebodys_home() {
        for terminals in 1..=12 {
            for warehouses in 1..=12 {
                let mut all: Vec<u32> =
                    (0..terminals).flat_map(|terminal| homes(terminal, terminals, warehouses)).collect();
                all.sort_unstable();
                all.dedup();
                assert_eq!(all, Vec::from_iter(1..=warehouses), "{terminals} terminals");
            }
        }
    }
}
