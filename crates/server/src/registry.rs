//! Which connection belongs to which session, so that KILL reaches one that waits for its client.
//!
//! What always holds: an entry is there from login to close. KILL only sets a flag in the session; a task looks at all
//! flags a few times per second, which costs a microsecond per hundred connections and spares every session a waker.

use std::collections::HashMap;
use std::sync::Arc;

use millpond_engine::session_shared::SessionShared;
use parking_lot::Mutex;
use tokio::sync::Notify;

struct Entry {
    session: Arc<SessionShared>,
    wake: Arc<Notify>,
}

/// The connections that are logged in, by session.
#[derive(Default)]
pub struct Registry {
    entries: Mutex<HashMap<u16, Entry>>,
}

impl Registry {
    /// Adds a session; the result is notified when it is killed.
    pub fn add(&self, session: &Arc<SessionShared>) -> Arc<Notify> {
        let wake = Arc::new(Notify::new());
        let entry = Entry { session: Arc::clone(session), wake: Arc::clone(&wake) };
        self.entries.lock().insert(session.id.0, entry);
        wake
    }

    /// Removes a session, unless its number belongs to another by now.
    pub fn remove(&self, session: &Arc<SessionShared>) {
        let mut entries = self.entries.lock();
        let is_same = entries.get(&session.id.0).is_some_and(|entry| Arc::ptr_eq(&entry.session, session));
        if is_same {
            entries.remove(&session.id.0);
        }
    }

    /// Wakes the connections of killed sessions.
    pub fn wake_killed(&self) {
        let entries = self.entries.lock();
        let killed = entries.values().filter(|entry| entry.session.is_killed());
        killed.for_each(|entry| entry.wake.notify_one());
    }
}
