//! The binary called as `sqlservr`, as it is process 1 of a container: environment, first start, words of the log, end.
//!
//! `tests/container/run` asks the same of a whole image where there is a container runtime.

use std::io::Read;
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::command::{Said, sqlcmd};

const PASSWORD: &str = "yourStrong(!)Password";
const READY: &str =
    "SQL Server is now ready for client connections. This is an informational message; no user action is required.";
const RECOVERED: &str = "Recovery is complete. This is an informational message only. No user action is required.";
/// A process that says nothing for so long hangs.
const PATIENCE: Duration = Duration::from_secs(120);

/// A folder that stands for /var/opt/mssql, and one for /docker-entrypoint-initdb.d.
struct Box {
    dir: tempfile::TempDir,
    port: u16,
}

impl Box {
    fn new() -> Box {
        let dir = tempfile::tempdir().expect("a directory");
        for folder in ["mssql", "initdb.d", "bin"] {
            std::fs::create_dir(dir.path().join(folder)).expect("a folder");
        }
        symlink(env!("CARGO_BIN_EXE_millpond"), dir.path().join("bin/sqlcmd")).expect("a link");
        let free = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let port = free.local_addr().expect("bound").port();
        Box { dir, port }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn script(&self, name: &str, text: impl AsRef<[u8]>) {
        std::fs::write(self.path("initdb.d").join(name), text).expect("written");
    }

    fn start(&self, arguments: &[&str], environment: &[(&str, &str)]) -> Running {
        let mut command = Command::new(env!("CARGO_BIN_EXE_millpond"));
        command.arg0("/opt/mssql/bin/sqlservr").args(arguments).env_clear();
        let path = format!("{}:{}", self.path("bin").display(), std::env::var("PATH").unwrap_or_default());
        command.env("PATH", path).env("MSSQL_TCP_PORT", self.port.to_string());
        command.env("MILLPOND_MSSQL_DIR", self.path("mssql")).env("MILLPOND_INITDB_DIR", self.path("initdb.d"));
        command.envs(environment.iter().copied());
        let log = std::fs::File::create(self.path("log")).expect("a file");
        let errors = log.try_clone().expect("a descriptor");
        let child = command.stdin(Stdio::null()).stdout(log).stderr(errors).spawn().expect("the binary starts");
        Running { child, log: self.path("log"), port: self.port }
    }

    /// With a password that will do, until it is ready.
    fn ready(&self, environment: &[(&str, &str)]) -> Running {
        let mut all = vec![("MSSQL_SA_PASSWORD", PASSWORD)];
        all.extend(environment);
        let mut running = self.start(&[], &all);
        running.wait_for(RECOVERED);
        running
    }

    fn health(&self) -> i32 {
        let mut command = Command::new(env!("CARGO_BIN_EXE_millpond"));
        command.arg0("sqlservr").arg("--healthcheck").env("MSSQL_TCP_PORT", self.port.to_string());
        command.stdout(Stdio::null()).status().expect("it runs").code().expect("it exits")
    }
}

struct Running {
    child: Child,
    log: PathBuf,
    port: u16,
}

impl Running {
    fn text(&self) -> String {
        let mut text = String::new();
        std::fs::File::open(&self.log).and_then(|mut file| file.read_to_string(&mut text)).expect("the log is there");
        text
    }

    fn wait_for(&mut self, words: &str) {
        let begun = Instant::now();
        while !self.text().contains(words) {
            let ended = self.child.try_wait().expect("it is ours");
            assert!(ended.is_none() && begun.elapsed() < PATIENCE, "no '{words}': {ended:?} {}", self.text());
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    fn sql(&self, options: &[&str], text: &str) -> Said {
        let address = format!("localhost,{}", self.port);
        let mut all = vec!["-S", address.as_str(), "-C", "-h", "-1", "-W"];
        all.extend(options);
        sqlcmd(&all, &[("SQLCMDPASSWORD", PASSWORD)], text)
    }

    fn answer(&self, query: &str) -> String {
        let said = self.sql(&["-U", "sa", "-b", "-Q", &format!("set nocount on; {query}")], "");
        assert_eq!(said.code, 0, "{said:?}");
        said.out.trim_end().to_owned()
    }

    /// As `docker stop` does.
    fn terminate(mut self) -> (i32, String) {
        let killed =
            Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status().expect("kill is there");
        assert!(killed.success());
        self.end()
    }

    fn end(&mut self) -> (i32, String) {
        let begun = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("it is ours") {
                return (status.code().expect("it exits"), self.text());
            }
            assert!(begun.elapsed() < PATIENCE, "it does not end: {}", self.text());
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It is to be gone; one that has ended by itself is.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_container_of_sql_server_starts_with_its_environment_alone() {
    let place = Box::new();
    let environment = [("ACCEPT_EULA", "Y"), ("SA_PASSWORD", PASSWORD), ("MSSQL_PID", "Developer")];
    let mut running = place.start(&[], &environment);
    running.wait_for(RECOVERED);
    let log = running.text();
    assert!(log.find(READY).expect("it is ready") < log.find(RECOVERED).expect("it is recovered"), "{log}");
    for line in
        ["ACCEPT_EULA does nothing here", "MSSQL_PID does nothing here", "Server is listening on [ 'any' <ipv4>"]
    {
        assert!(log.contains(line), "{line}: {log}");
    }
    // As SQL Server's lines: time to hundredths, source, text.
    assert!(log.lines().all(|line| line.len() > 35 && &line[22..35] == " Server      "), "{log}");
    assert!(!log.contains(PASSWORD), "{log}");
    let errorlog = std::fs::read_to_string(place.path("mssql/log/errorlog")).expect("it is there");
    assert!(errorlog.contains(READY), "{errorlog}");
    assert_eq!(place.health(), 0);
    assert_eq!(running.answer("select 1"), "1");
    assert_eq!(running.answer("create database kept; select 2"), "2");
    let (code, log) = running.terminate();
    assert_eq!(code, 0, "{log}");
    assert!(log.trim_end().ends_with("everything is written."), "{log}");
    assert_eq!(place.health(), 1);

    // What a volume has is there again, and its password without the variable.
    let mut again = place.start(&["--accept-eula"], &[]);
    again.wait_for(RECOVERED);
    assert_eq!(again.answer("select name from sys.databases where name = 'kept'"), "kept");
    assert!(place.path("mssql/log/errorlog.1").exists());
    assert_eq!(again.terminate().0, 0);
}

#[test]
fn passwords_that_the_policy_refuses_end_with_sql_servers_words() {
    let place = Box::new();
    let refused = "ERROR: Unable to set system administrator password: Password validation failed. The password does not meet \
                   SQL Server password policy requirements because it is";
    for (environment, reason) in [
        (&[("SA_PASSWORD", "weak")][..], format!("{refused} too short. The password must be at least 8 characters..")),
        (&[("MSSQL_SA_PASSWORD", "longbutsimple")], format!("{refused} not complex enough.")),
        (&[("ACCEPT_EULA", "Y")], "MSSQL_SA_PASSWORD is not set".to_owned()),
    ] {
        let (code, log) = place.start(&[], environment).end();
        assert_eq!(code, 1, "{log}");
        assert!(log.contains(&reason), "{log}");
        assert!(
            log.contains("An error occurred during server setup. See previous errors for more information."),
            "{log}"
        );
        assert!(!log.contains(READY) && !log.contains("longbutsimple"), "{log}");
        assert!(!place.path("mssql/data/instance.toml").exists());
    }
}

#[test]
fn values_without_sense_and_unknown_arguments_end_with_1() {
    let place = Box::new();
    let password = ("MSSQL_SA_PASSWORD", PASSWORD);
    for (name, value) in [("MSSQL_MEMORY_LIMIT_MB", "much"), ("MSSQL_COLLATION", "Klingon_CI_AS"), ("MSSQL_USER", "x")]
    {
        let (code, log) = place.start(&[], &[password, (name, value)]).end();
        assert!(code == 1 && log.contains(name), "{code} {log}");
    }
    let (code, log) = place.start(&["--nothing"], &[password]).end();
    assert!(code == 1 && log.contains("'--nothing' is not known"), "{code} {log}");
}

fn gzip(text: &str) -> Vec<u8> {
    let mut child = Command::new("gzip").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("gzip is there");
    std::io::Write::write_all(&mut child.stdin.take().expect("piped"), text.as_bytes()).expect("it reads");
    child.wait_with_output().expect("it ends").stdout
}

#[test]
fn scripts_run_once_in_order_before_it_is_ready() {
    let place = Box::new();
    place.script(
        "01-table.sql",
        "create table log (id int identity, who varchar(20))\ngo\ninsert log values ('$(NAME_OF_1)')\ngo\n",
    );
    place.script("02-more.sql.gz", gzip("insert log values ('two')\n"));
    // As people write it: the server of this machine.
    let shell = "#!/bin/sh\nset -e\nsqlcmd -S localhost -U sa -P \"$MSSQL_SA_PASSWORD\" -C -b -d shop -Q \"insert log values ('three')\"\n";
    place.script("03-program.sh", shell);
    let program = place.path("initdb.d/03-program.sh");
    std::fs::set_permissions(program, std::fs::Permissions::from_mode(0o755)).expect("its own");
    place.script("04-sourced.sh", "sqlcmd -Q \"insert log values ('four')\" -b\n");
    place.script("05-readme.txt", "not a script");
    let environment =
        [("MSSQL_DB", "shop"), ("MSSQL_USER", "keeper"), ("MSSQL_PASSWORD", "Pond's-Own-1"), ("NAME_OF_1", "one")];
    let running = place.ready(&environment);
    assert_eq!(
        running.answer("select string_agg(who, ' ') within group (order by id) from shop.dbo.log"),
        "one two three four"
    );
    let log = running.text();
    assert!(log.contains("05-readme.txt is left alone"), "{log}");
    let done = log.find("Running").expect("scripts ran");
    assert!(done < log.find(READY).expect("ready"), "{log}");
    let asked = ["-U", "keeper", "-P", "Pond's-Own-1", "-Q", "set nocount on; select db_name(), is_member('db_owner')"];
    assert_eq!(running.sql(&asked, "").out, "shop 1\n");
    assert_eq!(running.terminate().0, 0);

    let again = place.ready(&environment);
    assert!(!again.text().contains("Running"), "{}", again.text());
    assert_eq!(again.answer("select count(*) from shop.dbo.log"), "4");
    assert_eq!(again.terminate().0, 0);
}

#[test]
fn a_script_that_fails_ends_the_container_and_leaves_nothing() {
    let place = Box::new();
    place.script("01-good.sql", "create database half\n");
    place.script("02-bad.sql", "print 'begun'\ngo\n\nselect 1\nselect *\nfrom nowhere\ngo\n");
    place.script("03-never.sql", "create database never\n");
    let password = [("MSSQL_SA_PASSWORD", PASSWORD)];
    for round in 0..2 {
        let (code, log) = place.start(&[], &password).end();
        let expected = format!(
            "ERROR: {}, line 6: Msg 208, Level 16, State 1: Invalid object name 'nowhere'.",
            place.path("initdb.d/02-bad.sql").display()
        );
        assert!(code == 1 && log.contains(&expected), "{code} {log}");
        assert!(!log.contains(READY) && !log.contains(RECOVERED) && !log.contains("03-never"), "{log}");
        assert_eq!(log.contains("An earlier start did not come to the end"), round == 1, "{log}");
        assert_eq!(place.health(), 1);
    }
    // Mended, it begins anew: nothing of the first try is in the way.
    place.script("02-bad.sql", "create table half.dbo.t (i int)\n");
    let running = place.ready(&[]);
    assert_eq!(running.answer("select count(*) from sys.databases where name in ('half', 'never')"), "2");
    assert_eq!(running.terminate().0, 0);
    std::fs::remove_dir_all(place.path("initdb.d")).expect("its own");
    assert_eq!(place.ready(&[]).answer("select count(*) from half.dbo.t"), "0");
}

#[test]
fn a_program_that_fails_is_named_with_its_exit_code() {
    let place = Box::new();
    place.script("01.sh", "echo 'no such file' >&2\nexit 3\n");
    let (code, log) = place.start(&[], &[("MSSQL_SA_PASSWORD", PASSWORD)]).end();
    assert!(
        code == 1 && log.contains("01.sh ended with exit status: 3.") && log.contains("no such file"),
        "{code} {log}"
    );
    assert!(!log.contains(READY), "{log}");
}

#[test]
fn nobody_is_let_in_before_the_scripts_are_done_and_sigterm_ends_them() {
    let place = Box::new();
    place.script("01.sql", "create database early\ngo\nraiserror('waits', 0, 1) with nowait\nwaitfor delay '00:05'\n");
    let mut running = place.start(&[], &[("MSSQL_SA_PASSWORD", PASSWORD)]);
    running.wait_for("01.sql");
    assert!(TcpStream::connect(("127.0.0.1", place.port)).is_err(), "the port is open already");
    assert_eq!(place.health(), 1);
    let (code, log) = running.terminate();
    assert!(code == 0 && !log.contains(READY), "{code} {log}");
    place.script("01.sql", "create database early\n");
    let again = place.ready(&[]);
    assert!(again.text().contains("begins anew"), "{}", again.text());
    assert_eq!(again.answer("select count(*) from sys.databases where name = 'early'"), "1");
}

fn data(place: &Box) -> PathBuf {
    let data = place.path("mssql/data");
    std::fs::create_dir_all(&data).expect("a folder");
    data
}

#[test]
fn volumes_of_others_are_refused_and_left_as_they_were() {
    let place = Box::new();
    let data = data(&place);
    std::fs::write(data.join("master.mdf"), "SQL Server's").expect("written");
    let (code, log) = place.start(&[], &[("MSSQL_SA_PASSWORD", PASSWORD)]).end();
    assert!(code == 1 && log.contains("holds the master.mdf of another server"), "{code} {log}");
    assert_eq!(std::fs::read(data.join("master.mdf")).expect("it is there"), b"SQL Server's");

    let place = Box::new();
    let newer = self::data(&place);
    std::fs::write(newer.join("instance.toml"), "format = 99\n").expect("written");
    let (code, log) = place.start(&[], &[("MSSQL_SA_PASSWORD", PASSWORD)]).end();
    assert!(code == 1 && log.contains("a newer version of Millpond"), "{code} {log}");
    assert!(!log.contains(READY), "{log}");
}

#[test]
fn folders_and_collation_are_those_of_the_environment() {
    let place = Box::new();
    let path = |name: &str| place.path(name).to_str().expect("plain").to_owned();
    let (master, data, log, backup) = (path("m/master.mdf"), path("d"), path("l"), path("b"));
    let environment = [
        ("MSSQL_MASTER_DATA_FILE", master.as_str()),
        ("MSSQL_DATA_DIR", &data),
        ("MSSQL_LOG_DIR", &log),
        ("MSSQL_BACKUP_DIR", &backup),
        ("MSSQL_COLLATION", "Latin1_General_100_CS_AS"),
        ("MSSQL_MEMORY_LIMIT_MB", "512"),
    ];
    let running = place.ready(&environment);
    assert_eq!(
        running.answer("create database shop; backup database shop to disk = 'shop.bak'; select 1").lines().last(),
        Some("1")
    );
    for file in ["m/master.mdf", "d/shop.mdf", "l/shop_log.ldf", "b/shop.bak"] {
        assert!(place.path(file).exists(), "{file}");
    }
    assert_eq!(running.answer("select serverproperty('InstanceDefaultLogPath')"), format!("{log}/"));
    let collations = "select count(distinct collation_name), min(collation_name) from sys.databases";
    assert_eq!(running.answer(collations), "1 Latin1_General_100_CS_AS");
    assert_eq!(running.answer("select serverproperty('collation')"), "Latin1_General_100_CS_AS");
    let joined = "create table #t (a varchar(9)); create table shop.dbo.t (a varchar(9)); insert #t values ('a'); \
                  insert shop.dbo.t values ('A'), ('a'); select count(*) from #t join shop.dbo.t as s on #t.a = s.a";
    assert_eq!(running.answer(joined), "1");
    assert_eq!(running.terminate().0, 0);
    // A later start has what the first one made, as SQL Server's has.
    let again = place.ready(&environment[..4]);
    assert_eq!(again.answer(collations), "1 Latin1_General_100_CS_AS");
    assert_eq!(
        again
            .answer("drop database shop; restore database shop from disk = 'shop.bak'; select name from sys.databases where name = 'shop'")
            .lines()
            .last(),
        Some("shop")
    );
    assert!(Path::new(&data).join("shop.mdf").exists());
}

#[test]
fn what_a_first_start_left_in_other_folders_is_not_in_the_way() {
    let place = Box::new();
    let path = |name: &str| place.path(name).to_str().expect("plain").to_owned();
    let (data, log) = (path("mssql/data/user"), path("l"));
    let environment =
        [("MSSQL_SA_PASSWORD", PASSWORD), ("MSSQL_DATA_DIR", &data), ("MSSQL_LOG_DIR", &log), ("MSSQL_DB", "shop")];
    std::fs::create_dir(place.path("l")).expect("a folder");
    std::fs::write(place.path("l/own.txt"), "kept").expect("written");
    place.script("1.sql", "select * from nowhere\n");
    assert_eq!(place.start(&[], &environment).end().0, 1);
    assert!(place.path("l/shop_log.ldf").exists());
    place.script("1.sql", "select 1\n");
    let running = place.ready(&environment[1..]);
    assert_eq!(running.answer("select count(*) from sys.databases where name = 'shop'"), "1");
    let left: Vec<_> = std::fs::read_dir(place.path("l"))
        .expect("a folder")
        .map(|entry| entry.expect("it is there").file_name())
        .collect();
    assert!(
        left.iter().any(|name| name == "own.txt") && !left.iter().any(|name| name.to_string_lossy().contains("begun")),
        "{left:?}"
    );
}

#[test]
fn the_agent_runs_where_the_environment_says_so() {
    let start = "exec msdb.dbo.sp_add_job 'j'; exec msdb.dbo.sp_add_jobstep @job_name = 'j', @step_name = 's', @command = 'select 1'; exec msdb.dbo.sp_add_jobserver @job_name = 'j'; exec msdb.dbo.sp_start_job 'j'";
    for (value, is_refused) in [("true", false), ("false", true)] {
        let place = Box::new();
        let running = place.ready(&[("MSSQL_AGENT_ENABLED", value)]);
        let said = running.sql(&["-U", "sa", "-Q", start], "");
        assert_eq!(said.out.contains("Msg 22022"), is_refused, "{value} {said:?}");
    }
}
