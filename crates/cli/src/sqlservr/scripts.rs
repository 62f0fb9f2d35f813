//! Scripts of the first start: `.sql` and `.sql.gz` in the server itself as sqlcmd would run them, `.sh` as programs that find
//! the server by sqlcmd's variables.
//!
//! What always holds: a script that fails ends the start with its file and, where T-SQL failed, its line, number and text.
//! What a script prints goes to stdout. While scripts run, `sqlcmd` of this image takes names of this machine for this server,
//! whose port nobody else knows.

use std::fs;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use flate2::read::MultiGzDecoder;
use millpond_engine::engine::Engine;
use millpond_server::Server;

use super::Failure;
use super::report::Report;
use super::settings::Settings;
use crate::sql::{self, INITIALIZATION};

/// How often a program that runs is looked at.
const TICK: Duration = Duration::from_millis(20);

/// What a file of the folder is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Sql,
    ZippedSql,
    Shell,
    Other,
}

/// A file of the folder.
#[derive(Debug)]
pub struct Script {
    path: PathBuf,
    kind: Kind,
}

impl Script {
    fn of(path: PathBuf) -> Script {
        let name = path.file_name().map_or(String::new(), |name| name.to_string_lossy().to_lowercase());
        let endings = [(".sql", Kind::Sql), (".sql.gz", Kind::ZippedSql), (".sh", Kind::Shell)];
        let kind = endings.iter().find(|(ending, _)| name.ends_with(ending)).map_or(Kind::Other, |(_, kind)| *kind);
        Script { path, kind }
    }
}

/// The files of the folder in the order of their names; none where there is no folder.
///
/// # Errors
/// The folder cannot be read.
pub fn of_folder(folder: &Path) -> Result<Vec<Script>, Failure> {
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let failed = |error| Failure(format!("ERROR: {} cannot be read: {error}", folder.display()));
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.is_file() {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths.into_iter().map(Script::of).collect())
}

/// The server that scripts run on.
pub struct Session<'a> {
    engine: Arc<Engine>,
    server: &'a Server,
    settings: &'a Settings,
    report: &'a Report,
    /// Where scripts begin: made for them, or none.
    database: Option<String>,
}

impl<'a> Session<'a> {
    /// On a server that no client has yet.
    pub fn on(server: &'a Server, settings: &'a Settings, report: &'a Report) -> Session<'a> {
        Session { engine: Arc::clone(server.engine()), server, settings, report, database: None }
    }

    /// Runs statements that the variables ask for; scripts begin in their database from here on.
    ///
    /// # Errors
    /// The first that failed.
    pub fn statements(&mut self, name: &str, text: &str) -> Result<(), Failure> {
        self.run_text(Path::new(name), text, true)?;
        self.database.clone_from(&self.settings.database);
        Ok(())
    }

    /// Runs a file.
    ///
    /// # Errors
    /// Where it failed, and why.
    pub fn script(&mut self, script: &Script) -> Result<(), Failure> {
        let path = &script.path;
        if script.kind == Kind::Other {
            self.report.line(&format!("{} is left alone: it ends with none of .sql, .sql.gz and .sh.", path.display()));
            return Ok(());
        }
        self.report.line(&format!("Running {}.", path.display()));
        let unreadable = |why: &dyn std::fmt::Display| Failure(format!("ERROR: {}: {why}", path.display()));
        match script.kind {
            Kind::Shell => self.program(path),
            Kind::Sql => {
                let bytes = fs::read(path).map_err(|error| unreadable(&error))?;
                let text = sql::decode(bytes).map_err(|why| unreadable(&why))?;
                self.run_text(path, &text, false)
            }
            _ => {
                let (file, mut bytes) = (fs::File::open(path).map_err(|error| unreadable(&error))?, Vec::new());
                MultiGzDecoder::new(file).read_to_end(&mut bytes).map_err(|error| unreadable(&error))?;
                let text = sql::decode(bytes).map_err(|why| unreadable(&why))?;
                self.run_text(path, &text, false)
            }
        }
    }

    fn run_text(&self, path: &Path, text: &str, is_literal: bool) -> Result<(), Failure> {
        let ran = sql::run_inside(&self.engine, self.database.as_deref(), path, text, is_literal);
        ran.map_err(|why| Failure(format!("ERROR: {why}")))
    }

    fn program(&self, path: &Path) -> Result<(), Failure> {
        let address = format!("127.0.0.1,{}", self.server.address().port());
        let is_program = fs::metadata(path).is_ok_and(|about| about.permissions().mode() & 0o111 != 0);
        let mut command = if is_program { Command::new(path) } else { Command::new("/bin/sh") };
        if !is_program {
            command.arg(path);
        }
        command.env(INITIALIZATION, &address).env("SQLCMDSERVER", &address).env("SQLCMDUSER", "sa");
        if let Some(password) = &self.settings.password {
            command.env("SQLCMDPASSWORD", password).env("MSSQL_SA_PASSWORD", password);
        }
        if let Some(database) = &self.database {
            command.env("SQLCMDDBNAME", database);
        }
        let failed = |error: std::io::Error| Failure(format!("ERROR: {} cannot be run: {error}", path.display()));
        let mut child = command.spawn().map_err(failed)?;
        let status = loop {
            if let Some(status) = child.try_wait().map_err(failed)? {
                break status;
            }
            if self.engine.stop().is_requested() {
                // It is to be gone; one that has ended by itself is.
                let _ = child.kill();
                let _ = child.wait();
                return Err(Failure::new("stopped"));
            }
            std::thread::sleep(TICK);
        };
        if status.success() { Ok(()) } else { Err(Failure(format!("ERROR: {} ended with {status}.", path.display()))) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_come_in_the_order_of_their_names() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["10.sql", "2.sh", "01-a.SQL", "03.sql.gz", "readme.md"] {
            fs::write(dir.path().join(name), "").unwrap();
        }
        fs::create_dir(dir.path().join("folder.sql")).unwrap();
        let found = of_folder(dir.path()).map_err(|failure| failure.to_string()).unwrap();
        let names: Vec<_> = found.iter().map(|script| script.path.file_name().unwrap().to_str().unwrap()).collect();
        assert_eq!(names, ["01-a.SQL", "03.sql.gz", "10.sql", "2.sh", "readme.md"]);
        let kinds: Vec<_> = found.iter().map(|script| script.kind).collect();
        assert_eq!(kinds, [Kind::Sql, Kind::ZippedSql, Kind::Sql, Kind::Shell, Kind::Other]);
        assert!(of_folder(Path::new("/nowhere/at/all")).is_ok_and(|scripts| scripts.is_empty()));
    }
}
