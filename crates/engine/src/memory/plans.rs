//! Memory of plans that sessions keep: an eighth of the server's at most, and charged to the account of all.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use millpond_storage::instance::Instance;
use millpond_types::Charge;

use crate::memory::Workspace;

/// What kept plans may take is this part of the server's memory.
const PART_OF_MEMORY: u64 = 8;

/// What the kept plans of all sessions take.
#[derive(Debug)]
pub struct PlanMemory {
    used: Arc<AtomicUsize>,
    instance: Arc<Instance>,
    workspace: Arc<Workspace>,
}

/// Memory of plans that are kept; dropping it gives it back.
#[derive(Debug)]
pub struct PlanCharge {
    used: Arc<AtomicUsize>,
    bytes: usize,
    memory: Option<Box<dyn Charge>>,
}

impl Drop for PlanCharge {
    fn drop(&mut self) {
        self.used.fetch_sub(self.bytes, Relaxed);
    }
}

impl PlanMemory {
    pub(crate) fn over(instance: &Arc<Instance>, workspace: &Arc<Workspace>) -> PlanMemory {
        PlanMemory { used: Arc::default(), instance: Arc::clone(instance), workspace: Arc::clone(workspace) }
    }

    /// What kept plans take together, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.used.load(Relaxed)
    }

    /// Memory for plans that are to be kept; `None` where they may take no more.
    pub fn charge(&self, bytes: usize) -> Option<PlanCharge> {
        let most = usize::try_from(self.instance.memory_max_bytes() / PART_OF_MEMORY).unwrap_or(usize::MAX);
        let after = |used: usize| used.checked_add(bytes).filter(|after| *after <= most);
        self.used.fetch_update(Relaxed, Relaxed, after).ok()?;
        // From here on what is counted is given back, also where the account of all has no more.
        let mut charge = PlanCharge { used: Arc::clone(&self.used), bytes, memory: None };
        charge.memory = Some(self.workspace.charge(bytes).ok()?);
        Some(charge)
    }
}
