//! `sys.server_permissions` and `sys.database_permissions`.

use std::collections::{BTreeSet, HashMap};

use millpond_catalog::Within;
use millpond_catalog::security::{Grant, PrincipalId, Securable};
use millpond_catalog::system_view::ViewDef;
use millpond_engine::context::RunContext;
use millpond_message::error::SqlResult;

use super::{SeenInDatabase, SeenOnServer};
use crate::columns::{Char, NVarChar, text};
use crate::row::{Rows, ViewRows, row, view};

row! {
    /// A row of both views.
    struct ServerPermissions {
        class: u8,
        class_desc: Option<NVarChar<60>>,
        major_id: i32,
        minor_id: i32,
        grantee_principal_id: i32,
        grantor_principal_id: i32,
        r#type: Char<4>,
        permission_name: Option<NVarChar<128>>,
        state: Char<1>,
        state_desc: Option<NVarChar<60>>,
    }
}

/// `sys.server_permissions`
pub static SERVER_PERMISSIONS: ViewDef = view("sys", "server_permissions", &ViewRows(server_permissions));

/// `sys.database_permissions`
pub static DATABASE_PERMISSIONS: ViewDef = view("sys", "database_permissions", &ViewRows(database_permissions));

fn grant_row(grant: &Grant) -> ServerPermissions {
    let (letter, description) = grant.state.shown();
    ServerPermissions {
        class: u8::try_from(grant.on.of.number()).unwrap_or(u8::MAX),
        class_desc: Some(text(grant.on.of.description())),
        major_id: grant.on.major,
        minor_id: grant.on.minor,
        grantee_principal_id: grant.grantee.0,
        grantor_principal_id: grant.grantor.0,
        r#type: text(&format!("{:<4}", grant.permission.letters)),
        permission_name: Some(text(grant.permission.name)),
        state: text(letter),
        state_desc: Some(text(description)),
    }
}

/// In the order of the securable, the grantee and the permission.
pub(crate) fn ordered<'g>(grants: impl Iterator<Item = &'g Grant>) -> Vec<Grant> {
    let mut all: Vec<Grant> = grants.copied().collect();
    all.sort_by_key(|grant| {
        let on = grant.on;
        (on.of.number(), on.major, on.minor, grant.grantee, grant.permission.letters, grant.grantor)
    });
    all
}

/// What every server grants without a row: VIEW ANY DATABASE to `public`, CONNECT SQL to `sa`.
fn granted_by_nature() -> [Grant; 2] {
    [
        Grant::of_server("CONNECT SQL", PrincipalId::SA),
        Grant::of_server("VIEW ANY DATABASE", PrincipalId::SERVER_PUBLIC),
    ]
}

/// All grants of the server that the session may see.
pub(crate) fn on_server(seen: &SeenOnServer) -> Vec<Grant> {
    let said = seen.server.grants();
    let by_nature = granted_by_nature();
    let unsaid = by_nature
        .iter()
        .filter(|grant| said.said(&BTreeSet::from([grant.grantee]), Securable::SERVER, grant.permission).is_none());
    ordered(of_seen(said.iter().chain(unsaid), |id| seen.sees_id(id)))
}

/// The grants to principals that are seen; each is asked for once.
fn of_seen<'g>(
    grants: impl Iterator<Item = &'g Grant>,
    sees: impl Fn(PrincipalId) -> bool,
) -> impl Iterator<Item = &'g Grant> {
    let mut known = HashMap::new();
    grants.filter(move |grant| *known.entry(grant.grantee).or_insert_with(|| sees(grant.grantee)))
}

/// All grants of the database that the session may see.
pub fn in_database(seen: &SeenInDatabase) -> Vec<Grant> {
    ordered(of_seen(seen.security().grants().iter(), |id| seen.sees_id(id)))
}

fn server_permissions(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<ServerPermissions>> {
    Ok(on_server(&SeenOnServer::of(ctx)?).iter().map(grant_row).collect())
}

fn database_permissions(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<ServerPermissions>> {
    let Some(seen) = SeenInDatabase::of(ctx, database.database)? else { return Ok(Rows::new()) };
    Ok(in_database(&seen).iter().map(grant_row).collect())
}
