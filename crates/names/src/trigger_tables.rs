//! `inserted` and `deleted`: the tables that a trigger's body sees of those of its table or view.

use std::sync::Arc;

use millpond_bind::{Binder, Variables, column_masks, is_of_reader};
use millpond_catalog::{CatalogObject, ColumnDef, ModuleKind, SchemaId, TableDef};
use millpond_engine::context::RunContext;
use millpond_engine::settled::{DELETED, INSERTED, part};
use millpond_message::error::SqlResult;
use millpond_tsql::ast::{TriggerHead, TriggerTarget};
use millpond_types::SqlType;

use crate::session_names::SessionNames;

/// `inserted` and `deleted` of a table: its columns without what makes values.
pub fn trigger_tables(table: &TableDef) -> [Arc<TableDef>; 2] {
    [INSERTED, DELETED].map(|name| {
        let masks = column_masks(table);
        let columns = table.columns.iter().zip(masks).enumerate().map(|(index, (column, mask))| {
            let mut plain = ColumnDef::new(column.id, column.name.clone(), column.ty);
            plain.ty.nullable = true;
            // The row's own number; a column of the type would give it another one.
            if plain.ty.sql == SqlType::RowVersion {
                plain.ty.sql = SqlType::Binary { len: 8 };
            }
            plain.mask = mask;
            // What the rows do not have is computed by who reads it, as in the table.
            plain.computed = column.computed.clone().filter(|_| is_of_reader(table, index));
            plain
        });
        Arc::new(TableDef::new(name.to_owned(), columns.collect(), Vec::new()))
    })
}

/// `inserted` and `deleted` as a trigger's body will see them; `None` where what it is on is not there.
///
/// # Errors
/// Of a database that cannot be read; what does not bind in a view.
pub fn shapes_of_trigger(ctx: &RunContext, head: &TriggerHead) -> SqlResult<Option<[Arc<TableDef>; 2]>> {
    let TriggerTarget::Object(name) = &head.target else { return Ok(None) };
    let objects = ctx.engine.databases().dictionary(ctx.facts.database)?.catalog().objects();
    let schema = part(name, 1).map_or(Some(ctx.facts.default_schema), |schema| objects.schema(schema).map(|s| s.id));
    let found = |schema: SchemaId| objects.find(schema, name.last());
    let found = schema.and_then(found).or_else(|| found(SchemaId::DBO).filter(|_| part(name, 1).is_none()));
    match found {
        Some(CatalogObject::Table(def, _)) => Ok(Some(trigger_tables(def))),
        Some(CatalogObject::Module(view)) if view.kind == ModuleKind::View => {
            let (names, variables) = (SessionNames::of(ctx), Variables::default());
            let shape = Binder::new(&names, &variables).shape_of_view(name)?;
            Ok(shape.map(|shape| trigger_tables(&shape)))
        }
        _ => Ok(None),
    }
}
