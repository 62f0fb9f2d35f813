//! A terminal: draws a card, asks the server, counts the answer, until the run is over.
//!
//! ```text
//!   card ─▶ parameters ─▶ call ─▶ done │ rolled back as meant │ 1205 or 3960: again │ failed: counted, go on
//! ```
//!
//! What always holds: latency runs from the first try to the whole answer; what ends outside of the measured time is not
//! counted, failures are counted always.

use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use millpond_tds::rpc::RpcParameter;
use millpond_types::Value;

use super::target::Session;
use super::transaction::{Asker, Deck, Kind};
use crate::link::Answer;
use crate::measure::{Failures, Tally, Window};

/// A transaction that loses so often has failed.
const TRIES_MAX: u32 = 100;
/// Failures in a row after which a terminal gives up: the rest would be the same.
const FAILURES_IN_A_ROW_MAX: u32 = 20;
/// How often a terminal that thinks looks whether the run is over.
const TICK: Duration = Duration::from_millis(50);

/// What a terminal counted.
#[derive(Clone, Debug)]
pub(crate) struct Count {
    /// In the order of [`Kind::ALL`].
    pub(crate) tallies: [Tally; 5],
    pub(crate) failures: Failures,
    /// Districts that a delivery found without new orders.
    pub(crate) skipped_districts: u64,
}

impl Count {
    pub(crate) fn new() -> Self {
        Self { tallies: std::array::from_fn(|_| Tally::new()), failures: Failures::default(), skipped_districts: 0 }
    }

    pub(crate) fn add(&mut self, other: &Self) {
        for (mine, other) in self.tallies.iter_mut().zip(&other.tallies) {
            mine.add(other);
        }
        self.failures.add(&other.failures);
        self.skipped_districts += other.skipped_districts;
    }
}

/// A delivery that a terminal has asked for and does not wait for.
#[derive(Debug)]
pub(crate) struct Deferred {
    pub(crate) queued: Instant,
    pub(crate) parameters: Vec<RpcParameter>,
}

/// The session that transactions are asked of.
pub(crate) struct Caller<S> {
    pub(crate) session: S,
}

impl<S: Session> Caller<S> {
    /// Calls until it succeeds, fails for good, or has lost too often; counts all of it. `false`: it failed.
    pub(crate) fn count(
        &mut self,
        kind: Kind,
        parameters: &[RpcParameter],
        started: Instant,
        window: &Window,
        count: &mut Count,
    ) -> bool {
        let mut retries = 0;
        let result = loop {
            match self.session.call(kind, parameters) {
                Err(error) if error.is_retryable() && retries < TRIES_MAX => retries += 1,
                other => break other,
            }
        };
        let tally = &mut count.tallies[kind as usize];
        match result {
            Ok(answer) if window.is_measured() => {
                tally.count(started.elapsed());
                tally.retries += u64::from(retries);
                tally.rolled_back += u64::from(kind == Kind::NewOrder && answer.status == Some(1));
                count.skipped_districts += if kind == Kind::Delivery { skipped(&answer) } else { 0 };
                true
            }
            Ok(_) => true,
            Err(error) => {
                tally.failed += 1;
                count.failures.note(&error);
                false
            }
        }
    }
}

/// Districts without a new order: their rows have no order.
fn skipped(answer: &Answer) -> u64 {
    let rows = answer.tables.iter().flat_map(|table| &table.rows);
    rows.filter(|row| row.get(1).is_some_and(Value::is_null)).count() as u64
}

/// A terminal.
pub(crate) struct Terminal<S> {
    pub(crate) caller: Caller<S>,
    pub(crate) asker: Asker,
    /// Its warehouses: one by the standard, more when there are fewer terminals than warehouses.
    pub(crate) homes: Vec<u32>,
    /// Keying and thinking as the standard has it.
    pub(crate) thinks: bool,
    /// Takes deliveries; without it the terminal waits for them.
    pub(crate) deliveries: Option<Sender<Deferred>>,
}

impl<S: Session> Terminal<S> {
    pub(crate) fn run(mut self, window: &Window) -> Count {
        let mut count = Count::new();
        let mut deck = Deck::default();
        let mut failures_in_a_row = 0;
        while !window.is_over() && failures_in_a_row < FAILURES_IN_A_ROW_MAX {
            let kind = deck.draw(&mut self.asker.chance);
            self.pause(keying(kind), window);
            if self.thinks && window.is_over() {
                break;
            }
            let is_done = self.transact(kind, window, &mut count);
            failures_in_a_row = if is_done { 0 } else { failures_in_a_row + 1 };
            let think = thinking(kind, self.asker.chance.unit());
            self.pause(think, window);
        }
        count
    }

    fn transact(&mut self, kind: Kind, window: &Window, count: &mut Count) -> bool {
        let last = u32::try_from(self.homes.len() - 1).expect("few warehouses");
        let home = self.homes[self.asker.chance.between(0, last) as usize];
        let parameters = self.asker.ask(kind, home);
        match (&self.deliveries, kind) {
            (Some(queue), Kind::Delivery) => queue.send(Deferred { queued: Instant::now(), parameters }).is_ok(),
            _ => self.caller.count(kind, &parameters, Instant::now(), window, count),
        }
    }

    fn pause(&self, long: Duration, window: &Window) {
        let until = Instant::now() + long;
        while self.thinks && !window.is_over() && Instant::now() < until {
            std::thread::sleep(TICK.min(until.saturating_duration_since(Instant::now())));
        }
    }
}

/// Clause 5.2.5.7: seconds at the keyboard.
fn keying(kind: Kind) -> Duration {
    Duration::from_secs(match kind {
        Kind::NewOrder => 18,
        Kind::Payment => 3,
        Kind::OrderStatus | Kind::Delivery | Kind::StockLevel => 2,
    })
}

/// Clause 5.2.5.4: negative exponential around a mean, cut at ten times the mean; `drawn` is in [0, 1).
fn thinking(kind: Kind, drawn: f64) -> Duration {
    let mean_s = match kind {
        Kind::NewOrder | Kind::Payment => 12.0,
        Kind::OrderStatus => 10.0,
        Kind::Delivery | Kind::StockLevel => 5.0,
    };
    Duration::from_secs_f64((-(1.0 - drawn).ln()).min(10.0) * mean_s)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::{DEADLOCK, SNAPSHOT_CONFLICT, Table};
    use crate::measure::drive;
    use crate::parameter::{int, tinyint};
    use crate::scripted::{Reply, done, serve};
    use crate::tpcc::over_tds::{CallMode, TdsTarget};
    use crate::tpcc::target::TargetDatabase;

    /// Calls Delivery so often against a scripted server, in the measured time; the count and what the server was asked.
    fn deliver(script: Vec<Reply>, mode: CallMode, times: usize) -> (Count, Vec<String>) {
        let (target, server) = serve(script);
        let mut caller = Caller { session: TdsTarget { target: &target, database: "", mode }.open().unwrap() };
        let worker = |window: &Window| {
            while !window.is_measured() {
                std::thread::yield_now();
            }
            let mut count = Count::new();
            let parameters = [int("@w_id", 1), tinyint("@carrier_id", 2)];
            for _ in 0..times {
                caller.count(Kind::Delivery, &parameters, Instant::now(), window, &mut count);
            }
            drop(caller);
            count
        };
        let (mut counts, _) = drive(vec![worker], |window| window.pass(Duration::ZERO, Duration::from_secs(1000)));
        (counts.remove(0), server.join().unwrap())
    }

    #[test]
    fn a_deadlock_is_tried_again_and_counted_once() {
        let script = vec![Reply::Error(DEADLOCK), Reply::Error(SNAPSHOT_CONFLICT), done()];
        let (count, asked) = deliver(script, CallMode::Rpc, 1);
        let tally = &count.tallies[Kind::Delivery as usize];
        assert_eq!((tally.done, tally.retries, tally.failed), (1, 2, 0));
        assert!(count.failures.is_empty());
        assert_eq!(asked, vec!["dbo.tpcc_delivery 1 2"; 3]);
    }

    #[test]
    fn other_errors_are_failures() {
        let (count, asked) = deliver(vec![Reply::Error(8134), done()], CallMode::Rpc, 2);
        let tally = &count.tallies[Kind::Delivery as usize];
        assert_eq!((tally.done, tally.failed, asked.len()), (1, 1, 2));
        assert!(count.failures.each().next().unwrap().1.starts_with("Msg 8134"));
    }

    #[test]
    fn prepared_calls_return_the_status_as_a_parameter() {
        let district = |order| vec![Some(1), order];
        let script = vec![
            Reply::Rows(vec![district(Some(2101)), district(None)], 0, vec![5, 0]),
            Reply::Rows(vec![district(None)], 0, vec![0]),
        ];
        let (count, asked) = deliver(script, CallMode::Prepared, 2);
        assert_eq!((count.tallies[Kind::Delivery as usize].done, count.skipped_districts), (2, 2));
        assert!(asked[0].starts_with("sp_prepexec null @status int output,@w_id int,@carrier_id tinyint exec @status"));
        assert_eq!(asked[1], "sp_execute 5 null 1 2");
    }

    #[test]
    fn districts_without_orders_are_counted() {
        let row = |district: u8, order| vec![Value::TinyInt(district), order];
        let table = |rows| Table { rows, ..Table::default() };
        let tables = vec![table(vec![row(1, Value::Int(2101))]), table(vec![row(2, Value::Null)])];
        assert_eq!(skipped(&Answer { tables, ..Answer::default() }), 1);
    }

    #[test]
    fn thinking_has_its_mean_and_its_end() {
        let mean =
            (0..10_000).map(|n| thinking(Kind::Payment, f64::from(n) / 10_000.0).as_secs_f64()).sum::<f64>() / 1e4;
        assert!((11.9..12.1).contains(&mean), "{mean}");
        assert_eq!(thinking(Kind::StockLevel, 0.999_999_999), Duration::from_secs(50));
    }
}
