//! `sys.dm_millpond_activity`: one row, with what the server has done since it started and what it does now.
//!
//! What always holds: it costs the same with one session and with ten thousand, and with little memory and much.

use millpond_catalog::Within;
use millpond_catalog::system_view::ViewDef;
use millpond_engine::activity::figures;
use millpond_engine::context::RunContext;
use millpond_history::each_figure;
use millpond_history::figure::Figure;
use millpond_message::error::SqlResult;
use millpond_types::DateTime2;

use super::time;
use crate::columns::big;
use crate::row::{Rows, ViewRows, row, view};

macro_rules! activity {
    ($($(#[$doc:meta])* $kind:ident $name:ident,)*) => {
        row! {
            /// A row of `sys.dm_millpond_activity`.
            struct DmMillpondActivity {
                sample_time_utc: DateTime2,
                start_time_utc: DateTime2,
                uptime_ms: i64,
                $($(#[$doc])* $name: i64,)*
            }
        }

        fn now(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<DmMillpondActivity>> {
            let figures = figures(&ctx.engine);
            Ok(Rows::one(DmMillpondActivity {
                sample_time_utc: time(ctx.engine.now_us().0),
                start_time_utc: time(ctx.engine.instance().start_time().utc_us),
                uptime_ms: big(ctx.engine.clock_us() / 1000),
                $($name: big(figures.get(Figure::$name)),)*
            }))
        }
    };
}

each_figure!(activity);

/// `sys.dm_millpond_activity`
pub static DM_MILLPOND_ACTIVITY: ViewDef = view("sys", "dm_millpond_activity", &ViewRows(now));
