//! DBCC CHECKCONSTRAINTS: the rows that violate constraints.
//!
//! ```text
//!   argument ─▶ tables ─▶ one query for each CHECK and FOREIGN KEY ─▶ table variable ─▶ result, where a row was found
//! ```
//! What always holds: the queries run as the caller's, one after the other, and a row is reported once for each constraint that it violates;
//! without ALL_ERRORMSGS the first 200 of all. It does not know rules, nor whether indexes are right (DBCC CHECKDB).

use std::fmt::Write;
use std::sync::Arc;

use millpond_builtin::{bracketed, object_name, unicode_literal};
use millpond_catalog::expr::Kind;
use millpond_catalog::{
    CatalogObject, CheckDef, ColumnDef, DatabaseObjects, ForeignKeyDef, ObjectId, TableDef, names_equal,
};
use millpond_engine::arguments::named_table;
use millpond_engine::system_call::{DbccDef, SystemCall};
use millpond_message::error::SqlResult;
use millpond_types::{SqlType, Value};

/// `DBCC CHECKCONSTRAINTS [(table | constraint)]`
pub static CHECKCONSTRAINTS: DbccDef = DbccDef {
    name: "CHECKCONSTRAINTS",
    syntax: "[ ( 'table_name' | table_id | 'constraint_name' | constraint_id ) ]
    [ WITH { ALL_CONSTRAINTS | ALL_ERRORMSGS } [ , NO_INFOMSGS ] ]",
    run: check_constraints,
};

/// Rows reported without ALL_ERRORMSGS.
const ROWS_MAX: i64 = 200;

/// A constraint of a table.
enum Constraint<'t> {
    Check(&'t CheckDef),
    ForeignKey(&'t ForeignKeyDef),
}

impl Constraint<'_> {
    fn id(&self) -> ObjectId {
        match self {
            Constraint::Check(check) => check.id,
            Constraint::ForeignKey(key) => key.id,
        }
    }

    fn name(&self) -> &str {
        match self {
            Constraint::Check(check) => &check.name,
            Constraint::ForeignKey(key) => &key.name,
        }
    }

    fn is_disabled(&self) -> bool {
        match self {
            Constraint::Check(check) => check.disabled,
            Constraint::ForeignKey(key) => key.disabled,
        }
    }
}

/// What is to be checked.
enum Wanted {
    All,
    Table(Arc<TableDef>),
    Constraint(ObjectId),
}

fn check_constraints(call: &mut SystemCall<'_>) -> SqlResult<()> {
    let wanted = wanted(call)?;
    let database = match &wanted {
        Wanted::Table(def) => def.database,
        _ => call.ctx().facts.database,
    };
    let dictionary = call.ctx().engine.databases().dictionary(database)?;
    let objects = dictionary.catalog().objects();
    let rows_max = if call.option("ALL_ERRORMSGS") { i64::MAX } else { ROWS_MAX };
    let mut text = format!(
        "use {} set nocount on declare @left bigint = {rows_max} \
         declare @found table ([Table] nvarchar(776), [Constraint] nvarchar(776), [Where] nvarchar(max))\n",
        bracketed(dictionary.name())
    );
    for (def, _) in objects.stored() {
        if matches!(&wanted, Wanted::Table(only) if only.id != def.id) {
            continue;
        }
        for constraint in constraints(def) {
            let is_wanted = match &wanted {
                Wanted::Constraint(id) => constraint.id() == *id,
                _ => !constraint.is_disabled() || call.option("ALL_CONSTRAINTS"),
            };
            if is_wanted {
                text += &query(&objects, def, &constraint);
            }
        }
    }
    text += "if exists (select * from @found) select [Table], [Constraint], [Where] from @found";
    call.then(text);
    Ok(())
}

/// # Errors
/// 2501 for what is neither a table nor a constraint.
fn wanted(call: &SystemCall<'_>) -> SqlResult<Wanted> {
    let Some(arg) = call.positional(0) else { return Ok(Wanted::All) };
    let objects = call.ctx().engine.databases().dictionary(call.ctx().facts.database)?.catalog().objects();
    match named_table(call.ctx(), Some(arg)) {
        Ok((_, def, _)) => Ok(Wanted::Table(def)),
        Err(unknown) => constraint_of(&objects, arg).map(Wanted::Constraint).ok_or(unknown),
    }
}

/// The constraint that a name, with its schema or of dbo, or a number means.
fn constraint_of(objects: &DatabaseObjects, arg: &Value) -> Option<ObjectId> {
    let name = arg.as_str().and_then(object_name);
    let mut parts = name.iter().flat_map(|name| name.parts.iter().rev());
    let (last, schema) = (parts.next(), parts.next().map_or("dbo", String::as_str));
    let is_meant = |def: &TableDef, constraint: &Constraint<'_>| match last {
        Some(last) => names_equal(constraint.name(), last) && names_equal(&def.schema.name, schema),
        None => arg.as_i64() == Some(i64::from(constraint.id().0)),
    };
    objects.stored().find_map(|(def, _)| {
        constraints(def).find(|constraint| is_meant(def, constraint)).map(|constraint| constraint.id())
    })
}

fn constraints(def: &TableDef) -> impl Iterator<Item = Constraint<'_>> {
    let checks = def.checks.iter().filter(|check| check.is_constraint()).map(Constraint::Check);
    checks.chain(def.foreign_keys.iter().map(Constraint::ForeignKey))
}

/// Adds the rows that violate a constraint to `@found`, up to `@left` of them.
fn query(objects: &DatabaseObjects, def: &TableDef, constraint: &Constraint<'_>) -> String {
    // A condition may name its table, which has no other name there.
    let (columns, row, broken) = match constraint {
        Constraint::Check(check) => (columns_of(def, check), "", format!("not ({})", check.text)),
        Constraint::ForeignKey(key) => {
            let columns: Vec<&ColumnDef> = key.columns.iter().map(|column| &def.columns[*column]).collect();
            let Some(CatalogObject::Table(parent, _)) = objects.get(key.referenced) else { return String::new() };
            let broken = orphans(&columns, key, parent);
            (columns, "[c]", broken)
        }
    };
    let table = table_name(def);
    format!(
        "insert @found select top (@left) {}, {}, {} from {table} {row} where {broken} set @left -= @@rowcount\n",
        unicode_literal(&table),
        unicode_literal(&bracketed(constraint.name())),
        place(&columns, row)
    )
}

fn table_name(def: &TableDef) -> String {
    format!("{}.{}", bracketed(&def.schema.name), bracketed(&def.name))
}

/// The columns that a condition reads; all where it reads none.
fn columns_of<'t>(def: &'t TableDef, check: &CheckDef) -> Vec<&'t ColumnDef> {
    let mut read = vec![false; def.columns.len()];
    check.expr.visit(&mut |node| {
        if let Kind::Column(column) = node.kind {
            read[column] = true;
        }
    });
    let is_any = read.contains(&true);
    def.columns.iter().zip(read).filter(|(_, read)| *read || !is_any).map(|(column, _)| column).collect()
}

/// Whether a row refers to one that is not there.
fn orphans(columns: &[&ColumnDef], key: &ForeignKeyDef, parent: &TableDef) -> String {
    let mut text = String::new();
    for column in columns {
        let _ = write!(text, "[c].{} is not null and ", bracketed(&column.name));
    }
    let referenced = key.referenced_columns.iter().filter_map(|id| parent.columns.iter().find(|one| one.id == *id));
    let equal: Vec<String> = columns
        .iter()
        .zip(referenced)
        .map(|(own, other)| format!("[p].{} = [c].{}", bracketed(&other.name), bracketed(&own.name)))
        .collect();
    let _ = write!(text, "not exists (select * from {} as [p] where {})", table_name(parent), equal.join(" and "));
    text
}

/// An expression for the condition that finds a row: `[a] = '1' AND [b] IS NULL`.
fn place(columns: &[&ColumnDef], row: &str) -> String {
    let parts = columns.iter().map(|column| {
        let name = bracketed(&column.name);
        let own = if row.is_empty() { name.clone() } else { format!("{row}.{name}") };
        let (start, is_null) = (unicode_literal(&format!("{name} = ")), unicode_literal(&format!("{name} IS NULL")));
        // Texts that give the value back.
        let value = match column.ty.sql {
            SqlType::Binary { .. } | SqlType::VarBinary { .. } => format!("convert(nvarchar(max), {own}, 1)"),
            SqlType::Float | SqlType::Real => format!("N'''' + convert(nvarchar(max), {own}, 3) + N''''"),
            SqlType::Money | SqlType::SmallMoney => format!("N'''' + convert(nvarchar(max), {own}, 2) + N''''"),
            SqlType::Date
            | SqlType::DateTime
            | SqlType::SmallDateTime
            | SqlType::Time { .. }
            | SqlType::DateTime2 { .. }
            | SqlType::DateTimeOffset { .. } => format!("N'''' + convert(nvarchar(max), {own}, 121) + N''''"),
            _ => format!("N'''' + replace(convert(nvarchar(max), {own}), N'''', N'''''') + N''''"),
        };
        format!("isnull({start} + {value}, {is_null})")
    });
    parts.collect::<Vec<_>>().join(" + N' AND ' + ")
}
