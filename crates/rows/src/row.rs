//! A row as a table takes it: values of a source, defaults, identity, computed columns; NOT NULL and CHECK.

use std::sync::Arc;
use std::sync::atomic::AtomicI64;
use std::sync::atomic::Ordering::Relaxed;

use millpond_bind::{Change, InsertColumn, InsertTarget, ViewCheck};
use millpond_builtin::eval::{Rows, eval, null_or, rounded, rounds_away, truth};
use millpond_catalog::expr::{BoundExpr, Kind};
use millpond_catalog::run::Run;
use millpond_catalog::trees::TableTrees;
use millpond_catalog::{CheckDef, ColumnDef, TableDef, TableStorage};
use millpond_engine::context::RunContext;
use millpond_engine::rows::TableRows;
use millpond_engine::scoped;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_types::{EvalError, SqlType, Value, cast};

/// Severity of errors in values.
const SEVERITY_OF_VALUES: u8 = 16;

/// Identity values that are reserved at once: as many may be lost by a crash.
const fn identity_block(ty: &SqlType) -> i64 {
    match ty {
        SqlType::TinyInt => 10,
        SqlType::SmallInt => 100,
        SqlType::Int => 1000,
        _ => 10_000,
    }
}

/// Values that a user gives in one statement reserve at most two to this power.
const BLOCK_GROWTH_MAX: u32 = 14;

/// Where the identity values of a table come from.
pub enum IdentitySource {
    /// It has no identity column.
    None,
    /// A temporary table's counter.
    Temporary(Arc<AtomicI64>),
    /// A table's counter with its durable mark.
    Durable(Arc<TableTrees>),
}

impl IdentitySource {
    /// That of the table of an INSERT.
    pub fn of(ctx: &RunContext, target: &InsertTarget) -> IdentitySource {
        let def = &target.def;
        if def.identity_column().is_none() {
            return IdentitySource::None;
        }
        if let TableRows::Trees(trees) = &ctx.tables[target.target].rows
            && !def.is_temporary()
        {
            return IdentitySource::Durable(Arc::clone(trees));
        }
        match ctx.session.temp.read().find(&def.name, ctx.facts.nest_level) {
            Some(table) => IdentitySource::Temporary(Arc::clone(&table.identity)),
            None => IdentitySource::None,
        }
    }

    /// The next value.
    ///
    /// # Errors
    /// 8115 when the column's type has no more; those of reserving.
    fn next(&self, ctx: &RunContext, def: &TableDef, column: usize) -> SqlResult<i64> {
        let (seed, increment) = def.columns[column].identity.expect("bound as the identity column");
        match self {
            IdentitySource::None => unreachable!("bound as the identity column"),
            IdentitySource::Temporary(counter) => Ok(counter.fetch_add(increment, Relaxed)),
            IdentitySource::Durable(trees) => {
                let mut counter = trees.counters.identity.lock();
                let next = match counter.last {
                    None => seed,
                    Some(last) => last.checked_add(increment).ok_or_else(|| overflow(def, column))?,
                };
                let within = |mark: i64| if increment > 0 { next <= mark } else { next >= mark };
                if !counter.reserved.is_some_and(within) {
                    let mark = mark_after(def, column, next, identity_block(&def.columns[column].ty.sql) - 1);
                    reserve(ctx, def, mark)?;
                    counter.reserved = Some(mark);
                }
                counter.last = Some(next);
                Ok(next)
            }
        }
    }

    /// A value was given by the user (IDENTITY_INSERT): those that come go on after it. `times` is how often the statement
    /// has raised the mark so: one value reserves itself alone, many reserve ever more at once.
    fn given(&self, ctx: &RunContext, def: &TableDef, column: usize, value: &Value, times: &mut u32) -> SqlResult<()> {
        let (_, increment) = def.columns[column].identity.expect("it is the identity column");
        let Some(value) = whole(value) else { return Ok(()) };
        let beyond = |last: i64| if increment > 0 { value > last } else { value < last };
        match self {
            IdentitySource::None => {}
            IdentitySource::Temporary(counter) => {
                if beyond(counter.load(Relaxed).wrapping_sub(increment)) {
                    counter.store(value.wrapping_add(increment), Relaxed);
                }
            }
            IdentitySource::Durable(trees) => {
                let mut counter = trees.counters.identity.lock();
                if counter.last.is_none_or(beyond) {
                    if counter.reserved.is_none_or(beyond) {
                        let block = identity_block(&def.columns[column].ty.sql);
                        let mark =
                            mark_after(def, column, value, ((1 << (*times).min(BLOCK_GROWTH_MAX)) - 1).min(block));
                        *times += 1;
                        reserve(ctx, def, mark)?;
                        counter.reserved = Some(mark);
                    }
                    counter.last = Some(value);
                }
            }
        }
        Ok(())
    }
}

/// The whole number of a value of an identity column.
pub fn whole(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| value.as_decimal().and_then(|decimal| i64::try_from(decimal.unscaled).ok()))
}

/// The value that comes `steps` after this one, or the last one that the column's type has.
fn mark_after(def: &TableDef, column: usize, value: i64, steps: i64) -> i64 {
    let column = &def.columns[column];
    let (_, increment) = column.identity.expect("it is the identity column");
    let (least, most) = match &column.ty.sql {
        SqlType::TinyInt => (0, i64::from(u8::MAX)),
        SqlType::SmallInt => (i64::from(i16::MIN), i64::from(i16::MAX)),
        SqlType::Int => (i64::from(i32::MIN), i64::from(i32::MAX)),
        SqlType::Decimal { precision, .. } => {
            let most = 10_i64.checked_pow(u32::from(*precision)).map_or(i64::MAX, |above| above - 1);
            (-most, most)
        }
        _ => (i64::MIN, i64::MAX),
    };
    let mark = value.saturating_add(increment.saturating_mul(steps));
    // A value beyond its type is refused when it is stored.
    if increment > 0 { mark.min(most.max(value)) } else { mark.max(least.min(value)) }
}

fn reserve(ctx: &RunContext, def: &TableDef, mark: i64) -> SqlResult<()> {
    let databases = ctx.engine.databases();
    let dictionary = databases.dictionary(def.database)?;
    databases.on_own_account(|io| dictionary.reserve_identity(io, def.id, mark))
}

fn overflow(def: &TableDef, column: usize) -> SqlError {
    SqlError::of(8115, 1, &[&"IDENTITY", &def.columns[column].ty.sql.message_name()])
}

/// Makes rows for one table.
pub struct RowMaker<'a> {
    ctx: &'a RunContext,
    target: &'a InsertTarget,
    identity: IdentitySource,
    /// How often values of the user have raised the mark of identity values.
    raised: u32,
    /// The last identity value made or given.
    pub last_identity: Option<i64>,
    /// The statement, as messages name it.
    verb: Verb,
}

impl<'a> RowMaker<'a> {
    /// For the rows of an INSERT.
    pub fn new(ctx: &'a RunContext, target: &'a InsertTarget) -> RowMaker<'a> {
        RowMaker {
            ctx,
            target,
            identity: IdentitySource::of(ctx, target),
            raised: 0,
            last_identity: None,
            verb: Verb::INSERT,
        }
    }

    /// The same for another statement than INSERT.
    pub fn named(self, verb: Verb) -> RowMaker<'a> {
        RowMaker { verb, ..self }
    }

    /// The row of a source's values; `value` gives the value and type of a column of the source.
    ///
    /// # Errors
    /// 515, 2628, 547, 8115 and those of evaluation.
    pub fn make<'t>(
        &mut self,
        mut value: impl FnMut(usize) -> SqlResult<(Value, &'t SqlType)>,
        row: &mut Vec<Value>,
    ) -> SqlResult<()> {
        let def = &self.target.def;
        row.clear();
        self.ctx.begin_row();
        let mut has_computed = false;
        for (index, from) in self.target.columns.iter().enumerate() {
            let made = match from {
                InsertColumn::Source(source) => {
                    let (value, from) = value(*source)?;
                    let made = stored(self.ctx, value, from, def, index)?;
                    if def.columns[index].identity.is_some() {
                        self.identity.given(self.ctx, def, index, &made, &mut self.raised)?;
                        self.last_identity = whole(&made);
                    }
                    made
                }
                InsertColumn::Default(default) => {
                    stored(self.ctx, eval(default, self.ctx, Rows::NONE)?, &default.ty.sql, def, index)?
                }
                InsertColumn::Identity => {
                    let next = self.identity.next(self.ctx, def, index)?;
                    self.last_identity = Some(next);
                    stored(self.ctx, Value::BigInt(next), &SqlType::BigInt, def, index).map_err(|error| {
                        if matches!(error.number, 220 | 8115) { overflow(def, index) } else { error }
                    })?
                }
                InsertColumn::Computed => {
                    has_computed = true;
                    Value::Null
                }
                InsertColumn::RowVersion => self.ctx.next_row_version(def.database)?,
            };
            row.push(made);
        }
        if has_computed {
            compute(def, row, self.ctx)?;
        }
        check_view(self.target.check.as_ref(), row, self.ctx)?;
        check_row(def, row, Asked::All, self.ctx, self.verb)
    }
}

/// Fills the computed columns of a row that changes, and its rowversion.
pub fn compute_changed(def: &TableDef, row: &mut [Value], ctx: &RunContext) -> SqlResult<()> {
    if let Some(column) = def.columns.iter().position(|column| column.is_row_version()) {
        row[column] = ctx.next_row_version(def.database)?;
    }
    compute(def, row, ctx)
}

/// Fills the computed columns of a row. One that fails stays NULL where only its readers need it.
pub fn compute(def: &TableDef, row: &mut [Value], ctx: &RunContext) -> SqlResult<()> {
    for (index, column) in def.columns.iter().enumerate() {
        if let Some(computed) = &column.computed {
            row[index] = match eval(&computed.expr, ctx, Rows::of(row)) {
                Err(error) if may_wait_for_reader(&error, def, index) => Value::Null,
                value => value?,
            };
        }
    }
    Ok(())
}

/// Whether the error is left to statements that read the column: they compute it and report the error then.
#[cold]
fn may_wait_for_reader(error: &SqlError, def: &TableDef, column: usize) -> bool {
    let is_of_value = error.severity == SEVERITY_OF_VALUES && !matches!(error.number, 1222 | 3960);
    let is_persisted = def.columns[column].computed.as_ref().is_some_and(|computed| computed.persisted);
    is_of_value && !is_persisted && !def.is_needed_in_rows(column)
}

/// Fills the computed columns that an index or a constraint of `def` needs, in a row that was written before it.
pub fn compute_needed(def: &TableDef, row: &mut [Value], ctx: &RunContext) -> SqlResult<()> {
    for (index, column) in def.columns.iter().enumerate() {
        if let Some(computed) = column.computed.as_ref().filter(|computed| !computed.persisted)
            && def.is_needed_in_rows(index)
        {
            row[index] = eval(&computed.expr, ctx, Rows::of(row))?;
        }
    }
    Ok(())
}

/// A value as a column of `def` takes it.
///
/// # Errors
/// 515 for NULL, 2628 for a text too long, 8115 and others for what does not convert.
pub fn stored(ctx: &RunContext, value: Value, from: &SqlType, def: &TableDef, column: usize) -> SqlResult<Value> {
    let target = &def.columns[column];
    if value.is_null() {
        return Ok(Value::Null);
    }
    if !target.trims && cast::stores_as_it_is(&value, from, &target.ty.sql) {
        return Ok(value);
    }
    let stored = match cast::store(&value, from, &target.ty.sql, ctx.cast_rules()) {
        Ok(stored) if rounds_away(ctx, &value, &stored) => null_or(ctx, rounded(from, &target.ty.sql)),
        Ok(stored) => Ok(stored),
        Err(error) => unstored(ctx, &value, from, &target.ty.sql, *error, |value| {
            scoped::truncated(ctx, &def.full_name(), &target.name, value)
        }),
    };
    if target.trims { stored.map(trimmed) } else { stored }
}

/// A value that its column does not take as it is: cut or NULL where the options ask for that, else an error.
#[cold]
pub fn unstored(
    ctx: &RunContext,
    value: &Value,
    from: &SqlType,
    to: &SqlType,
    error: EvalError,
    truncated: impl FnOnce(&str) -> SqlError,
) -> SqlResult<Value> {
    match error {
        EvalError::Truncation { .. } if !ctx.facts.settings.ansi_warnings => {
            cast::cast(value, from, to, None, ctx.cast_rules()).map_err(message::of_eval)
        }
        EvalError::Truncation { value } => Err(truncated(&value)),
        other => null_or(ctx, message::of_eval(other)),
    }
}

/// A value as a column has it that was made under ANSI_PADDING OFF: without trailing blanks and zeros.
fn trimmed(value: Value) -> Value {
    match value {
        Value::Str(text) => Value::Str(text.trim_end_matches(' ').into()),
        Value::Binary(bytes) => {
            let end = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
            Value::binary(&bytes[..end])
        }
        other => other,
    }
}

/// 550: a row that a view WITH CHECK OPTION would not show.
pub fn check_view(check: Option<&BoundExpr>, row: &[Value], ctx: &RunContext) -> SqlResult<()> {
    let Some(check) = check else { return Ok(()) };
    if truth(check, ctx, Rows::of(row))? == Some(true) {
        return Ok(());
    }
    Err(SqlError::of(550, 1, &[]))
}

/// The same of a row that was there: the table's columns begin at `first` in the input row.
pub fn check_change(
    check: Option<&ViewCheck>,
    first: usize,
    new: &[Value],
    input: &[Value],
    ctx: &RunContext,
) -> SqlResult<()> {
    let Some(check) = check else { return Ok(()) };
    if !check.reads_others {
        return check_view(Some(&check.condition), new, ctx);
    }
    let mut row = input.to_vec();
    row[first..first + new.len()].clone_from_slice(new);
    check_view(Some(&check.condition), &row, ctx)
}

/// What messages call a change.
#[derive(Clone, Copy)]
pub struct Verb {
    /// The statement: constraints name it.
    pub statement: &'static str,
    /// What is done to the row.
    pub row: &'static str,
}

impl Verb {
    /// INSERT.
    pub const INSERT: Verb = Verb { statement: "INSERT", row: "INSERT" };
    /// UPDATE.
    pub const UPDATE: Verb = Verb { statement: "UPDATE", row: "UPDATE" };
    /// INSERT within MERGE.
    pub const MERGE_INSERT: Verb = Verb { statement: "MERGE", row: "INSERT" };
    /// UPDATE within MERGE.
    pub const MERGE_UPDATE: Verb = Verb { statement: "MERGE", row: "UPDATE" };
}

/// Which CHECKs are asked of a row.
#[derive(Clone, Copy)]
pub enum Asked<'a> {
    /// The row is new: all.
    All,
    /// It was there: those at these places, of what changes in it.
    Places(&'a [usize]),
}

impl Asked<'_> {
    /// Those of a change.
    pub fn of(change: &Change) -> Asked<'_> {
        match change {
            Change::Update { checks, .. } => Asked::Places(checks),
            Change::Delete => Asked::Places(&[]),
        }
    }

    fn has(self, place: usize) -> bool {
        match self {
            Asked::All => true,
            Asked::Places(places) => places.contains(&place),
        }
    }
}

/// NOT NULL and CHECK.
pub fn check_row(def: &TableDef, row: &[Value], asked: Asked<'_>, ctx: &RunContext, verb: Verb) -> SqlResult<()> {
    for (column, value) in def.columns.iter().zip(row) {
        if is_refused_null(column, value) {
            return Err(message::null_in_column(&column.name, &def.null_name(), verb.row));
        }
    }
    ask_checks(def, row, asked, ctx, verb, false)
}

/// NULL where there must be none. A computed column that is not persisted has none to show: what stands for it in the row is NULL
/// where it failed, and its readers compute it.
pub(crate) fn is_refused_null(column: &ColumnDef, value: &Value) -> bool {
    !column.ty.nullable && value.is_null() && column.computed.as_ref().is_none_or(|computed| computed.persisted)
}

/// The conditions that call functions, once the row is in its place: a function may count it.
pub fn check_stored_row(
    def: &TableDef,
    row: &[Value],
    asked: Asked<'_>,
    ctx: &RunContext,
    verb: Verb,
) -> SqlResult<()> {
    if ctx.calls_functions { ask_checks(def, row, asked, ctx, verb, true) } else { Ok(()) }
}

fn ask_checks(
    def: &TableDef,
    row: &[Value],
    asked: Asked<'_>,
    ctx: &RunContext,
    verb: Verb,
    stored: bool,
) -> SqlResult<()> {
    if def.checks.is_empty() {
        return Ok(());
    }
    let waits = |check: &CheckDef| ctx.calls_functions && def.storage == TableStorage::Trees && calls(&check.expr);
    let is_asked = |(place, check): &(usize, &CheckDef)| !check.disabled && asked.has(*place) && waits(check) == stored;
    for (_, check) in def.checks.iter().enumerate().filter(is_asked) {
        if truth(&check.expr, ctx, Rows::of(row))? == Some(false) {
            return Err(check_failed(def, check, verb.statement));
        }
    }
    Ok(())
}

fn calls(expr: &BoundExpr) -> bool {
    let mut found = false;
    expr.visit(&mut |node| found |= matches!(node.kind, Kind::Call(..)));
    found
}

/// 547 of a CHECK, 513 of a rule; a condition over one column names it.
pub fn check_failed(def: &TableDef, check: &CheckDef, verb: &str) -> SqlError {
    let column = check.column().map(|column| def.columns[column].name.as_str());
    if !check.is_constraint() {
        let place: [&dyn std::fmt::Display; 3] =
            [&def.database_name, &def.two_part_name(), &column.unwrap_or_default()];
        return SqlError::of(513, 0, &place);
    }
    message::conflict(verb, "CHECK", &check.name, (&def.database_name, &def.two_part_name(), column))
}

/// Length of a row's record.
pub fn record_bytes(def: &TableDef, row: &[Value]) -> SqlResult<usize> {
    let bytes = def.layout.encoded_len(row);
    if bytes > millpond_types::row::MAX_RECORD_BYTES {
        return Err(message::of_row(millpond_types::RowError::TooLong { bytes }));
    }
    Ok(bytes)
}
