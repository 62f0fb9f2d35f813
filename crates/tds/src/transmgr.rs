//! TransMgrReq: begin, commit, roll back and save as requests of their own.
//!
//! ```text
//!  ALL_HEADERS ┼ type (2) ┼ payload
//!  5 begin     : isolation (1), name
//!  7 commit    : name, flags (1) [, isolation (1), name]   the bracket when flag bit 0 starts the next transaction
//!  8 roll back : the same
//!  9 save      : name
//!                a name is a byte that counts bytes, then UTF-16
//! ```
//!
//! Distributed transactions (types 0, 1 and 6) are refused.

use crate::TdsError;
use crate::headers::AllHeaders;
use crate::wire::{Reader, put_u16, put_utf16, utf16_prefix, utf16_string};

/// Isolation of a transaction to begin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TransactionIsolation {
    /// That of the session.
    #[default]
    Current,
    /// READ UNCOMMITTED
    ReadUncommitted,
    /// READ COMMITTED
    ReadCommitted,
    /// REPEATABLE READ
    RepeatableRead,
    /// SERIALIZABLE
    Serializable,
    /// SNAPSHOT
    Snapshot,
}

impl TransactionIsolation {
    fn from_byte(byte: u8) -> Result<Self, TdsError> {
        Ok(match byte {
            0 => Self::Current,
            1 => Self::ReadUncommitted,
            2 => Self::ReadCommitted,
            3 => Self::RepeatableRead,
            4 => Self::Serializable,
            5 => Self::Snapshot,
            _ => return Err(TdsError::malformed("isolation level")),
        })
    }

    fn to_byte(self) -> u8 {
        match self {
            Self::Current => 0,
            Self::ReadUncommitted => 1,
            Self::ReadCommitted => 2,
            Self::RepeatableRead => 3,
            Self::Serializable => 4,
            Self::Snapshot => 5,
        }
    }
}

/// A transaction to begin.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Begin {
    /// Its isolation.
    pub isolation: TransactionIsolation,
    /// Its name, mostly empty.
    pub name: String,
}

/// What the client wants of its transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TransactionAction {
    /// BEGIN TRANSACTION
    Begin(Begin),
    /// COMMIT TRANSACTION
    Commit {
        /// Mostly empty.
        name: String,
        /// The transaction that follows at once.
        then: Option<Begin>,
    },
    /// ROLLBACK TRANSACTION, to a savepoint when the name is one's
    Rollback {
        /// Mostly empty.
        name: String,
        /// The transaction that follows at once.
        then: Option<Begin>,
    },
    /// SAVE TRANSACTION
    Save {
        /// Never empty.
        name: String,
    },
}

/// A transaction manager request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransactionRequest {
    /// What precedes it.
    pub headers: AllHeaders,
    /// What to do.
    pub action: TransactionAction,
}

const BEGIN: u16 = 5;
const COMMIT: u16 = 7;
const ROLLBACK: u16 = 8;
const SAVE: u16 = 9;

impl TransactionRequest {
    /// Reads a request.
    pub fn decode(payload: &[u8]) -> Result<Self, TdsError> {
        let mut reader = Reader::new(payload);
        let headers = AllHeaders::read(&mut reader)?;
        let action = match reader.u16("transaction request")? {
            0 | 1 | 6 => {
                return Err(TdsError::Unsupported { what: "a distributed transaction" });
            }
            BEGIN => TransactionAction::Begin(read_begin(&mut reader)?),
            COMMIT => TransactionAction::Commit { name: read_name(&mut reader)?, then: read_then(&mut reader)? },
            ROLLBACK => TransactionAction::Rollback { name: read_name(&mut reader)?, then: read_then(&mut reader)? },
            SAVE => {
                let name = read_name(&mut reader)?;
                if name.is_empty() {
                    return Err(TdsError::malformed("savepoint name"));
                }
                TransactionAction::Save { name }
            }
            _ => return Err(TdsError::malformed("transaction request")),
        };
        Ok(Self { headers, action })
    }

    /// Writes a request.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.headers.write(&mut out);
        match &self.action {
            TransactionAction::Begin(begin) => {
                put_u16(&mut out, BEGIN);
                put_begin(&mut out, begin);
            }
            TransactionAction::Commit { name, then } => {
                put_u16(&mut out, COMMIT);
                put_name(&mut out, name);
                put_then(&mut out, then.as_ref());
            }
            TransactionAction::Rollback { name, then } => {
                put_u16(&mut out, ROLLBACK);
                put_name(&mut out, name);
                put_then(&mut out, then.as_ref());
            }
            TransactionAction::Save { name } => {
                put_u16(&mut out, SAVE);
                put_name(&mut out, name);
            }
        }
        out
    }
}

fn read_name(reader: &mut Reader<'_>) -> Result<String, TdsError> {
    let bytes = reader.b_varbyte("transaction name")?;
    if !bytes.len().is_multiple_of(2) {
        return Err(TdsError::malformed("transaction name"));
    }
    Ok(utf16_string(bytes))
}

fn read_begin(reader: &mut Reader<'_>) -> Result<Begin, TdsError> {
    let isolation = TransactionIsolation::from_byte(reader.u8("isolation level")?)?;
    Ok(Begin { isolation, name: read_name(reader)? })
}

fn read_then(reader: &mut Reader<'_>) -> Result<Option<Begin>, TdsError> {
    if reader.u8("transaction flags")? & 1 == 0 {
        return Ok(None);
    }
    read_begin(reader).map(Some)
}

fn put_name(out: &mut Vec<u8>, name: &str) {
    let at = out.len();
    out.push(0);
    put_utf16(out, utf16_prefix(name, 127));
    out[at] = u8::try_from(out.len() - at - 1).expect("cut to 127 units");
}

fn put_begin(out: &mut Vec<u8>, begin: &Begin) {
    out.push(begin.isolation.to_byte());
    put_name(out, &begin.name);
}

fn put_then(out: &mut Vec<u8>, then: Option<&Begin>) {
    out.push(u8::from(then.is_some()));
    if let Some(begin) = then {
        put_begin(out, begin);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(request: u16, payload: &[u8]) -> Result<TransactionAction, TdsError> {
        let mut bytes = Vec::new();
        AllHeaders::default().write(&mut bytes);
        put_u16(&mut bytes, request);
        bytes.extend_from_slice(payload);
        TransactionRequest::decode(&bytes).map(|request| request.action)
    }

    #[test]
    fn what_clients_send_is_understood() {
        // Seen on the wire: pytds and ODBC begin with 00 00, commit and begin again with 00 01 00 00, end with 00 00.
        assert_eq!(decode(5, &[0, 0]), Ok(TransactionAction::Begin(Begin::default())));
        let then = Some(Begin::default());
        assert_eq!(decode(7, &[0, 1, 0, 0]), Ok(TransactionAction::Commit { name: String::new(), then: then.clone() }));
        assert_eq!(decode(8, &[0, 1, 0, 0]), Ok(TransactionAction::Rollback { name: String::new(), then }));
        assert_eq!(decode(8, &[0, 0]), Ok(TransactionAction::Rollback { name: String::new(), then: None }));
    }

    #[test]
    fn wrong_requests_are_refused() {
        assert!(decode(1, &[]).unwrap_err().is_unsupported());
        assert!(decode(5, &[9, 0]).is_err());
        assert!(decode(9, &[0]).is_err());
        assert!(decode(7, &[0, 1]).is_err());
        assert!(decode(4, &[]).is_err());
    }

    #[test]
    fn requests_round_trip() {
        let begin = Begin { isolation: TransactionIsolation::Snapshot, name: "next".into() };
        for action in [
            TransactionAction::Begin(begin.clone()),
            TransactionAction::Commit { name: "a".into(), then: Some(begin) },
            TransactionAction::Rollback { name: "sävepoint".into(), then: None },
            TransactionAction::Save { name: "s".into() },
        ] {
            let request =
                TransactionRequest { headers: AllHeaders { transaction: 5, outstanding_requests: 1 }, action };
            assert_eq!(TransactionRequest::decode(&request.encode()), Ok(request));
        }
    }
}
