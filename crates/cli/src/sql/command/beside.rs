//! The second session of a person at a terminal, and what it is asked while the first one runs.

use std::sync::Arc;
use std::time::Duration;

use millpond_types::Value;

use super::super::gathered::Gathered;
use super::super::observer::Observer;
use super::super::screen::status::{Facts, Status};
use super::super::target::Target;

/// An answer about a statement that runs may take so long.
const LIMIT: Duration = Duration::from_secs(1);
const PAGE_BYTES: u64 = 8192;

/// The second session, and the number of the first.
pub struct Beside {
    observer: Arc<Observer>,
    session_id: i64,
}

impl Beside {
    /// Of a session; none where it does not say which it is.
    pub fn of(target: &mut dyn Target) -> Option<Beside> {
        let results = Gathered::of(target, "select @@spid").ok()?;
        let session_id = results.first()?.rows.first()?.first()?.as_i64()?;
        Some(Beside { observer: Arc::new(Observer::new(target.opener())), session_id })
    }

    /// The session that is asked.
    pub fn observer(&self) -> &Arc<Observer> {
        &self.observer
    }

    /// The number of the first session.
    pub fn session_id(&self) -> i64 {
        self.session_id
    }

    /// The line of a batch that begins.
    pub fn status(&self) -> Status {
        let (observer, text) = (Arc::clone(&self.observer), question(self.session_id));
        Status::begin(Box::new(move || {
            let results = observer.ask(&text, LIMIT)?;
            facts(results.first()?.rows.first()?)
        }))
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        // A look at a statement that has just ended may still hold it.
        self.observer.close();
    }
}

/// Space of a task in tempdb grows and shrinks; both are counted.
fn question(session_id: i64) -> String {
    format!(
        "select cast(r.percent_complete as float), r.wait_type, \
         (select sum(u.user_objects_alloc_page_count - u.user_objects_dealloc_page_count \
         + u.internal_objects_alloc_page_count - u.internal_objects_dealloc_page_count) \
         from tempdb.sys.dm_db_task_space_usage u where u.session_id = r.session_id) \
         from sys.dm_exec_requests r where r.session_id = {session_id}"
    )
}

fn facts(row: &[Value]) -> Option<Facts> {
    let [percent, wait, pages] = row else { return None };
    let pages = pages.as_i64().and_then(|pages| u64::try_from(pages).ok()).unwrap_or(0);
    Some(Facts {
        percent: percent.as_f64().filter(|percent| *percent > 0.0),
        tempdb_bytes: pages * PAGE_BYTES,
        wait: wait.as_str().filter(|wait| !wait.is_empty()).map(str::to_owned),
    })
}
