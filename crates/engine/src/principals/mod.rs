//! What functions learn about principals: of whose rights the statement has.

pub mod permissions;

use std::sync::Arc;

use millpond_builtin::password;
use millpond_catalog::ObjectId;
use millpond_catalog::run::principals::{AskedPermission, LoginProperty, Principals};
use millpond_catalog::security::{
    DatabaseSecurity, Of, Permission, PrincipalId, Securable, ServerPrincipal, ServerSecurity, UserKind,
};
use millpond_message::error::SqlResult;
use millpond_storage::contract::DbId;

use crate::admin::access::may_enter;
use crate::context::RunContext;
use crate::inventory;
use crate::security::{self, Access};

impl RunContext {
    fn server(&self) -> Option<Arc<ServerSecurity>> {
        security::server_of_statement(self).ok()
    }

    fn in_database(&self, database: DbId) -> SqlResult<Option<Access>> {
        Access::of_statement(self, database)
    }

    fn own(&self) -> Option<Access> {
        self.in_database(self.facts.database).ok()?
    }

    fn with_database<T>(&self, ask: impl FnOnce(&DatabaseSecurity) -> Option<T>) -> Option<T> {
        ask(inventory::definitions(self, self.facts.database).ok()?.security())
    }
}

impl Principals for RunContext {
    fn login_name(&self) -> String {
        self.facts.security.login_name.to_string()
    }

    fn login_name_of(&self, id: i32) -> Option<String> {
        self.server()?.principal(PrincipalId(id)).map(|login| login.name.to_string())
    }

    fn login_of_sid(&self, sid: &[u8]) -> Option<String> {
        self.server()?.of_sid(sid).map(|login| login.name.to_string())
    }

    fn login_id(&self, name: Option<&str>) -> Option<i32> {
        match name {
            None => self.facts.security.login.map(|login| login.0),
            Some(name) => self.server()?.named(name).map(|login| login.id.0),
        }
    }

    fn login_sid(&self, name: Option<&str>) -> Option<Vec<u8>> {
        match name {
            None => Some(self.facts.security.sid.to_vec()),
            Some(name) => self.server()?.named(name).map(|login| login.sid.to_vec()),
        }
    }

    fn user_name(&self) -> Option<String> {
        if self.facts.security.is_sa() {
            return Some("dbo".to_owned());
        }
        let access = self.own()?;
        access.security.principal(access.token.user).map(|user| user.name.to_string())
    }

    fn user_name_of(&self, id: i32) -> Option<String> {
        self.with_database(|security| security.principal(PrincipalId(id)).map(|user| user.name.to_string()))
    }

    fn user_id(&self, name: Option<&str>) -> Option<i32> {
        match name {
            None => self.own().map(|access| access.token.user.0),
            Some(name) => self.with_database(|security| security.named(name).map(|user| user.id.0)),
        }
    }

    fn is_member(&self, role: &str, principal: Option<&str>) -> Option<bool> {
        let access = self.own()?;
        let security = &access.security;
        let role = security.named(role).filter(|role| role.kind == UserKind::Role)?.id;
        match principal {
            // Who is in sysadmin is dbo, who owns the database.
            None => Some(access.token.is(role)),
            Some(name) => {
                let principal = security.named(name)?.id;
                Some(security.is_member(principal, role))
            }
        }
    }

    fn is_server_role_member(&self, role: &str, login: Option<&str>) -> Option<bool> {
        let server = self.server()?;
        let role = server.named(role).filter(|role| role.is_role)?.id;
        let login = match login {
            None => self.facts.security.login?,
            Some(name) => server.named(name)?.id,
        };
        Some(server.is_member(login, role))
    }

    fn has_access(&self, database: &str) -> Option<bool> {
        let id = self.engine.database_id(database)?;
        let own = self.locks.transaction_number();
        Some(may_enter(&self.engine, own, &self.facts.security, id).is_ok_and(|may| may))
    }

    fn has_permission(&self, asked: AskedPermission<'_>) -> Option<bool> {
        let asked = AskedPermission { permission: asked.permission.trim(), ..asked };
        if asked.column_class.is_some_and(|class| !class.eq_ignore_ascii_case("COLUMN")) {
            return None;
        }
        match asked.class {
            None if asked.securable.is_none() => self.has_on_server(asked.permission, Of::Server, Securable::SERVER),
            None => None,
            Some(class) => {
                let of = Of::named(class)?;
                let name = asked.securable;
                match of {
                    Of::Server => self.has_on_server(asked.permission, of, Securable::SERVER),
                    Of::Login | Of::ServerRole => {
                        let found = self.server()?.named(name?)?.id;
                        self.has_on_server(asked.permission, of, Securable::new(of, found.0))
                    }
                    _ => self.has_in_database(of, asked),
                }
            }
        }
    }

    fn permission_bits(&self, object: Option<i32>, column: Option<&str>) -> Option<i32> {
        permissions::bits(self, object, column)
    }

    fn is_sysadmin(&self) -> bool {
        security::is_sysadmin(self).unwrap_or(false)
    }

    fn sees_column(&self, database: DbId, object: ObjectId, column: i32) -> bool {
        if self.facts.security.is_sa() {
            return true;
        }
        let unmask = Permission::known(Of::Object, "UNMASK");
        let access = self.in_database(database).ok().flatten();
        access.is_some_and(|access| access.rights().may(unmask, Securable::object(object.0).column(column)))
    }

    fn login_property(&self, login: &str, property: &str) -> Option<LoginProperty> {
        let server = self.server()?;
        let login = server.named(login).filter(|login| !login.is_role)?;
        // The hash is its administrators' alone, also of the own login.
        let may = match property.eq_ignore_ascii_case("PASSWORDHASH") {
            true => self.has_on_server("CONTROL SERVER", Of::Server, Securable::SERVER)?,
            false if self.facts.security.login == Some(login.id) => true,
            false => self.has_on_server("ANY", Of::Login, Securable::new(Of::Login, login.id.0))?,
        };
        if may { self.property_of(login, property) } else { None }
    }
}

/// What LOGINPROPERTY shows of a time that there was not: 1900-01-01, as a datetime of 0.
const NEVER_US: i64 = -2_208_988_800_000_000;

impl RunContext {
    fn property_of(&self, login: &ServerPrincipal, property: &str) -> Option<LoginProperty> {
        use LoginProperty::{Bytes, Int, Text, TimeUs};
        let now_us = self.engine.now_us().1;
        let failures = || self.engine.logins().failures(login, now_us);
        let days_left = || self.engine.logins().days_left(login, now_us);
        let time = |us: i64| TimeUs(if us == 0 { NEVER_US } else { us });
        Some(match property.to_uppercase().as_str() {
            "BADPASSWORDCOUNT" => Int(failures().count),
            "HISTORYLENGTH" => Int(0),
            "ISEXPIRED" => Int(i32::from(days_left() == Some(0))),
            "ISLOCKED" => Int(i32::from(failures().locked_us != 0)),
            "ISMUSTCHANGE" => Int(i32::from(login.must_change)),
            "BADPASSWORDTIME" => time(failures().last_us),
            "LOCKOUTTIME" => time(failures().locked_us),
            "DAYSUNTILEXPIRATION" => Int(days_left()?),
            "PASSWORDLASTSETTIME" => TimeUs(login.password_set_us),
            "PASSWORDHASH" => Bytes(password::to_bytes(login.password_hash.as_deref()?)),
            "PASSWORDHASHALGORITHM" => Int(2),
            "DEFAULTDATABASE" => Text(login.default_database.to_string()),
            "DEFAULTLANGUAGE" => Text(login.default_language.to_string()),
            _ => return None,
        })
    }

    fn has_on_server(&self, permission: &str, of: Of, on: Securable) -> Option<bool> {
        let server = self.server()?;
        let Some(token) = self.facts.security.server_token(&server) else { return Some(false) };
        any_or_named(of, permission, |permission| token.may(&server, permission, on))
    }

    fn has_in_database(&self, of: Of, asked: AskedPermission<'_>) -> Option<bool> {
        let (parts, database) = permissions::located(self, of, asked.securable)?;
        let Ok(Some(access)) = self.in_database(database) else { return Some(false) };
        let rights = access.rights();
        let on = permissions::securable(&access, of, &parts)?;
        let on = match asked.column {
            None => on,
            Some(column) => {
                let object = access.objects.get(ObjectId(on.major))?;
                on.column(object.column_number(column)?)
            }
        };
        if asked.permission.eq_ignore_ascii_case("ANY") && of == Of::Object {
            return Some(rights.may_see(on));
        }
        any_or_named(of, asked.permission, |permission| rights.may(permission, on))
    }
}

fn any_or_named(of: Of, name: &str, may: impl Fn(&'static Permission) -> bool) -> Option<bool> {
    if name.eq_ignore_ascii_case("ANY") {
        return Some(permissions::all_of(of).any(may));
    }
    Permission::find(of, &name.to_uppercase()).map(may)
}
