//! `sp_detach_db`: a database is closed and forgotten; its files stay for CREATE DATABASE … FOR ATTACH.

use millpond_engine::system_call::{ProcedureDef, SystemCall};
use millpond_message::backup::of_alter;
use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::contract::DbId;
use millpond_types::Value;

use super::named::{SYSNAME, nvarchar};

/// `sp_detach_db name [, skipchecks [, keepfulltextindexfile]]`
pub static SP_DETACH_DB: ProcedureDef = ProcedureDef {
    name: "sp_detach_db",
    params: &[("@dbname", SYSNAME), ("@skipchecks", nvarchar(10)), ("@keepfulltextindexfile", nvarchar(10))],
    run: detach,
};

fn detach(call: &mut SystemCall<'_>) -> SqlResult<i32> {
    let name = match call.arg(&SP_DETACH_DB, 0) {
        Some(Value::Str(name)) => name.to_string(),
        _ => String::new(),
    };
    let engine = &call.ctx.engine;
    let Some(id) = engine.database_id(&name) else {
        let text = format!(
            "The database '{name}' does not exist. Supply a valid database name. To see available databases, use sys.databases."
        );
        return Err(SqlError::new(15010, 16, 1, text));
    };
    if id <= DbId::MSDB {
        return Err(SqlError::new(7940, 16, 1, "System databases master, model, msdb, and tempdb cannot be detached."));
    }
    if engine.sessions().iter().any(|session| session.status.lock().database == id) {
        let text = format!("Cannot detach the database '{name}' because it is currently in use.");
        return Err(SqlError::new(3703, 16, 2, text));
    }
    engine.databases().forget(id);
    let detached = engine.instance().detach_database(&call.ctx.ask_other(), id);
    detached.map_err(|cause| of_alter(&cause, &name))?;
    engine.databases().forget(id);
    Ok(0)
}
