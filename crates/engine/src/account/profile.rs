//! What the operators of a statement did when it ran: SET STATISTICS PROFILE.
//!
//! ```text
//!   BatchRun::watch ──Profile──▶ RunContext ──▶ operators of a plan (plan::run::measure), steps of a direct statement
//!                        ▲                                │ accounts
//!                        └── showplan::Scope ◀── show ────┘
//! ```
//! What always holds: a profile is of one execution of one statement; an account is of one operator in it, over all its
//! executions and threads. Knows neither plans nor how they are shown.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// What one operator did.
#[derive(Debug, Default)]
pub struct OperatorAccount {
    rows: AtomicU64,
    executions: AtomicU64,
    elapsed_us: AtomicU64,
    cpu_ns: AtomicU64,
    held_bytes: AtomicU64,
    held_bytes_max: AtomicU64,
    spilled_bytes: AtomicU64,
    values_by_row: AtomicU64,
    /// By the server's clock; 0 until then.
    opened_us: AtomicU64,
    first_row_us: AtomicU64,
    last_row_us: AtomicU64,
    closed_us: AtomicU64,
}

impl OperatorAccount {
    /// It begins to give rows, now; in a parallel plan, one of its parts does.
    pub fn begin(&self, now_us: u64) {
        self.executions.fetch_add(1, Relaxed);
        set_first(&self.opened_us, now_us);
    }

    /// It gave rows, now.
    pub fn add_rows(&self, rows: u64, now_us: u64) {
        if rows > 0 {
            self.rows.fetch_add(rows, Relaxed);
            set_first(&self.first_row_us, now_us);
            self.last_row_us.store(now_us, Relaxed);
        }
    }

    /// It gives no more, or one of its parts does not; it may begin again.
    pub fn close(&self, now_us: u64) {
        self.closed_us.store(now_us, Relaxed);
    }

    /// A thread was inside it, and in none below it.
    pub fn add_time(&self, elapsed_us: u64, cpu_ns: u64) {
        self.elapsed_us.fetch_add(elapsed_us, Relaxed);
        self.cpu_ns.fetch_add(cpu_ns, Relaxed);
    }

    /// It holds more memory.
    pub fn hold(&self, bytes: u64) {
        let held = self.held_bytes.fetch_add(bytes, Relaxed) + bytes;
        self.held_bytes_max.fetch_max(held, Relaxed);
    }

    /// It holds less.
    pub fn release(&self, bytes: u64) {
        self.held_bytes.fetch_sub(bytes, Relaxed);
    }

    /// Its expressions computed values one at a time.
    pub fn add_values_by_row(&self, values: u64) {
        self.values_by_row.fetch_add(values, Relaxed);
    }

    /// It spilled.
    pub fn add_spilled(&self, bytes: u64) {
        self.spilled_bytes.fetch_add(bytes, Relaxed);
    }

    /// Rows and executions, where times are not taken.
    pub fn counts(&self) -> Figures {
        let times_us =
            [&self.opened_us, &self.first_row_us, &self.last_row_us, &self.closed_us].map(|time| time.load(Relaxed));
        let (rows, executions) = (self.rows.load(Relaxed), self.executions.load(Relaxed));
        Figures { rows, executions, times_us, ..Figures::default() }
    }

    /// All that is known.
    pub fn figures(&self) -> Figures {
        Figures {
            elapsed_us: Some(self.elapsed_us.load(Relaxed)),
            cpu_us: Some(self.cpu_ns.load(Relaxed) / 1000),
            memory_bytes: Some(self.held_bytes_max.load(Relaxed)),
            spilled_bytes: Some(self.spilled_bytes.load(Relaxed)),
            values_by_row: Some(self.values_by_row.load(Relaxed)),
            ..self.counts()
        }
    }
}

fn set_first(time: &AtomicU64, now_us: u64) {
    if time.load(Relaxed) == 0 {
        time.store(now_us.max(1), Relaxed);
    }
}

/// What an operator did, as it is shown. Times, memory and what it spilled are its own, without those of its inputs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Rows that it gave.
    pub rows: u64,
    /// Times that it was begun, over all threads.
    pub executions: u64,
    /// Elapsed time, where it was measured.
    pub elapsed_us: Option<u64>,
    /// CPU time, likewise.
    pub cpu_us: Option<u64>,
    /// The most that it held at once.
    pub memory_bytes: Option<u64>,
    /// Bytes that it spilled, where it can spill.
    pub spilled_bytes: Option<u64>,
    /// Values that its expressions computed one at a time, because no form of theirs takes whole columns.
    pub values_by_row: Option<u64>,
    /// It had several threads.
    pub is_parallel: bool,
    /// When it was opened, gave its first and its last row and was closed, by the server's clock; 0 where it has not.
    pub times_us: [u64; 4],
}

impl Figures {
    /// An operator and one above it that is not shown apart.
    pub fn under(self, above: Figures) -> Figures {
        let sum = |a: Option<u64>, b: Option<u64>| a.map_or(b, |a| Some(a + b.unwrap_or(0)));
        Figures {
            rows: above.rows,
            executions: above.executions,
            elapsed_us: sum(self.elapsed_us, above.elapsed_us),
            cpu_us: sum(self.cpu_us, above.cpu_us),
            memory_bytes: sum(self.memory_bytes, above.memory_bytes),
            spilled_bytes: sum(self.spilled_bytes, above.spilled_bytes),
            values_by_row: sum(self.values_by_row, above.values_by_row),
            is_parallel: self.is_parallel || above.is_parallel,
            times_us: above.times_us,
        }
    }
}

/// The accounts of one execution of a statement.
#[derive(Debug, Default)]
pub struct Profile {
    /// Of a direct statement, by the places of its parts.
    direct: OnceLock<Vec<OperatorAccount>>,
}

impl Profile {
    /// Whether the statement ran as a direct one.
    pub fn is_direct(&self) -> bool {
        self.direct.get().is_some()
    }

    /// The accounts of a direct statement, where it runs as one and has begun.
    pub fn begun(&self) -> &[OperatorAccount] {
        self.direct.get().map_or(&[], Vec::as_slice)
    }

    /// The accounts of a direct statement of so many parts.
    pub fn direct(&self, parts: usize) -> &[OperatorAccount] {
        self.direct.get_or_init(|| (0..parts).map(|_| OperatorAccount::default()).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_adds_up_and_remembers_the_most_that_was_held() {
        let account = OperatorAccount::default();
        account.begin(1);
        account.begin(2);
        account.add_rows(2, 3);
        account.add_rows(0, 4);
        account.add_rows(1, 5);
        account.close(7);
        account.add_time(5, 4000);
        account.hold(100);
        account.release(60);
        account.hold(30);
        account.add_spilled(7);
        account.add_values_by_row(8);
        let expected = Figures {
            rows: 3,
            executions: 2,
            elapsed_us: Some(5),
            cpu_us: Some(4),
            memory_bytes: Some(100),
            spilled_bytes: Some(7),
            values_by_row: Some(8),
            is_parallel: false,
            times_us: [1, 3, 5, 7],
        };
        assert_eq!(account.figures(), expected);
        let both =
            account.figures().under(Figures { rows: 1, executions: 1, elapsed_us: Some(2), ..Figures::default() });
        assert_eq!((both.rows, both.executions, both.elapsed_us, both.cpu_us), (1, 1, Some(7), Some(4)));
    }
}
