//! Functions about the session: its counters and settings, its error. What depends on cursors, procedures or the whole
//! instance comes from the catalog.

use millpond_catalog::names_equal;
use millpond_catalog::run::Run;
use millpond_catalog::run::facts::{RunningTrigger, TriggerKind};
use millpond_catalog::run::metadata::Usage;
use millpond_catalog::run::set_option::options_bits;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_message::sink::Message;
use millpond_storage::database::options::DatabaseFlag;
use millpond_types::{Decimal, MaxLen, SqlType, Value};

use crate::args::{SYSNAME, invalid_argument, nullable, nvarchar, strict};
use crate::define::{Bind, fixed};
use crate::{FunctionDef, Signature};

/// Length of a tick of @@CPU_BUSY and its kin.
const TICK_US: u64 = 31_250;

const IDENTITY: SqlType = SqlType::numeric(38, 0);
const CONTEXT_INFO: SqlType = SqlType::VarBinary { len: MaxLen::Limited(128) };

const INT: Bind = |_| strict(vec![], SqlType::Int);
const BIGINT: Bind = |_| strict(vec![], SqlType::BigInt);
const SMALLINT: Bind = |_| strict(vec![], SqlType::SmallInt);
const NAME: Bind = |_| strict(vec![], SYSNAME);
const NAME_OR_NULL: Bind = |_| nullable(vec![], SYSNAME);
const INT_OR_NULL: Bind = |_| nullable(vec![], SqlType::Int);

/// Defines a function without arguments whose value is an expression over the context.
macro_rules! fact {
    ($name:literal, $bind:expr, $of:expr) => {
        fixed($name, (0, 0), $bind, |ctx, _, _, _| {
            let of: fn(&dyn Run) -> Value = $of;
            Ok(of(ctx))
        })
    };
}

/// A bit per column: 1,024 columns at most.
const COLUMN_BITS: SqlType = SqlType::VarBinary { len: MaxLen::Limited(128) };

/// A bit per column by its number, the first in the lowest bit of the first byte.
fn columns_updated(ctx: &dyn Run) -> Value {
    let Some(trigger) = &ctx.facts().trigger else { return Value::Null };
    let bit = |column: usize| trigger.table_columns[column].id as usize - 1;
    let last = trigger.table_columns.iter().map(|column| column.id as usize).max().unwrap_or(1);
    let mut bits = vec![0u8; last.div_ceil(8)];
    for column in &trigger.columns {
        bits[bit(*column) / 8] |= 1 << (bit(*column) % 8);
    }
    Value::Binary(bits.into())
}

/// `UPDATE(column)`: 1 or 0; 140 outside of a trigger.
fn is_updated(ctx: &dyn Run, name: &Value) -> SqlResult<Value> {
    // A text names a column here, so NULL is never given.
    let Value::Str(name) = name else { return Ok(Value::Int(0)) };
    let Some(trigger) = &ctx.facts().trigger else {
        return Err(SqlError::of(140, 1, &[]));
    };
    let column = trigger.table_columns.iter().position(|column| names_equal(&column.name, name));
    let column = column.ok_or_else(|| message::invalid_column(name))?;
    Ok(Value::Int(i32::from(trigger.columns.contains(&column))))
}

/// The functions.
pub(crate) static FUNCTIONS: &[FunctionDef] = &[
    fact!("@@ROWCOUNT", INT, |ctx| Value::Int(i32::try_from(ctx.facts().row_count).unwrap_or(i32::MAX))),
    fact!("ROWCOUNT_BIG", BIGINT, |ctx| Value::BigInt(i64::try_from(ctx.facts().row_count).unwrap_or(i64::MAX))),
    fact!("@@ERROR", INT, |ctx| Value::Int(ctx.facts().error)),
    fact!("@@TRANCOUNT", INT, |ctx| Value::Int(i32::try_from(ctx.facts().tran_count).unwrap_or(i32::MAX))),
    fact!("XACT_STATE", SMALLINT, |ctx| Value::SmallInt(match (ctx.facts().doomed, ctx.facts().tran_count) {
        (true, _) => -1,
        (false, 0) => 0,
        (false, _) => 1,
    })),
    fact!("@@SPID", SMALLINT, |ctx| Value::SmallInt(i16::try_from(ctx.facts().session).unwrap_or(i16::MAX))),
    fact!("@@IDENTITY", |_| nullable(vec![], IDENTITY), |ctx| identity(&ctx.facts().identity)),
    fact!("SCOPE_IDENTITY", |_| nullable(vec![], IDENTITY), |ctx| identity(&ctx.facts().scope_identity)),
    fixed("TRIGGER_NESTLEVEL", (0, 3), trigger_level_signature, |ctx, args, _, _| Ok(trigger_level(ctx, args))),
    fact!("EVENTDATA", |_| nullable(vec![], SqlType::Xml), |ctx| {
        let event = ctx.facts().trigger.as_ref().and_then(|trigger| trigger.event.as_deref());
        event.map_or(Value::Null, Value::str)
    }),
    fact!("COLUMNS_UPDATED", |_| nullable(vec![], COLUMN_BITS), columns_updated),
    fixed("UPDATE", (1, 1), |_| strict(vec![SYSNAME], SqlType::Int), |ctx, args, _, _| is_updated(ctx, &args[0])),
    fact!("@@NESTLEVEL", INT, |ctx| Value::Int(i32::try_from(ctx.facts().nest_level).unwrap_or(i32::MAX))),
    fact!("@@PROCID", INT, |ctx| Value::Int(ctx.catalog().procedure_id())),
    fact!("@@CURSOR_ROWS", INT, |ctx| Value::Int(ctx.catalog().cursor_rows())),
    fact!("@@FETCH_STATUS", INT, |ctx| Value::Int(ctx.catalog().fetch_status())),
    fixed(
        "CURSOR_STATUS",
        (2, 2),
        |_| nullable(vec![SYSNAME, SYSNAME], SqlType::SmallInt),
        |ctx, args, _, _| Ok(Value::SmallInt(cursor_status(ctx, &args[0], &args[1]))),
    ),
    fact!("@@LANGUAGE", NAME, |ctx| Value::str(ctx.facts().settings.language.facts().name)),
    fact!("@@LANGID", SMALLINT, |ctx| Value::SmallInt(i16::from(ctx.facts().settings.language.number()))),
    fact!("@@DATEFIRST", |_| strict(vec![], SqlType::TinyInt), |ctx| {
        Value::TinyInt(ctx.facts().settings.datefirst)
    }),
    fact!("@@TEXTSIZE", INT, |ctx| Value::Int(ctx.facts().settings.textsize)),
    fact!("@@LOCK_TIMEOUT", INT, |ctx| Value::Int(ctx.facts().settings.lock_timeout)),
    fact!("@@OPTIONS", INT, |ctx| Value::Int(options_bits(&ctx.facts().settings))),
    fact!("@@MAX_CONNECTIONS", INT, |ctx| Value::Int(ctx.catalog().max_connections())),
    fact!("@@MAX_PRECISION", |_| strict(vec![], SqlType::TinyInt), |_| Value::TinyInt(
        millpond_types::decimal::MAX_PRECISION
    )),
    fact!("@@TIMETICKS", INT, |_| Value::Int(TICK_US as i32)),
    fact!("@@CPU_BUSY", INT, |ctx| ticks(ctx.catalog().usage().cpu_us)),
    fact!("@@IO_BUSY", INT, |ctx| ticks(ctx.catalog().usage().io_us)),
    fact!("@@IDLE", INT, |ctx| ticks(idle_us(&ctx.catalog().usage()))),
    fact!("@@TOTAL_READ", INT, |ctx| count(ctx.catalog().usage().reads)),
    fact!("@@TOTAL_WRITE", INT, |ctx| count(ctx.catalog().usage().writes)),
    fact!("@@CONNECTIONS", INT, |ctx| count(ctx.catalog().usage().connections)),
    fact!("@@PACK_RECEIVED", INT, |ctx| count(ctx.catalog().usage().packets_received)),
    fact!("@@PACK_SENT", INT, |ctx| count(ctx.catalog().usage().packets_sent)),
    fact!("@@PACKET_ERRORS", INT, |ctx| count(ctx.catalog().usage().packet_errors)),
    fact!("@@TOTAL_ERRORS", INT, |ctx| count(ctx.catalog().usage().io_errors)),
    // No other server calls procedures here.
    fact!("@@REMSERVER", NAME_OR_NULL, |_| Value::Null),
    // A session runs one request at a time.
    fact!("CURRENT_REQUEST_ID", SMALLINT, |_| Value::SmallInt(0)),
    fact!("CURRENT_TRANSACTION_ID", BIGINT, |ctx| Value::BigInt(ctx.catalog().transaction_id())),
    fixed("GETANSINULL", (0, 1), |types| nullable(vec![SYSNAME; types.len()], SqlType::Int), get_ansi_null),
    fact!("ERROR_NUMBER", INT_OR_NULL, |ctx| caught(ctx, |error| { Value::Int(error.number) })),
    fact!("ERROR_SEVERITY", INT_OR_NULL, |ctx| caught(ctx, |error| { Value::Int(i32::from(error.severity)) })),
    fact!("ERROR_STATE", INT_OR_NULL, |ctx| caught(ctx, |error| { Value::Int(i32::from(error.state)) })),
    fact!("ERROR_LINE", INT_OR_NULL, |ctx| caught(ctx, |error| count(u64::from(error.line)))),
    fact!("ERROR_PROCEDURE", NAME_OR_NULL, |ctx| caught(ctx, |error| or_null(&error.procedure))),
    fact!("ERROR_MESSAGE", |_| nullable(vec![], nvarchar(4000)), |ctx| caught(ctx, |error| Value::str(&error.text))),
    fact!("HOST_NAME", NAME_OR_NULL, |ctx| or_null(&ctx.facts().login.host)),
    fact!("HOST_ID", |_| strict(vec![], SqlType::char(10)), |ctx| {
        Value::from(format!("{:<10}", ctx.facts().login.host_process_id))
    }),
    fact!("APP_NAME", NAME_OR_NULL, |ctx| or_null(&ctx.facts().login.program)),
    fact!("CONTEXT_INFO", |_| nullable(vec![], CONTEXT_INFO), |ctx| {
        ctx.catalog().context_info().map_or(Value::Null, |info| Value::Binary(info.into()))
    }),
    fixed("SESSION_CONTEXT", (1, 1), session_context_signature, |ctx, args, _, _| {
        Ok(args[0].as_str().map_or(Value::Null, |key| ctx.catalog().session_value(key)))
    }),
];

/// Whether a column that says nothing takes NULL: by the session's options, else by the database's.
fn get_ansi_null(ctx: &dyn Run, args: &[Value], _: &[SqlType], _: &SqlType) -> SqlResult<Value> {
    let named = |name: &Value| name.as_str().and_then(|name| ctx.catalog().database_id(name));
    let Some(id) = args.first().map_or(Some(ctx.facts().database), named) else { return Ok(Value::Null) };
    let settings = &ctx.facts().settings;
    let of_database = || ctx.catalog().database(id).is_some_and(|db| db.options.is_on(DatabaseFlag::AnsiNullDefault));
    let takes_null = settings.ansi_null_default_on || !settings.ansi_null_default_off && of_database();
    Ok(Value::Int(i32::from(takes_null)))
}

fn trigger_level_signature(types: &[Option<SqlType>]) -> SqlResult<Signature> {
    let params = [SqlType::Int, SYSNAME, SYSNAME];
    nullable(params[..types.len()].to_vec(), SqlType::Int)
}

/// How many of the triggers that run are the one of a number (0: any), of a type (AFTER, IOT) and of a category (DML, DDL).
/// NULL where an argument is, and for a type or category that there is not.
fn trigger_level(ctx: &dyn Run, args: &[Value]) -> Value {
    let Some(running) = &ctx.facts().trigger else {
        return if args.iter().any(Value::is_null) { Value::Null } else { Value::Int(0) };
    };
    let word = |index: usize| args.get(index).map(|arg| arg.as_str().map(|word| word.trim().to_ascii_uppercase()));
    let object = match args.first() {
        None => 0,
        Some(Value::Int(object)) => *object,
        Some(_) => return Value::Null,
    };
    let is_instead = match word(1) {
        None => None,
        Some(Some(word)) if word == "AFTER" => Some(false),
        Some(Some(word)) if word == "IOT" => Some(true),
        Some(_) => return Value::Null,
    };
    let is_definition = match word(2) {
        None => None,
        Some(Some(word)) if word == "DML" => Some(false),
        Some(Some(word)) if word == "DDL" => Some(true),
        Some(_) => return Value::Null,
    };
    let counts = |trigger: &&RunningTrigger| {
        (object == 0 || trigger.object.0 == object)
            && is_instead.is_none_or(|is| is == (trigger.kind == TriggerKind::Instead))
            && is_definition.is_none_or(|is| is == (trigger.kind == TriggerKind::Definition))
    };
    count(running.stack().filter(counts).count() as u64)
}

/// The key is `nvarchar`: 8116 for any other type.
fn session_context_signature(types: &[Option<SqlType>]) -> SqlResult<Signature> {
    match types[0] {
        Some(SqlType::NVarChar { .. } | SqlType::NChar { .. }) => {}
        other => return Err(invalid_argument(other, 1, "session_context")),
    }
    nullable(vec![nvarchar(128)], SqlType::Variant)
}

fn identity(value: &Value) -> Value {
    value.as_i64().map_or_else(|| value.clone(), |n| Value::Decimal(Decimal::from(n)))
}

fn or_null(text: &str) -> Value {
    if text.is_empty() { Value::Null } else { Value::str(text) }
}

fn count(n: u64) -> Value {
    Value::Int(i32::try_from(n).unwrap_or(i32::MAX))
}

fn ticks(us: u64) -> Value {
    count(us / TICK_US)
}

fn idle_us(usage: &Usage) -> u64 {
    (usage.up_us * u64::from(usage.cpu_count)).saturating_sub(usage.cpu_us)
}

fn caught(ctx: &dyn Run, of: fn(&Message) -> Value) -> Value {
    ctx.facts().caught.as_deref().map_or(Value::Null, of)
}

/// The state of a cursor: 1 open, 0 open without rows, -1 closed, -2 a variable without one, -3 none of that name.
fn cursor_status(ctx: &dyn Run, scope: &Value, name: &Value) -> i16 {
    let (Some(scope), Some(name)) = (scope.as_str(), name.as_str()) else { return -3 };
    let (scope, name) = (scope.trim().to_lowercase(), name.trim().to_lowercase());
    ctx.catalog().cursor_state(&scope, &name).unwrap_or(-3)
}
