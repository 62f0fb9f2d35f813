//! `sys.types` and `sys.table_types`.

use std::sync::Arc;

use millpond_builtin::facts::system_type::SYSTEM_TYPES;
use millpond_catalog::system_view::ViewDef;
use millpond_catalog::{SystemColumn, UserTypeDef, UserTypeForm, Within};
use millpond_engine::context::RunContext;
use millpond_engine::inventory;
use millpond_message::error::SqlResult;
use millpond_types::collation::Collation;
use millpond_types::{SqlType, Value};

use crate::view::ViewRows;
use crate::view::columns::{BIT, INT, SMALLINT, SYSNAME, TINYINT, bit, col, int, joined, maybe, null, text, tiny};

const TYPE_COLUMNS: [SystemColumn; 15] = [
    col("name", SYSNAME),
    col("system_type_id", TINYINT),
    col("user_type_id", INT),
    col("schema_id", INT),
    null("principal_id", INT),
    col("max_length", SMALLINT),
    col("precision", TINYINT),
    col("scale", TINYINT),
    null("collation_name", SYSNAME),
    null("is_nullable", BIT),
    col("is_user_defined", BIT),
    col("is_assembly_type", BIT),
    col("default_object_id", INT),
    col("rule_object_id", INT),
    col("is_table_type", BIT),
];

/// `sys.types`
pub static TYPES: ViewDef = ViewDef { schema: "sys", name: "types", columns: &TYPE_COLUMNS, rows: &ViewRows(types) };

/// `sys.table_types`
pub static TABLE_TYPES: ViewDef = ViewDef {
    schema: "sys",
    name: "table_types",
    columns: &joined::<15, 2, 17>(TYPE_COLUMNS, [col("type_table_object_id", INT), null("is_memory_optimized", BIT)]),
    rows: &ViewRows(table_types),
};

fn row(name: &str, system: u8, id: i32, schema: i32, sql: &SqlType, nullable: bool) -> Vec<Value> {
    let (precision, scale) = sql.precision_scale();
    let length = if matches!(id, 35 | 99) { 16 } else { inventory::max_length(sql) };
    vec![
        text(name),
        tiny(system),
        int(id),
        int(schema),
        Value::Null,
        Value::SmallInt(length),
        tiny(precision),
        tiny(scale),
        maybe(sql.is_string().then(|| Collation::default().name())),
        bit(nullable),
        bit(id > 256),
        bit(false),
        int(0),
        int(0),
        bit(false),
    ]
}

fn types(ctx: &RunContext, database: Within<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let shipped = SYSTEM_TYPES.iter().map(|(name, id, sql)| {
        let system = u8::try_from(*id).unwrap_or_else(|_| sql.system_type_id());
        row(name, system, *id, 4, sql, !matches!(*id, 189 | 256))
    });
    let mut rows: Vec<Vec<Value>> = shipped.collect();
    rows.extend(inventory::definitions(ctx, database)?.user_types().map(user_row));
    Ok(rows)
}

/// Number of table types among `system_type_id`.
const TABLE_TYPE: u8 = 243;

fn user_row(ty: &Arc<UserTypeDef>) -> Vec<Value> {
    match &ty.form {
        UserTypeForm::Alias { sql, nullable } => {
            row(&ty.name, sql.system_type_id(), ty.id, ty.schema.id.0, sql, *nullable)
        }
        UserTypeForm::Table { .. } => {
            let mut row = row(&ty.name, TABLE_TYPE, ty.id, ty.schema.id.0, &SqlType::Xml, false);
            row[8] = Value::Null;
            row[14] = bit(true);
            row
        }
    }
}

fn table_types(ctx: &RunContext, database: Within<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let objects = inventory::definitions(ctx, database)?;
    let rows = objects.user_types().filter_map(|ty| match &ty.form {
        UserTypeForm::Table { memory_optimized, .. } => {
            let mut row = user_row(ty);
            row.extend([int(-ty.id), bit(*memory_optimized)]);
            Some(row)
        }
        UserTypeForm::Alias { .. } => None,
    });
    Ok(rows.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_types() {
        for (name, id, sql) in SYSTEM_TYPES {
            if !matches!(name, "numeric" | "sysname" | "text" | "ntext") {
                assert_eq!((i32::from(sql.system_type_id()), sql.name()), (id, name));
            }
        }
    }
}
