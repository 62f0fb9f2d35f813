//! Which logins get in, and what the others hear.

use std::sync::atomic::Ordering::Relaxed;

use millpond_server::{Server, StartError};
use millpond_tds::Event;
use millpond_tds::client::{ClientError, ConnectOptions};
use millpond_tds::rpc::{Procedure, RpcOptions, RpcParameter, RpcRequest};
use millpond_tds::token::EnvChange;
use millpond_types::{MaxLen, SqlType, Value};

use crate::client::{Connection, config, connect, connect_with, events, lines_of, options, row, server};

pub fn refusal(server: &Server, options: &ConnectOptions) -> Vec<(i32, u8, u8)> {
    match connect_with(server, options) {
        Err(ClientError::Login(messages)) => {
            messages.iter().map(|message| (message.number, message.severity, message.state)).collect()
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_right_password_opens_a_session() {
    let server = server();
    let mut client = connect(&server);
    assert_eq!(client.database(), "master");
    assert_eq!(client.login().program, "Microsoft SQL Server");
    let greeting: Vec<_> = client.greeting().cloned().collect();
    let has = |wanted: i32| greeting.iter().any(|event| matches!(event, Event::Info(info) if info.number == wanted));
    assert!(has(5701) && has(5703));
    assert!(
        greeting
            .iter()
            .any(|event| matches!(event, Event::EnvChange(EnvChange::PacketSize { new, .. }) if *new == 8000))
    );
    assert_eq!(row(&mut client, "select 1"), "1");
    drop(client);
    server.stop().unwrap();
}

#[test]
fn wrong_passwords_and_names_are_refused_alike() {
    let server = server();
    let wrong =
        |user: &str, password: &str| ConnectOptions { user: user.into(), password: password.into(), ..options() };
    for (user, password) in [("sa", "wrong"), ("sa", ""), ("somebody", "Paßwort 1")] {
        assert_eq!(refusal(&server, &wrong(user, password)), [(18456, 14, 1)]);
    }
    assert_eq!(row(&mut connect(&server), "select 2"), "2");
}

#[test]
fn the_database_is_opened_or_the_login_fails() {
    let server = server();
    let in_database = |database: &str| ConnectOptions { database: database.into(), ..options() };
    let (mut client, _) = connect_with(&server, &in_database("TempDB")).unwrap();
    assert_eq!(client.database(), "tempdb");
    assert_eq!(row(&mut client, "select db_name()"), "tempdb");
    let received = refusal(&server, &in_database("nowhere"));
    assert_eq!(received, [(4060, 11, 1), (18456, 14, 1)]);
}

/// An error comes with the login that succeeds: drivers that look at errors take it for a failure.
#[test]
fn a_client_that_does_without_its_database_hears_4063() {
    let server = server();
    let wanting = |database: &str| ConnectOptions { database: database.into(), needs_database: false, ..options() };
    let told = "Cannot open database \"nowhere\" that was requested by the login. Using the user default database \
                \"master\" instead.";
    for (database, wanted) in [("nowhere", vec![(4063, 11, told)]), ("TempDB", Vec::new()), ("", Vec::new())] {
        let (mut client, _) = connect_with(&server, &wanting(database)).unwrap();
        let errors = client.greeting().filter_map(|event| match event {
            Event::Error(error) => Some((error.number, error.severity, &*error.message)),
            _ => None,
        });
        assert_eq!(errors.collect::<Vec<_>>(), wanted, "{database}");
        let current = if database == "TempDB" { "tempdb" } else { "master" };
        assert_eq!(row(&mut client, "select db_name()"), current);
    }
}

/// More of them than threads that move bytes.
const WAITING: usize = 9;

#[test]
fn logins_wait_for_a_database_that_is_being_closed_and_hold_up_nobody() {
    let server = server();
    let in_database = ConnectOptions { database: "shop".into(), ..options() };
    run(&mut connect(&server), &["create database shop"]);
    let (mut holder, _) = connect_with(&server, &in_database).unwrap();
    let (mut closer, mut other) = (connect(&server), connect(&server));
    std::thread::scope(|scope| {
        let closing = scope.spawn(move || lines_of(&events(&mut closer, "alter database shop set offline")));
        let blocked = "select count(*) from sys.dm_exec_requests where wait_type = 'LCK_M_X'";
        while row(&mut other, blocked) != "1" {
            std::thread::yield_now();
        }
        let logins: Vec<_> = (0..WAITING).map(|_| scope.spawn(|| refusal(&server, &in_database))).collect();
        // The closer, the holder and this one are there already.
        let there = "select count(*) from sys.dm_exec_sessions where is_user_process = 1";
        while row(&mut other, there) != (WAITING + 3).to_string() {
            std::thread::yield_now();
        }
        assert_eq!(row(&mut connect(&server), "select 3"), "3", "a login to another database");
        run(&mut holder, &["use master"]);
        assert_eq!(closing.join().unwrap().iter().filter(|line| line.starts_with("error")).count(), 0);
        for login in logins {
            assert_eq!(login.join().unwrap(), [(4060, 11, 1), (18456, 14, 1)], "it is offline then");
        }
    });
    server.stop().unwrap();
}

#[test]
fn one_more_than_the_bound_hears_why() {
    let mut config = config();
    config.server.max_connections = 2;
    let server = Server::start(&config).unwrap();
    let first = connect(&server);
    let mut second = connect(&server);
    assert_eq!(refusal(&server, &options())[0].0, 17809);
    drop(first);
    assert_eq!(row(&mut second, "select 1"), "1");
    // The place is free as soon as the server has seen the close.
    let mut tries = 0;
    while connect_with(&server, &options()).is_err() {
        tries += 1;
        assert!(tries < 100);
    }
}

#[test]
fn a_password_is_made_for_loopback_only_and_stays() {
    let dir = tempfile::tempdir().unwrap();
    let mut config = config();
    config.server.sa_password.clear();
    config.server.data_dir = Some(dir.path().join("data"));
    config.server.listen = "0.0.0.0:0".parse().unwrap();
    assert!(matches!(Server::start(&config), Err(StartError::OpenToNetwork(_))));
    config.server.listen = "127.0.0.1:0".parse().unwrap();
    let server = Server::start(&config).unwrap();
    let password = server.generated_password().unwrap().to_owned();
    let with = ConnectOptions { password, ..options() };
    connect_with(&server, &with).unwrap();
    server.stop().unwrap();
    let server = Server::start(&config).unwrap();
    assert_eq!(server.generated_password(), None);
    let (mut client, _) = connect_with(&server, &with).unwrap();
    assert_eq!(row(&mut client, "select 3"), "3");
    assert_eq!(refusal(&server, &options()), [(18456, 14, 1)]);
}

#[test]
fn a_port_that_is_taken_is_named() {
    let server = server();
    let mut config = config();
    config.server.listen = server.address();
    let received = Server::start(&config).err().unwrap().to_string();
    assert!(received.contains(&server.address().to_string()), "{received}");
}

/// Options of another login than sa.
pub fn as_login(user: &str, password: &str) -> ConnectOptions {
    ConnectOptions { user: user.into(), password: password.into(), ..options() }
}

/// What the error log says since the server's start, by a session of sa.
pub fn log_of(server: &Server, text: &str) -> usize {
    server.engine().error_log().lines().iter().filter(|line| line.text.contains(text)).count()
}

/// Runs batches that have no errors.
pub fn run(client: &mut Connection, batches: &[&str]) {
    for batch in batches {
        let received = lines_of(&events(client, batch));
        assert!(received.iter().all(|line| !line.starts_with("error ")), "{batch}: {received:?}");
    }
}

pub const ANN: &str = "create login ann with password = 'Lake-1234567'";

#[test]
fn a_logon_trigger_sees_the_login_and_may_refuse_it() {
    let server = server();
    let mut sa = connect(&server);
    run(
        &mut sa,
        &[
            ANN,
            "create database audit",
            "use audit; create table dbo.logons (n int identity primary key, data xml, original sysname, level int)",
            "create trigger watch on all server with execute as 'sa' for logon as \
             insert audit.dbo.logons values (eventdata(), original_login(), @@trancount); print 'someone came'",
            "create trigger few on all server with execute as 'sa' for logon as \
             if original_login() = 'ann' and (select count(*) from sys.dm_exec_sessions \
             where is_user_process = 1 and original_login_name = 'ann') > 1 rollback",
        ],
    );
    let ann = as_login("ann", "Lake-1234567");
    let (mut first, _) = connect_with(&server, &ann).unwrap();
    let spid = row(&mut first, "select @@spid");
    // What the trigger prints is not for the client.
    assert!(!first.greeting().any(|event| matches!(event, Event::Info(info) if info.message.contains("someone came"))));
    assert_eq!(log_of(&server, "someone came"), 1);
    assert_eq!(refusal(&server, &ann), [(17892, 14, 1)]);
    assert_eq!(log_of(&server, "Logon failed for login 'ann' due to trigger execution."), 1);
    let read = |path: &str| {
        format!(
            "select data.value('(/EVENT_INSTANCE/{path})[1]', 'varchar(80)') from audit.dbo.logons where original = 'ann'"
        )
    };
    for (path, value) in [
        ("EventType", "LOGON"),
        ("SPID", &spid),
        ("LoginName", "ann"),
        ("LoginType", "SQL Login"),
        ("ClientHost", "<local machine>"),
        ("IsPooled", "0"),
    ] {
        assert_eq!(row(&mut sa, &read(path)), value, "{path}");
    }
    let sid = row(&mut sa, "select base64_encode(suser_sid('ann'))");
    assert_eq!(row(&mut sa, &read("SID")), sid);
    // The second one's row went with the ROLLBACK.
    assert_eq!(row(&mut sa, "select count(*), max(level) from audit.dbo.logons where original = 'ann'"), "1,1");
    drop(first);
    run(&mut sa, &["disable trigger few on all server"]);
    let (_one, _) = connect_with(&server, &ann).unwrap();
    connect_with(&server, &ann).unwrap();
    run(&mut sa, &["drop trigger few, watch on all server"]);
    connect_with(&server, &ann).unwrap();
}

#[test]
fn any_failure_of_a_logon_trigger_refuses_the_login() {
    let server = server();
    let mut sa = connect(&server);
    run(&mut sa, &[ANN, "create database side", "create table side.dbo.t (a int)"]);
    let ann = as_login("ann", "Lake-1234567");
    for (body, is_refused) in [
        ("select 1 / 0", true),
        ("throw 50000, 'not today', 1", true),
        ("rollback", true),
        ("commit", true),
        ("begin tran", true),
        ("insert side.dbo.t values (1)", true),
        ("exec ('select * from nowhere')", true),
        ("begin try select 1 / 0 end try begin catch print 'caught' end catch", true),
        ("raiserror ('it is late', 16, 1)", false),
        ("select 'rows go nowhere'", false),
        ("set nocount off; create table #t (a int); insert #t values (1)", false),
        ("begin tran; commit", false),
    ] {
        run(
            &mut sa,
            &[&format!("create trigger gate on all server for logon as if original_login() = 'ann' begin {body} end")],
        );
        match is_refused {
            true => assert_eq!(refusal(&server, &ann), [(17892, 14, 1)], "{body}"),
            false => {
                let (mut client, _) = connect_with(&server, &ann).unwrap_or_else(|error| panic!("{body}: {error:?}"));
                assert_eq!(
                    row(&mut client, "select @@trancount, db_name(), object_id('tempdb..#t')"),
                    "0,master,NULL",
                    "{body}"
                );
            }
        }
        run(&mut sa, &["drop trigger gate on all server"]);
    }
    for text in ["not today", "it is late", "Invalid object name 'nowhere'."] {
        assert_eq!(log_of(&server, text), 1, "{text}");
    }
    // Rights are the login's own.
    assert!(log_of(&server, "The server principal \"ann\" is not able to access the database \"side\"") > 0);
}

#[test]
fn a_connection_that_is_used_again_fires_logon_triggers_again() {
    let server = server();
    let mut sa = connect(&server);
    run(
        &mut sa,
        &[
            ANN,
            "create table dbo.logons (pooled int)",
            "create trigger watch on all server with execute as 'sa' for logon as if original_login() = 'ann' insert \
             master.dbo.logons values (eventdata().value('(/EVENT_INSTANCE/IsPooled)[1]', 'int'))",
        ],
    );
    let ann = as_login("ann", "Lake-1234567");
    let (mut client, reset) = connect_with(&server, &ann).unwrap();
    reset.store(true, Relaxed);
    assert_eq!(row(&mut client, "select 1"), "1");
    assert_eq!(row(&mut sa, "select count(*), sum(pooled) from dbo.logons"), "2,1");
    run(&mut sa, &["alter trigger watch on all server for logon as if original_login() = 'ann' rollback"]);
    reset.store(true, Relaxed);
    let received = lines_of(&events(&mut client, "select 1"));
    assert!(received.contains(&"error 17892".to_owned()), "{received:?}");
    assert!(!received.iter().any(|line| line.starts_with("row ")), "{received:?}");
    assert!(client.batch("select 2").and_then(|answer| answer.collect::<Result<Vec<_>, _>>()).is_err());
}

#[test]
fn a_trigger_that_lets_nobody_in_is_dropped_by_the_engine_without_a_server() {
    let dir = tempfile::tempdir().unwrap();
    let mut config = config();
    config.server.data_dir = Some(dir.path().join("data"));
    let server = Server::start(&config).unwrap();
    run(&mut connect(&server), &["create trigger nobody on all server for logon as rollback"]);
    assert_eq!(refusal(&server, &options()), [(17892, 14, 1)]);
    server.stop().unwrap();
    let engine = millpond_server::assemble::embedded(config.server.data_dir.clone()).unwrap();
    let mut session = millpond_query::session::Session::open(&engine, Default::default()).unwrap();
    session.run_batch("disable trigger nobody on all server", &mut millpond_message::sink::Nowhere);
    drop(session);
    millpond_server::assemble::close(&engine).unwrap();
    drop(engine);
    let server = Server::start(&config).unwrap();
    assert_eq!(row(&mut connect(&server), "select is_disabled from sys.server_triggers"), "Bit(true)");
}

#[test]
fn a_login_and_a_used_connection_stay_out_of_a_database_that_is_for_others() {
    let server = server();
    let mut sa = connect(&server);
    run(&mut sa, &[ANN, "create database shop", "use shop; create user ann; use master"]);
    let in_shop = |options: ConnectOptions| ConnectOptions { database: "shop".into(), ..options };
    let ann = in_shop(as_login("ann", "Lake-1234567"));
    for (closed, opened) in [
        ("alter database shop set restricted_user", "alter database shop set multi_user"),
        ("use shop; alter database shop set single_user", "alter database shop set multi_user; use master"),
        ("use shop; deny connect to ann; use master", "use shop; grant connect to ann; use master"),
    ] {
        let (mut client, reset) = connect_with(&server, &ann).unwrap();
        run(&mut client, &["use master"]);
        run(&mut sa, &[closed]);
        assert_eq!(refusal(&server, &ann), [(4060, 11, 1), (18456, 14, 1)], "{closed}");
        reset.store(true, Relaxed);
        let received = lines_of(&events(&mut client, "select db_name()"));
        let errors: Vec<&String> = received.iter().filter(|line| line.starts_with("error ")).collect();
        assert_eq!(errors, ["error 4060", "error 18456"], "{closed}: {received:?}");
        assert!(!received.iter().any(|line| line.starts_with("row ")), "{closed}: {received:?}");
        assert!(client.batch("select 2").and_then(|answer| answer.collect::<Result<Vec<_>, _>>()).is_err());
        run(&mut sa, &[opened]);
        connect_with(&server, &ann).unwrap();
    }
    run(&mut sa, &["alter database shop set restricted_user with rollback immediate"]);
    assert_eq!(row(&mut connect_with(&server, &in_shop(options())).unwrap().0, "select db_name()"), "shop");
}

#[test]
fn an_application_role_is_set_by_a_call_and_ends_with_its_connection() {
    let server = server();
    let (mut client, reset) = connect_with(&server, &options()).unwrap();
    run(&mut client, &["create application role clerk with password = 'Right-2026'"]);
    let text = |name: &str, value: &str| RpcParameter::input(name, SqlType::varchar(40), Value::str(value));
    let cookie = SqlType::VarBinary { len: MaxLen::Limited(8000) };
    let calls = |procedure: &str, parameters: Vec<RpcParameter>| {
        [RpcRequest {
            procedure: Procedure::Name(procedure.into()),
            options: RpcOptions::default(),
            no_exec: false,
            parameters,
        }]
    };
    let set = calls(
        "sp_setapprole",
        vec![
            text("@rolename", "clerk"),
            text("@password", "Right-2026"),
            RpcParameter::input("@fCreateCookie", SqlType::Bit, Value::Bit(true)),
            RpcParameter { is_output: true, ..RpcParameter::input("@cookie", cookie, Value::Null) },
        ],
    );
    let answer: Vec<Event> = client.call(&set).unwrap().map(|event| event.unwrap()).collect();
    let given = answer.iter().find_map(|event| match event {
        Event::ReturnValue(value) => Some(value.value.clone()),
        _ => None,
    });
    let given = given.unwrap_or_else(|| panic!("{answer:?}"));
    assert_eq!(row(&mut client, "select user_name()"), "clerk");
    let unset = calls("sp_unsetapprole", vec![RpcParameter::input("@cookie", cookie, given)]);
    let answer: Vec<Event> = client.call(&unset).unwrap().map(|event| event.unwrap()).collect();
    assert!(lines_of(&answer).contains(&"status 0".to_owned()), "{answer:?}");
    assert_eq!(row(&mut client, "select user_name()"), "dbo");
    run(&mut client, &["exec sp_setapprole 'clerk', 'Right-2026'"]);
    assert_eq!(row(&mut client, "select user_name()"), "clerk");
    // A pool that gives the connection to another gets it back closed.
    reset.store(true, Relaxed);
    let received = lines_of(&events(&mut client, "select user_name()"));
    assert!(received.contains(&"error 18059".to_owned()), "{received:?}");
    assert!(client.batch("select 1").and_then(|answer| answer.collect::<Result<Vec<_>, _>>()).is_err());
    assert_eq!(row(&mut connect(&server), "select user_name()"), "dbo");
}
