//! What depends on a column, so that it is neither dropped nor changed.

use crate::catalog::{ColumnDef, DatabaseObjects, IndexDef, IndexKind, ObjectId, TableDef};
use crate::error::SqlError;
use crate::expr::{BoundExpr, Kind};

/// Who depends on a column: `index 'i'`, `object 'CK_x'`. `objects` are those of a stored table's database.
pub(super) fn users_of(def: &TableDef, position: usize, objects: Option<&DatabaseObjects>) -> Vec<String> {
    let mut users = Vec::new();
    let reads = |expr: &BoundExpr| {
        let mut found = false;
        expr.visit(&mut |node| found |= matches!(node.kind, Kind::Column(column) if column == position));
        found
    };
    for index in &def.indexes {
        let key = index.key.iter().any(|part| part.column == position);
        let filter = index.filter.as_ref().is_some_and(|(_, filter)| reads(filter));
        if key || filter || index.included.contains(&position) {
            users.push(name_of(index));
        }
    }
    let id = def.columns[position].id;
    let made = def.statistics.iter().filter(|made| made.columns.contains(&id));
    users.extend(made.map(|made| format!("statistics '{}'", made.name)));
    users.extend(def.checks.iter().filter(|check| reads(&check.expr)).map(|check| format!("object '{}'", check.name)));
    let keys = def.foreign_keys.iter().filter(|key| key.columns.contains(&position));
    users.extend(keys.map(|key| format!("object '{}'", key.name)));
    users.extend(def.columns[position].default.as_ref().map(|default| format!("object '{}'", default.name)));
    let computed = def.columns.iter().filter(|column| column.computed.as_ref().is_some_and(|c| reads(&c.expr)));
    users.extend(computed.map(|column| format!("column '{}'", column.name)));
    for other in objects.into_iter().flat_map(|objects| objects.referring_to(def.id)) {
        let refer = |key: &&crate::catalog::ForeignKeyDef| {
            key.referenced == def.id && key.referenced_columns.contains(&id) && other.id != def.id
        };
        users.extend(other.foreign_keys.iter().filter(refer).map(|key| format!("object '{}'", key.name)));
    }
    users
}

/// An index, or the constraint that it is of.
fn name_of(index: &IndexDef) -> String {
    let kind = if index.constraint == ObjectId(0) { "index" } else { "object" };
    format!("{kind} '{}'", index.name)
}

/// Who forbids that a column becomes `new` although its values stay in their form and order: a primary key whatever
/// changes; a UNIQUE constraint that it allows NULL or stops to; an index that it stops to, unless its length varies.
pub(super) fn bound_users_of(def: &TableDef, position: usize, new: &ColumnDef) -> Vec<String> {
    let old = &def.columns[position];
    let nullability = old.ty.nullable != new.ty.nullable;
    let (type_changes, refuses_null) = (old.ty.sql != new.ty.sql, nullability && !new.ty.nullable);
    let varies = new.ty.sql.is_variable_length();
    let forbids = |index: &&IndexDef| match index.kind {
        IndexKind::PrimaryKey => nullability || type_changes,
        IndexKind::Unique => nullability,
        IndexKind::Index => refuses_null && !varies,
        IndexKind::Heap => false,
    };
    let uses =
        |index: &&IndexDef| index.key.iter().any(|part| part.column == position) || index.included.contains(&position);
    def.indexes.iter().filter(uses).filter(forbids).map(name_of).collect()
}

/// 4922 after a 5074 for each user; `None` when there is none. `what`: `DROP COLUMN` or `ALTER COLUMN`.
pub(super) fn refused(users: Vec<String>, column: &str, what: &str) -> Option<SqlError> {
    let mut told = None::<SqlError>;
    for user in users {
        let text = format!("The {user} is dependent on column '{column}'.");
        let error = SqlError::new(5074, 16, 1, text);
        told = Some(match told {
            None => error,
            Some(before) => error.after(before),
        });
    }
    let text = format!("ALTER TABLE {what} {column} failed because one or more objects access this column.");
    told.map(|told| SqlError::new(4922, 16, 9, text).after(told))
}
