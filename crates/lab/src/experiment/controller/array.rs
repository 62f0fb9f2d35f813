//! The data disk alone, without a server: is it the disk or what is asked of it that decides what a cache for writes gains?
//!
//! ```text
//!   readers     a page by chance each, one after another              writer   so many pages for each that was read
//!   single      100 readers; each page is written by itself, 32 are on their way
//!   batches     100 readers; 256 pages at a time in order of place: as checkpoints and a lazy writer that is behind write
//!   neighbours  20 readers; 16 pages at a time, two side by side: as many requests, as large, as our server's run has
//! ```
//!
//! What always holds: sizes are the article's (a disk of 72 GB, 9 GB of data, 512 MB of cache) or, at quick scale, all a sixteenth of them; the time is the disk's own, so that a repetition differs by the pages that were chosen alone.

use crate::experiment::ExperimentContext;
use crate::experiment::case::{Case, Repetition};
use crate::failure::LabError;
use crate::host::{DiskLoad, DiskWork};

/// How pages are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Writes {
    Single,
    Batches,
    Neighbours,
}

impl Writes {
    const ALL: [Writes; 3] = [Writes::Single, Writes::Batches, Writes::Neighbours];

    pub(super) fn name(self) -> &'static str {
        match self {
            Writes::Single => "single pages",
            Writes::Batches => "batches",
            Writes::Neighbours => "neighbours",
        }
    }
}

/// Shares of the cache for reads: the article's three.
pub(super) const READ_PERCENTS: [u32; 3] = [100, 25, 0];
/// Pages written for each read: what the server's own run has, about, and one for each, when all that leaves memory was changed.
pub(super) const RATIOS: [f64; 2] = [0.6, 1.0];
/// How many cases there are.
pub(super) const CASES: usize = Writes::ALL.len() * READ_PERCENTS.len() * RATIOS.len();

/// One of them, with what came of it.
pub(super) struct Array {
    writes: Writes,
    ratio: f64,
    read_percent: u32,
    work: DiskWork,
}

pub(super) fn case_name(writes: Writes, ratio: f64, read_percent: u32) -> String {
    format!("disk alone, {}, {ratio} writes a read, {read_percent}/{}", writes.name(), 100 - read_percent)
}

fn load(context: &ExperimentContext<'_>, writes: Writes, ratio: f64, read_percent: u32) -> DiskLoad {
    let share = context.scale.pick(512, 16, 1);
    let (readers, batch_pages, run_pages, batches) = match writes {
        Writes::Single => (100, 1, 1, 32),
        Writes::Batches => (100, 256, 1, 1),
        Writes::Neighbours => (20, 16, 2, 1),
    };
    let cache_mb = 512 / share;
    // The cache is full before anything counts: for reads after as many reads as it has pages, for writes when so many came.
    let pages = cache_mb * 128;
    DiskLoad {
        capacity_mb: 72 * 1024 / share,
        data_mb: 9 * 1024 / share,
        cache_mb,
        read_percent,
        readers,
        writes_per_read: ratio,
        batch_pages,
        run_pages,
        batches,
        warm_reads: (1.3 * pages as f64 / ratio) as u64,
        reads: context.scale.pick(500, 6_000, 60_000),
        seed: context.seed,
    }
}

pub(super) fn measure(context: &ExperimentContext<'_>) -> Result<Vec<Array>, LabError> {
    let mut arrays = Vec::new();
    for writes in Writes::ALL {
        for ratio in RATIOS {
            for read_percent in READ_PERCENTS {
                let load = load(context, writes, ratio, read_percent);
                let name = case_name(writes, ratio, read_percent);
                let work = context.case(&name, || context.starter.disk(&load).map_err(LabError::Arguments))?;
                arrays.push(Array { writes, ratio, read_percent, work });
            }
        }
    }
    Ok(arrays)
}

/// Adds cases and ratios to a repetition.
pub(super) fn add(arrays: &[Array], repetition: &mut Repetition) {
    repetition.cases.extend(arrays.iter().map(case));
    for (effect, writes, ratio) in EFFECTS {
        let rate = |percent| {
            let is_it = |array: &&Array| (array.writes, array.ratio, array.read_percent) == (writes, ratio, percent);
            arrays.iter().find(is_it).map_or(f64::NAN, |array| array.work.reads / array.work.seconds)
        };
        repetition.effects.push((effect, rate(0) / rate(100)));
    }
}

/// What all of the cache for writes gains, by how and how much is written.
pub(super) const EFFECTS: [(&str, Writes, f64); 6] = [
    ("disk_single_0_6", Writes::Single, RATIOS[0]),
    ("disk_single_1", Writes::Single, RATIOS[1]),
    ("disk_batches_0_6", Writes::Batches, RATIOS[0]),
    ("disk_batches_1", Writes::Batches, RATIOS[1]),
    ("disk_neighbours_0_6", Writes::Neighbours, RATIOS[0]),
    ("disk_neighbours_1", Writes::Neighbours, RATIOS[1]),
];

fn case(array: &Array) -> Case {
    let DiskWork { seconds, reads, read_ms, writes, write_ms, arm_read_s, arm_write_s, hits, pages_written } =
        array.work;
    let misses = (reads - hits).max(1.0);
    Case::new(case_name(array.writes, array.ratio, array.read_percent))
        .with("seconds", seconds)
        .with("data_reads", reads)
        .with("data_ms_per_read", read_ms)
        .with("data_writes", writes)
        .with("data_ms_per_write", write_ms)
        .with("arm_busy_with_reads_percent", 100.0 * arm_read_s / seconds)
        .with("arm_busy_with_writes_percent", 100.0 * arm_write_s / seconds)
        .with("cache_read_hits_percent", 100.0 * hits / reads.max(1.0))
        .with("reads_per_second", reads / seconds)
        .with("arm_ms_per_read", 1e3 * arm_read_s / misses)
        .with("arm_ms_per_page_written", 1e3 * arm_write_s / pages_written.max(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn array(writes: Writes, read_percent: u32, seconds: f64) -> Array {
        let work = DiskWork {
            seconds,
            reads: 1000.0,
            hits: 200.0,
            arm_read_s: 1.6,
            pages_written: 600.0,
            arm_write_s: 0.3,
            ..DiskWork::default()
        };
        Array { writes, ratio: 0.6, read_percent, work }
    }

    #[test]
    fn a_case_has_what_a_read_and_a_page_cost_the_arm() {
        let mut repetition = Repetition::default();
        add(&[array(Writes::Single, 100, 4.0), array(Writes::Single, 0, 2.0)], &mut repetition);
        assert_eq!(repetition.effects[0], ("disk_single_0_6", 2.0));
        assert!(repetition.effects[1].1.is_nan(), "what was not measured has no ratio");
        let said = format!("{:?}", repetition.cases[0]);
        assert!(said.contains(r#"("arm_ms_per_read", Number(2.0))"#), "{said}");
        assert!(said.contains(r#"("arm_ms_per_page_written", Number(0.5))"#), "{said}");
        assert!(said.contains(r#"("cache_read_hits_percent", Number(20.0))"#), "{said}");
    }
}
