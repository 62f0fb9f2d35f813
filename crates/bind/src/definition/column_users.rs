//! What depends on a column, so that it is neither dropped nor changed.

use millpond_catalog::expr::{BoundExpr, Kind};
use millpond_catalog::{
    CatalogObject, ColumnDef, DatabaseObjects, ForeignKeyDef, IndexDef, IndexKind, ObjectId, StatisticsDef, TableDef,
};
use millpond_message::error::{SqlError, SqlResult};
use millpond_types::{SqlType, coerce};

use crate::expression::operator::no_implicit;

/// Who depends on a column: `index 'i'`, `object 'CK_x'`. `objects` are those of a stored table's database.
pub fn users_of(def: &TableDef, position: usize, objects: Option<&DatabaseObjects>) -> Vec<String> {
    let mut users = Vec::new();
    for index in &def.indexes {
        let key = index.key.iter().any(|part| part.column == position);
        let filter = index.filter.as_ref().is_some_and(|(_, filter)| reads(filter, position));
        if key || filter || index.included.contains(&position) {
            users.push(name_of(index));
        }
    }
    let id = def.columns[position].id;
    let is_filter = |made: &StatisticsDef| made.filter.as_ref().is_some_and(|filter| reads(&filter.1, position));
    let made = def.statistics.iter().filter(|made| made.columns.contains(&id) || is_filter(made));
    users.extend(made.map(|made| format!("statistics '{}'", made.name)));
    let checks = def.checks.iter().filter(|check| reads(&check.expr, position));
    users.extend(checks.map(|check| object((check.rule, &check.name), objects)));
    users.extend(def.columns[position].default.as_ref().map(|default| object((default.id, &default.name), objects)));
    users.extend(computed_of(def, position));
    users.extend(foreign_keys_of(def, position, objects));
    users
}

/// A constraint by its name, or what is bound by that of the object.
fn object((bound, name): (ObjectId, &str), objects: Option<&DatabaseObjects>) -> String {
    let found = objects.filter(|_| name.is_empty()).and_then(|objects| objects.get(bound));
    format!("object '{}'", found.map_or(name, CatalogObject::name))
}

/// An index, or the constraint that it is of.
fn name_of(index: &IndexDef) -> String {
    let kind = if index.constraint == ObjectId(0) { "index" } else { "object" };
    format!("{kind} '{}'", index.name)
}

/// Who forbids that a column becomes `new` although its values stay in their form and order: a primary key whatever
/// changes; a UNIQUE constraint that it allows NULL or stops to and an index that it stops to, unless its length varies;
/// a foreign key of either side that its type changes; a
/// computed column in any case. `objects` as for [`users_of`].
pub fn bound_users_of(
    def: &TableDef,
    position: usize,
    new: &ColumnDef,
    objects: Option<&DatabaseObjects>,
) -> Vec<String> {
    let old = &def.columns[position];
    let nullability = old.ty.nullable != new.ty.nullable;
    let (type_changes, refuses_null) = (old.ty.sql != new.ty.sql, nullability && !new.ty.nullable);
    let varies = new.ty.sql.is_variable_length();
    let forbids = |index: &&IndexDef| match index.kind {
        IndexKind::PrimaryKey => nullability || type_changes,
        IndexKind::Unique => nullability && !varies,
        IndexKind::Index => refuses_null && !varies,
        IndexKind::Heap => false,
    };
    let uses =
        |index: &&IndexDef| index.key.iter().any(|part| part.column == position) || index.included.contains(&position);
    let mut users: Vec<String> = def.indexes.iter().filter(uses).filter(forbids).map(name_of).collect();
    users.extend(computed_of(def, position));
    if type_changes {
        users.extend(foreign_keys_of(def, position, objects));
    }
    users
}

/// Who forbids that a column becomes one of another form: all its users, but its default where the type only changes its
/// length, precision or scale, and CHECKs where that type is one of varying length.
pub fn altered_users_of(
    def: &TableDef,
    position: usize,
    new: &ColumnDef,
    objects: Option<&DatabaseObjects>,
) -> Vec<String> {
    let old = &def.columns[position];
    let mut users = users_of(def, position, objects);
    let same = std::mem::discriminant(&old.ty.sql) == std::mem::discriminant(&new.ty.sql);
    if same && old.ty.collation == new.ty.collation {
        let checks = def.checks.iter().filter(|_| new.ty.sql.is_variable_length());
        let checks = checks.map(|check| (check.rule, check.name.as_str()));
        let default = old.default.as_ref().map(|default| (default.id, default.name.as_str()));
        for allowed in checks.chain(default) {
            users.retain(|user| *user != object(allowed, objects));
        }
    }
    users
}

fn computed_of(def: &TableDef, position: usize) -> impl Iterator<Item = String> {
    let computed = move |column: &&ColumnDef| column.computed.as_ref().is_some_and(|c| reads(&c.expr, position));
    def.columns.iter().filter(computed).map(|column| format!("column '{}'", column.name))
}

/// Whether an expression over a row reads a column.
pub(crate) fn reads(expr: &BoundExpr, position: usize) -> bool {
    let mut found = false;
    expr.visit(&mut |node| found |= matches!(node.kind, Kind::Column(column) if column == position));
    found
}

/// Foreign keys that have a column, and those of other tables that refer to it.
fn foreign_keys_of(def: &TableDef, position: usize, objects: Option<&DatabaseObjects>) -> Vec<String> {
    let id = def.columns[position].id;
    let keys = def.foreign_keys.iter().filter(|key| key.columns.contains(&position));
    let mut users: Vec<String> = keys.map(|key| format!("object '{}'", key.name)).collect();
    for other in objects.into_iter().flat_map(|objects| objects.referring_to(def.id)) {
        let refer = |key: &&ForeignKeyDef| {
            key.referenced == def.id && key.referenced_columns.contains(&id) && other.id != def.id
        };
        users.extend(other.foreign_keys.iter().filter(refer).map(|key| format!("object '{}'", key.name)));
    }
    users
}

/// Whether ALTER COLUMN may make a column of another type: one that its values become without CONVERT.
///
/// # Errors
/// 257, 206
pub fn check_becomes(old: &ColumnDef, to: &SqlType) -> SqlResult<()> {
    let from = &old.ty.sql;
    if from == to || coerce::implicit_allowed(from, to) { Ok(()) } else { Err(no_implicit(from, to)) }
}

/// 4922 after a 5074 for each user; `None` when there is none. `what`: `DROP COLUMN` or `ALTER COLUMN`.
pub fn refused(users: Vec<String>, column: &str, what: &str) -> Option<SqlError> {
    let mut found = None::<SqlError>;
    for user in users {
        let error = SqlError::of(5074, 1, &[&user, &column]);
        found = Some(match found {
            None => error,
            Some(before) => error.after(before),
        });
    }
    found.map(|found| SqlError::of(4922, 9, &[&what, &column]).after(found))
}
