//! The folder of the instance before it is opened: whose it is, and whether it can be written.
//!
//! What always holds: nothing of another program is touched; what is refused is named, with the way out.

use std::fs;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::Failure;
use super::report::Report;
use super::settings::Settings;

/// What an instance of ours has.
pub const INSTANCE: &str = "instance.toml";
const TRIAL: &str = ".millpond-trial";

/// Makes the folders that are not there; says whether this is the first start in them.
///
/// # Errors
/// The folder is another server's, or cannot be written.
pub fn prepare(settings: &Settings, report: &Report) -> Result<bool, Failure> {
    let folders = [&settings.data_files, &settings.log_files, &settings.backups];
    for folder in [&settings.data].into_iter().chain(folders.into_iter().flatten()) {
        match fs::create_dir_all(folder).and_then(|()| try_to_write(folder)) {
            Ok(()) => {}
            // What is there can be read; what is refused for want of space says so.
            Err(error) if error.kind() == ErrorKind::StorageFull => {
                report.line(&format!("WARNING: there is no space left on the volume of {}.", folder.display()));
            }
            Err(error) => return Err(unusable(folder, &error)),
        }
    }
    let data = &settings.data;
    if data.join(INSTANCE).exists() {
        return Ok(false);
    }
    if data.join("master.mdf").exists() {
        return Err(Failure(format!(
            "ERROR: {} holds the master.mdf of another server, SQL Server's by all appearance. Millpond has files of its own \
             and cannot open these. Nothing was changed. Give this container an empty volume, and bring the databases by scripts.",
            data.display()
        )));
    }
    report.line(&format!("A new instance is made in {}.", data.display()));
    Ok(true)
}

fn try_to_write(folder: &Path) -> std::io::Result<()> {
    let path = folder.join(TRIAL);
    let written = fs::File::create(&path).and_then(|mut file| file.write_all(b"."));
    let removed = fs::remove_file(&path);
    written.and(removed)
}

fn unusable(folder: &Path, error: &std::io::Error) -> Failure {
    let (user, group) = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
    let owner = fs::metadata(folder).map_or(String::new(), |about| {
        format!(" It belongs to user {} and group {}, mode {:o}.", about.uid(), about.gid(), about.mode() & 0o7777)
    });
    let advice = match error.kind() {
        ErrorKind::PermissionDenied => {
            " Give the volume to that user, or start the container with group 0 (--user ID:0), to which the image's own folders belong."
        }
        ErrorKind::ReadOnlyFilesystem => {
            " Mount a volume there: the rest of the file system may be read-only, this may not."
        }
        _ => "",
    };
    Failure(format!(
        "ERROR: {} cannot be written by user {user}, group {group}: {error}.{owner}{advice}",
        folder.display()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_left_as_it_was() {
        let dir = tempfile::tempdir().unwrap();
        try_to_write(dir.path()).unwrap();
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
        assert!(unusable(dir.path(), &ErrorKind::PermissionDenied.into()).to_string().contains("--user ID:0"));
    }
}
