//! CHECK and FOREIGN KEY constraints as one thing, and the condition by which a row that violates one is told.

use std::fmt::Write;

use millpond_builtin::bracketed;
use millpond_catalog::expr::Kind;
use millpond_catalog::{CheckDef, ForeignKeyDef, ObjectId, TableDef, is_local_temporary};
use millpond_message as message;
use millpond_message::error::SqlResult;
use millpond_tsql::ast::{AlterTable, AlterTableAction, ObjectName};
use millpond_types::cast::CastRules;
use millpond_types::{MaxLen, SqlType, Value, cast};

/// A constraint over the rows of a table that is no key of its own.
#[derive(Clone, Copy)]
pub enum Constraint<'t> {
    /// CHECK
    Check(&'t CheckDef),
    /// FOREIGN KEY
    ForeignKey(&'t ForeignKeyDef),
}

impl<'t> Constraint<'t> {
    /// Those of a table: foreign keys, then the others by name.
    pub fn all(def: &'t TableDef) -> impl Iterator<Item = Constraint<'t>> {
        let mut checks: Vec<&CheckDef> = def.checks.iter().filter(|check| check.is_constraint()).collect();
        checks.sort_by_key(|check| check.name.to_lowercase());
        def.foreign_keys.iter().map(Constraint::ForeignKey).chain(checks.into_iter().map(Constraint::Check))
    }

    /// Its number.
    #[must_use]
    pub fn id(self) -> ObjectId {
        match self {
            Constraint::Check(check) => check.id,
            Constraint::ForeignKey(key) => key.id,
        }
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'t str {
        match self {
            Constraint::Check(check) => &check.name,
            Constraint::ForeignKey(key) => &key.name,
        }
    }

    /// Whether NOCHECK was said of it.
    #[must_use]
    pub fn is_disabled(self) -> bool {
        match self {
            Constraint::Check(check) => check.disabled,
            Constraint::ForeignKey(key) => key.disabled,
        }
    }

    /// Whether all rows are known to hold it.
    #[must_use]
    pub fn is_trusted(self) -> bool {
        match self {
            Constraint::Check(check) => !check.not_trusted,
            Constraint::ForeignKey(key) => !key.not_trusted,
        }
    }

    /// The columns that it reads, by position; all of a table of which it reads none.
    #[must_use]
    pub fn columns(self, def: &TableDef) -> Vec<usize> {
        let Constraint::Check(check) = self else {
            let Constraint::ForeignKey(key) = self else { return Vec::new() };
            return key.columns.clone();
        };
        let mut read = vec![false; def.columns.len()];
        check.expr.visit(&mut |node| {
            if let Kind::Column(column) = node.kind {
                read[column] = true;
            }
        });
        let is_any = read.contains(&true);
        (0..read.len()).filter(|column| read[*column] || !is_any).collect()
    }
}

/// The ALTER TABLE by which no constraint of a table, `named` so or by a view above it, is trusted any more, and whether it
/// does anything; none for a table that has no constraints.
#[must_use]
pub fn distrusting(def: &TableDef, named: &ObjectName) -> Option<(AlterTable, bool)> {
    Constraint::all(def).next()?;
    let trusted = Constraint::all(def).filter(|constraint| constraint.is_trusted());
    let trusted: Vec<String> = trusted.map(|constraint| constraint.name().to_owned()).collect();
    let mut table = named.clone();
    if !is_local_temporary(named.last()) {
        let own = table.parts.len().saturating_sub(2);
        table.parts.splice(own.., [def.schema.name.to_string(), def.name.clone()]);
    }
    let is_trusting = !trusted.is_empty();
    let action = AlterTableAction::Check { enable: true, with_check: Some(false), constraints: Some(trusted) };
    Some((AlterTable { table, action }, is_trusting))
}

/// The condition that finds a row by some of its columns: `[a] = '1' AND [b] IS NULL`.
///
/// # Errors
/// That of a value that has no text.
pub fn condition_of(def: &TableDef, row: &[Value], columns: &[usize], rules: CastRules) -> SqlResult<String> {
    let mut text = String::new();
    for column in columns {
        let name = bracketed(&def.columns[*column].name);
        let between = if text.is_empty() { "" } else { " AND " };
        let _ = match constant(&row[*column], &def.columns[*column].ty.sql, rules)? {
            Some(constant) => write!(text, "{between}{name} = {constant}"),
            None => write!(text, "{between}{name} IS NULL"),
        };
    }
    Ok(text)
}

/// The constant that gives a value back; none of NULL.
fn constant(value: &Value, sql: &SqlType, rules: CastRules) -> SqlResult<Option<String>> {
    let (value, sql) = match value {
        Value::Null => return Ok(None),
        Value::Variant(variant) => (&variant.value, &variant.base),
        value => (value, sql),
    };
    if let Value::Binary(bytes) = value {
        let mut text = String::with_capacity(2 + bytes.len() * 2);
        text.push_str("0x");
        bytes.iter().for_each(|byte| write!(text, "{byte:02X}").expect("a text takes all"));
        return Ok(Some(text));
    }
    // Styles in which nothing of a value is lost.
    let style = match sql {
        SqlType::Float | SqlType::Real => Some(3),
        SqlType::Money | SqlType::SmallMoney => Some(2),
        SqlType::Date
        | SqlType::DateTime
        | SqlType::SmallDateTime
        | SqlType::Time { .. }
        | SqlType::DateTime2 { .. }
        | SqlType::DateTimeOffset { .. } => Some(121),
        _ => None,
    };
    let to = SqlType::NVarChar { len: MaxLen::Max };
    let text = cast::cast(value, sql, &to, style, rules).map_err(message::of_eval)?;
    let text = text.as_str().unwrap_or_default();
    // A type of fixed length has its blanks anyway.
    let text =
        if matches!(sql, SqlType::Char { .. } | SqlType::NChar { .. }) { text.trim_end_matches(' ') } else { text };
    Ok(Some(format!("'{}'", text.replace('\'', "''"))))
}
