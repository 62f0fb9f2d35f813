//! `sp_detach_db`: a database is closed and forgotten; its files stay for CREATE DATABASE … FOR ATTACH.

use millpond_engine::admin::alone::Alone;
use millpond_engine::system_call::{ProcedureDef, SystemCall};
use millpond_message::backup::of_alter;
use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::contract::DbId;
use millpond_storage::database::alter;
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
    let engine = &call.ctx().engine;
    let Some(id) = engine.database_id(&name) else {
        return Err(SqlError::of(15010, 1, &[&name]));
    };
    if id <= DbId::MSDB {
        return Err(SqlError::of(7940, 1, &[]));
    }
    let is_own = call.ctx().facts.database == id || call.ctx().session.status.lock().is_in(id);
    let alone = Alone::at_once(call.ctx(), id).filter(|alone| !is_own && alone.others().is_empty());
    let Some(mut alone) = alone else { return Err(SqlError::of(3703, 2, &[&name])) };
    alone.shut();
    let detached = alter::detach_database(engine.instance().databases(), &call.ctx().ask_other(), id);
    detached.map_err(|cause| of_alter(&cause, &name))?;
    Ok(0)
}
