//! The names that a statement of the session can see.

use std::sync::Arc;

use millpond_storage::contract::DbId;
use millpond_storage::database_options::DatabaseFlag;
use millpond_tsql::ast::ObjectName;

use super::trigger::trigger_table;
use crate::bind::{Named, Names};
use crate::builtin::TableFunctionDef;
use crate::catalog::{CatalogObject, ModuleKind, SequenceDef, TableDef, UserTypeDef, names_equal};
use crate::context::RunContext;
use crate::dialect::Dialect;
use crate::error::{SqlError, SqlResult};
use crate::function::{UserFunction, UserTableFunction};
use crate::message;
use crate::view;

/// Names over a run's context.
pub(super) struct SessionNames<'a> {
    pub ctx: &'a RunContext,
}

impl Names for SessionNames<'_> {
    fn relation(&self, name: &ObjectName) -> SqlResult<Option<Named>> {
        let last = name.parts.last().expect("a name has parts");
        if last.starts_with("##") {
            return Err(message::missing("A global temporary table"));
        }
        if last.starts_with('#') && self.ctx.facts.in_function {
            return Err(SqlError::new(2772, 16, 1, "Cannot access temporary tables from within a function."));
        }
        if last.starts_with(['#', '@']) {
            let temp = self.ctx.session.temp.read();
            return Ok(temp.find(last).map(|table| Named::Table(table.def.clone())));
        }
        if let [only] = &name.parts[..]
            && let Some(table) = trigger_table(&self.ctx.facts, only)
        {
            let temp = self.ctx.session.temp.read();
            return Ok(temp.find(table).map(|table| Named::Table(table.def.clone())));
        }
        let Some(database) = self.database(name) else { return Ok(None) };
        let schema = part(name, 1);
        if let Some(found) = self.object(database, schema, last, SYNONYM_DEPTH_MAX)? {
            return Ok(Some(found));
        }
        Ok(view::find(schema.unwrap_or(""), last).map(|view| Named::View(view, database)))
    }

    fn table_function(&self, name: &ObjectName) -> Option<&'static TableFunctionDef> {
        view::find_function(part(name, 1).unwrap_or(""), name.parts.last()?)
    }

    fn scalar_function(&self, name: &ObjectName) -> SqlResult<Option<Arc<UserFunction>>> {
        super::function::find_function(self.ctx, name, &[])
    }

    fn sequence(&self, name: &ObjectName) -> SqlResult<Option<(DbId, Arc<SequenceDef>)>> {
        let Some(database) = self.database(name) else { return Ok(None) };
        let objects = self.ctx.engine.databases().dictionary(database)?.catalog().objects();
        let Some(schema) = objects.schema(part(name, 1).unwrap_or("dbo")) else { return Ok(None) };
        Ok(match objects.find(schema.id, name.parts.last().expect("a name has parts")) {
            Some(CatalogObject::Sequence(def)) => Some((database, Arc::clone(def))),
            _ => None,
        })
    }

    fn user_table_function(&self, name: &ObjectName) -> SqlResult<Option<Arc<UserTableFunction>>> {
        super::function::find_table_function(self.ctx, name)
    }

    fn in_function(&self) -> bool {
        self.ctx.facts.in_function
    }

    fn user_type(&self, name: &ObjectName) -> SqlResult<Option<Arc<UserTypeDef>>> {
        let Some(database) = self.database(name) else { return Ok(None) };
        let objects = self.ctx.engine.databases().dictionary(database)?.catalog().objects();
        let Some(schema) = objects.schema(part(name, 1).unwrap_or("dbo")) else { return Ok(None) };
        Ok(objects.user_type(schema.id, name.parts.last().expect("a name has parts")).cloned())
    }

    fn identity_insert(&self, def: &TableDef) -> bool {
        self.ctx.facts.settings.identity_insert.as_ref().is_some_and(|(database, id, name)| {
            *database == def.database && *id == def.id && names_equal(name, &def.name)
        })
    }

    fn null_by_default(&self) -> bool {
        let settings = &self.ctx.facts.settings;
        if settings.ansi_null_default_on || settings.ansi_null_default_off {
            return settings.ansi_null_default_on;
        }
        let database = self.ctx.engine.instance().database(self.ctx.facts.database);
        database.is_some_and(|database| database.options().is_on(DatabaseFlag::AnsiNullDefault))
    }

    fn dialect(&self) -> Dialect {
        Dialect::of(&self.ctx.facts.settings)
    }
}

/// Synonyms that may lead to each other.
const SYNONYM_DEPTH_MAX: u32 = 8;

impl SessionNames<'_> {
    /// The database that a name is in: the one named, or the current one.
    fn database(&self, name: &ObjectName) -> Option<DbId> {
        match part(name, 2) {
            None => Some(self.ctx.facts.database),
            Some(database) => self.ctx.engine.database_id(database),
        }
    }

    /// A table or view of the user's.
    fn object(&self, database: DbId, schema: Option<&str>, name: &str, depth: u32) -> SqlResult<Option<Named>> {
        let objects = self.ctx.engine.databases().dictionary(database)?.catalog().objects();
        let Some(schema) = objects.schema(schema.unwrap_or("dbo")) else { return Ok(None) };
        Ok(match objects.find(schema.id, name) {
            Some(CatalogObject::Table(def, _)) => Some(Named::Table(Arc::clone(def))),
            Some(CatalogObject::Module(def)) if def.kind == ModuleKind::View => {
                Some(Named::UserView(Arc::clone(def), database))
            }
            Some(CatalogObject::Synonym(synonym)) if depth > 0 => {
                let base = &synonym.base;
                let other = part(base, 2).map_or(Some(database), |other| self.ctx.engine.database_id(other));
                let Some(other) = other else { return Ok(None) };
                self.object(other, part(base, 1), base.parts.last().expect("a name has parts"), depth - 1)?
            }
            _ => None,
        })
    }
}

/// The part `from_last` places before the last one; empty parts are as good as none.
pub(super) fn part(name: &ObjectName, from_last: usize) -> Option<&str> {
    let index = name.parts.len().checked_sub(from_last + 1)?;
    Some(name.parts[index].as_str()).filter(|part| !part.is_empty())
}
