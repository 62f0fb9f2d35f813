//! From what a server has counted since its start to samples: what grew in each interval, of each resolution.
//!
//! ```text
//!   once a second   tick ─▶ statement, wait, file … ─▶ end ─▶ sample of 1 s, and now and then of 10 s, 1 min, 5 min
//!   each resolution holds what grew since its last sample; a sample of one is added to the next coarser one
//! ```
//! What always holds: what a sample has no room for is still counted in coarser ones, until these have no room. Memory is bounded
//! by what is counted in five minutes. It does not know where numbers come from.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use crate::category::{Category, category};
use crate::figure::{Figure, Figures};
use crate::ring::TIERS;
use crate::sample::{
    CPU_US, FILE_COUNTERS, FILES_MAX, FileUse, LOGICAL_READS, STATEMENT_COUNTERS, STATEMENTS_MAX, Sample, StatementUse,
    TextId, WAIT_COUNTERS, WAITS_MAX, WaitUse,
};

/// Levels are kept as thousandths.
pub const LEVEL_PARTS: u64 = 1000;
/// Statements that are counted of an interval at most; beyond that those with least processor time are left out.
const COUNTED_MAX: usize = 4096;
const MICROS: u64 = 1_000_000;

/// What a statement is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatementIs {
    /// Its text.
    pub text: Arc<str>,
    /// Hash of its shape.
    pub query_hash: u64,
    /// Name of its database.
    pub database: Arc<str>,
    /// Module that it is in, or 0.
    pub object_id: i32,
}

/// What a file is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileIs {
    /// Name of its database.
    pub database: Arc<str>,
    /// Logical name.
    pub name: Arc<str>,
    /// Where it is.
    pub path: Arc<str>,
}

/// A sample that is to be written.
#[derive(Clone, Debug, PartialEq)]
pub struct Due {
    /// Place of its resolution in [`TIERS`].
    pub tier: usize,
    /// What.
    pub sample: Sample,
    /// Texts that it names.
    pub texts: Vec<Arc<str>>,
}

/// Hash of the shape, database, module.
type Statement = (u64, TextId, i32);

/// What grew since the last sample of a resolution.
#[derive(Debug, Default)]
struct Grown {
    begin_utc_us: i64,
    begin_uptime_us: u64,
    has_ended_one: bool,
    ticks: u64,
    /// Sums of levels over the ticks.
    levels: Figures,
    statements: HashMap<Statement, (StatementIs, [u64; STATEMENT_COUNTERS.len()])>,
    waits: HashMap<&'static str, [u64; WAIT_COUNTERS.len()]>,
    files: HashMap<u64, (FileIs, u64, [u64; FILE_COUNTERS.len()])>,
}

/// What was counted of a statement at the tick before.
#[derive(Debug)]
struct Before {
    tick: u64,
    counters: [u64; STATEMENT_COUNTERS.len()],
}

/// The samples of one run of a server.
#[derive(Debug)]
pub struct Collector {
    run_us: i64,
    ticks: u64,
    tiers: [Grown; TIERS.len()],
    statements: HashMap<(u64, u32), Before>,
    waits: HashMap<&'static str, [u64; WAIT_COUNTERS.len()]>,
    files: HashMap<u64, [u64; FILE_COUNTERS.len()]>,
}

/// What is counted at one point in time.
#[derive(Debug)]
pub struct Tick<'a> {
    collector: &'a mut Collector,
    utc_us: i64,
    uptime_us: u64,
    figures: Figures,
    statements: usize,
}

fn add<const N: usize>(sums: &mut [u64; N], more: &[u64; N]) {
    sums.iter_mut().zip(more).for_each(|(sum, more)| *sum = sum.saturating_add(*more));
}

fn since<const N: usize>(now: &[u64; N], before: &[u64; N]) -> [u64; N] {
    std::array::from_fn(|at| now[at].saturating_sub(before[at]))
}

/// What a file has counted since `before`; one that has counted less is another file.
fn since_file<const N: usize>(now: &[u64; N], before: Option<&[u64; N]>) -> [u64; N] {
    match before {
        Some(before) if now.iter().zip(before).all(|(now, before)| now >= before) => since(now, before),
        _ => *now,
    }
}

impl Collector {
    /// Of a server whose run began then, microseconds of UTC since 1970.
    #[must_use]
    pub fn new(run_us: i64) -> Collector {
        let tiers = std::array::from_fn(|_| Grown { begin_utc_us: run_us, ..Grown::default() });
        let (statements, waits, files) = (HashMap::new(), HashMap::new(), HashMap::new());
        Collector { run_us, ticks: 0, tiers, statements, waits, files }
    }

    /// Begins to count at a point in time: microseconds of UTC since 1970, and since the run began; `figures`: totals since then, and
    /// levels.
    pub fn tick(&mut self, utc_us: i64, uptime_us: u64, figures: Figures) -> Tick<'_> {
        self.ticks += 1;
        Tick { collector: self, utc_us, uptime_us, figures, statements: 0 }
    }
}

impl Tick<'_> {
    /// What has been counted of a statement since it was first seen; what it is, is asked only where that has grown.
    pub fn statement(
        &mut self,
        place: (u64, u32),
        counters: [u64; STATEMENT_COUNTERS.len()],
        is: impl FnOnce() -> StatementIs,
    ) {
        self.statements += 1;
        let tick = self.collector.ticks;
        let grown = match self.collector.statements.entry(place) {
            Entry::Vacant(entry) => {
                entry.insert(Before { tick, counters });
                counters
            }
            Entry::Occupied(mut entry) => {
                let before = entry.get_mut();
                before.tick = tick;
                let executions = counters[0];
                if before.counters[0] == executions {
                    return;
                }
                // Fewer executions: it was forgotten in between, and is counted anew.
                let is_new = executions < before.counters[0];
                let grown = if is_new { counters } else { since(&counters, &before.counters) };
                before.counters = counters;
                grown
            }
        };
        if grown[0] == 0 {
            return;
        }
        let is = is();
        let key = (is.query_hash, TextId::of(&is.database), is.object_id);
        let sums = &mut self.collector.tiers[0].statements.entry(key).or_insert((is, [0; _])).1;
        add(sums, &grown);
    }

    /// What has been counted of a type of waits since the start. What idle threads wait for is passed over.
    pub fn wait(&mut self, name: &'static str, counters: [u64; WAIT_COUNTERS.len()]) {
        let before = self.collector.waits.entry(name).or_default();
        if *before == counters {
            return;
        }
        // Less: the counters were cleared.
        let grown = since(&counters, before);
        *before = counters;
        if category(name) != Category::Idle {
            add(self.collector.tiers[0].waits.entry(name).or_default(), &grown);
        }
    }

    /// What has been counted of a file since it was opened; `key` is its own.
    pub fn file(
        &mut self,
        key: u64,
        size_bytes: u64,
        counters: [u64; FILE_COUNTERS.len()],
        is: impl FnOnce() -> FileIs,
    ) {
        let grown = since_file(&counters, self.collector.files.get(&key));
        if grown == [0; FILE_COUNTERS.len()] {
            return;
        }
        self.collector.files.insert(key, counters);
        let of = self.collector.tiers[0].files.entry(key).or_insert_with(|| (is(), 0, [0; _]));
        of.1 = size_bytes;
        add(&mut of.2, &grown);
    }

    /// Ends it: the samples that are due, finest first. `is_last`: the server closes, so all that was counted is due.
    #[must_use]
    pub fn end(self, is_last: bool) -> Vec<Due> {
        let Tick { collector, utc_us, uptime_us, figures, statements } = self;
        let tick = collector.ticks;
        if collector.statements.len() > statements * 2 + 64 {
            collector.statements.retain(|_, before| before.tick == tick);
        }
        let mut grown = std::mem::take(&mut collector.tiers[0]);
        grown.ticks = 1;
        for level in Figure::ALL.iter().filter(|figure| !figure.is_total()) {
            grown.levels.set(*level, figures.get(*level).saturating_mul(LEVEL_PARTS));
        }
        let mut due = Vec::new();
        for (tier, of) in TIERS.iter().enumerate() {
            let step_us = (of.step_s * MICROS).cast_signed();
            let is_due = tier == 0 || is_last || utc_us.div_euclid(step_us) != grown.begin_utc_us.div_euclid(step_us);
            if !is_due {
                collector.tiers[tier] = grown;
                break;
            }
            due.push(grown.due(tier, collector.run_us, (utc_us, uptime_us), &figures, is_last));
            collector.tiers[tier] =
                Grown { begin_utc_us: utc_us, begin_uptime_us: uptime_us, has_ended_one: true, ..Grown::default() };
            if let Some(coarser) = collector.tiers.get_mut(tier + 1) {
                coarser.take(grown);
                grown = std::mem::take(coarser);
            } else {
                break;
            }
        }
        due
    }
}

impl Grown {
    /// Adds what grew in an interval after what is there.
    fn take(&mut self, finer: Grown) {
        self.ticks += finer.ticks;
        for level in Figure::ALL {
            self.levels.add(*level, finer.levels.get(*level));
        }
        for (key, (is, counters)) in finer.statements {
            add(&mut self.statements.entry(key).or_insert((is, [0; _])).1, &counters);
        }
        for (name, counters) in finer.waits {
            add(self.waits.entry(name).or_default(), &counters);
        }
        for (key, (is, size_bytes, counters)) in finer.files {
            let of = self.files.entry(key).or_insert((is, 0, [0; _]));
            of.1 = size_bytes;
            add(&mut of.2, &counters);
        }
        if self.statements.len() > COUNTED_MAX {
            let mut times: Vec<u64> = self.statements.values().map(|(_, counters)| counters[CPU_US]).collect();
            times.sort_unstable();
            let least = times[times.len() / 2];
            self.statements.retain(|_, (_, counters)| counters[CPU_US] > least);
        }
    }

    fn due(&self, tier: usize, run_us: i64, (utc_us, uptime_us): (i64, u64), now: &Figures, is_last: bool) -> Due {
        let mut figures = *now;
        for level in Figure::ALL.iter().filter(|figure| !figure.is_total()) {
            figures.set(*level, self.levels.get(*level) / self.ticks.max(1));
        }
        let mut texts = Vec::new();
        let mut text = |text: &Arc<str>| {
            texts.push(Arc::clone(text));
            TextId::of(text)
        };
        let statements = self.top_statements().into_iter().map(|(is, counters)| StatementUse {
            text: text(&is.text),
            query_hash: is.query_hash,
            database: text(&is.database),
            object_id: is.object_id,
            counters: *counters,
        });
        let statements = statements.collect();
        let mut waits: Vec<_> = self.waits.iter().filter(|(_, counters)| counters[1] > 0).collect();
        waits.sort_unstable_by_key(|(name, counters)| (std::cmp::Reverse(counters[1]), **name));
        waits.truncate(WAITS_MAX);
        let waits = waits
            .into_iter()
            .map(|(name, counters)| WaitUse { wait_type: text(&Arc::from(*name)), counters: *counters });
        let waits = waits.collect();
        let mut files: Vec<_> = self.files.iter().collect();
        files.sort_unstable_by_key(|(key, (_, _, counters))| {
            (std::cmp::Reverse(counters[1].saturating_add(counters[4])), **key)
        });
        files.truncate(FILES_MAX);
        let files = files.into_iter().map(|(_, (is, size_bytes, counters))| FileUse {
            database: text(&is.database),
            name: text(&is.name),
            path: text(&is.path),
            size_bytes: *size_bytes,
            counters: *counters,
        });
        let files = files.collect();
        let sample = Sample {
            run_us,
            end_us: utc_us,
            uptime_us,
            span_us: uptime_us.saturating_sub(self.begin_uptime_us),
            is_first: !self.has_ended_one,
            is_last,
            figures,
            statements,
            waits,
            files,
        };
        Due { tier, sample, texts }
    }

    /// Half of the room for those with most processor time, the rest for those that read most.
    fn top_statements(&self) -> Vec<&(StatementIs, [u64; STATEMENT_COUNTERS.len()])> {
        let mut all: Vec<_> = self.statements.iter().collect();
        let by = |measure: usize| {
            move |a: &(&Statement, &(StatementIs, [u64; 8])), b: &(&Statement, &(StatementIs, [u64; 8]))| {
                b.1.1[measure].cmp(&a.1.1[measure]).then(a.0.cmp(b.0))
            }
        };
        all.sort_unstable_by(by(CPU_US));
        let rest_at = all.len().min(STATEMENTS_MAX / 2);
        all[rest_at..].sort_unstable_by(by(LOGICAL_READS));
        all.into_iter().take(STATEMENTS_MAX).map(|(_, of)| of).collect()
    }
}

#[cfg(test)]
mod tests;
