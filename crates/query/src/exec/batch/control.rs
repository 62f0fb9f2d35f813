//! Control flow, and which statement goes where.

use std::sync::Arc;

use millpond_catalog::CatalogObject;
use millpond_catalog::run::Run;
use millpond_engine::error_log::{LogLine, LogSource};
use millpond_engine::security::redaction;
use millpond_engine::settled;
use millpond_message as message;
use millpond_message::error::{NO_LINE, SqlError, SqlResult};
use millpond_message::sink::Message;
use millpond_rights::statements;
use millpond_storage::wait::{WaitGuard, WaitType};
use millpond_tsql::ast::{
    AlterTableAction, Expr, InsertSource, ServerConfiguration, Statement, StatementKind, TriggerTarget,
};
use millpond_types::{CastRules, DateTime, MaxLen, SqlType, Value, cast};

use crate::exec::admin::{backup, database, extension, governor, kill};
use crate::exec::batch::scalar::check_target;
use crate::exec::batch::{BatchRun, Flow, compile_only, flow, mark, scalar, set, settings, to_message, transaction};
use crate::exec::ddl::{
    alter_table, bound_object, data_space, define, index, partition_rows, sequence, transfer, update_statistics,
};
use crate::exec::dml::{bulk, bulk_file, change, gather, insert, merge, query};
use crate::exec::routine::trigger::ddl::Scope;
use crate::exec::routine::trigger::definition;
use crate::exec::routine::{call, cursor, module, trigger};
use crate::exec::{admin, ddl, security};
use millpond_engine::definition_event::may_raise_events;
use millpond_engine::event_session::{self, sites};

/// Most arguments of RAISERROR after the state.
const SUBSTITUTES_MAX: usize = 20;
/// RAISERROR's highest severity, and the highest without LOG.
const SEVERITY_MAX: i32 = 25;
const SEVERITY_OF_USERS_MAX: u8 = 18;
/// WAITFOR looks as often whether it was cancelled.
const SLEEP_STEP_US: u64 = 20_000;

pub(in crate::exec) fn dispatch(run: &mut BatchRun<'_>, statement: &Statement) -> SqlResult<Flow> {
    use StatementKind as S;
    if run.ctx.facts.settings.runs_nothing() {
        let flow = compile_only::compile_only(run, statement)?;
        run.leave_statement();
        return Ok(flow);
    }
    match &statement.kind {
        S::Block(statements) => return flow::list(run, statements),
        S::If { condition, then, otherwise } => {
            mark::condition(run, statement, then);
            return match (scalar::condition(run, statement, condition)?, otherwise) {
                (true, _) => run.statement(then),
                (false, Some(otherwise)) => run.statement(otherwise),
                (false, None) => Ok(Flow::Next),
            };
        }
        S::While { condition, body } => return flow::while_loop(run, statement, condition, body),
        S::Break => return Ok(Flow::Break),
        S::Continue => return Ok(Flow::Continue),
        S::Return(value) => {
            mark::statement(run, statement);
            if let (Some(value), Some(sql)) = (value, run.frame.returns) {
                run.returned = Some(scalar::scalar(run, statement, 0, value, Some(sql))?);
            } else if let Some(value) = value {
                let status = scalar::scalar(run, statement, 0, value, Some(SqlType::Int))?;
                run.return_status = Some(status_of(run, &status, statement.span.line));
            }
            run.leave_statement();
            return Ok(Flow::Return);
        }
        S::TryCatch { body, handler } => return flow::try_catch(run, body, handler),
        S::Goto(label) => return Ok(flow::goto(run, label)),
        S::Label(_) => return Ok(Flow::Next),
        // Whether the value of a SET takes time, its code says.
        S::SetVariable(assignment) => {
            mark::statement(run, statement);
            set::set_variable(run, statement, assignment)?;
            run.session.shared.end_statement(run.ctx.facts.nest_level);
            return Ok(Flow::Next);
        }
        S::Select(select) => counted(run, statement, |run| query::select(run, statement, select))?,
        S::Insert(insert) => counted(run, statement, |run| match insert.source {
            InsertSource::Execute(_) | InsertSource::ExecuteText(_) => gather::insert_exec(run, statement, insert),
            _ => insert::insert(run, statement, insert),
        })?,
        S::Update(update) => counted(run, statement, |run| change::update(run, statement, update))?,
        S::Delete(delete) => counted(run, statement, |run| change::delete(run, statement, delete))?,
        S::Merge(merge) => counted(run, statement, |run| merge::merge(run, statement, merge))?,
        _ => {
            // It takes time between two counted statements.
            run.ended_us = None;
            mark::statement(run, statement);
            simple(run, statement)?;
        }
    }
    run.leave_statement();
    Ok(Flow::Next)
}

/// A statement over rows, whose executions are counted.
fn counted(
    run: &mut BatchRun<'_>,
    statement: &Statement,
    execute: impl FnOnce(&mut BatchRun<'_>) -> SqlResult<()>,
) -> SqlResult<()> {
    mark::statement(run, statement);
    check_target(run, &statement.kind)?;
    execute(run)
}

/// The status that a procedure returns. NULL is warned about, and is 0.
fn status_of(run: &mut BatchRun<'_>, status: &Value, line: u32) -> i32 {
    if let Value::Int(status) = status {
        return *status;
    }
    let procedure = run.frame.procedure.as_deref().unwrap_or_default();
    let message = Message::of(282, &[&procedure]);
    run.sink.message(&Message { line, procedure: procedure.to_owned(), ..message });
    0
}

/// The error of a statement without values of masked columns, also where it makes something of a table's rows.
pub(super) fn redacted(run: &BatchRun<'_>, error: SqlError, statement: &Statement) -> SqlError {
    if run.ctx.facts.security.is_sa() || !error.shows_values() {
        return error;
    }
    let made_of = match &statement.kind {
        StatementKind::AlterTable(alter) => Some(&alter.table),
        StatementKind::CreateIndex(create) => Some(&create.table),
        _ => None,
    };
    match made_of.and_then(|name| settled::find_object(&run.ctx, name).ok()?) {
        Some(CatalogObject::Table(def, _)) => return redaction::redacted_for(&run.ctx, [&*def], error),
        // The rows of an indexed view are of tables that are not looked for here.
        Some(_) => return error.without_values(),
        None => {}
    }
    // A statement that binds nothing, or whose code reads no table, finds the tables of the one before it in the context.
    match run.bound_key.map(|key| run.plans.statements.get(key)) {
        Some(Some(known)) => redaction::redacted(&run.ctx, &known.tables, error),
        Some(None) => redaction::redacted(&run.ctx, &run.ctx.tables, error),
        None => error,
    }
}

/// What is neither control flow nor a statement over rows. Out of line: loops are made of the others, and pay for no more
/// than they use.
#[inline(never)]
fn simple(run: &mut BatchRun<'_>, statement: &Statement) -> SqlResult<()> {
    check_target(run, &statement.kind)?;
    if !run.ctx.facts.security.is_sa() {
        statements::check(&run.ctx, &statement.kind)?;
    }
    match may_raise_events(&statement.kind) {
        true => trigger::ddl::with_triggers(run, statement, |run| defining_or_other(run, statement)),
        false => defining_or_other(run, statement),
    }
}

/// [`simple`], which has looked at rights and at what watches definitions.
fn defining_or_other(run: &mut BatchRun<'_>, statement: &Statement) -> SqlResult<()> {
    use StatementKind as S;
    match &statement.kind {
        S::InsertBulk(insert) => bulk::insert_bulk(run, statement, insert),
        S::BulkInsert(insert) => bulk_file::bulk_insert(run, statement, insert),
        S::CreateTable { name, definition } => ddl::create_table(run, statement, name, definition),
        S::DropTable { names, if_exists } => ddl::drop_tables(run, names, *if_exists),
        S::Truncate { table, partitions } if partitions.is_empty() => ddl::truncate(run, table),
        S::Truncate { table, partitions } => partition_rows::truncate(run, statement, table, partitions),
        S::Declare(list) => set::declare(run, statement, list),
        S::DeclareTable { name, definition } => ddl::declare_table(run, statement, name, definition),
        S::Print(expr) => print(run, statement, expr),
        S::SetOption(option) => settings::apply_set(run, statement, option),
        S::Use(name) => settings::use_database(run, name),
        S::BeginTransaction { name: None, mark: Some(_) } => Err(SqlError::of(3901, 1, &[])),
        S::BeginTransaction { name, .. } => transaction::begin_transaction(run, name.as_deref()),
        S::Commit { delayed_durability, .. } => transaction::commit(run, *delayed_durability == Some(true)),
        S::Rollback(name) => transaction::rollback(run, name.as_deref()),
        S::Save(name) => transaction::save(run, name),
        S::WaitForDelay(expr) => wait_for_delay(run, statement, expr),
        S::WaitForTime(expr) => wait_for_time(run, statement, expr),
        S::RaiseError { message, severity, state, args, options } => {
            raise_error(run, statement, [message, severity, state], args, options)
        }
        S::Throw(parts) => throw(run, statement, parts.as_ref()),
        S::Execute(execute) => call::execute(run, statement, execute),
        S::ExecuteText(execute) => call::execute_text(run, statement, execute),
        S::Dbcc { command, args, options } => admin::dbcc(run, statement, command, args, options),
        S::Checkpoint(seconds) => admin::checkpoint(run, statement, seconds.as_ref()),
        S::AlterDatabase { database, action } => admin::alter_database(run, database, action),
        S::ScopedConfiguration(said) => admin::scoped_configuration(run, said),
        S::Reconfigure { with_override } => admin::reconfigure(run, *with_override),
        S::Shutdown { nowait } => admin::shutdown(run, *nowait),
        S::Kill(kill) => kill::kill(run, statement, kill),
        S::WorkloadGroup(group) => governor::define_group(run, statement, group),
        S::EventSession(session) => {
            event_session::change::run(&run.ctx, session)?;
            run.done_without_count();
            Ok(())
        }
        S::ResourceGovernor(action) => governor::resource_governor(run, action),
        S::ServerConfiguration(ServerConfiguration::BufferPoolExtension(extension)) => {
            extension::buffer_pool_extension(run, extension.as_ref())
        }
        S::Module(module) => module::define_module(run, module),
        S::Drop(drop) => module::drop_objects(run, drop),
        S::DeclareCursor(declare) => cursor::declare_cursor(run, statement, declare),
        S::SetCursor { variable, cursor } => cursor::set_cursor(run, statement, variable, cursor),
        S::OpenCursor(name) => cursor::open_cursor(run, name),
        S::Fetch(fetch) => cursor::fetch(run, statement, fetch),
        S::CloseCursor(name) => cursor::close_cursor(run, name),
        S::DeallocateCursor(name) => cursor::deallocate_cursor(run, name),
        S::AlterTable(alter) => match &alter.action {
            AlterTableAction::Switch { from, target, to, .. } => {
                partition_rows::switch(run, statement, (&alter.table, from.as_ref()), (target, to.as_ref()))
            }
            _ => alter_table::alter_table(run, alter),
        },
        S::CreateIndex(create) => index::create_index(run, create),
        S::AlterIndex(alter) => index::alter_index(run, alter),
        S::DropIndex { indexes, if_exists } => index::drop_index(run, indexes, *if_exists),
        S::CreateStatistics(create) => update_statistics::create_statistics(run, create),
        S::UpdateStatistics(update) => update_statistics::update_statistics(run, update),
        S::AlterSchema { name, class, object } => transfer::transfer(run, name, class.as_deref(), object),
        S::CreateSchema { name, owner, elements } => {
            define::create_schema(run, (name.as_deref(), owner.as_deref()), elements, simple)
        }
        S::Sequence(sequence) => sequence::sequence(run, sequence),
        S::Partition(partition) => data_space::partition(run, statement, partition),
        S::CreateType(create) => define::create_type(run, statement, create),
        S::CreateBound(create) => bound_object::create_bound(run, create),
        S::CreateSynonym { name, object } => define::create_synonym(run, name, object),
        S::TriggerSwitch(switch) => match &switch.target {
            TriggerTarget::Object(table) => definition::switch_triggers(run, switch, table),
            TriggerTarget::Database => trigger::ddl::switch_triggers(run, switch, Scope::Database),
            TriggerTarget::Server => trigger::ddl::switch_triggers(run, switch, Scope::Server),
        },
        S::CreateDatabase(create) => database::create_database(run, create),
        S::Backup(backup) => backup::backup(run, statement, backup),
        S::Restore(restore) => backup::restore(run, statement, restore),
        S::Principal(principal) => security::principal(run, principal),
        S::Permission(permission) => security::permission(run, permission),
        S::AlterAuthorization { class, object, owner } => {
            security::alter_authorization(run, class.as_deref(), object, owner.as_deref())
        }
        S::ExecuteAs(execute) => security::impersonate::execute_as(run, execute),
        S::SetUser(set) => security::set_user::set_user(run, statement, set),
        S::Revert(revert) => security::impersonate::revert(run, statement, revert),
        S::Block(_)
        | S::If { .. }
        | S::While { .. }
        | S::Break
        | S::Continue
        | S::Return(_)
        | S::Goto(_)
        | S::Label(_)
        | S::SetVariable(_)
        | S::Select(_)
        | S::Insert(_)
        | S::Update(_)
        | S::Delete(_)
        | S::Merge(_)
        | S::TryCatch { .. } => {
            unreachable!("dispatched before")
        }
        missing => Err(message::missing(&missing.title())),
    }
}

fn print(run: &mut BatchRun<'_>, statement: &Statement, expr: &Expr) -> SqlResult<()> {
    let scalar = scalar::constant_code(run, statement, expr)?;
    let value = scalar::value(run, &scalar)?;
    let text = printed(&value, &scalar.expr.ty.sql)?;
    let procedure = run.frame.procedure.as_deref().unwrap_or_default().to_owned();
    let line = statement.span.line;
    run.sink.message(&Message { line, procedure, ..Message::plain(text) });
    run.done_without_count();
    Ok(())
}

fn wait_for_delay(run: &mut BatchRun<'_>, statement: &Statement, expr: &Expr) -> SqlResult<()> {
    let delay = waited_time(run, statement, expr)?;
    // A date part would be an error in SQL Server too: only the time counts.
    sleep(run, u64::from(delay.ticks) * 10_000 / 3)
}

fn wait_for_time(run: &mut BatchRun<'_>, statement: &Statement, expr: &Expr) -> SqlResult<()> {
    let until = waited_time(run, statement, expr)?;
    const DAY_US: i64 = 86_400_000_000;
    let now_us = run.ctx.engine.now_us().1.rem_euclid(DAY_US);
    let until_us = i64::from(until.ticks) * 10_000 / 3;
    let delay_us = (until_us - now_us).rem_euclid(DAY_US);
    sleep(run, delay_us.unsigned_abs())
}

/// What WAITFOR is given.
///
/// # Errors
/// 148 for what is no time.
fn waited_time(run: &mut BatchRun<'_>, statement: &Statement, expr: &Expr) -> SqlResult<DateTime> {
    let scalar = scalar::scalar_code(run, statement, 0, expr, None)?;
    let value = scalar::value(run, &scalar)?;
    let (sql, rules) = (scalar.expr.ty.sql, run.ctx.cast_rules());
    if let Ok(Value::DateTime(time)) = cast::cast(&value, &sql, &SqlType::DateTime, None, rules) {
        return Ok(time);
    }
    Err(SqlError::of(148, 1, &[&printed(&value, &sql)?]))
}

/// Sleeps on the instance's clock, in short steps, so that a cancelled task wakes up.
fn sleep(run: &mut BatchRun<'_>, delay_us: u64) -> SqlResult<()> {
    let (waits, clock) = (run.ctx.engine.instance().waits(), run.ctx.engine.instance().clock());
    let _waiting = WaitGuard::begin(waits, &*run.ctx.task, WaitType::WAITFOR, None);
    let until_us = clock.now_us().saturating_add(delay_us);
    loop {
        run.ctx.heed_cancel()?;
        let now_us = clock.now_us();
        if now_us >= until_us {
            return Ok(());
        }
        clock.rest_until_us(until_us.min(now_us + SLEEP_STEP_US));
    }
}

fn raise_error(
    run: &mut BatchRun<'_>,
    statement: &Statement,
    parts: [&Expr; 3],
    args: &[Expr],
    options: &[String],
) -> SqlResult<()> {
    if args.len() > SUBSTITUTES_MAX {
        return Err(SqlError::of(2747, 1, &[&SUBSTITUTES_MAX]));
    }
    let text_type = SqlType::NVarChar { len: MaxLen::Max };
    let [text, severity, state] = parts;
    let mut values = Vec::with_capacity(args.len());
    for (index, arg) in args.iter().enumerate() {
        let part = index as u16 + 3;
        let scalar = scalar::scalar_code(run, statement, part, arg, None)?;
        check_substitute(&scalar.expr.ty.sql, index + 4)?;
        values.push(scalar::value(run, &scalar)?);
    }
    let text = scalar::scalar(run, statement, 0, text, None)?;
    let severity = int(&scalar::scalar(run, statement, 1, severity, Some(SqlType::Int))?);
    let state = match int(&scalar::scalar(run, statement, 2, state, Some(SqlType::Int))?) {
        ..0 => 1,
        state => state.min(255) as u8,
    };
    let of_user = |number| {
        let language = run.ctx.facts.settings.language.facts().message_lcid;
        run.ctx.catalog().user_message(number, language)
    };
    // Severity, whether it goes to the error log, and the text.
    let known = match text {
        Value::Int(number) => match (message::numbered(number), of_user(number)) {
            (Some(row), _) => Some((row.severity, row.is_logged, row.text.to_owned(), None)),
            (None, Some((message, english))) => {
                Some((message.severity, message.is_logged, message.text, Some(english)))
            }
            (None, None) => None,
        },
        _ => None,
    };
    let severity = match &known {
        // -1 stands for the severity of the message.
        Some((of_message, ..)) if severity == -1 => *of_message,
        _ => severity.clamp(0, SEVERITY_MAX) as u8,
    };
    let is_logged = options.iter().any(|option| option == "LOG");
    if severity > SEVERITY_OF_USERS_MAX && !is_logged {
        return Err(message::severity_needs_log());
    }
    let always_logged = known.as_ref().is_some_and(|(_, is_logged, ..)| *is_logged);
    let (number, text, english) = match (text, known) {
        (Value::Int(number), Some((_, _, text, english))) => (number, text, english),
        (Value::Int(number), None) => return Err(message::no_such_message(number, severity, state)),
        (text, _) => (50_000, printed(&text, &text_type)?, None),
    };
    let english = english.as_deref().unwrap_or(&text);
    let text = millpond_builtin::message_in_language(run.ctx.watch(), &text, english, &values)?;
    if is_logged || always_logged {
        log_raised(run, number, severity, state, &text);
    }
    let error = SqlError { is_raised: true, ..SqlError::raised(number, severity, state, text) };
    let error = error.at(statement.span.line).inside(run.frame.procedure.as_ref());
    if severity > 10 {
        return Err(error);
    }
    sites::reported(&run.ctx.engine, &run.ctx.session, &error, false);
    run.sink.message(&Message { severity, ..to_message(&error, statement.span.line) });
    if options.iter().any(|option| option == "NOWAIT") {
        run.sink.flush();
    }
    run.done_without_count();
    if options.iter().any(|option| option == "SETERROR") {
        run.ctx_mut().facts.error = error.number;
    }
    Ok(())
}

/// What is raised WITH LOG, and what always goes there.
pub(super) fn log_raised(run: &BatchRun<'_>, number: i32, severity: u8, state: u8, text: &str) {
    let engine = &run.ctx.engine;
    let local_us = engine.now_us().1;
    let (text, database, source) = (text.to_owned(), run.ctx.facts.database, LogSource::Session(run.ctx.facts.session));
    engine.error_log().add(LogLine { local_us, number, severity, state, text, database, source });
}

fn throw(run: &mut BatchRun<'_>, statement: &Statement, parts: Option<&(Expr, Expr, Expr)>) -> SqlResult<()> {
    let Some((number, text, state)) = parts else {
        let caught = run.ctx.facts.caught.clone().ok_or_else(|| SqlError::of(10704, 1, &[]))?;
        let procedure = Some(Arc::from(caught.procedure.as_str()));
        let error = SqlError::raised(caught.number, caught.severity, caught.state, caught.text.clone());
        let line = if caught.line == 0 { NO_LINE } else { caught.line };
        return Err(SqlError { line, procedure, is_thrown: true, ..error });
    };
    let number = int(&scalar::scalar(run, statement, 0, number, Some(SqlType::Int))?);
    if number < 50_000 {
        return Err(SqlError::of(35_100, 10, &[&number]));
    }
    let text = scalar::scalar(run, statement, 1, text, Some(SqlType::NVarChar { len: MaxLen::Limited(2048) }))?;
    let state = int(&scalar::scalar(run, statement, 2, state, Some(SqlType::Int))?);
    let text = printed(&text, &SqlType::NVarChar { len: MaxLen::Max })?;
    Err(SqlError { is_thrown: true, ..SqlError::raised(number, 16, state.clamp(0, 255) as u8, text) })
}

/// 2748 for an argument of RAISERROR of a type that no place in a text takes; `number` counts all arguments.
fn check_substitute(sql: &SqlType, number: usize) -> SqlResult<()> {
    if sql.is_integer() || sql.is_string() || sql.is_binary() {
        return Ok(());
    }
    Err(SqlError::of(2748, 1, &[&sql.name(), &number]))
}

/// A value as PRINT shows it.
fn printed(value: &Value, sql: &SqlType) -> SqlResult<String> {
    if value.is_null() {
        return Ok(String::new());
    }
    // Bytes are shown as they are written.
    let style = sql.is_binary().then_some(1);
    let wide = SqlType::NVarChar { len: MaxLen::Max };
    let text = cast::cast(value, sql, &wide, style, CastRules::DEFAULT).map_err(message::of_eval)?;
    match text {
        Value::Str(text) => Ok(text.to_string()),
        _ => Ok(String::new()),
    }
}

fn int(value: &Value) -> i32 {
    match value {
        Value::Int(value) => *value,
        _ => 0,
    }
}
