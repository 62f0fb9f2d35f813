//! The binary called as `sqlcmd`: what scripts, health checks and others' modules call by this name.
//!
//! Expected texts are those of the manual's page of sqlcmd and of go-sqlcmd's public tests, where these agree.

use millpond_server::{Config, Server};

use crate::command::{Said, sqlcmd, without_machine};

const PASSWORD: &str = "Secret-of-the-test-1";

struct Served {
    server: Option<Server>,
    address: String,
}

fn start() -> Served {
    let mut config = Config::default();
    config.server.listen.set_port(0);
    config.server.sa_password = PASSWORD.into();
    let server = Server::start(&config).expect("the server starts");
    let address = format!("localhost,{}", server.address().port());
    Served { server: Some(server), address }
}

impl Served {
    fn sql(&self, options: &[&str], input: &str) -> Said {
        let mut all = vec!["-S", self.address.as_str(), "-U", "sa", "-P", PASSWORD, "-C"];
        all.extend(options);
        sqlcmd(&all, &[], input)
    }

    fn out(&self, options: &[&str], input: &str) -> String {
        let said = self.sql(options, input);
        assert_eq!((said.code, said.err.as_str()), (0, ""), "{said:?}");
        said.out
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        if let Some(server) = self.server.take() {
            server.stop().expect("the server stops");
        }
    }
}

#[test]
fn what_others_call_works() {
    let served = start();
    // testcontainers-dotnet, testcontainers-go, a health check of compose, and what the manual writes.
    assert_eq!(served.sql(&["-Q", "SELECT 1;"], "").code, 0);
    assert_eq!(served.sql(&["-No", "-Q", "SELECT 1"], "").code, 0);
    assert_eq!(served.sql(&["-Q", "SELECT 1", "-b", "-o", "/dev/null"], "").code, 0);
    assert_eq!(served.sql(&["-l", "1", "-Q", "SELECT 1"], "").code, 0);
    // testcontainers-python: bash finds both names of sqlcmd for /opt/mssql-tools*/bin/sqlcmd.
    let both =
        ["/opt/mssql-tools18/bin/sqlcmd", "-S", &served.address, "-U", "sa", "-P", PASSWORD, "-Q", "SELECT 1", "-C"];
    assert_eq!(sqlcmd(&both, &[], "").code, 0);
    let environment = [
        ("SQLCMDSERVER", served.address.as_str()),
        ("SQLCMDUSER", "sa"),
        ("SQLCMDPASSWORD", PASSWORD),
        ("SQLCMDDBNAME", "tempdb"),
    ];
    let said = sqlcmd(&["-h-1", "-W", "-Q", "set nocount on; select db_name()"], &environment, "");
    assert_eq!((said.out.as_str(), said.code), ("tempdb\n", 0), "{said:?}");
}

#[test]
fn what_cannot_begin_begins_with_the_programs_name_and_ends_with_1() {
    let served = start();
    for (options, expected) in [
        (&["-E"][..], "-E: there is no Windows authentication"),
        (&["-G"], "-G: there is no Microsoft Entra authentication"),
        (&["-B"], "'-B': Unknown Option. Enter '-?' for help."),
        (&["-Q"], "'-Q': Missing argument. Enter '-?' for help."),
        (&["-P", "wrong", "-Q", "select 1"], "Login failed for user 'sa'."),
        (&["-d", "nowhere", "-Q", "select 1"], "Cannot open database \"nowhere\""),
        (&["-i", "/nowhere.sql"], "cannot read '/nowhere.sql'"),
    ] {
        let said = served.sql(options, "");
        assert_eq!((said.code, said.out.as_str()), (1, ""), "{options:?} {said:?}");
        assert!(said.err.starts_with("Sqlcmd: ") && said.err.contains(expected), "{options:?} {said:?}");
    }
    assert!(sqlcmd(&["-?"], &[], "").out.contains("-S"));
}

#[test]
fn exit_codes() {
    let served = start();
    for (options, input, code) in [
        (&["-b", "-Q", "select 1/0"][..], "", 1),
        (&["-Q", "select 1/0"], "", 0),
        (&["-b", "-V", "17", "-Q", "raiserror('x', 16, 1)"], "", 0),
        (&["-V", "16", "-Q", "raiserror('x', 16, 1)"], "", 16),
        // The number of an error of state 127, of which a process gives back the low byte.
        (&[], "raiserror('x', 10, 127)\ngo\nselect 1/0\n", 50000 & 255),
        (&[], "exit(select 7)\n", 7),
        (&[], ":exit(select 'x')\n", 256 - 102),
        (&[], "select 1\ngo\nEXIT(select 1 where 1 = 0)\n", 256 - 101),
        (&["-b"], "exit(select * from nowhere)\n", 256 - 100),
        (&[], "select 5\nexit()\n", 0),
        (&[], "select 1/0\nexit\n", 0),
        (&[], "print '$(nobody)'\n", 1),
    ] {
        assert_eq!(served.sql(options, input).code, code, "{options:?} {input}");
    }
}

#[test]
fn results_and_messages_go_where_scripts_say() {
    let served = start();
    let dir = tempfile::tempdir().expect("a directory");
    let path = |name: &str| dir.path().join(name).to_str().expect("plain").to_owned();
    let script = format!(
        ":out {}\nprint 'in a file'\ngo\n:out stdout\n:error {}\nprint 'shown'\nselect * from nowhere\ngo\n",
        path("out"),
        path("err")
    );
    let said = served.sql(&[], &script);
    assert_eq!((said.out.as_str(), said.err.as_str(), said.code), ("shown\n", "", 0), "{said:?}");
    let said = served.sql(&[], &format!(":error {}\nprint 'shown'\ngo\nselect * from nowhere\ngo\n", path("err")));
    assert_eq!((said.out.as_str(), said.code), ("shown\n", 0), "{said:?}");
    let read = |name: &str| std::fs::read_to_string(path(name)).expect("written");
    assert_eq!(read("out"), "in a file\n");
    assert_eq!(
        without_machine(&read("err")),
        "Msg 208, Level 16, State 1, Server SERVER, Line 1\nInvalid object name 'nowhere'.\n"
    );
    served.out(&["-u", "-o", &path("wide"), "-Q", "print 'ä'"], "");
    assert_eq!(std::fs::read(path("wide")).expect("written"), b"\xFF\xFE\xE4\0\n\0");
}

#[test]
fn large_values_come_whole_where_they_are_asked_for() {
    let served = start();
    let query = "set nocount on; select replicate(cast('x' as varchar(max)), 3000) as big";
    assert_eq!(served.out(&["-y", "0", "-Q", query], ""), format!("{}\n", "x".repeat(3000)));
    assert_eq!(served.out(&["-h", "-1", "-Q", query], "").len(), 257);
    let json = "set nocount on; select 1 as a for json path";
    assert_eq!(served.out(&["-y0", "-Q", json], ""), "[{\"a\":1}]\n");
    let xml = ":xml on\nselect 1 as a for xml raw\ngo\n";
    assert_eq!(served.out(&[], xml).trim_end(), "<row a=\"1\"/>");
    let controls = "set nocount on; select 'a' + char(9) + char(10) + 'b'";
    assert_eq!(served.out(&["-h-1", "-W", "-k1", "-Q", controls], ""), "a  b\n");
    assert_eq!(served.out(&["-h-1", "-W", "-k2", "-Q", controls], ""), "a b\n");
}

#[test]
fn own_variables_are_heeded() {
    let served = start();
    let script = ":setvar SQLCMDHEADERS -1\n:setvar SQLCMDCOLSEP ;\nset nocount on\nselect cast(1 as tinyint), '$(SQLCMDUSER)'\ngo\n";
    assert_eq!(served.out(&[], script), "  1;sa\n");
    let said = served.sql(&[], ":setvar SQLCMDSERVER other\nprint 'never'\ngo\n");
    assert_eq!(
        (said.code, said.err.as_str()),
        (1, "Sqlcmd: Error: The scripting variable: 'SQLCMDSERVER' is read-only\n")
    );
    let listed = served.out(&["-v", "mine=1"], ":listvar\n");
    assert!(listed.contains("SQLCMDCOLSEP = \" \"\n") && listed.ends_with("mine = \"1\"\n"), "{listed}");
}

#[test]
fn commands_of_the_machine_and_other_servers() {
    let (served, other) = (start(), start());
    assert_eq!(served.out(&["-v", "w=there"], "!! echo hello $(w)\n"), "hello there\n");
    let refused = served.sql(&["-X", "-Q", "!! echo hello"], "");
    assert!(refused.out.is_empty() && refused.err.contains("commands, startup script"), "{refused:?}");
    other.out(&["-Q", "create database only_there"], "");
    let ask = "select count(*) from sys.databases where name = 'only_there'";
    let script = format!(
        "set nocount on\n{ask}\ngo\n:connect {} -U sa -P {PASSWORD}\nset nocount on\n{ask}\ngo\n",
        other.address
    );
    assert_eq!(served.out(&["-h-1", "-W"], &script), "0\n1\n");
    assert_eq!(
        served.out(&["-c", "run", "-h-1", "-W"], "set nocount on\nselect 1\nrun\nselect 2\nRUN 2\n"),
        "1\n2\n2\n"
    );
}

#[test]
fn passwords_can_be_changed() {
    let served = start();
    let mut login = vec!["-S", served.address.as_str(), "-C", "-U", "ann"];
    served.out(&["-Q", "create login ann with password = 'Before-it-1'"], "");
    let changed = sqlcmd(&[&login[..], &["-P", "Before-it-1", "-Z", "After-it-12"]].concat(), &[], "");
    assert_eq!((changed.code, changed.err.as_str()), (0, ""), "{changed:?}");
    login.extend(["-P", "After-it-12", "-h-1", "-W", "-Q", "set nocount on; select suser_name()"]);
    assert_eq!(sqlcmd(&login, &[], "").out, "ann\n");
}

#[test]
fn scripts_that_cannot_be_read_are_said_with_their_line() {
    let served = start();
    let said = served.sql(&["-b"], "select 1\nGO\n:setvar\nselect 2\nGO\n");
    assert_eq!(said.code, 1, "{said:?}");
    assert!(said.err.starts_with("Sqlcmd: Error: Syntax error at line 3 near command ':SETVAR'."), "{said:?}");
    let late = served.sql(&["-t", "1", "-Q", "waitfor delay '00:01'"], "");
    assert_eq!(late.err, "Timeout expired\n", "{late:?}");
}
