//! `millpond serve` as its environment makes it: the modes of its files, and clients without encryption.

use std::io::{BufRead, BufReader};
use std::net::{IpAddr, UdpSocket};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::command::{Said, sql_with};

pub const PASSWORD: &str = "Secret-of-the-test-1";

/// A server in a process of its own, which takes new files as they are made: no mask takes rights away.
pub struct Served {
    process: Child,
    port: String,
}

impl Served {
    pub fn start(options: &[&str], environment: &[(&str, &str)]) -> Served {
        let mut shell = Command::new("sh");
        shell.args(["-c", "umask 0 && exec \"$0\" serve \"$@\"", env!("CARGO_BIN_EXE_millpond")]).args(options);
        shell.env("MSSQL_SA_PASSWORD", PASSWORD).envs(environment.iter().copied());
        let mut process = shell.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("a shell is there");
        let said = BufReader::new(process.stdout.take().expect("it is piped"));
        let port = said.lines().map_while(Result::ok).find_map(|line| {
            let address = line.trim().strip_prefix("listen")?.trim().to_owned();
            address.rsplit_once(':').map(|(_, port)| port.to_owned())
        });
        Served { process, port: port.expect("it listens") }
    }

    /// Its process.
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// Where it listens.
    pub fn port(&self) -> u16 {
        self.port.parse().expect("a port")
    }

    /// Waits for its end, which is a good one.
    pub fn ended(&mut self) {
        assert!(self.process.wait().expect("it ends").success());
    }

    pub fn sql(&self, host: &str, options: &[&str], text: &str) -> Said {
        let address = format!("{host},{}", self.port);
        let mut all = vec!["-S", address.as_str(), "-C", "-h", "-1", "-W"];
        all.extend(options);
        sql_with(&all, &[("SQLCMDPASSWORD", PASSWORD)], text)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // It is to be gone; one that has ended by itself is.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// All files and folders below `dir` with their modes.
fn modes(dir: &Path, found: &mut Vec<(PathBuf, bool, u32)>) {
    for entry in std::fs::read_dir(dir).expect("a folder") {
        let entry = entry.expect("readable");
        let about = entry.metadata().expect("it is there");
        found.push((entry.path(), about.is_dir(), about.permissions().mode() & 0o7777));
        if about.is_dir() {
            modes(&entry.path(), found);
        }
    }
}

#[test]
fn a_server_with_a_closed_standard_output_serves() {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let mut command = Command::new(env!("CARGO_BIN_EXE_millpond"));
    command.args(["serve", "--listen", "127.0.0.1:0"]).env("MSSQL_SA_PASSWORD", PASSWORD);
    let mut process = command.stdout(writer).stderr(Stdio::piped()).spawn().expect("the binary starts");
    let log = BufReader::new(process.stderr.take().expect("it is piped"));
    let mut lines = log.lines().map_while(Result::ok);
    let port = lines.find_map(|line| {
        let (_, rest) = line.split_once("Server is listening on [ 127.0.0.1 <ipv4> ")?;
        rest.split_once(']').map(|(port, _)| port.to_owned())
    });
    let mut server = Served { process, port: port.expect("it listens") };
    assert!(lines.any(|line| line.contains("the standard output is closed")), "the log reports it");
    assert_eq!(server.sql("127.0.0.1", &["-Q", "print 'in'"], "").out, "in\n");
    assert_eq!(server.sql("127.0.0.1", &["-Q", "shutdown"], "").code, 0);
    assert!(server.process.wait().expect("it ends").success());
}

#[test]
fn a_later_start_has_the_password_of_the_first() {
    let dir = tempfile::tempdir().expect("a directory");
    let options = ["--listen", "127.0.0.1:0", "--data", dir.path().to_str().expect("plain")];
    for given in [PASSWORD, ""] {
        let mut server = Served::start(&options, &[("MSSQL_SA_PASSWORD", given)]);
        assert_eq!(server.sql("127.0.0.1", &["-Q", "print 'in'"], "").out, "in\n", "after {given:?}");
        assert_eq!(server.sql("127.0.0.1", &["-Q", "shutdown"], "").code, 0);
        assert!(server.process.wait().expect("it ends").success());
    }
}

#[test]
fn others_than_owner_and_group_read_nothing() {
    let dir = tempfile::tempdir().expect("a directory");
    let data = dir.path().join("data");
    let server = Served::start(&["--listen", "127.0.0.1:0", "--data", data.to_str().expect("plain")], &[]);
    let (backup, log) = (data.join("shop.bak"), data.join("shop.trn"));
    let said = server.sql(
        "127.0.0.1",
        &[],
        &format!(
            "set nocount on\ncreate database shop\ngo\nalter database shop set recovery full\n\
             alter database shop add file (name = more, filename = '{}', size = 8MB)\n\
             alter database tempdb add file (name = more, filename = '{}', size = 8MB)\n\
             backup database shop to disk = '{}'\nbackup log shop to disk = '{}'\n",
            data.join("more.ndf").display(),
            data.join("temp.ndf").display(),
            backup.display(),
            log.display()
        ),
    );
    assert!(!said.out.contains("Msg "), "{said:?}");
    let mut found = Vec::new();
    modes(dir.path(), &mut found);
    for (path, is_dir, mode) in &found {
        let name = path.file_name().and_then(|name| name.to_str()).expect("plain");
        let wanted = match (is_dir, name.contains("key")) {
            (true, _) => 0o750,
            (false, true) => 0o600,
            (false, false) => 0o640,
        };
        assert_eq!(*mode, wanted, "{}: {mode:o} is not {wanted:o}", path.display());
    }
    let names: Vec<_> = found.iter().filter_map(|(path, ..)| path.file_name()?.to_str()).collect();
    for name in ["data", "instance.toml", "shop.mdf", "shop_log.ldf", "more.ndf", "temp.ndf", "shop.bak", "shop.trn"] {
        assert!(names.contains(&name), "{name} in {names:?}");
    }
    assert!(names.iter().any(|name| name.contains("key")), "{names:?}");
}

#[test]
fn clients_without_encryption_are_refused_where_the_environment_says_so() {
    for (value, is_refused) in [("1", true), ("true", true), ("0", false), ("", false)] {
        let server = Served::start(&["--listen", "127.0.0.1:0"], &[("MSSQL_FORCE_ENCRYPTION", value)]);
        let clear = server.sql("127.0.0.1", &["-N", "disable", "-Q", "print 'in'"], "");
        assert_eq!(
            (clear.code, clear.out.as_str()),
            if is_refused { (1, "") } else { (0, "in\n") },
            "{value:?} {clear:?}"
        );
        assert_eq!(clear.err.contains("ncrypt"), is_refused, "{value:?} {clear:?}");
        let sealed = server.sql("127.0.0.1", &["-N", "m", "-Q", "print 'in'"], "");
        assert_eq!((sealed.code, sealed.out.as_str()), (0, "in\n"), "{value:?} {sealed:?}");
    }
}

/// The address of this machine on a network; none where it is on none.
fn own_address() -> Option<IpAddr> {
    let socket = UdpSocket::bind("0.0.0.0:0").ok()?;
    // Nothing is sent: this chooses the interface.
    socket.connect("192.0.2.1:9").ok()?;
    let address = socket.local_addr().ok()?.ip();
    (!address.is_loopback() && !address.is_unspecified()).then_some(address)
}

#[test]
fn passwords_that_crossed_a_network_in_the_clear_are_counted() {
    let server = Served::start(&["--listen", "0.0.0.0:0"], &[]);
    let count = "set nocount on; select cntr_value from sys.dm_os_performance_counters \
                 where counter_name = 'Clear Text Logins'";
    let counted = |host: &str, how: &str| server.sql(host, &["-N", how, "-Q", count], "").out;
    // The machine itself is no network.
    assert_eq!([counted("127.0.0.1", "disable"), counted("127.0.0.1", "disable")], ["0\n", "0\n"]);
    let Some(address) = own_address() else { return };
    let host = address.to_string();
    assert_eq!([counted(&host, "m"), counted(&host, "m")], ["0\n", "0\n"]);
    assert_eq!([counted(&host, "disable"), counted(&host, "disable")], ["1\n", "2\n"]);
    let read = "exec sp_readerrorlog 0, 1, N'sent its login without encryption'";
    assert_eq!(
        server.sql("127.0.0.1", &["-Q", read], "").out.matches(&host).count(),
        1,
        "reported once for an address"
    );
}
