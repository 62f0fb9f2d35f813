//! Objects of a database by name: where a name leads, and changes of the catalog.

use std::sync::Arc;

use millpond_tsql::ast::ObjectName;
use millpond_txn::lock::LockMode;

use super::batch::BatchRun;
use super::names::{find_named, part};
use crate::catalog::{CatalogObject, DatabaseCatalog, Schema, SchemaId};
use crate::error::SqlResult;
use crate::message;
use crate::session::Session;

impl Session {
    /// The object of a name in the text that runs: what a module calls is looked for in its own schema first.
    ///
    /// # Errors
    /// 911 for an unknown database.
    pub(super) fn find_beside(&self, name: &ObjectName) -> SqlResult<Option<CatalogObject>> {
        let home = if part(name, 2).is_none() { self.facts.schema } else { SchemaId::DBO };
        Ok(find_named(&self.catalog_of(name)?.objects(), name, home).cloned())
    }

    /// The object of a name in a definition: without a schema it is in the user's default one.
    ///
    /// # Errors
    /// 911 for an unknown database.
    pub(super) fn find_object(&self, name: &ObjectName) -> SqlResult<Option<CatalogObject>> {
        Ok(find_named(&self.catalog_of(name)?.objects(), name, SchemaId::DBO).cloned())
    }

    /// Where an object of that name is to be made: catalog, schema, last part.
    ///
    /// # Errors
    /// 911 for an unknown database, 2760 for an unknown schema.
    pub(super) fn place_of<'n>(&self, name: &'n ObjectName) -> SqlResult<(Arc<DatabaseCatalog>, Schema, &'n str)> {
        let catalog = self.catalog_of(name)?;
        let schema = part(name, 1).unwrap_or("dbo");
        let found = catalog.objects().schema(schema).cloned();
        let found = found.ok_or_else(|| message::unknown_schema(schema))?;
        Ok((catalog, found, name.parts.last().expect("a name has parts")))
    }

    fn catalog_of(&self, name: &ObjectName) -> SqlResult<Arc<DatabaseCatalog>> {
        let id = match part(name, 2) {
            None => self.facts.database,
            Some(database) => self.engine.database_id(database).ok_or_else(|| message::unknown_database(database))?,
        };
        Ok(Arc::clone(self.engine.databases().dictionary(id)?.catalog()))
    }
}

impl BatchRun<'_> {
    /// Makes or replaces an object in the catalog.
    pub(super) fn store_object(&mut self, catalog: &DatabaseCatalog, object: CatalogObject) -> SqlResult<()> {
        let dictionary = self.ctx.engine.databases().dictionary(catalog.database())?;
        let CatalogObject::Module(def) = object else { unreachable!("tables and others have ways of their own") };
        self.ctx_mut().tables = Arc::from([]);
        self.atomically(&def.name, |run| {
            run.lock_new(&dictionary, def.id, &def.name)?;
            if run.settled_schema(&dictionary, &def.schema.name)?.is_none() {
                return Err(message::unknown_schema(&def.schema.name));
            }
            run.with_io(|io| dictionary.put_module(io, &def))
        })
    }

    /// Takes an object out of the catalog.
    pub(super) fn remove_object(&mut self, catalog: &DatabaseCatalog, object: &CatalogObject) -> SqlResult<()> {
        let dictionary = self.ctx.engine.databases().dictionary(catalog.database())?;
        self.ctx_mut().tables = Arc::from([]);
        self.atomically(object.name(), |run| {
            run.lock_new(&dictionary, object.id(), object.name())?;
            run.lock_schema(&dictionary, object.schema(), LockMode::SchS)?;
            run.with_io(|io| dictionary.drop_object(io, object.id()))
        })
    }
}
