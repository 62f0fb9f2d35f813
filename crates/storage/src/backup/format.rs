//! The file that backups are in, one after the other: a backup is sections, each with a checksum.
//!
//! ```text
//!   "MPBACKUP" │ format u32 │ 0 (4)
//!   section:  tag u8 │ 0 (3) │ number u32 │ length u32 │ CRC-32C of the 12 bytes and the payload u32 │ payload
//!     1 header: toml         2 pages: file u16, first page u32, pages        3 log: file u16, offset u64, bytes
//!     4 end: toml
//! ```
//!
//! What always holds: sections of a backup are numbered from 0 without a gap, the header is first and the end is last; one that
//! does not end with its end is no backup. The next one in the file begins where that ends. Reading believes only sections whose number and checksum are right.

use crate::check;
use std::collections::BTreeSet;
use std::sync::Arc;

use millpond_device::{BlockDevice, DeviceError};
use serde::{Deserialize, Serialize};

use crate::contract::{FileId, PAGE_BYTES, PageBytes, PageNo};
use millpond_device::guid::bytes_of_hex;

/// The newest format that this program reads, and the one it writes.
pub const FORMAT: u32 = 1;
pub(super) const MAGIC: [u8; 8] = *b"MPBACKUP";
const START_BYTES: u64 = 16;
const HEAD_BYTES: usize = 16;
/// The tag of the last section.
const END_TAG: u8 = 4;
/// Largest payload.
const PAYLOAD_BYTES_MAX: usize = 2 << 20;

/// What a backup holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BackupKind {
    /// BACKUP DATABASE
    Full,
    /// BACKUP LOG
    Log,
}

/// A file of the database, for RESTORE FILELISTONLY.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackupFile {
    /// Number.
    pub file_id: u16,
    /// Logical name.
    pub name: String,
    /// Where it was.
    pub path: String,
    /// A log file.
    pub log: bool,
    /// Size in pages.
    pub size_pages: u32,
    /// Its filegroup; none of a log file, and in backups of before this was noted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filegroup: Option<String>,
}

/// What a backup says of itself, for RESTORE HEADERONLY. Log numbers are 20 digits of their ten bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackupHeader {
    /// Full or log.
    pub kind: BackupKind,
    /// Name of the database.
    pub database: String,
    /// Its identity, 32 digits.
    pub guid: String,
    /// When the database was made, microseconds since 1970 UTC.
    pub created_utc_us: i64,
    /// When the backup began, microseconds since 1970 UTC.
    pub started_utc_us: i64,
    /// COPY_ONLY
    pub is_copy_only: bool,
    /// Where redo begins.
    pub first_lsn: String,
    /// The checkpoint that it begins with.
    pub checkpoint_lsn: String,
    /// Its files.
    pub files: Vec<BackupFile>,
}

impl BackupHeader {
    /// Makes the files as long as they were at the end.
    pub(crate) fn grow(&mut self, end: &BackupEnd) {
        for file in &mut self.files {
            let grown = end.sizes.iter().find(|size| size.file_id == file.file_id);
            file.size_pages = grown.map_or(0, |size| size.size_pages).max(file.size_pages);
        }
    }

    /// Whether it can be a database's: an identity, a data file 1 and a log file 2, each number once.
    pub(crate) fn is_sound(&self) -> bool {
        let numbers: BTreeSet<u16> = self.files.iter().map(|file| file.file_id).collect();
        let has = |id: u16, log: bool| self.files.iter().any(|file| (file.file_id, file.log) == (id, log));
        numbers.len() == self.files.len() && has(1, false) && has(2, true) && bytes_of_hex(&self.guid).is_some()
    }
}

/// How long a file of the database is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileSize {
    /// Number.
    pub file_id: u16,
    /// Size in pages.
    pub size_pages: u32,
}

/// How it ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackupEnd {
    /// When the backup ended, microseconds since 1970 UTC.
    pub finished_utc_us: i64,
    /// All records up to here are in it.
    pub last_lsn: String,
    /// Pages in it.
    pub pages: u64,
    /// Bytes of log from where redo begins to its end; 0 in backups of before this was noted.
    #[serde(default)]
    pub log_bytes: u64,
    /// All commits up to then are in it, microseconds since 1970 UTC; 0 in backups of before this was noted.
    #[serde(default)]
    pub covered_utc_us: i64,
    /// How long the files were at the end: they grow while they are copied. None in backups of before this was noted.
    #[serde(default)]
    pub sizes: Vec<FileSize>,
}

impl BackupEnd {
    /// Pages of log.
    #[must_use]
    pub fn log_pages(&self) -> u64 {
        self.log_bytes.div_ceil(PAGE_BYTES as u64)
    }
}

/// Why a file is no backup that can be restored.
#[derive(Debug, thiserror::Error)]
pub enum BackupReadError {
    /// 3201: it cannot be read.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// 3201: it is written now.
    #[error("it is in use")]
    InUse,
    /// The asker was cancelled.
    #[error("reading the backup was cancelled")]
    Cancelled,
    /// 3241: it is no backup.
    #[error("the file is no backup of this server")]
    Foreign,
    /// 4038: the file has fewer.
    #[error("the file has no backup {position}")]
    NoSet {
        /// Which one was wanted, from 1.
        position: u32,
    },
    /// A newer program wrote it.
    #[error("the backup has format {found}; this program reads formats up to {FORMAT}")]
    Newer {
        /// Its format.
        found: u32,
    },
    /// 3183, 3203: a section is not what was written, or the end is missing.
    #[error("the backup is damaged in section {section} at byte {offset_bytes}")]
    Damaged {
        /// Number of the section.
        section: u32,
        /// Where it begins.
        offset_bytes: u64,
    },
}

/// A part of a backup.
#[derive(Debug)]
pub enum Section<'a> {
    /// What it is.
    Header(BackupHeader),
    /// Pages of a data file in a row.
    Pages(FileId, PageNo, &'a [u8]),
    /// Bytes of a log file.
    Log(FileId, u64, &'a [u8]),
    /// The end.
    End(BackupEnd),
}

/// Writes a backup.
#[derive(Debug)]
pub struct BackupWriter {
    device: Arc<dyn BlockDevice>,
    from: u64,
    at: u64,
    number: u32,
}

fn checksum(head: &[u8], payload: &[u8]) -> u32 {
    crc32c::crc32c_append(crc32c::crc32c(head), payload)
}

impl BackupWriter {
    /// Begins a backup at the end of a file.
    ///
    /// # Errors
    /// [`DeviceError`].
    pub fn begin(device: Arc<dyn BlockDevice>, header: &BackupHeader) -> Result<BackupWriter, DeviceError> {
        let from = device.len_bytes();
        let mut start = [0; START_BYTES as usize];
        start[..8].copy_from_slice(&MAGIC);
        start[8..12].copy_from_slice(&FORMAT.to_le_bytes());
        device.set_len(from + START_BYTES)?;
        device.write_at(from, &start)?;
        let mut writer = BackupWriter { device, from, at: from + START_BYTES, number: 0 };
        let text = toml::to_string(header).expect("numbers and words");
        writer.put(1, &[text.as_bytes()])?;
        Ok(writer)
    }

    /// Pages in a row.
    ///
    /// # Errors
    /// [`DeviceError`].
    pub fn pages(&mut self, file: FileId, first: PageNo, pages: &[PageBytes]) -> Result<(), DeviceError> {
        check!(
            pages.iter().zip(first.0..).all(|(page, number)| crate::page::header::page_no(page).0 == number),
            "the pages from {first} on are not in a row"
        );
        let bytes: Vec<&[u8]> = pages.iter().map(|page| &page[..]).collect();
        self.put(2, &[&[&file.0.to_le_bytes()[..], &first.0.to_le_bytes()], &bytes[..]].concat())
    }

    /// Bytes of a log file.
    ///
    /// # Errors
    /// [`DeviceError`].
    pub fn log(&mut self, file: FileId, offset_bytes: u64, bytes: &[u8]) -> Result<(), DeviceError> {
        self.put(3, &[&file.0.to_le_bytes(), &offset_bytes.to_le_bytes(), bytes])
    }

    /// The end; the backup is durable when this returns. How many bytes it has.
    ///
    /// # Errors
    /// [`DeviceError`].
    pub fn finish(mut self, end: &BackupEnd) -> Result<u64, DeviceError> {
        let text = toml::to_string(end).expect("numbers and words");
        self.put(END_TAG, &[text.as_bytes()])?;
        check!(self.number >= 2 && self.at > self.from, "a backup ends, and has {} sections", self.number);
        self.device.sync()?;
        Ok(self.at - self.from)
    }

    fn put(&mut self, tag: u8, parts: &[&[u8]]) -> Result<(), DeviceError> {
        assert!((tag == 1) == (self.number == 0), "section {} of a backup has the tag {tag}", self.number);
        let payload = parts.concat();
        debug_assert!(payload.len() <= PAYLOAD_BYTES_MAX, "callers give no more at once");
        let mut head = [0; HEAD_BYTES];
        head[0] = tag;
        head[4..8].copy_from_slice(&self.number.to_le_bytes());
        head[8..12].copy_from_slice(&(payload.len() as u32).to_le_bytes());
        let sum = checksum(&head[..12], &payload);
        head[12..].copy_from_slice(&sum.to_le_bytes());
        let bytes = [&head[..], &payload].concat();
        self.device.set_len(self.at + bytes.len() as u64)?;
        self.device.write_at(self.at, &bytes)?;
        self.at += bytes.len() as u64;
        self.number += 1;
        Ok(())
    }
}

/// Where the backups of a file begin, in their order, and where the last one that is whole ends. Sums are not looked at.
///
/// # Errors
/// [`BackupReadError::Foreign`], [`BackupReadError::Newer`] and those of the device.
pub fn sets(device: &dyn BlockDevice) -> Result<(Vec<u64>, u64), BackupReadError> {
    check_start(device, 0)?;
    let (mut starts, mut end) = (Vec::new(), 0);
    while end < device.len_bytes() && check_start(device, end).is_ok() {
        let (mut at, mut number) = (end + START_BYTES, 0);
        let is_whole = loop {
            let Some((tag, bytes, _)) = section_head(device, at, number)? else { break false };
            at += (HEAD_BYTES + bytes) as u64;
            number += 1;
            if tag == END_TAG {
                break true;
            }
        };
        if !is_whole {
            break;
        }
        starts.push(end);
        end = at;
    }
    check!(starts.is_sorted_by(|one, next| one < next) && starts.iter().all(|start| *start < end), "backups overlap");
    Ok((starts, end))
}

/// Where the backup of that position begins, which is from 1. The first one is where it is, whole or not.
pub(super) fn start_of(device: &dyn BlockDevice, position: u32) -> Result<u64, BackupReadError> {
    if position == 1 {
        return Ok(0);
    }
    let (starts, _) = sets(device)?;
    let found = (position as usize).checked_sub(1).and_then(|before| starts.get(before));
    found.copied().ok_or(BackupReadError::NoSet { position })
}

/// Reads a whole backup that begins at `start`, section by section in their order; returns its header, its end and its bytes.
///
/// # Errors
/// [`BackupReadError`], or what `take` returns.
pub fn read<E: From<BackupReadError>>(
    device: &dyn BlockDevice,
    start: u64,
    mut take: impl FnMut(&Section<'_>) -> Result<(), E>,
) -> Result<(BackupHeader, BackupEnd, u64), E> {
    check_start(device, start)?;
    let (mut at, mut number) = (start + START_BYTES, 0);
    let mut header = None;
    loop {
        let damaged = move || BackupReadError::Damaged { section: number, offset_bytes: at };
        let payload = read_section(device, at, number)?.ok_or_else(damaged)?;
        let (tag, bytes) = payload;
        let section = parse(tag, &bytes).ok_or_else(damaged)?;
        take(&section)?;
        at += (HEAD_BYTES + bytes.len()) as u64;
        match (section, header.is_some()) {
            (Section::Header(found), false) => header = Some(found),
            (Section::Pages(..) | Section::Log(..), true) => {}
            (Section::End(end), true) => return Ok((header.expect("seen"), end, at - start)),
            _ => return Err(damaged().into()),
        }
        number += 1;
    }
}

fn check_start(device: &dyn BlockDevice, at: u64) -> Result<(), BackupReadError> {
    if device.len_bytes() < at + START_BYTES {
        return Err(BackupReadError::Foreign);
    }
    let mut start = [0; START_BYTES as usize];
    device.read_at(at, &mut start)?;
    let found = u32::from_le_bytes(start[8..12].try_into().expect("4 bytes"));
    match (start[..8] == MAGIC, found) {
        (false, _) => Err(BackupReadError::Foreign),
        (true, found) if found > FORMAT => Err(BackupReadError::Newer { found }),
        (true, _) => Ok(()),
    }
}

/// A section whose number and checksum are right.
fn read_section(device: &dyn BlockDevice, at: u64, number: u32) -> Result<Option<(u8, Vec<u8>)>, BackupReadError> {
    let Some((tag, bytes, head)) = section_head(device, at, number)? else { return Ok(None) };
    let mut payload = vec![0; bytes];
    device.read_at(at + HEAD_BYTES as u64, &mut payload)?;
    let sum = u32::from_le_bytes(head[12..].try_into().expect("4 bytes"));
    Ok((checksum(&head[..12], &payload) == sum).then_some((tag, payload)))
}

/// The tag, the bytes of payload and the head of a section that may be one: its number is right, and all of it lies in the file.
fn section_head(
    device: &dyn BlockDevice,
    at: u64,
    number: u32,
) -> Result<Option<(u8, usize, [u8; HEAD_BYTES])>, BackupReadError> {
    let len_bytes = device.len_bytes();
    if at + HEAD_BYTES as u64 > len_bytes {
        return Ok(None);
    }
    let mut head = [0; HEAD_BYTES];
    device.read_at(at, &mut head)?;
    let u32_at = |at: usize| u32::from_le_bytes(head[at..at + 4].try_into().expect("4 bytes"));
    let bytes = u32_at(8) as usize;
    let is_sound = u32_at(4) == number && bytes <= PAYLOAD_BYTES_MAX;
    let is_inside = at + (HEAD_BYTES + bytes) as u64 <= len_bytes;
    Ok((is_sound && is_inside).then_some((head[0], bytes, head)))
}

fn parse(tag: u8, bytes: &[u8]) -> Option<Section<'_>> {
    let file = || Some(FileId(u16::from_le_bytes(bytes.get(..2)?.try_into().ok()?)));
    match tag {
        1 => Some(Section::Header(toml::from_str(std::str::from_utf8(bytes).ok()?).ok()?)),
        2 => {
            let first = PageNo(u32::from_le_bytes(bytes.get(2..6)?.try_into().ok()?));
            let pages = &bytes[6..];
            pages.len().is_multiple_of(PAGE_BYTES).then_some(Section::Pages(file()?, first, pages))
        }
        3 => {
            let offset_bytes = u64::from_le_bytes(bytes.get(2..10)?.try_into().ok()?);
            Some(Section::Log(file()?, offset_bytes, &bytes[10..]))
        }
        END_TAG => Some(Section::End(toml::from_str(std::str::from_utf8(bytes).ok()?).ok()?)),
        _ => None,
    }
}
