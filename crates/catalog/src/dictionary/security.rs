//! Principals, members, grants and owners as rows of the system tables, and back.
//!
//! What always holds: one transaction at a time changes the security of a database, under a lock of all of it to its end. What there
//! was before stands beside the new state until then (`SecurityBefore`), so who asks what a principal may do never waits and never
//! sees what may be rolled back. A rollback reads all of it again.

use std::sync::Arc;

use millpond_message::error::SqlResult;
use millpond_storage::contract::DbId;
use millpond_txn::Resource;
use millpond_txn::lock::LockMode;
use millpond_types::Value;

use super::codec::{Reading, Row, damaged};
use super::properties::{self, PropertyClass};
use super::tables::SystemTable;
use super::{Dictionary, Io, names, shipped};
use crate::security::{
    Authentication, DatabasePrincipal, DatabaseSecurity, Grant, GrantState, Of, Permission, PrincipalId, Securable,
    ServerPrincipal, ServerSecurity, Sid, UserKind,
};
use crate::{DatabaseObjects, ObjectId, SchemaId};

/// A change of the security of a database, or of the server when the database is master.
#[derive(Clone, Debug)]
pub enum SecurityChange {
    /// A user or role is made or becomes this.
    PutUser(DatabasePrincipal),
    /// A user or role goes, with its memberships and grants.
    DropUser(PrincipalId),
    /// A login or role of the server is made or becomes this.
    PutLogin(ServerPrincipal),
    /// A login or role of the server goes, with its memberships and grants.
    DropLogin(PrincipalId),
    /// `member` becomes one of `role`.
    PutMember {
        /// Whether both are of the server.
        of_server: bool,
        /// Role
        role: PrincipalId,
        /// Member
        member: PrincipalId,
    },
    /// `member` is none of `role` any more.
    DropMember {
        /// Whether both are of the server.
        of_server: bool,
        /// Role
        role: PrincipalId,
        /// Member
        member: PrincipalId,
    },
    /// Granted or denied.
    PutGrant(Grant),
    /// Neither any more.
    DropGrant(Grant),
    /// Another owner; `None`: the one that follows from the rest.
    Owner {
        /// Class
        of: Of,
        /// Number
        major: i32,
        /// Owner
        owner: Option<PrincipalId>,
    },
    /// Another login owns the database.
    OwnerSid(Sid),
}

/// Scope of rows that are the server's.
const SERVER: i32 = 1;
/// Scope of rows that are the database's.
const DATABASE: i32 = 0;

const DISABLED: i32 = 1;
const CHECKS_POLICY: i32 = 2;
const CHECKS_EXPIRATION: i32 = 4;
const MUST_CHANGE: i32 = 8;

/// Has the security of a database alone, to the end of the transaction: what is read of it from here on stays.
///
/// # Errors
/// 1222, 1205
pub fn claim(dictionary: &Dictionary, io: &mut Io<'_, '_>) -> SqlResult<()> {
    let resource = Resource::metadata(dictionary.database(), names::SECURITY, 0);
    names::lock(dictionary, io, resource, "security", LockMode::SchM)
}

/// Changes the security of a database: its rows under the transaction, its state at once.
///
/// # Errors
/// 1222, 1205, and what the rows' change gives.
pub fn change(dictionary: &Dictionary, io: &mut Io<'_, '_>, changes: &[SecurityChange]) -> SqlResult<()> {
    claim(dictionary, io)?;
    io.note_catalog_change((dictionary.database(), dictionary.name()), super::SECURITY_EVENT as u32)?;
    for change in changes {
        store(dictionary, io, change)?;
    }
    replace(dictionary, io, |objects| {
        let (mut security, mut server) = ((**objects.security()).clone(), (**objects.server()).clone());
        changes.iter().for_each(|change| apply(&mut security, &mut server, change));
        objects.put_security(security);
        objects.put_server(server);
    });
    Ok(())
}

/// An object, schema or type is gone, and with it what was said of it.
pub(super) fn forget(dictionary: &Dictionary, io: &mut Io<'_, '_>, of: Of, major: i32) -> SqlResult<()> {
    let objects = dictionary.catalog().objects();
    let security = objects.security();
    if security.said_owner(of, major).is_none() && security.grants().on(of, major).next().is_none() {
        return Ok(());
    }
    claim(dictionary, io)?;
    io.note_catalog_change((dictionary.database(), dictionary.name()), super::SECURITY_EVENT as u32)?;
    dictionary.trees.erase(io, SystemTable::Permissions, &[of.stored(), major])?;
    dictionary.trees.erase(io, SystemTable::Owners, &[of.stored(), major])?;
    replace(dictionary, io, |objects| {
        let mut security = (**objects.security()).clone();
        security.forget(of, major);
        objects.put_security(security);
    });
    Ok(())
}

/// Puts another state in the place of the one that is there, which all other sessions see until the transaction has ended.
fn replace(dictionary: &Dictionary, io: &mut Io<'_, '_>, put: impl FnOnce(&mut DatabaseObjects)) {
    let transaction = io.work.assign_number();
    dictionary.catalog().change(|objects| {
        objects.begin_security_change(transaction);
        put(objects);
    });
}

fn apply(security: &mut DatabaseSecurity, server: &mut ServerSecurity, change: &SecurityChange) {
    match change {
        SecurityChange::PutUser(user) => security.put_principal(Arc::new(user.clone())),
        SecurityChange::DropUser(id) => security.remove_principal(*id),
        SecurityChange::PutLogin(login) => server.put_principal(Arc::new(login.clone())),
        SecurityChange::DropLogin(id) => server.remove_principal(*id),
        SecurityChange::PutMember { of_server: true, role, member } => server.put_member(*role, *member),
        SecurityChange::PutMember { of_server: false, role, member } => security.put_member(*role, *member),
        SecurityChange::DropMember { of_server: true, role, member } => server.remove_member(*role, *member),
        SecurityChange::DropMember { of_server: false, role, member } => security.remove_member(*role, *member),
        SecurityChange::PutGrant(grant) if grant.on.of.is_of_server() => server.put_grant(*grant),
        SecurityChange::PutGrant(grant) => security.put_grant(*grant),
        SecurityChange::DropGrant(gone) if gone.on.of.is_of_server() => server.remove_grants(|grant| grant == gone),
        SecurityChange::DropGrant(gone) => security.remove_grants(|grant| grant == gone),
        SecurityChange::Owner { of, major, owner } => security.put_owner(of.number(), *major, *owner),
        SecurityChange::OwnerSid(sid) => security.set_owner_sid(Arc::clone(sid)),
    }
}

fn store(dictionary: &Dictionary, io: &mut Io<'_, '_>, change: &SecurityChange) -> SqlResult<()> {
    let trees = &dictionary.trees;
    match change {
        SecurityChange::PutUser(user) => trees.replace(io, &user_row(user)),
        SecurityChange::PutLogin(login) => trees.replace(io, &login_row(login)),
        SecurityChange::DropUser(id) => {
            properties::forget(dictionary, io, PropertyClass::Principal, id.0)?;
            drop_principal(dictionary, io, DATABASE, *id)
        }
        SecurityChange::DropLogin(id) => drop_principal(dictionary, io, SERVER, *id),
        SecurityChange::PutMember { of_server, role, member } => {
            let row = [i32::from(*of_server), role.0, member.0];
            trees.replace(io, &(SystemTable::Members, row.map(Value::Int).to_vec()))
        }
        SecurityChange::DropMember { of_server, role, member } => {
            trees.erase(io, SystemTable::Members, &[i32::from(*of_server), role.0, member.0])
        }
        SecurityChange::PutGrant(grant) => trees.replace(io, &grant_row(grant)),
        SecurityChange::DropGrant(grant) => trees.remove(io, &grant_row(grant)),
        SecurityChange::Owner { of, major, owner: None } => {
            trees.erase(io, SystemTable::Owners, &[of.stored(), *major])
        }
        SecurityChange::Owner { of, major, owner: Some(owner) } => {
            let row = vec![Value::Int(of.stored()), Value::Int(*major), Value::Int(owner.0), Value::Null];
            trees.replace(io, &(SystemTable::Owners, row))
        }
        SecurityChange::OwnerSid(sid) => {
            let of = Of::Database.stored();
            let row = vec![Value::Int(of), Value::Int(0), Value::Int(PrincipalId::DBO.0), binary(Some(sid))];
            trees.replace(io, &(SystemTable::Owners, row))
        }
    }
}

fn drop_principal(dictionary: &Dictionary, io: &mut Io<'_, '_>, scope: i32, id: PrincipalId) -> SqlResult<()> {
    let trees = &dictionary.trees;
    trees.erase(io, SystemTable::Principals, &[scope, id.0])?;
    for row in trees.rows(io, SystemTable::Members, &[scope])? {
        let (role, member) = (Reading(&row).int(1)?, Reading(&row).int(2)?);
        if role == id.0 || member == id.0 {
            trees.erase(io, SystemTable::Members, &[scope, role, member])?;
        }
    }
    for row in trees.rows(io, SystemTable::Permissions, &[])? {
        let grant = grant_of(&row)?;
        let is_of_it = grant.on.major == id.0
            && (grant.on.of.number() == if scope == SERVER { Of::Login.number() } else { Of::User.number() });
        if grant.on.of.is_of_server() == (scope == SERVER) && (grant.grantee == id || is_of_it) {
            trees.remove(io, &(SystemTable::Permissions, row))?;
        }
    }
    Ok(())
}

/// All security of a database, as its rows say now; in master that of the server too.
pub(super) fn load(dictionary: &Dictionary, io: &mut Io<'_, '_>) -> SqlResult<()> {
    let (mut security, mut server) = (DatabaseSecurity::new(), ServerSecurity::new());
    let trees = &dictionary.trees;
    if matches!(dictionary.database(), DbId::MASTER | DbId::TEMPDB | DbId::MSDB) {
        // `guest` may connect there, and no statement can change that.
        security.put_grant(Grant::of_database("CONNECT", PrincipalId::GUEST));
    }
    for row in trees.rows(io, SystemTable::Principals, &[])? {
        match Reading(&row).int(0)? {
            SERVER => server.put_principal(Arc::new(login_of(&row)?)),
            _ => security.put_principal(Arc::new(user_of(&row)?)),
        }
    }
    for row in trees.rows(io, SystemTable::Members, &[])? {
        let (role, member) = (PrincipalId(Reading(&row).int(1)?), PrincipalId(Reading(&row).int(2)?));
        match Reading(&row).int(0)? {
            SERVER => server.put_member(role, member),
            _ => security.put_member(role, member),
        }
    }
    shipped::put_security(dictionary, &mut security);
    for row in trees.rows(io, SystemTable::Permissions, &[])? {
        let grant = grant_of(&row)?;
        if grant.on.of.is_of_server() { server.put_grant(grant) } else { security.put_grant(grant) }
    }
    for row in trees.rows(io, SystemTable::Owners, &[])? {
        let of = Of::of_stored(Reading(&row).int(0)?).ok_or_else(|| damaged("an owner is of no class"))?;
        match bytes(&row, 3) {
            Some(sid) if of == Of::Database => security.set_owner_sid(sid),
            _ => security.put_owner(of.number(), Reading(&row).int(1)?, Some(PrincipalId(Reading(&row).int(2)?))),
        }
    }
    dictionary.catalog().change(|objects| {
        objects.put_security(security);
        objects.put_server(server);
    });
    Ok(())
}

fn binary(bytes: Option<&Sid>) -> Value {
    bytes.map_or(Value::Null, |bytes| Value::Binary(bytes.as_ref().into()))
}

fn bytes(row: &[Value], column: usize) -> Option<Sid> {
    match row.get(column) {
        Some(Value::Binary(bytes)) => Some(Arc::from(bytes.as_ref())),
        _ => None,
    }
}

fn optional(text: Option<&Arc<str>>) -> Value {
    text.map_or(Value::Null, |text| Value::str(text))
}

fn user_row(user: &DatabasePrincipal) -> Row {
    let row = vec![
        Value::Int(DATABASE),
        Value::Int(user.id.0),
        Value::str(&user.name),
        Value::str(user.kind.letter()),
        binary(user.sid.as_ref()),
        optional(user.default_schema.as_ref()),
        optional(user.default_language.as_ref()),
        user.owner.map_or(Value::Null, |owner| Value::Int(owner.0)),
        Value::Int(user.authentication.shown().0),
        optional(user.password_hash.as_ref()),
        Value::Int(0),
        Value::BigInt(0),
        Value::BigInt(user.created_us),
        Value::BigInt(user.modified_us),
    ];
    (SystemTable::Principals, row)
}

fn user_of(values: &[Value]) -> SqlResult<DatabasePrincipal> {
    let row = Reading(values);
    let kind = UserKind::of_letter(row.text(3)?.trim_end()).ok_or_else(|| damaged("a principal is of no kind"))?;
    let authentication = Authentication::of_number(row.int(8)?);
    Ok(DatabasePrincipal {
        id: PrincipalId(row.int(1)?),
        name: Arc::from(row.text(2)?),
        kind,
        sid: bytes(values, 4),
        default_schema: row.optional(5).map(Arc::from),
        default_language: row.optional(6).map(Arc::from),
        owner: row.int(7).ok().map(PrincipalId),
        authentication: authentication.ok_or_else(|| damaged("a user proves itself in no known way"))?,
        password_hash: row.optional(9).map(Arc::from),
        created_us: row.long(12)?,
        modified_us: row.long(13)?,
    })
}

fn login_row(login: &ServerPrincipal) -> Row {
    let flags = [
        (login.is_disabled, DISABLED),
        (login.checks_policy, CHECKS_POLICY),
        (login.checks_expiration, CHECKS_EXPIRATION),
        (login.must_change, MUST_CHANGE),
    ];
    let row = vec![
        Value::Int(SERVER),
        Value::Int(login.id.0),
        Value::str(&login.name),
        Value::str(if login.is_role { "R" } else { "S" }),
        binary(Some(&login.sid)),
        Value::str(&login.default_database),
        Value::str(&login.default_language),
        login.owner.map_or(Value::Null, |owner| Value::Int(owner.0)),
        Value::Int(Authentication::Instance.shown().0),
        optional(login.password_hash.as_ref()),
        Value::Int(flags.into_iter().map(|(is_set, bit)| i32::from(is_set) * bit).sum()),
        Value::BigInt(login.password_set_us),
        Value::BigInt(login.created_us),
        Value::BigInt(login.modified_us),
    ];
    (SystemTable::Principals, row)
}

fn login_of(values: &[Value]) -> SqlResult<ServerPrincipal> {
    let row = Reading(values);
    let flags = row.int(10)?;
    Ok(ServerPrincipal {
        id: PrincipalId(row.int(1)?),
        name: Arc::from(row.text(2)?),
        is_role: row.text(3)?.trim_end() == "R",
        sid: bytes(values, 4).ok_or_else(|| damaged("a login has no security identifier"))?,
        is_disabled: flags & DISABLED != 0,
        default_database: Arc::from(row.text(5)?),
        default_language: Arc::from(row.text(6)?),
        owner: row.int(7).ok().map(PrincipalId),
        password_hash: row.optional(9).map(Arc::from),
        checks_policy: flags & CHECKS_POLICY != 0,
        checks_expiration: flags & CHECKS_EXPIRATION != 0,
        must_change: flags & MUST_CHANGE != 0,
        password_set_us: row.long(11)?,
        created_us: row.long(12)?,
        modified_us: row.long(13)?,
    })
}

fn grant_row(grant: &Grant) -> Row {
    let row = vec![
        Value::Int(grant.on.of.stored()),
        Value::Int(grant.on.major),
        Value::Int(grant.on.minor),
        Value::Int(grant.grantee.0),
        Value::Int(grant.grantor.0),
        Value::str(grant.permission.letters),
        Value::str(grant.state.shown().0),
    ];
    (SystemTable::Permissions, row)
}

fn grant_of(row: &[Value]) -> SqlResult<Grant> {
    let row = Reading(row);
    let of = Of::of_stored(row.int(0)?).ok_or_else(|| damaged("a grant is on no class"))?;
    let permission = Permission::of_letters(of, row.text(5)?.trim_end());
    Ok(Grant {
        on: Securable { of, major: row.int(1)?, minor: row.int(2)? },
        grantee: PrincipalId(row.int(3)?),
        grantor: PrincipalId(row.int(4)?),
        permission: permission.ok_or_else(|| damaged("a grant is of no permission"))?,
        state: GrantState::of_letter(row.text(6)?.trim_end())
            .ok_or_else(|| damaged("a grant grants and denies nothing"))?,
    })
}

/// What of an object, a schema or a type was said.
pub(super) fn forget_object(dictionary: &Dictionary, io: &mut Io<'_, '_>, id: ObjectId) -> SqlResult<()> {
    forget(dictionary, io, Of::Object, id.0)
}

/// Likewise.
pub(super) fn forget_schema(dictionary: &Dictionary, io: &mut Io<'_, '_>, id: SchemaId) -> SqlResult<()> {
    forget(dictionary, io, Of::Schema, id.0)
}
