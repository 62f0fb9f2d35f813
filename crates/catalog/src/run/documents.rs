//! Documents of `xml` that a statement holds while it runs: the rows of `nodes()` are references into them, and what reads a
//! reference may run long after the row was made, on another thread.
//!
//! What always holds: a document is there from the first reference into it to the statement's end, and its memory is charged
//! as long.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use millpond_types::Charge;
use millpond_xml::Document;
use millpond_xml::xquery::Namespaces;
use parking_lot::Mutex;

/// A document with the memory that it takes.
type Held = (Arc<Document>, Vec<Box<dyn Charge>>);

/// The documents of a statement's run.
#[derive(Debug, Default)]
pub struct Documents {
    held: Mutex<Vec<Held>>,
}

impl Documents {
    /// Holds a document; its number, from 0.
    pub fn hold(&self, document: Arc<Document>, charges: Vec<Box<dyn Charge>>) -> usize {
        let mut held = self.held.lock();
        held.push((document, charges));
        held.len() - 1
    }

    /// The document of a number.
    #[must_use]
    pub fn get(&self, number: usize) -> Option<Arc<Document>> {
        self.held.lock().get(number).map(|(document, _)| Arc::clone(document))
    }
}

/// A document that a session has prepared for OPENXML.
#[derive(Debug)]
pub struct Prepared {
    /// The document.
    pub document: Document,
    /// Prefixes that its patterns may use.
    pub namespaces: Namespaces,
    /// What it was made of.
    pub source: PreparedFrom,
    /// What was asked of it.
    pub used: PreparedUse,
}

/// What a document was prepared from, and where.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PreparedFrom {
    /// Bytes of the text.
    pub text_bytes: u64,
    /// Bytes of the text with the namespaces, if there was one.
    pub namespaces_bytes: Option<u64>,
    /// Number of the text whose statement has prepared it, with the first byte of the statement and the one after its last.
    pub statement: Option<(u64, (i32, i32))>,
    /// Local time, microseconds since 1970.
    pub made_us: i64,
}

/// What OPENXML has asked of a document.
#[derive(Debug)]
pub struct PreparedUse {
    calls: AtomicU64,
    rows: AtomicU64,
    last: Mutex<Instant>,
}

impl Default for PreparedUse {
    fn default() -> PreparedUse {
        PreparedUse { calls: AtomicU64::new(0), rows: AtomicU64::new(0), last: Mutex::new(Instant::now()) }
    }
}

impl PreparedUse {
    /// A call of OPENXML finds so many nodes.
    pub fn count(&self, rows: usize) {
        self.calls.fetch_add(1, Relaxed);
        self.rows.fetch_add(rows as u64, Relaxed);
        *self.last.lock() = Instant::now();
    }

    /// It gives a row more than were found at first.
    pub fn add_row(&self) {
        self.rows.fetch_add(1, Relaxed);
    }

    /// Calls, their rows, and how long ago the last one was, or the preparation.
    #[must_use]
    pub fn so_far(&self) -> (u64, u64, Duration) {
        (self.calls.load(Relaxed), self.rows.load(Relaxed), self.last.lock().elapsed())
    }
}

/// Documents that a session has prepared.
#[derive(Debug, Default)]
pub struct PreparedDocuments {
    handles: Mutex<Handles>,
}

/// A handle, its document, and what it is charged with while it is held.
type Handled = (i32, Arc<Prepared>, Vec<Box<dyn Charge>>);

#[derive(Debug, Default)]
struct Handles {
    /// How many were given.
    given: i32,
    held: Vec<Handled>,
}

impl PreparedDocuments {
    /// Holds a document until [`PreparedDocuments::remove`] or the session's end; its handle: 1, 3, 5 and so on.
    pub fn prepare(&self, document: Arc<Prepared>, charges: Vec<Box<dyn Charge>>) -> i32 {
        let mut handles = self.handles.lock();
        let handle = handles.given.wrapping_mul(2).wrapping_add(1);
        handles.given = handles.given.wrapping_add(1);
        handles.held.push((handle, document, charges));
        handle
    }

    /// The document of a handle.
    #[must_use]
    pub fn get(&self, handle: i32) -> Option<Arc<Prepared>> {
        self.handles
            .lock()
            .held
            .iter()
            .find(|(known, ..)| *known == handle)
            .map(|(_, document, _)| Arc::clone(document))
    }

    /// All that are held, with their handles, in order of these.
    #[must_use]
    pub fn all(&self) -> Vec<(i32, Arc<Prepared>)> {
        self.handles.lock().held.iter().map(|(handle, one, _)| (*handle, Arc::clone(one))).collect()
    }

    /// Lets a document go; whether there was one.
    pub fn remove(&self, handle: i32) -> bool {
        let mut handles = self.handles.lock();
        let before = handles.held.len();
        handles.held.retain(|(known, ..)| *known != handle);
        handles.held.len() < before
    }

    /// Lets all go.
    pub fn clear(&self) {
        *self.handles.lock() = Handles::default();
    }
}
