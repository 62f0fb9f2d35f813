//! Options of BACKUP and RESTORE: which there are.
//!
//! It does not know what they do.

use millpond_message as message;
use millpond_message::error::SqlResult;
use millpond_tsql::ast::NamedOption;

/// Options that change nothing here: how media are written, and names of sets that are never read again.
const ACCEPTED: [&str; 30] = [
    "STATS",
    "NAME",
    "DESCRIPTION",
    "MEDIANAME",
    "MEDIADESCRIPTION",
    "CHECKSUM",
    "NO_CHECKSUM",
    "STOP_ON_ERROR",
    "SKIP",
    "NOSKIP",
    "NOFORMAT",
    "NOINIT",
    "INIT",
    "FORMAT",
    "COPY_ONLY",
    "COMPRESSION",
    "NO_COMPRESSION",
    "BLOCKSIZE",
    "BUFFERCOUNT",
    "MAXTRANSFERSIZE",
    "RETAINDAYS",
    "EXPIREDATE",
    "REWIND",
    "NOREWIND",
    "UNLOAD",
    "NOUNLOAD",
    "RECOVERY",
    "NORECOVERY",
    "REPLACE",
    "LOADHISTORY",
];

/// Whether an option of that name, in upper case, is among them.
#[must_use]
pub fn has(options: &[NamedOption], name: &str) -> bool {
    options.iter().any(|option| option.name == name)
}

/// Looks whether all options are known to `verb`, BACKUP or RESTORE.
///
/// # Errors
/// 40517 for one that SQL Server has and this version lacks.
pub fn check_options(options: &[NamedOption], verb: &str) -> SqlResult<()> {
    let refused = |option: &&NamedOption| match option.name.as_str() {
        // A tail-log backup would leave the database behind in the state RESTORING.
        "NORECOVERY" | "RECOVERY" => verb == "BACKUP",
        "COMPRESSION" => verb == "RESTORE",
        "FILE" => verb == "BACKUP",
        other => !ACCEPTED.contains(&other),
    };
    match options.iter().find(refused) {
        Some(option) => Err(message::missing(&format!("{verb} … WITH {}", option.name))),
        None => Ok(()),
    }
}
