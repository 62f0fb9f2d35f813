//! DONE, DONEPROC, DONEINPROC: the end of a statement, of a procedure, of a statement in a procedure.
//!
//! ```text
//!  FD DONE, FE DONEPROC, FF DONEINPROC ┼ status (2) ┼ command (2) ┼ row count (8)
//! ```

use crate::TdsError;
use crate::wire::{Reader, put_u16, put_u64};

/// What has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DoneKind {
    /// A statement of a batch, or the batch.
    Done,
    /// A procedure.
    Procedure,
    /// A statement inside a procedure.
    InProcedure,
}

impl DoneKind {
    pub(crate) fn from_token(token: u8) -> Option<Self> {
        match token {
            0xFD => Some(Self::Done),
            0xFE => Some(Self::Procedure),
            0xFF => Some(Self::InProcedure),
            _ => None,
        }
    }

    fn token(self) -> u8 {
        match self {
            Self::Done => 0xFD,
            Self::Procedure => 0xFE,
            Self::InProcedure => 0xFF,
        }
    }
}

/// The status bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DoneStatus(pub u16);

impl DoneStatus {
    /// The last of the message, without error or count.
    pub const FINAL: Self = Self(0x00);
    /// More results follow.
    pub const MORE: Self = Self(0x01);
    /// The statement failed.
    pub const ERROR: Self = Self(0x02);
    /// A transaction is open.
    pub const IN_TRANSACTION: Self = Self(0x04);
    /// The row count counts.
    pub const COUNT: Self = Self(0x10);
    /// Acknowledges an attention.
    pub const ATTENTION: Self = Self(0x20);
    /// The error was severe; results are to be thrown away.
    pub const SERVER_ERROR: Self = Self(0x100);

    /// Whether all bits of `other` are set.
    pub fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Both together.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// `self` with `other` when the condition holds.
    #[must_use]
    pub const fn with_if(self, condition: bool, other: Self) -> Self {
        if condition { self.with(other) } else { self }
    }
}

/// The token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Done {
    /// What has ended.
    pub kind: DoneKind,
    /// How.
    pub status: DoneStatus,
    /// The kind of statement, see [`command`].
    pub command: u16,
    /// Rows returned or changed; counts only with [`DoneStatus::COUNT`].
    pub row_count: u64,
}

/// Kinds of statements that clients look at.
pub mod command {
    /// No particular statement.
    pub const NONE: u16 = 0;
    /// SELECT
    pub const SELECT: u16 = 0xC1;
    /// INSERT
    pub const INSERT: u16 = 0xC3;
    /// DELETE
    pub const DELETE: u16 = 0xC4;
    /// UPDATE
    pub const UPDATE: u16 = 0xC5;
    /// EXECUTE
    pub const EXECUTE: u16 = 0xE0;
    /// MERGE
    pub const MERGE: u16 = 0x117;
}

impl Done {
    /// A plain DONE.
    pub fn new(kind: DoneKind, status: DoneStatus) -> Self {
        Self { kind, status, command: command::NONE, row_count: 0 }
    }

    /// The answer to an attention.
    pub fn attention() -> Self {
        Self::new(DoneKind::Done, DoneStatus::ATTENTION)
    }

    /// Appends the token.
    pub fn put(&self, out: &mut Vec<u8>) {
        out.push(self.kind.token());
        put_u16(out, self.status.0);
        put_u16(out, self.command);
        put_u64(out, self.row_count);
    }

    /// Reads the token after its first byte.
    pub(crate) fn read(reader: &mut Reader<'_>, kind: DoneKind) -> Result<Self, TdsError> {
        Ok(Self {
            kind,
            status: DoneStatus(reader.u16("DONE")?),
            command: reader.u16("DONE")?,
            row_count: reader.u64("DONE")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The end of MS-TDS 4.7.
    #[test]
    fn the_documented_example() {
        let bytes = [0xFD, 0x10, 0x00, 0xC1, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00];
        let done = Done { kind: DoneKind::Done, status: DoneStatus::COUNT, command: command::SELECT, row_count: 1 };
        let mut out = Vec::new();
        done.put(&mut out);
        assert_eq!(out, bytes);
        assert_eq!(Done::read(&mut Reader::new(&bytes[1..]), DoneKind::Done), Ok(done));
    }
}
