//! The way back from a damaged log: ALTER DATABASE … SET EMERGENCY, then DBCC CHECKDB (…, REPAIR_ALLOW_DATA_LOSS).
//!
//! What always holds: nothing is given up before both were said; what was given up stands in the error log.

use millpond_engine::admin::alone::Alone;
use millpond_message as message;
use millpond_message::backup::of_alter;
use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::contract::DbId;
use millpond_storage::database::{DatabaseState, alter};

use crate::exec::admin::{databases, users};
use crate::exec::batch::BatchRun;

/// Whether a database is in EMERGENCY.
pub(in crate::exec) fn is_emergency(run: &BatchRun<'_>, id: DbId) -> bool {
    let database = run.ctx.engine.instance().database(id);
    database.is_some_and(|database| matches!(database.state(), DatabaseState::Emergency { .. }))
}

/// SET EMERGENCY, of a database that recovery could not open.
pub(in crate::exec) fn set_emergency(run: &mut BatchRun<'_>, id: DbId, name: &str) -> SqlResult<()> {
    let instance = run.ctx.engine.instance();
    if instance.database(id).is_some_and(|database| database.handle().is_ok()) {
        return Err(message::missing("ALTER DATABASE … SET EMERGENCY of a database that is open"));
    }
    alter::set_emergency(instance.databases(), id).map_err(|cause| of_alter(&cause, name))
}

/// Opens a database that is in EMERGENCY with what can be read of its log; false when it is not in EMERGENCY.
///
/// # Errors
/// 5061 while another session has it for itself; 5069 when it cannot be opened all the same; 3414 when undo fails.
pub(in crate::exec) fn repair_log(run: &mut BatchRun<'_>, id: DbId) -> SqlResult<bool> {
    if !is_emergency(run, id) {
        return Ok(false);
    }
    let name = run.ctx.engine.database_name(id).unwrap_or_default();
    let alone = Alone::at_once(&run.ctx, id);
    let mut alone = alone.ok_or_else(|| SqlError::of(5061, 1, &[&name]))?;
    alone.shut();
    let ask = run.ctx.ask_other();
    let repaired = alter::repair_database(databases(&run.ctx), &ask, id).map_err(|cause| of_alter(&cause, &name))?;
    let text = format!(
        "The log for database '{name}' has been cut off where it is damaged. Changes after the damage are lost, and rows and indexes may contradict each other. DBCC CHECKDB shows what is wrong; a new chain of backups has to begin with a full one."
    );
    run.ctx.engine.log_text(16, format!("Warning: {text}"));
    users::opened(run, &mut alone, &repaired)?;
    run.inform_text(format!("Warning: {text}"));
    Ok(true)
}
