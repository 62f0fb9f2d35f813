//! Tokens: what a server's message is made of. One file per family, each with both sides.
//!
//! ```text
//!  result  : COLMETADATA, ORDER, ROW … ROW, DONE
//!  call    : result …, RETURNSTATUS, RETURNVALUE …, DONEPROC; statements inside end with DONEINPROC
//!  login   : ENVCHANGE …, INFO …, LOGINACK, FEATUREEXTACK, DONE
//! ```
//!
//! What always holds: a token that was written whole can be read back equal; reading a prefix of it says
//! [`crate::TdsError::Truncated`].

pub mod browse;
pub mod colmetadata;
pub mod done;
pub mod envchange;
pub mod featureextack;
pub mod loginack;
pub mod message;
pub mod order;
pub mod returnstatus;
pub mod returnvalue;
pub mod row;

pub use browse::ColumnInfo;
pub use done::{Done, DoneKind, DoneStatus};
pub use envchange::EnvChange;
pub use featureextack::FeatureAck;
pub use loginack::LoginAck;
pub use message::ServerMessage;
pub use returnvalue::ReturnValue;

/// Tokens that say nothing to us; their body follows a length of two bytes.
pub(crate) const SKIPPED_SHORT: [u8; 3] = [
    0xA4, // TABNAME
    0xA5, // COLINFO
    0xED, // SSPI
];
/// The same with a length of four bytes.
pub(crate) const SKIPPED_LONG: [u8; 2] = [
    0xE4, // SESSIONSTATE
    0xEE, // FEDAUTHINFO
];
