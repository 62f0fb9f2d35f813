//! The catalog above, told what rollbacks did to definitions.

use millpond_storage::ask::Ask;
use millpond_storage::contract::DbId;

use crate::session::SessionWork;

/// Who remembers definitions of objects that are rows of durable databases.
pub trait Definitions: Send + Sync {
    /// The changes of these objects' definitions that `work` had noted ([`SessionWork::note_catalog_change`]) are undone:
    /// what is remembered of them is old. `work` has the locks of its transaction still, and its rows are what they were
    /// before. Each object comes once, in order of databases. May be called while `work` is dropped; it must not end or
    /// begin a statement or a transaction of `work`.
    fn undone(&self, work: &mut SessionWork, ask: &Ask<'_>, changed: &[(DbId, u32)]);
}
