//! Texts of the file: places of 1 KB in sets of eight, of which the hash of a text chooses one.
//!
//! ```text
//!   0 checksum of what follows    4 length    8 hash    16 when it was used last    32 the text
//! ```
//! What always holds: a text that is given out has the hash under which it was asked for. Where a set is full, the text that was not
//! used for longest goes.

use super::{SET_BYTES, TEXT_BYTES, TEXT_SETS, TEXT_WAYS};
use crate::sample::{TEXT_BYTES_MAX, TextId, kept};

const AT_TEXT: usize = 32;

const _: () = assert!(AT_TEXT + TEXT_BYTES_MAX == TEXT_BYTES, "a place has room for what is kept of a text");

/// A set, as it is read.
pub(super) type Set = [u8; SET_BYTES];

/// The set of a text.
pub(super) fn set_of(id: TextId) -> usize {
    (id.0 % TEXT_SETS as u64) as usize
}

/// The bytes of a place.
pub(super) fn encode(text: &str, used_us: i64) -> [u8; TEXT_BYTES] {
    let text = kept(text);
    let mut bytes = [0; TEXT_BYTES];
    bytes[4..6].copy_from_slice(&(text.len() as u16).to_le_bytes());
    bytes[8..16].copy_from_slice(&TextId::of(text).0.to_le_bytes());
    bytes[16..24].copy_from_slice(&used_us.to_le_bytes());
    bytes[AT_TEXT..AT_TEXT + text.len()].copy_from_slice(text.as_bytes());
    let checksum = crc32c::crc32c(&bytes[4..]);
    bytes[..4].copy_from_slice(&checksum.to_le_bytes());
    bytes
}

/// The text of a place, with its hash and when it was used last; none where it is empty or damaged.
fn decode(bytes: &[u8]) -> Option<(TextId, i64, &str)> {
    let eight = |at: usize| <[u8; 8]>::try_from(&bytes[at..at + 8]).ok();
    let length = usize::from(u16::from_le_bytes([bytes[4], bytes[5]]));
    if bytes[..4] != crc32c::crc32c(&bytes[4..]).to_le_bytes() || length > TEXT_BYTES_MAX {
        return None;
    }
    let text = std::str::from_utf8(&bytes[AT_TEXT..AT_TEXT + length]).ok()?;
    let id = TextId(u64::from_le_bytes(eight(8)?));
    (id == TextId::of(text)).then_some((id, i64::from_le_bytes(eight(16)?), text))
}

/// The text with that hash.
pub(super) fn find(set: &Set, id: TextId) -> Option<&str> {
    set.chunks_exact(TEXT_BYTES).filter_map(decode).find(|(of, ..)| *of == id).map(|(.., text)| text)
}

/// Where a text is to be written.
pub(super) struct Place {
    /// In its set.
    pub way: usize,
    /// The text is there already, used last then.
    pub used_us: Option<i64>,
    /// The text that goes.
    pub gone: Option<TextId>,
}

/// The place for a text: its own, else an empty one, else that of the text that was not used for longest.
pub(super) fn place(set: &Set, id: TextId) -> Place {
    let mut oldest: Option<(i64, usize, Option<TextId>)> = None;
    for (way, bytes) in set.chunks_exact(TEXT_BYTES).enumerate().take(TEXT_WAYS) {
        let (age, of) = match decode(bytes) {
            Some((of, used_us, _)) if of == id => return Place { way, used_us: Some(used_us), gone: None },
            Some((of, used_us, _)) => (used_us, Some(of)),
            None => (i64::MIN, None),
        };
        if oldest.is_none_or(|(least, ..)| age < least) {
            oldest = Some((age, way, of));
        }
    }
    let (way, gone) = oldest.map_or((0, None), |(_, way, of)| (way, of));
    Place { way, used_us: None, gone }
}
