//! What sessions know to be committed: the model that every cut is compared with.
//!
//! What always holds: each state is one commit further than the one before. A state may be there after a cut once its
//! commit was asked for, and must be there once the commit was acknowledged durable.

use std::collections::BTreeMap;
use std::ops::Range;

/// Rows that an index brings together.
const GROUPS: u64 = 13;

/// A row: all of its bytes follow from this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// Different for every version of every row.
    pub stamp: u64,
    /// Bytes of filling in the row itself.
    pub fill: u16,
    /// Bytes of its large value when it was written; 0: it has none.
    pub large: u32,
    /// How many times a part of that value was changed since.
    pub edits: u8,
}

/// A change of a part of a large value: bytes that go, and those that come.
pub struct Edit {
    pub range: Range<usize>,
    pub bytes: Vec<u8>,
}

/// Bytes of a row's fixed part, and of the pointer after it.
const FIXED_BYTES: usize = 15;
/// Bytes of a pointer to a large value.
pub const POINTER_BYTES: usize = 16;

impl Row {
    /// The payload, with its pointer.
    pub fn payload(&self, pointer: [u8; POINTER_BYTES]) -> Vec<u8> {
        let mut bytes = self.stamp.to_le_bytes().to_vec();
        bytes.extend_from_slice(&self.fill.to_le_bytes());
        bytes.extend_from_slice(&self.large.to_le_bytes());
        bytes.push(self.edits);
        bytes.extend_from_slice(&pointer);
        bytes.resize(bytes.len() + usize::from(self.fill), self.stamp as u8);
        bytes
    }

    /// The inverse of [`Row::payload`]; `None` when the bytes do not agree with each other.
    pub fn parse(bytes: &[u8]) -> Option<(Row, [u8; POINTER_BYTES])> {
        let fixed = bytes.get(..FIXED_BYTES)?;
        let row = Row {
            stamp: u64::from_le_bytes(fixed[..8].try_into().ok()?),
            fill: u16::from_le_bytes(fixed[8..10].try_into().ok()?),
            large: u32::from_le_bytes(fixed[10..14].try_into().ok()?),
            edits: fixed[14],
        };
        let pointer = bytes.get(FIXED_BYTES..FIXED_BYTES + POINTER_BYTES)?.try_into().ok()?;
        (row.payload(pointer) == bytes).then_some((row, pointer))
    }

    /// The bytes of its large value.
    pub fn large_value(&self) -> Vec<u8> {
        let mut value: Vec<u8> = (0..self.large).map(|at| (self.stamp ^ u64::from(at / 1000)) as u8).collect();
        for number in 0..self.edits {
            let edit = self.edit(number, value.len());
            value.splice(edit.range, edit.bytes);
        }
        value
    }

    /// A change of its large value, which has so many bytes: an append, an overwrite, a cut or another length.
    pub fn edit(&self, number: u8, len: usize) -> Edit {
        let dice = (self.stamp ^ u64::from(number)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let (at, amount) = ((dice >> 40) as usize % (len + 1), (dice >> 16) as usize % 9_000);
        let bytes = |count: usize| vec![number ^ dice as u8; count];
        match dice >> 61 {
            0..4 => Edit { range: len..len, bytes: bytes(amount) },
            4..6 => Edit { range: at..len.min(at + amount), bytes: bytes(len.min(at + amount) - at) },
            6 => Edit { range: at.max(1).min(len)..len, bytes: Vec::new() },
            _ => Edit { range: at..len.min(at + 100), bytes: bytes(amount) },
        }
    }

    /// Its key in the index: the rows of a group, then by key.
    pub fn index_key(&self, key: u32) -> [u8; 8] {
        let group = (self.stamp % GROUPS) as u32;
        ((u64::from(group) << 32) | u64::from(key)).to_be_bytes()
    }
}

/// Rows by key.
pub type Rows = BTreeMap<u32, Row>;

/// What one session has: its rows of the table that all share, and a table of its own that comes and goes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// In the shared table.
    pub shared: Rows,
    /// In its own, if there is one.
    pub own: Option<Rows>,
}

/// The commits of one session, with positions of the tape.
#[derive(Clone, Debug)]
pub struct History {
    /// Position when the commit was asked for, and what it left.
    states: Vec<(usize, State)>,
    /// Position when it was known that so many states are durable.
    durable: Vec<(usize, usize)>,
}

impl History {
    /// With nothing, durably.
    pub fn new(position: usize) -> History {
        History { states: vec![(position, State::default())], durable: vec![(position, 0)] }
    }

    /// The commit of `state` begins.
    pub fn begin_commit(&mut self, position: usize, state: &State) {
        self.states.push((position, state.clone()));
    }

    /// The last commit is durable, and all before it. One that changed nothing waits for nothing, so it does not say
    /// anything about those before it.
    pub fn acknowledge(&mut self, position: usize) {
        if let [.., (_, before), (_, last)] = &self.states[..]
            && before != last
        {
            self.durable.push((position, self.states.len() - 1));
        }
    }

    /// Which of all states it is: for a person.
    pub fn number_of(&self, found: &State) -> Option<usize> {
        self.states.iter().rposition(|(_, state)| state == found)
    }

    /// Which states a cut at `position` may leave: from the last one that was promised to the last one that was begun.
    pub fn allowed(&self, position: usize) -> std::ops::RangeInclusive<usize> {
        let promised = self.durable[self.durable.partition_point(|&(at, _)| at <= position).max(1) - 1].1;
        let begun = self.states.partition_point(|&(at, _)| at <= position).max(1) - 1;
        promised..=begun.max(promised)
    }

    /// The newest of the allowed states that is `found`.
    pub fn find(&self, position: usize, found: &State) -> Option<usize> {
        self.allowed(position).rev().find(|&number| self.states[number].1 == *found)
    }

    /// A state by its number.
    pub fn state(&self, number: usize) -> &State {
        &self.states[number].1
    }

    /// Commits.
    pub fn len(&self) -> usize {
        self.states.len() - 1
    }
}
