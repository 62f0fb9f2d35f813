//! A statement's work on the security of the server or of a database.
//!
//! What always holds: who opens [`InDatabase`] or [`OnServer`] has the security to itself to the end of the transaction.

use std::sync::Arc;

use millpond_catalog::DatabaseObjects;
use millpond_catalog::dictionary::{Dictionary, Io, SecurityChange, change_security, claim_security};
use millpond_catalog::security::{
    DatabaseSecurity, Of, Permission, PrincipalId, Rights, Securable, ServerSecurity, ServerToken,
};
use millpond_engine::context::RunContext;
use millpond_engine::security::{Access, access, server_of_statement};
use millpond_message::error::SqlResult;
use millpond_storage::contract::DbId;
use millpond_txn::SessionWork;

/// What a statement on principals and permissions has: who runs it and where, and the transaction that it is part of.
pub struct Work<'r> {
    /// What the statement sees.
    pub ctx: &'r RunContext,
    /// The session's transaction.
    pub session: &'r mut SessionWork,
}

impl Work<'_> {
    /// Changes rows of the system tables in this session's name.
    pub(crate) fn with_io<T>(&mut self, change: impl FnOnce(&mut Io<'_, '_>) -> SqlResult<T>) -> SqlResult<T> {
        let ask = self.ctx.ask_other();
        change(&mut Io { work: self.session, ask: &ask })
    }
}

/// Work on the security of the current database: no other session changes it to the end of the transaction.
pub(crate) struct InDatabase {
    pub dictionary: Arc<Dictionary>,
    pub access: Access,
}

impl InDatabase {
    /// Of the session's current database.
    ///
    /// # Errors
    /// 916, 1222, 1205.
    pub fn open(work: &mut Work<'_>) -> SqlResult<InDatabase> {
        let database = work.ctx.facts.database;
        let dictionary = work.ctx.engine.databases().dictionary(database)?;
        work.with_io(|io| claim_security(&dictionary, io))?;
        Ok(InDatabase { access: access(work.ctx, database)?, dictionary })
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
    pub fn change(&self, work: &mut Work<'_>, changes: &[SecurityChange]) -> SqlResult<()> {
        work.with_io(|io| change_security(&self.dictionary, io, changes))
    }
}

/// Work on the security of the server.
pub(crate) struct OnServer {
    pub master: Arc<Dictionary>,
    pub server: Arc<ServerSecurity>,
    pub token: Option<ServerToken>,
}

impl OnServer {
    /// # Errors
    /// 1222, 1205.
    pub fn open(work: &mut Work<'_>) -> SqlResult<OnServer> {
        let master = work.ctx.engine.databases().dictionary(DbId::MASTER)?;
        work.with_io(|io| claim_security(&master, io))?;
        let server = server_of_statement(work.ctx)?;
        let token = work.ctx.facts.security.server_token(&server);
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
    pub fn change(&self, work: &mut Work<'_>, changes: &[SecurityChange]) -> SqlResult<()> {
        work.with_io(|io| change_security(&self.master, io, changes))
    }
}
