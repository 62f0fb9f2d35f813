//! Schemas and who there is: `sys.schemas`, `database_principals`, `server_principals`, `database_role_members`,
//! `sql_logins`, `extended_properties`. There is one login, `sa`, and it is everybody's owner.

use millpond_catalog::principal;
use millpond_catalog::system_view::ViewDef;
use millpond_catalog::{SystemColumn, Within};
use millpond_engine::context::RunContext;
use millpond_engine::inventory;
use millpond_message::error::SqlResult;
use millpond_types::Value;

use crate::view::ViewRows;
use crate::view::columns::{
    BIT, DATETIME, INT, SYSNAME, TINYINT, bit, bytes, col, int, maybe, moment, null, nvarchar, text, varbinary,
};

const CHAR1: millpond_types::SqlType = millpond_types::SqlType::char(1);

/// `sys.schemas`
pub static SCHEMAS: ViewDef = ViewDef {
    schema: "sys",
    name: "schemas",
    columns: &[col("name", SYSNAME), col("schema_id", INT), null("principal_id", INT)],
    rows: &ViewRows(|ctx, database| {
        let objects = inventory::definitions(ctx, database)?;
        let owner = |id: i32| if id <= 4 { id } else { 1 };
        let made = objects.schemas().map(|schema| vec![text(&schema.name), int(schema.id.0), int(owner(schema.id.0))]);
        let roles = principal::roles().map(|(name, id)| vec![text(name), int(id), int(id)]);
        Ok(made.chain(roles).collect())
    }),
};

/// Users of every database: name, number, type, default schema, security identifier.
type Principal = (&'static str, i32, &'static str, Option<&'static str>, Option<&'static [u8]>);

const USERS: [Principal; 5] = [
    ("public", 0, "R", None, None),
    ("dbo", 1, "S", Some("dbo"), Some(&[1])),
    ("guest", 2, "S", Some("guest"), Some(&[0])),
    ("INFORMATION_SCHEMA", 3, "S", None, None),
    ("sys", 4, "S", None, None),
];

/// `sys.database_principals`
pub static DATABASE_PRINCIPALS: ViewDef = ViewDef {
    schema: "sys",
    name: "database_principals",
    columns: &[
        col("name", SYSNAME),
        col("principal_id", INT),
        col("type", CHAR1),
        null("type_desc", nvarchar(60)),
        null("default_schema_name", SYSNAME),
        col("create_date", DATETIME),
        col("modify_date", DATETIME),
        null("owning_principal_id", INT),
        null("sid", varbinary(85)),
        col("is_fixed_role", BIT),
        col("authentication_type", INT),
        null("authentication_type_desc", nvarchar(60)),
        null("default_language_name", SYSNAME),
        null("default_language_lcid", INT),
        col("allow_encrypted_value_modifications", BIT),
    ],
    rows: &ViewRows(database_principals),
};

/// `sys.database_role_members`: `dbo` is of `db_owner`.
pub static DATABASE_ROLE_MEMBERS: ViewDef = ViewDef {
    schema: "sys",
    name: "database_role_members",
    columns: &[col("role_principal_id", INT), col("member_principal_id", INT)],
    rows: &ViewRows(|_, _| Ok(vec![vec![int(16384), int(1)]])),
};

const SERVER_COLUMNS: [SystemColumn; 13] = [
    col("name", SYSNAME),
    col("principal_id", INT),
    null("sid", varbinary(85)),
    col("type", CHAR1),
    null("type_desc", nvarchar(60)),
    null("is_disabled", BIT),
    col("create_date", DATETIME),
    col("modify_date", DATETIME),
    null("default_database_name", SYSNAME),
    null("default_language_name", SYSNAME),
    null("credential_id", INT),
    null("owning_principal_id", INT),
    col("is_fixed_role", BIT),
];

/// `sys.server_principals`
pub static SERVER_PRINCIPALS: ViewDef =
    ViewDef { schema: "sys", name: "server_principals", columns: &SERVER_COLUMNS, rows: &ViewRows(server_principals) };

/// `sys.extended_properties`: none can be made.
pub static EXTENDED_PROPERTIES: ViewDef = ViewDef {
    schema: "sys",
    name: "extended_properties",
    columns: &[
        col("class", TINYINT),
        null("class_desc", nvarchar(60)),
        col("major_id", INT),
        col("minor_id", INT),
        col("name", SYSNAME),
        null("value", crate::view::columns::NVARCHAR_MAX),
    ],
    rows: &ViewRows(|_, _| Ok(Vec::new())),
};

fn database_principals(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let made = moment(ctx.engine.instance().start_time().local_us());
    let row = |&(name, id, kind, schema, sid): &Principal, is_fixed: bool| {
        let is_role = kind == "R";
        let has_login = id == 1;
        vec![
            text(name),
            int(id),
            text(kind),
            text(if is_role { "DATABASE_ROLE" } else { "SQL_USER" }),
            maybe(schema),
            made.clone(),
            made.clone(),
            if is_role { int(1) } else { Value::Null },
            sid.map_or(Value::Null, bytes),
            bit(is_fixed),
            int(i32::from(has_login)),
            text(if has_login { "INSTANCE" } else { "NONE" }),
            Value::Null,
            Value::Null,
            bit(false),
        ]
    };
    let users = USERS.iter().map(|user| row(user, false));
    Ok(users.chain(principal::roles().map(|(name, id)| row(&(name, id, "R", None, None), true))).collect())
}

const SERVER_PRINCIPALS_LIST: [(&str, i32, &str); 3] = [("sa", 1, "S"), ("public", 2, "R"), ("sysadmin", 3, "R")];

fn server_principals(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let made = moment(ctx.engine.instance().start_time().local_us());
    let rows = SERVER_PRINCIPALS_LIST.iter().map(|&(name, id, kind)| {
        let is_login = kind == "S";
        vec![
            text(name),
            int(id),
            bytes(&[id as u8]),
            text(kind),
            text(if is_login { "SQL_LOGIN" } else { "SERVER_ROLE" }),
            bit(false),
            made.clone(),
            made.clone(),
            maybe(is_login.then_some("master")),
            maybe(is_login.then_some("us_english")),
            Value::Null,
            if is_login { Value::Null } else { int(1) },
            bit(name == "sysadmin"),
        ]
    });
    Ok(rows.collect())
}
