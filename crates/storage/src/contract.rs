//! What the parts of storage must agree on so that they need not know each other: numbers of pages and files, the
//! reasons of I/O, and why it failed. It knows nothing else of the crate.

/// Bytes of a page.
pub const PAGE_BYTES: usize = 8192;
/// Pages of an extent.
pub const EXTENT_PAGES: u32 = 8;

/// The bytes of a page.
pub type PageBytes = [u8; PAGE_BYTES];

macro_rules! number {
    ($(#[$doc:meta])* $name:ident($inner:ty)) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        pub struct $name(pub $inner);
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

number!(
    /// A database: master 1, tempdb 2, model 3, msdb 4.
    DbId(u16)
);
number!(
    /// A file of a database, from 1; 1 is the primary data file, 2 the first log file.
    FileId(u16)
);
number!(
    /// A page of a file, from 0.
    PageNo(u32)
);
number!(
    /// An extent of a file: pages `8 n ..= 8 n + 7`.
    ExtentNo(u32)
);
number!(
    /// A session; user sessions are above 50, 0 is the server itself.
    SessionId(u16)
);

impl DbId {
    /// master
    pub const MASTER: DbId = DbId(1);
    /// tempdb
    pub const TEMPDB: DbId = DbId(2);
    /// model
    pub const MODEL: DbId = DbId(3);
    /// msdb
    pub const MSDB: DbId = DbId(4);
}

impl PageNo {
    /// The extent that the page belongs to.
    #[must_use]
    pub fn extent(self) -> ExtentNo {
        ExtentNo(self.0 / EXTENT_PAGES)
    }
}

impl ExtentNo {
    /// Its first page.
    #[must_use]
    pub fn first_page(self) -> PageNo {
        PageNo(self.0 * EXTENT_PAGES)
    }
}

/// A page of the instance. Displays as `db:file:page`, the form of `wait_resource`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PageId {
    /// Database.
    pub db: DbId,
    /// File.
    pub file: FileId,
    /// Page.
    pub page: PageNo,
}

impl PageId {
    /// The page as one number, for atomics: db 16 bits, file 16 bits, page 32 bits.
    #[must_use]
    pub fn to_bits(self) -> u64 {
        u64::from(self.db.0) << 48 | u64::from(self.file.0) << 32 | u64::from(self.page.0)
    }

    /// The inverse of [`PageId::to_bits`].
    #[must_use]
    pub fn from_bits(bits: u64) -> PageId {
        PageId { db: DbId((bits >> 48) as u16), file: FileId((bits >> 32) as u16), page: PageNo(bits as u32) }
    }
}

impl std::fmt::Display for PageId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}:{}", self.db, self.file, self.page)
    }
}

/// An extent of the instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExtentId {
    /// Database.
    pub db: DbId,
    /// File.
    pub file: FileId,
    /// Extent.
    pub extent: ExtentNo,
}

impl ExtentId {
    /// Page `index` (0..=7) of the extent.
    #[must_use]
    pub fn page(self, index: u32) -> PageId {
        debug_assert!(index < EXTENT_PAGES);
        PageId { db: self.db, file: self.file, page: PageNo(self.extent.0 * EXTENT_PAGES + index) }
    }
}

/// `m_type` of the page header (surface.md §3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum PageKind {
    /// Heap or leaf rows.
    Data = 1,
    /// Index rows.
    Index = 2,
    /// Large values.
    Text = 3,
    /// What a sort, hash join or aggregate has spilled.
    Sort = 7,
    /// Global allocation map.
    Gam = 8,
    /// Shared global allocation map.
    Sgam = 9,
    /// Index allocation map.
    Iam = 10,
    /// Page free space.
    Pfs = 11,
    /// Boot page.
    Boot = 13,
    /// File header.
    FileHeader = 15,
    /// Differential map.
    Dcm = 16,
    /// Bulk-changed map.
    Bcm = 17,
}

/// Why bytes were written: D3, "every write has a reason".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum WriteReason {
    /// Lazy writer made room in memory.
    Lazy = 0,
    /// A bulk operation pushed its pages out: those that it made without the log, and those of tempdb where the old
    /// behaviour is switched on.
    Eager = 1,
    /// Checkpoint.
    Checkpoint = 2,
    /// A file was created or grew, its new space initialised.
    Growth = 3,
    /// A lazy write whose page lies in an overflow file.
    Overflow = 4,
    /// Log blocks.
    Log = 5,
    /// Spill of a query operator.
    Spill = 6,
    /// Buffer pool extension.
    Extension = 7,
    /// Recovery.
    Recovery = 8,
    /// File header and boot page.
    Header = 9,
    /// A file was copied to another place.
    Move = 10,
    /// A page of a database snapshot's source was kept in the snapshot before it changed.
    Snapshot = 11,
}

impl WriteReason {
    /// All reasons, in order of their number.
    pub const ALL: [WriteReason; 12] = [
        WriteReason::Lazy,
        WriteReason::Eager,
        WriteReason::Checkpoint,
        WriteReason::Growth,
        WriteReason::Overflow,
        WriteReason::Log,
        WriteReason::Spill,
        WriteReason::Extension,
        WriteReason::Recovery,
        WriteReason::Header,
        WriteReason::Move,
        WriteReason::Snapshot,
    ];

    /// Lower-case word for views.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            WriteReason::Lazy => "lazy",
            WriteReason::Eager => "eager",
            WriteReason::Checkpoint => "checkpoint",
            WriteReason::Growth => "growth",
            WriteReason::Overflow => "overflow",
            WriteReason::Log => "log",
            WriteReason::Spill => "spill",
            WriteReason::Extension => "extension",
            WriteReason::Recovery => "recovery",
            WriteReason::Header => "header",
            WriteReason::Move => "move",
            WriteReason::Snapshot => "snapshot",
        }
    }
}

/// An I/O on pages that failed; the pool and its callers pass it on as a value.
#[derive(Clone, Debug, thiserror::Error)]
pub enum IoFailure {
    /// The system refused (823).
    #[error("I/O on page {page} failed: {message}")]
    System {
        /// First page of the I/O.
        page: PageId,
        /// The system's words.
        message: String,
    },
    /// The medium has no room for the bytes (a sparse file on a full disk).
    #[error("no room on the device for page {page}")]
    NoSpace {
        /// First page of the I/O.
        page: PageId,
    },
    /// No such file any more.
    #[error("page {page} lies in a file that is not open")]
    NoFile {
        /// First page of the I/O.
        page: PageId,
    },
}
