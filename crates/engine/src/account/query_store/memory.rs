//! The memory that the stores of all databases take: a sixteenth of the server's at most, and charged to the account of all.
//!
//! What always holds: what a store holds is charged in whole steps, and given back when it holds less or is no more.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use millpond_storage::instance::Instance;
use millpond_types::Charge;

use crate::memory::Workspace;

/// What stores may take is this part of the server's memory, within bounds.
const PART_OF_MEMORY: u64 = 16;
const BYTES_LEAST: u64 = 8 << 20;
const BYTES_MOST: u64 = 256 << 20;
/// A step of a charge, bytes.
const STEP_BYTES: u64 = 256 << 10;

/// The memory of all stores.
pub(super) struct StoreMemory {
    used: Arc<AtomicU64>,
    most_bytes: u64,
    workspace: Arc<Workspace>,
}

/// A step of a charge.
struct Step {
    used: Arc<AtomicU64>,
    _charge: Box<dyn Charge>,
}

impl Drop for Step {
    fn drop(&mut self) {
        self.used.fetch_sub(STEP_BYTES, Relaxed);
    }
}

/// What one store is charged.
#[derive(Default)]
pub(super) struct Held(Vec<Step>);

impl StoreMemory {
    pub(super) fn over(instance: &Instance, workspace: &Arc<Workspace>) -> StoreMemory {
        let most_bytes = (instance.memory_max_bytes() / PART_OF_MEMORY).clamp(BYTES_LEAST, BYTES_MOST);
        StoreMemory { used: Arc::default(), most_bytes, workspace: Arc::clone(workspace) }
    }

    /// Makes a charge one of so many bytes; false where there are not so many.
    pub(super) fn settle(&self, held: &mut Held, bytes: u64) -> bool {
        let steps = usize::try_from(bytes.div_ceil(STEP_BYTES)).unwrap_or(usize::MAX);
        held.0.truncate(steps);
        while held.0.len() < steps {
            let after = |used: u64| used.checked_add(STEP_BYTES).filter(|after| *after <= self.most_bytes);
            if self.used.fetch_update(Relaxed, Relaxed, after).is_err() {
                return false;
            }
            let Ok(charge) = self.workspace.charge(STEP_BYTES as usize) else {
                self.used.fetch_sub(STEP_BYTES, Relaxed);
                return false;
            };
            held.0.push(Step { used: Arc::clone(&self.used), _charge: charge });
        }
        true
    }
}

impl Held {
    /// What is charged, bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.0.len() as u64 * STEP_BYTES
    }
}
