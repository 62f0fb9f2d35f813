//! `sys.server_principals`, `sql_logins`, `server_role_members`.

use millpond_catalog::Within;
use millpond_catalog::security::{PrincipalId, ServerPrincipal};
use millpond_catalog::system_view::ViewDef;
use millpond_engine::context::RunContext;
use millpond_engine::password;
use millpond_message::error::SqlResult;
use millpond_types::DateTime;

use super::SeenOnServer;
use crate::columns::{Char, NVarChar, Sysname, VarBinary, bytes, datetime_of, maybe, text};
use crate::row::{Rows, ViewRows, row, view};

row! {
    /// What both views have of a login.
    struct Principals {
        name: Sysname,
        principal_id: i32,
        sid: Option<VarBinary<85>>,
        r#type: Char<1>,
        type_desc: Option<NVarChar<60>>,
        is_disabled: Option<bool>,
        create_date: DateTime,
        modify_date: DateTime,
        default_database_name: Option<Sysname>,
        default_language_name: Option<Sysname>,
        credential_id: Option<i32>,
    }
}

row! {
    /// A row of `sys.server_principals`.
    struct ServerPrincipals {
        principal: Principals,
        owning_principal_id: Option<i32>,
        is_fixed_role: bool,
    }
}

/// `sys.server_principals`
pub static SERVER_PRINCIPALS: ViewDef = view("sys", "server_principals", &ViewRows(server_principals));

row! {
    /// A row of `sys.sql_logins`.
    struct SqlLogins {
        principal: Principals,
        is_policy_checked: Option<bool>,
        is_expiration_checked: Option<bool>,
        password_hash: Option<VarBinary<256>>,
    }
}

/// `sys.sql_logins`
pub static SQL_LOGINS: ViewDef = view("sys", "sql_logins", &ViewRows(sql_logins));

row! {
    /// A row of `sys.server_role_members`.
    struct ServerRoleMembers {
        role_principal_id: i32,
        member_principal_id: i32,
    }
}

/// `sys.server_role_members`
pub static SERVER_ROLE_MEMBERS: ViewDef = view("sys", "server_role_members", &ViewRows(server_role_members));

/// When a principal was made or altered; those that come with the server, at its start.
pub(crate) fn local_time(ctx: &RunContext, us: i64) -> DateTime {
    datetime_of(if us == 0 { ctx.engine.instance().start_time().local_us() } else { us })
}

fn principal_row(ctx: &RunContext, principal: &ServerPrincipal) -> Principals {
    let is_login = !principal.is_role;
    Principals {
        name: text(&principal.name),
        principal_id: principal.id.0,
        sid: Some(bytes(&principal.sid)),
        r#type: text(if is_login { "S" } else { "R" }),
        type_desc: Some(text(if is_login { "SQL_LOGIN" } else { "SERVER_ROLE" })),
        is_disabled: Some(principal.is_disabled),
        create_date: local_time(ctx, principal.created_us),
        modify_date: local_time(ctx, principal.modified_us),
        default_database_name: maybe(is_login.then_some(&*principal.default_database)),
        default_language_name: maybe(is_login.then_some(&*principal.default_language)),
        credential_id: None,
    }
}

fn server_principals(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<ServerPrincipals>> {
    let seen = SeenOnServer::of(ctx)?;
    let rows = seen.principals().map(|principal| ServerPrincipals {
        principal: principal_row(ctx, principal),
        owning_principal_id: principal.owner.map(|owner| owner.0),
        is_fixed_role: principal.id.is_fixed_server_role(),
    });
    Ok(rows.collect())
}

fn sql_logins(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<SqlLogins>> {
    let seen = SeenOnServer::of(ctx)?;
    let shows_hash = seen.may("CONTROL SERVER");
    let rows = seen.principals().filter(|principal| !principal.is_role).map(|login| {
        let hash = login.password_hash.as_deref().filter(|_| shows_hash);
        SqlLogins {
            principal: principal_row(ctx, login),
            is_policy_checked: Some(login.checks_policy),
            is_expiration_checked: Some(login.checks_expiration),
            password_hash: hash.map(|hash| bytes(&password::to_bytes(hash))),
        }
    });
    Ok(rows.collect())
}

/// A login's own memberships, those of fixed roles and of roles that it owns; the others by VIEW ANY DEFINITION or to
/// `securityadmin`.
fn server_role_members(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<ServerRoleMembers>> {
    let seen = SeenOnServer::of(ctx)?;
    let is = |id: PrincipalId| seen.token.as_ref().is_some_and(|token| token.is(id));
    let sees_all = is(PrincipalId::SECURITY_ADMIN) || seen.may("VIEW ANY DEFINITION");
    let owns = |role| seen.server.principal(role).and_then(|role| role.owner).is_some_and(is);
    let shown = seen.server.members().filter(|(role, member)| {
        sees_all
            || role.is_fixed_server_role()
            || seen.token.as_ref().is_some_and(|token| token.login == *member)
            || owns(*role)
    });
    let rows =
        shown.map(|(role, member)| ServerRoleMembers { role_principal_id: role.0, member_principal_id: member.0 });
    Ok(rows.collect())
}
