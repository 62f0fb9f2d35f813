//! `INFORMATION_SCHEMA.TABLE_PRIVILEGES` and `COLUMN_PRIVILEGES`: what was granted on tables and views to the current user or `public`,
//! or by that user.

use millpond_catalog::security::{Grant, GrantState, Of, PrincipalId};
use millpond_catalog::system_view::{Lead, Leads, ViewDef};
use millpond_catalog::{CatalogObject, Within};
use millpond_engine::context::RunContext;
use millpond_engine::inventory;
use millpond_message::error::SqlResult;

use crate::columns::{NVarChar, Sysname, VarChar, maybe, text};
use crate::information::tables::{SCHEMA, catalog_name};
use crate::row::{Rows, ViewRows, led_view, row};
use crate::security::SeenInDatabase;
use crate::security::grants::ordered;

row! {
    /// A row of `INFORMATION_SCHEMA.TABLE_PRIVILEGES`.
    struct TablePrivileges {
        GRANTOR: Option<NVarChar<128>>,
        GRANTEE: Option<NVarChar<128>>,
        TABLE_CATALOG: Option<Sysname>,
        TABLE_SCHEMA: Option<Sysname>,
        TABLE_NAME: Sysname,
        PRIVILEGE_TYPE: Option<VarChar<10>>,
        IS_GRANTABLE: Option<VarChar<3>>,
    }
}

/// `INFORMATION_SCHEMA.TABLE_PRIVILEGES`
pub static TABLE_PRIVILEGES: ViewDef = led_view(SCHEMA, "TABLE_PRIVILEGES", BY_TABLE, &ViewRows(table_privileges));

row! {
    /// A row of `INFORMATION_SCHEMA.COLUMN_PRIVILEGES`.
    struct ColumnPrivileges {
        GRANTOR: Option<NVarChar<128>>,
        GRANTEE: Option<NVarChar<128>>,
        TABLE_CATALOG: Option<Sysname>,
        TABLE_SCHEMA: Option<Sysname>,
        TABLE_NAME: Sysname,
        COLUMN_NAME: Option<Sysname>,
        PRIVILEGE_TYPE: Option<VarChar<10>>,
        IS_GRANTABLE: Option<VarChar<3>>,
    }
}

/// `INFORMATION_SCHEMA.COLUMN_PRIVILEGES`
pub static COLUMN_PRIVILEGES: ViewDef = led_view(SCHEMA, "COLUMN_PRIVILEGES", BY_TABLE, &ViewRows(column_privileges));

const BY_TABLE: Leads = &[("TABLE_NAME", Lead::Name)];

/// Grants on tables and views that have to do with the current user.
fn own_grants<R>(
    ctx: &RunContext,
    database: Within<'_>,
    row: impl Fn(&SeenInDatabase, &CatalogObject, &Grant) -> Option<R>,
) -> SqlResult<Vec<R>> {
    let Some(seen) = SeenInDatabase::of(ctx, database.database)? else { return Ok(Vec::new()) };
    let user = seen.0.token.user;
    let is_own = |grant: &&Grant| {
        grant.state != GrantState::Deny
            && (grant.grantee == PrincipalId::PUBLIC || grant.grantee == user || grant.grantor == user)
    };
    let mut rows = Vec::new();
    for object in inventory::among(ctx, database, &seen.0.objects) {
        if matches!(object.code(), "U" | "V") {
            let grants = seen.security().grants().on(Of::Object, object.id().0);
            rows.extend(ordered(grants.filter(is_own)).iter().filter_map(|grant| row(&seen, object, grant)));
        }
    }
    Ok(rows)
}

fn name_of(seen: &SeenInDatabase, id: PrincipalId) -> Option<NVarChar<128>> {
    maybe(seen.security().principal(id).map(|principal| &*principal.name))
}

fn grantable(grant: &Grant) -> Option<VarChar<3>> {
    Some(text(if grant.state == GrantState::GrantWithOption { "YES" } else { "NO" }))
}

fn table_privileges(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<TablePrivileges>> {
    let name = catalog_name(ctx, database);
    let rows = own_grants(ctx, database, |seen, object, grant| {
        let is_shown = grant.on.minor == 0
            && matches!(grant.permission.name, "SELECT" | "INSERT" | "UPDATE" | "DELETE" | "REFERENCES");
        is_shown.then(|| TablePrivileges {
            GRANTOR: name_of(seen, grant.grantor),
            GRANTEE: name_of(seen, grant.grantee),
            TABLE_CATALOG: name.clone(),
            TABLE_SCHEMA: Some(text(&object.schema().name)),
            TABLE_NAME: text(object.name()),
            PRIVILEGE_TYPE: Some(text(grant.permission.name)),
            IS_GRANTABLE: grantable(grant),
        })
    })?;
    Ok(rows.into_iter().collect())
}

fn column_privileges(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<ColumnPrivileges>> {
    let name = catalog_name(ctx, database);
    let rows = own_grants(ctx, database, |seen, object, grant| {
        let column = object.column_name(grant.on.minor)?;
        Some(ColumnPrivileges {
            GRANTOR: name_of(seen, grant.grantor),
            GRANTEE: name_of(seen, grant.grantee),
            TABLE_CATALOG: name.clone(),
            TABLE_SCHEMA: Some(text(&object.schema().name)),
            TABLE_NAME: text(object.name()),
            COLUMN_NAME: Some(text(column)),
            PRIVILEGE_TYPE: Some(text(grant.permission.name)),
            IS_GRANTABLE: grantable(grant),
        })
    })?;
    Ok(rows.into_iter().collect())
}
