//! Whether a statement may run: over rows by what it was bound to, all others by a table of statements.
//!
//! ```text
//!   need ─▶ whose text is it? one owner with the object: not asked (ownership chain)
//!        └▶ Rights of the context in the object's database ─▶ 229, 230; 916 without access
//! ```
//! What always holds: `sa` is asked nothing. Who was found to have all that a statement needs is not asked again while no definition
//! and no grant changes. A dynamic text and a temporary procedure stand in no module. Nothing waits here.

use std::sync::Arc;

use millpond_bind::{Access as Kind, Need};
use millpond_catalog::security::{Of, Permission, PrincipalId, Rights, Securable, SecurityContext};
use millpond_catalog::{CatalogObject, ObjectId, TableDef};
use millpond_code::code::Needs;
use millpond_engine::context::RunContext;
use millpond_engine::engine::Engine;
use millpond_engine::security::{access, denied_on_object, is_settled};
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::contract::DbId;

/// What a statement needs the right to, when it runs.
///
/// # Errors
/// 229, 230, 300 with 297, 262 with 297, 916.
#[inline]
pub fn check_needs(ctx: &RunContext, needs: &Needs) -> SqlResult<()> {
    let is_free = ctx.facts.security.is_sa() || needs.objects.is_empty() && needs.state.is_empty();
    if is_free { Ok(()) } else { check(ctx, needs) }
}

#[cold]
fn check(ctx: &RunContext, needs: &Needs) -> SqlResult<()> {
    let context = Arc::clone(&ctx.facts.security);
    let now = (ctx.engine.databases().epoch(), ctx.facts.procedure);
    let is_known = |known: &(Arc<_>, u64, i32)| Arc::ptr_eq(&known.0, &context) && (known.1, known.2) == now;
    if needs.allowed.lock().as_ref().is_some_and(is_known) {
        return Ok(());
    }
    // What holds while another's transaction changes the security may not hold when it has ended.
    let is_settled = is_settled(ctx, needs.objects.iter().map(|need| need.database).chain([ctx.facts.database]))?;
    for need in &needs.objects {
        check_need(ctx, need)?;
    }
    for (database, name) in &needs.state {
        check_state(ctx, *database, name)?;
    }
    if is_settled {
        *needs.allowed.lock() = Some((context, now.0, now.1));
    }
    Ok(())
}

/// A need of a statement over rows, or of a call: what belongs to the owner of the module or view around is not asked for.
fn check_need(ctx: &RunContext, need: &Need) -> SqlResult<()> {
    let outer = need.through.or_else(|| module(ctx));
    check_right(ctx, need, outer)
}

fn check_right(ctx: &RunContext, need: &Need, outer: Option<(DbId, ObjectId)>) -> SqlResult<()> {
    let access = access(ctx, need.database)?;
    // What is gone since is refused by its name when the statement is bound again.
    let Some(object) = access.objects.get(need.object) else { return Ok(()) };
    let (rights, on) = (access.rights(), Securable::object(need.object.0));
    if outer.is_some_and(|outer| is_chained(&rights, outer, need)) {
        return Ok(());
    }
    let permission = Permission::known(Of::Object, need.access.name());
    let denied = || {
        let database = ctx.engine.database_name(need.database).unwrap_or_default();
        denied_on_object(need.access.name(), object.name(), &database, &object.schema().name)
    };
    if need.is_any_column && need.columns.is_empty() {
        return if rights.may_any_column(permission, need.object.0) { Ok(()) } else { Err(denied()) };
    }
    if need.columns.is_empty() {
        return if rights.may(permission, on) { Ok(()) } else { Err(denied()) };
    }
    let refused = need.columns.iter().find(|column| !rights.may(permission, on.column(**column)));
    match refused {
        None => Ok(()),
        // Nothing of it is allowed: the object is named and not its first column.
        Some(_) if !rights.may_any_column(permission, need.object.0) => Err(denied()),
        Some(column) => {
            let database = ctx.engine.database_name(need.database).unwrap_or_default();
            let (name, schema) = (object.column_name(*column).unwrap_or_default(), &object.schema().name);
            Err(SqlError::of(230, 1, &[&need.access.name(), &name, &object.name(), &database, schema]))
        }
    }
}

/// The module whose text runs, with its database.
fn module(ctx: &RunContext) -> Option<(DbId, ObjectId)> {
    let facts = &ctx.facts;
    (facts.procedure > 0 || ObjectId(facts.procedure).is_server_text())
        .then(|| (facts.names_database(), ObjectId(facts.procedure)))
}

/// Whether one principal owns both the module and the object that is used in it.
fn is_chained(rights: &Rights<'_>, outer: (DbId, ObjectId), need: &Need) -> bool {
    if outer.0 != need.database {
        return false;
    }
    let owner = |id: ObjectId| match id.is_server_text() {
        // The server's own are dbo's of msdb; elsewhere they have no rights of their own.
        true => (outer.0 == DbId::MSDB).then_some(PrincipalId::DBO),
        false => rights.owner(Securable::object(id.0)),
    };
    owner(outer.1).is_some() && owner(outer.1) == owner(need.object)
}

/// Views over the state of the server and of databases.
fn check_state(ctx: &RunContext, database: DbId, name: &str) -> SqlResult<()> {
    // They show the session's own rows to everybody, or describe what the session could run itself.
    // Of a page its database is asked for, which the call names.
    const FOR_ALL: [&str; 16] = [
        "dm_db_incremental_stats_properties",
        "dm_db_page_info",
        "dm_exec_describe_first_result_set",
        "dm_exec_describe_first_result_set_for_object",
        "dm_exec_input_buffer",
        "dm_exec_requests",
        "dm_exec_session_wait_stats",
        "dm_exec_sessions",
        "dm_exec_xml_handles",
        "dm_millpond_cursor_columns",
        "dm_millpond_cursor_tables",
        "dm_millpond_cursors",
        "dm_os_host_info",
        "dm_os_windows_info",
        "dm_sql_referenced_entities",
        "dm_sql_referencing_entities",
    ];
    if FOR_ALL.contains(&name) {
        return Ok(());
    }
    let is_of_server = millpond_bind::OLD_STATE_VIEWS.contains(&name);
    let is_of_database = !is_of_server && (!name.starts_with("dm_") || name.starts_with("dm_db_"));
    let shows_all = name == "dm_db_index_usage_stats" || name.starts_with("dm_db_missing_index_");
    if is_of_database && !shows_all {
        if millpond_engine::security::may(ctx, database, "VIEW DATABASE STATE", Securable::DATABASE)? {
            return Ok(());
        }
        let shown = ctx.engine.database_name(database).unwrap_or_default();
        return Err(denied().after(SqlError::of(262, 1, &[&"VIEW DATABASE STATE", &shown])));
    }
    if millpond_engine::security::may_on_server(ctx, "VIEW SERVER STATE")? {
        return Ok(());
    }
    Err(denied().after(on_server("VIEW SERVER STATE")))
}

/// 297
pub fn denied() -> SqlError {
    SqlError::of(297, 1, &[])
}

/// 300: a permission on the server is missing.
pub fn on_server(permission: &str) -> SqlError {
    SqlError::of(300, 1, &[&permission, &"server", &"master"])
}

/// 262: a permission on a database is missing.
pub fn in_database(ctx: &RunContext, database: DbId, permission: &str) -> SqlResult<()> {
    if millpond_engine::security::may(ctx, database, permission, Securable::DATABASE)? {
        return Ok(());
    }
    let shown = ctx.engine.database_name(database).unwrap_or_default();
    Err(SqlError::of(262, 1, &[&permission, &shown]))
}

/// Whether a module may be called by all who know its name: a temporary procedure is the session's own, and procedures of master
/// that are marked as the system's are everybody's.
#[must_use]
pub fn is_free_call(engine: &Engine, security: &SecurityContext, database: DbId, object: ObjectId) -> bool {
    security.is_sa() || object.0 <= 0 || database == DbId::MASTER && is_of_system(engine, object)
}

/// EXECUTE on a module of a database, when it is called.
///
/// # Errors
/// 229, 916
pub fn check_call(ctx: &RunContext, database: DbId, object: ObjectId) -> SqlResult<()> {
    check_need(ctx, &Need::of_object(Kind::Execute, database, object))
}

/// What a definition needs of what it uses; definitions stand in no chain of ownership.
///
/// # Errors
/// 229, 230, 916
pub fn check_uses(ctx: &RunContext, mut uses: impl Iterator<Item = Need>) -> SqlResult<()> {
    if ctx.facts.security.is_sa() {
        return Ok(());
    }
    uses.try_for_each(|need| check_right(ctx, &need, None))
}

/// REFERENCES on the functions and sequences of a table's expressions, and on the columns that its foreign keys refer to; what
/// `old` has is not asked for again. A sequence's user needs no more to draw from it than INSERT on the table.
///
/// # Errors
/// 229, 230, 916; 1750 after those of a foreign key.
pub fn check_references(ctx: &RunContext, database: DbId, old: Option<&TableDef>, new: &TableDef) -> SqlResult<()> {
    if ctx.facts.security.is_sa() {
        return Ok(());
    }
    let objects = |def: &TableDef| {
        let uses = def.uses();
        uses.functions.into_iter().chain(uses.sequences).map(|(object, _)| object).collect::<Vec<_>>()
    };
    let had = old.map_or_else(Vec::new, objects);
    let gets = objects(new).into_iter().filter(|object| !had.contains(object));
    check_uses(ctx, gets.map(|(database, id)| Need::of_object(Kind::References, database, id)))?;
    let is_old = |id: ObjectId| old.is_some_and(|old| old.foreign_keys.iter().any(|key| key.id == id));
    let keys = new.foreign_keys.iter().filter(|key| !is_old(key.id) && key.referenced != new.id);
    let needs = keys.map(|key| Need {
        columns: key.referenced_columns.to_vec(),
        ..Need::of_object(Kind::References, database, key.referenced)
    });
    check_uses(ctx, needs).map_err(message::constraint_not_made)
}

fn is_of_system(engine: &Engine, object: ObjectId) -> bool {
    let Ok(master) = engine.databases().dictionary(DbId::MASTER) else { return false };
    let objects = master.catalog().objects();
    matches!(objects.get(object), Some(CatalogObject::Module(def)) if def.is_system)
}

/// Whether the session has a permission on an object of a database.
pub fn may_on_object(ctx: &RunContext, database: DbId, object: ObjectId, permission: &str) -> SqlResult<bool> {
    millpond_engine::security::may(ctx, database, permission, Securable::object(object.0))
}

/// 2571
pub fn no_dbcc(ctx: &RunContext, command: &str) -> SqlError {
    SqlError::of(2571, 3, &[&user_of(ctx), &shown_dbcc(command)])
}

/// The name of the session's user in the current database.
pub(crate) fn user_of(ctx: &RunContext) -> String {
    millpond_catalog::run::Run::principals(ctx).user_name().unwrap_or_default()
}

/// A DBCC command as refusals name it: SQL Server knows most of them in lower case.
pub(crate) fn shown_dbcc(command: &str) -> String {
    match command {
        "CHECKIDENT" | "INPUTBUFFER" | "SHOW_STATISTICS" | "SHOWCONTIG" | "TRACEON" | "TRACEOFF" => command.to_owned(),
        _ => command.to_ascii_lowercase(),
    }
}
