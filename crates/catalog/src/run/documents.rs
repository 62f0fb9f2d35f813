//! Documents of `xml` that a statement holds while it runs: the rows of `nodes()` are references into them, and what reads a
//! reference may run long after the row was made, on another thread.
//!
//! What always holds: a document is there from the first reference into it to the statement's end, and its memory is charged
//! as long.

use std::sync::Arc;

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
