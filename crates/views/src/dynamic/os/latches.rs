//! `sys.dm_os_latch_stats`: waits for latches, by what is latched.
//!
//! What always holds: a class that nothing is ever latched of has no row; one that nobody has waited for has one of zeros
//! (`storage::wait::LatchClass` has them all).

use millpond_catalog::system_view::ViewDef;
use millpond_storage::wait::LatchReport;

use crate::columns::{NVarChar, big, text};
use crate::row::{ViewRows, row, view};

row! {
    /// A row of `sys.dm_os_latch_stats`.
    struct DmOsLatchStats {
        latch_class: NVarChar<60>,
        waiting_requests_count: i64,
        wait_time_ms: i64,
        max_wait_time_ms: i64,
    }
}

/// `sys.dm_os_latch_stats`
pub static DM_OS_LATCH_STATS: ViewDef = view(
    "sys",
    "dm_os_latch_stats",
    &ViewRows(|ctx, _| {
        let row = |latch: LatchReport| DmOsLatchStats {
            latch_class: text(latch.class.name()),
            waiting_requests_count: big(latch.waits),
            wait_time_ms: big(latch.wait_us / 1000),
            max_wait_time_ms: big(latch.max_us / 1000),
        };
        Ok(ctx.engine.instance().waits().latches().into_iter().map(row).collect())
    }),
);
