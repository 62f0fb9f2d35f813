//! SET of an option, and USE: what a session's statements after it go by.

use std::sync::Arc;

use millpond_bind::{Named, Names};
use millpond_catalog::run::facts::{Settings, Showplan};
use millpond_catalog::run::set_option::set_option;
use millpond_catalog::{ObjectId, TableDef, names_equal};
use millpond_engine::security::default_schema;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_message::sink::{EnvChange, Message};
use millpond_message::text_size::DEFAULT_BYTES;
use millpond_storage::contract::DbId;
use millpond_tsql::ast::{ExprKind, Literal, SetOption, SetValue, Statement};
use millpond_types::temporal::Language;
use millpond_types::{MaxLen, SqlType, Value};

use crate::exec::batch::{BatchRun, scalar};
use crate::exec::security::set_user;
use millpond_names::session_names::SessionNames;
use millpond_rights::needs;

/// SET IDENTITY_INSERT: one table of the session at a time.
fn set_identity_insert(run: &mut BatchRun<'_>, settings: &mut Settings, table: &str, on: bool) -> SqlResult<()> {
    let name = millpond_builtin::object_name(table).ok_or_else(|| message::invalid_object(table))?;
    let found = SessionNames::of(&run.ctx).relation(&name, None)?;
    let Some(Named::Table(def)) = found else {
        return Err(SqlError::of(1088, 11, &[&table]));
    };
    let may_alter = def.is_temporary() || needs::may_on_object(&run.ctx, def.database, def.id, "ALTER")?;
    if !may_alter {
        return Err(SqlError::of(1088, 11, &[&table]));
    }
    if def.identity_column().is_none() {
        return Err(SqlError::of(8106, 1, &[&table]));
    }
    let this = (def.database, def.id, def.name.clone());
    if let Some(known) = settings.identity_insert.as_ref().filter(|known| on && **known != this) {
        return Err(SqlError::of(8107, 1, &[&known.2, &table]));
    }
    if on {
        settings.identity_insert = Some(this);
    } else if settings.identity_insert.as_ref() == Some(&this) {
        settings.identity_insert = None;
    }
    // What was bound before takes other columns.
    run.plans.statements.clear();
    run.session.shared.forget_plans();
    Ok(())
}

/// IDENTITY_INSERT ends with the table that it is on for.
pub(in crate::exec) fn forget_identity_insert(run: &mut BatchRun<'_>, def: &TableDef) {
    let is_it = |known: &(DbId, ObjectId, String)| {
        (known.0, known.1) == (def.database, def.id) && names_equal(&known.2, &def.name)
    };
    if run.ctx.facts.settings.identity_insert.as_ref().is_some_and(is_it) {
        Arc::make_mut(&mut run.ctx_mut().facts.settings).identity_insert = None;
        run.plans.statements.clear();
        run.session.shared.forget_plans();
    }
}

pub(in crate::exec) fn use_database(run: &mut BatchRun<'_>, name: &str) -> SqlResult<()> {
    set_user::end_set_user(run)?;
    run.session.facts = run.ctx.facts.clone();
    run.session.use_database(name, run.sink)?;
    let mut facts = run.session.facts.clone();
    facts.default_schema =
        default_schema(&run.ctx.engine, run.ctx.locks.transaction_number(), &facts.security, facts.database)?;
    if facts.procedure == 0 {
        facts.schema = facts.default_schema;
    }
    run.ctx_mut().facts = facts;
    // Bound statements may mean objects of the database that was current.
    run.plans.statements.clear();
    run.done_without_count();
    Ok(())
}

pub(in crate::exec) fn apply_set(run: &mut BatchRun<'_>, statement: &Statement, option: &SetOption) -> SqlResult<()> {
    let mut settings = (*run.ctx.facts.settings).clone();
    for name in &option.names {
        set_one(run, &mut settings, name, &option.value, statement)?;
    }
    let settings = Arc::new(settings);
    run.session.shared.status.lock().settings = Arc::clone(&settings);
    run.ctx_mut().facts.settings = settings;
    run.done_without_count();
    Ok(())
}

fn set_one(
    run: &mut BatchRun<'_>,
    settings: &mut Settings,
    name: &str,
    value: &SetValue,
    statement: &Statement,
) -> SqlResult<()> {
    let on = matches!(value, SetValue::On);
    if on && matches!(name, "SHOWPLAN_TEXT" | "SHOWPLAN_ALL" | "SHOWPLAN_XML" | "STATISTICS PROFILE" | "STATISTICS XML")
    {
        needs::in_database(&run.ctx, run.ctx.facts.database, "SHOWPLAN")?;
    }
    if let Some(option) = set_option(name) {
        option.run(settings, on, run.frame.made_with.is_some());
        return Ok(());
    }
    match name {
        "ROWCOUNT" => settings.rowcount = row_count(run, statement, value)?,
        "TEXTSIZE" => settings.textsize = text_size(set_number(run, statement, value)?),
        "LOCK_TIMEOUT" => settings.lock_timeout = int32(set_number(run, statement, value)?),
        "DATEFIRST" => settings.set_datefirst(datefirst(set_number(run, statement, value)?)?),
        "QUERY_GOVERNOR_COST_LIMIT" => {
            set_number(run, statement, value)?;
        }
        "DATEFORMAT" => settings.set_dateformat(dateformat(&set_word(run, statement, value)?)?),
        "LANGUAGE" => {
            let word = set_word(run, statement, value)?;
            set_language(run, settings, &word)?;
        }
        "DEADLOCK_PRIORITY" => settings.deadlock_priority = deadlock_priority(&set_word(run, statement, value)?)?,
        "TRANSACTION ISOLATION LEVEL" => settings.isolation = isolation(&set_word(run, statement, value)?)?,
        "CONTEXT_INFO" => set_context_info(run, statement, value)?,
        other if other.starts_with("IDENTITY_INSERT ") => {
            set_identity_insert(run, settings, other.trim_start_matches("IDENTITY_INSERT "), on)?;
        }
        "SHOWPLAN_TEXT" => settings.showplan = showplan(settings.showplan, Showplan::Text, on),
        "SHOWPLAN_ALL" => settings.showplan = showplan(settings.showplan, Showplan::All, on),
        "SHOWPLAN_XML" => settings.showplan = showplan(settings.showplan, Showplan::Xml, on),
        other if other.starts_with("STATISTICS") || other.starts_with("SHOWPLAN") => {
            if on {
                return Err(message::missing(&format!("SET {other}")));
            }
        }
        other => {
            let span = statement.span;
            let text = run.parsed.text.get(span.start as usize..span.end as usize).unwrap_or_default();
            return Err(message::unknown_option(as_written(text, other)));
        }
    }
    Ok(())
}

fn set_number(run: &mut BatchRun<'_>, statement: &Statement, value: &SetValue) -> SqlResult<i64> {
    let SetValue::Expr(expr) = value else {
        return Err(message::syntax_near("SET"));
    };
    match scalar::scalar(run, statement, 0, expr, Some(SqlType::BigInt))? {
        Value::BigInt(number) => Ok(number),
        _ => Ok(0),
    }
}

/// The number of SET ROWCOUNT.
///
/// # Errors
/// 1080 for a constant that is no integer, 507 for a variable that is NULL or negative.
fn row_count(run: &mut BatchRun<'_>, statement: &Statement, value: &SetValue) -> SqlResult<u64> {
    let SetValue::Expr(expr) = value else {
        return Err(message::syntax_near("SET"));
    };
    if let ExprKind::Literal(Literal::Decimal(digits)) = &expr.kind {
        return Err(SqlError::of(1080, 1, &[digits]));
    }
    let number = scalar::scalar(run, statement, 0, expr, Some(SqlType::BigInt))?;
    let number = number.as_i64().and_then(|number| u64::try_from(number).ok());
    number.ok_or_else(|| SqlError::of(507, 2, &[]))
}

fn set_word(run: &mut BatchRun<'_>, statement: &Statement, value: &SetValue) -> SqlResult<String> {
    match value {
        SetValue::Words(words) => Ok(words.clone()),
        SetValue::Expr(expr) => {
            if let ExprKind::Literal(Literal::String(word) | Literal::NationalString(word)) = &expr.kind {
                return Ok(word.clone());
            }
            match scalar::scalar(run, statement, 0, expr, Some(SqlType::NVarChar { len: MaxLen::Limited(128) }))? {
                Value::Str(word) => Ok(word.to_string()),
                _ => Ok(String::new()),
            }
        }
        SetValue::On => Ok("ON".to_owned()),
        SetValue::Off => Ok("OFF".to_owned()),
    }
}

fn set_context_info(run: &mut BatchRun<'_>, statement: &Statement, value: &SetValue) -> SqlResult<()> {
    let SetValue::Expr(expr) = value else {
        return Err(message::syntax_near("CONTEXT_INFO"));
    };
    let target = SqlType::VarBinary { len: MaxLen::Limited(CONTEXT_INFO_BYTES) };
    let value = scalar::scalar(run, statement, 0, expr, Some(target))?;
    *run.session.shared.context_info.lock() = match value {
        Value::Binary(bytes) => {
            // The value stands first, a number too; zeros fill the rest.
            let mut info = bytes.to_vec();
            info.resize(usize::from(CONTEXT_INFO_BYTES), 0);
            Some(info.into())
        }
        _ => return Err(SqlError::of(2743, 1, &[&"SET CONTEXT_INFO", &"varbinary (128) NOT NULL"])),
    };
    Ok(())
}

/// Bytes of CONTEXT_INFO.
const CONTEXT_INFO_BYTES: u16 = 128;

/// A word as it stands in a text.
fn as_written<'t>(text: &'t str, word: &'t str) -> &'t str {
    let is_it = |part: &&str| part.eq_ignore_ascii_case(word);
    text.split(|c: char| !c.is_alphanumeric() && c != '_').find(is_it).unwrap_or(word)
}

/// 0 stands for the default, all below for no bound.
pub(in crate::exec) fn text_size(bytes: i64) -> i32 {
    match int32(bytes) {
        0 => DEFAULT_BYTES,
        bytes => bytes.max(-1),
    }
}

/// ON: plans are shown so; OFF takes back its own ON.
pub(in crate::exec) fn showplan(now: Showplan, form: Showplan, on: bool) -> Showplan {
    match on {
        true => form,
        false if now == form => Showplan::Off,
        false => now,
    }
}

fn int32(number: i64) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

fn datefirst(number: i64) -> SqlResult<u8> {
    u8::try_from(number).ok().filter(|day| (1..=7).contains(day)).ok_or_else(|| SqlError::of(2742, 1, &[&number]))
}

fn dateformat(word: &str) -> SqlResult<[u8; 3]> {
    let lower = word.to_ascii_lowercase();
    match lower.as_str() {
        "mdy" | "dmy" | "ymd" | "ydm" | "myd" | "dym" => Ok(lower.into_bytes().try_into().expect("three letters")),
        _ => Err(SqlError::of(2741, 1, &[&word])),
    }
}

/// SET LANGUAGE by name or alias, which is reported to the client.
///
/// # Errors
/// 2740 for one that is not there.
fn set_language(run: &mut BatchRun<'_>, settings: &mut Settings, word: &str) -> SqlResult<()> {
    let language = Language::named(word).ok_or_else(|| SqlError::of(2740, 1, &[&word]))?;
    let old = settings.language.facts().name;
    settings.set_language(language);
    let name = language.facts().name;
    run.sink.env_change(&EnvChange::Language { new: name.to_owned(), old: old.to_owned() });
    run.sink.message(&Message::of(5703, &[&name]));
    Ok(())
}

pub(in crate::exec) fn deadlock_priority(word: &str) -> SqlResult<i32> {
    match word.to_ascii_uppercase().as_str() {
        "LOW" => Ok(-5),
        "NORMAL" => Ok(0),
        "HIGH" => Ok(5),
        number => number
            .parse()
            .ok()
            .filter(|priority| (-10..=10).contains(priority))
            .ok_or_else(|| message::syntax_near(word)),
    }
}

pub(in crate::exec) fn isolation(words: &str) -> SqlResult<u8> {
    match words.to_ascii_uppercase().as_str() {
        "READ UNCOMMITTED" => Ok(1),
        "READ COMMITTED" => Ok(2),
        "REPEATABLE READ" => Ok(3),
        "SERIALIZABLE" => Ok(4),
        "SNAPSHOT" => Ok(5),
        other => Err(message::syntax_near(other)),
    }
}
