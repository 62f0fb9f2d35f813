//! Principals and permissions under their names of SQL Server 2000: `sysusers`, `sysmembers`, `sysprotects`, `syspermissions`, and `syslogins`, which is
//! master's.

use std::collections::BTreeMap;

use std::collections::BTreeSet;

use millpond_catalog::Within;
use millpond_catalog::security::{
    DatabasePrincipal, Grant, GrantState, Of, Permission, PrincipalId, Securable, UserKind,
};
use millpond_catalog::system_view::ViewDef;
use millpond_engine::context::RunContext;
use millpond_message::error::SqlResult;
use millpond_types::DateTime;

use super::logins::local_time;
use super::{SeenInDatabase, SeenOnServer, grants, users};
use crate::columns::{NVarChar, Sysname, VarBinary, VarChar, bytes, maybe, small, text};
use crate::row::{Rows, ViewRows, row, view};

/// Those that are found without a schema in every database.
pub(crate) static ALL: &[&ViewDef] = &[&SYSUSERS, &SYSMEMBERS, &SYSPROTECTS, &SYSPERMISSIONS, &SYSLOGINS];

row! {
    /// A row of `sys.sysusers`.
    struct Sysusers {
        uid: Option<i16>,
        status: Option<i16>,
        name: Sysname,
        sid: Option<VarBinary<85>>,
        roles: Option<VarBinary<2048>>,
        createdate: DateTime,
        updatedate: DateTime,
        altuid: Option<i16>,
        password: Option<VarBinary<256>>,
        gid: Option<i16>,
        environ: Option<VarChar<255>>,
        hasdbaccess: Option<i32>,
        islogin: Option<i32>,
        isntname: Option<i32>,
        isntgroup: Option<i32>,
        isntuser: Option<i32>,
        issqluser: Option<i32>,
        isaliased: Option<i32>,
        issqlrole: Option<i32>,
        isapprole: Option<i32>,
    }
}

/// `sysusers`
pub static SYSUSERS: ViewDef = view("sys", "sysusers", &ViewRows(sysusers));

row! {
    /// A row of `sys.sysmembers`.
    struct Sysmembers {
        memberuid: Option<i16>,
        groupuid: Option<i16>,
    }
}

/// `sysmembers`
pub static SYSMEMBERS: ViewDef = view("sys", "sysmembers", &ViewRows(sysmembers));

row! {
    /// A row of `sys.sysprotects`.
    struct Sysprotects {
        id: i32,
        uid: Option<i16>,
        action: Option<u8>,
        protecttype: Option<u8>,
        columns: Option<VarBinary<8000>>,
        grantor: Option<i16>,
    }
}

/// `sysprotects`
pub static SYSPROTECTS: ViewDef = view("sys", "sysprotects", &ViewRows(sysprotects));

row! {
    /// A row of `sys.syspermissions`.
    struct Syspermissions {
        id: i32,
        grantee: Option<i16>,
        grantor: Option<i16>,
        actadd: Option<i16>,
        actmod: Option<i16>,
        seladd: Option<VarBinary<4000>>,
        selmod: Option<VarBinary<4000>>,
        updadd: Option<VarBinary<4000>>,
        updmod: Option<VarBinary<4000>>,
        refadd: Option<VarBinary<4000>>,
        refmod: Option<VarBinary<4000>>,
    }
}

/// `syspermissions`: `…add` is what was granted, `…mod` what was denied, bits as PERMISSIONS() has them; of columns by their numbers.
pub static SYSPERMISSIONS: ViewDef = view("sys", "syspermissions", &ViewRows(syspermissions));

/// The bit of a permission as PERMISSIONS() has it.
fn bit_of(permission: &Permission) -> Option<i16> {
    const ON_OBJECTS: [&str; 6] = ["SELECT", "UPDATE", "REFERENCES", "INSERT", "DELETE", "EXECUTE"];
    const ON_DATABASES: [&str; 8] = [
        "CREATE DATABASE",
        "CREATE TABLE",
        "CREATE PROCEDURE",
        "CREATE VIEW",
        "CREATE RULE",
        "CREATE DEFAULT",
        "BACKUP DATABASE",
        "BACKUP LOG",
    ];
    let names: &[&str] = match permission.of {
        Of::Object => &ON_OBJECTS,
        Of::Database => &ON_DATABASES,
        _ => &[],
    };
    names.iter().position(|name| *name == permission.name).map(|place| 1 << place)
}

/// What was said of one object to one grantee by one grantor: all of it, and of columns, each granted and denied.
#[derive(Default)]
struct Said {
    actions: [i16; 2],
    /// SELECT, UPDATE, REFERENCES.
    columns: [[Option<Vec<u8>>; 2]; 3],
}

fn syspermissions(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<Syspermissions>> {
    let Some(seen) = SeenInDatabase::of(ctx, database.database)? else { return Ok(Rows::new()) };
    let mut said: BTreeMap<(i32, PrincipalId, PrincipalId), Said> = BTreeMap::new();
    for grant in grants::in_database(&seen) {
        let Some(bit) = bit_of(grant.permission) else { continue };
        let known = said.entry((grant.on.major, grant.grantee, grant.grantor)).or_default();
        let side = usize::from(grant.state == GrantState::Deny);
        match ["SELECT", "UPDATE", "REFERENCES"].iter().position(|name| *name == grant.permission.name) {
            Some(place) if grant.on.minor != 0 => {
                set_bit(known.columns[place][side].get_or_insert_default(), grant.on.minor);
            }
            _ => known.actions[side] |= bit,
        }
    }
    let rows = said.into_iter().map(|((id, grantee, grantor), said)| {
        let [select, update, refer] = said.columns.map(|sides| sides.map(|bits| bits.as_deref().map(bytes)));
        let ([seladd, selmod], [updadd, updmod], [refadd, refmod]) = (select, update, refer);
        Syspermissions {
            id,
            grantee: Some(small(grantee.0)),
            grantor: Some(small(grantor.0)),
            actadd: Some(said.actions[0]),
            actmod: Some(said.actions[1]),
            seladd,
            selmod,
            updadd,
            updmod,
            refadd,
            refmod,
        }
    });
    Ok(rows.collect())
}

row! {
    /// A row of `sys.syslogins`.
    struct Syslogins {
        sid: Option<VarBinary<85>>,
        status: Option<i16>,
        createdate: DateTime,
        updatedate: DateTime,
        accdate: DateTime,
        totcpu: Option<i32>,
        totio: Option<i32>,
        spacelimit: Option<i32>,
        timelimit: Option<i32>,
        resultlimit: Option<i32>,
        name: Sysname,
        dbname: Option<Sysname>,
        password: Option<NVarChar<128>>,
        language: Option<Sysname>,
        denylogin: Option<i32>,
        hasaccess: Option<i32>,
        isntname: Option<i32>,
        isntgroup: Option<i32>,
        isntuser: Option<i32>,
        sysadmin: Option<i32>,
        securityadmin: Option<i32>,
        serveradmin: Option<i32>,
        setupadmin: Option<i32>,
        processadmin: Option<i32>,
        diskadmin: Option<i32>,
        dbcreator: Option<i32>,
        bulkadmin: Option<i32>,
        loginname: NVarChar<128>,
    }
}

/// `syslogins`
pub static SYSLOGINS: ViewDef = view("sys", "syslogins", &ViewRows(syslogins));

fn flag(holds: bool) -> Option<i32> {
    Some(i32::from(holds))
}

fn sysusers(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<Sysusers>> {
    let Some(seen) = SeenInDatabase::of(ctx, database.database)? else { return Ok(Rows::new()) };
    let connect = Permission::known(Of::Database, "CONNECT");
    let connects = |id: PrincipalId| {
        let said = seen.security().grants().said(&BTreeSet::from([id]), Securable::DATABASE, connect);
        said.is_some_and(GrantState::allows)
    };
    Ok(seen.principals().map(|user| user_row(ctx, user, connects(user.id))).collect())
}

fn user_row(ctx: &RunContext, user: &DatabasePrincipal, connects: bool) -> Sysusers {
    let is_user = user.kind == UserKind::User;
    Sysusers {
        uid: Some(small(user.id.0)),
        status: Some(0),
        name: text(&user.name),
        sid: user.sid.as_deref().map(bytes),
        roles: None,
        createdate: local_time(ctx, user.created_us),
        updatedate: local_time(ctx, user.modified_us),
        altuid: user.owner.map(|owner| small(owner.0)),
        password: None,
        gid: Some(if is_user { 0 } else { small(user.id.0) }),
        environ: None,
        hasdbaccess: flag(connects),
        islogin: flag(is_user),
        isntname: Some(0),
        isntgroup: Some(0),
        isntuser: Some(0),
        issqluser: flag(is_user),
        isaliased: Some(0),
        issqlrole: flag(user.kind == UserKind::Role),
        isapprole: flag(user.kind == UserKind::ApplicationRole),
    }
}

fn sysmembers(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<Sysmembers>> {
    let shown = users::members(ctx, database)?.into_iter();
    let rows =
        shown.map(|(role, member)| Sysmembers { memberuid: Some(small(member.0)), groupuid: Some(small(role.0)) });
    Ok(rows.collect())
}

/// `action` of the permissions that SQL Server 2000 had.
pub(crate) fn action_of(permission: &Permission) -> Option<u8> {
    const ON_OBJECTS: [(&str, u8); 6] =
        [("REFERENCES", 26), ("SELECT", 193), ("INSERT", 195), ("DELETE", 196), ("UPDATE", 197), ("EXECUTE", 224)];
    const ON_DATABASES: [(&str, u8); 9] = [
        ("CREATE FUNCTION", 178),
        ("CREATE TABLE", 198),
        ("CREATE DATABASE", 203),
        ("CREATE VIEW", 207),
        ("CREATE PROCEDURE", 222),
        ("BACKUP DATABASE", 228),
        ("CREATE DEFAULT", 233),
        ("BACKUP LOG", 235),
        ("CREATE RULE", 236),
    ];
    let list: &[(&str, u8)] = match permission.of {
        Of::Object => &ON_OBJECTS,
        Of::Database => &ON_DATABASES,
        _ => &[],
    };
    list.iter().find(|(name, _)| *name == permission.name).map(|(_, action)| *action)
}

/// Object, grantee, action, type of protection, grantor.
type Protection = (i32, PrincipalId, u8, u8, PrincipalId);

/// One row for the columns of a permission together: bit 0 stands for all of them.
fn sysprotects(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<Sysprotects>> {
    let Some(seen) = SeenInDatabase::of(ctx, database.database)? else { return Ok(Rows::new()) };
    let mut protections: BTreeMap<Protection, Option<Vec<u8>>> = BTreeMap::new();
    for grant in grants::in_database(&seen) {
        let Some(action) = action_of(grant.permission) else { continue };
        let key = (grant.on.major, grant.grantee, action, protection_of(&grant), grant.grantor);
        let bits = protections.entry(key).or_default();
        if grant.on.of == Of::Object && matches!(grant.permission.name, "SELECT" | "UPDATE" | "REFERENCES") {
            set_bit(bits.get_or_insert_default(), grant.on.minor);
        }
    }
    let rows = protections.into_iter().map(|((id, uid, action, protecttype, grantor), columns)| Sysprotects {
        id,
        uid: Some(small(uid.0)),
        action: Some(action),
        protecttype: Some(protecttype),
        columns: columns.as_deref().map(bytes),
        grantor: Some(small(grantor.0)),
    });
    Ok(rows.collect())
}

fn protection_of(grant: &Grant) -> u8 {
    match grant.state {
        GrantState::GrantWithOption => 204,
        GrantState::Grant => 205,
        GrantState::Deny => 206,
    }
}

fn set_bit(bits: &mut Vec<u8>, number: i32) {
    let number = usize::try_from(number).unwrap_or(0);
    if bits.len() <= number / 8 {
        bits.resize(number / 8 + 1, 0);
    }
    bits[number / 8] |= 1 << (number % 8);
}

fn syslogins(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<Syslogins>> {
    let seen = SeenOnServer::of(ctx)?;
    let connect = Permission::known(Of::Server, "CONNECT SQL");
    let rows = seen.principals().filter(|principal| !principal.is_role).map(|login| {
        let said = seen.server.grants().said(&BTreeSet::from([login.id]), Securable::SERVER, connect);
        let said = if login.id == PrincipalId::SA { Some(GrantState::Grant) } else { said };
        let has_access = said.is_some_and(GrantState::allows);
        let is_in = |role: i32| flag(seen.server.is_member(login.id, PrincipalId(role)));
        Syslogins {
            sid: Some(bytes(&login.sid)),
            status: Some(if has_access { 9 } else { 10 }),
            createdate: local_time(ctx, login.created_us),
            updatedate: local_time(ctx, login.modified_us),
            accdate: local_time(ctx, login.created_us),
            totcpu: Some(0),
            totio: Some(0),
            spacelimit: Some(0),
            timelimit: Some(0),
            resultlimit: Some(0),
            name: text(&login.name),
            dbname: maybe(Some(&login.default_database)),
            password: None,
            language: maybe(Some(&login.default_language)),
            denylogin: flag(said == Some(GrantState::Deny)),
            hasaccess: flag(has_access),
            isntname: Some(0),
            isntgroup: Some(0),
            isntuser: Some(0),
            sysadmin: is_in(3),
            securityadmin: is_in(4),
            serveradmin: is_in(5),
            setupadmin: is_in(6),
            processadmin: is_in(7),
            diskadmin: is_in(8),
            dbcreator: is_in(9),
            bulkadmin: is_in(10),
            loginname: text(&login.name),
        }
    });
    Ok(rows.collect())
}
