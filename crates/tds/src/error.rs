//! What can be wrong with bytes from the peer, or with values that shall become bytes.
//!
//! An error belongs to one message. Packets frame messages, so a session may go on after an error inside a message;
//! after an error of [`crate::packet`] or [`crate::tls`] the stream has lost its frame and must be closed.

use millpond_types::SqlType;

/// Why bytes could not be decoded, or a value could not be encoded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TdsError {
    /// The bytes end too early. A decoder of a stream waits for more; for a whole message it is an error.
    #[error("the message ends inside {what}: at least {missing_bytes} more bytes are needed")]
    Truncated {
        /// The part that is cut off.
        what: &'static str,
        /// Lower bound of what is missing.
        missing_bytes: usize,
    },
    /// A field holds what the protocol does not allow.
    #[error("malformed {what}")]
    Malformed {
        /// The part that is wrong.
        what: &'static str,
    },
    /// Something exceeds its bound.
    #[error("{what} is longer than the bound of {bound_bytes} bytes")]
    TooLarge {
        /// The part that is too long.
        what: &'static str,
        /// The bound.
        bound_bytes: usize,
    },
    /// Part of the protocol that we do not speak.
    #[error("{what} is not supported")]
    Unsupported {
        /// The part.
        what: &'static str,
    },
    /// First byte of a packet.
    #[error("unknown packet type 0x{0:02X}")]
    UnknownPacketType(u8),
    /// First byte of a token.
    #[error("unknown token 0x{0:02X}")]
    UnknownToken(u8),
    /// First byte of a TYPE_INFO.
    #[error("unknown data type 0x{0:02X}")]
    UnknownDataType(u8),
    /// Of a request; SQL Server's message 8003.
    #[error("the request has too many parameters; the maximum is {bound}")]
    TooManyParameters {
        /// The maximum.
        bound: usize,
    },
    /// A value of a parameter that its type does not have; SQL Server's message 8023.
    #[error("parameter {ordinal} ({name:?}) is no valid instance of {sql_type}")]
    InvalidParameter {
        /// From 1 on.
        ordinal: usize,
        /// Its name, often empty.
        name: String,
        /// The type.
        sql_type: SqlType,
    },
    /// A client older than SQL Server 2005.
    #[error("TDS version 0x{0:08X} is not supported; 7.2 is the oldest")]
    OldVersion(u32),
    /// A row has not as many values as it has columns.
    #[error("a row of {values} values for {columns} columns")]
    ColumnCount {
        /// Columns announced.
        columns: usize,
        /// Values given.
        values: usize,
    },
    /// The value is not one of the type of its column.
    #[error("a value does not belong to its type {sql_type:?}")]
    ValueMismatch {
        /// The type of the column.
        sql_type: SqlType,
    },
}

impl TdsError {
    /// Shorthand for the commonest error.
    pub fn malformed(what: &'static str) -> Self {
        Self::Malformed { what }
    }

    /// A kind of data or of message that we do not speak, as opposed to bytes that cannot be read.
    pub fn is_unsupported(&self) -> bool {
        matches!(self, Self::Unsupported { .. } | Self::UnknownDataType(_))
    }
}
