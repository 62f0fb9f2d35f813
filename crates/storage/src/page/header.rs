//! The 96 bytes that every page opens with, and the checksum over the page.
//!
//! All numbers are little-endian. The layout is the documented one, so that page viewers can read our files:
//!
//! ```text
//!  offset 0        1      2          3       4       6          8           12          14
//!        +--------+------+----------+-------+-------+----------+-----------+-----------+------------+
//!        |version |kind  |type flags|level  |flags  |index id  |prev page  |prev file  |least row   |
//!        |u8 = 1  |u8    |u8        |u8     |u16    |u16       |u32        |u16        |u16         |
//!  16    +--------+------+----------+-------+---+---+----------+----+------+-----------+------------+
//!        |next page u32    |next file u16       |slot count u16     |object id u32     |free count  |
//!  30    +-----------------+--------------------+-------------------+------------------+u16 (at 28) |
//!        |free data u16    |page u32 (at 32)    |file u16           |reserved u16      |            |
//!  40    +-----------------+--------------------+-------------------+------------------+------------+
//!        |lsn: sequence u32, block u32, slot u16|transaction u16 (at 50), u32, u16    |ghosts (58) |
//!  60    +--------------------------------------+--------------------------------------+------------+
//!        |checksum u32     |64..96: 0                                                               |
//!  96    +-----------------+------------------------------------------------------------------------+
//!        |rows from here on, upwards ...            ... slot array of u16 offsets, downwards   8192|
//! ```
//!
//! What always holds: *free count* is the bytes that are free anywhere on the page, *free data* the offset of the first
//! byte after the last row. A page that left memory has the flag [`FLAG_CHECKSUM`] and a CRC-32C over all bytes but the
//! field itself; a page without it is not believed. The functions here know no rows and no maps.

use crate::check;
use crate::contract::{FileId, PAGE_BYTES, PageBytes, PageId, PageKind, PageNo};

/// Bytes of the header; rows start here.
pub const HEADER_BYTES: usize = 96;
/// Bytes for rows and slots: 8192 − 96 (header) = 8096.
pub const BODY_BYTES: usize = PAGE_BYTES - HEADER_BYTES;
const _: () = assert!(BODY_BYTES == 8096);
/// The layout above.
pub const HEADER_VERSION: u8 = 1;
/// The checksum field holds a CRC-32C of the page.
pub const FLAG_CHECKSUM: u16 = 0x200;

mod at {
    pub const VERSION: usize = 0;
    pub const KIND: usize = 1;
    pub const TYPE_FLAGS: usize = 2;
    pub const LEVEL: usize = 3;
    pub const FLAGS: usize = 4;
    pub const INDEX_ID: usize = 6;
    pub const PREV_PAGE: usize = 8;
    pub const PREV_FILE: usize = 12;
    pub const ROW_BYTES_MIN: usize = 14;
    pub const NEXT_PAGE: usize = 16;
    pub const NEXT_FILE: usize = 20;
    pub const SLOT_COUNT: usize = 22;
    pub const OBJECT_ID: usize = 24;
    pub const FREE_COUNT: usize = 28;
    pub const FREE_DATA: usize = 30;
    pub const PAGE: usize = 32;
    pub const FILE: usize = 36;
    pub const RESERVED_COUNT: usize = 38;
    pub const LSN: usize = 40;
    pub const GHOST_COUNT: usize = 58;
    pub const CHECKSUM: usize = 60;
    pub const CHECKSUM_END: usize = 64;
}

/// Why the bytes of a page are not believed (message 824).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PageDamage {
    /// Nothing was ever written there.
    #[error("page {expected} was never written (all header bytes that name a page are zero)")]
    NeverWritten {
        /// Page asked for.
        expected: PageId,
    },
    /// The header is of a layout that this program does not know.
    #[error("page {expected} has header version {found}; this program reads version {HEADER_VERSION}")]
    Version {
        /// Page asked for.
        expected: PageId,
        /// What it has.
        found: u8,
    },
    /// Another page's bytes lie there: a lost or misdirected write.
    #[error("page {expected} carries the number of page {file}:{page}")]
    WrongPage {
        /// Page asked for.
        expected: PageId,
        /// File number in the header.
        file: FileId,
        /// Page number in the header.
        page: PageNo,
    },
    /// The bytes are not those that were written.
    #[error("page {expected} has checksum {stored:08x} but its bytes give {computed:08x}")]
    Checksum {
        /// Page asked for.
        expected: PageId,
        /// In the header.
        stored: u32,
        /// Of the bytes.
        computed: u32,
    },
}

/// A log sequence number as the header holds it: log part, block in it, record in the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Lsn {
    /// Number of the log part.
    pub sequence: u32,
    /// Offset of the block, in 512 bytes.
    pub block: u32,
    /// Record in the block.
    pub slot: u16,
}

/// A place in the log, to the block: log part above, offset of the block in 512 bytes below. 0 is before every record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct LogPos(pub u64);

impl Lsn {
    /// The block that the record lies in.
    #[must_use]
    pub fn position(self) -> LogPos {
        LogPos(u64::from(self.sequence) << 32 | u64::from(self.block))
    }

    /// The place as SQL Server's views write it, in decimal digits: log part, five zeros more than the block needs, record.
    #[must_use]
    pub fn number(self) -> i128 {
        i128::from(self.sequence) * 1_000_000_000_000_000 + i128::from(self.block) * 100_000 + i128::from(self.slot)
    }

    /// The record's place as ten bytes, little-endian; the lowest one stands for none.
    #[must_use]
    pub fn to_bytes(self) -> [u8; 10] {
        let mut bytes = [0; 10];
        bytes[..4].copy_from_slice(&self.sequence.to_le_bytes());
        bytes[4..8].copy_from_slice(&self.block.to_le_bytes());
        bytes[8..].copy_from_slice(&self.slot.to_le_bytes());
        bytes
    }

    /// The inverse of [`Lsn::to_bytes`].
    #[must_use]
    pub fn from_bytes(bytes: [u8; 10]) -> Lsn {
        let [s0, s1, s2, s3, b0, b1, b2, b3, t0, t1] = bytes;
        Lsn {
            sequence: u32::from_le_bytes([s0, s1, s2, s3]),
            block: u32::from_le_bytes([b0, b1, b2, b3]),
            slot: u16::from_le_bytes([t0, t1]),
        }
    }

    /// As backups and `sys.database_files` show it, a number of up to 25 digits: part · 10^15 + block · 10^5 + record.
    #[must_use]
    pub fn to_decimal(self) -> u128 {
        u128::from(self.sequence) * 10_u128.pow(15) + u128::from(self.block) * 10_u128.pow(5) + u128::from(self.slot)
    }
}

/// As `fn_dblog` shows it: `0000001f:00000130:0002`.
impl std::fmt::Display for Lsn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:08x}:{:08x}:{:04x}", self.sequence, self.block, self.slot)
    }
}

impl LogPos {
    /// The log part.
    #[must_use]
    pub fn sequence(self) -> u32 {
        (self.0 >> 32) as u32
    }

    /// Offset of the block, in 512 bytes.
    #[must_use]
    pub fn block(self) -> u32 {
        self.0 as u32
    }

    /// The first record of the block.
    #[must_use]
    pub fn first_lsn(self) -> Lsn {
        Lsn { sequence: self.sequence(), block: self.block(), slot: 0 }
    }
}

/// A page of the same database, as chains link them; page 0 of file 0 is "none".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PageLink {
    /// File.
    pub file: FileId,
    /// Page.
    pub page: PageNo,
}

#[inline]
fn u16_at(page: &PageBytes, offset: usize) -> u16 {
    u16::from_le_bytes([page[offset], page[offset + 1]])
}

#[inline]
fn u32_at(page: &PageBytes, offset: usize) -> u32 {
    u32::from_le_bytes([page[offset], page[offset + 1], page[offset + 2], page[offset + 3]])
}

#[inline]
fn put_u16(page: &mut PageBytes, offset: usize, value: u16) {
    page[offset..offset + 2].copy_from_slice(&value.to_le_bytes());
}

#[inline]
fn put_u32(page: &mut PageBytes, offset: usize, value: u32) {
    page[offset..offset + 4].copy_from_slice(&value.to_le_bytes());
}

/// Makes an empty page: writes the header and nothing else. The body keeps whatever the frame held, so that a page that
/// is filled at once is not written twice; readers see only rows that slots name.
pub fn init(page: &mut PageBytes, id: PageId, kind: PageKind, object_id: u32) {
    check!(id.file.0 != 0, "page {id} is of no file, and a page is made of it");
    page[..HEADER_BYTES].fill(0);
    page[at::VERSION] = HEADER_VERSION;
    page[at::KIND] = kind as u8;
    put_u32(page, at::OBJECT_ID, object_id);
    put_u16(page, at::FREE_COUNT, BODY_BYTES as u16);
    put_u16(page, at::FREE_DATA, HEADER_BYTES as u16);
    put_u32(page, at::PAGE, id.page.0);
    put_u16(page, at::FILE, id.file.0);
}

/// As [`init`], and the body is zero: for pages whose body is not rows.
pub fn init_zeroed(page: &mut PageBytes, id: PageId, kind: PageKind, object_id: u32) {
    page[HEADER_BYTES..].fill(0);
    init(page, id, kind, object_id);
}

/// The layout's version; 0 for a page that was never written.
#[must_use]
pub fn version(page: &PageBytes) -> u8 {
    page[at::VERSION]
}

/// What the page is; `None` for a number that this program does not know.
#[must_use]
pub fn kind(page: &PageBytes) -> Option<PageKind> {
    kind_of_number(page[at::KIND])
}

/// The inverse of `PageKind as u8`.
#[must_use]
pub fn kind_of_number(number: u8) -> Option<PageKind> {
    Some(match number {
        1 => PageKind::Data,
        2 => PageKind::Index,
        3 => PageKind::Text,
        7 => PageKind::Sort,
        8 => PageKind::Gam,
        9 => PageKind::Sgam,
        10 => PageKind::Iam,
        11 => PageKind::Pfs,
        13 => PageKind::Boot,
        15 => PageKind::FileHeader,
        16 => PageKind::Dcm,
        17 => PageKind::Bcm,
        _ => return None,
    })
}

/// `m_typeFlagBits`.
#[must_use]
pub fn type_flags(page: &PageBytes) -> u8 {
    page[at::TYPE_FLAGS]
}

/// Sets `m_typeFlagBits`.
pub fn set_type_flags(page: &mut PageBytes, flags: u8) {
    page[at::TYPE_FLAGS] = flags;
}

/// Level in an index; 0 is the leaf.
#[must_use]
pub fn level(page: &PageBytes) -> u8 {
    page[at::LEVEL]
}

/// Sets the level.
pub fn set_level(page: &mut PageBytes, level: u8) {
    page[at::LEVEL] = level;
}

/// `m_flagBits`.
#[must_use]
pub fn flags(page: &PageBytes) -> u16 {
    u16_at(page, at::FLAGS)
}

/// Sets `m_flagBits`.
pub fn set_flags(page: &mut PageBytes, flags: u16) {
    put_u16(page, at::FLAGS, flags);
}

/// Index within the object; 0 is a heap.
#[must_use]
pub fn index_id(page: &PageBytes) -> u16 {
    u16_at(page, at::INDEX_ID)
}

/// Sets the index.
pub fn set_index_id(page: &mut PageBytes, index_id: u16) {
    put_u16(page, at::INDEX_ID, index_id);
}

fn link_at(page: &PageBytes, page_at: usize, file_at: usize) -> Option<PageLink> {
    let link = PageLink { file: FileId(u16_at(page, file_at)), page: PageNo(u32_at(page, page_at)) };
    (link.file.0 != 0).then_some(link)
}

fn put_link(page: &mut PageBytes, page_at: usize, file_at: usize, link: Option<PageLink>) {
    check!(link.is_none_or(|link| link.file.0 != 0), "a link to {link:?} reads as none");
    let (file, number) = link.map_or((0, 0), |l| (l.file.0, l.page.0));
    put_u32(page, page_at, number);
    put_u16(page, file_at, file);
}

/// The page before this one in its chain.
#[must_use]
pub fn prev(page: &PageBytes) -> Option<PageLink> {
    link_at(page, at::PREV_PAGE, at::PREV_FILE)
}

/// Sets the page before.
pub fn set_prev(page: &mut PageBytes, link: Option<PageLink>) {
    put_link(page, at::PREV_PAGE, at::PREV_FILE, link);
}

/// The next page in its chain.
#[must_use]
pub fn next(page: &PageBytes) -> Option<PageLink> {
    link_at(page, at::NEXT_PAGE, at::NEXT_FILE)
}

/// Sets the next page.
pub fn set_next(page: &mut PageBytes, link: Option<PageLink>) {
    put_link(page, at::NEXT_PAGE, at::NEXT_FILE, link);
}

/// Length of the fixed part of a row (`pminlen`).
#[must_use]
pub fn row_bytes_min(page: &PageBytes) -> u16 {
    u16_at(page, at::ROW_BYTES_MIN)
}

/// Sets `pminlen`.
pub fn set_row_bytes_min(page: &mut PageBytes, bytes: u16) {
    put_u16(page, at::ROW_BYTES_MIN, bytes);
}

/// Entries of the slot array.
#[must_use]
#[inline]
pub fn slot_count(page: &PageBytes) -> u16 {
    u16_at(page, at::SLOT_COUNT)
}

/// Sets the number of slots.
#[inline]
pub fn set_slot_count(page: &mut PageBytes, count: u16) {
    put_u16(page, at::SLOT_COUNT, count);
}

/// The object (heap) that the page belongs to.
#[must_use]
#[inline]
pub fn object_id(page: &PageBytes) -> u32 {
    u32_at(page, at::OBJECT_ID)
}

/// Sets the object.
pub fn set_object_id(page: &mut PageBytes, object_id: u32) {
    put_u32(page, at::OBJECT_ID, object_id);
}

/// Free bytes anywhere on the page.
#[must_use]
#[inline]
pub fn free_count(page: &PageBytes) -> u16 {
    u16_at(page, at::FREE_COUNT)
}

/// Sets the free bytes.
#[inline]
pub fn set_free_count(page: &mut PageBytes, bytes: u16) {
    put_u16(page, at::FREE_COUNT, bytes);
}

/// Offset of the first byte after the last row.
#[must_use]
#[inline]
pub fn free_data(page: &PageBytes) -> u16 {
    u16_at(page, at::FREE_DATA)
}

/// Sets that offset.
#[inline]
pub fn set_free_data(page: &mut PageBytes, offset: u16) {
    put_u16(page, at::FREE_DATA, offset);
}

/// Number of the page in its file.
#[must_use]
#[inline]
pub fn page_no(page: &PageBytes) -> PageNo {
    PageNo(u32_at(page, at::PAGE))
}

/// Number of the file in its database.
#[must_use]
#[inline]
pub fn file_id(page: &PageBytes) -> FileId {
    FileId(u16_at(page, at::FILE))
}

/// Free bytes that open transactions hold (`m_reservedCnt`).
#[must_use]
pub fn reserved_count(page: &PageBytes) -> u16 {
    u16_at(page, at::RESERVED_COUNT)
}

/// Last change that the log knows.
#[must_use]
pub fn lsn(page: &PageBytes) -> Lsn {
    Lsn { sequence: u32_at(page, at::LSN), block: u32_at(page, at::LSN + 4), slot: u16_at(page, at::LSN + 8) }
}

/// Sets the last change.
pub fn set_lsn(page: &mut PageBytes, lsn: Lsn) {
    put_u32(page, at::LSN, lsn.sequence);
    put_u32(page, at::LSN + 4, lsn.block);
    put_u16(page, at::LSN + 8, lsn.slot);
}

/// Rows that are deleted but still there.
#[must_use]
pub fn ghost_count(page: &PageBytes) -> u16 {
    u16_at(page, at::GHOST_COUNT)
}

/// Sets the number of ghosts.
pub fn set_ghost_count(page: &mut PageBytes, count: u16) {
    put_u16(page, at::GHOST_COUNT, count);
}

/// The checksum field as it is (`m_tornBits`).
#[must_use]
pub fn stored_checksum(page: &PageBytes) -> u32 {
    u32_at(page, at::CHECKSUM)
}

fn computed_checksum(page: &PageBytes) -> u32 {
    crc32c::crc32c_append(crc32c::crc32c(&page[..at::CHECKSUM]), &page[at::CHECKSUM_END..])
}

/// Makes the page fit to leave memory: sets the flag and the checksum.
pub fn set_checksum(page: &mut PageBytes) {
    let flags = flags(page) | FLAG_CHECKSUM;
    set_flags(page, flags);
    let checksum = computed_checksum(page);
    put_u32(page, at::CHECKSUM, checksum);
    check!(
        flags & FLAG_CHECKSUM != 0 && stored_checksum(page) == computed_checksum(page),
        "P3: the checksum of page {} is not over all of its bytes",
        page_no(page)
    );
}

/// Whether `page`, just read, is page `expected` as it was written.
///
/// # Errors
/// [`PageDamage`] with what is wrong.
pub fn verify(page: &PageBytes, expected: PageId) -> Result<(), PageDamage> {
    if version(page) == 0 && file_id(page).0 == 0 && flags(page) == 0 {
        return Err(PageDamage::NeverWritten { expected });
    }
    let (stored, computed) = (stored_checksum(page), computed_checksum(page));
    if version(page) != HEADER_VERSION && stored == computed {
        return Err(PageDamage::Version { expected, found: version(page) });
    }
    if flags(page) & FLAG_CHECKSUM == 0 || stored != computed {
        return Err(PageDamage::Checksum { expected, stored, computed });
    }
    if page_no(page) != expected.page || file_id(page) != expected.file {
        return Err(PageDamage::WrongPage { expected, file: file_id(page), page: page_no(page) });
    }
    Ok(())
}
