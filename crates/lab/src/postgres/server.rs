//! A PostgreSQL server for as long as an experiment runs: its files in a directory of its own, on a free port of loopback.
//!
//! What always holds: it trusts who connects over loopback and listens nowhere else; with its end everything that it made is
//! gone. It does not run as root, so root runs it as the user postgres. What is installed is found, nothing is fetched.

use std::io;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::wire::Connection;

/// Where Debian and its kin put the binaries of each version.
const INSTALLED: &str = "/usr/lib/postgresql";
/// The user that packages make.
const USER: &str = "postgres";
/// How long a start may take.
const START: Duration = Duration::from_secs(30);
const LOOK: Duration = Duration::from_millis(50);

/// Why there is no server.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PostgresError {
    /// It is not installed, or may not run here: no fault, but there is no peer.
    #[error("{0}")]
    Missing(String),
    /// A program of it failed.
    #[error("{program} failed: {said}")]
    Failed {
        /// Which.
        program: &'static str,
        /// Its last words.
        said: String,
    },
    /// Its directory or its processes.
    #[error("{what}: {source}")]
    System {
        /// What was done.
        what: &'static str,
        /// Why it failed.
        source: io::Error,
    },
}

fn system(what: &'static str) -> impl FnOnce(io::Error) -> PostgresError {
    move |source| PostgresError::System { what, source }
}

/// A server that runs.
#[derive(Debug)]
pub(crate) struct PostgresServer {
    child: Child,
    port: u16,
    programs: PathBuf,
    owner: Option<(u32, u32)>,
    dir: tempfile::TempDir,
}

impl PostgresServer {
    /// Starts one whose directory lies in `parent`, with settings as `name=value`.
    pub(crate) fn start(parent: &Path, settings: &[String]) -> Result<PostgresServer, PostgresError> {
        let programs = programs().ok_or_else(|| PostgresError::Missing("PostgreSQL is not installed".into()))?;
        let owner = owner()?;
        let dir = tempfile::Builder::new().prefix("postgres.").tempdir_in(parent).map_err(system("its directory"))?;
        give(dir.path(), owner).map_err(system("the owner of its directory"))?;
        let data = dir.path().join("data");
        let mut initdb = command(&programs, "initdb", owner);
        initdb.args(["--auth=trust", "--username=postgres", "--encoding=UTF8", "--locale=C", "-D"]).arg(&data);
        finish(initdb, "initdb")?;
        let port = free_port().map_err(system("a free port"))?;
        let log = std::fs::File::create(dir.path().join("log")).map_err(system("its log"))?;
        let mut postgres = command(&programs, "postgres", owner);
        postgres
            .arg("-D")
            .arg(&data)
            .args(["-p", &port.to_string(), "-c", "listen_addresses=127.0.0.1", "-k"])
            .arg(dir.path());
        for setting in settings {
            postgres.args(["-c", setting]);
        }
        postgres.stdout(Stdio::null()).stderr(log);
        let child = postgres.spawn().map_err(system("its process"))?;
        let mut server = PostgresServer { child, port, programs, owner, dir };
        server.wait_until_ready()?;
        Ok(server)
    }

    /// `host:port`.
    pub(crate) fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    fn wait_until_ready(&mut self) -> Result<(), PostgresError> {
        let begun = Instant::now();
        loop {
            if Connection::open(&self.address(), USER, USER).is_ok() {
                return Ok(());
            }
            let ended = self.child.try_wait().map_err(system("its process"))?;
            if ended.is_some() || begun.elapsed() > START {
                let log = std::fs::read_to_string(self.dir.path().join("log")).unwrap_or_default();
                return Err(PostgresError::Failed { program: "postgres", said: last_words(&log) });
            }
            std::thread::sleep(LOOK);
        }
    }

    /// Ends it in order.
    pub(crate) fn stop(mut self) -> Result<(), PostgresError> {
        let mut stop = command(&self.programs, "pg_ctl", self.owner);
        stop.args(["stop", "-w", "-m", "fast", "-D"]).arg(self.dir.path().join("data"));
        finish(stop, "pg_ctl")?;
        self.child.wait().map(drop).map_err(system("its process"))
    }
}

impl Drop for PostgresServer {
    /// After a failure it ends at once, so that its directory can go; one that has ended stays so.
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

/// The directory of the newest installed version's programs.
fn programs() -> Option<PathBuf> {
    let versions = std::fs::read_dir(INSTALLED).into_iter().flatten().flatten();
    let newest = versions.filter_map(|entry| {
        let version: u32 = entry.file_name().to_str()?.parse().ok()?;
        let programs = entry.path().join("bin");
        programs.join("postgres").is_file().then_some((version, programs))
    });
    let on_path = || {
        let path = std::env::var_os("PATH")?;
        std::env::split_paths(&path).find(|folder| folder.join("postgres").is_file() && folder.join("initdb").is_file())
    };
    newest.max().map(|(_, programs)| programs).or_else(on_path)
}

/// A program of it as the user that it may run as.
fn command(programs: &Path, name: &str, owner: Option<(u32, u32)>) -> Command {
    let mut command = Command::new(programs.join(name));
    command.stdin(Stdio::null()).current_dir("/");
    #[cfg(unix)]
    if let Some((user, group)) = owner {
        use std::os::unix::process::CommandExt;
        command.uid(user).gid(group);
    }
    #[cfg(not(unix))]
    let _ = owner;
    command
}

fn finish(mut command: Command, program: &'static str) -> Result<(), PostgresError> {
    let output = command.output().map_err(system(program))?;
    if output.status.success() {
        return Ok(());
    }
    Err(PostgresError::Failed { program, said: last_words(&String::from_utf8_lossy(&output.stderr)) })
}

/// The last lines that say something.
fn last_words(text: &str) -> String {
    let mut lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).rev().take(3).collect();
    lines.reverse();
    if lines.is_empty() { "it said nothing".into() } else { lines.join(" / ") }
}

/// Whom it runs as: this process's user, or postgres if that is root.
#[cfg(unix)]
fn owner() -> Result<Option<(u32, u32)>, PostgresError> {
    use std::os::unix::fs::MetadataExt;
    let me = std::fs::metadata("/proc/self").map_err(system("who runs this"))?.uid();
    if me != 0 {
        return Ok(None);
    }
    let users = std::fs::read_to_string("/etc/passwd").map_err(system("the users"))?;
    let missing = || PostgresError::Missing(format!("PostgreSQL does not run as root, and there is no user {USER}"));
    numbers_of(&users, USER).map(Some).ok_or_else(missing)
}

#[cfg(not(unix))]
fn owner() -> Result<Option<(u32, u32)>, PostgresError> {
    Err(PostgresError::Missing("PostgreSQL is looked for on Unix alone".into()))
}

/// User and group of a name in a file as `/etc/passwd`.
#[cfg(unix)]
fn numbers_of(users: &str, name: &str) -> Option<(u32, u32)> {
    users.lines().find_map(|line| {
        let mut fields = line.split(':');
        let is_it = fields.next() == Some(name);
        let (user, group) = (fields.nth(1)?, fields.next()?);
        is_it.then_some((user.parse().ok()?, group.parse().ok()?))
    })
}

#[cfg(unix)]
fn give(path: &Path, owner: Option<(u32, u32)>) -> io::Result<()> {
    owner.map_or(Ok(()), |(user, group)| std::os::unix::fs::chown(path, Some(user), Some(group)))
}

#[cfg(not(unix))]
fn give(_: &Path, _: Option<(u32, u32)>) -> io::Result<()> {
    Ok(())
}

/// One that is free now; another program may take it before the server does, which its start then says.
fn free_port() -> io::Result<u16> {
    Ok(TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn users_are_found_by_their_whole_name() {
        let users =
            "root:x:0:0:root:/root:/bin/sh\npostgres2:x:7:8::/:\npostgres:x:104:107:PostgreSQL:/var/lib:/bin/sh\nbad\n";
        assert_eq!(numbers_of(users, "postgres"), Some((104, 107)));
        assert_eq!(numbers_of(users, "nobody"), None);
        assert_eq!(numbers_of("postgres:x:a:1::/:", "postgres"), None);
    }

    #[test]
    fn the_last_words_are_said() {
        assert_eq!(last_words("a\n\nb\nc\n  d \n\n"), "b / c / d");
        assert_eq!(last_words("\n"), "it said nothing");
    }
}
