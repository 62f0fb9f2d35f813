//! Extended events: what there is to collect, sessions as they are defined and as they collect, files of events.

pub(crate) mod defined;
pub(crate) mod file;
pub(crate) mod objects;
pub(crate) mod running;

use millpond_engine::context::RunContext;
use millpond_engine::security::may_on_server;
use millpond_message::error::{SqlError, SqlResult};

/// 300 without VIEW SERVER STATE: what names of no view ask for by themselves.
fn check_may_view(ctx: &RunContext) -> SqlResult<()> {
    match may_on_server(ctx, "VIEW SERVER STATE")? {
        true => Ok(()),
        false => Err(SqlError::of(300, 1, &[&"VIEW SERVER STATE", &"server", &"master"])),
    }
}
