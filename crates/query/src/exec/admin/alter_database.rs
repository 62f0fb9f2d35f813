//! ALTER DATABASE … SET: who has to leave first, OFFLINE, ONLINE and EMERGENCY, and CREATE DATABASE … FOR ATTACH.
//!
//! What always holds: options are known before anybody is asked to leave; a change that needs the database for itself is
//! made when no other session is in it.

use millpond_engine::admin::access;
use millpond_engine::admin::alone::Alone;
use millpond_engine::admin::database_options::{apply, log_set};
use millpond_engine::capture::administer;
use millpond_engine::stay::{heard, others_in};
use millpond_message::backup::of_alter;
use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::contract::DbId;
use millpond_storage::database::alter;
use millpond_storage::database::options::{DatabaseFlag, DatabaseOptions, UserAccess};
use millpond_tsql::ast::{NamedOption, Termination};
use millpond_txn::Versioning;
use millpond_txn::lock::LockError;

use crate::exec::admin::{databases, emergency, users};
use crate::exec::batch::{BatchRun, settings};
use millpond_rights::containment;

/// Options for which others have to leave.
const ALONE: [&str; 5] = ["SINGLE_USER", "OFFLINE", "READ_ONLY", "READ_WRITE", "READ_COMMITTED_SNAPSHOT"];
/// Options that keep sessions or changes out.
const CLOSES: [&str; 6] = ["SINGLE_USER", "RESTRICTED_USER", "OFFLINE", "EMERGENCY", "READ_ONLY", "AUTO_CLOSE"];
/// How long sessions that were asked to end may take for it.
const ENDING_MAX_MS: u32 = 10_000;

/// OFFLINE, ONLINE, EMERGENCY: not an option, but a state.
fn is_state(option: &NamedOption) -> bool {
    matches!(option.name.as_str(), "OFFLINE" | "ONLINE" | "EMERGENCY")
}

fn state_of(options: &[NamedOption]) -> Option<&str> {
    options.iter().find(|option| is_state(option)).map(|option| option.name.as_str())
}

pub(in crate::exec) fn alter_set(
    run: &mut BatchRun<'_>,
    id: DbId,
    options: &[NamedOption],
    termination: Option<Termination>,
) -> SqlResult<()> {
    let name = run.ctx.engine.database_name(id).unwrap_or_default();
    administer::check_altered(run.ctx.engine.databases(), id, &name, options)?;
    if id == DbId::TEMPDB {
        let option = options.first().map_or("", |option| option.name.as_str());
        return Err(SqlError::of(5058, 1, &[&option, &" in database 'tempdb'"]));
    }
    // Who may log in, and where logins are, stays.
    let closes = |option: &&NamedOption| CLOSES.contains(&option.name.as_str());
    if let Some(option) = options.iter().find(closes).filter(|_| matches!(id, DbId::MASTER | DbId::MODEL)) {
        return Err(SqlError::of(5058, 1, &[&option.name, &format_args!(" in database '{name}'")]));
    }
    let state = state_of(options).map(str::to_owned);
    let options: Vec<&NamedOption> = options.iter().filter(|option| !is_state(option)).collect();
    let mut changed = DatabaseOptions::default();
    for option in &options {
        // Known before anything changes.
        apply(&mut changed, option)?;
    }
    containment::check_altered(&run.ctx, id, &name, &options)?;
    let done = alter_state(run, id, &name, state.as_deref(), &options, termination);
    match done {
        Ok(()) => {
            log_set(&run.ctx, &name, state.as_deref(), &options);
            run.done_without_count();
            Ok(())
        }
        Err(error) if matches!(error.number, 5061 | 5064 | 5070) => {
            run.complain(error)?;
            Err(SqlError::of(5069, 1, &[&""]))
        }
        Err(error) => Err(error),
    }
}

fn alter_state(
    run: &mut BatchRun<'_>,
    id: DbId,
    name: &str,
    state: Option<&str>,
    options: &[&NamedOption],
    termination: Option<Termination>,
) -> SqlResult<()> {
    check_single_user(run, id, name)?;
    let mut alone = close(run, id, name, termination)?;
    let needs_all = state == Some("OFFLINE") || options.iter().any(|o| ALONE.contains(&o.name.as_str()));
    let restricts = options.iter().any(|option| option.name == "RESTRICTED_USER");
    if restricts && !needs_all {
        alone.spare_administrators();
    }
    if needs_all || restricts {
        make_alone(run, &alone, name, termination)?;
    }
    if state == Some("ONLINE") {
        set_online(run, &mut alone, id, name)?;
    }
    if state == Some("EMERGENCY") {
        emergency::set_emergency(run, id, name)?;
    }
    // Which session may enter a closed database is decided.
    let is_settled = emergency::is_emergency(run, id) && options.iter().all(|option| option.name.ends_with("_USER"));
    if !options.is_empty() && !is_settled {
        set_options(run, &alone, name, options)?;
    }
    if state == Some("OFFLINE") {
        set_offline(run, &mut alone, id, name)?;
    }
    Ok(())
}

/// 5064: in single-user mode only the one who is in may change anything.
fn check_single_user(run: &BatchRun<'_>, id: DbId, name: &str) -> SqlResult<()> {
    let database = run.ctx.engine.instance().database(id);
    let is_single = database.is_some_and(|database| database.options().access == UserAccess::Single);
    if is_single && !others_in(&run.ctx.engine, run.ctx.session.id, id).is_empty() {
        return Err(SqlError::of(5064, 1, &[&name]));
    }
    Ok(())
}

fn set_options(run: &mut BatchRun<'_>, alone: &Alone, name: &str, options: &[&NamedOption]) -> SqlResult<()> {
    let id = alone.database();
    let instance = run.ctx.engine.instance();
    let before = instance.database(id).map(|database| database.options()).unwrap_or_default();
    let mut wanted = before;
    for option in options {
        apply(&mut wanted, option)?;
    }
    if !versioning(&before).is_on() && versioning(&wanted).is_on() {
        // A transaction that keeps no versions must not be open when the first reader wants one.
        heard(alone.wait_for_transactions(&run.ctx))?;
    }
    if wanted.is_on(DatabaseFlag::ReadOnly) && !before.is_on(DatabaseFlag::ReadOnly) {
        // While they can be written: a copy of it goes on after the last one.
        alone.give_back();
    }
    let ask = run.ctx.ask_other();
    let set = alter::set_database_options(databases(&run.ctx), &ask, id, |known| *known = wanted);
    let database = set.map_err(|cause| of_alter(&cause, name))?;
    run.ctx.engine.txns().set_versioning(id, versioning(&database.options()));
    access::note_changed(&run.ctx.engine, &before, &wanted);
    administer::alter(run.ctx.engine.databases(), id, options)
}

/// What a database keeps of rows that change.
pub(in crate::exec) fn versioning(options: &DatabaseOptions) -> Versioning {
    Versioning {
        read_committed: options.is_on(DatabaseFlag::ReadCommittedSnapshot),
        snapshot: options.is_on(DatabaseFlag::AllowSnapshotIsolation),
    }
}

/// How long others are waited for: until they leave, or until they are ended.
fn patience_of(run: &BatchRun<'_>, termination: Option<Termination>) -> Option<u32> {
    match termination {
        Some(Termination::NoWait | Termination::Immediate) => Some(0),
        Some(Termination::After { wait_s }) => Some(wait_s.saturating_mul(1000)),
        None => u32::try_from(run.ctx.facts.settings.lock_timeout).ok(),
    }
}

/// Has the database alone; another session that has it is waited for as those that are in it are, and is not ended.
fn close(run: &BatchRun<'_>, id: DbId, name: &str, termination: Option<Termination>) -> SqlResult<Alone> {
    let patience = match termination {
        Some(Termination::Immediate | Termination::After { .. }) => {
            patience_of(run, termination).map(|ms| ms.max(ENDING_MAX_MS))
        }
        _ => patience_of(run, termination),
    };
    match Alone::of(&run.ctx, id, patience) {
        Err(LockError::Timeout { .. }) => Err(in_use(name, termination)),
        had => heard(had),
    }
}

fn in_use(name: &str, termination: Option<Termination>) -> SqlError {
    match termination {
        Some(Termination::NoWait) => SqlError::of(5070, 2, &[&name]),
        _ => SqlError::of(5061, 1, &[&name]),
    }
}

/// Waits until no other session is in the database, or makes them leave.
fn make_alone(run: &mut BatchRun<'_>, alone: &Alone, name: &str, termination: Option<Termination>) -> SqlResult<()> {
    let ends = matches!(termination, Some(Termination::Immediate | Termination::After { .. }));
    match alone.wait_for_others(&run.ctx, patience_of(run, termination)) {
        Err(LockError::Timeout { .. }) if ends => end_others(run, alone, name),
        Err(LockError::Timeout { .. }) => Err(in_use(name, termination)),
        left => heard(left),
    }
}

/// WITH ROLLBACK: other sessions in the database end.
fn end_others(run: &mut BatchRun<'_>, alone: &Alone, name: &str) -> SqlResult<()> {
    alone.others().iter().for_each(|session| session.kill());
    match alone.wait_for_others(&run.ctx, Some(ENDING_MAX_MS)) {
        Err(LockError::Timeout { .. }) => return Err(in_use(name, None)),
        left => heard(left)?,
    }
    run.inform(5060, &[&100]);
    Ok(())
}

fn set_offline(run: &mut BatchRun<'_>, alone: &mut Alone, id: DbId, name: &str) -> SqlResult<()> {
    if run.ctx.facts.database == id {
        settings::use_database(run, "master")?;
    }
    alone.shut();
    let ask = run.ctx.ask_other();
    alter::set_offline(databases(&run.ctx), &ask, id).map_err(|cause| of_alter(&cause, name))
}

fn set_online(run: &mut BatchRun<'_>, alone: &mut Alone, id: DbId, name: &str) -> SqlResult<()> {
    let ask = run.ctx.ask_other();
    alone.shut();
    let opened = alter::set_online(databases(&run.ctx), &ask, id);
    users::opened(run, alone, &*opened.map_err(|cause| of_alter(&cause, name))?)
}
