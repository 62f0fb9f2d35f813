//! Declared types and the definitions of tables.

use std::collections::HashSet;

use millpond_builtin::NEWSEQUENTIALID;
use millpond_catalog::expr::{BoundExpr, ExprType, Kind};
use millpond_catalog::mask::Mask;
use millpond_catalog::{
    CheckDef, ColumnDef, ComputedDef, DefaultDef, LargeType, TableDef, UserTypeForm, name_key, names_equal,
};
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::contract::DbId;
use millpond_tsql::ast::{
    AlterColumn, ColumnDefinition, ConstraintKind, DataType, Expr, ExprKind, FunctionCall, NamedOption,
    TableConstraint, TableDefinition, find_option,
};
use millpond_types::collation::Collation;
use millpond_types::{CastRules, MaxLen, SqlType, Value, cast};

use crate::binder::Binder;
use crate::binder::declared::{collation, declared_type};
use crate::binder::numbers::Numbers;
use crate::binder::scope::Scope;
use crate::definition::index::{constrainable, not_persisted};
use crate::definition::kept_text::{CONDITION_UNITS_MAX, kept_text};
use crate::definition::new_table::NewTable;
use crate::definition::over_table::scope_of;
use crate::definition::{index, memory, over_table};
use crate::expression::computed::persistable;
use crate::expression::operator::{check_page, convert};
use crate::sequence;

/// Longest text of a DEFAULT or computed column that is kept, in UTF-16 units.
const EXPRESSION_UNITS_MAX: usize = 1500;

/// Options of a table that say how it is stored: none of them changes an answer.
const STORAGE_OPTIONS: [&str; 4] = ["DATA_COMPRESSION", "XML_COMPRESSION", "MEMORY_OPTIMIZED", "DURABILITY"];

/// Options that promise what this version does not do.
const ABSENT_OPTIONS: [&str; 9] = [
    "LEDGER",
    "SYSTEM_VERSIONING",
    "REMOTE_DATA_ARCHIVE",
    "DATA_DELETION",
    "FILETABLE_DIRECTORY",
    "FILETABLE_COLLATE_FILENAME",
    "FILETABLE_PRIMARY_KEY_CONSTRAINT_NAME",
    "FILETABLE_STREAMID_UNIQUE_CONSTRAINT_NAME",
    "FILETABLE_FULLPATH_UNIQUE_CONSTRAINT_NAME",
];

/// 40517 for an option that would have to be kept to, 155 for one that is none.
fn check_table_options(options: &[NamedOption]) -> SqlResult<()> {
    for option in options {
        match option.name.as_str() {
            name if STORAGE_OPTIONS.contains(&name) => {}
            name if ABSENT_OPTIONS.contains(&name) && option.is("OFF") => {}
            name if ABSENT_OPTIONS.contains(&name) => {
                return Err(message::missing(&format!("CREATE TABLE … WITH ({name})")));
            }
            name => return Err(SqlError::of(155, 1, &[&name, &"CREATE TABLE"])),
        }
    }
    Ok(())
}

/// The definition of a table from its clauses.
///
/// # Errors
/// 2705 for a column named twice, 1701 for rows that cannot fit, those of keys and foreign keys.
pub(crate) fn table_definition(
    binder: &mut Binder<'_>,
    new: &NewTable<'_>,
    definition: &TableDefinition,
) -> SqlResult<TableDef> {
    check_table_options(&definition.options.with)?;
    let memory = find_option(&definition.options.with, "MEMORY_OPTIMIZED").is_some_and(|option| option.is("ON"));
    if memory && !new.name.name.starts_with('@') {
        return Err(message::missing("A table with MEMORY_OPTIMIZED = ON (table types may have it)"));
    }
    let table = &new.name.name;
    let mut columns: Vec<ColumnDef> = Vec::with_capacity(definition.columns.len());
    let mut constraints: Vec<(&TableConstraint, Option<usize>)> = Vec::new();
    let mut names = HashSet::with_capacity(definition.columns.len());
    for column in &definition.columns {
        let id = columns.len() as i32 + 1;
        let bound = column_definition(binder, new, id, column, &columns).map_err(|error| error.at(column.span.line))?;
        if !names.insert(name_key(&bound.name)) {
            return Err(column_twice(&bound.name, table));
        }
        check_column_count("CREATE TABLE", columns.len(), (&bound.name, table))?;
        check_own_constraints(table, column).map_err(|error| error.at(column.span.line))?;
        constraints.extend(column.constraints.iter().map(|constraint| (constraint, Some(columns.len()))));
        if bound.is_row_version() && columns.iter().any(ColumnDef::is_row_version) {
            return Err(second_row_version(table, &bound.name));
        }
        columns.push(bound);
    }
    if columns.iter().filter(|column| column.identity.is_some()).count() > 1 {
        return Err(second_identity(table));
    }
    computed_columns(binder, new, &mut columns, definition)?;
    constraints.extend(definition.constraints.iter().map(|constraint| (constraint, None)));
    check_key_nullability(definition, table)?;
    let mut indexes = index::indexes(binder, new, &mut columns, &constraints)?;
    // What is said of the table is of its rows.
    if let Some(rows) = indexes.first_mut() {
        for option in &definition.options.with {
            match option.name.as_str() {
                "DATA_COMPRESSION" => rows.options.compression = index::compression(option)?,
                "XML_COMPRESSION" => rows.options.xml_compression = option.is("ON"),
                _ => {}
            }
        }
    }
    let (mut checks, mut foreign_keys) = (Vec::new(), Vec::new());
    let mut scope = scope_of(table, &columns);
    for (constraint, column) in &constraints {
        let own = column.map(|column| columns[column].name.as_str());
        match &constraint.kind {
            ConstraintKind::Check { condition, not_for_replication } => {
                let (name, says) = (constraint.name.as_deref(), (condition, *not_for_replication));
                checks.push(check_constraint(binder, new, (&columns, &mut scope), name, own, says)?);
            }
            ConstraintKind::ForeignKey(key) => {
                let of = (&columns[..], &indexes[..]);
                foreign_keys.push(index::foreign_key(binder, new, of, constraint.name.as_deref(), *column, key)?);
            }
            _ => {}
        }
    }
    let mut def = TableDef::assemble(new.id, new.name.clone(), columns, checks, foreign_keys, indexes);
    check_row_size(&def)?;
    memory::check(&def, memory)?;
    def.in_memory = memory;
    Ok(def)
}

fn column_definition(
    binder: &mut Binder<'_>,
    new: &NewTable<'_>,
    id: i32,
    column: &ColumnDefinition,
    before: &[ColumnDef],
) -> SqlResult<ColumnDef> {
    let table = &new.name.name;
    if column.computed.is_some() {
        // Its type is known when all columns are.
        let ty = ExprType::plain(SqlType::Int, true);
        return Ok(ColumnDef::new(id, column.name.clone(), ty));
    }
    let data_type = column.data_type.as_ref().ok_or_else(|| message::syntax_near(&column.name))?;
    if new.name.name.starts_with('@') {
        check_unbound(binder, data_type)?;
    }
    let (sql, user_type) = column_type(binder, data_type)?;
    let collation = column_collation(binder, (new.name.database, table), column.collation.as_deref())?;
    check_page(&sql, collation)?;
    let by_type = user_type.as_ref().map(|(_, nullable)| *nullable);
    let plain = column.identity.is_none() && sql != SqlType::RowVersion;
    let by_default = by_type.unwrap_or(plain && binder.names.null_by_default());
    let nullable = column.nullable.unwrap_or(by_default);
    if column.identity.is_some() {
        check_identity(table, &column.name, sql, nullable)?;
    }
    if let Some(numbers) = column.identity {
        check_identity_numbers(&column.name, sql, numbers)?;
    }
    let ty = ExprType::declared(sql, nullable, collation);
    if column.second_default {
        return Err(second_default(table, &column.name));
    }
    if column.second_nullability {
        return Err(second_nullability(table, &column.name));
    }
    if column.identity.is_some() && column.default.is_some() {
        return Err(default_of_identity(table, &column.name));
    }
    if sql == SqlType::RowVersion && column.default.is_some() {
        return Err(default_of_row_version(table, &column.name));
    }
    let trims = !binder.dialect.pads() && is_trimmed(&sql, nullable)?;
    let default = match &column.default {
        None => None,
        Some(default) => {
            Some(default_constraint(binder, new, column.default_name.as_deref(), &column.name, ty, default)?)
        }
    };
    check_row_guid(column, sql, before)?;
    let (identity, is_row_guid, is_sparse) = (column.identity, column.rowguidcol, column.sparse);
    let not_for_replication = column.not_for_replication && identity.is_some();
    let plain = ColumnDef::new(id, column.name.clone(), ty);
    let user_type = user_type.map(|(name, _)| name);
    let made = ColumnDef { default, identity, user_type, trims, is_row_guid, is_sparse, not_for_replication, ..plain };
    check_sparse(table, &made)?;
    masked_column(made, column.mask.as_deref())
}

/// The collation of a column: the one that is written, else that of the table's database. A temporary table has tempdb's, a
/// variable that of the current database, which is also what COLLATE DATABASE_DEFAULT means everywhere.
///
/// # Errors
/// 448
fn column_collation(
    binder: &Binder<'_>,
    (database, table): (DbId, &str),
    written: Option<&str>,
) -> SqlResult<Collation> {
    let own = binder.dialect.collation();
    match written {
        Some(name) => collation(name, own),
        None if table.starts_with('@') => Ok(own),
        None => Ok(binder.names.collation_of(database)),
    }
}

/// A column with another mask, or without one.
///
/// # Errors
/// 16002, 16003, 16005, 16006
pub fn masked_column(column: ColumnDef, mask: Option<&str>) -> SqlResult<ColumnDef> {
    let mask = mask.map(|text| Mask::read(text, &column.name)).transpose()?;
    if let Some(mask) = &mask {
        mask.check_type(&column.ty.sql, &column.name)?;
    }
    Ok(ColumnDef { mask, ..column })
}

/// SPARSE: of a column that may be NULL, and gets no value by itself.
///
/// # Errors
/// 1731
pub fn check_sparse(table: &str, column: &ColumnDef) -> SqlResult<()> {
    let is_refused = !column.ty.nullable
        || column.is_row_guid
        || column.identity.is_some()
        || column.default.is_some()
        || column.computed.is_some()
        || column.is_row_version()
        || column.user_type.is_some();
    match column.is_sparse && is_refused {
        true => Err(SqlError::of(1731, 1, &[&column.name, &table])),
        false => Ok(()),
    }
}

/// 1710: a table variable has no columns of a type with a default or a rule.
fn check_unbound(binder: &Binder<'_>, data_type: &DataType) -> SqlResult<()> {
    let DataType::Named(name) = data_type else { return Ok(()) };
    let Some(ty) = binder.names.user_type(name, binder.home)? else { return Ok(()) };
    let bound = match (ty.rule.0, ty.default.0) {
        (0, 0) => return Ok(()),
        (0, _) => "default",
        _ => "rule",
    };
    Err(SqlError::of(1710, 1, &[&ty.name, &bound]))
}

/// The type of a column; with the name and nullability of an alias type.
pub(crate) fn column_type(binder: &Binder<'_>, data_type: &DataType) -> SqlResult<(SqlType, Option<(String, bool)>)> {
    if let DataType::Named(name) = data_type
        && let Some(ty) = binder.names.user_type(name, binder.home)?
    {
        return match &ty.form {
            UserTypeForm::Alias { sql, nullable } => {
                Ok((*sql, Some((format!("{}.{}", ty.schema.name, ty.name), *nullable))))
            }
            UserTypeForm::Table { .. } => Err(SqlError::of(350, 1, &[])),
        };
    }
    let of_system = match data_type {
        // A column of it takes no NULL unless it says so.
        DataType::SysName => Some(("sysname", false)),
        // `(max)` is a length that was written.
        DataType::Scalar { sql_type, explicit_length: false } => {
            LargeType::kept_as(sql_type).map(|large| (large.name, true))
        }
        _ => None,
    };
    declared_type(data_type).map(|sql| (sql, of_system.map(|(name, nullable)| (name.to_owned(), nullable))))
}

fn default_constraint(
    binder: &mut Binder<'_>,
    new: &NewTable<'_>,
    written: Option<&str>,
    column: &str,
    ty: ExprType,
    value: &Expr,
) -> SqlResult<DefaultDef> {
    let is_sequential =
        |call: &FunctionCall| call.name.parts.last().is_some_and(|name| names_equal(name, NEWSEQUENTIALID));
    let alone =
        matches!(&value.kind, ExprKind::Function(call) if is_sequential(call)) && ty.sql == SqlType::UniqueIdentifier;
    let before = std::mem::replace(&mut binder.in_default, alone);
    let bound = kept(binder, new, |binder| binder.constant_expression(value));
    binder.in_default = before;
    let expr = defaulting(bound?, ty.sql)?;
    let (id, name) = new.constraint(written, "DF", Some(column));
    let text = kept_text(&new.name.name, value, EXPRESSION_UNITS_MAX)?;
    Ok(DefaultDef { id, name, text, expr })
}

/// A default of a column of a type. A constant that fits is of that type from now on; whatever else stays as it was written:
/// whether it fits shows when a row gets it.
pub(crate) fn defaulting(value: BoundExpr, target: SqlType) -> SqlResult<BoundExpr> {
    let Kind::Literal(constant) = &value.kind else {
        convert(BoundExpr::column(0, value.ty), target)?;
        return Ok(value);
    };
    if constant.is_null() {
        return Ok(value);
    }
    convert(BoundExpr::column(0, value.ty), target)?;
    // What the session's settings say of dates is asked for each row.
    let is_read = value.ty.sql.is_string() && target.is_temporal();
    match cast::store(constant, &value.ty.sql, &target, CastRules::default()) {
        Ok(stored) if !is_read => {
            Ok(BoundExpr { kind: Kind::Literal(stored), ty: ExprType { sql: target, ..value.ty } })
        }
        _ => Ok(value),
    }
}

/// The types and expressions of computed columns, once all others are known.
fn computed_columns(
    binder: &mut Binder<'_>,
    new: &NewTable<'_>,
    columns: &mut [ColumnDef],
    definition: &TableDefinition,
) -> SqlResult<()> {
    let table = new.name.name.clone();
    let is_computed: Vec<bool> = definition.columns.iter().map(|column| column.computed.is_some()).collect();
    for (position, column) in definition.columns.iter().enumerate() {
        let Some(expr) = &column.computed else { continue };
        check_nullability_kept(column)?;
        let computed = computed_column(binder, new, columns, expr, column.persisted)?;
        persistable(&table, &column.name, &computed)?;
        check_not_of_computed(&computed.expr, &is_computed, columns, &table)?;
        let mut ty = computed.expr.ty;
        ty.nullable &= column.nullable != Some(false);
        columns[position].ty = ty;
        columns[position].computed = Some(computed);
    }
    Ok(())
}

/// Binds an expression that is kept with a table: it names objects of the table's database alone.
pub(crate) fn kept(
    binder: &mut Binder<'_>,
    new: &NewTable<'_>,
    bind: impl FnOnce(&mut Binder<'_>) -> SqlResult<BoundExpr>,
) -> SqlResult<BoundExpr> {
    let before = std::mem::replace(&mut binder.kept, true);
    let bound = bind(binder);
    binder.kept = before;
    let bound = bound?;
    let mut elsewhere = false;
    bound.visit(&mut |node| {
        elsewhere |= match &node.kind {
            Kind::Call(function, _) => function.uses.iter().any(|(database, _)| *database != new.name.database),
            Kind::NextValue(sequence) => sequence.database != new.name.database,
            _ => false,
        };
    });
    if elsewhere && new.id.0 != 0 {
        return Err(message::missing("A definition that names an object of another database"));
    }
    Ok(bound)
}

pub(crate) fn computed_column(
    binder: &mut Binder<'_>,
    new: &NewTable<'_>,
    columns: &[ColumnDef],
    expr: &Expr,
    persisted: bool,
) -> SqlResult<ComputedDef> {
    let table = &new.name.name;
    let bound = kept(binder, new, |binder| {
        sequence::without_numbers(binder, Numbers::NotHere, |binder| {
            over_table::over_columns(binder, table, columns, |binder| binder.expression(expr))
        })
    })?;
    Ok(ComputedDef { text: kept_text(table, expr, EXPRESSION_UNITS_MAX)?, expr: bound, persisted })
}

fn check_constraint(
    binder: &mut Binder<'_>,
    new: &NewTable<'_>,
    (columns, scope): (&[ColumnDef], &mut Scope),
    written: Option<&str>,
    column: Option<&str>,
    (condition, not_for_replication): (&Expr, bool),
) -> SqlResult<CheckDef> {
    let expr = kept(binder, new, |binder| {
        sequence::without_numbers(binder, Numbers::NotHere, |binder| {
            over_table::over_scope(binder, scope, |binder| binder.condition(condition))
        })
    })?;
    if let Some(own) = column {
        check_own_column(&expr, (own, columns), &new.name.name)?;
    }
    let mut read = Vec::new();
    expr.visit(&mut |node| {
        if let Kind::Column(column) = node.kind {
            read.push(column);
        }
    });
    constrainable(&new.name.name, columns, &read, column, "CHECK CONSTRAINT")?;
    let (id, name) = new.constraint(written, "CK", column);
    let text = kept_text(&new.name.name, condition, CONDITION_UNITS_MAX)?;
    Ok(CheckDef {
        id,
        rule: millpond_catalog::ObjectId(0),
        name,
        text,
        expr,
        disabled: false,
        not_trusted: false,
        not_for_replication,
    })
}

/// 8183: what is not stored cannot be kept from being NULL.
fn check_nullability_kept(column: &ColumnDefinition) -> SqlResult<()> {
    if column.persisted || column.nullable != Some(false) {
        return Ok(());
    }
    Err(not_persisted())
}

/// 8141: the CHECK of a column reads another one.
fn check_own_column(expr: &BoundExpr, (own, columns): (&str, &[ColumnDef]), table: &str) -> SqlResult<()> {
    let mut others = false;
    expr.visit(&mut |node| {
        others |= matches!(node.kind, Kind::Column(column) if !names_equal(&columns[column].name, own));
    });
    if !others {
        return Ok(());
    }
    Err(SqlError::of(8141, 0, &[&own, &table]))
}

/// 2738
fn second_row_version(table: &str, column: &str) -> SqlError {
    SqlError::of(2738, 2, &[&table, &column])
}

/// 2705
fn column_twice(column: &str, table: &str) -> SqlError {
    SqlError::of(2705, 3, &[&column, &table])
}

/// 1701
fn check_row_size(def: &TableDef) -> SqlResult<()> {
    if def.layout.max_fixed_len() > millpond_types::row::MAX_RECORD_BYTES {
        return Err(SqlError::of(1701, 1, &[&def.name, &def.layout.max_fixed_len()]));
    }
    Ok(())
}

/// 2744
fn second_identity(table: &str) -> SqlError {
    SqlError::of(2744, 2, &[&table])
}

/// 1759: a computed column that reads another one.
fn check_not_of_computed(expr: &BoundExpr, is_computed: &[bool], columns: &[ColumnDef], table: &str) -> SqlResult<()> {
    let mut of_computed = None;
    expr.visit(&mut |node| {
        if let Kind::Column(read) = node.kind
            && is_computed[read]
        {
            of_computed = Some(read);
        }
    });
    let Some(read) = of_computed else { return Ok(()) };
    Err(SqlError::of(1759, 0, &[&columns[read].name, &table]))
}

/// 8150
fn second_nullability(table: &str, column: &str) -> SqlError {
    SqlError::of(8150, 0, &[&column, &table])
}

/// 1755
fn default_of_row_version(table: &str, column: &str) -> SqlError {
    SqlError::of(1755, 0, &[&table, &column])
}

/// 1754
fn default_of_identity(table: &str, column: &str) -> SqlError {
    SqlError::of(1754, 0, &[&table, &column])
}

/// 8111: columns of a primary key that say NULL.
fn check_key_nullability(definition: &TableDefinition, table: &str) -> SqlResult<()> {
    let says_null = |column: &ColumnDefinition| column.nullable == Some(true);
    let own = definition.columns.iter().any(|column| {
        let is_key = |one: &TableConstraint| matches!(one.kind, ConstraintKind::PrimaryKey(_));
        says_null(column) && column.constraints.iter().any(is_key)
    });
    let named = definition.constraints.iter().any(|constraint| match &constraint.kind {
        ConstraintKind::PrimaryKey(key) => key.columns.iter().any(|part| {
            definition.columns.iter().any(|column| says_null(column) && names_equal(&column.name, &part.name))
        }),
        _ => false,
    });
    if own || named { Err(index::nullable_key(table)) } else { Ok(()) }
}

/// 8148 for a second CHECK of a column, 8151 for both keys.
fn check_own_constraints(table: &str, column: &ColumnDefinition) -> SqlResult<()> {
    let has = |is: fn(&ConstraintKind) -> bool| column.constraints.iter().filter(|own| is(&own.kind)).count();
    if has(|kind| matches!(kind, ConstraintKind::Check { .. })) > 1 {
        return Err(SqlError::of(8148, 0, &[&"CHECK", &column.name, &table]));
    }
    let is_primary = has(|kind| matches!(kind, ConstraintKind::PrimaryKey(_))) > 0;
    if is_primary && has(|kind| matches!(kind, ConstraintKind::Unique(_))) > 0 {
        return Err(SqlError::of(8151, 0, &[&column.name, &table]));
    }
    Ok(())
}

/// 8148
fn second_default(table: &str, column: &str) -> SqlError {
    SqlError::of(8148, 0, &[&"DEFAULT", &column, &table])
}

pub(crate) fn check_identity(table: &str, column: &str, sql: SqlType, nullable: bool) -> SqlResult<()> {
    let whole = sql.is_integer() || matches!(sql, SqlType::Decimal { scale: 0, .. });
    if !whole {
        return Err(SqlError::of(2749, 2, &[&column]));
    }
    if nullable {
        return Err(SqlError::of(8147, 1, &[&column, &table]));
    }
    Ok(())
}

/// 2752 and 2753: a first number that the type does not have, a step of none.
pub(crate) fn check_identity_numbers(column: &str, sql: SqlType, (seed, increment): (i64, i64)) -> SqlResult<()> {
    let is_of_type = |value: i64| {
        let from = SqlType::BigInt;
        cast::cast(&Value::BigInt(value), &from, &sql, None, CastRules::DEFAULT).is_ok()
    };
    if !is_of_type(seed) {
        Err(SqlError::of(2752, 1, &[&column]))
    } else if increment == 0 || !is_of_type(increment) && !increment.checked_neg().is_some_and(is_of_type) {
        Err(SqlError::of(2753, 1, &[&column]))
    } else {
        Ok(())
    }
}

/// A column that ALTER TABLE adds to those of a table.
///
/// # Errors
/// Those of its clauses.
pub(crate) fn added_column(
    binder: &mut Binder<'_>,
    new: &NewTable<'_>,
    id: i32,
    column: &ColumnDefinition,
    columns: &[ColumnDef],
) -> SqlResult<ColumnDef> {
    let mut added = column_definition(binder, new, id, column, columns)?;
    check_column_count("ALTER TABLE", columns.len(), (&added.name, &new.name.name))?;
    if added.is_row_version() && columns.iter().any(ColumnDef::is_row_version) {
        return Err(second_row_version(&new.name.name, &added.name));
    }
    if added.identity.is_some() && columns.iter().any(|known| known.identity.is_some()) {
        return Err(second_identity(&new.name.name));
    }
    if let Some(expr) = &column.computed {
        check_nullability_kept(column)?;
        let computed = computed_column(binder, new, columns, expr, column.persisted)?;
        persistable(&new.name.name, &column.name, &computed)?;
        let is_computed: Vec<bool> = columns.iter().map(|column| column.computed.is_some()).collect();
        check_not_of_computed(&computed.expr, &is_computed, columns, &new.name.name)?;
        added.ty = computed.expr.ty;
        added.ty.nullable &= column.nullable != Some(false);
        added.computed = Some(computed);
    }
    Ok(added)
}

/// A column as ALTER COLUMN changes it: without COLLATE a text gets the collation of its database.
///
/// # Errors
/// Those of its clauses; 4928 for a computed column.
pub(crate) fn altered_column(
    binder: &mut Binder<'_>,
    (database, table): (DbId, &str),
    old: &ColumnDef,
    alter: &AlterColumn,
) -> SqlResult<ColumnDef> {
    if old.is_row_version() {
        return Err(SqlError::of(4928, 1, &[&old.name, &"timestamp"]));
    }
    if old.computed.is_some() {
        return Err(SqlError::of(4928, 1, &[&old.name, &"COMPUTED"]));
    }
    let (sql, user_type) = column_type(binder, &alter.data_type)?;
    let collation = column_collation(binder, (database, table), alter.collation.as_deref())?;
    let by_type = user_type.as_ref().map(|(_, nullable)| *nullable);
    // Whatever the session's defaults are.
    let by_default = || by_type.unwrap_or(old.identity.is_none());
    let nullable = alter.nullable.unwrap_or_else(by_default);
    if old.identity.is_some() {
        check_identity(table, &old.name, sql, nullable)?;
    }
    if sql == SqlType::RowVersion {
        return Err(SqlError::of(4927, 1, &[&old.name]));
    }
    let ty = ExprType::declared(sql, nullable, collation);
    let trims = !binder.dialect.pads() && is_trimmed(&sql, nullable)?;
    let is_row_guid = old.is_row_guid && sql == SqlType::UniqueIdentifier;
    let is_sparse = old.is_sparse || alter.sparse;
    let user_type = user_type.map(|(name, _)| name);
    let made = ColumnDef { ty, user_type, trims, is_row_guid, is_sparse, ..old.clone() };
    check_sparse(table, &made)?;
    // What is not said again is gone.
    masked_column(made, alter.mask.as_deref())
}

/// Adds a CHECK, FOREIGN KEY or DEFAULT to a table.
///
/// # Errors
/// Those of the clause; 1781 for a second default.
pub(crate) fn add_constraint(
    binder: &mut Binder<'_>,
    new: &NewTable<'_>,
    def: &mut TableDef,
    constraint: &TableConstraint,
    own: Option<usize>,
) -> SqlResult<()> {
    let written = constraint.name.as_deref();
    match &constraint.kind {
        ConstraintKind::Check { condition, not_for_replication } => {
            let column = own.map(|own| def.columns[own].name.clone());
            let mut scope = scope_of(&new.name.name, &def.columns);
            let over = (&def.columns[..], &mut scope);
            let check =
                check_constraint(binder, new, over, written, column.as_deref(), (condition, *not_for_replication))?;
            def.checks.push(check);
        }
        ConstraintKind::ForeignKey(key) => {
            let made = index::foreign_key(binder, new, (&def.columns, &def.indexes), written, own, key)?;
            def.foreign_keys.push(made);
        }
        ConstraintKind::Default { value, column, .. } => {
            let position = def.column(column).ok_or_else(|| SqlError::of(1752, 0, &[column, &def.name]))?;
            if def.columns[position].identity.is_some() {
                return Err(default_of_identity(&def.name, &def.columns[position].name));
            }
            if def.columns[position].is_row_version() {
                return Err(default_of_row_version(&def.name, &def.columns[position].name));
            }
            if def.columns[position].default.is_some() {
                return Err(SqlError::of(1781, 1, &[]));
            }
            let (name, ty) = (def.columns[position].name.clone(), def.columns[position].ty);
            def.columns[position].default = Some(default_constraint(binder, new, written, &name, ty, value)?);
        }
        ConstraintKind::PrimaryKey(_) | ConstraintKind::Unique(_) | ConstraintKind::Index(_) => {
            return Err(message::syntax_near("CONSTRAINT"));
        }
    }
    Ok(())
}

/// Columns of a table.
const COLUMNS_MAX: usize = 1024;

/// 1702 for one column more than a table can have; it has `known`.
pub fn check_column_count(statement: &str, known: usize, (column, table): (&str, &str)) -> SqlResult<()> {
    if known < COLUMNS_MAX {
        return Ok(());
    }
    Err(SqlError::of(1702, 1, &[&statement, &column, &table, &COLUMNS_MAX]))
}

/// ROWGUIDCOL: of one column, and of its type.
///
/// # Errors
/// 8196, 2761
fn check_row_guid(column: &ColumnDefinition, sql: SqlType, before: &[ColumnDef]) -> SqlResult<()> {
    if !column.rowguidcol {
        return Ok(());
    }
    if sql != SqlType::UniqueIdentifier {
        return Err(SqlError::of(2761, 2, &[]));
    }
    if before.iter().any(|column| column.is_row_guid) {
        return Err(SqlError::of(8196, 1, &[]));
    }
    Ok(())
}

/// Whether a column that is made under ANSI_PADDING OFF keeps no trailing blanks or zeros.
///
/// # Errors
/// 40517 for `char` and `binary` that may be NULL: they would be stored as `varchar` and `varbinary` are.
fn is_trimmed(sql: &SqlType, nullable: bool) -> SqlResult<bool> {
    match sql {
        SqlType::VarChar { len: MaxLen::Limited(_), .. } | SqlType::VarBinary { len: MaxLen::Limited(_) } => Ok(true),
        SqlType::Char { .. } | SqlType::Binary { .. } if nullable => {
            Err(message::missing("A char or binary column that allows NULL, made under SET ANSI_PADDING OFF,"))
        }
        _ => Ok(false),
    }
}
