//! Views of constraints: `sys.key_constraints`, `foreign_keys`, `foreign_key_columns`, `check_constraints`,
//! `default_constraints`.

use millpond_catalog::system_view::Lead;
use millpond_catalog::system_view::ViewDef;
use millpond_catalog::{ReferentialAction, SystemColumn, TableDef, Within};
use millpond_engine::context::RunContext;
use millpond_engine::inventory::{self, Listed};
use millpond_message::error::SqlResult;
use millpond_types::Value;

use crate::view::LedViewRows;
use crate::view::catalog::objects::{OBJECT_COLUMNS, of_kinds};
use crate::view::columns::{BIT, INT, NVARCHAR_MAX, TINYINT, bit, col, int, joined, null, nvarchar, text, tiny};
use crate::view::narrow::OF_OBJECTS;

const KEY_COLUMNS: [SystemColumn; 15] =
    joined(OBJECT_COLUMNS, [null("unique_index_id", INT), null("is_system_named", BIT), null("is_enforced", BIT)]);

/// `sys.key_constraints`
pub static KEY_CONSTRAINTS: ViewDef = ViewDef {
    schema: "sys",
    name: "key_constraints",
    columns: &KEY_COLUMNS,
    rows: &LedViewRows(OF_OBJECTS, key_constraints),
};

const FOREIGN_KEY_COLUMNS_COLUMNS: [SystemColumn; 22] = joined(
    OBJECT_COLUMNS,
    [
        null("referenced_object_id", INT),
        null("key_index_id", INT),
        col("is_disabled", BIT),
        col("is_not_for_replication", BIT),
        col("is_not_trusted", BIT),
        null("delete_referential_action", TINYINT),
        null("delete_referential_action_desc", nvarchar(60)),
        null("update_referential_action", TINYINT),
        null("update_referential_action_desc", nvarchar(60)),
        col("is_system_named", BIT),
    ],
);

/// `sys.foreign_keys`
pub static FOREIGN_KEYS: ViewDef = ViewDef {
    schema: "sys",
    name: "foreign_keys",
    columns: &FOREIGN_KEY_COLUMNS_COLUMNS,
    rows: &LedViewRows(OF_OBJECTS, foreign_keys),
};

/// `sys.foreign_key_columns`
pub static FOREIGN_KEY_COLUMNS: ViewDef = ViewDef {
    schema: "sys",
    name: "foreign_key_columns",
    columns: &[
        col("constraint_object_id", INT),
        col("constraint_column_id", INT),
        col("parent_object_id", INT),
        col("parent_column_id", INT),
        col("referenced_object_id", INT),
        col("referenced_column_id", INT),
    ],
    rows: &LedViewRows(
        &[("parent_object_id", Lead::Number), ("constraint_object_id", Lead::Number)],
        foreign_key_columns,
    ),
};

const CHECK_COLUMNS: [SystemColumn; 19] = joined(
    OBJECT_COLUMNS,
    [
        col("is_disabled", BIT),
        col("is_not_for_replication", BIT),
        col("is_not_trusted", BIT),
        col("parent_column_id", INT),
        null("definition", NVARCHAR_MAX),
        null("uses_database_collation", BIT),
        col("is_system_named", BIT),
    ],
);

/// `sys.check_constraints`; all are of their table, none of a column.
pub static CHECK_CONSTRAINTS: ViewDef = ViewDef {
    schema: "sys",
    name: "check_constraints",
    columns: &CHECK_COLUMNS,
    rows: &LedViewRows(OF_OBJECTS, check_constraints),
};

const DEFAULT_COLUMNS: [SystemColumn; 15] = joined(
    OBJECT_COLUMNS,
    [col("parent_column_id", INT), null("definition", NVARCHAR_MAX), col("is_system_named", BIT)],
);

/// `sys.default_constraints`
pub static DEFAULT_CONSTRAINTS: ViewDef = ViewDef {
    schema: "sys",
    name: "default_constraints",
    columns: &DEFAULT_COLUMNS,
    rows: &LedViewRows(OF_OBJECTS, default_constraints),
};

/// The rows of the constraints of some kinds; `more` says what follows the object's columns.
fn of_constraints(
    ctx: &RunContext,
    database: Within<'_>,
    kinds: &[&str],
    more: impl Fn(&TableDef, &Listed) -> Option<Vec<Value>>,
) -> SqlResult<Vec<Vec<Value>>> {
    let objects = inventory::definitions(ctx, database)?;
    let width = std::cell::Cell::new(0);
    let mut rows = of_kinds(ctx, database, kinds, |object| {
        let table = objects.table(millpond_catalog::ObjectId(object.parent));
        let facts = table.and_then(|(def, _)| more(def, object)).unwrap_or_default();
        width.set(width.get().max(facts.len()));
        Ok(facts)
    })?;
    // A table that was dropped between the two readings has no row here.
    rows.retain(|row| row.len() == OBJECT_COLUMNS.len() + width.get());
    Ok(rows)
}

/// Whether the server named it: `PK__table__` and 16 hexadecimal digits, 8 for others.
fn is_system_named(name: &str) -> bool {
    let mut parts = name.splitn(2, "__");
    let is_prefix = matches!(parts.next(), Some("PK" | "UQ" | "CK" | "DF" | "FK"));
    let tail = name.rsplit("__").next().unwrap_or_default();
    is_prefix && matches!(tail.len(), 8 | 16) && tail.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn key_constraints(ctx: &RunContext, database: Within<'_>) -> SqlResult<Vec<Vec<Value>>> {
    of_constraints(ctx, database, &["PK", "UQ"], |def, object| {
        let index = def.indexes.iter().find(|index| index.constraint.0 == object.id)?;
        Some(vec![int(index.id), bit(is_system_named(&object.name)), bit(true)])
    })
}

/// Number and words of an action.
pub(in crate::view) fn action(action: ReferentialAction) -> (u8, &'static str) {
    match action {
        ReferentialAction::NoAction => (0, "NO_ACTION"),
        ReferentialAction::Cascade => (1, "CASCADE"),
        ReferentialAction::SetNull => (2, "SET_NULL"),
        ReferentialAction::SetDefault => (3, "SET_DEFAULT"),
    }
}

fn foreign_keys(ctx: &RunContext, database: Within<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let objects = inventory::definitions(ctx, database)?;
    of_constraints(ctx, database, &["F"], |def, object| {
        let key = def.foreign_keys.iter().find(|key| key.id.0 == object.id)?;
        let index = objects.table(key.referenced).and_then(|(def, _)| inventory::referenced_index(def, key));
        let (delete, update) = (action(key.on_delete), action(key.on_update));
        Some(vec![
            int(key.referenced.0),
            index.map_or(Value::Null, |index| int(index.id)),
            bit(key.disabled),
            bit(false),
            bit(key.not_trusted),
            tiny(delete.0),
            text(delete.1),
            tiny(update.0),
            text(update.1),
            bit(is_system_named(&object.name)),
        ])
    })
}

fn foreign_key_columns(ctx: &RunContext, database: Within<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let mut rows = Vec::new();
    for table in inventory::tables(ctx, database)? {
        for key in &table.def.foreign_keys {
            for ((column, referenced), ordinal) in key.columns.iter().zip(&key.referenced_columns).zip(1i32..) {
                rows.push(vec![
                    int(key.id.0),
                    int(ordinal),
                    int(table.id),
                    int(table.def.columns[*column].id),
                    int(key.referenced.0),
                    int(*referenced),
                ]);
            }
        }
    }
    Ok(rows)
}

fn check_constraints(ctx: &RunContext, database: Within<'_>) -> SqlResult<Vec<Vec<Value>>> {
    of_constraints(ctx, database, &["C"], |def, object| {
        let check = def.checks.iter().find(|check| check.id.0 == object.id)?;
        Some(vec![
            bit(check.disabled),
            bit(false),
            bit(check.not_trusted),
            int(check.column().map_or(0, |column| def.columns[column].id)),
            text(&inventory::shown_expression(&check.text)),
            bit(true),
            bit(is_system_named(&object.name)),
        ])
    })
}

fn default_constraints(ctx: &RunContext, database: Within<'_>) -> SqlResult<Vec<Vec<Value>>> {
    of_constraints(ctx, database, &["D"], |def, object| {
        let mut columns = def.columns.iter().filter_map(|column| Some((column, column.default.as_ref()?)));
        let (column, default) = columns.find(|(_, default)| default.id.0 == object.id)?;
        Some(vec![
            int(column.id),
            text(&inventory::shown_expression(&default.text)),
            bit(is_system_named(&object.name)),
        ])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_the_server_made_are_known_by_their_form() {
        assert!(is_system_named("PK__t__3213E83F0AF3A1D2"));
        assert!(is_system_named("DF__t__a__1A2B3C4D"));
        assert!(!is_system_named("PK_t"));
        assert!(!is_system_named("PK__mine"));
    }
}
