//! Fills a new database: tables, rows from many connections at once, indexes, procedures.
//!
//! What always holds: rows of a table come in the order of its key within a job, and no two jobs write the same rows; the
//! same seed makes the same rows, whatever the number of connections.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

use indicatif::ProgressBar;
use millpond_tsql::batch::split_script;

use super::rows::{Maker, new_order};
use super::scale::{DISTRICTS, Scale};
use super::target::{Session, TargetDatabase};
use crate::chance::Chance;
use crate::failure::{Doing, LabError};
use crate::insert::Insert;
use crate::measure::bar;

/// What to load, and how.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Load<'a, P> {
    pub(crate) target: &'a P,
    pub(crate) warehouses: u32,
    pub(crate) scale: Scale,
    pub(crate) connections: usize,
    pub(crate) seed: u64,
}

/// A piece of work that one connection does from its first row to its last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Job {
    Items,
    /// Warehouse, its districts and its stock.
    Stock(u32),
    /// Customers of a district and their history.
    Customers(u32, u32),
    /// Orders of a district, their lines, the new ones.
    Orders(u32, u32),
}

impl Job {
    fn all(warehouses: u32) -> Vec<Self> {
        let mut jobs = vec![Self::Items];
        for warehouse in 1..=warehouses {
            jobs.push(Self::Stock(warehouse));
            jobs.extend((1..=DISTRICTS).map(|district| Self::Customers(warehouse, district)));
            jobs.extend((1..=DISTRICTS).map(|district| Self::Orders(warehouse, district)));
        }
        jobs
    }
}

impl<P: TargetDatabase> Load<'_, P> {
    /// Makes the database and everything in it. The database must not exist.
    pub(crate) fn run(&self) -> Result<(), LabError> {
        let scripts = self.target.scripts();
        self.target.create_database().doing("create database")?;
        let mut session = self.target.open().doing("login")?;
        run_script(&mut session, "the tables", scripts.schema)?;
        self.fill(&now(&mut session, scripts.now)?)?;
        run_script(&mut session, "the indexes", scripts.indexes)?;
        run_script(&mut session, "the procedures", scripts.procedures)
    }

    fn fill(&self, now: &str) -> Result<(), LabError> {
        let jobs = Job::all(self.warehouses);
        let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
        let bar = bar(
            self.scale.rows(self.warehouses),
            "{msg:>10} {wide_bar} {human_pos}/{human_len} rows, {per_sec}, {eta} left",
        )
        .with_message("load");
        let filler = || -> Result<(), LabError> {
            let mut session = self.target.open().doing("login")?;
            while !failed.load(Relaxed) {
                let index = next.fetch_add(1, Relaxed);
                let Some(job) = jobs.get(index) else { break };
                let chance = Chance::new(self.seed, index as u64);
                let mut filler =
                    Filler { session: &mut session, maker: Maker { chance, scale: self.scale, now }, bar: &bar };
                filler.fill(*job).inspect_err(|_| failed.store(true, Relaxed))?;
            }
            Ok(())
        };
        let results: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..self.connections.max(1)).map(|_| scope.spawn(filler)).collect();
            threads.into_iter().map(|thread| thread.join().expect("a loader does not panic")).collect()
        });
        bar.finish_and_clear();
        results.into_iter().collect()
    }
}

/// Runs the batches of a script.
fn run_script(session: &mut impl Session, what: &str, script: &str) -> Result<(), LabError> {
    for batch in split_script(script) {
        session.batch(&batch.text).doing(format!("{what}, batch at line {}", batch.first_line))?;
    }
    Ok(())
}

/// The server's time as a literal, the same for all rows.
fn now(session: &mut impl Session, query: &str) -> Result<String, LabError> {
    let answer = session.batch(query).doing("the server's time")?;
    let text = answer.scalar().and_then(|value| value.as_str()).map(str::to_owned);
    text.ok_or_else(|| LabError::Answer("the server's time is no text".into()))
}

struct Filler<'a, S> {
    session: &'a mut S,
    maker: Maker<'a>,
    bar: &'a ProgressBar,
}

impl<S: Session> Filler<'_, S> {
    fn fill(&mut self, job: Job) -> Result<(), LabError> {
        match job {
            Job::Items => self.each(&mut Insert::into("item"), 1..=self.maker.scale.items, |maker, insert, id| {
                maker.item(insert, id)
            }),
            Job::Stock(warehouse) => self.fill_stock(warehouse),
            Job::Customers(warehouse, district) => self.fill_customers(warehouse, district),
            Job::Orders(warehouse, district) => self.fill_orders(warehouse, district),
        }
    }

    fn fill_stock(&mut self, warehouse: u32) -> Result<(), LabError> {
        let make = |maker: &mut Maker<'_>, insert: &mut Insert, id| maker.warehouse(insert, id);
        self.each(&mut Insert::into("warehouse"), warehouse..=warehouse, make)?;
        let make = |maker: &mut Maker<'_>, insert: &mut Insert, id| maker.district(insert, warehouse, id);
        self.each(&mut Insert::into("district"), 1..=DISTRICTS, make)?;
        let make = |maker: &mut Maker<'_>, insert: &mut Insert, item| maker.stock(insert, warehouse, item);
        self.each(&mut Insert::into("stock"), 1..=self.maker.scale.items, make)
    }

    fn fill_customers(&mut self, warehouse: u32, district: u32) -> Result<(), LabError> {
        let make = |maker: &mut Maker<'_>, insert: &mut Insert, id| maker.customer(insert, warehouse, district, id);
        self.each(&mut Insert::into("customer"), 1..=self.maker.scale.customers, make)?;
        let make = |maker: &mut Maker<'_>, insert: &mut Insert, id| maker.history(insert, warehouse, district, id);
        self.each(&mut Insert::into("history"), 1..=self.maker.scale.customers, make)
    }

    fn fill_orders(&mut self, warehouse: u32, district: u32) -> Result<(), LabError> {
        let [mut orders, mut lines, mut open] = ["orders", "order_line", "new_order"].map(Insert::into);
        let customers = self.maker.customers_by_chance();
        for (id, customer) in (1..).zip(customers) {
            let count = self.maker.order(&mut orders, warehouse, district, id, customer);
            for number in 1..=count {
                self.maker.order_line(&mut lines, warehouse, district, id, number);
            }
            if id >= self.maker.scale.first_new_order() {
                new_order(&mut open, warehouse, district, id);
            }
            for insert in [&mut orders, &mut lines, &mut open] {
                if insert.is_full() {
                    self.send(insert)?;
                }
            }
        }
        [&mut orders, &mut lines, &mut open].into_iter().try_for_each(|insert| self.send(insert))
    }

    fn each(
        &mut self,
        insert: &mut Insert,
        ids: impl Iterator<Item = u32>,
        make: impl Fn(&mut Maker<'_>, &mut Insert, u32),
    ) -> Result<(), LabError> {
        for id in ids {
            make(&mut self.maker, insert, id);
            if insert.is_full() {
                self.send(insert)?;
            }
        }
        self.send(insert)
    }

    fn send(&mut self, insert: &mut Insert) -> Result<(), LabError> {
        if let Some((text, rows)) = insert.take() {
            self.session.insert(&text).doing("rows of the load")?;
            self.bar.inc(rows.into());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_cover_every_district_once() {
        let jobs = Job::all(3);
        assert_eq!(jobs.len(), 1 + 3 * (1 + 10 + 10));
        for warehouse in 1..=3 {
            for district in 1..=DISTRICTS {
                let count = |wanted| jobs.iter().filter(|job| **job == wanted).count();
                assert_eq!(count(Job::Customers(warehouse, district)), 1);
                assert_eq!(count(Job::Orders(warehouse, district)), 1);
            }
        }
    }
}
