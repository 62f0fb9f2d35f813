//! What the log of tempdb asks of a file that takes its blocks.

use crate::ask::Ask;
use crate::contract::{FileId, IoFailure};

/// Bytes of a block: 60 KB, 15 system pages.
pub const BLOCK_BYTES: usize = 60 << 10;

/// A log file; it meters and accounts for its I/O itself, as `WriteReason::Log`.
pub trait LogMedium: Send + Sync {
    /// Number of the file, if it is one.
    fn id(&self) -> Option<FileId> {
        None
    }

    /// Bytes usable for blocks; fixed between two calls of [`LogMedium::grow`].
    fn size_bytes(&self) -> u64;

    /// Makes the file larger by its increment and returns the new size; unchanged size or `NoSpace` when it may not.
    ///
    /// # Errors
    /// [`IoFailure`].
    fn grow(&self, ask: &Ask<'_>) -> Result<u64, IoFailure>;

    /// Writes a block; offset and length are multiples of 512.
    ///
    /// # Errors
    /// [`IoFailure`].
    fn write_at(&self, ask: &Ask<'_>, offset_bytes: u64, bytes: &[u8]) -> Result<(), IoFailure>;

    /// Reads what was written; offset and length are multiples of 512.
    ///
    /// # Errors
    /// [`IoFailure`].
    fn read_at(&self, ask: &Ask<'_>, offset_bytes: u64, bytes: &mut [u8]) -> Result<(), IoFailure>;
}
