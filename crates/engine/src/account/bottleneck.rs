//! What a statement's time went into, and its bottleneck: what to buy, or to change, to make it faster. SQL shows it as
//! `Verdict` and `last_verdict`.
//!
//! The rule:
//! - V1: time is counted per thread. A second in which one thread computed and another waited for tempdb is a second of
//!   each, because either would have used a faster one. So the parts of a parallel plan may be more than its elapsed time.
//! - V2: the largest part is the bottleneck: CPU, tempdb (reads and writes of its files by the statement's threads, and
//!   waits for frames for its pages), memory (a grant in the queue of RESOURCE_SEMAPHORE, frames for other pages), disk
//!   (reads and writes of other databases' files). What is larger gains more from the same factor. A tie is CPU's.
//! - V3: where all of them are less than half of the elapsed time, the statement waited for something else: a lock, a
//!   log, its client, or other threads on its processors. Nothing of what V2 names would have helped it.
//!
//! Spilled rows that stay in the buffer pool cost processor time and are CPU's: a faster tempdb would not help.

/// Where a statement's time went, microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// From its begin to its end.
    pub elapsed_us: u64,
    /// CPU time of all its threads.
    pub cpu_us: u64,
    /// Waits for tempdb's files, of all its threads.
    pub tempdb_us: u64,
    /// Waits for files of other databases.
    pub data_us: u64,
    /// Waits for memory.
    pub memory_us: u64,
}

/// What would make a statement faster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum Bottleneck {
    /// Processors, or less work.
    #[default]
    Cpu,
    /// A faster tempdb, or memory so that less is spilled.
    Tempdb,
    /// Memory.
    Memory,
    /// Faster disks of the database, or memory so that less is read.
    Disk,
    /// None of these.
    Other,
}

impl Bottleneck {
    /// In order of their numbers.
    pub const ALL: [Bottleneck; 5] =
        [Bottleneck::Cpu, Bottleneck::Tempdb, Bottleneck::Memory, Bottleneck::Disk, Bottleneck::Other];

    /// As views show it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Bottleneck::Cpu => "CPU",
            Bottleneck::Tempdb => "TEMPDB",
            Bottleneck::Memory => "MEMORY",
            Bottleneck::Disk => "DISK",
            Bottleneck::Other => "OTHER",
        }
    }
}

impl Spent {
    /// The bottleneck, by the rule above.
    #[must_use]
    pub fn bottleneck(&self) -> Bottleneck {
        let parts = [
            (self.cpu_us, Bottleneck::Cpu),
            (self.tempdb_us, Bottleneck::Tempdb),
            (self.memory_us, Bottleneck::Memory),
            (self.data_us, Bottleneck::Disk),
        ];
        let all_us: u64 = parts.iter().map(|(us, _)| us).sum();
        if all_us < self.elapsed_us / 2 {
            return Bottleneck::Other; // V3
        }
        let largest = parts.into_iter().reduce(|best, part| if part.0 > best.0 { part } else { best });
        largest.map_or(Bottleneck::Cpu, |(_, bottleneck)| bottleneck) // V2
    }

    /// `TEMPDB-bound: CPU 120 ms, tempdb 480 ms, memory 0 ms, disk 3 ms of 610 ms`
    #[must_use]
    pub fn text(&self) -> String {
        let bound = match self.bottleneck() {
            Bottleneck::Other => "Bound by something else (locks, log, client, other threads)".to_owned(),
            bottleneck => format!("{}-bound", bottleneck.name()),
        };
        let ms = |us: u64| us / 1000;
        format!(
            "{bound}: CPU {} ms, tempdb {} ms, memory {} ms, disk {} ms of {} ms",
            ms(self.cpu_us),
            ms(self.tempdb_us),
            ms(self.memory_us),
            ms(self.data_us),
            ms(self.elapsed_us)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bottleneck([elapsed_us, cpu_us, tempdb_us, data_us, memory_us]: [u64; 5]) -> Bottleneck {
        Spent { elapsed_us, cpu_us, tempdb_us, data_us, memory_us }.bottleneck()
    }

    #[test]
    fn the_largest_part_is_the_bottleneck() {
        assert_eq!(bottleneck([100, 60, 20, 10, 5]), Bottleneck::Cpu);
        assert_eq!(bottleneck([100, 30, 40, 10, 5]), Bottleneck::Tempdb);
        assert_eq!(bottleneck([100, 30, 10, 40, 5]), Bottleneck::Disk);
        assert_eq!(bottleneck([100, 30, 10, 5, 40]), Bottleneck::Memory);
        assert_eq!(bottleneck([100, 40, 40, 0, 0]), Bottleneck::Cpu, "a tie");
        assert_eq!(bottleneck([0; 5]), Bottleneck::Cpu);
    }

    #[test]
    fn threads_count_each_for_itself() {
        // Two threads: one computed all the time, the other waited a little less.
        assert_eq!(bottleneck([100, 100, 90, 0, 0]), Bottleneck::Cpu);
        assert_eq!(bottleneck([100, 80, 120, 0, 0]), Bottleneck::Tempdb);
    }

    #[test]
    fn who_stood_somewhere_else_is_bound_by_none_of_them() {
        assert_eq!(bottleneck([100, 20, 20, 5, 4]), Bottleneck::Other);
        assert_eq!(bottleneck([100, 20, 20, 5, 5]), Bottleneck::Cpu, "half of it is known");
    }

    #[test]
    fn the_text_says_the_parts() {
        let spent = Spent { elapsed_us: 610_999, cpu_us: 120_000, tempdb_us: 480_000, data_us: 3000, memory_us: 0 };
        assert_eq!(spent.text(), "TEMPDB-bound: CPU 120 ms, tempdb 480 ms, memory 0 ms, disk 3 ms of 610 ms");
        let waited = Spent { elapsed_us: 9_000, ..Spent::default() };
        assert!(waited.text().starts_with("Bound by something else (locks,"));
        assert!(Bottleneck::ALL.iter().enumerate().all(|(number, bottleneck)| *bottleneck as usize == number));
    }
}
