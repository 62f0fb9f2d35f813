//! The procedures of Query Store, for the database that is current: `sp_query_store_flush_db` and its kin.
//!
//! What always holds: they need the right to alter the database, and change its store at once, whatever becomes of the caller's
//! transaction. A plan that is forced is noted and shown so; plans are chosen as before.

use millpond_catalog::security::Securable;
use millpond_engine::capture::administer;
use millpond_engine::databases::Databases;
use millpond_engine::security::may;
use millpond_engine::system_call::{ProcedureDef, SystemCall};
use millpond_message::error::SqlResult;
use millpond_storage::contract::DbId;
use millpond_types::SqlType;

const QUERY: (&str, SqlType) = ("@query_id", SqlType::BigInt);
const PLAN: (&str, SqlType) = ("@plan_id", SqlType::BigInt);

/// `sp_query_store_flush_db`: what is in memory alone is written into the database.
pub static SP_QUERY_STORE_FLUSH_DB: ProcedureDef = ProcedureDef {
    name: "sp_query_store_flush_db",
    params: &[],
    run: |call| {
        let (databases, db) = of_current(call)?;
        administer::flush_now(databases, db).map(|()| 0)
    },
};

/// `sp_query_store_consistency_check`
pub static SP_QUERY_STORE_CONSISTENCY_CHECK: ProcedureDef = ProcedureDef {
    name: "sp_query_store_consistency_check",
    params: &[],
    run: |call| {
        let (databases, db) = of_current(call)?;
        administer::check_consistency(databases, db).map(|()| 0)
    },
};

/// `sp_query_store_force_plan query, plan`
pub static SP_QUERY_STORE_FORCE_PLAN: ProcedureDef = ProcedureDef {
    name: "sp_query_store_force_plan",
    params: &[QUERY, PLAN],
    run: |call| force(call, &SP_QUERY_STORE_FORCE_PLAN, true),
};

/// `sp_query_store_unforce_plan query, plan`
pub static SP_QUERY_STORE_UNFORCE_PLAN: ProcedureDef = ProcedureDef {
    name: "sp_query_store_unforce_plan",
    params: &[QUERY, PLAN],
    run: |call| force(call, &SP_QUERY_STORE_UNFORCE_PLAN, false),
};

/// `sp_query_store_remove_query query`
pub static SP_QUERY_STORE_REMOVE_QUERY: ProcedureDef = ProcedureDef {
    name: "sp_query_store_remove_query",
    params: &[QUERY],
    run: |call| on_one(call, &SP_QUERY_STORE_REMOVE_QUERY, administer::remove_query),
};

/// `sp_query_store_remove_plan plan`
pub static SP_QUERY_STORE_REMOVE_PLAN: ProcedureDef = ProcedureDef {
    name: "sp_query_store_remove_plan",
    params: &[PLAN],
    run: |call| on_one(call, &SP_QUERY_STORE_REMOVE_PLAN, administer::remove_plan),
};

/// `sp_query_store_reset_exec_stats plan`: its runs are forgotten.
pub static SP_QUERY_STORE_RESET_EXEC_STATS: ProcedureDef = ProcedureDef {
    name: "sp_query_store_reset_exec_stats",
    params: &[PLAN],
    run: |call| on_one(call, &SP_QUERY_STORE_RESET_EXEC_STATS, administer::reset_runs),
};

/// The database whose store it is.
///
/// # Errors
/// 12421 without the right to alter it.
fn of_current<'a>(call: &'a SystemCall<'_>) -> SqlResult<(&'a Databases, DbId)> {
    let ctx = call.ctx();
    let db = ctx.facts.database;
    if !may(ctx, db, "ALTER", Securable::DATABASE)? {
        return Err(administer::not_allowed());
    }
    Ok((ctx.engine.databases(), db))
}

/// 214 where it is missing or NULL.
fn number(call: &SystemCall<'_>, def: &ProcedureDef, index: usize) -> SqlResult<i64> {
    let value = call.arg(def, index).and_then(millpond_types::Value::as_i64);
    value.ok_or_else(|| administer::no_number(def.params[index].0))
}

fn force(call: &SystemCall<'_>, def: &ProcedureDef, forced: bool) -> SqlResult<i32> {
    let (databases, db) = of_current(call)?;
    let (query, plan) = (number(call, def, 0)?, number(call, def, 1)?);
    administer::force(databases, db, query, plan, forced).map(|()| 0)
}

fn on_one(
    call: &SystemCall<'_>,
    def: &ProcedureDef,
    change: fn(&Databases, DbId, i64) -> SqlResult<()>,
) -> SqlResult<i32> {
    let (databases, db) = of_current(call)?;
    change(databases, db, number(call, def, 0)?).map(|()| 0)
}
