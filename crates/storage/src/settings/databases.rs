//! What the instance remembers of a durable database: an entry of `instance.toml`.
//!
//! ```text
//!            create                    drop
//!   (none) ─────────▶ Creating ──▶ Ready ──▶ Dropping ──▶ (none)
//!                                  ▲   │
//!                               online offline
//!                                  │   ▼
//!                                 Offline
//! ```
//!
//! What always holds: an entry is stored before the first file is made and goes after the last file went, so that a start
//! finds every file that a crash left; files of an entry in `Creating` or `Dropping`, or of a transient one, are worth nothing. What else a
//! database is (options, sizes) lies in its own pages.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::contract::{DbId, FileId};
use millpond_device::guid::bytes_of_hex;

/// How far the life of a database has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Its files are being made.
    Creating,
    /// It is there.
    Ready,
    /// It is there and stays closed until it is set online.
    Offline,
    /// A restore has begun and is not finished.
    Restoring,
    /// Its files are being deleted.
    Dropping,
}

/// A file of the entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredFile {
    /// Number.
    pub file_id: u16,
    /// Logical name.
    pub name: String,
    /// Where; relative to the data directory or absolute.
    pub path: PathBuf,
    /// A log file.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub log: bool,
    /// Where a move that did not end may have left a copy. It is worth nothing; the next start deletes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spare: Option<PathBuf>,
}

impl StoredFile {
    /// Number.
    #[must_use]
    pub fn id(&self) -> FileId {
        FileId(self.file_id)
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_zero(value: &i64) -> bool {
    *value == 0
}

/// A database.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredDatabase {
    /// Number.
    pub id: u16,
    /// Name.
    pub name: String,
    /// Its identity, which its files and log carry too; 32 digits.
    pub guid: String,
    /// When it was made, microseconds since 1970 UTC.
    pub created_utc_us: i64,
    /// How far it is.
    pub stage: Stage,
    /// Of a database in `Restoring`: all records up to here are in its pages; 20 digits.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub restored_lsn: String,
    /// Of a database in `Restoring`: commits before then are in its pages, microseconds since 1970 UTC; 0: it is not known.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub restored_utc_us: i64,
    /// A database snapshot: the number of the database that it was taken of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot_of: Option<u16>,
    /// It was made AS COPY OF that database: its files lie over the source's as a snapshot's do, and it is changed as any other.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_copy: bool,
    /// Another database of the instance had its identity when it was restored or attached: two are made of one backup.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_twin: bool,
    /// A snapshot that has lost pages of its source: it stays suspect until it is dropped.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_broken: bool,
    /// Of a database in `Restoring`: it is being put back to what it was in a snapshot, and is neither yet.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_reverting: bool,
    /// It is of use while this process runs alone: the next start deletes it as it does what was not finished.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_transient: bool,
    /// Files in order of their numbers.
    pub files: Vec<StoredFile>,
}

impl StoredDatabase {
    /// Number.
    #[must_use]
    pub fn id(&self) -> DbId {
        DbId(self.id)
    }

    /// Whether the start deletes it: it was not finished, or was of use to the process before alone.
    #[must_use]
    pub fn is_remains(&self) -> bool {
        self.is_transient || matches!(self.stage, Stage::Creating | Stage::Dropping)
    }

    /// Whether it stays as it was at the split.
    #[must_use]
    pub fn is_snapshot(&self) -> bool {
        self.snapshot_of.is_some() && !self.is_copy
    }

    /// Of a database snapshot, and of a copy, the database that it was taken of.
    #[must_use]
    pub fn source(&self) -> Option<DbId> {
        self.snapshot_of.map(DbId)
    }

    /// Identity.
    ///
    /// # Panics
    /// When the entry is not [sound](StoredDatabase::is_sound).
    #[must_use]
    pub fn guid(&self) -> [u8; 16] {
        bytes_of_hex(&self.guid).expect("checked when it was read")
    }

    /// Its name where several databases decide together: its identity, unless another database of the instance has that too.
    ///
    /// # Panics
    /// As [`StoredDatabase::guid`].
    #[must_use]
    pub fn voter(&self) -> [u8; 16] {
        let mut name = self.guid();
        if self.snapshot_of.is_some() || self.has_twin {
            // Databases of one backup were all made at the same time, and numbers are given again.
            let made = self.created_utc_us.to_le_bytes().into_iter().chain(self.id.to_le_bytes());
            name.iter_mut().zip(made).for_each(|(byte, made)| *byte ^= made);
        }
        name
    }

    /// Whether a program can have written it: a number, a GUID, a data file 1 and a log file 2.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        let has = |id: u16, log: bool| self.files.iter().any(|file| file.file_id == id && file.log == log);
        let is_tempdb = self.id() == DbId::TEMPDB;
        self.id != 0 && !is_tempdb && bytes_of_hex(&self.guid).is_some() && has(1, false) && has(2, true)
    }
}
