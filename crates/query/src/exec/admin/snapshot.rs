//! CREATE DATABASE … AS SNAPSHOT OF and AS COPY OF, RESTORE … FROM DATABASE_SNAPSHOT.
//!
//! What always holds: transactions that are open in the source are undone in the snapshot before anybody reads it.

use std::cell::Cell;

use millpond_engine::admin::alone::Alone;
use millpond_engine::admin::copied;
use millpond_engine::security::{is_sysadmin, owns_database};
use millpond_engine::stay;
use millpond_message as message;
use millpond_message::backup::{of_restore, of_snapshot};
use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::backup::revert;
use millpond_storage::contract::DbId;
use millpond_storage::database::snapshot::{NewSnapshot, create_snapshot};
use millpond_tsql::ast::{CreateDatabase, FileSpec};

use crate::exec::admin::databases;
use crate::exec::admin::history::note_revert;
use crate::exec::admin::users::{claimed, drop_unused, opened, users_of};
use crate::exec::batch::BatchRun;
use millpond_engine::admin::file_spec::{check_spec, path_of};

pub(in crate::exec) fn create(run: &mut BatchRun<'_>, create: &CreateDatabase, source: &str) -> SqlResult<()> {
    let has_more = create.filegroups.len() > 1 || !create.log.is_empty() || create.collation.is_some();
    if has_more || create.filegroups.iter().any(|group| group.contains.is_some() || group.default) {
        return Err(SqlError::of(1825, 1, &[]));
    }
    if create.containment.is_some() || !create.options.is_empty() {
        return Err(message::syntax_near("SNAPSHOT"));
    }
    made(run, create, source, false)
}

/// CREATE DATABASE … AS COPY OF: the pages of the source are the copy's until either of them changes one.
pub(in crate::exec) fn copy(run: &mut BatchRun<'_>, create: &CreateDatabase, source: &str) -> SqlResult<()> {
    let has_more = !create.filegroups.is_empty() || !create.log.is_empty() || create.collation.is_some();
    if has_more || create.containment.is_some() || !create.options.is_empty() {
        return Err(message::syntax_near("COPY"));
    }
    made(run, create, source, true)
}

fn made(run: &mut BatchRun<'_>, create: &CreateDatabase, source: &str, is_copy: bool) -> SqlResult<()> {
    let id = run.ctx.engine.database_id(source).ok_or_else(|| message::unknown_database(source))?;
    if !is_sysadmin(&run.ctx)? && !owns_database(&run.ctx, id) {
        return Err(SqlError::of(1817, 1, &[&source]));
    }
    let files = match is_copy {
        true => copied::begin(&run.ctx.engine, id, &create.name)?,
        false => create.filegroups.iter().flat_map(|group| &group.files).map(new_file).collect::<SqlResult<_>>()?,
    };
    drop(take(run, (id, source), &NewSnapshot { name: create.name.clone(), files, is_copy, is_transient: false })?);
    run.done_without_count();
    Ok(())
}

/// Makes a snapshot of a database, in which the transactions that are open in it are undone; nobody else is in it yet.
///
/// # Errors
/// Those of a snapshot that cannot be made; 1823 after the error of one that cannot be opened, which is dropped again.
pub(in crate::exec) fn take(run: &mut BatchRun<'_>, source: (DbId, &str), new: &NewSnapshot) -> SqlResult<Alone> {
    let engine = run.ctx.engine.clone();
    let was_quiet = Cell::new(false);
    let own = run.ctx.session.id;
    let between = |work: &mut dyn FnMut()| was_quiet.set(copied::at_split(&engine, own, source.0, work));
    let made = stay::using(&run.ctx, &mut run.session.work, source.0, || {
        let ask = run.ctx.ask_other();
        claimed(&run.ctx, |claim| create_snapshot(databases(&run.ctx), &ask, source.0, new, &between, claim))
    });
    let (snapshot, mut alone) = made?.map_err(|cause| of_snapshot(&cause, &new.name, source.1))?;
    if was_quiet.get() {
        engine.databases().pass_over_sweep(&snapshot);
    }
    if let Err(error) = opened(run, &mut alone, &snapshot) {
        // Half a snapshot is of no use: what was open in its source is in it.
        let _ = drop_unused(run, &mut alone);
        run.complain(error)?;
        return Err(SqlError::of(1823, 2, &[]));
    }
    Ok(alone)
}

fn new_file(spec: &FileSpec) -> SqlResult<(String, std::path::PathBuf)> {
    check_spec(spec)?;
    let given = [("SIZE", spec.size_kb.is_some()), ("MAXSIZE", spec.max_size.is_some())];
    let more = given.into_iter().chain([("FILEGROWTH", spec.growth.is_some())]).find(|(_, is_given)| *is_given);
    if let Some((property, _)) = more {
        return Err(SqlError::of(1815, 1, &[&property]));
    }
    let name = spec.name.clone().ok_or_else(|| SqlError::of(1036, 1, &[]))?;
    let path = spec.file_name.as_deref().ok_or_else(|| SqlError::of(1037, 1, &[]))?;
    Ok((name, path_of(path)?))
}

/// The database is what it was when the snapshot was taken. No session is in either of them.
pub(in crate::exec) fn put_back(run: &mut BatchRun<'_>, name: &str, snapshot: &str) -> SqlResult<()> {
    let ids = [name, snapshot].map(|name| run.ctx.engine.database_id(name));
    let ids: std::collections::BTreeSet<_> = ids.into_iter().flatten().collect();
    let in_use = || SqlError::of(3101, 1, &[]);
    let alone = ids.iter().map(|id| Alone::once_left(&run.ctx, *id).ok_or_else(in_use)).collect::<SqlResult<Vec<_>>>();
    let mut alone = alone?;
    if alone.iter().any(|alone| users_of(run, alone) > 0) {
        return Err(in_use());
    }
    // Large values that wait are freed while their trees can still be written.
    alone.iter_mut().for_each(Alone::shut);
    let done = revert::revert(databases(&run.ctx), &run.ctx.ask_other(), name, snapshot);
    let (database, snapshot) = done.map_err(|cause| of_restore(cause, name))?;
    for alone in &mut alone {
        let of_both = [&database, &snapshot].into_iter().find(|one| one.id() == alone.database());
        of_both.map_or(Ok(()), |one| opened(run, alone, one))?;
    }
    note_revert(run, name)
}
