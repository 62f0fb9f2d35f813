//! Views of constraints: `sys.key_constraints`, `foreign_keys`, `foreign_key_columns`, `check_constraints`,
//! `default_constraints`.

use millpond_catalog::system_view::Lead;
use millpond_catalog::system_view::ViewDef;
use millpond_catalog::{ReferentialAction, TableDef, Within};
use millpond_engine::context::RunContext;
use millpond_engine::inventory::{self, Listed};
use millpond_message::error::SqlResult;

use crate::catalog::objects::{Objects, object_row, of_kinds, types_made_us};
use crate::columns::{NVarChar, NVarCharMax, int, text};
use crate::narrow::OF_OBJECTS;
use crate::row::{RowPart, Rows, ViewRows, led_view, row};

row! {
    /// A row of `sys.key_constraints`.
    struct KeyConstraints {
        object: Objects,
        unique_index_id: Option<i32>,
        is_system_named: Option<bool>,
        is_enforced: Option<bool>,
    }
}

/// `sys.key_constraints`
pub static KEY_CONSTRAINTS: ViewDef = led_view("sys", "key_constraints", OF_OBJECTS, &ViewRows(key_constraints));

row! {
    /// A row of `sys.foreign_keys`.
    struct ForeignKeys {
        object: Objects,
        referenced_object_id: Option<i32>,
        key_index_id: Option<i32>,
        is_disabled: bool,
        is_not_for_replication: bool,
        is_not_trusted: bool,
        delete_referential_action: Option<u8>,
        delete_referential_action_desc: Option<NVarChar<60>>,
        update_referential_action: Option<u8>,
        update_referential_action_desc: Option<NVarChar<60>>,
        is_system_named: bool,
    }
}

/// `sys.foreign_keys`
pub static FOREIGN_KEYS: ViewDef = led_view("sys", "foreign_keys", OF_OBJECTS, &ViewRows(foreign_keys));

row! {
    /// A row of `sys.foreign_key_columns`.
    struct ForeignKeyColumns {
        constraint_object_id: i32,
        constraint_column_id: i32,
        parent_object_id: i32,
        parent_column_id: i32,
        referenced_object_id: i32,
        referenced_column_id: i32,
    }
}

/// `sys.foreign_key_columns`
pub static FOREIGN_KEY_COLUMNS: ViewDef = led_view(
    "sys",
    "foreign_key_columns",
    &[("parent_object_id", Lead::Number), ("constraint_object_id", Lead::Number)],
    &ViewRows(foreign_key_columns),
);

row! {
    /// A row of `sys.check_constraints`.
    struct CheckConstraints {
        object: Objects,
        is_disabled: bool,
        is_not_for_replication: bool,
        is_not_trusted: bool,
        parent_column_id: i32,
        definition: Option<NVarCharMax>,
        uses_database_collation: Option<bool>,
        is_system_named: bool,
    }
}

/// `sys.check_constraints`; all are of their table, none of a column.
pub static CHECK_CONSTRAINTS: ViewDef = led_view("sys", "check_constraints", OF_OBJECTS, &ViewRows(check_constraints));

row! {
    /// A row of `sys.default_constraints`.
    struct DefaultConstraints {
        object: Objects,
        parent_column_id: i32,
        definition: Option<NVarCharMax>,
        is_system_named: bool,
    }
}

/// `sys.default_constraints`
pub static DEFAULT_CONSTRAINTS: ViewDef =
    led_view("sys", "default_constraints", OF_OBJECTS, &ViewRows(default_constraints));

/// The rows of the constraints of some kinds; `row` finds each in its table.
fn of_constraints<R: RowPart>(
    ctx: &RunContext,
    database: Within<'_>,
    kinds: &[&str],
    row: impl Fn(&TableDef, &Listed) -> Option<R>,
) -> SqlResult<Rows<R>> {
    let objects = inventory::definitions(ctx, database)?;
    // A table that was dropped between the two readings has no row here.
    let mut rows = of_kinds(ctx, database, kinds, |object| {
        let (table, _) = objects.table(millpond_catalog::ObjectId(object.parent))?;
        row(table, object)
    })?;
    for (table, constraints) in inventory::type_constraints(&objects, database, types_made_us(ctx)) {
        let wanted = constraints.iter().filter(|constraint| kinds.contains(&constraint.kind));
        rows.extend(wanted.filter_map(|constraint| row(&table, constraint)));
    }
    Ok(rows)
}

/// Whether the server named it: `PK__table__` and 16 hexadecimal digits, 8 for others.
fn is_system_named(name: &str) -> bool {
    let mut parts = name.splitn(2, "__");
    let is_prefix = matches!(parts.next(), Some("PK" | "UQ" | "CK" | "DF" | "FK"));
    let tail = name.rsplit("__").next().unwrap_or_default();
    is_prefix && matches!(tail.len(), 8 | 16) && tail.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn key_constraints(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<KeyConstraints>> {
    of_constraints(ctx, database, &["PK", "UQ"], |def, object| {
        let index = def.indexes.iter().find(|index| index.constraint.0 == object.id)?;
        Some(KeyConstraints {
            object: object_row(object),
            unique_index_id: Some(int(index.id)),
            is_system_named: Some(is_system_named(&object.name)),
            is_enforced: Some(true),
        })
    })
}

/// Number and words of an action.
pub(crate) fn action(action: ReferentialAction) -> (u8, &'static str) {
    match action {
        ReferentialAction::NoAction => (0, "NO_ACTION"),
        ReferentialAction::Cascade => (1, "CASCADE"),
        ReferentialAction::SetNull => (2, "SET_NULL"),
        ReferentialAction::SetDefault => (3, "SET_DEFAULT"),
    }
}

fn foreign_keys(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<ForeignKeys>> {
    let objects = inventory::definitions(ctx, database)?;
    of_constraints(ctx, database, &["F"], |def, object| {
        let key = def.foreign_keys.iter().find(|key| key.id.0 == object.id)?;
        let index = objects.table(key.referenced).and_then(|(def, _)| inventory::referenced_index(def, key));
        let (delete, update) = (action(key.on_delete), action(key.on_update));
        Some(ForeignKeys {
            object: object_row(object),
            referenced_object_id: Some(key.referenced.0),
            key_index_id: index.map(|index| int(index.id)),
            is_disabled: key.disabled,
            is_not_for_replication: key.not_for_replication,
            is_not_trusted: key.not_trusted,
            delete_referential_action: Some(delete.0),
            delete_referential_action_desc: Some(text(delete.1)),
            update_referential_action: Some(update.0),
            update_referential_action_desc: Some(text(update.1)),
            is_system_named: is_system_named(&object.name),
        })
    })
}

fn foreign_key_columns(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<ForeignKeyColumns>> {
    let mut rows = Rows::new();
    for table in inventory::tables(ctx, database)? {
        for key in &table.def.foreign_keys {
            for ((column, referenced), ordinal) in key.columns.iter().zip(&key.referenced_columns).zip(1i32..) {
                rows.push(ForeignKeyColumns {
                    constraint_object_id: key.id.0,
                    constraint_column_id: ordinal,
                    parent_object_id: table.id,
                    parent_column_id: table.def.columns[*column].id,
                    referenced_object_id: key.referenced.0,
                    referenced_column_id: *referenced,
                });
            }
        }
    }
    Ok(rows)
}

fn check_constraints(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<CheckConstraints>> {
    of_constraints(ctx, database, &["C"], |def, object| {
        let check = def.checks.iter().find(|check| check.id.0 == object.id)?;
        Some(CheckConstraints {
            object: object_row(object),
            is_disabled: check.disabled,
            is_not_for_replication: check.not_for_replication,
            is_not_trusted: check.not_trusted,
            parent_column_id: check.column().map_or(0, |column| def.columns[column].id),
            definition: Some(text(&inventory::shown_expression(&check.text))),
            uses_database_collation: Some(true),
            is_system_named: is_system_named(&object.name),
        })
    })
}

fn default_constraints(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<DefaultConstraints>> {
    of_constraints(ctx, database, &["D"], |def, object| {
        let mut columns = def.columns.iter().filter_map(|column| Some((column, column.default.as_ref()?)));
        let (column, default) = columns.find(|(_, default)| default.id.0 == object.id)?;
        Some(DefaultConstraints {
            object: object_row(object),
            parent_column_id: column.id,
            definition: Some(text(&inventory::shown_expression(&default.text))),
            is_system_named: is_system_named(&object.name),
        })
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
