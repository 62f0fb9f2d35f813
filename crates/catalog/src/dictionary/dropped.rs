//! What counts on when a DROP is undone: the counters of tables and sequences that open transactions dropped.
//!
//! What always holds: an entry is of the transaction that dropped the object, and another one's rollback never takes it;
//! what is durable of a counter is as far along as its entry, or beyond it by values that were never given.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::trees::{Counted, TableCounters};
use crate::{CatalogObject, ObjectId, SequenceDef};

/// A dropped object's counter.
#[derive(Debug)]
enum Counter {
    Table(Arc<TableCounters>, Counted),
    Sequence(Arc<SequenceDef>),
}

/// The counters of the objects that open transactions dropped, each with the number of its transaction.
#[derive(Debug, Default)]
pub(super) struct Dropped(Mutex<HashMap<ObjectId, (u64, Counter)>>);

impl Dropped {
    /// Keeps the counter of an object that the transaction of this number drops. Those of transactions that are over go.
    pub fn keep(&self, object: &CatalogObject, transaction: u64, is_open: &dyn Fn(u64) -> bool) {
        let counter = match object {
            CatalogObject::Table(def, trees) if def.identity_column().is_some() => {
                Counter::Table(Arc::clone(&trees.counters), Counted::of(def, trees.root()))
            }
            CatalogObject::Sequence(def) => Counter::Sequence(Arc::clone(def)),
            _ => return,
        };
        let mut kept = self.0.lock();
        kept.retain(|_, (number, _)| is_open(*number));
        kept.insert(object.id(), (transaction, counter));
    }

    /// The counters of a table whose DROP by the transaction of this number is undone, and the rows that they counted.
    pub fn table(&self, id: ObjectId, transaction: u64) -> Option<(Arc<TableCounters>, Counted)> {
        match self.take(id, transaction)? {
            Counter::Table(counters, of) => Some((counters, of)),
            Counter::Sequence(_) => None,
        }
    }

    /// The same of a sequence.
    pub fn sequence(&self, id: ObjectId, transaction: u64) -> Option<Arc<SequenceDef>> {
        match self.take(id, transaction)? {
            Counter::Sequence(def) => Some(def),
            Counter::Table(..) => None,
        }
    }

    fn take(&self, id: ObjectId, transaction: u64) -> Option<Counter> {
        let mut kept = self.0.lock();
        match kept.remove(&id)? {
            (number, counter) if number == transaction => Some(counter),
            _ => None,
        }
    }
}
