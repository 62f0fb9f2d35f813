//! `sys.types` and `sys.table_types`.

use std::sync::Arc;

use millpond_builtin::facts::system_type::SYSTEM_TYPES;
use millpond_catalog::security::{DatabaseSecurity, Of};
use millpond_catalog::system_view::ViewDef;
use millpond_catalog::{LargeType, UserTypeDef, UserTypeForm, Within};
use millpond_engine::context::RunContext;
use millpond_engine::inventory;
use millpond_message::error::SqlResult;
use millpond_types::SqlType;
use millpond_types::collation::Collation;

use crate::columns::{Sysname, maybe, text};
use crate::row::{Rows, ViewRows, row, view};

row! {
    /// A row of `sys.types`.
    pub(crate) struct Types {
        name: Sysname,
        system_type_id: u8,
        user_type_id: i32,
        schema_id: i32,
        principal_id: Option<i32>,
        max_length: i16,
        precision: u8,
        scale: u8,
        collation_name: Option<Sysname>,
        is_nullable: Option<bool>,
        is_user_defined: bool,
        is_assembly_type: bool,
        default_object_id: i32,
        rule_object_id: i32,
        is_table_type: bool,
    }
}

/// `sys.types`
pub static TYPES: ViewDef = view("sys", "types", &ViewRows(types));

row! {
    /// A row of `sys.table_types`.
    struct TableTypes {
        of_types: Types,
        type_table_object_id: i32,
        is_memory_optimized: Option<bool>,
    }
}

/// `sys.table_types`
pub static TABLE_TYPES: ViewDef = view("sys", "table_types", &ViewRows(table_types));

fn type_row(name: &str, system: u8, id: i32, schema: i32, sql: &SqlType, nullable: bool) -> Types {
    let (precision, scale) = sql.precision_scale();
    let length = if LargeType::has_id(system) { LargeType::MAX_LENGTH } else { inventory::max_length(sql) };
    Types {
        name: text(name),
        system_type_id: system,
        user_type_id: id,
        schema_id: schema,
        principal_id: None,
        max_length: length,
        precision,
        scale,
        collation_name: maybe(sql.is_string().then(|| Collation::default().name())),
        is_nullable: Some(nullable),
        is_user_defined: id > 256,
        is_assembly_type: false,
        default_object_id: 0,
        rule_object_id: 0,
        is_table_type: false,
    }
}

/// The types of the server and those of the user.
pub(crate) fn all_types(ctx: &RunContext, database: Within<'_>) -> SqlResult<Vec<Types>> {
    let shipped = SYSTEM_TYPES.iter().map(|(name, id, sql)| {
        let system = u8::try_from(*id).unwrap_or_else(|_| sql.system_type_id());
        type_row(name, system, *id, 4, sql, !matches!(*id, 189 | 256))
    });
    let objects = inventory::definitions(ctx, database)?;
    let all = shipped.chain(objects.user_types().map(|ty| user_row(objects.security(), ty)));
    let named = |row: Types| match row.collation_name {
        Some(_) => Types { collation_name: Some(text(objects.collation.name())), ..row },
        None => row,
    };
    Ok(all.map(named).collect())
}

fn types(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<Types>> {
    Ok(all_types(ctx, database)?.into_iter().collect())
}

/// Number of table types among `system_type_id`.
const TABLE_TYPE: u8 = 243;

fn user_row(security: &DatabaseSecurity, ty: &Arc<UserTypeDef>) -> Types {
    let row = match &ty.form {
        UserTypeForm::Alias { sql, nullable } => {
            type_row(&ty.name, sql.system_type_id(), ty.id, ty.schema.id.0, sql, *nullable)
        }
        UserTypeForm::Table { .. } => {
            let row = type_row(&ty.name, TABLE_TYPE, ty.id, ty.schema.id.0, &SqlType::Xml, false);
            Types { collation_name: None, is_table_type: true, ..row }
        }
    };
    let (default_object_id, rule_object_id) = (ty.default.0, ty.rule.0);
    let principal_id = security.said_owner(Of::Type, ty.id).map(|owner| owner.0);
    Types { principal_id, default_object_id, rule_object_id, ..row }
}

fn table_types(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<TableTypes>> {
    let objects = inventory::definitions(ctx, database)?;
    let rows = objects.user_types().filter_map(|ty| match &ty.form {
        UserTypeForm::Table { memory_optimized, .. } => Some(TableTypes {
            of_types: user_row(objects.security(), ty),
            type_table_object_id: inventory::type_table_id(ty),
            is_memory_optimized: Some(*memory_optimized),
        }),
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
            if !matches!(name, "numeric" | "sysname" | "text" | "ntext" | "image") {
                assert_eq!((i32::from(sql.system_type_id()), sql.name()), (id, name));
            }
        }
    }
}
