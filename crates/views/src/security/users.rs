//! `sys.schemas`, `database_principals`, `database_role_members`.

use millpond_catalog::Within;
use millpond_catalog::security::{PrincipalId, fixed_roles};
use millpond_catalog::system_view::ViewDef;
use millpond_engine::context::RunContext;
use millpond_engine::inventory;
use millpond_message::error::SqlResult;
use millpond_types::DateTime;
use millpond_types::temporal::Language;

use super::SeenInDatabase;
use super::logins::local_time;
use crate::columns::{Char, NVarChar, Sysname, VarBinary, bytes, maybe, text};
use crate::row::{Rows, ViewRows, row, view};

row! {
    /// A row of `sys.schemas`.
    struct Schemas {
        name: Sysname,
        schema_id: i32,
        principal_id: Option<i32>,
    }
}

/// `sys.schemas`
pub static SCHEMAS: ViewDef = view(
    "sys",
    "schemas",
    &ViewRows(|ctx, database| {
        let rows = schemas(ctx, database)?.into_iter().map(|schema| Schemas {
            name: text(&schema.name),
            schema_id: schema.id,
            principal_id: Some(schema.owner.0),
        });
        Ok(rows.collect())
    }),
);

/// A schema with its owner.
pub(crate) struct ShownSchema {
    pub name: String,
    pub id: i32,
    pub owner: PrincipalId,
    /// Name of the owner.
    pub owner_name: Option<String>,
}

/// All schemas of a database, those of fixed roles too.
pub(crate) fn schemas(ctx: &RunContext, database: Within<'_>) -> SqlResult<Vec<ShownSchema>> {
    let objects = inventory::definitions(ctx, database)?;
    let security = objects.security();
    let made = objects.schemas().map(|schema| (schema.name.to_string(), schema.id.0));
    let of_roles = fixed_roles().map(|(name, id)| (name.to_owned(), id));
    let shown = made.chain(of_roles).map(|(name, id)| {
        let owner = security.schema_owner(id);
        ShownSchema { name, id, owner, owner_name: security.principal(owner).map(|owner| owner.name.to_string()) }
    });
    Ok(shown.collect())
}

row! {
    /// A row of `sys.database_principals`.
    struct DatabasePrincipals {
        name: Sysname,
        principal_id: i32,
        r#type: Char<1>,
        type_desc: Option<NVarChar<60>>,
        default_schema_name: Option<Sysname>,
        create_date: DateTime,
        modify_date: DateTime,
        owning_principal_id: Option<i32>,
        sid: Option<VarBinary<85>>,
        is_fixed_role: bool,
        authentication_type: i32,
        authentication_type_desc: Option<NVarChar<60>>,
        default_language_name: Option<Sysname>,
        default_language_lcid: Option<i32>,
        allow_encrypted_value_modifications: bool,
    }
}

/// `sys.database_principals`
pub static DATABASE_PRINCIPALS: ViewDef = view("sys", "database_principals", &ViewRows(database_principals));

row! {
    /// A row of `sys.database_role_members`.
    struct DatabaseRoleMembers {
        role_principal_id: i32,
        member_principal_id: i32,
    }
}

/// `sys.database_role_members`
pub static DATABASE_ROLE_MEMBERS: ViewDef = view("sys", "database_role_members", &ViewRows(database_role_members));

fn database_principals(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<DatabasePrincipals>> {
    let Some(seen) = SeenInDatabase::of(ctx, database.database)? else { return Ok(Rows::new()) };
    let rows = seen.principals().map(|principal| {
        let (authentication, description) = principal.authentication.shown();
        DatabasePrincipals {
            name: text(&principal.name),
            principal_id: principal.id.0,
            r#type: text(principal.kind.letter()),
            type_desc: Some(text(principal.kind.description())),
            default_schema_name: maybe(principal.default_schema.as_deref()),
            create_date: local_time(ctx, principal.created_us),
            modify_date: local_time(ctx, principal.modified_us),
            owning_principal_id: principal.owner.map(|owner| owner.0),
            sid: principal.sid.as_deref().map(bytes),
            is_fixed_role: principal.id.is_fixed_role(),
            authentication_type: authentication,
            authentication_type_desc: Some(text(description)),
            default_language_name: principal.default_language.as_deref().map(text),
            default_language_lcid: principal.default_language.as_deref().and_then(lcid_of),
            allow_encrypted_value_modifications: false,
        }
    });
    Ok(rows.collect())
}

/// A user's own memberships; the others by VIEW DEFINITION of the database, which `db_securityadmin` has.
fn database_role_members(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<DatabaseRoleMembers>> {
    let shown = members(ctx, database)?;
    let rows = shown
        .into_iter()
        .map(|(role, member)| DatabaseRoleMembers { role_principal_id: role.0, member_principal_id: member.0 });
    Ok(rows.collect())
}

/// The memberships that the session may see: role, member.
pub(super) fn members(ctx: &RunContext, database: Within<'_>) -> SqlResult<Vec<(PrincipalId, PrincipalId)>> {
    let seen = SeenInDatabase::of(ctx, database.database)?;
    Ok(seen.as_ref().map(seen_members).unwrap_or_default())
}

/// The same of a database that is looked at already.
pub fn seen_members(seen: &SeenInDatabase) -> Vec<(PrincipalId, PrincipalId)> {
    let sees_all = seen.may("VIEW DEFINITION");
    let is_own = |member: &PrincipalId| seen.0.token.user == *member;
    seen.security().members().filter(|(_, member)| sees_all || is_own(member)).collect()
}

/// `default_language_lcid` of a language that is there.
fn lcid_of(language: &str) -> Option<i32> {
    Language::named(language).map(|language| language.facts().lcid)
}
