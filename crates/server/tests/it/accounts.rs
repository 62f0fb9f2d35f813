//! What becomes of accounts: locked after wrong passwords, expired, their passwords changed at the login; users with passwords of
//! contained databases.

use millpond_server::{Config, Server};
use millpond_tds::client::ConnectOptions;

use crate::client::{config, connect, connect_with, events, lines_of, options, row, server};
use crate::login::{ANN, as_login, log_of, refusal, run};

const PASSWORD: &str = "Lake-1234567";

/// A server whose policy is not the default one.
fn server_with(change: impl FnOnce(&mut Config)) -> Server {
    let mut config = config();
    change(&mut config);
    Server::start(&config).unwrap()
}

#[test]
fn wrong_passwords_lock_a_login_until_it_is_unlocked() {
    let server = server_with(|config| config.password_policy.lockout_attempts = 3);
    let mut sa = connect(&server);
    run(&mut sa, &[ANN, "create login eve with password = 'x', check_policy = off"]);
    for count in 1..=3 {
        assert_eq!(refusal(&server, &as_login("ann", "wrong")), [(18456, 14, 1)]);
        assert_eq!(refusal(&server, &as_login("eve", "wrong")), [(18456, 14, 1)]);
        let shown = row(&mut sa, "select convert(int, loginproperty('ann', 'BadPasswordCount'))");
        assert_eq!(shown, count.to_string());
    }
    // From here on the right password does not help.
    assert_eq!(refusal(&server, &as_login("ann", PASSWORD)), [(18486, 14, 1)]);
    connect_with(&server, &as_login("eve", "x")).unwrap();
    let locked = "select convert(int, loginproperty('ann', 'IsLocked')), \
                  iif(loginproperty('ann', 'LockoutTime') > dateadd(minute, -5, getdate()), 1, 0), \
                  iif(loginproperty('eve', 'LockoutTime') = convert(datetime, 0), 1, 0)";
    assert_eq!(row(&mut sa, locked), "1,1,1");
    assert_eq!(log_of(&server, "because the account is currently locked out"), 1);
    assert_eq!(log_of(&server, "Reason: Password did not match that for the login provided. [CLIENT: 127.0.0.1]"), 6);
    run(&mut sa, &["alter login ann with password = 'Lake-1234567' unlock"]);
    let (mut ann, _) = connect_with(&server, &as_login("ann", PASSWORD)).unwrap();
    assert_eq!(row(&mut sa, locked), "0,0,1");
    // Who is locked meanwhile does not change the own password.
    (0..3).for_each(|_| assert_eq!(refusal(&server, &as_login("ann", "wrong")), [(18456, 14, 1)]));
    let change = "alter login ann with password = 'Lake-7654321' old_password = 'Lake-1234567'";
    assert!(lines_of(&events(&mut ann, change)).contains(&"error 15113".to_owned()));
    run(&mut sa, &["alter login ann with check_policy = off", "alter login ann with check_policy = on"]);
    run(&mut ann, &[change]);
    connect_with(&server, &as_login("ann", "Lake-7654321")).unwrap();
}

#[test]
fn nothing_is_locked_by_default() {
    let server = server();
    run(&mut connect(&server), &[ANN]);
    (0..12).for_each(|_| assert_eq!(refusal(&server, &as_login("ann", "wrong")), [(18456, 14, 1)]));
    connect_with(&server, &as_login("ann", PASSWORD)).unwrap();
}

fn with_new(options: ConnectOptions, new: &str) -> ConnectOptions {
    ConnectOptions { new_password: Some(new.into()), ..options }
}

#[test]
fn a_password_that_must_be_changed_is_changed_at_the_login() {
    let server = server();
    let mut sa = connect(&server);
    run(&mut sa, &["create login ann with password = 'Lake-1234567' must_change, check_expiration = on"]);
    let ann = as_login("ann", PASSWORD);
    assert_eq!(refusal(&server, &ann), [(18488, 14, 1)]);
    // A password that the policy does not take, a wrong old one: nothing has changed.
    assert_eq!(refusal(&server, &with_new(ann.clone(), "short")), [(18464, 14, 1)]);
    assert_eq!(refusal(&server, &with_new(ann.clone(), "alllowercase")), [(18466, 14, 1)]);
    assert_eq!(refusal(&server, &with_new(as_login("ann", "wrong"), "River-1234567")), [(18456, 14, 1)]);
    assert_eq!(refusal(&server, &ann), [(18488, 14, 1)]);
    let (mut client, _) = connect_with(&server, &with_new(ann.clone(), "It's-River-1")).unwrap();
    assert_eq!(row(&mut client, "select system_user, convert(int, loginproperty('ann', 'IsMustChange'))"), "ann,0");
    connect_with(&server, &as_login("ann", "It's-River-1")).unwrap();
    assert_eq!(refusal(&server, &ann), [(18456, 14, 1)]);
    // The password of sa, which the configuration gave.
    connect_with(&server, &with_new(options(), "Another-Pond-1")).unwrap();
    assert_eq!(refusal(&server, &options()), [(18456, 14, 1)]);
    connect_with(&server, &as_login("sa", "Another-Pond-1")).unwrap();
}

#[test]
fn passwords_expire_where_the_policy_says_so() {
    let dir = tempfile::tempdir().unwrap();
    let with_age = |days: u32| {
        server_with(|config| {
            config.server.data_dir = Some(dir.path().join("data"));
            config.password_policy.max_age_days = days;
        })
    };
    let server = with_age(42);
    let mut sa = connect(&server);
    run(
        &mut sa,
        &[
            "create login ann with password = 'Lake-1234567', check_expiration = on",
            "create login eve with password = 'Lake-1234567'",
        ],
    );
    let shown = "select convert(int, loginproperty('ann', 'DaysUntilExpiration')), \
                 convert(int, loginproperty('ann', 'IsExpired')), loginproperty('eve', 'DaysUntilExpiration')";
    assert_eq!(row(&mut sa, shown), "42,0,NULL");
    // As if it had been set 50 days ago.
    let master = server.engine().databases().dictionary(millpond_storage::contract::DbId::MASTER).unwrap();
    master.catalog().change(|objects| {
        let mut server = (**objects.server()).clone();
        let ann = (**server.named("ann").unwrap()).clone();
        let password_set_us = ann.password_set_us - 50 * 86_400_000_000;
        server
            .put_principal(std::sync::Arc::new(millpond_catalog::security::ServerPrincipal { password_set_us, ..ann }));
        objects.put_server(server);
    });
    assert_eq!(row(&mut sa, shown), "0,1,NULL");
    assert_eq!(refusal(&server, &as_login("ann", PASSWORD)), [(18487, 14, 1)]);
    assert_eq!(refusal(&server, &as_login("ann", "wrong")), [(18456, 14, 1)]);
    connect_with(&server, &as_login("eve", PASSWORD)).unwrap();
    connect_with(&server, &with_new(as_login("ann", PASSWORD), "River-1234567")).unwrap();
    connect_with(&server, &as_login("ann", "River-1234567")).unwrap();
    assert_eq!(row(&mut sa, shown), "42,0,NULL");
}

fn in_database(user: &str, password: &str, database: &str) -> ConnectOptions {
    ConnectOptions { database: database.into(), ..as_login(user, password) }
}

const CONTAINED: [&str; 4] = [
    "exec sp_configure 'contained database authentication', 1; reconfigure",
    "create database pond containment = partial; create database plain; create table plain.dbo.t (a int)",
    "use pond; create user mary with password = 'Right-2026', default_language = German; create table t (a int); \
     insert t values (7); grant select on t to mary",
    "use master",
];

#[test]
fn a_user_with_a_password_logs_in_to_its_database() {
    let server = server();
    let mut sa = connect(&server);
    run(&mut sa, &CONTAINED);
    let mary = in_database("mary", "Right-2026", "pond");
    let (mut client, _) = connect_with(&server, &mary).unwrap();
    assert_eq!(client.database(), "pond");
    assert_eq!(
        row(&mut client, "select user_name(), system_user, original_login(), suser_id(), @@language"),
        "mary,mary,mary,NULL,Deutsch"
    );
    assert_eq!(row(&mut client, "select a from t"), "7");
    let authenticated =
        "select db_name(authenticating_database_id), login_name from sys.dm_exec_sessions where session_id = @@spid";
    assert_eq!(row(&mut client, authenticated), "pond,mary");
    // Outside of its database it is guest where guest may be, and has nothing of the server.
    assert_eq!(row(&mut client, "select count(*) from sys.databases where name in ('pond', 'plain')"), "1");
    assert_eq!(row(&mut client, "select count(*) from master.dbo.spt_values where type = 'P' and number = 1"), "1");
    assert_eq!(row(&mut client, "create table #t (a int); insert #t values (1); select count(*) from #t"), "1");
    for (text, number) in [
        ("use plain", 916),
        ("select * from plain.dbo.t", 916),
        ("select * from plain.dbo.nothing", 916),
        ("insert plain.dbo.nothing values (1)", 916),
        ("drop table plain.dbo.nothing", 916),
        ("exec plain.dbo.nothing", 916),
        ("select plain.dbo.nothing(1)", 916),
        ("select next value for plain.dbo.nothing", 916),
        ("create login x with password = 'Lake-1234567'", 15247),
        ("create database more", 262),
        ("select * from sys.dm_os_wait_stats", 300),
        ("shutdown", 300),
    ] {
        let received = lines_of(&events(&mut client, text));
        assert!(received.iter().any(|line| *line == format!("error {number}")), "{text}: {received:?}");
    }
    run(&mut sa, &["use plain; grant connect to guest"]);
    run(&mut client, &["use plain", "use pond"]);
    // The own password, and no more.
    run(&mut client, &["alter user mary with password = 'Other-2026' old_password = 'Right-2026'"]);
    assert_eq!(refusal(&server, &mary), [(18456, 14, 1)]);
    let (_, reset) = connect_with(&server, &in_database("mary", "Other-2026", "POND")).unwrap();
    drop(reset);
    connect_with(&server, &with_new(in_database("mary", "Other-2026", "pond"), "Third-2026")).unwrap();
    connect_with(&server, &in_database("mary", "Third-2026", "pond")).unwrap();
}

#[test]
fn who_is_no_user_of_the_database_is_a_login_or_nobody() {
    let server = server();
    let mut sa = connect(&server);
    run(&mut sa, &CONTAINED);
    run(
        &mut sa,
        &["create login mary with password = 'Lake-1234567'", "create login ann with password = 'Lake-1234567'"],
    );
    run(&mut sa, &["use pond; create user ann; use plain; create user mary; use master"]);
    let mary = in_database("mary", "Right-2026", "pond");
    // The database decides where it has a user of the name; there is no second try.
    connect_with(&server, &mary).unwrap();
    assert_eq!(refusal(&server, &in_database("mary", PASSWORD, "pond")), [(18456, 14, 1)]);
    assert_eq!(log_of(&server, "Password did not match that for the user provided. [Database: 'pond']"), 1);
    assert_eq!(
        row(&mut connect_with(&server, &in_database("mary", PASSWORD, "plain")).unwrap().0, "select suser_name()"),
        "mary"
    );
    assert_eq!(refusal(&server, &as_login("mary", "Right-2026")), [(18456, 14, 1)]);
    connect_with(&server, &in_database("ann", PASSWORD, "pond")).unwrap();
    assert_eq!(refusal(&server, &in_database("nobody", PASSWORD, "pond")), [(18456, 14, 1)]);
    assert_eq!(log_of(&server, "Could not find a login matching the name provided."), 1);
    assert_eq!(refusal(&server, &in_database("ann", PASSWORD, "plain")), [(4060, 11, 1), (18456, 14, 1)]);
    assert_eq!(log_of(&server, "Failed to open the explicitly specified database 'plain'."), 1);
    // Without CONNECT, without the user, without the option: not in.
    run(&mut sa, &["use pond; deny connect to mary"]);
    assert_eq!(refusal(&server, &mary), [(18456, 14, 1)]);
    run(&mut sa, &["grant connect to mary; use master"]);
    let (mut client, reset) = connect_with(&server, &mary).unwrap();
    run(&mut sa, &["exec sp_configure 'contained database authentication', 0; reconfigure with override"]);
    assert_eq!(refusal(&server, &mary), [(18456, 14, 1)]);
    run(&mut sa, &["exec sp_configure 'contained database authentication', 1; reconfigure"]);
    reset.store(true, std::sync::atomic::Ordering::Relaxed);
    assert_eq!(row(&mut client, "select user_name()"), "mary");
    run(
        &mut sa,
        &[
            "use pond; drop user mary; create user mary with password = 'Right-2026'; grant select on t to mary; use master",
        ],
    );
    // Who is gone is not the one who has come in the place.
    assert!(lines_of(&events(&mut client, "select a from t")).contains(&"error 916".to_owned()));
    assert_eq!(row(&mut connect_with(&server, &mary).unwrap().0, "select a from t"), "7");
}
