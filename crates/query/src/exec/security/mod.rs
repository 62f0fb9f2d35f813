//! Statements on principals and permissions, and what each statement needs.
//!
//! ```text
//!   login, user, role ─┐
//!   grant ─────────────┼─▶ catalog::dictionary::change_security (rows and state, under one lock to the end of the transaction)
//!   owner ─────────────┘
//!   impersonate: EXECUTE AS and REVERT            needs: what a statement needs before it runs
//! ```
//! What always holds: a statement that is refused has changed nothing; a session that may not see a principal gets the same error as when
//! there is none (15151).

pub(in crate::exec) mod grant;
pub(in crate::exec) mod impersonate;
mod login;
pub(in crate::exec) mod new_object;
mod owner;
pub(in crate::exec) mod principal;
pub(in crate::exec) mod rights;
mod role;
mod securable;
pub(in crate::exec) mod statements;
mod user;

use std::sync::Arc;

use millpond_catalog::DatabaseObjects;
use millpond_catalog::dictionary::{Dictionary, SecurityChange, change_security, claim_security};
use millpond_catalog::security::{
    DatabaseSecurity, Of, Permission, PrincipalId, Rights, Securable, ServerSecurity, ServerToken,
};
use millpond_engine::security::{Access, access, server_of_statement};
use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::contract::DbId;

use crate::exec::batch::BatchRun;
use crate::exec::ddl::objects;

pub(in crate::exec) use owner::{alter_authorization, own_database, own_schema};
pub(in crate::exec) use principal::{drop_principal, principal};

/// 15151: what is named is not there, or must not be known to the session.
pub(in crate::exec) fn cannot(verb: &str, kind: &str, name: &str) -> SqlError {
    SqlError::of(15_151, 1, &[&verb, &kind, &name])
}

/// 15247
pub(in crate::exec) fn no_permission() -> SqlError {
    SqlError::of(15_247, 1, &[])
}

/// Work on security, all or nothing. A statement that fails keeps no lock: a login without rights blocks no other session, however
/// long its transaction is.
fn changing<T>(
    run: &mut BatchRun<'_>,
    object: &str,
    work: impl FnOnce(&mut BatchRun<'_>) -> SqlResult<T>,
) -> SqlResult<T> {
    let mark = run.session.work.locks().mark();
    let done = objects::defining(run, object, work);
    if done.is_err() {
        run.session.work.locks().release_since(mark);
    }
    done
}

/// Work on the security of the current database: no other session changes it to the end of the transaction.
pub(in crate::exec) struct InDatabase {
    pub dictionary: Arc<Dictionary>,
    pub access: Access,
}

impl InDatabase {
    /// Of the session's current database.
    ///
    /// # Errors
    /// 916, 1222, 1205.
    pub fn open(run: &mut BatchRun<'_>) -> SqlResult<InDatabase> {
        let database = run.ctx.facts.database;
        let dictionary = run.ctx.engine.databases().dictionary(database)?;
        objects::with_io(run, |io| claim_security(&dictionary, io))?;
        Ok(InDatabase { access: access(&run.ctx, database)?, dictionary })
    }

    pub fn objects(&self) -> &DatabaseObjects {
        &self.access.objects
    }

    pub fn security(&self) -> &DatabaseSecurity {
        &self.access.security
    }

    pub fn rights(&self) -> Rights<'_> {
        self.access.rights()
    }

    /// Whether the session has a permission of the database as a whole.
    pub fn may(&self, permission: &str) -> bool {
        self.access.may(permission)
    }

    /// The user that acts.
    pub fn user(&self) -> PrincipalId {
        self.access.token.user
    }

    /// Stores changes.
    pub fn change(&self, run: &mut BatchRun<'_>, changes: &[SecurityChange]) -> SqlResult<()> {
        objects::with_io(run, |io| change_security(&self.dictionary, io, changes))
    }
}

/// Work on the security of the server.
pub(in crate::exec) struct OnServer {
    pub master: Arc<Dictionary>,
    pub server: Arc<ServerSecurity>,
    pub token: Option<ServerToken>,
}

impl OnServer {
    /// # Errors
    /// 1222, 1205.
    pub fn open(run: &mut BatchRun<'_>) -> SqlResult<OnServer> {
        let master = run.ctx.engine.databases().dictionary(DbId::MASTER)?;
        objects::with_io(run, |io| claim_security(&master, io))?;
        let server = server_of_statement(&run.ctx)?;
        let token = run.ctx.facts.security.server_token(&server);
        Ok(OnServer { master, server, token })
    }

    /// Whether the session has a permission on the server.
    pub fn may(&self, permission: &str) -> bool {
        self.may_on(Permission::known(Of::Server, permission), Securable::SERVER)
    }

    /// Whether it has one on a login or role.
    pub fn may_on(&self, permission: &'static Permission, on: Securable) -> bool {
        self.token.as_ref().is_some_and(|token| token.may(&self.server, permission, on))
    }

    /// Stores changes.
    pub fn change(&self, run: &mut BatchRun<'_>, changes: &[SecurityChange]) -> SqlResult<()> {
        objects::with_io(run, |io| change_security(&self.master, io, changes))
    }
}

/// Bytes that cannot be guessed.
///
/// # Errors
/// 8630: the operating system gives none.
fn random_bytes<const N: usize>() -> SqlResult<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|cause| failed(&format!("no random numbers: {cause}")))?;
    Ok(bytes)
}

/// 8630: what needs random numbers or a hash found none.
fn failed(cause: &dyn std::fmt::Display) -> SqlError {
    SqlError::of(8630, 1, &[&cause])
}
