//! CREATE, ALTER and DROP of principals: which of the files beside this one has it.

use millpond_message as message;
use millpond_message::error::SqlResult;
use millpond_tsql::ast::{DropKind, DropObjects, Principal, PrincipalChange, PrincipalKind, PrincipalSource};

use crate::Work;
use crate::{login, role, user};

/// `CREATE|ALTER LOGIN|USER|ROLE|SERVER ROLE|APPLICATION ROLE name …`
///
/// # Errors
/// 15023, 15025, 15151, 15247 and their kin; 1222, 1205; the name of what is missing.
pub fn principal(work: &mut Work<'_>, statement: &Principal) -> SqlResult<()> {
    match &statement.change {
        PrincipalChange::Options { source: Some(PrincipalSource::Absent(what)), .. } => {
            let kind = if statement.kind == PrincipalKind::Login { "LOGIN" } else { "USER" };
            return Err(message::missing(&format!("CREATE {kind} … FROM {what}")));
        }
        PrincipalChange::Credential => return Err(message::missing("ALTER LOGIN … CREDENTIAL")),
        _ => {}
    }
    match statement.kind {
        PrincipalKind::Login => login::login(work, statement),
        PrincipalKind::User => user::user(work, statement),
        PrincipalKind::ApplicationRole => user::application_role(work, statement),
        PrincipalKind::Role => role::role(work, statement),
        PrincipalKind::ServerRole => role::server_role(work, statement),
    }
}

/// `DROP LOGIN|USER|ROLE|SERVER ROLE|APPLICATION ROLE [IF EXISTS] name`: one of its names.
///
/// # Errors
/// 15151 and what stands in the way of the drop; 1222, 1205.
pub fn drop_principal(work: &mut Work<'_>, statement: &DropObjects, name: &str) -> SqlResult<()> {
    match statement.kind {
        DropKind::Login => login::drop_login(work, name),
        DropKind::ServerRole => role::drop_server_role(work, name),
        DropKind::Role => role::drop_role(work, name, statement.if_exists),
        DropKind::ApplicationRole => user::drop_user(work, name, "application role", statement.if_exists),
        _ => user::drop_user(work, name, "user", statement.if_exists),
    }
}
