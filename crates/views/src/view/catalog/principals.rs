//! Schemas and principals: `sys.schemas`, `database_principals`, `server_principals`, `database_role_members`,
//! `sql_logins`, `extended_properties`. There is one login, `sa`, which owns everything.

use millpond_catalog::Within;
use millpond_catalog::principal;
use millpond_catalog::system_view::ViewDef;
use millpond_engine::context::RunContext;
use millpond_engine::inventory;
use millpond_message::error::SqlResult;
use millpond_types::DateTime;

use crate::view::columns::{Char, NVarChar, NVarCharMax, Sysname, VarBinary, bytes, datetime_of, maybe, text};
use crate::view::row::{Rows, ViewRows, row, view};

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
        let objects = inventory::definitions(ctx, database)?;
        let owner = |id: i32| if id <= 4 { id } else { 1 };
        let made = objects.schemas().map(|schema| Schemas {
            name: text(&schema.name),
            schema_id: schema.id.0,
            principal_id: Some(owner(schema.id.0)),
        });
        let roles =
            principal::roles().map(|(name, id)| Schemas { name: text(name), schema_id: id, principal_id: Some(id) });
        Ok(made.chain(roles).collect())
    }),
);

/// Users of every database: name, number, type, default schema, security identifier.
type Principal = (&'static str, i32, &'static str, Option<&'static str>, Option<&'static [u8]>);

const USERS: [Principal; 5] = [
    ("public", 0, "R", None, None),
    ("dbo", 1, "S", Some("dbo"), Some(&[1])),
    ("guest", 2, "S", Some("guest"), Some(&[0])),
    ("INFORMATION_SCHEMA", 3, "S", None, None),
    ("sys", 4, "S", None, None),
];

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

/// `sys.database_role_members`: `dbo` is of `db_owner`.
pub static DATABASE_ROLE_MEMBERS: ViewDef = view(
    "sys",
    "database_role_members",
    &ViewRows(|_, _| Ok(Rows::one(DatabaseRoleMembers { role_principal_id: 16384, member_principal_id: 1 }))),
);

row! {
    /// A row of `sys.server_principals`.
    struct ServerPrincipals {
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
        owning_principal_id: Option<i32>,
        is_fixed_role: bool,
    }
}

/// `sys.server_principals`
pub static SERVER_PRINCIPALS: ViewDef = view("sys", "server_principals", &ViewRows(server_principals));

row! {
    /// A row of `sys.extended_properties`.
    struct ExtendedProperties {
        class: u8,
        class_desc: Option<NVarChar<60>>,
        major_id: i32,
        minor_id: i32,
        name: Sysname,
        value: Option<NVarCharMax>,
    }
}

/// `sys.extended_properties`: none can be made.
pub static EXTENDED_PROPERTIES: ViewDef =
    view("sys", "extended_properties", &ViewRows::<ExtendedProperties>(|_, _| Ok(Rows::new())));

fn database_principals(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<DatabasePrincipals>> {
    let made = datetime_of(ctx.engine.instance().start_time().local_us());
    let row = |&(name, id, kind, schema, sid): &Principal, is_fixed: bool| {
        let is_role = kind == "R";
        let has_login = id == 1;
        DatabasePrincipals {
            name: text(name),
            principal_id: id,
            r#type: text(kind),
            type_desc: Some(text(if is_role { "DATABASE_ROLE" } else { "SQL_USER" })),
            default_schema_name: maybe(schema),
            create_date: made,
            modify_date: made,
            owning_principal_id: is_role.then_some(1),
            sid: sid.map(bytes),
            is_fixed_role: is_fixed,
            authentication_type: i32::from(has_login),
            authentication_type_desc: Some(text(if has_login { "INSTANCE" } else { "NONE" })),
            default_language_name: None,
            default_language_lcid: None,
            allow_encrypted_value_modifications: false,
        }
    };
    let users = USERS.iter().map(|user| row(user, false));
    Ok(users.chain(principal::roles().map(|(name, id)| row(&(name, id, "R", None, None), true))).collect())
}

const SERVER_PRINCIPALS_LIST: [(&str, i32, &str); 3] = [("sa", 1, "S"), ("public", 2, "R"), ("sysadmin", 3, "R")];

fn server_principals(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<ServerPrincipals>> {
    let made = datetime_of(ctx.engine.instance().start_time().local_us());
    let rows = SERVER_PRINCIPALS_LIST.iter().map(|&(name, id, kind)| {
        let is_login = kind == "S";
        ServerPrincipals {
            name: text(name),
            principal_id: id,
            sid: Some(bytes(&[id as u8])),
            r#type: text(kind),
            type_desc: Some(text(if is_login { "SQL_LOGIN" } else { "SERVER_ROLE" })),
            is_disabled: Some(false),
            create_date: made,
            modify_date: made,
            default_database_name: maybe(is_login.then_some("master")),
            default_language_name: maybe(is_login.then_some("us_english")),
            credential_id: None,
            owning_principal_id: (!is_login).then_some(1),
            is_fixed_role: name == "sysadmin",
        }
    });
    Ok(rows.collect())
}
