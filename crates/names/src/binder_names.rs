//! The names that a statement of the session can see, as the binder asks for them.

use millpond_catalog::data_space::PartitionFunction;
use millpond_catalog::has_masks;
use millpond_catalog::is_local_temporary;
use std::sync::Arc;

use millpond_bind::{Home, InsteadOf, KeptRows, Named, Names};
use millpond_builtin::TableFunctionDef;
use millpond_catalog::dialect::Dialect;
use millpond_catalog::expr::UserFunction;
use millpond_catalog::rel::UserTableFunction;
use millpond_catalog::run::Run;
use millpond_catalog::{
    CatalogObject, ModuleDef, ModuleKind, ObjectId, SequenceDef, TableDef, UserTypeDef, names_equal,
};
use millpond_engine::settled::{Meant, Seeker, database_part, part, trigger_table};
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_rows::indexed_view::settings_fit;
use millpond_storage::contract::DbId;
use millpond_storage::database::options::DatabaseFlag;
use millpond_tsql::ast::ObjectName;
use millpond_types::Watch;
use millpond_types::collation::Collation;

use crate::function::{scalar_function_of, table_function_of};
use crate::session_names::{SessionNames, place};
use crate::triggers;

impl Names for SessionNames<'_> {
    fn relation(&self, name: &ObjectName, home: Option<Home>) -> SqlResult<Option<Named>> {
        let last = name.last();
        database_part(&self.ctx.engine, name)?;
        if last.starts_with('#') && self.ctx.facts.in_function {
            return Err(SqlError::of(2772, 1, &[]));
        }
        if last.starts_with('@') || is_local_temporary(last) {
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
            let view = (self.ctx.engine.registry().view)(database, part(name, 1).unwrap_or(""), name.last())?;
            if view.gives_way_in(database) {
                self.by_stand_in.set(true);
            }
            Some(Named::View(view, database))
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

    fn partition_function(
        &self,
        database: Option<&str>,
        name: &str,
        home: Option<Home>,
    ) -> SqlResult<Option<PartitionFunction>> {
        let parts = database.into_iter().map(str::to_owned).chain([String::new(), name.to_owned()]).collect();
        let Some((database, _)) = place(self.ctx, &ObjectName { parts }, home)? else { return Ok(None) };
        // What was bound holds while no definition changes.
        self.by_stand_in.set(true);
        let objects = self.ctx.engine.databases().dictionary(database)?.catalog().objects();
        Ok(objects.data_spaces().function(name).cloned())
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

    fn instead_of(&self, database: DbId, object: ObjectId) -> SqlResult<InsteadOf> {
        let (takes, is_within) = triggers::instead_of(self.ctx, database, object)?;
        if is_within {
            self.within_trigger.set(true);
        }
        Ok(takes)
    }

    fn view_rows(&self, view: &ModuleDef, database: DbId, asked: bool) -> SqlResult<KeptRows> {
        let dictionary = self.ctx.engine.databases().dictionary(database)?;
        let objects = dictionary.catalog().objects();
        let Some((rows, _)) = view.rows_in(&objects) else { return Ok(KeptRows::Absent) };
        match settings_fit(self.ctx, "SELECT") {
            Err(error) if asked => return Err(error),
            Err(_) => return Ok(KeptRows::Absent),
            Ok(()) => {}
        }
        // The one that the catalog has: what was read of its text is kept with it.
        let Some(module) = ModuleDef::of_rows(rows, &objects) else { return Ok(KeptRows::Absent) };
        let read = self.ctx.engine.read_module(module)?.indexed_view((database, dictionary.name()), &objects)?;
        match read.tables.iter().any(|table| has_masks(table)) {
            true => Ok(KeptRows::Masked),
            false => Ok(KeptRows::There(Arc::clone(rows))),
        }
    }

    fn database_name(&self, database: DbId) -> Arc<str> {
        Arc::from(self.ctx.engine.database_name(database).unwrap_or_default())
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

    fn collation_of(&self, database: DbId) -> Collation {
        self.ctx.engine.databases().collation_beside(&self.ctx.facts, database)
    }

    fn dialect(&self) -> Dialect {
        Dialect::of(&self.ctx.facts)
    }
}
