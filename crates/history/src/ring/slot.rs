//! A sample as the bytes of a slot.
//!
//! ```text
//!   0  checksum of what follows      4  resolution, counts of figures, statements, waits, files; flags    16  number
//!   24 run    32 end    40 uptime    48 span    64 figures, then statements, waits, files; the rest is zero
//! ```
//! What always holds: a slot that is given out had the right checksum, stood at its place, and its counts fit.

use super::{SLOT_BYTES, TIERS};
use crate::figure::{FIGURES_MAX, Figure, Figures};
use crate::sample::{
    FILE_COUNTERS, FILES_MAX, FileUse, STATEMENT_COUNTERS, STATEMENTS_MAX, Sample, StatementUse, TextId, WAIT_COUNTERS,
    WAITS_MAX, WaitUse,
};

pub(super) const HEAD: usize = 64;
pub(super) const STATEMENT: usize = 32 + STATEMENT_COUNTERS.len() * 8;
pub(super) const WAIT: usize = 8 + WAIT_COUNTERS.len() * 8;
pub(super) const FILE: usize = 32 + FILE_COUNTERS.len() * 8;

/// The end of the year 9999: sums of such times fit.
const TIME_MAX_US: i64 = 253_402_300_800_000_000;
const IS_FIRST: u8 = 1;
const IS_LAST: u8 = 2;

/// A slot whose bytes were checked.
#[derive(Clone, Copy, Debug)]
pub struct Slot<'a>(&'a [u8]);

/// What stands in a slot.
pub(super) enum Found<'a> {
    /// Nothing was ever written.
    Empty,
    /// Not what was written.
    Damaged,
    /// A sample.
    Slot(Slot<'a>),
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    let mut number = [0; 8];
    number.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(number)
}

struct Put<'a> {
    bytes: &'a mut [u8],
    at: usize,
}

impl Put<'_> {
    fn u64(&mut self, value: u64) {
        self.bytes[self.at..self.at + 8].copy_from_slice(&value.to_le_bytes());
        self.at += 8;
    }

    fn all(&mut self, values: &[u64]) {
        values.iter().for_each(|value| self.u64(*value));
    }
}

/// The bytes of a sample at that number of a resolution. What is beyond the bounds of its lists is left out.
pub(super) fn encode(tier: usize, number: u64, sample: &Sample) -> Box<[u8]> {
    let mut bytes = vec![0; SLOT_BYTES].into_boxed_slice();
    let statements = &sample.statements[..sample.statements.len().min(STATEMENTS_MAX)];
    let waits = &sample.waits[..sample.waits.len().min(WAITS_MAX)];
    let files = &sample.files[..sample.files.len().min(FILES_MAX)];
    let flags = if sample.is_first { IS_FIRST } else { 0 } | if sample.is_last { IS_LAST } else { 0 };
    let counts = [tier, Figure::COUNT, statements.len(), waits.len(), files.len()];
    for (at, count) in counts.into_iter().enumerate() {
        bytes[4 + at] = count as u8;
    }
    bytes[9] = flags;
    let mut put = Put { bytes: &mut bytes, at: 16 };
    let (run, end) = (sample.run_us.cast_unsigned(), sample.end_us.cast_unsigned());
    put.all(&[number, run, end, sample.uptime_us, sample.span_us]);
    put.at = HEAD;
    Figure::ALL.iter().for_each(|figure| put.u64(sample.figures.get(*figure)));
    for used in statements {
        put.all(&[used.text.0, used.query_hash, used.database.0, u64::from(used.object_id.cast_unsigned())]);
        put.all(&used.counters);
    }
    for used in waits {
        put.u64(used.wait_type.0);
        put.all(&used.counters);
    }
    for used in files {
        put.all(&[used.database.0, used.name.0, used.path.0, used.size_bytes]);
        put.all(&used.counters);
    }
    let checksum = crc32c::crc32c(&bytes[4..]);
    bytes[..4].copy_from_slice(&checksum.to_le_bytes());
    bytes
}

/// What stands in the bytes of that place of a resolution.
pub(super) fn find(tier: usize, place: u64, bytes: &[u8]) -> Found<'_> {
    if bytes == &[0; SLOT_BYTES][..bytes.len()] {
        return Found::Empty;
    }
    let slot = Slot(bytes);
    let is_whole = bytes.len() == SLOT_BYTES && bytes[..4] == crc32c::crc32c(&bytes[4..]).to_le_bytes();
    let fits = || {
        let [of, figures, statements, waits, files] = [4, 5, 6, 7, 8].map(|at| usize::from(bytes[at]));
        of == tier
            && figures <= FIGURES_MAX
            && statements <= STATEMENTS_MAX
            && waits <= WAITS_MAX
            && files <= FILES_MAX
            && slot.number() % TIERS[tier].slots == place
            && (0..=slot.end_us()).contains(&slot.run_us())
            && slot.end_us() <= TIME_MAX_US
            && slot.span_us().max(slot.uptime_us()) <= TIME_MAX_US.unsigned_abs()
    };
    if is_whole && fits() { Found::Slot(slot) } else { Found::Damaged }
}

impl<'a> Slot<'a> {
    fn count(self, at: usize) -> usize {
        usize::from(self.0[at])
    }

    /// Its number: one more than that of the slot before it of the same resolution.
    #[must_use]
    pub fn number(self) -> u64 {
        u64_at(self.0, 16)
    }

    /// [`Sample::run_us`]
    #[must_use]
    pub fn run_us(self) -> i64 {
        u64_at(self.0, 24).cast_signed()
    }

    /// [`Sample::end_us`]
    #[must_use]
    pub fn end_us(self) -> i64 {
        u64_at(self.0, 32).cast_signed()
    }

    /// [`Sample::uptime_us`]
    #[must_use]
    pub fn uptime_us(self) -> u64 {
        u64_at(self.0, 40)
    }

    /// [`Sample::span_us`]
    #[must_use]
    pub fn span_us(self) -> u64 {
        u64_at(self.0, 48)
    }

    /// Where the interval began, microseconds of UTC since 1970.
    #[must_use]
    pub fn begin_us(self) -> i64 {
        self.end_us().saturating_sub(i64::try_from(self.span_us()).unwrap_or(i64::MAX))
    }

    /// [`Sample::is_first`]
    #[must_use]
    pub fn is_first(self) -> bool {
        self.0[9] & IS_FIRST != 0
    }

    /// [`Sample::is_last`]
    #[must_use]
    pub fn is_last(self) -> bool {
        self.0[9] & IS_LAST != 0
    }

    /// Its figures; those that its writer did not know are 0.
    #[must_use]
    pub fn figures(self) -> Figures {
        let mut figures = Figures::default();
        for (at, figure) in Figure::ALL.iter().enumerate().take(self.count(5)) {
            figures.set(*figure, u64_at(self.0, HEAD + at * 8));
        }
        figures
    }

    fn statements_at(self) -> usize {
        HEAD + self.count(5) * 8
    }

    fn waits_at(self) -> usize {
        self.statements_at() + self.count(6) * STATEMENT
    }

    fn files_at(self) -> usize {
        self.waits_at() + self.count(7) * WAIT
    }

    fn counters<const N: usize>(self, at: usize) -> [u64; N] {
        std::array::from_fn(|place| u64_at(self.0, at + place * 8))
    }

    /// Its statements.
    pub fn statements(self) -> impl Iterator<Item = StatementUse> + use<'a> {
        (0..self.count(6)).map(move |place| {
            let at = self.statements_at() + place * STATEMENT;
            StatementUse {
                text: TextId(u64_at(self.0, at)),
                query_hash: u64_at(self.0, at + 8),
                database: TextId(u64_at(self.0, at + 16)),
                object_id: (u64_at(self.0, at + 24) as u32).cast_signed(),
                counters: self.counters(at + 32),
            }
        })
    }

    /// Its waits.
    pub fn waits(self) -> impl Iterator<Item = WaitUse> + use<'a> {
        (0..self.count(7)).map(move |place| {
            let at = self.waits_at() + place * WAIT;
            WaitUse { wait_type: TextId(u64_at(self.0, at)), counters: self.counters(at + 8) }
        })
    }

    /// Its files.
    pub fn files(self) -> impl Iterator<Item = FileUse> + use<'a> {
        (0..self.count(8)).map(move |place| {
            let at = self.files_at() + place * FILE;
            FileUse {
                database: TextId(u64_at(self.0, at)),
                name: TextId(u64_at(self.0, at + 8)),
                path: TextId(u64_at(self.0, at + 16)),
                size_bytes: u64_at(self.0, at + 24),
                counters: self.counters(at + 32),
            }
        })
    }

    /// All of it.
    #[must_use]
    pub fn sample(self) -> Sample {
        Sample {
            run_us: self.run_us(),
            end_us: self.end_us(),
            uptime_us: self.uptime_us(),
            span_us: self.span_us(),
            is_first: self.is_first(),
            is_last: self.is_last(),
            figures: self.figures(),
            statements: self.statements().collect(),
            waits: self.waits().collect(),
            files: self.files().collect(),
        }
    }
}
