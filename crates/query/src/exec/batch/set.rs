//! SET, DECLARE and USE: variables and the session's options.

use std::sync::Arc;

use millpond_bind::{Named, Names};
use millpond_catalog::run::Run;
use millpond_catalog::run::facts::{Settings, Showplan};
use millpond_catalog::run::set_option::set_option;
use millpond_catalog::{ObjectId, TableDef, names_equal};
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::contract::DbId;
use millpond_tsql::ast::{
    AssignOp, Assignment, DataType, Expr, ExprKind, Literal, SetOption, SetValue, Statement, VariableDeclaration,
};
use millpond_types::{MaxLen, SqlType, Value};

use crate::exec::batch::BatchRun;
use crate::exec::batch::code::{Code, Scalar};
use crate::exec::batch::control::scalar_of;
use crate::exec::batch::names::SessionNames;
use crate::exec::batch::text_size::DEFAULT_BYTES;

/// Bytes of CONTEXT_INFO.
const CONTEXT_INFO_BYTES: u16 = 128;

impl BatchRun<'_> {
    pub(in crate::exec) fn set_variable(&mut self, statement: &Statement, assignment: &Assignment) -> SqlResult<()> {
        if self.set_by_formula(statement) {
            self.done_quietly(1);
            return Ok(());
        }
        if self.is_cursor_variable(&assignment.variable) {
            return self.share_cursor(assignment);
        }
        let code = self.code_of_set(statement, assignment)?;
        let Code::Scalar(scalar) = &*code else { unreachable!("bound above") };
        if !scalar.appended.is_empty() {
            self.append_to_variable(scalar)?;
            self.done_quietly(1);
            return Ok(());
        }
        let value = self.value(&code)?;
        let value = self.fitting(scalar.slot, value)?;
        let slot = scalar.slot;
        self.ctx_mut().variables[slot] = value;
        self.done_quietly(1);
        Ok(())
    }

    pub(in crate::exec) fn code_of_set(
        &mut self,
        statement: &Statement,
        assignment: &Assignment,
    ) -> SqlResult<Arc<Code>> {
        self.bound(statement, 0, |binder, _| {
            let (slot, expr) = binder.assignment(assignment)?;
            let appended = BatchRun::appended(&expr, slot);
            Ok(Code::Scalar(Scalar { appended, ..scalar_of(expr, slot) }))
        })
    }

    pub(in crate::exec) fn declare(&mut self, statement: &Statement, list: &[VariableDeclaration]) -> SqlResult<()> {
        for (index, declaration) in list.iter().enumerate() {
            if declaration.data_type == DataType::Cursor {
                self.declare_cursor_variable(&declaration.name);
                continue;
            }
            let named = matches!(declaration.data_type, DataType::Named(_));
            if !named && declaration.value.is_none() {
                continue;
            }
            let part = u16::try_from(index)
                .map_err(|_| message::missing("A DECLARE of more than 65,535 variables with values"))?;
            if named && self.declare_of_type(statement, part, declaration)? {
                continue;
            }
            let Some(initial) = &declaration.value else { continue };
            let code = self.initial_code(statement, part, &declaration.name, initial)?;
            let value = self.value(&code)?;
            let Code::Scalar(scalar) = &*code else { unreachable!("bound above") };
            let slot = scalar.slot;
            let value = self.fitting(slot, value)?;
            self.ctx_mut().variables[slot] = value;
        }
        Ok(())
    }

    /// The code of a declaration's value.
    pub(in crate::exec) fn initial_code(
        &mut self,
        statement: &Statement,
        part: u16,
        name: &str,
        initial: &Expr,
    ) -> SqlResult<Arc<Code>> {
        self.bound(statement, part, |binder, _| {
            let (variable, op, value) = (name.to_owned(), AssignOp::Set, initial.clone());
            let (slot, expr) = binder.assignment(&Assignment { variable, op, value })?;
            Ok(Code::Scalar(scalar_of(expr, slot)))
        })
    }

    /// A value as the variable holds it: a text too long is cut silently, `char(n)` is padded.
    pub(in crate::exec) fn fitting(&self, slot: usize, value: Value) -> SqlResult<Value> {
        if !matches!(value, Value::Str(_) | Value::Binary(_)) {
            return Ok(value);
        }
        let sql = self.variables.type_of(slot);
        let fitting = crate::exec::dml::new_row::fitting(&sql, value, self.ctx.cast_rules());
        if sql.is_max() { self.ctx.hold(fitting) } else { fitting }
    }

    /// SET IDENTITY_INSERT: one table of the session at a time.
    fn set_identity_insert(&mut self, settings: &mut Settings, table: &str, on: bool) -> SqlResult<()> {
        let name = millpond_builtin::object_name(table).ok_or_else(|| message::invalid_object(table))?;
        let found = SessionNames::of(&self.ctx).relation(&name, None)?;
        let Some(Named::Table(def)) = found else {
            return Err(SqlError::of(1088, 11, &[&table]));
        };
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
        self.plans.statements.clear();
        self.session.shared.forget_plans();
        Ok(())
    }

    /// IDENTITY_INSERT ends with the table that it is on for.
    pub(in crate::exec) fn forget_identity_insert(&mut self, def: &TableDef) {
        let is_it = |known: &(DbId, ObjectId, String)| {
            (known.0, known.1) == (def.database, def.id) && names_equal(&known.2, &def.name)
        };
        if self.ctx.facts.settings.identity_insert.as_ref().is_some_and(is_it) {
            Arc::make_mut(&mut self.ctx_mut().facts.settings).identity_insert = None;
            self.plans.statements.clear();
            self.session.shared.forget_plans();
        }
    }

    pub(in crate::exec) fn use_database(&mut self, name: &str) -> SqlResult<()> {
        self.session.facts = self.ctx.facts.clone();
        self.session.use_database(name, self.sink)?;
        let facts = self.session.facts.clone();
        self.ctx_mut().facts = facts;
        // Bound statements may mean objects of the database that was current.
        self.plans.statements.clear();
        self.done_quietly(0);
        Ok(())
    }

    pub(in crate::exec) fn set_option(&mut self, statement: &Statement, option: &SetOption) -> SqlResult<()> {
        let mut settings = (*self.ctx.facts.settings).clone();
        for name in &option.names {
            self.set_one(&mut settings, name, &option.value, statement)?;
        }
        let settings = Arc::new(settings);
        self.session.shared.status.lock().settings = Arc::clone(&settings);
        self.ctx_mut().facts.settings = settings;
        self.done_quietly(0);
        Ok(())
    }

    fn set_one(
        &mut self,
        settings: &mut Settings,
        name: &str,
        value: &SetValue,
        statement: &Statement,
    ) -> SqlResult<()> {
        let on = matches!(value, SetValue::On);
        if let Some(option) = set_option(name) {
            option.run(settings, on, self.frame.made_with.is_some());
            return Ok(());
        }
        match name {
            "ROWCOUNT" => settings.rowcount = self.set_number(statement, value)?.max(0).unsigned_abs(),
            "TEXTSIZE" => settings.textsize = text_size(self.set_number(statement, value)?),
            "LOCK_TIMEOUT" => settings.lock_timeout = int32(self.set_number(statement, value)?),
            "DATEFIRST" => settings.datefirst = datefirst(self.set_number(statement, value)?)?,
            "QUERY_GOVERNOR_COST_LIMIT" => {
                self.set_number(statement, value)?;
            }
            "DATEFORMAT" => settings.dateformat = dateformat(&self.set_word(statement, value)?)?,
            "LANGUAGE" => settings.language = language(&self.set_word(statement, value)?)?,
            "DEADLOCK_PRIORITY" => settings.deadlock_priority = deadlock_priority(&self.set_word(statement, value)?)?,
            "TRANSACTION ISOLATION LEVEL" => settings.isolation = isolation(&self.set_word(statement, value)?)?,
            "CONTEXT_INFO" => self.set_context_info(statement, value)?,
            other if other.starts_with("IDENTITY_INSERT ") => {
                self.set_identity_insert(settings, other.trim_start_matches("IDENTITY_INSERT "), on)?;
            }
            "SHOWPLAN_TEXT" => settings.showplan = showplan(settings.showplan, Showplan::Text, on),
            "SHOWPLAN_ALL" => settings.showplan = showplan(settings.showplan, Showplan::All, on),
            other if other.starts_with("STATISTICS") || other.starts_with("SHOWPLAN") => {
                if on {
                    return Err(message::missing(&format!("SET {other}")));
                }
            }
            other => {
                let span = statement.span;
                let text = self.parsed.text.get(span.start as usize..span.end as usize).unwrap_or_default();
                return Err(message::unknown_option(as_written(text, other)));
            }
        }
        Ok(())
    }

    fn set_number(&mut self, statement: &Statement, value: &SetValue) -> SqlResult<i64> {
        let SetValue::Expr(expr) = value else {
            return Err(message::syntax_near("SET"));
        };
        match self.scalar(statement, 0, expr, Some(SqlType::BigInt))? {
            Value::BigInt(number) => Ok(number),
            _ => Ok(0),
        }
    }

    fn set_word(&mut self, statement: &Statement, value: &SetValue) -> SqlResult<String> {
        match value {
            SetValue::Words(words) => Ok(words.clone()),
            SetValue::Expr(expr) => {
                if let ExprKind::Literal(Literal::String(word) | Literal::NationalString(word)) = &expr.kind {
                    return Ok(word.clone());
                }
                match self.scalar(statement, 0, expr, Some(SqlType::NVarChar { len: MaxLen::Limited(128) }))? {
                    Value::Str(word) => Ok(word.to_string()),
                    _ => Ok(String::new()),
                }
            }
            SetValue::On => Ok("ON".to_owned()),
            SetValue::Off => Ok("OFF".to_owned()),
        }
    }

    fn set_context_info(&mut self, statement: &Statement, value: &SetValue) -> SqlResult<()> {
        let SetValue::Expr(expr) = value else {
            return Err(message::syntax_near("CONTEXT_INFO"));
        };
        let target = SqlType::VarBinary { len: MaxLen::Limited(CONTEXT_INFO_BYTES) };
        let value = self.scalar(statement, 0, expr, Some(target))?;
        *self.session.shared.context_info.lock() = match value {
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
}

/// A word as it stands in a text.
fn as_written<'t>(text: &'t str, word: &'t str) -> &'t str {
    let is_it = |part: &&str| part.eq_ignore_ascii_case(word);
    text.split(|c: char| !c.is_alphanumeric() && c != '_').find(is_it).unwrap_or(word)
}

/// 0 stands for the default, all below for no bound.
fn text_size(bytes: i64) -> i32 {
    match int32(bytes) {
        0 => DEFAULT_BYTES,
        bytes => bytes.max(-1),
    }
}

/// ON: plans are shown so; OFF takes back its own ON.
fn showplan(now: Showplan, form: Showplan, on: bool) -> Showplan {
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

fn language(word: &str) -> SqlResult<String> {
    match word.to_ascii_lowercase().as_str() {
        "us_english" | "english" => Ok("us_english".to_owned()),
        _ => Err(message::missing(&format!("SET LANGUAGE {word}"))),
    }
}

fn deadlock_priority(word: &str) -> SqlResult<i32> {
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

fn isolation(words: &str) -> SqlResult<u8> {
    match words.to_ascii_uppercase().as_str() {
        "READ UNCOMMITTED" => Ok(1),
        "READ COMMITTED" => Ok(2),
        "REPEATABLE READ" => Ok(3),
        "SERIALIZABLE" => Ok(4),
        "SNAPSHOT" => Ok(5),
        other => Err(message::syntax_near(other)),
    }
}
