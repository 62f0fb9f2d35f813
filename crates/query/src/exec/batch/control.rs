//! Control flow, and which statement goes where.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use millpond_builtin::eval::{Rows, eval, needs_plan};
use millpond_catalog::expr::{BoundExpr, Kind};
use millpond_catalog::rel::Rel;
use millpond_catalog::run::Run;
use millpond_engine::error_log::LogLine;
use millpond_message as message;
use millpond_message::error::{NO_LINE, SqlError, SqlResult};
use millpond_message::sink::Message;
use millpond_storage::wait::{WaitGuard, WaitType};
use millpond_tsql::ast::{Expr, InsertSource, ServerConfiguration, Statement, StatementKind};
use millpond_types::{CastRules, DateTime, MaxLen, SqlType, Value, cast};

use crate::exec::batch::code::{AHEAD, Code, Scalar, code_place};
use crate::exec::batch::int_formula::{IntFormula, IntTest};
use crate::exec::batch::runner::Runner;
use crate::exec::batch::{BatchRun, Flow, to_message};

/// RAISERROR's highest severity, and the highest without LOG.
/// Most arguments of RAISERROR behind the state.
const SUBSTITUTES_MAX: usize = 20;
const SEVERITY_MAX: i32 = 25;
const SEVERITY_OF_USERS_MAX: u8 = 18;
/// WAITFOR looks as often whether it was cancelled.
const SLEEP_STEP_US: u64 = 20_000;

impl BatchRun<'_> {
    pub(in crate::exec) fn dispatch(&mut self, statement: &Statement) -> SqlResult<Flow> {
        use StatementKind as S;
        if self.ctx.facts.settings.runs_nothing() {
            return self.compile_only(statement);
        }
        match &statement.kind {
            S::Block(statements) => return self.list(statements),
            S::If { condition, then, otherwise } => {
                return match (self.condition(statement, condition)?, otherwise) {
                    (true, _) => self.statement(then),
                    (false, Some(otherwise)) => self.statement(otherwise),
                    (false, None) => Ok(Flow::Next),
                };
            }
            S::While { condition, body } => return self.while_loop(statement, condition, body),
            S::Break => return Ok(Flow::Break),
            S::Continue => return Ok(Flow::Continue),
            S::Return(value) => {
                if let (Some(value), Some(sql)) = (value, self.frame.returns) {
                    self.returned = Some(self.scalar(statement, 0, value, Some(sql))?);
                } else if let Some(value) = value {
                    let status = self.scalar(statement, 0, value, Some(SqlType::Int))?;
                    self.return_status = Some(self.status_of(&status, statement.span.line));
                }
                return Ok(Flow::Return);
            }
            S::TryCatch { body, handler } => return self.try_catch(body, handler),
            S::Goto(label) => return Ok(self.goto(label)),
            S::Label(_) => return Ok(Flow::Next),
            _ => {}
        }
        self.mark_statement(statement);
        // Between two counted statements; whether the value of a SET takes time, its code says.
        let is_counted =
            matches!(statement.kind, S::Select(_) | S::Insert(_) | S::Update(_) | S::Delete(_) | S::Merge(_));
        if !is_counted && !matches!(statement.kind, S::SetVariable(_)) {
            self.ended_us = None;
        }
        self.simple(statement)?;
        Ok(Flow::Next)
    }

    /// The status that a procedure returns. NULL is told of, and is 0.
    fn status_of(&mut self, status: &Value, line: u32) -> i32 {
        if let Value::Int(status) = status {
            return *status;
        }
        let procedure = self.frame.procedure.as_deref().unwrap_or_default();
        let message = Message::of(282, &[&procedure]);
        self.sink.message(&Message { line, procedure: procedure.to_owned(), ..message });
        0
    }

    /// Where the request is, for `sys.dm_exec_requests`.
    fn mark_statement(&mut self, statement: &Statement) {
        let shared = &self.ctx.session;
        shared.statement_start.store(statement.span.start, Relaxed);
        shared.statement_end.store(statement.span.end, Relaxed);
        shared.command.store(command_number(&statement.kind), Relaxed);
    }

    fn simple(&mut self, statement: &Statement) -> SqlResult<()> {
        use StatementKind as S;
        self.check_target(&statement.kind)?;
        match &statement.kind {
            S::SetVariable(assignment) => self.set_variable(statement, assignment),
            S::InsertBulk(insert) => self.insert_bulk(statement, insert),
            S::BulkInsert(insert) => self.bulk_insert(statement, insert),
            S::Insert(insert) => match insert.source {
                InsertSource::Execute(_) | InsertSource::ExecuteText(_) => self.insert_exec(statement, insert),
                _ => self.insert(statement, insert),
            },
            S::Select(select) => self.select(statement, select),
            S::Update(update) => self.update(statement, update),
            S::Delete(delete) => self.delete(statement, delete),
            S::Merge(merge) => self.merge(statement, merge),
            S::CreateTable { name, definition } => self.create_table(statement, name, definition),
            S::DropTable { names, if_exists } => self.drop_tables(names, *if_exists),
            S::Truncate(name) => self.truncate(name),
            S::Declare(list) => self.declare(statement, list),
            S::DeclareTable { name, definition } => self.declare_table(statement, name, definition),
            S::Print(expr) => self.print(statement, expr),
            S::SetOption(option) => self.set_option(statement, option),
            S::Use(name) => self.use_database(name),
            S::BeginTransaction { name, .. } => self.begin_transaction(name.as_deref()),
            S::Commit { delayed_durability, .. } => self.commit(*delayed_durability == Some(true)),
            S::Rollback(name) => self.rollback(name.as_deref()),
            S::Save(name) => self.save(name),
            S::WaitForDelay(expr) => self.wait_for_delay(statement, expr),
            S::WaitForTime(expr) => self.wait_for_time(statement, expr),
            S::RaiseError { message, severity, state, args, options } => {
                self.raise_error(statement, [message, severity, state], args, options)
            }
            S::Throw(parts) => self.throw(statement, parts.as_ref()),
            S::Execute(execute) => self.execute(statement, execute),
            S::ExecuteText(execute) => self.execute_text(statement, execute),
            S::Dbcc { command, args, options } => self.dbcc(statement, command, args, options),
            S::Checkpoint(seconds) => self.checkpoint(statement, seconds.as_ref()),
            S::AlterDatabase { database, action } => self.alter_database(database, action),
            S::Reconfigure { with_override } => self.reconfigure(*with_override),
            S::Shutdown { nowait } => self.shutdown(*nowait),
            S::Kill(expr) => self.kill(statement, expr),
            S::WorkloadGroup(group) => self.define_group(statement, group),
            S::ResourceGovernor(action) => self.resource_governor(action),
            S::ServerConfiguration(ServerConfiguration::BufferPoolExtension(extension)) => {
                self.buffer_pool_extension(extension.as_ref())
            }
            S::Module(module) => self.define_module(module),
            S::Drop(drop) => self.drop_objects(drop),
            S::DeclareCursor(declare) => self.declare_cursor(statement, declare),
            S::SetCursor { variable, cursor } => self.set_cursor(statement, variable, cursor),
            S::OpenCursor(name) => self.open_cursor(name),
            S::Fetch(fetch) => self.fetch(statement, fetch),
            S::CloseCursor(name) => self.close_cursor(name),
            S::DeallocateCursor(name) => self.deallocate_cursor(name),
            S::AlterTable(alter) => self.alter_table(alter),
            S::CreateIndex(create) => self.create_index(create),
            S::AlterIndex(alter) => self.alter_index(alter),
            S::DropIndex { indexes, if_exists } => self.drop_index(indexes, *if_exists),
            S::CreateStatistics(create) => self.create_statistics(create),
            S::UpdateStatistics(update) => self.update_statistics(update),
            S::CreateSchema { name: Some(name), .. } => self.create_schema(name),
            S::Sequence(sequence) => self.sequence(sequence),
            S::CreateType(create) => self.create_type(statement, create),
            S::CreateSynonym { name, object } => self.create_synonym(name, object),
            S::TriggerSwitch(switch) => self.switch_triggers(switch),
            S::CreateDatabase(create) => self.create_database(create),
            S::Backup(backup) => self.backup(statement, backup),
            S::Restore(restore) => self.restore(statement, restore),
            S::Block(_)
            | S::If { .. }
            | S::While { .. }
            | S::Break
            | S::Continue
            | S::Return(_)
            | S::Goto(_)
            | S::Label(_)
            | S::TryCatch { .. } => {
                unreachable!("dispatched before")
            }
            missing => Err(message::missing(&missing.title())),
        }
    }

    /// Refuses a change of what can only be read.
    ///
    /// # Errors
    /// 286, 10700
    pub(in crate::exec) fn check_target(&self, kind: &StatementKind) -> SqlResult<()> {
        use StatementKind as S;
        let table = match kind {
            S::Insert(insert) => &insert.table,
            S::InsertBulk(insert) => &insert.table,
            S::BulkInsert(insert) => &insert.table,
            S::Update(update) => &update.table,
            S::Delete(delete) => &delete.table,
            S::Merge(merge) => &merge.table,
            _ => return Ok(()),
        };
        self.check_writable(table).map_err(message::when_bound)
    }

    pub(in crate::exec) fn condition(&mut self, statement: &Statement, condition: &Expr) -> SqlResult<bool> {
        if let Some(holds) = self.condition_by_formula(statement) {
            return Ok(holds);
        }
        let code = self.bound(statement, 0, |binder, _| {
            let expr = binder.condition(condition)?;
            Ok(Code::Scalar(scalar_of(expr, 0)))
        })?;
        let holds = matches!(self.value(&code)?, Value::Bit(true));
        self.tell_notes();
        Ok(holds)
    }

    /// The value of an expression, converted to `target` when one is given.
    pub(in crate::exec) fn scalar(
        &mut self,
        statement: &Statement,
        part: u16,
        expr: &Expr,
        target: Option<SqlType>,
    ) -> SqlResult<Value> {
        let code = self.scalar_code(statement, part, expr, target)?;
        self.value(&code)
    }

    /// The code of [`BatchRun::scalar`].
    pub(in crate::exec) fn scalar_code(
        &mut self,
        statement: &Statement,
        part: u16,
        expr: &Expr,
        target: Option<SqlType>,
    ) -> SqlResult<Arc<Code>> {
        self.bound(statement, part, |binder, _| {
            let mut expr = binder.expression(expr)?;
            if let Some(target) = target {
                expr = binder.converted(expr, target)?;
            }
            Ok(Code::Scalar(scalar_of(expr, 0)))
        })
    }

    /// The value of scalar code; each evaluation has its own time.
    pub(in crate::exec) fn value(&mut self, code: &Code) -> SqlResult<Value> {
        let Code::Scalar(scalar) = code else { unreachable!("kept under this place as a scalar") };
        if !scalar.is_short {
            self.ended_us = None;
        }
        self.ctx_mut().begin_statement();
        self.ctx.begin_row();
        let Some(runner) = &scalar.runner else {
            if self.ctx.calls_functions || !self.ctx.sequences.is_empty() {
                return self.reading(|run| eval(&scalar.expr, &*run.ctx, Rows::NONE));
            }
            return eval(&scalar.expr, &*self.ctx, Rows::NONE);
        };
        self.reading(|run| {
            let mut value = Value::Null;
            runner.run(&run.ctx, &mut |row| {
                value = row[0].clone();
                Ok(std::ops::ControlFlow::Break(()))
            })?;
            Ok(value)
        })
    }

    fn print(&mut self, statement: &Statement, expr: &Expr) -> SqlResult<()> {
        let code = self.bound(statement, 0, |binder, _| {
            let expr = binder.constant_expression(expr)?;
            Ok(Code::Scalar(scalar_of(expr, 0)))
        })?;
        let value = self.value(&code)?;
        let Code::Scalar(scalar) = &*code else { unreachable!("bound above") };
        let text = printed(&value, &scalar.expr.ty.sql)?;
        let procedure = self.frame.procedure.as_deref().unwrap_or_default().to_owned();
        let line = statement.span.line;
        self.sink.message(&Message { line, procedure, ..Message::plain(text) });
        self.done_quietly(0);
        Ok(())
    }

    fn wait_for_delay(&mut self, statement: &Statement, expr: &Expr) -> SqlResult<()> {
        let delay = self.waited_time(statement, expr)?;
        // A date part would be an error in SQL Server too: only the time counts.
        self.sleep(u64::from(delay.ticks) * 10_000 / 3)
    }

    fn wait_for_time(&mut self, statement: &Statement, expr: &Expr) -> SqlResult<()> {
        let until = self.waited_time(statement, expr)?;
        const DAY_US: i64 = 86_400_000_000;
        let now_us = self.ctx.engine.now_us().1.rem_euclid(DAY_US);
        let until_us = i64::from(until.ticks) * 10_000 / 3;
        let delay_us = (until_us - now_us).rem_euclid(DAY_US);
        self.sleep(delay_us.unsigned_abs())
    }

    /// What WAITFOR is given.
    ///
    /// # Errors
    /// 148 for what is no time.
    fn waited_time(&mut self, statement: &Statement, expr: &Expr) -> SqlResult<DateTime> {
        let code = self.scalar_code(statement, 0, expr, None)?;
        let value = self.value(&code)?;
        let Code::Scalar(scalar) = &*code else { unreachable!("bound as a scalar") };
        let (sql, rules) = (scalar.expr.ty.sql, self.ctx.cast_rules());
        if let Ok(Value::DateTime(time)) = cast::cast(&value, &sql, &SqlType::DateTime, None, rules) {
            return Ok(time);
        }
        Err(SqlError::of(148, 1, &[&printed(&value, &sql)?]))
    }

    /// Sleeps on the instance's clock, in short steps, so that a cancelled task wakes up.
    fn sleep(&mut self, delay_us: u64) -> SqlResult<()> {
        let (waits, clock) = (self.ctx.engine.instance().waits(), self.ctx.engine.instance().clock());
        let _waiting = WaitGuard::begin(waits, &*self.ctx.task, WaitType::WAITFOR, None);
        let until_us = clock.now_us().saturating_add(delay_us);
        loop {
            if self.ctx.task.is_cancelled() {
                return Err(message::cancelled());
            }
            let now_us = clock.now_us();
            if now_us >= until_us {
                return Ok(());
            }
            clock.rest_until_us(until_us.min(now_us + SLEEP_STEP_US));
        }
    }

    fn raise_error(
        &mut self,
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
            let code = self.scalar_code(statement, part, arg, None)?;
            let Code::Scalar(scalar) = &*code else { unreachable!("bound as a scalar") };
            check_substitute(&scalar.expr.ty.sql, index + 4)?;
            values.push(self.value(&code)?);
        }
        let text = self.scalar(statement, 0, text, None)?;
        let severity = int(&self.scalar(statement, 1, severity, Some(SqlType::Int))?);
        let state = match int(&self.scalar(statement, 2, state, Some(SqlType::Int))?) {
            ..0 => 1,
            state => state.min(255) as u8,
        };
        let row = match text {
            Value::Int(number) => message::numbered(number),
            _ => None,
        };
        let severity = match row {
            // -1 stands for the severity of the message.
            Some(row) if severity == -1 => row.severity,
            _ => severity.clamp(0, SEVERITY_MAX) as u8,
        };
        let is_logged = options.iter().any(|option| option == "LOG");
        if severity > SEVERITY_OF_USERS_MAX && !is_logged {
            return Err(message::severity_needs_log());
        }
        let (number, text) = match (text, row) {
            (Value::Int(number), Some(row)) => (number, row.text.to_owned()),
            (Value::Int(number), None) => return Err(message::no_such_message(number, severity, state)),
            (text, _) => (50_000, printed(&text, &text_type)?),
        };
        let text = millpond_builtin::format_message(self.ctx.watch(), &text, &values)?;
        if is_logged || row.is_some_and(|row| row.is_logged) {
            self.log_raised(number, severity, state, &text);
        }
        let error = SqlError::raised(number, severity, state, text);
        let error = error.at(statement.span.line).inside(self.frame.procedure.as_ref());
        if severity > 10 {
            return Err(error);
        }
        self.sink.message(&Message { severity, ..to_message(&error, statement.span.line) });
        if options.iter().any(|option| option == "NOWAIT") {
            self.sink.flush();
        }
        self.done_quietly(0);
        if options.iter().any(|option| option == "SETERROR") {
            self.ctx_mut().facts.error = error.number;
        }
        Ok(())
    }

    /// WITH LOG, and of a message that always goes there.
    fn log_raised(&self, number: i32, severity: u8, state: u8, text: &str) {
        let engine = &self.ctx.engine;
        let local_us = engine.now_us().1;
        let text = format!("Error: {number}, Severity: {severity}, State: {state}. {text}");
        engine.error_log().add(LogLine { local_us, number, severity, text });
    }

    fn throw(&mut self, statement: &Statement, parts: Option<&(Expr, Expr, Expr)>) -> SqlResult<()> {
        let Some((number, text, state)) = parts else {
            let caught = self.ctx.facts.caught.clone().ok_or_else(|| SqlError::of(10704, 1, &[]))?;
            let procedure = Some(Arc::from(caught.procedure.as_str()));
            let error = SqlError::raised(caught.number, caught.severity, caught.state, caught.text.clone());
            let line = if caught.line == 0 { NO_LINE } else { caught.line };
            return Err(SqlError { line, procedure, is_thrown: true, ..error });
        };
        let number = int(&self.scalar(statement, 0, number, Some(SqlType::Int))?);
        if number < 50_000 {
            return Err(SqlError::of(35_100, 10, &[&number]));
        }
        let text = self.scalar(statement, 1, text, Some(SqlType::NVarChar { len: MaxLen::Limited(2048) }))?;
        let state = int(&self.scalar(statement, 2, state, Some(SqlType::Int))?);
        let text = printed(&text, &SqlType::NVarChar { len: MaxLen::Max })?;
        Err(SqlError { is_thrown: true, ..SqlError::raised(number, 16, state.clamp(0, 255) as u8, text) })
    }
}

impl BatchRun<'_> {
    /// A value of the statement's only expression, where it is kept as a scalar that `of` has a value for.
    #[inline]
    fn by_formula<T>(&self, statement: &Statement, of: impl FnOnce(&Scalar, &[Value]) -> Option<T>) -> Option<T> {
        if self.ahead.is_some() {
            return None;
        }
        let known = self.plans.statements.get(&code_place(statement, 0))?;
        // A formula uses no tables, so that no other version of the names is another meaning; dialects differ in what becomes
        // of NULLs and of overflows, which are no formula's.
        if known.version == AHEAD {
            return None;
        }
        let Code::Scalar(scalar) = &*known.code else { return None };
        of(scalar, self.ctx.variables())
    }

    /// SET of a variable to a formula: done, or not one.
    #[inline]
    pub(in crate::exec) fn set_by_formula(&mut self, statement: &Statement) -> bool {
        let step = |scalar: &Scalar, variables: &[Value]| {
            let number = scalar.formula.as_ref()?.value(variables)?;
            Some((scalar.slot, number))
        };
        let Some((slot, number)) = self.by_formula(statement, step) else { return false };
        self.ctx_mut().variables[slot] = Value::Int(number);
        true
    }

    /// The condition of IF or WHILE, where it is a test.
    #[inline]
    fn condition_by_formula(&self, statement: &Statement) -> Option<bool> {
        self.by_formula(statement, |scalar, variables| scalar.test.as_ref()?.holds(variables))
    }
}

/// A scalar with a plan when it has a subquery.
pub(in crate::exec) fn scalar_of(expr: BoundExpr, slot: usize) -> Scalar {
    let runner = needs_plan(&expr).then(|| {
        let one_row = Rel::Values { rows: vec![Vec::new()], types: Vec::new() };
        Runner::by_plan(Rel::Project { input: Box::new(one_row), exprs: vec![expr.clone()] })
    });
    let is_short = takes_no_time(&expr);
    let (formula, test) = (IntFormula::of(&expr), IntTest::of(&expr));
    Scalar { expr, slot, runner, appended: Vec::new(), is_short, formula, test }
}

/// Whether a value is some arithmetic over variables, which takes no time that anybody counts.
fn takes_no_time(expr: &BoundExpr) -> bool {
    const NODES_MAX: usize = 32;
    let (mut nodes, mut is_plain) = (0, true);
    expr.visit(&mut |node| {
        nodes += 1;
        is_plain &= !node.ty.sql.is_max()
            && matches!(
                node.kind,
                Kind::Literal(_)
                    | Kind::Variable(_)
                    | Kind::Arith(..)
                    | Kind::Negate(_)
                    | Kind::Cast { .. }
                    | Kind::Compare(..)
                    | Kind::And(..)
                    | Kind::Or(..)
                    | Kind::Not(_)
                    | Kind::IsNull(_)
            );
    });
    is_plain && nodes <= NODES_MAX
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

fn command_number(kind: &StatementKind) -> u32 {
    use StatementKind as S;
    match kind {
        S::Insert(_) => 1,
        S::Update(_) => 2,
        S::Delete(_) => 3,
        S::CreateTable { .. } | S::DeclareTable { .. } => 4,
        S::DropTable { .. } => 5,
        S::SetVariable(_) | S::SetOption(_) | S::Declare(_) => 7,
        S::WaitForDelay(_) | S::WaitForTime(_) => 9,
        S::Dbcc { .. } => 10,
        S::Execute(_) | S::ExecuteText(_) => 11,
        S::Truncate(_) => 12,
        S::AlterDatabase { .. } => 13,
        S::Checkpoint(_) => 14,
        S::Print(_) => 15,
        S::Merge(_) => 16,
        S::BulkInsert(_) => 17,
        _ => 0,
    }
}
