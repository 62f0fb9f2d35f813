//! ALTER DATABASE … SET: who has to leave first, OFFLINE, ONLINE and EMERGENCY, and CREATE DATABASE … FOR ATTACH.
//!
//! What always holds: options are known before anybody is asked to leave; a change that needs the database for itself is
//! made when nobody else is in it.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use millpond_message as message;
use millpond_message::backup::of_alter;
use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::contract::DbId;
use millpond_storage::database::options::{DatabaseFlag, DatabaseOptions, UserAccess};
use millpond_tsql::ast::{CreateDatabase, NamedOption, Termination};
use millpond_txn::Versioning;

use crate::exec::admin::database::apply;
use crate::exec::admin::path_of;
use crate::exec::batch::BatchRun;

/// Options for which others have to leave.
const ALONE: [&str; 5] = ["SINGLE_USER", "OFFLINE", "READ_ONLY", "READ_WRITE", "READ_COMMITTED_SNAPSHOT"];
/// How long sessions that were told to end may take for it.
const ENDING_MAX: Duration = Duration::from_secs(10);
/// How often it is looked whether others have left.
const LOOK: Duration = Duration::from_millis(5);

/// OFFLINE, ONLINE, EMERGENCY: not an option, but a state.
fn is_state(option: &NamedOption) -> bool {
    matches!(option.name.as_str(), "OFFLINE" | "ONLINE" | "EMERGENCY")
}

fn state_of(options: &[NamedOption]) -> Option<&str> {
    options.iter().find(|option| is_state(option)).map(|option| option.name.as_str())
}

impl BatchRun<'_> {
    pub(in crate::exec) fn alter_set(
        &mut self,
        id: DbId,
        options: &[NamedOption],
        termination: Option<Termination>,
    ) -> SqlResult<()> {
        let name = self.ctx.engine.database_name(id).unwrap_or_default();
        if id == DbId::TEMPDB {
            let option = options.first().map_or("", |option| option.name.as_str());
            return Err(SqlError::of(5058, 1, &[&option, &" in database 'tempdb'"]));
        }
        let state = state_of(options).map(str::to_owned);
        let options: Vec<&NamedOption> = options.iter().filter(|option| !is_state(option)).collect();
        let mut changed = DatabaseOptions::default();
        for option in &options {
            // Known before anything changes.
            apply(&mut changed, option)?;
        }
        let done = self.alter_state(id, &name, state.as_deref(), &options, termination);
        match done {
            Ok(()) => {
                self.done_quietly(0);
                Ok(())
            }
            Err(error) if matches!(error.number, 5061 | 5064 | 5070) => {
                self.complain(error)?;
                Err(SqlError::of(5069, 1, &[&""]))
            }
            Err(error) => Err(error),
        }
    }

    fn alter_state(
        &mut self,
        id: DbId,
        name: &str,
        state: Option<&str>,
        options: &[&NamedOption],
        termination: Option<Termination>,
    ) -> SqlResult<()> {
        self.check_single_user(id, name)?;
        let needs_all = state == Some("OFFLINE") || options.iter().any(|o| ALONE.contains(&o.name.as_str()));
        if needs_all {
            self.make_alone(id, name, termination)?;
        }
        if state == Some("ONLINE") {
            self.set_online(id, name)?;
        }
        if state == Some("EMERGENCY") {
            self.set_emergency(id, name)?;
        }
        // Who may come into a database that is open to nobody is settled.
        let is_settled = self.is_emergency(id) && options.iter().all(|option| option.name.ends_with("_USER"));
        if !options.is_empty() && !is_settled {
            self.set_options(id, name, options)?;
        }
        if state == Some("OFFLINE") {
            self.set_offline(id, name)?;
        }
        Ok(())
    }

    /// 5064: in single-user mode only the one who is in may change anything.
    fn check_single_user(&self, id: DbId, name: &str) -> SqlResult<()> {
        let database = self.ctx.engine.instance().database(id);
        let is_single = database.is_some_and(|database| database.options().access == UserAccess::Single);
        if is_single && !self.others_in(id).is_empty() {
            return Err(SqlError::of(5064, 1, &[&name]));
        }
        Ok(())
    }

    fn set_options(&mut self, id: DbId, name: &str, options: &[&NamedOption]) -> SqlResult<()> {
        let instance = self.ctx.engine.instance();
        let before = instance.database(id).map(|database| database.options()).unwrap_or_default();
        let is_on = |options: &DatabaseOptions| Versioning {
            read_committed: options.is_on(DatabaseFlag::ReadCommittedSnapshot),
            snapshot: options.is_on(DatabaseFlag::AllowSnapshotIsolation),
        };
        let mut wanted = before;
        for option in options {
            apply(&mut wanted, option)?;
        }
        if !is_on(&before).is_on() && is_on(&wanted).is_on() {
            // A transaction that keeps no versions must not be open when the first reader wants one.
            self.wait_for_transactions(id)?;
        }
        let ask = self.ctx.ask_other();
        let set = self.ctx.engine.instance().set_database_options(&ask, id, |known| *known = wanted);
        let database = set.map_err(|cause| of_alter(&cause, name))?;
        self.ctx.engine.txns().set_versioning(id, is_on(&database.options()));
        Ok(())
    }

    fn wait_for_transactions(&self, id: DbId) -> SqlResult<()> {
        let Some(database) = self.ctx.engine.instance().database(id) else { return Ok(()) };
        let Ok(Some(log)) = database.log() else { return Ok(()) };
        let open: Vec<_> = log.active_transactions().iter().map(|txn| txn.id).collect();
        while log.active_transactions().iter().any(|txn| open.contains(&txn.id)) {
            self.look_again()?;
        }
        Ok(())
    }

    fn look_again(&self) -> SqlResult<()> {
        if self.ctx.task.is_cancelled() {
            return Err(message::cancelled());
        }
        std::thread::sleep(LOOK);
        Ok(())
    }

    /// Waits until no other session is in the database, or makes them leave.
    fn make_alone(&mut self, id: DbId, name: &str, termination: Option<Termination>) -> SqlResult<()> {
        if self.others_in(id).is_empty() {
            return Ok(());
        }
        let timeout_ms = u64::try_from(self.ctx.facts.settings.lock_timeout).ok();
        let (until, ends) = match termination {
            Some(Termination::NoWait) => {
                return Err(SqlError::of(5070, 2, &[&name]));
            }
            Some(Termination::Immediate) => (Some(Instant::now()), true),
            Some(Termination::After { wait_s }) => (Some(Instant::now() + Duration::from_secs(wait_s.into())), true),
            None => (timeout_ms.map(|ms| Instant::now() + Duration::from_millis(ms)), false),
        };
        while !self.others_in(id).is_empty() {
            if until.is_some_and(|until| Instant::now() >= until) {
                if !ends {
                    return Err(SqlError::of(5061, 1, &[&name]));
                }
                return self.end_others(id, name);
            }
            self.look_again()?;
        }
        Ok(())
    }

    /// WITH ROLLBACK: other sessions in the database end.
    fn end_others(&mut self, id: DbId, name: &str) -> SqlResult<()> {
        self.others_in(id).iter().for_each(|session| session.kill());
        let until = Instant::now() + ENDING_MAX;
        while !self.others_in(id).is_empty() {
            if Instant::now() >= until {
                return Err(SqlError::of(5061, 1, &[&name]));
            }
            self.look_again()?;
        }
        self.inform(5060, &[&100]);
        Ok(())
    }

    fn set_offline(&mut self, id: DbId, name: &str) -> SqlResult<()> {
        if self.ctx.facts.database == id {
            self.use_database("master")?;
        }
        self.ctx.engine.databases().forget(id);
        let ask = self.ctx.ask_other();
        let closed = self.ctx.engine.instance().set_offline(&ask, id);
        closed.map_err(|cause| of_alter(&cause, name))?;
        self.ctx.engine.databases().forget(id);
        Ok(())
    }

    fn set_online(&mut self, id: DbId, name: &str) -> SqlResult<()> {
        let ask = self.ctx.ask_other();
        let opened = self.ctx.engine.instance().set_online(&ask, id);
        self.opened(&*opened.map_err(|cause| of_alter(&cause, name))?)
    }

    /// FOR ATTACH. Where only data files are named, the log is looked for beside the first of them.
    pub(in crate::exec) fn attach_database(&mut self, create: &CreateDatabase) -> SqlResult<()> {
        let specs = create.filegroups.iter().flat_map(|group| &group.files).chain(&create.log);
        let mut paths = Vec::new();
        for spec in specs {
            let path = spec.file_name.as_deref().ok_or_else(|| SqlError::of(1037, 1, &[]))?;
            paths.push(path_of(path)?);
        }
        if create.log.is_empty()
            && let Some(log) = paths.first().and_then(|primary| beside(primary))
            && !paths.contains(&log)
        {
            paths.push(log);
        }
        let ask = self.ctx.ask_other();
        let attached = self.ctx.engine.instance().attach_database(&ask, &create.name, &paths);
        self.opened(&*attached.map_err(|cause| of_alter(&cause, &create.name))?)?;
        self.done_quietly(0);
        Ok(())
    }
}

/// The log that lies beside a primary file under one of the usual names.
fn beside(primary: &Path) -> Option<PathBuf> {
    let stem = primary.file_stem()?.to_string_lossy().into_owned();
    let names = [format!("{stem}_log.ldf"), format!("{stem}.ldf")];
    names.iter().map(|name| primary.with_file_name(name)).find(|path| path.exists())
}
