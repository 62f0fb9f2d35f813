//! The file of samples: `history.ring` in the data directory, one size from its first moment on.
//!
//! ```text
//!   head, 4 KB        magic, format, checksum
//!   slots of 5 KB     900 of 1 s (15 min) │ 1080 of 10 s (3 h) │ 1440 of 1 min (24 h) │ 2304 of 5 min (8 days)
//!   texts, 4 MB       512 sets of 8 places of 1 KB: statements and names, each once, by its hash
//! ```
//! What always holds: a slot is written whole, with its checksum, at the place that its number says (number modulo count); what a
//! crash tore has a wrong checksum and is left out, and so is a slot in a wrong place. A text is written before the first
//! slot that names it. Nothing is synced: the system writes the file when it likes, so what was written outlives the process, and
//! a crash of the machine costs the last half minute. Readers need no lock: they read a slot that is being written again.
//!
//! It knows no server. Numbers are little-endian; docs/internals/formats.md has the format's number.

mod reader;
mod slot;
mod texts;
mod writer;

pub use reader::{Health, Range, Reader};
pub use slot::Slot;
pub use writer::Writer;

use std::fs::{File, OpenOptions};
use std::path::Path;

use crate::figure::FIGURES_MAX;
use crate::sample::{FILES_MAX, STATEMENTS_MAX, WAITS_MAX};

/// Name of the file in its data directory.
pub const FILE_NAME: &str = "history.ring";

/// How the bytes are to be read.
pub const FORMAT: u32 = 1;

const MAGIC: [u8; 8] = *b"MILLHIST";
const HEAD_BYTES: usize = 4096;
const SLOT_BYTES: usize = 5120;
const TEXT_SETS: usize = 512;
const TEXT_WAYS: usize = 8;
const TEXT_BYTES: usize = 1024;
const SET_BYTES: usize = TEXT_WAYS * TEXT_BYTES;

/// A resolution: how long an interval is, and how many are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tier {
    /// Seconds of an interval.
    pub step_s: u64,
    /// Slots of the file.
    pub slots: u64,
}

/// The resolutions, finest first. A second is what an incident is looked at by, and lasts for as long as somebody needs to come and
/// look; ten of them cover a morning, minutes a day. Five minutes over eight days are what the same hours are compared with.
pub const TIERS: [Tier; 4] = [
    Tier { step_s: 1, slots: 900 },
    Tier { step_s: 10, slots: 1080 },
    Tier { step_s: 60, slots: 1440 },
    Tier { step_s: 300, slots: 2304 },
];

const fn slots_before(tier: usize) -> u64 {
    let (mut sum, mut at) = (0, 0);
    while at < tier {
        sum += TIERS[at].slots;
        at += 1;
    }
    sum
}

const fn slot_offset(tier: usize, slot: u64) -> u64 {
    HEAD_BYTES as u64 + (slots_before(tier) + slot) * SLOT_BYTES as u64
}

const fn set_offset(set: usize) -> u64 {
    slot_offset(TIERS.len(), 0) + (set * SET_BYTES) as u64
}

/// Size of the file.
pub const FILE_BYTES: u64 = set_offset(TEXT_SETS);

const _: () = assert!(FILE_BYTES <= 64 << 20, "the file is bounded");
const _: () = assert!(
    slot::HEAD + FIGURES_MAX * 8 + STATEMENTS_MAX * slot::STATEMENT + WAITS_MAX * slot::WAIT + FILES_MAX * slot::FILE
        <= SLOT_BYTES,
    "a slot has room for a whole sample"
);

/// Why a file of samples is not read.
#[derive(Debug, thiserror::Error)]
pub enum RingError {
    /// The system.
    #[error("{FILE_NAME}: {0}")]
    Io(#[from] std::io::Error),
    /// A link, a folder, a pipe: what would be written may be anything.
    #[error("{FILE_NAME} is no file of its own, but a link, a folder or a device")]
    NoFile,
    /// Not the head of such a file.
    #[error("{FILE_NAME} is damaged: its first {HEAD_BYTES} bytes are not the head of a history")]
    Damaged,
    /// Another program wrote it.
    #[error("{FILE_NAME} has format {found}; this program knows format {FORMAT}")]
    OtherFormat {
        /// Its number.
        found: u32,
    },
}

fn head() -> [u8; HEAD_BYTES] {
    let mut head = [0; HEAD_BYTES];
    head[..8].copy_from_slice(&MAGIC);
    head[8..12].copy_from_slice(&FORMAT.to_le_bytes());
    let checksum = crc32c::crc32c(&head[..HEAD_BYTES - 4]);
    head[HEAD_BYTES - 4..].copy_from_slice(&checksum.to_le_bytes());
    head
}

/// Opens a file of samples, and nothing else: no link to a file of others is followed, no pipe is waited for.
fn opened(path: &Path, options: &mut OpenOptions) -> Result<File, RingError> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        options.custom_flags(flags.bits().cast_signed());
    }
    if path.symlink_metadata().is_ok_and(|found| !found.is_file()) {
        return Err(RingError::NoFile);
    }
    let file = options.open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(RingError::NoFile) }
}

/// Magic, format and checksum keep their places through all formats, so that "newer" is not taken for "damaged".
fn check_head(head: &[u8; HEAD_BYTES]) -> Result<(), RingError> {
    let number = |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
    if head[..8] != MAGIC {
        return Err(RingError::Damaged);
    }
    // What says the format is as this program writes it: slots have checksums of their own, the rest of a head says nothing.
    if number(HEAD_BYTES - 4) != crc32c::crc32c(&head[..HEAD_BYTES - 4]) && number(8) != FORMAT {
        return Err(RingError::Damaged);
    }
    match number(8) {
        FORMAT => Ok(()),
        found => Err(RingError::OtherFormat { found }),
    }
}

#[cfg(test)]
mod tests;
