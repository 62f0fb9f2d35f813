//! An emulated disk behind a controller's cache under readers and a writer, without a server, a thread or a clock.
//!
//! ```text
//!   reader ── a page ──▶ cache ──▶ disk ─▶ done: the next page, and a share of a page is to be written
//!   writer ── so many pages in order of place, neighbours together ─▶ all done: the next ones
//! ```
//!
//! What always holds: time goes from event to event, so that a load takes as long as the disk would and gives the same figures
//! on every machine. Readers wait while twice as many pages are to be written as the writer has on their way: as a server
//! without clean buffers waits.

use millpond_device::chance::Dice;
use millpond_device::emulator::cache::{Cache, CacheReport, LINE_BYTES};
use millpond_device::emulator::disk::{Disk, DiskParameters};
use millpond_device::emulator::station::{Direction, Progress, Request, Station, Ticket};
use millpond_device::{CacheProfile, DeviceProfile, ModelKind};
use millpond_lab::{DiskLoad, DiskWork};

/// A request that is under way.
struct Open {
    ticket: Ticket,
    begun_ns: u64,
    /// Nothing happens to it before.
    not_before_ns: u64,
    /// The batch of a write; `None` of a read.
    batch: Option<usize>,
}

struct Bench<'a> {
    load: &'a DiskLoad,
    disk: Disk,
    cache: Cache,
    dice: Dice,
    now_ns: u64,
    open: Vec<Open>,
    /// Requests of each batch that are not done.
    batches: Vec<usize>,
    idle_readers: usize,
    /// Pages that are to be written, with the share of one that is left over.
    dirty_pages: f64,
    counts: Counts,
}

#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    reads: u64,
    read_ns: u64,
    writes: u64,
    write_ns: u64,
}

/// Runs the load.
pub fn run(load: &DiskLoad) -> Result<DiskWork, String> {
    if load.data_mb == 0 || load.data_mb > load.capacity_mb {
        return Err(format!("{} MB of data do not lie on a disk of {} MB", load.data_mb, load.capacity_mb));
    }
    let is_something = load.readers > 0 && load.batch_pages > 0 && load.batches > 0 && load.run_pages > 0;
    if !is_something || load.run_pages > load.batch_pages || load.read_percent > 100 {
        return Err("readers, batches, runs and their pages are at least one, and shares at most 100 %".into());
    }
    let cache = CacheProfile { read_percent: load.read_percent, battery: true, ..CacheProfile::of_mb(load.cache_mb) };
    let bench = Bench {
        load,
        disk: Disk::new(DiskParameters::of(&DeviceProfile::of(ModelKind::Disk10kSas))),
        cache: Cache::new(&cache),
        dice: Dice::new(load.seed),
        now_ns: 0,
        open: Vec::new(),
        batches: vec![0; load.batches],
        idle_readers: load.readers,
        dirty_pages: 0.0,
        counts: Counts::default(),
    };
    Ok(bench.run())
}

impl Bench<'_> {
    fn run(mut self) -> DiskWork {
        self.until(self.load.warm_reads);
        let before = (self.now_ns, self.counts, self.cache.report(), self.worked_ns());
        self.until(self.load.warm_reads + self.load.reads);
        self.work(before)
    }

    fn span_bytes(&self) -> u64 {
        self.load.capacity_mb << 20
    }

    fn worked_ns(&self) -> [u64; 2] {
        self.disk.worked_ns().unwrap_or_default()
    }

    /// Goes from event to event until so many reads are done.
    fn until(&mut self, reads: u64) {
        while self.counts.reads < reads {
            self.begin_reads();
            self.begin_writes();
            self.step();
        }
    }

    /// A page of the data that has its neighbours in the data.
    fn page(&mut self) -> u64 {
        let pages = (self.load.data_mb << 20) / LINE_BYTES;
        self.dice.roll() % (pages - self.load.run_pages as u64 + 1)
    }

    fn submit(&mut self, direction: Direction, first: u64, pages: u64, batch: Option<usize>) {
        let request = Request { direction, offset_bytes: first * LINE_BYTES, bytes: pages * LINE_BYTES };
        let span_bytes = self.span_bytes();
        let ticket = self.cache.submit(self.now_ns, request, &mut self.disk, span_bytes);
        self.open.push(Open { ticket, begun_ns: self.now_ns, not_before_ns: self.now_ns, batch });
    }

    fn begin_reads(&mut self) {
        let dirty_max = 2.0 * (self.load.batch_pages * self.load.batches) as f64;
        while self.idle_readers > 0 && self.dirty_pages < dirty_max {
            self.idle_readers -= 1;
            let page = self.page();
            self.submit(Direction::Read, page, 1, None);
        }
    }

    fn begin_writes(&mut self) {
        let pages = self.load.batch_pages;
        while self.dirty_pages >= pages as f64
            && let Some(batch) = self.batches.iter().position(|open| *open == 0)
        {
            self.dirty_pages -= pages as f64;
            let run = self.load.run_pages.min(pages) as u64;
            let firsts: Vec<u64> = (0..pages as u64 / run).map(|_| self.page()).collect();
            let mut wanted: Vec<u64> = firsts.iter().flat_map(|first| *first..first + run).collect();
            wanted.sort_unstable();
            wanted.dedup();
            for run in wanted.chunk_by(|page, next| *next == page + 1) {
                self.batches[batch] += 1;
                self.submit(Direction::Write, run[0], run.len() as u64, Some(batch));
            }
        }
    }

    /// To the next time at which something may be done, and takes in what is.
    fn step(&mut self) {
        let (mut next_ns, span_bytes) = (u64::MAX, self.span_bytes());
        let mut number = 0;
        let mut is_any = false;
        while let Some(open) = self.open.get_mut(number) {
            if open.not_before_ns > self.now_ns {
                next_ns = next_ns.min(open.not_before_ns);
                number += 1;
                continue;
            }
            match self.cache.poll(open.ticket, self.now_ns, &mut self.disk, span_bytes) {
                Progress::Done { at_ns } => {
                    let open = self.open.swap_remove(number);
                    self.done(&open, at_ns);
                    is_any = true;
                }
                Progress::NotBefore { at_ns } => {
                    open.not_before_ns = at_ns;
                    next_ns = next_ns.min(at_ns);
                    number += 1;
                }
            }
        }
        if !is_any {
            self.now_ns = next_ns.max(self.now_ns + 1);
        }
    }

    fn done(&mut self, open: &Open, at_ns: u64) {
        let took_ns = at_ns.saturating_sub(open.begun_ns);
        match open.batch {
            None => {
                self.counts.reads += 1;
                self.counts.read_ns += took_ns;
                self.idle_readers += 1;
                self.dirty_pages += self.load.writes_per_read;
            }
            Some(batch) => {
                self.counts.writes += 1;
                self.counts.write_ns += took_ns;
                self.batches[batch] -= 1;
            }
        }
    }

    fn work(&self, (begun_ns, counts, cache, worked_ns): (u64, Counts, CacheReport, [u64; 2])) -> DiskWork {
        let now = self.cache.report();
        let seconds = |ns: u64| ns as f64 / 1e9;
        let worked = self.worked_ns();
        let [reads, writes] = [self.counts.reads - counts.reads, self.counts.writes - counts.writes].map(|n| n as f64);
        let [read_ns, write_ns] = [self.counts.read_ns - counts.read_ns, self.counts.write_ns - counts.write_ns];
        let destaged = (now.destaged_bytes - cache.destaged_bytes) as f64 / LINE_BYTES as f64;
        // What is not held comes through, each request with its pages: as many as are not destaged.
        let through = (now.writes_through - cache.writes_through) as f64;
        let pages_of_request = self.load.writes_per_read * reads / writes.max(1.0);
        DiskWork {
            seconds: seconds(self.now_ns - begun_ns),
            reads,
            read_ms: read_ns as f64 / 1e6 / reads.max(1.0),
            writes,
            write_ms: write_ns as f64 / 1e6 / writes.max(1.0),
            arm_read_s: seconds(worked[0] - worked_ns[0]),
            arm_write_s: seconds(worked[1] - worked_ns[1]),
            hits: (now.read_hits - cache.read_hits) as f64,
            pages_written: destaged + through * pages_of_request.max(1.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(read_percent: u32, batch_pages: usize, batches: usize) -> DiskLoad {
        DiskLoad {
            capacity_mb: 1152,
            data_mb: 144,
            cache_mb: 8,
            read_percent,
            readers: 20,
            writes_per_read: 1.0,
            batch_pages,
            run_pages: 1,
            batches,
            warm_reads: 1500,
            reads: 1500,
            seed: 7,
        }
    }

    #[test]
    fn as_many_pages_are_written_as_were_wanted() {
        for read_percent in [100, 0] {
            let work = run(&load(read_percent, 1, 8)).unwrap();
            assert!((1500.0..1521.0).contains(&work.reads), "{work:?}");
            // Pages that are held and changed again are written once.
            assert!((1300.0..1700.0).contains(&work.pages_written), "{work:?}");
            let busy = (work.arm_read_s + work.arm_write_s) / work.seconds;
            assert!((0.9..1.02).contains(&busy), "the arm has always something to do: {busy}");
        }
    }

    #[test]
    fn the_same_load_has_the_same_figures() {
        assert_eq!(run(&load(25, 64, 1)), run(&load(25, 64, 1)));
        assert_ne!(run(&load(25, 64, 1)), run(&DiskLoad { seed: 8, ..load(25, 64, 1) }));
    }

    /// What comes from a cache, in order of place, costs the arm less, and so do neighbours: one way for several pages.
    #[test]
    fn a_page_is_dearest_alone_and_without_a_cache() {
        let page_ms = |read_percent, pages, run_pages| {
            let work = run(&DiskLoad { run_pages, ..load(read_percent, pages, 4) }).unwrap();
            1e3 * work.arm_write_s / work.pages_written
        };
        let (single, neighbours, cached) = (page_ms(100, 8, 1), page_ms(100, 8, 4), page_ms(0, 8, 1));
        assert!(neighbours < 0.5 * single && cached < 0.8 * single, "{single} {neighbours} {cached}");
    }

    #[test]
    fn a_load_that_makes_no_sense_is_refused() {
        assert!(run(&DiskLoad { data_mb: 2000, ..load(0, 1, 1) }).unwrap_err().contains("2000 MB of data"));
        assert!(run(&DiskLoad { run_pages: 2, ..load(0, 1, 1) }).is_err());
        assert!(run(&DiskLoad { readers: 0, ..load(0, 1, 1) }).is_err());
    }
}
