//! Whether what a statement spills is compressed.
//!
//! It is where tempdb's files are so slow that less to write and to read is worth the processors' time. Numbers like those
//! of sums and of keys become 2.4 times smaller by LZ4, rows to be sorted 1.7 times; with a device of 900 MB/s that is
//! as fast as without, so it pays below half of that (docs/analytics.md has the measurement). Before tempdb has been
//! written to, nothing is known, and nothing is compressed.

use datafusion::config::SpillCompression;

/// What files must be slower than.
const PAYS_BELOW_BYTES_PER_S: u64 = 400 << 20;

/// For files that take so many bytes a second, if that is known.
pub(crate) fn compression_for(bytes_per_s: Option<u64>) -> SpillCompression {
    match bytes_per_s {
        Some(bytes_per_s) if bytes_per_s < PAYS_BELOW_BYTES_PER_S => SpillCompression::Lz4Frame,
        _ => SpillCompression::Uncompressed,
    }
}
