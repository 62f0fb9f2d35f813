//! Statements to the server itself: DBCC, CHECKPOINT, ALTER DATABASE, RECONFIGURE, SHUTDOWN, KILL.

pub(crate) mod alter_database;
pub(crate) mod app_lock;
pub(crate) mod backup;
pub(crate) mod check;
pub(crate) mod check_constraints;
pub(crate) mod check_report;
pub(crate) mod clone;
pub(crate) mod collation;
pub(crate) mod database;
pub(crate) mod emergency;
pub(crate) mod extension;
pub(crate) mod filegroup;
pub(crate) mod governor;
pub(crate) mod history;
pub(crate) mod kill;
pub(crate) mod msdb;
pub(crate) mod showplan;
pub(crate) mod snapshot;
pub(crate) mod users;

use std::time::Duration;

use millpond_engine::admin::file_spec::{check_spec, file_change, file_of};
use millpond_engine::context::RunContext;
use millpond_engine::governor::apply_session_limit;
use millpond_engine::scoped;
use millpond_engine::settled;
use millpond_engine::system_call::{CallArg, DbccDef, SystemCall};
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_message::sink::Message;
use millpond_storage::contract::DbId;
use millpond_storage::database::databases::Databases;
use millpond_storage::database::file_change::FileChanged;
use millpond_storage::database::{alter_file, alter_remove};
use millpond_tsql::ast::{AlterDatabase, Expr, ExprKind, FileSpec, ScopedConfiguration, Statement};
use millpond_types::{SqlType, Value};

use crate::exec::admin::check::CheckCommand;
use crate::exec::batch::{BatchRun, scalar};
use crate::exec::ddl::reorganize;
use crate::exec::routine::system_steps;
use millpond_rights::{containment, statements};

/// How long REMOVE FILE and EMPTYFILE wait until other files of tempdb have room.
pub const REMOVE_PATIENCE_US: u64 = 30_000_000;

/// Messages after a change: number and text.
type Notes = Vec<Message>;

pub(in crate::exec) fn dbcc(
    run: &mut BatchRun<'_>,
    statement: &Statement,
    command: &str,
    args: &[Expr],
    options: &[String],
) -> SqlResult<()> {
    let found = DbccCommand::of(run, command).ok_or_else(|| message::unknown_dbcc(command))?;
    let mut values = Vec::with_capacity(args.len());
    for (index, arg) in args.iter().enumerate() {
        values.push(dbcc_arg(run, statement, index, arg)?);
    }
    let takes = match found {
        DbccCommand::Check(check) => check.takes(),
        DbccCommand::Constraints => &check_constraints::TAKES,
        DbccCommand::Clone => &clone::TAKES,
        DbccCommand::Defragment => &reorganize::TAKES,
        DbccCommand::Registered(def) => &def.takes,
    };
    takes.check(values.len(), options)?;
    statements::check_dbcc(&run.ctx, command, &values)?;
    match found {
        DbccCommand::Constraints => check_constraints::check_constraints(run, &values, options)?,
        DbccCommand::Check(check) => check::check(run, statement, check, &values, options)?,
        DbccCommand::Clone => clone::clone_database(run, &values, options)?,
        DbccCommand::Defragment => reorganize::defragment(run, &values, options)?,
        DbccCommand::Registered(def) => {
            let options = options.to_vec();
            let mut call = SystemCall {
                run: &*run.ctx,
                args: values,
                options,
                sink: run.sink,
                is_uncounted: false,
                outputs: Vec::new(),
                steps: Vec::new(),
            };
            (def.run)(&mut call)?;
            let steps = std::mem::take(&mut call.steps);
            if system_steps::in_batch(run, steps, 0)? != 0 {
                return Ok(());
            }
        }
    }
    if !options.iter().any(|option| option == "NO_INFOMSGS") {
        run.inform(2528, &[]);
    }
    run.done_without_count();
    Ok(())
}

/// Where a DBCC command is: those that need the whole session are here, the others are registered.
enum DbccCommand {
    Check(CheckCommand),
    Constraints,
    Clone,
    Defragment,
    Registered(&'static DbccDef),
}

impl DbccCommand {
    fn of(run: &BatchRun<'_>, command: &str) -> Option<DbccCommand> {
        if command.eq_ignore_ascii_case("CLONEDATABASE") {
            return Some(DbccCommand::Clone);
        }
        if command.eq_ignore_ascii_case("CHECKCONSTRAINTS") {
            return Some(DbccCommand::Constraints);
        }
        if command.eq_ignore_ascii_case("INDEXDEFRAG") {
            return Some(DbccCommand::Defragment);
        }
        let registered = || (run.ctx.engine.registry().dbcc)(command).map(DbccCommand::Registered);
        CheckCommand::of(command).map(DbccCommand::Check).or_else(registered)
    }
}

/// A bare word (`LOGSPACE`, `CLEAR`, a name) is a text.
fn dbcc_arg(run: &mut BatchRun<'_>, statement: &Statement, index: usize, arg: &Expr) -> SqlResult<CallArg> {
    let word = match &arg.kind {
        ExprKind::Column(name) => Some(name.shown()),
        ExprKind::Default => Some("default".to_owned()),
        _ => None,
    };
    let (value, sql) = match word {
        Some(word) => (Value::str(&word), SqlType::NVarChar { len: millpond_types::MaxLen::Max }),
        None => {
            let part = u16::try_from(index).map_err(|_| message::syntax_near(","))?;
            let scalar = scalar::scalar_code(run, statement, part, arg, None)?;
            (scalar::value(run, &scalar)?, scalar.expr.ty.sql)
        }
    };
    Ok(CallArg { name: None, value: Some(value), sql, output: false, table: None, sent: None, cursor: None })
}

pub(in crate::exec) fn checkpoint(
    run: &mut BatchRun<'_>,
    statement: &Statement,
    seconds: Option<&Expr>,
) -> SqlResult<()> {
    let duration = seconds.map(|seconds| checkpoint_duration(run, statement, seconds)).transpose()?;
    let (ask, database) = (run.ctx.ask_other(), run.ctx.facts.database);
    let instance = run.ctx.engine.instance();
    let done = match duration {
        None => instance.checkpoint(&ask, database),
        Some(duration) => instance.checkpoint_over(&ask, database, duration),
    };
    done.map_err(|error| message::of_checkpoint(&error, &run.ctx.facts.database_name))?;
    run.done_without_count();
    Ok(())
}

fn checkpoint_duration(run: &mut BatchRun<'_>, statement: &Statement, seconds: &Expr) -> SqlResult<Duration> {
    match scalar::scalar(run, statement, 0, seconds, Some(SqlType::Int))? {
        Value::Int(seconds) if seconds > 0 => Ok(Duration::from_secs(seconds.unsigned_abs().into())),
        Value::Int(seconds) => Err(message::syntax_near(&seconds.to_string())),
        _ => Err(message::syntax_near("NULL")),
    }
}

pub(in crate::exec) fn scoped_configuration(run: &mut BatchRun<'_>, said: &ScopedConfiguration) -> SqlResult<()> {
    database::not_in_transaction(run, "ALTER DATABASE")?;
    scoped::alter(&run.ctx, said)?;
    run.done_without_count();
    Ok(())
}

pub(in crate::exec) fn reconfigure(run: &mut BatchRun<'_>, with_override: bool) -> SqlResult<()> {
    containment::check_reconfigured(&run.ctx, with_override)?;
    run.ctx.engine.instance().reconfigure(with_override).map_err(|error| message::of_reconfigure(&error))?;
    apply_session_limit(run.ctx.engine.txns());
    run.ctx.engine.apply_memory_limit();
    run.done_without_count();
    Ok(())
}

pub(in crate::exec) fn shutdown(run: &mut BatchRun<'_>, nowait: bool) -> SqlResult<()> {
    let engine = &run.ctx.engine;
    if !nowait {
        // Statements that run are waited for by the server's stop; databases are written now.
        let ask = run.ctx.ask_other();
        for database in engine.instance().database_reports() {
            engine
                .instance()
                .checkpoint(&ask, database.id)
                .map_err(|error| message::of_checkpoint(&error, &run.ctx.facts.database_name))?;
        }
    }
    let login = run.ctx.facts.login.login.clone();
    run.inform(6006, &[&login]);
    run.ctx.engine.stop().request();
    Ok(())
}

pub(in crate::exec) fn alter_database(run: &mut BatchRun<'_>, database: &str, action: &AlterDatabase) -> SqlResult<()> {
    database::not_in_transaction(run, "ALTER DATABASE")?;
    let id = settled::altered_database(&run.ctx, database).ok_or_else(|| SqlError::of(5011, 5, &[&database]))?;
    if run.ctx.engine.instance().database(id).is_some_and(|database| database.origin().is_snapshot()) {
        return Err(SqlError::of(5093, 1, &[]));
    }
    let notes = match action {
        AlterDatabase::AddFile { files, log, filegroup } => {
            let group = filegroup::group_of_files(run, id, filegroup.as_deref())?;
            let notes = add_files(run, id, files, *log)?;
            if !*log {
                filegroup::note_files(run, id, files, group)?;
            }
            notes
        }
        AlterDatabase::ModifyFile(file) => modify_file(run, id, file)?,
        AlterDatabase::RemoveFile(name) => {
            alter_remove::remove_file(databases(&run.ctx), &run.ctx.ask_other(), id, name, REMOVE_PATIENCE_US)
                .map_err(|error| message::of_alter_file(&error))?;
            filegroup::forget_files(run, id)?;
            vec![Message::of(5044, &[&"file", &name])]
        }
        AlterDatabase::Set { options, termination } => {
            return alter_database::alter_set(run, id, options, *termination);
        }
        AlterDatabase::ModifyName(name) => return database::rename_database(run, id, name),
        AlterDatabase::Collate(name) => return collation::alter_collation(run, id, name),
        AlterDatabase::AddFilegroup { name, contains } => filegroup::add(run, id, name, *contains)?,
        AlterDatabase::RemoveFilegroup(name) => filegroup::remove(run, id, name)?,
        AlterDatabase::ModifyFilegroup { name, property } => filegroup::modify(run, id, name, property)?,
    };
    for note in notes {
        run.sink.message(&note);
    }
    run.done_without_count();
    Ok(())
}

fn add_files(run: &BatchRun<'_>, id: DbId, files: &[FileSpec], log: bool) -> SqlResult<Notes> {
    let ask = run.ctx.ask_other();
    for file in files {
        check_spec(file)?;
        let config = file_of(file, log)?;
        alter_file::add_file(databases(&run.ctx), &ask, id, &config).map_err(|error| message::of_alter_file(&error))?;
    }
    Ok(Vec::new())
}

fn modify_file(run: &BatchRun<'_>, id: DbId, file: &FileSpec) -> SqlResult<Notes> {
    check_spec(file)?;
    let name = file.name.as_ref().ok_or_else(|| SqlError::of(5036, 1, &[]))?;
    let change = file_change(file)?;
    let new_name = file.new_name.clone();
    let ask = run.ctx.ask_other();
    let changed = alter_file::modify_file(databases(&run.ctx), &ask, id, name, change)
        .map_err(|error| message::of_alter_file(&error))?;
    Ok(match (changed, new_name) {
        (FileChanged::AtNextStart, _) => vec![Message::of(5018, &[&name])],
        // The original would say 5018 and need a restart.
        (FileChanged::Moved, _) => {
            vec![Message::plain(format!("The file \"{name}\" has been moved to its new path."))]
        }
        (FileChanged::Now, Some(new_name)) => vec![Message::of(5021, &[&"file", &new_name])],
        (FileChanged::Now, None) => Vec::new(),
    })
}

/// The instance's databases, for what makes, changes and drops them.
fn databases(ctx: &RunContext) -> &Databases {
    ctx.engine.instance().databases()
}
