//! Objects of a database by name: where a name leads, and changes of the catalog.

use std::sync::Arc;

use millpond_catalog::dictionary::Dictionary;
use millpond_catalog::{CatalogObject, ModuleDef, ModuleKind, Schema};
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::ast::ObjectName;
use millpond_txn::lock::LockMode;

use crate::exec::batch::BatchRun;
use crate::exec::batch::names::part;

impl BatchRun<'_> {
    /// Refuses to drop an object of another kind than the statement's `word`. Schemas and types have names of their own.
    ///
    /// # Errors
    /// 3705; 911 for an unknown database.
    pub(in crate::exec) fn not_of_kind(&self, name: &ObjectName, word: &str) -> SqlResult<()> {
        if matches!(word, "SCHEMA" | "TYPE") {
            return Ok(());
        }
        let Some(found) = self.find_object(name)? else { return Ok(()) };
        let (noun, right) = match &found {
            CatalogObject::Table(..) => ("table", "TABLE"),
            CatalogObject::Sequence(_) => ("sequence object", "SEQUENCE"),
            CatalogObject::Synonym(_) => ("synonym", "SYNONYM"),
            CatalogObject::Module(def) => match def.kind {
                ModuleKind::View => ("view", "VIEW"),
                ModuleKind::Procedure => ("procedure", "PROCEDURE"),
                ModuleKind::Trigger => ("trigger", "TRIGGER"),
                ModuleKind::ScalarFunction | ModuleKind::InlineFunction | ModuleKind::TableFunction => {
                    ("function", "FUNCTION")
                }
            },
        };
        if right == word {
            return Ok(());
        }
        let name = name.shown();
        Err(SqlError::of(3705, 1, &[&word, &name, &name, &noun, &right]))
    }

    /// Where an object of that name is in a definition: dictionary, schema, last part. The schema stays to the end of the
    /// transaction.
    ///
    /// # Errors
    /// 911 for an unknown database, 2760 for an unknown schema; 1222, 1205.
    pub(in crate::exec) fn place_of<'n>(
        &mut self,
        name: &'n ObjectName,
    ) -> SqlResult<(Arc<Dictionary>, Schema, &'n str)> {
        let dictionary = self.dictionary_of(name)?;
        let schema = part(name, 1).unwrap_or("dbo");
        let found = self.settled_schema(&dictionary, schema)?.ok_or_else(|| message::unknown_schema(schema))?;
        Ok((dictionary, found, name.last()))
    }

    /// Makes or replaces a module in the catalog: part of a statement.
    pub(in crate::exec) fn store_module(&mut self, dictionary: &Dictionary, def: &Arc<ModuleDef>) -> SqlResult<()> {
        self.lock_new(dictionary, def.id, &def.name)?;
        self.with_io(|io| dictionary.put_module(io, def))
    }

    /// Takes a module out of the catalog: part of a statement.
    pub(in crate::exec) fn remove_module(&mut self, dictionary: &Dictionary, def: &ModuleDef) -> SqlResult<()> {
        self.lock_new(dictionary, def.id, &def.name)?;
        self.lock_schema(dictionary, &def.schema, LockMode::SchS)?;
        self.with_io(|io| dictionary.drop_object(io, def.id))
    }
}
