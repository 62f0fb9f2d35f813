//! Answers of tokens against grants, by the rules of "Permissions (Database Engine)".

use std::sync::Arc;

use millpond_storage::contract::DbId;

use super::check::{DatabaseToken, Rights, ServerToken};
use super::context::SecurityContext;
use super::database::DatabaseSecurity;
use super::grants::{Grant, GrantState, Securable};
use super::permission::{Of, Permission};
use super::principal::{Authentication, DatabasePrincipal, PrincipalId, ServerPrincipal, UserKind};
use super::server::ServerSecurity;
use crate::database::{CatalogObject, DatabaseObjects};
use crate::name::names_equal;
use crate::schema::{ObjectId, Schema, SchemaId};
use crate::synonym::SynonymDef;

const ANN: PrincipalId = PrincipalId(5);
const READERS: PrincipalId = PrincipalId(6);
const LOGIN: PrincipalId = PrincipalId(257);
/// An object in schema 7, which READERS owns, and one in dbo.
const IN_SALES: i32 = 1001;
const IN_DBO: i32 = 1002;

fn user(id: PrincipalId, name: &str, kind: UserKind) -> Arc<DatabasePrincipal> {
    Arc::new(DatabasePrincipal {
        id,
        name: Arc::from(name),
        kind,
        sid: None,
        default_schema: None,
        default_language: None,
        owner: None,
        authentication: Authentication::None,
        password_hash: None,
        created_us: 0,
        modified_us: 0,
    })
}

struct Stage {
    server: ServerSecurity,
    security: DatabaseSecurity,
}

impl Stage {
    fn new() -> Stage {
        let mut security = DatabaseSecurity::new();
        security.put_principal(user(ANN, "ann", UserKind::User));
        security.put_principal(user(READERS, "readers", UserKind::Role));
        security.put_owner(Of::Schema.number(), 7, Some(READERS));
        let mut server = ServerSecurity::new();
        let sa = server.principal(PrincipalId::SA).expect("is always there");
        let login = ServerPrincipal { id: LOGIN, name: Arc::from("ann"), sid: Arc::from([7; 16]), ..(**sa).clone() };
        server.put_principal(Arc::new(login));
        Stage { server, security }
    }

    fn say(mut self, state: GrantState, name: &str, on: Securable, grantee: PrincipalId) -> Stage {
        let grant = Grant { on, grantee, grantor: PrincipalId::DBO, permission: Permission::known(on.of, name), state };
        if on.of.is_of_server() {
            self.server.put_grant(grant)
        } else {
            self.security.put_grant(grant)
        }
        self
    }

    fn grant(self, name: &str, on: Securable, grantee: PrincipalId) -> Stage {
        self.say(GrantState::Grant, name, on, grantee)
    }

    fn deny(self, name: &str, on: Securable, grantee: PrincipalId) -> Stage {
        self.say(GrantState::Deny, name, on, grantee)
    }

    fn member(mut self, role: PrincipalId) -> Stage {
        self.security.put_member(role, ANN);
        self
    }

    fn asked<T>(&self, ask: impl FnOnce(Rights<'_>) -> T) -> T {
        let mut objects = DatabaseObjects::new(millpond_types::collation::Collation::default());
        let sales = Schema { id: SchemaId(7), name: Arc::from("sales") };
        objects.put_schema(sales.clone());
        for (id, schema) in [(IN_SALES, sales), (IN_DBO, Schema::dbo())] {
            let base = millpond_tsql::ast::ObjectName { parts: vec!["t".to_owned()] };
            let synonym = SynonymDef { id: ObjectId(id), schema, name: format!("s{id}"), base };
            objects.put(CatalogObject::Synonym(Arc::new(synonym)));
        }
        let server = Arc::new(ServerToken::new(&self.server, LOGIN));
        let token = DatabaseToken::new(&self.security, ANN, Some(server));
        ask(Rights { server: &self.server, security: &self.security, objects: Some(&objects), token: &token })
    }

    fn may(&self, name: &str, on: Securable) -> bool {
        self.asked(|rights| rights.may(Permission::known(on.of, name), on))
    }
}

fn table() -> Securable {
    Securable::object(IN_DBO)
}

#[test]
fn nothing_is_allowed_that_nobody_granted() {
    let stage = Stage::new();
    for name in ["SELECT", "INSERT", "EXECUTE", "ALTER", "CONTROL", "VIEW DEFINITION"] {
        assert!(!stage.may(name, table()), "{name}");
    }
    assert!(!stage.asked(|rights| rights.may_see(table())));
}

#[test]
fn a_grant_on_what_contains_a_thing_is_one_on_the_thing() {
    for on in [table(), Securable::new(Of::Schema, 1), Securable::DATABASE] {
        for grantee in [ANN, READERS, PrincipalId::PUBLIC] {
            let stage = Stage::new().member(READERS).grant("SELECT", on, grantee);
            assert!(stage.may("SELECT", table()), "{on:?} {grantee:?}");
            assert!(stage.may("SELECT", table().column(3)));
            assert!(!stage.may("INSERT", table()));
            assert!(stage.asked(|rights| rights.may_see(table())));
        }
    }
    assert!(Stage::new().grant("CONTROL SERVER", Securable::SERVER, LOGIN).may("SELECT", table()));
    assert!(!Stage::new().grant("CONTROL", Securable::new(Of::Schema, 7), ANN).may("SELECT", table()));
}

#[test]
fn a_denial_stands_before_every_grant_but_that_of_a_column() {
    let stage =
        Stage::new().member(READERS).grant("CONTROL", Securable::DATABASE, ANN).deny("SELECT", table(), READERS);
    assert!(!stage.may("SELECT", table()));
    assert!(stage.may("INSERT", table()));
    let stage = Stage::new().deny("SELECT", table(), ANN).grant("SELECT", table().column(2), ANN);
    assert!(stage.may("SELECT", table().column(2)));
    assert!(!stage.may("SELECT", table().column(1)));
    assert!(stage.asked(|rights| rights.may_any_column(Permission::known(Of::Object, "SELECT"), IN_DBO)));
    let stage = Stage::new().grant("SELECT", table(), ANN).deny("SELECT", table().column(2), ANN);
    assert!(stage.may("SELECT", table().column(1)) && !stage.may("SELECT", table().column(2)));
}

#[test]
fn owners_have_all_of_what_they_own() {
    let stage = Stage::new().member(READERS);
    assert!(stage.may("SELECT", Securable::object(IN_SALES)));
    assert!(stage.may("ALTER", Securable::new(Of::Schema, 7)));
    assert!(!stage.may("SELECT", table()));
}

#[test]
fn fixed_roles_may_what_they_are_for() {
    assert!(Stage::new().member(PrincipalId(16_390)).may("SELECT", table()));
    assert!(!Stage::new().member(PrincipalId(16_390)).may("UPDATE", table()));
    assert!(Stage::new().member(PrincipalId(16_391)).may("DELETE", table()));
    assert!(Stage::new().member(PrincipalId::DB_OWNER).may("ALTER", table()));
    let denied = Stage::new().member(PrincipalId::DB_OWNER).member(PrincipalId(16_392));
    assert!(!denied.may("SELECT", table()) && denied.may("INSERT", table()));
    assert!(Stage::new().member(PrincipalId(16_387)).may("CREATE TABLE", Securable::DATABASE));
    assert!(Stage::new().may("VIEW ANY DATABASE", Securable::SERVER));
}

#[test]
fn what_is_granted_with_the_option_may_be_granted_on() {
    let select = Permission::known(Of::Object, "SELECT");
    let stage = Stage::new().say(GrantState::GrantWithOption, "SELECT", table(), ANN);
    assert!(stage.asked(|rights| rights.may_grant(select, table())));
    assert!(!Stage::new().grant("SELECT", table(), ANN).asked(|rights| rights.may_grant(select, table())));
    assert!(Stage::new().grant("CONTROL", table(), ANN).asked(|rights| rights.may_grant(select, table())));
}

/// Members of a fixed role have what it may do, and may not hand it on; but for CONTROL of `db_owner`.
#[test]
fn what_a_fixed_role_may_do_is_not_handed_on() {
    let may_grant = |role: i32, name: &str, on: Securable| {
        let stage = Stage::new().member(PrincipalId(role));
        stage.asked(|rights| rights.may_grant(Permission::known(on.of, name), on))
    };
    assert!(!may_grant(16_390, "SELECT", table()));
    assert!(!may_grant(16_391, "INSERT", Securable::DATABASE));
    assert!(!may_grant(16_387, "CREATE TABLE", Securable::DATABASE));
    assert!(may_grant(16_384, "SELECT", table()));
    assert!(may_grant(16_385, "CONNECT", Securable::DATABASE));
}

/// SELECT ALL USER SECURABLES of the server is one on every table, and its denial is one, too.
#[test]
fn select_all_user_securables_covers_every_table() {
    let all =
        |stage: Stage, state: GrantState| stage.say(state, "SELECT ALL USER SECURABLES", Securable::SERVER, LOGIN);
    assert!(all(Stage::new(), GrantState::Grant).may("SELECT", table()));
    assert!(!all(Stage::new(), GrantState::Grant).may("INSERT", table()));
    assert!(!all(Stage::new().grant("SELECT", table(), ANN), GrantState::Deny).may("SELECT", table()));
}

/// A context is of the user that it was made of: not of another one with its number, nor of the same in another database.
#[test]
fn a_context_is_of_one_user_of_one_database() {
    let mut stage = Stage::new();
    let of = |sid: u8, created_us: i64| DatabasePrincipal {
        sid: Some(Arc::from([sid; 28])),
        created_us,
        ..DatabasePrincipal::clone(&user(ANN, "ann", UserKind::User))
    };
    let context = SecurityContext::of_user((DbId(7), 3), &of(1, 10), Arc::from("ann"));
    let server = Arc::new(stage.server.clone());
    let mut is_somebody = |now: DatabasePrincipal, birth: u64| {
        stage.security.put_principal(Arc::new(now));
        context.token((DbId(7), birth), &server, &Arc::new(stage.security.clone())).is_some()
    };
    assert!(is_somebody(of(1, 10), 3));
    assert!(!is_somebody(of(2, 10), 3), "another security identifier");
    assert!(!is_somebody(of(1, 11), 3), "made at another time");
    assert!(!is_somebody(of(1, 10), 4), "another database of the number");
}

#[test]
fn names_of_principals_are_compared_as_names_are() {
    let stage = Stage::new();
    assert!(stage.security.named("ANN").is_some_and(|user| names_equal(&user.name, "ann")));
}
