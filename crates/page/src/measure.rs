//! What monitors ask for: totals of the server, by a session of its own, asked once a second at most whoever asks.
//!
//! What always holds: requests that come meanwhile share one answer; a session that was lost is opened anew by the next one. It
//! runs on threads that may wait.

use std::sync::Arc;
use std::time::{Duration, Instant};

use millpond_top::collect::{Totals, collect_totals};
use parking_lot::Mutex;

use crate::host::{Host, Session};

/// So long an answer is the newest one.
const FRESH: Duration = Duration::from_secs(1);

struct Kept {
    session: Option<Session>,
    answer: Option<(Instant, Arc<Totals>)>,
}

/// The server's own session, and what it said last.
pub struct Measure {
    host: Arc<dyn Host>,
    kept: Mutex<Kept>,
}

impl Measure {
    /// Of a server.
    pub fn of(host: Arc<dyn Host>) -> Measure {
        Measure { host, kept: Mutex::new(Kept { session: None, answer: None }) }
    }

    /// Totals that are a second old at most. Waits for the server.
    ///
    /// # Errors
    /// Why the server gives none.
    pub fn totals(&self) -> Result<Arc<Totals>, String> {
        let mut kept = self.kept.lock();
        if let Some((at, totals)) = &kept.answer
            && at.elapsed() < FRESH
        {
            return Ok(Arc::clone(totals));
        }
        let mut session = match kept.session.take() {
            Some(session) => session,
            None => self.host.own_session()?,
        };
        let totals = Arc::new(collect_totals(session.as_mut())?);
        // After a loss there is none: the next one opens another.
        kept.session = Some(session);
        kept.answer = Some((Instant::now(), Arc::clone(&totals)));
        Ok(totals)
    }

    /// Ends its session.
    pub fn end(&self) {
        let session = self.kept.lock().session.take();
        drop(session);
    }
}

/// Databases that are not there yet, or not any more though they should be: their number. Those that were taken offline, or are
/// being restored, are as somebody wants them.
pub fn unready(totals: &Totals) -> usize {
    let is_wanted = |state: &str| matches!(state, "ONLINE" | "OFFLINE" | "RESTORING" | "OFFLINE_SECONDARY");
    totals.sample.databases.iter().filter(|database| !is_wanted(&database.state_desc)).count()
}

#[cfg(test)]
mod tests {
    use millpond_top::sample::{Database, Sample};

    use super::*;

    #[test]
    fn what_somebody_took_offline_is_ready() {
        let database = |state: &str| Database { state_desc: state.into(), ..Database::default() };
        let of = |states: &[&str]| {
            let databases = states.iter().map(|state| database(state)).collect();
            unready(&Totals { sample: Sample { databases, ..Sample::default() }, ..Totals::default() })
        };
        assert_eq!(of(&["ONLINE", "OFFLINE", "RESTORING"]), 0);
        assert_eq!(of(&["ONLINE", "RECOVERING", "RECOVERY_PENDING", "SUSPECT", "EMERGENCY"]), 4);
    }
}
