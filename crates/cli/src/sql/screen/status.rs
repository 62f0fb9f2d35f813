//! How far a long statement is: a line at the end of what is on the terminal, which goes before anything else is written.
//!
//! ```text
//!  12.3 s · 45 % · 1204 rows · tempdb 161 MB · WRITELOG · Ctrl-C cancels
//! ```
//! What always holds: nothing is shown in a batch's first second; the line is taken away under the lock under which it is written, so
//! that it never stands between two lines of a result; what the server does not say is left out.

use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::{terminal, text};

/// Before this nothing is shown.
const BEGINS_AFTER: Duration = Duration::from_secs(1);
/// Between two looks.
const EACH: Duration = Duration::from_millis(500);

/// What a server says of the batch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    /// Where it is known: of BACKUP, RESTORE, DBCC and their kin.
    pub percent: Option<f64>,
    /// Space that it has in tempdb.
    pub tempdb_bytes: u64,
    /// What it waits for.
    pub wait: Option<String>,
}

/// What gives them, within a second or so.
pub type Ask = Box<dyn Fn() -> Option<Facts> + Send>;

/// The line of a batch that runs.
#[derive(Clone)]
pub struct Status(Arc<Shared>);

struct Shared {
    state: Mutex<State>,
    wake: Condvar,
    row_count: AtomicU64,
}

#[derive(Default)]
struct State {
    is_over: bool,
    is_shown: bool,
}

impl Status {
    /// A batch begins.
    pub fn begin(ask: Ask) -> Status {
        let status =
            Status(Arc::new(Shared { state: Mutex::default(), wake: Condvar::new(), row_count: AtomicU64::new(0) }));
        let shared = Arc::clone(&status.0);
        let begun = Instant::now();
        // Without a thread there is no line.
        let _ = std::thread::Builder::new().spawn(move || shared.look(begun, &ask));
        status
    }

    /// A row has come.
    pub fn count(&self) {
        self.0.row_count.fetch_add(1, Relaxed);
    }

    /// The line goes, until the next look.
    pub fn hide(&self) {
        self.0.hide(&mut self.0.held());
    }

    /// The batch has ended.
    pub fn end(&self) {
        let mut state = self.0.held();
        state.is_over = true;
        self.0.hide(&mut state);
        self.0.wake.notify_all();
    }
}

impl Shared {
    fn held(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits; whether the batch is over.
    fn waits(&self, so_long: Duration) -> bool {
        let state = self.held();
        let waited = self.wake.wait_timeout_while(state, so_long, |state| !state.is_over);
        waited.unwrap_or_else(PoisonError::into_inner).0.is_over
    }

    fn look(&self, begun: Instant, ask: &Ask) {
        let mut pause = BEGINS_AFTER;
        while !self.waits(pause) {
            pause = EACH;
            let facts = ask().unwrap_or_default();
            let line = line(begun.elapsed(), self.row_count.load(Relaxed), &facts);
            let line = text::cut(&line, terminal::columns().saturating_sub(1));
            let mut state = self.held();
            if state.is_over {
                return;
            }
            state.is_shown = true;
            put(&format!("\r\x1b[K{line}"));
        }
    }

    fn hide(&self, state: &mut State) {
        if std::mem::take(&mut state.is_shown) {
            put("\r\x1b[K");
        }
    }
}

fn put(text: &str) {
    let mut out = std::io::stdout().lock();
    // A terminal that is gone shows nothing.
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

fn line(took: Duration, row_count: u64, facts: &Facts) -> String {
    let mut line = format!("{:.1} s", took.as_secs_f64());
    if let Some(percent) = facts.percent {
        let _ = write!(line, " · {percent:.0} %");
    }
    if row_count > 0 {
        let _ = write!(line, " · {row_count} rows");
    }
    if facts.tempdb_bytes > 0 {
        let _ = write!(line, " · tempdb {} MB", facts.tempdb_bytes.div_ceil(1 << 20));
    }
    if let Some(wait) = &facts.wait {
        let _ = write!(line, " · {}", text::clean(wait));
    }
    line.push_str(" · Ctrl-C cancels");
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_known_is_shown() {
        let took = Duration::from_millis(12_345);
        assert_eq!(line(took, 0, &Facts::default()), "12.3 s · Ctrl-C cancels");
        let facts = Facts { percent: Some(45.4), tempdb_bytes: 3 << 19, wait: Some("WRITELOG".into()) };
        assert_eq!(line(took, 7, &facts), "12.3 s · 45 % · 7 rows · tempdb 2 MB · WRITELOG · Ctrl-C cancels");
    }

    #[test]
    fn a_batch_that_is_over_shows_nothing_any_more() {
        let status = Status::begin(Box::new(|| None));
        status.count();
        status.end();
        status.hide();
        assert!(status.0.held().is_over);
        assert!(!status.0.held().is_shown);
    }
}
