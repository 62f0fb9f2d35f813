//! DBCC CLONEDATABASE: a database with the definitions of another one and none of its rows, READ_ONLY.
//!
//! What always holds: the definitions are those of one moment, read from an internal database snapshot that is dropped at the end; where
//! something fails, neither it nor half a clone stays, and neither outlives a server that ends meanwhile.

use millpond_catalog::dictionary::copy_definitions;
use millpond_engine::admin::alone::Alone;
use millpond_engine::admin::copied;
use millpond_engine::capture::administer;
use millpond_engine::system_call::{CallArg, DbccTakes};
use millpond_message as message;
use millpond_message::backup::{of_alter, of_create};
use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::contract::DbId;
use millpond_storage::database::alter;
use millpond_storage::database::create::{Claim, create_transient_database, keep_database};
use millpond_storage::database::options::DatabaseFlag;
use millpond_storage::database::plan::NewDatabase;
use millpond_storage::database::snapshot::NewSnapshot;
use millpond_types::Value;

use crate::exec::admin::alter_database::versioning;
use crate::exec::admin::{database, databases, snapshot, users};
use crate::exec::batch::BatchRun;

/// `DBCC CLONEDATABASE (source, target)`
pub(in crate::exec) const TAKES: DbccTakes = DbccTakes {
    args: 2..=2,
    options: &["NO_STATISTICS", "NO_QUERYSTORE", "VERIFY_CLONEDB", "SERVICEBROKER", "BACKUP_CLONEDB", "NO_INFOMSGS"],
};

/// Options that change nothing here, as there are no statistics but those of rows, and the one of Query Store.
const PASSED_OVER: [&str; 3] = ["NO_STATISTICS", "NO_QUERYSTORE", "NO_INFOMSGS"];

pub(in crate::exec) fn clone_database(run: &mut BatchRun<'_>, args: &[CallArg], options: &[String]) -> SqlResult<()> {
    database::not_in_transaction(run, "DBCC CLONEDATABASE")?;
    let name = |index: usize| args.get(index).and_then(|arg| arg.value.as_ref()).and_then(Value::as_str);
    let wrong = |index: usize| SqlError::of(2560, 9, &[&index]);
    let (source, target) = (name(0).ok_or_else(|| wrong(1))?, name(1).ok_or_else(|| wrong(2))?);
    let has = |word: &str| options.iter().any(|option| option == word);
    let (is_verified, has_store) = (has("VERIFY_CLONEDB"), !has("VERIFY_CLONEDB") && !has("NO_QUERYSTORE"));
    let known = |option: &&String| option.as_str() == "VERIFY_CLONEDB" || PASSED_OVER.contains(&option.as_str());
    if let Some(option) = options.iter().find(|option| !known(option)) {
        return Err(message::missing(&format!("DBCC CLONEDATABASE … WITH {option}")));
    }
    let id = run.ctx.engine.database_id(source).ok_or_else(|| SqlError::of(2520, 5, &[&source]))?;
    if id.0 < 5 {
        return Err(message::missing("DBCC CLONEDATABASE of a database of the system"));
    }
    if run.ctx.engine.database_id(target).is_some() {
        return Err(SqlError::of(1801, 3, &[&target]));
    }
    let _ = administer::flush_now(run.ctx.engine.databases(), id);
    let moment = snapshot_of(run, id, source, target)?;
    run.inform_text(format!("Database cloning for '{source}' has started with target as '{target}'."));
    let done = cloned(run, (id, moment.database()), target, is_verified, has_store);
    drop_made(run, moment);
    done?;
    run.inform_text(format!("Database cloning for '{source}' has finished. Cloned database is '{target}'."));
    run.inform_text(format!(
        "Database '{target}' is a cloned database. This database should be used for diagnostic purposes only and is not supported for use in a production environment."
    ));
    Ok(())
}

/// An internal snapshot of the source as it is now.
fn snapshot_of(run: &mut BatchRun<'_>, id: DbId, source: &str, target: &str) -> SqlResult<Alone> {
    let name = format!("{target}_{}_clone", run.ctx.facts.session);
    let files = copied::transient_files(&run.ctx.engine, id, &name);
    snapshot::take(run, (id, source), &NewSnapshot { name, files, is_copy: false, is_transient: true })
}

/// The new database, with the definitions that are in the snapshot and the options of the source.
fn cloned(
    run: &mut BatchRun<'_>,
    (source, moment): (DbId, DbId),
    target: &str,
    is_verified: bool,
    has_store: bool,
) -> SqlResult<()> {
    let collation = Some(run.ctx.engine.databases().collation(source).name().to_owned());
    let new = NewDatabase { name: target.to_owned(), data: Vec::new(), log: Vec::new(), collation };
    let make = |claim: Claim<'_>| create_transient_database(databases(&run.ctx), &run.ctx.ask_other(), &new, claim);
    let (made, mut alone) = users::claimed(&run.ctx, make).map_err(|cause| of_create(&cause, target))?;
    let filled = users::opened(run, &mut alone, &made)
        .and_then(|()| fill(run, (source, moment), made.id(), is_verified, has_store));
    if filled.is_err() {
        drop_made(run, alone);
    }
    filled
}

fn fill(
    run: &BatchRun<'_>,
    (source, moment): (DbId, DbId),
    target: DbId,
    is_verified: bool,
    has_store: bool,
) -> SqlResult<()> {
    let known = run.ctx.engine.databases();
    let (from, to) = (known.dictionary(moment)?, known.dictionary(target)?);
    known.on_own_account(|io| copy_definitions(&from, &to, io))?;
    if !has_store {
        administer::forget_records(known, target)?;
    }
    drop(to);
    known.forget(target);
    // Whether it can be read says that it is whole.
    known.dictionary(target)?;
    let instance = run.ctx.engine.instance();
    let mut options = instance.database(source).map(|database| database.options()).unwrap_or_default();
    options.set(DatabaseFlag::ReadOnly, true);
    options.set(DatabaseFlag::Clone, true);
    options.set(DatabaseFlag::VerifiedClone, is_verified);
    let name = run.ctx.engine.database_name(target).unwrap_or_default();
    let set = alter::set_database_options(databases(&run.ctx), &run.ctx.ask_other(), target, |kept| *kept = options);
    set.map_err(|cause| of_alter(&cause, &name))?;
    run.ctx.engine.txns().set_versioning(target, versioning(&options));
    keep_database(databases(&run.ctx), target).map_err(|cause| of_alter(&cause, &name))
}

/// Drops what was made on the way. A failure is logged: the statement has ended otherwise already.
fn drop_made(run: &BatchRun<'_>, mut alone: Alone) {
    if let Err(cause) = users::drop_unused(run, &mut alone) {
        run.ctx.engine.log_text(16, format!("A database that DBCC CLONEDATABASE made could not be dropped: {cause}"));
    }
}
