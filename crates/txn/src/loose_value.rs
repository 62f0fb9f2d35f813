//! Large values that no row has, as the undo and the cleaner keep them. Who owns them is said in `values`.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Weak};

use millpond_access::AccessError;
use millpond_access::lob::{LobPtr, LobStore};
use millpond_access::tree::Tree;
use millpond_storage::ask::Ask;
use millpond_storage::contract::DbId;
use millpond_storage::wal::Log;

/// A value that nobody's row has.
#[derive(Clone, Debug)]
pub(crate) struct LooseValue {
    pub store: Arc<LobStore>,
    pub pointer: LobPtr,
    /// The durable tree that it belongs to: with it, the store is the one that everybody uses.
    pub tree: Option<Arc<Tree>>,
}

impl LooseValue {
    /// Writes a value for a temporary row.
    pub(crate) fn write(ask: &Ask<'_>, store: Arc<LobStore>, value: &[u8]) -> Result<LooseValue, AccessError> {
        let pointer = store.write(ask, value, &mut |_, mtr| {
            mtr.commit();
        })?;
        Ok(LooseValue { store, pointer, tree: None })
    }
}

/// A value that waits for the horizon.
#[derive(Debug)]
pub(crate) struct WaitingValue {
    pub db: DbId,
    pub tree: Weak<Tree>,
    pub store: Weak<LobStore>,
    /// The store was freed as a whole.
    pub is_gone: Arc<AtomicBool>,
    pub pointer: LobPtr,
    pub log: Option<Arc<Log>>,
}
