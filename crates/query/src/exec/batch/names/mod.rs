//! The names that a statement of the session can see.

pub(crate) mod absence;
pub(crate) mod declared;
pub(crate) mod settled;

use std::cell::Cell;
use std::sync::Arc;

use millpond_bind::{Home, Named, Names};
use millpond_builtin::TableFunctionDef;
use millpond_catalog::dialect::Dialect;
use millpond_catalog::expr::UserFunction;
use millpond_catalog::rel::UserTableFunction;
use millpond_catalog::run::Run;
use millpond_catalog::{
    CatalogObject, ModuleKind, ObjectId, SchemaId, SequenceDef, TableDef, UsedModule, UserTypeDef, names_equal,
};
use millpond_engine::context::RunContext;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::contract::DbId;
use millpond_storage::database::options::DatabaseFlag;
use millpond_tsql::ast::ObjectName;
use millpond_types::Watch;

use crate::exec::batch::names::settled::{Meant, Seeker, database_part, part, trigger_table};
use crate::exec::routine::function::{scalar_function_of, table_function_of};

/// Names over a run's context.
pub(in crate::exec) struct SessionNames<'a> {
    pub ctx: &'a RunContext,
    /// A name led through a synonym: what was bound holds while no definition changes.
    pub by_synonym: Cell<bool>,
}

impl Names for SessionNames<'_> {
    fn relation(&self, name: &ObjectName, home: Option<Home>) -> SqlResult<Option<Named>> {
        let last = name.last();
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
        let of_server = |database: DbId, name: &ObjectName| {
            let view = (self.ctx.engine.registry().view)(database, part(name, 1).unwrap_or(""), name.last());
            view.map(|view| Named::View(view, database))
        };
        Ok(match self.meant(database, name, schema)? {
            Meant::Object(_, CatalogObject::Table(def, _)) | Meant::BySynonym(_, CatalogObject::Table(def, _)) => {
                Some(Named::Table(def))
            }
            Meant::Object(database, CatalogObject::Module(def))
            | Meant::BySynonym(database, CatalogObject::Module(def))
                if def.kind == ModuleKind::View =>
            {
                Some(Named::UserView(def, database))
            }
            Meant::Lost(synonym, other) => {
                let view = other.and_then(|other| of_server(other, &synonym.base));
                Some(view.ok_or_else(|| message::lost_synonym(&synonym.name))?)
            }
            _ => of_server(database, name),
        })
    }

    fn database(&self, name: &ObjectName, home: Option<Home>) -> SqlResult<Option<DbId>> {
        Ok(place(self.ctx, name, home)?.map(|(database, _)| database))
    }

    fn table_function(&self, name: &ObjectName) -> Option<&'static TableFunctionDef> {
        (self.ctx.engine.registry().table_function)(part(name, 1).unwrap_or(""), name.parts.last()?)
    }

    fn scalar_function(&self, name: &ObjectName, home: Option<Home>) -> SqlResult<Option<Arc<UserFunction>>> {
        scalar_function_of(self.ctx, self.module(name, home)?, &[])
    }

    fn sequence(&self, name: &ObjectName, home: Option<Home>) -> SqlResult<Option<(DbId, Arc<SequenceDef>)>> {
        let Some((database, schema)) = place(self.ctx, name, home)? else { return Ok(None) };
        Ok(match Seeker::of(self.ctx).object(database, name, schema)? {
            Some(CatalogObject::Sequence(def)) => Some((database, def)),
            _ => None,
        })
    }

    fn user_table_function(&self, name: &ObjectName, home: Option<Home>) -> SqlResult<Option<Arc<UserTableFunction>>> {
        table_function_of(self.ctx, self.module(name, home)?)
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

impl<'a> SessionNames<'a> {
    /// The names of a context.
    pub fn of(ctx: &'a RunContext) -> SessionNames<'a> {
        SessionNames { ctx, by_synonym: Cell::new(false) }
    }
}

impl SessionNames<'_> {
    /// What a name means; that it led through a synonym is noted.
    fn meant(&self, database: DbId, name: &ObjectName, home: SchemaId) -> SqlResult<Meant> {
        let meant = Seeker::of(self.ctx).meant(database, name, home)?;
        if matches!(meant, Meant::BySynonym(..) | Meant::Lost(..)) {
            self.by_synonym.set(true);
        }
        Ok(meant)
    }

    /// The module of a name, with its database.
    ///
    /// # Errors
    /// 470 and 5313 for a synonym that leads to none; 7202, 1222, 1205
    pub fn module(&self, name: &ObjectName, home: Option<Home>) -> SqlResult<Option<UsedModule>> {
        match place(self.ctx, name, home)? {
            Some((database, schema)) => self.meant(database, name, schema)?.module(),
            None => Ok(None),
        }
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
