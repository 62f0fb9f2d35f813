//! Who uses a database: sessions that stand in it, and whether it can be had alone.

use millpond_engine::admin::alone::Alone;
use millpond_engine::context::RunContext;
use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::database::Database;
use millpond_storage::database::alter_error::AlterDatabaseError;
use millpond_storage::database::create::{Claim, drop_database};
use millpond_txn::recovery;

use crate::exec::admin::databases;
use crate::exec::batch::BatchRun;

/// A database that was made, attached or restored: what was open in it is undone, its definitions are read anew. Until then nobody
/// else comes to them: what is remembered of the database begins anew too.
pub(in crate::exec) fn opened(run: &mut BatchRun<'_>, alone: &mut Alone, database: &Database) -> SqlResult<()> {
    assert!(alone.database() == database.id(), "{} is opened, and another is had alone", database.id());
    let engine = &run.ctx.engine;
    engine.databases().forget(database.id());
    if database.handle().is_ok() {
        let ask = run.ctx.ask_other();
        recovery::recover::recover_database(engine.txns(), &ask, database).map_err(|cause| {
            let name = database.name();
            SqlError::of(
                3414,
                1,
                &[&name, &cause, &"Diagnose the recovery errors and fix them, or restore from a known good backup"],
            )
        })?;
        alone.open();
        engine.databases().dictionary(database.id())?;
    }
    alone.open();
    Ok(())
}

/// Makes a database that nobody else comes into before it is [opened]: `make` claims its number before anybody can find it.
pub(in crate::exec) fn claimed<T, E>(
    ctx: &RunContext,
    make: impl FnOnce(Claim<'_>) -> Result<T, E>,
) -> Result<(T, Alone), E> {
    let mut alone = None;
    let made = make(&mut |db| alone = Some(Alone::made(ctx, db)))?;
    Ok((made, alone.expect("the number of a database is claimed before the database is there")))
}

/// Drops a database that no session is in; no session has its definitions in memory then.
pub(in crate::exec) fn drop_unused(run: &BatchRun<'_>, alone: &mut Alone) -> Result<(), AlterDatabaseError> {
    alone.shut();
    drop_database(databases(&run.ctx), alone.database())
}

/// Sessions that have a database as their current one, or are in it otherwise; this one too, by a scope around.
pub(in crate::exec) fn users_of(run: &BatchRun<'_>, alone: &Alone) -> usize {
    let is_own = run.ctx.facts.database == alone.database() || run.ctx.session.status.lock().is_in(alone.database());
    alone.others().len() + usize::from(is_own)
}
