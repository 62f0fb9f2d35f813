//! The buffer pool extension: pages that leave memory go to a file on a faster device than their own.
//!
//! ```text
//!                      modified: the copy is given up
//!                    ┌───────────────────────────────┐
//!   data file ──▶ frame ──evicted──▶ slot ──asked for──▶ frame       word of the page:  0 │ frame │ slot
//!       ▲           │                  │
//!       └─written───┘   └──destaged────┘   dirty slots: checkpoints, or when there are too many
//! ```
//!
//! In mode `clean` only pages that their data file has enter, as in SQL Server; in mode `write-back` dirty pages do too,
//! so that a page that is changed again and again is written to its slow file once.
//!
//! What always holds:
//!
//! * E1: an outdated copy is never served. In memory a copy is given up before its page changes. On the device its record
//!   is gone, durably, before recovery would begin after that change (`ExtensionTier::persist`): until then recovery
//!   does the change again on whatever copy it finds. A copy is believed only with the page's number, checksum and the LSN
//!   of its record.
//! * E2: the log is durable up to a page's LSN before the page is written to a slot.
//! * E3: a dirty slot keeps its place in the log: checkpoints destage it, and recovery begins no later.
//! * E4: losing the device loses nothing: clean copies are forgotten, dirty ones are done again from their data file and
//!   the log (`rebuild`), while work goes on.
//! * E5: pages of temporary files enter clean only, and are forgotten at the next start.
//!
//! The parts: `slots` (which page is where), `format` (the file), `device` (I/O and state). What goes between it and
//! the frames is the pool's (`pool::tier`), ON, OFF and the start are the instance's ([`crate::instance::extension`]).

#[cfg(feature = "checks")]
pub mod any_bytes;
pub(crate) mod contents;
pub(crate) mod device;
pub(crate) mod format;
pub(crate) mod slots;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// A slot of the buffer pool extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct SlotNo(pub(crate) u32);

/// What enters the extension; the option `buffer pool extension mode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum ExtensionMode {
    /// Clean pages only, and nothing is found again after a start: as SQL Server does it.
    Clean = 0,
    /// Dirty pages too; its contents outlive a restart.
    WriteBack = 1,
}

impl ExtensionMode {
    /// The mode of an option's value.
    #[must_use]
    pub fn of_option(value: i64) -> ExtensionMode {
        if value == 0 { ExtensionMode::Clean } else { ExtensionMode::WriteBack }
    }
}

/// `state` of `sys.dm_os_buffer_pool_extension_configuration`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum ExtensionState {
    /// There is none, or its device has failed.
    Disabled = 0,
    /// Its pages go back to their files.
    Disabling = 1,
    /// Its file is being made.
    Enabling = 3,
    /// It works.
    Enabled = 5,
}

/// The extension at one point in time. Counters begin when it was switched on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExtensionReport {
    /// Its file; `None` when there is none.
    pub path: Option<PathBuf>,
    /// How it is.
    pub state: ExtensionState,
    /// What enters.
    pub mode: ExtensionMode,
    /// Why it is disabled though it was switched on.
    pub failure: Option<String>,
    /// Size of the file.
    pub size_bytes: u64,
    /// Pages that it can hold.
    pub slots: u32,
    /// Pages that it holds.
    pub used: u32,
    /// Of them newer than in their data files.
    pub dirty: u32,
    /// Pages read from it.
    pub pages_read: u64,
    /// Pages written to it.
    pub pages_written: u64,
    /// Writes (I/Os) of these pages.
    pub write_ios: u64,
    /// Pages that went for others.
    pub evicted: u64,
    /// Dirty pages that went to their data files.
    pub destaged: u64,
    /// Pages that were not let in.
    pub refused: u64,
    /// Copies that were not what they should be.
    pub mismatched: u64,
    /// Pages that were done again from the log.
    pub rebuilt: u64,
    /// I/Os under way.
    pub outstanding: u32,
    /// How long a page stays that is not asked for.
    pub unreferenced_s: u64,
}

impl ExtensionReport {
    /// There is none.
    pub(crate) fn off(mode: ExtensionMode) -> ExtensionReport {
        ExtensionReport {
            path: None,
            state: ExtensionState::Disabled,
            mode,
            failure: None,
            size_bytes: 0,
            slots: 0,
            used: 0,
            dirty: 0,
            pages_read: 0,
            pages_written: 0,
            write_ios: 0,
            evicted: 0,
            destaged: 0,
            refused: 0,
            mismatched: 0,
            rebuilt: 0,
            outstanding: 0,
            unreferenced_s: 0,
        }
    }
}

/// The extension as it is configured; in `instance.toml`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredExtension {
    /// Its file.
    pub path: PathBuf,
    /// SIZE.
    pub size_kb: u64,
    /// Whose directory may be believed: the file's epoch when it is this one.
    pub epoch: u64,
}

/// By what the extension knows a file again.
pub(crate) fn key_of(guid: &[u8; 16]) -> u32 {
    crc32c::crc32c(guid)
}
