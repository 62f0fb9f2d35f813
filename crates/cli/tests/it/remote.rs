//! `millpond sql -S`: the shell over TDS.

use millpond_server::{Config, Server};

use crate::command::{Said, sql_with, without_machine};
use crate::shell::{check_loop, short_loop};

pub const PASSWORD: &str = "Secret-of-the-test-1";

pub fn start() -> Server {
    let mut config = Config::default();
    config.server.listen.set_port(0);
    config.server.sa_password = PASSWORD.into();
    Server::start(&config).expect("the server starts")
}

fn sql(server: &Server, options: &[&str], input: &str) -> Said {
    let address = format!("127.0.0.1,{}", server.address().port());
    let mut all = vec!["-S", address.as_str()];
    all.extend(options);
    sql_with(&all, &[("SQLCMDPASSWORD", PASSWORD)], input)
}

#[test]
fn a_server_says_what_the_engine_in_the_process_says() {
    let server = start();
    for options in [&[][..], &["-W", "-s", "|"], &["-h", "-1"]] {
        for name in ["columns", "results"] {
            let path = format!("{}/tests/golden/{name}.sql", env!("CARGO_MANIFEST_DIR"));
            let mut all = vec!["-i", path.as_str()];
            all.extend(options);
            let (remote, local) = (sql(&server, &all, ""), crate::command::sql(&all));
            assert_eq!(without_machine(&remote.out), without_machine(&local.out), "{options:?} {name}");
            assert_eq!((remote.code, remote.err), (local.code, local.err), "{options:?} {name}");
        }
    }
    server.stop().expect("the server stops");
}

#[test]
fn encryption_is_a_choice() {
    let server = start();
    let query = "set nocount on; select encrypt_option from sys.dm_exec_connections where session_id = @@spid";
    for (how, encrypted) in [("disable", "FALSE"), ("m", "TRUE"), ("strict", "TRUE")] {
        let said = sql(&server, &["-N", how, "-h", "-1", "-W", "-Q", query], "");
        assert_eq!((said.out.trim_end(), said.err.as_str()), (encrypted, ""), "{how}");
    }
    let unknown = sql(&server, &["-N", "perhaps", "-Q", query], "");
    assert_eq!(unknown.code, 2);
    server.stop().expect("the server stops");
}

#[test]
fn refused_logins_say_why() {
    let server = start();
    for (options, expected) in [
        (&["-P", "wrong"][..], "Login failed for user 'sa'."),
        (&["-U", "nobody"], "Login failed for user 'nobody'."),
        (&["-d", "nowhere"], "Cannot open database \"nowhere\""),
    ] {
        let mut all = options.to_vec();
        all.extend(["-Q", "print 'never'"]);
        let said = sql(&server, &all, "");
        assert_eq!((said.code, said.out.as_str()), (1, ""), "{options:?}");
        assert!(said.err.contains(expected), "{options:?} {said:?}");
        assert_eq!(said.err.lines().count(), 1, "{options:?} {said:?}");
    }
    server.stop().expect("the server stops");
}

#[test]
fn a_server_that_says_nothing_is_not_waited_for() {
    let silent = std::net::TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = format!("127.0.0.1,{}", silent.local_addr().expect("bound").port());
    let said = sql_with(&["-S", &address, "-P", "x", "-l", "1", "-Q", "print 'never'"], &[], "");
    assert_eq!((said.code, said.out.as_str()), (1, ""));
    assert!(said.err.contains("longer than -l allows"), "{said:?}");
}

#[test]
fn a_batch_that_takes_too_long_is_cancelled_and_the_session_goes_on() {
    let server = start();
    let said = sql(&server, &["-t", "1"], "declare @i int while 1 = 1 set @i = 1\ngo\nprint 'goes on'\ngo\n");
    assert!(said.err.contains("longer than -t allows"), "{said:?}");
    assert!(said.out.ends_with("goes on\n"), "{said:?}");
    server.stop().expect("the server stops");
}

#[test]
fn a_server_that_goes_away_is_reported() {
    let server = start();
    let address = format!("127.0.0.1,{}", server.address().port());
    // As `millpond serve` does it, the server waits for SHUTDOWN.
    let waiting = std::thread::spawn(|| server.wait());
    let text = "shutdown\ngo\nwaitfor delay '00:05'\nprint 'never'\ngo\n";
    let said = sql_with(&["-S", &address, "-b"], &[("SQLCMDPASSWORD", PASSWORD)], text);
    assert_eq!(said.code, 1, "{said:?}");
    assert!(!said.out.contains("never"), "{said:?}");
    waiting.join().expect("no panic").expect("the server stops");
}

#[test]
fn the_tempdb_loop_runs_from_ten_connections() {
    let server = start();
    let text = short_loop();
    let all: Vec<Said> = std::thread::scope(|scope| {
        let running: Vec<_> = (0..10).map(|_| scope.spawn(|| sql(&server, &["-b", "-W", "-s", "|"], &text))).collect();
        running.into_iter().map(|one| one.join().expect("it ends")).collect()
    });
    for said in all {
        assert_eq!((said.code, said.err.as_str()), (0, ""), "{said:?}");
        check_loop(&said.out);
    }
    server.stop().expect("the server stops");
}
