//! Statements on principals and permissions as a batch runs them: each a transaction of its own, or part of the open one.
//!
//! What always holds: a statement that fails keeps no lock: a login without rights blocks no other session, however long its
//! transaction is. What is asked and changed is the crate `rights`'.

pub(in crate::exec) mod impersonate;
pub(in crate::exec) mod set_user;

use std::sync::Arc;

use millpond_catalog::{ObjectId, SchemaId};
use millpond_engine::context::RunContext;
use millpond_message::error::SqlResult;
use millpond_rights::{Work, grant, needs, owner, principal as principals};
use millpond_storage::contract::DbId;
use millpond_tsql::ast::{DropKind, DropObjects, ObjectName, Permission, Principal};

use crate::exec::batch::{BatchRun, contexts};
use crate::exec::ddl::objects;
use crate::session::Session;

/// `CREATE|ALTER LOGIN|USER|ROLE|SERVER ROLE|APPLICATION ROLE name …`
pub(in crate::exec) fn principal(run: &mut BatchRun<'_>, statement: &Principal) -> SqlResult<()> {
    changing(run, &statement.name, |work| principals::principal(work, statement))
}

/// `DROP LOGIN|USER|ROLE|SERVER ROLE|APPLICATION ROLE [IF EXISTS] name [, …]`; `check_login` refuses a login, by its security
/// identifier, that owns something else than what `rights` knows of.
pub(in crate::exec) fn drop_principal(
    run: &mut BatchRun<'_>,
    statement: &DropObjects,
    check_login: fn(&RunContext, &[u8]) -> SqlResult<()>,
) -> SqlResult<()> {
    for name in &statement.names {
        changing(run, name.last(), |work| {
            let master = work.ctx.engine.databases().dictionary(DbId::MASTER)?.catalog().objects();
            principals::drop_principal(work, statement, name.last())?;
            match master.server().named(name.last()).filter(|_| statement.kind == DropKind::Login) {
                Some(login) => check_login(work.ctx, &login.sid),
                None => Ok(()),
            }
        })?;
    }
    Ok(())
}

/// GRANT, DENY and REVOKE
pub(in crate::exec) fn permission(run: &mut BatchRun<'_>, statement: &Permission) -> SqlResult<()> {
    changing(run, "GRANT", |work| grant::permission(work, statement))
}

/// `ALTER AUTHORIZATION ON [class::]name TO owner|SCHEMA OWNER`
pub(in crate::exec) fn alter_authorization(
    run: &mut BatchRun<'_>,
    class: Option<&str>,
    object: &ObjectName,
    owner: Option<&str>,
) -> SqlResult<()> {
    changing(run, object.last(), |work| owner::alter_authorization(work, class, object, owner))
}

/// Who owns a schema that the statement makes.
pub(in crate::exec) fn own_schema(run: &mut BatchRun<'_>, schema: SchemaId, owner: Option<&str>) -> SqlResult<()> {
    owner::own_schema(&mut work_of(run), schema, owner)
}

/// Who makes a database owns it.
pub(in crate::exec) fn own_database(run: &mut BatchRun<'_>, id: DbId, name: &str) -> SqlResult<()> {
    let context = Arc::clone(&run.ctx.facts.security);
    if context.is_sa() || context.login.is_none() {
        return Ok(());
    }
    changing(run, name, |work| owner::own_database(work, id, &context.sid))
}

/// EXECUTE on a module of a database, when it is called.
pub(in crate::exec) fn check_call(session: &Session, database: DbId, object: ObjectId) -> SqlResult<()> {
    if needs::is_free_call(&session.engine, &session.facts.security, database, object) {
        return Ok(());
    }
    needs::check_call(&contexts::bare(session), database, object)
}

fn changing<T>(
    run: &mut BatchRun<'_>,
    object: &str,
    change: impl FnOnce(&mut Work<'_>) -> SqlResult<T>,
) -> SqlResult<T> {
    let mark = run.session.work.locks().mark();
    let done = objects::defining(run, object, |run| change(&mut work_of(run)));
    if done.is_err() {
        run.session.work.locks().release_since(mark);
    }
    done
}

fn work_of<'r>(run: &'r mut BatchRun<'_>) -> Work<'r> {
    Work { ctx: &run.ctx, session: &mut run.session.work }
}
