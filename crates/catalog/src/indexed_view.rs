//! The rows of an indexed view: a table of the view's name in a schema that no name can say ([`SchemaId::of_view_rows`]).
//!
//! [`SchemaId::of_view_rows`]: crate::SchemaId::of_view_rows

use std::sync::Arc;

use crate::TableDef;
use crate::database::{CatalogObject, DatabaseObjects};
use crate::module::{ModuleDef, ModuleKind};
use crate::trees::TableTrees;

impl ModuleDef {
    /// The rows of a view, if it is an indexed one.
    #[must_use]
    pub fn rows_in<'o>(&self, objects: &'o DatabaseObjects) -> Option<(&'o Arc<TableDef>, &'o Arc<TableTrees>)> {
        match objects.find(self.schema.id.of_view_rows(), &self.name)? {
            CatalogObject::Table(def, trees) if self.kind == ModuleKind::View => Some((def, trees)),
            _ => None,
        }
    }

    /// The view whose rows a table is; none of any other table.
    #[must_use]
    pub fn of_rows<'o>(rows: &TableDef, objects: &'o DatabaseObjects) -> Option<&'o Arc<ModuleDef>> {
        match objects.find(rows.schema.id.of_views()?, &rows.name)? {
            CatalogObject::Module(def) if def.kind == ModuleKind::View => Some(def),
            _ => None,
        }
    }
}
