//! The names that a statement of the session can see.

use std::cell::Cell;
use std::sync::Arc;

use millpond_bind::{Home, Named, Names};
use millpond_builtin::TableFunctionDef;
use millpond_catalog::dialect::Dialect;
use millpond_catalog::function::{UserFunction, UserTableFunction};
use millpond_catalog::run::Run;
use millpond_catalog::{
    CatalogObject, ModuleKind, ObjectId, SchemaId, SequenceDef, TableDef, UserTypeDef, names_equal,
};
use millpond_engine::context::RunContext;
use millpond_engine::engine::Engine;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::contract::DbId;
use millpond_storage::database::options::DatabaseFlag;
use millpond_tsql::ast::ObjectName;
use millpond_types::Watch;

use crate::exec::batch::settled::Seeker;
use crate::exec::routine::trigger::trigger_table;

/// Names over a run's context.
pub(in crate::exec) struct SessionNames<'a> {
    pub ctx: &'a RunContext,
    /// A name led through a synonym: what was bound holds while no definition changes.
    pub by_synonym: Cell<bool>,
}

impl Names for SessionNames<'_> {
    fn relation(&self, name: &ObjectName, home: Option<Home>) -> SqlResult<Option<Named>> {
        let last = name.parts.last().expect("a name has parts");
        database_part(&self.ctx.engine, name)?;
        if last.starts_with("##") {
            return Err(message::missing("A global temporary table"));
        }
        if last.starts_with('#') && self.ctx.facts.in_function {
            return Err(SqlError::of(2772, 1, &[]));
        }
        if last.starts_with(['#', '@']) {
            let temp = self.ctx.session.temp.read();
            return Ok(temp.find(last, self.ctx.facts.nest_level).map(|table| Named::Table(table.def.clone())));
        }
        if let [only] = &name.parts[..]
            && let Some(table) = trigger_table(&self.ctx.facts, only)
        {
            let temp = self.ctx.session.temp.read();
            return Ok(temp.find(table, self.ctx.facts.nest_level).map(|table| Named::Table(table.def.clone())));
        }
        let Some((database, schema)) = place(self.ctx, name, home)? else { return Ok(None) };
        if let Some(found) = self.object(database, schema, name, SYNONYM_DEPTH_MAX)? {
            return Ok(Some(found));
        }
        Ok((self.ctx.engine.registry().view)(database, part(name, 1).unwrap_or(""), last)
            .map(|view| Named::View(view, database)))
    }

    fn table_function(&self, name: &ObjectName) -> Option<&'static TableFunctionDef> {
        (self.ctx.engine.registry().table_function)(part(name, 1).unwrap_or(""), name.parts.last()?)
    }

    fn scalar_function(&self, name: &ObjectName, home: Option<Home>) -> SqlResult<Option<Arc<UserFunction>>> {
        crate::exec::routine::function::find_function(self.ctx, name, home, &[])
    }

    fn sequence(&self, name: &ObjectName, home: Option<Home>) -> SqlResult<Option<(DbId, Arc<SequenceDef>)>> {
        let Some((database, schema)) = place(self.ctx, name, home)? else { return Ok(None) };
        Ok(match Seeker::of(self.ctx).object(database, name, schema)? {
            Some(CatalogObject::Sequence(def)) => Some((database, def)),
            _ => None,
        })
    }

    fn user_table_function(&self, name: &ObjectName, home: Option<Home>) -> SqlResult<Option<Arc<UserTableFunction>>> {
        crate::exec::routine::function::find_table_function(self.ctx, name, home)
    }

    fn watch(&self) -> Watch<'_> {
        self.ctx.watch()
    }

    fn in_function(&self) -> bool {
        self.ctx.facts.in_function
    }

    fn user_type(&self, name: &ObjectName, home: Option<Home>) -> SqlResult<Option<Arc<UserTypeDef>>> {
        let Some((database, schema)) = place(self.ctx, name, home)? else { return Ok(None) };
        Seeker::of(self.ctx).user_type(database, name, schema)
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

impl<'a> SessionNames<'a> {
    /// The names of a context.
    pub fn of(ctx: &'a RunContext) -> SessionNames<'a> {
        SessionNames { ctx, by_synonym: Cell::new(false) }
    }
}

impl SessionNames<'_> {
    /// A table or view of the user's.
    fn object(&self, database: DbId, home: SchemaId, name: &ObjectName, depth: u32) -> SqlResult<Option<Named>> {
        Ok(match Seeker::of(self.ctx).object(database, name, home)? {
            Some(CatalogObject::Table(def, _)) => Some(Named::Table(def)),
            Some(CatalogObject::Module(def)) if def.kind == ModuleKind::View => Some(Named::UserView(def, database)),
            Some(CatalogObject::Synonym(synonym)) if depth > 0 => {
                self.by_synonym.set(true);
                let base = &synonym.base;
                let named = database_part(&self.ctx.engine, base)?;
                let other = named.map_or(Some(database), |other| self.ctx.engine.database_id(other));
                let Some(other) = other else { return Ok(None) };
                self.object(other, SchemaId::DBO, base, depth - 1)?
            }
            _ => None,
        })
    }
}

/// The database that a name is in, and the schema where it is looked for first when it names none: the module's, if the
/// name stands in one and names no database.
///
/// # Errors
/// 7202 for a name that is another server's.
pub(in crate::exec) fn place(
    ctx: &RunContext,
    name: &ObjectName,
    home: Option<Home>,
) -> SqlResult<Option<(DbId, SchemaId)>> {
    let home =
        home.unwrap_or(Home { database: ctx.facts.names_database(), schema: ctx.facts.schema, module: ObjectId(0) });
    Ok(match database_part(&ctx.engine, name)? {
        None => Some((home.database, home.schema)),
        Some(database) => ctx.engine.database_id(database).map(|database| (database, SchemaId::DBO)),
    })
}

/// The database that a name says, once it is known to be this server's: whoever reads a name's database asks here.
///
/// # Errors
/// 7202 for a name that is another server's.
pub(in crate::exec) fn database_part<'n>(engine: &Engine, name: &'n ObjectName) -> SqlResult<Option<&'n str>> {
    match part(name, 3) {
        Some(server) if !names_equal(server, engine.machine()) => Err(message::unknown_server(server)),
        _ => Ok(part(name, 2)),
    }
}

/// The part `from_last` places before the last one; empty parts are as good as none.
pub(in crate::exec) fn part(name: &ObjectName, from_last: usize) -> Option<&str> {
    let index = name.parts.len().checked_sub(from_last + 1)?;
    Some(name.parts[index].as_str()).filter(|part| !part.is_empty())
}
