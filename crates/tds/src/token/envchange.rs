//! ENVCHANGE: something of the session has changed.
//!
//! ```text
//!  E3 ┼ length (2) ┼ kind (1) ┼ new value ┼ old value
//!   1 database, 2 language, 4 packet size : B_VARCHAR each
//!   7 collation                           : bytes with a length byte each
//!   8 begin                               : new: 8 bytes transaction, old: empty
//!   9 commit, 10 roll back                : new: empty, old: 8 bytes transaction
//!  18 session reset                       : both empty
//! ```

use crate::TdsError;
use crate::collation::Collation;
use crate::wire::{Reader, put_b_varchar, put_with_length};

pub(crate) const TOKEN: u8 = 0xE3;

/// A change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EnvChange {
    /// USE
    Database {
        /// Now.
        new: String,
        /// Before.
        old: String,
    },
    /// SET LANGUAGE
    Language {
        /// Now.
        new: String,
        /// Before.
        old: String,
    },
    /// Settled by the login; the next packets have it.
    PacketSize {
        /// Now.
        new: u16,
        /// Before.
        old: u16,
    },
    /// Of the database's texts.
    Collation {
        /// Now.
        new: Collation,
        /// Before; none at the login.
        old: Option<Collation>,
    },
    /// A transaction began.
    Begin {
        /// Its descriptor, which requests carry in their headers.
        transaction: u64,
    },
    /// It was committed.
    Commit {
        /// Its descriptor.
        transaction: u64,
    },
    /// It was rolled back.
    Rollback {
        /// Its descriptor.
        transaction: u64,
    },
    /// What RESETCONNECTION asked for is done.
    ResetDone,
    /// One that we do not look at.
    Other {
        /// Its kind.
        kind: u8,
    },
}

impl EnvChange {
    /// Appends the token; [`EnvChange::Other`] has nothing to write.
    pub fn put(&self, out: &mut Vec<u8>) {
        if matches!(self, Self::Other { .. }) {
            return;
        }
        out.push(TOKEN);
        put_with_length(out, |out| self.put_body(out));
    }

    fn put_body(&self, out: &mut Vec<u8>) {
        match self {
            Self::Database { new, old } => put_names(out, 1, new, old),
            Self::Language { new, old } => put_names(out, 2, new, old),
            Self::PacketSize { new, old } => put_names(out, 4, &new.to_string(), &old.to_string()),
            Self::Collation { new, old } => {
                out.extend_from_slice(&[7, 5]);
                out.extend_from_slice(&new.to_bytes());
                match old {
                    None => out.push(0),
                    Some(old) => {
                        out.push(5);
                        out.extend_from_slice(&old.to_bytes());
                    }
                }
            }
            Self::Begin { transaction } => {
                out.extend_from_slice(&[8, 8]);
                out.extend_from_slice(&transaction.to_le_bytes());
                out.push(0);
            }
            Self::Commit { transaction } => put_end(out, 9, *transaction),
            Self::Rollback { transaction } => put_end(out, 10, *transaction),
            Self::ResetDone => out.extend_from_slice(&[18, 0, 0]),
            Self::Other { .. } => {}
        }
    }

    /// Reads the token after its first byte.
    pub(crate) fn read(reader: &mut Reader<'_>) -> Result<Self, TdsError> {
        let length = reader.u16("ENVCHANGE")?;
        let mut body = reader.sub(length.into(), "ENVCHANGE")?;
        Self::read_body(&mut body).map_err(|_| TdsError::malformed("ENVCHANGE"))
    }

    fn read_body(body: &mut Reader<'_>) -> Result<Self, TdsError> {
        let what = "ENVCHANGE";
        Ok(match body.u8(what)? {
            1 => Self::Database { new: body.b_varchar(what)?, old: body.b_varchar(what)? },
            2 => Self::Language { new: body.b_varchar(what)?, old: body.b_varchar(what)? },
            4 => Self::PacketSize { new: number(&body.b_varchar(what)?)?, old: number(&body.b_varchar(what)?)? },
            7 => Self::Collation {
                new: collation(body.b_varbyte(what)?).ok_or(TdsError::malformed(what))?,
                old: collation(body.b_varbyte(what)?),
            },
            8 => Self::Begin { transaction: transaction(body.b_varbyte(what)?)? },
            9 => Self::Commit { transaction: old_transaction(body)? },
            10 => Self::Rollback { transaction: old_transaction(body)? },
            18 => Self::ResetDone,
            kind => Self::Other { kind },
        })
    }
}

fn put_names(out: &mut Vec<u8>, kind: u8, new: &str, old: &str) {
    out.push(kind);
    put_b_varchar(out, new);
    put_b_varchar(out, old);
}

fn put_end(out: &mut Vec<u8>, kind: u8, transaction: u64) {
    out.extend_from_slice(&[kind, 0, 8]);
    out.extend_from_slice(&transaction.to_le_bytes());
}

fn number(text: &str) -> Result<u16, TdsError> {
    text.parse().map_err(|_| TdsError::malformed("packet size"))
}

fn collation(bytes: &[u8]) -> Option<Collation> {
    bytes.try_into().ok().map(Collation::from_bytes)
}

fn transaction(bytes: &[u8]) -> Result<u64, TdsError> {
    let bytes = bytes.try_into().map_err(|_| TdsError::malformed("transaction descriptor"))?;
    Ok(u64::from_le_bytes(bytes))
}

fn old_transaction(body: &mut Reader<'_>) -> Result<u64, TdsError> {
    body.b_varbyte("transaction descriptor")?;
    transaction(body.b_varbyte("transaction descriptor")?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(change: &EnvChange) -> Vec<u8> {
        let mut out = Vec::new();
        change.put(&mut out);
        out
    }

    /// From the login response of MS-TDS 4.4, but for the language, which is empty there before.
    #[test]
    fn the_documented_examples() {
        let database = EnvChange::Database { new: "master".into(), old: "master".into() };
        let master = [0x06, 0x6D, 0x00, 0x61, 0x00, 0x73, 0x00, 0x74, 0x00, 0x65, 0x00, 0x72, 0x00];
        assert_eq!(bytes(&database), [&[0xE3, 0x1B, 0x00, 0x01][..], &master, &master].concat());
        let collation = EnvChange::Collation { new: Collation::LATIN1_CI_AS, old: None };
        assert_eq!(bytes(&collation), [0xE3, 0x08, 0x00, 0x07, 0x05, 0x09, 0x04, 0xD0, 0x00, 0x34, 0x00]);
        let size = EnvChange::PacketSize { new: 4096, old: 4096 };
        let number = [0x04, 0x34, 0x00, 0x30, 0x00, 0x39, 0x00, 0x36, 0x00];
        assert_eq!(bytes(&size), [&[0xE3, 0x13, 0x00, 0x04][..], &number, &number].concat());
        assert_eq!(bytes(&EnvChange::ResetDone), [0xE3, 0x03, 0x00, 0x12, 0x00, 0x00]);
        let begin = EnvChange::Begin { transaction: 77 };
        assert_eq!(bytes(&begin), [0xE3, 0x0B, 0x00, 8, 8, 77, 0, 0, 0, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn changes_round_trip() {
        for change in [
            EnvChange::Database { new: "tempdb".into(), old: "".into() },
            EnvChange::Language { new: "us_english".into(), old: "Français".into() },
            EnvChange::PacketSize { new: 8000, old: 4096 },
            EnvChange::Collation { new: Collation::default(), old: Some(Collation { info: 7, sort_id: 1 }) },
            EnvChange::Begin { transaction: u64::MAX },
            EnvChange::Commit { transaction: 1 },
            EnvChange::Rollback { transaction: 2 },
            EnvChange::ResetDone,
        ] {
            let bytes = bytes(&change);
            let mut reader = Reader::new(&bytes[1..]);
            assert_eq!(EnvChange::read(&mut reader), Ok(change));
            assert!(reader.is_empty());
        }
    }
}
