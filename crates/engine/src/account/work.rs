//! What the operators of a statement held, and what they spilled to tempdb.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use millpond_spill::{GrantReport, SpillAccount};

/// What the operators of a statement held, and what they spilled to tempdb.
#[derive(Debug, Default)]
pub struct WorkAccount {
    /// Spilled and read back.
    pub spills: Arc<SpillAccount>,
    /// An operator could have spilled to a worktable.
    pub has_sorted: AtomicBool,
    /// Or in a workfile.
    pub has_hashed: AtomicBool,
    /// The largest grant, bytes.
    pub granted_bytes: AtomicU64,
    /// The most that one of them held, bytes.
    pub used_bytes: AtomicU64,
    /// The most that one of them would have liked to hold, bytes.
    pub ideal_bytes: AtomicU64,
    /// The most threads that a parallel plan had; 0 without one.
    pub threads: AtomicU64,
    is_used: AtomicBool,
}

impl WorkAccount {
    /// What was spilled in all, as STATISTICS IO shows it.
    #[must_use]
    pub fn spilled_kb(&self) -> u64 {
        let uses = [&self.spills.sorts, &self.spills.hashes];
        uses.map(|count| count.written_bytes.load(Relaxed).div_ceil(1024)).iter().sum()
    }

    /// A plan with such operators runs.
    pub fn note_needs(&self, sorts: bool, hashes: bool) {
        self.is_used.store(true, Relaxed);
        self.has_sorted.fetch_or(sorts, Relaxed);
        self.has_hashed.fetch_or(hashes, Relaxed);
    }

    /// A plan asks for memory, of which it would like to have so much.
    pub fn note_ideal(&self, bytes: usize) {
        self.ideal_bytes.fetch_max(bytes as u64, Relaxed);
    }

    /// A parallel plan begins with so many threads.
    pub fn note_threads(&self, degree: usize) {
        self.is_used.store(true, Relaxed);
        self.threads.fetch_max(degree as u64, Relaxed);
    }

    /// Whether a plan has asked for memory or had threads since the account was begun: all figures are zero where none has.
    #[inline]
    #[must_use]
    pub fn is_used(&self) -> bool {
        self.is_used.load(Relaxed)
    }

    /// A plan has run with that memory.
    pub fn note(&self, report: &GrantReport) {
        self.granted_bytes.fetch_max(report.granted_bytes as u64, Relaxed);
        self.used_bytes.fetch_max(report.max_used_bytes as u64, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_a_plan_notes_first_is_a_use() {
        let notes: [fn(&WorkAccount); 2] =
            [|account| account.note_needs(false, true), |account| account.note_threads(2)];
        for note in notes {
            let account = WorkAccount::default();
            assert!(!account.is_used());
            note(&account);
            assert!(account.is_used());
        }
    }
}
