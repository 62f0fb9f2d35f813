//! Page 0 of every file and page 9 of every primary file: whose file it is.
//!
//! ```text
//!  96 magic "MILLPOND" │ 104 format u32 │ 108 database u16 │ 110 file u16 │ 112 file GUID (16) │ 128 server GUID (16)
//! 144 size u32 │ 148 configured size u32 │ 152 limit u32 (all ones: none) │ 156 growth u32
//! 160 growth is percent u8 │ 161 kind u8 (0 data, 1 log) │ 162 tier u8 (0 first, 1 last, 2 second) │ 163 0
//! 164 length of name u16 │ 166 name, UTF-8 (to 1190)                             (boot page: database's name here)
//! 1192 database GUID (16)
//! ```
//!
//! What always holds: magic, format and checksum keep their place through all formats, so that an older program can
//! distinguish "newer" from "damaged". Sizes are pages. A log file's page 0 is laid out the same; its blocks start after it.

use millpond_device::{BlockDevice, DeviceError};

use crate::check;
use crate::contract::{DbId, FileId, PAGE_BYTES, PageBytes, PageId, PageKind, PageNo};
use crate::file::growth::{Growth, Limits};
use crate::file::tier::Tier;
use crate::page::header::{self, PageDamage};

/// The newest format that this program reads, and the one it writes.
pub const FORMAT: u32 = 2;
/// The page with the file header.
pub const HEADER_PAGE: PageNo = PageNo(0);
/// The boot page.
pub const BOOT_PAGE: PageNo = PageNo(9);
const MAGIC: [u8; 8] = *b"MILLPOND";
const NAME_BYTES_MAX: usize = 1024;
const _: () = assert!(at::NAME + NAME_BYTES_MAX <= at::DATABASE_GUID);

mod at {
    pub const MAGIC: usize = 96;
    pub const FORMAT: usize = 104;
    pub const DB: usize = 108;
    pub const FILE: usize = 110;
    pub const FILE_GUID: usize = 112;
    pub const SERVER_GUID: usize = 128;
    pub const SIZE: usize = 144;
    pub const CONFIGURED: usize = 148;
    pub const LIMIT: usize = 152;
    pub const GROWTH: usize = 156;
    pub const IS_PERCENT: usize = 160;
    pub const KIND: usize = 161;
    pub const TIER: usize = 162;
    pub const NAME_LENGTH: usize = 164;
    pub const NAME: usize = 166;
    pub const DATABASE_GUID: usize = 1192;
}

/// Rows or log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileKind {
    /// Pages.
    Data,
    /// Log blocks.
    Log,
}

/// What page 0 (or 9) says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileHeader {
    /// Database.
    pub db: DbId,
    /// File.
    pub file: FileId,
    /// Of the file; new each time that it is created.
    pub file_guid: [u8; 16],
    /// Of the instance that has it.
    pub server_guid: [u8; 16],
    /// Of the database; all its files have it.
    pub database_guid: [u8; 16],
    /// Size when the header was last written.
    pub size_pages: u32,
    /// SIZE.
    pub configured_pages: u32,
    /// MAXSIZE and FILEGROWTH.
    pub limits: Limits,
    /// Rows or log.
    pub kind: FileKind,
    /// When it gives space.
    pub tier: Tier,
    /// Logical name.
    pub name: String,
}

/// Why page 0 is not a header of ours.
#[derive(Debug, thiserror::Error)]
pub enum HeaderError {
    /// Another program's file, or none of any program.
    #[error("it is not a file of this server")]
    Foreign,
    /// A newer program wrote it.
    #[error("its format is {found}; this program reads formats up to {FORMAT}")]
    Newer {
        /// The file's format.
        found: u32,
    },
    /// It was ours once.
    #[error(transparent)]
    Damaged(#[from] PageDamage),
    /// It could not be read.
    #[error(transparent)]
    Device(#[from] DeviceError),
}

fn put_u32(page: &mut PageBytes, offset: usize, value: u32) {
    page[offset..offset + 4].copy_from_slice(&value.to_le_bytes());
}

fn put_u16(page: &mut PageBytes, offset: usize, value: u16) {
    page[offset..offset + 2].copy_from_slice(&value.to_le_bytes());
}

fn bytes_at<const N: usize>(page: &PageBytes, offset: usize) -> [u8; N] {
    page[offset..offset + N].try_into().expect("N bytes")
}

/// Files were of the first tier or overflow files once: 0 and 1.
fn tier_code(tier: Tier) -> u8 {
    match tier {
        Tier::FIRST => 0,
        Tier::LAST => 1,
        tier => tier.number(),
    }
}

fn tier_of(code: u8) -> Tier {
    match code {
        0 => Tier::FIRST,
        1 => Tier::LAST,
        number => Tier::of(number).unwrap_or_default(),
    }
}

/// Changes the size that a header page says.
pub fn set_size(page: &mut PageBytes, size_pages: u32) {
    check!(bytes_at(page, at::MAGIC) == MAGIC, "a size is written to a page that is no header");
    put_u32(page, at::SIZE, size_pages);
}

impl FileHeader {
    /// Writes the header into a page, checksum included.
    pub fn write(&self, page: &mut PageBytes, page_no: PageNo) {
        assert!(
            page_no == HEADER_PAGE || page_no == BOOT_PAGE && self.file == FileId(1),
            "page {page_no} of file {} becomes a header",
            self.file
        );
        let kind = if page_no == BOOT_PAGE { PageKind::Boot } else { PageKind::FileHeader };
        header::init_zeroed(page, PageId { db: self.db, file: self.file, page: page_no }, kind, 0);
        self.put(page);
        header::set_checksum(page);
        check!(
            FileHeader::parse(page).is_ok_and(|read| {
                (read.db, read.file, read.file_guid, read.size_pages, read.limits)
                    == (self.db, self.file, self.file_guid, self.size_pages, self.limits)
            }),
            "the header of file {} does not read as it was written",
            self.file
        );
    }

    /// Writes what the header says into a page that is one already; its checksum, number and LSN stay.
    pub fn put(&self, page: &mut PageBytes) {
        page[at::MAGIC..at::MAGIC + 8].copy_from_slice(&MAGIC);
        put_u32(page, at::FORMAT, FORMAT);
        put_u16(page, at::DB, self.db.0);
        put_u16(page, at::FILE, self.file.0);
        page[at::FILE_GUID..at::FILE_GUID + 16].copy_from_slice(&self.file_guid);
        page[at::SERVER_GUID..at::SERVER_GUID + 16].copy_from_slice(&self.server_guid);
        page[at::DATABASE_GUID..at::DATABASE_GUID + 16].copy_from_slice(&self.database_guid);
        put_u32(page, at::SIZE, self.size_pages);
        put_u32(page, at::CONFIGURED, self.configured_pages);
        put_u32(page, at::LIMIT, self.limits.max_pages.unwrap_or(u32::MAX));
        let (growth, is_percent) = match self.limits.growth {
            Growth::Pages(pages) => (pages, false),
            Growth::Percent(percent) => (percent, true),
        };
        put_u32(page, at::GROWTH, growth);
        page[at::IS_PERCENT] = is_percent.into();
        page[at::KIND] = u8::from(self.kind == FileKind::Log);
        page[at::TIER] = tier_code(self.tier);
        check!(tier_of(page[at::TIER]) == self.tier, "tier {} reads as another one", self.tier);
        let name = &self.name.as_bytes()[..self.name.floor_char_boundary(NAME_BYTES_MAX)];
        put_u16(page, at::NAME_LENGTH, name.len() as u16);
        page[at::NAME..at::NAME + name.len()].copy_from_slice(name);
    }

    /// Reads what `write` wrote, believing nothing.
    ///
    /// # Errors
    /// [`HeaderError`].
    pub fn read(page: &PageBytes, id: PageId) -> Result<FileHeader, HeaderError> {
        if bytes_at(page, at::MAGIC) != MAGIC {
            return Err(HeaderError::Foreign);
        }
        header::verify(page, id)?;
        FileHeader::parse(page)
    }

    /// As [`FileHeader::read`], of a page that was verified already.
    ///
    /// # Errors
    /// [`HeaderError::Foreign`], [`HeaderError::Newer`].
    pub fn parse(page: &PageBytes) -> Result<FileHeader, HeaderError> {
        if bytes_at(page, at::MAGIC) != MAGIC {
            return Err(HeaderError::Foreign);
        }
        let format = u32::from_le_bytes(bytes_at(page, at::FORMAT));
        if format > FORMAT {
            return Err(HeaderError::Newer { found: format });
        }
        let growth = u32::from_le_bytes(bytes_at(page, at::GROWTH));
        let limit = u32::from_le_bytes(bytes_at(page, at::LIMIT));
        let name_bytes = usize::from(u16::from_le_bytes(bytes_at(page, at::NAME_LENGTH))).min(NAME_BYTES_MAX);
        Ok(FileHeader {
            db: DbId(u16::from_le_bytes(bytes_at(page, at::DB))),
            file: FileId(u16::from_le_bytes(bytes_at(page, at::FILE))),
            file_guid: bytes_at(page, at::FILE_GUID),
            server_guid: bytes_at(page, at::SERVER_GUID),
            database_guid: bytes_at(page, at::DATABASE_GUID),
            size_pages: u32::from_le_bytes(bytes_at(page, at::SIZE)),
            configured_pages: u32::from_le_bytes(bytes_at(page, at::CONFIGURED)),
            limits: Limits {
                max_pages: (limit != u32::MAX).then_some(limit),
                growth: if page[at::IS_PERCENT] == 0 { Growth::Pages(growth) } else { Growth::Percent(growth) },
            },
            kind: if page[at::KIND] == 0 { FileKind::Data } else { FileKind::Log },
            tier: tier_of(page[at::TIER]),
            name: String::from_utf8_lossy(&page[at::NAME..at::NAME + name_bytes]).into_owned(),
        })
    }

    /// The file's own GUID, also of a page 0 that is torn after its first sector.
    pub fn read_identity(device: &dyn BlockDevice) -> Option<[u8; 16]> {
        let mut bytes = [0; at::FILE_GUID + 16];
        device.read_at(0, &mut bytes).ok()?;
        let guid: [u8; 16] = bytes[at::FILE_GUID..].try_into().ok()?;
        (bytes[at::MAGIC..at::MAGIC + 8] == MAGIC).then_some(guid)
    }

    /// Reads page 0 of a device, without knowing whose file it is. A database and file number that do not match the
    /// page's own are damage.
    ///
    /// # Errors
    /// [`HeaderError`]; a file without a whole page is foreign.
    pub fn read_from(device: &dyn BlockDevice) -> Result<FileHeader, HeaderError> {
        if device.len_bytes() < PAGE_BYTES as u64 {
            return Err(HeaderError::Foreign);
        }
        let mut page = [0; PAGE_BYTES];
        device.read_at(0, &mut page)?;
        let id = PageId {
            db: DbId(u16::from_le_bytes(bytes_at(&page, at::DB))),
            file: FileId(u16::from_le_bytes(bytes_at(&page, at::FILE))),
            page: HEADER_PAGE,
        };
        FileHeader::read(&page, id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use millpond_device::RamDevice;

    fn sample() -> FileHeader {
        FileHeader {
            db: DbId(2),
            file: FileId(3),
            file_guid: [1; 16],
            server_guid: [2; 16],
            database_guid: [4; 16],
            size_pages: 1024,
            configured_pages: 512,
            limits: Limits { max_pages: Some(4096), growth: Growth::Percent(10) },
            kind: FileKind::Log,
            tier: Tier::LAST,
            name: "tempdev – größer".into(),
        }
    }

    fn id(page: PageNo) -> PageId {
        PageId { db: DbId(2), file: FileId(3), page }
    }

    #[test]
    fn a_header_comes_back() {
        let mut page = [0xaa; PAGE_BYTES];
        sample().write(&mut page, HEADER_PAGE);
        assert_eq!(FileHeader::read(&page, id(HEADER_PAGE)).unwrap(), sample());
        let primary = FileHeader { file: FileId(1), ..sample() };
        primary.write(&mut page, BOOT_PAGE);
        assert_eq!(FileHeader::read(&page, PageId { file: FileId(1), ..id(BOOT_PAGE) }).unwrap(), primary);
        let other = FileHeader {
            limits: Limits { max_pages: None, growth: Growth::Pages(0) },
            kind: FileKind::Data,
            name: "ä".repeat(2000),
            ..sample()
        };
        other.write(&mut page, HEADER_PAGE);
        let back = FileHeader::read(&page, id(HEADER_PAGE)).unwrap();
        assert_eq!((back.limits, back.kind, back.name.chars().count()), (other.limits, FileKind::Data, 512));
    }

    #[test]
    fn newer_foreign_and_damaged_are_told_apart() {
        let mut page = [0; PAGE_BYTES];
        sample().write(&mut page, HEADER_PAGE);
        let read = |page: &PageBytes| FileHeader::read(page, id(HEADER_PAGE));
        let mut newer = page;
        newer[at::FORMAT] = 9;
        assert!(matches!(read(&newer), Err(HeaderError::Damaged(_))), "without its checksum it is no newer format");
        header::set_checksum(&mut newer);
        assert!(matches!(read(&newer), Err(HeaderError::Newer { found: 9 })));
        let mut damaged = page;
        damaged[5000] = 1;
        assert!(matches!(read(&damaged), Err(HeaderError::Damaged(PageDamage::Checksum { .. }))));
        assert!(matches!(read(&[0; PAGE_BYTES]), Err(HeaderError::Foreign)));
    }

    #[test]
    fn a_short_file_is_foreign() {
        let ram = RamDevice::new("t");
        assert!(matches!(FileHeader::read_from(&ram), Err(HeaderError::Foreign)));
        ram.set_len(8192).unwrap();
        let mut page = [0; PAGE_BYTES];
        sample().write(&mut page, HEADER_PAGE);
        ram.write_at(0, &page).unwrap();
        assert_eq!(FileHeader::read_from(&ram).unwrap(), sample());
    }
}
