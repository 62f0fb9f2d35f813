//! Page 9 of the primary file: what a database knows of itself.
//!
//! ```text
//!   96 as page 0 (file_header.rs), with the name that the database had when it was made
//! 2048 created i64, microseconds since 1970 UTC │ 2056 options (24) │ 2080 length of collation u16 │ 2082 collation (128)
//! 2304 sixteen values u64                                                                                        2432
//! 2432 the next log backup begins: checkpoint (10), redo (10), both 0: there was no full backup                  2452
//! ```
//!
//! What always holds: the places do not move, so that a change is a few bytes at a known offset, which is what the log
//! holds of it. Numbers are little-endian. What the sixteen values mean, others know.

use crate::check;
use crate::contract::PageBytes;
use crate::database::options::{DatabaseOptions, OPTIONS_BYTES};
use crate::page::header::Lsn;
use crate::wal::image::RedoPlace;

/// Values that the page has room for.
pub const VALUES: usize = 16;
/// Longest name of a collation.
pub const COLLATION_BYTES_MAX: usize = 128;

const CREATED_AT: usize = 2048;
const OPTIONS_AT: usize = 2056;
const COLLATION_LENGTH_AT: usize = 2080;
const COLLATION_AT: usize = 2082;
const VALUES_AT: usize = 2304;
const CHAIN_AT: usize = 2432;
const CHAIN_BYTES: usize = 20;
const _: () = assert!(OPTIONS_AT + OPTIONS_BYTES <= COLLATION_LENGTH_AT);
const _: () = assert!(COLLATION_AT + COLLATION_BYTES_MAX <= VALUES_AT);
const _: () = assert!(VALUES_AT + VALUES * 8 <= CHAIN_AT);

/// What a boot page says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BootFacts {
    /// When the database was made.
    pub created_utc_us: i64,
    /// ALTER DATABASE … SET.
    pub options: DatabaseOptions,
    /// Collation; empty: the server's.
    pub collation: String,
    /// The values of others.
    pub values: [u64; VALUES],
    /// Where the next log backup begins; `None`: there was no full backup.
    pub chain: Option<RedoPlace>,
}

impl BootFacts {
    /// Those of a new database.
    #[must_use]
    pub fn new(created_utc_us: i64, options: DatabaseOptions, collation: &str) -> BootFacts {
        BootFacts { created_utc_us, options, collation: collation.to_owned(), values: [0; VALUES], chain: None }
    }

    /// Writes all of them.
    pub fn write(&self, page: &mut PageBytes) {
        page[CREATED_AT..CREATED_AT + 8].copy_from_slice(&self.created_utc_us.to_le_bytes());
        page[OPTIONS_AT..OPTIONS_AT + OPTIONS_BYTES].copy_from_slice(&self.options.encode());
        let collation = &self.collation.as_bytes()[..self.collation.floor_char_boundary(COLLATION_BYTES_MAX)];
        page[COLLATION_LENGTH_AT..COLLATION_AT].copy_from_slice(&(collation.len() as u16).to_le_bytes());
        page[COLLATION_AT..COLLATION_AT + collation.len()].copy_from_slice(collation);
        for (number, value) in self.values.iter().enumerate() {
            let at = value_at(number);
            page[at..at + 8].copy_from_slice(&value.to_le_bytes());
        }
        page[CHAIN_AT..CHAIN_AT + CHAIN_BYTES].copy_from_slice(&chain_bytes(self.chain));
        check!(
            BootFacts::read(page).values == self.values && chain_at(page) == self.chain,
            "a boot page does not read as it was written"
        );
    }

    /// Reads what [`BootFacts::write`] wrote, believing nothing.
    #[must_use]
    pub fn read(page: &PageBytes) -> BootFacts {
        let length = usize::from(u16::from_le_bytes([page[COLLATION_LENGTH_AT], page[COLLATION_LENGTH_AT + 1]]));
        let collation = &page[COLLATION_AT..COLLATION_AT + length.min(COLLATION_BYTES_MAX)];
        let options: &[u8; OPTIONS_BYTES] = page[OPTIONS_AT..OPTIONS_AT + OPTIONS_BYTES].try_into().expect("24 bytes");
        BootFacts {
            created_utc_us: i64::from_le_bytes(page[CREATED_AT..CREATED_AT + 8].try_into().expect("eight bytes")),
            options: DatabaseOptions::decode(options),
            collation: String::from_utf8_lossy(collation).into_owned(),
            values: std::array::from_fn(|number| u64_at(page, value_at(number))),
            chain: chain_at(page),
        }
    }
}

fn chain_bytes(chain: Option<RedoPlace>) -> [u8; CHAIN_BYTES] {
    let mut bytes = [0; CHAIN_BYTES];
    if let Some(place) = chain {
        check!(
            place.checkpoint != Lsn::default() && place.redo <= place.checkpoint,
            "the next log backup is to begin at {place:?}"
        );
        bytes[..10].copy_from_slice(&place.checkpoint.to_bytes());
        bytes[10..].copy_from_slice(&place.redo.to_bytes());
    }
    bytes
}

fn chain_at(page: &PageBytes) -> Option<RedoPlace> {
    let lsn = |at: usize| Lsn::from_bytes(page[at..at + 10].try_into().expect("ten bytes"));
    let place = RedoPlace { checkpoint: lsn(CHAIN_AT), redo: lsn(CHAIN_AT + 10) };
    (place.checkpoint != Lsn::default()).then_some(place)
}

fn u64_at(page: &PageBytes, at: usize) -> u64 {
    u64::from_le_bytes(page[at..at + 8].try_into().expect("eight bytes"))
}

fn value_at(number: usize) -> usize {
    VALUES_AT + number * 8
}

/// A change of the page: bytes and where they go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BootChange {
    /// Where.
    pub offset: u16,
    /// What.
    pub bytes: Vec<u8>,
}

impl BootChange {
    /// New options.
    #[must_use]
    pub fn options(options: &DatabaseOptions) -> BootChange {
        BootChange { offset: OPTIONS_AT as u16, bytes: options.encode().to_vec() }
    }

    /// Another collation, of a name that is no longer than [`COLLATION_BYTES_MAX`].
    ///
    /// # Panics
    /// When the name is longer.
    #[must_use]
    pub fn collation(name: &str) -> BootChange {
        assert!(name.len() <= COLLATION_BYTES_MAX, "collations have short names");
        let bytes = [&(name.len() as u16).to_le_bytes(), name.as_bytes()].concat();
        BootChange { offset: COLLATION_LENGTH_AT as u16, bytes }
    }

    /// A new value `number`.
    ///
    /// # Panics
    /// When there is no such value.
    #[must_use]
    pub fn value(number: usize, value: u64) -> BootChange {
        assert!(number < VALUES, "the boot page has {VALUES} values");
        BootChange { offset: value_at(number) as u16, bytes: value.to_le_bytes().to_vec() }
    }

    /// Where the next log backup begins.
    #[must_use]
    pub fn chain(chain: Option<RedoPlace>) -> BootChange {
        BootChange { offset: CHAIN_AT as u16, bytes: chain_bytes(chain).to_vec() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::PAGE_BYTES;
    use crate::database::options::RecoveryModel;

    #[test]
    fn facts_come_back_and_changes_hit_their_places() {
        let mut page = [0; PAGE_BYTES];
        let mut facts = BootFacts::new(77, DatabaseOptions::of_system(), "Latin1_General_BIN2");
        facts.values[15] = u64::MAX;
        facts.write(&mut page);
        assert_eq!(BootFacts::read(&page), facts);
        facts.options.recovery = RecoveryModel::Full;
        facts.values[3] = 9;
        let lsn = |slot| Lsn { sequence: 7, block: 8, slot };
        facts.chain = Some(RedoPlace { checkpoint: lsn(1), redo: lsn(0) });
        facts.collation = "Latin1_General_CS_AS".to_owned();
        let changes = [
            BootChange::options(&facts.options),
            BootChange::value(3, 9),
            BootChange::chain(facts.chain),
            BootChange::collation(&facts.collation),
        ];
        for change in changes {
            let at = usize::from(change.offset);
            page[at..at + change.bytes.len()].copy_from_slice(&change.bytes);
        }
        assert_eq!(BootFacts::read(&page), facts);
    }

    #[test]
    fn a_page_of_noise_is_read_without_a_panic() {
        let facts = BootFacts::read(&[0xff; PAGE_BYTES]);
        assert_eq!(facts.collation.chars().count(), COLLATION_BYTES_MAX);
    }
}
