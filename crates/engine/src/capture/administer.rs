//! What is done to a store by statements and procedures.
//!
//! What always holds: who asks has the right to, the callers see to that; what fails changes nothing.

use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::contract::DbId;
use millpond_storage::database::options::DatabaseFlag;
use millpond_tsql::ast::NamedOption;

use crate::account::query_store::options::{StoreState, changed, is_clear};
use crate::account::query_store::store::QueryStore;
use crate::account::query_store::stores::{StoreHome, flush};
use crate::databases::Databases;

/// The option of ALTER DATABASE … SET.
const OPTION: &str = "QUERY_STORE";

fn of_store<'a>(options: impl Iterator<Item = &'a NamedOption>) -> impl Iterator<Item = &'a NamedOption> {
    options.filter(|option| option.name == OPTION)
}

/// Before anything of ALTER DATABASE … SET is done.
///
/// # Errors
/// 12417 for two of them, 12438 for a database that can have no store; what [`changed`] says.
pub fn check_altered(databases: &Databases, db: DbId, name: &str, options: &[NamedOption]) -> SqlResult<()> {
    let mut stores = of_store(options.iter());
    let Some(option) = stores.next() else { return Ok(()) };
    if stores.next().is_some() {
        return Err(SqlError::of(12_417, 1, &[]));
    }
    let is_system = matches!(db, DbId::MASTER | DbId::TEMPDB);
    // There is nothing to clear and nothing to turn off.
    if is_system && !is_clear(option) && !option.is("OFF") {
        return Err(SqlError::of(12_438, 1, &[&name]));
    }
    if !is_system {
        let store = databases.query_store(db)?;
        let (is_on, options) = store.with(|contents| (contents.is_on, contents.options));
        changed(is_on, options, option)?;
    }
    Ok(())
}

/// The flags of the database are set: its store follows.
///
/// # Errors
/// Those of reading and writing it.
pub fn alter(databases: &Databases, db: DbId, options: &[&NamedOption]) -> SqlResult<()> {
    let Some(option) = of_store(options.iter().copied()).next().filter(|_| !matches!(db, DbId::MASTER | DbId::TEMPDB))
    else {
        return Ok(());
    };
    let store = databases.query_store(db)?;
    let is_on = databases.database(db).is_some_and(|known| known.options().is_on(DatabaseFlag::QueryStore));
    if is_on {
        databases.note_store_on(db);
    }
    store.with(|contents| {
        let (_, options) = changed(contents.is_on, contents.options, option)?;
        (contents.is_on, contents.options) = (is_on, options);
        if is_clear(option) {
            contents.clear();
        }
        contents.note_options();
        Ok::<(), SqlError>(())
    })?;
    if !is_on {
        databases.note_store_off(db);
    }
    flush(databases, &store)
}

/// A procedure that changes the store: it is to be on, where it has to be, and not READ_ONLY.
fn check_state(store: &QueryStore, must_be_on: bool) -> SqlResult<()> {
    let (desired, is_read_only) =
        store.with(|contents| (contents.desired(), contents.desired() == StoreState::ReadOnly));
    if must_be_on && desired == StoreState::Off {
        return Err(SqlError::of(12_405, 4, &[&store.database.0]));
    }
    if is_read_only {
        return Err(SqlError::of(12_404, 1, &[&store.database.0]));
    }
    Ok(())
}

/// sp_query_store_force_plan, and sp_query_store_unforce_plan. It is noted and shown; plans are chosen as before.
///
/// # Errors
/// 12404 and 12405 for a store that takes no changes, 12402 for a query and 12406 for a plan that is not there.
pub fn force(databases: &Databases, db: DbId, query: i64, plan: i64, forced: bool) -> SqlResult<()> {
    let store = databases.query_store(db)?;
    check_state(&store, true)?;
    store.with(|contents| {
        let known = contents.queries.get(&query).ok_or_else(|| no_query(db, query, 2))?;
        if !known.plans.contains(&plan) {
            return Err(SqlError::of(12_406, 1, &[&plan, &query]));
        }
        contents.force(query, plan, forced);
        Ok(())
    })
}

/// sp_query_store_remove_query
///
/// # Errors
/// 12402 for one that is not there, 12425 for one with a forced plan; 12404.
pub fn remove_query(databases: &Databases, db: DbId, query: i64) -> SqlResult<()> {
    let store = databases.query_store(db)?;
    check_state(&store, false)?;
    store.with(|contents| {
        let known = contents.queries.get(&query).ok_or_else(|| no_query(db, query, 1))?;
        if contents.is_forced(known) {
            return Err(SqlError::of(12_425, 1, &[&query]));
        }
        contents.remove_query(query);
        Ok(())
    })
}

/// sp_query_store_remove_plan
///
/// # Errors
/// 12403 for one that is not there, 12426 for a forced one; 12404.
pub fn remove_plan(databases: &Databases, db: DbId, plan: i64) -> SqlResult<()> {
    let store = databases.query_store(db)?;
    check_state(&store, false)?;
    store.with(|contents| {
        let known = contents.plans.get(&plan).ok_or_else(|| no_plan(db, plan, 1))?;
        if known.forced {
            return Err(SqlError::of(12_426, 1, &[&plan]));
        }
        contents.remove_plan(plan);
        Ok(())
    })
}

/// sp_query_store_reset_exec_stats: its runs are forgotten.
///
/// # Errors
/// 12403 for a plan that is not there; 12404.
pub fn reset_runs(databases: &Databases, db: DbId, plan: i64) -> SqlResult<()> {
    let store = databases.query_store(db)?;
    check_state(&store, false)?;
    store.with(|contents| {
        if !contents.plans.contains_key(&plan) {
            return Err(no_plan(db, plan, 2));
        }
        contents.reset_runs(plan);
        Ok(())
    })
}

/// sp_query_store_flush_db
///
/// # Errors
/// Those of writing it.
pub fn flush_now(databases: &Databases, db: DbId) -> SqlResult<()> {
    flush(databases, &*databases.query_store(db)?)
}

/// A database that was made of another one is to have no store.
///
/// # Errors
/// Those of reading and writing it.
pub fn forget_records(databases: &Databases, db: DbId) -> SqlResult<()> {
    let gone: Vec<u32> = databases.read_records(db)?.into_iter().map(|(number, _)| number).collect();
    databases.change_records(db, &[], &gone)
}

/// sp_query_store_consistency_check: what could not be read is given up.
///
/// # Errors
/// 12427 while it is on.
pub fn check_consistency(databases: &Databases, db: DbId) -> SqlResult<()> {
    let store = databases.query_store(db)?;
    store.with(|contents| {
        if contents.is_on {
            return Err(SqlError::of(12_427, 3, &[]));
        }
        contents.is_damaged = false;
        contents.note_options();
        Ok(())
    })?;
    flush(databases, &store)
}

fn no_query(db: DbId, query: i64, state: u8) -> SqlError {
    SqlError::of(12_402, state, &[&query, &db.0])
}

fn no_plan(db: DbId, plan: i64, state: u8) -> SqlError {
    SqlError::of(12_403, state, &[&plan, &db.0])
}

/// 12421: the right to alter the database is missing.
#[must_use]
pub fn not_allowed() -> SqlError {
    SqlError::of(12_421, 1, &[])
}

/// 214: an argument is missing, or NULL.
#[must_use]
pub fn no_number(parameter: &str) -> SqlError {
    SqlError::of(214, 2, &[&parameter, &"bigint"])
}
