//! What ALTER TABLE makes of definitions, and refuses, alike for a stored and a temporary table.

use std::cell::Cell;

use millpond_catalog::{IndexDef, LockEscalation, ObjectId, TableDef, names_equal};
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::ast::{ColumnDefinition, ColumnProperty, ConstraintKind, NamedOption, OptionValue, TableDefinition};
use millpond_types::SqlType;

use crate::definition::column_users::reads;
use crate::definition::index::constrainable;
use crate::definition::index_list::with_indexes;
use crate::definition::table::check_sparse;
use crate::expression::computed::{key_of_index, persistable};

/// 2705: a column of a name that a table has.
pub fn check_new_name(def: &TableDef, name: &str) -> SqlResult<()> {
    if def.column(name).is_none() {
        return Ok(());
    }
    Err(SqlError::of(2705, 4, &[&name, &def.two_part_name()]))
}

/// 4923: a table without columns.
pub fn check_other_columns(def: &TableDef, name: &str) -> SqlResult<()> {
    if def.columns.len() > 1 {
        return Ok(());
    }
    Err(SqlError::of(4923, 1, &[&name, &def.name]))
}

/// 3727 after 3728
pub fn no_such_constraint(name: &str) -> SqlError {
    let unknown = SqlError::of(3728, 1, &[&name]);
    SqlError::of(3727, 0, &[]).after(unknown)
}

/// 4924
pub fn no_such_column(what: &str, name: &str, def: &TableDef) -> SqlError {
    SqlError::of(4924, 1, &[&what, &name, &def.name])
}

/// Counts of what a constraint can be.
fn parts(def: &TableDef) -> (usize, usize, usize) {
    let defaults = def.columns.iter().filter(|column| column.default.is_some()).count();
    (def.checks.len(), def.foreign_keys.len(), defaults)
}

/// Whether a new column becomes NOT NULL because it is of a primary key that is added with it: unless it says otherwise, or
/// is computed and not stored.
pub fn is_of_new_key(definition: &TableDefinition, column: &ColumnDefinition) -> bool {
    let is_open = column.nullable.is_none() && (column.computed.is_none() || column.persisted);
    is_open && is_key_column(definition, column)
}

fn is_key_column(definition: &TableDefinition, column: &ColumnDefinition) -> bool {
    let own = column.constraints.iter().any(|constraint| matches!(constraint.kind, ConstraintKind::PrimaryKey(_)));
    own || definition.constraints.iter().any(|constraint| match &constraint.kind {
        ConstraintKind::PrimaryKey(key) => key.columns.iter().any(|part| names_equal(&part.name, &column.name)),
        _ => false,
    })
}

/// A table without a constraint that is no key; none where it has none of that name.
#[must_use]
pub fn without_constraint(def: &TableDef, name: &str) -> Option<TableDef> {
    let mut changed = with_indexes(def, def.indexes.clone());
    changed.checks.retain(|check| !names_equal(&check.name, name));
    changed.foreign_keys.retain(|key| !names_equal(&key.name, name));
    for column in &mut changed.columns {
        column.default.take_if(|default| names_equal(&default.name, name));
    }
    (parts(&changed) != parts(def)).then_some(changed)
}

/// `CHECK CONSTRAINT` and `NOCHECK CONSTRAINT`: which constraints are meant.
///
/// # Errors
/// 4917 for a name that is no CHECK's and no foreign key's.
pub fn switched<'n>(def: &TableDef, names: Option<&'n [String]>) -> SqlResult<impl Fn(&str) -> bool + use<'n>> {
    let is_known = |name: &&String| {
        def.checks.iter().any(|check| names_equal(&check.name, name))
            || def.foreign_keys.iter().any(|key| names_equal(&key.name, name))
    };
    match names.into_iter().flatten().find(|name| !is_known(name)) {
        Some(unknown) => Err(SqlError::of(4917, 0, &[unknown])),
        None => Ok(move |one: &str| names.is_none_or(|names| names.iter().any(|known| names_equal(known, one)))),
    }
}

/// What `SET (LOCK_ESCALATION = …)` makes of it.
///
/// # Errors
/// 102 for a word that it may not be; 40517 for another option.
pub fn escalation_of(def: &TableDef, options: &[NamedOption]) -> SqlResult<LockEscalation> {
    let mut escalation = def.escalation;
    for option in options {
        if option.name != "LOCK_ESCALATION" {
            return Err(message::missing(&format!("ALTER TABLE … SET ({} …)", option.name)));
        }
        let known = LockEscalation::ALL.into_iter().find(|known| option.is(known.name()));
        escalation = known.ok_or_else(|| match &option.value {
            OptionValue::Words(word) => message::syntax_near(word),
            _ => message::syntax_near(&option.name),
        })?;
    }
    Ok(escalation)
}

/// `ALTER COLUMN name ADD|DROP SPARSE|ROWGUIDCOL|PERSISTED`. Rows that are there are of the old form.
///
/// # Errors
/// 4924 for a column that there is not; 2761, 8196, 1731 and those of SPARSE; 4936 for a value that may not be kept; 1764, 2799
/// where what is there needs it to be kept; 40517 for what is missing.
pub fn with_property(def: &TableDef, name: &str, property: ColumnProperty, is_added: bool) -> SqlResult<TableDef> {
    let position = def.column(name).ok_or_else(|| no_such_column("ALTER COLUMN", name, def))?;
    let mut changed = with_indexes(def, def.indexes.clone());
    let other_guid = def.columns.iter().any(|column| column.is_row_guid);
    let column = &mut changed.columns[position];
    match (property, &mut column.computed) {
        (ColumnProperty::Sparse, _) => column.is_sparse = is_added,
        (ColumnProperty::RowGuidCol, _) if is_added && column.ty.sql != SqlType::UniqueIdentifier => {
            return Err(SqlError::of(2761, 2, &[]));
        }
        (ColumnProperty::RowGuidCol, _) if is_added && other_guid => return Err(SqlError::of(8196, 1, &[])),
        (ColumnProperty::RowGuidCol, _) => column.is_row_guid = is_added,
        (ColumnProperty::Persisted, Some(computed)) => {
            computed.persisted = is_added;
            persistable(&def.name, name, computed)?;
        }
        (ColumnProperty::Persisted, None) => {
            return Err(message::missing("ALTER COLUMN … ADD or DROP of PERSISTED where the column is not computed"));
        }
        (ColumnProperty::NotForReplication, _) if column.identity.is_some() => column.not_for_replication = is_added,
        (ColumnProperty::NotForReplication, _) => {
            return Err(message::missing("ALTER COLUMN … ADD or DROP of NOT FOR REPLICATION of no IDENTITY column"));
        }
    }
    check_sparse(&def.name, column)?;
    if property == ColumnProperty::Persisted {
        check_kept(&changed, position)?;
    }
    Ok(changed)
}

/// Whether constraints and indexes may be over a column as it is now.
fn check_kept(def: &TableDef, position: usize) -> SqlResult<()> {
    let over = |what: &str| constrainable(&def.name, &def.columns, &[position], None, what);
    if def.checks.iter().any(|check| check.is_constraint() && reads(&check.expr, position)) {
        over("CHECK")?;
    }
    if def.foreign_keys.iter().any(|key| key.columns.contains(&position)) {
        over("FOREIGN KEY")?;
    }
    let is_key = |index: &&IndexDef| index.key.iter().any(|part| part.column == position);
    let mut indexes = def.indexes.iter().filter(|index| !index.name.is_empty()).filter(is_key);
    indexes.try_for_each(|index| key_of_index((&index.name, &def.name), &def.columns[position]))
}

/// Numbers for the constraints of a temporary table, after those that it has.
pub struct NumbersBehind(Cell<i32>);

impl NumbersBehind {
    /// Behind those of a table.
    #[must_use]
    pub fn of(def: &TableDef) -> NumbersBehind {
        let indexes = def.indexes.iter().map(|index| index.constraint.0);
        let checks = def.checks.iter().map(|check| check.id.0);
        let defaults = def.columns.iter().filter_map(|column| column.default.as_ref()).map(|default| default.id.0);
        NumbersBehind(Cell::new(indexes.chain(checks).chain(defaults).max().unwrap_or(0)))
    }

    /// The next one.
    pub fn next(&self) -> ObjectId {
        self.0.set(self.0.get() + 1);
        ObjectId(self.0.get())
    }
}
