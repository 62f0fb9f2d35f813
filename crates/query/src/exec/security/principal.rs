//! CREATE, ALTER and DROP of principals: which of the files beside this one has it.

use millpond_message as message;
use millpond_message::error::SqlResult;
use millpond_tsql::ast::{DropKind, DropObjects, Principal, PrincipalChange, PrincipalKind, PrincipalSource};

use super::{login, role, user};
use crate::exec::batch::BatchRun;

/// `CREATE|ALTER LOGIN|USER|ROLE|SERVER ROLE|APPLICATION ROLE name …`
pub(in crate::exec) fn principal(run: &mut BatchRun<'_>, statement: &Principal) -> SqlResult<()> {
    match &statement.change {
        PrincipalChange::Options { source: Some(PrincipalSource::Absent(what)), .. } => {
            let kind = if statement.kind == PrincipalKind::Login { "LOGIN" } else { "USER" };
            return Err(message::missing(&format!("CREATE {kind} … FROM {what}")));
        }
        PrincipalChange::Credential => return Err(message::missing("ALTER LOGIN … CREDENTIAL")),
        _ => {}
    }
    super::changing(run, &statement.name, |run| match statement.kind {
        PrincipalKind::Login => login::login(run, statement),
        PrincipalKind::User => user::user(run, statement),
        PrincipalKind::ApplicationRole => user::application_role(run, statement),
        PrincipalKind::Role => role::role(run, statement),
        PrincipalKind::ServerRole => role::server_role(run, statement),
    })
}

/// `DROP LOGIN|USER|ROLE|SERVER ROLE|APPLICATION ROLE [IF EXISTS] name`
pub(in crate::exec) fn drop_principal(run: &mut BatchRun<'_>, statement: &DropObjects) -> SqlResult<()> {
    for name in &statement.names {
        let name = name.last();
        super::changing(run, name, |run| match statement.kind {
            DropKind::Login => login::drop_login(run, name),
            DropKind::ServerRole => role::drop_server_role(run, name),
            DropKind::Role => role::drop_role(run, name, statement.if_exists),
            DropKind::ApplicationRole => user::drop_user(run, name, "application role", statement.if_exists),
            _ => user::drop_user(run, name, "user", statement.if_exists),
        })?;
    }
    Ok(())
}
