//! ALTER SERVER CONFIGURATION SET BUFFER POOL EXTENSION.

use std::path::Path;

use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::instance::extension;
use millpond_tsql::ast::BufferPoolExtension;

use crate::exec::batch::BatchRun;

/// ON with a file and its size, or OFF.
pub(in crate::exec) fn buffer_pool_extension(
    run: &mut BatchRun<'_>,
    extension: Option<&BufferPoolExtension>,
) -> SqlResult<()> {
    if run.ctx.facts.tran_count > 0 {
        return Err(SqlError::of(574, 0, &[&"ALTER SERVER CONFIGURATION"]));
    }
    let instance = run.ctx.engine.instance().clone();
    let changed = match extension {
        Some(on) => extension::enable_extension(&instance, Path::new(&on.filename), on.size_kb),
        None => extension::disable_extension(&instance, &run.ctx.ask_other()),
    };
    changed.map_err(|error| message::of_extension(&error))?;
    run.done_without_count();
    Ok(())
}
