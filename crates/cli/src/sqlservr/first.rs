//! The first start: a database and its owner by variables, then the scripts of `/docker-entrypoint-initdb.d`, in the order of
//! their names.
//!
//! ```text
//!  folders without an instance ─▶ marks: what lay in each before ─▶ instance, database, scripts ─▶ marks gone ─▶ ready
//! ```
//!
//! What always holds: all of it or nothing. While the mark of the instance's folder is there the instance was never called
//! ready, and the next start removes what its folders got since, and begins anew. Later starts run nothing of it.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use millpond_server::Server;

use super::Failure;
use super::report::Report;
use super::scripts::{self, Script, Session};
use super::settings::Settings;
use super::volume::INSTANCE;

/// Names of what lay in the folder before, a line each.
const MARK: &str = "initialization.begun";

/// What is to be done.
pub struct Plan {
    scripts: Vec<Script>,
    /// A database, scripts or both.
    is_some: bool,
    /// An earlier start did not come to its end.
    is_again: bool,
}

impl Plan {
    /// Looks at what there is to do.
    ///
    /// # Errors
    /// The folder of scripts cannot be read.
    pub fn of(settings: &Settings, is_new: bool) -> Result<Plan, Failure> {
        let is_again = settings.data.join(MARK).exists();
        let is_first = is_new || is_again;
        let scripts = if is_first { scripts::of_folder(&settings.scripts)? } else { Vec::new() };
        let is_some = is_first && (settings.database.is_some() || !scripts.is_empty());
        Ok(Plan { scripts, is_some, is_again })
    }

    /// Whether there is anything to do.
    pub fn is_some(&self) -> bool {
        self.is_some
    }

    /// Before the instance is opened: removes what an earlier start left unfinished, and leaves the marks.
    ///
    /// # Errors
    /// A folder cannot be changed.
    pub fn begin(&self, settings: &Settings, report: &Report) -> Result<(), Failure> {
        if self.is_again {
            report.line(&format!(
                "An earlier start did not come to the end of its scripts, and was never ready: what it made in {} is removed, \
                 and the first start begins anew.",
                settings.data.display()
            ));
        }
        for folder in folders(settings) {
            let failed = |error: std::io::Error| Failure(format!("ERROR: {}: {error}", folder.display()));
            self.begin_in(folder).map_err(failed)?;
        }
        Ok(())
    }

    fn begin_in(&self, folder: &Path) -> std::io::Result<()> {
        // One that lay in another one may be gone with it.
        fs::create_dir_all(folder)?;
        let mark = folder.join(MARK);
        if self.is_again && mark.exists() {
            remove_others(folder, &names_in(&mark)?)?;
        }
        match (self.is_some, mark.exists()) {
            (true, false) => write_durably(&mark, &entries(folder)?.join("\n")),
            // There is nothing to do any more, or it is done and the process ended before it had removed this.
            (false, true) => fs::remove_file(&mark),
            _ => Ok(()),
        }
    }

    /// Makes the database and runs the scripts.
    ///
    /// # Errors
    /// The first that failed, with its file, line and number.
    pub fn run(&self, settings: &Settings, server: &Server, report: &Report) -> Result<(), Failure> {
        if !self.is_some {
            return Ok(());
        }
        let mut session = Session::on(server, settings, report);
        if let Some(database) = &settings.database {
            report.line(&format!("Making the database {database}."));
            session.statements("MSSQL_DB", &of_database(settings, database))?;
        }
        for script in &self.scripts {
            session.script(script)?;
            if server.engine().stop().is_requested() {
                return Err(Failure::new("stopped in the midst of the first start"));
            }
        }
        Ok(())
    }

    /// All of it is done and durable.
    ///
    /// # Errors
    /// A mark cannot be removed.
    pub fn end(&self, settings: &Settings) -> Result<(), Failure> {
        if !self.is_some {
            return Ok(());
        }
        // The first one is the instance's: without it the next start is a later one.
        for folder in folders(settings) {
            let removed = fs::remove_file(folder.join(MARK)).and_then(|()| sync_folder(folder));
            removed.map_err(|error| Failure(format!("ERROR: {}: {error}", folder.display())))?;
        }
        Ok(())
    }
}

/// Those in which a first start makes files, the instance's own first.
fn folders(settings: &Settings) -> Vec<&Path> {
    let mut found: Vec<&Path> = vec![&settings.data];
    for folder in [&settings.data_files, &settings.log_files, &settings.backups].into_iter().flatten() {
        if !found.contains(&folder.as_path()) {
            found.push(folder);
        }
    }
    found
}

/// A name in brackets.
fn bracketed(name: &str) -> String {
    format!("[{}]", name.replace(']', "]]"))
}

fn of_database(settings: &Settings, database: &str) -> String {
    let name = bracketed(database);
    let mut text = format!("CREATE DATABASE {name}\nGO\n");
    if let Some((user, password)) = &settings.user {
        let (user, password) = (bracketed(user), password.replace('\'', "''"));
        text.push_str(&format!(
            "CREATE LOGIN {user} WITH PASSWORD = N'{password}', DEFAULT_DATABASE = {name}\nGO\nUSE {name}\nGO\n\
             CREATE USER {user} FOR LOGIN {user}\nGO\nALTER ROLE db_owner ADD MEMBER {user}\nGO\n"
        ));
    }
    text
}

fn entries(folder: &Path) -> std::io::Result<Vec<String>> {
    fs::read_dir(folder)?.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
}

fn names_in(mark: &Path) -> std::io::Result<BTreeSet<String>> {
    Ok(fs::read_to_string(mark)?.lines().map(str::to_owned).collect())
}

/// Removes what has none of the names; the mark goes last, by [`Plan::end`]. The instance goes first: without it nothing else
/// of it is taken for one.
fn remove_others(folder: &Path, kept: &BTreeSet<String>) -> std::io::Result<()> {
    let mut names = entries(folder)?;
    names.retain(|name| name != MARK && !kept.contains(name));
    names.sort_by_key(|name| name != INSTANCE);
    for path in names.iter().map(|name| folder.join(name)) {
        if path.is_dir() { fs::remove_dir_all(&path)? } else { fs::remove_file(&path)? }
    }
    sync_folder(folder)
}

fn write_durably(path: &PathBuf, text: &str) -> std::io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    path.parent().map_or(Ok(()), sync_folder)
}

fn sync_folder(folder: &Path) -> std::io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_there_before_stays() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        for name in ["own.mdf", MARK, INSTANCE, "shop.mdf"] {
            fs::write(path(name), name).unwrap();
        }
        fs::create_dir(path("folder")).unwrap();
        fs::write(path("folder/inside"), "x").unwrap();
        remove_others(dir.path(), &BTreeSet::from(["own.mdf".to_owned()])).unwrap();
        let mut left = entries(dir.path()).unwrap();
        left.sort();
        assert_eq!(left, [MARK, "own.mdf"]);
    }

    #[test]
    fn names_are_quoted() {
        assert_eq!(bracketed("a]b"), "[a]]b]");
    }
}
