//! DBCC DROPCLEANBUFFERS and FREEPROCCACHE.

use millpond_engine::system_call::DbccDef;

/// Drops clean pages of all databases from memory; dirty ones stay.
pub static DROPCLEANBUFFERS: DbccDef = DbccDef {
    name: "DROPCLEANBUFFERS",
    run: |call| {
        call.ctx().engine.instance().pool().drop_clean();
        Ok(())
    },
};

/// Forgets parsed texts.
pub static FREEPROCCACHE: DbccDef = DbccDef {
    name: "FREEPROCCACHE",
    run: |call| {
        call.ctx().engine.clear_cache();
        Ok(())
    },
};
