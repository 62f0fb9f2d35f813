//! What the names of a statement are looked up with: its context, and where a name without a database or schema is.
//!
//! The binder sees it through `Names` (see `binder_names`), which knows functions of the user too.

use millpond_catalog::is_global_temporary;
use std::cell::Cell;

use millpond_bind::Home;
use millpond_catalog::{ObjectId, SchemaId, UsedModule};
use millpond_engine::context::RunContext;
use millpond_engine::stay;
use millpond_message::error::SqlResult;
use millpond_storage::contract::DbId;
use millpond_tsql::ast::ObjectName;

use millpond_engine::security;
use millpond_engine::settled::{Meant, Seeker, database_part};

/// Names over a run's context.
pub struct SessionNames<'a> {
    /// Whose names they are.
    pub ctx: &'a RunContext,
    /// A name led through a synonym: what was bound holds while no definition changes.
    pub by_stand_in: Cell<bool>,
    /// An INSTEAD OF trigger would take the change, but for being what runs: what was bound holds for this run alone.
    pub within_trigger: Cell<bool>,
}

impl<'a> SessionNames<'a> {
    /// The names of a context.
    pub fn of(ctx: &'a RunContext) -> SessionNames<'a> {
        SessionNames { ctx, by_stand_in: Cell::new(false), within_trigger: Cell::new(false) }
    }
}

impl SessionNames<'_> {
    /// What a name means; that it led through a synonym is noted.
    pub fn meant(&self, database: DbId, name: &ObjectName, home: SchemaId) -> SqlResult<Meant> {
        let meant = Seeker::of(self.ctx).meant(database, name, home)?;
        if let Meant::BySynonym(other, _) | Meant::Lost(_, Some(other)) = &meant
            && *other != database
        {
            security::check_access(self.ctx, *other)?;
        }
        if matches!(meant, Meant::BySynonym(..) | Meant::Lost(..)) {
            self.by_stand_in.set(true);
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
/// name stands in one and names no database. A global temporary one is in tempdb whatever it says.
///
/// # Errors
/// 7202 for a name that is another server's, 916 for a database to which the session has no access; 1222, 1205 and of a cancellation
/// while another session has the database for itself.
pub fn place(ctx: &RunContext, name: &ObjectName, home: Option<Home>) -> SqlResult<Option<(DbId, SchemaId)>> {
    if name.parts.last().is_some_and(|last| is_global_temporary(last)) {
        database_part(&ctx.engine, name)?;
        return Ok(Some((DbId::TEMPDB, SchemaId::DBO)));
    }
    let home =
        home.unwrap_or(Home { database: ctx.facts.names_database(), schema: ctx.facts.schema, module: ObjectId(0) });
    let Some(named) = database_part(&ctx.engine, name)? else { return Ok(Some((home.database, home.schema))) };
    let Some(database) = ctx.engine.database_id(named) else { return Ok(None) };
    stay::wait_to_name(ctx, database)?;
    security::check_access(ctx, database)?;
    Ok(Some((database, SchemaId::DBO)))
}
