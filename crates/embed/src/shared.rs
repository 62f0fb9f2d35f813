//! What copies of an instance, its connections and its listeners share: the engine while it is open, and who is to be told
//! when it closes.
//!
//! What always holds: who becomes a guest while the instance closes is either told or refused; when the last one lets go, the
//! databases are closed. It knows no requests.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};

use millpond_engine::engine::Engine;
use millpond_server::{Server, assemble};
use parking_lot::Mutex;

use crate::error::Error;
use crate::worker::Worker;

/// The server until it is stopped.
pub struct ListenerState(Mutex<Option<Server>>);

impl ListenerState {
    pub fn new(server: Server) -> ListenerState {
        ListenerState(Mutex::new(Some(server)))
    }

    /// Sends its clients away, and waits for that.
    pub fn stop(&self) {
        if let Some(server) = self.0.lock().take() {
            // A runtime must not be waited for inside of another one.
            let stopping = std::thread::Builder::new().spawn(move || server.leave());
            if let Ok(thread) = stopping {
                let _ = thread.join();
            }
        }
    }
}

/// What copies of an instance, its connections and its listeners share.
pub struct Inner {
    engine: Mutex<Option<Arc<Engine>>>,
    directory: Option<PathBuf>,
    guests: Mutex<Guests>,
}

/// Who is to be told when the instance ends.
#[derive(Default)]
struct Guests {
    workers: Vec<Weak<Worker>>,
    listeners: Vec<Weak<ListenerState>>,
}

impl Inner {
    pub fn new(engine: Arc<Engine>, directory: Option<PathBuf>) -> Inner {
        Inner { engine: Mutex::new(Some(engine)), directory, guests: Mutex::default() }
    }

    pub fn directory(&self) -> Option<&Path> {
        self.directory.as_deref()
    }

    /// The engine, until the instance is shut down.
    pub fn engine(&self) -> Result<Arc<Engine>, Error> {
        self.engine.lock().clone().ok_or(Error::Ended)
    }

    /// Has the worker end with the instance.
    ///
    /// # Errors
    /// [`Error::Ended`]: a shutdown that began meanwhile may not have seen it, so it is not to be used.
    pub fn know_worker(&self, worker: &Arc<Worker>) -> Result<(), Error> {
        let mut guests = self.guests.lock();
        guests.workers.retain(|worker| worker.strong_count() > 0);
        guests.workers.push(Arc::downgrade(worker));
        drop(guests);
        self.engine().map(drop)
    }

    /// The same of a listener.
    ///
    /// # Errors
    /// Likewise.
    pub fn know_listener(&self, listener: &Arc<ListenerState>) -> Result<(), Error> {
        let mut guests = self.guests.lock();
        guests.listeners.retain(|listener| listener.strong_count() > 0);
        guests.listeners.push(Arc::downgrade(listener));
        drop(guests);
        self.engine().map(drop)
    }

    /// Ends all guests and closes the databases; nothing where that was done.
    ///
    /// # Errors
    /// [`Error::Close`].
    pub fn close(&self) -> Result<(), Error> {
        let Some(engine) = self.engine.lock().take() else { return Ok(()) };
        engine.stop().request();
        let guests = std::mem::take(&mut *self.guests.lock());
        for listener in guests.listeners.iter().filter_map(Weak::upgrade) {
            listener.stop();
        }
        let workers: Vec<Arc<Worker>> = guests.workers.iter().filter_map(Weak::upgrade).collect();
        workers.iter().for_each(|worker| worker.close());
        workers.iter().for_each(|worker| worker.join());
        assemble::close(&engine).map_err(|error| Error::Close(error.to_string()))
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        // There is nobody to tell: what could not be written now is in the log, and the next start reads that.
        let _ = self.close();
    }
}
