//! Large values that no row has, as the undo and the cleaner keep them. Their owners are said in `values`.

use millpond_storage::check;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Weak};

use millpond_access::AccessError;
use millpond_access::lob::{LobPtr, LobStore, Owned};
use millpond_access::tree::Tree;
use millpond_storage::ask::Ask;
use millpond_storage::contract::DbId;
use millpond_storage::wal::Log;

/// A value that no row has, or what a changed value left.
#[derive(Clone, Debug)]
pub(crate) struct LooseValue {
    pub store: Arc<LobStore>,
    pub owned: Owned,
    /// The durable tree that it belongs to: with it, the store is the one that every session uses.
    pub tree: Option<Arc<Tree>>,
}

/// Writes a value.
pub(crate) fn write_value(ask: &Ask<'_>, store: &LobStore, value: &[u8]) -> Result<LobPtr, AccessError> {
    let pointer = store.write(ask, value, &mut |_, mtr| {
        mtr.commit();
    })?;
    check!(pointer.len == value.len() as u64, "a value of {} bytes is written as one of {}", value.len(), pointer.len);
    Ok(pointer)
}

/// A value that waits for the horizon.
#[derive(Debug)]
pub(crate) struct WaitingValue {
    pub db: DbId,
    pub tree: Weak<Tree>,
    pub store: Weak<LobStore>,
    /// The store was freed as a whole.
    pub is_gone: Arc<AtomicBool>,
    pub owned: Owned,
    pub log: Option<Arc<Log>>,
}
