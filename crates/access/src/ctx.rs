//! Where trees and large values live: what they need of a database. Numbers and handles only.

use std::sync::Arc;

use millpond_storage::contract::DbId;
use millpond_storage::pool::Pool;
use millpond_storage::space::{Owner, SpaceManager};
use millpond_storage::wal::DatabaseHandle;

use crate::usage::SpaceUse;

/// Where trees and large values live and to whom their space is charged.
#[derive(Clone)]
pub struct TreeCtx {
    /// Database, pages in memory, and the log if the database has one.
    pub handle: DatabaseHandle,
    /// Extents of the database.
    pub space: Arc<SpaceManager>,
    /// User object or internal object.
    pub owner: Owner,
    /// The account of the owner of the pages.
    pub usage: Arc<SpaceUse>,
}

impl std::fmt::Debug for TreeCtx {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TreeCtx").field("db", &self.db()).finish_non_exhaustive()
    }
}

impl TreeCtx {
    /// Database.
    #[inline]
    pub(crate) fn db(&self) -> DbId {
        self.handle.db
    }

    /// Pages in memory.
    #[inline]
    pub(crate) fn pool(&self) -> &Arc<Pool> {
        &self.handle.pool
    }
}
